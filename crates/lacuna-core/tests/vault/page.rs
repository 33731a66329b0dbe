//! Every phrase of `docs/forgetting.md` in a vault that holds something for each of them: the plan is as the page says.

use jiff::SignedDuration;
use lacuna_core::forget::{Plan, Planned, PlannedMatch, Request};
use lacuna_core::permit::Forget;
use lacuna_types::request::{Mode, Target};

use super::*;

const PAGE: &str = include_str!("../../../../docs/forgetting.md");

/// The memories of the vault, each by its first word or two.
const ROWS: &str = "Tilda rows";
const KNOWS: &str = "My neighbour";
const HOME: &str = "I moved";
const ASTHMA: &str = "I have asthma";
const INFERRED: &str = "Rowing";
const TRAIN: &str = "The train";
const BAKERY: &str = "The bakery";
const BARN: &str = "The barn";
const CALLED: &str = "Tilda called";
const MAST: &str = "We spoke";
const EARNS: &str = "I earn";
const EVERY: &[&str] = &[ROWS, KNOWS, HOME, ASTHMA, INFERRED, TRAIN, BAKERY, BARN, CALLED, MAST, EARNS];

/// A phrase, the memories that its plan names, and those that it would not take unseen. `mem_…` is the id of the barn.
const PLANS: &[(&str, &[&str], &[&str])] = &[
    ("forget everything about Tilda", &[ROWS, KNOWS, CALLED], &[HOME, ASTHMA, BARN, EARNS]),
    ("delete all memories mentioning Tilda", &[ROWS, KNOWS, CALLED], &[HOME, ASTHMA, BARN, EARNS]),
    ("Tilda", &[ROWS, KNOWS, CALLED], &[HOME, ASTHMA, BARN, EARNS]),
    ("I don't want you to remember where I live", &[HOME], &[ROWS, ASTHMA, BARN]),
    ("forget Tilda only", &[ROWS, CALLED], &[KNOWS, HOME]),
    ("clear all health information", &[ASTHMA], &[ROWS, HOME, BARN, TRAIN]),
    ("delete my medical records", &[ASTHMA], &[ROWS, HOME, BARN, TRAIN]),
    ("delete all episodic memories", &[CALLED, MAST], &[ROWS, HOME, BARN]),
    ("forget everything you inferred", &[INFERRED], &[ROWS, HOME, BARN]),
    ("everything tagged travel", &[TRAIN], &[BAKERY, ROWS]),
    ("forget #travel and #food", &[TRAIN, BAKERY], &[ROWS, HOME]),
    ("purge session 7f3a-b", &[CALLED], &[MAST, ROWS]),
    ("delete memory mem_…", &[BARN], &[ROWS, HOME, CALLED]),
    ("forget our conversation from yesterday", &[CALLED], &[MAST, ROWS]),
    ("forget last Tuesday's chat", &[MAST], &[CALLED, ROWS]),
    ("delete everything before 1 March 2025", &[BARN], &[ROWS, HOME, CALLED]),
    ("everything older than six months", &[BARN], &[ROWS, HOME, CALLED]),
    ("forget what I said about Tilda yesterday", &[CALLED], &[ROWS, KNOWS]),
    ("forget the last thing I said", &[EARNS], &[ROWS, CALLED]),
    ("scratch that", &[EARNS], &[ROWS, CALLED]),
    ("forget what I earn but keep that I work at Heron Ltd", &[EARNS], &[ROWS, HOME]),
    ("forget everything", EVERY, &[]),
    ("clear all", EVERY, &[]),
    ("forget me", EVERY, &[]),
    ("vergiss alles über Tilda", &[ROWS, KNOWS, CALLED], &[HOME, ASTHMA, BARN, EARNS]),
    ("oublie notre conversation d'hier", &[CALLED], &[MAST, ROWS]),
    ("borra toda la información médica", &[ASTHMA], &[ROWS, HOME, BARN, TRAIN]),
];

/// The phrases in the first column of the table under a heading row.
fn phrases(heading: &str) -> Vec<&'static str> {
    let rows = PAGE.lines().skip_while(|line| !line.starts_with(heading)).skip(2);
    let rows = rows.take_while(|line| line.starts_with('|'));
    rows.filter_map(|row| row.split('|').nth(1)).flat_map(|cell| cell.split('·')).map(str::trim).collect()
}

fn at(time: &str) -> Option<Timestamp> {
    Some(time.parse().unwrap())
}

fn turn(text: &str, session: &str, time: &str) -> Draft {
    let source = Source {
        session: Some(SessionId::new(session).unwrap()),
        turn: Some(1),
        ..Source::new(SourceType::UserMessage, Trust::High)
    };
    let category = Some(Category::Conversation);
    Draft { source: Some(source), category, created_at: at(time), ..draft(text) }
}

/// The clock of the vault stands at Sunday, 12 April 2026. Answers with the id of the barn.
fn fill(world: &World, service: &Lacuna) -> MemoryId {
    let barn = Draft { created_at: at("2025-01-10T08:00:00Z"), ..draft("The barn is red.") };
    let barn = service.take("anna", barn).unwrap().id;
    let tagged = |tag: &str, text: &str| Draft { tags: vec![tag.into()], ..draft(text) };
    let consent = Some(ConsentBasis::ExplicitConsent);
    for draft in [
        draft("Tilda rows on the lake."),
        draft("My neighbour knows Tilda."),
        draft("I moved to Graz."),
        Draft { consent_basis: consent, ..draft("I have asthma and use an inhaler.") },
        tagged("travel", "The train to Lisbon is slow."),
        tagged("food", "The bakery opens at six."),
        turn("Tilda called about the boat.", "7f3a-b", "2026-04-11T18:00:00Z"),
        turn("We spoke about the mast.", "9c1d-e", "2026-04-07T18:00:00Z"),
        Draft {
            source: Some(Source::new(SourceType::AiInference, Trust::Low)),
            ..draft("Rowing is a joy here.")
        },
        draft("I earn 4,200 a month and work at Heron Ltd."),
    ] {
        world.clock.advance(SignedDuration::from_secs(1));
        service.take("anna", draft).unwrap();
    }
    barn
}

fn planned(service: &Lacuna, phrase: &str) -> Option<Plan> {
    let request = Request { mode: Some(Mode::Hard), ..Request::new(Target::Words(phrase.to_owned())) };
    match service.plan_forget(&grant::<Forget>("anna"), &request).unwrap() {
        Planned::Plan(plan) => Some(*plan),
        Planned::WhichOne(_) => panic!("{phrase}: one Tilda only"),
        Planned::Unclear(_) => None,
    }
}

#[test]
fn every_request_of_the_page_has_its_plan() {
    let said = phrases("| said | understood as |");
    let known: Vec<&str> = PLANS.iter().map(|(phrase, _, _)| *phrase).collect();
    assert_eq!(said, known, "the page has other phrases than those that are tried here");
    let world = World::ram();
    let service = world.service();
    let barn = fill(&world, &service);
    for (phrase, named, spared) in PLANS {
        let plan = planned(&service, &phrase.replace("mem_…", &barn.to_string()));
        let plan = plan.unwrap_or_else(|| panic!("{phrase}: asked back"));
        let text = |found: &PlannedMatch| found.memory.content.full_text().expose().to_owned();
        let all: Vec<String> = plan.matches.iter().map(text).collect();
        let taken: Vec<String> = plan.matches.iter().filter(|found| !found.offered).map(text).collect();
        for one in *named {
            assert!(all.iter().any(|text| text.starts_with(one)), "{phrase}: {one} is not in {all:?}");
        }
        for one in *spared {
            assert!(!taken.iter().any(|text| text.starts_with(one)), "{phrase}: {one} is in {taken:?}");
        }
        let twice = if *named == EVERY { 2 } else { 1 };
        assert_eq!(plan.confirmations, twice, "{phrase}");
    }
    let cut = planned(&service, "forget what I earn but keep that I work at Heron Ltd").unwrap();
    let left = cut.matches[0].leaves.as_ref().map(|left| left.as_str());
    assert_eq!(left, Some("I work at Heron Ltd."));
}

#[test]
fn every_doubt_of_the_page_changes_nothing_and_asks_back() {
    let world = World::ram();
    let service = world.service();
    fill(&world, &service);
    let said = phrases("| said | why Lacuna asks back |");
    assert!(said.len() >= 10, "{said:?}");
    for phrase in said {
        assert!(planned(&service, phrase).is_none(), "{phrase}");
    }
}

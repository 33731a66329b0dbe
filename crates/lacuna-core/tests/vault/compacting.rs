//! Compaction over real stores: turns leave the search for what is made of them, and what is made falls with
//! the turns that are forgotten.

use std::ops::ControlFlow;

use jiff::SignedDuration;
use lacuna_core::index::Filter;
use lacuna_core::keep::{CompactRequest, Compacted};
use lacuna_store::rows::FaultTiming;
use lacuna_types::llm::{Claim, ClaimKind, Condensed, Llm, SpokenTurn};
use lacuna_types::policy::Thresholds;

use super::*;

/// Two things that are talked about, with chatter between them.
const TALK: &[&str] = &[
    "Good morning!",
    "Morning. The heating engineer Olsen comes on Thursday at 9 to look at the boiler.",
    "Does he bring the valve for the boiler?",
    "Olsen brings the valve, and the boiler will be off until noon.",
    "I work as a bookbinder now, above the old bakery.",
    "How nice. By the way, the choir sings Fauré in the town hall.",
    "We decided to sing the Fauré without the organ.",
    "I always rehearse on Mondays.",
    "The choir needs 3 more tenors for the Fauré.",
    "Tenors are rare around here.",
    "Thank you, see you soon!",
    "Bye.",
];

fn turn(session: &str, number: usize, text: &str) -> Draft {
    let mut source = Source::new(SourceType::UserMessage, Trust::High);
    source.session = Some(SessionId::new(session).unwrap());
    source.turn = Some(u32::try_from(number).unwrap());
    Draft { source: Some(source), category: Some(Category::Conversation), ..draft(text) }
}

fn tell(service: &Lacuna, session: &str, talk: &[&str]) -> Vec<MemoryId> {
    let drafts = talk.iter().enumerate().map(|(number, text)| turn(session, number, text)).collect();
    let outcomes = service.remember(&grant::<Remember>("anna"), drafts).unwrap();
    outcomes.into_iter().map(|outcome| outcome.stored().unwrap().id).collect()
}

fn compact(service: &Lacuna, request: &CompactRequest) -> Result<Compacted> {
    service.compact(&grant::<Forget>("anna"), request, &mut |_| ControlFlow::Continue(()))
}

/// Everything that was said before now.
fn everything(world: &World) -> CompactRequest {
    world.clock.advance(SignedDuration::from_mins(1));
    CompactRequest { before: Some(world.clock.now()), ..CompactRequest::default() }
}

fn memories(service: &Lacuna, state: Lifecycle) -> Vec<Memory> {
    let filter = Filter { states: vec![state], ..Filter::default() };
    service.list(&grant::<Recall>("anna"), &filter, None, 500).unwrap().memories
}

fn count(service: &Lacuna, state: Lifecycle) -> usize {
    memories(service, state).len()
}

fn summaries(service: &Lacuna) -> Vec<Memory> {
    let is_summary = |memory: &Memory| memory.facets.content_type == ContentType::Summary;
    let ids: Vec<_> =
        memories(service, Lifecycle::Active).into_iter().filter(is_summary).map(|one| one.id).collect();
    ids.into_iter().map(|id| service.get(&grant::<Recall>("anna"), id).unwrap()).collect()
}

#[test]
fn turns_leave_the_search_for_what_is_made_of_them() {
    for world in [World::ram(), World::sqlite()] {
        let service = world.service();
        let turns = tell(&service, "s1", TALK);
        let done = compact(&service, &everything(&world)).unwrap();
        assert_eq!((done.turns, done.kept, done.cancelled), (TALK.len(), 0, false));
        assert!(done.tokens_after < done.tokens_before, "{done:?}");
        for service in [&service, &world.service()] {
            let found = service.ask("anna", "When does Olsen look at the boiler?").unwrap();
            let hit = &found.hits[0].memory;
            assert!(
                hit.content.full_text().expose().contains("on Thursday at 9"),
                "{}",
                hit.content.full_text().expose()
            );
            assert!(hit.facets.derived_from.iter().any(|link| link.source == turns[1]));
            assert!(found.hits.iter().all(|hit| !turns.contains(&hit.memory.id)));
            // They are there for whoever asks for them by id, and in exports.
            assert_eq!(service.get(&grant::<Recall>("anna"), turns[1]).unwrap().state, Lifecycle::Archived);
            assert_eq!(count(service, Lifecycle::Archived), TALK.len());
        }
        service.verified("anna");
    }
}

#[test]
fn what_is_made_says_where_it_comes_from_and_of_what_kind_it_is() {
    let world = World::ram();
    let service = world.service();
    let turns = tell(&service, "s1", TALK);
    compact(&service, &everything(&world)).unwrap();
    let made = memories(&service, Lifecycle::Active);
    let kind = |text: &str| {
        let memory = made
            .iter()
            .find(|memory| memory.content.gist.expose() == text)
            .unwrap_or_else(|| panic!("{text}"));
        let facets = &memory.facets;
        assert_eq!(facets.source.kind, SourceType::AiInference);
        assert_eq!(facets.source.trust, Trust::High);
        (
            facets.content_type,
            facets.tags.clone(),
            facets.derived_from.iter().map(|link| link.source).collect::<Vec<_>>(),
        )
    };
    assert_eq!(
        kind("I work as a bookbinder now, above the old bakery."),
        (ContentType::Fact, vec![], vec![turns[4]])
    );
    assert_eq!(kind("I always rehearse on Mondays."), (ContentType::Pattern, vec![], vec![turns[7]]));
    let decided = kind("We decided to sing the Fauré without the organ.");
    assert_eq!(decided, (ContentType::Fact, vec!["decision".to_owned()], vec![turns[6]]));
    let of_summaries: Vec<MemoryId> = summaries(&service)
        .iter()
        .flat_map(|one| one.facets.derived_from.clone())
        .map(|link| link.source)
        .collect();
    assert!(summaries(&service).iter().all(|one| one.facets.tags == ["week:2026-W15"]));
    assert!(turns.iter().all(|turn| of_summaries.contains(turn)), "every turn can be reached from a summary");
}

#[test]
fn compacting_again_changes_nothing() {
    let world = World::sqlite();
    let service = world.service();
    tell(&service, "s1", TALK);
    compact(&service, &everything(&world)).unwrap();
    let before = memories(&service, Lifecycle::Active);
    let again = compact(&world.service(), &everything(&world)).unwrap();
    assert_eq!(again, Compacted::default());
    assert!(memories(&service, Lifecycle::Active) == before);
}

#[test]
fn the_thresholds_of_the_policy_decide_for_the_scheduler() {
    let world = World::ram();
    let thresholds = Thresholds { session_messages_max: 10, keep_last: 4, ..Thresholds::default() };
    let service = world.service_under(Policy { compaction: thresholds, ..Policy::default() });
    let long = tell(&service, "long", TALK);
    let short = tell(&service, "short", &TALK[..9]);
    let due = |service: &Lacuna| {
        service.upkeep().compact_due(&scope("anna"), &mut |_| ControlFlow::Continue(())).unwrap()
    };
    let plan = service.compaction_plan(&grant::<Forget>("anna"), &CompactRequest::default()).unwrap();
    assert_eq!((plan.turns, plan.sessions, plan.weeks), (8, 1, vec!["2026-W15".to_owned()]));
    assert_eq!(due(&service), 8);
    let archived: Vec<_> = memories(&service, Lifecycle::Archived).iter().map(|memory| memory.id).collect();
    assert!(long[..8].iter().all(|id| archived.contains(id)) && archived.len() == 8);
    assert_eq!(due(&service), 0);
    world.clock.advance(SignedDuration::from_hours(24 * 91));
    assert_eq!(due(&service), 4 + short.len(), "what nobody has read for 90 days goes as well");
}

#[test]
fn a_frozen_vault_is_left_alone() {
    let world = World::ram();
    let service = world.service();
    tell(&service, "s1", TALK);
    service.freeze(&grant("anna")).unwrap();
    assert_eq!(compact(&service, &everything(&world)).unwrap_err().code(), "frozen");
    assert_eq!(service.upkeep().compact_due(&scope("anna"), &mut |_| ControlFlow::Continue(())).unwrap(), 0);
    assert_eq!(count(&service, Lifecycle::Archived), 0);
}

#[test]
fn work_that_was_broken_off_goes_on_where_it_stopped() {
    let world = World::ram();
    let service = world.service();
    for session in ["s1", "s2", "s3"] {
        tell(&service, session, TALK);
    }
    let request = everything(&world);
    let mut heard = Vec::new();
    let grant = grant::<Forget>("anna");
    let first = service
        .compact(&grant, &request, &mut |turns| {
            heard.push(turns);
            ControlFlow::Break(())
        })
        .unwrap();
    assert!(first.cancelled && first.turns > 0 && first.turns < 3 * TALK.len());
    assert_eq!(heard, [first.turns]);
    let rest = compact(&service, &request).unwrap();
    assert_eq!(first.turns + rest.turns, 3 * TALK.len());
    assert_eq!(count(&service, Lifecycle::Archived), 3 * TALK.len());
}

/// Every step fails once, before or after it took effect, and the process dies. The next one goes on: no turn is
/// lost, and none is summarised twice.
#[test]
fn a_death_at_any_step_loses_nothing_and_doubles_nothing() {
    for when in [FaultTiming::Before, FaultTiming::After] {
        for n in 1.. {
            let world = World::ram();
            let (doomed, faults) = world.faulty();
            let turns = [tell(&doomed, "s1", &TALK[..6]), tell(&doomed, "s2", &TALK[5..])].concat();
            let request = everything(&world);
            faults.die(n, when);
            let ended = compact(&doomed, &request).is_ok();
            drop(doomed);

            let reborn = world.service();
            reborn.upkeep().recover(&scope("anna")).unwrap();
            compact(&reborn, &request).unwrap();
            assert_eq!(count(&reborn, Lifecycle::Archived), turns.len(), "{when:?} {n}");
            let mut reached: Vec<MemoryId> = summaries(&reborn)
                .iter()
                .flat_map(|one| one.facets.derived_from.clone())
                .map(|link| link.source)
                .collect();
            reached.sort_unstable();
            let (all, mut once) = (reached.len(), reached);
            once.dedup();
            assert_eq!(all, once.len(), "{when:?} {n}: no turn is in two summaries");
            assert!(once.iter().all(|id| turns.contains(id)));
            assert_eq!(
                reborn.count(&grant::<Recall>("anna")).unwrap().1,
                0,
                "{when:?} {n}: nothing is damaged"
            );
            reborn.verified("anna");
            if ended {
                break;
            }
            assert!(n < 200, "the story has a bounded number of steps");
        }
    }
}

#[test]
fn forgetting_a_turn_makes_what_was_made_of_it_anew_without_it() {
    let world = World::sqlite();
    let service = world.service();
    let turns = tell(&service, "s1", TALK);
    compact(&service, &everything(&world)).unwrap();
    let said = |service: &Lacuna| -> String {
        let all = memories(service, Lifecycle::Active).into_iter().map(|memory| memory.id);
        all.map(|id| {
            service.get(&grant::<Recall>("anna"), id).unwrap().content.full_text().expose().to_owned() + "\n"
        })
        .collect()
    };
    assert!(said(&service).contains("Thursday at 9") && said(&service).contains("above the old bakery"));
    let before = summaries(&service).len();
    service.delete(&grant::<Forget>("anna"), turns[1]).unwrap();
    service.delete(&grant::<Forget>("anna"), turns[4]).unwrap();
    for service in [&service, &world.service()] {
        let left = said(service);
        assert!(!left.contains("Thursday") && !left.contains("bakery"), "{left}");
        assert!(left.contains("Olsen brings the valve"), "the rest is still summarised: {left}");
        assert_eq!(summaries(service).len(), before);
        assert!(summaries(service).iter().any(|one| one.facets.history.remade_at.is_some()));
    }
}

#[test]
fn trust_is_the_lowest_of_the_sources_and_only_persons_state_facts() {
    let world = World::ram();
    let service = world.service();
    let mut drafts: Vec<Draft> =
        TALK.iter().enumerate().map(|(number, text)| turn("s1", number, text)).collect();
    for (number, draft) in drafts.iter_mut().enumerate().filter(|(number, _)| number % 2 == 1) {
        let source = draft.source.as_mut().unwrap();
        (source.kind, source.trust) = (SourceType::AiInference, Trust::Low);
        assert_eq!(source.turn, Some(u32::try_from(number).unwrap()));
    }
    service.remember(&grant::<Remember>("anna"), drafts).unwrap();
    compact(&service, &everything(&world)).unwrap();
    assert!(summaries(&service).iter().all(|one| one.facets.source.trust == Trust::Low));
    let facts: Vec<_> = memories(&service, Lifecycle::Active)
        .into_iter()
        .filter(|memory| memory.facets.tier == Tier::Semantic)
        .map(|memory| (memory.content.gist.into_exposed(), memory.facets.source.trust))
        .collect();
    // The habit was the assistant's word.
    assert!(
        facts.iter().all(|(text, trust)| *trust == Trust::High && !text.contains("rehearse")),
        "{facts:?}"
    );
    assert!(facts.iter().any(|(text, _)| text.starts_with("I work as a bookbinder")));
}

#[test]
fn what_is_held_under_its_own_key_is_summarised_apart() {
    let world = World::ram();
    let service = world.service();
    let mut drafts: Vec<Draft> =
        TALK[..6].iter().enumerate().map(|(number, text)| turn("s1", number, text)).collect();
    drafts.push(Draft {
        sensitivity: vec![Sensitivity::Health],
        consent_basis: Some(ConsentBasis::ExplicitConsent),
        ..turn("s1", 6, "The plaster on my wrist comes off after the holidays.")
    });
    service.remember(&grant::<Remember>("anna"), drafts).unwrap();
    compact(&service, &everything(&world)).unwrap();
    for summary in summaries(&service) {
        let health = summary.facets.privacy.sensitivity.contains(&Sensitivity::Health);
        assert_eq!(health, summary.content.full_text().expose().contains("plaster"));
    }
    assert!(service.texts("anna", "the plaster on the wrist").iter().any(|text| text.contains("plaster")));
}

#[test]
fn a_newer_fact_is_not_taken_back_by_an_older_turn() {
    let world = World::ram();
    let service = world.service();
    tell(&service, "s1", TALK);
    world.clock.advance(SignedDuration::from_hours(48));
    let newer = service.keep("anna", "I work as a baker now.").unwrap();
    compact(&service, &everything(&world)).unwrap();
    assert_eq!(service.get(&grant::<Recall>("anna"), newer).unwrap().state, Lifecycle::Active);
    for state in [Lifecycle::Active, Lifecycle::Candidate] {
        let facts =
            memories(&service, state).into_iter().filter(|memory| memory.facets.tier == Tier::Semantic);
        assert!(facts.map(|fact| fact.content.gist).all(|gist| !gist.expose().contains("bookbinder")));
    }
}

#[test]
fn of_facts_that_say_the_same_the_original_stays() {
    let world = World::ram();
    let service = world.service();
    let shed = service.keep("anna", "The spare key hangs in the shed.").unwrap();
    let ladder = service.keep("anna", "The long ladder stands in the barn.").unwrap();
    let primary = |source| Lineage { source, contribution: Contribution::Primary };
    let both = Draft {
        derived_from: vec![primary(shed), primary(ladder)],
        content_type: Some(ContentType::Summary),
        ..draft("The spare key and the long ladder.")
    };
    service.take("anna", both).unwrap();
    // What is made anew from the one source that is left says just what that one says.
    service.erase("anna", ladder).unwrap();
    assert_eq!(count(&service, Lifecycle::Active), 2);
    let plan = service.compaction_plan(&grant::<Forget>("anna"), &CompactRequest::default()).unwrap();
    assert_eq!(plan.duplicates, 1);
    assert_eq!(compact(&service, &CompactRequest::default()).unwrap().duplicates, 1);
    let left: Vec<_> = memories(&service, Lifecycle::Active).iter().map(|memory| memory.id).collect();
    assert_eq!(left, [shed]);
}

struct Scripted;

impl Llm for Scripted {
    fn name(&self) -> &str {
        "scripted"
    }

    fn condense(&self, turns: &[SpokenTurn<'_>]) -> Result<Condensed> {
        let olsen = turns.iter().position(|turn| turn.text.contains("Olsen")).into_iter().collect();
        let claim = |text: &str, turns| Claim { text: text.to_owned(), kind: ClaimKind::Fact, turns };
        Ok(Condensed {
            summary: "Olsen comes on Thursday at 9. The choir sings the Fauré.".to_owned(),
            claims: vec![
                claim("Olsen repairs the boiler.", olsen),
                claim("Ragnhild repairs the boiler.", vec![0]),
                claim("The choir is large.", vec![]),
            ],
        })
    }
}

#[test]
fn a_models_facts_wait_for_a_person_and_its_inventions_are_dropped() {
    let world = World::ram();
    let service = world.service().condensing_by(Some(Arc::new(Scripted)));
    tell(&service, "s1", TALK);
    let done = compact(&service, &everything(&world)).unwrap();
    let written: Vec<_> =
        summaries(&service).iter().map(|one| one.content.full_text().expose().to_owned()).collect();
    assert_eq!(written, ["Olsen comes on Thursday at 9. The choir sings the Fauré."]);
    let waiting: Vec<_> = service
        .candidates(&grant("anna"), None, 50)
        .unwrap()
        .memories
        .into_iter()
        .map(|memory| (memory.content.gist.into_exposed(), memory.facets.history.waits))
        .collect();
    assert_eq!(waiting, [("Olsen repairs the boiler.".to_owned(), Some(Wait::Confirmation))]);
    assert_eq!(done.waiting, 1);
}

//! Compaction over real stores: turns leave the search for what is made of them, and what is made falls with
//! the turns that are forgotten.

use std::ops::ControlFlow;

use jiff::SignedDuration;
use lacuna_core::index::Filter;
use lacuna_core::keep::{CompactRequest, Compacted, NewTurn};
use lacuna_core::vault::Speaker;
use lacuna_store::rows::FaultTiming;
use lacuna_types::llm::{Claim, ClaimKind, Condensed, ForgetProposal, Llm, SpokenTurn};
use lacuna_types::policy::Thresholds;

use lacuna_core::read::{RecalledMemory, Turn};

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
            let hit = &found.hits[0];
            assert_eq!(hit.memory.content.full_text().expose(), TALK[1]);
            assert_eq!((hit.memory.id, hit.memory.state), (turns[1], Lifecycle::Archived));
            let summary = service.get(&grant::<Recall>("anna"), hit.behind.unwrap()).unwrap();
            assert!(summary.facets.derived_from.iter().any(|link| link.source == turns[1]));
            let in_place = |hit: &RecalledMemory| turns.contains(&hit.memory.id) == hit.behind.is_some();
            assert!(found.hits.iter().all(in_place), "turns are found behind their summaries only");
            // They are there for whoever asks for them by id, and in exports.
            assert_eq!(service.get(&grant::<Recall>("anna"), turns[1]).unwrap().state, Lifecycle::Archived);
            assert_eq!(count(service, Lifecycle::Archived), TALK.len());
        }
        service.verified("anna");
    }
}

/// Every turn of `TALK` that a question finds, by recall and by context.
fn shown(service: &Lacuna, question: &str) -> Vec<MemoryId> {
    let recalled = service.ask("anna", question).unwrap();
    let turn = Turn { text: question.to_owned(), ..Turn::default() };
    let context = service.context(&[grant::<Recall>("anna")], &turn).unwrap();
    let recalled = recalled.hits.iter().map(|hit| hit.memory.id);
    recalled.chain(context.items.iter().map(|item| item.id)).collect()
}

#[test]
fn context_quotes_a_turn_behind_its_summary_once_and_the_audit_names_it() {
    let world = World::ram();
    let service = world.service();
    let turns = tell(&service, "s1", TALK);
    compact(&service, &everything(&world)).unwrap();
    let turn = Turn { text: "How many tenors does the choir need?".to_owned(), ..Turn::default() };
    let context = service.context(&[grant::<Recall>("anna")], &turn).unwrap();
    let item = context.items.iter().find(|item| item.id == turns[8]).unwrap();
    assert!(context.text.contains(TALK[8]));
    let told = service.get(&grant::<Recall>("anna"), item.behind.unwrap()).unwrap();
    assert!(context.items.iter().all(|item| item.id != told.id), "not as turn and as summary");
    service.upkeep().flush_reads().unwrap();
    let audit = service.read_audit(&grant("anna"), 0).unwrap();
    let read =
        audit.iter().map(|(_, entry)| entry).find(|entry| entry.notes.contains(&"by:context".to_owned()));
    assert!(read.unwrap().subjects.contains(&turns[8].into()));
    // The turn is archived: what is rehearsed is its summary.
    assert!(service.upkeep().flush_rehearsals().unwrap() > 0);
    let told = service.get(&grant::<Recall>("anna"), told.id).unwrap();
    assert_eq!(told.facets.vitality.rehearsals, 1);
}

#[test]
fn filters_hold_behind_the_summary_and_lists_show_active_memories_only() {
    let world = World::ram();
    let service = world.service();
    let turns = tell(&service, "s1", TALK);
    let other = tell(&service, "s2", &["The choir of the chapel needs 5 more tenors."]);
    compact(&service, &everything(&world)).unwrap();
    let found = |filter: Filter| -> Vec<MemoryId> {
        let query = Query { filter, ..Query::new("How many tenors does the choir need?") };
        let recalled = service.recall(&grant::<Recall>("anna"), &query).unwrap();
        recalled.hits.iter().map(|hit| hit.memory.id).collect()
    };
    let session = |name: &str| {
        let key = lacuna_core::index::Session::key(&SessionId::new(name).unwrap());
        Filter { sessions: vec![key], ..Filter::default() }
    };
    assert!(found(session("s1")).contains(&turns[8]) && !found(session("s1")).contains(&other[0]));
    assert!(found(session("s2")).contains(&other[0]) && !found(session("s2")).contains(&turns[8]));
    let active = Filter { states: vec![Lifecycle::Active], ..Filter::default() };
    assert!(!found(active).contains(&turns[8]), "a caller who names states gets those");
    let facts = Filter { tiers: vec![Tier::Semantic], ..Filter::default() };
    assert!(!found(facts).contains(&turns[8]));
    assert!(memories(&service, Lifecycle::Active).iter().all(|memory| !turns.contains(&memory.id)));
}

#[test]
fn what_was_forgotten_expired_or_archived_with_its_summary_is_never_quoted() {
    for world in [World::ram(), World::sqlite()] {
        let service = world.service();
        let mut drafts: Vec<Draft> =
            TALK.iter().enumerate().map(|(number, text)| turn("s1", number, text)).collect();
        let ends_at = world.clock.now() + days(5);
        drafts[3].expires_at = Some(ends_at);
        let stored = service.remember(&grant::<Remember>("anna"), drafts).unwrap();
        let turns: Vec<MemoryId> = stored.into_iter().map(|one| one.stored().unwrap().id).collect();
        compact(&service, &everything(&world)).unwrap();
        let (boiler, noon) = ("When does Olsen look at the boiler?", "Until when will the boiler be off?");
        assert!(shown(&service, boiler).contains(&turns[1]));
        assert!(shown(&service, noon).contains(&turns[3]));

        service.erase("anna", turns[1]).unwrap();
        for service in [&service, &world.service()] {
            assert!(!shown(service, boiler).contains(&turns[1]));
            assert!(service.texts("anna", boiler).iter().all(|text| !text.contains("Thursday")));
            assert!(shown(service, noon).contains(&turns[3]), "forgetting takes one turn only");
        }
        world.clock.advance(days(6));
        assert!(!shown(&service, noon).contains(&turns[3]));

        let tenors = "How many tenors does the choir need?";
        let summary = service.ask("anna", tenors).unwrap().hits.iter().find_map(|hit| hit.behind).unwrap();
        service.set_state(&grant::<Forget>("anna"), &[summary], Lifecycle::Archived).unwrap();
        for service in [&service, &world.service()] {
            assert!(!shown(service, tenors).contains(&turns[8]));
        }
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
    let plan = service.compaction_plan(&grant::<Forget>("anna"), &CompactRequest::default()).unwrap();
    assert_eq!((plan.turns, plan.sessions, plan.weeks), (8, 1, vec!["2026-W15".to_owned()]));
    assert_eq!(due(&service), 8);
    let archived: Vec<_> = memories(&service, Lifecycle::Archived).iter().map(|memory| memory.id).collect();
    assert!(long[..8].iter().all(|id| archived.contains(id)) && archived.len() == 8);
    assert_eq!(due(&service), 0);
    world.clock.advance(SignedDuration::from_hours(24 * 91));
    assert_eq!(due(&service), 4 + short.len(), "what nobody has read for 90 days goes as well");
}

fn due(service: &Lacuna) -> usize {
    service.upkeep().compact_due(&scope("anna"), &mut |_| ControlFlow::Continue(())).unwrap()
}

fn days(days: i64) -> SignedDuration {
    SignedDuration::from_hours(24 * days)
}

#[test]
fn ages_count_from_storing_and_not_from_the_time_that_a_turn_bears() {
    let world = World::ram();
    let service = world.service();
    let said_at = world.clock.now() - days(400);
    let old =
        |(number, text): (usize, &&str)| Draft { created_at: Some(said_at), ..turn("old", number, text) };
    let drafts: Vec<Draft> = TALK.iter().enumerate().map(old).collect();
    service.remember(&grant::<Remember>("anna"), drafts).unwrap();
    let session = SessionId::new("appended").unwrap();
    let turns = TALK.iter().map(|text| NewTurn { at: Some(said_at), ..NewTurn::new(Speaker::User, *text) });
    service.append_turns(&grant::<Remember>("anna"), &session, turns.collect(), None).unwrap();

    assert_eq!(due(&service), 0, "what was stored today is of today");
    world.clock.advance(days(89));
    assert_eq!(due(&world.service()), 0);
    world.clock.advance(days(2));
    assert_eq!(due(&service), 2 * TALK.len());
}

#[test]
fn a_plain_search_counts_as_reading_and_outlives_the_process() {
    for world in [World::ram(), World::sqlite()] {
        let service = world.service();
        let turns = tell(&service, "s1", TALK);
        world.clock.advance(days(2));
        let salience = |service: &Lacuna| {
            let found = service.get(&grant::<Recall>("anna"), turns[8]).unwrap();
            found.facets.vitality.salience_at(world.clock.now())
        };
        let found = service.ask("anna", "How many tenors does the choir need?").unwrap();
        let read: Vec<MemoryId> = found.hits.iter().map(|hit| hit.memory.id).collect();
        assert!(read.contains(&turns[8]) && read.len() < TALK.len());
        assert_eq!(service.upkeep().flush_rehearsals().unwrap(), read.len());
        let before = salience(&service);
        service.ask("anna", "How many tenors does the choir need?").unwrap();
        assert_eq!(service.upkeep().flush_rehearsals().unwrap(), 0, "one reading a day is enough");

        let service = world.service();
        assert!((salience(&service) - before).abs() < 1e-6, "a reading rehearses nothing");
        world.clock.advance(days(89));
        assert_eq!(due(&service), TALK.len() - read.len());
        world.clock.advance(days(2));
        assert_eq!(due(&service), read.len());
    }
}

#[test]
fn a_clock_that_goes_back_makes_nothing_due() {
    let world = World::ram();
    let service = world.service();
    tell(&service, "s1", TALK);
    world.clock.advance(-days(500));
    let found = service.ask("anna", "How many tenors does the choir need?").unwrap();
    assert!(!found.hits.is_empty(), "no memory vanishes");
    service.upkeep().flush_rehearsals().unwrap();
    assert_eq!(due(&service), 0);
    world.clock.advance(days(589));
    assert_eq!(due(&service), 0, "the reading under the wrong clock moved nothing back");
    world.clock.advance(days(2));
    assert_eq!(due(&service), TALK.len());
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

    fn propose(&self, _: &str, _: &[&str]) -> Result<ForgetProposal> {
        Ok(ForgetProposal::default())
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
    assert_eq!(written, ["The choir sings the Fauré.", "Olsen comes on Thursday at 9."], "one of each topic");
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

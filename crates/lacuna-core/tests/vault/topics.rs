//! Consents that are about no sensitive category: to patterns of behaviour, and to keeping for long.

use std::ops::ControlFlow;

use jiff::SignedDuration;
use lacuna_core::Consents;
use lacuna_core::gate::Question;
use lacuna_core::index::Filter;
use lacuna_core::keep::{CompactRequest, NewTurn};
use lacuna_core::permit::{Retain, Review};
use lacuna_core::vault::{Ground, HELD_DAYS, Speaker};
use lacuna_core::write::Outcome;
use lacuna_types::policy::{Preset, RetentionRules};

use super::*;

const HABIT: &str = "I always rehearse with the choir on Mondays.";
const TALK: [&str; 4] = [
    "The choir sings Fauré in the town hall.",
    "We decided to sing the Fauré without the organ.",
    HABIT,
    "The choir needs 3 more tenors for the Fauré.",
];
const PURPOSE: &str = "my assistants";

fn strict() -> Policy {
    Policy { pattern_consent: true, ..Policy::default() }
}

fn habit(text: &str) -> Draft {
    Draft { category: Some(Category::WorkPattern), ..draft(text) }
}

fn days(count: u32) -> SignedDuration {
    SignedDuration::from_hours(24 * i64::from(count))
}

fn outcome(lacuna: &Lacuna, draft: Draft) -> Outcome {
    lacuna.remember(&grant::<Remember>("anna"), vec![draft]).unwrap().remove(0)
}

/// Tells a conversation and condenses it; returns the texts of the patterns that are there afterwards, in any state.
fn patterns_of(world: &World, lacuna: &Lacuna, session: &str) -> Vec<String> {
    let session = SessionId::new(session).unwrap();
    let turns = TALK.iter().map(|text| NewTurn::new(Speaker::User, *text)).collect();
    lacuna.append_turns(&grant("anna"), &session, turns, None).unwrap();
    world.clock.advance(SignedDuration::from_mins(1));
    let request = CompactRequest { session: Some(session), before: Some(world.clock.now()), force: true };
    let done = lacuna.compact(&grant("anna"), &request, &mut |_| ControlFlow::Continue(())).unwrap();
    assert!(!done.summaries.is_empty(), "the conversation is condensed in any case");
    let filter = Filter { states: Lifecycle::ALL.to_vec(), ..Filter::default() };
    let page = lacuna.list(&grant::<Recall>("anna"), &filter, None, 500).unwrap();
    let patterns = page.memories.iter().filter(|memory| memory.facets.is_pattern());
    patterns.map(|memory| memory.content.gist.expose().to_owned()).collect()
}

#[test]
fn no_pattern_is_made_of_a_conversation_without_the_consent_that_the_policy_wants() {
    // A person's own installation needs none, an organisation's does.
    assert!(!Policy::default().pattern_consent && Policy::of(Preset::EnterpriseSafe).pattern_consent);
    let free = World::ram();
    assert_eq!(patterns_of(&free, &free.service(), "s1"), [HABIT]);

    let world = World::sqlite();
    let lacuna = world.service_under(strict());
    assert!(patterns_of(&world, &lacuna, "s1").is_empty());
    // Nothing that was said is lost by it.
    assert!(lacuna.texts("anna", "When do I rehearse with the choir?").join(" ").contains("on Mondays"));

    let consents = Consents::of(&lacuna);
    consents.give(&grant::<Retain>("anna"), ConsentTopic::Patterns, PURPOSE).unwrap();
    assert_eq!(patterns_of(&world, &lacuna, "s2"), [HABIT]);
    let revoked = consents.revoke(&grant::<Retain>("anna"), ConsentTopic::Patterns).unwrap();
    assert_eq!(revoked.kept.len(), 1);
    lacuna.erase("anna", revoked.kept[0]).unwrap();
    assert!(patterns_of(&world, &world.service_under(strict()), "s3").is_empty());
    lacuna.verified("anna");
}

#[test]
fn a_pattern_is_asked_about_once_held_sealed_and_released_by_the_consent() {
    let world = World::sqlite();
    let lacuna = world.service_under(strict());
    let Outcome::Asked(asked) = outcome(&lacuna, habit("Anna reviews reports on Monday mornings.")) else {
        panic!("it asks")
    };
    let held = asked.held.unwrap();
    assert_eq!(
        (&asked.questions[..], &held.topics[..]),
        (&[Question::Consent][..], &[ConsentTopic::Patterns][..])
    );
    // The next one waits beside it, without another question; other facts do not wait.
    let next = outcome(&lacuna, habit("Anna answers her mail after lunch.")).stored().unwrap();
    assert_eq!((next.state, next.waits), (Lifecycle::Candidate, Some(Wait::Consent)));
    lacuna.keep("anna", "Anna keeps bees on the roof.").unwrap();
    assert!(
        lacuna.texts("anna", "When does Anna review reports?").iter().all(|text| !text.contains("reports"))
    );
    let waiting = lacuna.candidates(&grant::<Review>("anna"), None, 10).unwrap().memories;
    assert!(waiting.len() == 2 && waiting.iter().all(|memory| [next.id, held.id].contains(&memory.id)));

    // A consent to something else releases nothing.
    let consents = Consents::of(&lacuna);
    let other = consents.give(&grant::<Retain>("anna"), ConsentTopic::Health, PURPOSE).unwrap();
    assert!(other.released.is_empty());
    let given = consents.give(&grant::<Retain>("anna"), ConsentTopic::Patterns, PURPOSE).unwrap();
    assert_eq!(given.released.len(), 2);
    let memory = world.service_under(strict()).get(&grant::<Recall>("anna"), held.id).unwrap();
    assert_eq!(memory.facets.privacy.basis, ConsentBasis::ExplicitConsent);
    let new = outcome(&lacuna, habit("Anna plans the week on Sundays.")).stored().unwrap();
    assert_eq!(new.state, Lifecycle::Active);

    assert_eq!(consents.revoke(&grant::<Retain>("anna"), ConsentTopic::Patterns).unwrap().kept.len(), 3);
    let after = outcome(&lacuna, habit("Anna walks to the office."));
    assert!(matches!(after, Outcome::Asked(_)), "asked again after it was taken back: {after:?}");
    world.clock.advance(days(HELD_DAYS) + SignedDuration::from_mins(1));
    lacuna.upkeep().sweep(&mut |_| ControlFlow::Continue(())).unwrap();
    assert!(lacuna.candidates(&grant::<Review>("anna"), None, 10).unwrap().memories.is_empty());
    lacuna.verified("anna");
}

#[test]
fn a_sensitive_pattern_needs_both_consents() {
    let world = World::ram();
    let lacuna = world.service_under(strict());
    let text = "I take metformin for my diabetes every morning.";
    let Outcome::Asked(asked) = outcome(&lacuna, habit(text)) else { panic!("it asks") };
    let held = asked.held.unwrap();
    assert_eq!(held.topics, [ConsentTopic::Health, ConsentTopic::Patterns]);
    let give = |topic| Consents::of(&lacuna).give(&grant::<Retain>("anna"), topic, PURPOSE).unwrap().released;
    assert!(give(ConsentTopic::Patterns).is_empty());
    assert_eq!(give(ConsentTopic::Health), [held.id]);
}

fn long_term() -> Policy {
    let retention = RetentionRules { long_term_consent: true, ..RetentionRules::default() };
    Policy { retention, ..Policy::default() }
}

/// Days from now until a memory expires.
fn left(world: &World, lacuna: &Lacuna, id: MemoryId) -> (Option<i64>, Ground) {
    let term = lacuna.term(&grant::<Recall>("anna"), id).unwrap();
    (term.expires_at.map(|at| at.duration_since(world.clock.now()).as_hours() / 24), term.ground)
}

#[test]
fn without_the_consent_facts_are_kept_for_a_season_and_with_it_until_they_are_forgotten() {
    let world = World::sqlite();
    let lacuna = world.service_under(long_term());
    let kept = lacuna.take("anna", draft("Anna keeps bees on the roof.")).unwrap();
    assert_eq!(kept.kept_because, Some("no consent to long-term keeping"));
    let season = (Some(120), Ground::LongTermConsent);
    assert_eq!(left(&world, &lacuna, kept.id), season);
    let consents = Consents::of(&lacuna);
    consents.give(&grant::<Retain>("anna"), ConsentTopic::LongTerm, PURPOSE).unwrap();
    assert_eq!(left(&world, &lacuna, kept.id), (None, Ground::Nothing));
    world.clock.advance(days(400));
    lacuna.upkeep().sweep(&mut |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(left(&world, &lacuna, kept.id), (None, Ground::Nothing));

    // A revocation gives the usual time from then on: nothing goes at once.
    let revoked = consents.revoke(&grant::<Retain>("anna"), ConsentTopic::LongTerm).unwrap();
    assert_eq!(revoked.kept, [kept.id]);
    assert_eq!(left(&world, &lacuna, kept.id), season);
    lacuna.upkeep().sweep(&mut |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(lacuna.texts("anna", "Where are the bees?").len(), 1);
    world.clock.advance(days(121));
    lacuna.upkeep().sweep(&mut |_| ControlFlow::Continue(())).unwrap();
    assert!(lacuna.texts("anna", "Where are the bees?").is_empty());
    lacuna.verified("anna");
}

#[test]
fn a_rule_that_comes_later_counts_from_then_and_spares_what_is_pinned_or_shared() {
    let world = World::sqlite();
    let before = world.service();
    let (bees, boat) =
        (before.keep("anna", "Anna keeps bees on the roof.").unwrap(), "Anna sails a red boat.");
    let pinned = before.take("anna", Draft { pinned: true, ..draft(boat) }).unwrap().id;
    world.clock.advance(days(400));
    drop(before);
    let lacuna = world.service_under(long_term());
    lacuna.upkeep().sweep(&mut |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(left(&world, &lacuna, bees), (None, Ground::Nothing), "until the rule is noted");
    lacuna.keep("anna", "The kettle is blue.").unwrap();
    lacuna.upkeep().sweep(&mut |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(left(&world, &lacuna, bees), (Some(120), Ground::LongTermConsent));
    assert_eq!(left(&world, &lacuna, pinned), (None, Ground::Pin));
    // The owner's own word on the tier is the owner's word.
    let forever = [(RetentionTier::LongTerm, lacuna_core::vault::Span::Forever)].into();
    let settings = lacuna_core::vault::Settings { tiers: forever, ..Default::default() };
    lacuna.set_retention(&grant::<Retain>("anna"), settings, 0).unwrap();
    assert_eq!(left(&world, &lacuna, bees), (None, Ground::Nothing));
}

//! The monthly review: what it counts, what it shows, and what an answer does.

use lacuna_core::govern::{Answer, Answered, Month, Part, Reason};
use lacuna_core::permit::{Retain, Review};
use lacuna_core::vault::{Cause, Settings, Span};

use super::retention::{days, swept};
use super::*;

fn month(lacuna: &Lacuna) -> Month {
    lacuna.review_month(&grant::<Review>("anna")).unwrap()
}

fn answer(lacuna: &Lacuna, answer: Answer) -> Answered {
    let seen = month(lacuna).mark;
    lacuna.answer_review(&grant::<Forget>("anna"), &seen, &answer).unwrap()
}

fn reasons(lacuna: &Lacuna) -> Vec<(Part, Reason, usize)> {
    month(lacuna).recommended.iter().map(|one| (one.part, one.reason, one.memories)).collect()
}

/// Two remarks of a conversation, two about health, one preference. All but the last have an end.
fn settle(world: &World) -> Lacuna {
    let lacuna = world.service();
    let turn = |text| Draft { category: Some(Category::Conversation), salience: Some(0.9), ..draft(text) };
    let health = |text| Draft {
        sensitivity: vec![Sensitivity::Health],
        consent_basis: Some(ConsentBasis::ExplicitConsent),
        privacy_class: Some(PrivacyClass::GuestPii),
        ..draft(text)
    };
    lacuna.take("anna", turn("We spoke about the ferry timetable.")).unwrap();
    lacuna.take("anna", turn("The lamp in the hall flickers.")).unwrap();
    lacuna.take("anna", health("I take vitamin D in winter.")).unwrap();
    lacuna.take("anna", health("My knee hurts when it rains.")).unwrap();
    let pinned = Draft { pinned: true, ..draft("Anna likes her tea without milk.") };
    lacuna.take("anna", pinned).unwrap();
    lacuna
}

const HEALTH: Part = Part::Category(Sensitivity::Health);

#[test]
fn it_counts_what_there_is_and_names_what_is_worth_a_decision() {
    let world = World::ram();
    let lacuna = settle(&world);
    let first = month(&lacuna);
    assert_eq!((first.memories, first.to_review, first.expiring_soon), (5, 0, 0));
    let health = first.parts.iter().find(|count| count.part == HEALTH).unwrap();
    assert_eq!(health.memories, 2);

    world.clock.advance(days(31));
    assert_eq!(reasons(&lacuna), [(HEALTH, Reason::Asked, 2)]);
    // Asking makes nothing vanish.
    assert_eq!(lacuna.texts("anna", "vitamin D winter").len(), 1);
    world.clock.advance(days(23));
    assert_eq!(month(&lacuna).expiring_soon, 2);
    world.clock.advance(days(7));
    assert_eq!(month(&lacuna).memories, 5, "what is over is there until the sweep");
    assert_eq!(swept(&lacuna), 2);
    assert_eq!(month(&lacuna).memories, 3);
}

#[test]
fn what_is_kept_begins_anew_and_what_is_erased_has_a_receipt() {
    let world = World::sqlite();
    let lacuna = settle(&world);
    world.clock.advance(days(35));
    let done = answer(&lacuna, Answer::KeepPart(HEALTH));
    assert_eq!((done.kept.len(), done.erased.len()), (2, 0));
    assert_eq!(month(&lacuna).to_review, 0);
    assert_eq!(month(&lacuna).reviewed_at, Some(world.clock.now()));
    world.clock.advance(days(31));
    let faded = (Part::Conversations, Reason::Faded, 2);
    assert_eq!(reasons(&lacuna), [(HEALTH, Reason::Asked, 2), faded]);
    let items = lacuna.review_items(&grant::<Review>("anna"), Some(HEALTH), None, 1).unwrap();
    let first = items.items[0].id;
    assert_eq!(items.next, Some(first));
    let done = answer(&lacuna, Answer::Erase(vec![first]));
    assert_eq!((done.erased.as_slice(), done.receipts.len()), ([first].as_slice(), 1));
    assert_eq!(done.receipts[0].receipt.cause, Cause::Request);
    let done = answer(&lacuna, Answer::ApplyDefaults);
    assert_eq!(done.erased.len(), 1);
    assert_eq!(reasons(&lacuna), [faded]);
    lacuna.verified("anna");
}

#[test]
fn an_answer_to_another_review_than_the_one_that_was_seen_does_nothing() {
    let world = World::ram();
    let lacuna = settle(&world);
    let before = month(&lacuna).mark;
    world.clock.advance(days(31));
    let erase = |seen: &str, answer| lacuna.answer_review(&grant::<Forget>("anna"), seen, &answer);
    let late = erase(&before, Answer::ErasePart(HEALTH)).unwrap_err();
    assert_eq!(late.code(), "plan_changed");
    let tea = lacuna.ask("anna", "tea milk").unwrap().hits[0].memory.id;
    let unasked = erase(&month(&lacuna).mark, Answer::Erase(vec![tea])).unwrap_err();
    assert_eq!(unasked.code(), "not_found");
    assert_eq!(month(&lacuna).memories, 5);
}

#[test]
fn what_its_owner_does_not_want_to_see_is_counted_and_not_shown() {
    let world = World::ram();
    let lacuna = settle(&world);
    let settings = Settings { hidden: vec![Sensitivity::Health], ..Settings::default() };
    lacuna.set_retention(&grant::<Retain>("anna"), settings, 0).unwrap();
    world.clock.advance(days(91));
    let items = lacuna.review_items(&grant::<Review>("anna"), None, None, 100).unwrap().items;
    // Health is over by now, and as good as gone; the conversations are asked about.
    assert!(items.iter().all(|item| item.memory.is_some() && item.reason == Reason::Asked));
    let world = World::ram();
    let lacuna = settle(&world);
    let settings = Settings { hidden: vec![Sensitivity::Health], ..Settings::default() };
    lacuna.set_retention(&grant::<Retain>("anna"), settings, 0).unwrap();
    world.clock.advance(days(31));
    let items = lacuna.review_items(&grant::<Review>("anna"), None, None, 100).unwrap().items;
    assert_eq!(items.len(), 2);
    assert!(items.iter().all(|item| item.memory.is_none() && item.parts == [HEALTH]));
}

#[test]
fn what_is_kept_longer_than_by_default_is_named() {
    let world = World::ram();
    let lacuna = settle(&world);
    let settings =
        Settings { categories: [(Sensitivity::Health, Span::Days(365))].into(), ..Settings::default() };
    lacuna.set_retention(&grant::<Retain>("anna"), settings, 0).unwrap();
    world.clock.advance(days(45));
    assert_eq!(reasons(&lacuna), [(HEALTH, Reason::BeyondDefault, 2)]);
    assert_eq!(answer(&lacuna, Answer::KeepAll).kept.len(), 2);
    assert_eq!(month(&lacuna).to_review, 0);
}

/// A memory that has faded, which the review names.
fn faded(world: &World, lacuna: &Lacuna) -> MemoryId {
    let faint = Draft {
        category: Some(Category::Conversation),
        salience: Some(0.1),
        ..draft("The bus stop has a new bench.")
    };
    let id = lacuna.take("anna", faint).unwrap().id;
    world.clock.advance(days(30));
    assert_eq!(reasons(lacuna), [(Part::Conversations, Reason::Faded, 1)]);
    id
}

#[test]
fn what_has_faded_can_be_set_aside() {
    let world = World::ram();
    let lacuna = world.service();
    let id = faded(&world, &lacuna);
    assert_eq!(answer(&lacuna, Answer::ArchiveFaded).archived, [id]);
    assert_eq!(lacuna.get(&grant::<Recall>("anna"), id).unwrap().state, Lifecycle::Archived);
    assert_eq!(month(&lacuna).to_review, 0);
}

/// Seed 002 § 03: a scheduled review brings a memory forward, and that rehearses it.
#[test]
fn a_review_brings_a_faded_memory_forward_and_keeping_it_rehearses_it() {
    let world = World::ram();
    let lacuna = world.service();
    let id = faded(&world, &lacuna);
    let strength = || lacuna.get(&grant::<Recall>("anna"), id).unwrap().facets.vitality;
    let before = strength().salience_at(world.clock.now());
    assert_eq!(answer(&lacuna, Answer::KeepAll).kept, [id]);
    assert_eq!((strength().rehearsals, strength().rehearsed_at), (1, world.clock.now()));
    assert!(strength().salience_at(world.clock.now()) > before);
}

#[test]
fn a_conversation_that_begins_is_told_once_a_month_that_a_review_waits() {
    let world = World::sqlite();
    let lacuna = settle(&world);
    let due = |lacuna: &Lacuna| lacuna.upkeep().review_due(&grant::<Review>("anna")).unwrap();
    assert_eq!(due(&lacuna), None, "nothing is old enough yet");
    world.clock.advance(days(31));
    for lacuna in [&lacuna, &world.service()] {
        assert_eq!(due(lacuna), Some(2), "every conversation of that day");
    }
    world.clock.advance(days(1));
    assert_eq!(due(&lacuna), None, "and none of the next days");
    world.clock.advance(days(30));
    assert!(due(&lacuna).is_some());
    answer(&lacuna, Answer::KeepAll);
    assert_eq!(due(&lacuna), None, "nor after the owner has answered");
    lacuna.verified("anna");
}

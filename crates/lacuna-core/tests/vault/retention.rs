//! How long memories are kept: stamped when they are stored, swept when they are over, kept when somebody says so.

use std::ops::ControlFlow;

use jiff::SignedDuration;
use lacuna_core::permit::Retain;
use lacuna_core::vault::{Cause, EntityRule, Ground, Settings, Span};
use lacuna_store::rows::{Batch, FaultTiming, SealedBody};
use lacuna_types::policy::{RetentionRules, Unanswered};

use super::*;

pub(crate) fn days(count: i64) -> SignedDuration {
    SignedDuration::from_hours(24 * count)
}

pub(crate) fn swept(lacuna: &Lacuna) -> u64 {
    lacuna.upkeep().sweep(&mut |_| ControlFlow::Continue(())).unwrap()
}

fn turn(text: &str) -> Draft {
    Draft { category: Some(Category::Conversation), ..draft(text) }
}

fn health(text: &str) -> Draft {
    Draft {
        sensitivity: vec![Sensitivity::Health],
        consent_basis: Some(ConsentBasis::ExplicitConsent),
        ..draft(text)
    }
}

fn made_of(text: &str, source: MemoryId) -> Draft {
    Draft {
        derived_from: vec![Lineage { source, contribution: Contribution::Primary }],
        content_type: Some(ContentType::Summary),
        ..draft(text)
    }
}

fn expiry(lacuna: &Lacuna, id: MemoryId) -> Option<Timestamp> {
    lacuna.get(&grant::<Recall>("anna"), id).unwrap().facets.retention.expires_at
}

fn receipts(lacuna: &Lacuna) -> Vec<(Cause, u32)> {
    let signed = lacuna.receipts(&grant::<ReadAudit>("anna"), 0).unwrap();
    signed.iter().map(|signed| (signed.receipt.cause, signed.receipt.counts.keys_destroyed)).collect()
}

#[test]
fn what_is_over_is_erased_with_a_receipt_and_the_rest_stays() {
    for world in [World::ram(), World::sqlite()] {
        let lacuna = world.service();
        let fact = lacuna.keep("anna", "Anna keeps bees on the roof.").unwrap();
        let said = lacuna.take("anna", turn("We talked about the roof garden.")).unwrap().id;
        let brief = Draft { retention: Some(RetentionTier::ShortTerm), ..turn("The plumber comes at nine.") };
        let brief = lacuna.take("anna", brief).unwrap().id;
        let start = world.clock.now();
        assert_eq!(expiry(&lacuna, fact), None);
        assert_eq!(expiry(&lacuna, said), Some(start + days(120)));
        assert_eq!(expiry(&lacuna, brief), Some(start + days(7)));

        assert_eq!(swept(&lacuna), 0);
        world.clock.advance(days(8));
        assert_eq!(swept(&lacuna), 1);
        assert!(lacuna.get(&grant::<Recall>("anna"), brief).is_err());
        world.clock.advance(days(113));
        assert_eq!(swept(&lacuna), 1);
        assert_eq!(swept(&lacuna), 0);
        assert_eq!(lacuna.texts("anna", "bees roof garden plumber"), ["Anna keeps bees on the roof."]);
        assert_eq!(receipts(&lacuna), [(Cause::Retention, 1), (Cause::Retention, 1)]);
        assert_eq!(world.store.tombstones(scope("anna").vault_id(), None).unwrap().len(), 2);
        lacuna.verified("anna");
    }
}

#[test]
fn what_was_made_of_an_expired_memory_lives_on() {
    let world = World::sqlite();
    let lacuna = world.service();
    let said = lacuna.take("anna", turn("The ferry to Hiiumaa leaves at seven.")).unwrap().id;
    let fact = lacuna.take("anna", made_of("The Hiiumaa ferry leaves at seven.", said)).unwrap().id;
    let deep = lacuna.take("anna", made_of("Ferries leave early on Hiiumaa.", fact)).unwrap().id;
    world.clock.advance(days(121));
    assert_eq!(swept(&lacuna), 1);
    drop(lacuna);
    // A process that has never seen the source opens what is left.
    let fresh = world.service();
    for id in [fact, deep] {
        let memory = fresh.get(&grant::<Recall>("anna"), id).unwrap();
        assert!(memory.facets.derived_from.iter().all(|link| link.source != said));
    }
    assert_eq!(fresh.count(&grant::<Recall>("anna")).unwrap(), (2, 0));
    // Forgetting still reaches what was made of what is left.
    fresh.erase("anna", fact).unwrap();
    assert!(fresh.get(&grant::<Recall>("anna"), deep).is_err());
}

#[test]
fn a_changed_column_erases_nothing() {
    let world = World::ram();
    let lacuna = world.service();
    let fact = lacuna.keep("anna", "The archive is in the cellar.").unwrap();
    let vault = scope("anna").vault_id();
    let mut row = world.store.rows(vault, &[fact]).unwrap().remove(0).unwrap();
    row.expires_at = Some(world.clock.now() - days(1));
    row.body = SealedBody::Unchanged;
    let expected = world.store.revision(vault).unwrap();
    let batch = Batch::new(scope("anna"), world.clock.now(), expected);
    world.store.commit(Batch { puts: vec![row], ..batch }).unwrap();
    lacuna.upkeep().accept_changes(&authenticity::admin()).unwrap();
    assert_eq!(swept(&lacuna), 0);
    assert!(world.store.rows(vault, &[fact]).unwrap()[0].is_some());
}

#[test]
fn a_frozen_vault_is_not_swept() {
    let world = World::ram();
    let lacuna = world.service();
    lacuna.take("anna", turn("A short-lived remark about the weather.")).unwrap();
    lacuna.freeze(&grant("anna")).unwrap();
    world.clock.advance(days(400));
    assert_eq!(swept(&lacuna), 0);
    lacuna.thaw(&grant("anna")).unwrap();
    assert_eq!(swept(&lacuna), 1);
}

#[test]
fn settings_are_previewed_confirmed_and_stamped() {
    let world = World::sqlite();
    let lacuna = world.service();
    let pill = lacuna.take("anna", health("I take iron tablets in winter.")).unwrap().id;
    let bee = lacuna.keep("anna", "Anna keeps bees on the roof.").unwrap();
    let kalle = lacuna.keep("anna", "Kalle lends me his ladder.").unwrap();
    world.clock.advance(days(10));
    let settings = Settings {
        max_days: Some(365),
        categories: [(Sensitivity::Health, Span::Days(7))].into(),
        entities: vec![EntityRule { name: "Kalle".into(), keep: Span::Forever }],
        ..Settings::default()
    };
    let preview = lacuna.preview_retention(&grant::<Retain>("anna"), &settings).unwrap();
    assert_eq!((preview.memories, preview.goes_now, preview.ids.as_slice()), (3, 1, [pill].as_slice()));
    assert_eq!((preview.shortened, preview.prolonged), (2, 0));
    assert_eq!(preview.categories[&Sensitivity::Health], 1);
    // Asking changes nothing, and whoever has not counted sets nothing.
    assert!(lacuna.retention(&grant("anna")).unwrap() == Settings::default());
    let refused = lacuna.set_retention(&grant("anna"), settings.clone(), 0).unwrap_err();
    assert_eq!(refused.code(), "needs_confirmation");
    assert!(lacuna.get(&grant::<Recall>("anna"), pill).is_ok());

    assert_eq!(lacuna.set_retention(&grant("anna"), settings.clone(), 1).unwrap(), preview);
    let fresh = world.service();
    assert!(fresh.retention(&grant("anna")).unwrap() == settings);
    assert_eq!(expiry(&fresh, bee), Some(world.clock.now() + days(355)));
    assert_eq!(expiry(&fresh, kalle), None);
    assert_eq!(fresh.term(&grant("anna"), kalle).unwrap().ground, Ground::Entity);
    assert_eq!(swept(&fresh), 1);
    // What comes later is stamped as it comes.
    let later = fresh.take("anna", health("I stopped taking iron tablets.")).unwrap().id;
    assert_eq!(expiry(&fresh, later), Some(world.clock.now() + days(7)));
    fresh.pin(&grant("anna"), &[later], true).unwrap();
    assert_eq!(expiry(&fresh, later), None);
    fresh.pin(&grant("anna"), &[later], false).unwrap();
    assert_eq!(expiry(&fresh, later), Some(world.clock.now() + days(7)));
    fresh.verified("anna");
}

#[test]
fn other_rules_of_the_tenant_reach_what_is_there() {
    let world = World::ram();
    let before = world.service();
    let said = before.take("anna", turn("We measured the attic.")).unwrap().id;
    drop(before);
    let rules = RetentionRules { unanswered: Unanswered::Keep, ..RetentionRules::default() };
    let after = world.service_under(Policy { retention: rules, ..Policy::default() });
    assert_eq!(after.upkeep().restamp(&scope("anna")).unwrap(), 1);
    assert_eq!(after.upkeep().restamp(&scope("anna")).unwrap(), 0);
    // Whoever does not answer keeps it, and still no longer than anything that happened is kept.
    assert_eq!(expiry(&after, said), Some(world.clock.now() + days(365)));
}

#[test]
fn what_is_written_again_is_kept_as_if_it_were_new() {
    let world = World::ram();
    let lacuna = world.service();
    let first = lacuna.take("anna", health("I am allergic to birch pollen.")).unwrap();
    world.clock.advance(days(40));
    let again = lacuna.take("anna", health("I am allergic to birch pollen.")).unwrap();
    assert_eq!((again.id, again.repeats), (first.id, 1));
    assert_eq!(expiry(&lacuna, first.id), Some(world.clock.now() + days(60)));
}

#[test]
fn nobody_else_sets_or_pins() {
    let world = World::ram();
    let lacuna = world.service();
    let id = lacuna.keep("anna", "The boat is called Lumi.").unwrap();
    assert_eq!(lacuna.pin(&grant("ben"), &[id], true).unwrap_err().code(), "not_found");
    let reader = Caller { roles: vec![Role::Reader, Role::Agent], ..caller("anna") };
    assert!(permit::<Retain>(&reader, &scope("anna")).is_err());
}

/// The sweep fails at every single step, before or after it took effect, as if the process had died; the next
/// process ends it: nothing that was to stay is lost, nothing that was to go is left.
#[test]
fn a_sweep_that_fails_at_any_step_loses_nothing_and_ends() {
    for when in [FaultTiming::Before, FaultTiming::After] {
        for n in 1.. {
            let world = World::ram();
            let (doomed, faults) = world.faulty();
            let said = doomed.take("anna", turn("The choir sings on Thursdays.")).unwrap().id;
            let fact = doomed.take("anna", made_of("Choir practice is on Thursdays.", said)).unwrap().id;
            doomed.take("anna", turn("Somebody brought cake to the choir.")).unwrap();
            world.clock.advance(days(121));

            faults.die(n, when);
            let done = doomed.upkeep().sweep(&mut |_| ControlFlow::Continue(()));
            let reached = faults.operations();
            drop(doomed);
            let reborn = world.service();
            reborn.upkeep().recover(&scope("anna")).unwrap();
            swept(&reborn);
            assert_eq!(swept(&reborn), 0);
            assert_eq!(reborn.count(&grant::<Recall>("anna")).unwrap(), (1, 0), "{when:?} {n}");
            assert!(reborn.get(&grant::<Recall>("anna"), fact).is_ok(), "{when:?} {n}");
            assert!(world.store.intents(scope("anna").vault_id()).unwrap().is_empty());
            let destroyed: u32 = receipts(&reborn).iter().map(|(_, keys)| keys).sum();
            assert_eq!(destroyed, 2, "{when:?} {n}: every erased memory is on one receipt");
            reborn.verified("anna");
            if done.is_ok() {
                assert!(reached > 20, "the sweep has many steps");
                break;
            }
            assert!(n < 500, "the sweep has a bounded number of steps");
        }
    }
}

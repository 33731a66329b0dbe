//! Legal holds: two operators place one, erasures wait for its end, and nothing goes meanwhile.

use jiff::SignedDuration;
use lacuna_core::LegalHolds;
use lacuna_core::forget::{Confirmed, Planned, Request};
use lacuna_core::govern::HoldRequest;
use lacuna_core::permit::{Destroy, ForgetPerson, Promote};
use lacuna_core::vault::{Cause, Hold, HoldReach, HoldReason};
use lacuna_store::keys::keys_by_memory;
use lacuna_types::request::{Mode, PlanChoice, Target, TimeSpan};
use zeroize::Zeroizing;

use super::retention::{days, swept};
use super::*;

fn operator(user: &str) -> Grant<ForgetPerson> {
    let caller = Caller::new(
        grant::<Recall>("anna").scope().org.clone(),
        UserId::new(user).unwrap(),
        vec![Role::Admin],
    );
    permit(&caller, &caller.org_scope()).unwrap()
}

fn request(reach: HoldReach) -> HoldRequest {
    HoldRequest { reason: HoldReason::LegalClaim, reach, days: 90, told: true }
}

fn on_annas() -> HoldReach {
    HoldReach::Vault(grant::<Recall>("anna").scope().vault_id())
}

/// Places a hold and has a second operator confirm it.
fn held(lacuna: &Lacuna, reach: HoldReach) -> Hold {
    let placed = LegalHolds::of(lacuna).place(&operator("olga"), request(reach)).unwrap();
    LegalHolds::of(lacuna).confirm(&operator("piet"), placed.number).unwrap()
}

fn forget_words(lacuna: &Lacuna, words: &str) -> lacuna_core::erase::Forgotten {
    let grant = grant::<Forget>("anna");
    let request = Request { mode: Some(Mode::Hard), ..Request::new(Target::Query(words.to_owned())) };
    let Planned::Plan(plan) = lacuna.plan_forget(&grant, &request).unwrap() else { panic!("no plan") };
    match lacuna.confirm_forget(&grant, &plan.token.unwrap(), &PlanChoice::All).unwrap() {
        Confirmed::Done(done) => *done,
        Confirmed::Again { .. } => panic!("asked again"),
    }
}

#[test]
fn a_hold_needs_two_operators_and_a_day() {
    let world = World::ram();
    let lacuna = world.service();
    let id = lacuna.keep("anna", "Anna signed the lease in March.").unwrap();
    let holds = LegalHolds::of(&lacuna);
    let placed = holds.place(&operator("olga"), request(on_annas())).unwrap();
    assert_eq!(holds.confirm(&operator("olga"), placed.number).err().unwrap().code(), "denied");
    // It does not stand yet: the person's erasure goes through.
    let spare = lacuna.keep("anna", "The spare key hangs in the boat house.").unwrap();
    assert!(lacuna.delete(&grant::<Forget>("anna"), spare).unwrap().deferred.is_none());
    holds.confirm(&operator("piet"), placed.number).unwrap();
    assert_eq!(lacuna.delete(&grant::<Forget>("anna"), id).unwrap().deferred.unwrap().memories, [id]);
    for days in [0, 1_096] {
        let refused = holds.place(&operator("olga"), HoldRequest { days, ..request(on_annas()) });
        assert_eq!(refused.err().unwrap().code(), "invalid");
    }
    let told = holds.told(&grant::<Recall>("anna")).unwrap();
    assert_eq!((told.len(), told[0].reason), (1, HoldReason::LegalClaim));
}

#[test]
fn an_erasure_under_a_hold_is_recorded_hidden_and_carried_out_at_its_end() {
    for world in [World::ram(), World::sqlite()] {
        let lacuna = world.service();
        let id = lacuna.keep("anna", "Anna sold the boat to Karl.").unwrap();
        let hold = held(&lacuna, on_annas());
        let done = forget_words(&lacuna, "boat Karl");
        let deferred = done.deferred.unwrap();
        assert_eq!(
            (deferred.memories.as_slice(), deferred.holds.as_slice()),
            (&[id][..], &[hold.reference()][..])
        );
        assert!(done.memories.is_empty() && done.receipts.is_empty());
        assert!(lacuna.get(&grant::<Recall>("anna"), id).is_err(), "it is hidden at once");
        // Neither the purge nor the sweep takes it while the hold stands.
        world.clock.advance(days(60));
        assert_eq!((lacuna.upkeep().purge().unwrap(), swept(&lacuna)), (0, 0));
        let vault = grant::<Recall>("anna").scope().vault_id();
        let has_key = || !keys_by_memory(&*world.keys, vault, Some(&[id])).unwrap().is_empty();
        assert!(has_key(), "its key is there");
        world.clock.advance(days(31));
        assert_eq!(lacuna.upkeep().purge().unwrap(), 1);
        assert!(!has_key());
        let receipts = lacuna.receipts(&grant::<ReadAudit>("anna"), 0).unwrap();
        assert_eq!(receipts.last().unwrap().receipt.cause, Cause::Deferred);
        assert!(receipts.last().unwrap().receipt.is_clean());
        assert_eq!(lacuna.upkeep().purge().unwrap(), 0, "once");
        lacuna.verify_audit(&grant::<ReadAudit>("anna")).unwrap();
    }
}

#[test]
fn a_hold_that_is_ended_early_lets_go_at_once_what_it_deferred() {
    let world = World::ram();
    let lacuna = world.service();
    let id = lacuna.keep("anna", "Anna sold the boat to Karl.").unwrap();
    let hold = held(&lacuna, on_annas());
    lacuna.delete(&grant::<Forget>("anna"), id).unwrap();
    assert_eq!(lacuna.upkeep().purge().unwrap(), 0);
    LegalHolds::of(&lacuna).end(&operator("olga"), hold.number).unwrap();
    world.clock.advance(SignedDuration::from_secs(1));
    assert_eq!(lacuna.upkeep().purge().unwrap(), 1);
    assert_eq!(
        LegalHolds::of(&lacuna).end(&operator("olga"), hold.number).err().unwrap().code(),
        "hold_ended"
    );
}

#[test]
fn a_hold_on_a_subject_or_a_time_keeps_those_memories_and_no_others() {
    let world = World::ram();
    let lacuna = world.service();
    let karl = lacuna.keep("anna", "Karl Lind bought the boat.").unwrap();
    let hens = lacuna.keep("anna", "The hens lay six eggs.").unwrap();
    let subject = held(&lacuna, HoldReach::Subject(Zeroizing::new("Karl Lind".to_owned())));
    assert!(lacuna.delete(&grant::<Forget>("anna"), karl).unwrap().deferred.is_some());
    assert!(lacuna.delete(&grant::<Forget>("anna"), hens).unwrap().deferred.is_none());
    LegalHolds::of(&lacuna).end(&operator("olga"), subject.number).unwrap();
    world.clock.advance(days(1));
    let from = world.clock.now();
    let later = lacuna.keep("anna", "The roof was mended on Friday.").unwrap();
    let vault = grant::<Recall>("anna").scope().vault_id();
    held(&lacuna, HoldReach::Range(vault, TimeSpan { from: Some(from), until: None }));
    assert!(lacuna.delete(&grant::<Forget>("anna"), later).unwrap().deferred.is_some());
    // The sealed subject is in no record.
    let holds = world
        .store
        .records(&grant::<Recall>("anna").scope().org, lacuna_store::rows::RecordKind::Hold, 0, 10)
        .unwrap();
    assert!(holds.iter().all(|record| !record.doc.windows(4).any(|bytes| bytes == b"Karl")));
}

#[test]
fn under_a_hold_a_vault_is_not_destroyed_a_memory_not_moved_and_a_newer_fact_takes_no_place() {
    let world = World::ram();
    let lacuna = world.service();
    let id = lacuna.keep("anna", "Anna sold the boat to Karl.").unwrap();
    held(&lacuna, on_annas());
    assert_eq!(lacuna.plan_destroy(&grant::<Destroy>("anna")).unwrap_err().code(), "held");
    let mut anna = grant::<Promote>("anna").caller().clone();
    anna.memberships = vec![Group::Team(TeamId::new("desk").unwrap())];
    let desk = Scope { org: anna.org.clone(), holder: Holder::Team(TeamId::new("desk").unwrap()) };
    let moved = lacuna.promote(&grant::<Promote>("anna"), id, &permit(&anna, &desk).unwrap(), None, false);
    assert!(moved.is_err());
    assert!(lacuna.get(&grant::<Recall>("anna"), id).is_ok());
    // What a newer fact would replace stays.
    let first = lacuna.keep("anna", "I live in Oslo.").unwrap();
    lacuna.keep("anna", "I live in Bergen.").unwrap();
    assert!(lacuna.get(&grant::<Recall>("anna"), first).is_ok());
}

//! What waits for somebody's word, and who may give it.

use jiff::SignedDuration;
use lacuna_core::Lacuna;
use lacuna_core::audit::AuditAction;
use lacuna_core::govern::{Decided, Decision};
use lacuna_core::permit::{Caller, Forget, Recall, Remember, Review, permit};
use lacuna_core::vault::MOVES_MAX;
use lacuna_types::Result;
use lacuna_types::policy::{Policy, Preset};
use lacuna_types::*;

use crate::{Calls, World, caller, draft, grant};

fn heard(text: &str) -> Draft {
    Draft { source: Some(Source::new(SourceType::AiInference, Trust::Low)), ..draft(text) }
}

fn decide(lacuna: &Lacuna, user: &str, id: MemoryId, decision: Decision) -> Result<Decided> {
    lacuna.decide(&grant::<Review>(user), vec![(id, decision)]).map(|mut decided| decided.remove(0))
}

fn accept() -> Decision {
    Decision::Accept { keep_both: false }
}

#[test]
fn what_waits_is_listed_with_its_text_then_accepted_edited_or_rejected() {
    let world = World::sqlite();
    let lacuna = world.service();
    let texts = ["The lantern is green.", "The kettle is blue.", "The gate is red."];
    let ids: Vec<_> = texts.iter().map(|text| lacuna.take("anna", heard(text)).unwrap().id).collect();
    let waiting = lacuna.candidates(&grant::<Review>("anna"), None, 2).unwrap();
    assert_eq!(waiting.memories.len(), 2);
    let rest = lacuna.candidates(&grant::<Review>("anna"), waiting.next, 2).unwrap();
    assert_eq!((rest.memories.len(), rest.next), (1, None));
    assert!(lacuna.texts("anna", "lantern kettle gate").is_empty());

    let decided = decide(&lacuna, "anna", ids[0], accept()).unwrap();
    assert_eq!(decided, Decided::Accepted { id: ids[0], state: Lifecycle::Active, supersedes: vec![] });
    let edited = decide(&lacuna, "anna", ids[1], Decision::Edit("The kettle is white.".into())).unwrap();
    assert!(matches!(edited, Decided::Edited { into, .. } if into.state == Lifecycle::Active));
    decide(&lacuna, "anna", ids[2], Decision::Reject).unwrap();

    for lacuna in [&lacuna, &world.service()] {
        let mut found = lacuna.texts("anna", "lantern kettle gate");
        found.sort();
        assert_eq!(found, ["The kettle is white.", "The lantern is green."]);
        assert!(lacuna.candidates(&grant::<Review>("anna"), None, 10).unwrap().memories.is_empty());
    }
    let vault = crate::scope("anna").vault_id();
    assert_eq!(world.store.rows(vault, &ids[1..]).unwrap(), [None, None]);
    for id in &ids {
        assert_eq!(decide(&lacuna, "anna", *id, accept()).unwrap_err().code(), "not_found");
    }
    lacuna.verified("anna");
}

#[test]
fn accepting_a_contradiction_settles_it_either_way() {
    for keep_both in [false, true] {
        let world = World::ram();
        let lacuna = world.service();
        let old = lacuna.keep("anna", "I live in Lisbon.").unwrap();
        let new = lacuna.take("anna", heard("I live in Oslo now.")).unwrap().id;
        let decided = decide(&lacuna, "anna", new, Decision::Accept { keep_both }).unwrap();
        let gone = if keep_both { vec![] } else { vec![old] };
        assert_eq!(decided, Decided::Accepted { id: new, state: Lifecycle::Active, supersedes: gone });
        assert_eq!(lacuna.get(&grant::<Recall>("anna"), old).is_ok(), keep_both);
    }
}

#[test]
fn what_is_approved_becomes_active_after_the_grace_period() {
    let world = World::sqlite();
    let policy = Policy { grace: SignedDuration::from_hours(24), ..Policy::default() };
    let lacuna = world.service_under(policy.clone());
    let written = lacuna.take("anna", draft("The lantern is green.")).unwrap();
    assert_eq!(written.state, Lifecycle::Approved);
    assert!(lacuna.texts("anna", "lantern").is_empty());
    world.clock.advance(SignedDuration::from_hours(23));
    assert!(lacuna.texts("anna", "lantern").is_empty());
    world.clock.advance(SignedDuration::from_hours(1));
    assert_eq!(lacuna.texts("anna", "lantern").len(), 1);
    let reopened = world.service_under(policy);
    assert_eq!(reopened.get(&grant::<Recall>("anna"), written.id).unwrap().state, Lifecycle::Active);
    let entries = lacuna.read_audit(&grant("anna"), 0).unwrap();
    let mut acts = entries.iter().filter(|(_, entry)| entry.action != AuditAction::MemoryRead);
    let (_, last) = acts.next_back().unwrap();
    assert_eq!((last.action, last.actor.as_str()), (AuditAction::MemoryActivate, "policy"));
}

#[test]
fn states_move_only_along_the_table_and_all_or_none() {
    let world = World::sqlite();
    let lacuna = world.service();
    let ids = [
        lacuna.keep("anna", "The lantern is green.").unwrap(),
        lacuna.keep("anna", "The gate is red.").unwrap(),
    ];
    let set = |ids: &[MemoryId], to| lacuna.set_state(&grant::<Forget>("anna"), ids, to);
    let state = |id| lacuna.get(&grant::<Recall>("anna"), id).map(|memory| memory.state);

    set(&ids[..1], Lifecycle::Deleted).unwrap();
    assert_eq!(state(ids[0]).unwrap_err().code(), "not_found");
    assert!(!lacuna.texts("anna", "lantern gate").contains(&"The lantern is green.".to_owned()));
    assert_eq!(set(&ids, Lifecycle::Archived).unwrap_err().code(), "transition_not_allowed");
    assert_eq!(state(ids[1]).unwrap(), Lifecycle::Active, "one that cannot move holds back the others");
    set(&ids[..1], Lifecycle::Active).unwrap();
    set(&ids, Lifecycle::Archived).unwrap();
    assert_eq!(set(&ids, Lifecycle::Active).unwrap_err().code(), "transition_not_allowed");
    assert_eq!(set(&[MemoryId::from_bytes([1; 16])], Lifecycle::Deleted).unwrap_err().code(), "not_found");
    assert_eq!(set(&vec![ids[0]; MOVES_MAX + 1], Lifecycle::Deleted).unwrap_err().code(), "invalid");

    let candidate = lacuna.take("anna", heard("The kettle is blue.")).unwrap().id;
    for &to in Lifecycle::ALL {
        assert_eq!(set(&[candidate], to).unwrap_err().code(), "transition_not_allowed", "{to}");
    }
    lacuna.verified("anna");
}

#[test]
fn in_a_shared_vault_another_than_the_writer_approves() {
    let world = World::ram();
    let lacuna = world.service_under(Policy::of(Preset::EnterpriseSafe));
    let team = Scope { org: caller("x").org, holder: Holder::from_words("team", "desk").unwrap() };
    let member = |name: &str, roles: &[Role]| Caller {
        roles: roles.to_vec(),
        memberships: vec![Group::from_words("team", "desk").unwrap()],
        ..caller(name)
    };
    let (bea, cem, boss) = (
        member("bea", &[Role::User]),
        member("cem", &[Role::User]),
        member("boss", &[Role::User, Role::Admin]),
    );
    let written = lacuna
        .remember(
            &permit::<Remember>(&bea, &team).unwrap(),
            vec![draft("The lantern key hangs at the desk.")],
        )
        .unwrap()
        .remove(0)
        .stored()
        .unwrap();
    assert_eq!((written.state, written.waits), (Lifecycle::Candidate, Some(Wait::Approval)));
    for clerk in [&bea, &cem] {
        let grant = permit::<Review>(clerk, &team).unwrap();
        assert_eq!(lacuna.decide(&grant, vec![(written.id, accept())]).unwrap_err().code(), "denied");
    }
    lacuna.decide(&permit::<Review>(&boss, &team).unwrap(), vec![(written.id, accept())]).unwrap();
    let read = permit::<Recall>(&cem, &team).unwrap();
    let memory = lacuna.get(&read, written.id).unwrap();
    assert_eq!(memory.facets.history.author, Some(bea.user.clone()));

    let by_other =
        lacuna.set_state(&permit::<Forget>(&cem, &team).unwrap(), &[written.id], Lifecycle::Deleted);
    assert_eq!(by_other.unwrap_err().code(), "transition_not_allowed");
    lacuna.set_state(&permit::<Forget>(&bea, &team).unwrap(), &[written.id], Lifecycle::Deleted).unwrap();
    let restore = |who: &Caller| {
        lacuna.set_state(&permit::<Forget>(who, &team).unwrap(), &[written.id], Lifecycle::Active)
    };
    assert_eq!(restore(&bea).unwrap_err().code(), "transition_not_allowed");
    restore(&boss).unwrap();
}

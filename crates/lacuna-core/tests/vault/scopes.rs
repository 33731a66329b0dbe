//! Vaults that people share: who may do what there, and how memories move between scopes.

use std::collections::BTreeSet;

use lacuna_core::audit::AuditAction;
use lacuna_core::forget::{Confirmed, Planned, Request};
use lacuna_core::permit::{ManageMembers, Promote};
use lacuna_core::transfer::Moved;
use lacuna_store::rows::{FaultTiming, Faults, FaultyStore};
use lacuna_types::Error;
use lacuna_types::request::{Mode, PlanChoice, Target};

use super::*;

fn acme() -> OrgId {
    OrgId::new("acme").unwrap()
}

fn user(name: &str) -> UserId {
    UserId::new(name).unwrap()
}

fn team(name: &str) -> Group {
    Group::Team(TeamId::new(name).unwrap())
}

fn team_scope(name: &str) -> Scope {
    Scope { org: acme(), holder: team(name).into() }
}

fn org_scope() -> Scope {
    Scope { org: acme(), holder: Holder::Org }
}

/// A user of acme with their memberships as the service knows them.
fn member(service: &Lacuna, name: &str, role: Role) -> Caller {
    service.members().caller_for(acme(), user(name), vec![role]).unwrap()
}

fn admin(service: &Lacuna) -> Caller {
    member(service, "boss", Role::Admin)
}

fn granted<A: Action>(caller: &Caller, scope: &Scope) -> Grant<A> {
    permit(caller, scope).unwrap()
}

/// Anna and ben are at the desk.
fn staffed(service: &Lacuna) {
    let manage = granted::<ManageMembers>(&admin(service), &org_scope());
    for name in ["anna", "ben"] {
        service.members().add(&manage, team("desk"), user(name)).unwrap();
    }
}

fn keep(service: &Lacuna, caller: &Caller, scope: &Scope, text: &str) -> MemoryId {
    service.remember(&granted(caller, scope), vec![draft(text)]).unwrap().remove(0).stored().unwrap().id
}

fn promote(service: &Lacuna, caller: &Caller, id: MemoryId, from: &Scope, to: &Scope) -> Result<Moved> {
    service.promote(&permit(caller, from)?, id, &permit(caller, to)?, Some("everybody asks for it"), false)
}

fn demote(service: &Lacuna, caller: &Caller, id: MemoryId, from: &Scope, to: Holder) -> Result<Moved> {
    service.demote(&permit(caller, from)?, id, to, None)
}

fn code<T>(answer: Result<T>) -> &'static str {
    answer.map_or_else(|error| error.code(), |_| "ok")
}

fn actions(world: &World, scope: &Scope) -> Vec<AuditAction> {
    let rows = world.store.audit(scope.vault_id(), 0).unwrap();
    rows.iter().map(|row| lacuna_core::audit::AuditEntry::decode(row).unwrap().action).collect()
}

#[test]
fn membership_opens_a_team_and_its_end_closes_it() {
    let world = World::sqlite();
    let service = world.service();
    let anna = || member(&service, "anna", Role::User);
    assert_eq!(code(permit::<Recall>(&anna(), &team_scope("desk"))), "not_found");
    staffed(&service);
    let id = keep(&service, &anna(), &team_scope("desk"), "The lift is out of order on Mondays.");
    let ben = member(&service, "ben", Role::Reader);
    let seen = service.get(&granted(&ben, &team_scope("desk")), id).unwrap();
    assert_eq!(seen.facets.history.author, Some(user("anna")));
    // Nobody's own vault names an author: it has only one.
    let own = keep(&service, &anna(), &scope("anna"), "My own note.");
    assert_eq!(service.get(&grant("anna"), own).unwrap().facets.history.author, None);

    let manage = granted::<ManageMembers>(&admin(&service), &org_scope());
    let listed = service.members().list(&manage, &team("desk"), None).unwrap();
    assert_eq!(listed.iter().map(|row| row.user.as_str()).collect::<Vec<_>>(), ["anna", "ben"]);
    service.members().remove(&manage, team("desk"), user("anna")).unwrap();
    assert_eq!(code(permit::<Recall>(&anna(), &team_scope("desk"))), "not_found");
    assert_eq!(code(service.members().remove(&manage, team("desk"), user("anna"))), "not_found");
    let expected = [AuditAction::MemberAdd, AuditAction::MemberAdd, AuditAction::MemberRemove];
    assert_eq!(actions(&world, &org_scope()), expected);
    service.verify_audit(&granted(&admin(&service), &org_scope())).unwrap();
}

#[test]
fn members_erase_their_own_writing_and_administrators_anybodys() {
    let world = World::ram();
    let service = world.service();
    staffed(&service);
    let desk = team_scope("desk");
    let (anna, ben) = (member(&service, "anna", Role::User), member(&service, "ben", Role::User));
    let ids: Vec<_> = (0..3).map(|n| keep(&service, &anna, &desk, &format!("note {n}"))).collect();
    assert_eq!(code(service.delete(&granted(&ben, &desk), ids[0])), "denied");
    assert_eq!(code(service.get(&granted(&ben, &desk), ids[0])), "ok");
    assert_eq!(code(service.delete(&granted(&anna, &desk), ids[0])), "ok");
    assert_eq!(code(service.delete(&granted(&ben, &desk), ids[0])), "not_found");
    assert_eq!(code(service.delete(&granted(&admin(&service), &desk), ids[1])), "ok");
    let agent = member(&service, "anna", Role::Agent);
    assert_eq!(code(permit::<Forget>(&agent, &desk)), "denied");
    assert_eq!(service.count(&granted(&agent, &desk)).unwrap(), (1, 0));
}

/// A request in a team takes what the caller wrote. What others wrote is counted and not shown, and the receipt does not
/// say that it is gone.
#[test]
fn forgetting_in_a_team_takes_ones_own_and_counts_the_rest() {
    let world = World::sqlite();
    let service = world.service();
    staffed(&service);
    let desk = team_scope("desk");
    let (anna, ben) = (member(&service, "anna", Role::User), member(&service, "ben", Role::User));
    let hers = keep(&service, &anna, &desk, "Tilda Voss keeps the spare key.");
    let his = keep(&service, &ben, &desk, "Tilda Voss called about the crane.");
    let other = keep(&service, &ben, &desk, "The lift is out of order on Mondays.");
    for words in ["forget everything about Tilda Voss", "forget Tilda Voss", "forget everything"] {
        let request = Request { mode: Some(Mode::Hard), ..Request::new(Target::Words(words.into())) };
        let Planned::Plan(plan) = service.plan_forget(&granted(&ben, &desk), &request).unwrap() else {
            panic!("the request is clear")
        };
        assert_eq!(plan.others, 1, "{words}");
        let shown = plan.matches.iter().chain(&plan.nearest).map(|found| found.memory.id);
        let shown: Vec<MemoryId> = shown.chain(plan.derived.iter().map(|fall| fall.memory.id)).collect();
        assert!(shown.contains(&his) && !shown.contains(&hers), "{words}");
        // Naming it by hand does not help either.
        let choice = PlanChoice::Only(vec![hers]);
        let named = service.confirm_forget(&granted(&ben, &desk), plan.token.as_ref().unwrap(), &choice);
        assert!(plan.confirmations == 2 || code(named) == "invalid", "{words}");
    }
    let request = Request::new(Target::Words("forget everything about Tilda Voss".into()));
    let request = Request { mode: Some(Mode::Hard), ..request };
    let forget = |caller: &Caller| {
        let Planned::Plan(plan) = service.plan_forget(&granted(caller, &desk), &request).unwrap() else {
            panic!("the request is clear")
        };
        let token = plan.token.unwrap();
        match service.confirm_forget(&granted(caller, &desk), &token, &PlanChoice::All).unwrap() {
            Confirmed::Done(done) => done,
            Confirmed::Again { .. } => panic!("one yes is enough"),
        }
    };
    let done = forget(&ben);
    assert_eq!(done.memories, [his]);
    assert!(!done.receipts[0].receipt.is_clean(), "what another wrote still says it");
    for id in [hers, other] {
        assert_eq!(code(service.get(&granted(&ben, &desk), id)), "ok");
    }
    let left = service.verify_forgotten(&granted(&ben, &desk), "Tilda Voss").unwrap();
    assert_eq!(left.direct, [hers]);

    // An administrator who is no member erases by id, and does not search.
    let boss = admin(&service);
    assert_ne!(code(service.plan_forget(&granted(&boss, &desk), &request)), "ok");
    assert_eq!(code(service.delete(&granted(&boss, &desk), hers)), "ok");
    let left = service.verify_forgotten(&granted(&ben, &desk), "Tilda Voss").unwrap();
    assert!(left.direct.is_empty());
    assert_eq!(code(service.get(&granted(&ben, &desk), other)), "ok");
}

#[test]
fn a_promoted_memory_is_in_the_wider_scope_alone_and_says_where_it_came_from() {
    let world = World::sqlite();
    let service = world.service();
    staffed(&service);
    let (anna, desk) = (member(&service, "anna", Role::User), team_scope("desk"));
    // One text fits its gist, one its row, and one becomes a blob.
    for text in ["Room nine is quiet.".to_owned(), "quiet room ".repeat(60), "quiet room ".repeat(880)] {
        let id = keep(&service, &anna, &scope("anna"), &text);
        let before = service.get(&grant("anna"), id).unwrap();
        world.clock.advance(jiff::SignedDuration::from_hours(5));
        let moved = promote(&service, &anna, id, &scope("anna"), &desk).unwrap();
        assert_ne!(moved.id, id);

        assert_eq!(code(service.get(&grant("anna"), id)), "not_found");
        assert!(service.texts("anna", "quiet room").is_empty());
        assert_eq!(world.store.rows(scope("anna").vault_id(), &[id]).unwrap(), vec![None]);
        for service in [&service, &world.service()] {
            let after = service.get(&granted(&anna, &desk), moved.id).unwrap();
            assert!(after.content == before.content);
            assert_eq!(
                (after.created_at, after.facets.history.author),
                (before.created_at, Some(user("anna")))
            );
            let promotion = after.facets.history.promotion.unwrap();
            let expected = Promotion {
                original_author: user("anna"),
                original_created_at: before.created_at,
                promoted_by: user("anna"),
                promoted_at: world.clock.now(),
                previous_scope: scope("anna").holder,
                current_scope: desk.holder.clone(),
                justification: Some("everybody asks for it".into()),
            };
            assert!(*promotion == expected);
            let found = service.recall(&granted(&anna, &desk), &Query::new("quiet room")).unwrap();
            assert!(found.hits.iter().any(|hit| hit.memory.id == moved.id));
        }
    }
    let left = actions(&world, &scope("anna"));
    assert_eq!(left.iter().filter(|action| **action == AuditAction::MemoryPromote).count(), 3);
    let came = actions(&world, &desk);
    assert_eq!(came, [AuditAction::MemoryPromote; 3]);
    for row in world.store.audit(desk.vault_id(), 0).unwrap() {
        let text = String::from_utf8_lossy(&row.entry).into_owned();
        assert!(!text.contains("asks"), "the justification stays out of the audit");
    }
    service.verified("anna");
}

#[test]
fn only_an_administrator_promotes_to_the_organisation_and_only_one_step_at_a_time() {
    let world = World::ram();
    let service = world.service();
    staffed(&service);
    let (anna, boss) = (member(&service, "anna", Role::User), admin(&service));
    let (own, desk, org) = (scope("anna"), team_scope("desk"), org_scope());
    let id = keep(&service, &anna, &own, "The pool opens at seven.");
    let agent = member(&service, "anna", Role::Agent);
    let both = Caller { roles: vec![Role::User, Role::Admin], ..anna.clone() };
    let refused = [
        (promote(&service, &anna, id, &own, &team_scope("kitchen")), "not_found"),
        (promote(&service, &anna, id, &own, &org), "denied"),
        (promote(&service, &both, id, &own, &org), "invalid"),
        (promote(&service, &both, id, &own, &own), "invalid"),
        (promote(&service, &agent, id, &own, &desk), "denied"),
        (promote(&service, &boss, id, &own, &org), "not_found"),
        (demote(&service, &both, id, &own, desk.holder.clone()), "invalid"),
        (promote(&service, &anna, MemoryId::from_bytes([7; 16]), &own, &desk), "not_found"),
    ];
    for (number, (answer, expected)) in refused.into_iter().enumerate() {
        assert_eq!(code(answer), expected, "case {number}");
    }
    let too_long = "x".repeat(JUSTIFICATION_CHARS_MAX + 1);
    let answer = service.promote(&granted(&anna, &own), id, &granted(&anna, &desk), Some(&too_long), false);
    assert!(matches!(answer, Err(Error::Invalid { field: "justification", .. })));
    assert_eq!(code(service.get(&grant("anna"), id)), "ok");

    let in_team = promote(&service, &anna, id, &own, &desk).unwrap();
    assert_eq!(code(promote(&service, &anna, in_team.id, &desk, &org)), "denied");
    let ben = member(&service, "ben", Role::User);
    assert_eq!(code(service.get(&granted(&ben, &org), in_team.id)), "not_found");
    let in_org = promote(&service, &boss, in_team.id, &desk, &org).unwrap();
    let seen = service.get(&granted(&ben, &org), in_org.id).unwrap();
    let promotion = seen.facets.history.promotion.unwrap();
    assert_eq!((&promotion.original_author, &promotion.promoted_by), (&user("anna"), &user("boss")));
    assert_eq!(code(service.get(&granted(&anna, &desk), in_team.id)), "not_found");
}

#[test]
fn demotion_makes_a_new_memory_and_archives_the_old() {
    let world = World::ram();
    let service = world.service();
    staffed(&service);
    let (anna, boss) = (member(&service, "anna", Role::User), admin(&service));
    let (own, desk, org) = (scope("anna"), team_scope("desk"), org_scope());
    let id = keep(&service, &anna, &own, "The chef leaves in May.");
    let in_team = promote(&service, &anna, id, &own, &desk).unwrap();
    let in_org = promote(&service, &boss, in_team.id, &desk, &org).unwrap();

    assert_eq!(code(permit::<Promote>(&anna, &org)), "denied");
    assert_eq!(code(demote(&service, &boss, in_org.id, &org, team("empty").into())), "not_found");
    assert_eq!(code(demote(&service, &boss, in_org.id, &org, own.holder.clone())), "invalid");
    let back = demote(&service, &boss, in_org.id, &org, desk.holder.clone()).unwrap();
    let old = service.get(&granted(&anna, &org), in_org.id).unwrap();
    assert_eq!(old.state, Lifecycle::Archived);
    assert!(old.facets.history.moving.is_none());
    let searched = service.recall(&granted(&anna, &org), &Query::new("chef in May")).unwrap();
    assert!(searched.hits.is_empty());
    let new = service.get(&granted(&anna, &desk), back.id).unwrap();
    assert_eq!((new.state, new.content.full_text().expose()), (Lifecycle::Active, "The chef leaves in May."));
    assert_eq!(code(demote(&service, &boss, in_org.id, &org, desk.holder.clone())), "invalid", "archived");

    // From the team back to its author, and to nobody else; the administrator does not see it there.
    let ben = scope("ben").holder;
    assert_eq!(code(demote(&service, &boss, back.id, &desk, ben)), "invalid");
    let home = demote(&service, &boss, back.id, &desk, own.holder.clone()).unwrap();
    assert_eq!(code(permit::<Recall>(&boss, &own)), "not_found");
    let mine = service.get(&grant("anna"), home.id).unwrap();
    assert_eq!(
        (mine.facets.history.author, mine.content.full_text().expose()),
        (None, "The chef leaves in May.")
    );
    assert!(actions(&world, &own).ends_with(&[AuditAction::MemoryDemote]));
    let expected = [AuditAction::MemoryPromote, AuditAction::MemoryDemote, AuditAction::MemoryMoveDone];
    assert!(actions(&world, &org).ends_with(&expected));
}

/// Every step of a move fails once, before or after it took effect, and so does everything after it, as if
/// the process had died. The next process finds the memory, and after its recovery in one place only.
#[test]
fn a_move_that_dies_at_any_step_loses_nothing_and_is_finished_by_the_next_process() {
    for demoting in [false, true] {
        for when in [FaultTiming::Before, FaultTiming::After] {
            for n in 1.. {
                assert!(n < 200, "a move has a bounded number of steps");
                if dies_at(n, when, demoting) {
                    break;
                }
            }
        }
    }
}

/// Answers whether the move ended before the failure came.
fn dies_at(n: u64, when: FaultTiming, demoting: bool) -> bool {
    let world = World::ram();
    let (doomed, faults) = world.faulty();
    staffed(&doomed);
    let (anna, boss) = (member(&doomed, "anna", Role::User), admin(&doomed));
    let (from, to) =
        if demoting { (org_scope(), team_scope("desk")) } else { (scope("anna"), team_scope("desk")) };
    let text = "word ".repeat(200);
    let writer = if demoting { &boss } else { &anna };
    let id = keep(&doomed, writer, &from, &text);

    faults.die(n, when);
    let answer = match demoting {
        true => demote(&doomed, &boss, id, &from, to.holder.clone()),
        false => promote(&doomed, &anna, id, &from, &to),
    };
    drop(doomed);

    let reborn = world.service();
    let read = |scope: &Scope| -> Vec<(MemoryId, String)> {
        let found = reborn.recall(&granted(&anna, scope), &Query::new("word")).unwrap();
        assert_eq!(found.damaged, 0, "{when:?} {n}");
        found
            .hits
            .into_iter()
            .map(|hit| (hit.memory.id, hit.memory.content.full_text().expose().to_owned()))
            .collect()
    };
    let at_once: Vec<_> = [read(&from), read(&to)].concat();
    assert!(!at_once.is_empty() && at_once.iter().all(|(_, found)| *found == text), "{when:?} {n}");
    // Later than a key would wait for its record.
    world.clock.advance(jiff::SignedDuration::from_hours(3));
    reborn.upkeep().recover(&from).unwrap();
    reborn.upkeep().recover(&to).unwrap();
    let places = (read(&from).len(), read(&to).len());
    assert!(places == (0, 1) || (places == (1, 0) && answer.is_err()), "{when:?} {n}: {places:?}");
    if let Ok(moved) = &answer {
        assert_eq!(read(&to)[0].0, moved.id);
    }
    if demoting && places == (0, 1) {
        let old = reborn.get(&granted(&anna, &from), id).unwrap();
        assert_eq!(old.state, Lifecycle::Archived);
        assert!(old.facets.history.moving.is_none());
    }
    let _ = reborn.verify_audit(&granted(&boss, &to)).unwrap();
    assert!(world.store.intents(from.vault_id()).unwrap().is_empty());
    answer.is_ok() && faults.operations() < n
}

#[test]
fn a_move_that_failed_once_is_answered_when_it_is_asked_for_again() {
    let mut finished_later = 0;
    for n in 1..80 {
        let world = World::ram();
        let faults = Faults::none();
        let store = Arc::new(FaultyStore::new(world.store.clone(), faults.clone()));
        let service = world.service_of(store, world.keys.clone(), Models::only(static_model()), usize::MAX);
        staffed(&service);
        let (anna, desk) = (member(&service, "anna", Role::User), team_scope("desk"));
        let id = keep(&service, &anna, &scope("anna"), "The pool opens at seven.");
        faults.fail(n, FaultTiming::After);
        let first = promote(&service, &anna, id, &scope("anna"), &desk);
        faults.heal();
        if first.is_err() {
            let again = promote(&service, &anna, id, &scope("anna"), &desk);
            finished_later += usize::from(again.is_ok());
            // Only when the memory had already left is there nothing to answer with.
            assert!(again.is_ok() || code(again) == "not_found", "{n}");
        }
        service.upkeep().recover(&scope("anna")).unwrap();
        assert_eq!(service.count(&granted(&anna, &desk)).unwrap(), (1, 0), "{n}");
        assert_eq!(service.count(&grant("anna")).unwrap(), (0, 0), "{n}");
    }
    assert!(finished_later > 5, "{finished_later}");
}

#[test]
fn what_the_team_erased_does_not_come_back_when_an_old_move_is_finished() {
    let mut erased_before_recovery = 0;
    for n in 1..80 {
        let world = World::ram();
        let faults = Faults::none();
        let store = Arc::new(FaultyStore::new(world.store.clone(), faults.clone()));
        let doomed = world.service_of(store, world.keys.clone(), Models::only(static_model()), usize::MAX);
        staffed(&doomed);
        let (anna, desk) = (member(&doomed, "anna", Role::User), team_scope("desk"));
        let id = keep(&doomed, &anna, &scope("anna"), "The pool opens at seven.");
        faults.die(n, FaultTiming::Before);
        let moved = promote(&doomed, &anna, id, &scope("anna"), &desk);
        drop(doomed);
        let reborn = world.service();
        let page = reborn.list(&granted(&anna, &desk), &Default::default(), None, 10).unwrap();
        for memory in &page.memories {
            reborn.delete(&granted(&anna, &desk), memory.id).unwrap();
        }
        reborn.upkeep().recover(&scope("anna")).unwrap();
        let left = (reborn.count(&grant("anna")).unwrap().0, reborn.count(&granted(&anna, &desk)).unwrap().0);
        if !page.memories.is_empty() {
            assert_eq!(left, (0, 0), "{n}");
            erased_before_recovery += usize::from(moved.is_err());
        }
    }
    assert!(erased_before_recovery > 0);
}

#[test]
fn moves_in_opposite_directions_do_not_wait_for_each_other() {
    let world = World::ram();
    let service = world.service();
    staffed(&service);
    let (anna, boss) = (member(&service, "anna", Role::User), admin(&service));
    let (own, desk) = (scope("anna"), team_scope("desk"));
    let ups: Vec<_> = (0..20).map(|n| keep(&service, &anna, &own, &format!("up {n}"))).collect();
    let downs: Vec<_> = (0..20).map(|n| keep(&service, &anna, &desk, &format!("down {n}"))).collect();
    std::thread::scope(|threads| {
        threads.spawn(|| ups.iter().for_each(|id| drop(promote(&service, &anna, *id, &own, &desk).unwrap())));
        threads.spawn(|| {
            let back = |id: &MemoryId| drop(demote(&service, &boss, *id, &desk, own.holder.clone()).unwrap());
            downs.iter().for_each(back);
        });
    });
    assert_eq!(service.count(&grant("anna")).unwrap(), (20, 0));
    // The promoted ones, and the demoted ones in the archive.
    assert_eq!(service.count(&granted(&anna, &desk)).unwrap(), (40, 0));
}

#[test]
fn the_store_of_many_nodes_moves_memories_as_well() {
    let Some((_database, world)) = World::postgres("scopes") else { return };
    let (here, there) = (world.service(), world.service());
    staffed(&here);
    let (anna, desk) = (member(&there, "anna", Role::User), team_scope("desk"));
    let id = keep(&there, &anna, &scope("anna"), "The pool opens at seven.");
    here.ask("anna", "pool").unwrap();
    let moved = promote(&there, &anna, id, &scope("anna"), &desk).unwrap();
    assert_eq!(code(here.get(&grant("anna"), id)), "not_found");
    assert_eq!(code(here.get(&granted(&anna, &desk), moved.id)), "ok");
}

/// A promoted memory waits where a direct write of the same person would, and can be sent back instead of being rejected.
#[test]
fn a_promoted_memory_waits_for_approval_where_a_direct_write_would() {
    let world = World::ram();
    let service = world.service_under(Policy::of(policy::Preset::EnterpriseSafe));
    staffed(&service);
    let (anna, desk) = (member(&service, "anna", Role::User), team_scope("desk"));
    let found =
        |question: &str| service.recall(&granted(&anna, &desk), &Query::new(question)).unwrap().hits.len();
    let direct = keep(&service, &anna, &desk, "The printer is on the second floor.");
    let own = keep(&service, &anna, &scope("anna"), "Room nine is quiet.");
    let moved = promote(&service, &anna, own, &scope("anna"), &desk).unwrap();
    assert_eq!(moved.state, Lifecycle::Candidate);
    assert_eq!((found("printer"), found("quiet room")), (0, 0));
    let review = granted::<lacuna_core::permit::Review>(&anna, &desk);
    let waiting = service.candidates(&review, None, 10).unwrap();
    let ids: BTreeSet<_> = waiting.memories.iter().map(|memory| memory.id).collect();
    assert_eq!(ids, BTreeSet::from([direct, moved.id]));

    // An administrator sends it back to its author, who lost nothing.
    let back = demote(&service, &admin(&service), moved.id, &desk, scope("anna").holder).unwrap();
    assert_eq!((back.state, service.texts("anna", "quiet room").len()), (Lifecycle::Active, 1));
    assert_eq!(found("quiet room"), 0);
    // Of an administrator's own move nobody asks for approval, as of their own write.
    let boss = Caller { roles: vec![Role::User, Role::Admin], ..anna.clone() };
    let moved = promote(&service, &boss, back.id, &scope("anna"), &desk).unwrap();
    assert_eq!((moved.state, found("quiet room")), (Lifecycle::Active, 1));
}

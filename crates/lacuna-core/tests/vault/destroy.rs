use jiff::SignedDuration;
use lacuna_core::govern::DestroyCounts;
use lacuna_core::permit::Destroy;
use lacuna_store::rows::{FaultTiming, RecordKind};

use super::*;

/// Too long for a row.
fn transcript() -> Draft {
    Draft {
        content_type: Some(ContentType::Transcript),
        category: Some(Category::Conversation),
        ..draft(&"We crossed in winter. ".repeat(1_000))
    }
}

fn org_chain(world: &World) -> u64 {
    let org = caller("anna").org_scope();
    world.store.vault(org.vault_id()).unwrap().map_or(0, |header| header.audit.seq)
}

fn confirmed(lacuna: &Lacuna, user: &str) -> Result<lacuna_core::govern::Destruction> {
    let plan = lacuna.plan_destroy(&grant::<Destroy>(user))?;
    lacuna.destroy(&grant::<Destroy>(user), &plan.token)
}

fn worlds(test: &str) -> (Option<Database>, Vec<World>) {
    let (database, postgres) = World::postgres(test).unzip();
    (database, [World::ram(), World::sqlite()].into_iter().chain(postgres).collect())
}

#[test]
fn everything_of_the_vault_goes_and_the_record_stays() {
    let (_database, worlds) = worlds("destroy");
    for world in worlds {
        let lacuna = world.service();
        let vault = scope("anna").vault_id();
        lacuna.keep("anna", "The harbour master is called Edda.").unwrap();
        lacuna.take("anna", transcript()).unwrap();
        lacuna.keep("bert", "Bert keeps bees.").unwrap();
        world.clock.advance(SignedDuration::from_secs(1));

        let done = confirmed(&lacuna, "anna").unwrap();
        assert_eq!((done.number, done.vault), (1, vault));
        assert_eq!(done.counts, DestroyCounts { records: 2, vectors: 2, blobs: 1, keys: 4 });
        assert!(done.done_at.is_some());
        assert_eq!(world.store.vault(vault).unwrap(), None);
        assert_eq!(world.keys.vault_keys(vault).unwrap(), None);
        assert_eq!(Blobs::open(world.folder.path().join("blobs")).unwrap().list(vault).unwrap(), vec![]);
        assert_eq!(lacuna.open_load().vaults, 2, "bert's and the organisation's");
        for service in [&lacuna, &world.service()] {
            assert!(service.texts("anna", "who is the harbour master?").is_empty());
            assert_eq!(service.texts("bert", "bees").len(), 1);
        }
        let book = world.store.records(&caller("anna").org, RecordKind::Destruction, 0, 9).unwrap();
        assert_eq!((book.len(), book[0].vault, book[0].done_at), (1, Some(vault), done.done_at));
        assert_eq!(org_chain(&world), 2);
        assert!(!book[0].doc.windows(4).any(|part| part == b"anna"));

        lacuna.keep("anna", "A new beginning.").unwrap();
        for service in [&lacuna, &world.service()] {
            assert_eq!(service.texts("anna", "beginning"), vec!["A new beginning."]);
            assert_eq!(service.count(&grant::<Recall>("anna")).unwrap(), (1, 0));
        }
        assert_eq!(lacuna.upkeep().recover_destructions().unwrap(), 0);
    }
}

#[test]
fn a_token_is_good_for_one_caller_one_vault_and_what_was_in_it() {
    let world = World::ram();
    let lacuna = world.service();
    assert_eq!(lacuna.plan_destroy(&grant::<Destroy>("anna")).unwrap_err().code(), "not_found");
    lacuna.keep("anna", "The ladder is in the barn.").unwrap();
    lacuna.keep("bert", "The barn is locked.").unwrap();
    let plan = lacuna.plan_destroy(&grant::<Destroy>("anna")).unwrap();
    assert_eq!((plan.memories, plan.blobs), (1, 0));
    let refused = |user: &str, token: &str| {
        lacuna.destroy(&grant::<Destroy>(user), token).expect_err("must be refused").code()
    };
    assert_eq!(refused("bert", &plan.token), "invalid");
    for at in 4..plan.token.len() {
        let mut forged = plan.token.clone().into_bytes();
        forged[at] = if forged[at] == b'0' { b'1' } else { b'0' };
        assert_eq!(refused("anna", str::from_utf8(&forged).unwrap()), "invalid");
    }
    for token in ["", "dst_", "dst_00", "cfm_00"] {
        assert_eq!(refused("anna", token), "invalid");
    }
    // Reading does not void it; one more memory does.
    lacuna.texts("anna", "ladder");
    lacuna.upkeep().flush_reads().unwrap();
    let later = lacuna.plan_destroy(&grant::<Destroy>("anna")).unwrap();
    lacuna.keep("anna", "The ladder is broken.").unwrap();
    assert_eq!(refused("anna", &later.token), "invalid");
    let late = lacuna.plan_destroy(&grant::<Destroy>("anna")).unwrap();
    world.clock.advance(SignedDuration::from_mins(15));
    assert_eq!(refused("anna", &late.token), "invalid");
    assert_eq!(lacuna.count(&grant::<Recall>("anna")).unwrap(), (2, 0));

    confirmed(&lacuna, "anna").unwrap();
    assert_eq!(refused("anna", &late.token), "not_found");
    let org = permit::<Destroy>(&caller("anna"), &caller("anna").org_scope());
    assert_eq!(org.err().unwrap().code(), "not_found");
}

#[test]
fn a_destruction_that_was_begun_is_ended_by_the_next_process() {
    let mut interrupted = 0;
    for n in 1.. {
        for when in [FaultTiming::Before, FaultTiming::After] {
            let world = World::ram();
            world.service().keep("anna", "The ferry leaves at seven.").unwrap();
            world.clock.advance(SignedDuration::from_secs(1));
            let (dying, faults) = world.faulty();
            let plan = dying.plan_destroy(&grant::<Destroy>("anna")).unwrap();
            faults.die(n, when);
            let died = dying.destroy(&grant::<Destroy>("anna"), &plan.token).is_err();
            if !died {
                assert!(interrupted > 4, "{interrupted}");
                return;
            }
            let announced =
                world.store.last_record(&caller("anna").org, RecordKind::Destruction).unwrap() > 0;
            let next = world.service();
            next.upkeep().recover_destructions().unwrap();
            assert_eq!(
                next.texts("anna", "when does the ferry leave?").is_empty(),
                announced,
                "{n} {when:?}"
            );
            if announced {
                interrupted += 1;
                assert_eq!(world.keys.vault_keys(scope("anna").vault_id()).unwrap(), None);
                assert_eq!(org_chain(&world), 2);
                next.keep("anna", "The ferry is sold.").unwrap();
                assert_eq!(next.upkeep().recover_destructions().unwrap(), 0);
                assert_eq!(world.service().texts("anna", "ferry"), vec!["The ferry is sold."]);
            }
        }
    }
}

#[test]
fn a_vault_that_began_anew_before_the_record_was_closed_is_left_alone() {
    let world = World::ram();
    world.service().keep("anna", "The ferry leaves at seven.").unwrap();
    let (dying, faults) = world.faulty();
    let plan = dying.plan_destroy(&grant::<Destroy>("anna")).unwrap();
    world.clock.advance(SignedDuration::from_secs(1));
    for n in 1.. {
        faults.die(n, FaultTiming::Before);
        assert!(dying.destroy(&grant::<Destroy>("anna"), &plan.token).is_err());
        faults.heal();
        if world.keys.vault_keys(scope("anna").vault_id()).unwrap().is_none() {
            break;
        }
    }
    // The keys are gone and the rows are not; somebody writes before anybody has cleared up.
    let next = world.service();
    next.keep("anna", "The ferry is sold.").unwrap();
    assert!(next.upkeep().recover_destructions().unwrap() > 0);
    assert_eq!(next.texts("anna", "ferry"), vec!["The ferry is sold."]);
    assert_eq!(world.service().texts("anna", "ferry"), vec!["The ferry is sold."]);
}

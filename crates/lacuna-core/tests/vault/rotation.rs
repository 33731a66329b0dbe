//! Rotation of an organisation's master key, under load and with its edges.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use lacuna_core::Custodian;
use lacuna_core::govern::{Job, Ran, Schedule};
use lacuna_core::permit::ManageKeys;

use lacuna_store::rows::FaultTiming;

use super::*;

const USERS: [&str; 4] = ["anna", "bert", "carl", "dora"];
const FACT: &str = "The spare key is under the third stone.";

fn admin_of(org: &str) -> Grant<ManageKeys> {
    let caller = Caller::new(OrgId::new(org).unwrap(), UserId::new("boss").unwrap(), vec![Role::Admin]);
    permit(&caller, &caller.org_scope()).unwrap()
}

/// The names of the key files of a world.
fn key_files(world: &World) -> Vec<String> {
    let files = std::fs::read_dir(world.folder.path().join("keys")).unwrap();
    let mut names: Vec<_> = files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    names.retain(|name| name.ends_with(".key"));
    names.sort();
    names
}

fn versions(world: &World) -> Vec<u32> {
    let version =
        |name: &String| name.strip_prefix("master-")?.strip_suffix(".key")?.rsplit('-').next()?.parse().ok();
    key_files(world).iter().filter_map(version).collect()
}

#[test]
fn a_rotated_key_opens_everything_and_the_old_one_is_gone() {
    let world = World::sqlite();
    let lacuna = world.service();
    let ids: Vec<_> = USERS.iter().map(|user| lacuna.keep(user, FACT).unwrap()).collect();
    let before = lacuna.verified("anna");
    let rotation = Custodian::of(&lacuna).rotate(&admin_of("acme"), |_| {}).unwrap();
    // The organisation's own vault, which records the act, is born under the new version.
    assert_eq!((rotation.version, rotation.vaults, rotation.destroyed), (2, 4, 1));
    assert!(rotation.skipped.is_empty() && rotation.kept.is_empty());
    assert_eq!(versions(&world), [2]);
    let again = Custodian::of(&lacuna).rotate(&admin_of("acme"), |_| {}).unwrap();
    assert_eq!((again.version, again.vaults, again.destroyed), (3, 5, 1));

    for service in [&lacuna, &world.service()] {
        for user in USERS {
            assert_eq!(service.texts(user, "where is the spare key?"), [FACT]);
        }
        // Rows of both versions, a class that is new, and an erasure, under codes of the first master key.
        service.keep("anna", "The ferry leaves at noon.").unwrap();
        assert!(service.verified("anna") > before);
    }
    let service = world.service();
    service.erase("anna", ids[0]).unwrap();
    assert!(world.service().texts("anna", "spare key").is_empty());
    let status = Custodian::of(&service).status(&admin_of("acme")).unwrap();
    assert_eq!((status[0].version, status[0].versions.as_slice(), status[0].outdated), (3, &[3][..], 0));
}

#[test]
fn another_organisations_key_stays() {
    let world = World::ram();
    let lacuna = world.service();
    lacuna.keep("anna", FACT).unwrap();
    let other = Caller::new(OrgId::new("other").unwrap(), UserId::new("olga").unwrap(), vec![Role::User]);
    let grant = permit::<Remember>(&other, &other.personal_scope()).unwrap();
    lacuna.remember(&grant, vec![draft("The boat is blue.")]).unwrap();
    Custodian::of(&lacuna).rotate(&admin_of("acme"), |_| {}).unwrap();
    let status = Custodian::of(&lacuna).status(&admin_of("acme")).unwrap();
    let found: Vec<_> = status.iter().map(|one| (one.org.as_str(), one.version)).collect();
    assert_eq!(found, [("acme", 2), ("other", 1)]);
}

/// Ends the load however the operator's work ends.
struct EndOfLoad<'a>(&'a AtomicBool);

impl Drop for EndOfLoad<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Three nodes over the same stores, all of them busy, while the key is rotated three times and the epoch once.
fn busy_rotation(world: &World) {
    let nodes: Vec<Lacuna> = (0..3).map(|_| world.service()).collect();
    for user in USERS {
        nodes[0].keep(user, FACT).unwrap();
    }
    let (done, served) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|threads| {
        let _end = EndOfLoad(&done);
        for (number, node) in nodes.iter().enumerate() {
            let (done, served) = (&done, &served);
            threads.spawn(move || {
                let mut round = 0;
                while !done.load(Ordering::Relaxed) {
                    let user = USERS[(round + number) % USERS.len()];
                    assert!(!node.texts(user, "where is the spare key?").is_empty());
                    node.keep(user, &format!("Node {number} was here in round {round}.")).unwrap();
                    // A vault that is new, and one that must be opened anew.
                    node.keep(&format!("guest{number}x{round}"), FACT).unwrap();
                    node.upkeep().close_all();
                    served.fetch_add(1, Ordering::Relaxed);
                    round += 1;
                }
            });
        }
        let operator = world.service();
        for version in 2..5 {
            let rotation = Custodian::of(&operator).rotate(&admin_of("acme"), |_| {}).unwrap();
            assert_eq!((rotation.version, rotation.skipped.as_slice()), (version, &[][..]));
        }
        operator.renew_epoch(&admin_of("acme"), |_| {}).unwrap();
    });
    assert!(served.load(Ordering::Relaxed) > 0);
    // A vault whose first memory was on its way kept an old version until now.
    let node = world.service();
    node.upkeep().run_job(Job::Rotate, "here", true, &Schedule::default(), &|| false).unwrap();
    assert_eq!(versions(world), [4]);
    for user in USERS {
        assert!(world.service().texts(user, "where is the spare key?").contains(&FACT.to_owned()));
    }
}

#[test]
fn three_busy_nodes_over_sqlite_fail_nothing_while_keys_rotate() {
    busy_rotation(&World::sqlite());
}

#[test]
fn three_busy_nodes_over_postgres_fail_nothing_while_keys_rotate() {
    if let Some((_database, world)) = World::postgres("busy_rotation") {
        busy_rotation(&world);
    }
}

#[test]
fn a_vault_is_wrapped_anew_when_it_is_opened_and_the_job_ends_the_rotation() {
    let world = World::sqlite();
    for user in USERS {
        world.service().keep(user, FACT).unwrap();
    }
    // Wherever the rotation is interrupted, both versions work, and the rest is done by use and by the job.
    let (operator, faults) = world.faulty();
    let mut interrupted = 0;
    for nth in (1..200).step_by(3) {
        faults.die(nth, FaultTiming::Before);
        let rotated = Custodian::of(&operator).rotate(&admin_of("acme"), |_| {});
        faults.heal();
        match rotated {
            Ok(_) => break,
            Err(_) => interrupted += 1,
        }
        let node = world.service();
        assert_eq!(node.texts("anna", "where is the spare key?"), [FACT]);
        assert_eq!(node.texts("bert", "where is the spare key?"), [FACT]);
    }
    assert!(interrupted > 3, "{interrupted}");
    let node = world.service();
    let ran = node.upkeep().run_job(Job::Rotate, "here", true, &Schedule::default(), &|| false).unwrap();
    assert!(matches!(ran, Ran::Done(_)), "{ran:?}");
    assert_eq!(versions(&world).len(), 1);
    for user in USERS {
        assert_eq!(world.service().texts(user, "where is the spare key?"), [FACT]);
    }
}

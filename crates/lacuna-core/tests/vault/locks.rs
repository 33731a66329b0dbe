//! A vault under a passphrase of its person: without it nobody opens the vault, and whatever needs no text goes on.

use jiff::SignedDuration;
use lacuna_core::govern::{Job, LockState, Ran, Schedule, UNLOCKED_DEFAULT, UNLOCKED_MAX, VaultSecret};
use lacuna_core::permit::{Destroy, ForgetPerson, LockVault, ManageKeys, ManageUsers};
use lacuna_core::vault::{TRIES_PAUSE_FIRST, WRONG_TRIES_MAX};
use lacuna_core::{Custodian, ManagedMemories, Users, VaultLocks};
use lacuna_seal::{EpochKey, Field, MasterKey, PassphraseCost, Principal, SealContext};
use lacuna_store::keys::{KeyBatch, VaultKeys};

use super::managed::with;
use super::*;

const PASSPHRASE: &str = "five tall ships in a row";
const OTHER: &str = "seven small boats ashore";
const FACT: &str = "The spare key is under the third stone.";

/// A service whose guesses at passphrases cost little.
fn node(world: &World) -> Lacuna {
    VaultLocks::stretching(world.service(), PassphraseCost::LEAST)
}

fn anna() -> Grant<LockVault> {
    grant("anna")
}

fn admin<A: Action>() -> Grant<A> {
    let caller = Caller { roles: vec![Role::Admin], ..caller("boss") };
    permit(&caller, &caller.org_scope()).unwrap()
}

fn protect(lacuna: &Lacuna) -> String {
    VaultLocks::of(lacuna).protect(&anna(), PASSPHRASE).unwrap().to_string()
}

fn unlock(lacuna: &Lacuna, passphrase: &str) -> Result<Timestamp> {
    VaultLocks::of(lacuna).unlock(&anna(), passphrase, None)
}

#[track_caller]
fn assert_locked(lacuna: &Lacuna) {
    let asked = lacuna.ask("anna", "where is the spare key?");
    assert_eq!(asked.err().map(|error| error.code()), Some("vault_locked"));
}

fn found(lacuna: &Lacuna) -> Vec<String> {
    lacuna.texts("anna", "where is the spare key?")
}

/// A world of each kind; the one with PostgreSQL, where there is a server, lasts as long as its database.
fn worlds(test: &str) -> (Option<Database>, Vec<World>) {
    let (database, postgres) = World::postgres(test).unzip();
    (database, [World::ram(), World::sqlite()].into_iter().chain(postgres).collect())
}

#[test]
fn a_protected_vault_opens_with_its_passphrase_and_for_its_time_only() {
    let (_database, worlds) = worlds("locks_open");
    for world in worlds {
        let lacuna = node(&world);
        lacuna.keep("anna", FACT).unwrap();
        lacuna.keep("bert", FACT).unwrap();
        let locks = VaultLocks::of(&lacuna);
        assert_eq!(locks.state(&anna()).unwrap(), LockState { is_protected: false, unlocked_until: None });
        let code = protect(&lacuna);
        assert_eq!(code.len(), 29, "{code}");
        // It is locked from this moment on, here and after a restart; others are not.
        assert_locked(&lacuna);
        assert_locked(&node(&world));
        assert_eq!(lacuna.keep("anna", "A second thing.").err().unwrap().code(), "vault_locked");
        assert_eq!(lacuna.texts("bert", "where is the spare key?"), [FACT]);
        assert_eq!(locks.protect(&anna(), OTHER).err().unwrap().code(), "already_protected");

        let until = unlock(&lacuna, PASSPHRASE).unwrap();
        assert_eq!(until, world.clock.now() + UNLOCKED_DEFAULT);
        assert_eq!(found(&lacuna), [FACT]);
        lacuna.keep("anna", "The ferry sails at noon.").unwrap();
        assert_locked(&node(&world));

        world.clock.advance(UNLOCKED_DEFAULT - SignedDuration::from_secs(1));
        assert_eq!(found(&lacuna), [FACT]);
        world.clock.advance(SignedDuration::from_secs(1));
        assert_locked(&lacuna);
        assert_eq!(locks.state(&anna()).unwrap(), LockState { is_protected: true, unlocked_until: None });

        unlock(&lacuna, PASSPHRASE).unwrap();
        assert!(locks.lock(&anna()).unwrap() && !locks.lock(&anna()).unwrap());
        assert_locked(&lacuna);
        for minutes in [0, UNLOCKED_MAX.as_mins() + 1] {
            let lasts = Some(SignedDuration::from_mins(minutes));
            assert_eq!(locks.unlock(&anna(), PASSPHRASE, lasts).err().unwrap().code(), "invalid");
        }
    }
}

#[test]
fn the_recovery_code_makes_a_new_passphrase_and_every_change_a_new_code() {
    let (_database, worlds) = worlds("locks_code");
    for world in worlds {
        let lacuna = node(&world);
        lacuna.keep("anna", FACT).unwrap();
        let first = protect(&lacuna);
        let locks = VaultLocks::of(&lacuna);
        let spoken = first.to_lowercase().replace('-', " ");
        let second = locks.change(&anna(), &VaultSecret::RecoveryCode(&spoken), OTHER).unwrap();
        assert_ne!(*second, first);
        assert_eq!(unlock(&lacuna, PASSPHRASE).err().unwrap().code(), "wrong_secret");
        unlock(&lacuna, OTHER).unwrap();
        assert_eq!(found(&lacuna), [FACT]);
        let used = locks.change(&anna(), &VaultSecret::RecoveryCode(&first), PASSPHRASE);
        assert_eq!(used.err().unwrap().code(), "wrong_secret");
        let third = locks.change(&anna(), &VaultSecret::Passphrase(OTHER), PASSPHRASE).unwrap();
        assert_ne!(*third, *second);
        assert_locked(&lacuna);
        // Turning it off needs the secret as well.
        let wrong = locks.unprotect(&anna(), &VaultSecret::Passphrase(OTHER));
        assert_eq!(wrong.err().unwrap().code(), "wrong_secret");
        locks.unprotect(&anna(), &VaultSecret::RecoveryCode(&third)).unwrap();
        assert_eq!((found(&lacuna), found(&node(&world))), (vec![FACT.to_owned()], vec![FACT.to_owned()]));
        assert_eq!(unlock(&lacuna, PASSPHRASE).err().unwrap().code(), "not_protected");
    }
}

#[test]
fn another_node_that_has_the_vault_open_follows_at_once() {
    let (_database, worlds) = worlds("locks_nodes");
    for world in worlds {
        let (first, second) = (node(&world), node(&world));
        first.keep("anna", FACT).unwrap();
        assert_eq!((found(&first), found(&second)), (vec![FACT.to_owned()], vec![FACT.to_owned()]));
        protect(&first);
        assert_locked(&second);
        // Each node is unlocked by itself.
        unlock(&second, PASSPHRASE).unwrap();
        assert_eq!(found(&second), [FACT]);
        assert_locked(&first);
        // A change of the passphrase on one node locks all of them.
        VaultLocks::of(&first).change(&anna(), &VaultSecret::Passphrase(PASSPHRASE), OTHER).unwrap();
        assert_locked(&second);
        unlock(&second, OTHER).unwrap();
        VaultLocks::of(&first).unprotect(&anna(), &VaultSecret::Passphrase(OTHER)).unwrap();
        assert_eq!((found(&first), found(&second)), (vec![FACT.to_owned()], vec![FACT.to_owned()]));
    }
}

#[test]
fn wrong_tries_are_counted_paused_and_recorded_without_content() {
    let world = World::ram();
    let lacuna = node(&world);
    lacuna.keep("anna", FACT).unwrap();
    protect(&lacuna);
    for _ in 0..WRONG_TRIES_MAX {
        assert_eq!(unlock(&lacuna, "a wrong passphrase").err().unwrap().code(), "wrong_secret");
    }
    // Even the right one waits, so that nobody learns by the answer which one it was.
    assert_eq!(unlock(&lacuna, PASSPHRASE).err().unwrap().code(), "too_many_tries");
    world.clock.advance(TRIES_PAUSE_FIRST);
    assert_eq!(unlock(&lacuna, "a wrong passphrase").err().unwrap().code(), "wrong_secret");
    world.clock.advance(TRIES_PAUSE_FIRST);
    assert_eq!(unlock(&lacuna, PASSPHRASE).err().unwrap().code(), "too_many_tries");
    world.clock.advance(TRIES_PAUSE_FIRST);
    unlock(&lacuna, PASSPHRASE).unwrap();
    assert!(lacuna.verified("anna") > 0);
    let entries = lacuna.read_audit(&grant("anna"), 0).unwrap();
    let count = |action| entries.iter().filter(|(_, entry)| entry.action == action).count();
    assert_eq!(count(AuditAction::VaultUnlockFailed), WRONG_TRIES_MAX as usize + 1);
    assert_eq!((count(AuditAction::VaultProtect), count(AuditAction::VaultUnlock)), (1, 1));
    for (row, _) in &entries {
        let text = String::from_utf8_lossy(&row.entry).into_owned();
        assert!(!text.contains("wrong passphrase") && !text.contains(PASSPHRASE), "{text}");
    }
}

/// The bytes of every file below a folder.
fn files(folder: &Path) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => found.push(std::fs::read(path).unwrap()),
        }
    }
    found
}

fn key_file(world: &World, begins: &str) -> [u8; 32] {
    let folder = world.folder.path().join("keys");
    let mut names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let path = names.find(|path| path.file_name().unwrap().to_str().unwrap().starts_with(begins)).unwrap();
    let text = std::fs::read_to_string(path).unwrap();
    lacuna_seal::unhex(text.lines().last().unwrap()).unwrap().as_slice().try_into().unwrap()
}

/// An attacker who has the database, the keystore, the key folder and all that is in it, and not the secret.
#[test]
fn whoever_has_everything_but_the_secret_gets_nothing() {
    let world = World::sqlite();
    let lacuna = node(&world);
    lacuna.keep("anna", FACT).unwrap();
    let scope = scope("anna");
    let vault = scope.vault_id();
    let before = world.keys.vault_keys(vault).unwrap().unwrap();
    protect(&lacuna);
    let after = world.keys.vault_keys(vault).unwrap().unwrap();
    assert_eq!((before.root.holder, after.root.holder), (0, 1));
    assert_eq!(after.root.generation, before.root.generation + 1);
    // No file holds the wrap that needed no secret.
    let holds = |bytes: &Vec<u8>, part: &[u8]| bytes.windows(part.len()).any(|window| window == part);
    let all = files(world.folder.path());
    assert!(!all.iter().any(|bytes| holds(bytes, &before.root.wrapped)), "the old wrap is still there");
    assert!(all.iter().any(|bytes| holds(bytes, &after.root.wrapped)));

    // The keys of the installation open the outer wrap, and no root comes out of it.
    let master = MasterKey::from_bytes(key_file(&world, "master-"));
    let epoch = EpochKey::from_bytes(key_file(&world, "epoch-"));
    let user = master.derive_user_key(&Principal::parse("anna"), after.root.key_version);
    let context = SealContext {
        org: "acme",
        user: "anna",
        vault: *vault.as_bytes(),
        memory: [0; 16],
        field: Field::Root,
        class: 0,
        revision: after.root.generation,
        created_at_millis: 0,
        key_version: after.root.key_version,
    };
    assert!(user.unwrap_root(&epoch, None, &context, &after.root.wrapped).is_err());
    let held = user.unwrap_held(&epoch, &context, &after.root.wrapped).unwrap();
    for guess in ["", "anna", "five tall ships in a ro", OTHER] {
        assert!(held.secret_by_passphrase(guess).is_err());
        assert!(held.secret_by_code(guess).is_err());
    }
    let guessed = lacuna_seal::UserSecret::from_bytes([0; 32]);
    assert!(held.open(&guessed, &context).is_err());
    assert!(held.secret_by_passphrase(PASSPHRASE).is_ok_and(|secret| held.open(&secret, &context).is_ok()));

    // A byte that says that nobody holds it opens nothing either.
    let claimed = VaultKeys { root: lacuna_store::keys::WrappedRoot { holder: 0, ..after.root }, ..after };
    assert_eq!(thief(&world, claimed).ask("anna", "spare key").err().unwrap().code(), "wrong_key");
}

/// A service over the same database and key folder, with other wrapped keys.
fn thief(world: &World, stolen: VaultKeys) -> Lacuna {
    let keys = RamKeys::default();
    let (root, classes) = (Some((stolen.root, None)), stolen.classes);
    let batch = KeyBatch::new(scope("anna").vault_id(), world.clock.now());
    keys.commit(KeyBatch { root, classes, ..batch }).unwrap();
    world.service_of(world.store.clone(), Arc::new(keys), Models::only(static_model()), usize::MAX)
}

#[test]
fn rotation_and_renewal_go_on_while_it_is_locked_and_blind_old_copies() {
    let (_database, worlds) = worlds("locks_rotate");
    for world in worlds {
        let lacuna = node(&world);
        lacuna.keep("anna", FACT).unwrap();
        let unprotected = world.keys.vault_keys(scope("anna").vault_id()).unwrap().unwrap();
        protect(&lacuna);
        let renewal = lacuna.renew_epoch(&admin::<ManageKeys>(), |_| {}).unwrap();
        assert!(renewal.skipped.is_empty() && renewal.kept.is_empty(), "{renewal:?}");
        // An old copy of the keystore, from before the passphrase, does not open with today's keys.
        let stolen = thief(&world, unprotected).ask("anna", "spare key").err().unwrap();
        assert_eq!(stolen.code(), "missing_key");
        let rotation = Custodian::of(&lacuna).rotate(&admin(), |_| {}).unwrap();
        assert!(rotation.skipped.is_empty() && rotation.kept.is_empty(), "{rotation:?}");
        assert_eq!(rotation.destroyed, 1);
        assert_locked(&lacuna);
        let restarted = node(&world);
        unlock(&restarted, PASSPHRASE).unwrap();
        assert_eq!(found(&restarted), [FACT]);
    }
}

#[test]
fn background_work_passes_a_locked_vault_over_and_says_so() {
    let world = World::sqlite();
    let lacuna = node(&world);
    let short = Draft { expires_at: Some(world.clock.now() + SignedDuration::from_hours(1)), ..draft(FACT) };
    lacuna.take("anna", short).unwrap();
    lacuna.keep("bert", FACT).unwrap();
    protect(&lacuna);
    world.clock.advance(SignedDuration::from_hours(48));
    let run = |job| lacuna.upkeep().run_job(job, "here", true, &Schedule::default(), &|| false).unwrap();
    for job in Job::ALL.iter().copied().filter(|job| *job != Job::Epoch) {
        let ran = run(job);
        assert!(matches!(ran, Ran::Done(_)), "{job}: {ran:?}");
    }
    let outcome = |job: Job| {
        let jobs = lacuna.jobs(&admin(), &Schedule::default()).unwrap();
        jobs.into_iter().find(|state| state.job == job).unwrap().outcome
    };
    assert_eq!(outcome(Job::Sweep).as_deref(), Some("locked"));
    assert_eq!(outcome(Job::Rotate).as_deref(), Some("ok"));
    assert_eq!(lacuna.upkeep().census(&admin::<ForgetPerson>()).unwrap().locked, 1);
    assert_eq!(lacuna.upkeep().examine(&scope("anna")).err().unwrap().code(), "vault_locked");
    assert_eq!(lacuna.upkeep().recover(&scope("anna")).unwrap(), 0);
    // The backlog does not turn in circles.
    assert!(matches!(
        lacuna.upkeep().work_backlog(std::time::Duration::ZERO, &mut |_| std::ops::ControlFlow::Continue(())),
        None | Some(Ok(_))
    ));
    unlock(&lacuna, PASSPHRASE).unwrap();
    assert!(matches!(run(Job::Sweep), Ran::Done(1)));
    assert_eq!(outcome(Job::Sweep).as_deref(), Some("ok"));
}

#[test]
fn a_locked_vault_can_be_erased_from_by_id_and_the_receipt_follows() {
    let (_database, worlds) = worlds("locks_erase");
    for world in worlds {
        let lacuna = node(&world);
        let id = lacuna.keep("anna", FACT).unwrap();
        let kept = lacuna.keep("anna", "The ferry sails at noon.").unwrap();
        protect(&lacuna);
        let done = lacuna.delete(&grant::<Forget>("anna"), id).unwrap();
        assert_eq!((done.memories.as_slice(), done.receipts.len()), (&[id][..], 0));
        // The key is gone at once, in the ledger too.
        let vault = scope("anna").vault_id();
        assert_eq!(world.keys.erased(vault, &[id, kept]).unwrap(), [id]);
        assert_eq!(lacuna.delete(&grant::<Forget>("anna"), id).err().unwrap().code(), "not_found");
        let restarted = node(&world);
        unlock(&restarted, PASSPHRASE).unwrap();
        assert!(found(&restarted).is_empty());
        assert_eq!(restarted.texts("anna", "when does the ferry sail?"), ["The ferry sails at noon."]);
        restarted.upkeep().recover(&scope("anna")).unwrap();
        let receipts = restarted.receipts(&grant("anna"), 0).unwrap();
        assert_eq!(receipts.len(), 1);
        assert!(receipts[0].receipt.is_clean(), "{:?}", receipts[0].receipt.probes);
        assert!(restarted.verified("anna") > 0);
    }
}

/// A program knows a memory by the id that stays when its text is replaced, and so does whoever erases it.
#[test]
fn a_replaced_memory_of_a_locked_vault_is_erased_by_the_id_that_stayed() {
    let (_database, worlds) = worlds("locks_replaced");
    for world in worlds {
        let lacuna = node(&world);
        let id = lacuna.keep("anna", "The spare key is in the shed.").unwrap();
        let kept = lacuna.keep("anna", "The ferry sails at noon.").unwrap();
        let managed = ManagedMemories::of(&lacuna);
        let replace = |text: &str| managed.replace(&grant("anna"), id, with(text)).unwrap();
        replace("The spare key is at the neighbour's.");
        replace(FACT);
        protect(&lacuna);
        let done = lacuna.delete(&grant::<Forget>("anna"), id).unwrap();
        assert_eq!(done.memories, [id]);
        assert_eq!(lacuna.delete(&grant::<Forget>("anna"), id).err().unwrap().code(), "not_found");
        unlock(&lacuna, PASSPHRASE).unwrap();
        assert!(found(&lacuna).is_empty());
        assert_eq!(lacuna.texts("anna", "when does the ferry sail?"), ["The ferry sails at noon."]);
        lacuna.delete(&grant::<Forget>("anna"), kept).unwrap();
        assert!(lacuna.verified("anna") > 0);
    }
}

#[test]
fn a_locked_vault_is_destroyed_by_its_person_and_by_the_operator_without_the_secret() {
    let world = World::sqlite();
    let lacuna = node(&world);
    lacuna.keep("anna", FACT).unwrap();
    protect(&lacuna);
    let own = grant::<Destroy>("anna");
    let plan = lacuna.plan_destroy(&own).unwrap();
    assert_eq!(plan.memories, 1);
    assert_eq!(lacuna.destroy(&own, &plan.token).unwrap().counts.records, 1);
    // A vault that begins anew has no passphrase.
    lacuna.keep("anna", FACT).unwrap();
    assert_eq!(found(&lacuna), [FACT]);
    protect(&lacuna);
    let removed = Users::of(&lacuna).remove(&admin::<ManageUsers>(), &UserId::new("anna").unwrap()).unwrap();
    assert_eq!(removed.destroyed.unwrap().counts.records, 1);
    assert!(world.keys.vault_keys(scope("anna").vault_id()).unwrap().is_none());
}

#[test]
fn only_the_person_locks_and_unlocks() {
    let own = scope("anna");
    for roles in [vec![Role::Agent], vec![Role::Reader], vec![Role::Admin], vec![Role::Service]] {
        let caller = Caller { roles, ..caller("anna") };
        assert_eq!(permit::<LockVault>(&caller, &own).err().unwrap().code(), "denied");
    }
    let boss = Caller { roles: vec![Role::Admin, Role::User], ..caller("boss") };
    assert_eq!(permit::<LockVault>(&boss, &own).err().unwrap().code(), "not_found");
    assert_eq!(permit::<LockVault>(&boss, &boss.org_scope()).err().unwrap().code(), "not_found");
}

/// Whatever step of putting a vault under a passphrase fails, the vault opens with or without it, and loses nothing.
#[test]
fn a_crash_at_any_step_leaves_a_vault_that_opens() {
    let mut protected = 0;
    for nth in 1..60 {
        let world = World::ram();
        node(&world).keep("anna", FACT).unwrap();
        let (lacuna, faults) = world.faulty();
        let lacuna = VaultLocks::stretching(lacuna, PassphraseCost::LEAST);
        faults.die(nth, lacuna_store::rows::FaultTiming::Before);
        let done = VaultLocks::of(&lacuna).protect(&anna(), PASSPHRASE).is_ok();
        faults.heal();
        let restarted = node(&world);
        if VaultLocks::of(&restarted).state(&anna()).unwrap().is_protected {
            protected += 1;
            unlock(&restarted, PASSPHRASE).unwrap();
            // The code that nobody saw is replaced by the next change.
            VaultLocks::of(&restarted).change(&anna(), &VaultSecret::Passphrase(PASSPHRASE), OTHER).unwrap();
            unlock(&restarted, OTHER).unwrap();
        }
        assert_eq!(found(&restarted), [FACT], "{nth}");
        if done {
            assert!(protected > 1, "some step after the new wrap failed");
            return;
        }
    }
    panic!("it has fewer steps");
}

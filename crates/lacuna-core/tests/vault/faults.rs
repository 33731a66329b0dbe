use lacuna_store::rows::{FaultTiming, Faults, FaultyStore};

use super::*;

/// Every step of a small story fails once, before or after it took effect, and so does everything after
/// it, as if the process had died. A new process then finds a vault without contradictions.
#[test]
fn a_failure_at_any_step_loses_nothing_acknowledged_and_revives_nothing_erased() {
    for when in [FaultTiming::Before, FaultTiming::After] {
        for n in 1.. {
            let world = World::ram();
            let (doomed, faults) = world.faulty();
            let kept = doomed.keep("anna", "The first fact stays.").unwrap();

            faults.die(n, when);
            let second = doomed.keep("anna", "A second fact about Paris.");
            let erased = second.as_ref().ok().map(|id| doomed.erase("anna", *id));
            let story_ended = matches!(erased, Some(Ok(())));
            drop(doomed);

            let reborn = world.service();
            reborn.upkeep().recover(&scope("anna")).unwrap();
            let texts = reborn.texts("anna", "fact about Paris first stays");
            assert!(texts.iter().any(|text| text.contains("first")), "{when:?} {n}: {texts:?}");
            if story_ended {
                assert!(!texts.iter().any(|text| text.contains("Paris")), "{when:?} {n}: {texts:?}");
            } else if second.is_ok() && erased.is_none() {
                assert!(texts.iter().any(|text| text.contains("Paris")), "{when:?} {n}: {texts:?}");
            }
            assert!(reborn.get(&grant::<Recall>("anna"), kept).is_ok());
            assert_eq!(
                reborn.count(&grant::<Recall>("anna")).unwrap().1,
                0,
                "{when:?} {n}: nothing is damaged"
            );
            assert!(world.store.intents(scope("anna").vault_id()).unwrap().is_empty());
            reborn.verified("anna");
            if story_ended && faults.operations() < n {
                break;
            }
            assert!(n < 500, "the story has a bounded number of steps");
            if story_ended {
                break;
            }
        }
    }
}

/// The same with a single failure and a process that lives on: it answers again, truthfully.
#[test]
fn a_service_outlives_a_single_failure_at_any_step() {
    for when in [FaultTiming::Before, FaultTiming::After] {
        for n in 1..60 {
            let world = World::ram();
            let (lacuna, faults) = world.faulty();
            faults.fail(n, when);
            let mut acknowledged = 0;
            for note in 0..3 {
                acknowledged += usize::from(lacuna.keep("anna", &format!("note {note}")).is_ok());
            }
            faults.heal();
            assert!(acknowledged >= 2);
            let (held, damaged) = lacuna.count(&grant::<Recall>("anna")).unwrap();
            assert!(
                (acknowledged..=3).contains(&held),
                "{when:?} {n}: {held} held, {acknowledged} acknowledged"
            );
            assert_eq!(damaged, 0);
            assert_eq!(world.service().count(&grant::<Recall>("anna")).unwrap(), (held, damaged));
            lacuna.verified("anna");
        }
    }
}

#[test]
fn an_orphaned_key_is_destroyed_only_after_its_record_had_time_to_come() {
    let world = World::ram();
    let faults = Faults::none();
    let store = Arc::new(FaultyStore::new(world.store.clone(), faults.clone()));
    let doomed = world.service_of(store, world.keys.clone(), Models::only(static_model()), usize::MAX);
    doomed.keep("anna", "A first note.").unwrap();
    let vault = scope("anna").vault_id();
    let keys = || {
        let mut count = 0;
        world
            .keys
            .memory_keys(vault, None, &mut |_| {
                count += 1;
                Ok(())
            })
            .unwrap();
        count
    };
    // The commit of the record is among the next few operations of the data store.
    for n in 1.. {
        faults.fail(n, FaultTiming::Before);
        let failed = doomed.keep("anna", "A note whose record never comes.").is_err();
        faults.heal();
        if failed && keys() > doomed.count(&grant::<Recall>("anna")).unwrap().0 {
            break;
        }
        assert!(n < 50, "no step leaves a key without its record");
    }
    let reborn = world.service();
    let before = keys();
    assert_eq!(reborn.upkeep().recover(&scope("anna")).unwrap(), 0);
    world.clock.advance(jiff::SignedDuration::from_hours(2));
    assert_eq!(reborn.upkeep().recover(&scope("anna")).unwrap(), 1);
    assert_eq!(keys(), before - 1);
}

#[test]
fn a_blob_whose_record_never_came_is_removed_after_a_time() {
    let world = World::ram();
    let lacuna = world.service();
    let long = Draft { content_type: Some(ContentType::Transcript), ..draft(&"It went on. ".repeat(4_000)) };
    let kept = lacuna.take("anna", long).unwrap().id;
    let vault = scope("anna").vault_id();
    let blobs = Blobs::open(world.folder.path().join("blobs")).unwrap();
    let stray = lacuna_store::BlobName { memory: MemoryId::from_bytes([7; 16]), revision: 1 };
    blobs.put(vault, stray, vec![7; 100]).unwrap();
    assert_eq!(blobs.list(vault).unwrap().len(), 2);
    let examined = lacuna.upkeep().examine(&scope("anna")).unwrap();
    assert_eq!(
        (examined.whole, examined.damaged, examined.stray_blobs),
        (1, vec![], 0),
        "it may be on its way"
    );
    // Both files are old by now, and one belongs to a row.
    let old = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000);
    for entry in std::fs::read_dir(world.folder.path().join("blobs").join(vault.to_string())).unwrap() {
        let file = std::fs::File::options().write(true).open(entry.unwrap().path()).unwrap();
        file.set_modified(old).unwrap();
    }
    assert_eq!(lacuna.upkeep().examine(&scope("anna")).unwrap().stray_blobs, 1);
    lacuna.upkeep().recover(&scope("anna")).unwrap();
    assert_eq!(blobs.list(vault).unwrap().iter().map(|blob| blob.memory).collect::<Vec<_>>(), [kept]);
    assert_eq!(lacuna.upkeep().examine(&scope("anna")).unwrap().stray_blobs, 0);
    lacuna.get(&grant::<Recall>("anna"), kept).unwrap();
}

/// Again and again, because what leaves the log a moment later may be gone by the time it is looked for.
#[test]
fn the_wrapped_key_has_left_every_file_when_an_erasure_is_acknowledged() {
    let world = World::sqlite();
    let lacuna = world.service();
    for n in 0..10 {
        let id = lacuna.keep("anna", &format!("The heron number {n} nests here.")).unwrap();
        let keys = lacuna_store::keys::keys_by_memory(&*world.keys, scope("anna").vault_id(), Some(&[id]));
        let wrapped = keys.unwrap().remove(&id).unwrap().wrapped;
        let secret = &wrapped[wrapped.len() - 32..];
        lacuna.erase("anna", id).unwrap();
        for entry in std::fs::read_dir(world.folder.path()).unwrap() {
            let path = entry.unwrap().path();
            let bytes = if path.is_file() { std::fs::read(&path).unwrap() } else { Vec::new() };
            assert!(!bytes.windows(secret.len()).any(|part| part == secret), "{n}: {}", path.display());
        }
    }
}

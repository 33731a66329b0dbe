use lacuna_core::permit::Export;
use lacuna_core::transfer::{Format, Wanted};
use lacuna_store::keys::KeyBatch;
use lacuna_store::rows::{Batch, Row};

use super::*;
use crate::authenticity::admin;

/// Rewrites one memory's row as somebody with access to the database could; an operator accepts it as it stands.
fn tamper(world: &World, user: &str, id: MemoryId, change: impl Fn(&mut Row)) {
    let vault = scope(user).vault_id();
    let mut row = world.store.rows(vault, &[id]).unwrap().remove(0).unwrap();
    change(&mut row);
    let expected = world.store.revision(vault).unwrap();
    let batch = Batch { puts: vec![row], ..Batch::new(scope(user), world.clock.now(), expected) };
    world.store.commit(batch).unwrap();
    assert_eq!(world.service().ask(user, "anything").err().unwrap().code(), "tampered");
    assert_eq!(world.service().upkeep().accept_changes(&admin()).unwrap().len(), 1);
}

#[test]
fn a_damaged_row_is_reported_by_id_and_the_rest_still_answers() {
    type Change = fn(&mut Row);
    let changes: [(&str, Change); 6] = [
        ("a flipped byte", |row| row.frame[60] ^= 1),
        ("a truncated frame", |row| row.frame.truncate(40)),
        ("an empty frame", |row| row.frame.clear()),
        ("an older revision", |row| row.frame_revision += 1),
        ("another birthday", |row| row.created_at += jiff::SignedDuration::from_secs(1)),
        ("another key version", |row| row.key_version += 1),
    ];
    for (what, change) in changes {
        let world = World::ram();
        let lacuna = world.service();
        let hurt = lacuna.keep("anna", "My locker number is twelve.").unwrap();
        let well = lacuna.keep("anna", "My bicycle is green.").unwrap();
        tamper(&world, "anna", hurt, change);
        for lacuna in [&lacuna, &world.service()] {
            assert_eq!(lacuna.get(&grant::<Recall>("anna"), hurt).err().unwrap().code(), "corrupt", "{what}");
            assert_eq!(lacuna.get(&grant::<Recall>("anna"), well).unwrap().id, well);
            let recalled = lacuna.ask("anna", "which colour is my bicycle?").unwrap();
            assert_eq!((recalled.hits[0].memory.id, recalled.damaged), (well, 1), "{what}");
        }
        lacuna.erase("anna", hurt).unwrap();
        assert_eq!(world.service().count(&grant::<Recall>("anna")).unwrap(), (1, 0), "{what} can be erased");
    }
}

#[test]
fn a_row_moved_to_another_memory_or_person_does_not_open() {
    let world = World::ram();
    let lacuna = world.service();
    let anna = lacuna.keep("anna", "Anna's diary entry.").unwrap();
    let other = lacuna.keep("anna", "Another of Anna's entries.").unwrap();
    let bert = lacuna.keep("bert", "Bert's diary entry.").unwrap();
    let frame =
        |user: &str, id| world.store.rows(scope(user).vault_id(), &[id]).unwrap()[0].clone().unwrap().frame;

    let (from_anna, from_bert) = (frame("anna", anna), frame("bert", bert));
    tamper(&world, "anna", other, |row| row.frame = from_anna.clone());
    tamper(&world, "anna", anna, |row| row.frame = from_bert.clone());
    for id in [anna, other] {
        assert_eq!(world.service().get(&grant::<Recall>("anna"), id).err().unwrap().code(), "corrupt");
    }
}

#[test]
fn a_memory_without_its_key_cannot_be_read_even_though_its_bytes_are_there() {
    let world = World::ram();
    let id = world.service().keep("anna", "The treasure is under the oak.").unwrap();
    let vault = scope("anna").vault_id();
    // A keystore that lost the key, and says nothing of an erasure.
    let kept = world.keys.vault_keys(vault).unwrap().unwrap();
    let lossy = RamKeys::default();
    let root = Some((kept.root, None));
    let batch = KeyBatch { root, classes: kept.classes, ..KeyBatch::new(vault, world.clock.now()) };
    lossy.commit(batch).unwrap();
    let models = Models::only(static_model());
    let lacuna = world.service_of(world.store.clone(), Arc::new(lossy), models, usize::MAX);
    assert_eq!(lacuna.get(&grant::<Recall>("anna"), id).err().unwrap().code(), "corrupt");
    assert!(lacuna.texts("anna", "treasure under the oak").is_empty());
}

#[test]
fn what_the_ledger_says_is_erased_is_no_damage_and_is_cleared_away() {
    let world = World::ram();
    let id = world.service().keep("anna", "The treasure is under the oak.").unwrap();
    let other = world.service().keep("anna", "The oak was felled in spring.").unwrap();
    let vault = scope("anna").vault_id();
    world.keys.commit(KeyBatch { destroys: vec![id], ..KeyBatch::new(vault, world.clock.now()) }).unwrap();
    assert!(world.store.rows(vault, &[id]).unwrap()[0].is_some());
    let lacuna = world.service();
    assert_eq!(lacuna.get(&grant::<Recall>("anna"), id).err().unwrap().code(), "not_found");
    assert_eq!(lacuna.count(&grant::<Recall>("anna")).unwrap(), (1, 0));
    lacuna.upkeep().recover(&scope("anna")).unwrap();
    assert_eq!(world.store.rows(vault, &[id]).unwrap(), vec![None]);
    assert_eq!(world.store.tombstones(vault, None).unwrap().len(), 1);
    assert!(lacuna.get(&grant::<Recall>("anna"), other).is_ok());
}

#[test]
fn data_without_its_keystore_or_master_key_is_refused_with_a_name() {
    let world = World::ram();
    world.service().keep("anna", "Something.").unwrap();
    let keyless = world.service_of(
        world.store.clone(),
        Arc::new(RamKeys::default()),
        Models::only(static_model()),
        usize::MAX,
    );
    assert!(world.service().check().is_ok());
    assert_eq!(keyless.check().unwrap_err().code(), "missing_key");
    assert_eq!(keyless.ask("anna", "something").err().unwrap().code(), "missing_key");
    assert_eq!(keyless.keep("anna", "More.").unwrap_err().code(), "missing_key", "and no new root is made");

    for entry in std::fs::read_dir(world.folder.path().join("keys")).unwrap() {
        let path = entry.unwrap().path();
        if path.file_name().unwrap().to_string_lossy().starts_with("master-") {
            std::fs::remove_file(path).unwrap();
        }
    }
    assert_eq!(world.service().ask("anna", "something").err().unwrap().code(), "missing_key");
    assert_eq!(world.service().check().unwrap_err().code(), "missing_key");
}

#[test]
fn a_broken_audit_chain_is_found() {
    let world = World::ram();
    let lacuna = world.service();
    lacuna.keep("anna", "One.").unwrap();
    lacuna.keep("anna", "Two.").unwrap();
    assert_eq!(lacuna.verified("anna"), 2);
    let vault = scope("anna").vault_id();
    let mut forged = world.store.audit(vault, 0).unwrap()[1].clone();
    forged.seq = 3;
    let expected = world.store.revision(vault).unwrap();
    let batch = Batch { audit: vec![forged], ..Batch::new(scope("anna"), world.clock.now(), expected) };
    world.store.commit(batch).unwrap();
    assert_eq!(world.service().verify_audit(&grant::<ReadAudit>("anna")).unwrap_err().code(), "tampered");
    // Whoever accepts it does not make it whole.
    world.service().upkeep().accept_changes(&admin()).unwrap();
    let error = world.service().verify_audit(&grant::<ReadAudit>("anna")).unwrap_err();
    assert_eq!(error.code(), "corrupt");
    assert!(error.to_string().contains("audit entry 3"), "{error}");
}

fn transcript(text: &str) -> Draft {
    Draft {
        content_type: Some(ContentType::Transcript),
        category: Some(Category::Conversation),
        ..draft(&text.repeat(2_000))
    }
}

/// A text that cannot be had is an error of its memory. Its gist is shown as a gist, and never as the text.
#[test]
fn a_text_whose_key_or_blob_is_gone_is_never_shown_shortened() {
    type Harm = fn(&World, MemoryId);
    let harms: [(&str, Harm); 3] = [
        ("its key is gone", |world, id| {
            let destroys = vec![id];
            let batch = KeyBatch::new(scope("anna").vault_id(), world.clock.now());
            world.keys.commit(KeyBatch { destroys, ..batch }).unwrap();
        }),
        ("its blob is gone", |world, _| {
            blobs(world).iter().for_each(|path| std::fs::remove_file(path).unwrap())
        }),
        ("its blob is changed", |world, _| {
            let path = blobs(world).remove(0);
            let mut bytes = std::fs::read(&path).unwrap();
            bytes[500] ^= 1;
            std::fs::write(path, bytes).unwrap();
        }),
    ];
    for (what, harm) in harms {
        let world = World::ram();
        let lacuna = world.service();
        let hurt = lacuna.take("anna", transcript("We talked about the heron on the roof. ")).unwrap().id;
        let well = lacuna.keep("anna", "The heron nests in the mill.").unwrap();
        harm(&world, hurt);
        let recall = grant::<Recall>("anna");
        assert_eq!(lacuna.get(&recall, hurt).err().unwrap().code(), "corrupt", "{what}");
        assert_eq!(lacuna.get(&recall, well).unwrap().id, well, "{what}");
        let recalled = lacuna.ask("anna", "heron on the roof").unwrap();
        let hit = recalled.hits.iter().find(|hit| hit.memory.id == hurt).unwrap();
        assert!(hit.shortened && hit.memory.content.text.is_none(), "{what}");
        assert!(recalled.hits.iter().any(|hit| hit.memory.id == well && !hit.shortened), "{what}");
        let page = lacuna.list(&recall, &lacuna_core::index::Filter::default(), None, 10).unwrap();
        assert_eq!(page.memories.len(), 2, "{what}");
        let wanted = Wanted::everything_but_health(Format::Json);
        let mut text = Vec::new();
        let exported = lacuna.export(&grant::<Export>("anna"), &wanted, &mut text, &mut |_| {}).unwrap();
        assert_eq!((exported.record_count(), exported.damaged), (1, 1), "{what}");
        assert!(!String::from_utf8(text).unwrap().contains("on the roof"), "{what}");
        lacuna.erase("anna", hurt).unwrap();
        assert_eq!(world.service().count(&recall).unwrap(), (1, 0), "{what}: it can be erased");
    }
}

fn blobs(world: &World) -> Vec<std::path::PathBuf> {
    let vault = world.folder.path().join("blobs").join(scope("anna").vault_id().to_string());
    std::fs::read_dir(vault).unwrap().map(|entry| entry.unwrap().path()).collect()
}

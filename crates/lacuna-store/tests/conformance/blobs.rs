//! Blobs in a local folder.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;

use lacuna_store::blobs::{BLOB_BYTES_MAX, BlobName, Blobs};
use lacuna_store::keys::{KeyStore, RamKeys};

use crate::samples::*;

pub(crate) fn name(n: u64, revision: u32) -> BlobName {
    BlobName { memory: id(n), revision }
}

#[test]
fn a_blob_comes_back_until_it_is_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("blobs");
    let vault = scope("ann").vault_id();
    let sealed: Vec<u8> = (0..3_000_000u32).map(|n| (n % 253) as u8).collect();
    Blobs::open(&root).unwrap().put(vault, name(1, 1), sealed.clone()).unwrap();

    let blobs = Blobs::open(&root).unwrap();
    assert_eq!(blobs.get(vault, name(1, 1)).unwrap(), sealed);
    blobs.put(vault, name(1, 1), vec![7]).unwrap();
    assert_eq!(blobs.get(vault, name(1, 1)).unwrap(), vec![7]);
    blobs.delete(vault, name(1, 1)).unwrap();
    blobs.delete(vault, name(1, 1)).unwrap();
    assert_eq!(blobs.get(vault, name(1, 1)).unwrap_err().code(), "not_found");
    assert_eq!(fs::metadata(&root).unwrap().permissions().mode() & 0o777, 0o700);
}

#[test]
fn a_vault_lists_its_own_blobs() {
    let folder = tempfile::tempdir().unwrap();
    let blobs = Blobs::open(folder.path()).unwrap();
    let (ann, ben) = (scope("ann").vault_id(), scope("ben").vault_id());
    for blob in [name(2, 1), name(1, 3), name(1, 1)] {
        blobs.put(ann, blob, vec![]).unwrap();
    }
    blobs.put(ben, name(9, 9), vec![1]).unwrap();
    fs::write(folder.path().join(ann.to_string()).join("stray"), "x").unwrap();
    assert_eq!(blobs.list(ann).unwrap(), vec![name(1, 1), name(1, 3), name(2, 1)]);
    assert_eq!(blobs.list(scope("nobody").vault_id()).unwrap(), vec![]);
    assert_eq!(blobs.get(ben, name(1, 1)).unwrap_err().code(), "not_found");
}

#[test]
fn what_cannot_be_kept_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let blobs = Blobs::open(folder.path().join("blobs")).unwrap();
    let vault = scope("ann").vault_id();
    let oversized = vec![0; BLOB_BYTES_MAX + 1];
    assert_eq!(blobs.put(vault, name(1, 1), oversized).unwrap_err().code(), "invalid");
    assert_eq!(blobs.list(vault).unwrap(), vec![]);
    fs::write(folder.path().join("file"), "x").unwrap();
    assert_eq!(Blobs::open(folder.path().join("file")).err().unwrap().code(), "blobs_unavailable");
}

#[test]
fn a_place_belongs_to_the_installation_of_its_first_blob() {
    let folder = tempfile::tempdir().unwrap();
    let [first, second] = ["first", "second"].map(|name| folder.path().join(name));
    let keys: Arc<dyn KeyStore> = Arc::new(RamKeys::new());
    let open = |root: &Path, keys: &Arc<dyn KeyStore>| Blobs::open(root).unwrap().belonging_to(keys.clone());
    let vault = scope("ann").vault_id();
    // Before the first blob nothing is decided.
    let (one, other) = (open(&first, &keys).unwrap(), open(&second, &keys).unwrap());
    assert!(!first.join("installation").exists());
    one.put(vault, name(1, 1), vec![7]).unwrap();
    assert_eq!(other.put(vault, name(2, 1), vec![8]).unwrap_err().code(), "wrong_blobs");
    assert_eq!(other.list(vault).unwrap(), vec![]);
    // Nobody may say that a blob is gone where it never was.
    assert_eq!(other.get(vault, name(1, 1)).unwrap_err().code(), "wrong_blobs");
    assert_eq!(other.delete(vault, name(1, 1)).unwrap_err().code(), "wrong_blobs");
    assert_eq!(open(&second, &keys).err().unwrap().code(), "wrong_blobs");
    open(&first, &keys).unwrap().put(vault, name(2, 1), vec![8]).unwrap();

    // Another installation's place, one with a damaged mark, and one that everything was moved to.
    let others: Arc<dyn KeyStore> = Arc::new(RamKeys::new());
    open(&second, &others).unwrap().put(vault, name(3, 1), vec![9]).unwrap();
    assert_eq!(open(&second, &keys).err().unwrap().code(), "wrong_blobs");
    fs::write(second.join("installation"), "something").unwrap();
    assert_eq!(open(&second, &keys).err().unwrap().code(), "wrong_blobs");
    fs::copy(first.join("installation"), second.join("installation")).unwrap();
    open(&second, &keys).unwrap();
}

#[test]
fn several_threads_may_share_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let blobs = Blobs::open(folder.path()).unwrap();
    let vault = scope("ann").vault_id();
    std::thread::scope(|threads| {
        for n in 0..6 {
            let blobs = &blobs;
            threads.spawn(move || {
                blobs.put(vault, name(n, 0), vec![n as u8; 50_000]).unwrap();
                assert_eq!(blobs.get(vault, name(n, 0)).unwrap(), vec![n as u8; 50_000]);
            });
        }
    });
    assert_eq!(blobs.list(vault).unwrap().len(), 6);
}

#[test]
fn folders_and_blobs_that_are_open_to_others_are_closed_by_the_next_write() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("blobs");
    let vault = scope("ann").vault_id();
    let place = root.join(vault.to_string());
    fs::create_dir_all(&place).unwrap();
    for path in [&root, &place] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o777)).unwrap();
    }
    Blobs::open(&root).unwrap().put(vault, name(1, 1), vec![7]).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let blob = fs::read_dir(&place).unwrap().next().unwrap().unwrap().path();
    assert_eq!((mode(&root), mode(&place), mode(&blob)), (0o700, 0o700, 0o600));
}

#[test]
fn strays_are_old_files_that_nobody_knows() {
    let folder = tempfile::tempdir().unwrap();
    let blobs = Blobs::open(folder.path()).unwrap();
    let vault = scope("ann").vault_id();
    for n in [1, 2, 3] {
        blobs.put(vault, name(n, 1), vec![7]).unwrap();
    }
    let place = folder.path().join(vault.to_string());
    fs::write(place.join(format!("{}.1#4", id(4))), "a part").unwrap();
    let old = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000);
    for entry in fs::read_dir(&place).unwrap() {
        let path = entry.unwrap().path();
        if !path.to_str().unwrap().contains(&id(3).to_string()) {
            fs::File::options().write(true).open(path).unwrap().set_modified(old).unwrap();
        }
    }
    let strays = |moment| blobs.strays(vault, moment, |blob| blob == name(1, 1)).unwrap();
    assert_eq!(strays(jiff::Timestamp::from_second(999).unwrap()), vec![]);
    let found = strays(jiff::Timestamp::from_second(1_001).unwrap());
    assert_eq!(found.len(), 2, "the second blob and the part, not the third, which is young");
    found.iter().for_each(|stray| blobs.remove_stray(stray).unwrap());
    assert_eq!(blobs.list(vault).unwrap(), vec![name(1, 1), name(3, 1)]);
    assert_eq!(fs::read_dir(&place).unwrap().count(), 2);
    assert_eq!(blobs.strays(scope("ben").vault_id(), time(5), |_| false).unwrap(), vec![]);
}

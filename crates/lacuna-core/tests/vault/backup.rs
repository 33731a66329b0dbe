//! What was forgotten stays forgotten, whatever is put back.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::SignedDuration;
use lacuna_core::permit::{Destroy, ManageKeys};
use lacuna_core::transfer::{
    BACKUP_KEPT, Ledger, RestoreInto, RestoreSteps, Restored, Saving, finish_restore, is_restore_unfinished,
    restore,
};
use lacuna_seal::{OpenReader, PassphraseCost, SealWriter, SeededEntropy, SystemEntropy};
use lacuna_store::folder::OwnedFolder;
use lacuna_store::keys::{KeyBatch, Kms, ReceiptMark};
use lacuna_store::rows::{Batch, Record, RecordChange, RecordKind};

use super::*;

const PASSPHRASE: &str = "three tall ships";

fn admin() -> Grant<ManageKeys> {
    let caller = Caller { roles: vec![Role::Admin], ..caller("boss") };
    permit(&caller, &caller.org_scope()).unwrap()
}

/// An installation on SQLite whose data folder can be put back while nobody uses it.
struct Site {
    folder: tempfile::TempDir,
    clock: Arc<ManualClock>,
    entropy: u64,
}

impl Site {
    fn new(clock: &Arc<ManualClock>, entropy: u64) -> Self {
        Self { folder: tempfile::tempdir().unwrap(), clock: clock.clone(), entropy }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn keys(&self) -> SqliteKeys {
        SqliteKeys::open(self.path("keystore/keystore.db")).unwrap()
    }

    fn kms(&self) -> Kms {
        LocalKms::open(&self.path("keys"), None).unwrap()
    }

    fn service(&self) -> Lacuna {
        Lacuna::new(Parts {
            store: Arc::new(SqliteStore::open(self.path("lacuna.db")).unwrap()),
            keys: Arc::new(self.keys()),
            kms: self.kms(),
            blobs: Blobs::open(self.path("blobs")).unwrap(),
            models: Models::only(static_model()),
            rules: Rulebook::default(),
            clock: self.clock.clone(),
            entropy: Arc::new(SystemEntropy),
            open_bytes_max: usize::MAX,
        })
    }

    fn backup(&self, full: bool) -> Vec<u8> {
        let lacuna = self.service();
        let number = full.then(|| lacuna.register_backup(&admin(), BACKUP_KEPT).unwrap());
        let data = SqliteStore::open(self.path("lacuna.db")).unwrap();
        let saving = Saving { data: &data, scratch: &self.path("backup.tmp"), full: number };
        if !full {
            return lacuna.save_backup(&admin(), &saving, Vec::new()).unwrap().1;
        }
        let entropy = SeededEntropy::new(self.entropy);
        let sealed = SealWriter::new(Vec::new(), PASSPHRASE, PassphraseCost::LEAST, &entropy).unwrap();
        lacuna.save_backup(&admin(), &saving, sealed).unwrap().1.finish().unwrap()
    }

    fn put_back(&self, backup: &[u8], ledgers: &[Ledger], known: &[ReceiptMark]) -> Result<Restored> {
        let restored = self.place(backup, ledgers, known, &|_| {})?;
        self.service().upkeep().replay_ledger(&admin(), |_| {})?;
        Ok(restored)
    }

    fn place(
        &self,
        backup: &[u8],
        ledgers: &[Ledger],
        known: &[ReceiptMark],
        steps: RestoreSteps<'_>,
    ) -> Result<Restored> {
        let kms = self.kms();
        let folder = OwnedFolder::claim(self.folder.path(), Duration::ZERO).unwrap();
        let into =
            RestoreInto { data: &folder, kms: &kms, entropy: &SystemEntropy, now: self.clock.now(), steps };
        match OpenReader::new(backup, PASSPHRASE) {
            Ok(opened) => restore(opened, &into, ledgers, known),
            Err(_) => restore(backup, &into, ledgers, known),
        }
    }

    /// The folder as a process that dies now would leave it.
    fn as_left_now(&self, entropy: u64) -> Self {
        let left = Self::new(&self.clock, entropy);
        copy_folder(self.folder.path(), left.folder.path());
        left
    }
}

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy_folder(&entry.path(), &target),
            false => drop(std::fs::copy(entry.path(), target).unwrap()),
        }
    }
}

fn start() -> Arc<ManualClock> {
    Arc::new(ManualClock::at("2026-04-12T09:15:00Z".parse().unwrap()))
}

fn shown(lacuna: &Lacuna) -> Vec<MemoryId> {
    let page =
        lacuna.list(&grant::<Recall>("anna"), &lacuna_core::index::Filter::default(), None, 500).unwrap();
    page.memories.into_iter().map(|memory| memory.id).collect()
}

#[test]
fn a_full_backup_opens_elsewhere_and_a_data_backup_needs_its_keystore() {
    let clock = start();
    let site = Site::new(&clock, 1);
    let id = site.service().keep("anna", "The lighthouse is white.").unwrap();
    let (data, full) = (site.backup(false), site.backup(true));
    assert_eq!(site.service().list_backups(&admin()).unwrap().len(), 1);
    site.service().renew_epoch(&admin(), |_| {}).unwrap();

    let elsewhere = Site::new(&clock, 2);
    elsewhere.put_back(&full, &[], &[]).unwrap();
    assert_eq!(shown(&elsewhere.service()), vec![id]);
    assert_eq!(elsewhere.service().texts("anna", "lighthouse"), vec!["The lighthouse is white."]);

    let keyless = Site::new(&clock, 3);
    keyless.put_back(&data, &[], &[]).unwrap();
    assert_eq!(keyless.service().ask("anna", "lighthouse").err().unwrap().code(), "missing_key");
    for needle in ["lighthouse".as_bytes(), site.kms().signing_key(&SystemEntropy).unwrap().expose()] {
        assert!(!data.windows(needle.len()).any(|part| part == needle));
        assert!(!full.windows(needle.len()).any(|part| part == needle));
    }
    clock.advance(BACKUP_KEPT);
    assert_eq!(site.service().list_backups(&admin()).unwrap(), vec![]);
}

#[test]
fn an_old_data_backup_and_the_present_keystore_open_none_of_the_forgotten() {
    let clock = start();
    let site = Site::new(&clock, 1);
    let ids: Vec<_> =
        (0..20).map(|n| site.service().keep("anna", &format!("fact {n} of twenty")).unwrap()).collect();
    let backup = site.backup(false);
    ids[..15].iter().for_each(|id| site.service().erase("anna", *id).unwrap());
    let restored = site.put_back(&backup, &[], &[]).unwrap();
    assert!(restored.replaced.is_some() && restored.erasures >= 15);
    let lacuna = site.service();
    assert_eq!(lacuna.count(&grant::<Recall>("anna")).unwrap(), (5, 0), "five left, none damaged");
    let store = SqliteStore::open(site.path("lacuna.db")).unwrap();
    assert!(store.rows(scope("anna").vault_id(), &ids[..15]).unwrap().iter().all(Option::is_none));
    assert!(lacuna.verified("anna") > 20);
}

#[test]
fn a_ledger_that_is_older_than_a_known_receipt_is_refused() {
    let clock = start();
    let (site, org) = (Site::new(&clock, 1), OrgId::new("acme").unwrap());
    let id = site.service().keep("anna", "The reef is shallow.").unwrap();
    let (backup, vault) = (site.backup(true), scope("anna").vault_id());
    let receipt = Some(ReceiptMark { org: org.clone(), number: 7 });
    let batch = KeyBatch { destroys: vec![id], receipt, ..KeyBatch::new(vault, clock.now()) };
    site.keys().commit(batch).unwrap();
    let ledger = Ledger::decode(Ledger::of(&site.keys()).unwrap().encode().unwrap().as_slice()).unwrap();
    assert_eq!(ledger, Ledger::of(&site.keys()).unwrap());

    let known = |number| [ReceiptMark { org: org.clone(), number }];
    let fresh = Site::new(&clock, 2);
    assert_eq!(fresh.put_back(&backup, &[], &known(7)).unwrap_err().code(), "ledger_too_old");
    assert!(!fresh.path("lacuna.db").exists() && !fresh.path("restore.tmp").exists());
    assert_eq!(
        fresh.put_back(&backup, std::slice::from_ref(&ledger), &known(8)).unwrap_err().code(),
        "ledger_too_old"
    );
    fresh.put_back(&backup, &[ledger], &known(7)).unwrap();
    assert_eq!(shown(&fresh.service()), vec![]);

    // The book of the data that is there counts as well.
    let store = SqliteStore::open(site.path("lacuna.db")).unwrap();
    let record = Record {
        org: org.clone(),
        kind: RecordKind::Receipt,
        number: 8,
        vault: None,
        at: clock.now(),
        due_at: None,
        done_at: None,
        doc: Vec::new(),
    };
    let expected = store.revision(vault).unwrap();
    let records = vec![RecordChange::Add(record)];
    store.commit(Batch { records, ..Batch::new(scope("anna"), clock.now(), expected) }).unwrap();
    drop(store);
    assert_eq!(site.put_back(&backup, &[], &[]).unwrap_err().code(), "ledger_too_old");
}

#[test]
fn a_damaged_backup_changes_nothing() {
    let clock = start();
    let site = Site::new(&clock, 1);
    let backup = site.backup(false);
    site.service().keep("anna", "Written after the backup.").unwrap();
    let mut changed = backup.clone();
    let middle = changed.len() / 2;
    changed[middle] ^= 1;
    for bad in [&changed, &backup[..backup.len() - 1], b"not a backup", b""] {
        assert_eq!(site.put_back(bad, &[], &[]).unwrap_err().code(), "bad_backup");
    }
    assert_eq!(shown(&site.service()).len(), 1);
}

/// A small generator, so that a schedule can be run again by its number.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides as u64) as usize
    }
}

/// One random history of remembering, forgetting, destroying, backing up and putting back.
fn run_schedule(number: u64) {
    let clock = start();
    let mut dice = Dice(number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut site = Site::new(&clock, number);
    let (mut written, mut forgotten): (Vec<MemoryId>, Vec<MemoryId>) = (Vec::new(), Vec::new());
    let mut backups: Vec<(bool, Vec<u8>)> = Vec::new();
    for step in 0..14 {
        clock.advance(SignedDuration::from_secs(1));
        let lacuna = site.service();
        match dice.roll(8) {
            0..=2 => {
                written.push(lacuna.keep("anna", &format!("schedule {number} step {step} says so")).unwrap())
            }
            3 | 4 => {
                let there = shown(&lacuna);
                if !there.is_empty() {
                    let id = there[dice.roll(there.len())];
                    lacuna.erase("anna", id).unwrap();
                    forgotten.push(id);
                }
            }
            5 => {
                drop(lacuna);
                let full = dice.roll(2) == 0;
                backups.push((full, site.backup(full)));
            }
            6 if !backups.is_empty() => {
                drop(lacuna);
                let ledger = Ledger::of(&site.keys()).unwrap();
                let (full, backup) = backups[dice.roll(backups.len())].clone();
                // Over what is there, or on a new machine that gets the ledger as a file. Backups without keys
                // belong to the keystore that stays behind.
                if full && dice.roll(2) == 0 {
                    site = Site::new(&clock, number + 1_000_000 + step);
                    backups = vec![(full, backup.clone())];
                }
                site.put_back(&backup, &[ledger], &[]).unwrap();
            }
            _ if dice.roll(4) == 0 => {
                let there = shown(&lacuna);
                if let Ok(plan) = lacuna.plan_destroy(&grant::<Destroy>("anna")) {
                    lacuna.destroy(&grant::<Destroy>("anna"), &plan.token).unwrap();
                    forgotten.extend(there);
                    forgotten.extend(&written);
                }
            }
            _ => {}
        }
        assert_forgotten(&site, &forgotten, number, step);
    }
}

fn assert_forgotten(site: &Site, forgotten: &[MemoryId], number: u64, step: u64) {
    let lacuna = site.service();
    let back: Vec<_> = shown(&lacuna).into_iter().filter(|id| forgotten.contains(id)).collect();
    assert!(back.is_empty(), "schedule {number} step {step}: {} came back", back.len());
    let (_, damaged) = lacuna.count(&grant::<Recall>("anna")).unwrap();
    assert_eq!(damaged, 0, "schedule {number} step {step}");
    let mut held = 0;
    let keys = site.keys();
    keys.memory_keys(scope("anna").vault_id(), Some(forgotten), &mut |_| {
        held += 1;
        Ok(())
    })
    .unwrap();
    assert_eq!(held, 0, "schedule {number} step {step}: a key came back");
}

/// 60 by default, 500 in the long run.
#[test]
fn nothing_comes_back_in_random_schedules_of_backup_forget_and_restore() {
    let schedules = if std::env::var_os("LACUNA_LONG").is_some() { 500 } else { 60 };
    (0..schedules).for_each(run_schedule);
}

#[test]
fn a_receipt_names_only_backups_that_may_hold_what_went() {
    let clock = start();
    let site = Site::new(&clock, 5);
    let lacuna = site.service();
    let old = lacuna.keep("anna", "The lighthouse is white.").unwrap();
    clock.advance(SignedDuration::from_hours(1));
    site.backup(true);
    clock.advance(SignedDuration::from_hours(1));
    let young = lacuna.keep("anna", "The keeper is called Joost.").unwrap();
    // One that was announced and never finished may hold anything.
    let unfinished = lacuna.register_backup(&admin(), BACKUP_KEPT).unwrap();
    let named = |id| {
        let done = lacuna.delete(&grant("anna"), id).unwrap();
        done.receipts[0].receipt.backups.iter().map(|hold| hold.number).collect::<Vec<_>>()
    };
    assert_eq!(named(young), [unfinished]);
    assert_eq!(named(old), [1, unfinished]);
}

const LONG: &str = "The log of the voyage goes on and on. ";

/// The memories, whole, of a site whose folder somebody enters after a crash.
fn entered(site: &Site) -> Vec<String> {
    let folder = OwnedFolder::claim(site.folder.path(), Duration::ZERO).unwrap();
    finish_restore(&folder).unwrap();
    assert!(!is_restore_unfinished(site.folder.path()));
    let lacuna = site.service();
    let grant = grant::<Recall>("anna");
    let whole = |id: MemoryId| lacuna.get(&grant, id).unwrap().content.full_text().expose().to_owned();
    let mut texts: Vec<_> = shown(&lacuna).into_iter().map(whole).collect();
    texts.sort();
    assert_eq!(lacuna.count(&grant).unwrap(), (texts.len(), 0), "nothing is damaged");
    texts
}

/// An installation that is restored over, and one that is restored elsewhere, is left by a crash after each step
/// and entered again: it is wholly the old one or wholly the new one.
#[test]
fn a_restore_that_dies_at_any_step_is_all_or_nothing() {
    for full in [false, true] {
        let clock = start();
        let site = Site::new(&clock, 1);
        let forgotten = site.service().keep("anna", "The anchor is lost.").unwrap();
        site.service().keep("anna", "The lighthouse is white.").unwrap();
        let long = LONG.repeat(4_000).trim_end().to_owned();
        let transcript = Draft { content_type: Some(ContentType::Transcript), ..draft(&long) };
        site.service().take("anna", transcript).unwrap();
        let backup = site.backup(full);
        site.service().erase("anna", forgotten).unwrap();
        site.service().keep("anna", "The weasel came after.").unwrap();
        let new: Vec<String> = vec!["The lighthouse is white.".into(), long];
        let mut old = new.clone();
        old.push("The weasel came after.".into());
        old.sort();

        let left = RefCell::new(Vec::new());
        site.place(&backup, &[], &[], &|step| {
            let number = left.borrow().len() as u64;
            left.borrow_mut().push((step.to_owned(), site.as_left_now(number)));
        })
        .unwrap();
        let left = left.into_inner();
        assert!(left.len() >= 12, "{} steps", left.len());
        let mut turned = false;
        for (step, site) in &left {
            turned |= step == "journal in force";
            assert_eq!(&entered(site), if turned { &new } else { &old }, "full {full}, after {step:?}");
            // The old database is under its other name, and a second restore leaves it there.
            let aside = site.path("lacuna.db.replaced");
            let bytes = turned.then(|| std::fs::read(&aside).unwrap());
            let restored = site.put_back(&backup, &[], &[]).unwrap();
            assert_eq!(bytes.is_some(), restored.replaced.as_deref() == Some("lacuna.db.replaced-2"));
            assert!(bytes.is_none_or(|bytes| std::fs::read(&aside).unwrap() == bytes));
            assert_eq!(entered(site), new);
        }
        assert!(turned);
    }
}

/// The keys of a full backup come back together or not at all: a second attempt after a crash brings them all.
#[test]
fn a_full_restore_elsewhere_that_died_can_be_made_again() {
    let clock = start();
    let site = Site::new(&clock, 1);
    for n in 0..30 {
        site.service().keep("anna", &format!("fact {n} of thirty")).unwrap();
    }
    let backup = site.backup(true);
    let elsewhere = Site::new(&clock, 2);
    let left = RefCell::new(Vec::new());
    elsewhere
        .place(&backup, &[], &[], &|step| {
            left.borrow_mut().push((step.to_owned(), elsewhere.as_left_now(3)));
        })
        .unwrap();
    for (step, site) in left.into_inner() {
        site.put_back(&backup, &[], &[]).unwrap();
        assert_eq!(entered(&site).len(), 30, "after {step:?}");
    }
}

/// A vault under a passphrase of its person is saved and put back while it is locked, and opens with the passphrase alone.
#[test]
fn a_locked_vault_is_saved_and_put_back_without_its_secret() {
    use lacuna_core::VaultLocks;
    const SECRET: &str = "five tall ships in a row";
    let clock = Arc::new(ManualClock::at("2026-04-12T09:15:00Z".parse().unwrap()));
    let (first, second) = (Site::new(&clock, 41), Site::new(&clock, 42));
    let service = |site: &Site| VaultLocks::stretching(site.service(), PassphraseCost::LEAST);
    let lacuna = service(&first);
    lacuna.keep("anna", "The spare key is under the third stone.").unwrap();
    VaultLocks::of(&lacuna).protect(&grant("anna"), SECRET).unwrap();
    drop(lacuna);
    let backup = first.backup(true);
    second.put_back(&backup, &[], &[]).unwrap();
    let restored = service(&second);
    assert_eq!(restored.ask("anna", "spare key").err().unwrap().code(), "vault_locked");
    assert_eq!(
        VaultLocks::of(&restored).unlock(&grant("anna"), "another one", None).err().unwrap().code(),
        "wrong_secret"
    );
    VaultLocks::of(&restored).unlock(&grant("anna"), SECRET, None).unwrap();
    assert_eq!(restored.texts("anna", "where is the spare key?").len(), 1);
}

//! Old copies that somebody puts back, key folders that are absent, foreign or outdated: none of them is served as if
//! nothing had happened.

use std::fs;
use std::path::PathBuf;

use jiff::SignedDuration;
use lacuna_core::permit::ManageKeys;
use lacuna_core::transfer::BACKUP_KEPT;
use lacuna_store::keys::Anchor;
use rusqlite::Connection;

use super::*;

const TEXT: &str = "The otter bravo swims at noon.";

/// An installation on SQLite whose files are copied while nobody uses them.
struct Site {
    folder: tempfile::TempDir,
    clock: Arc<ManualClock>,
}

impl Site {
    fn new() -> Self {
        let start: Timestamp = "2026-04-12T09:15:00Z".parse().unwrap();
        Self { folder: tempfile::tempdir().unwrap(), clock: Arc::new(ManualClock::at(start)) }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A service that was not started, as `doctor` has it.
    fn unchecked(&self) -> Lacuna {
        self.with_keys("keys")
    }

    fn with_keys(&self, keys: &str) -> Lacuna {
        Lacuna::new(Parts {
            store: Arc::new(SqliteStore::open(self.path("lacuna.db")).unwrap()),
            keys: Arc::new(SqliteKeys::open(self.path("keystore.db")).unwrap()),
            kms: LocalKms::open(&self.path(keys), None).unwrap(),
            blobs: Blobs::open(self.path("blobs")).unwrap(),
            models: Models::only(static_model()),
            rules: Rulebook::default(),
            clock: self.clock.clone(),
            entropy: Arc::new(lacuna_seal::SystemEntropy),
            open_bytes_max: usize::MAX,
        })
    }

    fn service(&self) -> Lacuna {
        let lacuna = self.unchecked();
        lacuna.upkeep().start().unwrap();
        lacuna
    }

    /// Copies files, or puts the copies back.
    fn copy(&self, from: &str, to: &str, files: &[&str]) {
        fs::create_dir_all(self.path(to)).unwrap();
        for file in files {
            for log in ["-wal", "-shm"] {
                let _ = fs::remove_file(self.path(to).join(format!("{file}{log}")));
            }
            fs::copy(self.path(from).join(file), self.path(to).join(file)).unwrap();
        }
    }

    fn save(&self) {
        self.copy(".", "before", &["lacuna.db", "keystore.db"]);
    }

    fn put_back(&self, files: &[&str]) {
        self.copy("before", ".", files);
    }

    fn sql(&self, file: &str, sql: &str) -> usize {
        Connection::open(self.path(file)).unwrap().execute(sql, []).unwrap()
    }

    fn epoch_files(&self) -> Vec<String> {
        let names = fs::read_dir(self.path("keys")).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
        names.retain(|name| name.starts_with("epoch-"));
        names.sort();
        names
    }
}

fn admin() -> Grant<ManageKeys> {
    let caller = Caller { roles: vec![Role::Admin], ..caller("boss") };
    permit(&caller, &caller.org_scope()).unwrap()
}

fn org_audit() -> Grant<ReadAudit> {
    let caller = Caller { roles: vec![Role::Admin], ..caller("boss") };
    permit(&caller, &caller.org_scope()).unwrap()
}

fn actions(lacuna: &Lacuna) -> Vec<AuditAction> {
    let page = lacuna.read_audit(&org_audit(), 0).unwrap();
    page.into_iter().map(|(_, entry)| entry.action).collect()
}

/// A site with one memory that stays and one that is erased after the copies were made.
fn with_one_forgotten() -> (Site, MemoryId) {
    let site = Site::new();
    let lacuna = site.service();
    lacuna.keep("anna", "The heron alpha nests by the mill.").unwrap();
    let id = lacuna.keep("anna", TEXT).unwrap();
    drop(lacuna);
    site.save();
    site.clock.advance(SignedDuration::from_secs(60));
    site.service().erase("anna", id).unwrap();
    (site, id)
}

#[test]
fn a_database_that_was_put_back_is_not_served_until_an_operator_accepts_it() {
    for files in [&["lacuna.db"][..], &["lacuna.db", "keystore.db"]] {
        let (site, _) = with_one_forgotten();
        site.put_back(files);
        let lacuna = site.service();
        assert_eq!(lacuna.ask("anna", "otter").err().unwrap().code(), "rolled_back");
        assert_eq!(lacuna.keep("anna", "More.").unwrap_err().code(), "rolled_back");
        let report = lacuna.upkeep().compare_with_anchor().unwrap();
        assert_eq!((report.behind, report.named), (1, vec![scope("anna").vault_id()]));
        let accepted = lacuna.upkeep().accept_rollback(&admin()).unwrap();
        assert_eq!(accepted.behind, 1);
        assert_eq!(lacuna.texts("anna", "otter heron"), ["The heron alpha nests by the mill."]);
        assert!(actions(&lacuna).contains(&AuditAction::RollbackAccepted));
        drop(lacuna);
        // Everybody after that is served, and goes on from there.
        let lacuna = site.service();
        lacuna.keep("anna", "The lynx echo hunts at night.").unwrap();
        assert_eq!(lacuna.upkeep().compare_with_anchor().unwrap().behind, 0);
    }
}

#[test]
fn a_keystore_that_was_put_back_forgets_again_what_the_anchor_knows() {
    let (site, id) = with_one_forgotten();
    site.put_back(&["keystore.db"]);
    let vault = scope("anna").vault_id();
    let keys = SqliteKeys::open(site.path("keystore.db")).unwrap();
    assert_eq!(lacuna_store::keys::keys_by_memory(&keys, vault, Some(&[id])).unwrap().len(), 1);
    drop(keys);
    let lacuna = site.service();
    assert_eq!(lacuna.texts("anna", "otter heron"), ["The heron alpha nests by the mill."]);
    assert!(actions(&lacuna).contains(&AuditAction::LedgerReplayed));
    let keys = SqliteKeys::open(site.path("keystore.db")).unwrap();
    assert!(lacuna_store::keys::keys_by_memory(&keys, vault, Some(&[id])).unwrap().is_empty());
    assert_eq!(keys.erased(vault, &[id]).unwrap(), [id]);
}

#[test]
fn a_keystore_that_was_put_back_is_told_by_every_later_process() {
    let (site, _) = with_one_forgotten();
    assert_eq!(site.unchecked().upkeep().compare_with_anchor().unwrap().replayed_at, None);
    site.put_back(&["keystore.db"]);
    let healed_at = Some(site.clock.now());
    // `doctor` may be the first to come, and does not start the service.
    let doctor = site.unchecked();
    assert_eq!(doctor.upkeep().compare_with_anchor().unwrap().replayed_at, healed_at);
    drop(doctor);
    site.clock.advance(SignedDuration::from_secs(60));
    let lacuna = site.service();
    assert_eq!(lacuna.upkeep().compare_with_anchor().unwrap().replayed_at, healed_at);
    let replays = actions(&lacuna).into_iter().filter(|action| *action == AuditAction::LedgerReplayed);
    assert_eq!(replays.count(), 1);
}

#[test]
fn a_row_with_a_tombstone_or_a_line_in_the_anchor_is_never_shown() {
    for (stone, line) in [(true, false), (false, true)] {
        let (site, id) = with_one_forgotten();
        let row = "INSERT INTO memory SELECT * FROM old.memory WHERE id NOT IN (SELECT id FROM memory)";
        let file = Connection::open(site.path("lacuna.db")).unwrap();
        file.pragma_update(None, "foreign_keys", false).unwrap();
        file.execute("ATTACH ?1 AS old", [site.path("before/lacuna.db").to_str().unwrap()]).unwrap();
        assert_eq!(file.execute(row, []).unwrap(), 1);
        if !stone {
            assert_eq!(file.execute("DELETE FROM tombstone", []).unwrap(), 1);
        }
        drop(file);
        let keys = Connection::open(site.path("keystore.db")).unwrap();
        keys.execute("ATTACH ?1 AS old", [site.path("before/keystore.db").to_str().unwrap()]).unwrap();
        let key = "INSERT INTO memory_key SELECT * FROM old.memory_key WHERE memory NOT IN (SELECT memory FROM memory_key)";
        assert_eq!(keys.execute(key, []).unwrap(), 1);
        drop(keys);
        if !line {
            site.sql("keystore.db", "DELETE FROM erased");
            site.sql("keys/anchor.db", "DELETE FROM erased");
        }
        let lacuna = site.service();
        // The codes of the rows show it; even whoever accepts the row as it stands does not see it.
        assert_eq!(lacuna.ask("anna", "otter").err().unwrap().code(), "tampered");
        lacuna.upkeep().accept_changes(&authenticity::admin()).unwrap();
        let texts = lacuna.texts("anna", "otter heron");
        assert_eq!(texts, ["The heron alpha nests by the mill."], "tombstone {stone}, line {line}");
        assert!(lacuna.get(&grant::<Recall>("anna"), id).is_err());
    }
}

#[test]
fn a_chain_that_was_cut_or_changed_at_its_known_end_is_not_served() {
    let (site, _) = with_one_forgotten();
    let last: i64 = {
        let file = Connection::open(site.path("lacuna.db")).unwrap();
        file.query_row("SELECT max(seq) FROM audit", [], |row| row.get(0)).unwrap()
    };
    let cut = format!(
        "UPDATE vault SET audit_seq = {0}, audit_hash = (SELECT hash FROM audit WHERE seq = {0}), audit_signature = NULL",
        last - 2
    );
    assert_eq!(site.sql("lacuna.db", &cut), 1);
    assert_eq!(site.service().ask("anna", "heron").err().unwrap().code(), "rolled_back");
    let changed = format!("UPDATE vault SET audit_seq = {last}, audit_hash = zeroblob(32)");
    assert_eq!(site.sql("lacuna.db", &changed), 1);
    assert_eq!(site.service().ask("anna", "heron").err().unwrap().code(), "rolled_back");
}

#[test]
fn an_empty_database_or_keystore_beside_an_anchor_that_knows_vaults_is_refused() {
    let (site, _) = with_one_forgotten();
    fs::rename(site.path("lacuna.db"), site.path("away.db")).unwrap();
    assert_eq!(site.unchecked().upkeep().start().unwrap_err().code(), "rolled_back");
    assert_eq!(site.unchecked().ask("anna", "heron").err().unwrap().code(), "rolled_back");
    fs::rename(site.path("away.db"), site.path("lacuna.db")).unwrap();
    fs::rename(site.path("keystore.db"), site.path("away.db")).unwrap();
    assert_eq!(site.unchecked().ask("anna", "heron").err().unwrap().code(), "missing_key");
    assert_eq!(site.unchecked().keep("bert", "A new vault.").unwrap_err().code(), "missing_key");
    fs::rename(site.path("away.db"), site.path("keystore.db")).unwrap();
    assert_eq!(site.service().texts("anna", "heron").len(), 1);
}

#[test]
fn a_destroyed_vault_may_begin_anew_and_its_old_copy_is_not_served() {
    let site = Site::new();
    let lacuna = site.service();
    lacuna.keep("anna", TEXT).unwrap();
    drop(lacuna);
    site.save();
    site.clock.advance(SignedDuration::from_secs(60));
    let lacuna = site.service();
    let grant: Grant<lacuna_core::permit::Destroy> = grant("anna");
    let plan = lacuna.plan_destroy(&grant).unwrap();
    lacuna.destroy(&grant, &plan.token).unwrap();
    assert_eq!(lacuna.texts("anna", "otter"), Vec::<String>::new());
    site.clock.advance(SignedDuration::from_secs(60));
    lacuna.keep("anna", "A new beginning.").unwrap();
    drop(lacuna);
    assert_eq!(site.service().texts("anna", "beginning").len(), 1);
    site.put_back(&["lacuna.db", "keystore.db"]);
    let lacuna = site.unchecked();
    let _ = lacuna.upkeep().start();
    assert!(lacuna.ask("anna", "otter").map_or(true, |found| found.hits.is_empty()));
}

#[test]
fn an_absent_or_foreign_key_folder_is_refused_and_stays_empty() {
    let site = Site::new();
    site.service().keep("anna", TEXT).unwrap();
    let other = Site::new();
    other.service().keep("zoe", "Elsewhere.").unwrap();
    fs::rename(other.path("keys"), site.path("foreign")).unwrap();
    for (folder, code) in [("absent", "missing_key"), ("foreign", "wrong_key")] {
        let lacuna = site.with_keys(folder);
        assert_eq!(lacuna.upkeep().start().unwrap_err().code(), code);
        assert_eq!(lacuna.check().unwrap_err().code(), code);
        for user in ["anna", "ben"] {
            assert_eq!(lacuna.keep(user, "More.").unwrap_err().code(), code, "{folder} {user}");
        }
    }
    let made = fs::read_dir(site.path("absent")).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(made.into_iter().all(|name| !name.to_str().unwrap().ends_with(".key")));
    assert_eq!(site.service().texts("anna", "otter").len(), 1);
    assert_eq!(site.service().texts("ben", "more"), Vec::<String>::new());
}

#[test]
fn a_missing_signing_or_master_key_is_not_made_anew() {
    let site = Site::new();
    site.service().keep("anna", TEXT).unwrap();
    for start in ["signing", "master"] {
        let names = fs::read_dir(site.path("keys")).unwrap().map(|entry| entry.unwrap().path());
        let file =
            names.into_iter().find(|path| path.file_name().unwrap().to_str().unwrap().starts_with(start));
        let (file, aside) = (file.unwrap(), site.path("aside.key"));
        fs::rename(&file, &aside).unwrap();
        let error = site.unchecked().keep("ben", "More.").unwrap_err();
        assert_eq!(error.code(), "missing_key");
        assert!(error.to_string().contains(file.file_name().unwrap().to_str().unwrap()), "{error}");
        assert!(!file.exists());
        fs::rename(&aside, &file).unwrap();
    }
    site.service().keep("ben", "More.").unwrap();
}

#[test]
fn a_keystore_without_fingerprints_gets_those_of_the_folder_that_opens_it_and_of_no_other() {
    let site = Site::new();
    site.service().keep("anna", TEXT).unwrap();
    let other = Site::new();
    other.service().keep("zoe", "Elsewhere.").unwrap();
    fs::rename(other.path("keys"), site.path("foreign")).unwrap();
    assert_eq!(site.sql("keystore.db", "DELETE FROM fingerprint"), 3);
    for folder in ["foreign", "absent"] {
        let lacuna = site.with_keys(folder);
        let code = lacuna.upkeep().start().unwrap_err().code();
        assert!(matches!(code, "wrong_key" | "missing_key"), "{code}");
        assert_eq!(lacuna.keep("ben", "More.").unwrap_err().code(), code);
    }
    site.service();
    let keys = SqliteKeys::open(site.path("keystore.db")).unwrap();
    assert_eq!(keys.fingerprints().unwrap().len(), 3);
}

#[test]
fn a_node_with_an_old_epoch_refuses_and_drops_what_it_holds() {
    let site = Site::new();
    let node = site.service();
    node.keep("anna", TEXT).unwrap();
    fs::create_dir(site.path("copy")).unwrap();
    for entry in fs::read_dir(site.path("keys")).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, site.path("copy").join(path.file_name().unwrap())).unwrap();
    }
    let outdated = site.with_keys("copy");
    assert_eq!(outdated.texts("anna", "otter").len(), 1);
    node.renew_epoch(&admin(), |_| {}).unwrap();
    outdated.upkeep().close_idle(BACKUP_KEPT);
    assert_eq!(outdated.open_load().vaults, 0);
    let error = outdated.ask("anna", "otter").err().unwrap();
    assert_eq!(error.code(), "missing_key");
    assert!(error.to_string().contains("epoch-2.key"), "{error}");
    assert_eq!(outdated.check().unwrap_err().code(), "missing_key");
    assert_eq!(outdated.keep("ben", "More.").unwrap_err().code(), "missing_key");
    assert_eq!(node.texts("anna", "otter").len(), 1);
}

#[test]
fn a_renewal_skips_and_reports_a_vault_that_does_not_open_and_leaves_no_other_key() {
    let site = Site::new();
    let lacuna = site.service();
    lacuna.keep("anna", TEXT).unwrap();
    lacuna.keep("bert", "The lynx echo hunts at night.").unwrap();
    let bad = scope("bert").vault_id();
    let hex: String = bad.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(
        site.sql("keystore.db", &format!("UPDATE root SET wrapped = zeroblob(80) WHERE vault = x'{hex}'")),
        1
    );
    for epoch in [2, 3, 4] {
        let renewal = lacuna.renew_epoch(&admin(), |_| {}).unwrap();
        assert_eq!((renewal.epoch, renewal.vaults, renewal.kept), (epoch, 1, vec![1]));
        assert_eq!(
            renewal.skipped.iter().map(|one| (one.vault, one.code)).collect::<Vec<_>>(),
            [(bad, "wrong_key")]
        );
        assert_eq!(site.epoch_files(), ["epoch-1.key".to_owned(), format!("epoch-{epoch}.key")]);
    }
    assert_eq!(lacuna.texts("anna", "otter").len(), 1);
}

#[test]
fn a_renewal_that_fails_is_finished_with_the_same_epoch() {
    let world = World::sqlite();
    world.service().keep("anna", TEXT).unwrap();
    let (lacuna, faults) = world.faulty();
    let mut failed = 0;
    for step in 1..200 {
        faults.fail(step, lacuna_store::rows::FaultTiming::Before);
        match lacuna.renew_epoch(&admin(), |_| {}) {
            Err(_) => failed += 1,
            Ok(renewal) => {
                assert_eq!((renewal.epoch, renewal.destroyed), (2, 1));
                assert!(failed > 2);
                return;
            }
        }
    }
    panic!("the renewal never ended");
}

#[test]
fn a_deleted_receipt_shows() {
    let site = Site::new();
    let lacuna = site.service();
    let mut ids = Vec::new();
    for text in ["The heron alpha nests.", TEXT, "The stork delta stands."] {
        ids.push(lacuna.keep("anna", text).unwrap());
    }
    for id in ids {
        lacuna.erase("anna", id).unwrap();
    }
    let receipts = lacuna.receipts(&grant::<ReadAudit>("anna"), 0).unwrap().len();
    let org = OrgId::new("acme").unwrap();
    lacuna.upkeep().check_receipts(&org).unwrap();
    drop(lacuna);
    let kind = "SELECT kind FROM record GROUP BY kind ORDER BY count(*) DESC LIMIT 1";
    for which in ["min", "max"] {
        site.save();
        let sql = format!(
            "DELETE FROM record WHERE kind = ({kind}) AND number = (SELECT {which}(number) FROM record)"
        );
        assert_eq!(site.sql("lacuna.db", &sql), 1, "of {receipts}");
        let lacuna = site.service();
        assert_eq!(lacuna.upkeep().check_receipts(&org).unwrap_err().code(), "corrupt");
        assert_eq!(lacuna.verify_audit(&grant("anna")).unwrap_err().code(), "corrupt");
        drop(lacuna);
        site.put_back(&["lacuna.db"]);
    }
}

#[test]
fn a_write_leaves_its_end_in_the_anchor_when_the_service_ends_and_not_before() {
    let site = Site::new();
    let lacuna = site.service();
    lacuna.keep("anna", TEXT).unwrap();
    fs::create_dir_all(site.path("keys")).unwrap();
    let anchor = Anchor::open(&site.path("keys")).unwrap();
    let vault = scope("anna").vault_id();
    assert_eq!(anchor.head(vault).unwrap(), None);
    lacuna.upkeep().flush_reads().unwrap();
    let flushed = anchor.head(vault).unwrap().unwrap();
    lacuna.keep("anna", "More.").unwrap();
    assert_eq!(anchor.head(vault).unwrap(), Some(flushed));
    drop(lacuna);
    assert!(anchor.head(vault).unwrap().unwrap().revision > flushed.revision);
}

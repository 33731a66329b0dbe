//! Looks at everything an installation stands on, changes nothing, and says what to do.

mod vaults;

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;

use jiff::SignedDuration;
use lacuna_core::Lacuna;
use lacuna_core::permit::{Caller, permit};
use lacuna_seal::{KeyPages, key_pages};
use lacuna_store::keys::KeyStore;
use lacuna_store::rows::LoginRole;
use lacuna_types::embed::{Embedder, Purpose};
use lacuna_types::{Clock, SystemClock};
use serde::Serialize;

use super::output::{Output, counted, line};
use crate::assemble::{self, Installation, Layout};
use crate::codes;
use crate::config::{Config, CustodyKind, EmbedderChoice, StoreChoice};
use crate::wire::failure::{Failure, Result};

/// Permissions that others on the machine must not have.
const OTHERS: u32 = 0o077;

/// Vaults behind the anchor that are named; all are counted.
const BEHIND_SHOWN: usize = 5;

/// A keystore that was put back is a warning for so long; the audit names it for good.
const REPLAY_TOLD: SignedDuration = SignedDuration::from_hours(30 * 24);

/// Failed deliveries that are named; all are counted.
const FAILED_SHOWN: usize = 5;

/// Changed vaults that are named; all are counted.
const CHANGED_SHOWN: usize = 5;

#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum CheckMark {
    Ok,
    Warn,
    Fail,
}

#[derive(Serialize)]
struct DoctorCheck {
    check: &'static str,
    mark: CheckMark,
    found: String,
    #[serde(skip_serializing_if = "str::is_empty")]
    hint: &'static str,
}

#[derive(Serialize)]
struct DoctorReport {
    version: &'static str,
    checks: Vec<DoctorCheck>,
}

impl DoctorCheck {
    fn ok(check: &'static str, found: impl Into<String>) -> Self {
        Self { check, mark: CheckMark::Ok, found: found.into(), hint: "" }
    }

    fn warn(check: &'static str, found: impl Into<String>, hint: &'static str) -> Self {
        Self { check, mark: CheckMark::Warn, found: found.into(), hint }
    }

    fn failed(check: &'static str, failure: &Failure) -> Self {
        let found = format!("{}: {}", failure.code.name, failure.detail);
        Self { check, mark: CheckMark::Fail, found, hint: failure.code.remedy }
    }

    fn of(check: &'static str, result: Result<String>) -> Self {
        result.map_or_else(|failure| Self::failed(check, &failure), |found| Self::ok(check, found))
    }
}

pub(super) fn run(config: &Config, output: &Output) -> Result<()> {
    let mut checks = vec![DoctorCheck::ok("version", env!("CARGO_PKG_VERSION"))];
    let layout = Layout::new(&config.data);
    if layout.data.exists() {
        checks.extend(folders(&layout));
        checks.push(vaults::files(&layout));
        // Opening an installation would make the folders that are missing.
        if checks.iter().all(|check| check.mark != CheckMark::Fail) {
            checks.extend(installation(config, &layout));
        }
    } else {
        let found = format!("{} is not there yet", layout.data.display());
        checks.push(DoctorCheck::warn("data folder", found, "It is made by the first `lacuna remember`."));
    }
    checks.extend(models(&config.embedder));

    let report = DoctorReport { version: env!("CARGO_PKG_VERSION"), checks };
    let failed = report.checks.iter().filter(|check| check.mark == CheckMark::Fail).count();
    output.show(&report, people)?;
    match failed {
        0 => Ok(()),
        _ => Err(Failure::new(&codes::UNSOUND, format!("{failed} of the checks failed"))),
    }
}

fn folders(layout: &Layout) -> Vec<DoctorCheck> {
    let folders = [
        ("data folder", layout.data.clone()),
        ("key folder", layout.keys()),
        ("keystore folder", layout.keystore()),
        ("blob folder", layout.blobs()),
    ];
    folders.iter().map(|(name, folder)| private_folder(name, folder)).collect()
}

/// Checks that a folder is there, that it can be read and written, and that nobody else can.
fn private_folder(name: &'static str, folder: &Path) -> DoctorCheck {
    let shown = folder.display();
    match fs::metadata(folder).and_then(|meta| fs::read_dir(folder).map(|_| meta)) {
        Err(error) if error.kind() == ErrorKind::NotFound => DoctorCheck {
            check: name,
            mark: CheckMark::Fail,
            found: format!("{shown} is missing"),
            hint: "Put it back from a backup.",
        },
        Err(error) => {
            let failure = Failure::new(&codes::DATA_FOLDER_UNAVAILABLE, format!("{shown}: {error}"));
            DoctorCheck::failed(name, &failure)
        }
        Ok(meta) if meta.mode() & OTHERS != 0 => {
            let found = format!("{shown} is open to others ({:o})", meta.mode() & 0o777);
            DoctorCheck::warn(name, found, "Run chmod 700 on it.")
        }
        Ok(meta) if meta.mode() & 0o200 == 0 => {
            DoctorCheck::warn(name, format!("{shown} is read-only"), "Run chmod 700 on it to write again.")
        }
        Ok(_) => DoctorCheck::ok(name, shown.to_string()),
    }
}

/// Opens what is there, and looks into the local user's vault.
fn installation(config: &Config, layout: &Layout) -> Vec<DoctorCheck> {
    let folder = match assemble::enter(config) {
        Ok(folder) => folder,
        Err(failure) => return vec![DoctorCheck::failed("data folder", &failure)],
    };
    let mut checks = Vec::new();
    if let Err(failure) = assemble::refuse_lost_database(config, layout) {
        checks.push(DoctorCheck::failed("database", &failure));
        return checks;
    }
    let stores = match &config.store {
        StoreChoice::Sqlite if !layout.database().exists() => {
            if let Ok(keys) = assemble::open_keys(config, layout) {
                checks.push(custody(config, layout, &keys).1);
            }
            checks.push(DoctorCheck::warn(
                "database",
                "nothing is stored yet",
                "Run `lacuna remember \"The ferry leaves at noon.\"` first.",
            ));
            return checks;
        }
        _ => assemble::open_stores(config, layout),
    };
    let kms_is_open = match &stores {
        Ok((_, keys)) => {
            let (open, check) = custody(config, layout, keys);
            checks.push(check);
            open
        }
        Err(_) => false,
    };
    checks.push(DoctorCheck::of(
        "database",
        stores
            .as_ref()
            .map(|_| "opens".to_owned())
            .map_err(|failure| Failure::new(failure.code, failure.detail.clone())),
    ));
    if !kms_is_open {
        return checks;
    }
    if let StoreChoice::Postgres { beside: true, .. } = config.store {
        checks.push(DoctorCheck::warn(
            "keys beside data",
            "wrapped keys and sealed data are in one database",
            "One dump holds both. Name another database in `keys`.",
        ));
    }
    checks.extend(login_roles(config));
    match assemble::assemble_unchecked_in(config, folder) {
        Ok(Installation { service, store, local, .. }) => {
            checks.push(belonging(&service));
            checks.extend(anchor(&service, &local));
            checks.push(authenticity(&service));
            checks.extend(vault(&service, &local));
            checks.extend(vaults::look(&service, &*store));
            checks.push(key_memory(key_pages()));
        }
        Err(failure) => checks.push(DoctorCheck::failed("service", &failure)),
    }
    checks.push(vaults::not_checked(config));
    checks
}

/// Takes one key out of its custody, or says what is wrong with it.
fn custody(config: &Config, layout: &Layout, keys: &Arc<dyn KeyStore>) -> (bool, DoctorCheck) {
    let found = assemble::open_kms(config, layout, keys).and_then(|kms| {
        let place = if config.custody.kind == CustodyKind::Local {
            String::new()
        } else {
            format!(" in {}", kms.shown())
        };
        Ok(format!("{}{place}", epoch(kms.newest_epoch()?)))
    });
    (found.is_ok(), DoctorCheck::of("keys", found))
}

/// Warns of a login role that can switch row-level security off.
fn login_roles(config: &Config) -> Vec<DoctorCheck> {
    let checks = ["login role of the data", "login role of the keys"];
    let roles = match assemble::login_roles(config) {
        Ok(roles) => roles.into_iter().flatten(),
        Err(failure) => return vec![DoctorCheck::failed(checks[0], &failure)],
    };
    let judge = |(check, role): (&'static str, LoginRole)| match role.excess.as_slice() {
        [] => DoctorCheck::ok(check, format!("{} owns nothing", role.name)),
        excess => DoctorCheck::warn(
            check,
            format!("{} {}", role.name, excess.join(", ")),
            "Its password switches row-level security off. Set up the roles of docs/operations.md.",
        ),
    };
    checks.into_iter().zip(roles).map(judge).collect()
}

/// Compares the key folder with the fingerprints in the keystore.
fn belonging(service: &Lacuna) -> DoctorCheck {
    let found = service.check().map(|()| "the key folder belongs to the keystore".to_owned());
    DoctorCheck::of("key fingerprints", found.map_err(Failure::from))
}

/// Compares database, keystore and epoch keys with the anchor, and the receipts with their numbers.
fn anchor(service: &Lacuna, local: &Caller) -> Vec<DoctorCheck> {
    let report = match service.upkeep().compare_with_anchor() {
        Ok(report) => report,
        Err(error) => return vec![DoctorCheck::failed("anchor", &error.into())],
    };
    let mut checks = vec![match report.behind {
        0 => DoctorCheck::ok(
            "anchor",
            format!("{} not behind it", counted(report.known as usize, "vault is", "vaults are")),
        ),
        behind => {
            let named: Vec<_> = report.named.iter().take(BEHIND_SHOWN).map(ToString::to_string).collect();
            let vaults = counted(behind as usize, "vault is", "vaults are");
            let detail = format!("{vaults} older in the database: {}", named.join(", "));
            DoctorCheck::failed("anchor", &Failure::new(&codes::ROLLED_BACK, detail))
        }
    }];
    checks.push(match report.replayed_at {
        None => DoctorCheck::ok("erasure ledger", "the keystore was never behind its anchor"),
        Some(at) if SystemClock.now().duration_since(at) > REPLAY_TOLD => {
            DoctorCheck::ok("erasure ledger", format!("the keystore was behind its anchor at {at}, long ago"))
        }
        Some(at) => DoctorCheck::warn(
            "erasure ledger",
            format!("the keystore was behind its anchor at {at}; what was erased since was erased again"),
            "An old keystore was put back, unless an erasure was cut short by a crash then. Find out by whom; \
             `lacuna audit list --scope org` counts the keys (`ledger_replayed`).",
        ),
    });
    checks.push(match report.stray_epochs.as_slice() {
        [] => DoctorCheck::ok("epoch keys", "each is needed"),
        stray => DoctorCheck::warn(
            "epoch keys",
            format!("nobody needs epoch {stray:?}"),
            "Run `lacuna keys renew-epoch`: it destroys them.",
        ),
    });
    let receipts = service.upkeep().check_receipts(&local.org).map(|()| "none is missing".to_owned());
    checks.push(DoctorCheck::of("receipts", receipts.map_err(Failure::from)));
    checks
}

/// Asked after the vaults were opened, when their keys were in RAM.
fn key_memory(pages: KeyPages) -> DoctorCheck {
    const CHECK: &str = "keys in RAM";
    match pages.refused {
        0 => DoctorCheck::ok(CHECK, "in locked memory, which is not swapped"),
        refused => DoctorCheck::warn(
            CHECK,
            format!("{refused} of {} are not locked", counted(refused + pages.locked, "page", "pages")),
            "Allow more locked memory: `ulimit -l`, or `LimitMEMLOCK=` of a systemd unit.",
        ),
    }
}

fn epoch(newest: Option<u32>) -> String {
    newest.map_or("none made yet".to_owned(), |epoch| format!("open, epoch {epoch}"))
}

/// Checks the authentication codes of every vault, of whatever organisation.
fn authenticity(service: &Lacuna) -> DoctorCheck {
    match service.upkeep().changed_vaults() {
        Ok(changed) if changed.is_empty() => {
            DoctorCheck::ok("authenticity", "rows, tokens, members and headers are those that Lacuna wrote")
        }
        Ok(changed) => {
            let named = changed.iter().take(CHANGED_SHOWN).map(|changed| changed.found.as_str());
            let found = format!(
                "{} outside Lacuna: {}",
                counted(changed.len(), "vault was changed", "vaults were changed"),
                named.collect::<Vec<_>>().join("; ")
            );
            DoctorCheck { check: "authenticity", mark: CheckMark::Fail, found, hint: codes::TAMPERED.remedy }
        }
        Err(error) => DoctorCheck::failed("authenticity", &error.into()),
    }
}

/// A vault that its person locked is as it should be.
fn failed_unless_locked(check: &'static str, error: lacuna_types::Error) -> DoctorCheck {
    match error.code() == codes::VAULT_LOCKED.name {
        true => DoctorCheck::ok(check, "not looked at: the vault is locked by its person"),
        false => DoctorCheck::failed(check, &error.into()),
    }
}

fn vault(service: &Arc<Lacuna>, local: &Caller) -> Vec<DoctorCheck> {
    let scope = local.personal_scope();
    let count = permit(local, &scope).and_then(|grant| service.count(&grant));
    let memories = match count {
        Ok((whole, 0)) => {
            DoctorCheck::ok("memories", format!("{whole} of {} in {}, all whole", local.user, local.org))
        }
        Ok((whole, damaged)) => DoctorCheck {
            check: "memories",
            mark: CheckMark::Fail,
            found: format!("{whole} whole, {damaged} damaged"),
            hint: codes::CORRUPT.remedy,
        },
        Err(error) => failed_unless_locked("memories", error),
    };
    let audit = permit(local, &scope).and_then(|grant| service.verify_audit(&grant));
    let audit = audit
        .map(|report| format!("{}, the chain holds", counted(report.entries as usize, "entry", "entries")));
    let backlog = match permit(local, &scope).and_then(|grant| service.waiting(&grant)) {
        Ok(0) => DoctorCheck::ok("backlog", "no memory waits for the main model"),
        Ok(waiting) => DoctorCheck::warn(
            "backlog",
            format!("{} for the main model", counted(waiting, "memory waits", "memories wait")),
            "It follows with the next `lacuna remember`, or while `lacuna serve` runs.",
        ),
        Err(error) => failed_unless_locked("backlog", error),
    };
    vec![
        memories,
        DoctorCheck::of("audit", audit.map_err(Failure::from)),
        backlog,
        deliveries(service, local),
    ]
}

/// Recipients that never heard of an erasure need somebody's attention.
fn deliveries(service: &Lacuna, local: &Caller) -> DoctorCheck {
    match service.failed_deliveries(&local.org) {
        Ok(failed) if failed.is_empty() => DoctorCheck::ok("webhooks", "no delivery was given up"),
        Ok(failed) => {
            let told = failed.iter().map(|delivery| {
                let trouble = delivery.trouble.as_deref().unwrap_or("unknown");
                format!("{} to {} ({trouble})", delivery.notification.reference, delivery.recipient)
            });
            let told: Vec<_> = told.take(FAILED_SHOWN).collect();
            let found = format!("{} given up: {}", counted(failed.len(), "was", "were"), told.join(", "));
            DoctorCheck::warn(
                "webhooks",
                found,
                "Tell these recipients by other means, and correct the webhook.",
            )
        }
        Err(error) => DoctorCheck::failed("webhooks", &error.into()),
    }
}

/// Each model's first use checks it against its golden vectors.
fn models(choice: &EmbedderChoice) -> Vec<DoctorCheck> {
    let found = |embedder: &dyn Embedder| -> Result<String> {
        let vectors = embedder.embed(&["A model that answers."], Purpose::Passage)?;
        let dimensions = vectors.first().map_or(0, Vec::len);
        Ok(format!("{}, {dimensions} dimensions", embedder.model()))
    };
    match assemble::models(choice) {
        Err(failure) => vec![DoctorCheck::failed("models", &failure)],
        Ok(models) if models.main.model() == models.instant.model() => {
            vec![DoctorCheck::of("model", found(&*models.main))]
        }
        Ok(models) => vec![
            DoctorCheck::of("instant model", found(&*models.instant)),
            DoctorCheck::of("main model", found(&*models.main)),
        ],
    }
}

/// One line a check with its hint below: a path can be copied only when it stands on one line.
fn people(report: &DoctorReport) -> String {
    let width = report.checks.iter().map(|check| check.check.len()).max().unwrap_or(0);
    let mut lines = Vec::new();
    for DoctorCheck { check, mark, found, hint } in &report.checks {
        let mark = match mark {
            CheckMark::Ok => "ok",
            CheckMark::Warn => "warn",
            CheckMark::Fail => "FAIL",
        };
        lines.push(format!("{mark:4}  {check:width$}  {}", line(found)));
        if !hint.is_empty() {
            lines.push(format!("{:4}  {:width$}  what to do: {hint}", "", ""));
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_may_be_swapped_are_a_warning() {
        let locked = key_memory(KeyPages { locked: 2, refused: 0 });
        assert!(locked.mark == CheckMark::Ok, "{}", locked.found);
        let refused = key_memory(KeyPages { locked: 2, refused: 1 });
        assert!(refused.mark == CheckMark::Warn);
        assert_eq!(refused.found, "1 of 3 pages are not locked");
    }

    #[test]
    fn a_path_stays_on_its_line_and_the_hint_stands_below() {
        let path = format!("/home/anna/{}", "folder/".repeat(20));
        let checks = vec![
            DoctorCheck::ok("version", "1"),
            DoctorCheck::warn("key folder", format!("{path} is open\nto others"), "Run chmod 700 on it."),
        ];
        let shown = people(&DoctorReport { version: "1", checks });
        let lines: Vec<_> = shown.lines().collect();
        assert_eq!(lines[0], "ok    version     1");
        assert_eq!(lines[1], format!("warn  key folder  {path} is open to others"));
        assert_eq!(lines[2], "                  what to do: Run chmod 700 on it.");
        assert_eq!(lines.len(), 3);
    }
}

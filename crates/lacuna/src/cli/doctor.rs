//! Looks at everything an installation stands on, changes nothing, and says what to do.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;

use lacuna_core::Lacuna;
use lacuna_core::embed::{Embedder, Purpose};
use lacuna_core::permit::{Caller, permit};
use serde::Serialize;

use super::output::{Output, table};
use crate::assemble::{self, Installation, Layout};
use crate::codes;
use crate::config::{Config, EmbedderChoice, StoreChoice};
use crate::failure::{Failure, Result};

/// Permissions that others on the machine must not have.
const OTHERS: u32 = 0o077;

/// Failed deliveries that are named; all are counted.
const FAILED_SHOWN: usize = 5;

#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Mark {
    Ok,
    Warn,
    Fail,
}

#[derive(Serialize)]
struct Check {
    check: &'static str,
    mark: Mark,
    found: String,
    #[serde(skip_serializing_if = "str::is_empty")]
    hint: &'static str,
}

#[derive(Serialize)]
struct Report {
    version: &'static str,
    checks: Vec<Check>,
}

impl Check {
    fn ok(check: &'static str, found: impl Into<String>) -> Self {
        Self { check, mark: Mark::Ok, found: found.into(), hint: "" }
    }

    fn warn(check: &'static str, found: impl Into<String>, hint: &'static str) -> Self {
        Self { check, mark: Mark::Warn, found: found.into(), hint }
    }

    fn failed(check: &'static str, failure: &Failure) -> Self {
        let found = format!("{}: {}", failure.code.name, failure.detail);
        Self { check, mark: Mark::Fail, found, hint: failure.code.remedy }
    }

    fn of(check: &'static str, result: Result<String>) -> Self {
        result.map_or_else(|failure| Self::failed(check, &failure), |found| Self::ok(check, found))
    }
}

pub(super) fn run(config: &Config, output: &Output) -> Result<()> {
    let mut checks = vec![Check::ok("version", env!("CARGO_PKG_VERSION"))];
    let layout = Layout::new(&config.data);
    if layout.data.exists() {
        checks.extend(folders(&layout));
        // Opening an installation would make the folders that are missing.
        if checks.iter().all(|check| check.mark != Mark::Fail) {
            checks.extend(installation(config, &layout));
        }
    } else {
        let found = format!("{} is not there yet", layout.data.display());
        checks.push(Check::warn("data folder", found, "It is made by the first `lacuna remember`."));
    }
    checks.extend(models(&config.embedder));

    let report = Report { version: env!("CARGO_PKG_VERSION"), checks };
    let failed = report.checks.iter().filter(|check| check.mark == Mark::Fail).count();
    output.show(&report, people)?;
    match failed {
        0 => Ok(()),
        _ => Err(Failure::new(&codes::UNSOUND, format!("{failed} of the checks failed"))),
    }
}

fn folders(layout: &Layout) -> Vec<Check> {
    let folders = [
        ("data folder", layout.data.clone()),
        ("key folder", layout.keys()),
        ("keystore folder", layout.keystore()),
        ("blob folder", layout.blobs()),
    ];
    folders.iter().map(|(name, folder)| private_folder(name, folder)).collect()
}

/// Checks that a folder is there, that it can be read and written, and that nobody else can.
fn private_folder(name: &'static str, folder: &Path) -> Check {
    let shown = folder.display();
    match fs::metadata(folder).and_then(|meta| fs::read_dir(folder).map(|_| meta)) {
        Err(error) if error.kind() == ErrorKind::NotFound => Check {
            check: name,
            mark: Mark::Fail,
            found: format!("{shown} is missing"),
            hint: "Put it back from a backup.",
        },
        Err(error) => {
            let failure = Failure::new(&codes::DATA_FOLDER_UNAVAILABLE, format!("{shown}: {error}"));
            Check::failed(name, &failure)
        }
        Ok(meta) if meta.mode() & OTHERS != 0 => {
            let found = format!("{shown} is open to others ({:o})", meta.mode() & 0o777);
            Check::warn(name, found, "Run chmod 700 on it.")
        }
        Ok(meta) if meta.mode() & 0o200 == 0 => {
            Check::warn(name, format!("{shown} is read-only"), "Run chmod 700 on it to write again.")
        }
        Ok(_) => Check::ok(name, shown.to_string()),
    }
}

/// Opens what is there, and looks into the local user's vault.
fn installation(config: &Config, layout: &Layout) -> Vec<Check> {
    let kms = assemble::open_kms(layout);
    let mut checks = vec![match &kms {
        Ok(kms) => Check::of("keys", kms.newest_epoch().map_err(Failure::from).map(epoch)),
        Err(failure) => Check::failed("keys", failure),
    }];
    let stores = match &config.store {
        StoreChoice::Sqlite if !layout.database().exists() => {
            checks.push(Check::warn("database", "nothing is stored yet", "Remember something first."));
            return checks;
        }
        _ => assemble::open_stores(config, layout),
    };
    checks.push(Check::of(
        "database",
        stores
            .as_ref()
            .map(|_| "opens".to_owned())
            .map_err(|failure| Failure::new(failure.code, failure.detail.clone())),
    ));
    if kms.is_err() || stores.is_err() {
        return checks;
    }
    match assemble::assemble(config) {
        Ok(Installation { service, local, .. }) => checks.extend(vault(&service, &local)),
        Err(failure) => checks.push(Check::failed("service", &failure)),
    }
    checks
}

fn epoch(newest: Option<u32>) -> String {
    newest.map_or("none made yet".to_owned(), |epoch| format!("open, epoch {epoch}"))
}

fn vault(service: &Arc<Lacuna>, local: &Caller) -> Vec<Check> {
    let scope = local.personal_scope();
    let count = permit(local, &scope).and_then(|grant| service.count(&grant));
    let memories = match count {
        Ok((whole, 0)) => {
            Check::ok("memories", format!("{whole} of {} in {}, all whole", local.user, local.org))
        }
        Ok((whole, damaged)) => Check {
            check: "memories",
            mark: Mark::Fail,
            found: format!("{whole} whole, {damaged} damaged"),
            hint: codes::CORRUPT.remedy,
        },
        Err(error) => Check::failed("memories", &error.into()),
    };
    let audit = permit(local, &scope).and_then(|grant| service.verify_audit(&grant));
    let audit = audit.map(|report| format!("{} entries, the chain holds", report.entries));
    let backlog = match permit(local, &scope).and_then(|grant| service.waiting(&grant)) {
        Ok(0) => Check::ok("backlog", "no memory waits for the main model"),
        Ok(waiting) => Check::warn(
            "backlog",
            format!("{waiting} memories wait for the main model"),
            "It follows with the next `lacuna remember`, or while `lacuna serve` runs.",
        ),
        Err(error) => Check::failed("backlog", &error.into()),
    };
    vec![memories, Check::of("audit", audit.map_err(Failure::from)), backlog, deliveries(service, local)]
}

/// Recipients that never heard of an erasure need somebody's attention.
fn deliveries(service: &Lacuna, local: &Caller) -> Check {
    match service.failed_deliveries(&local.org) {
        Ok(failed) if failed.is_empty() => Check::ok("webhooks", "no delivery was given up"),
        Ok(failed) => {
            let told = failed.iter().map(|delivery| {
                let trouble = delivery.trouble.as_deref().unwrap_or("unknown");
                format!("{} to {} ({trouble})", delivery.tidings.reference, delivery.recipient)
            });
            let told: Vec<_> = told.take(FAILED_SHOWN).collect();
            let found = format!("{} were given up: {}", failed.len(), told.join(", "));
            Check::warn("webhooks", found, "Tell these recipients by other means, and correct the webhook.")
        }
        Err(error) => Check::failed("webhooks", &error.into()),
    }
}

/// Each model's first use checks it against its golden vectors.
fn models(choice: &EmbedderChoice) -> Vec<Check> {
    let found = |embedder: &dyn Embedder| -> Result<String> {
        let vectors = embedder.embed(&["A model that answers."], Purpose::Passage)?;
        let dimensions = vectors.first().map_or(0, Vec::len);
        Ok(format!("{}, {dimensions} dimensions", embedder.model()))
    };
    match assemble::models(choice) {
        Err(failure) => vec![Check::failed("models", &failure)],
        Ok(models) if models.main.model() == models.instant.model() => {
            vec![Check::of("model", found(&*models.main))]
        }
        Ok(models) => vec![
            Check::of("instant model", found(&*models.instant)),
            Check::of("main model", found(&*models.main)),
        ],
    }
}

fn people(report: &Report) -> String {
    let rows = report.checks.iter().map(|check| {
        let mark = match check.mark {
            Mark::Ok => "ok",
            Mark::Warn => "warn",
            Mark::Fail => "FAIL",
        };
        [mark.to_owned(), check.check.to_owned(), check.found.clone(), check.hint.to_owned()]
    });
    table(["", "check", "found", "hint"], rows)
}

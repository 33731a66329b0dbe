//! Looks into every vault and at every file of the data folder. It shows counts and ids, and no content.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use lacuna_core::Lacuna;
use lacuna_core::govern::Examined;
use lacuna_store::rows::Store;
use lacuna_types::{MemoryId, Result};

use super::{CheckMark, DoctorCheck, OTHERS};
use crate::assemble::Layout;
use crate::cli::output::counted;
use crate::codes;
use crate::config::{Config, StoreChoice};
use crate::wire::failure::Failure;

/// Vaults that are looked up at a time.
const VAULTS_PAGE: usize = 256;
/// Damaged memories, closed vaults and open files that are named; all are counted.
const NAMED_MAX: usize = 5;

/// The sum over all vaults.
#[derive(Default)]
struct Sum {
    vaults: usize,
    whole: usize,
    damaged: Vec<MemoryId>,
    stray_keys: usize,
    stray_blobs: usize,
    /// Vaults that could not be opened, by the code of the failure.
    closed: Vec<&'static str>,
    /// Vaults that their person locked, which is no trouble.
    locked: usize,
}

impl Sum {
    fn add(&mut self, examined: Result<Examined>) {
        self.vaults += 1;
        match examined {
            Ok(examined) => {
                self.whole += examined.whole;
                self.damaged.extend(examined.damaged);
                self.stray_keys += examined.stray_keys;
                self.stray_blobs += examined.stray_blobs;
            }
            Err(error) if error.code() == codes::VAULT_LOCKED.name => self.locked += 1,
            Err(error) => self.closed.push(error.code()),
        }
    }
}

/// Opens every memory of every vault, with its text.
pub(super) fn look(service: &Lacuna, store: &dyn Store) -> Vec<DoctorCheck> {
    let mut sum = Sum::default();
    let mut after = None;
    loop {
        let page = match store.vaults(after, VAULTS_PAGE) {
            Ok(page) => page,
            Err(error) => return vec![DoctorCheck::failed("vaults", &Failure::from(error))],
        };
        let Some(last) = page.last() else { break };
        after = Some(last.id);
        page.iter().for_each(|header| sum.add(service.upkeep().examine(&header.scope)));
    }
    vec![texts(&sum), left_over(&sum)]
}

fn texts(sum: &Sum) -> DoctorCheck {
    let opened = sum.vaults - sum.closed.len() - sum.locked;
    let mut found = format!(
        "{} in {} of {} open with their texts",
        counted(sum.whole, "memory", "memories"),
        opened,
        counted(sum.vaults, "vault", "vaults"),
    );
    if sum.locked > 0 {
        found.push_str(&format!("; {} locked by their person", sum.locked));
    }
    if sum.damaged.is_empty() && sum.closed.is_empty() {
        return DoctorCheck::ok("vaults", found);
    }
    let ids = sum.damaged.iter().map(ToString::to_string);
    let closed = sum.closed.iter().map(|code| format!("a vault ({code})"));
    let named: Vec<_> = ids.chain(closed).take(NAMED_MAX).collect();
    let troubles = counted(sum.damaged.len() + sum.closed.len(), "trouble", "troubles");
    let found = format!("{found}; {troubles}: {}", named.join(", "));
    DoctorCheck { check: "vaults", mark: CheckMark::Fail, found, hint: codes::CORRUPT.remedy }
}

/// Keys and blobs that a crash left over are no damage: they go by themselves.
fn left_over(sum: &Sum) -> DoctorCheck {
    match (sum.stray_keys, sum.stray_blobs) {
        (0, 0) => DoctorCheck::ok("left over", "no key and no blob without a memory"),
        (keys, blobs) => DoctorCheck::warn(
            "left over",
            format!(
                "{} and {} without a memory",
                counted(keys, "key", "keys"),
                counted(blobs, "blob", "blobs")
            ),
            "A crash left them. They go with the next write to their vault, or while `lacuna serve` runs.",
        ),
    }
}

/// Checks that nobody else on the machine can read a file of the data folder.
pub(super) fn files(layout: &Layout) -> DoctorCheck {
    let mut open = Vec::new();
    let [_, keys, keystore, blobs] = layout.folders();
    let looked = [keys, keystore, blobs].iter().try_for_each(|folder| open_files(folder, true, &mut open));
    // The data folder may also hold files of the operator, such as policies.
    let looked = looked.and_then(|()| open_files(&layout.data, false, &mut open));
    match (looked, open.len()) {
        (Err(error), _) => {
            let failure = Failure::new(&codes::DATA_FOLDER_UNAVAILABLE, error.to_string());
            DoctorCheck::failed("files", &failure)
        }
        (Ok(()), 0) => DoctorCheck::ok("files", "all are private"),
        (Ok(()), count) => {
            let named: Vec<_> = open.iter().take(NAMED_MAX).map(|path| path.display().to_string()).collect();
            let files = counted(count, "file or folder is", "files or folders are");
            let found = format!("{files} open to others: {}", named.join(", "));
            DoctorCheck::warn("files", found, "Run chmod 600 on the files and chmod 700 on the folders.")
        }
    }
}

fn open_files(folder: &Path, deep: bool, open: &mut Vec<PathBuf>) -> io::Result<()> {
    let entries = match fs::read_dir(folder) {
        // The check of the folders says so.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        // A file may go while it is looked at.
        let Ok(meta) = entry.metadata() else { continue };
        let ours = deep || entry.file_name().to_string_lossy().starts_with("lacuna.db");
        if ours && meta.mode() & OTHERS != 0 {
            open.push(entry.path());
        }
        if deep && meta.is_dir() {
            open_files(&entry.path(), true, open)?;
        }
    }
    Ok(())
}

/// Says what a look at this installation cannot tell.
pub(super) fn not_checked(config: &Config) -> DoctorCheck {
    let files = match config.store {
        StoreChoice::Sqlite => "",
        StoreChoice::Postgres { .. } => "the files of PostgreSQL, ",
    };
    let found = format!("{files}audit chains of other vaults, backups and copies elsewhere, other nodes");
    DoctorCheck::ok("not checked", found)
}

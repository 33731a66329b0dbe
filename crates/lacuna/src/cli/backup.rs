//! Backup, restore and the erasure ledger, for installations on SQLite.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, BufWriter, IsTerminal, Read, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use indicatif::ProgressBar;
use jiff::SignedDuration;
use lacuna_core::transfer::{Ledger, RestoreInto, Restored, Saved, Saving, restore, unwritable_backup};
use lacuna_seal::{OpenReader, PassphraseCost, SealWriter, StreamError, SystemEntropy, is_sealed_stream};
use lacuna_store::folder::OwnedFolder;
use lacuna_store::keys::ReceiptMark;
use lacuna_store::rows::SqliteStore;
use lacuna_types::{Clock, SystemClock};
use serde::Serialize;
use zeroize::Zeroizing;

use super::draft_file::DraftFile;
use super::output::{Output, counted, table};
use crate::assemble::{
    Layout, assemble, assemble_in, bucket_object, claim, enter, open_keys, open_kms,
    refuse_weak_key_passphrase,
};
use crate::codes;
use crate::config::{BUCKET_SCHEME, Config, CustodyKind, StoreChoice};
use crate::passphrase::refuse_weak;
use crate::wire::failure::{Failure, Result};

/// The first bytes of a sealed stream tell that it is one.
const SEALED_MAGIC_BYTES: usize = 8;
const HOURS_PER_DAY: i64 = 24;
/// Only whoever restores may read the copy of a backup.
const OWNER_ONLY: u32 = 0o600;

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(super) struct BackupArgs {
    #[command(subcommand)]
    command: Option<BackupCommand>,
    /// The file to make, or the object: s3://BUCKET/NAME?region=REGION. Nothing may be there.
    #[arg(required = true, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Take the keys along, sealed under a passphrase.
    #[arg(long)]
    full: bool,
    /// After how many days a full backup is to be gone.
    #[arg(long, value_name = "DAYS", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=3_650))]
    keep_days: u32,
}

#[derive(Subcommand)]
pub(super) enum BackupCommand {
    /// Full backups that have not expired.
    List,
}

#[derive(Args)]
pub(super) struct RestoreArgs {
    /// The file of the backup, or its object in a bucket: s3://BUCKET/NAME?region=REGION.
    file: PathBuf,
    /// An exported ledger to replay besides the one in the backup and the one here; may be given more than once.
    #[arg(long = "ledger", value_name = "FILE")]
    ledgers: Vec<PathBuf>,
    /// A receipt that somebody kept: a ledger that does not know of it is refused; may be given more than once.
    #[arg(long = "receipt", value_name = "FILE")]
    receipts: Vec<PathBuf>,
}

#[derive(Subcommand)]
pub(super) enum LedgerCommand {
    /// Write the ledger into a new file. It holds ids and times, no keys and no content.
    Export { file: PathBuf },
}

#[derive(Serialize)]
struct BackupWritten {
    file: String,
    full: bool,
    vaults: usize,
    blobs: usize,
    keys: usize,
    erasures: usize,
}

#[derive(Serialize)]
struct PutBack {
    made_at: String,
    erasures: usize,
    keys: usize,
    keys_destroyed: u64,
    vaults: usize,
    replaced: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    replaced_as: Option<String>,
}

#[derive(Serialize)]
struct BackupList {
    backups: Vec<ListedBackup>,
}

#[derive(Serialize)]
struct ListedBackup {
    number: u64,
    made_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<String>,
}

#[derive(Serialize)]
struct LedgerWritten {
    file: String,
    erasures: usize,
}

pub(super) fn run(config: &Config, args: &BackupArgs, output: &Output) -> Result<()> {
    match (&args.command, &args.file) {
        (Some(BackupCommand::List), _) | (None, None) => list(config, output),
        (None, Some(file)) => save(config, args, file, output),
    }
}

fn save(config: &Config, args: &BackupArgs, path: &Path, output: &Output) -> Result<()> {
    only_sqlite(config)?;
    let passphrase = args.full.then(|| new_passphrase(config)).transpose()?;
    let passphrase = passphrase.as_deref().map(String::as_str);
    let saved = match bucket_url(path) {
        None => save_as_file(config, args, path, passphrase)?,
        Some(url) => save_as_object(config, args, url, passphrase)?,
    };
    let Saved { vaults, blobs, keys, erasures } = saved;
    let file = path.display().to_string();
    output.show(&BackupWritten { file, full: args.full, vaults, blobs, keys, erasures }, |written| {
        let kind = if written.full { "data and keys, sealed" } else { "data without keys" };
        let vaults = counted(written.vaults, "vault", "vaults");
        let texts = counted(written.blobs, "large text", "large texts");
        format!("{}: {kind}; {vaults}, {texts}", written.file)
    })
}

/// The address of an object, if the argument is one and no path.
fn bucket_url(path: &Path) -> Option<&str> {
    path.to_str().filter(|text| text.starts_with(BUCKET_SCHEME))
}

fn save_as_file(config: &Config, args: &BackupArgs, path: &Path, passphrase: Option<&str>) -> Result<Saved> {
    let (draft, mut file) = new_draft(path)?;
    let saved = write(config, args, passphrase, &mut file)?;
    // Half a backup is worse than none, so that it has no name before it is whole.
    draft.settle_as_new(&file).map_err(|error| unwritable(&error))?;
    Ok(saved)
}

fn save_as_object(config: &Config, args: &BackupArgs, url: &str, passphrase: Option<&str>) -> Result<Saved> {
    let object = bucket_object(config, url)?;
    object.refuse_taken()?;
    let mut upload = object.upload();
    let written = write(config, args, passphrase, &mut upload);
    // The reason of the object store says more than that a write failed.
    let saved = written.map_err(|failure| upload.take_failure().map_or(failure, Failure::from))?;
    upload.finish()?;
    Ok(saved)
}

fn write(config: &Config, args: &BackupArgs, passphrase: Option<&str>, out: &mut dyn Write) -> Result<Saved> {
    let layout = Layout::new(&config.data);
    let installation = assemble(config)?;
    let grant = installation.admin_grant()?;
    let data = SqliteStore::open(layout.database())?;
    let scratch = layout.data.join("backup.tmp");
    remove_if_there(&scratch)?;
    let out = BufWriter::new(out);
    let (saved, mut out) = match passphrase {
        None => {
            let saving = Saving { data: &data, scratch: &scratch, full: None };
            installation.service.save_backup(&grant, &saving, out)?
        }
        Some(passphrase) => {
            let kept = SignedDuration::from_hours(i64::from(args.keep_days) * HOURS_PER_DAY);
            let number = installation.service.register_backup(&grant, kept)?;
            let saving = Saving { data: &data, scratch: &scratch, full: Some(number) };
            let sealed = SealWriter::new(out, passphrase, PassphraseCost::RECOMMENDED, &SystemEntropy);
            let sealed = sealed.map_err(|error| unusable(&error))?;
            let (saved, sealed) = installation.service.save_backup(&grant, &saving, sealed)?;
            (saved, sealed.finish().map_err(|error| unwritable(&error))?)
        }
    };
    out.flush().map_err(|error| unwritable(&error))?;
    Ok(saved)
}

fn list(config: &Config, output: &Output) -> Result<()> {
    let installation = assemble(config)?;
    let backups = installation.service.list_backups(&installation.admin_grant()?)?;
    let backups = backups.into_iter().map(|entry| ListedBackup {
        number: entry.number,
        made_at: entry.made_at.to_string(),
        expires_at: entry.expires_at.map(|at| at.to_string()),
    });
    output.show(&BackupList { backups: backups.collect() }, |listed| {
        let rows = listed.backups.iter().map(|entry| {
            let expires = entry.expires_at.clone().unwrap_or_default();
            [entry.number.to_string(), entry.made_at.clone(), expires]
        });
        table(["number", "made at", "expires at"], rows)
    })
}

pub(super) fn put_back(config: &Config, args: &RestoreArgs, output: &Output) -> Result<()> {
    only_sqlite(config)?;
    only_local_keys(config)?;
    let layout = Layout::new(&config.data);
    let folder = claim(&layout)?;
    refuse_weak_key_passphrase(config, &layout)?;
    let ledgers = args.ledgers.iter().map(|path| Ok(Ledger::decode(open(path)?)?));
    let ledgers = ledgers.collect::<Result<Vec<_>>>()?;
    let known = args.receipts.iter().map(|path| known_receipt(path)).collect::<Result<Vec<_>>>()?;
    let backup = backup_file(config, &layout, &args.file)?;
    let restored = read_back(config, &layout, &folder, backup, &ledgers, &known)?;
    let installation = assemble_in(config, folder.share()?)?;
    let bar = ProgressBar::new_spinner();
    let replayed = installation
        .service
        .upkeep()
        .replay_ledger(&installation.admin_grant()?, |vaults| bar.set_position(vaults as u64));
    bar.finish_and_clear();
    let Restored { made_at, erasures, keys, destroyed, replaced: replaced_as } = restored;
    let made_at = made_at.to_string();
    let vaults = replayed?;
    let replaced = replaced_as.is_some();
    let answer =
        PutBack { made_at, erasures, keys, keys_destroyed: destroyed, vaults, replaced, replaced_as };
    output.show(&answer, |answer| {
        let aside = answer.replaced_as.as_ref();
        let aside = aside.map_or_else(String::new, |name| format!("; what was there is now {name}"));
        let vaults = counted(answer.vaults, "vault", "vaults");
        let erasures = counted(answer.erasures, "erasure", "erasures");
        format!("{vaults} as of {}; {erasures} replayed{aside}", answer.made_at)
    })
}

/// The number of a receipt that somebody kept.
fn known_receipt(path: &Path) -> Result<ReceiptMark> {
    let receipt = super::forget::read_receipt(path)?.into_core()?.receipt;
    Ok(ReceiptMark { org: receipt.org, number: receipt.number })
}

fn read_back(
    config: &Config,
    layout: &Layout,
    folder: &OwnedFolder,
    mut backup: File,
    ledgers: &[Ledger],
    known: &[ReceiptMark],
) -> Result<Restored> {
    let kms = open_kms(config, layout, &open_keys(config, layout)?)?;
    let into = RestoreInto {
        data: folder,
        kms: &kms,
        entropy: &SystemEntropy,
        now: SystemClock.now(),
        steps: &|step| tracing::debug!(step, "restoring"),
    };
    let unreadable = |error: io::Error| {
        Failure::new(&codes::INPUT_UNREADABLE, format!("the backup cannot be read: {error}"))
    };
    let mut first = Vec::new();
    (&backup).take(SEALED_MAGIC_BYTES as u64).read_to_end(&mut first).map_err(unreadable)?;
    backup.rewind().map_err(unreadable)?;
    let backup = BufReader::new(backup);
    if !is_sealed_stream(&first) {
        return Ok(restore(backup, &into, ledgers, known)?);
    }
    let passphrase = passphrase("Passphrase of the backup: ", false)?;
    let opened = OpenReader::new(backup, &passphrase).map_err(|error| unusable(&error))?;
    Ok(restore(opened, &into, ledgers, known)?)
}

/// Opens the file of a backup, or copies the object of one into a file without a name, which goes with this process.
fn backup_file(config: &Config, layout: &Layout, path: &Path) -> Result<File> {
    let Some(url) = bucket_url(path) else {
        return File::open(path).map_err(|error| unreadable(path, &error));
    };
    let object = bucket_object(config, url)?;
    let copy = layout.data.join("restore.download");
    remove_if_there(&copy)?;
    let made = OpenOptions::new().read(true).write(true).create_new(true).mode(OWNER_ONLY).open(&copy);
    let mut file = made.map_err(|error| unwritable(&error))?;
    remove_if_there(&copy)?;
    object.download(|part| file.write_all(part).map_err(|error| unwritable(&error)))?;
    file.rewind().map_err(|error| unwritable(&error))?;
    Ok(file)
}

pub(super) fn ledger(config: &Config, command: &LedgerCommand, output: &Output) -> Result<()> {
    let LedgerCommand::Export { file } = command;
    let _folder = enter(config)?;
    let keys = open_keys(config, &Layout::new(&config.data))?;
    let ledger = Ledger::of(&*keys)?;
    let (draft, mut out) = new_draft(file)?;
    let written = out.write_all(&ledger.encode()?).and_then(|()| draft.settle_as_new(&out));
    written.map_err(|error| unwritable(&error))?;
    let answer = LedgerWritten { file: file.display().to_string(), erasures: ledger.lines.len() };
    output.show(&answer, |answer| {
        format!("{}: {}", answer.file, counted(answer.erasures, "erasure", "erasures"))
    })
}

/// A restore puts key files and keystore in place together, which a key management service cannot.
fn only_local_keys(config: &Config) -> Result<()> {
    match config.custody.kind {
        CustodyKind::Local => Ok(()),
        _ => {
            let reason = "restore with custody.kind = \"local\", then bring the keys to the service with `lacuna keys move --to`";
            Err(Failure::new(&codes::USAGE, reason))
        }
    }
}

/// The server has its own ways: a dump of the data database, and one of the keystore kept apart.
fn only_sqlite(config: &Config) -> Result<()> {
    match config.store {
        StoreChoice::Sqlite => Ok(()),
        StoreChoice::Postgres { .. } => Err(Failure::new(
            &codes::BAD_CONFIG,
            "the store is PostgreSQL: use pg_dump --schema=lacuna for the data, and keep the schema lacuna_keys \
             apart from it; after pg_restore every vault replays the erasure ledger when it is opened",
        )),
    }
}

fn new_passphrase(config: &Config) -> Result<Zeroizing<String>> {
    let given = passphrase("Passphrase for the backup: ", true)?;
    refuse_weak(&given, config.weak_passphrase)?;
    Ok(given)
}

/// From the environment, or from the terminal.
fn passphrase(prompt: &str, new: bool) -> Result<Zeroizing<String>> {
    if let Ok(given) = std::env::var("LACUNA_BACKUP_PASSPHRASE") {
        return Ok(Zeroizing::new(given));
    }
    let missing = |reason: &str| Failure::new(&codes::PASSPHRASE_REQUIRED, reason);
    if !io::stdin().is_terminal() {
        return Err(missing("the backup needs a passphrase: set LACUNA_BACKUP_PASSPHRASE"));
    }
    let typed = |prompt: &str| {
        let typed = rpassword::prompt_password(prompt).map(Zeroizing::new);
        typed.map_err(|error| missing(&format!("the passphrase could not be read: {error}")))
    };
    let first = typed(prompt)?;
    if new && *typed("The same again: ")? != *first {
        return Err(missing("the two passphrases differ"));
    }
    Ok(first)
}

/// A draft of a file that is not there yet.
fn new_draft(path: &Path) -> Result<(DraftFile<'_>, File)> {
    let unmade = |error: io::Error| {
        Failure::new(&codes::BACKUP_UNAVAILABLE, format!("{} cannot be made: {error}", path.display()))
    };
    if path.symlink_metadata().is_ok() {
        return Err(unmade(io::ErrorKind::AlreadyExists.into()));
    }
    DraftFile::beside(path).map_err(unmade)
}

fn open(path: &Path) -> Result<BufReader<File>> {
    File::open(path).map(BufReader::new).map_err(|error| unreadable(path, &error))
}

fn remove_if_there(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(unwritable(&error)),
        _ => Ok(()),
    }
}

fn unreadable(path: &Path, error: &io::Error) -> Failure {
    Failure::new(&codes::INPUT_UNREADABLE, format!("{}: {error}", path.display()))
}

fn unwritable(error: &io::Error) -> Failure {
    let failure = Failure::from(unwritable_backup(error));
    Failure { detail: format!("{failure}: {error}"), ..failure }
}

fn unusable(error: &StreamError) -> Failure {
    let code = match error {
        StreamError::WrongPassphrase => &codes::WRONG_PASSPHRASE,
        StreamError::Io(_) | StreamError::OutOfMemory => &codes::BACKUP_UNAVAILABLE,
        _ => &codes::BAD_BACKUP,
    };
    Failure::new(code, error.to_string())
}

//! Puts a restored installation in the place of the present one: all of it, or nothing.
//!
//! Everything is written beside first, into the staging folder. The journal is the turning point: a staging
//! folder without a journal is thrown away; with one the restore is carried to its end, by this process or by the
//! next that enters the data folder. Each step may be repeated.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use lacuna_store::folder::OwnedFolder;
use lacuna_types::{Error, Result};

use crate::transfer::backup::container::unwritable_backup;

pub(crate) const DATABASE: &str = "lacuna.db";
pub(crate) const BLOBS: &str = "blobs";
pub(crate) const KEYSTORE: &str = "keystore.db";
/// The folder of the keystore.
const KEYSTORE_FOLDER: &str = "keystore";
const STAGING: &str = "restore.tmp";
const JOURNAL: &str = "restore.journal";
const JOURNAL_HEADER: &str = "lacuna restore 1";
/// The end of a name under which replaced data is put aside; a number follows when the name is taken.
const REPLACED: &str = ".replaced";
/// Files that SQLite keeps beside a database while it is open, or after a crash.
const LOGS: [&str; 2] = ["-wal", "-shm"];
static ZEROS: [u8; 64 * 1024] = [0; 64 * 1024];

/// Hears the name of each step of a restore that is durable or visible to others.
pub type RestoreSteps<'a> = &'a dyn Fn(&str);

/// Returns true when a restore in the folder has not come to its end.
pub fn is_restore_unfinished(data: &Path) -> bool {
    data.join(JOURNAL).exists() || data.join(STAGING).exists()
}

/// Ends a restore whose process died: carries it out if its journal was written, and takes it back otherwise.
pub fn finish_restore(data: &OwnedFolder) -> Result<()> {
    finish(data.path(), &|_| {}).map_err(|error| unwritable_backup(&error))
}

/// The path of the keystore in a data folder.
pub(crate) fn keystore_in(data: &Path) -> PathBuf {
    data.join(KEYSTORE_FOLDER).join(KEYSTORE)
}

/// The folder in which a restored installation is put together.
pub(crate) struct Staging<'a> {
    data: &'a Path,
    folder: PathBuf,
    steps: RestoreSteps<'a>,
}

impl<'a> Staging<'a> {
    pub(crate) fn make(data: &'a OwnedFolder, steps: RestoreSteps<'a>) -> Result<Self> {
        finish_restore(data)?;
        let (data, folder) = (data.path(), data.path().join(STAGING));
        make_folder(&folder.join(BLOBS))?;
        Ok(Self { data, folder, steps })
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Leaves everything as it was before.
    pub(crate) fn discard(self) -> Result<()> {
        discard(self.data).map_err(|error| unwritable_backup(&error))
    }

    /// Puts what was staged in its place. Returns the name of the database that was there.
    pub(crate) fn place(self) -> Result<Option<String>> {
        let suffix = free_suffix(self.data);
        let there = self.data.join(DATABASE).exists();
        let placed = self.commit(&suffix).and_then(|()| finish(self.data, self.steps));
        placed.map_err(|error| unwritable_backup(&error))?;
        Ok(there.then(|| format!("{DATABASE}{suffix}")))
    }

    /// Makes everything that was staged durable, and then the journal.
    fn commit(&self, suffix: &str) -> io::Result<()> {
        sync_all_in(&self.folder)?;
        (self.steps)("staged");
        let (journal, draft) = (self.data.join(JOURNAL), self.folder.join(JOURNAL));
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
        file.write_all(format!("{JOURNAL_HEADER}\n{suffix}\n").as_bytes())?;
        file.sync_all()?;
        (self.steps)("journal written");
        fs::rename(&draft, &journal)?;
        sync(self.data)?;
        (self.steps)("journal in force");
        Ok(())
    }
}

fn finish(data: &Path, steps: RestoreSteps<'_>) -> io::Result<()> {
    match fs::read_to_string(data.join(JOURNAL)) {
        Ok(journal) => {
            carry_out(data, suffix_in(&journal)?, steps)?;
            fs::remove_file(data.join(JOURNAL))?;
            sync(data)?;
            steps("journal removed");
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    discard(data)?;
    steps("done");
    Ok(())
}

fn carry_out(data: &Path, suffix: &str, steps: RestoreSteps<'_>) -> io::Result<()> {
    let staging = data.join(STAGING);
    for name in [DATABASE, BLOBS] {
        if staging.join(name).exists() {
            put_aside(data, name, suffix, steps)?;
        }
    }
    // What was there has its other name for good, before anything takes its place.
    sync(data)?;
    for name in [DATABASE, BLOBS] {
        let staged = staging.join(name);
        if staged.exists() {
            fs::rename(staged, data.join(name))?;
            steps(name);
        }
    }
    let staged = staging.join(KEYSTORE);
    if staged.exists() {
        let here = keystore_in(data);
        // The staged keystore knows all that the present one does, and a copy put aside could open later what is
        // forgotten by then.
        destroy_keystore(&here)?;
        steps("old keystore destroyed");
        fs::rename(staged, &here)?;
        steps(KEYSTORE);
    }
    sync(data)?;
    sync(&data.join(KEYSTORE_FOLDER))
}

/// Gives what is there another name. Its log goes along: it must not be taken for one of the new database.
fn put_aside(data: &Path, name: &str, suffix: &str, steps: RestoreSteps<'_>) -> io::Result<()> {
    for log in ["", LOGS[0], LOGS[1]] {
        let (here, aside) = (data.join(format!("{name}{log}")), data.join(format!("{name}{suffix}{log}")));
        if !here.exists() {
            continue;
        }
        if aside.exists() {
            return Err(unfinishable(&format!("both {name} and {name}{suffix} are there")));
        }
        fs::rename(here, aside)?;
        steps("put aside");
    }
    Ok(())
}

/// The first ending under which nothing was put aside yet.
fn free_suffix(data: &Path) -> String {
    let taken =
        |suffix: &String| [DATABASE, BLOBS].iter().any(|name| data.join(format!("{name}{suffix}")).exists());
    let numbered = (2u32..).map(|number| format!("{REPLACED}-{number}"));
    let mut suffixes = std::iter::once(REPLACED.to_owned()).chain(numbered);
    suffixes.find(|suffix| !taken(suffix)).unwrap_or_else(|| REPLACED.to_owned())
}

fn suffix_in(journal: &str) -> io::Result<&str> {
    let mut lines = journal.lines();
    let suffix = lines.next().filter(|header| *header == JOURNAL_HEADER).and_then(|_| lines.next());
    let plain = |suffix: &&str| suffix.starts_with(REPLACED) && !suffix.contains('/');
    suffix.filter(plain).ok_or_else(|| unfinishable(&format!("{JOURNAL} cannot be read")))
}

fn unfinishable(why: &str) -> io::Error {
    io::Error::other(format!("an earlier restore cannot be ended: {why}"))
}

/// Removes the staging folder. The keystore in it is overwritten first: it holds wrapped keys.
fn discard(data: &Path) -> io::Result<()> {
    let staging = data.join(STAGING);
    destroy_keystore(&staging.join(KEYSTORE))?;
    match fs::remove_dir_all(&staging) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => sync(data),
    }
}

/// Overwrites a keystore and its logs with zeros, and removes them.
fn destroy_keystore(path: &Path) -> io::Result<()> {
    for log in [LOGS[0], LOGS[1], ""] {
        let mut name = path.as_os_str().to_owned();
        name.push(log);
        match OpenOptions::new().write(true).open(&name) {
            Ok(file) => overwrite(file).and_then(|()| fs::remove_file(&name))?,
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn overwrite(mut file: File) -> io::Result<()> {
    let mut left = file.metadata()?.len();
    while left > 0 {
        let part = left.min(ZEROS.len() as u64);
        file.write_all(&ZEROS[..part as usize])?;
        left -= part;
    }
    file.sync_all()
}

fn sync_all_in(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { sync_all_in(&path)? } else { sync(&path)? }
    }
    sync(folder)
}

/// Makes a file, or the names in a folder, durable.
fn sync(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

pub(crate) fn make_folder(path: &Path) -> Result<()> {
    let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(path);
    made.map_err(|error| unwritable_backup(&error))
}

pub(crate) fn new_file(path: &Path) -> Result<File> {
    let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    made.map_err(|error: io::Error| -> Error { unwritable_backup(&error) })
}

//! Opening a SQLite file so that it is ours, private, current and durable.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use super::reserve::Reserve;
use crate::failure::SqlFailure;
use lacuna_types::{Error, Result};

const LOCK_WAIT_DEFAULT: Duration = Duration::from_secs(5);
/// The pause between attempts where SQLite itself does not wait for a lock.
const LOCK_RETRY: Duration = Duration::from_millis(20);
const MMAP_BYTES: i64 = 256 * 1024 * 1024;
const CACHE_KIBIBYTES: i64 = 8 * 1024;
/// A log that a large transaction blew up is cut back to this when it is next reused.
const WAL_BYTES_KEPT: i64 = 16 * 1024 * 1024;
const STATEMENTS_CACHED: usize = 64;
/// The place of `user_version` in the header of a database file.
const VERSION_AT: usize = 60;

/// The options of a SQLite file.
#[derive(Clone, Copy, Debug)]
pub struct SqliteOptions {
    /// The longest wait for another process that holds the file.
    pub lock_wait: Duration,
    /// The file does not grow beyond this many pages of 4 KiB.
    pub pages_max: Option<u32>,
    /// Bytes of the disk that are kept for erasing, in a file beside the database; zero for none.
    pub reserve_bytes: u64,
}

impl Default for SqliteOptions {
    fn default() -> Self {
        Self { lock_wait: LOCK_WAIT_DEFAULT, pages_max: None, reserve_bytes: 0 }
    }
}

/// The tables of one kind of file. Migration `n` leads from version `n` to `n + 1`.
pub(crate) struct SqliteSchema {
    pub application_id: i32,
    pub migrations: &'static [&'static str],
}

/// A file that was checked and migrated, and how to connect to it.
#[derive(Clone)]
pub(crate) struct Database {
    path: PathBuf,
    schema: &'static SqliteSchema,
    options: SqliteOptions,
}

impl Database {
    /// Opens the file. On a full disk the room for erasing is given up first: even reading needs a little.
    pub(crate) fn open(path: &Path, schema: &'static SqliteSchema, options: SqliteOptions) -> Result<Self> {
        match Self::prepare(path, schema, options) {
            Err(Error::Unavailable { code: "disk_full" | "store_unavailable", .. })
                if Reserve::of(path, options.reserve_bytes).release() =>
            {
                Self::prepare(path, schema, options)
            }
            opened => opened,
        }
    }

    fn prepare(path: &Path, schema: &'static SqliteSchema, options: SqliteOptions) -> Result<Self> {
        prepare_file(path)?;
        let database = Self { path: path.to_owned(), schema, options };
        let mut connection = database.connect_bare()?;
        let version = schema.recognise(&connection)?;
        // Nothing has been written so far; from here on the file is known to be ours or empty.
        database.configure(&connection)?;
        if version < schema.current_version() {
            schema.migrate(&mut connection)?;
        }
        Ok(database)
    }

    /// Returns true when opening the file would migrate it. A file that is not there, or not of this kind, is left
    /// to [`Self::open`]. Not for a process that has the file open: closing a file ends all locks that the process
    /// has on it.
    pub(crate) fn is_outdated(path: &Path, schema: &'static SqliteSchema) -> bool {
        // The log can only be newer than the file, so a current file need not be opened.
        if version_in_header(path).is_none_or(|version| version == schema.current_version()) {
            return false;
        }
        let database = Self { path: path.to_owned(), schema, options: SqliteOptions::default() };
        let version = database.connect_bare().and_then(|connection| schema.recognise(&connection));
        version.is_ok_and(|version| version > 0 && version < schema.current_version())
    }

    /// A connection that may write.
    pub(crate) fn connect(&self) -> Result<Connection> {
        // A disk may have turned read-only since.
        check_writable(&self.path)?;
        let connection = self.connect_bare()?;
        self.schema.recognise(&connection)?;
        self.configure(&connection)?;
        Ok(connection)
    }

    /// A connection that refuses to write.
    pub(crate) fn connect_reader(&self) -> Result<Connection> {
        let connection = self.connect()?;
        connection.pragma_update(None, "query_only", true).map_err(SqlFailure::from)?;
        Ok(connection)
    }

    /// Writes a copy of the whole file, without freed pages, for the owner's eyes only. Nothing may be at `path`.
    pub(crate) fn copy_to(&self, path: &Path) -> Result<()> {
        let name = path.to_str().ok_or_else(|| Error::invalid("path", "must be UTF-8"))?;
        // SQLite fills an empty file, and keeps the mode that it was made with.
        private_file().open(path).map_err(|error| unusable(path, error))?;
        self.connect()?.execute("VACUUM INTO ?1", [name]).map_err(SqlFailure::from)?;
        Ok(())
    }

    fn connect_bare(&self) -> Result<Connection, SqlFailure> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&self.path, flags)?;
        self.wait_for_locks(&connection)?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS_CACHED);
        Ok(connection)
    }

    pub(crate) fn reserve(&self) -> Reserve {
        Reserve::of(&self.path, self.options.reserve_bytes)
    }

    /// The path of a file that lies beside the database.
    pub(crate) fn beside(&self, suffix: &str) -> PathBuf {
        beside(&self.path, suffix)
    }

    /// Returns true when the log holds anything.
    pub(crate) fn has_log(&self) -> bool {
        fs::metadata(beside(&self.path, "-wal")).is_ok_and(|log| log.len() > 0)
    }

    /// Makes statements wait for other processes as long as the operator allows.
    pub(crate) fn wait_for_locks(&self, connection: &Connection) -> rusqlite::Result<()> {
        connection.busy_timeout(self.options.lock_wait)
    }

    fn configure(&self, connection: &Connection) -> Result<(), SqlFailure> {
        self.enter_wal(connection)?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.pragma_update(None, "secure_delete", "ON")?;
        connection.pragma_update(None, "foreign_keys", "ON")?;
        connection.pragma_update(None, "trusted_schema", "OFF")?;
        connection.pragma_update(None, "temp_store", "MEMORY")?;
        connection.pragma_update(None, "mmap_size", MMAP_BYTES)?;
        connection.pragma_update(None, "cache_size", -CACHE_KIBIBYTES)?;
        connection.pragma_update(None, "journal_size_limit", WAL_BYTES_KEPT)?;
        if let Some(pages) = self.options.pages_max {
            connection.pragma_update(None, "max_page_count", pages)?;
        }
        Ok(())
    }

    /// SQLite does not wait for locks while it changes the journal mode, so this does.
    fn enter_wal(&self, connection: &Connection) -> Result<(), SqlFailure> {
        let deadline = Instant::now() + self.options.lock_wait;
        loop {
            let switched = connection
                .pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get::<_, String>(0));
            match switched {
                Ok(mode) if mode == "wal" => return Ok(()),
                Ok(mode) => return Err(no_wal(&mode).into()),
                Err(error) if is_busy(&error) && Instant::now() < deadline => std::thread::sleep(LOCK_RETRY),
                Err(error) => return Err(error.into()),
            }
        }
    }
}

impl SqliteSchema {
    fn current_version(&self) -> usize {
        self.migrations.len()
    }

    /// The version of a file of this kind, zero for an empty one.
    fn recognise(&self, connection: &Connection) -> Result<usize, SqlFailure> {
        let read = |pragma| connection.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0));
        // In this order another process may create the file meanwhile: what was empty a moment ago may be
        // ours by now, but what has tables had its application id no later than them.
        let empty = read("schema_version")? == 0;
        let application_id = read("application_id")?;
        let version = read("user_version")?;
        if application_id != i64::from(self.application_id) && !(application_id == 0 && empty) {
            return Err(foreign_database().into());
        }
        let known = usize::try_from(version).ok().filter(|version| *version <= self.current_version());
        Ok(known.ok_or_else(|| self.newer_database(version))?)
    }

    fn newer_database(&self, version: i64) -> Error {
        Error::Misconfigured {
            code: "newer_database",
            reason: format!(
                "the database has version {version} and this program knows {}; use a newer Lacuna",
                self.current_version()
            ),
        }
    }

    /// Brings the file to the current version in one transaction.
    fn migrate(&self, connection: &mut Connection) -> Result<(), SqlFailure> {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Read again under the lock: another process may have migrated meanwhile.
        let version = self.recognise(&transaction)?;
        for migration in &self.migrations[version..] {
            transaction.execute_batch(migration)?;
        }
        transaction.pragma_update(None, "application_id", self.application_id)?;
        transaction.pragma_update(None, "user_version", self.current_version() as i64)?;
        transaction.commit()?;
        Ok(())
    }
}

/// The path of a file that SQLite or we keep beside a database.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// The version in the first page of a database file; `None` when there is none to read.
fn version_in_header(path: &Path) -> Option<usize> {
    let mut head = [0; VERSION_AT + 4];
    File::open(path).and_then(|mut file| file.read_exact(&mut head)).ok()?;
    let version = head.last_chunk().copied().map(u32::from_be_bytes)?;
    usize::try_from(version).ok()
}

/// Makes the folder and the file, for the owner's eyes only, or finds out early why they cannot be used.
fn prepare_file(path: &Path) -> Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder {
        private_folder().create(folder).map_err(|error| unusable(path, error))?;
    }
    match private_file().open(path) {
        Ok(_) => return Ok(()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        Err(error) => return Err(unusable(path, error)),
    }
    let metadata = fs::metadata(path).map_err(|error| unusable(path, error))?;
    if !metadata.is_file() {
        return Err(Error::Misconfigured {
            code: "not_a_database",
            reason: format!("{} is not a file", path.display()),
        });
    }
    if metadata.permissions().readonly() {
        return Err(read_only());
    }
    check_writable(path)
}

/// Finds out early that the file or its disk can only be read. SQLite opens such a file all the same, and its later
/// failure does not tell why.
fn check_writable(path: &Path) -> Result<()> {
    OpenOptions::new().write(true).open(path).map(drop).map_err(|error| unusable(path, error))
}

fn private_folder() -> fs::DirBuilder {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

fn unusable(path: &Path, error: std::io::Error) -> Error {
    match error.kind() {
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => read_only(),
        ErrorKind::StorageFull => disk_full(error),
        _ => Error::unavailable("store_unavailable", format!("{} cannot be opened", path.display()), error),
    }
}

fn read_only() -> Error {
    Error::Misconfigured {
        code: "read_only",
        reason:
            "the database file, its folder or its disk cannot be written; check owner, permissions and mount"
                .into(),
    }
}

fn disk_full(source: impl std::error::Error + Send + Sync + 'static) -> Error {
    let reason = "there is no space left for the database; nothing was changed";
    Error::unavailable("disk_full", reason, source)
}

fn foreign_database() -> Error {
    Error::Misconfigured {
        code: "foreign_database",
        reason: "the database file belongs to something else; choose another path".into(),
    }
}

fn no_wal(mode: &str) -> Error {
    Error::Misconfigured {
        code: "store_unavailable",
        reason: format!("the database stayed in journal mode {mode}; use a local file system"),
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

fn is_bad_column(error: &rusqlite::Error) -> bool {
    use rusqlite::Error::{FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType, Utf8Error};
    matches!(
        error,
        FromSqlConversionFailure(..) | IntegralValueOutOfRange(..) | InvalidColumnType(..) | Utf8Error(..)
    )
}

/// Sorts the failures of SQLite by what the caller can do about them.
impl From<rusqlite::Error> for SqlFailure {
    fn from(error: rusqlite::Error) -> Self {
        Self(caller_error(error))
    }
}

fn caller_error(error: rusqlite::Error) -> Error {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            let reason = "another process holds the database; nothing was changed, try again later";
            Error::unavailable("locked", reason, error)
        }
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => read_only(),
        Some(ErrorCode::DiskFull) => disk_full(error),
        Some(ErrorCode::NotADatabase) => Error::Misconfigured {
            code: "not_a_database",
            reason: "the database file is not a database; choose another path or restore it".into(),
        },
        Some(ErrorCode::DatabaseCorrupt) => Error::corrupt("the database file fails its own checks"),
        None if is_bad_column(&error) => Error::corrupt(format!("a stored column does not parse ({error})")),
        _ => Error::unavailable("store_unavailable", "the database cannot be used", error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: &str = "CREATE TABLE note (text TEXT); INSERT INTO note VALUES ('kept')";
    const SECOND: &str = "ALTER TABLE note ADD COLUMN length INTEGER; UPDATE note SET length = length(text)";
    const BROKEN: &str = "UPDATE note SET text = 'lost'; CREATE TABLE note (twice TEXT)";

    #[test]
    fn a_disk_that_can_only_be_read_is_called_so() {
        let path = Path::new("lacuna.db");
        for kind in [ErrorKind::ReadOnlyFilesystem, ErrorKind::PermissionDenied] {
            assert_eq!(unusable(path, kind.into()).code(), "read_only");
        }
        assert_eq!(unusable(path, ErrorKind::StorageFull.into()).code(), "disk_full");
        assert_eq!(unusable(path, ErrorKind::IsADirectory.into()).code(), "store_unavailable");
    }

    static OLD: SqliteSchema = SqliteSchema { application_id: 7, migrations: &[FIRST] };
    static NEW: SqliteSchema = SqliteSchema { application_id: 7, migrations: &[FIRST, SECOND] };
    static FAILING: SqliteSchema = SqliteSchema { application_id: 7, migrations: &[FIRST, SECOND, BROKEN] };

    fn open(path: &Path, schema: &'static SqliteSchema) -> Result<Connection> {
        Database::open(path, schema, SqliteOptions::default())?.connect()
    }

    fn note(connection: &Connection) -> (String, i64) {
        connection
            .query_row("SELECT text, length FROM note", [], |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap()
    }

    #[test]
    fn an_older_file_is_migrated_and_keeps_its_data() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes.db");
        assert!(!Database::is_outdated(&path, &NEW), "it is not there yet");
        drop(open(&path, &OLD).unwrap());
        assert!(Database::is_outdated(&path, &NEW) && !Database::is_outdated(&path, &OLD));
        assert_eq!(note(&open(&path, &NEW).unwrap()), ("kept".into(), 4));
        assert!(!Database::is_outdated(&path, &NEW) && !Database::is_outdated(&path, &OLD));
        assert_eq!(open(&path, &OLD).unwrap_err().code(), "newer_database");
        assert_eq!(note(&open(&path, &NEW).unwrap()), ("kept".into(), 4));
    }

    #[test]
    fn a_failed_migration_leaves_the_file_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes.db");
        drop(open(&path, &NEW).unwrap());
        assert_eq!(open(&path, &FAILING).unwrap_err().code(), "store_unavailable");
        assert_eq!(note(&open(&path, &NEW).unwrap()), ("kept".into(), 4));
    }

    #[test]
    fn several_may_create_the_same_file_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes.db");
        std::thread::scope(|threads| {
            for _ in 0..6 {
                threads.spawn(|| assert_eq!(note(&open(&path, &NEW).unwrap()), ("kept".into(), 4)));
            }
        });
    }
}

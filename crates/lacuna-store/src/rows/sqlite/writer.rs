//! Group commit: one thread writes, and whoever waits at the same time shares one fsync.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use rusqlite::{Connection, TransactionBehavior};

use super::engine::Database;
use super::reserve::Reserve;
use crate::failure::SqlFailure;
use lacuna_types::{Error, Result};

/// Batches that may wait for the writer; more callers block until there is room.
const QUEUE_MAX: usize = 256;
/// Batches in one transaction.
const GROUP_MAX: usize = 64;
/// The log is scrubbed when no work came for this long since something was erased, and at once where the file
/// holds keys. Scrubbing takes as long as two commits, so it runs after the answer and beside other work; whoever
/// must not answer before it has ended waits for it ([`GroupWriter::settle`]). The file is scrubbed again when it
/// is opened, in case the process died in between.
const SCRUB_QUIET: Duration = Duration::from_millis(20);
/// After this many groups it is scrubbed even though work keeps coming.
const SCRUB_GROUPS_MAX: u32 = 32;
/// The longest time for which a reader may hold up scrubbing, and with it the writer.
const SCRUB_WAIT: Duration = Duration::from_millis(50);
/// Attempts to scrub for somebody who waits, each as long as [`SCRUB_WAIT`] at most.
const SETTLE_ATTEMPTS: usize = 40;

/// The time at which erased bytes leave the log.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scrubbing {
    /// In a quiet moment.
    Quietly,
    /// Right after the commit that erased them.
    AtOnce,
}

/// Something that the writer can do inside a transaction.
pub(crate) trait Apply: Send + 'static {
    type Done: Send + 'static;

    fn apply(&self, connection: &Connection) -> Result<AppliedWork<Self::Done>, SqlFailure>;

    /// Returns true for a step of an erasure, which may use the room that is kept for it.
    fn erases(&self) -> bool;
}

pub(crate) struct AppliedWork<T> {
    pub done: T,
    /// True when bytes were removed or replaced, so that the log must not keep them.
    pub erased: bool,
}

struct QueuedWork<A: Apply> {
    work: A,
    answer: SyncSender<Result<A::Done, SqlFailure>>,
}

enum WriterJob<A: Apply> {
    Write(QueuedWork<A>),
    /// Answered when the log holds nothing that was erased.
    Settle(SyncSender<()>),
}

/// The answer to each piece of work in a group, in its order.
type Outcomes<A> = Vec<Result<<A as Apply>::Done, SqlFailure>>;

/// The thread that writes, and the queue before it.
pub(crate) struct GroupWriter<A: Apply> {
    /// `Some` until the writer is dropped.
    queue: Option<SyncSender<WriterJob<A>>>,
    thread: Option<JoinHandle<()>>,
    transactions: Arc<AtomicU64>,
}

impl<A: Apply> GroupWriter<A> {
    pub(crate) fn start(database: Database, scrubbing: Scrubbing) -> Result<Self> {
        let connection = database.connect()?;
        let database_has_log = database.has_log();
        let (queue, jobs) = sync_channel(QUEUE_MAX);
        let transactions = Arc::new(AtomicU64::new(0));
        let reserve = database.reserve();
        let mut scribe = Scribe {
            database,
            reserve,
            connection: Some(connection),
            transactions: transactions.clone(),
            scrubbing,
            // The log of an earlier process may hold erased bytes.
            unscrubbed_groups: u32::from(database_has_log),
        };
        if database_has_log {
            scribe.scrub();
        }
        scribe.reserve.fill();
        let thread = std::thread::Builder::new()
            .name("lacuna-writer".into())
            .spawn(move || scribe.serve(&jobs))
            .map_err(|error| Error::unavailable("store_unavailable", "no thread for the writer", error))?;
        Ok(Self { queue: Some(queue), thread: Some(thread), transactions })
    }

    /// Applies `work` atomically and durably, and waits for that.
    pub(crate) fn run(&self, work: A) -> Result<A::Done> {
        let (answer, answered) = sync_channel(1);
        let queue = self.queue.as_ref().ok_or_else(stopped)?;
        queue.send(WriterJob::Write(QueuedWork { work, answer })).map_err(|_| stopped())?;
        Ok(answered.recv().map_err(|_| stopped())??)
    }

    /// Waits until the log holds nothing that was erased by earlier work. A reader that keeps it for longer than
    /// two seconds is not waited for; the log is then scrubbed when it has gone.
    pub(crate) fn settle(&self) -> Result<()> {
        let (answer, answered) = sync_channel(1);
        let queue = self.queue.as_ref().ok_or_else(stopped)?;
        queue.send(WriterJob::Settle(answer)).map_err(|_| stopped())?;
        answered.recv().map_err(|_| stopped())
    }

    /// Transactions committed so far; with group commit fewer than the batches.
    pub(crate) fn transactions(&self) -> u64 {
        self.transactions.load(Ordering::Relaxed)
    }
}

impl<A: Apply> Drop for GroupWriter<A> {
    fn drop(&mut self) {
        self.queue = None;
        if let Some(thread) = self.thread.take() {
            // A panic of the writer was already answered to whoever waited for it.
            let _ = thread.join();
        }
    }
}

fn stopped() -> Error {
    Error::Unavailable {
        code: "store_unavailable",
        reason: "the database writer has stopped; restart Lacuna".into(),
        source: None,
    }
}

/// The writer's thread.
struct Scribe {
    database: Database,
    reserve: Reserve,
    /// `None` after a failed commit, until the file opens again.
    connection: Option<Connection>,
    transactions: Arc<AtomicU64>,
    scrubbing: Scrubbing,
    /// Groups since the first whose erased bytes may still be in the log, itself included; zero for none.
    unscrubbed_groups: u32,
}

impl Scribe {
    fn serve<A: Apply>(mut self, jobs: &Receiver<WriterJob<A>>) {
        loop {
            match self.next_job(jobs) {
                Ok(WriterJob::Settle(answer)) => self.settle(&answer),
                Ok(WriterJob::Write(first)) => {
                    let (group, settling) = gather(first, jobs);
                    let erased = self.write_group(group);
                    if erased && self.scrubbing == Scrubbing::AtOnce {
                        self.scrub();
                    }
                    settling.iter().for_each(|answer| self.settle(answer));
                }
                Err(RecvTimeoutError::Timeout) => {
                    self.scrub();
                    self.reserve.fill();
                }
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        self.scrub();
    }

    /// The next job. While the log holds erased bytes, a quiet moment is the time to scrub it.
    fn next_job<A: Apply>(
        &mut self,
        jobs: &Receiver<WriterJob<A>>,
    ) -> Result<WriterJob<A>, RecvTimeoutError> {
        if self.unscrubbed_groups == 0 {
            return jobs.recv().map_err(|_| RecvTimeoutError::Disconnected);
        }
        if self.unscrubbed_groups > SCRUB_GROUPS_MAX {
            self.scrub();
        }
        jobs.recv_timeout(SCRUB_QUIET)
    }

    fn settle(&mut self, answer: &SyncSender<()>) {
        for _ in 0..SETTLE_ATTEMPTS {
            if self.unscrubbed_groups == 0 {
                break;
            }
            self.scrub();
        }
        // A caller that went away does not need its answer.
        let _ = answer.send(());
    }

    /// Writes a group and answers it. Returns true when bytes were erased.
    fn write_group<A: Apply>(&mut self, group: Vec<QueuedWork<A>>) -> bool {
        match self.transact(&group) {
            Err(error) if error.0.code() == "disk_full" => self.write_erasures(group, &error),
            outcomes => answer(group, outcomes),
        }
    }

    /// Writes what erases, in the room that is kept for it, and refuses the rest for lack of room.
    fn write_erasures<A: Apply>(&mut self, group: Vec<QueuedWork<A>>, error: &SqlFailure) -> bool {
        let (erasing, others): (Vec<_>, Vec<_>) = group.into_iter().partition(|job| job.work.erases());
        refuse(others, error);
        if erasing.is_empty() {
            return false;
        }
        self.reserve.release();
        self.scrub();
        let outcomes = self.transact(&erasing);
        // The log gives its room back, and the reserve takes it before anybody else does.
        self.scrub();
        self.reserve.fill();
        answer(erasing, outcomes)
    }

    /// One transaction for the whole group. The outer error means that none of it was committed as far as
    /// SQLite knows. After a failed commit the bytes may still reach the disk, so it is never tried again
    /// on the same connection: the next group opens the file anew.
    fn transact<A: Apply>(
        &mut self,
        group: &[QueuedWork<A>],
    ) -> Result<AppliedWork<Outcomes<A>>, SqlFailure> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.database.connect()?,
        };
        match in_transaction(&mut connection, group) {
            Ok(applied) => {
                self.connection = Some(connection);
                self.transactions.fetch_add(1, Ordering::Relaxed);
                if applied.erased || self.unscrubbed_groups > 0 {
                    self.unscrubbed_groups = self.unscrubbed_groups.saturating_add(1);
                }
                Ok(applied)
            }
            Err(GroupFailure::Transaction(error)) => {
                self.connection = Some(connection);
                Err(error)
            }
            Err(GroupFailure::Commit(error)) => Err(error),
        }
    }

    /// Moves the log into the database and cuts it to nothing, so that it does not keep what was erased.
    fn scrub(&mut self) {
        let Some(connection) = &self.connection else { return };
        let scrubbed = checkpoint(connection).and_then(|busy| {
            self.database.wait_for_locks(connection)?;
            Ok(busy)
        });
        // Counting starts again after a failure, so that a long read does not slow down every group.
        self.unscrubbed_groups = match scrubbed {
            Ok(false) => 0,
            Ok(true) => {
                tracing::debug!("a reader keeps erased bytes in the log; scrubbing it later");
                1
            }
            Err(error) => {
                tracing::warn!(%error, "the log could not be scrubbed; trying again later");
                1
            }
        };
    }
}

/// Returns true when a reader stood in the way.
fn checkpoint(connection: &Connection) -> rusqlite::Result<bool> {
    connection.busy_timeout(SCRUB_WAIT)?;
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))
}

/// Says how far a group of batches came.
enum GroupFailure {
    /// The transaction could not begin or was rolled back before the commit.
    Transaction(SqlFailure),
    /// The commit itself failed.
    Commit(SqlFailure),
}

impl From<rusqlite::Error> for GroupFailure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Transaction(error.into())
    }
}

fn in_transaction<A: Apply>(
    connection: &mut Connection,
    group: &[QueuedWork<A>],
) -> Result<AppliedWork<Outcomes<A>>, GroupFailure> {
    let mut transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut outcomes = Vec::with_capacity(group.len());
    let mut erased = false;
    for job in group {
        let savepoint = transaction.savepoint()?;
        match job.work.apply(&savepoint) {
            Ok(applied) => {
                savepoint.commit()?;
                erased |= applied.erased;
                outcomes.push(Ok(applied.done));
            }
            // A full disk or an I/O error ends the whole transaction, not only this part of it.
            Err(error) if savepoint.is_autocommit() => return Err(GroupFailure::Transaction(error)),
            Err(error) => {
                savepoint.finish()?;
                outcomes.push(Err(error));
            }
        }
    }
    transaction.commit().map_err(|error| GroupFailure::Commit(error.into()))?;
    Ok(AppliedWork { done: outcomes, erased })
}

/// The work that waits, and whoever waits for it to settle.
fn gather<A: Apply>(
    first: QueuedWork<A>,
    jobs: &Receiver<WriterJob<A>>,
) -> (Vec<QueuedWork<A>>, Vec<SyncSender<()>>) {
    let (mut group, mut settling) = (vec![first], Vec::new());
    for job in jobs.try_iter().take(GROUP_MAX - 1) {
        match job {
            WriterJob::Write(work) => group.push(work),
            WriterJob::Settle(answer) => settling.push(answer),
        }
    }
    (group, settling)
}

/// Answers a group. Returns true when bytes were erased.
fn answer<A: Apply>(
    group: Vec<QueuedWork<A>>,
    outcomes: Result<AppliedWork<Outcomes<A>>, SqlFailure>,
) -> bool {
    match outcomes {
        Ok(AppliedWork { done, erased }) => {
            for (job, outcome) in group.into_iter().zip(done) {
                // A caller that went away does not need its answer.
                let _ = job.answer.send(outcome);
            }
            erased
        }
        Err(error) => {
            refuse(group, &error);
            false
        }
    }
}

fn refuse<A: Apply>(group: Vec<QueuedWork<A>>, error: &SqlFailure) {
    for job in group {
        let _ = job.answer.send(Err(same_again(&error.0).into()));
    }
}

/// The same error for each caller of a failed group.
fn same_again(error: &Error) -> Error {
    match error {
        Error::Misconfigured { code, reason } => Error::Misconfigured { code, reason: reason.clone() },
        Error::Unavailable { code, reason, source } => Error::Unavailable {
            code,
            reason: reason.clone(),
            source: source.as_ref().map(|source| source.to_string().into()),
        },
        Error::Corrupt(what) => Error::Corrupt(what.clone()),
        other => Error::Unavailable { code: "store_unavailable", reason: other.to_string(), source: None },
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::rows::sqlite::engine::{SqliteOptions, SqliteSchema};

    static SCHEMA: SqliteSchema = SqliteSchema {
        application_id: 7,
        migrations: &["
            CREATE TABLE parent (id INTEGER PRIMARY KEY);
            CREATE TABLE child (parent INTEGER REFERENCES parent DEFERRABLE INITIALLY DEFERRED);"],
    };

    type Answer = Receiver<Result<i64, SqlFailure>>;

    enum TestWork {
        Good(i64),
        Refused(i64),
        /// A deferred reference to nothing: every statement works and the commit fails.
        FailsAtCommit,
        /// Finds the disk full as long as the reserve is there.
        Cramped {
            id: i64,
            reserve: PathBuf,
            erases: bool,
        },
    }

    impl Apply for TestWork {
        type Done = i64;

        fn apply(&self, connection: &Connection) -> Result<AppliedWork<i64>, SqlFailure> {
            let insert = |id| connection.execute("INSERT INTO parent VALUES (?1)", [id]);
            let done = match self {
                Self::Good(id) => insert(*id).map(|_| *id)?,
                Self::Refused(id) => {
                    insert(*id)?;
                    return Err(Error::NotFound("reason to go on").into());
                }
                Self::Cramped { reserve, .. } if reserve.exists() => {
                    let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_FULL);
                    connection.execute_batch("ROLLBACK")?;
                    return Err(rusqlite::Error::SqliteFailure(code, None).into());
                }
                Self::Cramped { id, .. } => insert(*id).map(|_| *id)?,
                Self::FailsAtCommit => connection.execute("INSERT INTO child VALUES (-1)", []).map(|_| 0)?,
            };
            Ok(AppliedWork { done, erased: self.erases() })
        }

        fn erases(&self) -> bool {
            matches!(self, Self::Cramped { erases: true, .. })
        }
    }

    fn database(folder: &tempfile::TempDir) -> Database {
        Database::open(&folder.path().join("x.db"), &SCHEMA, SqliteOptions::default()).unwrap()
    }

    fn parents(database: &Database) -> Vec<i64> {
        let connection = database.connect().unwrap();
        let mut statement = connection.prepare("SELECT id FROM parent ORDER BY id").unwrap();
        statement.query_map([], |row| row.get(0)).unwrap().map(|id| id.unwrap()).collect()
    }

    fn scribe(database: &Database) -> Scribe {
        Scribe {
            database: database.clone(),
            reserve: database.reserve(),
            connection: Some(database.connect().unwrap()),
            transactions: Arc::default(),
            scrubbing: Scrubbing::Quietly,
            unscrubbed_groups: 0,
        }
    }

    fn group(work: Vec<TestWork>) -> (Vec<QueuedWork<TestWork>>, Vec<Answer>) {
        work.into_iter()
            .map(|work| {
                let (answer, answered) = sync_channel(1);
                (QueuedWork { work, answer }, answered)
            })
            .unzip()
    }

    fn codes(answers: &[Answer]) -> Vec<&'static str> {
        answers
            .iter()
            .map(|answer| answer.recv().unwrap().err().map_or("ok", |failure| failure.0.code()))
            .collect()
    }

    #[test]
    fn a_refused_batch_does_not_touch_its_group() {
        let folder = tempfile::tempdir().unwrap();
        let database = database(&folder);
        let (jobs, answers) =
            group(vec![TestWork::Good(1), TestWork::Refused(2), TestWork::Good(1), TestWork::Good(3)]);
        let mut scribe = scribe(&database);
        scribe.write_group(jobs);
        assert_eq!(codes(&answers), ["ok", "not_found", "store_unavailable", "ok"]);
        assert_eq!((parents(&database), scribe.transactions.load(Ordering::Relaxed)), (vec![1, 3], 1));
    }

    #[test]
    fn a_failed_commit_fails_its_whole_group_and_the_next_one_works() {
        let folder = tempfile::tempdir().unwrap();
        let database = database(&folder);
        let (jobs, answers) = group(vec![TestWork::Good(1), TestWork::FailsAtCommit, TestWork::Good(2)]);
        let mut scribe = scribe(&database);
        scribe.write_group(jobs);
        assert_eq!(codes(&answers), ["store_unavailable"; 3]);
        assert!(parents(&database).is_empty() && scribe.connection.is_none());
        let (jobs, answers) = group(vec![TestWork::Good(1)]);
        scribe.write_group(jobs);
        assert_eq!((codes(&answers), parents(&database)), (vec!["ok"], vec![1]));
    }

    #[test]
    fn an_erasure_on_a_full_disk_takes_the_reserve_and_other_work_does_not() {
        const RESERVE_BYTES: u64 = 40_000;
        let folder = tempfile::tempdir().unwrap();
        let options = SqliteOptions { reserve_bytes: RESERVE_BYTES, ..SqliteOptions::default() };
        let database = Database::open(&folder.path().join("x.db"), &SCHEMA, options).unwrap();
        let mut scribe = scribe(&database);
        scribe.reserve.fill();
        let reserve = folder.path().join("x.db-reserve");
        assert_eq!(reserve.metadata().unwrap().len(), RESERVE_BYTES);
        let cramped = |id, erases| TestWork::Cramped { id, reserve: reserve.clone(), erases };
        let (jobs, answers) = group(vec![cramped(1, false)]);
        scribe.write_group(jobs);
        assert_eq!((codes(&answers), scribe.reserve.is_short()), (vec!["disk_full"], false));
        let (jobs, answers) = group(vec![cramped(2, true), TestWork::Good(3), cramped(4, true)]);
        scribe.write_group(jobs);
        assert_eq!(codes(&answers), ["ok", "disk_full", "ok"]);
        assert_eq!((parents(&database), scribe.reserve.is_short()), (vec![2, 4], false), "it is made again");
    }

    #[test]
    fn work_is_answered_by_the_thread() {
        let folder = tempfile::tempdir().unwrap();
        let database = database(&folder);
        let writer = GroupWriter::start(database.clone(), Scrubbing::Quietly).unwrap();
        assert_eq!(writer.run(TestWork::Good(5)).unwrap(), 5);
        assert_eq!((writer.transactions(), parents(&database)), (1, vec![5]));
    }
}

//! One size: so many users, the databases at rest, and three nodes that serve them.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use lacuna_core::govern::Job;

use super::super::measure::{Latency, per_second};
use super::database::{COUNTS_SETTLE, Database, DiskBytes};
use super::fill::{Filled, Filler};
use super::load::{Answers, Asks, Clients, Visit, every_pair, home_of, zipf};
use super::nodes::{Fleet, NODES, Node};
use crate::Result;

/// Clients of a load; the latencies of single calls are taken with one.
pub(super) const CLIENTS: usize = 8;
/// First visits by one client.
const COLD_VISITS_MAX: usize = 200;
/// Jobs go from vault to vault, each of which they open: with more users they take as much longer, and are not run.
pub(super) const JOBS_USERS_MAX: usize = 200;
/// Vaults that one client asks again and again.
const HOT_USERS: usize = 9;
const SEED: u64 = 40_961;

/// Figures of one load, and the work that it made.
pub(super) struct LoadFigures {
    pub(super) count: usize,
    pub(super) failed: usize,
    pub(super) first_visits: usize,
    pub(super) per_second: f64,
    pub(super) latency: Latency,
    /// Processor time of all nodes and of PostgreSQL, for each answer.
    pub(super) nodes_time: Duration,
    pub(super) database_time: Duration,
    /// Transactions of PostgreSQL for each answer.
    pub(super) transactions: f64,
}

/// Figures at one size.
pub(super) struct Stage {
    pub(super) users: usize,
    pub(super) memories: usize,
    pub(super) filled: Filled,
    pub(super) disk: DiskBytes,
    /// Times of the jobs, if they ran.
    pub(super) jobs: Vec<(Job, Duration)>,
    /// The slowest of the nodes.
    pub(super) started_in: Duration,
    /// RAM of all nodes before the first request, and after the last.
    pub(super) ram_at_rest: u64,
    pub(super) ram: u64,
    pub(super) open_vaults: u64,
    pub(super) open_bytes: u64,
    pub(super) database_ram: u64,
    pub(super) cold: LoadFigures,
    pub(super) opens: LoadFigures,
    pub(super) hot: LoadFigures,
    pub(super) recalls: LoadFigures,
    pub(super) writes: LoadFigures,
    /// Load of the machine at the end.
    pub(super) machine_load: String,
}

/// The parts of a run that all sizes share.
pub(super) struct Bench<'a> {
    pub(super) database: Database,
    pub(super) filler: Filler,
    pub(super) fleet: Fleet,
    pub(super) token: String,
    /// Of each user.
    pub(super) memories: usize,
    /// The length of each load.
    pub(super) time: Duration,
    pub(super) folder: &'a Path,
}

impl Bench<'_> {
    /// Adds users until there are `users`, and measures.
    pub(super) fn measure(&mut self, users: usize) -> Result<Stage> {
        self.database.wait_for_disk(false)?;
        let filled = self.filler.fill_up_to(users)?;
        eprintln!("bench: {users} users, {:.0} memories a second", filled.per_second());
        self.database.settle()?;
        self.database.wait_for_disk(true)?;
        let disk = self.database.disk()?;
        let jobs = if users <= JOBS_USERS_MAX { self.filler.run_jobs()? } else { Vec::new() };
        self.filler.hold_jobs()?;
        eprintln!("bench: {users} users: the jobs ran, the nodes start");
        let nodes = self.fleet.start(&self.database, &self.folder.join(format!("at-{users}")))?;
        let ram_of = |nodes: &[Node]| nodes.iter().map(|node| node.process().own_ram()).sum::<u64>();
        let ram_at_rest = ram_of(&nodes);
        let loads = self.loads(users, &nodes)?;
        let figure = |name: &str| nodes.iter().map(|node| node.metric(name)).sum::<Result<u64>>();
        let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
        self.filler.release_jobs()?;
        let [cold, opens, hot, recalls, writes] = loads;
        Ok(Stage {
            users,
            memories: users * self.memories,
            filled,
            disk,
            jobs,
            started_in: nodes.iter().map(|node| node.started_in).max().unwrap_or_default(),
            ram_at_rest,
            ram: ram_of(&nodes),
            open_vaults: figure("lacuna_open_vaults")?,
            open_bytes: figure("lacuna_open_bytes")?,
            database_ram: self.database.ram()?,
            cold,
            opens,
            hot,
            recalls,
            writes,
            machine_load: load.split_whitespace().next().unwrap_or("unknown").to_owned(),
        })
    }

    /// The loads in their order: first visits by one client and by many, hot recalls by one client, recalls and writes of Zipf's
    /// users by many.
    fn loads(&mut self, users: usize, nodes: &[Node]) -> Result<[LoadFigures; 5]> {
        let token = self.token.clone();
        let clients = Clients::new(nodes, &token);
        let pairs = every_pair(users, NODES, SEED);
        let (alone, together) = pairs.split_at((pairs.len() / 3).min(COLD_VISITS_MAX));
        let time = self.time;
        let cold = self.load(nodes, || clients.drive(1, 4 * time, &in_turn(alone)))?;
        let opens = self.load(nodes, || clients.drive(CLIENTS, time, &in_turn(together)))?;
        let hot_users = HOT_USERS.min(users);
        let hottest: Vec<Visit> = (0..hot_users).map(|user| recall_at_home(user, user)).collect();
        clients.drive(1, 4 * time, &in_turn(&hottest))?;
        let asked = AtomicUsize::new(0);
        let again = || {
            let number = asked.fetch_add(1, Ordering::Relaxed);
            Some(recall_at_home(number % hot_users, number))
        };
        let hot = self.load(nodes, || clients.drive(1, time, &again))?;
        let next = zipf(users, NODES, Asks::Recall, SEED);
        let recalls = self.load(nodes, || clients.drive(CLIENTS, time, &next))?;
        let next = zipf(users, NODES, Asks::Remember, !SEED);
        let writes = self.load(nodes, || clients.drive(CLIENTS, time, &next))?;
        Ok([cold, opens, hot, recalls, writes])
    }

    /// Runs a load, and divides the work of nodes and database by its answers.
    fn load(&mut self, nodes: &[Node], drive: impl FnOnce() -> Result<Answers>) -> Result<LoadFigures> {
        let before = self.work_so_far(nodes)?;
        let answers = drive()?;
        // Reads are noted in the audit a moment later, which is their work too.
        thread::sleep(COUNTS_SETTLE);
        let after = self.work_so_far(nodes)?;
        let count = answers.count();
        let each = |before: Duration, after: Duration| (after - before) / (count.max(1) as u32);
        Ok(LoadFigures {
            count,
            failed: answers.failed,
            first_visits: answers.cold.len(),
            per_second: per_second(count, answers.took),
            latency: Latency::of(answers.all()),
            nodes_time: each(before.nodes, after.nodes),
            database_time: each(before.database, after.database),
            transactions: (after.transactions - before.transactions) as f64 / count.max(1) as f64,
        })
    }

    fn work_so_far(&mut self, nodes: &[Node]) -> Result<WorkDone> {
        Ok(WorkDone {
            nodes: nodes.iter().map(|node| node.process().processor_time()).sum::<Result<Duration>>()?,
            database: self.database.processor_time()?,
            transactions: self.database.transactions()?,
        })
    }
}

/// Work of nodes and database up to a moment.
struct WorkDone {
    nodes: Duration,
    database: Duration,
    transactions: u64,
}

fn recall_at_home(user: usize, number: usize) -> Visit {
    Visit { user, node: home_of(user, NODES), asks: Asks::Recall, number }
}

/// The visits of a list, one after the other.
fn in_turn(visits: &[Visit]) -> impl Fn() -> Option<Visit> + Sync {
    let next = AtomicUsize::new(0);
    move || visits.get(next.fetch_add(1, Ordering::Relaxed)).copied()
}

//! The PostgreSQL server of the measurement: its databases, their sizes, and the work that they did.

use std::path::Path;
use std::time::Duration;

use postgres::{Client, NoTls};
use xtask::postgres::Server;

use super::processes::{Process, children};
use crate::Result;

/// A server of moderate size, as the page says. `fsync` is not among them, because it changes during the run.
const SETTINGS: [&str; 6] = [
    "shared_buffers=2GB",
    "max_wal_size=4GB",
    "checkpoint_timeout=30min",
    "max_connections=300",
    "track_io_timing=off",
    "autovacuum_naptime=10s",
];
pub(super) const SETTINGS_SHOWN: &str = "2 GB of shared buffers";
const DATA: &str = "lacuna";
const KEYS: &str = "lacuna_keys";
/// Backends report their transactions after a second at the latest.
pub(super) const COUNTS_SETTLE: Duration = Duration::from_millis(1_500);

/// A server with one database for the data and one for the keys.
pub(super) struct Database {
    server: Server,
    admin: Client,
}

/// Bytes of both databases, with their indexes.
#[derive(Clone, Copy)]
pub(super) struct DiskBytes {
    pub(super) data: u64,
    pub(super) keys: u64,
}

impl DiskBytes {
    pub(super) fn all(self) -> u64 {
        self.data + self.keys
    }
}

impl Database {
    pub(super) fn start(parent: &Path) -> Result<Self> {
        let server = Server::start_in(parent, &SETTINGS)?;
        let mut admin = Client::connect(&server.url(), NoTls)?;
        for name in [DATA, KEYS] {
            admin.batch_execute(&format!("CREATE DATABASE {name}"))?;
        }
        Ok(Self { server, admin })
    }

    pub(super) fn version(&self) -> &str {
        self.server.version()
    }

    pub(super) fn data_url(&self) -> String {
        self.url(DATA)
    }

    pub(super) fn keys_url(&self) -> String {
        self.url(KEYS)
    }

    fn url(&self, database: &str) -> String {
        let url = self.server.url();
        let place = url.rsplit_once('/').map_or(url.as_str(), |(place, _)| place);
        format!("{place}/{database}")
    }

    /// Waits for the disk at each commit, or does not: filling would take much longer if it did.
    pub(super) fn wait_for_disk(&mut self, waits: bool) -> Result {
        let word = if waits { "on" } else { "off" };
        self.admin.batch_execute(&format!("ALTER SYSTEM SET fsync = {word}"))?;
        self.admin.batch_execute(&format!("ALTER SYSTEM SET full_page_writes = {word}"))?;
        self.admin.batch_execute("SELECT pg_reload_conf()")?;
        Ok(())
    }

    /// Brings the statistics up to date and writes everything out, as a server in use would have done.
    pub(super) fn settle(&mut self) -> Result {
        for url in [self.data_url(), self.keys_url()] {
            Client::connect(&url, NoTls)?.batch_execute("VACUUM ANALYZE")?;
        }
        self.admin.batch_execute("CHECKPOINT")?;
        Ok(())
    }

    pub(super) fn disk(&mut self) -> Result<DiskBytes> {
        Ok(DiskBytes { data: self.size(DATA)?, keys: self.size(KEYS)? })
    }

    fn size(&mut self, database: &str) -> Result<u64> {
        let row = self.admin.query_one("SELECT pg_database_size($1::text::name)", &[&database])?;
        Ok(u64::try_from(row.get::<_, i64>(0))?)
    }

    /// Transactions of both databases since the server started.
    pub(super) fn transactions(&mut self) -> Result<u64> {
        let sql = "
            SELECT sum(xact_commit + xact_rollback)::bigint FROM pg_stat_database
            WHERE datname = $1 OR datname = $2";
        let row = self.admin.query_one(sql, &[&DATA, &KEYS])?;
        Ok(u64::try_from(row.get::<_, i64>(0))?)
    }

    /// Processor time of all its processes, those that ended included.
    pub(super) fn processor_time(&self) -> Result<Duration> {
        let server = Process(self.server.process()?);
        let living: Duration =
            children(server)?.into_iter().filter_map(|child| child.processor_time().ok()).sum();
        Ok(server.processor_time()? + server.ended_children_time()? + living)
    }

    /// RAM of all its processes: what each has for itself, and the buffers once.
    pub(super) fn ram(&self) -> Result<u64> {
        let server = Process(self.server.process()?);
        let all = children(server)?;
        let own: u64 = all.iter().map(|process| process.own_ram()).sum();
        Ok(own + all.iter().map(|process| process.shared_ram()).max().unwrap_or(0))
    }
}

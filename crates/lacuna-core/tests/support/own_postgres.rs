//! PostgreSQL servers of a test's own: with TLS, with a replica, to be killed.

use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use postgres::{Client, NoTls};
use tempfile::TempDir;

const PACKAGED_SERVERS: &str = "/usr/lib/postgresql";
const UNPRIVILEGED_ACCOUNTS: [&str; 2] = ["postgres", "nobody"];
const START_WAIT: Duration = Duration::from_secs(60);

/// Runs the server until standard input closes: when we drop it, and when we die.
const KEEPER: &str = r#"
    "$BIN/postgres" -D "$DATA" -p "$PORT" -k "$DATA" -c listen_addresses=127.0.0.1 </dev/null >>"$DATA.log" 2>&1 &
    server=$!
    cat >/dev/null
    kill -QUIT "$server" 2>/dev/null
    wait "$server" 2>/dev/null
"#;

/// A folder for servers, certificates and the account that they run under.
pub(crate) struct Machine {
    folder: TempDir,
    programs: PathBuf,
    account: Option<(u32, u32)>,
}

/// A server that ends with the test, or earlier.
pub(crate) struct OwnPostgres {
    keeper: Child,
    pub(crate) port: u16,
    data: PathBuf,
}

impl Machine {
    /// `None` where a plain `cargo test` runs without PostgreSQL; `cargo xtask test` has it.
    pub(crate) fn new() -> Option<Self> {
        if std::env::var("LACUNA_TEST_POSTGRES").is_err() {
            eprintln!("skipped: LACUNA_TEST_POSTGRES is not set; `cargo xtask test` sets it");
            return None;
        }
        let versions = fs::read_dir(PACKAGED_SERVERS).into_iter().flatten().flatten();
        let programs =
            versions.map(|version| version.path().join("bin")).max().expect("PostgreSQL is installed");
        let folder = tempfile::tempdir().unwrap();
        let is_root = fs::metadata("/proc/self").unwrap().uid() == 0;
        let machine = Self { folder, programs, account: is_root.then(account) };
        machine.own(machine.folder.path());
        Some(machine)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Gives a file to the account that servers run under, and to nobody else.
    pub(crate) fn own(&self, path: &Path) {
        let mode = if path.is_dir() { 0o700 } else { 0o600 };
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        if let Some((user, group)) = self.account {
            chown(path, Some(user), Some(group)).unwrap();
        }
    }

    /// A program of PostgreSQL, run as the account of the servers.
    pub(crate) fn run(&self, program: &str, args: &[&str]) {
        let done = self.dressed(Command::new(self.programs.join(program))).args(args).output().unwrap();
        assert!(done.status.success(), "{program}: {}", String::from_utf8_lossy(&done.stderr));
    }

    pub(crate) fn dressed(&self, mut command: Command) -> Command {
        if let Some((user, group)) = self.account {
            command.uid(user).gid(group);
        }
        command.current_dir(self.folder.path()).stdin(Stdio::null());
        command
    }

    /// Makes the files of a new server, with these lines in its configuration and in front of its list of callers.
    pub(crate) fn init(&self, name: &str, settings: &str, callers: &str) {
        let data = self.path(name);
        let options = ["-U", "lacuna", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"];
        self.run("initdb", &[&["-D", data.to_str().unwrap()][..], &options].concat());
        for (file, lines) in [("postgresql.conf", settings), ("pg_hba.conf", callers)] {
            let path = data.join(file);
            let before = fs::read_to_string(&path).unwrap();
            fs::write(
                path,
                format!("{lines}\n{before}\n{}", if file == "postgresql.conf" { lines } else { "" }),
            )
            .unwrap();
        }
    }

    /// A primary that waits for its replica with each commit, and the replica.
    pub(crate) fn pair(&self) -> (OwnPostgres, OwnPostgres) {
        let settings = "synchronous_commit = on\nfsync = off\nmax_connections = 300";
        self.init("primary", settings, "host replication all 127.0.0.1/32 trust");
        let primary = self.start("primary");
        self.copy(&primary, "replica", &["-R"]);
        let replica = self.start("replica");
        primary.admin("ALTER SYSTEM SET synchronous_standby_names = 'replica'");
        primary.admin("SELECT pg_reload_conf()");
        let began = Instant::now();
        while primary.ask("SELECT coalesce(max(sync_state), 'none') FROM pg_stat_replication") != "sync" {
            assert!(began.elapsed() < START_WAIT, "the replica does not follow");
            std::thread::sleep(Duration::from_millis(50));
        }
        (primary, replica)
    }

    /// A snapshot of a running server's files, under another name. It waits for no replica.
    pub(crate) fn snapshot(&self, server: &OwnPostgres, name: &str) {
        self.copy(server, name, &[]);
        fs::write(self.path(name).join("postgresql.auto.conf"), "").unwrap();
    }

    fn copy(&self, server: &OwnPostgres, name: &str, more: &[&str]) {
        let folder = self.path(name);
        let source = format!("host=127.0.0.1 port={} user=lacuna application_name={name}", server.port);
        let options = ["-D", folder.to_str().unwrap(), "-d", &source, "-c", "fast", "--no-sync"];
        self.run("pg_basebackup", &[&options[..], more].concat());
    }

    pub(crate) fn start(&self, name: &str) -> OwnPostgres {
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port();
        self.start_on(name, port)
    }

    pub(crate) fn start_on(&self, name: &str, port: u16) -> OwnPostgres {
        let mut command = self.dressed(Command::new("sh"));
        command.args(["-c", KEEPER]).stdin(Stdio::piped()).process_group(0);
        command.env("BIN", &self.programs).env("DATA", self.path(name)).env("PORT", port.to_string());
        let server = OwnPostgres { keeper: command.spawn().unwrap(), port, data: self.path(name) };
        let began = Instant::now();
        let ready = || {
            let port = port.to_string();
            let mut ask = Command::new(self.programs.join("pg_isready"));
            ask.args(["-q", "-h", "127.0.0.1", "-p", &port]).status().unwrap().success()
        };
        while !ready() {
            let log = || fs::read_to_string(self.path(&format!("{name}.log"))).unwrap_or_default();
            assert!(began.elapsed() < START_WAIT, "PostgreSQL did not start: {}", log());
            std::thread::sleep(Duration::from_millis(50));
        }
        server
    }
}

impl OwnPostgres {
    /// Ends the server and all of its processes as a power cut would.
    pub(crate) fn kill(self) {
        let lock = fs::read_to_string(self.data.join("postmaster.pid")).unwrap();
        let server = lock.lines().next().unwrap();
        let children =
            fs::read_to_string(format!("/proc/{server}/task/{server}/children")).unwrap_or_default();
        let all = std::iter::once(server).chain(children.split_whitespace());
        // Some of them may have ended by themselves meanwhile.
        let _ = Command::new("kill").arg("-KILL").args(all).stderr(Stdio::null()).status();
    }

    pub(crate) fn url(&self) -> String {
        format!("postgres://lacuna@127.0.0.1:{}/postgres", self.port)
    }

    pub(crate) fn admin(&self, sql: &str) {
        Client::connect(&self.url(), NoTls).unwrap().batch_execute(sql).unwrap();
    }

    pub(crate) fn ask(&self, sql: &str) -> String {
        let row = Client::connect(&self.url(), NoTls).unwrap().query_one(sql, &[]).unwrap();
        row.get(0)
    }
}

impl Drop for OwnPostgres {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        let _ = self.keeper.wait();
    }
}

fn account() -> (u32, u32) {
    let accounts = fs::read_to_string("/etc/passwd").unwrap();
    let ids = |name: &&str| {
        let line = accounts.lines().find(|line| line.starts_with(&format!("{name}:")))?;
        let fields: Vec<_> = line.split(':').collect();
        Some((fields[2].parse().ok()?, fields[3].parse().ok()?))
    };
    UNPRIVILEGED_ACCOUNTS.iter().find_map(ids).expect("an account without rights")
}

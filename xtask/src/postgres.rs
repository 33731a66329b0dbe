//! A PostgreSQL server for one run of tests or measurements: in a folder of its own, on a free loopback port, gone afterwards.

use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::Result;
use crate::process::install;

const PACKAGED_SERVERS: &str = "/usr/lib/postgresql";
/// The server refuses to run as root; these accounts exist on most systems.
const UNPRIVILEGED_ACCOUNTS: [&str; 2] = ["postgres", "nobody"];
const START_WAIT: Duration = Duration::from_secs(60);
const START_POLL: Duration = Duration::from_millis(100);

/// Runs the server until its standard input closes. That happens when we stop it and also when we die,
/// however we die, so no server and no folder is left behind.
const KEEPER: &str = r#"
    "$BIN/initdb" -D "$FOLDER/data" -U lacuna -A trust -E UTF8 --locale=C --no-sync >"$FOLDER/log" 2>&1 || exit 1
    "$BIN/postgres" -D "$FOLDER/data" -p "$PORT" -k "$FOLDER" -c listen_addresses=127.0.0.1 \
        "$@" </dev/null >>"$FOLDER/log" 2>&1 &
    server=$!
    cat >/dev/null
    # A server that is still starting does not hear the first signal.
    tries=0
    while [ -f "$FOLDER/data/postmaster.pid" ] && [ "$tries" -lt 100 ]; do
        kill -INT "$server"
        tries=$((tries + 1))
        sleep 0.1
    done
    kill -KILL "$server" 2>/dev/null
    wait "$server" 2>/dev/null
    cd / && rm -rf "$FOLDER" 2>/dev/null
"#;

/// Settings for tests: nothing outlives the run, so nothing waits for the disk.
const TEST_SETTINGS: [&str; 3] = ["fsync=off", "full_page_writes=off", "max_connections=300"];

pub struct Server {
    keeper: Child,
    port: u16,
    folder: PathBuf,
    version: String,
}

impl Server {
    /// A server for tests, in the system's folder for temporary files.
    pub fn start() -> Result<Self> {
        Self::start_in(&std::env::temp_dir(), &TEST_SETTINGS)
    }

    /// A server whose files are in a new folder under `parent`. Settings are as on its command line: `name=value`.
    pub fn start_in(parent: &Path, settings: &[&str]) -> Result<Self> {
        let programs = find_or_install()?;
        let folder = parent.join(format!("lacuna-test-{}", std::process::id()));
        fs::create_dir(&folder)?;
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700))?;
        // Free at this moment; the server takes it in the next.
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
        let keeper = as_unprivileged(&folder)?
            .args(["sh", "-c", KEEPER, "keeper"])
            .args(settings.iter().flat_map(|setting| ["-c", setting]))
            .env("BIN", &programs)
            .env("FOLDER", &folder)
            .env("PORT", port.to_string())
            .current_dir(&folder)
            .stdin(Stdio::piped())
            .process_group(0)
            .spawn()?;
        let version = programs.iter().rev().nth(1).unwrap_or_default().to_string_lossy().into_owned();
        let mut server = Self { keeper, port, folder, version };
        server.wait_until_ready(&programs)?;
        Ok(server)
    }

    pub fn url(&self) -> String {
        format!("postgres://lacuna@127.0.0.1:{}/postgres", self.port)
    }

    pub fn version(&self) -> &str {
        &self.version
    }

    /// The process that all others of the server are children of.
    pub fn process(&self) -> Result<u32> {
        let file = fs::read_to_string(self.folder.join("data/postmaster.pid"))?;
        Ok(file.lines().next().unwrap_or_default().trim().parse()?)
    }

    fn wait_until_ready(&mut self, programs: &Path) -> Result<()> {
        let started = Instant::now();
        while started.elapsed() < START_WAIT && self.keeper.try_wait()?.is_none() {
            let ready = Command::new(programs.join("pg_isready"))
                .args(["-q", "-h", "127.0.0.1", "-U", "lacuna", "-p", &self.port.to_string()])
                .status()?;
            if ready.success() {
                return Ok(());
            }
            std::thread::sleep(START_POLL);
        }
        let log = fs::read_to_string(self.folder.join("log")).unwrap_or_default();
        Err(format!("PostgreSQL did not start:\n{log}").into())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        // Nothing can be done about a failure here, and the folder is temporary anyway.
        let _ = self.keeper.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// The folder with the server's programs.
fn find_or_install() -> Result<PathBuf> {
    if let Some(programs) = find() {
        return Ok(programs);
    }
    install(&["postgresql"])
        .map_err(|error| format!("the tests need PostgreSQL; install it and try again ({error})"))?;
    find().ok_or_else(|| format!("PostgreSQL was installed but is not in {PACKAGED_SERVERS}").into())
}

/// The newest packaged server, or the one that `pg_config` knows.
fn find() -> Option<PathBuf> {
    let versions = fs::read_dir(PACKAGED_SERVERS).into_iter().flatten().flatten();
    let newest = versions
        .map(|version| version.path().join("bin"))
        .filter(|programs| programs.join("initdb").exists())
        .max_by_key(|programs| version_number(programs));
    newest.or_else(|| {
        let output = Command::new("pg_config").arg("--bindir").output().ok()?;
        let programs = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
        programs.join("initdb").exists().then_some(programs)
    })
}

fn version_number(programs: &Path) -> Option<u32> {
    programs.parent()?.file_name()?.to_str()?.parse().ok()
}

fn is_root() -> Result<bool> {
    Ok(fs::metadata("/proc/self")?.uid() == 0)
}

/// A command that runs its arguments without root's rights, in a folder that it owns.
fn as_unprivileged(folder: &Path) -> Result<Command> {
    if !is_root()? {
        return Ok(Command::new("env"));
    }
    let (user, group) = unprivileged_ids()?;
    chown(folder, Some(user), Some(group))?;
    let mut command = Command::new("setpriv");
    command.args([format!("--reuid={user}"), format!("--regid={group}"), "--clear-groups".into()]);
    Ok(command)
}

fn unprivileged_ids() -> Result<(u32, u32)> {
    let accounts = fs::read_to_string("/etc/passwd")?;
    let ids = |name: &str| {
        let fields: Vec<_> = accounts.lines().map(|line| line.split(':').collect::<Vec<_>>()).collect();
        let account = fields.iter().find(|fields| fields.first() == Some(&name))?;
        Some((account.get(2)?.parse().ok()?, account.get(3)?.parse().ok()?))
    };
    let found = UNPRIVILEGED_ACCOUNTS.iter().find_map(|name| ids(name));
    found
        .ok_or_else(|| "PostgreSQL does not run as root, and no account `postgres` or `nobody` exists".into())
}

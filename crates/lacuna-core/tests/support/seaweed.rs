//! A SeaweedFS of a test's own, which speaks S3.

use std::fs;
use std::io::Write;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

const PROGRAM_VARIABLE: &str = "LACUNA_TEST_SEAWEEDFS";
const START_WAIT: Duration = Duration::from_secs(60);
/// Four services, each with a second port for the others.
const PORTS: usize = 8;

pub(crate) const ACCESS_KEY: &str = "AKIDLACUNATEST";
pub(crate) const SECRET_KEY: &str = "a-secret-of-the-tests";
/// May write and nothing else; its secret is the same.
pub(crate) const WRITER_KEY: &str = "AKIDLACUNAWRITER";

/// Runs the server until standard input closes: when we drop it, and when we die.
const KEEPER: &str = r#"
    "$WEED" server -dir="$FOLDER" -ip=127.0.0.1 -filer -s3 -s3.config="$FOLDER/s3.json" -master.telemetry=false \
        -master.port="$1" -master.port.grpc="$2" -volume.port="$3" -volume.port.grpc="$4" \
        -filer.port="$5" -filer.port.grpc="$6" -s3.port="$7" -s3.port.grpc="$8" -s3.port.iceberg=0 -s3.port.lance=0 \
        -volume.max=20 -master.volumeSizeLimitMB=64 </dev/null >"$FOLDER/log" 2>&1 &
    server=$!
    cat >/dev/null
    kill -KILL "$server" 2>/dev/null
    wait "$server" 2>/dev/null
"#;

pub(crate) struct Seaweed {
    keeper: Child,
    folder: TempDir,
    program: String,
    ports: Vec<u16>,
}

impl Seaweed {
    /// `None` without the program, which `cargo xtask test` installs and names.
    pub(crate) fn start() -> Option<Self> {
        let Ok(program) = std::env::var(PROGRAM_VARIABLE) else {
            eprintln!("skipped: {PROGRAM_VARIABLE} is not set; `cargo xtask test` sets it");
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        let identity = |name: &str, key: &str, rights: &str| {
            let login = format!(r#"[{{"accessKey": "{key}", "secretKey": "{SECRET_KEY}"}}]"#);
            format!(r#"{{"name": "{name}", "credentials": {login}, "actions": {rights}}}"#)
        };
        let all = identity("lacuna", ACCESS_KEY, r#"["Admin", "Read", "Write", "List", "Tagging"]"#);
        let writer = identity("writer", WRITER_KEY, r#"["Write"]"#);
        let who = format!(r#"{{"identities": [{all}, {writer}]}}"#);
        fs::write(folder.path().join("s3.json"), who).unwrap();
        let ports = free_ports();
        let server = Self { keeper: keeper(&program, &folder, &ports), folder, program, ports };
        server.wait();
        Some(server)
    }

    /// Ends it as a power cut would.
    pub(crate) fn kill(&mut self) {
        drop(self.keeper.stdin.take());
        let _ = self.keeper.wait();
    }

    /// Starts it again, with its files and under its address.
    pub(crate) fn start_again(&mut self) {
        self.keeper = keeper(&self.program, &self.folder, &self.ports);
        self.wait();
    }

    fn wait(&self) {
        let began = Instant::now();
        while !self.answers() {
            let log = || fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
            assert!(began.elapsed() < START_WAIT, "SeaweedFS did not start: {}", log());
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    pub(crate) fn endpoint(&self) -> String {
        format!("http://127.0.0.1:{}", self.ports[6])
    }

    /// A command of the server's own shell.
    pub(crate) fn shell(&self, command: &str) -> String {
        let [master, filer] =
            [0, 4].map(|place| format!("127.0.0.1:{}.{}", self.ports[place], self.ports[place + 1]));
        let mut shell = Command::new(&self.program);
        shell.args(["shell", &format!("-master={master}"), &format!("-filer={filer}")]);
        let mut child =
            shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(format!("{command}\n").as_bytes()).unwrap();
        let done = child.wait_with_output().unwrap();
        let said =
            format!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
        assert!(!said.contains("error:"), "{command}: {said}");
        said
    }

    fn answers(&self) -> bool {
        TcpStream::connect((Ipv4Addr::LOCALHOST, self.ports[6])).is_ok()
    }
}

fn keeper(program: &str, folder: &TempDir, ports: &[u16]) -> Child {
    let mut command = Command::new("sh");
    command.args(["-c", KEEPER, "sh"]).args(ports.iter().map(u16::to_string));
    command.env("WEED", program).env("FOLDER", folder.path()).stdin(Stdio::piped()).process_group(0);
    command.spawn().unwrap()
}

/// Ports that are free at this moment; the server takes them in the next.
fn free_ports() -> Vec<u16> {
    let free = || TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let held: Vec<TcpListener> = (0..PORTS).map(|_| free()).collect();
    held.iter().map(|listener| listener.local_addr().unwrap().port()).collect()
}

impl Drop for Seaweed {
    fn drop(&mut self) {
        self.kill();
    }
}

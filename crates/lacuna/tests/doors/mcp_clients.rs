//! The official clients, from the outside: they list what the MCP door offers, call it, and complete the story of a
//! memory over both transports. `cargo xtask test` installs them.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::{Home, free_port};

const STORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/doors/mcp_story.py");
const SIGN_ON: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/doors/mcp_sign_on.py");
const UNLOCK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/doors/mcp_unlock.py");
const GRAPH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/doors/mcp_graph.py");
/// The handshake of before, and the specification that has none.
const MODES: [&str; 2] = ["legacy", "2026-07-28"];
/// A client that can ask its user, and one that cannot.
const CLIENTS: [&str; 2] = ["asks", "silent"];

fn clients() -> Option<PathBuf> {
    let folder = std::env::var_os("LACUNA_TEST_MCP_CLIENTS").map(PathBuf::from);
    if folder.is_none() {
        eprintln!("skipped: no MCP clients; `cargo xtask test` installs them");
    }
    folder
}

fn python(home: &Home, script: &str, args: &[&str]) {
    let Some(folder) = clients() else { return };
    let args: Vec<&str> = [script].iter().chain(args).copied().collect();
    let done = home.program(&folder.join("python/bin/python"), &args);
    assert_eq!(done.code, 0, "{args:?}\n{}\n{}", done.stdout, done.stderr);
    assert!(done.stdout.starts_with("done"), "{}", done.stdout);
}

#[test]
fn the_python_client_completes_the_story_over_standard_input_and_output() {
    for mode in MODES {
        for client in CLIENTS {
            let home = Home::new();
            python(&home, STORY, &["stdio", mode, client, home.binary()]);
        }
    }
}

#[test]
fn the_python_client_completes_the_story_over_http() {
    let home = Home::new();
    let server = home.serve(&[]);
    let url = format!("{}/mcp", server.url);
    for mode in MODES {
        for client in CLIENTS {
            let token = home.token(&format!("{client}-{mode}"), "user", &[]);
            python(&home, STORY, &["http", mode, client, &url, token["secret"].as_str().unwrap()]);
        }
    }
    assert_eq!(server.stop(), 0, "open sessions do not keep the server from stopping");
}

#[test]
fn the_python_client_finds_the_sign_on_service_by_itself() {
    let (issuer_port, own_port) = (free_port(), free_port());
    let (issuer, own) = (format!("http://127.0.0.1:{issuer_port}"), format!("127.0.0.1:{own_port}"));
    let url = format!("http://{own}/mcp");
    let home = Home::new()
        .with("LACUNA_OIDC_ISSUER", &issuer)
        .with("LACUNA_OIDC_AUDIENCE", &url)
        .with("LACUNA_OIDC_RESOURCE", &url)
        .with("LACUNA_OIDC_JWKS_URL", &format!("{issuer}/keys"));
    let _server = home.serve_on(&own, &[]);
    python(&home, SIGN_ON, &[&issuer_port.to_string(), &url]);
}

/// A passphrase never passes the client: it opens a page, and the person unlocks the vault there.
#[test]
fn a_client_sends_its_person_to_the_page_that_unlocks_the_vault() {
    const PASSPHRASE: &str = "orchid ferry lantern walnut";
    let home = Home::new();
    home.remember("The spare key is under the third stone.");
    let token = |role: &str| home.token("anna", role, &[])["secret"].as_str().unwrap().to_owned();
    let (agent, person) = (token("agent"), token("user"));
    let mut server = home.serve(&[]);
    server.bearing(&person);
    let protect = json!({"new_passphrase": PASSPHRASE, "accept_loss": true});
    let headers = [("content-type", "application/json")];
    server.send("PUT", "/v1/protection", &headers, protect.to_string().as_bytes()).expect(200);
    for mode in MODES {
        for answer in ["no", "yes"] {
            python(&home, UNLOCK, &[mode, answer, &server.url, &agent, &person, PASSPHRASE]);
        }
        server.post("/v1/lock", &json!({})).expect(200);
    }
}

#[test]
fn the_python_client_works_with_the_tools_of_the_reference_server() {
    for mode in MODES {
        let home = Home::new();
        python(&home, GRAPH, &[mode, home.binary()]);
    }
}

/// The inspector's command line: one call a process.
struct Inspector<'a> {
    home: &'a Home,
    folder: PathBuf,
    target: Vec<String>,
}

impl Inspector<'_> {
    fn run(&self, args: &[&str]) -> Value {
        let modules = self.folder.join("node/node_modules");
        let launcher = modules.join("@modelcontextprotocol/inspector/clients/launcher/build/index.js");
        let mut all = vec![launcher.to_str().unwrap(), "--cli"];
        all.extend(self.target.iter().map(String::as_str));
        all.extend(args);
        let done = self.home.program(&modules.join("node/bin/node"), &all);
        assert_eq!(done.code, 0, "{args:?}\n{}\n{}", done.stdout, done.stderr);
        done.json()
    }

    fn call(&self, tool: &str, arguments: &[(&str, &str)]) -> Value {
        let pairs: Vec<String> = arguments.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let mut args = vec!["--method", "tools/call", "--tool-name", tool];
        args.extend(pairs.iter().flat_map(|pair| ["--tool-arg", pair]));
        let answer = self.run(&args);
        assert_eq!(answer["isError"], json!(false), "{answer}");
        answer["structuredContent"].clone()
    }

    fn story(&self) {
        let listed = self.run(&["--method", "tools/list", "--strict"]);
        assert_eq!(listed["tools"].as_array().unwrap().len(), 7, "{listed}");
        let fact = "The spare oars are behind the boat house";
        let stored = self.call("remember", &[("content", fact), ("said_by", "user")]);
        let query = [("query", "where are the spare oars?")];
        assert_eq!(self.call("recall", &query)["memories"][0]["memory_id"], stored["memory_id"]);
        let plan = self.call("forget", &[("words", "forget everything about the spare oars")]);
        assert_eq!(plan["outcome"], "plan", "{plan}");
        let token = plan["confirm_token"].as_str().unwrap();
        let done = self.call("forget", &[("confirm_token", token)]);
        assert_eq!(done["outcome"], "forgotten", "{done}");
        assert_eq!(done["forgotten"]["receipts"][0]["counts"]["keys_destroyed"], 1, "{done}");
        assert_eq!(self.call("recall", &query)["memories"], json!([]));
        let status = self.call("memory_status", &[("about", "the spare oars")]);
        assert_eq!(status["about"]["forgotten"], true, "{status}");
        assert_eq!(status["about"]["receipts"].as_array().unwrap().len(), 1, "{status}");
    }
}

#[test]
fn the_inspector_completes_the_story_over_standard_input_and_output() {
    let Some(folder) = clients() else { return };
    let home = Home::new().with("HOME", "/nonexistent");
    let data = home.data();
    let settings =
        [format!("LACUNA_DATA={}", data.display()), "LACUNA_EMBEDDER=static".into(), "USER=anna".into()];
    let mut target = vec![home.binary().to_owned(), "mcp".to_owned()];
    target.extend(settings.into_iter().flat_map(|setting| ["-e".to_owned(), setting]));
    Inspector { home: &home, folder, target }.story();
}

#[test]
fn the_inspector_completes_the_story_over_http() {
    let Some(folder) = clients() else { return };
    let home = Home::new().with("HOME", "/nonexistent");
    let server = home.serve(&[]);
    let token = home.token("anna", "user", &[]);
    let bearer = format!("Authorization: Bearer {}", token["secret"].as_str().unwrap());
    let target = vec![format!("{}/mcp", server.url), "--header".to_owned(), bearer];
    Inspector { home: &home, folder, target }.story();
}

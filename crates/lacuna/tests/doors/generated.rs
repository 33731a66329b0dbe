//! A client in Rust that progenitor makes of the description in the words of OpenAPI 3.0.
//!
//! Compiling the generator and the client takes minutes, so that `cargo xtask test --long` does it and the everyday
//! tests do not.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::Home;

const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

const MANIFEST: &str = r#"[package]
name = "generated-client"
version = "0.0.0"
edition = "2021"

[workspace]

[build-dependencies]
openapiv3 = "2.2"
prettyplease = "0.2"
progenitor-impl = "=0.15.1"
serde_json = "1"
syn = "2"

[dependencies]
bytes = "1"
chrono = { version = "0.4", features = ["serde"] }
futures-core = "0.3"
progenitor-client = "=0.15.1"
regress = "*"
reqwest = { version = "0.13", default-features = false, features = ["json", "stream"] }
serde = { version = "1", features = ["derive"] }
serde_json = "1"
tokio = { version = "1", features = ["rt", "macros"] }
uuid = "1"
"#;

const BUILD: &str = r#"
fn main() {
    println!("cargo:rerun-if-changed=openapi.json");
    let spec: openapiv3::OpenAPI =
        serde_json::from_str(&std::fs::read_to_string("openapi.json").unwrap()).unwrap();
    let mut settings = progenitor_impl::GenerationSettings::default();
    settings.with_interface(progenitor_impl::InterfaceStyle::Builder);
    let tokens = progenitor_impl::Generator::new(&settings).generate_tokens(&spec).unwrap();
    let text = prettyplease::unparse(&syn::parse2(tokens).unwrap());
    let folder = std::env::var("OUT_DIR").unwrap();
    std::fs::write(format!("{folder}/client.rs"), text).unwrap();
}
"#;

const MAIN: &str = r#"
#[allow(warnings)]
mod client {
    include!(concat!(env!("OUT_DIR"), "/client.rs"));
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let client = client::Client::new(&std::env::args().nth(1).unwrap());
    let remember = client.remember().body_map(|body| body.content("The museum opens at ten."));
    let stored = remember.send().await.unwrap();
    let found = client.search().body_map(|body| body.query("When does the museum open?")).send().await.unwrap();
    assert_eq!(found.memories[0].memory_id, stored.memory_id);
    let missing = client.get_memory().memory_id("mem_00000000000000000000000000000000").send().await;
    match missing.unwrap_err() {
        client::Error::ErrorResponse(answer) => assert_eq!(answer.code.to_string(), "not_found"),
        other => panic!("{other:?}"),
    }
    println!("called");
}
"#;

#[test]
#[ignore = "compiles a generator and its client"]
fn a_client_in_rust_is_generated_compiled_and_called() {
    let project = Path::new(REPOSITORY).join("target/generated-client");
    fs::create_dir_all(project.join("src")).unwrap();
    let home = Home::new();
    let server = home.serve(&[]);
    for (name, text) in [
        ("Cargo.toml", MANIFEST),
        ("build.rs", BUILD),
        ("src/main.rs", MAIN),
        ("openapi.json", &server.get("/openapi.json?version=3.0").text()),
    ] {
        fs::write(project.join(name), text).unwrap();
    }
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let run = Command::new(cargo)
        .args(["run", "--quiet", "--", &server.url])
        .current_dir(&project)
        .env("CARGO_TARGET_DIR", project.join("target"))
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success() && printed.contains("called"), "{}", String::from_utf8_lossy(&run.stderr));
}

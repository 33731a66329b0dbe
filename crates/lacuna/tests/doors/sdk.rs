//! The SDKs: their own tests run against this binary, with the examples of their documents. `cargo xtask test` installs
//! the programs that they need.

use std::path::PathBuf;

use crate::support::Home;

const PYTHON_SDK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../sdk/python");

fn tools() -> Option<PathBuf> {
    let folder = std::env::var_os("LACUNA_TEST_SDK_TOOLS").map(PathBuf::from);
    if folder.is_none() {
        eprintln!("skipped: no programs for the SDKs; `cargo xtask test` installs them");
    }
    folder
}

/// A home whose programs find this binary, and leave nothing in the source tree.
fn home() -> Home {
    let home =
        Home::new().with("PYTHONPATH", &format!("{PYTHON_SDK}/src")).with("PYTHONDONTWRITEBYTECODE", "1");
    let binary = home.binary().to_owned();
    home.with("LACUNA_BIN", &binary)
}

fn python(home: &Home, args: &[&str]) {
    let Some(tools) = tools() else { return };
    let done = home.program(&tools.join("python/bin/python"), args);
    assert_eq!(done.code, 0, "{}\n{}", done.stdout, done.stderr);
}

fn python_tests(home: &Home, more: &[&str]) {
    let tests = format!("{PYTHON_SDK}/tests");
    let args = ["-W", "error::ResourceWarning", "-m", "unittest", "discover", "-s", &tests];
    python(home, &args.into_iter().chain(more.iter().copied()).collect::<Vec<_>>());
}

#[test]
fn the_tests_of_the_python_sdk_pass() {
    python_tests(&home(), &[]);
}

#[test]
fn the_python_sdk_tells_the_same_story_on_postgresql() {
    let Ok(url) = std::env::var("LACUNA_TEST_POSTGRES") else {
        eprintln!("skipped: LACUNA_TEST_POSTGRES is not set; `cargo xtask test` sets it");
        return;
    };
    // The database outlives the test, so that its tenant must be its own.
    let org = format!("sdk-{}", std::process::id());
    let home = home().with("LACUNA_STORE", &url).with("LACUNA_ORG", &org);
    python_tests(&home.with("LACUNA_KEYS_BESIDE_DATA", "true"), &["-k", "Blocking"]);
}

#[test]
fn the_types_of_the_python_sdk_hold() {
    let home = home();
    let cache = home.path("mypy");
    let config = format!("{PYTHON_SDK}/pyproject.toml");
    let source = format!("{PYTHON_SDK}/src/lacuna_memory");
    python(&home, &["-m", "mypy", "--config-file", &config, "--cache-dir", cache.to_str().unwrap(), &source]);
}

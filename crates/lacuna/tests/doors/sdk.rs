//! The SDKs: their own tests run against this binary, with the examples of their documents. `cargo xtask test` installs
//! the programs that they need.

use std::path::{Path, PathBuf};

use crate::postgres_database::Database;
use crate::support::Home;

const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
const PYTHON_SDK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../sdk/python");
const TYPESCRIPT_SDK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../sdk/typescript");

pub(crate) fn tools() -> Option<PathBuf> {
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
    // A database for each class of tests, which has a data folder of its own: another installation's keys are refused.
    for (name, class) in [("sdk", "Blocking"), ("sdk_records", "Records")] {
        let Some(database) = Database::make(name) else { return };
        let home = home().with("LACUNA_STORE", &database.url());
        python_tests(&home.with("LACUNA_KEYS_BESIDE_DATA", "true"), &["-k", class]);
    }
}

#[test]
fn the_types_of_the_python_sdk_hold() {
    let home = home();
    let cache = home.path("mypy");
    let config = format!("{PYTHON_SDK}/pyproject.toml");
    let source = format!("{PYTHON_SDK}/src/lacuna_memory");
    python(&home, &["-m", "mypy", "--config-file", &config, "--cache-dir", cache.to_str().unwrap(), &source]);
}

/// Compiles the TypeScript SDK with its tests into the home. Answers with the folder.
pub(crate) fn compiled(home: &Home, tools: &Path) -> PathBuf {
    let built = home.path("typescript");
    let modules = tools.join("node/node_modules");
    let (types, compiler) = (modules.join("@types"), modules.join("typescript/bin/tsc"));
    let config = format!("{TYPESCRIPT_SDK}/tsconfig.json");
    let args =
        [compiler.as_path(), Path::new("--project"), Path::new(&config), Path::new("--typeRoots"), &types];
    let args = args.into_iter().chain([Path::new("--outDir"), &built]).map(|arg| arg.to_str().unwrap());
    let done = home.program(&modules.join("node/bin/node"), &args.collect::<Vec<_>>());
    assert_eq!(done.code, 0, "{}\n{}", done.stdout, done.stderr);
    // It says that the files are modules.
    std::fs::copy(format!("{TYPESCRIPT_SDK}/package.json"), built.join("package.json")).unwrap();
    built
}

/// Runs the compiled tests of the TypeScript SDK whose names end so.
fn typescript_tests(home: &Home, end: &str, least: usize) {
    let Some(tools) = tools() else { return };
    let built = compiled(home, &tools);
    let tests = std::fs::read_dir(built.join("test")).unwrap().map(|entry| entry.unwrap().path());
    let tests: Vec<PathBuf> = tests.filter(|path| path.to_str().unwrap().ends_with(end)).collect();
    assert!(tests.len() >= least, "{tests:?}");
    let args = ["--test"].into_iter().chain(tests.iter().map(|path| path.to_str().unwrap()));
    let done = home.program(&tools.join("node/node_modules/node/bin/node"), &args.collect::<Vec<_>>());
    assert_eq!(done.code, 0, "{}\n{}", done.stdout, done.stderr);
}

#[test]
fn the_tests_of_the_typescript_sdk_pass() {
    typescript_tests(&home().with("REPOSITORY_ROOT", REPOSITORY), ".test.js", 5);
}

#[test]
fn the_typescript_sdk_tells_the_same_story_on_postgresql() {
    let Some(database) = Database::make("sdk_typescript") else { return };
    let home = home().with("LACUNA_STORE", &database.url());
    typescript_tests(&home.with("LACUNA_KEYS_BESIDE_DATA", "true"), "/story.test.js", 1);
}

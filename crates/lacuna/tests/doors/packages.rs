//! The packages of `cargo xtask dist`, made of this binary, installed as their users install them, and used.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::support::Home;

const INDEX: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../packaging/local_index.py");

const FACT: &str = "The spare key hangs in the boat house.";

/// The packages and the programs that the SDKs need; `None` where `cargo xtask test` did not set them up.
fn made(home: &Home) -> Option<(PathBuf, PathBuf)> {
    let task = Path::new(home.binary()).with_file_name("xtask");
    let tools = std::env::var_os("LACUNA_TEST_SDK_TOOLS").map(PathBuf::from);
    let (true, Some(tools)) = (task.exists(), tools) else {
        eprintln!("skipped: no programs to pack with; `cargo xtask test` installs them");
        return None;
    };
    let out = home.path("packages");
    home.program(&task, &["dist", "--program", home.binary(), "--out", out.to_str().unwrap()]).ok();
    Some((out, tools))
}

/// The one file of a folder with this ending.
fn ending(folder: &Path, end: &str) -> String {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut fitting = names.filter(|path| path.to_str().unwrap().ends_with(end));
    let found = fitting.next().unwrap_or_else(|| panic!("no {end} in {}", folder.display()));
    assert!(fitting.next().is_none(), "two files that end in {end}");
    found.to_str().unwrap().to_owned()
}

/// An index of the packages on this machine, as PyPI and npm would be; it ends with its standard input.
struct Index {
    process: Child,
    url: String,
}

impl Index {
    fn of(packages: &Path) -> Self {
        let mut start = Command::new("python3");
        start.arg(INDEX).arg(packages).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = start.spawn().unwrap();
        let mut url = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut url).unwrap();
        Self { process, url: url.trim().to_owned() }
    }
}

impl Drop for Index {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}

/// Remembers and recalls with an installed program.
fn works(home: &Home, program: &Path) {
    home.program(program, &["remember", FACT]).ok();
    let found = home.program(program, &["recall", "spare key", "--json"]).ok().json();
    assert_eq!(found["memories"][0]["content"], FACT, "{}", program.display());
}

#[test]
fn each_package_installs_and_its_program_works() {
    let home = Home::new();
    let Some((out, tools)) = made(&home) else { return };
    home.program(
        Path::new("sh"),
        &["-c", "cd \"$0\" && sha256sum --check SHA256SUMS", out.to_str().unwrap()],
    )
    .ok();
    let index = Index::of(&out);
    wheel(&Home::new(), &index, &tools);
    npm(&Home::new(), &index);
    debian(&Home::new(), &out);
    let parts: serde_json::Value =
        serde_json::from_slice(&fs::read(ending(&out, ".cdx.json")).unwrap()).unwrap();
    let named = |name: &str| parts["components"].as_array().unwrap().iter().any(|part| part["name"] == name);
    assert!(named("rusqlite") && named("all-MiniLM-L6-v2"), "the list of parts is whole");
}

fn wheel(home: &Home, index: &Index, tools: &Path) {
    let venv = home.path("venv");
    home.program(&tools.join("python/bin/python"), &["-m", "venv", venv.to_str().unwrap()]).ok();
    let from = format!("{}/simple", index.url);
    let install = ["install", "--quiet", "--isolated", "--no-cache-dir", "--no-deps", "--index-url", &from];
    home.program(&venv.join("bin/pip"), &[&install[..], &["lacuna-memory"]].concat()).ok();
    works(home, &venv.join("bin/lacuna"));
    // The SDK needs its one dependency, and finds the program of its own wheel without a variable or a path.
    let libraries = fs::read_dir(tools.join("python/lib")).unwrap().next().unwrap().unwrap().path();
    let path = format!("PYTHONPATH={}", libraries.join("site-packages").display());
    let data = format!("LACUNA_DATA={}", home.data().display());
    let bare = ["-i", &data, "LACUNA_EMBEDDER=static", "USER=anna", "PATH=/usr/bin:/bin", &path];
    let run = |program: &str, args: &[&str]| {
        let program = venv.join("bin").join(program);
        home.program(Path::new("env"), &[&bare[..], &[program.to_str().unwrap()], args].concat()).ok()
    };
    let script = "from lacuna_memory import Lacuna\n\
                  with Lacuna() as memory: print(memory.search('spare key')['memories'][0]['content'])";
    assert_eq!(run("python", &["-c", script]).stdout.trim(), FACT);
    assert!(run("lacuna-memory", &["--version"]).stdout.starts_with("lacuna "));
}

fn npm(home: &Home, index: &Index) {
    let folder = home.path("node");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("package.json"), "{\"private\": true}\n").unwrap();
    let (from, cache) = (format!("{}/npm", index.url), home.path("cache"));
    let install = ["install", "--no-audit", "--no-fund", "--prefix", folder.to_str().unwrap()];
    let where_to = ["--registry", &from, "--cache", cache.to_str().unwrap(), "lacuna-memory"];
    home.program(Path::new("npm"), &[&install[..], &where_to].concat()).ok();
    works(home, &folder.join("node_modules/.bin/lacuna-memory"));
}

fn debian(home: &Home, out: &Path) {
    let tree = home.path("tree");
    home.program(Path::new("dpkg-deb"), &["-x", &ending(out, ".deb"), tree.to_str().unwrap()]).ok();
    works(home, &tree.join("usr/bin/lacuna"));
    for file in [
        "usr/share/man/man1/lacuna.1",
        "usr/share/doc/lacuna/copyright",
        "usr/lib/systemd/user/lacuna.service",
    ] {
        assert!(tree.join(file).exists(), "{file}");
    }
}

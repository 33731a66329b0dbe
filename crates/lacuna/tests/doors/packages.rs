//! The packages of `cargo xtask dist`, made of this binary, installed as their users install them, and used.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::Home;

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
    wheel(&Home::new(), &out, &tools);
    npm(&Home::new(), &out);
    debian(&Home::new(), &out);
    let parts: serde_json::Value =
        serde_json::from_slice(&fs::read(ending(&out, ".cdx.json")).unwrap()).unwrap();
    let named = |name: &str| parts["components"].as_array().unwrap().iter().any(|part| part["name"] == name);
    assert!(named("rusqlite") && named("all-MiniLM-L6-v2"), "the list of parts is whole");
}

fn wheel(home: &Home, out: &Path, tools: &Path) {
    let venv = home.path("venv");
    home.program(&tools.join("python/bin/python"), &["-m", "venv", venv.to_str().unwrap()]).ok();
    let wheel = ending(out, ".whl");
    home.program(&venv.join("bin/pip"), &["install", "--quiet", "--no-index", "--no-deps", &wheel]).ok();
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

fn npm(home: &Home, out: &Path) {
    let folder = home.path("node");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("package.json"), "{\"private\": true}\n").unwrap();
    let (program, sdk) = (ending(out, "linux-x64-0.1.0.tgz"), ending(out, "lacuna-memory-0.1.0.tgz"));
    let install = ["install", "--offline", "--no-audit", "--no-fund", "--prefix", folder.to_str().unwrap()];
    home.program(Path::new("npm"), &[&install[..], &[&program, &sdk]].concat()).ok();
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

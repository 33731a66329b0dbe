//! npm's packages: the TypeScript SDK with a command, and the program for this platform, which npm adds where it fits.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use super::{Parts, ROOT, VERSION};
use crate::Result;
use xtask::process::step;

/// The package of the program. Its name ends as Node calls the platform, because the SDK looks for it by that.
const PLATFORM_PACKAGE: &str = "lacuna-memory-linux-x64";

pub(super) fn pack(parts: &Parts, tools: &Path) -> Result {
    pack_program(parts)?;
    pack_sdk(parts, tools)
}

fn pack_program(parts: &Parts) -> Result {
    let folder = parts.scratch.join("npm-program");
    fs::create_dir_all(folder.join("bin"))?;
    fs::copy(&parts.program, folder.join("bin/lacuna"))?;
    let notice = Path::new(ROOT).join("crates/lacuna-models/packed/NOTICE");
    fs::copy(notice, folder.join("NOTICE"))?;
    let description = json!({
        "name": PLATFORM_PACKAGE,
        "version": VERSION,
        "description": "The program of lacuna-memory for Linux on x86-64",
        "license": "Apache-2.0",
        "os": ["linux"],
        "cpu": ["x64"],
        "libc": ["glibc"],
        "files": ["bin", "NOTICE", "LICENSE"],
    });
    fs::write(folder.join("package.json"), serde_json::to_string_pretty(&description)?)?;
    finish(parts, &folder)
}

fn pack_sdk(parts: &Parts, tools: &Path) -> Result {
    let (source, folder) = (Path::new(ROOT).join("sdk/typescript"), parts.scratch.join("npm-sdk"));
    let modules = tools.join("node/node_modules");
    let mut compile = Command::new(modules.join("node/bin/node"));
    compile.arg(modules.join("typescript/bin/tsc")).arg("--project").arg(source.join("tsconfig.json"));
    compile.arg("--typeRoots").arg(modules.join("@types")).arg("--outDir").arg(folder.join("dist"));
    step(&mut compile)?;
    fs::copy(source.join("README.md"), folder.join("README.md"))?;
    fs::copy(source.join("package.json"), folder.join("package.json"))?;
    // By npm itself, which keeps the order of the file: the first of two exports that fit is taken.
    npm(&folder, &["pkg", "set", &format!("optionalDependencies.{PLATFORM_PACKAGE}={VERSION}")])?;
    npm(&folder, &["pkg", "delete", "scripts", "devDependencies"])?;
    finish(parts, &folder)
}

/// Adds the licence and packs the folder.
fn finish(parts: &Parts, folder: &Path) -> Result {
    fs::copy(Path::new(ROOT).join("LICENSE"), folder.join("LICENSE"))?;
    npm(folder, &["pack", "--silent", "--pack-destination", parts.out.to_str().ok_or("a path beyond UTF-8")?])
}

fn npm(folder: &Path, arguments: &[&str]) -> Result {
    step(Command::new("npm").args(arguments).current_dir(folder))
}

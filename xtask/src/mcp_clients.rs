//! The clients that the MCP door is tested with: the official one for Python, and the inspector with the release of
//! Node that it needs. They are installed once, under the target folder, by the package managers of the machine.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Result;
use crate::process::step;

/// What is installed. A change here installs anew.
const PYTHON_PACKAGES: [&str; 1] = ["mcp==2.3.0"];
const NODE_PACKAGES: [&str; 2] = ["node@22.23.3", "@modelcontextprotocol/inspector@2.12.0"];
const FOLDER: &str = "mcp-clients";
const STAMP: &str = "installed";

/// The folder with both clients in it.
pub(crate) fn find_or_install() -> Result<PathBuf> {
    let folder = target_folder().join(FOLDER);
    let wanted = [&PYTHON_PACKAGES[..], &NODE_PACKAGES[..]].concat().join("\n");
    if fs::read_to_string(folder.join(STAMP)).is_ok_and(|installed| installed == wanted) {
        return Ok(folder);
    }
    fs::create_dir_all(&folder)?;
    install(&folder).map_err(|error| {
        format!(
            "the tests of the MCP door need python3 with venv, and npm; install them and try again ({error})"
        )
    })?;
    fs::write(folder.join(STAMP), wanted)?;
    Ok(folder)
}

fn install(folder: &Path) -> Result<()> {
    let python = folder.join("python");
    step(Command::new("python3").args(["-m", "venv"]).arg(&python))?;
    step(Command::new(python.join("bin/pip")).args(["install", "--quiet"]).args(PYTHON_PACKAGES))?;
    let node = folder.join("node");
    fs::create_dir_all(&node)?;
    // Without a package of its own, npm would install into one further up.
    fs::write(node.join("package.json"), "{\"private\": true}\n")?;
    let mut npm = Command::new("npm");
    step(npm.args(["install", "--no-audit", "--no-fund", "--silent"]).args(NODE_PACKAGES).current_dir(&node))
}

fn target_folder() -> PathBuf {
    let default = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../target");
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(default, PathBuf::from)
}

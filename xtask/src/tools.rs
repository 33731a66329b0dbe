//! Programs that tests need, installed once: from the system's packages, or from PyPI under the build folder.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::Result;
use crate::process::{install, step};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/tools");
const SCHEMATHESIS: &str = "schemathesis==4.32.5";

/// Schemathesis in an environment of its own. Answers with the program.
pub(crate) fn schemathesis() -> Result<PathBuf> {
    let venv = Path::new(FOLDER).join("schemathesis");
    let program = venv.join("bin/schemathesis");
    if !program.exists() {
        step(Command::new("python3").args(["-m", "venv"]).arg(&venv))?;
        step(Command::new(venv.join("bin/pip")).args(["install", "--quiet", SCHEMATHESIS]))?;
    }
    Ok(program)
}

/// Makes the certificates of tests.
pub(crate) fn openssl() -> Result<()> {
    let there = Command::new("openssl").arg("version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if there.is_ok_and(|status| status.success()) {
        return Ok(());
    }
    install(&["openssl"])
}

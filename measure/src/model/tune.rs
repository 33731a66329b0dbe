//! `cargo xtask model tune`: learns the sentence model further on pairs of our own, with the script `measure/tune/tune.py`.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Origin, check_pinned, download_one, succeed};
use crate::Result;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tune/tune.py");
const PAIRS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/questions_learn");
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/tune");
/// Packages of the script, from PyPI.
const PACKAGES: [&str; 4] = ["jax==0.10.2", "numpy==2.4.6", "safetensors==0.8.0", "tokenizers==0.23.3"];

/// The file that the learnt weights go to.
pub(super) fn tuned_weights() -> PathBuf {
    Path::new(FOLDER).join("model.safetensors")
}

pub(super) fn run(origin: &Origin) -> Result {
    let folder = Path::new(FOLDER);
    let python = folder.join("venv/bin/python3");
    if !python.exists() {
        succeed(Command::new("python3").args(["-m", "venv"]).arg(folder.join("venv")))?;
    }
    succeed(Command::new(&python).args(["-m", "pip", "install", "--quiet"]).args(PACKAGES))?;
    let published = tempfile::tempdir()?;
    download_one(origin, published.path())?;
    let published = published.path().join(origin.folder);
    check_pinned(&published.join(origin.weights.name), origin.weights.sha256)?;
    succeed(Command::new(&python).arg(SCRIPT).arg(&published).arg(PAIRS).arg(tuned_weights()))?;
    println!("now `cargo xtask model pack --download`, then `model questions` and `eval recall --learn`");
    Ok(())
}

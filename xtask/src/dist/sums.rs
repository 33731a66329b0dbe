//! The checksums of all packages, in the form that `sha256sum --check` reads.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::Result;

const BYTES_PER_MIB: f64 = 1_048_576.0;

pub(super) fn write(out: &Path) -> Result {
    let mut names = Vec::new();
    for entry in fs::read_dir(out)? {
        names.push(entry?.file_name());
    }
    names.sort();
    let output = Command::new("sha256sum").args(&names).current_dir(out).output()?;
    if !output.status.success() {
        return Err(format!("sha256sum: {}", output.status).into());
    }
    fs::write(out.join("SHA256SUMS"), &output.stdout)?;
    for name in names {
        let size = fs::metadata(out.join(&name))?.len() as f64 / BYTES_PER_MIB;
        println!("{size:8.1} MiB  {}", name.to_string_lossy());
    }
    Ok(())
}

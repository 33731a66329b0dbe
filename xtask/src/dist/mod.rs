//! `cargo xtask dist`: packages that need no compiler. Under `target/packages`: the program by itself, a Python wheel, npm's
//! packages, a Debian package, the list of their parts (SBOM) and their checksums.

mod build;
mod deb;
mod npm;
mod sbom;
mod sums;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) use build::time_of_last_commit;

use crate::{Result, tools};
use xtask::process::step;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The platform in the words of a wheel: any Linux with glibc 2.17 or newer.
const WHEEL_PLATFORM: &str = "manylinux_2_17_x86_64";
const PROGRAM_MODE: u32 = 0o755;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Packs this program instead of building one.
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Folder for the packages; it is emptied first. Not `target/dist`, where cargo keeps what the profile of that name builds.
    #[arg(long, value_name = "FOLDER", default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/packages"))]
    out: PathBuf,
}

/// The things that every package is made of.
struct Parts {
    /// The stripped program.
    program: PathBuf,
    /// Folder for the packages.
    out: PathBuf,
    /// Folder for what is on its way into a package.
    scratch: PathBuf,
    /// Seconds since 1970 of the last commit: the time of every packed file.
    time: String,
}

pub(crate) fn run(arguments: &Arguments) -> Result {
    let parts = prepare(arguments)?;
    let python = Path::new(ROOT).join("packaging/wheel.py");
    step(Command::new("python3").arg(python).arg(&parts.program).arg(WHEEL_PLATFORM).arg(&parts.out))?;
    npm::pack(&parts, &tools::sdk_tools()?)?;
    deb::pack(&parts)?;
    sbom::write(&parts.out.join(format!("lacuna-{VERSION}.cdx.json")))?;
    fs::copy(&parts.program, parts.out.join("lacuna"))?;
    fs::remove_dir_all(&parts.scratch)?;
    sums::write(&parts.out)
}

/// Builds or takes the program, and strips it into a folder that is otherwise empty.
fn prepare(arguments: &Arguments) -> Result<Parts> {
    let _ = fs::remove_dir_all(&arguments.out);
    let scratch = arguments.out.join("scratch");
    fs::create_dir_all(&scratch)?;
    let (out, scratch) = (arguments.out.canonicalize()?, scratch.canonicalize()?);
    let time = time_of_last_commit()?;
    let program = scratch.join("lacuna");
    strip_program(arguments.program.as_deref(), &program)?;
    Ok(Parts { program, out, scratch, time })
}

/// Writes the program without names and lines to `out`: the given one, or else one that is built for it.
pub(crate) fn strip_program(given: Option<&Path>, out: &Path) -> Result {
    let built = given.map_or_else(build::program, |program| Ok(program.to_owned()))?;
    tools::binutils()?;
    step(Command::new("strip").arg("-o").arg(out).arg(built))?;
    Ok(fs::set_permissions(out, fs::Permissions::from_mode(PROGRAM_MODE))?)
}

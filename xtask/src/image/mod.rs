//! `cargo xtask image`: the container image of a node, as an OCI archive under `target/image`.
//!
//! The image is made from scratch. The program is linked with glibc, so the files of the C library that it names come
//! along, from the Debian packages of this machine. With `--check` the image is unpacked and started.

mod check;

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Result, dist, tools};
use xtask::process::step;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Trusted roots for TLS to databases, object stores and sign-on.
const TRUSTED_ROOTS: &str = "/etc/ssl/certs/ca-certificates.crt";
/// The oldest C library that resolves names by itself. Older ones load further files for that.
const GLIBC_MIN: (u32, u32) = (2, 34);
/// Debian's packages of the files that are copied; each has the terms of its licence.
const LIBRARY_PACKAGES: [&str; 2] = ["libc6", "libgcc-s1"];
const PROGRAM_MODE: u32 = 0o755;
const FILE_MODE: u32 = 0o644;
const VOLUME_MODE: u32 = 0o700;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Takes this program instead of building one.
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Folder for the image; it is emptied first.
    #[arg(long, value_name = "FOLDER", default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/image"))]
    out: PathBuf,
    /// Unpacks the image and starts it, as its configuration says, in a root that cannot be written to.
    #[arg(long)]
    check: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result {
    tools::buildah()?;
    let _ = fs::remove_dir_all(&arguments.out);
    let context = arguments.out.join("context");
    fs::create_dir_all(&context)?;
    let (out, context) = (arguments.out.canonicalize()?, context.canonicalize()?);
    fill(&context, arguments.program.as_deref())?;
    let archive = out.join(format!("lacuna-{VERSION}.oci.tar"));
    build(&context, &out.join("storage"), &archive)?;
    if arguments.check {
        check::run(&archive, &out.join("check"))?;
    }
    for scratch in ["context", "storage", "check"] {
        let _ = fs::remove_dir_all(out.join(scratch));
    }
    eprintln!("xtask: {} ({} MiB)", archive.display(), fs::metadata(&archive)?.len() >> 20);
    Ok(())
}

/// Puts together the files of the image: `root` belongs to root, and `volume` to whom the program runs as.
fn fill(context: &Path, program: Option<&Path>) -> Result {
    let root = context.join("root");
    fs::create_dir_all(&root)?;
    let packed = root.join("lacuna");
    dist::strip_program(program, &packed)?;
    for library in libraries(&packed)? {
        copy_into(&root, &library, PROGRAM_MODE)?;
    }
    copy_into(&root, Path::new(TRUSTED_ROOTS), FILE_MODE)?;
    for package in LIBRARY_PACKAGES {
        copy_into(&root, &Path::new("/usr/share/doc").join(package).join("copyright"), FILE_MODE)?;
    }
    let own = root.join("usr/share/doc/lacuna");
    fs::create_dir_all(&own)?;
    fs::copy(Path::new(ROOT).join("LICENSE"), own.join("copyright"))?;
    let volume = context.join("volume/data");
    fs::create_dir_all(&volume)?;
    Ok(fs::set_permissions(volume, Permissions::from_mode(VOLUME_MODE))?)
}

/// The files of the C library that the program is linked with, by their paths on this machine.
fn libraries(program: &Path) -> Result<Vec<PathBuf>> {
    let version = told(Command::new("getconf").arg("GNU_LIBC_VERSION"))?;
    if glibc_version(&version).is_none_or(|version| version < GLIBC_MIN) {
        let (major, minor) = GLIBC_MIN;
        return Err(format!("this machine has {version}, and an image needs glibc {major}.{minor}").into());
    }
    Ok(paths_in(&told(Command::new("ldd").arg(program))?))
}

/// Reads `glibc 2.36`.
fn glibc_version(text: &str) -> Option<(u32, u32)> {
    let (major, minor) = text.trim().strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// The paths that `ldd` names. The kernel's own library has none.
fn paths_in(ldd: &str) -> Vec<PathBuf> {
    ldd.split_whitespace().filter(|word| word.starts_with('/')).map(PathBuf::from).collect()
}

/// Copies a file, and no link to it, to its own path under `root`.
fn copy_into(root: &Path, file: &Path, mode: u32) -> Result {
    let target = root.join(file.strip_prefix("/")?);
    target.parent().map_or(Ok(()), fs::create_dir_all)?;
    fs::copy(file, &target).map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(fs::set_permissions(target, Permissions::from_mode(mode))?)
}

/// Builds the image apart from those of the machine. The same files make the same image.
fn build(context: &Path, storage: &Path, archive: &Path) -> Result {
    let name = format!("lacuna:{VERSION}");
    let buildah = || {
        let mut command = Command::new("buildah");
        command.arg("--root").arg(storage.join("root")).arg("--runroot").arg(storage.join("run"));
        command.args(["--storage-driver", "vfs"]);
        command
    };
    let time = dist::time_of_last_commit()?;
    let mut built = buildah();
    built.args(["build", "--quiet", "--isolation", "chroot", "--format", "oci", "--timestamp", &time]);
    built.args(["--identity-label=false", "--tag", &name, "--file"]);
    step(built.arg(Path::new(ROOT).join("deploy/Containerfile")).arg(context))?;
    step(buildah().args(["push", "--quiet", &name]).arg(format!("oci-archive:{}:{name}", archive.display())))
}

/// The output of a command that must succeed.
fn told(command: &mut Command) -> Result<String> {
    let output = command.output()?;
    match output.status.success() {
        true => Ok(String::from_utf8(output.stdout)?),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned().into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_read_from_the_words_of_ldd() {
        let said = "\tlinux-vdso.so.1 (0x00007ff3022da000)\n\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007ff2fb41e000)\n\
            \t/lib64/ld-linux-x86-64.so.2 (0x00007ff3022dc000)\n";
        let expected = ["/lib/x86_64-linux-gnu/libc.so.6", "/lib64/ld-linux-x86-64.so.2"];
        assert_eq!(paths_in(said), expected.map(PathBuf::from));
        assert_eq!(paths_in("\tstatically linked\n"), Vec::<PathBuf>::new());
        assert_eq!(glibc_version("glibc 2.36\n"), Some((2, 36)));
        assert_eq!(glibc_version("musl"), None);
    }
}

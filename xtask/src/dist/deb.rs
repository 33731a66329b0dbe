//! The Debian package: the program, its manual pages and completions, and a service for one user.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use super::{PROGRAM_MODE, Parts, ROOT, VERSION};
use crate::Result;
use xtask::process::step;

const BYTES_PER_KIB: u64 = 1_024;
const FOLDER_MODE: u32 = 0o755;
/// Most of the program are weights, which a slower compression does not make smaller.
const COMPRESSION: [&str; 2] = ["-Zxz", "-z1"];
/// A completion script for each shell, in the place where the shell looks for it.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "usr/share/bash-completion/completions/lacuna"),
    ("zsh", "usr/share/zsh/vendor-completions/_lacuna"),
    ("fish", "usr/share/fish/vendor_completions.d/lacuna.fish"),
];
const SERVICE: &str = "\
[Unit]
Description=Private memory for AI assistants that can prove it forgot
Documentation=man:lacuna(1)

[Service]
ExecStart=/usr/bin/lacuna serve
Restart=on-failure
NoNewPrivileges=true
PrivateTmp=true
ProtectSystem=strict
ReadWritePaths=%h

[Install]
WantedBy=default.target
";

pub(super) fn pack(parts: &Parts) -> Result {
    let tree = parts.scratch.join("deb");
    put(&tree.join("usr/bin/lacuna"), &fs::read(&parts.program)?)?;
    fs::set_permissions(tree.join("usr/bin/lacuna"), fs::Permissions::from_mode(PROGRAM_MODE))?;
    put(&tree.join("usr/lib/systemd/user/lacuna.service"), SERVICE.as_bytes())?;
    for (shell, place) in COMPLETIONS {
        put(&tree.join(place), &printed(parts, &["completions", shell])?)?;
    }
    let pages = tree.join("usr/share/man/man1");
    fs::create_dir_all(&pages)?;
    printed(parts, &["man", "--dir", pages.to_str().ok_or("a path beyond UTF-8")?])?;
    let documents = tree.join("usr/share/doc/lacuna");
    put(&documents.join("copyright"), &copyright()?)?;
    put(&documents.join("README.md"), &fs::read(Path::new(ROOT).join("README.md"))?)?;
    put(&tree.join("DEBIAN/control"), control(&tree)?.as_bytes())?;
    open_folders(&tree)?;
    let mut build = Command::new("dpkg-deb");
    build.args(["--root-owner-group"]).args(COMPRESSION).arg("--build").arg(&tree);
    build.arg(parts.out.join(format!("lacuna_{VERSION}_amd64.deb")));
    step(build.env("SOURCE_DATE_EPOCH", &parts.time))
}

fn control(tree: &Path) -> Result<String> {
    let kib = size(tree)?.div_ceil(BYTES_PER_KIB);
    Ok(format!(
        "Package: lacuna\nVersion: {VERSION}\nArchitecture: amd64\nInstalled-Size: {kib}\n\
         Maintainer: The Lacuna authors <lacuna@localhost>\nDepends: libc6 (>= 2.17)\n\
         Recommends: ca-certificates\nSection: utils\nPriority: optional\n\
         Description: private memory for AI assistants that can prove it forgot\n \
         Stores what an assistant should know about its user, sealed under a key for each memory,\n \
         finds it again by meaning and by words, and erases it on request with a signed receipt.\n"
    ))
}

fn copyright() -> Result<Vec<u8>> {
    let read = |path: &str| fs::read(Path::new(ROOT).join(path));
    let (licence, notice) = (read("LICENSE")?, read("crates/lacuna-models/packed/NOTICE")?);
    Ok([notice, b"\n".to_vec(), licence].concat())
}

/// Output of the program that is being packed.
fn printed(parts: &Parts, arguments: &[&str]) -> Result<Vec<u8>> {
    let output = Command::new(&parts.program).args(arguments).output()?;
    if !output.status.success() {
        return Err(format!("lacuna {}: {}", arguments.join(" "), output.status).into());
    }
    Ok(output.stdout)
}

fn put(path: &Path, content: &[u8]) -> Result {
    fs::create_dir_all(path.parent().ok_or("a file without a folder")?)?;
    Ok(fs::write(path, content)?)
}

/// Bytes of all files below a folder.
fn size(folder: &Path) -> Result<u64> {
    fs::read_dir(folder)?.try_fold(0, |bytes, entry| {
        let entry = entry?;
        let meta = entry.metadata()?;
        Ok(bytes + if meta.is_dir() { size(&entry.path())? } else { meta.len() })
    })
}

/// Sets the modes of folders, and of files that are not programs, whatever the umask is.
fn open_folders(folder: &Path) -> Result {
    fs::set_permissions(folder, fs::Permissions::from_mode(FOLDER_MODE))?;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.metadata()?.is_dir() {
            open_folders(&entry.path())?;
        } else if entry.metadata()?.permissions().mode() & 0o100 == 0 {
            fs::set_permissions(entry.path(), fs::Permissions::from_mode(0o644))?;
        }
    }
    Ok(())
}

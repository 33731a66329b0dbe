//! The folder of a view: files that only their owner reads, a manifest by which they are known again, and the list of
//! folders that were written, so that forgetting can find them.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use lacuna_core::transfer::Line;
use lacuna_seal::sha256;
use lacuna_types::{Holder, Scope, SessionId};
use serde::{Deserialize, Serialize};

use super::unusable;
use crate::codes;
use crate::wire::failure::{Failure, Result};
use crate::wire::{hex, unhex};

const OWNER_FILE: u32 = 0o600;
const OWNER_FOLDER: u32 = 0o700;
const MANIFEST: &str = ".lacuna-view.json";
const SESSIONS: &str = "sessions";
const EXPORTS: &str = "exports";
/// File in the data folder that lists the written folders. It holds paths and no content.
const REGISTRY: &str = "views.json";
/// Files that we write are small; anything larger is not ours.
const FILE_BYTES_MAX: u64 = 256 << 20;
/// A file name that is longer becomes a hash.
const NAME_BYTES_MAX: usize = 120;
/// The beginning of a name that is a hash.
const HASHED: &str = "id.";
const VERSION: u32 = 1;

/// Record of the files that we wrote into a folder. It knows every line by a hash, and holds no content.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(super) struct FolderManifest {
    version: u32,
    pub(super) org: String,
    pub(super) scope: String,
    pub(super) include_health: bool,
    pub(super) left_out: usize,
    /// SHA-256 of the page as it was written.
    page: String,
    pub(super) lines: Vec<LineBody>,
    pub(super) sessions: Vec<SessionFile>,
    #[serde(default)]
    pub(super) exports: Vec<String>,
}

#[derive(Clone, Serialize, Deserialize)]
pub(super) struct LineBody {
    mark: String,
    memory_id: String,
    sha256: String,
    whole: bool,
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SessionFile {
    pub(super) name: String,
    pub(super) mark: u64,
}

impl FolderManifest {
    pub(super) fn page(&mut self, text: &str, lines: Vec<Line>) {
        self.version = VERSION;
        self.page = hex(&sha256(text.as_bytes()));
        self.lines = Self::bodies(lines);
    }

    pub(super) fn is_page(&self, text: &str) -> bool {
        self.page == hex(&sha256(text.as_bytes()))
    }

    pub(super) fn bodies(lines: Vec<Line>) -> Vec<LineBody> {
        let body = |line: Line| LineBody {
            mark: line.mark,
            memory_id: line.id.to_string(),
            sha256: hex(&line.sha256),
            whole: line.whole,
        };
        lines.into_iter().map(body).collect()
    }

    pub(super) fn lines(&self) -> Result<Vec<Line>> {
        let line = |body: &LineBody| {
            let sha256 = unhex(&body.sha256).and_then(|bytes| bytes.try_into().ok()).ok_or_else(damaged)?;
            let id = body.memory_id.parse().map_err(|_| damaged())?;
            Ok(Line { mark: body.mark.clone(), id, sha256, whole: body.whole })
        };
        self.lines.iter().map(line).collect()
    }
}

fn damaged() -> Failure {
    Failure::invalid("DIR", format!("{MANIFEST} is damaged: remove the view's files, and write them anew"))
}

pub(super) struct Folder(PathBuf);

impl Folder {
    /// The folder at `path`, made for its owner alone if it is not there.
    pub(super) fn at(path: &Path) -> Result<Self> {
        let made = fs::DirBuilder::new().recursive(true).mode(OWNER_FOLDER).create(path);
        made.map_err(|error| unusable(path, &error))?;
        let path = path.canonicalize().map_err(|error| unusable(path, &error))?;
        if fs::read_dir(&path).is_ok_and(|mut entries| entries.next().is_none()) {
            // Nobody else has anything in it yet.
            let owner_only = fs::Permissions::from_mode(OWNER_FOLDER);
            fs::set_permissions(&path, owner_only).map_err(|error| unusable(&path, &error))?;
        }
        Ok(Self(path))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    pub(super) fn shown(&self) -> String {
        self.0.display().to_string()
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.0.join(name).exists()
    }

    pub(super) fn read(&self, name: &str) -> Result<Option<String>> {
        read(&self.0.join(name))
    }

    /// Writes a file beside its place and puts it there whole. What stood there, even a link, is replaced.
    pub(super) fn write(&self, name: &str, text: &str) -> Result<()> {
        let target = self.0.join(name);
        if let Some(parent) = target.parent().filter(|parent| *parent != self.0) {
            let made = fs::DirBuilder::new().recursive(true).mode(OWNER_FOLDER).create(parent);
            made.map_err(|error| unusable(parent, &error))?;
        }
        write(&target, text)
    }

    pub(super) fn delete(&self, name: &str) -> Result<()> {
        delete(&self.0.join(name))
    }

    pub(super) fn manifest(&self) -> Result<Option<FolderManifest>> {
        let Some(text) = self.read(MANIFEST)? else { return Ok(None) };
        let manifest: FolderManifest = serde_json::from_str(&text).map_err(|_| damaged())?;
        if manifest.version > VERSION {
            return Err(Failure::invalid("DIR", format!("{MANIFEST} was written by a newer release")));
        }
        Ok(Some(manifest))
    }

    pub(super) fn write_manifest(&self, manifest: &FolderManifest) -> Result<()> {
        self.write(MANIFEST, &super::json(manifest))
    }

    /// Removes what we wrote, and the folder if nothing else is in it. Answers whether there was anything.
    pub(super) fn remove(&self) -> Result<bool> {
        let Some(manifest) = self.manifest()? else { return Ok(false) };
        for file in &manifest.sessions {
            self.delete(&file.name)?;
        }
        for name in &manifest.exports {
            self.delete(name)?;
        }
        for name in [super::PAGE, super::PREFERENCES, MANIFEST] {
            self.delete(name)?;
        }
        // A folder in which somebody else has put something stays.
        let _ = fs::remove_dir(self.0.join(SESSIONS));
        let _ = fs::remove_dir(self.0.join(EXPORTS));
        let _ = fs::remove_dir(&self.0);
        Ok(true)
    }
}

/// The file of a session.
pub(super) fn session_file(id: &SessionId) -> String {
    format!("{SESSIONS}/{}.jsonl", safe_name(id.as_str()))
}

/// The file of an export that was made at a moment.
pub(super) fn export_file(at: Timestamp) -> String {
    format!("{EXPORTS}/exp_{}.json", at.as_millisecond())
}

/// The folder of a vault below one that several share: its organisation, and in it its holder.
pub(super) fn place_of(scope: &Scope) -> PathBuf {
    let holder = match &scope.holder {
        Holder::User(user) => safe_name(user.as_str()),
        other => safe_name(&other.to_string().replace(':', "-")),
    };
    Path::new(&safe_name(scope.org.as_str())).join(holder)
}

/// A name where it is safe in a file system, or a hash of it.
fn safe_name(name: &str) -> String {
    let is_safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '@');
    let is_taken = name.starts_with('.') || name.starts_with(HASHED);
    match name.len() <= NAME_BYTES_MAX && name.chars().all(is_safe) && !is_taken {
        true => name.to_owned(),
        false => format!("{HASHED}{}", &hex(&sha256(name.as_bytes()))[..32]),
    }
}

/// The folders that views were written to.
pub(super) fn registered(data: &Path) -> Vec<PathBuf> {
    let text = read(&data.join(REGISTRY)).ok().flatten().unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

pub(super) fn register(data: &Path, folder: &Path) -> Result<()> {
    let mut folders = registered(data);
    if folders.iter().any(|known| known == folder) {
        return Ok(());
    }
    folders.push(folder.to_owned());
    write(&data.join(REGISTRY), &super::json(&folders))
}

pub(super) fn unregister(data: &Path, folder: &Path) -> Result<()> {
    let mut folders = registered(data);
    let before = folders.len();
    folders.retain(|known| known != folder);
    if folders.len() == before {
        return Ok(());
    }
    write(&data.join(REGISTRY), &super::json(&folders))
}

fn read(path: &Path) -> Result<Option<String>> {
    match fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unusable(path, &error)),
        Ok(meta) if meta.len() > FILE_BYTES_MAX => {
            return Err(Failure::new(&codes::TOO_LARGE, format!("{} is too large", path.display())));
        }
        Ok(_) => {}
    }
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unusable(path, &error)),
    }
}

fn write(target: &Path, text: &str) -> Result<()> {
    let beside = target.with_extension("lacuna-tmp");
    let written = || -> std::io::Result<()> {
        delete_if_there(&beside)?;
        let mut file = OpenOptions::new().write(true).create_new(true).mode(OWNER_FILE).open(&beside)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&beside, target)
    };
    written().map_err(|error| unusable(target, &error))
}

fn delete(path: &Path) -> Result<()> {
    delete_if_there(path).map_err(|error| unusable(path, &error))
}

fn delete_if_there(path: &Path) -> std::io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_has_a_file_name_that_leaves_its_folder_alone() {
        let file = |name: &str| session_file(&SessionId::new(name).unwrap());
        assert_eq!(file("ses_42"), "sessions/ses_42.jsonl");
        for name in ["../../etc/passwd", "a/b", ".", "Müller", &"x".repeat(128)] {
            let file = file(name);
            let bare = file.strip_prefix("sessions/id.").and_then(|rest| rest.strip_suffix(".jsonl"));
            assert!(bare.is_some_and(|bare| bare.chars().all(|c| c.is_ascii_hexdigit())), "{file}");
        }
        assert_ne!(file("a/b"), file("a.b"));
        let hashed = file("a/b").replace("sessions/", "").replace(".jsonl", "");
        assert_ne!(file(&hashed), file("a/b"), "a name cannot pass for the hash of another");
    }
}

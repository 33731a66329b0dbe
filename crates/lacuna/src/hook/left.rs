//! Work left by a hook that was ended too early: hosts do not always wait for the last hook of a conversation.
//! Its transcript lies beside that of the next conversation, and its mark tells the place up to which it was
//! read.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use lacuna_types::SessionId;

use super::mark::ReadMark;
use crate::wire::failure::Result;

/// Files of a folder that are checked.
const FILES_MAX: usize = 1_000;
/// Conversations that one hook goes on with.
const LEFT_MAX: usize = 8;
/// Age of the last write below which a transcript belongs to a conversation that goes on.
const AT_REST: Duration = Duration::from_secs(600);

/// Leaves a mark for a conversation that begins, so that a later hook knows it if its end is missed.
pub(crate) fn announce(data: &Path, session: &SessionId, transcript: &Path) -> Result<()> {
    ReadMark::take(&ReadMark::path(data, session, transcript)).map(drop)
}

/// The conversations beside `transcript` that have a mark and unread lines.
pub(crate) fn left_behind(data: &Path, transcript: &Path) -> Vec<(SessionId, PathBuf)> {
    let files = transcript.parent().and_then(|folder| fs::read_dir(folder).ok());
    let files = files.into_iter().flatten().take(FILES_MAX).filter_map(|entry| Some(entry.ok()?.path()));
    let others = files.filter(|file| file != transcript);
    others.filter_map(|file| Some((is_left(data, transcript, &file)?, file))).take(LEFT_MAX).collect()
}

/// The session of a file that was left behind. Hosts name files by their session.
fn is_left(data: &Path, ours: &Path, file: &Path) -> Option<SessionId> {
    let name = file.file_name()?.to_str()?.strip_suffix(".jsonl")?;
    let session = SessionId::new(name).ok()?;
    let mark = ReadMark::path(data, &session, file);
    mark.exists().then_some(())?;
    let read = ReadMark::take(&mark).ok()?.place.map_or(0, |place| place.offset);
    let (theirs, ours) = (fs::metadata(file).ok()?, fs::metadata(ours).ok()?);
    let rested = ours.modified().ok()?.duration_since(theirs.modified().ok()?).ok()?;
    (theirs.is_file() && read < theirs.len() && rested >= AT_REST).then_some(session)
}

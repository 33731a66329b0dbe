//! Reading position in a transcript: an offset and a number, in a file that says nothing else. Only the process
//! that holds the mark reads that transcript.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use lacuna_seal::sha256;
use lacuna_types::SessionId;

use crate::codes;
use crate::wire::failure::{Failure, Result};
use crate::wire::hex;

pub(super) const FOLDER: &str = "hooks";
/// Digits of a file's name.
pub(super) const NAME_DIGITS: usize = 32;
/// Version, offset and turn, each at its full width, so that a new record overwrites the old one exactly.
const RECORD_BYTES: usize = 36;

/// A reading position in a transcript.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ReadPosition {
    /// Offset of the first unread line.
    pub(super) offset: u64,
    /// Number of the next turn.
    pub(super) next_turn: u32,
}

pub(super) struct ReadMark {
    file: File,
    /// `None` when this transcript was never read, or the position is unknown.
    pub(super) place: Option<ReadPosition>,
}

impl ReadMark {
    /// Path of a transcript's mark. The name reveals neither the session nor the path.
    pub(super) fn path(data: &Path, session: &SessionId, transcript: &Path) -> PathBuf {
        let name = [session.as_str().as_bytes(), b"\0", transcript.as_os_str().as_encoded_bytes()].concat();
        data.join(FOLDER).join(&hex(&sha256(&name))[..NAME_DIGITS])
    }

    /// Locks a mark, and creates it if it does not exist.
    pub(super) fn take(path: &Path) -> Result<Self> {
        let failed = |error: io::Error| {
            Failure::new(&codes::DATA_FOLDER_UNAVAILABLE, format!("{}: {error}", path.display()))
        };
        if let Some(folder) = path.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(failed)?;
        }
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false).mode(0o600);
        let file = options.open(path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Failure::new(&codes::LOCKED, "another hook reads this transcript"));
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let mut text = String::new();
        // A damaged mark counts as none.
        let read = (&file).take(RECORD_BYTES as u64 + 1).read_to_string(&mut text);
        let place = read.ok().and_then(|_| parse(&text));
        Ok(Self { file, place })
    }

    pub(super) fn save(&mut self, place: ReadPosition) -> Result<()> {
        let record = format!("1 {:020} {:012}\n", place.offset, place.next_turn);
        self.file
            .seek(SeekFrom::Start(0))
            .and_then(|_| self.file.write_all(record.as_bytes()))
            .and_then(|()| self.file.sync_data())
            .map_err(|error| Failure::new(&codes::DATA_FOLDER_UNAVAILABLE, format!("the mark: {error}")))?;
        self.place = Some(place);
        Ok(())
    }
}

fn parse(text: &str) -> Option<ReadPosition> {
    let mut parts = text.strip_suffix('\n')?.split(' ');
    let (version, offset, turn) = (parts.next()?, parts.next()?, parts.next()?);
    let place = ReadPosition { offset: offset.parse().ok()?, next_turn: turn.parse().ok()? };
    (version == "1" && parts.next().is_none() && place.next_turn > 0).then_some(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_kept_held_by_one_and_says_nothing() {
        let data = tempfile::tempdir().unwrap();
        let session = SessionId::new("boat-house").unwrap();
        let path = ReadMark::path(data.path(), &session, Path::new("/home/anna/secret-project.jsonl"));
        let mut mark = ReadMark::take(&path).unwrap();
        assert_eq!(mark.place, None);
        let place = ReadPosition { offset: u64::MAX, next_turn: u32::MAX };
        mark.save(place).unwrap();
        mark.save(place).unwrap();
        assert_eq!(std::fs::read(&path).unwrap().len(), RECORD_BYTES);
        assert_eq!(ReadMark::take(&path).err().unwrap().code, &codes::LOCKED);
        drop(mark);
        assert_eq!(ReadMark::take(&path).unwrap().place, Some(place));
        assert!(
            !path.display().to_string().contains("secret") && !path.display().to_string().contains("boat")
        );
        for bad in ["", "1 2", "2 00000000000000000001 000000000001\n", "1 1 0\n", "1 1 1 1\n", "1 -1 1\n"] {
            std::fs::write(&path, bad).unwrap();
            assert_eq!(ReadMark::take(&path).unwrap().place, None, "{bad}");
        }
    }
}

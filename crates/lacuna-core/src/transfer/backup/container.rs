//! The file of a backup or of an exported ledger: `magic(8) ‖ version(1) ‖ frame…`, where a frame is
//! `kind(1) ‖ length(4) ‖ bytes ‖ digest(32)`.
//!
//! Each digest covers the one before, so a frame that was changed, swapped, repeated or taken out is found, and
//! the last frame says that nothing is missing.

use std::io::{self, ErrorKind, Read, Write};

use lacuna_seal::{Digest, Zeroizing};
use lacuna_types::{Error, Result};

const MAGIC: &[u8] = b"LACUNABK";
const VERSION: u8 = 1;
const DOMAIN: &str = "lacuna/backup/v1";
const DIGEST_BYTES: usize = 32;
/// The bytes of one frame.
pub(crate) const FRAME_BYTES_MAX: usize = 1 << 20;

/// The content of a frame. The numbers are frozen: never reuse one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum FrameKind {
    Manifest = 1,
    /// The name of a file; the chunks after it are its bytes.
    File = 2,
    Chunk = 3,
    Ledger = 4,
    Receipts = 5,
    KeyFile = 6,
    EpochKey = 7,
    Vault = 8,
    MemoryKeys = 9,
    End = 10,
}

impl FrameKind {
    fn code(self) -> u8 {
        self as u8
    }

    pub(crate) fn from_code(code: u8) -> Option<Self> {
        use FrameKind::*;
        let all = [Manifest, File, Chunk, Ledger, Receipts, KeyFile, EpochKey, Vault, MemoryKeys, End];
        all.into_iter().find(|kind| kind.code() == code)
    }
}

pub(crate) struct Packer<W: Write> {
    out: W,
    last: [u8; DIGEST_BYTES],
}

impl<W: Write> Packer<W> {
    pub(crate) fn new(mut out: W) -> Result<Self> {
        out.write_all(MAGIC)
            .and_then(|()| out.write_all(&[VERSION]))
            .map_err(|error| unwritable_backup(&error))?;
        Ok(Self { out, last: [0; DIGEST_BYTES] })
    }

    pub(crate) fn frame(&mut self, kind: FrameKind, bytes: &[u8]) -> Result<()> {
        let length = u32::try_from(bytes.len()).ok().filter(|_| bytes.len() <= FRAME_BYTES_MAX);
        let length = length.ok_or_else(|| Error::invalid("backup", "a frame is too large"))?;
        self.last = digest(&self.last, kind, bytes);
        let parts: [&[u8]; 4] = [&[kind.code()], &length.to_be_bytes(), bytes, &self.last];
        parts.iter().try_for_each(|part| self.out.write_all(part)).map_err(|error| unwritable_backup(&error))
    }

    /// A file of any length.
    pub(crate) fn file(&mut self, name: &str, mut bytes: impl Read) -> Result<()> {
        self.frame(FrameKind::File, name.as_bytes())?;
        let mut chunk = Zeroizing::new(Vec::with_capacity(FRAME_BYTES_MAX));
        loop {
            chunk.clear();
            let read = (&mut bytes).take(FRAME_BYTES_MAX as u64).read_to_end(&mut chunk);
            match read.map_err(|error| unreadable(&error))? {
                0 => return Ok(()),
                _ => self.frame(FrameKind::Chunk, &chunk)?,
            }
        }
    }

    /// Writes the last frame, and hands back what was written to.
    pub(crate) fn finish(mut self) -> Result<W> {
        self.frame(FrameKind::End, b"")?;
        self.out.flush().map_err(|error| unwritable_backup(&error))?;
        Ok(self.out)
    }
}

pub(crate) struct Unpacker<R: Read> {
    bytes: R,
    last: [u8; DIGEST_BYTES],
    ended: bool,
}

impl<R: Read> Unpacker<R> {
    pub(crate) fn new(mut bytes: R) -> Result<Self> {
        let mut head = [0; MAGIC.len() + 1];
        bytes.read_exact(&mut head).map_err(|error| unreadable(&error))?;
        match head.split_last() {
            Some((&VERSION, MAGIC)) => Ok(Self { bytes, last: [0; DIGEST_BYTES], ended: false }),
            Some((_, MAGIC)) => {
                Err(bad_backup("it has a version that this release does not know: use a newer Lacuna"))
            }
            _ => Err(bad_backup("it is not a backup")),
        }
    }

    /// The next frame, or `None` after the last one.
    pub(crate) fn next(&mut self) -> Result<Option<(FrameKind, Zeroizing<Vec<u8>>)>> {
        if self.ended {
            return Ok(None);
        }
        let mut head = [0; 5];
        self.fill(&mut head)?;
        let length = head[1..].iter().fold(0, |length, byte| length << 8 | usize::from(*byte));
        let kind = FrameKind::from_code(head[0]).filter(|_| length <= FRAME_BYTES_MAX);
        let kind = kind.ok_or_else(damaged)?;
        let mut bytes = Zeroizing::new(vec![0; length]);
        self.fill(&mut bytes)?;
        let mut stored = [0; DIGEST_BYTES];
        self.fill(&mut stored)?;
        self.last = digest(&self.last, kind, &bytes);
        if stored != self.last {
            return Err(damaged());
        }
        if kind == FrameKind::End {
            self.ended = true;
            return self.nothing_follows().map(|()| None);
        }
        Ok(Some((kind, bytes)))
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Result<()> {
        self.bytes.read_exact(bytes).map_err(|error| unreadable(&error))
    }

    fn nothing_follows(&mut self) -> Result<()> {
        match self.bytes.read(&mut [0]).map_err(|error| unreadable(&error))? {
            0 => Ok(()),
            _ => Err(damaged()),
        }
    }
}

fn digest(last: &[u8; DIGEST_BYTES], kind: FrameKind, bytes: &[u8]) -> [u8; DIGEST_BYTES] {
    *Digest::of(DOMAIN, &[last, &[kind.code()], bytes]).as_bytes()
}

pub(crate) fn bad_backup(why: &str) -> Error {
    Error::Misconfigured { code: "bad_backup", reason: format!("the backup cannot be used: {why}") }
}

pub(crate) fn damaged() -> Error {
    bad_backup("it is damaged or cut short")
}

fn unreadable(error: &io::Error) -> Error {
    match error.kind() {
        ErrorKind::UnexpectedEof | ErrorKind::InvalidData => damaged(),
        _ => Error::unavailable("backup_unavailable", "the backup cannot be read", error.to_string()),
    }
}

/// Returns the error of a backup, or of its copy, that cannot be written.
pub fn unwritable_backup(error: &io::Error) -> Error {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            Error::unavailable("disk_full", "there is no space left for the backup", error.to_string())
        }
        _ => Error::unavailable("backup_unavailable", "the backup cannot be written", error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Vec<u8> {
        let mut packer = Packer::new(Vec::new()).unwrap();
        packer.frame(FrameKind::Manifest, b"made by hand").unwrap();
        packer.file("a.db", &[7u8; 300][..]).unwrap();
        packer.file("empty", &b""[..]).unwrap();
        packer.finish().unwrap()
    }

    fn frames(bytes: &[u8]) -> Result<Vec<(FrameKind, Vec<u8>)>> {
        let mut unpacker = Unpacker::new(bytes)?;
        let mut frames = Vec::new();
        while let Some((kind, bytes)) = unpacker.next()? {
            frames.push((kind, bytes.to_vec()));
        }
        Ok(frames)
    }

    #[test]
    fn frames_come_back_in_order() {
        let expected = vec![
            (FrameKind::Manifest, b"made by hand".to_vec()),
            (FrameKind::File, b"a.db".to_vec()),
            (FrameKind::Chunk, vec![7; 300]),
            (FrameKind::File, b"empty".to_vec()),
        ];
        assert_eq!(frames(&sample()).unwrap(), expected);
        let large = vec![5; FRAME_BYTES_MAX + 1];
        let mut packer = Packer::new(Vec::new()).unwrap();
        packer.file("large", large.as_slice()).unwrap();
        let lengths: Vec<_> =
            frames(&packer.finish().unwrap()).unwrap().iter().map(|(_, bytes)| bytes.len()).collect();
        assert_eq!(lengths, [5, FRAME_BYTES_MAX, 1]);
    }

    #[test]
    fn every_changed_or_missing_byte_is_found() {
        let whole = sample();
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            assert!(frames(&changed).is_err(), "byte {at}");
            assert!(frames(&whole[..at]).is_err(), "cut at {at}");
        }
        assert!(frames(&[whole.as_slice(), b"x"].concat()).is_err());
    }
}

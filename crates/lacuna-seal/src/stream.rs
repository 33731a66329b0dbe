//! A stream of any length under a passphrase, for exports and backups:
//! `magic(8) ‖ version(1) ‖ memory_kib(4) ‖ passes(4) ‖ lanes(4) ‖ salt(16) ‖ commitment(32) ‖ chunk…`.
//!
//! The text is cut into chunks of 64 KiB, each sealed with its number and whether it is the last one as the
//! nonce (the STREAM construction). So a chunk that was changed, swapped, repeated, added or cut off is
//! rejected, in RAM for one chunk. The salt is new for each stream, and with it the key: no nonce meets
//! another one. The commitment tells a wrong passphrase apart from damage, before any chunk is read.

use std::io::{self, Read, Write};

use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use aws_lc_rs::constant_time::verify_slices_are_equal;
use thiserror::Error;
use zeroize::{Zeroize, Zeroizing};

use crate::digest::sha256;
use crate::entropy::Entropy;
use crate::hkdf;
use crate::key::KEY_BYTES;
use crate::passphrase::{PassphraseCost, PassphraseError, SALT_BYTES, number_at, stretch};

const MAGIC: &[u8; 8] = b"LACUNAST";
const VERSION: u8 = 1;
const COST_AT: usize = MAGIC.len() + 1;
const SALT_AT: usize = COST_AT + 3 * 4;
const COMMITMENT_AT: usize = SALT_AT + SALT_BYTES;
const COMMITMENT_BYTES: usize = 32;

/// Length of the header before the first chunk.
pub const STREAM_HEADER_BYTES: usize = COMMITMENT_AT + COMMITMENT_BYTES;
/// The plaintext of every chunk but the last one, which may be shorter.
pub const STREAM_CHUNK_BYTES: usize = 64 * 1024;
/// Bytes that sealing adds to each chunk.
pub const STREAM_TAG_BYTES: usize = 16;
const SEALED_CHUNK_BYTES: usize = STREAM_CHUNK_BYTES + STREAM_TAG_BYTES;

const NONCE_BYTES: usize = 12;
/// The chunk's number fills the eight bytes before the last one, which says whether it is the last chunk.
const NUMBER_AT: usize = NONCE_BYTES - 9;
const LAST_AT: usize = NONCE_BYTES - 1;

const CONTENT_LABEL: &[u8] = b"lacuna/stream/content/v1";
const COMMITMENT_LABEL: &[u8] = b"lacuna/stream/commits/v1";

/// Reason why a stream could not be sealed or opened.
#[derive(Debug, Error)]
pub enum StreamError {
    /// The bytes do not begin as a sealed stream does.
    #[error("this is not a sealed stream; check the path")]
    NotAStream,
    /// The stream has a version that this release does not know.
    #[error("the sealed stream has version {0}, which this release does not know; upgrade to read it")]
    UnknownVersion(u8),
    /// A part of the stream was changed, moved or cut off.
    #[error("the sealed stream is damaged or cut short; use another copy")]
    Damaged,
    /// The header asks for a cost outside the limits.
    #[error(
        "the Argon2 cost is out of bounds (8 KiB per lane to 1 GiB, 1 to 16 passes, 1 to 16 lanes); \
         if it comes from a file, the file is damaged or hostile"
    )]
    CostOutOfBounds,
    /// The machine has less memory than the cost asks for.
    #[error("there is not enough memory to stretch the passphrase; free some and try again")]
    OutOfMemory,
    /// The passphrase is wrong, or the header was changed.
    #[error("the passphrase is wrong, or the first bytes of the stream were changed")]
    WrongPassphrase,
    /// The underlying reader or writer failed.
    #[error("the sealed stream could not be read or written")]
    Io(#[from] io::Error),
}

impl From<PassphraseError> for StreamError {
    fn from(error: PassphraseError) -> Self {
        match error {
            PassphraseError::CostOutOfBounds => Self::CostOutOfBounds,
            PassphraseError::OutOfMemory => Self::OutOfMemory,
            PassphraseError::UnknownVersion(version) => Self::UnknownVersion(version),
            PassphraseError::NotAKeyFile | PassphraseError::WrongLength => Self::Damaged,
            PassphraseError::WrongPassphrase => Self::WrongPassphrase,
        }
    }
}

/// Tests whether a file that begins with these bytes claims to be a sealed stream.
pub fn is_sealed_stream(first_bytes: &[u8]) -> bool {
    first_bytes.starts_with(MAGIC)
}

/// Writer that seals its input. Only [`finish`](Self::finish) writes the last chunk: a writer that is dropped
/// earlier leaves a stream that does not open to its end.
pub struct SealWriter<W: Write> {
    inner: W,
    cipher: ChunkCipher,
    /// The chunk that is being filled. A full one waits here, since it might be the last.
    chunk: Zeroizing<Vec<u8>>,
    /// Set while a chunk is on its way. A chunk that may be half written cannot be written again.
    interrupted: bool,
}

impl<W: Write> SealWriter<W> {
    /// Stretches the passphrase and writes the header.
    pub fn new(
        mut inner: W,
        passphrase: &str,
        cost: PassphraseCost,
        entropy: &dyn Entropy,
    ) -> Result<Self, StreamError> {
        let mut header = Vec::with_capacity(STREAM_HEADER_BYTES);
        header.extend_from_slice(MAGIC);
        header.push(VERSION);
        for number in [cost.memory_kib, cost.passes, cost.lanes] {
            header.extend_from_slice(&number.to_be_bytes());
        }
        let mut salt = [0u8; SALT_BYTES];
        entropy.fill(&mut salt);
        header.extend_from_slice(&salt);

        let (cipher, commitment) = derive(passphrase, &header, cost)?;
        header.extend_from_slice(commitment.as_slice());
        inner.write_all(&header)?;
        let chunk = Zeroizing::new(Vec::with_capacity(SEALED_CHUNK_BYTES));
        Ok(Self { inner, cipher, chunk, interrupted: false })
    }

    /// Writes the last chunk, flushes, and hands back the inner writer.
    pub fn finish(mut self) -> io::Result<W> {
        self.send(true)?;
        self.inner.flush()?;
        Ok(self.inner)
    }

    fn send(&mut self, last: bool) -> io::Result<()> {
        if self.interrupted {
            return Err(io::Error::other("an earlier write to the sealed stream failed; start it anew"));
        }
        self.interrupted = true;
        self.cipher.seal(&mut self.chunk, last);
        self.inner.write_all(&self.chunk)?;
        self.chunk.clear();
        self.interrupted = false;
        Ok(())
    }
}

impl<W: Write> Write for SealWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.is_empty() {
            return Ok(0);
        }
        if self.interrupted || self.chunk.len() == STREAM_CHUNK_BYTES {
            self.send(false)?;
        }
        let taken = bytes.len().min(STREAM_CHUNK_BYTES - self.chunk.len());
        self.chunk.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    /// Flushes the sealed chunks. The chunk that is being filled stays, since cutting it short would end the
    /// stream.
    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Reader that opens the output of [`SealWriter`], chunk by chunk. Every byte that it hands out is authentic and
/// in its place, but only the end of the stream proves that nothing is missing: a caller who stops at an error
/// has a true beginning, not the whole. A damaged chunk is an [`io::ErrorKind::InvalidData`] around
/// [`StreamError::Damaged`], and every read after it fails in the same way.
pub struct OpenReader<R: Read> {
    inner: R,
    cipher: ChunkCipher,
    /// Sealed bytes on their way in: one chunk and one byte of the next, which says that there is one.
    sealed: Zeroizing<Vec<u8>>,
    chunk: Zeroizing<Vec<u8>>,
    handed_out: usize,
    state: OpenState,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum OpenState {
    More,
    LastChunk,
    Damaged,
}

impl<R: Read> OpenReader<R> {
    /// Reads the header and checks the passphrase against its commitment.
    pub fn new(mut inner: R, passphrase: &str) -> Result<Self, StreamError> {
        let header = read_header(&mut inner)?;
        let cost = PassphraseCost {
            memory_kib: number_at(&header, COST_AT),
            passes: number_at(&header, COST_AT + 4),
            lanes: number_at(&header, COST_AT + 8),
        };
        let (cipher, commitment) = derive(passphrase, &header[..COMMITMENT_AT], cost)?;
        verify_slices_are_equal(commitment.as_slice(), &header[COMMITMENT_AT..])
            .map_err(|_| StreamError::WrongPassphrase)?;
        Ok(Self {
            inner,
            cipher,
            sealed: Zeroizing::new(Vec::with_capacity(SEALED_CHUNK_BYTES + 1)),
            chunk: Zeroizing::new(Vec::with_capacity(SEALED_CHUNK_BYTES)),
            handed_out: 0,
            state: OpenState::More,
        })
    }

    fn next_chunk(&mut self) -> io::Result<()> {
        let wanted = SEALED_CHUNK_BYTES + 1 - self.sealed.len();
        (&mut self.inner).take(wanted as u64).read_to_end(&mut self.sealed)?;
        let last = self.sealed.len() <= SEALED_CHUNK_BYTES;
        let end = self.sealed.len().min(SEALED_CHUNK_BYTES);
        self.chunk.clear();
        self.chunk.extend_from_slice(&self.sealed[..end]);
        self.sealed.drain(..end);
        self.handed_out = 0;
        self.state = match self.cipher.open(&mut self.chunk, last) {
            Ok(()) if last => OpenState::LastChunk,
            Ok(()) => OpenState::More,
            Err(Rejected) => OpenState::Damaged,
        };
        Ok(())
    }
}

impl<R: Read> Read for OpenReader<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.handed_out == self.chunk.len() && self.state == OpenState::More && !into.is_empty() {
            self.next_chunk()?;
        }
        if self.state == OpenState::Damaged {
            return Err(io::Error::new(io::ErrorKind::InvalidData, StreamError::Damaged));
        }
        let left = &self.chunk[self.handed_out..];
        let taken = left.len().min(into.len());
        into[..taken].copy_from_slice(&left[..taken]);
        self.handed_out += taken;
        Ok(taken)
    }
}

fn read_header(inner: &mut impl Read) -> Result<[u8; STREAM_HEADER_BYTES], StreamError> {
    let mut bytes = Vec::with_capacity(STREAM_HEADER_BYTES);
    inner.take(STREAM_HEADER_BYTES as u64).read_to_end(&mut bytes)?;
    if !is_sealed_stream(&bytes) {
        return Err(StreamError::NotAStream);
    }
    match bytes.get(MAGIC.len()) {
        Some(&VERSION) => bytes.try_into().map_err(|_| StreamError::Damaged),
        Some(&other) => Err(StreamError::UnknownVersion(other)),
        None => Err(StreamError::Damaged),
    }
}

/// The cipher and the commitment of one passphrase under one header, each over every byte of the header.
fn derive(
    passphrase: &str,
    header: &[u8],
    cost: PassphraseCost,
) -> Result<(ChunkCipher, Zeroizing<[u8; KEY_BYTES]>), StreamError> {
    let stretched = stretch(passphrase, &header[SALT_AT..COMMITMENT_AT], cost)?;
    let header_hash = sha256(header);
    let expand = |label: &[u8]| hkdf::expand(&stretched, &[label, &header_hash[..]].concat());
    let content_key = expand(CONTENT_LABEL);
    let cipher = UnboundKey::new(&AES_256_GCM, content_key.as_slice()).expect("the key has 32 bytes");
    let cipher = ChunkCipher { cipher: LessSafeKey::new(cipher), number: 0 };
    Ok((cipher, expand(COMMITMENT_LABEL)))
}

struct Rejected;

struct ChunkCipher {
    cipher: LessSafeKey,
    number: u64,
}

impl ChunkCipher {
    fn seal(&mut self, chunk: &mut Vec<u8>, last: bool) {
        let nonce = self.next_nonce(last);
        self.cipher
            .seal_in_place_append_tag(nonce, Aad::empty(), chunk)
            .expect("a chunk is shorter than AES-GCM's limit of 64 GiB");
    }

    /// Opens in place and cuts the tag off; on error the chunk is empty.
    fn open(&mut self, chunk: &mut Zeroizing<Vec<u8>>, last: bool) -> Result<(), Rejected> {
        let nonce = self.next_nonce(last);
        let opened = self.cipher.open_in_place(nonce, Aad::empty(), chunk).map(|plaintext| plaintext.len());
        match opened {
            Ok(length) => chunk.truncate(length),
            Err(_) => chunk.zeroize(),
        }
        opened.map(drop).map_err(|_| Rejected)
    }

    fn next_nonce(&mut self, last: bool) -> Nonce {
        let mut nonce = [0u8; NONCE_BYTES];
        nonce[NUMBER_AT..LAST_AT].copy_from_slice(&self.number.to_be_bytes());
        nonce[LAST_AT] = u8::from(last);
        self.number = self.number.checked_add(1).expect("no stream has 2^64 chunks");
        Nonce::assume_unique_for_key(nonce)
    }
}

//! A sealed stream gives back its bytes, all of them and in order, or says that it cannot; and it never panics.

use std::io::{self, ErrorKind, Read, Write};

use lacuna_seal::{
    OpenReader, PassphraseCost, STREAM_CHUNK_BYTES, STREAM_HEADER_BYTES, STREAM_TAG_BYTES, SealWriter,
    SeededEntropy, StreamError, is_sealed_stream,
};
use proptest::prelude::*;

const PASSPHRASE: &str = "Zoë's words";
const SEALED_CHUNK_BYTES: usize = STREAM_CHUNK_BYTES + STREAM_TAG_BYTES;
const MAGIC_BYTES: usize = 8;
const COST_AT: usize = 9;
const SALT_AT: usize = 21;

fn seal(plaintext: &[u8]) -> Vec<u8> {
    let entropy = SeededEntropy::new(1);
    let writer = SealWriter::new(Vec::new(), PASSPHRASE, PassphraseCost::LEAST, &entropy);
    let mut writer = writer.expect("the least cost is within bounds");
    writer.write_all(plaintext).expect("a vector takes everything");
    writer.finish().expect("a vector takes everything")
}

fn open(sealed: &[u8]) -> Result<Vec<u8>, StreamError> {
    let mut plaintext = Vec::new();
    OpenReader::new(sealed, PASSPHRASE)?.read_to_end(&mut plaintext).map_err(stream_error)?;
    Ok(plaintext)
}

/// What a failed read holds: damage is told as such, and as invalid data.
fn stream_error(error: io::Error) -> StreamError {
    assert_eq!(error.kind(), ErrorKind::InvalidData);
    let inner = error.into_inner().expect("the error says why");
    *inner.downcast::<StreamError>().expect("the stream says why")
}

fn pattern(length: usize) -> Vec<u8> {
    (0..length).map(|at| (at % 251) as u8).collect()
}

fn is_damaged(outcome: &Result<Vec<u8>, StreamError>) -> bool {
    matches!(outcome, Err(StreamError::Damaged))
}

/// The header, and each chunk for itself.
fn chunks(sealed: &[u8]) -> (Vec<u8>, Vec<Vec<u8>>) {
    let (header, rest) = sealed.split_at(STREAM_HEADER_BYTES);
    (header.to_vec(), rest.chunks(SEALED_CHUNK_BYTES).map(<[u8]>::to_vec).collect())
}

fn join(header: &[u8], chunks: &[&[u8]]) -> Vec<u8> {
    [header, &chunks.concat()].concat()
}

#[test]
fn every_length_around_a_chunk_comes_back() {
    let chunk = STREAM_CHUNK_BYTES;
    for length in [0, 1, chunk - 1, chunk, chunk + 1, 2 * chunk - 1, 2 * chunk, 2 * chunk + 1] {
        let sealed = seal(&pattern(length));
        let chunk_count = length.div_ceil(chunk).max(1);
        assert_eq!(sealed.len(), STREAM_HEADER_BYTES + length + chunk_count * STREAM_TAG_BYTES);
        assert!(is_sealed_stream(&sealed));
        assert_eq!(open(&sealed).unwrap(), pattern(length), "{length}");
    }
}

#[test]
fn small_writes_and_small_reads_make_the_same_stream() {
    let plaintext = pattern(STREAM_CHUNK_BYTES + 100);
    let entropy = SeededEntropy::new(1);
    let mut writer = SealWriter::new(Vec::new(), PASSPHRASE, PassphraseCost::LEAST, &entropy).unwrap();
    for piece in plaintext.chunks(7) {
        writer.write_all(piece).unwrap();
        writer.flush().unwrap();
    }
    let sealed = writer.finish().unwrap();
    assert_eq!(sealed, seal(&plaintext));

    let mut reader = OpenReader::new(sealed.as_slice(), PASSPHRASE).unwrap();
    let (mut read, mut piece) = (Vec::new(), [0u8; 11]);
    loop {
        match reader.read(&mut piece).unwrap() {
            0 => break,
            length => read.extend_from_slice(&piece[..length]),
        }
    }
    assert_eq!(read, plaintext);
    assert_eq!(reader.read(&mut piece).unwrap(), 0, "the end stays the end");
}

#[test]
fn two_streams_of_one_text_share_nothing_after_the_cost() {
    let plaintext = pattern(1000);
    let entropy = SeededEntropy::new(1);
    let sealed = |entropy: &SeededEntropy| {
        let mut writer = SealWriter::new(Vec::new(), PASSPHRASE, PassphraseCost::LEAST, entropy).unwrap();
        writer.write_all(&plaintext).unwrap();
        writer.finish().unwrap()
    };
    let (first, second) = (sealed(&entropy), sealed(&entropy));
    assert_eq!(first[..SALT_AT], second[..SALT_AT]);
    assert_ne!(first[SALT_AT..STREAM_HEADER_BYTES], second[SALT_AT..STREAM_HEADER_BYTES]);
    assert_ne!(first[STREAM_HEADER_BYTES..], second[STREAM_HEADER_BYTES..]);
}

#[test]
fn a_passphrase_is_one_in_every_way_of_typing_it() {
    let mut plaintext = Vec::new();
    let sealed = seal(b"hello");
    OpenReader::new(sealed.as_slice(), "Zoe\u{308}'s words").unwrap().read_to_end(&mut plaintext).unwrap();
    assert_eq!(plaintext, b"hello");
}

#[test]
fn a_wrong_passphrase_is_not_taken_for_damage() {
    let sealed = seal(b"hello");
    for wrong in ["", "zoë's words", "Zoë's words "] {
        let refused = OpenReader::new(sealed.as_slice(), wrong).err();
        assert!(matches!(refused, Some(StreamError::WrongPassphrase)), "{wrong:?}");
    }
}

#[test]
fn other_files_are_told_apart_from_damaged_ones() {
    let mut newer = seal(b"hello");
    newer[MAGIC_BYTES] = 2;
    assert!(matches!(open(b"").err(), Some(StreamError::NotAStream)));
    assert!(matches!(open(b"{\"export_version\":\"1.0\"}").err(), Some(StreamError::NotAStream)));
    assert!(matches!(open(&newer).err(), Some(StreamError::UnknownVersion(2))));
}

#[test]
fn a_cost_out_of_bounds_is_refused_before_it_is_paid() {
    let least = PassphraseCost::LEAST;
    for cost in [
        PassphraseCost { memory_kib: u32::MAX, ..least },
        PassphraseCost { memory_kib: 0, ..least },
        PassphraseCost { passes: 17, ..least },
        PassphraseCost { lanes: 17, memory_kib: 17 * 8, ..least },
    ] {
        let refused = SealWriter::new(Vec::new(), "x", cost, &SeededEntropy::new(1)).err();
        assert!(matches!(refused, Some(StreamError::CostOutOfBounds)), "{cost:?}");
        let mut hostile = seal(b"hello");
        for (index, number) in [cost.memory_kib, cost.passes, cost.lanes].into_iter().enumerate() {
            hostile[COST_AT + 4 * index..][..4].copy_from_slice(&number.to_be_bytes());
        }
        assert!(matches!(open(&hostile).err(), Some(StreamError::CostOutOfBounds)), "{cost:?}");
    }
}

#[test]
fn every_flipped_bit_is_rejected() {
    let sealed = seal(b"remember the milk");
    for at in 0..sealed.len() {
        // The high bytes of the cost would ask for minutes of work, or are out of bounds: see above.
        if (COST_AT..SALT_AT).contains(&at) && (at - COST_AT) % 4 != 3 {
            continue;
        }
        for bit in 0..8 {
            let mut changed = sealed.clone();
            changed[at] ^= 1 << bit;
            assert!(open(&changed).is_err(), "bit {bit} of byte {at}");
        }
    }
}

#[test]
fn every_truncation_is_rejected() {
    let sealed = seal(b"remember the milk");
    for length in 0..sealed.len() {
        assert!(open(&sealed[..length]).is_err(), "{length}");
    }
    let long = seal(&pattern(2 * STREAM_CHUNK_BYTES + 5));
    for cut in [1, 5 + STREAM_TAG_BYTES, 6 + STREAM_TAG_BYTES, SEALED_CHUNK_BYTES + 5 + STREAM_TAG_BYTES] {
        assert!(is_damaged(&open(&long[..long.len() - cut])), "{cut}");
    }
    assert!(is_damaged(&open(&long[..STREAM_HEADER_BYTES])), "no chunk at all");
}

#[test]
fn chunks_that_moved_are_rejected() {
    let (header, chunks) = chunks(&seal(&pattern(3 * STREAM_CHUNK_BYTES)));
    let [a, b, c] = [&chunks[0][..], &chunks[1][..], &chunks[2][..]];
    assert!(open(&join(&header, &[a, b, c])).is_ok());
    let moved: [&[&[u8]]; 8] = [
        &[b, a, c],
        &[a, c, b],
        &[a, c],
        &[a, b],
        &[a, a, b, c],
        &[a, b, b, c],
        &[a, b, c, c],
        &[a, b, c, &[0]],
    ];
    for (at, order) in moved.iter().enumerate() {
        assert!(is_damaged(&open(&join(&header, order))), "case {at}");
    }
}

#[test]
fn a_chunk_of_another_stream_is_rejected() {
    let other = {
        let entropy = SeededEntropy::new(2);
        let mut writer = SealWriter::new(Vec::new(), PASSPHRASE, PassphraseCost::LEAST, &entropy).unwrap();
        writer.write_all(b"hello").unwrap();
        writer.finish().unwrap()
    };
    let (header, _) = chunks(&seal(b"hello"));
    let (_, strange) = chunks(&other);
    assert!(is_damaged(&open(&join(&header, &[&strange[0]]))));
}

#[test]
fn what_was_read_before_the_damage_is_true_and_the_error_stays() {
    let plaintext = pattern(2 * STREAM_CHUNK_BYTES);
    let mut sealed = seal(&plaintext);
    *sealed.last_mut().unwrap() ^= 1;
    let mut reader = OpenReader::new(sealed.as_slice(), PASSPHRASE).unwrap();
    let mut first = vec![0u8; STREAM_CHUNK_BYTES];
    reader.read_exact(&mut first).unwrap();
    assert_eq!(first, plaintext[..STREAM_CHUNK_BYTES]);
    for _ in 0..2 {
        assert!(matches!(stream_error(reader.read(&mut [0u8; 8]).unwrap_err()), StreamError::Damaged));
    }
}

#[test]
fn a_writer_that_was_dropped_leaves_a_stream_that_does_not_end() {
    let mut bytes = Vec::new();
    let entropy = SeededEntropy::new(1);
    let mut writer = SealWriter::new(&mut bytes, PASSPHRASE, PassphraseCost::LEAST, &entropy).unwrap();
    writer.write_all(&pattern(STREAM_CHUNK_BYTES + 1)).unwrap();
    drop(writer);
    assert_eq!(bytes.len(), STREAM_HEADER_BYTES + SEALED_CHUNK_BYTES);
    assert!(is_damaged(&open(&bytes)));
}

/// Takes a number of bytes, then fails once, then takes everything: a disk that was full for a moment.
struct Hiccup {
    left: usize,
    written: Vec<u8>,
}

impl Write for Hiccup {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.left == 0 {
            self.left = usize::MAX;
            return Err(io::Error::from(ErrorKind::StorageFull));
        }
        let taken = bytes.len().min(self.left);
        self.left -= taken;
        self.written.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_write_that_failed_halfway_cannot_go_on() {
    let disk = Hiccup { left: STREAM_HEADER_BYTES + 100, written: Vec::new() };
    let entropy = SeededEntropy::new(1);
    let mut writer = SealWriter::new(disk, PASSPHRASE, PassphraseCost::LEAST, &entropy).unwrap();
    assert!(writer.write_all(&pattern(2 * STREAM_CHUNK_BYTES)).is_err());
    assert!(writer.write_all(b"more").is_err());
    assert!(writer.finish().is_err());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn any_text_comes_back(plaintext in prop::collection::vec(any::<u8>(), 0..STREAM_CHUNK_BYTES + 500)) {
        prop_assert_eq!(open(&seal(&plaintext)).unwrap(), plaintext);
    }

    #[test]
    fn any_change_behind_the_header_is_damage(
        length in 0..2 * STREAM_CHUNK_BYTES + 10,
        place in any::<prop::sample::Index>(),
        flip in 1u8..,
    ) {
        let mut sealed = seal(&pattern(length));
        let at = STREAM_HEADER_BYTES + place.index(sealed.len() - STREAM_HEADER_BYTES);
        sealed[at] ^= flip;
        prop_assert!(is_damaged(&open(&sealed)));
    }

    #[test]
    fn any_cut_is_rejected(length in 0..2 * STREAM_CHUNK_BYTES + 10, place in any::<prop::sample::Index>()) {
        let sealed = seal(&pattern(length));
        prop_assert!(open(&sealed[..place.index(sealed.len())]).is_err());
    }

    #[test]
    fn any_bytes_behind_a_true_header_are_damage(body in prop::collection::vec(any::<u8>(), 0..300)) {
        let header = &seal(b"")[..STREAM_HEADER_BYTES];
        prop_assert!(is_damaged(&open(&[header, &body].concat())));
    }

    #[test]
    fn any_bytes_at_all_never_panic(body in prop::collection::vec(any::<u8>(), 0..200)) {
        let opened = OpenReader::new(body.as_slice(), PASSPHRASE).err();
        prop_assert!(matches!(opened, Some(StreamError::NotAStream)));
    }
}

//! Hostile bytes as key files and streams under a passphrase.
#![no_main]

use std::io::{Read, Write};

use lacuna_seal::{OpenReader, PassphraseCost, SealWriter, SeededEntropy, protect, recover};
use libfuzzer_sys::fuzz_target;

/// Magic, version and cost of a key file or a stream: kept, so that the fuzzer pays the least for each guess.
const HEAD_BYTES: usize = 21;

fuzz_target!(|bytes: &[u8]| {
    assert!(recover(bytes, "passphrase").is_err());
    assert!(OpenReader::new(bytes, "passphrase").is_err());
    changed_key_file(bytes);
    changed_stream(bytes);
});

fn changed_key_file(mask: &[u8]) {
    let file = protect(&[9; 32], "passphrase", PassphraseCost::LEAST, &SeededEntropy::new(1));
    let file = file.expect("the least cost is within bounds");
    let mut changed = file.clone();
    changed.iter_mut().skip(HEAD_BYTES).zip(mask).for_each(|(byte, mask)| *byte ^= mask);
    assert_eq!(recover(&changed, "passphrase").is_ok(), changed == file);
}

fn changed_stream(mask: &[u8]) {
    let writer = SealWriter::new(Vec::new(), "passphrase", PassphraseCost::LEAST, &SeededEntropy::new(1));
    let mut writer = writer.expect("the least cost is within bounds");
    writer.write_all(&[0; 64]).expect("a vector takes everything");
    let sealed = writer.finish().expect("a vector takes everything");
    let mut changed = sealed.clone();
    changed.iter_mut().skip(HEAD_BYTES).zip(mask).for_each(|(byte, mask)| *byte ^= mask);
    let opened = OpenReader::new(changed.as_slice(), "passphrase")
        .is_ok_and(|mut reader| reader.read_to_end(&mut Vec::new()).is_ok());
    assert_eq!(opened, changed == sealed);
}

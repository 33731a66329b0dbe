//! Hostile bytes against everything that opens: they may be refused, never accepted, never a panic.
//! `cargo +nightly fuzz run open`
#![no_main]

use std::io::{Read, Write};

use lacuna_seal::{
    Binding, ClassKey, SealContext, EpochKey, Field, MemoryKey, OpenReader, PassphraseCost, RootKey, SealWriter,
    SeededEntropy, UserKey, envelope, protect, recover,
};
use libfuzzer_sys::fuzz_target;

const CONTEXT: SealContext<'static> = SealContext {
    org: "acme",
    user: "ann",
    vault: [1; 16],
    memory: [2; 16],
    field: Field::Frame,
    class: 3,
    revision: 4,
    created_at_millis: 5,
    key_version: 6,
};
/// Magic, version and cost of a key file or a stream: kept, so that the fuzzer pays the least for each guess.
const HEAD_BYTES: usize = 21;

fuzz_target!(|bytes: &[u8]| {
    let memory = MemoryKey::from_bytes([7; 32]);
    assert!(memory.open(&CONTEXT, bytes).is_err());
    assert!(ClassKey::from_bytes([7; 32]).unwrap_memory(Binding::Alone, &CONTEXT, bytes).is_err());
    assert!(RootKey::from_bytes([7; 32]).unwrap_class(&CONTEXT, bytes).is_err());
    let (user, epoch) = (UserKey::from_bytes([7; 32]), EpochKey::from_bytes([7; 32]));
    assert!(user.unwrap_root(&epoch, None, &CONTEXT, bytes).is_err());
    assert!(recover(bytes, "passphrase").is_err());
    changed_envelope(&memory, bytes);
    changed_key_file(bytes);
    changed_stream(bytes);
});

/// Random bytes hardly ever pass the commitment, so this starts from an envelope that does.
fn changed_envelope(memory: &MemoryKey, mask: &[u8]) {
    let sealed = memory.seal(&CONTEXT, &[0; 64], &SeededEntropy::new(1));
    let mut changed = sealed.clone();
    changed.iter_mut().skip(envelope::OVERHEAD_BYTES / 2).zip(mask).for_each(|(byte, mask)| *byte ^= mask);
    assert_eq!(memory.open(&CONTEXT, &changed).is_ok(), changed == sealed);
}

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

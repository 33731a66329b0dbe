//! Hostile bytes against every key that opens an envelope: they may be refused, never accepted, never a panic.
#![no_main]

use lacuna_seal::{
    Binding, ClassKey, EpochKey, Field, MemoryKey, RootKey, SealContext, SeededEntropy, UserKey, envelope,
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

fuzz_target!(|bytes: &[u8]| {
    let memory = MemoryKey::from_bytes([7; 32]);
    assert!(memory.open(&CONTEXT, bytes).is_err());
    assert!(ClassKey::from_bytes([7; 32]).unwrap_memory(Binding::Alone, &CONTEXT, bytes).is_err());
    assert!(RootKey::from_bytes([7; 32]).unwrap_class(&CONTEXT, bytes).is_err());
    let (user, epoch) = (UserKey::from_bytes([7; 32]), EpochKey::from_bytes([7; 32]));
    assert!(user.unwrap_root(&epoch, None, &CONTEXT, bytes).is_err());
    changed_envelope(&memory, bytes);
});

/// Random bytes hardly ever pass the commitment, so this starts from an envelope that does.
fn changed_envelope(memory: &MemoryKey, mask: &[u8]) {
    let sealed = memory.seal(&CONTEXT, &[0; 64], &SeededEntropy::new(1));
    let mut changed = sealed.clone();
    changed.iter_mut().skip(envelope::OVERHEAD_BYTES / 2).zip(mask).for_each(|(byte, mask)| *byte ^= mask);
    assert_eq!(memory.open(&CONTEXT, &changed).is_ok(), changed == sealed);
}

//! Hostile bytes as CBOR items, from every position on, as every type.
#![no_main]

use lacuna_store::cbor::{CborReader, CborWriter};
use libfuzzer_sys::fuzz_target;

/// Positions that are tried: enough for every head inside a small item.
const POSITIONS_MAX: usize = 64;

fuzz_target!(|bytes: &[u8]| {
    for at in 0..bytes.len().min(POSITIONS_MAX) {
        read(&bytes[at..]);
    }
});

fn read(bytes: &[u8]) {
    if let Some(number) = CborReader(bytes).uint::<u64>() {
        assert_eq!(CborReader(&written(|w| w.uint(number))).uint(), Some(number));
    }
    if let Some(number) = CborReader(bytes).int() {
        assert_eq!(CborReader(&written(|w| w.int(number))).int(), Some(number));
    }
    if let Some(text) = CborReader(bytes).text() {
        assert_eq!(CborReader(&written(|w| w.text(text))).text(), Some(text));
    }
    if let Some(said) = CborReader(bytes).bytes() {
        assert_eq!(CborReader(&written(|w| w.bytes(said))).bytes(), Some(said));
    }
    let _ = (CborReader(bytes).bool(), CborReader(bytes).float(), CborReader(bytes).array_of_bytes::<16>());
    let _ = CborReader(bytes).optional(CborReader::uint::<u32>);
    let _ = CborReader(bytes).list(CborReader::uint::<u8>);
    let _ = CborReader(bytes).list(|r| r.list(|r| r.text().map(str::to_owned)));
    for fields in 0..4 {
        // Everything after the known fields is passed over, however it is nested.
        let _ = CborReader(bytes).record(fields, |_| Some(()));
        let _ = CborReader(bytes).grown_record(fields, fields + 2, |_, _| Some(()));
        let _ = CborReader(bytes).growing_record(fields, fields + 2, |_, _| Some(()));
    }
}

fn written(write: impl FnOnce(&mut CborWriter<'_>)) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(&mut CborWriter(&mut bytes));
    bytes
}

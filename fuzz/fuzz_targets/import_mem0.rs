//! Hostile bytes as a file for `lacuna import --from mem0`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lacuna_program::fuzzing::import("mem0", bytes));

//! Hostile bytes as a file for `lacuna import --from lacuna`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lacuna_program::fuzzing::import("lacuna", bytes));

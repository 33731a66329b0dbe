//! Hostile bytes as policy files.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lacuna_program::fuzzing::policy(bytes));

//! Hostile bytes as audit files that somebody handed over.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lacuna_program::fuzzing::audit_file(bytes));

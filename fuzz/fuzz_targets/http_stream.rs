//! Hostile bytes as the bytes of a connection.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lacuna_program::fuzzing::http_stream(bytes));

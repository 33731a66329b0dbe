//! Hostile bytes as bodies of requests.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lacuna_program::fuzzing::http_body(bytes));

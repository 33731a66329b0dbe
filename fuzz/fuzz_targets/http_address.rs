//! Hostile bytes as texts in the address of a request.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lacuna_program::fuzzing::http_address(bytes));

//! Hostile bytes as the bytes inside a sealed frame.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lacuna_core::fuzzing::frame(bytes));

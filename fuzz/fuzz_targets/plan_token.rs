//! Hostile bytes as tokens of plans and links.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lacuna_core::fuzzing::plan_token(bytes));

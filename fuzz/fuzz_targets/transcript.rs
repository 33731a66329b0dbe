//! Hostile bytes as transcripts of hosts and inputs of hooks.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lacuna_program::fuzzing::transcript(bytes));

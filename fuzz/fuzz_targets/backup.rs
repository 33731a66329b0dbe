//! Hostile bytes as backups and ledgers.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lacuna_core::fuzzing::backup(bytes));

//! Hostile bytes as documents in rows: receipts, audit entries, settings, deliveries.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lacuna_core::fuzzing::documents(bytes));

//! Hostile bytes as messages of MCP clients.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lacuna_program::fuzzing::mcp_message(bytes));

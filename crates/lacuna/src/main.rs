//! The binary `lacuna`: doors that translate and decide nothing. The memory itself is `lacuna-core`.

mod assemble;
mod background;
mod cli;
mod codes;
mod config;
mod console;
mod custody;
#[cfg(any(test, fuzzing))]
pub mod fuzzing;
mod hook;
mod http;
mod import;
mod mcp;
mod memory_tool;
mod passphrase;
mod persona;
mod policy_file;
mod ram;
mod traces;
mod webhook;
mod wire;
mod workers;

use std::process::ExitCode;

fn main() -> ExitCode {
    ram::refuse_core_dumps();
    cli::main(std::env::args_os())
}

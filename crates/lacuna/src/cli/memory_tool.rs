use std::io::{self, Read};

use super::output::Output;
use crate::assemble::assemble;
use crate::config::Config;
use crate::failure::{Failure, Result};
use crate::http::{MEMORY_TOOL_BYTES_MAX, read_json};
use crate::{codes, memory_tool};

pub(super) fn run(config: &Config, output: &Output) -> Result<()> {
    let request = read_json(&read_input()?)?;
    let installation = assemble(config)?;
    let answer = memory_tool::answer(&installation.service, &installation.local, request)?;
    installation.service.upkeep().flush_reads()?;
    output.show(&answer, |answer| answer.content.clone())
}

fn read_input() -> Result<Vec<u8>> {
    let mut input = Vec::new();
    let unreadable = |error: io::Error| Failure::new(&codes::INPUT_UNREADABLE, error.to_string());
    let limit = MEMORY_TOOL_BYTES_MAX as u64 + 1;
    io::stdin().lock().take(limit).read_to_end(&mut input).map_err(unreadable)?;
    if input.len() > MEMORY_TOOL_BYTES_MAX {
        let reason = format!("the command is larger than {MEMORY_TOOL_BYTES_MAX} bytes");
        return Err(Failure::new(&codes::TOO_LARGE, reason));
    }
    Ok(input)
}

//! Waiting times of an assistant: the MCP server that its host starts, and the hook that its host calls before it
//! shortens a long conversation.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::corpus::SEED;
use super::measure::Latency;
use super::program::{Program, Running};
use super::report::field;
use super::sentences;
use crate::Result;

const EMBEDDER: &str = "sentence";
/// Calls of a hook with the same transcript.
const HOOKS: usize = 3;
/// As `lacuna hook --help` tells it.
const HOOK_LIMIT: Duration = Duration::from_secs(45);
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// From the start of the program.
pub(super) struct Cold {
    pub(super) initialized: Latency,
    pub(super) recalled: Latency,
}

/// Starts a server again and again on a vault of `memories`.
pub(super) fn cold(memories: usize, starts: usize, folder: &Path) -> Result<Cold> {
    let program = Program::new(folder, EMBEDDER)?;
    fill(&program, memories)?;
    let (mut initialized, mut recalled) = (Vec::new(), Vec::new());
    for number in 0..starts {
        let started = Instant::now();
        let mut server = Server::start(&program)?;
        server.ask("initialize", &json!({
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"},
        }))?;
        initialized.push(started.elapsed());
        server.tell(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        let question = sentences::question(SEED, number);
        let answer =
            server.ask("tools/call", &json!({"name": "recall", "arguments": {"query": question}}))?;
        recalled.push(started.elapsed());
        if answer["isError"] == true {
            return Err(format!("recall was answered with {answer}").into());
        }
    }
    Ok(Cold { initialized: Latency::of(initialized), recalled: Latency::of(recalled) })
}

fn fill(program: &Program, memories: usize) -> Result {
    let mut child =
        program.command(&["remember", "--batch", "-"]).stdin(Stdio::piped()).stdout(Stdio::null()).spawn()?;
    let mut lines = BufWriter::new(child.stdin.take().ok_or("no input")?);
    for number in 0..memories {
        writeln!(lines, "{}", json!({"content": sentences::memory(SEED, number)}))?;
    }
    drop(lines);
    if child.wait()?.success() { Ok(()) } else { Err("the vault was not filled".into()) }
}

/// A server that speaks over its standard input and output.
struct Server {
    _process: Running,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Server {
    fn start(program: &Program) -> Result<Self> {
        let mut process = Running(program.command(&["mcp"]).stdin(Stdio::piped()).spawn()?);
        let input = process.0.stdin.take().ok_or("no input")?;
        let output = BufReader::new(process.0.stdout.take().ok_or("no output")?);
        Ok(Self { _process: process, input, output })
    }

    fn tell(&mut self, message: &Value) -> Result {
        Ok(writeln!(self.input, "{message}")?)
    }

    /// The result of an answer; its notifications are left out.
    fn ask(&mut self, method: &str, params: &Value) -> Result<Value> {
        self.tell(&json!({"jsonrpc": "2.0", "id": method, "method": method, "params": params}))?;
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line)? == 0 {
                return Err(format!("{method} was not answered").into());
            }
            let said: Value = serde_json::from_str(&line)?;
            if said["id"] == method {
                let result = said.get("result").cloned();
                return result.ok_or_else(|| format!("{method} was answered with {said}").into());
            }
        }
    }
}

/// The time and the work of one call of a hook.
pub(super) struct Hooked {
    pub(super) took: Duration,
    pub(super) limit: Duration,
    pub(super) peak_kib: u64,
    pub(super) turns: usize,
    pub(super) summaries: usize,
    pub(super) facts: usize,
}

/// Calls the hook with a transcript of `bytes`; each call goes on where the last one stopped.
pub(super) fn pre_compact(bytes: usize, folder: &Path) -> Result<Vec<Hooked>> {
    let program = Program::new(folder, EMBEDDER)?;
    let transcript = folder.join("transcript.jsonl");
    write_transcript(&transcript, bytes)?;
    (0..HOOKS).map(|_| hook(&program, &transcript)).collect()
}

fn hook(program: &Program, transcript: &Path) -> Result<Hooked> {
    let started = Instant::now();
    let mut command = program.command(&["hook", "pre-compact", "--json"]);
    let mut child = command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let input = json!({"session_id": "long", "transcript_path": transcript, "hook_event_name": "PreCompact"});
    child.stdin.take().ok_or("no input")?.write_all(input.to_string().as_bytes())?;
    let mut peak_kib = 0;
    while child.try_wait()?.is_none() {
        peak_kib = peak_kib.max(high_water_kib(&child));
        std::thread::sleep(LOOK_EVERY);
    }
    let took = started.elapsed();
    let said = String::from_utf8(child.wait_with_output()?.stderr)?;
    let done: Value =
        said.lines().last().and_then(|line| serde_json::from_str(line).ok()).unwrap_or_default();
    let number = |name: &str| -> Result<usize> {
        let number = done[name].as_u64().ok_or_else(|| format!("the hook said {said}"))?;
        Ok(number as usize)
    };
    Ok(Hooked {
        took,
        limit: HOOK_LIMIT,
        peak_kib,
        turns: number("turns")?,
        summaries: number("summaries")?,
        facts: number("facts")?,
    })
}

/// The most RAM that a process ever held, the pages of its files with it.
fn high_water_kib(child: &Child) -> u64 {
    let held = field(&format!("/proc/{}/status", child.id()), "VmHWM");
    held.split_whitespace().next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// People and assistants say a sentence or some, tools answer with pages.
fn write_transcript(file: &Path, bytes: usize) -> Result {
    let mut out = BufWriter::new(File::create(file)?);
    let said = |from: usize, count: usize| {
        (from..from + count).map(|number| sentences::memory(SEED, number)).collect::<Vec<_>>().join(" ")
    };
    let (mut written, mut number) = (0, 0);
    while written < bytes {
        let call = format!("call{number}");
        let lines = [
            json!({"type": "user", "message": {"content": said(number, 2)}}),
            json!({"type": "assistant", "message": {"content": [
                {"type": "text", "text": said(number + 2, 4)},
                {"type": "tool_use", "id": call, "name": "Read", "input": {"file": "x"}},
            ]}}),
            json!({"type": "user", "message": {"content": [
                {"type": "tool_result", "tool_use_id": call, "content": said(number + 6, 60)},
            ]}}),
        ];
        for line in lines {
            let line = line.to_string();
            writeln!(out, "{line}")?;
            written += line.len() + 1;
        }
        number += 66;
    }
    Ok(out.flush()?)
}

//! The HTTP door under load: the real binary, a hot vault, many connections that each ask as soon as they were answered.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use xtask::process::install;

use super::corpus::SEED;
use super::measure::Latency;
use super::program::{Program, Running};
use super::sentences;
use crate::Result;

pub(super) const CONNECTIONS: usize = 64;
const WRK_THREADS: usize = 2;
const LOAD_BATCH: usize = 250;
/// Requests that the overloaded server admits: far fewer than there are connections.
pub(super) const ADMITTED: usize = 8;
const PROBE_PAUSE: Duration = Duration::from_millis(50);
/// A probe that takes longer has not been answered.
const PROBE_PATIENCE: Duration = Duration::from_secs(5);

/// The result of a load.
pub(super) struct Loaded {
    pub(super) driver: &'static str,
    pub(super) per_second: f64,
    pub(super) p50: Duration,
    pub(super) p99: Duration,
    /// Answers that were refused because there was too much to do.
    pub(super) refused: usize,
    /// Answers and connections that failed otherwise.
    pub(super) failed: usize,
    pub(super) health: Health,
}

/// The answers of `/healthz` and `/readyz` meanwhile.
#[derive(Default)]
pub(super) struct Health {
    pub(super) asked: usize,
    pub(super) answered: usize,
    pub(super) slowest: Duration,
}

/// Settings that the server is started with.
pub(super) struct Setting {
    pub(super) embedder: &'static str,
    pub(super) requests_max: Option<usize>,
}

/// Fills a vault of `memories`, and asks it for `seconds` from all connections at once.
pub(super) fn load(setting: &Setting, memories: usize, seconds: u64, folder: &Path) -> Result<Loaded> {
    let server = Server::start(setting, folder)?;
    server.fill(memories)?;
    // The first question opens the vault.
    server.ask(&mut server.connect()?, 0)?;
    let wrk = find_wrk(seconds);
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let probing = scope.spawn(|| probe(&server, &over));
        let driven = match &wrk {
            Some(wrk) => drive_wrk(wrk, &server, seconds, folder),
            None => drive(&server, Duration::from_secs(seconds)),
        };
        over.store(true, Ordering::Release);
        let health = probing.join().map_err(|_| "the probe of health broke off")?;
        Ok(Loaded { health, ..driven? })
    })
}

/// A server of its own, which ends with the measurement.
pub(super) struct Server {
    _process: Running,
    pub(super) authority: String,
    pub(super) token: String,
}

impl Server {
    pub(super) fn start(setting: &Setting, folder: &Path) -> Result<Self> {
        let program = Program::new(folder, setting.embedder)?;
        let command = |args: &[&str]| {
            let mut command = program.command(args);
            if let Some(max) = setting.requests_max {
                command.env("LACUNA_HTTP_REQUESTS_MAX", max.to_string());
            }
            command
        };
        let made = command(&["token", "create", "--user", "bench", "--role", "user", "--json"]).output()?;
        let token: Value = serde_json::from_slice(&made.stdout)?;
        let token = token["secret"].as_str().ok_or("no token was made")?.to_owned();
        let mut process = Running(command(&["serve", "--listen", "127.0.0.1:0", "--json"]).spawn()?);
        Ok(Self { authority: process.authority()?, _process: process, token })
    }

    pub(super) fn connect(&self) -> Result<Connection> {
        Connection::open(&self.authority)
    }

    pub(super) fn fill(&self, memories: usize) -> Result {
        let texts: Vec<Value> =
            (0..memories).map(|number| json!({"content": sentences::memory(SEED, number)})).collect();
        let mut connection = self.connect()?;
        for batch in texts.chunks(LOAD_BATCH) {
            let body = json!({"memories": batch}).to_string();
            let status = connection.post("/v1/memories/batch", &self.token, &body)?;
            if status != 201 {
                return Err(format!("filling was answered with {status}").into());
            }
        }
        Ok(())
    }

    fn ask(&self, connection: &mut Connection, number: usize) -> Result<u16> {
        let body = json!({"query": sentences::question(SEED, number)}).to_string();
        connection.post("/v1/search", &self.token, &body)
    }
}

/// Names and values, names in small letters.
type HeaderList = Vec<(String, String)>;

/// An answer with everything in it.
pub(super) struct Exchanged {
    pub(super) status: u16,
    pub(super) headers: HeaderList,
    pub(super) body: Vec<u8>,
}

/// As much HTTP as is needed: one request after the other, answers with their length.
pub(super) struct Connection {
    stream: TcpStream,
    reader: BufReader<TcpStream>,
}

impl Connection {
    pub(super) fn open(authority: &str) -> Result<Self> {
        let stream = TcpStream::connect(authority)?;
        stream.set_nodelay(true)?;
        Ok(Self { reader: BufReader::new(stream.try_clone()?), stream })
    }

    fn post(&mut self, path: &str, token: &str, body: &str) -> Result<u16> {
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {token}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        self.stream.write_all(head.as_bytes())?;
        self.answer()
    }

    fn get(&mut self, path: &str) -> Result<u16> {
        self.stream.write_all(format!("GET {path} HTTP/1.1\r\nHost: bench\r\n\r\n").as_bytes())?;
        self.answer()
    }

    /// Sends a request as it is written, and returns the status, the headers and the body.
    pub(super) fn exchange(&mut self, request: &str) -> Result<Exchanged> {
        self.stream.write_all(request.as_bytes())?;
        let (status, headers, length) = self.head()?;
        let mut body = Vec::new();
        self.reader.by_ref().take(length).read_to_end(&mut body)?;
        Ok(Exchanged { status, headers, body })
    }

    fn answer(&mut self) -> Result<u16> {
        let (status, _, length) = self.head()?;
        std::io::copy(&mut self.reader.by_ref().take(length), &mut std::io::sink())?;
        Ok(status)
    }

    /// The status, the headers and the length of the body.
    fn head(&mut self) -> Result<(u16, HeaderList, u64)> {
        let mut line = String::new();
        self.reader.read_line(&mut line)?;
        let status = line.split(' ').nth(1).and_then(|status| status.parse().ok()).ok_or("no answer")?;
        let (mut headers, mut length) = (Vec::new(), 0u64);
        loop {
            line.clear();
            self.reader.read_line(&mut line)?;
            let Some((name, value)) = line.trim_end().split_once(": ") else { break };
            if name.eq_ignore_ascii_case("content-length") {
                length = value.parse()?;
            }
            headers.push((name.to_ascii_lowercase(), value.to_owned()));
        }
        Ok((status, headers, length))
    }
}

fn probe(server: &Server, over: &AtomicBool) -> Health {
    let mut health = Health::default();
    while !over.load(Ordering::Acquire) {
        for path in ["/healthz", "/readyz"] {
            let asked = Instant::now();
            health.asked += 1;
            if probe_once(server, path).is_ok_and(|status| status == 200) {
                health.answered += 1;
                health.slowest = health.slowest.max(asked.elapsed());
            }
        }
        std::thread::sleep(PROBE_PAUSE);
    }
    health
}

/// Over a connection of its own, as load balancers do it.
fn probe_once(server: &Server, path: &str) -> Result<u16> {
    let mut connection = server.connect()?;
    connection.stream.set_read_timeout(Some(PROBE_PATIENCE))?;
    connection.get(path)
}

/// One thread for each connection.
fn drive(server: &Server, time: Duration) -> Result<Loaded> {
    let until = Instant::now() + time;
    let work = |first: usize| -> Result<(Vec<Duration>, usize, usize), String> {
        let (mut times, mut refused, mut failed) = (Vec::new(), 0, 0);
        let mut connection = server.connect().map_err(|error| error.to_string())?;
        for number in first.. {
            if Instant::now() >= until {
                break;
            }
            let asked = Instant::now();
            match server.ask(&mut connection, number) {
                Ok(200) => times.push(asked.elapsed()),
                Ok(503) => refused += 1,
                _ => failed += 1,
            }
        }
        Ok((times, refused, failed))
    };
    let parts = std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..CONNECTIONS).map(|number| scope.spawn(move || work(number * 1_000))).collect();
        let joined =
            threads.into_iter().map(|thread| thread.join().map_err(|_| "a connection broke".to_owned()));
        joined.map(|part| part.and_then(|part| part)).collect::<Result<Vec<_>, String>>()
    })?;
    let times: Vec<Duration> = parts.iter().flat_map(|(times, ..)| times.iter().copied()).collect();
    let (refused, failed) = parts.iter().fold((0, 0), |sum, part| (sum.0 + part.1, sum.1 + part.2));
    let per_second = times.len() as f64 / time.as_secs_f64();
    let Latency { p50, p99, .. } = Latency::of(times);
    Ok(Loaded { driver: "own client", per_second, p50, p99, refused, failed, health: Health::default() })
}

/// Seconds of a run that is worth installing something for.
const WORTH_WRK_SECONDS: u64 = 10;

fn find_wrk(seconds: u64) -> Option<&'static str> {
    let there =
        || Command::new("wrk").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    let ready = there() || (seconds >= WORTH_WRK_SECONDS && install(&["wrk"]).is_ok() && there());
    ready.then_some("wrk")
}

/// The script says what came of it in one line that begins with this.
const RESULT_MARK: &str = "RESULT ";

fn drive_wrk(wrk: &str, server: &Server, seconds: u64, folder: &Path) -> Result<Loaded> {
    let script = folder.join("load.lua");
    fs::write(&script, lua(&server.token))?;
    let output = Command::new(wrk)
        .args(["-t", &WRK_THREADS.to_string(), "-c", &CONNECTIONS.to_string()])
        .args(["-d", &format!("{seconds}s"), "--timeout", "30s", "-s"])
        .arg(&script)
        .arg(format!("http://{}/v1/search", server.authority))
        .output()?;
    let said = String::from_utf8(output.stdout)?;
    let line =
        said.lines().find_map(|line| line.strip_prefix(RESULT_MARK)).ok_or("wrk does not say what it did")?;
    let result: Value = serde_json::from_str(line)?;
    let number = |name: &str| result[name].as_f64().unwrap_or_default();
    let micros = |name: &str| Duration::from_secs_f64(number(name) / 1e6);
    Ok(Loaded {
        driver: "wrk",
        per_second: (number("requests") - number("refused") - number("failed")) / (number("duration") / 1e6),
        p50: micros("p50"),
        p99: micros("p99"),
        refused: number("refused") as usize,
        failed: number("failed") as usize,
        health: Health::default(),
    })
}

/// Each thread of wrk is a Lua of its own; their counts are joined at the end.
fn lua(token: &str) -> String {
    let questions: Vec<String> = (0..64)
        .map(|number| format!("{:?}", json!({"query": sentences::question(SEED, number)}).to_string()))
        .collect();
    format!(
        r#"local questions = {{ {} }}
local threads = {{}}
local next = 0
refused, failed = 0, 0
function setup(thread) table.insert(threads, thread) end
function request()
  next = next % #questions + 1
  return wrk.format("POST", nil, {{["Content-Type"] = "application/json", ["Authorization"] = "Bearer {token}"}}, questions[next])
end
function response(status)
  if status == 503 then refused = refused + 1 elseif status ~= 200 then failed = failed + 1 end
end
function done(summary, latency)
  local refused, failed = 0, 0
  for _, thread in ipairs(threads) do
    refused, failed = refused + thread:get("refused"), failed + thread:get("failed")
  end
  local errors = summary.errors
  failed = failed + errors.connect + errors.read + errors.write + errors.timeout
  io.write(string.format('{RESULT_MARK}{{"requests":%d,"duration":%d,"p50":%d,"p99":%d,"refused":%d,"failed":%d}}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), refused, failed))
end
"#,
        questions.join(", ")
    )
}

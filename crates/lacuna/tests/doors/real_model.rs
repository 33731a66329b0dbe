//! A real language model behind llama.cpp's server: plans to forget ask it, and it can only offer.
//!
//! The model is small and often wrong, which is the point: whatever it says, the rest of the plan is the same. Server and model have
//! over 100 megabytes, so that `cargo xtask test --long` installs and runs them and the everyday tests do not.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use serde_json::Value;

use crate::support::Home;

const SERVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/doors/llama_server.py");
const TEXTS: [&str; 6] = [
    "The Marigold lies in the harbour of Trieste.",
    "We bought red paint for the hull of the sloop.",
    "The bakery by the old bridge opens at six.",
    "Karl lends us his trailer in May.",
    "The mooring costs forty euros a month.",
    "My sister plays the cello.",
];
const REQUESTS: [&str; 4] = [
    "forget everything about the Marigold",
    "forget that boat of ours",
    "forget what my sister plays",
    "vergiss alles über die Bäckerei",
];

/// The server, which ends with its standard input.
struct LlamaServer {
    process: Child,
    url: String,
}

impl LlamaServer {
    /// `None` where `cargo xtask test --long` did not install it.
    fn start() -> Option<Self> {
        let Some(folder) = std::env::var_os("LACUNA_TEST_LLAMA").map(PathBuf::from) else {
            eprintln!("skipped: no llama.cpp; `cargo xtask test --long --part model` installs it");
            return None;
        };
        let mut start = Command::new(folder.join("bin/python"));
        start.arg(SERVER).arg(folder.join("model.gguf")).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = start.spawn().unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let url = lines.map_while(Result::ok).find(|line| line.starts_with("http")).unwrap();
        Some(Self { process, url })
    }
}

impl Drop for LlamaServer {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}

fn matches(plan: &Value, offered: bool) -> Vec<Value> {
    let all = plan["matches"].as_array().unwrap().iter();
    all.filter(|found| (found["offered"] == true) == offered).cloned().collect()
}

#[test]
#[ignore = "starts a server that `cargo xtask test --long` installs"]
fn a_real_model_answers_and_only_offers() {
    let Some(server) = LlamaServer::start() else { return };
    let home = Home::new();
    for text in TEXTS {
        home.run(&["remember", text]).ok();
    }
    let plans = |home: &Home| {
        REQUESTS.map(|words| {
            let started = Instant::now();
            let plan = home.json(&["forget", words]);
            eprintln!("{words}: {} ms", started.elapsed().as_millis());
            plan
        })
    };
    let without = plans(&home);
    let home = home.with("LACUNA_LLM_KIND", "openai").with("LACUNA_LLM_URL", &server.url);
    let home = home.with("LACUNA_LLM_MODEL", "smollm2").with("LACUNA_LLM_FORGET_SECONDS", "50");
    let with = plans(&home);
    let mut answered = 0;
    for ((words, without), with) in REQUESTS.iter().zip(&without).zip(&with) {
        eprintln!("{words}: {}, {} offered", with["language_model"], matches(with, true).len());
        assert_eq!(without.get("language_model"), None);
        answered += usize::from(with["language_model"] == "answered");
        assert_eq!(matches(with, false), matches(without, false), "{words}");
        let own = matches(without, true);
        let offered = matches(with, true);
        assert_eq!(offered[..own.len()], own[..], "{words}");
        let proposed = "is proposed by the language model";
        assert!(offered[own.len()..].iter().all(|found| found["reason"] == proposed), "{words}");
    }
    assert!(answered > 0, "the model never gave an answer that can be read");
}

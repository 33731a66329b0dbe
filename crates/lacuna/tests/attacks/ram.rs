//! After a vault was sealed, root reads every byte that the server may write to.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::time::Duration;

use lacuna_seal::sha256;
use serde_json::{Value, json};

use crate::scan::{Needles, hex};
use crate::{Server, is_long, lacuna};

/// The bytes that are read at a time.
const CHUNK_BYTES: usize = 4 << 20;
/// A vault is sealed after a minute without use; the server looks a few times in a minute.
const SEALED_SECONDS_MAX: u32 = 300;

fn word(role: &str, number: usize) -> String {
    format!("{role}{}", hex(&sha256(format!("{role} {number}").as_bytes())[..12]))
}

/// The needles that occur in the memory of a process, in the mappings that it may write to.
fn found_in_ram(pid: u32, needles: &Needles) -> Vec<&str> {
    let maps = std::fs::read_to_string(format!("/proc/{pid}/maps")).unwrap();
    let memory = File::open(format!("/proc/{pid}/mem")).unwrap();
    let mut found = Vec::new();
    for line in maps.lines() {
        let mut fields = line.split_whitespace();
        let (Some(span), Some(rights)) = (fields.next(), fields.next()) else { continue };
        if !rights.contains('w') || line.contains("[v") {
            continue;
        }
        let (from, to) = span.split_once('-').unwrap();
        let address = |hexadecimal| u64::from_str_radix(hexadecimal, 16).unwrap();
        found.extend(found_in_span(&memory, address(from), address(to), needles));
    }
    found
}

/// Chunks overlap, so that no needle is cut in two.
fn found_in_span<'n>(memory: &File, from: u64, to: u64, needles: &'n Needles) -> Vec<&'n str> {
    const OVERLAP_BYTES: u64 = 256;
    let mut found = Vec::new();
    let mut at = from;
    while at < to {
        let length = CHUNK_BYTES.min(usize::try_from(to - at).unwrap());
        let mut chunk = vec![0; length];
        // Pages that the system does not give out, such as guards, hold nothing of ours.
        if let Ok(read) = memory.read_at(&mut chunk, at) {
            found.extend(needles.found_in(&chunk[..read]));
        }
        let next = at + length as u64;
        at = if next < to { next - OVERLAP_BYTES } else { next };
    }
    found
}

fn open_vaults(base: &str) -> f64 {
    let metrics = ureq::get(format!("{base}/metrics")).call().unwrap().body_mut().read_to_string().unwrap();
    let line = metrics.lines().find(|line| line.starts_with("lacuna_open_vaults")).unwrap();
    line.split_whitespace().last().unwrap().parse().unwrap()
}

fn post(base: &str, path: &str, body: &Value) -> Value {
    ureq::post(format!("{base}{path}")).send_json(body).unwrap().body_mut().read_json().unwrap()
}

/// Remembers, searches and talks; the words of what was remembered, with their ids.
fn live(base: &str, count: usize) -> (Needles, Vec<String>) {
    let mut needles = Needles::default();
    let mut ids = Vec::new();
    for number in 0..count {
        let [kept, tag, asked, said] = ["text", "tag", "asked", "said"].map(|role| word(role, number));
        let memory = json!({
            "content": format!("We saw the {kept} near the quay."), "tags": [tag], "category": "conversation",
        });
        ids.push(post(base, "/v1/memories", &memory)["memory_id"].as_str().unwrap().to_owned());
        post(base, "/v1/search", &json!({ "query": format!("where is {asked}") }));
        let turns = json!({ "turns": [{ "role": "user", "text": format!("And the {said} came.") }] });
        post(base, "/v1/sessions/one/turns", &turns);
        [kept, tag, asked, said].iter().for_each(|word| needles.add_text(word));
    }
    (needles, ids)
}

#[test]
fn a_sealed_vault_leaves_no_text_in_ram() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let mut serve = lacuna(&data);
    // Otherwise only root may look, and the test should run for everybody.
    serve.env("LACUNA_ALLOW_CORE_DUMPS", "true").env("LACUNA_IDLE_SEAL_MINUTES", "1");
    let server = Server::spawn(serve.stderr(std::process::Stdio::null()), &[]);
    let (needles, ids) = live(&server.base, if is_long() { 300 } else { 40 });
    assert!(!found_in_ram(server.child.id(), &needles).is_empty(), "an open vault is in RAM");

    let plan = post(&server.base, "/v1/forget", &json!({ "memory_ids": ids[..ids.len() / 3] }));
    post(&server.base, "/v1/forget/confirm", &json!({ "token": plan["token"] }));

    for _ in 0..SEALED_SECONDS_MAX {
        if open_vaults(&server.base) == 0.0 {
            break;
        }
        std::thread::sleep(Duration::from_secs(1));
    }
    assert_eq!(open_vaults(&server.base), 0.0, "the vault was sealed");
    let found = found_in_ram(server.child.id(), &needles);
    assert!(
        found.is_empty(),
        "{} of {} needles: {:?}",
        found.len(),
        needles.len(),
        &found[..found.len().min(5)]
    );
}

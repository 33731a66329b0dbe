//! Writes the seeds of every fuzz target to `corpus`: valid bytes of the real writers, and small files in the forms
//! of other programs. `RUSTC_WRAPPER=$PWD/instrument.sh cargo run --example seeds` in the folder `fuzz`.

#[path = "../src/database.rs"]
#[allow(dead_code, reason = "the targets use the rest")]
mod database;

use std::error::Error;
use std::fs;
use std::path::Path;

use jiff::Timestamp;
use lacuna_core::transfer::Ledger;
use lacuna_seal::{MemoryKey, PassphraseCost, SealContext, SealWriter, SeededEntropy, protect};
use lacuna_store::keys::{LedgerLine, ReceiptMark};
use lacuna_types::{MemoryId, OrgId, VaultId};
use rusqlite::Connection;

// Our crates count their branches, and only the fuzzer has the counters.
libfuzzer_sys::fuzz_target!(|_bytes: &[u8]| {});

/// Entries of the audit chain, and documents of the record book, that become seeds.
const ROWS_MAX: usize = 12;

/// Files in the forms of other programs, and texts that people write.
const WRITTEN: &[(&str, &str, &str)] = &[
    (
        "import_mem0",
        "results",
        r#"{"results":[{"id":"1","memory":"Tea, no sugar.","created_at":"2026-01-02T03:04:05Z","categories":["food"],"metadata":{"a":1}}]}"#,
    ),
    ("import_mem0", "list", r#"[{"id":"2","memory":"Sails on Sundays.","updated_at":null},"A plain text."]"#),
    (
        "import_chatgpt",
        "conversation",
        r#"[{"title":"t","id":"c1","create_time":1700000000.5,"current_node":"b","mapping":{"a":{"parent":null,"message":{"author":{"role":"user"},"create_time":1700000000,"content":{"content_type":"text","parts":["Where is the boat?"]}}},"b":{"parent":"a","message":{"author":{"role":"assistant"},"content":{"content_type":"text","parts":["In the harbour."]}}}}}]"#,
    ),
    (
        "import_claude",
        "conversation",
        r#"[{"uuid":"u1","created_at":"2026-01-02T03:04:05Z","chat_messages":[{"uuid":"m1","sender":"human","text":"Where is the boat?","created_at":"2026-01-02T03:04:05Z"},{"sender":"assistant","content":[{"type":"text","text":"In the harbour."}]}]}]"#,
    ),
    ("import_claude", "memories", r#"[{"conversations_memory":"Anna sails.","account_uuid":"x"}]"#),
    (
        "import_graph",
        "lines",
        "{\"type\":\"entity\",\"name\":\"Anna\",\"entityType\":\"person\",\"observations\":[\"sails\"]}\n{\"type\":\"relation\",\"from\":\"Anna\",\"to\":\"boat\",\"relationType\":\"owns\"}\n",
    ),
    (
        "import_graph",
        "whole",
        r#"{"entities":[{"name":"Anna","entityType":"person","observations":["sails"]}],"relations":[{"from":"Anna","to":"boat","relationType":"owns"}]}"#,
    ),
    (
        "import_notes",
        "note",
        "---\ntitle: Boat\ntags: [sea, wood]\ncreated: 2026-01-02\n---\n# Boat\n\n## Observations\n- [place] Lies in the harbour #north (since May)\n\n## Relations\n- owned_by [[Anna]]\n\n```\ncode\n```\n",
    ),
    (
        "transcript",
        "turns",
        "{\"type\":\"user\",\"timestamp\":\"2026-01-02T03:04:05Z\",\"message\":{\"content\":\"I live in Rome.\"}}\n{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"Noted.\"},{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"Read\",\"input\":{}}]}}\n{\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"t1\",\"content\":\"a file\"}]}}\n",
    ),
    (
        "transcript",
        "hook",
        r#"{"session_id":"s","transcript_path":"/t.jsonl","cwd":"/w","hook_event_name":"PreCompact","prompt":"hello"}"#,
    ),
    (
        "mcp_message",
        "initialize",
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#,
    ),
    (
        "mcp_message",
        "remember",
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"remember","arguments":{"content":"Tea.","said_by":"user"}}}"#,
    ),
    (
        "mcp_message",
        "recall",
        r#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"recall","arguments":{"query":"tea","limit":3},"_meta":{"progressToken":7}}}"#,
    ),
    (
        "mcp_message",
        "forget",
        r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"forget","arguments":{"about":"tea"}}}"#,
    ),
    (
        "mcp_message",
        "prompt",
        r#"{"jsonrpc":"2.0","id":4,"method":"prompts/get","params":{"name":"remember","arguments":{"text":"tea"}}}"#,
    ),
    ("http_address", "scope", "team:desk"),
    ("http_address", "path", "/memories/boats/sail.md"),
    ("http_address", "cursor", "AAABnYHZYAAJCQkJCQkJCQkJCQkJCQkJ"),
    (
        "http_stream",
        "length",
        "\u{10}POST /v1/search HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}GET / HTTP/1.1\r\nHost: a\r\n\r\n",
    ),
    (
        "http_stream",
        "chunks",
        "\u{30}POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\n{}\r\n0\r\nT: 1\r\n\r\n",
    ),
    (
        "policy",
        "enterprise",
        "preset = 'enterprise-safe'\nmax_atoms = 10\naudit_reads = 'sampled'\ngrace_hours = 24\napproval = 'all'\n\n[compaction]\nkeep_last = 5\n",
    ),
    ("policy", "personal", "preset = 'personal-authority'\n"),
];

fn main() -> Result<(), Box<dyn Error>> {
    for (target, name, text) in WRITTEN {
        write(target, name, text.as_bytes())?;
    }
    for (target, name, bytes) in lacuna_core::fuzzing::seeds() {
        write(target, &name, &bytes)?;
    }
    let cbor = lacuna_core::fuzzing::seeds().into_iter().filter(|(target, ..)| *target == "frame");
    for (_, name, bytes) in cbor {
        write("cbor", &name, &bytes)?;
    }
    let examples: serde_json::Value = serde_json::from_str(lacuna_program::fuzzing::HTTP_EXAMPLES)?;
    for (name, operation) in examples["operations"].as_object().into_iter().flatten() {
        if let Some(request) = operation.get("request") {
            write("http_body", name, &serde_json::to_vec(request)?)?;
        }
    }
    installed()?;
    sealed()?;
    ledger()
}

/// Seeds from the files of an installation.
fn installed() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let lacuna = database::install(folder.path())?;
    for (target, bytes) in lacuna_program::fuzzing::seeds(&lacuna, &database::anna()?)? {
        write(target, "installed", &bytes)?;
    }
    drop(lacuna);
    let connection = Connection::open(folder.path().join("lacuna.db"))?;
    for (name, sql) in [("entry", "SELECT entry FROM audit"), ("doc", "SELECT doc FROM record")] {
        let mut rows = connection.prepare(sql)?;
        let documents = rows.query_map([], |row| row.get::<_, Vec<u8>>(0))?.take(ROWS_MAX);
        for (number, document) in documents.enumerate() {
            write("documents", &format!("{name}-{number}"), &document?)?;
        }
    }
    // The column, the type of the value, the value; and for rows, first the database.
    for (column, kind) in (0..60u8).step_by(3).zip((0..4).cycle()) {
        let spoilt = [&[column, kind][..], &u64::from(column).to_le_bytes()].concat();
        write("anchor", &format!("column-{column}"), &spoilt)?;
        write("sql_rows", &format!("data-{column}"), &[&[0][..], &spoilt].concat())?;
        write("sql_rows", &format!("keys-{column}"), &[&[1][..], &spoilt].concat())?;
    }
    Ok(())
}

/// Envelopes, key files and streams.
fn sealed() -> Result<(), Box<dyn Error>> {
    let context = SealContext {
        org: "acme",
        user: "ann",
        vault: [1; 16],
        memory: [2; 16],
        field: lacuna_seal::Field::Frame,
        class: 3,
        revision: 4,
        created_at_millis: 5,
        key_version: 6,
    };
    // Under another key than the target's, which accepts nothing.
    let envelope = MemoryKey::from_bytes([8; 32]).seal(&context, b"Tea.", &SeededEntropy::new(1));
    write("envelope", "sealed", &envelope)?;
    let (cost, entropy) = (PassphraseCost::LEAST, SeededEntropy::new(1));
    write("passphrase", "key-file", &protect(&[9; 32], "another", cost, &entropy)?)?;
    let mut stream = SealWriter::new(Vec::new(), "another", cost, &entropy)?;
    std::io::Write::write_all(&mut stream, b"Tea.")?;
    write("passphrase", "stream", &stream.finish()?)
}

fn ledger() -> Result<(), Box<dyn Error>> {
    let line = |memory| LedgerLine { vault: VaultId::from_bytes([1; 16]), memory, at: Timestamp::UNIX_EPOCH };
    let ledger = Ledger {
        lines: vec![line(None), line(Some(MemoryId::from_bytes([2; 16])))],
        receipts: vec![ReceiptMark { org: OrgId::new("acme")?, number: 3 }],
    };
    let bytes = ledger.encode()?;
    write("backup", "ledger", &bytes)?;
    // Magic and version, then the kind and the length of the first frame.
    let (head, frame) = bytes.split_at(9);
    let length = usize::try_from(u32::from_be_bytes(frame[1..5].try_into()?))?;
    write("backup", "lines", &[&frame[..1], &frame[5..5 + length]].concat())?;
    write("backup", "head", head)
}

fn write(target: &str, name: &str, bytes: &[u8]) -> Result<(), Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target);
    fs::create_dir_all(&folder)?;
    Ok(fs::write(folder.join(name), bytes)?)
}

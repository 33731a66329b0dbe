//! A hundred thousand memories go out and come in through a window of a few megabytes: what an export or an
//! import takes in RAM is what the open vault takes, and little more.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::time::Duration;

use crate::support::{Home, high_water_kib};

const RECORDS: usize = 100_000;
/// Beside the open vault.
const EXPORT_KIB_MAX: u64 = 48 << 10;
const IMPORT_KIB_MAX: u64 = 160 << 10;
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Runs a command to its end, and answers with the most RAM that it ever held, in KiB.
fn peak_kib(home: &Home, args: &[&str]) -> u64 {
    let mut command = home.command(args);
    command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
    let mut child = command.spawn().unwrap();
    let mut peak = 0;
    loop {
        peak = peak.max(high_water_kib(&child));
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success(), "{args:?}");
            return peak;
        }
        std::thread::sleep(LOOK_EVERY);
    }
}

/// Turns of conversations, every tenth of them long enough to be kept apart from its frame.
fn write_records(file: File, records: usize) {
    let mut out = BufWriter::new(file);
    write!(out, r#"{{"export_version":"1.0","categories":{{"conversation":{{"records":["#).unwrap();
    for number in 0..records {
        let comma = if number == 0 { "" } else { "," };
        let more = "The boats lay in the harbour until noon. ".repeat(if number % 10 == 0 { 100 } else { 3 });
        write!(
            out,
            r#"{comma}
            {{"memory_id":"mem_{:032x}","content":"Turn {number} of the log. {more}","state":"active","lane":"business",
            "created_at":"2025-01-01T{:02}:{:02}:{:02}Z","updated_at":"2025-01-02T00:00:00Z","privacy_class":"non-pii",
            "consent_basis":"not-applicable","source":{{"type":"user_message","trust":"high"}}}}"#,
            0x0190_0000_0000_7000_8000_0000_0000_0000u128 + number as u128,
            number / 3_600 % 24,
            number / 60 % 60,
            number % 60,
        )
        .unwrap();
    }
    writeln!(out, "]}}}}}}").unwrap();
    out.flush().unwrap();
}

#[test]
#[ignore = "takes many minutes, and is run by `cargo xtask test --long`; LACUNA_TEST_VOLUME names another number"]
fn a_hundred_thousand_memories_take_no_more_ram_than_the_open_vault() {
    let records =
        std::env::var("LACUNA_TEST_VOLUME").map_or(RECORDS, |number| number.parse().expect("a number"));
    let home = Home::new();
    let policies = home.path("policies");
    fs::create_dir(&policies).unwrap();
    fs::write(policies.join("default.toml"), "max_atoms = 1000000\n").unwrap();
    let home = home.with("LACUNA_POLICIES", policies.to_str().unwrap());
    let file = home.path("memories.json");
    write_records(File::create(&file).unwrap(), records);

    // A command that needs the stores and keys, and opens no vault.
    let closed = peak_kib(&home, &["receipt", "key"]);
    let import = peak_kib(&home, &["import", file.to_str().unwrap()]);
    let vault = peak_kib(&home, &["memory", "list", "--limit", "1"]);
    let out = home.path("out.json");
    let export = peak_kib(&home, &["export", out.to_str().unwrap()]);
    let written = fs::metadata(&out).unwrap().len() >> 10;
    println!(
        "{records} records, {written} KiB of JSON: nothing open {closed} KiB, vault open {vault} KiB ({} bytes for each \
         memory), export {export} KiB, import {import} KiB",
        (vault.saturating_sub(closed) << 10) / records as u64,
    );
    let text = fs::read_to_string(&out).unwrap();
    assert!(text.contains(&format!("\"record_count\":{records},")));
    assert!(export < vault + EXPORT_KIB_MAX, "{export} and {vault}");
    assert!(import < vault + IMPORT_KIB_MAX, "{import} and {vault}");
}

//! The files of `deploy`: they parse, and what they say about the figures, the settings and the SQL is so.

#![allow(clippy::disallowed_methods, reason = "no pattern of a test meets somebody's text")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use regex::Regex;
use serde_json::Value;

use crate::support::Home;

fn deploy(file: &str) -> String {
    fs::read_to_string(folder().join(file)).unwrap()
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy")
}

/// The names of figures in a text, without what Prometheus adds to those of a histogram.
fn figures(text: &str) -> BTreeSet<String> {
    let name = Regex::new(r"lacuna_[a-z_]+").unwrap();
    let plain = |found: &str| found.trim_end_matches("_bucket").to_owned();
    name.find_iter(text).map(|found| plain(found.as_str())).collect()
}

#[test]
fn every_figure_has_its_help_and_its_type_and_a_place_on_the_dashboard() {
    let home = Home::new();
    let server = home.serve(&[]);
    server.get("/v1/memories").expect(200);
    let served = server.get("/metrics").text();
    let lines = |kind: &str| -> BTreeSet<String> {
        let start = format!("# {kind} ");
        let found = served.lines().filter_map(|line| line.strip_prefix(&start)?.split(' ').next());
        found.map(str::to_owned).collect()
    };
    assert_eq!(lines("HELP"), lines("TYPE"), "{served}");
    let dashboard: Value = serde_json::from_str(&deploy("dashboard.json")).unwrap();
    let shown: Vec<&str> = dashboard["panels"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|panel| panel["targets"].as_array().unwrap())
        .map(|target| target["expr"].as_str().unwrap())
        .collect();
    let shown = figures(&shown.join(" "));
    let source =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/http/metrics.rs")).unwrap();
    let described = figures(&source);
    assert_eq!(shown, described, "the dashboard and the descriptions in the program");
    assert!(lines("TYPE").is_subset(&described), "a figure without a description: {served}");
    assert!(figures(&deploy("alerts.yaml")).is_subset(&described), "an alert on a figure that nobody serves");
}

#[test]
fn settings_in_the_files_are_settings_of_the_program() {
    let known = Home::new().run(&["config", "show"]).ok().stdout.to_lowercase();
    let setting = Regex::new(r"LACUNA_([A-Z_]+)").unwrap();
    let files =
        ["compose.yaml", "Containerfile", "helm/lacuna/values.yaml", "helm/lacuna/templates/node.yaml"];
    for file in files {
        for found in setting.captures_iter(&deploy(file)) {
            let name = found[1].to_lowercase();
            let spellings: Vec<String> =
                std::iter::once(name.clone()).chain([name.replacen('_', ".", 1)]).collect();
            let is_known = spellings.iter().any(|spelling| known.contains(spelling));
            assert!(is_known, "{file} sets {}", &found[0]);
        }
    }
}

/// PyYAML comes with the tools of the SDKs. Templates of the chart are no YAML before Helm has filled them in.
#[test]
fn the_yaml_parses() {
    let Ok(tools) = std::env::var("LACUNA_TEST_SDK_TOOLS") else {
        println!("skipped: LACUNA_TEST_SDK_TOOLS is not set; `cargo xtask test` sets it");
        return;
    };
    let files = [
        "compose.yaml",
        "prometheus.yaml",
        "alerts.yaml",
        "helm/lacuna/values.yaml",
        "helm/lacuna/Chart.yaml",
    ];
    let script = "import sys, yaml\nfor name in sys.argv[1:]: yaml.safe_load(open(name))";
    let python = Path::new(&tools).join("python/bin/python");
    let done = Command::new(python)
        .args(["-c", script])
        .args(files.map(|file| folder().join(file)))
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

#[test]
fn the_printed_sql_is_the_documented_one() {
    let printed = Home::new().run(&["store", "init", "--print-sql"]).ok().stdout;
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/operations.md");
    let page = fs::read_to_string(pages).unwrap();
    let blocks = page.split("```sql\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let documented: Vec<&str> = blocks.flat_map(str::lines).collect();
    let statements: Vec<&str> =
        printed.lines().filter(|line| !line.starts_with("--") && !line.is_empty()).collect();
    assert_eq!(statements, documented);
    let refused = Home::new().run(&["store", "init"]);
    assert!(refused.code != 0 && refused.stderr.contains("SQLite"), "{}", refused.stderr);
}

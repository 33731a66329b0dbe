//! The files of `deploy`: they parse, and what they say about the figures, the settings and the SQL is so.

#![allow(clippy::disallowed_methods, reason = "no pattern of a test meets somebody's text")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use regex::Regex;
use serde_json::{Value, json};

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

/// The chart as Helm fills it in; `None` without Helm and PyYAML, which `cargo xtask test` installs.
fn filled_chart(settings: &[&str]) -> Option<Vec<Value>> {
    let [Ok(helm), Ok(tools)] = ["LACUNA_TEST_HELM", "LACUNA_TEST_SDK_TOOLS"].map(std::env::var) else {
        eprintln!(
            "skipped: LACUNA_TEST_HELM or LACUNA_TEST_SDK_TOOLS is not set; `cargo xtask test` sets them"
        );
        return None;
    };
    let home = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| {
        let chart = folder().join("helm/lacuna");
        let done = Command::new(&helm).args(arguments).arg(chart).env("HOME", home.path()).output().unwrap();
        assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
        done.stdout
    };
    run(&["lint", "--strict"]);
    let sets = settings.iter().flat_map(|setting| ["--set", setting]);
    let filled = run(&["template", "mem"].into_iter().chain(sets).collect::<Vec<_>>());
    let path = home.path().join("filled.yaml");
    fs::write(&path, filled).unwrap();
    let script = "import json, sys, yaml\nprint(json.dumps(list(yaml.safe_load_all(open(sys.argv[1])))))";
    let python = Path::new(&tools).join("python/bin/python");
    let done = Command::new(python).args(["-c", script]).arg(&path).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    Some(serde_json::from_slice(&done.stdout).unwrap())
}

fn of_kind<'a>(documents: &'a [Value], kind: &str) -> Vec<&'a Value> {
    documents.iter().filter(|document| document["kind"] == kind).collect()
}

#[test]
fn helm_fills_in_the_chart_for_the_image() {
    let Some(documents) = filled_chart(&[]) else { return };
    let mut kinds: Vec<&str> = documents.iter().map(|document| document["kind"].as_str().unwrap()).collect();
    kinds.sort_unstable();
    assert_eq!(kinds, ["NetworkPolicy", "PodDisruptionBudget", "Service", "Service", "StatefulSet"]);
    let nodes = of_kind(&documents, "StatefulSet")[0];
    let pod = &nodes["spec"]["template"];
    let own = &pod["metadata"]["labels"];
    for service in of_kind(&documents, "Service") {
        assert_eq!(&service["spec"]["selector"], own, "{service}");
    }
    let budget = of_kind(&documents, "PodDisruptionBudget")[0];
    let network = of_kind(&documents, "NetworkPolicy")[0];
    for selector in [&budget["spec"]["selector"], &network["spec"]["podSelector"], &nodes["spec"]["selector"]]
    {
        assert_eq!(&selector["matchLabels"], own, "{selector}");
    }
    assert_eq!(network["spec"]["policyTypes"], json!(["Ingress", "Egress"]));
    assert_eq!(nodes["spec"]["serviceName"], of_kind(&documents, "Service")[1]["metadata"]["name"]);

    // What the image says of itself holds in the pod.
    let image = deploy("Containerfile");
    let says = |line: &str| assert!(image.lines().any(|said| said == line), "no {line} in {image}");
    let (rights, container) = (&pod["spec"]["securityContext"], &pod["spec"]["containers"][0]);
    says(&format!("USER {}:{}", rights["runAsUser"], rights["runAsGroup"]));
    says(&format!("EXPOSE {}", container["ports"][0]["containerPort"]));
    says(&format!("VOLUME {}", container["volumeMounts"][0]["mountPath"].as_str().unwrap()));
    assert_eq!(rights["runAsNonRoot"], true);
    let rights = &container["securityContext"];
    assert_eq!(
        (&rights["readOnlyRootFilesystem"], &rights["allowPrivilegeEscalation"]),
        (&json!(true), &json!(false))
    );
    assert_eq!(container["image"], concat!("lacuna:", env!("CARGO_PKG_VERSION")));
    for (probe, path) in
        [("startupProbe", "/healthz"), ("livenessProbe", "/healthz"), ("readinessProbe", "/readyz")]
    {
        assert_eq!(container[probe]["httpGet"], json!({"path": path, "port": "http"}));
    }
    assert_eq!(container["resources"]["limits"]["memory"], "8Gi");
}

#[test]
fn values_reach_the_pods_of_the_chart() {
    let settings = ["replicas=2", "image.tag=1.2.3", "secretName=other", "settings.LACUNA_RESIDENCY=eu"];
    let Some(documents) = filled_chart(&settings) else { return };
    let nodes = of_kind(&documents, "StatefulSet")[0];
    assert_eq!(nodes["spec"]["replicas"], 2);
    let container = &nodes["spec"]["template"]["spec"]["containers"][0];
    assert_eq!(container["image"], "lacuna:1.2.3");
    assert_eq!(container["envFrom"], json!([{"secretRef": {"name": "other"}}]));
    let value = |name: &str| {
        let all = container["env"].as_array().unwrap();
        all.iter().find(|variable| variable["name"] == name).unwrap()["value"].clone()
    };
    assert_eq!(value("LACUNA_HTTP_NODES"), "mem-0,mem-1");
    assert_eq!(value("LACUNA_RESIDENCY"), "eu");
    assert_eq!(value("LACUNA_CUSTODY_KIND"), "openbao");
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

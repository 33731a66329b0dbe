//! Structured logs and traces: what was asked and how it went, and nothing of what was said.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::Home;

const CANARY: &str = "canary-0b7e-campion";
const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

/// Takes what an OpenTelemetry collector takes.
fn collector() -> (String, Arc<Mutex<Vec<Value>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1/traces", listener.local_addr().unwrap());
    let taken: Arc<Mutex<Vec<Value>>> = Arc::default();
    let keep = taken.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let (mut line, mut length) = (String::new(), 0);
            while reader.read_line(&mut line).unwrap() > 2 {
                if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap();
                }
                line.clear();
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).unwrap();
            keep.lock().unwrap().push(serde_json::from_slice(&body).unwrap());
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}");
        }
    });
    (url, taken)
}

fn spans(taken: &Mutex<Vec<Value>>) -> Vec<Value> {
    let documents = taken.lock().unwrap();
    let each =
        |document: &Value| document["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().unwrap().clone();
    documents.iter().flat_map(each).collect()
}

#[test]
fn traces_tell_the_route_and_the_time_and_never_a_path_a_user_or_content() {
    let (url, taken) = collector();
    let home = Home::new().with("LACUNA_OTLP_URL", &url);
    let token = home.token("heliodora", "user", &[])["secret"].as_str().unwrap().to_owned();
    let mut server = home.serve(&[]);
    server.bearing(&token);
    let json_type = ("content-type", "application/json");
    let body = json!({"content": CANARY, "tags": [CANARY]}).to_string();
    let stored = server
        .send("POST", "/v1/memories", &[json_type, ("traceparent", PARENT)], body.as_bytes())
        .expect(201);
    let id = stored["memory_id"].as_str().unwrap();
    server.get(&format!("/v1/memories/{id}?scope=user")).expect(200);
    server.post("/v1/search", &json!({"query": CANARY})).expect(200);
    server.get(&format!("/{CANARY}")).expect(404);
    let unsampled = PARENT.replace("-01", "-00").replace("0af7", "1af7");
    server.send("GET", "/v1/scopes", &[("traceparent", &unsampled)], b"").expect(200);
    assert_eq!(server.stop(), 0, "what is left is sent at the end");

    let spans = spans(&taken);
    let named = |name: &str| {
        spans.iter().find(|span| span["name"] == name).unwrap_or_else(|| panic!("no {name}: {spans:?}"))
    };
    let remembered = named("POST /v1/memories");
    assert_eq!(remembered["traceId"], "0af7651916cd43dd8448eb211c80319c");
    assert_eq!((&remembered["parentSpanId"], &remembered["kind"]), (&json!("b7ad6b7169203331"), &json!(2)));
    let nanos = |span: &Value, name: &str| span[name].as_str().unwrap().parse::<u64>().unwrap();
    assert!(nanos(remembered, "startTimeUnixNano") < nanos(remembered, "endTimeUnixNano"));
    let part =
        spans.iter().find(|span| span["name"] == "core" && span["parentSpanId"] == remembered["spanId"]);
    assert_eq!(part.unwrap()["traceId"], remembered["traceId"]);
    named("GET /v1/memories/{memory_id}");
    named("GET none");
    assert!(
        !spans.iter().any(|span| span["traceId"].as_str().unwrap().starts_with("1af7")),
        "its sender keeps none"
    );
    let all = json!(*taken.lock().unwrap()).to_string();
    for secret in [CANARY, "campion", id, &token, "heliodora", "user:"] {
        assert!(!all.contains(secret), "{secret} is in {all}");
    }
}

#[test]
fn a_collector_that_is_gone_costs_nothing_but_its_traces() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let home = Home::new().with("LACUNA_OTLP_URL", &format!("http://{silent}/v1/traces"));
    let server = home.serve(&[]);
    server.get("/v1/memories").expect(200);
    let dropped = (0..600).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        server.get("/metrics").text().contains("lacuna_spans_dropped_total")
    });
    assert!(dropped);
    assert_eq!(server.stop(), 0);
}

#[test]
fn a_log_in_json_has_one_object_a_line_with_the_requests_id() {
    let home = Home::new().with("LACUNA_LOG_FORMAT", "json");
    let mut command = home.command(&["serve", "--listen", "127.0.0.1:0", "--json"]);
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let url = serde_json::from_str::<Value>(&line).unwrap()["listening"].as_str().unwrap().to_owned();
    ureq::get(format!("{url}/v1/memories")).header("x-request-id", "job-9").call().unwrap();
    std::process::Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    let mut log = String::new();
    child.stderr.take().unwrap().read_to_string(&mut log).unwrap();
    child.wait().unwrap();
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    let answered = lines.iter().find(|line| line["span"]["id"] == "job-9").unwrap();
    assert_eq!(
        (&answered["fields"]["route"], &answered["fields"]["status"]),
        (&json!("/v1/memories"), &json!(200))
    );
}

/// Whatever is asked, the labels of the figures are routes, methods, statuses and bounds: nobody's name.
#[test]
fn figures_have_no_labels_of_users() {
    let home = Home::new();
    let token = home.token("heliodora", "user", &[])["secret"].as_str().unwrap().to_owned();
    let mut server = home.serve(&[]);
    server.bearing(&token).post("/v1/memories", &json!({"content": CANARY})).expect(201);
    server.get("/v1/memories?scope=team:heliodora").expect(404);
    // By hand, because a client would not send such a method.
    let mut stream = TcpStream::connect(server.authority()).unwrap();
    stream.write_all(b"HELIODORA /v1/memories HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").unwrap();
    stream.read_to_end(&mut Vec::new()).unwrap();
    let metrics = server.get("/metrics").text();
    let labels: std::collections::BTreeSet<&str> = metrics
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once('{'))
        .flat_map(|(_, rest)| rest.split_once('}').unwrap().0.split(','))
        .filter_map(|pair| pair.split_once('=').map(|(name, _)| name))
        .collect();
    assert_eq!(labels.into_iter().collect::<Vec<_>>(), ["le", "method", "route", "status"]);
    assert!(!metrics.to_lowercase().contains("heliodora"), "{metrics}");
}

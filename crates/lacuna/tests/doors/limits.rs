//! What the HTTP door does when somebody asks too much, too slowly, from elsewhere, or at the end.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Answer, Home, Server};

const BODY: &str = r#"{"content":"the heron stands in the pond"}"#;

/// A request to remember whose body stops in the middle.
struct Unfinished {
    stream: TcpStream,
    rest: String,
}

impl Unfinished {
    fn begin(server: &Server) -> Self {
        let mut stream = TcpStream::connect(server.authority()).unwrap();
        let (sent, rest) = BODY.split_at(BODY.len() / 2);
        let head = format!(
            "POST /v1/memories HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{sent}",
            server.authority(),
            BODY.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        Self { stream, rest: rest.to_owned() }
    }

    fn is_answered(&self) -> bool {
        self.stream.set_nonblocking(true).unwrap();
        let answered = self.stream.peek(&mut [0]).is_ok();
        self.stream.set_nonblocking(false).unwrap();
        answered
    }

    fn finish(mut self) -> String {
        self.stream.write_all(self.rest.as_bytes()).unwrap();
        self.answer()
    }

    fn answer(mut self) -> String {
        let mut answer = String::new();
        self.stream.read_to_string(&mut answer).unwrap();
        answer
    }
}

/// Asks until the answer has this status: what another connection began may not have arrived yet.
fn until(server: &Server, path: &str, status: u16) -> Answer {
    for _ in 0..1_000 {
        let answer = server.get(path);
        if answer.status == status {
            return answer;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("{path} never answered {status}");
}

/// Takes the one place that a server has, and answers with what the next one is told. A question of ours may be in the
/// place when the request comes, which is refused then: it is sent anew.
fn take_the_place(server: &Server) -> (Unfinished, Answer) {
    for _ in 0..100 {
        let held = Unfinished::begin(server);
        for _ in 0..100 {
            let answer = server.get("/v1/memories");
            if held.is_answered() {
                break;
            }
            if answer.status == 503 {
                return (held, answer);
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
    panic!("the place was never taken");
}

#[test]
fn beyond_what_it_takes_the_server_says_so_at_once_and_still_tells_its_health() {
    let home = Home::new().with("LACUNA_HTTP_REQUESTS_MAX", "1");
    let server = home.serve(&[]);
    let (held, refused) = take_the_place(&server);
    assert_eq!(refused.header("retry-after"), Some("1"));
    refused.refused(503, "overloaded");
    for path in ["/healthz", "/readyz", "/metrics"] {
        assert_eq!(server.get(path).status, 200, "{path}");
    }
    assert!(held.finish().starts_with("HTTP/1.1 201"), "what is inside is finished");
    until(&server, "/v1/memories", 200);
}

#[test]
fn a_body_that_does_not_come_is_not_waited_for() {
    let home = Home::new().with("LACUNA_HTTP_BODY_SECONDS", "1");
    let answer = Unfinished::begin(&home.serve(&[])).answer();
    assert!(answer.starts_with("HTTP/1.1 408") && answer.contains("body_timeout"), "{answer}");

    let home = Home::new().with("LACUNA_HTTP_REQUEST_SECONDS", "1");
    let answer = Unfinished::begin(&home.serve(&[])).answer();
    assert!(answer.starts_with("HTTP/1.1 503") && answer.contains("\"timeout\""), "{answer}");
}

#[test]
fn a_head_that_does_not_come_is_not_waited_for_and_one_without_end_is_cut() {
    let home = Home::new().with("LACUNA_HTTP_HEADER_SECONDS", "1");
    let server = home.serve(&[]);
    let mut slow = TcpStream::connect(server.authority()).unwrap();
    slow.write_all(b"GET /healthz HTTP/1.1\r\nHost: x").unwrap();
    let mut answer = String::new();
    slow.read_to_string(&mut answer).unwrap();
    assert!(!answer.contains("200"), "{answer}");

    let mut endless = TcpStream::connect(server.authority()).unwrap();
    let line = format!("X-More: {}\r\n", "x".repeat(1_000));
    let mut sent = endless.write_all(b"GET /healthz HTTP/1.1\r\n");
    for _ in 0..1_000 {
        sent = sent.and_then(|()| endless.write_all(line.as_bytes()));
    }
    // Either our writing broke, or the answer refuses.
    let mut answer = Vec::new();
    let _ = endless.read_to_end(&mut answer);
    let answer = String::from_utf8_lossy(&answer).into_owned();
    assert!(sent.is_err() || answer.starts_with("HTTP/1.1 431") || answer.is_empty(), "{answer}");
    assert_eq!(server.get("/healthz").status, 200);
}

#[test]
fn a_stop_says_that_it_is_not_ready_and_finishes_what_is_under_way() {
    let home = Home::new().with("LACUNA_HTTP_NOTICE_SECONDS", "3").with("LACUNA_HTTP_REQUESTS_MAX", "1");
    let server = home.serve(&[]);
    let (held, _) = take_the_place(&server);
    server.signal("TERM");
    until(&server, "/readyz", 503).refused(503, "draining");
    assert!(held.finish().starts_with("HTTP/1.1 201"));
    assert_eq!(server.ended(), 0);
    assert_eq!(home.json(&["recall", "heron"])["memories"][0]["content"], "the heron stands in the pond");
}

#[test]
fn pages_of_other_origins_are_told_nothing_unless_they_are_named() {
    let asked = [("origin", "https://app.example"), ("access-control-request-method", "POST")];
    let home = Home::new();
    let closed = home.serve(&[]);
    let allowed = |server: &Server, method: &str, headers: &[(&str, &str)]| {
        let answer = server.send(method, "/healthz", headers, b"");
        answer.header("access-control-allow-origin").map(str::to_owned)
    };
    assert_eq!(allowed(&closed, "OPTIONS", &asked), None);
    assert_eq!(allowed(&closed, "GET", &asked[..1]), None);
    drop(closed);

    let home = Home::new().with("LACUNA_CORS_ORIGINS", "https://app.example, http://localhost:3000");
    let token = home.token("anna", "user", &[])["secret"].as_str().unwrap().to_owned();
    let mut open = home.serve(&[]);
    assert_eq!(allowed(&open, "OPTIONS", &asked).as_deref(), Some("https://app.example"));
    let stranger = [("origin", "https://app.example.evil"), asked[1]];
    assert_eq!(allowed(&open, "OPTIONS", &stranger), None);
    assert_eq!(allowed(&open, "GET", &stranger[..1]), None);
    // Being named is not being let in.
    open.send("GET", "/v1/memories", &asked[..1], b"").refused(401, "unauthenticated");
    let answer = open.bearing(&token).send("GET", "/v1/memories", &asked[..1], b"");
    assert_eq!((answer.status, answer.header("access-control-allow-credentials")), (200, None));

    for bad in ["*", "https://app.example/", "app.example", "https://a.example, null"] {
        let done = Home::new().with("LACUNA_CORS_ORIGINS", bad).run(&["policy", "show", "--json"]);
        assert_eq!(done.problem()["code"], "bad_config", "{bad}");
    }
}

fn secret(token: &Value) -> &str {
    token["secret"].as_str().unwrap()
}

#[test]
fn each_caller_has_a_rate_and_a_day_of_their_own() {
    let home =
        Home::new().with("LACUNA_LIMITS_WRITES_PER_MINUTE", "1").with("LACUNA_LIMITS_BYTES_PER_DAY", "3000");
    let (anna, ben) = (home.token("anna", "user", &[]), home.token("ben", "user", &[]));
    // A second token of the same person is the same caller.
    let annas_other = home.token("anna", "user", &[]);
    let mut server = home.serve(&[]);
    let write = |server: &Server, text: &str| server.post("/v1/memories", &json!({"content": text}));
    write(server.bearing(secret(&anna)), "first").expect(201);
    for token in [&anna, &annas_other] {
        let refused = write(server.bearing(secret(token)), "second");
        let wait: u64 = refused.header("retry-after").unwrap().parse().unwrap();
        assert!((1..=60).contains(&wait), "{wait}");
        refused.refused(429, "rate_limited");
    }
    server.get("/v1/memories").expect(200);
    write(server.bearing(secret(&ben)), "first").expect(201);
    let search = json!({"query": "x".repeat(3_000)});
    server.post("/v1/search", &search).refused(429, "quota_exceeded");
    let carl = home.token("carl", "user", &[]);
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"pad": "x".repeat(3_000)}});
    server.bearing(secret(&carl)).post("/mcp", &call).refused(429, "quota_exceeded");
    // Nobody without a token spends what is somebody else's.
    let stored = server.bearing(secret(&ben)).get("/v1/memories").expect(200);
    assert_eq!(stored["memories"].as_array().unwrap().len(), 1);
}

#[test]
fn problems_name_the_request_that_they_answer() {
    let home = Home::new();
    let server = home.serve(&[]);
    for (path, status) in [("/nothing", 404), ("/v1/memories/7", 422)] {
        let answer = server.send("GET", path, &[("x-request-id", "job-7")], b"");
        assert_eq!((answer.status, answer.header("x-request-id")), (status, Some("job-7")));
        assert_eq!(answer.json()["request_id"], "job-7");
    }
    assert_eq!(server.get("/v1/memories").header("cache-control"), Some("no-store"));
}

/// Whoever is refused before their body is read can use the connection again, or is told that it closes.
#[test]
fn an_early_refusal_does_not_break_the_connection() {
    let home = Home::new();
    home.token("anna", "user", &[]);
    let server = home.serve(&[]);
    for size in [10, 30_000, 1_000_000] {
        let mut stream = TcpStream::connect(server.authority()).unwrap();
        let head = format!("POST /v1/memories HTTP/1.1\r\nHost: x\r\nContent-Length: {size}\r\n\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        // After the head has been read, so that the body comes by itself.
        std::thread::sleep(Duration::from_millis(50));
        let sent = stream.write_all(&vec![b'x'; size]);
        let mut answer = vec![0; 16 << 10];
        let length = stream.read(&mut answer).unwrap_or(0);
        let answer = String::from_utf8_lossy(&answer[..length]).to_lowercase();
        let closes = answer.contains("connection: close");
        assert!(answer.starts_with("http/1.1 401") || (size > 64 << 10 && sent.is_err()), "{size}: {answer}");
        assert!(closes == (size > 64 << 10) || answer.is_empty(), "{size}: {answer}");
        if !closes && !answer.is_empty() {
            stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").unwrap();
            let mut next = String::new();
            stream.read_to_string(&mut next).unwrap();
            assert!(next.starts_with("HTTP/1.1 200"), "{size}: {next}");
        }
    }
}

//! Many connections and large requests of one caller, and what is left for the others: who goes, who waits, and in
//! which order they are answered.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::json;
use tokio::net::TcpSocket;

use crate::support::{Home, Server};

/// A test that hangs fails; no answer is expected to take anything like this.
const PATIENCE: Duration = Duration::from_secs(60);
const BODY: &str = r#"{"content":"the heron stands in the pond"}"#;

fn connect(server: &Server) -> TcpStream {
    let stream = TcpStream::connect(server.authority()).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

/// Connects from another address of this machine.
fn connect_from(server: &Server, address: &str) -> TcpStream {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
    let to: SocketAddr = server.authority().parse().unwrap();
    let connected = runtime.block_on(async {
        let socket = TcpSocket::new_v4()?;
        socket.bind(SocketAddr::new(address.parse().unwrap(), 0))?;
        socket.connect(to).await?.into_std()
    });
    let stream = connected.unwrap();
    stream.set_nonblocking(false).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

/// Begins a request whose head does not end.
fn begin(mut stream: TcpStream) -> TcpStream {
    stream.write_all(b"GET /healthz HTTP/1.1\r\nConnection: close\r\n").unwrap();
    stream
}

fn finish(mut stream: TcpStream) -> String {
    stream.write_all(b"Host: x\r\n\r\n").unwrap();
    read_all(stream)
}

fn read_all(mut stream: TcpStream) -> String {
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

fn ask(server: &Server, path: &str) -> String {
    let mut stream = connect(server);
    let head = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", server.authority());
    stream.write_all(head.as_bytes()).unwrap();
    read_all(stream)
}

/// Waits for the server to close a connection that it never answered.
fn was_closed(mut stream: TcpStream) -> bool {
    match stream.read(&mut [0]) {
        Ok(length) => length == 0,
        Err(error) => error.kind() == ErrorKind::ConnectionReset,
    }
}

fn is_unanswered(stream: &TcpStream) -> bool {
    stream.set_nonblocking(true).unwrap();
    let peeked = stream.peek(&mut [0]);
    stream.set_nonblocking(false).unwrap();
    peeked.is_err_and(|error| error.kind() == ErrorKind::WouldBlock)
}

#[test]
fn unfinished_requests_give_way_and_the_oldest_goes_first() {
    let home = Home::new().with("LACUNA_HTTP_CONNECTIONS_MAX", "8");
    let server = home.serve(&[]);
    let mut silent: Vec<TcpStream> = (0..40).map(|_| begin(connect(&server))).collect();
    let answer = finish(begin(connect(&server)));
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let last = silent.pop().unwrap();
    for stream in silent.drain(..32) {
        assert!(was_closed(stream));
    }
    let answer = finish(last);
    assert!(answer.starts_with("HTTP/1.1 200"), "whoever came last still has a place: {answer}");
}

#[test]
fn while_every_connection_is_at_work_health_is_told_and_nothing_else() {
    let home = Home::new().with("LACUNA_HTTP_CONNECTIONS_MAX", "1");
    let server = home.serve(&[]);
    let mut working = connect(&server);
    let head = format!(
        "POST /v1/memories HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
         Expect: 100-continue\r\nConnection: close\r\n\r\n",
        server.authority(),
        BODY.len()
    );
    working.write_all(head.as_bytes()).unwrap();
    // The server asks for the body: the request is under way.
    let mut asked = [0; 25];
    working.read_exact(&mut asked).unwrap();
    assert_eq!(&asked, b"HTTP/1.1 100 Continue\r\n\r\n");
    for path in ["/healthz", "/readyz", "/metrics"] {
        let answer = ask(&server, path);
        assert!(answer.starts_with("HTTP/1.1 200"), "{path}: {answer}");
    }
    for path in ["/v1/memories", "/docs"] {
        let answer = ask(&server, path);
        assert!(answer.starts_with("HTTP/1.1 503") && answer.contains("overloaded"), "{path}: {answer}");
    }
    working.write_all(BODY.as_bytes()).unwrap();
    let answer = read_all(working);
    assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
}

#[test]
fn one_address_has_a_part_of_the_connections() {
    let home = Home::new().with("LACUNA_HTTP_CONNECTIONS_PER_ADDRESS", "2");
    let server = home.serve(&[]);
    let other = begin(connect_from(&server, "127.0.0.2"));
    let first = begin(connect(&server));
    let (second, third) = (begin(connect(&server)), begin(connect(&server)));
    assert!(was_closed(first), "the third of one address costs its first");
    for kept in [other, third, second] {
        let answer = finish(kept);
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }
}

/// Searches of one caller beside large requests of another: they are answered before any of those.
fn searches_beside_large_requests(workers: &str, requests: usize, searches: usize) {
    // Nothing is answered for want of time.
    let home = Home::new().with("LACUNA_HTTP_WORKERS", workers).with("LACUNA_HTTP_REQUEST_SECONDS", "3600");
    let secret = |user: &str| home.token(user, "user", &[])["secret"].as_str().unwrap().to_owned();
    let (anna, ben) = (secret("anna"), secret("ben"));
    let mut server = home.serve(&[]);
    server.bearing(&ben);
    server.post("/v1/memories", &json!({"content": "The heron waits."})).expect(201);
    let text: String = (0..14_000u32).map(|n| format!("w{:05} ", n.wrapping_mul(40_503) % 99_991)).collect();
    let turns: Vec<_> = (0..200).map(|n| json!({"role": "user", "text": format!("{n} {text}")})).collect();
    let body = json!({"turns": turns}).to_string();
    let begin_large = |number| {
        let mut stream = connect(&server);
        let head = format!(
            "POST /v1/sessions/s{number}/turns HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {anna}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            server.authority(),
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(body.as_bytes()).unwrap();
        stream
    };
    let large: Vec<TcpStream> = (0..requests).map(begin_large).collect();
    for _ in 0..searches {
        let found = server.post("/v1/search", &json!({"query": "heron"})).expect(200);
        assert_eq!(found["memories"].as_array().unwrap().len(), 1);
        assert_eq!(server.get("/healthz").status, 200);
        assert!(large.iter().all(is_unanswered), "the large requests were to take longer than a search");
    }
}

#[test]
fn large_requests_of_one_caller_leave_workers_to_the_others() {
    searches_beside_large_requests("2", 4, 10);
}

/// Even where there is one worker for all.
#[test]
fn a_large_request_lets_others_in_between_its_texts() {
    searches_beside_large_requests("1", 1, 5);
}

//! Requests that two programs could read in two ways are refused, and those that all read alike are not.

use std::io::{Read, Write};
use std::net::TcpStream;

use crate::support::{Home, Server};

const REMEMBER: &str = r#"{"content":"the heron stands in the pond"}"#;

/// Sends bytes on one connection, and answers with everything that comes back until the server closes it.
fn exchange(server: &Server, bytes: &str) -> String {
    let mut stream = TcpStream::connect(server.authority()).unwrap();
    stream.write_all(bytes.replace("HOST", server.authority()).as_bytes()).unwrap();
    let mut answer = String::new();
    // A server that closes with bytes unread may reset the connection after its answer.
    let _ = stream.read_to_string(&mut answer);
    answer
}

fn statuses(answer: &str) -> Vec<&str> {
    answer.split("HTTP/1.").skip(1).map(|rest| &rest[2..5]).collect()
}

#[test]
fn doubtful_requests_are_refused_and_the_connection_is_closed() {
    let home = Home::new();
    let server = home.serve(&[]);
    // None of them asks to close: the server does.
    let cases = [
        ("no host", "GET /healthz HTTP/1.1\r\n\r\n"),
        ("two hosts", "GET /healthz HTTP/1.1\r\nHost: HOST\r\nHost: HOST\r\n\r\n"),
        (
            "two hosts in 1.0",
            "GET /healthz HTTP/1.0\r\nHost: HOST\r\nHost: x\r\nConnection: keep-alive\r\n\r\n",
        ),
        ("feed after the first line", "GET /healthz HTTP/1.1\nHost: HOST\r\n\r\n"),
        ("feed after a header", "GET /healthz HTTP/1.1\r\nHost: HOST\n\r\n"),
        ("feeds only", "GET /healthz HTTP/1.1\nHost: HOST\n\n"),
        ("feed as the last line", "GET /healthz HTTP/1.1\r\nHost: HOST\r\n\n"),
        (
            "length, then coding",
            "POST /v1/search HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json\r\nContent-Length: 4\r\n\
             Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        ),
        (
            "coding, then length",
            "POST /v1/search HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json\r\n\
             Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n",
        ),
        (
            "two lengths",
            "POST /healthz HTTP/1.1\r\nHost: HOST\r\nContent-Length: 0\r\nContent-Length: 0\r\n\r\n",
        ),
        (
            "another coding",
            "POST /healthz HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
        ),
    ];
    for (what, bytes) in cases {
        let answer = exchange(&server, bytes);
        assert_eq!(statuses(&answer), ["400"], "{what}: {answer}");
        assert!(answer.to_lowercase().contains("connection: close"), "{what}: {answer}");
    }
    let answer = exchange(&server, "GET /healthz HTTP/1.1\r\n\r\n");
    assert!(answer.contains("\"bad_host\""), "{answer}");
    // A balancer that speaks HTTP/1.0 names no host.
    assert_eq!(statuses(&exchange(&server, "GET /healthz HTTP/1.0\r\n\r\n")), ["200"]);
}

#[test]
fn kept_and_pipelined_requests_are_answered_in_order_up_to_the_doubtful_one() {
    let home = Home::new();
    let server = home.serve(&[]);
    let head = "POST /v1/memories HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json\r\n";
    let sized = format!("{head}Content-Length: {}\r\n\r\n{REMEMBER}", REMEMBER.len());
    let (first, rest) = REMEMBER.split_at(9);
    let chunked = format!(
        "{head}Transfer-Encoding: chunked\r\n\r\n{:x}\r\n{first}\r\n{:X};x=y\r\n{rest}\r\n0\r\n\r\n",
        first.len(),
        rest.len()
    );
    let health = "GET /healthz HTTP/1.1\r\nHost: HOST\r\n\r\n";
    let last = "GET /nothing HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n";
    let good = format!("{sized}{health}{chunked}{health}{last}");
    assert_eq!(statuses(&exchange(&server, &good)), ["201", "200", "201", "200", "404"]);
    // A request that hides in a body stays there.
    let hidden = "GET /nothing HTTP/1.1\nHost: x\n\n";
    let hiding = format!("{head}Content-Length: {}\r\n\r\n{hidden}", hidden.len());
    assert_eq!(statuses(&exchange(&server, &format!("{hiding}{last}"))), ["400", "404"]);
    let bad = format!("{health}{sized}GET /healthz HTTP/1.1\nHost: HOST\r\n\r\n{health}");
    assert_eq!(statuses(&exchange(&server, &bad)), ["200", "201", "400"]);
    // A chunk that ends in a bare line feed spoils its own request.
    let answer = exchange(&server, &chunked.replacen(&format!("{first}\r\n"), &format!("{first}\n"), 1));
    assert_eq!(statuses(&answer), ["400"], "{answer}");
}

#[test]
fn figures_are_told_under_the_names_of_this_machine_only() {
    let home = Home::new();
    let ask = |server: &Server, host: &str| {
        exchange(server, &format!("GET /metrics HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"))
    };
    let server = home.serve(&[]);
    let own = format!("localhost:{}", server.port());
    assert_eq!(statuses(&ask(&server, &own)), ["200"]);
    let page = ask(&server, &format!("evil.example:{}", server.port()));
    assert!(page.starts_with("HTTP/1.1 421") && page.contains("foreign_host"), "{page}");
    drop(server);
    // Nor once there is a token: whoever reads figures sends none.
    let token = home.token("anna", "user", &[]);
    assert!(token["secret"].is_string());
    assert_eq!(statuses(&ask(&home.serve(&[]), "evil.example")), ["421"]);
    // Behind a proxy the server does not know its names.
    assert_eq!(statuses(&ask(&home.serve(&["--behind-tls-proxy"]), "memory.example")), ["200"]);
}

//! Who gets in, and as whom.

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};

use crate::support::{Answer, Home, Server};

fn secret(token: &Value) -> String {
    token["secret"].as_str().unwrap().to_owned()
}

fn remember(server: &Server, text: &str) -> Answer {
    server.post("/v1/memories", &json!({"content": text}))
}

#[test]
fn without_tokens_the_local_user_and_from_the_first_token_on_nobody_without_one() {
    let home = Home::new();
    let mut server = home.serve(&[]);
    remember(&server, "local").expect(201);
    let token = home.token("anna", "user", &[]);

    let refused = server.get("/v1/memories");
    assert_eq!(refused.header("www-authenticate"), Some("Bearer realm=\"lacuna\""));
    refused.refused(401, "unauthenticated");
    // The door is before the body: nobody learns from a bad one.
    server.send("POST", "/v1/memories", &[], b"\xff").refused(401, "unauthenticated");
    for path in ["/healthz", "/readyz", "/metrics", "/openapi.json"] {
        assert_eq!(server.get(path).status, 200, "{path}");
    }
    server.bearing(&secret(&token));
    let listed = server.get("/v1/memories").expect(200);
    assert_eq!(listed["memories"][0]["gist"], "local", "anna is the local user");
}

#[test]
fn bad_tokens_open_nothing() {
    let home = Home::new();
    let token = home.token("anna", "user", &[]);
    let good = secret(&token);
    let server = home.serve(&[]);
    let mut flipped = good.clone().into_bytes();
    *flipped.last_mut().unwrap() ^= 1;
    let flipped = String::from_utf8(flipped).unwrap();
    let headers = [
        "Bearer".to_owned(),
        "Bearer ".to_owned(),
        format!("Basic {good}"),
        good.clone(),
        format!("Bearer {flipped}"),
        format!("Bearer {}", &good[..good.len() - 1]),
        format!("Bearer {good}x"),
        format!("Bearer {}", token["token_id"].as_str().unwrap()),
    ];
    for header in headers {
        let answer = server.send("GET", "/v1/memories", &[("authorization", &header)], b"");
        answer.refused(401, "unauthenticated");
    }
    let lower_case = format!("bearer {good}");
    server.send("GET", "/v1/memories", &[("authorization", &lower_case)], b"").expect(200);
}

#[test]
fn revoked_and_expired_tokens_open_nothing_and_do_not_bring_the_local_user_back() {
    let home = Home::new();
    let token = home.token("anna", "user", &[]);
    let mut server = home.serve(&[]);
    server.bearing(&secret(&token));
    remember(&server, "mine").expect(201);
    home.run(&["token", "revoke", token["token_id"].as_str().unwrap()]).ok();
    server.get("/v1/memories").refused(401, "unauthenticated");
    let anonymous = home.serve(&[]);
    anonymous.get("/v1/memories").refused(401, "unauthenticated");

    let home = Home::new();
    let expiry = jiff::Timestamp::from_millisecond(now_millis() + 1_500).unwrap().to_string();
    let token = home.token("anna", "user", &["--expires", &expiry]);
    let mut server = home.serve(&[]);
    server.bearing(&secret(&token));
    while now_millis() <= expiry.parse::<jiff::Timestamp>().unwrap().as_millisecond() {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    server.get("/v1/memories").refused(401, "unauthenticated");
}

#[expect(clippy::disallowed_methods, reason = "the server under test runs on the machine's clock")]
fn now_millis() -> i64 {
    jiff::Timestamp::now().as_millisecond()
}

#[test]
fn roles_allow_what_they_say() {
    let home = Home::new();
    let mut server = home.serve(&[]);
    let id = remember(&server, "anna's").expect(201)["memory_id"].as_str().unwrap().to_owned();
    let tokens = ["user", "reader", "admin"].map(|role| home.token("anna", role, &["--label", role]));
    let path = format!("/v1/memories/{id}");
    let find = json!({"query": "anna"});
    let make = json!({"user": "ben", "roles": ["user"]});
    //                        user reader admin
    let cases: [(&str, [u16; 3]); 6] = [
        ("remember", [201, 403, 403]),
        ("search", [200, 200, 403]),
        ("get", [200, 200, 403]),
        ("audit", [200, 200, 403]),
        ("list tokens", [403, 403, 200]),
        ("make a token", [403, 403, 201]),
    ];
    for (act, expected) in cases {
        for (token, status) in tokens.iter().zip(expected) {
            server.bearing(&secret(token));
            let answer = match act {
                "remember" => remember(&server, "more"),
                "search" => server.post("/v1/search", &find),
                "get" => server.get(&path),
                "audit" => server.get("/v1/audit/verify"),
                "list tokens" => server.get("/v1/tokens"),
                _ => server.post("/v1/tokens", &make),
            };
            assert_eq!(answer.status, status, "{act} as {}: {}", token["label"], answer.text());
            if status == 403 {
                answer.refused(403, "denied");
            }
        }
    }
    server.bearing(&secret(&tokens[1]));
    server.delete(&path).refused(403, "denied");
    server.bearing(&secret(&tokens[2]));
    let listed = server.get("/v1/tokens").expect(200);
    assert!(!listed.to_string().contains("lac_") && !listed.to_string().contains("secret"), "{listed}");
    let first = tokens[0]["token_id"].as_str().unwrap();
    server.delete(&format!("/v1/tokens/{first}")).expect(204);
    server.bearing(&secret(&tokens[0])).get(&path).refused(401, "unauthenticated");
}

#[test]
fn an_id_of_another_user_looks_exactly_like_a_missing_one() {
    let home = Home::new();
    let (anna, ben) = (home.token("anna", "user", &[]), home.token("ben", "user", &[]));
    let mut server = home.serve(&[]);
    server.bearing(&secret(&anna));
    let id = remember(&server, "only anna's").expect(201)["memory_id"].as_str().unwrap().to_owned();
    let missing = "mem_01890000000070008000000000000000";
    // Once before ben has a vault, and once after.
    for round in 0..2 {
        server.bearing(&secret(&ben));
        for method in ["GET", "DELETE"] {
            let ask = |id: &str| server.send(method, &format!("/v1/memories/{id}"), &[], b"");
            let (foreign, missing) = (ask(&id), ask(missing));
            assert_eq!(
                (foreign.status, foreign.without_id()),
                (missing.status, missing.without_id()),
                "{method} {round}"
            );
            foreign.refused(404, "not_found");
        }
        let found = server.post("/v1/search", &json!({"query": "only anna's"})).expect(200);
        assert!(!found.to_string().contains("anna"), "{found}");
        remember(&server, "ben has a vault now").expect(201);
    }
    server.bearing(&secret(&anna)).get(&format!("/v1/memories/{id}")).expect(200);
}

#[test]
fn plain_http_stays_on_this_machine() {
    let home = Home::new();
    let refused = |args: &[&str]| {
        let done = home.run(&args.iter().copied().chain(["--json"]).collect::<Vec<_>>());
        assert_eq!(done.code, 7, "{}", done.stderr);
        done.problem()["code"].as_str().unwrap().to_owned()
    };
    assert_eq!(refused(&["serve", "--listen", "0.0.0.0:0"]), "unsafe_listen");
    assert_eq!(refused(&["serve", "--listen", "[::]:0"]), "unsafe_listen");
    assert_eq!(refused(&["serve", "--listen", "0.0.0.0:0", "--behind-tls-proxy"]), "unsafe_listen");
    let token = home.token("anna", "user", &[]);
    assert_eq!(refused(&["serve", "--listen", "0.0.0.0:0"]), "unsafe_listen");

    let mut server = home.serve(&["--behind-tls-proxy"]);
    server.get("/v1/memories").refused(401, "unauthenticated");
    server.bearing(&secret(&token)).get("/v1/memories").expect(200);
}

#[test]
fn web_pages_of_others_get_nothing_from_the_local_user() {
    let home = Home::new();
    let server = home.serve(&[]);
    let own = format!("127.0.0.1:{}", server.port());
    let cases: Vec<(String, Vec<&str>, &str)> = vec![
        (own.clone(), vec![], "200"),
        (format!("localhost:{}", server.port()), vec![], "200"),
        (own.clone(), vec!["Sec-Fetch-Site: same-origin"], "200"),
        ("127.0.0.1:1".into(), vec![], "421"),
        (format!("evil.example:{}", server.port()), vec![], "421"),
        ("localhost".into(), vec![], "421"),
        (own.clone(), vec!["Origin: http://evil.example"], "403"),
        (own.clone(), vec!["Origin: null"], "403"),
        (own.clone(), vec!["Sec-Fetch-Site: cross-site"], "403"),
    ];
    for (host, more, status) in cases {
        // By hand, because a client would mend the host.
        let mut stream = TcpStream::connect(&own).unwrap();
        let more: String = more.iter().map(|line| format!("{line}\r\n")).collect();
        let head = format!("GET /v1/memories HTTP/1.1\r\nHost: {host}\r\n{more}Connection: close\r\n\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert_eq!(answer.split(' ').nth(1), Some(status), "{host} {more}: {answer}");
    }
}

//! Sign-in on the page of a sign-on service: the authorisation code flow against a provider of the test's own, which
//! speaks the protocol and checks everything that a real one checks.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair as _};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde_json::{Value, json};

use crate::browser::{Browser, rules};
use crate::support::{Answer, Home};
use crate::visit::{House, shows};

const ISSUER: &str = "https://id.example";
const CLIENT: &str = "lacuna console";
const SECRET: &str = "s3cret: of the client";
const RETURN: &str = "/console/sign-on/return";

/// A code that the provider handed out, with the request that asked for it.
struct HandedOut {
    challenge: String,
    nonce: String,
    redirect: String,
}

/// Answers of the provider, and the changes that a test makes to them.
#[derive(Default)]
struct Sayings {
    codes: HashMap<String, HandedOut>,
    /// Claims that take the place of the right ones.
    changed: HashMap<&'static str, Value>,
    redeemed: usize,
}

struct Provider {
    url: String,
    sayings: Arc<Mutex<Sayings>>,
}

impl Provider {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let sayings: Arc<Mutex<Sayings>> = Arc::default();
        let shared = sayings.clone();
        let key = Arc::new(Ed25519KeyPair::generate().unwrap());
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                // A browser opens connections that it does not use yet.
                let (stream, key, shared) = (stream.unwrap(), key.clone(), shared.clone());
                std::thread::spawn(move || answer(stream, &key, &shared));
            }
        });
        Self { url, sayings }
    }

    /// A server that lets people sign in here, with Anna's memory on it.
    fn house(&self) -> House {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let home = Home::new()
            .with("LACUNA_OIDC_ISSUER", ISSUER)
            .with("LACUNA_OIDC_AUDIENCE", "lacuna-api")
            .with("LACUNA_OIDC_JWKS_URL", &format!("{}/keys", self.url))
            .with("LACUNA_OIDC_CLIENT_ID", CLIENT)
            .with("LACUNA_OIDC_CLIENT_SECRET_ENV", "SIGN_ON_SECRET")
            .with("SIGN_ON_SECRET", SECRET)
            .with("LACUNA_OIDC_AUTHORIZE_URL", &format!("{}/authorize", self.url))
            .with("LACUNA_OIDC_TOKEN_URL", &format!("{}/token", self.url))
            .with("LACUNA_OIDC_REDIRECT_URL", &format!("http://127.0.0.1:{port}{RETURN}"));
        home.remember("The orchid in the kitchen wants water on Tuesdays.");
        let server = home.serve_on(&format!("127.0.0.1:{port}"), &[]);
        House { home, server }
    }

    fn claim(&self, name: &'static str, value: Value) {
        self.sayings.lock().unwrap().changed.insert(name, value);
    }
}

/// Fields of a form or of the part of an address after the question mark.
fn fields(text: &str) -> HashMap<String, String> {
    let plain = |coded: &str| {
        let bytes: Vec<u8> = coded.bytes().collect();
        let (mut at, mut out) = (0, Vec::new());
        while at < bytes.len() {
            match bytes[at] {
                b'%' => {
                    out.push(u8::from_str_radix(&coded[at + 1..at + 3], 16).unwrap());
                    at += 2;
                }
                other => out.push(other),
            }
            at += 1;
        }
        String::from_utf8(out).unwrap()
    };
    text.split('&')
        .filter_map(|pair| pair.split_once('='))
        .map(|(name, value)| (plain(name), plain(value)))
        .collect()
}

fn answer(mut stream: TcpStream, key: &Ed25519KeyPair, sayings: &Mutex<Sayings>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut first = String::new();
    if reader.read_line(&mut first).unwrap_or(0) == 0 {
        return;
    }
    let (mut length, mut authorization) = (0, String::new());
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap() == 0 || line.trim().is_empty() {
            break;
        }
        let (name, value) = line.split_once(':').unwrap();
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().unwrap(),
            "authorization" => authorization = value.trim().to_owned(),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let target = first.split(' ').nth(1).unwrap_or_default();
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let (status, more, text) = match path {
        "/keys" => {
            let public = URL_SAFE_NO_PAD.encode(key.public_key().as_ref());
            let keys = json!({"keys": [{"kty": "OKP", "crv": "Ed25519", "kid": "k", "x": public}]});
            ("200 OK", String::new(), keys.to_string())
        }
        "/authorize" => {
            let page = format!(
                "<!doctype html><title>Sign in</title><a id='yes' href='/approve?{query}'>I am Anna</a>"
            );
            ("200 OK", "Content-Type: text/html\r\n".to_owned(), page)
        }
        "/approve" => {
            ("302 Found", format!("Location: {}\r\n", approve(&fields(query), sayings)), String::new())
        }
        "/token" => {
            match redeem(&fields(std::str::from_utf8(&body).unwrap()), &authorization, key, sayings) {
                Some(token) => {
                    ("200 OK", String::new(), json!({"id_token": token, "token_type": "Bearer"}).to_string())
                }
                None => ("400 Bad Request", String::new(), json!({"error": "invalid_grant"}).to_string()),
            }
        }
        _ => ("404 Not Found", String::new(), String::new()),
    };
    let head =
        format!("HTTP/1.1 {status}\r\n{more}Content-Length: {}\r\nConnection: close\r\n\r\n", text.len());
    let _ = stream.write_all(format!("{head}{text}").as_bytes());
}

/// Hands out a code. The address that it returns leads back to the client.
fn approve(asked: &HashMap<String, String>, sayings: &Mutex<Sayings>) -> String {
    assert_eq!((asked["response_type"].as_str(), asked["client_id"].as_str()), ("code", CLIENT));
    assert_eq!(asked["code_challenge_method"], "S256");
    assert!(asked["scope"].split(' ').any(|word| word == "openid"));
    let mut sayings = sayings.lock().unwrap();
    let code = format!("code{}", sayings.codes.len());
    let redirect = asked["redirect_uri"].clone();
    let handed = HandedOut {
        challenge: asked["code_challenge"].clone(),
        nonce: asked["nonce"].clone(),
        redirect: redirect.clone(),
    };
    sayings.codes.insert(code.clone(), handed);
    format!("{redirect}?code={code}&state={}&iss=https%3A%2F%2Fid.example", asked["state"])
}

/// Exchanges a code once, for the client that it was made for and the verifier that belongs to it.
fn redeem(
    asked: &HashMap<String, String>,
    authorization: &str,
    key: &Ed25519KeyPair,
    sayings: &Mutex<Sayings>,
) -> Option<String> {
    let basic = STANDARD.encode("lacuna%20console:s3cret%3A%20of%20the%20client");
    let mut sayings = sayings.lock().unwrap();
    let handed = sayings.codes.remove(asked.get("code")?)?;
    let challenge = URL_SAFE_NO_PAD.encode(aws_lc_rs::digest::digest(
        &aws_lc_rs::digest::SHA256,
        asked.get("code_verifier")?.as_bytes(),
    ));
    let right = authorization == format!("Basic {basic}")
        && asked.get("grant_type")? == "authorization_code"
        && asked.get("redirect_uri")? == &handed.redirect
        && challenge == handed.challenge;
    if !right {
        return None;
    }
    sayings.redeemed += 1;
    let mut claims = json!({
        "iss": ISSUER, "aud": CLIENT, "azp": CLIENT, "sub": "anna", "roles": ["user"], "nonce": handed.nonce,
        "exp": now() + 300, "iat": now(),
    });
    sayings.changed.iter().for_each(|(name, value)| claims[*name] = value.clone());
    let header = URL_SAFE_NO_PAD.encode(json!({"alg": "EdDSA", "kid": "k"}).to_string());
    let signed = format!("{header}.{}", URL_SAFE_NO_PAD.encode(claims.to_string()));
    Some(format!("{signed}.{}", URL_SAFE_NO_PAD.encode(key.sign(signed.as_bytes()).as_ref())))
}

#[expect(clippy::disallowed_methods, reason = "the server under test runs on the machine's clock")]
fn now() -> i64 {
    jiff::Timestamp::now().as_second()
}

/// Begins an attempt over plain HTTP. Returns the cookie of the browser and the way back, with the provider's yes.
fn attempt(house: &House, provider: &Provider) -> (String, String) {
    let begun = house.server.get("/console/sign-on");
    assert_eq!(begun.status, 303);
    let cookie = begun.header("set-cookie").unwrap();
    assert!(
        cookie.contains("HttpOnly")
            && cookie.contains("SameSite=Lax")
            && cookie.contains("Path=/console/sign-on")
    );
    let query = begun.header("location").unwrap().split_once('?').unwrap().1.to_owned();
    let back = approve(&fields(&query), &provider.sayings);
    let path = back.strip_prefix(&house.server.url).unwrap().to_owned();
    (cookie.split(';').next().unwrap().to_owned(), path)
}

fn follow(house: &House, cookie: &str, path: &str) -> Answer {
    house.server.send("GET", path, &[("cookie", cookie)], b"")
}

#[test]
fn somebody_signs_in_on_the_providers_page_and_sees_their_memory() {
    if rules().is_none() {
        return;
    }
    let provider = Provider::start();
    let house = provider.house();
    let browser = Browser::start("en");
    browser.resize(1_280, 900);
    browser.go(&format!("{}/", house.server.url));
    crate::visit::press(&browser, "Sign in with my organisation");
    browser.click("#yes");
    shows(&browser, "orchid");
    assert_eq!(provider.sayings.lock().unwrap().redeemed, 1);
    assert_eq!(browser.run("return document.cookie"), "", "no script reads a cookie of ours");
    assert!(!browser.url().contains("code="), "{}", browser.url());
    browser.click("header form[action='/console/sign-out'] button");
    shows(&browser, "With your organisation's account");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn an_answer_of_another_attempt_browser_or_provider_signs_nobody_in() {
    let provider = Provider::start();
    let house = provider.house();
    let refused = |cookie: &str, path: &str, why: &str| {
        let answer = follow(&house, cookie, path);
        assert_eq!(answer.status, 403, "{why}: {}", answer.text());
        let set = answer.header("set-cookie").unwrap_or_default();
        assert!(!answer.text().contains("orchid") && set.contains("Max-Age=0"), "{why}");
    };
    let (cookie, path) = attempt(&house, &provider);
    refused("", &path, "a browser that made no attempt");
    let (other, _) = attempt(&house, &provider);
    refused(&other, &path, "the attempt of another browser");
    refused(&cookie, RETURN, "no answer at all");
    refused(&cookie, &path.replace("id.example", "evil.example"), "another provider");
    refused(&cookie, &path.replace("code=code0", "code=codeX"), "a code that was never handed out");
    refused(&cookie, &format!("{RETURN}?error=access_denied"), "a no of the provider");
    let doubled = format!("{cookie}; {cookie}");
    refused(&doubled, &path, "two cookies");
    assert_eq!(provider.sayings.lock().unwrap().redeemed, 0);

    let entered = follow(&house, &cookie, &path);
    assert_eq!(entered.status, 200, "{}", entered.text());
    refused(&cookie, &path, "a code that was used");
    assert_eq!(provider.sayings.lock().unwrap().redeemed, 1);
}

#[test]
fn a_token_that_is_not_for_this_attempt_and_this_client_signs_nobody_in() {
    for (claim, value) in [
        ("nonce", json!("another")),
        ("nonce", Value::Null),
        ("aud", json!("lacuna-api")),
        ("azp", json!("another client")),
        ("iss", json!("https://evil.example")),
        ("exp", json!(1)),
        ("sub", json!("")),
    ] {
        let provider = Provider::start();
        let house = provider.house();
        provider.claim(claim, value.clone());
        let (cookie, path) = attempt(&house, &provider);
        let answer = follow(&house, &cookie, &path);
        assert_eq!(answer.status, 403, "{claim} {value}");
        assert_eq!(provider.sayings.lock().unwrap().redeemed, 1, "{claim}");
    }
}

#[test]
fn the_provider_decides_who_it_is_and_an_unreachable_one_lets_nobody_in() {
    let provider = Provider::start();
    let house = provider.house();
    provider.claim("sub", json!("ben"));
    let (cookie, path) = attempt(&house, &provider);
    let entered = follow(&house, &cookie, &path);
    assert_eq!(entered.status, 200);
    let cookies = entered.headers.iter().filter(|(name, _)| name == "set-cookie").map(|(_, value)| value);
    let visit = cookies.into_iter().find(|one| !one.contains("_sign_on=")).unwrap();
    assert!(visit.contains("HttpOnly") && visit.contains("SameSite=Strict"));
    let page = house.server.send("GET", "/", &[("cookie", visit.split(';').next().unwrap())], b"");
    assert_eq!(page.status, 200);
    assert!(page.text().contains("ben") && !page.text().contains("orchid"), "ben sees his own");

    let gone = Home::new()
        .with("LACUNA_OIDC_ISSUER", ISSUER)
        .with("LACUNA_OIDC_AUDIENCE", "a")
        .with("LACUNA_OIDC_JWKS_URL", "http://127.0.0.1:9/keys")
        .with("LACUNA_OIDC_CLIENT_ID", CLIENT)
        .with("LACUNA_OIDC_AUTHORIZE_URL", "http://127.0.0.1:9/authorize")
        .with("LACUNA_OIDC_TOKEN_URL", "http://127.0.0.1:9/token")
        .with("LACUNA_OIDC_REDIRECT_URL", &format!("http://127.0.0.1:1{RETURN}"));
    let server = gone.serve(&[]);
    let begun = server.get("/console/sign-on");
    let cookie = begun.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    let state = fields(begun.header("location").unwrap())["state"].clone();
    let answer = server.send("GET", &format!("{RETURN}?code=x&state={state}"), &[("cookie", &cookie)], b"");
    assert_eq!(answer.status, 503);
}

#[test]
fn half_a_sign_on_page_is_refused_and_none_is_not_offered() {
    let plain = Home::new();
    let server = plain.serve(&[]);
    assert_eq!(server.get("/console/sign-on").status, 404);
    assert!(!server.get("/").text().contains("organisation"));
    let half = Home::new()
        .with("LACUNA_OIDC_ISSUER", ISSUER)
        .with("LACUNA_OIDC_AUDIENCE", "a")
        .with("LACUNA_OIDC_JWKS_URL", "https://id.example/keys")
        .with("LACUNA_OIDC_CLIENT_ID", CLIENT);
    let done = half.run(&["config", "check"]);
    assert_eq!(done.code, 7, "{}", done.stderr);
    assert!(done.stderr.contains("oidc.token_url"), "{}", done.stderr);
    let unsafe_url = half
        .with("LACUNA_OIDC_AUTHORIZE_URL", "http://id.example/authorize")
        .with("LACUNA_OIDC_TOKEN_URL", "https://id.example/token")
        .with("LACUNA_OIDC_REDIRECT_URL", "https://memory.example/elsewhere");
    let done = unsafe_url.run(&["config", "check"]);
    for part in ["oidc.authorize_url", "oidc.redirect_url"] {
        assert!(done.stderr.contains(part), "{}", done.stderr);
    }
}

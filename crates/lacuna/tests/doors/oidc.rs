//! Sign-on by signed tokens, against a key server that the test runs itself.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use aws_lc_rs::hmac;
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::KeySize;
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair, RSA_PKCS1_SHA256, RsaKeyPair,
};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use crate::support::{Answer, Home, Server};

const ISSUER: &str = "https://id.example";

fn encode(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// A key pair of each kind that is believed.
enum Signer {
    Rsa(RsaKeyPair),
    P256(EcdsaKeyPair),
    Ed25519(Ed25519KeyPair),
}

impl Signer {
    fn rsa() -> Self {
        Self::Rsa(RsaKeyPair::generate(KeySize::Rsa2048).unwrap())
    }

    fn p256() -> Self {
        Self::P256(EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).unwrap())
    }

    fn ed25519() -> Self {
        Self::Ed25519(Ed25519KeyPair::generate().unwrap())
    }

    fn algorithm(&self) -> &'static str {
        match self {
            Self::Rsa(_) => "RS256",
            Self::P256(_) => "ES256",
            Self::Ed25519(_) => "EdDSA",
        }
    }

    fn published(&self, id: &str) -> Value {
        match self {
            Self::Rsa(pair) => {
                // A sequence of two numbers in DER; of this size they always stand at the same places.
                let der = pair.public_key().as_ref();
                assert_eq!((der.len(), &der[4..9]), (270, &[0x02, 0x82, 0x01, 0x01, 0x00][..]));
                let (n, e) = (&der[9..265], &der[267..]);
                json!({"kty": "RSA", "kid": id, "use": "sig", "n": encode(n), "e": encode(e)})
            }
            Self::P256(pair) => {
                let point = pair.public_key().as_ref();
                json!({"kty": "EC", "crv": "P-256", "kid": id, "x": encode(&point[1..33]), "y": encode(&point[33..])})
            }
            Self::Ed25519(pair) => {
                json!({"kty": "OKP", "crv": "Ed25519", "kid": id, "x": encode(pair.public_key().as_ref())})
            }
        }
    }

    fn sign(&self, message: &[u8]) -> Vec<u8> {
        match self {
            Self::Rsa(pair) => {
                let mut signature = vec![0; pair.public_modulus_len()];
                pair.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), message, &mut signature).unwrap();
                signature
            }
            Self::P256(pair) => pair.sign(&SystemRandom::new(), message).unwrap().as_ref().to_vec(),
            Self::Ed25519(pair) => pair.sign(message).as_ref().to_vec(),
        }
    }

    fn token(&self, id: &str, claims: &Value) -> String {
        let header = json!({"alg": self.algorithm(), "kid": id, "typ": "JWT"});
        let signed = format!("{}.{}", encode(header.to_string()), encode(claims.to_string()));
        format!("{signed}.{}", encode(self.sign(signed.as_bytes())))
    }
}

#[expect(clippy::disallowed_methods, reason = "the server under test runs on the machine's clock")]
fn now() -> i64 {
    jiff::Timestamp::now().as_second()
}

fn claims(user: &str, roles: &[&str]) -> Value {
    json!({"iss": ISSUER, "aud": "lacuna", "sub": user, "tenant": "acme", "groups": roles, "exp": now() + 600})
}

/// Publishes keys, and counts who asks.
struct KeyServer {
    url: String,
    keys: Arc<Mutex<Vec<Value>>>,
    asked: Arc<AtomicUsize>,
}

impl KeyServer {
    fn start(keys: Vec<Value>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/keys", listener.local_addr().unwrap());
        let (keys, asked) = (Arc::new(Mutex::new(keys)), Arc::new(AtomicUsize::new(0)));
        let (shown, count) = (keys.clone(), asked.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
                while lines.next().is_some_and(|line| line.is_ok_and(|line| !line.is_empty())) {}
                count.fetch_add(1, Ordering::SeqCst);
                let body = json!({"keys": *shown.lock().unwrap()}).to_string();
                let head =
                    format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
                let _ = stream.write_all(format!("{head}{body}").as_bytes());
            }
        });
        Self { url, keys, asked }
    }

    fn home(&self) -> Home {
        Home::new()
            .with("LACUNA_OIDC_ISSUER", ISSUER)
            .with("LACUNA_OIDC_AUDIENCE", "lacuna")
            .with("LACUNA_OIDC_JWKS_URL", &self.url)
            .with("LACUNA_OIDC_ORG_CLAIM", "tenant")
            .with("LACUNA_OIDC_ROLES_CLAIM", "groups")
            .with("LACUNA_OIDC_ROLES", "staff=user,auditors=reader,bosses=admin")
            .with("LACUNA_OIDC_REFETCH_SECONDS", "1")
    }
}

fn list(server: &mut Server, token: &str) -> Answer {
    server.bearing(token).get("/v1/memories")
}

#[test]
fn tokens_of_the_issuer_open_their_users_vault_and_no_more() {
    let signers = [("r", Signer::rsa()), ("e", Signer::p256()), ("d", Signer::ed25519())];
    let keys = KeyServer::start(signers.iter().map(|(id, signer)| signer.published(id)).collect());
    let home = keys.home();
    let mut server = home.serve(&[]);
    server.get("/v1/memories").refused(401, "unauthenticated");
    for (id, signer) in &signers {
        let token = signer.token(id, &claims("anna", &["staff"]));
        server.bearing(&token).post("/v1/memories", &json!({"content": "anna's own"})).expect(201);
        let found = list(&mut server, &token).expect(200);
        assert_eq!(found["memories"].as_array().unwrap().len(), 1, "{id}");
        let bens = signer.token(id, &claims("ben", &["staff"]));
        assert_eq!(list(&mut server, &bens).expect(200)["memories"], json!([]));
    }
    let (id, signer) = &signers[0];
    let reader = signer.token(id, &claims("anna", &["auditors"]));
    server.bearing(&reader).post("/v1/memories", &json!({"content": "x"})).refused(403, "denied");
    let boss = signer.token(id, &claims("carl", &["bosses"]));
    assert_eq!(server.bearing(&boss).get("/v1/tokens").expect(200)["tokens"], json!([]));
    let nobody = signer.token(id, &claims("anna", &["strangers", "admin"]));
    list(&mut server, &nobody).refused(403, "denied");
    // API tokens work beside them, in their own organisation.
    let api = home.token("anna", "user", &[]);
    assert_eq!(list(&mut server, api["secret"].as_str().unwrap()).expect(200)["memories"], json!([]));
    assert_eq!(keys.asked.load(Ordering::SeqCst), 1, "keys are fetched once");
}

#[test]
fn whatever_is_not_signed_for_us_opens_nothing() {
    let (rsa, stranger) = (Signer::rsa(), Signer::rsa());
    let ed25519 = Signer::ed25519();
    let published = rsa.published("r");
    let keys = KeyServer::start(vec![published.clone(), ed25519.published("d")]);
    let mut server = keys.home().serve(&[]);
    let good = claims("anna", &["staff"]);
    let changed = |name: &str, value: Value| {
        let mut claims = good.clone();
        claims[name] = value;
        rsa.token("r", &claims)
    };
    let unsigned = |header: Value| format!("{}.{}.", encode(header.to_string()), encode(good.to_string()));
    // The public key as the secret of an HMAC: the oldest trick.
    let shared = |alg: &str, secret: &[u8]| {
        let header = json!({"alg": alg, "kid": "r"});
        let signed = format!("{}.{}", encode(header.to_string()), encode(good.to_string()));
        let mac = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, secret), signed.as_bytes());
        format!("{signed}.{}", encode(mac))
    };
    let fine = rsa.token("r", &good);
    let (head, signature) = fine.rsplit_once('.').unwrap();
    let other_claims = encode(claims("ben", &["bosses"]).to_string());
    let header = fine.split('.').next().unwrap();
    let with_header = |header: Value| {
        let signed = format!("{}.{}", encode(header.to_string()), encode(good.to_string()));
        format!("{signed}.{}", encode(rsa.sign(signed.as_bytes())))
    };
    let bad = [
        ("none", unsigned(json!({"alg": "none"}))),
        ("none with a key", unsigned(json!({"alg": "none", "kid": "r"}))),
        ("None", unsigned(json!({"alg": "None", "kid": "r"}))),
        ("HS256 with the modulus", shared("HS256", published["n"].as_str().unwrap().as_bytes())),
        ("HS256 with the document", shared("HS256", published.to_string().as_bytes())),
        ("no signature", format!("{head}.")),
        ("another signature", format!("{head}.{}", encode([7u8; 256]))),
        ("other claims", format!("{header}.{other_claims}.{signature}")),
        ("a stranger", stranger.token("r", &good)),
        ("an unknown key", stranger.token("x", &good)),
        ("another algorithm", with_header(json!({"alg": "ES256", "kid": "r"}))),
        ("another key's name", with_header(json!({"alg": "RS256", "kid": "d"}))),
        ("RS512", with_header(json!({"alg": "RS512", "kid": "r"}))),
        ("extensions", with_header(json!({"alg": "RS256", "kid": "r", "crit": ["exp"]}))),
        (
            "a key of its own",
            with_header(json!({"alg": "RS256", "kid": "x", "jwk": stranger.published("x")})),
        ),
        ("another issuer", changed("iss", json!("https://evil.example"))),
        ("another audience", changed("aud", json!("other"))),
        ("expired", changed("exp", json!(now() - 3_600))),
        ("without an end", changed("exp", Value::Null)),
        ("not yet", changed("nbf", json!(now() + 3_600))),
        ("no organisation", changed("tenant", Value::Null)),
        ("an impossible user", changed("sub", json!(""))),
        ("no token", "a.b.c".to_owned()),
        ("very long", format!("{}.{}", "x".repeat(20_000), fine)),
    ];
    for (what, token) in bad {
        let answer = list(&mut server, &token);
        assert_eq!(answer.status, 401, "{what}: {}", answer.text());
        answer.refused(401, "unauthenticated");
    }
    list(&mut server, &fine).expect(200);
    assert!(keys.asked.load(Ordering::SeqCst) < 25, "unknown keys do not make us ask each time");
}

#[test]
fn new_keys_are_found_and_without_the_key_server_nobody_is_let_in_by_guess() {
    let (old, new) = (Signer::ed25519(), Signer::p256());
    let keys = KeyServer::start(vec![old.published("old")]);
    let mut server = keys.home().serve(&[]);
    list(&mut server, &old.token("old", &claims("anna", &["staff"]))).expect(200);
    *keys.keys.lock().unwrap() = vec![new.published("new")];
    let token = new.token("new", &claims("anna", &["staff"]));
    let found = (0..600).any(|_| {
        std::thread::sleep(Duration::from_millis(50));
        list(&mut server, &token).status == 200
    });
    assert!(found, "the new key was never fetched");
    list(&mut server, &old.token("old", &claims("anna", &["staff"]))).refused(401, "unauthenticated");

    let silent = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let home = keys.home().with("LACUNA_OIDC_JWKS_URL", &format!("http://{silent}/keys"));
    let mut server = home.serve(&[]);
    list(&mut server, &token).refused(503, "sign_on_unavailable");
}

#[test]
fn a_caller_without_a_token_learns_where_tokens_are_signed() {
    const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";
    let keys = KeyServer::start(Vec::new());
    let server = keys.home().serve(&[]);
    let refused = server.get("/v1/memories");
    assert_eq!(refused.header("www-authenticate"), Some("Bearer realm=\"lacuna\""));
    server.get(WELL_KNOWN).refused(404, "unknown_route");

    let server = keys.home().with("LACUNA_OIDC_RESOURCE", "https://memory.example/mcp").serve(&[]);
    for path in ["/mcp", "/v1/memories"] {
        let refused = server.get(path);
        assert_eq!(refused.status, 401);
        let wanted = format!("resource_metadata=\"https://memory.example{WELL_KNOWN}/mcp\"");
        let told = refused.header("www-authenticate").unwrap().to_owned();
        assert!(told.starts_with("Bearer ") && told.contains(&wanted), "{told}");
    }
    for path in [WELL_KNOWN.to_owned(), format!("{WELL_KNOWN}/mcp")] {
        let told = server.get(&path).expect(200);
        assert_eq!(told["resource"], "https://memory.example/mcp");
        assert_eq!(told["authorization_servers"], json!([ISSUER]));
        assert_eq!(told["bearer_methods_supported"], json!(["header"]));
    }
}

#[test]
fn half_a_configuration_is_refused() {
    let cases = [
        ("LACUNA_OIDC_JWKS_URL", "http://id.example/keys"),
        ("LACUNA_OIDC_ROLES", "staff=emperor"),
        ("LACUNA_OIDC_RESOURCE", "http://memory.example/mcp"),
        ("LACUNA_OIDC_RESOURCE", "https://memory.example/mcp?a=b"),
        ("LACUNA_OIDC_ORG", "acme"),
    ];
    for (name, value) in cases {
        let keys = KeyServer::start(Vec::new());
        let done = keys.home().with(name, value).run(&["scopes", "--json"]);
        assert_eq!(done.problem()["code"], "bad_config", "{name}");
    }
    let done = Home::new().with("LACUNA_OIDC_ISSUER", ISSUER).run(&["scopes", "--json"]);
    assert!(done.problem()["detail"].as_str().unwrap().contains("oidc.jwks_url"), "{}", done.stderr);
}

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

use jiff::SignedDuration;
use lacuna_core::Parts;
use lacuna_core::gate::Rulebook;
use lacuna_core::permit::{Action, Caller, Grant, permit};
use lacuna_core::vault::{DELIVERY_ATTEMPTS_MAX, Models};
use lacuna_seal::SeededEntropy;
use lacuna_store::blobs::Blobs;
use lacuna_store::keys::{LocalKms, RamKeys};
use lacuna_store::rows::RamStore;
use lacuna_types::{Draft, ManualClock, Role, UserId};

use super::*;

const SECRET: &str = "a secret that both know";

/// One received request: the three headers and the body.
struct ReceivedRequest {
    id: String,
    timestamp: String,
    signature: String,
    body: String,
}

/// A server that answers with one status after the other, the last one for ever.
fn recipient(statuses: &'static [u16]) -> (String, Receiver<ReceivedRequest>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/told", listener.local_addr().unwrap());
    let (sender, heard) = channel();
    std::thread::spawn(move || {
        for (number, stream) in listener.incoming().enumerate() {
            let mut stream = BufReader::new(stream.unwrap());
            let (mut headers, mut line) = (Vec::new(), String::new());
            while stream.read_line(&mut line).unwrap() > 2 {
                headers.push(line.trim_end().to_lowercase());
                line.clear();
            }
            let header = |name: &str| {
                let found = headers.iter().find_map(|header| header.strip_prefix(&format!("{name}: ")));
                found.unwrap_or_default().to_owned()
            };
            let mut body = vec![0; header("content-length").parse().unwrap_or(0)];
            stream.read_exact(&mut body).unwrap();
            let told = ReceivedRequest {
                id: header("lacuna-delivery"),
                timestamp: header("lacuna-timestamp"),
                signature: header("lacuna-signature"),
                body: String::from_utf8(body).unwrap(),
            };
            // Noted before it is answered: the sender may look as soon as it has its answer.
            if sender.send(told).is_err() {
                return;
            }
            let status = statuses[number.min(statuses.len() - 1)];
            let answer = format!("HTTP/1.1 {status} Told\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            stream.get_mut().write_all(answer.as_bytes()).unwrap();
        }
    });
    (url, heard)
}

fn hook(url: &str) -> Webhook {
    Webhook::new("crm".into(), url.to_owned(), Zeroizing::new(SECRET.into()), Event::ALL.to_vec(), None)
        .unwrap_or_else(|reason| panic!("{reason}"))
}

fn house(hooks: &[Webhook]) -> (tempfile::TempDir, Arc<ManualClock>, Lacuna) {
    let folder = tempfile::tempdir().unwrap();
    let clock = Arc::new(ManualClock::at("2026-04-12T09:15:00Z".parse().unwrap()));
    let service = Lacuna::new(Parts {
        store: Arc::new(RamStore::default()),
        keys: Arc::new(RamKeys::default()),
        kms: LocalKms::open(&folder.path().join("keys"), None).unwrap(),
        blobs: Blobs::open(folder.path().join("blobs")).unwrap(),
        models: Models::only(lacuna_models::static_embedder().unwrap()),
        rules: Rulebook::default(),
        clock: clock.clone(),
        entropy: Arc::new(SeededEntropy::new(1)),
        open_bytes_max: usize::MAX,
    });
    (folder, clock, service.telling(hooks.iter().map(Webhook::recipient).collect()))
}

fn grant<A: Action>() -> Grant<A> {
    let (org, user) = (OrgId::new("acme").unwrap(), UserId::new("anna").unwrap());
    let caller = Caller::new(org, user, vec![Role::User]);
    permit(&caller, &caller.personal_scope()).unwrap()
}

fn erase_something(service: &Lacuna) {
    let draft = Draft { text: "The heron stands in the pond.".into(), ..Draft::default() };
    let stored = service.remember(&grant(), vec![draft]).unwrap().remove(0).stored().unwrap();
    service.delete(&grant(), stored.id).unwrap();
}

#[test]
fn a_recipient_that_fails_first_is_told_again_until_it_hears() {
    let (url, heard) = recipient(&[500, 503, 200]);
    let hooks = [hook(&url)];
    let (_folder, clock, service) = house(&hooks);
    erase_something(&service);

    assert_eq!(deliver_due(&service, &hooks).unwrap(), 0);
    assert_eq!(deliver_due(&service, &hooks).unwrap(), 0, "it waits before the next attempt");
    clock.advance(SignedDuration::from_secs(31));
    assert_eq!(deliver_due(&service, &hooks).unwrap(), 0);
    clock.advance(SignedDuration::from_secs(61));
    assert_eq!(deliver_due(&service, &hooks).unwrap(), 1);
    clock.advance(SignedDuration::from_hours(24));
    assert_eq!(deliver_due(&service, &hooks).unwrap(), 0, "what arrived is not sent again");

    let told: Vec<ReceivedRequest> = heard.try_iter().collect();
    assert_eq!(told.len(), 3);
    for one in &told {
        assert_eq!((&one.id, &one.body), (&told[0].id, &told[0].body), "every attempt says the same");
        assert_eq!(one.signature, signature(SECRET, &one.timestamp, &one.id, &one.body));
        assert!(!one.body.contains("heron"));
    }
    let body: serde_json::Value = serde_json::from_str(&told[0].body).unwrap();
    assert_eq!((&body["event"], &body["memories"]), (&"erasure".into(), &1.into()));
    assert_eq!((&body["reference"], &body["org"]), (&"DEL-2026-000001".into(), &"acme".into()));
    assert!(service.failed_deliveries(&OrgId::new("acme").unwrap()).unwrap().is_empty());
}

#[test]
fn a_recipient_that_never_hears_is_given_up_and_named() {
    let (url, heard) = recipient(&[500]);
    let hooks = [hook(&url)];
    let (_folder, clock, service) = house(&hooks);
    erase_something(&service);
    for _ in 0..DELIVERY_ATTEMPTS_MAX + 3 {
        deliver_due(&service, &hooks).unwrap();
        clock.advance(SignedDuration::from_hours(7));
    }
    assert_eq!(heard.try_iter().count(), DELIVERY_ATTEMPTS_MAX as usize);
    let failed = service.failed_deliveries(&OrgId::new("acme").unwrap()).unwrap();
    assert_eq!(failed.len(), 1);
    assert_eq!(failed[0].trouble.as_deref(), Some("HTTP 500"));
}

#[test]
fn only_who_wants_to_hear_is_told_and_who_is_gone_is_not() {
    let (url, heard) = recipient(&[200]);
    let make = |name: &str, events: Vec<Event>, org: Option<&str>| {
        let org = org.map(|org| OrgId::new(org).unwrap());
        Webhook::new(name.into(), url.clone(), Zeroizing::new(SECRET.into()), events, org).ok().unwrap()
    };
    let hooks = [
        make("all", Event::ALL.to_vec(), None),
        make("elsewhere", Event::ALL.to_vec(), Some("other")),
        make("destructions", vec![Event::Destruction], Some("acme")),
    ];
    let (_folder, clock, service) = house(&hooks);
    erase_something(&service);
    assert_eq!(deliver_due(&service, &hooks).unwrap(), 1);
    assert_eq!(heard.try_iter().count(), 1);

    erase_something(&service);
    deliver_due(&service, &[]).unwrap();
    assert_eq!(heard.try_iter().count(), 0);
    clock.advance(SignedDuration::from_secs(31));
    assert_eq!(deliver_due(&service, &hooks).unwrap(), 1, "back in the configuration, it hears");
}

#[test]
fn only_https_or_this_machine_and_no_short_secret() {
    let make = |url: &str, secret: &str| {
        Webhook::new("x".into(), url.into(), Zeroizing::new(secret.into()), vec![], None).err()
    };
    for url in ["https://crm.example/told", "http://127.0.0.1:9/", "http://[::1]:9/", "http://localhost/"] {
        assert_eq!(make(url, SECRET), None, "{url}");
    }
    for url in ["http://crm.example/", "ftp://crm.example/", "crm", "https://u:p@crm.example/"] {
        assert!(make(url, SECRET).is_some(), "{url}");
    }
    assert!(make("https://crm.example/", "short").unwrap().contains("16 bytes"));
}

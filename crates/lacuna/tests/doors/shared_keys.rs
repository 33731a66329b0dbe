//! `Idempotency-Key` over nodes that share PostgreSQL: whichever node gets a request again, it is done once.

use postgres::{Client, NoTls};
use serde_json::{Value, json};

use crate::postgres_database::Database;
use crate::support::{Answer, Home, Server};

/// A key as clients make it, too long to be guessed.
const LONG_KEY: &str = "canary-key-4Zr81kQx0aTbM2";
const SHORT_KEY: &str = "canary-k1";
const FACT: &str = "The canary sings in the lighthouse";

fn home(database: &Database) -> Home {
    Home::new().with("LACUNA_STORE", &database.url()).with("LACUNA_KEYS_BESIDE_DATA", "true")
}

fn post(node: &Server, path: &str, key: &str, body: &Value) -> Answer {
    let headers = [("content-type", "application/json"), ("idempotency-key", key)];
    node.send("POST", path, &headers, body.to_string().as_bytes())
}

fn remember(node: &Server, key: &str, text: &str) -> Answer {
    post(node, "/v1/memories", key, &json!({"content": text}))
}

fn is_repeat(answer: &Answer) -> bool {
    answer.header("idempotency-replayed") == Some("true")
}

/// Every memory that a node shows, whole: its text, and how often the text was written again.
fn memories(node: &Server) -> Vec<Value> {
    let page = node.get("/v1/memories?limit=500").expect(200);
    let ids = page["memories"].as_array().unwrap().iter().map(|memory| memory["memory_id"].as_str().unwrap());
    ids.map(|id| node.get(&format!("/v1/memories/{id}")).expect(200)).collect()
}

/// Ids and texts of every memory that a node shows.
fn texts(node: &Server) -> Vec<(Value, Value)> {
    let memories = memories(node).into_iter();
    memories.map(|memory| (memory["memory_id"].clone(), memory["content"].clone())).collect()
}

fn were_written_once(node: &Server) -> bool {
    memories(node).iter().all(|memory| memory["repeats"] == 0)
}

fn client(database: &Database) -> Client {
    Client::connect(&database.url(), NoTls).unwrap()
}

fn kept_answers(database: &Database) -> i64 {
    let sql = "SELECT count(*) FROM lacuna.keyed_request WHERE answer IS NOT NULL";
    client(database).query_one(sql, &[]).unwrap().get(0)
}

/// Two nodes over a home that holds one memory, so that its organisation has a key for marks.
fn two_nodes(home: &Home) -> (Server, Server) {
    home.remember("The oars hang in the boathouse.");
    (home.serve(&[]), home.serve(&[]))
}

#[test]
fn a_key_is_known_to_every_node_and_after_a_restart() {
    let Some(database) = Database::make("keys_nodes") else { return };
    let home = home(&database);
    let (one, other) = two_nodes(&home);
    let first = remember(&one, LONG_KEY, FACT);
    assert!(!is_repeat(&first));
    let (text, status) = (first.text(), first.status);
    let again = remember(&other, LONG_KEY, FACT);
    assert_eq!((again.text(), again.status, is_repeat(&again)), (text.clone(), status, true));
    assert_eq!(again.header("content-type"), first.header("content-type"));
    remember(&other, LONG_KEY, "The canary is silent").refused(422, "idempotency_reused");
    remember(&other, SHORT_KEY, "The gull is loud").expect(201);
    remember(&one, SHORT_KEY, "The gull is loud").refused(409, "idempotency_in_flight");
    assert!([one.stop(), other.stop()] == [0, 0]);

    let new = home.serve(&[]);
    let again = remember(&new, LONG_KEY, FACT);
    assert_eq!((again.text(), is_repeat(&again)), (text, true));
    remember(&new, SHORT_KEY, "The gull is loud").refused(409, "idempotency_in_flight");
    assert!(were_written_once(&new) && memories(&new).len() == 3);
}

#[test]
fn of_requests_that_reach_two_nodes_at_once_one_is_done() {
    let Some(database) = Database::make("keys_race") else { return };
    let home = home(&database);
    home.remember("The oars hang in the boathouse.");
    let nodes = [home.serve(&[]), home.serve(&[])];
    let herons: Vec<Value> =
        (0..40).map(|n| json!({"content": format!("heron number {n} stands alone")})).collect();
    let batch = json!({"memories": herons});
    let answers: Vec<Answer> = std::thread::scope(|scope| {
        let sent: Vec<_> = (0..8)
            .map(|n| {
                let (node, batch) = (&nodes[n % 2], &batch);
                scope.spawn(move || post(node, "/v1/memories/batch", LONG_KEY, batch))
            })
            .collect();
        sent.into_iter().map(|sent| sent.join().unwrap()).collect()
    });
    let firsts = answers.iter().filter(|answer| answer.status == 201 && !is_repeat(answer));
    assert_eq!(firsts.count(), 1);
    for answer in answers.into_iter().filter(|answer| answer.status != 201) {
        answer.refused(409, "idempotency_in_flight");
    }
    assert!(were_written_once(&nodes[1]) && memories(&nodes[1]).len() == 41);
}

/// Every kind of write: whatever the second node answers, nothing is done a second time.
#[test]
fn no_write_is_done_again_by_another_node() {
    let Some(database) = Database::make("keys_writes") else { return };
    let home = home(&database);
    let admin = home.token("ada", "admin", &[])["secret"].as_str().unwrap().to_owned();
    let anna = home.token("anna", "user", &[])["secret"].as_str().unwrap().to_owned();
    let (mut one, mut other) = (home.serve(&[]), home.serve(&[]));
    for node in [&mut one, &mut other] {
        node.bearing(&anna);
    }
    let old = remember(&one, "first-of-all-000000000000", "My boat is blue").expect(201);
    post(&one, "/v1/sessions", "session-0000000000000000", &json!({"session_id": "talk"})).expect(200);
    let file = json!({"command": "create", "path": "/memories/a.txt", "file_text": "one\n"});
    post(&one, "/v1/memory-tool", "file-0000000000000000000000", &file).expect(200);
    let line =
        json!({"command": "insert", "path": "/memories/a.txt", "insert_line": 1, "insert_text": "two\n"});
    let turns = json!({"turns": [{"role": "user", "text": "The mast is red"}]});
    let corrected = json!({"memory_id": old["memory_id"], "content": "My boat is green"});
    let table = [
        ("/v1/memories", json!({"content": "The pier is long"}), true),
        ("/v1/memories/batch", json!({"memories": [{"content": "The rope is short"}]}), true),
        ("/v1/sessions/talk/turns", turns, true),
        ("/v1/memory-tool", line, false),
        ("/v1/correct", corrected, false),
    ];
    for (place, (path, body, is_kept)) in table.into_iter().enumerate() {
        let key = format!("{LONG_KEY}-{place}");
        let first = post(&one, path, &key, &body);
        assert!(first.status < 300, "{path}: {}", first.text());
        let before = (texts(&one), one.get("/v1/sessions").expect(200));
        let again = post(&other, path, &key, &body);
        match is_kept {
            true => assert!(is_repeat(&again) && again.text() == first.text(), "{path}: {}", again.text()),
            false => drop(again.refused(409, "idempotency_in_flight")),
        }
        assert_eq!((texts(&other), one.get("/v1/sessions").expect(200)), before, "{path}");
        assert!(were_written_once(&other), "{path}");
    }
    let shown = json!({"command": "view", "path": "/memories/a.txt"});
    let shown = other.post("/v1/memory-tool", &shown).expect(200)["content"].to_string();
    assert_eq!(shown.matches("two").count(), 1, "{shown}");

    for node in [&mut one, &mut other] {
        node.bearing(&admin);
    }
    let token = json!({"user": "ben", "roles": ["user"]});
    let made = post(&one, "/v1/tokens", LONG_KEY, &token).expect(201);
    post(&other, "/v1/tokens", LONG_KEY, &token).refused(409, "idempotency_in_flight");
    let tokens = other.get("/v1/tokens").expect(200);
    let of_ben = tokens["tokens"].as_array().unwrap().iter().filter(|token| token["user"] == "ben");
    assert_eq!(of_ben.count(), 1);
    // The secret of a token is not kept, not even sealed.
    assert!(made["secret"].is_string());
    let before = kept_answers(&database);
    post(&one, "/v1/tokens", &format!("{LONG_KEY}-again"), &token).expect(201);
    assert_eq!(kept_answers(&database), before);
}

#[test]
fn what_is_kept_shows_nothing_and_goes_with_the_next_forgetting() {
    let Some(database) = Database::make("keys_forgotten") else { return };
    let home = home(&database);
    let (one, other) = two_nodes(&home);
    let stored = remember(&one, LONG_KEY, FACT).expect(201);
    remember(&one, SHORT_KEY, "The canary is silent at night").expect(201);
    let mut client = client(&database);
    let mut kept = || -> Vec<String> {
        let sql =
            "SELECT keyed_request::text || encode(coalesce(answer, ''), 'escape') FROM lacuna.keyed_request";
        client.query(sql, &[]).unwrap().iter().map(|row| row.get(0)).collect()
    };
    let rows = kept();
    assert_eq!(rows.len(), 2);
    let [id, hash] = ["memory_id", "content_hash"].map(|name| stored[name].as_str().unwrap().to_owned());
    for row in &rows {
        for secret in ["canary", id.as_str(), hash.as_str()] {
            assert!(!row.contains(secret), "{secret}");
        }
    }
    assert_eq!(kept_answers(&database), 1, "under a key that could be guessed no answer is kept");

    other.delete(&format!("/v1/memories/{id}")).expect(200);
    assert_eq!(kept_answers(&database), 0);
    // A request that was on its way when its memory was forgotten does not bring it back.
    remember(&other, LONG_KEY, FACT).refused(409, "idempotency_in_flight");
    assert!(memories(&other).iter().all(|memory| memory["memory_id"] != id.as_str()));
    assert_eq!(memories(&other).len(), 2);
}

#[test]
fn a_node_that_died_gives_its_key_up() {
    let Some(database) = Database::make("keys_died") else { return };
    let home = home(&database);
    let (one, other) = two_nodes(&home);
    let first = remember(&one, LONG_KEY, FACT).expect(201);
    // As if the first node had died before it could note the end.
    let hold_until = |moment: &str| {
        let sql =
            format!("UPDATE lacuna.keyed_request SET holder = '\\x01', answer = NULL, held_until = {moment}");
        client(&database).batch_execute(&sql).unwrap();
    };
    hold_until("(extract(epoch FROM clock_timestamp()) * 1000)::bigint + 100000");
    let waiting = remember(&other, LONG_KEY, FACT);
    assert_eq!(waiting.header("retry-after"), Some("1"));
    waiting.refused(409, "idempotency_in_flight");
    hold_until("1");
    let again = remember(&other, LONG_KEY, FACT);
    assert!(!is_repeat(&again));
    assert_eq!(again.expect(201)["memory_id"], first["memory_id"], "the same text is stored once");
    assert_eq!(memories(&other).len(), 2);
}

#[test]
fn a_request_that_failed_may_be_sent_to_another_node() {
    let Some(database) = Database::make("keys_failed") else { return };
    let home = home(&database);
    let (one, other) = two_nodes(&home);
    let freeze = |frozen: bool| {
        let body = json!({"frozen": frozen}).to_string();
        one.send("PUT", "/v1/vault", &[("content-type", "application/json")], body.as_bytes()).expect(200);
    };
    freeze(true);
    remember(&one, LONG_KEY, FACT).refused(409, "frozen");
    freeze(false);
    let done = remember(&other, LONG_KEY, FACT);
    assert!(!is_repeat(&done));
    done.expect(201);
    assert!(is_repeat(&remember(&one, LONG_KEY, FACT)));
}

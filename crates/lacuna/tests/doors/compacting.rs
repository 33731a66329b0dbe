//! Compaction as people and programs ask for it, with and without a language model.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::thread;

use serde_json::{Value, json};

use crate::mcp::Spoken;
use crate::support::Home;

const TALK: &[&str] = &[
    "Good morning!",
    "The heating engineer Olsen comes on Thursday at 9 to look at the boiler.",
    "Olsen brings the valve, and the boiler will be off until noon.",
    "I work as a bookbinder now, above the old bakery.",
    "Fine, thank you.",
];

fn talk() -> Value {
    let turn = |(number, text): (usize, &&str)| {
        let source = json!({"type": "user_message", "session_id": "ses_1", "turn": number});
        json!({"content": text, "category": "conversation", "source": source})
    };
    json!({"memories": TALK.iter().enumerate().map(turn).collect::<Vec<_>>()})
}

#[test]
fn turns_make_room_over_http_and_on_the_command_line() {
    let home = Home::new();
    let server = home.serve(&[]);
    server.post("/v1/memories/batch", &talk()).expect(201);
    let nothing = server.post("/v1/compact", &json!({})).expect(200);
    assert_eq!(nothing["done"]["turns"], 0, "nothing is due by itself: {nothing}");
    let asked = json!({"before": "2999-01-01T00:00:00Z", "dry_run": true});
    let plan = server.post("/v1/compact", &asked).expect(200);
    assert_eq!(
        (&plan["plan"]["turns"], &plan["plan"]["sessions"], &plan["done"]),
        (&json!(5), &json!(1), &Value::Null)
    );
    server.post("/v1/compact", &json!({"before": "soon"})).refused(422, "invalid");
    server.stop();

    let done = home.json(&["compact", "--before", "2999-01-01"]);
    assert_eq!(done["done"]["turns"], 5);
    assert!(!done["done"]["summaries"].as_array().unwrap().is_empty(), "{done}");
    let told = home.run(&["compact", "--before", "2999-01-01"]).ok().stdout;
    assert!(told.contains("turns archived"), "{told}");
    let found = home.json(&["recall", "When does Olsen look at the boiler?"]);
    let best = &found["memories"][0];
    assert_eq!(best["content"], TALK[1], "{found}");
    let summary = home.json(&["memory", "inspect", best["behind"].as_str().unwrap()]).to_string();
    assert!(summary.contains(r#""content_type":"summary""#), "{summary}");
}

/// Answers to a question by every door, as text: HTTP, its context, MCP, its context, and the command line.
fn by_every_door(home: &Home, question: &str) -> Vec<String> {
    let server = home.serve(&[]);
    let search = server.post("/v1/search", &json!({"query": question})).expect(200);
    let context = server.post("/v1/context", &json!({"turn": question})).expect(200);
    server.stop();
    let mut mcp = Spoken::with(home);
    let (_, recalled, _) = mcp.call("recall", json!({"query": question}));
    let (_, brought, _) = mcp.call("context", json!({"turn": question}));
    mcp.end();
    let told = home.run(&["recall", question]).ok().stdout;
    let section = home.run(&["context", question]).ok().stdout;
    vec![search.to_string(), context.to_string(), recalled, brought, told, section]
}

#[test]
fn a_turn_behind_its_summary_is_shown_at_every_door_until_it_is_forgotten() {
    let home = Home::new();
    let server = home.serve(&[]);
    server.post("/v1/memories/batch", &talk()).expect(201);
    server.post("/v1/compact", &json!({"before": "2999-01-01T00:00:00Z"})).expect(200);
    let question = "When does Olsen look at the boiler?";
    let found = server.post("/v1/search", &json!({"query": question})).expect(200);
    let (id, summary) = (&found["memories"][0]["memory_id"], &found["memories"][0]["behind"]);
    let (id, summary) = (id.as_str().unwrap().to_owned(), summary.as_str().unwrap().to_owned());
    let context = server.post("/v1/context", &json!({"turn": question})).expect(200);
    let item = context["items"].as_array().unwrap().iter().find(|item| item["memory_id"] == id).unwrap();
    assert_eq!(item["behind"], summary);
    server.stop();
    for (door, answer) in by_every_door(&home, question).iter().enumerate() {
        // A table breaks lines between words.
        let answer = answer.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(answer.contains("Thursday at 9"), "door {door}: {answer}");
    }
    let told = home.run(&["recall", question]).ok().stdout;
    assert!(told.contains("[behind its summary]"), "{told}");
    let read = home.json(&["audit", "list"]).to_string();
    assert!(read.contains(id.trim_start_matches("mem_")), "the audit names the turn that was shown");

    let server = home.serve(&[]);
    server.delete(&format!("/v1/memories/{id}")).expect(200);
    server.stop();
    for (door, answer) in by_every_door(&home, question).iter().enumerate() {
        assert!(!answer.contains("Thursday") && !answer.contains(&id), "door {door}: {answer}");
    }
    for (door, answer) in by_every_door(&home, "Until when is the boiler off?").iter().enumerate() {
        assert!(answer.contains("until noon"), "door {door}: the turn beside it stays: {answer}");
    }
}

/// A model of OpenAI's kind that answers each request with the same words.
fn model(answer: Value) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let mut head = String::new();
            while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head).is_ok_and(|read| read > 0) {}
            let length = head
                .lines()
                .find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
            reader.read_exact(&mut vec![0; length.unwrap_or(0)]).unwrap();
            let body = json!({"choices": [{"message": {"content": answer.to_string()}}]}).to_string();
            let head =
                format!("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", body.len());
            stream.write_all((head + &body).as_bytes()).unwrap();
        }
    });
    url
}

#[test]
fn a_model_writes_the_summary_and_its_facts_wait() {
    let answer = json!({
        "summary": "Olsen comes on Thursday at 9 about the boiler. The user works as a bookbinder.",
        "facts": [
            {"text": "Olsen brings the valve.", "turns": [3], "kind": "fact"},
            {"text": "Ragnhild brings the valve.", "turns": [3], "kind": "fact"},
            {"text": "The boiler is old.", "turns": [], "kind": "fact"},
        ],
    });
    let home = Home::new().with("LACUNA_LLM_KIND", "openai").with("LACUNA_LLM_MODEL", "m");
    let home = home.with("LACUNA_LLM_URL", &model(answer));
    let server = home.serve(&[]);
    server.post("/v1/memories/batch", &talk()).expect(201);
    let done = server.post("/v1/compact", &json!({"before": "2999-01-01T00:00:00Z"})).expect(200);
    assert_eq!(
        (&done["done"]["waiting"], done["done"]["summaries"].as_array().unwrap().len()),
        (&json!(1), 1)
    );
    let review = server.get("/v1/review").expect(200).to_string();
    assert!(review.contains("Olsen brings the valve.") && !review.contains("Ragnhild"), "{review}");
}

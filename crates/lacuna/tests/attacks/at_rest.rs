//! After a thousand memories, a thief reads every byte of the data folder.

use std::io::Write as _;
use std::process::Stdio;

use lacuna_seal::sha256;
use lacuna_types::embed::Purpose;

use crate::scan::{Needles, hex};
use crate::{Server, lacuna};

const CANARIES: usize = 1_000;

struct Canary {
    /// In the text, in a detail, in a tag, and in the name of a person.
    words: [String; 4],
    text: String,
}

fn canary(number: usize) -> Canary {
    let word = |role: &str| hex(&sha256(format!("{role} {number}").as_bytes())[..12]);
    let words = ["text", "detail", "tag", "name"].map(word);
    let mut text = format!("My locker code is {} and I told nobody.", words[0]);
    if number.is_multiple_of(10) {
        // Longer than a gist, so that it is sealed as a body; some of them so long that they become blobs.
        let filler = if number.is_multiple_of(500) { 600 } else { 10 };
        text += &" The weather was unremarkable.".repeat(filler);
    }
    Canary { words, text }
}

#[test]
fn nothing_that_was_remembered_can_be_read_from_the_disk_or_the_logs() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let canaries: Vec<Canary> = (0..CANARIES).map(canary).collect();

    let mut batch = lacuna(&data);
    batch.args(["remember", "--batch", "-"]).env("LACUNA_LOG", "trace");
    let mut child =
        batch.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let lines: String = canaries.iter().map(|canary| json_line(canary) + "\n").collect();
    let feeder = std::thread::spawn(move || stdin.write_all(lines.as_bytes()).unwrap());
    let done = child.wait_with_output().unwrap();
    feeder.join().unwrap();
    let mut logs = done.stderr;
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&logs));
    assert_eq!(done.stdout.iter().filter(|byte| **byte == b'\n').count(), CANARIES);

    // A server reads, searches and erases with everything logged, and is then killed, so that its WAL stays.
    let mut server = Server::start(&data, &[]);
    for canary in canaries.iter().step_by(250) {
        let question = serde_json::json!({ "query": canary.words[0], "max_tokens": 100_000 });
        let answer: serde_json::Value = ureq::post(format!("{}/v1/search", server.base))
            .send_json(question)
            .unwrap()
            .body_mut()
            .read_json()
            .unwrap();
        assert_eq!(answer["memories"][0]["content"], canary.text, "it is really there");
    }
    server.child.kill().unwrap();
    std::io::Read::read_to_end(&mut server.child.stderr.take().unwrap(), &mut logs).unwrap();
    drop(server);

    let needles = needles(&canaries);
    let (found, bytes) = needles.found_below(&data);
    assert!(bytes > CANARIES * 1_000, "the folder holds the memories: {bytes} bytes");
    assert!(
        found.is_empty(),
        "{} of {} needles: {:?}",
        found.len(),
        needles.len(),
        &found[..found.len().min(5)]
    );
    assert_eq!(needles.found_in(&logs), Vec::<&str>::new());
}

fn json_line(canary: &Canary) -> String {
    let [_, detail, tag, name] = &canary.words;
    serde_json::json!({
        "content": canary.text,
        "content_type": "transcript",
        "details": [{ "content": format!("a detail about {detail}") }],
        "tags": [tag],
        "entities": [{ "type": "person", "name": name, "primary": true }],
        "sensitivity": ["health"],
    })
    .to_string()
}

fn needles(canaries: &[Canary]) -> Needles {
    let mut needles = Needles::default();
    for canary in canaries {
        canary.words.iter().for_each(|word| needles.add_text(word));
    }
    let texts: Vec<&str> =
        canaries.iter().map(|canary| &*canary.text).filter(|text| text.len() < 300).collect();
    for model in [lacuna_models::static_embedder().unwrap(), lacuna_models::sentence_embedder().unwrap()] {
        // Every tenth vector: the text is what matters most, and embedding takes its time.
        let some: Vec<&str> = texts.iter().step_by(10).copied().collect();
        for vector in model.embed(&some, Purpose::Passage).unwrap() {
            needles.add_vector(model.model().as_str(), &vector);
        }
    }
    needles
}

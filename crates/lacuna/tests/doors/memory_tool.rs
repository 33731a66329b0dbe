//! Anthropic's memory tool on the vault: the words that it documents, paths that lead nowhere else, and files that
//! are gone when they are deleted.

use serde_json::{Value, json};

use crate::support::{Home, contents};

fn run(home: &Home, command: &Value) -> (String, bool) {
    let done = home.run_with_input(&["memory-tool", "--json"], command.to_string().as_bytes()).ok().json();
    (done["content"].as_str().unwrap().to_owned(), done["is_error"].as_bool().unwrap())
}

#[track_caller]
fn tells(home: &Home, command: Value, words: &str) {
    assert_eq!(run(home, &command), (words.to_owned(), false), "{command}");
}

#[track_caller]
fn refuses(home: &Home, command: Value, words: &str) {
    assert_eq!(run(home, &command), (words.to_owned(), true), "{command}");
}

fn create(path: &str, text: &str) -> Value {
    json!({"command": "create", "path": path, "file_text": text})
}

#[test]
fn every_command_answers_in_the_words_that_the_tool_documents() {
    let home = Home::new();
    let view = |path: &str| json!({"command": "view", "path": path});
    let header = "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:";
    tells(&home, view("/memories"), &format!("{header}\n4.0K\t/memories"));
    refuses(
        &home,
        view("/memories/a.txt"),
        "The path /memories/a.txt does not exist. Please provide a valid path.",
    );
    let text = "Boats are moored at the quay\nTea at four\nBoats leave early\n";
    tells(&home, create("/memories/a.txt", text), "File created successfully at: /memories/a.txt");
    refuses(&home, create("/memories/a.txt", "x"), "Error: File /memories/a.txt already exists");
    let shown = "Here's the content of /memories/a.txt with line numbers:\n";
    tells(
        &home,
        view("/memories/a.txt"),
        &format!(
            "{shown}     1\tBoats are moored at the quay\n     2\tTea at four\n     3\tBoats leave early\n     4\t"
        ),
    );
    let range = json!({"command": "view", "path": "/memories/a.txt", "view_range": [2, 3]});
    tells(&home, range, &format!("{shown}     2\tTea at four\n     3\tBoats leave early"));

    let replace = |old: &str, new: &str| json!({"command": "str_replace", "path": "/memories/a.txt", "old_str": old, "new_str": new});
    refuses(
        &home,
        replace("Coffee", "x"),
        "No replacement was performed, old_str `Coffee` did not appear verbatim in /memories/a.txt.",
    );
    refuses(
        &home,
        replace("Boats", "x"),
        "No replacement was performed. Multiple occurrences of old_str `Boats` in lines: 1, 3. Please ensure it is unique",
    );
    tells(
        &home,
        replace("Tea", "Coffee"),
        "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n     1\tBoats are moored at the quay\n     2\tCoffee at four\n     3\tBoats leave early\n     4\t",
    );
    let insert = |line: i64| json!({"command": "insert", "path": "/memories/a.txt", "insert_line": line, "insert_text": "Gulls\n"});
    refuses(
        &home,
        insert(4),
        "Error: Invalid `insert_line` parameter: 4. It should be within the range of lines of the file: [0, 3]",
    );
    tells(&home, insert(0), "The file /memories/a.txt has been edited.");
    tells(
        &home,
        json!({"command": "view", "path": "/memories/a.txt", "view_range": [1, 2]}),
        &format!("{shown}     1\tGulls\n     2\tBoats are moored at the quay"),
    );

    tells(&home, create("/memories/log/.hidden", "x"), "File created successfully at: /memories/log/.hidden");
    tells(
        &home,
        create("/memories/log/one/b.md", ""),
        "File created successfully at: /memories/log/one/b.md",
    );
    tells(
        &home,
        view("/memories"),
        &format!(
            "{header}\n4.0K\t/memories\n68\t/memories/a.txt\n4.0K\t/memories/log\n4.0K\t/memories/log/one"
        ),
    );
    let rename = |old: &str, new: &str| json!({"command": "rename", "old_path": old, "new_path": new});
    refuses(&home, rename("/memories/x", "/memories/y"), "Error: The path /memories/x does not exist");
    refuses(
        &home,
        rename("/memories/log", "/memories/a.txt"),
        "Error: The destination /memories/a.txt already exists",
    );
    refuses(
        &home,
        rename("/memories/log", "/memories/log/deeper"),
        "Error: /memories/log cannot be moved into itself",
    );
    tells(
        &home,
        rename("/memories/log", "/memories/old"),
        "Successfully renamed /memories/log to /memories/old",
    );
    tells(
        &home,
        view("/memories/old/one/b.md"),
        "Here's the content of /memories/old/one/b.md with line numbers:\n     1\t",
    );

    let delete = |path: &str| json!({"command": "delete", "path": path});
    refuses(&home, delete("/memories/log"), "Error: The path /memories/log does not exist");
    refuses(&home, delete("/memories"), "Error: The /memories directory itself cannot be deleted");
    tells(&home, delete("/memories/old"), "Successfully deleted /memories/old");
    tells(&home, delete("/memories/a.txt"), "Successfully deleted /memories/a.txt");
    tells(&home, view("/memories"), &format!("{header}\n4.0K\t/memories"));
}

#[test]
fn no_path_leads_out_and_no_file_is_written() {
    let home = Home::new();
    let secret = "the heron nests behind the lock";
    run(&home, &create("/memories/birds.txt", secret));
    for path in [
        "/etc/passwd",
        "/memories/../../etc/passwd",
        "/memories/%2e%2e/x",
        "/memoriesx",
        "memories/a",
        "/memories/a\\..\\b",
    ] {
        for command in [
            json!({"command": "view", "path": path}),
            create(path, "x"),
            json!({"command": "delete", "path": path}),
        ] {
            let (words, is_error) = run(&home, &command);
            assert!(is_error && words.starts_with("Error: "), "{command}: {words}");
        }
        let moved = json!({"command": "rename", "old_path": "/memories/birds.txt", "new_path": path});
        assert!(run(&home, &moved).1, "{path}");
    }
    for (path, bytes) in contents(&home.data()) {
        assert!(!bytes.windows(10).any(|part| part == b"heron nest"), "{} holds it", path.display());
        assert!(!path.to_string_lossy().contains("birds"), "{}", path.display());
    }
}

#[test]
fn a_file_is_a_memory_and_a_deleted_one_is_erased_with_a_receipt() {
    let home = Home::new();
    run(&home, &create("/memories/birds.txt", "the heron nests behind the lock"));
    let found = home.json(&["recall", "where does the heron nest?"]);
    let memory = &found["memories"][0];
    assert_eq!((&memory["trust"], &memory["tags"]), (&json!("low"), &json!(["memory-file"])), "{found}");
    let id = memory["memory_id"].as_str().unwrap().to_owned();
    let edit = json!({"command": "str_replace", "path": "/memories/birds.txt", "old_str": "heron", "new_str": "stork"});
    run(&home, &edit);
    assert_eq!(home.run(&["memory", "inspect", &id, "--json"]).code, 3, "what an edit replaced is gone");
    run(&home, &json!({"command": "delete", "path": "/memories/birds.txt"}));
    assert_eq!(home.json(&["recall", "stork heron"])["memories"], json!([]));
    assert_eq!(home.json(&["receipt", "list"])["receipts"].as_array().unwrap().len(), 2);
}

#[test]
fn sizes_are_bounded_and_the_gate_stands_before_files_too() {
    let home = Home::new();
    let (words, is_error) = run(&home, &create("/memories/long.txt", &"x ".repeat(50_001)));
    assert!(is_error && words.contains("100000 characters"), "{words}");
    let key = "AKIAIOSFODNN7EXAMPLQ";
    run(&home, &create("/memories/keys.txt", &format!("aws_access_key_id = {key}")));
    let (shown, _) = run(&home, &json!({"command": "view", "path": "/memories/keys.txt"}));
    assert!(!shown.contains(key), "{shown}");
    for command in [
        json!({"command": "format"}),
        json!({"command": "view"}),
        json!({"command": "view", "path": "/memories", "x": 1}),
    ] {
        let done = home.run_with_input(&["memory-tool", "--json"], command.to_string().as_bytes());
        assert_eq!(done.code, 2, "{command}: {}", done.stdout);
    }
}

#[test]
fn over_http_everybody_has_files_of_their_own() {
    let home = Home::new();
    let mut server = home.serve(&[]);
    let token = |user: &str, role: &str| home.token(user, role, &[])["secret"].as_str().unwrap().to_owned();
    let (anna, ben, reader) = (token("anna", "user"), token("ben", "user"), token("anna", "reader"));
    server.post("/v1/memory-tool", &create("/memories/a.txt", "x")).refused(401, "unauthenticated");
    let made =
        server.bearing(&anna).post("/v1/memory-tool", &create("/memories/a.txt", "the lock")).expect(200);
    assert_eq!(made, json!({"content": "File created successfully at: /memories/a.txt", "is_error": false}));
    let view = json!({"command": "view", "path": "/memories/a.txt"});
    assert_eq!(server.bearing(&ben).post("/v1/memory-tool", &view).expect(200)["is_error"], true);
    server.bearing(&reader);
    assert_eq!(server.post("/v1/memory-tool", &view).expect(200)["is_error"], false);
    server.post("/v1/memory-tool", &create("/memories/b.txt", "x")).refused(403, "denied");
}

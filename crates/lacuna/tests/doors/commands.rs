//! The command line as a whole: the words that the seeds use, what helps a user along, and the demo.

use serde_json::{Value, json};

use crate::support::Home;

fn gists(home: &Home, args: &[&str]) -> Vec<String> {
    let listed = home.json(&["memory", "list"].iter().chain(args).copied().collect::<Vec<_>>());
    let gist = |memory: &Value| memory["gist"].as_str().unwrap().to_owned();
    listed["memories"].as_array().unwrap().iter().map(gist).collect()
}

#[test]
fn memory_clear_forget_and_redact_are_one_forgetting() {
    let home = Home::new();
    home.run(&["session", "append", "desk", "The barometer falls."]).ok();
    home.remember("I prefer rye bread.");
    let boat = home.remember("The Petrel lies in the harbour of Trieste.");
    home.remember("My dentist is Doctor Lindqvist.");

    let unasked = home.run(&["memory", "clear", "episodic"]);
    assert!(unasked.code != 0 && unasked.stderr.contains("needs_confirmation"), "{}", unasked.stderr);
    home.run(&["memory", "clear", "episodic", "--yes"]).ok();
    assert!(!gists(&home, &[]).iter().any(|gist| gist.contains("barometer")));
    assert_eq!(gists(&home, &[]).len(), 3);

    let hidden =
        home.run(&["memory", "redact", &boat, "--reason", "asked for", "--mode", "soft", "--yes"]).ok();
    assert!(hidden.stdout.contains("can be restored until") && hidden.stderr.contains("reason: asked for"));
    assert_eq!(home.run(&["memory", "redact", &boat, "--yes"]).code, 2, "a reason is asked for");
    home.run(&["memory", "state", &boat, "--to", "active"]).ok();

    let gone = home.run(&["memory", "forget", "my dentist", "--yes"]).ok();
    assert!(gone.stdout.contains("receipt DEL-"), "{}", gone.stdout);
    assert_eq!(gists(&home, &[]).len(), 2);

    // One yes is not two.
    let first = home.json(&["memory", "clear", "all", "--yes"]);
    assert_eq!(first["outcome"], "again", "{first}");
    assert_eq!(gists(&home, &[]).len(), 2);
    home.run(&["forget", "--confirm", first["token"].as_str().unwrap()]).ok();
    assert_eq!(gists(&home, &[]), Vec::<String>::new());
}

#[test]
fn a_list_goes_by_privacy_class_and_salience_across_pages() {
    let home = Home::new();
    for number in 0..5 {
        home.run(&[
            "remember",
            &format!("Pier {number} is painted."),
            "--privacy-class",
            "non-pii",
            "--salience",
            "0.9",
        ])
        .ok();
        home.run(&[
            "remember",
            &format!("Pier {number} costs a lot."),
            "--privacy-class",
            "commercial-confidential",
            "--salience",
            "0.2",
        ])
        .ok();
    }
    let class = ["--privacy-class", "commercial-confidential"];
    assert_eq!(gists(&home, &class).len(), 5);
    assert_eq!(gists(&home, &["--min-salience", "0.5"]).len(), 5);
    assert!(gists(&home, &["--min-salience", "0.5", class[0], class[1]]).is_empty());
    let mut cursor = None;
    let mut seen = Vec::new();
    loop {
        let mut args = vec!["memory", "list", "--limit", "2", class[0], class[1]];
        let place: String = cursor.take().unwrap_or_default();
        if !place.is_empty() {
            args.extend(["--cursor", &place]);
        }
        let page = home.json(&args);
        seen.extend(
            page["memories"].as_array().unwrap().iter().map(|memory| memory["memory_id"].to_string()),
        );
        match page["next_cursor"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => break,
        }
    }
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 5);
    assert_eq!(home.run(&["memory", "list", "--min-salience", "2"]).code, 2);
}

#[test]
fn a_memory_can_be_given_every_facet() {
    let home = Home::new();
    let source = home.remember("The Petrel won the regatta in June.");
    let made = home.json(&[
        "remember",
        "Somebody here likes racing.",
        "--tier",
        "semantic",
        "--lane",
        "business",
        "--source",
        "ai_inference",
        "--tool",
        "reader",
        "--detail",
        "it was windy",
        "--retention",
        "short_term",
        "--pin",
        "--derived-from",
        &format!("{source}=inference"),
    ]);
    assert_eq!(made["state"], "candidate", "what a model says waits");
    let id = made["memory_id"].as_str().unwrap();
    home.run(&["review", "accept", id]).ok();
    let shown = home.json(&["memory", "inspect", id]);
    assert_eq!(shown["derived_from"], json!([{"memory_id": source, "contribution": "inference"}]));
    assert_eq!((&shown["lane"], &shown["pinned"]), (&json!("business"), &json!(true)));
    assert_eq!(shown["details"][0]["content"], "it was windy");
    assert_eq!(shown["source"]["type"], "ai_inference");
    let bad = home.run(&["remember", "x", "--derived-from", &format!("{source}=magic")]);
    assert_eq!(bad.code, 2, "{}", bad.stderr);
}

#[test]
fn the_audit_of_a_period_goes_by_three_names() {
    let home = Home::new();
    home.remember("I prefer rye bread.");
    let period = ["--from", "7d"];
    let told: Vec<String> = [vec!["audit"], vec!["audit", "report"], vec!["memory", "audit"]]
        .into_iter()
        .map(|command| home.run(&[command, period.to_vec()].concat()).ok().stdout)
        .collect();
    assert!(told[0].contains("| writes | 1 |"), "{}", told[0]);
    assert!(told.iter().all(|one| one.lines().count() == told[0].lines().count()));
    assert_eq!(home.run(&["audit", "verify"]).ok().code, 0);
    assert_eq!(home.run(&["audit", "--from", "7d", "verify"]).code, 2);
}

#[test]
fn a_slip_is_answered_with_what_is_perhaps_meant_and_without_colours() {
    let home = Home::new();
    let slip = home.run(&["recal", "x"]);
    assert!(slip.code == 2 && slip.stderr.contains("'recall'"), "{}", slip.stderr);
    let slip = home.run(&["recall", "x", "--limt", "3", "--json"]);
    let detail = slip.problem()["detail"].as_str().unwrap().to_owned();
    assert!(slip.code == 2 && detail.contains("--limit"), "{detail}");
    let slip = home.run(&["memory", "clear", "episodc"]);
    assert!(slip.stderr.contains("episodic"), "{}", slip.stderr);
    for args in [&["recal"][..], &["memory", "inspect", "x"], &["--help"], &["memory", "list"]] {
        let home = Home::new().with("TERM", "xterm");
        let done = home.run(args);
        assert!(!format!("{}{}", done.stdout, done.stderr).contains('\u{1b}'), "{args:?}");
    }
}

#[test]
fn shells_and_manuals_know_every_command() {
    let home = Home::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = home.run(&["completions", shell]).ok().stdout;
        for word in ["remember", "verify-forgotten", "pre-compact"] {
            assert!(script.contains(word), "{shell} does not know {word}");
        }
    }
    let bash = home.run(&["completions", "bash"]).ok().stdout;
    let file = home.path("completions.bash");
    std::fs::write(&file, bash).unwrap();
    let ask = format!(
        "source {}; COMP_WORDS=(lacuna rememb); COMP_CWORD=1; _lacuna lacuna rememb; echo \"${{COMPREPLY[*]}}\"",
        file.display()
    );
    let asked = std::process::Command::new("bash").args(["-c", &ask]).output().unwrap();
    assert_eq!(String::from_utf8(asked.stdout).unwrap().trim(), "remember", "{:?}", asked.stderr);

    let page = home.run(&["man"]).ok().stdout;
    assert!(page.contains(".TH lacuna 1") && page.contains("Exit codes"), "{page}");
    let folder = home.path("man1");
    let written = home.json(&["man", "--dir", folder.to_str().unwrap()]);
    assert!(written.as_array().unwrap().len() > 60, "{written}");
    assert!(std::fs::read_to_string(folder.join("lacuna-memory-redact.1")).unwrap().contains("reason"));
    assert!(!home.data().exists(), "none of it makes a vault");
}

#[test]
fn the_demo_tells_the_whole_story_and_leaves_nothing() {
    let home = Home::new();
    let temp = home.path("tmp");
    std::fs::create_dir(&temp).unwrap();
    let home = home.with("TMPDIR", temp.to_str().unwrap());
    let told = home.run(&["demo"]).ok().stdout;
    for part in [
        "$ lacuna remember",
        "physics",
        "## What you remember",
        "direct",
        "receipt DEL-",
        "holds",
        "it is in none of them",
    ] {
        assert!(told.contains(part), "{part} is missing in\n{told}");
    }
    assert!(!told.contains("error["), "{told}");
    assert!(std::fs::read_dir(&temp).unwrap().next().is_none(), "the vault is gone");
    assert!(!home.data().exists(), "the caller's own vault is not touched");
    let lines = home.run(&["demo", "--json"]).ok().stdout;
    let steps: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(steps.len() > 8 && steps.last().unwrap()["found"] == 0, "{lines}");
    assert!(steps[0]["output"]["memory_id"].is_string(), "{lines}");
}

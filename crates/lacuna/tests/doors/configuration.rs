//! `lacuna config`: what is set and by whom, what is wrong with it, and where data may go.

use std::fs;

use serde_json::Value;

use crate::support::Home;

fn with_file(text: &str) -> Home {
    let home = Home::new();
    fs::create_dir_all(home.data()).unwrap();
    fs::write(home.data().join("lacuna.toml"), text).unwrap();
    home
}

#[test]
fn every_setting_is_shown_with_its_origin_and_without_its_password() {
    let home = with_file("listen = '127.0.0.1:9'\nuser = 'carla'\n[cors]\norigins = ['https://a.example', 'https://b.example']\n")
        .with("LACUNA_STORE", "postgres://lacuna:hunter2@127.0.0.1/lacuna?password=hunter2")
        .with("LACUNA_KEYS_BESIDE_DATA", "true")
        .with("LACUNA_USER", "dora");
    let shown = home.json(&["config", "show", "--as", "erik"]);
    let of = |name: &str| {
        let all = shown["settings"].as_array().unwrap();
        let found = all.iter().find(|row| row["setting"] == name).unwrap_or_else(|| panic!("no {name}"));
        (found["value"].as_str().unwrap_or("-").to_owned(), found["origin"].as_str().unwrap().to_owned())
    };
    assert_eq!(of("user"), ("erik".into(), "a flag".into()));
    assert_eq!(of("embedder"), ("static".into(), "LACUNA_EMBEDDER".into()));
    assert!(of("listen").0 == "127.0.0.1:9" && of("listen").1.ends_with("lacuna.toml"));
    assert_eq!(of("cors.origins").0, "https://a.example,https://b.example");
    assert_eq!(of("http.requests_max"), ("256".into(), "default".into()));
    assert_eq!(of("tls.cert"), ("-".into(), "default".into()));
    assert_eq!(of("store").0, "postgres://lacuna:***@127.0.0.1/lacuna?password=***");
    let table = home.run(&["config", "show"]).ok().stdout;
    assert!(
        table.contains("limits.reads_per_minute")
            && !table.contains("hunter2")
            && !shown.to_string().contains("hunter2")
    );
}

#[test]
fn a_check_tells_everything_at_once_and_starts_nothing() {
    let home = with_file(
        "log = { format = 'xml' }\n[http]\nrequests_max = 0\nworkers = 'many'\n[tls]\ncert = 'c.pem'\n[limits]\nreads_per_minute = -1\n\
         [oidc]\nissuer = 'https://id.example'\n[cors]\norigins = '*'\n[otlp]\nurl = 'http://collector.example/'\n",
    );
    let done = home.run(&["config", "check", "--json"]);
    let detail = done.problem()["detail"].as_str().unwrap().to_owned();
    for fault in [
        "log.format",
        "http.requests_max",
        "http.workers",
        "tls.cert",
        "limits.reads_per_minute",
        "oidc.",
        "cors.origins",
        "otlp.url",
    ] {
        assert!(detail.contains(fault), "{fault} is not in: {detail}");
    }
    // It is shown all the same, before the refusal.
    let shown = home.run(&["config", "show", "--json"]);
    assert_eq!((shown.code, shown.problem()["code"].clone()), (7, Value::from("bad_config")));
    assert!(shown.json()["settings"].as_array().unwrap().len() > 40);
    assert!(!home.data().join("keys").exists());

    // What stands beside the configuration is looked at as well, all of it.
    let home = with_file(
        "secret_rules = '/nonexistent/rules.toml'\n[tls]\ncert = '/nonexistent/c.pem'\nkey = '/nonexistent/k.pem'\n\
         [[webhook]]\nname = 'crm'\nurl = 'https://crm.example'\nsecret_env = 'NOBODY_SET_THIS'\n",
    );
    for command in [["config", "check", "--json"], ["serve", "--json", "--listen=127.0.0.1:0"]] {
        let done = home.run(&command);
        let detail = done.problem()["detail"].as_str().unwrap().to_owned();
        for fault in ["rules.toml", "c.pem", "NOBODY_SET_THIS"] {
            assert!(detail.contains(fault), "{fault} is not in: {detail}");
        }
    }
    let good = Home::new();
    assert_eq!(good.json(&["config", "check"])["ok"], true);
    assert!(!good.data().exists(), "a check makes nothing");
}

#[test]
fn with_a_residency_every_host_must_be_here_or_declared() {
    let file = "residency = 'eu'\nkeys_beside_data = true\nembedder = 'endpoint'\nblobs = 's3://memories?region=us-east-1&endpoint=https://s3.example'\nstore = 'postgres://u:hunter2@db.example/x?host=other.example'\n\
        [regions]\n'api.example' = 'eu-central-1'\n's3.example' = 'eu'\n'hooks.example' = 'us-east-1'\n\
        [endpoint]\nurl = 'https://api.example/v1'\nmodel = 'm'\n\
        [llm]\nkind = 'openai'\nurl = 'https://safe.example@llm.example/v1'\nmodel = 'm'\n\
        [oidc]\nissuer = 'i'\naudience = 'a'\njwks_url = 'https://id.example/keys'\n\
        [otlp]\nurl = 'http://127.0.0.1:4318/v1/traces'\n\
        [[webhook]]\nname = 'crm'\nurl = 'https://hooks.example/x'\nsecret_env = 'X'\n";
    let home = with_file(file).without("LACUNA_EMBEDDER").with("HTTPS_PROXY", "http://proxy.example:3128");
    for command in
        [["config", "check", "--json"].as_slice(), &["serve", "--json"], &["remember", "x", "--json"]]
    {
        let done = home.run(command);
        assert_eq!(done.code, 7, "{command:?}");
        let detail = done.problem()["detail"].as_str().unwrap().to_owned();
        let wrong = [
            "store: nothing says that db.example",
            "store: nothing says that other.example",
            "keys: nothing says that db.example",
            "blobs: the region us-east-1 is not in eu",
            "llm.url: nothing says that llm.example",
            "oidc.jwks_url: nothing says that id.example",
            "webhook crm: hooks.example is in us-east-1, not in eu",
            "HTTPS_PROXY: nothing says that proxy.example",
        ];
        for fault in wrong {
            assert!(detail.contains(fault), "{fault} is not in: {detail}");
        }
        assert!(!detail.contains("api.example is") && !detail.contains("127.0.0.1"), "{detail}");
        assert!(!detail.contains("hunter2"));
    }
    let declared = file
        .replace("'us-east-1'", "'eu'")
        .replace("region=us-east-1", "region=eu-central-1")
        .replace("safe.example@", "")
        .replace("[regions]", "[regions]\n'db.example' = 'eu'\n'other.example' = 'eu'\n'llm.example' = 'eu'\n'id.example' = 'eu-west-1'\n'proxy.example' = 'eu'");
    let home = with_file(&declared)
        .without("LACUNA_EMBEDDER")
        .with("HTTPS_PROXY", "http://proxy.example:3128")
        .with("X", "sixteen bytes or more");
    home.run(&["config", "check"]).ok();
}

#[test]
fn variables_of_others_are_warned_of_once_and_refused_by_a_check() {
    let home = Home::new()
        .with("LACUNA_PORT", "tcp://10.0.0.1:7707")
        .with("LACUNA_SERVICE_HOST", "10.0.0.1")
        .with("LACUNA_HTTP_WORKER", "hunter2");
    let done = home.run(&["remember", "The ferry leaves at noon.", "--json"]).ok();
    assert!(done.json()["memory_id"].is_string());
    for told in [
        "LACUNA_PORT is not a setting\n",
        "LACUNA_SERVICE_HOST is not a setting\n",
        "LACUNA_HTTP_WORKER is not a setting; did you mean LACUNA_HTTP_WORKERS?\n",
    ] {
        assert_eq!(done.stderr.matches(told).count(), 1, "{told} in: {}", done.stderr);
    }
    assert!(!done.stderr.contains("hunter2") && !done.stderr.contains("10.0.0.1"), "{}", done.stderr);
    assert_eq!(home.serve(&[]).get("/healthz").status, 200);

    let checked = home.run(&["config", "check", "--json"]);
    assert_eq!((checked.code, checked.problem()["code"].clone()), (7, Value::from("bad_config")));
    let detail = checked.problem()["detail"].as_str().unwrap().to_owned();
    assert!(
        detail.contains("LACUNA_PORT") && detail.contains("did you mean LACUNA_HTTP_WORKERS?"),
        "{detail}"
    );
    assert!(!detail.contains("hunter2"), "{detail}");
    // A passphrase that nobody reads would leave new keys without one.
    let misspelt = Home::new().with("LACUNA_PASPHRASE", "hunter2").run(&["remember", "x", "--json"]);
    let detail = misspelt.problem()["detail"].as_str().unwrap().to_owned();
    assert!(detail.contains("did you mean LACUNA_PASSPHRASE?") && !detail.contains("hunter2"), "{detail}");
}

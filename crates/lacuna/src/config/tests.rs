use super::*;

fn env(pairs: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
    pairs.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))).collect()
}

fn load_from(file: &str, env_pairs: &[(&str, &str)], flags: &[(&'static str, &str)]) -> Result<Config> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.toml");
    std::fs::write(&path, file).unwrap();
    let flags = flags.iter().map(|(key, value)| (*key, (*value).to_owned())).collect();
    load(Origins { file: Some(path), flags, env: env(env_pairs) })
}

#[test]
fn flags_beat_the_environment_which_beats_the_file_which_beats_the_defaults() {
    let file = "org = 'file'\nuser = 'file'\nlisten = '127.0.0.1:1'\nidle_seal_minutes = 3";
    let env = [("LACUNA_USER", "env"), ("LACUNA_LISTEN", "127.0.0.1:2"), ("OTHER", "x")];
    let config = load_from(file, &env, &[("listen", "127.0.0.1:3")]).unwrap();
    assert_eq!(config.org.as_str(), "file");
    assert_eq!(config.user.as_str(), "env");
    assert_eq!(config.listen.port(), 3);
    assert_eq!(config.idle_seal, SignedDuration::from_mins(3));
    assert_eq!(config.open_bytes_max, OPEN_BYTES_MAX_DEFAULT);
    assert!(config.embedder == EmbedderChoice::Sentence && config.store == StoreChoice::Sqlite);
}

#[test]
fn all_faults_are_told_at_once_and_secrets_are_not() {
    let file =
        "listen = 'here'\nporg = 'x'\nembedder = 'endpoint'\nopen_bytes_max = 1\n[endpoint]\nkey = 'k'";
    let env = [("LACUNA_PASPHRASE", "hunter2"), ("LACUNA_STORE", "mysql://u:hunter2@h/d")];
    let Err(failure) = load_from(file, &env, &[]) else { panic!("was accepted") };
    assert_eq!(failure.code.name, "bad_config");
    for fault in
        ["listen", "porg", "endpoint.url", "open_bytes_max", "endpoint.key", "LACUNA_PASPHRASE", "store"]
    {
        assert!(failure.detail.contains(fault), "{fault} is not in: {failure}");
    }
    assert!(!failure.detail.contains("hunter2"));
}

#[test]
fn a_language_model_is_named_whole_or_not_at_all() {
    assert_eq!(load_from("", &[], &[]).unwrap().llm, None);
    let file = "[llm]\nkind = 'anthropic'\nurl = 'https://api.example/v1'\nmodel = 'm'\nkey_env = 'K'";
    let expected = LlmChoice {
        kind: LlmKind::Anthropic,
        url: "https://api.example/v1".into(),
        model: "m".into(),
        key_env: Some("K".into()),
        forget_time: None,
    };
    assert_eq!(load_from(file, &[], &[]).unwrap().llm, Some(expected));
    let waiting = |seconds: &str| load_from(&format!("{file}\nforget_seconds = {seconds}"), &[], &[]);
    let forget_time = |seconds| waiting(seconds).unwrap().llm.unwrap().forget_time;
    assert_eq!((forget_time("0"), forget_time("8")), (None, Some(Duration::from_secs(8))));
    for seconds in ["51", "-1", "'soon'"] {
        assert!(waiting(seconds).err().unwrap().detail.contains("llm.forget_seconds"), "{seconds}");
    }
    for file in
        ["[llm]\nkind = 'openai'", "[llm]\nkind = 'clever'\nurl = 'x'\nmodel = 'm'", "[llm]\nkey_env = 'K'"]
    {
        let failure = load_from(file, &[], &[]).err().unwrap();
        assert!(failure.detail.contains("llm.kind"), "{failure}");
    }
}

#[test]
fn webhooks_are_a_list_of_tables() {
    let one = "[[webhook]]\nname = 'crm'\nurl = 'https://crm.example/x'\nsecret_env = 'CRM_SECRET'";
    let config = load_from(one, &[], &[]).unwrap();
    assert_eq!((config.webhooks.len(), config.webhooks[0].name.as_str()), (1, "crm"));
    assert_eq!(config.webhooks[0].events, None);
    let twice = format!("{one}\n{one}");
    let cases = [
        (twice.as_str(), "webhook 2"),
        ("webhook = 'x'", "[[webhook]]"),
        ("[[webhook]]\nname = 'crm'", "webhook 1"),
        ("[[webhook]]\nname='a'\nurl='b'\nsecret_env='c'\nsecret='hunter2'", "webhook 1"),
    ];
    for (file, named) in cases {
        let failure = load_from(file, &[], &[]).err().unwrap();
        assert!(failure.detail.contains(named) && !failure.detail.contains("hunter2"), "{failure}");
    }
}

#[test]
fn a_file_that_is_no_configuration_is_refused() {
    let broken = load_from("password = hunter2", &[], &[]).err().unwrap();
    assert!(!broken.detail.contains("hunter2"), "{broken}");
    assert!(load_from("data = [1]", &[], &[]).is_err());
    let missing = Origins { file: Some("/nonexistent/x".into()), flags: vec![], env: vec![] };
    assert_eq!(load(missing).err().unwrap().code.name, "bad_config");
}

#[test]
fn a_variable_that_is_no_setting_is_told_and_stops_nothing() {
    let kubernetes = [
        ("LACUNA_PORT", "tcp://10.0.0.1:7707"),
        ("LACUNA_SERVICE_HOST", "10.0.0.1"),
        ("LACUNA_SERVICE_PORT", "7707"),
        ("LACUNA_PORT_7707_TCP_ADDR", "10.0.0.1"),
        ("LACUNA_LISTN", "hunter2"),
    ];
    let config = load_from("", &kubernetes, &[]).unwrap();
    assert_eq!(config.listen.to_string(), LISTEN_DEFAULT, "nothing of theirs is taken for ours");
    let told: Vec<String> = config.unknown.iter().map(UnknownVariable::to_string).collect();
    assert_eq!(told.len(), kubernetes.len());
    assert_eq!(told[0], "LACUNA_PORT is not a setting");
    assert_eq!(told[4], "LACUNA_LISTN is not a setting; did you mean LACUNA_LISTEN?");
    let refused = config.refuse_unknown().unwrap_err();
    assert!(refused.detail.contains("LACUNA_PORT is") && !refused.detail.contains("hunter2"), "{refused}");
    // What a setting names is known.
    let named = [("LACUNA_LLM_SECRET", "x")];
    let file =
        "[llm]\nkind = 'openai'\nurl = 'https://a.example'\nmodel = 'm'\nkey_env = 'LACUNA_LLM_SECRET'";
    assert_eq!(load_from(file, &named, &[]).unwrap().unknown, []);
}

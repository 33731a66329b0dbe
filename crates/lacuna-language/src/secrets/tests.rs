use proptest::prelude::*;

use super::*;

fn found(text: &str) -> Vec<(&str, SecretLevel)> {
    Scanner::builtin().scan(text).into_iter().map(|finding| (&text[finding.span], finding.level)).collect()
}

#[test]
fn every_rule_finds_its_examples_and_passes_over_its_counterexamples() {
    let rules = SecretRule::table(rule::BUILTIN).unwrap();
    assert!(rules.len() >= 150);
    let mut wrong = Vec::new();
    for (n, rule) in rules.iter().enumerate() {
        let raw = &rule.raw;
        assert!(!raw.examples.is_empty() && !raw.counterexamples.is_empty(), "{} has no examples", raw.name);
        wrong.extend(rule.check(&rules[..n]).err().map(|error| error.to_string()));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// An invented token, put together here so that no scanner takes this file for a leak.
fn token() -> String {
    format!("ghp_{}", "k7Qz2LmXw9Rt4VbN8cYd3FgH6jPs1TaU5eWo")
}

fn assert_redacted(text: &str, secret: &str) {
    let redacted = redact(text, &Scanner::builtin().scan(text));
    assert!(!redacted.contains(secret), "{text} → {redacted}");
    assert!(redacted.contains(REDACTION), "{text} → {redacted}");
}

#[test]
fn a_secret_is_found_wherever_it_stands() {
    let token = token();
    let texts = [
        token.clone(),
        format!("```sh\nexport GH={token}\n```"),
        format!("{{\"a\":{{\"b\":\"{token}\"}}}}"),
        format!("\"line one\\n{token}\\nline two\""),
        format!("It is {token}."),
        format!("is it {token}? yes, ({token})!"),
        format!("https://{token}@github.com/a/b.git"),
        format!("https://host.test/?q={token}&r=1"),
        format!("<b>{token}</b>"),
        format!("a_{token}_b"),
        format!("key%3D{token}%26x"),
        format!("ключ:{token}。"),
    ];
    texts.iter().for_each(|text| assert_redacted(text, &token));
}

#[test]
fn a_disguised_secret_is_found_and_goes_with_its_disguise() {
    let token = token();
    let (head, tail) = token.split_at(20);
    let texts = [
        format!("{head}\u{200b}{tail}"),
        format!("{head}\u{2060}\u{feff}{tail}"),
        format!("{head}\u{ad}{tail}"),
        format!("{head}\n{tail}"),
        format!("  {head}\r\n    {tail} and more"),
        format!("> {head}\n> {tail}"),
        format!("\"{head}\" +\n  \"{tail}\""),
        format!("{head}\\\n{tail}"),
        token.replace('p', "р").replace('a', "а"),
        token.replace("ghp_", "ｇｈｐ＿"),
        token.replace("ghp_", "ghp%5F"),
    ];
    for text in texts {
        let findings = Scanner::builtin().scan(&text);
        assert_eq!(findings.len(), 1, "{text:?}");
        assert_eq!(findings[0].level, SecretLevel::Definite, "{text:?}");
        let redacted = redact(&text, &findings);
        assert!(
            !redacted.contains(&head[8..16]) && !redacted.contains(&tail[4..12]),
            "{text:?} → {redacted:?}"
        );
    }
}

#[test]
fn several_secrets_of_a_line_are_found_apart() {
    let text = format!("{0} and {0}, password is hunter2, pin: 4711", token());
    let levels: Vec<SecretLevel> = found(&text).into_iter().map(|(_, level)| level).collect();
    assert_eq!(
        levels,
        [SecretLevel::Definite, SecretLevel::Definite, SecretLevel::Probable, SecretLevel::Probable]
    );
    let redacted = redact(&text, &Scanner::builtin().scan(&text));
    let mark = REDACTION;
    assert_eq!(redacted, format!("{mark} and {mark}, password is {mark}, pin: {mark}"));
}

#[test]
fn overlapping_findings_become_one_that_is_as_sure_as_the_surer() {
    let finding = |rule: &str, level, span| Finding { rule: rule.into(), family: "f".into(), level, span };
    let merged = merge(vec![
        finding("c", SecretLevel::Possible, 20..30),
        finding("b", SecretLevel::Definite, 5..12),
        finding("a", SecretLevel::Probable, 0..8),
        finding("d", SecretLevel::Probable, 30..31),
    ]);
    let expected = vec![
        finding("b", SecretLevel::Definite, 0..12),
        finding("c", SecretLevel::Possible, 20..30),
        finding("d", SecretLevel::Probable, 30..31),
    ];
    assert_eq!(merged, expected);
}

#[test]
fn a_key_of_many_lines_is_taken_out_whole() {
    let label = ["PRIVATE", "KEY"].join(" ");
    let body = "MIIBOwIBAAJBAKj34GkxFhD90vcNLYLInFEX\n".repeat(40);
    let text = format!("before\n-----BEGIN {label}-----\n{body}-----END {label}-----\nafter");
    let redacted = redact(&text, &Scanner::builtin().scan(&text));
    assert_eq!(redacted, format!("before\n{REDACTION}\nafter"));
}

#[test]
fn ordinary_sentences_are_left_alone() {
    let sentences = [
        "I forgot my password again, can you believe it?",
        "The password is too short, it says.",
        "She pinned the note; the pin is gold.",
        "The key is under the mat and the code is 200 lines long.",
        "Is the secret ingredient nutmeg?",
        "He gave her a token of gratitude.",
        "My phone number is 555 0134 and I live at 12 High Street.",
        "See https://host.test/docs/page-2024?lang=en#part for details.",
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8 fixed it",
        "Session 123e4567-e89b-12d3-a456-426614174000 ended.",
        "Das Passwort ist falsch, sagt der Rechner.",
        "Le mot de passe est trop court.",
        "IMG_20240607_123456.jpg and Invoice-2024-000123.pdf",
        "export API_KEY=$API_KEY, or paste <your key here>",
        "password: ********",
        "the antidisestablishmentarianism-of-yesteryear",
    ];
    for sentence in sentences {
        assert_eq!(found(sentence), [], "{sentence}");
    }
}

#[test]
fn an_operators_own_rules_are_added_and_their_faults_named() {
    let rule = |rest: &str| format!("[[rule]]\nname = 'acme'\nfamily = 'own'\nlevel = 'definite'\n{rest}");
    let scanner = Scanner::with_extra(&rule("keywords = ['acme-']\ntoken = 'acme-[0-9]{6}'")).unwrap();
    let findings = scanner.scan("badge acme-123456");
    assert_eq!((&*findings[0].rule, &*findings[0].family, findings[0].span.clone()), ("acme", "own", 6..17));
    assert!(Scanner::builtin().scan("badge acme-123456").is_empty());
    let taken = rule("keywords = ['acme-']\ntoken = 'a'").replace("acme'", "jwt'");
    assert!(Scanner::with_extra(&taken).err().unwrap().to_string().contains("rule jwt: the name is taken"));

    for (fault, rest) in [
        ("rule acme: needs one of", "keywords = ['acme-']"),
        ("rule acme: needs either", "token = 'a'"),
        ("rule acme: regex parse error", "keywords = ['acme-']\ntoken = '('"),
        ("rule acme: a keyword", "keywords = ['a']\ntoken = 'a'"),
        ("rule acme: `stop` names", "keywords = ['acme-']\ntoken = 'a'\nstop = ['nowhere']"),
        ("rule acme: example 1 is not", "keywords = ['acme-']\ntoken = 'a'\nexamples = ['b']"),
        (
            "rule acme: counterexample 2 is",
            "keywords = ['acme']\ntoken = 'acme'\ncounterexamples = ['b', 'acme']",
        ),
        ("rule acme: a run", "run = 3\npattern = 'a'"),
        ("unknown field `colour`", "keywords = ['acme-']\ntoken = 'a'\ncolour = 'red'"),
    ] {
        let error = Scanner::with_extra(&rule(rest)).err().unwrap().to_string();
        assert!(error.contains(fault), "{fault}: {error}");
    }
}

#[test]
fn long_texts_that_invite_much_work_are_read_in_a_bounded_number_of_steps() {
    // Each would take minutes if the work grew with the square of the length.
    let megabyte = |piece: &str| piece.repeat((1 << 20) / piece.len());
    for text in [
        "password is ",
        "a+b",
        "key=",
        "://a:",
        "%3D",
        "Ab1\n",
        "-----BEGIN RSA PRIVATE KEY-----",
        "curl -u ",
    ] {
        Scanner::builtin().scan(&megabyte(text));
    }
}

#[test]
fn levels_are_ordered_and_named() {
    assert!(SecretLevel::Possible < SecretLevel::Probable && SecretLevel::Probable < SecretLevel::Definite);
    let names =
        [SecretLevel::Possible, SecretLevel::Probable, SecretLevel::Definite].map(SecretLevel::as_str);
    assert_eq!(names, ["possible", "probable", "definite"]);
}

/// Text with pieces that wake rules, between any characters there are.
fn hostile_text() -> impl Strategy<Value = String> {
    let pieces = prop_oneof![
        "\\PC{0,12}",
        "[\\x00-\\x7f]{0,12}",
        "[0-9A-Za-z+/=_-]{20,80}",
        Just("password is ".to_owned()),
        Just("api_key = \"".to_owned()),
        Just("пароль: ".to_owned()),
        Just("Passwort lautet ".to_owned()),
        Just("postgres://ü:é@ö".to_owned()),
        Just("-----BEGIN EC PRIVATE KEY-----\n".to_owned()),
        Just("ghp_\u{200b}".to_owned()),
        Just("%3D%4".to_owned()),
        Just("\r\n\t ".to_owned()),
        Just(token()),
    ];
    proptest::collection::vec(pieces, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn findings_are_sorted_apart_and_at_character_boundaries(text in hostile_text()) {
        let findings = Scanner::builtin().scan(&text);
        let mut last = 0;
        for finding in &findings {
            prop_assert!(finding.span.start >= last && finding.span.start < finding.span.end);
            prop_assert!(text.get(finding.span.clone()).is_some());
            last = finding.span.end;
        }
        prop_assert_eq!(redact(&text, &findings).matches(REDACTION).count() >= findings.len(), true);
    }

    #[test]
    fn a_token_between_any_words_is_taken_out(before in "[ \\PC]{0,20}", after in "[ \\PC]{0,20}") {
        let text = format!("{before} {} {after}", token());
        let redacted = redact(&text, &Scanner::builtin().scan(&text));
        prop_assert!(!redacted.contains(&token()), "{}", redacted);
    }

    #[test]
    fn redacting_takes_any_findings(text in "\\PC{0,20}", spans in proptest::collection::vec((0..40usize, 0..40usize), 0..4)) {
        let finding = |(start, end)| Finding { rule: "r".into(), family: "f".into(), level: SecretLevel::Possible, span: start..end };
        redact(&text, &spans.into_iter().map(finding).collect::<Vec<_>>());
    }
}

#[test]
fn a_token_that_is_not_of_its_issuers_form_is_only_possible() {
    let body = "k7Qz2LmXw9Rt4VbN8cYd3FgH6".repeat(4);
    let anthropic = |tail: &str, length: usize| format!("sk-ant-api03-{}{tail}", &body[..length]);
    for (text, level) in [
        (anthropic("AA", 93), SecretLevel::Definite),
        // Keys of these are cut and mistyped often enough to be certain in any length.
        (anthropic("BB", 60), SecretLevel::Definite),
        (format!("sk-proj-{}", &body[..60]), SecretLevel::Definite),
        (format!("gloas-{}", &body[..64]), SecretLevel::Definite),
        (format!("gloas-{}", &body[..40]), SecretLevel::Possible),
        (format!("SG.{}.{}", &body[..22], &body[..43]), SecretLevel::Definite),
        (format!("SG.{}..{}", &body[..22], &body[..43]), SecretLevel::Possible),
    ] {
        assert_eq!(found(&text), [(text.as_str(), level)]);
        assert_eq!(found(&format!("It is {text}.")), [(text.as_str(), level)]);
    }
}

#[test]
fn a_token_that_goes_on_is_another_thing() {
    let token = format!("48151623:A{}", &"k7Qz2LmXw9Rt4VbN8cYd3FgH6jPs1TaU5eWo"[..34]);
    assert_eq!(found(&format!("{token} and more")), [(token.as_str(), SecretLevel::Definite)]);
    assert!(!Scanner::builtin().is_secret(&format!("{token}-and-more")));
}

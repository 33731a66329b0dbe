//! Secrets in other fields, in neighbours and in disguise; whose words a text has.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use lacuna_language::condense::{Turn, extract};
use lacuna_language::secrets::{Scanner, SecretLevel, redact};
use lacuna_language::voices::{has_external, own_words};
use lacuna_types::{Source, SourceType, Trust};

/// An invented token, in two parts so that no scanner takes this file for a leak.
const TOKEN: [&str; 2] = ["ghp_mQ4xW7zR2", "kT9vB5nY8cJ3hL6sD1fG0pA2eUu"];

#[test]
fn a_secret_of_one_text_is_found_in_all_of_them_plain_and_disguised() {
    let texts = [
        "The wifi password is Tamarisk-5518.",
        "cabin: Tamarisk-5518",
        "Tamarisk-\u{200b}5518 on the fridge",
        "Tamarisk%2D5518",
        "Tamarisk&#45;5518",
        "VGFtYXJpc2stNTUxOCBpcyBpdA",
        "Tamarisk 5518 is a plant",
    ];
    let found = Scanner::builtin().scan_all(&texts);
    let left: Vec<String> = texts.iter().zip(&found).map(|(text, found)| redact(text, found)).collect();
    assert_eq!(
        left,
        [
            "The wifi password is [SECRET_REDACTED].",
            "cabin: [SECRET_REDACTED]",
            "[SECRET_REDACTED] on the fridge",
            "[SECRET_REDACTED]",
            "[SECRET_REDACTED]",
            "[SECRET_REDACTED]",
            "Tamarisk 5518 is a plant",
        ]
    );
    let alone = Scanner::builtin().scan_all(&texts[1..]);
    assert!(alone.iter().all(Vec::is_empty), "nothing says there what it is");
}

#[test]
fn a_secret_between_two_texts_is_found_with_the_part_of_each() {
    let [start, rest] = TOKEN;
    let (before, after) = (format!("it begins with {start} "), format!("  {rest} is the rest"));
    let parts = Scanner::builtin().split(&before, &after).unwrap();
    assert_eq!(parts[0].level, SecretLevel::Definite);
    assert_eq!((&before[parts[0].span.clone()], &after[parts[1].span.clone()]), (start, rest));

    for (before, after, value) in [
        ("What is the alarm code?", "7719 as ever", "7719"),
        ("and the wifi password", "Birke-77, all in one word", "Birke-77"),
        ("Wie lautet der Türcode?", "4938#", "4938#"),
        ("¿Cuál es la contraseña?", "Roble#19", "Roble#19"),
    ] {
        let [name, found] =
            Scanner::builtin().split(before, after).unwrap_or_else(|| panic!("{before} {after}"));
        assert!(name.span.is_empty(), "the name itself stays");
        assert_eq!(&after[found.span], value, "{before} {after}");
    }
}

#[test]
fn neighbours_that_share_no_secret_are_left_alone() {
    for (before, after) in [
        ("What is the bus number?", "7719 as ever"),
        ("Did you change your password?", "Yes, on 12.05.2024 at 10:30"),
        ("I forgot my password again.", "It happens to all of us"),
        ("the release is 2026-04", "-12 was the day"),
        ("see you on platform 12", "34 people came"),
        ("He asked for the door code.", "Tuesday suits me"),
        ("", "x"),
        ("x", ""),
    ] {
        assert!(Scanner::builtin().split(before, after).is_none(), "{before} | {after}");
    }
}

#[test]
fn placeholders_and_everyday_words_are_no_secrets() {
    for text in [
        "the pin on the map is 3 km off",
        "std::env::var(\"API_TOKEN\")",
        "Der Code ist 200 Zeilen lang.",
        "le code de la route est difficile",
        "La clave del éxito es la paciencia.",
        "il codice postale è 20121",
        "A senha foi esquecida.",
        "Het wachtwoord is verlopen.",
        "Hasło wygasło w maju.",
    ] {
        let sure = Scanner::builtin().scan(text).into_iter().filter(|one| one.level > SecretLevel::Possible);
        assert_eq!(sure.count(), 0, "{text}");
    }
}

#[test]
fn only_own_words_are_read_as_facts_and_what_is_passed_on_is_known() {
    let mixed = "I live in Jena.\nFrom: a@b.test\nSubject: move\n\nI live in Rome and work there.";
    assert_eq!(own_words(mixed).trim(), "I live in Jena.");
    assert!(has_external(mixed) && !has_external("I live in Jena."));
    assert!(!has_external("I use `Vec<String>` and he said \"no\"."));
    let turn = Turn::new(mixed.to_owned(), &Source::new(SourceType::UserMessage, Trust::High));
    let claims: Vec<String> = extract(&[turn]).into_iter().map(|claim| claim.text).collect();
    assert_eq!(claims, ["I live in Jena."]);
    // Tags without end cost no more than tags.
    let many: String = (0..40_000).map(|number| format!("<t{number}></t{number}>")).collect();
    assert!(has_external(&format!("My note. {many} and three more words")));
}

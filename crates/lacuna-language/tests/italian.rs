//! Italian, read by every reader that takes its words from the file of the language.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use lacuna_language::facts::{Verdict, attribute_keys, compare};
use lacuna_language::request::{Question, Reading, read};
use lacuna_language::{clause, intent, pointer};
use lacuna_types::request::{About, Wish};
use lacuna_types::{Lane, Sensitivity};

fn reading(words: &str) -> Reading {
    let now: Timestamp = "2026-03-18T09:30:00Z".parse().expect("a moment");
    read(words, &now.to_zoned(TimeZone::UTC))
}

fn wish(words: &str) -> Wish {
    match reading(words) {
        Reading::Understood(wish) => wish,
        Reading::Unclear(question) => panic!("{words}: {question:?}"),
    }
}

#[test]
fn requests_are_read() {
    let subject = |name: &str| About::Subject(name.to_owned());
    for (words, about) in [
        ("dimentica tutto su Tilda", subject("Tilda")),
        ("Per favore, dimentica il mio indirizzo", subject("indirizzo")),
        ("Puoi cancellare tutto quello che sai di Oskar?", subject("Oskar")),
        ("cancella tutti i ricordi che menzionano Oskar", subject("Oskar")),
        ("non voglio che tu ricordi il mio peso", subject("peso")),
        ("dimentica tutto", About::Everything),
        ("dimentica quello che ho appena detto", About::LastSaid),
        ("cancella tutte le informazioni mediche", About::Sensitivity(Sensitivity::Health)),
        ("cancella le mie finanze", About::Sensitivity(Sensitivity::Financial)),
    ] {
        assert_eq!(wish(words).about, about, "{words}");
    }
    assert_eq!(
        wish("dimentica il mio stipendio ma conserva il mio datore di lavoro").keep,
        ["datore di lavoro"]
    );
}

#[test]
fn times_bound_a_request() {
    for (words, from, until) in [
        ("dimentica la nostra conversazione di ieri", Some("2026-03-17"), Some("2026-03-18")),
        ("dimentica la nostra conversazione del 3 marzo", Some("2026-03-03"), Some("2026-03-04")),
        ("dimentica le nostre conversazioni della settimana scorsa", Some("2026-03-09"), Some("2026-03-16")),
        ("dimentica la nostra conversazione di due giorni fa", Some("2026-03-16"), Some("2026-03-17")),
        ("cancella tutto prima del 2024", None, Some("2024-01-01")),
        ("cancella tutto da gennaio", Some("2026-01-01"), None),
    ] {
        let when = wish(words).when.expect(words);
        let day = |at: Option<Timestamp>| at.map(|at| at.to_zoned(TimeZone::UTC).date().to_string());
        assert_eq!((day(when.from).as_deref(), day(when.until).as_deref()), (from, until), "{words}");
    }
}

#[test]
fn questions_and_doubts_are_no_requests() {
    for (words, question) in [
        ("non dimenticare Tilda", Question::Remember),
        ("ti ricordi di Tilda?", Question::NotARequest),
        ("dimentica Tilda forse", Question::Unsure),
    ] {
        assert_eq!(reading(words), Reading::Unclear(question), "{words}");
    }
}

#[test]
fn a_newer_fact_takes_the_place_of_an_older_one() {
    for (old, new, verdict) in [
        ("Vivo a Torino.", "Mi sono trasferito a Bari.", Verdict::Supersedes),
        ("Lavoro presso Lumen.", "Ora lavoro presso Ondina.", Verdict::Supersedes),
        ("Lavoro presso Lumen.", "Lavoro presso Ondina.", Verdict::Undecided),
        ("Vivo a Torino.", "Non vivo più a Torino.", Verdict::Supersedes),
        ("Mi chiamo Elena.", "Vivo a Torino.", Verdict::Unrelated),
    ] {
        assert_eq!(compare(old, new), verdict, "{old} {new}");
    }
    assert!(attribute_keys("Mia lives in Ghent.").contains(&"mia/residence".to_owned()), "Mia is a name");
    let colour = attribute_keys("Il mio colore preferito è il verde.");
    assert!(colour.contains(&"owner/favourite colour".to_owned()), "{colour:?}");
}

#[test]
fn clauses_pointers_and_intent_are_told() {
    assert_eq!(
        clause::parts("Vivo a Torino e lavoro presso Lumen."),
        ["Vivo a Torino", "lavoro presso Lumen"]
    );
    let generics = pointer::generics("Lei adora Torino.").expect("a general word");
    assert_eq!(generics, [(0..3, "Qualcuno".to_owned())]);
    let words = intent::words("Dove abito? Qual è il mio indirizzo?");
    let found = intent::matches(&words, &[]);
    assert!(found.iter().any(|matched| matched.rule.lane() == Some(Lane::Profile)));
}

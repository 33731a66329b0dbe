//! What must be found and what must not, beyond the floors.

use lacuna_language::classify::{
    ASKING_CONFIDENCE, CONDITION, MEDICATION, ORGANISATION, PERSON, PLACE, classify, entity_key,
};
use lacuna_types::PrivacyClass;
use lacuna_types::Sensitivity::{self, *};
use proptest::prelude::*;

/// Sentences without a listed word, and ordinary ones near them.
pub(crate) const BY_MEANING: &[(&str, Option<Sensitivity>)] = &[
    ("I put everything I had into that fund and it is gone.", Some(Financial)),
    ("I can't get enough of spicy food.", Some(Preferences)),
    ("They let me go on Friday after eight years.", Some(Professional)),
    ("How are you doing today?", None),
    ("I will send you the file tomorrow.", None),
    ("I finished painting the kitchen yesterday.", None),
    ("Can you help me write a speech for Friday?", None),
    ("We threw a ball for an hour in the park.", None),
    ("My laptop is slow and the fan is loud.", None),
    ("I am reading a book about the history of medicine.", None),
    ("I took the car to the garage because the brakes squeak.", None),
];

#[test]
fn people_are_told_from_months_places_and_words() {
    let nobody = [
        "I bought my car in May.",
        "May 1st, 1977",
        "Will you come on Friday?",
        "Mark the task as done.",
        "Art is such a source of joy.",
        "We flew to Florence in April.",
        "Excel and Slack crashed on Monday.",
        "Die Wohnung hat einen Balkon und eine Küche.",
        "お客様から電話がありました。",
        "We got a cat named Bailey.",
        "Thankfully, that is over.",
        "JUST DO IT NOW",
    ];
    for text in nobody {
        let found = classify(text, None);
        let people =
            found.entities.iter().filter(|named| named.entity.kind == PERSON && named.confidence >= 0.5);
        assert_eq!(people.count(), 0, "{text}");
    }
}

#[test]
fn relations_are_kept_however_they_are_said() {
    let cases = [
        ("My brother John called.", "John", "brother"),
        ("my brother john called", "john", "brother"),
        ("John, my older brother, called.", "John", "brother"),
        ("John is my brother.", "John", "brother"),
        ("My brother's name is John.", "John", "brother"),
        ("John Smith (colleague) called.", "John Smith", "colleague"),
        ("My mother-in-law Ruth called.", "Ruth", "mother-in-law"),
        ("I saw my ex-husband.", "ex-husband", "ex-husband"),
        ("Meine Schwester heißt Anna.", "Anna", "sister"),
        ("Mi mejor amigo se llama Mateo.", "Mateo", "friend"),
        ("Mój brat Piotr dzwonił.", "Piotr", "brother"),
        ("我的妻子王芳是老师。", "王芳", "wife"),
        ("妹の花子が来ました。", "花子", "sister"),
        ("أختي فاطمة هنا", "فاطمة", "sister"),
    ];
    for (text, name, relation) in cases {
        let found = classify(text, None);
        let people: Vec<_> = found.entities.iter().filter(|named| named.entity.kind == PERSON).collect();
        let named = people.first().unwrap_or_else(|| panic!("nobody in: {text}"));
        assert_eq!(people.len(), 1, "{text}");
        assert_eq!(named.entity.name, name, "{text}");
        assert_eq!(named.entity.relation.as_deref(), Some(relation), "{text}");
        assert!(named.entity.primary, "{text}");
    }
}

#[test]
fn another_persons_kin_are_not_the_owners() {
    for text in ["His wife moved out.", "Every mother knows that.", "A mom of two won the race."] {
        let found = classify(text, None);
        assert!(found.entities.iter().all(|named| named.entity.relation.is_none()), "{text}");
    }
}

#[test]
fn the_subject_is_primary_and_the_rest_is_mentioned() {
    let found = classify("My sister Anna met Paul in Vienna.", None);
    let primary: Vec<_> = found
        .entities
        .iter()
        .filter(|named| named.entity.primary)
        .map(|named| named.entity.name.as_str())
        .collect();
    assert_eq!(primary, ["Anna"]);
    assert!(found.entities.len() >= 3);
}

#[test]
fn entities_have_their_kind() {
    let cases = [
        ("I joined Hartmann & Sons Ltd. in Leeds.", ORGANISATION, "Hartmann & Sons Ltd"),
        ("She studies at the University of Vienna.", ORGANISATION, "University of Vienna"),
        ("I opened an account at Deutsche Bank.", ORGANISATION, "Deutsche Bank"),
        ("We moved to Nice last year.", PLACE, "Nice"),
        ("I grew up in Tumbletown.", PLACE, "Tumbletown"),
        ("I take rosuvastatin.", MEDICATION, "rosuvastatin"),
        ("My cousin has bronchiolitis.", CONDITION, "bronchiolitis"),
    ];
    for (text, kind, name) in cases {
        let found = classify(text, None);
        let has = found.entities.iter().any(|named| named.entity.kind == kind && named.entity.name == name);
        assert!(has, "no {kind} {name} in: {text}");
    }
}

#[test]
fn general_knowledge_is_less_sure_than_a_persons_fact() {
    let confidence = |text: &str, category: Sensitivity| {
        let found = classify(text, None);
        found
            .sensitivity
            .iter()
            .find(|judged| judged.value == category)
            .map_or(0.0, |judged| judged.confidence)
    };
    let pairs = [
        (Health, "Aspirin was invented in 1897.", "I take aspirin every day."),
        (Health, "Diabetes is a chronic disease.", "My uncle has diabetes."),
        (PoliticalReligious, "Buddhism began in India.", "I am a Buddhist."),
        (Financial, "A mortgage is a kind of loan.", "My mortgage is overdue."),
        (Location, "Rome lies on the Tiber.", "I live in Rome."),
    ];
    for (category, general, own) in pairs {
        assert!(confidence(general, category) < 0.5, "{general}");
        assert!(confidence(own, category) >= 0.7, "{own}");
    }
}

#[test]
fn greetings_fall_below_the_least_salience_and_facts_rise_above_it() {
    let filler = [
        "ok thanks",
        "Hello, how are you?",
        "haha yeah totally",
        "danke, alles klar",
        "merci beaucoup !",
        "了解です",
        "👍",
        "",
        "Thanks Tom!",
    ];
    for text in filler {
        assert!(classify(text, None).salience.value < 0.25, "{text}");
    }
    let ordinary = [
        "The meeting went well and the client was happy with it.",
        "We deploy on Thursdays.",
        "I went to the park after lunch.",
    ];
    for text in ordinary {
        let salience = classify(text, None).salience.value;
        assert!((0.25..=0.6).contains(&salience), "{salience} {text}");
    }
    let telling = [
        "Remember that my daughter's birthday is on May 4th.",
        "Important: I am allergic to penicillin.",
        "I was diagnosed with epilepsy in 2019.",
        "I prefer short answers and I hate small talk about my wife.",
    ];
    for text in telling {
        let salience = classify(text, None).salience.value;
        assert!((0.6..=1.0).contains(&salience), "{salience} {text}");
    }
}

#[test]
fn one_entity_has_one_key() {
    let same = [
        (PERSON, "Dr. José García", "jose garcia"),
        (PERSON, "JOSÉ GARCÍA's", "José  García"),
        (PERSON, "田中さん", "田中"),
        (PERSON, "Frau Weber", "weber"),
        (PERSON, "ＪＯＨＮ", "John"),
        (PERSON, "Jean-Luc", "jean luc"),
        (PLACE, "Zürich", "ZURICH"),
    ];
    for (kind, one, other) in same {
        assert_eq!(entity_key(kind, one), entity_key(kind, other), "{one} {other}");
    }
    assert_ne!(entity_key(PERSON, "John"), entity_key(PERSON, "Johnny"));
    assert_ne!(entity_key(PERSON, "Paris"), entity_key(PLACE, "Paris"));
    assert_ne!(entity_key(PERSON, "?!"), entity_key(PERSON, "…"));
}

#[test]
fn a_long_text_is_read_to_its_end() {
    let chatter = "We talked about the weather and the garden for a while. ".repeat(400);
    let text = format!("{chatter}My brother Tom has epilepsy.");
    let found = classify(&text, None);
    assert!(found.sensitive().any(|category| category == Health));
    assert_eq!(found.privacy.value, PrivacyClass::SensitivePii);
    let tom = found.entities.iter().find(|named| named.entity.name == "Tom").unwrap();
    assert_eq!(&text[tom.span.clone()], "Tom");

    let unbroken = "母".repeat(20_000);
    assert_eq!(classify(&unbroken, None).entities.len(), 1);
}

/// Pieces that the rules look for, in any order and company.
const PIECES: &[&str] = &[
    "my ",
    "brother ",
    "John",
    "O'",
    "Dr. ",
    "Ms",
    "田中",
    "さん",
    "母",
    "我哥哥",
    "李",
    "씨",
    "김",
    " in ",
    "Berlin",
    "GmbH",
    "(",
    ")",
    ",",
    ". ",
    "'s ",
    "is ",
    "named ",
    "ü",
    "e\u{301}",
    "\u{3099}",
    "ｶﾞ",
    "İ",
    "ǅ",
    "ß",
    "12 ",
    "Street",
    "€",
    "\n",
    "\u{200b}",
    "👍🏽",
    "أخي",
    "א",
    "work at ",
    "University of ",
    "my ex-wife ",
    "Hospital",
    "株式会社",
    "the policy says ",
];

fn check(text: &str) {
    let found = classify(text, None);
    for named in &found.entities {
        assert!(text.get(named.span.clone()).is_some_and(|piece| !piece.is_empty()));
        assert!((0.0..=1.0).contains(&named.confidence));
        entity_key(&named.entity.kind, &named.entity.name);
    }
    for judged in &found.sensitivity {
        assert!((0.0..=1.0).contains(&judged.confidence));
    }
    assert!((0.0..=1.0).contains(&found.salience.value));
}

proptest! {
    #[test]
    fn any_text_is_judged_and_spans_lie_on_characters(text in ".*") {
        check(&text);
    }

    #[test]
    fn any_mixture_of_what_the_rules_know_is_judged(at in prop::collection::vec(0..PIECES.len(), 0..24)) {
        let text: String = at.into_iter().map(|at| PIECES[at]).collect();
        check(&text);
    }
}

/// Everybody has a dentist: only going there, or somebody whom one needs for an illness, speaks of health.
#[test]
fn to_have_a_dentist_asks_for_no_consent_and_a_specialist_does() {
    let is_asked = |text: &str| {
        let found = classify(text, None);
        found.privacy.value == PrivacyClass::SensitivePii && found.privacy.confidence >= ASKING_CONFIDENCE
    };
    for text in [
        "My dentist is Doctor Lindqvist.",
        "My dentist is Dr. Lindqvist in Uppsala, on Kungsgatan.",
        "Mein Zahnarzt heißt Doktor Brenner.",
        "She is a neurologist in Lyon.",
    ] {
        assert!(!is_asked(text), "{text}");
    }
    for text in ["My oncologist changed the date.", "I saw my neurologist on Monday.", "I have asthma."] {
        assert!(is_asked(text), "{text}");
    }
}

//! The index from outside: what is inserted is found, what is removed is gone.

#![allow(clippy::unwrap_used)]

mod index_support;

use index_support::{fact, ids, question, turn};
use lacuna_core::index::{Entry, Filter, Index, QuantVec, QueryVector, Search, Tag};
use lacuna_language::words::{Language, TermList};
use lacuna_types::embed::Calibration;
use lacuna_types::{Lifecycle, MemoryId};

#[test]
fn words_find_a_memory_in_any_of_its_forms() {
    let mut index = Index::new();
    index.insert(fact(1, "Anna is allergic to walnuts and hazelnuts")).unwrap();
    index.insert(fact(2, "The invoice was paid in March")).unwrap();
    assert_eq!(ids(&index.search(&question("allergies to a walnut"))), [1]);
    assert_eq!(ids(&index.search(&question("paying invoices"))), [2]);
    let none = Search { strong_only: true, ..question("quantum chromodynamics") };
    assert_eq!(ids(&index.search(&none)), [0u8; 0]);
}

#[test]
fn a_turn_is_found_by_what_was_said_beside_it() {
    let mut index = Index::new();
    index.insert(turn(1, "talk", 1, "Where did you spend the summer?")).unwrap();
    index.insert(turn(2, "talk", 2, "In Lisbon, by the river")).unwrap();
    index.insert(turn(3, "other", 1, "Nothing of interest happened")).unwrap();
    assert_eq!(ids(&index.search(&question("summer"))), [1, 2]);
    assert!(index.remove(&index_support::id(1)));
    let strong = Search { strong_only: true, ..question("summer") };
    assert_eq!(ids(&index.search(&strong)), [0u8; 0]);
}

#[test]
fn the_best_are_shown_however_weak_unless_the_caller_says_otherwise() {
    let mut index = Index::new();
    let vectors = |values: &[f32]| vec![(index_support::model("m"), QuantVec::from_f32(values).unwrap())];
    index.insert(Entry { vectors: vectors(&[0.2, 1.0]), ..fact(1, "Anna is allergic to walnuts") }).unwrap();
    index
        .insert(Entry { vectors: vectors(&[0.0, 1.0]), ..fact(2, "The invoice was paid in March") })
        .unwrap();
    let calibration = Calibration { midpoint: 0.5, steepness: 10.0 };
    let asked = [QueryVector {
        model: index_support::model("m"),
        vector: vec![1.0, 0.0],
        calibration,
        english_only: false,
    }];
    let far = || Search { vectors: &asked, ..question("quantum chromodynamics") };
    let found = index.search(&far());
    assert_eq!(ids(&found), [1, 2], "the nearer one first");
    assert!(found.hits.iter().all(|hit| hit.weak));
    assert_eq!(ids(&index.search(&Search { strong_only: true, ..far() })), [0u8; 0]);
    assert_eq!(ids(&index.search(&Search { min_similarity: 0.5, ..far() })), [0u8; 0]);
    let said = index.search(&Search { vectors: &asked, ..question("walnuts") });
    assert_eq!(said.hits.iter().map(|hit| hit.weak).collect::<Vec<_>>(), [false, true]);
    assert_eq!(
        ids(&index.search(&Search { strong_only: true, vectors: &asked, ..question("walnuts") })),
        [1]
    );
}

#[test]
fn a_question_that_shares_nothing_gets_the_newest_as_weak_and_only_a_filter_empties_the_answer() {
    let mut index = Index::new();
    for (n, text) in [(1, "The harbour is closed"), (2, "The invoice was paid")] {
        index.insert(fact(n, text)).unwrap();
    }
    let found = index.search(&question("🦜🦜"));
    assert_eq!(ids(&found), [2, 1]);
    assert!(found.hits.iter().all(|hit| hit.weak));
    let tagged = Filter { any_tags: vec![Tag::of("none")], ..Filter::default() };
    assert_eq!(ids(&index.search(&Search { filter: tagged, ..question("🦜🦜") })), [0u8; 0]);
}

#[test]
fn archived_and_expired_memories_are_not_found() {
    let mut index = Index::new();
    let mut archived = fact(1, "The harbour is closed");
    archived.attributes.state = Lifecycle::Archived;
    let mut expired = fact(2, "The harbour is open");
    expired.attributes.expires_at = Some(index_support::NOW);
    index.insert(archived).unwrap();
    index.insert(expired).unwrap();
    assert_eq!(ids(&index.search(&question("harbour"))), [0u8; 0]);
    let mut search = question("harbour");
    search.filter = Filter { states: vec![Lifecycle::Archived], ..Filter::default() };
    assert_eq!(ids(&index.search(&search)), [1]);
}

#[test]
fn listing_walks_in_both_directions_from_a_cursor() {
    let mut index = Index::new();
    for n in [3, 1, 2] {
        index.insert(fact(n, "x")).unwrap();
    }
    let listed = |memories: Vec<MemoryId>| memories.iter().map(|id| id.as_bytes()[15]).collect::<Vec<_>>();
    assert_eq!(listed(index.after(None).map(|memory| memory.id).collect()), [1, 2, 3]);
    let second = index.get(&index_support::id(2)).unwrap();
    let cursor = Some((second.attributes.created_at, second.id));
    assert_eq!(listed(index.after(cursor).map(|memory| memory.id).collect()), [3]);
    assert_eq!(listed(index.before(cursor).map(|memory| memory.id).collect()), [1]);
}

#[test]
fn vectors_of_a_wrong_dimension_are_refused_and_change_nothing() {
    let mut index = Index::new();
    let vector = |values: &[f32]| vec![(index_support::model("m"), QuantVec::from_f32(values).unwrap())];
    let mut first = fact(1, "one");
    first.vectors = vector(&[1.0, 0.0]);
    index.insert(first).unwrap();
    let mut wrong = fact(1, "two");
    wrong.vectors = vector(&[1.0, 0.0, 0.0]);
    assert!(index.insert(wrong).is_err());
    assert_eq!(ids(&index.search(&question("one"))), [1]);
}

#[test]
fn words_meet_across_inflection_accents_and_scripts() {
    for (text, asked) in [
        ("Caroline's sister couldn't come to the weddings", "caroline wedding"),
        ("Die Kinder spielten gestern lange draußen im Garten bei den Bäumen", "spielen Gärten"),
        ("Nous avons mangé dans un café près de la gare hier soir avec des amis", "cafe mangés"),
        ("Вчера мы гуляли по старому городу и смотрели на реку", "города"),
        ("彼女は東京で猫を飼っています", "東京"),
        ("彼女は東京で猫を飼っています", "猫"),
        ("เขาชอบกินข้าวผัด", "ข้าวผัด"),
        ("나는 서울에서 친구를 만났다", "서울"),
        ("The order number is 48151623 and it costs 19.99", "48151623"),
        ("ＦＵＬＬＷＩＤＴＨ letters", "fullwidth"),
    ] {
        let mut index = Index::new();
        index.insert(fact(1, text)).unwrap();
        index.insert(fact(2, "Something else altogether")).unwrap();
        assert_eq!(ids(&index.search(&question(asked))), [1], "{asked} in {text}");
    }
}

#[test]
fn stored_words_and_vectors_round_trip_and_reject_damage() {
    let terms = TermList::of("Zwei Wörter und noch ein Wort", Some(Language::German));
    let bytes = terms.to_bytes();
    assert_eq!(TermList::from_bytes(&bytes).unwrap(), terms);
    for damaged in [&bytes[..5], &bytes[..bytes.len() - 1], &[9, 0, 0, 0, 0, 0], &[1, 99, 0, 0, 0, 0]] {
        assert!(TermList::from_bytes(damaged).is_err());
    }
}

#[test]
fn a_stop_word_of_one_language_does_not_dilute_a_question_to_a_vault_of_two() {
    let mut index = Index::new();
    index.insert(fact(1, "Die Katze schläft den ganzen Tag auf dem warmen Sofa im Wohnzimmer")).unwrap();
    index.insert(fact(2, "The harbour was closed for the whole winter because of the heavy storms")).unwrap();
    let mut search = question("when was the harbour closed");
    search.explain = true;
    let hit = index.search(&search).hits.remove(0);
    assert_eq!(hit.explanation.unwrap().matched, ["harbour", "closed"]);
    assert!(hit.similarity > 0.99, "both words that count were said: {}", hit.similarity);
}

#[test]
fn a_word_that_everybody_says_counts_only_beside_a_rarer_one() {
    let mut index = Index::new();
    let common = TermList::of("a note about gardening", None);
    for n in 0..25_000u32 {
        let mut bytes = [1; 16];
        bytes[..4].copy_from_slice(&n.to_be_bytes());
        let note = fact(1, "");
        index.insert(Entry { id: MemoryId::from_bytes(bytes), terms: common.clone(), ..note }).unwrap();
    }
    index.insert(fact(7, "zebras ate the gardening gloves")).unwrap();
    let explained = |text| index.search(&Search { explain: true, ..question(text) });
    let both = explained("gardening zebra");
    assert_eq!(ids(&both), [7]);
    assert_eq!(both.hits[0].explanation.as_ref().unwrap().matched, ["gardening", "zebra"]);
    assert!(both.hits[0].similarity > 0.99);
    assert_eq!(explained("gardening").hits.len(), 10);
}

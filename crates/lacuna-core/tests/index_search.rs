//! The index from outside: what is inserted is found, what is removed is gone.

mod index_support;

use index_support::{fact, ids, question, turn};
use lacuna_core::domain::{Lifecycle, MemoryId};
use lacuna_core::index::{Filter, Index, QuantVec};

#[test]
fn words_find_a_memory_in_any_of_its_forms() {
    let mut index = Index::new();
    index.insert(fact(1, "Anna is allergic to walnuts and hazelnuts")).unwrap();
    index.insert(fact(2, "The invoice was paid in March")).unwrap();
    assert_eq!(ids(&index.search(&question("allergies to a walnut"))), [1]);
    assert_eq!(ids(&index.search(&question("paying invoices"))), [2]);
    assert_eq!(ids(&index.search(&question("quantum chromodynamics"))), [0u8; 0]);
}

#[test]
fn a_turn_is_found_by_what_was_said_beside_it() {
    let mut index = Index::new();
    index.insert(turn(1, "talk", 1, "Where did you spend the summer?")).unwrap();
    index.insert(turn(2, "talk", 2, "In Lisbon, by the river")).unwrap();
    index.insert(turn(3, "other", 1, "Nothing of interest happened")).unwrap();
    assert_eq!(ids(&index.search(&question("summer"))), [1, 2]);
    assert!(index.remove(&index_support::id(1)));
    assert_eq!(ids(&index.search(&question("summer"))), [0u8; 0]);
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

//! Tests that a removed memory is gone from every part of the structure.

use lacuna_language::words::TermList;

use super::*;

fn entry(n: u8, text: &str, tag: &str, vector: &[f32]) -> Entry<String> {
    Entry {
        id: MemoryId::from_bytes(u128::from(n).to_be_bytes()),
        attributes: Attributes {
            created_at: i64::from(n),
            session: Some(Session { key: 7, turn: Some(u32::from(n)) }),
            state: Lifecycle::Active,
            ..VACANT
        },
        tags: vec![Tag::of(tag)],
        terms: TermList::of(text, None),
        utterance: Utterance::of(text, &TermList::of(text, None)),
        vectors: vec![(ModelId::new("m"), QuantVec::from_f32(vector).unwrap())],
        payload: text.to_owned(),
    }
}

#[test]
fn a_removed_memory_leaves_neither_words_nor_links_nor_vector() {
    let mut index = Index::new();
    let vector =
        |at: usize| (0..40).map(|d| if d == at { 1.0 } else { 0.01 * at as f32 }).collect::<Vec<f32>>();
    for (n, text) in [(1, "we met in Lisbon"), (2, "the diagnosis was diabetes"), (3, "then we had lunch")] {
        index.insert(entry(n, text, text, &vector(usize::from(n)))).unwrap();
    }
    let middle = index.slots[&MemoryId::from_bytes(2u128.to_be_bytes())];
    assert!(index.remove(&MemoryId::from_bytes(2u128.to_be_bytes())));

    let term = TermList::of("diabetes", None).iter().next().unwrap().0;
    assert!(!index.postings.knows(term));
    assert!(index.kept[middle as usize].is_none());
    assert_eq!(index.attributes[middle as usize], VACANT);
    assert_eq!(index.glances[middle as usize], VACANT.glance());
    assert_eq!(index.sessions.neighbours(middle), [NONE; 2]);
    assert_eq!(index.sessions.neighbours(index.slots[&MemoryId::from_bytes(1u128.to_be_bytes())])[1], 2);
    assert!(index.blocks.iter().all(|block| !block.holds(middle)));

    assert!(index.remove(&MemoryId::from_bytes(1u128.to_be_bytes())));
    assert!(index.remove(&MemoryId::from_bytes(3u128.to_be_bytes())));
    assert!(index.blocks.is_empty() && index.is_empty());
    assert!(index.postings.languages().is_empty());
}

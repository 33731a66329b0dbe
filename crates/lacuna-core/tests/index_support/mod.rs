//! Small memories and questions for the tests of the index.

use lacuna_core::index::{Attributes, Entry, Filter, Found, Lanes, Search, Session, Utterance};
use lacuna_language::words::TermList;
use lacuna_types::decay::Fading;
use lacuna_types::embed::ModelId;
use lacuna_types::{Category, Lane, Lifecycle, MemoryId, SessionId, Tier};

pub(crate) const NOW: i64 = 1_700_000_000_000;

pub(crate) fn id(n: u8) -> MemoryId {
    let mut bytes = [0; 16];
    bytes[15] = n;
    MemoryId::from_bytes(bytes)
}

pub(crate) fn model(name: &str) -> ModelId {
    ModelId::new(name)
}

pub(crate) fn fact(n: u8, text: &str) -> Entry<String> {
    Entry {
        id: id(n),
        attributes: Attributes {
            created_at: NOW - 1_000 + i64::from(n),
            expires_at: None,
            session: None,
            fading: Fading::steady(0.5),
            state: Lifecycle::Active,
            category: Category::LearnedContext,
            tier: Tier::Semantic,
            lane: Lane::Profile,
            is_record: false,
            secondary_lanes: Lanes::default(),
        },
        tags: Vec::new(),
        terms: TermList::of(text, None),
        utterance: Utterance::of(text, &TermList::of(text, None)),
        vectors: Vec::new(),
        payload: text.to_owned(),
    }
}

pub(crate) fn turn(n: u8, session: &str, number: u32, text: &str) -> Entry<String> {
    let mut entry = fact(n, text);
    entry.attributes.session = Some(Session::new(&SessionId::new(session).unwrap(), Some(number)));
    entry
}

pub(crate) fn question(text: &str) -> Search<'_> {
    Search {
        text,
        vectors: &[],
        filter: Filter::default(),
        tags: Vec::new(),
        now: NOW,
        as_of: NOW,
        limit: 10,
        min_similarity: 0.0,
        strong_only: false,
        recency_weight: 0.3,
        explain: false,
    }
}

pub(crate) fn ids(found: &Found) -> Vec<u8> {
    found.hits.iter().map(|hit| hit.id.as_bytes()[15]).collect()
}

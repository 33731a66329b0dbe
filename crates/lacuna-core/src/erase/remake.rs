//! Replacements for memories that lose a part: the rest of the text, or a summary made anew from the remaining
//! sources. The replacement is a new memory under a new key, because the old key is destroyed.

use std::collections::{BTreeSet, HashMap};

use jiff::Timestamp;
use lacuna_language::anonymise::{Anonymous, unmark};
use lacuna_language::classify::{Classified, Meaning, SURE, classify};
use lacuna_language::words::TermList;
use lacuna_types::embed::Purpose;
use lacuna_types::*;
use lacuna_types::{Error, Result};
use zeroize::Zeroizing;

use crate::erase::cascade::Rebuild;
use crate::erase::rebuild::{Left, rebuilt};
use crate::erase::transcript::remade_transcript;
use crate::gate::Admitted;
use crate::gate::report::Report;
use crate::gate::shape::gist as gist_of;
use crate::index::Stored;
use crate::index::quant::QuantVec;
use crate::vault::marks::attribute_marks;
use crate::vault::open::{Held, OpenVault};
use crate::vault::seal::Prepared;
use crate::vault::service::Service;

/// Texts of memories, where they are known.
pub(crate) type Texts = HashMap<MemoryId, Zeroizing<String>>;

/// Makes a memory from the rest of a text after a part was cut out.
pub(crate) fn remade_from_rest(
    service: &Service,
    stored: &Stored<'_, Held>,
    rest: &str,
    gone: &BTreeSet<MemoryId>,
    now: Timestamp,
) -> Result<Prepared> {
    let mut facets = stored.payload.facets.duplicate();
    facets.derived_from.retain(|link| !gone.contains(&link.source));
    let details = stored.payload.details.iter().filter(|detail| rest.contains(detail.content.expose()));
    remade(service, stored, rest, details.map(Detail::duplicate).collect(), facets, now)
}

/// A memory in which other words stand for whom it mentioned.
pub(crate) fn remade_anonymous(
    service: &Service,
    stored: &Stored<'_, Held>,
    anonymous: &Anonymous,
    gone: &BTreeSet<MemoryId>,
    now: Timestamp,
) -> Result<Prepared> {
    let mut facets = stored.payload.facets.duplicate();
    facets.derived_from.retain(|link| !gone.contains(&link.source));
    facets.tags.clone_from(&anonymous.tags);
    unmark(&mut facets.entities);
    let details = anonymous.details.iter().map(Detail::duplicate).collect();
    remade(service, stored, &anonymous.text, details, facets, now)
}

/// A consolidated memory, made anew from what is left of its sources. `known` holds the texts and the new
/// ids of those that were made anew before it.
pub(crate) fn remade_from_sources(
    service: &Service,
    open: &OpenVault,
    rebuild: &Rebuild,
    texts: &Texts,
    renamed: &HashMap<MemoryId, MemoryId>,
    now: Timestamp,
) -> Result<Prepared> {
    let stored = open.index.get(&rebuild.id).ok_or(Error::NotFound("memory"))?;
    if stored.payload.facets.history.segment.is_some() {
        return remade_transcript(service, open, &stored, &rebuild.left, texts, renamed, now);
    }
    let sources: Vec<_> = rebuild.left.iter().filter_map(|link| open.index.get(&link.source)).collect();
    let text = |source: &Stored<'_, Held>| match texts.get(&source.id) {
        Some(text) => text.to_string(),
        None => source.payload.full_text().expose().to_owned(),
    };
    let left = sources.iter().map(|source| Left { text: text(source), facets: &source.payload.facets });
    let Held { facets, .. } = stored.payload;
    let text = match rebuilt(stored.payload.full_text().expose(), facets.content_type, left.collect()) {
        Some(text) => text.to_string(),
        None => {
            let room = stored.payload.full_text().expose().chars().count().max(GIST_CHARS_MAX);
            joined(sources.iter().map(text), room)
        }
    };
    let mut facets = stored.payload.facets.duplicate();
    facets.derived_from = rebuild.left.clone();
    for link in &mut facets.derived_from {
        link.source = renamed.get(&link.source).copied().unwrap_or(link.source);
    }
    let of_sources = || sources.iter().map(|source| &source.payload.facets);
    facets.tags.retain(|tag| of_sources().any(|source| source.tags.contains(tag)));
    let trust = of_sources().map(|source| source.source.trust).min();
    facets.source.trust = trust.unwrap_or(facets.source.trust).min(facets.source.trust);
    remade(service, &stored, &text, Vec::new(), facets, now)
}

fn remade(
    service: &Service,
    stored: &Stored<'_, Held>,
    text: &str,
    details: Vec<Detail>,
    mut facets: Facets,
    now: Timestamp,
) -> Result<Prepared> {
    let vector = service.models.instant.embed(&[text], Purpose::Passage)?.pop();
    let vector = vector.ok_or_else(|| Error::corrupt("the model gave no vector"))?;
    let seen = classify(text, Some(&Meaning { prototypes: service.prototypes()?, vector: &vector }));
    narrow(&mut facets, seen, text);
    facets.history.alike.clear();
    // Nobody knows which of its program's fields speak of the part that went.
    facets.history.metadata = None;
    facets.history.attributes = match facets.tier {
        Tier::Semantic => attribute_marks(text),
        _ => Vec::new(),
    };
    facets.history.supersedes = vec![stored.id];
    facets.history.remade_at = Some(now);
    let text = Plaintext::from(text);
    let gist = gist_of(None, &text);
    let created_at = from_millis(stored.attributes.created_at).unwrap_or(now);
    let terms = TermList::of(text.expose(), None);
    let content = Content { text: (gist != text).then_some(text), gist, details };
    let state = stored.attributes.state;
    let admitted = Admitted { content, facets, created_at, state, report: Report::default() };
    let id = MemoryId::make(&*service.clock, &*service.entropy);
    let vector = (service.models.instant.model().clone(), QuantVec::from_f32(&vector)?);
    Ok(Prepared { id, admitted, terms, vector })
}

/// Removes facets of the whole text that do not hold for the rest; adds none that the whole did not have.
fn narrow(facets: &mut Facets, seen: Classified, text: &str) {
    let lower = text.to_lowercase();
    facets.entities.retain(|entity| lower.contains(&entity.name.to_lowercase()));
    if seen.privacy.confidence >= SURE && seen.privacy.value.strictness() < facets.privacy.class.strictness()
    {
        facets.privacy.class = seen.privacy.value;
    }
    let sure: Vec<Sensitivity> = seen.sensitive().collect();
    facets.privacy.sensitivity.retain(|sensitivity| sure.contains(sensitivity));
}

/// Texts one after the other, each as a sentence of its own, as far as there is room.
fn joined(texts: impl Iterator<Item = String>, chars_max: usize) -> String {
    let mut whole = String::new();
    for text in texts {
        let text = text.trim();
        let fits = whole.chars().count() + text.chars().count() < chars_max;
        if !whole.is_empty() && !fits {
            continue;
        }
        if !whole.is_empty() {
            whole.push(' ');
        }
        whole.push_str(text);
        if !text.ends_with(['.', '!', '?', '。', '！', '？', '…', ':', ';']) {
            whole.push('.');
        }
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_joined_as_sentences_within_the_room_there_is() {
        let texts =
            |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>().into_iter();
        assert_eq!(joined(texts(&["One two", "Three."]), 100), "One two. Three.");
        assert_eq!(joined(texts(&["A long first sentence", "short"]), 10), "A long first sentence.");
        assert_eq!(joined(texts(&["One", "a much longer second one", "two"]), 12), "One. two.");
        assert_eq!(joined(texts(&[]), 10), "");
    }
}

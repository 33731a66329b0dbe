//! Reference: a turn in which the user speaks of a memory rehearses it, whether or not the memory was shown.

use lacuna_types::*;

use crate::index::{Filter, Search, Session, Tag};
use crate::permit::{Grant, Recall, Remember, permit};
use crate::vault::open::OpenVault;
use crate::vault::rehearse::note_rehearsal;
use crate::vault::service::Service;

/// Memories that one turn rehearses by its words, and as many by its topics.
const REFERRED_MAX: usize = 3;
/// The share of a turn's words, by weight, that a memory says when the turn speaks of it.
const REFERRED_SHARE: f32 = 0.5;
/// Words of a turn that are looked for among tags, the first ones.
const TAG_WORDS_MAX: usize = 64;

/// Rehearses the memories of other conversations that the words speak of.
pub(crate) fn rehearse_referred(
    service: &Service,
    grant: &Grant<Remember>,
    session: &SessionId,
    words: &[Plaintext],
) {
    if words.is_empty() {
        return;
    }
    let Ok(reading) = permit::<Recall>(grant.caller(), grant.scope()) else { return };
    let now = millis(service.clock.now());
    let referred = service.read(grant.scope(), |open| -> Vec<MemoryId> {
        words.iter().flat_map(|text| referred(open, session, text.expose(), now)).collect()
    });
    // The turns are stored, whatever comes of this: a rehearsal that is lost makes a memory fade a little sooner.
    let referred = referred.ok().flatten().unwrap_or_default();
    note_rehearsal(service, &reading, referred.into_iter().map(|id| (id, 0)));
}

fn referred(open: &OpenVault, session: &SessionId, text: &str, now: i64) -> Vec<MemoryId> {
    let tags: Vec<Tag> =
        text.split_whitespace().take(TAG_WORDS_MAX).map(|word| Tag::of(bare(word))).collect();
    let search = |filter: Filter, min_similarity: f32| {
        let found = open.index.search(&Search {
            text,
            // Words decide: what is merely close in meaning was not spoken of.
            vectors: &[],
            filter,
            tags: Vec::new(),
            now,
            as_of: now,
            limit: 2 * REFERRED_MAX,
            min_similarity,
            strong_only: true,
            recency_weight: 0.0,
            explain: false,
        });
        let is_elsewhere = |id: &MemoryId| {
            let stored = open.index.get(id);
            let own = stored.and_then(|stored| stored.attributes.session);
            own.is_none_or(|own| own.key != Session::key(session))
        };
        found.hits.into_iter().map(|hit| hit.id).filter(is_elsewhere).take(REFERRED_MAX).collect::<Vec<_>>()
    };
    let mut ids = search(Filter::default(), REFERRED_SHARE);
    ids.extend(search(Filter { any_tags: tags, ..Filter::default() }, 0.0));
    ids
}

/// A word without the signs around it.
fn bare(word: &str) -> &str {
    word.trim_matches(|sign: char| !sign.is_alphanumeric())
}

//! How new memories stand to those that a vault already has: the same again, nearly the same, or in the place
//! of an older one; and what must make room.

use std::collections::HashSet;

use crate::admit::Admitted;
use crate::admit::attribute::{Verdict, attribute_keys, compare};
use crate::domain::*;
use crate::index::{Filter, Search, Stored, Term, TermList, stable_hash};
use crate::vault::{Held, OpenVault, text_mark};

/// Memories that share at least this much of their words are nearly the same.
const ALIKE_MIN: f32 = 0.8;
/// Neighbours by words that are looked at for being nearly the same.
const NEIGHBOURS: usize = 5;
/// Older statements about the same that one new statement is compared with.
const RIVALS_MAX: usize = 64;

/// What an admitted memory is to its vault.
pub(crate) enum Match {
    /// Something new, and the older memories whose place it takes.
    New { supersedes: Vec<MemoryId> },
    /// A memory that is already there, word for word.
    Repeat(MemoryId),
}

/// Finds what `admitted` repeats, resembles, supersedes or may contradict, and marks it accordingly.
///
/// `may_replace` says whether the writer may take the place of a memory of this author.
pub(crate) fn reconcile(
    open: &OpenVault,
    admitted: &mut Admitted,
    terms: &TermList,
    now: i64,
    may_replace: impl Fn(&History) -> bool,
) -> Match {
    let hash = open.keyring.text_hash(admitted.content.full_text());
    if let Some(twin) = open.marks.bearers(text_mark(&hash)).find(|id| is_twin(open, id, &admitted.facets)) {
        return Match::Repeat(twin);
    }
    if admitted.facets.tier != Tier::Semantic {
        return Match::New { supersedes: Vec::new() };
    }
    admitted.facets.history.attributes = marks_of(admitted.content.full_text());
    let supersedes = supersede(open, admitted, may_replace);
    link_alike(open, admitted, terms, now, &supersedes);
    Match::New { supersedes }
}

/// What a text makes statements about.
pub(crate) fn marks_of(text: &str) -> Vec<u64> {
    let mut marks: Vec<u64> = attribute_keys(text).iter().map(|key| stable_hash(key.as_bytes())).collect();
    marks.truncate(LINKS_MAX);
    marks
}

/// A fact is the same wherever it was said; a turn is the same only if it is the same turn.
fn is_twin(open: &OpenVault, id: &MemoryId, facets: &Facets) -> bool {
    let Some(stored) = open.index.get(id) else { return false };
    if matches!(stored.attributes.state, Lifecycle::Deleted | Lifecycle::Archived) {
        return false;
    }
    let (old, new) = (&stored.payload.facets.source, &facets.source);
    let same_turn = old.session.is_some()
        && old.session == new.session
        && (old.turn, &old.message) == (new.turn, &new.message)
        && (old.turn.is_some() || old.message.is_some());
    let both_facts = stored.attributes.tier == Tier::Semantic && facets.tier == Tier::Semantic;
    both_facts || same_turn
}

/// The older memories whose place the new one takes. Where that cannot be decided, the new one waits.
fn supersede(
    open: &OpenVault,
    admitted: &mut Admitted,
    may_replace: impl Fn(&History) -> bool,
) -> Vec<MemoryId> {
    let rivals: HashSet<MemoryId> =
        admitted.facets.history.attributes.iter().flat_map(|mark| open.marks.bearers(*mark)).collect();
    let mut superseded = Vec::new();
    let mut undecided = Vec::new();
    for rival in rivals.into_iter().take(RIVALS_MAX).filter_map(|id| open.index.get(&id)) {
        if rival.attributes.state != Lifecycle::Active || rival.attributes.tier != Tier::Semantic {
            continue;
        }
        match compare(rival.payload.full_text(), admitted.content.full_text()) {
            Verdict::Supersedes if outranks(admitted, &rival, &may_replace) => superseded.push(rival.id),
            Verdict::Supersedes | Verdict::Undecided => undecided.push(rival.id),
            Verdict::Same | Verdict::Unrelated => {}
        }
    }
    superseded.sort_unstable();
    superseded.truncate(LINKS_MAX);
    let is_candidate = admitted.state == Lifecycle::Candidate;
    if !undecided.is_empty() && !is_candidate {
        admitted.state = Lifecycle::Candidate;
        admitted.facets.history.waits = Some(Wait::Contradiction);
        admitted.facets.history.alike.extend(undecided);
    }
    // A candidate erases nothing: whoever approves it decides.
    if admitted.state == Lifecycle::Candidate {
        return Vec::new();
    }
    admitted.facets.history.supersedes.clone_from(&superseded);
    superseded
}

/// The active facts that an accepted candidate contradicts.
pub(crate) fn rivals_of(open: &OpenVault, id: MemoryId, held: &Held) -> Vec<MemoryId> {
    let mut rivals: Vec<MemoryId> = held
        .facets
        .history
        .attributes
        .iter()
        .flat_map(|mark| open.marks.bearers(*mark))
        .filter(|rival| *rival != id)
        .filter(|rival| {
            open.index.get(rival).is_some_and(|rival| {
                rival.attributes.state == Lifecycle::Active
                    && rival.attributes.tier == Tier::Semantic
                    && compare(rival.payload.full_text(), held.full_text()) == Verdict::Supersedes
            })
        })
        .collect();
    rivals.sort_unstable();
    rivals.dedup();
    rivals.truncate(LINKS_MAX);
    rivals
}

fn outranks(admitted: &Admitted, rival: &Stored<'_, Held>, may_replace: &impl Fn(&History) -> bool) -> bool {
    let facets = &rival.payload.facets;
    admitted.facets.source.trust >= facets.source.trust
        && !facets.retention.pinned
        && admitted.created_at >= from_millis(rival.attributes.created_at).unwrap_or(admitted.created_at)
        && may_replace(&facets.history)
}

fn link_alike(open: &OpenVault, admitted: &mut Admitted, terms: &TermList, now: i64, gone: &[MemoryId]) {
    let search = Search {
        text: admitted.content.full_text(),
        vectors: &[],
        filter: Filter { tiers: vec![Tier::Semantic], ..Filter::default() },
        tags: Vec::new(),
        now,
        limit: NEIGHBOURS,
        min_similarity: 0.0,
        recency_weight: 0.0,
        explain: false,
    };
    let neighbours = open.index.search(&search).hits.into_iter().map(|hit| hit.id);
    let alike = neighbours.filter(|id| !gone.contains(id)).filter(|id| {
        let stored = open.index.get(id);
        stored.is_some_and(|stored| {
            shared_words(&TermList::of(stored.payload.full_text(), None), terms) >= ALIKE_MIN
        })
    });
    let links = &mut admitted.facets.history.alike;
    for id in alike {
        if !links.contains(&id) && links.len() < LINKS_MAX {
            links.push(id);
        }
    }
}

/// How much of their words two texts share, from 0 to 1.
fn shared_words(one: &TermList, other: &TermList) -> f32 {
    let one: HashSet<Term> = one.iter().map(|(term, _)| term).collect();
    let other: HashSet<Term> = other.iter().map(|(term, _)| term).collect();
    let shared = one.intersection(&other).count();
    shared as f32 / (one.len() + other.len() - shared).max(1) as f32
}

/// The least salient memories beyond the ceiling, when `coming` more arrive; the oldest of equals first.
pub(crate) fn beyond_ceiling(open: &OpenVault, coming: usize, max: usize) -> Vec<MemoryId> {
    if open.index.len() + coming <= max {
        return Vec::new();
    }
    let active = || open.index.before(None).filter(|stored| stored.attributes.state == Lifecycle::Active);
    let excess = (active().count() + coming).saturating_sub(max);
    let mut unpinned: Vec<_> = active()
        .filter(|stored| !stored.payload.facets.retention.pinned)
        .map(|stored| (stored.attributes.salience, stored.attributes.created_at, stored.id))
        .collect();
    unpinned.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
    unpinned.into_iter().take(excess).map(|(_, _, id)| id).collect()
}

//! Comparison of new memories with those of the vault: the same again, nearly the same, or in the place of an older
//! one; and eviction of memories to make room.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use jiff::Timestamp;
use lacuna_language::facts::{Statement, Verdict, claims, compare_with, without};
use lacuna_language::voices::own_words;
use lacuna_language::words::TermList;
use lacuna_types::*;

use crate::gate::Admitted;
use crate::index::Stored;
use crate::vault::marks::{SKETCH_MARKS, attribute_marks, shared_words, sketch, text_mark};
use crate::vault::open::{Held, OpenVault};

/// Memories that share at least this much of their words are nearly the same.
const ALIKE_MIN: f32 = 0.8;
/// Facts that are looked at for being nearly the same, those that share most of the sketch first.
const NEIGHBOURS: usize = 16;
/// A word of the sketch that more facts bear is passed over.
const BEARERS_MAX: usize = 64;
/// Older statements about the same that one new statement is compared with.
const RIVALS_MAX: usize = 64;

/// The relation of an admitted memory to its vault.
pub(crate) enum Reconciled {
    /// Something new, and the older memories whose place it takes.
    New(Replaced),
    /// A memory that is already there, word for word. It takes the place of others as a new one does.
    Repeat(MemoryId, Replaced),
}

/// The older memories that a newer one makes untrue.
#[derive(Default)]
pub(crate) struct Replaced {
    /// Memories that go as a whole.
    pub(crate) whole: Vec<MemoryId>,
    /// Memories of which a part goes, with the rest.
    pub(crate) parts: Vec<(MemoryId, Arc<Plaintext>)>,
}

impl Replaced {
    /// Every one of them.
    pub(crate) fn ids(&self) -> Vec<MemoryId> {
        self.whole.iter().copied().chain(self.parts.iter().map(|(id, _)| *id)).collect()
    }

    fn settled(mut self) -> Self {
        self.whole.sort_unstable();
        self.whole.dedup();
        self.whole.truncate(LINKS_MAX);
        self.parts.truncate(LINKS_MAX - self.whole.len());
        self
    }
}

/// Finds what `admitted` repeats, resembles, supersedes or may contradict, and marks it accordingly.
///
/// `corrected` are the memories that it was said to correct: there is nothing left to decide between them.
/// `may_replace` says whether the writer may take the place of a memory of this author.
pub(crate) fn reconcile(
    open: &OpenVault,
    admitted: &mut Admitted,
    terms: &TermList,
    corrected: &[MemoryId],
    may_replace: impl Fn(&History) -> bool,
) -> Reconciled {
    if let Some(twin) = twin(open, admitted) {
        if admitted.facets.is_held() || admitted.facets.tier != Tier::Semantic {
            return Reconciled::Repeat(twin, Replaced::default());
        }
        admitted.facets.history.attributes = attribute_marks(admitted.content.full_text().expose());
        return Reconciled::Repeat(twin, supersede(open, admitted, Some(twin), corrected, may_replace));
    }
    if admitted.facets.is_note() {
        // By these a fact about the same finds it. A note itself replaces nothing.
        admitted.facets.history.attributes = attribute_marks(admitted.content.full_text().expose());
    }
    if admitted.facets.tier != Tier::Semantic {
        return Reconciled::New(Replaced::default());
    }
    admitted.facets.history.attributes = attribute_marks(admitted.content.full_text().expose());
    let replaced = supersede(open, admitted, None, corrected, may_replace);
    link_alike(open, admitted, terms, &replaced.ids());
    Reconciled::New(replaced)
}

/// The memory that says the same word for word.
pub(crate) fn twin(open: &OpenVault, admitted: &Admitted) -> Option<MemoryId> {
    let hash = open.keyring.text_hash(admitted.content.full_text().expose());
    open.marks.bearers(text_mark(&hash)).find(|id| is_twin(open, id, &admitted.facets))
}

/// Compares a memory from elsewhere with those that the vault had before it came. It supersedes none of them: where
/// it contradicts one, it waits. Memories that came along with it (`came_along`) are not compared: they stood
/// beside it before.
pub(crate) fn receive(
    open: &OpenVault,
    admitted: &mut Admitted,
    terms: &TermList,
    came_along: impl Fn(&MemoryId) -> bool,
) {
    if admitted.facets.tier != Tier::Semantic {
        return;
    }
    admitted.facets.history.attributes = attribute_marks(admitted.content.full_text().expose());
    if matches!(admitted.state, Lifecycle::Active | Lifecycle::Approved) {
        let newer = claims(&own_words(admitted.content.full_text().expose()));
        let contradicts = |rival: &Stored<'_, Held>| {
            compare_with(&own_words(rival.payload.full_text().expose()), &newer) >= Verdict::Supersedes
        };
        let is_rival = |rival: &Stored<'_, Held>| !came_along(&rival.id) && !rival.payload.facets.is_note();
        let rivals = rivals(open, &admitted.facets.history).filter(is_rival);
        let undecided: Vec<_> = rivals.filter(contradicts).map(|rival| rival.id).take(LINKS_MAX).collect();
        if !undecided.is_empty() {
            admitted.state = Lifecycle::Candidate;
            admitted.facets.history.waits = Some(Wait::Contradiction);
            admitted.facets.history.alike = undecided;
        }
    }
    link_alike(open, admitted, terms, &[]);
}

/// A fact is the same wherever it was said; a turn is the same only if it is the same turn.
fn is_twin(open: &OpenVault, id: &MemoryId, facets: &Facets) -> bool {
    let Some(stored) = open.index.get(id) else { return false };
    // A record is the value of its place, and no fact that could be said again.
    if stored.attributes.is_record
        || matches!(stored.attributes.state, Lifecycle::Deleted | Lifecycle::Archived)
    {
        return false;
    }
    if stored.payload.facets.is_held() {
        return true;
    }
    if facets.is_note() {
        return repeats_note(&stored, facets);
    }
    let (old, new) = (&stored.payload.facets.source, &facets.source);
    let same_turn = old.session.is_some()
        && old.session == new.session
        && (old.turn, &old.message) == (new.turn, &new.message)
        && (old.turn.is_some() || old.message.is_some());
    let both_facts = stored.attributes.tier == Tier::Semantic && facets.tier == Tier::Semantic;
    both_facts || same_turn
}

/// A note repeats a note with the same tags, and a fact that holds.
fn repeats_note(stored: &Stored<'_, Held>, note: &Facets) -> bool {
    let older = &stored.payload.facets;
    let same_note = older.is_note() && note.tags.iter().all(|tag| older.tags.contains(tag));
    stored.attributes.state == Lifecycle::Active && (same_note || older.tier == Tier::Semantic)
}

/// The older memories whose place the new one takes. Where that cannot be decided, the new one waits; one that corrects
/// another was decided on, and stands beside the rest as the other did.
///
/// `twin` is the memory that says the same already.
fn supersede(
    open: &OpenVault,
    admitted: &mut Admitted,
    twin: Option<MemoryId>,
    corrected: &[MemoryId],
    may_replace: impl Fn(&History) -> bool,
) -> Replaced {
    let newer = claims(&own_words(admitted.content.full_text().expose()));
    let stands_beside = |rival: &Stored<'_, Held>| twin.is_some_and(|twin| are_kept_both(open, twin, rival));
    let rivals = rivals(open, &admitted.facets.history)
        .filter(|rival| !corrected.contains(&rival.id) && Some(rival.id) != twin && !stands_beside(rival));
    let mut replaced = Replaced::default();
    let mut undecided = Vec::new();
    for rival in rivals {
        let (text, is_note) = (rival.payload.full_text().expose(), rival.payload.facets.is_note());
        match compare_with(&own_words(text), &newer) {
            // A note gives way to what the person says, and keeps nothing from being said.
            Verdict::Supersedes | Verdict::Same if is_note => replaced.whole.push(rival.id),
            Verdict::SupersedesPart | Verdict::Undecided if is_note => {}
            Verdict::Supersedes if outranks(admitted, &rival, &may_replace) => replaced.whole.push(rival.id),
            Verdict::SupersedesPart if outranks(admitted, &rival, &may_replace) => {
                match without(text, &newer, &[Verdict::Supersedes]) {
                    Some(rest) => replaced.parts.push((rival.id, Arc::new(rest.into()))),
                    None => undecided.push(rival.id),
                }
            }
            Verdict::Supersedes | Verdict::SupersedesPart | Verdict::Undecided => undecided.push(rival.id),
            Verdict::Same | Verdict::Unrelated => {}
        }
    }
    replaced.whole.extend(noted_twin(open, admitted).filter(|noted| Some(*noted) != twin));
    let replaced = replaced.settled();
    let is_candidate = admitted.state == Lifecycle::Candidate;
    if !undecided.is_empty() && !is_candidate && corrected.is_empty() {
        admitted.state = Lifecycle::Candidate;
        admitted.facets.history.waits = Some(Wait::Contradiction);
        admitted.facets.history.alike.extend(undecided);
    }
    // A candidate erases nothing: whoever approves it decides.
    if admitted.state == Lifecycle::Candidate {
        return Replaced::default();
    }
    admitted.facets.history.supersedes = replaced.ids();
    replaced
}

/// Returns true when somebody decided that both memories hold: one waited for the other, and both are active.
fn are_kept_both(open: &OpenVault, twin: MemoryId, rival: &Stored<'_, Held>) -> bool {
    let Some(twin) = open.index.get(&twin) else { return false };
    let names = |one: &Stored<'_, Held>, other: MemoryId| one.payload.facets.history.alike.contains(&other);
    twin.attributes.state == Lifecycle::Active && (names(&twin, rival.id) || names(rival, twin.id))
}

/// The note that says the same as a new fact, word for word.
fn noted_twin(open: &OpenVault, admitted: &Admitted) -> Option<MemoryId> {
    let hash = open.keyring.text_hash(admitted.content.full_text().expose());
    let is_noted = |id: &MemoryId| {
        let stored = open.index.get(id).filter(|stored| stored.attributes.state == Lifecycle::Active);
        stored.is_some_and(|stored| stored.payload.facets.is_note())
    };
    open.marks.bearers(text_mark(&hash)).find(is_noted)
}

/// The active facts and notes that make a statement about the same, the newest first.
fn rivals<'a>(open: &'a OpenVault, history: &History) -> impl Iterator<Item = Stored<'a, Held>> {
    let ids: BTreeSet<MemoryId> =
        history.attributes.iter().flat_map(|mark| open.marks.bearers(*mark)).collect();
    let facts = ids.into_iter().rev().filter_map(|id| open.index.get(&id));
    let active = facts.filter(|stored| stored.attributes.state == Lifecycle::Active);
    let states = |stored: &Stored<'a, Held>| {
        stored.attributes.tier == Tier::Semantic || stored.payload.facets.is_note()
    };
    active.filter(states).take(RIVALS_MAX)
}

/// The active facts that an accepted candidate contradicts. Those that it waited for are decided by the yes to it.
pub(crate) fn rivals_of(open: &OpenVault, id: MemoryId, held: &Held) -> Replaced {
    let newer = claims(&own_words(held.full_text().expose()));
    let history = &held.facets.history;
    let mut replaced = Replaced::default();
    for rival in rivals(open, history).filter(|rival| rival.id != id) {
        let waited_for = history.waits == Some(Wait::Contradiction) && history.alike.contains(&rival.id);
        match compare_with(&own_words(rival.payload.full_text().expose()), &newer) {
            Verdict::Supersedes => replaced.whole.push(rival.id),
            Verdict::SupersedesPart => replaced.give_way(&rival, &newer),
            Verdict::Undecided if waited_for => replaced.give_way(&rival, &newer),
            Verdict::Undecided | Verdict::Same | Verdict::Unrelated => {}
        }
    }
    replaced.settled()
}

impl Replaced {
    /// Takes the contested parts of a memory away, or all of it where they do not part from the rest.
    fn give_way(&mut self, rival: &Stored<'_, Held>, newer: &[Statement]) {
        let contested = [Verdict::Supersedes, Verdict::Undecided];
        match without(rival.payload.full_text().expose(), newer, &contested) {
            Some(rest) => self.parts.push((rival.id, Arc::new(rest.into()))),
            None => self.whole.push(rival.id),
        }
    }
}

fn outranks(admitted: &Admitted, rival: &Stored<'_, Held>, may_replace: &impl Fn(&History) -> bool) -> bool {
    let facets = &rival.payload.facets;
    admitted.facets.source.trust >= facets.source.trust
        && !facets.retention.pinned
        && admitted.created_at >= from_millis(rival.attributes.created_at).unwrap_or(admitted.created_at)
        && may_replace(&facets.history)
}

/// Links the facts that share most of their words, as far as a sketch of the words finds them.
fn link_alike(open: &OpenVault, admitted: &mut Admitted, terms: &TermList, gone: &[MemoryId]) {
    let mut shared: HashMap<MemoryId, usize> = HashMap::new();
    let own = sketch(terms, Tier::Semantic);
    for mark in own.iter().take(SKETCH_MARKS) {
        // A word that many facts say tells none of them apart.
        let bearers: Vec<_> = open.marks.bearers(*mark).take(BEARERS_MAX + 1).collect();
        if bearers.len() <= BEARERS_MAX {
            bearers.into_iter().for_each(|id| *shared.entry(id).or_default() += 1);
        }
    }
    let mut likely: Vec<_> = shared.into_iter().filter(|(id, _)| !gone.contains(id)).collect();
    likely.sort_unstable_by_key(|(id, count)| (usize::MAX - count, *id));
    let links = &mut admitted.facets.history.alike;
    for (id, _) in likely.into_iter().take(NEIGHBOURS) {
        let Some(stored) = open.index.get(&id) else { continue };
        let is_there = stored.attributes.state == Lifecycle::Active;
        let alike = || shared_words(&own, &stored.payload.sketch) >= ALIKE_MIN;
        if is_there && !links.contains(&id) && links.len() < LINKS_MAX && alike() {
            links.push(id);
        }
    }
}

/// The memories that are least salient `now`, beyond the ceiling, when `coming` more arrive; the oldest of
/// equals first.
pub(crate) fn beyond_ceiling(open: &OpenVault, coming: usize, max: usize, now: Timestamp) -> Vec<MemoryId> {
    if open.index.len() + coming <= max {
        return Vec::new();
    }
    let (mut active, mut unpinned) = (0, Vec::new());
    for stored in open.index.active().filter(|stored| !stored.attributes.is_record) {
        active += 1;
        if !stored.payload.facets.retention.pinned {
            let salience = stored.attributes.fading.at(millis(now));
            unpinned.push((salience, stored.attributes.created_at, stored.id));
        }
    }
    let excess = (active + coming).saturating_sub(max).min(unpinned.len());
    if excess == 0 {
        return Vec::new();
    }
    let order = |one: &(f32, i64, MemoryId), other: &(f32, i64, MemoryId)| {
        one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)).then(one.2.cmp(&other.2))
    };
    unpinned.select_nth_unstable_by(excess - 1, order);
    unpinned.truncate(excess);
    unpinned.sort_unstable_by(order);
    unpinned.into_iter().map(|(_, _, id)| id).collect()
}

//! Erase: work out what goes, announce it, destroy the keys, then clear away what they had sealed.
//!
//! Whatever erases goes through here: a forget, a newer fact, a rejected candidate, the sweep. So what was made
//! of a memory falls with it whoever erases it.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use jiff::Timestamp;
use lacuna_language::anonymise::Anonymous;
use lacuna_store::keys::{KeyBatch, WrappedMemoryKey};
use lacuna_store::rows::{PendingErasure, Row};
use lacuna_types::*;
use lacuna_types::{Error, Result};
use zeroize::Zeroizing;

use crate::audit::AuditAction;
use crate::erase::carry_out::PART_MAX;
use crate::erase::cascade::cascade;
use crate::erase::dangling::dangling;
use crate::erase::finish::finish_intents_seeking;
use crate::erase::probe::ProbeTargets;
use crate::erase::remake::{Texts, remade_anonymous, remade_from_rest, remade_from_sources};
use crate::erase::withhold::{anonymises, anonymous_dangling, withhold};
use crate::vault::commit::{Act, retrying};
use crate::vault::handle::VaultWriter;
use crate::vault::holds::check_not_held;
use crate::vault::open::{Held, OpenVault};
use crate::vault::receipt::{SignedReceipt, memories_hash};
use crate::vault::rewrite::{Rewritten, with_state};
use crate::vault::seal::{Prepared, SealedMemory, bound_to};
use crate::vault::service::Service;
use crate::vault::unlock::Unlocker;

/// Memories that one erasure may take, with all that falls with them: they are announced in one commit.
pub(crate) const ERASE_MAX: usize = 4_000;
/// Memories that lose their links to erased ones in one commit.
const LOOSEN_BATCH: usize = 1_000;

/// A request to erase memories, before the cascade is worked out.
#[derive(Default)]
pub(crate) struct ErasureRequest {
    pub(crate) ids: Vec<MemoryId>,
    /// Memories of which a part goes, with what is left of their text.
    pub(crate) cuts: Vec<(MemoryId, Arc<Plaintext>)>,
    /// Memories that live on with other words in the place of whom they mention, and the state in which they do
    /// if it is not the one they are in.
    pub(crate) anonymous: Vec<(MemoryId, Anonymous)>,
    pub(crate) released_as: Option<Lifecycle>,
    /// True when memories that refer to the erased ones are held back until somebody has reviewed them, or are
    /// anonymised where the policy says so.
    pub(crate) holds_back: bool,
    /// `ids` are derivatives; they are erased before their sources.
    pub(crate) falls: bool,
    /// True when the memories can be restored: then nothing is made anew, and all derivatives are hidden with them.
    pub(crate) restorable: bool,
}

impl ErasureRequest {
    pub(crate) fn whole(ids: &[MemoryId]) -> Self {
        Self { ids: ids.to_vec(), ..Self::default() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.ids.is_empty() && self.cuts.is_empty() && self.anonymous.is_empty()
    }

    /// Every memory that was named, those that live on in part too.
    pub(crate) fn named(&self) -> impl Iterator<Item = MemoryId> {
        let parts = self.cuts.iter().map(|(id, _)| *id).chain(self.anonymous.iter().map(|(id, _)| *id));
        self.ids.iter().copied().chain(parts)
    }
}

/// An erasure that is ready to be announced.
#[derive(Default)]
pub(crate) struct Erasure {
    /// Every memory whose key is destroyed.
    pub(crate) gone: Vec<MemoryId>,
    pub(crate) fell: Vec<MemoryId>,
    /// Memories that were cut or made anew, under the ids that they had and those that they have now.
    pub(crate) cut: Vec<(MemoryId, MemoryId)>,
    pub(crate) rebuilt: Vec<(MemoryId, MemoryId)>,
    pub(crate) held_back: Vec<MemoryId>,
    rows: Vec<Row>,
    sealed: Vec<SealedMemory>,
    withheld: Vec<Rewritten>,
}

/// The effects of an erasure, worked out in the open vault.
#[derive(Default)]
struct ErasureEffects {
    gone: BTreeSet<MemoryId>,
    fell: Vec<MemoryId>,
    cut: Vec<(MemoryId, MemoryId)>,
    rebuilt: Vec<(MemoryId, MemoryId)>,
    held_back: Vec<MemoryId>,
    prepared: Vec<Prepared>,
}

/// Works out what goes with `wanted`, and seals what takes its place. Nothing is erased yet.
pub(crate) fn prepare_erasure(writer: &VaultWriter<'_>, wanted: &ErasureRequest) -> Result<Erasure> {
    if wanted.is_empty() {
        return Ok(Erasure::default());
    }
    let now = writer.service.clock.now();
    let anonymises = wanted.holds_back && !wanted.restorable && anonymises(writer.service, writer.scope());
    let outcome = writer.update(|open| work_out(writer.service, open, wanted, anonymises, now))?;
    let ErasureEffects { gone, fell, cut, rebuilt, held_back, prepared } =
        outcome.ok_or(Error::NotFound("memory"))?;
    if !wanted.restorable {
        check_not_held(writer, &gone)?;
    }
    if gone.len() > ERASE_MAX {
        let reason =
            format!("takes more than {ERASE_MAX} memories with it at once: forget what was made of it first");
        return Err(Error::invalid("target", reason));
    }
    let fell = if wanted.falls { wanted.ids.clone() } else { fell };
    let sealed = match prepared.is_empty() {
        true => Vec::new(),
        false => writer.seal_keys_first(prepared, now)?,
    };
    let withheld = writer.rewrite(&held_back, |row, frame| {
        withhold(row, frame, &[], now);
        true
    })?;
    let gone: Vec<MemoryId> = gone.into_iter().collect();
    let rows = with_state(writer.service, writer.scope(), &gone, Lifecycle::Deleted)?;
    Ok(Erasure { gone, fell, cut, rebuilt, held_back, rows, sealed, withheld })
}

fn work_out(
    service: &Service,
    open: &OpenVault,
    wanted: &ErasureRequest,
    anonymises: bool,
    now: Timestamp,
) -> Result<ErasureEffects> {
    let going: BTreeSet<MemoryId> = wanted.ids.iter().copied().collect();
    let mut cuts: BTreeSet<MemoryId> = wanted.named().filter(|id| !going.contains(id)).collect();
    let mut followed = cascade(open, &going, &cuts);
    let mut leaning = Vec::new();
    if anonymises {
        let rebuilt = followed.rebuilt.iter().map(|rebuild| rebuild.id);
        let gone: BTreeSet<MemoryId> =
            going.iter().chain(&cuts).chain(&followed.falls).copied().chain(rebuilt).collect();
        leaning = anonymous_dangling(service, open, &gone)?;
        // What was made of those is made anew with them.
        cuts.extend(leaning.iter().map(|(id, _)| *id));
        followed = cascade(open, &going, &cuts);
    }
    let mut outcome = ErasureEffects { fell: followed.falls, ..ErasureEffects::default() };
    outcome.gone = going.iter().chain(&outcome.fell).copied().collect();
    let mut known = Known::default();
    cut_all(service, open, wanted, &leaning, &mut outcome, &mut known, now)?;
    for rebuild in &followed.rebuilt {
        if wanted.restorable {
            outcome.fell.push(rebuild.id);
            outcome.gone.insert(rebuild.id);
            continue;
        }
        let remade = remade_from_sources(service, open, rebuild, &known.texts, &known.renamed, now)?;
        outcome.replace(rebuild.id, remade, &mut known);
    }
    outcome.gone.extend(known.renamed.keys());
    if wanted.holds_back {
        outcome.held_back = dangling(open, &outcome.gone);
    }
    Ok(outcome)
}

/// Makes what takes the place of memories of which a part goes.
fn cut_all(
    service: &Service,
    open: &OpenVault,
    wanted: &ErasureRequest,
    leaning: &[(MemoryId, Anonymous)],
    outcome: &mut ErasureEffects,
    known: &mut Known,
    now: Timestamp,
) -> Result<()> {
    let stored = |id: &MemoryId| open.index.get(id).ok_or(Error::NotFound("memory"));
    for (id, rest) in wanted.cuts.iter().filter(|(id, _)| !wanted.ids.contains(id)) {
        let remade = remade_from_rest(service, &stored(id)?, rest.expose(), &outcome.gone, now)?;
        outcome.replace(*id, remade, known);
    }
    for (id, anonymous) in wanted.anonymous.iter().chain(leaning) {
        let mut remade = remade_anonymous(service, &stored(id)?, anonymous, &outcome.gone, now)?;
        if let Some(state) = wanted.released_as {
            remade.admitted.state = state;
            remade.admitted.facets.history.waits = None;
        }
        outcome.replace(*id, remade, known);
    }
    outcome.cut = std::mem::take(&mut outcome.rebuilt);
    Ok(())
}

/// Returns the derivatives of `wanted` in batches for separate commits; each batch holds all derivatives of its
/// memories, or follows the batch that does. Empty unless they are too many for one commit.
pub(crate) fn falls_in_parts(
    writer: &VaultWriter<'_>,
    wanted: &ErasureRequest,
) -> Result<Vec<Vec<MemoryId>>> {
    let falls = writer.update(|open| {
        let going: BTreeSet<MemoryId> = wanted.ids.iter().copied().collect();
        let cuts: BTreeSet<MemoryId> = wanted.named().filter(|id| !going.contains(id)).collect();
        let followed = cascade(open, &going, &cuts);
        let all = going.len() + cuts.len() + followed.falls.len() + followed.rebuilt.len();
        Ok(if all > ERASE_MAX { followed.falls } else { Vec::new() })
    })?;
    // A memory stands after those that it was made of, so the last go first.
    let falls: Vec<MemoryId> = falls.unwrap_or_default().into_iter().rev().collect();
    Ok(falls.chunks(PART_MAX).map(<[MemoryId]>::to_vec).collect())
}

/// Announces an erasure with its entries, and carries it through.
pub(crate) fn carry_out_erasure(writer: &VaultWriter<'_>, erasure: Erasure, mut act: Act) -> Result<u64> {
    let gone = erasure.gone.clone();
    erasure.join(&mut act);
    // From this commit on no node shows what goes, whatever happens to us.
    let announced = writer.commit(&act, |open| erasure.apply(open))?;
    end_erasure(writer, &gone)?;
    Ok(announced.audit_seq)
}

/// Hides what would be erased: one commit, in which nothing is lost.
pub(crate) fn hide_instead(
    writer: &VaultWriter<'_>,
    erasure: Erasure,
    state: Lifecycle,
    mut act: Act,
) -> Result<u64> {
    let now = writer.service.clock.now();
    let hidden = writer.rewrite(&erasure.gone, |row, _| {
        row.state = state;
        row.updated_at = now;
        true
    })?;
    erasure.record(&mut act);
    act.batch.puts = erasure.remaining_rows().chain(hidden.iter().map(|hidden| hidden.row.clone())).collect();
    let committed = writer.commit(&act, |open| {
        erasure.apply(open);
        put_all(open, hidden);
    })?;
    Ok(committed.audit_seq)
}

/// Carries an announced erasure through.
pub(crate) fn end_erasure(writer: &VaultWriter<'_>, gone: &[MemoryId]) -> Result<()> {
    end_erasure_seeking(writer, gone, &mut ProbeTargets::default()).map(drop)
}

/// Does the same as [`end_erasure`], with a probe that looks for `sought`. Returns the receipt that the erasure was
/// announced with, if there was one.
pub(crate) fn end_erasure_seeking(
    writer: &VaultWriter<'_>,
    gone: &[MemoryId],
    sought: &mut ProbeTargets,
) -> Result<Option<SignedReceipt>> {
    if gone.is_empty() {
        return Ok(None);
    }
    let hash = memories_hash(gone);
    let mut receipts = finish_intents_seeking(writer, sought)?;
    // What a process that died had announced may have been ended along with it.
    receipts.retain(|signed| signed.receipt.memories_hash == hash);
    Ok(receipts.pop())
}

/// Lets what was made of a memory stand without it, because the memory moves and is not forgotten.
pub(crate) fn release_derivatives(writer: &VaultWriter<'_>, source: MemoryId) -> Result<()> {
    release_all(writer, &[source])
}

/// Does the same as [`release_derivatives`] for several memories that are erased at once. The erased memories
/// themselves are not released.
pub(crate) fn release_all(writer: &VaultWriter<'_>, going: &[MemoryId]) -> Result<()> {
    let gone: BTreeSet<MemoryId> = going.iter().copied().collect();
    let rewrapped = writer.update(|open| {
        let made = gone.iter().flat_map(|source| open.derivatives(*source));
        let made: BTreeSet<MemoryId> = made.filter(|id| !gone.contains(id)).collect();
        let made: Vec<MemoryId> = made.into_iter().collect();
        let mut unlocker = Unlocker::fetching(&open.keyring, &*writer.service.keys, &made)?;
        made.into_iter()
            .filter_map(|id| rewrap_without(writer.service, open, &mut unlocker, id, &gone).transpose())
            .collect::<Result<Vec<_>>>()
    })?;
    let rewrapped: Vec<WrappedMemoryKey> = rewrapped.unwrap_or_default();
    if rewrapped.is_empty() {
        return Ok(());
    }
    for memories in rewrapped.chunks(LOOSEN_BATCH) {
        let batch = KeyBatch::new(writer.scope().vault_id(), writer.service.clock.now());
        writer.service.keys.commit(KeyBatch { memories: memories.to_vec(), ..batch })?;
    }
    loosen(writer, going)
}

fn rewrap_without(
    service: &Service,
    open: &OpenVault,
    unlocker: &mut Unlocker<'_>,
    id: MemoryId,
    gone: &BTreeSet<MemoryId>,
) -> Result<Option<WrappedMemoryKey>> {
    let Some(stored) = open.index.get(&id) else { return Ok(None) };
    let mut left = bound_to(&stored.payload.facets.derived_from);
    left.retain(|other| !gone.contains(other));
    let Some(key) = unlocker.key(id)? else { return Ok(None) };
    let sources = unlocker.source_keys(&left)?;
    open.keyring.wrap_memory_key(id, &key, &sources, &*service.entropy).map(Some)
}

/// Takes the links to erased memories out of those that stay.
pub(crate) fn loosen(writer: &VaultWriter<'_>, gone: &[MemoryId]) -> Result<()> {
    let gone: BTreeSet<MemoryId> = gone.iter().copied().collect();
    let linked = writer.update(|open| {
        let linked = open.index.before(None).filter(|stored| names_one(stored.payload, &gone));
        Ok(linked.map(|stored| stored.id).collect::<Vec<_>>())
    })?;
    let linked = linked.unwrap_or_default();
    for ids in linked.chunks(LOOSEN_BATCH) {
        loosen_some(writer, ids, &gone)?;
    }
    Ok(())
}

/// A conflict when another process keeps writing to the vault.
fn loosen_some(writer: &VaultWriter<'_>, ids: &[MemoryId], gone: &BTreeSet<MemoryId>) -> Result<()> {
    retrying(|| {
        let mut act = Act::silent(writer.scope(), writer.service.clock.now());
        act.record(AuditAction::MemoryUnlink, "system", ids);
        act.batch.makes_room = true;
        let loosened = writer.rewrite(ids, |_, frame| {
            frame.facets.history.alike.retain(|id| !gone.contains(id));
            frame.facets.derived_from.retain(|link| !gone.contains(&link.source));
            true
        })?;
        act.batch.puts = loosened.iter().map(|loosened| loosened.row.clone()).collect();
        writer.commit(&act, |open| put_all(open, loosened)).map(drop)
    })
}

/// The new ids and texts of memories that were made anew, for what was made of them.
#[derive(Default)]
struct Known {
    texts: Texts,
    renamed: HashMap<MemoryId, MemoryId>,
}

impl ErasureEffects {
    fn replace(&mut self, old: MemoryId, remade: Prepared, known: &mut Known) {
        known.renamed.insert(old, remade.id);
        known.texts.insert(old, Zeroizing::new(remade.admitted.content.full_text().expose().to_owned()));
        self.rebuilt.push((old, remade.id));
        self.prepared.push(remade);
    }
}

impl Erasure {
    /// An erasure of rows that nobody can look into: what was made of them falls with their keys.
    pub(crate) fn of_rows(rows: Vec<Row>) -> Self {
        Self { gone: rows.iter().map(|row| row.id).collect(), rows, ..Self::default() }
    }

    /// Adds the erasure to what one commit does. The commit's first entry announces it.
    pub(crate) fn join(&self, act: &mut Act) {
        if self.gone.is_empty() {
            return;
        }
        act.batch.opens.push(PendingErasure::to_erase(self.gone.clone()));
        act.batch.puts.extend(self.rows.iter().cloned().chain(self.remaining_rows()));
        self.record(act);
    }

    /// The rows of what takes the place of something, or is held back.
    fn remaining_rows(&self) -> impl Iterator<Item = Row> {
        let sealed = self.sealed.iter().map(|sealed| sealed.row.clone());
        sealed.chain(self.withheld.iter().map(|withheld| withheld.row.clone()))
    }

    fn record(&self, act: &mut Act) {
        let both = |pairs: &[(MemoryId, MemoryId)]| -> Vec<MemoryId> {
            pairs.iter().flat_map(|(old, new)| [*old, *new]).collect()
        };
        act.record(AuditAction::MemoryCascade, "system", &self.fell);
        act.record(AuditAction::MemoryCut, "system", &both(&self.cut));
        act.record(AuditAction::MemoryRebuild, "system", &both(&self.rebuilt));
        act.record(AuditAction::MemoryWithhold, "system", &self.held_back);
    }

    /// Applies the commit's changes to the open vault.
    pub(crate) fn apply(self, open: &mut OpenVault) {
        self.gone.iter().for_each(|id| open.drop_memory(id));
        for SealedMemory { row, frame } in self.sealed {
            open.put(&row, frame);
        }
        put_all(open, self.withheld);
    }
}

fn put_all(open: &mut OpenVault, rewritten: Vec<Rewritten>) {
    for Rewritten { row, frame } in rewritten {
        open.put(&row, frame);
    }
}

fn names_one(held: &Held, gone: &BTreeSet<MemoryId>) -> bool {
    let facets = &held.facets;
    facets.history.alike.iter().any(|id| gone.contains(id))
        || facets.derived_from.iter().any(|link| gone.contains(&link.source))
}

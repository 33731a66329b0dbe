//! The probe: after an erasure, what was erased is looked for by every way that could still lead to it.

use std::collections::BTreeSet;

use lacuna_store::blobs::BlobName;
use lacuna_store::keys::keys_by_memory;
use lacuna_store::rows::Row;
use lacuna_types::Result;
use lacuna_types::request::{Closeness, Wish};
use lacuna_types::*;
use zeroize::Zeroizing;

use crate::index::Stored;
use crate::index::filter::Filter;
use crate::index::search::{QueryVector, Search};
use crate::read::find::Finder;
use crate::vault::handle::VaultWriter;
use crate::vault::models::Models;
use crate::vault::open::{Held, OpenVault};
use crate::vault::receipt::{ProbePath, Probed};
use crate::vault::record::told;
use crate::vault::service::Service;

/// Erased texts that are searched for again, words and meaning; the first ones of a large erasure.
const PROBED_TEXTS_MAX: usize = 64;
/// Results that each of those searches looks at.
const PROBED_RESULTS: usize = 20;

/// The targets of the probe after an erasure. They are in RAM only, and dropped with the call.
#[derive(Default)]
pub(crate) struct ProbeTargets {
    /// The first erased memories.
    pub(crate) texts: Vec<SoughtText>,
    /// The wish that was carried out, with its vectors and those of sentences that speak of its subject.
    pub(crate) wish: Option<(Wish, Vec<QueryVector>, Vec<QueryVector>)>,
    /// Memories that match the wish and that the caller chose to keep.
    pub(crate) kept: BTreeSet<MemoryId>,
    pub(crate) blobs: Vec<BlobName>,
    /// Marks of the erased texts, by which the same text is known elsewhere.
    pub(crate) marks: BTreeSet<u64>,
    /// Memories that may still speak of it, as the probe found them.
    pub(crate) left: BTreeSet<MemoryId>,
}

/// An erased memory, in its own words and with its vectors.
pub(crate) struct SoughtText {
    text: Zeroizing<String>,
    vectors: Vec<QueryVector>,
    is_record: bool,
}

/// Looks for `gone` by every way.
pub(crate) fn probe(
    writer: &VaultWriter<'_>,
    gone: &[MemoryId],
    sought: &mut ProbeTargets,
) -> Result<Vec<Probed>> {
    let vault = writer.scope().vault_id();
    let shown = |row: &Row| row.state != Lifecycle::Deleted;
    let rows = writer.service.store.rows(vault, gone)?.into_iter().flatten().filter(shown).count();
    let keys = keys_by_memory(&*writer.service.keys, vault, Some(gone))?.len();
    let mut blobs = 0;
    for name in &sought.blobs {
        blobs += usize::from(writer.service.blobs.is_left(vault, *name));
    }
    let mut probes = vec![
        probed(ProbePath::Rows, gone.len(), rows),
        probed(ProbePath::Keys, gone.len(), keys),
        probed(ProbePath::Blobs, sought.blobs.len(), blobs),
    ];
    let in_ram = writer.update(|open| probe_open(writer.service, open, gone, sought))?;
    probes.extend(in_ram.unwrap_or_default());
    // An export is made when it is fetched, and never kept.
    probes.push(probed(ProbePath::Exports, 0, 0));
    Ok(probes)
}

fn probe_open(
    service: &Service,
    open: &OpenVault,
    gone: &[MemoryId],
    sought: &mut ProbeTargets,
) -> Result<Vec<Probed>> {
    let erased: BTreeSet<MemoryId> = gone.iter().copied().collect();
    let held = gone.iter().filter(|id| open.index.get(id).is_some()).count();
    let lineage =
        open.lineage.iter().filter(|(source, made)| erased.contains(source) || erased.contains(made));
    let lineage = lineage.count();
    let (mut by_words, mut by_meaning) = (0, 0);
    for SoughtText { text, vectors, is_record } in &sought.texts {
        let filter = Filter { records: *is_record, ..Filter::default() };
        by_words += search_again(service, open, (text, &[]), &filter, &erased);
        by_meaning += search_again(service, open, ("", vectors), &filter, &erased);
    }
    let mut probes = vec![
        probed(ProbePath::Index, gone.len(), held),
        probed(ProbePath::Lineage, gone.len(), lineage),
        probed(ProbePath::Words, sought.texts.len(), by_words),
        probed(ProbePath::Meaning, sought.texts.len(), by_meaning),
    ];
    if let Some((wish, vectors, examples)) = &sought.wish {
        let (now, sources) = (service.clock.now(), service.sources());
        let again = Finder { open, sources, vectors, examples, now, deleted_too: true }.find(wish)?;
        let (residue, near): (Vec<_>, Vec<_>) = again
            .matches
            .iter()
            .chain(&again.offered)
            .partition(|found| found.closeness == Closeness::Direct && !sought.kept.contains(&found.id));
        probes.push(probed(ProbePath::Names, 1, residue.len()));
        probes.push(probed(ProbePath::Near, 1, near.len()));
        sought.left.extend(near.iter().map(|found| found.id));
    }
    let same = |stored: &Stored<'_, Held>| sought.marks.contains(&stored.payload.text_mark);
    let same: BTreeSet<MemoryId> = open.index.each().filter(same).map(|stored| stored.id).collect();
    let same: BTreeSet<MemoryId> = same.difference(&erased).copied().collect();
    probes.push(probed(ProbePath::SameText, sought.marks.len(), same.len()));
    sought.left.extend(same);
    Ok(probes)
}

/// Counts the erased memories that a search for `text` still returns.
fn search_again(
    service: &Service,
    open: &OpenVault,
    (text, vectors): (&str, &[QueryVector]),
    filter: &Filter,
    erased: &BTreeSet<MemoryId>,
) -> usize {
    let search = Search {
        text,
        vectors,
        filter: filter.clone(),
        tags: Vec::new(),
        now: millis(service.clock.now()),
        as_of: millis(service.clock.now()),
        limit: PROBED_RESULTS,
        min_similarity: 0.0,
        strong_only: false,
        recency_weight: 0.0,
        explain: false,
    };
    open.index.search(&search).hits.iter().filter(|hit| erased.contains(&hit.id)).count()
}

impl ProbeTargets {
    /// Takes down what is about to be erased, so that it can be looked for afterwards.
    pub(crate) fn texts_of(&mut self, models: &Models, open: &OpenVault, gone: &[MemoryId]) {
        let marks = gone.iter().filter_map(|id| open.index.get(id));
        self.marks = marks.map(|stored| stored.payload.text_mark).collect();
        let stored = gone.iter().filter_map(|id| open.index.get(id)).take(PROBED_TEXTS_MAX);
        self.texts = stored
            .map(|stored| {
                let held = stored.payload;
                let text = match held.facets.history.record.as_deref() {
                    Some(record) => told(record, held.full_text().expose()),
                    None => held.full_text().duplicate(),
                };
                SoughtText {
                    text: Zeroizing::new(text.into_exposed()),
                    vectors: models.query_of(open.index.vectors_of(&stored.id)),
                    is_record: stored.attributes.is_record,
                }
            })
            .collect();
    }
}

fn probed(path: ProbePath, looked_for: usize, found: usize) -> Probed {
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    Probed { path, looked_for: count(looked_for), found: count(found) }
}

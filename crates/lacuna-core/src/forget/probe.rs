//! The probe: after an erasure, what was erased is looked for by every way that could still lead to it.

use std::collections::BTreeSet;

use zeroize::Zeroizing;

use super::find::{Sight, find};
use super::request::{Closeness, Wish};
use crate::blobs::BlobName;
use crate::domain::*;
use crate::error::{Error, Result};
use crate::index::{Filter, Search};
use crate::keys::keys_by_memory;
use crate::lacuna::Lacuna;
use crate::vault::{OpenVault, Slot};

/// Erased texts that are searched for again, words and meaning; the first ones of a large erasure.
const PROBED_TEXTS_MAX: usize = 64;
/// Results that each of those searches looks at.
const PROBED_RESULTS: usize = 20;

facet!(
    /** A way that could lead to what was erased. */
    ProbePath, "probe", {
    Rows = 1 "rows",
    Keys = 2 "keys",
    Blobs = 3 "blobs",
    Index = 4 "open index",
    Words = 5 "words",
    Meaning = 6 "meaning",
    Names = 7 "names and identifiers",
    Lineage = 8 "lineage",
    Exports = 9 "kept exports",
});

/// What one way led to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Probed {
    pub path: ProbePath,
    pub looked_for: u32,
    pub found: u32,
}

/// What is looked for afterwards. It is in RAM only, and gone with the call.
#[derive(Default)]
pub(crate) struct Sought {
    /// What was erased, in its own words.
    pub(crate) texts: Vec<Zeroizing<String>>,
    /// What was asked to be forgotten, and what the caller chose to keep although it matches.
    pub(crate) wish: Option<(Wish, Sight)>,
    pub(crate) kept: BTreeSet<MemoryId>,
    pub(crate) blobs: Vec<BlobName>,
}

impl Lacuna {
    /// Looks for `gone` by every way. The caller holds the writer lock.
    pub(crate) fn probe(
        &self,
        slot: &Slot,
        scope: &Scope,
        gone: &[MemoryId],
        sought: &Sought,
    ) -> Result<Vec<Probed>> {
        let vault = scope.vault_id();
        let rows = self.store.rows(vault, gone)?.into_iter().flatten().count();
        let keys = keys_by_memory(&*self.keys, vault, Some(gone))?.len();
        let mut blobs = 0;
        for name in &sought.blobs {
            blobs += usize::from(self.blobs.get(vault, *name).is_ok());
        }
        let mut probes = vec![
            probed(ProbePath::Rows, gone.len(), rows),
            probed(ProbePath::Keys, gone.len(), keys),
            probed(ProbePath::Blobs, sought.blobs.len(), blobs),
        ];
        let in_ram = slot.update(self.sources(), |open| self.probe_open(open, gone, sought))?;
        probes.extend(in_ram.unwrap_or_default());
        // An export is made when it is fetched, and never kept.
        probes.push(probed(ProbePath::Exports, 0, 0));
        Ok(probes)
    }

    fn probe_open(&self, open: &OpenVault, gone: &[MemoryId], sought: &Sought) -> Result<Vec<Probed>> {
        let erased: BTreeSet<MemoryId> = gone.iter().copied().collect();
        let held = gone.iter().filter(|id| open.index.get(id).is_some()).count();
        let lineage = open.lineage.iter().filter(|(source, made)| {
            erased.contains(source) || erased.contains(made)
        });
        let lineage = lineage.count();
        let texts: Vec<&Zeroizing<String>> = sought.texts.iter().take(PROBED_TEXTS_MAX).collect();
        let (mut by_words, mut by_meaning) = (0, 0);
        for text in &texts {
            by_words += self.search_again(open, text, false, &erased);
            by_meaning += self.search_again(open, text, true, &erased);
        }
        let mut probes = vec![
            probed(ProbePath::Index, gone.len(), held),
            probed(ProbePath::Lineage, gone.len(), lineage),
            probed(ProbePath::Words, texts.len(), by_words),
            probed(ProbePath::Meaning, texts.len(), by_meaning),
        ];
        if let Some((wish, sight)) = &sought.wish {
            let again = find(open, wish, sight)?;
            let left = again.matches.iter().filter(|found| {
                found.closeness == Closeness::Direct && !sought.kept.contains(&found.id)
            });
            probes.push(probed(ProbePath::Names, 1, left.count()));
        }
        Ok(probes)
    }

    /// How many erased memories a search for `text` still answers with.
    fn search_again(&self, open: &OpenVault, text: &str, meaning: bool, erased: &BTreeSet<MemoryId>) -> usize {
        let vectors = match meaning {
            true => self.models.embed_query(text, &open.index.models()),
            false => Vec::new(),
        };
        let search = Search {
            text: if meaning { "" } else { text },
            vectors: &vectors,
            filter: Filter::default(),
            tags: Vec::new(),
            now: millis(self.clock.now()),
            limit: PROBED_RESULTS,
            min_similarity: 0.0,
            recency_weight: 0.0,
            explain: false,
        };
        open.index.search(&search).hits.iter().filter(|hit| erased.contains(&hit.id)).count()
    }
}

fn probed(path: ProbePath, looked_for: usize, found: usize) -> Probed {
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    Probed { path, looked_for: count(looked_for), found: count(found) }
}

/// A probe that found something is not a success: the caller must know.
pub(crate) fn clean(probes: &[Probed]) -> Result<()> {
    match probes.iter().find(|probed| probed.found > 0) {
        None => Ok(()),
        Some(probed) => Err(Error::corrupt(format!("the erasure left something behind: {}", probed.path))),
    }
}

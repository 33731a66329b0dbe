//! Hot recall and its exactness, from a small vault to a very large one, and the peers on the same vectors.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use lacuna_core::index::{Attributes, Entry, Filter, Index, Lanes, QuantVec, QueryVector, Search, Utterance};
use lacuna_language::words::TermList;
use lacuna_types::decay::Fading;
use lacuna_types::embed::Embedder;
use lacuna_types::{Category, Lane, Lifecycle, MemoryId, Tier};

use super::corpus::{Corpus, TOP};
use super::measure::{Latency, latency};
use super::service::{By, Recorded, Vault};
use crate::Result;

/// At large sizes, as many recalls are timed as pass over about this many memories.
const MEMORIES_SCANNED: usize = 50_000_000;
/// Fewer would have no p99.
const RECALLS_MIN: usize = 200;
const DAY_MILLIS: i64 = 86_400_000;
/// A moment after every memory that a bare index is filled with.
const NOW_MILLIS: i64 = 1_775_000_000_000;

/// The place where the memories were searched.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Through the library: a vault over SQLite, with its check of the revision and the texts of the answers.
    Vault,
    /// The index in RAM alone, where filling a vault would take too long.
    BareIndex,
}

pub(super) struct Figures {
    pub(super) count: usize,
    pub(super) place: Place,
    pub(super) hybrid: Latency,
    pub(super) meaning: Latency,
    /// The share of the ten best by full precision that a recall by meaning finds.
    pub(super) recall: f64,
    pub(super) filled_in: Duration,
}

/// Something that answers the questions of a corpus.
trait Target {
    fn ask(&self, question: usize, by: By) -> Result<Vec<MemoryId>>;
    fn ids(&self) -> &[MemoryId];
}

impl Target for Vault {
    fn ask(&self, question: usize, by: By) -> Result<Vec<MemoryId>> {
        self.ask(question, by)
    }

    fn ids(&self) -> &[MemoryId] {
        &self.ids
    }
}

pub(super) fn measure(corpus: &Arc<Corpus>, place: Place, recalls: usize, folder: &Path) -> Result<Figures> {
    let started = Instant::now();
    let target: Box<dyn Target> = match place {
        Place::Vault => Box::new(Vault::fill(folder, corpus.clone())?),
        Place::BareIndex => Box::new(Bare::fill(corpus.clone(), By::MeaningAndWords)?),
    };
    let filled_in = started.elapsed();
    let count = corpus.texts.len();
    let runs = recalls.min((MEMORIES_SCANNED / count).max(RECALLS_MIN));
    let timed = |by| latency(runs, |run| target.ask(run % corpus.questions.len(), by).map(drop));
    let (hybrid, meaning) = (timed(By::MeaningAndWords)?, timed(By::Meaning)?);
    let recall = recall_at_ten(corpus, &*target)?;
    Ok(Figures { count, place, hybrid, meaning, recall, filled_in })
}

/// The exactness of a recall by meaning on the vectors of a real model, searched in the bare index.
pub(super) fn exactness(count: usize, questions: usize, model: &dyn Embedder) -> Result<f64> {
    let corpus = Arc::new(Corpus::embedded(count, questions, model)?);
    recall_at_ten(&corpus, &Bare::fill(corpus.clone(), By::Meaning)?)
}

fn recall_at_ten(corpus: &Corpus, target: &dyn Target) -> Result<f64> {
    let numbers: HashMap<_, _> = (0u32..).zip(target.ids()).map(|(number, id)| (*id, number)).collect();
    let thresholds = corpus.exact_thresholds();
    let mut sum = 0.0;
    for question in 0..corpus.questions.len() {
        let answers = target.ask(question, By::Meaning)?;
        let found: Vec<u32> = answers.iter().filter_map(|id| numbers.get(id).copied()).collect();
        sum += corpus.recall(&thresholds, question, &found);
    }
    Ok(sum / corpus.questions.len() as f64)
}

/// The index of a vault without the vault.
struct Bare {
    index: Index<()>,
    ids: Vec<MemoryId>,
    queries: Vec<Vec<QueryVector>>,
    corpus: Arc<Corpus>,
}

impl Bare {
    /// Without words if no question will have any: finding them takes the longest.
    fn fill(corpus: Arc<Corpus>, by: By) -> Result<Self> {
        let recorded = Recorded::of(corpus.clone());
        let mut index = Index::new();
        let mut ids = Vec::with_capacity(corpus.texts.len());
        for (number, text) in corpus.texts.iter().enumerate() {
            let id = MemoryId::from_bytes((number as u128).to_be_bytes());
            let vector = QuantVec::from_f32(corpus.vectors.row(number))?;
            index.insert(Entry {
                id,
                attributes: attributes(number, corpus.texts.len()),
                tags: Vec::new(),
                utterance: Utterance::default(),
                terms: if by == By::Meaning { TermList::default() } else { TermList::of(text, None) },
                vectors: vec![(recorded.model().clone(), vector)],
                payload: (),
            })?;
            ids.push(id);
        }
        let queries = (0..corpus.questions.len()).map(|number| vec![recorded.query_vector(number)]).collect();
        Ok(Self { index, ids, queries, corpus })
    }
}

impl Target for Bare {
    fn ask(&self, question: usize, by: By) -> Result<Vec<MemoryId>> {
        let found = self.index.search(&Search {
            text: by.text(&self.corpus.questions[question]),
            vectors: &self.queries[question],
            filter: Filter::default(),
            tags: Vec::new(),
            now: NOW_MILLIS,
            as_of: NOW_MILLIS,
            limit: TOP,
            min_similarity: 0.0,
            strong_only: false,
            recency_weight: by.recency_weight(),
            explain: false,
        });
        Ok(found.hits.iter().map(|hit| hit.id).collect())
    }

    fn ids(&self) -> &[MemoryId] {
        &self.ids
    }
}

/// A fact from one of the last hundred days.
fn attributes(number: usize, count: usize) -> Attributes {
    const DAYS: usize = 100;
    let days_ago = (DAYS - number * DAYS / count) as i64;
    Attributes {
        created_at: NOW_MILLIS - days_ago * DAY_MILLIS,
        expires_at: None,
        session: None,
        fading: Fading::steady(0.5),
        state: Lifecycle::Active,
        category: Category::LearnedContext,
        tier: Tier::Semantic,
        lane: Lane::Profile,
        secondary_lanes: Lanes::default(),
        is_record: false,
    }
}

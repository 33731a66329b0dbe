//! A service as an installation runs it, over SQLite files in a folder of the measurement's own.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use lacuna_core::gate::Rulebook;
use lacuna_core::index::QueryVector;
use lacuna_core::permit::{Action, Caller, Grant, permit};
use lacuna_core::read::{Context, Query, Turn};
use lacuna_core::vault::Models;
use lacuna_core::write::Outcome;
use lacuna_core::{Lacuna, Parts};
use lacuna_seal::SystemEntropy;
use lacuna_store::blobs::Blobs;
use lacuna_store::keys::{KeyStore, LocalKms, SqliteKeys};
use lacuna_store::rows::{SqliteStore, Store};
use lacuna_types::embed::{Calibration, Embedder, ModelId, Purpose};
use lacuna_types::policy::{MAX_ATOMS_MAX, Policies, Policy};
use lacuna_types::{Category, ConsentBasis, Draft, MemoryId, OrgId, Role, SystemClock, UserId};

use super::corpus::{Corpus, TOP};
use crate::Result;

pub(super) const USER: &str = "bench";
pub(super) const ORG: &str = "bench";
/// The folder of master, epoch and signing keys, named as the program names it.
pub(super) const KEYS_FOLDER: &str = "keys";
const RECORDED_MODEL: &str = "recorded@1";
/// Lets every cosine pass as an answer, so that each question has its ten: a harder load than the few that a
/// real model's scale lets through.
const OPEN_CALIBRATION: Calibration = Calibration { midpoint: -1.0, steepness: 1.0 };
const LOAD_BATCH: usize = 1_000;

/// The parts of a recall.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    MeaningAndWords,
    Meaning,
}

impl By {
    /// A question without words leaves the meaning alone.
    pub(super) fn text(self, question: &str) -> &str {
        if self == By::Meaning { "?" } else { question }
    }

    pub(super) fn recency_weight(self) -> f32 {
        if self == By::Meaning { 0.0 } else { lacuna_core::read::RECENCY_WEIGHT_DEFAULT }
    }
}

/// Answers with vectors that were made before the clock started: passages in the order of the corpus, and
/// the question that was chosen last.
pub(super) struct Recorded {
    model: ModelId,
    corpus: Arc<Corpus>,
    next_passage: AtomicUsize,
    question: AtomicUsize,
}

impl Recorded {
    pub(super) fn of(corpus: Arc<Corpus>) -> Self {
        let model = ModelId::new(RECORDED_MODEL);
        Self { model, corpus, next_passage: AtomicUsize::new(0), question: AtomicUsize::new(0) }
    }

    /// The next passage is the first one of the corpus.
    fn rewind(&self) {
        self.next_passage.store(0, Ordering::Relaxed);
    }

    pub(super) fn query_vector(&self, question: usize) -> QueryVector {
        let vector = self.corpus.question_vectors.row(question).to_vec();
        QueryVector { model: self.model.clone(), vector, calibration: OPEN_CALIBRATION, english_only: false }
    }
}

impl Embedder for Recorded {
    fn model(&self) -> &ModelId {
        &self.model
    }

    fn embed(&self, texts: &[&str], purpose: Purpose) -> lacuna_types::Result<Vec<Vec<f32>>> {
        let Corpus { vectors, question_vectors, .. } = &*self.corpus;
        Ok(match purpose {
            Purpose::Query => vec![question_vectors.row(self.question.load(Ordering::Relaxed)).to_vec()],
            Purpose::Passage => {
                let first = self.next_passage.fetch_add(texts.len(), Ordering::Relaxed);
                (first..first + texts.len()).map(|n| vectors.row(n % vectors.len()).to_vec()).collect()
            }
        })
    }

    fn calibration(&self, _purpose: Purpose) -> Calibration {
        OPEN_CALIBRATION
    }
}

pub(crate) fn service(folder: &Path, models: Models) -> Result<Lacuna> {
    // As a tenant with large vaults would have them: nothing is archived to make room.
    service_under(folder, models, Policy { max_atoms: MAX_ATOMS_MAX, ..Policy::default() })
}

/// A service whose tenants live under `everyone`.
pub(super) fn service_under(folder: &Path, models: Models, everyone: Policy) -> Result<Lacuna> {
    let store = Arc::new(SqliteStore::open(folder.join("lacuna.db"))?);
    let keys = Arc::new(SqliteKeys::open(folder.join("keys.db"))?);
    let parts = parts(folder, store, keys, models, everyone)?;
    Ok(Lacuna::new(parts).counting(lacuna_models::token_counter()))
}

/// The parts of a service over any stores, with its keys and blobs in `folder`.
pub(super) fn parts(
    folder: &Path,
    store: Arc<dyn Store>,
    keys: Arc<dyn KeyStore>,
    models: Models,
    everyone: Policy,
) -> Result<Parts> {
    let policies = Policies { everyone, ..Policies::default() };
    Ok(Parts {
        store,
        keys,
        kms: LocalKms::open(&folder.join(KEYS_FOLDER), None)?,
        blobs: Blobs::open(folder.join("blobs"))?,
        models,
        rules: Rulebook { policies, scanner: None },
        clock: Arc::new(SystemClock),
        entropy: Arc::new(SystemEntropy),
        open_bytes_max: usize::MAX,
    })
}

pub(crate) fn grant<A: Action>(user: &str) -> Result<Grant<A>> {
    let caller = Caller::new(OrgId::new(ORG)?, UserId::new(user)?, vec![Role::User]);
    Ok(permit(&caller, &caller.personal_scope())?)
}

pub(super) fn drafts(texts: &[String]) -> Vec<Draft> {
    let draft = |text: &String| Draft {
        text: text.as_str().into(),
        // Turns: facts of a made-up corpus would repeat and supersede each other.
        category: Some(Category::Conversation),
        consent_basis: Some(ConsentBasis::ExplicitConsent),
        // The same for all, so that the order by meaning alone is the order of the cosines.
        salience: Some(0.5),
        ..Draft::default()
    };
    texts.iter().map(draft).collect()
}

/// The ids of what was remembered; a corpus of which something was held back measures nothing.
pub(super) fn stored_ids(outcomes: Vec<Outcome>) -> Result<Vec<MemoryId>> {
    outcomes.into_iter().map(|outcome| Ok(outcome.stored()?.id)).collect()
}

/// One user's vault with a corpus in it, opened.
pub(super) struct Vault {
    pub(super) service: Lacuna,
    pub(super) ids: Vec<MemoryId>,
    recorded: Arc<Recorded>,
    corpus: Arc<Corpus>,
    grant: Grant<lacuna_core::permit::Recall>,
}

impl Vault {
    pub(super) fn fill(folder: &Path, corpus: Arc<Corpus>) -> Result<Self> {
        let recorded = Arc::new(Recorded::of(corpus.clone()));
        let service = service(folder, Models::only(recorded.clone()))?;
        service.upkeep().warm_up()?;
        recorded.rewind();
        let mut vault =
            Self { service, ids: Vec::new(), recorded, corpus: corpus.clone(), grant: grant(USER)? };
        vault.ids = vault.remember(USER, &corpus.texts)?;
        Ok(vault)
    }

    pub(super) fn remember(&self, user: &str, texts: &[String]) -> Result<Vec<MemoryId>> {
        let grant = grant(user)?;
        let mut ids = Vec::with_capacity(texts.len());
        for batch in texts.chunks(LOAD_BATCH) {
            ids.extend(stored_ids(self.service.remember(&grant, drafts(batch))?)?);
        }
        Ok(ids)
    }

    /// The memories for a question, or for the start of a conversation.
    pub(super) fn bring_to_mind(&self, question: Option<usize>) -> Result<Context> {
        self.recorded.question.store(question.unwrap_or(0), Ordering::Relaxed);
        let text = question.map(|question| self.corpus.questions[question].clone()).unwrap_or_default();
        Ok(self.service.context(std::slice::from_ref(&self.grant), &Turn { text, ..Turn::default() })?)
    }

    pub(super) fn ask(&self, question: usize, by: By) -> Result<Vec<MemoryId>> {
        self.recorded.question.store(question, Ordering::Relaxed);
        let query = Query {
            limit: TOP,
            recency_weight: by.recency_weight(),
            ..Query::new(by.text(&self.corpus.questions[question]))
        };
        let recalled = self.service.recall(&self.grant, &query)?;
        Ok(recalled.hits.iter().map(|hit| hit.memory.id).collect())
    }
}

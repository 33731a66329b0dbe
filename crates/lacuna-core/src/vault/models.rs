//! The embedding models of an installation, and the queue of vaults that await a better vector.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use lacuna_types::Scope;
use lacuna_types::embed::{Embedder, ModelId, Purpose};

use crate::index::search::QueryVector;

/// Hears how far a long work has come, and says whether to go on.
pub(crate) type Progress<'a> = dyn FnMut(usize) -> ControlFlow<()> + 'a;

/// The models of an installation.
pub struct Models {
    /// Embeds at once, at the moment of writing. Its vector stays beside the main one: both are compared, and the main
    /// model may be out of reach when a question comes.
    pub instant: Arc<dyn Embedder>,
    /// The model every memory should end up with; the instant one when there is no other.
    pub main: Arc<dyn Embedder>,
    /// Models that older vectors may still carry.
    pub others: Vec<Arc<dyn Embedder>>,
}

impl Models {
    /// Makes models with one model for everything.
    pub fn only(model: Arc<dyn Embedder>) -> Self {
        Self { instant: model.clone(), main: model, others: Vec::new() }
    }

    /// A question under each model that the vault has vectors of. A model that cannot answer is left out: the words and the
    /// other models still can.
    pub(crate) fn embed_query(&self, text: &str, present: &[ModelId]) -> Vec<QueryVector> {
        self.embed(text, Purpose::Query, present)
    }

    /// The same for a text that is compared as one memory with another: a topic to forget, a correction.
    pub(crate) fn embed_topic(&self, text: &str, present: &[ModelId]) -> Vec<QueryVector> {
        self.embed(text, Purpose::Passage, present)
    }

    fn embed(&self, text: &str, purpose: Purpose, present: &[ModelId]) -> Vec<QueryVector> {
        let mut vectors = Vec::with_capacity(present.len());
        for embedder in self.by_preference().filter(|embedder| present.contains(embedder.model())) {
            let model = embedder.model();
            match embedder.embed(&[text], purpose) {
                Ok(mut answer) => vectors.extend(answer.pop().map(|vector| QueryVector {
                    model: model.clone(),
                    vector,
                    calibration: embedder.calibration(purpose),
                    english_only: embedder.is_english_only(),
                })),
                Err(error) => tracing::warn!(%model, code = error.code(), "recall goes on without a model"),
            }
        }
        vectors
    }

    /// A text under the instant model, when the vault has vectors of it.
    pub(crate) fn embed_instantly(&self, text: &str, present: &[ModelId]) -> Option<QueryVector> {
        let embedder = Some(&self.instant).filter(|embedder| present.contains(embedder.model()))?;
        let vector = embedder.embed(&[text], Purpose::Passage).ok()?.pop()?;
        let calibration = embedder.calibration(Purpose::Passage);
        let english_only = embedder.is_english_only();
        Some(QueryVector { model: embedder.model().clone(), vector, calibration, english_only })
    }

    /// The models that every memory ends up with a vector of.
    pub(crate) fn in_use(&self) -> impl Iterator<Item = &Arc<dyn Embedder>> {
        let instant = (self.instant.model() != self.main.model()).then_some(&self.instant);
        std::iter::once(&self.main).chain(instant)
    }

    /// The names of those models.
    pub(crate) fn kept(&self) -> Vec<&ModelId> {
        self.in_use().map(|embedder| embedder.model()).collect()
    }

    /// Vectors that are known already, as a query under those of their models that are in use.
    pub(crate) fn query_of(&self, vectors: Vec<(ModelId, Vec<f32>)>) -> Vec<QueryVector> {
        let in_use = |(model, vector): (ModelId, Vec<f32>)| {
            let embedder = self.by_preference().find(|embedder| *embedder.model() == model)?;
            let calibration = embedder.calibration(Purpose::Passage);
            Some(QueryVector { model, vector, calibration, english_only: embedder.is_english_only() })
        };
        vectors.into_iter().filter_map(in_use).collect()
    }

    /// The main model first, then the instant one: of each memory the first two count that it has.
    fn by_preference(&self) -> impl Iterator<Item = &Arc<dyn Embedder>> {
        self.in_use().chain(&self.others)
    }
}

/// Vaults in which some memory still waits for its vector of the main model.
#[derive(Default)]
pub(crate) struct Backlog {
    scopes: Mutex<VecDeque<Scope>>,
    arrived: Condvar,
}

impl Backlog {
    pub(crate) fn push(&self, scope: &Scope) {
        let mut scopes = self.lock();
        if !scopes.contains(scope) {
            scopes.push_back(scope.clone());
            self.arrived.notify_one();
        }
    }

    /// The next vault, waiting up to `patience` for one to arrive.
    pub(crate) fn pop(&self, patience: Duration) -> Option<Scope> {
        let scopes = self.lock();
        let (mut scopes, _) = self
            .arrived
            .wait_timeout_while(scopes, patience, |scopes| scopes.is_empty())
            .unwrap_or_else(PoisonError::into_inner);
        scopes.pop_front()
    }

    pub(crate) fn len(&self) -> usize {
        self.lock().len()
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Scope>> {
        self.scopes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

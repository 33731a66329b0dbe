//! Example sentences as vectors: what a text means, where its words alone do not say.

use super::Judged;
use super::embedded::stored_vectors;
use super::learnt::{ClassShares, LearntWeights};
use super::sensitivity::CONFIDENCE_MIN;
use lacuna_types::Result;
use lacuna_types::embed::{Embedder, Purpose};
use lacuna_types::{Lane, Sensitivity};

pub(super) const EXAMPLES: &str = include_str!("lists/examples.txt");
const NONE: &str = "none";
/// Neighbours whose mean says how close a text is to a label.
const NEIGHBOURS: usize = 3;
// The figures below were chosen on sentences of our own and on ordinary conversation under an earlier static model:
// precision first, since a memory that is wrongly called sensitive may be refused. Under the present one they let
// fewer turns of ordinary conversation pass, 0.1% in place of 0.3%.
/// Lead over "none" that a label needs to be believed where the rules are silent.
const MARGIN_TO_ADD: f32 = 0.12;
/// The least closeness at which examples say anything.
const CLOSE: f32 = 0.38;
/// Lead over "none" that a label needs to raise a hint of the rules.
const MARGIN_TO_RAISE: f32 = 0.05;
/// Lead over the other lanes that a lane needs to be chosen.
const MARGIN_OF_LANE: f32 = 0.08;
/// Distance behind "none" from which a label is doubted.
const MARGIN_TO_DOUBT: f32 = 0.2;

/// Confidence of a judgement by meaning alone.
const CONFIDENCE: f32 = 0.55;
/// Confidence of a hint that the meaning shares by a wide margin.
const CONFIDENCE_SHARED: f32 = 0.72;
/// Below this the rules may be doubted, and by how much.
const WEAK: f32 = 0.65;
const DOUBT: f32 = 0.15;

/// Examples per label, embedded once by the model whose vectors are judged.
pub struct Prototypes {
    dimensions: usize,
    sensitivity: Vec<(Sensitivity, Vec<Vec<f32>>)>,
    none: Vec<Vec<f32>>,
    lanes: Vec<(Lane, Vec<Vec<f32>>)>,
    /// The learnt classifier, where it was learnt from this model's vectors.
    learnt: Option<LearntWeights>,
}

/// Closeness of a text to each label, against the examples of none.
pub struct Leaning {
    sensitivity: Vec<(Sensitivity, f32, f32)>,
    lanes: Vec<(Lane, f32)>,
}

impl Prototypes {
    /// Takes the examples of every label as they were embedded ahead, or embeds them if that was by another model.
    pub fn new(embedder: &dyn Embedder) -> Result<Self> {
        let texts: Vec<&str> = all_examples().collect();
        let stored = stored_vectors(embedder.model()).filter(|stored| stored.len() == texts.len());
        let vectors = match stored {
            Some(stored) => stored,
            None => embedder.embed(&texts, Purpose::Passage)?,
        };
        let dimensions = vectors.first().map_or(0, Vec::len);
        let mut vectors = vectors.into_iter();
        let mut of =
            |label: &str| -> Vec<Vec<f32>> { vectors.by_ref().take(examples(label).count()).collect() };
        Ok(Self {
            dimensions,
            sensitivity: Sensitivity::ALL.iter().map(|label| (*label, of(label.as_str()))).collect(),
            lanes: Lane::ALL.iter().map(|label| (*label, of(label.as_str()))).collect(),
            none: of(NONE),
            learnt: LearntWeights::of(embedder.model()),
        })
    }

    /// Shares of the learnt classes in a text with this vector and these signs.
    pub(super) fn shares(&self, vector: &[f32], signs: &[f32], heard: bool) -> Option<ClassShares> {
        self.learnt.as_ref()?.shares(vector, signs, heard)
    }

    /// Closeness of a vector to each label; `None` when it comes from another model.
    pub fn judge(&self, vector: &[f32]) -> Option<Leaning> {
        if vector.len() != self.dimensions || vector.is_empty() {
            return None;
        }
        let none = closeness(vector, &self.none);
        let sensitivity = self.sensitivity.iter().map(|(category, examples)| {
            let close = closeness(vector, examples);
            (*category, close, close - none)
        });
        let lanes = self.lanes.iter().map(|(lane, examples)| (*lane, closeness(vector, examples)));
        Some(Leaning { sensitivity: sensitivity.collect(), lanes: lanes.collect() })
    }
}

impl Leaning {
    /// Raises hints that the meaning shares, doubts what it does not, and adds what the rules missed of a person.
    pub fn settle_sensitivity(&self, judged: &mut Vec<Judged<Sensitivity>>, personal: bool) {
        let nearest = self.sensitivity.iter().map(|(_, close, _)| *close).fold(f32::MIN, f32::max);
        for (category, close, margin) in &self.sensitivity {
            let shares = personal && *close > CLOSE && *margin > MARGIN_TO_RAISE;
            let finds = personal && *close > CLOSE && *margin > MARGIN_TO_ADD && *close >= nearest;
            match judged.iter_mut().find(|judged| judged.value == *category) {
                Some(hint) if shares && hint.confidence < super::ASKING_CONFIDENCE => {
                    let confidence = if *margin > MARGIN_TO_ADD { CONFIDENCE_SHARED } else { CONFIDENCE };
                    let confidence = confidence.max(hint.confidence);
                    *hint = Judged::new(*category, confidence, "hint that the meaning shares");
                }
                Some(weak) if weak.confidence < WEAK && *margin < -MARGIN_TO_DOUBT => {
                    *weak = Judged::new(*category, weak.confidence - DOUBT, "words that the meaning doubts");
                }
                None if finds => judged.push(Judged::new(*category, CONFIDENCE, "meaning")),
                _ => {}
            }
        }
        judged.retain(|judged| judged.confidence >= CONFIDENCE_MIN);
        judged.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
    }

    /// Chooses the lane where the rules had nothing to go by.
    pub fn settle_lane(&self, judged: &mut Judged<Lane>) {
        let Some((best, close)) = self.lanes.iter().max_by(|a, b| a.1.total_cmp(&b.1)).copied() else {
            return;
        };
        let second =
            self.lanes.iter().filter(|(lane, _)| *lane != best).map(|(_, close)| *close).fold(0.0, f32::max);
        if judged.confidence < super::SURE && close > CLOSE && close - second > MARGIN_OF_LANE {
            *judged = Judged::new(best, CONFIDENCE, "meaning");
        }
    }
}

/// The mean cosine with the nearest examples. Vectors are of unit length.
fn closeness(vector: &[f32], examples: &[Vec<f32>]) -> f32 {
    let mut nearest = [f32::MIN; NEIGHBOURS];
    for example in examples {
        let cosine: f32 = vector.iter().zip(example).map(|(a, b)| a * b).sum();
        if let Some(at) = nearest.iter().position(|kept| cosine > *kept) {
            nearest[at..].rotate_right(1);
            nearest[at] = cosine;
        }
    }
    nearest.iter().sum::<f32>() / NEIGHBOURS as f32
}

/// The example sentences of all labels, in the order in which [`Prototypes::new`] takes them.
pub(super) fn all_examples() -> impl Iterator<Item = &'static str> {
    let sensitivity = Sensitivity::ALL.iter().map(|label| label.as_str());
    let lanes = Lane::ALL.iter().map(|label| label.as_str());
    sensitivity.chain(lanes).chain([NONE]).flat_map(examples)
}

/// The example sentences of one label.
fn examples(label: &str) -> impl Iterator<Item = &'static str> {
    let section = EXAMPLES.split("\n[").find(|section| section.split(']').next() == Some(label));
    section
        .into_iter()
        .flat_map(|section| section.lines().skip(1))
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
}

//! Example sentences as vectors: what a text means, where its words alone do not say.

use super::Judged;
use super::sensitivity::CONFIDENCE_MIN;
use crate::domain::{Lane, Sensitivity};
use crate::embed::{Embedder, Purpose};
use crate::error::Result;

const EXAMPLES: &str = include_str!("lists/examples.txt");
/// Neighbours whose mean says how close a text is to a label.
const NEIGHBOURS: usize = 3;
/// How far a label must lie ahead of "none" to be believed where the rules are silent.
const MARGIN_TO_ADD: f32 = 0.18;
/// The least closeness at which examples say anything.
const CLOSE: f32 = 0.5;
/// How far ahead a label must lie to raise a hint of the rules.
const MARGIN_TO_RAISE: f32 = 0.05;
/// How far behind "none" a label must lie to be doubted.
const MARGIN_TO_DOUBT: f32 = 0.2;

/// Examples per label, embedded once by the model whose vectors are judged.
pub struct Prototypes {
    dimensions: usize,
    sensitivity: Vec<(Sensitivity, Vec<Vec<f32>>)>,
    none: Vec<Vec<f32>>,
    lanes: Vec<(Lane, Vec<Vec<f32>>)>,
}

/// How close a text lies to each label, against the examples of none.
pub struct Leaning {
    sensitivity: Vec<(Sensitivity, f32, f32)>,
    lanes: Vec<(Lane, f32)>,
}

impl Prototypes {
    pub fn new(embedder: &dyn Embedder) -> Result<Self> {
        let examples = |label: &str| -> Result<Vec<Vec<f32>>> {
            let texts: Vec<&str> = examples(label).collect();
            embedder.embed(&texts, Purpose::Passage)
        };
        let mut sensitivity = Vec::new();
        for category in Sensitivity::ALL {
            sensitivity.push((*category, examples(category.as_str())?));
        }
        let mut lanes = Vec::new();
        for lane in Lane::ALL {
            lanes.push((*lane, examples(lane.as_str())?));
        }
        let none = examples("none")?;
        Ok(Self { dimensions: none.first().map_or(0, Vec::len), sensitivity, none, lanes })
    }

    /// What a vector leans to; nothing, if it comes from another model.
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
    pub(super) fn settle_sensitivity(&self, judged: &mut Vec<Judged<Sensitivity>>, personal: bool) {
        for (category, close, margin) in &self.sensitivity {
            match judged.iter_mut().find(|judged| judged.value == *category) {
                Some(hint)
                    if hint.confidence < super::SURE
                        && personal
                        && *margin > MARGIN_TO_RAISE
                        && *close > CLOSE =>
                {
                    *hint = Judged::new(*category, 0.55, "hint that the meaning shares");
                }
                Some(weak) if weak.confidence < 0.65 && *margin < -MARGIN_TO_DOUBT => {
                    *weak = Judged::new(*category, weak.confidence - 0.15, "words that the meaning doubts");
                }
                Some(_) => {}
                None if personal && *margin > MARGIN_TO_ADD && *close > CLOSE => {
                    judged.push(Judged::new(*category, 0.55, "meaning"));
                }
                None => {}
            }
        }
        judged.retain(|judged| judged.confidence >= CONFIDENCE_MIN);
        judged.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
    }

    /// Chooses the lane where the rules had nothing to go by.
    pub(super) fn settle_lane(&self, judged: &mut Judged<Lane>) {
        let Some((best, close)) = self.lanes.iter().max_by(|a, b| a.1.total_cmp(&b.1)).copied() else {
            return;
        };
        let second =
            self.lanes.iter().filter(|(lane, _)| *lane != best).map(|(_, close)| *close).fold(0.0, f32::max);
        if judged.confidence < super::SURE && close > CLOSE && close - second > MARGIN_TO_RAISE {
            *judged = Judged::new(best, 0.55, "meaning");
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

/// The example sentences of one label.
fn examples(label: &str) -> impl Iterator<Item = &'static str> {
    let section = EXAMPLES.split("\n[").find(|section| section.split(']').next() == Some(label));
    section
        .into_iter()
        .flat_map(|section| section.lines().skip(1))
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
}

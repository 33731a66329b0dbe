//! The learnt classifier: a linear map from a text's vector and the signs of the rules to shares of eleven classes.
//!
//! ```text
//! file = name length u8 ‖ name of the model ‖ columns u16 ‖ row per class
//! row  = columns × f32: one weight per component of the vector, per sign, and a constant
//! ```
//!
//! All numbers are little-endian. `cargo xtask model learn` writes the file from the sentences in `measure/data/gate_learn`.

use lacuna_types::embed::ModelId;
use lacuna_types::{Error, Result, Sensitivity};

use super::reading::TextReading;
use super::sensitivity::CONFIDENCE_MAX;
use super::signs::signs;
use super::{ASKING_CONFIDENCE, Judged, entities, privacy, sensitivity};

/// The classes, in the order of the rows.
pub const CLASSES: [&str; 11] = [
    "health",
    "belief",
    "sexuality",
    "biometric",
    "financial",
    "personal",
    "work",
    "none",
    "company",
    "document",
    "chat",
];
/// The classes that Article 9 protects come first, then what else is somebody's, then what is nobody's.
const PROTECTED: usize = 4;
const SOMEBODYS: usize = 7;

/// The signs count for less than the vector, whose single components are small.
const SIGN_SCALE: f32 = 0.3;
/// Factor before the shares are computed: least squares leaves the scores too close together.
const SHARPNESS: f32 = 6.0;
/// Share of the protected classes from which on a person is asked. Chosen on the learner's own sentences, each judged
/// without it, and on ordinary dialogues.
pub const ASKING_SHARE: f32 = 0.50;
/// The same where the rules see no word of a protected category: meaning alone takes more to be believed.
const ASKING_SHARE_UNHEARD: f32 = 0.7;
/// Share below which the meaning denies what words suggest.
const DENYING_SHARE: f32 = 0.15;
/// Share of the classes of nobody from which on a text is nobody's.
const NOBODYS_SHARE: f32 = 0.6;
/// Confidence in what is denied, and in what is likely and not asked about.
const DENIED: f32 = 0.45;
const UNASKED: f32 = ASKING_CONFIDENCE - 0.01;

static STORED: &[u8] = include_bytes!("lists/learnt.bin");

/// The weights for the vectors of one model.
pub(super) struct LearntWeights {
    rows: Vec<Vec<f32>>,
}

/// Shares of the classes in one text.
pub(super) struct ClassShares {
    shares: [f32; CLASSES.len()],
    /// The share from which on the owner is asked.
    asking: f32,
}

/// The numbers that the classifier weighs: the vector, the signs of the rules, and a constant.
pub fn classifier_inputs(text: &str, vector: &[f32]) -> Vec<f32> {
    let reading = TextReading::new(text);
    let entities = entities(&reading);
    let sensitivity = sensitivity::sensitivity(&reading, &entities);
    inputs(vector, &signs(&reading, &entities, &sensitivity, privacy::subject(&reading, &entities)))
}

fn inputs(vector: &[f32], signs: &[f32]) -> Vec<f32> {
    vector.iter().copied().chain(signs.iter().map(|sign| sign * SIGN_SCALE)).chain([1.0]).collect()
}

/// Turns the scores of the classes into shares that sum up to 1.
pub fn class_shares(scores: &[f32]) -> Vec<f32> {
    let highest = scores.iter().copied().fold(f32::MIN, f32::max);
    let raised: Vec<f32> = scores.iter().map(|score| ((score - highest) * SHARPNESS).exp()).collect();
    let sum: f32 = raised.iter().sum();
    raised.into_iter().map(|one| one / sum).collect()
}

/// The share of the classes that Article 9 protects.
pub fn protected_share(shares: &[f32]) -> f32 {
    shares[..PROTECTED].iter().sum()
}

/// Packs learnt weights, one row per class, as bytes of the file above.
pub fn pack_weights(model: &ModelId, rows: &[Vec<f32>]) -> Result<Vec<u8>> {
    let too_long = |_| Error::invalid("model", "has a name or vectors that are too long to store");
    let name = model.as_str();
    let mut bytes = vec![u8::try_from(name.len()).map_err(too_long)?];
    bytes.extend(name.as_bytes());
    let columns = rows.first().map_or(0, Vec::len);
    bytes.extend(u16::try_from(columns).map_err(too_long)?.to_le_bytes());
    bytes.extend(rows.iter().flatten().flat_map(|weight| weight.to_le_bytes()));
    Ok(bytes)
}

impl LearntWeights {
    /// The weights that were learnt from this model's vectors, if they are its own.
    pub(super) fn of(model: &ModelId) -> Option<Self> {
        Self::parse(STORED, model)
    }

    fn parse(bytes: &[u8], model: &ModelId) -> Option<Self> {
        let (length, rest) = bytes.split_first()?;
        let (name, rest) = rest.split_at_checked(usize::from(*length))?;
        let (columns, rest) = rest.split_first_chunk()?;
        let columns = usize::from(u16::from_le_bytes(*columns));
        let (weights, _) = rest.as_chunks();
        let rows: Vec<Vec<f32>> = weights
            .chunks_exact(columns)
            .map(|row| row.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
            .collect();
        (name == model.as_str().as_bytes() && rows.len() == CLASSES.len()).then_some(Self { rows })
    }

    /// The shares of the classes; `None` for a vector of another length. `heard` is true when the rules see a word of a
    /// protected category.
    pub(super) fn shares(&self, vector: &[f32], signs: &[f32], heard: bool) -> Option<ClassShares> {
        let inputs = inputs(vector, signs);
        if self.rows.iter().any(|row| row.len() != inputs.len()) {
            return None;
        }
        let score = |row: &Vec<f32>| row.iter().zip(&inputs).map(|(a, b)| a * b).sum::<f32>();
        let scores: Vec<f32> = self.rows.iter().map(score).collect();
        let asking = if heard { ASKING_SHARE } else { ASKING_SHARE_UNHEARD };
        Some(ClassShares { shares: class_shares(&scores).try_into().ok()?, asking })
    }
}

impl ClassShares {
    fn protected(&self) -> f32 {
        protected_share(&self.shares)
    }

    /// Confidence that the text is protected data of somebody, when it is to be asked about.
    pub(super) fn asks(&self) -> Option<f32> {
        let above = (self.protected() - self.asking) / (1.0 - self.asking);
        (above >= 0.0).then_some(ASKING_CONFIDENCE + (CONFIDENCE_MAX - ASKING_CONFIDENCE) * above)
    }

    /// Returns true when nothing speaks for somebody's data.
    pub(super) fn is_nobodys(&self) -> bool {
        self.shares[SOMEBODYS..].iter().sum::<f32>() >= NOBODYS_SHARE
    }

    /// The likeliest of the protected classes, as a category.
    fn category(&self) -> Sensitivity {
        const CATEGORIES: [Sensitivity; PROTECTED] = [
            Sensitivity::Health,
            Sensitivity::PoliticalReligious,
            Sensitivity::Relationships,
            Sensitivity::Biometric,
        ];
        let best = CATEGORIES.iter().zip(&self.shares).max_by(|a, b| a.1.total_cmp(b.1));
        best.map_or(Sensitivity::Health, |(category, _)| *category)
    }

    /// Decides on the protected categories: the words were heard as signs, so that the shares have the last word.
    pub(super) fn settle(&self, judged: &mut Vec<Judged<Sensitivity>>) {
        let asks = self.asks();
        let most = match asks {
            Some(_) => 1.0,
            None if self.protected() < DENYING_SHARE => DENIED,
            None => UNASKED,
        };
        for one in judged.iter_mut().filter(|one| is_protected(one.value)) {
            one.confidence = one.confidence.min(most);
        }
        if let Some(confidence) = asks {
            let category = self.category();
            let learnt = Judged::new(category, confidence, "meaning and words together");
            match judged.iter_mut().find(|one| one.value == category) {
                Some(one) if one.confidence >= confidence => {}
                Some(one) => *one = learnt,
                None => judged.push(learnt),
            }
        }
        judged.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
    }
}

/// Returns true for the categories of Article 9.
pub(super) fn is_protected(category: Sensitivity) -> bool {
    matches!(category, Sensitivity::Health | Sensitivity::PoliticalReligious | Sensitivity::Biometric)
}

//! Memories of our own making that are shaped like real ones: vectors in clusters of low rank, words by Zipf.

use lacuna_core::index::{Attributes, Entry, Index, Lanes, QuantVec, QueryVector, Session, Utterance};
use lacuna_language::words::TermList;
use lacuna_types::decay::Fading;
use lacuna_types::embed::{Calibration, ModelId};
use lacuna_types::{Category, Lane, Lifecycle, MemoryId, SessionId, Tier};

pub(crate) const DIMENSIONS: usize = 384;
pub(crate) const NOW: i64 = 1_700_000_000_000;
/// Latent dimensions that carry most of the meaning, and how much is noise in all of them.
const RANK: usize = 64;
const NOISE: f32 = 0.35;
const MEMORIES_PER_CLUSTER: usize = 50;
const VOCABULARY: usize = 50_000;
/// The most frequent words of a language are stop words, which no memory is found by.
const STOP_WORDS: usize = 30;
const WORDS_PER_MEMORY: usize = 18;
const TURNS_PER_SESSION: usize = 25;
const HEADER_BYTES: usize = 6;

/// A small deterministic generator; quality is of no matter here, repeatability is.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() >> 11) as usize % limit
    }

    fn unit(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1u64 << 24) as f32
    }

    /// About normal: the sum of four uniforms.
    fn normal(&mut self) -> f32 {
        ((0..4).map(|_| self.unit()).sum::<f32>() - 2.0) * 1.732
    }
}

/// Where vectors and words are drawn from.
pub(crate) struct World {
    mixing: Vec<[f32; DIMENSIONS]>,
    vocabulary: Vec<[u8; 8]>,
    clusters: usize,
}

impl World {
    pub(crate) fn new(memories: usize) -> Self {
        let mut dice = Dice::new(1);
        // The spectrum falls as it does in real embeddings: a few directions say most.
        let mixing = (0..RANK)
            .map(|rank| std::array::from_fn(|_| dice.normal() / (1.0 + rank as f32).powf(0.4)))
            .collect();
        let vocabulary = (0..VOCABULARY).map(|rank| term(&word(rank))).collect();
        Self { mixing, vocabulary, clusters: (memories / MEMORIES_PER_CLUSTER).max(1) }
    }

    /// A vector near the centre of a cluster.
    pub(crate) fn vector(&self, dice: &mut Dice) -> Vec<f32> {
        let mut centre = Dice::new(1_000 + dice.below(self.clusters) as u64);
        let mut vector = vec![0f32; DIMENSIONS];
        for direction in &self.mixing {
            let latent = centre.normal() + 0.5 * dice.normal();
            vector.iter_mut().zip(direction).for_each(|(x, d)| *x += latent * d);
        }
        let norm = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
        let noise = NOISE / (DIMENSIONS as f32).sqrt();
        vector.iter_mut().for_each(|x| *x = *x / norm + noise * dice.normal());
        let norm = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
        vector.iter_mut().for_each(|x| *x /= norm);
        vector
    }

    fn rank(&self, dice: &mut Dice) -> usize {
        let span = VOCABULARY as f32 / STOP_WORDS as f32;
        ((STOP_WORDS as f32 * span.powf(dice.unit())) as usize).min(VOCABULARY - 1)
    }

    /// The words of a memory, as they would be read from its sealed frame.
    fn terms(&self, dice: &mut Dice) -> TermList {
        let mut terms: Vec<[u8; 8]> =
            (0..WORDS_PER_MEMORY).map(|_| self.vocabulary[self.rank(dice)]).collect();
        terms.sort_unstable_by_key(|term| u64::from_le_bytes(*term));
        terms.dedup();
        let mut bytes = TermList::of("word", None).to_bytes()[..HEADER_BYTES].to_vec();
        bytes[2..].copy_from_slice(&(WORDS_PER_MEMORY as u32).to_le_bytes());
        terms.iter().for_each(|term| bytes.extend(term.iter().chain(&[1])));
        TermList::from_bytes(&bytes).unwrap()
    }

    pub(crate) fn entry(&self, n: usize, vector: &[f32], dice: &mut Dice) -> Entry<()> {
        let mut id = [0; 16];
        id[..8].copy_from_slice(&(n as u64).to_be_bytes());
        let session = SessionId::new(&format!("session-{}", n / TURNS_PER_SESSION)).unwrap();
        Entry {
            id: MemoryId::from_bytes(id),
            attributes: Attributes {
                created_at: NOW - n as i64 * 1_000,
                expires_at: None,
                session: Some(Session::new(&session, Some((n % TURNS_PER_SESSION) as u32))),
                fading: Fading::steady(0.5),
                state: Lifecycle::Active,
                category: Category::Conversation,
                tier: Tier::Episodic,
                lane: Lane::Profile,
                is_record: false,
                secondary_lanes: Lanes::default(),
            },
            tags: Vec::new(),
            terms: self.terms(dice),
            utterance: Utterance::default(),
            vectors: vec![(model(), QuantVec::from_f32(vector).unwrap())],
            payload: (),
        }
    }

    pub(crate) fn index(&self, memories: usize, mut keep: impl FnMut(&[f32])) -> Index<()> {
        let mut dice = Dice::new(2);
        let mut index = Index::new();
        for n in 0..memories {
            let vector = self.vector(&mut dice);
            keep(&vector);
            index.insert(self.entry(n, &vector, &mut dice)).unwrap();
        }
        index
    }

    /// A question of six words, drawn as the memories' words are.
    pub(crate) fn question(&self, dice: &mut Dice) -> String {
        (0..6).map(|_| word(self.rank(dice))).collect::<Vec<_>>().join(" ")
    }
}

pub(crate) fn model() -> ModelId {
    ModelId::new("made")
}

/// A query vector under a calibration like that of a real model.
pub(crate) fn query(vector: Vec<f32>) -> QueryVector {
    QueryVector {
        model: model(),
        vector,
        calibration: Calibration { midpoint: 0.2, steepness: 9.0 },
        english_only: false,
    }
}

/// Words that no stemmer changes.
fn word(rank: usize) -> String {
    format!("{rank}")
}

fn term(word: &str) -> [u8; 8] {
    TermList::of(word, None).to_bytes()[HEADER_BYTES..HEADER_BYTES + 8].try_into().unwrap()
}

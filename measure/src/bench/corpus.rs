//! Texts and questions of a measurement with their vectors, the same for us and for the peers.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::thread;

use lacuna_types::embed::{Embedder, Purpose};

use super::random::Random;
use super::sentences;
use crate::Result;

pub(super) const SEED: u64 = 20_260_412;
/// The dimension of the default model's vectors.
pub(super) const CLUSTERED_DIMENSIONS: usize = 384;
/// Answers that are looked at.
pub(super) const TOP: usize = 10;
/// Two memories this close in cosine are equally good answers.
const TIE: f32 = 1e-6;

/// Clustered vectors are the sum of a broad topic, a narrow one and their own noise; the squares of these add
/// up to one, so that two of one narrow topic have a cosine of about 0.65, of one broad topic 0.3.
const BROAD_SHARE: f32 = 0.3;
const NARROW_SHARE: f32 = 0.35;
const BROAD_TOPICS: usize = 64;
const MEMORIES_PER_NARROW_TOPIC: usize = 50;
/// A question's cosine with the memory that it is about.
const QUESTION_COSINE: f32 = 0.7;

const EMBED_BATCH: usize = 1_000;

/// Rows of equal length, one after the other.
pub(super) struct Vectors {
    pub(super) dimensions: usize,
    flat: Vec<f32>,
}

impl Vectors {
    pub(super) fn len(&self) -> usize {
        self.flat.len() / self.dimensions
    }

    pub(super) fn row(&self, number: usize) -> &[f32] {
        &self.flat[number * self.dimensions..(number + 1) * self.dimensions]
    }

    pub(super) fn write(&self, path: &Path) -> Result {
        let mut file = BufWriter::new(File::create(path)?);
        self.flat.iter().try_for_each(|x| file.write_all(&x.to_le_bytes()))?;
        Ok(file.flush()?)
    }

    fn of(rows: Vec<Vec<f32>>) -> Self {
        Self { dimensions: rows.first().map_or(1, Vec::len), flat: rows.concat() }
    }

    fn cosine(&self, number: usize, query: &[f32]) -> f32 {
        dot(self.row(number), query)
    }
}

pub(super) struct Corpus {
    pub(super) texts: Vec<String>,
    pub(super) vectors: Vectors,
    pub(super) questions: Vec<String>,
    pub(super) question_vectors: Vectors,
}

impl Corpus {
    /// Made-up sentences with made-up vectors: for timing, where their size and spread count.
    pub(super) fn clustered(count: usize, questions: usize) -> Self {
        let (vectors, question_vectors) = clustered(count, questions);
        let (texts, questions) = texts(count, questions);
        Self { texts, vectors, questions, question_vectors }
    }

    /// Made-up sentences with the vectors that a model gives them.
    pub(super) fn embedded(count: usize, questions: usize, model: &dyn Embedder) -> Result<Self> {
        let (texts, questions) = texts(count, questions);
        let vectors = embed(&texts, Purpose::Passage, model)?;
        let question_vectors = embed(&questions, Purpose::Query, model)?;
        Ok(Self { texts, vectors, questions, question_vectors })
    }

    /// Drops the questions after the first `count`.
    pub(super) fn keep_questions(&mut self, count: usize) {
        self.questions.truncate(count);
        let vectors = &mut self.question_vectors;
        vectors.flat.truncate(count * vectors.dimensions);
    }

    pub(super) fn text_bytes(&self) -> usize {
        self.texts.iter().map(String::len).sum()
    }

    /// For each question, the cosine of its tenth-best answer by full-precision search over all memories.
    pub(super) fn exact_thresholds(&self) -> Vec<f32> {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let numbers: Vec<usize> = (0..self.questions.len()).collect();
        let share = numbers.len().div_ceil(threads).max(1);
        thread::scope(|scope| {
            let parts: Vec<_> = numbers
                .chunks(share)
                .map(|part| scope.spawn(|| part.iter().map(|&n| self.exact_threshold(n)).collect::<Vec<_>>()))
                .collect();
            let join = |part: thread::ScopedJoinHandle<'_, Vec<f32>>| {
                part.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            parts.into_iter().flat_map(join).collect()
        })
    }

    fn exact_threshold(&self, question: usize) -> f32 {
        let query = self.question_vectors.row(question);
        let mut cosines: Vec<f32> = (0..self.vectors.len()).map(|n| self.vectors.cosine(n, query)).collect();
        let tenth = TOP.min(cosines.len()) - 1;
        *cosines.select_nth_unstable_by(tenth, |a, b| b.total_cmp(a)).1
    }

    /// The share of the ten exact answers that an approximate one found, where ties count as found.
    pub(super) fn recall(&self, thresholds: &[f32], question: usize, found: &[u32]) -> f64 {
        let query = self.question_vectors.row(question);
        let good =
            |number: &&u32| self.vectors.cosine(**number as usize, query) >= thresholds[question] - TIE;
        found.iter().take(TOP).filter(good).count() as f64 / TOP.min(self.texts.len()) as f64
    }
}

fn texts(count: usize, questions: usize) -> (Vec<String>, Vec<String>) {
    let texts = (0..count).map(|number| sentences::memory(SEED, number)).collect();
    (texts, (0..questions).map(|number| sentences::question(SEED, number)).collect())
}

fn embed(texts: &[String], purpose: Purpose, model: &dyn Embedder) -> Result<Vectors> {
    let mut rows = Vec::with_capacity(texts.len());
    for batch in texts.chunks(EMBED_BATCH) {
        let batch: Vec<&str> = batch.iter().map(String::as_str).collect();
        rows.extend(model.embed(&batch, purpose)?);
    }
    Ok(Vectors::of(rows))
}

fn clustered(count: usize, questions: usize) -> (Vectors, Vectors) {
    let dimensions = CLUSTERED_DIMENSIONS;
    let mut random = Random::new(SEED);
    let broad: Vec<_> = (0..BROAD_TOPICS).map(|_| direction(dimensions, &mut random)).collect();
    let narrow: Vec<_> = (0..count.div_ceil(MEMORIES_PER_NARROW_TOPIC))
        .map(|number| mixed(&broad[number % broad.len()], BROAD_SHARE, NARROW_SHARE, &mut random))
        .collect();
    let own_share = 1.0 - BROAD_SHARE - NARROW_SHARE;
    let mut flat = Vec::with_capacity(count * dimensions);
    for _ in 0..count {
        let topic = &narrow[random.falling(narrow.len())];
        flat.extend(unit(mixed(topic, 1.0, own_share, &mut random)));
    }
    let vectors = Vectors { dimensions, flat };
    let question = |_| {
        let about = vectors.row(random.below(count));
        let kept = QUESTION_COSINE * QUESTION_COSINE;
        unit(mixed(about, kept, 1.0 - kept, &mut random))
    };
    let questions = Vectors::of((0..questions).map(question).collect());
    (vectors, questions)
}

/// A random vector of about unit length.
fn direction(dimensions: usize, random: &mut Random) -> Vec<f32> {
    let scale = (dimensions as f32).sqrt().recip();
    (0..dimensions).map(|_| random.bell() * scale).collect()
}

/// `of` and a random direction, each with the square root of its share.
fn mixed(of: &[f32], share: f32, noise_share: f32, random: &mut Random) -> Vec<f32> {
    let scale = (noise_share / of.len() as f32).sqrt();
    of.iter().map(|x| x * share.sqrt() + random.bell() * scale).collect()
}

fn unit(mut vector: Vec<f32>) -> Vec<f32> {
    let norm = dot(&vector, &vector).sqrt().max(f32::MIN_POSITIVE);
    vector.iter_mut().for_each(|x| *x /= norm);
    vector
}

/// In lanes, so that the compiler may use the machine's vector registers.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    const LANES: usize = 16;
    let (a_lanes, a_rest) = a.as_chunks::<LANES>();
    let (b_lanes, b_rest) = b.as_chunks::<LANES>();
    let mut sums = [0f32; LANES];
    for (a, b) in a_lanes.iter().zip(b_lanes) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    sums.iter().sum::<f32>() + a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum::<f32>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clustered_vectors_are_unit_and_questions_have_near_answers() {
        let corpus = Corpus::clustered(500, 20);
        let thresholds = corpus.exact_thresholds();
        for number in 0..corpus.vectors.len() {
            let row = corpus.vectors.row(number);
            assert!((dot(row, row) - 1.0).abs() < 1e-4);
        }
        assert!(thresholds.iter().all(|&cosine| cosine > 0.2 && cosine < QUESTION_COSINE + 0.1));
    }

    #[test]
    fn recall_counts_the_exact_answers_that_were_found() {
        let corpus = Corpus::clustered(200, 3);
        let thresholds = corpus.exact_thresholds();
        let query = corpus.question_vectors.row(1);
        let mut order: Vec<u32> = (0..200).collect();
        order.sort_by(|a, b| {
            let cosine = |n: &u32| corpus.vectors.cosine(*n as usize, query);
            cosine(b).total_cmp(&cosine(a))
        });
        assert_eq!(corpus.recall(&thresholds, 1, &order[..TOP]), 1.0);
        assert_eq!(corpus.recall(&thresholds, 1, &order[TOP..]), 0.0);
        assert_eq!(corpus.recall(&thresholds, 1, &order[5..15]), 0.5);
    }
}

//! `cargo xtask model questions`: learns how the static model's vector of a question is turned before it is compared with
//! memories. The sentence model needs no such turn: its layers were learnt on the same pairs (`cargo xtask model tune`).
//!
//! The model embeds a question beside texts that are worded like it, and a question is seldom worded like its answer. Pairs of
//! our own (`measure/data/questions_learn`, one file per language) say which memory answers which question. The vector of a
//! question is moved by an affine map, learnt so that its memory wins against other memories (softmax over a sample, Adam).
//! Vectors of memories stay as they are. A given seed and data give the same map.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use lacuna_models::packed::ModelPacker;
use lacuna_types::embed::{Embedder, Purpose};
use serde::Deserialize;

use crate::Result;
use crate::bench::random::Random;

const PAIRS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/questions_learn");
const MAPS_FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/lacuna-models/packed/questions.bin");

const EPOCHS: usize = 8;
/// Questions of one step.
const BATCH: usize = 256;
/// Memories that compete in one step; those of the step's questions are among them.
const RIVALS: usize = 1024;
/// Length of the first step, and the share of it that is left in the last epoch.
const STEP: f32 = 6e-4;
const STEP_LEFT: f32 = 0.1;
/// Pull of the turn towards one that changes nothing.
const PULL: f32 = 0.01;
/// Weight of a cosine in the softmax that is learnt on.
const SHARPNESS: f32 = 14.0;
/// Constants of Adam.
const MEAN_DECAY: f32 = 0.9;
const SQUARE_DECAY: f32 = 0.999;
const EPSILON: f32 = 1e-8;
const SEED: u64 = 0x5eed_0016;
/// One memory in this many is left out to report how well the map does on memories that it has not seen.
const LEFT_OUT_EVERY: usize = 5;
const CUTOFFS: [usize; 3] = [1, 5, 10];
const TEXTS_AT_ONCE: usize = 64;

/// A memory, and questions that it answers.
#[derive(Deserialize)]
struct Pair {
    fact: String,
    queries: Vec<String>,
}

/// Vectors of all pairs.
struct Lesson {
    facts: Vec<Vec<f32>>,
    questions: Vec<Vec<f32>>,
    /// The memory that answers each question.
    answers: Vec<usize>,
    /// Memories of each file, which has one language. They compete with each other alone: if all did, the map would learn to
    /// prefer the language of the question.
    languages: Vec<Range<usize>>,
}

pub(super) fn run() -> Result {
    let model = lacuna_models::static_embedder()?;
    let lesson = Lesson::read(Path::new(PAIRS), &*model)?;
    println!("{} questions to {} memories", lesson.answers.len(), lesson.facts.len());
    let all: Vec<usize> = (0..lesson.facts.len()).collect();
    let (learnt, left_out): (Vec<usize>, Vec<usize>) =
        all.iter().partition(|fact| *fact % LEFT_OUT_EVERY != 0);
    lesson.report("left out, as it is", &AffineMap::neutral(lesson.width()), &left_out);
    lesson.report("left out, mapped", &lesson.learn(&learnt), &left_out);
    let map = lesson.learn(&all);
    let mut packer = ModelPacker::default();
    packer.int8_rows("static.turn", map.width(), &map.turn)?;
    packer.floats("static.shift", map.width(), &map.shift)?;
    Ok(fs::write(MAPS_FILE, packer.finish())?)
}

impl Lesson {
    fn read(folder: &Path, model: &dyn Embedder) -> Result<Self> {
        let (mut facts, mut questions) = (Vec::new(), Vec::new());
        let (mut answers, mut languages) = (Vec::new(), Vec::new());
        for file in files(folder)? {
            let first = facts.len();
            for line in fs::read_to_string(&file)?.lines() {
                let pair: Pair =
                    serde_json::from_str(line).map_err(|error| format!("{}: {error}", file.display()))?;
                answers.extend(pair.queries.iter().map(|_| facts.len()));
                questions.extend(pair.queries);
                facts.push(pair.fact);
            }
            languages.push(first..facts.len());
        }
        Ok(Self { facts: embed(model, &facts)?, questions: embed(model, &questions)?, answers, languages })
    }

    fn width(&self) -> usize {
        self.facts.first().map_or(0, Vec::len)
    }

    /// The map that takes the mean of all questions to `taken` away: all questions have it in common, so it says nothing.
    fn centred(&self, taken: &[usize]) -> AffineMap {
        let mut map = AffineMap::neutral(self.width());
        let asked: Vec<usize> =
            (0..self.answers.len()).filter(|one| taken.binary_search(&self.answers[*one]).is_ok()).collect();
        for question in &asked {
            add(&mut map.shift, &self.questions[*question], -1.0 / asked.len() as f32);
        }
        map
    }

    /// Learns the map from the questions to `taken`.
    fn learn(&self, taken: &[usize]) -> AffineMap {
        let mut random = Random::new(SEED);
        let mut student = Student::new(self.centred(taken));
        for epoch in 0..EPOCHS {
            let step = STEP * (1.0 - (1.0 - STEP_LEFT) * epoch as f32 / EPOCHS as f32);
            for batch in self.batches(taken, &mut random) {
                let rivals = self.rivals(&batch, taken, &mut random);
                self.step(&mut student, &batch, &rivals, step);
            }
        }
        student.map
    }

    /// The questions to `taken` in batches of one language each, by chance.
    fn batches(&self, taken: &[usize], random: &mut Random) -> Vec<Vec<usize>> {
        let mut batches = Vec::new();
        for language in &self.languages {
            let is_taken = |fact: &usize| language.contains(fact) && taken.binary_search(fact).is_ok();
            let mut questions: Vec<usize> =
                (0..self.answers.len()).filter(|one| is_taken(&self.answers[*one])).collect();
            shuffle(&mut questions, random);
            batches.extend(questions.chunks(BATCH).map(<[usize]>::to_vec));
        }
        shuffle(&mut batches, random);
        batches
    }

    /// The memories that compete: the answers of the batch, filled up by chance from their language.
    fn rivals(&self, batch: &[usize], taken: &[usize], random: &mut Random) -> Vec<usize> {
        let mut rivals: Vec<usize> = batch.iter().map(|question| self.answers[*question]).collect();
        let facts =
            self.languages.iter().find(|facts| facts.contains(&rivals[0])).cloned().unwrap_or_default();
        let among = &taken[taken.partition_point(|fact| *fact < facts.start)..];
        let among = &among[..among.partition_point(|fact| *fact < facts.end)];
        rivals.extend((batch.len()..RIVALS).map(|_| among[random.below(among.len())]));
        rivals.sort_unstable();
        rivals.dedup();
        rivals
    }

    fn step(&self, student: &mut Student, batch: &[usize], rivals: &[usize], step: f32) {
        let columns = transposed(&self.facts, rivals);
        let share = 1.0 / batch.len() as f32;
        for &question in batch {
            let mapped = student.map.apply(&self.questions[question]);
            let mut blame = vec![0.0; rivals.len()];
            for (value, column) in mapped.iter().zip(columns.chunks_exact(rivals.len())) {
                add(&mut blame, column, SHARPNESS * value);
            }
            softmax(&mut blame);
            // The answer of every question of the batch is among its rivals.
            if let Ok(answer) = rivals.binary_search(&self.answers[question]) {
                blame[answer] -= 1.0;
            }
            let mut pushed = vec![0.0; mapped.len()];
            for (rival, blame) in rivals.iter().zip(&blame) {
                add(&mut pushed, &self.facts[*rival], SHARPNESS * share * blame);
            }
            student.notice(&self.questions[question], &pushed);
        }
        student.learn(step);
    }

    /// Prints how often the memory of a question is among the best of `kept`.
    fn report(&self, title: &str, map: &AffineMap, kept: &[usize]) {
        let mut hits = [0_usize; CUTOFFS.len()];
        let asked = (0..self.answers.len()).filter(|one| kept.binary_search(&self.answers[*one]).is_ok());
        let mut count = 0;
        for question in asked {
            let mapped = map.apply(&self.questions[question]);
            let right = dot(&mapped, &self.facts[self.answers[question]]);
            let better = kept.iter().filter(|fact| dot(&mapped, &self.facts[**fact]) > right).count();
            count += 1;
            for (hit, cutoff) in hits.iter_mut().zip(CUTOFFS) {
                *hit += usize::from(better < cutoff);
            }
        }
        let shares = hits.map(|hit| format!("{:.1}", 100.0 * hit as f64 / count.max(1) as f64));
        println!("{title}: {count} questions to {} memories, hit@1/5/10 {}", kept.len(), shares.join(" / "));
    }
}

fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<std::result::Result<_, _>>()?;
    files.retain(|path| path.extension().is_some_and(|ending| ending == "jsonl"));
    files.sort();
    Ok(files)
}

/// The vectors of texts, unmapped.
fn embed(model: &dyn Embedder, texts: &[String]) -> Result<Vec<Vec<f32>>> {
    let mut vectors = Vec::with_capacity(texts.len());
    for chunk in texts.chunks(TEXTS_AT_ONCE) {
        let chunk: Vec<&str> = chunk.iter().map(String::as_str).collect();
        vectors.extend(model.embed(&chunk, Purpose::Passage)?);
    }
    Ok(vectors)
}

/// A map that adds to a vector its turn and a shift. The turn stands by columns: one row for each component that comes in.
#[derive(Clone)]
struct AffineMap {
    turn: Vec<f32>,
    shift: Vec<f32>,
}

impl AffineMap {
    fn neutral(width: usize) -> Self {
        Self { turn: vec![0.0; width * width], shift: vec![0.0; width] }
    }

    fn width(&self) -> usize {
        self.shift.len()
    }

    fn apply(&self, vector: &[f32]) -> Vec<f32> {
        let mut mapped: Vec<f32> =
            vector.iter().zip(&self.shift).map(|(value, shift)| value + shift).collect();
        for (value, column) in vector.iter().zip(self.turn.chunks_exact(self.width())) {
            add(&mut mapped, column, *value);
        }
        mapped
    }
}

/// A map that is being learnt, with the moments that Adam keeps.
struct Student {
    map: AffineMap,
    slope: AffineMap,
    means: AffineMap,
    squares: AffineMap,
    steps: i32,
}

impl Student {
    fn new(map: AffineMap) -> Self {
        let [slope, means, squares] = [(); 3].map(|()| AffineMap::neutral(map.width()));
        Self { map, slope, means, squares, steps: 0 }
    }

    /// Adds one question's push to the slope of the step.
    fn notice(&mut self, question: &[f32], pushed: &[f32]) {
        let width = self.map.width();
        for (value, row) in question.iter().zip(self.slope.turn.chunks_exact_mut(width)) {
            add(row, pushed, *value);
        }
        add(&mut self.slope.shift, pushed, 1.0);
    }

    fn learn(&mut self, step: f32) {
        self.steps += 1;
        let corrections = [MEAN_DECAY, SQUARE_DECAY].map(|decay| 1.0 - decay.powi(self.steps));
        let parts = [
            (&mut self.map.turn, &mut self.slope.turn, &mut self.means.turn, &mut self.squares.turn, PULL),
            (&mut self.map.shift, &mut self.slope.shift, &mut self.means.shift, &mut self.squares.shift, 0.0),
        ];
        for (values, slopes, means, squares, pull) in parts {
            let moments = means.iter_mut().zip(squares);
            for ((value, slope), (mean, square)) in values.iter_mut().zip(slopes).zip(moments) {
                let slope_now = *slope + pull * *value;
                *mean = MEAN_DECAY * *mean + (1.0 - MEAN_DECAY) * slope_now;
                *square = SQUARE_DECAY * *square + (1.0 - SQUARE_DECAY) * slope_now * slope_now;
                *value -= step * (*mean / corrections[0]) / ((*square / corrections[1]).sqrt() + EPSILON);
                *slope = 0.0;
            }
        }
    }
}

/// Adds `share` of `other` to `sum`.
fn add(sum: &mut [f32], other: &[f32], share: f32) {
    for (sum, other) in sum.iter_mut().zip(other) {
        *sum += share * other;
    }
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The vectors of the `rows`, component by component.
fn transposed(vectors: &[Vec<f32>], rows: &[usize]) -> Vec<f32> {
    let width = vectors.first().map_or(0, Vec::len);
    (0..width).flat_map(|component| rows.iter().map(move |row| vectors[*row][component])).collect()
}

fn softmax(scores: &mut [f32]) {
    let most = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    scores.iter_mut().for_each(|score| *score = (*score - most).exp());
    let sum: f32 = scores.iter().sum();
    scores.iter_mut().for_each(|score| *score /= sum);
}

fn shuffle<T>(values: &mut [T], random: &mut Random) {
    for last in (1..values.len()).rev() {
        values.swap(last, random.below(last + 1));
    }
}

//! `cargo xtask model learn`: learns the weights of the gate's classifier from sentences of our own, by least squares.
//!
//! The sentences are in `measure/data/gate_learn`, one folder per writer and one file per language: `[class]`, one sentence
//! per line, and `{slot}: value, value` for the values that a sentence with a slot is written with. A sentence and its variants
//! are one group, which is never learnt from and judged at the same time. Writers are also left out as a whole: what was learnt
//! from the others says how the weights do on sentences of somebody else.

use std::fs;
use std::path::Path;

use lacuna_language::classify::{
    ASKING_SHARE, CLASSES, class_shares, classifier_inputs, pack_weights, protected_share,
};
use lacuna_types::embed::Purpose;

use crate::Result;

const SENTENCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/gate_learn");
const WEIGHTS_FILE: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/lacuna-language/src/classify/lists/learnt.bin");
/// Variants of one sentence at most, so that no pattern outweighs the others.
const VARIANTS_MAX: usize = 6;
/// The folders of the writers.
const WRITERS: [&str; 4] = ["first", "second", "third", "fourth"];
/// Parts of the cross-validation, for the sentences of each writer.
const FOLDS: usize = 5;
/// Penalty on large weights; the constant has next to none.
const PENALTY: f64 = 1.0;
const PENALTY_OF_CONSTANT: f64 = 1e-6;
/// Classes that Article 9 protects.
const PROTECTED: [&str; 4] = ["health", "belief", "sexuality", "biometric"];

/// A sentence to learn from.
struct Example {
    class: usize,
    text: String,
    writer: usize,
    fold: usize,
    inputs: Vec<f32>,
}

/// Sums of products of the inputs, with each other and with the classes.
#[derive(Clone)]
struct Sums {
    columns: usize,
    inputs: Vec<f64>,
    classes: Vec<Vec<f64>>,
}

pub(super) fn run() -> Result {
    let embedder = lacuna_models::static_embedder()?;
    let mut examples = Vec::new();
    for (writer, folder) in WRITERS.iter().enumerate() {
        examples.extend(read_all(&Path::new(SENTENCES).join(folder), writer)?);
    }
    let texts: Vec<&str> = examples.iter().map(|example| example.text.as_str()).collect();
    let vectors = embedder.embed(&texts, Purpose::Passage)?;
    for (example, vector) in examples.iter_mut().zip(&vectors) {
        example.inputs = classifier_inputs(&example.text, vector);
    }
    let parts: Vec<Part> = (0..WRITERS.len() * FOLDS).map(|part| Part::of(&examples, part)).collect();
    let all = parts.iter().skip(1).fold(parts[0].sums.clone(), |sum, part| sum.combined(&part.sums, 1.0));
    println!("each sentence judged by weights that have not seen it:");
    let mut judged = Vec::new();
    for fold in 0..FOLDS {
        judged.extend(judge_left_out(&all, &examples, &parts, |part| part.fold == fold)?);
    }
    report(&judged);
    for (writer, name) in WRITERS.iter().enumerate() {
        println!("the {name} writer's, judged by weights from all others:");
        report(&judge_left_out(&all, &examples, &parts, |part| part.writer == writer)?);
    }
    Ok(fs::write(WEIGHTS_FILE, pack_weights(embedder.model(), &all.solve()?)?)?)
}

/// The sums of one fold of one writer.
struct Part {
    writer: usize,
    fold: usize,
    sums: Sums,
}

impl Part {
    fn of(examples: &[Example], part: usize) -> Self {
        let (writer, fold) = (part / FOLDS, part % FOLDS);
        let sums = Sums::of(examples, |one| one.writer == writer && one.fold == fold);
        Self { writer, fold, sums }
    }
}

/// Class and share of each example in the parts that are left out, by weights that were learnt from the rest.
fn judge_left_out(
    all: &Sums,
    examples: &[Example],
    parts: &[Part],
    left_out: impl Fn(&Part) -> bool,
) -> Result<Vec<(usize, f32)>> {
    let out: Vec<&Part> = parts.iter().filter(|part| left_out(part)).collect();
    let rest = out.iter().fold(all.clone(), |sum, part| sum.combined(&part.sums, -1.0));
    let weights = rest.solve()?;
    let is_out = |one: &&Example| out.iter().any(|part| part.writer == one.writer && part.fold == one.fold);
    Ok(examples.iter().filter(is_out).map(|one| (one.class, share(&weights, one))).collect())
}

/// The share of the protected classes in one example.
fn share(weights: &[Vec<f32>], example: &Example) -> f32 {
    let score = |row: &Vec<f32>| row.iter().zip(&example.inputs).map(|(a, b)| a * b).sum();
    let scores: Vec<f32> = weights.iter().map(score).collect();
    protected_share(&class_shares(&scores))
}

/// Prints what each share would find, each sentence judged by weights that have not seen it.
fn report(judged: &[(usize, f32)]) {
    let (protected, others): (Vec<_>, Vec<_>) =
        judged.iter().partition(|(class, _)| PROTECTED.contains(&CLASSES[*class]));
    println!("{} sentences, {} of them protected", judged.len(), protected.len());
    for share in [0.4, ASKING_SHARE, 0.6, 0.65, 0.7] {
        let above = |some: &[&(usize, f32)]| {
            100.0 * some.iter().filter(|(_, own)| *own >= share).count() as f64 / some.len().max(1) as f64
        };
        println!("share {share:.2}: found {:.1}%, false {:.1}%", above(&protected), above(&others));
    }
    for (class, name) in CLASSES.iter().enumerate() {
        let of: Vec<_> = judged.iter().filter(|(own, _)| *own == class).collect();
        let asked = of.iter().filter(|(_, own)| *own >= ASKING_SHARE).count();
        println!("{name}: {asked} of {} asked about", of.len());
    }
}

fn read_all(folder: &Path, writer: usize) -> Result<Vec<Example>> {
    let mut files: Vec<_> = fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<std::result::Result<_, _>>()?;
    files.retain(|path| path.extension().is_some_and(|ending| ending == "txt"));
    files.sort();
    let mut examples = Vec::new();
    let mut group = 0;
    for file in files {
        let text = fs::read_to_string(&file)?;
        let slots: Vec<(&str, Vec<&str>)> = text.lines().filter_map(slot).collect();
        let mut class = None;
        for line in text.lines().filter(|line| !line.is_empty() && slot(line).is_none()) {
            if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                class = CLASSES.iter().position(|class| *class == name);
                continue;
            }
            let class = class.ok_or_else(|| format!("{}: no class above {line:?}", file.display()))?;
            group += 1;
            let variants = variants(line, &slots, group);
            examples.extend(variants.into_iter().map(|text| Example {
                class,
                text,
                writer,
                fold: group % FOLDS,
                inputs: Vec::new(),
            }));
        }
    }
    Ok(examples)
}

/// `{slot}: value, value`
fn slot(line: &str) -> Option<(&str, Vec<&str>)> {
    let (name, values) = line.strip_prefix('{')?.split_once("}: ")?;
    Some((name, values.split(", ").collect()))
}

/// A sentence with the values of its slots, beginning at another value for each sentence.
fn variants(line: &str, slots: &[(&str, Vec<&str>)], group: usize) -> Vec<String> {
    let used: Vec<_> = slots.iter().filter(|(name, _)| line.contains(&format!("{{{name}}}"))).collect();
    let count = used.iter().map(|(_, values)| values.len()).max().map_or(1, |most| most.min(VARIANTS_MAX));
    let written = |variant: usize| {
        let filled = used.iter().fold(line.to_owned(), |text, (name, values)| {
            text.replace(&format!("{{{name}}}"), values[(variant + group * VARIANTS_MAX) % values.len()])
        });
        let mut letters = filled.chars();
        letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
    };
    (0..count).map(written).collect()
}

impl Sums {
    fn of(examples: &[Example], taken: impl Fn(&Example) -> bool) -> Self {
        let columns = examples.first().map_or(0, |example| example.inputs.len());
        let mut sums = Self {
            columns,
            inputs: vec![0.0; columns * columns],
            classes: vec![vec![0.0; columns]; CLASSES.len()],
        };
        for example in examples.iter().filter(|example| taken(example)) {
            let inputs: Vec<f64> = example.inputs.iter().map(|value| f64::from(*value)).collect();
            for (row, left) in sums.inputs.chunks_mut(columns).zip(&inputs).filter(|(_, left)| **left != 0.0)
            {
                row.iter_mut().zip(&inputs).for_each(|(sum, right)| *sum += left * right);
            }
            sums.classes[example.class].iter_mut().zip(&inputs).for_each(|(sum, value)| *sum += value);
        }
        sums
    }

    /// These sums with those of `other`, times `sign`.
    fn combined(&self, other: &Self, sign: f64) -> Self {
        let add = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a + sign * b).collect();
        Self {
            columns: self.columns,
            inputs: add(&self.inputs, &other.inputs),
            classes: self.classes.iter().zip(&other.classes).map(|(a, b)| add(a, b)).collect(),
        }
    }

    /// The weights of each class with the least squared error, by Cholesky's decomposition.
    fn solve(&self) -> Result<Vec<Vec<f32>>> {
        let n = self.columns;
        let mut lower = self.inputs.clone();
        for at in 0..n {
            lower[at * n + at] += if at + 1 == n { PENALTY_OF_CONSTANT } else { PENALTY };
        }
        for row in 0..n {
            for column in 0..=row {
                let (left, right) = (row * n, column * n);
                let known: f64 = lower[left..left + column]
                    .iter()
                    .zip(&lower[right..right + column])
                    .map(|(a, b)| a * b)
                    .sum();
                let rest = lower[left + column] - known;
                lower[left + column] = match row == column {
                    true if rest <= 0.0 => return Err("the sentences leave the weights undetermined".into()),
                    true => rest.sqrt(),
                    false => rest / lower[right + column],
                };
            }
        }
        Ok(self.classes.iter().map(|class| substitute(&lower, class)).collect())
    }
}

/// Solves `lower × lowerᵀ × weights = right`.
fn substitute(lower: &[f64], right: &[f64]) -> Vec<f32> {
    let n = right.len();
    let mut weights = right.to_vec();
    for row in 0..n {
        let known: f64 = (0..row).map(|column| lower[row * n + column] * weights[column]).sum();
        weights[row] = (weights[row] - known) / lower[row * n + row];
    }
    for row in (0..n).rev() {
        let known: f64 = (row + 1..n).map(|below| lower[below * n + row] * weights[below]).sum();
        weights[row] = (weights[row] - known) / lower[row * n + row];
    }
    // Weights are small numbers; single precision is what the vectors have.
    weights.into_iter().map(|weight| weight as f32).collect()
}

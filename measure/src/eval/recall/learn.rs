//! Weights of the features, learnt from questions whose answers are known.
//!
//! Each right answer competes with all wrong candidates of its question (a conditional logit). The loss is convex and is
//! minimised by Newton's method from zero, so that the same data gives the same weights.

use lacuna_core::index::features::{FEATURES, Values};

/// Pull of every weight towards zero, in units of the loss of one question.
const RIDGE: f64 = 3.0;
const STEPS_MAX: usize = 50;
/// A step that changes no weight by more than this is the last one.
const STEP_MIN: f64 = 1e-6;

/// The candidates of one question: their features, and true for right answers.
pub(super) type Candidates = Vec<(Values, bool)>;

/// Questions that weigh the same.
pub(super) struct LearningSource<'a> {
    pub(super) questions: &'a [Candidates],
}

type Vector = [f64; FEATURES];
type Matrix = [Vector; FEATURES];

/// Learns the weights of the `active` features; the others stay zero. A source weighs as the root of its questions.
pub(super) fn learn(sources: &[LearningSource<'_>], active: &[usize]) -> Vector {
    let deviation = deviations(sources);
    let mut weights = [0.0; FEATURES];
    let mut best = loss(sources, &weights, &deviation).0;
    for _ in 0..STEPS_MAX {
        let (_, gradient, curvature) = loss(sources, &weights, &deviation);
        let step = solve(curvature, gradient, active);
        let mut share = 1.0;
        let (next, reached) = loop {
            let next: Vector = std::array::from_fn(|at| weights[at] - share * step[at]);
            let reached = loss(sources, &next, &deviation).0;
            if reached <= best || share < STEP_MIN {
                break (next, reached);
            }
            share /= 2.0;
        };
        let moved = (0..FEATURES).map(|at| (next[at] - weights[at]).abs()).fold(0.0, f64::max);
        (weights, best) = (next, reached);
        if moved < STEP_MIN {
            break;
        }
    }
    std::array::from_fn(|at| weights[at] / deviation[at])
}

/// The spread of each feature over all candidates, by which it is divided while weights are learnt.
fn deviations(sources: &[LearningSource<'_>]) -> Vector {
    let all = || sources.iter().flat_map(|source| source.questions).flatten().map(|(values, _)| values);
    let count = all().count().max(1) as f64;
    std::array::from_fn(|at| {
        let mean = all().map(|values| f64::from(values[at])).sum::<f64>() / count;
        let variance = all().map(|values| (f64::from(values[at]) - mean).powi(2)).sum::<f64>() / count;
        variance.sqrt().max(1e-9)
    })
}

/// The loss at some weights, its gradient and its curvature.
fn loss(sources: &[LearningSource<'_>], weights: &Vector, deviation: &Vector) -> (f64, Vector, Matrix) {
    let mut sum = RIDGE / 2.0 * weights.iter().map(|weight| weight * weight).sum::<f64>();
    let mut gradient: Vector = weights.map(|weight| RIDGE * weight);
    let mut curvature: Matrix =
        std::array::from_fn(|row| std::array::from_fn(|column| if row == column { RIDGE } else { 0.0 }));
    let all: usize = sources.iter().map(|source| source.questions.len()).sum();
    let roots: f64 = sources.iter().map(|source| (source.questions.len() as f64).sqrt()).sum();
    for source in sources {
        let share = all as f64 / roots / (source.questions.len().max(1) as f64).sqrt();
        for question in source.questions {
            add_question(question, share, weights, deviation, (&mut sum, &mut gradient, &mut curvature));
        }
    }
    (sum, gradient, curvature)
}

fn add_question(
    question: &Candidates,
    share: f64,
    weights: &Vector,
    deviation: &Vector,
    (sum, gradient, curvature): (&mut f64, &mut Vector, &mut Matrix),
) {
    let scaled =
        |values: &Values| -> Vector { std::array::from_fn(|at| f64::from(values[at]) / deviation[at]) };
    let of = |right: bool| {
        question.iter().filter(move |(_, gold)| *gold == right).map(|(values, _)| scaled(values))
    };
    let wrong: Vec<Vector> = of(false).collect();
    let right: Vec<Vector> = of(true).collect();
    for answer in &right {
        let share = share / right.len() as f64;
        let rivals = || wrong.iter().chain(std::iter::once(answer));
        let highest = rivals().map(|values| dot(values, weights)).fold(f64::MIN, f64::max);
        let odds: Vec<f64> = rivals().map(|values| (dot(values, weights) - highest).exp()).collect();
        let total: f64 = odds.iter().sum();
        *sum -= share * (dot(answer, weights) - highest - total.ln());
        let mut mean = [0.0; FEATURES];
        for (values, odds) in rivals().zip(&odds) {
            let part = odds / total;
            for row in 0..FEATURES {
                mean[row] += part * values[row];
                for column in 0..FEATURES {
                    curvature[row][column] += share * part * values[row] * values[column];
                }
            }
        }
        for row in 0..FEATURES {
            gradient[row] -= share * (answer[row] - mean[row]);
            for column in 0..FEATURES {
                curvature[row][column] -= share * mean[row] * mean[column];
            }
        }
    }
}

/// Solves for the step of the active features by elimination.
fn solve(mut matrix: Matrix, mut right: Vector, active: &[usize]) -> Vector {
    for (done, &pivot) in active.iter().enumerate() {
        let pivot_row = matrix[pivot];
        for &row in &active[done + 1..] {
            let factor = matrix[row][pivot] / pivot_row[pivot];
            for &column in active {
                matrix[row][column] -= factor * pivot_row[column];
            }
            right[row] -= factor * right[pivot];
        }
    }
    let mut solved = [0.0; FEATURES];
    for &row in active.iter().rev() {
        let known: f64 = active.iter().filter(|at| **at != row).map(|&at| matrix[row][at] * solved[at]).sum();
        solved[row] = (right[row] - known) / matrix[row][row];
    }
    solved
}

pub(super) fn dot(values: &Vector, weights: &Vector) -> f64 {
    values.iter().zip(weights).map(|(value, weight)| value * weight).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Right answers are told by the first feature, and the second says nothing.
    fn questions() -> Vec<Candidates> {
        let values = |first: f32, second: f32| {
            let mut values = [0.0; FEATURES];
            (values[0], values[1]) = (first, second);
            values
        };
        (0..40u8)
            .map(|n| {
                let noise = f32::from(n % 7) - 3.0;
                vec![
                    (values(2.0, noise), true),
                    (values(f32::from(n % 3), -noise), false),
                    (values(0.0, noise), false),
                ]
            })
            .collect()
    }

    #[test]
    fn the_feature_that_tells_gets_the_weight_and_the_same_data_the_same_weights() {
        let questions = questions();
        let learnt = || learn(&[LearningSource { questions: &questions }], &[0, 1]);
        let weights = learnt();
        assert!(weights[0] > 0.5 && weights[1].abs() < 0.2, "{weights:?}");
        assert_eq!(weights[2..], [0.0; FEATURES - 2]);
        assert_eq!(weights, learnt());
    }
}

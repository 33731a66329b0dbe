//! Features by which memories are ranked, and the weights of each.
//!
//! `cargo xtask eval recall --learn` learns the weights of turns and prints this table anew.

/// A feature and its weights, in units of log-odds for each unit of its value.
pub struct Weighted {
    /// The name under which an explanation shows it.
    pub name: &'static str,
    /// Its weight for a turn of a conversation.
    pub turn: f32,
    /// Its weight for a memory that stands alone.
    pub alone: f32,
}

/// Number of features.
pub const FEATURES: usize = 14;

/// Values of the features of one memory, in the order of [`WEIGHTS`].
pub type Values = [f32; FEATURES];

/// Log-odds of the first model that reads both languages, and of the next one.
pub(crate) const MEANING: usize = 0;
pub(crate) const SECOND_MEANING: usize = 1;
/// BM25 of the memory's own words, as a share of the most that the question allows.
pub(crate) const WORDS: usize = 2;
/// The same squared: half of the words are much less than half of the answer.
pub(crate) const ALL_WORDS: usize = 3;
/// Share of the question's words, by weight, that the memory says.
pub(crate) const COVERAGE: usize = 4;
/// BM25 with the turns before and after.
pub(crate) const CONTEXT: usize = 5;
/// Mean log-odds of the turns before and after.
pub(crate) const NEIGHBOURS: usize = 6;
/// Share of the question's words, by weight, that its conversation says.
pub(crate) const SESSION: usize = 7;
/// 1 when the question names the speaker, -1 when it names another one.
pub(crate) const SPEAKER: usize = 8;
/// 1 when it was said within a time that the question names.
pub(crate) const WITHIN_TIME: usize = 9;
/// From 1 to 0 with the days between its time and the one that the question names.
pub(crate) const NEAR_TIME: usize = 10;
/// 1 when the question asks when, and the memory tells a time.
pub(crate) const TELLS_TIME: usize = 11;
/// Logarithm of the number of its words.
pub(crate) const LENGTH: usize = 12;
/// 1 when it is a question itself.
pub(crate) const IS_QUESTION: usize = 13;

/// The weights of every feature.
pub const WEIGHTS: [Weighted; FEATURES] = [
    Weighted { name: "meaning", turn: 1.10, alone: 0.61 },
    Weighted { name: "second_meaning", turn: 0.41, alone: 0.39 },
    Weighted { name: "words", turn: -2.41, alone: 0.0 },
    Weighted { name: "all_words", turn: 0.0, alone: 0.67 },
    Weighted { name: "coverage", turn: 3.30, alone: 0.0 },
    Weighted { name: "context", turn: 2.19, alone: 0.0 },
    Weighted { name: "neighbours", turn: 0.58, alone: 0.0 },
    Weighted { name: "session", turn: 2.82, alone: 0.0 },
    Weighted { name: "speaker", turn: 0.09, alone: 0.0 },
    Weighted { name: "within_time", turn: 6.12, alone: 0.0 },
    Weighted { name: "near_time", turn: 5.86, alone: 0.0 },
    Weighted { name: "tells_time", turn: 1.24, alone: 0.0 },
    Weighted { name: "length", turn: 0.83, alone: 0.0 },
    Weighted { name: "is_question", turn: -0.83, alone: 0.0 },
];

/// Sum of a turn's features that one in twenty unrelated turns reaches: its log-odds count from there, as those of a
/// calibrated cosine do.
const TURN_MIDPOINT: f32 = 3.1;
/// Divides log-odds, so that the relevance of good answers still differs.
const TEMPERATURE: f32 = 2.0;

/// Log-odds of the features.
pub(crate) fn log_odds(values: &Values, is_turn: bool) -> f32 {
    let weight = |weighted: &Weighted| if is_turn { weighted.turn } else { weighted.alone };
    let sum: f32 = values.iter().zip(&WEIGHTS).map(|(value, weighted)| value * weight(weighted)).sum();
    if is_turn { sum - TURN_MIDPOINT } else { sum }
}

/// Maps log-odds onto 0 to 1.
pub(crate) fn squash(log_odds: f32) -> f32 {
    1.0 / (1.0 + (-log_odds / TEMPERATURE).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_has_the_name_that_its_constant_means() {
        for (place, name) in [
            (MEANING, "meaning"),
            (SECOND_MEANING, "second_meaning"),
            (WORDS, "words"),
            (ALL_WORDS, "all_words"),
            (COVERAGE, "coverage"),
            (CONTEXT, "context"),
            (NEIGHBOURS, "neighbours"),
            (SESSION, "session"),
            (SPEAKER, "speaker"),
            (WITHIN_TIME, "within_time"),
            (NEAR_TIME, "near_time"),
            (TELLS_TIME, "tells_time"),
            (LENGTH, "length"),
            (IS_QUESTION, "is_question"),
        ] {
            assert_eq!(WEIGHTS[place].name, name);
        }
    }
}

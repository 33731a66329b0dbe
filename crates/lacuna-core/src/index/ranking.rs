//! Features of the candidates of one search, from data that the index has for each slot.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use lacuna_language::request::{AskedTime, asked_time};
use lacuna_types::request::TimeSpan;

use crate::index::NONE;
use crate::index::features::{
    ALL_WORDS, CONTEXT, COVERAGE, IS_QUESTION, LENGTH, MEANING, NEAR_TIME, NEIGHBOURS, SECOND_MEANING,
    SESSION, SPEAKER, TELLS_TIME, WITHIN_TIME, WORDS,
};
use crate::index::search::{Comparison, Run, SearchCandidate};
use crate::index::utterance::name_hash;

/// Log-odds beyond which meaning says no more.
const LOG_ODDS_MAX: f32 = 10.0;
/// Log-odds of a memory without a vector that says all words of the question.
const LOG_ODDS_BY_WORDS: f32 = 6.0;
/// BM25 beyond which words say no more.
const WORDS_MAX: f32 = 1.5;
/// Days in which the nearness of a time falls to a third.
const NEAR_DAYS: f32 = 7.0;
/// The stretch before or after a time that bounds on one side only: "before 7 January".
const OPEN_SPAN_DAYS: i64 = 30;
const DAY_MILLIS: i64 = 86_400_000;

/// The parts of a question that turns are compared with.
struct AskedTurn {
    time: AskedTime,
    /// Hashed words of the question that are names of speakers among the candidates.
    names: Vec<u64>,
    /// Bits of the words that each conversation says.
    said_in_session: Vec<u64>,
}

impl<P: Sync> Run<'_, P> {
    /// Sets the features that words and vectors give.
    pub(super) fn add_words_and_meaning(&self, candidate: &mut SearchCandidate) {
        let own = candidate.words.own / self.total_weight;
        let context = candidate.words.context / self.total_weight;
        let log_odds = |at: usize, cosine: f32| bounded(self.comparisons[at].calibration.log_odds(cosine));
        // Without a vector a memory is as close in meaning as its words are.
        let by_words = LOG_ODDS_BY_WORDS * (2.0 * self.words_share(candidate) - 1.0);
        let meaning = candidate.meanings[0].map_or(by_words, |(at, cosine)| log_odds(at, cosine));
        let second = candidate.meanings[1].map_or(meaning, |(at, cosine)| log_odds(at, cosine));
        let coverage = self.coverage(candidate);
        let values = &mut candidate.features;
        values[MEANING] = meaning;
        values[SECOND_MEANING] = second;
        values[WORDS] = own.min(WORDS_MAX);
        values[ALL_WORDS] = own.min(1.0) * own.min(1.0);
        values[COVERAGE] = coverage;
        values[CONTEXT] = context.min(WORDS_MAX);
    }

    /// Sets the features of turns: neighbours, conversation, speaker, times, form.
    pub(super) fn add_features(&self, candidates: &mut [SearchCandidate]) {
        let mut turns: Vec<&mut SearchCandidate> =
            candidates.iter_mut().filter(|candidate| self.is_turn(candidate.slot)).collect();
        if turns.is_empty() {
            return;
        }
        let asked = self.asked_turn(&turns);
        let neighbours = self.neighbour_log_odds(&turns);
        for (turn, neighbours) in turns.iter_mut().zip(neighbours) {
            turn.features[NEIGHBOURS] = neighbours;
            self.add_turn(turn, &asked);
        }
    }

    fn add_turn(&self, turn: &mut SearchCandidate, asked: &AskedTurn) {
        let slot = turn.slot as usize;
        let utterance = &self.index.utterances[slot];
        let session = self.index.sessions.number(turn.slot);
        let said = asked.said_in_session.get(session as usize).copied().unwrap_or(0);
        let (within, near) = time_fit(&asked.time.spans, self.index.glances[slot].created_at);
        let values = &mut turn.features;
        values[SESSION] = self.weight_of(said) / self.total_weight;
        values[SPEAKER] = match asked.names.is_empty() || !utterance.has_speaker() {
            true => 0.0,
            false if utterance.is_said_by(&asked.names) => 1.0,
            false => -1.0,
        };
        values[WITHIN_TIME] = within;
        values[NEAR_TIME] = near;
        values[TELLS_TIME] = f32::from(asked.time.asks_when && utterance.tells_time);
        values[LENGTH] = (self.index.postings.length(turn.slot) as f32).ln_1p();
        values[IS_QUESTION] = f32::from(utterance.asks);
    }

    fn asked_turn(&self, turns: &[&mut SearchCandidate]) -> AskedTurn {
        let is_speaker = |name: &u64| {
            turns
                .iter()
                .any(|turn| self.index.utterances[turn.slot as usize].is_said_by(std::slice::from_ref(name)))
        };
        let names = self.words.iter().map(|word| name_hash(&word.text)).filter(is_speaker).collect();
        let as_of = Timestamp::from_millisecond(self.search.as_of).unwrap_or(Timestamp::UNIX_EPOCH);
        let time = asked_time(self.search.text, &as_of.to_zoned(TimeZone::UTC));
        AskedTurn { time, names, said_in_session: self.said_in_session() }
    }

    /// The words that each conversation says in its visible turns.
    fn said_in_session(&self) -> Vec<u64> {
        let mut said = vec![0; self.index.sessions.numbers()];
        for &slot in self.scratch.touched() {
            let session = self.index.sessions.number(slot);
            if session != NONE && self.shows(slot) {
                said[session as usize] |= self.scratch.score(slot).said;
            }
        }
        said
    }

    /// The mean log-odds of each turn's visible neighbours under the models that they have vectors of.
    fn neighbour_log_odds(&self, turns: &[&mut SearchCandidate]) -> Vec<f32> {
        let beside = |turn: &&mut SearchCandidate| self.index.sessions.neighbours(turn.slot);
        let slots: Vec<u32> = turns.iter().flat_map(beside).collect();
        let known: Vec<u32> =
            slots.iter().copied().filter(|&slot| slot != NONE && self.shows(slot)).collect();
        let mut sums = vec![(0.0, 0.0); turns.len()];
        for Comparison { block, probe, calibration, .. } in &self.comparisons {
            let mut cosines = block.exact_cosines(probe, &known).into_iter();
            for (place, _) in
                slots.iter().enumerate().filter(|(_, slot)| **slot != NONE && self.shows(**slot))
            {
                let Some(cosine) = cosines.next().flatten() else { continue };
                let (sum, count) = &mut sums[place / 2];
                *sum += calibration.log_odds(cosine);
                *count += 1.0;
            }
        }
        sums.into_iter().map(|(sum, count): (f32, f32)| bounded(sum / count.max(1.0))).collect()
    }
}

fn bounded(log_odds: f32) -> f32 {
    log_odds.clamp(-LOG_ODDS_MAX, LOG_ODDS_MAX)
}

/// Returns 1 for a moment within one of the spans, and else how near it is to the nearest of them.
fn time_fit(spans: &[TimeSpan], at: i64) -> (f32, f32) {
    let distance = |span: &TimeSpan| {
        let [from, until] = [span.from, span.until].map(|end| end.map(Timestamp::as_millisecond));
        let open = OPEN_SPAN_DAYS * DAY_MILLIS;
        let from = from.or(until.map(|until| until - open)).unwrap_or(i64::MIN);
        let until = until.unwrap_or(from.saturating_add(open));
        if at < from { from - at } else { (at - until + 1).max(0) }
    };
    match spans.iter().map(distance).min() {
        None => (0.0, 0.0),
        Some(0) => (1.0, 0.0),
        Some(millis) => (0.0, (-(millis as f32 / DAY_MILLIS as f32) / NEAR_DAYS).exp()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(moment: &str) -> Timestamp {
        moment.parse().unwrap()
    }

    #[test]
    fn a_moment_fits_a_time_within_it_and_less_with_distance() {
        let may =
            TimeSpan { from: Some(at("2023-05-01T00:00:00Z")), until: Some(at("2023-06-01T00:00:00Z")) };
        let fit = |moment: &str| time_fit(&[may], at(moment).as_millisecond());
        assert_eq!(fit("2023-05-08T13:56:00Z"), (1.0, 0.0));
        let (within, near) = fit("2023-06-08T00:00:00Z");
        assert!(within == 0.0 && (near - (-1f32).exp()).abs() < 1e-3, "{near}");
        assert!(fit("2023-04-30T00:00:00Z").1 > fit("2023-03-30T00:00:00Z").1);
        assert_eq!(time_fit(&[], 0), (0.0, 0.0));
        let before = TimeSpan { from: None, ..may };
        assert_eq!(time_fit(&[before], at("2023-05-20T00:00:00Z").as_millisecond()), (1.0, 0.0));
    }
}

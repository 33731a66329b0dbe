//! One question to one vault: meaning and words, fused, then shaped by salience, recency and tags.

use std::cell::RefCell;

use lacuna_language::words::{QueryWord, QueryWords, query_words};
use lacuna_types::MemoryId;
use lacuna_types::embed::{Calibration, ModelId};

use crate::index::block::{Block, Probe};
use crate::index::filter::Filter;
use crate::index::postings::{Scratch, WordScore};
use crate::index::top::Top;
use crate::index::{Glance, Index, NONE, Tag};

/// Hits in one answer.
pub(crate) const RESULTS_MAX: usize = 1_000;

/// The share of meaning in the relevance; words have the rest. A turn among others says only a part of its meaning,
/// so the words around it tell more; a memory that stands alone means what it says.
const MEANING_SHARE_OF_TURN: f32 = 0.25;
const MEANING_SHARE_ALONE: f32 = 0.85;
/// The log-odds of a similarity at which meaning can say no more. Odds and not similarities are summed up,
/// because the similarities of good answers all lie close to 1.
const MEANING_LOG_ODDS_FULL: f32 = 6.0;
/// Asked for nothing but keywords, a memory that says them all is at least this relevant: above all that say
/// none of them, so that a name or a number is found even in the middle of a long text.
const KEYWORDS_RELEVANCE: f32 = 0.9;
/// The share of context in the words' part; the memory's own words have the rest.
const CONTEXT_SHARE: f32 = 2.0 / 3.0;
/// An answer is at least this similar, or says at least this share of the question. Less is noise: of unrelated
/// texts two or three in a hundred are as similar.
const MEANING_FLOOR: f32 = 0.6;
const WORDS_FLOOR: f32 = 0.2;
/// Asked for nothing but keywords, an answer may also be a text that says this share of them, however long.
const KEYWORDS_FLOOR: f32 = 0.5;
/// Candidates that each of the two searches hands to the fusion, at least.
const CANDIDATES: usize = 64;
/// Of the fused candidates, how many get their cosine by the full vectors, at least.
const RESCORED: usize = 32;
/// The most that a similarity changes when its cosine is rescored.
const APPROXIMATION: f32 = 0.05;
/// The most that recency at full weight, salience and tags may add to a relevance.
const RECENCY_REACH: f32 = 0.2;
const SALIENCE_REACH: f32 = 0.1;
const TAGS_REACH: f32 = 0.2;
/// The age at which recency has halved.
const RECENCY_HALF_LIFE_DAYS: f32 = 30.0;
const DAY_MILLIS: f32 = 86_400_000.0;

/// A question. Vectors stand in the order of preference: of each memory the first model counts that it has.
pub struct Search<'a> {
    /// The words of the question.
    pub text: &'a str,
    /// The vectors of the question.
    pub vectors: &'a [QueryVector],
    /// Conditions on the memories that may be found.
    pub filter: Filter,
    /// Tags that raise a memory which bears them; to require tags, use the filter.
    pub tags: Vec<Tag>,
    /// Milliseconds since the epoch.
    pub now: i64,
    /// The number of hits, at most.
    pub limit: usize,
    /// Leaves out what is less similar. A memory without a comparable vector is measured by its words: see
    /// `Hit::similarity`.
    pub min_similarity: f32,
    /// From 0 to 1.
    pub recency_weight: f32,
    /// Adds an explanation to each hit.
    pub explain: bool,
}

/// The question's vector under one model.
#[derive(Clone, Debug)]
pub struct QueryVector {
    /// The model that made the vector.
    pub model: ModelId,
    /// The vector itself.
    pub vector: Vec<f32>,
    /// The model's mapping from cosine to similarity.
    pub calibration: Calibration,
}

/// The result of a search.
#[derive(Clone, Default, Debug)]
pub struct Found {
    /// Best first.
    pub hits: Vec<Hit>,
    /// The number of memories in the index, before the filter.
    pub searched: usize,
    /// The models whose vectors took part.
    pub models: Vec<ModelId>,
}

/// A memory that a search found.
#[derive(Clone, Debug)]
pub struct Hit {
    /// The id of the memory.
    pub id: MemoryId,
    /// From 0 to 1, comparable within one answer.
    pub score: f32,
    /// From 0 to 1, comparable across questions and models: the calibrated cosine or, for a memory without a
    /// vector under a model of the question, the share of the question's words (by weight) that it says.
    pub similarity: f32,
    /// Words and meaning together, before the rest shaped the score.
    pub relevance: f32,
    /// The parts of the score, when the search asked for them.
    pub explanation: Option<Explanation>,
}

/// The parts of a hit's score.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The comparison of vectors; `None` for a memory without a comparable vector.
    pub meaning: Option<Similarity>,
    /// BM25 of the memory by itself, 1 being all words of the question said once.
    pub words: f32,
    /// The same with its neighbours in the conversation.
    pub context: f32,
    /// The question's words that the memory itself says.
    pub matched: Vec<String>,
    /// Fused, before the rest shapes it.
    pub relevance: f32,
    /// The memory's salience at the time of the search.
    pub salience: f32,
    /// From 1 for now, halving with age.
    pub recency: f32,
    /// The share of the question's tags that the memory bears.
    pub tags: f32,
}

/// A comparison of the question's vector with a memory's.
#[derive(Clone, Debug)]
pub struct Similarity {
    /// The model of both vectors.
    pub model: ModelId,
    /// The cosine of the angle between them.
    pub cosine: f32,
    /// The calibrated cosine, from 0 to 1.
    pub similarity: f32,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

impl<P: Sync> Index<P> {
    /// Finds the best memories for a question.
    pub fn search(&self, search: &Search<'_>) -> Found {
        SCRATCH.with_borrow_mut(|scratch| {
            let found = Run::new(self, search, scratch).found();
            scratch.clear();
            found
        })
    }
}

/// A block that the question has a vector for.
struct Comparison<'a> {
    block: &'a Block,
    probe: Probe,
    calibration: Calibration,
}

struct Run<'a, P> {
    index: &'a Index<P>,
    search: &'a Search<'a>,
    words: Vec<QueryWord>,
    keywords_only: bool,
    weights: Vec<f32>,
    total_weight: f32,
    scratch: &'a Scratch,
    comparisons: Vec<Comparison<'a>>,
}

/// A candidate with what is known of it.
#[derive(Clone, Copy)]
struct SearchCandidate {
    slot: u32,
    words: WordScore,
    meaning: Option<(usize, f32)>,
    relevance: f32,
    score: f32,
}

impl SearchCandidate {
    fn compared_by(&self, comparison: usize) -> bool {
        self.meaning.is_some_and(|(at, _)| at == comparison)
    }
}

impl<'a, P: Sync> Run<'a, P> {
    fn new(index: &'a Index<P>, search: &'a Search<'a>, scratch: &'a mut Scratch) -> Self {
        let QueryWords { words, keywords_only } = query_words(search.text, &index.postings.languages());
        let shows = |slot: u32| index.is_visible(slot, &search.filter, search.now);
        let weights = index.postings.score(&words, &index.sessions, shows, scratch);
        let total_weight = weights.iter().sum::<f32>().max(f32::MIN_POSITIVE);
        let comparisons = search.vectors.iter().filter_map(|query| comparison(index, query)).collect();
        Self { index, search, words, keywords_only, weights, total_weight, scratch, comparisons }
    }

    fn found(&self) -> Found {
        let limit = self.search.limit.min(RESULTS_MAX);
        let mut candidates = self.candidates(CANDIDATES.max(limit));
        candidates.retain(|candidate| self.is_answer(candidate, APPROXIMATION));
        keep_best(&mut candidates, RESCORED.max(2 * limit));
        self.rescore(&mut candidates);
        candidates.retain(|candidate| self.is_answer(candidate, 0.0));
        keep_best(&mut candidates, limit);
        let mut hits = Vec::with_capacity(candidates.len());
        hits.extend(candidates.iter().filter_map(|candidate| self.hit(candidate)));
        Found {
            hits,
            searched: self.index.len(),
            models: self.comparisons.iter().map(|comparison| comparison.block.model().clone()).collect(),
        }
    }

    /// The best by words and the best by meaning, each once, with approximate scores.
    fn candidates(&self, count: usize) -> Vec<SearchCandidate> {
        let by_default = self.search.filter.is_default();
        let admits = |slot: u32| {
            let Search { filter, now, .. } = self.search;
            let tags = || self.index.kept[slot as usize].as_ref().map_or(&[][..], |kept| &kept.tags);
            self.index.is_visible(slot, filter, *now)
                && (by_default || filter.fits(&self.index.attributes[slot as usize], tags, *now))
        };
        let mut found: Vec<(u32, Option<(usize, f32)>)> = Vec::new();
        for (at, comparison) in self.comparisons.iter().enumerate() {
            let preferred = &self.comparisons[..at];
            let admits = |slot| admits(slot) && !preferred.iter().any(|other| other.block.holds(slot));
            let nearest = comparison.block.nearest(&comparison.probe, count, &admits);
            found.extend(nearest.into_iter().map(|(cosine, slot)| (slot, Some((at, cosine)))));
        }
        found.extend(self.best_by_words(count, &admits).into_iter().map(|(_, slot)| (slot, None)));
        // Stable, so that of two the one with its cosine stays; and quick, because each part is sorted already.
        found.sort_by_key(|&(slot, _)| slot);
        found.dedup_by_key(|&mut (slot, _)| slot);
        self.add_cosines(&mut found);
        found.into_iter().map(|(slot, meaning)| self.candidate(slot, meaning)).collect()
    }

    /// Gives those that the search by meaning passed over the cosine under the first model that they have.
    fn add_cosines(&self, found: &mut [(u32, Option<(usize, f32)>)]) {
        for (at, Comparison { block, probe, .. }) in self.comparisons.iter().enumerate() {
            let mut without: Vec<_> = found.iter_mut().filter(|(_, meaning)| meaning.is_none()).collect();
            let slots: Vec<u32> = without.iter().map(|(slot, _)| *slot).collect();
            for ((_, meaning), cosine) in without.iter_mut().zip(block.cosines(probe, &slots)) {
                *meaning = cosine.map(|cosine| (at, cosine));
            }
        }
    }

    fn best_by_words(&self, count: usize, admits: &impl Fn(u32) -> bool) -> Vec<(f32, u32)> {
        let mut top = Top::new(count);
        for &slot in self.scratch.touched() {
            let score = words_score(self.scratch.score(slot));
            if top.wants(score) && admits(slot) {
                top.push(score, slot);
            }
        }
        top.into_items()
    }

    fn candidate(&self, slot: u32, meaning: Option<(usize, f32)>) -> SearchCandidate {
        self.scored(SearchCandidate {
            slot,
            words: self.scratch.score(slot),
            meaning,
            relevance: 0.0,
            score: 0.0,
        })
    }

    /// Scores candidates anew by the full vectors.
    fn rescore(&self, candidates: &mut [SearchCandidate]) {
        for (at, Comparison { block, probe, .. }) in self.comparisons.iter().enumerate() {
            let mut compared: Vec<_> = candidates.iter_mut().filter(|one| one.compared_by(at)).collect();
            let slots: Vec<u32> = compared.iter().map(|candidate| candidate.slot).collect();
            for (candidate, cosine) in compared.iter_mut().zip(block.exact_cosines(probe, &slots)) {
                candidate.meaning = cosine.map(|cosine| (at, cosine));
            }
        }
        candidates.iter_mut().for_each(|candidate| *candidate = self.scored(*candidate));
    }

    fn scored(&self, candidate: SearchCandidate) -> SearchCandidate {
        let relevance = self.relevance(&candidate);
        let glance = self.glance(&candidate);
        let (mut raised, mut most) = (SALIENCE_REACH * glance.fading.at(self.search.now), SALIENCE_REACH);
        // What was not asked for is not looked up: it would have to come from far memory.
        if self.search.recency_weight > 0.0 {
            let reach = RECENCY_REACH * self.search.recency_weight;
            raised += reach * self.recency(glance);
            most += reach;
        }
        if !self.search.tags.is_empty() {
            raised += TAGS_REACH * self.tags(&candidate);
            most += TAGS_REACH;
        }
        SearchCandidate { relevance, score: relevance * (1.0 + raised) / (1.0 + most), ..candidate }
    }

    /// Words and meaning on the scales on which they mean the same for every question, so that a stray word
    /// in common does not outweigh what is meant.
    fn relevance(&self, candidate: &SearchCandidate) -> f32 {
        let words = self.words_share(candidate);
        match self.log_odds(candidate) {
            None => words,
            Some(_) if self.words.is_empty() => self.similarity(candidate),
            Some(meaning) if self.index.sessions.neighbours(candidate.slot) == [NONE; 2] => {
                // Squared: half of the words are much less than half of the answer.
                let both = blend(MEANING_SHARE_ALONE, meaning, words * words);
                let exact =
                    if self.keywords_only { KEYWORDS_RELEVANCE * self.coverage(candidate) } else { 0.0 };
                both.max(exact)
            }
            Some(meaning) => blend(MEANING_SHARE_OF_TURN, meaning, words),
        }
    }

    /// BM25 against what a memory of average length would get that says each word of the question once.
    fn words_share(&self, candidate: &SearchCandidate) -> f32 {
        (words_score(candidate.words) / self.total_weight).min(1.0)
    }

    fn is_answer(&self, candidate: &SearchCandidate, slack: f32) -> bool {
        let similarity = self.similarity(candidate) + slack;
        let relevant = match candidate.meaning {
            Some(_) => {
                similarity >= MEANING_FLOOR
                    || self.words_share(candidate) >= WORDS_FLOOR
                    || self.keywords_said(candidate) >= KEYWORDS_FLOOR
            }
            None => candidate.words.context > 0.0,
        };
        relevant && similarity >= self.search.min_similarity
    }

    fn similarity(&self, candidate: &SearchCandidate) -> f32 {
        match candidate.meaning {
            Some((at, cosine)) => self.comparisons[at].calibration.similarity(cosine),
            None => self.coverage(candidate),
        }
    }

    fn log_odds(&self, candidate: &SearchCandidate) -> Option<f32> {
        candidate.meaning.map(|(at, cosine)| self.comparisons[at].calibration.log_odds(cosine))
    }

    /// Returns the share of a keyword question's words that the memory contains; zero for a sentence.
    fn keywords_said(&self, candidate: &SearchCandidate) -> f32 {
        if self.keywords_only { self.coverage(candidate) } else { 0.0 }
    }

    /// The share of the question's words, by weight, that the memory itself says.
    fn coverage(&self, candidate: &SearchCandidate) -> f32 {
        let said = |bit: usize| candidate.words.said >> bit & 1 == 1;
        let weight: f32 = self.weights.iter().enumerate().filter(|&(bit, _)| said(bit)).map(|(_, w)| w).sum();
        weight / self.total_weight
    }

    fn glance(&self, candidate: &SearchCandidate) -> &Glance {
        &self.index.glances[candidate.slot as usize]
    }

    fn recency(&self, glance: &Glance) -> f32 {
        let days = self.search.now.saturating_sub(glance.created_at).max(0) as f32 / DAY_MILLIS;
        (-days / RECENCY_HALF_LIFE_DAYS).exp2()
    }

    fn tags(&self, candidate: &SearchCandidate) -> f32 {
        let Some(kept) = &self.index.kept[candidate.slot as usize] else { return 0.0 };
        let shared = self.search.tags.iter().filter(|tag| kept.tags.contains(tag)).count();
        shared as f32 / self.search.tags.len().max(1) as f32
    }

    fn hit(&self, candidate: &SearchCandidate) -> Option<Hit> {
        Some(Hit {
            id: self.index.kept[candidate.slot as usize].as_ref()?.id,
            score: candidate.score,
            similarity: self.similarity(candidate),
            relevance: candidate.relevance,
            explanation: self.search.explain.then(|| self.explanation(candidate)),
        })
    }

    fn explanation(&self, candidate: &SearchCandidate) -> Explanation {
        let glance = self.glance(candidate);
        let said = |bit: &usize| candidate.words.said >> bit & 1 == 1;
        Explanation {
            meaning: candidate.meaning.map(|(at, cosine)| {
                let Comparison { block, calibration, .. } = &self.comparisons[at];
                Similarity {
                    model: block.model().clone(),
                    cosine,
                    similarity: calibration.similarity(cosine),
                }
            }),
            words: candidate.words.own / self.total_weight,
            context: candidate.words.context / self.total_weight,
            matched: (0..self.words.len()).filter(said).map(|bit| self.words[bit].text.clone()).collect(),
            relevance: candidate.relevance,
            salience: glance.fading.at(self.search.now),
            recency: self.recency(glance),
            tags: self.tags(candidate),
        }
    }
}

fn blend(share: f32, log_odds: f32, words: f32) -> f32 {
    share * (log_odds / MEANING_LOG_ODDS_FULL).clamp(0.0, 1.0) + (1.0 - share) * words
}

fn words_score(words: WordScore) -> f32 {
    CONTEXT_SHARE * words.context + (1.0 - CONTEXT_SHARE) * words.own
}

/// `None` when the vault has no vectors of the query's model and dimension.
fn comparison<'a, P>(index: &'a Index<P>, query: &QueryVector) -> Option<Comparison<'a>> {
    let block = index.blocks.iter().find(|block| *block.model() == query.model)?;
    (block.dimensions() == query.vector.len()).then(|| Comparison {
        block,
        probe: block.probe(&query.vector),
        calibration: query.calibration,
    })
}

fn keep_best(candidates: &mut Vec<SearchCandidate>, count: usize) {
    let best_first =
        |a: &SearchCandidate, b: &SearchCandidate| b.score.total_cmp(&a.score).then(a.slot.cmp(&b.slot));
    if (1..candidates.len()).contains(&count) {
        candidates.select_nth_unstable_by(count, best_first);
    }
    candidates.truncate(count);
    candidates.sort_unstable_by(best_first);
}

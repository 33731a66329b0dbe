//! One question to one vault: candidates by meaning and by words, ranked by their features (`features.rs`), then
//! shaped by salience, recency and tags.

use std::cell::RefCell;

use lacuna_language::words::{Language, QueryWord, QueryWords, language_of_question, query_words};
use lacuna_types::MemoryId;
use lacuna_types::embed::{Calibration, ModelId};

use crate::index::block::Block;
use crate::index::features::{FEATURES, Values, WEIGHTS, log_odds, squash};
use crate::index::filter::Filter;
use crate::index::nearest::Probe;
use crate::index::postings::{Scratch, WordScore};
use crate::index::top::Top;
use crate::index::{Glance, Index, NONE, Tag};

/// Hits in one answer.
pub(crate) const RESULTS_MAX: usize = 1_000;

/// Asked for nothing but keywords, a memory that says them all is at least this relevant: above all that say
/// none of them, so that a name or a number is found even in the middle of a long text.
const KEYWORDS_RELEVANCE: f32 = 0.9;
/// The share of context in the words by which candidates are picked; the memory's own words have the rest.
const CONTEXT_SHARE: f32 = 2.0 / 3.0;
/// A strong hit is at least this similar, or says at least this share of the question. The rest is weak: of unrelated
/// texts two or three in a hundred are as similar.
const MEANING_FLOOR: f32 = 0.6;
const WORDS_FLOOR: f32 = 0.2;
/// Asked for nothing but keywords, a text that says this share of them is strong too, however long.
const KEYWORDS_FLOOR: f32 = 0.5;
/// Candidates that each of the two searches hands to the fusion, at least.
const CANDIDATES: usize = 64;
/// Candidates whose features are computed, at least.
const FEATURED: usize = 100;
/// The most that a similarity changes when its cosine is rescored.
const APPROXIMATION: f32 = 0.05;
/// The most that recency at full weight, salience and tags add to the log-odds: they decide among equals.
const RECENCY_REACH: f32 = 0.6;
const SALIENCE_REACH: f32 = 0.3;
const TAGS_REACH: f32 = 1.5;
/// The age at which recency has halved.
const RECENCY_HALF_LIFE_DAYS: f32 = 30.0;
const DAY_MILLIS: f32 = 86_400_000.0;

/// A question. Vectors stand in the order of preference: the first two count that a memory has as well.
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
    /// The moment from which "yesterday" and the like count, in milliseconds since the epoch.
    pub as_of: i64,
    /// The number of hits, at most.
    pub limit: usize,
    /// Leaves out what is less similar. A memory without a comparable vector is measured by its words: see
    /// `Hit::similarity`.
    pub min_similarity: f32,
    /// Leaves out weak hits; see `Hit::weak`.
    pub strong_only: bool,
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
    /// True when the model reads English only: it is not asked about other languages while another model is there.
    pub english_only: bool,
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
    /// True below the floor of meaning and of words: as close as some unrelated texts are.
    pub weak: bool,
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
    /// The comparison under the next model, where there is one.
    pub second_meaning: Option<Similarity>,
    /// Every feature that counts for a memory of its kind.
    pub features: Vec<Contribution>,
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

/// A feature of a hit and its part in the relevance.
#[derive(Clone, Debug)]
pub struct Contribution {
    /// The name of the feature.
    pub name: &'static str,
    /// Its value.
    pub value: f32,
    /// Its value by its weight, in log-odds.
    pub contribution: f32,
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
pub(super) struct Comparison<'a> {
    pub(super) block: &'a Block,
    pub(super) probe: Probe,
    pub(super) calibration: Calibration,
    english_only: bool,
}

/// One search under way.
pub(super) struct Run<'a, P> {
    pub(super) index: &'a Index<P>,
    pub(super) search: &'a Search<'a>,
    pub(super) words: Vec<QueryWord>,
    keywords_only: bool,
    pub(super) weights: Vec<f32>,
    pub(super) total_weight: f32,
    pub(super) scratch: &'a Scratch,
    pub(super) comparisons: Vec<Comparison<'a>>,
    /// True when some models read English only, others do not, and the question is not in English.
    is_foreign: bool,
    /// True when some models read English only and others do not.
    has_choice: bool,
}

/// A candidate with what is known of it.
#[derive(Clone, Copy)]
pub(super) struct SearchCandidate {
    pub(super) slot: u32,
    pub(super) words: WordScore,
    /// The comparisons that count, by their numbers, with their cosines.
    pub(super) meanings: [Option<(usize, f32)>; 2],
    pub(super) features: Values,
    relevance: f32,
    score: f32,
}

impl<'a, P: Sync> Run<'a, P> {
    fn new(index: &'a Index<P>, search: &'a Search<'a>, scratch: &'a mut Scratch) -> Self {
        let QueryWords { words, keywords_only } = query_words(search.text, &index.postings.languages());
        let shows = |slot: u32| index.is_visible(slot, &search.filter, search.now);
        let weights = index.postings.score(&words, &index.sessions, shows, scratch);
        let total_weight = weights.iter().sum::<f32>().max(f32::MIN_POSITIVE);
        let comparisons: Vec<Comparison<'_>> =
            search.vectors.iter().filter_map(|query| comparison(index, query)).collect();
        let english_only = |one: &Comparison<'_>| one.english_only;
        let has_choice = comparisons.iter().any(english_only) && !comparisons.iter().all(english_only);
        let is_foreign = has_choice && language_of_question(search.text) != Language::English;
        Self {
            index,
            search,
            words,
            keywords_only,
            weights,
            total_weight,
            scratch,
            comparisons,
            is_foreign,
            has_choice,
        }
    }

    fn found(&self) -> Found {
        let limit = self.search.limit.min(RESULTS_MAX);
        let mut candidates = self.candidates(CANDIDATES.max(limit));
        if candidates.is_empty() {
            candidates = self.newest(limit);
        } else {
            candidates.retain(|candidate| self.is_wanted(candidate, APPROXIMATION));
            keep_best(&mut candidates, FEATURED.max(limit));
            self.rescore(&mut candidates);
            candidates.retain(|candidate| self.is_wanted(candidate, 0.0));
            keep_best(&mut candidates, limit);
        }
        let mut hits = Vec::with_capacity(candidates.len());
        hits.extend(candidates.iter().filter_map(|candidate| self.hit(candidate)));
        Found {
            hits,
            searched: self.index.len(),
            models: self.comparisons.iter().map(|comparison| comparison.block.model().clone()).collect(),
        }
    }

    /// The newest memories, for a question that shares nothing with any: an empty answer would say that the filters
    /// let nothing through.
    fn newest(&self, count: usize) -> Vec<SearchCandidate> {
        let admits = self.admission();
        let newest_first = self.index.order.values().rev().copied().filter(|&slot| admits(slot));
        let candidates = newest_first.map(|slot| self.scored(self.candidate(slot, [None; 2])));
        candidates.filter(|candidate| self.is_wanted(candidate, 0.0)).take(count).collect()
    }

    /// Returns true when a memory is visible to this question, so that its words count for its neighbours.
    pub(super) fn shows(&self, slot: u32) -> bool {
        self.index.is_visible(slot, &self.search.filter, self.search.now)
    }

    /// Returns the check of the filter on a slot.
    fn admission(&self) -> impl Fn(u32) -> bool {
        let by_default = self.search.filter.is_default();
        move |slot: u32| {
            let Search { filter, now, .. } = self.search;
            let kept = || self.index.kept[slot as usize].as_ref();
            let tags = || kept().map_or(&[][..], |kept| &kept.tags);
            self.index.is_visible(slot, filter, *now)
                && (by_default
                    || filter.fits(&self.index.attributes[slot as usize], tags, *now)
                        && kept().is_some_and(|kept| filter.names(&kept.id)))
        }
    }

    /// The best by words and the best by each model, each once, with approximate scores.
    fn candidates(&self, count: usize) -> Vec<SearchCandidate> {
        let admits = self.admission();
        let mut found: Vec<u32> = Vec::new();
        for comparison in self.comparisons.iter().filter(|one| !(self.is_foreign && one.english_only)) {
            let nearest = comparison.block.nearest(&comparison.probe, count, &admits);
            found.extend(nearest.into_iter().map(|(_, slot)| slot));
        }
        found.extend(self.best_by_words(count, &admits).into_iter().map(|(_, slot)| slot));
        found.sort_unstable();
        found.dedup();
        let meanings = self.meanings(&found, Block::cosines);
        let candidates = found.into_iter().zip(meanings);
        candidates.map(|(slot, meanings)| self.scored(self.candidate(slot, meanings))).collect()
    }

    /// Compares slots under every model, and returns the two comparisons of each slot that count.
    fn meanings(
        &self,
        slots: &[u32],
        cosines: fn(&Block, &Probe, &[u32]) -> Vec<Option<f32>>,
    ) -> Vec<[Option<(usize, f32)>; 2]> {
        let compared: Vec<Vec<Option<f32>>> =
            self.comparisons.iter().map(|one| cosines(one.block, &one.probe, slots)).collect();
        let of = |place: usize, slot: u32| {
            let is_foreign = self.has_choice && (self.is_foreign || self.is_foreign_memory(slot));
            let known = || (0..compared.len()).filter_map(|at| Some((at, compared[at][place]?)));
            let mut counting = known().filter(|(at, _)| !(is_foreign && self.comparisons[*at].english_only));
            let meanings = [counting.next(), counting.next()];
            if meanings[0].is_some() { meanings } else { [known().next(), None] }
        };
        slots.iter().enumerate().map(|(place, &slot)| of(place, slot)).collect()
    }

    fn is_foreign_memory(&self, slot: u32) -> bool {
        let kept = self.index.kept[slot as usize].as_ref();
        kept.is_some_and(|kept| kept.language != Language::English)
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

    /// Makes a candidate with the features that cost nothing: its words and its meaning.
    fn candidate(&self, slot: u32, meanings: [Option<(usize, f32)>; 2]) -> SearchCandidate {
        let words = self.scratch.score(slot);
        let mut candidate =
            SearchCandidate { slot, words, meanings, features: [0.0; FEATURES], relevance: 0.0, score: 0.0 };
        self.add_words_and_meaning(&mut candidate);
        candidate
    }

    /// Scores candidates anew by the full vectors and by all features.
    fn rescore(&self, candidates: &mut [SearchCandidate]) {
        let slots: Vec<u32> = candidates.iter().map(|candidate| candidate.slot).collect();
        let meanings = self.meanings(&slots, Block::exact_cosines);
        for (candidate, meanings) in candidates.iter_mut().zip(meanings) {
            candidate.meanings = meanings;
            self.add_words_and_meaning(candidate);
        }
        self.add_features(candidates);
        candidates.iter_mut().for_each(|candidate| *candidate = self.scored(*candidate));
    }

    fn scored(&self, candidate: SearchCandidate) -> SearchCandidate {
        let log_odds = log_odds(&candidate.features, self.is_turn(candidate.slot));
        let glance = self.glance(&candidate);
        let mut raised = SALIENCE_REACH * glance.fading.at(self.search.now);
        // What was not asked for is not looked up: it would have to come from far memory.
        if self.search.recency_weight > 0.0 {
            raised += RECENCY_REACH * self.search.recency_weight * self.recency(glance);
        }
        if !self.search.tags.is_empty() {
            raised += TAGS_REACH * self.tags(&candidate);
        }
        let exact = self.exactness(&candidate);
        let relevance = squash(log_odds).max(exact);
        // An exact match keeps its place above all others, and salience and recency still order such matches.
        let raising = squash(log_odds + raised) - squash(log_odds);
        SearchCandidate { relevance, score: (relevance + raising).min(1.0), ..candidate }
    }

    /// The least relevance of a memory that stands alone and says the keywords of a question that is nothing else.
    fn exactness(&self, candidate: &SearchCandidate) -> f32 {
        let is_exact = self.keywords_only && !self.words.is_empty() && !self.is_turn(candidate.slot);
        if is_exact { KEYWORDS_RELEVANCE * self.coverage(candidate) } else { 0.0 }
    }

    pub(super) fn is_turn(&self, slot: u32) -> bool {
        self.index.sessions.neighbours(slot) != [NONE; 2]
    }

    /// BM25 against what a memory of average length would get that says each word of the question once.
    pub(super) fn words_share(&self, candidate: &SearchCandidate) -> f32 {
        (words_score(candidate.words) / self.total_weight).min(1.0)
    }

    /// Returns true when the caller's own bounds let a candidate through.
    fn is_wanted(&self, candidate: &SearchCandidate, slack: f32) -> bool {
        self.similarity(candidate) + slack >= self.search.min_similarity
            && (!self.search.strong_only || self.is_strong(candidate, slack))
    }

    fn is_strong(&self, candidate: &SearchCandidate, slack: f32) -> bool {
        match candidate.meanings[0] {
            Some(_) => {
                self.similarity(candidate) + slack >= MEANING_FLOOR
                    || self.words_share(candidate) >= WORDS_FLOOR
                    || self.keywords_said(candidate) >= KEYWORDS_FLOOR
            }
            None => candidate.words.context > 0.0,
        }
    }

    fn similarity(&self, candidate: &SearchCandidate) -> f32 {
        match candidate.meanings[0] {
            Some((at, cosine)) => self.comparisons[at].calibration.similarity(cosine),
            None => self.coverage(candidate),
        }
    }

    /// Returns the share of a keyword question's words that the memory contains; zero for a sentence.
    fn keywords_said(&self, candidate: &SearchCandidate) -> f32 {
        if self.keywords_only { self.coverage(candidate) } else { 0.0 }
    }

    /// The share of the question's words, by weight, that the memory itself says.
    pub(super) fn coverage(&self, candidate: &SearchCandidate) -> f32 {
        self.weight_of(candidate.words.said) / self.total_weight
    }

    /// The weight of the words whose bits are set.
    pub(super) fn weight_of(&self, said: u64) -> f32 {
        let is_said = |bit: usize| said >> bit & 1 == 1;
        self.weights.iter().enumerate().filter(|&(bit, _)| is_said(bit)).map(|(_, weight)| weight).sum()
    }

    pub(super) fn glance(&self, candidate: &SearchCandidate) -> &Glance {
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
            weak: !self.is_strong(candidate, 0.0),
            relevance: candidate.relevance,
            explanation: self.search.explain.then(|| self.explanation(candidate)),
        })
    }

    fn explanation(&self, candidate: &SearchCandidate) -> Explanation {
        let glance = self.glance(candidate);
        let said = |bit: &usize| candidate.words.said >> bit & 1 == 1;
        let similarity = |(at, cosine): (usize, f32)| {
            let Comparison { block, calibration, .. } = &self.comparisons[at];
            Similarity { model: block.model().clone(), cosine, similarity: calibration.similarity(cosine) }
        };
        let [meaning, second_meaning] = candidate.meanings.map(|meaning| meaning.map(similarity));
        Explanation {
            meaning,
            second_meaning,
            features: contributions(&candidate.features, self.is_turn(candidate.slot)),
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

fn contributions(values: &Values, is_turn: bool) -> Vec<Contribution> {
    let counting = values.iter().zip(&WEIGHTS).map(|(&value, weighted)| {
        let weight = if is_turn { weighted.turn } else { weighted.alone };
        Contribution { name: weighted.name, value, contribution: value * weight }
    });
    counting.collect()
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
        english_only: query.english_only,
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

//! Nearness: every memory ranked by how likely a request means it, by words, people, attributes and meaning together.
//!
//! The weights were learnt on the open half of the project's own requests, by logistic regression; one vault left out at a
//! time, the order was as good. They rank and offer. A match is direct by evidence of what and of whom, not by a score.

use lacuna_language::classify::PERSON;
use lacuna_language::topic::{Agreement, Evidence, EvidenceText, Inquiry, ReadTexts};
use lacuna_types::MemoryId;

use std::collections::HashSet;

use super::{Finder, Told};
use crate::index::search::QueryVector;
use crate::vault::open::OpenVault;

/// Weights of the signs that a memory is meant. Cosines count by their distance from the mean of the vault, in standard
/// deviations.
const COSINE: f32 = 0.72;
const ENGLISH_COSINE: f32 = 0.17;
/// Words in common: the share of the part of the message that the memory says best, their sum by rarity, and that sum
/// beside the best one of the vault.
const PART: f32 = 1.6;
const WORDS: f32 = 1.95;
const MOST_WORDS: f32 = 0.57;
/// It belongs to the category, and it speaks of somebody else or of the same.
const BELONGS: f32 = 1.76;
const OTHER: f32 = -0.41;
const SAME: f32 = 0.45;
/// The best cosine with a sentence that speaks of the subject, as it is and beside those of the vault.
const SUBJECT: f32 = 2.8;
const MOST_SUBJECT: f32 = 0.54;
const BIAS: f32 = -5.64;
/// Scores from which on a memory is offered: it is meant with a chance of about one in eight.
const OFFERED_MIN: f32 = -2.0;
/// The same where a request names a category, of which many memories are meant.
const OF_MANY_MIN: f32 = -2.5;
/// The share of the words of a request that a memory says which bears the name of whom the request means.
const THEIRS_COVERED_MIN: f32 = 0.4;

/// The share of the words of a request that a memory says to be direct, and the least score.
const SAID_MIN: f32 = 0.8;
/// The same for the only word of a request: with a slip of the pen it may be another one, and another name.
const ONLY_WORD_SAID_MIN: f32 = 0.83;
const DIRECT_MIN: f32 = 0.0;
/// The cosine of a memory that has the only word of a request, which may have another sense; a name has none.
const ONE_WORD_COSINE_MIN: f32 = 0.4;
/// The lead of its score over that of the best memory that is not direct.
const LEAD_MIN: f32 = 1.0;

/// A memory and its nearness to a wish.
pub(super) struct Near {
    pub(super) id: MemoryId,
    /// Its place among the texts.
    at: usize,
    pub(super) score: f32,
    pub(super) evidence: Evidence,
    /// It belongs to a category that the wish names.
    pub(super) belongs: bool,
    cosine: f32,
}

/// Every memory by its nearness, the nearest first.
#[derive(Default)]
pub(super) struct NearRanking {
    pub(super) near: Vec<Near>,
    /// Memories that share a name with the nearest, the nearest of them first.
    pub(super) namesakes: Vec<MemoryId>,
    /// Words in which the request names its topic.
    words: usize,
    /// It names an attribute that identifiers hold.
    names_kinds: bool,
    /// It names a category, of which there may be many.
    names_category: bool,
    /// It speaks of somebody by a relation to the owner.
    is_of_others: bool,
}

impl Finder<'_> {
    /// Every memory by its nearness to a text, the nearest first. Nothing without a vector.
    pub(super) fn ranked(
        &self,
        text: &str,
        is_own: bool,
        told: &[Told],
        texts: &ReadTexts<'_>,
    ) -> NearRanking {
        if self.vectors.is_empty() && self.examples.is_empty() {
            return NearRanking::default();
        }
        let inquiry = Inquiry::of(text, is_own);
        let evidence = inquiry.compare(texts);
        let ids: Vec<MemoryId> = told.iter().map(|told| told.id).collect();
        let cosines = self.cosines(&ids, |vector| !vector.english_only);
        let english = standard(&self.cosines(&ids, |vector| vector.english_only));
        let spoken = self.spoken_of(&ids);
        let (own, subject) = (standard(&cosines), standard(&spoken));
        let most = evidence.iter().map(|evidence| evidence.weight).fold(0.0, f32::max);
        let near = |(at, evidence): (usize, Evidence)| {
            let belongs = self.stored(&ids[at]).is_some_and(|stored| {
                inquiry.attributes().name_one_of(&stored.payload.facets.privacy.sensitivity)
            });
            let words = if most > 0.0 { MOST_WORDS * evidence.weight / most } else { 0.0 };
            let whom = match evidence.whom {
                Agreement::Open => 0.0,
                Agreement::Same => SAME,
                Agreement::Other => OTHER,
            };
            let meaning = COSINE * own[at] + ENGLISH_COSINE * english[at];
            let subject = SUBJECT * spoken[at] + MOST_SUBJECT * subject[at];
            let said = PART * evidence.part + WORDS * evidence.weight + words;
            let score = BIAS + meaning + subject + said + whom + if belongs { BELONGS } else { 0.0 };
            Near { id: ids[at], at, score, evidence, belongs, cosine: cosines[at] }
        };
        let mut near: Vec<Near> = evidence.into_iter().enumerate().map(near).collect();
        near.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.id.cmp(&b.id)));
        let namesakes = namesakes(&near, texts);
        let names_kinds = inquiry.attributes().has_kinds();
        let names_category = !inquiry.attributes().is_empty() && !names_kinds;
        let is_of_others = inquiry.is_of_others();
        NearRanking { near, namesakes, words: inquiry.len(), names_kinds, names_category, is_of_others }
    }

    /// The nearness of each memory to the subject of the request: the best cosine with a sentence that speaks of it.
    fn spoken_of(&self, ids: &[MemoryId]) -> Vec<f32> {
        let mut best = vec![0.0f32; ids.len()];
        for example in self.examples {
            let cosines = self.open.index.cosines(&example.model, &example.vector, ids);
            best.iter_mut()
                .zip(cosines)
                .for_each(|(best, cosine)| *best = best.max(cosine.unwrap_or_default()));
        }
        best
    }

    /// The cosine of each memory with the request under the first model of a sort; 0 without one.
    fn cosines(&self, ids: &[MemoryId], sort: impl Fn(&QueryVector) -> bool) -> Vec<f32> {
        match self.vectors.iter().find(|vector| sort(vector)) {
            Some(query) => {
                let cosines = self.open.index.cosines(&query.model, &query.vector, ids);
                // A memory without a vector of this model is near nothing.
                cosines.into_iter().map(Option::unwrap_or_default).collect()
            }
            None => vec![0.0; ids.len()],
        }
    }
}

impl NearRanking {
    /// The memories that are offered, the nearest first. One that holds what the request names, of the person whom it
    /// names, is offered however far its words are; so is one that bears the name of whom a relation means.
    pub(super) fn offered(&self) -> impl Iterator<Item = &Near> {
        let least = if self.names_category { OF_MANY_MIN } else { OFFERED_MIN };
        let is_theirs = |evidence: &Evidence| {
            self.is_of_others && !self.names_kinds && evidence.covered >= THEIRS_COVERED_MIN
        };
        let is_asked_for = move |near: &Near| {
            near.evidence.whom == Agreement::Same && (near.evidence.holds || is_theirs(&near.evidence))
        };
        self.near.iter().filter(move |near| near.score >= least || is_asked_for(near))
    }

    /// The memories with evidence of what and of whom: they say the words of the request, or hold what it asks for, speak
    /// of the same person, and stand clearly apart from the rest.
    ///
    /// Each with true when it holds an identifier of a kind that the request names.
    pub(super) fn direct(&self) -> Vec<(MemoryId, bool)> {
        let (direct, others): (Vec<&Near>, Vec<&Near>) =
            self.near.iter().partition(|near| self.is_evident(near));
        let next = others.first().map_or(f32::MIN, |near| near.score);
        let apart = |near: &&&Near| near.evidence.named || near.score >= next + LEAD_MIN;
        direct.iter().filter(apart).map(|near| (near.id, near.evidence.holds)).collect()
    }

    fn is_evident(&self, near: &Near) -> bool {
        let Evidence { covered, whom, holds, early, named, shared, .. } = near.evidence;
        if whom == Agreement::Other || shared || near.score < DIRECT_MIN {
            return false;
        }
        if self.names_kinds {
            return holds && whom == Agreement::Same && covered >= SAID_MIN;
        }
        let has_one_sense = self.words > 1 || named || near.cosine >= ONE_WORD_COSINE_MIN;
        let least = if self.words > 1 { SAID_MIN } else { ONLY_WORD_SAID_MIN };
        covered >= least && early && has_one_sense
    }

    /// Returns true when a memory has the only word of a request and is not nearest to it: one that does not say the word is
    /// nearer, so that the word may have another sense here. A name has one sense.
    pub(super) fn has_another_sense(&self, id: &MemoryId, saying: &HashSet<MemoryId>) -> bool {
        let Some(own) = self.near.iter().find(|near| near.id == *id) else { return false };
        let nearest = self.near.iter().find(|near| !saying.contains(&near.id));
        let is_nearer = nearest.is_some_and(|nearest| nearest.score > own.score);
        self.words == 1 && !own.evidence.named && is_nearer
    }

    /// Returns true when a memory speaks of the owner, in the first person, and not of somebody else.
    pub(super) fn speaks_of_owner(&self, id: &MemoryId) -> bool {
        let near = self.near.iter().find(|near| near.id == *id);
        near.is_some_and(|near| near.evidence.first_person && near.evidence.whom != Agreement::Other)
    }

    /// Returns true when a memory that has the words of the request speaks of somebody else, or holds something else.
    pub(super) fn speaks_against(&self, id: &MemoryId) -> bool {
        let Some(near) = self.near.iter().find(|near| near.id == *id) else { return false };
        near.evidence.whom == Agreement::Other || self.names_kinds && !near.evidence.holds
    }
}

/// The texts of memories, each with the people who were read in it when it was stored.
pub(super) fn evidence_texts<'t>(
    open: &'t OpenVault,
    told: &'t [Told],
) -> impl Iterator<Item = EvidenceText<'t>> {
    told.iter().map(|told| {
        let stored = open.index.get(&told.id);
        let entities = stored.map(|stored| stored.payload.facets.entities.as_slice()).unwrap_or_default();
        let people = entities.iter().filter(|entity| entity.kind == PERSON);
        EvidenceText { text: told.whole(), people: people.map(|entity| entity.name.as_str()).collect() }
    })
}

/// The memories that share a name with the nearest one, in the order of the ranking.
fn namesakes(near: &[Near], texts: &ReadTexts<'_>) -> Vec<MemoryId> {
    let Some((best, others)) = near.split_first() else { return Vec::new() };
    let own: HashSet<u32> = texts.names_in(best.at).collect();
    let shares = |near: &&Near| texts.names_in(near.at).any(|name| own.contains(&name));
    others.iter().filter(shares).map(|near| near.id).collect()
}

/// Values as distances from their mean, in standard deviations; 0 where all are equal.
fn standard(values: &[f32]) -> Vec<f32> {
    let count = values.len().max(1) as f32;
    let mean = values.iter().sum::<f32>() / count;
    let deviation = (values.iter().map(|value| (value - mean).powi(2)).sum::<f32>() / count).sqrt();
    let distance = |value: &f32| if deviation > f32::EPSILON { (value - mean) / deviation } else { 0.0 };
    values.iter().map(distance).collect()
}

//! Selection and order of the memories for a turn.

use std::collections::{HashMap, HashSet};

use jiff::{SignedDuration, Timestamp};
use lacuna_types::decay::DETAIL_SHOWN_MIN;
use lacuna_types::policy::{ContextRules, Weights};
use lacuna_types::*;

use crate::index::filter::Filter;
use crate::index::{Stored, Tag};
use crate::read::context::worth::{form, is_filler, is_repeat, is_short};
use crate::read::label::source_label;
use crate::vault::open::{Held, OpenVault};

/// From this salience on a memory is vivid, and below the other one it is faint.
pub(crate) const VIVID_MIN: f32 = 0.7;
pub(crate) const FAINT_BELOW: f32 = 0.4;
/// The age up to which a memory is recent.
pub(crate) const RECENT: SignedDuration = SignedDuration::from_hours(7 * 24);
/// A memory is shown for a turn's words when it is at least so relevant, by itself and against the most relevant one.
/// Turns of conversations have a scale of their own, on which one in twenty unrelated ones reaches the half.
const RELEVANCE_MIN: f32 = 0.58;
const RELEVANCE_OF_TURN_MIN: f32 = 0.5;
const RELEVANCE_SHARE_MIN: f32 = 0.85;
/// The age at which recency has halved.
const RECENCY_HALF_LIFE_DAYS: f32 = 7.0;
const DAY_MILLIS: f32 = 86_400_000.0;

facet!(
    /** The certainty that an assistant may have of a memory. */
    Mark, "mark", {
    Vivid = 1 "vivid",
    Faint = 2 "faint",
    Recent = 3 "recent",
});

/// The parts of a memory's rank. Each part and the total lie from 0 to 1.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Score {
    /// The weighted sum of the parts.
    pub total: f32,
    /// The memory's salience.
    pub salience: f32,
    /// The match of the memory with the turn's words.
    pub relevance: f32,
    /// The newness of the memory.
    pub recency: f32,
    /// The share of the turn's topics that the memory bears as tags.
    pub topic: f32,
}

impl Score {
    fn of(weights: &Weights, salience: f32, relevance: f32, recency: f32, topic: f32) -> Self {
        let sum = weights.salience * salience
            + weights.relevance * relevance
            + weights.recency * recency
            + weights.topic * topic;
        Self { total: sum / weights.sum(), salience, relevance, recency, topic }
    }
}

/// A memory that may be shown, with all that the section needs of it.
pub(crate) struct Pick {
    pub(crate) id: MemoryId,
    pub(crate) score: Score,
    pub(crate) marks: Vec<Mark>,
    pub(crate) created_at: Timestamp,
    pub(crate) gist: Plaintext,
    /// The details that are still bright enough, each with its number among all.
    pub(crate) details: Vec<(usize, Detail)>,
    /// True when some of its details have faded.
    pub(crate) faded: bool,
    pub(crate) source: Source,
    /// The label of a source that is not fully trusted.
    pub(crate) source_label: Option<String>,
    pub(crate) scope: Scope,
    /// The active summary that an archived turn stands behind.
    pub(crate) behind: Option<MemoryId>,
    /// True when it is in the session's working memory and stored nowhere.
    pub(crate) at_hand: bool,
}

/// The request to one vault.
pub(crate) struct Ask<'a> {
    pub(crate) rules: &'a ContextRules,
    pub(crate) filter: &'a Filter,
    pub(crate) topics: &'a [Tag],
    /// True when the turn has words.
    pub(crate) said: bool,
    pub(crate) cooling: &'a HashSet<MemoryId>,
    /// The key of the session whose active turns are left out.
    pub(crate) own: Option<u64>,
    pub(crate) now: Timestamp,
    /// The number of picks wanted.
    pub(crate) count: usize,
}

/// The answer of one vault.
#[derive(Default)]
pub(crate) struct Picked {
    /// Best first.
    pub(crate) picks: Vec<Pick>,
    pub(crate) considered: usize,
    /// Of those, how many were shown so lately that they rest.
    pub(crate) cooling: usize,
}

impl Ask<'_> {
    /// The best memories of a vault, where a search found those in `relevance`.
    pub(crate) fn pick(
        &self,
        vault: &OpenVault,
        scope: &Scope,
        relevance: &HashMap<MemoryId, f32>,
    ) -> Picked {
        let mut scored: Vec<(Score, MemoryId)> = vault
            .index
            .each()
            .filter_map(|stored| Some((self.score(&stored, relevance)?, stored.id)))
            .collect();
        let considered = scored.len();
        scored.retain(|(_, id)| !self.cooling.contains(id));
        let cooling = considered - scored.len();
        if self.said {
            keep_relevant(&mut scored, vault);
        }
        keep_best(&mut scored, self.count);
        fold_repeats(&mut scored, vault);
        let pick = |(score, id): (Score, MemoryId)| self.taken(vault, &vault.index.get(&id)?, score, scope);
        Picked { picks: scored.into_iter().filter_map(pick).collect(), considered, cooling }
    }

    /// `None` for what this turn does not bring to mind.
    fn score(&self, stored: &Stored<'_, Held>, relevance: &HashMap<MemoryId, f32>) -> Option<Score> {
        let now = millis(self.now);
        let salience = stored.attributes.fading.at(now);
        // A hit of the search passed the filter already; it may be an archived turn behind its summary.
        let passes = relevance.contains_key(&stored.id) || stored.passes(self.filter, now);
        if salience < self.rules.retrieval_threshold || !passes || self.is_own_turn(stored) {
            return None;
        }
        if salience < stored.payload.facets.vitality.decay.minimum_salience {
            return None;
        }
        let relevance = relevance.get(&stored.id).copied().unwrap_or(0.0);
        let topic = self.topic(stored.tags);
        if self.said && relevance <= 0.0 && topic <= 0.0 || is_filler(stored) {
            return None;
        }
        // Few words may be small talk, unless the turn asks for them.
        if relevance <= 0.0 && is_short(stored) {
            return None;
        }
        // Words that nobody vouches for come to mind only when the turn asks for them.
        let is_asked_for = relevance > 0.0 || topic > 0.0;
        if stored.payload.facets.source.trust == Trust::Low && !is_asked_for {
            return None;
        }
        let days = now.saturating_sub(stored.attributes.created_at).max(0) as f32 / DAY_MILLIS;
        let recency = (-days / RECENCY_HALF_LIFE_DAYS).exp2();
        Some(Score::of(&self.rules.weights, salience, relevance.min(1.0), recency, topic))
    }

    fn is_own_turn(&self, stored: &Stored<'_, Held>) -> bool {
        let session = stored.attributes.session.filter(|session| session.turn.is_some());
        stored.attributes.state == Lifecycle::Active
            && self.own.is_some()
            && session.map(|session| session.key) == self.own
    }

    fn topic(&self, tags: &[Tag]) -> f32 {
        if self.topics.is_empty() {
            return 0.0;
        }
        let borne = self.topics.iter().filter(|topic| tags.contains(topic)).count();
        borne as f32 / self.topics.len() as f32
    }

    fn taken(
        &self,
        vault: &OpenVault,
        stored: &Stored<'_, Held>,
        score: Score,
        scope: &Scope,
    ) -> Option<Pick> {
        let Held { gist, details, facets, .. } = stored.payload;
        let created_at = from_millis(stored.attributes.created_at)?;
        let bright = |(number, detail): (usize, &Detail)| {
            let brightness = facets.vitality.brightness_at(detail.brightness, self.now);
            let shown = brightness >= DETAIL_SHOWN_MIN;
            shown.then(|| (number, Detail { content: detail.content.duplicate(), brightness }))
        };
        let shown: Vec<_> = details.iter().enumerate().filter_map(bright).collect();
        Some(Pick {
            id: stored.id,
            score,
            marks: marks(score.salience, created_at, self.now),
            created_at,
            gist: gist.duplicate(),
            faded: shown.is_empty() && !details.is_empty(),
            details: shown,
            source: facets.source.clone(),
            source_label: source_label(facets, gist.expose()),
            scope: scope.clone(),
            behind: vault.summary_of(stored.id),
            at_hand: false,
        })
    }

    /// Returns picks for the session's working memory, newest first, each with the highest recency.
    pub(crate) fn at_hand(&self, working: Vec<Memory>, scope: &Scope) -> Vec<Pick> {
        let is_meant = |memory: &Memory| {
            let (facets, filter) = (&memory.facets, self.filter);
            (filter.lanes.is_empty() || filter.lanes.contains(&facets.lane))
                && (filter.categories.is_empty() || filter.categories.contains(&facets.category))
                && (filter.tiers.is_empty() || filter.tiers.contains(&facets.tier))
        };
        let pick = |memory: Memory| Pick {
            id: memory.id,
            score: Score::of(&self.rules.weights, 1.0, 1.0, 1.0, 1.0),
            marks: marks(1.0, memory.created_at, self.now),
            created_at: memory.created_at,
            source_label: source_label(&memory.facets, memory.content.gist.expose()),
            gist: memory.content.gist,
            details: memory.content.details.into_iter().enumerate().collect(),
            faded: false,
            source: memory.facets.source,
            scope: scope.clone(),
            behind: None,
            at_hand: true,
        };
        working.into_iter().rev().filter(is_meant).map(pick).collect()
    }
}

fn marks(salience: f32, created_at: Timestamp, now: Timestamp) -> Vec<Mark> {
    let recent = (now.duration_since(created_at) <= RECENT).then_some(Mark::Recent);
    let strength = match salience {
        _ if salience >= VIVID_MIN => Some(Mark::Vivid),
        _ if salience < FAINT_BELOW => Some(Mark::Faint),
        _ => None,
    };
    recent.into_iter().chain(strength).collect()
}

/// Best first; of equals the older id, so that the same vault always answers the same.
pub(crate) fn best_first(one: &(Score, MemoryId), other: &(Score, MemoryId)) -> std::cmp::Ordering {
    other.0.total.total_cmp(&one.0.total).then(one.1.cmp(&other.1))
}

/// Drops memories that are far less relevant than the best. Salience and recency do not save them; a topic does.
fn keep_relevant(scored: &mut Vec<(Score, MemoryId)>, vault: &OpenVault) {
    let best = scored.iter().map(|(score, _)| score.relevance).fold(0.0, f32::max);
    let least_for = |stored: &Stored<'_, Held>| match stored.attributes.session {
        Some(session) if session.turn.is_some() && !is_short(stored) => RELEVANCE_OF_TURN_MIN,
        _ => RELEVANCE_MIN,
    };
    scored.retain(|(score, id)| {
        let least = vault.index.get(id).map_or(RELEVANCE_MIN, |stored| least_for(&stored));
        score.topic > 0.0 || score.relevance >= least.max(RELEVANCE_SHARE_MIN * best)
    });
}

/// Of memories that say the same, keeps the best form, at the place of the best score.
fn fold_repeats(scored: &mut Vec<(Score, MemoryId)>, vault: &OpenVault) {
    let mut kept: Vec<(Score, Stored<'_, Held>)> = Vec::with_capacity(scored.len());
    for (score, id) in scored.drain(..) {
        let Some(stored) = vault.index.get(&id) else { continue };
        match kept.iter_mut().find(|(_, other)| is_repeat(other, &stored)) {
            Some((_, other)) if form(&stored) > form(other) => *other = stored,
            Some(_) => {}
            None => kept.push((score, stored)),
        }
    }
    scored.extend(kept.into_iter().map(|(score, stored)| (score, stored.id)));
}

fn keep_best(scored: &mut Vec<(Score, MemoryId)>, count: usize) {
    if (1..scored.len()).contains(&count) {
        scored.select_nth_unstable_by(count, best_first);
    }
    scored.truncate(count);
    scored.sort_unstable_by(best_first);
}

//! A tenant's rules about context.

use crate::error::{Error, Result};
use crate::facet;

/// Tokens of one section, by default.
pub const CONTEXT_TOKENS_DEFAULT: usize = 4_000;
/// Tokens of one section, at most.
pub const CONTEXT_TOKENS_MAX: usize = 100_000;
/// Memories of one section, by default.
pub const MEMORIES_PER_TURN_DEFAULT: usize = 5;
/// Memories of one section, at most.
pub const MEMORIES_PER_TURN_MAX: usize = 50;
/// Turns during which a memory that was shown is not shown again, by default.
pub const COOLDOWN_TURNS_DEFAULT: u32 = 4;
/// The longest such time, in turns.
pub const COOLDOWN_TURNS_MAX: u32 = 100;
/// Memories less salient than this are not brought to mind by themselves.
pub const RETRIEVAL_THRESHOLD_DEFAULT: f32 = 0.15;

facet!(
    /** The freedom of an assistant where no memory says anything. */
    Confabulation, "confabulation", {
    Strict = 1 "strict",
    Moderate = 2 "moderate",
});

facet!(
    /** The trade that a tenant is in. */
    Vertical, "vertical", {
    General = 1 "general",
    Hospitality = 2 "hospitality",
    Entertainment = 3 "entertainment",
    Healthcare = 4 "healthcare",
    Finance = 5 "finance",
});

/// The weight of each reason to show a memory, against the sum of all four.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Weights {
    /// The present salience.
    pub salience: f32,
    /// The similarity to the turn.
    pub relevance: f32,
    /// The nearness in time.
    pub recency: f32,
    /// The topic of the conversation.
    pub topic: f32,
}

impl Weights {
    /// The sum of the four.
    pub fn sum(&self) -> f32 {
        self.salience + self.relevance + self.recency + self.topic
    }
}

/// The rules by which memories are brought to mind at a turn.
#[derive(Clone, PartialEq, Debug)]
pub struct ContextRules {
    /// The most memories of one turn.
    pub memories_per_turn: usize,
    /// Turns during which a shown memory is not shown again.
    pub cooldown_turns: u32,
    /// The most tokens of one section.
    pub max_tokens: usize,
    /// The least salience.
    pub retrieval_threshold: f32,
    /// The weights of the reasons.
    pub weights: Weights,
    /// The freedom of the assistant where no memory says anything.
    pub confabulation: Confabulation,
    /// The tenant's trade.
    pub vertical: Vertical,
    /// The words of a question narrow the lanes, unless the call says otherwise.
    pub intent: bool,
}

impl Default for ContextRules {
    fn default() -> Self {
        Self {
            memories_per_turn: MEMORIES_PER_TURN_DEFAULT,
            cooldown_turns: COOLDOWN_TURNS_DEFAULT,
            max_tokens: CONTEXT_TOKENS_DEFAULT,
            retrieval_threshold: RETRIEVAL_THRESHOLD_DEFAULT,
            weights: Weights { salience: 0.1, relevance: 0.75, recency: 0.05, topic: 0.1 },
            confabulation: Confabulation::Strict,
            vertical: Vertical::General,
            intent: false,
        }
    }
}

impl ContextRules {
    /// Refuses rules out of bounds. A loader of policies calls this first.
    pub fn check(&self) -> Result<()> {
        check_tokens(self.max_tokens)?;
        check_memories("memories_per_turn", self.memories_per_turn)?;
        check_cooldown(self.cooldown_turns)?;
        if !(0.0..=1.0).contains(&self.retrieval_threshold) {
            return Err(Error::invalid("retrieval_threshold", "must be a number from 0 to 1"));
        }
        let Weights { salience, relevance, recency, topic } = self.weights;
        let usable = |weight: &f32| (0.0..=1.0).contains(weight);
        if ![salience, relevance, recency, topic].iter().all(usable) || self.weights.sum() <= 0.0 {
            return Err(Error::invalid("weights", "must be numbers from 0 to 1, not all of them 0"));
        }
        let grave = matches!(self.vertical, Vertical::Healthcare | Vertical::Finance);
        if grave && self.confabulation != Confabulation::Strict {
            return Err(Error::invalid("confabulation", "must be strict in healthcare and finance"));
        }
        Ok(())
    }
}

/// Refuses a number of tokens out of bounds.
pub fn check_tokens(tokens: usize) -> Result<()> {
    within("max_tokens", tokens, 1, CONTEXT_TOKENS_MAX)
}

/// Refuses a number of memories out of bounds.
pub fn check_memories(field: &'static str, memories: usize) -> Result<()> {
    within(field, memories, 1, MEMORIES_PER_TURN_MAX)
}

/// Refuses a cooldown out of bounds.
pub fn check_cooldown(turns: u32) -> Result<()> {
    within("cooldown_turns", turns as usize, 0, COOLDOWN_TURNS_MAX as usize)
}

fn within(field: &'static str, value: usize, least: usize, most: usize) -> Result<()> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(Error::invalid(field, format!("must be from {least} to {most}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(change: impl FnOnce(&mut ContextRules)) -> &'static str {
        let mut rules = ContextRules::default();
        change(&mut rules);
        match rules.check() {
            Err(Error::Invalid { field, .. }) => field,
            _ => "taken",
        }
    }

    #[test]
    fn rules_out_of_bounds_are_refused_by_name() {
        assert_eq!(refused(|_| ()), "taken");
        assert_eq!(refused(|rules| rules.max_tokens = 0), "max_tokens");
        assert_eq!(refused(|rules| rules.memories_per_turn = 51), "memories_per_turn");
        assert_eq!(refused(|rules| rules.cooldown_turns = 101), "cooldown_turns");
        assert_eq!(refused(|rules| rules.retrieval_threshold = f32::NAN), "retrieval_threshold");
        assert_eq!(refused(|rules| rules.weights.topic = -0.1), "weights");
        assert_eq!(refused(|rules| rules.weights.topic = f32::INFINITY), "weights");
        let none = Weights { salience: 0.0, relevance: 0.0, recency: 0.0, topic: 0.0 };
        assert_eq!(refused(|rules| rules.weights = none), "weights");
    }

    #[test]
    fn nobody_makes_things_up_in_healthcare_and_finance_and_nobody_does_without_bounds() {
        for vertical in Vertical::ALL.iter().copied() {
            let moderate = |rules: &mut ContextRules| {
                rules.vertical = vertical;
                rules.confabulation = Confabulation::Moderate;
            };
            let grave = matches!(vertical, Vertical::Healthcare | Vertical::Finance);
            assert_eq!(refused(moderate), if grave { "confabulation" } else { "taken" }, "{vertical}");
        }
        assert!("permissive".parse::<Confabulation>().is_err());
    }
}

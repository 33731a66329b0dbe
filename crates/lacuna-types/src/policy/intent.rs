//! Phrases that a tenant gives a meaning of its own.

use crate::error::{Error, Result};
use crate::facet;
use crate::facets::Lane;

/// Rows that a policy may add.
pub const INTENT_RULES_MAX: usize = 64;
/// Phrases of one row.
pub const INTENT_PHRASES_MAX: usize = 64;

facet!(
    /** The widest scope that a question means, the narrowest first. */
    IntentScope, "scope", {
    Private = 1 "private",
    Team = 2 "team",
    Org = 3 "org",
});

/// Phrases, and what they mean. A row that means nothing takes its phrases out of the built-in table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IntentRule {
    phrases: Vec<Vec<String>>,
    lane: Option<Lane>,
    scope: Option<IntentScope>,
    /// The phrases leave open what is meant.
    ask: bool,
}

impl IntentRule {
    /// Takes phrases that are already split into folded words.
    pub fn new(
        phrases: Vec<Vec<String>>,
        lane: Option<Lane>,
        scope: Option<IntentScope>,
        ask: bool,
    ) -> Result<Self> {
        if phrases.is_empty() || phrases.len() > INTENT_PHRASES_MAX {
            return Err(Error::invalid(
                "intent.words",
                format!("must be from 1 to {INTENT_PHRASES_MAX} phrases"),
            ));
        }
        if ask && (lane.is_some() || scope.is_some()) {
            return Err(Error::invalid("intent.ask", "must not go with a lane or a scope"));
        }
        if phrases.iter().any(Vec::is_empty) {
            return Err(Error::invalid("intent.words", "must hold a word each"));
        }
        Ok(Self { phrases, lane, scope, ask })
    }

    /// The phrases, each as its folded words.
    pub fn phrases(&self) -> &[Vec<String>] {
        &self.phrases
    }

    /// The lane that the phrases mean.
    pub fn lane(&self) -> Option<Lane> {
        self.lane
    }

    /// The scope that the phrases mean.
    pub fn scope(&self) -> Option<IntentScope> {
        self.scope
    }

    /// Returns true when the phrases leave open what is meant.
    pub fn asks(&self) -> bool {
        self.ask
    }
}

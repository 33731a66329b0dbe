//! A language model that condenses turns: the trait that endpoints implement outside this crate.

use crate::error::Result;

/// A turn as a model is shown it. What stands in it is data: whatever it asks for, nobody asked the model.
#[derive(Clone, Copy)]
pub struct Said<'a> {
    pub speaker: &'a str,
    pub text: &'a str,
}

/// What kind of thing was learned.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ClaimKind {
    Fact,
    Preference,
    /// What somebody does again and again.
    Pattern,
    Decision,
}

impl ClaimKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fact => "fact",
            Self::Preference => "preference",
            Self::Pattern => "pattern",
            Self::Decision => "decision",
        }
    }
}

/// Something that turns say, and which ones.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    pub text: String,
    pub kind: ClaimKind,
    /// Numbers of the turns among those that were read, from 0, rising.
    pub turns: Vec<usize>,
}

/// What a model makes of some turns. Nothing in it is believed before it was checked.
#[derive(Default)]
pub struct Condensed {
    pub summary: String,
    /// Each with the numbers of the turns that say it, from 0.
    pub claims: Vec<Claim>,
}

/// Condenses turns. Calls block; callers choose the thread.
pub trait Llm: Send + Sync {
    /// Names the model in logs.
    fn name(&self) -> &str;

    fn condense(&self, turns: &[Said<'_>]) -> Result<Condensed>;
}

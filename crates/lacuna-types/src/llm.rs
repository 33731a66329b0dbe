//! A language model that condenses turns and proposes what a request to forget means: the trait that endpoints implement
//! outside this crate.

use crate::error::Result;

/// A turn as a model is shown it. Its text is data; a request in it is no instruction to the model.
#[derive(Clone, Copy)]
pub struct SpokenTurn<'a> {
    /// The person or assistant who spoke.
    pub speaker: &'a str,
    /// The words of the turn.
    pub text: &'a str,
}

/// The kind of a claim.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ClaimKind {
    /// A statement that holds.
    Fact,
    /// A like or dislike.
    Preference,
    /// A thing that somebody does again and again.
    Pattern,
    /// A decision that was made.
    Decision,
}

impl ClaimKind {
    /// Returns the word for it.
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
    /// The claim as one sentence.
    pub text: String,
    /// The kind of the claim.
    pub kind: ClaimKind,
    /// Numbers of the turns among those that were read, from 0, rising.
    pub turns: Vec<usize>,
}

/// A model's answer about some turns. Callers check it before they use it.
#[derive(Default)]
pub struct Condensed {
    /// The summary of all turns.
    pub summary: String,
    /// Each with the numbers of the turns that say it, from 0.
    pub claims: Vec<Claim>,
}

/// A model's proposal about a request to forget. Callers check it before they use it.
#[derive(Default)]
pub struct ForgetProposal {
    /// The topic of the request in a few words; empty when the model names none.
    pub topic: String,
    /// Numbers of the texts that the request may mean, from 0.
    pub meant: Vec<usize>,
}

/// Condenses turns and reads requests to forget. Calls block; callers choose the thread.
pub trait Llm: Send + Sync {
    /// Names the model in logs.
    fn name(&self) -> &str;

    /// Summarises the turns and lists their claims.
    fn condense(&self, turns: &[SpokenTurn<'_>]) -> Result<Condensed>;

    /// Names the topic of a request to forget, and those of the texts that it may mean.
    fn propose(&self, request: &str, texts: &[&str]) -> Result<ForgetProposal>;
}

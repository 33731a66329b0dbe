//! What somebody wants forgotten: the targets that a door can name, and what a request comes down to.

use jiff::Timestamp;

use crate::facet;
use crate::facets::{Sensitivity, SourceType, Tier};
use crate::ids::{MemoryId, SessionId};

/// What a request names.
#[derive(Clone, PartialEq, Debug)]
pub enum Target {
    Ids(Vec<MemoryId>),
    Session(SessionId),
    /// Words and meaning together.
    Query(String),
    Within(Span),
    Tags(Vec<String>),
    /// A person, place, organisation or thing by name, wherever it is mentioned or only where it is the
    /// subject.
    Entity {
        name: String,
        reach: Reach,
    },
    Sensitivity(Sensitivity),
    Tier(Tier),
    Source(SourceType),
    /// A request in plain words.
    Words(String),
    Everything,
}

/// What a request comes down to. A memory matches when every part holds for it.
#[derive(Clone, PartialEq, Debug)]
pub struct Wish {
    pub about: About,
    /// When it was said.
    pub when: Option<Span>,
    /// What stays although it belongs to what goes: "but keep that I work at Acme".
    pub keep: Vec<String>,
    pub reach: Reach,
}

impl Wish {
    pub fn about(about: About) -> Self {
        Self { about, when: None, keep: Vec::new(), reach: Reach::Mentions }
    }
}

/// What the memories that go have in common.
#[derive(Clone, PartialEq, Debug)]
pub enum About {
    Ids(Vec<MemoryId>),
    /// Whatever the words name: a person, a thing, a topic, an identifier.
    Subject(String),
    /// A topic that is looked for by words and meaning, as a recall would.
    Query(String),
    Session(SessionId),
    /// The turns of a conversation, whenever [`Wish::when`] says.
    Conversation,
    /// The last thing that the owner said.
    LastSaid,
    Tags(Vec<String>),
    Sensitivity(Sensitivity),
    Tier(Tier),
    Source(SourceType),
    Everything,
}

/// How far a subject reaches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reach {
    /// Memories that are about it.
    Subject,
    /// Memories that mention it at all.
    Mentions,
}

/// A stretch of time, from its first moment up to, not including, its last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    pub from: Option<Timestamp>,
    pub until: Option<Timestamp>,
}

impl Span {
    pub fn contains(&self, at: Timestamp) -> bool {
        self.from.is_none_or(|from| from <= at) && self.until.is_none_or(|until| at < until)
    }
}

facet!(
    /** What forgetting does to a memory. */
    Mode, "mode", {
    /* Hidden, and restorable until it is purged. */
    Soft = 1 "soft",
    /* Erased now; a content-free tombstone remains. */
    Hard = 2 "hard",
    /* Out of recall, kept. */
    Archive = 3 "archive",
    /* Erased now; the receipt says that it was deleted. */
    Delete = 4 "delete",
});

/// Which matches of a plan go.
#[derive(Clone, PartialEq, Debug)]
pub enum Choice {
    All,
    /// Those that say it, not those that only seem to be about it.
    Direct,
    Only(Vec<MemoryId>),
}

/// Whether a match says what is to be forgotten, or only seems to be about it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Closeness {
    Direct,
    Indirect,
}

facet!(
    /** Why a memory matches. */
    Reason, "reason", {
    Named = 1 "named by id",
    Identifier = 2 "holds the identifier",
    Mention = 3 "mentions it by name",
    Subject = 4 "is about it",
    Words = 5 "says it in these words",
    Meaning = 6 "means something close to it",
    Session = 7 "was said in that conversation",
    Time = 8 "was said in that time",
    Tag = 9 "bears the tag",
    Category = 10 "belongs to that category",
    Source = 11 "came from that source",
    Everything = 12 "everything goes",
    CoMention = 13 "speaks of the same person in other words",
});

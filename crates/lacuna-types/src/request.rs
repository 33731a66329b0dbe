//! Requests to forget: the targets that a door can name, and the meaning of a request.

use jiff::Timestamp;

use crate::facet;
use crate::facets::{Sensitivity, SourceType, Tier};
use crate::ids::{MemoryId, SessionId};

/// The target that a request names.
#[derive(Clone, PartialEq, Debug)]
pub enum Target {
    /// Memories by id.
    Ids(Vec<MemoryId>),
    /// One conversation.
    Session(SessionId),
    /// Words and meaning together.
    Query(String),
    /// A stretch of time.
    Within(TimeSpan),
    /// Memories with any of these tags.
    Tags(Vec<String>),
    /// A person, place, organisation or thing by name, wherever it is mentioned or only where it is the
    /// subject.
    Entity {
        /// The name as the caller writes it.
        name: String,
        /// Mentions, or only the subject.
        reach: Reach,
    },
    /// A topic that needs special care.
    Sensitivity(Sensitivity),
    /// A layer of memory.
    Tier(Tier),
    /// A type of origin.
    Source(SourceType),
    /// A request in plain words.
    Words(String),
    /// The whole vault.
    Everything,
}

/// The meaning of a request. A memory matches when every part holds for it.
#[derive(Clone, PartialEq, Debug)]
pub struct Wish {
    /// The subject.
    pub about: About,
    /// The time in which it was said.
    pub when: Option<TimeSpan>,
    /// Exceptions, in the caller's words: "but keep that I work at Acme".
    pub keep: Vec<String>,
    /// Mentions, or only the subject.
    pub reach: Reach,
    /// It speaks of the owner's own affairs ("my number"), not of somebody else's.
    pub own: bool,
}

impl Wish {
    /// A request about a subject, without times or exceptions.
    pub fn about(about: About) -> Self {
        Self { about, when: None, keep: Vec::new(), reach: Reach::Mentions, own: false }
    }
}

/// The subject that the memories to forget share.
#[derive(Clone, PartialEq, Debug)]
pub enum About {
    /// Memories by id.
    Ids(Vec<MemoryId>),
    /// The thing that the words name: a person, a thing, a topic, an identifier.
    Subject(String),
    /// A topic that is looked for by words and meaning, as a recall would.
    Query(String),
    /// A message that asks to forget in words that no frame reads, as a whole. Only an identifier in it makes a match
    /// direct.
    Loose(String),
    /// One conversation.
    Session(SessionId),
    /// The turns of a conversation, whenever [`Wish::when`] says.
    Conversation,
    /// The last thing that the owner said.
    LastSaid,
    /// Memories with any of these tags.
    Tags(Vec<String>),
    /// A topic that needs special care.
    Sensitivity(Sensitivity),
    /// A layer of memory.
    Tier(Tier),
    /// A type of origin.
    Source(SourceType),
    /// The whole vault.
    Everything,
}

/// The reach of a subject.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reach {
    /// Memories that are about it.
    Subject,
    /// Memories that mention it at all.
    Mentions,
}

/// A stretch of time, from its first moment up to, not including, its last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeSpan {
    /// The first moment; `None` for all before.
    pub from: Option<Timestamp>,
    /// The moment after the last; `None` for all after.
    pub until: Option<Timestamp>,
}

impl TimeSpan {
    /// Returns true for a moment within the span.
    pub fn contains(&self, at: Timestamp) -> bool {
        self.from.is_none_or(|from| from <= at) && self.until.is_none_or(|until| at < until)
    }
}

facet!(
    /** The effect of forgetting on a memory. */
    Mode, "mode", {
    /** Hidden, and restorable until it is purged. */
    Soft = 1 "soft",
    /** Erased now; a content-free tombstone remains. */
    Hard = 2 "hard",
    /** Out of recall, kept. */
    Archive = 3 "archive",
    /** Erased now; the receipt says that it was deleted. */
    Delete = 4 "delete",
});

/// The matches of a plan that are forgotten.
#[derive(Clone, PartialEq, Debug)]
pub enum PlanChoice {
    /// Every match but those that are only offered: they are near by a short form, an attribute or meaning, and go only
    /// when somebody names them.
    All,
    /// Direct matches only.
    Direct,
    /// These matches.
    Only(Vec<MemoryId>),
}

/// The closeness of a match: it states the subject, or only seems to be about it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Closeness {
    /// The memory states the subject.
    Direct,
    /// The memory seems to be about it.
    Indirect,
}

facet!(
    /** The reason for a match. */
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
    ShortForm = 14 "has a short form of the name",
    Attribute = 15 "holds what the request asks for",
    Proposed = 16 "is proposed by the language model",
});

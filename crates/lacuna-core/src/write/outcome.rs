//! The outcome of a draft: stored, asked about, or refused.

use jiff::Timestamp;
use lacuna_types::embed::ModelId;
use lacuna_types::policy::Policy;
use lacuna_types::*;
use lacuna_types::{Error, Result};

use crate::gate::consent::topics_needed;
use crate::gate::report::{Question, Refusal, Report};
use crate::vault::term::{HELD_DAYS, days};

/// The outcome for one draft.
#[derive(Clone, PartialEq, Debug)]
pub enum Outcome {
    Stored(Box<Remembered>),
    Asked(Box<Asked>),
    Refused(Box<Refused>),
}

/// A draft that is now a memory.
#[derive(Clone, PartialEq, Debug)]
pub struct Remembered {
    /// The id of the memory.
    pub id: MemoryId,
    /// The time of creation.
    pub created_at: Timestamp,
    /// Only an active memory is found.
    pub state: Lifecycle,
    /// The reason why it waits, when it is a candidate; the review answers it.
    pub waits: Option<Wait>,
    /// SHA-256 of the full text, for the owner's eyes only: what is stored is keyed.
    pub content_sha256: [u8; 32],
    /// The model whose vector finds it from now on; a better one may follow in the background.
    pub embedded_by: ModelId,
    /// The privacy class that the gate gave it.
    pub privacy_class: PrivacyClass,
    /// The sensitive categories that the gate found.
    pub sensitivity: Vec<Sensitivity>,
    /// The main lane.
    pub lane: Lane,
    /// The tier; a memory of the working tier is never stored, and dropped with its session.
    pub tier: Tier,
    /// True for a note of an assistant, which is found with a label and is no fact.
    pub is_note: bool,
    /// True for a pattern of somebody's behaviour.
    pub is_pattern: bool,
    /// The salience at the time of writing.
    pub salience: f32,
    /// The number of times this very text had been written before. Above zero, nothing new was stored.
    pub repeats: u32,
    /// Memories that were erased because this one takes their place.
    pub supersedes: Vec<MemoryId>,
    /// Memories that say nearly the same or may contradict it.
    pub alike: Vec<MemoryId>,
    /// The time until which it is kept; `None` when nothing ends its time, or when it was there before.
    pub kept_until: Option<Timestamp>,
    /// The time from which its owner is asked about it.
    pub asks_at: Option<Timestamp>,
    /// The reason why its time ends: a category, a tier, a rule of its owner.
    pub kept_because: Option<&'static str>,
    /// The sentences of a turn that are held apart until their owner consents.
    pub held: Option<HeldDraft>,
    /// The gate's actions on the draft.
    pub report: Report,
}

/// A draft that is not stored until its caller confirms it, by sending it again with the token.
#[derive(Clone, PartialEq, Debug)]
pub struct Asked {
    /// The questions that the caller must confirm.
    pub questions: Vec<Question>,
    /// The token to send with the draft to confirm it.
    pub token: String,
    /// The time until which the token is valid.
    pub expires_at: Timestamp,
    /// The sealed memory that holds the text meanwhile, when only a consent is missing.
    pub held: Option<HeldDraft>,
    /// The gate's actions on the draft.
    pub report: Report,
}

/// A draft that is held sealed until its owner consents: the review shows it, and no search finds it.
#[derive(Clone, PartialEq, Debug)]
pub struct HeldDraft {
    /// The id of the memory.
    pub id: MemoryId,
    /// The time at which it is gone without a consent.
    pub until: Timestamp,
    /// The topics that need a consent.
    pub topics: Vec<ConsentTopic>,
}

impl HeldDraft {
    pub(crate) fn of(held: &Remembered, policy: &Policy, now: Timestamp) -> Self {
        let topics = topics_needed(held.privacy_class, &held.sensitivity, held.is_pattern, policy);
        Self { id: held.id, until: now + days(HELD_DAYS), topics }
    }
}

/// A draft that was not taken.
#[derive(Clone, PartialEq, Debug)]
pub struct Refused {
    /// The reason.
    pub why: Refusal,
    /// The gate's actions on the draft.
    pub report: Report,
}

impl Outcome {
    /// The memory, or the error that says why there is none.
    pub fn stored(self) -> Result<Remembered> {
        match self {
            Self::Stored(remembered) => Ok(*remembered),
            Self::Asked(_) => Err(Error::Refused {
                code: "needs_confirmation",
                reason: "it is not stored until it is confirmed",
            }),
            Self::Refused(refused) => {
                Err(Error::Refused { code: refused.why.code(), reason: refused.why.reason() })
            }
        }
    }
}

//! What the rules know about one language. Lists are phrases divided by commas, folded as requests are.

use super::dates::Calendar;
use super::{english, french, german, spanish};
use crate::domain::{Sensitivity, SourceType, Tier};

type Phrases = &'static str;

pub(super) struct Tongue {
    /// What only makes a request polite, before it and after it.
    pub(super) polite: Phrases,
    pub(super) closing: Phrases,
    /// What asks to forget: before the object, and after it where the verb comes last.
    pub(super) frames: &'static [(Phrases, Phrases)],
    /// What asks to remember, and what asks at all.
    pub(super) remembers: Phrases,
    pub(super) asks: Phrases,
    /// Words of doubt.
    pub(super) doubts: Phrases,
    /// What names an exception as something to keep, or as something left out.
    pub(super) keeps: Phrases,
    pub(super) excepts: Phrases,
    /// "but", which leaves something out only after a word for everything.
    pub(super) but: Phrases,
    /// What leaves something out after a comma ("not Anna"), or turns a subject round ("isn't about work").
    pub(super) not: Phrases,
    /// Several of the last things, which nobody can count.
    pub(super) several: Phrases,
    /// What begins another request.
    pub(super) again: Phrases,
    pub(super) and: Phrases,
    /// Words that narrow: "only".
    pub(super) only: Phrases,
    /// Words around a subject that are not part of it.
    pub(super) quantifiers: Phrases,
    pub(super) determiners: Phrases,
    pub(super) records: Phrases,
    pub(super) relatives: Phrases,
    pub(super) abouts: Phrases,
    /// What says that somebody said it, so that a time beside it is when.
    pub(super) says: Phrases,
    /// Objects that are everything, or the last thing said.
    pub(super) everything: Phrases,
    pub(super) last_said: Phrases,
    /// Pronouns and other words that name nothing.
    pub(super) nothing: Phrases,
    /// Words for a conversation, for several, and what may stand around them.
    pub(super) talk: Phrases,
    pub(super) talks: Phrases,
    pub(super) talk_tails: Phrases,
    /// The everyday names of a category: those that stand alone, and those that need "information" beside them.
    pub(super) categories: &'static [(Sensitivity, Phrases, Phrases)],
    pub(super) tiers: &'static [(Tier, Phrases)],
    pub(super) sources: &'static [(SourceType, Phrases)],
    pub(super) tagged: Phrases,
    /// Adjectives that belong to "information": "personal information" is no topic called "personal".
    pub(super) bound: Phrases,
    pub(super) calendar: &'static Calendar,
}

pub(super) const TONGUES: [&Tongue; 4] =
    [&english::TONGUE, &german::TONGUE, &french::TONGUE, &spanish::TONGUE];

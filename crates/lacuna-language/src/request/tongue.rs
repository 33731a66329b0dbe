//! What the rules know about one language. Lists are phrases divided by commas, folded as requests are.

use super::dates::Calendar;
use super::{english, french, german, spanish};
use lacuna_types::{Sensitivity, SourceType, Tier};

type Phrases = &'static str;

pub(super) struct Tongue {
    /// What only makes a request polite, before it and after it.
    pub polite: Phrases,
    pub closing: Phrases,
    /// What asks to forget: before the object, and after it where the verb comes last.
    pub frames: &'static [(Phrases, Phrases)],
    /// What asks to remember, and what asks at all.
    pub remembers: Phrases,
    pub asks: Phrases,
    /// Words of doubt.
    pub doubts: Phrases,
    /// What names an exception as something to keep, or as something left out.
    pub keeps: Phrases,
    pub excepts: Phrases,
    /// "but", which leaves something out only after a word for everything.
    pub but: Phrases,
    /// What leaves something out after a comma ("not Anna"), or turns a subject round ("isn't about work").
    pub not: Phrases,
    /// Several of the last things, which nobody can count.
    pub several: Phrases,
    /// What begins another request.
    pub again: Phrases,
    pub and: Phrases,
    /// Words that narrow: "only".
    pub only: Phrases,
    /// Words around a subject that are not part of it.
    pub quantifiers: Phrases,
    pub determiners: Phrases,
    pub records: Phrases,
    pub relatives: Phrases,
    pub abouts: Phrases,
    /// What says that somebody said it, so that a time beside it is when.
    pub says: Phrases,
    /// Objects that are everything, or the last thing said.
    pub everything: Phrases,
    pub last_said: Phrases,
    /// Pronouns and other words that name nothing.
    pub nothing: Phrases,
    /// Words for a conversation, for several, and what may stand around them.
    pub talk: Phrases,
    pub talks: Phrases,
    pub talk_tails: Phrases,
    /// The everyday names of a category: those that stand alone, and those that need "information" beside them.
    pub categories: &'static [(Sensitivity, Phrases, Phrases)],
    pub tiers: &'static [(Tier, Phrases)],
    pub sources: &'static [(SourceType, Phrases)],
    pub tagged: Phrases,
    /// Adjectives that belong to "information": "personal information" is no topic called "personal".
    pub bound: Phrases,
    pub calendar: &'static Calendar,
}

pub(super) const TONGUES: [&Tongue; 4] =
    [&english::TONGUE, &german::TONGUE, &french::TONGUE, &spanish::TONGUE];

use jiff::Timestamp;
use zeroize::Zeroizing;

use crate::facets::*;
use crate::ids::*;

/// The one-sentence core of a memory, in characters.
pub const GIST_CHARS_MAX: usize = 280;
/// One detail, in characters.
pub const DETAIL_CHARS_MAX: usize = 200;
/// Details per memory.
pub const DETAILS_MAX: usize = 32;
/// Full text, in characters; longer text is truncated and marked.
pub const TEXT_CHARS_MAX: usize = 10_000;
/// Full text of a transcript, in characters; longer is refused.
pub const TRANSCRIPT_CHARS_MAX: usize = 1_000_000;
/// What ends a text that was cut at [`TEXT_CHARS_MAX`].
pub const TRUNCATION_MARK: &str = "...[TRUNCATED]";
/// Tags per memory, and characters per tag.
pub const TAGS_MAX: usize = 32;
pub const TAG_CHARS_MAX: usize = 64;
/// Entities, sources and other memories that one memory may name.
pub const ENTITIES_MAX: usize = 64;
pub const LINEAGE_MAX: usize = 256;
pub const LINKS_MAX: usize = 16;
/// Why a memory was moved to another scope, in characters.
pub const JUSTIFICATION_CHARS_MAX: usize = 500;

/// What a caller would like remembered, as a door read it. Nothing in it has been checked.
#[derive(Default)]
pub struct Draft {
    pub text: String,
    pub gist: Option<String>,
    pub details: Vec<Detail>,
    pub category: Option<Category>,
    pub content_type: Option<ContentType>,
    pub tier: Option<Tier>,
    pub kind: Option<PersonaKind>,
    pub lane: Option<Lane>,
    pub secondary_lanes: Vec<Lane>,
    pub tags: Vec<String>,
    pub entities: Vec<Entity>,
    pub source: Option<Source>,
    pub derived_from: Vec<Lineage>,
    pub privacy_class: Option<PrivacyClass>,
    pub sensitivity: Vec<Sensitivity>,
    pub consent_basis: Option<ConsentBasis>,
    pub retention: Option<RetentionTier>,
    pub expires_at: Option<Timestamp>,
    pub pinned: bool,
    pub salience: Option<f32>,
    pub valence: Option<f32>,
    /// When it happened, for imports and transcripts; the moment of writing otherwise.
    pub created_at: Option<Timestamp>,
    /// Refuse a text with a secret instead of storing it without.
    pub fail_on_secret: bool,
    /// The token with which an earlier answer asked for confirmation of this very text.
    pub confirm: Option<String>,
}

/// A memory as its owner sees it: opened, in RAM, never written as it is.
#[derive(Clone, PartialEq, Debug)]
pub struct Memory {
    pub id: MemoryId,
    pub state: Lifecycle,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub content: Content,
    pub facets: Facets,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Content {
    pub gist: String,
    pub details: Vec<Detail>,
    /// The full text, when it says more than the gist.
    pub text: Option<String>,
}

impl Content {
    pub fn full_text(&self) -> &str {
        self.text.as_deref().unwrap_or(&self.gist)
    }
}

#[derive(Clone, PartialEq, Debug)]
pub struct Detail {
    pub content: String,
    pub brightness: f32,
}

/// Everything about a memory that is neither its words nor its place in the store.
#[derive(Clone, PartialEq, Debug)]
pub struct Facets {
    pub category: Category,
    pub content_type: ContentType,
    pub tier: Tier,
    pub kind: PersonaKind,
    pub lane: Lane,
    pub secondary_lanes: Vec<Lane>,
    pub tags: Vec<String>,
    pub entities: Vec<Entity>,
    pub source: Source,
    pub derived_from: Vec<Lineage>,
    pub privacy: Privacy,
    pub retention: Retention,
    pub vitality: Vitality,
    pub history: History,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Entity {
    pub kind: String,
    pub name: String,
    pub primary: bool,
    /// What the entity is to the vault's owner: brother, employer, doctor.
    pub relation: Option<String>,
}

/// Where a memory stands among the others, and how it came to stand there.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct History {
    /// Who wrote it, in a vault that several people share.
    pub author: Option<UserId>,
    pub promotion: Option<Box<Promotion>>,
    /// The way that it is on, from the announcement of a move until the memory has left.
    pub moving: Option<Box<Promotion>>,
    /// Erased memories that this one took the place of: their ids, nothing of what they said.
    pub supersedes: Vec<MemoryId>,
    /// Memories that say nearly the same.
    pub alike: Vec<MemoryId>,
    /// How often the same text was written again.
    pub repeats: u32,
    /// What a candidate waits for.
    pub waits: Option<Wait>,
    /// What it makes a statement about, as hashes: a newer statement about the same takes its place.
    pub attributes: Vec<u64>,
    /// When a part of it was cut out, or it was made anew without one of its sources.
    pub remade_at: Option<Timestamp>,
    /// Which turns it holds, when it is the transcript of a session. No caller can say so.
    pub segment: Option<Segment>,
}

/// A stretch of a session, as one transcript holds it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Segment {
    pub first: u32,
    pub last: u32,
    /// How many turns it holds: some of those in between may be elsewhere.
    pub turns: u32,
}

/// How a memory came from one scope into another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Promotion {
    pub original_author: UserId,
    pub original_created_at: Timestamp,
    pub promoted_by: UserId,
    pub promoted_at: Timestamp,
    pub previous_scope: Holder,
    pub current_scope: Holder,
    /// Why, in the words of whoever moved it. It is sealed with the memory and stands nowhere else.
    pub justification: Option<Zeroizing<String>>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Source {
    pub kind: SourceType,
    pub trust: Trust,
    pub session: Option<SessionId>,
    pub message: Option<String>,
    pub turn: Option<u32>,
    pub tool: Option<String>,
    pub channel: Option<String>,
    pub deployment: Option<String>,
    pub from_external_content: bool,
}

impl Source {
    pub fn new(kind: SourceType, trust: Trust) -> Self {
        Self {
            kind,
            trust,
            session: None,
            message: None,
            turn: None,
            tool: None,
            channel: None,
            deployment: None,
            from_external_content: false,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Lineage {
    pub source: MemoryId,
    pub contribution: Contribution,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Privacy {
    pub class: PrivacyClass,
    pub sensitivity: Vec<Sensitivity>,
    pub basis: ConsentBasis,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Retention {
    pub tier: RetentionTier,
    /// What was asked for when it was stored; rules and settings may say less.
    pub expires_at: Option<Timestamp>,
    pub pinned: bool,
    /// When somebody last said that it shall stay: its time begins anew.
    pub kept_at: Option<Timestamp>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Vitality {
    /// As it was at the last rehearsal, or when the memory was formed.
    pub salience: f32,
    pub valence: f32,
    pub decay: DecayProfile,
    pub rehearsals: u32,
    pub rehearsed_at: Timestamp,
    /// Where it faded from before the last rehearsal, oldest first: see [`crate::decay`].
    pub peaks: Vec<Peak>,
}

/// A moment from which a memory faded: when it was formed, or rehearsed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Peak {
    pub at: Timestamp,
    pub salience: f32,
}

/// The half-life of what was learned, and of what one knows how to do. An event has the schema's 14 days.
pub const SEMANTIC_HALF_LIFE_DAYS: f32 = 180.0;
pub const PROCEDURAL_HALF_LIFE_DAYS: f32 = 365.0;

/// How a memory ages (persona schema § 03).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct DecayProfile {
    pub half_life_days: f32,
    pub rehearsal_boost: f32,
    pub valence_protection: f32,
    pub minimum_salience: f32,
    pub detail_decay_rate: f32,
}

impl DecayProfile {
    /// Events fade within weeks; facts and skills stay with somebody for much longer.
    pub fn of(kind: PersonaKind) -> Self {
        let event = Self::default();
        let half_life_days = match kind {
            PersonaKind::Episodic => event.half_life_days,
            PersonaKind::Semantic => SEMANTIC_HALF_LIFE_DAYS,
            PersonaKind::Procedural => PROCEDURAL_HALF_LIFE_DAYS,
        };
        Self { half_life_days, ..event }
    }
}

impl Default for DecayProfile {
    fn default() -> Self {
        Self {
            half_life_days: 14.0,
            rehearsal_boost: 1.4,
            valence_protection: 0.3,
            minimum_salience: 0.05,
            detail_decay_rate: 1.5,
        }
    }
}

/// The key class a memory is sealed under: one random key per class and vault.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum KeyClass {
    General,
    Sensitive(Sensitivity),
}

impl KeyClass {
    /// The class of the most tightly held sensitivity; categories that need no key of their own are general.
    pub fn of(sensitivity: &[Sensitivity]) -> Self {
        const OWN_KEY: [Sensitivity; 5] = [
            Sensitivity::Health,
            Sensitivity::Biometric,
            Sensitivity::Financial,
            Sensitivity::PoliticalReligious,
            Sensitivity::Location,
        ];
        OWN_KEY.into_iter().find(|class| sensitivity.contains(class)).map_or(Self::General, Self::Sensitive)
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::General => "general",
            Self::Sensitive(sensitivity) => sensitivity.as_str(),
        }
    }

    pub fn code(self) -> u8 {
        match self {
            Self::General => 0,
            Self::Sensitive(sensitivity) => sensitivity.code(),
        }
    }

    pub fn from_code(code: u8) -> Option<Self> {
        match code {
            0 => Some(Self::General),
            other => Sensitivity::from_code(other).map(Self::Sensitive),
        }
    }
}

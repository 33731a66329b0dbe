//! One memory: its words, its facets, its age.

use jiff::Timestamp;

use crate::facets::*;
use crate::ids::*;
use crate::plaintext::Plaintext;
use crate::record::RecordFacet;

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
/// The end of a text that was cut at [`TEXT_CHARS_MAX`].
pub const TRUNCATION_MARK: &str = "...[TRUNCATED]";
/// Tags per memory.
pub const TAGS_MAX: usize = 32;
/// One tag, in characters.
pub const TAG_CHARS_MAX: usize = 64;
/// Entities that one memory may name.
pub const ENTITIES_MAX: usize = 64;
/// Sources from which one memory may be derived.
pub const LINEAGE_MAX: usize = 256;
/// Other memories that one memory may name as alike or superseded.
pub const LINKS_MAX: usize = 16;
/// The reason for a move to another scope, in characters.
pub const JUSTIFICATION_CHARS_MAX: usize = 500;

/// A memory that a caller wants stored, as a door read it. Nothing in it has been checked.
#[derive(Default)]
pub struct Draft {
    /// The full text.
    pub text: Plaintext,
    /// The core in one sentence; the text makes one otherwise.
    pub gist: Option<Plaintext>,
    /// Details beside the gist.
    pub details: Vec<Detail>,
    /// The subject matter.
    pub category: Option<Category>,
    /// The form of the text.
    pub content_type: Option<ContentType>,
    /// The layer of memory.
    pub tier: Option<Tier>,
    /// A conclusion of an assistant, kept as its note: found at once, and never a fact before somebody confirms it.
    pub note: bool,
    /// The kind of the persona schema.
    pub kind: Option<PersonaKind>,
    /// The main lane.
    pub lane: Option<Lane>,
    /// Further lanes.
    pub secondary_lanes: Vec<Lane>,
    /// Tags of the caller's choice.
    pub tags: Vec<String>,
    /// People, places and things that it names.
    pub entities: Vec<Entity>,
    /// The origin.
    pub source: Option<Source>,
    /// The memories from which it was made.
    pub derived_from: Vec<Lineage>,
    /// The class of personal data.
    pub privacy_class: Option<PrivacyClass>,
    /// Topics that need special care.
    pub sensitivity: Vec<Sensitivity>,
    /// The legal ground.
    pub consent_basis: Option<ConsentBasis>,
    /// The time class.
    pub retention: Option<RetentionTier>,
    /// The latest time for which it is kept.
    pub expires_at: Option<Timestamp>,
    /// A pinned memory is not erased by age.
    pub pinned: bool,
    /// The importance, from 0 to 1.
    pub salience: Option<f32>,
    /// The feeling, from -1 to 1.
    pub valence: Option<f32>,
    /// The time of the event, for imports and transcripts; the time of writing otherwise.
    pub created_at: Option<Timestamp>,
    /// Refuse a text with a secret instead of storing it without.
    pub fail_on_secret: bool,
    /// Keep the text as it is or not at all: what would have to be cut out refuses it.
    pub verbatim: bool,
    /// The token with which an earlier answer asked for confirmation of this very text.
    pub confirm: Option<String>,
    /// The caller's own fields, a JSON object: kept word for word or refused.
    pub metadata: Option<Plaintext>,
}

/// A memory as its owner sees it: opened, in RAM, never written as it is.
#[derive(PartialEq)]
pub struct Memory {
    /// The id.
    pub id: MemoryId,
    /// The stage of its life.
    pub state: Lifecycle,
    /// The time of the event or of writing.
    pub created_at: Timestamp,
    /// The time of the last change.
    pub updated_at: Timestamp,
    /// The words.
    pub content: Content,
    /// Everything else about it.
    pub facets: Facets,
    /// The reason why its time ends, where a reader asked for it: a category, a tier, a rule of its owner.
    pub kept_because: Option<&'static str>,
}

impl Memory {
    /// The id by which a program knows it: a replaced text leaves it as it was.
    pub fn public_id(&self) -> MemoryId {
        self.facets.history.known_as().unwrap_or(self.id)
    }
}

/// The words of a memory.
#[derive(PartialEq)]
pub struct Content {
    /// The core in one sentence.
    pub gist: Plaintext,
    /// Details beside the gist.
    pub details: Vec<Detail>,
    /// The full text, when it says more than the gist.
    pub text: Option<Plaintext>,
}

impl Content {
    /// The full text, or the gist where there is none.
    pub fn full_text(&self) -> &Plaintext {
        self.text.as_ref().unwrap_or(&self.gist)
    }

    /// The same, taken out: what else it holds is dropped.
    pub fn into_full_text(self) -> Plaintext {
        self.text.unwrap_or(self.gist)
    }
}

/// One detail beside the gist; it fades by itself.
#[derive(PartialEq)]
pub struct Detail {
    /// The words.
    pub content: Plaintext,
    /// The strength, from 0 to 1.
    pub brightness: f32,
}

impl Detail {
    /// A second copy of it.
    pub fn duplicate(&self) -> Self {
        Self { content: self.content.duplicate(), brightness: self.brightness }
    }
}

/// Everything about a memory that is neither its words nor its place in the store.
#[derive(PartialEq)]
pub struct Facets {
    /// The subject matter.
    pub category: Category,
    /// The form of the text.
    pub content_type: ContentType,
    /// The layer of memory.
    pub tier: Tier,
    /// The kind of the persona schema.
    pub kind: PersonaKind,
    /// The main lane.
    pub lane: Lane,
    /// Further lanes.
    pub secondary_lanes: Vec<Lane>,
    /// Tags of the caller's choice.
    pub tags: Vec<String>,
    /// People, places and things that it names.
    pub entities: Vec<Entity>,
    /// The origin.
    pub source: Source,
    /// The memories from which it was made.
    pub derived_from: Vec<Lineage>,
    /// Privacy class, sensitivities and legal ground.
    pub privacy: Privacy,
    /// The time for which it is kept.
    pub retention: Retention,
    /// Salience and decay.
    pub vitality: Vitality,
    /// Relations to other memories, and moves.
    pub history: History,
}

impl Facets {
    /// Returns true for a note of an assistant that nobody has confirmed. It is found with a label, and is no fact.
    pub fn is_note(&self) -> bool {
        self.source.kind == SourceType::AiInference
            && self.tier == Tier::Episodic
            && self.category != Category::Conversation
            && !matches!(self.content_type, ContentType::Transcript | ContentType::Summary)
            && self.derived_from.is_empty()
            && !self.is_record()
    }

    /// Returns true for a memory that is held sealed until its owner consents: sensitive data, or a pattern where the
    /// policy wants a consent for those.
    pub fn is_held(&self) -> bool {
        self.privacy.is_held() || self.history.waits == Some(Wait::Consent)
    }

    /// Returns true for a pattern of somebody's behaviour.
    pub fn is_pattern(&self) -> bool {
        self.category == Category::WorkPattern || self.content_type == ContentType::Pattern
    }

    /// Returns true for a record: a value that a program keeps under a place.
    pub fn is_record(&self) -> bool {
        self.history.record.is_some()
    }

    /// A second copy of them. Tags and names are words of the memory, so that a copy is asked for by name.
    pub fn duplicate(&self) -> Self {
        Self {
            category: self.category,
            content_type: self.content_type,
            tier: self.tier,
            kind: self.kind,
            lane: self.lane,
            secondary_lanes: self.secondary_lanes.clone(),
            tags: self.tags.clone(),
            entities: self.entities.iter().map(Entity::duplicate).collect(),
            source: self.source.clone(),
            derived_from: self.derived_from.clone(),
            privacy: self.privacy.clone(),
            retention: self.retention.clone(),
            vitality: self.vitality.clone(),
            history: self.history.duplicate(),
        }
    }
}

/// A person, place, organisation or thing that a memory names.
#[derive(PartialEq)]
pub struct Entity {
    /// The kind: person, place, organisation, thing.
    pub kind: String,
    /// The name.
    pub name: String,
    /// True for an entity that the memory is about.
    pub primary: bool,
    /// Its relation to the vault's owner: brother, employer, doctor.
    pub relation: Option<String>,
}

impl Entity {
    /// A second copy of it.
    pub fn duplicate(&self) -> Self {
        Self {
            kind: self.kind.clone(),
            name: self.name.clone(),
            primary: self.primary,
            relation: self.relation.clone(),
        }
    }
}

/// The relations of a memory to others, and its moves between vaults.
#[derive(PartialEq, Default)]
pub struct History {
    /// The writer, in a vault that several people share.
    pub author: Option<UserId>,
    /// The move that brought it into this vault.
    pub promotion: Option<Box<Promotion>>,
    /// The move that was announced and has not ended.
    pub moving: Option<Box<Promotion>>,
    /// Erased memories that this one took the place of: their ids, nothing of what they said.
    pub supersedes: Vec<MemoryId>,
    /// Memories that say nearly the same.
    pub alike: Vec<MemoryId>,
    /// Repetitions of the same text after the first.
    pub repeats: u32,
    /// The reason for which a candidate is not active yet.
    pub waits: Option<Wait>,
    /// Hashes of the attributes that it states; a newer statement about the same attribute replaces it.
    pub attributes: Vec<u64>,
    /// The last time that a part was cut out, or that it was made anew without one of its sources.
    pub remade_at: Option<Timestamp>,
    /// The turns of the session whose transcript it is. Callers cannot set it.
    pub segment: Option<Segment>,
    /// The place and the metadata of a record.
    pub record: Option<Box<RecordFacet>>,
    /// The id that stays when the text is replaced. The memory behind it, and its key, are new each time.
    pub public_id: Option<MemoryId>,
    /// The caller's own fields, a JSON object. Those of a record are in its facet.
    pub metadata: Option<Plaintext>,
}

impl History {
    /// A second copy of it, with the reasons for its moves.
    pub fn duplicate(&self) -> Self {
        let copy = |moved: &Promotion| Box::new(moved.duplicate());
        Self {
            author: self.author.clone(),
            promotion: self.promotion.as_deref().map(copy),
            moving: self.moving.as_deref().map(copy),
            supersedes: self.supersedes.clone(),
            alike: self.alike.clone(),
            repeats: self.repeats,
            waits: self.waits,
            attributes: self.attributes.clone(),
            remade_at: self.remade_at,
            segment: self.segment,
            record: self.record.as_ref().map(|record| Box::new(record.duplicate())),
            public_id: self.public_id,
            metadata: self.metadata.as_ref().map(Plaintext::duplicate),
        }
    }

    /// The id that stays, where the memory has one besides its own.
    pub fn known_as(&self) -> Option<MemoryId> {
        self.record.as_deref().map(|record| record.id).or(self.public_id)
    }

    /// The fields that its program gave it, of a record or of another memory.
    pub fn own_fields(&self) -> Option<&Plaintext> {
        self.record.as_deref().map_or(self.metadata.as_ref(), |record| record.metadata.as_ref())
    }
}

/// A stretch of a session, as one transcript holds it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Segment {
    /// The number of the first turn.
    pub first: u32,
    /// The number of the last turn.
    pub last: u32,
    /// The number of turns in it; others of the stretch may be elsewhere.
    pub turns: u32,
}

/// A move of a memory from one scope to another.
#[derive(PartialEq, Eq)]
pub struct Promotion {
    /// The first writer.
    pub original_author: UserId,
    /// The time of the first writing.
    pub original_created_at: Timestamp,
    /// The person who moved it.
    pub promoted_by: UserId,
    /// The time of the move.
    pub promoted_at: Timestamp,
    /// The holder that it left.
    pub previous_scope: Holder,
    /// The holder that it came to.
    pub current_scope: Holder,
    /// The reason, in the words of the person who moved it. It is sealed with the memory and stands nowhere else.
    pub justification: Option<Plaintext>,
}

impl Promotion {
    /// A second copy of it, with its reason.
    pub fn duplicate(&self) -> Self {
        Self {
            original_author: self.original_author.clone(),
            original_created_at: self.original_created_at,
            promoted_by: self.promoted_by.clone(),
            promoted_at: self.promoted_at,
            previous_scope: self.previous_scope.clone(),
            current_scope: self.current_scope.clone(),
            justification: self.justification.as_ref().map(Plaintext::duplicate),
        }
    }
}

/// The origin of a memory. Its labels come from the caller, so that they are not printed.
#[derive(Clone, PartialEq)]
pub struct Source {
    /// The type of the origin.
    pub kind: SourceType,
    /// The trust in it.
    pub trust: Trust,
    /// The conversation.
    pub session: Option<SessionId>,
    /// The id of the message, as the caller names it.
    pub message: Option<String>,
    /// The number of the turn.
    pub turn: Option<u32>,
    /// The tool that gave the output.
    pub tool: Option<String>,
    /// The channel, as the caller names it.
    pub channel: Option<String>,
    /// The assistant that took part.
    pub deployment: Option<String>,
    /// True when the words come from outside the conversation.
    pub from_external_content: bool,
}

impl Source {
    /// An origin with a type and a trust, and nothing else known.
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

/// One source of a derived memory.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Lineage {
    /// The memory that was used.
    pub source: MemoryId,
    /// Its part in the result.
    pub contribution: Contribution,
}

/// The privacy facets of a memory.
#[derive(Clone, PartialEq, Debug)]
pub struct Privacy {
    /// The class of personal data.
    pub class: PrivacyClass,
    /// Topics that need special care.
    pub sensitivity: Vec<Sensitivity>,
    /// The legal ground.
    pub basis: ConsentBasis,
}

impl Privacy {
    /// Returns true for sensitive data without a legal ground: it is held sealed until its owner consents.
    pub fn is_held(&self) -> bool {
        self.class == PrivacyClass::SensitivePii && self.basis == ConsentBasis::NotApplicable
    }
}

/// The time for which a memory is kept.
#[derive(Clone, PartialEq, Debug)]
pub struct Retention {
    /// The time class.
    pub tier: RetentionTier,
    /// The time that the caller asked for; rules and settings may shorten it.
    pub expires_at: Option<Timestamp>,
    /// A pinned memory is not erased by age.
    pub pinned: bool,
    /// The last time that somebody asked to keep it; its time starts again there.
    pub kept_at: Option<Timestamp>,
}

/// The strength of a memory, and its decay.
#[derive(Clone, PartialEq, Debug)]
pub struct Vitality {
    /// As it was at the last rehearsal, or when the memory was formed.
    pub salience: f32,
    /// The feeling, from -1 to 1.
    pub valence: f32,
    /// The parameters of decay.
    pub decay: DecayProfile,
    /// The number of rehearsals.
    pub rehearsals: u32,
    /// The time of the last rehearsal, or of forming.
    pub rehearsed_at: Timestamp,
    /// The last reading that was no rehearsal. It is written about once a day, and changes no salience.
    pub read_at: Option<Timestamp>,
    /// The peaks before the last rehearsal, oldest first: see [`crate::decay`].
    pub peaks: Vec<Peak>,
}

/// A moment from which a memory faded: when it was formed, or rehearsed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Peak {
    /// The time of the peak.
    pub at: Timestamp,
    /// The salience at the peak.
    pub salience: f32,
}

/// The half-life of a fact. An event has the schema's 14 days.
pub const SEMANTIC_HALF_LIFE_DAYS: f32 = 180.0;
/// The half-life of a skill.
pub const PROCEDURAL_HALF_LIFE_DAYS: f32 = 365.0;

/// The parameters of decay (persona schema § 03).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct DecayProfile {
    /// Days in which the salience halves.
    pub half_life_days: f32,
    /// The factor of one rehearsal.
    pub rehearsal_boost: f32,
    /// The share of the valence below which salience does not fall.
    pub valence_protection: f32,
    /// The salience below which a memory counts as faded.
    pub minimum_salience: f32,
    /// The factor by which details fade faster than the gist.
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
    /// The class of everything that needs no key of its own.
    General,
    /// A sensitivity with a key of its own.
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

    /// Returns the word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::General => "general",
            Self::Sensitive(sensitivity) => sensitivity.as_str(),
        }
    }

    /// The byte under which it is stored. Frozen.
    pub fn code(self) -> u8 {
        match self {
            Self::General => 0,
            Self::Sensitive(sensitivity) => sensitivity.code(),
        }
    }

    /// Reads a stored byte back.
    pub fn from_code(code: u8) -> Option<Self> {
        match code {
            0 => Some(Self::General),
            other => Sensitivity::from_code(other).map(Self::Sensitive),
        }
    }
}

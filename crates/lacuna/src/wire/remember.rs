use jiff::Timestamp;
use lacuna_core::write::{Outcome, REMEMBER_BATCH_MAX, Remembered};
use lacuna_types::{
    DETAILS_MAX, Detail, Draft, ENTITIES_MAX, Entity, LINEAGE_MAX, Lineage, MemoryId, Plaintext, Result,
    Scope, SessionId, Source, SourceType, TAGS_MAX, Trust,
};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::gate::{HeldView, OutcomeView, ReportView};
use super::json::bounded_list;
use super::record::raw_text;
use super::scope::shown;
use super::words;

/// A text to remember. Only `content` is required.
#[derive(Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = RememberRequest)]
pub(crate) struct RememberRequest {
    /// The text. Beyond 10,000 characters it is cut and marked; transcripts may have 1,000,000.
    #[schema(min_length = 1)]
    pub(crate) content: String,
    /// Its core in at most 280 characters; made from the text when absent.
    pub(crate) gist: Option<String>,
    #[serde(default, deserialize_with = "bounded_list::<DETAILS_MAX, _, _>")]
    pub(crate) details: Vec<DetailBody>,
    pub(crate) category: Option<words::Category>,
    pub(crate) content_type: Option<words::ContentType>,
    pub(crate) tier: Option<words::Tier>,
    pub(crate) kind: Option<words::PersonaKind>,
    pub(crate) lane: Option<words::Lane>,
    #[serde(default)]
    pub(crate) secondary_lanes: Vec<words::Lane>,
    #[serde(default, deserialize_with = "bounded_list::<TAGS_MAX, _, _>")]
    pub(crate) tags: Vec<String>,
    #[serde(default, deserialize_with = "bounded_list::<ENTITIES_MAX, _, _>")]
    pub(crate) entities: Vec<EntityBody>,
    pub(crate) source: Option<SourceBody>,
    #[serde(default, deserialize_with = "bounded_list::<LINEAGE_MAX, _, _>")]
    pub(crate) derived_from: Vec<LineageBody>,
    pub(crate) privacy_class: Option<words::PrivacyClass>,
    #[serde(default)]
    pub(crate) sensitivity: Vec<words::Sensitivity>,
    pub(crate) consent_basis: Option<words::ConsentBasis>,
    pub(crate) retention: Option<words::RetentionTier>,
    pub(crate) expires_at: Option<Timestamp>,
    #[serde(default)]
    pub(crate) pinned: bool,
    /// Importance from 0 to 1; judged from the text when absent.
    #[schema(minimum = 0, maximum = 1)]
    pub(crate) salience: Option<f32>,
    /// Pleasantness, from -1 to 1.
    #[schema(minimum = -1, maximum = 1)]
    pub(crate) valence: Option<f32>,
    /// Time of the event; the moment of writing when absent.
    pub(crate) created_at: Option<Timestamp>,
    /// True refuses a text that holds a secret, instead of storing it without.
    #[serde(default)]
    pub(crate) fail_on_secret: bool,
    /// The `confirm` of an earlier answer that asked about this very text.
    pub(crate) confirm: Option<String>,
    /// An object of your own, up to 16 KiB, to filter by. It is kept as it is written, or refused.
    #[schema(value_type = Option<Object>)]
    pub(crate) metadata: Option<Box<RawValue>>,
    /// The vault to write to: `user`, `team:NAME`, `org` or `deployment:NAME`; the caller's own when absent.
    pub(crate) scope: Option<String>,
}

#[derive(Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Detail)]
pub(crate) struct DetailBody {
    /// At most 200 characters.
    pub(crate) content: String,
    /// From 0 to 1.
    #[serde(default = "full_brightness")]
    #[schema(minimum = 0, maximum = 1)]
    pub(crate) brightness: f32,
}

fn full_brightness() -> f32 {
    1.0
}

#[derive(Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Entity)]
pub(crate) struct EntityBody {
    /// Such as `person`, `place`, `organisation`.
    pub(crate) r#type: String,
    pub(crate) name: String,
    /// True if the memory is about it, rather than mentioning it.
    #[serde(default)]
    pub(crate) primary: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) relation: Option<String>,
}

/// Source of a memory.
#[derive(Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Source)]
pub(crate) struct SourceBody {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) r#type: Option<words::SourceType>,
    /// May be lowered below the type's own trust, never raised.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) trust: Option<words::Trust>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) session_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) message_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) turn: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tool: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) channel: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) deployment: Option<String>,
    #[serde(default)]
    pub(crate) from_external_content: bool,
}

#[derive(Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Lineage)]
pub(crate) struct LineageBody {
    pub(crate) memory_id: String,
    pub(crate) contribution: words::Contribution,
}

impl RememberRequest {
    pub(crate) fn into_draft(self) -> Result<Draft> {
        Ok(Draft {
            text: self.content.into(),
            gist: self.gist.map(Plaintext::from),
            details: self.details.into_iter().map(Detail::from).collect(),
            category: self.category.map(|word| word.0),
            content_type: self.content_type.map(|word| word.0),
            tier: self.tier.map(|word| word.0),
            note: false,
            kind: self.kind.map(|word| word.0),
            lane: self.lane.map(|word| word.0),
            secondary_lanes: self.secondary_lanes.into_iter().map(|word| word.0).collect(),
            tags: self.tags,
            entities: self.entities.into_iter().map(Entity::from).collect(),
            source: self.source.map(Source::try_from).transpose()?,
            derived_from: self.derived_from.into_iter().map(Lineage::try_from).collect::<Result<_>>()?,
            privacy_class: self.privacy_class.map(|word| word.0),
            sensitivity: self.sensitivity.into_iter().map(|word| word.0).collect(),
            consent_basis: self.consent_basis.map(|word| word.0),
            retention: self.retention.map(|word| word.0),
            expires_at: self.expires_at,
            pinned: self.pinned,
            salience: self.salience,
            valence: self.valence,
            created_at: self.created_at,
            fail_on_secret: self.fail_on_secret,
            verbatim: false,
            confirm: self.confirm,
            metadata: self.metadata.as_deref().map(raw_text),
        })
    }
}

/// The drafts of a batch, which goes to one vault as a whole.
pub(crate) fn into_drafts(memories: Vec<RememberRequest>) -> Result<Vec<Draft>> {
    if memories.iter().any(|memory| memory.scope.is_some()) {
        return Err(lacuna_types::Error::invalid("memories.scope", "is given once for the whole batch"));
    }
    memories.into_iter().map(RememberRequest::into_draft).collect()
}

impl From<DetailBody> for Detail {
    fn from(body: DetailBody) -> Self {
        Self { content: body.content.into(), brightness: body.brightness }
    }
}

impl From<Detail> for DetailBody {
    fn from(detail: Detail) -> Self {
        Self { content: detail.content.into_exposed(), brightness: detail.brightness }
    }
}

impl From<EntityBody> for Entity {
    fn from(body: EntityBody) -> Self {
        Self { kind: body.r#type, name: body.name, primary: body.primary, relation: body.relation }
    }
}

impl From<Entity> for EntityBody {
    fn from(entity: Entity) -> Self {
        Self { r#type: entity.kind, name: entity.name, primary: entity.primary, relation: entity.relation }
    }
}

impl TryFrom<SourceBody> for Source {
    type Error = lacuna_types::Error;

    fn try_from(body: SourceBody) -> Result<Self> {
        let kind = body.r#type.map_or(SourceType::ExplicitSave, |word| word.0);
        // The highest trust is only a claim: the core lowers it to the type's own.
        let trust = body.trust.map_or(Trust::High, |word| word.0);
        Ok(Self {
            session: body.session_id.as_deref().map(SessionId::new).transpose()?,
            message: body.message_id,
            turn: body.turn,
            tool: body.tool,
            channel: body.channel,
            deployment: body.deployment,
            from_external_content: body.from_external_content,
            ..Self::new(kind, trust)
        })
    }
}

impl From<Source> for SourceBody {
    fn from(source: Source) -> Self {
        Self {
            r#type: Some(source.kind.into()),
            trust: Some(source.trust.into()),
            session_id: source.session.map(|session| session.as_str().to_owned()),
            message_id: source.message,
            turn: source.turn,
            tool: source.tool,
            channel: source.channel,
            deployment: source.deployment,
            from_external_content: source.from_external_content,
        }
    }
}

impl TryFrom<LineageBody> for Lineage {
    type Error = lacuna_types::Error;

    fn try_from(body: LineageBody) -> Result<Self> {
        let source: MemoryId = body.memory_id.parse()?;
        Ok(Self { source, contribution: body.contribution.0 })
    }
}

impl From<Lineage> for LineageBody {
    fn from(lineage: Lineage) -> Self {
        Self { memory_id: lineage.source.to_string(), contribution: lineage.contribution.into() }
    }
}

/// Many memories. A field out of bounds refuses all of them; the rules of the gate decide one by one.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = RememberBatch)]
pub(crate) struct RememberBatch {
    /// From 1 to 2,000.
    #[serde(deserialize_with = "bounded_list::<REMEMBER_BATCH_MAX, _, _>")]
    #[schema(min_items = 1, max_items = 2000)]
    pub(crate) memories: Vec<RememberRequest>,
    /// The vault to write all of them to; the caller's own when absent.
    pub(crate) scope: Option<String>,
}

/// Result for one text.
#[derive(Serialize, ToSchema)]
#[schema(as = Remembered)]
pub(crate) struct RememberedView {
    pub(crate) memory_id: String,
    /// The vault that it is in.
    pub(crate) scope: String,
    /// `sha256:` and the digest of the text as it was stored.
    pub(crate) content_hash: String,
    /// True if it can be found by meaning from now on.
    pub(crate) embedding_generated: bool,
    /// The model of that embedding; a better one may follow in the background.
    pub(crate) embedding_model: String,
    /// `candidate` waits for a review, `approved` for its grace period; only `active` is found.
    pub(crate) state: words::Lifecycle,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) waits: Option<words::Wait>,
    pub(crate) privacy_class: words::PrivacyClass,
    pub(crate) sensitivity: Vec<words::Sensitivity>,
    pub(crate) lane: words::Lane,
    /// `working` is held in RAM until its session ends, and stored nowhere.
    pub(crate) tier: words::Tier,
    /// True for a note of an assistant: it is found, labelled as not confirmed, and is no fact.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_note: bool,
    pub(crate) salience: f32,
    /// Number of times that this very text had been written before; above 0 nothing new was stored.
    pub(crate) repeats: u32,
    /// Memories that were erased because this one replaces them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) supersedes: Vec<String>,
    /// Memories that say nearly the same, or may contradict it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) alike: Vec<String>,
    /// The time until which it is kept; absent when nothing ends its time, or when it was there before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) kept_until: Option<Timestamp>,
    /// Reason why its time ends: a category, a tier, a rule of its owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) kept_because: Option<String>,
    /// The time from which its owner is asked whether to keep it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) asks_at: Option<Timestamp>,
    /// The sentences of a turn that are held apart until their owner consents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) held: Option<HeldView>,
    /// The gate's work on the text.
    pub(crate) gate: ReportView,
    pub(crate) created_at: Timestamp,
}

impl RememberedView {
    pub(crate) fn of(remembered: Remembered, scope: &Scope) -> Self {
        Self {
            memory_id: remembered.id.to_string(),
            scope: shown(scope),
            content_hash: super::content_hash(&remembered.content_sha256),
            embedding_generated: true,
            embedding_model: remembered.embedded_by.as_str().to_owned(),
            state: remembered.state.into(),
            waits: remembered.waits.map(words::Wait),
            privacy_class: remembered.privacy_class.into(),
            sensitivity: remembered.sensitivity.into_iter().map(words::Sensitivity).collect(),
            lane: remembered.lane.into(),
            tier: remembered.tier.into(),
            is_note: remembered.is_note,
            salience: remembered.salience,
            repeats: remembered.repeats,
            supersedes: remembered.supersedes.iter().map(ToString::to_string).collect(),
            alike: remembered.alike.iter().map(ToString::to_string).collect(),
            kept_until: remembered.kept_until,
            kept_because: remembered.kept_because.map(str::to_owned),
            asks_at: remembered.asks_at,
            held: remembered.held.map(HeldView::from),
            gate: remembered.report.into(),
            created_at: remembered.created_at,
        }
    }
}

/// Results of a batch, in its order.
#[derive(Serialize, ToSchema)]
#[schema(as = RememberedBatch)]
pub(crate) struct RememberedBatch {
    pub(crate) scope: String,
    pub(crate) memories: Vec<OutcomeView>,
}

impl RememberedBatch {
    pub(crate) fn of(outcomes: Vec<Outcome>, scope: &Scope) -> Self {
        let memories = outcomes.into_iter().map(|one| OutcomeView::of(one, scope)).collect();
        Self { scope: shown(scope), memories }
    }
}

use jiff::Timestamp;
use lacuna_core::read::{Page, WholeMemory, WholePage, source_label};
use lacuna_types::{Facets, Memory, Plaintext, Promotion, Scope};
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::remember::{DetailBody, EntityBody, LineageBody, SourceBody};
use super::scope::shown;
use super::{content_hash, words, write_cursor};

/// One memory, whole.
#[derive(Serialize, ToSchema)]
#[schema(as = Memory)]
pub(crate) struct MemoryView {
    pub(crate) memory_id: String,
    /// The vault that it is in.
    pub(crate) scope: String,
    /// The author, in a vault that several people share.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) author: Option<String>,
    /// Its move from another scope into this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) promotion: Option<PromotionView>,
    /// Reason why a candidate waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) waits: Option<words::Wait>,
    /// Erased memories that it replaced.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) supersedes: Vec<String>,
    /// Memories that say nearly the same, or may contradict it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) alike: Vec<String>,
    /// The label to show beside it, such as "noted by the assistant, not confirmed"; absent for the owner's own word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) source_label: Option<String>,
    /// Reason why its time ends at `expires_at`: a category, a tier, a rule of its owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) kept_because: Option<String>,
    /// Number of times that the same text was written again.
    pub(crate) repeats: u32,
    pub(crate) state: words::Lifecycle,
    pub(crate) content: String,
    pub(crate) content_hash: String,
    pub(crate) gist: String,
    pub(crate) details: Vec<DetailBody>,
    #[serde(flatten)]
    pub(crate) facets: FacetsView,
    /// The object that its program gave it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub(crate) metadata: Option<Box<RawValue>>,
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
}

/// Everything about a memory but its text.
#[derive(Serialize, ToSchema)]
#[schema(as = Facets)]
pub(crate) struct FacetsView {
    pub(crate) category: words::Category,
    pub(crate) content_type: words::ContentType,
    pub(crate) tier: words::Tier,
    pub(crate) kind: words::PersonaKind,
    pub(crate) lane: words::Lane,
    pub(crate) secondary_lanes: Vec<words::Lane>,
    pub(crate) tags: Vec<String>,
    pub(crate) entities: Vec<EntityBody>,
    pub(crate) source: SourceBody,
    pub(crate) derived_from: Vec<LineageBody>,
    pub(crate) privacy_class: words::PrivacyClass,
    pub(crate) sensitivity: Vec<words::Sensitivity>,
    pub(crate) consent_basis: words::ConsentBasis,
    pub(crate) retention: words::RetentionTier,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) expires_at: Option<Timestamp>,
    pub(crate) pinned: bool,
    pub(crate) salience: f32,
    pub(crate) valence: f32,
}

impl From<Facets> for FacetsView {
    fn from(facets: Facets) -> Self {
        Self {
            category: facets.category.into(),
            content_type: facets.content_type.into(),
            tier: facets.tier.into(),
            kind: facets.kind.into(),
            lane: facets.lane.into(),
            secondary_lanes: facets.secondary_lanes.into_iter().map(words::Lane).collect(),
            tags: facets.tags,
            entities: facets.entities.into_iter().map(EntityBody::from).collect(),
            source: facets.source.into(),
            derived_from: facets.derived_from.into_iter().map(LineageBody::from).collect(),
            privacy_class: facets.privacy.class.into(),
            sensitivity: facets.privacy.sensitivity.into_iter().map(words::Sensitivity).collect(),
            consent_basis: facets.privacy.basis.into(),
            retention: facets.retention.tier.into(),
            expires_at: facets.retention.expires_at,
            pinned: facets.retention.pinned,
            salience: facets.vitality.salience,
            valence: facets.vitality.valence,
        }
    }
}

impl MemoryView {
    pub(crate) fn of(mut memory: Memory, scope: &Scope) -> Self {
        let text = memory.content.full_text().expose().to_owned();
        let (source_label, memory_id) = (source_label(&memory.facets, &text), memory.public_id().to_string());
        let history = std::mem::take(&mut memory.facets.history);
        Self {
            source_label,
            kept_because: memory.kept_because.map(str::to_owned),
            scope: shown(scope),
            author: history.author.map(|author| author.to_string()),
            promotion: history.promotion.map(|promotion| PromotionView::from(*promotion)),
            waits: history.waits.map(words::Wait),
            // A text that was replaced under the same id is no other memory.
            supersedes: history
                .supersedes
                .iter()
                .map(ToString::to_string)
                .filter(|id| *id != memory_id)
                .collect(),
            alike: history.alike.iter().map(ToString::to_string).collect(),
            repeats: history.repeats,
            state: memory.state.into(),
            content_hash: content_hash(&lacuna_seal::sha256(text.as_bytes())),
            content: text,
            gist: memory.content.gist.into_exposed(),
            details: memory.content.details.into_iter().map(DetailBody::from).collect(),
            facets: memory.facets.into(),
            metadata: history.metadata.and_then(own_fields),
            created_at: memory.created_at,
            updated_at: memory.updated_at,
            memory_id,
        }
    }
}

/// Move of a memory from one scope into another.
#[derive(Serialize, ToSchema)]
#[schema(as = Promotion)]
pub(crate) struct PromotionView {
    pub(crate) original_author_id: String,
    pub(crate) original_created_at: Timestamp,
    pub(crate) promoted_by_id: String,
    pub(crate) promoted_at: Timestamp,
    pub(crate) previous_scope: String,
    pub(crate) current_scope: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) justification: Option<String>,
}

impl From<Promotion> for PromotionView {
    fn from(promotion: Promotion) -> Self {
        Self {
            original_author_id: promotion.original_author.to_string(),
            original_created_at: promotion.original_created_at,
            promoted_by_id: promotion.promoted_by.to_string(),
            promoted_at: promotion.promoted_at,
            previous_scope: promotion.previous_scope.to_string(),
            current_scope: promotion.current_scope.to_string(),
            justification: promotion.justification.map(Plaintext::into_exposed),
        }
    }
}

/// The fields that a program gave to a memory. They were read as JSON before they were sealed.
pub(super) fn own_fields(fields: Plaintext) -> Option<Box<RawValue>> {
    RawValue::from_string(fields.into_exposed()).ok()
}

/// A memory on a list: its gist, and its full text where the call asks for it.
#[derive(Serialize, ToSchema)]
#[schema(as = MemorySummary)]
pub(crate) struct MemorySummary {
    pub(crate) memory_id: String,
    /// The author, in a vault that several people share.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) author: Option<String>,
    pub(crate) state: words::Lifecycle,
    /// The label to show beside it; absent for the owner's own word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) source_label: Option<String>,
    pub(crate) gist: String,
    /// The full text, with `full=true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) content: Option<String>,
    /// True if `content` is the gist, because the whole text is damaged.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) shortened: bool,
    pub(crate) category: words::Category,
    pub(crate) content_type: words::ContentType,
    pub(crate) tags: Vec<String>,
    /// The object that its program gave it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub(crate) metadata: Option<Box<RawValue>>,
    pub(crate) salience: f32,
    pub(crate) created_at: Timestamp,
    /// The time until which it is kept; absent when nothing ends its time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) expires_at: Option<Timestamp>,
    /// Reason why its time ends: a category, a tier, a rule of its owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) kept_because: Option<String>,
}

impl From<Memory> for MemorySummary {
    fn from(memory: Memory) -> Self {
        let source_label = source_label(&memory.facets, memory.content.gist.expose());
        let memory_id = memory.public_id().to_string();
        let history = memory.facets.history;
        Self {
            author: history.author.map(|author| author.to_string()),
            metadata: history.metadata.and_then(own_fields),
            memory_id,
            source_label,
            content: None,
            shortened: false,
            state: memory.state.into(),
            gist: memory.content.gist.into_exposed(),
            category: memory.facets.category.into(),
            content_type: memory.facets.content_type.into(),
            tags: memory.facets.tags,
            salience: memory.facets.vitality.salience,
            created_at: memory.created_at,
            expires_at: memory.facets.retention.expires_at,
            kept_because: memory.kept_because.map(str::to_owned),
        }
    }
}

impl From<WholeMemory> for MemorySummary {
    fn from(whole: WholeMemory) -> Self {
        let content = whole.memory.content.full_text().expose().to_owned();
        Self { content: Some(content), shortened: whole.shortened, ..Self::from(whole.memory) }
    }
}

/// One page of a list, newest first.
#[derive(Serialize, ToSchema)]
#[schema(as = MemoryPage)]
pub(crate) struct MemoryPage {
    /// The vault that was listed.
    pub(crate) scope: String,
    pub(crate) memories: Vec<MemorySummary>,
    /// Pass it as `cursor` to get the next page; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next_cursor: Option<String>,
}

impl MemoryPage {
    pub(crate) fn of(page: Page, scope: &Scope) -> Self {
        Self {
            scope: shown(scope),
            memories: page.memories.into_iter().map(MemorySummary::from).collect(),
            next_cursor: page.next.map(write_cursor),
        }
    }

    /// The page with the full texts.
    pub(crate) fn whole(page: WholePage, scope: &Scope) -> Self {
        Self {
            scope: shown(scope),
            memories: page.memories.into_iter().map(MemorySummary::from).collect(),
            next_cursor: page.next.map(write_cursor),
        }
    }
}

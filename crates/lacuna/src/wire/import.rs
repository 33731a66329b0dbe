use jiff::Timestamp;
use lacuna_core::transfer::{Account, Carried, Fate, ImportRecord, Imported, Origin};
use lacuna_types::{
    Category, DecayProfile, Detail, Draft, Entity, History, Holder, Lifecycle, Lineage, MemoryId, Plaintext,
    Promotion, RecordFacet, RecordPlace, Result, Scope, SessionId, Source, SourceType, Trust, UserId,
};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::record::searched;
use super::remember::{DetailBody, EntityBody, LineageBody, SourceBody};
use super::scope::shown;
use super::words;

/// One record of a Lacuna export. Keys that a later release adds are skipped.
#[derive(Deserialize)]
pub(crate) struct RecordBody {
    memory_id: Option<String>,
    content: String,
    session_id: Option<String>,
    channel: Option<String>,
    #[serde(default)]
    topic_tags: Vec<String>,
    created_at: Option<Timestamp>,
    state: Option<words::Lifecycle>,
    #[serde(default)]
    inferred: bool,
    gist: Option<String>,
    #[serde(default)]
    details: Vec<DetailBody>,
    content_type: Option<words::ContentType>,
    tier: Option<words::Tier>,
    kind: Option<words::PersonaKind>,
    lane: Option<words::Lane>,
    #[serde(default)]
    secondary_lanes: Vec<words::Lane>,
    #[serde(default)]
    entities: Vec<EntityBody>,
    source: Option<SourceBody>,
    #[serde(default)]
    derived_from: Vec<LineageBody>,
    privacy_class: Option<words::PrivacyClass>,
    #[serde(default)]
    sensitivity: Vec<words::Sensitivity>,
    consent_basis: Option<words::ConsentBasis>,
    retention: Option<words::RetentionTier>,
    expires_at: Option<Timestamp>,
    #[serde(default)]
    pinned: bool,
    salience: Option<f32>,
    valence: Option<f32>,
    #[serde(default)]
    rehearsals: u32,
    rehearsed_at: Option<Timestamp>,
    decay: Option<DecayBody>,
    updated_at: Option<Timestamp>,
    waits: Option<words::Wait>,
    author: Option<String>,
    promotion: Option<PromotionBody>,
    metadata: Option<Box<RawValue>>,
    /// The place of a program's record.
    record: Option<RecordPlaceBody>,
    #[serde(default)]
    supersedes: Vec<String>,
    remade_at: Option<Timestamp>,
    #[serde(default)]
    repeats: u32,
}

#[derive(Deserialize)]
struct DecayBody {
    half_life_days: f32,
    rehearsal_boost: f32,
    valence_protection: f32,
    minimum_salience: f32,
    detail_decay_rate: f32,
}

/// The place of a program's record, whose value is the content.
#[derive(Deserialize)]
struct RecordPlaceBody {
    record_id: Option<String>,
    namespace: Vec<String>,
    key: String,
    /// An object, as the text of its JSON.
    metadata: Option<String>,
    index: Option<Vec<String>>,
    ttl_ms: Option<u64>,
    #[serde(default)]
    written_at: Vec<Timestamp>,
}

#[derive(Deserialize)]
struct PromotionBody {
    original_author_id: String,
    original_created_at: Timestamp,
    promoted_by_id: String,
    promoted_at: Timestamp,
    previous_scope: String,
    current_scope: String,
    justification: Option<String>,
}

impl RecordBody {
    pub(crate) fn into_record(mut self, number: u64, category: Category) -> Result<ImportRecord> {
        let origin = self.memory_id.as_deref().map(str::parse).transpose()?.map(Origin::Memory);
        let is_record = self.record.is_some();
        let carried = self.carried()?.map(Box::new);
        if is_record && carried.is_none() {
            return Err(lacuna_types::Error::invalid("record", "lacks its source, state or updated_at"));
        }
        let source = match self.source {
            Some(source) => Source::try_from(source)?,
            None => unnamed_source(self.session_id.as_deref(), self.channel, self.inferred)?,
        };
        let draft = Draft {
            note: false,
            text: self.content.into(),
            gist: self.gist.map(Plaintext::from),
            details: self.details.into_iter().map(Detail::from).collect(),
            category: Some(category),
            content_type: self.content_type.map(|word| word.0),
            tier: self.tier.map(|word| word.0),
            kind: self.kind.map(|word| word.0),
            lane: self.lane.map(|word| word.0),
            secondary_lanes: self.secondary_lanes.into_iter().map(|word| word.0).collect(),
            tags: self.topic_tags,
            entities: self.entities.into_iter().map(Entity::from).collect(),
            source: Some(source),
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
            fail_on_secret: false,
            verbatim: false,
            confirm: None,
            metadata: self.metadata.map(|raw| raw.get().into()),
        };
        Ok(ImportRecord { number, origin, draft, carried })
    }

    /// State that a record carries along. Only a record with all its metadata has one; any other is treated like
    /// a new one.
    fn carried(&mut self) -> Result<Option<Carried>> {
        let (Some(_), Some(state), Some(updated_at)) = (&self.source, self.state, self.updated_at) else {
            return Ok(None);
        };
        let supersedes = self.supersedes.iter().map(|id| id.parse::<MemoryId>()).collect::<Result<_>>()?;
        let promotion = self.promotion.take().map(Promotion::try_from).transpose()?;
        Ok(Some(Carried {
            proven: false,
            state: state.0,
            updated_at,
            rehearsals: self.rehearsals,
            rehearsed_at: self.rehearsed_at.or(self.created_at).unwrap_or(updated_at),
            decay: self.decay.take().map_or(DecayProfile::default(), DecayProfile::from),
            history: History {
                author: self.author.as_deref().map(UserId::new).transpose()?,
                promotion: promotion.map(Box::new),
                supersedes,
                repeats: self.repeats,
                waits: self.waits.map(|word| word.0).filter(|_| state.0 == Lifecycle::Candidate),
                remade_at: self.remade_at,
                record: self.record.take().map(RecordFacet::try_from).transpose()?.map(Box::new),
                ..History::default()
            },
        }))
    }
}

impl TryFrom<RecordPlaceBody> for RecordFacet {
    type Error = lacuna_types::Error;

    fn try_from(body: RecordPlaceBody) -> Result<Self> {
        let id = body.record_id.as_deref().map(str::parse::<MemoryId>).transpose()?;
        Ok(Self {
            id: id.unwrap_or(MemoryId::from_bytes([0; 16])),
            place: RecordPlace::new(&body.namespace, &body.key),
            metadata: body.metadata.map(Plaintext::from),
            searched: searched(body.index),
            ttl_ms: body.ttl_ms,
            written_at: body.written_at,
        })
    }
}

/// Source of a record that names none: all that is known is that it stood in a file.
fn unnamed_source(session: Option<&str>, channel: Option<String>, inferred: bool) -> Result<Source> {
    let kind = if inferred { SourceType::AiInference } else { SourceType::ToolOutput };
    let session = session.map(SessionId::new).transpose()?;
    Ok(Source { session, channel, ..Source::new(kind, Trust::Medium) })
}

impl From<DecayBody> for DecayProfile {
    fn from(body: DecayBody) -> Self {
        Self {
            half_life_days: body.half_life_days,
            rehearsal_boost: body.rehearsal_boost,
            valence_protection: body.valence_protection,
            minimum_salience: body.minimum_salience,
            detail_decay_rate: body.detail_decay_rate,
        }
    }
}

impl TryFrom<PromotionBody> for Promotion {
    type Error = lacuna_types::Error;

    fn try_from(body: PromotionBody) -> Result<Self> {
        let holder = |text: &str| {
            let (kind, name) = text.split_once(':').unwrap_or((text, ""));
            Holder::from_words(kind, name)
                .ok_or_else(|| lacuna_types::Error::invalid("promotion", "names a scope that cannot be read"))
        };
        Ok(Self {
            original_author: UserId::new(&body.original_author_id)?,
            original_created_at: body.original_created_at,
            promoted_by: UserId::new(&body.promoted_by_id)?,
            promoted_at: body.promoted_at,
            previous_scope: holder(&body.previous_scope)?,
            current_scope: holder(&body.current_scope)?,
            justification: body.justification.map(Into::into),
        })
    }
}

/// Result for one record.
#[derive(Serialize, ToSchema)]
#[schema(as = Imported)]
pub(crate) struct ImportedView {
    /// Its number in the file, from 1.
    pub(crate) record: u64,
    /// `stored`, `waiting` (stored, until a review), `repeated` (it was here), `asked` (not stored: it needs a
    /// person's confirmation) or `refused`.
    pub(crate) outcome: &'static str,
    /// Its memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) memory_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) state: Option<words::Lifecycle>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) waits: Option<words::Wait>,
    /// Questions to confirm.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) questions: Vec<&'static str>,
    /// Reason of the refusal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) code: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
    /// True if something was removed from its text.
    pub(crate) changed: bool,
    /// Links to memories that are not here.
    pub(crate) links_dropped: usize,
    /// True if this installation did not write the record as it stands: it has medium trust at most.
    pub(crate) unproven: bool,
}

impl From<Imported> for ImportedView {
    fn from(imported: Imported) -> Self {
        let Imported { number, fate, changed, links_dropped, unproven } = imported;
        let mut view = Self {
            record: number,
            outcome: "refused",
            memory_id: None,
            state: None,
            waits: None,
            questions: Vec::new(),
            code: None,
            reason: None,
            changed,
            links_dropped,
            unproven,
        };
        match fate {
            Fate::Stored { id, state, waits } => {
                view.outcome = if waits.is_some() { "waiting" } else { "stored" };
                view.memory_id = Some(id.to_string());
                view.state = Some(state.into());
                view.waits = waits.map(words::Wait);
            }
            Fate::Repeated { id } => {
                view.outcome = "repeated";
                view.memory_id = Some(id.to_string());
            }
            Fate::Asked { questions } => {
                view.outcome = "asked";
                view.questions = questions.iter().map(|question| question.as_str()).collect();
            }
            Fate::Refused { code, reason } => {
                view.code = Some(code);
                view.reason = Some(reason);
            }
        }
        view
    }
}

/// Result of an import.
#[derive(Serialize, ToSchema)]
#[schema(as = ImportReport)]
pub(crate) struct ImportReport {
    /// The vault.
    pub(crate) scope: String,
    /// The program that wrote the file.
    pub(crate) from: &'static str,
    /// True: nothing was stored, and the report says what would have happened.
    pub(crate) dry_run: bool,
    pub(crate) stored: u64,
    /// Of those stored, the ones that wait for a review.
    pub(crate) waiting: u64,
    pub(crate) repeated: u64,
    pub(crate) asked: u64,
    pub(crate) refused: u64,
    /// Records from whose text something was removed.
    pub(crate) changed: u64,
    pub(crate) links_dropped: u64,
    /// Records that this installation did not write as they stand: they have medium trust at most.
    pub(crate) unproven: u64,
    /// One by one, in no particular order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) records: Vec<ImportedView>,
}

impl ImportReport {
    pub(crate) fn of(
        account: Account,
        scope: &Scope,
        from: &'static str,
        dry_run: bool,
        records: Vec<ImportedView>,
    ) -> Self {
        let Account { stored, waiting, repeated, asked, refused, changed, links_dropped, unproven } = account;
        let scope = shown(scope);
        Self {
            scope,
            from,
            dry_run,
            stored,
            waiting,
            repeated,
            asked,
            refused,
            changed,
            links_dropped,
            unproven,
            records,
        }
    }
}

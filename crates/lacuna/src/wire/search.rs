use jiff::Timestamp;
use lacuna_core::index::{Explanation, Similarity};
use lacuna_core::read::{Query, Recalled, RecalledMemory, source_label};
use lacuna_types::{Scope, SessionId};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::context::{UnderstoodView, is_auto};
use super::memory::own_fields;
use super::record::read_condition;
use super::scope::shown;
use super::{Filters, TimeRange, words};
use crate::wire::failure::Result;

/// A question. Only `query` is required.
#[derive(Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = SearchRequest)]
pub(crate) struct SearchRequest {
    #[schema(min_length = 1, max_length = 4000)]
    pub(crate) query: String,
    /// Memories at most; when absent, ten of events and twenty of facts.
    #[schema(minimum = 1, maximum = 100)]
    pub(crate) max_results: Option<usize>,
    /// Tokens of all texts together; 4,000 when absent.
    #[schema(minimum = 1, maximum = 100_000)]
    pub(crate) max_tokens: Option<usize>,
    /// From 0 to 1; the same value means the same under every model.
    #[schema(minimum = 0, maximum = 1)]
    pub(crate) min_similarity: Option<f32>,
    /// True leaves out weak hits; otherwise the best are always shown, however weak.
    #[serde(default)]
    pub(crate) strong_only: bool,
    #[serde(default)]
    pub(crate) category_filter: Vec<words::Category>,
    #[serde(default)]
    pub(crate) tier_filter: Vec<words::Tier>,
    #[serde(default)]
    pub(crate) lane_filter: Vec<words::Lane>,
    /// True finds memories by their secondary lanes as well; a filter means the primary lane alone otherwise.
    #[serde(default)]
    pub(crate) secondary_lanes: bool,
    /// Only memories with all of these tags.
    #[serde(default)]
    pub(crate) tag_filter: Vec<String>,
    /// Tags that raise a memory which bears them.
    #[serde(default)]
    pub(crate) prefer_tags: Vec<String>,
    pub(crate) session_id: Option<String>,
    /// The session under way: its working memory takes part.
    pub(crate) session: Option<String>,
    #[serde(default)]
    pub(crate) time_range: TimeRange,
    /// The moment from which "yesterday" and "last Friday" in the question count; now when absent.
    pub(crate) as_of: Option<Timestamp>,
    #[serde(default)]
    pub(crate) include_archived: bool,
    /// A condition on `metadata`, such as `{"project": "halcyon", "score": {"$gte": 4}}`; `created_at`, `updated_at`
    /// and `expires_at` are compared too.
    #[schema(value_type = Option<Object>)]
    pub(crate) filter: Option<Value>,
    /// Weight of recency, from 0 to 1; 0.3 when absent.
    #[schema(minimum = 0, maximum = 1)]
    pub(crate) recency_weight: Option<f32>,
    /// True adds the reasons of every score.
    #[serde(default)]
    pub(crate) explain: bool,
    /// True counts found memories as rehearsed, so that they fade later.
    #[serde(default)]
    pub(crate) rehearse: bool,
    /// True lets the words of the question ("my", "our", "the docs") narrow the lanes, unless `lane_filter` names
    /// some; false does not; as the policy says when absent.
    pub(crate) intent: Option<bool>,
    /// The vault to search: `user`, `team:NAME`, `org` or `deployment:NAME`; the caller's own when absent. With
    /// `auto` the words of the question choose the vault, and narrow the lanes.
    pub(crate) scope: Option<String>,
}

impl SearchRequest {
    pub(crate) fn into_query(self) -> Result<Query> {
        let condition = read_condition("filter", self.filter.as_ref())?;
        let filters = Filters {
            categories: self.category_filter,
            tiers: self.tier_filter,
            lanes: self.lane_filter,
            secondary_lanes: self.secondary_lanes,
            tags: self.tag_filter,
            session_id: self.session_id,
            range: self.time_range,
            include_archived: self.include_archived,
            ..Filters::default()
        };
        let default = Query::new(self.query);
        Ok(Query {
            limit: self.max_results.unwrap_or(default.limit),
            tiers: default.tiers.filter(|_| self.max_results.is_none()),
            max_tokens: self.max_tokens.unwrap_or(default.max_tokens),
            filter: filters.into_core()?,
            tags: self.prefer_tags,
            as_of: self.as_of,
            min_similarity: self.min_similarity.unwrap_or(default.min_similarity),
            strong_only: self.strong_only,
            recency_weight: self.recency_weight.unwrap_or(default.recency_weight),
            explain: self.explain,
            rehearse: self.rehearse,
            session: self.session.as_deref().map(SessionId::new).transpose()?,
            intent: if is_auto(self.scope.as_deref()) { Some(true) } else { self.intent },
            condition,
            ..default
        })
    }
}

/// Found memories, best first.
#[derive(Serialize, ToSchema)]
#[schema(as = SearchResponse)]
pub(crate) struct SearchResponse {
    /// The vault that was searched.
    pub(crate) scope: String,
    pub(crate) memories: Vec<FoundMemory>,
    pub(crate) total_searched: usize,
    pub(crate) query_time_ms: f64,
    /// The models whose vectors took part; empty when only words did.
    pub(crate) models: Vec<String>,
    /// Memories that could not be searched because they are damaged.
    pub(crate) damaged: usize,
    /// Memories that were found and did not fit into the tokens.
    pub(crate) left_out: usize,
    /// Advice when nothing was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hint: Option<String>,
    /// Interpretation of the words of the question, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) understood: Option<UnderstoodView>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = FoundMemory)]
pub(crate) struct FoundMemory {
    pub(crate) memory_id: String,
    /// The author, in a vault that several people share.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) author: Option<String>,
    pub(crate) category: words::Category,
    pub(crate) content_type: words::ContentType,
    /// `working` is known to its session only, and gone with it.
    pub(crate) tier: words::Tier,
    pub(crate) content: String,
    /// True if `content` is the gist, because the whole text did not fit into the tokens or is damaged.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) shortened: bool,
    /// Trust in its source. A program that shows it to an assistant should say so when it is not high.
    pub(crate) trust: words::Trust,
    /// True if it quotes a file, a web page or something else from outside.
    pub(crate) from_external_content: bool,
    /// The label to show beside it, such as "noted by the assistant, not confirmed"; absent for the owner's own word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) source_label: Option<String>,
    pub(crate) tags: Vec<String>,
    /// The object that its program gave it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub(crate) metadata: Option<Box<RawValue>>,
    pub(crate) salience: f32,
    /// Rank by meaning, words, salience, recency and tags.
    pub(crate) score: f32,
    /// Closeness in meaning, from 0 to 1, comparable across questions and models.
    pub(crate) similarity_score: f32,
    /// True if it is no closer to the question than some unrelated texts are; absent otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) weak: bool,
    pub(crate) created_at: Timestamp,
    /// The summary that this turn of a compacted conversation stands behind; absent for active memories.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) behind: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) explanation: Option<ExplanationView>,
}

/// Reasons of a score.
#[derive(Serialize, ToSchema)]
#[schema(as = Explanation)]
pub(crate) struct ExplanationView {
    /// The model that compared the meanings, and its result; absent when only words were compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) meaning: Option<MeaningView>,
    /// The same under the next model; absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) second_meaning: Option<MeaningView>,
    /// Features of the memory, each with its part in the relevance.
    pub(crate) features: Vec<FeatureView>,
    /// The memory's own words against the question's.
    pub(crate) words: f32,
    /// The same with its neighbours in the conversation.
    pub(crate) context: f32,
    /// The question's words that the memory says.
    pub(crate) matched: Vec<String>,
    /// Meaning and words together, before the rest shapes them.
    pub(crate) relevance: f32,
    pub(crate) salience: f32,
    pub(crate) recency: f32,
    pub(crate) tags: f32,
}

#[derive(Serialize, ToSchema)]
#[schema(as = Feature)]
pub(crate) struct FeatureView {
    pub(crate) name: &'static str,
    pub(crate) value: f32,
    /// The value by its weight, in log-odds.
    pub(crate) contribution: f32,
}

#[derive(Serialize, ToSchema)]
#[schema(as = Meaning)]
pub(crate) struct MeaningView {
    pub(crate) model: String,
    pub(crate) cosine: f32,
    pub(crate) similarity: f32,
}

impl SearchResponse {
    /// Builds the answer. `why_own` gives the reason for the caller's own vault where their words meant another.
    pub(crate) fn of(recalled: Recalled, scope: &Scope, why_own: Option<String>) -> Self {
        Self {
            scope: shown(scope),
            memories: recalled.hits.into_iter().map(FoundMemory::from).collect(),
            total_searched: recalled.total_searched,
            query_time_ms: recalled.took.as_secs_f64() * 1_000.0,
            models: recalled.models.iter().map(|model| model.as_str().to_owned()).collect(),
            damaged: recalled.damaged,
            left_out: recalled.left_out,
            hint: recalled.hint.map(str::to_owned),
            understood: recalled.understood.map(|understood| UnderstoodView::of(understood, why_own)),
        }
    }
}

impl From<RecalledMemory> for FoundMemory {
    fn from(found: RecalledMemory) -> Self {
        let mut memory = found.memory;
        let source_label = source_label(&memory.facets, memory.content.full_text().expose());
        Self {
            memory_id: memory.public_id().to_string(),
            metadata: memory.facets.history.metadata.take().and_then(own_fields),
            author: memory.facets.history.author.as_ref().map(ToString::to_string),
            category: memory.facets.category.into(),
            content_type: memory.facets.content_type.into(),
            tier: memory.facets.tier.into(),
            content: memory.content.into_full_text().into_exposed(),
            shortened: found.shortened,
            trust: memory.facets.source.trust.into(),
            from_external_content: memory.facets.source.from_external_content,
            source_label,
            tags: memory.facets.tags,
            salience: memory.facets.vitality.salience,
            score: found.score,
            similarity_score: found.similarity,
            weak: found.weak,
            created_at: memory.created_at,
            behind: found.behind.map(|summary| summary.to_string()),
            explanation: found.explanation.map(ExplanationView::from),
        }
    }
}

impl From<Explanation> for ExplanationView {
    fn from(why: Explanation) -> Self {
        let view = |meaning: Similarity| MeaningView {
            model: meaning.model.as_str().to_owned(),
            cosine: meaning.cosine,
            similarity: meaning.similarity,
        };
        let features = why.features.into_iter().map(|feature| FeatureView {
            name: feature.name,
            value: feature.value,
            contribution: feature.contribution,
        });
        Self {
            meaning: why.meaning.map(view),
            second_meaning: why.second_meaning.map(view),
            features: features.collect(),
            words: why.words,
            context: why.context,
            matched: why.matched,
            relevance: why.relevance,
            salience: why.salience,
            recency: why.recency,
            tags: why.tags,
        }
    }
}

use jiff::Timestamp;
use lacuna_core::Lacuna;
use lacuna_core::permit::Caller;
use lacuna_core::read::{Context, Item, Turn, Understood};
use lacuna_types::{Result, Scope, SessionId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::scope::shown;
use super::{Filters, TimeRange, read_scope, words};

/// Scope that leaves the choice to the words of a question.
const AUTO: &str = "auto";

/// A turn of a conversation for which memories are wanted. Nothing is required.
#[derive(Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ContextRequest)]
pub(crate) struct ContextRequest {
    /// The user's words; empty at the start of a conversation.
    #[serde(default)]
    #[schema(max_length = 32_000)]
    pub(crate) turn: String,
    /// The conversation: with it, memories shown lately are not shown again, and its working memory comes first.
    pub(crate) session_id: Option<String>,
    /// Topics of the conversation: memories with these tags rank higher.
    #[serde(default)]
    pub(crate) topics: Vec<String>,
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
    #[serde(default)]
    pub(crate) time_range: TimeRange,
    /// Tokens of the whole section, instead of the policy's limit.
    #[schema(minimum = 1, maximum = 100_000)]
    pub(crate) max_tokens: Option<usize>,
    /// Memories in the section, instead of the policy's limit.
    #[schema(minimum = 1, maximum = 50)]
    pub(crate) max_memories: Option<usize>,
    /// Turns for which a shown memory rests, instead of the policy's number.
    #[schema(maximum = 100)]
    pub(crate) cooldown_turns: Option<u32>,
    /// True lets the words of the turn ("my", "our", "the docs") narrow the lanes, unless `lane_filter` names
    /// some; false does not; as the policy says when absent.
    pub(crate) intent: Option<bool>,
    /// The conversation's own vault: `user`, `team:NAME`, `org` or `deployment:NAME`; the caller's own when
    /// absent. With `auto` the words of the turn choose the vault, and narrow the lanes.
    pub(crate) scope: Option<String>,
    /// Further vaults to ask, each by itself; memories from them are labelled.
    #[serde(default)]
    pub(crate) shared: Vec<String>,
}

impl ContextRequest {
    /// The vaults to ask, the conversation's own first.
    pub(crate) fn scopes(&self, core: &Lacuna, caller: &Caller) -> Result<(Vec<Scope>, Option<String>)> {
        let Meant { scope, why_own } = read_meant(core, self.scope.as_deref(), caller, &self.turn)?;
        let mut scopes = vec![scope];
        for shared in &self.shared {
            scopes.push(read_scope(Some(shared), caller)?);
        }
        Ok((scopes, why_own))
    }

    pub(crate) fn into_turn(self) -> Result<Turn> {
        let filters = Filters {
            categories: self.category_filter,
            tiers: self.tier_filter,
            lanes: self.lane_filter,
            secondary_lanes: self.secondary_lanes,
            tags: self.tag_filter,
            range: self.time_range,
            ..Filters::default()
        };
        Ok(Turn {
            text: self.turn,
            session: self.session_id.as_deref().map(SessionId::new).transpose()?,
            topics: self.topics,
            filter: filters.into_core()?,
            max_tokens: self.max_tokens,
            max_memories: self.max_memories,
            cooldown_turns: self.cooldown_turns,
            intent: if is_auto(self.scope.as_deref()) { Some(true) } else { self.intent },
            ..Turn::default()
        })
    }
}

/// Vault of a call, and the reason for the caller's own vault where the words meant another.
pub(crate) struct Meant {
    pub(crate) scope: Scope,
    pub(crate) why_own: Option<String>,
}

/// Like [`read_scope`]; with `auto`, the vault that the words of `text` mean.
pub(crate) fn read_meant(core: &Lacuna, scope: Option<&str>, caller: &Caller, text: &str) -> Result<Meant> {
    if !is_auto(scope) {
        return Ok(Meant { scope: read_scope(scope, caller)?, why_own: None });
    }
    let (scope, why_own) = core.meant_scope(caller, text);
    Ok(Meant { scope, why_own })
}

/// Tests for the scope that leaves the choice to the words, which then narrow the lanes as well.
pub(super) fn is_auto(scope: Option<&str>) -> bool {
    scope == Some(AUTO)
}

/// Interpretation of the words of a question.
#[derive(Serialize, ToSchema)]
#[schema(as = Understood)]
pub(crate) struct UnderstoodView {
    /// The lane that the words mean; absent when they mean none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) lane: Option<words::Lane>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) scope: Option<words::Reach>,
    /// True if the words are ambiguous, so that an assistant should ask back.
    pub(crate) ask: bool,
    /// The phrases that led to it; none when no rule matched.
    pub(crate) because: Vec<String>,
    /// True if only that lane was searched.
    pub(crate) narrowed: bool,
    /// Next question, or ways to search further.
    pub(crate) broaden: Vec<String>,
}

impl UnderstoodView {
    pub(crate) fn of(understood: Understood, why_own: Option<String>) -> Self {
        let mut broaden = understood.broaden;
        broaden.extend(why_own);
        Self {
            lane: understood.lane.map(words::Lane),
            scope: understood.reach.map(words::Reach),
            ask: understood.ask,
            because: understood.because,
            narrowed: understood.narrowed,
            broaden,
        }
    }
}

/// Memories for a turn: as a section for a prompt, and as data.
#[derive(Serialize, ToSchema)]
#[schema(as = Context)]
pub(crate) struct ContextResponse {
    /// The section, ready for a prompt; empty when no memory fits.
    pub(crate) text: String,
    /// The word that marks both ends of the section.
    pub(crate) boundary: String,
    pub(crate) tokens: usize,
    pub(crate) max_tokens: usize,
    /// Instruction of the section to an assistant where a memory is silent.
    pub(crate) confabulation: words::Confabulation,
    /// Memories of the section, best first.
    pub(crate) items: Vec<ContextItem>,
    /// Memories that could have been shown.
    pub(crate) considered: usize,
    /// Of those, the number that rest because they were shown lately.
    pub(crate) cooling: usize,
    /// Of the best, the number that found no room.
    pub(crate) left_out: usize,
    pub(crate) understood: UnderstoodView,
    pub(crate) query_time_ms: f64,
}

/// A memory in a section.
#[derive(Serialize, ToSchema)]
#[schema(as = ContextItem)]
pub(crate) struct ContextItem {
    pub(crate) memory_id: String,
    /// Label in the section.
    pub(crate) label: String,
    /// Vault of the memory.
    pub(crate) scope: String,
    /// Text in the section.
    pub(crate) text: String,
    pub(crate) marks: Vec<words::Mark>,
    pub(crate) source_type: words::SourceType,
    pub(crate) trust: words::Trust,
    pub(crate) from_external_content: bool,
    /// Label in the section for a source that is not fully trusted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) source_label: Option<String>,
    /// The summary that this turn of a compacted conversation stands behind; absent for active memories.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) behind: Option<String>,
    /// True if it is in the session's working memory and stored nowhere.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) at_hand: bool,
    /// Rank: the four parts below, by the policy's weights.
    pub(crate) score: f32,
    pub(crate) salience: f32,
    pub(crate) relevance: f32,
    pub(crate) recency: f32,
    pub(crate) topic: f32,
    pub(crate) tokens: usize,
    pub(crate) created_at: Timestamp,
}

impl ContextResponse {
    pub(crate) fn of(context: Context, why_own: Option<String>) -> Self {
        Self {
            text: context.text,
            boundary: context.boundary,
            tokens: context.tokens,
            max_tokens: context.max_tokens,
            confabulation: context.confabulation.into(),
            items: context.items.into_iter().map(ContextItem::from).collect(),
            considered: context.considered,
            cooling: context.cooling,
            left_out: context.left_out,
            understood: UnderstoodView::of(context.understood, why_own),
            query_time_ms: context.took.as_secs_f64() * 1_000.0,
        }
    }
}

impl From<Item> for ContextItem {
    fn from(item: Item) -> Self {
        Self {
            memory_id: item.id.to_string(),
            label: item.label,
            scope: shown(&item.scope),
            text: item.text,
            marks: item.marks.into_iter().map(words::Mark).collect(),
            source_type: item.source.kind.into(),
            trust: item.source.trust.into(),
            from_external_content: item.source.from_external_content,
            source_label: item.source_label,
            behind: item.behind.map(|summary| summary.to_string()),
            at_hand: item.at_hand,
            score: item.score.total,
            salience: item.score.salience,
            relevance: item.score.relevance,
            recency: item.score.recency,
            topic: item.score.topic,
            tokens: item.tokens,
            created_at: item.created_at,
        }
    }
}

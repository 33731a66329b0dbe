use jiff::Timestamp;
use lacuna_core::context::{Context, Item, Turn};
use lacuna_core::domain::{Scope, SessionId};
use lacuna_core::intent::Understood;
use lacuna_core::permit::Caller;
use lacuna_core::{Lacuna, Result};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::scope::shown;
use super::{Filters, TimeRange, read_scope, words};

/// The scope that leaves the choice to the words of a question.
const AUTO: &str = "auto";

/// A turn of a conversation for which memories are wanted. Nothing is required.
#[derive(Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ContextRequest)]
pub(crate) struct ContextRequest {
    /// What was said; empty at the start of a conversation.
    #[serde(default)]
    #[schema(max_length = 32_000)]
    pub(crate) turn: String,
    /// The conversation: with it, what was shown lately is not shown again, and what it has at hand comes first.
    pub(crate) session_id: Option<String>,
    /// What the conversation is about: memories with these tags rank higher.
    #[serde(default)]
    pub(crate) topics: Vec<String>,
    #[serde(default)]
    pub(crate) category_filter: Vec<words::Category>,
    #[serde(default)]
    pub(crate) tier_filter: Vec<words::Tier>,
    #[serde(default)]
    pub(crate) lane_filter: Vec<words::Lane>,
    /// Only memories with all of these tags.
    #[serde(default)]
    pub(crate) tag_filter: Vec<String>,
    #[serde(default)]
    pub(crate) time_range: TimeRange,
    /// Tokens of the whole section, in place of what the policy says.
    #[schema(minimum = 1, maximum = 100_000)]
    pub(crate) max_tokens: Option<usize>,
    /// Memories in the section, in place of what the policy says.
    #[schema(minimum = 1, maximum = 50)]
    pub(crate) max_memories: Option<usize>,
    /// For how many turns a memory that was shown rests, in place of what the policy says.
    #[schema(maximum = 100)]
    pub(crate) cooldown_turns: Option<u32>,
    /// Whether the words of the turn ("my", "our", "the docs") narrow the lanes, unless `lane_filter` names some.
    #[serde(default)]
    pub(crate) intent: bool,
    /// The conversation's own vault: `user`, `team:NAME`, `org` or `deployment:NAME`; the caller's own when
    /// absent. With `auto` the words of the turn say which one, and narrow the lanes.
    pub(crate) scope: Option<String>,
    /// Further vaults to ask, each by itself; what comes from them is labelled.
    #[serde(default)]
    pub(crate) shared: Vec<String>,
}

impl ContextRequest {
    /// The vaults that are asked, the conversation's own first.
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
            intent: self.intent || is_auto(self.scope.as_deref()),
        })
    }
}

/// The vault that a call means, and why it is the caller's own where the words meant another.
pub(crate) struct Meant {
    pub(crate) scope: Scope,
    pub(crate) why_own: Option<String>,
}

/// As [`read_scope`]; with `auto`, the vault that the words of `text` mean.
pub(crate) fn read_meant(core: &Lacuna, scope: Option<&str>, caller: &Caller, text: &str) -> Result<Meant> {
    if !is_auto(scope) {
        return Ok(Meant { scope: read_scope(scope, caller)?, why_own: None });
    }
    let (scope, why_own) = core.meant_scope(caller, text);
    Ok(Meant { scope, why_own })
}

/// Whether the scope leaves the choice to the words, which then narrow the lanes as well.
pub(super) fn is_auto(scope: Option<&str>) -> bool {
    scope == Some(AUTO)
}

/// How the words of a question were understood.
#[derive(Serialize, ToSchema)]
#[schema(as = Understood)]
pub(crate) struct UnderstoodView {
    /// The lane that they mean; absent when they mean none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) lane: Option<words::Lane>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) scope: Option<words::Reach>,
    /// Whether they leave open what is meant, so that an assistant should ask back.
    pub(crate) ask: bool,
    /// The phrases that it follows from; none when no rule spoke.
    pub(crate) because: Vec<String>,
    /// Whether only that lane was looked in.
    pub(crate) narrowed: bool,
    /// What to ask next, or how to look further.
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

/// What a turn brings to mind: as a section for a prompt, and as data.
#[derive(Serialize, ToSchema)]
#[schema(as = Context)]
pub(crate) struct ContextResponse {
    /// The section, ready for a prompt; empty when nothing comes to mind.
    pub(crate) text: String,
    /// The word that marks both ends of the section.
    pub(crate) boundary: String,
    pub(crate) tokens: usize,
    pub(crate) max_tokens: usize,
    /// What the section asks an assistant to do where a memory is silent.
    pub(crate) confabulation: words::Confabulation,
    /// What the section says, best first.
    pub(crate) items: Vec<ContextItem>,
    /// Memories that could have been shown.
    pub(crate) considered: usize,
    /// Of those, how many were shown so lately that they rest.
    pub(crate) cooling: usize,
    /// Of the best, how many found no room.
    pub(crate) left_out: usize,
    pub(crate) understood: UnderstoodView,
    pub(crate) query_time_ms: f64,
}

/// A memory in a section.
#[derive(Serialize, ToSchema)]
#[schema(as = ContextItem)]
pub(crate) struct ContextItem {
    pub(crate) memory_id: String,
    /// How the section calls it.
    pub(crate) label: String,
    /// The vault that it is from.
    pub(crate) scope: String,
    /// What the section says of it.
    pub(crate) text: String,
    pub(crate) marks: Vec<words::Mark>,
    pub(crate) source_type: words::SourceType,
    pub(crate) trust: words::Trust,
    pub(crate) from_external_content: bool,
    /// How the section announces a source that is not fully trusted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) source_label: Option<String>,
    /// Whether it is in the session's working memory and stored nowhere.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) at_hand: bool,
    /// What the order follows from: the four parts below, by the policy's weights.
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

use lacuna_types::policy::{ContextRules, IntentRule, Policy, Thresholds, Weights};
use serde::Serialize;
use utoipa::ToSchema;

use super::retention::RulesView;

/// The rules that a tenant's memories live under.
#[derive(Serialize, ToSchema)]
#[schema(as = Policy)]
pub(crate) struct PolicyView {
    pub(crate) preset: &'static str,
    pub(crate) fail_on_secret: bool,
    pub(crate) sensitive_allowed: bool,
    /// True if patterns of a person's behaviour need the person's consent.
    pub(crate) pattern_consent: bool,
    pub(crate) caller_may_relax: bool,
    pub(crate) min_salience: f32,
    pub(crate) max_atoms: usize,
    /// Writes that wait for approval: `none`, `shared` or `all`.
    pub(crate) approval: &'static str,
    pub(crate) grace_hours: i64,
    /// Reads that the audit records: `always`, `sampled` or `never`.
    pub(crate) audit_reads: &'static str,
    /// Rehearsals that the audit records, in the same words.
    pub(crate) audit_rehearsals: &'static str,
    /// Days for which the audit keeps reads.
    pub(crate) audit_read_days: i64,
    /// Hours until somebody must look into a person's request, and until it must be done.
    pub(crate) acknowledge_hours: i64,
    pub(crate) complete_hours: i64,
    /// Days for which tombstones are kept.
    pub(crate) tombstone_days: i64,
    /// Public keys of the operators of whom one must sign an erasure at a person's request.
    pub(crate) operators: Vec<String>,
    /// Mode of forgetting unless the caller names one: `soft`, `hard`, `archive` or `delete`.
    pub(crate) forget_mode: &'static str,
    /// Days after which a hidden memory is erased.
    pub(crate) purge_days: i64,
    pub(crate) compaction: CompactionPolicyView,
    /// Rules for the context of a turn.
    pub(crate) context: ContextRulesView,
    /// Meanings of phrases here, before their general meaning.
    pub(crate) intents: Vec<IntentView>,
    /// Hours after which an unused session is ended.
    pub(crate) session_idle_hours: i64,
    /// Days for which the transcript of an ended session is kept.
    pub(crate) transcript_days: i64,
    /// Treatment of a memory that depends on a forgotten one: `review` or `anonymise`.
    pub(crate) dangling: &'static str,
    /// Retention times.
    pub(crate) retention: RulesView,
}

/// Thresholds at which old turns make room for summaries.
#[derive(Serialize, ToSchema)]
#[schema(as = CompactionPolicy)]
pub(crate) struct CompactionPolicyView {
    /// Limit of tokens in active turns, and the percentage of them, the oldest, that is compacted beyond it.
    pub(crate) tokens_max: usize,
    pub(crate) oldest_percent: usize,
    /// Messages of a session beyond which it is compacted, but for its last ones.
    pub(crate) session_messages_max: usize,
    pub(crate) keep_last: usize,
    /// Days after which unread turns are compacted.
    pub(crate) unread_days: i64,
}

impl From<&Thresholds> for CompactionPolicyView {
    fn from(thresholds: &Thresholds) -> Self {
        Self {
            tokens_max: thresholds.tokens_max,
            oldest_percent: thresholds.oldest_percent,
            session_messages_max: thresholds.session_messages_max,
            keep_last: thresholds.keep_last,
            unread_days: thresholds.unread_days,
        }
    }
}

#[derive(Serialize, ToSchema)]
#[schema(as = ContextRules)]
pub(crate) struct ContextRulesView {
    pub(crate) memories_per_turn: usize,
    pub(crate) cooldown_turns: u32,
    pub(crate) max_tokens: usize,
    pub(crate) retrieval_threshold: f32,
    /// Freedom of an assistant where a memory is silent: `strict` or `moderate`.
    pub(crate) confabulation: &'static str,
    pub(crate) vertical: &'static str,
    /// True if the words of a question narrow the lanes unless the call says otherwise.
    pub(crate) intent: bool,
    pub(crate) weights: WeightsView,
}

#[derive(Serialize, ToSchema)]
#[schema(as = ContextWeights)]
pub(crate) struct WeightsView {
    pub(crate) salience: f32,
    pub(crate) relevance: f32,
    pub(crate) recency: f32,
    pub(crate) topic: f32,
}

#[derive(Serialize, ToSchema)]
#[schema(as = Intent)]
pub(crate) struct IntentView {
    pub(crate) words: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) lane: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) scope: Option<&'static str>,
    pub(crate) ask: bool,
}

impl From<&ContextRules> for ContextRulesView {
    fn from(rules: &ContextRules) -> Self {
        let Weights { salience, relevance, recency, topic } = rules.weights;
        Self {
            memories_per_turn: rules.memories_per_turn,
            cooldown_turns: rules.cooldown_turns,
            max_tokens: rules.max_tokens,
            retrieval_threshold: rules.retrieval_threshold,
            confabulation: rules.confabulation.as_str(),
            vertical: rules.vertical.as_str(),
            intent: rules.intent,
            weights: WeightsView { salience, relevance, recency, topic },
        }
    }
}

impl From<&IntentRule> for IntentView {
    fn from(rule: &IntentRule) -> Self {
        Self {
            words: rule.phrases().iter().map(|phrase| phrase.join(" ")).collect(),
            lane: rule.lane().map(|lane| lane.as_str()),
            scope: rule.scope().map(|scope| scope.as_str()),
            ask: rule.asks(),
        }
    }
}

impl From<&Policy> for PolicyView {
    fn from(policy: &Policy) -> Self {
        Self {
            preset: policy.preset.as_str(),
            fail_on_secret: policy.fail_on_secret,
            sensitive_allowed: policy.sensitive_allowed,
            pattern_consent: policy.pattern_consent,
            caller_may_relax: policy.caller_may_relax,
            min_salience: policy.min_salience,
            max_atoms: policy.max_atoms,
            approval: policy.approval.as_str(),
            grace_hours: policy.grace.as_hours(),
            audit_reads: policy.audit_reads.as_str(),
            audit_rehearsals: policy.audit_rehearsals.as_str(),
            audit_read_days: policy.audit_read_days,
            acknowledge_hours: policy.acknowledge_hours,
            complete_hours: policy.complete_hours,
            tombstone_days: policy.tombstone_days,
            operators: policy.operators.iter().map(ToString::to_string).collect(),
            forget_mode: policy.forget_mode.as_str(),
            purge_days: policy.purge_days,
            compaction: (&policy.compaction).into(),
            context: ContextRulesView::from(&policy.context),
            intents: policy.intents.iter().map(IntentView::from).collect(),
            session_idle_hours: policy.session_idle_hours,
            transcript_days: policy.transcript_days,
            dangling: policy.dangling.as_str(),
            retention: (&policy.retention).into(),
        }
    }
}

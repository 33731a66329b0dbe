//! The tables of a policy about context and intent: `[context]`, `[context.weights]` and `[[intent]]`.

use lacuna_language::intent::rule as intent_rule;
use lacuna_types::policy::{ContextRules, INTENT_RULES_MAX, IntentRule, IntentScope, Weights};
use serde::Deserialize;

/// The table `[context]`. An absent key keeps its default.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawContext {
    memories_per_turn: Option<usize>,
    cooldown_turns: Option<u32>,
    max_tokens: Option<usize>,
    retrieval_threshold: Option<f32>,
    confabulation: Option<String>,
    vertical: Option<String>,
    intent: Option<bool>,
    weights: Option<RawWeights>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawWeights {
    salience: Option<f32>,
    relevance: Option<f32>,
    recency: Option<f32>,
    topic: Option<f32>,
}

/// Meaning of some phrases: a lane, a scope, both, a question back, or none any more.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawIntent {
    words: Vec<String>,
    lane: Option<String>,
    scope: Option<String>,
    #[serde(default)]
    ask: bool,
}

fn word(error: lacuna_types::Error) -> String {
    error.to_string()
}

pub(super) fn rules(raw: Option<RawContext>) -> Result<ContextRules, String> {
    let default = ContextRules::default();
    let Some(raw) = raw else { return Ok(default) };
    let rules = ContextRules {
        memories_per_turn: raw.memories_per_turn.unwrap_or(default.memories_per_turn),
        cooldown_turns: raw.cooldown_turns.unwrap_or(default.cooldown_turns),
        max_tokens: raw.max_tokens.unwrap_or(default.max_tokens),
        retrieval_threshold: raw.retrieval_threshold.unwrap_or(default.retrieval_threshold),
        confabulation: parsed(raw.confabulation, default.confabulation)?,
        vertical: parsed(raw.vertical, default.vertical)?,
        intent: raw.intent.unwrap_or(default.intent),
        weights: raw.weights.map_or(default.weights, |raw| weights(&raw, default.weights)),
    };
    rules.check().map_err(|error| format!("context.{}", word(error)))?;
    Ok(rules)
}

fn weights(raw: &RawWeights, default: Weights) -> Weights {
    Weights {
        salience: raw.salience.unwrap_or(default.salience),
        relevance: raw.relevance.unwrap_or(default.relevance),
        recency: raw.recency.unwrap_or(default.recency),
        topic: raw.topic.unwrap_or(default.topic),
    }
}

fn parsed<T: std::str::FromStr<Err = lacuna_types::Error>>(
    text: Option<String>,
    default: T,
) -> Result<T, String> {
    text.map_or(Ok(default), |text| text.parse().map_err(|error| format!("context.{}", word(error))))
}

pub(super) fn intents(raw: &[RawIntent]) -> Result<Vec<IntentRule>, String> {
    if raw.len() > INTENT_RULES_MAX {
        return Err(format!("intent: must be at most {INTENT_RULES_MAX} rows"));
    }
    raw.iter().map(|row| intent(row).map_err(word)).collect()
}

fn intent(raw: &RawIntent) -> lacuna_types::Result<IntentRule> {
    let lane = raw.lane.as_deref().map(str::parse).transpose()?;
    let reach = raw.scope.as_deref().map(str::parse::<IntentScope>).transpose()?;
    intent_rule(&raw.words, lane, reach, raw.ask)
}

#[cfg(test)]
mod tests {
    use lacuna_types::policy::Confabulation;

    use super::*;

    #[derive(Deserialize)]
    struct PolicyTables {
        context: Option<RawContext>,
        #[serde(default)]
        intent: Vec<RawIntent>,
    }

    fn read(text: &str) -> Result<(ContextRules, Vec<IntentRule>), String> {
        let file: PolicyTables = toml::from_str(text).map_err(|error| error.message().to_owned())?;
        Ok((rules(file.context)?, intents(&file.intent)?))
    }

    #[test]
    fn what_a_tenant_says_of_context_and_intent_is_read_and_the_rest_stays() {
        let (context, intents) = read(
            "[context]\nmemories_per_turn = 8\nvertical = 'hospitality'\nconfabulation = 'moderate'\n\
             [context.weights]\ntopic = 0.4\n\
             [[intent]]\nwords = ['the Playbook', 'our rules']\nlane = 'documents'\nscope = 'team'\n\
             [[intent]]\nwords = ['anything on']\nask = true\n",
        )
        .unwrap();
        let default = ContextRules::default();
        assert_eq!((context.memories_per_turn, context.max_tokens), (8, default.max_tokens));
        assert_eq!((context.confabulation, context.weights.topic), (Confabulation::Moderate, 0.4));
        assert_eq!(intents[0].phrases(), [["the", "playbook"], ["our", "rules"]]);
        assert_eq!((intents[0].scope(), intents[1].asks()), (Some(IntentScope::Team), true));
        assert_eq!(read("").unwrap(), (default, Vec::new()));
    }

    #[test]
    fn bad_rules_are_refused_by_name() {
        let cases = [
            ("[context]\ntokens = 1", "tokens"),
            ("[context]\nmax_tokens = 0", "context.max_tokens"),
            ("[context]\nmemories_per_turn = 51", "context.memories_per_turn"),
            ("[context]\ncooldown_turns = 101", "context.cooldown_turns"),
            ("[context]\nretrieval_threshold = 1.5", "context.retrieval_threshold"),
            ("[context.weights]\nsalience = -1.0", "context.weights"),
            ("[context]\nconfabulation = 'permissive'", "context.confabulation"),
            ("[context]\nconfabulation = 'moderate'\nvertical = 'healthcare'", "context.confabulation"),
            ("[context]\nconfabulation = 'moderate'\nvertical = 'finance'", "context.confabulation"),
            ("[context]\nvertical = 'piracy'", "context.vertical"),
            ("[[intent]]\nwords = []\nask = true", "intent.words"),
            ("[[intent]]\nwords = ['x']\nlane = 'fast'", "lane"),
            ("[[intent]]\nwords = ['x']\nscope = 'world'", "scope"),
            ("[[intent]]\nwords = ['x']\nask = true\nlane = 'profile'", "intent.ask"),
        ];
        for (text, named) in cases {
            let refused = read(text).unwrap_err();
            assert!(refused.contains(named), "{text}: {refused}");
        }
    }
}

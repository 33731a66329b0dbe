//! What a conversation or a prompt brings to mind, for the host to add.

use lacuna_core::context::{TURN_CHARS_MAX, Turn};

use super::HookInput;
use crate::assemble::Installation;
use crate::failure::Result;

/// Tokens of what is added. Hosts cut what is longer than 10,000 characters.
const ADDED_TOKENS_MAX: usize = 2_000;
/// Characters of a project's name that is used as a topic.
const TOPIC_CHARS_MAX: usize = 64;

/// The section for the conversation that `input` tells of; empty when nothing comes to mind.
pub(crate) fn bring_to_mind(installation: &Installation, input: &HookInput) -> Result<String> {
    let service = &installation.service;
    let grant = installation.grant(None)?;
    let max_tokens = service.policy(&grant.scope().org).context.max_tokens.min(ADDED_TOKENS_MAX);
    let turn = Turn {
        text: last_chars(input.prompt.as_deref().unwrap_or_default()),
        session: Some(input.session()?),
        topics: project(input).into_iter().collect(),
        max_tokens: Some(max_tokens),
        ..Turn::default()
    };
    let context = service.context(&[grant], &turn)?;
    service.flush_reads()?;
    service.flush_rehearsals()?;
    Ok(context.text)
}

/// The folder in which the host works, by its name: what was tagged with it comes first.
fn project(input: &HookInput) -> Option<String> {
    let name = input.cwd.as_ref()?.file_name()?.to_str()?;
    (name.chars().count() <= TOPIC_CHARS_MAX).then(|| name.to_owned())
}

/// The end of a prompt: what was pasted stands before the question.
fn last_chars(text: &str) -> String {
    let text = text.replace('\0', " ");
    let more = text.chars().count().saturating_sub(TURN_CHARS_MAX);
    text.chars().skip(more).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_long_prompt_is_what_is_asked() {
        let prompt = format!("{}?", "ü".repeat(TURN_CHARS_MAX));
        let kept = last_chars(&prompt);
        assert!(kept.ends_with('?') && kept.chars().count() == TURN_CHARS_MAX);
        assert_eq!(last_chars("a\0b"), "a b");
    }
}

//! Memories for a conversation or a prompt, for the host to add.

use std::path::Path;

use lacuna_core::read::{TURN_CHARS_MAX, Turn};

use super::typed::typed;
use super::{HookInput, ShownMemories};
use crate::assemble::Installation;
use crate::wire::failure::Result;

/// Tokens of the added section. Hosts cut a text longer than 10,000 characters.
const ADDED_TOKENS_MAX: usize = 2_000;
/// Characters of a project's name that is used as a topic.
const TOPIC_CHARS_MAX: usize = 64;

/// Returns the section for the conversation of `input`; empty when no memory fits. The conversation is told no
/// memory twice, and none of its own turns that the host still has.
pub(crate) fn bring_to_mind(installation: &Installation, data: &Path, input: &HookInput) -> Result<String> {
    let service = &installation.service;
    let grant = installation.grant(None)?;
    let max_tokens = service.policy(&grant.scope().org).context.max_tokens.min(ADDED_TOKENS_MAX);
    let session = input.session()?;
    let mut shown = ShownMemories::read(data, grant.scope().vault_id(), &session);
    // Gemini CLI hands a prompt on with what the hook before it had added.
    let asked = input.prompt.as_deref().and_then(typed).unwrap_or_default();
    let turn = Turn {
        text: last_chars(&asked),
        session: Some(session),
        resting: shown.ids().to_vec(),
        skips_own_turns: true,
        topics: project(input).into_iter().collect(),
        max_tokens: Some(max_tokens),
        ..Turn::default()
    };
    let context = service.context(&[grant], &turn)?;
    let told = context.items.iter().flat_map(|item| [Some(item.id), item.behind]).flatten();
    if let Err(error) = shown.add(told) {
        tracing::warn!(%error, "a later hook may tell the same memories again");
    }
    service.upkeep().flush_reads()?;
    service.upkeep().flush_rehearsals()?;
    Ok(context.text)
}

/// Returns the reminder of the month's review for a conversation that begins; empty on most days. A conversation begins
/// without it where the vault cannot be looked through.
pub(crate) fn review_reminder(installation: &Installation) -> String {
    let due = installation.grant(None).map_err(|failure| failure.to_string()).and_then(|grant| {
        installation.service.upkeep().review_due(&grant).map_err(|error| error.to_string())
    });
    match due {
        Ok(waiting) => waiting.map(reminder).unwrap_or_default(),
        Err(error) => {
            tracing::warn!(%error, "the month's review is not announced");
            String::new()
        }
    }
}

fn reminder(waiting: usize) -> String {
    let (memories, wait) = if waiting == 1 { ("memory", "waits") } else { ("memories", "wait") };
    format!(
        "[Lacuna: {waiting} {memories} {wait} for the user's monthly review, which keeps or erases them. Tell the user once; \
         `lacuna review memories` shows them.]"
    )
}

/// Name of the folder in which the host works: memories tagged with it come first.
fn project(input: &HookInput) -> Option<String> {
    let name = input.cwd.as_ref()?.file_name()?.to_str()?;
    (name.chars().count() <= TOPIC_CHARS_MAX).then(|| name.to_owned())
}

/// The end of a prompt: pasted text stands before the question.
fn last_chars(text: &str) -> String {
    let text = text.replace('\0', " ");
    let more = text.chars().count().saturating_sub(TURN_CHARS_MAX);
    text.chars().skip(more).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reminder_counts_and_names_the_command() {
        assert!(reminder(1).contains("1 memory waits for the user's monthly review"));
        assert!(reminder(2).contains("2 memories wait") && reminder(2).contains("lacuna review memories"));
    }

    #[test]
    fn the_end_of_a_long_prompt_is_what_is_asked() {
        let prompt = format!("{}?", "ü".repeat(TURN_CHARS_MAX));
        let kept = last_chars(&prompt);
        assert!(kept.ends_with('?') && kept.chars().count() == TURN_CHARS_MAX);
        assert_eq!(last_chars("a\0b"), "a b");
    }
}

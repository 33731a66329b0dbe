//! The hosts that call hooks, and the words of each: names of events, and the form of an answer.

use serde_json::{Value, json};

use super::Event;

/// A host that calls hooks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
pub(crate) enum HookHost {
    /// Claude Code, the Agent SDK and Nanoclaw.
    #[default]
    Claude,
    Codex,
    Cursor,
    Gemini,
}

impl HookHost {
    /// The name, as `--host` takes it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Cursor => "cursor",
            Self::Gemini => "gemini",
        }
    }

    /// The host's spelling of an event.
    pub(crate) fn spelled(self, event: Event) -> &'static str {
        match (self, event) {
            (Self::Cursor, Event::SessionStart) => "sessionStart",
            (Self::Cursor, Event::UserPromptSubmit) => "beforeSubmitPrompt",
            (Self::Cursor, Event::PreCompact) => "preCompact",
            (Self::Cursor, Event::SessionEnd) => "sessionEnd",
            (Self::Gemini, Event::UserPromptSubmit) => "BeforeAgent",
            (Self::Gemini, Event::PreCompact) => "PreCompress",
            (_, event) => event.name(),
        }
    }

    /// Returns true when the lines of its transcripts are known. Those of others are not read.
    pub(crate) fn has_known_transcripts(self) -> bool {
        self == Self::Claude
    }

    /// The answer that adds a text to the conversation. `None` where a host wants no answer without a text.
    pub(crate) fn adding(self, event: Event, text: String) -> Option<Value> {
        let is_empty = text.is_empty();
        match self {
            Self::Claude | Self::Codex if is_empty => None,
            // This one reads every answer as JSON, and asks whether the prompt may go on.
            Self::Cursor => {
                let mut answer = json!({});
                if event == Event::UserPromptSubmit {
                    answer["continue"] = true.into();
                }
                if !is_empty {
                    answer["additional_context"] = text.into();
                }
                Some(answer)
            }
            Self::Gemini if is_empty => Some(json!({})),
            Self::Claude | Self::Codex | Self::Gemini => Some(json!({ "hookSpecificOutput": {
                "hookEventName": self.spelled(event),
                "additionalContext": text,
            } })),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_host_gets_its_own_words() {
        let told = |host: HookHost, text: &str| host.adding(Event::UserPromptSubmit, text.to_owned());
        assert_eq!(told(HookHost::Claude, ""), None);
        assert_eq!(told(HookHost::Gemini, ""), Some(json!({})));
        assert_eq!(told(HookHost::Cursor, ""), Some(json!({"continue": true})));
        assert_eq!(told(HookHost::Cursor, "x"), Some(json!({"continue": true, "additional_context": "x"})));
        let context = |name: &str| {
            Some(json!({"hookSpecificOutput": {"hookEventName": name, "additionalContext": "x"}}))
        };
        assert_eq!(told(HookHost::Codex, "x"), context("UserPromptSubmit"));
        assert_eq!(told(HookHost::Gemini, "x"), context("BeforeAgent"));
    }
}

//! Input that the host sends with a call.

use std::io::Read;
use std::path::PathBuf;

use lacuna_types::SessionId;
use serde::{Deserialize, Deserializer};

use super::shape::text;
use super::{Event, HookHost};
use crate::codes;
use crate::wire::failure::{Failure, Result};
use crate::wire::json::read_json;

/// A prompt may hold a pasted file; anything larger is not read.
const INPUT_BYTES_MAX: u64 = 16 << 20;

/// The fields that we use; hosts send more, and newer ones send others.
#[derive(Deserialize)]
pub(crate) struct HookInput {
    #[serde(default, deserialize_with = "text")]
    session_id: Option<String>,
    /// The name of the session in the words of Cursor.
    #[serde(default, deserialize_with = "text")]
    conversation_id: Option<String>,
    #[serde(default, deserialize_with = "path")]
    pub(crate) transcript_path: Option<PathBuf>,
    #[serde(default, deserialize_with = "path")]
    pub(crate) cwd: Option<PathBuf>,
    #[serde(default, deserialize_with = "text")]
    hook_event_name: Option<String>,
    /// The user's prompt, with UserPromptSubmit.
    #[serde(default, deserialize_with = "text")]
    pub(crate) prompt: Option<String>,
}

fn path<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<Option<PathBuf>, D::Error> {
    Ok(text(from)?.map(PathBuf::from))
}

impl HookInput {
    /// Reads the input and checks that it is for `event`: a hook that is wired to another event would do the
    /// wrong thing.
    pub(crate) fn read(from: impl Read, event: Event, host: HookHost) -> Result<Self> {
        let unreadable = |error: std::io::Error| {
            Failure::new(&codes::INPUT_UNREADABLE, format!("standard input cannot be read: {error}"))
        };
        let mut bytes = Vec::new();
        from.take(INPUT_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(unreadable)?;
        if bytes.len() as u64 > INPUT_BYTES_MAX {
            return Err(Failure::new(&codes::TOO_LARGE, format!("more than {INPUT_BYTES_MAX} bytes")));
        }
        let input: Self = read_json(&bytes)?;
        match input.hook_event_name.as_deref() {
            Some(name) if name != host.spelled(event) => {
                let reason = format!("this is the hook for {}", host.spelled(event));
                Err(Failure::invalid("hook_event_name", reason))
            }
            _ if input.session_id.is_none() && input.conversation_id.is_none() => {
                Err(Failure::invalid("session_id", "the host names no session"))
            }
            _ => Ok(input),
        }
    }

    pub(crate) fn session(&self) -> Result<SessionId> {
        let name = self.session_id.as_deref().or(self.conversation_id.as_deref());
        Ok(SessionId::new(name.unwrap_or_default())?)
    }

    pub(crate) fn transcript(&self) -> Result<&PathBuf> {
        let missing = || Failure::invalid("transcript_path", "the host names no transcript");
        self.transcript_path.as_ref().ok_or_else(missing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hosts_send_is_read_and_another_event_is_refused() {
        let json =
            br#"{"session_id":"s","transcript_path":"/t.jsonl","cwd":"/w","hook_event_name":"PreCompact",
            "trigger":"auto","custom_instructions":"","permission_mode":"default"}"#;
        let input = HookInput::read(&json[..], Event::PreCompact, HookHost::Claude).unwrap();
        assert_eq!(input.transcript().unwrap(), &PathBuf::from("/t.jsonl"));
        assert!(HookInput::read(&json[..], Event::SessionEnd, HookHost::Claude).is_err());
        assert!(HookInput::read(&b"{}"[..], Event::PreCompact, HookHost::Claude).is_err());
        let cursor = br#"{"conversation_id":"c","session_id":null,"hook_event_name":"beforeSubmitPrompt","prompt":"x"}"#;
        let input = HookInput::read(&cursor[..], Event::UserPromptSubmit, HookHost::Cursor).unwrap();
        assert_eq!(input.session().unwrap().as_str(), "c");
        assert!(HookInput::read(&cursor[..], Event::UserPromptSubmit, HookHost::Gemini).is_err());
        let endless = std::io::repeat(b' ');
        let Err(failure) = HookInput::read(endless, Event::PreCompact, HookHost::Claude) else {
            panic!("it was read")
        };
        assert_eq!(failure.code, &codes::TOO_LARGE);
    }
}

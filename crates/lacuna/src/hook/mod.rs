//! Hooks: commands that a host such as Claude Code, the Agent SDK or Nanoclaw calls at the turns of a
//! conversation.
//!
//! A hook reads one JSON object, works within a time limit, and never keeps the host from going on: it reports a
//! failure in a line on standard error. Turns that it stored before stay stored, and the next hook goes on from
//! there. A transcript is read line by line, so that RAM does not grow with it.

mod archive;
mod bring;
mod extract;
mod host;
mod input;
mod left;
mod line;
mod lines;
mod mark;
mod shape;
mod shown;
mod typed;

use std::time::{Duration, Instant};

pub(crate) use archive::archive;
pub(crate) use bring::{bring_to_mind, review_reminder};
pub(crate) use extract::{end, extract};
pub(crate) use host::HookHost;
pub(crate) use input::HookInput;
pub(crate) use left::{announce, left_behind};
pub(crate) use shown::ShownMemories;

use serde::Serialize;

/// Reads a transcript and a hook's input, for the fuzz target.
#[cfg(any(test, fuzzing))]
pub(crate) fn read_hostile(bytes: &[u8]) {
    let mut parser = line::TranscriptParser::default();
    for line in bytes.split(|byte| *byte == b'\n') {
        let _ = parser.turns(line);
    }
    for event in [Event::SessionStart, Event::UserPromptSubmit, Event::PreCompact, Event::SessionEnd] {
        let _ = HookInput::read(bytes, event, HookHost::Claude).map(|input| input.session().is_ok());
    }
}

/// Event at which the host calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Event {
    SessionStart,
    UserPromptSubmit,
    PreCompact,
    SessionEnd,
}

impl Event {
    /// The spelling of Claude Code, which most hosts share.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Event::SessionStart => "SessionStart",
            Event::UserPromptSubmit => "UserPromptSubmit",
            Event::PreCompact => "PreCompact",
            Event::SessionEnd => "SessionEnd",
        }
    }

    /// Default time limit. Hosts wait 30 seconds for a prompt's hook and 60 for the others, unless their settings
    /// say otherwise.
    pub(crate) fn limit_default(self) -> Duration {
        match self {
            Event::SessionStart | Event::UserPromptSubmit => Duration::from_secs(10),
            Event::PreCompact | Event::SessionEnd => Duration::from_secs(45),
        }
    }
}

/// Time at which a hook stops, so that it ends by itself before the host ends it.
#[derive(Clone, Copy)]
pub(crate) struct Deadline(Instant);

impl Deadline {
    /// Part of a limit that is reserved for the step under way when the time is over: a fifth, at most this.
    const REST_MAX: Duration = Duration::from_secs(5);

    pub(crate) fn within(limit: Duration) -> Self {
        Self(Instant::now() + limit.saturating_sub(Self::REST_MAX.min(limit / 5)))
    }

    /// The end of the given part of the remaining time.
    pub(crate) fn share(self, part: f64) -> Self {
        let now = Instant::now();
        Self(now + self.0.saturating_duration_since(now).mul_f64(part))
    }

    pub(crate) fn is_over(self) -> bool {
        Instant::now() >= self.0
    }
}

/// Result of a hook, in numbers.
#[derive(Default, Serialize, PartialEq, Eq, Debug)]
pub(crate) struct Done {
    /// Turns that were sealed.
    pub(crate) turns: usize,
    /// Turns that the gate did not take, or would ask about.
    pub(crate) refused: usize,
    /// Turns and parts of turns that are held sealed until their owner consents.
    pub(crate) held: usize,
    /// Turns from before an erasure that speak of the erased matter, or may.
    pub(crate) left_out: usize,
    /// Lines of the transcript that are too long or cannot be read.
    pub(crate) skipped: usize,
    pub(crate) summaries: usize,
    pub(crate) facts: usize,
    /// Facts among them that wait for a review.
    pub(crate) waiting: usize,
    /// The time was over first; the next hook goes on.
    pub(crate) unfinished: bool,
}

impl Done {
    /// One line for a person who reads along.
    pub(crate) fn told(&self) -> String {
        let plural = |count: usize| if count == 1 { "" } else { "s" };
        let mut told = format!("{} turn{} sealed", self.turns, plural(self.turns));
        if self.summaries > 0 {
            told += &format!(", {} summar{}", self.summaries, if self.summaries == 1 { "y" } else { "ies" });
        }
        let more = [
            (self.facts, "fact", ""),
            (self.waiting, "", "of them waiting for a review"),
            (self.refused, "turn", " refused by the gate"),
            (self.held, "part", " held sealed until you consent (lacuna consent give)"),
            (self.left_out, "turn", " from before the last forgetting left out"),
            (self.skipped, "line", " that could not be read"),
        ];
        for (count, what, how) in more.into_iter().filter(|(count, ..)| *count > 0) {
            let end = if what.is_empty() { "" } else { plural(count) };
            told += &format!(", {count} {what}{end}{how}");
        }
        if self.unfinished {
            told += "; the next hook goes on from there";
        }
        told
    }
}

//! One line of a transcript: the turns of a conversation in it, and their speakers.
//!
//! A transcript is not trusted. Answers of tools count as tool output, whatever message they stand in; text that
//! the host wrote in the user's name is not the user's word; and answers of Lacuna's own tools are not stored
//! again, because they would come back after they were forgotten.

use std::collections::{HashMap, VecDeque};
use std::fmt;

use jiff::Timestamp;
use lacuna_core::keep::NewTurn;
use lacuna_core::vault::Speaker;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::shape::{flag, moment, text};
use super::typed::{said, typed};

/// Characters of a person's or an assistant's text; the middle of a longer text is left out.
const SAID_CHARS_MAX: usize = 20_000;
/// Characters of a tool's answer: files and pages that exist elsewhere anyway.
const TOOL_CHARS_MAX: usize = 1_000;
/// Mark for a left-out part. In ASCII: one other character makes the gate's patterns slow on the whole text.
const CUT: &str = "\n[... cut ...]\n";
/// Calls whose answer has not been seen yet.
const CALLS_MAX: usize = 1_024;
/// Characters of a tool's name.
const TOOL_NAME_CHARS_MAX: usize = 64;
/// Prefix that hosts give to the tools of our MCP server.
const OWN_TOOLS: &str = "mcp__lacuna__";
/// The core's name for sources on the web, which it trusts least.
const WEB: &str = "web_fetch";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TranscriptLine {
    #[serde(rename = "type")]
    kind: LineKind,
    /// Written by the host.
    #[serde(default, deserialize_with = "flag")]
    is_meta: bool,
    /// Message of one assistant to another.
    #[serde(default, deserialize_with = "flag")]
    is_sidechain: bool,
    /// A summary by the model, in the place of the user's message.
    #[serde(default, deserialize_with = "flag")]
    is_compact_summary: bool,
    #[serde(default, deserialize_with = "moment")]
    timestamp: Option<Timestamp>,
    #[serde(default)]
    message: Option<MessageShape>,
}

#[derive(Deserialize, PartialEq, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum LineKind {
    User,
    Assistant,
    #[serde(other)]
    Other,
}

/// A message with its content, or the content by itself.
#[derive(Deserialize)]
#[serde(untagged)]
enum MessageShape {
    Whole(TranscriptMessage),
    Bare(TranscriptContent),
}

#[derive(Deserialize)]
struct TranscriptMessage {
    #[serde(default)]
    content: TranscriptContent,
}

/// Content of a message: one text, or blocks of several kinds.
#[derive(Default)]
enum TranscriptContent {
    #[default]
    Nothing,
    Text(String),
    Blocks(Vec<TranscriptBlock>),
}

#[derive(Deserialize)]
struct TranscriptBlock {
    #[serde(rename = "type", default, deserialize_with = "text")]
    kind: Option<String>,
    #[serde(default, deserialize_with = "text")]
    text: Option<String>,
    /// Id of a call.
    #[serde(default, deserialize_with = "text")]
    id: Option<String>,
    #[serde(default, deserialize_with = "text")]
    name: Option<String>,
    /// Id of the call that an answer belongs to.
    #[serde(default, deserialize_with = "text")]
    tool_use_id: Option<String>,
    #[serde(default)]
    content: TranscriptContent,
}

/// A block in a list of blocks; one that cannot be read is passed over.
#[derive(Deserialize)]
#[serde(untagged)]
enum BlockShape {
    Typed(TranscriptBlock),
    Bare(String),
    Unknown(IgnoredAny),
}

impl BlockShape {
    fn block(self) -> Option<TranscriptBlock> {
        match self {
            Self::Typed(block) => Some(block),
            Self::Bare(text) => Some(TranscriptBlock::text(text)),
            Self::Unknown(_) => None,
        }
    }
}

impl<'de> Deserialize<'de> for TranscriptContent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = TranscriptContent;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text or a list of blocks")
            }

            fn visit_unit<E: de::Error>(self) -> Result<TranscriptContent, E> {
                Ok(TranscriptContent::Nothing)
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<TranscriptContent, E> {
                Ok(TranscriptContent::Text(text.to_owned()))
            }

            fn visit_string<E: de::Error>(self, text: String) -> Result<TranscriptContent, E> {
                Ok(TranscriptContent::Text(text))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<TranscriptContent, A::Error> {
                let mut blocks = Vec::new();
                while let Some(block) = list.next_element::<BlockShape>()? {
                    blocks.extend(block.block());
                }
                Ok(TranscriptContent::Blocks(blocks))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<TranscriptContent, A::Error> {
                let block = TranscriptBlock::deserialize(MapAccessDeserializer::new(map))?;
                Ok(TranscriptContent::Blocks(vec![block]))
            }
        }
        deserializer.deserialize_any(Either)
    }
}

impl TranscriptContent {
    /// Joins its texts, one per line.
    fn text(self) -> String {
        match self {
            TranscriptContent::Nothing => String::new(),
            TranscriptContent::Text(text) => text,
            TranscriptContent::Blocks(blocks) => {
                blocks.into_iter().filter_map(|block| block.text).collect::<Vec<_>>().join("\n")
            }
        }
    }
}

/// Reads lines, and remembers the tool of each call id.
#[derive(Default)]
pub(super) struct TranscriptParser {
    tools: HashMap<String, String>,
    order: VecDeque<String>,
}

impl TranscriptParser {
    /// The turns of a line, in their order; `None` when the line cannot be read.
    pub(super) fn turns(&mut self, bytes: &[u8]) -> Option<Vec<NewTurn>> {
        if bytes.is_empty() {
            return Some(Vec::new());
        }
        let line: TranscriptLine = serde_json::from_slice(bytes).ok()?;
        if line.is_sidechain || line.is_compact_summary {
            return Some(Vec::new());
        }
        let content = match line.message {
            Some(MessageShape::Whole(message)) => message.content,
            Some(MessageShape::Bare(content)) => content,
            None => TranscriptContent::Nothing,
        };
        let mut turns = match line.kind {
            LineKind::User => self.of_user(content, line.is_meta),
            LineKind::Assistant => self.of_assistant(content),
            LineKind::Other => Vec::new(),
        };
        turns.iter_mut().for_each(|turn| turn.at = line.timestamp);
        Some(turns)
    }

    fn of_user(&mut self, content: TranscriptContent, is_meta: bool) -> Vec<NewTurn> {
        let blocks = match content {
            TranscriptContent::Blocks(blocks) => blocks,
            one => vec![TranscriptBlock::text(one.text())],
        };
        let is_answer = |block: &TranscriptBlock| block.kind.as_deref() == Some("tool_result");
        let beside_answers = blocks.iter().any(is_answer);
        let mut turns = Vec::new();
        let mut texts = Vec::new();
        for block in blocks {
            match block.kind.as_deref().unwrap_or_default() {
                "text" if !is_meta => texts.extend(block.text.as_deref().and_then(typed)),
                "tool_result" => turns.extend(self.answer(block)),
                _ => {}
            }
        }
        let text = texts.join("\n");
        turns.extend((!text.is_empty()).then(|| NewTurn {
            // Whoever answers for a tool may have written what stands beside its answer.
            from_external_content: beside_answers,
            ..turn(Speaker::User, &text, SAID_CHARS_MAX)
        }));
        turns
    }

    fn of_assistant(&mut self, content: TranscriptContent) -> Vec<NewTurn> {
        let blocks = match content {
            TranscriptContent::Blocks(blocks) => blocks,
            one => vec![TranscriptBlock::text(one.text())],
        };
        let mut texts = Vec::new();
        for block in blocks {
            match (block.kind.as_deref().unwrap_or_default(), block.id, block.name) {
                ("text", ..) => texts.extend(block.text),
                ("tool_use", Some(id), Some(name)) => self.note(id, name),
                _ => {}
            }
        }
        let text = said(&texts.join("\n"));
        (!text.is_empty()).then(|| turn(Speaker::Assistant, &text, SAID_CHARS_MAX)).into_iter().collect()
    }

    fn note(&mut self, id: String, name: String) {
        if self.order.len() >= CALLS_MAX
            && let Some(oldest) = self.order.pop_front()
        {
            self.tools.remove(&oldest);
        }
        let name = name.chars().filter(|c| !c.is_control()).take(TOOL_NAME_CHARS_MAX).collect();
        self.order.push_back(id.clone());
        self.tools.insert(id, name);
    }

    /// The turn of a tool's answer. An answer whose call was not seen is of unknown origin and left out.
    fn answer(&mut self, block: TranscriptBlock) -> Option<NewTurn> {
        let tool = self.tools.get(block.tool_use_id.as_deref()?)?.clone();
        if tool.starts_with(OWN_TOOLS) {
            return None;
        }
        let text = said(&block.content.text());
        let is_web = matches!(tool.as_str(), "WebFetch" | "WebSearch") || tool.starts_with("mcp__");
        let tool = if is_web { WEB.to_owned() } else { tool };
        (!text.is_empty()).then(|| NewTurn {
            tool: Some(tool),
            from_external_content: true,
            ..turn(Speaker::Tool, &text, TOOL_CHARS_MAX)
        })
    }
}

impl TranscriptBlock {
    fn text(text: String) -> Self {
        let kind = Some("text".to_owned());
        Self {
            kind,
            text: Some(text),
            id: None,
            name: None,
            tool_use_id: None,
            content: TranscriptContent::Nothing,
        }
    }
}

fn turn(speaker: Speaker, text: &str, chars_max: usize) -> NewTurn {
    NewTurn::new(speaker, cut(&text.replace('\0', "\u{fffd}"), chars_max))
}

/// The beginning and the end of a text that is too long: three quarters, and one.
fn cut(text: &str, chars_max: usize) -> String {
    let chars = text.chars().count();
    if chars <= chars_max {
        return text.to_owned();
    }
    let tail = chars_max / 4;
    let start: String = text.chars().take(chars_max - tail).collect();
    let end: String = text.chars().skip(chars - tail).collect();
    format!("{start}{CUT}{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(parser: &mut TranscriptParser, json: &str) -> Option<Vec<(Speaker, String, Option<String>)>> {
        let turns = parser.turns(json.as_bytes())?;
        Some(turns.into_iter().map(|turn| (turn.speaker, turn.text.into_exposed(), turn.tool)).collect())
    }

    #[test]
    fn each_line_tells_who_said_what() {
        let parser = &mut TranscriptParser::default();
        let user = r#"{"type":"user","timestamp":"2026-04-12T09:15:00Z","message":{"role":"user","content":"Where is it?"}}"#;
        assert_eq!(parser.turns(user.as_bytes()).unwrap()[0].at, "2026-04-12T09:15:00Z".parse().ok());
        assert_eq!(told(parser, user).unwrap(), [(Speaker::User, "Where is it?".to_owned(), None)]);
        let calls = r#"{"type":"assistant","message":{"content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"I look."},
            {"type":"tool_use","id":"t1","name":"Read","input":{"file":"a"}},{"type":"tool_use","id":"t2","name":"WebFetch","input":{}},
            {"type":"tool_use","id":"t3","name":"mcp__lacuna__recall","input":{}}]}}"#;
        assert_eq!(told(parser, calls).unwrap(), [(Speaker::Assistant, "I look.".to_owned(), None)]);
        let answers = r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"a file"},
            {"type":"tool_result","tool_use_id":"t2","content":[{"type":"text","text":"a page"},{"type":"image","source":{}}]},
            {"type":"tool_result","tool_use_id":"t3","content":"what was remembered"},
            {"type":"tool_result","tool_use_id":"t9","content":"of nobody knows what"}]}}"#;
        let tool = |text: &str, tool: &str| (Speaker::Tool, text.to_owned(), Some(tool.to_owned()));
        assert_eq!(told(parser, answers).unwrap(), [tool("a file", "Read"), tool("a page", "web_fetch")]);
    }

    #[test]
    fn what_nobody_said_is_no_turn() {
        let parser = &mut TranscriptParser::default();
        for line in [
            r#"{"type":"file-history-snapshot","snapshot":{"a":[1]}}"#,
            r#"{"type":"user","isMeta":true,"message":{"content":"I live in Rome."}}"#,
            r#"{"type":"user","isCompactSummary":true,"message":{"content":"I live in Rome."}}"#,
            r#"{"type":"user","isSidechain":true,"message":{"content":"I live in Rome."}}"#,
            r#"{"type":"user","message":{"content":[{"type":"image","source":{"data":"xx"}}]}}"#,
            r#"{"type":"system","content":"x"}"#,
            r#"{"type":"user","message":{"content":null}}"#,
            "",
        ] {
            assert_eq!(told(parser, line), Some(Vec::new()), "{line}");
        }
        // A reader of only the first or only the last of two keys would see another speaker.
        let two = r#"{"type":"assistant","type":"user","message":{"content":"I live in Rome."}}"#;
        for line in [two, "{", "[]", "7", r#"{"type":"user","message":{"content":7}}"#] {
            assert_eq!(told(parser, line), None, "{line}");
        }
    }

    #[test]
    fn a_field_in_another_shape_loses_no_line() {
        let at: Option<Timestamp> = "2026-04-12T09:15:00Z".parse().ok();
        for (line, expected) in [
            (r#"{"type":"user","timestamp":1775985300000000,"message":{"content":"Hello."}}"#, at),
            (r#"{"type":"user","timestamp":{"t":1},"isMeta":null,"message":{"content":"Hello."}}"#, None),
            (
                r#"{"type":"user","timestamp":[1],"isSidechain":"false","message":{"content":["Hello."]}}"#,
                None,
            ),
            (r#"{"type":"user","uuid":7,"message":{"content":{"type":"text","text":"Hello."}}}"#, None),
            (
                r#"{"type":"user","message":{"content":[7,{"type":5},{"type":"text","id":3,"text":"Hello."}]}}"#,
                None,
            ),
            (r#"{"type":"user","timestamp":"2026-04-12T09:15:00.000000Z","message":"Hello."}"#, at),
        ] {
            let turns = TranscriptParser::default().turns(line.as_bytes()).unwrap();
            let [turn] = &turns[..] else { panic!("{line}") };
            assert_eq!(
                (turn.speaker, turn.text.expose(), turn.at),
                (Speaker::User, "Hello.", expected),
                "{line}"
            );
        }
        let odd = r#"{"type":"user","isMeta":{"by":"host"},"message":{"content":"I live in Rome."}}"#;
        assert_eq!(
            told(&mut TranscriptParser::default(), odd),
            Some(Vec::new()),
            "in doubt the host wrote it"
        );
    }

    #[test]
    fn long_texts_are_cut_and_calls_are_forgotten_in_time() {
        let parser = &mut TranscriptParser::default();
        for number in 0..=CALLS_MAX {
            parser.note(format!("t{number}"), "Read".to_owned());
        }
        assert!(!parser.tools.contains_key("t0") && parser.tools.len() == CALLS_MAX);
        let long = format!("{}ü", "x".repeat(50_000));
        let line = format!(
            r#"{{"type":"user","message":{{"content":[{{"type":"tool_result","tool_use_id":"t5","content":"{long}"}}]}}}}"#
        );
        let text = &told(parser, &line).unwrap()[0].1;
        assert_eq!(text.chars().count(), TOOL_CHARS_MAX + CUT.chars().count());
        assert!(text.ends_with('ü') && text.contains(CUT));
    }
}

//! Conversations with other assistants: the data exports of ChatGPT and Claude, and the memories that these kept.
//! Each turn becomes an episode with its role, its time and its position.

use std::collections::HashMap;
use std::io::Read;

use jiff::Timestamp;
use lacuna_core::transfer::{ImportRecord, Origin};
use lacuna_types::{Category, ContentType, Draft, SessionId, Source, SourceType};
use serde::Deserialize;
use serde_json::Value;

use super::Intake;
use super::facts::{ImportedFact, moment, push_fact};
use super::parse::{ItemLists, ItemParser};
use crate::wire::failure::Result;

/// Speaker of a turn.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Person,
    Assistant,
    Tool,
}

impl Role {
    fn of(word: &str) -> Option<Self> {
        match word {
            "user" | "human" => Some(Self::Person),
            "assistant" => Some(Self::Assistant),
            "tool" => Some(Self::Tool),
            // Messages of programs to the model are nobody's memory.
            _ => None,
        }
    }

    fn source(self) -> SourceType {
        match self {
            Self::Person => SourceType::UserMessage,
            Self::Assistant => SourceType::AiInference,
            Self::Tool => SourceType::ToolOutput,
        }
    }
}

/// One turn, in a form common to both programs.
struct ConversationTurn {
    role: Role,
    id: Option<String>,
    text: String,
    at: Option<Timestamp>,
}

/// A conversation, in a form common to both programs.
struct Conversation<'a> {
    program: &'static str,
    id: Option<&'a str>,
    at: Option<Timestamp>,
}

impl Conversation<'_> {
    fn push(&self, intake: &mut Intake<'_>, turns: Vec<ConversationTurn>) -> Result<()> {
        let session = self.id.and_then(|id| SessionId::new(id).ok());
        let spoken = turns.into_iter().filter(|turn| !turn.text.trim().is_empty());
        for (place, turn) in spoken.enumerate() {
            let kind = turn.role.source();
            let source = Source {
                session: session.clone(),
                message: turn.id.clone(),
                turn: u32::try_from(place).ok(),
                channel: Some(self.program.to_owned()),
                ..Source::new(kind, kind.trust(None))
            };
            let draft = Draft {
                text: turn.text.into(),
                category: Some(Category::Conversation),
                content_type: Some(ContentType::Transcript),
                source: Some(source),
                created_at: turn.at.or(self.at),
                ..Draft::default()
            };
            let names = self.id.zip(turn.id);
            let origin =
                names.map(|(session, id)| Origin::Foreign(format!("{}:{session}:{id}", self.program)));
            let number = intake.next_number();
            intake.push(ImportRecord { number, origin, draft, carried: None })?;
        }
        Ok(())
    }
}

/// A conversation of ChatGPT's `conversations.json`, or one of its saved memories.
#[derive(Deserialize)]
struct ChatGptItem {
    conversation_id: Option<String>,
    id: Option<String>,
    create_time: Option<f64>,
    mapping: Option<HashMap<String, ChatGptNode>>,
    current_node: Option<String>,
    content: Option<String>,
    memory: Option<String>,
    created_at: Option<String>,
}

#[derive(Deserialize)]
struct ChatGptNode {
    message: Option<ChatGptMessage>,
    parent: Option<String>,
}

#[derive(Deserialize)]
struct ChatGptMessage {
    id: Option<String>,
    author: Option<ChatGptAuthor>,
    create_time: Option<f64>,
    content: Option<ChatGptContent>,
}

#[derive(Deserialize)]
struct ChatGptAuthor {
    role: String,
}

#[derive(Deserialize)]
struct ChatGptContent {
    /// Texts, and descriptions of pictures and files, which are skipped.
    #[serde(default)]
    parts: Vec<Value>,
    text: Option<String>,
}

pub(super) fn read_chatgpt(reader: impl Read, intake: &mut Intake<'_>) -> Result<()> {
    let parser = ItemParser::new(reader);
    let names = ["conversations", "memories"];
    let seed = ItemLists::new(&names, &parser, |item: ChatGptItem| push_chatgpt(intake, item));
    parser.whole(seed)
}

fn push_chatgpt(intake: &mut Intake<'_>, item: ChatGptItem) -> Result<()> {
    let Some(mapping) = item.mapping else {
        let fact = ImportedFact {
            text: item.content.or(item.memory).unwrap_or_default(),
            name: item.id,
            at: item.created_at.as_deref().and_then(moment),
            ..ImportedFact::default()
        };
        return push_fact(intake, "chatgpt", fact);
    };
    let turns = branch(mapping, item.current_node);
    let at = item.create_time.and_then(from_seconds);
    let id = item.conversation_id.or(item.id);
    Conversation { program: "chatgpt", id: id.as_deref(), at }.push(intake, turns)
}

/// The branch of the conversation that its owner last saw, from its beginning. Replaced answers are not part of
/// it.
fn branch(mut mapping: HashMap<String, ChatGptNode>, current: Option<String>) -> Vec<ConversationTurn> {
    let newest = |mapping: &HashMap<String, ChatGptNode>| {
        let at = |node: &ChatGptNode| node.message.as_ref().and_then(|message| message.create_time);
        let newest = mapping.iter().max_by(|(_, one), (_, other)| {
            at(one).unwrap_or(f64::MIN).total_cmp(&at(other).unwrap_or(f64::MIN))
        });
        newest.map(|(id, _)| id.clone())
    };
    let mut next = current.filter(|id| mapping.contains_key(id)).or_else(|| newest(&mapping));
    let mut turns = Vec::new();
    // Each node is removed when visited, so a circle ends.
    while let Some(node) = next.and_then(|id| mapping.remove(&id)) {
        turns.extend(node.message.and_then(chatgpt_turn));
        next = node.parent;
    }
    turns.reverse();
    turns
}

fn chatgpt_turn(message: ChatGptMessage) -> Option<ConversationTurn> {
    let role = Role::of(&message.author?.role)?;
    let content = message.content?;
    let parts = content.parts.iter().filter_map(Value::as_str).chain(content.text.as_deref());
    let text = parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n");
    Some(ConversationTurn { role, id: message.id, text, at: message.create_time.and_then(from_seconds) })
}

fn from_seconds(seconds: f64) -> Option<Timestamp> {
    // A number outside the calendar is no time.
    Timestamp::from_millisecond((seconds * 1_000.0) as i64).ok().filter(|_| seconds.is_finite())
}

/// A conversation of Claude's `conversations.json`, or an entry of its `memories.json`.
#[derive(Deserialize)]
struct ClaudeItem {
    uuid: Option<String>,
    created_at: Option<String>,
    chat_messages: Option<Vec<ClaudeMessage>>,
    conversations_memory: Option<String>,
    project_memories: Option<HashMap<String, String>>,
}

#[derive(Deserialize)]
struct ClaudeMessage {
    uuid: Option<String>,
    sender: String,
    text: Option<String>,
    #[serde(default)]
    content: Vec<ClaudeContent>,
    created_at: Option<String>,
}

#[derive(Deserialize)]
struct ClaudeContent {
    r#type: Option<String>,
    text: Option<String>,
}

pub(super) fn read_claude(reader: impl Read, intake: &mut Intake<'_>) -> Result<()> {
    let parser = ItemParser::new(reader);
    let names = ["conversations", "memories"];
    let seed = ItemLists::new(&names, &parser, |item: ClaudeItem| push_claude(intake, item));
    parser.whole(seed)
}

fn push_claude(intake: &mut Intake<'_>, item: ClaudeItem) -> Result<()> {
    let memories = item.conversations_memory.into_iter();
    for text in memories.chain(item.project_memories.unwrap_or_default().into_values()) {
        push_fact(intake, "claude", ImportedFact { text, ..ImportedFact::default() })?;
    }
    let Some(messages) = item.chat_messages else { return Ok(()) };
    let turns = messages.into_iter().filter_map(claude_turn).collect();
    let at = item.created_at.as_deref().and_then(moment);
    Conversation { program: "claude", id: item.uuid.as_deref(), at }.push(intake, turns)
}

fn claude_turn(message: ClaudeMessage) -> Option<ConversationTurn> {
    let role = Role::of(&message.sender)?;
    // Older exports have the text alone, newer ones the parts it was made of as well.
    let spoken = |part: &ClaudeContent| part.r#type.as_deref().is_none_or(|kind| kind == "text");
    let parts: Vec<&str> =
        message.content.iter().filter(|part| spoken(part)).filter_map(|part| part.text.as_deref()).collect();
    let text = match message.text.filter(|text| !text.trim().is_empty()) {
        Some(text) => text,
        None => parts.join("\n\n"),
    };
    Some(ConversationTurn {
        role,
        id: message.uuid,
        text,
        at: message.created_at.as_deref().and_then(moment),
    })
}

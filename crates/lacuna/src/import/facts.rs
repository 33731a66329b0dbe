//! Facts that other memory programs kept, such as mem0's list of memories. A model wrote them, so they come in with
//! a model's trust, and wait for a person's word.

use std::io::Read;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use lacuna_core::domain::{
    Category, ContentType, Draft, Entity, SessionId, Source, SourceType, TAG_CHARS_MAX, TAGS_MAX, Trust,
};
use lacuna_core::import::{Origin, Record};
use serde::Deserialize;

use super::Intake;
use super::parse::{Items, Parser};
use crate::failure::Result;

/// One memory of mem0, or of another list of memories.
#[derive(Deserialize)]
#[serde(untagged)]
enum Remembered {
    Text(String),
    Item(Box<RememberedItem>),
}

#[derive(Deserialize)]
struct RememberedItem {
    id: Option<serde_json::Value>,
    memory: Option<String>,
    content: Option<String>,
    text: Option<String>,
    created_at: Option<String>,
    run_id: Option<String>,
    #[serde(default)]
    categories: Option<Vec<String>>,
}

pub(super) fn read_mem0(reader: impl Read, intake: &mut Intake<'_>) -> Result<()> {
    let parser = Parser::new(reader);
    let seed = Items::new(&["results", "memories"], &parser, |item: Remembered| match item {
        Remembered::Text(text) => push_fact(intake, "mem0", Fact { text, ..Fact::default() }),
        Remembered::Item(item) => push_fact(intake, "mem0", Fact::from(*item)),
    });
    parser.whole(seed)
}

/// What another program remembered.
#[derive(Default)]
pub(super) struct Fact {
    pub(super) text: String,
    /// The other program's own name for it, if that says nothing of its content.
    pub(super) name: Option<String>,
    pub(super) at: Option<Timestamp>,
    pub(super) session: Option<String>,
    pub(super) tags: Vec<String>,
    pub(super) entities: Vec<Entity>,
}

impl From<RememberedItem> for Fact {
    fn from(item: RememberedItem) -> Self {
        let name = item.id.and_then(|id| match id {
            serde_json::Value::String(text) => Some(text),
            serde_json::Value::Number(number) => Some(number.to_string()),
            _ => None,
        });
        Self {
            text: item.memory.or(item.content).or(item.text).unwrap_or_default(),
            name,
            at: item.created_at.as_deref().and_then(moment),
            session: item.run_id,
            tags: item.categories.unwrap_or_default(),
            entities: Vec::new(),
        }
    }
}

/// A fact without words is none.
pub(super) fn push_fact(intake: &mut Intake<'_>, program: &str, fact: Fact) -> Result<()> {
    if fact.text.trim().is_empty() {
        return Ok(());
    }
    let number = intake.next_number();
    let source = Source {
        channel: Some(program.to_owned()),
        session: fact.session.as_deref().and_then(|session| SessionId::new(session).ok()),
        ..Source::new(SourceType::AiInference, Trust::Low)
    };
    let draft = Draft {
        text: fact.text,
        category: Some(Category::LearnedContext),
        content_type: Some(ContentType::Fact),
        source: Some(source),
        created_at: fact.at,
        tags: fitting(fact.tags),
        entities: fact.entities,
        ..Draft::default()
    };
    let origin = fact.name.map(|name| Origin::Foreign(format!("{program}:{name}")));
    intake.push(Record { number, origin, draft, carried: None })
}

/// Tags as this house takes them; what does not fit is no reason to lose the memory.
pub(super) fn fitting(tags: Vec<String>) -> Vec<String> {
    let fits =
        |tag: &String| !tag.trim().is_empty() && tag.chars().count() <= TAG_CHARS_MAX && !tag.contains('\0');
    tags.into_iter().filter(fits).take(TAGS_MAX).collect()
}

/// A moment as programs write it: with an offset, or in UTC without one.
pub(super) fn moment(text: &str) -> Option<Timestamp> {
    let in_utc =
        || Some(text.parse::<jiff::civil::DateTime>().ok()?.to_zoned(TimeZone::UTC).ok()?.timestamp());
    text.parse().ok().or_else(in_utc)
}

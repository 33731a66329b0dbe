//! Facts that other memory programs kept, such as mem0's list of memories. A model wrote them, so they get a
//! model's trust and wait for review.

use std::io::Read;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use lacuna_core::transfer::{ImportRecord, Origin};
use lacuna_types::{
    Category, ContentType, Draft, Entity, SessionId, Source, SourceType, TAG_CHARS_MAX, TAGS_MAX, Trust,
};
use serde::Deserialize;

use super::Intake;
use super::parse::{ItemLists, ItemParser};
use crate::wire::failure::Result;

/// One memory of mem0, or of another list of memories.
#[derive(Deserialize)]
#[serde(untagged)]
enum ListedMemory {
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
    let parser = ItemParser::new(reader);
    let seed = ItemLists::new(&["results", "memories"], &parser, |item: ListedMemory| match item {
        ListedMemory::Text(text) => {
            push_fact(intake, "mem0", ImportedFact { text, ..ImportedFact::default() })
        }
        ListedMemory::Item(item) => push_fact(intake, "mem0", ImportedFact::from(*item)),
    });
    parser.whole(seed)
}

/// A memory of another program.
#[derive(Default)]
pub(super) struct ImportedFact {
    pub(super) text: String,
    /// The other program's own id for it, if that reveals nothing of its content.
    pub(super) name: Option<String>,
    pub(super) at: Option<Timestamp>,
    pub(super) session: Option<String>,
    pub(super) tags: Vec<String>,
    pub(super) entities: Vec<Entity>,
}

impl From<RememberedItem> for ImportedFact {
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

/// Adds a fact; one without words is skipped.
pub(super) fn push_fact(intake: &mut Intake<'_>, program: &str, fact: ImportedFact) -> Result<()> {
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
        text: fact.text.into(),
        category: Some(Category::LearnedContext),
        content_type: Some(ContentType::Fact),
        source: Some(source),
        created_at: fact.at,
        tags: fitting(fact.tags),
        entities: fact.entities,
        ..Draft::default()
    };
    let origin = fact.name.map(|name| Origin::Foreign(format!("{program}:{name}")));
    intake.push(ImportRecord { number, origin, draft, carried: None })
}

/// Keeps the tags that Lacuna accepts; a tag that does not fit is no reason to lose the memory.
pub(super) fn fitting(tags: Vec<String>) -> Vec<String> {
    let fits =
        |tag: &String| !tag.trim().is_empty() && tag.chars().count() <= TAG_CHARS_MAX && !tag.contains('\0');
    tags.into_iter().filter(fits).take(TAGS_MAX).collect()
}

/// Reads a time as programs write it: with an offset, or in UTC without one.
pub(super) fn moment(text: &str) -> Option<Timestamp> {
    let in_utc =
        || Some(text.parse::<jiff::civil::DateTime>().ok()?.to_zoned(TimeZone::UTC).ok()?.timestamp());
    text.parse().ok().or_else(in_utc)
}

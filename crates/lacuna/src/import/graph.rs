//! The graph of the MCP reference memory server, as memories: entities, observations about them, and relations
//! between them. This module reads its file, and the compatible tools write and read the same form.
//!
//! Each is one memory in plain words, so that it is found, forgotten and reviewed like every other. Names are
//! often written as identifiers; a memory has them as people write them, and a tag records the original spelling.

use std::io::Read;

use lacuna_types::{Entity, Memory, TAG_CHARS_MAX};
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::Intake;
use super::facts::{ImportedFact, push_fact};
use super::parse::ItemParser;
use crate::wire::failure::Result;

pub(crate) const ENTITY_TAG: &str = "graph:entity";
pub(crate) const OBSERVATION_TAG: &str = "graph:observation";
pub(crate) const RELATION_TAG: &str = "graph:relation";
/// Tags for parts that were spelt with underscores: the name or start of a relation, its type, and its end.
const SNAKE_TAGS: [&str; 3] = ["graph:snake-from", "graph:snake-type", "graph:snake-to"];
/// Tag with an entity type's original spelling, when that is not in small letters.
const TYPE_TAG: &str = "graph:type:";
/// Type of an entity that has none.
const KIND_DEFAULT: &str = "thing";
const PROGRAM: &str = "mcp-memory";

/// One entity, observation or relation of a graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum GraphNote {
    Entity { name: String, kind: String },
    Observation { name: String, kind: String, text: String },
    Relation { from: String, kind: String, to: String },
}

/// A graph note in the form of a memory.
pub(crate) struct WrittenNote {
    pub(crate) text: String,
    pub(crate) tags: Vec<String>,
    pub(crate) entities: Vec<Entity>,
}

impl GraphNote {
    pub(crate) fn write(&self) -> WrittenNote {
        match self {
            Self::Entity { name, kind } => {
                let written = about(ENTITY_TAG, name, kind);
                let text = match kind.trim().is_empty() {
                    true => spaced(name),
                    false => format!("{}: {}", spaced(name), spaced(kind)),
                };
                WrittenNote { text, ..written }
            }
            Self::Observation { name, kind, text } => WrittenNote {
                text: format!("{}: {}", spaced(name), text.trim()),
                ..about(OBSERVATION_TAG, name, kind)
            },
            Self::Relation { from, kind, to } => {
                let parts = [from, kind, to];
                let mut tags = vec![RELATION_TAG.to_owned()];
                let snakes = parts.iter().zip(SNAKE_TAGS).filter(|(part, _)| is_snake(part));
                tags.extend(snakes.map(|(_, tag)| tag.to_owned()));
                WrittenNote {
                    text: parts.map(|part| spaced(part)).join(" "),
                    tags,
                    entities: vec![entity("", from, true), entity("", to, false)],
                }
            }
        }
    }

    /// The graph note in a memory, if it is one. Parts that the gate took out stay out.
    pub(crate) fn read(memory: &Memory) -> Option<Self> {
        let facets = &memory.facets;
        let has = |tag: &str| facets.tags.iter().any(|known| known == tag);
        let spelt = |part: &str, tag: &str| if has(tag) { part.replace(' ', "_") } else { part.to_owned() };
        let text = memory.content.full_text().expose();
        let first = facets.entities.first()?;
        let name = spelt(&first.name, SNAKE_TAGS[0]);
        if has(RELATION_TAG) {
            let last = facets.entities.get(1)?;
            let kind = text.strip_prefix(&*first.name)?.strip_suffix(&*last.name)?.trim();
            let (kind, to) = (spelt(kind, SNAKE_TAGS[1]), spelt(&last.name, SNAKE_TAGS[2]));
            return Some(Self::Relation { from: name, kind, to });
        }
        let exact = facets.tags.iter().find_map(|tag| tag.strip_prefix(TYPE_TAG));
        let kind = spelt(exact.unwrap_or(&first.kind), SNAKE_TAGS[1]);
        match (has(OBSERVATION_TAG), has(ENTITY_TAG)) {
            (true, _) => {
                let said =
                    text.strip_prefix(&*first.name).and_then(|rest| rest.strip_prefix(": ")).unwrap_or(text);
                Some(Self::Observation { name, kind, text: said.to_owned() })
            }
            (false, true) => Some(Self::Entity { name, kind }),
            (false, false) => None,
        }
    }
}

fn about(tag: &str, name: &str, kind: &str) -> WrittenNote {
    let mut tags = vec![tag.to_owned()];
    let snakes = [name, kind].into_iter().zip(SNAKE_TAGS).filter(|(part, _)| is_snake(part));
    tags.extend(snakes.map(|(_, tag)| tag.to_owned()));
    let kind = spaced(kind);
    let exact = format!("{TYPE_TAG}{kind}");
    if kind != kind.to_lowercase() && exact.chars().count() <= TAG_CHARS_MAX {
        tags.push(exact);
    }
    WrittenNote { text: String::new(), tags, entities: vec![entity(&kind, name, true)] }
}

fn entity(kind: &str, name: &str, primary: bool) -> Entity {
    let kind = if kind.trim().is_empty() { KIND_DEFAULT } else { kind };
    Entity { kind: kind.to_lowercase(), name: spaced(name), primary, relation: None }
}

/// Tests whether a name is written as an identifier.
fn is_snake(name: &str) -> bool {
    name.contains('_') && !name.contains(char::is_whitespace)
}

fn spaced(name: &str) -> String {
    if is_snake(name) { name.replace('_', " ").trim().to_owned() } else { name.trim().to_owned() }
}

/// One line of the server's file, or one item of its graph.
#[derive(Deserialize)]
struct GraphNode {
    name: Option<String>,
    #[serde(rename = "entityType")]
    entity_type: Option<String>,
    #[serde(default)]
    observations: Vec<String>,
    from: Option<String>,
    to: Option<String>,
    #[serde(rename = "relationType")]
    relation_type: Option<String>,
    #[serde(default)]
    entities: Vec<GraphNode>,
    #[serde(default)]
    relations: Vec<GraphNode>,
    #[serde(default, rename = "type")]
    _type: Option<IgnoredAny>,
}

/// JSON lines, or one object that holds the lists.
pub(super) fn read(reader: impl Read, intake: &mut Intake<'_>) -> Result<()> {
    ItemParser::new(reader).each(|node: GraphNode| push_node(intake, node))
}

fn push_node(intake: &mut Intake<'_>, node: GraphNode) -> Result<()> {
    for inner in node.entities.into_iter().chain(node.relations) {
        push_node(intake, inner)?;
    }
    if let (Some(from), Some(kind), Some(to)) = (node.from, node.relation_type, node.to) {
        return push_note(intake, &GraphNote::Relation { from, kind, to });
    }
    let Some(name) = node.name else { return Ok(()) };
    let kind = node.entity_type.unwrap_or_default();
    if node.observations.is_empty() {
        return push_note(intake, &GraphNote::Entity { name, kind });
    }
    for text in node.observations {
        push_note(intake, &GraphNote::Observation { name: name.clone(), kind: kind.clone(), text })?;
    }
    Ok(())
}

fn push_note(intake: &mut Intake<'_>, note: &GraphNote) -> Result<()> {
    let WrittenNote { text, tags, entities } = note.write();
    push_fact(intake, PROGRAM, ImportedFact { text, tags, entities, ..ImportedFact::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_as_people_write_them() {
        let note = GraphNote::Relation {
            from: "Ottoline_Vance".into(),
            kind: "lives_at".into(),
            to: "The Mill".into(),
        };
        let written = note.write();
        assert_eq!(written.text, "Ottoline Vance lives at The Mill");
        assert_eq!(written.tags, [RELATION_TAG, SNAKE_TAGS[0], SNAKE_TAGS[1]]);
        let mixed = GraphNote::Entity { name: "the mill_pond".into(), kind: "Place".into() }.write();
        assert_eq!((mixed.text.as_str(), mixed.entities[0].kind.as_str()), ("the mill_pond: Place", "place"));
        assert_eq!(mixed.tags, [ENTITY_TAG, "graph:type:Place"]);
    }
}

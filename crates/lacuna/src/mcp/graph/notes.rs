//! The graph as it lies in the caller's own vault: one memory for each entity, observation and relation.

use std::collections::BTreeSet;

use lacuna_core::Lacuna;
use lacuna_core::forget::{Confirmed, Planned, Request};
use lacuna_core::index::{Filter, Tag};
use lacuna_core::permit::{Caller, Recall, permit};
use lacuna_core::read::{Cursor, LIST_PAGE_MAX};
use lacuna_core::write::REMEMBER_BATCH_MAX;
use lacuna_types::request::{Mode, PlanChoice, Target};
use lacuna_types::{
    Category, Draft, GIST_CHARS_MAX, Memory, MemoryId, RetentionTier, Source, SourceType, Tier, Trust,
};

use super::{
    AddedObservations, AddedTo, Additions, Deleted, Deletions, Entities, EntityNames, Graph, GraphEntity,
    GraphRelation, Relations,
};
use crate::codes;
use crate::import::graph::{ENTITY_TAG, GraphNote, OBSERVATION_TAG, RELATION_TAG, WrittenNote};
use crate::wire::failure::{Failure, Result};

/// Notes of a graph at most: every call reads all of them.
const NOTES_MAX: usize = 20_000;
/// Memories that one erasure names.
const ERASED_AT_ONCE: usize = 1_000;
const CHANNEL: &str = "mcp";

/// Tag with a note's number, because many notes are of one moment.
const NUMBER_TAG: &str = "graph:no:";

/// The notes of one vault, in the order in which they were made.
pub(super) struct Notes<'a> {
    core: &'a Lacuna,
    caller: &'a Caller,
    known: Vec<(MemoryId, GraphNote)>,
    /// The number of the next one.
    next: u64,
}

impl<'a> Notes<'a> {
    pub(super) fn read(core: &'a Lacuna, caller: &'a Caller) -> Result<Self> {
        let mut known: Vec<Numbered> = Vec::new();
        let mut after = None;
        loop {
            let (page, next) = page(core, caller, after)?;
            known.extend(page);
            if known.len() > NOTES_MAX {
                let reason = format!("the graph has more than {NOTES_MAX} notes; use recall instead");
                return Err(Failure::new(&codes::TOO_LARGE, reason));
            }
            match next {
                Some(_) => after = next,
                None => break,
            }
        }
        known.reverse();
        // Imported notes have no number, and come first.
        known.sort_by_key(|(number, ..)| *number);
        let next = known.last().map_or(0, |(number, ..)| *number) + 1;
        Ok(Self { core, caller, next, known: known.into_iter().map(|(_, id, note)| (id, note)).collect() })
    }

    /// The entities that `wanted` picks, and the relations of each.
    pub(super) fn graph(&self, wanted: impl Fn(&GraphEntity) -> bool) -> Graph {
        let entities: Vec<GraphEntity> = self.entities().into_iter().filter(wanted).collect();
        let picked = |name: &str| entities.iter().any(|entity| entity.name == name);
        let everything = entities.len() == self.entities().len();
        let relations = self.relations().filter(|one| everything || picked(&one.from) || picked(&one.to));
        Graph { relations: relations.collect(), entities }
    }

    pub(super) fn search(&self, query: &str) -> Graph {
        let query = query.to_lowercase();
        let says = |text: &str| text.to_lowercase().contains(&query);
        self.graph(|entity| {
            says(&entity.name) || says(&entity.entity_type) || entity.observations.iter().any(|one| says(one))
        })
    }

    pub(super) fn open(&self, names: &[String]) -> Graph {
        self.graph(|entity| names.contains(&entity.name))
    }

    pub(super) fn create_entities(&self, args: Entities) -> Result<Entities> {
        let mut made: Vec<GraphEntity> = Vec::new();
        let known = self.entities();
        for entity in args.entities {
            if !known.iter().chain(&made).any(|other| other.name == entity.name) {
                made.push(entity);
            }
        }
        let mut notes = Vec::new();
        for GraphEntity { name, entity_type: kind, observations } in made.clone() {
            notes.push(GraphNote::Entity { name: name.clone(), kind: kind.clone() });
            notes.extend(observed(&name, &kind, observations));
        }
        self.write(&notes)?;
        Ok(Entities { entities: made })
    }

    pub(super) fn create_relations(&self, args: Relations) -> Result<Relations> {
        let mut made: Vec<GraphRelation> = Vec::new();
        let known: Vec<GraphRelation> = self.relations().collect();
        for relation in args.relations {
            if !known.contains(&relation) && !made.contains(&relation) {
                made.push(relation);
            }
        }
        self.write(&made.iter().map(GraphNote::from).collect::<Vec<_>>())?;
        Ok(Relations { relations: made })
    }

    pub(super) fn add_observations(&self, args: Additions) -> Result<AddedObservations> {
        let known = self.entities();
        let (mut results, mut notes) = (Vec::new(), Vec::new());
        for addition in args.observations {
            let name = addition.entity_name;
            let entity = known.iter().find(|entity| entity.name == name);
            let entity = entity.ok_or_else(|| Failure::new(&codes::NOT_FOUND, missing(&name)))?;
            let mut fresh = addition.contents;
            fresh.retain(|text| !entity.observations.contains(text));
            notes.extend(observed(&name, &entity.entity_type, fresh.clone()));
            results.push(AddedTo { entity_name: name, added_observations: fresh });
        }
        self.write(&notes)?;
        Ok(AddedObservations { results })
    }

    pub(super) fn delete_entities(&self, args: EntityNames) -> Result<Deleted> {
        let gone = |name: &String| args.entity_names.contains(name);
        self.erase(|note| match note {
            GraphNote::Entity { name, .. } | GraphNote::Observation { name, .. } => gone(name),
            GraphNote::Relation { from, to, .. } => gone(from) || gone(to),
        })?;
        Ok(deleted("Entities"))
    }

    pub(super) fn delete_observations(&self, args: Deletions) -> Result<Deleted> {
        let meant = |about: &str, said: &String| {
            args.deletions.iter().any(|one| one.entity_name == about && one.observations.contains(said))
        };
        // An entity without observations or relations is still an entity.
        let bare = self.entities().into_iter().filter(|entity| {
            let marked =
                |(_, note): &(_, GraphNote)| matches!(note, GraphNote::Entity { name, .. } if *name == entity.name);
            !self.known.iter().any(marked) && entity.observations.iter().all(|said| meant(&entity.name, said))
        });
        let kept: Vec<GraphNote> =
            bare.map(|entity| GraphNote::Entity { name: entity.name, kind: entity.entity_type }).collect();
        self.write(&kept)?;
        self.erase(|note| matches!(note, GraphNote::Observation { name, text, .. } if meant(name, text)))?;
        Ok(deleted("Observations"))
    }

    pub(super) fn delete_relations(&self, args: Relations) -> Result<Deleted> {
        let gone: Vec<GraphNote> = args.relations.iter().map(GraphNote::from).collect();
        self.erase(|note| gone.contains(note))?;
        Ok(deleted("Relations"))
    }

    fn entities(&self) -> Vec<GraphEntity> {
        let mut entities: Vec<GraphEntity> = Vec::new();
        for (_, note) in &self.known {
            let (name, kind, said) = match note {
                GraphNote::Entity { name, kind } => (name, kind, None),
                GraphNote::Observation { name, kind, text } => (name, kind, Some(text)),
                GraphNote::Relation { .. } => continue,
            };
            let at = entities.iter().position(|entity| entity.name == *name).unwrap_or_else(|| {
                let (name, entity_type) = (name.clone(), kind.clone());
                entities.push(GraphEntity { name, entity_type, observations: Vec::new() });
                entities.len() - 1
            });
            entities[at].observations.extend(said.cloned());
        }
        entities
    }

    fn relations(&self) -> impl Iterator<Item = GraphRelation> {
        self.known.iter().filter_map(|(_, note)| match note {
            GraphNote::Relation { from, kind, to } => {
                Some(GraphRelation { from: from.clone(), to: to.clone(), relation_type: kind.clone() })
            }
            _ => None,
        })
    }

    fn write(&self, notes: &[GraphNote]) -> Result<()> {
        let scope = self.caller.personal_scope();
        let grant = permit(self.caller, &scope)?;
        let numbered: Vec<(u64, &GraphNote)> = (self.next..).zip(notes).collect();
        for some in numbered.chunks(REMEMBER_BATCH_MAX) {
            let drafts = some.iter().map(|(number, note)| draft(note, *number)).collect();
            let outcomes = self.core.remember(&grant, drafts)?;
            for outcome in outcomes {
                Failure::of_gate(outcome)?;
            }
        }
        Ok(())
    }

    /// Erases the notes that `gone` picks for good, whatever the policy's default mode is.
    fn erase(&self, gone: impl Fn(&GraphNote) -> bool) -> Result<()> {
        let scope = self.caller.personal_scope();
        let grant = permit(self.caller, &scope)?;
        let ids: BTreeSet<MemoryId> =
            self.known.iter().filter(|(_, note)| gone(note)).map(|(id, _)| *id).collect();
        let ids: Vec<MemoryId> = ids.into_iter().collect();
        for some in ids.chunks(ERASED_AT_ONCE) {
            let request = Request { mode: Some(Mode::Hard), ..Request::new(Target::Ids(some.to_vec())) };
            let Planned::Plan(plan) = self.core.plan_forget(&grant, &request)? else { continue };
            let Some(token) = plan.token else { continue };
            if let Confirmed::Again { .. } = self.core.confirm_forget(&grant, &token, &PlanChoice::All)? {
                return Err(Failure::new(&codes::INTERNAL, codes::INTERNAL.meaning));
            }
        }
        Ok(())
    }
}

type Numbered = (u64, MemoryId, GraphNote);

/// One page of notes, newest first.
fn page(core: &Lacuna, caller: &Caller, after: Option<Cursor>) -> Result<(Vec<Numbered>, Option<Cursor>)> {
    let tags = [ENTITY_TAG, OBSERVATION_TAG, RELATION_TAG].map(Tag::of).to_vec();
    let filter = Filter { any_tags: tags, ..Filter::default() };
    let grant = permit::<Recall>(caller, &caller.personal_scope())?;
    let page = core.list(&grant, &filter, after, LIST_PAGE_MAX)?;
    let mut notes = Vec::new();
    for memory in page.memories {
        let id = memory.id;
        let memory: Memory = if is_cut(&memory) { core.get(&grant, id)? } else { memory };
        let number = memory.facets.tags.iter().find_map(|tag| tag.strip_prefix(NUMBER_TAG)?.parse().ok());
        notes.extend(GraphNote::read(&memory).map(|note| (number.unwrap_or(0), id, note)));
    }
    Ok((notes, page.next))
}

/// Tests for a gist that is cut: a list shows only the beginning of a long text.
fn is_cut(memory: &Memory) -> bool {
    let gist = memory.content.gist.expose();
    gist.ends_with('…') || gist.chars().count() >= GIST_CHARS_MAX
}

fn observed(name: &str, kind: &str, texts: Vec<String>) -> impl Iterator<Item = GraphNote> {
    let note = move |text| GraphNote::Observation { name: name.to_owned(), kind: kind.to_owned(), text };
    texts.into_iter().map(note)
}

/// A note of an assistant: stored as a note, with an assistant's trust, and not taken for a fact.
fn draft(note: &GraphNote, number: u64) -> Draft {
    let WrittenNote { text, mut tags, entities } = note.write();
    tags.push(format!("{NUMBER_TAG}{number}"));
    let source =
        Source { channel: Some(CHANNEL.to_owned()), ..Source::new(SourceType::AiInference, Trust::Low) };
    Draft {
        text: text.into(),
        tags,
        entities,
        category: Some(Category::LearnedContext),
        tier: Some(Tier::Episodic),
        retention: Some(RetentionTier::LongTerm),
        source: Some(source),
        ..Draft::default()
    }
}

fn missing(name: &str) -> String {
    format!("Entity with name {name} not found")
}

fn deleted(what: &str) -> Deleted {
    Deleted { success: true, message: format!("{what} deleted successfully") }
}

//! The tools of the MCP reference memory server, on this memory: a client that was set up for that server finds
//! the same names, arguments and answers. They write notes of an assistant, with an assistant's trust; a deletion
//! erases.

mod notes;

use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Tool, ToolAnnotations};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use self::notes::Notes;
use super::call::{Call, arguments};
use super::schema::of;
use crate::import::graph::GraphNote;
use crate::wire::failure::Result;

pub(super) const RESOURCE: &str = "memory://knowledge-graph";

/// A node of the graph.
#[derive(Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct GraphEntity {
    /// The name of the entity.
    name: String,
    /// The type of the entity.
    entity_type: String,
    /// Observations about it, one statement each.
    observations: Vec<String>,
}

/// A relation between two entities.
#[derive(Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct GraphRelation {
    /// The entity that the relation starts from.
    from: String,
    /// The entity that it leads to.
    to: String,
    /// The relation, in active voice: works_at.
    relation_type: String,
}

#[derive(Default, Serialize, ToSchema)]
#[schema(as = Graph)]
pub(super) struct Graph {
    entities: Vec<GraphEntity>,
    relations: Vec<GraphRelation>,
}

#[derive(Serialize, Deserialize, ToSchema)]
pub(super) struct Entities {
    entities: Vec<GraphEntity>,
}

#[derive(Serialize, Deserialize, ToSchema)]
pub(super) struct Relations {
    relations: Vec<GraphRelation>,
}

#[derive(Deserialize, ToSchema)]
pub(super) struct Additions {
    observations: Vec<Addition>,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Addition {
    /// The entity that they are about. It must exist.
    entity_name: String,
    /// The observations to add.
    contents: Vec<String>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = Added)]
pub(super) struct AddedObservations {
    results: Vec<AddedTo>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct AddedTo {
    entity_name: String,
    added_observations: Vec<String>,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct EntityNames {
    /// The entities to delete.
    entity_names: Vec<String>,
}

#[derive(Deserialize, ToSchema)]
pub(super) struct Deletions {
    deletions: Vec<ObservationDeletion>,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Deletion)]
pub(super) struct ObservationDeletion {
    entity_name: String,
    /// The observations to delete, word for word.
    observations: Vec<String>,
}

#[derive(Serialize, ToSchema)]
pub(super) struct Deleted {
    success: bool,
    message: String,
}

#[derive(Deserialize, ToSchema)]
pub(super) struct Nothing {}

#[derive(Deserialize, ToSchema)]
#[schema(as = Wanted)]
pub(super) struct SearchNodes {
    /// Words to look for in names, types and observations.
    query: String,
}

#[derive(Deserialize, ToSchema)]
#[schema(as = Names)]
pub(super) struct OpenNodes {
    /// The names of the entities to open.
    names: Vec<String>,
}

pub(super) fn list() -> Vec<Tool> {
    let tool = |name: &'static str, about: &'static str, takes, answers, hints: ToolAnnotations| {
        Tool::new(name, about, takes)
            .with_raw_output_schema(answers)
            .with_annotations(hints.open_world(false))
    };
    let hints = ToolAnnotations::new;
    let adds = || hints().read_only(false).destructive(false).idempotent(false);
    let erases = || hints().read_only(false).destructive(true).idempotent(true);
    let reads = || hints().read_only(true).destructive(false).idempotent(true);
    vec![
        tool(
            "create_entities",
            "Add entities to the graph, with observations about each.",
            of::<Entities>(),
            of::<Entities>(),
            adds(),
        ),
        tool(
            "create_relations",
            "Add relations between entities, in active voice.",
            of::<Relations>(),
            of::<Relations>(),
            adds(),
        ),
        tool(
            "add_observations",
            "Add observations to entities that are in the graph.",
            of::<Additions>(),
            of::<AddedObservations>(),
            adds(),
        ),
        tool(
            "delete_entities",
            "Erase entities, their observations and their relations. It cannot be undone.",
            of::<EntityNames>(),
            of::<Deleted>(),
            erases(),
        ),
        tool(
            "delete_observations",
            "Erase observations. It cannot be undone.",
            of::<Deletions>(),
            of::<Deleted>(),
            erases(),
        ),
        tool(
            "delete_relations",
            "Erase relations. It cannot be undone.",
            of::<Relations>(),
            of::<Deleted>(),
            erases(),
        ),
        tool("read_graph", "Read the whole graph.", of::<Nothing>(), of::<Graph>(), reads()),
        tool(
            "search_nodes",
            "Find entities by words in their names, types and observations.",
            of::<SearchNodes>(),
            of::<Graph>(),
            reads(),
        ),
        tool(
            "open_nodes",
            "Read entities by their names, with their relations.",
            of::<OpenNodes>(),
            of::<Graph>(),
            reads(),
        ),
    ]
}

/// Runs a tool of this set; `None` if it has no such tool.
pub(super) async fn run(
    call: &Call,
    name: &str,
    given: Option<JsonObject>,
) -> Option<Result<CallToolResult>> {
    Some(match name {
        "create_entities" => {
            on(
                call,
                given,
                |notes, args| notes.create_entities(args),
                |made: &Entities| pretty(&made.entities),
            )
            .await
        }
        "create_relations" => {
            on(
                call,
                given,
                |notes, args| notes.create_relations(args),
                |made: &Relations| pretty(&made.relations),
            )
            .await
        }
        "add_observations" => {
            on(
                call,
                given,
                |notes, args| notes.add_observations(args),
                |made: &AddedObservations| pretty(&made.results),
            )
            .await
        }
        "delete_entities" => {
            on(call, given, |notes, args| notes.delete_entities(args), |done: &Deleted| done.message.clone())
                .await
        }
        "delete_observations" => {
            on(
                call,
                given,
                |notes, args| notes.delete_observations(args),
                |done: &Deleted| done.message.clone(),
            )
            .await
        }
        "delete_relations" => {
            on(call, given, |notes, args| notes.delete_relations(args), |done: &Deleted| done.message.clone())
                .await
        }
        "read_graph" => on(call, given, |notes, _: Nothing| Ok(notes.graph(|_| true)), pretty).await,
        "search_nodes" => {
            on(call, given, |notes, search: SearchNodes| Ok(notes.search(&search.query)), pretty).await
        }
        "open_nodes" => on(call, given, |notes, names: OpenNodes| Ok(notes.open(&names.names)), pretty).await,
        _ => return None,
    })
}

/// Reads the graph, does something with it, and answers as the reference server does: in text and as data.
async fn on<A, T>(
    call: &Call,
    given: Option<JsonObject>,
    act: impl FnOnce(&Notes<'_>, A) -> Result<T> + Send + 'static,
    told: impl FnOnce(&T) -> String,
) -> Result<CallToolResult>
where
    A: serde::de::DeserializeOwned + Send + 'static,
    T: Serialize + Send + 'static,
{
    let args: A = arguments(given)?;
    let done = call.work(move |core, caller| act(&Notes::read(core, caller)?, args)).await?;
    let mut result = CallToolResult::success(vec![ContentBlock::text(told(&done))]);
    result.structured_content = Some(serde_json::to_value(&done).unwrap_or(Value::Null));
    Ok(result)
}

/// The whole graph, for the resource.
pub(super) async fn whole(call: &Call) -> Result<String> {
    let graph = call.work(|core, caller| Ok(Notes::read(core, caller)?.graph(|_| true))).await?;
    Ok(pretty(&graph))
}

fn pretty(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

impl From<&GraphRelation> for GraphNote {
    fn from(relation: &GraphRelation) -> Self {
        let GraphRelation { from, to, relation_type } = relation.clone();
        Self::Relation { from, kind: relation_type, to }
    }
}

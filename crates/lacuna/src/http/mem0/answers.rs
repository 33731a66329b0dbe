//! Memories as mem0's clients show them.

use std::collections::BTreeMap;

use jiff::Timestamp;
use lacuna_core::records::RecordItem;
use lacuna_types::Plaintext;
use serde_json::{Map, Value, json};

use super::filters::ENTITIES;

/// A record of this door, read.
pub(super) struct Mem0Memory {
    pub(super) id: String,
    pub(super) text: String,
    pub(super) role: String,
    /// The entities, and the caller's own metadata under `metadata`.
    pub(super) described: Map<String, Value>,
    pub(super) created_at: Timestamp,
    pub(super) updated_at: Timestamp,
    pub(super) expires_at: Option<Timestamp>,
    written_at: Vec<Timestamp>,
    score: Option<f32>,
}

impl Mem0Memory {
    /// `None` for a record that another program put into the namespace.
    pub(super) fn of(item: RecordItem) -> Option<Self> {
        let value: Value = serde_json::from_str(item.value.expose()).ok()?;
        let metadata = item.metadata.as_ref().map_or("{}", Plaintext::expose);
        Some(Self {
            id: item.place.key.into_exposed(),
            text: value.get("memory")?.as_str()?.to_owned(),
            role: value.get("role").and_then(Value::as_str).unwrap_or("user").to_owned(),
            described: serde_json::from_str(metadata).ok()?,
            created_at: item.created_at,
            updated_at: item.updated_at,
            expires_at: item.expires_at,
            written_at: item.written_at,
            score: item.score,
        })
    }

    pub(super) fn view(&self) -> Value {
        let mut view = Map::new();
        view.insert("id".into(), self.id.as_str().into());
        view.insert("memory".into(), self.text.as_str().into());
        for name in ENTITIES {
            view.insert(name.into(), self.described.get(name).cloned().unwrap_or(Value::Null));
        }
        view.insert("actor_id".into(), Value::Null);
        view.insert("role".into(), self.role.as_str().into());
        view.insert("metadata".into(), self.described.get("metadata").cloned().unwrap_or(Value::Null));
        view.insert("categories".into(), json!([]));
        view.insert("created_at".into(), self.created_at.to_string().into());
        view.insert("updated_at".into(), self.updated_at.to_string().into());
        let expires = self.expires_at.map(|at| at.strftime("%Y-%m-%d").to_string());
        view.insert("expiration_date".into(), expires.into());
        if let Some(score) = self.score {
            view.insert("score".into(), score.into());
        }
        Value::Object(view)
    }

    /// The times of its writes. Texts that were replaced are erased, so that only the present one is shown.
    pub(super) fn history(&self) -> Value {
        let last = self.written_at.len().saturating_sub(1);
        let events = self.written_at.iter().enumerate().map(|(number, at)| {
            json!({
                "id": format!("{}-{number}", self.id),
                "memory_id": self.id,
                "input": [],
                "old_memory": null,
                "new_memory": (number == last).then_some(self.text.as_str()),
                "event": if number == 0 { "ADD" } else { "UPDATE" },
                "user_id": self.described.get("user_id"),
                "metadata": self.described.get("metadata"),
                "created_at": self.created_at.to_string(),
                "updated_at": at.to_string(),
            })
        });
        events.collect()
    }
}

/// People, agents, apps and runs that memories belong to, with the number of their memories.
#[derive(Default)]
pub(super) struct EntityCounts(BTreeMap<(&'static str, String), EntityCount>);

/// The memories of one of them: how many, and the first and the last time.
struct EntityCount {
    memories: usize,
    first: Timestamp,
    last: Timestamp,
}

impl EntityCounts {
    pub(super) fn count(&mut self, kept: &Mem0Memory) {
        for name in ENTITIES {
            let Some(entity) = kept.described.get(name).and_then(Value::as_str) else { continue };
            let kind = name.trim_end_matches("_id");
            let nothing = EntityCount { memories: 0, first: kept.created_at, last: kept.updated_at };
            let count = self.0.entry((kind, entity.to_owned())).or_insert(nothing);
            count.memories += 1;
            count.first = count.first.min(kept.created_at);
            count.last = count.last.max(kept.updated_at);
        }
    }

    pub(super) fn results(self) -> Vec<Value> {
        let shown = |((kind, name), count): ((&str, String), EntityCount)| {
            json!({
                "id": name,
                "name": name,
                "type": kind,
                "total_memories": count.memories,
                "created_at": count.first.to_string(),
                "updated_at": count.last.to_string(),
            })
        };
        self.0.into_iter().map(shown).collect()
    }
}

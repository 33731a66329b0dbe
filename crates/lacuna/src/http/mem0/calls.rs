//! The calls of mem0's clients, on records of the caller's vault under the namespace `mem0`.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use lacuna_core::permit::{Action, Caller, Grant, permit};
use lacuna_core::read::Condition;
use lacuna_core::records::{RECORD_PAGE_MAX, RecordName, RecordPut, RecordQuery};
use lacuna_core::{Lacuna, Records};
use lacuna_types::{Error, RecordPlace, SearchedText, Source, SourceType, Trust};
use serde_json::{Map, Value, json};

use super::Mem0Call;
use super::answers::{EntityCounts, Mem0Memory};
use super::filters::{ENTITIES, condition, entities};
use crate::http::records::put_all;
use crate::wire::failure::{Failure, Result};
use crate::wire::{ReceiptView, read_condition};

const NAMESPACE: &str = "mem0";
/// Messages in one call.
const MESSAGES_MAX: usize = 500;
/// Memories in one batch.
const BATCH_MAX: usize = 1_000;
const PAGE_DEFAULT: usize = 100;
const TOP_K_DEFAULT: usize = 10;
const TEXT_PATH: &str = "memory";

/// The memories of one caller.
pub(super) struct Memories<'a> {
    pub(super) core: &'a Lacuna,
    pub(super) caller: &'a Caller,
}

impl Memories<'_> {
    fn grant<A: Action>(&self) -> Result<Grant<A>> {
        Ok(permit(self.caller, &self.caller.personal_scope())?)
    }

    fn records(&self) -> Records<'_> {
        Records::of(self.core)
    }

    pub(super) fn ping(&self) -> Value {
        json!({
            "status": "ok",
            "org_id": self.caller.org.as_str(),
            "project_id": "lacuna",
            "user_email": null,
            "message": "Lacuna answers for mem0.",
        })
    }

    pub(super) fn add(&self, call: &Mem0Call) -> Result<Value> {
        let belongs = entities(&call.fields);
        if belongs.is_empty() {
            return Err(Failure::invalid("user_id", "name a user_id, agent_id, app_id or run_id"));
        }
        let said = messages(&call.fields)?;
        let mut described = belongs;
        if let Some(metadata) = call.fields.get("metadata").filter(|metadata| !metadata.is_null()) {
            described.insert("metadata".into(), metadata.clone());
        }
        let ttl_ms = self.ttl(&call.fields)?;
        let mut puts = Vec::with_capacity(said.len());
        let mut results = Vec::with_capacity(said.len());
        for Said { role, text } in said {
            let id = self.new_id();
            results.push(json!({
                "id": id,
                "memory": text,
                "data": {"memory": text},
                "event": "ADD",
            }));
            let keep_possible_secrets = keeps_possible_secrets(&call.fields);
            puts.push(RecordPut { keep_possible_secrets, ..put(&id, &text, &role, &described, ttl_ms) });
        }
        if !puts.is_empty() {
            put_all(self.core, &self.grant()?, puts)?;
        }
        Ok(json!({
            "message": "Stored as it was said; nothing is inferred.",
            "status": "SUCCEEDED",
            "event_id": self.new_id(),
            "results": results,
        }))
    }

    /// An id as these clients know them.
    fn new_id(&self) -> String {
        let id = lacuna_types::MemoryId::make(self.core.clock(), &lacuna_seal::SystemEntropy);
        let hex = id.to_string();
        let hex = hex.trim_start_matches("mem_");
        [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
    }

    pub(super) fn search(&self, call: &Mem0Call) -> Result<Value> {
        let query = call.text("query").ok_or_else(|| Failure::invalid("query", "must not be empty"))?;
        let limit = match call.fields.contains_key("top_k") {
            true => call.count("top_k", TOP_K_DEFAULT)?,
            false => call.count("limit", TOP_K_DEFAULT)?,
        };
        #[expect(clippy::cast_possible_truncation, reason = "it is compared with similarities")]
        let threshold = call.number("threshold").map(|threshold| threshold as f32);
        let page = RecordQuery {
            text: Some(query.to_owned()),
            condition: condition(&call.fields)?,
            min_similarity: threshold.filter(|threshold| *threshold > 0.0),
            limit: limit.min(RECORD_PAGE_MAX),
            ..of_ours()
        };
        let found = self.records().search(&self.grant()?, &page)?;
        let results: Vec<Value> =
            found.records.into_iter().filter_map(Mem0Memory::of).map(|kept| kept.view()).collect();
        Ok(json!({"results": results}))
    }

    pub(super) fn list(&self, call: &Mem0Call) -> Result<Value> {
        let page = call.count("page", 1)?;
        let size = match call.fields.contains_key("page_size") {
            true => call.count("page_size", PAGE_DEFAULT)?,
            false => call.count("limit", PAGE_DEFAULT)?,
        };
        let size = size.min(RECORD_PAGE_MAX);
        let query = RecordQuery {
            condition: condition(&call.fields)?,
            limit: size,
            offset: (page - 1).saturating_mul(size),
            ..of_ours()
        };
        let found = self.records().search(&self.grant()?, &query)?;
        let at = |page: usize| format!("?page={page}&page_size={size}");
        Ok(json!({
            "count": found.total,
            "next": found.next_offset.map(|_| at(page + 1)),
            "previous": (page > 1).then(|| at(page - 1)),
            "results": found.records.into_iter().filter_map(Mem0Memory::of).map(|kept| kept.view()).collect::<Vec<_>>(),
        }))
    }

    fn kept(&self, id: &str) -> Result<Mem0Memory> {
        let found = self.records().get(&self.grant()?, &named(id))?;
        found.and_then(Mem0Memory::of).ok_or_else(missing)
    }

    pub(super) fn get(&self, id: &str) -> Result<Value> {
        Ok(self.kept(id)?.view())
    }

    pub(super) fn history(&self, id: &str) -> Result<Value> {
        Ok(self.kept(id)?.history())
    }

    pub(super) fn update(&self, id: &str, fields: &Map<String, Value>) -> Result<Value> {
        let put = self.changed(id, fields)?;
        put_all(self.core, &self.grant()?, vec![put])?;
        self.get(id)
    }

    pub(super) fn update_batch(&self, call: &Mem0Call) -> Result<Value> {
        let mut puts = Vec::new();
        for (id, fields) in batch(call)? {
            puts.push(self.changed(&id, fields)?);
        }
        let count = put_all(self.core, &self.grant()?, puts)?.len();
        Ok(json!({"message": format!("Successfully updated {count} memories")}))
    }

    /// The memory with other words, metadata or expiry; the rest stays.
    fn changed(&self, id: &str, fields: &Map<String, Value>) -> Result<RecordPut> {
        let mut kept = self.kept(id)?;
        // Its own server calls the words `data`.
        let text = ["text", "data", "memory"].iter().find_map(|name| fields.get(*name)?.as_str());
        if let Some(metadata) = fields.get("metadata").filter(|metadata| !metadata.is_null()) {
            kept.described.insert("metadata".into(), metadata.clone());
        }
        let ttl_ms = match fields.contains_key("expiration_date") {
            true => self.ttl(fields)?,
            false => kept.expires_at.map(|at| self.millis_until(at)).transpose()?,
        };
        let keep_possible_secrets = keeps_possible_secrets(fields);
        let put = put(id, text.unwrap_or(&kept.text), &kept.role, &kept.described, ttl_ms);
        Ok(RecordPut { keep_possible_secrets, ..put })
    }

    pub(super) fn delete(&self, id: &str) -> Result<Value> {
        let forgotten = self.records().erase(&self.grant()?, &named(id)).map_err(as_memory)?;
        let receipts = forgotten.receipts.into_iter().map(ReceiptView::from);
        let receipts: Vec<ReceiptView> = receipts.collect();
        Ok(json!({"message": "Memory deleted successfully!", "receipts": receipts}))
    }

    pub(super) fn delete_batch(&self, call: &Mem0Call) -> Result<Value> {
        let ids: Vec<String> = batch(call)?.into_iter().map(|(id, _)| id).collect();
        let condition = read_condition("memories", Some(&json!({"key": {"$in": ids}})))?;
        let (count, receipts) = self.erase(condition.as_ref())?;
        Ok(json!({"message": format!("Successfully deleted {count} memories"), "receipts": receipts}))
    }

    pub(super) fn delete_all(&self, call: &Mem0Call) -> Result<Value> {
        let Some(condition) = condition(&call.fields)? else {
            return Err(Failure::invalid("filters", "name a user_id, agent_id, app_id or run_id to delete"));
        };
        let (_, receipts) = self.erase(Some(&condition))?;
        Ok(json!({"message": "Memories deleted successfully!", "receipts": receipts}))
    }

    pub(super) fn delete_entity(&self, kind: &str, name: &str) -> Result<Value> {
        let field = format!("{kind}_id");
        if !ENTITIES.contains(&field.as_str()) {
            return Err(Failure::invalid("path", "names an entity that is none of user, agent, app and run"));
        }
        let condition = read_condition("path", Some(&json!({field: name})))?;
        let (_, receipts) = self.erase(condition.as_ref())?;
        Ok(json!({"message": "Entity deleted successfully!", "receipts": receipts}))
    }

    pub(super) fn reset(&self) -> Result<Value> {
        let (_, receipts) = self.erase(None)?;
        Ok(json!({"message": "All memories reset", "receipts": receipts}))
    }

    fn erase(&self, condition: Option<&Condition>) -> Result<(usize, Vec<ReceiptView>)> {
        let (ids, forgotten) =
            self.records().erase_all(&self.grant()?, &[NAMESPACE.to_owned()], condition)?;
        Ok((ids.len(), forgotten.receipts.into_iter().map(ReceiptView::from).collect()))
    }

    pub(super) fn entities(&self, call: &Mem0Call) -> Result<Value> {
        let mut entities = EntityCounts::default();
        let condition = condition(&call.fields)?;
        let mut query = RecordQuery { condition, limit: RECORD_PAGE_MAX, ..of_ours() };
        loop {
            let found = self.records().search(&self.grant()?, &query)?;
            found.records.into_iter().filter_map(Mem0Memory::of).for_each(|kept| entities.count(&kept));
            match found.next_offset {
                Some(offset) => query.offset = offset,
                None => break,
            }
        }
        let results = entities.results();
        Ok(json!({"count": results.len(), "next": null, "previous": null, "results": results}))
    }

    /// Reads the day after which a memory is gone.
    fn ttl(&self, fields: &Map<String, Value>) -> Result<Option<u64>> {
        let Some(text) = fields.get("expiration_date").and_then(Value::as_str) else { return Ok(None) };
        let wrong = || Failure::invalid("expiration_date", "must be a date such as 2026-12-31");
        let end = match text.parse::<Timestamp>() {
            Ok(at) => at,
            Err(_) => {
                let day: Date = text.parse().map_err(|_| wrong())?;
                let next = day.tomorrow().map_err(|_| wrong())?;
                next.to_zoned(TimeZone::UTC).map_err(|_| wrong())?.timestamp()
            }
        };
        self.millis_until(end).map(Some)
    }

    fn millis_until(&self, end: Timestamp) -> Result<u64> {
        let left = end.duration_since(self.core.clock().now()).as_millis();
        let past = || Failure::invalid("expiration_date", "must lie in the future");
        u64::try_from(left).ok().filter(|left| *left > 0).ok_or_else(past)
    }
}

/// Every record of this door.
fn of_ours() -> RecordQuery {
    RecordQuery { prefix: vec![NAMESPACE.to_owned()], ..RecordQuery::default() }
}

fn place(id: &str) -> RecordPlace {
    RecordPlace::new(&[NAMESPACE], id)
}

fn named(id: &str) -> RecordName {
    RecordName::Place(place(id))
}

fn missing() -> Failure {
    Error::NotFound("memory").into()
}

fn as_memory(error: Error) -> Failure {
    match error {
        Error::NotFound(_) => missing(),
        other => other.into(),
    }
}

fn put(id: &str, text: &str, role: &str, described: &Map<String, Value>, ttl_ms: Option<u64>) -> RecordPut {
    let value = json!({"memory": text, "role": role}).to_string();
    let source = match role {
        "assistant" => Source::new(SourceType::AiInference, Trust::High),
        _ => Source::new(SourceType::UserMessage, Trust::High),
    };
    RecordPut {
        metadata: Some(Value::Object(described.clone()).to_string().into()),
        searched: SearchedText::Paths(vec![TEXT_PATH.to_owned()]),
        ttl_ms,
        source: Some(source),
        ..RecordPut::new(place(id), value)
    }
}

/// Returns true when the caller says that what looks like a secret is none.
fn keeps_possible_secrets(fields: &Map<String, Value>) -> bool {
    fields.get("keep_possible_secrets") == Some(&Value::Bool(true))
}

/// A message of a conversation.
struct Said {
    role: String,
    text: String,
}

/// Reads the messages of a call: a text, one message or a list of them. What the system says is no memory.
fn messages(fields: &Map<String, Value>) -> Result<Vec<Said>> {
    let wrong = || Failure::invalid("messages", "must be a text, a message with role and content, or a list");
    let all: Vec<Value> = match fields.get("messages").ok_or_else(wrong)? {
        Value::Array(all) => all.clone(),
        Value::String(text) => vec![json!({"role": "user", "content": text})],
        one @ Value::Object(_) => vec![one.clone()],
        _ => return Err(wrong()),
    };
    if all.len() > MESSAGES_MAX {
        return Err(Failure::invalid("messages", format!("at most {MESSAGES_MAX} are accepted")));
    }
    let mut said = Vec::new();
    for message in &all {
        let role = message.get("role").and_then(Value::as_str).unwrap_or("user");
        let text = content(message.get("content").ok_or_else(wrong)?).ok_or_else(wrong)?;
        if role != "system" && !text.trim().is_empty() {
            said.push(Said { role: role.to_owned(), text });
        }
    }
    Ok(said)
}

/// The words of a message; of one in parts, the texts among them.
fn content(content: &Value) -> Option<String> {
    match content {
        Value::String(text) => Some(text.clone()),
        Value::Null => Some(String::new()),
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
            Some(texts.collect::<Vec<_>>().join("\n"))
        }
        _ => None,
    }
}

/// The memories of a batch, by their ids.
fn batch(call: &Mem0Call) -> Result<Vec<(String, &Map<String, Value>)>> {
    let wrong = || Failure::invalid("memories", "must be a list of objects, each with its memory_id");
    let all = call.fields.get("memories").and_then(Value::as_array).ok_or_else(wrong)?;
    if all.len() > BATCH_MAX {
        return Err(Failure::invalid("memories", format!("at most {BATCH_MAX} are accepted")));
    }
    let one = |memory: &'_ Value| -> Option<String> {
        Some(memory.get("memory_id").or_else(|| memory.get("memoryId"))?.as_str()?.to_owned())
    };
    let read = all.iter().map(|memory| Some((one(memory)?, memory.as_object()?)));
    read.map(|read| read.ok_or_else(wrong)).collect()
}

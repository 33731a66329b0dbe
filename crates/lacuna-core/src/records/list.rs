//! Reading records: one by its name, pages by namespace, conditions and text, and the namespaces themselves.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use jiff::Timestamp;
use lacuna_types::*;
use lacuna_types::{Error, Result};
use serde_json::{Map, Value};

use crate::index::Stored;
use crate::index::filter::Filter;
use crate::index::search::{Hit, QueryVector, RESULTS_MAX, Search};
use crate::permit::{Grant, Recall};
use crate::read::condition::{Condition, described};
use crate::read::recall::{QUERY_CHARS_MAX, models_in};
use crate::records::{RecordItem, RecordName};
use crate::vault::open::{Held, OpenVault};
use crate::vault::purpose::{Closed, closed_to};
use crate::vault::reads::{Read, note_read};
use crate::vault::service::Service;
use crate::write::record_shape::check_labels;

/// Records on one page.
pub const RECORD_PAGE_MAX: usize = 1_000;
/// Bytes of the values on one page; the rest begins the next one.
pub const RECORD_PAGE_BYTES_MAX: usize = 32 << 20;
/// Records before a page.
pub const RECORD_OFFSET_MAX: usize = 1_000_000;
/// Values that are fetched at a time: each may be as large as a value may be.
const FETCHED_AT_ONCE: usize = 16;
/// Namespaces in one answer.
pub const NAMESPACES_PAGE_MAX: usize = 10_000;

/// A search for records.
#[derive(Default)]
pub struct RecordQuery {
    /// The first labels of the namespaces that are searched; all without any.
    pub prefix: Vec<String>,
    /// A condition on the metadata. `key`, `created_at`, `updated_at` and `expires_at` name those of the record, unless
    /// the metadata has such a field.
    pub condition: Option<Condition>,
    /// A condition on the value.
    pub value_condition: Option<Condition>,
    /// The question; those that were written last come first without one.
    pub text: Option<String>,
    /// Leaves out records that are less similar to the question, and those that have no text to search.
    pub min_similarity: Option<f32>,
    /// Records on the page, at most.
    pub limit: usize,
    /// Records before the page.
    pub offset: usize,
}

/// A page of records.
#[derive(Default)]
pub struct RecordPage {
    /// The records.
    pub records: Vec<RecordItem>,
    /// The number of all records that meet the conditions.
    pub total: usize,
    /// The offset of the next page; `None` on the last one.
    pub next_offset: Option<usize>,
}

/// A question for namespaces.
#[derive(Default)]
pub struct NamespaceQuery {
    /// The first labels, where `*` is any.
    pub prefix: Vec<String>,
    /// The last labels, where `*` is any.
    pub suffix: Vec<String>,
    /// Labels that are shown of each, at most.
    pub max_depth: Option<usize>,
    /// Namespaces in the answer, at most.
    pub limit: usize,
    /// Namespaces before those.
    pub offset: usize,
}

/// A place on a page: a record, and what the search says of it.
struct Chosen {
    memory: MemoryId,
    score: Option<f32>,
    similarity: Option<f32>,
}

pub(super) fn get(service: &Service, grant: &Grant<Recall>, name: &RecordName) -> Result<Option<RecordItem>> {
    let (now, closed) = (millis(service.clock.now()), closed_to(service, grant)?);
    let found = service.serve(grant.scope(), |open| -> Result<_> {
        let found = match name {
            RecordName::Place(place) => open.record_at(place),
            RecordName::Id(id) => open.record_with_id(*id),
        };
        let is_shown =
            |stored: &Stored<'_, Held>| is_living(stored, now) && !closed.hides(&stored.payload.facets);
        let Some((stored, _)) = found.filter(|(stored, _)| is_shown(stored)) else { return Ok(None) };
        let chosen = Chosen { memory: stored.id, score: None, similarity: None };
        Ok(items(service, open, &[chosen])?.pop().map(|item| (stored.id, item)))
    })?;
    let Some((memory, item)) = found.transpose()?.flatten() else { return Ok(None) };
    note_read(service, &Read::of(grant, "record", vec![memory]))?;
    Ok(Some(item))
}

pub(super) fn is_living(stored: &Stored<'_, Held>, now: i64) -> bool {
    stored.attributes.state == Lifecycle::Active && stored.attributes.expires_at.is_none_or(|at| now < at)
}

pub(super) fn search(service: &Service, grant: &Grant<Recall>, query: &RecordQuery) -> Result<RecordPage> {
    check(query)?;
    let scope = grant.scope();
    let reader = service.reader(scope);
    let vectors = match &query.text {
        Some(text) => service.models.embed_query(text, &models_in(&reader)?),
        None => Vec::new(),
    };
    let (now, closed) = (service.clock.now(), closed_to(service, grant)?);
    let found = service.serve(scope, |open| {
        let mark = query.text.as_deref().map(|text| open.keyring.query_mark(text));
        find(service, open, query, (&vectors, &closed), now).map(|(page, seen)| (page, seen, mark))
    })?;
    let Some((page, seen, query)) = found.transpose()? else { return Ok(RecordPage::default()) };
    note_read(service, &Read { query, ..Read::of(grant, "records", seen) })?;
    Ok(page)
}

fn check(query: &RecordQuery) -> Result<()> {
    check_labels("namespace_prefix", query.prefix.iter().map(String::as_str))?;
    if query.prefix.len() > RECORD_LABELS_MAX {
        return Err(Error::invalid(
            "namespace_prefix",
            format!("must have at most {RECORD_LABELS_MAX} labels"),
        ));
    }
    if query.limit == 0 || query.limit > RECORD_PAGE_MAX {
        return Err(Error::invalid("limit", format!("must be from 1 to {RECORD_PAGE_MAX}")));
    }
    if query.offset > RECORD_OFFSET_MAX {
        return Err(Error::invalid("offset", format!("must be at most {RECORD_OFFSET_MAX}")));
    }
    match &query.text {
        Some(text) if text.trim().is_empty() || text.contains('\0') => {
            Err(Error::invalid("query", "must not be empty or hold NUL"))
        }
        Some(text) if text.chars().count() > QUERY_CHARS_MAX => {
            Err(Error::invalid("query", format!("must be at most {QUERY_CHARS_MAX} characters")))
        }
        _ => Ok(()),
    }
}

fn find(
    service: &Service,
    open: &OpenVault,
    query: &RecordQuery,
    (vectors, closed): (&[QueryVector], &Closed),
    now: Timestamp,
) -> Result<(RecordPage, Vec<MemoryId>)> {
    let mut meeting = meeting(service, open, query, millis(now))?;
    meeting.retain(|id| open.index.get(id).is_some_and(|stored| !closed.hides(&stored.payload.facets)));
    let total = meeting.len();
    let chosen = match &query.text {
        Some(text) => by_text(open, query, text, vectors, meeting, now),
        None => by_time(open, meeting),
    };
    let left = chosen.len().saturating_sub(query.offset);
    let page: Vec<Chosen> = chosen.into_iter().skip(query.offset).take(query.limit).collect();
    let records = items(service, open, &page)?;
    let shown = records.len();
    let seen = page.iter().take(shown).map(|chosen| chosen.memory).collect();
    let next_offset = (left > shown && shown > 0).then_some(query.offset + shown);
    Ok((RecordPage { records, total, next_offset }, seen))
}

/// The records under the prefix that meet the conditions.
pub(super) fn meeting(
    service: &Service,
    open: &OpenVault,
    query: &RecordQuery,
    now: i64,
) -> Result<Vec<MemoryId>> {
    let prefix: Vec<&str> = query.prefix.iter().map(String::as_str).collect();
    let living = open.records_under(&prefix).filter(|(stored, _)| is_living(stored, now));
    let by_metadata = living.filter(|(stored, _)| match &query.condition {
        Some(condition) => condition.holds(&described(stored)),
        None => true,
    });
    let mut found: Vec<MemoryId> = by_metadata.map(|(stored, _)| stored.id).collect();
    if let Some(condition) = &query.value_condition {
        let mut bodies = open.bodies(&found, service.sources())?;
        let mut meets = |id: &MemoryId| -> Result<bool> {
            let Some(stored) = open.index.get(id) else { return Ok(false) };
            let body = bodies.remove(id).transpose()?;
            let json = body.as_ref().unwrap_or(stored.payload.full_text());
            let value = serde_json::from_str::<Map<String, Value>>(json.expose());
            Ok(value.is_ok_and(|value| condition.holds(&value)))
        };
        let mut kept = Vec::with_capacity(found.len());
        for id in found {
            if meets(&id)? {
                kept.push(id);
            }
        }
        found = kept;
    }
    Ok(found)
}

/// The records that were written last first.
fn by_time(open: &OpenVault, mut meeting: Vec<MemoryId>) -> Vec<Chosen> {
    let written = |id: &MemoryId| open.index.get(id).map(|stored| stored.payload.updated_at);
    meeting.sort_by_key(|id| std::cmp::Reverse((written(id), *id)));
    meeting.into_iter().map(|memory| Chosen { memory, score: None, similarity: None }).collect()
}

/// The best for a question first, then those that have no text to search.
fn by_text(
    open: &OpenVault,
    query: &RecordQuery,
    text: &str,
    vectors: &[QueryVector],
    meeting: Vec<MemoryId>,
    now: Timestamp,
) -> Vec<Chosen> {
    let is_searched = |id: &MemoryId| {
        let record = open.index.get(id).and_then(|stored| stored.payload.facets.history.record.as_deref());
        record.is_some_and(|record| record.searched != SearchedText::Nothing)
    };
    let (searched, others): (Vec<MemoryId>, Vec<MemoryId>) = meeting.into_iter().partition(is_searched);
    let found = open.index.search(&Search {
        text,
        vectors,
        filter: Filter {
            states: vec![Lifecycle::Active],
            records: true,
            ids: Some(Arc::new(searched.iter().copied().collect::<HashSet<_>>())),
            ..Filter::default()
        },
        tags: Vec::new(),
        now: millis(now),
        as_of: millis(now),
        limit: (query.offset + query.limit).min(RESULTS_MAX),
        min_similarity: query.min_similarity.unwrap_or(0.0),
        strong_only: false,
        recency_weight: 0.0,
        explain: false,
    });
    let scored =
        |hit: Hit| Chosen { memory: hit.id, score: Some(hit.score), similarity: Some(hit.similarity) };
    let mut chosen: Vec<Chosen> = found.hits.into_iter().map(scored).collect();
    if query.min_similarity.is_none() {
        chosen.extend(by_time(open, others));
    }
    chosen
}

/// Records with their values, as many as fit on a page.
fn items(service: &Service, open: &OpenVault, chosen: &[Chosen]) -> Result<Vec<RecordItem>> {
    let ids: Vec<MemoryId> = chosen.iter().map(|chosen| chosen.memory).collect();
    let scores: HashMap<MemoryId, &Chosen> = chosen.iter().map(|chosen| (chosen.memory, chosen)).collect();
    let (mut items, mut bytes) = (Vec::with_capacity(ids.len()), 0);
    for ids in ids.chunks(FETCHED_AT_ONCE) {
        for memory in open.whole(ids, service.sources())?.into_iter().flatten() {
            let Some(item) = item(memory, &scores) else { continue };
            bytes += item.value.expose().len();
            if bytes > RECORD_PAGE_BYTES_MAX && !items.is_empty() {
                return Ok(items);
            }
            items.push(item);
        }
    }
    Ok(items)
}

fn item(memory: Memory, scores: &HashMap<MemoryId, &Chosen>) -> Option<RecordItem> {
    let record = *memory.facets.history.record?;
    let chosen = scores.get(&memory.id);
    Some(RecordItem {
        id: record.id,
        place: record.place,
        value: memory.content.text.unwrap_or(memory.content.gist),
        metadata: record.metadata,
        created_at: memory.created_at,
        updated_at: memory.updated_at,
        expires_at: memory.facets.retention.expires_at,
        written_at: record.written_at,
        score: chosen.and_then(|chosen| chosen.score),
        similarity: chosen.and_then(|chosen| chosen.similarity),
    })
}

pub(super) fn namespaces(
    service: &Service,
    grant: &Grant<Recall>,
    query: &NamespaceQuery,
) -> Result<Vec<Vec<Plaintext>>> {
    check_labels("prefix", query.prefix.iter().map(String::as_str))?;
    check_labels("suffix", query.suffix.iter().map(String::as_str))?;
    if query.limit == 0 || query.limit > NAMESPACES_PAGE_MAX {
        return Err(Error::invalid("limit", format!("must be from 1 to {NAMESPACES_PAGE_MAX}")));
    }
    if query.max_depth == Some(0) {
        return Err(Error::invalid("max_depth", "must be at least 1"));
    }
    let (now, closed) = (millis(service.clock.now()), closed_to(service, grant)?);
    let found = service.serve(grant.scope(), |open| {
        let mut namespaces: BTreeSet<Vec<&str>> = BTreeSet::new();
        let mut seen = Vec::new();
        let living = open.records_under(&[]).filter(|(stored, _)| is_living(stored, now));
        for (stored, record) in living.filter(|(stored, _)| !closed.hides(&stored.payload.facets)) {
            let labels: Vec<&str> = record.place.labels.iter().map(Plaintext::expose).collect();
            if fits(&labels, query) {
                let depth = query.max_depth.unwrap_or(labels.len()).min(labels.len());
                if namespaces.insert(labels[..depth].to_vec()) {
                    seen.push(stored.id);
                }
            }
        }
        let page = namespaces.into_iter().skip(query.offset).take(query.limit);
        let page: Vec<Vec<Plaintext>> =
            page.map(|labels| labels.into_iter().map(Plaintext::from).collect()).collect();
        (page, seen)
    })?;
    let (page, seen) = found.unwrap_or_default();
    note_read(service, &Read::of(grant, "namespaces", seen))?;
    Ok(page)
}

/// Compares the first and the last labels, where `*` is any.
fn fits(labels: &[&str], query: &NamespaceQuery) -> bool {
    let same = |(wanted, label): (&String, &&str)| wanted == "*" || wanted == label;
    query.prefix.len() <= labels.len()
        && query.suffix.len() <= labels.len()
        && query.prefix.iter().zip(labels).all(same)
        && query.suffix.iter().rev().zip(labels.iter().rev()).all(same)
}

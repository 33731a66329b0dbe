//! Rows of LangGraph's PostgresStore as lines of JSON, and the history that mem0 keeps in SQLite.
//!
//! `psql -Atc 'select row_to_json(store) from store'` writes the lines.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

use lacuna_core::transfer::{Carried, ImportRecord, Origin};
use lacuna_store::foreign::{ForeignRow, each_foreign_row};
use lacuna_types::{
    DecayProfile, Draft, History, Lifecycle, MemoryId, RecordFacet, RecordPlace, SearchedText, Source,
    SourceType, Trust,
};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::Intake;
use super::facts::{ImportedFact, moment, push_fact};
use super::parse::ItemParser;
use crate::codes;
use crate::wire::failure::{Failure, Result};

const LANGGRAPH: &str = "langgraph";
const MEM0: &str = "mem0";
/// The first bytes of every SQLite file.
pub(crate) const SQLITE_MARK: &[u8] = b"SQLite format 3\0";
/// Rows of one history; more than any person's memory has.
const HISTORY_ROWS_MAX: usize = 5_000_000;
/// The events of a history, oldest first.
const HISTORY: &str = "select memory_id, new_memory, coalesce(updated_at, created_at), event, is_deleted from history order by rowid";
const MINUTE_MS: f64 = 60_000.0;

/// One row of the table `store`.
#[derive(Deserialize)]
struct StoreRow {
    /// The labels of the namespace, joined by dots.
    prefix: String,
    key: String,
    value: Box<RawValue>,
    created_at: Option<String>,
    updated_at: Option<String>,
    expires_at: Option<String>,
    ttl_minutes: Option<f64>,
}

/// Reads rows of LangGraph's table as records.
pub(super) fn read_langgraph(reader: impl std::io::Read, intake: &mut Intake<'_>) -> Result<()> {
    ItemParser::new(reader).each(|row: StoreRow| {
        let number = intake.next_number();
        let now = intake.now();
        intake.push(record_of(row, number, now))
    })
}

fn record_of(row: StoreRow, number: u64, now: jiff::Timestamp) -> ImportRecord {
    let at = |text: Option<&str>| text.and_then(moment).map(|at| at.min(now));
    let created_at = at(row.created_at.as_deref()).unwrap_or(now);
    let updated_at = at(row.updated_at.as_deref()).unwrap_or(created_at);
    let labels: Vec<&str> = row.prefix.split('.').collect();
    let mut written_at = vec![created_at];
    written_at.extend((updated_at != created_at).then_some(updated_at));
    let facet = RecordFacet {
        id: MemoryId::from_bytes([0; 16]),
        place: RecordPlace::new(&labels, &row.key),
        metadata: None,
        searched: SearchedText::default(),
        ttl_ms: row.ttl_minutes.filter(|minutes| *minutes > 0.0).map(millis),
        written_at,
    };
    let draft = Draft {
        text: row.value.get().into(),
        source: Some(Source {
            channel: Some(LANGGRAPH.to_owned()),
            ..Source::new(SourceType::ToolOutput, Trust::Medium)
        }),
        created_at: Some(created_at),
        expires_at: row.expires_at.as_deref().and_then(moment),
        ..Draft::default()
    };
    let carried = Carried {
        proven: false,
        state: Lifecycle::Active,
        updated_at,
        rehearsals: 0,
        rehearsed_at: updated_at,
        decay: DecayProfile::default(),
        history: History { record: Some(Box::new(facet)), ..History::default() },
    };
    let origin = Origin::Foreign(format!("{LANGGRAPH}:{}/{}", row.prefix, row.key));
    ImportRecord { number, origin: Some(origin), draft, carried: Some(Box::new(carried)) }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is above zero, and bounded later"
)]
fn millis(minutes: f64) -> u64 {
    (minutes * MINUTE_MS).ceil() as u64
}

/// One event of mem0's history.
struct HistoryEvent {
    memory: String,
    text: Option<String>,
    at: Option<String>,
    is_gone: bool,
}

/// Reads the history that mem0 keeps in SQLite: the last text of each memory that was not deleted. Earlier texts, and those of deleted memories, which
/// the file still holds, are not taken.
pub(crate) fn read_mem0_history(path: &Path, intake: &mut Intake<'_>) -> Result<()> {
    let mut last: BTreeMap<String, HistoryEvent> = BTreeMap::new();
    let mut rows = 0;
    let take = |row: ForeignRow| {
        rows += 1;
        last.extend(event(row).map(|event| (event.memory.clone(), event)));
        if rows > HISTORY_ROWS_MAX { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    each_foreign_row(path, HISTORY, take)
        .map_err(|reason| Failure::new(&codes::UNKNOWN_FORMAT, format!("{}: {reason}", path.display())))?;
    if rows > HISTORY_ROWS_MAX {
        return Err(Failure::new(&codes::TOO_LARGE, format!("more than {HISTORY_ROWS_MAX} rows")));
    }
    for event in last.into_values().filter(|event| !event.is_gone) {
        let fact = ImportedFact {
            text: event.text.unwrap_or_default(),
            name: Some(event.memory),
            at: event.at.as_deref().and_then(moment),
            ..ImportedFact::default()
        };
        push_fact(intake, MEM0, fact)?;
    }
    Ok(())
}

/// The event of a row of [`HISTORY`]; `None` for a row that names no memory.
fn event(row: ForeignRow) -> Option<HistoryEvent> {
    let [memory, text, at, event, is_deleted] = <[Option<String>; 5]>::try_from(row).ok()?;
    let is_gone = event.as_deref() == Some("DELETE") || is_deleted.is_some_and(|flag| flag != "0");
    Some(HistoryEvent { memory: memory?, text, at, is_gone })
}

use lacuna_core::domain::MemoryId;
use lacuna_core::recall::LIST_PAGE_DEFAULT;

use super::args::MemoryCommand;
use super::output::{Output, fields, table};
use crate::assemble::{Installation, assemble};
use crate::codes;
use crate::config::Config;
use crate::failure::{Failure, Result};
use crate::wire::{ErasedView, Filters, MemoryPage, MemoryView, read_cursor};

pub(super) fn run(config: &Config, command: MemoryCommand, output: &Output) -> Result<()> {
    match command {
        MemoryCommand::List { limit, cursor, filter } => {
            let installation = assemble(config)?;
            let filters = filter.into_filters(installation.service.clock().now());
            list(&installation, filters, cursor.as_deref(), limit, output)
        }
        MemoryCommand::Inspect { memory_id } => {
            let id: MemoryId = memory_id.parse()?;
            let installation = assemble(config)?;
            let memory = installation.service.get(&installation.grant()?, id)?;
            output.show(&MemoryView::from(memory), people)
        }
        MemoryCommand::Delete { memory_id, yes } => {
            let id: MemoryId = memory_id.parse()?;
            let installation = assemble(config)?;
            delete(&installation, id, yes, output)
        }
    }
}

fn list(
    installation: &Installation,
    filters: Filters,
    cursor: Option<&str>,
    limit: Option<usize>,
    output: &Output,
) -> Result<()> {
    let after = cursor.map(read_cursor).transpose()?;
    let filter = filters.into_core()?;
    let limit = limit.unwrap_or(LIST_PAGE_DEFAULT);
    let page = installation.service.list(&installation.grant()?, &filter, after, limit)?;
    output.show(&MemoryPage::from(page), |page| {
        if page.memories.is_empty() {
            return "nothing is remembered here".to_owned();
        }
        let rows = page.memories.iter().map(|memory| {
            [
                memory.created_at.strftime("%Y-%m-%d %H:%M").to_string(),
                memory.gist.clone(),
                memory.category.to_string(),
                memory.tags.join(", "),
                memory.memory_id.clone(),
            ]
        });
        let table = table(["created", "gist", "category", "tags", "id"], rows);
        match &page.next_cursor {
            Some(cursor) => format!("{table}\n\nmore: lacuna memory list --cursor {cursor}"),
            None => table,
        }
    })
}

/// Erasing is for good, so that somebody has to say so.
fn delete(installation: &Installation, id: MemoryId, yes: bool, output: &Output) -> Result<()> {
    // A memory that is not there needs no answer to any question.
    installation.service.get(&installation.grant()?, id).map(drop).or_else(|error| match error {
        // Damaged is no reason to keep it.
        lacuna_core::Error::Corrupt(_) => Ok(()),
        other => Err(other),
    })?;
    if !yes {
        match output.ask(&format!("Erase {id} for good?")) {
            Some(true) => {}
            Some(false) => return Err(Failure::new(&codes::NEEDS_CONFIRMATION, "not erased")),
            None => {
                let reason = format!("{id} was not erased: nobody is at a terminal to confirm it");
                return Err(Failure::new(&codes::NEEDS_CONFIRMATION, reason));
            }
        }
    }
    let erased = installation.service.delete(&installation.grant()?, id)?;
    output.show(&ErasedView::from(erased), |erased| {
        format!("erased {} (audit entry {})", erased.memory_id, erased.audit_seq)
    })
}

fn people(memory: &MemoryView) -> String {
    let facets = &memory.facets;
    let mut rows = vec![
        ("id", memory.memory_id.clone()),
        ("state", memory.state.to_string()),
        ("created", memory.created_at.to_string()),
        ("updated", memory.updated_at.to_string()),
        (
            "category",
            format!("{} · {} · {} · {}", facets.category, facets.content_type, facets.tier, facets.lane),
        ),
        ("salience", format!("{:.2}", facets.salience)),
        ("source", source(memory)),
        ("privacy", format!("{} · {}", facets.privacy_class, facets.consent_basis)),
        ("retention", facets.retention.to_string()),
        ("hash", memory.content_hash.clone()),
    ];
    if let Some(expiry) = facets.expires_at {
        rows.push(("expires", expiry.to_string()));
    }
    let joined = |words: Vec<String>| words.join(", ");
    let lists = [
        ("tags", joined(facets.tags.clone())),
        ("sensitivity", joined(facets.sensitivity.iter().map(ToString::to_string).collect())),
        ("entities", joined(facets.entities.iter().map(|entity| entity.name.clone()).collect())),
        ("from", joined(facets.derived_from.iter().map(|lineage| lineage.memory_id.clone()).collect())),
        ("details", joined(memory.details.iter().map(|detail| detail.content.clone()).collect())),
    ];
    rows.extend(lists.into_iter().filter(|(_, list)| !list.is_empty()));
    format!("{}\n\n{}", fields(rows), super::output::plain(&memory.content))
}

fn source(memory: &MemoryView) -> String {
    let source = &memory.facets.source;
    let kind = source.r#type.map(|kind| kind.to_string());
    let trust = source.trust.map(|trust| format!("trust {trust}"));
    let session = source.session_id.as_ref().map(|session| format!("session {session}"));
    let turn = source.turn.map(|turn| format!("turn {turn}"));
    [kind, trust, session, turn].into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

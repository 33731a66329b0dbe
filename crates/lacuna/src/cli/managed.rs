//! Memories as programs manage them: replaced under the same id, listed in full, given another expiry.

use clap::Args;
use lacuna_core::ManagedMemories;
use lacuna_core::index::Filter;
use lacuna_core::permit::{Grant, Recall};
use lacuna_core::read::{Condition, LIST_PAGE_DEFAULT};
use lacuna_core::write::{Corrected, Outcome};
use serde_json::value::RawValue;

use super::args::{ScopeArgs, words};
use super::output::{Output, counted};
use super::short_id::{self, Care};
use super::when::TimeArg;
use crate::assemble::{Installation, assemble};
use crate::config::Config;
use crate::wire::failure::{Failure, Result};
use crate::wire::{self, CorrectedView, MemoryPage, ReplaceRequest, read_condition, read_cursor};

#[derive(Args)]
pub(super) struct ReplaceArgs {
    memory_id: String,
    /// The new text.
    #[arg(allow_hyphen_values = true)]
    text: String,
    /// An object of your own, as JSON; '{}' takes the old one away, and without this it stays.
    #[arg(long, value_name = "JSON")]
    metadata: Option<String>,
    /// The legal basis for keeping personal data.
    #[arg(long, value_name = "BASIS", value_parser = words::<wire::ConsentBasis, _>(wire::ConsentBasis::all()))]
    consent: Option<wire::ConsentBasis>,
    /// Confirm whatever the gate asks.
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    scope: ScopeArgs,
}

#[derive(Args)]
pub(super) struct ExpireArgs {
    #[arg(required = true, value_name = "MEMORY_ID")]
    memory_ids: Vec<String>,
    /// A date, a time, or a span such as 90d; without it the rules alone decide.
    #[arg(long, value_name = "WHEN")]
    at: Option<TimeArg>,
    #[command(flatten)]
    scope: ScopeArgs,
}

/// JSON from a command line.
pub(super) fn raw(field: &str, json: &str) -> Result<Box<RawValue>> {
    serde_json::from_str(json).map_err(|_| Failure::invalid(field, "must be JSON"))
}

/// A condition on metadata from a command line.
pub(super) fn condition(json: &str) -> Result<Condition> {
    let value = serde_json::from_str(json).map_err(|_| Failure::invalid("where", "must be JSON"))?;
    read_condition("where", Some(&value))?.ok_or_else(|| Failure::invalid("where", "must be an object"))
}

pub(super) fn replace(config: &Config, args: &ReplaceArgs, output: &Output) -> Result<()> {
    let metadata = args.metadata.as_deref().map(|json| raw("metadata", json)).transpose()?;
    let installation = assemble(config)?;
    // The old text goes without a question.
    let id = short_id::memory_id(&installation, args.scope.as_deref(), &args.memory_id, Care::ForGood)?;
    let grant = installation.grant(args.scope.as_deref())?;
    let replace = |confirm: Option<String>| -> Result<Corrected> {
        let request = ReplaceRequest {
            content: args.text.clone(),
            metadata: metadata.clone(),
            tags: None,
            expires_at: None,
            source: None,
            consent_basis: args.consent,
            confirm,
        };
        Ok(ManagedMemories::of(&installation.service).replace(&grant, id, request.into_core()?)?)
    };
    let mut replaced = replace(None)?;
    if let (Corrected::Held(Outcome::Asked(asked)), true) = (&replaced, args.yes) {
        replaced = replace(Some(asked.token.clone()))?;
    }
    super::settle::settle(&installation, output);
    output.show(&CorrectedView::of(replaced, grant.scope())?, |view| {
        let now = view.memory.as_ref().map(|memory| memory.memory_id.clone()).unwrap_or_default();
        match &view.receipt {
            Some(receipt) => format!("{now} has its new text; the old one is erased\nreceipt {receipt}"),
            None => format!("{now} waits in the review; nothing was replaced"),
        }
    })
}

pub(super) fn expire(config: &Config, args: &ExpireArgs, output: &Output) -> Result<()> {
    let installation = assemble(config)?;
    let ids = short_id::memory_ids(&installation, args.scope.as_deref(), &args.memory_ids, Care::Usual)?;
    let expires_at = args.at.map(|when| when.after(installation.service.clock().now()));
    let grant = installation.grant(args.scope.as_deref())?;
    ManagedMemories::of(&installation.service).set_expiry(&grant, &ids, expires_at)?;
    let whole: Vec<String> = ids.iter().map(ToString::to_string).collect();
    let set = serde_json::json!({ "memory_ids": whole, "expires_at": expires_at });
    output.show(&set, |_| {
        let counted = counted(ids.len(), "memory expires", "memories expire");
        match expires_at {
            Some(at) => format!("{counted} at {at}, or earlier by the rules"),
            None => format!("{counted} by the rules alone"),
        }
    })
}

pub(super) fn list_whole(
    installation: &Installation,
    grant: &Grant<Recall>,
    wanted: (&Filter, Option<&Condition>),
    cursor: Option<&str>,
    limit: Option<usize>,
    output: &Output,
) -> Result<()> {
    let after = cursor.map(read_cursor).transpose()?;
    let managed = ManagedMemories::of(&installation.service);
    let page = managed.list_whole(grant, wanted, after, limit.unwrap_or(LIST_PAGE_DEFAULT))?;
    installation.service.upkeep().flush_reads()?;
    output.show(&MemoryPage::whole(page, grant.scope()), |page| {
        let text = |memory: &wire::MemorySummary| {
            let created = memory.created_at.strftime("%Y-%m-%d %H:%M");
            format!("{} {created}\n{}", memory.memory_id, memory.content.as_deref().unwrap_or_default())
        };
        let mut texts: Vec<String> = page.memories.iter().map(text).collect();
        if texts.is_empty() {
            texts.push("nothing is remembered here".to_owned());
        }
        texts.extend(page.next_cursor.iter().map(|cursor| format!("more: --cursor {cursor}")));
        texts.join("\n\n")
    })
}

use std::io::IsTerminal;

use clap::{Args, Subcommand};
use jiff::Timestamp;
use lacuna_core::index::Filter;
use lacuna_core::permit::{Grant, Recall, permit};
use lacuna_core::read::{Condition, Cursor, LIST_PAGE_DEFAULT, Page};
use lacuna_core::transfer::Moved;
use lacuna_core::{Lacuna, ManagedMemories};
use lacuna_types::{Lifecycle, Memory, MemoryId};

use super::args::{ScopeArgs, words};
use super::audit::{self, AuditReportArgs};
use super::chart::row;
use super::managed::{self, ExpireArgs, ReplaceArgs};
use super::output::{Output, counted, day, fields, in_words, kept_until, line, minute, table};
use super::recall::FilterArgs;
use super::redact::{self, ClearArgs, RedactArgs, RedactUserArgs, TopicArgs};
use super::retention;
use super::settle::settle;
use super::short_id::{self, Care, short};
use crate::assemble::{Installation, assemble};
use crate::codes;
use crate::config::Config;
use crate::wire::failure::{Failure, Result};
use crate::wire::{
    self, CurveView, ForgottenView, InspectView, MemoryPage, MemorySummary, MemoryView, MovedView,
    PrivacyClass, PromotionView, read_cursor, read_target,
};

#[derive(Subcommand)]
pub(super) enum MemoryCommand {
    /// Memories, newest first.
    List {
        /// Memories on one page [default: 50].
        #[arg(long, value_name = "COUNT")]
        limit: Option<usize>,
        /// The cursor that the last page ended with.
        #[arg(long)]
        cursor: Option<String>,
        /// Only memories of this privacy class.
        #[arg(long, value_name = "CLASS", value_parser = words::<PrivacyClass, _>(PrivacyClass::all()))]
        privacy_class: Option<PrivacyClass>,
        /// Only memories in this state, such as deleted for those that can be restored.
        #[arg(long, value_name = "STATE", value_parser = words::<wire::Lifecycle, _>(wire::Lifecycle::all()))]
        state: Option<wire::Lifecycle>,
        /// Only memories that matter at least this much now.
        #[arg(long, value_name = "0..1")]
        min_salience: Option<f32>,
        /// Only memories whose metadata meets a condition, as JSON: '{"project": "halcyon"}'.
        #[arg(long = "where", value_name = "JSON")]
        condition: Option<String>,
        /// Show full texts.
        #[arg(long)]
        full: bool,
        #[command(flatten)]
        filter: Box<FilterArgs>,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// One memory with everything about it, and how it fades.
    Inspect {
        memory_id: String,
        /// Draw in plain signs, as when the output is no terminal.
        #[arg(long)]
        plain: bool,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// Hide, restore or set aside memories: deleted, active or archived.
    State {
        #[arg(required = true, value_name = "MEMORY_ID")]
        memory_ids: Vec<String>,
        /// The state to move them to.
        #[arg(long, value_name = "STATE", value_parser = words::<wire::Lifecycle, _>(wire::Lifecycle::all()))]
        to: wire::Lifecycle,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// Keep memories whatever their time.
    Pin {
        #[arg(required = true, value_name = "MEMORY_ID")]
        memory_ids: Vec<String>,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// Let pinned memories go when their time is over.
    Unpin {
        #[arg(required = true, value_name = "MEMORY_ID")]
        memory_ids: Vec<String>,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// Put a new text in the place of a memory. It keeps its id, and the old text is erased with a receipt.
    #[command(after_help = "Examples:
  lacuna memory replace mem_01a1… \"The museum opens at ten.\" --metadata '{\"project\": \"halcyon\"}'")]
    Replace(Box<ReplaceArgs>),
    /// Set the time at which memories expire, or let the rules alone decide.
    Expire(ExpireArgs),
    /// Erase one memory for good.
    Delete {
        memory_id: String,
        /// Do not ask.
        #[arg(long)]
        yes: bool,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// Look for traces of something that was forgotten, and for the receipts.
    VerifyForgotten {
        /// A question or a subject, such as "my diabetes".
        about: String,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// Forget all of a kind: what happened, facts, or everything.
    #[command(after_help = "Examples:
  lacuna memory clear episodic
  lacuna memory clear all")]
    Clear(ClearArgs),
    /// The same as `lacuna forget` with plain words.
    #[command(after_help = "Examples:
  lacuna memory forget \"my dentist\"")]
    Forget(TopicArgs),
    /// Redact one memory: hide it, erase it or set it aside, with whatever was made of it.
    #[command(after_help = "Examples:
  lacuna memory redact mem_01a1… --reason \"asked for by its owner\" --mode soft")]
    Redact(RedactArgs),
    /// The same as `lacuna person forget`.
    #[command(after_help = "Examples:
  lacuna memory redact-user mira --reason right-to-be-forgotten --plan
  lacuna memory redact-user --identifier mira@example.org --name 'Mira Okafor'")]
    RedactUser(Box<RedactUserArgs>),
    /// The same as `lacuna audit report`.
    Audit(AuditReportArgs),
    /// Move one memory into the next wider scope: yours to a team, a team's to the organisation.
    Promote(MoveArgs),
    /// Make a new memory in a narrower scope and archive the old one.
    Demote(MoveArgs),
}

#[derive(Args)]
pub(super) struct MoveArgs {
    memory_id: String,
    /// Target scope: team:NAME, org or user:NAME.
    #[arg(long, value_name = "SCOPE")]
    to: String,
    /// Why, in at most 500 characters; it is sealed with the memory.
    #[arg(long, value_name = "TEXT")]
    justification: Option<String>,
    /// Share it although it is about health, money, belief or biometrics; only its author can.
    #[arg(long)]
    lift_sensitivity: bool,
    #[command(flatten)]
    scope: ScopeArgs,
}

pub(super) fn run(config: &Config, command: MemoryCommand, output: &Output) -> Result<()> {
    match command {
        MemoryCommand::List {
            limit,
            cursor,
            privacy_class,
            state,
            min_salience,
            condition,
            full,
            filter,
            scope,
        } => {
            let installation = assemble(config)?;
            let grant = installation.grant(scope.as_deref())?;
            let mut filters = filter.into_filters(&installation, scope.as_deref())?;
            filters.states.extend(state);
            let mut filter = filters.into_core()?;
            filter.min_salience = salience(min_salience)?;
            let condition = condition.as_deref().map(managed::condition).transpose()?;
            if full {
                let wanted = (&filter, condition.as_ref());
                return managed::list_whole(&installation, &grant, wanted, cursor.as_deref(), limit, output);
            }
            let wanted = ListFilter { filter, condition, privacy_class };
            list(&installation, &grant, &wanted, cursor.as_deref(), limit, output)
        }
        MemoryCommand::Inspect { memory_id, plain, scope } => {
            let installation = assemble(config)?;
            let id = short_id::memory_id(&installation, scope.as_deref(), &memory_id, Care::Usual)?;
            let grant = installation.grant(scope.as_deref())?;
            let memory = installation.service.get(&grant, id)?;
            installation.service.upkeep().flush_reads()?;
            let shown = InspectView::of(memory, grant.scope(), installation.service.clock().now());
            let in_signs = plain || !std::io::stdout().is_terminal();
            output.show(&shown, |shown| inspected(shown, in_signs))
        }
        MemoryCommand::State { memory_ids, to, scope } => {
            set_state(config, &memory_ids, to, scope.as_deref(), output)
        }
        MemoryCommand::Pin { memory_ids, scope } => {
            retention::pin(&assemble(config)?, &memory_ids, true, scope.as_deref(), output)
        }
        MemoryCommand::Unpin { memory_ids, scope } => {
            retention::pin(&assemble(config)?, &memory_ids, false, scope.as_deref(), output)
        }
        MemoryCommand::Replace(args) => managed::replace(config, &args, output),
        MemoryCommand::Expire(args) => managed::expire(config, &args, output),
        MemoryCommand::Delete { memory_id, yes, scope } => {
            let installation = assemble(config)?;
            let care = Care::unless_asked(yes);
            let id = short_id::memory_id(&installation, scope.as_deref(), &memory_id, care)?;
            delete(&installation, scope.as_deref(), id, yes, output)?;
            super::view::refresh(config, &installation, output);
            Ok(())
        }
        MemoryCommand::VerifyForgotten { about, scope } => {
            super::forget::verify_forgotten(config, scope.as_deref(), &about, output)
        }
        MemoryCommand::Clear(args) => redact::clear(config, args, output),
        MemoryCommand::Forget(args) => redact::topic(config, args, output),
        MemoryCommand::Redact(args) => redact::redact(config, args, output),
        MemoryCommand::RedactUser(args) => redact::redact_user(config, *args, output),
        MemoryCommand::Audit(args) => audit::report(&assemble(config)?, &args, output),
        MemoryCommand::Promote(args) => promote(&assemble(config)?, &args, output),
        MemoryCommand::Demote(args) => demote(config, &args, output),
    }
}

fn set_state(
    config: &Config,
    memory_ids: &[String],
    to: wire::Lifecycle,
    scope: Option<&str>,
    output: &Output,
) -> Result<()> {
    let installation = assemble(config)?;
    let ids = short_id::memory_ids(&installation, scope, memory_ids, Care::Usual)?;
    installation.service.set_state(&installation.grant(scope)?, &ids, to.0)?;
    let whole: Vec<String> = ids.iter().map(ToString::to_string).collect();
    let moved = serde_json::json!({ "memory_ids": whole, "state": to });
    let state = in_words("state", to);
    output.show(&moved, |_| format!("{} now {state}", counted(ids.len(), "memory is", "memories are")))
}

fn demote(config: &Config, args: &MoveArgs, output: &Output) -> Result<()> {
    let installation = assemble(config)?;
    let id = short_id::memory_id(&installation, args.scope.as_deref(), &args.memory_id, Care::Usual)?;
    let from = installation.grant(args.scope.as_deref())?;
    let to = read_target(&args.to, &installation.local)?.holder;
    let moved = installation.service.demote(&from, id, to, args.justification.as_deref())?;
    show_moved(&installation, moved, output)
}

fn promote(installation: &Installation, args: &MoveArgs, output: &Output) -> Result<()> {
    let id = short_id::memory_id(installation, args.scope.as_deref(), &args.memory_id, Care::Usual)?;
    let from = installation.grant(args.scope.as_deref())?;
    let to = permit(&installation.local, &read_target(&args.to, &installation.local)?)?;
    let reason = args.justification.as_deref();
    let moved = installation.service.promote(&from, id, &to, reason, args.lift_sensitivity)?;
    show_moved(installation, moved, output)
}

/// Filter of a list.
struct ListFilter {
    filter: Filter,
    condition: Option<Condition>,
    /// The index does not know it, so that it is looked for page by page.
    privacy_class: Option<PrivacyClass>,
}

impl ListFilter {
    fn page(
        &self,
        service: &Lacuna,
        grant: &Grant<Recall>,
        mut after: Option<Cursor>,
        limit: usize,
    ) -> Result<Page> {
        let mut found = Vec::new();
        loop {
            let wanted = (&self.filter, self.condition.as_ref());
            let page = ManagedMemories::of(service).list(grant, wanted, after, limit - found.len())?;
            let class = |memory: &Memory| memory.facets.privacy.class;
            let fits = |memory: &Memory| self.privacy_class.is_none_or(|wanted| wanted.0 == class(memory));
            found.extend(page.memories.into_iter().filter(fits));
            after = page.next;
            if found.len() == limit || after.is_none() {
                return Ok(Page { memories: found, next: after });
            }
        }
    }
}

fn salience(least: Option<f32>) -> Result<f32> {
    match least.unwrap_or(0.0) {
        least if (0.0..=1.0).contains(&least) => Ok(least),
        _ => Err(Failure::invalid("min_salience", "must be from 0 to 1")),
    }
}

fn list(
    installation: &Installation,
    grant: &Grant<Recall>,
    wanted: &ListFilter,
    cursor: Option<&str>,
    limit: Option<usize>,
    output: &Output,
) -> Result<()> {
    let after = cursor.map(read_cursor).transpose()?;
    let limit = limit.unwrap_or(LIST_PAGE_DEFAULT);
    let page = wanted.page(&installation.service, grant, after, limit)?;
    installation.service.upkeep().flush_reads()?;
    output.show(&MemoryPage::of(page, grant.scope()), listed)
}

fn listed(page: &MemoryPage) -> String {
    if page.memories.is_empty() {
        return "nothing is remembered here".to_owned();
    }
    let rows = page.memories.iter().map(|memory| {
        [day(memory.created_at), told(memory), memory.tags.join(", "), short(&memory.memory_id)]
    });
    let table = table(["created", "memory", "tags", "id"], rows);
    match &page.next_cursor {
        Some(cursor) => format!("{table}\n\nmore: lacuna list --cursor {cursor}"),
        None => table,
    }
}

/// The gist with its label, and with the end of its time where something ends it.
fn told(memory: &MemorySummary) -> String {
    let label = memory.source_label.iter().map(|label| format!(" [{label}]"));
    let because = memory.kept_because.as_deref();
    let kept = memory.expires_at.iter().map(|at| format!(" [kept until {}]", kept_until(*at, because)));
    std::iter::once(memory.gist.clone()).chain(label).chain(kept).collect()
}

fn show_moved(installation: &Installation, moved: Moved, output: &Output) -> Result<()> {
    settle(installation, output);
    output.show(&MovedView::from(moved), |moved| {
        let waits = if moved.state.0 == Lifecycle::Candidate { ", where it waits for approval" } else { "" };
        format!("{} is now {} in {}{waits}", moved.previous_id, moved.memory_id, moved.scope)
    })
}

/// Erasing is for good, so that somebody has to say so.
fn delete(
    installation: &Installation,
    scope: Option<&str>,
    id: MemoryId,
    yes: bool,
    output: &Output,
) -> Result<()> {
    let grant = installation.grant(scope)?;
    // A memory that is not there needs no answer to any question.
    let shown = match installation.grant(scope).map(|reading| installation.service.get(&reading, id)) {
        Ok(Ok(memory)) => line(memory.content.gist.expose()),
        // Damaged is no reason to keep it; neither is that the caller may erase it and not read it.
        Ok(Err(lacuna_types::Error::Corrupt(_))) | Err(_) => id.to_string(),
        // The key of a memory in a locked vault is destroyed without being opened.
        Ok(Err(locked)) if locked.code() == codes::VAULT_LOCKED.name => id.to_string(),
        Ok(Err(other)) => return Err(other.into()),
    };
    if !yes {
        match output.ask(&format!("{shown}\nErase it for good?")) {
            Some(true) => {}
            Some(false) => return Err(Failure::new(&codes::DECLINED, "nothing was erased")),
            None => {
                let reason = format!(
                    "{id} was not erased: there is no terminal to confirm it on; pass --yes to confirm"
                );
                return Err(Failure::new(&codes::NEEDS_CONFIRMATION, reason));
            }
        }
    }
    let erased = installation.service.delete(&grant, id)?;
    // Only a locked vault answers without one.
    let receipt_follows = erased.receipts.is_empty() && erased.deferred.is_none();
    output.show(&ForgottenView::done(erased, grant.scope()), |view| match receipt_follows {
        true => format!("{id} is erased; the receipt follows when the vault is next unlocked"),
        false => super::forget::done(view),
    })
}

fn inspected(shown: &InspectView, in_signs: bool) -> String {
    format!("{}\n\n{}", people(&shown.memory), fading(shown, in_signs))
}

/// The fading of a memory: numbers, and the curve as a row of signs on either side of now.
fn fading(shown: &InspectView, in_signs: bool) -> String {
    let vitality = &shown.vitality;
    let date = |at: &Timestamp| at.strftime("%Y-%m-%d").to_string();
    let curve = |curve: &CurveView| {
        format!("{} {} {}", date(&curve.from), row(&curve.salience, in_signs), date(&curve.until))
    };
    let mut rows = vec![
        (
            "salience now",
            format!(
                "{:.2}, from {:.2}; half-life {} days",
                vitality.salience_now, vitality.salience_at_rehearsal, vitality.half_life_days
            ),
        ),
        ("until now", curve(&vitality.past)),
        ("from now", curve(&vitality.future)),
    ];
    for (detail, now) in shown.memory.details.iter().zip(&vitality.details_now) {
        let bar = row(&[*now; 1], in_signs);
        rows.push(("detail", format!("{bar} {now:.2}  {}", detail.content)));
    }
    let times: Vec<String> = vitality.rehearsed_at.iter().map(date).collect();
    let known = if times.is_empty() { String::new() } else { format!(": {}", times.join(", ")) };
    let count =
        if vitality.rehearsals == 1 { "once".into() } else { format!("{} times", vitality.rehearsals) };
    rows.push(("brought to mind", format!("{count}{known}")));
    fields(rows)
}

fn people(memory: &MemoryView) -> String {
    let facets = &memory.facets;
    let mut rows = vec![
        ("id", memory.memory_id.clone()),
        ("scope", memory.scope.clone()),
        ("state", in_words("state", memory.state)),
        ("created", minute(memory.created_at)),
        ("updated", minute(memory.updated_at)),
        ("kind", format!("{} · {}", in_words("category", facets.category), in_words("tier", facets.tier))),
        ("salience", format!("{:.2}", facets.salience)),
        ("source", source(memory)),
        ("privacy", in_words("privacy", facets.privacy_class)),
        ("legal basis", in_words("basis", facets.consent_basis)),
        ("kept", in_words("retention", facets.retention)),
        ("hash", memory.content_hash.clone()),
    ];
    if let Some(label) = &memory.source_label {
        rows.push(("label", label.clone()));
    }
    if let Some(expiry) = facets.expires_at {
        rows.push(("kept until", kept_until(expiry, memory.kept_because.as_deref())));
    }
    if let Some(author) = &memory.author {
        rows.push(("author", author.clone()));
    }
    if let Some(promotion) = &memory.promotion {
        rows.push(("promotion", promoted(promotion)));
    }
    let joined = |words: Vec<String>| words.join(", ");
    let lists = [
        ("tags", joined(facets.tags.clone())),
        ("sensitivity", joined(facets.sensitivity.iter().map(|one| in_words("sensitivity", one)).collect())),
        ("entities", joined(facets.entities.iter().map(|entity| entity.name.clone()).collect())),
        ("from", joined(facets.derived_from.iter().map(|lineage| short(&lineage.memory_id)).collect())),
    ];
    rows.extend(lists.into_iter().filter(|(_, list)| !list.is_empty()));
    format!("{}\n\n{}", fields(rows), super::output::plain(&memory.content))
}

fn promoted(promotion: &PromotionView) -> String {
    let PromotionView { original_author_id, original_created_at, promoted_by_id, promoted_at, .. } =
        promotion;
    format!(
        "from {} to {} by {promoted_by_id} at {promoted_at}; written by {original_author_id} at {original_created_at}",
        promotion.previous_scope, promotion.current_scope
    )
}

fn source(memory: &MemoryView) -> String {
    let source = &memory.facets.source;
    let kind = source.r#type.map(|kind| in_words("source", kind));
    let trust = source.trust.map(|trust| format!("trust {trust}"));
    let session = source.session_id.as_ref().map(|session| format!("session {session}"));
    let turn = source.turn.map(|turn| format!("turn {turn}"));
    [kind, trust, session, turn].into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

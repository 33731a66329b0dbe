use clap::{Subcommand, ValueEnum};
use lacuna_core::govern::Decision;
use lacuna_core::read::LIST_PAGE_DEFAULT;
use lacuna_types::Lifecycle;

use super::args::ScopeArgs;
use super::month::MonthArgs;
use super::output::{Output, in_words, line, table};
use super::short_id::{self, Care, short};
use crate::assemble::assemble;
use crate::config::Config;
use crate::import::Shape;
use crate::wire::failure::Result;
use crate::wire::{MemoryView, ReviewPage, Reviewed, VaultStateView, read_cursor};

#[derive(Subcommand)]
pub(super) enum ReviewCommand {
    /// Memories that wait, newest first.
    List {
        /// Memories on one page [default: 50].
        #[arg(long)]
        limit: Option<usize>,
        /// The cursor that the last page ended with.
        #[arg(long)]
        cursor: Option<String>,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// They are right: let them become active, and notes facts.
    Accept {
        #[arg(required_unless_present_any = ["all", "source"], conflicts_with_all = ["all", "source"], value_name = "MEMORY_ID")]
        memory_ids: Vec<String>,
        /// Accept every note and everything that waits for confirmation only.
        #[arg(long)]
        all: bool,
        /// The same of one import alone: import:mem0, import:chatgpt and so on.
        #[arg(long, value_name = "import:PROGRAM", value_parser = imported, conflicts_with = "all")]
        source: Option<String>,
        /// Keep the older facts that they contradict as well.
        #[arg(long)]
        keep_both: bool,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// It is nearly right: this text takes its place.
    Edit {
        memory_id: String,
        text: String,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// They speak of something that was forgotten: let "someone" stand in its place.
    Anonymise {
        #[arg(required = true, value_name = "MEMORY_ID")]
        memory_ids: Vec<String>,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// Look through what is remembered, as once a month: what there is, what will go, what to decide.
    #[command(after_help = "Examples:
  lacuna review memories
  lacuna review memories --list
  lacuna review memories --keep health
  lacuna review memories --apply-defaults

At a terminal you are asked what to do: keep all, one by one, by category, or apply the defaults.")]
    Memories(Box<MonthArgs>),
    /// They are wrong: erase them.
    Reject {
        #[arg(required = true, value_name = "MEMORY_ID")]
        memory_ids: Vec<String>,
        #[command(flatten)]
        scope: ScopeArgs,
    },
}

pub(super) fn run(config: &Config, command: ReviewCommand, output: &Output) -> Result<()> {
    match command {
        ReviewCommand::List { limit, cursor, scope } => {
            let after = cursor.as_deref().map(read_cursor).transpose()?;
            let installation = assemble(config)?;
            let grant = installation.grant(scope.as_deref())?;
            let limit = limit.unwrap_or(LIST_PAGE_DEFAULT);
            let page = installation.service.candidates(&grant, after, limit)?;
            let page = ReviewPage::read(&installation.service, &grant, page)?;
            installation.service.upkeep().flush_reads()?;
            output.show(&page, people)
        }
        ReviewCommand::Accept { all, source, keep_both, scope, .. } if all || source.is_some() => {
            let installation = assemble(config)?;
            let grant = installation.grant(scope.as_deref())?;
            let reviewed =
                Reviewed::accepting_all(&installation.service, &grant, keep_both, source.as_deref())?;
            output.show(&reviewed, decided)
        }
        ReviewCommand::Accept { memory_ids, keep_both, scope, .. } => {
            let ids = (memory_ids, Care::Usual);
            decide(config, scope.as_deref(), ids, || Decision::Accept { keep_both }, output)
        }
        ReviewCommand::Edit { memory_id, text, scope } => {
            let ids = (vec![memory_id], Care::Usual);
            decide(config, scope.as_deref(), ids, || Decision::Edit(text.as_str().into()), output)
        }
        ReviewCommand::Anonymise { memory_ids, scope } => {
            decide(config, scope.as_deref(), (memory_ids, Care::Usual), || Decision::Anonymise, output)
        }
        ReviewCommand::Memories(args) => super::month::run(config, &args, output),
        ReviewCommand::Reject { memory_ids, scope } => {
            decide(config, scope.as_deref(), (memory_ids, Care::ForGood), || Decision::Reject, output)
        }
    }
}

/// The program of an import, as its memories name it.
fn imported(source: &str) -> std::result::Result<String, String> {
    let program = source.strip_prefix("import:").and_then(|name| Shape::from_str(name, false).ok());
    program
        .map(|program| program.as_str().to_owned())
        .ok_or_else(|| "must be import: and a program".to_owned())
}

fn decide(
    config: &Config,
    scope: Option<&str>,
    (memory_ids, care): (Vec<String>, Care),
    decision: impl Fn() -> Decision,
    output: &Output,
) -> Result<()> {
    let installation = assemble(config)?;
    let ids = short_id::memory_ids(&installation, scope, &memory_ids, care)?;
    let grant = installation.grant(scope)?;
    let decisions = ids.into_iter().map(|id| (id, decision())).collect();
    let done = installation.service.decide(&grant, decisions)?;
    output.show(&Reviewed::of(done, grant.scope()), decided)
}

fn decided(reviewed: &Reviewed) -> String {
    if reviewed.decided.is_empty() {
        return "nothing to accept".to_owned();
    }
    let rows = reviewed.decided.iter().map(|one| {
        let state = one.state.map(|state| in_words("state", state)).unwrap_or_default();
        let now = one.into.as_deref().map(short).unwrap_or_default();
        [short(&one.memory_id), one.decided.to_owned(), state, now]
    });
    table(["id", "decided", "state", "now"], rows)
}

fn people(page: &ReviewPage) -> String {
    if page.memories.is_empty() {
        return "nothing waits".to_owned();
    }
    let rows = page.memories.iter().map(|memory| {
        let source = &memory.facets.source;
        let from = source.r#type.map(|kind| in_words("source", kind)).unwrap_or_default();
        [memory.gist.clone(), waits_for(memory), from, short(&memory.memory_id)]
    });
    let mut text = table(["memory", "why it waits", "source", "id"], rows);
    for offer in &page.anonymous {
        text.push_str(&format!("\n{} anonymised: {}", short(&offer.memory_id), line(&offer.content)));
    }
    if let Some(cursor) = &page.next_cursor {
        text.push_str(&format!("\n\nmore: lacuna review list --cursor {cursor}"));
    }
    text
}

/// The reason why it waits; a note is found meanwhile.
fn waits_for(memory: &MemoryView) -> String {
    match memory.waits {
        Some(waits) => in_words("waits", waits),
        None if memory.state.0 == Lifecycle::Active => "a note: found, and no fact yet".to_owned(),
        None => in_words("state", memory.state),
    }
}

pub(super) fn freeze(config: &Config, scope: Option<&str>, output: &Output) -> Result<()> {
    let installation = assemble(config)?;
    let grant = installation.grant(scope)?;
    let since = installation.service.freeze(&grant)?;
    let state = VaultStateView::of(Some(since), grant.scope());
    output.show(&state, |state| format!("{} takes no writes since {since}", state.scope))
}

pub(super) fn thaw(config: &Config, scope: Option<&str>, output: &Output) -> Result<()> {
    let installation = assemble(config)?;
    let grant = installation.grant(scope)?;
    installation.service.thaw(&grant)?;
    let state = VaultStateView::of(None, grant.scope());
    output.show(&state, |state| format!("{} takes writes", state.scope))
}

use lacuna_core::domain::MemoryId;
use lacuna_core::lifecycle::Decision;
use lacuna_core::recall::LIST_PAGE_DEFAULT;

use super::args::ReviewCommand;
use super::output::{Output, line, table};
use crate::assemble::assemble;
use crate::config::Config;
use crate::failure::Result;
use crate::wire::{ReviewPage, Reviewed, VaultStateView, read_cursor};

pub(super) fn run(config: &Config, command: ReviewCommand, output: &Output) -> Result<()> {
    match command {
        ReviewCommand::List { limit, cursor, scope } => {
            let after = cursor.as_deref().map(read_cursor).transpose()?;
            let installation = assemble(config)?;
            let grant = installation.grant(scope.as_deref())?;
            let limit = limit.unwrap_or(LIST_PAGE_DEFAULT);
            let page = installation.service.candidates(&grant, after, limit)?;
            let page = ReviewPage::read(&installation.service, &grant, page)?;
            installation.service.flush_reads()?;
            output.show(&page, people)
        }
        ReviewCommand::Accept { memory_ids, keep_both, scope } => {
            decide(config, scope.as_deref(), memory_ids, || Decision::Accept { keep_both }, output)
        }
        ReviewCommand::Edit { memory_id, text, scope } => {
            decide(config, scope.as_deref(), vec![memory_id], || Decision::Edit(text.clone()), output)
        }
        ReviewCommand::Anonymise { memory_ids, scope } => {
            decide(config, scope.as_deref(), memory_ids, || Decision::Anonymise, output)
        }
        ReviewCommand::Memories(args) => super::month::run(config, &args, output),
        ReviewCommand::Reject { memory_ids, scope } => {
            decide(config, scope.as_deref(), memory_ids, || Decision::Reject, output)
        }
    }
}

fn decide(
    config: &Config,
    scope: Option<&str>,
    memory_ids: Vec<String>,
    decision: impl Fn() -> Decision,
    output: &Output,
) -> Result<()> {
    let ids = memory_ids.iter().map(|id| id.parse()).collect::<lacuna_core::Result<Vec<MemoryId>>>()?;
    let installation = assemble(config)?;
    let grant = installation.grant(scope)?;
    let decisions = ids.into_iter().map(|id| (id, decision())).collect();
    let decided = installation.service.decide(&grant, decisions)?;
    output.show(&Reviewed::of(decided, grant.scope()), |reviewed| {
        let rows = reviewed.decided.iter().map(|one| {
            let state = one.state.map(|state| state.to_string()).unwrap_or_default();
            [one.memory_id.clone(), one.decided.to_owned(), state, one.into.clone().unwrap_or_default()]
        });
        table(["id", "decided", "state", "now"], rows)
    })
}

fn people(page: &ReviewPage) -> String {
    if page.memories.is_empty() {
        return "nothing waits".to_owned();
    }
    let rows = page.memories.iter().map(|memory| {
        let source = &memory.facets.source;
        let from = source.r#type.map(|kind| kind.to_string()).unwrap_or_default();
        [
            memory.waits.map_or_else(|| memory.state.to_string(), |waits| waits.to_string()),
            memory.gist.clone(),
            from,
            memory.memory_id.clone(),
        ]
    });
    let mut text = table(["waits for", "gist", "source", "id"], rows);
    for offer in &page.anonymous {
        text.push_str(&format!("\n{} anonymised: {}", offer.memory_id, line(&offer.content)));
    }
    if let Some(cursor) = &page.next_cursor {
        text.push_str(&format!("\n\nmore: lacuna review list --cursor {cursor}"));
    }
    text
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

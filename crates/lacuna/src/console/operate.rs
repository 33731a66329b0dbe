//! The page of an administrator: nodes, vaults, jobs, keys, receipts, requests and figures, by number. Nothing on it says
//! what a memory says.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::response::Html;
use jiff::Timestamp;
use lacuna_core::govern::{Census, Inventory, Job, JobState, PersonRequest};
use lacuna_core::permit::{Caller, permit};
use lacuna_core::vault::Receipt;
use lacuna_core::{Lacuna, OpenLoad};
use lacuna_types::Role;
use maud::{Markup, html};

use super::form::SentForm;
use super::guard::Visitor;
use super::language::{PageLanguage, filled};
use super::layout::{Chapter, facts, key, page};
use super::session::Visits;
use super::{charts, figures};
use crate::http::App;
use crate::wire::failure::{Failure, Result};
use crate::{codes, wire};

const MIB: usize = 1 << 20;
/// Digits of a hash in a table; `lacuna audit verify` checks all of them.
const HASH_DIGITS: usize = 16;

/// Everything that the page shows.
struct OperatorSheet {
    now: Timestamp,
    load: OpenLoad,
    backlog: usize,
    jobs: Vec<JobState>,
    backups: Vec<(u64, Timestamp, Option<Timestamp>)>,
    requests: Vec<PersonRequest>,
    failed: usize,
    tokens: usize,
    key: String,
    inventory: Inventory,
    /// Counted only when somebody asks: every vault is opened for it.
    census: Option<Census>,
}

impl OperatorSheet {
    fn of(core: &Lacuna, caller: &Caller, app: &App, counts: bool) -> lacuna_types::Result<Self> {
        let org = caller.org_scope();
        let backups = core.list_backups(&permit(caller, &org)?)?;
        let requests = core.person_requests(&permit(caller, &org)?, 0)?;
        let upkeep = core.upkeep();
        Ok(Self {
            now: core.clock().now(),
            load: core.open_load(),
            backlog: upkeep.backlog_len(),
            jobs: core.jobs(&permit(caller, &org)?, &app.schedule())?,
            backups: backups.iter().map(|entry| (entry.number, entry.made_at, entry.expires_at)).collect(),
            requests: requests.into_iter().filter(|request| request.completed_at.is_none()).collect(),
            failed: core.failed_deliveries(&caller.org)?.len(),
            tokens: core.tokens().list(&permit(caller, &org)?)?.len(),
            key: core.verifying_key()?.to_string(),
            inventory: upkeep.inventory(&permit(caller, &org)?)?,
            census: if counts { Some(upkeep.census(&permit(caller, &org)?)?) } else { None },
        })
    }
}

pub(super) async fn show(
    State(app): State<App>,
    Extension(visits): Extension<Arc<Visits>>,
    Extension(visitor): Extension<Arc<Visitor>>,
) -> Result<Html<String>> {
    operator_page(&app, &visits, &visitor, false).await
}

/// The same page, with the memories of all vaults counted.
pub(super) async fn count(
    State(app): State<App>,
    Extension(visits): Extension<Arc<Visits>>,
    Extension(visitor): Extension<Arc<Visitor>>,
    _form: SentForm,
) -> Result<Html<String>> {
    operator_page(&app, &visits, &visitor, true).await
}

async fn operator_page(app: &App, visits: &Visits, visitor: &Visitor, counts: bool) -> Result<Html<String>> {
    if !visitor.caller.roles.contains(&Role::Admin) {
        return Err(Failure::new(&codes::DENIED, "this needs the admin role"));
    }
    let (caller, door) = (visitor.caller.clone(), app.clone());
    let sheet = app.call(move |core| OperatorSheet::of(core, &caller, &door, counts)).await?;
    let language = visitor.language;
    let texts = language.texts();
    let body = html! {
        p class="lead" { (texts.operate_lead) }
        (node(language, app, visits, &sheet))
        (vaults(visitor, &sheet))
        (keys(language, &sheet))
        (receipts(language, &sheet.inventory))
        (chains(language, &sheet.inventory))
        (jobs(language, &sheet.jobs))
        (people(language, &sheet))
        (backups(language, &sheet))
        (requests(language, &app.figures()))
    };
    Ok(page(visitor, Chapter::Operate, texts.nav_operate, &body))
}

fn node(language: PageLanguage, app: &App, visits: &Visits, sheet: &OperatorSheet) -> Markup {
    let texts = language.texts();
    let number = |count: usize| html! { (language.number(count)) };
    let names = app.node_names();
    let mut rows = vec![
        (texts.operate_version, html! { (env!("CARGO_PKG_VERSION")) }),
        (texts.operate_since, language.moment(visits.started_at())),
        (texts.operate_open, number(sheet.load.vaults)),
        (texts.operate_ram, html! { (language.number(sheet.load.bytes.div_ceil(MIB))) " MiB" }),
        (texts.operate_backlog, number(sheet.backlog)),
        (texts.operate_tokens, number(sheet.tokens)),
        (texts.operate_failed, number(sheet.failed)),
    ];
    if !names.is_empty() {
        rows.insert(0, (texts.operate_nodes, html! { (names.join(", ")) }));
    }
    html! { section class="card" { h2 { (texts.operate_node) } (facts(&rows)) } }
}

/// The rows of a chart, with the words for their values.
fn worded(language: PageLanguage, set: &str, counts: &BTreeMap<&'static str, u64>) -> Vec<(String, usize)> {
    counts.iter().map(|(value, count)| (language.word(set, value), *count as usize)).collect()
}

fn vaults(visitor: &Visitor, sheet: &OperatorSheet) -> Markup {
    let language = visitor.language;
    let texts = language.texts();
    let inventory = &sheet.inventory;
    let chart = |title: &'static str, rows: &[(String, usize)]| {
        html! { @if !rows.is_empty() { h3 { (title) } (charts::bars(language, title, rows)) } }
    };
    html! {
        section class="card" {
            h2 { (texts.operate_vaults) }
            (charts::bars(language, texts.operate_vaults, &worded(language, "holder", &inventory.vaults)))
            (facts(&[
                (texts.operate_frozen, html! { (language.number(inventory.frozen as usize)) }),
                (texts.operate_protected, html! { (language.number(inventory.protected as usize)) }),
            ]))
            @if let Some(census) = &sheet.census {
                (chart(texts.operate_memories, &worded(language, "holder", &census.memories)))
                (chart(texts.operate_states, &worded(language, "state", &census.states)))
                (chart(texts.sensitive_title, &worded(language, "sensitivity", &census.sensitive)))
                @if census.locked > 0 {
                    p class="hint" { (filled(texts.operate_locked, &[&language.number(census.locked as usize)])) }
                }
            } @else {
                form method="post" action="/console/operate" {
                    (key(visitor))
                    p class="hint" { (texts.operate_count_hint) }
                    button class="second" { (texts.operate_count) }
                }
            }
        }
    }
}

fn keys(language: PageLanguage, sheet: &OperatorSheet) -> Markup {
    let texts = language.texts();
    let numbers = |all: &[u32]| {
        let all: Vec<String> = all.iter().map(u32::to_string).collect();
        html! { (if all.is_empty() { "–".to_owned() } else { all.join(", ") }) }
    };
    let last = |job: Job| {
        let ended = sheet.jobs.iter().find(|state| state.job == job).and_then(|state| state.ended_at);
        html! { @if let Some(at) = ended { (language.moment(at)) } @else { "–" } }
    };
    let mut rows = Vec::new();
    if let Some(master) = &sheet.inventory.master {
        rows.push((texts.operate_master, numbers(&master.versions)));
        let outdated = language.number(master.outdated as usize);
        rows.push((texts.operate_outdated, html! { (outdated) }));
    }
    rows.extend([
        (texts.operate_epochs, numbers(&sheet.inventory.epochs)),
        (texts.operate_rotated, last(Job::Rotate)),
        (texts.operate_renewed, last(Job::Epoch)),
        (texts.operate_key, html! { code class="long" { (sheet.key) } }),
    ]);
    html! { section class="card" { h2 { (texts.operate_keys) } (facts(&rows)) } }
}

/// A table that scrolls by itself where it is too wide.
fn table(title: &str, columns: &[&str], rows: &Markup) -> Markup {
    html! {
        div class="scroll" tabindex="0" role="region" aria-label=(title) {
            table {
                thead { tr { @for column in columns { th scope="col" { (column) } } } }
                tbody { (rows) }
            }
        }
    }
}

fn receipts(language: PageLanguage, inventory: &Inventory) -> Markup {
    let texts = language.texts();
    let found = |receipt: &Receipt| receipt.probes.iter().map(|probed| probed.found as usize).sum();
    let rows = html! { @for receipt in &inventory.newest_receipts { tr {
        td { (receipt.reference()) }
        td { (language.moment(receipt.at)) }
        td { (language.number(receipt.counts.keys_destroyed as usize)) }
        td { (language.number(found(receipt))) }
    } } };
    let columns = [texts.number, texts.when, texts.keys_destroyed, texts.found_after];
    html! {
        section class="card" {
            h2 { (texts.nav_receipts) }
            p { (filled(texts.operate_receipts, &[&language.number(inventory.receipts as usize)])) }
            @if !inventory.newest_receipts.is_empty() { (table(texts.nav_receipts, &columns, &rows)) }
        }
    }
}

fn chains(language: PageLanguage, inventory: &Inventory) -> Markup {
    let texts = language.texts();
    let short = |text: &str| text.chars().take(HASH_DIGITS).collect::<String>();
    let rows = html! { @for (vault, head) in &inventory.heads { tr {
        td { code { (short(&vault.to_string())) "…" } }
        td { (language.number(head.seq as usize)) }
        td { code { (short(&wire::hex(&head.hash))) "…" } }
    } } };
    let columns = [texts.operate_vault, texts.number, texts.operate_hash];
    html! {
        section class="card" {
            h2 { (texts.operate_chain) }
            p { (filled(texts.operate_entries, &[&language.number(inventory.audit_entries as usize)])) }
            @if !inventory.heads.is_empty() { (table(texts.operate_chain, &columns, &rows)) }
        }
    }
}

fn jobs(language: PageLanguage, jobs: &[JobState]) -> Markup {
    let texts = language.texts();
    let columns = [texts.operate_job, texts.operate_last, texts.operate_outcome, texts.operate_due];
    let rows = html! { @for job in jobs { tr {
        td { (language.word("job", job.job.as_str())) }
        td { @if let Some(at) = job.ended_at { (language.moment(at)) } }
        td {
            @if let Some(node) = &job.running_on { (texts.operate_running) " " code { (node) } }
            @else { (job.outcome.as_deref().unwrap_or("–")) }
        }
        td { @if let Some(at) = job.due_at { (language.moment(at)) } }
    } } };
    html! { section class="card" { h2 { (texts.operate_jobs) } (table(texts.operate_jobs, &columns, &rows)) } }
}

fn people(language: PageLanguage, sheet: &OperatorSheet) -> Markup {
    let texts = language.texts();
    html! {
        section class="card" {
            h2 { (texts.operate_people) }
            @if sheet.requests.is_empty() { p class="empty" { (texts.nothing_here) } }
            ul { @for request in &sheet.requests {
                li {
                    (request.reference()) " · "
                    @if request.acknowledged_at.is_none() {
                        (texts.operate_look_by) " " (language.day(request.acknowledge_by)) " · "
                    }
                    (texts.operate_by) " " (language.day(request.complete_by))
                    @if request.is_overdue(sheet.now) { " " strong class="found" { (texts.operate_late) } }
                }
            } }
        }
    }
}

fn backups(language: PageLanguage, sheet: &OperatorSheet) -> Markup {
    let texts = language.texts();
    html! {
        section class="card" {
            h2 { (texts.operate_backups) }
            @if sheet.backups.is_empty() { p class="empty" { (texts.nothing_here) } }
            ul { @for (number, made, until) in &sheet.backups {
                li { (number) " · " (language.moment(*made)) @if let Some(until) = until { " · " (texts.until) " " (language.day(*until)) } }
            } }
        }
    }
}

fn requests(language: PageLanguage, figures: &str) -> Markup {
    let texts = language.texts();
    let charts = [
        (texts.operate_by_route, figures::by_route(figures)),
        (texts.operate_by_status, figures::by_status(figures)),
        (texts.operate_by_time, figures::by_time(figures)),
    ];
    html! {
        section class="card" {
            h2 { (texts.operate_requests) }
            @for (title, rows) in &charts {
                h3 { (title) }
                (charts::bars(language, title, rows))
            }
        }
    }
}

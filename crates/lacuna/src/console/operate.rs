//! The page of an administrator: counts, jobs, keys, requests and figures. Nothing on it says what a memory says.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::response::Html;
use jiff::Timestamp;
use lacuna_core::govern::{JobState, PersonRequest};
use lacuna_core::permit::permit;
use lacuna_core::{Browse, Lacuna, OpenLoad};
use lacuna_types::Role;
use maud::{Markup, html};

use super::charts;
use super::guard::Visitor;
use super::language::PageLanguage;
use super::layout::{Chapter, facts, page};
use crate::http::App;
use crate::wire::failure::{Failure, Result};
use crate::{codes, wire};

/// Rows of a chart; those with the largest counts.
const ROWS_MAX: usize = 12;
const MIB: usize = 1 << 20;

/// Everything that the page shows.
struct OperatorSheet {
    load: OpenLoad,
    backlog: usize,
    jobs: Vec<JobState>,
    backups: Vec<(u64, Timestamp, Option<Timestamp>)>,
    requests: Vec<PersonRequest>,
    failed: usize,
    tokens: usize,
    chain: Option<(u64, String)>,
    key: String,
}

pub(super) async fn show(
    State(app): State<App>,
    Extension(visitor): Extension<Arc<Visitor>>,
) -> Result<Html<String>> {
    if !visitor.caller.roles.contains(&Role::Admin) {
        return Err(Failure::new(&codes::DENIED, "this needs the admin role"));
    }
    let (caller, schedule) = (visitor.caller.clone(), app.schedule());
    let sheet = app
        .call(move |core| {
            let org = caller.org_scope();
            let chain = Browse::of(core).recent_audit(&permit(&caller, &org)?, None, 1)?;
            let backups = core.list_backups(&permit(&caller, &org)?)?;
            Ok(OperatorSheet {
                load: core.open_load(),
                backlog: core.upkeep().backlog_len(),
                jobs: core.jobs(&permit(&caller, &org)?, &schedule)?,
                backups: backups
                    .iter()
                    .map(|entry| (entry.number, entry.made_at, entry.expires_at))
                    .collect(),
                requests: requests(core, &caller)?,
                failed: core.failed_deliveries(&caller.org)?.len(),
                tokens: core.tokens().list(&permit(&caller, &org)?)?.len(),
                chain: chain.first().map(|(row, _)| (row.seq, wire::hex(&row.hash))),
                key: core.verifying_key()?.to_string(),
            })
        })
        .await?;
    let body = sheet_body(visitor.language, &sheet, &app.figures());
    Ok(page(&visitor, Chapter::Operate, visitor.language.texts().nav_operate, &body))
}

/// The requests of people that are not completed.
fn requests(core: &Lacuna, caller: &lacuna_core::permit::Caller) -> lacuna_types::Result<Vec<PersonRequest>> {
    let all = core.person_requests(&permit(caller, &caller.org_scope())?, 0)?;
    Ok(all.into_iter().filter(|request| request.completed_at.is_none()).collect())
}

fn sheet_body(language: PageLanguage, sheet: &OperatorSheet, figures: &str) -> Markup {
    let texts = language.texts();
    let number = |count: usize| html! { (language.number(count)) };
    html! {
        p class="lead" { (texts.operate_lead) }
        (facts(&[
            (texts.operate_open, number(sheet.load.vaults)),
            (texts.operate_ram, html! { (language.number(sheet.load.bytes.div_ceil(MIB))) " MiB" }),
            (texts.operate_backlog, number(sheet.backlog)),
            (texts.operate_tokens, number(sheet.tokens)),
            (texts.operate_failed, number(sheet.failed)),
            (texts.operate_key, html! { code class="long" { (sheet.key) } }),
        ]))
        @if let Some((seq, hash)) = &sheet.chain {
            (facts(&[(texts.operate_chain, html! { (seq) " · " code class="long" { (hash) } })]))
        }
        (jobs(language, &sheet.jobs))
        (people(language, &sheet.requests))
        section class="card" {
            h2 { (texts.operate_backups) }
            @if sheet.backups.is_empty() { p class="empty" { (texts.nothing_here) } }
            ul { @for (number, made, until) in &sheet.backups {
                li { (number) " · " (language.moment(*made)) @if let Some(until) = until { " · " (texts.until) " " (language.day(*until)) } }
            } }
        }
        section class="card" {
            h2 { (texts.operate_requests) }
            (charts::bars(language, texts.operate_requests, &by_route(figures)))
        }
    }
}

fn jobs(language: PageLanguage, jobs: &[JobState]) -> Markup {
    let texts = language.texts();
    html! {
        section class="card" {
            h2 { (texts.operate_jobs) }
            div class="scroll" tabindex="0" role="region" aria-label=(texts.operate_jobs) {
                table {
                    thead { tr {
                        th scope="col" { (texts.operate_job) } th scope="col" { (texts.operate_last) }
                        th scope="col" { (texts.operate_outcome) } th scope="col" { (texts.operate_due) }
                    } }
                    tbody { @for job in jobs { tr {
                        td { (language.word("job", job.job.as_str())) }
                        td { @if let Some(at) = job.ended_at { (language.moment(at)) } }
                        td { @if job.running_on.is_some() { (texts.operate_running) } @else { (job.outcome.as_deref().unwrap_or("–")) } }
                        td { @if let Some(at) = job.due_at { (language.moment(at)) } }
                    } } }
                }
            }
        }
    }
}

fn people(language: PageLanguage, requests: &[PersonRequest]) -> Markup {
    let texts = language.texts();
    html! {
        section class="card" {
            h2 { (texts.operate_people) }
            @if requests.is_empty() { p class="empty" { (texts.nothing_here) } }
            ul { @for request in requests {
                li { (request.number) " · " (texts.operate_by) " " (language.day(request.complete_by)) }
            } }
        }
    }
}

/// Requests by route, from the figures of the process.
fn by_route(figures: &str) -> Vec<(String, usize)> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for line in figures.lines().filter(|line| line.starts_with("lacuna_http_requests_total{")) {
        let route = line.split("route=\"").nth(1).and_then(|rest| rest.split('"').next());
        let count = line.rsplit(' ').next().and_then(|count| count.parse::<usize>().ok());
        if let Some((route, count)) = route.zip(count) {
            *counts.entry(route).or_default() += count;
        }
    }
    let mut rows: Vec<(String, usize)> =
        counts.into_iter().map(|(route, count)| (route.to_owned(), count)).collect();
    rows.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    rows.truncate(ROWS_MAX);
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_counted_by_route() {
        let figures = "# TYPE x\nlacuna_http_requests_total{method=\"GET\",route=\"/\",status=\"200\"} 3\n\
                       lacuna_http_requests_total{method=\"POST\",route=\"/v1/search\",status=\"200\"} 9\n\
                       lacuna_http_requests_total{method=\"GET\",route=\"/\",status=\"401\"} 1\nother 5\n";
        assert_eq!(by_route(figures), [("/v1/search".to_owned(), 9), ("/".to_owned(), 4)]);
    }
}

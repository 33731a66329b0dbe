#![allow(unused_qualifications, reason = "the macro that describes parameters writes their full path")]

use axum::Extension;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::{ACCEPT, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use jiff::{SignedDuration, Timestamp};
use lacuna_core::govern::{REPORT_DAYS, end_of_today};
use lacuna_core::permit::{Caller, ReadAudit};
use utoipa::IntoParams;

use super::App;
use super::body::{InScope, Pairs, once};
use super::memories::ScopeParam;
use super::page::{AfterParams, BY_NUMBER, PageQuery};
use super::problem::Problems;
use crate::wire::failure::{Failure, Result};
use crate::wire::{AuditReportView, AuditVerified, read_scope, write_audit_file};

/// Entries of one exported file; the next call goes on after them.
const EXPORT_ENTRIES_MAX: u64 = 20_000;
const REPORT_PERIOD: SignedDuration = SignedDuration::from_hours(REPORT_DAYS * 24);
const JSON_LINES: &str = "application/x-ndjson";
const PLAIN_TEXT: &str = "text/plain; charset=utf-8";
const MARKDOWN: &str = "text/markdown; charset=utf-8";

/// Walk a vault's audit chain from its first entry to its signed end.
#[utoipa::path(
    get,
    path = "/v1/audit/verify",
    operation_id = "verify_audit",
    tag = "audit",
    params(ScopeParam),
    responses((status = 200, description = "The chain holds.", body = AuditVerified), Problems)
)]
pub(super) async fn verify(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    InScope(scope): InScope,
) -> Result<axum::Json<AuditVerified>> {
    let (report, scope) = app.call_in(caller, scope, |core, grant| core.verify_audit(grant)).await?;
    Ok(axum::Json(AuditVerified::of(report, &scope)))
}

#[derive(Default, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct ReportParams {
    /// Begin of the period; 30 days before its end when absent.
    from: Option<Timestamp>,
    /// End of the period; the end of today, in UTC, when absent.
    to: Option<Timestamp>,
    /// `json` (the default) or `markdown`.
    format: Option<String>,
    /// `user`, `team:NAME`, `org` or `deployment:NAME`; the caller's own vault when absent.
    scope: Option<String>,
}

impl ReportParams {
    fn read(pairs: Vec<(String, String)>) -> Result<Self> {
        let mut params = Self::default();
        for (name, value) in pairs {
            let time = |value: &str| {
                value.parse().map_err(|_| Failure::invalid(name.as_str(), "must be an RFC 3339 time"))
            };
            match name.as_str() {
                "from" => once(&name, &mut params.from, time(&value)?)?,
                "to" => once(&name, &mut params.to, time(&value)?)?,
                "format" => once(&name, &mut params.format, value)?,
                "scope" => once(&name, &mut params.scope, value)?,
                _ => return Err(Failure::invalid(name, "is not a parameter of this call")),
            }
        }
        Ok(params)
    }

    fn wants_markdown(&self) -> Result<bool> {
        match self.format.as_deref() {
            None | Some("json") => Ok(false),
            Some("markdown") => Ok(true),
            Some(_) => Err(Failure::invalid("format", "must be json or markdown")),
        }
    }
}

/// Report on a period: counts by action, actor and day, and receipt numbers; never content.
#[utoipa::path(
    get,
    path = "/v1/audit/report",
    operation_id = "report_audit",
    tag = "audit",
    params(ReportParams),
    responses(
        (status = 200, description = "The report.", content(
            (AuditReportView = "application/json"),
            (String = "text/markdown"),
        )),
        Problems
    )
)]
pub(super) async fn report(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Pairs(pairs): Pairs,
) -> Result<Response> {
    let params = ReportParams::read(pairs)?;
    let markdown = params.wants_markdown()?;
    let scope = read_scope(params.scope.as_deref(), &caller)?;
    let (summary, scope) = app
        .call_in::<ReadAudit, _>(caller, scope, move |core, grant| {
            let to = params.to.unwrap_or_else(|| end_of_today(core.clock().now()));
            core.summarise_audit(grant, params.from.unwrap_or(to - REPORT_PERIOD), to)
        })
        .await?;
    let view = AuditReportView::of(summary, &scope);
    Ok(if markdown {
        ([(CONTENT_TYPE, MARKDOWN)], view.markdown()).into_response()
    } else {
        axum::Json(view).into_response()
    })
}

/// The chain as signed JSON lines, up to 20,000 entries at a time, for `lacuna audit verify FILE`.
#[utoipa::path(
    get,
    path = "/v1/audit/export",
    operation_id = "export_audit",
    tag = "audit",
    params(AfterParams),
    responses(
        (status = 200, description = "An opening, the entries, and an end; `more` tells that the chain goes on.",
            content((String = "application/x-ndjson"), (String = "text/plain"))),
        Problems
    )
)]
pub(super) async fn export(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    Pairs(pairs): Pairs,
) -> Result<Response> {
    let page = PageQuery::read(pairs, BY_NUMBER)?;
    let scope = page.scope(&caller)?;
    let after = page.after_number()?;
    let (file, _) = app
        .call_in::<ReadAudit, _>(caller, scope, move |core, grant| {
            let mut file = Vec::new();
            write_audit_file(core, grant, after, EXPORT_ENTRIES_MAX, &mut file)?;
            Ok(file)
        })
        .await?;
    // The lines are text to clients that know no other name for them.
    let asks_for_text =
        headers.get(ACCEPT).is_some_and(|accept| accept.as_bytes().starts_with(b"text/plain"));
    let kind = if asks_for_text { PLAIN_TEXT } else { JSON_LINES };
    Ok(([(CONTENT_TYPE, kind)], file).into_response())
}

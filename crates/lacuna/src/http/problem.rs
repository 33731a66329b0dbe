//! Failures as `application/problem+json` (RFC 9457), with the stable code beside the status.

use std::any::Any;
use std::time::Duration;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::openapi::{ContentBuilder, Ref, RefOr, ResponseBuilder, response};
use utoipa::{IntoResponses, ToSchema};

use super::observe::current_id;
use crate::codes;
use crate::wire::failure::{Failure, GateAnswer};
use crate::wire::{AskedView, ReportView};

/// Pause before a retry at an overloaded server.
const SOON: Duration = Duration::from_secs(1);

/// A failure and its remedy. `code` is stable; the texts are for people.
#[derive(Serialize, ToSchema)]
pub(crate) struct Problem {
    /// The stable name of the error; docs/errors.md lists them all.
    code: &'static str,
    status: u16,
    /// The meaning of the code.
    title: &'static str,
    /// Details of this case.
    detail: String,
    /// The field at fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
    /// The next step for the caller.
    remedy: &'static str,
    /// The id of the request, as in the header `X-Request-Id`; the log has it as well.
    #[serde(skip_serializing_if = "Option::is_none")]
    request_id: Option<String>,
    /// The question to confirm before the text is stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    asked: Option<AskedView>,
    /// The gate's findings in a text that it did not take.
    #[serde(skip_serializing_if = "Option::is_none")]
    gate: Option<ReportView>,
}

impl Problem {
    fn new(failure: &Failure, detail: &str, remedy: &'static str) -> Self {
        let code = failure.code;
        let (asked, gate) = match failure.gate.as_deref() {
            None => (None, None),
            Some(GateAnswer::Asked(asked)) => (Some(asked.clone()), None),
            Some(GateAnswer::Refused(refused)) => (None, Some(refused.gate.clone())),
        };
        Self {
            code: code.name,
            status: code.status,
            title: code.meaning,
            detail: detail.to_owned(),
            field: failure.field.clone(),
            remedy,
            request_id: current_id(),
            asked,
            gate,
        }
    }

    /// The problem for the command line, with the operator's text.
    pub(crate) fn for_operator(failure: &Failure) -> Self {
        Self::new(failure, &failure.detail, failure.code.remedy)
    }
}

/// The failure that an answer tells of, for doors that tell it in another form.
#[derive(Clone)]
pub(crate) struct ToldFailure {
    pub(crate) code: &'static codes::Code,
    /// Details for the caller.
    pub(crate) detail: String,
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.code.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        // Refusing in time is no failure, and under overload a line for each would be a load of its own.
        let meant = [&codes::OVERLOADED, &codes::DRAINING].contains(&self.code);
        if status.is_server_error() && !meant {
            tracing::error!(code = self.code.name, detail = self.detail, "request failed");
        }
        let body = serde_json::to_vec(&Problem::new(&self, &self.public, self.code.http_remedy()))
            .unwrap_or_default();
        let mut response = (status, body).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if self.code == &codes::UNAUTHENTICATED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"lacuna\""));
        }
        if let Some(seconds) = retry_after(&self) {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response.extensions_mut().insert(ToldFailure { code: self.code, detail: self.public });
        response
    }
}

/// Seconds until a retry, never zero.
fn retry_after(failure: &Failure) -> Option<u64> {
    let soon = [&codes::OVERLOADED, &codes::DRAINING].contains(&failure.code).then_some(SOON);
    let wait = failure.retry_after.or(soon)?;
    Some(wait.as_secs() + u64::from(wait.subsec_nanos() > 0).max(u64::from(wait.is_zero())))
}

/// Answer to a panic; the hook has logged it.
pub(super) fn panicked(_: Box<dyn Any + Send>) -> Response {
    Failure::new(&codes::INTERNAL, codes::INTERNAL.meaning).into_response()
}

/// The statuses that any call of `/v1` may be answered with, for the description.
pub(super) struct Problems;

impl IntoResponses for Problems {
    fn responses() -> std::collections::BTreeMap<String, RefOr<response::Response>> {
        let statuses = [
            ("400", "The request is malformed."),
            ("401", "A token is missing, unknown, expired or revoked."),
            ("403", "The caller may not do this."),
            ("404", "There is no such thing within the caller's reach."),
            ("408", "The body did not arrive in time."),
            ("409", "Another request changed it first, or its state does not allow this."),
            ("412", "It has changed since the answer whose `ETag` `If-Match` names."),
            ("413", "The body is too large."),
            ("415", "The body is not declared as JSON."),
            ("421", "The server was called by a name that is not its own."),
            ("422", "A field is not acceptable."),
            ("423", "The vault is locked: it opens only with the passphrase of its person."),
            ("429", "The caller is over a limit; `Retry-After` has the time to wait."),
            ("500", "Stored data is damaged, or Lacuna has a defect."),
            ("503", "Not possible at the moment, or until an operator acts."),
        ];
        statuses.into_iter().map(|(status, meaning)| (status.to_owned(), described(meaning))).collect()
    }
}

fn described(meaning: &str) -> RefOr<response::Response> {
    let content = ContentBuilder::new().schema(Some(Ref::from_schema_name("Problem"))).build();
    ResponseBuilder::new().description(meaning).content("application/problem+json", content).build().into()
}

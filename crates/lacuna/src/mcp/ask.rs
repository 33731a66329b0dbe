//! Questions to the person in front of the client, where the client can ask: by a request of ours while the call
//! is under way, or, since the specification of 2026-07-28, by an answer that the client completes and sends
//! again.

use std::collections::BTreeMap;
use std::time::Duration;

use axum::http::header::HOST;
use axum::http::request::Parts;
use axum::http::uri::Authority;
use lacuna_models::is_loopback_host;
use rmcp::model::{
    ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema,
    InputRequest, InputRequiredResult, ProtocolVersion, ServerRequest,
};
use rmcp::service::PeerRequestOptions;

use super::call::Call;
use crate::codes;
use crate::wire::failure::{Failure, Result};
use crate::wire::hex;

/// Time for a person to answer. Without an answer there is no yes.
const PATIENCE: Duration = Duration::from_secs(300);
/// The one field of the form.
const FIELD: &str = "confirm";
/// Shown beside the page that unlocks a vault.
const UNLOCK_MESSAGE: &str = "Your memory is locked. Unlock it on its own page: your passphrase goes from your browser to \
     the server, and not through the assistant.";

/// The person's reply.
pub(super) enum Reply {
    Yes,
    No,
    /// The client cannot ask anybody.
    Unasked,
    /// The client is to ask, and to call again with the answer.
    CallAgain(Box<InputRequiredResult>),
}

/// Asks for a yes. `state` names the question: an answer with another state answers another question.
pub(super) async fn ask(call: &Call, message: String, state: String) -> Result<Reply> {
    if !can_ask(call) {
        return Ok(Reply::Unasked);
    }
    let schema = schema()?;
    let form = ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema: schema };
    Ok(elicit(call, form, state, is_ticked).await)
}

/// Sends the person to the page of the console on which they unlock their vault. The passphrase goes from their browser to
/// the server: neither the client nor the model sees it. A yes means that they went there.
pub(super) async fn send_to_unlock(call: &Call) -> Reply {
    let Some(url) = unlock_page(call).filter(|_| can_open(call)) else { return Reply::Unasked };
    let state = about("unlock", &[&url]);
    let message = UNLOCK_MESSAGE.to_owned();
    let page =
        ElicitRequestParams::UrlElicitationParams { meta: None, message, url, elicitation_id: state.clone() };
    elicit(call, page, state, |_| true).await
}

/// Puts a question to the person. `is_yes` judges the content of an answer that they gave.
async fn elicit(
    call: &Call,
    question: ElicitRequestParams,
    state: String,
    is_yes: fn(&ElicitResult) -> bool,
) -> Reply {
    let reply = |result: &ElicitResult| match result.action {
        ElicitationAction::Accept if is_yes(result) => Reply::Yes,
        _ => Reply::No,
    };
    let answers = call.input_responses.as_ref().filter(|_| call.request_state.as_ref() == Some(&state));
    if let Some(answer) = answers.and_then(|answers| answers.get(FIELD)) {
        let result = serde_json::from_value(answer.clone());
        return result.map_or(Reply::No, |result| reply(&result));
    }
    let request = ElicitRequest::new(question);
    if answers_by_calling_again(call) {
        let requests = BTreeMap::from([(FIELD.to_owned(), InputRequest::Elicitation(request))]);
        let again = InputRequiredResult::new(Some(requests), Some(state));
        return Reply::CallAgain(Box::new(again));
    }
    let options = PeerRequestOptions::with_timeout(PATIENCE);
    let sent = call.context.peer.send_request_with_option(ServerRequest::ElicitRequest(request), options);
    // If anything fails on the way, nobody has said yes.
    let Ok(handle) = sent.await else { return Reply::No };
    match handle.await_response().await {
        Ok(ClientResult::ElicitResult(result)) => reply(&result),
        _ => Reply::No,
    }
}

/// The page that unlocks the caller's vault on this server; `None` over standard input and output, where no page is.
fn unlock_page(call: &Call) -> Option<String> {
    let parts = call.context.extensions.get::<Parts>()?;
    let host = parts.headers.get(HOST)?.to_str().ok()?;
    let authority: Authority = host.parse().ok()?;
    let scheme = if is_loopback_host(authority.host()) { "http" } else { "https" };
    Some(format!("{scheme}://{authority}/console/protection"))
}

/// A name for a question about these words, for questions without a token of their own.
pub(super) fn about(tool: &str, words: &[&str]) -> String {
    let joined = serde_json::json!([tool, words]).to_string();
    hex(&lacuna_seal::sha256(joined.as_bytes()))
}

fn is_ticked(result: &ElicitResult) -> bool {
    result.content.as_ref().and_then(|content| content.get(FIELD)) == Some(&true.into())
}

/// A client that lists no way of asking means forms.
fn can_ask(call: &Call) -> bool {
    let asks = call.context.client_capabilities().and_then(|capabilities| capabilities.elicitation);
    asks.is_some_and(|asks| asks.form.is_some() || asks.url.is_none())
}

/// Tests for a client that opens pages for its user.
fn can_open(call: &Call) -> bool {
    let asks = call.context.client_capabilities().and_then(|capabilities| capabilities.elicitation);
    asks.is_some_and(|asks| asks.url.is_some())
}

fn answers_by_calling_again(call: &Call) -> bool {
    let version = call.context.protocol_version();
    version.is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}

fn schema() -> Result<ElicitationSchema> {
    let built = ElicitationSchema::builder()
        .required_bool_with(FIELD, |field| field.title("Yes").description("Do what the message says."))
        .build();
    built.map_err(|_| Failure::new(&codes::INTERNAL, codes::INTERNAL.meaning))
}

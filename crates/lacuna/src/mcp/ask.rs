//! Questions to the person in front of the client, where the client can ask: by a request of ours while the call
//! is under way, or, since the specification of 2026-07-28, by an answer that the client completes and sends
//! again.

use std::collections::BTreeMap;
use std::time::Duration;

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
    let answers = call.input_responses.as_ref().filter(|_| call.request_state.as_ref() == Some(&state));
    if let Some(answer) = answers.and_then(|answers| answers.get(FIELD)) {
        let result = serde_json::from_value(answer.clone());
        return Ok(result.map_or(Reply::No, |result| reply(&result)));
    }
    let request = ElicitRequest::new(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message,
        requested_schema: schema()?,
    });
    if answers_by_calling_again(call) {
        let requests = BTreeMap::from([(FIELD.to_owned(), InputRequest::Elicitation(request))]);
        let again = InputRequiredResult::new(Some(requests), Some(state));
        return Ok(Reply::CallAgain(Box::new(again)));
    }
    let options = PeerRequestOptions::with_timeout(PATIENCE);
    let sent = call.context.peer.send_request_with_option(ServerRequest::ElicitRequest(request), options);
    // If anything fails on the way, nobody has said yes.
    let Ok(handle) = sent.await else { return Ok(Reply::No) };
    Ok(match handle.await_response().await {
        Ok(ClientResult::ElicitResult(result)) => reply(&result),
        _ => Reply::No,
    })
}

/// A name for a question about these words, for questions without a token of their own.
pub(super) fn about(tool: &str, words: &[&str]) -> String {
    let joined = serde_json::json!([tool, words]).to_string();
    hex(&lacuna_seal::sha256(joined.as_bytes()))
}

fn reply(result: &ElicitResult) -> Reply {
    let ticked = result.content.as_ref().and_then(|content| content.get(FIELD)) == Some(&true.into());
    match result.action {
        ElicitationAction::Accept if ticked => Reply::Yes,
        _ => Reply::No,
    }
}

/// A client that lists no way of asking means forms.
fn can_ask(call: &Call) -> bool {
    let asks = call.context.client_capabilities().and_then(|capabilities| capabilities.elicitation);
    asks.is_some_and(|asks| asks.form.is_some() || asks.url.is_none())
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

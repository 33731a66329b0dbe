//! Asking the person in front of the client, where the client can: by a request of ours while the call is under
//! way, or, since the specification of 2026-07-28, by an answer that the client completes and sends again.

use std::collections::BTreeMap;
use std::time::Duration;

use rmcp::model::{
    ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema,
    InputRequest, InputRequiredResult, ProtocolVersion, ServerRequest,
};
use rmcp::service::PeerRequestOptions;

use super::call::Call;
use crate::codes;
use crate::failure::{Failure, Result};
use crate::wire::hex;

/// How long a person may think. Nobody's yes is no yes.
const PATIENCE: Duration = Duration::from_secs(300);
/// The one thing that is asked for.
const FIELD: &str = "confirm";

/// What the person said.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Word {
    Yes,
    No,
    /// The client cannot ask anybody.
    Unasked,
}

/// What comes of asking.
pub(super) enum Asked {
    Said(Word),
    /// The client is to ask, and to call again with the answer.
    CallAgain(Box<InputRequiredResult>),
}

/// Asks for a yes. `state` names what is asked about: an answer that comes with another state answers another
/// question.
pub(super) async fn ask(call: &Call, message: String, state: String) -> Result<Asked> {
    if !can_ask(call) {
        return Ok(Asked::Said(Word::Unasked));
    }
    let answers = call.input_responses.as_ref().filter(|_| call.request_state.as_ref() == Some(&state));
    if let Some(answer) = answers.and_then(|answers| answers.get(FIELD)) {
        let result = serde_json::from_value(answer.clone());
        return Ok(Asked::Said(result.map_or(Word::No, |result| word(&result))));
    }
    let request = ElicitRequest::new(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message,
        requested_schema: schema()?,
    });
    if answers_by_calling_again(call) {
        let requests = BTreeMap::from([(FIELD.to_owned(), InputRequest::Elicitation(request))]);
        let again = InputRequiredResult::new(Some(requests), Some(state));
        return Ok(Asked::CallAgain(Box::new(again)));
    }
    let options = PeerRequestOptions::with_timeout(PATIENCE);
    let sent = call.context.peer.send_request_with_option(ServerRequest::ElicitRequest(request), options);
    // Whatever goes wrong on the way, nobody has said yes.
    let Ok(handle) = sent.await else { return Ok(Asked::Said(Word::No)) };
    Ok(Asked::Said(match handle.await_response().await {
        Ok(ClientResult::ElicitResult(result)) => word(&result),
        _ => Word::No,
    }))
}

/// A name for a question about these words, for questions that have no token of their own.
pub(super) fn about(tool: &str, words: &[&str]) -> String {
    let joined = serde_json::json!([tool, words]).to_string();
    hex(&lacuna_seal::sha256(joined.as_bytes()))
}

fn word(result: &ElicitResult) -> Word {
    let ticked = result.content.as_ref().and_then(|content| content.get(FIELD)) == Some(&true.into());
    match result.action {
        ElicitationAction::Accept if ticked => Word::Yes,
        _ => Word::No,
    }
}

/// A client that names no way of asking means forms.
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

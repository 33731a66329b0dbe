//! One call under way: the caller, the service, and progress messages to a client that waits.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use lacuna_core::Lacuna;
use lacuna_core::permit::Caller;
use rmcp::RoleServer;
use rmcp::model::{
    CallToolResult, ContentBlock, InputRequiredResult, InputResponses, JsonObject, ProgressNotificationParam,
    ProgressToken,
};
use rmcp::service::{Peer, RequestContext};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::codes;
use crate::wire::failure::{Failure, GateAnswer, Result};
use crate::wire::json::read_json;
use crate::workers::Workers;

/// Interval of progress messages to a client that asked for them.
const PROGRESS_EVERY: Duration = Duration::from_millis(500);

pub(super) struct Call {
    pub(super) service: Arc<Lacuna>,
    pub(super) caller: Caller,
    pub(super) workers: Option<Arc<Workers>>,
    pub(super) context: RequestContext<RoleServer>,
    pub(super) progress: Progress,
    /// The person's reply to an earlier answer of ours, and the state that we gave the client to keep until then.
    pub(super) input_responses: Option<InputResponses>,
    pub(super) request_state: Option<String>,
}

impl Call {
    /// Runs the synchronous core on a thread that may block.
    pub(super) async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Lacuna, &Caller) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (service, caller) = (self.service.clone(), self.caller.clone());
        let place = match &self.workers {
            Some(workers) => Some(self.progress.until(workers.place(Some(&caller))).await),
            None => None,
        };
        let done = tokio::task::spawn_blocking(move || match place {
            Some(place) => place.run(|| work(&service, &caller)),
            None => work(&service, &caller),
        });
        let done = self.progress.until(done).await;
        done.map_err(|_| Failure::new(&codes::INTERNAL, codes::INTERNAL.meaning))?
    }
}

/// Tells a client that asked for it that its call is still under way.
pub(super) struct Progress {
    peer: Peer<RoleServer>,
    token: Option<ProgressToken>,
    told: AtomicU32,
}

impl Progress {
    pub(super) fn of(context: &RequestContext<RoleServer>) -> Self {
        let token = context.meta.get_progress_token();
        Self { peer: context.peer.clone(), token, told: AtomicU32::new(0) }
    }

    pub(super) async fn until<F: Future>(&self, work: F) -> F::Output {
        let Some(token) = &self.token else { return work.await };
        let mut work = std::pin::pin!(work);
        loop {
            tokio::select! {
                done = &mut work => return done,
                () = tokio::time::sleep(PROGRESS_EVERY) => self.tell(token.clone()).await,
            }
        }
    }

    async fn tell(&self, token: ProgressToken) {
        let count = self.told.fetch_add(1, Ordering::Relaxed) + 1;
        let word = ProgressNotificationParam::new(token, count.into()).with_message("still working");
        // A client that is gone misses nothing.
        let _ = self.peer.notify_progress(word).await;
    }
}

/// A tool's answer: words for the model, and the same as data.
pub(super) struct ToolAnswer {
    text: String,
    data: serde_json::Value,
}

pub(super) enum ToolOutcome {
    Done(ToolAnswer),
    /// An answer in another server's form.
    Told(Box<CallToolResult>),
    /// The client asks a person, and then calls again.
    CallAgain(Box<InputRequiredResult>),
}

impl ToolAnswer {
    pub(super) fn new(text: String, data: &impl Serialize) -> Result<Self> {
        let data = serde_json::to_value(data);
        let mut data = data.map_err(|_| Failure::new(&codes::INTERNAL, codes::INTERNAL.meaning))?;
        drop_nulls(&mut data);
        Ok(Self { text, data })
    }

    pub(super) fn into_result(self) -> CallToolResult {
        let mut result = CallToolResult::success(vec![ContentBlock::text(self.text)]);
        result.structured_content = Some(self.data);
        result
    }
}

impl From<ToolAnswer> for ToolOutcome {
    fn from(answer: ToolAnswer) -> Self {
        Self::Done(answer)
    }
}

/// Turns a failure into an answer of the tool, not an error of the protocol: the model should read it and correct
/// its call.
pub(super) fn refusal(failure: &Failure) -> CallToolResult {
    if failure.code.status >= 500 {
        tracing::error!(code = failure.code.name, detail = failure.detail, "a tool failed");
    }
    let mut text =
        format!("Error {}: {}\nWhat to do: {}", failure.code.name, failure.public, failure.code.mcp_remedy());
    if let Some(GateAnswer::Asked(asked)) = failure.gate.as_deref() {
        text += &format!(
            "\nAsk the user whether it may be stored as it is. Only if they say yes, send the very same content \
             again with confirm = {:?} (valid until {}).",
            asked.confirm, asked.expires_at
        );
    }
    CallToolResult::error(vec![ContentBlock::text(text)])
}

/// Removes nulls: the schemas say that an empty field is absent.
fn drop_nulls(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::Object(object) => {
            object.retain(|_, inner| !inner.is_null());
            object.values_mut().for_each(drop_nulls);
        }
        serde_json::Value::Array(items) => items.iter_mut().for_each(drop_nulls),
        _ => {}
    }
}

/// Reads a tool's arguments, and names the one at fault.
pub(super) fn arguments<T: DeserializeOwned>(given: Option<JsonObject>) -> Result<T> {
    let bytes = serde_json::to_vec(&given.unwrap_or_default()).unwrap_or_default();
    read_json(&bytes)
}

/// A stored text inside an answer: on one line and between quotation marks, so that it cannot pass for the
/// answer's own words.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

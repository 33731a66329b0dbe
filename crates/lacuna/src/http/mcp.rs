//! `/mcp`: the MCP door over streamable HTTP, with sessions for clients that open one, and without for clients of
//! the newest specification.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Query, Request, State};
use axum::http::header::{HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderName};
use axum::response::Response;
use axum::{Extension, http};
use clap::ValueEnum;
use lacuna_core::Lacuna;
use lacuna_core::permit::Caller;
use lacuna_types::{OrgId, UserId};
use rmcp::transport::streamable_http_server::session::SessionManager;
use rmcp::transport::streamable_http_server::session::local::{LocalSessionManager, SessionConfig};
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};

use super::App;
use super::body::receive;
use crate::codes;
use crate::mcp::{Door, Ready, ToolSet};
use crate::wire::failure::{Failure, Result};
use crate::workers::Workers;

/// One message: a batch of notes at most.
const MESSAGE_BYTES_MAX: usize = 4 << 20;
/// A session that is unused for so long is closed.
const SESSION_IDLE_MAX: Duration = Duration::from_secs(30 * 60);
/// Sessions that one caller may have open; a further one closes the oldest.
const SESSIONS_PER_CALLER_MAX: usize = 16;
const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");

type Service = StreamableHttpService<Door, LocalSessionManager>;

/// State that requests to `/mcp` share.
pub(super) struct Mcp {
    /// One service for each set of tools.
    services: Vec<(ToolSet, Service)>,
    sessions: Arc<LocalSessionManager>,
    owners: Mutex<Owners>,
}

/// Owner of each session, in the order in which they were opened.
#[derive(Default)]
struct Owners {
    opened: u64,
    of: HashMap<String, Owner>,
}

#[derive(Clone, PartialEq, Eq)]
struct Owner {
    org: OrgId,
    user: UserId,
    /// The service that opened it for the user.
    service: Option<UserId>,
    number: u64,
}

impl Owner {
    fn new(caller: &Caller, number: u64) -> Self {
        let service = caller.delegation.as_ref().map(|delegation| delegation.service.clone());
        Self { org: caller.org.clone(), user: caller.user.clone(), service, number }
    }

    fn is(&self, caller: &Caller) -> bool {
        *self == Self::new(caller, self.number)
    }
}

impl Mcp {
    pub(super) fn new(service: &Arc<Lacuna>, workers: Arc<Workers>) -> Self {
        let mut sessions = LocalSessionManager::default();
        let mut idle = SessionConfig::default();
        idle.keep_alive = Some(SESSION_IDLE_MAX);
        sessions.session_config = idle;
        let sessions = Arc::new(sessions);
        // We check Host and Origin ourselves, before and here.
        let config = StreamableHttpServerConfig::default()
            .with_max_request_body_bytes(MESSAGE_BYTES_MAX)
            .disable_allowed_hosts();
        let ready = Ready::at_once(service.clone(), workers);
        let serve = |tools: &ToolSet| {
            let door = Door::new(ready.clone(), *tools);
            (*tools, Service::new(move || Ok(door.clone()), sessions.clone(), config.clone()))
        };
        let services = ToolSet::value_variants().iter().map(serve).collect();
        Self { services, sessions, owners: Mutex::default() }
    }

    /// Ends every stream, so that the server can end.
    pub(super) fn stop(&self) {
        self.services.iter().for_each(|(_, service)| service.config.cancellation_token.cancel());
    }

    fn service(&self, tools: ToolSet) -> Option<Service> {
        self.services.iter().find(|(set, _)| *set == tools).map(|(_, service)| service.clone())
    }

    /// Hides a session from everybody but its owner, even from somebody who has learned its id.
    fn check_owner(&self, headers: &HeaderMap, caller: &Caller) -> Result<()> {
        let Some(id) = headers.get(&SESSION_ID) else { return Ok(()) };
        let owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        match id.to_str().ok().and_then(|id| owners.of.get(id)) {
            Some(owner) if owner.is(caller) => Ok(()),
            _ => Err(Failure::new(&codes::NOT_FOUND, "there is no such session")),
        }
    }

    /// Records the owner of a session, and closes the oldest of an owner who has too many.
    async fn note_session(&self, response: &Response<impl Sized>, caller: &Caller) {
        let Some(id) = response.headers().get(&SESSION_ID).and_then(|id| id.to_str().ok()) else { return };
        let alive: Vec<String> =
            self.sessions.sessions.read().await.keys().map(|id| id.to_string()).collect();
        for surplus in self.own(id, caller, &alive) {
            // The session may have ended by itself meanwhile.
            let _ = self.sessions.close_session(&surplus.into()).await;
        }
    }

    fn own(&self, id: &str, caller: &Caller, alive: &[String]) -> Vec<String> {
        let mut owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        if owners.of.contains_key(id) {
            return Vec::new();
        }
        owners.opened += 1;
        let number = owners.opened;
        owners.of.retain(|known, _| alive.contains(known));
        owners.of.insert(id.to_owned(), Owner::new(caller, number));
        let mut own: Vec<(u64, String)> = owners
            .of
            .iter()
            .filter(|(_, owner)| owner.is(caller))
            .map(|(id, owner)| (owner.number, id.clone()))
            .collect();
        own.sort_unstable();
        let surplus = own.len().saturating_sub(SESSIONS_PER_CALLER_MAX);
        own.into_iter().take(surplus).map(|(_, id)| id).collect()
    }
}

/// Parameters of `/mcp`: `?tools=` names the set of tools, those of Lacuna when absent.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Params {
    tools: Option<String>,
}

pub(super) async fn answer(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    params: Result<Query<Params>, axum::extract::rejection::QueryRejection>,
    request: Request,
) -> Result<Response> {
    refuse_foreign_pages(request.headers())?;
    let mcp = &app.0.mcp;
    let tools = read_tools(params.ok().map(|Query(params)| params))?;
    mcp.check_owner(request.headers(), &caller)?;
    let service =
        mcp.service(tools).ok_or_else(|| Failure::new(&codes::INTERNAL, codes::INTERNAL.meaning))?;
    // Like every other body: bounded in time and room, and counted against its caller's day.
    let (parts, body) = request.into_parts();
    let (bytes, _room) = receive(&app, Some(&caller), body, MESSAGE_BYTES_MAX).await?;
    let request = Request::from_parts(parts, Body::from(bytes));
    let response: http::Response<_> = service.handle(request).await;
    mcp.note_session(&response, &caller).await;
    Ok(response.map(Body::new))
}

fn read_tools(params: Option<Params>) -> Result<ToolSet> {
    let unknown = || Failure::invalid("tools", "is the one parameter, and names a set of tools");
    match params.ok_or_else(unknown)?.tools {
        None => Ok(ToolSet::default()),
        Some(name) => ToolSet::from_str(&name, false).map_err(|_| unknown()),
    }
}

/// Refuses pages of other origins, even with a token that they got hold of.
fn refuse_foreign_pages(headers: &HeaderMap) -> Result<()> {
    let Some(origin) = headers.get(ORIGIN) else { return Ok(()) };
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    let from = origin.to_str().ok().and_then(|origin| origin.split_once("://")).map(|(_, from)| from);
    match (from, host) {
        (Some(from), Some(host)) if from.eq_ignore_ascii_case(host) => Ok(()),
        _ => Err(Failure::new(&codes::FOREIGN_ORIGIN, "a web page of another origin asked")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_page_of_this_host_may_ask() {
        let cases = [
            (None, Some("localhost:7707"), true),
            (Some("http://localhost:7707"), Some("localhost:7707"), true),
            (Some("https://memory.example"), Some("memory.example"), true),
            (Some("https://evil.example"), Some("memory.example"), false),
            (Some("https://memory.example:444"), Some("memory.example"), false),
            (Some("null"), Some("memory.example"), false),
            (Some("memory.example"), Some("memory.example"), false),
            (Some("https://memory.example"), None, false),
        ];
        for (origin, host, allowed) in cases {
            let mut headers = HeaderMap::new();
            origin.map(|origin| headers.insert(ORIGIN, origin.parse().unwrap()));
            host.map(|host| headers.insert(HOST, host.parse().unwrap()));
            assert_eq!(refuse_foreign_pages(&headers).is_ok(), allowed, "{origin:?} to {host:?}");
        }
    }
}

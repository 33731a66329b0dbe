//! The HTTP door: `/v1`, health, metrics and the description of it all.

mod audit;
mod auth;
mod body;
mod compact;
mod context;
mod destroy;
mod exports;
mod forget;
mod health;
mod mcp;
mod members;
mod memories;
mod memory_tool;
mod metrics;
mod month;
mod observe;
mod openapi;
mod person;
mod problem;
mod retention;
mod review;
mod scopes;
mod search;
mod sessions;
mod tokens;

use std::future::Future;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use axum::extract::Request;
use axum::middleware;
use axum::routing::any;
use axum::{Extension, Router};
use lacuna_core::Lacuna;
use lacuna_core::domain::Scope;
use lacuna_core::jobs::Schedule;
use lacuna_core::permit::{Action, Caller, Grant, permit};
use metrics_exporter_prometheus::PrometheusHandle;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::oneshot;
use tower_http::catch_panic::CatchPanicLayer;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(crate) use self::body::{read_json, without_input};
pub(crate) use self::memory_tool::MEMORY_TOOL_BYTES_MAX;
pub(crate) use self::metrics::install as install_metrics;
pub(crate) use self::problem::Problem;
use crate::codes;
use crate::failure::{Failure, Result, log_panics_by_place};

/// How long requests under way may still take after the signal to stop.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(20);

/// Whom the server answers without a token.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Openness {
    /// The one local user, on loopback, until the first token is made.
    LocalUserUntilTokens,
    TokensOnly,
}

/// What every handler shares.
#[derive(Clone)]
pub(crate) struct App(Arc<Shared>);

struct Shared {
    service: Arc<Lacuna>,
    local: Caller,
    openness: Openness,
    address: SocketAddr,
    metrics: PrometheusHandle,
    schedule: Schedule,
    mcp: mcp::Mcp,
}

impl App {
    pub(crate) fn new(
        service: Arc<Lacuna>,
        local: Caller,
        openness: Openness,
        address: SocketAddr,
        metrics: PrometheusHandle,
        schedule: Schedule,
    ) -> Self {
        let mcp = mcp::Mcp::new(&service);
        Self(Arc::new(Shared { service, local, openness, address, metrics, schedule, mcp }))
    }

    /// Runs the synchronous core on a thread that may block.
    async fn call<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Lacuna) -> lacuna_core::Result<T> + Send + 'static,
    ) -> Result<T> {
        let service = self.0.service.clone();
        let done = tokio::task::spawn_blocking(move || work(&service)).await;
        let done = done.map_err(|_| Failure::new(&codes::INTERNAL, codes::INTERNAL.meaning))?;
        Ok(done?)
    }

    /// Runs an operation on one vault, if the caller may. Answers with the scope as well.
    async fn call_in<A: Action, T: Send + 'static>(
        &self,
        caller: Caller,
        scope: Scope,
        work: impl FnOnce(&Lacuna, &Grant<A>) -> lacuna_core::Result<T> + Send + 'static,
    ) -> Result<(T, Scope)> {
        self.call(move |core| Ok((work(core, &permit(&caller, &scope)?)?, scope))).await
    }
}

/// Every route, with the description that is made from the same list.
fn routes() -> (Router<App>, utoipa::openapi::OpenApi) {
    let described = OpenApiRouter::with_openapi(openapi::frame())
        .routes(routes!(health::healthz))
        .routes(routes!(health::readyz))
        .routes(routes!(metrics::metrics))
        .routes(routes!(openapi::openapi_json))
        .routes(routes!(exports::download));
    described.split_for_parts()
}

fn guarded() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(memories::remember, memories::list))
        .routes(routes!(memories::remember_batch))
        .routes(routes!(review::set_state))
        .routes(routes!(review::list, review::decide))
        .routes(routes!(review::vault_state, review::freeze))
        .routes(routes!(review::policy))
        .routes(routes!(month::show, month::answer))
        .routes(routes!(month::list))
        .routes(routes!(retention::show, retention::set))
        .routes(routes!(retention::preview))
        .routes(routes!(retention::pin))
        .routes(routes!(retention::jobs))
        .routes(routes!(destroy::destroy))
        .routes(routes!(compact::compact))
        .routes(routes!(memories::get, memories::erase))
        .routes(routes!(scopes::promote))
        .routes(routes!(scopes::demote))
        .routes(routes!(scopes::list))
        .routes(routes!(search::search))
        .routes(routes!(sessions::start, sessions::list))
        .routes(routes!(sessions::append))
        .routes(routes!(sessions::show))
        .routes(routes!(sessions::end))
        .routes(routes!(context::context))
        .routes(routes!(memory_tool::memory_tool))
        .routes(routes!(forget::plan))
        .routes(routes!(forget::confirm))
        .routes(routes!(forget::verify))
        .routes(routes!(forget::correct))
        .routes(routes!(forget::receipts))
        .routes(routes!(forget::receipt))
        .routes(routes!(person::list, person::open))
        .routes(routes!(person::plan))
        .routes(routes!(person::confirm))
        .routes(routes!(person::notices))
        .routes(routes!(audit::verify))
        .routes(routes!(audit::report))
        .routes(routes!(audit::export))
        .routes(routes!(exports::create))
        .routes(routes!(exports::import))
        .routes(routes!(tokens::list, tokens::create))
        .routes(routes!(tokens::revoke))
        .routes(routes!(members::list_team))
        .routes(routes!(members::add_to_team, members::remove_from_team))
        .routes(routes!(members::list_deployment))
        .routes(routes!(members::add_to_deployment, members::remove_from_deployment))
}

pub(crate) fn router(app: App) -> Router {
    let (open, mut api) = routes();
    let (guarded, guarded_api) = guarded().split_for_parts();
    api.merge(guarded_api);
    let guarded = guarded.route("/mcp", any(mcp::answer));
    let guarded = guarded.route_layer(middleware::from_fn_with_state(app.clone(), auth::authenticate));
    open.merge(guarded)
        .fallback(unknown_route)
        .method_not_allowed_fallback(method_not_allowed)
        .layer(Extension(openapi::Document::of(&api)))
        .layer(CatchPanicLayer::custom(problem::panicked))
        .layer(middleware::from_fn(observe::observe))
        .with_state(app)
}

async fn unknown_route() -> Failure {
    Failure::new(&codes::UNKNOWN_ROUTE, codes::UNKNOWN_ROUTE.meaning)
}

async fn method_not_allowed(request: Request) -> Failure {
    let reason = format!("this path does not take {}", request.method());
    Failure::new(&codes::METHOD_NOT_ALLOWED, reason)
}

/// Serves until SIGINT or SIGTERM, and then lets the requests under way finish.
pub(crate) fn serve(app: App, listener: TcpListener) -> Result<()> {
    log_panics_by_place();
    let broken = |error: std::io::Error| Failure::new(&codes::CANNOT_LISTEN, error.to_string());
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(broken)?;
    let served = runtime.block_on(async move {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        let (stopping, stopped) = oneshot::channel();
        let signalled = stop_signal()?;
        let streams = app.clone();
        let graceful = async move {
            signalled.await;
            streams.0.mcp.stop();
            tracing::info!("stopping");
            // Nobody listens any more when the server has ended by itself.
            let _ = stopping.send(());
        };
        let server = axum::serve(listener, router(app)).with_graceful_shutdown(graceful);
        tokio::select! {
            served = server.into_future() => served,
            () = grace_over(stopped) => Ok(()),
        }
    });
    // Blocking work may be in the middle of a commit: wait for it, within reason.
    runtime.shutdown_timeout(SHUTDOWN_GRACE);
    served.map_err(broken)
}

fn stop_signal() -> std::io::Result<impl Future<Output = ()>> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

async fn grace_over(stopped: oneshot::Receiver<()>) {
    match stopped.await {
        Ok(()) => tokio::time::sleep(SHUTDOWN_GRACE).await,
        Err(_) => std::future::pending().await,
    }
}

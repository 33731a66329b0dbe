//! The HTTP door: `/v1`, health, metrics and their description.

mod admission;
mod audit;
mod auth;
mod body;
mod compact;
mod conditional;
mod connections;
mod consent;
mod context;
mod cors;
mod destroy;
mod docs;
mod examples;
mod exports;
mod forget;
mod generators;
mod headers;
mod health;
mod holds;
mod idempotency;
mod leftover;
mod limits;
mod listen;
mod mcp;
mod mem0;
mod members;
mod memories;
mod memory_tool;
mod metrics;
mod month;
mod observe;
mod oidc;
mod older;
mod openapi;
mod page;
mod patience;
mod person;
mod person_header;
mod problem;
mod protection;
mod purposes;
mod records;
mod retention;
mod review;
mod route_hint;
mod scopes;
mod search;
mod sessions;
mod shapes;
mod shared_keys;
mod strict;
mod tls;
mod tokens;
mod users;
mod views;

use std::future::Future;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::Request;
use axum::routing::{any, get};
use axum::{Extension, Router, middleware};
use lacuna_core::Lacuna;
use lacuna_core::govern::Schedule;
use lacuna_core::permit::{Action, Caller, Grant, permit};
use lacuna_seal::{Entropy, SystemEntropy};
use lacuna_types::Scope;
use metrics_exporter_prometheus::PrometheusHandle;
use tokio::signal::unix::{SignalKind, signal};
use tower_http::catch_panic::CatchPanicLayer;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::admission::Admission;
pub(crate) use self::admission::admit;
pub(crate) use self::body::read_whole;
use self::conditional::{ScopeLocks, TagKey};
pub(crate) use self::exports::stream_export;
use self::idempotency::Answers;
use self::limits::CallerLimits;
pub(crate) use self::limits::limit;
use self::listen::ConnectionLimits;
pub(crate) use self::memory_tool::MEMORY_TOOL_BYTES_MAX;
pub(crate) use self::metrics::install as install_metrics;
use self::oidc::SignOn;
pub(crate) use self::oidc::SignOnAnswer;
pub(crate) use self::problem::{Problem, ToldFailure};
use self::route_hint::RouteHint;
#[cfg(any(test, fuzzing))]
pub(crate) use self::strict::pass_hostile;
pub(crate) use self::tls::Certificate;
use crate::background::Stop;
use crate::codes;
use crate::config::HttpChoice;
use crate::traces::{SpanKind, Traces};
use crate::wire::failure::{Failure, Result, log_panics_by_place};
use crate::workers::Workers;

/// Time for work that outlives its request at the end: it may be in the middle of a commit.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(20);

/// Callers that the server answers without a token.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Openness {
    /// The one local user, on loopback, until the first token is made.
    LocalUserUntilTokens,
    TokensOnly,
}

/// State that every handler shares.
#[derive(Clone)]
pub(crate) struct App(Arc<Shared>);

struct Shared {
    service: Arc<Lacuna>,
    local: Caller,
    openness: Openness,
    is_local_only: bool,
    address: SocketAddr,
    metrics: PrometheusHandle,
    schedule: Schedule,
    admission: Admission,
    workers: Arc<Workers>,
    limits: Arc<CallerLimits>,
    answers: Arc<Answers>,
    scope_locks: ScopeLocks,
    sign_on: Option<SignOn>,
    route_hint: Option<RouteHint>,
    traces: Option<Arc<Traces>>,
    /// Key of the tags for a caller without a token.
    local_tags: TagKey,
    request_time: Duration,
    body_time: Duration,
    console_idle: Duration,
    mcp: mcp::Mcp,
}

/// Parts that the door is built from.
pub(crate) struct DoorParts {
    pub(crate) service: Arc<Lacuna>,
    pub(crate) local: Caller,
    pub(crate) openness: Openness,
    /// Only this machine calls, directly: the server knows all its names.
    pub(crate) is_local_only: bool,
    pub(crate) address: SocketAddr,
    pub(crate) metrics: PrometheusHandle,
    pub(crate) schedule: Schedule,
    pub(crate) traces: Option<Arc<Traces>>,
}

impl App {
    pub(crate) fn new(parts: DoorParts, choice: &HttpChoice) -> Self {
        let DoorParts { service, local, openness, is_local_only, address, metrics, schedule, traces } = parts;
        let mut secret = [0u8; 32];
        SystemEntropy.fill(&mut secret);
        let workers = Arc::new(Workers::new(choice.workers));
        Self(Arc::new(Shared {
            mcp: mcp::Mcp::new(&service, workers.clone()),
            service,
            local,
            openness,
            is_local_only,
            address,
            metrics,
            schedule,
            traces,
            admission: Admission::new(choice.requests_max),
            workers,
            limits: Arc::new(CallerLimits::new(choice.limits, choice.requests_max)),
            answers: Arc::new(Answers::new()),
            scope_locks: ScopeLocks::new(),
            sign_on: choice.oidc.as_ref().map(SignOn::new),
            route_hint: RouteHint::new(&choice.nodes),
            local_tags: TagKey::of(&secret),
            request_time: choice.request_time,
            body_time: choice.body_time,
            console_idle: choice.console_idle,
        }))
    }

    /// Runs the synchronous core on a thread that may block.
    pub(crate) async fn call<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Lacuna) -> lacuna_types::Result<T> + Send + 'static,
    ) -> Result<T> {
        self.work(move |core| Ok(work(core)?)).await
    }

    /// Like `call`, for work that may also fail at the door.
    pub(crate) async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Lacuna) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let place = self.0.workers.place(observe::current_caller().as_ref()).await;
        self.block(move |core| place.run(|| work(core))).await
    }

    /// The library behind the door.
    pub(crate) fn core(&self) -> &Lacuna {
        &self.0.service
    }

    /// Returns true when only this machine calls, directly.
    pub(crate) fn is_local_only(&self) -> bool {
        self.0.is_local_only
    }

    /// Time without a click after which a browser is signed out of the console.
    pub(crate) fn console_idle(&self) -> Duration {
        self.0.console_idle
    }

    /// The port that the server listens on.
    pub(crate) fn port(&self) -> u16 {
        self.0.address.port()
    }

    /// The figures of this process, as `/metrics` shows them.
    pub(crate) fn figures(&self) -> String {
        self.0.metrics.render()
    }

    /// The names of all nodes, if the configuration tells them.
    pub(crate) fn node_names(&self) -> Vec<&str> {
        self.0.route_hint.as_ref().map_or_else(Vec::new, RouteHint::names)
    }

    /// The settings of the scheduler.
    pub(crate) fn schedule(&self) -> Schedule {
        self.0.schedule
    }

    /// Runs a check beside the workers of the core.
    async fn probe(
        &self,
        look: impl FnOnce(&Lacuna) -> lacuna_types::Result<()> + Send + 'static,
    ) -> Result<()> {
        let place = self.0.admission.probe().await?;
        self.block(move |core| {
            // Given back when the check ends, even if nobody waits for it any more.
            let _place = place;
            Ok(look(core)?)
        })
        .await
    }

    /// Runs work on a thread that may block.
    async fn block<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Lacuna) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (service, span) = (self.0.service.clone(), tracing::Span::current());
        let part = self.0.traces.clone().zip(observe::current_position().map(|position| position.part()));
        let done = tokio::task::spawn_blocking(move || {
            let (began, started) = (service.clock().now(), Instant::now());
            let done = span.in_scope(|| work(&service));
            if let Some((traces, part)) = part {
                traces.note(part, SpanKind::Core, began, started.elapsed());
            }
            done
        });
        done.await.map_err(|_| Failure::new(&codes::INTERNAL, codes::INTERNAL.meaning))?
    }

    /// Runs an operation on one vault, if the caller may. Returns the scope as well.
    pub(crate) async fn call_in<A: Action, T: Send + 'static>(
        &self,
        caller: Caller,
        scope: Scope,
        work: impl FnOnce(&Lacuna, &Grant<A>) -> lacuna_types::Result<T> + Send + 'static,
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
        .routes(routes!(docs::docs));
    described.split_for_parts()
}

/// Routes that a link opens by itself. They are admitted like every call to the core.
fn linked() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(exports::download))
}

fn guarded() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(memories::remember, memories::list))
        .routes(routes!(memories::remember_batch))
        .routes(routes!(review::set_state))
        .routes(routes!(review::list, review::decide))
        .routes(routes!(consent::list, consent::give))
        .routes(routes!(consent::revoke))
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
        .routes(routes!(memories::get, memories::replace, memories::erase))
        .routes(routes!(scopes::promote))
        .routes(routes!(scopes::demote))
        .routes(routes!(scopes::list))
        .routes(routes!(search::search))
        .routes(routes!(records::put, records::get, records::erase))
        .routes(routes!(records::put_batch))
        .routes(routes!(records::search))
        .routes(routes!(records::namespaces))
        .routes(routes!(records::erase_all))
        .routes(routes!(records::set_ttl))
        .routes(routes!(records::set_expiry))
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
        .routes(routes!(users::change))
        .routes(routes!(users::provision, users::remove))
        .routes(routes!(members::list_team))
        .routes(routes!(members::add_to_team, members::remove_from_team))
        .routes(routes!(members::list_deployment))
        .routes(routes!(members::add_to_deployment, members::remove_from_deployment))
        .routes(routes!(purposes::list, purposes::set))
        .routes(routes!(protection::show, protection::protect))
        .routes(routes!(protection::unprotect))
        .routes(routes!(protection::unlock))
        .routes(routes!(protection::lock))
        .routes(routes!(holds::told))
        .routes(routes!(holds::list, holds::place))
        .routes(routes!(holds::confirm))
        .routes(routes!(holds::end))
        .merge(views::routes())
}

pub(crate) fn router(app: App, origins: &[String], pages: Router<App>) -> Router {
    let (open, mut api) = routes();
    // Every MCP client knows these from their standard.
    let open = open
        .route(oidc::WELL_KNOWN, get(auth::resource_metadata))
        .route(&format!("{}/{{*path}}", oidc::WELL_KNOWN), get(auth::resource_metadata));
    let (guarded, guarded_api) = guarded().split_for_parts();
    api.merge(guarded_api);
    let (linked, linked_api) = linked().split_for_parts();
    api.merge(linked_api);
    let linked = linked.route_layer(middleware::from_fn_with_state(app.clone(), admit));
    // From the inside out: a request is admitted first, and nothing of it is read before its caller is known.
    let guarded = guarded
        .route("/mem0/{*path}", any(mem0::answer))
        .route_layer(middleware::from_fn(conditional::tag))
        .route_layer(middleware::from_fn_with_state(app.clone(), idempotency::once))
        // Its answers are streams, which have no tag and are not kept for a repeat.
        .route("/mcp", any(mcp::answer))
        .route_layer(middleware::from_fn_with_state(app.clone(), limit))
        .route_layer(middleware::from_fn_with_state(app.clone(), auth::authenticate))
        .route_layer(middleware::from_fn_with_state(app.clone(), admit));
    let description = openapi::OpenApiDocument::of(&api);
    let all = open
        .merge(guarded)
        .merge(linked)
        .merge(pages)
        .fallback(unknown_route)
        .method_not_allowed_fallback(method_not_allowed)
        .layer(Extension(docs::DocsPage::of(description.text())))
        .layer(Extension(description))
        .layer(CatchPanicLayer::custom(problem::panicked));
    let all = match cors::layer(origins) {
        Some(cors) => all.layer(cors),
        None => all,
    };
    all.layer(middleware::from_fn(strict::one_host))
        .layer(middleware::from_fn(connections::health_only))
        .layer(middleware::from_fn_with_state(app.clone(), observe::observe))
        .with_state(app)
}

async fn unknown_route() -> Failure {
    Failure::new(&codes::UNKNOWN_ROUTE, codes::UNKNOWN_ROUTE.meaning)
}

async fn method_not_allowed(request: Request) -> Failure {
    let reason = format!("this path does not take {}", request.method());
    Failure::new(&codes::METHOD_NOT_ALLOWED, reason)
}

/// Serves until SIGINT or SIGTERM, tells the background to stop, and lets the requests under way finish.
pub(crate) fn serve(
    app: App,
    listener: TcpListener,
    choice: &HttpChoice,
    certificate: Option<Certificate>,
    background: Arc<Stop>,
    pages: Router<App>,
) -> Result<()> {
    log_panics_by_place();
    let broken = |error: std::io::Error| Failure::new(&codes::CANNOT_LISTEN, error.to_string());
    let runtime = crate::ram::runtime().map_err(broken)?;
    let limits = ConnectionLimits {
        connections_max: choice.connections_max,
        per_address_max: choice.connections_per_address,
        header_time: choice.header_time,
        stall_time: choice.body_time,
        notice_time: choice.notice_time,
        drain_time: choice.drain_time,
        tls: certificate.map(Arc::new),
    };
    let router = router(app.clone(), &choice.origins, pages);
    let served = runtime.block_on(async move {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        let signalled = stop_signal()?;
        let streams = app.clone();
        let stopped = async move {
            signalled.await;
            tracing::info!("stopping");
            streams.0.mcp.stop();
            background.ask();
        };
        if let Some(certificate) = &limits.tls {
            tokio::spawn(certificate.clone().keep_fresh());
        }
        listen::serve(listener, app, router, limits, stopped).await;
        Ok(())
    });
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

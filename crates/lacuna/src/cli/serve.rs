use std::net::{SocketAddr, TcpListener};

use clap::Args;
use serde::Serialize;

use super::output::Output;
use crate::assemble::{Installation, assemble_locked, preflight};
use crate::background::Background;
use crate::codes;
use crate::config::Config;
use crate::console;
use crate::http::{self, App, Certificate, DoorParts, Openness};
use crate::traces::Traces;
use crate::wire::failure::{Failure, Result};

#[derive(Args)]
pub(super) struct ServeArgs {
    /// Address and port; port 0 takes a free one [env: LACUNA_LISTEN] [default: 127.0.0.1:7707].
    #[arg(long, value_name = "ADDRESS")]
    pub(super) listen: Option<String>,
    /// TLS ends at a proxy in front: any address may be served, and every call needs a token.
    #[arg(long)]
    pub(super) behind_tls_proxy: bool,
}

#[derive(Serialize)]
struct Listening {
    listening: String,
}

pub(super) fn run(config: Config, output: &Output) -> Result<()> {
    run_greeting(config, output, |_, _| Ok(()))
}

/// Serves like [`run`], and calls `greet` with the address once a browser can come.
pub(super) fn run_greeting(
    config: Config,
    output: &Output,
    greet: impl FnOnce(&Installation, &str) -> Result<()>,
) -> Result<()> {
    preflight(&config)?;
    let certificate = config.http.tls.as_ref().map(Certificate::load).transpose()?;
    let installation = assemble_locked(&config)?;
    installation.service.upkeep().warm_up()?;
    let openness = openness(&config, &installation)?;
    let listener = listen(config.listen)?;
    let address = listener.local_addr().map_err(|error| cannot_listen(config.listen, &error))?;
    let metrics = http::install_metrics()?;
    let upkeep = metrics.clone();
    let Installation { service, store, webhooks, .. } = &installation;
    let background = Background::start(
        service,
        store,
        webhooks,
        config.idle_seal,
        config.close_every(),
        config.schedule,
        move || {
            upkeep.run_upkeep();
        },
    );
    let background =
        background.map_err(|error| Failure::new(&codes::INTERNAL, format!("no thread: {error}")))?;

    let traces = config.otlp_url.as_deref().map(Traces::start).transpose();
    let traces = traces.map_err(|error| Failure::new(&codes::INTERNAL, format!("no thread: {error}")))?;
    let parts = DoorParts {
        service: installation.service.clone(),
        local: installation.local.clone(),
        openness,
        is_local_only: is_local_only(&config),
        address,
        metrics,
        schedule: config.schedule,
        traces,
    };
    let app = App::new(parts, &config.http);
    let scheme = if certificate.is_some() { "https" } else { "http" };
    let pages = console::pages(&app);
    let listening = Listening { listening: format!("{scheme}://{address}") };
    output.show(&listening, |answer| {
        format!("lacuna {} listens on {}", env!("CARGO_PKG_VERSION"), answer.listening)
    })?;
    greet(&installation, &listening.listening)?;
    let served = http::serve(app, listener, &config.http, certificate, background.stop(), pages);
    drop(background);
    let flushed = installation.service.upkeep().flush_reads();
    if let Err(error) = installation.service.upkeep().flush_rehearsals() {
        // What fades a little sooner is no reason to end in failure.
        tracing::warn!(code = error.code(), "the last rehearsals are lost");
    }
    installation.service.upkeep().close_all();
    served?;
    Ok(flushed?)
}

/// Plain HTTP beyond this machine would show memories to the network, and without a token to everybody.
fn openness(config: &Config, installation: &Installation) -> Result<Openness> {
    let signed_on = config.http.oidc.is_some();
    if is_local_only(config) {
        return Ok(if signed_on { Openness::TokensOnly } else { Openness::LocalUserUntilTokens });
    }
    if !config.behind_tls_proxy && config.http.tls.is_none() {
        let reason = format!("{} is not a loopback address, and there is no tls.cert", config.listen);
        return Err(Failure::new(&codes::UNSAFE_LISTEN, reason));
    }
    if !signed_on && !installation.service.tokens().exist(&config.org)? {
        let reason = format!("there is no token yet that could protect {}", config.listen);
        return Err(Failure::new(&codes::UNSAFE_LISTEN, reason));
    }
    Ok(Openness::TokensOnly)
}

/// Returns true when only this machine calls, directly.
pub(super) fn is_local_only(config: &Config) -> bool {
    config.listen.ip().is_loopback() && !config.behind_tls_proxy
}

fn listen(address: SocketAddr) -> Result<TcpListener> {
    TcpListener::bind(address)
        .and_then(|listener| listener.set_nonblocking(true).map(|()| listener))
        .map_err(|error| cannot_listen(address, &error))
}

fn cannot_listen(address: SocketAddr, error: &std::io::Error) -> Failure {
    Failure::new(&codes::CANNOT_LISTEN, format!("{address}: {error}"))
}

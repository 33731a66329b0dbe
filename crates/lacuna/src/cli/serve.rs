use std::net::{SocketAddr, TcpListener};

use lacuna_core::permit::Caller;
use serde::Serialize;

use super::output::Output;
use crate::assemble::{Installation, assemble};
use crate::background::Background;
use crate::codes;
use crate::config::Config;
use crate::failure::{Failure, Result};
use crate::http::{self, App, Openness};

#[derive(Serialize)]
struct Listening {
    listening: String,
}

pub(super) fn run(config: Config, output: &Output) -> Result<()> {
    let installation = assemble(&config)?;
    installation.service.warm_up()?;
    let openness = openness(&config, &installation)?;
    let listener = listen(config.listen)?;
    let address = listener.local_addr().map_err(|error| cannot_listen(config.listen, &error))?;
    let metrics = http::install_metrics()?;
    let upkeep = metrics.clone();
    let Installation { service, store, webhooks, .. } = &installation;
    let background =
        Background::start(service, store, webhooks, config.idle_seal, config.schedule, move || {
            upkeep.run_upkeep();
        });
    let background =
        background.map_err(|error| Failure::new(&codes::INTERNAL, format!("no thread: {error}")))?;

    let caller: Caller = installation.local.clone();
    let app = App::new(installation.service.clone(), caller, openness, address, metrics, config.schedule);
    output.show(&Listening { listening: format!("http://{address}") }, |answer| {
        format!("lacuna {} listens on {}", env!("CARGO_PKG_VERSION"), answer.listening)
    })?;
    let served = http::serve(app, listener);
    drop(background);
    let flushed = installation.service.flush_reads();
    if let Err(error) = installation.service.flush_rehearsals() {
        // What fades a little sooner is no reason to end in failure.
        tracing::warn!(code = error.code(), "the last rehearsals are lost");
    }
    installation.service.seal_all();
    served?;
    Ok(flushed?)
}

/// Plain HTTP beyond this machine would show memories to the network, and without a token to everybody.
fn openness(config: &Config, installation: &Installation) -> Result<Openness> {
    let loopback = config.listen.ip().is_loopback();
    if loopback && !config.behind_tls_proxy {
        return Ok(Openness::LocalUserUntilTokens);
    }
    if !config.behind_tls_proxy {
        let reason =
            format!("{} is not a loopback address, and Lacuna itself does not speak TLS yet", config.listen);
        return Err(Failure::new(&codes::UNSAFE_LISTEN, reason));
    }
    if !installation.service.has_tokens(&config.org)? {
        let reason = format!("there is no token yet that could protect {}", config.listen);
        return Err(Failure::new(&codes::UNSAFE_LISTEN, reason));
    }
    Ok(Openness::TokensOnly)
}

fn listen(address: SocketAddr) -> Result<TcpListener> {
    TcpListener::bind(address)
        .and_then(|listener| listener.set_nonblocking(true).map(|()| listener))
        .map_err(|error| cannot_listen(address, &error))
}

fn cannot_listen(address: SocketAddr, error: &std::io::Error) -> Failure {
    Failure::new(&codes::CANNOT_LISTEN, format!("{address}: {error}"))
}

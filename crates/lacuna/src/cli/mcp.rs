//! `lacuna mcp`: the MCP door on standard input and output, for a client that starts it.

use std::thread;
use std::time::Duration;

use clap::Args;
use lacuna_core::permit::Caller;
use lacuna_types::Role;
use rmcp::transport::io::stdio_pipes;
use tokio::signal::unix::{SignalKind, signal};

use crate::assemble::{Installation, assemble_locked};
use crate::background::Background;
use crate::codes;
use crate::config::Config;
use crate::mcp::{Announcer, Door, Ready, ToolSet};
use crate::wire::failure::{Failure, Result, log_panics_by_place};

/// Time for work under way after the client has gone.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(20);

#[derive(Args)]
pub(super) struct McpArgs {
    /// Set of tools to offer.
    #[arg(long, value_enum, default_value_t)]
    tools: ToolSet,
}

pub(super) fn run(config: Config, args: &McpArgs) -> Result<()> {
    log_panics_by_place();
    let (announcer, ready) = Ready::soon();
    let door = Door::new(ready, args.tools);
    // The client waits for the first answer, and not for models and databases.
    let loader = thread::Builder::new().name("loader".to_owned()).spawn(move || load(&config, &announcer));
    let loader = loader.map_err(|error| Failure::new(&codes::INTERNAL, format!("no thread: {error}")))?;
    let served = serve(door);
    let loaded = loader.join().unwrap_or(None);
    if let Some((installation, background)) = loaded {
        drop(background);
        let flushed = installation.service.upkeep().flush_reads();
        if let Err(error) = installation.service.upkeep().flush_rehearsals() {
            tracing::warn!(code = error.code(), "the last rehearsals are lost");
        }
        installation.service.upkeep().close_all();
        flushed?;
    }
    served
}

fn load(config: &Config, announcer: &Announcer) -> Option<(Installation, Background)> {
    let assembled = assemble_locked(config).and_then(|installation| {
        if let Err(failure) = installation.unlock(false) {
            tracing::warn!(code = failure.code.name, "the vault stays locked");
        }
        let Installation { service, store, webhooks, .. } = &installation;
        let background = Background::start(
            service,
            store,
            webhooks,
            config.idle_seal,
            config.close_every(),
            config.schedule,
            || {},
        );
        let background =
            background.map_err(|error| Failure::new(&codes::INTERNAL, format!("no thread: {error}")))?;
        Ok((installation, background))
    });
    match assembled {
        Ok((installation, background)) => {
            announcer.here(installation.service.clone(), assistant_of(&installation.local));
            if let Err(error) = installation.service.upkeep().warm_up() {
                tracing::warn!(code = error.code(), "the first write will wait");
            }
            Some((installation, background))
        }
        Err(failure) => {
            tracing::error!(code = failure.code.name, detail = failure.detail, "the memory cannot be used");
            announcer.failed(failure);
            None
        }
    }
}

/// An assistant acts for the user, and administers nothing.
fn assistant_of(local: &Caller) -> Caller {
    Caller { roles: vec![Role::User], ..local.clone() }
}

fn serve(door: Door) -> Result<()> {
    let broken = |reason: String| Failure::new(&codes::OUTPUT_FAILED, reason);
    let runtime = crate::ram::runtime();
    let runtime = runtime.map_err(|error| broken(error.to_string()))?;
    let served = runtime.block_on(async {
        let mut interrupt = signal(SignalKind::interrupt()).map_err(|error| broken(error.to_string()))?;
        let mut terminate = signal(SignalKind::terminate()).map_err(|error| broken(error.to_string()))?;
        tokio::select! {
            served = talk(door) => served,
            _ = interrupt.recv() => Ok(()),
            _ = terminate.recv() => Ok(()),
        }
    });
    // Blocking work may be in the middle of a commit: wait for it, within reason.
    runtime.shutdown_timeout(SHUTDOWN_GRACE);
    served
}

/// Until the client closes its end. One that goes before it has said anything is no failure.
async fn talk(door: Door) -> Result<()> {
    let Ok(running) = rmcp::serve_server(door, stdio_pipes()).await else { return Ok(()) };
    running.waiting().await.map(drop).map_err(|_| Failure::new(&codes::INTERNAL, codes::INTERNAL.meaning))
}

//! Opens the console in the browser, signed in by a link that works once.

use std::net::{SocketAddr, TcpStream};
use std::process::{Command, Stdio};
use std::time::Duration;

use clap::Args;
use lacuna_core::SignIns;
use serde::Serialize;

use super::output::Output;
use super::serve;
use crate::assemble::{Installation, assemble};
use crate::codes;
use crate::config::Config;
use crate::wire::failure::{Failure, Result};

/// Time that a running server has to take a connection.
const CONNECT_PATIENCE: Duration = Duration::from_millis(500);
/// Programs that open an address, by the habits of systems.
const OPENERS: [&str; 2] = ["xdg-open", "open"];

#[derive(Args)]
pub(super) struct OpenArgs {
    /// Print the link and start no browser.
    #[arg(long)]
    no_browser: bool,
}

#[derive(Serialize)]
struct Opened {
    link: String,
}

pub(super) fn run(config: Config, args: &OpenArgs, output: &Output) -> Result<()> {
    if !serve::is_local_only(&config) {
        let reason = "this installation serves other machines: open its address and sign in with a token";
        return Err(Failure::new(&codes::USAGE, reason));
    }
    if is_served(config.listen) {
        let scheme = if config.http.tls.is_some() { "https" } else { "http" };
        let installation = assemble(&config)?;
        return greet(&installation, &format!("{scheme}://{}", config.listen), args, output);
    }
    serve::run_greeting(config, output, |installation, address| greet(installation, address, args, output))
}

fn is_served(address: SocketAddr) -> bool {
    address.port() != 0 && TcpStream::connect_timeout(&address, CONNECT_PATIENCE).is_ok()
}

fn greet(installation: &Installation, address: &str, args: &OpenArgs, output: &Output) -> Result<()> {
    let token = SignIns::of(&installation.service).make(&installation.local)?;
    let opened = Opened { link: format!("{address}/console/enter/{token}") };
    output.show(&opened, |opened| {
        format!(
            "Your memory is at {address}/\nThis link signs you in, once, within two minutes:\n{}",
            opened.link
        )
    })?;
    if !args.no_browser && !output.is_json() {
        start_browser(&opened.link);
    }
    Ok(())
}

/// Starts a browser if there is one. The link is printed in any case.
fn start_browser(link: &str) {
    for opener in OPENERS {
        let mut command = Command::new(opener);
        command.arg(link).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        if command.spawn().is_ok() {
            return;
        }
    }
}

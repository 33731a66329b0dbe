//! The passphrase of the person over their own vault: `lacuna keys protect`, `unlock`, `lock` and their relatives.

use std::io::{self, IsTerminal};
use std::time::Duration;

use clap::Args;
use lacuna_core::VaultLocks;
use lacuna_core::govern::VaultSecret;
use lacuna_models::{http_agent, is_loopback_host};
use serde_json::{Value, json};
use ureq::http::{Request, Uri};
use zeroize::Zeroizing;

use super::output::{Output, fields};
use crate::assemble::{Installation, VAULT_PASSPHRASE, assemble_locked, vault_passphrase};
use crate::codes;
use crate::config::Config;
use crate::passphrase::refuse_weak;
use crate::wire::failure::{Failure, Result};
use crate::wire::{LOST_MEANS_LOST, ProtectedView, ProtectionView};

const NEW_PASSPHRASE: &str = "LACUNA_NEW_VAULT_PASSPHRASE";
const RECOVERY_CODE: &str = "LACUNA_RECOVERY_CODE";
const TOKEN: &str = "LACUNA_TOKEN";
/// Time for the answer of the server, which stretches the passphrase.
const ANSWER_TIME: Duration = Duration::from_secs(60);
const ANSWER_BYTES_MAX: u64 = 64 << 10;

#[derive(Args)]
pub(super) struct ProtectArgs {
    /// Do not ask whether a loss of passphrase and code is understood.
    #[arg(long)]
    yes: bool,
}

#[derive(Args)]
pub(super) struct UnlockArgs {
    /// Minutes until the vault locks itself again, from 1 to 720 [default: 60].
    #[arg(long, value_name = "MINUTES")]
    minutes: Option<u16>,
    #[command(flatten)]
    server: ServerArgs,
}

#[derive(Args)]
pub(super) struct ServerArgs {
    /// The address of the server [default: the one of this configuration]. A token is taken from LACUNA_TOKEN.
    #[arg(long, value_name = "URL")]
    server: Option<String>,
}

/// Puts the local user's vault under a passphrase.
pub(super) fn protect(config: &Config, args: &ProtectArgs, output: &Output) -> Result<()> {
    let installation = assemble_locked(config)?;
    let grant = installation.grant(None)?;
    if !args.yes {
        match output.ask(&format!("{LOST_MEANS_LOST} Go on?")) {
            Some(true) => {}
            Some(false) => return Err(Failure::new(&codes::DECLINED, "the vault is as it was")),
            None => {
                let reason = format!("{LOST_MEANS_LOST} There is no terminal to confirm it on; pass --yes");
                return Err(Failure::new(&codes::NEEDS_CONFIRMATION, reason));
            }
        }
    }
    let passphrase = new_passphrase(config, VAULT_PASSPHRASE)?;
    let code = VaultLocks::of(&installation.service).protect(&grant, &passphrase)?;
    output.show(&ProtectedView::of(&code, grant.scope()), protected)
}

/// Puts the vault under another passphrase, by the present one.
pub(super) fn change(config: &Config, output: &Output) -> Result<()> {
    let installation = assemble_locked(config)?;
    let present = present_passphrase()?;
    replace(config, &installation, &VaultSecret::Passphrase(&present), output)
}

/// Puts the vault under another passphrase, by the recovery code.
pub(super) fn recover(config: &Config, output: &Output) -> Result<()> {
    let installation = assemble_locked(config)?;
    let code = secret(RECOVERY_CODE, "Recovery code: ")?;
    replace(config, &installation, &VaultSecret::RecoveryCode(&code), output)
}

fn replace(
    config: &Config,
    installation: &Installation,
    by: &VaultSecret<'_>,
    output: &Output,
) -> Result<()> {
    let passphrase = new_passphrase(config, NEW_PASSPHRASE)?;
    let grant = installation.grant(None)?;
    let code = VaultLocks::of(&installation.service).change(&grant, by, &passphrase)?;
    output.show(&ProtectedView::of(&code, grant.scope()), protected)
}

/// Takes the vault from under its passphrase.
pub(super) fn unprotect(config: &Config, output: &Output) -> Result<()> {
    let installation = assemble_locked(config)?;
    let present = present_passphrase()?;
    let (grant, locks) = (installation.grant(None)?, VaultLocks::of(&installation.service));
    locks.unprotect(&grant, &VaultSecret::Passphrase(&present))?;
    output.show(&ProtectionView::of(locks.state(&grant)?, grant.scope()), shown)
}

/// Shows whether the vault is protected.
pub(super) fn show(config: &Config, output: &Output) -> Result<()> {
    let installation = assemble_locked(config)?;
    let grant = installation.grant(None)?;
    let state = VaultLocks::of(&installation.service).state(&grant)?;
    output.show(&ProtectionView::of(state, grant.scope()), shown)
}

/// Unlocks the caller's vault on a running server, where it stays unlocked for a while.
pub(super) fn unlock(config: &Config, args: &UnlockArgs, output: &Output) -> Result<()> {
    let passphrase = present_passphrase()?;
    let mut body = json!({ "passphrase": passphrase.as_str() });
    if let Some(minutes) = args.minutes {
        body["minutes"] = minutes.into();
    }
    told(&ask_server(config, &args.server, "/v1/unlock", Some(&body))?, output)
}

/// Locks the caller's vault on a running server at once.
pub(super) fn lock(config: &Config, args: &ServerArgs, output: &Output) -> Result<()> {
    told(&ask_server(config, args, "/v1/lock", None)?, output)
}

fn told(answer: &Value, output: &Output) -> Result<()> {
    output.show(answer, |answer| match answer["unlocked_until"].as_str() {
        Some(until) => format!("your vault is unlocked on the server until {until}"),
        None if answer["protected"] == true => "your vault is locked on the server".to_owned(),
        None => "your vault has no passphrase".to_owned(),
    })
}

fn ask_server(config: &Config, server: &ServerArgs, path: &str, body: Option<&Value>) -> Result<Value> {
    let scheme = if config.http.tls.is_some() { "https" } else { "http" };
    let url = server.server.clone().unwrap_or_else(|| format!("{scheme}://{}", config.listen));
    let url = url.trim_end_matches('/');
    if !url.starts_with("https://")
        && !url.parse::<Uri>().is_ok_and(|uri| uri.host().is_some_and(is_loopback_host))
    {
        return Err(Failure::new(&codes::USAGE, "a passphrase goes to another machine over https only"));
    }
    let mut request = Request::post(format!("{url}{path}"));
    if let Some(token) = std::env::var_os(TOKEN).and_then(|token| token.into_string().ok()) {
        request = request.header("authorization", format!("Bearer {token}"));
    }
    let bytes = Zeroizing::new(body.map_or_else(Vec::new, |body| body.to_string().into_bytes()));
    if body.is_some() {
        request = request.header("content-type", "application/json");
    }
    let request =
        request.body(bytes.as_slice()).map_err(|_| Failure::new(&codes::USAGE, "the URL cannot be read"))?;
    let unreached = || {
        let reason = format!(
            "no server answers at {url}. A single command takes the passphrase from {VAULT_PASSPHRASE}, or asks for it"
        );
        Failure::new(&codes::NO_SERVER, reason)
    };
    let mut answer = http_agent(url, ANSWER_TIME).run(request).map_err(|_| unreached())?;
    let text = answer.body_mut().with_config().limit(ANSWER_BYTES_MAX).read_to_string();
    let answered: Value =
        text.ok().and_then(|text| serde_json::from_str(&text).ok()).ok_or_else(unreached)?;
    match answer.status().is_success() {
        true => Ok(answered),
        false => Err(refused(&answered)),
    }
}

/// The failure that a server told, under its own code.
fn refused(problem: &Value) -> Failure {
    let code = problem["code"].as_str().and_then(codes::by_name).unwrap_or(&codes::INTERNAL);
    Failure::new(code, problem["detail"].as_str().unwrap_or(code.meaning))
}

fn protected(view: &ProtectedView) -> String {
    let lines = fields([("protected", view.scope.clone()), ("recovery code", view.recovery_code.clone())]);
    format!("{lines}\n{}\nWrite the code down now: it is not shown again.", view.note)
}

fn shown(view: &ProtectionView) -> String {
    match (view.protected, view.unlocked_until) {
        (false, _) => format!("{} has no passphrase: the keys of the installation open it", view.scope),
        (true, None) => format!("{} opens only with your passphrase", view.scope),
        (true, Some(until)) => format!("{} is unlocked here until {until}", view.scope),
    }
}

fn present_passphrase() -> Result<Zeroizing<String>> {
    match vault_passphrase()? {
        Some(given) => Ok(given),
        None => typed("Passphrase of your vault: "),
    }
}

/// A new passphrase; typed blindly, so typed twice.
fn new_passphrase(config: &Config, variable: &str) -> Result<Zeroizing<String>> {
    if let Some(given) = from_environment(variable)? {
        refuse_weak(&given, config.weak_passphrase)?;
        return Ok(given);
    }
    let first = typed("New passphrase for your vault: ")?;
    refuse_weak(&first, config.weak_passphrase)?;
    if typed("Once more: ")? != first {
        return Err(Failure::new(&codes::USAGE, "the two passphrases differ; nothing was changed"));
    }
    Ok(first)
}

fn secret(variable: &str, question: &str) -> Result<Zeroizing<String>> {
    match from_environment(variable)? {
        Some(given) => Ok(given),
        None => typed(question),
    }
}

fn from_environment(variable: &str) -> Result<Option<Zeroizing<String>>> {
    let Some(given) = std::env::var_os(variable) else { return Ok(None) };
    let text = given.into_string();
    let text = text.map_err(|_| Failure::new(&codes::USAGE, format!("{variable} is not UTF-8")))?;
    Ok(Some(Zeroizing::new(text)).filter(|text| !text.is_empty()))
}

fn typed(question: &str) -> Result<Zeroizing<String>> {
    if !io::stdin().is_terminal() {
        let reason = "no passphrase was given, and nobody is at a terminal to type one";
        return Err(Failure::new(&codes::VAULT_LOCKED, reason));
    }
    let typed = rpassword::prompt_password(question);
    let typed = typed.map_err(|error| Failure::new(&codes::INPUT_UNREADABLE, error.to_string()))?;
    Ok(Zeroizing::new(typed))
}

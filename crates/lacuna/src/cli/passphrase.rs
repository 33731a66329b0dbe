//! The passphrase of an export.

use std::io::{self, IsTerminal};

use zeroize::Zeroizing;

use crate::codes;
use crate::config::Config;
use crate::passphrase::refuse_weak;
use crate::wire::failure::{Failure, Result};

const VARIABLE: &str = "LACUNA_EXPORT_PASSPHRASE";

/// The passphrase that opens an export.
pub(super) fn to_open() -> Result<Zeroizing<String>> {
    match from_environment()? {
        Some(given) => Ok(given),
        None => prompt("Passphrase of the export: "),
    }
}

/// The passphrase for a new export. Typed blindly, so typed twice: nobody can open it without.
pub(super) fn to_seal(config: &Config) -> Result<Zeroizing<String>> {
    if let Some(given) = from_environment()? {
        refuse_weak(&given, config.weak_passphrase)?;
        return Ok(given);
    }
    let typed = prompt("Passphrase for the export: ")?;
    if typed.is_empty() {
        return Err(refused("the passphrase must not be empty"));
    }
    refuse_weak(&typed, config.weak_passphrase)?;
    if prompt("Once more: ")? != typed {
        return Err(refused("the two passphrases differ; nothing was written"));
    }
    Ok(typed)
}

fn from_environment() -> Result<Option<Zeroizing<String>>> {
    let Some(given) = std::env::var_os(VARIABLE) else { return Ok(None) };
    let text = given.into_string().map_err(|_| refused("LACUNA_EXPORT_PASSPHRASE is not UTF-8"))?;
    if text.is_empty() {
        return Err(refused("LACUNA_EXPORT_PASSPHRASE is empty"));
    }
    Ok(Some(Zeroizing::new(text)))
}

fn prompt(question: &str) -> Result<Zeroizing<String>> {
    if !io::stdin().is_terminal() {
        return Err(refused("no passphrase was given, and nobody is at a terminal to type one"));
    }
    let typed = rpassword::prompt_password(question)
        .map_err(|error| refused(&format!("the passphrase could not be read: {error}")))?;
    Ok(Zeroizing::new(typed))
}

fn refused(reason: &str) -> Failure {
    Failure::new(&codes::EXPORT_PASSPHRASE, reason)
}

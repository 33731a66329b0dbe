use clap::Subcommand;
use indicatif::ProgressBar;
use lacuna_core::govern::EpochRenewal;
use serde::Serialize;

use super::output::{Output, counted};
use crate::assemble::{assemble, assemble_unchecked};
use crate::codes;
use crate::config::Config;
use crate::wire::failure::{Failure, Result};

/// Skipped vaults that people are shown; `--json` has more.
const SKIPPED_SHOWN: usize = 10;

#[derive(Subcommand)]
pub(super) enum KeysCommand {
    /// Make a new epoch key, wrap every vault's root under it and destroy the old ones: older copies of the
    /// keystore go blind.
    RenewEpoch,
    /// Serve a database that is older than the anchor in the key folder says, as it is. What the erasure ledger
    /// names stays erased, and the organisation's audit records the act.
    AcceptRollback,
}

#[derive(Serialize)]
struct Renewed {
    epoch: u32,
    vaults: usize,
    destroyed: u32,
    /// Vaults that did not open, and why.
    skipped: Vec<Skipped>,
    /// Old epoch keys that stay, because these vaults need them.
    kept: Vec<u32>,
}

#[derive(Serialize)]
struct Skipped {
    vault_id: String,
    code: &'static str,
}

#[derive(Serialize)]
struct Accepted {
    behind: u64,
    vault_ids: Vec<String>,
}

pub(super) fn run(config: &Config, command: KeysCommand, output: &Output) -> Result<()> {
    match command {
        KeysCommand::RenewEpoch => renew(config, output),
        KeysCommand::AcceptRollback => accept(config, output),
    }
}

fn renew(config: &Config, output: &Output) -> Result<()> {
    let installation = assemble(config)?;
    let bar = ProgressBar::new_spinner();
    let renewal = installation
        .service
        .renew_epoch(&installation.admin_grant()?, |vaults| bar.set_position(vaults as u64));
    bar.finish_and_clear();
    let answer = Renewed::of(renewal?);
    output.show(&answer, people)?;
    match answer.kept.as_slice() {
        [] => Ok(()),
        kept => {
            let vaults = counted(answer.skipped.len(), "vault was", "vaults were");
            let epochs: Vec<_> = kept.iter().map(u32::to_string).collect();
            let keys = if kept.len() == 1 { "epoch key" } else { "epoch keys" };
            let detail = format!("{vaults} skipped, and {keys} {} stay for them", epochs.join(", "));
            Err(Failure::new(&codes::EPOCH_KEPT, detail))
        }
    }
}

fn accept(config: &Config, output: &Output) -> Result<()> {
    let installation = assemble_unchecked(config)?;
    let accepted = installation.service.upkeep().accept_rollback(&installation.admin_grant()?)?;
    let vault_ids = accepted.named.iter().map(ToString::to_string).collect();
    output.show(&Accepted { behind: accepted.behind, vault_ids }, |answer| match answer.behind {
        0 => "no vault was behind its anchor".to_owned(),
        behind => format!(
            "{} behind and served again as the database has it; what the ledger names stays erased",
            counted(behind as usize, "vault was", "vaults were")
        ),
    })
}

impl Renewed {
    fn of(renewal: EpochRenewal) -> Self {
        let EpochRenewal { epoch, vaults, destroyed, skipped, kept } = renewal;
        let skipped = skipped.into_iter();
        let skipped =
            skipped.map(|one| Skipped { vault_id: one.vault.to_string(), code: one.code }).collect();
        Self { epoch, vaults, destroyed, skipped, kept }
    }
}

fn people(answer: &Renewed) -> String {
    let vaults = counted(answer.vaults, "vault", "vaults");
    let keys = counted(answer.destroyed as usize, "old epoch key", "old epoch keys");
    let epoch = answer.epoch;
    let mut text = format!("epoch {epoch} wraps {vaults}; {keys} destroyed");
    text.push_str(if answer.kept.is_empty() { ": older copies of the keystore are blind" } else { "" });
    for Skipped { vault_id, code } in answer.skipped.iter().take(SKIPPED_SHOWN) {
        text.push_str(&format!("\nskipped {vault_id} ({code})"));
    }
    text
}

use clap::Subcommand;
use indicatif::ProgressBar;
use serde::Serialize;

use super::output::{Output, counted};
use crate::assemble::assemble;
use crate::config::Config;
use crate::wire::failure::Result;

#[derive(Subcommand)]
pub(super) enum KeysCommand {
    /// Make a new epoch key, wrap every vault's root under it and destroy the old ones: older copies of the
    /// keystore go blind.
    RenewEpoch,
}

#[derive(Serialize)]
struct Renewed {
    epoch: u32,
    vaults: usize,
    destroyed: u32,
}

pub(super) fn run(config: &Config, command: KeysCommand, output: &Output) -> Result<()> {
    let installation = assemble(config)?;
    match command {
        KeysCommand::RenewEpoch => {
            let bar = ProgressBar::new_spinner();
            let renewal = installation
                .service
                .renew_epoch(&installation.admin_grant()?, |vaults| bar.set_position(vaults as u64));
            bar.finish_and_clear();
            let renewal = renewal?;
            let answer =
                Renewed { epoch: renewal.epoch, vaults: renewal.vaults, destroyed: renewal.destroyed };
            output.show(&answer, |answer| {
                let vaults = counted(answer.vaults, "vault", "vaults");
                let keys = counted(answer.destroyed as usize, "old epoch key", "old epoch keys");
                let epoch = answer.epoch;
                format!(
                    "epoch {epoch} wraps {vaults}; {keys} destroyed: older copies of the keystore are blind"
                )
            })
        }
    }
}

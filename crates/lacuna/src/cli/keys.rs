use clap::Subcommand;
use indicatif::ProgressBar;
use lacuna_core::Custodian;
use lacuna_core::govern::{EpochRenewal, KeyRotation, SkippedVault};
use lacuna_core::permit::{Caller, permit};
use lacuna_types::OrgId;
use serde::Serialize;

use super::output::{Output, counted, table};
use super::protection::{self, ProtectArgs, ServerArgs, UnlockArgs};
use crate::assemble::{assemble, assemble_unchecked};
use crate::codes;
use crate::config::{Config, CustodyKind};
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
    /// Make the next version of the organisation's master key and wrap every vault under it. Both versions open vaults
    /// meanwhile, and the old one is destroyed at the end.
    Rotate {
        /// The organisation [default: that of the configuration].
        #[arg(long, value_name = "ORG")]
        org: Option<String>,
    },
    /// Show where the keys are, and how far the vaults of each organisation follow its master key.
    Status,
    /// Put your own vault under a passphrase of yours: nobody, the operator included, opens it without. Shows a recovery
    /// code once.
    Protect(ProtectArgs),
    /// Take your vault from under its passphrase.
    Unprotect,
    /// Put your vault under another passphrase. Shows a new recovery code once.
    ChangePassphrase,
    /// Put your vault under another passphrase by its recovery code. Shows a new recovery code once.
    Recover,
    /// Show whether your vault is under a passphrase.
    Protection,
    /// Unlock your vault on a running server for a while.
    Unlock(UnlockArgs),
    /// Lock your vault on a running server at once.
    Lock(ServerArgs),
    /// Move all keys to another custody. The old ones are destroyed after each was read back from the new one.
    Move {
        /// `local`, `openbao` or `aws`. Its settings must be there already; custody.kind still names the present one.
        #[arg(long, value_name = "CUSTODY")]
        to: String,
    },
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
        KeysCommand::Rotate { org } => rotate(config, org.as_deref(), output),
        KeysCommand::Status => status(config, output),
        KeysCommand::Protect(args) => protection::protect(config, &args, output),
        KeysCommand::Unprotect => protection::unprotect(config, output),
        KeysCommand::ChangePassphrase => protection::change(config, output),
        KeysCommand::Recover => protection::recover(config, output),
        KeysCommand::Protection => protection::show(config, output),
        KeysCommand::Unlock(args) => protection::unlock(config, &args, output),
        KeysCommand::Lock(args) => protection::lock(config, &args, output),
        KeysCommand::Move { to } => super::key_move::run(config, &to, output),
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

#[derive(Serialize)]
struct Rotated {
    org: String,
    version: u32,
    vaults: u64,
    destroyed: u32,
    /// Vaults that did not open, and why.
    skipped: Vec<Skipped>,
    /// Old versions that stay, because these vaults need them.
    kept: Vec<u32>,
}

fn rotate(config: &Config, org: Option<&str>, output: &Output) -> Result<()> {
    let installation = assemble(config)?;
    let org = org.map(OrgId::new).transpose()?.unwrap_or_else(|| installation.local.org.clone());
    let operator = Caller { org: org.clone(), ..installation.local.clone() };
    let grant = permit(&operator, &operator.org_scope())?;
    let bar = ProgressBar::new_spinner();
    let rotation = Custodian::of(&installation.service).rotate(&grant, |vaults| bar.set_position(vaults));
    bar.finish_and_clear();
    let KeyRotation { version, vaults, destroyed, skipped, kept } = rotation?;
    let answer = Rotated { org: org.to_string(), version, vaults, destroyed, skipped: named(skipped), kept };
    output.show(&answer, |answer| {
        let vaults = counted(answer.vaults as usize, "vault", "vaults");
        let keys = counted(answer.destroyed as usize, "old version", "old versions");
        let text = format!(
            "version {} of the master key of {} wraps {vaults}; {keys} destroyed",
            answer.version, answer.org
        );
        with_skipped(text, &answer.skipped)
    })?;
    match answer.skipped.len() {
        0 => Ok(()),
        left => {
            let vaults = counted(left, "vault was", "vaults were");
            Err(Failure::new(
                &codes::ROTATION_UNFINISHED,
                format!("{vaults} skipped, and old versions stay for them"),
            ))
        }
    }
}

#[derive(Serialize)]
struct Standing {
    custody: String,
    organisations: Vec<OrgStanding>,
}

#[derive(Serialize)]
struct OrgStanding {
    org: String,
    version: u32,
    versions: Vec<u32>,
    vaults: u64,
    outdated: u64,
    /// The name of the organisation's key in a key management service.
    #[serde(skip_serializing_if = "Option::is_none")]
    service_key: Option<String>,
}

fn status(config: &Config, output: &Output) -> Result<()> {
    let installation = assemble(config)?;
    let custodian = Custodian::of(&installation.service);
    let in_service = config.custody.kind != CustodyKind::Local;
    let organisations = custodian.status(&installation.admin_grant()?)?.into_iter().map(|one| OrgStanding {
        org: one.org.to_string(),
        version: one.version,
        versions: one.versions,
        vaults: one.vaults,
        outdated: one.outdated,
        service_key: in_service.then(|| format!("{}-{}", config.custody.prefix, one.service_key)),
    });
    let answer = Standing { custody: custodian.place(), organisations: organisations.collect() };
    output.show(&answer, |answer| {
        let rows = answer.organisations.iter().map(|one| {
            let versions: Vec<_> = one.versions.iter().map(u32::to_string).collect();
            let done = format!("{} of {}", one.vaults - one.outdated, one.vaults);
            let key = one.service_key.clone().unwrap_or_default();
            [one.org.clone(), one.version.to_string(), versions.join(", "), done, key]
        });
        let shown =
            table(["organisation", "version", "in custody", "vaults under it", "key of the service"], rows);
        format!("keys are in {}\n{shown}", answer.custody)
    })
}

fn named(skipped: Vec<SkippedVault>) -> Vec<Skipped> {
    skipped.into_iter().map(|one| Skipped { vault_id: one.vault.to_string(), code: one.code }).collect()
}

fn with_skipped(mut text: String, skipped: &[Skipped]) -> String {
    for Skipped { vault_id, code } in skipped.iter().take(SKIPPED_SHOWN) {
        text.push_str(&format!("\nskipped {vault_id} ({code})"));
    }
    text
}

impl Renewed {
    fn of(renewal: EpochRenewal) -> Self {
        let EpochRenewal { epoch, vaults, destroyed, skipped, kept } = renewal;
        Self { epoch, vaults, destroyed, skipped: named(skipped), kept }
    }
}

fn people(answer: &Renewed) -> String {
    let vaults = counted(answer.vaults, "vault", "vaults");
    let keys = counted(answer.destroyed as usize, "old epoch key", "old epoch keys");
    let epoch = answer.epoch;
    let mut text = format!("epoch {epoch} wraps {vaults}; {keys} destroyed");
    text.push_str(if answer.kept.is_empty() { ": older copies of the keystore are blind" } else { "" });
    with_skipped(text, &answer.skipped)
}

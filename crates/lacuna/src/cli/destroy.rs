use clap::Args;

use super::args::ScopeArgs;
use super::output::{Output, counted, fields};
use crate::assemble::assemble;
use crate::codes;
use crate::config::Config;
use crate::wire::DestroyAnswer;
use crate::wire::failure::{Failure, Result};

#[derive(Args)]
pub(super) struct DestroyArgs {
    /// Do not ask.
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    scope: ScopeArgs,
}

/// Plans, asks, and destroys.
pub(super) fn run(config: &Config, args: &DestroyArgs, output: &Output) -> Result<()> {
    let installation = assemble(config)?;
    let grant = installation.grant(args.scope.as_deref())?;
    let plan = installation.service.plan_destroy(&grant)?;
    if !args.yes {
        let question = format!(
            "Destroy {} with {}? It cannot be undone, not from any backup.",
            grant.scope().holder,
            counted(plan.memories as usize, "memory", "memories")
        );
        match output.ask(&question) {
            Some(true) => {}
            Some(false) => return Err(Failure::new(&codes::DECLINED, "nothing was destroyed")),
            None => {
                let reason = "there is no terminal to confirm it on; pass --yes to destroy it";
                return Err(Failure::new(&codes::NEEDS_CONFIRMATION, reason));
            }
        }
    }
    let done = installation.service.destroy(&grant, &plan.token)?;
    output.show(&DestroyAnswer::done(done, grant.scope()), |answer| {
        let Some(done) = &answer.destroyed else { return String::new() };
        let receipt = done.receipt.as_ref().map(|receipt| receipt.receipt.clone());
        fields([
            ("destroyed", answer.scope.clone()),
            ("receipt", receipt.unwrap_or_default()),
            ("record", done.number.to_string()),
            ("records", done.records.to_string()),
            ("vectors", done.vectors.to_string()),
            ("blobs", done.blobs.to_string()),
            ("keys", done.keys.to_string()),
        ])
    })
}

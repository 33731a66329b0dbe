//! Legal holds: placed, confirmed by a second operator, listed and ended.

use clap::{Args, Subcommand};
use jiff::Timestamp;
use lacuna_core::LegalHolds;
use lacuna_core::permit::ForgetPerson;

use super::args::words;
use super::output::{Output, table};
use crate::assemble::{Installation, assemble};
use crate::config::Config;
use crate::wire::failure::Result;
use crate::wire::{HoldBody, HoldList, HoldView, read_number, words as sets};

#[derive(Subcommand)]
pub(super) enum HoldCommand {
    /// Place a hold on a vault, on a time in it, or on a subject in every vault.
    Place(HoldArgs),
    /// Confirm a hold that another operator placed; from here on it stands.
    Confirm { hold: String },
    /// End a hold before its day; what was deferred is erased by the next purge.
    End { hold: String },
    /// All holds of the organisation.
    List,
    /// The holds on your own vault that you may know of.
    Mine,
}

#[derive(Args)]
pub(super) struct HoldArgs {
    /// The ground.
    #[arg(long, value_parser = words::<sets::HoldReason, _>(sets::HoldReason::all()))]
    reason: sets::HoldReason,
    /// Days after which it ends by itself.
    #[arg(long)]
    days: i64,
    /// The vault: user:NAME, team:NAME, org or deployment:NAME.
    #[arg(long, value_name = "SCOPE", conflicts_with = "subject")]
    scope: Option<String>,
    /// Only memories created at this time or later.
    #[arg(long, value_name = "TIME", requires = "scope")]
    from: Option<Timestamp>,
    /// Only memories created before this time.
    #[arg(long, value_name = "TIME", requires = "scope")]
    until: Option<Timestamp>,
    /// Whatever mentions this name, in every vault.
    #[arg(long, value_name = "NAME")]
    subject: Option<String>,
    /// Let the owner of the vault see it; the law may forbid that.
    #[arg(long)]
    tell: bool,
}

pub(super) fn run(config: &Config, command: HoldCommand, output: &Output) -> Result<()> {
    let installation = assemble(config)?;
    let holds = LegalHolds::of(&installation.service);
    let now = installation.service.clock().now();
    let one = |hold: &lacuna_core::vault::Hold, output: &Output| output.show(&HoldView::of(hold, now), told);
    match command {
        HoldCommand::Place(args) => {
            let HoldArgs { reason, days, scope, from, until, subject, tell } = args;
            let body = HoldBody { reason, days, scope, from, until, subject, tell };
            one(&holds.place(&grant(&installation)?, body.into_core(&installation.local)?)?, output)
        }
        HoldCommand::Confirm { hold } => {
            one(&holds.confirm(&grant(&installation)?, read_number("hold", &hold)?)?, output)
        }
        HoldCommand::End { hold } => {
            one(&holds.end(&grant(&installation)?, read_number("hold", &hold)?)?, output)
        }
        HoldCommand::List => output.show(&HoldList::of(&holds.list(&grant(&installation)?)?, now), listed),
        HoldCommand::Mine => {
            output.show(&HoldList::of(&holds.told(&installation.grant(None)?)?, now), listed)
        }
    }
}

fn grant(installation: &Installation) -> Result<lacuna_core::permit::Grant<ForgetPerson>> {
    installation.admin_grant()
}

fn state(hold: &HoldView) -> String {
    let day = |at: Timestamp| at.strftime("%Y-%m-%d").to_string();
    match (hold.ended_at, &hold.confirmed_by) {
        (Some(at), _) => format!("ended on {}", day(at)),
        (None, None) => "waits for a second operator".to_owned(),
        (None, Some(_)) if hold.stands => format!("stands until {}", day(hold.until)),
        (None, Some(_)) => format!("ended on {}", day(hold.until)),
    }
}

fn told(hold: &HoldView) -> String {
    format!("{} ({}, {}) {}", hold.hold, hold.reason, hold.reach, state(hold))
}

fn listed(list: &HoldList) -> String {
    if list.holds.is_empty() {
        return "no hold".to_owned();
    }
    let rows = list
        .holds
        .iter()
        .map(|hold| [hold.hold.clone(), hold.reason.to_string(), hold.reach.to_owned(), state(hold)]);
    table(["hold", "reason", "reach", "state"], rows)
}

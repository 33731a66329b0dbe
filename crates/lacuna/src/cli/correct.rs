use clap::Args;
use lacuna_core::permit::{Recall, permit};
use lacuna_core::write::{Corrected, Outcome};

use super::args::{ScopeArgs, words};
use super::output::{Output, line};
use crate::assemble::{Installation, assemble};
use crate::codes;
use crate::config::Config;
use crate::wire::failure::{Failure, Result};
use crate::wire::{self, CorrectRequest, CorrectedView};

#[derive(Args)]
pub(super) struct CorrectArgs {
    /// Subject of the memory, in plain words; left out with --id.
    #[arg(required_unless_present = "id", conflicts_with = "id")]
    about: Option<String>,
    /// The right text.
    #[arg(allow_hyphen_values = true)]
    text: String,
    /// The memory to correct.
    #[arg(long, value_name = "MEMORY_ID")]
    id: Option<String>,
    /// The legal basis for keeping personal data.
    #[arg(long, value_name = "BASIS", value_parser = words::<wire::ConsentBasis, _>(wire::ConsentBasis::all()))]
    consent: Option<wire::ConsentBasis>,
    /// Confirm whatever the gate asks.
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    scope: ScopeArgs,
}

pub(super) fn run(config: &Config, args: CorrectArgs, output: &Output) -> Result<()> {
    let installation = assemble(config)?;
    let grant = installation.grant(args.scope.as_deref())?;
    let correct = |confirm: Option<String>| -> Result<Corrected> {
        let request = CorrectRequest {
            memory_id: args.id.clone(),
            about: args.about.clone(),
            content: args.text.clone(),
            consent_basis: args.consent,
            confirm,
            scope: None,
        };
        let (what, draft) = request.into_core()?;
        Ok(installation.service.correct(&grant, &what, draft)?)
    };
    let mut corrected = correct(None)?;
    if let (Corrected::Held(Outcome::Asked(asked)), true) = (&corrected, args.yes) {
        corrected = correct(Some(asked.token.clone()))?;
    }
    installation.service.upkeep().flush_reads()?;
    if let (Corrected::Which(ids), false) = (&corrected, output.is_json()) {
        return Err(which_one(&installation, args.scope.as_deref(), ids));
    }
    super::settle::settle(&installation, output);
    output.show(&CorrectedView::of(corrected, grant.scope())?, |view| {
        let now = view.memory.as_ref().map(|memory| memory.memory_id.clone()).unwrap_or_default();
        let replaced = view.replaced.clone().unwrap_or_default();
        let receipt = view.receipt.as_ref().map_or_else(String::new, |number| format!("\nreceipt {number}"));
        match (view.outcome, view.left_some) {
            ("corrected", true) => {
                format!("{now} takes the place of {replaced}; the rest of that sentence stays{receipt}")
            }
            ("corrected", false) => {
                format!("{now} takes the place of {replaced}, which is erased{receipt}")
            }
            _ => format!("{now} waits in the review; nothing was replaced"),
        }
    })
}

/// Says which memories may be meant, as far as the caller may read them.
fn which_one(installation: &Installation, scope: Option<&str>, ids: &[lacuna_types::MemoryId]) -> Failure {
    let scope = wire::read_scope(scope, &installation.local);
    let reading = scope.ok().and_then(|scope| permit::<Recall>(&installation.local, &scope).ok());
    let lines: Vec<String> = ids
        .iter()
        .map(|id| {
            let memory = reading.as_ref().and_then(|grant| installation.service.get(grant, *id).ok());
            let gist = memory.map(|memory| line(memory.content.gist.expose())).unwrap_or_default();
            format!("--id {id}  {gist}")
        })
        .collect();
    let reason = match lines.is_empty() {
        true => "nothing that is remembered is about that".to_owned(),
        false => format!("several memories may be meant\n  {}", lines.join("\n  ")),
    };
    Failure::new(&codes::UNCLEAR_REQUEST, reason)
}

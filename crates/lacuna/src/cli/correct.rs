use clap::Args;
use lacuna_core::Browse;
use lacuna_core::permit::{Grant, Recall, Remember, permit};
use lacuna_core::write::{Corrected, Correction, Outcome};

use super::args::{ScopeArgs, words};
use super::output::{Output, line};
use super::short_id::{self, Care, short};
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
    /// The memory to correct, by the id that a list shows.
    #[arg(long, value_name = "MEMORY_ID")]
    id: Option<String>,
    /// The legal basis for keeping personal data.
    #[arg(long, value_name = "BASIS", value_parser = words::<wire::ConsentBasis, _>(wire::ConsentBasis::all()))]
    consent: Option<wire::ConsentBasis>,
    /// Do not ask, and confirm whatever the gate asks.
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    scope: ScopeArgs,
}

pub(super) fn run(config: &Config, args: CorrectArgs, output: &Output) -> Result<()> {
    let installation = assemble(config)?;
    let scope = args.scope.as_deref();
    let grant = installation.grant(scope)?;
    let id = args.id.as_deref().map(|text| short_id::memory_id(&installation, scope, text, Care::Usual));
    let id = id.transpose()?.map(|id| id.to_string());
    let request = |confirm: Option<String>| CorrectRequest {
        memory_id: id.clone(),
        about: args.about.clone(),
        content: args.text.clone(),
        consent_basis: args.consent,
        confirm,
        scope: None,
    };
    if !output.is_json() {
        let what = request(None).into_core()?.0;
        agree(&installation, &grant, &what, &args, output)?;
    }
    let correct = |confirm: Option<String>| -> Result<Corrected> {
        let (what, draft) = request(confirm).into_core()?;
        Ok(installation.service.correct(&grant, &what, draft)?)
    };
    let mut corrected = correct(None)?;
    if let (Corrected::Held(Outcome::Asked(asked)), true) = (&corrected, args.yes) {
        corrected = correct(Some(asked.token.clone()))?;
    }
    installation.service.upkeep().flush_reads()?;
    super::settle::settle(&installation, output);
    output.show(&CorrectedView::of(corrected, grant.scope())?, told)
}

/// Shows the text that goes, and asks where there is somebody to ask.
fn agree(
    installation: &Installation,
    grant: &Grant<Remember>,
    what: &Correction,
    args: &CorrectArgs,
    output: &Output,
) -> Result<()> {
    let scope = args.scope.as_deref();
    let id = match Browse::of(&installation.service).corrected_by(grant, what, &args.text)? {
        Ok(id) => id,
        Err(ids) => return Err(which_one(installation, scope, &ids)),
    };
    // Whoever may correct a memory and not read it is not shown it.
    let reading = installation.grant::<Recall>(scope);
    if let Ok(old) = reading.and_then(|grant| Ok(installation.service.get(&grant, id)?)) {
        output.note(&format!("now  {}\nnew  {}", line(old.content.full_text().expose()), line(&args.text)));
    }
    if args.yes {
        return Ok(());
    }
    match output.ask("Put the new text in its place, and erase the old one?") {
        Some(false) => Err(Failure::new(&codes::DECLINED, "nothing was corrected")),
        Some(true) | None => Ok(()),
    }
}

fn told(view: &CorrectedView) -> String {
    let now = view.memory.as_ref().map(|memory| short(&memory.memory_id)).unwrap_or_default();
    let replaced = short(view.replaced.as_deref().unwrap_or_default());
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
            format!("--id {}  {gist}", short(&id.to_string()))
        })
        .collect();
    let reason = match lines.is_empty() {
        true => "nothing that is remembered is about that".to_owned(),
        false => format!("several memories may be meant\n  {}", lines.join("\n  ")),
    };
    Failure::new(&codes::UNCLEAR_REQUEST, reason)
}

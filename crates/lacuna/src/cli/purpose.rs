//! Purposes: sensitive categories closed to assistants and readers, and opened again.

use clap::Subcommand;
use lacuna_core::Purposes;

use super::args::words;
use super::output::Output;
use crate::assemble::assemble;
use crate::config::Config;
use crate::wire::failure::Result;
use crate::wire::{self, PurposeList};

#[derive(Subcommand)]
pub(super) enum PurposeCommand {
    /// Close a category to tokens of the roles agent and reader.
    Close {
        #[arg(value_parser = words::<wire::Sensitivity, _>(wire::Sensitivity::all()))]
        category: wire::Sensitivity,
    },
    /// Open a category again.
    Open {
        #[arg(value_parser = words::<wire::Sensitivity, _>(wire::Sensitivity::all()))]
        category: wire::Sensitivity,
    },
    /// The closed categories.
    List,
}

pub(super) fn run(config: &Config, command: PurposeCommand, output: &Output) -> Result<()> {
    let installation = assemble(config)?;
    let purposes = Purposes::of(&installation.service);
    let closed = match command {
        PurposeCommand::List => purposes.closed(&installation.grant(None)?)?,
        PurposeCommand::Close { category } => purposes.set(&installation.grant(None)?, category.0, true)?,
        PurposeCommand::Open { category } => purposes.set(&installation.grant(None)?, category.0, false)?,
    };
    let scope = installation.local.personal_scope();
    output.show(&PurposeList::of(closed, &scope), |list| match list.closed.is_empty() {
        true => "everything is open to your assistants and readers".to_owned(),
        false => {
            let names: Vec<String> = list.closed.iter().map(ToString::to_string).collect();
            format!("closed to your assistants and readers: {}", names.join(", "))
        }
    })
}

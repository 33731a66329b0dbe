//! `cargo xtask eval …`: how well things are found, measured on fixed sets.

mod paraphrase;

use crate::Result;

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Questions against facts that say it in other words, for each packed model.
    Paraphrase(paraphrase::Args),
}

pub(crate) fn run(command: Command) -> Result {
    match command {
        Command::Paraphrase(args) => paraphrase::run(&args),
    }
}

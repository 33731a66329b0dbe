//! `cargo xtask eval …`: quality of finding, of forgetting and of the gate, measured on fixed sets.

mod compaction;
mod context;
mod forget;
mod gate;
mod paraphrase;
mod recall;

use crate::Result;

/// Printed above every figure that was taken on data which the authors used while they wrote the code.
const DEVELOPMENT_NOTE: &str = "\n**Development figures.** The sets below were used while the code was written, so a \
figure on them says how well it knows them. The figure with one source left out is not measured yet.";

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Secrets and other texts that the gate should stop, and ordinary ones that it should let through.
    Gate(gate::Args),
    /// Long dialogues, their older half compacted, and what is still found.
    Compaction(compaction::Args),
    /// Turns of a person, and the memories that a section for the prompt brings.
    Context(context::Args),
    /// Facts, then corrections and requests to forget in plain words, then what still comes back.
    Forget(forget::Args),
    /// Questions against facts that say it in other words, for each packed model.
    Paraphrase(paraphrase::Args),
    /// Questions to conversations and facts: words alone, meaning alone, as a vault finds them, and left out.
    Recall(recall::Args),
}

pub(crate) fn run(command: Command) -> Result {
    match command {
        Command::Gate(args) => gate::run(&args),
        Command::Compaction(args) => compaction::run(&args),
        Command::Context(args) => context::run(&args),
        Command::Forget(args) => forget::run(&args),
        Command::Paraphrase(args) => paraphrase::run(&args),
        Command::Recall(args) => recall::run(&args),
    }
}

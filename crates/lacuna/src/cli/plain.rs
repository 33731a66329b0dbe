//! The command line in plain words: groups in the help, words that people try, and the operators' commands under `admin`.

use std::ffi::OsString;

use clap::{Command, CommandFactory as _};

use super::args::Cli;
use super::output::Output;
use crate::wire::failure::Result;

/// The group of the operators' commands.
const OPERATORS: &str = "Operators, also as `lacuna admin …`";

/// The commands by group with a sentence each, the everyday ones first. Every command is in one of them.
const GROUPS: [(&str, &[(&str, &str)]); 5] = [
    (
        "Everyday",
        &[
            ("open", "Open your memory as a page in the browser."),
            ("remember", "Remember a text, or many."),
            ("recall", "Find memories by meaning and words; also `search`."),
            ("list", "List memories, the newest first."),
            ("show", "Show one memory, where it comes from and how it fades."),
            ("correct", "Put right what is remembered wrong."),
            ("forget", "Forget by plain words: plan, confirm, erase, prove."),
            ("delete", "Erase one memory for good."),
            ("status", "Check that everything works; the same as `doctor`."),
        ],
    ),
    (
        "Conversations",
        &[
            ("session", "Start a conversation, append turns, read it, end it."),
            ("context", "Find memories for a turn, as a section for a prompt."),
            ("compact", "Summarise old turns, and archive them."),
            ("view", "Write what is remembered as plain text files."),
        ],
    ),
    (
        "Privacy",
        &[
            ("review", "Decide about memories that wait for your word."),
            ("consent", "Consent once to what may be kept about sensitive matters."),
            ("purpose", "Close sensitive matters to your assistants."),
            ("retention", "Show and set how long things are kept."),
            ("receipt", "List, show and verify receipts of what was forgotten."),
            ("audit", "Verify and list what was done, and by whom."),
            ("notices", "List erasures that a person asked for."),
            ("memory", "List, inspect, pin, hide, erase and move memories."),
            ("scan", "Look for secrets in a file or in what is stored."),
            ("export", "Write everything that is remembered to a file."),
            ("import", "Bring in an export of Lacuna or of another program."),
            ("persona", "Export, check, sign and import a persona document."),
            ("freeze", "Stop writes while reads go on."),
            ("thaw", "Take writes again."),
            ("destroy", "Destroy a vault with everything in it, for good."),
        ],
    ),
    (
        "Connecting",
        &[
            ("install", "Wire Lacuna into an assistant."),
            ("serve", "Answer over HTTP until interrupted."),
            ("mcp", "Answer an assistant over MCP."),
            ("memory-tool", "Carry out one command of Anthropic's memory tool."),
            ("hook", "Answer the hooks of an assistant."),
            ("demo", "Tell the whole story in a minute."),
            ("completions", "Print a script that completes commands in a shell."),
            ("man", "Print the manual page, or write all of them."),
        ],
    ),
    (
        OPERATORS,
        &[
            ("doctor", "Check folders, keys, databases, models and memories."),
            ("config", "Show and check the configuration."),
            ("policy", "Show and check the rules that memories live under."),
            ("jobs", "Show the scheduler's jobs, or run one now."),
            ("person", "Forget a person everywhere, at their request."),
            ("hold", "Place, confirm and end legal holds."),
            ("compliance", "Report what is stored, who sees it and how long."),
            ("store", "Make the schemas of a database, or print their SQL."),
            ("token", "Make, list and revoke API tokens."),
            ("scopes", "List the vaults that you may read."),
            ("team", "Say who belongs to a team and shares its vault."),
            ("deployment", "Say who belongs to a deployment and shares its vault."),
            ("keys", "Look after the keys; put your vault under a passphrase."),
            ("backup", "Write a backup, or list the full ones."),
            ("restore", "Put a backup back; what was forgotten stays so."),
            ("ledger", "Keep the list of what was erased, for a restore."),
        ],
    ),
];

/// Words that people try, and the commands that they mean.
const TRIED: [(&str, &[&str]); 5] = [
    ("search", &["recall"]),
    ("list", &["memory", "list"]),
    ("show", &["memory", "inspect"]),
    ("delete", &["memory", "delete"]),
    ("status", &["doctor"]),
];

/// Global options that take the next word as their value.
const VALUED: [&str; 5] = ["--config", "--data", "--org", "--as", "--embedder"];

const TEMPLATE_HEAD: &str = "{about-with-newline}\nUsage: lacuna [OPTIONS] <COMMAND>\n\n";
const TEMPLATE_END: &str = "\n{all-args}{after-help}";

/// The commands with a help that is sorted by what people do.
pub(super) fn command() -> Command {
    let groups: String = GROUPS.iter().map(|(title, commands)| group(title, commands)).collect();
    // The groups take the place of the one long list.
    let plain = Cli::command().mut_subcommands(|one| one.hide(true));
    plain.help_template(format!("{TEMPLATE_HEAD}{groups}{TEMPLATE_END}"))
}

/// The operators' commands, for `lacuna admin`.
pub(super) fn admin(output: &Output) -> Result<()> {
    let names: Vec<&str> = operators().iter().map(|(name, _)| *name).collect();
    output.show(&names, |_| group(OPERATORS, operators()))
}

fn operators() -> &'static [(&'static str, &'static str)] {
    GROUPS.iter().find(|(title, _)| *title == OPERATORS).map_or(&[], |(_, commands)| commands)
}

fn group(title: &str, commands: &[(&str, &str)]) -> String {
    let line = |(name, sentence): &(&str, &str)| format!("  {name:<12} {sentence}\n");
    format!("{title}:\n{}\n", commands.iter().map(line).collect::<String>())
}

/// The arguments with `admin` and tried words replaced by the commands that they mean.
pub(super) fn expanded(args: Vec<OsString>) -> Vec<OsString> {
    let Some(at) = first_word(&args, 1) else { return args };
    let word = args[at].to_string_lossy().into_owned();
    let mut args = args;
    if word == "admin" {
        let next = first_word(&args, at + 1).map(|next| args[next].to_string_lossy().into_owned());
        if next.is_some_and(|next| operators().iter().any(|(name, _)| *name == next)) {
            args.remove(at);
        }
    } else if let Some((_, meant)) = TRIED.iter().find(|(tried, _)| *tried == word) {
        args.splice(at..=at, meant.iter().map(OsString::from));
    }
    args
}

/// The place of the first argument from `from` on that is no option and no option's value.
fn first_word(args: &[OsString], from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(arg) = args.get(at) {
        let arg = arg.to_string_lossy();
        match arg.as_ref() {
            valued if VALUED.contains(&valued) => at += 2,
            option if option.starts_with('-') => at += 1,
            _ => return Some(at),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn expanded_text(line: &str) -> String {
        let args = expanded(line.split(' ').map(OsString::from).collect());
        args.iter().map(|arg| arg.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn every_command_is_in_one_group_and_has_a_sentence_that_fits() {
        let command = Cli::command();
        let there: BTreeSet<&str> =
            command.get_subcommands().map(Command::get_name).filter(|name| *name != "admin").collect();
        let tried = TRIED.map(|(word, _)| word);
        let listed: Vec<(&str, &str)> =
            GROUPS.iter().flat_map(|(_, commands)| commands.iter().copied()).collect();
        let names: BTreeSet<&str> = listed.iter().map(|(name, _)| *name).collect();
        assert_eq!(names.len(), listed.len(), "one is listed twice");
        let known: BTreeSet<&str> = names.into_iter().filter(|name| !tried.contains(name)).collect();
        assert_eq!(known, there);
        for (name, sentence) in listed {
            assert!(sentence.ends_with('.') && sentence.len() <= 64, "{name} does not fit 80 columns");
        }
    }

    #[test]
    fn tried_words_and_admin_mean_commands_wherever_global_options_stand() {
        for (typed, meant) in [
            ("lacuna search x", "lacuna recall x"),
            ("lacuna --json list", "lacuna --json memory list"),
            ("lacuna --data d show mem_1", "lacuna --data d memory inspect mem_1"),
            ("lacuna delete mem_1 --yes", "lacuna memory delete mem_1 --yes"),
            ("lacuna status", "lacuna doctor"),
            ("lacuna admin token list", "lacuna token list"),
            ("lacuna admin --as anna keys", "lacuna --as anna keys"),
            ("lacuna admin", "lacuna admin"),
            ("lacuna admin remember x", "lacuna admin remember x"),
            ("lacuna remember list", "lacuna remember list"),
            ("lacuna memory list", "lacuna memory list"),
            ("lacuna", "lacuna"),
        ] {
            assert_eq!(expanded_text(typed), meant);
        }
    }
}

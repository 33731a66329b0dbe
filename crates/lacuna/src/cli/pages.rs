//! Completions for shells and man pages, made from the commands themselves.

use std::path::{Path, PathBuf};
use std::{fs, io};

use clap::{Args, CommandFactory as _, ValueEnum};
use clap_complete::Shell;

use super::args::Cli;
use super::output::{Output, counted};
use crate::codes;
use crate::wire::failure::{Failure, Result};

const PROGRAM: &str = "lacuna";

/// The shells that a script is made for.
#[derive(Clone, Copy, ValueEnum)]
pub(super) enum ShellName {
    Bash,
    Zsh,
    Fish,
}

#[derive(Args)]
pub(super) struct ManArgs {
    /// Write a page for every command into this folder, instead of printing the first.
    #[arg(long, value_name = "FOLDER")]
    dir: Option<PathBuf>,
}

pub(super) fn completions(shell: ShellName, output: &Output) -> Result<()> {
    let shell = match shell {
        ShellName::Bash => Shell::Bash,
        ShellName::Zsh => Shell::Zsh,
        ShellName::Fish => Shell::Fish,
    };
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), PROGRAM, &mut script);
    show(&String::from_utf8_lossy(&script), output)
}

pub(super) fn man(args: &ManArgs, output: &Output) -> Result<()> {
    let mut command = Cli::command().name(PROGRAM);
    // Names the subcommands by their whole path.
    command.build();
    let Some(folder) = &args.dir else {
        let page = page(&command).map_err(|error| unwritable(Path::new("the page"), &error))?;
        return show(&page, output);
    };
    fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
    let mut written = Vec::new();
    write_pages(&command, folder, &mut written)?;
    output.show(&written, |written| {
        format!("{} in {}", counted(written.len(), "page", "pages"), folder.display())
    })
}

/// A text as it is, or as one JSON string.
fn show(text: &str, output: &Output) -> Result<()> {
    output.show(&text, |text| (*text).to_owned())
}

fn write_pages(command: &clap::Command, folder: &Path, written: &mut Vec<PathBuf>) -> Result<()> {
    let name = command.get_display_name().unwrap_or(PROGRAM);
    let path = folder.join(format!("{name}.1"));
    let text = page(command).map_err(|error| unwritable(&path, &error))?;
    fs::write(&path, text).map_err(|error| unwritable(&path, &error))?;
    written.push(path);
    let commands = command.get_subcommands().filter(|command| command.get_name() != "help");
    commands.into_iter().try_for_each(|command| write_pages(command, folder, written))
}

fn page(command: &clap::Command) -> io::Result<String> {
    let mut text = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::new(&codes::OUTPUT_FAILED, format!("{}: {error}", path.display()))
}

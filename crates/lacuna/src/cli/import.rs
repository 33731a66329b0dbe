//! Import of a file, a folder of notes or standard input, with a line per record for programs and the sums for
//! people.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use lacuna_core::permit::{Grant, Import};
use lacuna_core::transfer::{Account, Duplicates, Imported};

use super::args::ScopeArgs;
use super::output::{Output, counted};
use super::passphrase;
use super::settle::settle;
use crate::assemble::{Installation, assemble};
use crate::codes;
use crate::config::Config;
use crate::import::{How, Intake, SQLITE_MARK, Shape, open, read_folder, read_mem0_history};
use crate::wire::failure::{Failure, Result};
use crate::wire::{ImportReport, ImportedView};

#[derive(Args)]
pub(super) struct ImportArgs {
    /// The file, or a folder of notes; `-` reads standard input.
    file: PathBuf,
    /// The program that wrote it [default: told by its shape].
    #[arg(long, value_name = "PROGRAM")]
    from: Option<Shape>,
    /// Pass over what is already there; this is the default.
    #[arg(long, conflicts_with = "refuse")]
    merge: bool,
    /// Import nothing if the vault already holds one of the memories.
    #[arg(long)]
    refuse: bool,
    /// Tell what would happen, and store nothing.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    scope: ScopeArgs,
}

pub(super) fn run(config: &Config, args: ImportArgs, output: &Output) -> Result<()> {
    let installation = assemble(config)?;
    let grant = installation.grant::<Import>(args.scope.as_deref())?;
    let duplicates = if args.refuse { Duplicates::Refuse } else { Duplicates::Merge };
    let how = How { from: args.from, duplicates, dry_run: args.dry_run };
    let from_stdin = args.file.as_os_str() == "-";
    if args.refuse && from_stdin {
        let reason = "--refuse looks at the file before it takes anything, and needs one";
        return Err(Failure::new(&codes::USAGE, reason));
    }
    let job = ImportJob { installation: &installation, grant: &grant, file: &args.file };
    if args.refuse && !args.dry_run {
        job.import(How { dry_run: true, ..how }, &mut |_| Ok(()))?;
    }
    let mut told = |imported: Imported| match output.is_json() {
        true => output.json_line(&ImportedView::from(imported)),
        false => Ok(()),
    };
    let (shape, account) = job.import(how, &mut told)?;
    if !args.dry_run {
        settle(&installation, output);
    }
    let report = ImportReport::of(account, grant.scope(), shape.as_str(), args.dry_run, Vec::new());
    output.show(&report, people)
}

struct ImportJob<'a> {
    installation: &'a Installation,
    grant: &'a Grant<Import>,
    file: &'a Path,
}

impl ImportJob<'_> {
    fn import(&self, how: How, told: &mut dyn FnMut(Imported) -> Result<()>) -> Result<(Shape, Account)> {
        let core = &self.installation.service;
        let bar =
            progress(std::fs::metadata(self.file).ok().filter(|meta| meta.is_file()).map(|meta| meta.len()));
        let mut told = |imported| told(imported);
        let done = if self.is_sqlite() {
            let mut intake = Intake::new(core, self.grant, how, &mut told)?;
            let read = read_mem0_history(self.file, &mut intake);
            intake.finish(read).map(|account| (Shape::Mem0, account))
        } else if self.file.is_dir() {
            let mut intake = Intake::new(core, self.grant, how, &mut told)?;
            let read = read_folder(self.file, &mut intake);
            intake.finish(read).map(|account| (Shape::BasicMemory, account))
        } else {
            let opened = open(Watched { inner: self.open()?, bar: &bar }, how.from, passphrase::to_open)?;
            let shape = opened.shape;
            let mut intake = Intake::new(core, self.grant, how, &mut told)?;
            let read = opened.read(&mut intake);
            intake.finish(read).map(|account| (shape, account))
        };
        bar.finish_and_clear();
        done
    }

    /// Returns true for a database, which is read where it is.
    fn is_sqlite(&self) -> bool {
        let mut first = [0; SQLITE_MARK.len()];
        self.file.is_file()
            && File::open(self.file).and_then(|mut file| file.read_exact(&mut first)).is_ok()
            && first == *SQLITE_MARK
    }

    fn open(&self) -> Result<Box<dyn Read>> {
        if self.file.as_os_str() == "-" {
            return Ok(Box::new(io::stdin().lock()));
        }
        let unreadable = |error: io::Error| {
            Failure::new(&codes::INPUT_UNREADABLE, format!("{} cannot be read: {error}", self.file.display()))
        };
        Ok(Box::new(File::open(self.file).map_err(unreadable)?))
    }
}

fn people(report: &ImportReport) -> String {
    let done = if report.dry_run { "would store" } else { "stored" };
    let mut told =
        format!("{done} {} from {}", counted(report.stored as usize, "memory", "memories"), report.from);
    let others = [
        (report.waiting, "of them wait for a review, see lacuna review list"),
        (report.repeated, "were here already"),
        (report.asked, "were not stored: they need a confirmation, see --json"),
        (report.refused, "were refused, see --json"),
        (report.changed, "lost something that may not be stored, such as a secret"),
        (report.unproven, "are not as this installation wrote them, and have medium trust at most"),
        (report.links_dropped, "links lead to memories that are not here, and were dropped"),
    ];
    for (count, what) in others.into_iter().filter(|(count, _)| *count > 0) {
        told += &format!("; {count} {what}");
    }
    told
}

/// A file that tells the progress bar how much of it was read.
struct Watched<'b, R> {
    inner: R,
    bar: &'b ProgressBar,
}

impl<R: Read> Read for Watched<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(into)?;
        self.bar.inc(read as u64);
        Ok(read)
    }
}

/// Shows itself on a terminal only.
fn progress(bytes: Option<u64>) -> ProgressBar {
    let bar = bytes.map_or_else(ProgressBar::new_spinner, ProgressBar::new);
    let template = match bytes {
        Some(_) => "{bar:30} {percent}% of {total_bytes} imported, {eta} left",
        None => "{spinner} {bytes} imported",
    };
    bar.with_style(ProgressStyle::with_template(template).expect("the template is correct"))
}

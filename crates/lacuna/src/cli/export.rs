//! Export to a file: written beside its place under another name, readable by its owner alone, and put in
//! place when it is whole.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use lacuna_core::Lacuna;
use lacuna_core::permit::{Export, Grant};
use lacuna_core::transfer::{Exported, Wanted};
use lacuna_seal::{PassphraseCost, SealWriter, SystemEntropy};
use serde::Serialize;
use zeroize::Zeroizing;

use super::args::{ScopeArgs, words};
use super::draft_file::DraftFile;
use super::output::{Output, counted};
use super::passphrase;
use crate::assemble::assemble;
use crate::codes;
use crate::config::Config;
use crate::import::stream_failure;
use crate::wire::failure::{Failure, Result};
use crate::wire::{self, ExportFormat};

const BUFFER_BYTES: usize = 64 << 10;

#[derive(Args)]
pub(super) struct ExportArgs {
    /// File to write; `-` is standard output.
    file: PathBuf,
    /// json can be imported again, markdown is for people [default: by the ending of FILE, else json].
    #[arg(long)]
    format: Option<ExportFormat>,
    /// Encrypt it to a passphrase.
    #[arg(long)]
    encrypt: bool,
    /// Only this category; may be given more than once.
    #[arg(long = "category", value_name = "CATEGORY", value_parser = words::<wire::Category, _>(wire::Category::all()))]
    categories: Vec<wire::Category>,
    /// Leave out facets, sources, lineage and history. An import then has to guess them.
    #[arg(long)]
    no_metadata: bool,
    /// Write memories about health as well.
    #[arg(long)]
    include_health: bool,
    /// Do not ask again about health.
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    scope: ScopeArgs,
}

#[derive(Serialize)]
struct ExportAnswer {
    file: String,
    format: ExportFormat,
    encrypted: bool,
    record_count: u64,
    health_left_out: u64,
    damaged: u64,
}

pub(super) fn run(config: &Config, args: ExportArgs, output: &Output) -> Result<()> {
    confirm_health(&args, output)?;
    let format = args.format.unwrap_or_else(|| format_of(&args.file));
    let to_stdout = args.file.as_os_str() == "-";
    let installation = assemble(config)?;
    let grant = installation.grant::<Export>(args.scope.as_deref())?;
    let wanted = Wanted {
        format: format.into(),
        categories: args.categories.iter().map(|word| word.0).collect(),
        include_metadata: !args.no_metadata,
        include_health: args.include_health,
    };
    let passphrase = args.encrypt.then(|| passphrase::to_seal(config)).transpose()?;
    let job = ExportJob { core: &installation.service, grant: &grant, wanted: &wanted, passphrase };
    let exported = if to_stdout { job.write(io::stdout().lock())?.1 } else { job.write_file(&args.file)? };
    let told = ExportAnswer {
        file: args.file.display().to_string(),
        format,
        encrypted: args.encrypt,
        record_count: exported.record_count(),
        health_left_out: exported.health_left_out,
        damaged: exported.damaged,
    };
    if to_stdout {
        // What was written is the answer; this goes beside it.
        output.note(&people(&told));
        return Ok(());
    }
    output.show(&told, people)
}

fn people(told: &ExportAnswer) -> String {
    let mut text =
        format!("exported {} to {}", counted(told.record_count as usize, "memory", "memories"), told.file);
    if told.health_left_out > 0 {
        text += &format!("; {} about health were left out, see --include-health", told.health_left_out);
    }
    if told.damaged > 0 {
        text += &format!("; {} could not be opened, run lacuna doctor", told.damaged);
    }
    text
}

/// A yes to the export is not yet a yes to health.
fn confirm_health(args: &ExportArgs, output: &Output) -> Result<()> {
    if !args.include_health || args.yes {
        return Ok(());
    }
    match output.ask("Write memories about health into the export as well?") {
        Some(true) => Ok(()),
        Some(false) => Err(Failure::new(&codes::DECLINED, "not exported")),
        None => {
            let reason = "not exported: there is no terminal to confirm it on; pass --include-health --yes";
            Err(Failure::new(&codes::NEEDS_CONFIRMATION, reason))
        }
    }
}

fn format_of(file: &Path) -> ExportFormat {
    match file.extension().and_then(|ending| ending.to_str()) {
        Some("md" | "markdown") => ExportFormat::Markdown,
        _ => ExportFormat::Json,
    }
}

struct ExportJob<'a> {
    core: &'a Lacuna,
    grant: &'a Grant<Export>,
    wanted: &'a Wanted,
    passphrase: Option<Zeroizing<String>>,
}

impl ExportJob<'_> {
    fn write_file(&self, target: &Path) -> Result<Exported> {
        let is_file = fs::metadata(target).map_or(true, |meta| meta.is_file());
        if target.file_name().is_none() || !is_file {
            let reason = format!("{} is not a file; use - for standard output", target.display());
            return Err(Failure::new(&codes::USAGE, reason));
        }
        let unwritable =
            |error: io::Error| Failure::new(&codes::OUTPUT_FAILED, format!("{}: {error}", target.display()));
        let (draft, file) = DraftFile::beside(target).map_err(unwritable)?;
        let (file, exported) = self.write(file)?;
        draft.settle(&file).map_err(unwritable)?;
        Ok(exported)
    }

    fn write<W: Write>(&self, out: W) -> Result<(W, Exported)> {
        let out = BufWriter::with_capacity(BUFFER_BYTES, out);
        let failed = |error: io::Error| Failure::new(&codes::OUTPUT_FAILED, format!("the export: {error}"));
        let (out, exported) = match &self.passphrase {
            None => {
                let mut out = out;
                let exported = self.export(&mut out)?;
                (out, exported)
            }
            Some(passphrase) => {
                let cost = PassphraseCost::RECOMMENDED;
                let mut sealed =
                    SealWriter::new(out, passphrase, cost, &SystemEntropy).map_err(stream_failure)?;
                let exported = self.export(&mut sealed)?;
                (sealed.finish().map_err(failed)?, exported)
            }
        };
        let out = out.into_inner().map_err(|error| failed(error.into_error()))?;
        Ok((out, exported))
    }

    fn export(&self, out: &mut dyn Write) -> Result<Exported> {
        let bar = progress(self.core.survey_export(self.grant, self.wanted)?.record_count());
        let exported =
            self.core.export(self.grant, self.wanted, out, &mut |written| bar.set_position(written));
        bar.finish_and_clear();
        Ok(exported?)
    }
}

/// Shows itself on a terminal only.
fn progress(records: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {pos} of {len} exported, {eta} left");
    ProgressBar::new(records).with_style(style.expect("the template is correct"))
}

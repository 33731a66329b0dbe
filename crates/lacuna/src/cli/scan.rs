use std::fs::File;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use clap::Args;
use lacuna_language::secrets::{Finding, Scanner};
use serde::Serialize;

use super::args::ScopeArgs;
use super::output::{Output, counted, table};
use crate::assemble::{assemble, rulebook};
use crate::codes;
use crate::config::Config;
use crate::wire::failure::{Failure, Result};

/// Limit on a file.
const FILE_BYTES_MAX: u64 = 256 << 20;
/// Memories between two words about progress.
const PROGRESS_STEP: usize = 10_000;

#[derive(Args)]
pub(super) struct ScanArgs {
    /// A text file; `-` reads standard input.
    #[arg(required_unless_present = "stored", conflicts_with = "stored")]
    file: Option<PathBuf>,
    /// Look through the memories of a vault instead.
    #[arg(long)]
    stored: bool,
    #[command(flatten)]
    scope: ScopeArgs,
}

/// Place and kind of a secret; never its text.
#[derive(Serialize)]
struct SecretFound {
    /// The memory, or `LINE:COLUMN` of a file.
    place: String,
    rule: String,
    family: String,
    level: &'static str,
}

#[derive(Serialize)]
struct Scanned {
    found: Vec<SecretFound>,
}

pub(super) fn run(config: &Config, args: &ScanArgs, output: &Output) -> Result<()> {
    let found = match &args.file {
        Some(file) => scan_file(rulebook(config)?.scanner(), file)?,
        None => scan_stored(config, args.scope.as_deref(), output)?,
    };
    output.show(&Scanned { found }, |scanned| {
        if scanned.found.is_empty() {
            return "no secret was found".to_owned();
        }
        let rows = scanned.found.iter().map(|found| {
            [found.place.clone(), found.level.to_owned(), found.rule.clone(), found.family.clone()]
        });
        table(["where", "level", "rule", "family"], rows)
    })
}

fn scan_file(scanner: &Scanner, path: &Path) -> Result<Vec<SecretFound>> {
    let unreadable = |error: io::Error| {
        Failure::new(&codes::INPUT_UNREADABLE, format!("{} cannot be read: {error}", path.display()))
    };
    let mut bytes = Vec::new();
    let limit = FILE_BYTES_MAX + 1;
    match path.as_os_str() == "-" {
        true => io::stdin().lock().take(limit).read_to_end(&mut bytes),
        false => File::open(path).and_then(|file| file.take(limit).read_to_end(&mut bytes)),
    }
    .map_err(unreadable)?;
    if bytes.len() as u64 > FILE_BYTES_MAX {
        let reason = format!("{} is larger than {FILE_BYTES_MAX} bytes", path.display());
        return Err(Failure::new(&codes::TOO_LARGE, reason));
    }
    // Secrets stand in files that are not quite UTF-8 as well.
    let text = String::from_utf8_lossy(&bytes);
    Ok(scanner.scan(&text).iter().map(|finding| found(line_and_column(&text, finding), finding)).collect())
}

fn scan_stored(config: &Config, scope: Option<&str>, output: &Output) -> Result<Vec<SecretFound>> {
    let installation = assemble(config)?;
    let grant = installation.grant(scope)?;
    let mut told = 0;
    let leaks = installation.service.scan_stored(&grant, &mut |read| {
        if read >= told + PROGRESS_STEP {
            told = read;
            output.note(&format!("{} read", counted(read, "memory", "memories")));
        }
        ControlFlow::Continue(())
    })?;
    let all =
        leaks.iter().flat_map(|leak| leak.findings.iter().map(|finding| found(leak.id.to_string(), finding)));
    Ok(all.collect())
}

fn found(place: String, finding: &Finding) -> SecretFound {
    SecretFound {
        place,
        rule: finding.rule.to_string(),
        family: finding.family.to_string(),
        level: finding.level.as_str(),
    }
}

fn line_and_column(text: &str, finding: &Finding) -> String {
    let before = &text[..finding.span.start];
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    format!("{line}:{column}")
}

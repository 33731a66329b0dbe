use std::fs::File;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use clap::Args;
use lacuna_core::govern::{StoredRedaction, StoredRedactions};
use lacuna_core::permit::Forget;
use lacuna_language::secrets::{Finding, Scanner};
use lacuna_types::MemoryId;
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
    /// Take out of the memories what today's rules would not let in. Only shows what would change, unless `--yes` is given.
    #[arg(long, requires = "stored")]
    redact: bool,
    /// Change the memories without asking.
    #[arg(long, requires = "redact")]
    yes: bool,
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

/// A memory that a redaction changes, and the rules that ask for it.
#[derive(Serialize)]
struct PlannedRedaction {
    memory_id: String,
    rules: Vec<String>,
    /// A record, which only its program puts anew.
    stays: bool,
}

/// A redaction that was planned, or carried out.
#[derive(Serialize)]
struct RedactionAnswer {
    planned: Vec<PlannedRedaction>,
    dry_run: bool,
    /// Memories that live on without the parts that went, under the ids that they have now.
    redacted: Vec<ReplacedMemory>,
    /// Memories that were made anew because they were made of those.
    rebuilt: Vec<ReplacedMemory>,
    receipts: Vec<String>,
    unfinished: bool,
}

#[derive(Serialize)]
struct ReplacedMemory {
    was: String,
    memory_id: String,
}

pub(super) fn run(config: &Config, args: &ScanArgs, output: &Output) -> Result<()> {
    if args.redact {
        return redact(config, args, output);
    }
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

/// Shows what today's rules would change, and changes it after a yes.
fn redact(config: &Config, args: &ScanArgs, output: &Output) -> Result<()> {
    let installation = assemble(config)?;
    let grant = installation.grant::<Forget>(args.scope.as_deref())?;
    let upkeep = installation.service.upkeep();
    let planned = upkeep.plan_redaction(&grant, &mut told_progress(output))?;
    let changes = planned.iter().filter(|one| !one.stays).count();
    let question = format!("Redact {}?", counted(changes, "memory", "memories"));
    let goes_on = changes > 0 && (args.yes || output.ask(&question) == Some(true));
    let done = match goes_on {
        true => upkeep.redact_stored(&grant, &mut told_progress(output))?,
        false => StoredRedactions::default(),
    };
    let replaced = |pairs: Vec<(MemoryId, MemoryId)>| {
        let view = |(was, now): (MemoryId, MemoryId)| ReplacedMemory {
            was: was.to_string(),
            memory_id: now.to_string(),
        };
        pairs.into_iter().map(view).collect()
    };
    let view = |one: StoredRedaction| PlannedRedaction {
        memory_id: one.id.to_string(),
        rules: one.rules,
        stays: one.stays,
    };
    let answer = RedactionAnswer {
        planned: planned.into_iter().map(view).collect(),
        dry_run: !goes_on,
        redacted: replaced(done.redacted),
        rebuilt: replaced(done.rebuilt),
        receipts: done.receipts.iter().map(|signed| signed.receipt.reference()).collect(),
        unfinished: done.unfinished,
    };
    output.show(&answer, redaction)?;
    if goes_on {
        super::view::refresh(config, &installation, output);
    }
    Ok(())
}

fn redaction(answer: &RedactionAnswer) -> String {
    if answer.planned.is_empty() {
        return "nothing that is stored would be changed".to_owned();
    }
    let fate = |one: &PlannedRedaction| if one.stays { "stays: put the record anew" } else { "redacted" };
    let rows =
        answer.planned.iter().map(|one| [one.memory_id.clone(), one.rules.join(", "), fate(one).to_owned()]);
    let mut told = table(["memory", "rules", "becomes"], rows);
    if answer.dry_run {
        return told + "\nnothing was changed: run it again with --yes";
    }
    told += &format!("\nredacted {}", counted(answer.redacted.len(), "memory", "memories"));
    if !answer.rebuilt.is_empty() {
        told += &format!(", made {} anew", counted(answer.rebuilt.len(), "memory", "memories"));
    }
    told += &answer.receipts.iter().map(|number| format!(", receipt {number}")).collect::<String>();
    told
}

/// Tells now and then how many memories were read.
fn told_progress(output: &Output) -> impl FnMut(usize) -> ControlFlow<()> {
    let mut told = 0;
    move |read| {
        if read >= told + PROGRESS_STEP {
            told = read;
            output.note(&format!("{} read", counted(read, "memory", "memories")));
        }
        ControlFlow::Continue(())
    }
}

fn scan_stored(config: &Config, scope: Option<&str>, output: &Output) -> Result<Vec<SecretFound>> {
    let installation = assemble(config)?;
    let grant = installation.grant(scope)?;
    let leaks = installation.service.scan_stored(&grant, &mut told_progress(output))?;
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

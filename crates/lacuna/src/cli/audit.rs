use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use jiff::SignedDuration;
use lacuna_core::govern::{REPORT_DAYS, end_of_today};
use lacuna_core::permit::ReadAudit;
use lacuna_seal::VerifyingKey;

use super::args::ScopeArgs;
use super::output::{Output, counted, in_words, minute, table};
use super::short_id::short;
use super::when::TimeArg;
use crate::assemble::{Installation, assemble, assemble_unchecked};
use crate::codes;
use crate::config::Config;
use crate::wire::failure::{Failure, Result};
use crate::wire::{
    AuditFileVerified, AuditKeptView, AuditList, AuditReportView, AuditVerified, AuditWritten, ChangedVaults,
    read_head, verify_audit_file, write_audit_file,
};

const REPORT_PERIOD: SignedDuration = SignedDuration::from_hours(REPORT_DAYS * 24);

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct AuditArgs {
    #[command(subcommand)]
    command: Option<AuditCommand>,
    #[command(flatten)]
    report: AuditReportArgs,
}

#[derive(Subcommand)]
pub(super) enum AuditCommand {
    /// Walk the whole chain, or an exported file, and say whether it holds.
    Verify(AuditVerifyArgs),
    /// Entries, oldest first, up to 1,000 at a time.
    List {
        /// Only entries with a higher number.
        #[arg(long, value_name = "SEQ", default_value_t = 0)]
        after: u64,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// Write the chain as signed JSON lines that can be verified anywhere; `-` writes to standard output.
    Export {
        file: PathBuf,
        /// Only entries with a higher number.
        #[arg(long, value_name = "SEQ", default_value_t = 0)]
        after: u64,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// Counts of a period: Markdown, or JSON with --json.
    #[command(after_help = "Examples:
  lacuna audit report --from 2026-01-01 --to 2026-02-01")]
    Report(AuditReportArgs),
    /// Find vaults that were changed outside Lacuna, and accept them as they stand.
    #[command(
        after_help = "Accepting makes new authentication codes over whatever the database holds now. Find out first who
changed it, and restore a backup if you can. The audit records that you accepted.

Examples:
  lacuna audit accept          list the vaults that were changed
  lacuna audit accept --yes    accept them"
    )]
    Accept {
        /// Accept the changed vaults; without it they are only listed.
        #[arg(long)]
        yes: bool,
    },
    /// Let old entries go as the policy says, and sign a checkpoint if one is due. A server does this daily.
    Keep {
        #[command(flatten)]
        scope: ScopeArgs,
    },
}

#[derive(Args)]
pub(super) struct AuditVerifyArgs {
    /// A file that `lacuna audit export` wrote; needs no data folder and no other key than the public one.
    #[arg(conflicts_with_all = ["head", "scope"])]
    file: Option<PathBuf>,
    /// The public key that you trust.
    #[arg(long, value_name = "ed25519:HEX", requires = "file")]
    key: Option<String>,
    /// A head that was written down earlier: the chain must go through it.
    #[arg(long, value_name = "SEQ:HASH")]
    head: Option<String>,
    #[command(flatten)]
    scope: ScopeArgs,
}

#[derive(Args)]
pub(super) struct AuditReportArgs {
    /// A date, a time, or a span such as 7d [default: 30 days before the end].
    #[arg(long, value_name = "WHEN")]
    pub(super) from: Option<TimeArg>,
    /// A date, a time, or a span such as 1d; not part of the period any more [default: the end of today].
    #[arg(long, value_name = "WHEN")]
    pub(super) to: Option<TimeArg>,
    #[command(flatten)]
    pub(super) scope: ScopeArgs,
}

pub(super) fn run(config: &Config, args: AuditArgs, output: &Output) -> Result<()> {
    match args.command.unwrap_or(AuditCommand::Report(args.report)) {
        AuditCommand::Verify(AuditVerifyArgs { file: Some(file), key, .. }) => {
            verify_file(&file, key.as_deref(), output)
        }
        AuditCommand::Verify(args) => verify(config, &args, output),
        AuditCommand::List { after, scope } => {
            let installation = assemble(config)?;
            let grant = installation.grant(scope.as_deref())?;
            let entries = installation.service.read_audit(&grant, after)?;
            output.show(&AuditList::of(entries, grant.scope()), people)
        }
        AuditCommand::Export { file, after, scope } => {
            export(&assemble(config)?, &file, after, scope.as_deref(), output)
        }
        AuditCommand::Report(args) => report(&assemble(config)?, &args, output),
        AuditCommand::Accept { yes } => accept(&assemble_unchecked(config)?, yes, output),
        AuditCommand::Keep { scope } => {
            let installation = assemble(config)?;
            let grant = installation.grant::<ReadAudit>(scope.as_deref())?;
            let kept = installation.service.upkeep().keep_audit(grant.scope())?;
            output.show(&AuditKeptView::of(kept, grant.scope()), |kept| {
                let checkpoint =
                    if kept.checkpoint { "a checkpoint was signed" } else { "no checkpoint is due" };
                let aged = counted(kept.aged as usize, "old entry", "old entries");
                format!("{aged} went; {checkpoint}")
            })
        }
    }
}

fn accept(installation: &Installation, yes: bool, output: &Output) -> Result<()> {
    let upkeep = installation.service.upkeep();
    let changed =
        if yes { upkeep.accept_changes(&installation.admin_grant()?)? } else { upkeep.changed_vaults()? };
    let answer = ChangedVaults::of(&changed, yes);
    output.show(&answer, |answer| match answer.vaults.as_slice() {
        [] => "no vault was changed outside Lacuna".to_owned(),
        vaults => {
            let rows = vaults.iter().map(|changed| [changed.scope.clone(), changed.found.clone()]);
            let end = if yes {
                "accepted, and recorded in the audit"
            } else {
                "nothing was accepted; pass --yes to accept"
            };
            format!("{}\n{end}", table(["vault", "found"], rows))
        }
    })
}

fn verify(config: &Config, args: &AuditVerifyArgs, output: &Output) -> Result<()> {
    let known = args.head.as_deref().map(read_head).transpose()?;
    let installation = assemble(config)?;
    let grant = installation.grant(args.scope.as_deref())?;
    let report = installation.service.verify_audit_through(&grant, known)?;
    output.show(&AuditVerified::of(report, grant.scope()), |report| {
        format!(
            "the chain holds: {}, {} aged out, head {}\nsigned by {}",
            counted(report.entries as usize, "entry", "entries"),
            report.aged,
            report.head,
            report.key
        )
    })
}

fn verify_file(file: &Path, key: Option<&str>, output: &Output) -> Result<()> {
    let key = key.map(str::parse::<VerifyingKey>).transpose();
    let key = key.map_err(|error| Failure::invalid("key", error.to_string()))?;
    let unreadable =
        |error: io::Error| Failure::new(&codes::INPUT_UNREADABLE, format!("{}: {error}", file.display()));
    let verified = verify_audit_file(BufReader::new(File::open(file).map_err(unreadable)?), key)?;
    output.show(&AuditFileVerified::of(verified, key.is_some()), |report| {
        let trust = if report.key_was_given { "the key given" } else { "a key that only the file names" };
        format!(
            "the file holds: entries {} to {} of {} in {}, head {}\nsigned by {trust}: {}{}",
            report.first,
            report.entries,
            report.scope,
            report.org,
            report.head,
            report.key,
            if report.more { "\nthe chain goes on after them" } else { "" }
        )
    })
}

/// Writes beside the target first, so that a file that is there was written whole and signed.
fn export(
    installation: &Installation,
    file: &Path,
    after: u64,
    scope: Option<&str>,
    output: &Output,
) -> Result<()> {
    let grant = installation.grant(scope)?;
    if file == Path::new("-") {
        write_audit_file(&installation.service, &grant, after, u64::MAX, &mut io::stdout().lock())?;
        return Ok(());
    }
    let unwritable =
        |error: io::Error| Failure::new(&codes::OUTPUT_FAILED, format!("{}: {error}", file.display()));
    let draft = file.with_extension("part");
    let options = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&draft);
    let mut out = BufWriter::new(options.map_err(unwritable)?);
    let written = write_audit_file(&installation.service, &grant, after, u64::MAX, &mut out)
        .map_err(Failure::from)
        .and_then(|end| {
            out.flush().and_then(|()| out.get_ref().sync_all()).map_err(unwritable)?;
            fs::rename(&draft, file).map_err(unwritable)?;
            Ok(end)
        });
    let end = written.inspect_err(|_| {
        // Half a file proves nothing; if it cannot be removed either, its name says what it is.
        let _ = fs::remove_file(&draft);
    })?;
    output.show(&AuditWritten::of(&end, after + 1, grant.scope(), file), |written| {
        format!(
            "entries {} to {} written to {}\nsigned by {}",
            written.first, written.last, written.file, written.key
        )
    })
}

pub(super) fn report(installation: &Installation, args: &AuditReportArgs, output: &Output) -> Result<()> {
    let now = installation.service.clock().now();
    let to = args.to.map_or_else(|| end_of_today(now), |when: TimeArg| when.before(now));
    let from = args.from.map_or(to - REPORT_PERIOD, |when: TimeArg| when.before(now));
    let grant = installation.grant(args.scope.as_deref())?;
    let summary = installation.service.summarise_audit(&grant, from, to)?;
    output.show(&AuditReportView::of(summary, grant.scope()), AuditReportView::markdown)
}

fn people(list: &AuditList) -> String {
    let rows = list.entries.iter().map(|entry| {
        let subjects = match entry.subjects.as_slice() {
            [] => String::new(),
            [only] => short(only),
            [first, rest @ ..] => format!("{} and {} more", short(first), rest.len()),
        };
        let by = match entry.service.as_str() {
            "" => entry.actor.clone(),
            service => format!("{service} for {}", entry.actor),
        };
        [entry.seq.to_string(), minute(entry.at), by, in_words("action", &entry.action), subjects]
    });
    table(["entry", "when", "who", "did", "memories"], rows)
}

//! Forget, and see that it was: the plan on the terminal, a yes, the receipt.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use lacuna_core::forget::{Confirmed, Planned};
use lacuna_core::permit::{Forget, Grant};
use lacuna_seal::VerifyingKey;
use lacuna_types::request::PlanChoice;

use super::args::{ScopeArgs, words};
use super::output::{Output, counted, day, fields, in_words, line, minute, table};
use super::short_id::{self, Care, short, short_list};
use super::when::TimeArg;
use crate::assemble::{Installation, assemble};
use crate::codes;
use crate::config::Config;
use crate::wire::failure::{Failure, Result};
use crate::wire::{
    self, ConfirmRequest, ForgetRequest, ForgottenView, PlanView, ReceiptList, ReceiptView, VerifiedView,
    read_number,
};

/// A receipt file; a real one has about two thousand bytes.
const RECEIPT_BYTES_MAX: u64 = 1 << 20;
/// Matches that a plan shows on the terminal.
const SHOWN: usize = 20;

#[derive(Args, Default)]
pub(super) struct ForgetArgs {
    /// Words that say what to forget, such as "my dentist".
    pub(super) words: Option<String>,
    /// These memories; may be given more than once.
    #[arg(long = "id", value_name = "MEMORY_ID")]
    pub(super) ids: Vec<String>,
    /// Everything of a conversation.
    #[arg(long, value_name = "ID")]
    pub(super) session: Option<String>,
    /// Everything that a search by words and meaning finds.
    #[arg(long, value_name = "WORDS")]
    pub(super) query: Option<String>,
    /// Everything since: a date, a time, or a span such as 7d.
    #[arg(long, value_name = "WHEN")]
    pub(super) since: Option<TimeArg>,
    /// Everything until.
    #[arg(long, value_name = "WHEN")]
    pub(super) until: Option<TimeArg>,
    /// Everything with one of these tags; may be given more than once.
    #[arg(long = "tag", value_name = "TAG")]
    pub(super) tags: Vec<String>,
    /// A person, place, organisation or thing by name.
    #[arg(long, value_name = "NAME")]
    pub(super) entity: Option<String>,
    /// Only memories that are about the entity, not those that merely mention it.
    #[arg(long, requires = "entity")]
    pub(super) primary_only: bool,
    /// Everything of a sensitive category.
    #[arg(long, value_parser = words::<wire::Sensitivity, _>(wire::Sensitivity::all()))]
    pub(super) sensitivity: Option<wire::Sensitivity>,
    #[arg(long, value_parser = words::<wire::Tier, _>(wire::Tier::all()))]
    pub(super) tier: Option<wire::Tier>,
    /// Everything that came from there.
    #[arg(long, value_parser = words::<wire::SourceType, _>(wire::SourceType::all()))]
    pub(super) source: Option<wire::SourceType>,
    /// Everything there is; asks twice.
    #[arg(long)]
    pub(super) everything: bool,
    /// soft hides, hard erases, archive sets aside, delete erases and says so on the receipt [default: the policy's].
    #[arg(long, value_parser = words::<wire::Mode, _>(wire::Mode::all()))]
    pub(super) mode: Option<wire::Mode>,
    /// Number of one of several people of one name, as the question listed them.
    #[arg(long, value_name = "NUMBER")]
    pub(super) who: Option<u32>,
    /// Cut a memory that also says something else, instead of taking all of it.
    #[arg(long)]
    pub(super) partial: bool,
    /// Only the matches that say it, not those that merely seem to be about it.
    #[arg(long, conflicts_with = "only")]
    pub(super) direct: bool,
    /// Only these of the matches; may be given more than once.
    #[arg(long, value_name = "MEMORY_ID")]
    pub(super) only: Vec<String>,
    /// Do not ask.
    #[arg(long)]
    pub(super) yes: bool,
    /// Carry out the plan that this token belongs to.
    #[arg(long, value_name = "TOKEN")]
    pub(super) confirm: Option<String>,
    #[command(flatten)]
    pub(super) scope: ScopeArgs,
}

#[derive(Subcommand)]
pub(super) enum ReceiptCommand {
    /// Receipts, oldest first, and the key that verifies them.
    List {
        /// Only receipts with a higher number.
        #[arg(long, value_name = "NUMBER", default_value_t = 0)]
        after: u64,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// One receipt, as a page to read; with --json as the file that can be kept and verified anywhere.
    Show {
        /// DEL-2026-000123, or its number.
        receipt: String,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// Check a receipt file. With --key it needs no data folder and no server.
    Verify {
        file: PathBuf,
        /// The public key that the receipt must bear [default: this installation's].
        #[arg(long, value_name = "ed25519:…")]
        key: Option<String>,
    },
    /// The public key under which this installation signs.
    Key,
}

pub(super) fn run(config: &Config, args: ForgetArgs, output: &Output) -> Result<()> {
    let installation = assemble(config)?;
    let grant = installation.grant(args.scope.as_deref())?;
    let scope = args.scope.scope.clone();
    let whole = |ids: &[String]| {
        short_id::whole_ids(&installation, scope.as_deref(), ids, Care::unless_asked(args.yes))
    };
    let (ids, only) = (whole(&args.ids)?, whole(&args.only)?);
    let args = ForgetArgs { ids, only, ..args };
    let choice = args.choice()?;
    if let Some(token) = &args.confirm {
        confirm(&installation, &grant, token, &choice, output)?;
        super::view::refresh(config, &installation, output);
        return Ok(());
    }
    let yes = args.yes;
    let request = args.into_request(installation.service.clock().now())?;
    let planned = installation.service.plan_forget(&grant, &request)?;
    installation.service.upkeep().flush_reads()?;
    if output.is_json() && !yes {
        return output.json_line(&PlanView::of(planned, grant.scope()));
    }
    let (view, token) = understood(planned, &grant)?;
    let Some(token) = token else { return output.show(&nearest(&view), String::clone) };
    let is_open = view.direct + view.indirect + view.working == 0;
    if is_open && !matches!(choice, PlanChoice::Only(_)) {
        return output.show(&candidates(&view), String::clone);
    }
    if !yes {
        output.note(&shown(&view));
        agreed(output, &question(&view, &choice))?;
    }
    confirm(&installation, &grant, &token, &choice, output)?;
    super::view::refresh(config, &installation, output);
    Ok(())
}

/// Text for a request that surely matches nothing, with the nearest memories.
fn nearest(view: &PlanView) -> String {
    if view.nearest.is_empty() {
        return "nothing matches, so there is nothing to forget".to_owned();
    }
    let lines =
        view.nearest.iter().map(|near| format!("\n  --id {}: {}", short(&near.memory_id), line(&near.gist)));
    format!("nothing surely matches; is one of these meant?{}", lines.collect::<String>())
}

/// Text for a plan that only offers memories: the person says which of them are meant.
fn candidates(view: &PlanView) -> String {
    let lines = view
        .matches
        .iter()
        .take(SHOWN)
        .map(|one| format!("\n  --only {}: {} ({})", short(&one.memory_id), line(&one.gist), one.reason));
    format!(
        "nothing surely matches; make the request again with --only for each of these that is meant:{}",
        lines.collect::<String>()
    )
}

/// The plan and its token; without a token when nothing matches.
fn understood(planned: Planned, grant: &Grant<Forget>) -> Result<(PlanView, Option<String>)> {
    let mut view = PlanView::of(planned, grant.scope());
    match (view.question, view.people.as_slice()) {
        (Some(question), _) => return Err(Failure::new(&codes::UNCLEAR_REQUEST, question)),
        (None, []) => {}
        (None, people) => {
            let lines: Vec<_> = people
                .iter()
                .map(|one| format!("--who {}: {} ({})", one.who, one.label, one.memories))
                .collect();
            return Err(Failure::new(
                &codes::UNCLEAR_REQUEST,
                format!("several people bear that name\n  {}", lines.join("\n  ")),
            ));
        }
    }
    let token = view.token.take();
    Ok((view, token))
}

fn agreed(output: &Output, question: &str) -> Result<()> {
    match output.ask(question) {
        Some(true) => Ok(()),
        Some(false) => Err(Failure::new(&codes::DECLINED, "nothing was forgotten")),
        None => {
            let reason = "nothing was forgotten: there is no terminal to confirm it on; --yes confirms once, and \
                          --json prints the token that confirms the second time";
            Err(Failure::new(&codes::NEEDS_CONFIRMATION, reason))
        }
    }
}

fn confirm(
    installation: &Installation,
    grant: &Grant<Forget>,
    token: &str,
    choice: &PlanChoice,
    output: &Output,
) -> Result<()> {
    let mut confirmed = installation.service.confirm_forget(grant, token, choice)?;
    if let Confirmed::Again { token, .. } = &confirmed {
        // A yes on the command line is one; the second is given to the token, or at the prompt.
        if output.is_json() {
            return output.json_line(&ForgottenView::of(confirmed, grant.scope()));
        }
        agreed(output, "That is everything there is. Really all of it, for good?")?;
        confirmed = installation.service.confirm_forget(grant, token, choice)?;
    }
    super::settle::settle(installation, output);
    output.show(&ForgottenView::of(confirmed, grant.scope()), done)
}

fn question(view: &PlanView, choice: &PlanChoice) -> String {
    let verb = match view.mode.map(|mode| mode.to_string()).as_deref() {
        Some("soft") => "Hide",
        Some("archive") => "Archive",
        _ => "Erase",
    };
    let count = match choice {
        PlanChoice::All => view.direct + view.indirect,
        PlanChoice::Direct => view.direct,
        PlanChoice::Only(ids) => ids.len(),
    };
    format!("{verb} {}?", memories(count))
}

fn shown(view: &PlanView) -> String {
    let rows = view.matches.iter().take(SHOWN).map(|found| {
        let left =
            found.leaves.as_ref().map_or_else(String::new, |leaves| format!("leaves: {}", line(leaves)));
        let closeness = if found.offered { "offered" } else { found.closeness };
        let text = if left.is_empty() { found.gist.clone() } else { format!("{} ({left})", found.gist) };
        [closeness.to_owned(), text, found.reason.clone(), short(&found.memory_id)]
    });
    let mut text = table(["match", "memory", "why", "id"], rows);
    if view.matches.len() > SHOWN {
        let count = view.direct + view.indirect + view.offered;
        text.push_str(&format!("\n… and {} more", count - SHOWN));
    }
    if view.offered > 0 {
        text.push_str("\nwhat is offered stays, unless --only names it");
    }
    for near in &view.nearest {
        text.push_str(&format!(
            "\nmay be meant too, and stays: {} ({})",
            line(&near.gist),
            short(&near.memory_id)
        ));
    }
    for fall in view.derived.iter().take(SHOWN) {
        let fate = if fall.rebuilt { "is made anew without it" } else { "goes with it" };
        text.push_str(&format!("\n{fate}: {}", line(&fall.gist)));
    }
    if view.not_yours > 0 {
        text.push_str(&format!("\n{} that others wrote stay", memories(view.not_yours)));
    }
    if view.language_model == Some("unanswered") {
        text.push_str("\nthe language model did not answer: the plan is without its proposals");
    }
    text
}

/// Renders the result for people.
pub(super) fn done(view: &ForgottenView) -> String {
    let mut lines = vec![match (&view.restorable_until, view.receipts.is_empty()) {
        (Some(until), _) => {
            let hidden = counted(view.memory_ids.len(), "memory; it", "memories; they");
            format!("hid {hidden} can be restored until {}", minute(*until))
        }
        (None, true) if view.memory_ids.is_empty() && view.deferred.is_some() => {
            "nothing was erased yet".to_owned()
        }
        (None, true) => format!("set {} aside", memories(view.memory_ids.len())),
        (None, false) => format!("erased {} for good", memories(view.memory_ids.len())),
    }];
    if let Some(deferred) = &view.deferred {
        lines.push(format!(
            "{} hidden now and erased when {} has ended, on {} at the latest",
            counted(deferred.memory_ids.len(), "memory is", "memories are"),
            deferred.holds.join(", "),
            deferred.until.strftime("%Y-%m-%d")
        ));
    }
    let more = [
        (view.fell.len(), "was made of that and went too", "were made of that and went too"),
        (
            view.cut.len(),
            "lives on without a part of what it said",
            "live on without a part of what they said",
        ),
        (view.rebuilt.len(), "was made anew from what is left", "were made anew from what is left"),
        (
            view.held_back.len(),
            "waits in the review, because it leans on what went",
            "wait in the review, because they lean on what went",
        ),
    ];
    let more = more.iter().filter(|(count, ..)| *count > 0);
    lines.extend(more.map(|(count, one, many)| counted(*count, one, many)));
    if !view.may_still_speak.is_empty() {
        let left = memories(view.may_still_speak.len());
        lines.push(format!("{left} may still speak of it: {}", short_list(&view.may_still_speak)));
    }
    lines.extend(view.receipts.iter().map(receipt_line));
    lines.join("\n")
}

fn receipt_line(receipt: &ReceiptView) -> String {
    let found = receipt.residue();
    let ways = receipt.probes.len();
    let probe = match found {
        0 => format!("looked for by {ways} ways, nothing found"),
        found => {
            format!("WARNING: {} found, run lacuna doctor", counted(found as usize, "trace", "traces"))
        }
    };
    let backups = match receipt.backups.iter().map(|backup| backup.until).max() {
        None => String::new(),
        Some(until) => {
            let holds = counted(receipt.backups.len(), "full backup holds", "full backups hold");
            format!("; {holds} copies until {}", day(until))
        }
    };
    let keys = counted(receipt.counts.keys_destroyed as usize, "key", "keys");
    format!("receipt {}: {keys} destroyed, {probe}{backups}", receipt.receipt)
}

fn memories(count: usize) -> String {
    counted(count, "memory", "memories")
}

impl ForgetArgs {
    fn choice(&self) -> Result<PlanChoice> {
        let only = (!self.only.is_empty()).then(|| self.only.clone());
        ConfirmRequest { token: String::new(), direct_only: self.direct, only, scope: None }.choice()
    }

    fn into_request(self, now: Timestamp) -> Result<lacuna_core::forget::Request> {
        let list = |values: Vec<String>| (!values.is_empty()).then_some(values);
        let request = ForgetRequest {
            words: self.words,
            memory_ids: list(self.ids),
            session_id: self.session,
            query: self.query,
            after: self.since.map(|when| when.before(now)),
            before: self.until.map(|when| when.before(now)),
            tags: list(self.tags),
            entity: self.entity,
            primary_only: self.primary_only,
            sensitivity: self.sensitivity,
            tier: self.tier,
            source: self.source,
            everything: self.everything,
            mode: self.mode,
            who: self.who,
            partial: self.partial,
            time_zone: None,
            scope: None,
        };
        Ok(lacuna_core::forget::Request { zone: TimeZone::system(), ..request.into_core()? })
    }
}

pub(super) fn verify_forgotten(
    config: &Config,
    scope: Option<&str>,
    about: &str,
    output: &Output,
) -> Result<()> {
    let installation = assemble(config)?;
    let grant = installation.grant(scope)?;
    let verified = installation.service.verify_forgotten(&grant, about)?;
    installation.service.upkeep().flush_reads()?;
    output.show(&VerifiedView::of(verified, grant.scope()), |view| {
        let mut lines = Vec::new();
        match (view.direct.len(), view.indirect.len()) {
            (0, 0) => lines.push("nothing about that is remembered".to_owned()),
            (0, near) => lines.push(format!(
                "nothing says that; {} may still speak of it: {}",
                memories(near),
                short_list(&view.indirect)
            )),
            (direct, _) => lines.push(format!(
                "{} it: {}",
                counted(direct, "memory says", "memories say"),
                short_list(&view.direct)
            )),
        }
        let forgotten = view.receipts.iter().map(|one| {
            format!("a request to forget it was carried out on {}: {}", minute(one.at), one.receipt)
        });
        lines.extend(forgotten);
        lines.join("\n")
    })
}

pub(super) fn receipt(config: &Config, command: ReceiptCommand, output: &Output) -> Result<()> {
    match command {
        ReceiptCommand::Verify { file, key } => verify(config, &file, key.as_deref(), output),
        ReceiptCommand::List { after, scope } => {
            let installation = assemble(config)?;
            let grant = installation.grant(scope.as_deref())?;
            let receipts = installation.service.receipts(&grant, after)?;
            let key = installation.service.verifying_key()?;
            output.show(&ReceiptList::of(receipts, key, grant.scope()), |list| {
                let rows = list.receipts.iter().map(|one| {
                    let found = one.residue();
                    [
                        one.receipt.clone(),
                        minute(one.at),
                        in_words("cause", one.cause),
                        one.counts.keys_destroyed.to_string(),
                        found.to_string(),
                    ]
                });
                format!(
                    "{}\n\npublic key: {}",
                    table(["receipt", "when", "why", "keys", "found"], rows),
                    list.key
                )
            })
        }
        ReceiptCommand::Show { receipt, scope } => {
            let installation = assemble(config)?;
            let grant = installation.grant(scope.as_deref())?;
            let receipt = installation.service.receipt(&grant, read_number("receipt", &receipt)?)?;
            output.show(&ReceiptView::from(receipt), receipt_sheet)
        }
        ReceiptCommand::Key => {
            let key = assemble(config)?.service.verifying_key()?.to_string();
            output.show(&key, Clone::clone)
        }
    }
}

/// A receipt for people.
fn receipt_sheet(view: &ReceiptView) -> String {
    let counts = &view.counts;
    let mut gone = vec![("said it", counts.direct)];
    let others = [
        ("seemed to say it", counts.indirect),
        ("were made of that", counts.fell),
        ("were cut", counts.cut),
        ("were made anew", counts.rebuilt),
        ("wait in the review", counts.held_back),
    ];
    gone.extend(others.into_iter().filter(|(_, count)| *count > 0));
    let gone: Vec<String> = gone.iter().map(|(what, count)| format!("{count} {what}")).collect();
    let found = match view.residue() {
        0 => "nothing was found".to_owned(),
        found => format!("{} found: run lacuna doctor", counted(found as usize, "trace was", "traces were")),
    };
    let mut rows = vec![
        ("receipt", view.receipt.clone()),
        ("when", format!("{} UTC", minute(view.at))),
        ("why", in_words("cause", view.cause)),
        ("asked for", in_words("target", view.target)),
        ("memories", gone.join(", ")),
        ("keys", format!("{} destroyed: nobody can read them again", counts.keys_destroyed)),
        ("looked for", format!("in {} afterwards, and {found}", counted(view.probes.len(), "way", "ways"))),
        ("signed by", view.key.clone()),
    ];
    rows.extend(view.backups.iter().map(|hold| {
        ("backup", format!("number {} holds sealed copies until {}", hold.number, day(hold.until)))
    }));
    let keep = format!("lacuna receipt show {0} --json > {0}.json", view.receipt);
    format!("{}\n\nTo keep it, and to verify it anywhere: {keep}", fields(rows))
}

fn verify(config: &Config, file: &Path, key: Option<&str>, output: &Output) -> Result<()> {
    let view = read_receipt(file)?;
    let key: VerifyingKey = match key {
        Some(key) => key
            .parse()
            .map_err(|_| Failure::invalid("key", "must be a public key as `lacuna receipt key` prints it"))?,
        None => assemble(config)?.service.verifying_key()?,
    };
    view.clone().into_core()?.verify(&key)?;
    output.show(&view, |view| {
        fields([
            ("holds", view.receipt.clone()),
            ("at", view.at.to_string()),
            ("keys destroyed", view.counts.keys_destroyed.to_string()),
            ("found after", view.residue().to_string()),
            ("signed by", view.key.clone()),
        ])
    })
}

/// A receipt as it was kept in a file.
pub(super) fn read_receipt(file: &Path) -> Result<ReceiptView> {
    let unreadable = |error: std::io::Error| {
        Failure::new(&codes::INPUT_UNREADABLE, format!("{}: {error}", file.display()))
    };
    let size = fs::metadata(file).map_err(unreadable)?.len();
    if size > RECEIPT_BYTES_MAX {
        return Err(Failure::invalid("file", "is too large for a receipt"));
    }
    let text = fs::read_to_string(file).map_err(unreadable)?;
    let parsed = serde_json::from_str::<ReceiptView>(&text);
    parsed.map_err(|error| {
        Failure::invalid(
            "file",
            format!("is not a receipt as `lacuna receipt show NUMBER --json` writes it: {error}"),
        )
    })
}

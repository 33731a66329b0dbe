//! A person's right to be forgotten, carried out by an operator who sees numbers and no content.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use lacuna_core::govern::{BatchSignature, PersonBatch, batch_message};
use lacuna_core::permit::{ForgetPerson, Grant};
use lacuna_seal::{SigningKey, SystemEntropy, Zeroizing};
use serde::Serialize;

use super::args::ScopeArgs;
use super::output::{Output, counted, table};
use crate::assemble::{Installation, assemble};
use crate::codes;
use crate::config::Config;
use crate::wire::failure::{Failure, Result};
use crate::wire::{
    NoticeList, PersonBatchView, PersonBody, PersonForgottenView, PersonRequestList, PersonRequestView, hex,
    unhex,
};

#[derive(Subcommand)]
pub(super) enum PersonCommand {
    /// Open a request, look through every vault, and erase what speaks of the person.
    #[command(after_help = "Examples:
  lacuna person forget --identifier mira@example.org --name 'Mira Okafor' --plan
  lacuna person forget --request 7 --identifier mira@example.org --name 'Mira Okafor' --yes")]
    Forget(Box<PersonForgetArgs>),
    /// Open requests, with the time left; overdue ones are marked.
    Requests {
        /// Completed ones as well.
        #[arg(long)]
        all: bool,
    },
    /// Make an operator's key: a file for its owner alone, and the public key for the policy.
    Key { file: PathBuf },
}

#[derive(Args)]
pub(super) struct PersonForgetArgs {
    /// An e-mail address, a phone number or another number of theirs, in any spelling; may repeat.
    #[arg(long = "identifier", value_name = "TEXT")]
    pub(super) identifiers: Vec<String>,
    /// A full name; may repeat.
    #[arg(long = "name", value_name = "NAME")]
    pub(super) names: Vec<String>,
    /// Their user name, if they have a vault: everything in it goes.
    #[arg(long = "person", value_name = "USER")]
    pub(super) user: Option<String>,
    /// A conversation that was theirs; may repeat.
    #[arg(long = "session", value_name = "ID")]
    pub(super) sessions: Vec<String>,
    /// Go on with an open request instead of opening one.
    #[arg(long, value_name = "NUMBER")]
    pub(super) request: Option<u64>,
    /// Only look, and say how much would go.
    #[arg(long = "plan")]
    pub(super) plan_only: bool,
    /// The operator's key file, where the policy names operators.
    #[arg(long, value_name = "FILE")]
    pub(super) sign_with: Option<PathBuf>,
    /// Do not ask.
    #[arg(long)]
    pub(super) yes: bool,
}

#[derive(Serialize)]
struct OperatorKey {
    key: String,
}

pub(super) fn run(config: &Config, command: PersonCommand, output: &Output) -> Result<()> {
    match command {
        PersonCommand::Forget(args) => forget(&assemble(config)?, *args, output),
        PersonCommand::Requests { all } => requests(&assemble(config)?, all, output),
        PersonCommand::Key { file } => {
            let key = SigningKey::make(&SystemEntropy);
            write_key(&file, &key)?;
            let made = OperatorKey { key: key.verifying_key().to_string() };
            output.show(&made, |made| {
                format!(
                    "written to {}; put this into `operators` of the policy:\n{}",
                    file.display(),
                    made.key
                )
            })
        }
    }
}

/// Opens a request or goes on with one, looks, asks, erases.
pub(super) fn forget(installation: &Installation, args: PersonForgetArgs, output: &Output) -> Result<()> {
    let grant = installation.admin_grant::<ForgetPerson>()?;
    let service = &installation.service;
    let signing = args.sign_with.as_deref().map(read_key).transpose()?;
    let body = PersonBody {
        identifiers: args.identifiers,
        names: args.names,
        user_id: args.user,
        session_ids: args.sessions,
    };
    let person = body.into_core()?;
    let number = match args.request {
        Some(number) => number,
        None => service.open_person_request(&grant, &person)?.number,
    };
    let batch = service.plan_person(&grant, number, &person)?;
    let now = service.clock().now();
    if args.plan_only {
        return output.show(&PersonBatchView::of(batch, now), planned);
    }
    agree(&batch, args.yes, output)?;
    let signature = signing.map(|key| sign(&grant, &key, &batch));
    let done = service.confirm_person(&grant, number, &person, &batch.digest, signature)?;
    output.show(&PersonForgottenView::of(done, now), |done| {
        format!(
            "{} is completed: {} gone, {} for review\nreceipts: {}",
            done.request.reference,
            counted(done.request.memories as usize, "memory is", "memories are"),
            counted(done.held_back as usize, "waits", "wait"),
            done.request.receipts.join(", ")
        )
    })
}

fn agree(batch: &PersonBatch, yes: bool, output: &Output) -> Result<()> {
    let reference = batch.request.reference();
    let memories = counted(batch.memories as usize, "memory", "memories");
    let question = format!("{reference}: erase {memories} for good?");
    match yes.then_some(true).or_else(|| output.ask(&question)) {
        Some(true) => Ok(()),
        answer => {
            let code = if answer == Some(false) { &codes::DECLINED } else { &codes::NEEDS_CONFIRMATION };
            let reason = format!(
                "{reference} is open and nothing was erased; --request {} goes on with it",
                batch.request.number
            );
            Err(Failure::new(code, reason))
        }
    }
}

fn sign(grant: &Grant<ForgetPerson>, key: &SigningKey, batch: &PersonBatch) -> BatchSignature {
    let number = batch.request.number.to_be_bytes();
    let (domain, parts) = batch_message(&grant.scope().org, &number, &batch.digest);
    BatchSignature { key: key.verifying_key(), signature: key.sign(domain, &parts) }
}

fn planned(batch: &PersonBatchView) -> String {
    let rows = batch
        .by_kind
        .iter()
        .map(|(kind, count)| [(*kind).to_owned(), count.vaults.to_string(), count.memories.to_string()]);
    let operator = if batch.needs_operator { "\nan operator must sign it: --sign-with FILE" } else { "" };
    let locked = match batch.locked_vaults {
        0 => String::new(),
        locked => format!("\n{} not searched: locked", counted(locked as usize, "vault was", "vaults were")),
    };
    format!(
        "{}: {}, {} more to be reviewed by their owners{locked}\n{}\ndigest {}{operator}",
        batch.request.reference,
        counted(batch.memories as usize, "memory", "memories"),
        batch.to_review,
        table(["kind of vault", "vaults", "memories"], rows),
        batch.digest
    )
}

fn requests(installation: &Installation, all: bool, output: &Output) -> Result<()> {
    let grant = installation.admin_grant::<ForgetPerson>()?;
    let now = installation.service.clock().now();
    let (mut requests, mut after) = (Vec::new(), 0);
    loop {
        let page = installation.service.person_requests(&grant, after)?;
        let Some(last) = page.last() else { break };
        after = last.number;
        requests.extend(page.into_iter().filter(|request| all || request.completed_at.is_none()));
    }
    let requests = requests.into_iter().map(|request| PersonRequestView::of(request, now)).collect();
    output.show(&PersonRequestList { requests }, |list| {
        let rows = list.requests.iter().map(|request| {
            let left = match (request.overdue, request.hours_left) {
                (true, _) => "OVERDUE".to_owned(),
                (false, Some(hours)) => format!("{hours} h"),
                (false, None) => "done".to_owned(),
            };
            [request.reference.clone(), request.opened_at.to_string(), left, request.receipts.join(" ")]
        });
        table(["request", "opened", "left", "receipts"], rows)
    })
}

pub(super) fn notices(config: &Config, scope: &ScopeArgs, output: &Output) -> Result<()> {
    let installation = assemble(config)?;
    let grant = installation.grant(scope.as_deref())?;
    let notices = installation.service.notices(&grant, 0)?;
    output.show(&NoticeList::of(notices, grant.scope()), |list| {
        let rows = list.notices.iter().map(|notice| {
            [
                notice.at.to_string(),
                notice.receipt.clone(),
                notice.memories.to_string(),
                notice.message.to_owned(),
            ]
        });
        table(["at", "receipt", "memories", "what"], rows)
    })
}

fn write_key(file: &Path, key: &SigningKey) -> Result<()> {
    let text = Zeroizing::new(format!("{}\n", hex(key.expose())));
    let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(file);
    made.and_then(|mut made| made.write_all(text.as_bytes()).and_then(|()| made.sync_all()))
        .map_err(|error| Failure::new(&codes::OUTPUT_FAILED, format!("{}: {error}", file.display())))
}

fn read_key(file: &Path) -> Result<SigningKey> {
    let unreadable =
        |reason: String| Failure::new(&codes::INPUT_UNREADABLE, format!("{}: {reason}", file.display()));
    let text = Zeroizing::new(fs::read_to_string(file).map_err(|error| unreadable(error.to_string()))?);
    let seed = unhex(text.trim()).and_then(|seed| <[u8; 32]>::try_from(seed).ok());
    seed.map(SigningKey::from_seed).ok_or_else(|| unreadable("is not an operator's key".to_owned()))
}

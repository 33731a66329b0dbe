use std::io::Read;
use std::path::PathBuf;

use clap::Args;
use jiff::Timestamp;
use lacuna_core::Consents;
use lacuna_core::gate::Question;
use lacuna_core::permit::{Grant, Remember, permit};
use lacuna_core::write::{Asked, Outcome};
use lacuna_types::{Clock, Lifecycle, TRANSCRIPT_CHARS_MAX};

use super::args::{ScopeArgs, words};
use super::managed::raw;
use super::output::{Output, day, fields, in_words, kept_until};
use super::short_id::{self, Care, short};
use super::when::TimeArg;
use super::{batch, settle};
use crate::assemble::{Installation, assemble};
use crate::codes;
use crate::config::Config;
use crate::wire::failure::{Failure, Result};
use crate::wire::{
    self, DetailBody, LineageBody, PURPOSE_DEFAULT, RememberRequest, RememberedView, SourceBody,
};

/// UTF-8 takes at most this many bytes per character.
const CHAR_BYTES_MAX: usize = 4;
/// A text on standard input, in bytes: what the longest transcript may take.
const TEXT_BYTES_MAX: usize = TRANSCRIPT_CHARS_MAX * CHAR_BYTES_MAX;

#[derive(Args)]
pub(super) struct RememberArgs {
    /// The text; `-` reads it from standard input, `--` before it lets it begin with a hyphen.
    #[arg(required_unless_present = "batch", conflicts_with = "batch")]
    text: Option<String>,
    /// Remember every line of a JSONL file; `-` reads standard input.
    #[arg(long, value_name = "FILE")]
    batch: Option<PathBuf>,
    /// First line of the batch to take, to go on after a bad one.
    #[arg(long, value_name = "LINE", default_value_t = 1, requires = "batch")]
    from_line: u64,
    #[arg(long, value_parser = words::<wire::Category, _>(wire::Category::all()))]
    category: Option<wire::Category>,
    #[arg(long, value_parser = words::<wire::ContentType, _>(wire::ContentType::all()))]
    content_type: Option<wire::ContentType>,
    /// May be given more than once.
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,
    /// Importance from 0 to 1 [default: 0.5].
    #[arg(long, value_name = "0..1", allow_negative_numbers = true)]
    salience: Option<f32>,
    /// Its core in at most 280 characters [default: made from the text].
    #[arg(long)]
    gist: Option<String>,
    /// A detail that fades by itself, in at most 200 characters; may be given more than once.
    #[arg(long = "detail", value_name = "TEXT")]
    details: Vec<String>,
    /// working is known to its session only, and stored nowhere.
    #[arg(long, value_parser = words::<wire::Tier, _>(wire::Tier::all()))]
    tier: Option<wire::Tier>,
    #[arg(long, value_parser = words::<wire::Lane, _>(wire::Lane::all()))]
    lane: Option<wire::Lane>,
    /// Its source; a text that is not your own word waits for a review before it is a fact.
    #[arg(long, value_parser = words::<wire::SourceType, _>(wire::SourceType::all()))]
    source: Option<wire::SourceType>,
    /// The tool whose output it is.
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,
    /// A memory that it was made of, such as mem_01a1…=inference; may be given more than once [default: =primary].
    #[arg(long = "derived-from", value_name = "MEMORY_ID[=HOW]")]
    derived_from: Vec<String>,
    #[arg(long, value_name = "CLASS", value_parser = words::<wire::PrivacyClass, _>(wire::PrivacyClass::all()))]
    privacy_class: Option<wire::PrivacyClass>,
    /// Retention tier, which says how long it is kept.
    #[arg(long, value_name = "TIER", value_parser = words::<wire::RetentionTier, _>(wire::RetentionTier::all()))]
    retention: Option<wire::RetentionTier>,
    /// Keep it whatever its time.
    #[arg(long)]
    pin: bool,
    /// The conversation that it comes from.
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Its place in that conversation.
    #[arg(long, value_name = "NUMBER")]
    turn: Option<u32>,
    /// Sensitive topics; health, biometric, financial, political_religious and location have keys of their own.
    #[arg(long, value_parser = words::<wire::Sensitivity, _>(wire::Sensitivity::all()))]
    sensitivity: Vec<wire::Sensitivity>,
    /// Time of its erasure: a date, a time, or a span such as 90d. It may lie later than the default, as far as the policy
    /// allows.
    #[arg(long, visible_alias = "keep", value_name = "WHEN")]
    expires: Option<TimeArg>,
    /// The legal basis for keeping personal data.
    #[arg(long, value_name = "BASIS", value_parser = words::<wire::ConsentBasis, _>(wire::ConsentBasis::all()))]
    consent: Option<wire::ConsentBasis>,
    /// An object of your own, as JSON, to filter by; it is kept as it is written.
    #[arg(long, value_name = "JSON")]
    metadata: Option<String>,
    /// Refuse a text with a secret instead of storing it without.
    #[arg(long)]
    fail_on_secret: bool,
    /// The token of an earlier answer that asked about this very text.
    #[arg(long, value_name = "TOKEN")]
    confirm: Option<String>,
    /// Confirm whatever is asked.
    #[arg(long, conflicts_with = "batch")]
    yes: bool,
    /// Time at which it happened: a date, a time, or a span such as 2h for two hours ago.
    #[arg(long, value_name = "WHEN")]
    at: Option<TimeArg>,
    #[command(flatten)]
    scope: ScopeArgs,
}

pub(super) fn run(config: &Config, args: Box<RememberArgs>, output: &Output) -> Result<()> {
    if let Some(path) = &args.batch {
        // Before anything is opened: a file that is not there should leave no trace.
        let source = batch::LineSource::open(path)?;
        let installation = assemble(config)?;
        let grant = installation.grant(args.scope.as_deref())?;
        let outcome = batch::remember(&installation, &grant, source, args.from_line, output);
        settle::settle(&installation, output);
        return outcome;
    }
    let text = match args.text.as_deref() {
        Some("-") | None => read_stdin()?,
        Some(text) => text.to_owned(),
    };
    let installation = assemble(config)?;
    let grant = installation.grant(args.scope.as_deref())?;
    let yes = args.yes;
    let scope = args.scope.as_deref();
    let derived = args.derived_from.iter().map(|link| lineage(&installation, scope, link));
    let derived = derived.collect::<Result<Vec<_>>>()?;
    let request = request(text, *args, derived, installation.service.clock())?;
    let view = remember_one(&installation, &grant, request, yes, output)?;
    settle::settle(&installation, output);
    output.show(&view, people)
}

fn remember_one(
    installation: &Installation,
    grant: &Grant<Remember>,
    request: RememberRequest,
    yes: bool,
    output: &Output,
) -> Result<RememberedView> {
    let drafts = vec![request.clone().into_draft()?];
    let mut outcomes = installation.service.remember(grant, drafts)?;
    let only = outcomes.pop().ok_or_else(|| Failure::new(&codes::INTERNAL, "nothing was answered"))?;
    let answer = match (&only, &request.confirm) {
        (Outcome::Asked(_), None) if yes => Some(true),
        (Outcome::Asked(asked), None) => output.ask(&question(asked)),
        _ => None,
    };
    if answer == Some(false) {
        return Err(Failure::new(&codes::DECLINED, declined(&only)));
    }
    if let (Outcome::Asked(asked), Some(true)) = (&only, answer) {
        let confirmed = RememberRequest { confirm: Some(asked.token.clone()), ..request };
        let topics = asked.held.iter().flat_map(|held| &held.topics);
        let stored = remember_one(installation, grant, confirmed, false, output)?;
        // `--yes` is an answer about this text; at the terminal the question was about the category.
        for topic in topics.filter(|_| !yes) {
            let consent = permit(&installation.local, grant.scope())?;
            Consents::of(&installation.service).give(&consent, *topic, PURPOSE_DEFAULT)?;
        }
        return Ok(stored);
    }
    Ok(RememberedView::of(Failure::of_gate(only)?, grant.scope()))
}

/// The state of a text after a no.
fn declined(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Asked(asked) => match &asked.held {
            Some(held) => format!(
                "it was not remembered; it waits sealed until {}, and to erase it now: lacuna review reject {}",
                day(held.until),
                short(&held.id.to_string())
            ),
            None => "nothing was remembered".to_owned(),
        },
        _ => "nothing was changed".to_owned(),
    }
}

fn request(
    content: String,
    args: RememberArgs,
    derived_from: Vec<LineageBody>,
    clock: &dyn Clock,
) -> Result<RememberRequest> {
    let has_source =
        args.session.is_some() || args.turn.is_some() || args.source.is_some() || args.tool.is_some();
    let source = SourceBody {
        session_id: args.session,
        turn: args.turn,
        r#type: args.source,
        tool: args.tool,
        ..SourceBody::default()
    };
    let detail = |content| DetailBody { content, brightness: 1.0 };
    Ok(RememberRequest {
        content,
        gist: args.gist,
        details: args.details.into_iter().map(detail).collect(),
        tier: args.tier,
        lane: args.lane,
        derived_from,
        privacy_class: args.privacy_class,
        retention: args.retention,
        pinned: args.pin,
        category: args.category,
        content_type: args.content_type,
        tags: args.tags,
        sensitivity: args.sensitivity,
        consent_basis: args.consent,
        metadata: args.metadata.as_deref().map(|json| raw("metadata", json)).transpose()?,
        fail_on_secret: args.fail_on_secret,
        confirm: args.confirm,
        source: has_source.then_some(source),
        salience: args.salience,
        expires_at: args.expires.map(|when| when.after(clock.now())),
        created_at: args.at.map(|when| when.before(clock.now())),
        ..RememberRequest::default()
    })
}

/// `MEMORY_ID`, or `MEMORY_ID=HOW`.
fn lineage(installation: &Installation, scope: Option<&str>, link: &str) -> Result<LineageBody> {
    let (id, how) = link.split_once('=').unwrap_or((link, "primary"));
    let contribution = how.parse().map_err(|reason: String| Failure::invalid("derived_from", reason))?;
    let id = short_id::memory_id(installation, scope, id, Care::Usual)?;
    Ok(LineageBody { memory_id: id.to_string(), contribution })
}

/// Standard input as one text, without the line break that ends it.
pub(super) fn read_stdin() -> Result<String> {
    let mut bytes = Vec::new();
    let limit = TEXT_BYTES_MAX as u64 + 1;
    std::io::stdin().lock().take(limit).read_to_end(&mut bytes).map_err(|error| {
        Failure::new(&codes::INPUT_UNREADABLE, format!("standard input cannot be read: {error}"))
    })?;
    if bytes.len() > TEXT_BYTES_MAX {
        let reason = format!("standard input is larger than {TEXT_BYTES_MAX} bytes");
        return Err(Failure::new(&codes::TOO_LARGE, reason));
    }
    let mut text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Failure::new(&codes::INVALID_UTF8, format!("standard input is not UTF-8 from byte {at} on"))
    })?;
    if text.ends_with('\n') {
        text.pop();
        if text.ends_with('\r') {
            text.pop();
        }
    }
    Ok(text)
}

fn question(asked: &Asked) -> String {
    if let Some(held) = &asked.held {
        let topics = held.topics.iter().map(|one| in_words("consent", one.as_str()));
        let topics = topics.collect::<Vec<_>>().join(" and ");
        return format!(
            "It is about {topics}. Keep it, and what you say about {topics} from now on, for your assistants? \
             (lacuna consent revoke takes it back)"
        );
    }
    let ask = |question: &Question| match question {
        Question::PossibleSecret => "It may hold a secret.",
        Question::Consent => "It is sensitive personal data: keeping it needs your explicit consent.",
    };
    let asked: Vec<_> = asked.questions.iter().map(ask).collect();
    format!("{} Store it?", asked.join(" "))
}

/// The end of a memory's time, with its reason: "15 January 2027: financial".
fn kept(until: Timestamp, view: &RememberedView) -> String {
    let asked =
        view.asks_at.map(|at| format!("; you are asked about it from {}", day(at))).unwrap_or_default();
    format!("{}{asked}", kept_until(until, view.kept_because.as_deref()))
}

fn people(view: &RememberedView) -> String {
    let verb = if view.repeats > 0 { "known already" } else { "remembered" };
    let mut rows = vec![(verb, view.memory_id.clone()), ("hash", view.content_hash.clone())];
    if let Some(waits) = &view.waits {
        rows.push(("waits", format!("{}: see lacuna review list", in_words("waits", waits))));
    } else if view.state.0 != Lifecycle::Active {
        rows.push(("state", in_words("state", view.state)));
    }
    for redaction in view.gate.redactions.iter().filter(|redaction| redaction.removed) {
        let place = format!("{} {}-{}", redaction.field, redaction.start, redaction.end);
        rows.push(("redacted", format!("{} ({}) at {place}", redaction.rule, redaction.level)));
    }
    rows.extend(view.gate.changes.iter().map(|change| ("changed", change.clone())));
    if view.gate.consent_keeps {
        rows.push(("to keep it whole", "remember it with --consent explicit-consent".to_owned()));
    }
    rows.extend(view.supersedes.iter().map(|id| ("supersedes", short(id))));
    rows.extend(view.alike.iter().map(|id| ("much like", short(id))));
    if !view.sensitivity.is_empty() {
        let words: Vec<_> = view.sensitivity.iter().map(|one| in_words("sensitivity", one)).collect();
        rows.push(("sensitive", words.join(", ")));
    }
    rows.extend(view.kept_until.map(|until| ("kept until", kept(until, view))));
    if view.gate.truncated {
        rows.push(("note", "the text was too long and was cut at its end".to_owned()));
    }
    fields(rows)
}

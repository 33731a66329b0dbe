use std::io::Read;

use lacuna_core::admit::Question;
use lacuna_core::domain::{Clock, Lifecycle, TRANSCRIPT_CHARS_MAX};
use lacuna_core::permit::{Grant, Remember};
use lacuna_core::remember::Outcome;

use super::args::RememberArgs;
use super::output::{Output, fields};
use super::{batch, settle};
use crate::assemble::{Installation, assemble};
use crate::codes;
use crate::config::Config;
use crate::failure::{Failure, Result};
use crate::wire::{DetailBody, LineageBody, RememberRequest, RememberedView, SourceBody};

/// UTF-8 takes at most this many bytes per character.
const CHAR_BYTES_MAX: usize = 4;
/// A text on standard input, in bytes: what the longest transcript may take.
const TEXT_BYTES_MAX: usize = TRANSCRIPT_CHARS_MAX * CHAR_BYTES_MAX;

pub(super) fn run(config: &Config, args: Box<RememberArgs>, output: &Output) -> Result<()> {
    if let Some(path) = &args.batch {
        // Before anything is opened: a file that is not there should leave no trace.
        let source = batch::Source::open(path)?;
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
    let request = request(text, *args, installation.service.clock())?;
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
    if let (Outcome::Asked(asked), None) = (&only, &request.confirm)
        && (yes || output.ask(&question(&asked.questions)) == Some(true))
    {
        let confirmed = RememberRequest { confirm: Some(asked.token.clone()), ..request };
        return remember_one(installation, grant, confirmed, false, output);
    }
    Ok(RememberedView::of(Failure::of_gate(only)?, grant.scope()))
}

fn request(content: String, args: RememberArgs, clock: &dyn Clock) -> Result<RememberRequest> {
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
        derived_from: args.derived_from.iter().map(|link| lineage(link)).collect::<Result<_>>()?,
        privacy_class: args.privacy_class,
        retention: args.retention,
        pinned: args.pin,
        category: args.category,
        content_type: args.content_type,
        tags: args.tags,
        sensitivity: args.sensitivity,
        consent_basis: args.consent,
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
fn lineage(link: &str) -> Result<LineageBody> {
    let (id, how) = link.split_once('=').unwrap_or((link, "primary"));
    let contribution = how.parse().map_err(|reason: String| Failure::invalid("derived_from", reason))?;
    Ok(LineageBody { memory_id: id.to_owned(), contribution })
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

fn question(questions: &[Question]) -> String {
    let ask = |question: &Question| match question {
        Question::PossibleSecret => "It may hold a secret.",
        Question::Consent => "It is sensitive personal data: keeping it needs your explicit consent.",
    };
    let asked: Vec<_> = questions.iter().map(ask).collect();
    format!("{} Store it?", asked.join(" "))
}

fn people(view: &RememberedView) -> String {
    let verb = if view.repeats > 0 { "known already" } else { "remembered" };
    let mut rows = vec![(verb, view.memory_id.clone()), ("hash", view.content_hash.clone())];
    if let Some(waits) = &view.waits {
        rows.push(("waits", format!("for {waits}: see lacuna review list")));
    } else if view.state.0 != Lifecycle::Active {
        rows.push(("state", view.state.to_string()));
    }
    for redaction in view.gate.redactions.iter().filter(|redaction| redaction.removed) {
        let place = format!("{} {}-{}", redaction.field, redaction.start, redaction.end);
        rows.push(("redacted", format!("{} ({}) at {place}", redaction.rule, redaction.level)));
    }
    rows.extend(view.gate.changes.iter().map(|change| ("changed", change.clone())));
    rows.extend(view.supersedes.iter().map(|id| ("supersedes", id.clone())));
    rows.extend(view.alike.iter().map(|id| ("much like", id.clone())));
    if !view.sensitivity.is_empty() {
        let words: Vec<_> = view.sensitivity.iter().map(ToString::to_string).collect();
        rows.push(("sensitive", words.join(", ")));
    }
    if view.gate.truncated {
        rows.push(("note", "the text was too long and was cut at its end".to_owned()));
    }
    fields(rows)
}

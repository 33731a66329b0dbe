//! Secrets that two texts hold together: turns of a session one after another, or memories of one call. Neither shows
//! the secret alone.

use lacuna_language::secrets::Scanner;
use lacuna_types::{Draft, Plaintext, Result, Scope, SessionId};

use crate::gate::DraftOrigin;
use crate::index::Session;
use crate::vault::service::Service;
use crate::write::number::{Numbering, turn};

/// Tells each draft which parts of a secret it holds together with the one before it.
pub(crate) fn find_split(
    service: &Service,
    scope: &Scope,
    numbering: Option<&Numbering>,
    drafts: &[Draft],
    standings: &mut [DraftOrigin],
) -> Result<()> {
    let scanner = service.rules.scanner();
    let said_before =
        numbering.map(|numbering| turn_before(service, scope, numbering)).transpose()?.flatten();
    if let (Some(before), Some(first), Some(standing)) = (said_before, drafts.first(), standings.first_mut())
    {
        let parts = scanner.split(before.expose(), first.text.expose());
        // What is stored already stays as it is; the rest of the secret does not join it.
        standing.split.extend(parts.into_iter().map(|[_, rest]| rest).filter(|rest| !rest.span.is_empty()));
    }
    for number in 1..drafts.len() {
        let (before, after) = (&drafts[number - 1], &drafts[number]);
        if session(before) == session(after) {
            split_between(scanner, before, after, &mut standings[number - 1..=number]);
        }
    }
    Ok(())
}

fn split_between(scanner: &Scanner, before: &Draft, after: &Draft, standings: &mut [DraftOrigin]) {
    let (before, after) = (before.text.expose(), after.text.expose());
    let lead = shared_lead(before, after);
    let Some([first, mut rest]) = scanner.split(before, &after[lead..]) else { return };
    rest.span = rest.span.start + lead..rest.span.end + lead;
    for (standing, part) in standings.iter_mut().zip([first, rest]) {
        standing.split.extend((!part.span.is_empty()).then_some(part));
    }
}

/// The length of the name that both texts begin with, as observations about one thing do: "Door: …".
fn shared_lead(before: &str, after: &str) -> usize {
    let lead = after.find(": ").map_or(0, |at| at + 2);
    if before.get(..lead) == after.get(..lead) { lead } else { 0 }
}

fn session(draft: &Draft) -> Option<&SessionId> {
    draft.source.as_ref().and_then(|source| source.session.as_ref())
}

/// The text of the turn that stands before the first one of an append.
fn turn_before(service: &Service, scope: &Scope, numbering: &Numbering) -> Result<Option<Plaintext>> {
    let session = &numbering.session;
    let text = service.read(scope, |open| {
        let mut turns = open.index.turns(Session::key(session), 0).rev();
        let is_before = |number: u32| numbering.expected.is_none_or(|first| number < first);
        let last = turns.find(|(number, id)| is_before(*number) && turn(open, session, id).is_some());
        let stored = last.and_then(|(_, id)| turn(open, session, &id));
        stored.map(|stored| stored.payload.full_text().duplicate())
    })?;
    Ok(text.flatten())
}

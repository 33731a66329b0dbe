//! Memories that lean on what was forgotten: held back until somebody has looked at them, or, where the policy
//! or a reviewer says so, anonymised.

use std::collections::BTreeSet;

use lacuna_language::anonymise::{Anonymous, anonymous, mark, marked};
use lacuna_store::rows::Row;
use lacuna_types::policy::Dangling;
use lacuna_types::*;
use lacuna_types::{Error, Result};
use zeroize::Zeroizing;

use crate::audit::AuditAction;
use crate::erase::carry_out::{Forgotten, Task, erase_with_receipt};
use crate::erase::dangling::dangling;
use crate::erase::prepare::ErasureRequest;
use crate::erase::probe::ProbeTargets;
use crate::permit::{Grant, Recall, Review, permit};
use crate::vault::commit::{Act, retrying};
use crate::vault::frame::Frame;
use crate::vault::handle::VaultWriter;
use crate::vault::open::OpenVault;
use crate::vault::receipt::{Cause, SignedReceipt};
use crate::vault::service::Service;

/// A memory that seems to speak of what was forgotten, and how it mentions it.
pub(crate) type Leaning = (MemoryId, Vec<String>);
/// A memory, and what is left of it once whom it mentions is "someone".
type Anonymised = (MemoryId, Anonymous);

/// Holds a memory back. Whom it mentions is noted inside its own seal, where its text says it anyway.
pub(crate) fn withhold(row: &mut Row, frame: &mut Frame, mentions: &[String], now: jiff::Timestamp) {
    row.state = Lifecycle::Candidate;
    row.updated_at = now;
    frame.facets.history.waits = Some(Wait::Dangling);
    mark(&mut frame.facets.entities, mentions);
}

pub(crate) fn anonymises(service: &Service, scope: &Scope) -> bool {
    service.policy(&scope.org).dangling == Dangling::Anonymise
}

/// Returns the text of a held-back memory with the people it mentions replaced by "someone". `None` when it is not
/// held back for that, or when only a person can word the replacement.
pub(crate) fn anonymous_form(
    service: &Service,
    grant: &Grant<Review>,
    id: MemoryId,
) -> Result<Option<Zeroizing<String>>> {
    // Whoever governs a vault without belonging to it decides by id, and reads nothing.
    permit::<Recall>(grant.caller(), grant.scope())?;
    let form = service.serve(grant.scope(), |open| anonymous_candidate(service, open, id))?;
    Ok(form.transpose()?.flatten().map(|anonymous| anonymous.text))
}

/// A memory that waits because it leans on what was forgotten, without that.
fn anonymous_candidate(service: &Service, open: &OpenVault, id: MemoryId) -> Result<Option<Anonymous>> {
    let Some(stored) = open.index.get(&id) else { return Ok(None) };
    let facets = &stored.payload.facets;
    if stored.attributes.state != Lifecycle::Candidate || facets.history.waits != Some(Wait::Dangling) {
        return Ok(None);
    }
    anonymous_in(service, open, id, &marked(&facets.entities), |id| open.index.get(id).is_none())
}

pub(crate) fn anonymous_in(
    service: &Service,
    open: &OpenVault,
    id: MemoryId,
    mentions: &[String],
    is_gone: impl Fn(&MemoryId) -> bool,
) -> Result<Option<Anonymous>> {
    let Some(stored) = open.index.get(&id) else { return Ok(None) };
    let body = match open.bodies(&[id], service.sources())?.remove(&id) {
        // Made of its gist alone, it would be another memory: it is held back for the review instead.
        Some(Err(_)) => return Ok(None),
        body => body.transpose()?,
    };
    let text = body.as_ref().unwrap_or(stored.payload.full_text()).expose();
    let (details, tags) = (&stored.payload.details, &stored.payload.facets.tags);
    Ok(anonymous(text, details, tags, mentions, is_gone))
}

/// The memories that would be left pointing at one of `gone` and can be made to point at nobody.
pub(crate) fn anonymous_dangling(
    service: &Service,
    open: &OpenVault,
    gone: &BTreeSet<MemoryId>,
) -> Result<Vec<(MemoryId, Anonymous)>> {
    let mut found = Vec::new();
    for id in dangling(open, gone) {
        let anonymous = anonymous_in(service, open, id, &[], |id| gone.contains(id))?;
        found.extend(anonymous.map(|anonymous| (id, anonymous)));
    }
    Ok(found)
}

/// Puts an anonymous memory in the place of a candidate that leans on a forgotten memory. The caller has checked
/// that the reviewer may do so.
pub(crate) fn anonymise(
    writer: &VaultWriter<'_>,
    grant: &Grant<Review>,
    id: MemoryId,
    state: Lifecycle,
) -> Result<(MemoryId, Option<SignedReceipt>)> {
    let found = writer.update(|open| anonymous_candidate(writer.service, open, id))?;
    let anonymous = found.flatten().ok_or_else(nothing_to_replace)?;
    let actor = grant.caller().acting();
    let task = Task::by_ids(actor, AuditAction::MemoryAnonymise, Cause::Request, 1);
    let wanted = ErasureRequest {
        anonymous: vec![(id, anonymous)],
        released_as: Some(state),
        ..ErasureRequest::default()
    };
    let mut done = erase_with_receipt(writer, &wanted, &task, ProbeTargets::default())?;
    let (_, now) = done.cut.first().copied().ok_or(Error::NotFound("memory"))?;
    Ok((now, done.receipts.pop()))
}

/// Holds back memories that seem to speak of somebody, or anonymises them where the policy says so. Answers
/// with what was done; `task` is what the receipt says of what was anonymised.
pub(crate) fn hold_back(
    writer: &VaultWriter<'_>,
    leaning: Vec<Leaning>,
    task: &Task<'_>,
) -> Result<Forgotten> {
    let (anonymous, left) = split_anonymous(writer, leaning)?;
    let mut done = Forgotten::default();
    if !anonymous.is_empty() {
        let scope_hashes = task.scope_hashes.clone();
        let task = Task { indirect: anonymous.len(), scope_hashes, ..*task };
        let wanted = ErasureRequest { anonymous, ..ErasureRequest::default() };
        done = erase_with_receipt(writer, &wanted, &task, ProbeTargets::default())?;
    }
    let held = withhold_all(writer, &left)?;
    done.held_back.extend(held);
    Ok(done)
}

/// Parts what can be anonymised, if the policy wants that, from what waits for a person.
fn split_anonymous(
    writer: &VaultWriter<'_>,
    leaning: Vec<Leaning>,
) -> Result<(Vec<Anonymised>, Vec<Leaning>)> {
    let split = writer.update(|open| {
        let (mut anonymous, mut left) = (Vec::new(), Vec::new());
        for (id, mentions) in leaning {
            let Some(stored) = open.index.get(&id).filter(|stored| is_shown(stored.attributes.state)) else {
                continue;
            };
            let form = match anonymises(writer.service, writer.scope()) {
                true => anonymous_in(writer.service, open, stored.id, &mentions, |id| {
                    open.index.get(id).is_none()
                })?,
                false => None,
            };
            match form {
                Some(form) => anonymous.push((id, form)),
                None => left.push((id, mentions)),
            }
        }
        Ok((anonymous, left))
    })?;
    Ok(split.unwrap_or_default())
}

/// Holds memories back in one commit.
fn withhold_all(writer: &VaultWriter<'_>, leaning: &[Leaning]) -> Result<Vec<MemoryId>> {
    let ids: Vec<MemoryId> = leaning.iter().map(|(id, _)| *id).collect();
    if ids.is_empty() {
        return Ok(ids);
    }
    retrying(|| {
        let now = writer.service.clock.now();
        let withheld = writer.rewrite(&ids, |row, frame| {
            let mentions = leaning.iter().find(|(id, _)| *id == row.id).map(|(_, mentions)| mentions);
            withhold(row, frame, mentions.map_or(&[], Vec::as_slice), now);
            true
        })?;
        let mut act = Act::silent(writer.scope(), now);
        act.record(AuditAction::MemoryWithhold, "system", &ids);
        act.batch.puts = withheld.iter().map(|withheld| withheld.row.clone()).collect();
        writer.commit(&act, |open| {
            for withheld in withheld {
                open.put(&withheld.row, withheld.frame);
            }
        })
    })?;
    Ok(ids)
}

/// Returns true when a memory in this state is found, or will be without anybody's help.
pub(crate) fn is_shown(state: Lifecycle) -> bool {
    matches!(state, Lifecycle::Active | Lifecycle::Approved)
}

fn nothing_to_replace() -> Error {
    Error::Refused {
        code: "cannot_anonymise",
        reason: "it does not wait for what was forgotten, or no other word can stand there: accept, edit or reject it",
    }
}

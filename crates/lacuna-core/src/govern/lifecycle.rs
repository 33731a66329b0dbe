//! The five states of a memory, who may move it from one to another, and the queue of those that wait.

use jiff::Timestamp;
use lacuna_language::anonymise::unmark;
use lacuna_types::*;
use lacuna_types::{Error, Result};

use crate::audit::AuditAction;
use crate::erase::carry_out::{Task, prove_replacement};
use crate::erase::prepare::{
    Erasure, ErasureRequest, carry_out_erasure, end_erasure_seeking, prepare_erasure,
};
use crate::erase::withhold::anonymise;
use crate::index::Stored;
use crate::permit::{Caller, Forget, Grant, Recall, Remember, Review, permit};
use crate::read::recall::{Cursor, LIST_PAGE_MAX, Page};
use crate::vault::activate::MOVES_MAX;
use crate::vault::commit::Act;
use crate::vault::handle::VaultWriter;
use crate::vault::open::{Held, OpenVault, shown};
use crate::vault::purpose::closed_to;
use crate::vault::reads::{Read, note_read};
use crate::vault::receipt::{Cause, SignedReceipt};
use crate::vault::rewrite::Rewritten;
use crate::vault::service::Service;
use crate::vault::stamp::{settings_of, term_of_frame};
use crate::write::outcome::Remembered;
use crate::write::reconcile::{Replaced, rivals_of};
use crate::write::remember::remember;

facet!(
    /** The role in which somebody moves a memory. */
    Actor, "actor", {
    User = 1 "user",
    Policy = 2 "policy",
    Admin = 3 "admin",
});

use Actor::{Admin, Policy, User};
use Lifecycle::{Active, Approved, Archived, Candidate, Deleted};

/// Every transition there is, by whom, and how it is recorded. What is not here is refused.
const TRANSITIONS: &[(Lifecycle, Lifecycle, &[Actor], AuditAction)] = &[
    (Candidate, Approved, &[User, Policy, Admin], AuditAction::MemoryApprove),
    (Approved, Active, &[User, Policy], AuditAction::MemoryActivate),
    (Active, Deleted, &[User, Admin], AuditAction::MemorySoftDelete),
    (Deleted, Active, &[Admin], AuditAction::MemoryRestore),
    (Active, Archived, &[User, Policy], AuditAction::MemoryArchive),
];

/// The audit action that records a move, if one of `actors` may make it.
fn transition(from: Lifecycle, to: Lifecycle, actors: &[Actor]) -> Option<AuditAction> {
    TRANSITIONS
        .iter()
        .find(|(start, end, by, _)| {
            (*start, *end) == (from, to) && actors.iter().any(|actor| by.contains(actor))
        })
        .map(|(.., action)| *action)
}

/// A decision about a candidate.
pub enum Decision {
    /// It was right as it stands. Older facts that it contradicts go, unless both are to be kept.
    Accept { keep_both: bool },
    /// It was nearly right: this text takes its place.
    Edit(Plaintext),
    /// It speaks of somebody who was forgotten: "someone" takes their place.
    Anonymise,
    /// It is erased.
    Reject,
}

/// The outcome of a decision.
#[derive(Clone, PartialEq, Debug)]
pub enum Decided {
    Accepted { id: MemoryId, state: Lifecycle, supersedes: Vec<MemoryId> },
    Edited { id: MemoryId, into: Box<Remembered> },
    Anonymised { id: MemoryId, into: MemoryId, state: Lifecycle, receipt: Option<Box<SignedReceipt>> },
    Rejected { id: MemoryId },
}

/// The memories that wait for somebody's word, and the notes that nobody has confirmed, newest first, with their full
/// texts.
pub(crate) fn candidates(
    service: &Service,
    grant: &Grant<Review>,
    after: Option<Cursor>,
    limit: usize,
) -> Result<Page> {
    if limit == 0 || limit > LIST_PAGE_MAX {
        return Err(Error::invalid("limit", format!("must be from 1 to {LIST_PAGE_MAX}")));
    }
    // Whoever governs a vault without belonging to it decides by id, and reads nothing.
    permit::<Recall>(grant.caller(), grant.scope())?;
    let closed = closed_to(service, grant)?;
    let page = service.serve(grant.scope(), |open| {
        let after = after.map(|cursor| (millis(cursor.created_at), cursor.id));
        let waiting = |stored: &Stored<'_, Held>| match stored.attributes.state {
            _ if closed.hides(&stored.payload.facets) => false,
            Candidate | Approved => true,
            Active => stored.payload.facets.is_note(),
            Deleted | Archived => false,
        };
        let mut matching = open.index.before(after).filter(waiting);
        let memories: Vec<_> = matching
            .by_ref()
            .take(limit)
            .filter_map(|stored| with_text(shown(&stored), stored.payload))
            .collect();
        let last = memories.last().map(|memory| Cursor { created_at: memory.created_at, id: memory.id });
        Page { next: last.filter(|_| matching.next().is_some()), memories }
    })?;
    let page = page.unwrap_or(Page { memories: Vec::new(), next: None });
    let seen = page.memories.iter().map(|memory| memory.id).collect();
    note_read(service, &Read::of(grant, "review", seen))?;
    Ok(page)
}

/// Decides about candidates, in the order given. A decision that cannot be made ends the call; those
/// before it stand.
pub(crate) fn decide(
    service: &Service,
    grant: &Grant<Review>,
    decisions: Vec<(MemoryId, Decision)>,
) -> Result<Vec<Decided>> {
    if decisions.is_empty() || decisions.len() > MOVES_MAX {
        return Err(Error::invalid("decisions", format!("one call takes 1 to {MOVES_MAX} decisions")));
    }
    decisions.into_iter().map(|(id, decision)| decide_one(service, grant, id, decision)).collect()
}

fn decide_one(service: &Service, grant: &Grant<Review>, id: MemoryId, decision: Decision) -> Result<Decided> {
    match decision {
        Decision::Accept { keep_both } => accept(service, grant, id, keep_both, Yes::Confirmed),
        Decision::Edit(text) => edit(service, grant, id, text),
        Decision::Anonymise => make_anonymous(service, grant, id),
        Decision::Reject => reject(service, grant, id),
    }
}

fn make_anonymous(service: &Service, grant: &Grant<Review>, id: MemoryId) -> Result<Decided> {
    let reader = service.reader(grant.scope());
    let writer = reader.lock();
    candidate(&writer, grant, id, |_, _| ())?;
    let state = accepted_state(service, grant.scope());
    let (into, receipt) = anonymise(&writer, grant, id, state)?;
    Ok(Decided::Anonymised { id, into, state, receipt: receipt.map(Box::new) })
}

/// The state of an accepted candidate: active at once, or approved until the tenant's grace period ends.
fn accepted_state(service: &Service, scope: &Scope) -> Lifecycle {
    if service.policy(&scope.org).grace.is_zero() { Active } else { Approved }
}

/// The meaning of somebody's yes to a memory.
#[derive(Clone, Copy, PartialEq)]
enum Yes {
    /// It is right.
    Confirmed,
    /// It may be kept; what it says is not confirmed by that.
    Allowed,
}

/// Lets a memory be found that waited for a consent only. What it says is not confirmed by that.
pub(crate) fn release(service: &Service, grant: &Grant<Review>, id: MemoryId) -> Result<Decided> {
    accept(service, grant, id, false, Yes::Allowed)
}

fn accept(
    service: &Service,
    grant: &Grant<Review>,
    id: MemoryId,
    keep_both: bool,
    yes: Yes,
) -> Result<Decided> {
    let scope = grant.scope();
    let reader = service.reader(scope);
    let writer = reader.lock();
    let replaced = candidate(&writer, grant, id, |open, held| {
        // Only a fact takes the place of others.
        let states = yes == Yes::Confirmed || held.facets.tier == Tier::Semantic;
        if keep_both || !states { Replaced::default() } else { rivals_of(open, id, held) }
    })?;
    let supersedes = replaced.ids();
    let state = accepted_state(service, scope);
    let now = service.clock.now();
    let wanted = ErasureRequest { cuts: replaced.parts, ..ErasureRequest::whole(&replaced.whole) };
    let erasure = prepare_erasure(&writer, &wanted)?;
    let mut act = Act::silent(scope, now);
    let user = grant.caller().acting();
    act.record(AuditAction::MemorySupersede, user, &supersedes);
    let task = Task::by_ids(user, AuditAction::MemorySupersede, Cause::Correction, supersedes.len());
    let mut sought = prove_replacement(&writer, &task, &erasure, &mut act)?;
    act.record(AuditAction::MemoryApprove, user, &[id]);
    if state == Active {
        act.record(AuditAction::MemoryActivate, "policy", &[id]);
    }
    let settings = settings_of(&writer)?;
    let terms = settings.terms(&service.policy(&scope.org).retention, &scope.holder);
    let accepted = writer.rewrite(&[id], |row, frame| {
        row.state = state;
        row.updated_at = now;
        consent_to(&mut frame.facets, now);
        if yes == Yes::Confirmed {
            confirm(&mut frame.facets, &scope.holder, now);
        }
        frame.facets.history.supersedes.extend(&supersedes);
        row.expires_at = term_of_frame(&terms, row, frame.fields()).expires_at;
        true
    })?;
    let gone = erasure.gone.clone();
    commit_rewritten(&writer, act, accepted, erasure)?;
    end_erasure_seeking(&writer, &gone, &mut sought)?;
    Ok(Decided::Accepted { id, state, supersedes })
}

/// Makes a memory that somebody confirmed what it was waiting to be; a note becomes a fact, kept from now on.
fn confirm(facets: &mut Facets, holder: &Holder, now: Timestamp) {
    // The owner's yes makes it their own word; what came from outside stays labelled.
    if !holder.is_shared() && !facets.source.from_external_content {
        facets.source.trust = Trust::High;
    }
    unmark(&mut facets.entities);
    if facets.is_note() {
        facets.tier = Tier::Semantic;
        facets.retention.kept_at = Some(now);
    }
}

/// Gives a held memory its legal ground, and its time from now on.
fn consent_to(facets: &mut Facets, now: Timestamp) {
    let is_held = facets.is_held();
    facets.history.waits = None;
    if is_held {
        facets.privacy.basis = ConsentBasis::ExplicitConsent;
        facets.retention.kept_at = Some(now);
    }
}

/// The corrected text is the reviewer's own word: it passes the gate as such, and the candidate goes.
fn edit(service: &Service, grant: &Grant<Review>, id: MemoryId, text: Plaintext) -> Result<Decided> {
    let scope = grant.scope();
    let facets = {
        let reader = service.reader(scope);
        let writer = reader.lock();
        candidate(&writer, grant, id, |_, held| held.facets.duplicate())?
    };
    let is_held = facets.is_held();
    let draft = Draft {
        text,
        category: Some(facets.category),
        content_type: Some(facets.content_type),
        tier: Some(if facets.is_note() { Tier::Semantic } else { facets.tier }),
        kind: Some(facets.kind),
        tags: facets.tags,
        retention: Some(facets.retention.tier),
        expires_at: facets.retention.expires_at,
        pinned: facets.retention.pinned,
        // The reviewer's own text is their consent to it.
        consent_basis: Some(match is_held {
            true => ConsentBasis::ExplicitConsent,
            false => facets.privacy.basis,
        }),
        ..Draft::default()
    };
    let allowed = permit::<Remember>(grant.caller(), scope)?;
    let outcome = remember(service, &allowed, vec![draft])?.pop();
    let into = outcome.ok_or(Error::NotFound("memory"))?.stored()?;
    // A note that says the same went when the text took its place.
    if into.id != id && !into.supersedes.contains(&id) {
        reject(service, grant, id)?;
    }
    Ok(Decided::Edited { id, into: Box::new(into) })
}

fn reject(service: &Service, grant: &Grant<Review>, id: MemoryId) -> Result<Decided> {
    let scope = grant.scope();
    let reader = service.reader(scope);
    let writer = reader.lock();
    candidate(&writer, grant, id, |_, _| ())?;
    let erasure = prepare_erasure(&writer, &ErasureRequest::whole(&[id]))?;
    let mut act = Act::silent(scope, service.clock.now());
    act.record(AuditAction::MemoryReject, grant.caller().acting(), &[id]);
    carry_out_erasure(&writer, erasure, act)?;
    Ok(Decided::Rejected { id })
}

/// Runs `look` on a candidate or a note that the caller may decide about.
fn candidate<R>(
    writer: &VaultWriter<'_>,
    grant: &Grant<Review>,
    id: MemoryId,
    look: impl FnOnce(&OpenVault, &Held) -> R,
) -> Result<R> {
    let looked = writer.update(|open| {
        thawed(open)?;
        let stored = open.index.get(&id).ok_or(Error::NotFound("memory"))?;
        let is_note = stored.attributes.state == Active && stored.payload.facets.is_note();
        if stored.attributes.state != Candidate && !is_note {
            return Err(Error::NotFound("memory"));
        }
        let history = &stored.payload.facets.history;
        let actors = actors(grant.caller(), grant.scope(), history);
        // Who wrote it into a shared vault is not who approves it.
        let needs_admin = matches!(history.waits, Some(Wait::Approval | Wait::Quarantine));
        if actors.is_empty() || needs_admin && !actors.contains(&Admin) {
            return Err(Error::Denied("somebody else must decide about it"));
        }
        Ok(look(open, stored.payload))
    })?;
    looked.ok_or(Error::NotFound("memory"))
}

/// Moves memories to another state, all of them or none, if the table of transitions lets the caller.
pub(crate) fn set_state(
    service: &Service,
    grant: &Grant<Forget>,
    ids: &[MemoryId],
    to: Lifecycle,
) -> Result<()> {
    if ids.is_empty() || ids.len() > MOVES_MAX {
        return Err(Error::invalid("memory_ids", format!("one call takes 1 to {MOVES_MAX} memories")));
    }
    let scope = grant.scope();
    let reader = service.reader(scope);
    let writer = reader.lock();
    let actions = writer.update(|open| {
        thawed(open)?;
        ids.iter().map(|id| action_for(open, id, grant.caller(), scope, to)).collect::<Result<Vec<_>>>()
    })?;
    let actions = actions.ok_or(Error::NotFound("memory"))?;
    let now = service.clock.now();
    let mut act = Act::silent(scope, now);
    for (id, action) in ids.iter().zip(actions) {
        act.record(action, grant.caller().acting(), &[*id]);
    }
    let moved = writer.rewrite(ids, |row, _| {
        row.state = to;
        row.updated_at = now;
        true
    })?;
    commit_rewritten(&writer, act, moved, Erasure::default())
}

/// Commits an act with the rows that were rewritten for it, and drops what it erases.
pub(crate) fn commit_rewritten(
    writer: &VaultWriter<'_>,
    mut act: Act,
    rewritten: Vec<Rewritten>,
    erasure: Erasure,
) -> Result<()> {
    erasure.join(&mut act);
    act.batch.puts.extend(rewritten.iter().map(|rewritten| rewritten.row.clone()));
    writer.commit(&act, |open| {
        for Rewritten { row, frame } in rewritten {
            open.put(&row, frame);
        }
        erasure.apply(open);
    })?;
    Ok(())
}

/// As what a caller acts on a memory. A person's vault has no administrator but the person.
fn actors(caller: &Caller, scope: &Scope, history: &History) -> Vec<Actor> {
    if !scope.holder.is_shared() {
        return vec![User, Admin];
    }
    let mut actors = Vec::new();
    if history.author.as_ref() == Some(&caller.user) {
        actors.push(User);
    }
    if caller.roles.contains(&Role::Admin) {
        actors.push(Admin);
    }
    actors
}

fn action_for(
    open: &OpenVault,
    id: &MemoryId,
    caller: &Caller,
    scope: &Scope,
    to: Lifecycle,
) -> Result<AuditAction> {
    let stored = open.index.get(id).ok_or(Error::NotFound("memory"))?;
    let actors = actors(caller, scope, &stored.payload.facets.history);
    // A candidate is decided about, not moved: what it waits for must be answered.
    let from = Some(stored.attributes.state).filter(|state| *state != Candidate);
    from.and_then(|from| transition(from, to, &actors)).ok_or(Error::Refused {
        code: "transition_not_allowed",
        reason: "a memory in this state cannot be moved there, or not by this caller",
    })
}

fn thawed(open: &OpenVault) -> Result<()> {
    if open.header.frozen_at.is_some() { Err(Error::frozen()) } else { Ok(()) }
}

fn with_text(memory: Option<Memory>, held: &Held) -> Option<Memory> {
    let mut memory = memory?;
    memory.content.text = held.text.as_ref().map(Plaintext::duplicate);
    Some(memory)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seed 004 § 2.3, written out once more: nothing else is a transition.
    #[test]
    fn the_transitions_are_those_of_the_specification_and_no_others() {
        let expected = |from, to, actor| match (from, to) {
            (Candidate, Approved) => true,
            (Approved, Active) => actor != Admin,
            (Active, Deleted) => actor != Policy,
            (Deleted, Active) => actor == Admin,
            (Active, Archived) => actor != Admin,
            _ => false,
        };
        for &from in Lifecycle::ALL {
            for &to in Lifecycle::ALL {
                for &actor in Actor::ALL {
                    let allowed = transition(from, to, &[actor]).is_some();
                    assert_eq!(allowed, expected(from, to, actor), "{from} → {to} by {actor}");
                }
            }
        }
    }
}

//! Confirm: do what the plan said, and prove it.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};

use super::erase::{Erasure, Wanted};
use super::plan::{Look, Match, Resolved, confirmations};
use super::probe::Sought;
use super::purge::days;
use super::receipt::{Cause, Counts, Named, Receipt, SCOPE_HASHES_MAX, SignedReceipt, memories_hash};
use super::token::Bound;
use crate::audit::AuditAction;
use crate::forget::erase::{falls_in_parts, hide_instead, prepare_erasure};
use crate::forget::finish::{finish_intents, finish_intents_seeking};
use crate::forget::plan::{bound, look, resolve};
use crate::permit::{Forget, Grant};
use crate::service::retrying;
use crate::service::{Act, Service, VaultWriter};
use crate::session::working::forget_working;
use crate::vault::OpenVault;
use lacuna_store::rows::ChainHead;
use lacuna_types::request::{About, Choice, Closeness, Mode, Wish};
use lacuna_types::*;
use lacuna_types::{Error, Result};

/// Memories that are erased under one receipt; a larger request takes several.
pub(crate) const PART_MAX: usize = 1_000;

/// What a confirmation came to.
pub enum Confirmed {
    /// Everything goes only after a second yes: confirm this one too.
    Again {
        token: String,
        expires_at: Timestamp,
    },
    Done(Box<Forgotten>),
}

/// What was forgotten.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Forgotten {
    /// What went, or is hidden or archived.
    pub memories: Vec<MemoryId>,
    /// What was made of it and went with it.
    pub fell: Vec<MemoryId>,
    /// Memories that live on without a part of themselves, as they were called and as they are.
    pub cut: Vec<(MemoryId, MemoryId)>,
    pub rebuilt: Vec<(MemoryId, MemoryId)>,
    /// Memories that wait in the review, because they lean on what went.
    pub held_back: Vec<MemoryId>,
    /// The proofs, one for each part of a large request; none when nothing was erased for good.
    pub receipts: Vec<SignedReceipt>,
    /// Until when it can be restored, when it is hidden and not erased.
    pub restorable_until: Option<Timestamp>,
    /// The audit entry that announced it.
    pub audit_seq: u64,
}

/// An erasure with what its receipt will say of it.
pub(crate) struct Task<'a> {
    pub(crate) actor: &'a str,
    pub(crate) action: AuditAction,
    pub(crate) mode: Mode,
    pub(crate) cause: Cause,
    pub(crate) named: Named,
    pub(crate) scope_hashes: Vec<[u8; 32]>,
    pub(crate) direct: usize,
    pub(crate) indirect: usize,
    pub(crate) request: Option<u64>,
}

/// Carries out a plan, if the vault still is as the plan saw it.
pub(crate) fn confirm_forget(
    service: &Service,
    grant: &Grant<Forget>,
    token: &str,
    choice: &Choice,
) -> Result<Confirmed> {
    let scope = grant.scope();
    let key = service.read(scope, |open| {
        let opened = |sealed: &[u8]| open.keyring.open_plan(sealed);
        Bound::from_token(token, opened, &grant.caller().user, service.clock.now())
    })?;
    let planned = key.unwrap_or_else(|| Err(Error::NotFound("plan")))?;
    let Bound { wish, who, partial, mode, digest, confirmed, .. } = planned;
    let look = look(service, scope, wish, who, partial, mode)?;
    let reader = service.reader(scope);
    let writer = reader.lock();
    finish_intents(&writer)?;
    let resolved = writer.update(|open| {
        let resolved = resolve(service, open, grant, &look)?;
        if resolved.digest(open) != digest {
            return Err(plan_changed());
        }
        let again = (confirmed + 1 < confirmations(&look.wish)).then(|| {
            let again = bound(service, grant, &look, digest, confirmed + 1);
            let token = again.to_token(|said| open.keyring.seal_plan(said, &*service.entropy));
            Confirmed::Again { token, expires_at: again.expires_at }
        });
        Ok((resolved, again))
    })?;
    let (mut resolved, again) = resolved.ok_or_else(plan_changed)?;
    if let Some(again) = again {
        return Ok(again);
    }
    let kept: BTreeSet<MemoryId> = resolved.matches.iter().map(|found| found.id).collect();
    resolved.choose(choice)?;
    let done = match mode {
        Mode::Hard | Mode::Delete => forget_for_good(&writer, grant, &look, resolved, kept)?,
        Mode::Soft => hide(&writer, grant, resolved, Lifecycle::Deleted)?,
        Mode::Archive => hide(&writer, grant, resolved, Lifecycle::Archived)?,
    };
    forget_working(service, scope, &look.wish, choice);
    Ok(Confirmed::Done(Box::new(done)))
}

fn forget_for_good(
    writer: &VaultWriter<'_>,
    grant: &Grant<Forget>,
    look: &Look,
    resolved: Resolved,
    mut kept: BTreeSet<MemoryId>,
) -> Result<Forgotten> {
    let scope_hashes = writer.update(|open| Ok(scope_hashes(open, &look.wish)))?;
    let mut done = Forgotten::default();
    let mut matches = resolved.matches;
    for found in &matches {
        kept.remove(&found.id);
    }
    let parts = matches.len().div_ceil(PART_MAX);
    for number in 1..=parts {
        let rest = matches.split_off(matches.len().min(PART_MAX));
        let part = std::mem::replace(&mut matches, rest);
        let task = Task {
            actor: grant.caller().user.as_str(),
            action: AuditAction::MemoryForget,
            mode: look.mode,
            cause: Cause::Request,
            named: named(&look.wish),
            scope_hashes: scope_hashes.clone().unwrap_or_default(),
            direct: part.iter().filter(|found| found.closeness == Closeness::Direct).count(),
            indirect: part.iter().filter(|found| found.closeness == Closeness::Indirect).count(),
            request: None,
        };
        // Only after the last part is nothing left to be found.
        let wish = (number == parts).then(|| (look.wish.clone(), look.vectors.clone()));
        let sought = Sought { wish, kept: kept.clone(), ..Sought::default() };
        done.add(erase_with_receipt(writer, &wanted(part), &task, sought)?);
    }
    Ok(done)
}

/// Erases, probes and signs; more than one commit can announce takes several receipts. The caller holds the
/// writer lock.
pub(crate) fn erase_with_receipt(
    writer: &VaultWriter<'_>,
    wanted: &Wanted,
    task: &Task<'_>,
    sought: Sought,
) -> Result<Forgotten> {
    let mut done = Forgotten::default();
    for ids in falls_in_parts(writer, wanted)? {
        // What was made of it goes first, because one commit cannot announce all of it.
        let part = Wanted { falls: true, ..Wanted::whole(&ids) };
        let task = Task { direct: 0, indirect: 0, scope_hashes: task.scope_hashes.clone(), ..*task };
        done.add(erase_part(writer, &part, &task, Sought::default())?);
    }
    done.add(erase_part(writer, wanted, task, sought)?);
    Ok(done)
}

fn erase_part(
    writer: &VaultWriter<'_>,
    wanted: &Wanted,
    task: &Task<'_>,
    mut sought: Sought,
) -> Result<Forgotten> {
    let mut done = retrying(|| announce_erasure(writer, wanted, task, &mut sought))?;
    done.receipts = finish_intents_seeking(writer, &mut sought)?;
    writer.service.backlog.push(writer.scope());
    Ok(done)
}

/// From this commit on no node shows what goes, and it will go whatever happens to us. A conflict when
/// another process wrote to the vault meanwhile: then it is worked out anew.
fn announce_erasure(
    writer: &VaultWriter<'_>,
    wanted: &Wanted,
    task: &Task<'_>,
    sought: &mut Sought,
) -> Result<Forgotten> {
    let erasure = prepare_erasure(writer, wanted)?;
    writer.update(|open| {
        sought.texts_of(&writer.service.models, open, &erasure.gone);
        Ok(())
    })?;
    let now = writer.service.clock.now();
    let mut done = Forgotten::of(wanted, &erasure);
    let mut act = Act::silent(writer.scope(), now);
    act.record(task.action, task.actor, &done.memories);
    erasure.join(&mut act);
    act.receipt = Some(Box::new(task.receipt(writer.scope(), now, &erasure)));
    done.audit_seq = writer.commit(&act, |open| erasure.apply(open))?.audit_seq;
    Ok(done)
}

/// Takes matches and what was made of them out of recall, and keeps them.
fn hide(
    writer: &VaultWriter<'_>,
    grant: &Grant<Forget>,
    resolved: Resolved,
    state: Lifecycle,
) -> Result<Forgotten> {
    let scope = grant.scope();
    let now = writer.service.clock.now();
    let wanted = Wanted { restorable: true, ..wanted(resolved.matches) };
    let erasure = prepare_erasure(writer, &wanted)?;
    let action = match state {
        Lifecycle::Archived => AuditAction::MemoryArchive,
        _ => AuditAction::MemorySoftDelete,
    };
    let mut done = Forgotten::of(&wanted, &erasure);
    done.restorable_until = (state == Lifecycle::Deleted).then(|| now + purge_after(writer.service, scope));
    let mut act = Act::silent(scope, now);
    act.record(action, grant.caller().user.as_str(), &done.memories);
    done.audit_seq = hide_instead(writer, erasure, state, act)?;
    writer.service.backlog.push(scope);
    Ok(done)
}

/// How long what was hidden can be restored.
pub(crate) fn purge_after(service: &Service, scope: &Scope) -> SignedDuration {
    days(service.policy(&scope.org).purge_days)
}

impl Task<'_> {
    /// The receipt as far as it can be written before anything is done.
    pub(crate) fn receipt(&self, scope: &Scope, at: Timestamp, erasure: &Erasure) -> Receipt {
        let size = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        Receipt {
            number: 0,
            org: scope.org.clone(),
            vault: scope.vault_id(),
            at,
            mode: self.mode,
            cause: self.cause,
            named: self.named,
            scope_hashes: self.scope_hashes.iter().copied().take(SCOPE_HASHES_MAX).collect(),
            memories_hash: memories_hash(&erasure.gone),
            counts: Counts {
                direct: size(self.direct),
                indirect: size(self.indirect),
                fell: size(erasure.fell.len()),
                cut: size(erasure.cut.len()),
                rebuilt: size(erasure.rebuilt.len()),
                held_back: size(erasure.held_back.len()),
                keys_destroyed: size(erasure.gone.len()),
            },
            probes: Vec::new(),
            backups: Vec::new(),
            audit: ChainHead::default(),
            request: self.request,
        }
    }
}

impl Forgotten {
    fn of(wanted: &Wanted, erasure: &Erasure) -> Self {
        Self {
            memories: if wanted.falls { Vec::new() } else { wanted.named().collect() },
            fell: erasure.fell.clone(),
            cut: erasure.cut.clone(),
            rebuilt: erasure.rebuilt.clone(),
            held_back: erasure.held_back.clone(),
            ..Self::default()
        }
    }

    fn add(&mut self, part: Self) {
        if self.audit_seq == 0 {
            self.audit_seq = part.audit_seq;
        }
        self.memories.extend(part.memories);
        self.fell.extend(part.fell);
        self.cut.extend(part.cut);
        self.rebuilt.extend(part.rebuilt);
        self.held_back.extend(part.held_back);
        self.receipts.extend(part.receipts);
    }
}

fn wanted(matches: Vec<Match>) -> Wanted {
    let mut wanted = Wanted { holds_back: true, ..Wanted::default() };
    for found in matches {
        match found.leaves {
            Some(rest) => wanted.cuts.push((found.id, rest)),
            None => wanted.ids.push(found.id),
        }
    }
    wanted
}

fn plan_changed() -> Error {
    Error::Refused { code: "plan_changed", reason: "the vault is no longer as the plan saw it: plan again" }
}

/// How a wish names what should go.
fn named(wish: &Wish) -> Named {
    match &wish.about {
        About::Ids(_) => Named::Ids,
        About::Subject(_) => Named::Subject,
        About::Query(_) => Named::Query,
        About::Session(_) => Named::Session,
        About::Conversation => Named::Conversation,
        About::LastSaid => Named::LastSaid,
        About::Tags(_) => Named::Tags,
        About::Sensitivity(_) => Named::Sensitivity,
        About::Tier(_) => Named::Tier,
        About::Source(_) => Named::Source,
        About::Everything if wish.when.is_some() => Named::Time,
        About::Everything => Named::Everything,
    }
}

/// What a wish names, under a key of the vault: enough to know it again, useless to anybody else.
pub(crate) fn scope_hashes(open: &OpenVault, wish: &Wish) -> Vec<[u8; 32]> {
    super::verify::forms(wish).iter().map(|form| open.keyring.scope_hash(form)).collect()
}

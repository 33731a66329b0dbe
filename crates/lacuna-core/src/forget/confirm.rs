//! Confirm: do what the plan said, and prove it.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::Timestamp;
use lacuna_types::request::{Closeness, Mode, PlanChoice};
use lacuna_types::*;
use lacuna_types::{Error, Result};

use crate::audit::AuditAction;
use crate::erase::carry_out::{
    Forgotten, PART_MAX, Task, erase_with_receipt, named, purge_after, scope_hashes,
};
use crate::erase::finish::finish_intents;
use crate::erase::prepare::{ErasureRequest, hide_instead, prepare_erasure};
use crate::erase::probe::ProbeTargets;
use crate::forget::plan::{Look, Resolved, ResolvedMatch, bound, confirmations, look, resolve};
use crate::forget::token::ForgetClaims;
use crate::forget::working::{forget_working, working_meant};
use crate::permit::{Forget, Grant};
use crate::vault::commit::Act;
use crate::vault::handle::VaultWriter;
use crate::vault::receipt::Cause;
use crate::vault::service::Service;

/// The outcome of a confirmation.
pub enum Confirmed {
    /// Everything goes only after a second yes: confirm this one too.
    Again {
        token: String,
        expires_at: Timestamp,
    },
    Done(Box<Forgotten>),
}

/// Carries out a plan, if the vault still is as the plan saw it.
pub(crate) fn confirm_forget(
    service: &Service,
    grant: &Grant<Forget>,
    token: &str,
    choice: &PlanChoice,
) -> Result<Confirmed> {
    let scope = grant.scope();
    let key = service.read(scope, |open| {
        let opened = |sealed: &[u8]| open.keyring.open_plan(sealed);
        ForgetClaims::from_token(token, opened, &grant.caller().user, service.clock.now())
    })?;
    let planned = key.unwrap_or_else(|| Err(Error::NotFound("plan")))?;
    let ForgetClaims { wish, who, partial, mode, digest, confirmed, proposed, .. } = planned;
    let look = Look { proposed, ..look(service, scope, wish, who, partial, mode)? };
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
    resolved.choose(choice, working_meant(service, scope, &look.wish) > 0)?;
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
            actor: grant.caller().acting(),
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
        let wish =
            (number == parts).then(|| (look.wish.clone(), look.vectors.clone(), look.examples.clone()));
        let sought = ProbeTargets { wish, kept: kept.clone(), ..ProbeTargets::default() };
        done.add(erase_with_receipt(writer, &wanted(part), &task, sought)?);
    }
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
    let wanted = ErasureRequest { restorable: true, ..wanted(resolved.matches) };
    let erasure = prepare_erasure(writer, &wanted)?;
    let action = match state {
        Lifecycle::Archived => AuditAction::MemoryArchive,
        _ => AuditAction::MemorySoftDelete,
    };
    let mut done = Forgotten::of(&wanted, &erasure);
    done.restorable_until = (state == Lifecycle::Deleted).then(|| now + purge_after(writer.service, scope));
    let mut act = Act::silent(scope, now);
    act.record(action, grant.caller().acting(), &done.memories);
    done.audit_seq = hide_instead(writer, erasure, state, act)?;
    writer.service.backlog.push(scope);
    Ok(done)
}

fn wanted(matches: Vec<ResolvedMatch>) -> ErasureRequest {
    let mut wanted = ErasureRequest { holds_back: true, ..ErasureRequest::default() };
    for found in matches {
        match found.leaves {
            Some(rest) => wanted.cuts.push((found.id, Arc::new(rest.into()))),
            None => wanted.ids.push(found.id),
        }
    }
    wanted
}

fn plan_changed() -> Error {
    Error::Refused { code: "plan_changed", reason: "the vault is no longer as the plan saw it: plan again" }
}

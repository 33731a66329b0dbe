//! Retention: how long memories are kept, who may say so, and what happens when their time is over.
//!
//! A tenant has rules, an owner has settings, a memory has its tier, its categories and perhaps a pin. Together
//! they make its [`RetentionTerm`]: from when its owner is asked about it, and until when it is kept.

use crate::keep::retention::preview::Preview;
use crate::vault::owner_settings::Settings;
use crate::vault::stamp::{term_of, term_of_frame};
use crate::vault::term::RetentionTerm;
pub(crate) mod preview;
pub(crate) mod rules;
pub(crate) mod stamp;
pub(crate) mod sweep;

use lacuna_types::*;
use lacuna_types::{Error, Result};

use crate::audit::{AuditAction, AuditEntry};
use crate::keep::retention::preview::preview_in;
use crate::keep::retention::stamp::{restamp, set};
use crate::permit::{Forget, Grant, Recall, Retain, permit};
use crate::vault::activate::MOVES_MAX;
use crate::vault::commit::Act;
use crate::vault::frame::Frame;
use crate::vault::frozen::check_thawed;
use crate::vault::handle::VaultWriter;
use crate::vault::service::Service;
use crate::vault::stamp::{settings_of, terms_in};

/// The retention settings of the vault's owner.
pub(crate) fn retention(service: &Service, grant: &Grant<Recall>) -> Result<Settings> {
    let reader = service.reader(grant.scope());
    Ok(settings_of(&reader)?.retention.clone())
}

/// The term for which one memory is kept, and the reason.
pub(crate) fn term(service: &Service, grant: &Grant<Recall>, id: MemoryId) -> Result<RetentionTerm> {
    let scope = grant.scope();
    let term = service.reader(scope).update(|open| {
        terms_in(service, open, scope, |open, terms| {
            let stored = open.index.get(&id).ok_or(Error::NotFound("memory"))?;
            Ok(term_of(terms, &stored))
        })
    })?;
    term.ok_or(Error::NotFound("memory"))
}

/// Sets how long the vault remembers. When memories are over at once because of it, their number must be
/// said: whoever has not seen the preview does not lose anything by a slip.
pub(crate) fn set_retention(
    service: &Service,
    grant: &Grant<Retain>,
    settings: Settings,
    goes: usize,
) -> Result<Preview> {
    let scope = grant.scope();
    // What it answers with says something of what is there.
    permit::<Recall>(grant.caller(), scope)?;
    settings.check(&service.policy(&scope.org).retention)?;
    let reader = service.reader(scope);
    let preview = {
        let writer = reader.lock();
        check_thawed(service, scope)?;
        writer.ensure()?;
        let preview = preview_in(&writer, &settings)?;
        if preview.goes_now != goes && preview.goes_now > 0 {
            return Err(Error::Refused {
                code: "needs_confirmation",
                reason: "memories would go at once: look at the preview and say how many",
            });
        }
        let user = grant.caller().acting();
        let entry = AuditEntry::new(AuditAction::RetentionSet, user, Vec::new());
        set(&writer, entry, |kept| kept.retention = settings.clone())?;
        preview
    };
    restamp(service, scope)?;
    Ok(preview)
}

/// Pins memories, so that no time takes them, or lets them go their way again.
pub(crate) fn pin(service: &Service, grant: &Grant<Forget>, ids: &[MemoryId], pinned: bool) -> Result<()> {
    let action = if pinned { AuditAction::MemoryPin } else { AuditAction::MemoryUnpin };
    retain(service, grant, ids, action, |frame| frame.facets.retention.pinned = pinned)
}

/// Changes how some memories are kept, all of them or none.
pub(crate) fn retain(
    service: &Service,
    grant: &Grant<Forget>,
    ids: &[MemoryId],
    action: AuditAction,
    change: impl Fn(&mut Frame),
) -> Result<()> {
    if ids.is_empty() || ids.len() > MOVES_MAX {
        return Err(Error::invalid("memory_ids", format!("one call takes 1 to {MOVES_MAX} memories")));
    }
    let scope = grant.scope();
    let reader = service.reader(scope);
    let writer = reader.lock();
    check_thawed(service, scope)?;
    check_reach(&writer, grant, ids)?;
    let settings = settings_of(&writer)?;
    let terms = settings.terms(&service.policy(&scope.org).retention, &scope.holder);
    let mut act = Act::silent(scope, service.clock.now());
    act.record(action, grant.caller().acting(), ids);
    let kept = writer.rewrite(ids, |row, frame| {
        change(frame);
        row.expires_at = term_of_frame(&terms, row, frame.fields()).expires_at;
        true
    })?;
    act.batch.puts = kept.iter().map(|kept| kept.row.clone()).collect();
    writer.commit(&act, |open| kept.into_iter().for_each(|one| open.put(&one.row, one.frame)))?;
    Ok(())
}

fn check_reach(writer: &VaultWriter<'_>, grant: &Grant<Forget>, ids: &[MemoryId]) -> Result<()> {
    let reached = writer.update(|open| {
        ids.iter().try_for_each(|id| {
            let stored = open.index.get(id).filter(|one| one.attributes.state != Lifecycle::Deleted);
            let stored = stored.ok_or(Error::NotFound("memory"))?;
            match grant.covers(stored.payload.facets.history.author.as_ref()) {
                true => Ok(()),
                false => Err(Error::Denied("only its author or an administrator may say how long")),
            }
        })
    })?;
    reached.ok_or(Error::NotFound("memory"))
}

//! The prompt: once a month the owner of a vault is asked to look through it, if there is anything to look at.

use lacuna_store::rows::VaultHeader;
use lacuna_types::{Error, Lifecycle, Result, Scope};

use crate::audit::{AuditAction, AuditEntry};
use crate::govern::review::month::{Month, has_faded, living, month};
use crate::permit::{Grant, Recall, Review, permit};
use crate::vault::activate::MOVES_MAX;
use crate::vault::commit::Act;
use crate::vault::deliver::{Event, Notification};
use crate::vault::service::Service;
use crate::vault::settings::{change_settings, settings_at_rest};
use crate::vault::term::days;

/// Days for which an owner who was asked is reminded at the start of a conversation.
const REMINDED_DAYS: u32 = 1;

/// Asks the owner of one vault, if it is time. Answers with how many were asked: one or none.
pub(crate) fn prompt_review(service: &Service, header: &VaultHeader) -> Result<u64> {
    let scope = &header.scope;
    if header.frozen_at.is_some() {
        return Ok(0);
    }
    let Some(kept) = settings_at_rest(service, header)? else { return Ok(0) };
    let now = service.clock.now();
    let every = days(service.policy(&scope.org).retention.review_days);
    if kept.prompted_at.unwrap_or(header.created_at) + every > now {
        return Ok(0);
    }
    let month = month(service, scope)?;
    note_prompted(service, scope, &month)?;
    Ok(u64::from(month.to_review > 0))
}

/// Asks the owner like [`prompt_review`], at the start of a conversation. Answers with the number of memories that wait for
/// the review, from the moment of asking for a day, unless the owner looked through them since.
pub(crate) fn review_due(service: &Service, grant: &Grant<Review>) -> Result<Option<usize>> {
    let scope = grant.scope();
    permit::<Recall>(grant.caller(), scope)?;
    let Some(header) = service.store.vault(scope.vault_id())? else { return Ok(None) };
    prompt_review(service, &header)?;
    let month = month(service, scope)?;
    let asked_at = month.prompted_at.filter(|at| month.reviewed_at.is_none_or(|done| done < *at));
    let is_told = asked_at.is_some_and(|at| service.clock.now() < at + days(REMINDED_DAYS));
    Ok(Some(month.to_review).filter(|waiting| is_told && *waiting > 0))
}

/// Sets aside what has faded, where the tenant's rules say so. Answers with how many.
pub(crate) fn archive_faded(service: &Service, header: &VaultHeader) -> Result<u64> {
    let scope = &header.scope;
    if !service.policy(&scope.org).retention.archive_faded || header.frozen_at.is_some() {
        return Ok(0);
    }
    let reader = service.reader(scope);
    let writer = reader.lock();
    let now = service.clock.now();
    let faded = writer.update(|open| {
        let faded = living(open).filter(|one| has_faded(one, now));
        Ok(faded.map(|one| one.id).take(MOVES_MAX).collect::<Vec<_>>())
    })?;
    let faded = faded.unwrap_or_default();
    if faded.is_empty() {
        return Ok(0);
    }
    let mut act = Act::silent(scope, now);
    act.record(AuditAction::MemoryArchive, "policy", &faded);
    let archived = writer.rewrite(&faded, |row, _| {
        row.state = Lifecycle::Archived;
        row.updated_at = now;
        true
    })?;
    act.batch.puts = archived.iter().map(|archived| archived.row.clone()).collect();
    writer.commit(&act, |open| archived.into_iter().for_each(|one| open.put(&one.row, one.frame)))?;
    Ok(faded.len() as u64)
}

/// Notes that the owner was asked, and tells whoever wants to pass it on. How many memories it is about is
/// all that is said.
fn note_prompted(service: &Service, scope: &Scope, month: &Month) -> Result<()> {
    let reader = service.reader(scope);
    let writer = reader.lock();
    let now = service.clock.now();
    let entry = AuditEntry::new(AuditAction::ReviewPrompt, "system", Vec::new());
    let entry = AuditEntry { notes: vec![format!("count:{}", month.to_review)], ..entry };
    let mut act = Act::new(scope, now, entry);
    act.notification = (month.to_review > 0).then(|| Notification {
        org: scope.org.clone(),
        event: Event::Review,
        reference: scope.vault_id().to_string(),
        memories: month.to_review as u64,
        at: now,
    });
    let changed = writer
        .update(|open| change_settings(service, open, &mut act, |kept| kept.prompted_at = Some(now)))?;
    changed.ok_or(Error::NotFound("vault"))?;
    writer.commit(&act, |_| {})?;
    Ok(())
}

//! The sensitive categories that a person closes to their assistants and readers, and opens again.

use lacuna_types::{Error, Result, Sensitivity};

use crate::audit::{AuditAction, AuditEntry};
use crate::keep::retention::stamp::set;
use crate::permit::{Grant, Recall, Retain};
use crate::vault::frozen::check_thawed;
use crate::vault::service::Service;
use crate::vault::stamp::settings_of;

/// The closed categories of a vault.
pub(crate) fn closed_categories(service: &Service, grant: &Grant<Recall>) -> Result<Vec<Sensitivity>> {
    Ok(settings_of(&service.reader(grant.scope()))?.closed.clone())
}

/// Closes or opens a category, with an audit entry. What was so already stays so, without an entry.
pub(crate) fn set_closed(
    service: &Service,
    grant: &Grant<Retain>,
    category: Sensitivity,
    closed: bool,
) -> Result<Vec<Sensitivity>> {
    let scope = grant.scope();
    if scope.holder.is_shared() {
        let reason = "what is closed in a shared vault is lifted by the author of each memory; set this in your own vault";
        return Err(Error::invalid("scope", reason));
    }
    let reader = service.reader(scope);
    let writer = reader.lock();
    check_thawed(service, scope)?;
    writer.ensure()?;
    let before = settings_of(&reader)?.closed.clone();
    if before.contains(&category) == closed {
        return Ok(before);
    }
    let entry = AuditEntry::new(AuditAction::PurposeSet, grant.caller().user.as_str(), Vec::new());
    let notes = vec![format!("{}:{category}", if closed { "closed" } else { "opened" })];
    set(&writer, AuditEntry { notes, ..entry }, |kept| {
        kept.closed.retain(|kind| *kind != category);
        kept.closed.extend(closed.then_some(category));
    })?;
    Ok(settings_of(&reader)?.closed.clone())
}

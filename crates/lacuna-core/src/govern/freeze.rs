//! Freeze: writes stop while reads go on (GDPR article 18). Erasing is still possible.

use jiff::Timestamp;
use lacuna_store::rows::Freeze;
use lacuna_types::Result;

use crate::audit::{AuditAction, AuditEntry};
use crate::permit;
use crate::permit::Grant;
use crate::vault::commit::Act;
use crate::vault::service::Service;

/// Stops writes to the vault. Answers with the moment since when they are stopped.
pub(crate) fn freeze(service: &Service, grant: &Grant<permit::Freeze>) -> Result<Timestamp> {
    let since = set_frozen(service, grant, Freeze::Frozen, AuditAction::VaultFreeze)?;
    Ok(since.unwrap_or(service.clock.now()))
}

/// Lets the vault take writes again.
pub(crate) fn thaw(service: &Service, grant: &Grant<permit::Freeze>) -> Result<()> {
    set_frozen(service, grant, Freeze::Thawed, AuditAction::VaultThaw).map(drop)
}

/// The moment at which writes were stopped; `None` while they are allowed.
pub(crate) fn frozen_since(service: &Service, grant: &Grant<permit::Freeze>) -> Result<Option<Timestamp>> {
    Ok(service.store.vault(grant.scope().vault_id())?.and_then(|header| header.frozen_at))
}

fn set_frozen(
    service: &Service,
    grant: &Grant<permit::Freeze>,
    freeze: Freeze,
    action: AuditAction,
) -> Result<Option<Timestamp>> {
    let scope = grant.scope();
    let reader = service.reader(scope);
    let writer = reader.lock();
    writer.ensure()?;
    let before = service.store.vault(scope.vault_id())?.and_then(|header| header.frozen_at);
    if before.is_some() == (freeze == Freeze::Frozen) {
        return Ok(before);
    }
    let now = service.clock.now();
    let after = before.is_none().then_some(now);
    let mut act = Act::new(scope, now, AuditEntry::new(action, grant.caller().acting(), Vec::new()));
    act.batch.freeze = Some(freeze);
    writer.commit(&act, |_| {})?;
    Ok(after)
}

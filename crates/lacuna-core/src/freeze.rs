//! Freeze: writes stop while reads go on (GDPR article 18). Erasing is still possible.

use jiff::Timestamp;

use crate::audit::{AuditAction, AuditEntry};
use crate::lacuna::{Act, Lacuna};
use crate::permit::{self, Grant};
use lacuna_store::rows::Freeze;
use lacuna_types::Scope;
use lacuna_types::{Error, Result};

impl Lacuna {
    /// Stops writes to the vault. Answers with the moment since when they are stopped.
    pub fn freeze(&self, grant: &Grant<permit::Freeze>) -> Result<Timestamp> {
        let since = self.set_frozen(grant, Freeze::Frozen, AuditAction::VaultFreeze)?;
        Ok(since.unwrap_or(self.clock.now()))
    }

    /// Lets the vault take writes again.
    pub fn thaw(&self, grant: &Grant<permit::Freeze>) -> Result<()> {
        self.set_frozen(grant, Freeze::Thawed, AuditAction::VaultThaw).map(drop)
    }

    /// When writes were stopped, if they are.
    pub fn frozen_since(&self, grant: &Grant<permit::Freeze>) -> Result<Option<Timestamp>> {
        Ok(self.store.vault(grant.scope().vault_id())?.and_then(|header| header.frozen_at))
    }

    /// Refuses to go on if the vault takes no writes.
    pub(crate) fn check_thawed(&self, scope: &Scope) -> Result<()> {
        let frozen = self.store.vault(scope.vault_id())?.is_some_and(|header| header.frozen_at.is_some());
        if frozen { Err(Error::frozen()) } else { Ok(()) }
    }

    fn set_frozen(
        &self,
        grant: &Grant<permit::Freeze>,
        freeze: Freeze,
        action: AuditAction,
    ) -> Result<Option<Timestamp>> {
        let scope = grant.scope();
        let slot = self.slot(scope);
        let _writer = slot.lock_writer();
        self.ensure_vault(&slot, scope)?;
        let before = self.store.vault(scope.vault_id())?.and_then(|header| header.frozen_at);
        if before.is_some() == (freeze == Freeze::Frozen) {
            return Ok(before);
        }
        let now = self.clock.now();
        let after = before.is_none().then_some(now);
        let mut act = Act::new(scope, now, AuditEntry::new(action, grant.caller().user.as_str(), Vec::new()));
        act.batch.freeze = Some(freeze);
        self.commit(&slot, &act, |open| open.frozen_at = after)?;
        Ok(after)
    }
}

//! Time of the last erasure on request. A transcript still holds words from before it; sealing them afterwards
//! would bring them back, and nothing tells which of its turns spoke of the erased matter.

use jiff::Timestamp;
use lacuna_core::permit::ReadAudit;
use lacuna_core::vault::Cause;

use crate::assemble::Installation;
use crate::wire::failure::Result;

/// Returns the time at which something was last erased on request, or hidden until it is.
pub(super) fn last_erased(installation: &Installation) -> Result<Option<Timestamp>> {
    let grant = installation.grant::<ReadAudit>(None)?;
    let (mut last, mut after) = (installation.service.last_hidden(&installation.grant(None)?)?, 0);
    loop {
        let page = installation.service.receipts(&grant, after)?;
        let Some(end) = page.last() else { return Ok(last) };
        after = end.receipt.number;
        // Memories that reached their age were not forgotten on purpose.
        let asked = page.iter().filter(|one| !matches!(one.receipt.cause, Cause::Retention | Cause::Purge));
        last = last.max(asked.map(|one| one.receipt.at).max());
    }
}

//! When something was last forgotten at somebody's word. A transcript still says what was said before that; to
//! seal it afterwards would bring it back, and nobody can tell which of its turns spoke of it.

use jiff::Timestamp;
use lacuna_core::forget::Cause;
use lacuna_core::permit::ReadAudit;

use crate::assemble::Installation;
use crate::failure::Result;

/// The moment at which something was last erased, or hidden until it is, because somebody asked for it.
pub(super) fn last_erased(installation: &Installation) -> Result<Option<Timestamp>> {
    let grant = installation.grant::<ReadAudit>(None)?;
    let (mut last, mut after) = (installation.service.last_hidden(&installation.grant(None)?)?, 0);
    loop {
        let page = installation.service.receipts(&grant, after)?;
        let Some(end) = page.last() else { return Ok(last) };
        after = end.receipt.number;
        // What only grew old was not forgotten on purpose.
        let asked = page.iter().filter(|one| !matches!(one.receipt.cause, Cause::Retention | Cause::Purge));
        last = last.max(asked.map(|one| one.receipt.at).max());
    }
}

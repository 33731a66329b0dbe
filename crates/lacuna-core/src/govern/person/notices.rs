//! Notices to the owner of a vault in which something was erased for somebody else.
//!
//! A notice follows from the receipt of that erasure: no crash can part the two.

use jiff::Timestamp;
use lacuna_types::Result;

use crate::permit::{Grant, Recall};
use crate::vault::receipt::{Cause, Named, SignedReceipt, receipt_records};
use crate::vault::service::Service;

/// Notices that are handed out at a time.
pub(crate) const NOTICES_MAX: usize = 100;

/// Something that was noted about another person was erased at that person's request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Notice {
    /// The number of its receipt.
    pub number: u64,
    /// The reference of its receipt, as people quote it.
    pub reference: String,
    /// The moment of the erasure.
    pub at: Timestamp,
    /// Memories that were erased.
    pub memories: u32,
}

/// The vault's notices above `after`, oldest first, a page at a time.
pub(crate) fn notices(service: &Service, grant: &Grant<Recall>, mut after: u64) -> Result<Vec<Notice>> {
    let scope = grant.scope();
    let mut notices = Vec::new();
    while notices.len() < NOTICES_MAX {
        let page = receipt_records(service, scope, after)?;
        let Some(last) = page.last() else { break };
        after = last.number;
        for record in page.iter().filter(|record| record.done_at.is_some()) {
            notices.extend(notice(&SignedReceipt::decode(&record.doc)?));
        }
    }
    Ok(notices)
}

/// The notice that follows from a receipt. An erasure in the person's own vault, which they asked for, gives
/// none.
fn notice(signed: &SignedReceipt) -> Option<Notice> {
    let receipt = &signed.receipt;
    (receipt.cause == Cause::Person && receipt.named != Named::Everything).then(|| Notice {
        number: receipt.number,
        reference: receipt.reference(),
        at: receipt.at,
        memories: receipt.counts.direct + receipt.counts.indirect,
    })
}

//! What the owner of a vault is told when something in it was erased for somebody else.
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
    pub reference: String,
    pub at: Timestamp,
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

/// What was erased in their own vault, because they asked for it themselves, is no news to anybody.
fn notice(signed: &SignedReceipt) -> Option<Notice> {
    let receipt = &signed.receipt;
    (receipt.cause == Cause::Person && receipt.named != Named::Everything).then(|| Notice {
        number: receipt.number,
        reference: receipt.reference(),
        at: receipt.at,
        memories: receipt.counts.direct + receipt.counts.indirect,
    })
}

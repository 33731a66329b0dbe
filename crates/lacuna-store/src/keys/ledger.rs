//! The erasure ledger: which keys were destroyed, when, and under which receipt. It outlives the data, so that
//! a restored copy of the data cannot bring back what was forgotten after it was made.

use jiff::Timestamp;

use lacuna_types::{MemoryId, OrgId, VaultId};

/// Ledger rows handed out or absorbed per call.
pub const ERASURES_PAGE_MAX: usize = 10_000;
/// Receipt marks handed out per call.
pub const RECEIPTS_PAGE_MAX: usize = 1_000;

/// One line of the ledger.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LedgerLine {
    /// The vault.
    pub vault: VaultId,
    /// `None` says that everything of the vault made before `at` is gone.
    pub memory: Option<MemoryId>,
    /// The time of the erasure.
    pub at: Timestamp,
}

/// The end of a page of the ledger. Rows come in this order.
pub type LedgerCursor = (VaultId, Option<MemoryId>);

impl LedgerLine {
    /// The cursor after this line.
    pub fn cursor(&self) -> LedgerCursor {
        (self.vault, self.memory)
    }
}

/// The number of the newest receipt that an organisation's erasures were recorded under.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReceiptMark {
    /// The organisation.
    pub org: OrgId,
    /// The number of its newest receipt.
    pub number: u64,
}

/// The size of a ledger. Two copies of one ledger have the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LedgerExtent {
    /// The number of its lines.
    pub lines: u64,
    /// The time of its newest line.
    pub newest: Option<Timestamp>,
}

/// Returns true when the destruction of the vault at `destroyed_at` covers the memory. An id that does not say when
/// it was made cannot show that it is newer.
pub fn fell_with_vault(memory: &MemoryId, destroyed_at: Option<Timestamp>) -> bool {
    destroyed_at.is_some_and(|at| memory.made_at().is_none_or(|made| made < at))
}

//! What travels: the JSON that HTTP speaks and that `--json` prints. The core knows none of it.

mod audit;
mod cursor;
mod destroy;
mod filter;
mod gate;
mod member;
mod memory;
mod policy;
mod promote;
mod remember;
mod review;
mod scope;
mod search;
mod token;
mod words;

pub(crate) use audit::{AuditList, AuditVerified};
pub(crate) use cursor::{read_cursor, write_cursor};
pub(crate) use destroy::{DestroyAnswer, DestroyRequest};
pub(crate) use filter::{Filters, TimeRange};
pub(crate) use gate::{AskedView, OutcomeView, RefusedView, ReportView};
pub(crate) use member::MemberList;
pub(crate) use memory::{ErasedView, MemoryPage, MemoryView, PromotionView};
pub(crate) use policy::PolicyView;
pub(crate) use promote::{MoveRequest, MovedView};
pub(crate) use remember::{
    RememberBatch, RememberRequest, RememberedBatch, RememberedView, SourceBody, into_drafts,
};
pub(crate) use review::{FreezeRequest, ReviewPage, ReviewRequest, Reviewed, StateRequest, VaultStateView};
pub(crate) use scope::{ScopeList, read_scope, read_target};
pub(crate) use search::{FoundMemory, SearchRequest, SearchResponse};
pub(crate) use token::{TokenCreated, TokenList, TokenRequest, TokenView};
pub(crate) use words::*;

/// A digest as it is shown.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The owner's own text, as a digest that others can compute as well.
fn content_hash(sha256: &[u8; 32]) -> String {
    format!("sha256:{}", hex(sha256))
}

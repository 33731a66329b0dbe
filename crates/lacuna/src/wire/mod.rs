//! Wire types: the JSON that HTTP speaks and that `--json` prints. The core knows none of it.

mod audit;
mod audit_file;
mod audit_report;
mod compact;
mod consent;
mod context;
mod correct;
mod cursor;
mod destroy;
mod export;
pub(crate) mod failure;
mod filter;
mod forget;
mod gate;
mod hold;
mod import;
mod jobs;
pub(crate) mod json;
mod member;
mod memory;
mod month;
mod person;
mod policy;
mod promote;
mod protection;
mod purpose;
mod receipt;
mod record;
mod remember;
mod retention;
mod review;
mod scope;
mod search;
mod session;
mod token;
mod user;
mod vitality;
pub(crate) mod words;

pub(crate) use audit::{
    AuditFileVerified, AuditKeptView, AuditList, AuditVerified, AuditWritten, ChangedVaults, read_head,
};
pub(crate) use audit_file::{verify_audit_file, write_audit_file};
pub(crate) use audit_report::AuditReportView;
pub(crate) use compact::{CompactAnswer, CompactBody, CompactedView, CompactionPlanView};
pub(crate) use consent::{
    ConsentGivenView, ConsentList, ConsentRequest, ConsentRevocation, ConsentRevokedView, PURPOSE_DEFAULT,
};
pub(crate) use context::{ContextRequest, ContextResponse, Meant, UnderstoodView, read_meant};
pub(crate) use correct::{CorrectRequest, CorrectedView, ReplaceRequest};
pub(crate) use cursor::{base64url, read_cursor, unbase64url, write_cursor};
pub(crate) use destroy::{DestroyAnswer, DestroyRequest};
pub(crate) use export::{ExportFormat, ExportRequest, ExportView};
pub(crate) use filter::{Filters, TimeRange};
pub(crate) use forget::{
    ConfirmRequest, ForgetRequest, ForgottenView, PlanView, VerifiedView, VerifyRequest,
};
pub(crate) use gate::{AskedView, OutcomeView, RefusedView, ReportView};
pub(crate) use hold::{HoldBody, HoldList, HoldView};
pub(crate) use import::{ImportReport, ImportedView, RecordBody};
pub(crate) use jobs::{JobList, JobView};
pub(crate) use lacuna_types::hex::hex;
pub(crate) use lacuna_types::hex::unhex;
pub(crate) use member::MemberList;
pub(crate) use memory::{MemoryPage, MemorySummary, MemoryView, PromotionView};
pub(crate) use month::{AnswerRequest, AnsweredView, MonthPageView, MonthView, ReviewItemView};
pub(crate) use person::{
    NoticeList, PersonBatchView, PersonBody, PersonConfirmRequest, PersonForgottenView, PersonPlanRequest,
    PersonRequestList, PersonRequestView, read_digest,
};
pub(crate) use policy::PolicyView;
pub(crate) use promote::{MoveRequest, MovedView};
pub(crate) use protection::{
    LOST_MEANS_LOST, ProtectRequest, ProtectedView, ProtectionView, UnlockRequest, UnprotectRequest,
    one_secret,
};
pub(crate) use purpose::{PurposeList, PurposeRequest};
pub(crate) use receipt::{ReceiptList, ReceiptView};
pub(crate) use record::{
    ExpiryRequest, NamespaceList, NamespacesRequest, RecordBatchRequest, RecordBatchView, RecordEraseRequest,
    RecordKeptView, RecordPageView, RecordRequest, RecordSearchRequest, RecordTtlRequest, RecordView,
    read_condition, read_ttl,
};
pub(crate) use remember::{
    DetailBody, LineageBody, RememberBatch, RememberRequest, RememberedBatch, RememberedView, SourceBody,
    into_drafts,
};
pub(crate) use retention::{PinRequest, PreviewView, RetentionRequest, RetentionView, RuleView};
pub(crate) use review::{
    DecisionBody, FreezeRequest, ReviewPage, ReviewRequest, Reviewed, StateRequest, VaultStateView, Verb,
};
pub(crate) use scope::{ScopeList, read_scope, read_target};
pub(crate) use search::{FoundMemory, MeaningView, SearchRequest, SearchResponse};
pub(crate) use session::{
    Append, AppendRequest, AppendedView, EndedView, SessionPageView, SessionRequest, SessionShownView,
    SessionView, TurnBody, TurnView, read_session_cursor, read_turn_cursor,
};
pub(crate) use token::{TokenCreated, TokenList, TokenRequest, TokenView};
pub(crate) use user::{UserBulkAnswer, UserBulkRequest, UserChange, UserOutcome, UserRemovedView, UserVerb};
pub(crate) use vitality::{CurveView, InspectView};
pub(crate) use words::*;

use crate::wire::failure::{Failure, Result};

/// Reads a number as people quote it, such as DEL-2026-000123, or alone. `field` is its name.
pub(crate) fn read_number(field: &'static str, text: &str) -> Result<u64> {
    let number = text.rsplit_once('-').map_or(text, |(_, number)| number);
    let unclear =
        |_| Failure::invalid(field, "must be a number, or a name that ends in one, such as DEL-2026-000123");
    number.parse().map_err(unclear)
}

/// A number of memories in words: `1 memory`, `2 memories`.
pub(crate) fn count_memories(count: usize) -> String {
    if count == 1 { "1 memory".to_owned() } else { format!("{count} memories") }
}

/// The owner's own text, as a digest that others can compute as well.
pub(crate) fn content_hash(sha256: &[u8; 32]) -> String {
    format!("sha256:{}", hex(sha256))
}

//! Governing: audit, review, lifecycle, people, tokens, jobs and keys.

pub(crate) mod audit;
pub(crate) mod census;
pub(crate) mod codes;
pub(crate) mod consent;
pub(crate) mod destroy;
pub(crate) mod epoch;
pub(crate) mod examine;
pub(crate) mod freeze;
pub(crate) mod hold;
pub(crate) mod inventory;
pub(crate) mod jobs;
pub(crate) mod lifecycle;
pub(crate) mod lock;
pub(crate) mod members;
pub(crate) mod person;
pub(crate) mod purpose;
pub(crate) mod redact;
pub(crate) mod reembed;
pub(crate) mod review;
pub(crate) mod rollback;
pub(crate) mod rotate;
pub(crate) mod scan;
pub(crate) mod sign_in;
pub(crate) mod tokens;
pub(crate) mod users;

pub use audit::care::AuditKept;
pub use audit::hand_out::{AuditEnd, AuditPart, is_signed_file};
pub use audit::recent::{RECENT_MAX, TRACED_MAX};
pub use audit::summary::{AuditSummary, REPORT_DAYS, end_of_today};
pub use census::Census;
pub use codes::ChangedVault;
pub use consent::{ConsentGiven, ConsentRevoked};
pub use destroy::{DestroyCounts, DestroyPlan, Destruction};
pub use epoch::{EpochRenewal, SKIPPED_MAX, SkippedVault};
pub use examine::Examined;
pub use hold::HoldRequest;
pub use inventory::{Inventory, LISTED_HEADS_MAX, LISTED_RECEIPTS_MAX};
pub use jobs::run::{CLAIM_HOLDS, PAUSE_FIRST, Ran};
pub use jobs::{Job, JobState, Schedule};
pub use lifecycle::{Decided, Decision};
pub use lock::{LockState, PASSPHRASE_BYTES_MAX, UNLOCKED_DEFAULT, UNLOCKED_MAX, VaultSecret};
pub use person::Person;
pub use person::batch::{BatchSignature, PersonBatch, PersonForgotten, batch_message};
pub use person::look::KindCount;
pub use person::notices::Notice;
pub use person::requests::PersonRequest;
pub use redact::{StoredRedaction, StoredRedactions};
pub use review::answer::{Answer, Answered};
pub use review::month::{
    Month, MonthPage, Part, PartCount, REVIEW_PAGE_MAX, Reason, Recommendation, ReviewItem,
};
pub use rollback::{AcceptedRollback, AnchorReport};
pub use rotate::{KeyRotation, KeyStatus};
pub use sign_in::{SIGN_IN_LINK_VALID, SignedIn};
pub use tokens::{TOKEN_PREFIX, TokenId, TokenInfo, TokenRequest};
pub use users::{RemovedUser, USERS_BULK_MAX};

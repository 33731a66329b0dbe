//! A tenant's rules: which writes are taken, which wait, and which are refused.
//!
//! A policy decides nothing by itself. The gate, the lifecycle and the sweep read it.

mod compaction;
mod context;
mod intent;
mod retention;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

pub use compaction::*;
pub use context::*;
pub use intent::*;
pub use retention::*;

use jiff::SignedDuration;
use lacuna_seal::VerifyingKey;

use crate::facet;
use crate::facets::PrivacyClass;
use crate::ids::{Holder, OrgId};
use crate::request::Mode;

/// Memories in one vault, unless the policy names another ceiling.
pub const MAX_ATOMS_DEFAULT: usize = 50_000;
/// The highest ceiling that a policy may name.
pub const MAX_ATOMS_MAX: usize = 1_000_000;
/// Below this salience an enterprise does not create a memory, unless its policy says otherwise.
pub const MIN_SALIENCE_ENTERPRISE: f32 = 0.25;
/// The longest grace period that a policy may name, in hours.
pub const GRACE_HOURS_MAX: i64 = 30 * 24;
/// Days for which the audit keeps writes and erasures: six years.
pub const AUDIT_DAYS: i64 = 2_190;
/// Days for which the audit keeps reads, by default.
pub const AUDIT_READ_DAYS_DEFAULT: i64 = 90;
/// Days for which the audit keeps reads, at most.
pub const AUDIT_READ_DAYS_MAX: i64 = AUDIT_DAYS;
/// Hours until a person's request is acknowledged, by default.
pub const ACKNOWLEDGE_HOURS_DEFAULT: i64 = 24;
/// Hours until a person's request is done, by default.
pub const COMPLETE_HOURS_DEFAULT: i64 = 720;
/// The longest deadline that a policy may name: the law's three months.
pub const REQUEST_HOURS_MAX: i64 = 90 * 24;
/// Days for which tombstones are kept, by default.
pub const TOMBSTONE_DAYS_DEFAULT: i64 = 2_190;
/// Days for which tombstones are kept, at most.
pub const TOMBSTONE_DAYS_MAX: i64 = 36_500;
/// Operators of one tenant.
pub const OPERATORS_MAX: usize = 32;

/// Days in which a hidden memory can be restored, by default.
pub const PURGE_DAYS_DEFAULT: i64 = 30;
/// Days in which a hidden memory can be restored, at most.
pub const PURGE_DAYS_MAX: i64 = 365;

/// Hours after which an idle session is ended, by default.
pub const SESSION_IDLE_HOURS_DEFAULT: i64 = 24;
/// Hours after which an idle session is ended, at most.
pub const SESSION_IDLE_HOURS_MAX: i64 = 30 * 24;
/// Days for which the transcript of an ended session is kept, by default.
pub const TRANSCRIPT_DAYS_DEFAULT: i64 = 365;
/// Days for which the transcript of an ended session is kept, at most.
pub const TRANSCRIPT_DAYS_MAX: i64 = 3_650;

facet!(
    /** The defaults from which a policy starts. */
    Preset, "preset", {
    EnterpriseSafe = 1 "enterprise-safe",
    PersonalAuthority = 2 "personal-authority",
});

facet!(
    /** The writes that wait for approval, whatever their trust. */
    Approval, "approval", {
    None = 1 "none",
    Shared = 2 "shared",
    All = 3 "all",
});

facet!(
    /** The reads or rehearsals that the audit records. Writes and erasures are recorded always. */
    ReadLogging, "audit_reads", {
    Always = 1 "always",
    Sampled = 2 "sampled",
    Never = 3 "never",
});

facet!(
    /** The fate of a memory that refers to a forgotten one. */
    Dangling, "dangling", {
    Review = 1 "review",
    Anonymise = 2 "anonymise",
});

/// One in this many sampled reads or rehearsals is recorded.
pub const AUDIT_SAMPLED: u64 = 10;

impl ReadLogging {
    /// Returns true when the next one is recorded; `seen` counts those before it.
    pub fn wants(self, seen: &AtomicU64) -> bool {
        match self {
            Self::Always => true,
            Self::Sampled => seen.fetch_add(1, Ordering::Relaxed).is_multiple_of(AUDIT_SAMPLED),
            Self::Never => false,
        }
    }
}

/// The rules of one tenant.
#[derive(Clone, PartialEq, Debug)]
pub struct Policy {
    /// The preset from which it started.
    pub preset: Preset,
    /// A text with a secret is refused whole instead of stored without it.
    pub fail_on_secret: bool,
    /// Sensitive personal data may be kept, with the person's explicit consent.
    pub sensitive_allowed: bool,
    /// Patterns of a person's behaviour are kept only with the person's consent, and none are made without it.
    pub pattern_consent: bool,
    /// The caller's word on privacy class, sensitivity and lane stands even where it is milder than what
    /// the gate sees.
    pub caller_may_relax: bool,
    /// The least salience of a new memory.
    pub min_salience: f32,
    /// The least salient memories beyond this many are archived.
    pub max_atoms: usize,
    /// The writes that wait for approval.
    pub approval: Approval,
    /// The time between approval and the active state.
    pub grace: SignedDuration,
    /// The mode of forgetting unless the caller names one: hide for a while, or erase at once.
    pub forget_mode: Mode,
    /// Days after which a hidden memory is erased.
    pub purge_days: i64,
    /// The fate of a memory that refers to a forgotten one: it waits for review, or says "someone" instead.
    pub dangling: Dangling,
    /// The reads that the audit records.
    pub audit_reads: ReadLogging,
    /// The rehearsals that the audit records.
    pub audit_rehearsals: ReadLogging,
    /// Days for which the audit keeps reads.
    pub audit_read_days: i64,
    /// The rules by which memories are brought to mind at a turn.
    pub context: ContextRules,
    /// Meanings of phrases that stand before the built-in ones.
    pub intents: Vec<IntentRule>,
    /// Hours until a person's request to be forgotten is acknowledged.
    pub acknowledge_hours: i64,
    /// Hours until it is done.
    pub complete_hours: i64,
    /// Days for which tombstones are kept.
    pub tombstone_days: i64,
    /// The sizes and ages at which old turns are compacted.
    pub compaction: Thresholds,
    /// Hours after which an idle session is ended and its working memory erased.
    pub session_idle_hours: i64,
    /// Days for which the transcript of an ended session is kept.
    pub transcript_days: i64,
    /// Keys of the operators; with any, one of them must sign an erasure at a person's request.
    pub operators: Vec<VerifyingKey>,
    /// The times for which memories are kept.
    pub retention: RetentionRules,
}

impl Policy {
    /// The rules of a preset.
    pub fn of(preset: Preset) -> Self {
        let enterprise = preset == Preset::EnterpriseSafe;
        Self {
            preset,
            fail_on_secret: false,
            sensitive_allowed: !enterprise,
            pattern_consent: enterprise,
            caller_may_relax: !enterprise,
            min_salience: if enterprise { MIN_SALIENCE_ENTERPRISE } else { 0.0 },
            max_atoms: MAX_ATOMS_DEFAULT,
            approval: if enterprise { Approval::Shared } else { Approval::None },
            grace: SignedDuration::ZERO,
            forget_mode: if enterprise { Mode::Soft } else { Mode::Hard },
            purge_days: PURGE_DAYS_DEFAULT,
            dangling: Dangling::Review,
            audit_reads: ReadLogging::Always,
            audit_rehearsals: ReadLogging::Sampled,
            audit_read_days: AUDIT_READ_DAYS_DEFAULT,
            context: ContextRules::default(),
            intents: Vec::new(),
            acknowledge_hours: ACKNOWLEDGE_HOURS_DEFAULT,
            complete_hours: COMPLETE_HOURS_DEFAULT,
            tombstone_days: TOMBSTONE_DAYS_DEFAULT,
            compaction: Thresholds::default(),
            session_idle_hours: SESSION_IDLE_HOURS_DEFAULT,
            transcript_days: TRANSCRIPT_DAYS_DEFAULT,
            operators: Vec::new(),
            retention: RetentionRules::default(),
        }
    }

    /// Returns true when a write into a vault of `holder` waits for approval.
    pub fn wants_approval(&self, holder: &Holder) -> bool {
        match self.approval {
            Approval::None => false,
            Approval::Shared => holder.is_shared(),
            Approval::All => true,
        }
    }
}

impl Default for Policy {
    fn default() -> Self {
        Self::of(Preset::PersonalAuthority)
    }
}

/// The policy of every tenant: one for all, and those that have their own.
#[derive(Clone, Default, Debug)]
pub struct Policies {
    /// The policy of tenants without one of their own.
    pub everyone: Policy,
    /// The policies of single tenants.
    pub by_org: HashMap<OrgId, Policy>,
}

impl Policies {
    /// The policy of one tenant.
    pub fn of(&self, org: &OrgId) -> &Policy {
        self.by_org.get(org).unwrap_or(&self.everyone)
    }

    /// The shortest time after which some tenant's hidden memories are erased, in days.
    pub fn shortest_purge_days(&self) -> i64 {
        let days = self.by_org.values().map(|policy| policy.purge_days);
        days.fold(self.everyone.purge_days, i64::min)
    }
}

impl PrivacyClass {
    /// Returns true for data about an identifiable person.
    pub fn is_personal(self) -> bool {
        matches!(self, Self::GuestPii | Self::StaffPii | Self::SensitivePii)
    }

    /// The rank by strictness, the strictest highest.
    pub fn strictness(self) -> u8 {
        match self {
            Self::NonPii => 0,
            Self::Aggregate => 1,
            Self::CommercialConfidential => 2,
            Self::GuestPii => 3,
            Self::StaffPii => 4,
            Self::SensitivePii => 5,
        }
    }
}

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
/// How long the audit keeps writes and erasures, in days: six years.
pub const AUDIT_DAYS: i64 = 2_190;
/// How long the audit keeps reads, unless the policy says otherwise, and at most.
pub const AUDIT_READ_DAYS_DEFAULT: i64 = 90;
pub const AUDIT_READ_DAYS_MAX: i64 = AUDIT_DAYS;
/// Deadlines of a person's request, in hours, and the longest that a policy may name: the law's three months.
pub const ACKNOWLEDGE_HOURS_DEFAULT: i64 = 24;
pub const COMPLETE_HOURS_DEFAULT: i64 = 720;
pub const REQUEST_HOURS_MAX: i64 = 90 * 24;
/// How long tombstones are kept, and the longest that a policy may name, in days.
pub const TOMBSTONE_DAYS_DEFAULT: i64 = 2_190;
pub const TOMBSTONE_DAYS_MAX: i64 = 36_500;
/// Operators of one tenant.
pub const OPERATORS_MAX: usize = 32;

/// What was hidden can be restored this long, unless the policy names another time, and at most.
pub const PURGE_DAYS_DEFAULT: i64 = 30;
pub const PURGE_DAYS_MAX: i64 = 365;

/// A session that nobody goes on with is ended after this long, unless the policy says otherwise, and at most.
pub const SESSION_IDLE_HOURS_DEFAULT: i64 = 24;
pub const SESSION_IDLE_HOURS_MAX: i64 = 30 * 24;
/// How long the transcript of an ended session is kept, and at most, in days.
pub const TRANSCRIPT_DAYS_DEFAULT: i64 = 365;
pub const TRANSCRIPT_DAYS_MAX: i64 = 3_650;

facet!(
    /** Where a policy starts from. */
    Preset, "preset", {
    EnterpriseSafe = 1 "enterprise-safe",
    PersonalAuthority = 2 "personal-authority",
});

facet!(
    /** Which writes wait for somebody's approval, whatever their trust. */
    Approval, "approval", {
    None = 1 "none",
    Shared = 2 "shared",
    All = 3 "all",
});

facet!(
    /** Which reads or rehearsals the audit records. Writes and erasures are recorded always. */
    ReadLogging, "audit_reads", {
    Always = 1 "always",
    Sampled = 2 "sampled",
    Never = 3 "never",
});

facet!(
    /** What becomes of a memory that leans on one that was forgotten. */
    Dangling, "dangling", {
    Review = 1 "review",
    Anonymise = 2 "anonymise",
});

/// Where reads or rehearsals are sampled, one in this many is recorded.
pub const AUDIT_SAMPLED: u64 = 10;

impl ReadLogging {
    /// Whether the next one is recorded, `seen` being how many there were.
    pub fn wants(self, seen: &AtomicU64) -> bool {
        match self {
            Self::Always => true,
            Self::Sampled => seen.fetch_add(1, Ordering::Relaxed).is_multiple_of(AUDIT_SAMPLED),
            Self::Never => false,
        }
    }
}

#[derive(Clone, PartialEq, Debug)]
pub struct Policy {
    pub preset: Preset,
    /// A text with a secret is refused whole instead of stored without it.
    pub fail_on_secret: bool,
    /// Sensitive personal data may be kept, with the person's explicit consent.
    pub sensitive_allowed: bool,
    /// The caller's word on privacy class, sensitivity and lane stands even where it is milder than what
    /// the gate sees.
    pub caller_may_relax: bool,
    pub min_salience: f32,
    /// The least salient memories beyond this many are archived.
    pub max_atoms: usize,
    pub approval: Approval,
    /// What is approved becomes active only after this long.
    pub grace: SignedDuration,
    /// What forgetting means unless the caller says: hiding for a while, or erasing at once.
    pub forget_mode: Mode,
    /// What was hidden is erased after this many days.
    pub purge_days: i64,
    /// Whether a memory that leans on a forgotten one waits for somebody, or speaks of "someone" from then on.
    pub dangling: Dangling,
    pub audit_reads: ReadLogging,
    /// Which rehearsals the audit records.
    pub audit_rehearsals: ReadLogging,
    /// How long the audit keeps reads.
    pub audit_read_days: i64,
    /// What a turn of a conversation brings to mind.
    pub context: ContextRules,
    /// What phrases mean here, before what they mean everywhere.
    pub intents: Vec<IntentRule>,
    /// How long it may take until somebody looks into a person's request to be forgotten, and until it is done.
    pub acknowledge_hours: i64,
    pub complete_hours: i64,
    /// How long tombstones are kept.
    pub tombstone_days: i64,
    /// From when on old turns make room for summaries.
    pub compaction: Thresholds,
    /// A session that nobody goes on with is ended after this long, and its working memory is gone.
    pub session_idle_hours: i64,
    /// How long the transcript of an ended session is kept.
    pub transcript_days: i64,
    /// Who must sign what is erased at a person's request; nobody else can then.
    pub operators: Vec<VerifyingKey>,
    /// How long memories are kept.
    pub retention: RetentionRules,
}

impl Policy {
    pub fn of(preset: Preset) -> Self {
        let enterprise = preset == Preset::EnterpriseSafe;
        Self {
            preset,
            fail_on_secret: false,
            sensitive_allowed: !enterprise,
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

    /// Whether a write into a vault of `holder` waits for approval.
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
    pub everyone: Policy,
    pub by_org: HashMap<OrgId, Policy>,
}

impl Policies {
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
    /// Whether it speaks of an identifiable person.
    pub fn is_personal(self) -> bool {
        matches!(self, Self::GuestPii | Self::StaffPii | Self::SensitivePii)
    }

    /// How tightly it is held: the higher, the tighter.
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

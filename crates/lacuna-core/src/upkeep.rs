//! Handles of a [`crate::Lacuna`] for its upkeep, its tokens, its people, its members and their consents.

use std::time::Duration;

use jiff::SignedDuration;
use lacuna_store::rows::MemberRow;
use lacuna_types::*;
use zeroize::Zeroizing;

use crate::govern::audit::care::AuditKept;
use crate::govern::census::Census;
use crate::govern::codes::ChangedVault;
use crate::govern::consent::{ConsentGiven, ConsentRevoked};
use crate::govern::examine::Examined;
use crate::govern::hold::HoldRequest;
use crate::govern::inventory::Inventory;
use crate::govern::jobs::run::Ran;
use crate::govern::jobs::{Job, Schedule};
use crate::govern::redact::{StoredRedaction, StoredRedactions};
use crate::govern::rollback::{AcceptedRollback, AnchorReport};
use crate::govern::tokens::{TokenId, TokenInfo, TokenRequest};
use crate::govern::users::RemovedUser;
use crate::permit::*;
use crate::vault::consents::Consent;
use crate::vault::deliver::Delivery;
use crate::vault::holds::Hold;
use crate::vault::models::Progress;
use crate::vault::secrets::PassedOver;
use crate::vault::service::Service;

/// The work that a scheduler or an operator asks for.
pub struct Upkeep<'a> {
    pub(crate) service: &'a Service,
}

impl Upkeep<'_> {
    /// Calls `pause` from now on between the steps of long work, where no lock is held, so that the program can let
    /// others in. The first call counts.
    pub fn pause_by(&self, pause: fn()) {
        self.service.pause.get_or_init(|| pause);
    }

    /// Erases everything that was hidden longer ago than its tenant's policy lets it be restored. Answers with
    /// how many memories went.
    pub fn purge(&self) -> Result<u64> {
        crate::forget::purge::purge(self.service)
    }

    /// Erases what is due in every vault. Answers with how many memories went. One vault that cannot be swept
    /// does not keep the others waiting; the first failure is the answer in the end.
    pub fn sweep(&self, progress: crate::keep::retention::sweep::Progress<'_>) -> Result<u64> {
        crate::keep::retention::sweep::sweep(self.service, &PassedOver::default(), progress)
    }

    /// Asks the owner of a vault to look through it, if it is time. Answers with the number of memories that wait for the
    /// review, from the moment of asking for a day.
    pub fn review_due(&self, grant: &Grant<Review>) -> Result<Option<usize>> {
        crate::govern::review::prompt::review_due(self.service, grant)
    }

    /// Gives every row of a vault the expiry that rules and settings ask for. Answers with how many had
    /// another one.
    pub fn restamp(&self, scope: &Scope) -> Result<usize> {
        crate::keep::retention::stamp::restamp(self.service, scope)
    }

    /// Compacts what the policy's thresholds say. Answers with how many turns were archived. For the scheduler.
    pub fn compact_due(&self, scope: &Scope, progress: &mut Progress<'_>) -> Result<usize> {
        crate::keep::compact::run::compact_due(self.service, scope, progress)
    }

    /// Gives some memories of a vault their vector of the main model. Answers with how many it gave.
    pub fn reembed(&self, scope: &Scope, ids: &[MemoryId]) -> Result<usize> {
        crate::govern::reembed::reembed(self.service, scope, ids)
    }

    /// Removes the tombstones of a vault that are older than the tenant's policy keeps them, and those that were to
    /// be brief. Answers with how many went.
    pub fn forget_tombstones(&self, scope: &Scope) -> Result<u64> {
        crate::govern::person::tombstones::forget_tombstones(self.service, scope)
    }

    /// Drops what the keystore's ledger holds beyond the longest time that any tenant keeps tombstones.
    pub fn forget_old_erasures(&self) -> Result<u64> {
        crate::govern::person::tombstones::forget_old_erasures(self.service)
    }

    /// Ends the sessions of a vault that nobody went on with for as long as the policy says. Answers with how
    /// many. A frozen vault takes no transcripts: its sessions wait.
    pub fn end_idle_sessions(&self, scope: &Scope) -> Result<usize> {
        crate::keep::session::transcript::end_idle_sessions(self.service, scope)
    }

    /// The daily care of one vault's chain: old entries give way to their digest, as the policy says, and a
    /// checkpoint is signed if anything happened since the last one.
    pub fn keep_audit(&self, scope: &Scope) -> Result<AuditKept> {
        crate::govern::audit::care::keep_audit(self.service, scope)
    }

    /// Opens every memory of a vault with its text, shows none, and counts what is damaged or left over.
    pub fn examine(&self, scope: &Scope) -> Result<Examined> {
        crate::govern::examine::examine(self.service, scope)
    }

    /// Says what [`Upkeep::redact_stored`] would change. `progress` hears how many memories have been read, and may
    /// break off.
    pub fn plan_redaction(
        &self,
        grant: &Grant<Forget>,
        progress: &mut Progress<'_>,
    ) -> Result<Vec<StoredRedaction>> {
        crate::govern::redact::plan_redaction(self.service, grant, progress)
    }

    /// Takes out of every stored memory what today's rules for secrets and numbers would not let in, with receipts.
    pub fn redact_stored(
        &self,
        grant: &Grant<Forget>,
        progress: &mut Progress<'_>,
    ) -> Result<StoredRedactions> {
        crate::govern::redact::redact_stored(self.service, grant, progress)
    }

    /// Finishes what a crash interrupted in one vault: announced moves and erasures, and keys and blobs whose record
    /// never came. Answers with the number of keys destroyed.
    pub fn recover(&self, scope: &Scope) -> Result<usize> {
        crate::transfer::recover::recover(self.service, scope)
    }

    /// Gives the vaults of an older release their authentication codes, once. Answers with how many. Comes before
    /// anything is served.
    pub fn adopt_vaults(&self) -> Result<usize> {
        crate::govern::codes::adopt_vaults(self.service)
    }

    /// Checks the authentication codes of every vault. Returns the vaults that somebody else changed.
    pub fn changed_vaults(&self) -> Result<Vec<ChangedVault>> {
        crate::govern::codes::changed_vaults(self.service)
    }

    /// Accepts the vaults that somebody else changed as they stand, and records it. Returns them.
    pub fn accept_changes(&self, grant: &Grant<ManageKeys>) -> Result<Vec<ChangedVault>> {
        crate::govern::codes::accept_changes(self.service, grant)
    }

    /// Ends every destruction that was begun and not ended. Answers with how many there were.
    pub fn recover_destructions(&self) -> Result<usize> {
        crate::govern::destroy::recover_destructions(self.service)
    }

    /// Clears away what the ledger says is erased, in every vault. `progress` hears each. After a restore this
    /// comes before anything is served; a vault that is opened does the same for itself.
    pub fn replay_ledger(&self, grant: &Grant<ManageKeys>, progress: impl FnMut(usize)) -> Result<usize> {
        crate::transfer::backup::replay_ledger(self.service, grant, progress)
    }

    /// Takes the next vault of the backlog, finishes what a crash may have left in it, and gives every
    /// memory its vector of the main model; `progress` hears how many have it anew, and may break off.
    /// Answers with their number, or `None` when no vault came within `patience`. A vault that failed or was
    /// broken off goes back into the backlog.
    pub fn work_backlog(&self, patience: Duration, progress: &mut Progress<'_>) -> Option<Result<usize>> {
        crate::govern::reembed::work_backlog(self.service, patience, progress)
    }

    /// Vaults with memories that wait for their vector of the main model, as far as is known.
    pub fn backlog_len(&self) -> usize {
        crate::govern::reembed::backlog_len(self.service)
    }

    /// Writes every read that was noted so far into its vault's chain, and the ends of the chains into the anchor. Whoever
    /// embeds the library calls this about once a second and before the process ends.
    pub fn flush_reads(&self) -> Result<()> {
        crate::vault::reads::flush_reads(self.service)?;
        self.service.kms.anchor().flush()
    }

    /// Writes every rehearsal that was noted so far. Answers with how many memories it changed. Whoever embeds
    /// the library calls this every few seconds and before the process ends.
    pub fn flush_rehearsals(&self) -> Result<usize> {
        crate::vault::rehearse::flush_rehearsals(self.service)
    }

    /// Closes the vaults that nobody has used for `idle`. Returns how many.
    pub fn close_idle(&self, idle: SignedDuration) -> usize {
        self.service.close_idle(idle)
    }

    /// Closes every vault that is not in use at this moment. Returns how many.
    pub fn close_all(&self) -> usize {
        self.service.close_all()
    }

    /// Checks that the key folder, the keystore and the database belong together and are not behind the anchor, before
    /// anything is served. A keystore that was put back is brought up to date first, which its organisations' chains
    /// record.
    pub fn start(&self) -> Result<()> {
        crate::govern::rollback::start(self.service)
    }

    /// Compares every vault, the ledger and the epoch keys with the anchor.
    pub fn compare_with_anchor(&self) -> Result<AnchorReport> {
        crate::govern::rollback::compare(self.service)
    }

    /// Serves stores that are behind the anchor as they are. The organisation's chain records it.
    pub fn accept_rollback(&self, grant: &Grant<ManageKeys>) -> Result<AcceptedRollback> {
        crate::govern::rollback::accept_rollback(self.service, grant)
    }

    /// Checks that no receipt is missing from the organisation's book.
    pub fn check_receipts(&self, org: &OrgId) -> Result<()> {
        crate::govern::rollback::check_receipts(self.service, org)
    }

    /// Runs a job if it is due, or at once if it is `early`, unless somebody else runs it. `node` is who we are,
    /// other than any other process; `stop` is asked now and then whether to leave the rest for later.
    pub fn run_job(
        &self,
        job: Job,
        node: &str,
        early: bool,
        schedule: &Schedule,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Ran> {
        crate::govern::jobs::run::run_job(self.service, job, node, early, schedule, stop)
    }

    /// Deliveries that are due now, of every organisation, the longest overdue first.
    pub fn due_deliveries(&self, limit: usize) -> Result<Vec<Delivery>> {
        crate::vault::deliver::due_deliveries(self.service, limit)
    }

    /// Notes that a delivery arrived.
    pub fn delivered(&self, delivery: &Delivery) -> Result<()> {
        crate::vault::deliver::delivered(self.service, delivery)
    }

    /// Notes that an attempt failed, and when to try again, if it is worth another.
    pub fn not_delivered(&self, delivery: &Delivery, trouble: &str) -> Result<()> {
        crate::vault::deliver::not_delivered(self.service, delivery, trouble)
    }

    /// Counts what an organisation keeps, for those who answer for it; nothing of any memory is shown.
    pub fn census(&self, grant: &Grant<ForgetPerson>) -> Result<Census> {
        crate::govern::census::census(self.service, grant)
    }

    /// Lists what an organisation has, from what is readable without opening a vault.
    pub fn inventory(&self, grant: &Grant<ManageKeys>) -> Result<Inventory> {
        crate::govern::inventory::inventory(self.service, grant)
    }

    /// Prepares what the first write would otherwise wait for.
    pub fn warm_up(&self) -> Result<()> {
        crate::write::remember::warm_up(self.service)
    }
}

/// API tokens: made, listed, revoked, and recognised.
pub struct Tokens<'a> {
    pub(crate) service: &'a Service,
}

impl Tokens<'_> {
    /// Makes a token. The secret is shown this once and cannot be shown again.
    pub fn create(
        &self,
        grant: &Grant<ManageTokens>,
        request: TokenRequest,
    ) -> Result<(TokenInfo, Zeroizing<String>)> {
        crate::govern::tokens::create_token(self.service, grant, request)
    }

    /// Revokes a token.
    pub fn revoke(&self, grant: &Grant<ManageTokens>, id: TokenId) -> Result<()> {
        crate::govern::tokens::revoke_token(self.service, grant, id)
    }

    /// Lists the organisation's tokens.
    pub fn list(&self, grant: &Grant<ManageTokens>) -> Result<Vec<TokenInfo>> {
        crate::govern::tokens::list_tokens(self.service, grant)
    }

    /// The caller whom a token speaks for; `None` when it is unknown, expired or revoked.
    pub fn authenticate(&self, token: &str) -> Result<Option<Caller>> {
        crate::govern::tokens::authenticate(self.service, token)
    }

    /// The caller that a service becomes for a person. Anybody else may name themselves only.
    pub fn act_for(&self, caller: Caller, person: UserId) -> Result<Caller> {
        crate::govern::tokens::act_for(self.service, caller, person)
    }

    /// The caller who is let in without a token; `None` from the organisation's first token on.
    pub fn without_token(&self, org: OrgId, user: UserId, roles: Vec<Role>) -> Result<Option<Caller>> {
        crate::govern::tokens::without_token(self.service, org, user, roles)
    }

    /// Returns true when the organisation has or had a token. An expired one counts as well: it must not open
    /// the door to callers without any.
    pub fn exist(&self, org: &OrgId) -> Result<bool> {
        crate::govern::tokens::has_tokens(self.service, org)
    }
}

/// Consents of a person: to what is kept about sensitive categories, to patterns, to keeping for long.
pub struct Consents<'a> {
    pub(crate) service: &'a Service,
}

/// The proposals of a language model in plans to forget.
pub struct Proposals<'a> {
    pub(crate) service: &'a Service,
}

impl Consents<'_> {
    /// Lists the consents of the vault's owner.
    pub fn list(&self, grant: &Grant<Recall>) -> Result<Vec<Consent>> {
        crate::govern::consent::consents(self.service, grant)
    }

    /// Gives a consent for a topic and a purpose, and releases what was held for it.
    pub fn give(&self, grant: &Grant<Retain>, topic: ConsentTopic, purpose: &str) -> Result<ConsentGiven> {
        crate::govern::consent::give_consent(self.service, grant, topic, purpose)
    }

    /// Revokes a consent, and names the memories that were kept with it.
    pub fn revoke(&self, grant: &Grant<Retain>, topic: ConsentTopic) -> Result<ConsentRevoked> {
        crate::govern::consent::revoke_consent(self.service, grant, topic)
    }
}

/// Purposes: the sensitive categories that a person has closed to their assistants and readers.
pub struct Purposes<'a> {
    pub(crate) service: &'a Service,
}

impl Purposes<'_> {
    /// Lists the closed categories of a person's own vault.
    pub fn closed(&self, grant: &Grant<Recall>) -> Result<Vec<Sensitivity>> {
        crate::govern::purpose::closed_categories(self.service, grant)
    }

    /// Closes a category to assistants and readers, or opens it again. Returns the closed ones.
    pub fn set(
        &self,
        grant: &Grant<Retain>,
        category: Sensitivity,
        closed: bool,
    ) -> Result<Vec<Sensitivity>> {
        crate::govern::purpose::set_closed(self.service, grant, category, closed)
    }
}

/// Legal holds: placed by two operators, ended by one, or by their day.
pub struct LegalHolds<'a> {
    pub(crate) service: &'a Service,
}

impl LegalHolds<'_> {
    /// Places a hold. It does not stand before another operator has confirmed it.
    pub fn place(&self, grant: &Grant<ForgetPerson>, request: HoldRequest) -> Result<Hold> {
        crate::govern::hold::place_hold(self.service, grant, request)
    }

    /// Confirms a hold that another operator placed: from here on it stands.
    pub fn confirm(&self, grant: &Grant<ForgetPerson>, number: u64) -> Result<Hold> {
        crate::govern::hold::confirm_hold(self.service, grant, number)
    }

    /// Ends a hold before its day. What was deferred because of it is erased by the next purge.
    pub fn end(&self, grant: &Grant<ForgetPerson>, number: u64) -> Result<Hold> {
        crate::govern::hold::end_hold(self.service, grant, number)
    }

    /// All holds of the organisation, for its operators.
    pub fn list(&self, grant: &Grant<ForgetPerson>) -> Result<Vec<Hold>> {
        crate::govern::hold::list_holds(self.service, grant)
    }

    /// The holds on a vault that its owner may know of.
    pub fn told(&self, grant: &Grant<Recall>) -> Result<Vec<Hold>> {
        crate::govern::hold::holds_told(self.service, grant)
    }
}

/// People, as a directory makes and removes them.
pub struct Users<'a> {
    pub(crate) service: &'a Service,
}

impl Users<'_> {
    /// Gives a person a vault, so that services may act for them. Who has one keeps it.
    pub fn provision(&self, grant: &Grant<ManageUsers>, user: &UserId) -> Result<()> {
        crate::govern::users::provision(self.service, grant, user)
    }

    /// Revokes a person's tokens, ends their memberships, and destroys their vault, with a receipt.
    pub fn remove(&self, grant: &Grant<ManageUsers>, user: &UserId) -> Result<RemovedUser> {
        crate::govern::users::remove(self.service, grant, user)
    }
}

/// Members of teams and deployments.
pub struct Members<'a> {
    pub(crate) service: &'a Service,
}

impl Members<'_> {
    /// Makes `user` a member from their next call on. Who is one already stays one.
    pub fn add(&self, grant: &Grant<ManageMembers>, group: Group, user: UserId) -> Result<()> {
        crate::govern::members::add_member(self.service, grant, group, user)
    }

    /// Ends a membership: from the next call on the group's vault is closed to `user`. What they wrote stays.
    pub fn remove(&self, grant: &Grant<ManageMembers>, group: Group, user: UserId) -> Result<()> {
        crate::govern::members::remove_member(self.service, grant, group, user)
    }

    /// Members in the order of their names, a page at a time, from the one after `after`.
    pub fn list(
        &self,
        grant: &Grant<ManageMembers>,
        group: &Group,
        after: Option<&UserId>,
    ) -> Result<Vec<MemberRow>> {
        crate::govern::members::list_members(self.service, grant, group, after)
    }

    /// A caller with their memberships as they stand now. Doors call this for everybody they authenticate.
    pub fn caller_for(&self, org: OrgId, user: UserId, roles: Vec<Role>) -> Result<Caller> {
        crate::vault::members::caller_for(self.service, org, user, roles)
    }
}

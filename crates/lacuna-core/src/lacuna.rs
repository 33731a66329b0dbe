//! The one type that doors call. Each call asks for the grant that permits it, and is a function of its room.

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use lacuna_seal::{Signature, VerifyingKey};
use lacuna_store::rows::{AuditRow, ChainHead, MemberRow};
use lacuna_types::llm::Llm;
use lacuna_types::policy::Policy;
use lacuna_types::request::Choice;
use lacuna_types::token_count::TokenCounter;
use lacuna_types::*;
use zeroize::Zeroizing;

use crate::audit::AuditEntry;
use crate::audit::chain::AuditReport;
use crate::erase::carry_out::Forgotten;
use crate::forget::confirm::Confirmed;
use crate::forget::plan::{Planned, Request};
use crate::forget::verify::Verified;
use crate::govern::audit::care::AuditKept;
use crate::govern::audit::hand_out::{AuditEnd, AuditPart};
use crate::govern::audit::summary::AuditSummary;
use crate::govern::destroy::{DestroyPlan, Destruction};
use crate::govern::epoch::EpochRenewal;
use crate::govern::jobs::run::Ran;
use crate::govern::jobs::{Job, JobState, Schedule};
use crate::govern::lifecycle::{Decided, Decision};
use crate::govern::person::Person;
use crate::govern::person::batch::{BatchSignature, PersonBatch, PersonForgotten};
use crate::govern::person::notices::Notice;
use crate::govern::person::requests::PersonRequest;
use crate::govern::review::answer::{Answer, Answered};
use crate::govern::review::month::{Month, MonthPage, Part};
use crate::govern::scan::Leak;
use crate::govern::tokens::{TokenId, TokenInfo, TokenRequest};
use crate::index::filter::Filter;
use crate::keep::compact::run::{CompactRequest, Compacted, CompactionPlan};
use crate::keep::retention::preview::Preview;
use crate::keep::session::SessionInfo;
use crate::keep::session::append::{Appended, Grown, NewTurn};
use crate::keep::session::show::{SessionCursor, SessionPage, SessionShown};
use crate::keep::session::transcript::Ended;
use crate::permit::*;
use crate::read::context::{Context, Turn};
use crate::read::intent::Understood;
use crate::read::recall::{Cursor, Page, Query, Recalled};
use crate::transfer::backup::BackupEntry;
use crate::transfer::backup::save::{Saved, Saving};
use crate::transfer::export::link::ExportLink;
use crate::transfer::export::{Exported, Wanted};
use crate::transfer::import::Importing;
use crate::transfer::import::record::Duplicates;
use crate::transfer::promote::Moved;
use crate::transfer::view::Sheet;
use crate::vault::deliver::{Delivery, Recipient};
use crate::vault::models::Progress;
use crate::vault::owner_settings::Settings;
use crate::vault::receipt::SignedReceipt;
use crate::vault::service::{OpenLoad, Parts, Service};
use crate::vault::sessions::Piece;
use crate::vault::term::Term;
use crate::write::correct::{Corrected, Correction};
use crate::write::remember::Outcome;

/// Private memory with every operation on it. Share one among threads; opened vaults are cached inside.
pub struct Lacuna {
    service: Service,
}

impl Lacuna {
    /// Puts the parts together. Nothing is opened yet.
    pub fn new(parts: Parts) -> Self {
        Self { service: Service::new(parts) }
    }

    /// Lets a language model condense turns; without one, sentences are picked.
    pub fn condensing_by(self, llm: Option<Arc<dyn Llm>>) -> Self {
        Self { service: self.service.condensing_by(llm) }
    }

    /// Counts tokens by `counter` from now on; [`lacuna_types::token_count::estimate`] counts until then.
    pub fn counting(self, counter: TokenCounter) -> Self {
        Self { service: self.service.counting(counter) }
    }

    /// Names the recipients that are told of erasures.
    pub fn telling(self, recipients: Vec<Recipient>) -> Self {
        Self { service: self.service.telling(recipients) }
    }

    /// Counts the tokens of a text.
    pub fn count_tokens(&self, text: &str) -> usize {
        self.service.count_tokens(text)
    }

    /// The rules that an organisation's memories live under.
    pub fn policy(&self, org: &OrgId) -> &Policy {
        self.service.policy(org)
    }

    /// The clock that every operation reads.
    pub fn clock(&self) -> &dyn Clock {
        self.service.clock()
    }

    /// Checks that the stores answer, and that the key files open the first vault there is.
    pub fn check(&self) -> Result<()> {
        self.service.check()
    }

    /// Vaults that are open, and the bytes that they take.
    pub fn open_load(&self) -> OpenLoad {
        self.service.open_load()
    }

    /// Closes the vaults that nobody has used for `idle`. Returns how many.
    pub fn seal_idle(&self, idle: SignedDuration) -> usize {
        self.service.seal_idle(idle)
    }

    /// Closes every vault that is not in use at this moment. Returns how many.
    pub fn seal_all(&self) -> usize {
        self.service.seal_all()
    }

    /// Deliveries that are due now, of every organisation, the longest overdue first.
    pub fn due_deliveries(&self, limit: usize) -> Result<Vec<Delivery>> {
        crate::vault::deliver::due_deliveries(&self.service, limit)
    }

    /// Notes that a delivery arrived.
    pub fn delivered(&self, delivery: &Delivery) -> Result<()> {
        crate::vault::deliver::delivered(&self.service, delivery)
    }

    /// Notes that an attempt failed, and when to try again, if it is worth another.
    pub fn not_delivered(&self, delivery: &Delivery, trouble: &str) -> Result<()> {
        crate::vault::deliver::not_delivered(&self.service, delivery, trouble)
    }

    /// The newest deliveries of an organisation that were given up, the oldest first.
    pub fn failed_deliveries(&self, org: &OrgId) -> Result<Vec<Delivery>> {
        crate::vault::deliver::failed_deliveries(&self.service, org)
    }

    /// The page: active facts, preferences, patterns and summaries, the most salient first. Turns of conversations
    /// are read by session. `None` when it is as `known` already says: then nobody has read anything.
    pub fn view(
        &self,
        grant: &Grant<Export>,
        include_health: bool,
        known: Option<&str>,
    ) -> Result<Option<Sheet>> {
        crate::transfer::view::view(&self.service, grant, include_health, known)
    }

    /// Moves a memory into the next wider scope: its owner to a team they belong to, an administrator from a
    /// team to the organisation.
    pub fn promote(
        &self,
        grant: &Grant<Promote>,
        id: MemoryId,
        target: &Grant<Remember>,
        justification: Option<&str>,
    ) -> Result<Moved> {
        crate::transfer::promote::promote(&self.service, grant, id, target, justification)
    }

    /// Makes a new memory in a narrower scope and archives the old one: from the organisation to a team that
    /// has members, or from a team back to its author. Administrators alone do this.
    pub fn demote(
        &self,
        grant: &Grant<Promote>,
        id: MemoryId,
        to: Holder,
        justification: Option<&str>,
    ) -> Result<Moved> {
        crate::transfer::promote::demote(&self.service, grant, id, to, justification)
    }

    /// Takes every draft through the gate and stores those that pass, all of them or none. A draft with a
    /// field out of bounds is an error of the whole call; one that the rules refuse or ask about is not.
    pub fn remember(&self, grant: &Grant<Remember>, drafts: Vec<Draft>) -> Result<Vec<Outcome>> {
        crate::write::remember::remember(&self.service, grant, drafts)
    }

    /// Prepares what the first write would otherwise wait for.
    pub fn warm_up(&self) -> Result<()> {
        crate::write::remember::warm_up(&self.service)
    }

    /// A caller with their memberships as they stand now. Doors call this for everybody they authenticate.
    pub fn caller_for(&self, org: OrgId, user: UserId, roles: Vec<Role>) -> Result<Caller> {
        crate::vault::members::caller_for(&self.service, org, user, roles)
    }

    /// Makes `user` a member from their next call on. Who is one already stays one.
    pub fn add_member(&self, grant: &Grant<ManageMembers>, group: Group, user: UserId) -> Result<()> {
        crate::govern::members::add_member(&self.service, grant, group, user)
    }

    /// Ends a membership: from the next call on the group's vault is closed to `user`. What they wrote stays.
    pub fn remove_member(&self, grant: &Grant<ManageMembers>, group: Group, user: UserId) -> Result<()> {
        crate::govern::members::remove_member(&self.service, grant, group, user)
    }

    /// Members in the order of their names, a page at a time, from the one after `after`.
    pub fn list_members(
        &self,
        grant: &Grant<ManageMembers>,
        group: &Group,
        after: Option<&UserId>,
    ) -> Result<Vec<MemberRow>> {
        crate::govern::members::list_members(&self.service, grant, group, after)
    }

    /// Recalls the memories that answer a query.
    pub fn recall(&self, grant: &Grant<Recall>, query: &Query) -> Result<Recalled> {
        crate::read::recall::recall(&self.service, grant, query)
    }

    /// One memory with its full text. Missing, foreign and erased look the same.
    pub fn get(&self, grant: &Grant<Recall>, id: MemoryId) -> Result<Memory> {
        crate::read::recall::get(&self.service, grant, id)
    }

    /// Memories newest first, without their full texts.
    pub fn list(
        &self,
        grant: &Grant<Recall>,
        filter: &Filter,
        after: Option<Cursor>,
        limit: usize,
    ) -> Result<Page> {
        crate::read::recall::list(&self.service, grant, filter, after, limit)
    }

    /// Number of memories in the vault, and number of those that cannot be opened.
    pub fn count(&self, grant: &Grant<Recall>) -> Result<(usize, usize)> {
        crate::read::recall::count(&self.service, grant)
    }

    /// Walks the vault's chain from its first entry to its signed end.
    pub fn verify_audit(&self, grant: &Grant<ReadAudit>) -> Result<AuditReport> {
        crate::govern::audit::verify::verify_audit(&self.service, grant)
    }

    /// Verifies the chain like [`Self::verify_audit`], and requires that it contains `known`, a head that was
    /// written down earlier. A vault that was put back to an older state fails this check.
    pub fn verify_audit_through(
        &self,
        grant: &Grant<ReadAudit>,
        known: Option<ChainHead>,
    ) -> Result<AuditReport> {
        crate::govern::audit::verify::verify_audit_through(&self.service, grant, known)
    }

    /// Whoever has this key can verify an exported chain without this installation.
    pub fn audit_key(&self) -> Result<VerifyingKey> {
        crate::govern::audit::verify::audit_key(&self.service)
    }

    /// Entries of the vault's chain above `after`, oldest first, a page at a time.
    pub fn read_audit(&self, grant: &Grant<ReadAudit>, after: u64) -> Result<Vec<(AuditRow, AuditEntry)>> {
        crate::govern::audit::verify::read_audit(&self.service, grant, after)
    }

    /// Makes a token. The secret is shown this once and cannot be shown again.
    pub fn create_token(
        &self,
        grant: &Grant<ManageTokens>,
        request: TokenRequest,
    ) -> Result<(TokenInfo, Zeroizing<String>)> {
        crate::govern::tokens::create_token(&self.service, grant, request)
    }

    /// Revokes a token.
    pub fn revoke_token(&self, grant: &Grant<ManageTokens>, id: TokenId) -> Result<()> {
        crate::govern::tokens::revoke_token(&self.service, grant, id)
    }

    /// Lists the organisation's tokens.
    pub fn list_tokens(&self, grant: &Grant<ManageTokens>) -> Result<Vec<TokenInfo>> {
        crate::govern::tokens::list_tokens(&self.service, grant)
    }

    /// The caller whom a token speaks for; `None` when it is unknown, expired or revoked.
    pub fn authenticate(&self, token: &str) -> Result<Option<Caller>> {
        crate::govern::tokens::authenticate(&self.service, token)
    }

    /// Returns true when the organisation has or had a token. An expired one counts as well: it must not open
    /// the door to callers without any.
    pub fn has_tokens(&self, org: &OrgId) -> Result<bool> {
        crate::govern::tokens::has_tokens(&self.service, org)
    }

    /// Reads the words of a question under the caller's policy.
    pub fn understand(&self, caller: &Caller, text: &str) -> Understood {
        crate::read::intent::understand(&self.service, caller, text)
    }

    /// The one vault that the words mean, if the caller may read it. Otherwise their own, and why.
    pub fn meant_scope(&self, caller: &Caller, text: &str) -> (Scope, Option<String>) {
        crate::read::intent::meant_scope(&self.service, caller, text)
    }

    /// Vaults with memories that wait for their vector of the main model, as far as is known.
    pub fn backlog_len(&self) -> usize {
        crate::govern::reembed::backlog_len(&self.service)
    }

    /// Number of memories in the vault that wait for their vector of the main model.
    pub fn waiting(&self, grant: &Grant<Recall>) -> Result<usize> {
        crate::govern::reembed::waiting(&self.service, grant)
    }

    /// Takes the next vault of the backlog, finishes what a crash may have left in it, and gives every
    /// memory its vector of the main model; `progress` hears how many have it anew, and may break off.
    /// Answers with their number, or `None` when no vault came within `patience`. A vault that failed or was
    /// broken off goes back into the backlog.
    pub fn work_backlog(&self, patience: Duration, progress: &mut Progress<'_>) -> Option<Result<usize>> {
        crate::govern::reembed::work_backlog(&self.service, patience, progress)
    }

    /// Gives some memories of a vault their vector of the main model. Answers with how many it gave.
    pub fn reembed(&self, scope: &Scope, ids: &[MemoryId]) -> Result<usize> {
        crate::govern::reembed::reembed(&self.service, scope, ids)
    }

    /// Writes every rehearsal that was noted so far. Answers with how many memories it changed. Whoever embeds
    /// the library calls this every few seconds and before the process ends.
    pub fn flush_rehearsals(&self) -> Result<usize> {
        crate::vault::rehearse::flush_rehearsals(&self.service)
    }

    /// Stops writes to the vault. Answers with the moment since when they are stopped.
    pub fn freeze(&self, grant: &Grant<Freeze>) -> Result<Timestamp> {
        crate::govern::freeze::freeze(&self.service, grant)
    }

    /// Lets the vault take writes again.
    pub fn thaw(&self, grant: &Grant<Freeze>) -> Result<()> {
        crate::govern::freeze::thaw(&self.service, grant)
    }

    /// The moment at which writes were stopped; `None` while they are allowed.
    pub fn frozen_since(&self, grant: &Grant<Freeze>) -> Result<Option<Timestamp>> {
        crate::govern::freeze::frozen_since(&self.service, grant)
    }

    /// The memories that wait for somebody's word, newest first, with their full texts.
    pub fn candidates(&self, grant: &Grant<Review>, after: Option<Cursor>, limit: usize) -> Result<Page> {
        crate::govern::lifecycle::candidates(&self.service, grant, after, limit)
    }

    /// Decides about candidates, in the order given. A decision that cannot be made ends the call; those
    /// before it stand.
    pub fn decide(
        &self,
        grant: &Grant<Review>,
        decisions: Vec<(MemoryId, Decision)>,
    ) -> Result<Vec<Decided>> {
        crate::govern::lifecycle::decide(&self.service, grant, decisions)
    }

    /// Moves memories to another state, all of them or none, if the table of transitions lets the caller.
    pub fn set_state(&self, grant: &Grant<Forget>, ids: &[MemoryId], to: Lifecycle) -> Result<()> {
        crate::govern::lifecycle::set_state(&self.service, grant, ids, to)
    }

    /// Wraps every root under a new epoch and destroys the old ones. `progress` hears each vault. A renewal
    /// that was interrupted is finished by the next one: until then both epochs stand.
    pub fn renew_epoch(
        &self,
        _grant: &Grant<ManageKeys>,
        progress: impl FnMut(usize),
    ) -> Result<EpochRenewal> {
        crate::govern::epoch::renew_epoch(&self.service, _grant, progress)
    }

    /// Looks through the full text of every memory in the vault, in whatever state. `progress` hears how many
    /// have been read, and may break off.
    pub fn scan_stored(&self, grant: &Grant<Recall>, progress: &mut Progress<'_>) -> Result<Vec<Leak>> {
        crate::govern::scan::scan_stored(&self.service, grant, progress)
    }

    /// Puts a new text in the place of what it corrects.
    pub fn correct(&self, grant: &Grant<Remember>, what: &Correction, draft: Draft) -> Result<Corrected> {
        crate::write::correct::correct(&self.service, grant, what, draft)
    }

    /// Says what would go. The token is good for the same caller, for the vault as it is now, and for
    /// [`DESTROY_PLAN_VALID`]; nothing is kept for it.
    pub fn plan_destroy(&self, grant: &Grant<Destroy>) -> Result<DestroyPlan> {
        crate::govern::destroy::plan_destroy(&self.service, grant)
    }

    /// Destroys the vault that the token was made for. Its scope may begin anew, with new keys.
    pub fn destroy(&self, grant: &Grant<Destroy>, token: &str) -> Result<Destruction> {
        crate::govern::destroy::destroy(&self.service, grant, token)
    }

    /// Ends every destruction that was begun and not ended. Answers with how many there were.
    pub fn recover_destructions(&self) -> Result<usize> {
        crate::govern::destroy::recover_destructions(&self.service)
    }

    /// The vault's notices above `after`, oldest first, a page at a time.
    pub fn notices(&self, grant: &Grant<Recall>, after: u64) -> Result<Vec<Notice>> {
        crate::govern::person::notices::notices(&self.service, grant, after)
    }

    /// Looks for the person of a request through every vault of the organisation. This acknowledges it.
    pub fn plan_person(
        &self,
        grant: &Grant<ForgetPerson>,
        number: u64,
        person: &Person,
    ) -> Result<PersonBatch> {
        crate::govern::person::batch::plan_person(&self.service, grant, number, person)
    }

    /// Erases a batch in every vault, with receipts, and completes the request. If something stops it half-way,
    /// the request stays open, and planning anew finds the rest.
    pub fn confirm_person(
        &self,
        grant: &Grant<ForgetPerson>,
        number: u64,
        person: &Person,
        digest: &[u8; 32],
        signature: Option<BatchSignature>,
    ) -> Result<PersonForgotten> {
        crate::govern::person::batch::confirm_person(&self.service, grant, number, person, digest, signature)
    }

    /// Opens a person's request: from here on its deadlines run. Nothing is looked for yet.
    pub fn open_person_request(&self, grant: &Grant<ForgetPerson>, person: &Person) -> Result<PersonRequest> {
        crate::govern::person::requests::open_person_request(&self.service, grant, person)
    }

    /// The organisation's requests above `after`, oldest first, a page at a time.
    pub fn person_requests(&self, grant: &Grant<ForgetPerson>, after: u64) -> Result<Vec<PersonRequest>> {
        crate::govern::person::requests::person_requests(&self.service, grant, after)
    }

    /// Removes the tombstones of a vault that are older than the tenant's policy keeps them, and those that were to
    /// be brief. Answers with how many went.
    pub fn forget_tombstones(&self, scope: &Scope) -> Result<u64> {
        crate::govern::person::tombstones::forget_tombstones(&self.service, scope)
    }

    /// Drops what the keystore's ledger holds beyond the longest time that any tenant keeps tombstones.
    pub fn forget_old_erasures(&self) -> Result<u64> {
        crate::govern::person::tombstones::forget_old_erasures(&self.service)
    }

    /// Every job and where it stands. Nothing of it says what any vault holds.
    pub fn jobs(&self, _grant: &Grant<ManageJobs>, schedule: &Schedule) -> Result<Vec<JobState>> {
        crate::govern::jobs::jobs(&self.service, _grant, schedule)
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
        crate::govern::jobs::run::run_job(&self.service, job, node, early, schedule, stop)
    }

    /// Erases what is due in every vault. Answers with how many memories went. One vault that cannot be swept
    /// does not keep the others waiting; the first failure is the answer in the end.
    pub fn sweep(&self, progress: crate::keep::retention::sweep::Progress<'_>) -> Result<u64> {
        crate::keep::retention::sweep::sweep(&self.service, progress)
    }

    /// Runs [`Self::sweep`] in one vault. A frozen one is left as it is: nothing in it may be changed.
    pub fn sweep_vault(&self, scope: &Scope) -> Result<usize> {
        crate::keep::retention::sweep::sweep_vault(&self.service, scope)
    }

    /// Gives every row of a vault the expiry that rules and settings ask for. Answers with how many had
    /// another one.
    pub fn restamp(&self, scope: &Scope) -> Result<usize> {
        crate::keep::retention::stamp::restamp(&self.service, scope)
    }

    /// Counts what settings would do, without setting them.
    pub fn preview_retention(&self, grant: &Grant<Retain>, settings: &Settings) -> Result<Preview> {
        crate::keep::retention::preview::preview_retention(&self.service, grant, settings)
    }

    /// The retention settings of the vault's owner.
    pub fn retention(&self, grant: &Grant<Recall>) -> Result<Settings> {
        crate::keep::retention::retention(&self.service, grant)
    }

    /// The term for which one memory is kept, and the reason.
    pub fn term(&self, grant: &Grant<Recall>, id: MemoryId) -> Result<Term> {
        crate::keep::retention::term(&self.service, grant, id)
    }

    /// Sets how long the vault remembers. When memories are over at once because of it, their number must be
    /// said: whoever has not seen the preview does not lose anything by a slip.
    pub fn set_retention(&self, grant: &Grant<Retain>, settings: Settings, goes: usize) -> Result<Preview> {
        crate::keep::retention::set_retention(&self.service, grant, settings, goes)
    }

    /// Pins memories, so that no time takes them, or lets them go their way again.
    pub fn pin(&self, grant: &Grant<Forget>, ids: &[MemoryId], pinned: bool) -> Result<()> {
        crate::keep::retention::pin(&self.service, grant, ids, pinned)
    }

    /// Carries out a decision, if the review still is as its owner saw it.
    pub fn answer_review(&self, grant: &Grant<Forget>, seen: &str, answer: &Answer) -> Result<Answered> {
        crate::govern::review::answer::answer_review(&self.service, grant, seen, answer)
    }

    /// The vault at a glance: statistics, and what is worth a decision.
    pub fn review_month(&self, grant: &Grant<Review>) -> Result<Month> {
        crate::govern::review::month::review_month(&self.service, grant)
    }

    /// The memories of the review, in the order in which they were stored, a page at a time.
    pub fn review_items(
        &self,
        grant: &Grant<Review>,
        part: Option<Part>,
        after: Option<MemoryId>,
        limit: usize,
    ) -> Result<MonthPage> {
        crate::govern::review::month::review_items(&self.service, grant, part, after, limit)
    }

    /// Writes the vault to `out`, after an audit entry that says so. `progress` is told how many memories
    /// have been written, after each page.
    pub fn export(
        &self,
        grant: &Grant<Export>,
        wanted: &Wanted,
        out: &mut dyn Write,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Exported> {
        crate::transfer::export::export(&self.service, grant, wanted, out, progress)
    }

    /// Counts the contents of an export at this moment, without its texts.
    pub fn survey_export(&self, grant: &Grant<Export>, wanted: &Wanted) -> Result<Exported> {
        crate::transfer::export::survey_export(&self.service, grant, wanted)
    }

    /// Measures an export at this moment: its size in bytes and its contents.
    pub fn measure_export(&self, grant: &Grant<Export>, wanted: &Wanted) -> Result<(u64, Exported)> {
        crate::transfer::export::measure_export(&self.service, grant, wanted)
    }

    /// Makes a link to an export of `wanted`, after an audit entry that says so.
    pub fn make_export_link(&self, grant: &Grant<Export>, wanted: &Wanted) -> Result<ExportLink> {
        crate::transfer::export::link::make_export_link(&self.service, grant, wanted)
    }

    /// Follows a link: returns the grant of the user who made it, with their access as it is now, and the export
    /// that they asked for. A link that is forged, changed, expired or of a user who has lost access looks like
    /// one that never was.
    pub fn follow_export_link(&self, token: &str) -> Result<(Grant<Export>, Wanted)> {
        crate::transfer::export::link::follow_export_link(&self.service, token)
    }

    /// Writes every read that was noted so far into its vault's chain. Whoever embeds the library calls this
    /// about once a second and before the process ends.
    pub fn flush_reads(&self) -> Result<()> {
        crate::vault::reads::flush_reads(&self.service)
    }

    /// Counts what the vault's audit holds from `from` until just before `to`.
    pub fn summarise_audit(
        &self,
        grant: &Grant<ReadAudit>,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<AuditSummary> {
        crate::govern::audit::summary::summarise_audit(&self.service, grant, from, to)
    }

    /// Shows `visit` up to `limit` entries after number `after`. The whole chain is verified on the way, and its
    /// end is signed only if it holds: nobody gets our signature on a chain that was tampered with.
    pub fn hand_out_audit(
        &self,
        grant: &Grant<ReadAudit>,
        after: u64,
        limit: u64,
        visit: &mut dyn FnMut(AuditPart<'_>) -> Result<()>,
    ) -> Result<AuditEnd> {
        crate::govern::audit::hand_out::hand_out_audit(&self.service, grant, after, limit, visit)
    }

    /// Signs a file of handed-out entries by the digest of its lines.
    pub fn sign_audit_file(&self, lines: &[u8; 32]) -> Result<Signature> {
        crate::govern::audit::hand_out::sign_audit_file(&self.service, lines)
    }

    /// The daily care of one vault's chain: old entries give way to their digest, as the policy says, and a
    /// checkpoint is signed if anything happened since the last one.
    pub fn keep_audit(&self, scope: &Scope) -> Result<AuditKept> {
        crate::govern::audit::care::keep_audit(&self.service, scope)
    }

    /// Summarises and archives turns, as asked or as far as they are due. `progress` hears how many turns are
    /// done, and may break off after each portion.
    pub fn compact(
        &self,
        grant: &Grant<Forget>,
        request: &CompactRequest,
        progress: &mut Progress<'_>,
    ) -> Result<Compacted> {
        crate::keep::compact::run::compact(&self.service, grant, request, progress)
    }

    /// Counts the memories that [`Self::compact`] would touch.
    pub fn compaction_plan(&self, grant: &Grant<Forget>, request: &CompactRequest) -> Result<CompactionPlan> {
        crate::keep::compact::run::compaction_plan(&self.service, grant, request)
    }

    /// Compacts what the policy's thresholds say. Answers with how many turns were archived. For the scheduler.
    pub fn compact_due(&self, scope: &Scope, progress: &mut Progress<'_>) -> Result<usize> {
        crate::keep::compact::run::compact_due(&self.service, scope, progress)
    }

    /// Starts a session, under the caller's id or one of ours. One that is there already goes on.
    pub fn start_session(&self, grant: &Grant<Remember>, id: Option<SessionId>) -> Result<SessionInfo> {
        crate::keep::session::append::start_session(&self.service, grant, id)
    }

    /// Appends turns to a session, all that the gate lets in or none. `expected` is the number that the first
    /// is to get: an append that is sent again with it is answered as the first time, and writes nothing.
    pub fn append_turns(
        &self,
        grant: &Grant<Remember>,
        session: &SessionId,
        turns: Vec<NewTurn>,
        expected: Option<u32>,
    ) -> Result<Appended> {
        crate::keep::session::append::append_turns(&self.service, grant, session, turns, expected)
    }

    /// Appends a part of a turn. The turn is sealed with its last piece, when something else is said, or when
    /// the session ends.
    pub fn append_piece(&self, grant: &Grant<Remember>, session: &SessionId, piece: &Piece) -> Result<Grown> {
        crate::keep::session::append::append_piece(&self.service, grant, session, piece)
    }

    /// The sessions of a vault, the last used first.
    pub fn sessions(
        &self,
        grant: &Grant<Recall>,
        after: Option<&SessionCursor>,
        limit: usize,
    ) -> Result<SessionPage> {
        crate::keep::session::show::sessions(&self.service, grant, after, limit)
    }

    /// A session and its turns from number `from` on.
    pub fn session(
        &self,
        grant: &Grant<Recall>,
        id: &SessionId,
        from: u32,
        limit: usize,
    ) -> Result<SessionShown> {
        crate::keep::session::show::session(&self.service, grant, id, from, limit)
    }

    /// The contents of a session's working memory, the oldest first.
    pub fn at_hand(&self, grant: &Grant<Recall>, session: &SessionId) -> Result<Vec<Memory>> {
        crate::read::working::at_hand(&self.service, grant, session)
    }

    /// Ends a session: what was being said is sealed, what was for the session only is gone, and its turns are
    /// archived. Ending it again is harmless; turns that come later are archived by a later end.
    pub fn end_session(&self, grant: &Grant<Remember>, id: &SessionId) -> Result<Ended> {
        crate::keep::session::transcript::end_session(&self.service, grant, id)
    }

    /// Ends the sessions of a vault that nobody went on with for as long as the policy says. Answers with how
    /// many. A frozen vault takes no transcripts: its sessions wait.
    pub fn end_idle_sessions(&self, scope: &Scope) -> Result<usize> {
        crate::keep::session::transcript::end_idle_sessions(&self.service, scope)
    }

    /// Finishes what a crash interrupted in one vault: announced moves and erasures, and keys whose record
    /// never came. Answers with the number of keys destroyed.
    pub fn recover(&self, scope: &Scope) -> Result<usize> {
        crate::transfer::recover::recover(&self.service, scope)
    }

    /// Looks for memories about `words`, and for receipts of earlier requests to forget the same.
    pub fn verify_forgotten(&self, grant: &Grant<Recall>, words: &str) -> Result<Verified> {
        crate::forget::verify::verify_forgotten(&self.service, grant, words)
    }

    /// The text that a memory under review would have if the people it mentions became "someone". `None` when it
    /// does not wait for that, or when only a person can write the new text.
    pub fn anonymous_form(&self, grant: &Grant<Review>, id: MemoryId) -> Result<Option<Zeroizing<String>>> {
        crate::erase::withhold::anonymous_form(&self.service, grant, id)
    }

    /// Erases everything that was hidden longer ago than its tenant's policy lets it be restored. Answers with
    /// how many memories went.
    pub fn purge(&self) -> Result<u64> {
        crate::forget::purge::purge(&self.service)
    }

    /// Runs [`Self::purge`] in one vault.
    pub fn purge_vault(&self, scope: &Scope) -> Result<usize> {
        crate::forget::purge::purge_vault(&self.service, scope)
    }

    /// The moment of the latest hiding that can still be undone.
    pub fn last_hidden(&self, grant: &Grant<Recall>) -> Result<Option<Timestamp>> {
        crate::forget::purge::last_hidden(&self.service, grant)
    }

    /// Until when a hidden memory can be restored.
    pub fn restorable_until(&self, scope: &Scope, hidden_at: Timestamp) -> Timestamp {
        crate::forget::purge::restorable_until(&self.service, scope, hidden_at)
    }

    /// Erases one memory for good, with what was made of it. Missing, foreign and already erased look the same.
    pub fn delete(&self, grant: &Grant<Forget>, id: MemoryId) -> Result<Forgotten> {
        crate::forget::delete::delete(&self.service, grant, id)
    }

    /// The receipts of one vault above `after`, oldest first, a page at a time.
    pub fn receipts(&self, grant: &Grant<ReadAudit>, after: u64) -> Result<Vec<SignedReceipt>> {
        crate::vault::receipt::receipts(&self.service, grant, after)
    }

    /// One receipt of a vault, by its number.
    pub fn receipt(&self, grant: &Grant<ReadAudit>, number: u64) -> Result<SignedReceipt> {
        crate::vault::receipt::receipt(&self.service, grant, number)
    }

    /// The key under which this installation's receipts and audit heads are signed.
    pub fn verifying_key(&self) -> Result<VerifyingKey> {
        crate::vault::receipt::verifying_key(&self.service)
    }

    /// Plans a request to forget. Nothing changes until [`Self::confirm_forget`].
    pub fn plan_forget(&self, grant: &Grant<Forget>, request: &Request) -> Result<Planned> {
        crate::forget::plan::plan_forget(&self.service, grant, request)
    }

    /// Carries out a plan, if the vault still is as the plan saw it.
    pub fn confirm_forget(&self, grant: &Grant<Forget>, token: &str, choice: &Choice) -> Result<Confirmed> {
        crate::forget::confirm::confirm_forget(&self.service, grant, token, choice)
    }

    /// Begins an import. A dry run goes through everything and stores nothing.
    pub fn import<'a>(
        &'a self,
        grant: &'a Grant<Import>,
        duplicates: Duplicates,
        dry_run: bool,
    ) -> Result<Importing<'a>> {
        crate::transfer::import::import(&self.service, grant, duplicates, dry_run)
    }

    /// Enters a full backup into the organisation's book, before it is written: receipts name it until it
    /// expires.
    pub fn register_backup(&self, grant: &Grant<ManageKeys>, kept: SignedDuration) -> Result<u64> {
        crate::transfer::backup::register_backup(&self.service, grant, kept)
    }

    /// The full backups that have not expired, oldest first.
    pub fn list_backups(&self, grant: &Grant<ManageKeys>) -> Result<Vec<BackupEntry>> {
        crate::transfer::backup::list_backups(&self.service, grant)
    }

    /// Clears away what the ledger says is erased, in every vault. `progress` hears each. After a restore this
    /// comes before anything is served; a vault that is opened does the same for itself.
    pub fn replay_ledger(&self, grant: &Grant<ManageKeys>, progress: impl FnMut(usize)) -> Result<usize> {
        crate::transfer::backup::replay_ledger(&self.service, grant, progress)
    }

    /// Writes a backup. A full one must go into a sealed stream: `out` gets keys.
    pub fn save_backup<W: Write>(
        &self,
        grant: &Grant<ManageKeys>,
        saving: &Saving<'_>,
        out: W,
    ) -> Result<(Saved, W)> {
        crate::transfer::backup::save::save_backup(&self.service, grant, saving, out)
    }

    /// The memories that `turn` brings to mind, of each vault in `grants` by itself; each is labelled with its
    /// vault. The first grant is the conversation's own vault.
    pub fn context(&self, grants: &[Grant<Recall>], turn: &Turn) -> Result<Context> {
        crate::read::context::context(&self.service, grants, turn)
    }
}

//! The one type that doors call. Each call asks for the grant that permits it, and is a function of its room.

use std::io::Write;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use lacuna_seal::{PassphraseCost, Signature, VerifyingKey};
use lacuna_store::rows::{AuditRow, ChainHead};
use lacuna_types::llm::Llm;
use lacuna_types::policy::Policy;
use lacuna_types::request::PlanChoice;
use lacuna_types::token_count::TokenCounter;
use lacuna_types::*;
use zeroize::Zeroizing;

use crate::audit::AuditEntry;
use crate::audit::chain::AuditReport;
use crate::browse::{Browse, SignIns};
use crate::custodian::Custodian;
use crate::erase::carry_out::Forgotten;
use crate::forget::confirm::Confirmed;
use crate::forget::plan::{Planned, Request};
use crate::forget::unread::ErasedBefore;
use crate::forget::verify::Verified;
use crate::govern::audit::hand_out::{AuditEnd, AuditPart};
use crate::govern::audit::summary::AuditSummary;
use crate::govern::destroy::{DestroyPlan, Destruction};
use crate::govern::epoch::EpochRenewal;
use crate::govern::jobs::{JobState, Schedule};
use crate::govern::lifecycle::{Decided, Decision};
use crate::govern::person::Person;
use crate::govern::person::batch::{BatchSignature, PersonBatch, PersonForgotten};
use crate::govern::person::notices::Notice;
use crate::govern::person::requests::PersonRequest;
use crate::govern::review::answer::{Answer, Answered};
use crate::govern::review::month::{Month, MonthPage, Part};
use crate::govern::scan::Leak;
use crate::index::filter::Filter;
use crate::keep::compact::run::{CompactRequest, Compacted, CompactionPlan};
use crate::keep::retention::preview::Preview;
use crate::keep::session::SessionInfo;
use crate::keep::session::append::{Appended, Grown, NewTurn};
use crate::keep::session::show::{SessionCursor, SessionPage, SessionShown};
use crate::keep::session::transcript::Ended;
use crate::managed::ManagedMemories;
use crate::permit::*;
use crate::read::context::{Context, Turn};
use crate::read::recall::{Cursor, Page, Query, Recalled};
use crate::records::Records;
use crate::transfer::backup::BackupEntry;
use crate::transfer::backup::save::{Saved, Saving};
use crate::transfer::export::link::ExportLink;
use crate::transfer::export::{Exported, Wanted};
use crate::transfer::import::Importing;
use crate::transfer::import::record::Duplicates;
use crate::transfer::promote::Moved;
use crate::transfer::view::Sheet;
use crate::upkeep::{Consents, LegalHolds, Members, Proposals, Purposes, Tokens, Upkeep, Users};
use crate::vault::deliver::{Delivery, Recipient};
use crate::vault::keyed::KeyedRequests;
use crate::vault::models::Progress;
use crate::vault::owner_settings::Settings;
use crate::vault::receipt::SignedReceipt;
use crate::vault::service::{OpenLoad, Parts, Service};
use crate::vault::sessions::Piece;
use crate::vault::term::RetentionTerm;
use crate::vault_locks::VaultLocks;
use crate::write::correct::{Corrected, Correction};
use crate::write::outcome::Outcome;

/// Private memory with every operation on it. Share one among threads; opened vaults are cached inside.
pub struct Lacuna {
    service: Service,
}

/// Makes a handle of the facade for each type: one part of its operations, on the same installation.
macro_rules! handles {
    ($($handle:ident)*) => { $(
        impl<'a> $handle<'a> {
            /// The handle for what `lacuna` keeps.
            pub fn of(lacuna: &'a Lacuna) -> Self {
                Self { service: &lacuna.service }
            }
        }
    )* };
}

handles! { Browse Consents Custodian KeyedRequests LegalHolds ManagedMemories Proposals Purposes Records SignIns Users VaultLocks }

impl VaultLocks<'_> {
    /// Makes a guess at the passphrase of a vault cost `cost` from now on. Only tests lower it.
    pub fn stretching(lacuna: Lacuna, cost: PassphraseCost) -> Lacuna {
        Lacuna { service: lacuna.service.stretching(cost) }
    }
}

impl Proposals<'_> {
    /// Lets a language model propose what requests to forget mean; its proposals are only offered. Without one, nobody is
    /// asked.
    pub fn by(lacuna: Lacuna, llm: Option<Arc<dyn Llm>>) -> Lacuna {
        Lacuna { service: lacuna.service.proposing_by(llm) }
    }

    /// Returns true when plans to forget ask a language model.
    pub fn are_asked_for(&self) -> bool {
        self.service.proposing_llm.is_some()
    }
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
    /// team to the organisation. A memory about health, money, belief or biometrics goes only when it is `lifted`, by
    /// the person who wrote it.
    pub fn promote(
        &self,
        grant: &Grant<Promote>,
        id: MemoryId,
        target: &Grant<Remember>,
        justification: Option<&str>,
        lifted: bool,
    ) -> Result<Moved> {
        let id = self.service.named(grant.scope(), id)?;
        crate::transfer::promote::promote(&self.service, grant, id, target, justification, lifted)
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
        let id = self.service.named(grant.scope(), id)?;
        crate::transfer::promote::demote(&self.service, grant, id, to, justification)
    }

    /// Takes every draft through the gate and stores those that pass, all of them or none. A draft with a
    /// field out of bounds is an error of the whole call; one that the rules refuse or ask about is not.
    pub fn remember(&self, grant: &Grant<Remember>, drafts: Vec<Draft>) -> Result<Vec<Outcome>> {
        crate::write::remember::remember(&self.service, grant, drafts)
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

    /// The one vault that the words mean, if the caller may read it. Otherwise their own, and why.
    pub fn meant_scope(&self, caller: &Caller, text: &str) -> (Scope, Option<String>) {
        crate::read::intent::meant_scope(&self.service, caller, text)
    }

    /// Number of memories in the vault that wait for their vector of the main model.
    pub fn waiting(&self, grant: &Grant<Recall>) -> Result<usize> {
        crate::govern::reembed::waiting(&self.service, grant)
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
        let ids = self.service.all_named(grant.scope(), ids)?;
        crate::govern::lifecycle::set_state(&self.service, grant, &ids, to)
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
        let what = match what {
            Correction::Id(id) => &Correction::Id(self.service.named(grant.scope(), *id)?),
            words => words,
        };
        crate::write::correct::correct(&self.service, grant, what, draft)
    }

    /// Says what would go. The token is good for the same caller, for the vault as it is now, and for
    /// `DESTROY_PLAN_VALID`; nothing is kept for it.
    pub fn plan_destroy(&self, grant: &Grant<Destroy>) -> Result<DestroyPlan> {
        crate::govern::destroy::plan_destroy(&self.service, grant)
    }

    /// Destroys the vault that the token was made for. Its scope may begin anew, with new keys.
    pub fn destroy(&self, grant: &Grant<Destroy>, token: &str) -> Result<Destruction> {
        crate::govern::destroy::destroy(&self.service, grant, token)
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

    /// Every job and where it stands. Nothing of it says what any vault holds.
    pub fn jobs(&self, _grant: &Grant<ManageJobs>, schedule: &Schedule) -> Result<Vec<JobState>> {
        crate::govern::jobs::jobs(&self.service, _grant, schedule)
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
    pub fn term(&self, grant: &Grant<Recall>, id: MemoryId) -> Result<RetentionTerm> {
        let id = self.service.named(grant.scope(), id)?;
        crate::keep::retention::term(&self.service, grant, id)
    }

    /// Sets how long the vault remembers. When memories are over at once because of it, their number must be
    /// said: whoever has not seen the preview does not lose anything by a slip.
    pub fn set_retention(&self, grant: &Grant<Retain>, settings: Settings, goes: usize) -> Result<Preview> {
        crate::keep::retention::set_retention(&self.service, grant, settings, goes)
    }

    /// Pins memories, so that no time takes them, or lets them go their way again.
    pub fn pin(&self, grant: &Grant<Forget>, ids: &[MemoryId], pinned: bool) -> Result<()> {
        let ids = self.service.all_named(grant.scope(), ids)?;
        crate::keep::retention::pin(&self.service, grant, &ids, pinned)
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

    /// Looks for memories about `words`, and for receipts of earlier requests to forget the same.
    pub fn verify_forgotten(&self, grant: &Grant<Recall>, words: &str) -> Result<Verified> {
        crate::forget::verify::verify_forgotten(&self.service, grant, words)
    }

    /// The text that a memory under review would have if the people it mentions became "someone". `None` when it
    /// does not wait for that, or when only a person can write the new text.
    pub fn anonymous_form(&self, grant: &Grant<Review>, id: MemoryId) -> Result<Option<Zeroizing<String>>> {
        crate::erase::withhold::anonymous_form(&self.service, grant, id)
    }

    /// The erasures of a vault that somebody asked for, so that what was said before and is handed over only now does not
    /// bring back what went.
    pub fn erased_before(&self, grant: Grant<Recall>, audit: &Grant<ReadAudit>) -> Result<ErasedBefore<'_>> {
        crate::forget::unread::erased_before(&self.service, grant, audit)
    }

    /// Erases one memory for good, with what was made of it. Missing, foreign and already erased look the same.
    pub fn delete(&self, grant: &Grant<Forget>, id: MemoryId) -> Result<Forgotten> {
        let named = self.service.named(grant.scope(), id)?;
        let mut forgotten = crate::forget::delete::delete(&self.service, grant, named)?;
        // The caller knows it by the id that stayed.
        forgotten.memories.iter_mut().filter(|one| **one == named).for_each(|one| *one = id);
        Ok(forgotten)
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
    pub fn confirm_forget(
        &self,
        grant: &Grant<Forget>,
        token: &str,
        choice: &PlanChoice,
    ) -> Result<Confirmed> {
        let choice = match choice {
            PlanChoice::Only(ids) => &PlanChoice::Only(self.service.all_named(grant.scope(), ids)?),
            choice => choice,
        };
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

    /// The work that a scheduler or an operator asks for: queues, sweeps, recovery, deliveries.
    pub fn upkeep(&self) -> Upkeep<'_> {
        Upkeep { service: &self.service }
    }

    /// API tokens.
    pub fn tokens(&self) -> Tokens<'_> {
        Tokens { service: &self.service }
    }

    /// Members of teams and deployments.
    pub fn members(&self) -> Members<'_> {
        Members { service: &self.service }
    }
}

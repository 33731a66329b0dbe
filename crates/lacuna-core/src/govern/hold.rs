//! Placing a legal hold, by two operators, and ending it.

use jiff::{SignedDuration, Timestamp};
use lacuna_store::rows::{RecordChange, RecordKind};
use lacuna_types::*;
use lacuna_types::{Error, Result};
use zeroize::Zeroizing;

use crate::audit::{AuditAction, AuditEntry, Subject};
use crate::erase::deferred::make_due;
use crate::permit::{ForgetPerson, Grant, Recall};
use crate::vault::commit::Act;
use crate::vault::holds::{HOLD_DAYS_MAX, Hold, HoldReach, HoldReason, all_holds};
use crate::vault::service::Service;

/// Holds of one organisation that may stand at a time.
pub(crate) const HOLDS_STANDING_MAX: usize = 1_000;
const HOURS_PER_DAY: i64 = 24;

/// A hold to be placed.
pub struct HoldRequest {
    /// The ground.
    pub reason: HoldReason,
    /// The memories to keep.
    pub reach: HoldReach,
    /// Days after which it ends by itself.
    pub days: i64,
    /// True when the owner of the vault may know of it.
    pub told: bool,
}

/// Places a hold. It does not stand before another operator has confirmed it.
pub(crate) fn place_hold(
    service: &Service,
    grant: &Grant<ForgetPerson>,
    request: HoldRequest,
) -> Result<Hold> {
    check_request(&request)?;
    let now = service.clock.now();
    if all_holds(service, &grant.scope().org)?.iter().filter(|hold| is_open(hold, now)).count()
        >= HOLDS_STANDING_MAX
    {
        let reason = format!("{HOLDS_STANDING_MAX} holds stand already: end one first");
        return Err(Error::invalid("hold", reason));
    }
    let number = service.store.last_record(&grant.scope().org, RecordKind::Hold)? + 1;
    let hold = Hold {
        number,
        reason: request.reason,
        placed_at: now,
        placed_by: grant.caller().user.as_str().to_owned(),
        confirmed_by: None,
        until: now + SignedDuration::from_hours(HOURS_PER_DAY * request.days),
        ended_at: None,
        told: request.told,
        reach: request.reach,
    };
    write(service, grant, &hold, AuditAction::HoldPlace, true)?;
    Ok(hold)
}

/// Confirms a hold that another operator placed: from here on it stands.
pub(crate) fn confirm_hold(service: &Service, grant: &Grant<ForgetPerson>, number: u64) -> Result<Hold> {
    let mut hold = find(service, grant, number)?;
    let operator = grant.caller().user.as_str();
    if hold.placed_by == operator {
        return Err(Error::Denied("another operator than the one who placed the hold confirms it"));
    }
    if hold.confirmed_by.is_none() {
        hold.confirmed_by = Some(operator.to_owned());
        write(service, grant, &hold, AuditAction::HoldConfirm, false)?;
    }
    Ok(hold)
}

/// Ends a hold before its day. What was deferred because of it is erased by the next purge.
pub(crate) fn end_hold(service: &Service, grant: &Grant<ForgetPerson>, number: u64) -> Result<Hold> {
    let mut hold = find(service, grant, number)?;
    hold.ended_at = Some(service.clock.now());
    write(service, grant, &hold, AuditAction::HoldEnd, false)?;
    make_due(service, grant.scope())?;
    Ok(hold)
}

/// All holds of the organisation, for its operators.
pub(crate) fn list_holds(service: &Service, grant: &Grant<ForgetPerson>) -> Result<Vec<Hold>> {
    all_holds(service, &grant.scope().org)
}

/// The holds on a vault that its owner may know of.
pub(crate) fn holds_told(service: &Service, grant: &Grant<Recall>) -> Result<Vec<Hold>> {
    let (now, vault) = (service.clock.now(), grant.scope().vault_id());
    let mut holds = all_holds(service, &grant.scope().org)?;
    holds.retain(|hold| {
        let here = match &hold.reach {
            HoldReach::Vault(held) | HoldReach::Range(held, _) => *held == vault,
            HoldReach::Subject(_) => false,
        };
        hold.told && here && hold.stands(now)
    });
    Ok(holds)
}

fn is_open(hold: &Hold, now: Timestamp) -> bool {
    hold.ended_at.is_none() && now < hold.until
}

fn find(service: &Service, grant: &Grant<ForgetPerson>, number: u64) -> Result<Hold> {
    let before = number.checked_sub(1).ok_or(Error::NotFound("hold"))?;
    let record = service.store.records(&grant.scope().org, RecordKind::Hold, before, 1)?.pop();
    let record = record.filter(|record| record.number == number).ok_or(Error::NotFound("hold"))?;
    let hold = Hold::decode(service, &record)?;
    if !is_open(&hold, service.clock.now()) {
        return Err(Error::Refused { code: "hold_ended", reason: "the hold has ended" });
    }
    Ok(hold)
}

fn check_request(request: &HoldRequest) -> Result<()> {
    if !(1..=HOLD_DAYS_MAX).contains(&request.days) {
        return Err(Error::invalid("days", format!("must be from 1 to {HOLD_DAYS_MAX}")));
    }
    if let HoldReach::Subject(subject) = &request.reach {
        check_subject(subject)?;
    }
    if let HoldReach::Range(_, span) = &request.reach
        && span.from.is_none()
        && span.until.is_none()
    {
        return Err(Error::invalid("range", "has a beginning, an end, or both"));
    }
    Ok(())
}

fn check_subject(subject: &Zeroizing<String>) -> Result<()> {
    let length = subject.chars().count();
    if subject.trim().is_empty() || length > DETAIL_CHARS_MAX || subject.chars().any(char::is_control) {
        let reason = format!("has 1 to {DETAIL_CHARS_MAX} characters and no control characters");
        return Err(Error::invalid("subject", reason));
    }
    Ok(())
}

/// Writes a hold to the book, with an entry in the organisation's chain.
fn write(
    service: &Service,
    grant: &Grant<ForgetPerson>,
    hold: &Hold,
    action: AuditAction,
    is_new: bool,
) -> Result<()> {
    let org = grant.scope();
    let reader = service.reader(org);
    let writer = reader.lock();
    writer.ensure()?;
    let record = hold.record(service, org)?;
    let subjects = record.vault.iter().map(|vault| Subject(*vault.as_bytes())).collect();
    let entry = AuditEntry::new(action, grant.caller().user.as_str(), subjects);
    let notes = vec![hold.reference(), hold.reason.to_string()];
    let mut act = Act::new(org, service.clock.now(), AuditEntry { notes, ..entry });
    let change = if is_new { RecordChange::Add(record) } else { RecordChange::Update(record) };
    act.batch.records = vec![change];
    writer.commit(&act, |_| ()).map(drop)
}

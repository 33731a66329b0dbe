//! Telling recipients: whoever was given data hears that it was erased. What they are told holds no content,
//! and is queued in the same commit as what it tells of; how it travels is the door's business.
//!
//! A delivery arrives at least once: whoever receives it knows it again by its id.

use jiff::{SignedDuration, Timestamp};
use lacuna_store::cbor::{CborReader, CborWriter};
use lacuna_store::rows::{Record, RecordChange, RecordKind};
use lacuna_types::*;
use lacuna_types::{Error, Result};

use crate::audit::{AuditAction, AuditEntry};
use crate::vault::commit::Act;
use crate::vault::service::Service;

/// The number of times a delivery is tried before it is given up.
pub const DELIVERY_ATTEMPTS_MAX: u32 = 12;
/// The pause after the first failure; it doubles with each further one.
const PAUSE_FIRST: SignedDuration = SignedDuration::from_secs(30);
const PAUSE_MAX: SignedDuration = SignedDuration::from_hours(6);
/// Recipients of one installation.
pub const RECIPIENTS_MAX: usize = 64;
/// Failed deliveries that are looked for among this many of the newest.
const FAILED_LOOKED_AT: u64 = 10_000;
const FIELDS: u64 = 8;

facet!(
    /** An event that recipients can be told of. */
    Event, "event", {
    Erasure = 1 "erasure",
    Destruction = 2 "destruction",
    PersonRequest = 3 "person_request",
    PersonDone = 4 "person_done",
    Review = 5 "review",
});

/// Somebody outside who is told.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recipient {
    /// The name of the recipient in the configuration.
    pub name: String,
    /// The events that the recipient is told of.
    pub events: Vec<Event>,
    /// Only of this organisation; of all without one.
    pub org: Option<OrgId>,
}

impl Recipient {
    fn hears(&self, notification: &Notification) -> bool {
        self.events.contains(&notification.event)
            && self.org.as_ref().is_none_or(|org| *org == notification.org)
    }
}

/// A notification to recipients.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Notification {
    /// The organisation it concerns.
    pub org: OrgId,
    /// The kind of event.
    pub event: Event,
    /// The number of the receipt or the request, as people quote it.
    pub reference: String,
    /// The number of memories it concerns.
    pub memories: u64,
    /// The time of the event.
    pub at: Timestamp,
}

/// One message to one recipient.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Delivery {
    /// The number of the delivery.
    pub number: u64,
    /// The name of the recipient.
    pub recipient: String,
    /// The notification to deliver.
    pub notification: Notification,
    /// The number of tries so far.
    pub attempts: u32,
    /// The cause of the last failure, in our words.
    pub trouble: Option<String>,
    /// True when it was given up.
    pub failed: bool,
}

impl Delivery {
    /// The same in every attempt, and nowhere else.
    pub fn id(&self) -> String {
        format!("dlv_{}_{}", self.notification.org, self.number)
    }

    fn record(&self, due_at: Option<Timestamp>, done_at: Option<Timestamp>) -> Record {
        Record {
            org: self.notification.org.clone(),
            kind: RecordKind::Delivery,
            number: self.number,
            vault: None,
            at: self.notification.at,
            due_at,
            done_at,
            doc: self.encode(),
        }
    }

    fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut w = CborWriter(&mut bytes);
        w.array(FIELDS as usize);
        w.text(&self.recipient);
        w.uint(self.notification.event.code());
        w.text(&self.notification.reference);
        w.uint(self.notification.memories);
        w.int(millis(self.notification.at));
        w.uint(self.attempts);
        w.optional(self.trouble.as_deref(), CborWriter::text);
        w.bool(self.failed);
        bytes
    }

    pub(crate) fn decode(record: &Record) -> Result<Self> {
        let read = |r: &mut CborReader<'_>| {
            let recipient = r.text()?.to_owned();
            let notification = Notification {
                org: record.org.clone(),
                event: Event::from_code(r.uint()?)?,
                reference: r.text()?.to_owned(),
                memories: r.uint()?,
                at: from_millis(r.int()?)?,
            };
            let attempts = r.uint()?;
            let trouble = r.optional(|r| Some(r.text()?.to_owned()))?;
            Some(Self {
                number: record.number,
                recipient,
                notification,
                attempts,
                trouble,
                failed: r.bool()?,
            })
        };
        let damaged = || Error::corrupt(format!("delivery {} does not parse", record.number));
        CborReader(&record.doc).record(FIELDS, read).ok_or_else(damaged)
    }
}

/// The deliveries of a notification, committed together with the event. Numbers may be taken meanwhile:
/// then the commit conflicts, and they are made anew.
pub(crate) fn deliveries(service: &Service, notification: &Notification) -> Result<Vec<RecordChange>> {
    let hearing: Vec<_> =
        service.recipients.iter().filter(|recipient| recipient.hears(notification)).collect();
    if hearing.is_empty() {
        return Ok(Vec::new());
    }
    let last = service.store.last_record(&notification.org, RecordKind::Delivery)?;
    let numbered = hearing.into_iter().zip(last + 1..);
    let deliveries = numbered.map(|(recipient, number)| Delivery {
        number,
        recipient: recipient.name.clone(),
        notification: notification.clone(),
        attempts: 0,
        trouble: None,
        failed: false,
    });
    Ok(deliveries.map(|delivery| RecordChange::Add(delivery.record(Some(notification.at), None))).collect())
}

/// Deliveries that are due now, of every organisation, the longest overdue first.
pub(crate) fn due_deliveries(service: &Service, limit: usize) -> Result<Vec<Delivery>> {
    let due = service.store.due_records(RecordKind::Delivery, service.clock.now(), limit)?;
    due.iter().map(Delivery::decode).collect()
}

/// Notes that a delivery arrived.
pub(crate) fn delivered(service: &Service, delivery: &Delivery) -> Result<()> {
    let done = Delivery { attempts: delivery.attempts + 1, trouble: None, ..delivery.clone() };
    settle(service, done, None)
}

/// Notes that an attempt failed, and when to try again, if it is worth another.
pub(crate) fn not_delivered(service: &Service, delivery: &Delivery, trouble: &str) -> Result<()> {
    let attempts = delivery.attempts + 1;
    let failed = attempts >= DELIVERY_ATTEMPTS_MAX;
    let tried = Delivery { attempts, failed, trouble: Some(trouble.to_owned()), ..delivery.clone() };
    settle(service, tried, (!failed).then(|| service.clock.now() + pause_after(attempts)))
}

/// Writes where a delivery stands; without a next attempt it has ended, and the audit says how.
fn settle(service: &Service, delivery: Delivery, next: Option<Timestamp>) -> Result<()> {
    let scope = Scope { org: delivery.notification.org.clone(), holder: Holder::Org };
    let now = service.clock.now();
    let mut act = Act::silent(&scope, now);
    if next.is_none() {
        let action = if delivery.failed { AuditAction::DeliveryFailed } else { AuditAction::DeliveryDone };
        let notes = vec![format!("to:{}", delivery.recipient), delivery.notification.reference.clone()];
        act.entries.push(AuditEntry { notes, ..AuditEntry::new(action, "system", Vec::new()) });
    }
    let done_at = next.is_none().then_some(now);
    act.batch.records = vec![RecordChange::Update(delivery.record(next, done_at))];
    let reader = service.reader(&scope);
    let writer = reader.lock();
    writer.ensure()?;
    writer.commit(&act, |_| ()).map(drop)
}

/// The newest deliveries of an organisation that were given up, the oldest first.
pub(crate) fn failed_deliveries(service: &Service, org: &OrgId) -> Result<Vec<Delivery>> {
    let last = service.store.last_record(org, RecordKind::Delivery)?;
    let mut after = last.saturating_sub(FAILED_LOOKED_AT);
    let mut failed = Vec::new();
    loop {
        let page =
            service.store.records(org, RecordKind::Delivery, after, lacuna_store::rows::RECORDS_PAGE_MAX)?;
        let Some(last) = page.last() else { return Ok(failed) };
        after = last.number;
        for record in &page {
            failed.extend(Some(Delivery::decode(record)?).filter(|delivery| delivery.failed));
        }
    }
}

fn pause_after(attempts: u32) -> SignedDuration {
    let doublings = attempts.saturating_sub(1).min(DELIVERY_ATTEMPTS_MAX);
    (PAUSE_FIRST * (1 << doublings)).min(PAUSE_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_a_bound() {
        let seconds: Vec<_> = (1..=12).map(|attempts| pause_after(attempts).as_secs()).collect();
        assert_eq!(seconds[..4], [30, 60, 120, 240]);
        assert_eq!(seconds[11], 6 * 3600);
        assert!(seconds.is_sorted());
    }
}

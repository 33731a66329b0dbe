//! Requests of people to be forgotten: numbered, with deadlines, without content.

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use lacuna_seal::{Signature, VerifyingKey};
use lacuna_store::cbor::{CborReader, CborWriter};
use lacuna_store::rows::{RECORDS_PAGE_MAX, Record, RecordChange, RecordKind};
use lacuna_types::*;
use lacuna_types::{Error, Result};

use crate::audit::{AuditAction, AuditEntry};
use crate::govern::person::Person;
use crate::govern::person::batch::BatchSignature;
use crate::permit::{ForgetPerson, Grant};
use crate::vault::commit::Act;
use crate::vault::deliver::{Event, Notification};
use crate::vault::service::Service;

const FIELDS: u64 = 7;

/// A request, as far as it has come.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PersonRequest {
    /// Its number in the organisation's book.
    pub number: u64,
    /// The moment at which it was opened.
    pub opened_at: Timestamp,
    /// The administrator who opened it.
    pub opened_by: String,
    /// The deadline for looking into it.
    pub acknowledge_by: Timestamp,
    /// The moment at which somebody looked into it.
    pub acknowledged_at: Option<Timestamp>,
    /// The deadline for its completion.
    pub complete_by: Timestamp,
    /// The moment of its completion.
    pub completed_at: Option<Timestamp>,
    /// The person, under a key of the organisation's vault.
    pub(crate) subject: [u8; 32],
    /// The signature for the last batch.
    pub signed: Option<BatchSignature>,
    /// The receipts of its erasures.
    pub receipts: Vec<String>,
    /// Memories that were erased so far.
    pub memories: u64,
}

/// A request's number as people quote it.
pub(crate) fn request_reference(number: u64, at: Timestamp) -> String {
    format!("REQ-{}-{number:06}", at.to_zoned(TimeZone::UTC).year())
}

impl PersonRequest {
    /// The request's number as people quote it.
    pub fn reference(&self) -> String {
        request_reference(self.number, self.opened_at)
    }

    /// Returns true when a deadline has passed and its step is not done.
    pub fn is_overdue(&self, now: Timestamp) -> bool {
        self.completed_at.is_none()
            && (now > self.complete_by || self.acknowledged_at.is_none() && now > self.acknowledge_by)
    }

    /// Time until the next deadline; negative when it has passed.
    pub fn time_left(&self, now: Timestamp) -> SignedDuration {
        let next = if self.acknowledged_at.is_none() { self.acknowledge_by } else { self.complete_by };
        next.duration_since(now)
    }

    pub(crate) fn record(&self, org: &OrgId) -> Record {
        Record {
            org: org.clone(),
            kind: RecordKind::Request,
            number: self.number,
            vault: None,
            at: self.opened_at,
            due_at: Some(self.complete_by),
            done_at: self.completed_at,
            doc: self.encode(),
        }
    }

    fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut w = CborWriter(&mut bytes);
        w.array(FIELDS as usize);
        w.text(&self.opened_by);
        w.int(millis(self.acknowledge_by));
        w.optional(self.acknowledged_at, |w, at| w.int(millis(at)));
        w.bytes(&self.subject);
        w.optional(self.signed.as_ref(), |w, signed| {
            w.array(2);
            w.bytes(signed.key.as_bytes());
            w.bytes(signed.signature.as_bytes());
        });
        w.list(&self.receipts, |w, receipt| w.text(receipt));
        w.uint(self.memories);
        bytes
    }

    pub(crate) fn decode(record: &Record) -> Result<Self> {
        let damaged = || Error::corrupt(format!("request {} does not parse", record.number));
        let complete_by = record.due_at.ok_or_else(damaged)?;
        let read = |r: &mut CborReader<'_>| {
            Some(Self {
                number: record.number,
                opened_at: record.at,
                opened_by: r.text()?.to_owned(),
                acknowledge_by: from_millis(r.int()?)?,
                acknowledged_at: r.optional(|r| from_millis(r.int()?))?,
                complete_by,
                completed_at: record.done_at,
                subject: r.array_of_bytes()?,
                signed: r.optional(|r| r.record(2, read_signature))?,
                receipts: r.list(|r| Some(r.text()?.to_owned()))?,
                memories: r.uint()?,
            })
        };
        CborReader(&record.doc).record(FIELDS, read).ok_or_else(damaged)
    }
}

fn read_signature(r: &mut CborReader<'_>) -> Option<BatchSignature> {
    let key = VerifyingKey::from_bytes(r.array_of_bytes()?);
    Some(BatchSignature { key, signature: Signature::from_bytes(r.array_of_bytes()?) })
}

/// Opens a person's request: from here on its deadlines run. Nothing is looked for yet.
pub(crate) fn open_person_request(
    service: &Service,
    grant: &Grant<ForgetPerson>,
    person: &Person,
) -> Result<PersonRequest> {
    person.check()?;
    let scope = grant.scope();
    let reader = service.reader(scope);
    let writer = reader.lock();
    writer.ensure()?;
    let now = service.clock.now();
    let policy = service.policy(&scope.org);
    let request = PersonRequest {
        number: service.store.last_record(&scope.org, RecordKind::Request)? + 1,
        opened_at: now,
        opened_by: grant.caller().user.as_str().to_owned(),
        acknowledge_by: now + SignedDuration::from_hours(policy.acknowledge_hours),
        acknowledged_at: None,
        complete_by: now + SignedDuration::from_hours(policy.complete_hours),
        completed_at: None,
        subject: subject_mark(service, scope, person)?,
        signed: None,
        receipts: Vec::new(),
        memories: 0,
    };
    let mut act = Act::new(scope, now, request.entry(AuditAction::PersonRequest, grant));
    act.batch.records = vec![RecordChange::Add(request.record(&scope.org))];
    act.notification = Some(request.notification(&scope.org, Event::PersonRequest, now));
    writer.commit(&act, |_| ())?;
    Ok(request)
}

/// The organisation's requests above `after`, oldest first, a page at a time.
pub(crate) fn person_requests(
    service: &Service,
    grant: &Grant<ForgetPerson>,
    after: u64,
) -> Result<Vec<PersonRequest>> {
    let page = service.store.records(&grant.scope().org, RecordKind::Request, after, RECORDS_PAGE_MAX)?;
    page.iter().map(PersonRequest::decode).collect()
}

/// One request that is still open, for the person who is named.
pub(crate) fn open_request(
    service: &Service,
    grant: &Grant<ForgetPerson>,
    number: u64,
    person: &Person,
) -> Result<PersonRequest> {
    person.check()?;
    let before = number.checked_sub(1).ok_or(Error::NotFound("request"))?;
    let record = service.store.records(&grant.scope().org, RecordKind::Request, before, 1)?.pop();
    let record = record.filter(|record| record.number == number).ok_or(Error::NotFound("request"))?;
    let request = PersonRequest::decode(&record)?;
    if request.completed_at.is_some() {
        let reason = "the request is already completed";
        return Err(Error::Refused { code: "request_completed", reason });
    }
    if request.subject != subject_mark(service, grant.scope(), person)? {
        return Err(Error::invalid("person", "is not whom this request is about: name them as it did"));
    }
    Ok(request)
}

fn subject_mark(service: &Service, scope: &Scope, person: &Person) -> Result<[u8; 32]> {
    let forms = person.forms().join("\n");
    let mark =
        service.reader(scope).update(|open| Ok(open.keyring.scope_hash(&format!("person\n{forms}"))))?;
    mark.ok_or(Error::NotFound("request"))
}

/// Writes a request as it now stands, with an entry where there is something to record.
pub(crate) fn update_request(
    service: &Service,
    grant: &Grant<ForgetPerson>,
    request: &PersonRequest,
    done: Option<AuditAction>,
) -> Result<()> {
    let scope = grant.scope();
    let now = service.clock.now();
    let mut act = Act::silent(scope, now);
    act.entries.extend(done.map(|action| request.entry(action, grant)));
    act.notification = done.map(|_| request.notification(&scope.org, Event::PersonDone, now));
    act.batch.records = vec![RecordChange::Update(request.record(&scope.org))];
    let reader = service.reader(scope);
    let writer = reader.lock();
    writer.commit(&act, |_| ()).map(drop)
}

impl PersonRequest {
    fn entry(&self, action: AuditAction, grant: &Grant<ForgetPerson>) -> AuditEntry {
        let entry = AuditEntry::new(action, grant.caller().acting(), Vec::new());
        let mut notes = vec![self.reference()];
        notes.extend(self.receipts.iter().take(crate::audit::NOTES_MAX - 1).cloned());
        AuditEntry { notes, ..entry }
    }

    fn notification(&self, org: &OrgId, event: Event, at: Timestamp) -> Notification {
        Notification { org: org.clone(), event, reference: self.reference(), memories: self.memories, at }
    }
}

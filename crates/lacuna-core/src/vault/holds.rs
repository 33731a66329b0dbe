//! Legal holds: memories that may not be erased before a day, whoever asks. A hold is a record in the organisation's
//! book; it holds no content, and the subject of one is sealed under a key of the organisation's vault.

use jiff::Timestamp;
use lacuna_language::names::mentions_name;
use lacuna_store::cbor::{CborReader, CborWriter};
use lacuna_store::rows::{RECORDS_PAGE_MAX, Record, RecordKind};
use lacuna_types::request::TimeSpan;
use lacuna_types::*;
use lacuna_types::{Error, Result};
use zeroize::Zeroizing;

use crate::index::Stored;
use crate::vault::handle::VaultWriter;
use crate::vault::open::Held;
use crate::vault::service::Service;

/// Days for which a hold may stand; a longer need is a new decision.
pub const HOLD_DAYS_MAX: i64 = 1_095;
const FIELDS: u64 = 9;
/// Keeps a sealed subject apart from everything else that is sealed under the same key.
const SUBJECT_PREFIX: &[u8] = b"hold\0";

facet!(
    /** The ground of a hold: the exceptions of Article 17(3) GDPR. */
    HoldReason, "reason", {
    LegalClaim = 1 "legal_claim",
    LegalObligation = 2 "legal_obligation",
    PublicHealth = 3 "public_health",
    PublicInterestArchive = 4 "public_interest_archive",
    FreedomOfExpression = 5 "freedom_of_expression",
});

/// The memories that a hold keeps.
#[derive(Clone, PartialEq, Eq)]
pub enum HoldReach {
    /// All of one vault.
    Vault(VaultId),
    /// Memories of one vault that were created within a time.
    Range(VaultId, TimeSpan),
    /// Memories of every vault that mention somebody or something. The words are sealed in the record.
    Subject(Zeroizing<String>),
}

/// A hold, as far as it has come.
#[derive(Clone, PartialEq, Eq)]
pub struct Hold {
    /// Its number in the organisation's book.
    pub number: u64,
    /// The ground.
    pub reason: HoldReason,
    /// The moment at which the first operator placed it.
    pub placed_at: Timestamp,
    /// The first operator.
    pub placed_by: String,
    /// The second operator; `None` while it does not stand yet.
    pub confirmed_by: Option<String>,
    /// The moment at which it ends by itself.
    pub until: Timestamp,
    /// The moment at which it was ended before that.
    pub ended_at: Option<Timestamp>,
    /// True when the owner of the vault may know of it.
    pub told: bool,
    /// The memories that it keeps.
    pub reach: HoldReach,
}

impl Hold {
    /// As people quote it: `HLD-2026-000003`.
    pub fn reference(&self) -> String {
        format!("HLD-{}-{:06}", self.placed_at.strftime("%Y"), self.number)
    }

    /// Returns true when it keeps memories at this moment.
    pub fn stands(&self, now: Timestamp) -> bool {
        self.confirmed_by.is_some() && self.ended_at.is_none() && now < self.until
    }

    fn reaches(&self, vault: VaultId) -> bool {
        match &self.reach {
            HoldReach::Vault(held) | HoldReach::Range(held, _) => *held == vault,
            HoldReach::Subject(_) => true,
        }
    }

    fn covers(&self, stored: &Stored<'_, Held>) -> bool {
        match &self.reach {
            HoldReach::Vault(_) => true,
            HoldReach::Range(_, span) => {
                let created_at = stored.attributes.created_at;
                span.from.is_none_or(|from| created_at >= millis(from))
                    && span.until.is_none_or(|until| created_at < millis(until))
            }
            HoldReach::Subject(subject) => mentions(stored.payload, subject),
        }
    }

    pub(crate) fn record(&self, service: &Service, org: &Scope) -> Result<Record> {
        let sealed = match &self.reach {
            HoldReach::Subject(subject) => Some(sealed_subject(service, org, subject)?),
            HoldReach::Vault(_) | HoldReach::Range(..) => None,
        };
        let (vault, span) = match &self.reach {
            HoldReach::Vault(vault) => (Some(*vault), None),
            HoldReach::Range(vault, span) => (Some(*vault), Some(*span)),
            HoldReach::Subject(_) => (None, None),
        };
        Ok(Record {
            org: org.org.clone(),
            kind: RecordKind::Hold,
            number: self.number,
            vault,
            at: self.placed_at,
            due_at: Some(self.until),
            done_at: self.ended_at,
            doc: self.encode(sealed.as_deref(), span),
        })
    }

    fn encode(&self, subject: Option<&[u8]>, span: Option<TimeSpan>) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut w = CborWriter(&mut bytes);
        w.array(FIELDS as usize);
        w.uint(self.reason.code());
        w.text(&self.placed_by);
        w.optional(self.confirmed_by.as_ref(), |w, by| w.text(by));
        w.uint(u8::from(self.told));
        w.optional(subject, |w, sealed| w.bytes(sealed));
        w.uint(u8::from(span.is_some()));
        w.optional(span.and_then(|span| span.from), |w, at| w.int(millis(at)));
        w.optional(span.and_then(|span| span.until), |w, at| w.int(millis(at)));
        w.int(millis(self.until));
        bytes
    }

    pub(crate) fn decode(service: &Service, record: &Record) -> Result<Self> {
        let damaged = || Error::corrupt(format!("hold {} does not parse", record.number));
        let moment = |r: &mut CborReader<'_>| r.optional(|r| from_millis(r.int()?));
        let read = CborReader(&record.doc).record(FIELDS, |r| {
            let reason = HoldReason::from_code(r.uint()?)?;
            let placed_by = r.text()?.to_owned();
            let confirmed_by = r.optional(|r| Some(r.text()?.to_owned()))?;
            let told = r.uint::<u8>()? == 1;
            let subject = r.optional(|r| Some(r.bytes()?.to_vec()))?;
            let is_range = r.uint::<u8>()? == 1;
            let span = TimeSpan { from: moment(r)?, until: moment(r)? };
            let until = from_millis(r.int()?)?;
            Some((reason, placed_by, confirmed_by, told, subject, is_range.then_some(span), until))
        });
        let (reason, placed_by, confirmed_by, told, subject, span, until) = read.ok_or_else(damaged)?;
        let reach = match (record.vault, span, subject) {
            (Some(vault), None, None) => HoldReach::Vault(vault),
            (Some(vault), Some(span), None) => HoldReach::Range(vault, span),
            (None, None, Some(sealed)) => HoldReach::Subject(opened_subject(service, &record.org, &sealed)?),
            _ => return Err(damaged()),
        };
        Ok(Self {
            number: record.number,
            reason,
            placed_at: record.at,
            placed_by,
            confirmed_by,
            until,
            ended_at: record.done_at,
            told,
            reach,
        })
    }
}

/// Returns true when a memory says the words, or may: what lies in a body that is not open is kept.
fn mentions(memory: &Held, subject: &str) -> bool {
    let details = memory.details.iter().map(|detail| detail.content.expose());
    let texts = [memory.gist.expose()].into_iter().chain(memory.text.as_ref().map(Plaintext::expose));
    let names = memory.facets.entities.iter().map(|entity| entity.name.as_str());
    memory.has_body || texts.chain(details).chain(names).any(|text| mentions_name(text, subject).is_some())
}

fn sealed_subject(service: &Service, org: &Scope, subject: &str) -> Result<Vec<u8>> {
    let bytes = Zeroizing::new([SUBJECT_PREFIX, subject.as_bytes()].concat());
    let sealed = service.reader(org).update(|open| Ok(open.keyring.seal_plan(&bytes, &*service.entropy)))?;
    sealed.ok_or(Error::NotFound("vault"))
}

fn opened_subject(service: &Service, org: &OrgId, sealed: &[u8]) -> Result<Zeroizing<String>> {
    let org = Scope { org: org.clone(), holder: Holder::Org };
    let opened = service.reader(&org).update(|open| Ok(open.keyring.open_plan(sealed)))?.flatten();
    let text = opened.as_ref().and_then(|bytes| bytes.strip_prefix(SUBJECT_PREFIX));
    let text = text.and_then(|bytes| std::str::from_utf8(bytes).ok());
    let damaged = || Error::corrupt("the subject of a hold does not open");
    Ok(Zeroizing::new(text.ok_or_else(damaged)?.to_owned()))
}

/// The holds that stand on one vault now.
#[derive(Default)]
pub(crate) struct Holds(Vec<Hold>);

impl Holds {
    /// Returns true when a memory may not be erased.
    pub(crate) fn covers(&self, stored: &Stored<'_, Held>) -> bool {
        self.0.iter().any(|hold| hold.covers(stored))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The last moment at which one of them stands.
    pub(crate) fn until(&self) -> Option<Timestamp> {
        self.0.iter().map(|hold| hold.until).max()
    }

    /// References, for the audit.
    pub(crate) fn references(&self) -> Vec<String> {
        self.0.iter().map(Hold::reference).collect()
    }

    /// Refuses to destroy a vault on which a hold stands.
    pub(crate) fn check_none(&self) -> Result<()> {
        if self.is_empty() { Ok(()) } else { Err(held()) }
    }
}

/// The error of an erasure that a hold stands against.
pub(crate) fn held() -> Error {
    Error::Refused { code: "held", reason: "a legal hold keeps it: it can be erased when the hold has ended" }
}

/// All holds of an organisation, those that ended too, oldest first.
pub(crate) fn all_holds(service: &Service, org: &OrgId) -> Result<Vec<Hold>> {
    let (mut holds, mut after) = (Vec::new(), 0);
    loop {
        let page = service.store.records(org, RecordKind::Hold, after, RECORDS_PAGE_MAX)?;
        let Some(last) = page.last() else { return Ok(holds) };
        after = last.number;
        for record in &page {
            holds.push(Hold::decode(service, record)?);
        }
    }
}

/// The holds that stand on a vault now.
pub(crate) fn holds_on(service: &Service, scope: &Scope) -> Result<Holds> {
    let (now, vault) = (service.clock.now(), scope.vault_id());
    let holds = all_holds(service, &scope.org)?.into_iter();
    Ok(Holds(holds.filter(|hold| hold.stands(now) && hold.reaches(vault)).collect()))
}

/// Refuses an erasure of memories that a hold keeps.
pub(crate) fn check_not_held<'a>(
    writer: &VaultWriter<'_>,
    ids: impl IntoIterator<Item = &'a MemoryId>,
) -> Result<()> {
    match held_among(writer, &holds_on(writer.service, writer.scope())?, ids)?.is_empty() {
        true => Ok(()),
        false => Err(held()),
    }
}

/// Returns the part of `ids` that `holds` keep.
pub(crate) fn held_among<'a>(
    writer: &VaultWriter<'_>,
    holds: &Holds,
    ids: impl IntoIterator<Item = &'a MemoryId>,
) -> Result<Vec<MemoryId>> {
    if holds.is_empty() {
        return Ok(Vec::new());
    }
    let held = writer.update(|open| {
        let is_held = |id: &&MemoryId| open.index.get(id).is_some_and(|stored| holds.covers(&stored));
        Ok(ids.into_iter().filter(is_held).copied().collect())
    })?;
    Ok(held.unwrap_or_default())
}

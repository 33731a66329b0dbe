//! The readable expiry of every row, by which the scheduler finds what is due, follows the rules and settings.
//!
//! A new memory is stamped when it is sealed. When a tenant's rules or an owner's settings change, the rows that
//! they concern are stamped anew, some at a time: whoever is interrupted goes on where it was, because a row
//! that is right already is passed over.

use jiff::Timestamp;
use lacuna_seal::sha256;
use lacuna_store::cbor::CborWriter;
use lacuna_store::rows::VaultHeader;
use lacuna_types::*;
use lacuna_types::{Error, Result};

use crate::audit::{AuditAction, AuditEntry};
use crate::keep::retention::rules::write_rules;
use crate::vault::commit::{Act, retrying};
use crate::vault::handle::VaultWriter;
use crate::vault::open::OpenVault;
use crate::vault::service::Service;
use crate::vault::settings::{VaultSettings, change_settings, settings_at_rest, settings_in};
use crate::vault::stamp::{note_unconsented, settings_of, term_of, terms_in};

/// Rows that are stamped in one commit.
const STAMPS_MAX: usize = 1_000;

/// A row whose expiry is not what it should be, and what it should be.
type Wrong = (MemoryId, Option<Timestamp>);

/// Gives every row of a vault the expiry that rules and settings ask for. Answers with how many had
/// another one.
pub(crate) fn restamp(service: &Service, scope: &Scope) -> Result<usize> {
    let reader = service.reader(scope);
    note_unconsented(&reader.lock())?;
    let mut stamped = 0;
    // When another process was faster, what is wrong by then is looked for anew.
    while let Some(count) = retrying(|| stamp_some(&reader.lock()))? {
        stamped += count;
    }
    Ok(stamped)
}

/// Stamps a batch of rows; `None` when no row is left to stamp.
fn stamp_some(writer: &VaultWriter<'_>) -> Result<Option<usize>> {
    let wrong = writer.update(|open| wrong_stamps(writer.service, open, writer.scope()))?;
    let Some((wrong, digest)) = wrong else { return Ok(None) };
    if wrong.is_empty() {
        note_stamped(writer, digest)?;
        return Ok(None);
    }
    stamp(writer, &wrong).map(Some)
}

/// Runs [`restamp`] where rules or settings changed since the last time; other vaults stay closed.
pub(crate) fn restamp_if_changed(service: &Service, header: &VaultHeader) -> Result<u64> {
    let Some(kept) = settings_at_rest(service, header)? else { return Ok(0) };
    if kept.stamped == Some(digest(service, &header.scope, &kept)) || header.frozen_at.is_some() {
        return Ok(0);
    }
    Ok(restamp(service, &header.scope)? as u64)
}

/// Returns true when every row stands under the rules and settings of today.
pub(crate) fn is_stamped(service: &Service, open: &mut OpenVault, scope: &Scope) -> Result<bool> {
    let settings = settings_in(service, open)?;
    Ok(settings.stamped == Some(digest(service, scope, &settings)))
}

fn wrong_stamps(service: &Service, open: &mut OpenVault, scope: &Scope) -> Result<(Vec<Wrong>, [u8; 32])> {
    let settings = settings_in(service, open)?;
    let digest = digest(service, scope, &settings);
    if is_stamped(service, open, scope)? {
        return Ok((Vec::new(), digest));
    }
    let wrong = terms_in(service, open, scope, |open, terms| {
        let living = open.index.before(None).filter(|one| one.attributes.state != Lifecycle::Deleted);
        let stamps = living.map(|one| (one.id, one.attributes.expires_at, term_of(terms, &one).expires_at));
        let wrong = stamps.filter(|(_, stamped, right)| *stamped != right.map(millis));
        Ok(wrong.map(|(id, _, right)| (id, right)).take(STAMPS_MAX).collect())
    })?;
    Ok((wrong, digest))
}

fn stamp(writer: &VaultWriter<'_>, wrong: &[Wrong]) -> Result<usize> {
    let ids: Vec<MemoryId> = wrong.iter().map(|(id, _)| *id).collect();
    let mut act = Act::silent(writer.scope(), writer.service.clock.now());
    act.record(AuditAction::RetentionStamp, "policy", &ids);
    let stamped = writer.rewrite(&ids, |row, _| {
        let right = wrong.iter().find(|(id, _)| *id == row.id);
        row.expires_at = right.and_then(|(_, at)| *at);
        right.is_some()
    })?;
    if stamped.is_empty() {
        // What is in the open vault and not in the store: whoever reads next starts from the store.
        writer.discard();
        return Err(Error::Conflict("the vault"));
    }
    act.batch.puts = stamped.iter().map(|stamped| stamped.row.clone()).collect();
    let count = stamped.len();
    writer.commit(&act, |open| stamped.into_iter().for_each(|one| open.put(&one.row, one.frame)))?;
    Ok(count)
}

fn note_stamped(writer: &VaultWriter<'_>, digest: [u8; 32]) -> Result<()> {
    if settings_of(writer)?.stamped == Some(digest) {
        return Ok(());
    }
    let entry = AuditEntry::new(AuditAction::RetentionStamp, "policy", Vec::new());
    set(writer, entry, |settings| settings.stamped = Some(digest))
}

/// Changes the settings of a vault in one commit.
pub(crate) fn set(
    writer: &VaultWriter<'_>,
    entry: AuditEntry,
    change: impl Fn(&mut VaultSettings),
) -> Result<()> {
    retrying(|| {
        let mut act = Act::new(writer.scope(), writer.service.clock.now(), entry.clone());
        let changed = writer.update(|open| change_settings(writer.service, open, &mut act, &change))?;
        changed.ok_or(Error::NotFound("vault"))?;
        writer.commit(&act, |_| {}).map(drop)
    })
}

fn digest(service: &Service, scope: &Scope, settings: &VaultSettings) -> [u8; 32] {
    let mut bytes = Vec::new();
    let mut w = CborWriter(&mut bytes);
    write_rules(&service.policy(&scope.org).retention, &mut w);
    settings.retention.write(&mut w);
    if settings.lacks_long_term(&service.policy(&scope.org).retention, &scope.holder) {
        w.optional(settings.unconsented_since, |w, at| w.int(millis(at)));
    }
    sha256(&bytes)
}

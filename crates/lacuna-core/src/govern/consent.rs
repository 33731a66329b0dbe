//! Consents that a person gives once, for a category and a purpose, in place of a yes to every sentence.

use lacuna_types::*;
use lacuna_types::{Error, Result};

use crate::audit::{AuditAction, AuditEntry};
use crate::gate::clean::check_name;
use crate::gate::report::Refusal;
use crate::govern::lifecycle::release;
use crate::keep::retention::stamp::set;
use crate::permit::{Grant, Recall, Retain, permit};
use crate::vault::consents::Consent;
use crate::vault::frozen::check_thawed;
use crate::vault::service::Service;
use crate::vault::stamp::settings_of;

/// The result of giving a consent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConsentGiven {
    /// The consent as it is kept.
    pub consent: Consent,
    /// Memories that were held for it, and are found from now on.
    pub released: Vec<MemoryId>,
}

/// The result of revoking a consent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConsentRevoked {
    /// The category.
    pub category: Sensitivity,
    /// Memories of the category that were kept with consent. They stay until somebody forgets them.
    pub kept: Vec<MemoryId>,
}

/// The consents of the vault's owner, in the order in which they were given.
pub(crate) fn consents(service: &Service, grant: &Grant<Recall>) -> Result<Vec<Consent>> {
    Ok(settings_of(&service.reader(grant.scope()))?.consents.clone())
}

/// Keeps a consent, in place of an earlier one for the same category, and releases what was held for it.
pub(crate) fn give_consent(
    service: &Service,
    grant: &Grant<Retain>,
    category: Sensitivity,
    purpose: &str,
) -> Result<ConsentGiven> {
    if !grant.caller().is_person() {
        return Err(Error::Denied("only a person may give consent"));
    }
    let scope = grant.scope();
    check_own(scope)?;
    let is_special = Sensitivity::needing_consent(&[category]) == [category];
    if is_special && !service.policy(&scope.org).sensitive_allowed {
        let refusal = Refusal::SensitiveNotAllowed;
        return Err(Error::Refused { code: refusal.code(), reason: refusal.reason() });
    }
    let purpose = purpose.trim().to_owned();
    let consent = Consent { category, purpose, given_at: service.clock.now() };
    consent.check()?;
    check_name(service.rules.scanner(), "purpose", &consent.purpose)?;
    change(service, grant, AuditAction::ConsentGive, category, |consents| consents.push(consent.clone()))?;
    let released = release_held(service, grant)?;
    Ok(ConsentGiven { consent, released })
}

/// Ends a consent; one that was not given stays so. What it allowed is named, so that its owner can forget it.
pub(crate) fn revoke_consent(
    service: &Service,
    grant: &Grant<Retain>,
    category: Sensitivity,
) -> Result<ConsentRevoked> {
    let scope = grant.scope();
    check_own(scope)?;
    permit::<Recall>(grant.caller(), scope)?;
    let given = settings_of(&service.reader(scope))?.consented();
    if given.contains(&category) {
        change(service, grant, AuditAction::ConsentRevoke, category, |_| {})?;
    }
    let kept = service.read(scope, |open| {
        let stands = open.index.each().filter(|one| one.attributes.state != Lifecycle::Deleted);
        let allowed = stands.filter(|one| {
            let privacy = &one.payload.facets.privacy;
            privacy.basis == ConsentBasis::ExplicitConsent && privacy.sensitivity.contains(&category)
        });
        allowed.map(|one| one.id).collect()
    })?;
    Ok(ConsentRevoked { category, kept: kept.unwrap_or_default() })
}

/// Drops the consent for a category and lets `add` put another one in its place, with its audit entry.
fn change(
    service: &Service,
    grant: &Grant<Retain>,
    action: AuditAction,
    category: Sensitivity,
    add: impl Fn(&mut Vec<Consent>),
) -> Result<()> {
    let scope = grant.scope();
    let reader = service.reader(scope);
    let writer = reader.lock();
    check_thawed(service, scope)?;
    writer.ensure()?;
    let entry = AuditEntry::new(action, grant.caller().acting(), Vec::new());
    let entry = AuditEntry { notes: vec![category.as_str().to_owned()], ..entry };
    set(&writer, entry, |kept| {
        kept.consents.retain(|consent| consent.category != category);
        add(&mut kept.consents);
    })
}

/// Releases the memories that wait for nothing but the consents that are there now.
fn release_held(service: &Service, grant: &Grant<Retain>) -> Result<Vec<MemoryId>> {
    let scope = grant.scope();
    let given = settings_of(&service.reader(scope))?.consented();
    let held = service.read(scope, |open| -> Vec<MemoryId> {
        let waits = open.index.each().filter(|one| one.attributes.state == Lifecycle::Candidate);
        let covered = waits.filter(|one| {
            let facets = &one.payload.facets;
            let needed = Sensitivity::needing_consent(&facets.privacy.sensitivity);
            facets.history.waits == Some(Wait::Consent) && needed.iter().all(|one| given.contains(one))
        });
        covered.map(|one| one.id).collect()
    })?;
    let review = permit(grant.caller(), scope)?;
    let mut released = Vec::new();
    for id in held.unwrap_or_default() {
        match release(service, &review, id) {
            // A newer one that was released took its place.
            Err(Error::NotFound(_)) => {}
            done => {
                done?;
                released.push(id);
            }
        }
    }
    Ok(released)
}

fn check_own(scope: &Scope) -> Result<()> {
    match scope.holder.is_shared() {
        true => Err(Error::invalid("scope", "a consent is a person's own: give it in their own vault")),
        false => Ok(()),
    }
}

//! Consents that a person gives once, for a topic and a purpose, in place of a yes to every sentence.

use lacuna_types::*;
use lacuna_types::{Error, Result};

use crate::audit::{AuditAction, AuditEntry};
use crate::gate::clean::check_name;
use crate::gate::consent::topics_of;
use crate::gate::report::Refusal;
use crate::govern::lifecycle::release;
use crate::keep::retention::stamp::{restamp, set};
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
    /// The topic.
    pub topic: ConsentTopic,
    /// Memories that were kept with the consent. They stay until somebody forgets them, or until the end that they have
    /// without it.
    pub kept: Vec<MemoryId>,
}

/// The consents of the vault's owner, in the order in which they were given.
pub(crate) fn consents(service: &Service, grant: &Grant<Recall>) -> Result<Vec<Consent>> {
    Ok(settings_of(&service.reader(grant.scope()))?.consents.clone())
}

/// Keeps a consent, in place of an earlier one for the same topic, and releases what was held for it.
pub(crate) fn give_consent(
    service: &Service,
    grant: &Grant<Retain>,
    topic: ConsentTopic,
    purpose: &str,
) -> Result<ConsentGiven> {
    if !grant.caller().is_person() {
        return Err(Error::Denied("only a person may give consent"));
    }
    let scope = grant.scope();
    check_own(scope)?;
    let is_special = topic.sensitivity().is_some_and(|one| Sensitivity::needing_consent(&[one]) == [one]);
    if is_special && !service.policy(&scope.org).sensitive_allowed {
        let refusal = Refusal::SensitiveNotAllowed;
        return Err(Error::Refused { code: refusal.code(), reason: refusal.reason() });
    }
    let purpose = purpose.trim().to_owned();
    let consent = Consent { topic, purpose, given_at: service.clock.now() };
    consent.check()?;
    check_name(service.rules.scanner(), "purpose", &consent.purpose)?;
    change(service, grant, AuditAction::ConsentGive, topic, |consents| consents.push(consent.clone()))?;
    let released = release_held(service, grant)?;
    Ok(ConsentGiven { consent, released })
}

/// Ends a consent; one that was not given stays so. What it allowed is named, so that its owner can forget it.
pub(crate) fn revoke_consent(
    service: &Service,
    grant: &Grant<Retain>,
    topic: ConsentTopic,
) -> Result<ConsentRevoked> {
    let scope = grant.scope();
    check_own(scope)?;
    permit::<Recall>(grant.caller(), scope)?;
    let given = settings_of(&service.reader(scope))?.consented();
    if given.contains(&topic) {
        change(service, grant, AuditAction::ConsentRevoke, topic, |_| {})?;
    }
    let kept = service.read(scope, |open| {
        let stands = open.index.each().filter(|one| one.attributes.state != Lifecycle::Deleted);
        let allowed = stands.filter(|one| {
            let facets = &one.payload.facets;
            !facets.is_held() && is_allowed_by(topic, facets)
        });
        allowed.map(|one| one.id).collect()
    })?;
    Ok(ConsentRevoked { topic, kept: kept.unwrap_or_default() })
}

/// Returns true when a memory is kept by the consent to a topic.
fn is_allowed_by(topic: ConsentTopic, facets: &Facets) -> bool {
    let expressly = facets.privacy.basis == ConsentBasis::ExplicitConsent;
    match topic.sensitivity() {
        Some(category) => expressly && facets.privacy.sensitivity.contains(&category),
        None if topic == ConsentTopic::Patterns => expressly && facets.is_pattern(),
        None if topic == ConsentTopic::LongTerm => facets.retention.tier == RetentionTier::LongTerm,
        // It lets texts be shown, and keeps none.
        None => false,
    }
}

/// Drops the consent for a topic and lets `add` put another one in its place, with its audit entry. Ends of time that
/// depend on it are set anew.
fn change(
    service: &Service,
    grant: &Grant<Retain>,
    action: AuditAction,
    topic: ConsentTopic,
    add: impl Fn(&mut Vec<Consent>),
) -> Result<()> {
    let scope = grant.scope();
    let reader = service.reader(scope);
    let writer = reader.lock();
    check_thawed(service, scope)?;
    writer.ensure()?;
    let entry = AuditEntry::new(action, grant.caller().acting(), Vec::new());
    let entry = AuditEntry { notes: vec![topic.as_str().to_owned()], ..entry };
    set(&writer, entry, |kept| {
        kept.consents.retain(|consent| consent.topic != topic);
        add(&mut kept.consents);
    })?;
    drop(writer);
    if topic == ConsentTopic::LongTerm {
        restamp(service, scope)?;
    }
    Ok(())
}

/// Releases the memories that wait for nothing but the consents that are there now.
fn release_held(service: &Service, grant: &Grant<Retain>) -> Result<Vec<MemoryId>> {
    let scope = grant.scope();
    let given = settings_of(&service.reader(scope))?.consented();
    let policy = service.policy(&scope.org);
    let held = service.read(scope, |open| -> Vec<MemoryId> {
        let waits = open.index.each().filter(|one| one.attributes.state == Lifecycle::Candidate);
        let covered = waits.filter(|one| {
            let facets = &one.payload.facets;
            let needed = topics_of(facets, policy);
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

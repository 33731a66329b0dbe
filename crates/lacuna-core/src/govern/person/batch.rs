//! The batch: what would go, counted and digested; then, signed for by an operator, what went.

use std::collections::BTreeMap;

use lacuna_seal::{Signature, VerifyingKey};
use lacuna_types::request::{Mode, PlanChoice};
use lacuna_types::*;
use lacuna_types::{Error, Result};

use crate::audit::AuditAction;
use crate::erase::carry_out::{Forgotten, PART_MAX, Task, erase_with_receipt, scope_hashes};
use crate::erase::finish::finish_intents;
use crate::erase::prepare::ErasureRequest;
use crate::erase::probe::ProbeTargets;
use crate::erase::withhold::hold_back;
use crate::forget::working::forget_working;
use crate::govern::person::Person;
use crate::govern::person::look::{
    KindCount, PersonMatches, is_their_own, look_everywhere, speaking_of, wishes_in,
};
use crate::govern::person::requests::{PersonRequest, open_request, update_request};
use crate::permit::{ForgetPerson, Grant};
use crate::vault::receipt::{Cause, Named};
use crate::vault::service::Service;

const BATCH_DOMAIN: &str = "lacuna/person-batch/v1";

/// A plan for one person's erasure. Nothing is erased until the batch is signed and confirmed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PersonBatch {
    /// The request that the batch answers.
    pub request: PersonRequest,
    /// Counts by kind of vault.
    pub by_kind: BTreeMap<&'static str, KindCount>,
    /// Memories that would be erased.
    pub memories: u64,
    /// Memories that only seem to speak of the person, or were made while others were at hand: they stay, and wait
    /// for the decision of the owner of the vault.
    pub to_review: u64,
    /// Vaults that were not looked into, because their person locked them.
    pub locked: u64,
    /// Over everything that would go. Confirming another one is refused.
    pub digest: [u8; 32],
    /// True when one of the tenant's operators has to sign it with their own key.
    pub needs_operator: bool,
}

/// The signature of an operator for a batch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BatchSignature {
    /// The operator's key.
    pub key: VerifyingKey,
    /// The signature over the batch's digest.
    pub signature: Signature,
}

/// The result of a batch. The receipts are named in the request; each belongs to the owner of its vault.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PersonForgotten {
    /// The request after the erasure.
    pub request: PersonRequest,
    /// True when every probe afterwards found nothing, and nothing waits that may speak of the person.
    pub clean: bool,
    /// Memories that wait for review, because they lean on what went or may speak of the person.
    pub held_back: u64,
}

/// The domain and the parts that an operator signs.
pub fn batch_message<'a>(
    org: &'a OrgId,
    number: &'a [u8; 8],
    digest: &'a [u8; 32],
) -> (&'static str, [&'a [u8]; 3]) {
    (BATCH_DOMAIN, [org.as_str().as_bytes(), number, digest])
}

/// Looks for the person of a request through every vault of the organisation. This acknowledges it.
pub(crate) fn plan_person(
    service: &Service,
    grant: &Grant<ForgetPerson>,
    number: u64,
    person: &Person,
) -> Result<PersonBatch> {
    let org = &grant.scope().org;
    let mut request = open_request(service, grant, number, person)?;
    let looked = look_everywhere(service, org, person)?;
    if request.acknowledged_at.is_none() {
        request.acknowledged_at = Some(service.clock.now());
        update_request(service, grant, &request, None)?;
    }
    Ok(PersonBatch {
        by_kind: looked.by_kind(),
        memories: looked.memories(),
        to_review: looked.leaning(),
        locked: looked.locked,
        digest: looked.digest(),
        needs_operator: !service.policy(org).operators.is_empty(),
        request,
    })
}

/// Erases a batch in every vault, with receipts, and completes the request. If something stops it half-way,
/// the request stays open, and planning anew finds the rest.
pub(crate) fn confirm_person(
    service: &Service,
    grant: &Grant<ForgetPerson>,
    number: u64,
    person: &Person,
    digest: &[u8; 32],
    signature: Option<BatchSignature>,
) -> Result<PersonForgotten> {
    let mut request = open_request(service, grant, number, person)?;
    let looked = look_everywhere(service, &grant.scope().org, person)?;
    if looked.digest() != *digest {
        let reason = "the vaults are no longer as the batch saw them: plan again";
        return Err(Error::Refused { code: "plan_changed", reason });
    }
    request.signed = Some(signed_batch(service, grant, number, digest, signature)?);
    let mut done = PersonForgotten { request, clean: true, held_back: 0 };
    let erased = erase_everywhere(service, grant, &looked, person, &mut done);
    if erased.is_ok() {
        done.request.completed_at = Some(service.clock.now());
    }
    // What has been erased so far is in the request, whatever came after it.
    let action = erased.is_ok().then_some(AuditAction::PersonDone);
    let noted = update_request(service, grant, &done.request, action);
    erased.and(noted).map(|()| done)
}

/// The operator's own signature where the tenant names operators; else the installation signs in their name.
fn signed_batch(
    service: &Service,
    grant: &Grant<ForgetPerson>,
    number: u64,
    digest: &[u8; 32],
    given: Option<BatchSignature>,
) -> Result<BatchSignature> {
    let org = &grant.scope().org;
    let number = number.to_be_bytes();
    let (domain, parts) = batch_message(org, &number, digest);
    let operators = &service.policy(org).operators;
    if operators.is_empty() {
        let key = service.kms.signing_key(&*service.entropy)?;
        return Ok(BatchSignature { key: key.verifying_key(), signature: key.sign(domain, &parts) });
    }
    let given = given.ok_or(Error::Denied("an operator of this organisation must sign the batch"))?;
    let is_operator = operators.contains(&given.key);
    if !is_operator || given.key.verify(domain, &parts, &given.signature).is_err() {
        return Err(Error::Denied("the batch is not signed by an operator of this organisation"));
    }
    Ok(given)
}

fn erase_everywhere(
    service: &Service,
    grant: &Grant<ForgetPerson>,
    looked: &PersonMatches,
    person: &Person,
    done: &mut PersonForgotten,
) -> Result<()> {
    looked.vaults.iter().try_for_each(|(scope, _)| erase_person_in(service, grant, scope, person, done))
}

fn erase_person_in(
    service: &Service,
    grant: &Grant<ForgetPerson>,
    scope: &Scope,
    person: &Person,
    done: &mut PersonForgotten,
) -> Result<()> {
    let reader = service.reader(scope);
    let writer = reader.lock();
    finish_intents(&writer)?;
    let wishes = wishes_in(scope, person);
    let found = writer.update(|open| {
        let hashes: Vec<_> = wishes.iter().flat_map(|wish| scope_hashes(open, wish)).collect();
        Ok((speaking_of(service, open, scope, person)?, hashes))
    })?;
    let (spoken, hashes) = found.unwrap_or_default();
    wishes.iter().for_each(|wish| forget_working(service, scope, wish, &PlanChoice::All));
    let parts = spoken.direct.chunks(PART_MAX).collect::<Vec<_>>();
    let request = Some(done.request.number);
    let task = |direct| Task {
        actor: grant.caller().acting(),
        action: AuditAction::MemoryForget,
        mode: Mode::Hard,
        cause: Cause::Person,
        named: if is_their_own(scope, person) { Named::Everything } else { Named::Subject },
        scope_hashes: hashes.clone(),
        direct,
        indirect: 0,
        request,
    };
    for (number, part) in (1..).zip(&parts) {
        let task = task(part.len());
        // Only after the last part is nothing left to be found.
        let wish = wishes
            .first()
            .filter(|_| number == parts.len())
            .map(|wish| (wish.clone(), Vec::new(), Vec::new()));
        let wanted = ErasureRequest { holds_back: true, ..ErasureRequest::whole(part) };
        let sought = ProbeTargets { wish, ..ProbeTargets::default() };
        done.add(erase_with_receipt(&writer, &wanted, &task, sought)?);
    }
    done.add(hold_back(&writer, spoken.leaning, &task(0))?);
    Ok(())
}

impl PersonForgotten {
    /// Counts what was done in one vault.
    fn add(&mut self, forgotten: Forgotten) {
        self.held_back += forgotten.held_back.len() as u64;
        self.request.memories += forgotten.memories.len() as u64 + forgotten.fell.len() as u64;
        let probed = forgotten.receipts.iter().all(|signed| signed.receipt.is_clean());
        self.clean &= probed && forgotten.held_back.is_empty();
        self.request.receipts.extend(forgotten.receipts.iter().map(|signed| signed.receipt.reference()));
    }
}

//! Replace: a new text takes the place of a memory and goes on under its id. The old text is erased with a receipt: the
//! memory behind the id, and its key, are new.

use jiff::Timestamp;
use lacuna_types::*;
use lacuna_types::{Error, Result};

use crate::permit::{Grant, Remember};
use crate::vault::open::OpenVault;
use crate::vault::service::Service;
use crate::write::correct::Corrected;
use crate::write::outcome::Outcome;
use crate::write::remember::{Manner, remember_in};

/// A text that takes the place of a memory. Whatever it does not name stays as it was.
pub struct Replacement {
    /// The new text.
    pub text: Plaintext,
    /// The caller's own fields, a JSON object; an empty one takes the old ones away.
    pub metadata: Option<Plaintext>,
    /// Tags of the caller's choice.
    pub tags: Option<Vec<String>>,
    /// The latest time for which it is kept.
    pub expires_at: Option<Timestamp>,
    /// The origin; an explicit save when absent.
    pub source: Option<Source>,
    /// The legal ground of sensitive data.
    pub consent_basis: Option<ConsentBasis>,
    /// The token with which an earlier answer asked for confirmation of this very text.
    pub confirm: Option<String>,
}

pub(crate) fn replace(
    service: &Service,
    grant: &Grant<Remember>,
    id: MemoryId,
    with: Replacement,
) -> Result<Corrected> {
    let now = millis(service.clock.now());
    let found = service.serve(grant.scope(), |open| with_the_rest(grant, open, (id, now), with))?;
    let (public, replaced, draft) = found.unwrap_or(Err(Error::NotFound("memory")))?;
    let manner = Manner { replaces: Some(public), ..Manner::default() };
    let (mut outcomes, receipt) = remember_in(service, grant, vec![draft], &manner)?;
    Ok(match outcomes.pop().ok_or(Error::NotFound("memory"))? {
        Outcome::Stored(mut memory) if memory.state != Lifecycle::Candidate => {
            memory.id = public;
            Corrected::Done { memory, replaced, left_some: false, receipt: receipt.map(Box::new) }
        }
        held => Corrected::Held(held),
    })
}

/// The id that stays, the memory that goes, and the draft with everything that stays.
fn with_the_rest(
    grant: &Grant<Remember>,
    open: &OpenVault,
    (id, now): (MemoryId, i64),
    with: Replacement,
) -> Result<(MemoryId, MemoryId, Draft)> {
    let stored = open.named(id).and_then(|id| open.index.get(&id));
    // The value of a record is put anew by its program, and a transcript is made of its turns.
    let replaceable = stored.filter(|stored| {
        let attributes = &stored.attributes;
        !attributes.is_record
            && attributes.state != Lifecycle::Deleted
            && attributes.expires_at.is_none_or(|at| now < at)
            && stored.payload.facets.history.segment.is_none()
    });
    let stored = replaceable.ok_or(Error::NotFound("memory"))?;
    let facets = &stored.payload.facets;
    if !grant.covers(facets.history.author.as_ref()) {
        return Err(Error::Denied("only its author or an administrator may replace it"));
    }
    let metadata = with.metadata.or_else(|| facets.history.metadata.as_ref().map(Plaintext::duplicate));
    let draft = Draft {
        text: with.text,
        category: Some(facets.category),
        content_type: Some(facets.content_type),
        tier: Some(facets.tier),
        kind: Some(facets.kind),
        lane: Some(facets.lane),
        secondary_lanes: facets.secondary_lanes.clone(),
        tags: with.tags.unwrap_or_else(|| facets.tags.clone()),
        source: with.source,
        consent_basis: with.consent_basis,
        // The new text may not be what the strictest time class was for.
        retention: Some(facets.retention.tier).filter(|tier| *tier != RetentionTier::Sensitive),
        expires_at: with.expires_at.or(facets.retention.expires_at),
        pinned: facets.retention.pinned,
        created_at: from_millis(stored.attributes.created_at),
        confirm: with.confirm,
        metadata: metadata.filter(|fields| fields.expose().trim() != "{}"),
        ..Draft::default()
    };
    Ok((facets.history.public_id.unwrap_or(stored.id), stored.id, draft))
}

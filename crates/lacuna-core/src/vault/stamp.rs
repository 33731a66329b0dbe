//! The term of a memory under the rules and settings of its vault.

use std::sync::Arc;

use lacuna_store::rows::Row;
use lacuna_types::Result;
use lacuna_types::*;

use crate::audit::{AuditAction, AuditEntry};
use crate::index::Stored;
use crate::vault::commit::{Act, retrying};
use crate::vault::frame::FrameFields;
use crate::vault::handle::{VaultReader, VaultWriter};
use crate::vault::open::{Held, OpenVault};
use crate::vault::service::Service;
use crate::vault::settings::{VaultSettings, change_settings, settings_in};
use crate::vault::term::{RetentionTerm, TermSubject, Terms};

/// The terms of the memories in an opened vault.
pub(crate) fn terms_in<R>(
    service: &Service,
    open: &mut OpenVault,
    scope: &Scope,
    run: impl FnOnce(&mut OpenVault, &Terms<'_>) -> Result<R>,
) -> Result<R> {
    let settings = settings_in(service, open)?;
    let terms = settings.terms(&service.policy(&scope.org).retention, &scope.holder);
    run(open, &terms)
}

/// Returns the settings of a vault that may be closed; [`terms_in`] reads those of an opened one.
pub(crate) fn settings_of(reader: &VaultReader<'_>) -> Result<Arc<VaultSettings>> {
    let settings = reader.update(|open| settings_in(reader.service, open))?;
    Ok(settings.unwrap_or_default())
}

/// Notes since when long-term keeping lacks the consent that the policy wants, or that it no longer does. Its limit counts
/// from then, and not from before anybody could know of it. A frozen vault stays as it is.
pub(crate) fn note_unconsented(writer: &VaultWriter<'_>) -> Result<()> {
    let (service, scope) = (writer.service, writer.scope());
    let rules = &service.policy(&scope.org).retention;
    retrying(|| {
        let entry = AuditEntry::new(AuditAction::RetentionStamp, "policy", Vec::new());
        let mut act = Act::new(scope, service.clock.now(), entry);
        let changed = writer.update(|open| {
            let settings = settings_in(service, open)?;
            let lacks = settings.lacks_long_term(rules, &scope.holder);
            if lacks == settings.unconsented_since.is_some() || open.header.frozen_at.is_some() {
                return Ok(false);
            }
            let since = lacks.then(|| service.clock.now());
            change_settings(service, open, &mut act, |kept| kept.unconsented_since = since)?;
            Ok(true)
        })?;
        match changed {
            Some(true) => writer.commit(&act, |_| {}).map(drop),
            _ => Ok(()),
        }
    })
}

/// The term of a memory in an opened vault.
pub(crate) fn term_of(terms: &Terms<'_>, stored: &Stored<'_, Held>) -> RetentionTerm {
    terms.of(&subject(stored))
}

/// Returns true when a memory in an opened vault expires at the end of its session.
pub(crate) fn ends_with_session(terms: &Terms<'_>, stored: &Stored<'_, Held>) -> bool {
    terms.end_with_session(&subject(stored))
}

fn subject<'a>(stored: &Stored<'a, Held>) -> TermSubject<'a> {
    let held = stored.payload;
    TermSubject {
        id: stored.id,
        created_at: from_millis(stored.attributes.created_at).unwrap_or(held.updated_at),
        facets: &held.facets,
        gist: held.gist.expose(),
        text: held.text.as_ref().map(Plaintext::expose),
    }
}

/// The term of a memory whose frame is open.
pub(crate) fn term_of_frame(terms: &Terms<'_>, row: &Row, frame: FrameFields<'_>) -> RetentionTerm {
    let (gist, text) = (frame.gist.expose(), frame.text.map(Plaintext::expose));
    terms.of(&TermSubject { id: row.id, created_at: row.created_at, facets: frame.facets, gist, text })
}

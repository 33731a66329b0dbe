//! Previews the effect of retention settings. A preview changes nothing.

use std::collections::BTreeMap;

use jiff::Timestamp;
use lacuna_types::Result;
use lacuna_types::*;

use crate::permit::{Grant, Recall, Retain, permit};
use crate::vault::handle::VaultReader;
use crate::vault::open::OpenVault;
use crate::vault::owner_settings::Settings;
use crate::vault::service::Service;
use crate::vault::settings::VaultSettings;
use crate::vault::stamp::{settings_of, term_of, terms_in};
use crate::vault::term::{RetentionTerm, Terms, days};

/// Ids that a preview names.
pub(crate) const PREVIEW_IDS_MAX: usize = 1_000;
/// Days within which a memory counts as expiring soon.
const SOON_DAYS: u32 = 30;

/// The effect of settings on the memories in the vault.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Preview {
    /// Memories in the vault.
    pub memories: usize,
    /// Memories that would be over at once; the next sweep erases them.
    pub goes_now: usize,
    /// The first of those, by id.
    pub ids: Vec<MemoryId>,
    /// Memories among those by category; those in no category are not counted here.
    pub categories: BTreeMap<Sensitivity, usize>,
    /// Memories that would be over within 30 days.
    pub goes_soon: usize,
    /// Memories that would expire earlier than they do today.
    pub shortened: usize,
    /// Memories that would expire later than they do today.
    pub prolonged: usize,
}

/// Counts what settings would do, without setting them.
pub(crate) fn preview_retention(
    service: &Service,
    grant: &Grant<Retain>,
    settings: &Settings,
) -> Result<Preview> {
    let scope = grant.scope();
    permit::<Recall>(grant.caller(), scope)?;
    settings.check(&service.policy(&scope.org).retention)?;
    preview_in(&service.reader(scope), settings)
}

pub(crate) fn preview_in(reader: &VaultReader<'_>, settings: &Settings) -> Result<Preview> {
    let rules = &reader.service.policy(&reader.scope().org).retention;
    let kept = settings_of(reader)?;
    let wanted = VaultSettings { retention: settings.clone(), ..(*kept).clone() };
    let then = wanted.terms(rules, &reader.scope().holder);
    let now = reader.service.clock.now();
    let preview = reader.update(|open| {
        terms_in(reader.service, open, reader.scope(), |open, today| Ok(compare(open, today, &then, now)))
    })?;
    Ok(preview.unwrap_or_default())
}

fn compare(open: &OpenVault, today: &Terms<'_>, then: &Terms<'_>, now: Timestamp) -> Preview {
    let mut preview = Preview::default();
    let living = open.index.after(None).filter(|one| one.attributes.state != Lifecycle::Deleted);
    for one in living {
        preview.memories += 1;
        let (before, after) = (term_of(today, &one), term_of(then, &one));
        let is_over = |term: RetentionTerm, at| term.expires_at.is_some_and(|end| end <= at);
        // What is over already goes whatever is set.
        if is_over(after, now) && !is_over(before, now) {
            preview.goes_now += 1;
            for category in &one.payload.facets.privacy.sensitivity {
                *preview.categories.entry(*category).or_default() += 1;
            }
            if preview.ids.len() < PREVIEW_IDS_MAX {
                preview.ids.push(one.id);
            }
        } else if is_over(after, now + days(SOON_DAYS)) {
            preview.goes_soon += 1;
        }
        let end = |term: RetentionTerm| term.expires_at.unwrap_or(Timestamp::MAX);
        preview.shortened += usize::from(end(after) < end(before));
        preview.prolonged += usize::from(end(after) > end(before));
    }
    preview
}

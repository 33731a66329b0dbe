//! Purpose limitation: the sensitive memories of a vault that are closed to a reader.
//!
//! In a person's own vault everything is open to the person; to their assistants and readers, whatever the person has
//! not closed. A token that was made without a category gets nothing of it from any vault. In a vault that several
//! people share, what is about health, belief or biometrics is shown to its author alone, unless the author lifted
//! that for the memory when they shared it.

use lacuna_types::{ConsentTopic, Facets, PrivacyClass, Result, Sensitivity, UserId};

use crate::index::Tag;
use crate::index::filter::Filter;
use crate::permit::{Action, Grant};
use crate::vault::service::Service;
use crate::vault::stamp::settings_of;

/// Categories whose memories are shared only when their author lifts that for each.
pub(crate) const GUARDED: [Sensitivity; 4] =
    [Sensitivity::Health, Sensitivity::Financial, Sensitivity::Biometric, Sensitivity::PoliticalReligious];
/// Special categories of personal data (Article 9 GDPR): closed by default in shared vaults.
const SPECIAL: [Sensitivity; 3] =
    [Sensitivity::Health, Sensitivity::Biometric, Sensitivity::PoliticalReligious];
/// Categories whose texts are never sent to a model outside this process.
const LOCAL_ONLY: [Sensitivity; 2] = [Sensitivity::Health, Sensitivity::Biometric];

/// The categories that are closed to one reader of one vault.
#[derive(Clone, Default)]
pub(crate) struct Closed {
    kinds: Vec<Sensitivity>,
    /// Own writing is always open.
    reader: Option<UserId>,
    /// The categories that the reader's token is not for: nothing opens them to it.
    without: Vec<Sensitivity>,
}

impl Closed {
    /// Returns true when a memory is closed to the reader.
    pub(crate) fn hides(&self, facets: &Facets) -> bool {
        let is_any_of =
            |kinds: &[Sensitivity]| facets.privacy.sensitivity.iter().any(|kind| kinds.contains(kind));
        if is_any_of(&self.without) {
            return true;
        }
        let is_closed = is_any_of(&self.kinds);
        is_closed && !is_lifted(facets) && !(self.reader.is_some() && facets.history.author == self.reader)
    }

    /// Lets a search pass over what is closed.
    pub(crate) fn narrow(&self, filter: &mut Filter) {
        filter.closed = self.kinds.iter().map(|kind| kind_tag(*kind)).collect();
        filter.closed_unless = self.reader.as_ref().map(author_tag);
        let lifted_or_not = |kind: &Sensitivity| [kind_tag(*kind), lifted_tag(*kind)];
        filter.without = self.without.iter().flat_map(lifted_or_not).collect();
    }
}

/// Returns the categories that are closed to the caller of a grant.
pub(crate) fn closed_to<A: Action>(service: &Service, grant: &Grant<A>) -> Result<Closed> {
    let caller = grant.caller();
    let without = caller.without.clone();
    if grant.scope().holder.is_shared() {
        return Ok(Closed { kinds: SPECIAL.to_vec(), reader: Some(caller.user.clone()), without });
    }
    // A service is an assistant, unless its word counts as the person's own.
    if caller.is_person() {
        return Ok(Closed { without, ..Closed::default() });
    }
    let kinds = settings_of(&service.reader(grant.scope()))?.closed.clone();
    Ok(Closed { kinds, reader: None, without })
}

/// Returns true when the texts of a memory stay in this process: no endpoint and no language model gets them.
pub(crate) fn stays_local(facets: &Facets) -> bool {
    facets.privacy.sensitivity.iter().any(|kind| LOCAL_ONLY.contains(kind))
}

/// Returns true when a text of this class and these categories may be shown to the language model that a plan asks. A
/// guarded or sensitive one needs the owner's consent to its category, and the one to show such texts to the model.
pub(crate) fn is_for_language_model(
    class: PrivacyClass,
    sensitivity: &[Sensitivity],
    given: &[ConsentTopic],
) -> bool {
    let guarded = sensitivity.iter().copied().filter(|kind| GUARDED.contains(kind));
    let mut needed: Vec<Sensitivity> = guarded.collect();
    if class == PrivacyClass::SensitivePii {
        needed.extend(Sensitivity::needing_consent(sensitivity));
    }
    let is_given = |topic: ConsentTopic| given.contains(&topic);
    needed.is_empty()
        || is_given(ConsentTopic::LanguageModel) && needed.into_iter().all(|kind| is_given(kind.into()))
}

/// A memory that was moved into a shared vault was lifted by its author: without that, nothing moves it.
fn is_lifted(facets: &Facets) -> bool {
    facets.history.promotion.as_ref().is_some_and(|promotion| promotion.current_scope.is_shared())
}

/// The marks by which the index knows what may be closed. No caller can write them: tags hold no NUL.
pub(crate) fn purpose_tags(facets: &Facets) -> Vec<Tag> {
    if is_lifted(facets) {
        return facets.privacy.sensitivity.iter().map(|kind| lifted_tag(*kind)).collect();
    }
    let mut tags: Vec<Tag> = facets.privacy.sensitivity.iter().map(|kind| kind_tag(*kind)).collect();
    if !tags.is_empty() {
        tags.extend(facets.history.author.as_ref().map(author_tag));
    }
    tags
}

fn kind_tag(kind: Sensitivity) -> Tag {
    Tag::of(&format!("\0kind:{kind}"))
}

/// The mark of a memory that its author lifted: open to members, and still of its category.
fn lifted_tag(kind: Sensitivity) -> Tag {
    Tag::of(&format!("\0lifted:{kind}"))
}

fn author_tag(author: &UserId) -> Tag {
    Tag::of(&format!("\0author:{author}"))
}

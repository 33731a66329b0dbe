//! Forgetting what the working memory of a session holds.

use lacuna_language::clause::Cut;
use lacuna_language::topic::{Agreement, EvidenceText, Inquiry, ReadTexts, Topic, has_short_form};
use lacuna_types::request::{About, PlanChoice, Wish};
use lacuna_types::*;
use lacuna_types::{Error, Result};

use crate::index::{Stored, Tag};
use crate::permit::{Forget, Grant};
use crate::read::find::Surgery;
use crate::vault::open::Held;
use crate::vault::service::Service;
use crate::vault::working::names;

/// Number of memories in working memory that a wish to forget covers.
pub(crate) fn working_meant(service: &Service, scope: &Scope, wish: &Wish) -> usize {
    let mut count = 0;
    service.open_sessions.each_working(scope.vault_id(), |session, working| {
        count += working.matching(|stored| is_meant(session, stored, wish)).len();
    });
    count
}

/// Drops from working memory what a wish means. It is not kept for a chosen part of a plan: a scrap too many
/// is nothing lost.
pub(crate) fn forget_working(service: &Service, scope: &Scope, wish: &Wish, choice: &PlanChoice) {
    if matches!(choice, PlanChoice::Only(_)) {
        return;
    }
    service.open_sessions.each_working(scope.vault_id(), |session, working| {
        for id in working.matching(|stored| is_meant(session, stored, wish)) {
            working.drop_one(id);
        }
    });
}

/// Drops one memory from working memory, if it is there.
pub(crate) fn drop_working(service: &Service, grant: &Grant<Forget>, id: MemoryId) -> Result<bool> {
    let mut dropped = Ok(false);
    service.open_sessions.each_working(grant.scope().vault_id(), |_, working| {
        let Some(stored) = working.index.get(&id) else { return };
        match grant.covers(stored.payload.facets.history.author.as_ref()) {
            true => dropped = Ok(working.drop_one(id)),
            false => dropped = Err(Error::Denied("only its author or an administrator may erase it")),
        }
    });
    dropped
}

/// Returns true when a wish to forget covers a memory in working memory. In doubt it does: nothing here was to
/// be kept.
pub(crate) fn is_meant(session: &SessionId, stored: &Stored<'_, Held>, wish: &Wish) -> bool {
    let facets = &stored.payload.facets;
    let text = stored.payload.full_text().expose();
    let at = from_millis(stored.attributes.created_at);
    if wish.when.is_some_and(|span| at.is_none_or(|at| !span.contains(at))) {
        return false;
    }
    if !wish.keep.is_empty() && matches!(Surgery::of(wish).cut(text), Cut::Nothing) {
        return false;
    }
    match &wish.about {
        About::Ids(ids) => ids.contains(&stored.id),
        About::Subject(subject) => {
            says(&Topic::of(subject), text) || names(facets, subject) || may_speak_of(subject, wish.own, text)
        }
        About::Query(query) => says(&Topic::as_words(query), text),
        About::Loose(query) => says(&Topic::as_words(query), text) || may_speak_of(query, wish.own, text),
        About::Session(named) => named == session,
        About::Tags(tags) => tags.iter().any(|tag| stored.tags.contains(&Tag::of(tag))),
        About::Sensitivity(category) => facets.privacy.sensitivity.contains(category),
        About::Tier(tier) => *tier == Tier::Working,
        About::Source(source) => facets.source.kind == *source,
        About::Conversation | About::LastSaid | About::Everything => true,
    }
}

/// Returns true when a text has a short form of a name in the subject, or holds what it asks for.
fn may_speak_of(subject: &str, is_own: bool, text: &str) -> bool {
    let names = Topic::of(subject);
    let mut names = names.names().iter();
    if names.any(|name| has_short_form(&name.written, text)) {
        return true;
    }
    let texts = ReadTexts::of([EvidenceText { text, people: Vec::new() }]);
    let evidence = Inquiry::of(subject, is_own).compare(&texts);
    evidence.iter().any(|evidence| evidence.holds && evidence.whom != Agreement::Other)
}

fn says(topic: &Topic, text: &str) -> bool {
    let fit = topic.fit(text);
    fit.exact || fit.named.is_some() || fit.literal > 0.0 || fit.covered >= 1.0
}

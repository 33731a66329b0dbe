//! Proposals of a language model about a request to forget, where one is configured for it.
//!
//! The model gets the request and short texts that are near it and not in the plan, by number. Whatever it answers, a
//! proposal is only offered: it goes when the confirmation names it. Without an answer the plan is as it was.

use std::collections::BTreeSet;

use lacuna_language::classify::{Meaning, classify};
use lacuna_language::identifiers::{CONFIDENT, cut_addresses, identifiers};
use lacuna_types::embed::Purpose;
use lacuna_types::request::{About, Target, Wish};
use lacuna_types::*;
use lacuna_types::{Error, Result};
use zeroize::Zeroizing;

use crate::forget::plan::{Look, Request, look, resolve};
use crate::index::Stored;
use crate::permit::{Forget, Grant};
use crate::vault::open::{Held, OpenVault};
use crate::vault::purpose::{Closed, is_for_language_model};
use crate::vault::reads::{Read, note_read};
use crate::vault::service::Service;
use crate::vault::stamp::settings_of;

/// Texts that the model chooses among.
const TEXTS_MAX: usize = 20;
/// Characters of a text, and of the request, that the model sees.
const TEXT_CHARS_SHOWN: usize = 200;
const REQUEST_CHARS_SHOWN: usize = 500;
/// Characters of a topic that the model names; a longer one is none.
const TOPIC_CHARS_MAX: usize = 80;
/// Proposals that a plan takes.
const PROPOSED_MAX: usize = 12;

/// The part that a language model had in a plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ModelPart {
    /// It answered; its proposals are in the plan.
    Answered,
    /// It gave no answer, or none that can be read; the plan is as it would be without it.
    Unanswered,
}

impl ModelPart {
    /// Returns the word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Unanswered => "unanswered",
        }
    }
}

/// A text that the model sees under its number.
struct SentText {
    id: MemoryId,
    text: Zeroizing<String>,
}

/// Asks the language model what a request in plain words means. Answers with its proposals, which the caller only offers;
/// `None` where it is not asked.
pub(crate) fn propose(
    service: &Service,
    grant: &Grant<Forget>,
    request: &Request,
    sought: &Look,
    closed: &Closed,
) -> Result<Option<(ModelPart, Vec<MemoryId>)>> {
    let (Some(llm), Target::Words(words)) = (&service.proposing_llm, &request.target) else {
        return Ok(None);
    };
    if !matches!(sought.wish.about, About::Subject(_) | About::Loose(_)) {
        return Ok(None);
    }
    let scope = grant.scope();
    let given = settings_of(&service.reader(scope))?.consented();
    let Some(asked) = sendable_request(service, words, &given)? else { return Ok(None) };
    let sent = service.serve(scope, |open| sendable_texts(service, open, grant, sought, closed, &given))?;
    let Some(sent) = sent.transpose()?.flatten() else { return Ok(None) };
    note_read(service, &Read::of(grant, "language_model", sent.iter().map(|one| one.id).collect()))?;
    let texts: Vec<&str> = sent.iter().map(|one| one.text.as_str()).collect();
    let answer = match llm.propose(&asked, &texts) {
        Ok(answer) => answer,
        Err(error) => {
            tracing::warn!(model = llm.name(), code = error.code(), "a plan goes on without the model");
            return Ok(Some((ModelPart::Unanswered, Vec::new())));
        }
    };
    let mut proposed: Vec<MemoryId> =
        answer.meant.iter().filter_map(|number| Some(sent.get(*number)?.id)).collect();
    proposed.extend(named_by_topic(service, grant, sought, &answer.topic)?);
    let mut seen = BTreeSet::new();
    proposed.retain(|id| seen.insert(*id));
    proposed.truncate(PROPOSED_MAX);
    Ok(Some((ModelPart::Answered, proposed)))
}

/// The request as the model sees it; `None` when it speaks of something that the owner has not consented to send.
fn sendable_request(
    service: &Service,
    words: &str,
    given: &[ConsentTopic],
) -> Result<Option<Zeroizing<String>>> {
    if !service.rules.scanner().scan(words).is_empty() {
        return Ok(None);
    }
    let vector = service.models.instant.embed(&[words], Purpose::Passage)?.pop();
    let vector = vector.ok_or_else(|| Error::corrupt("the model gave no vector"))?;
    let seen = classify(words, Some(&Meaning { prototypes: service.prototypes()?, vector: &vector }));
    // Every guess counts here: a text that is kept back for nothing costs little.
    let kinds: Vec<Sensitivity> = seen.sensitivity.iter().map(|judged| judged.value).collect();
    let may_go = is_for_language_model(seen.privacy.value, &kinds, given);
    Ok(may_go.then(|| masked(words, REQUEST_CHARS_SHOWN)))
}

/// The nearest texts that are not in the plan and may be sent; `None` when everything is in the plan.
fn sendable_texts(
    service: &Service,
    open: &OpenVault,
    grant: &Grant<Forget>,
    sought: &Look,
    closed: &Closed,
    given: &[ConsentTopic],
) -> Result<Option<Vec<SentText>>> {
    let rest = resolve(service, open, grant, sought)?.rest;
    if rest.is_empty() {
        return Ok(None);
    }
    let may_go = |stored: &Stored<'_, Held>| {
        let facets = &stored.payload.facets;
        let is_shown = matches!(stored.attributes.state, Lifecycle::Active | Lifecycle::Archived);
        let is_own_word = facets.source.trust == Trust::High && !facets.source.from_external_content;
        let privacy = &facets.privacy;
        is_shown
            && is_own_word
            && !facets.is_record()
            && !closed.hides(facets)
            && is_for_language_model(privacy.class, &privacy.sensitivity, given)
            && service.rules.scanner().scan(stored.payload.gist.expose()).is_empty()
    };
    let near = rest.iter().filter_map(|id| open.index.get(id)).filter(may_go).take(TEXTS_MAX);
    let sent = near.map(|stored| SentText {
        id: stored.id,
        text: masked(stored.payload.gist.expose(), TEXT_CHARS_SHOWN),
    });
    Ok(Some(sent.collect()))
}

/// The beginning of a text, with a word for each identifier and without street addresses.
fn masked(text: &str, chars_max: usize) -> Zeroizing<String> {
    let text = Zeroizing::new(cut_addresses(text).0);
    let mut masked = Zeroizing::new(String::with_capacity(text.len()));
    let mut from = 0;
    for found in identifiers(&text).into_iter().filter(|found| found.confidence >= CONFIDENT) {
        masked.push_str(&text[from..found.span.start]);
        masked.push_str(&format!("[{}]", found.kind.as_str()));
        from = found.span.end;
    }
    masked.push_str(&text[from..]);
    Zeroizing::new(masked.chars().take(chars_max).collect())
}

/// The memories that our own reader finds for the topic that the model names.
fn named_by_topic(
    service: &Service,
    grant: &Grant<Forget>,
    sought: &Look,
    topic: &str,
) -> Result<Vec<MemoryId>> {
    let topic = topic.trim();
    if topic.is_empty() || topic.chars().count() > TOPIC_CHARS_MAX || topic.contains(char::is_control) {
        return Ok(Vec::new());
    }
    let wish = Wish { about: About::Subject(topic.to_owned()), ..sought.wish.clone() };
    let again = look(service, grant.scope(), wish, None, false, sought.mode)?;
    let found = service.serve(grant.scope(), |open| resolve(service, open, grant, &again))?;
    let found = found.transpose()?.map(|found| found.matches).unwrap_or_default();
    Ok(found.into_iter().filter(|one| !one.offered).map(|one| one.id).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_and_addresses_are_not_shown_and_the_rest_is_cut() {
        let shown = masked("Write to ines@heron.example or call +44 20 7946 0018.", 200);
        assert_eq!(*shown, "Write to [email] or call [phone].");
        let shown = masked("I moved to 14 Alder Road, Norwich.", 200);
        assert!(!shown.contains("Alder") && shown.contains("Norwich"), "{}", *shown);
        assert_eq!(*masked("grüße aus Köln", 5), "grüße");
    }
}

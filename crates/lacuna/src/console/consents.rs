//! Consents: what I allowed to be kept about sensitive matters, since when, and how to take it back.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::response::Html;
use lacuna_core::vault::Consent;
use lacuna_core::{Consents, Proposals};
use lacuna_types::policy::Policy;
use lacuna_types::{ConsentTopic, MemoryId, Sensitivity};
use maud::{Markup, html};

use super::form::SentForm;
use super::guard::Visitor;
use super::language::filled;
use super::layout::{Chapter, key, notice, page};
use super::text::said;
use crate::http::App;
use crate::wire::failure::{Failure, Result};

pub(super) async fn show(
    State(app): State<App>,
    Extension(visitor): Extension<Arc<Visitor>>,
) -> Result<Html<String>> {
    consents_page(&app, &visitor, &html! {}).await
}

async fn consents_page(app: &App, visitor: &Visitor, above: &Markup) -> Result<Html<String>> {
    let (caller, scope) = (visitor.caller.clone(), visitor.caller.personal_scope());
    let ((given, topics), _) = app
        .call_in(caller, scope, |core, grant| {
            let policy = core.policy(&grant.scope().org);
            Ok((Consents::of(core).list(grant)?, topics(policy, Proposals::of(core).are_asked_for())))
        })
        .await?;
    let texts = visitor.language.texts();
    let body = html! { (above) (list(visitor, &given)) (give_form(visitor, &topics)) };
    Ok(page(visitor, Chapter::Consents, texts.nav_consents, &body))
}

fn list(visitor: &Visitor, given: &[Consent]) -> Markup {
    let language = visitor.language;
    let texts = language.texts();
    html! {
        p class="lead" { (texts.consents_lead) }
        @if given.is_empty() { p class="empty" { (texts.consents_none) } }
        @for consent in given {
            section class="card consent" {
                h2 { (language.word("consent", consent.topic.as_str())) }
                p { (texts.consent_purpose) ": " (said(&consent.purpose)) }
                p class="hint" { (texts.consent_since) " " (language.moment(consent.given_at)) }
                form method="post" action="/console/consents" {
                    (key(visitor))
                    input type="hidden" name="category" value=(consent.topic.as_str());
                    button class="second" name="do" value="revoke" { (texts.consent_revoke) }
                }
            }
        }
    }
}

/// The topics that the policy, or the use of a language model, wants a consent for.
fn topics(policy: &Policy, asks_language_model: bool) -> Vec<ConsentTopic> {
    let is_wanted = |topic: &ConsentTopic| match (topic.sensitivity(), topic) {
        (Some(one), _) => Sensitivity::needing_consent(&[one]) == [one],
        (None, ConsentTopic::Patterns) => policy.pattern_consent,
        (None, ConsentTopic::LanguageModel) => asks_language_model,
        (None, _) => policy.retention.long_term_consent,
    };
    ConsentTopic::ALL.iter().copied().filter(is_wanted).collect()
}

fn give_form(visitor: &Visitor, topics: &[ConsentTopic]) -> Markup {
    let language = visitor.language;
    let texts = language.texts();
    html! {
        form method="post" action="/console/consents" class="card" {
            (key(visitor))
            h2 { (texts.consent_give) }
            label for="category" { (texts.consent_category) }
            select id="category" name="category" {
                @for one in topics {
                    option value=(one.as_str()) { (language.word("consent", one.as_str())) }
                }
            }
            label for="purpose" { (texts.consent_purpose) }
            input id="purpose" name="purpose" required maxlength="200" value=(texts.consent_purpose_default);
            p class="hint" { (texts.consent_hint) }
            button name="do" value="give" { (texts.consent_give_do) }
        }
    }
}

/// Gives or revokes a consent.
pub(super) async fn change(
    State(app): State<App>,
    Extension(visitor): Extension<Arc<Visitor>>,
    form: SentForm,
) -> Result<Html<String>> {
    let topic: ConsentTopic =
        form.word("category")?.ok_or_else(|| Failure::invalid("category", "must not be empty"))?;
    let (caller, scope) = (visitor.caller.clone(), visitor.caller.personal_scope());
    let language = visitor.language;
    let texts = language.texts();
    let above = match form.required("do")? {
        "give" => {
            let purpose = form.required("purpose")?.to_owned();
            let (given, _) = app
                .call_in(caller, scope, move |core, grant| Consents::of(core).give(grant, topic, &purpose))
                .await?;
            notice(
                "good",
                &filled(texts.consent_given, &[&language.counted(given.released.len(), texts.memories)]),
            )
        }
        "revoke" => {
            let (revoked, _) = app
                .call_in(caller, scope, move |core, grant| Consents::of(core).revoke(grant, topic))
                .await?;
            still_kept(&visitor, &revoked.kept)
        }
        _ => return Err(Failure::invalid("do", "must be give or revoke")),
    };
    consents_page(&app, &visitor, &above).await
}

/// The memories that were kept with a consent that is over now, and a way to forget them.
fn still_kept(visitor: &Visitor, kept: &[MemoryId]) -> Markup {
    let language = visitor.language;
    let texts = language.texts();
    let shown = &kept[..kept.len().min(lacuna_core::forget::FORGET_IDS_MAX)];
    html! {
        (notice("plain", &filled(texts.consent_revoked, &[&language.counted(kept.len(), texts.memories)])))
        @if !shown.is_empty() {
            form method="post" action="/console/forget" {
                (key(visitor))
                @for id in shown { input type="hidden" name="ids" value=(id); }
                button class="danger" { (texts.consent_forget_kept) }
            }
        }
    }
}

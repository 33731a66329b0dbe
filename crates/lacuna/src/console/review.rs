//! Review: notes and held sentences that wait for a word, in bulk; and the monthly look at what is kept.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Query as UrlQuery, State};
use axum::response::{Html, IntoResponse, Redirect, Response};
use lacuna_core::govern::{Answer, Decision, Month, MonthPage, REVIEW_PAGE_MAX};
use lacuna_core::permit::permit;
use lacuna_types::{Memory, MemoryId, Wait};
use maud::{Markup, html};

use super::form::SentForm;
use super::guard::Visitor;
use super::language::{PageLanguage, filled};
use super::layout::{Chapter, facts, key, marks, notice, page};
use super::text::said;
use crate::http::App;
use crate::wire::failure::{Failure, Result};
use crate::wire::{read_cursor, write_cursor};

/// Memories on one page of the review.
const PAGE_SIZE: usize = 100;
const _: () = assert!(PAGE_SIZE <= REVIEW_PAGE_MAX);

/// A place in the review.
#[derive(serde::Deserialize)]
pub(super) struct ReviewPlace {
    cursor: Option<String>,
    decided: Option<usize>,
}

pub(super) async fn show(
    State(app): State<App>,
    Extension(visitor): Extension<Arc<Visitor>>,
    UrlQuery(place): UrlQuery<ReviewPlace>,
) -> Result<Html<String>> {
    let after = place.cursor.as_deref().map(read_cursor).transpose()?;
    let (caller, scope) = (visitor.caller.clone(), visitor.caller.personal_scope());
    let (found, _) =
        app.call_in(caller, scope, move |core, grant| core.candidates(grant, after, PAGE_SIZE)).await?;
    let language = visitor.language;
    let texts = language.texts();
    let body = html! {
        @if let Some(decided) = place.decided {
            (notice("good", &filled(texts.review_decided, &[&language.counted(decided, texts.memories)])))
        }
        p class="lead" { (texts.review_lead) }
        p { a href="/console/review/month" { (texts.month_link) } }
        @if found.memories.is_empty() {
            p class="empty" { (texts.review_empty) }
        } @else {
            form method="post" action="/console/review" data-bulk="" {
                (key(&visitor))
                @for memory in &found.memories { (candidate(language, memory)) }
                div class="buttons sticky" {
                    button name="do" value="accept" { (texts.review_accept) }
                    " " button class="second" name="do" value="keep_both" { (texts.review_keep_both) }
                    " " button class="danger" name="do" value="reject" { (texts.review_reject) }
                }
                p class="hint" { (texts.review_hint) }
            }
        }
        @if let Some(next) = found.next {
            p class="more" { a class="button" rel="next" href={ "/console/review?cursor=" (write_cursor(next)) } { (texts.older) } }
        }
    };
    Ok(page(&visitor, Chapter::Review, texts.nav_review, &body))
}

fn candidate(language: PageLanguage, memory: &Memory) -> Markup {
    let texts = language.texts();
    let waits = memory.facets.history.waits;
    let why = waits.map_or_else(|| texts.note_waits.to_owned(), |wait| language.word("waits", wait.as_str()));
    html! {
        label class="tick entry" {
            input type="checkbox" name="ids" value=(memory.id);
            span {
                (said(memory.content.full_text().expose()))
                span class="marks" { (language.moment(memory.created_at)) (marks(language, memory)) span class="mark strong" { (why) } }
                @if waits == Some(Wait::Consent) { span class="hint" { (texts.held_hint) " " a href="/console/consents" { (texts.nav_consents) } } }
            }
        }
    }
}

/// Decides about everything that is ticked.
pub(super) async fn decide(
    State(app): State<App>,
    Extension(visitor): Extension<Arc<Visitor>>,
    form: SentForm,
) -> Result<Response> {
    let ids = form.ids("ids")?;
    let what = form.required("do")?.to_owned();
    let count = ids.len();
    if count == 0 {
        return Ok(Redirect::to("/console/review").into_response());
    }
    let decisions = ids.into_iter().map(|id| Ok((id, decision(&what)?))).collect::<Result<Vec<_>>>()?;
    let (caller, scope) = (visitor.caller.clone(), visitor.caller.personal_scope());
    app.call_in(caller, scope, move |core, grant| core.decide(grant, decisions)).await?;
    Ok(Redirect::to(&format!("/console/review?decided={count}")).into_response())
}

fn decision(word: &str) -> Result<Decision> {
    match word {
        "accept" => Ok(Decision::Accept { keep_both: false }),
        "keep_both" => Ok(Decision::Accept { keep_both: true }),
        "reject" => Ok(Decision::Reject),
        _ => Err(Failure::invalid("do", "is not a decision")),
    }
}

/// The vault at a glance, with what is worth a decision.
pub(super) async fn month(
    State(app): State<App>,
    Extension(visitor): Extension<Arc<Visitor>>,
) -> Result<Html<String>> {
    month_page(&app, &visitor, None).await
}

async fn month_page(app: &App, visitor: &Visitor, told: Option<Markup>) -> Result<Html<String>> {
    let (caller, scope) = (visitor.caller.clone(), visitor.caller.personal_scope());
    let ((month, items), _) = app
        .call_in(caller, scope, |core, grant| {
            Ok((core.review_month(grant)?, core.review_items(grant, None, None, PAGE_SIZE)?))
        })
        .await?;
    let texts = visitor.language.texts();
    let body = html! { @if let Some(told) = told { (told) } (month_body(visitor, &month, &items)) };
    Ok(page(visitor, Chapter::Review, texts.month_title, &body))
}

fn month_body(visitor: &Visitor, month: &Month, items: &MonthPage) -> Markup {
    let language = visitor.language;
    let texts = language.texts();
    let number = |count: usize| html! { (language.number(count)) };
    html! {
        (facts(&[
            (texts.nav_memory, number(month.memories)),
            (texts.month_expiring, number(month.expiring_soon)),
            (texts.month_to_review, number(month.to_review)),
        ]))
        @if items.items.is_empty() { p class="empty" { (texts.month_nothing) } }
        @if !items.items.is_empty() {
            form method="post" action="/console/review/month" data-bulk="" {
                (key(visitor))
                input type="hidden" name="seen" value=(month.mark);
                @for item in &items.items {
                    label class="tick entry" {
                        input type="checkbox" name="ids" value=(item.id);
                        span {
                            @match &item.memory {
                                Some(memory) => (said(memory.content.gist.expose())),
                                None => em { (texts.month_hidden) },
                            }
                            span class="marks" {
                                (language.moment(item.created_at))
                                span class="mark strong" { (language.word("review", item.reason.as_str())) }
                                @if let Some(at) = item.term.expires_at { span class="mark" { (texts.kept_until) " " (language.day(at)) } }
                            }
                        }
                    }
                }
                div class="buttons sticky" {
                    button name="do" value="keep" { (texts.month_keep) }
                    " " button class="danger" name="do" value="erase" { (texts.month_erase) }
                }
            }
        }
        p { a href="/console/review" { (texts.nav_review) } }
    }
}

/// Keeps or erases what is ticked.
pub(super) async fn answer(
    State(app): State<App>,
    Extension(visitor): Extension<Arc<Visitor>>,
    form: SentForm,
) -> Result<Html<String>> {
    let ids: Vec<MemoryId> = form.ids("ids")?;
    if ids.is_empty() {
        return month_page(&app, &visitor, None).await;
    }
    let answer = match form.required("do")? {
        "keep" => Answer::Keep(ids),
        "erase" => Answer::Erase(ids),
        _ => return Err(Failure::invalid("do", "is not a decision")),
    };
    let (caller, seen) = (visitor.caller.clone(), form.required("seen")?.to_owned());
    let answered = app
        .call(move |core| core.answer_review(&permit(&caller, &caller.personal_scope())?, &seen, &answer))
        .await?;
    let texts = visitor.language.texts();
    let kept = visitor.language.number(answered.kept.len());
    let erased = visitor.language.number(answered.erased.len() + answered.fell.len());
    let told = html! {
        (notice("good", &filled(texts.month_done, &[&kept, &erased])))
        @for signed in &answered.receipts {
            p { a href={ "/console/receipts/" (signed.receipt.number) } { (texts.show_receipt) " " (signed.receipt.reference()) } }
        }
    };
    month_page(&app, &visitor, Some(told)).await
}

//! "Do you remember anything about …?": what is still there, and which receipts say that it was forgotten.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::response::Html;
use lacuna_core::forget::Verified;
use lacuna_core::permit::{Recall, permit};
use lacuna_types::{Memory, MemoryId};
use maud::{Markup, html};

use super::form::SentForm;
use super::guard::Visitor;
use super::language::filled;
use super::layout::{Chapter, entry, key, notice, page};
use super::text::said;
use crate::http::App;
use crate::wire::failure::Result;
use crate::wire::read_number;

/// Memories of an answer that are shown; all are counted.
const SHOWN_MAX: usize = 50;

pub(super) async fn show(Extension(visitor): Extension<Arc<Visitor>>) -> Html<String> {
    page(&visitor, Chapter::Ask, visitor.language.texts().ask_title, &form_body(&visitor, ""))
}

fn form_body(visitor: &Visitor, about: &str) -> Markup {
    let texts = visitor.language.texts();
    html! {
        p class="lead" { (texts.ask_lead) }
        form method="post" action="/console/ask" class="search" {
            (key(visitor))
            label for="about" class="unseen" { (texts.ask_label) }
            input id="about" name="about" value=(about) placeholder=(texts.ask_placeholder) autocomplete="off" required maxlength="2000";
            button { (texts.ask_do) }
        }
    }
}

pub(super) async fn answer(
    State(app): State<App>,
    Extension(visitor): Extension<Arc<Visitor>>,
    form: SentForm,
) -> Result<Html<String>> {
    let about = form.required("about")?.to_owned();
    let (caller, asked) = (visitor.caller.clone(), about.clone());
    let (verified, memories) = app
        .call(move |core| {
            let grant = permit::<Recall>(&caller, &caller.personal_scope())?;
            let verified = core.verify_forgotten(&grant, &asked)?;
            let ids: Vec<MemoryId> = verified.direct.iter().chain(&verified.indirect).copied().collect();
            let memories: Vec<Memory> =
                ids.into_iter().take(SHOWN_MAX).filter_map(|id| core.get(&grant, id).ok()).collect();
            Ok((verified, memories))
        })
        .await?;
    let body = html! { (form_body(&visitor, &about)) (told(&visitor, &about, &verified, &memories)) };
    Ok(page(&visitor, Chapter::Ask, visitor.language.texts().ask_title, &body))
}

fn told(visitor: &Visitor, about: &str, verified: &Verified, memories: &[Memory]) -> Markup {
    let language = visitor.language;
    let texts = language.texts();
    let (direct, possible): (Vec<&Memory>, Vec<&Memory>) =
        memories.iter().partition(|memory| verified.direct.contains(&memory.id));
    html! {
        @if verified.direct.is_empty() && verified.indirect.is_empty() {
            (notice("good", texts.ask_nothing))
        } @else {
            p role="status" {
                (filled(texts.ask_found, &[
                    &language.counted(verified.direct.len(), texts.memories),
                    &language.counted(verified.indirect.len(), texts.memories),
                ]))
            }
            @for (title, memories) in [(texts.plan_direct, direct), (texts.plan_possible, possible)] {
                @if !memories.is_empty() {
                    section { h2 { (title) } @for memory in memories { (entry(language, memory, &html! {})) } }
                }
            }
            form method="post" action="/console/forget" {
                (key(visitor))
                input type="hidden" name="words" value=(about);
                button class="danger" { (texts.ask_forget) " " (said(about)) }
            }
        }
        @if !verified.receipts.is_empty() {
            section class="card" {
                h2 { (texts.ask_receipts) }
                ul {
                    @for (reference, at) in &verified.receipts {
                        li {
                            @match read_number("receipt", reference) {
                                Ok(number) => a href={ "/console/receipts/" (number) } { (reference) },
                                Err(_) => (reference),
                            }
                            " · " (language.moment(*at))
                        }
                    }
                }
            }
        }
    }
}

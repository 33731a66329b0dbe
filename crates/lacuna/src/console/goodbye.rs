//! Export and goodbye: my data to take along, and the destruction of everything, twice confirmed.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::response::{Html, Response};
use lacuna_core::permit::{Export, permit};
use lacuna_core::transfer::{Format, Wanted};
use maud::{Markup, html};
use zeroize::Zeroizing;

use super::form::SentForm;
use super::guard::Visitor;
use super::language::filled;
use super::layout::{Chapter, key, notice, page};
use super::receipts;
use crate::http::{App, stream_export};
use crate::passphrase::refuse_weak;
use crate::wire::failure::{Failure, Result};

pub(super) async fn show(Extension(visitor): Extension<Arc<Visitor>>) -> Html<String> {
    let texts = visitor.language.texts();
    let body = html! { (export_form(&visitor)) (destroy_form(&visitor)) };
    page(&visitor, Chapter::Goodbye, texts.nav_goodbye, &body)
}

fn export_form(visitor: &Visitor) -> Markup {
    let texts = visitor.language.texts();
    html! {
        form method="post" action="/console/goodbye/export" class="card" {
            (key(visitor))
            h2 { (texts.export_title) }
            p { (texts.export_lead) }
            fieldset class="choice" {
                legend { (texts.export_format) }
                label class="tick" { input type="radio" name="format" value="json" checked; " JSON" }
                label class="tick" { input type="radio" name="format" value="markdown"; " Markdown" }
            }
            label class="tick" { input type="checkbox" name="health" value="yes"; " " (texts.export_health) }
            label for="passphrase" { (texts.export_passphrase) }
            input id="passphrase" name="passphrase" type="password" autocomplete="new-password";
            p class="hint" { (texts.export_hint) }
            button { (texts.export_do) }
        }
    }
}

fn destroy_form(visitor: &Visitor) -> Markup {
    let texts = visitor.language.texts();
    html! {
        form method="post" action="/console/goodbye/plan" class="card danger-zone" {
            (key(visitor))
            h2 { (texts.destroy_title) }
            p { (texts.destroy_lead) }
            button class="danger" { (texts.destroy_plan) }
        }
    }
}

/// Answers with the export as a file.
pub(super) async fn export(
    State(app): State<App>,
    Extension(visitor): Extension<Arc<Visitor>>,
    form: SentForm,
) -> Result<Response> {
    let format = match form.text("format") {
        Some("markdown") => Format::Markdown,
        _ => Format::Json,
    };
    let wanted = Wanted { include_health: form.is_ticked("health"), ..Wanted::everything_but_health(format) };
    let grant = permit::<Export>(&visitor.caller, &visitor.caller.personal_scope())?;
    let passphrase = form.text("passphrase").map(|text| Zeroizing::new(text.to_owned()));
    passphrase.as_deref().map_or(Ok(()), |text| refuse_weak(text, false))?;
    stream_export(&app, grant, wanted, passphrase).await
}

/// Says what would go, and asks for the second yes.
pub(super) async fn plan(
    State(app): State<App>,
    Extension(visitor): Extension<Arc<Visitor>>,
    _form: SentForm,
) -> Result<Html<String>> {
    let (caller, scope) = (visitor.caller.clone(), visitor.caller.personal_scope());
    let (plan, _) = app.call_in(caller, scope, |core, grant| core.plan_destroy(grant)).await?;
    let language = visitor.language;
    let texts = language.texts();
    let name = visitor.caller.user.as_str();
    let body = html! {
        p class="lead" { (filled(texts.destroy_would, &[&language.counted(plan.memories as usize, texts.memories)])) }
        form method="post" action="/console/goodbye/destroy" class="card danger-zone" {
            (key(&visitor))
            input type="hidden" name="token" value=(plan.token);
            label for="name" { (filled(texts.destroy_type, &[name])) }
            input id="name" name="name" autocomplete="off" required;
            p class="hint" { (texts.plan_expires) " " (language.moment(plan.expires_at)) }
            button class="danger" { (texts.destroy_do) }
            " " a href="/console/goodbye" { (texts.plan_leave) }
        }
    };
    Ok(page(&visitor, Chapter::Goodbye, texts.destroy_title, &body))
}

pub(super) async fn destroy(
    State(app): State<App>,
    Extension(visitor): Extension<Arc<Visitor>>,
    form: SentForm,
) -> Result<Html<String>> {
    if form.text("name") != Some(visitor.caller.user.as_str()) {
        return Err(Failure::invalid("name", "is not the name that was asked for; nothing was destroyed"));
    }
    let token = form.required("token")?.to_owned();
    let (caller, scope) = (visitor.caller.clone(), visitor.caller.personal_scope());
    let (gone, _) = app.call_in(caller, scope, move |core, grant| core.destroy(grant, &token)).await?;
    let language = visitor.language;
    let texts = language.texts();
    let counts = [gone.counts.records, gone.counts.keys].map(|count| language.number(count as usize));
    let body = html! {
        (notice("good", &filled(texts.destroyed, &[&counts[0], &counts[1]])))
        @if let Some(signed) = &gone.receipt { (receipts::sheet(language, signed, false)) }
    };
    Ok(page(&visitor, Chapter::Goodbye, texts.destroyed_title, &body))
}

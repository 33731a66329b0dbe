//! A passphrase of one's own over the vault: set, changed, recovered, taken away; unlocked and locked on this server.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Redirect, Response};
use jiff::{SignedDuration, Timestamp};
use lacuna_core::govern::{LockState, VaultSecret};
use lacuna_core::permit::{Caller, permit};
use lacuna_core::{Lacuna, VaultLocks};
use maud::{Markup, html};
use zeroize::Zeroizing;

use super::form::SentForm;
use super::guard::Visitor;
use super::language::PageLanguage;
use super::layout::{Chapter, key, notice, page};
use crate::http::App;
use crate::passphrase::refuse_weak;
use crate::wire::failure::{Failure, Result};

/// Minutes for which the page offers to unlock a vault. The second one is chosen.
const MINUTES_OFFERED: [u16; 4] = [15, 60, 240, 720];
const MINUTES_CHOSEN: u16 = 60;
const MINUTES_PER_HOUR: u16 = 60;

/// The outcome of a form.
enum FormOutcome {
    /// The vault is under a new passphrase, with a code that is shown this once.
    Protected(Zeroizing<String>),
    Unlocked,
    Locked,
    Removed,
}

pub(super) async fn show(
    State(app): State<App>,
    Extension(visitor): Extension<Arc<Visitor>>,
) -> Result<Html<String>> {
    protection_page(&app, &visitor, &html! {}).await
}

/// The page in place of one that a locked vault does not give.
pub(super) fn locked_page(visitor: &Visitor) -> Response {
    (StatusCode::LOCKED, sheet(visitor, &html! {}, LockState { is_protected: true, unlocked_until: None }))
        .into_response()
}

async fn protection_page(app: &App, visitor: &Visitor, above: &Markup) -> Result<Html<String>> {
    let (caller, scope) = (visitor.caller.clone(), visitor.caller.personal_scope());
    let (state, _) = app.call_in(caller, scope, |core, grant| VaultLocks::of(core).state(grant)).await?;
    Ok(sheet(visitor, above, state))
}

fn sheet(visitor: &Visitor, above: &Markup, state: LockState) -> Html<String> {
    let texts = visitor.language.texts();
    let (title, body) = match state {
        LockState { is_protected: false, .. } => (texts.nav_protection, unprotected(visitor)),
        LockState { unlocked_until: None, .. } => (texts.protection_locked_title, locked(visitor)),
        LockState { unlocked_until: Some(until), .. } => (texts.nav_protection, unlocked(visitor, until)),
    };
    page(visitor, Chapter::Protection, title, &html! { (above) (body) })
}

fn unprotected(visitor: &Visitor) -> Markup {
    let texts = visitor.language.texts();
    html! {
        p class="lead" { (texts.protection_lead) }
        form method="post" action="/console/protection" class="card" {
            (key(visitor))
            (new_fields(visitor.language))
            p { strong { (texts.protection_lost) } }
            label class="tick" { input type="checkbox" name="understood" value="yes" required; " " (texts.protection_understood) }
            button name="do" value="protect" { (texts.protection_do) }
        }
    }
}

fn locked(visitor: &Visitor) -> Markup {
    let language = visitor.language;
    let texts = language.texts();
    html! {
        p class="lead" { (texts.protection_locked) }
        form method="post" action="/console/protection" class="card" {
            (key(visitor))
            (present_field(visitor.language, "passphrase", true))
            label for="minutes" { (texts.protection_how_long) }
            select id="minutes" name="minutes" {
                @for minutes in MINUTES_OFFERED {
                    option value=(minutes) selected[minutes == MINUTES_CHOSEN] { (span(language, minutes)) }
                }
            }
            p class="hint" { (texts.protection_unlock_hint) }
            button name="do" value="unlock" { (texts.protection_unlock) }
        }
        details class="card" {
            summary { (texts.protection_forgotten) }
            form method="post" action="/console/protection" {
                (key(visitor))
                label for="code" { (texts.protection_code) }
                input id="code" name="recovery_code" type="password" autocomplete="off" spellcheck="false" required;
                (new_fields(visitor.language))
                button name="do" value="change" { (texts.protection_recover_do) }
            }
        }
    }
}

fn unlocked(visitor: &Visitor, until: Timestamp) -> Markup {
    let language = visitor.language;
    let texts = language.texts();
    html! {
        p class="lead" { (texts.protection_open) " " (language.moment(until)) "." }
        form method="post" action="/console/protection" class="card" {
            (key(visitor))
            p { (texts.protection_unlock_hint) }
            button name="do" value="lock" { (texts.protection_lock) }
        }
        details class="card" {
            summary { (texts.protection_change) }
            form method="post" action="/console/protection" {
                (key(visitor))
                (present_field(visitor.language, "present", false))
                (new_fields(visitor.language))
                button name="do" value="change" { (texts.protection_change_do) }
            }
        }
        details class="card danger-zone" {
            summary { (texts.protection_remove) }
            p { (texts.protection_remove_lead) }
            form method="post" action="/console/protection" {
                (key(visitor))
                (present_field(visitor.language, "leaving", false))
                button class="danger" name="do" value="remove" { (texts.protection_remove_do) }
            }
        }
    }
}

/// The field for the passphrase that the vault has now.
fn present_field(language: PageLanguage, id: &'static str, is_first: bool) -> Markup {
    html! {
        label for=(id) { (language.texts().protection_passphrase) }
        input id=(id) name="passphrase" type="password" autocomplete="current-password" required autofocus[is_first];
    }
}

/// The fields for a new passphrase; typed blindly, so typed twice.
fn new_fields(language: PageLanguage) -> Markup {
    let texts = language.texts();
    html! {
        label for="new" { (texts.protection_new) }
        input id="new" name="new" type="password" autocomplete="new-password" required;
        p class="hint" { (texts.protection_new_hint) }
        label for="again" { (texts.protection_again) }
        input id="again" name="again" type="password" autocomplete="new-password" required;
    }
}

fn span(language: PageLanguage, minutes: u16) -> String {
    let texts = language.texts();
    match minutes / MINUTES_PER_HOUR {
        0 => language.counted(minutes.into(), texts.minutes),
        hours => language.counted(hours.into(), texts.hours),
    }
}

/// Does what a form of this page asks for.
pub(super) async fn change(
    State(app): State<App>,
    Extension(visitor): Extension<Arc<Visitor>>,
    form: SentForm,
) -> Result<Response> {
    let texts = visitor.language.texts();
    let outcome = match mistake(&form, visitor.language) {
        Some(told) => Err((StatusCode::UNPROCESSABLE_ENTITY, told)),
        None => {
            let caller = visitor.caller.clone();
            match app.work(move |core| act(core, &caller, &form)).await {
                Ok(outcome) => Ok(outcome),
                Err(failure) => Err(explained(failure, visitor.language)?),
            }
        }
    };
    let told = match outcome {
        Ok(FormOutcome::Protected(code)) => return Ok(code_page(&visitor, &code).into_response()),
        Ok(FormOutcome::Unlocked) => return Ok(Redirect::to("/").into_response()),
        Ok(FormOutcome::Locked) => (StatusCode::OK, notice("good", texts.protection_now_locked)),
        Ok(FormOutcome::Removed) => (StatusCode::OK, notice("good", texts.protection_removed)),
        Err((status, told)) => (status, notice("bad", told)),
    };
    Ok((told.0, protection_page(&app, &visitor, &told.1).await?).into_response())
}

/// The mistake of a form that can be seen without the vault.
fn mistake(form: &SentForm, language: PageLanguage) -> Option<&'static str> {
    let texts = language.texts();
    let is_first = form.text("do") == Some("protect");
    if form.all("new").ne(form.all("again")) {
        return Some(texts.protection_differ);
    }
    (is_first && !form.is_ticked("understood")).then_some(texts.protection_unticked)
}

/// The status and the words for a refusal that the person can mend on the same page.
fn explained(failure: Failure, language: PageLanguage) -> Result<(StatusCode, &'static str)> {
    let texts = language.texts();
    let words = match failure.code.name {
        "wrong_secret" => texts.protection_wrong,
        "too_many_tries" => texts.protection_wait,
        "weak_passphrase" => texts.protection_weak,
        _ => return Err(failure),
    };
    Ok((StatusCode::from_u16(failure.code.status).unwrap_or(StatusCode::FORBIDDEN), words))
}

fn act(core: &Lacuna, caller: &Caller, form: &SentForm) -> Result<FormOutcome> {
    let (grant, locks) = (permit(caller, &caller.personal_scope())?, VaultLocks::of(core));
    match form.required("do")? {
        "protect" => Ok(FormOutcome::Protected(locks.protect(&grant, new_passphrase(form)?)?)),
        "change" => {
            Ok(FormOutcome::Protected(locks.change(&grant, &present(form), new_passphrase(form)?)?))
        }
        "unlock" => {
            let minutes: i64 = form.text("minutes").and_then(|text| text.parse().ok()).unwrap_or(0);
            locks.unlock(&grant, form.secret("passphrase"), Some(SignedDuration::from_mins(minutes)))?;
            Ok(FormOutcome::Unlocked)
        }
        "lock" => locks.lock(&grant).map(|_| FormOutcome::Locked).map_err(Failure::from),
        "remove" => {
            locks.unprotect(&grant, &present(form)).map(|()| FormOutcome::Removed).map_err(Failure::from)
        }
        _ => Err(Failure::invalid("do", "must be protect, change, unlock, lock or remove")),
    }
}

fn new_passphrase(form: &SentForm) -> Result<&str> {
    let passphrase = form.secret("new");
    refuse_weak(passphrase, false)?;
    Ok(passphrase)
}

fn present(form: &SentForm) -> VaultSecret<'_> {
    match form.text("recovery_code") {
        Some(code) => VaultSecret::RecoveryCode(code),
        None => VaultSecret::Passphrase(form.secret("passphrase")),
    }
}

/// The recovery code, shown this once.
fn code_page(visitor: &Visitor, code: &str) -> Html<String> {
    let texts = visitor.language.texts();
    let body = html! {
        p class="lead" { (texts.protection_done) }
        section class="card" {
            pre class="code" { code { (code) } }
            p { strong { (texts.protection_lost) } }
        }
        p { (texts.protection_done_next) }
        p { a class="button" href="/console/protection" { (texts.continue_here) } }
    };
    page(visitor, Chapter::Protection, texts.protection_done_title, &body)
}

//! Receipts as pages for people: to read, to print, to save, and to verify in the browser.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, Query as UrlQuery, State};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{Html, IntoResponse, Response};
use lacuna_core::vault::{Receipt, SignedReceipt};
use maud::{Markup, html};

use super::guard::Visitor;
use super::language::{PageLanguage, filled};
use super::layout::{Chapter, facts, page};
use crate::http::App;
use crate::wire::failure::Result;
use crate::wire::{ReceiptView, read_number};

/// A place in the list.
#[derive(serde::Deserialize)]
pub(super) struct ReceiptPlace {
    after: Option<u64>,
}

pub(super) async fn list(
    State(app): State<App>,
    Extension(visitor): Extension<Arc<Visitor>>,
    UrlQuery(place): UrlQuery<ReceiptPlace>,
) -> Result<Html<String>> {
    let (caller, scope) = (visitor.caller.clone(), visitor.caller.personal_scope());
    let after = place.after.unwrap_or(0);
    let ((receipts, verifying), _) = app
        .call_in(caller, scope, move |core, grant| Ok((core.receipts(grant, after)?, core.verifying_key()?)))
        .await?;
    let language = visitor.language;
    let texts = language.texts();
    let body = html! {
        p class="lead" { (texts.receipts_lead) }
        section class="card" {
            h2 { (texts.receipts_key) }
            p { (texts.receipts_key_hint) }
            p { code class="long" { (verifying) } }
        }
        @if receipts.is_empty() { p class="empty" { (texts.nothing_here) } }
        @if !receipts.is_empty() {
            div class="scroll" tabindex="0" role="region" aria-label=(texts.nav_receipts) {
                table {
                    thead { tr {
                        th scope="col" { (texts.number) } th scope="col" { (texts.when) }
                        th scope="col" { (texts.why) } th scope="col" { (texts.keys_destroyed) } th scope="col" { (texts.found_after) }
                    } }
                    tbody { @for signed in receipts.iter().rev() { (row(language, &signed.receipt)) } }
                }
            }
        }
        @if let Some(last) = receipts.last() {
            p class="more" { a href={ "/console/receipts?after=" (last.receipt.number) } { (texts.newer) } }
        }
    };
    Ok(page(&visitor, Chapter::Receipts, texts.nav_receipts, &body))
}

fn row(language: PageLanguage, receipt: &Receipt) -> Markup {
    let found: u32 = receipt.probes.iter().map(|probed| probed.found).sum();
    html! {
        tr {
            td { a href={ "/console/receipts/" (receipt.number) } { (receipt.reference()) } }
            td { (language.moment(receipt.at)) }
            td { (language.word("cause", receipt.cause.as_str())) }
            td { (language.number(receipt.counts.keys_destroyed as usize)) }
            td { (language.number(found as usize)) }
        }
    }
}

pub(super) async fn show(
    State(app): State<App>,
    Extension(visitor): Extension<Arc<Visitor>>,
    Path(number): Path<String>,
) -> Result<Html<String>> {
    let signed = fetch(&app, &visitor, &number).await?;
    let title = filled(visitor.language.texts().receipt_title, &[&signed.receipt.reference()]);
    let body = sheet(visitor.language, &signed, true);
    Ok(page(&visitor, Chapter::Receipts, &title, &body))
}

/// The file that can be kept, and verified without this server.
pub(super) async fn file(
    State(app): State<App>,
    Extension(visitor): Extension<Arc<Visitor>>,
    Path(number): Path<String>,
) -> Result<Response> {
    let signed = fetch(&app, &visitor, &number).await?;
    let name = format!("attachment; filename=\"{}.json\"", signed.receipt.reference());
    let headers = [(CONTENT_TYPE, "application/json".to_owned()), (CONTENT_DISPOSITION, name)];
    Ok((headers, json(&signed)).into_response())
}

async fn fetch(app: &App, visitor: &Visitor, number: &str) -> Result<SignedReceipt> {
    let number = read_number("receipt", number)?;
    let (caller, scope) = (visitor.caller.clone(), visitor.caller.personal_scope());
    Ok(app.call_in(caller, scope, move |core, grant| core.receipt(grant, number)).await?.0)
}

fn json(signed: &SignedReceipt) -> String {
    serde_json::to_string(&ReceiptView::from(signed.clone())).unwrap_or_default()
}

/// A receipt in sentences. The one of a destroyed vault cannot be fetched again, so that its file is made by the script.
pub(super) fn sheet(language: PageLanguage, signed: &SignedReceipt, has_file: bool) -> Markup {
    let texts = language.texts();
    let receipt = &signed.receipt;
    let number = |count: u32| html! { (language.number(count as usize)) };
    let counts = &receipt.counts;
    let mut rows = vec![
        (texts.when, language.moment(receipt.at)),
        (texts.why, html! { (language.word("cause", receipt.cause.as_str())) }),
        (texts.named_by, html! { (language.word("target", receipt.named.as_str())) }),
        (texts.how, html! { (language.word("mode", receipt.mode.as_str())) }),
        (texts.keys_destroyed, number(counts.keys_destroyed)),
        (texts.receipt_said, number(counts.direct)),
    ];
    let others = [
        (texts.receipt_perhaps, counts.indirect),
        (texts.fell, counts.fell),
        (texts.cut, counts.cut),
        (texts.rebuilt, counts.rebuilt),
    ];
    // A row of zeros tells nobody anything; the file has all of them.
    rows.extend(
        others.into_iter().filter(|(_, count)| *count > 0).map(|(name, count)| (name, number(count))),
    );
    html! {
        article class="receipt" {
            p class="lead" {
                (if receipt.is_clean() { texts.receipt_clean } else { texts.receipt_not_clean })
            }
            (facts(&rows))
            h2 { (texts.looked_for) }
            ul class="probes" {
                @for probed in &receipt.probes {
                    li class=(if probed.found == 0 { "clean" } else { "found" }) {
                        (language.word("probe", probed.path.as_str())) ": "
                        (filled(texts.probe_result, &[&language.number(probed.looked_for as usize), &language.number(probed.found as usize)]))
                    }
                }
            }
            @if !receipt.backups.is_empty() {
                h2 { (texts.backups) }
                ul { @for hold in &receipt.backups { li { (texts.backup) " " (hold.number) " · " (texts.until) " " (language.day(hold.until)) } } }
            }
            h2 { (texts.proof) }
            p { (texts.proof_hint) }
            (facts(&[
                (texts.signed_by, html! { code class="long" { (signed.key) } }),
                (texts.signature, html! { code class="long" { (crate::wire::hex(signed.signature.as_bytes())) } }),
            ]))
            (verifier(language, signed, has_file))
        }
    }
}

/// The part that a script makes work: without one, the command below does the same.
fn verifier(language: PageLanguage, signed: &SignedReceipt, has_file: bool) -> Markup {
    let texts = language.texts();
    let reference = signed.receipt.reference();
    html! {
        section class="verify no-print" data-receipt=(json(signed)) data-name={ (reference) ".json" }
            data-good=(texts.verify_good) data-bad=(texts.verify_bad) data-cannot=(texts.verify_cannot) {
            div class="script-only" hidden {
                label for="key" { (texts.verify_key) }
                input id="key" value=(signed.key) spellcheck="false" autocomplete="off";
                p class="hint" { (texts.verify_key_hint) }
                button type="button" data-act="verify" { (texts.verify_do) }
                " " button type="button" class="second" data-act="print" { (texts.print) }
                @if !has_file { " " button type="button" class="second" data-act="save" { (texts.save_file) } }
                p class="result" role="status" aria-live="polite" {}
            }
            @if has_file { p { a href={ "/console/receipts/" (signed.receipt.number) "/file" } { (texts.save_file) } } }
            p class="hint" { (texts.verify_elsewhere) }
            pre { code { "lacuna receipt verify " (reference) ".json --key " (signed.key) } }
        }
    }
}

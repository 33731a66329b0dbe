//! The console: pages on which a person sees, searches, corrects and forgets what is remembered about them, and one
//! on which an administrator sees counts. A door like the others: it translates and decides nothing.
//!
//! The documents are pages beside them, for anybody.
//!
//! Pages are made here and need no script. Nothing of a memory is in an address, and no page is kept by a browser.

mod access;
mod ask;
mod assets;
mod charts;
mod consents;
mod docs;
mod entrance;
mod failure;
mod figures;
mod forget;
mod form;
mod goodbye;
mod guard;
mod language;
mod layout;
mod memories;
mod memory;
mod operate;
mod overview;
mod picture;
mod protection;
mod receipts;
mod retention;
mod review;
mod session;
mod sign_on;
mod text;

use std::sync::Arc;

use axum::routing::{get, post};
use axum::{Extension, Router, middleware};
use jiff::SignedDuration;

use self::session::Visits;
use crate::http::{App, admit, limit};

/// The English words for a value of a closed set, such as `source` and `explicit_save`. Every door that speaks to people
/// in English takes them from here.
pub(crate) fn in_english(set: &str, value: &str) -> String {
    language::PageLanguage::English.word(set, value)
}

/// Every page, with the checks that stand before it.
pub(crate) fn pages(app: &App) -> Router<App> {
    // The setting has an upper bound far below the largest span.
    let idle_max = SignedDuration::try_from(app.console_idle()).unwrap_or(SignedDuration::ZERO);
    let visits = Arc::new(Visits::new(app.core().clock().now(), idle_max));
    let guarded = mine()
        .merge(forgetting())
        .merge(settings())
        .route_layer(middleware::from_fn_with_state(app.clone(), limit))
        .route_layer(middleware::from_fn_with_state(app.clone(), guard::known));
    let open = Router::new()
        .route("/console/enter/{token}", get(entrance::enter))
        .route("/console/sign-in", get(entrance::show).post(entrance::sign_in))
        .route("/console/sign-on", get(sign_on::begin))
        .route("/console/sign-on/return", get(sign_on::finish))
        .route("/console/assets/{name}", get(assets::asset))
        .route("/docs", get(docs::start))
        .route("/docs/search", post(docs::ask))
        .route("/docs/images/{name}", get(docs::image))
        .route("/docs/{name}", get(docs::show));
    guarded
        .merge(open)
        .route_layer(middleware::from_fn_with_state(app.clone(), admit))
        .route_layer(middleware::from_fn_with_state(app.clone(), guard::dress))
        .layer(Extension(visits))
}

fn mine() -> Router<App> {
    Router::new()
        .route("/", get(memories::timeline))
        .route("/console/memories", post(memories::filtered))
        .route("/console/search", post(memories::search))
        .route("/console/memories/{id}", get(memory::show))
        .route("/console/memories/{id}/correct", post(memory::correct))
        .route("/console/memories/{id}/act", post(memory::act))
        .route("/console/overview", get(overview::show))
        .route("/console/access", get(access::show))
        .route("/console/language", post(entrance::choose_language))
        .route("/console/sign-out", post(entrance::sign_out))
}

fn forgetting() -> Router<App> {
    Router::new()
        .route("/console/forget", get(forget::show).post(forget::plan))
        .route("/console/forget/confirm", post(forget::confirm))
        .route("/console/ask", get(ask::show).post(ask::answer))
        .route("/console/receipts", get(receipts::list))
        .route("/console/receipts/{number}", get(receipts::show))
        .route("/console/receipts/{number}/file", get(receipts::file))
        .route("/console/goodbye", get(goodbye::show))
        .route("/console/goodbye/export", post(goodbye::export))
        .route("/console/goodbye/plan", post(goodbye::plan))
        .route("/console/goodbye/destroy", post(goodbye::destroy))
}

fn settings() -> Router<App> {
    Router::new()
        .route("/console/review", get(review::show).post(review::decide))
        .route("/console/review/month", get(review::month).post(review::answer))
        .route("/console/consents", get(consents::show).post(consents::change))
        .route("/console/retention", get(retention::show).post(retention::change))
        .route("/console/protection", get(protection::show).post(protection::change))
        .route("/console/operate", get(operate::show).post(operate::count))
}

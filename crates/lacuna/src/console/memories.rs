//! My memory: the timeline with its filters, and the search that says why something was found.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Query as UrlQuery, State};
use axum::response::Html;
use lacuna_core::Browse;
use lacuna_core::index::Explanation;
use lacuna_core::read::{Page, Query, RECALL_RESULTS_MAX, Recalled, RecalledMemory, TimelineFilter};
use lacuna_types::{Lifecycle, Memory, Sensitivity, SourceType};
use maud::{Markup, html};

use super::form::SentForm;
use super::guard::Visitor;
use super::language::{PageLanguage, filled};
use super::layout::{Chapter, entry, key, notice, page};
use super::session::Visits;
use super::text::visible;
use crate::http::App;
use crate::wire::failure::Result;
use crate::wire::{read_cursor, write_cursor};

/// Memories on one page of the timeline.
const PAGE_SIZE: usize = 40;
/// Memories that a search shows.
const FOUND_MAX: usize = 30;
const _: () = assert!(FOUND_MAX <= RECALL_RESULTS_MAX);
/// Tokens of all texts of a search; the longest are shown by their first sentence anyway.
const FOUND_TOKENS_MAX: usize = 16_000;

/// A place in the timeline. It names a time and an id, and nothing of a memory.
#[derive(serde::Deserialize)]
pub(super) struct TimelinePlace {
    cursor: Option<String>,
    done: Option<String>,
}

pub(super) async fn timeline(
    State(app): State<App>,
    visits: Extension<Arc<Visits>>,
    Extension(visitor): Extension<Arc<Visitor>>,
    UrlQuery(place): UrlQuery<TimelinePlace>,
) -> Result<Html<String>> {
    if !visitor.has_memory() {
        return super::operate::show(State(app), visits, Extension(visitor)).await;
    }
    let after = place.cursor.as_deref().map(read_cursor).transpose()?;
    let (caller, scope) = (visitor.caller.clone(), visitor.caller.personal_scope());
    let wanted = TimelineFilter::default();
    let ((found, count), _) = app
        .call_in(caller, scope, move |core, grant| {
            Ok((Browse::of(core).timeline(grant, &wanted, after, PAGE_SIZE)?, core.count(grant)?))
        })
        .await?;
    let texts = visitor.language.texts();
    let told = place.done.as_deref().and_then(|what| done_text(visitor.language, what));
    let body = html! {
        @if let Some(told) = told { (notice("good", told)) }
        (search_form(&visitor, ""))
        (filter_form(&visitor, None))
        @if count.1 > 0 {
            (notice("bad", &filled(texts.damaged, &[&visitor.language.counted(count.1, texts.memories)])))
        }
        p class="hint" { (filled(texts.remembered_in_all, &[&visitor.language.counted(count.0, texts.memories)])) }
        @if count.0 == 0 {
            section class="card welcome" {
                h2 { (texts.memory_empty_title) }
                p { (texts.memory_empty) }
                pre { code { "lacuna remember \"I prefer the window seat\"" } }
                p { a href="/docs/get-started" { (texts.memory_empty_more) } }
            }
        } @else { (days(&visitor, &found)) }
        @if let Some(next) = found.next {
            p class="more" { a class="button" rel="next" href={ "/?cursor=" (write_cursor(next)) } { (texts.older) } }
        }
    };
    Ok(page(&visitor, Chapter::Memory, texts.nav_memory, &body))
}

/// The sentence for something that was just done; the address names it by a word of ours.
fn done_text(language: PageLanguage, what: &str) -> Option<&'static str> {
    let texts = language.texts();
    match what {
        "corrected" => Some(texts.done_corrected),
        "hidden" => Some(texts.done_hidden),
        "shared" => Some(texts.done_shared),
        _ => None,
    }
}

/// The memories of a page under the days on which they were made.
fn days(visitor: &Visitor, found: &Page) -> Markup {
    let language = visitor.language;
    let texts = language.texts();
    let same_day =
        |a: &Memory, b: &Memory| language.plain_day(a.created_at) == language.plain_day(b.created_at);
    html! {
        @if found.memories.is_empty() { p class="empty" { (texts.nothing_here) } }
        @for day in found.memories.chunk_by(same_day) {
            section class="day" {
                h2 { (language.day(day[0].created_at)) }
                @for memory in day { (entry(language, memory, &restorer(visitor, memory))) }
            }
        }
    }
}

/// The button that brings a hidden memory back.
fn restorer(visitor: &Visitor, memory: &Memory) -> Markup {
    html! {
        @if memory.state == Lifecycle::Deleted {
            form method="post" action={ "/console/memories/" (memory.id) "/act" } {
                (key(visitor))
                button class="second" name="do" value="restore" { (visitor.language.texts().restore) }
            }
        }
    }
}

fn search_form(visitor: &Visitor, asked: &str) -> Markup {
    let texts = visitor.language.texts();
    html! {
        form method="post" action="/console/search" class="search" role="search" {
            (key(visitor))
            label for="query" class="unseen" { (texts.search_label) }
            input id="query" name="query" type="search" value=(visible(asked)) placeholder=(texts.search_placeholder)
                autocomplete="off" required maxlength="2000";
            button { (texts.search) }
        }
    }
}

fn filter_form(visitor: &Visitor, form: Option<&SentForm>) -> Markup {
    let language = visitor.language;
    let texts = language.texts();
    let text = |name: &str| form.and_then(|form| form.text(name)).unwrap_or_default().to_owned();
    let options = |set: &str, name: &str, values: Vec<&'static str>| {
        let chosen = text(name);
        html! {
            option value="" { (texts.any) }
            @for value in values { option value=(value) selected[value == chosen] { (language.word(set, value)) } }
        }
    };
    let field = |name: &str, label: &str, kind: &str| {
        html! { div { label for=(name) { (label) } input id=(name) name=(name) type=(kind) value=(text(name)) autocomplete="off"; } }
    };
    html! {
        details class="filters" open[form.is_some()] {
            summary { (texts.filters) }
            form method="post" action="/console/memories" class="grid" {
                (key(visitor))
                (field("name", texts.filter_name, "text"))
                (field("tag", texts.filter_tag, "text"))
                div { label for="sensitivity" { (texts.filter_sensitivity) }
                    select id="sensitivity" name="sensitivity" {
                        (options("sensitivity", "sensitivity", Sensitivity::ALL.iter().map(|one| one.as_str()).collect()))
                    } }
                div { label for="source" { (texts.filter_source) }
                    select id="source" name="source" {
                        (options("source", "source", SourceType::ALL.iter().map(|one| one.as_str()).collect()))
                    } }
                (field("assistant", texts.filter_assistant, "text"))
                div { label for="state" { (texts.filter_state) }
                    select id="state" name="state" {
                        (options("state", "state", vec!["active", "archived", "deleted"]))
                    } }
                (field("since", texts.filter_since, "date"))
                (field("until", texts.filter_until, "date"))
                div class="grid-end" { button { (texts.filter_apply) } " " a href="/" { (texts.filter_clear) } }
            }
        }
    }
}

/// The timeline under conditions. They may name people, so that they travel in the body.
pub(super) async fn filtered(
    State(app): State<App>,
    Extension(visitor): Extension<Arc<Visitor>>,
    form: SentForm,
) -> Result<Html<String>> {
    let wanted = conditions(&form)?;
    let after = form.text("cursor").map(read_cursor).transpose()?;
    let (caller, scope) = (visitor.caller.clone(), visitor.caller.personal_scope());
    let (found, _) = app
        .call_in(caller, scope, move |core, grant| {
            Browse::of(core).timeline(grant, &wanted, after, PAGE_SIZE)
        })
        .await?;
    let texts = visitor.language.texts();
    let body = html! {
        (search_form(&visitor, ""))
        (filter_form(&visitor, Some(&form)))
        (days(&visitor, &found))
        @if let Some(next) = found.next {
            form method="post" action="/console/memories" class="more" {
                (key(&visitor))
                @for name in ["name", "tag", "sensitivity", "source", "assistant", "state", "since", "until"] {
                    @if let Some(value) = form.text(name) { input type="hidden" name=(name) value=(value); }
                }
                input type="hidden" name="cursor" value=(write_cursor(next));
                button { (texts.older) }
            }
        }
    };
    Ok(page(&visitor, Chapter::Memory, texts.nav_memory, &body))
}

fn conditions(form: &SentForm) -> Result<TimelineFilter> {
    let mut wanted = TimelineFilter {
        name: form.text("name").map(str::to_owned),
        sensitivity: form.word("sensitivity")?,
        source: form.word("source")?,
        assistant: form.text("assistant").map(str::to_owned),
        ..TimelineFilter::default()
    };
    if let Some(tag) = form.text("tag") {
        wanted.tagged(tag.trim_start_matches('#'));
    }
    let state: Option<Lifecycle> = form.word("state")?;
    wanted.filter.states.extend(state);
    wanted.filter.from = form.day("since")?.map(|(start, _)| start);
    wanted.filter.until = form.day("until")?.map(|(_, end)| end);
    Ok(wanted)
}

/// Answers a question. Weak answers stand below, and are called weak.
pub(super) async fn search(
    State(app): State<App>,
    Extension(visitor): Extension<Arc<Visitor>>,
    form: SentForm,
) -> Result<Html<String>> {
    let asked = form.required("query")?;
    let mut query = Query::new(asked);
    query.limit = FOUND_MAX;
    query.tiers = None;
    query.max_tokens = FOUND_TOKENS_MAX;
    query.explain = true;
    let (caller, scope) = (visitor.caller.clone(), visitor.caller.personal_scope());
    let (found, _) = app.call_in(caller, scope, move |core, grant| core.recall(grant, &query)).await?;
    let texts = visitor.language.texts();
    let Recalled { hits, total_searched, .. } = found;
    let (weak, strong): (Vec<_>, Vec<_>) = hits.into_iter().partition(|hit| hit.weak);
    let searched = visitor.language.counted(total_searched, texts.memories);
    let body = html! {
        (search_form(&visitor, asked))
        p class="hint" role="status" {
            (filled(texts.found_among, &[&visitor.language.counted(strong.len(), texts.answers), &searched]))
        }
        @if strong.is_empty() { p class="empty" { (texts.found_nothing) } }
        @for hit in &strong { (found_entry(&visitor, hit)) }
        @if !weak.is_empty() {
            section class="weak" {
                h2 { (texts.weak_title) }
                p class="hint" { (texts.weak_hint) }
                @for hit in &weak { (found_entry(&visitor, hit)) }
            }
        }
    };
    Ok(page(&visitor, Chapter::Memory, texts.search_title, &body))
}

fn found_entry(visitor: &Visitor, hit: &RecalledMemory) -> Markup {
    let language = visitor.language;
    let sure = filled(language.texts().how_sure, &[&language.percent(hit.similarity)]);
    let why = html! {
        span class="why" {
            meter aria-label=(sure) min="0" max="1" value=(format!("{:.2}", hit.similarity)) { (sure) }
            (sure)
            @if let Some(explanation) = &hit.explanation { " · " (reasons(language, explanation)) }
        }
    };
    entry(language, &hit.memory, &why)
}

/// The reason why a memory was found, in words.
fn reasons(language: PageLanguage, explanation: &Explanation) -> Markup {
    let texts = language.texts();
    let by_meaning = explanation.meaning.is_some();
    let words: Vec<String> = explanation.matched.iter().map(|word| visible(word)).collect();
    html! {
        @match (words.is_empty(), by_meaning) {
            (true, true) => (texts.why_meaning),
            (true, false) => (texts.why_context),
            (false, true) => (filled(texts.why_both, &[&words.join(", ")])),
            (false, false) => (filled(texts.why_words, &[&words.join(", ")])),
        }
    }
}

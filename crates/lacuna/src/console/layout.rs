//! The frame of every page: head, navigation, and the small parts that pages share.

use axum::response::Html;
use lacuna_types::{Lifecycle, Memory};
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::assets;
use super::form::KEY_FIELD;
use super::guard::Visitor;
use super::language::PageLanguage;
use super::text::{beginning, said};

/// Characters of a memory in a list.
const LISTED_CHARS_MAX: usize = 320;

/// The part of the console that a page belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Chapter {
    Memory,
    Overview,
    Forget,
    Ask,
    Receipts,
    Review,
    Consents,
    Retention,
    Access,
    Protection,
    Goodbye,
    Operate,
}

impl Chapter {
    const MINE: [Self; 11] = [
        Self::Memory,
        Self::Overview,
        Self::Review,
        Self::Forget,
        Self::Ask,
        Self::Receipts,
        Self::Consents,
        Self::Retention,
        Self::Access,
        Self::Protection,
        Self::Goodbye,
    ];

    fn path(self) -> &'static str {
        match self {
            Self::Memory => "/",
            Self::Overview => "/console/overview",
            Self::Forget => "/console/forget",
            Self::Ask => "/console/ask",
            Self::Receipts => "/console/receipts",
            Self::Review => "/console/review",
            Self::Consents => "/console/consents",
            Self::Retention => "/console/retention",
            Self::Access => "/console/access",
            Self::Protection => "/console/protection",
            Self::Goodbye => "/console/goodbye",
            Self::Operate => "/console/operate",
        }
    }

    fn name(self, language: PageLanguage) -> &'static str {
        let texts = language.texts();
        match self {
            Self::Memory => texts.nav_memory,
            Self::Overview => texts.nav_overview,
            Self::Forget => texts.nav_forget,
            Self::Ask => texts.nav_ask,
            Self::Receipts => texts.nav_receipts,
            Self::Review => texts.nav_review,
            Self::Consents => texts.nav_consents,
            Self::Retention => texts.nav_retention,
            Self::Access => texts.nav_access,
            Self::Protection => texts.nav_protection,
            Self::Goodbye => texts.nav_goodbye,
            Self::Operate => texts.nav_operate,
        }
    }
}

/// A page for somebody who is signed in.
pub(super) fn page(visitor: &Visitor, chapter: Chapter, title: &str, body: &Markup) -> Html<String> {
    let language = visitor.language;
    let texts = language.texts();
    let inside = html! {
        a class="skip" href="#main" { (texts.skip_to_content) }
        header class="top" {
            a class="brand" href="/" { (brand()) span { "Lacuna" } }
            details class="menu" {
                summary { (texts.menu) }
                (navigation(visitor, chapter))
            }
            (account(visitor))
        }
        div class="frame" {
            div class="side" { (navigation(visitor, chapter)) }
            main id="main" tabindex="-1" { h1 { (title) } (body) }
        }
    };
    document(language, title, &inside)
}

/// A page for anybody.
pub(super) fn bare_page(language: PageLanguage, title: &str, body: &Markup) -> Html<String> {
    let inside = html! {
        header class="top" { a class="brand" href="/" { (brand()) span { "Lacuna" } } }
        main id="main" class="alone" { h1 { (title) } (body) }
    };
    document(language, title, &inside)
}

pub(super) fn document(language: PageLanguage, title: &str, inside: &Markup) -> Html<String> {
    let whole = html! {
        (DOCTYPE)
        html lang=(language.code()) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="robots" content="noindex";
                title { (title) " · Lacuna" }
                link rel="icon" href=(assets::path("icon.svg"));
                link rel="stylesheet" href=(assets::path("console.css"));
                script src=(assets::path("console.js")) defer {}
            }
            body { (inside) }
        }
    };
    Html(whole.into_string())
}

/// The sign of the house: a ring with a gap.
pub(super) fn brand() -> PreEscaped<&'static str> {
    PreEscaped(
        r#"<svg class="sign" viewBox="0 0 24 24" aria-hidden="true"><path d="M18.4 5.6a9 9 0 1 0 2.4 4" fill="none" stroke="currentColor" stroke-width="2.4" stroke-linecap="round"/></svg>"#,
    )
}

fn navigation(visitor: &Visitor, here: Chapter) -> Markup {
    let language = visitor.language;
    let mut chapters: Vec<Chapter> = if visitor.has_memory() { Chapter::MINE.to_vec() } else { Vec::new() };
    chapters.extend(visitor.is_admin().then_some(Chapter::Operate));
    html! {
        nav aria-label=(language.texts().navigation) {
            ul {
                @for chapter in chapters {
                    li {
                        a href=(chapter.path()) aria-current=[(chapter == here).then_some("page")] { (chapter.name(language)) }
                    }
                }
            }
        }
    }
}

fn account(visitor: &Visitor) -> Markup {
    let texts = visitor.language.texts();
    html! {
        div class="account" {
            form method="post" action="/console/language" class="languages" {
                (key(visitor))
                @for language in PageLanguage::ALL {
                    button class="quiet" name="language" value=(language.code()) lang=(language.code())
                        aria-pressed=(language == visitor.language) { (language.name()) }
                }
            }
            a class="quiet" href="/docs" { (texts.nav_docs) }
            span class="who" { (visitor.caller.user.as_str()) }
            form method="post" action="/console/sign-out" {
                (key(visitor))
                button class="quiet" { (texts.sign_out) }
            }
        }
    }
}

/// The hidden field that every form carries.
pub(super) fn key(visitor: &Visitor) -> Markup {
    html! { input type="hidden" name=(KEY_FIELD) value=(visitor.form_key); }
}

/// A message above the rest of a page, read out by screen readers.
pub(super) fn notice(kind: &'static str, text: &str) -> Markup {
    html! { p class={ "notice " (kind) } role="status" { (text) } }
}

/// A memory as one entry of a list.
pub(super) fn entry(language: PageLanguage, memory: &Memory, aside: &Markup) -> Markup {
    let faded = fading_class(memory, memory.updated_at.max(memory.facets.vitality.rehearsed_at));
    html! {
        article class={ "entry " (faded) } {
            @let text = said(&beginning(memory.content.gist.expose(), LISTED_CHARS_MAX));
            // A hidden memory has no page until it is restored.
            @if memory.state == Lifecycle::Deleted { p class="entry-link" { (text) } } @else {
                a class="entry-link" href={ "/console/memories/" (memory.id) } { (text) }
            }
            div class="marks" { (language.moment(memory.created_at)) (marks(language, memory)) (aside) }
        }
    }
}

/// The class that makes a faded memory paler; it is never too pale to read.
fn fading_class(memory: &Memory, now: jiff::Timestamp) -> &'static str {
    match memory.facets.vitality.salience_at(now) {
        strong if strong >= 0.5 => "bright",
        medium if medium >= 0.2 => "fading",
        _ => "faded",
    }
}

/// The small words about a memory: where it comes from, and what is special about it.
pub(super) fn marks(language: PageLanguage, memory: &Memory) -> Markup {
    let texts = language.texts();
    let facets = &memory.facets;
    html! {
        span class="mark" { (language.word("source", facets.source.kind.as_str())) }
        @for sensitivity in &facets.privacy.sensitivity {
            span class={ "mark care " (sensitivity.as_str()) } { (language.word("sensitivity", sensitivity.as_str())) }
        }
        @for tag in &facets.tags { span class="mark tag" { "#" (said(tag)) } }
        @if facets.retention.pinned { span class="mark strong" { (texts.pinned) } }
        @if facets.is_note() { span class="mark strong" { (texts.note_mark) } }
        // The review says what a candidate waits for.
        @if !matches!(memory.state, Lifecycle::Active | Lifecycle::Candidate) {
            span class="mark strong" { (language.word("state", memory.state.as_str())) }
        }
    }
}

/// The rows of a table of facts.
pub(super) fn facts(rows: &[(&str, Markup)]) -> Markup {
    html! {
        dl class="facts" {
            @for (name, value) in rows { div { dt { (name) } dd { (value) } } }
        }
    }
}

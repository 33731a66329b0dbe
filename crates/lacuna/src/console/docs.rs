//! The documents as pages, to read without a network: `docs/` is in the binary, with a search, and the reference of the
//! API beside it. Anybody may read them; nothing of a person is in them.

mod markdown;
mod search;

use std::sync::LazyLock;

use axum::extract::{Path, Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{Html, IntoResponse, Response};
use maud::{Markup, PreEscaped, html};

use self::markdown::RenderedPage;
use super::form::SentForm;
use super::language::PageLanguage;
use super::layout::{brand, document};
use crate::codes;
use crate::http::App;
use crate::wire::failure::{Failure, Result};

/// Characters of a question to the search.
const QUESTION_CHARS_MAX: usize = 200;
/// Chapters from which on a page begins with a list of them.
const LISTED_CHAPTERS_MIN: usize = 3;

macro_rules! pages {
    ($($group:literal: $($name:literal)+;)+) => {
        /// Pages by group, in the order in which somebody new reads them.
        const GROUPS: &[(&str, &[(&str, &str)])] = &[
            $(($group, &[$(($name, include_str!(concat!("../../../../docs/", $name, ".md")))),+])),+
        ];
    };
}

pages! {
    "Start": "get-started" "console" "assistants" "switch";
    "Use it": "http" "mcp" "sdk" "sessions" "context" "export";
    "Privacy": "forgetting" "gate" "keys" "retention" "vaults" "audit" "policy" "compaction";
    "Run it": "configuration" "operations" "errors" "seeds";
}

macro_rules! images {
    ($($name:literal)+) => {
        const IMAGES: &[(&str, &[u8])] =
            &[$(($name, include_bytes!(concat!("../../../../docs/images/", $name)))),+];
    };
}

images! {
    "console-locked.png" "console-memory-dark.png" "console-memory-light.png" "console-one-memory.png"
    "console-operate-counted.png" "console-overview-light.png" "console-plan.png" "console-receipt.png"
}

/// One page of the documents.
pub(super) struct DocPage {
    name: &'static str,
    rendered: RenderedPage,
}

/// Every page, rendered once.
fn site() -> &'static [DocPage] {
    static SITE: LazyLock<Vec<DocPage>> = LazyLock::new(|| {
        let is_page =
            |name: &str| GROUPS.iter().any(|(_, pages)| pages.iter().any(|(known, _)| *known == name));
        let pages = GROUPS.iter().flat_map(|(_, pages)| pages.iter());
        pages.map(|(name, text)| DocPage { name, rendered: markdown::render(text, &is_page) }).collect()
    });
    &SITE
}

fn page_of(name: &str) -> Result<&'static DocPage> {
    let found = site().iter().find(|page| page.name == name);
    found.ok_or_else(|| Failure::new(&codes::UNKNOWN_ROUTE, codes::UNKNOWN_ROUTE.meaning))
}

/// The first page: remember, recall, forget, and where to go from there.
pub(super) async fn start() -> Html<String> {
    let steps = [
        ("Remember", "lacuna remember \"I prefer the window seat\"", "POST /v1/memories", "gate"),
        ("Recall", "lacuna recall \"where do I like to sit?\"", "POST /v1/search", "context"),
        ("Forget", "lacuna forget \"everything about my seat\"", "POST /v1/forget", "forgetting"),
    ];
    let body = html! {
        p class="lead" { "Lacuna is private memory for AI assistants that can prove it forgot. Three words are enough to begin." }
        div class="steps-cards" {
            @for (name, command, call, more) in steps {
                section class="card" {
                    h2 { (name) }
                    pre { code { (command) } }
                    p class="hint" { "Over HTTP: " code { (call) } }
                    p { a href={ "/docs/" (more) } { (page_title(more)) } }
                }
            }
        }
        @for (group, pages) in GROUPS {
            section class="contents" {
                h2 { (group) }
                ul {
                    @for (name, _) in *pages {
                        li { a href={ "/docs/" (name) } { (page_title(name)) } span class="hint" { (beginning_of(name)) } }
                    }
                }
            }
        }
        section class="contents" {
            h2 { "Reference" }
            ul { li { a href="/docs/api" { "HTTP API" } span class="hint" { "Every operation with its fields and examples." } } }
        }
    };
    framed(None, "Documentation", &body)
}

fn page_title(name: &str) -> &'static str {
    page_of(name).map_or("", |page| page.rendered.title.as_str())
}

/// The first sentence of a page.
fn beginning_of(name: &str) -> &'static str {
    let text = page_of(name).ok().and_then(|page| page.rendered.sections.first());
    let text = text.map_or("", |section| section.text.as_str());
    text.find(". ").map_or(text, |end| &text[..=end])
}

/// One page.
pub(super) async fn show(Path(name): Path<String>) -> Result<Html<String>> {
    let page = page_of(&name)?;
    let chapters: Vec<_> = page.rendered.sections.iter().filter(|section| section.is_chapter).collect();
    let body = html! {
        @if chapters.len() >= LISTED_CHAPTERS_MIN {
            nav class="on-page" aria-label="On this page" {
                ul { @for chapter in &chapters { li { a href={ "#" (chapter.place) } { (chapter.heading) } } } }
            }
        }
        article class="doc" { (PreEscaped(&page.rendered.html)) }
        (neighbours(page.name))
    };
    Ok(framed(Some(page.name), &page.rendered.title, &body))
}

/// The pages before and after one.
fn neighbours(name: &str) -> Markup {
    let at = site().iter().position(|page| page.name == name).unwrap_or(0);
    let before = at.checked_sub(1).and_then(|at| site().get(at));
    let after = site().get(at + 1);
    html! {
        nav class="neighbours" aria-label="Next pages" {
            @if let Some(page) = before { a rel="prev" href={ "/docs/" (page.name) } { "← " (page.rendered.title) } }
            @if let Some(page) = after { a rel="next" href={ "/docs/" (page.name) } { (page.rendered.title) " →" } }
        }
    }
}

/// Answers a question to the documents. It may be about something private, so that it travels in the body.
pub(super) async fn ask(State(app): State<App>, request: Request) -> Result<Html<String>> {
    let form = SentForm::read(&app, request).await?;
    let asked: String = form.text("question").unwrap_or_default().chars().take(QUESTION_CHARS_MAX).collect();
    let found = search::find(&asked);
    let body = html! {
        (search_form(&asked, "again"))
        @if found.is_empty() { p class="empty" { "No page has all of these words. Try fewer, or others." } }
        ol class="found-sections" {
            @for one in &found {
                li {
                    a href={ "/docs/" (one.page.name) "#" (one.place) } {
                        (one.page.rendered.title)
                        @if one.heading != one.page.rendered.title { " › " (one.heading) }
                    }
                    p class="hint" { (one.around) }
                }
            }
        }
    };
    Ok(framed(None, "Search", &body))
}

fn search_form(asked: &str, id: &str) -> Markup {
    html! {
        form method="post" action="/docs/search" class="doc-search" role="search" aria-label={ "Documents " (id) } {
            label for={ "question-" (id) } class="unseen" { "Search the documents" }
            input id={ "question-" (id) } name="question" type="search" value=(asked) maxlength=(QUESTION_CHARS_MAX)
                placeholder="Search" autocomplete="off" required;
            button class="second" { "Search" }
        }
    }
}

/// A picture of the pages.
pub(super) async fn image(Path(name): Path<String>) -> Response {
    match IMAGES.iter().find(|(known, _)| *known == name) {
        Some((_, bytes)) => {
            ([(CONTENT_TYPE, "image/png"), (CACHE_CONTROL, "max-age=3600")], *bytes).into_response()
        }
        None => Failure::new(&codes::UNKNOWN_ROUTE, codes::UNKNOWN_ROUTE.meaning).into_response(),
    }
}

fn framed(here: Option<&str>, title: &str, body: &Markup) -> Html<String> {
    let inside = html! {
        a class="skip" href="#main" { "Skip to the content" }
        header class="top" {
            a class="brand" href="/docs" { (brand()) span { "Lacuna" } }
            details class="menu" { summary { "Menu" } (contents(here)) }
            div class="account" { a href="/docs/api" { "API" } a href="/" { "My memory" } }
        }
        div class="frame" {
            div class="side" { (search_form("", "side")) (contents(here)) }
            main id="main" tabindex="-1" { h1 { (title) } (body) }
        }
    };
    document(PageLanguage::English, title, &inside)
}

fn contents(here: Option<&str>) -> Markup {
    html! {
        nav aria-label="Documents" {
            @for (group, pages) in GROUPS {
                p class="group" { (group) }
                ul {
                    @for (name, _) in *pages {
                        li { a href={ "/docs/" (name) } aria-current=[(here == Some(*name)).then_some("page")] { (page_title(name)) } }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    fn files(folder: &str) -> BTreeSet<String> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        entries.map(|name| name.into_string().unwrap()).filter(|name| name.contains('.')).collect()
    }

    #[test]
    fn every_document_and_every_picture_is_served() {
        let pages: BTreeSet<String> = site().iter().map(|page| format!("{}.md", page.name)).collect();
        assert_eq!(pages, files("docs"));
        let images: BTreeSet<String> = IMAGES.iter().map(|(name, _)| (*name).to_owned()).collect();
        assert_eq!(images, files("docs/images"));
    }

    #[test]
    fn every_page_has_a_title_and_its_links_lead_somewhere() {
        for page in site() {
            assert!(!page.rendered.title.is_empty(), "{}", page.name);
            assert!(!page.rendered.html.contains(" style="), "{}", page.name);
            for link in page.rendered.html.split("href=\"/docs/").skip(1) {
                let target = link.split('"').next().unwrap();
                let (name, place) = target.split_once('#').unwrap_or((target, ""));
                let named = page_of(name).unwrap_or_else(|_| panic!("{} links to {name}", page.name));
                let is_there =
                    place.is_empty() || named.rendered.sections.iter().any(|one| one.place == place);
                assert!(is_there, "{} links to {target}", page.name);
            }
            for link in page.rendered.html.split("href=\"#").skip(1) {
                let place = link.split('"').next().unwrap();
                assert!(
                    page.rendered.sections.iter().any(|one| one.place == place),
                    "{}: #{place}",
                    page.name
                );
            }
            for image in page.rendered.html.split("src=\"/docs/images/").skip(1) {
                let name = image.split('"').next().unwrap();
                assert!(IMAGES.iter().any(|(known, _)| *known == name), "{}: {name}", page.name);
            }
        }
    }
}

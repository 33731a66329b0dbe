//! People and topics: a picture of whom and what the memory knows.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::response::Html;
use lacuna_core::Browse;
use maud::{Markup, html};

use super::charts;
use super::guard::Visitor;
use super::language::filled;
use super::layout::{Chapter, key, page};
use super::picture;
use super::text::{said, visible};
use crate::http::App;
use crate::wire::failure::Result;

pub(super) async fn show(
    State(app): State<App>,
    Extension(visitor): Extension<Arc<Visitor>>,
) -> Result<Html<String>> {
    let (caller, scope) = (visitor.caller.clone(), visitor.caller.personal_scope());
    let (found, _) = app.call_in(caller, scope, |core, grant| Browse::of(core).overview(grant)).await?;
    let language = visitor.language;
    let texts = language.texts();
    let categories: Vec<(String, usize)> = found
        .sensitive
        .iter()
        .map(|(category, count)| (language.word("sensitivity", category.as_str()), *count))
        .collect();
    let known = language.number(found.names_known);
    let body = html! {
        p class="lead" { (filled(texts.overview_lead, &[&language.counted(found.memories, texts.memories), &known])) }
        @if found.names.is_empty() && found.topics.is_empty() { p class="empty" { (texts.nothing_here) } }
        @if !found.names.is_empty() {
            (picture::names(language, &found))
            section class="card" {
                h2 { (texts.names_title) }
                ul class="chips" {
                    @for known in &found.names {
                        li { (chip(&visitor, "name", known.name.expose(), known.memories, known.relation.as_ref().map(|it| it.expose()))) }
                    }
                }
            }
        }
        @if !found.topics.is_empty() {
            section class="card" {
                h2 { (texts.topics_title) }
                ul class="chips" {
                    @for topic in &found.topics { li { (chip(&visitor, "tag", topic.name.expose(), topic.memories, None)) } }
                }
            }
        }
        @if !categories.is_empty() {
            section class="card" { h2 { (texts.sensitive_title) } (charts::bars(language, texts.sensitive_title, &categories)) }
        }
    };
    Ok(page(&visitor, Chapter::Overview, texts.nav_overview, &body))
}

/// A button that shows the memories of a name or a topic. The name travels in the body.
fn chip(visitor: &Visitor, field: &str, name: &str, memories: usize, relation: Option<&str>) -> Markup {
    html! {
        form method="post" action="/console/memories" {
            (key(visitor))
            button class="chip" name=(field) value=(name) title=(visible(name)) {
                (said(name))
                @if let Some(relation) = relation.filter(|relation| !relation.eq_ignore_ascii_case(name)) { span class="hint" { " " (said(relation)) } }
                span class="count" { (visitor.language.number(memories)) }
            }
        }
    }
}

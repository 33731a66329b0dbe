//! The page of one memory: what it says, where it comes from, what was made of it, who read it, how it fades, and what
//! can be done about it.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::{Html, IntoResponse, Redirect, Response};
use jiff::Timestamp;
use lacuna_core::audit::AuditEntry;
use lacuna_core::permit::{Caller, Recall, permit};
use lacuna_core::read::Relatives;
use lacuna_core::write::Corrected;
use lacuna_core::{Browse, Lacuna};
use lacuna_types::{Group, Lifecycle, Memory, MemoryId, Source};
use maud::{Markup, html};

use super::access::acts;
use super::charts;
use super::form::SentForm;
use super::guard::Visitor;
use super::language::{PageLanguage, filled};
use super::layout::{Chapter, entry, facts, key, marks, notice, page};
use super::text::said;
use crate::http::App;
use crate::wire::failure::{Failure, GateAnswer, Result};
use crate::wire::{CorrectRequest, read_target};

/// Turns of a conversation that are quoted before and after one.
const TURNS_AROUND: u32 = 2;
/// Acts on a memory that its page shows; the newest.
const ACTS_SHOWN_MAX: usize = 30;

/// Everything that the page of a memory shows.
struct MemorySheet {
    memory: Memory,
    relatives: Relatives,
    around: Vec<Memory>,
    acts: Vec<(Timestamp, AuditEntry)>,
    kept: Markup,
    now: Timestamp,
}

pub(super) async fn show(
    State(app): State<App>,
    Extension(visitor): Extension<Arc<Visitor>>,
    Path(id): Path<String>,
) -> Result<Html<String>> {
    let id: MemoryId = id.parse()?;
    let sheet = gather(&app, &visitor, id).await?;
    let body = sheet_body(&visitor, &sheet, &html! {});
    Ok(page(&visitor, Chapter::Memory, visitor.language.texts().memory_title, &body))
}

async fn gather(app: &App, visitor: &Visitor, id: MemoryId) -> Result<MemorySheet> {
    let (caller, language) = (visitor.caller.clone(), visitor.language);
    app.call(move |core| {
        let scope = caller.personal_scope();
        let grant = permit::<Recall>(&caller, &scope)?;
        let memory = core.get(&grant, id)?;
        let term = core.term(&grant, id)?;
        let ground = language.word("ground", term.ground.as_str());
        let kept = html! {
            @match term.expires_at {
                Some(at) => { (language.day(at)) " · " (ground) }
                None => (ground),
            }
        };
        // Whoever may not read the audit sees the rest.
        let acts = permit(&caller, &scope).and_then(|grant| Browse::of(core).trace_memory(&grant, id));
        let acts = acts.unwrap_or_default().into_iter().take(ACTS_SHOWN_MAX);
        Ok(MemorySheet {
            relatives: Browse::of(core).relatives(&grant, id)?,
            around: around(core, &caller, &memory.facets.source, id)?,
            acts: acts.map(|(row, entry)| (row.at, entry)).collect(),
            kept,
            now: core.clock().now(),
            memory,
        })
    })
    .await
}

/// The turns before and after a memory in its conversation.
fn around(
    core: &Lacuna,
    caller: &Caller,
    source: &Source,
    id: MemoryId,
) -> lacuna_types::Result<Vec<Memory>> {
    let Some((session, turn)) = source.session.as_ref().zip(source.turn) else { return Ok(Vec::new()) };
    let grant = permit::<Recall>(caller, &caller.personal_scope())?;
    let from = turn.saturating_sub(TURNS_AROUND);
    let shown = core.session(&grant, session, from, (TURNS_AROUND * 2 + 1) as usize);
    // A conversation that was forgotten leaves nothing to quote.
    let turns = shown.map(|shown| shown.turns).unwrap_or_default();
    Ok(turns.into_iter().filter(|turn| turn.id != id).collect())
}

fn sheet_body(visitor: &Visitor, sheet: &MemorySheet, above: &Markup) -> Markup {
    let language = visitor.language;
    let texts = language.texts();
    let memory = &sheet.memory;
    html! {
        (above)
        blockquote class="text" { (said(memory.content.full_text().expose())) }
        div class="marks" { (language.moment(memory.created_at)) (marks(language, memory)) }
        @if !memory.content.details.is_empty() {
            ul class="details" { @for detail in &memory.content.details { li { (said(detail.content.expose())) } } }
        }
        (actions(visitor, memory))
        section class="card" { h2 { (texts.how_it_fades) } (charts::fading(language, &memory.facets.vitality, sheet.now)) }
        section class="card" {
            h2 { (texts.where_from) }
            (origin(language, sheet))
            @if !sheet.around.is_empty() {
                h3 { (texts.around) }
                @for turn in &sheet.around { (entry(language, turn, &html! {})) }
            }
        }
        (family(language, &sheet.relatives))
        section class="card" {
            h2 { (texts.who_read) }
            @if sheet.acts.is_empty() { p class="empty" { (texts.nobody_read) } }
            (acts(visitor, &sheet.acts))
        }
    }
}

fn origin(language: PageLanguage, sheet: &MemorySheet) -> Markup {
    let texts = language.texts();
    let Source { kind, tool, deployment, channel, from_external_content, .. } = &sheet.memory.facets.source;
    let mut rows = vec![(texts.source, html! { (language.word("source", kind.as_str())) })];
    let mut named = |name: &'static str, value: &Option<String>| {
        rows.extend(value.as_deref().map(|value| (name, said(value))));
    };
    named(texts.tool, tool);
    named(texts.assistant, deployment);
    named(texts.channel, channel);
    if *from_external_content {
        rows.push((texts.external, html! { (texts.external_hint) }));
    }
    let facets = &sheet.memory.facets;
    rows.push((texts.kept_until, sheet.kept.clone()));
    rows.push((texts.privacy, html! { (language.word("privacy", facets.privacy.class.as_str())) }));
    rows.push((texts.ground, html! { (language.word("basis", facets.privacy.basis.as_str())) }));
    if !facets.entities.is_empty() {
        rows.push((
            texts.names,
            html! {
                @for (at, entity) in facets.entities.iter().enumerate() {
                    @if at > 0 { ", " }
                    (said(&entity.name))
                    @if let Some(relation) = &entity.relation { " (" (said(relation)) ")" }
                }
            },
        ));
    }
    rows.push((texts.number, html! { code { (sheet.memory.id) } }));
    facts(&rows)
}

fn family(language: PageLanguage, relatives: &Relatives) -> Markup {
    let texts = language.texts();
    let kinds = [
        (texts.made_of, &relatives.sources),
        (texts.made_into, &relatives.derived),
        (texts.says_alike, &relatives.alike),
    ];
    html! {
        @for (title, memories) in kinds {
            @if !memories.is_empty() {
                section class="card" { h2 { (title) } @for memory in memories { (entry(language, memory, &html! {})) } }
            }
        }
    }
}

fn actions(visitor: &Visitor, memory: &Memory) -> Markup {
    let texts = visitor.language.texts();
    let action = format!("/console/memories/{}/act", memory.id);
    let act = |what: &str, label: &str| {
        html! {
            form method="post" action=(action) { (key(visitor)) button class="second" name="do" value=(what) { (label) } }
        }
    };
    let teams: Vec<&Group> =
        visitor.caller.memberships.iter().filter(|group| matches!(group, Group::Team(_))).collect();
    html! {
        section class="actions" aria-label=(texts.actions) {
            @if memory.facets.retention.pinned { (act("unpin", texts.unpin)) } @else { (act("pin", texts.pin)) }
            @if memory.state == Lifecycle::Active { (act("hide", texts.hide)) (act("archive", texts.archive)) }
            form method="post" action="/console/forget" {
                (key(visitor))
                input type="hidden" name="ids" value=(memory.id);
                button class="danger" { (texts.forget_this) }
            }
        }
        details class="card" {
            summary { (texts.correct) }
            form method="post" action={ "/console/memories/" (memory.id) "/correct" } {
                (key(visitor))
                label for="text" { (texts.correct_label) }
                textarea id="text" name="text" rows="4" required { (memory.content.full_text().expose()) }
                p class="hint" { (texts.correct_hint) }
                button { (texts.correct_do) }
            }
        }
        @if !teams.is_empty() && memory.state == Lifecycle::Active {
            details class="card" {
                summary { (texts.share) }
                form method="post" action=(action) {
                    (key(visitor))
                    label for="team" { (texts.share_label) }
                    select id="team" name="team" { @for team in teams { option value={ "team:" (team.name()) } { (team.name()) } } }
                    p class="hint" { (texts.share_hint) }
                    button name="do" value="share" { (texts.share_do) }
                }
            }
        }
    }
}

/// Pins, hides, archives, restores or shares a memory.
pub(super) async fn act(
    State(app): State<App>,
    Extension(visitor): Extension<Arc<Visitor>>,
    Path(id): Path<String>,
    form: SentForm,
) -> Result<Response> {
    let id: MemoryId = id.parse()?;
    let (caller, what) = (visitor.caller.clone(), form.required("do")?.to_owned());
    let team = form.text("team").map(str::to_owned);
    let asked = what.clone();
    app.work(move |core| {
        let scope = caller.personal_scope();
        match asked.as_str() {
            "pin" | "unpin" => core.pin(&permit(&caller, &scope)?, &[id], asked == "pin")?,
            "hide" => core.set_state(&permit(&caller, &scope)?, &[id], Lifecycle::Deleted)?,
            "archive" => core.set_state(&permit(&caller, &scope)?, &[id], Lifecycle::Archived)?,
            "restore" => core.set_state(&permit(&caller, &scope)?, &[id], Lifecycle::Active)?,
            "share" => {
                let target = read_target(team.as_deref().unwrap_or_default(), &caller)?;
                // A sensitive memory is shared only where the person lifts that on purpose, which the command line asks for.
                core.promote(&permit(&caller, &scope)?, id, &permit(&caller, &target)?, None, false)?;
            }
            _ => return Err(Failure::invalid("do", "is not something that can be done to a memory")),
        }
        Ok(())
    })
    .await?;
    let next = match what.as_str() {
        "hide" => "/?done=hidden".to_owned(),
        "share" => "/?done=shared".to_owned(),
        _ => format!("/console/memories/{id}"),
    };
    Ok(Redirect::to(&next).into_response())
}

/// Puts a new text in the place of a memory.
pub(super) async fn correct(
    State(app): State<App>,
    Extension(visitor): Extension<Arc<Visitor>>,
    Path(id): Path<String>,
    form: SentForm,
) -> Result<Response> {
    let memory_id: MemoryId = id.parse()?;
    let request = CorrectRequest {
        memory_id: Some(id),
        about: None,
        content: form.required("text")?.to_owned(),
        consent_basis: None,
        confirm: form.text("confirm").map(str::to_owned),
        scope: None,
    };
    let (what, draft) = request.into_core()?;
    let (caller, scope) = (visitor.caller.clone(), visitor.caller.personal_scope());
    let (corrected, _) =
        app.call_in(caller, scope, move |core, grant| core.correct(grant, &what, draft)).await?;
    let texts = visitor.language.texts();
    let above = match corrected {
        Corrected::Done { memory, receipt, .. } => {
            let receipt = receipt.map(|signed| signed.receipt.number);
            return Ok(corrected_page(&visitor, memory.id, receipt).into_response());
        }
        Corrected::Which(_) => notice("bad", texts.failure_not_found),
        Corrected::Held(outcome) => match Failure::of_gate(outcome) {
            Ok(_) => notice("good", texts.correct_waits),
            Err(failure) => asked_again(&visitor, &form, memory_id, &failure),
        },
    };
    let sheet = gather(&app, &visitor, memory_id).await?;
    Ok(page(&visitor, Chapter::Memory, texts.memory_title, &sheet_body(&visitor, &sheet, &above))
        .into_response())
}

fn corrected_page(visitor: &Visitor, id: MemoryId, receipt: Option<u64>) -> Html<String> {
    let texts = visitor.language.texts();
    let body = html! {
        (notice("good", texts.done_corrected))
        p {
            a class="button" href={ "/console/memories/" (id) } { (texts.show_new) }
            @if let Some(number) = receipt { " " a href={ "/console/receipts/" (number) } { (texts.show_receipt) } }
        }
    };
    page(visitor, Chapter::Memory, texts.correct, &body)
}

/// The gate's question about a new text, with a button that says yes; or its refusal.
fn asked_again(visitor: &Visitor, form: &SentForm, id: MemoryId, failure: &Failure) -> Markup {
    let texts = visitor.language.texts();
    let Some(GateAnswer::Asked(asked)) = failure.gate.as_deref() else {
        return html! { (notice("bad", texts.correct_refused)) p class="hint" lang="en" { (failure.public) } };
    };
    html! {
        section class="card" {
            p { (filled(texts.correct_asked, &[])) }
            p class="hint" lang="en" { (failure.public) }
            form method="post" action={ "/console/memories/" (id) "/correct" } {
                (key(visitor))
                input type="hidden" name="text" value=(form.text("text").unwrap_or_default());
                input type="hidden" name="confirm" value=(asked.confirm);
                button { (texts.yes_store) }
            }
        }
    }
}

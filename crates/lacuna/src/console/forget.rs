//! Forgetting: words or ticked memories become a plan, the plan shows what goes and what stays, and a yes carries it out.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::response::Html;
use lacuna_core::erase::Forgotten;
use lacuna_core::forget::{Confirmed, Plan, Planned, PlannedMatch, Request};
use lacuna_types::MemoryId;
use lacuna_types::request::{Closeness, Mode, PlanChoice, Target};
use maud::{Markup, html};

use super::form::SentForm;
use super::guard::Visitor;
use super::language::{PageLanguage, filled};
use super::layout::{Chapter, key, notice, page};
use super::text::said;
use crate::http::App;
use crate::wire::failure::{Failure, Result};

pub(super) async fn show(Extension(visitor): Extension<Arc<Visitor>>) -> Html<String> {
    let body = words_form(&visitor, "", None);
    page(&visitor, Chapter::Forget, visitor.language.texts().nav_forget, &body)
}

fn words_form(visitor: &Visitor, words: &str, mode: Option<Mode>) -> Markup {
    let language = visitor.language;
    let texts = language.texts();
    html! {
        p class="lead" { (texts.forget_lead) }
        form method="post" action="/console/forget" class="card" {
            (key(visitor))
            label for="words" { (texts.forget_label) }
            input id="words" name="words" value=(words) placeholder=(texts.forget_placeholder) autocomplete="off"
                required maxlength="2000";
            p class="hint" { (texts.forget_examples) }
            (mode_choice(language, mode))
            label class="tick" { input type="checkbox" name="partial" value="yes"; " " (texts.forget_partial) }
            button { (texts.forget_plan) }
        }
    }
}

fn mode_choice(language: PageLanguage, chosen: Option<Mode>) -> Markup {
    let chosen = chosen.unwrap_or(Mode::Hard);
    html! {
        fieldset class="choice" {
            legend { (language.texts().forget_how) }
            @for mode in [Mode::Hard, Mode::Soft, Mode::Archive] {
                label class="tick" {
                    input type="radio" name="mode" value=(mode.as_str()) checked[mode == chosen];
                    " " (language.word("mode", mode.as_str()))
                }
            }
        }
    }
}

/// Plans a request. Nothing changes by it.
pub(super) async fn plan(
    State(app): State<App>,
    Extension(visitor): Extension<Arc<Visitor>>,
    form: SentForm,
) -> Result<Html<String>> {
    let ids = form.ids("ids")?;
    let words = form.text("words").unwrap_or_default();
    let target = match (ids.is_empty(), words.is_empty()) {
        (false, _) => Target::Ids(ids),
        (true, false) => Target::Words(words.to_owned()),
        (true, true) => return Err(Failure::invalid("words", "must not be empty")),
    };
    let mut request = Request::new(target);
    request.mode = Some(form.word("mode")?.unwrap_or(Mode::Hard));
    request.partial = form.is_ticked("partial");
    request.who = form.text("who").and_then(|who| who.parse().ok());
    let (caller, scope) = (visitor.caller.clone(), visitor.caller.personal_scope());
    let (planned, _) =
        app.call_in(caller, scope, move |core, grant| core.plan_forget(grant, &request)).await?;
    let texts = visitor.language.texts();
    let body = match planned {
        Planned::Unclear(question) => html! {
            (notice("bad", texts.forget_unclear))
            p class="hint" lang="en" { (question.sentence()) }
            (words_form(&visitor, words, form.word("mode")?))
        },
        Planned::WhichOne(people) => {
            let labels = people.iter().map(|one| (one.label.as_str(), one.count)).collect::<Vec<_>>();
            which_one(&visitor, &form, &labels)
        }
        Planned::Plan(plan) => plan_body(&visitor, &plan),
    };
    Ok(page(&visitor, Chapter::Forget, texts.plan_title, &body))
}

fn which_one(visitor: &Visitor, form: &SentForm, people: &[(&str, usize)]) -> Markup {
    let language = visitor.language;
    let texts = language.texts();
    html! {
        p class="lead" { (texts.which_person) }
        form method="post" action="/console/forget" class="card" {
            (key(visitor))
            @for name in ["words", "mode", "partial"] {
                @if let Some(value) = form.text(name) { input type="hidden" name=(name) value=(value); }
            }
            @for (at, (label, count)) in people.iter().enumerate() {
                p { button class="second" name="who" value=(at + 1) {
                    (said(label)) " · " (language.counted(*count, texts.memories))
                } }
            }
        }
    }
}

fn plan_body(visitor: &Visitor, plan: &Plan) -> Markup {
    let language = visitor.language;
    let texts = language.texts();
    let of =
        |closeness| plan.matches.iter().filter(move |found| found.closeness == closeness).collect::<Vec<_>>();
    let (direct, possible) = (of(Closeness::Direct), of(Closeness::Indirect));
    let total = plan.direct + plan.indirect;
    html! {
        @if let Some(token) = &plan.token {
            p class="lead" { (filled(texts.plan_lead, &[&language.counted(total, texts.memories), &language.word("mode", plan.mode.as_str())])) }
            form method="post" action="/console/forget/confirm" data-bulk="" {
                (key(visitor))
                input type="hidden" name="token" value=(token);
                (ticks(language, texts.plan_direct, texts.plan_direct_hint, &direct, true))
                (ticks(language, texts.plan_possible, texts.plan_possible_hint, &possible, false))
                @if total > plan.matches.len() {
                    label class="tick" { input type="checkbox" name="all" value="yes"; " "
                        (filled(texts.plan_all, &[&language.number(total)])) }
                }
                (falls(language, plan))
                p class="buttons" {
                    button class="danger" { (texts.plan_confirm) }
                    " " a href="/console/forget" { (texts.plan_leave) }
                }
                p class="hint" { (texts.plan_expires) " " (language.moment(plan.expires_at)) }
            }
        } @else {
            (notice("plain", texts.plan_nothing))
        }
        @if plan.others > 0 { p class="hint" { (filled(texts.plan_others, &[&language.counted(plan.others, texts.memories)])) } }
        (nearest(visitor, plan))
        p { a href="/console/forget" { (texts.plan_again) } }
    }
}

fn ticks(language: PageLanguage, title: &str, hint: &str, found: &[&PlannedMatch], ticked: bool) -> Markup {
    html! {
        @if !found.is_empty() {
            fieldset class="card ticks" {
                legend { (title) " · " (language.number(found.len())) }
                p class="hint" { (hint) }
                @for one in found {
                    label class="tick" {
                        input type="checkbox" name="only" value=(one.memory.id) checked[ticked];
                        span {
                            (said(one.memory.content.gist.expose()))
                            span class="marks" { (language.day(one.memory.created_at))
                                span class="mark" { (language.word("match", one.reason.as_str())) } }
                            @if let Some(leaves) = &one.leaves {
                                span class="leaves" { (language.texts().plan_leaves) " " (said(leaves)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The memories that were made of the matches.
fn falls(language: PageLanguage, plan: &Plan) -> Markup {
    let texts = language.texts();
    html! {
        @if !plan.derived.is_empty() {
            section class="card" {
                h2 { (texts.plan_falls) }
                p class="hint" { (texts.plan_falls_hint) }
                ul {
                    @for fall in &plan.derived {
                        li { (said(fall.memory.content.gist.expose())) " "
                            span class="mark" { (if fall.rebuilt { texts.plan_rebuilt } else { texts.plan_goes }) } }
                    }
                }
            }
        }
    }
}

/// The memories that stay, and that may be meant too.
fn nearest(visitor: &Visitor, plan: &Plan) -> Markup {
    let language = visitor.language;
    let texts = language.texts();
    html! {
        @if !plan.nearest.is_empty() {
            form method="post" action="/console/forget" class="card ticks" {
                (key(visitor))
                input type="hidden" name="mode" value=(plan.mode.as_str());
                h2 { (texts.plan_stays) }
                p class="hint" { (texts.plan_stays_hint) }
                @for one in &plan.nearest {
                    label class="tick" {
                        input type="checkbox" name="ids" value=(one.memory.id);
                        span { (said(one.memory.content.gist.expose())) span class="marks" { (language.day(one.memory.created_at)) } }
                    }
                }
                button class="second" { (texts.plan_these) }
            }
        }
    }
}

/// Carries a plan out.
pub(super) async fn confirm(
    State(app): State<App>,
    Extension(visitor): Extension<Arc<Visitor>>,
    form: SentForm,
) -> Result<Html<String>> {
    let token = form.required("token")?.to_owned();
    let only = form.ids("only")?;
    let texts = visitor.language.texts();
    if only.is_empty() && !form.is_ticked("all") {
        let body = html! { (notice("plain", texts.plan_none_ticked)) p { a href="/console/forget" { (texts.plan_again) } } };
        return Ok(page(&visitor, Chapter::Forget, texts.plan_title, &body));
    }
    let choice = if form.is_ticked("all") { PlanChoice::All } else { PlanChoice::Only(only.clone()) };
    let (caller, scope) = (visitor.caller.clone(), visitor.caller.personal_scope());
    let (confirmed, _) =
        app.call_in(caller, scope, move |core, grant| core.confirm_forget(grant, &token, &choice)).await?;
    Ok(match confirmed {
        Confirmed::Again { token, .. } => page(
            &visitor,
            Chapter::Forget,
            texts.again_title,
            &again(&visitor, &token, &only, form.is_ticked("all")),
        ),
        Confirmed::Done(done) => {
            page(&visitor, Chapter::Forget, texts.done_title, &done_body(visitor.language, &done))
        }
    })
}

fn again(visitor: &Visitor, token: &str, only: &[MemoryId], all: bool) -> Markup {
    let texts = visitor.language.texts();
    html! {
        p class="lead" { (texts.again_lead) }
        form method="post" action="/console/forget/confirm" class="card" {
            (key(visitor))
            input type="hidden" name="token" value=(token);
            @for id in only { input type="hidden" name="only" value=(id); }
            @if all { input type="hidden" name="all" value="yes"; }
            button class="danger" { (texts.again_confirm) }
            " " a href="/console/forget" { (texts.plan_leave) }
        }
    }
}

/// The result of a plan, step by step, with the receipts.
fn done_body(language: PageLanguage, done: &Forgotten) -> Markup {
    let texts = language.texts();
    let keys: u32 = done.receipts.iter().map(|signed| signed.receipt.counts.keys_destroyed).sum();
    let probes = done.receipts.iter().flat_map(|signed| &signed.receipt.probes);
    let (ways, found) =
        probes.fold((0, 0), |(ways, found), probed| (ways + 1, found + probed.found as usize));
    html! {
        (notice("good", &filled(texts.done_lead, &[&language.counted(done.memories.len(), texts.memories)])))
        @if let Some(until) = done.restorable_until {
            p { (texts.done_restorable) " " (language.moment(until)) }
        }
        @if !done.receipts.is_empty() {
            ol class="steps" {
                li { (filled(texts.step_keys, &[&language.number(keys as usize)])) }
                li { (filled(texts.step_fell, &[&language.number(done.fell.len())])) }
                li { (filled(texts.step_probes, &[&language.number(ways), &language.number(found)])) }
                li { (texts.step_signed) }
            }
            ul {
                @for signed in &done.receipts {
                    li { a class="button" href={ "/console/receipts/" (signed.receipt.number) } {
                        (texts.show_receipt) " " (signed.receipt.reference())
                    } }
                }
            }
        }
        @if !done.held_back.is_empty() {
            p { a href="/console/review" { (filled(texts.done_held_back, &[&language.counted(done.held_back.len(), texts.memories)])) } }
        }
        p { a href="/" { (texts.back_to_start) } }
    }
}

//! Times of keeping: the owner's settings, with a preview before a change.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::response::Html;
use lacuna_core::keep::Preview;
use lacuna_core::permit::{Recall, permit};
use lacuna_core::vault::{EntityRule, Settings, Span};
use lacuna_types::Sensitivity;
use maud::{Markup, html};

use super::form::SentForm;
use super::guard::Visitor;
use super::language::{PageLanguage, filled};
use super::layout::{Chapter, key, notice, page};
use crate::http::App;
use crate::wire::failure::{Failure, Result};

pub(super) async fn show(
    State(app): State<App>,
    Extension(visitor): Extension<Arc<Visitor>>,
) -> Result<Html<String>> {
    let settings = current(&app, &visitor).await?;
    Ok(settings_page(&visitor, &settings, &html! {}))
}

async fn current(app: &App, visitor: &Visitor) -> Result<Settings> {
    let (caller, scope) = (visitor.caller.clone(), visitor.caller.personal_scope());
    Ok(app.call_in(caller, scope, |core, grant| core.retention(grant)).await?.0)
}

fn settings_page(visitor: &Visitor, settings: &Settings, above: &Markup) -> Html<String> {
    let texts = visitor.language.texts();
    let body = html! {
        (above)
        p class="lead" { (texts.retention_lead) }
        (settings_form(visitor, settings))
    };
    page(visitor, Chapter::Retention, texts.nav_retention, &body)
}

fn settings_form(visitor: &Visitor, settings: &Settings) -> Markup {
    let language = visitor.language;
    let texts = language.texts();
    let days = |span: Option<&Span>| {
        span.and_then(|span| span.days()).map(|days| days.to_string()).unwrap_or_default()
    };
    html! {
        form method="post" action="/console/retention" class="card" {
            (key(visitor))
            label for="max_days" { (texts.retention_max) }
            input id="max_days" name="max_days" type="number" min="1" max="36500" value=[settings.max_days];
            p class="hint" { (texts.retention_empty) }
            fieldset class="grid" {
                legend { (texts.retention_categories) }
                @for one in Sensitivity::ALL {
                    @let name = format!("days_{}", one.as_str());
                    div {
                        label for=(name) { (language.word("sensitivity", one.as_str())) }
                        input id=(name) name=(name) type="number" min="1" max="36500" value=(days(settings.categories.get(one)));
                    }
                }
            }
            fieldset {
                legend { (texts.retention_people) }
                @for rule in &settings.entities {
                    label class="tick" {
                        input type="checkbox" name="keep_rule" value=(rule.name) checked;
                        " " bdi { (rule.name) } ": " (span_words(language, rule.keep))
                    }
                }
                div class="grid" {
                    div { label for="rule_name" { (texts.filter_name) } input id="rule_name" name="rule_name" autocomplete="off"; }
                    div { label for="rule_days" { (texts.retention_days) } input id="rule_days" name="rule_days" type="number" min="1" max="36500"; }
                }
                p class="hint" { (texts.retention_rule_hint) }
            }
            button name="do" value="preview" { (texts.retention_preview) }
        }
    }
}

fn span_words(language: PageLanguage, span: Span) -> String {
    match span {
        Span::Forever => language.texts().forever.to_owned(),
        Span::Days(days) => language.counted(days as usize, language.texts().days),
    }
}

/// Previews settings, or sets them as they were previewed.
pub(super) async fn change(
    State(app): State<App>,
    Extension(visitor): Extension<Arc<Visitor>>,
    form: SentForm,
) -> Result<Html<String>> {
    let before = current(&app, &visitor).await?;
    let wanted = read(&form, &before)?;
    let texts = visitor.language.texts();
    let goes: Option<usize> = form.text("goes").and_then(|goes| goes.parse().ok());
    let is_set = form.text("do") == Some("set") && goes.is_some();
    let (caller, asked) = (visitor.caller.clone(), wanted.clone());
    let preview = app
        .call(move |core| {
            let scope = caller.personal_scope();
            permit::<Recall>(&caller, &scope)?;
            match goes.filter(|_| is_set) {
                Some(goes) => core.set_retention(&permit(&caller, &scope)?, asked, goes),
                None => core.preview_retention(&permit(&caller, &scope)?, &asked),
            }
        })
        .await?;
    let above = match is_set {
        true => notice("good", texts.retention_set),
        false => preview_card(&visitor, &form, &preview),
    };
    Ok(settings_page(&visitor, &wanted, &above))
}

/// The settings of a form. Whatever it has no field for stays as it was.
fn read(form: &SentForm, before: &Settings) -> Result<Settings> {
    let days = |name: &str| -> Result<Option<u32>> {
        let number = form.text(name).map(str::parse).transpose();
        number.map_err(|_| Failure::invalid(name, "must be a number of days"))
    };
    let mut wanted = Settings { max_days: days("max_days")?, ..before.clone() };
    for one in Sensitivity::ALL {
        match days(&format!("days_{}", one.as_str()))? {
            Some(days) => _ = wanted.categories.insert(*one, Span::Days(days)),
            // An empty field takes a number back; "forever" is set elsewhere, and stays.
            None if wanted.categories.get(one).is_some_and(|span| span.days().is_some()) => {
                wanted.categories.remove(one);
            }
            None => {}
        }
    }
    wanted.entities.retain(|rule| form.all("keep_rule").any(|name| name == rule.name));
    if let Some(name) = form.text("rule_name") {
        wanted.entities.retain(|rule| rule.name != name);
        let keep = days("rule_days")?.map_or(Span::Forever, Span::Days);
        wanted.entities.push(EntityRule { name: name.to_owned(), keep });
    }
    Ok(wanted)
}

fn preview_card(visitor: &Visitor, form: &SentForm, preview: &Preview) -> Markup {
    let language = visitor.language;
    let texts = language.texts();
    let number = |count: usize| language.number(count);
    html! {
        section class="card preview" {
            h2 { (texts.retention_would) }
            ul {
                li class=[(preview.goes_now > 0).then_some("found")] {
                    (filled(texts.retention_now, &[&language.counted(preview.goes_now, texts.memories)]))
                }
                li { (filled(texts.retention_soon, &[&number(preview.goes_soon)])) }
                li { (filled(texts.retention_shorter, &[&number(preview.shortened), &number(preview.prolonged)])) }
                @for (category, count) in &preview.categories {
                    li { (language.word("sensitivity", category.as_str())) ": " (number(*count)) }
                }
            }
            form method="post" action="/console/retention" {
                (key(visitor))
                @for (name, value) in form.fields() {
                    @if !["do", "goes", super::form::KEY_FIELD].contains(&name) { input type="hidden" name=(name) value=(value); }
                }
                input type="hidden" name="goes" value=(preview.goes_now);
                button class=(if preview.goes_now > 0 { "danger" } else { "plain" }) name="do" value="set" { (texts.retention_do) }
            }
        }
    }
}

use jiff::Timestamp;
use lacuna_core::forget::Confirmed;
use lacuna_core::permit::permit;
use lacuna_types::request::PlanChoice;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::mcp::ask::{Reply, ask};
use crate::mcp::call::{Call, ToolAnswer, ToolOutcome, quoted};
use crate::wire::failure::Result;
use crate::wire::{self, ConfirmRequest, ForgetRequest, ForgottenView, PlanView, read_scope};

/// Matches that a person is shown before they say yes; the rest is counted.
const SHOWN_TO_PERSON: usize = 12;
const SHOWN_CHARS: usize = 120;
/// Confirmations at most: erasing everything needs a second yes, and nothing needs more.
const CONFIRMATIONS_MAX: usize = 2;

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::mcp) struct ForgetArgs {
    /// The request in the user's own words: "everything about my dentist", "my salary but keep that I work at
    /// Acme", "our conversation from yesterday".
    words: Option<String>,
    /// Or the very memories, by the ids that recall gave.
    #[schema(max_items = 1000)]
    memory_ids: Option<Vec<String>>,
    /// Or everything that mentions a person, a place, an organisation or a thing.
    entity: Option<String>,
    /// Or everything with these tags.
    #[schema(max_items = 32)]
    tags: Option<Vec<String>>,
    /// Or a conversation.
    session_id: Option<String>,
    /// Or a kind of sensitive information.
    sensitivity: Option<wire::Sensitivity>,
    /// Or everything from this moment on.
    after: Option<Timestamp>,
    /// Or everything before this moment.
    before: Option<Timestamp>,
    /// One of several people of the same name, counted from 1, as an earlier answer listed them.
    who: Option<u32>,
    /// Cut a memory that also says something else, instead of taking all of it.
    #[serde(default)]
    partial: bool,
    /// Time zone of "yesterday", such as `Europe/Lisbon`.
    time_zone: Option<String>,
    /// The second step: the token of the plan that the user has seen and agreed to. Send nothing else with it but
    /// `only`, `direct_only` and `scope`.
    confirm_token: Option<String>,
    /// With the token: only these of the planned memories.
    #[schema(max_items = 1000)]
    only: Option<Vec<String>>,
    /// With the token: only the memories that say it, not those that merely seem to be about it.
    #[serde(default)]
    direct_only: bool,
    /// `user` (the default), `team:NAME`, `org` or `deployment:NAME`.
    scope: Option<String>,
}

/// Result of a call to forget.
#[derive(Serialize, ToSchema)]
pub(in crate::mcp) struct ForgetAnswer {
    /// `plan`: show it to the user, and confirm. `again`: it needs a second yes. `forgotten`: it is done. `declined`:
    /// the user did not say yes. `nothing`: nothing matches. `unclear` or `which_one`: ask the user.
    outcome: &'static str,
    /// For the second step.
    #[serde(skip_serializing_if = "Option::is_none")]
    confirm_token: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    plan: Option<PlanView>,
    /// With the signed receipts.
    #[serde(skip_serializing_if = "Option::is_none")]
    forgotten: Option<ForgottenView>,
}

pub(in crate::mcp) async fn run(call: &Call, mut args: ForgetArgs) -> Result<ToolOutcome> {
    // The client's state is the token of the plan that the person saw.
    let kept = call.request_state.clone();
    let Some(token) = kept.or_else(|| args.confirm_token.take()) else { return plan(call, args).await };
    let message = "Carry out the erasure that your assistant has planned? It cannot be undone.".to_owned();
    with_a_yes(call, PlannedForget { token, message, plan: None }, args).await
}

async fn plan(call: &Call, args: ForgetArgs) -> Result<ToolOutcome> {
    let scope = args.scope.clone();
    let request = args.request().into_core()?;
    let plan = call
        .work(move |core, caller| {
            let scope = read_scope(scope.as_deref(), caller)?;
            Ok(PlanView::of(core.plan_forget(&permit(caller, &scope)?, &request)?, &scope))
        })
        .await?;
    let is_open = plan.direct + plan.indirect + plan.working == 0;
    match plan.token.clone() {
        Some(token) if is_open && args.only.is_none() => for_the_user(plan, token),
        Some(token) => {
            let message = shown_to_person(&plan);
            with_a_yes(call, PlannedForget { token, message, plan: Some(plan) }, args).await
        }
        None => open_question(plan),
    }
}

struct PlannedForget {
    token: String,
    message: String,
    /// The plan for the model, when nobody can be asked.
    plan: Option<PlanView>,
}

/// Gets a yes. Where the client can ask, the person decides, whatever the model sends. Where it cannot, a
/// returned token counts as the yes that the model was told to get.
async fn with_a_yes(call: &Call, mut planned: PlannedForget, args: ForgetArgs) -> Result<ToolOutcome> {
    for _ in 0..CONFIRMATIONS_MAX {
        match ask(call, planned.message.clone(), planned.token.clone()).await? {
            Reply::CallAgain(again) => return Ok(ToolOutcome::CallAgain(again)),
            Reply::No => return declined(),
            Reply::Unasked => {
                return match planned.plan.take() {
                    Some(plan) => for_the_user(plan, planned.token),
                    None => finish(confirm(call, planned.token, &args).await?),
                };
            }
            Reply::Yes => {}
        }
        let done = confirm(call, planned.token, &args).await?;
        match (done.token.clone(), call.input_responses.is_some()) {
            (Some(token), false) => {
                let message = "This erases everything that is remembered. Are you sure?".to_owned();
                planned = PlannedForget { token, message, plan: None };
            }
            _ => return finish(done),
        }
    }
    declined()
}

async fn confirm(call: &Call, token: String, args: &ForgetArgs) -> Result<ForgottenView> {
    let request = ConfirmRequest {
        token,
        direct_only: args.direct_only,
        only: args.only.clone(),
        scope: args.scope.clone(),
    };
    let choice: PlanChoice = request.choice()?;
    call.work(move |core, caller| {
        let scope = read_scope(request.scope.as_deref(), caller)?;
        let confirmed: Confirmed = core.confirm_forget(&permit(caller, &scope)?, &request.token, &choice)?;
        Ok(ForgottenView::of(confirmed, &scope))
    })
    .await
}

impl ForgetArgs {
    fn request(&self) -> ForgetRequest {
        ForgetRequest {
            words: self.words.clone(),
            memory_ids: self.memory_ids.clone(),
            entity: self.entity.clone(),
            tags: self.tags.clone(),
            session_id: self.session_id.clone(),
            sensitivity: self.sensitivity,
            after: self.after,
            before: self.before,
            who: self.who,
            partial: self.partial,
            time_zone: self.time_zone.clone(),
            ..ForgetRequest::default()
        }
    }
}

fn shown_to_person(plan: &PlanView) -> String {
    let count = plan.direct + plan.indirect;
    let mut message = format!(
        "Forget {}, and {} derived from them? It cannot be undone.",
        wire::count_memories(count),
        plan.falls
    );
    for one in plan.matches.iter().filter(|one| !one.offered).take(SHOWN_TO_PERSON) {
        let gist: String = one.gist.chars().take(SHOWN_CHARS).collect();
        message += &format!("\n- {}", quoted(&gist));
    }
    if count > SHOWN_TO_PERSON {
        message += &format!("\n… and {} more", count - SHOWN_TO_PERSON);
    }
    message
}

fn for_the_user(plan: PlanView, token: String) -> Result<ToolOutcome> {
    let mut text = format!(
        "Nothing is forgotten yet. Direct matches: {}; indirect matches: {}; derived memories that are erased as \
         well: {}; derived memories that are made anew: {}.",
        plan.direct, plan.indirect, plan.falls, plan.rebuilt
    );
    if plan.offered > 0 {
        text += &format!(" Offered, and staying unless `only` names them: {}.", plan.offered);
    }
    for one in &plan.matches {
        let closeness = if one.offered { "offered" } else { one.closeness };
        text += &format!("\n- {} ({closeness}, {}): {}", one.memory_id, one.reason, quoted(&one.gist));
        if let Some(leaves) = &one.leaves {
            text += &format!(", of which stays {}", quoted(leaves));
        }
    }
    for near in &plan.nearest {
        text += &format!("\n- may be meant too, and stays: {}: {}", near.memory_id, quoted(&near.gist));
    }
    text += &format!(
        "\nShow this to the user. Only if they agree, call forget again with confirm_token = {} and nothing else, or \
         with only = [ids] to forget a part.",
        quoted(&token)
    );
    answer("plan", text, Some(token), Some(plan), None)
}

fn open_question(plan: PlanView) -> Result<ToolOutcome> {
    let text = match plan.outcome {
        "unclear" => format!("Ask the user: {}", plan.question.unwrap_or_default()),
        "which_one" => {
            let people = plan.people.iter().map(|one| {
                format!(
                    "\n- who = {}: {} ({})",
                    one.who,
                    quoted(&one.label),
                    wire::count_memories(one.memories)
                )
            });
            format!(
                "Several people bear that name. Ask the user which one is meant:{}",
                people.collect::<String>()
            )
        }
        _ if plan.not_yours > 0 => {
            "Another person wrote the matches, and only they can erase them.".to_owned()
        }
        _ if !plan.nearest.is_empty() => {
            let near = plan.nearest.iter().map(|one| format!("\n- {}: {}", one.memory_id, quoted(&one.gist)));
            format!(
                "Nothing surely matches. Ask the user whether one of these is meant, and call forget with its \
                 memory_ids:{}",
                near.collect::<String>()
            )
        }
        _ => "Nothing that is remembered matches, so there is nothing to forget.".to_owned(),
    };
    let outcome = if plan.outcome == "plan" { "nothing" } else { plan.outcome };
    answer(outcome, text, None, Some(plan), None)
}

fn finish(done: ForgottenView) -> Result<ToolOutcome> {
    if let Some(token) = done.token.clone() {
        let text = format!(
            "This erases everything, and needs a second yes. Ask the user once more, then call forget with \
             confirm_token = {}.",
            quoted(&token)
        );
        return answer("again", text, Some(token), None, Some(done));
    }
    let receipts: Vec<_> = done.receipts.iter().map(|receipt| receipt.receipt.as_str()).collect();
    let mut text = format!(
        "Forgotten: {}, and {} derived from them.",
        wire::count_memories(done.memory_ids.len()),
        done.fell.len()
    );
    match done.restorable_until {
        Some(until) => text += &format!(" They are hidden, and can be restored until {until}."),
        None => text += &format!(" Receipt: {}. Do not repeat what they said.", receipts.join(", ")),
    }
    answer("forgotten", text, None, None, Some(done))
}

fn declined() -> Result<ToolOutcome> {
    answer("declined", "The user did not say yes. Nothing was forgotten.".to_owned(), None, None, None)
}

fn answer(
    outcome: &'static str,
    text: String,
    confirm_token: Option<String>,
    plan: Option<PlanView>,
    forgotten: Option<ForgottenView>,
) -> Result<ToolOutcome> {
    // The token stands in one place.
    let plan = plan.map(|plan| PlanView { token: None, ..plan });
    Ok(ToolAnswer::new(text, &ForgetAnswer { outcome, confirm_token, plan, forgotten })?.into())
}

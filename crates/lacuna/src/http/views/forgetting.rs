//! The view `forgetting`: requests in plain words, the question that lists what would go, and the answer to it, in
//! the words of a paper on forgetting rights.

use axum::Extension;
use axum::extract::State;
use jiff::Timestamp;
use lacuna_core::erase::Forgotten;
use lacuna_core::forget::{Plan, Planned, PlannedMatch, Request};
use lacuna_core::permit::{Caller, Forget, permit};
use lacuna_types::MemoryId;
use lacuna_types::request::{Closeness, Mode, PlanChoice, Reach, Target};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::VIEW_BYTES_MAX;
use super::personal::confirm;
use crate::http::App;
use crate::http::body::Json;
use crate::http::problem::Problems;
use crate::wire::count_memories;
use crate::wire::failure::{Failure, Result};

/// Gists that a question lists; it counts all of them.
const LISTED_MAX: usize = 3;

/// A request to forget, as a person says it.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ForgettingRequest)]
pub(in crate::http) struct ForgettingWords {
    /// Such as "Forget everything about my diabetes".
    #[schema(min_length = 1, max_length = 4000)]
    request: String,
    /// One of several people of the same name, counted from 1, as an earlier answer listed them.
    who: Option<u32>,
}

/// An entity to forget.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ForgettingEntityRequest)]
pub(in crate::http) struct ForgettingEntity {
    #[schema(min_length = 1, max_length = 4000)]
    entity_name: String,
    /// Such as `person`, `place` or `condition`. A name is found whatever its type.
    #[expect(dead_code, reason = "the document sends it; names are matched whatever their type")]
    entity_type: Option<String>,
    #[serde(default)]
    scope: EntityReach,
    who: Option<u32>,
}

/// Memories about the entity, or all that mention it.
#[derive(Clone, Copy, Default, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case", try_from = "String")]
#[schema(as = EntityReach)]
pub(in crate::http) enum EntityReach {
    Primary,
    #[default]
    AnyMention,
}

impl TryFrom<String> for EntityReach {
    type Error = &'static str;

    /// The error names the words that there are, and does not repeat the one that was sent.
    fn try_from(word: String) -> std::result::Result<Self, Self::Error> {
        match word.as_str() {
            "primary" => Ok(Self::Primary),
            "any_mention" => Ok(Self::AnyMention),
            _ => Err("must be primary or any_mention"),
        }
    }
}

/// The question to the person, with what an answer would do.
#[derive(Serialize, ToSchema)]
#[schema(as = ForgettingQuestion)]
pub(in crate::http) struct ForgettingQuestion {
    /// The question in words, ready to be shown.
    text: String,
    direct: usize,
    indirect: usize,
    /// Derived memories that would be erased or made anew.
    cascade: usize,
    /// Choices: a letter each.
    options: Vec<ForgettingOption>,
    /// People of that name; ask again with `who`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    people: Vec<String>,
    /// Send it with the chosen letter; absent when there is nothing to delete.
    #[serde(skip_serializing_if = "Option::is_none")]
    confirmation_token: Option<String>,
    /// Ids of the matches, for choice C.
    memory_ids: Vec<String>,
}

/// One choice.
#[derive(Serialize, ToSchema)]
#[schema(as = ForgettingOption)]
pub(in crate::http) struct ForgettingOption {
    letter: &'static str,
    text: String,
}

impl ForgettingQuestion {
    fn asking(text: String) -> Self {
        Self {
            text,
            direct: 0,
            indirect: 0,
            cascade: 0,
            options: Vec::new(),
            people: Vec::new(),
            confirmation_token: None,
            memory_ids: Vec::new(),
        }
    }

    fn of(planned: Planned, subject: &str) -> Self {
        match planned {
            Planned::Unclear(question) => Self::asking(question.sentence().to_owned()),
            Planned::WhichOne(people) => {
                let line = |(at, one): (usize, &lacuna_language::people::Cluster)| {
                    format!("{}. {} - {}", at + 1, one.label, count_memories(one.count))
                };
                let people: Vec<String> = people.iter().enumerate().map(line).collect();
                let text = format!(
                    "I have memories about several people of that name:\n\n{}\n\nWhich one should I forget?",
                    people.join("\n")
                );
                Self { people, ..Self::asking(text) }
            }
            Planned::Plan(plan) => Self::planned(*plan, subject),
        }
    }

    fn planned(plan: Plan, subject: &str) -> Self {
        let all = plan.direct + plan.indirect;
        if plan.token.is_none() {
            return Self::asking(format!("I have no memories related to \"{subject}\"."));
        }
        let text = format!(
            "I found {} related to \"{subject}\":\n\n{}{}\nWould you like me to:",
            count_memories(all),
            listed("Direct mentions", plan.direct, &plan.matches, Closeness::Direct),
            listed("Indirect references", plan.indirect, &plan.matches, Closeness::Indirect),
        );
        let mut options =
            vec![ForgettingOption { letter: "A", text: format!("Delete all {}", count_memories(all)) }];
        if plan.direct > 0 && plan.indirect > 0 {
            let text = format!("Delete only the {} direct mentions", plan.direct);
            options.push(ForgettingOption { letter: "B", text });
        }
        options.push(ForgettingOption { letter: "C", text: "Review each memory first".to_owned() });
        options.push(ForgettingOption { letter: "D", text: "Cancel".to_owned() });
        Self {
            direct: plan.direct,
            indirect: plan.indirect,
            cascade: plan.falls + plan.rebuilt,
            options,
            memory_ids: plan.matches.iter().map(|found| found.memory.id.to_string()).collect(),
            confirmation_token: plan.token,
            ..Self::asking(text)
        }
    }
}

/// A heading with its count, and the first gists under it.
fn listed(heading: &str, count: usize, matches: &[PlannedMatch], closeness: Closeness) -> String {
    if count == 0 {
        return String::new();
    }
    let mut text = format!("{heading}: {}\n", count_memories(count));
    let of_kind = matches.iter().filter(|found| found.closeness == closeness);
    for found in of_kind.take(LISTED_MAX) {
        let month = found.memory.created_at.strftime("%B %Y");
        text.push_str(&format!("- {} ({month})\n", found.memory.content.gist.expose()));
    }
    if count > LISTED_MAX {
        text.push_str(&format!("- [... {} more]\n", count - LISTED_MAX));
    }
    text
}

/// Say what to forget in plain words. The answer is a question; nothing is deleted yet.
#[utoipa::path(
    post,
    path = "/v1/views/forgetting/request",
    operation_id = "forgetting_request",
    tag = "views",
    request_body = ForgettingWords,
    responses((status = 200, description = "What would go, as a question.", body = ForgettingQuestion), Problems)
)]
pub(in crate::http) async fn request(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Json(asked): Json<ForgettingWords, VIEW_BYTES_MAX>,
) -> Result<axum::Json<ForgettingQuestion>> {
    let wanted = Request { who: asked.who, ..Request::new(Target::Words(asked.request.clone())) };
    plan(&app, caller, wanted, asked.request).await
}

/// Say which entity to forget. The answer is a question; nothing is deleted yet.
#[utoipa::path(
    post,
    path = "/v1/views/forgetting/forget-entity",
    operation_id = "forgetting_entity",
    tag = "views",
    request_body = ForgettingEntity,
    responses((status = 200, description = "What would go, as a question.", body = ForgettingQuestion), Problems)
)]
pub(in crate::http) async fn forget_entity(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Json(asked): Json<ForgettingEntity, VIEW_BYTES_MAX>,
) -> Result<axum::Json<ForgettingQuestion>> {
    let reach = match asked.scope {
        EntityReach::Primary => Reach::Subject,
        EntityReach::AnyMention => Reach::Mentions,
    };
    let target = Target::Entity { name: asked.entity_name.clone(), reach };
    plan(&app, caller, Request { who: asked.who, ..Request::new(target) }, asked.entity_name).await
}

async fn plan(
    app: &App,
    caller: Caller,
    wanted: Request,
    subject: String,
) -> Result<axum::Json<ForgettingQuestion>> {
    let wanted = Request { mode: Some(Mode::Hard), ..wanted };
    let scope = caller.personal_scope();
    let (planned, _) =
        app.call_in(caller, scope, move |core, grant| core.plan_forget(grant, &wanted)).await?;
    Ok(axum::Json(ForgettingQuestion::of(planned, &subject)))
}

/// The answer to a question.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ForgettingAnswerRequest)]
pub(in crate::http) struct ForgettingAnswer {
    confirmation_token: String,
    /// A: all, B: the direct mentions only, C: those of `memory_ids` only, D: none.
    choice: ForgettingLetter,
    /// With choice C.
    #[serde(default)]
    #[schema(max_items = 1000)]
    memory_ids: Vec<String>,
}

/// A letter of a question.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(try_from = "String")]
#[schema(as = ForgettingLetter)]
pub(in crate::http) enum ForgettingLetter {
    A,
    B,
    C,
    D,
}

impl TryFrom<String> for ForgettingLetter {
    type Error = &'static str;

    fn try_from(word: String) -> std::result::Result<Self, Self::Error> {
        match word.as_str() {
            "A" => Ok(Self::A),
            "B" => Ok(Self::B),
            "C" => Ok(Self::C),
            "D" => Ok(Self::D),
            _ => Err("must be A, B, C or D"),
        }
    }
}

/// The result of forgetting.
#[derive(Serialize, ToSchema)]
#[schema(as = ForgettingDone)]
pub(in crate::http) struct ForgettingDone {
    /// The result in words.
    text: String,
    deleted: usize,
    /// Derived memories that were deleted with them.
    cascaded: usize,
    /// Derived memories that were made anew from their other sources.
    regenerated: usize,
    /// Receipts, for compliance records.
    references: Vec<String>,
}

impl ForgettingDone {
    fn of(done: &Forgotten) -> Self {
        let references: Vec<String> = done.receipts.iter().map(|signed| signed.receipt.reference()).collect();
        let changed = done.rebuilt.len() + done.cut.len();
        let mut text =
            format!("Done. I've deleted {}", count_memories(done.memories.len() + done.fell.len()));
        if changed > 0 {
            text.push_str(&format!(" and updated {} that referred to them", count_memories(changed)));
        }
        text.push('.');
        if let Some(first) = references.first() {
            text.push_str(&format!("\n\nReference: {first} (save this for compliance records)"));
        }
        Self {
            text,
            deleted: done.memories.len(),
            cascaded: done.fell.len(),
            regenerated: changed,
            references,
        }
    }

    fn cancelled() -> Self {
        let text = "Nothing was deleted.".to_owned();
        Self { text, deleted: 0, cascaded: 0, regenerated: 0, references: Vec::new() }
    }
}

/// Answer the question: all, the direct mentions, some of them, or none.
#[utoipa::path(
    post,
    path = "/v1/views/forgetting/answer",
    operation_id = "forgetting_answer",
    tag = "views",
    request_body = ForgettingAnswer,
    responses((status = 200, description = "What was deleted, with the reference.", body = ForgettingDone), Problems)
)]
pub(in crate::http) async fn answer(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Json(answer): Json<ForgettingAnswer, VIEW_BYTES_MAX>,
) -> Result<axum::Json<ForgettingDone>> {
    let ids =
        answer.memory_ids.iter().map(|id| id.parse()).collect::<lacuna_types::Result<Vec<MemoryId>>>()?;
    let choice = match answer.choice {
        ForgettingLetter::A => PlanChoice::All,
        ForgettingLetter::B => PlanChoice::Direct,
        ForgettingLetter::C if ids.is_empty() => {
            return Err(Failure::invalid("memory_ids", "choice C names those that go"));
        }
        ForgettingLetter::C => PlanChoice::Only(ids),
        ForgettingLetter::D => return Ok(axum::Json(ForgettingDone::cancelled())),
    };
    let done = app.call(move |core| {
        let grant = permit::<Forget>(&caller, &caller.personal_scope())?;
        confirm(core, &grant, answer.confirmation_token, &choice)
    });
    Ok(axum::Json(ForgettingDone::of(&done.await?)))
}

/// One memory to forget.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ForgettingMemoryRequest)]
pub(in crate::http) struct ForgettingMemory {
    memory_id: String,
    /// Why. It is stored nowhere: what is kept of an erasure holds no words.
    #[expect(dead_code, reason = "no words of a person are kept with an erasure")]
    reason: Option<String>,
}

/// Forget one memory and whatever was derived from it.
#[utoipa::path(
    post,
    path = "/v1/views/forgetting/forget-memory",
    operation_id = "forgetting_memory",
    tag = "views",
    request_body = ForgettingMemory,
    responses((status = 200, description = "What was deleted, with the reference.", body = ForgettingDone), Problems)
)]
pub(in crate::http) async fn forget_memory(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Json(request): Json<ForgettingMemory, VIEW_BYTES_MAX>,
) -> Result<axum::Json<ForgettingDone>> {
    let id: MemoryId = request.memory_id.parse()?;
    let scope = caller.personal_scope();
    let (done, _) = app.call_in(caller, scope, move |core, grant| core.delete(grant, id)).await?;
    Ok(axum::Json(ForgettingDone::of(&done)))
}

/// A subject to look for.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ForgettingVerifyRequest)]
pub(in crate::http) struct ForgettingVerify {
    /// Such as "Do you remember anything about my diabetes?"
    #[schema(min_length = 1, max_length = 4000)]
    question: String,
}

/// The answer to whether anything is left.
#[derive(Serialize, ToSchema)]
#[schema(as = ForgettingVerified)]
pub(in crate::http) struct ForgettingVerified {
    /// The answer in words.
    text: String,
    memories: usize,
    references: Vec<ForgettingReference>,
}

/// An earlier deletion of the same.
#[derive(Serialize, ToSchema)]
#[schema(as = ForgettingReference)]
pub(in crate::http) struct ForgettingReference {
    reference: String,
    processed_at: Timestamp,
}

/// Ask whether anything about a subject is left, and whether a deletion was processed.
#[utoipa::path(
    post,
    path = "/v1/views/forgetting/verify",
    operation_id = "forgetting_verify",
    tag = "views",
    request_body = ForgettingVerify,
    responses((status = 200, description = "The answer, in words and figures.", body = ForgettingVerified), Problems)
)]
pub(in crate::http) async fn verify(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Json(asked): Json<ForgettingVerify, VIEW_BYTES_MAX>,
) -> Result<axum::Json<ForgettingVerified>> {
    let scope = caller.personal_scope();
    let (found, _) =
        app.call_in(caller, scope, move |core, grant| core.verify_forgotten(grant, &asked.question)).await?;
    let memories = found.direct.len() + found.indirect.len();
    let references = found.receipts.into_iter();
    let references: Vec<_> =
        references.map(|(reference, processed_at)| ForgettingReference { reference, processed_at }).collect();
    let mut text = match memories {
        0 => "I have no memories related to this.".to_owned(),
        some => format!("I have {} that may be related to this.", count_memories(some)),
    };
    if let Some(last) = references.first() {
        text.push_str(&format!(
            " My records show a deletion request ({}) was processed on {}, but I don't have details about what was deleted.",
            last.reference,
            last.processed_at.strftime("%B %-d, %Y")
        ));
    }
    Ok(axum::Json(ForgettingVerified { text, memories, references }))
}

use jiff::Timestamp;
use lacuna_core::Consents;
use lacuna_core::permit::permit;
use lacuna_types::{
    Category, Draft, Lifecycle, RetentionTier, SessionId, Source, SourceType, Tier, Trust, Wait,
};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::codes;
use crate::mcp::ask::{Reply, about, ask};
use crate::mcp::call::{Call, ToolAnswer, ToolOutcome};
use crate::wire::failure::{Failure, GateAnswer, Result};
use crate::wire::{self, PURPOSE_DEFAULT, RememberedView, read_scope};

/// Channel of memories that come through this door.
const CHANNEL: &str = "mcp";

/// Speaker of the words.
#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(in crate::mcp) enum SaidBy {
    /// The user said it, in this conversation.
    User,
    /// A conclusion of the assistant's own.
    #[default]
    Assistant,
    /// It comes out of a tool, a file or a web page.
    Tool,
}

#[derive(Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::mcp) struct RememberArgs {
    /// One statement that can be understood without the conversation: names instead of "he", dates instead of
    /// "tomorrow".
    #[schema(min_length = 1, max_length = 10_000)]
    content: String,
    /// `user` only if the user said it in so many words; `assistant` for your own conclusions; `tool` for the
    /// output of a tool, a file or a web page. Your conclusions are notes: found at once, marked as not confirmed,
    /// until the user confirms them.
    #[serde(default)]
    said_by: SaidBy,
    /// With `said_by` = `tool`: the tool's name, such as `web_fetch`.
    tool: Option<String>,
    /// `preference` for likes and habits, `learned_context` for facts, `work_pattern` for ways of working,
    /// `conversation` for events.
    category: Option<wire::Category>,
    #[serde(default)]
    #[schema(max_items = 32)]
    tags: Vec<String>,
    /// Importance from 0 to 1; leave it out unless the user said how important it is.
    #[schema(minimum = 0, maximum = 1)]
    salience: Option<f32>,
    /// The conversation that it comes from, if you have an id for it.
    session_id: Option<String>,
    /// Time at which it is to be forgotten, if the user named one.
    expires_at: Option<Timestamp>,
    /// The token of an earlier answer that asked about this very text: only after the user said yes.
    confirm: Option<String>,
    /// `user` (the default), `team:NAME`, `org` or `deployment:NAME`.
    scope: Option<String>,
}

pub(in crate::mcp) async fn run(call: &Call, args: RememberArgs) -> Result<ToolOutcome> {
    match store(call, args.clone()).await {
        Err(failure) => asked(call, args, failure).await,
        Ok(stored) => Ok(told(&stored)?.into()),
    }
}

/// Takes the gate's question to the person where the client can ask, and else to the model.
async fn asked(call: &Call, args: RememberArgs, failure: Failure) -> Result<ToolOutcome> {
    let Some(GateAnswer::Asked(question)) = failure.gate.as_deref() else { return Err(failure) };
    let message = match &question.held {
        Some(held) => format!(
            "Your assistant wants to remember something about {about}. May your assistants keep this, and what you say \
             about {about} from now on? You can revoke it at any time.\n\n{}",
            args.content,
            about = held.about()
        ),
        None => format!(
            "Your assistant wants to remember something that needs your yes ({}). Remember it as it is?\n\n{}",
            question.questions.join(", "),
            args.content
        ),
    };
    match ask(call, message, about("remember", &[&args.content])).await? {
        Reply::CallAgain(again) => Ok(ToolOutcome::CallAgain(again)),
        Reply::Unasked => Err(failure),
        Reply::No => Err(Failure::new(&codes::NEEDS_CONFIRMATION, "the user was asked and did not say yes")),
        Reply::Yes => {
            let (confirm, held) = (Some(question.confirm.clone()), question.held.clone());
            let scope = args.scope.clone();
            let stored = store(call, RememberArgs { confirm, ..args }).await?;
            let topics = held.map(|held| held.categories).unwrap_or_default();
            consent(call, scope, topics).await?;
            Ok(told(&stored)?.into())
        }
    }
}

/// Keeps the consent that the person gave by their yes.
async fn consent(call: &Call, scope: Option<String>, topics: Vec<wire::ConsentTopic>) -> Result<()> {
    call.work(move |core, caller| {
        let scope = read_scope(scope.as_deref(), caller)?;
        for topic in topics {
            Consents::of(core).give(&permit(caller, &scope)?, topic.0, PURPOSE_DEFAULT)?;
        }
        Ok(())
    })
    .await
}

async fn store(call: &Call, args: RememberArgs) -> Result<RememberedView> {
    call.work(move |core, caller| {
        let scope = read_scope(args.scope.as_deref(), caller)?;
        let grant = permit(caller, &scope)?;
        let outcome = core.remember(&grant, vec![args.into_draft()?])?.pop();
        let outcome = outcome.ok_or_else(|| Failure::new(&codes::INTERNAL, codes::INTERNAL.meaning))?;
        Ok(RememberedView::of(Failure::of_gate(outcome)?, &scope))
    })
    .await
}

impl RememberArgs {
    fn into_draft(self) -> Result<Draft> {
        let session = self.session_id.as_deref().map(SessionId::new).transpose()?;
        let draft = Draft {
            text: self.content.into(),
            category: self.category.map(|word| word.0),
            tags: self.tags,
            salience: self.salience,
            expires_at: self.expires_at,
            confirm: self.confirm,
            ..Draft::default()
        };
        Ok(spoken_by(self.said_by, draft, session, self.tool))
    }
}

/// Gives a draft its source. An assistant's report of the user's words is less than the user's own message: it is
/// stored as said, with medium trust, and found at once. A model's own conclusion is its note: found at once with a
/// label, and no fact before the user confirms it. The output of a tool waits for review.
pub(in crate::mcp) fn spoken_by(
    said_by: SaidBy,
    draft: Draft,
    session: Option<SessionId>,
    tool: Option<String>,
) -> Draft {
    let source = |kind, trust| Source {
        session: session.clone(),
        channel: Some(CHANNEL.to_owned()),
        ..Source::new(kind, trust)
    };
    match said_by {
        SaidBy::User => {
            let lasting = draft.category != Some(Category::Conversation);
            Draft {
                source: Some(source(SourceType::UserMessage, Trust::Medium)),
                tier: Some(Tier::Episodic),
                retention: lasting.then_some(RetentionTier::LongTerm),
                ..draft
            }
        }
        SaidBy::Assistant => {
            Draft { source: Some(source(SourceType::AiInference, Trust::Low)), note: true, ..draft }
        }
        SaidBy::Tool => {
            let source =
                Source { tool, from_external_content: true, ..source(SourceType::ToolOutput, Trust::Medium) };
            Draft { source: Some(source), ..draft }
        }
    }
}

fn told(stored: &RememberedView) -> Result<ToolAnswer> {
    let mut text = match (stored.repeats, stored.state.0) {
        (1.., _) => format!("It was remembered already, as {}.", stored.memory_id),
        (_, Lifecycle::Active) if stored.is_note => format!(
            "Noted as {}. It can be recalled from now on, marked as noted by the assistant and not confirmed; the user \
             confirms, corrects or drops it in the review.",
            stored.memory_id
        ),
        (_, Lifecycle::Active) => {
            format!("Remembered as {}. It can be recalled from now on.", stored.memory_id)
        }
        _ if stored.waits == Some(wire::Wait(Wait::Consent)) => format!(
            "Held as {}, sealed: it needs the user's consent (a sensitive matter, or a pattern of behaviour), which they have not \
             given. It is not recalled; without a consent it is gone after 30 days.",
            stored.memory_id
        ),
        _ => format!(
            "Noted as {}. It is not the user's own word, so it waits for their review and is not recalled before; \
             review_memories lists what waits.",
            stored.memory_id
        ),
    };
    if let Some(until) = stored.kept_until {
        let because = stored.kept_because.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
        text += &format!(" It is kept until {}{because}.", until.strftime("%Y-%m-%d"));
    }
    if stored.gate.redactions.iter().any(|redaction| redaction.removed) {
        text += " A secret in it was taken out and not stored.";
    }
    if !stored.gate.changes.is_empty() {
        text += &format!(" Parts were changed on the way in: {}.", stored.gate.changes.join(", "));
    }
    if stored.gate.consent_keeps {
        text += " Only the user can have it kept whole: lacuna remember TEXT --consent explicit-consent.";
    }
    ToolAnswer::new(text, stored)
}

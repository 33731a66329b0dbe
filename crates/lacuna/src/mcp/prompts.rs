//! Prompts that a person picks from a client's menu.

use rmcp::ErrorData;
use rmcp::model::{GetPromptRequestParams, GetPromptResult, Prompt, PromptArgument, PromptMessage, Role};

/// A prompt: its name, its purpose, its one argument, and its text.
struct PromptText {
    name: &'static str,
    about: &'static str,
    argument: Option<(&'static str, &'static str)>,
    says: fn(&str) -> String,
}

const PROMPTS: [PromptText; 4] = [
    PromptText {
        name: "remember_this",
        about: "Have something remembered in your own words.",
        argument: Some(("what", "The text to remember.")),
        says: |what| format!("Please remember this with the remember tool, as said by me: {what}"),
    },
    PromptText {
        name: "what_do_you_know",
        about: "Ask what is remembered about something.",
        argument: Some(("about", "A person, a topic, a time.")),
        says: |about| {
            format!(
                "What do you remember about {about}? Look it up with the recall tool. Tell me for each memory when it \
                 was stored and how far it is trusted, and say so if there is nothing."
            )
        },
    },
    PromptText {
        name: "forget_this",
        about: "Have something erased, with a receipt.",
        argument: Some(("what", "The subject to forget.")),
        says: |what| {
            format!(
                "Please forget {what}. Use the forget tool, show me the plan, and wait for my yes before you confirm it. \
                 Then check with memory_status that nothing is left, and give me the receipt."
            )
        },
    },
    PromptText {
        name: "review_my_memories",
        about: "Go through the memories that wait for your decision.",
        argument: None,
        says: |_| {
            "Please go through what waits in my memory with review_memories, one by one, and ask me about each: keep, \
             change or reject."
                .to_owned()
        },
    },
];

pub(super) fn list() -> Vec<Prompt> {
    let prompt = |saying: &PromptText| {
        let argument = |(name, about): (&str, &str)| {
            PromptArgument::new(name).with_description(about).with_required(true)
        };
        Prompt::new(saying.name, Some(saying.about), saying.argument.map(|one| vec![argument(one)]))
    };
    PROMPTS.iter().map(prompt).collect()
}

pub(super) fn get(request: &GetPromptRequestParams) -> Result<GetPromptResult, ErrorData> {
    let saying = PROMPTS.iter().find(|saying| saying.name == request.name);
    let saying = saying.ok_or_else(|| ErrorData::invalid_params("there is no such prompt", None))?;
    let given = |name: &str| {
        let value =
            request.arguments.as_ref().and_then(|given| given.get(name)).and_then(|value| value.as_str());
        value.ok_or_else(|| ErrorData::invalid_params(format!("{name} is missing"), None))
    };
    let word = saying.argument.map_or(Ok(""), |(name, _)| given(name))?;
    let message = PromptMessage::new_text(Role::User, (saying.says)(word));
    let mut result = GetPromptResult::new(vec![message]);
    result.description = Some(saying.about.to_owned());
    Ok(result)
}

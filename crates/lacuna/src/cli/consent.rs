//! Consents: given once for a category, for patterns, for keeping for long or for the language model, and a purpose; listed,
//! and revoked.

use clap::Subcommand;
use lacuna_core::Consents;
use lacuna_types::ConsentTopic;

use super::args::{ScopeArgs, words};
use super::output::{Output, counted, table};
use crate::assemble::assemble;
use crate::config::Config;
use crate::wire::failure::Result;
use crate::wire::{self, ConsentGivenView, ConsentList, ConsentRevokedView, PURPOSE_DEFAULT};

#[derive(Subcommand)]
pub(super) enum ConsentCommand {
    /// Let sensitive things of a category be kept, patterns be made, facts be kept for long, or sensitive texts be shown to
    /// the language model; what was held for it is found from now on.
    Give {
        #[arg(value_parser = words::<wire::ConsentTopic, _>(wire::ConsentTopic::all()))]
        category: wire::ConsentTopic,
        /// The purpose, in your own words.
        #[arg(long = "for", value_name = "PURPOSE", default_value = PURPOSE_DEFAULT)]
        purpose: String,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// The consents that hold.
    List {
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// Take a consent back. What it allowed stays until you forget it.
    Revoke {
        #[arg(value_parser = words::<wire::ConsentTopic, _>(wire::ConsentTopic::all()))]
        category: wire::ConsentTopic,
        #[command(flatten)]
        scope: ScopeArgs,
    },
}

pub(super) fn run(config: &Config, command: ConsentCommand, output: &Output) -> Result<()> {
    let installation = assemble(config)?;
    let consents = Consents::of(&installation.service);
    match command {
        ConsentCommand::Give { category, purpose, scope } => {
            let grant = installation.grant(scope.as_deref())?;
            let given = consents.give(&grant, category.0, &purpose)?;
            output.show(&ConsentGivenView::of(given, grant.scope()), |given| {
                let mut text = format!("{}, for {}", allowed(given.consent.category), given.consent.purpose);
                if !given.released.is_empty() {
                    let released = counted(given.released.len(), "memory", "memories");
                    text.push_str(&format!("\n{released} waited for it, and can be found now"));
                }
                text
            })
        }
        ConsentCommand::List { scope } => {
            let grant = installation.grant(scope.as_deref())?;
            output.show(&ConsentList::of(consents.list(&grant)?, grant.scope()), listed)
        }
        ConsentCommand::Revoke { category, scope } => {
            let grant = installation.grant(scope.as_deref())?;
            let revoked = consents.revoke(&grant, category.0)?;
            output.show(&ConsentRevokedView::of(&revoked, grant.scope()), |revoked| {
                let mut text = ended(revoked.category);
                if revoked.kept > 0 {
                    let kept = counted(revoked.kept, "memory", "memories");
                    text.push_str(&format!("\n{kept} kept with it {}", afterwards(revoked.category)));
                }
                text
            })
        }
    }
}

/// The effect of a consent.
fn allowed(topic: wire::ConsentTopic) -> String {
    match topic.0 {
        ConsentTopic::Patterns => "patterns of your behaviour are kept from now on".to_owned(),
        ConsentTopic::LongTerm => "facts are kept from now on until you forget them".to_owned(),
        ConsentTopic::LanguageModel => {
            "requests to forget may show sensitive texts to the language model from now on".to_owned()
        }
        _ => format!("what you say about {topic} is kept from now on"),
    }
}

/// The effect of a revocation.
fn ended(topic: wire::ConsentTopic) -> String {
    match topic.0 {
        ConsentTopic::Patterns => "no patterns of your behaviour are kept any more".to_owned(),
        ConsentTopic::LongTerm => "facts are not kept for long any more".to_owned(),
        ConsentTopic::LanguageModel => "no sensitive text is shown to the language model any more".to_owned(),
        _ => format!("what you say about {topic} is not kept any more"),
    }
}

/// The fate of memories that were kept with a consent that is over, and the way to erase them.
fn afterwards(topic: wire::ConsentTopic) -> String {
    match topic.0 {
        ConsentTopic::Patterns => "can still be found; to see them: lacuna memory list --category work_pattern".to_owned(),
        ConsentTopic::LongTerm => {
            "can still be found; if the policy wants this consent, their time ends and the review asks you first".to_owned()
        }
        _ => format!("can still be found; to erase: lacuna forget --sensitivity {topic}"),
    }
}

fn listed(list: &ConsentList) -> String {
    if list.consents.is_empty() {
        return "no consent was given".to_owned();
    }
    let rows = list.consents.iter().map(|consent| {
        let given = consent.given_at.strftime("%Y-%m-%d").to_string();
        [consent.category.to_string(), consent.purpose.clone(), given]
    });
    table(["category", "for", "given"], rows)
}

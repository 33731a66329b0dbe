use std::path::PathBuf;

use clap::Subcommand;

use super::output::{Output, fields};
use crate::assemble::rulebook;
use crate::config::Config;
use crate::policy_file::read_policy;
use crate::wire::PolicyView;
use crate::wire::failure::Result;

#[derive(Subcommand)]
pub(super) enum PolicyCommand {
    /// The rules in force for your organisation.
    Show,
    /// Read a policy file and say whether it holds.
    Check { file: PathBuf },
}

pub(super) fn run(config: &Config, command: PolicyCommand, output: &Output) -> Result<()> {
    match command {
        PolicyCommand::Show => {
            let rules = rulebook(config)?;
            output.show(&PolicyView::from(rules.policies.of(&config.org)), people)
        }
        PolicyCommand::Check { file } => output.show(&PolicyView::from(&read_policy(&file)?), people),
    }
}

fn people(policy: &PolicyView) -> String {
    let yes = |flag: bool| if flag { "yes" } else { "no" }.to_owned();
    fields(vec![
        ("preset", policy.preset.to_owned()),
        ("refuse texts with secrets", yes(policy.fail_on_secret)),
        ("sensitive data, with consent", yes(policy.sensitive_allowed)),
        ("patterns need a consent", yes(policy.pattern_consent)),
        ("long-term keeping needs a consent", yes(policy.retention.long_term_consent)),
        ("caller may relax judgements", yes(policy.caller_may_relax)),
        ("least salience", format!("{:.2}", policy.min_salience)),
        ("memories per vault", policy.max_atoms.to_string()),
        ("writes that wait for approval", policy.approval.to_owned()),
        ("grace period in hours", policy.grace_hours.to_string()),
        ("forgetting means, unless said", policy.forget_mode.to_owned()),
        ("days that what is hidden can be restored", policy.purge_days.to_string()),
        ("what leans on a forgotten memory", policy.dangling.to_owned()),
        ("reads in the audit", policy.audit_reads.to_owned()),
        ("days that reads are kept", policy.audit_read_days.to_string()),
        ("hours to acknowledge a person's request", policy.acknowledge_hours.to_string()),
        ("hours to complete it", policy.complete_hours.to_string()),
        ("days that tombstones are kept", policy.tombstone_days.to_string()),
        ("hours until an idle session ends", policy.session_idle_hours.to_string()),
        ("days that transcripts are kept", policy.transcript_days.to_string()),
        ("tokens before compaction", policy.compaction.tokens_max.to_string()),
        ("messages of a session before compaction", policy.compaction.session_messages_max.to_string()),
        ("days unread before compaction", policy.compaction.unread_days.to_string()),
        ("rehearsals in the audit", policy.audit_rehearsals.to_owned()),
        ("memories of a turn", policy.context.memories_per_turn.to_string()),
        ("turns that a memory rests", policy.context.cooldown_turns.to_string()),
        ("tokens of a context", policy.context.max_tokens.to_string()),
        (
            "where a memory is silent",
            format!("{} ({})", policy.context.confabulation, policy.context.vertical),
        ),
        ("the words of a question narrow the lanes", yes(policy.context.intent)),
        ("own rows of intent", policy.intents.len().to_string()),
        ("operators", policy.operators.join(", ")),
        ("days that an event is kept at most", policy.retention.episodic_days_max.to_string()),
        ("days between reviews", policy.retention.review_days.to_string()),
        (
            "days to answer before it is",
            format!("{} ({})", policy.retention.grace_days, policy.retention.unanswered),
        ),
    ])
}

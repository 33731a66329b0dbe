use super::args::AuditCommand;
use super::output::{Output, table};
use crate::assemble::assemble;
use crate::config::Config;
use crate::failure::Result;
use crate::wire::{AuditList, AuditVerified};

pub(super) fn run(config: &Config, command: AuditCommand, output: &Output) -> Result<()> {
    let installation = assemble(config)?;
    match command {
        AuditCommand::Verify { scope } => {
            let grant = installation.grant(scope.as_deref())?;
            let report = installation.service.verify_audit(&grant)?;
            output.show(&AuditVerified::of(report, grant.scope()), |report| {
                format!("the chain holds: {} entries, head {}", report.entries, report.head)
            })
        }
        AuditCommand::List { after, scope } => {
            let grant = installation.grant(scope.as_deref())?;
            let entries = installation.service.read_audit(&grant, after)?;
            output.show(&AuditList::of(entries, grant.scope()), people)
        }
    }
}

fn people(list: &AuditList) -> String {
    let rows = list.entries.iter().map(|entry| {
        let subjects = match entry.subjects.as_slice() {
            [] => String::new(),
            [only] => only.clone(),
            [first, rest @ ..] => format!("{first} and {} more", rest.len()),
        };
        [entry.seq.to_string(), entry.at.to_string(), entry.action.clone(), entry.actor.clone(), subjects]
    });
    table(["seq", "at", "action", "by", "subjects"], rows)
}

use clap::Subcommand;
use lacuna_core::permit::ManageMembers;
use lacuna_types::{DeploymentId, Group, TeamId, UserId};
use serde::Serialize;

use super::output::{Output, plain, table};
use crate::assemble::assemble;
use crate::config::Config;
use crate::failure::Result;
use crate::wire::{MemberList, ScopeList};

#[derive(Subcommand)]
pub(super) enum MembersCommand {
    /// Make a user a member; the vault opens to them with their next call.
    Add { name: String, user: String },
    /// End a membership; what they wrote stays.
    Remove { name: String, user: String },
    /// Members in the order of their names, up to 1,000 at a time.
    List {
        name: String,
        /// Only names after this one.
        #[arg(long, value_name = "USER")]
        after: Option<String>,
    },
}

impl MembersCommand {
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Add { name, .. } | Self::Remove { name, .. } | Self::List { name, .. } => name,
        }
    }
}

#[derive(Serialize)]
struct MembershipChange {
    scope: String,
    user: String,
    member: bool,
}

pub(super) fn scopes(config: &Config, output: &Output) -> Result<()> {
    let installation = assemble(config)?;
    output.show(&ScopeList::of(&installation.local), |list| plain(&list.scopes.join("\n")))
}

pub(super) fn team(config: &Config, command: MembersCommand, output: &Output) -> Result<()> {
    let group = Group::Team(TeamId::new(command.name())?);
    run(config, command, group, output)
}

pub(super) fn deployment(config: &Config, command: MembersCommand, output: &Output) -> Result<()> {
    let group = Group::Deployment(DeploymentId::new(command.name())?);
    run(config, command, group, output)
}

fn run(config: &Config, command: MembersCommand, group: Group, output: &Output) -> Result<()> {
    let installation = assemble(config)?;
    let service = &installation.service;
    let grant = installation.admin_grant::<ManageMembers>()?;
    let scope = format!("{}:{}", group.kind(), group.name());
    match command {
        MembersCommand::Add { user, .. } => {
            let user = UserId::new(&user)?;
            service.members().add(&grant, group, user.clone())?;
            let changed = MembershipChange { scope, user: user.to_string(), member: true };
            output.show(&changed, |changed| format!("{} belongs to {}", changed.user, changed.scope))
        }
        MembersCommand::Remove { user, .. } => {
            let user = UserId::new(&user)?;
            service.members().remove(&grant, group, user.clone())?;
            let changed = MembershipChange { scope, user: user.to_string(), member: false };
            output.show(&changed, |changed| format!("{} left {}", changed.user, changed.scope))
        }
        MembersCommand::List { after, .. } => {
            let after = after.as_deref().map(UserId::new).transpose()?;
            let members = service.members().list(&grant, &group, after.as_ref())?;
            output.show(&MemberList::of(members, &group), people)
        }
    }
}

fn people(list: &MemberList) -> String {
    if list.members.is_empty() {
        return format!("nobody belongs to {}", list.scope);
    }
    let rows = list.members.iter().map(|member| [member.user.clone(), member.added_at.to_string()]);
    let table = table(["user", "since"], rows);
    match &list.next {
        Some(next) => format!("{table}\n\nmore: --after {next}"),
        None => table,
    }
}

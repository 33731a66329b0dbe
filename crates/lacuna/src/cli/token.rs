use clap::Subcommand;
use lacuna_core::permit::ManageTokens;
use serde::Serialize;

use super::args::words;
use super::output::{Output, day, fields, table};
use super::short_id::{self, short};
use super::when::TimeArg;
use crate::assemble::assemble;
use crate::config::Config;
use crate::wire::failure::Result;
use crate::wire::{self, TokenCreated, TokenList, TokenRequest, TokenView};

#[derive(Subcommand)]
pub(super) enum TokenCommand {
    /// Make a token and show its secret, this once.
    #[command(after_help = "Examples:
  lacuna token create --user anna --role user --label laptop --expires 90d
  lacuna token create --user anna --role agent --without health --without financial
  lacuna token create --user assistant --role service --operation recall --operation remember")]
    Create {
        /// The user whom the bearer speaks for.
        #[arg(long)]
        user: String,
        /// user reads and writes, reader only reads, agent remembers and recalls, admin administers and sees
        /// no private memory, service acts for the people whom it names; may be given more than once.
        #[arg(long = "role", required = true, value_name = "ROLE", value_parser = words::<wire::Role, _>(wire::Role::all()))]
        roles: Vec<wire::Role>,
        /// Operation that a service may carry out for people; confirm makes its word theirs; may be given more than
        /// once.
        #[arg(long = "operation", value_name = "OPERATION", value_parser = words::<wire::Operation, _>(wire::Operation::all()))]
        operations: Vec<wire::Operation>,
        /// Sensitive category that the token is not for: its memories look missing to the bearer; for agent, reader and
        /// service; may be given more than once.
        #[arg(long = "without", value_name = "CATEGORY", value_parser = words::<wire::Sensitivity, _>(wire::Sensitivity::all()))]
        without: Vec<wire::Sensitivity>,
        #[arg(long, default_value = "")]
        label: String,
        /// A date, a time, or a span such as 90d [default: never].
        #[arg(long, value_name = "WHEN")]
        expires: Option<TimeArg>,
    },
    /// Tokens: for whom, with which roles, until when.
    List,
    /// From the next call on it opens nothing.
    Revoke { token_id: String },
}

#[derive(Serialize)]
struct Revoked {
    token_id: String,
}

pub(super) fn run(config: &Config, command: TokenCommand, output: &Output) -> Result<()> {
    let installation = assemble(config)?;
    let service = &installation.service;
    let grant = installation.admin_grant::<ManageTokens>()?;
    match command {
        TokenCommand::Create { user, roles, operations, without, label, expires } => {
            let expires_at = expires.map(|when| when.after(service.clock().now()));
            let request = TokenRequest { user, roles, operations, without, label, expires_at }.into_core()?;
            let (info, secret) = service.tokens().create(&grant, request)?;
            let created = TokenCreated { token: info.into(), secret: secret.as_str().to_owned() };
            output.show(&created, people)
        }
        TokenCommand::List => {
            let tokens = service.tokens().list(&grant)?.into_iter().map(TokenView::from).collect();
            output.show(&TokenList { tokens }, list)
        }
        TokenCommand::Revoke { token_id } => {
            let id = short_id::token_id(&installation, &token_id)?;
            service.tokens().revoke(&grant, id)?;
            output.show(&Revoked { token_id: id.to_string() }, |revoked| {
                format!("revoked {}", revoked.token_id)
            })
        }
    }
}

fn people(created: &TokenCreated) -> String {
    let token = &created.token;
    let table = fields([
        ("token", created.secret.clone()),
        ("id", token.token_id.clone()),
        ("user", token.user.clone()),
        ("roles", roles(token)),
        ("expires", token.expires_at.map_or("never".to_owned(), |expiry| expiry.to_string())),
    ]);
    format!("{table}\n\nKeep the token now: it cannot be shown again.")
}

fn list(list: &TokenList) -> String {
    if list.tokens.is_empty() {
        return "there are no tokens: the server answers only on loopback, as the local user".to_owned();
    }
    let rows = list.tokens.iter().map(|token| {
        let state = match (token.revoked_at, token.expires_at) {
            (Some(at), _) => format!("revoked {}", day(at)),
            (None, Some(expiry)) => format!("until {}", day(expiry)),
            (None, None) => "valid".to_owned(),
        };
        [short(&token.token_id), token.user.clone(), roles(token), token.label.clone(), state]
    });
    table(["id", "user", "roles", "label", "state"], rows)
}

fn roles(token: &TokenView) -> String {
    let roles = listed(&token.roles);
    let roles = match token.operations.as_slice() {
        [] => roles,
        named => format!("{roles} ({})", listed(named)),
    };
    match token.without.as_slice() {
        [] => roles,
        without => format!("{roles} without {}", listed(without)),
    }
}

fn listed(words: &[impl ToString]) -> String {
    words.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

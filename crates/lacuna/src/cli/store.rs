use clap::Subcommand;
use serde::Serialize;

use super::output::Output;
use crate::assemble::assemble;
use crate::config::{Config, StoreChoice};
use crate::wire::failure::{Failure, Result};

/// Statements for an administrator of PostgreSQL: before the schemas are made, and after.
const ROLES_SQL: &str = include_str!("roles.sql");

#[derive(Subcommand)]
pub(super) enum StoreCommand {
    /// Make the schemas of the databases, or bring them up to date. Run it as the role that owns them.
    #[command(after_help = "Examples:
  lacuna store init --print-sql
  LACUNA_STORE=postgres://lacuna_owner@db/lacuna LACUNA_KEYS=postgres://lacuna_owner@keys/lacuna_keys lacuna store init")]
    Init {
        /// Only print the SQL that makes the roles and gives them their rights.
        #[arg(long)]
        print_sql: bool,
    },
}

#[derive(Serialize)]
struct RolesSql {
    sql: &'static str,
}

#[derive(Serialize)]
struct StoreReady {
    store: &'static str,
}

pub(super) fn run(config: &Config, command: StoreCommand, output: &Output) -> Result<()> {
    let StoreCommand::Init { print_sql } = command;
    if print_sql {
        return output.show(&RolesSql { sql: ROLES_SQL }, |roles| roles.sql.trim_end().to_owned());
    }
    if config.store == StoreChoice::Sqlite {
        return Err(Failure::invalid(
            "store",
            "is SQLite, which needs no roles and is made by its first use",
        ));
    }
    drop(assemble(config)?);
    output.show(&StoreReady { store: "ready" }, |_| "the schemas are up to date".to_owned())
}

//! The rights of the role that Lacuna logs in with: what it lacks, and what it has too much of.

use postgres::Client;

use super::engine::{ACCESS_DENIED, PostgresSchema, PostgresServer, Visibility};
use crate::failure::SqlFailure;
use lacuna_types::{Error, Result};

/// A role counts with every role that it may switch to. `session_user` is the one that logged in.
const RIGHTS: &str = "
    SELECT session_user::text, bool_or(rolsuper), bool_or(rolbypassrls), bool_or(rolcreaterole),
           EXISTS (SELECT FROM pg_namespace WHERE nspname = $1 AND pg_has_role(session_user, nspowner, 'MEMBER'))
           OR EXISTS (SELECT FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
                      WHERE nspname = $1 AND pg_has_role(session_user, relowner, 'MEMBER'))
    FROM pg_roles WHERE pg_has_role(session_user, pg_roles.oid, 'MEMBER')";
const OWNER: &str = "
    SELECT session_user::text, (SELECT pg_get_userbyid(nspowner)::text FROM pg_namespace WHERE nspname = $1)";

/// The role that Lacuna logs in with.
#[derive(Debug, PartialEq, Eq)]
pub struct LoginRole {
    /// Its name, as PostgreSQL knows it.
    pub name: String,
    /// Rights with which the role can switch row-level security off, in words. A safe role has none.
    pub excess: Vec<&'static str>,
}

impl PostgresServer {
    pub(crate) fn login_role(&self) -> Result<LoginRole> {
        self.read(Visibility::Admin, |transaction| {
            let rows = transaction.query(RIGHTS, &[&self.schema.name])?;
            let row = rows.first().ok_or_else(|| Error::corrupt("PostgreSQL does not know its own role"))?;
            let rights = [
                (row.try_get(1)?, "is a superuser"),
                (row.try_get(2)?, "bypasses row-level security"),
                (row.try_get(3)?, "creates roles"),
                (row.try_get(4)?, "owns tables"),
            ];
            let excess = rights.iter().filter(|(has, _)| *has).map(|(_, words)| *words).collect();
            Ok(LoginRole { name: row.try_get(0)?, excess })
        })
    }
}

impl PostgresSchema {
    /// The error of a role that may not even read the version.
    pub(super) fn unreadable(&self, client: &mut Client) -> Result<Error, SqlFailure> {
        let (role, _) = self.role_and_owner(client)?;
        Ok(denied(format!(
            "the role {role} may not read {}.migration; run the GRANT statements of `docs/operations.md`",
            self.name
        )))
    }

    /// The error of a role that meets an older schema, or none, and may not change that.
    pub(super) fn not_migrated(
        &self,
        client: &mut Client,
        version: Option<usize>,
    ) -> Result<Error, SqlFailure> {
        let (role, owner) = self.role_and_owner(client)?;
        let (schema, needed) = (self.name, self.migrations.len());
        let trouble = match version {
            None => format!("the schema {schema} is not there yet, and the role {role} may not make it"),
            Some(version) => format!(
                "the schema {schema} has version {version}, this program needs {needed}, \
                 and the role {role} may not migrate it"
            ),
        };
        let remedy = match owner {
            Some(owner) if owner != role => {
                format!("run `lacuna store init` once with the URL of {owner}, its owner")
            }
            Some(_) => "it owns the schema and lacks a role or a right of `docs/operations.md`".to_owned(),
            None => "run `lacuna store init` once with the URL of the role that is to own it, \
                     see `docs/operations.md`"
                .to_owned(),
        };
        Ok(denied(format!("{trouble}; {remedy}")))
    }

    fn role_and_owner(&self, client: &mut Client) -> Result<(String, Option<String>), SqlFailure> {
        let row = client.transaction()?.query_one(OWNER, &[&self.name])?;
        Ok((row.try_get(0)?, row.try_get(1)?))
    }
}

fn denied(reason: String) -> Error {
    Error::Misconfigured { code: ACCESS_DENIED, reason }
}

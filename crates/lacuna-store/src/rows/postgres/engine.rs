//! Connections, migrations and scoped transactions for a PostgreSQL server.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use postgres::error::SqlState;
use postgres::types::ToSql;
use postgres::{Client, IsolationLevel, Row as Columns, Statement, Transaction};

use super::address::PostgresAddress;
use super::tls;
use crate::failure::SqlFailure;
use crate::rows::pool::{Loan, Pool};
use lacuna_types::hex::hex;
use lacuna_types::{Error, Result};
use lacuna_types::{OrgId, VaultId};

/// Connections per pool.
const CONNECTIONS_MAX: usize = 16;
/// A connection that was idle for longer is asked whether it is still alive before it is used.
const TRUSTED_IDLE: Duration = Duration::from_secs(1);
const PING_TIMEOUT: Duration = Duration::from_secs(2);
/// Rows fetched at a time while streaming.
const PAGE_ROWS: i32 = 512;

/// The code of a server that takes no writes.
const READ_ONLY: &str = "read_only";
/// The code of whatever PostgreSQL refuses to this role.
pub(super) const ACCESS_DENIED: &str = "access_denied";

/// The settings of every connection. A commit that is answered must be on disk, whatever the server's default.
const SESSION_SETTINGS: &str = "
    SET lock_timeout = '10s';
    SET statement_timeout = '60s';
    SET idle_in_transaction_session_timeout = '60s';
    SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off';";

/// The same for one transaction, behind a pooler.
const TRANSACTION_SETTINGS: &str = "
    SET LOCAL lock_timeout = '10s';
    SET LOCAL statement_timeout = '60s';
    SET LOCAL idle_in_transaction_session_timeout = '60s';
    SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off';";

pub(crate) type Parameters<'a> = &'a [&'a (dyn ToSql + Sync)];

/// The tables and roles of one schema. Migration `n` leads from version `n` to `n + 1`.
pub(crate) struct PostgresSchema {
    pub name: &'static str,
    /// Works inside one vault.
    pub app_role: &'static str,
    /// Sees what spans vaults, and no content.
    pub admin_role: &'static str,
    /// Takes away, inside one vault, what the others may only add to.
    pub eraser_role: Option<&'static str>,
    pub migrations: &'static [&'static str],
}

/// The rows that a transaction can see.
#[derive(Clone, Copy)]
pub(crate) enum Visibility<'a> {
    Vault(VaultId),
    /// A vault, and the tokens and memberships of its organisation.
    VaultAndOrg(VaultId, &'a OrgId),
    /// The tokens and memberships of an organisation.
    Org(&'a OrgId),
    /// Headers and tokens of all vaults.
    Admin,
}

pub(crate) struct PostgresServer {
    pub(super) schema: &'static PostgresSchema,
    pool: Pool<Link>,
}

/// One connection with the statements that it has prepared.
struct Link {
    client: Client,
    is_pooled: bool,
    statements: HashMap<&'static str, Statement>,
    used: Instant,
}

impl PostgresServer {
    pub(crate) fn open(url: &str, schema: &'static PostgresSchema) -> Result<Self> {
        let address = PostgresAddress::read(url)?;
        schema.migrate(&mut connect(&address)?)?;
        let is_pooled = address.is_pooled;
        let pool = Pool::new(CONNECTIONS_MAX, move || {
            let client = connect(&address)?;
            Ok(Link { client, is_pooled, statements: HashMap::new(), used: Instant::now() })
        });
        Ok(Self { schema, pool })
    }

    /// A connection outside the pool, for whoever holds a lock with it.
    pub(crate) fn connect_alone(url: &str) -> Result<Client> {
        Ok(connect(&PostgresAddress::read(url)?)?)
    }

    /// Reads from one snapshot.
    pub(crate) fn read<T>(
        &self,
        visibility: Visibility<'_>,
        act: impl FnOnce(&mut ScopedTransaction<'_>) -> Result<T, SqlFailure>,
    ) -> Result<T> {
        self.within(visibility, true, act)
    }

    /// Commits what `act` does if it succeeds, and nothing of it otherwise.
    pub(crate) fn write<T>(
        &self,
        visibility: Visibility<'_>,
        act: impl FnOnce(&mut ScopedTransaction<'_>) -> Result<T, SqlFailure>,
    ) -> Result<T> {
        self.within(visibility, false, act)
    }

    fn within<T>(
        &self,
        visibility: Visibility<'_>,
        read_only: bool,
        act: impl FnOnce(&mut ScopedTransaction<'_>) -> Result<T, SqlFailure>,
    ) -> Result<T> {
        let mut link = self.living_link()?;
        let outcome = link.within(self.schema, visibility, read_only, act);
        let demoted = outcome.as_ref().is_err_and(|failure| failure.0.code() == READ_ONLY);
        if link.client.is_closed() {
            link.discard();
        } else if demoted {
            // The server became a replica: the next connection looks for the one that takes writes.
            link.discard();
            self.pool.close_idle();
        }
        Ok(outcome?)
    }

    /// One statement as a single round trip; `sql` must hold no values.
    pub(crate) fn read_one_text(&self, visibility: Visibility<'_>, sql: &str) -> Result<Option<String>> {
        let mut link = self.living_link()?;
        let settings = link.transaction_settings();
        let script = format!("BEGIN READ ONLY; {settings} {} {sql}; COMMIT", self.schema.scope(visibility));
        let answer = link.client.simple_query(&script);
        if answer.is_err() {
            // The transaction may still be open, so the connection is not used again.
            link.discard();
        }
        let rows = answer.map_err(SqlFailure::from)?;
        Ok(rows
            .iter()
            .rev()
            .find_map(|message| match message {
                postgres::SimpleQueryMessage::Row(row) => Some(row.get(0).map(str::to_owned)),
                _ => None,
            })
            .flatten())
    }

    fn living_link(&self) -> Result<Loan<'_, Link>> {
        let mut link = self.pool.get()?;
        if link.used.elapsed() > TRUSTED_IDLE && link.client.is_valid(PING_TIMEOUT).is_err() {
            // If one connection died, its neighbours died with it.
            link.discard();
            self.pool.close_idle();
            link = self.pool.get()?;
        }
        link.used = Instant::now();
        Ok(link)
    }
}

impl Link {
    fn within<T>(
        &mut self,
        schema: &'static PostgresSchema,
        visibility: Visibility<'_>,
        read_only: bool,
        act: impl FnOnce(&mut ScopedTransaction<'_>) -> Result<T, SqlFailure>,
    ) -> Result<T, SqlFailure> {
        let isolation =
            if read_only { IsolationLevel::RepeatableRead } else { IsolationLevel::ReadCommitted };
        let settings = self.transaction_settings();
        let begun = self.client.build_transaction().isolation_level(isolation).read_only(read_only).start();
        let mut transaction = begun.map_err(|error| match error.code() {
            // The answer of a replica to a transaction that is to write.
            Some(&SqlState::FEATURE_NOT_SUPPORTED) => SqlFailure(no_primary()),
            _ => error.into(),
        })?;
        transaction.batch_execute(&format!("{settings} {}", schema.scope(visibility)))?;
        let mut scoped = ScopedTransaction { transaction, schema, statements: &mut self.statements };
        let done = act(&mut scoped);
        if self.is_pooled {
            // The next transaction may run on another connection of the pooler, and another client on this one.
            scoped.statements.clear();
        }
        let done = done?;
        scoped.transaction.commit()?;
        Ok(done)
    }

    fn transaction_settings(&self) -> &'static str {
        if self.is_pooled { TRANSACTION_SETTINGS } else { "" }
    }
}

/// A transaction that sees no further than its reach.
pub(crate) struct ScopedTransaction<'a> {
    transaction: Transaction<'a>,
    schema: &'static PostgresSchema,
    statements: &'a mut HashMap<&'static str, Statement>,
}

impl ScopedTransaction<'_> {
    pub(crate) fn query(
        &mut self,
        sql: &'static str,
        parameters: Parameters<'_>,
    ) -> Result<Vec<Columns>, SqlFailure> {
        let statement = self.statement(sql)?;
        Ok(self.transaction.query(&statement, parameters)?)
    }

    pub(crate) fn query_opt(
        &mut self,
        sql: &'static str,
        parameters: Parameters<'_>,
    ) -> Result<Option<Columns>, SqlFailure> {
        let statement = self.statement(sql)?;
        Ok(self.transaction.query_opt(&statement, parameters)?)
    }

    pub(crate) fn execute(
        &mut self,
        sql: &'static str,
        parameters: Parameters<'_>,
    ) -> Result<u64, SqlFailure> {
        let statement = self.statement(sql)?;
        Ok(self.transaction.execute(&statement, parameters)?)
    }

    /// Inserts; a broken uniqueness or reference is `refused`.
    pub(crate) fn insert(
        &mut self,
        sql: &'static str,
        parameters: Parameters<'_>,
        refused: fn() -> Error,
    ) -> Result<u64, SqlFailure> {
        let statement = self.statement(sql)?;
        self.transaction.execute(&statement, parameters).map_err(|error| match error.code() {
            Some(&SqlState::UNIQUE_VIOLATION | &SqlState::FOREIGN_KEY_VIOLATION) => refused().into(),
            _ => error.into(),
        })
    }

    /// Visits the rows page by page, so that a large vault does not fill the memory.
    pub(crate) fn stream(
        &mut self,
        sql: &'static str,
        parameters: Parameters<'_>,
        visit: &mut dyn FnMut(&Columns) -> Result<(), SqlFailure>,
    ) -> Result<(), SqlFailure> {
        let statement = self.statement(sql)?;
        let portal = self.transaction.bind(&statement, parameters)?;
        loop {
            let page = self.transaction.query_portal(&portal, PAGE_ROWS)?;
            page.iter().try_for_each(&mut *visit)?;
            if page.len() < PAGE_ROWS as usize {
                return Ok(());
            }
        }
    }

    /// Runs `act` with the right to take away, then gives it back. A failure ends the transaction anyway.
    pub(crate) fn erasing<T>(
        &mut self,
        act: impl FnOnce(&mut Self) -> Result<T, SqlFailure>,
    ) -> Result<T, SqlFailure> {
        let eraser = self.schema.eraser_role.unwrap_or(self.schema.app_role);
        self.transaction.batch_execute(&format!("SET LOCAL ROLE {eraser}"))?;
        let done = act(self)?;
        self.transaction.batch_execute(&format!("SET LOCAL ROLE {}", self.schema.app_role))?;
        Ok(done)
    }

    fn statement(&mut self, sql: &'static str) -> Result<Statement, SqlFailure> {
        if let Some(statement) = self.statements.get(sql) {
            return Ok(statement.clone());
        }
        let statement = self.transaction.prepare(sql)?;
        self.statements.insert(sql, statement.clone());
        Ok(statement)
    }
}

impl PostgresSchema {
    /// The statements that put a transaction into its scope. Values are hex, so nothing needs quoting.
    fn scope(&self, visibility: Visibility<'_>) -> String {
        let vault = |id: VaultId| format!("SELECT set_config('app.vault', '{}', true);", hex(id.as_bytes()));
        let org = |org: &OrgId| {
            let hex = hex(org.as_str().as_bytes());
            format!("SELECT set_config('app.org', convert_from(decode('{hex}', 'hex'), 'UTF8'), true);")
        };
        let (role, settings) = match visibility {
            Visibility::Vault(id) => (self.app_role, vault(id)),
            Visibility::VaultAndOrg(id, name) => (self.app_role, vault(id) + &org(name)),
            Visibility::Org(name) => (self.app_role, org(name)),
            Visibility::Admin => (self.admin_role, String::new()),
        };
        format!("SET LOCAL ROLE {role}; {settings}")
    }

    /// Brings the schema up to date. A schema that is current needs no right but to read its version.
    fn migrate(&self, client: &mut Client) -> Result<(), SqlFailure> {
        // In one transaction, so that a pooler keeps to one connection.
        let version =
            match client.transaction().map_err(SqlFailure::from).and_then(|mut one| self.version(&mut one)) {
                Err(failure) if is_refusal(&failure) => return Err(self.unreadable(client)?.into()),
                version => version?,
            };
        if version == Some(self.migrations.len()) {
            return Ok(());
        }
        match self.run_migrations(client) {
            Err(failure) if is_refusal(&failure) => Err(self.not_migrated(client, version)?.into()),
            done => done,
        }
    }

    fn run_migrations(&self, client: &mut Client) -> Result<(), SqlFailure> {
        self.make_roles(client)?;
        let mut transaction = client.transaction()?;
        transaction.batch_execute("SET LOCAL statement_timeout = 0")?;
        // Several nodes may start at once; the second one waits here and finds the work done.
        transaction.execute("SELECT pg_advisory_xact_lock(hashtext($1))", &[&self.name])?;
        transaction.batch_execute(&format!(
            "CREATE SCHEMA IF NOT EXISTS {0};
             CREATE TABLE IF NOT EXISTS {0}.migration (version integer PRIMARY KEY);",
            self.name
        ))?;
        let version = self.version(&mut transaction)?.unwrap_or(0);
        for (number, migration) in self.migrations.iter().enumerate().skip(version) {
            transaction.batch_execute(migration)?;
            let record = format!("INSERT INTO {}.migration VALUES ($1)", self.name);
            transaction.execute(&record, &[&(number as i32 + 1)])?;
        }
        transaction.commit()?;
        Ok(())
    }

    /// The version of the schema, or `None` where there is none.
    fn version(&self, client: &mut impl postgres::GenericClient) -> Result<Option<usize>, SqlFailure> {
        let table = format!("{}.migration", self.name);
        let found = client.query_one("SELECT to_regclass($1) IS NOT NULL", &[&table])?;
        if !found.get::<_, bool>(0) {
            return Ok(None);
        }
        let newest = client.query_one(&format!("SELECT coalesce(max(version), 0) FROM {table}"), &[])?;
        let version = newest.get::<_, i32>(0);
        match usize::try_from(version) {
            Ok(known) if known <= self.migrations.len() => Ok(Some(known)),
            _ => Err(Error::Misconfigured {
                code: "newer_database",
                reason: format!(
                    "the schema {} has version {version} and this program knows {}; use a newer Lacuna",
                    self.name,
                    self.migrations.len()
                ),
            }
            .into()),
        }
    }

    /// Roles belong to the whole server, so another database may have made them, even at this moment.
    fn make_roles(&self, client: &mut Client) -> Result<(), SqlFailure> {
        for role in [Some(self.app_role), Some(self.admin_role), self.eraser_role].into_iter().flatten() {
            client.batch_execute(&format!(
                "DO $$ BEGIN
                     IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '{role}') THEN
                         CREATE ROLE {role} NOLOGIN;
                     END IF;
                 EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
                 END $$;
                 DO $$ BEGIN
                     IF NOT pg_has_role(current_user, '{role}', 'MEMBER') THEN
                         GRANT {role} TO CURRENT_USER;
                     END IF;
                 END $$;"
            ))?;
        }
        Ok(())
    }
}

/// Tells a right that the role lacks from every other failure.
fn is_refusal(failure: &SqlFailure) -> bool {
    failure.0.code() == ACCESS_DENIED
}

/// Gives a connection its settings, unless a pooler would lend them to others: then each transaction has them.
fn connect(address: &PostgresAddress) -> Result<Client, SqlFailure> {
    let mut client = address.connect()?;
    if !address.is_pooled {
        client.batch_execute(SESSION_SETTINGS)?;
    }
    Ok(client)
}

/// Sorts the failures of PostgreSQL by what the caller can do about them.
impl From<postgres::Error> for SqlFailure {
    fn from(error: postgres::Error) -> Self {
        Self(caller_error(error))
    }
}

/// The words of the driver for a server that is not the one that takes writes.
fn takes_no_writes(error: &postgres::Error) -> bool {
    let cause = std::error::Error::source(error);
    cause.is_some_and(|cause| cause.to_string() == "database does not allow writes")
}

fn no_primary() -> Error {
    let reason = "the PostgreSQL server is a replica, or takes no writes; name the primary in the URL";
    Error::Misconfigured { code: READ_ONLY, reason: reason.into() }
}

fn caller_error(error: postgres::Error) -> Error {
    if let Some(refused) = tls::refusal(&error) {
        return refused;
    }
    const BUSY: [SqlState; 3] =
        [SqlState::LOCK_NOT_AVAILABLE, SqlState::T_R_DEADLOCK_DETECTED, SqlState::T_R_SERIALIZATION_FAILURE];
    const REFUSED: [SqlState; 5] = [
        SqlState::INSUFFICIENT_PRIVILEGE,
        SqlState::INVALID_PASSWORD,
        SqlState::INVALID_AUTHORIZATION_SPECIFICATION,
        SqlState::INVALID_CATALOG_NAME,
        SqlState::UNDEFINED_OBJECT,
    ];
    match error.code() {
        Some(code) if BUSY.contains(code) => {
            Error::unavailable("locked", "the database is busy; nothing was changed, try again later", error)
        }
        Some(code) if REFUSED.contains(code) => Error::Misconfigured {
            code: ACCESS_DENIED,
            reason: format!(
                "PostgreSQL refuses this role ({}); `docs/operations.md` lists the roles and what they need",
                code.code()
            ),
        },
        Some(code) if *code == SqlState::READ_ONLY_SQL_TRANSACTION => no_primary(),
        None if takes_no_writes(&error) => Error::unavailable(
            "store_unavailable",
            "none of the PostgreSQL servers in the URL takes writes; promote one",
            error,
        ),
        Some(code) if *code == SqlState::QUERY_CANCELED => Error::unavailable(
            "store_unavailable",
            "PostgreSQL took too long over one statement; nothing was changed, try again later",
            error,
        ),
        Some(code) if *code == SqlState::DISK_FULL => Error::unavailable(
            "disk_full",
            "there is no space left for the database; nothing was changed",
            error,
        ),
        Some(code) if *code == SqlState::DATA_CORRUPTED || *code == SqlState::INDEX_CORRUPTED => {
            Error::corrupt("PostgreSQL reports damaged data")
        }
        _ => Error::unavailable("store_unavailable", "PostgreSQL cannot be used right now", error),
    }
}

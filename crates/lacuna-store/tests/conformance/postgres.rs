//! PostgreSQL: the suites, and what the database itself enforces.

use lacuna_store::keys::{KeyBatch, KeyStore, PostgresKeys};
use lacuna_store::rows::{
    Batch, LoginRole, MemberChange, PostgresStore, Record, RecordChange, RecordKind, Store, TokenChange,
};
use lacuna_types::{Holder, OrgId, Revision, Scope, VaultId};
use postgres::error::SqlState;
use postgres::{Client, NoTls};

use crate::postgres_database::Database;
use crate::samples::*;
use crate::{contention, key_suite, model, suite};

fn client(database: &Database) -> Client {
    Client::connect(&database.url(), NoTls).unwrap()
}

#[test]
fn the_store_conforms() {
    let Some(database) = Database::make("store") else { return };
    suite::conformance(&PostgresStore::open(&database.url()).unwrap());
    suite::reopening(&|| Box::new(PostgresStore::open(&database.url()).unwrap()));
}

#[test]
fn the_keys_conform() {
    let Some(database) = Database::make("keys") else { return };
    key_suite::conformance(&PostgresKeys::open(&database.url()).unwrap());
    key_suite::reopening(&|| Box::new(PostgresKeys::open(&database.url()).unwrap()));
}

#[test]
fn it_does_what_the_model_does() {
    let Some(database) = Database::make("model") else { return };
    let store = PostgresStore::open(&database.url()).unwrap();
    model::check(12, &store);
}

#[test]
fn writers_take_turns() {
    let Some(database) = Database::make("turns") else { return };
    let store = PostgresStore::open(&database.url()).unwrap();
    contention::writers_take_turns(&store, 4, 10);
}

/// Two vaults with one row of every kind each.
fn two_vaults(store: &PostgresStore) -> (VaultId, VaultId) {
    for (user, token_number) in [("ann", 1), ("ben", 2)] {
        let full = Batch {
            puts: vec![row(1)],
            removals: vec![id(2)],
            opens: vec![lacuna_store::rows::PendingErasure { id: 1, memories: vec![id(1)], note: vec![7] }],
            audit: vec![audit_row(1)],
            settings: Some(lacuna_store::rows::SealedSettings { revision: 1, sealed: vec![7; 50] }),
            tokens: vec![TokenChange::Add(token(token_number))],
            ..batch(store, user)
        };
        store.commit(full).unwrap();
    }
    (scope("ann").vault_id(), scope("ben").vault_id())
}

fn hex(vault: VaultId) -> String {
    vault.to_string().trim_start_matches("vlt_").to_owned()
}

#[test]
fn a_scope_hides_every_other_vault() {
    let Some(database) = Database::make("scope") else { return };
    let (ann, ben) = two_vaults(&PostgresStore::open(&database.url()).unwrap());
    let mut client = client(&database);
    let tables = [
        ("vault", "id"),
        ("memory", "vault"),
        ("tombstone", "vault"),
        ("intent", "vault"),
        ("audit", "vault"),
        ("setting", "vault"),
    ];
    for (table, column) in tables {
        let everything = format!("SELECT {column} FROM lacuna.{table}");
        let mut transaction = client.transaction().unwrap();
        transaction.batch_execute("SET LOCAL ROLE lacuna_app").unwrap();
        assert_eq!(transaction.query(&everything, &[]).unwrap().len(), 0, "{table} without a scope");
        transaction.execute("SELECT set_config('app.vault', $1, true)", &[&hex(ann)]).unwrap();
        let seen: Vec<Vec<u8>> =
            transaction.query(&everything, &[]).unwrap().iter().map(|row| row.get(0)).collect();
        assert_eq!(seen, vec![ann.as_bytes().to_vec()], "{table}");
    }
    let mut transaction = client.transaction().unwrap();
    transaction.batch_execute("SET LOCAL ROLE lacuna_app").unwrap();
    transaction.execute("SELECT set_config('app.vault', $1, true)", &[&hex(ann)]).unwrap();
    let sql = "INSERT INTO lacuna.intent (vault, id, memories) VALUES ($1, 9, '')";
    let refused = transaction.execute(sql, &[&ben.as_bytes().as_slice()]).unwrap_err();
    assert_eq!(refused.code().unwrap().code(), "42501");
}

#[test]
fn neither_role_reaches_further_than_it_should() {
    let Some(database) = Database::make("roles") else { return };
    let (ann, _) = two_vaults(&PostgresStore::open(&database.url()).unwrap());
    let keys = PostgresKeys::open(&database.url()).unwrap();
    keys.commit(key_suite::first("ann")).unwrap();
    let mut client = client(&database);
    let forbidden = [
        ("lacuna_admin", "SELECT frame FROM lacuna.memory"),
        ("lacuna_admin", "SELECT id FROM lacuna.memory"),
        ("lacuna_admin", "SELECT entry FROM lacuna.audit"),
        ("lacuna_admin", "UPDATE lacuna.record SET doc = ''"),
        ("lacuna_eraser", "SELECT frame FROM lacuna.memory"),
        ("lacuna_eraser", "SELECT entry FROM lacuna.audit"),
        ("lacuna_eraser", "INSERT INTO lacuna.audit VALUES ('', 1, 1, '', '')"),
        ("lacuna_app", "DELETE FROM lacuna.vault"),
        ("lacuna_app", "SELECT name FROM lacuna.job"),
        ("lacuna_app", "UPDATE lacuna.job SET due_at = 0"),
        ("lacuna_admin", "DELETE FROM lacuna.job"),
        ("lacuna_admin", "SELECT answer FROM lacuna.keyed_request"),
        ("lacuna_admin", "UPDATE lacuna.keyed_request SET answer = NULL"),
        ("lacuna_eraser", "SELECT answer FROM lacuna.keyed_request"),
        ("lacuna_eraser", "DELETE FROM lacuna.keyed_request"),
        ("lacuna_admin", "SELECT sealed FROM lacuna.setting"),
        ("lacuna_eraser", "SELECT sealed FROM lacuna.setting"),
        ("lacuna_admin", "UPDATE lacuna.vault SET revision = 0"),
        ("lacuna_app", "DELETE FROM lacuna.audit"),
        ("lacuna_app", "UPDATE lacuna.audit SET hash = ''"),
        ("lacuna_app", "DELETE FROM lacuna.tombstone"),
        ("lacuna_app", "SELECT wrapped FROM lacuna_keys.root"),
        ("lacuna_keys_app", "SELECT frame FROM lacuna.memory"),
        ("lacuna_keys_app", "DELETE FROM lacuna_keys.erased"),
        ("lacuna_keys_app", "DELETE FROM lacuna_keys.receipt"),
        ("lacuna_keys_admin", "INSERT INTO lacuna_keys.erased VALUES ('', '', 0)"),
        ("lacuna_keys_admin", "UPDATE lacuna_keys.receipt SET number = 0"),
        ("lacuna_keys_admin", "SELECT wrapped FROM lacuna_keys.root"),
        ("lacuna_keys_admin", "SELECT wrapped FROM lacuna_keys.memory_key"),
    ];
    for (role, sql) in forbidden {
        let mut transaction = client.transaction().unwrap();
        transaction
            .batch_execute(&format!("SET LOCAL ROLE {role}; SET LOCAL app.vault = '{}'", hex(ann)))
            .unwrap();
        let refused = transaction.batch_execute(sql).unwrap_err();
        assert_eq!(refused.code().unwrap().code(), "42501", "{role}: {sql}");
    }
    // Without a scope, nobody sees a key.
    let mut transaction = client.transaction().unwrap();
    transaction.batch_execute("SET LOCAL ROLE lacuna_keys_app").unwrap();
    assert_eq!(transaction.query("SELECT * FROM lacuna_keys.root", &[]).unwrap().len(), 0);
    assert_eq!(transaction.query("SELECT * FROM lacuna_keys.class_key", &[]).unwrap().len(), 0);
}

#[test]
fn members_of_another_organisation_are_hidden() {
    let Some(database) = Database::make("members") else { return };
    let store = PostgresStore::open(&database.url()).unwrap();
    for org in ["acme", "other"] {
        let scope = Scope { org: OrgId::new(org).unwrap(), holder: Holder::Org };
        let add = MemberChange::Add { group: team("desk"), user: user("ann"), at: time(1) };
        let batch = Batch::new(scope, time(0), Revision::ZERO);
        store.commit(Batch { members: vec![add], ..batch }).unwrap();
    }
    let mut client = client(&database);
    let everything = "SELECT org FROM lacuna.member";
    let mut transaction = client.transaction().unwrap();
    transaction.batch_execute("SET LOCAL ROLE lacuna_app").unwrap();
    assert_eq!(transaction.query(everything, &[]).unwrap().len(), 0, "without a scope");
    transaction.batch_execute("SET LOCAL app.org = 'acme'").unwrap();
    let seen: Vec<String> =
        transaction.query(everything, &[]).unwrap().iter().map(|row| row.get(0)).collect();
    assert_eq!(seen, vec!["acme"]);
    let sql = "INSERT INTO lacuna.member VALUES ('other', 'team', 'desk', 'ben', 0)";
    assert_eq!(transaction.batch_execute(sql).unwrap_err().code().unwrap().code(), "42501");
    drop(transaction);
    let mut transaction = client.transaction().unwrap();
    transaction.batch_execute("SET LOCAL ROLE lacuna_admin").unwrap();
    assert_eq!(transaction.query(everything, &[]).unwrap_err().code().unwrap().code(), "42501");
}

#[test]
fn records_of_another_organisation_are_hidden() {
    let Some(database) = Database::make("records") else { return };
    let store = PostgresStore::open(&database.url()).unwrap();
    for org in ["acme", "other"] {
        let org = OrgId::new(org).unwrap();
        let scope = Scope { org: org.clone(), holder: Holder::Org };
        let due = Record { org, ..record(RecordKind::Receipt, 1) };
        let done = Record { number: 2, done_at: Some(time(2)), ..due.clone() };
        let records = vec![RecordChange::Add(due), RecordChange::Add(done)];
        store.commit(Batch { records, ..Batch::new(scope, time(0), Revision::ZERO) }).unwrap();
    }
    let mut client = client(&database);
    let mut seen = |settings: &str| {
        let mut transaction = client.transaction().unwrap();
        transaction.batch_execute(settings).unwrap();
        let rows = transaction.query("SELECT org, number FROM lacuna.record ORDER BY 1, 2", &[]).unwrap();
        rows.iter().map(|row| (row.get(0), row.get(1))).collect::<Vec<(String, i64)>>()
    };
    assert_eq!(seen("SET LOCAL ROLE lacuna_app"), vec![]);
    let mine = vec![("acme".to_owned(), 1), ("acme".to_owned(), 2)];
    assert_eq!(seen("SET LOCAL ROLE lacuna_app; SET LOCAL app.org = 'acme'"), mine);
    // The scheduler sees what is due, whosever it is.
    let due = vec![("acme".to_owned(), 1), ("other".to_owned(), 1)];
    assert_eq!(seen("SET LOCAL ROLE lacuna_admin"), due);
}

#[test]
fn a_schema_of_the_first_release_is_migrated_and_keeps_what_it_has() {
    let Some(database) = Database::make("migrated") else { return };
    put(&PostgresStore::open(&database.url()).unwrap(), "ann", vec![row(1)]);
    let first_release = "
        DROP TABLE lacuna.job, lacuna.setting, lacuna.keyed_request; DROP INDEX lacuna.memory_expiring;
        DROP POLICY expiring ON lacuna.memory; ALTER TABLE lacuna.tombstone DROP COLUMN brief;
        DROP TABLE lacuna.member, lacuna.record, lacuna.ended; DROP INDEX lacuna.memory_deleted;
        ALTER TABLE lacuna.vault DROP COLUMN frozen_at, DROP COLUMN began_after, DROP COLUMN audit_signature;
        ALTER TABLE lacuna.vault DROP COLUMN rows_code, DROP COLUMN access_code, DROP COLUMN header_code;
        ALTER TABLE lacuna.audit DROP COLUMN code; ALTER TABLE lacuna.intent DROP COLUMN note;
        DROP POLICY deleted ON lacuna.memory; DROP POLICY in_scope_to_erase ON lacuna.vault;
        DROP POLICY in_scope_to_erase ON lacuna.memory; DROP POLICY in_scope_to_erase ON lacuna.tombstone;
        DROP POLICY in_scope_to_erase ON lacuna.intent; DROP POLICY in_scope_to_erase ON lacuna.audit;
        DELETE FROM lacuna.migration WHERE version > 1";
    client(&database).batch_execute(first_release).unwrap();
    let store = PostgresStore::open(&database.url()).unwrap();
    assert_eq!(store.memberships(&scope("ann").org, &user("ann")).unwrap(), vec![]);
    assert_eq!(store.rows(scope("ann").vault_id(), &[id(1)]).unwrap(), vec![Some(row(1))]);
}

#[test]
fn a_newer_schema_is_refused() {
    let Some(database) = Database::make("newer") else { return };
    drop(PostgresStore::open(&database.url()).unwrap());
    client(&database).batch_execute("INSERT INTO lacuna.migration VALUES (99)").unwrap();
    assert_eq!(PostgresStore::open(&database.url()).err().unwrap().code(), "newer_database");
}

#[test]
fn a_broken_connection_is_replaced() {
    let Some(database) = Database::make("broken") else { return };
    let store = PostgresStore::open(&database.url()).unwrap();
    put(&store, "ann", vec![row(1)]);
    let kill = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE application_name = 'lacuna' AND datname = current_database()";
    client(&database).batch_execute(kill).unwrap();
    // The first call may find the broken connection; it says so, and the next one works.
    if let Err(error) = store.revision(scope("ann").vault_id()) {
        assert_eq!(error.code(), "store_unavailable");
    }
    put(&store, "ann", vec![row(2)]);
    let empty = KeyBatch::new(scope("ann").vault_id(), time(0));
    PostgresKeys::open(&database.url()).unwrap().commit(empty).unwrap();
}

#[test]
fn another_host_needs_tls() {
    let refused = [
        "postgres://lacuna@db.example.org/lacuna",
        "postgres://lacuna@192.0.2.1/lacuna",
        "host=localhost hostaddr=192.0.2.1 user=lacuna",
        "postgres://lacuna@localhost,db.example.org/lacuna",
        "user=lacuna",
    ];
    for url in refused {
        assert_eq!(PostgresStore::open(url).err().unwrap().code(), "tls_required", "{url}");
        assert_eq!(PostgresKeys::open(url).err().unwrap().code(), "tls_required", "{url}");
    }
    assert_eq!(PostgresStore::open("nonsense://").err().unwrap().code(), "bad_url");
    assert_eq!(PostgresStore::open("postgres://a@127.0.0.1:1/x").err().unwrap().code(), "store_unavailable");
}

const OPERATIONS: &str = include_str!("../../../../docs/operations.md");

/// Databases for data and keys, with the roles of `docs/operations.md` under names of this test's own.
struct RoleSetup {
    data: Database,
    keys: Database,
    // Dropped last: a role that owns something cannot go.
    roles: RolePair,
}

struct RolePair {
    server: String,
    owner: String,
    login: String,
}

impl Drop for RolePair {
    fn drop(&mut self) {
        let mut client = Client::connect(&self.server, NoTls).unwrap();
        client.batch_execute(&format!("DROP ROLE {}, {}", self.owner, self.login)).unwrap();
    }
}

impl RoleSetup {
    /// Runs the first documented block, as an administrator does.
    fn make(test: &str) -> Option<Self> {
        let data = Database::make(&format!("{test}_data"))?;
        let keys = Database::make(&format!("{test}_keys"))?;
        let server = std::env::var("LACUNA_TEST_POSTGRES").unwrap();
        let role = |kind: &str| format!("lacuna_{kind}_{test}_{}", std::process::id());
        let roles = RolePair { server, owner: role("owner"), login: role("login") };
        let setup = Self { data, keys, roles };
        let mut client = Client::connect(&setup.roles.server, NoTls).unwrap();
        // The databases were made by the same statement above.
        for statement in setup.documented(0).iter().filter(|line| !line.starts_with("CREATE DATABASE")) {
            let done = client.batch_execute(statement);
            // Roles without a login belong to the whole server, and other tests make them too.
            let shared = statement.ends_with(" NOLOGIN;");
            let taken =
                |code: &SqlState| [SqlState::DUPLICATE_OBJECT, SqlState::UNIQUE_VIOLATION].contains(code);
            if let Err(error) = done {
                assert!(shared && error.code().is_some_and(taken), "{statement} {error:?}");
            }
        }
        Some(setup)
    }

    /// Makes the schemas as the owner.
    fn migrate(&self) {
        drop(PostgresStore::open(&self.url(&self.data, &self.roles.owner)).unwrap());
        drop(PostgresKeys::open(&self.url(&self.keys, &self.roles.owner)).unwrap());
    }

    /// Runs the second documented block.
    fn grant(&self) {
        let mut client = None;
        for line in self.documented(1) {
            match line.as_str() {
                "\\connect lacuna" => client = Some(self::client(&self.data)),
                "\\connect lacuna_keys" => client = Some(self::client(&self.keys)),
                statement => client.as_mut().unwrap().batch_execute(statement).unwrap(),
            }
        }
    }

    /// The lines of a block of SQL, with the names of this test.
    fn documented(&self, block: usize) -> Vec<String> {
        let (_, section) = OPERATIONS.split_once("## PostgreSQL roles\n").unwrap();
        let sql = section.split("```sql\n").nth(block + 1).unwrap().split("```").next().unwrap();
        let sql = sql
            .replace("DATABASE lacuna_keys ", &format!("DATABASE {} ", name(&self.keys)))
            .replace("DATABASE lacuna ", &format!("DATABASE {} ", name(&self.data)))
            .replace("lacuna_owner", &self.roles.owner)
            .replace("lacuna_login", &self.roles.login);
        sql.lines().map(str::to_owned).collect()
    }

    fn url(&self, database: &Database, role: &str) -> String {
        database.url().replacen("//lacuna@", &format!("//{role}@"), 1)
    }

    fn open_as_login(&self) -> (PostgresStore, PostgresKeys) {
        let (data, keys) = (self.url(&self.data, &self.roles.login), self.url(&self.keys, &self.roles.login));
        (PostgresStore::open(&data).unwrap(), PostgresKeys::open(&keys).unwrap())
    }
}

fn name(database: &Database) -> String {
    database.url().rsplit_once('/').unwrap().1.to_owned()
}

#[test]
fn a_login_role_that_owns_nothing_does_all_work() {
    let Some(setup) = RoleSetup::make("work") else { return };
    setup.migrate();
    setup.grant();
    let (store, keys) = setup.open_as_login();
    suite::conformance(&store);
    key_suite::conformance(&keys);
    let safe = LoginRole { name: setup.roles.login.clone(), excess: vec![] };
    assert_eq!(store.login_role().unwrap(), safe);
    assert_eq!(keys.login_role().unwrap(), safe);
}

#[test]
fn a_login_role_that_owns_nothing_cannot_switch_row_level_security_off() {
    let Some(setup) = RoleSetup::make("bound") else { return };
    setup.migrate();
    setup.grant();
    let (store, keys) = setup.open_as_login();
    two_vaults(&store);
    keys.commit(key_suite::first("ann")).unwrap();
    let tables =
        [(&setup.data, "lacuna.memory", "lacuna_app"), (&setup.keys, "lacuna_keys.root", "lacuna_keys_app")];
    for (database, table, app) in tables {
        let mut client = Client::connect(&setup.url(database, &setup.roles.login), NoTls).unwrap();
        let forbidden = [
            format!("ALTER TABLE {table} DISABLE ROW LEVEL SECURITY"),
            format!("ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY"),
            format!("DROP POLICY in_scope ON {table}"),
            format!("SET ROLE {}", setup.roles.owner),
            format!("GRANT {} TO {}", setup.roles.owner, setup.roles.login),
            format!("SELECT vault FROM {table}"),
            format!("SET LOCAL ROLE {app}; SET LOCAL row_security = off; SELECT vault FROM {table}"),
        ];
        for sql in forbidden {
            let refused = client.transaction().unwrap().batch_execute(&sql).unwrap_err();
            assert_eq!(refused.code().unwrap().code(), "42501", "{sql}");
        }
        client.batch_execute(&format!("SET ROLE {app}")).unwrap();
        let seen = client.query(&format!("SELECT vault FROM {table}"), &[]).unwrap();
        assert_eq!(seen.len(), 0, "{table} without a scope");
    }
}

#[test]
fn a_login_role_that_may_not_migrate_is_told_who_may() {
    let Some(setup) = RoleSetup::make("told") else { return };
    let url = setup.url(&setup.data, &setup.roles.login);
    let refusal = |expected: &[&str]| {
        let error = PostgresStore::open(&url).err().unwrap();
        assert_eq!(error.code(), "access_denied");
        let text = error.to_string();
        assert!(expected.iter().all(|words| text.contains(words)), "{text}");
    };
    let (owner, login) = (setup.roles.owner.as_str(), setup.roles.login.as_str());
    refusal(&[login, "the schema lacuna is not there yet", "docs/operations.md"]);
    setup.migrate();
    refusal(&[login, "may not read lacuna.migration", "docs/operations.md"]);
    setup.grant();
    drop(PostgresStore::open(&url).unwrap());
    client(&setup.data)
        .batch_execute(
            "DELETE FROM lacuna.migration WHERE version = (SELECT max(version) FROM lacuna.migration)",
        )
        .unwrap();
    refusal(&[login, "may not migrate", "lacuna store init", owner]);
}

#[test]
fn rights_that_a_login_role_should_not_have_are_named() {
    let Some(setup) = RoleSetup::make("named") else { return };
    setup.migrate();
    setup.grant();
    let (owner, login) = (setup.roles.owner.as_str(), setup.roles.login.as_str());
    let excess = |url: &str| PostgresStore::open(url).unwrap().login_role().unwrap().excess;
    assert_eq!(excess(&setup.url(&setup.data, owner)), ["owns tables"]);
    assert!(excess(&setup.data.url()).contains(&"is a superuser"));
    let url = setup.url(&setup.data, login);
    setup.data.admin(&format!("ALTER ROLE {login} BYPASSRLS CREATEROLE"));
    assert_eq!(excess(&url), ["bypasses row-level security", "creates roles"]);
    // A role that may switch to the owner is as strong as the owner.
    setup.data.admin(&format!("ALTER ROLE {login} NOBYPASSRLS NOCREATEROLE; GRANT {owner} TO {login}"));
    assert_eq!(excess(&url), ["owns tables"]);
    let keys = PostgresKeys::open(&setup.url(&setup.keys, owner)).unwrap();
    assert_eq!(keys.login_role().unwrap().excess, ["owns tables"]);
}

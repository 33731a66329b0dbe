//! The databases of a small installation, and hostile values in their columns.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lacuna_core::govern::TokenRequest;
use lacuna_core::permit::{Caller, permit};
use lacuna_core::{Lacuna, Parts};
use lacuna_store::{Blobs, LocalKms, SqliteKeys, SqliteStore};
use lacuna_types::{Draft, Group, OrgId, Result, Role, SessionId, UserId};
use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::{Connection, ToSql};

/// The user whose vault the installation holds.
pub fn anna() -> Result<Caller> {
    Ok(Caller::new(OrgId::new("acme")?, UserId::new("anna")?, vec![Role::User, Role::Admin]))
}

/// Makes an installation in `folder`: memories, a session, an erasure with its receipt, a token, a member.
pub fn install(folder: &Path) -> Result<Lacuna> {
    let store = Arc::new(SqliteStore::open(folder.join("lacuna.db"))?);
    let kms = LocalKms::open(&folder.join("keys"), None)?;
    let keys = Arc::new(SqliteKeys::open(folder.join("keys/keystore.db"))?);
    let blobs = Blobs::open(folder.join("blobs"))?;
    let lacuna = Lacuna::new(Parts::new(store, keys, kms, blobs, lacuna_models::static_embedder()?));
    let (anna, own) = (anna()?, anna()?.personal_scope());
    let draft = |text: &str| Draft { text: text.into(), ..Draft::default() };
    let texts = ["The orchid wants water on Tuesdays.", "The boat lies in the north harbour."];
    let kept = lacuna.remember(&permit(&anna, &own)?, texts.map(draft).into())?;
    let session = SessionId::new("ses_1")?;
    lacuna.start_session(&permit(&anna, &own)?, Some(session.clone()))?;
    for outcome in kept.into_iter().take(1) {
        lacuna.delete(&permit(&anna, &own)?, outcome.stored()?.id)?;
    }
    let token = TokenRequest {
        operations: Vec::new(),
        without: Vec::new(),
        user: UserId::new("ben")?,
        roles: vec![Role::Reader],
        label: "laptop".into(),
        expires_at: None,
    };
    let org = anna.org_scope();
    lacuna.tokens().create(&permit(&anna, &org)?, token)?;
    if let Some(desk) = Group::from_words("team", "desk") {
        lacuna.members().add(&permit(&anna, &org)?, desk, UserId::new("ben")?)?;
    }
    Ok(lacuna)
}

/// A database file, and a place for changed copies of it.
pub struct Template {
    bytes: Vec<u8>,
    columns: Vec<(String, String)>,
    copy: PathBuf,
}

impl Template {
    /// Takes over the database at `path`, which nobody writes to any more.
    pub fn of(path: &Path, copy: PathBuf) -> rusqlite::Result<Self> {
        let connection = Connection::open(path)?;
        connection.pragma_update(None, "journal_mode", "DELETE")?;
        let sql = "SELECT m.name, c.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c
            WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' ORDER BY m.name, c.cid";
        let columns = connection
            .prepare(sql)?
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<rusqlite::Result<_>>()?;
        drop(connection);
        let bytes = fs::read(path).map_err(|_| rusqlite::Error::InvalidQuery)?;
        Ok(Self { bytes, columns, copy })
    }

    /// A copy in which hostile bytes stand in a column: its number, the type of the value, the value. `None` where
    /// the database itself refuses the value.
    pub fn spoilt(&self, bytes: &[u8]) -> Option<&Path> {
        let [column, kind, value @ ..] = bytes else { return None };
        let (table, column) = &self.columns[usize::from(*column) % self.columns.len()];
        for end in ["", "-wal", "-shm", "-journal"] {
            let _ = fs::remove_file(format!("{}{end}", self.copy.display()));
        }
        fs::write(&self.copy, &self.bytes).ok()?;
        let connection = Connection::open(&self.copy).ok()?;
        connection.execute_batch("PRAGMA ignore_check_constraints = ON; PRAGMA synchronous = OFF;").ok()?;
        let sql = format!("UPDATE OR IGNORE \"{table}\" SET \"{column}\" = ?1");
        connection.execute(&sql, [HostileValue(*kind, value)]).ok()?;
        Some(&self.copy)
    }
}

struct HostileValue<'a>(u8, &'a [u8]);

impl ToSql for HostileValue<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let Self(kind, bytes) = self;
        let number = || bytes.first_chunk().map_or(bytes.len() as i64, |chunk| i64::from_le_bytes(*chunk));
        Ok(match kind % 4 {
            0 => ToSqlOutput::Borrowed(ValueRef::Blob(bytes)),
            1 => ToSqlOutput::Borrowed(ValueRef::Text(bytes)),
            2 => ToSqlOutput::Owned(Value::Integer(number())),
            _ => ToSqlOutput::Owned(Value::Null),
        })
    }
}

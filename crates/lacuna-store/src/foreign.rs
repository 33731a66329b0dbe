//! Rows of another program's SQLite file, for imports. The file is opened to be read only.

use std::ops::ControlFlow;
use std::path::Path;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, Row};

/// One row: a text for each column, `None` for NULL and for bytes that are no text.
pub type ForeignRow = Vec<Option<String>>;

/// Hands the rows of `query` to `take` until it breaks. The error says why the file cannot be read; it repeats nothing
/// of its contents.
pub fn each_foreign_row(
    path: &Path,
    query: &str,
    mut take: impl FnMut(ForeignRow) -> ControlFlow<()>,
) -> Result<(), String> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let database = Connection::open_with_flags(path, flags).map_err(reason)?;
    let mut statement = database.prepare(query).map_err(reason)?;
    let columns = statement.column_count();
    let mut rows = statement.query([]).map_err(reason)?;
    while let Some(row) = rows.next().map_err(reason)? {
        let texts = (0..columns).map(|column| text(row, column)).collect::<rusqlite::Result<ForeignRow>>();
        if take(texts.map_err(reason)?).is_break() {
            break;
        }
    }
    Ok(())
}

fn text(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<String>> {
    Ok(match row.get_ref(column)? {
        ValueRef::Null | ValueRef::Blob(_) => None,
        ValueRef::Integer(number) => Some(number.to_string()),
        ValueRef::Real(number) => Some(number.to_string()),
        ValueRef::Text(bytes) => String::from_utf8(bytes.to_vec()).ok(),
    })
}

fn reason(error: rusqlite::Error) -> String {
    match error {
        rusqlite::Error::SqliteFailure(fault, _) => fault.to_string(),
        _ => "it does not have the expected tables".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_as_texts_until_the_taker_breaks_and_a_foreign_file_gets_a_reason() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("foreign.db");
        let database = Connection::open(&path).unwrap();
        database
            .execute_batch("create table t (a, b); insert into t values ('x', 1), (null, x'00ff');")
            .unwrap();
        let mut rows = Vec::new();
        let mut all = |row| {
            rows.push(row);
            ControlFlow::Continue(())
        };
        each_foreign_row(&path, "select a, b from t", &mut all).unwrap();
        assert_eq!(rows, [vec![Some("x".to_owned()), Some("1".to_owned())], vec![None, None]]);

        let mut count = 0;
        let mut one = |_| {
            count += 1;
            ControlFlow::Break(())
        };
        each_foreign_row(&path, "select a from t", &mut one).unwrap();
        assert_eq!(count, 1);
        assert!(each_foreign_row(&path, "select a from missing", |_| ControlFlow::Break(())).is_err());
        let text = folder.path().join("text");
        std::fs::write(&text, "no database").unwrap();
        assert!(each_foreign_row(&text, "select a from t", |_| ControlFlow::Break(())).is_err());
        let read_only = each_foreign_row(&path, "delete from t returning a", |_| ControlFlow::Break(()));
        assert!(read_only.is_err(), "nothing is written");
    }
}

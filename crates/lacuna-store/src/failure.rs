//! The failure of a statement inside the SQL stores.

use lacuna_types::Error;

/// An [`Error`] to which the errors of both database drivers convert, so that `?` works on them. It ends at the
/// methods of the public traits, which answer with the [`Error`] inside.
#[derive(Debug)]
pub(crate) struct SqlFailure(pub(crate) Error);

impl From<Error> for SqlFailure {
    fn from(error: Error) -> Self {
        Self(error)
    }
}

impl From<SqlFailure> for Error {
    fn from(failure: SqlFailure) -> Self {
        failure.0
    }
}

//! Purposes on the wire.

use lacuna_types::{Scope, Sensitivity};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::scope::shown;
use super::words;

/// A category to close to assistants and readers, or to open again.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PurposeRequest)]
pub(crate) struct PurposeRequest {
    pub(crate) category: words::Sensitivity,
    pub(crate) closed: bool,
    /// The vault; only the caller's own, which is meant when it is absent.
    pub(crate) scope: Option<String>,
}

/// The categories that are closed to assistants and readers.
#[derive(Serialize, ToSchema)]
#[schema(as = PurposeList)]
pub(crate) struct PurposeList {
    pub(crate) scope: String,
    pub(crate) closed: Vec<words::Sensitivity>,
}

impl PurposeList {
    pub(crate) fn of(closed: Vec<Sensitivity>, scope: &Scope) -> Self {
        Self { scope: shown(scope), closed: closed.into_iter().map(words::Sensitivity).collect() }
    }
}

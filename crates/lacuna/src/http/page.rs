//! Pages of lists: the one reader of the parameters with which a list goes on.

#![allow(unused_qualifications, reason = "the macro that describes parameters writes their full path")]

use lacuna_core::permit::Caller;
use lacuna_types::Scope;
use utoipa::IntoParams;

use super::body::{once, whole_number};
use crate::wire::failure::{Failure, Result};
use crate::wire::read_scope;

/// Parameters of a list that goes on at a cursor.
pub(super) const BY_CURSOR: &[&str] = &["cursor", "limit", "scope"];
/// Parameters of a list that goes on after an item.
pub(super) const BY_ITEM: &[&str] = &["after", "limit", "scope"];
/// Parameters of a list that goes on after a number, in pages of a fixed length.
pub(super) const BY_NUMBER: &[&str] = &["after", "scope"];
/// Parameters of a list that goes on after a name, belongs to no vault and has pages of a fixed length.
pub(super) const BY_NAME: &[&str] = &["after"];

/// The page of a list that a query string asks for.
#[derive(Default)]
pub(super) struct PageQuery {
    /// `cursor` or `after`: the position at which the page starts.
    pub(super) start: Option<String>,
    limit: Option<usize>,
    scope: Option<String>,
}

impl PageQuery {
    /// Reads a query string that may hold the parameters `names`.
    pub(super) fn read(pairs: Vec<(String, String)>, names: &[&str]) -> Result<Self> {
        Self::read_with(pairs, names, |_, _| Ok(false))
    }

    /// Reads a query string that may hold the parameters `names`, and those of the list itself: `own` takes the name and
    /// value of one, and answers `false` for a name that it does not know.
    pub(super) fn read_with(
        pairs: Vec<(String, String)>,
        names: &[&str],
        mut own: impl FnMut(&str, &str) -> Result<bool>,
    ) -> Result<Self> {
        let mut page = Self::default();
        for (name, value) in pairs {
            match name.as_str() {
                taken if !names.contains(&taken) => {
                    if !own(taken, &value)? {
                        return Err(Failure::invalid(name, "is not a parameter of this list"));
                    }
                }
                "limit" => once(&name, &mut page.limit, whole_number(&name, &value)?)?,
                "scope" => once(&name, &mut page.scope, value)?,
                _ => once(&name, &mut page.start, value)?,
            }
        }
        Ok(page)
    }

    /// Returns the number after which the list goes on; 0 is before its first item.
    pub(super) fn after_number(&self) -> Result<u64> {
        self.start.as_deref().map_or(Ok(0), |number| whole_number("after", number))
    }

    pub(super) fn limit_or(&self, default: usize) -> usize {
        self.limit.unwrap_or(default)
    }

    /// Returns the vault of the list; the caller's own when none is named.
    pub(super) fn scope(&self, caller: &Caller) -> Result<Scope> {
        Ok(read_scope(self.scope.as_deref(), caller)?)
    }
}

/// Position at which a numbered list goes on, and its vault.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it describes the parameters that `PageQuery` reads")]
pub(super) struct AfterParams {
    /// Only items with a higher number.
    after: Option<u64>,
    /// The vault: `user`, `team:NAME`, `org` or `deployment:NAME`; the caller's own when absent.
    scope: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&str, &str)], names: &[&str]) -> Result<PageQuery> {
        PageQuery::read(
            pairs.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect(),
            names,
        )
    }

    #[test]
    fn a_list_takes_its_own_parameters_once_each_and_no_others() {
        let page = read(&[("limit", "7"), ("cursor", "x"), ("scope", "org")], BY_CURSOR).unwrap();
        assert_eq!((page.start.as_deref(), page.limit_or(50)), (Some("x"), 7));
        assert_eq!(read(&[("after", "12")], BY_NUMBER).unwrap().after_number().unwrap(), 12);
        assert_eq!(read(&[], BY_NUMBER).unwrap().after_number().unwrap(), 0);

        let refused = |pairs: &[(&str, &str)], names: &[&str], rule: &str| {
            let Err(failure) = read(pairs, names) else { panic!("{pairs:?} was read") };
            assert_eq!(failure.field.as_deref(), Some(pairs[0].0), "{pairs:?}");
            assert!(failure.detail.contains(rule), "{pairs:?}: {}", failure.detail);
        };
        refused(&[("limit", "many")], BY_CURSOR, "must be a whole number");
        refused(&[("limit", "1"), ("limit", "1")], BY_ITEM, "must be given once");
        refused(&[("cursor", "a"), ("cursor", "b")], BY_CURSOR, "must be given once");
        refused(&[("after", "a")], BY_CURSOR, "is not a parameter of this list");
        refused(&[("cursor", "a")], BY_ITEM, "is not a parameter of this list");
        refused(&[("limit", "1")], BY_NUMBER, "is not a parameter of this list");
        refused(&[("scope", "org")], BY_NAME, "is not a parameter of this list");
        assert!(read(&[("after", "x")], BY_NUMBER).unwrap().after_number().is_err());
    }
}

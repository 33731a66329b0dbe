//! Vault of a call: one word, the same in JSON, in query strings and on the command line.

use lacuna_core::permit::Caller;
use lacuna_types::{Error, Group, Holder, Result, Scope, UserId};
use serde::Serialize;
use utoipa::ToSchema;

/// Reads the scope that `text` names in the caller's organisation; without one, the caller's own vault.
pub(crate) fn read_scope(text: Option<&str>, caller: &Caller) -> Result<Scope> {
    text.map_or_else(|| Ok(caller.personal_scope()), |text| read_named("scope", text, caller))
}

/// Reads the scope that a memory is to move to.
pub(crate) fn read_target(text: &str, caller: &Caller) -> Result<Scope> {
    read_named("to", text, caller)
}

/// `user` is the caller, `user:NAME` anybody.
fn read_named(field: &'static str, text: &str, caller: &Caller) -> Result<Scope> {
    let rule = "must be user, team:NAME, org or deployment:NAME, with a name of 1 to 128 bytes";
    let unknown = || Error::invalid(field, rule);
    let holder = match text.split_once(':') {
        None if text == "user" => Holder::User(caller.user.clone()),
        None if text == "org" => Holder::Org,
        None => return Err(unknown()),
        Some(("user", name)) => Holder::User(UserId::new(name).map_err(|_| unknown())?),
        Some((kind, name)) => Group::from_words(kind, name).ok_or_else(unknown)?.into(),
    };
    Ok(Scope { org: caller.org.clone(), holder })
}

/// Vaults, in the words that every call takes for its scope.
#[derive(Serialize, ToSchema)]
#[schema(as = ScopeList)]
pub(crate) struct ScopeList {
    pub(crate) scopes: Vec<String>,
}

impl ScopeList {
    pub(crate) fn of(caller: &Caller) -> Self {
        Self { scopes: caller.readable_scopes().iter().map(shown).collect() }
    }
}

/// The spelling in answers.
pub(crate) fn shown(scope: &Scope) -> String {
    scope.holder.to_string()
}

#[cfg(test)]
mod tests {
    use lacuna_types::OrgId;

    use super::*;

    #[test]
    fn scopes_are_read_as_they_are_shown_and_anything_else_is_refused() {
        let caller = Caller::new(OrgId::new("acme").unwrap(), UserId::new("anna").unwrap(), Vec::new());
        assert_eq!(read_scope(None, &caller).unwrap(), caller.personal_scope());
        assert_eq!(read_scope(Some("user"), &caller).unwrap(), caller.personal_scope());
        for text in ["user:anna", "user:ben", "team:desk", "team:a:b", "org", "deployment:did:web:x"] {
            let scope = read_scope(Some(text), &caller).unwrap();
            assert_eq!((shown(&scope).as_str(), scope.org), (text, caller.org.clone()));
        }
        let long = format!("team:{}", "x".repeat(129));
        let bad =
            ["", "team", "team:", "org:acme", "Team:desk", "user:", "team: desk", "team:a\0", "*", &long];
        for text in bad {
            let refused = read_scope(Some(text), &caller).unwrap_err();
            assert!(matches!(refused, Error::Invalid { field: "scope", .. }), "{text}");
        }
    }
}

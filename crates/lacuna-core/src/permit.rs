//! Who may do what to which vault. The check returns its proof: a [`Grant`] that only [`permit`] can make,
//! and that every operation asks for.

use std::marker::PhantomData;

use crate::domain::{Holder, OrgId, Role, Scope, UserId};
use crate::error::{Error, Result};

/// Somebody whom a door has authenticated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Caller {
    pub org: OrgId,
    pub user: UserId,
    pub roles: Vec<Role>,
}

impl Caller {
    /// The caller's own vault.
    pub fn personal_scope(&self) -> Scope {
        Scope::personal(self.org.clone(), self.user.clone())
    }

    /// The organisation's own vault, where administration is recorded.
    pub fn org_scope(&self) -> Scope {
        Scope { org: self.org.clone(), holder: Holder::Org }
    }

    fn has(&self, role: Role) -> bool {
        self.roles.contains(&role)
    }
}

/// An action that can be granted.
pub trait Action: private::Sealed {
    const NAME: &'static str;
    /// What the caller's role must allow.
    const NEEDS: Need;
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Need {
    /// Reading the content of a vault.
    Read,
    /// Changing the content of a vault.
    Write,
    /// Administering an organisation, which never shows content.
    Admin,
}

mod private {
    pub trait Sealed {}
}

macro_rules! action {
    ($(#[$doc:meta])* $name:ident, $word:literal, $need:expr) => {
        $(#[$doc])*
        pub enum $name {}
        impl private::Sealed for $name {}
        impl Action for $name {
            const NAME: &'static str = $word;
            const NEEDS: Need = $need;
        }
    };
}

action!(/** Writing new memories. */ Remember, "remember", Need::Write);
action!(/** Searching, reading and listing memories. */ Recall, "recall", Need::Read);
action!(/** Erasing memories. */ Forget, "forget", Need::Write);
action!(/** Reading and verifying the vault's audit chain. */ ReadAudit, "audit", Need::Read);
action!(/** Making, listing and revoking API tokens. */ ManageTokens, "tokens", Need::Admin);
action!(/** Renewing the epoch key. */ ManageKeys, "keys", Need::Admin);

/// Proof that `caller` may do `A` in `scope`.
pub struct Grant<A: Action> {
    caller: Caller,
    scope: Scope,
    action: PhantomData<A>,
}

impl<A: Action> Grant<A> {
    pub fn caller(&self) -> &Caller {
        &self.caller
    }

    pub fn scope(&self) -> &Scope {
        &self.scope
    }
}

/// Decides whether `caller` may do `A` in `scope`.
///
/// A vault out of reach looks like one that does not exist, so that nobody can ask whether it does.
pub fn permit<A: Action>(caller: &Caller, scope: &Scope) -> Result<Grant<A>> {
    if scope.org != caller.org {
        return Err(Error::NotFound("vault"));
    }
    match A::NEEDS {
        Need::Admin => permit_admin(caller, scope)?,
        Need::Read | Need::Write => permit_content(caller, scope, A::NEEDS)?,
    }
    Ok(Grant { caller: caller.clone(), scope: scope.clone(), action: PhantomData })
}

fn permit_content(caller: &Caller, scope: &Scope, need: Need) -> Result<()> {
    match &scope.holder {
        Holder::User(owner) if *owner == caller.user => {}
        _ => return Err(Error::NotFound("vault")),
    }
    let allowed = match need {
        Need::Read => caller.has(Role::User) || caller.has(Role::Reader),
        Need::Write => caller.has(Role::User),
        Need::Admin => false,
    };
    allowed.then_some(()).ok_or(Error::Denied("this token's roles do not allow it"))
}

fn permit_admin(caller: &Caller, scope: &Scope) -> Result<()> {
    if scope.holder != Holder::Org {
        return Err(Error::NotFound("vault"));
    }
    caller.has(Role::Admin).then_some(()).ok_or(Error::Denied("this needs the admin role"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caller(user: &str, roles: &[Role]) -> Caller {
        Caller { org: OrgId::new("acme").unwrap(), user: UserId::new(user).unwrap(), roles: roles.to_vec() }
    }

    fn code<A: Action>(caller: &Caller, scope: &Scope) -> &'static str {
        permit::<A>(caller, scope).map_or_else(|error| error.code(), |_| "granted")
    }

    #[test]
    fn only_the_owner_reaches_a_personal_vault_and_roles_bound_what_they_do() {
        let anna = caller("anna", &[Role::User]);
        let reader = caller("anna", &[Role::Reader]);
        let admin = caller("boss", &[Role::User, Role::Admin]);
        let hers = anna.personal_scope();
        let org = anna.org_scope();
        let foreign = Scope::personal(OrgId::new("other").unwrap(), anna.user.clone());

        assert_eq!(code::<Remember>(&anna, &hers), "granted");
        assert_eq!(code::<Recall>(&anna, &hers), "granted");
        assert_eq!(code::<Recall>(&reader, &hers), "granted");
        assert_eq!(code::<Remember>(&reader, &hers), "denied");
        assert_eq!(code::<Forget>(&reader, &hers), "denied");
        assert_eq!(code::<Recall>(&admin, &hers), "not_found");
        assert_eq!(code::<Forget>(&admin, &hers), "not_found");
        assert_eq!(code::<ReadAudit>(&admin, &hers), "not_found");
        assert_eq!(code::<Recall>(&anna, &foreign), "not_found");
        assert_eq!(code::<ManageTokens>(&admin, &org), "granted");
        assert_eq!(code::<ManageTokens>(&anna, &org), "denied");
        assert_eq!(code::<ManageTokens>(&admin, &hers), "not_found");
        assert_eq!(code::<Recall>(&anna, &org), "not_found");
    }
}

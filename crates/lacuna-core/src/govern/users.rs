//! People of an organisation, as a directory provisions and removes them. A person is known by their vault.

use lacuna_store::rows::{MemberChange, TokenChange};
use lacuna_types::{Error, Group, Holder, Result, Role, Scope, UserId};

use crate::audit::{AuditAction, AuditEntry, Subject};
use crate::govern::destroy::{Destruction, destroy_vault};
use crate::permit::{Grant, ManageUsers};
use crate::vault::access::access_of;
use crate::vault::commit::Act;
use crate::vault::service::Service;

/// People whom one call makes or removes.
pub const USERS_BULK_MAX: usize = 200;

/// The end of a person's access and memory.
#[derive(Clone, PartialEq, Debug)]
pub struct RemovedUser {
    /// Tokens that were revoked.
    pub tokens: usize,
    /// Memberships that ended.
    pub memberships: usize,
    /// The destruction of the person's vault, if there was one.
    pub destroyed: Option<Destruction>,
}

/// Gives a person a vault. Who has one keeps it.
pub(crate) fn provision(service: &Service, grant: &Grant<ManageUsers>, user: &UserId) -> Result<()> {
    let scope = personal(grant, user);
    if service.store.vault(scope.vault_id())?.is_some() {
        return Ok(());
    }
    // The organisation's chain first: no vault is there that nobody recorded. The person's own chain begins with it too.
    for chain in [grant.scope(), &scope] {
        let entry = entry(grant, AuditAction::UserProvision, &scope);
        change(service, Act::new(chain, service.clock.now(), entry))?;
    }
    Ok(())
}

/// Revokes a person's tokens, ends their memberships, and destroys their vault. What they wrote in shared vaults
/// stays. A repeated call goes on where one that failed has stopped.
pub(crate) fn remove(service: &Service, grant: &Grant<ManageUsers>, user: &UserId) -> Result<RemovedUser> {
    let scope = personal(grant, user);
    let (tokens, groups) = access(service, grant, user)?;
    let header = service.store.vault(scope.vault_id())?;
    if tokens.is_empty() && groups.is_empty() && header.is_none() {
        return Err(Error::NotFound("person"));
    }
    let now = service.clock.now();
    let mut act = Act::new(grant.scope(), now, entry(grant, AuditAction::UserRemove, &scope));
    act.batch.tokens = tokens.iter().map(|id| TokenChange::Revoke { id: *id, at: now }).collect();
    let end = |group: &Group| MemberChange::Remove { group: group.clone(), user: user.clone() };
    act.batch.members = groups.iter().map(end).collect();
    change(service, act)?;
    let destroyed = header.map(|header| destroy_vault(service, grant.caller(), &header)).transpose()?;
    Ok(RemovedUser { tokens: tokens.len(), memberships: groups.len(), destroyed })
}

/// The person's valid tokens and their groups. Nobody removes an administrator or a service by the way.
fn access(
    service: &Service,
    grant: &Grant<ManageUsers>,
    user: &UserId,
) -> Result<(Vec<[u8; 16]>, Vec<Group>)> {
    let access = access_of(service, &grant.caller().org)?;
    let tokens = access.tokens();
    let theirs = tokens.iter().filter(|token| token.user == user.as_str() && token.revoked_at.is_none());
    let governs = |role: &String| [Role::Admin, Role::Service].iter().any(|other| other.as_str() == role);
    if theirs.clone().any(|token| token.roles.iter().any(governs)) {
        return Err(Error::Denied("this person has a token of the role admin or service: revoke it first"));
    }
    Ok((theirs.map(|token| token.id).collect(), access.groups_of(user)))
}

fn personal(grant: &Grant<ManageUsers>, user: &UserId) -> Scope {
    Scope { org: grant.caller().org.clone(), holder: Holder::User(user.clone()) }
}

fn entry(grant: &Grant<ManageUsers>, action: AuditAction, scope: &Scope) -> AuditEntry {
    AuditEntry::new(action, grant.caller().acting(), vec![Subject(*scope.vault_id().as_bytes())])
}

/// Commits to the vault of the act, and makes it where needed.
pub(crate) fn change(service: &Service, act: Act) -> Result<()> {
    let reader = service.reader(&act.batch.scope);
    let writer = reader.lock();
    writer.ensure()?;
    writer.commit(&act, |_| {}).map(drop)
}

//! Membership: who belongs to which team or deployment, and so to whom its vault opens.

use lacuna_store::rows::{MEMBERSHIPS_MAX, MemberChange, MemberRow};
use lacuna_types::{Error, Group, Result, Scope, UserId};

use crate::audit::{AuditAction, AuditEntry, Subject};
use crate::permit::{Grant, ManageMembers};
use crate::vault::access::access_of;
use crate::vault::commit::Act;
use crate::vault::service::Service;

/// Makes `user` a member from their next call on. Who is one already stays one.
pub(crate) fn add_member(
    service: &Service,
    grant: &Grant<ManageMembers>,
    group: Group,
    user: UserId,
) -> Result<()> {
    let theirs = access_of(service, &grant.caller().org)?.groups_of(&user);
    if theirs.len() >= MEMBERSHIPS_MAX && !theirs.contains(&group) {
        let reason = format!("belongs to {MEMBERSHIPS_MAX} teams and deployments, which is the most");
        return Err(Error::invalid("user", reason));
    }
    let subjects = subjects(grant, &group, &user);
    let change = MemberChange::Add { group, user, at: service.clock.now() };
    change_member(service, grant, AuditAction::MemberAdd, subjects, change)
}

/// Ends a membership: from the next call on the group's vault is closed to `user`. What they wrote stays.
pub(crate) fn remove_member(
    service: &Service,
    grant: &Grant<ManageMembers>,
    group: Group,
    user: UserId,
) -> Result<()> {
    let subjects = subjects(grant, &group, &user);
    change_member(service, grant, AuditAction::MemberRemove, subjects, MemberChange::Remove { group, user })
}

/// Members in the order of their names, a page at a time, from the one after `after`.
pub(crate) fn list_members(
    service: &Service,
    grant: &Grant<ManageMembers>,
    group: &Group,
    after: Option<&UserId>,
) -> Result<Vec<MemberRow>> {
    service.store.members(&grant.caller().org, group, after)
}

fn change_member(
    service: &Service,
    grant: &Grant<ManageMembers>,
    action: AuditAction,
    subjects: Vec<Subject>,
    change: MemberChange,
) -> Result<()> {
    let scope = grant.scope();
    let entry = AuditEntry::new(action, grant.caller().acting(), subjects);
    let mut act = Act::new(scope, service.clock.now(), entry);
    act.batch.members = vec![change];
    let reader = service.reader(scope);
    let writer = reader.lock();
    writer.ensure()?;
    writer.commit(&act, |_| {})?;
    Ok(())
}

/// The subjects of an audit entry about a membership: the group's vault, and the vault of the member who came or
/// left.
fn subjects(grant: &Grant<ManageMembers>, group: &Group, user: &UserId) -> Vec<Subject> {
    let org = &grant.caller().org;
    let theirs = Scope::personal(org.clone(), user.clone());
    let shared = Scope { org: org.clone(), holder: group.clone().into() };
    [shared, theirs].iter().map(|scope| Subject(*scope.vault_id().as_bytes())).collect()
}

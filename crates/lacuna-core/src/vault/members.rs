//! Callers with the teams and deployments that they belong to.

use lacuna_types::{OrgId, Result, Role, UserId};

use crate::permit::Caller;
use crate::vault::access::access_of;
use crate::vault::service::Service;

/// A caller with their memberships as they stand now. Doors call this for everybody they authenticate.
pub(crate) fn caller_for(service: &Service, org: OrgId, user: UserId, roles: Vec<Role>) -> Result<Caller> {
    Ok(access_of(service, &org)?.caller(org, user, roles))
}

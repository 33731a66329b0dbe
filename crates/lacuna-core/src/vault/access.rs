//! Tokens and memberships of an organisation, as this installation wrote them.
//!
//! They stand in plain rows, which whoever writes the database could change. The header of the organisation's own
//! vault carries a code over all of them; a caller is let in only by rows that match it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use lacuna_store::rows::{AccessRows, Batch, MEMBERSHIPS_MAX, TokenRow};
use lacuna_types::{Error, Group, Holder, OrgId, Result, Scope, UserId};

use crate::vault::codes::{CodedHeader, Codes, tampered};
use crate::vault::service::Service;

/// Attempts to read rows and code of one moment while others change them.
const READS_MAX: usize = 8;

/// The rows of every organisation that was asked for, by the code that they match.
#[derive(Default)]
pub(crate) struct AccessBooks(Mutex<HashMap<OrgId, Arc<AccessBook>>>);

/// Checked tokens and memberships of one organisation.
pub(crate) struct AccessBook {
    code: Option<[u8; 32]>,
    rows: AccessRows,
    token_places: HashMap<[u8; 32], usize>,
    groups: HashMap<UserId, Vec<Group>>,
}

impl AccessBook {
    fn new(code: Option<[u8; 32]>, rows: AccessRows) -> Self {
        let token_places = rows.tokens.iter().enumerate().map(|(place, token)| (token.hash, place)).collect();
        let mut groups: HashMap<UserId, Vec<Group>> = HashMap::new();
        for (group, member) in &rows.members {
            groups.entry(member.user.clone()).or_default().push(group.clone());
        }
        Self { code, rows, token_places, groups }
    }

    /// Every token, in the order of making.
    pub(crate) fn tokens(&self) -> Vec<&TokenRow> {
        let mut tokens: Vec<_> = self.rows.tokens.iter().collect();
        tokens.sort_by_key(|token| (token.created_at, token.id));
        tokens
    }

    pub(crate) fn token(&self, hash: &[u8; 32]) -> Option<&TokenRow> {
        self.token_places.get(hash).map(|place| &self.rows.tokens[*place])
    }

    /// The teams and deployments that a user belongs to.
    pub(crate) fn groups_of(&self, user: &UserId) -> Vec<Group> {
        let groups = self.groups.get(user).map_or(&[][..], Vec::as_slice);
        groups.iter().take(MEMBERSHIPS_MAX).cloned().collect()
    }
}

/// The organisation's tokens and memberships as they stand now. Every call of a door asks this: while nothing
/// changed, it costs one look at a header.
pub(crate) fn access_of(service: &Service, org: &OrgId) -> Result<Arc<AccessBook>> {
    let mut code = access_code(service, org)?;
    for _ in 0..READS_MAX {
        if let Some(book) = service.access.lock().get(org).filter(|book| book.code == code) {
            return Ok(book.clone());
        }
        let rows = service.store.access(org)?;
        let after = access_code(service, org)?;
        if after == code {
            let book = Arc::new(checked(service, org, code, rows)?);
            service.access.lock().insert(org.clone(), book.clone());
            return Ok(book);
        }
        code = after;
    }
    Err(Error::Conflict("the list of tokens and members"))
}

/// The organisation's rows as `batch` will leave them.
pub(crate) fn access_after(service: &Service, batch: &Batch) -> Result<AccessRows> {
    access_of(service, &batch.scope.org)?.rows.clone().after(batch)
}

fn checked(service: &Service, org: &OrgId, code: Option<[u8; 32]>, rows: AccessRows) -> Result<AccessBook> {
    let scope = org_scope(org);
    let genuine = match code {
        None => rows == AccessRows::default(),
        Some(code) => Codes::of(&service.kms, &scope)?.access(&rows) == code,
    };
    match genuine {
        true => Ok(AccessBook::new(code, rows)),
        false => Err(tampered(scope.vault_id(), "tokens or memberships are not those it had")),
    }
}

/// The code in the header of the organisation's vault; `None` before its first token or member.
fn access_code(service: &Service, org: &OrgId) -> Result<Option<[u8; 32]>> {
    let scope = org_scope(org);
    let Some(stored) = service.store.vault(scope.vault_id())? else { return Ok(None) };
    Ok(CodedHeader::checked(&Codes::of(&service.kms, &scope)?, &stored)?.codes.access)
}

fn org_scope(org: &OrgId) -> Scope {
    Scope { org: org.clone(), holder: Holder::Org }
}

impl AccessBooks {
    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<OrgId, Arc<AccessBook>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

//! Tokens and memberships of an organisation, as this installation wrote them.
//!
//! They stand in plain rows, which whoever writes the database could change. The header of the organisation's own
//! vault carries a code over all of them; a caller is let in only by rows that match it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lacuna_store::rows::{AccessRows, Batch, MEMBERSHIPS_MAX, TokenRow};
use lacuna_types::{Error, Group, Holder, OrgId, Result, Revision, Role, Scope, UserId};

use crate::permit::Caller;
use crate::vault::codes::{CodedHeader, Codes, tampered};
use crate::vault::service::Service;

/// Attempts to read rows and code of one moment while others change them.
const READS_MAX: usize = 8;

/// Tokens whose organisation is known without a look at their row.
const KNOWN_TOKENS_MAX: usize = 100_000;

/// The checked rows of every organisation that was asked for.
#[derive(Default)]
pub(crate) struct AccessBooks {
    books: Mutex<HashMap<OrgId, BookAt>>,
    /// The organisations of tokens that were used, by the hash of their secret.
    token_orgs: Mutex<HashMap<[u8; 32], OrgId>>,
}

/// A book, and the revision of the organisation's vault at which it was last found to hold. Every change of a token or of a
/// membership is a commit to that vault.
struct BookAt {
    revision: Revision,
    book: Arc<AccessBook>,
}

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

    /// A user with their memberships.
    pub(crate) fn caller(&self, org: OrgId, user: UserId, roles: Vec<Role>) -> Caller {
        Caller { memberships: self.groups_of(&user), ..Caller::new(org, user, roles) }
    }
}

/// The organisation's tokens and memberships as they stand now. Every call of a door asks this: while nothing
/// was committed to the organisation's vault, it costs one look at a revision.
pub(crate) fn access_of(service: &Service, org: &OrgId) -> Result<Arc<AccessBook>> {
    // Before the book: a commit in between makes the next call look again.
    let revision = service.store.revision(org_scope(org).vault_id())?;
    if let Some(known) = service.access.books().get(org).filter(|known| known.revision == revision) {
        return Ok(known.book.clone());
    }
    let book = current_book(service, org)?;
    service.access.books().insert(org.clone(), BookAt { revision, book: book.clone() });
    Ok(book)
}

/// The book that matches the code in the header of the organisation's vault.
fn current_book(service: &Service, org: &OrgId) -> Result<Arc<AccessBook>> {
    let mut code = access_code(service, org)?;
    for _ in 0..READS_MAX {
        if let Some(known) = service.access.books().get(org).filter(|known| known.book.code == code) {
            return Ok(known.book.clone());
        }
        let rows = service.store.access(org)?;
        let after = access_code(service, org)?;
        if after == code {
            return Ok(Arc::new(checked(service, org, code, rows)?));
        }
        code = after;
    }
    Err(Error::Conflict("the list of tokens and members"))
}

/// The organisation that a token is of, if there is such a token. The row only names its organisation: the checked book
/// decides whether it is one.
pub(crate) fn org_of_token(service: &Service, hash: &[u8; 32]) -> Result<Option<OrgId>> {
    if let Some(org) = service.access.token_orgs().get(hash) {
        return Ok(Some(org.clone()));
    }
    let org = service.store.token(hash)?.map(|row| row.org);
    if let Some(org) = &org {
        let mut known = service.access.token_orgs();
        if known.len() >= KNOWN_TOKENS_MAX {
            known.clear();
        }
        known.insert(*hash, org.clone());
    }
    Ok(org)
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
    fn books(&self) -> MutexGuard<'_, HashMap<OrgId, BookAt>> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn token_orgs(&self) -> MutexGuard<'_, HashMap<[u8; 32], OrgId>> {
        self.token_orgs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

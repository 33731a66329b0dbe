//! API tokens: who a bearer is. Only a hash of each secret is stored.

use std::fmt;

use jiff::Timestamp;
use lacuna_seal::sha256;
use lacuna_store::rows::{TokenChange, TokenRow};
use lacuna_types::hex::hex;
use lacuna_types::{
    Error, NAME_BYTES_MAX, Operation, OrgId, Result, Revision, Role, Scope, Sensitivity, UserId,
};
use zeroize::Zeroizing;

use crate::audit::{AuditAction, AuditEntry, Subject};
use crate::gate::clean::check_name;
use crate::permit::{Caller, Delegation, Grant, ManageTokens};
use crate::vault::access::{AccessBook, access_of, org_of_token};
use crate::vault::commit::Act;
use crate::vault::members::caller_for;
use crate::vault::service::Service;

/// The beginning of every token, by which scanners recognise one that leaks.
pub const TOKEN_PREFIX: &str = "lac_";
const SECRET_BYTES: usize = 32;
/// The beginning of a word among a row's roles that names an operation of a service.
const OPERATION_PREFIX: &str = "may:";
/// The beginning of a word among them that names a category which the token is not for.
const WITHOUT_PREFIX: &str = "not:";

/// The id of a token. It names the token and opens nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TokenId([u8; 16]);

impl fmt::Display for TokenId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tok_{}", hex(&self.0))
    }
}

impl std::str::FromStr for TokenId {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let bytes = text.strip_prefix("tok_").and_then(|text| u128::from_str_radix(text, 16).ok());
        bytes
            .filter(|_| text.len() == 36)
            .map(|number| Self(number.to_be_bytes()))
            .ok_or_else(|| Error::invalid("token_id", "expected tok_ followed by 32 hex digits"))
    }
}

/// The properties of a new token.
pub struct TokenRequest {
    /// The user whom the token speaks for.
    pub user: UserId,
    /// The roles that the token gives.
    pub roles: Vec<Role>,
    /// The operations that a service may carry out for people; none for other roles.
    pub operations: Vec<Operation>,
    /// The sensitive categories that the token is not for.
    pub without: Vec<Sensitivity>,
    /// A label for people.
    pub label: String,
    /// The moment at which it expires; `None` for never.
    pub expires_at: Option<Timestamp>,
}

/// A token as administrators see it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TokenInfo {
    /// The token's id.
    pub id: TokenId,
    /// The organisation that it belongs to.
    pub org: OrgId,
    /// The user whom it speaks for.
    pub user: UserId,
    /// The roles that it gives.
    pub roles: Vec<Role>,
    /// The operations that a service may carry out for people.
    pub operations: Vec<Operation>,
    /// The sensitive categories that it is not for.
    pub without: Vec<Sensitivity>,
    /// A label for people.
    pub label: String,
    /// The moment at which it was made.
    pub created_at: Timestamp,
    /// The moment at which it expires; `None` for never.
    pub expires_at: Option<Timestamp>,
    /// The moment at which it was revoked.
    pub revoked_at: Option<Timestamp>,
}

/// Makes a token. The secret is shown this once and cannot be shown again.
pub(crate) fn create_token(
    service: &Service,
    grant: &Grant<ManageTokens>,
    request: TokenRequest,
) -> Result<(TokenInfo, Zeroizing<String>)> {
    let now = service.clock.now();
    check(&request, now)?;
    check_name(service.rules.scanner(), "label", &request.label)?;
    let mut id = [0u8; 16];
    service.entropy.fill(&mut id);
    let mut secret = Zeroizing::new([0u8; SECRET_BYTES]);
    service.entropy.fill(&mut *secret);
    let text = Zeroizing::new(format!("{TOKEN_PREFIX}{}", *Zeroizing::new(hex(&*secret))));
    let row = TokenRow {
        id,
        hash: sha256(text.as_bytes()),
        org: grant.caller().org.clone(),
        user: request.user.as_str().to_owned(),
        roles: role_words(&request),
        label: request.label,
        created_at: now,
        expires_at: request.expires_at,
        revoked_at: None,
    };
    let info = info(&row)?;
    // Remembered outside the database first: without its rows the door must stay closed.
    service.kms.anchor().require_tokens(&row.org)?;
    change_token(service, grant, AuditAction::TokenCreate, id, TokenChange::Add(row))?;
    Ok((info, text))
}

pub(crate) fn revoke_token(service: &Service, grant: &Grant<ManageTokens>, id: TokenId) -> Result<()> {
    let change = TokenChange::Revoke { id: id.0, at: service.clock.now() };
    change_token(service, grant, AuditAction::TokenRevoke, id.0, change)
}

pub(crate) fn list_tokens(service: &Service, grant: &Grant<ManageTokens>) -> Result<Vec<TokenInfo>> {
    let access = access_of(service, &grant.caller().org)?;
    access.tokens().into_iter().map(info).collect()
}

/// The caller whom a token speaks for; `None` when it is unknown, expired or revoked.
pub(crate) fn authenticate(service: &Service, token: &str) -> Result<Option<Caller>> {
    if !token.starts_with(TOKEN_PREFIX) || token.len() != TOKEN_PREFIX.len() + 2 * SECRET_BYTES {
        return Ok(None);
    }
    let now = service.clock.now();
    let hash = sha256(token.as_bytes());
    let Some(org) = org_of_token(service, &hash)? else { return Ok(None) };
    let access = access_of(service, &org)?;
    access
        .token(&hash)
        .filter(|row| row.revoked_at.is_none() && row.expires_at.is_none_or(|expiry| now < expiry))
        .map(|row| Ok(bearer(&access, info(row)?)))
        .transpose()
}

/// The caller whom a valid token speaks for: a user, or a service in its own name.
fn bearer(access: &AccessBook, token: TokenInfo) -> Caller {
    let TokenInfo { org, user, roles, operations, without, .. } = token;
    if roles.contains(&Role::Service) {
        let delegation = Some(Delegation { service: user.clone(), operations });
        return Caller { delegation, without, ..Caller::new(org, user, vec![Role::Service]) };
    }
    Caller { without, ..access.caller(org, user, roles) }
}

/// The caller that a service becomes for `person`: one with the rights of a user within the operations of its token,
/// whatever roles the person has. A caller who is `person` stays as they are.
///
/// A person is known by their vault, which [`crate::Users::provision`] or their own first write makes. So a name that
/// only looks like one opens nothing and makes nothing.
pub(crate) fn act_for(service: &Service, caller: Caller, person: UserId) -> Result<Caller> {
    if caller.delegation.is_none() && caller.user == person {
        return Ok(caller);
    }
    let Some(delegation) = caller.delegation.filter(|_| caller.roles == [Role::Service]) else {
        return Err(Error::Denied("only a token of the role service may name another person"));
    };
    let scope = Scope::personal(caller.org.clone(), person.clone());
    if service.store.revision(scope.vault_id())? == Revision::ZERO {
        return Err(Error::NotFound("person"));
    }
    let without = caller.without;
    let person = caller_for(service, caller.org, person, vec![Role::User])?;
    Ok(Caller { delegation: Some(delegation), without, ..person })
}

/// Returns true when the organisation has or ever had a token. An expired one counts as well, and so does one whose
/// row somebody deleted: neither may open the door to callers without any.
pub(crate) fn has_tokens(service: &Service, org: &OrgId) -> Result<bool> {
    Ok(service.kms.anchor().tokens_required(org)? || !access_of(service, org)?.tokens().is_empty())
}

/// The local user with their memberships as they stand now, while the organisation needs no token; `None` from its
/// first token on. One look at the list answers both.
pub(crate) fn without_token(
    service: &Service,
    org: OrgId,
    user: UserId,
    roles: Vec<Role>,
) -> Result<Option<Caller>> {
    if service.kms.anchor().tokens_required(&org)? {
        return Ok(None);
    }
    let access = access_of(service, &org)?;
    if !access.tokens().is_empty() {
        return Ok(None);
    }
    Ok(Some(access.caller(org, user, roles)))
}

fn change_token(
    service: &Service,
    grant: &Grant<ManageTokens>,
    action: AuditAction,
    id: [u8; 16],
    change: TokenChange,
) -> Result<()> {
    let scope = grant.scope().clone();
    let entry = AuditEntry::new(action, grant.caller().acting(), vec![Subject(id)]);
    let mut act = Act::new(&scope, service.clock.now(), entry);
    act.batch.tokens = vec![change];
    let reader = service.reader(&scope);
    let writer = reader.lock();
    writer.ensure()?;
    writer.commit(&act, |_| {})?;
    Ok(())
}

fn check(request: &TokenRequest, now: Timestamp) -> Result<()> {
    if request.roles.is_empty() {
        return Err(Error::invalid("roles", "name at least one"));
    }
    check_operations(request)?;
    let speaks_as_them = request.roles.iter().any(|role| matches!(role, Role::User | Role::Admin));
    if speaks_as_them && !request.without.is_empty() {
        let reason =
            "the person reads everything: close a category to a token of the role agent, reader or service";
        return Err(Error::invalid("without", reason));
    }
    if request.label.len() > NAME_BYTES_MAX || request.label.chars().any(char::is_control) {
        let reason = format!("must be at most {NAME_BYTES_MAX} bytes without control characters");
        return Err(Error::invalid("label", reason));
    }
    if request.expires_at.is_some_and(|expiry| expiry <= now) {
        return Err(Error::invalid("expires_at", "must lie in the future"));
    }
    Ok(())
}

/// A service has operations and no other role: what it may do for people is all that it may do.
fn check_operations(request: &TokenRequest) -> Result<()> {
    match (request.roles.contains(&Role::Service), request.operations.is_empty()) {
        (true, _) if request.roles != [Role::Service] => {
            Err(Error::invalid("roles", "service stands alone: make another token for another role"))
        }
        (true, true) => Err(Error::invalid("operations", "name what the service may do for people")),
        (false, false) => Err(Error::invalid("operations", "belong to the role service")),
        _ => Ok(()),
    }
}

/// Roles as a row keeps them, then the operations of a service and the categories that it is not for, each once.
fn role_words(request: &TokenRequest) -> Vec<String> {
    let operations = Operation::ALL.iter().filter(|operation| request.operations.contains(operation));
    let roles = request.roles.iter().map(|role| role.as_str().to_owned());
    let without = Sensitivity::ALL.iter().filter(|kind| request.without.contains(kind));
    let operations = operations.map(|operation| format!("{OPERATION_PREFIX}{operation}"));
    roles.chain(operations).chain(without.map(|kind| format!("{WITHOUT_PREFIX}{kind}"))).collect()
}

fn info(row: &TokenRow) -> Result<TokenInfo> {
    let damaged = |_| Error::corrupt("a token does not parse");
    let named = |prefix: &'static str| row.roles.iter().filter_map(move |word| word.strip_prefix(prefix));
    let operations = named(OPERATION_PREFIX).map(str::parse);
    let without = named(WITHOUT_PREFIX).map(str::parse);
    let is_role = |word: &&String| !word.starts_with(OPERATION_PREFIX) && !word.starts_with(WITHOUT_PREFIX);
    let roles = row.roles.iter().filter(is_role);
    Ok(TokenInfo {
        id: TokenId(row.id),
        org: row.org.clone(),
        user: UserId::new(&row.user).map_err(damaged)?,
        roles: roles.map(|role| role.parse()).collect::<Result<_>>().map_err(damaged)?,
        operations: operations.collect::<Result<_>>().map_err(damaged)?,
        without: without.collect::<Result<_>>().map_err(damaged)?,
        label: row.label.clone(),
        created_at: row.created_at,
        expires_at: row.expires_at,
        revoked_at: row.revoked_at,
    })
}

//! A link that signs a browser in. Nothing is stored for it: it says who it is for and until when, sealed under keys
//! of their own vault, so that only somebody who holds the installation's keys can make one. The door that follows
//! it remembers its number and takes it once.

use jiff::{SignedDuration, Timestamp};
use lacuna_store::cbor::{CborReader, CborWriter};
use lacuna_types::hex::{hex, unhex};
use lacuna_types::*;
use lacuna_types::{Error, Result};

use crate::audit::{AuditAction, AuditEntry};
use crate::govern::users::change;
use crate::permit::Caller;
use crate::vault::commit::Act;
use crate::vault::keyring::Keyring;
use crate::vault::members::caller_for;
use crate::vault::service::Service;

/// Time for which a link can be followed.
pub const SIGN_IN_LINK_VALID: SignedDuration = SignedDuration::from_mins(2);
const PREFIX: &str = "in_";
const VAULT_BYTES: usize = 16;
/// Longer tokens are not ours: a name has at most 128 bytes, and the rest is short.
const TOKEN_BYTES_MAX: usize = 512;
const NONCE_BYTES: usize = 16;
const FIELDS: u64 = 4;

/// A person whom a link signs in.
pub struct SignedIn {
    /// The caller, with their memberships as they are now.
    pub caller: Caller,
    /// The number of the link.
    pub nonce: [u8; NONCE_BYTES],
    /// The time at which the link was made.
    pub made_at: Timestamp,
}

/// The claims sealed in a link.
struct SignInClaims {
    nonce: [u8; NONCE_BYTES],
    user: UserId,
    roles: Vec<Role>,
    made_at: Timestamp,
}

/// Makes the token of a link for `caller`.
pub(crate) fn make_sign_in(service: &Service, caller: &Caller) -> Result<String> {
    let scope = caller.personal_scope();
    let reader = service.reader(&scope);
    // A link is sealed under the vault's keys, and names the vault: one that was never written to begins now.
    if service.store.vault(scope.vault_id())?.is_none() {
        let entry = AuditEntry::new(AuditAction::UserProvision, caller.acting(), Vec::new());
        change(service, Act::new(&scope, service.clock.now(), entry))?;
    }
    let mut nonce = [0; NONCE_BYTES];
    service.entropy.fill(&mut nonce);
    let (user, roles) = (caller.user.clone(), caller.roles.clone());
    let claims = SignInClaims { nonce, user, roles, made_at: service.clock.now() };
    let sealed = reader.update(|open| Ok(open.keyring.seal_sign_in(&claims.encode(), &*service.entropy)))?;
    let sealed = sealed.ok_or(Error::Conflict("the vault"))?;
    Ok(format!("{PREFIX}{}{}", hex(scope.vault_id().as_bytes()), hex(&sealed)))
}

/// Reads the token of a link. One that is forged, changed or expired looks like one that never was.
pub(crate) fn follow_sign_in(service: &Service, token: &str) -> Result<SignedIn> {
    let (vault, sealed) = read_token(token).ok_or_else(missing)?;
    let header = service.store.vault(vault)?.ok_or_else(missing)?;
    let keyring = Keyring::of_vault(&header.scope, service.sources())?.ok_or_else(missing)?;
    let opened = keyring.open_sign_in(&sealed).and_then(|bytes| SignInClaims::decode(&bytes));
    let SignInClaims { nonce, user, roles, made_at } = opened.ok_or_else(missing)?;
    let now = service.clock.now();
    if made_at > now || made_at + SIGN_IN_LINK_VALID <= now {
        return Err(missing());
    }
    let caller = caller_for(service, header.scope.org.clone(), user, roles)?;
    if caller.personal_scope() != header.scope {
        return Err(missing());
    }
    Ok(SignedIn { caller, nonce, made_at })
}

fn missing() -> Error {
    Error::NotFound("link")
}

fn read_token(token: &str) -> Option<(VaultId, Vec<u8>)> {
    let digits = token.strip_prefix(PREFIX).filter(|digits| digits.len() <= 2 * TOKEN_BYTES_MAX)?;
    let bytes = unhex(digits)?;
    let (vault, sealed) = bytes.split_first_chunk::<VAULT_BYTES>()?;
    Some((VaultId::from_bytes(*vault), sealed.to_vec()))
}

impl SignInClaims {
    fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut w = CborWriter(&mut bytes);
        w.array(FIELDS as usize);
        w.bytes(&self.nonce);
        w.text(self.user.as_str());
        w.list(&self.roles, |w, role| w.uint(role.code()));
        w.int(millis(self.made_at));
        bytes
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        CborReader(bytes).record(FIELDS, |r| {
            Some(Self {
                nonce: r.array_of_bytes()?,
                user: UserId::new(r.text()?).ok()?,
                roles: r.list(|r| Role::from_code(r.uint()?))?,
                made_at: from_millis(r.int()?)?,
            })
        })
    }
}

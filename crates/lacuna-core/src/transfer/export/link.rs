//! A link to an export, which works without any other token for a day. Nothing is stored for it: the link
//! itself says whose vault, what of it and until when, sealed under the vault's own keys. The export is made
//! anew whenever the link is followed, so what was forgotten in between is not in it.

use jiff::{SignedDuration, Timestamp};
use lacuna_seal::Digest;
use lacuna_store::cbor::{CborReader, CborWriter};
use lacuna_types::hex::{hex, unhex};
use lacuna_types::*;
use lacuna_types::{Error, Result};

use crate::permit::{Caller, Delegation, Export, Grant, permit};
use crate::transfer::export::{Exported, Format, Wanted, measure_export, record_export};
use crate::vault::keyring::Keyring;
use crate::vault::members::caller_for;
use crate::vault::service::Service;

/// Hours for which a link can be followed.
pub const LINK_HOURS: i64 = 24;
const PREFIX: &str = "exp_";
const VAULT_BYTES: usize = 16;
/// Longer tokens are not ours: a name has at most 128 bytes, and the rest is short.
const TOKEN_BYTES_MAX: usize = 512;
pub(crate) const NONCE_BYTES: usize = 16;
/// The fields of a link, and how many of them one has that no service asked for.
const FIELDS: u64 = 9;
const DIRECT_FIELDS: u64 = 8;

/// A link that was just made, and what an export is at this moment.
pub struct ExportLink {
    /// Names this link in the audit and to the caller; it opens nothing.
    pub export_id: String,
    /// The secret part of the address.
    pub token: String,
    /// The moment from which the link leads nowhere.
    pub expires_at: Timestamp,
    /// The moment at which the link was made.
    pub generated_at: Timestamp,
    /// Counts of the export at that moment.
    pub exported: Exported,
    /// Size of the export at that moment.
    pub total_size_bytes: u64,
}

/// The claims sealed in a link.
pub(crate) struct LinkClaims {
    pub(crate) nonce: [u8; NONCE_BYTES],
    pub(crate) user: UserId,
    pub(crate) roles: Vec<Role>,
    pub(crate) wanted: Wanted,
    pub(crate) expires_at: Timestamp,
    /// The service that asked for it, if one did.
    pub(crate) service: Option<UserId>,
}

/// Makes a link to an export of `wanted`, after an audit entry that says so.
pub(crate) fn make_export_link(
    service: &Service,
    grant: &Grant<Export>,
    wanted: &Wanted,
) -> Result<ExportLink> {
    if !grant.caller().without.is_empty() {
        // Whoever follows a link is known by what the link says, which does not name what a token is not for.
        return Err(Error::Denied(
            "a token that is not for every category makes no link: fetch the export itself",
        ));
    }
    let (total_size_bytes, exported) = measure_export(service, grant, wanted)?;
    let scope = grant.scope();
    {
        // A link is sealed under the vault's keys, so a vault that was never written to gets them now.
        let reader = service.reader(scope);
        let writer = reader.lock();
        writer.ensure()?;
    }
    record_export(service, grant, wanted, "link")?;
    let generated_at = service.clock.now();
    let expires_at = generated_at + SignedDuration::from_hours(LINK_HOURS);
    let mut nonce = [0; NONCE_BYTES];
    service.entropy.fill(&mut nonce);
    let caller = grant.caller();
    let said = LinkClaims {
        nonce,
        user: caller.user.clone(),
        roles: caller.roles.clone(),
        wanted: wanted.clone(),
        expires_at,
        service: caller.delegation.as_ref().map(|delegation| delegation.service.clone()),
    };
    let sealed =
        service.reader(scope).update(|open| Ok(open.keyring.seal_link(&said.encode(), &*service.entropy)))?;
    let sealed = sealed.ok_or(Error::Conflict("the vault"))?;
    let token = write_token(scope.vault_id(), &sealed);
    Ok(ExportLink {
        export_id: export_id(&nonce),
        token,
        expires_at,
        generated_at,
        exported,
        total_size_bytes,
    })
}

/// Follows a link: returns the grant of the user who made it, with their access as it is now, and the export
/// that they asked for. A link that is forged, changed, expired or of a user who has lost access looks like one
/// that never was.
pub(crate) fn follow_export_link(service: &Service, token: &str) -> Result<(Grant<Export>, Wanted)> {
    let (vault, sealed) = read_token(token).ok_or_else(missing)?;
    let header = service.store.vault(vault)?.ok_or_else(missing)?;
    let keyring = Keyring::of_vault(&header.scope, service.sources())?.ok_or_else(missing)?;
    let said = keyring.open_link(&sealed).and_then(|bytes| LinkClaims::decode(&bytes)).ok_or_else(missing)?;
    if said.expires_at <= service.clock.now() {
        return Err(missing());
    }
    let caller = caller_for(service, header.scope.org.clone(), said.user, said.roles)?;
    let delegation = said.service.map(|service| Delegation { service, operations: vec![Operation::Export] });
    let caller = Caller { delegation, ..caller };
    let grant = permit(&caller, &header.scope).map_err(|_| missing())?;
    Ok((grant, said.wanted))
}

fn missing() -> Error {
    Error::NotFound("export")
}

fn export_id(nonce: &[u8; NONCE_BYTES]) -> String {
    let digest = Digest::of("lacuna/export-id/v1", &[nonce]);
    format!("export_{}", hex(&digest.as_bytes()[..VAULT_BYTES]))
}

fn write_token(vault: VaultId, sealed: &[u8]) -> String {
    format!("{PREFIX}{}{}", hex(vault.as_bytes()), hex(sealed))
}

pub(crate) fn read_token(token: &str) -> Option<(VaultId, Vec<u8>)> {
    let digits = token.strip_prefix(PREFIX)?;
    if digits.len() > 2 * TOKEN_BYTES_MAX {
        return None;
    }
    // One spelling only: a token in capitals is a changed one.
    let bytes = unhex(digits)?;
    let (vault, sealed) = bytes.split_first_chunk::<VAULT_BYTES>()?;
    Some((VaultId::from_bytes(*vault), sealed.to_vec()))
}

impl LinkClaims {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut w = CborWriter(&mut bytes);
        w.array(if self.service.is_some() { FIELDS } else { DIRECT_FIELDS } as usize);
        w.bytes(&self.nonce);
        w.text(self.user.as_str());
        w.list(&self.roles, |w, role| w.uint(role.code()));
        w.uint(self.wanted.format.code());
        w.list(&self.wanted.categories, |w, category| w.uint(category.code()));
        w.bool(self.wanted.include_metadata);
        w.bool(self.wanted.include_health);
        w.int(millis(self.expires_at));
        if let Some(service) = &self.service {
            w.text(service.as_str());
        }
        bytes
    }

    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        CborReader(bytes).grown_record(DIRECT_FIELDS, FIELDS, |r, delegated| {
            Some(Self {
                nonce: r.array_of_bytes()?,
                user: UserId::new(r.text()?).ok()?,
                roles: r.list(|r| Role::from_code(r.uint()?))?,
                wanted: Wanted {
                    format: Format::from_code(r.uint()?)?,
                    categories: r.list(|r| Category::from_code(r.uint()?))?,
                    include_metadata: r.bool()?,
                    include_health: r.bool()?,
                },
                expires_at: from_millis(r.int()?)?,
                service: match delegated {
                    true => Some(UserId::new(r.text()?).ok()?),
                    false => None,
                },
            })
        })
    }
}

//! Authentication codes. They show that what the store can read was written by this installation: the columns of
//! rows, the header of a vault, the organisation's tokens and memberships, the entries of the audit.
//!
//! Every code is under a key of the organisation, which the store never sees. The codes of a vault's rows are added
//! up, and only a code over the sum is stored: a row that was changed, put back, dropped or slipped in shows, and
//! whoever reads the database learns nothing with which to make another set of rows with the same sum.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::Timestamp;
use lacuna_seal::{FingerprintKey, SIGNATURE_BYTES};
use lacuna_store::keys::Kms;
use lacuna_store::rows::{
    AccessRows, AuditRow, Batch, ChainHead, HeaderCodes, Row, Store, VaultChange, VaultHeader,
};
use lacuna_types::{Error, MemoryId, Result, Revision, Scope, VaultId, millis};

/// The stable code of the error that says that stored rows were changed by somebody else.
pub(crate) const TAMPERED: &str = "tampered";

/// The code of one row, shortened: it is compared only as a part of a sum that nobody else knows.
type RowCode = u128;

/// The header of a vault on which a commit builds: its codes were checked, or this process has just made them.
#[derive(Clone, Copy)]
pub(crate) struct CodedHeader {
    pub(crate) revision: Revision,
    pub(crate) audit: ChainHead,
    pub(crate) audit_signature: Option<[u8; SIGNATURE_BYTES]>,
    pub(crate) frozen_at: Option<Timestamp>,
    pub(crate) settings_revision: u32,
    pub(crate) codes: HeaderCodes,
}

impl CodedHeader {
    /// The header of a vault before its first commit.
    pub(crate) fn empty() -> Self {
        Self {
            revision: Revision::ZERO,
            audit: ChainHead::default(),
            audit_signature: None,
            frozen_at: None,
            settings_revision: 0,
            codes: HeaderCodes { rows: [0; 32], access: None, header: [0; 32] },
        }
    }

    /// A stored header, if this installation wrote it.
    pub(crate) fn checked(codes: &Codes, stored: &VaultHeader) -> Result<Self> {
        let codes = codes.check_header(stored)?;
        Ok(Self { codes, ..Self::unchecked(stored) })
    }

    /// A stored header as it stands, whoever wrote it.
    pub(crate) fn unchecked(stored: &VaultHeader) -> Self {
        Self {
            revision: stored.revision,
            audit: stored.audit,
            audit_signature: stored.audit_signature,
            frozen_at: stored.frozen_at,
            settings_revision: stored.settings_revision,
            codes: stored.codes.unwrap_or(Self::empty().codes),
        }
    }
}

/// Makes and checks the codes of one vault.
pub(crate) struct Codes {
    key: Arc<FingerprintKey>,
    vault: VaultId,
}

impl Codes {
    pub(crate) fn of(kms: &Kms, scope: &Scope) -> Result<Self> {
        Ok(Self { key: kms.code_key(&scope.org)?, vault: scope.vault_id() })
    }

    fn row(&self, row: &Row) -> RowCode {
        let code = self.code("row", |bytes| {
            bytes.extend(row.id.as_bytes());
            bytes.push(row.state.code());
            bytes.extend(millis(row.created_at).to_be_bytes());
            bytes.extend(millis(row.updated_at).to_be_bytes());
            extend_optional(bytes, row.expires_at);
            bytes.extend(row.key_version.to_be_bytes());
            bytes.extend(row.frame_revision.to_be_bytes());
        });
        let (first, _) = code.split_first_chunk().expect("a code is longer than a row's");
        RowCode::from_be_bytes(*first)
    }

    fn rows(&self, tally: &RowTally) -> [u8; 32] {
        self.code("rows", |bytes| {
            bytes.extend((tally.rows.len() as u64).to_be_bytes());
            bytes.extend(tally.sum.to_be_bytes());
        })
    }

    /// The codes of a header that a commit on top of `header.revision` leaves.
    pub(crate) fn header(&self, header: &CodedHeader) -> HeaderCodes {
        let HeaderCodes { rows, access, .. } = header.codes;
        let signature = header.audit_signature;
        let code = self.code("header", |bytes| {
            bytes.extend(header.revision.0.to_be_bytes());
            bytes.extend(header.audit.seq.to_be_bytes());
            bytes.extend(header.audit.hash);
            bytes.push(u8::from(signature.is_some()));
            bytes.extend(signature.unwrap_or([0; SIGNATURE_BYTES]));
            extend_optional(bytes, header.frozen_at);
            bytes.extend(header.settings_revision.to_be_bytes());
            bytes.extend(rows);
            bytes.push(u8::from(access.is_some()));
            bytes.extend(access.unwrap_or_default());
        });
        HeaderCodes { rows, access, header: code }
    }

    /// The code of an audit entry, which covers its place in the chain, and by its hash all that came before.
    pub(crate) fn entry(&self, head: &ChainHead) -> [u8; 32] {
        self.code("entry", |bytes| {
            bytes.extend(head.seq.to_be_bytes());
            bytes.extend(head.hash);
        })
    }

    pub(crate) fn access(&self, rows: &AccessRows) -> [u8; 32] {
        self.code("access", |bytes| {
            for token in &rows.tokens {
                extend_texts(bytes, [token.user.as_str(), token.label.as_str()]);
                bytes.extend((token.roles.len() as u64).to_be_bytes());
                extend_texts(bytes, token.roles.iter().map(String::as_str));
                bytes.extend(token.id);
                bytes.extend(token.hash);
                bytes.extend(millis(token.created_at).to_be_bytes());
                extend_optional(bytes, token.expires_at);
                extend_optional(bytes, token.revoked_at);
            }
            bytes.extend((rows.tokens.len() as u64).to_be_bytes());
            for (group, member) in &rows.members {
                extend_texts(bytes, [group.kind(), group.name(), member.user.as_str()]);
                bytes.extend(millis(member.added_at).to_be_bytes());
            }
        })
    }

    /// Returns the codes of a header that this installation wrote.
    pub(crate) fn check_header(&self, stored: &VaultHeader) -> Result<HeaderCodes> {
        let codes = stored.codes.ok_or_else(|| tampered(stored.id, "its header has no code"))?;
        let revision = built_on(stored);
        let genuine = self.header(&CodedHeader { revision, ..CodedHeader::unchecked(stored) }) == codes;
        match genuine && stored.scope.vault_id() == stored.id {
            true => Ok(codes),
            false => Err(tampered(stored.id, "its header was changed")),
        }
    }

    /// Checks an entry's code. An entry without one is older than codes: none comes after an entry that has one.
    pub(crate) fn check_entry(&self, row: &AuditRow, coded: &mut bool) -> Result<()> {
        let genuine = match row.code {
            Some(code) => code == self.entry(&ChainHead { seq: row.seq, hash: row.hash }),
            None => !*coded,
        };
        *coded |= row.code.is_some();
        let damaged = || Error::corrupt(format!("audit entry {} does not match its code", row.seq));
        genuine.then_some(()).ok_or_else(damaged)
    }

    /// HMAC-SHA256 over the vault and what `fill` appends, one purpose at a time.
    fn code(&self, purpose: &str, fill: impl FnOnce(&mut Vec<u8>)) -> [u8; 32] {
        let mut bytes = Vec::with_capacity(256);
        fill(&mut bytes);
        self.key.fingerprint(&[purpose.as_bytes(), self.vault.as_bytes(), &bytes])
    }
}

/// The revision on which the last commit of a vault was built; zero for its first.
fn built_on(stored: &VaultHeader) -> Revision {
    let is_first = stored.revision == stored.began_after.next();
    if is_first { Revision::ZERO } else { Revision(stored.revision.0.saturating_sub(1)) }
}

fn extend_optional(bytes: &mut Vec<u8>, at: Option<Timestamp>) {
    bytes.push(u8::from(at.is_some()));
    bytes.extend(at.map_or(0, millis).to_be_bytes());
}

fn extend_texts<'a>(bytes: &mut Vec<u8>, texts: impl IntoIterator<Item = &'a str>) {
    for text in texts {
        bytes.extend((text.len() as u64).to_be_bytes());
        bytes.extend(text.as_bytes());
    }
}

/// The rows of one vault as its codes see them: every row that the store has, opened or damaged.
#[derive(Default)]
pub(crate) struct RowTally {
    rows: HashMap<MemoryId, RowCode>,
    /// The codes of all rows, added up by exclusive or.
    sum: RowCode,
}

/// The rows that one commit puts and removes.
pub(crate) struct TallyChange(Vec<(MemoryId, Option<RowCode>)>);

impl TallyChange {
    pub(crate) fn of(codes: &Codes, batch: &Batch) -> Self {
        let puts = batch.puts.iter().map(|row| (row.id, Some(codes.row(row))));
        Self(puts.chain(batch.removals.iter().map(|id| (*id, None))).collect())
    }
}

impl RowTally {
    /// The rows of a vault as the store has them, for which it need not be open, with the header of the same moment.
    pub(crate) fn stored(
        store: &dyn Store,
        codes: &Codes,
        vault: VaultId,
    ) -> Result<(Self, Option<VaultHeader>)> {
        let mut tally = Self::default();
        let header = store.changes(vault, Revision::ZERO, &mut |change| {
            if let VaultChange::Put(row) = change {
                tally.put(codes, &row);
            }
            Ok(())
        })?;
        Ok((tally, header))
    }

    pub(crate) fn put(&mut self, codes: &Codes, row: &Row) {
        self.set(row.id, Some(codes.row(row)));
    }

    pub(crate) fn remove(&mut self, id: MemoryId) {
        self.set(id, None);
    }

    pub(crate) fn apply(&mut self, change: &TallyChange) {
        change.0.iter().for_each(|(id, code)| self.set(*id, *code));
    }

    /// The code of the rows as `change` would leave them.
    pub(crate) fn code_after(&mut self, codes: &Codes, change: &TallyChange) -> [u8; 32] {
        let before: Vec<_> = change.0.iter().map(|(id, _)| (*id, self.rows.get(id).copied())).collect();
        self.apply(change);
        let code = codes.rows(self);
        before.into_iter().for_each(|(id, code)| self.set(id, code));
        code
    }

    pub(crate) fn code(&self, codes: &Codes) -> [u8; 32] {
        codes.rows(self)
    }

    fn set(&mut self, id: MemoryId, code: Option<RowCode>) {
        let replaced = match code {
            Some(code) => self.rows.insert(id, code),
            None => self.rows.remove(&id),
        };
        self.sum ^= replaced.unwrap_or(0) ^ code.unwrap_or(0);
    }
}

/// The error for rows that somebody else wrote. Nothing of the vault is served until an operator has looked.
pub(crate) fn tampered(vault: VaultId, how: &str) -> Error {
    let reason = format!("{vault} was changed outside Lacuna: {how}");
    Error::Misconfigured { code: TAMPERED, reason }
}

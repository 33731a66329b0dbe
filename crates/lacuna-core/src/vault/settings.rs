//! The sealed document of a vault: what its owner has set, and what the scheduler notes beside it.

use std::sync::Arc;

use jiff::Timestamp;
use lacuna_store::cbor::{CborReader, CborWriter};
use lacuna_store::rows::{SealedSettings, VaultHeader};
use lacuna_types::policy::RetentionRules;
use lacuna_types::{ConsentTopic, Error, Holder, Result, Sensitivity, from_millis, millis};
use zeroize::Zeroizing;

use crate::vault::codes::{CodedHeader, Codes, tampered};
use crate::vault::commit::Act;
use crate::vault::consents::Consent;
use crate::vault::keyring::Keyring;
use crate::vault::open::OpenVault;
use crate::vault::owner_settings::Settings;
use crate::vault::service::Service;
use crate::vault::term::Terms;

/// Times that settings are read while other nodes change them.
const READS_MAX: usize = 8;
const FIELDS: u64 = 7;
/// Fields with the closed categories, which came third.
const CLOSED_FIELDS: u64 = 6;
/// Fields with the consents, which came second.
const CONSENT_FIELDS: u64 = 5;
/// Fields of the first release.
const FIRST_FIELDS: u64 = 4;

/// The settings that a vault keeps about itself.
#[derive(Clone, PartialEq, Default)]
pub(crate) struct VaultSettings {
    pub(crate) retention: Settings,
    /// The digest of the rules and settings under which every row has its expiry.
    pub(crate) stamped: Option<[u8; 32]>,
    /// The times at which its owner was last asked to review it, and last did.
    pub(crate) prompted_at: Option<Timestamp>,
    pub(crate) reviewed_at: Option<Timestamp>,
    /// The consents that its owner has given, by topic.
    pub(crate) consents: Vec<Consent>,
    /// The categories that its owner has closed to assistants and readers.
    pub(crate) closed: Vec<Sensitivity>,
    /// Since when long-term keeping lacks the consent that the policy wants; its limit counts from then on.
    pub(crate) unconsented_since: Option<Timestamp>,
}

/// The document as an opened vault holds it.
#[derive(Default)]
pub(crate) struct HeldSettings {
    /// The sealing that the vault's header names. Any other was put there by somebody.
    revision: u32,
    /// `None` until it is asked for, and after every refresh.
    current: Option<Arc<VaultSettings>>,
}

impl HeldSettings {
    /// Has the settings read again when they are next asked for.
    pub(crate) fn expire(&mut self, revision: u32) {
        *self = Self { revision, current: None };
    }
}

impl VaultSettings {
    /// The topics that its owner has consented to.
    pub(crate) fn consented(&self) -> Vec<ConsentTopic> {
        self.consents.iter().map(|consent| consent.topic).collect()
    }

    /// Returns true when the rules want a consent to long-term keeping that the owner has not given. Only a person
    /// consents, so that a shared vault needs none.
    pub(crate) fn lacks_long_term(&self, rules: &RetentionRules, holder: &Holder) -> bool {
        let wanted = rules.long_term_consent && matches!(holder, Holder::User(_));
        wanted && !self.consented().contains(&ConsentTopic::LongTerm)
    }

    /// The terms of the memories in the vault.
    pub(crate) fn terms<'a>(&'a self, rules: &'a RetentionRules, holder: &Holder) -> Terms<'a> {
        let since = self.unconsented_since.filter(|_| self.lacks_long_term(rules, holder));
        Terms::new(rules, &self.retention, holder).unconsented(since)
    }

    fn encode(&self) -> Zeroizing<Vec<u8>> {
        let mut bytes = Zeroizing::new(Vec::new());
        let mut w = CborWriter(&mut bytes);
        w.array(FIELDS as usize);
        self.retention.write(&mut w);
        w.optional(self.stamped.as_ref(), |w, digest| w.bytes(digest));
        for moment in [self.prompted_at, self.reviewed_at] {
            w.optional(moment, |w, at| w.int(millis(at)));
        }
        w.list(&self.consents, |w, consent| consent.write(w));
        w.list(&self.closed, |w, kind| w.uint(kind.code()));
        w.optional(self.unconsented_since, |w, at| w.int(millis(at)));
        bytes
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<Self> {
        let moment = |r: &mut CborReader<'_>| r.optional(|r| from_millis(r.int()?));
        let read = CborReader(bytes).growing_record(FIRST_FIELDS, FIELDS, |r, fields| {
            Some(Self {
                retention: Settings::read(r)?,
                stamped: r.optional(CborReader::array_of_bytes)?,
                prompted_at: moment(r)?,
                reviewed_at: moment(r)?,
                consents: if fields >= CONSENT_FIELDS { r.list(Consent::read)? } else { Vec::new() },
                closed: match fields >= CLOSED_FIELDS {
                    true => r.list(|r| Sensitivity::from_code(r.uint()?))?,
                    false => Vec::new(),
                },
                unconsented_since: if fields >= FIELDS { moment(r)? } else { None },
            })
        });
        read.ok_or_else(|| Error::corrupt("the settings of a vault do not parse"))
    }
}

/// The settings of an opened vault, read and opened once.
pub(crate) fn settings_in(service: &Service, open: &mut OpenVault) -> Result<Arc<VaultSettings>> {
    if let Some(current) = &open.settings.current {
        return Ok(current.clone());
    }
    let stored = stored_settings(service, open)?;
    let revision = revision_of(&stored);
    let settings = match stored {
        Some(stored) => VaultSettings::decode(&open.keyring.open_settings(&stored)?)?,
        None => VaultSettings::default(),
    };
    let settings = Arc::new(settings);
    open.settings = HeldSettings { revision, current: Some(settings.clone()) };
    Ok(settings)
}

/// The stored settings, if they are those that the header names: the one of the opened vault or, where another node has changed
/// them since it was read, the one of now.
fn stored_settings(service: &Service, open: &OpenVault) -> Result<Option<SealedSettings>> {
    let vault = open.keyring.vault();
    let mut named = open.settings.revision;
    for _ in 0..READS_MAX {
        let stored = service.store.settings(vault)?;
        if revision_of(&stored) == named {
            return Ok(stored);
        }
        let header = service.store.vault(vault)?.ok_or(Error::Conflict("the vault"))?;
        let now = CodedHeader::checked(&open.codes, &header)?.settings_revision;
        if now == named {
            return Err(tampered(vault, "its settings are not those it had"));
        }
        named = now;
    }
    Err(Error::Conflict("the settings of the vault"))
}

fn revision_of(stored: &Option<SealedSettings>) -> u32 {
    stored.as_ref().map_or(0, |stored| stored.revision)
}

/// The settings of a vault that need not be open for it; `None` where its keys are gone.
pub(crate) fn settings_at_rest(service: &Service, header: &VaultHeader) -> Result<Option<VaultSettings>> {
    let Some(stored) = service.store.settings(header.id)? else { return Ok(Some(VaultSettings::default())) };
    Codes::of(&service.kms, &header.scope)?.check_header(header)?;
    if stored.revision != header.settings_revision {
        return Err(Error::Conflict("the vault"));
    }
    let Some(keyring) = Keyring::of_vault(&header.scope, service.sources())? else { return Ok(None) };
    VaultSettings::decode(&keyring.open_settings(&stored)?).map(Some)
}

/// Adds other settings to what one commit does. Their revision is the next one, so that of two that are
/// written at the same time one is a conflict.
pub(crate) fn change_settings(
    service: &Service,
    open: &mut OpenVault,
    act: &mut Act,
    change: impl FnOnce(&mut VaultSettings),
) -> Result<()> {
    let mut settings = (*settings_in(service, open)?).clone();
    change(&mut settings);
    let revision = open.settings.revision + 1;
    let sealed = open.keyring.seal_settings(revision, &settings.encode(), &*service.entropy);
    act.batch.settings = Some(SealedSettings { revision, sealed });
    Ok(())
}

#[cfg(test)]
mod tests {
    use lacuna_types::RetentionTier;

    use super::*;
    use crate::vault::owner_settings::{EntityRule, Span};

    /// Bytes of the list with the one consent below: a head, a record of three, a code, a text of 13, a moment.
    const CONSENT_BYTES: usize = 1 + 1 + 1 + 14 + 1;
    /// Bytes of the list with the one closed category: a head and a code.
    const CLOSED_BYTES: usize = 2;
    /// Bytes of the moment since which a consent is missing.
    const SINCE_BYTES: usize = 1;

    #[test]
    fn settings_come_back_and_nothing_makes_reading_them_panic() {
        let settings = VaultSettings {
            retention: Settings {
                max_days: Some(365),
                tiers: [(RetentionTier::MediumTerm, Span::Days(30))].into(),
                categories: [(Sensitivity::Health, Span::Days(7)), (Sensitivity::Preferences, Span::Forever)]
                    .into(),
                entities: vec![EntityRule { name: "Zoë".into(), keep: Span::Forever }],
                hidden: vec![Sensitivity::Health],
            },
            stamped: Some([7; 32]),
            prompted_at: from_millis(5),
            reviewed_at: None,
            consents: vec![Consent {
                topic: ConsentTopic::Health,
                purpose: "my assistants".into(),
                given_at: from_millis(9).unwrap(),
            }],
            closed: vec![Sensitivity::Health],
            unconsented_since: from_millis(3),
        };
        let bytes = settings.encode();
        assert!(VaultSettings::decode(&bytes).unwrap() == settings);
        for end in 0..bytes.len() {
            assert!(VaultSettings::decode(&bytes[..end]).is_err());
        }
        // A document of the third release ends before the missing consent, one of the second before the closed
        // categories, one of the first before the consents.
        let of_release = |head: u8, cut: usize| {
            let mut older = bytes[..bytes.len() - cut].to_vec();
            older[0] = head;
            VaultSettings::decode(&older).unwrap()
        };
        let third = VaultSettings { unconsented_since: None, ..settings.clone() };
        assert!(of_release(0x86, SINCE_BYTES) == third);
        let second = VaultSettings { closed: Vec::new(), ..third };
        assert!(of_release(0x85, SINCE_BYTES + CLOSED_BYTES) == second);
        let first = VaultSettings { consents: Vec::new(), ..second };
        assert!(of_release(0x84, SINCE_BYTES + CLOSED_BYTES + CONSENT_BYTES) == first);
        for at in 0..bytes.len() {
            for byte in [0x00, 0x1b, 0x9f, 0xf6, 0xff] {
                let mut changed = bytes.to_vec();
                changed[at] = byte;
                let _ = VaultSettings::decode(&changed);
            }
        }
    }
}

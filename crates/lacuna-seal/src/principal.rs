use unicode_normalization::UnicodeNormalization;
use uuid::Uuid;

use crate::{digest::sha256, hkdf, key::MasterKey, key::UserKey};

/// Fixed by the specification of personal memory; changing it makes every vault unreadable.
const USER_KEY_INFO: &[u8] = b"pn-personal-memory-v1";

/// Owner of a user key, in the one form that enters key derivation.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Principal {
    /// The 16 bytes of a UUID.
    Uuid([u8; 16]),
    /// A name that is no UUID.
    Name(String),
}

impl Principal {
    /// Reads any spelling of a UUID as that UUID, and everything else as a name in Unicode normal form C.
    pub fn parse(text: &str) -> Self {
        match Uuid::parse_str(text) {
            Ok(uuid) => Self::Uuid(uuid.into_bytes()),
            Err(_) => Self::Name(text.nfc().collect()),
        }
    }

    /// `user_bytes`: 16 raw bytes, or a 4-byte big-endian length and the name.
    fn to_bytes(&self) -> Vec<u8> {
        match self {
            Self::Uuid(bytes) => bytes.to_vec(),
            Self::Name(name) => {
                // Normalised here too: a name made by hand must not give a second key for one person.
                let name: String = name.nfc().collect();
                let length = u32::try_from(name.len()).expect("a user name is shorter than 4 GiB");
                [&length.to_be_bytes(), name.as_bytes()].concat()
            }
        }
    }
}

impl MasterKey {
    /// Derives a user's key; the same user and version always give the same key.
    pub fn derive_user_key(&self, principal: &Principal, key_version: u32) -> UserKey {
        let mut salt_input = principal.to_bytes();
        salt_input.extend_from_slice(&key_version.to_be_bytes());
        UserKey::from_bytes(*hkdf::derive(&sha256(&salt_input), self.bytes(), USER_KEY_INFO))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_a_user_is_one_principal() {
        let uuid = Principal::parse("00112233-4455-6677-8899-aabbccddeeff");
        assert_eq!(uuid.to_bytes()[..4], [0x00, 0x11, 0x22, 0x33]);
        assert_eq!(Principal::parse("00112233445566778899AABBCCDDEEFF"), uuid);
        assert_eq!(Principal::parse("Zoe\u{308}"), Principal::parse("Zo\u{eb}"));
        assert_eq!(Principal::Name("e\u{301}".into()).to_bytes(), [0, 0, 0, 2, 0xc3, 0xa9]);
    }

    /// The derivation as the specification of personal memory writes it down.
    #[test]
    fn the_key_is_derived_as_its_specification_says() {
        let master = MasterKey::from_bytes([1; 32]);
        let user = Principal::parse("usr_abc123");
        let salt = sha256(&[&user.to_bytes()[..], &1u32.to_be_bytes()].concat());
        let expected = hkdf::derive(&salt, &[1; 32], b"pn-personal-memory-v1");
        assert_eq!(*master.derive_user_key(&user, 1).bytes(), *expected);
    }

    #[test]
    fn user_and_version_change_the_key() {
        let master = MasterKey::from_bytes([1; 32]);
        let key = |user: &str, version| *master.derive_user_key(&Principal::parse(user), version).bytes();
        assert_eq!(key("ann", 1), key("ann", 1));
        assert_ne!(key("ann", 1), key("ann", 2));
        assert_ne!(key("ann", 1), key("bob", 1));
    }
}

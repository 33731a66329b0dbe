//! Signatures of persona documents: Ed25519 over the canonical document, under a `did:key` or a `did:web`.
//!
//! The proof follows the Data Integrity suite `eddsa-jcs-2022`: SHA-256 of the canonical options of the proof, then SHA-256
//! of the canonical document without its proof, both signed together.

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey};
use jiff::Timestamp;
use lacuna_seal::sha256;
use serde_json::{Value, json};
use zeroize::Zeroizing;

use super::canonical::canonical;
use crate::codes;
use crate::wire::failure::{Failure, Result};

const SUITE: &str = "eddsa-jcs-2022";
/// Multicodec prefix of an Ed25519 public key.
const ED25519_PREFIX: [u8; 2] = [0xed, 0x01];
const BASE58: &[u8; 58] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const KEY_BYTES: usize = 32;

/// A signing key.
pub(crate) struct PersonaKey(Ed25519KeyPair);

impl PersonaKey {
    /// Makes a key; the answer has its PKCS#8 bytes, which are secret.
    pub(crate) fn make() -> Result<Zeroizing<Vec<u8>>> {
        let made = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new());
        let made = made.map_err(|_| Failure::new(&codes::INTERNAL, "the system gives no randomness"))?;
        Ok(Zeroizing::new(made.as_ref().to_vec()))
    }

    /// Reads a key from its PKCS#8 bytes.
    pub(crate) fn read(pkcs8: &[u8]) -> Result<Self> {
        let broken = |_| Failure::invalid("key", "is not an Ed25519 key that `lacuna persona key` made");
        Ed25519KeyPair::from_pkcs8(pkcs8).map(Self).map_err(broken)
    }

    /// The `did:key` of the public key.
    pub(crate) fn did(&self) -> String {
        let bytes = [&ED25519_PREFIX[..], self.0.public_key().as_ref()].concat();
        format!("did:key:z{}", base58(&bytes))
    }
}

/// The signer that a proof names.
enum Did {
    /// The public key is in the name.
    Key([u8; KEY_BYTES]),
    /// The public key is in the document that the web site of this name publishes.
    Web(String),
}

impl Did {
    fn read(method: &str) -> Option<Self> {
        let did = method.split('#').next()?;
        if let Some(encoded) = did.strip_prefix("did:key:z") {
            return key_bytes(encoded).map(Self::Key);
        }
        did.strip_prefix("did:web:").filter(|name| !name.is_empty()).map(|_| Self::Web(did.to_owned()))
    }
}

/// Reads a public key in base58 with its multicodec prefix.
fn key_bytes(encoded: &str) -> Option<[u8; KEY_BYTES]> {
    unbase58(encoded)?.strip_prefix(&ED25519_PREFIX)?.try_into().ok()
}

/// Signs a document, in place of an earlier proof. `name` is the `did:web` to sign under; the key's own DID otherwise.
pub(crate) fn sign(document: &mut Value, key: &PersonaKey, name: Option<&str>, now: Timestamp) {
    let own = key.did();
    let method = match name {
        Some(name) => format!("{name}#{}", own.trim_start_matches("did:key:")),
        None => format!("{own}#{}", own.trim_start_matches("did:key:")),
    };
    let mut proof = json!({
        "type": "DataIntegrityProof",
        "cryptosuite": SUITE,
        "created": now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        "verificationMethod": method,
        "proofPurpose": "assertionMethod",
    });
    let signature = key.0.sign(&signed_bytes(document, &proof));
    proof["proofValue"] = format!("z{}", base58(signature.as_ref())).into();
    document["proof"] = proof;
}

/// Checks the proof of a document, and returns the signer. A `did:web` needs the document of that name, which the caller
/// has fetched: nothing is downloaded here.
pub(crate) fn verify(document: &Value, did_document: Option<&Value>) -> Result<String> {
    let proof = &document["proof"];
    let refused = |reason: &str| Failure::invalid("proof", reason.to_owned());
    if !proof.is_object() {
        return Err(refused("is missing: the document is not signed"));
    }
    if proof["cryptosuite"] != SUITE {
        return Err(refused("is not of the suite eddsa-jcs-2022"));
    }
    let method = proof["verificationMethod"].as_str().unwrap_or_default();
    let key = match Did::read(method) {
        Some(Did::Key(key)) => key,
        Some(Did::Web(did)) => web_key(&did, method, did_document)?,
        None => return Err(refused("names no did:key and no did:web")),
    };
    let value = proof["proofValue"].as_str().and_then(|value| unbase58(value.strip_prefix('z')?));
    let value = value.ok_or_else(|| refused("has no signature"))?;
    let mut options = proof.clone();
    options.as_object_mut().and_then(|options| options.remove("proofValue"));
    let message = signed_bytes(document, &options);
    let genuine = UnparsedPublicKey::new(&ED25519, key).verify(&message, &value);
    genuine
        .map_err(|_| refused("does not belong to this document: it was changed, or another key signed it"))?;
    Ok(method.split('#').next().unwrap_or_default().to_owned())
}

/// The key of a verification method in the document of a `did:web`.
fn web_key(did: &str, method: &str, document: Option<&Value>) -> Result<[u8; KEY_BYTES]> {
    let Some(document) = document else {
        let reason = format!("is by {did}: give its did.json, which its web site publishes");
        return Err(Failure::invalid("proof", reason));
    };
    let unknown = || Failure::invalid("did document", format!("has no Ed25519 key for {method}"));
    if document["id"] != did {
        return Err(unknown());
    }
    let methods = document["verificationMethod"].as_array().into_iter().flatten();
    let relative = method.strip_prefix(did).unwrap_or_default();
    let named = |one: &&Value| one["id"] == method || (!relative.is_empty() && one["id"] == relative);
    let found = methods.into_iter().find(named).ok_or_else(unknown)?;
    let key = found["publicKeyMultibase"].as_str().and_then(|key| key_bytes(key.strip_prefix('z')?));
    key.ok_or_else(unknown)
}

fn signed_bytes(document: &Value, options: &Value) -> Vec<u8> {
    let mut bare = document.clone();
    bare.as_object_mut().and_then(|fields| fields.remove("proof"));
    let parts = [sha256(canonical(options).as_bytes()), sha256(canonical(&bare).as_bytes())];
    parts.concat()
}

fn base58(bytes: &[u8]) -> String {
    let mut digits: Vec<u8> = Vec::new();
    for byte in bytes {
        let mut carry = u32::from(*byte);
        for digit in &mut digits {
            carry += u32::from(*digit) << 8;
            *digit = (carry % 58) as u8;
            carry /= 58;
        }
        while carry > 0 {
            digits.push((carry % 58) as u8);
            carry /= 58;
        }
    }
    let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
    let digits = digits.iter().rev().map(|digit| char::from(BASE58[usize::from(*digit)]));
    "1".repeat(zeros) + &digits.collect::<String>()
}

fn unbase58(text: &str) -> Option<Vec<u8>> {
    let mut bytes: Vec<u8> = Vec::new();
    for letter in text.bytes() {
        let mut carry = BASE58.iter().position(|known| *known == letter)? as u32;
        for byte in &mut bytes {
            carry += u32::from(*byte) * 58;
            *byte = carry as u8;
            carry >>= 8;
        }
        while carry > 0 {
            bytes.push(carry as u8);
            carry >>= 8;
        }
    }
    bytes.extend(text.bytes().take_while(|letter| *letter == b'1').map(|_| 0));
    bytes.reverse();
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment() -> Timestamp {
        "2026-04-22T14:18:42Z".parse().unwrap()
    }

    #[test]
    fn a_signed_document_verifies_and_a_changed_one_does_not() {
        let key = PersonaKey::read(&PersonaKey::make().unwrap()).unwrap();
        let mut document =
            json!({"memory": [{"gist": "a", "salience": 0.4}], "identity": {"version": "v.01"}});
        sign(&mut document, &key, None, moment());
        assert_eq!(verify(&document, None).unwrap(), key.did());
        // The order of keys and the spelling of numbers do not matter.
        let text = document.to_string().replace("0.4", "0.40");
        assert!(verify(&serde_json::from_str(&text).unwrap(), None).is_ok());
        for (path, value) in
            [("/memory/0/gist", json!("b")), ("/proof/created", json!("2027-01-01T00:00:00Z"))]
        {
            let mut changed = document.clone();
            *changed.pointer_mut(path).unwrap() = value;
            assert!(verify(&changed, None).is_err(), "{path}");
        }
        let other = PersonaKey::read(&PersonaKey::make().unwrap()).unwrap();
        let mut forged = document.clone();
        forged["proof"]["verificationMethod"] = format!("{}#x", other.did()).into();
        assert!(verify(&forged, None).is_err());
        assert!(verify(&json!({"memory": []}), None).is_err());
    }

    #[test]
    fn a_web_name_needs_its_document_and_the_key_in_it() {
        let key = PersonaKey::read(&PersonaKey::make().unwrap()).unwrap();
        let mut document = json!({"memory": []});
        sign(&mut document, &key, Some("did:web:example.org"), moment());
        let method = document["proof"]["verificationMethod"].clone();
        let multibase = key.did().trim_start_matches("did:key:").to_owned();
        let published = json!({"id": "did:web:example.org",
            "verificationMethod": [{"id": method, "publicKeyMultibase": multibase}]});
        assert_eq!(verify(&document, Some(&published)).unwrap(), "did:web:example.org");
        assert!(verify(&document, None).is_err());
        let mut elsewhere = published.clone();
        elsewhere["id"] = "did:web:example.com".into();
        assert!(verify(&document, Some(&elsewhere)).is_err());
    }

    #[test]
    fn base58_reads_back_what_it_writes() {
        for bytes in [&[][..], &[0, 0, 1], &[255; 34], &[0xed, 0x01, 7, 0, 9]] {
            assert_eq!(unbase58(&base58(bytes)).unwrap(), bytes);
        }
        assert_eq!(base58(b"Hello World!"), "2NEpo7TZRRrLZSi2U");
        assert!(unbase58("0OIl").is_none());
    }
}

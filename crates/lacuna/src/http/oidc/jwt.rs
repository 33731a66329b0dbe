//! Signed tokens in their compact form: three algorithms, all of them with a public key, so that nothing else can
//! pass for a signature.

use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents, UnparsedPublicKey,
};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::jwks::Key;
use crate::wire::unbase64url;

/// A token with many groups has a few kilobytes.
const TOKEN_BYTES_MAX: usize = 16 << 10;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Algorithm {
    Rs256,
    Es256,
    EdDsa,
}

/// A token as it was sent. Nothing in it is verified yet.
pub(super) struct Jwt<'a> {
    algorithm: Algorithm,
    key_id: Option<String>,
    signed: &'a str,
    signature: Vec<u8>,
    claims: Map<String, Value>,
}

#[derive(Deserialize)]
struct Header {
    alg: String,
    kid: Option<String>,
    /// Names extensions that must be understood; we understand none.
    crit: Option<Value>,
}

impl<'a> Jwt<'a> {
    pub(super) fn parse(token: &'a str) -> Option<Self> {
        if token.len() > TOKEN_BYTES_MAX {
            return None;
        }
        let (signed, signature) = token.rsplit_once('.')?;
        let (header, claims) = signed.split_once('.')?;
        let header: Header = serde_json::from_slice(&unbase64url(header)?).ok()?;
        let algorithm = match header.alg.as_str() {
            "RS256" => Algorithm::Rs256,
            "ES256" => Algorithm::Es256,
            "EdDSA" => Algorithm::EdDsa,
            _ => return None,
        };
        if header.crit.is_some() {
            return None;
        }
        let claims = serde_json::from_slice(&unbase64url(claims)?).ok()?;
        Some(Self { algorithm, key_id: header.kid, signed, signature: unbase64url(signature)?, claims })
    }

    pub(super) fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    pub(super) fn key_id(&self) -> Option<&str> {
        self.key_id.as_deref()
    }

    /// Verifies the signature. The key decides the algorithm; a token that names another one is not signed by it.
    pub(super) fn is_signed_by(&self, key: &Key) -> bool {
        let message = self.signed.as_bytes();
        let plain = |algorithm, point: &[u8]| {
            UnparsedPublicKey::new(algorithm, point).verify(message, &self.signature).is_ok()
        };
        match (self.algorithm, key) {
            (Algorithm::Rs256, Key::Rsa { n, e }) => RsaPublicKeyComponents { n, e }
                .verify(&RSA_PKCS1_2048_8192_SHA256, message, &self.signature)
                .is_ok(),
            (Algorithm::Es256, Key::P256(point)) => plain(&ECDSA_P256_SHA256_FIXED, point),
            (Algorithm::EdDsa, Key::Ed25519(point)) => plain(&ED25519, point),
            _ => false,
        }
    }

    /// The claims; trust them only after [`is_signed_by`](Self::is_signed_by).
    pub(super) fn claims(&self) -> &Map<String, Value> {
        &self.claims
    }
}

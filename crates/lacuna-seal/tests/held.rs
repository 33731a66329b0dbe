//! A root under the secret of its person: every key takes part, nothing else opens it, and its bytes are frozen.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop there")]

use lacuna_seal::{
    ClassKey, EpochKey, Field, HeldRoot, OpenError, PassphraseCost, PassphraseError, RootKey, SealContext,
    SecretFiles, SeededEntropy, UserKey, UserSecret, unhex,
};

const CONTEXT: SealContext<'static> = SealContext {
    org: "acme",
    user: "anna",
    vault: [1; 16],
    memory: [0; 16],
    field: Field::Root,
    class: 0,
    revision: 7,
    created_at_millis: 0,
    key_version: 3,
};
const PASSPHRASE: &str = "five tall ships";
const CODE: &str = "7K4M-Q2ZD-81XV-0GHN-55TB-W9RC";

fn user() -> UserKey {
    UserKey::from_bytes([1; 32])
}

fn epoch() -> EpochKey {
    EpochKey::from_bytes([2; 32])
}

/// A held root, wrapped, and a class key that its root wraps.
fn wrapped() -> (Vec<u8>, Vec<u8>) {
    let entropy = SeededEntropy::new(1);
    let root = RootKey::from_bytes([4; 32]);
    let (files, secret) = SecretFiles::make(PASSPHRASE, CODE, PassphraseCost::LEAST, &entropy).unwrap();
    let held = HeldRoot::seal(&files, &secret, &root, &CONTEXT, &entropy);
    let class = root.wrap_class(&ClassKey::from_bytes([5; 32]), 1, &CONTEXT, &entropy);
    (user().wrap_held(&epoch(), &held, &CONTEXT, &entropy), class)
}

fn opens(held: &HeldRoot, secret: &UserSecret, class: &[u8]) -> bool {
    held.open(secret, &CONTEXT).is_ok_and(|root| root.unwrap_class(&CONTEXT, class).is_ok())
}

#[test]
fn passphrase_and_code_open_it_and_nothing_else() {
    let (bytes, class) = wrapped();
    let held = user().unwrap_held(&epoch(), &CONTEXT, &bytes).unwrap();
    let by_passphrase = held.secret_by_passphrase(PASSPHRASE).unwrap();
    let by_code = held.secret_by_code("7k4m q2zd 8ixv oghn 55tb w9rc").unwrap();
    assert!(opens(&held, &by_passphrase, &class) && opens(&held, &by_code, &class));
    for wrong in ["", "five tall ship", CODE] {
        assert_eq!(held.secret_by_passphrase(wrong).err(), Some(PassphraseError::WrongPassphrase), "{wrong}");
    }
    assert_eq!(held.secret_by_code(PASSPHRASE).err(), Some(PassphraseError::WrongPassphrase));
    assert!(!opens(&held, &UserSecret::from_bytes([9; 32]), &class));
    let elsewhere = SealContext { vault: [8; 16], ..CONTEXT };
    assert_eq!(held.open(&by_code, &elsewhere).err(), Some(OpenError::Rejected));
}

#[test]
fn the_outer_wrap_needs_both_keys_and_its_place_and_is_renewed_without_the_secret() {
    let (bytes, class) = wrapped();
    let rejected = |user: UserKey, epoch: EpochKey, context: &SealContext<'_>, bytes: &[u8]| {
        user.unwrap_held(&epoch, context, bytes).err()
    };
    let other = [9; 32];
    assert_eq!(rejected(UserKey::from_bytes(other), epoch(), &CONTEXT, &bytes), Some(OpenError::Rejected));
    assert_eq!(rejected(user(), EpochKey::from_bytes(other), &CONTEXT, &bytes), Some(OpenError::Rejected));
    for context in [
        SealContext { user: "ben", ..CONTEXT },
        SealContext { vault: [8; 16], ..CONTEXT },
        SealContext { revision: 8, ..CONTEXT },
        SealContext { key_version: 4, ..CONTEXT },
    ] {
        assert_eq!(rejected(user(), epoch(), &context, &bytes), Some(OpenError::Rejected));
    }
    // A held root is no bare one, and the other way round.
    assert!(user().unwrap_root(&epoch(), None, &CONTEXT, &bytes).is_err());
    let bare =
        user().wrap_root(&epoch(), None, &RootKey::from_bytes([4; 32]), &CONTEXT, &SeededEntropy::new(2));
    assert!(rejected(user(), epoch(), &CONTEXT, &bare).is_some());
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        assert!(rejected(user(), epoch(), &CONTEXT, &changed).is_some(), "byte {at}");
        assert!(rejected(user(), epoch(), &CONTEXT, &bytes[..at]).is_some(), "{at} bytes");
    }
    let held = user().unwrap_held(&epoch(), &CONTEXT, &bytes).unwrap();
    let (next, renewed) =
        (EpochKey::from_bytes(other), SealContext { revision: 8, key_version: 4, ..CONTEXT });
    let again = user().wrap_held(&next, &held, &renewed, &SeededEntropy::new(3));
    let held = user().unwrap_held(&next, &renewed, &again).unwrap();
    assert!(opens(&held, &held.secret_by_passphrase(PASSPHRASE).unwrap(), &class));
}

#[test]
fn frozen_bytes_still_open_and_are_still_written() {
    let (bytes, class) = wrapped();
    let frozen = unhex(FROZEN).unwrap();
    let held = user().unwrap_held(&epoch(), &CONTEXT, &frozen).unwrap();
    assert!(opens(&held, &held.secret_by_passphrase(PASSPHRASE).unwrap(), &class));
    assert!(opens(&held, &held.secret_by_code(CODE).unwrap(), &class));
    assert_eq!(bytes, frozen);
}

const FROZEN: &str = "0180f92fa9e4cbcd960266dcd5f7d58f0d4951d2bbbdd7e49bbd069ce8bc673c7465676719d3414fbc609575eb197f91\
    167c389404df3abfeefdac42d83c335f185cbd1ab0235d173511a1008e9e2e9fc95250ff8de3d5c508df23be1eb24bf8\
    7b1cf4263050a350c88854464ef2be31038f2e837dea421529f43ab75a83685ed80d281c9da62b60024c7782c4ed37e4\
    f45a7fe9fcb0424deb0a706a0ff6c357adc5555b698b919ca13de1d28758073bdfa73697c40ab7ec37488d393ca3bc80\
    8c38a9872d1224adc5091c5767349c9a415bdc36c0fbe1615c994577ce0c5c6ce85a69b3d477cd5063ba6301efa35323\
    7543d7f20aeb44d87d4e61944f3331ec28cf4125a06cfef7b88fe4e191b177a4083bad4e8f2d49bfed5e07f6891e390c\
    9eb08807358a4e88000501ffafcac2e24be017014ff251704a8ab44316302e1b54ae053f800fd6ccb6bc8482b7cef82e\
    5495ee986d166ec80303b3fb8b021f7136a652aee3f2f459d32a146761f90c07773f80a3b15994167de1f194f3576348\
    e750fe1a3dbe390ebf55e467b580d854457cb1704f2972bcffb49f96db735e";

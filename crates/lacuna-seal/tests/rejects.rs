//! Nothing opens but the right bytes under the right key in the right place, and nothing panics.

use lacuna_seal::{
    Binding, ClassKey, EpochKey, Field, MemoryKey, OpenError, PassphraseCost, PassphraseError, RootKey,
    SealContext, SeededEntropy, UserKey, UserSecret, Zeroizing, protect, recover,
};
use proptest::prelude::*;

const CONTEXT: SealContext<'static> = SealContext {
    org: "acme",
    user: "ann",
    vault: [1; 16],
    memory: [2; 16],
    field: Field::Frame,
    class: 3,
    revision: 4,
    created_at_millis: 5,
    key_version: 6,
};

/// Every way of being in another place. The pairs of `org` and `user` would be one text without lengths.
fn elsewhere() -> Vec<SealContext<'static>> {
    vec![
        SealContext { org: "acmf", ..CONTEXT },
        SealContext { user: "bob", ..CONTEXT },
        SealContext { org: "acm", user: "eann", ..CONTEXT },
        SealContext { org: "acmea", user: "nn", ..CONTEXT },
        SealContext { vault: [7; 16], ..CONTEXT },
        SealContext { memory: [7; 16], ..CONTEXT },
        SealContext { vault: CONTEXT.memory, memory: CONTEXT.vault, ..CONTEXT },
        SealContext { revision: 5, ..CONTEXT },
        SealContext { created_at_millis: 6, ..CONTEXT },
        SealContext { key_version: 7, ..CONTEXT },
    ]
}

struct Keys {
    user: UserKey,
    epoch: EpochKey,
    held: UserSecret,
    root: RootKey,
    class: ClassKey,
    memory: MemoryKey,
    source: MemoryKey,
}

fn keys(seed: u64) -> Keys {
    let entropy = SeededEntropy::new(seed);
    Keys {
        user: UserKey::from_bytes([seed as u8; 32]),
        epoch: EpochKey::make(&entropy),
        held: UserSecret::make(&entropy),
        root: RootKey::make(&entropy),
        class: ClassKey::make(&entropy),
        memory: MemoryKey::make(&entropy),
        source: MemoryKey::make(&entropy),
    }
}

type Outcome = Result<(), OpenError>;
const REJECTED: Outcome = Err(OpenError::Rejected);

/// One kind of envelope: how it is made, and how it is opened.
struct Kind {
    name: &'static str,
    seal: fn(&Keys, &SealContext<'_>) -> Vec<u8>,
    open: fn(&Keys, &SealContext<'_>, &[u8]) -> Outcome,
}

fn entropy() -> SeededEntropy {
    SeededEntropy::new(99)
}

const KINDS: [Kind; 7] = [
    Kind {
        name: "root",
        seal: |keys, context| keys.user.wrap_root(&keys.epoch, None, &keys.root, context, &entropy()),
        open: |keys, context, bytes| keys.user.unwrap_root(&keys.epoch, None, context, bytes).map(drop),
    },
    Kind {
        name: "root with held secret",
        seal: |keys, context| {
            keys.user.wrap_root(&keys.epoch, Some(&keys.held), &keys.root, context, &entropy())
        },
        open: |keys, context, bytes| {
            keys.user.unwrap_root(&keys.epoch, Some(&keys.held), context, bytes).map(drop)
        },
    },
    Kind {
        name: "class",
        seal: |keys, context| keys.root.wrap_class(&keys.class, 3, context, &entropy()),
        open: |keys, context, bytes| keys.root.unwrap_class(context, bytes).map(drop),
    },
    Kind {
        name: "memory",
        seal: |keys, context| keys.class.wrap_memory(&keys.memory, Binding::Alone, context, &entropy()),
        open: |keys, context, bytes| keys.class.unwrap_memory(Binding::Alone, context, bytes).map(drop),
    },
    Kind {
        name: "bound memory",
        seal: |keys, context| {
            keys.class.wrap_memory(&keys.memory, Binding::Sources(&[&keys.source]), context, &entropy())
        },
        open: |keys, context, bytes| {
            keys.class.unwrap_memory(Binding::Sources(&[&keys.source]), context, bytes).map(drop)
        },
    },
    Kind {
        name: "content",
        seal: |keys, context| keys.memory.seal(context, b"thirty-two bytes of content here", &entropy()),
        open: |keys, context, bytes| keys.memory.open(context, bytes).map(drop),
    },
    Kind {
        name: "sources",
        seal: |keys, context| keys.class.seal_sources(&[[1; 16], [2; 16]], context, &entropy()),
        open: |keys, context, bytes| keys.class.open_sources(context, bytes).map(drop),
    },
];

#[test]
fn each_kind_opens_in_its_own_place_only() {
    let keys = keys(1);
    for kind in KINDS {
        let sealed = (kind.seal)(&keys, &CONTEXT);
        assert_eq!((kind.open)(&keys, &CONTEXT, &sealed), Ok(()), "{}", kind.name);
        for other in elsewhere() {
            assert_eq!((kind.open)(&keys, &other, &sealed), REJECTED, "{} in {other:?}", kind.name);
            let moved = (kind.seal)(&keys, &other);
            assert_eq!((kind.open)(&keys, &CONTEXT, &moved), REJECTED, "{} from {other:?}", kind.name);
        }
    }
}

#[test]
fn no_kind_passes_for_another() {
    let keys = keys(1);
    for (from, made) in KINDS.iter().enumerate() {
        let sealed = (made.seal)(&keys, &CONTEXT);
        for (to, opened) in KINDS.iter().enumerate().filter(|(to, _)| *to != from) {
            assert_eq!((opened.open)(&keys, &CONTEXT, &sealed), REJECTED, "{from} as {to}");
        }
    }
}

#[test]
fn class_binds_everything_but_the_wrap_that_hides_it() {
    let (keys, other) = (keys(1), SealContext { class: 4, ..CONTEXT });
    for kind in KINDS {
        let expected = if kind.name == "class" { Ok(()) } else { REJECTED };
        let sealed = (kind.seal)(&keys, &CONTEXT);
        assert_eq!((kind.open)(&keys, &other, &sealed), expected, "{}", kind.name);
    }
}

#[test]
fn fields_of_one_memory_are_apart() {
    let memory = keys(1).memory;
    let fields = [
        Field::Root,
        Field::ClassKey,
        Field::MemoryKey,
        Field::Frame,
        Field::Body,
        Field::Blob,
        Field::Sources,
    ];
    for from in fields {
        let sealed = memory.seal(&SealContext { field: from, ..CONTEXT }, b"text", &entropy());
        for to in fields {
            let opened = memory.open(&SealContext { field: to, ..CONTEXT }, &sealed);
            assert_eq!(opened.is_ok(), from == to, "{from:?} as {to:?}");
        }
    }
}

type Swap = fn(&mut Keys, Keys);

#[test]
fn every_key_takes_part() {
    let good = keys(1);
    let swaps: [(&str, Swap); 6] = [
        ("user", |keys, other| keys.user = other.user),
        ("epoch", |keys, other| keys.epoch = other.epoch),
        ("held", |keys, other| keys.held = other.held),
        ("root", |keys, other| keys.root = other.root),
        ("class", |keys, other| keys.class = other.class),
        ("source", |keys, other| keys.source = other.source),
    ];
    // Which envelopes each key guards, in the order of KINDS.
    let guarded = [
        [true, true, false, false, false, false, false],
        [true, true, false, false, false, false, false],
        [false, true, false, false, false, false, false],
        [false, false, true, false, false, false, false],
        [false, false, false, true, true, false, true],
        [false, false, false, false, true, false, false],
    ];
    for ((name, swap), guarded) in swaps.into_iter().zip(guarded) {
        let mut wrong = keys(1);
        swap(&mut wrong, keys(2));
        for (kind, guarded) in KINDS.iter().zip(guarded) {
            let opened = (kind.open)(&wrong, &CONTEXT, &(kind.seal)(&good, &CONTEXT));
            assert_eq!(opened, if guarded { REJECTED } else { Ok(()) }, "{name} for {}", kind.name);
        }
    }
    let sealed = good.memory.seal(&CONTEXT, b"text", &entropy());
    assert!(good.source.open(&CONTEXT, &sealed).is_err());
}

#[test]
fn sources_are_all_needed_in_their_order() {
    let (keys, second) = (keys(1), MemoryKey::from_bytes([8; 32]));
    let (both, one) = ([&keys.source, &second], [&keys.source]);
    let turned = [&second, &keys.source];
    let wrapped = keys.class.wrap_memory(&keys.memory, Binding::Sources(&both), &CONTEXT, &entropy());
    let opens = |binding| keys.class.unwrap_memory(binding, &CONTEXT, &wrapped).is_ok();
    assert!(opens(Binding::Sources(&both)));
    assert!(!opens(Binding::Sources(&one)) && !opens(Binding::Sources(&turned)) && !opens(Binding::Alone));
}

#[test]
fn a_reused_buffer_holds_the_last_plaintext_or_nothing() {
    let memory = keys(1).memory;
    let mut buffer = Zeroizing::new(Vec::new());
    for text in [b"a long first text".as_slice(), b"short", b"", b"the longest text of them all"] {
        let mut sealed = memory.seal(&CONTEXT, text, &entropy());
        memory.open_into(&CONTEXT, &sealed, &mut buffer).unwrap();
        assert_eq!(buffer.as_slice(), text);
        *sealed.last_mut().unwrap() ^= 1;
        assert_eq!(memory.open_into(&CONTEXT, &sealed, &mut buffer), REJECTED);
        assert!(buffer.is_empty());
    }
}

#[test]
fn sealing_twice_never_gives_the_same_bytes() {
    let (memory, entropy) = (keys(1).memory, SeededEntropy::new(1));
    assert_ne!(memory.seal(&CONTEXT, b"text", &entropy), memory.seal(&CONTEXT, b"text", &entropy));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn content_comes_back(key: [u8; 32], text: Vec<u8>, org: String, user: String, revision: u32) {
        let context = SealContext { org: &org, user: &user, revision, ..CONTEXT };
        let sealed = MemoryKey::from_bytes(key).seal(&context, &text, &entropy());
        prop_assert_eq!(sealed.len(), text.len() + lacuna_seal::envelope::OVERHEAD_BYTES);
        prop_assert_eq!(&*MemoryKey::from_bytes(key).open(&context, &sealed).unwrap(), &text);
    }

    #[test]
    fn a_flipped_bit_is_refused(kind in 0..KINDS.len(), at: prop::sample::Index) {
        let (keys, kind) = (keys(1), &KINDS[kind]);
        let mut sealed = (kind.seal)(&keys, &CONTEXT);
        let bit = at.index(sealed.len() * 8);
        sealed[bit / 8] ^= 1 << (bit % 8);
        let expected = if bit < 8 { OpenError::UnknownVersion(sealed[0]) } else { OpenError::Rejected };
        prop_assert_eq!((kind.open)(&keys, &CONTEXT, &sealed), Err(expected));
    }

    #[test]
    fn another_length_is_refused(kind in 0..KINDS.len(), at: prop::sample::Index, tail in prop::collection::vec(any::<u8>(), 1..40)) {
        let (keys, kind) = (keys(1), &KINDS[kind]);
        let sealed = (kind.seal)(&keys, &CONTEXT);
        prop_assert!((kind.open)(&keys, &CONTEXT, &sealed[..at.index(sealed.len())]).is_err());
        prop_assert!((kind.open)(&keys, &CONTEXT, &sealed[1..]).is_err());
        prop_assert_eq!((kind.open)(&keys, &CONTEXT, &[sealed, tail].concat()), REJECTED);
    }

    #[test]
    fn another_key_is_refused(key: [u8; 32], other: [u8; 32], text: Vec<u8>) {
        prop_assume!(key != other);
        let sealed = MemoryKey::from_bytes(key).seal(&CONTEXT, &text, &entropy());
        prop_assert!(MemoryKey::from_bytes(other).open(&CONTEXT, &sealed).is_err());
    }

    #[test]
    fn spliced_envelopes_are_refused(cut: prop::sample::Index) {
        let memory = keys(1).memory;
        let first = memory.seal(&CONTEXT, b"the first text", &SeededEntropy::new(1));
        let other = SealContext { memory: [7; 16], ..CONTEXT };
        let second = memory.seal(&other, b"another  text!", &SeededEntropy::new(2));
        let cut = 1 + cut.index(first.len() - 1);
        let spliced = [&first[..cut], &second[cut..]].concat();
        prop_assert!(memory.open(&CONTEXT, &spliced).is_err());
        prop_assert!(memory.open(&other, &spliced).is_err() || spliced == second);
    }

    #[test]
    fn different_contexts_encode_differently(a: (String, String), b: (String, String)) {
        let encode = |texts: &(String, String)| SealContext { org: &texts.0, user: &texts.1, ..CONTEXT }.encode();
        prop_assert_eq!(encode(&a) == encode(&b), a == b);
    }

    #[test]
    fn arbitrary_bytes_never_open_and_never_panic(mut bytes: Vec<u8>, known_version: bool) {
        if let (true, Some(first)) = (known_version, bytes.first_mut()) {
            *first = 1;
        }
        let keys = keys(1);
        for kind in KINDS {
            prop_assert!((kind.open)(&keys, &CONTEXT, &bytes).is_err());
        }
        prop_assert_eq!(recover(&bytes, "passphrase").err(), Some(PassphraseError::NotAKeyFile));
    }
}

mod passphrases {
    use super::*;

    const KEY: [u8; 32] = [42; 32];
    const MAGIC_BYTES: usize = 8;
    const COST_AT: usize = MAGIC_BYTES + 1;

    fn file() -> Vec<u8> {
        protect(&KEY, "Zoë's words", PassphraseCost::LEAST, &entropy()).expect("the least cost is accepted")
    }

    #[test]
    fn the_passphrase_recovers_the_key_however_it_is_typed() {
        assert_eq!(*recover(&file(), "Zoë's words").unwrap(), KEY);
        assert_eq!(*recover(&file(), "Zoe\u{308}'s words").unwrap(), KEY);
        for wrong in ["", "zoë's words", "Zoë's words "] {
            assert_eq!(recover(&file(), wrong).err(), Some(PassphraseError::WrongPassphrase));
        }
    }

    #[test]
    fn damage_is_named() {
        let mut newer = file();
        newer[MAGIC_BYTES] = 2;
        let cases: [(&[u8], PassphraseError); 5] = [
            (b"", PassphraseError::NotAKeyFile),
            (b"ssh-ed25519 AAAA", PassphraseError::NotAKeyFile),
            (&file()[..MAGIC_BYTES], PassphraseError::WrongLength),
            (&file()[..100], PassphraseError::WrongLength),
            (&newer, PassphraseError::UnknownVersion(2)),
        ];
        for (bytes, expected) in cases {
            assert_eq!(recover(bytes, "Zoë's words").err(), Some(expected));
        }
    }

    #[test]
    fn a_cost_out_of_bounds_is_refused_before_it_is_paid() {
        let least = PassphraseCost::LEAST;
        let costs = [
            PassphraseCost { memory_kib: u32::MAX, ..least },
            PassphraseCost { memory_kib: 1024 * 1024 + 1, ..least },
            PassphraseCost { memory_kib: 0, ..least },
            PassphraseCost { passes: u32::MAX, ..least },
            PassphraseCost { passes: 17, ..least },
            PassphraseCost { passes: 0, ..least },
            PassphraseCost { lanes: u32::MAX, ..least },
            PassphraseCost { lanes: 17, memory_kib: 17 * 8, ..least },
            PassphraseCost { lanes: 0, ..least },
            PassphraseCost { lanes: 2, ..least },
        ];
        for cost in costs {
            let refused = Some(PassphraseError::CostOutOfBounds);
            assert_eq!(protect(&KEY, "x", cost, &entropy()).err(), refused, "{cost:?}");
            let mut hostile = file();
            for (index, number) in [cost.memory_kib, cost.passes, cost.lanes].into_iter().enumerate() {
                let at = COST_AT + 4 * index;
                hostile[at..at + 4].copy_from_slice(&number.to_be_bytes());
            }
            assert_eq!(recover(&hostile, "x").err(), refused, "{cost:?}");
        }
    }

    #[test]
    fn a_changed_cost_or_salt_is_refused() {
        for at in [COST_AT + 3, COST_AT + 7, COST_AT + 12, COST_AT + 12 + 15] {
            let mut changed = file();
            changed[at] += 1;
            assert_eq!(
                recover(&changed, "Zoë's words").err(),
                Some(PassphraseError::WrongPassphrase),
                "{at}"
            );
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn arbitrary_bodies_never_recover(mut body in prop::collection::vec(any::<u8>(), 109)) {
            // Any salt and envelope behind a cheap header, so that the search reaches the envelope.
            let mut bytes = file();
            let keep = bytes.len() - body.len();
            bytes.truncate(keep);
            bytes.append(&mut body);
            prop_assert!(recover(&bytes, "Zoë's words").is_err());
        }
    }
}

mod signatures {
    use lacuna_seal::{Signature, SignatureError, SigningKey, VerifyingKey};

    use super::*;

    const DOMAIN: &str = "lacuna/test/v1";
    const REJECTED: Result<(), SignatureError> = Err(SignatureError::Rejected);

    fn flipped(bytes: &[u8], bit: usize) -> Vec<u8> {
        let mut changed = bytes.to_vec();
        let bit = bit % (8 * changed.len());
        changed[bit / 8] ^= 1 << (bit % 8);
        changed
    }

    #[test]
    fn where_a_part_ends_is_signed() {
        let key = SigningKey::make(&entropy());
        let signature = key.sign(DOMAIN, &[b"ab", b"c"]);
        let others: [&[&[u8]]; 5] =
            [&[b"a", b"bc"], &[b"abc"], &[b"ab", b"c", b""], &[b"c", b"ab"], &[b"ab"]];
        for parts in others {
            assert_eq!(key.verifying_key().verify(DOMAIN, parts, &signature), REJECTED);
        }
        assert_eq!(key.verifying_key().verify("lacuna/test/v2", &[b"ab", b"c"], &signature), REJECTED);
        let moved: [&[u8]; 2] = [DOMAIN.as_bytes(), b"c"];
        assert_eq!(key.verifying_key().verify("ab", &moved, &signature), REJECTED);
    }

    #[test]
    fn keys_and_signatures_have_one_spelling() {
        let key = SigningKey::make(&entropy());
        let (verifying, signature) = (key.verifying_key(), key.sign(DOMAIN, &[]));
        assert_eq!(verifying.to_string().parse(), Ok(verifying));
        assert_eq!(signature.to_string().parse(), Ok(signature));
        let text = verifying.to_string();
        let shouted = format!("ed25519:{}", text[8..].to_uppercase());
        for wrong in ["", "ed25519:", &text[8..], &text[..71], &format!("{text}0"), &shouted] {
            assert_eq!(wrong.parse::<VerifyingKey>(), Err(SignatureError::NotAKey), "{wrong}");
        }
        let text = signature.to_string();
        for wrong in ["", &text[1..], &format!("{text} "), &text.replace(|_: char| true, "é")] {
            assert_eq!(wrong.parse::<Signature>(), Err(SignatureError::NotASignature), "{wrong}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_flipped_bit_is_rejected(
            seed in any::<u64>(),
            message in prop::collection::vec(any::<u8>(), 1..200),
            bit in any::<usize>(),
        ) {
            let key = SigningKey::make(&SeededEntropy::new(seed));
            let verifying = key.verifying_key();
            let signature = key.sign(DOMAIN, &[&message]);
            prop_assert_eq!(verifying.verify(DOMAIN, &[&message], &signature), Ok(()));

            prop_assert_eq!(verifying.verify(DOMAIN, &[&flipped(&message, bit)], &signature), REJECTED);
            let forged = Signature::from_bytes(flipped(signature.as_bytes(), bit).try_into().unwrap());
            prop_assert_eq!(verifying.verify(DOMAIN, &[&message], &forged), REJECTED);
            let other = VerifyingKey::from_bytes(flipped(verifying.as_bytes(), bit).try_into().unwrap());
            prop_assert_eq!(other.verify(DOMAIN, &[&message], &signature), REJECTED);
            // Only flips of the low bits keep a domain valid UTF-8.
            let mut domain = DOMAIN.as_bytes().to_vec();
            let at = bit % domain.len();
            domain[at] ^= 1;
            let domain = String::from_utf8(domain).unwrap();
            prop_assert_eq!(verifying.verify(&domain, &[&message], &signature), REJECTED);
        }
    }
}

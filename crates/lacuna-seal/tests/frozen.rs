//! Bytes that every later release must read. A failure here means that stored vaults would not open: never
//! change a constant, add a new version beside it.

use lacuna_seal::{
    Binding, ClassKey, Context, EpochKey, Field, MasterKey, MemoryKey, OpenError, PassphraseCost, Principal,
    RootKey, SeededEntropy, UserKey, UserSecret, protect, recover,
};

const CONTEXT: Context<'static> = Context {
    org: "acme",
    user: "Zoë",
    vault: [0x11; 16],
    memory: [0x22; 16],
    field: Field::Frame,
    class: 3,
    revision: 0x0102_0304,
    created_at_millis: -2,
    key_version: 7,
};
const PLAINTEXT: &[u8] = b"allergic to walnuts";
const PASSPHRASE: &str = "correct horse battery staple";

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Vec<u8> {
    assert_eq!(text.len() % 2, 0);
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
}

#[test]
fn gen_print() {
    let seeded = SeededEntropy::new(1);
    let udk_user = UserKey::from_bytes([1; 32]);
    let epoch = EpochKey::from_bytes([2; 32]);
    let held = UserSecret::from_bytes([3; 32]);
    let root = RootKey::from_bytes([4; 32]);
    let class = ClassKey::from_bytes([5; 32]);
    let memory = MemoryKey::from_bytes([6; 32]);
    let source = MemoryKey::from_bytes([7; 32]);
    println!("AAD {}", hex(&CONTEXT.encode()));
    println!("ROOT_ALONE {}", hex(&udk_user.wrap_root(&epoch, None, &root, &CONTEXT, &seeded)));
    println!("ROOT_HELD {}", hex(&udk_user.wrap_root(&epoch, Some(&held), &root, &CONTEXT, &seeded)));
    println!("CLASS {}", hex(&root.wrap_class(&class, 9, &CONTEXT, &seeded)));
    println!("MEM_ALONE {}", hex(&class.wrap_memory(&memory, Binding::Alone, &CONTEXT, &seeded)));
    println!(
        "MEM_SOURCES {}",
        hex(&class.wrap_memory(&memory, Binding::Sources(&[&source]), &CONTEXT, &seeded))
    );
    for field in [Field::Frame, Field::Body, Field::Blob] {
        println!("{field:?} {}", hex(&memory.seal(&Context { field, ..CONTEXT }, PLAINTEXT, &seeded)));
    }
    println!("FP {}", hex(&root.derive_fingerprint_key("content").fingerprint(&[b"ab", b"c"])));
    println!("FILE {}", hex(&protect(&[8; 32], PASSPHRASE, PassphraseCost::LEAST, &seeded).unwrap()));
    println!("SEEDED {}", hex(MasterKey::make(&SeededEntropy::new(1)).expose()));
    println!("NAME {}", hex(&unhex("00")));
    let _ = (recover, Principal::parse("x"), OpenError::Truncated);
}

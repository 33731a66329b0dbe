//! Bytes that every later release must read. A failure here means that stored vaults would not open: never
//! change a constant, add a new version beside it. They were computed again in another language with
//! another crypto library when they were frozen, and agreed.

use std::io::{Read, Write};

use lacuna_seal::{
    Binding, ClassKey, Entropy, EpochKey, Field, MasterKey, MemoryKey, OpenReader, PassphraseCost, Principal,
    RootKey, STREAM_CHUNK_BYTES, SealContext, SealWriter, SeededEntropy, SigningKey, UserKey, UserSecret,
    VerifyingKey, protect, recover, sha256,
};

const USER_KEY_OF_UUID: &str = "b20fd6aec1e9d26cb694d56d080e8235e5d0526f1cbeaae369364281b3ad8a20";
const USER_KEY_OF_NAME: &str = "bc446ea137c257fd49faccedf40027a797d723f6ccac26e2b1ccd27c344972a6";
const ENCODED_CONTEXT: &str = "6c6163756e612f6161642f76310000000461636d65000000045a6fc3ab111111111111111111111111111111\
    1122222222222222222222222222222222040301020304fffffffffffffffe00000007";
const WRAPPED_ROOT: &str = "01c5b81b95547b33ccd4714444ad2cee20839f5480fe552c71ed00055799f460d322178ecb1438e948b4c0c1\
    f14e3abe502fbe8cfab88bd7bec2af7ba623f8d5f4de11b7ddf3a8452e3229f294001ce368287112294c46fb\
    2d3445c06a";
const WRAPPED_ROOT_HELD: &str = "015d678415a6cf35a68d9c6c227f29acf20da0ebe3fabbfc4036e0a1b7852b5af891c827afbe5672a6e2dc47\
    bce5afa3dd78b4c4f28115140e615e63756182b0a691decee37b69df6dcabfb4ad1b24f92574a3a6dcb28860\
    889bedf24e";
const WRAPPED_CLASS: &str = "0182feea63077f2a36d0588931805f6dadece054efcc3754da09b14e9b754ac9ea0810806b92c6c949eeb710\
    2d35690e3ae58b585f158132e709cb21eb3385b130719b4fcd1bcb9c91f2d0688f6b5f5d8440626e6430756b\
    139bf52e509d";
const WRAPPED_MEMORY: &str = "01c49dcdd622447003f20844bcf4651210e6ead8f181c8fa1069f64df58f46d92b806a558bdef2f3cac35e88\
    9d483510b4bb3171c414c7d6cc5dc28951fb0ab06dce5dfd60e9b7135b13729999f08425e96f2194f1450d64\
    16f4e41596";
const WRAPPED_MEMORY_BOUND: &str = "012039fee8d74cbb67d90c212c69a424aa760801be2928a9145393b0bc4d48b572ec04dbc2fcde7e722ff6ca\
    1f043d45d6aec55e834c4fe6b48650d26a46e927fceaa6646c8e526c6122bee53948a54a8b2e3deddd3bd3ea\
    5de00ad885";
const SEALED_FRAME: &str = "015ffa6c0686ba45802c3d94823d58e135ca6aca97369d234a488e62cbf7150f4f00c92ec41f8e6188a907cd\
    5cb8c8e5efdde60c65ea6ca5fbf25de56ae6792d6f602d54b27617fa81b517672a4c0cfd";
const SEALED_BODY: &str = "011a310d7748ea588d23c78d1972b9376bfded366dc1364ddb7cb3a9d1c0e7c042cb9c28d4ddd2ee5fbd1d40\
    851916ec93174e687533cfe483b01aba0e19ba5d1a9166236191284f6bfefe5421981d2f";
const SEALED_BLOB: &str = "01ddd92d2c440e182b92ea21528671b97b62d4beaa7e7772f987240a6f5357485b65676719d3414fbc609575\
    eb1cc769ed0a4599933b9e644ee52aeac2d67c6e571885302958199e53b0d66e29325fc5";
const FINGERPRINT: &str = "11f6062644a7319e2c50aeeb0deafa3c341b29e3aa945abe0648c7e42d0d97bf";
const KEY_FILE: &str = "4c4143554e41504b01000000080000000100000001f0cb9baf5b1c41a1ecd9c946fe00caa001561ff9027498\
    0e05f0f235d545bac897e0e576ed48b94deb64b60205d8944e77ecd31b5789eae0cc4300f3abc736c9ce9870\
    17f9dc31d69ac24690c1f7ff2f29c2e773126810989944289c81491886afaf37648d7abc9eabcb18a3ea";
const VERIFYING_KEY: &str = "ed25519:fd1724385aa0c75b64fb78cd602fa1d991fdebf76b13c58ed702eac835e9f618";
const SIGNATURE: &str = "aa57cf5d4291a35ab1be955c65289a44178d40c991ac70be36789bc21e97e181e91b990aa5e0397408e678de\
    91a3fe63becd185f7776f96a49061b68f3c92808";
const STREAM: &str = "4c4143554e415354010000000800000001000000015a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a3697be97500a5e\
    e41effccaaf9f060f643c93ed5a08995d2fc6ef53c5c6020e57a824d02d6d4bfc31c8564442f4aee8a1920ac\
    85c299978e65a13c6edccb44b375c52c";
/// SHA-256 of a stream of two chunks.
const LONG_STREAM_HASH: &str = "a3704738739ef5e47a99031a76170883e4b55e593ff60c9266421d95aadb51ec";

const PLAINTEXT: &[u8] = b"allergic to walnuts";
const PASSPHRASE: &str = "correct horse battery staple";
const CLASS_CODE: u8 = 9;
const CONTEXT: SealContext<'static> = SealContext {
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

fn user() -> UserKey {
    UserKey::from_bytes([1; 32])
}
fn epoch() -> EpochKey {
    EpochKey::from_bytes([2; 32])
}
fn held() -> UserSecret {
    UserSecret::from_bytes([3; 32])
}
fn root() -> RootKey {
    RootKey::from_bytes([4; 32])
}
fn class() -> ClassKey {
    ClassKey::from_bytes([5; 32])
}
fn memory() -> MemoryKey {
    MemoryKey::from_bytes([6; 32])
}
fn source() -> MemoryKey {
    MemoryKey::from_bytes([7; 32])
}

fn unhex(text: &str) -> Vec<u8> {
    let byte = |at| u8::from_str_radix(&text[at..at + 2], 16).expect("the constants are hex");
    (0..text.len()).step_by(2).map(byte).collect()
}

/// Keys cannot be compared, so a key is right when it opens what the right key has sealed.
fn is_root(key: &RootKey) -> bool {
    key.unwrap_class(&CONTEXT, &unhex(WRAPPED_CLASS)).is_ok()
}
fn is_memory(key: &MemoryKey) -> bool {
    key.open(&CONTEXT, &unhex(SEALED_FRAME)).is_ok()
}

#[test]
fn user_keys() {
    let master = MasterKey::from_bytes(std::array::from_fn(|index| index as u8));
    let cases = [("00112233-4455-6677-8899-aabbccddeeff", 1, USER_KEY_OF_UUID), ("Zoë", 2, USER_KEY_OF_NAME)];
    for (name, version, expected) in cases {
        let derived = master.derive_user_key(&Principal::parse(name), version);
        let expected = UserKey::from_bytes(unhex(expected).try_into().unwrap());
        let wrapped = expected.wrap_root(&epoch(), None, &root(), &CONTEXT, &SeededEntropy::new(1));
        assert!(derived.unwrap_root(&epoch(), None, &CONTEXT, &wrapped).is_ok(), "{name}");
    }
}

const SOURCES: [[u8; 16]; 2] = [[3; 16], [4; 16]];
const SEALED_SOURCES: &str = "0173bf1408bbe6ff60ce29c08fa13ebbced6eb6bf7e9baaf789b745dbe9dabf8851f9d452ce39c320edc8153\
    4ccb7a983ac62baa6fa5a0dc5a1008d32fad3a3d5aaac111f7c99268cfa47823bfb228a7f77eac1fd977af4a\
    4065811c89";

#[test]
fn contexts() {
    assert_eq!(CONTEXT.encode(), unhex(ENCODED_CONTEXT));
}

#[test]
fn wrapped_roots() {
    let alone = user().unwrap_root(&epoch(), None, &CONTEXT, &unhex(WRAPPED_ROOT)).unwrap();
    let with_secret =
        user().unwrap_root(&epoch(), Some(&held()), &CONTEXT, &unhex(WRAPPED_ROOT_HELD)).unwrap();
    assert!(is_root(&alone) && is_root(&with_secret));
}

#[test]
fn wrapped_class_keys() {
    let (class, code) = root().unwrap_class(&CONTEXT, &unhex(WRAPPED_CLASS)).unwrap();
    assert_eq!(code, CLASS_CODE);
    assert!(class.unwrap_memory(Binding::Alone, &CONTEXT, &unhex(WRAPPED_MEMORY)).is_ok());
}

#[test]
fn wrapped_memory_keys() {
    let alone = class().unwrap_memory(Binding::Alone, &CONTEXT, &unhex(WRAPPED_MEMORY)).unwrap();
    let sources = [&source()];
    let bound =
        class().unwrap_memory(Binding::Sources(&sources), &CONTEXT, &unhex(WRAPPED_MEMORY_BOUND)).unwrap();
    assert!(is_memory(&alone) && is_memory(&bound));
}

#[test]
fn sealed_sources() {
    assert_eq!(class().open_sources(&CONTEXT, &unhex(SEALED_SOURCES)).unwrap(), SOURCES);
    assert_eq!(class().seal_sources(&SOURCES, &CONTEXT, &SeededEntropy::new(2)), unhex(SEALED_SOURCES));
}

#[test]
fn sealed_content() {
    let cases = [(Field::Frame, SEALED_FRAME), (Field::Body, SEALED_BODY), (Field::Blob, SEALED_BLOB)];
    for (field, sealed) in cases {
        let opened = memory().open(&SealContext { field, ..CONTEXT }, &unhex(sealed)).unwrap();
        assert_eq!(opened.as_slice(), PLAINTEXT, "{field:?}");
    }
}

const SEALED_SETTINGS: &str = "01476589df26b74ac179914a4258cd5a9b5b4569b440141070b44cb11037896d2793fcf8f92a9f0c24651dd3\
    9544ad826939afd1d9efd61018e5b0a3914d0796dfa5266d1ff5004b51dfc8b1868281b5";

#[test]
fn sealed_settings() {
    let context = SealContext { field: Field::Settings, ..CONTEXT };
    assert_eq!(memory().open(&context, &unhex(SEALED_SETTINGS)).unwrap().as_slice(), PLAINTEXT);
    let written = memory().seal(&context, PLAINTEXT, &SeededEntropy::new(3));
    assert_eq!(written, unhex(SEALED_SETTINGS));
    assert!(memory().open(&SealContext { revision: 1, ..context }, &written).is_err());
    assert!(memory().open(&SealContext { field: Field::Frame, ..context }, &written).is_err());
}

#[test]
fn fingerprints() {
    let fingerprint = root().derive_fingerprint_key("content").fingerprint(&[b"ab", b"c"]);
    assert_eq!(fingerprint.as_slice(), unhex(FINGERPRINT));
}

#[test]
fn key_files() {
    assert_eq!(*recover(&unhex(KEY_FILE), PASSPHRASE).unwrap(), [8; 32]);
}

#[test]
fn signatures() {
    let key = SigningKey::from_seed([9; 32]);
    let verifying: VerifyingKey = VERIFYING_KEY.parse().unwrap();
    let parts: [&[u8]; 2] = [b"ab", b"c"];
    assert_eq!(verifying.verify("lacuna/test/v1", &parts, &SIGNATURE.parse().unwrap()), Ok(()));
    assert_eq!(key.verifying_key().to_string(), VERIFYING_KEY);
    assert_eq!(key.sign("lacuna/test/v1", &parts).to_string(), SIGNATURE);
}

/// Opening old bytes is the promise; writing the same ones shows that the format did not drift meanwhile.
#[test]
fn this_release_writes_the_same_bytes() {
    let entropy = SeededEntropy::new(1);
    let sources = [&source()];
    let sealed = |field| memory().seal(&SealContext { field, ..CONTEXT }, PLAINTEXT, &entropy);
    let written = [
        (user().wrap_root(&epoch(), None, &root(), &CONTEXT, &entropy), WRAPPED_ROOT),
        (user().wrap_root(&epoch(), Some(&held()), &root(), &CONTEXT, &entropy), WRAPPED_ROOT_HELD),
        (root().wrap_class(&class(), CLASS_CODE, &CONTEXT, &entropy), WRAPPED_CLASS),
        (class().wrap_memory(&memory(), Binding::Alone, &CONTEXT, &entropy), WRAPPED_MEMORY),
        (
            class().wrap_memory(&memory(), Binding::Sources(&sources), &CONTEXT, &entropy),
            WRAPPED_MEMORY_BOUND,
        ),
        (sealed(Field::Frame), SEALED_FRAME),
        (sealed(Field::Body), SEALED_BODY),
        (sealed(Field::Blob), SEALED_BLOB),
        (protect(&[8; 32], PASSPHRASE, PassphraseCost::LEAST, &entropy).unwrap(), KEY_FILE),
    ];
    for (bytes, expected) in written {
        assert_eq!(bytes, unhex(expected));
    }
}

/// A salt that needs no generator to compute again.
struct FixedSalt;

impl Entropy for FixedSalt {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(0x5a);
    }
}

fn sealed_stream(plaintext: &[u8]) -> Vec<u8> {
    let writer = SealWriter::new(Vec::new(), PASSPHRASE, PassphraseCost::LEAST, &FixedSalt);
    let mut writer = writer.expect("the least cost is within bounds");
    writer.write_all(plaintext).expect("a vector takes everything");
    writer.finish().expect("a vector takes everything")
}

#[test]
fn sealed_streams_still_open_and_are_still_written() {
    let mut plaintext = Vec::new();
    let frozen = unhex(STREAM);
    OpenReader::new(frozen.as_slice(), PASSPHRASE).unwrap().read_to_end(&mut plaintext).unwrap();
    assert_eq!(plaintext, PLAINTEXT);
    assert_eq!(sealed_stream(PLAINTEXT), frozen);

    let long: Vec<u8> = (0..STREAM_CHUNK_BYTES + 19).map(|at| (at % 251) as u8).collect();
    assert_eq!(sha256(&sealed_stream(&long)).as_slice(), unhex(LONG_STREAM_HASH));
}

/// The first bytes of every encoding; a new layout gets a new tag.
const DOMAIN: &[u8; 13] = b"lacuna/aad/v1";
/// Bytes of the encoding without the two names. The encoding stays short because it is hashed for every envelope:
/// with 48 bytes for organisation and user it still fits into two SHA-256 blocks.
const FIXED_BYTES: usize = DOMAIN.len() + 2 * 4 + 16 + 16 + 1 + 1 + 4 + 8 + 4;

/// Content of an envelope. The codes are part of the stored format: never reuse or renumber one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Field {
    /// A vault's root key.
    Root = 1,
    /// The key of one sensitivity class.
    ClassKey = 2,
    /// The key of one memory.
    MemoryKey = 3,
    /// Index data of a memory: gist, vector, words, tags, entities, source.
    Frame = 4,
    /// The full text of a memory.
    Body = 5,
    /// A body that lives outside its row.
    Blob = 6,
    /// Ids of the memories that a memory's key depends on.
    Sources = 7,
    /// A vault's root key under the secret of its holder.
    HeldRoot = 8,
    /// Settings of a vault's owner.
    Settings = 16,
    /// Content of a link to an export; it travels and is never stored.
    Link = 32,
    /// Content of a plan token; it travels and is never stored.
    Plan = 33,
}

/// Place that a ciphertext belongs to. The caller rebuilds it from the request and never reads it from the row
/// that it checks, so a ciphertext moved to another person, memory, field or revision does not open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SealContext<'a> {
    /// The organisation.
    pub org: &'a str,
    /// The holder of the vault.
    pub user: &'a str,
    /// The vault's id.
    pub vault: [u8; 16],
    /// Zero for the keys of the vault itself.
    pub memory: [u8; 16],
    /// The sealed field.
    pub field: Field,
    /// Code of the sensitivity class.
    pub class: u8,
    /// Revision of the memory.
    pub revision: u32,
    /// Creation time, in milliseconds since 1970.
    pub created_at_millis: i64,
    /// Version of the user key.
    pub key_version: u32,
}

impl SealContext<'_> {
    /// Encodes the additional authenticated data. Texts are length-prefixed and numbers have one width,
    /// big-endian, so no two contexts share an encoding. Frozen: see `tests/frozen.rs`.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(FIXED_BYTES + self.org.len() + self.user.len());
        bytes.extend_from_slice(DOMAIN);
        for text in [self.org, self.user] {
            let length = u32::try_from(text.len()).expect("a name is shorter than 4 GiB");
            bytes.extend_from_slice(&length.to_be_bytes());
            bytes.extend_from_slice(text.as_bytes());
        }
        bytes.extend_from_slice(&self.vault);
        bytes.extend_from_slice(&self.memory);
        bytes.extend_from_slice(&[self.field as u8, self.class]);
        bytes.extend_from_slice(&self.revision.to_be_bytes());
        bytes.extend_from_slice(&self.created_at_millis.to_be_bytes());
        bytes.extend_from_slice(&self.key_version.to_be_bytes());
        bytes
    }
}

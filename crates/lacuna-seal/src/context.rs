/// The first bytes of every encoding; a new layout gets a new tag.
const DOMAIN: &[u8; 13] = b"lacuna/aad/v1";
/// Everything in the encoding whose length does not vary. It stays short because it is hashed for every
/// envelope: with 48 bytes for organisation and user it still fits into two SHA-256 blocks.
const FIXED_BYTES: usize = DOMAIN.len() + 2 * 4 + 16 + 16 + 1 + 1 + 4 + 8 + 4;

/// What an envelope holds. The codes are part of the stored format: never reuse or renumber one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Field {
    Root = 1,
    ClassKey = 2,
    MemoryKey = 3,
    /// What the index needs: gist, vector, words, tags, entities, source.
    Frame = 4,
    /// The full text of a memory.
    Body = 5,
    /// A body that lives outside its row.
    Blob = 6,
    /// Which memories a memory's key depends on.
    Sources = 7,
    /// What a vault's owner has set.
    Settings = 16,
    /// What a link to an export says; it travels and is never stored.
    Link = 32,
    /// What a token of a plan says; it travels and is never stored.
    Plan = 33,
}

/// Where a ciphertext belongs. It is rebuilt from the request and never read from the row it checks, so a
/// ciphertext moved to another person, memory, field or revision does not open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Context<'a> {
    pub org: &'a str,
    /// The holder of the vault.
    pub user: &'a str,
    pub vault: [u8; 16],
    /// Zero for the keys of the vault itself.
    pub memory: [u8; 16],
    pub field: Field,
    pub class: u8,
    pub revision: u32,
    pub created_at_millis: i64,
    pub key_version: u32,
}

impl Context<'_> {
    /// The additional authenticated data. Texts are length-prefixed and numbers have one width, big-endian,
    /// so no two contexts share an encoding. Frozen: see `tests/frozen.rs`.
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

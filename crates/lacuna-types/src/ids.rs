//! Ids and names: memories, vaults, organisations, people.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use lacuna_seal::{Digest, Entropy};
use unicode_normalization::UnicodeNormalization;
use uuid::Uuid;

use crate::error::{Error, Result};
use crate::time::Clock;

/// The longest org, user, team or session name that is accepted, in bytes of UTF-8.
pub const NAME_BYTES_MAX: usize = 128;

/// A memory's id: a UUIDv7, shown as `mem_` and 32 hex digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemoryId(Uuid);

impl MemoryId {
    /// Makes an id of now.
    pub fn make(clock: &dyn Clock, entropy: &dyn Entropy) -> Self {
        let mut random = [0u8; 10];
        entropy.fill(&mut random);
        let millis = u64::try_from(clock.now().as_millisecond()).unwrap_or(0);
        Self(uuid::Builder::from_unix_timestamp_millis(millis, &random).into_uuid())
    }

    /// An id that follows from `origin`, so that whoever goes on with an interrupted work finds the same one.
    pub fn derive(at: Timestamp, origin: &[&[u8]]) -> Self {
        let digest = Digest::of("lacuna/memory-id/v1", origin);
        let mut random = [0u8; 10];
        random.copy_from_slice(&digest.as_bytes()[..10]);
        let millis = u64::try_from(at.as_millisecond()).unwrap_or(0);
        Self(uuid::Builder::from_unix_timestamp_millis(millis, &random).into_uuid())
    }

    /// Reads a stored id back.
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(Uuid::from_bytes(bytes))
    }

    /// The id without the moment in it: what ids of one origin share, whenever they were derived.
    pub fn origin_mark(&self) -> [u8; 10] {
        let mut mark = [0u8; 10];
        mark.copy_from_slice(&self.0.as_bytes()[6..]);
        mark
    }

    /// The time at which the id was made, if it is a UUIDv7.
    pub fn made_at(&self) -> Option<Timestamp> {
        let (seconds, nanos) = self.0.get_timestamp()?.to_unix();
        Timestamp::new(i64::try_from(seconds).ok()?, i32::try_from(nanos).ok()?).ok()
    }

    /// Returns the bytes that are stored.
    pub fn as_bytes(&self) -> &[u8; 16] {
        self.0.as_bytes()
    }
}

impl fmt::Display for MemoryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "mem_{}", self.0.as_simple())
    }
}

impl fmt::Debug for MemoryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for MemoryId {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        text.strip_prefix("mem_")
            .filter(|hex| hex.len() == 32)
            .and_then(|hex| Uuid::try_parse(hex).ok())
            .map(Self)
            .ok_or_else(|| Error::invalid("memory_id", "expected mem_ followed by 32 hex digits"))
    }
}

/// Declares a name that a caller chose: NFC, bounded, without control characters or surrounding space.
macro_rules! name {
    ($(#[$doc:meta])* $type:ident, $field:literal) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $type(String);

        impl $type {
            /// Checks a name and brings it into its normal form.
            pub fn new(text: &str) -> Result<Self> {
                checked_name($field, text).map(Self)
            }

            /// Returns the checked name.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

name!(/** An organisation: the tenant. */ OrgId, "org");
name!(/** A person, as the tenant names them. */ UserId, "user");
name!(/** A team or workspace of an organisation. */ TeamId, "team");
name!(/** A running assistant, by its DID or another name. */ DeploymentId, "deployment");
name!(/** A conversation. */ SessionId, "session_id");

fn checked_name(field: &'static str, text: &str) -> Result<String> {
    let name: String = text.nfc().collect();
    if name.is_empty() {
        return Err(Error::invalid(field, "must not be empty"));
    }
    if name.len() > NAME_BYTES_MAX {
        return Err(Error::invalid(field, format!("must be at most {NAME_BYTES_MAX} bytes of UTF-8")));
    }
    if name.trim() != name || name.chars().any(char::is_control) {
        return Err(Error::invalid(field, "must not hold control characters or surrounding space"));
    }
    Ok(name)
}

/// The owner of one vault. One vault per scope; no query spans two.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Scope {
    /// The tenant.
    pub org: OrgId,
    /// The person or group within the tenant.
    pub holder: Holder,
}

/// The person or group whose memory a vault holds.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Holder {
    /// One person.
    User(UserId),
    /// A team.
    Team(TeamId),
    /// The whole organisation.
    Org,
    /// A running assistant.
    Deployment(DeploymentId),
}

impl Holder {
    /// The stable word that enters the vault id. Changing one orphans every vault of its kind.
    pub fn kind(&self) -> &'static str {
        match self {
            Holder::User(_) => "user",
            Holder::Team(_) => "team",
            Holder::Org => "org",
            Holder::Deployment(_) => "deployment",
        }
    }

    /// The holder that [`Self::kind`] and [`Self::name`] spell.
    pub fn from_words(kind: &str, name: &str) -> Option<Self> {
        match kind {
            "user" => UserId::new(name).ok().map(Holder::User),
            "org" => Some(Holder::Org),
            _ => Group::from_words(kind, name).map(Holder::from),
        }
    }

    /// The name of the person or group; empty for an organisation.
    pub fn name(&self) -> &str {
        match self {
            Holder::User(user) => user.as_str(),
            Holder::Team(team) => team.as_str(),
            Holder::Deployment(deployment) => deployment.as_str(),
            Holder::Org => "",
        }
    }

    /// Returns true when several people share it.
    pub fn is_shared(&self) -> bool {
        !matches!(self, Holder::User(_))
    }
}

/// As callers write it: `user:anna`, `team:desk`, `org`, `deployment:front-desk`.
impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Holder::Org => f.write_str(self.kind()),
            _ => write!(f, "{}:{}", self.kind(), self.name()),
        }
    }
}

/// A team or deployment, which has members.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Group {
    /// A team.
    Team(TeamId),
    /// A running assistant.
    Deployment(DeploymentId),
}

impl Group {
    /// The stable word of the kind.
    pub fn kind(&self) -> &'static str {
        match self {
            Group::Team(_) => "team",
            Group::Deployment(_) => "deployment",
        }
    }

    /// The name of the group.
    pub fn name(&self) -> &str {
        match self {
            Group::Team(team) => team.as_str(),
            Group::Deployment(deployment) => deployment.as_str(),
        }
    }

    /// The group that [`Self::kind`] and [`Self::name`] spell.
    pub fn from_words(kind: &str, name: &str) -> Option<Self> {
        match kind {
            "team" => TeamId::new(name).ok().map(Group::Team),
            "deployment" => DeploymentId::new(name).ok().map(Group::Deployment),
            _ => None,
        }
    }
}

impl From<Group> for Holder {
    fn from(group: Group) -> Self {
        match group {
            Group::Team(team) => Holder::Team(team),
            Group::Deployment(deployment) => Holder::Deployment(deployment),
        }
    }
}

impl Scope {
    /// The scope of one person.
    pub fn personal(org: OrgId, user: UserId) -> Self {
        Self { org, holder: Holder::User(user) }
    }

    /// The id follows from the scope, so that a vault can be found without a table of names.
    pub fn vault_id(&self) -> VaultId {
        let digest = Digest::of(
            "lacuna/vault-id/v1",
            &[self.org.as_str().as_bytes(), self.holder.kind().as_bytes(), self.holder.name().as_bytes()],
        );
        let mut id = [0u8; 16];
        id.copy_from_slice(&digest.as_bytes()[..16]);
        VaultId(id)
    }
}

/// A vault: the unit of scope, of key, of search and of destruction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VaultId([u8; 16]);

impl VaultId {
    /// Reads a stored id back.
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// Returns the bytes that are stored.
    pub fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl fmt::Display for VaultId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "vlt_{}", Uuid::from_bytes(self.0).as_simple())
    }
}

impl fmt::Debug for VaultId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A vault's revision: each commit raises it by one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Revision(pub u64);

impl Revision {
    /// The revision of a vault before its first commit.
    pub const ZERO: Self = Self(0);

    /// The revision after one more commit.
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

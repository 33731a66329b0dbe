//! The home of an anchor beyond one machine: a few documents with check-and-set, beside the key management service.
//!
//! Each node has a copy of the anchor in its own folder. Whatever one node learns goes to the home, and a node that
//! starts takes over what the others wrote; numbers only rise on both sides, so the order does not matter. A reset by an
//! operator counts the generation up, and copies of an older generation give way.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use lacuna_types::{Error, MemoryId, OrgId, Result, Revision, VaultId, millis};

use super::anchor::AnchoredHead;
use super::{LedgerCursor, LedgerLine, ReceiptMark};
use crate::cbor::{CborReader, CborWriter};
use crate::rows::ChainHead;

/// Documents that vaults are spread over, one bit of [`HomeIndex::shards`] each.
const SHARDS: u8 = 64;
/// Lines of the ledger in one document; the oldest give way. The keystore has all of them.
const SHARD_LINES_MAX: usize = 12_000;
/// Attempts to change a document that other nodes change at the same time.
const ATTEMPTS_MAX: usize = 32;
const INDEX: &str = "installation";

/// A document and the version at which it was read; version zero for one that is not there.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct HomeDocument {
    /// The version, which every change raises.
    pub version: u64,
    /// The content.
    pub bytes: Vec<u8>,
}

/// A store of small documents that changes one only from the version that the writer has seen.
pub trait AnchorHome: Send + Sync {
    /// The document of that name.
    fn load(&self, name: &str) -> Result<HomeDocument>;

    /// Replaces the document if its version is still `document.version`, and answers whether it was.
    fn store(&self, name: &str, document: &HomeDocument) -> Result<bool>;
}

/// Everything that belongs to no single vault.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct HomeIndex {
    pub(super) generation: u64,
    /// The shards that exist.
    pub(super) shards: u64,
    pub(super) receipts: BTreeMap<OrgId, u64>,
    pub(super) books: BTreeMap<OrgId, u64>,
    pub(super) tokens: BTreeSet<OrgId>,
    pub(super) marks: BTreeMap<String, u64>,
}

/// Heads and erasures of the vaults in one shard, or of all.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct HomeShard {
    pub(super) heads: BTreeMap<VaultId, AnchoredHead>,
    pub(super) lines: BTreeMap<LedgerCursor, Timestamp>,
}

trait HomeRecord: Default {
    fn encode(&self) -> Vec<u8>;
    fn decode(bytes: &[u8]) -> Option<Self>;
}

impl HomeRecord for HomeIndex {
    fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut w = CborWriter(&mut bytes);
        w.array(6);
        w.uint(self.generation);
        w.uint(self.shards);
        for numbers in [&self.receipts, &self.books] {
            w.list(&numbers.iter().collect::<Vec<_>>(), |w, (org, number)| {
                w.array(2);
                w.text(org.as_str());
                w.uint(**number);
            });
        }
        w.list(&self.tokens.iter().collect::<Vec<_>>(), |w, org| w.text(org.as_str()));
        w.list(&self.marks.iter().collect::<Vec<_>>(), |w, (name, number)| {
            w.array(2);
            w.text(name);
            w.uint(**number);
        });
        bytes
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        CborReader(bytes).record(6, |r| {
            let (generation, shards) = (r.uint()?, r.uint()?);
            let org = |r: &mut CborReader<'_>| OrgId::new(r.text()?).ok();
            let number = |r: &mut CborReader<'_>| r.record(2, |r| Some((org(r)?, r.uint()?)));
            let receipts = r.list(number)?.into_iter().collect();
            let books = r.list(number)?.into_iter().collect();
            let tokens = r.list(org)?.into_iter().collect();
            let marks = r.list(|r| r.record(2, |r| Some((r.text()?.to_owned(), r.uint()?))))?;
            let marks = marks.into_iter().collect();
            Some(Self { generation, shards, receipts, books, tokens, marks })
        })
    }
}

impl HomeRecord for HomeShard {
    fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut w = CborWriter(&mut bytes);
        w.array(2);
        w.list(&self.heads.iter().collect::<Vec<_>>(), |w, (vault, known)| {
            w.array(4);
            w.bytes(vault.as_bytes());
            w.uint(known.revision.0);
            w.uint(known.head.seq);
            w.bytes(&known.head.hash);
        });
        w.list(&self.lines.iter().collect::<Vec<_>>(), |w, ((vault, memory), at)| {
            w.array(3);
            w.bytes(vault.as_bytes());
            w.optional(memory.as_ref(), |w, memory| w.bytes(memory.as_bytes()));
            w.int(millis(**at));
        });
        bytes
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        CborReader(bytes).record(2, |r| {
            let heads = r.list(|r| {
                r.record(4, |r| {
                    let vault = VaultId::from_bytes(r.array_of_bytes()?);
                    let revision = Revision(r.uint()?);
                    let head = ChainHead { seq: r.uint()?, hash: r.array_of_bytes()? };
                    Some((vault, AnchoredHead { revision, head }))
                })
            })?;
            let lines = r.list(|r| {
                r.record(3, |r| {
                    let vault = VaultId::from_bytes(r.array_of_bytes()?);
                    let memory = r.optional(|r| r.array_of_bytes().map(MemoryId::from_bytes))?;
                    Some(((vault, memory), Timestamp::from_millisecond(r.int()?).ok()?))
                })
            })?;
            Some(Self { heads: heads.into_iter().collect(), lines: lines.into_iter().collect() })
        })
    }
}

impl HomeIndex {
    fn raise(&mut self, other: &Self) {
        for (numbers, others) in [(&mut self.receipts, &other.receipts), (&mut self.books, &other.books)] {
            for (org, number) in others {
                let stands = numbers.entry(org.clone()).or_default();
                *stands = (*stands).max(*number);
            }
        }
        for (name, number) in &other.marks {
            let stands = self.marks.entry(name.clone()).or_default();
            *stands = (*stands).max(*number);
        }
        self.tokens.extend(other.tokens.iter().cloned());
    }
}

impl HomeShard {
    fn raise(&mut self, vault: VaultId, known: AnchoredHead) {
        let stands = self.heads.entry(vault).or_default();
        let ends = known.revision == stands.revision && known.head.seq == 0;
        if known.revision > stands.revision || ends {
            *stands = known;
        }
    }

    fn enter(&mut self, line: &LedgerLine) {
        let newer = self.lines.get(&line.cursor()).is_none_or(|at| *at < line.at);
        if newer {
            self.lines.insert(line.cursor(), line.at);
        }
        if newer
            && line.memory.is_none()
            && let Some(known) = self.heads.get_mut(&line.vault)
        {
            known.head = ChainHead::default();
        }
        while self.lines.len() > SHARD_LINES_MAX {
            let oldest = self.lines.iter().min_by_key(|(_, at)| **at).map(|(cursor, _)| *cursor);
            oldest.map(|cursor| self.lines.remove(&cursor));
        }
    }

    /// The lines as a ledger has them.
    pub(super) fn ledger(&self) -> Vec<LedgerLine> {
        let line = |((vault, memory), at): (&LedgerCursor, &Timestamp)| LedgerLine {
            vault: *vault,
            memory: *memory,
            at: *at,
        };
        self.lines.iter().map(line).collect()
    }
}

/// Reads the whole home.
pub(super) fn load_all(home: &dyn AnchorHome) -> Result<(HomeIndex, HomeShard)> {
    let index: HomeIndex = read(home, INDEX)?.1;
    let mut all = HomeShard::default();
    for shard in (0..SHARDS).filter(|shard| index.shards >> shard & 1 == 1) {
        let HomeShard { heads, lines } = read(home, &shard_name(shard))?.1;
        all.heads.extend(heads);
        all.lines.extend(lines);
    }
    Ok((index, all))
}

/// Enters ends of chains that are newer than the known ones.
pub(super) fn raise_heads(home: &dyn AnchorHome, heads: &[(VaultId, AnchoredHead)]) -> Result<()> {
    each_shard(home, heads, |(vault, _)| *vault, |shard, (vault, known)| shard.raise(*vault, *known))
}

/// Raises the numbers of `known` that are below those of `own`.
pub(super) fn raise_index(home: &dyn AnchorHome, known: &HomeIndex, own: &HomeIndex) -> Result<()> {
    let mut joined = known.clone();
    joined.raise(own);
    if joined == *known { Ok(()) } else { change_index(home, |index| index.raise(own)) }
}

/// Enters erasures, and the receipts under which they happened.
pub(super) fn enter_erasures(
    home: &dyn AnchorHome,
    lines: &[LedgerLine],
    receipts: &[ReceiptMark],
) -> Result<()> {
    each_shard(home, lines, |line| line.vault, |shard, line| shard.enter(line))?;
    if receipts.is_empty() {
        return Ok(());
    }
    change_index(home, |index| {
        for ReceiptMark { org, number } in receipts {
            for numbers in [&mut index.receipts, &mut index.books] {
                let stands = numbers.entry(org.clone()).or_default();
                *stands = (*stands).max(*number);
            }
        }
    })
}

/// Replaces all ends of chains, and expects no receipt in any book.
pub(super) fn reset(home: &dyn AnchorHome, heads: &[(VaultId, AnchoredHead)]) -> Result<u64> {
    let known: HomeIndex = read(home, INDEX)?.1;
    for shard in (0..SHARDS).filter(|shard| known.shards >> shard & 1 == 1) {
        change(home, &shard_name(shard), |document: &mut HomeShard| document.heads.clear())?;
    }
    raise_heads(home, heads)?;
    let mut generation = 0;
    change_index(home, |index| {
        index.generation += 1;
        index.books.clear();
        generation = index.generation;
    })?;
    Ok(generation)
}

/// Drops the lines of before a moment.
pub(super) fn forget_before(home: &dyn AnchorHome, before: Timestamp) -> Result<()> {
    let known: HomeIndex = read(home, INDEX)?.1;
    for shard in (0..SHARDS).filter(|shard| known.shards >> shard & 1 == 1) {
        change(home, &shard_name(shard), |document: &mut HomeShard| {
            document.lines.retain(|_, at| *at >= before);
        })?;
    }
    Ok(())
}

/// Changes what belongs to no single vault.
pub(super) fn change_index(home: &dyn AnchorHome, change_it: impl FnMut(&mut HomeIndex)) -> Result<()> {
    change(home, INDEX, change_it)
}

fn each_shard<T>(
    home: &dyn AnchorHome,
    items: &[T],
    vault: impl Fn(&T) -> VaultId,
    apply: impl Fn(&mut HomeShard, &T),
) -> Result<()> {
    let mut shards: BTreeMap<u8, Vec<&T>> = BTreeMap::new();
    for item in items {
        shards.entry(vault(item).as_bytes()[0] % SHARDS).or_default().push(item);
    }
    let bits = shards.keys().fold(0u64, |bits, shard| bits | 1 << shard);
    if bits != 0 && read::<HomeIndex>(home, INDEX)?.1.shards & bits != bits {
        // The index first: a shard that it does not name would not be read.
        change_index(home, |index| index.shards |= bits)?;
    }
    for (shard, items) in shards {
        change(home, &shard_name(shard), |document| items.iter().for_each(|item| apply(document, item)))?;
    }
    Ok(())
}

fn shard_name(shard: u8) -> String {
    format!("vaults-{shard:02x}")
}

fn read<D: HomeRecord>(home: &dyn AnchorHome, name: &str) -> Result<(u64, D)> {
    let HomeDocument { version, bytes } = home.load(name)?;
    if version == 0 {
        return Ok((0, D::default()));
    }
    let document =
        D::decode(&bytes).ok_or_else(|| Error::corrupt("a document of the anchor does not parse"))?;
    Ok((version, document))
}

fn change<D: HomeRecord>(home: &dyn AnchorHome, name: &str, mut change_it: impl FnMut(&mut D)) -> Result<()> {
    for _ in 0..ATTEMPTS_MAX {
        let (version, mut document) = read::<D>(home, name)?;
        change_it(&mut document);
        if home.store(name, &HomeDocument { version, bytes: document.encode() })? {
            return Ok(());
        }
    }
    let reason = "the anchor is changed by too many nodes at once".to_owned();
    Err(Error::Unavailable { code: "kms_unavailable", reason, source: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_holds_so_many_lines_and_drops_the_oldest() {
        let mut shard = HomeShard::default();
        for number in 0..=u64::try_from(SHARD_LINES_MAX).unwrap() {
            let mut id = [0; 16];
            id[..8].copy_from_slice(&number.to_be_bytes());
            let at = Timestamp::from_second(i64::try_from(number).unwrap()).unwrap();
            shard.enter(&LedgerLine {
                vault: VaultId::from_bytes([1; 16]),
                memory: Some(MemoryId::from_bytes(id)),
                at,
            });
        }
        assert_eq!(shard.lines.len(), SHARD_LINES_MAX);
        assert!(shard.lines.values().all(|at| at.as_second() > 0));
        let bytes = shard.encode();
        assert_eq!(HomeShard::decode(&bytes).as_ref(), Some(&shard));
        // OpenBao takes documents of up to a mebibyte, in base64.
        assert!(bytes.len() * 4 / 3 < 1 << 20, "{}", bytes.len());
    }
}

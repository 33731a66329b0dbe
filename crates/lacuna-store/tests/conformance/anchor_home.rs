//! The home of an anchor, over documents in RAM: conflicts and failures come when the test says so.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use lacuna_store::keys::{Anchor, AnchorHome, AnchoredHead, HomeDocument, LedgerLine, ReceiptMark};
use lacuna_store::rows::ChainHead;
use lacuna_types::{Error, MemoryId, OrgId, Result, Revision, VaultId};

/// Documents in RAM that other nodes change now and then just before this one, and that may be out of reach.
#[derive(Default)]
struct RamHome {
    documents: Mutex<HashMap<String, HomeDocument>>,
    stores: AtomicU64,
    down: AtomicBool,
}

/// One node's way to the documents.
struct Way(Arc<RamHome>);

impl AnchorHome for Way {
    fn load(&self, name: &str) -> Result<HomeDocument> {
        if self.0.down.load(Ordering::Relaxed) {
            let reason = "down".to_owned();
            return Err(Error::Unavailable { code: "kms_unavailable", reason, source: None });
        }
        Ok(self.0.documents.lock().unwrap().get(name).cloned().unwrap_or_default())
    }

    fn store(&self, name: &str, document: &HomeDocument) -> Result<bool> {
        let mut documents = self.0.documents.lock().unwrap();
        let stands = documents.entry(name.to_owned()).or_default();
        // Every third write loses the race.
        let loses = self.0.stores.fetch_add(1, Ordering::Relaxed) % 3 == 2;
        if stands.version != document.version || loses {
            return Ok(false);
        }
        *stands = HomeDocument { version: document.version + 1, bytes: document.bytes.clone() };
        Ok(true)
    }
}

fn vault(byte: u8) -> VaultId {
    VaultId::from_bytes([byte; 16])
}

fn head(seq: u64) -> ChainHead {
    ChainHead { seq, hash: [u8::try_from(seq).unwrap(); 32] }
}

fn line(byte: u8, second: i64) -> LedgerLine {
    let memory = Some(MemoryId::from_bytes([byte; 16]));
    LedgerLine { vault: vault(byte), memory, at: Timestamp::from_second(second).unwrap() }
}

fn seq(anchor: &Anchor, byte: u8) -> Option<u64> {
    anchor.head(vault(byte)).unwrap().map(|known| known.head.seq)
}

#[test]
fn a_new_node_knows_what_the_others_wrote() {
    let home = Arc::new(RamHome::default());
    let open =
        |folder: &tempfile::TempDir| Anchor::open_from(folder.path(), Box::new(Way(home.clone()))).unwrap();
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let org = OrgId::new("acme").unwrap();
    let first = open(&one);
    first.note_head(vault(1), Revision(5), head(9));
    first.note_head(vault(200), Revision(2), head(3));
    first.flush().unwrap();
    first
        .record_erasures(&[line(1, 10), line(200, 20)], &[ReceiptMark { org: org.clone(), number: 4 }])
        .unwrap();
    first.require_tokens(&org).unwrap();
    first.note_epoch(7).unwrap();

    let second = open(&other);
    assert_eq!((seq(&second, 1), seq(&second, 200)), (Some(9), Some(3)));
    assert_eq!(second.erasures(None, 10).unwrap(), [line(1, 10), line(200, 20)]);
    assert_eq!((second.receipt(&org).unwrap(), second.booked_receipt(&org).unwrap()), (4, 4));
    assert!(second.tokens_required(&org).unwrap());
    assert_eq!(second.epoch().unwrap(), Some(7));
    // An older end does not replace a newer one, whoever writes it.
    second.note_head(vault(1), Revision(4), head(8));
    second.flush().unwrap();
    assert_eq!(seq(&open(&tempfile::tempdir().unwrap()), 1), Some(9));
}

#[test]
fn an_operators_reset_reaches_copies_that_know_more() {
    let home = Arc::new(RamHome::default());
    let open =
        |folder: &tempfile::TempDir| Anchor::open_from(folder.path(), Box::new(Way(home.clone()))).unwrap();
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (first, second) = (open(&one), open(&other));
    second.note_head(vault(1), Revision(9), head(9));
    second.flush().unwrap();
    drop(second);
    let accepted = AnchoredHead { revision: Revision(2), head: head(3) };
    first.reset_heads(vec![(vault(1), accepted)]).unwrap();
    assert_eq!(seq(&open(&other), 1), Some(3));
}

#[test]
fn an_erasure_while_the_home_is_down_reaches_it_later_even_after_a_restart() {
    let home = Arc::new(RamHome::default());
    let folder = tempfile::tempdir().unwrap();
    let anchor = Anchor::open_from(folder.path(), Box::new(Way(home.clone()))).unwrap();
    home.down.store(true, Ordering::Relaxed);
    anchor.record_erasures(&[line(1, 10)], &[]).unwrap();
    assert!(anchor.flush().is_err());
    home.down.store(false, Ordering::Relaxed);
    anchor.flush().unwrap();
    home.down.store(true, Ordering::Relaxed);
    anchor.record_erasures(&[line(2, 20)], &[]).unwrap();
    drop(anchor);
    home.down.store(false, Ordering::Relaxed);
    drop(Anchor::open_from(folder.path(), Box::new(Way(home.clone()))).unwrap());
    let fresh = Anchor::open_from(tempfile::tempdir().unwrap().path(), Box::new(Way(home.clone()))).unwrap();
    assert_eq!(fresh.erasures(None, 10).unwrap(), [line(1, 10), line(2, 20)]);
}

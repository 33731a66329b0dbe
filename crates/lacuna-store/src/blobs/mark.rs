//! The installation that a place of blobs belongs to: the place has a mark, and the keystore knows it. A node that is set to
//! another place than its neighbours would miss their blobs and delete nothing of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use lacuna_seal::{Entropy, SystemEntropy};
use lacuna_types::hex::{hex, unhex};
use lacuna_types::{Error, Result};

use super::Blobs;
use crate::keys::{FINGERPRINT_BYTES, KeyFingerprint, KeyStore};

/// The name of the mark, beside the blobs of all vaults.
pub(super) const MARK: &str = "installation";
/// The name under which the keystore knows the mark.
const PRINT: &str = "blobs";

/// The check of a place against the keystore of an installation, which is done once.
pub(super) struct PlaceCheck {
    keys: Arc<dyn KeyStore>,
    is_done: AtomicBool,
}

impl Blobs {
    /// Ties the blobs to the installation of a keystore: a place that is not the one of its first blob is refused, now and
    /// before anything is put, read or deleted there.
    pub fn belonging_to(mut self, keys: Arc<dyn KeyStore>) -> Result<Self> {
        self.check = Some(PlaceCheck { keys, is_done: AtomicBool::new(false) });
        self.check_known_place()?;
        Ok(self)
    }

    /// Does the same as [`Self::check_place`], unless the installation has no place yet.
    pub(super) fn check_known_place(&self) -> Result<()> {
        let open = self.check.as_ref().filter(|check| !check.is_done.load(Ordering::Relaxed));
        match open {
            Some(check) if known(&*check.keys)?.is_some() => self.check_place(),
            _ => Ok(()),
        }
    }

    /// Compares the mark of the place with the keystore's, and makes both for the first blob of an installation.
    pub(super) fn check_place(&self) -> Result<()> {
        let Some(check) = &self.check else { return Ok(()) };
        if check.is_done.load(Ordering::Relaxed) {
            return Ok(());
        }
        let keys = &*check.keys;
        let mark = match (known(keys)?, self.mark()?) {
            (Some(_), None) => return Err(foreign("has no object of that name")),
            (None, None) => self.make_mark()?,
            (_, Some(mark)) => mark,
        };
        let entered = keys.enter_fingerprint(&KeyFingerprint { name: PRINT.to_owned(), print: mark })?;
        if entered.print != mark {
            return Err(foreign("has that of another installation"));
        }
        check.is_done.store(true, Ordering::Relaxed);
        Ok(())
    }

    fn mark(&self) -> Result<Option<[u8; FINGERPRINT_BYTES]>> {
        let Some(bytes) = self.read_mark()? else { return Ok(None) };
        let text = String::from_utf8_lossy(&bytes);
        let mark = unhex(text.trim()).and_then(|bytes| bytes.try_into().ok());
        mark.map(Some).ok_or_else(|| foreign("has something else under that name"))
    }

    /// Of several nodes that make the first mark, one succeeds, and the others take over its mark.
    fn make_mark(&self) -> Result<[u8; FINGERPRINT_BYTES]> {
        let mut made = [0; FINGERPRINT_BYTES];
        SystemEntropy.fill(&mut made);
        self.write_mark(hex(&made).as_bytes())?;
        self.mark()?.ok_or_else(|| foreign("lost it a moment after it was made"))
    }
}

fn known(keys: &dyn KeyStore) -> Result<Option<[u8; FINGERPRINT_BYTES]>> {
    let print = keys.fingerprints()?.into_iter().find(|print| print.name == PRINT);
    Ok(print.map(|print| print.print))
}

fn foreign(found: &str) -> Error {
    let reason = format!(
        "large texts of this installation are elsewhere: their place has the object `{MARK}`, and the one that blobs names \
         {found}"
    );
    Error::Misconfigured { code: "wrong_blobs", reason }
}

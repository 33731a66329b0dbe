//! Locked memory for the keys that live as long as a vault or a server: pages that the system does not write to swap,
//! nor to a core dump.
//!
//! A page has room for many keys, because a system lets a process lock only few of them. Keys of single memories live
//! for one operation, by the thousand, and stay on the stack.

#![allow(unsafe_code)]

use std::alloc::{Layout, handle_alloc_error};
use std::ptr::{NonNull, null_mut};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mlock, mmap_anonymous};
use zeroize::{Zeroize, ZeroizeOnDrop};

/// Length of every key.
pub const KEY_BYTES: usize = 32;

/// Bytes that are mapped and locked at a time: a page of most systems.
const PAGE_BYTES: usize = 4096;
/// Keys in one page, one bit of `LockedPage::free` each.
const PAGE_SLOTS: usize = PAGE_BYTES / KEY_BYTES;
const ALL_FREE: u128 = u128::MAX;
const _: () = assert!(PAGE_SLOTS == u128::BITS as usize);

/// Pages are never given back: a process needs as many as it had keys at the same time.
static PAGES: Mutex<Vec<LockedPage>> = Mutex::new(Vec::new());

struct LockedPage {
    base: NonNull<u8>,
    free: u128,
    /// False when the system refused to lock it.
    is_locked: bool,
}

// SAFETY: The page belongs to this process for good, and is reached through the mutex around the list of pages or
// through the one `LockedKey` that owns a slot.
unsafe impl Send for LockedPage {}

/// The pages that hold keys.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct KeyPages {
    /// Pages that the system keeps out of swap.
    pub locked: usize,
    /// Pages that it refused to lock, because the process may lock no more.
    pub refused: usize,
}

/// Counts the pages that hold keys, locked and not.
pub fn key_pages() -> KeyPages {
    let pages = pages();
    let locked = pages.iter().filter(|page| page.is_locked).count();
    KeyPages { locked, refused: pages.len() - locked }
}

/// The bytes of one key in locked memory, zeroed when dropped.
pub(crate) struct LockedKey(NonNull<[u8; KEY_BYTES]>);

// SAFETY: The slot belongs to this value alone until it is dropped, as the block of a `Box` does.
unsafe impl Send for LockedKey {}
// SAFETY: As above; a shared reference only reads.
unsafe impl Sync for LockedKey {}

impl LockedKey {
    /// Takes a slot of zeros and lets `fill` write the key there, so that no copy lies elsewhere.
    pub(crate) fn filled(fill: impl FnOnce(&mut [u8; KEY_BYTES])) -> Self {
        let mut key = Self(take_slot());
        fill(key.bytes_mut());
        key
    }

    /// Moves existing bytes in, and zeroes the copy that was handed over.
    pub(crate) fn from_bytes(mut bytes: [u8; KEY_BYTES]) -> Self {
        let key = Self::filled(|slot| slot.copy_from_slice(&bytes));
        bytes.zeroize();
        key
    }

    pub(crate) fn bytes(&self) -> &[u8; KEY_BYTES] {
        // SAFETY: The slot is mapped for good, initialised by the system with zeros, and this value owns it.
        unsafe { self.0.as_ref() }
    }

    fn bytes_mut(&mut self) -> &mut [u8; KEY_BYTES] {
        // SAFETY: As in `bytes`, and the reference to this value is unique.
        unsafe { self.0.as_mut() }
    }
}

impl Drop for LockedKey {
    fn drop(&mut self) {
        self.bytes_mut().zeroize();
        let address = self.0.as_ptr() as usize;
        for page in pages().iter_mut() {
            let offset = address.wrapping_sub(page.base.as_ptr() as usize);
            if offset < PAGE_BYTES {
                page.free |= 1 << (offset / KEY_BYTES);
                return;
            }
        }
    }
}

impl ZeroizeOnDrop for LockedKey {}

fn pages() -> MutexGuard<'static, Vec<LockedPage>> {
    // Nothing panics between two changes of a page, so a poisoned list is whole.
    PAGES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A slot that nobody else holds, all zeros.
fn take_slot() -> NonNull<[u8; KEY_BYTES]> {
    let mut pages = pages();
    let at = pages.iter().position(|page| page.free != 0).unwrap_or_else(|| {
        pages.push(LockedPage::map());
        pages.len() - 1
    });
    let page = &mut pages[at];
    let slot = page.free.trailing_zeros() as usize;
    page.free &= !(1 << slot);
    // SAFETY: `slot` is below `PAGE_SLOTS`, so the address lies within the page.
    unsafe { page.base.add(slot * KEY_BYTES) }.cast()
}

impl LockedPage {
    fn map() -> Self {
        // SAFETY: A new mapping at an address of the system's choice touches nothing that exists.
        let mapped = unsafe {
            mmap_anonymous(null_mut(), PAGE_BYTES, ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE)
        };
        let Some(base) = mapped.ok().and_then(|page| NonNull::new(page.cast::<u8>())) else {
            handle_alloc_error(Layout::new::<[u8; PAGE_BYTES]>());
        };
        // SAFETY: Both calls name exactly the page that was just mapped, and change none of its bytes.
        let is_locked = unsafe {
            #[cfg(target_os = "linux")]
            let _ = madvise(base.as_ptr().cast(), PAGE_BYTES, Advice::LinuxDontDump);
            mlock(base.as_ptr().cast(), PAGE_BYTES).is_ok()
        };
        Self { base, free: ALL_FREE, is_locked }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes that no other test uses as a key.
    fn pattern(n: usize) -> [u8; KEY_BYTES] {
        let mut bytes = [0xA5; KEY_BYTES];
        bytes[..8].copy_from_slice(&n.to_be_bytes());
        bytes
    }

    fn bytes_at(address: usize) -> [u8; KEY_BYTES] {
        // SAFETY: Pages are never unmapped. Another test may take the slot and write to it meanwhile; the test then
        // reads bytes of that key, which are not the pattern either.
        unsafe { std::ptr::read_volatile(address as *const [u8; KEY_BYTES]) }
    }

    #[test]
    fn keys_have_places_of_their_own_and_are_gone_when_dropped() {
        let keys: Vec<LockedKey> = (0..3 * PAGE_SLOTS).map(|n| LockedKey::from_bytes(pattern(n))).collect();
        let mut addresses: Vec<usize> = keys.iter().map(|key| key.0.as_ptr() as usize).collect();
        for (n, key) in keys.iter().enumerate() {
            assert_eq!(key.bytes(), &pattern(n));
        }
        drop(keys);
        for (n, &address) in addresses.iter().enumerate() {
            assert_ne!(bytes_at(address), pattern(n));
        }
        addresses.sort_unstable();
        addresses.dedup();
        assert_eq!(addresses.len(), 3 * PAGE_SLOTS);
    }

    #[test]
    fn a_free_place_is_taken_again() {
        let before = pages().len();
        for n in 0..20 * PAGE_SLOTS {
            drop(LockedKey::from_bytes(pattern(n)));
        }
        // Other tests of this process take some meanwhile.
        assert!(pages().len() < before + 10);
    }

    /// The system's own word for it: `lo` among the flags of the mapping, and `dd` for not dumped.
    #[cfg(target_os = "linux")]
    #[test]
    fn the_system_keeps_the_page_out_of_swap_and_dumps() {
        let key = LockedKey::from_bytes([9; KEY_BYTES]);
        assert!(key_pages().locked > 0, "{:?}", key_pages());
        let address = key.0.as_ptr() as usize;
        let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
        let mut inside = false;
        for line in maps.lines() {
            let range = line.split(' ').next().and_then(|range| range.split_once('-'));
            let bounds = range.and_then(|(first, end)| {
                Some((usize::from_str_radix(first, 16).ok()?, usize::from_str_radix(end, 16).ok()?))
            });
            if let Some((first, end)) = bounds {
                inside = (first..end).contains(&address);
            }
            if let Some(flags) = line.strip_prefix("VmFlags:").filter(|_| inside) {
                let has = |flag| flags.split_whitespace().any(|one| one == flag);
                assert!(has("lo") && has("dd"), "{flags}");
                return;
            }
        }
        panic!("the page is in no mapping");
    }
}

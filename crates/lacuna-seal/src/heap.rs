//! A heap that leaves nothing behind: parsers, formatters and growing buffers make copies of texts and keys that no type
//! owns, so that every block is zeroed when it is freed.

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;

/// The system's allocator; blocks are zeroed before they go back to it.
///
/// A program that embeds Lacuna sets it once, in its own crate:
///
/// ```
/// #[global_allocator]
/// static HEAP: lacuna_seal::ZeroOnFree = lacuna_seal::ZeroOnFree;
/// ```
pub struct ZeroOnFree;

// SAFETY: Every call goes to the system's allocator with the layout that it was given. A block is written to only
// before it is freed, within its own length. Growing is left to the trait, which copies into a new block and frees
// the old one here: the system would free it as it is.
unsafe impl GlobalAlloc for ZeroOnFree {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        unsafe {
            block.write_bytes(0, layout.size());
            // Without a reader the compiler may drop writes to a block that is about to be freed.
            black_box(block);
            System.dealloc(block, layout);
        }
    }
}

//! Clean RAM: what a text or a key leaves behind when it goes.
//!
//! Keys and plaintexts have types that zero themselves, but parsers, formatters and growing buffers make copies that
//! no type owns. So every block of the heap is zeroed when it is freed, stacks are overwritten when a thread rests
//! or ends, and the process writes no core dump.

use std::hint::black_box;

use lacuna_seal::ZeroOnFree;
use rustix::process::{DumpableBehavior, Resource, Rlimit, getrlimit, set_dumpable_behavior, setrlimit};
use tokio::runtime::{Builder, Runtime};

#[global_allocator]
static HEAP: ZeroOnFree = ZeroOnFree;

/// The bytes of a stack that are overwritten, from where the thread stands: more than any operation uses.
const STACK_BYTES: usize = 256 * 1024;
/// The bytes that are overwritten each time an asynchronous worker rests: parsing needs no more.
const RESTING_STACK_BYTES: usize = 16 * 1024;

/// Overwrites the part of this thread's stack that earlier calls may have used.
#[inline(never)]
pub(crate) fn scrub_stack() {
    black_box([0u8; STACK_BYTES]);
}

#[inline(never)]
fn scrub_resting_stack() {
    black_box([0u8; RESTING_STACK_BYTES]);
}

/// A runtime whose threads leave nothing on their stacks when they rest or end.
pub(crate) fn runtime() -> std::io::Result<Runtime> {
    Builder::new_multi_thread()
        .enable_all()
        .on_thread_park(scrub_resting_stack)
        .on_thread_stop(scrub_stack)
        .build()
}

/// Refuses core dumps, and refuses other processes of the same account a look into this one.
pub(crate) fn refuse_core_dumps() {
    // Where the system knows neither, there is nothing to switch off.
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), ..getrlimit(Resource::Core) });
}

/// Allows core dumps again, for debugging. They hold every text and key of the open vaults.
pub(crate) fn allow_core_dumps() {
    let _ = set_dumpable_behavior(DumpableBehavior::Dumpable);
    let limit = getrlimit(Resource::Core);
    let _ = setrlimit(Resource::Core, Rlimit { current: limit.maximum, ..limit });
    tracing::warn!("allow_core_dumps is set: a core dump of this process holds texts and keys");
}

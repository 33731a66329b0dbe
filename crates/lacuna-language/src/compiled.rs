//! Patterns are compiled on a clean stack.
//!
//! A compiled pattern is kept for the life of the process, and it is made when the first text needs it. Moving it to its
//! place also copies its unused bytes, which hold what earlier calls left on the stack: a piece of that text would stay in RAM.

use std::hint::black_box;

use regex::{Regex, RegexSet};

/// More than compiling a pattern uses.
const STACK_BYTES: usize = 64 * 1024;

/// Compiles `source`.
///
/// # Errors
/// Whatever is wrong with the pattern.
pub(crate) fn regex(source: &str) -> Result<Regex, regex::Error> {
    on_clean_stack(|| {
        #[expect(clippy::disallowed_methods, reason = "the stack is clean")]
        Regex::new(source)
    })
}

/// Compiles `sources` into one set.
///
/// # Errors
/// Whatever is wrong with the first bad pattern.
pub(crate) fn regex_set<S: AsRef<str>>(
    sources: impl IntoIterator<Item = S>,
) -> Result<RegexSet, regex::Error> {
    on_clean_stack(|| {
        #[expect(clippy::disallowed_methods, reason = "the stack is clean")]
        RegexSet::new(sources)
    })
}

/// Calls `make` after the part of the stack that it will use was overwritten.
pub(crate) fn on_clean_stack<T>(make: impl FnOnce() -> T) -> T {
    overwrite_stack();
    make()
}

#[inline(never)]
fn overwrite_stack() {
    black_box([0u8; STACK_BYTES]);
}

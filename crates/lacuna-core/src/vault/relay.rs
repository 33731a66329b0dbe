//! Work shared out over threads whose results are wanted in order.

use std::collections::BTreeMap;
use std::sync::mpsc::channel;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Items that go from hand to hand at a time: few enough that no thread waits long for the last ones.
const PART_ITEMS: usize = 128;

/// Does `work` on all items, part by part, and hands what comes of it to `take` in the order of the items. Other
/// threads work ahead; this one takes what is done, and works itself while there is none.
pub(crate) fn in_order<T: Send, R: Send>(
    items: Vec<T>,
    work: impl Fn(Vec<T>) -> R + Sync,
    mut take: impl FnMut(R),
) {
    let count = items.len().div_ceil(PART_ITEMS);
    let parts = PendingParts(Mutex::new((0, items.into_iter())));
    let helpers = thread::available_parallelism().map_or(1, usize::from).min(count).saturating_sub(1);
    let (hand_in, handed_in) = channel();
    thread::scope(|scope| {
        for _ in 0..helpers {
            let (parts, work, hand_in) = (&parts, &work, hand_in.clone());
            scope.spawn(move || {
                while let Some((number, part)) = parts.next() {
                    // Nobody listens any more when the other side has panicked.
                    let _ = hand_in.send((number, work(part)));
                }
            });
        }
        drop(hand_in);
        let mut done = BTreeMap::new();
        for next in 0..count {
            while !done.contains_key(&next) {
                done.extend(handed_in.try_iter());
                if done.contains_key(&next) {
                    break;
                }
                let own = parts.next().map(|(number, part)| (number, work(part)));
                // With nothing left to begin, what is next is in another thread's hands. If that has panicked,
                // so does the scope.
                let Some(one) = own.or_else(|| handed_in.recv().ok()) else { return };
                done.extend([one]);
            }
            done.remove(&next).into_iter().for_each(&mut take);
        }
    });
}

/// The parts that are not begun yet: the number of the next part, and all items from there on.
struct PendingParts<T>(Mutex<(usize, std::vec::IntoIter<T>)>);

impl<T> PendingParts<T> {
    fn next(&self) -> Option<(usize, Vec<T>)> {
        let mut rest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let part: Vec<T> = rest.1.by_ref().take(PART_ITEMS).collect();
        let number = rest.0;
        rest.0 += 1;
        (!part.is_empty()).then_some((number, part))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_comes_once_and_in_order() {
        for count in [0, 1, PART_ITEMS, PART_ITEMS + 1, 40 * PART_ITEMS - 1] {
            let mut taken = Vec::new();
            let double = |part: Vec<usize>| part.iter().map(|n| n * 2).collect::<Vec<_>>();
            in_order((0..count).collect(), double, |part| taken.extend(part));
            assert_eq!(taken, (0..count).map(|n| n * 2).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_panic_in_any_part_ends_the_work() {
        for bad in [0, 5 * PART_ITEMS, 12 * PART_ITEMS - 1] {
            let outcome = std::panic::catch_unwind(|| {
                let work = |part: Vec<usize>| assert!(!part.contains(&bad));
                in_order((0..12 * PART_ITEMS).collect(), work, drop);
            });
            assert!(outcome.is_err());
        }
    }
}

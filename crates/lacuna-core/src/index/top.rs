use std::ops::Range;

/// Keeps the best `limit` of what it is offered, in time linear in the offers.
pub(crate) struct Top<S> {
    limit: usize,
    threshold: Option<S>,
    items: Vec<(S, u32)>,
    /// The scratch list in which a shrink selects the items to keep.
    ranked: Vec<(S, u32)>,
}

impl<S: Copy + PartialOrd> Top<S> {
    pub(crate) fn new(limit: usize) -> Self {
        let limit = limit.max(1);
        // Reserved at once, as far as it may come: growing costs more than the offers.
        let (items, ranked) = (Vec::with_capacity(2 * limit), Vec::with_capacity(2 * limit));
        Self { limit, threshold: None, items, ranked }
    }

    /// Returns true when this score could still enter. The check is cheap; callers make it before costlier ones.
    pub(crate) fn wants(&self, score: S) -> bool {
        self.threshold.is_none_or(|threshold| score >= threshold)
    }

    pub(crate) fn push(&mut self, score: S, item: u32) {
        self.items.push((score, item));
        if self.items.len() >= 2 * self.limit {
            self.shrink();
        }
    }

    /// The score of the last that would stay, once there are enough.
    pub(crate) fn least(&mut self) -> Option<S> {
        if self.items.len() > self.limit {
            self.shrink();
        }
        self.threshold
    }

    /// The best ones in rising order of item, which is the order of memory.
    pub(crate) fn into_items(mut self) -> Vec<(S, u32)> {
        if self.items.len() > self.limit {
            self.shrink();
        }
        self.items.sort_unstable_by_key(|&(_, item)| item);
        self.items
    }

    /// Keeps the order of the items: a scan offers them in rising order, and what is sorted sorts in no time.
    fn shrink(&mut self) {
        self.ranked.clone_from(&self.items);
        let (_, &mut last, _) = self.ranked.select_nth_unstable_by(self.limit - 1, best_first);
        self.items.retain(|item| best_first(item, &last).is_le());
        self.threshold = Some(last.0);
    }
}

fn best_first<S: PartialOrd>(a: &(S, u32), b: &(S, u32)) -> std::cmp::Ordering {
    b.0.partial_cmp(&a.0).unwrap_or(std::cmp::Ordering::Equal).then(a.1.cmp(&b.1))
}

/// The same for many small whole numbers: it counts who is at each score, so that it never has to select.
pub(crate) struct TopSums {
    limit: usize,
    /// No lower sum can still enter.
    threshold: u16,
    /// The number of offers at each sum. `reaching` counts those that reach the threshold.
    counts: Vec<u32>,
    reaching: usize,
    items: Vec<(u16, u32)>,
}

impl TopSums {
    /// `sum_max` is the highest sum that will be offered, `threshold` the lowest that counts.
    pub(crate) fn new(limit: usize, sum_max: u16, threshold: u16) -> Self {
        let counts = vec![0; usize::from(sum_max) + 1];
        let limit = limit.max(1);
        Self { limit, threshold, counts, reaching: 0, items: Vec::with_capacity(2 * limit) }
    }

    /// The number of items that reach the threshold.
    pub(crate) fn len(&self) -> usize {
        self.reaching
    }

    pub(crate) fn threshold(&self) -> u16 {
        self.threshold
    }

    /// Takes an item whose sum reaches the threshold, which only [`Self::raise`] moves.
    #[inline]
    pub(crate) fn push(&mut self, sum: u16, item: u32) {
        self.items.push((sum, item));
        self.counts[usize::from(sum)] += 1;
        self.reaching += 1;
    }

    /// Moves the threshold to where it may stand: whoever is at it is not needed once enough are above it.
    pub(crate) fn raise(&mut self) {
        while self.reaching - self.at_threshold() >= self.limit {
            self.reaching -= self.at_threshold();
            self.threshold += 1;
        }
    }

    fn at_threshold(&self) -> usize {
        self.counts[usize::from(self.threshold)] as usize
    }

    pub(crate) fn merged(mut self, other: Self) -> Self {
        for (sum, item) in other.items {
            if sum >= self.threshold {
                self.push(sum, item);
            }
        }
        self.raise();
        self
    }

    /// The items whose sums lie in a range that [`Self::raise`] keeps, in the order in which they were offered; of
    /// equals at the threshold all, also those beyond the limit.
    pub(crate) fn between(&self, sums: Range<u16>) -> Vec<u32> {
        let within = |&(sum, item): &(u16, u32)| sums.contains(&sum).then_some(item);
        self.items.iter().filter_map(within).collect()
    }

    /// The highest sum that at least `count` items reach; the threshold when there are fewer.
    pub(crate) fn sum_reached_by(&self, count: usize) -> u16 {
        let mut reaching = 0;
        let falling = (self.threshold..self.counts.len() as u16).rev();
        let mut sums = falling.skip_while(|&sum| {
            reaching += self.counts[usize::from(sum)] as usize;
            reaching < count
        });
        sums.next().unwrap_or(self.threshold)
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn both_keep_the_best_and_of_equals_the_first(
            sums in vec(0u16..40, 0..400),
            limit in 1usize..60,
            split in 0usize..400,
        ) {
            let offered: Vec<(u16, u32)> = sums.iter().copied().zip(0..).collect();
            let mut expected = offered.clone();
            expected.sort_by(best_first);
            expected.truncate(limit);
            let mut expected: Vec<u32> = expected.into_iter().map(|(_, item)| item).collect();
            expected.sort_unstable();

            let mut top = Top::new(limit);
            offered.iter().for_each(|&(sum, item)| if top.wants(sum) { top.push(sum, item) });
            let found: Vec<u32> = top.into_items().into_iter().map(|(_, item)| item).collect();
            prop_assert_eq!(&found, &expected);

            let (first, second) = offered.split_at(split.min(offered.len()));
            let of = |part: &[(u16, u32)]| {
                let mut top = TopSums::new(limit, 40, 0);
                for part in part.chunks(7) {
                    let threshold = top.threshold();
                    part.iter().for_each(|&(sum, item)| if sum >= threshold { top.push(sum, item) });
                    top.raise();
                }
                top
            };
            let top = of(first).merged(of(second));
            let found = top.between(top.threshold()..u16::MAX);
            // Equals of the last stay together.
            let last = expected.iter().map(|&item| sums[item as usize]).min().unwrap_or(0);
            let reaching: Vec<u32> =
                offered.iter().filter(|&&(sum, _)| sum >= last).map(|&(_, item)| item).collect();
            prop_assert_eq!(&found, &reaching);

            let parting = top.sum_reached_by(limit / 3);
            let (best, others) = (top.between(parting..u16::MAX), top.between(top.threshold()..parting));
            prop_assert!(best.len() >= (limit / 3).min(found.len()) && best.len() + others.len() == found.len());
        }
    }
}

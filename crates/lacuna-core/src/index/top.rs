/// Keeps the best `limit` of what it is offered, in time linear in the offers.
pub(super) struct Top<S> {
    limit: usize,
    threshold: Option<S>,
    items: Vec<(S, u32)>,
}

impl<S: Copy + PartialOrd> Top<S> {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit: limit.max(1), threshold: None, items: Vec::new() }
    }

    /// Whether this score could still enter. Cheap, so that costlier questions are asked only after it.
    pub(super) fn wants(&self, score: S) -> bool {
        self.threshold.is_none_or(|threshold| score >= threshold)
    }

    pub(super) fn threshold(&self) -> Option<S> {
        self.threshold
    }

    pub(super) fn push(&mut self, score: S, item: u32) {
        self.items.push((score, item));
        if self.items.len() >= 2 * self.limit {
            self.shrink();
        }
    }

    pub(super) fn merge(&mut self, other: Self) {
        other.items.into_iter().for_each(|(score, item)| self.push(score, item));
    }

    /// The best ones, best first; equals in rising order of item.
    pub(super) fn into_sorted(mut self) -> Vec<(S, u32)> {
        self.items.sort_unstable_by(best_first);
        self.items.truncate(self.limit);
        self.items
    }

    /// The best ones in rising order of item, which is the order of memory.
    pub(super) fn into_items(mut self) -> Vec<u32> {
        if self.items.len() > self.limit {
            self.shrink();
        }
        let mut items: Vec<u32> = self.items.iter().map(|&(_, item)| item).collect();
        items.sort_unstable();
        items
    }

    fn shrink(&mut self) {
        let (_, &mut (last, _), _) = self.items.select_nth_unstable_by(self.limit - 1, best_first);
        self.items.truncate(self.limit);
        self.threshold = Some(last);
    }
}

fn best_first<S: PartialOrd>(a: &(S, u32), b: &(S, u32)) -> std::cmp::Ordering {
    b.0.partial_cmp(&a.0).unwrap_or(std::cmp::Ordering::Equal).then(a.1.cmp(&b.1))
}

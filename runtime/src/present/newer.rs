//! Parts of memory of which one side has newer values.

/// Bytes of memory, as stretches that neither meet nor touch, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stretches(Vec<(u64, u64)>);

impl Stretches {
    /// Adds the bytes from `start` to before `end`.
    pub fn add(&mut self, start: u64, end: u64) {
        if start >= end {
            return;
        }
        let first = self.0.partition_point(|&(_, known)| known < start);
        let last = self.0.partition_point(|&(known, _)| known <= end);
        let joined = self.0[first..last]
            .iter()
            .fold((start, end), |all, known| (all.0.min(known.0), all.1.max(known.1)));
        self.0.splice(first..last, [joined]);
    }

    /// Takes the bytes from `start` to before `end` away.
    pub fn remove(&mut self, start: u64, end: u64) {
        let rest = |&(first, last): &(u64, u64)| {
            [(first, last.min(start)), (first.max(end), last)].into_iter().filter(|(a, b)| a < b)
        };
        if start < end {
            self.0 = self.0.iter().flat_map(rest).collect();
        }
    }

    /// Those from `start` to before `end`.
    pub fn within(&self, start: u64, end: u64) -> Vec<(u64, u64)> {
        let clip = |&(first, last): &(u64, u64)| (first.max(start), last.min(end));
        self.0.iter().map(clip).filter(|(first, last)| first < last).collect()
    }

    /// How many bytes from `start` to before `end` are among them.
    pub fn bytes(&self, start: u64, end: u64) -> u64 {
        self.within(start, end).into_iter().map(|(first, last)| last - first).sum()
    }

    /// The number of stretches.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::Stretches;

    #[test]
    fn stretches_join_and_part() {
        let mut all = Stretches::default();
        for (start, end) in [(10, 20), (30, 40), (20, 25), (50, 50), (0, 5)] {
            all.add(start, end);
        }
        assert_eq!(all.within(0, 100), [(0, 5), (10, 25), (30, 40)]);
        all.add(4, 31);
        assert_eq!(all.within(0, 100), [(0, 40)]);
        all.remove(8, 12);
        all.remove(39, 60);
        all.remove(20, 20);
        assert_eq!(all.within(0, 100), [(0, 8), (12, 39)]);
        assert_eq!((all.within(6, 13), all.bytes(6, 13)), (vec![(6, 8), (12, 13)], 3));
        all.remove(0, 100);
        assert!(all.is_empty());
    }
}

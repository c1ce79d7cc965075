//! Iteration spaces of loop nests.

/// The iterations of a rectangular nest, in order or against it.
#[derive(Clone, Debug)]
pub(crate) struct Nest {
    lower: Vec<i64>,
    step: Vec<i64>,
    counts: Vec<u128>,
    total: u128,
    position: u128,
    backwards: bool,
}

/// Iterations from `lower` to below `upper` by a positive step.
pub(crate) fn trip_count(lower: i128, upper: i128, step: i128) -> u128 {
    if lower >= upper || step <= 0 {
        return 0;
    }
    let distance = (upper as u128).wrapping_sub(lower as u128);
    distance.div_ceil(step as u128)
}

impl Nest {
    /// The last dimension varies fastest. Steps must be positive.
    pub fn new(lower: Vec<i64>, upper: &[i64], step: Vec<i64>, backwards: bool) -> Self {
        let counts: Vec<u128> = lower
            .iter()
            .zip(upper)
            .zip(&step)
            .map(|((&l, &u), &s)| trip_count(l.into(), u.into(), s.into()))
            .collect();
        // A nest too large to count is too large to run.
        let total = counts.iter().fold(1u128, |product, &n| product.saturating_mul(n));
        Nest { lower, step, counts, total, position: 0, backwards }
    }

    /// The induction variables of the next iteration.
    pub fn next(&mut self) -> Option<Vec<i64>> {
        if self.position >= self.total {
            return None;
        }
        let mut rest = if self.backwards { self.total - 1 - self.position } else { self.position };
        self.position += 1;
        let mut indices = vec![0; self.lower.len()];
        for d in (0..indices.len()).rev() {
            let count = rest % self.counts[d];
            rest /= self.counts[d];
            // Below the upper bound, so within i64.
            indices[d] =
                (i128::from(self.lower[d]) + count as i128 * i128::from(self.step[d])) as i64;
        }
        Some(indices)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nests_are_walked_both_ways() {
        let all = |backwards| {
            let mut nest = Nest::new(vec![0, -3], &[2, 4], vec![1, 3], backwards);
            std::iter::from_fn(move || nest.next()).collect::<Vec<_>>()
        };
        let forwards = all(false);
        assert_eq!(forwards, [[0, -3], [0, 0], [0, 3], [1, -3], [1, 0], [1, 3]]);
        assert_eq!(all(true), forwards.into_iter().rev().collect::<Vec<_>>());
        assert!(Nest::new(vec![0, 5], &[2, 5], vec![1, 1], false).next().is_none());
        assert_eq!(trip_count(i128::MIN, i128::MAX, 1), u128::MAX);
    }
}

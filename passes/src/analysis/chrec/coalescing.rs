//! What the threads of a warp touch at a time.
//!
//! Andión et al. 2015, Algorithm 1: an access is coalesced if the chains of all but the last dimension are the
//! same for the threads of a warp, and those of the last one are either a contiguous range or the same too. The
//! paper instantiates the chains of each thread and compares them. A chain over the loop of
//! `threadIdx.x` says it at once: what it grows by from a thread to the next one is the difference of the two
//! instantiated chains.

use std::fmt;

use super::Chrec;

/// Where consecutive threads of a warp find their elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// In one place.
    Uniform,
    /// One beside the other.
    Consecutive,
    /// In one row, so many elements apart; neither 0 nor 1.
    Strided(i64),
    /// In different rows, or a number of elements apart that is not one constant.
    Apart,
    /// A subscript has no closed form.
    Unknown,
}

impl Pattern {
    /// How an access with these chains, of so many elements in the last dimension, looks to threads that execute an iteration
    /// each of a loop.
    pub fn of(dims: &[Option<Chrec>], length: i64, loop_: usize) -> Pattern {
        let growth = dims.iter().map(|dim| dim.as_ref()?.growth(loop_)).collect::<Option<Vec<_>>>();
        let Some(growth) = growth else { return Pattern::Unknown };
        let Some((last, rows)) = growth.split_last() else { return Pattern::Uniform };
        if rows.iter().any(|row| row.as_constant() != Some(0)) {
            return Pattern::Apart;
        }
        match last.as_constant() {
            Some(0) => Pattern::Uniform,
            Some(step) if step.checked_abs() == Some(length) => Pattern::Consecutive,
            Some(step) => Pattern::Strided(step),
            None => Pattern::Apart,
        }
    }

    /// The answer of Algorithm 1.
    pub fn is_coalesced(self) -> bool {
        matches!(self, Pattern::Uniform | Pattern::Consecutive)
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Pattern::Uniform => f.write_str("coalesced, one element for all threads"),
            Pattern::Consecutive => f.write_str("coalesced"),
            Pattern::Strided(step) => write!(f, "not coalesced, {step} elements apart"),
            Pattern::Apart => f.write_str("not coalesced, in different rows"),
            Pattern::Unknown => f.write_str("not known"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Andión et al. 2015, fig. 2: of the loops of `x[i][j]`, only the outer one is divided among threads.
    #[test]
    fn the_two_traversals_of_the_paper() {
        let over = |depth| Chrec::recurrence(depth, Chrec::constant(0), Chrec::constant(1));
        let [outer, inner] = [0, 1].map(|depth| Some(over(depth)));
        let by_rows = [outer.clone(), inner.clone()];
        assert_eq!(Pattern::of(&by_rows, 1, 0), Pattern::Apart);
        let by_columns = [inner, outer.clone()];
        assert_eq!(Pattern::of(&by_columns, 1, 0), Pattern::Consecutive);
        assert!(Pattern::of(&by_columns, 1, 0).is_coalesced());
        // Table 3: all threads read the same element of A.
        assert_eq!(Pattern::of(&[outer.clone(), Some(over(2))], 1, 1), Pattern::Uniform);

        let every_third = Chrec::recurrence(0, Chrec::constant(0), Chrec::constant(3));
        assert_eq!(Pattern::of(&[Some(every_third.clone())], 1, 0), Pattern::Strided(3));
        assert_eq!(Pattern::of(&[Some(every_third)], 3, 0), Pattern::Consecutive);
        let square = over(0).times(&over(0));
        assert_eq!(Pattern::of(&[square], 1, 0), Pattern::Apart);
        assert_eq!(Pattern::of(&[outer, None], 1, 0), Pattern::Unknown);
    }
}

//! What it is worth to have an array in shared memory: eqs. 1 to 7 of Li et al. 2016, as numbers for a block.

use gpuc_ir::Value;

use super::Unsuited;
use super::split::{Part, Reference, References, Seed, Subspace};

/// A partition, but for its numbers.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'a> {
    /// Of the nest.
    pub references: &'a References,
    /// What was given.
    pub seeds: &'a [Seed],
    /// Which iterations a block executes.
    pub subspace: &'a Subspace,
    /// The vague lengths: which seed leaves which loop open.
    pub vague: &'a [(Value, Value)],
    /// How often a loop runs of which that is not a number.
    pub trips: i64,
    /// Bytes of a transaction.
    pub transaction: i64,
}

/// Values of the parameters of a partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// `TB_X`, `TB_Y`, `TB_Z`.
    pub block: [i64; 3],
    /// One for each vague length.
    pub vague: Vec<i64>,
}

impl Plan<'_> {
    /// How often a loop runs in all.
    pub fn full(&self, variable: Value) -> i64 {
        self.references.loops.get(&variable).copied().flatten().unwrap_or(self.trips).max(1)
    }

    /// Iterations of a loop that a block executes, from end to end along those that are vague. `None`: the length has no value.
    pub fn iterations(&self, variable: Value, block: [i64; 3]) -> Option<i64> {
        match self.subspace.parts.get(&variable) {
            Some(Part::Of(expression, by)) => {
                let length = expression.value(block).filter(|&length| length > 0)?;
                Some((length - 1) / by.checked_abs()? + 1)
            }
            Some(Part::Vague) => Some(self.full(variable)),
            // A thread has an iteration of its own of a loop that threads divide.
            None => match self.references.axis(variable) {
                Some(axis) => Some(block[axis]),
                None => Some(self.full(variable)),
            },
        }
    }

    /// Iterations of a loop whose elements of an array are held at a time.
    fn held(&self, array: Value, variable: Value, point: &Point) -> Option<i64> {
        if self.subspace.parts.get(&variable) != Some(&Part::Vague) {
            return self.iterations(variable, point.block);
        }
        // Its own length, or what the first seed has along the loop.
        let own = self.vague.iter().position(|&vague| vague == (array, variable));
        let any = || self.vague.iter().position(|&(_, along)| along == variable);
        Some(own.or_else(any).and_then(|at| point.vague.get(at).copied())?.min(self.full(variable)))
    }

    /// The rectangular hull of what all references to an array touch (eq. 1), dimension by dimension. `whole`: along
    /// vague loops from end to end.
    ///
    /// # Errors
    /// References that are no constant number apart, or a length without a value.
    pub fn hull(
        &self,
        name: &str,
        array: Value,
        point: &Point,
        whole: bool,
    ) -> Result<Vec<i64>, Unsuited> {
        let no_hull = || Unsuited::NoHull(name.to_owned());
        let no_length = || Unsuited::Length(name.to_owned());
        let mut sides: Vec<(i64, i64)> = Vec::new();
        let first = self.references.to(array).next().ok_or_else(no_hull)?;
        for reference in self.references.to(array) {
            for (dim, row) in reference.matrix.iter().enumerate() {
                let apart = reference.base[dim].plus(first.base.get(dim).ok_or_else(no_hull)?, -1);
                let apart = apart.and_then(|form| form.as_constant()).ok_or_else(no_hull)?;
                let (mut least, mut most) = (apart, apart);
                for (&by, &variable) in row.iter().zip(&reference.loops).filter(|(by, _)| **by != 0)
                {
                    let iterations = match whole {
                        true => self.iterations(variable, point.block),
                        false => self.held(array, variable, point),
                    };
                    let further = by.checked_mul(iterations.ok_or_else(no_length)? - 1);
                    let further = further.ok_or_else(no_length)?;
                    least = least.checked_add(further.min(0)).ok_or_else(no_length)?;
                    most = most.checked_add(further.max(0)).ok_or_else(no_length)?;
                }
                match sides.get_mut(dim) {
                    Some(side) => *side = (side.0.min(least), side.1.max(most)),
                    None => sides.push((least, most)),
                }
            }
        }
        sides
            .into_iter()
            .map(|(least, most)| {
                most.checked_sub(least).and_then(|side| side.checked_add(1)).ok_or_else(no_length)
            })
            .collect()
    }

    /// Bytes of the hull.
    ///
    /// # Errors
    /// As [`Self::hull`].
    pub fn bytes(
        &self,
        name: &str,
        array: Value,
        point: &Point,
        whole: bool,
    ) -> Result<i64, Unsuited> {
        let size = self.references.bytes.get(&array).copied().unwrap_or(1);
        let hull = self.hull(name, array, point, whole)?;
        let bytes = hull.iter().try_fold(size, |product, &side| product.checked_mul(side));
        bytes.ok_or_else(|| Unsuited::Length(name.to_owned()))
    }

    /// How many loads a block makes of an array (eq. 2): every reference in every iteration. A store saves no load.
    pub fn loads(&self, array: Value, block: [i64; 3]) -> Option<i64> {
        let of = |reference: &Reference| {
            let each = reference.loops.iter().map(|&variable| self.iterations(variable, block));
            each.into_iter().try_fold(1_i64, |product, n| product.checked_mul(n?))
        };
        let reads = self.references.to(array).filter(|reference| reference.reads);
        reads.map(of).try_fold(0_i64, |sum, loads| sum.checked_add(loads?))
    }

    /// Whether elements beside each other are for other times or for threads that are not neighbours (eqs. 4 to 6).
    pub fn is_apart(&self, reference: &Reference) -> bool {
        let Some(last) = reference.matrix.last() else { return false };
        let x = reference.loops.iter().position(|&each| each == self.references.threads[0]);
        let is_along = |by: Option<i64>| by.is_some_and(|by| by.abs() == 1);
        let moves = last.iter().any(|&by| by != 0);
        moves && !is_along(x.map(|depth| last[depth]))
    }

    /// The transactions of the references to an array that are not coalesced, or, where the program says so, of all
    /// (eq. 7): one for each run of elements that a row of threads asks for at one time.
    pub fn transactions(&self, array: Value, forced: bool, block: [i64; 3]) -> Option<i64> {
        let size = self.references.bytes.get(&array).copied().unwrap_or(1);
        let of = |reference: &Reference| {
            let moves =
                |depth: usize| reference.matrix.iter().any(|row: &Vec<i64>| row[depth] != 0);
            let mut count = 1_i64;
            for (depth, &variable) in reference.loops.iter().enumerate().filter(|(d, _)| moves(*d))
            {
                let iterations = self.iterations(variable, block)?;
                let (last, rows) = reference.matrix.split_last()?;
                let step = last[depth].checked_abs()?.checked_mul(size)?;
                // Threads of a row whose elements lie in one transaction.
                let in_row = variable == self.references.threads[0]
                    && step < self.transaction
                    && rows.iter().all(|row| row[depth] == 0);
                let runs = match in_row {
                    true => (iterations.checked_mul(step)? - 1) / self.transaction + 1,
                    false => iterations,
                };
                count = count.checked_mul(runs)?;
            }
            Some(count)
        };
        let apart =
            self.references.to(array).filter(|reference| forced || self.is_apart(reference));
        apart.map(of).try_fold(0_i64, |sum, count| sum.checked_add(count?))
    }
}

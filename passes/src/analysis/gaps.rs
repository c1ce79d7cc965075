//! How far apart two accesses of a loop's body are, in one round or in two.

use gpuc_ir::{Ir, Op, Value};

use super::access::{Access, Alias, Storage, alias};
use super::quasi_affine::QuasiAffine;
use super::slice::is_defined_inside;

/// By how much the variable of a loop is less in the round of one access than in that of the other.
#[derive(Clone, Copy, Debug)]
pub struct Earlier {
    /// The loop.
    pub loop_op: Op,
    /// Its variable.
    pub variable: Value,
    /// What is taken off it.
    pub by: i64,
}

/// The distance from where `from` starts to where `to` does, in each dimension, `None` where it is no number; `from` in
/// the same round of the loops round both, or in an earlier one. `None` where they do not compare.
pub fn gaps(
    ir: &Ir,
    from: &Access,
    to: &Access,
    earlier: Option<Earlier>,
) -> Option<Vec<Option<i64>>> {
    if from.memory() != to.memory() {
        return None;
    }
    // Numbers that are made in the loop are others in another round.
    let stays = |value: &Value| {
        earlier.is_none_or(|earlier| {
            *value == earlier.variable || !is_defined_inside(ir, *value, earlier.loop_op)
        })
    };
    let gap = |(from, to): (Option<QuasiAffine>, Option<QuasiAffine>)| {
        let (from, to) = (from?, to?);
        let mut both = from.values().into_iter().chain(to.values());
        let mut gap = to.plus(&from, -1)?;
        if let Some(Earlier { variable, by, .. }) = earlier.filter(|earlier| earlier.by != 0) {
            if !both.all(|value| stays(&value)) {
                return None;
            }
            let (slope, _) = from.as_polynomial()?.divide_by(&[variable]);
            if slope.values().contains(&variable) {
                return None;
            }
            gap = gap.plus(&slope.into(), by)?;
        }
        gap.as_polynomial()?.as_constant()
    };
    Some(from.place().zip(to.place()).map(gap).collect())
}

/// Whether two accesses are of the same elements.
pub fn are_same(ir: &Ir, from: &Access, to: &Access, earlier: Option<Earlier>) -> bool {
    from.buffer == to.buffer
        && from.length == to.length
        && gaps(ir, from, to, earlier).is_some_and(|gaps| gaps.iter().all(|&gap| gap == Some(0)))
}

/// Whether two accesses cannot be of the same element: their memory is apart, or in some dimension they are.
pub fn are_apart(ir: &Ir, from: &Access, to: &Access, earlier: Option<Earlier>) -> bool {
    if from.root != to.root {
        return alias(Storage::of(ir, from.root), Storage::of(ir, to.root)) == Alias::No;
    }
    let Some(gaps) = gaps(ir, from, to, earlier) else { return false };
    let last = gaps.len().saturating_sub(1);
    gaps.iter().enumerate().any(|(d, gap)| {
        let (long, other) = if d == last { (from.extent(), to.extent()) } else { (1, 1) };
        gap.is_some_and(|gap| gap >= long || gap <= -other)
    })
}

//! Addresses that grow by the same step in every round of a loop: the loop carries them.

use gpuc_dialects::scf;
use gpuc_ir::{Builder, Ir, Op, OpView, Value, ValueMap, WalkOrder};

use super::address::{Addresses, advance, to_ptr, without_constant};
use super::lower_accesses::Site;
use crate::analysis::polynomial::Polynomial;
use crate::analysis::slice::is_defined_inside;
use crate::analysis::subscript::polynomial;
use crate::simplify::carry;

/// Pointers that one loop carries, at most: more cost registers that are better spent.
const MOST_POINTERS: usize = 8;

/// Accesses of a loop to one buffer whose positions grow alike.
#[derive(Debug)]
struct Family {
    base: Value,
    /// Bytes that the position grows by when the loop's variable does by 1.
    factor: Polynomial,
    /// Invariant parts of the positions without constants, each once, by their distance.
    rests: Vec<Polynomial>,
}

/// Gives an innermost loop a carried pointer for every family of the accesses in it, those of the numbers `inside`.
pub(super) fn reduce_loop(
    ir: &mut Ir,
    view: scf::ForOp,
    sites: &mut [Site],
    inside: &[usize],
    addresses: &mut Addresses,
) {
    let inner = ir.nested_ops(view.op(), WalkOrder::PreOrder);
    if inner.iter().any(|&op| op != view.op() && ir.is_loop(op)) {
        return;
    }
    let families = families(ir, view, inside.iter().map(|&number| &sites[number]));
    if families.len() > MOST_POINTERS {
        return;
    }
    let results: Vec<Value> = ir.results(view.op()).to_vec();
    let is_read = results.iter().any(|&result| !ir.is_unused(result));
    let mut loop_op = view.op();
    for family in families {
        loop_op = carry_family(ir, scf::ForOp(loop_op), &family, addresses).unwrap_or(loop_op);
    }
    if loop_op == view.op() || !is_read {
        return;
    }
    // Positions behind the loop may be of what it has computed, which the new loop gives now.
    let mut map = ValueMap::new();
    for (&old, &new) in results.iter().zip(ir.results(loop_op)) {
        map.insert(old, new);
    }
    for site in sites {
        let is_behind = site.position.values().iter().any(|value| results.contains(value));
        if is_behind && let Some(position) = site.position.replaced(|value| map.get(value)) {
            site.position = position;
        }
    }
}

/// The families of a loop, in the order of the program.
fn families<'a>(ir: &Ir, view: scf::ForOp, sites: impl Iterator<Item = &'a Site>) -> Vec<Family> {
    let (loop_op, variable) = (view.op(), view.induction_var(ir));
    let mut families: Vec<Family> = Vec::new();
    for site in sites {
        let (factor, rest) = site.position.divide_by(&[variable]);
        let grows = factor != Polynomial::default();
        if !grows || !is_invariant(ir, &factor, loop_op) || !is_invariant(ir, &rest, loop_op) {
            continue;
        }
        let rest = without_constant(&rest);
        let known =
            families.iter_mut().find(|family| family.base == site.base && family.factor == factor);
        match known {
            Some(family) if family.rests.contains(&rest) => {}
            Some(family) => family.rests.push(rest),
            None => families.push(Family { base: site.base, factor, rests: vec![rest] }),
        }
    }
    for family in &mut families {
        sort_by_distance(&mut family.rests);
    }
    families
}

/// Whether no value of a polynomial is defined in a loop.
fn is_invariant(ir: &Ir, sum: &Polynomial, loop_op: Op) -> bool {
    !sum.values().iter().any(|&value| is_defined_inside(ir, value, loop_op))
}

/// Brings multiples of one distance (rows) into their order, so that each lies one step behind the
/// one before.
fn sort_by_distance(rests: &mut [Polynomial]) {
    let Some(first) = rests.first().cloned() else { return };
    let distance = |rest: &Polynomial| rest.plus(&first, -1).unwrap_or_default();
    let unit = rests.iter().map(distance).find_map(|difference| {
        let monomial = difference.terms().next()?.0.clone();
        Some(monomial)
    });
    if let Some(unit) = unit {
        rests.sort_by_key(|rest| distance(rest).coefficient(&unit));
    }
}

/// Gives the loop a pointer to the family's first position of each round, and the round the
/// pointers to the others. Returns the new loop.
fn carry_family(
    ir: &mut Ir,
    view: scf::ForOp,
    family: &Family,
    addresses: &mut Addresses,
) -> Option<Op> {
    let (first, last) = (family.rests.first()?, family.rests.last()?);
    let (lower, step) = (polynomial(ir, view.lowerBound(ir)), polynomial(ir, view.step(ir)));
    let start = family.factor.times(&lower)?.plus(first, 1)?;
    let growth = family.factor.times(&step)?;
    // Onwards by a constant from the first pointer, else by what is left of it from the last one.
    let (from_first, growth) = match growth.as_constant() {
        Some(_) => (true, growth),
        None => (false, growth.plus(last, -1)?.plus(first, 1)?),
    };
    let gaps: Option<Vec<Polynomial>> =
        family.rests.windows(2).map(|pair| pair[1].plus(&pair[0], -1)).collect();
    let gaps = gaps?;

    let mut b = Builder::before(ir, view.op());
    let base = to_ptr(&mut b, family.base);
    let start = advance(&mut b, base, &start);
    let ty = b.ty(start);
    let (variable, body) = (view.induction_var(ir), view.body(ir));
    let location = ir.location(view.op());
    let new = scf::ForOp(carry::append(ir, view.op(), &[start], &[ty]));
    let carried = ir.add_argument(body, ty, location);
    let around = Polynomial::value(variable).times(&family.factor)?;
    let mut pointer = carried;
    addresses.note(family.base, around.plus(first, 1)?, pointer, body);
    let mut b = Builder::at_start(ir, body, location);
    for (gap, rest) in gaps.iter().zip(&family.rests[1..]) {
        pointer = advance(&mut b, pointer, gap);
        addresses.note(family.base, around.plus(rest, 1)?, pointer, body);
    }
    let end = new.terminator(ir);
    let from = if from_first { carried } else { pointer };
    let next = advance(&mut Builder::before(ir, end), from, &growth);
    ir.push_operand(end, next);
    Some(new.op())
}

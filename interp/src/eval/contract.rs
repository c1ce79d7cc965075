//! Vectors combined along dimensions.

use gpuc_dialects::vector;
use gpuc_ir::{Op, Value};

use super::combine::Combine;
use super::vector::{own_elements, position, shape};
use super::{Family, Handler, Step};
use crate::access::{all_indices, count};
use crate::interpreter::{Fault, Interpreter};
use crate::value::{Float, Int, RtValue};

pub(super) const OPS: Family = &[
    (vector::MultiDimReductionOp::NAME, Handler::leaf(multi_reduction)),
    (vector::ScanOp::NAME, Handler::leaf(scan)),
    (vector::OuterProductOp::NAME, Handler::leaf(outer_product)),
    (vector::ContractionOp::NAME, Handler::leaf(contraction)),
];

/// Points of an iteration space, at most.
const MOST_POINTS: u128 = 1 << 24;

fn combine(m: &Interpreter<'_>, op: Op) -> Result<Combine, Fault> {
    let found = Combine::from_keyword(&vector::kind(m.ir, op));
    found.ok_or_else(|| m.error(op, "has no valid kind"))
}

/// The elements of an operand (a scalar is one), and its extents.
fn whole(m: &Interpreter<'_>, value: Value) -> Result<(Vec<RtValue>, Vec<i64>), Fault> {
    let ty = m.ir.ty(value);
    Ok((own_elements(m, m.get(value)?, ty), shape(m, ty)))
}

fn give(m: &mut Interpreter<'_>, op: Op, all: Vec<RtValue>) -> Step {
    let is_vector = m.ir.ctx.is_vector(m.ir.ty(m.ir.result(op, 0)));
    let value = match (&all[..], is_vector) {
        ([one], false) => one.clone(),
        _ => RtValue::Vector(all.into()),
    };
    m.set_result(op, value)
}

fn missing(m: &Interpreter<'_>, op: Op) -> Fault {
    m.error(op, "accesses an element that the vector does not have")
}

fn multi_reduction(m: &mut Interpreter<'_>, op: Op) -> Step {
    let how = combine(m, op)?;
    let (source, extents) = whole(m, m.ir.operand(op, 0))?;
    let (mut sums, _) = whole(m, m.ir.operand(op, 1))?;
    let dims = vector::numbers(m.ir, op, "reduction_dims");
    let kept: Vec<usize> = (0..extents.len()).filter(|&d| !dims.contains(&(d as i64))).collect();
    let rest: Vec<i64> = kept.iter().map(|&d| extents[d]).collect();
    for (at, element) in all_indices(&extents).zip(&source) {
        let to: Vec<i64> = kept.iter().map(|&d| at[d]).collect();
        let slot = position(&to, &rest);
        let so_far = sums.get(slot).cloned().ok_or_else(|| missing(m, op))?;
        sums[slot] = how.apply(m, op, &so_far, element)?;
    }
    give(m, op, sums)
}

fn scan(m: &mut Interpreter<'_>, op: Op) -> Step {
    let view = vector::ScanOp(op);
    let how = combine(m, op)?;
    let (source, extents) = whole(m, view.source(m.ir))?;
    let (mut sums, rest) = whole(m, view.initial_value(m.ir))?;
    let number = |attr: Option<gpuc_ir::Attr>| attr.and_then(|attr| m.ir.ctx.i64_value(attr));
    let dim = number(view.reduction_dim(m.ir)).unwrap_or_default() as usize;
    let inclusive = number(view.inclusive(m.ir)).unwrap_or_default() != 0;
    let mut results = Vec::new();
    for (at, element) in all_indices(&extents).zip(&source) {
        let mut to = at.clone();
        let along = to.remove(dim);
        let slot = position(&to, &rest);
        let so_far = sums.get(slot).cloned().ok_or_else(|| missing(m, op))?;
        let with = match inclusive && along == 0 {
            // The first element stands for itself: the initial value is for what is exclusive.
            true => element.clone(),
            false => how.apply(m, op, &so_far, element)?,
        };
        results.push(if inclusive { with.clone() } else { so_far });
        sums[slot] = with;
    }
    // What is accumulated is what the last place along the dimension has.
    let last = extents.get(dim).copied().unwrap_or(1) - 1;
    let mut accumulated = Vec::new();
    for (at, value) in all_indices(&extents).zip(&results) {
        if at[dim] == last {
            accumulated.push(value.clone());
        }
    }
    let values = [results, accumulated].map(|all| RtValue::Vector(all.into()));
    m.set_results(op, values.into())
}

fn outer_product(m: &mut Interpreter<'_>, op: Op) -> Step {
    let view = vector::OuterProductOp(op);
    let how = combine(m, op)?;
    let (left, _) = whole(m, view.lhs(m.ir))?;
    let (right, _) = whole(m, view.rhs(m.ir))?;
    let sums = view.acc(m.ir).map(|acc| whole(m, acc)).transpose()?;
    let mut results = Vec::new();
    for a in &left {
        for b in &right {
            let product = Combine::Mul.apply(m, op, a, b)?;
            results.push(match &sums {
                Some((sums, _)) => {
                    let so_far = sums.get(results.len()).ok_or_else(|| missing(m, op))?;
                    how.apply(m, op, so_far, &product)?
                }
                None => product,
            });
        }
    }
    give(m, op, results)
}

/// A number of the left or right side as one of the result's type.
fn promoted(value: &RtValue, example: &RtValue) -> RtValue {
    match (value, example) {
        (RtValue::Int(a), RtValue::Int(b)) => RtValue::Int(Int::new(a.signed(), b.width())),
        (RtValue::Float(a), RtValue::Float(b)) => RtValue::Float(Float::new(a.value(), b.kind())),
        _ => value.clone(),
    }
}

fn contraction(m: &mut Interpreter<'_>, op: Op) -> Step {
    let view = vector::ContractionOp(op);
    let how = combine(m, op)?;
    let maps = view.maps(m.ir);
    let dims: Option<Vec<Vec<usize>>> =
        maps.iter().map(|&map| vector::ContractionOp::dims(m.ir, map)).collect();
    let Some([a, b, c]) = dims.and_then(|dims| <[Vec<usize>; 3]>::try_from(dims).ok()) else {
        return Err(m.error(op, "has maps that are no permutations"));
    };
    let (left, left_extents) = whole(m, view.lhs(m.ir))?;
    let (right, right_extents) = whole(m, view.rhs(m.ir))?;
    let (mut sums, sum_extents) = whole(m, view.acc(m.ir))?;
    let inputs = maps.first().map_or(0, |&map| m.ir.ctx.map_data(map).dims as usize);
    let mut space = vec![1i64; inputs];
    for (dims, extents) in [(&a, &left_extents), (&b, &right_extents), (&c, &sum_extents)] {
        for (&dim, &extent) in dims.iter().zip(extents) {
            space[dim] = extent;
        }
    }
    if count(&space) > MOST_POINTS {
        return Err(m.error(op, format!("has more than {MOST_POINTS} products")));
    }
    let place = |at: &[i64], dims: &[usize], extents: &[i64]| {
        let index: Vec<i64> = dims.iter().map(|&dim| at[dim]).collect();
        position(&index, extents)
    };
    for at in all_indices(&space) {
        let slot = place(&at, &c, &sum_extents);
        let so_far = sums.get(slot).cloned().ok_or_else(|| missing(m, op))?;
        let x = left.get(place(&at, &a, &left_extents)).ok_or_else(|| missing(m, op))?;
        let y = right.get(place(&at, &b, &right_extents)).ok_or_else(|| missing(m, op))?;
        let (x, y) = (promoted(x, &so_far), promoted(y, &so_far));
        let product = Combine::Mul.apply(m, op, &x, &y)?;
        sums[slot] = how.apply(m, op, &so_far, &product)?;
    }
    give(m, op, sums)
}

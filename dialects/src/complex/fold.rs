//! Folds and patterns.

use gpuc_ir::op::Fold;
use gpuc_ir::rewrite::{Pattern, Rewriter};
use gpuc_ir::{Attr, Builder, Ir, Op, OpView, Type, Value};

use super::ops::*;
use crate::arith;
use crate::arith::fold::{defined_by, is_computable};

type Constants<'a> = &'a [Option<Attr>];

/// [`gpuc_ir::context::DialectDef::materialize`] of the dialect.
pub(super) fn materialize(b: &mut Builder<'_>, value: Attr, ty: Type) -> Option<Op> {
    let complex = part(&b.ctx, ty).is_some() && b.ctx.array_value(value).is_some();
    complex.then(|| ConstantOp::new(b).attr(b, "value", value).result(ty).build(b))
}

/// The parts of a constant, if they are computed with.
fn parts(ir: &Ir, constant: Option<Attr>) -> Option<(f64, f64)> {
    let &[re, im] = ir.ctx.array_value(constant?)? else { return None };
    is_computable(&ir.ctx, ir.ctx.attr_type(re)?)
        .then_some((ir.ctx.float_value(re)?, ir.ctx.float_value(im)?))
}

fn number(ir: &mut Ir, op: Op, (re, im): (f64, f64)) -> Fold {
    let Some(part) = part(&ir.ctx, ir.ty(ir.result(op, 0))) else { return Fold::None };
    let parts = [re, im].map(|value| ir.ctx.float_attr(value, part));
    Fold::one(ir.ctx.array_attr(&parts))
}

/// Whether a constant is this number, in whatever format.
fn is(ir: &Ir, constant: Option<Attr>, (re, im): (f64, f64)) -> bool {
    let parts = constant.and_then(|constant| ir.ctx.array_value(constant)).unwrap_or(&[]);
    let same = |attr: Attr, value: f64| {
        ir.ctx.float_value(attr).is_some_and(|number| number.to_bits() == value.to_bits())
    };
    matches!(*parts, [a, b] if same(a, re) && same(b, im))
}

type Number = (f64, f64);

fn both(ir: &mut Ir, op: Op, c: Constants<'_>, f: fn(Number, Number) -> Number) -> Fold {
    match (parts(ir, c[0]), parts(ir, c[1])) {
        (Some(a), Some(b)) => number(ir, op, f(a, b)),
        _ => Fold::None,
    }
}

pub(super) fn add(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    // Of either sign zero is nothing only where it is the negative one.
    if is(ir, c[1], (-0.0, -0.0)) {
        return Fold::one(ir.operand(op, 0));
    }
    both(ir, op, c, |a, b| (a.0 + b.0, a.1 + b.1))
}

pub(super) fn sub(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    if is(ir, c[1], (0.0, 0.0)) {
        return Fold::one(ir.operand(op, 0));
    }
    both(ir, op, c, |a, b| (a.0 - b.0, a.1 - b.1))
}

pub(super) fn mul(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    for (one, other) in [(0, 1), (1, 0)] {
        if is(ir, c[one], (1.0, 0.0)) {
            return Fold::one(ir.operand(op, other));
        }
    }
    Fold::None
}

pub(super) fn div(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    match is(ir, c[1], (1.0, 0.0)) {
        true => Fold::one(ir.operand(op, 0)),
        false => Fold::None,
    }
}

pub(super) fn neg(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    match parts(ir, c[0]) {
        Some((re, im)) => number(ir, op, (-re, -im)),
        None => Fold::None,
    }
}

pub(super) fn conj(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    match parts(ir, c[0]) {
        Some((re, im)) => number(ir, op, (re, -im)),
        None => Fold::None,
    }
}

pub(super) fn exp(ir: &mut Ir, op: Op, _: Constants<'_>) -> Fold {
    match defined_by::<LogOp>(ir, ir.operand(op, 0)) {
        Some(log) => Fold::one(log.complex(ir)),
        None => Fold::None,
    }
}

/// The logarithm of an exponential is what was given where its imaginary part is the principal one.
pub(super) fn log(ir: &mut Ir, op: Op, _: Constants<'_>) -> Fold {
    let Some(exp) = defined_by::<ExpOp>(ir, ir.operand(op, 0)) else { return Fold::None };
    let given = exp.complex(ir);
    let constant = gpuc_ir::rewrite::constant_value(ir, given);
    match parts(ir, constant) {
        Some((_, im)) if im.abs() < std::f64::consts::PI => Fold::one(given),
        _ => Fold::None,
    }
}

pub(super) fn one_part(ir: &mut Ir, op: Op, c: Constants<'_>, index: usize) -> Fold {
    if let Some(parts) = c[0].and_then(|constant| ir.ctx.array_value(constant)) {
        return parts.get(index).map_or(Fold::None, |&part| Fold::one(part));
    }
    match defined_by::<CreateOp>(ir, ir.operand(op, 0)) {
        Some(create) => Fold::one(ir.operand(create.0, index)),
        None => Fold::None,
    }
}

pub(super) fn create(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    if let (Some(re), Some(im)) = (c[0], c[1]) {
        return Fold::one(ir.ctx.array_attr(&[re, im]));
    }
    let (real, imaginary) = (ir.operand(op, 0), ir.operand(op, 1));
    let re = defined_by::<ReOp>(ir, real).map(|re| re.complex(ir));
    let im = defined_by::<ImOp>(ir, imaginary).map(|im| im.complex(ir));
    match (re, im) {
        (Some(a), Some(b)) if a == b => Fold::one(a),
        _ => Fold::None,
    }
}

pub(super) const RE: &[Pattern] = &[Pattern { name: "real-of-negative", apply: part_of_negative }];
pub(super) const IM: &[Pattern] =
    &[Pattern { name: "imaginary-of-negative", apply: part_of_negative }];

/// A part of the negative of a created number is the negative of the part.
fn part_of_negative(rw: &mut Rewriter<'_>, op: Op) -> bool {
    let Some(neg) = defined_by::<NegOp>(rw, rw.operand(op, 0)) else { return false };
    let Some(create) = defined_by::<CreateOp>(rw, neg.complex(rw)) else { return false };
    let index = usize::from(ImOp::is(rw, op));
    let part = rw.operand(create.0, index);
    let mut b = rw.before(op);
    let value = arith::NegFOp::new(&mut b, part).value(&mut b);
    rw.replace(op, &[value]);
    true
}

/// There and back again is nothing.
pub(super) fn bitcast(ir: &mut Ir, op: Op, _: Constants<'_>) -> Fold {
    let Some(inner) = defined_by::<BitcastOp>(ir, ir.operand(op, 0)) else { return Fold::None };
    let first = inner.operand(ir);
    match ir.ty(first) == ir.ty(ir.result(op, 0)) {
        true => Fold::one(first),
        false => Fold::None,
    }
}

/// Of `complex.bitcast` and `arith.bitcast`.
pub(crate) const BITCAST: &[Pattern] =
    &[Pattern { name: "bitcast-of-complex", apply: merge_bitcasts }];

/// Bits reinterpreted twice are reinterpreted once, by who may.
fn merge_bitcasts(rw: &mut Rewriter<'_>, op: Op) -> bool {
    let operand = rw.operand(op, 0);
    let first: Value = if let Some(inner) = defined_by::<BitcastOp>(rw, operand) {
        inner.operand(rw)
    } else if let Some(inner) = defined_by::<arith::BitcastOp>(rw, operand)
        && BitcastOp::is(rw, op)
    {
        inner.input(rw)
    } else {
        return false;
    };
    let ty = rw.ty(rw.result(op, 0));
    let complex = part(&rw.ctx, rw.ty(first)).is_some() || part(&rw.ctx, ty).is_some();
    let mut b = rw.before(op);
    let value = match complex {
        true => BitcastOp::new(&mut b, first).result(ty).value(&mut b),
        false => arith::BitcastOp::new(&mut b, first).result(ty).value(&mut b),
    };
    rw.replace(op, &[value]);
    true
}

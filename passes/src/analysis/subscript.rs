//! Values of index type in closed form.

use gpuc_dialects::offload::{FITS_ATTR, FITS_UNSIGNED_ATTR};
use gpuc_dialects::{affine, arith};
use gpuc_ir::affine::{AffineExprKind, BinaryOp};
use gpuc_ir::{AffineExpr, Ir, Op, OpView, Value};

use super::loops::dimensions;
use super::polynomial::Polynomial;
use super::range::{Range, promises_no_signed_wrap, range};

/// How many definitions deep the search goes; what is deeper stays a value of its own.
const DEPTH: u32 = 32;

/// An integer value as a polynomial over values whose definitions say no more: loop variables,
/// arguments, loaded numbers. Widenings are looked through where they keep the number, and
/// arithmetic where it does not wrap: because the program promises so (`nsw`), because the intervals
/// of the operands show it, or because it is done in 64 bits, where subscripts are taken not to.
pub fn polynomial(ir: &Ir, value: Value) -> Polynomial {
    build(ir, value, DEPTH, Keep { any: None, factors: None })
}

/// The same, but sums that are factors of a product stay values of their own where `factors` says so:
/// in `i * (n + 2) + j` the extent of a row is one number.
pub fn polynomial_keeping(ir: &Ir, value: Value, factors: &dyn Fn(Value) -> bool) -> Polynomial {
    build(ir, value, DEPTH, Keep { any: None, factors: Some(factors) })
}

/// The same, but any value that `any` says so of stays as it is, and with it what is known of it: in
/// `i + (n + 2)` the sum of two 32-bit numbers is one.
pub fn polynomial_over(ir: &Ir, value: Value, any: &dyn Fn(Value) -> bool) -> Polynomial {
    build(ir, value, DEPTH, Keep { any: Some(any), factors: None })
}

/// The same with both.
pub fn polynomial_over_keeping(
    ir: &Ir,
    value: Value,
    any: &dyn Fn(Value) -> bool,
    factors: &dyn Fn(Value) -> bool,
) -> Polynomial {
    build(ir, value, DEPTH, Keep { any: Some(any), factors: Some(factors) })
}

/// Which values are not looked behind: some wherever they are, sums where they are factors.
#[derive(Clone, Copy)]
struct Keep<'a> {
    any: Option<&'a dyn Fn(Value) -> bool>,
    factors: Option<&'a dyn Fn(Value) -> bool>,
}

fn build(ir: &Ir, value: Value, depth: u32, keep: Keep<'_>) -> Polynomial {
    if let Some(constant) = arith::constant_index_value(ir, value) {
        return Polynomial::constant(constant);
    }
    if keep.any.is_some_and(|keep| keep(value)) {
        return Polynomial::value(value);
    }
    let known = ir
        .defining_op(value)
        .filter(|_| depth > 0)
        .and_then(|op| of_result(ir, op, depth - 1, keep));
    known.unwrap_or_else(|| Polynomial::value(value))
}

/// A product, its factors expanded unless they are sums to be kept.
fn product(ir: &Ir, op: Op, depth: u32, keep: Keep<'_>) -> Option<Polynomial> {
    let [a, b] = [0, 1].map(|i| (ir.operand(op, i), build(ir, ir.operand(op, i), depth, keep)));
    if a.1.as_constant().is_some() || b.1.as_constant().is_some() {
        return a.1.times(&b.1);
    }
    let factor = |(value, form): (Value, Polynomial)| {
        let value = uncast(ir, value);
        let whole = form.terms().nth(1).is_some() && keep.factors.is_some_and(|keep| keep(value));
        if whole { Polynomial::value(value) } else { form }
    };
    factor(a).times(&factor(b))
}

/// The value that was widened, sign and all.
fn uncast(ir: &Ir, value: Value) -> Value {
    let mut at = value;
    while let Some(op) = ir.defining_op(at) {
        let widens = (arith::IndexCastOp::is(ir, op) || arith::ExtSIOp::is(ir, op))
            && bits(ir, ir.operand(op, 0)) <= bits(ir, at);
        if !widens {
            break;
        }
        at = ir.operand(op, 0);
    }
    at
}

fn bits(ir: &Ir, value: Value) -> u32 {
    ir.ctx.int_or_index_width(ir.ty(value)).unwrap_or(0)
}

fn of_result(ir: &Ir, op: Op, depth: u32, keep: Keep<'_>) -> Option<Polynomial> {
    let operand = |index: usize| build(ir, ir.operand(op, index), depth, keep);
    // Vectors have no number.
    let width = bits(ir, *ir.results(op).first()?);
    if width == 0 {
        return None;
    }
    match ir.name(op) {
        arith::AddIOp::NAME if keeps(ir, op, width) => operand(0).plus(&operand(1), 1),
        arith::SubIOp::NAME if keeps(ir, op, width) => operand(0).plus(&operand(1), -1),
        arith::MulIOp::NAME if keeps(ir, op, width) => product(ir, op, depth, keep),
        arith::ShLIOp::NAME if width >= 64 || promises_no_signed_wrap(ir, op) => {
            let shift = arith::constant_index_value(ir, ir.operand(op, 1));
            let shift = shift.filter(|&n| (0..i64::from(width.min(63))).contains(&n))?;
            operand(0).times(&Polynomial::constant(1 << shift))
        }
        arith::IndexCastOp::NAME | arith::ExtSIOp::NAME | arith::TruncIOp::NAME => {
            let source = ir.operand(op, 0);
            let fits = bits(ir, source) <= width
                || ir.attr(op, FITS_ATTR).is_some()
                || range(ir, source).is_within(Range::signed(width))
                || stays_within(
                    ir,
                    &build(ir, source, depth, Keep { any: None, factors: None }),
                    Range::signed(width),
                );
            fits.then(|| build(ir, source, depth, keep))
        }
        arith::ExtUIOp::NAME | arith::IndexCastUIOp::NAME => {
            unsigned_cast(ir, op, width, depth, keep)
        }
        affine::AffineApplyOp::NAME => {
            let value = affine::AffineApplyOp(op).value(ir)?;
            let [result] = *value.results(&ir.ctx) else { return None };
            of_affine(ir, result, &value)
        }
        _ => None,
    }
}

/// Whether a sum of loop variables stays within a range because of their bounds: `n - 1 - i` for `i` from
/// 0 to below `n`, which counts down from what is in the range to 0.
fn stays_within(ir: &Ir, form: &Polynomial, limits: Range) -> bool {
    let extreme = |greatest: bool| {
        let mut form = form.clone();
        // Bounds hold variables of loops further out.
        for _ in 0..MOST_LOOPS {
            let inner = form.values().into_iter().find_map(|value| {
                let owner = ir.value_block(value).and_then(|block| ir.block_op(block))?;
                let dims = dimensions(ir, owner);
                Some((value, dims.into_iter().find(|dim| dim.variable == value)?))
            });
            let Some((value, dim)) = inner else { break };
            let factor = form.coefficient(&[value]);
            let bound = match (factor > 0) == greatest {
                true => dim.upper.first()?.plus(&Polynomial::constant(1), -1)?,
                false => dim.lower.first()?.clone(),
            };
            form = form.plus(&Polynomial::value(value), -factor)?.plus(&bound, factor)?;
            if form.values().contains(&value) {
                return None;
            }
        }
        Some(form.range(ir))
    };
    extreme(false).is_some_and(|range| range.min >= limits.min)
        && extreme(true).is_some_and(|range| range.max <= limits.max)
}

/// Loops whose variables are in one subscript, at most.
const MOST_LOOPS: usize = 8;

/// A widening that takes the number as unsigned: the same number if it is not negative, or if it
/// was cut from an unsigned number of that width just before.
fn unsigned_cast(ir: &Ir, op: Op, width: u32, depth: u32, keep: Keep<'_>) -> Option<Polynomial> {
    let source = ir.operand(op, 0);
    let from = bits(ir, source);
    if from > width {
        return None;
    }
    // Of as many bits it is the same number: no subscript is beyond the greatest signed one.
    if from == 64 || range(ir, source).min >= 0 {
        return Some(build(ir, source, depth, keep));
    }
    let cut = ir.defining_op(source).filter(|&cut| {
        arith::TruncIOp::is(ir, cut)
            || arith::IndexCastOp::is(ir, cut)
            || arith::IndexCastUIOp::is(ir, cut)
    })?;
    let original = ir.operand(cut, 0);
    let fits = ir.attr(cut, FITS_UNSIGNED_ATTR).is_some()
        || range(ir, original).is_within(Range::unsigned(from));
    fits.then(|| build(ir, original, depth, keep))
}

/// Whether the result of an addition, subtraction or multiplication is the true one.
fn keeps(ir: &Ir, op: Op, width: u32) -> bool {
    if width >= 64 || promises_no_signed_wrap(ir, op) {
        return true;
    }
    // The interval of the operation itself is cut to its type; that of the operands is not.
    let (a, b) = (range(ir, ir.operand(op, 0)), range(ir, ir.operand(op, 1)));
    let exact = match ir.name(op) {
        arith::AddIOp::NAME => Range { min: a.min + b.min, max: a.max + b.max },
        arith::SubIOp::NAME => Range { min: a.min - b.max, max: a.max - b.min },
        _ => a.times(b),
    };
    exact.is_within(Range::signed(width))
}

/// An affine expression over operands; `None` for divisions.
pub fn of_affine(ir: &Ir, expr: AffineExpr, value: &affine::AffineValue) -> Option<Polynomial> {
    of_affine_over(ir, expr, value.dims(&ir.ctx), &value.operands, &|operand| {
        polynomial(ir, operand)
    })
}

/// The same, of operands of which the first `dims` are dimensions, with another way to bring them into closed form.
pub fn of_affine_over(
    ir: &Ir,
    expr: AffineExpr,
    dims: usize,
    operands: &[Value],
    form: &dyn Fn(Value) -> Polynomial,
) -> Option<Polynomial> {
    let operand = |index: usize| Some(form(*operands.get(index)?));
    match *ir.ctx.expr_kind(expr) {
        AffineExprKind::Constant(number) => Some(Polynomial::constant(number)),
        AffineExprKind::Dim(index) => operand(index as usize),
        AffineExprKind::Symbol(index) => operand(dims + index as usize),
        AffineExprKind::Binary(op, a, b) => {
            let [a, b] = [a, b].map(|expr| of_affine_over(ir, expr, dims, operands, form));
            let (a, b) = (a?, b?);
            match op {
                BinaryOp::Add => a.plus(&b, 1),
                BinaryOp::Mul => a.times(&b),
                _ => None,
            }
        }
    }
}

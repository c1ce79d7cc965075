//! Intervals of integer values: what is known without following control flow.

use gpuc_dialects::{affine, arith};
use gpuc_ir::affine::{AffineExprKind, BinaryOp};
use gpuc_ir::op::LoopBound;
use gpuc_ir::{AffineExpr, Ir, Op, Value, ValueDef};

use super::polynomial::Polynomial;

/// The least and the greatest value, signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The least.
    pub min: i128,
    /// The greatest.
    pub max: i128,
}

impl Range {
    fn new(min: i128, max: i128) -> Range {
        Range { min, max }
    }

    /// What a signed integer of so many bits can be.
    pub fn signed(width: u32) -> Range {
        let half = 1i128 << (width.clamp(1, 64) - 1);
        Range::new(-half, half - 1)
    }

    /// Whether every value of `self` is one of `other`.
    pub fn is_within(self, other: Range) -> bool {
        other.min <= self.min && self.max <= other.max
    }

    fn meet(self, other: Range) -> Range {
        let (min, max) = (self.min.max(other.min), self.max.min(other.max));
        // Nothing left: the code is not reached; any answer is right.
        if min > max { other } else { Range::new(min, max) }
    }

    /// Products of one of each.
    pub fn times(self, other: Range) -> Range {
        let [a, b, c, d] = [
            self.min * other.min,
            self.min * other.max,
            self.max * other.min,
            self.max * other.max,
        ];
        Range::new(a.min(b).min(c).min(d), a.max(b).max(c).max(d))
    }

    /// The greater of one of each.
    pub fn above(self, other: Range) -> Range {
        Range::new(self.min.max(other.min), self.max.max(other.max))
    }

    /// The less of one of each.
    pub fn below(self, other: Range) -> Range {
        Range::new(self.min.min(other.min), self.max.min(other.max))
    }

    fn join(self, other: Range) -> Range {
        Range::new(self.min.min(other.min), self.max.max(other.max))
    }
}

impl Polynomial {
    /// What it can be; whatever 64 bits hold where that is more.
    pub fn range(&self, ir: &Ir) -> Range {
        let all = Range::signed(64);
        let mut sum = Range::new(0, 0);
        for (monomial, coefficient) in self.terms() {
            let mut term = Range::new(coefficient.into(), coefficient.into());
            for &value in monomial {
                term = term.times(range(ir, value));
                if !term.is_within(all) {
                    return all;
                }
            }
            sum = Range::new(sum.min + term.min, sum.max + term.max);
        }
        if sum.is_within(all) { sum } else { all }
    }
}

/// How many definitions deep the search goes.
const DEPTH: u32 = 12;

/// Bits of an integer or index type.
fn width(ir: &Ir, value: Value) -> u32 {
    ir.ctx.int_or_index_width(ir.ty(value)).unwrap_or(64).min(64)
}

/// What a value of integer or index type can be.
pub fn range(ir: &Ir, value: Value) -> Range {
    bounded(ir, value, DEPTH)
}

fn bounded(ir: &Ir, value: Value, depth: u32) -> Range {
    let all = Range::signed(width(ir, value));
    if let Some(constant) = arith::constant_int_value(ir, value) {
        return Range::new(constant, constant);
    }
    if depth == 0 {
        return all;
    }
    match ir.value_def(value) {
        ValueDef::Result(op, _) => of_result(ir, op, all, depth - 1),
        ValueDef::Argument(block, index) => match ir.block_op(block) {
            Some(owner) => of_induction(ir, owner, index as usize, depth - 1).unwrap_or(all),
            None => all,
        },
    }
}

/// From the lower bound to one below the upper bound.
fn of_induction(ir: &Ir, owner: Op, index: usize, depth: u32) -> Option<Range> {
    let dim = ir.loop_dimensions(owner).into_iter().nth(index)?;
    let (lower, upper) = (of_bound(ir, &dim.lower, depth)?, of_bound(ir, &dim.upper, depth)?);
    Some(Range::new(lower.min, (upper.max - 1).max(lower.min)))
}

/// The interval of a bound. The greatest of several lower bounds is no less than any of them, and so
/// on: one is enough.
fn of_bound(ir: &Ir, bound: &LoopBound, depth: u32) -> Option<Range> {
    match bound {
        LoopBound::Value(value) => Some(bounded(ir, *value, depth)),
        LoopBound::Map { map, results, operands } => {
            let value = affine::AffineValue::new(*map, operands);
            let expr = *value.results(&ir.ctx).get(results.start)?;
            of_expr(ir, expr, &value, depth)
        }
    }
}

fn of_expr(ir: &Ir, expr: AffineExpr, value: &affine::AffineValue, depth: u32) -> Option<Range> {
    let operand = |index: usize| Some(bounded(ir, *value.operands.get(index)?, depth));
    let range = match *ir.ctx.expr_kind(expr) {
        AffineExprKind::Constant(number) => Range::new(number.into(), number.into()),
        AffineExprKind::Dim(index) => operand(index as usize)?,
        AffineExprKind::Symbol(index) => operand(value.dims(&ir.ctx) + index as usize)?,
        AffineExprKind::Binary(op, a, b) => {
            let (a, b) = (of_expr(ir, a, value, depth)?, of_expr(ir, b, value, depth)?);
            match op {
                BinaryOp::Add => Range::new(a.min + b.min, a.max + b.max),
                BinaryOp::Mul => a.times(b),
                BinaryOp::Mod if b.min > 0 => Range::new(0, b.max - 1),
                BinaryOp::FloorDiv | BinaryOp::CeilDiv if b.min > 0 => {
                    Range::new(a.min.min(0), a.max.max(0))
                }
                _ => return None,
            }
        }
    };
    // Beyond 64 bits the value wraps.
    Some(if range.is_within(Range::signed(64)) { range } else { Range::signed(64) })
}

fn of_result(ir: &Ir, op: Op, all: Range, depth: u32) -> Range {
    let operand = |index: usize| bounded(ir, ir.operand(op, index), depth);
    let computed = |range: Range, wraps: bool| match (range.is_within(all), wraps) {
        (true, _) => range,
        // The program promises that there is no overflow.
        (false, false) => range.meet(all),
        (false, true) => all,
    };
    let wraps = !promises_no_signed_wrap(ir, op);
    match ir.name(op) {
        arith::AddIOp::NAME => {
            let (a, b) = (operand(0), operand(1));
            computed(Range::new(a.min + b.min, a.max + b.max), wraps)
        }
        arith::SubIOp::NAME => {
            let (a, b) = (operand(0), operand(1));
            computed(Range::new(a.min - b.max, a.max - b.min), wraps)
        }
        arith::MulIOp::NAME => computed(operand(0).times(operand(1)), wraps),
        arith::IndexCastOp::NAME | arith::TruncIOp::NAME | arith::ExtSIOp::NAME => {
            computed(operand(0), true)
        }
        arith::ExtUIOp::NAME | arith::IndexCastUIOp::NAME => {
            let source = operand(0);
            let bits = width(ir, ir.operand(op, 0));
            if source.min >= 0 {
                computed(source, true)
            } else {
                computed(Range::new(0, (1i128 << bits) - 1), true)
            }
        }
        arith::MaxSIOp::NAME => {
            let (a, b) = (operand(0), operand(1));
            Range::new(a.min.max(b.min), a.max.max(b.max))
        }
        arith::MinSIOp::NAME => {
            let (a, b) = (operand(0), operand(1));
            Range::new(a.min.min(b.min), a.max.min(b.max))
        }
        arith::RemSIOp::NAME => match (operand(0), operand(1)) {
            (a, b) if b.min > 0 => {
                let most = b.max - 1;
                Range::new(if a.min >= 0 { 0 } else { -most }, if a.max <= 0 { 0 } else { most })
            }
            _ => all,
        },
        arith::CeilDivSIOp::NAME => match (operand(0), operand(1)) {
            // Quotients grow with the dividend, and shrink towards zero with the divisor.
            (a, b) if b.min > 0 => {
                let up = |n: i128, d: i128| n.div_euclid(d) + i128::from(n.rem_euclid(d) != 0);
                Range::new(
                    up(a.min, if a.min < 0 { b.min } else { b.max }),
                    up(a.max, if a.max < 0 { b.max } else { b.min }),
                )
            }
            _ => all,
        },
        arith::DivSIOp::NAME | arith::FloorDivSIOp::NAME => match (operand(0), operand(1)) {
            // Away from zero by one at most, through rounding.
            (a, b) if b.min > 0 => {
                Range::new(if a.min >= 0 { 0 } else { a.min }, if a.max <= 0 { 0 } else { a.max })
            }
            _ => all,
        },
        arith::RemUIOp::NAME => match (operand(0), operand(1)) {
            (a, b) if a.min >= 0 && b.min > 0 => Range::new(0, a.max.min(b.max - 1)),
            _ => all,
        },
        arith::DivUIOp::NAME | arith::CeilDivUIOp::NAME => match (operand(0), operand(1)) {
            (a, b) if a.min >= 0 && b.min > 0 => {
                Range::new(a.min / b.max, (a.max + b.min - 1) / b.min)
            }
            _ => all,
        },
        arith::ShRUIOp::NAME => match (operand(0), operand(1)) {
            (a, b) if a.min >= 0 && b.min == b.max && (0..64).contains(&b.min) => {
                Range::new(a.min >> b.min, a.max >> b.min)
            }
            _ => all,
        },
        arith::AndIOp::NAME => match (operand(0), operand(1)) {
            (_, mask) if mask.min >= 0 => Range::new(0, mask.max),
            (mask, _) if mask.min >= 0 => Range::new(0, mask.max),
            _ => all,
        },
        arith::SelectOp::NAME => operand(1).join(operand(2)).meet(all),
        name if name.starts_with("gpu.") => {
            // Numbers of processors say below which they stay.
            let bound = ir.attr(op, "upper_bound").and_then(|attr| ir.ctx.i64_value(attr));
            bound.map_or(all, |bound| Range::new(0, i128::from(bound) - 1))
        }
        affine::AffineApplyOp::NAME => affine::AffineApplyOp(op)
            .value(ir)
            .and_then(|value| of_expr(ir, *value.results(&ir.ctx).first()?, &value, depth))
            .unwrap_or(all),
        _ => all,
    }
}

/// Whether signed overflow of an operation is undefined.
pub fn promises_no_signed_wrap(ir: &Ir, op: Op) -> bool {
    let flags = ir.attr(op, "overflowFlags");
    flags.and_then(|attr| arith::OVERFLOW_FLAGS.number(&ir.ctx, attr)).is_some_and(|n| n & 1 != 0)
}

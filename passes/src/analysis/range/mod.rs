//! Intervals of integer values: what is known without following control flow.

use gpuc_arch::{MAX_GRID_X, MAX_THREADS_PER_BLOCK, WARP_SIZE};
use gpuc_dialects::{affine, arith, gpu, memref};
use gpuc_ir::affine::{AffineExprKind, BinaryOp};
use gpuc_ir::op::{LoopBound, MemoryAccess, Subscripts};
use gpuc_ir::{AffineExpr, Ir, Op, OpView, Value, ValueDef};

use super::integer::{Binary, Cast, binary};
use super::polynomial::Polynomial;

mod interval;

pub use interval::Range;

impl Polynomial {
    /// What it can be; whatever 64 bits hold where that is more.
    pub fn range(&self, ir: &Ir) -> Range {
        self.range_over(&|value| range(ir, value))
    }

    /// The same by what is known of each value.
    pub fn range_over(&self, of: &dyn Fn(Value) -> Range) -> Range {
        let all = Range::signed(64);
        let mut sum = Range::new(0, 0);
        for (monomial, coefficient) in self.terms() {
            let mut term = Range::point(coefficient);
            for &value in monomial {
                term = term.times(of(value));
                if !term.is_within(all) {
                    return all;
                }
            }
            sum = sum.plus(term);
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

/// What each subscript of an access can be; `None` where one is in no form that is known.
pub fn of_subscripts(ir: &Ir, access: &MemoryAccess) -> Option<Vec<Range>> {
    match &access.subscripts {
        Subscripts::Values(values) => Some(values.iter().map(|&value| range(ir, value)).collect()),
        Subscripts::Map(map, operands) => {
            let value = affine::AffineValue::new(*map, operands);
            let results = value.results(&ir.ctx).to_vec();
            results.into_iter().map(|expr| of_expr(ir, expr, &value, DEPTH)).collect()
        }
    }
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
            let op = match op {
                BinaryOp::Add => Binary::Add,
                BinaryOp::Mul => Binary::Mul,
                // As a remainder that is never negative.
                BinaryOp::Mod if b.min > 0 && a.min < 0 => return Some(Range::new(0, b.max - 1)),
                BinaryOp::Mod => Binary::RemS,
                BinaryOp::FloorDiv => Binary::FloorDivS,
                BinaryOp::CeilDiv => Binary::CeilDivS,
            };
            Range::natural(op, a, b, 64)?
        }
    };
    // Beyond 64 bits the value wraps.
    Some(if range.is_within(Range::signed(64)) { range } else { Range::signed(64) })
}

fn of_result(ir: &Ir, op: Op, all: Range, depth: u32) -> Range {
    let operand = |index: usize| bounded(ir, ir.operand(op, index), depth);
    let name = ir.name(op);
    if let Some(binary) = binary(name) {
        let width = width(ir, ir.operand(op, 0));
        return match Range::natural(binary, operand(0), operand(1), width) {
            Some(range) if range.is_within(all) => range,
            // The program promises that there is no overflow.
            Some(range) if promises_no_signed_wrap(ir, op) => all.meet(range),
            _ => all,
        };
    }
    match name {
        arith::IndexCastOp::NAME | arith::TruncIOp::NAME | arith::ExtSIOp::NAME => {
            let range = operand(0);
            if range.is_within(all) { range } else { all }
        }
        arith::ExtUIOp::NAME | arith::IndexCastUIOp::NAME => {
            let from = width(ir, ir.operand(op, 0));
            let to = width(ir, ir.result(op, 0));
            operand(0).cast(if from < to { Cast::Zext } else { Cast::Trunc }, from, to)
        }
        arith::SelectOp::NAME => all.meet(operand(1).join(operand(2))),
        memref::DimOp::NAME => all.meet(Range::new(0, i64::MAX.into())),
        affine::AffineApplyOp::NAME => affine::AffineApplyOp(op)
            .value(ir)
            .and_then(|value| of_expr(ir, *value.results(&ir.ctx).first()?, &value, depth))
            .unwrap_or(all),
        _ => of_processor(ir, op).map_or(all, |range| all.meet(range)),
    }
}

/// Numbers of processors: what the kernel says of its blocks, and what any device has at most.
fn of_processor(ir: &Ir, op: Op) -> Option<Range> {
    let known = match ir.name(op) {
        gpu::ThreadIdOp::NAME => {
            Range::new(0, block_size(ir, op).unwrap_or(MAX_THREADS_PER_BLOCK.into()) - 1)
        }
        gpu::BlockDimOp::NAME => match block_size(ir, op) {
            Some(size) => Range::new(size, size),
            None => Range::new(1, MAX_THREADS_PER_BLOCK.into()),
        },
        gpu::BlockIdOp::NAME => Range::new(0, i128::from(MAX_GRID_X) - 1),
        gpu::GridDimOp::NAME => Range::new(1, MAX_GRID_X.into()),
        gpu::LaneIdOp::NAME => Range::new(0, i128::from(WARP_SIZE) - 1),
        name if name.starts_with("gpu.") => Range::signed(64),
        _ => return None,
    };
    let bound = ir.attr(op, "upper_bound").and_then(|attr| ir.ctx.i64_value(attr));
    Some(match bound {
        Some(bound) => known.meet(Range::new(0, i128::from(bound) - 1)),
        None => known,
    })
}

/// Threads of a block in the dimension that `op` asks about, where the kernel says it.
fn block_size(ir: &Ir, op: Op) -> Option<i128> {
    let dimension = gpu::DIMENSIONS.number(&ir.ctx, ir.attr(op, "dimension")?)?;
    let kernel = ir.ancestors(op).find(|&at| gpu::GPUFuncOp::is(ir, at))?;
    let sizes = ir.ctx.dense_array(ir.attr(kernel, "known_block_size")?)?;
    let size = *sizes.get(usize::try_from(dimension).ok()?)?;
    (size > 0).then_some(size.into())
}

/// Whether signed overflow of an operation is undefined.
pub fn promises_no_signed_wrap(ir: &Ir, op: Op) -> bool {
    let flags = ir.attr(op, "overflowFlags");
    flags.and_then(|attr| arith::OVERFLOW_FLAGS.number(&ir.ctx, attr)).is_some_and(|n| n & 1 != 0)
}

//! `scf-for-loop-specialization` and `scf-parallel-loop-specialization`: a version of a loop whose upper
//! bounds are constants, beside the one for all.
//!
//! Needs upper bounds that are `affine.min`s with constants among their results, as those of tiles are.
//! The version with the constant is the full tile. After MLIR's passes of the same names, which leave
//! loops with results to others.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::affine::AffineMinOp;
use gpuc_dialects::{arith, scf};
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Builder, Ir, Op, OpView, Type, Value, ValueMap, WalkOrder};

gpuc_ir::pass! {
    /// Make a version of loops for the constant that bounds them.
    ScfForLoopSpecialization = "scf-for-loop-specialization" on "func.func" {}
}

gpuc_ir::pass! {
    /// Make a version of parallel loops for the constants that bound them.
    ScfParallelLoopSpecialization = "scf-parallel-loop-specialization" on "func.func" {}
}

impl Pass for ScfForLoopSpecialization {
    fn run(&mut self, ir: &mut Ir, func: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        for op in ir.nested_ops(func, WalkOrder::PostOrder) {
            if let Some(view) = scf::ForOp::cast(ir, op) {
                specialize(ir, op, &[view.upperBound(ir)]);
            }
        }
        Ok(())
    }
}

impl Pass for ScfParallelLoopSpecialization {
    fn run(&mut self, ir: &mut Ir, func: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        for op in ir.nested_ops(func, WalkOrder::PostOrder) {
            if let Some(view) = scf::ParallelOp::cast(ir, op) {
                let bounds = view.upperBound(ir).to_vec();
                specialize(ir, op, &bounds);
            }
        }
        Ok(())
    }
}

/// Makes two versions of a loop, the first for the case that all of `bounds` have the least of the
/// constants that bound them; nothing, and `None`, where one of them has no such constant.
pub fn specialize(ir: &mut Ir, op: Op, bounds: &[Value]) -> Option<Op> {
    let numbers: Option<Vec<i64>> = bounds.iter().map(|&bound| least(ir, bound)).collect();
    let numbers = numbers?;
    let mut b = Builder::before(ir, op);
    let eq = arith::CmpIPredicate::Eq.attr(&mut b.ctx);
    let mut map = ValueMap::new();
    let mut condition = None;
    for (&bound, &number) in bounds.iter().zip(&numbers) {
        let constant = arith::constant_index(&mut b, number);
        let same = arith::CmpIOp::new(&mut b, bound, constant).attr(&mut b, "predicate", eq);
        let same = same.value(&mut b);
        condition = Some(match condition {
            Some(before) => arith::AndIOp::new(&mut b, before, same).value(&mut b),
            None => same,
        });
        map.insert(bound, constant);
    }
    let types: Vec<Type> = b.result_types(op).collect();
    let copy = |b: &mut Builder<'_>, map: &mut ValueMap| {
        let copy = b.clone_op(op, map);
        b.insert(copy);
        b.results(copy).to_vec()
    };
    let both = scf::IfOp::create(
        &mut b,
        condition?,
        &types,
        |b| copy(b, &mut map),
        |b| copy(b, &mut ValueMap::new()),
    );
    let results = ir.results(both.op()).to_vec();
    ir.replace_op(op, &results);
    Some(both.op())
}

/// The least constant that bounds a value from above.
fn least(ir: &Ir, bound: Value) -> Option<i64> {
    let view = AffineMinOp::cast(ir, ir.defining_op(bound)?)?;
    let value = view.value(ir)?;
    value.results(&ir.ctx).iter().filter_map(|&result| ir.ctx.expr_constant(result)).min()
}

//! `reconcile-unrealized-casts`: conversions that lead back to where they came from are nothing.
//!
//! Needs nothing; conversions that something still uses, and that lead elsewhere, stay. After MLIR's pass of the same name.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::builtin::UnrealizedConversionCastOp;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Ir, Op, OpView, Type, Value, WalkOrder};

gpuc_ir::pass! {
    /// Take conversions away that lead back to the types they came from.
    ReconcileUnrealizedCasts = "reconcile-unrealized-casts" {}
}

impl Pass for ReconcileUnrealizedCasts {
    fn run(&mut self, ir: &mut Ir, op: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let nested = ir.nested_ops(op, WalkOrder::PreOrder);
        let casts: Vec<Op> =
            nested.into_iter().filter(|&op| UnrealizedConversionCastOp::is(ir, op)).collect();
        for &cast in &casts {
            if let Some(source) = source(ir, cast) {
                for (result, value) in ir.results(cast).to_vec().into_iter().zip(source) {
                    ir.replace_all_uses(result, value);
                }
            }
        }
        // From the last on, so that those only casts use go as well.
        for &cast in casts.iter().rev() {
            if ir.results(cast).iter().all(|&result| ir.is_unused(result)) {
                ir.erase_op(cast);
            }
        }
        Ok(())
    }
}

/// The values of the same types that a chain of conversions began with.
fn source(ir: &Ir, cast: Op) -> Option<Vec<Value>> {
    let types = |values: &[Value]| values.iter().map(|&value| ir.ty(value)).collect::<Vec<Type>>();
    let wanted = types(ir.results(cast));
    let mut at = cast;
    loop {
        let values: Vec<Value> = ir.operands(at).collect();
        if !values.is_empty() && types(&values) == wanted {
            return Some(values);
        }
        let first = *values.first()?;
        let inner = ir.defining_op(first).filter(|&op| UnrealizedConversionCastOp::is(ir, op))?;
        // All of them, in order: what is swapped on the way is not what it was.
        if *ir.results(inner) != *values || inner == cast {
            return None;
        }
        at = inner;
    }
}

//! `affine-expand-index-ops`: what divides a linear index becomes `affine.apply`s.
//!
//! Needs nothing. After MLIR's pass of the same name. Where an extent may not stand in an affine map,
//! operations of `arith` compute what is left.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::affine::{
    AffineDelinearizeIndexOp, AffineValue, build_affine_value, is_valid_dim, is_valid_symbol,
};
use gpuc_dialects::arith;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Builder, Ir, Op, OpView, Value, WalkOrder};

gpuc_ir::pass! {
    /// Turn operations on linear indices into affine maps.
    AffineExpandIndexOps = "affine-expand-index-ops" {}
}

impl Pass for AffineExpandIndexOps {
    fn run(&mut self, ir: &mut Ir, op: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        for inner in ir.nested_ops(op, WalkOrder::PreOrder) {
            if let Some(view) = AffineDelinearizeIndexOp::cast(ir, inner)
                && !expand(ir, view)
            {
                super::lower_affine::lower(ir, inner)?;
            }
        }
        Ok(())
    }
}

/// Writes the subscripts as affine maps; whether they can be.
pub fn expand(ir: &mut Ir, view: AffineDelinearizeIndexOp) -> bool {
    let (linear, basis) = (view.linear_index(ir), view.basis(ir).to_vec());
    let divisors: Vec<Value> = basis.iter().skip(1).copied().collect();
    let known = |ir: &Ir, value: Value| arith::constant_index_value(ir, value);
    let affine = divisors.iter().all(|&value| {
        known(ir, value).map_or_else(|| is_valid_symbol(ir, value), |number| number > 0)
    });
    if !affine || !is_valid_dim(ir, linear) {
        return false;
    }
    let mut b = Builder::before(ir, view.op());
    // One operand for each extent, as a symbol, which a divisor has to be, and one for the index, behind them if it
    // is a symbol too.
    let extents: Vec<Value> =
        divisors.iter().copied().filter(|&value| known(&b, value).is_none()).collect();
    let dims = u32::from(!is_valid_symbol(&b, linear));
    let (index, operands) = match dims {
        1 => (b.ctx.dim_expr(0), [&[linear], &extents[..]].concat()),
        _ => (b.ctx.symbol_expr(extents.len() as u32), [&extents[..], &[linear]].concat()),
    };
    let mut symbol = extents.len() as u32;
    let mut strides = vec![b.ctx.constant_expr(1)];
    for &value in divisors.iter().rev() {
        let extent = match known(&b, value) {
            Some(number) => b.ctx.constant_expr(number),
            None => {
                symbol -= 1;
                b.ctx.symbol_expr(symbol)
            }
        };
        let inner = strides[strides.len() - 1];
        strides.push(b.ctx.mul_expr(extent, inner));
    }
    let mut rest = index;
    let mut results = Vec::new();
    for &stride in strides[1..].iter().rev() {
        results.push(b.ctx.floordiv_expr(rest, stride));
        rest = b.ctx.mod_expr(rest, stride);
    }
    results.push(rest);
    let values: Vec<Value> = results
        .into_iter()
        .map(|result| {
            let map = b.ctx.map(dims, operands.len() as u32 - dims, &[result]);
            build_affine_value(&mut b, AffineValue { map, operands: operands.clone() })
        })
        .collect();
    ir.replace_op(view.op(), &values);
    // Extents that are numbers in the maps are not needed as values any more.
    for extent in basis {
        if let Some(op) = ir.defining_op(extent)
            && ir.is_trivially_dead(op)
        {
            let operands: Vec<Value> = ir.operands(op).collect();
            ir.erase_op(op);
            for inner in operands {
                if let Some(inner) = ir.defining_op(inner)
                    && ir.is_trivially_dead(inner)
                {
                    ir.erase_op(inner);
                }
            }
        }
    }
    true
}

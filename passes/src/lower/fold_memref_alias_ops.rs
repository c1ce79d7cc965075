//! `fold-memref-alias-ops`: accesses through `memref.reinterpret_cast` go to the buffer behind, those to members of
//! records (`ptr.field`) to its bytes.
//!
//! Needs nothing; leaves views only where something else than a load, a store or an atomic uses
//! them, or where the buffer behind is not contiguous and one-dimensional. Kernels are called with
//! pointers alone: the sizes of a view are of no use to them. After MLIR's pass of the same name.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::{arith, memref, ptr};
use gpuc_ir::op::Subscripts;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Builder, DYNAMIC, Ir, Op, OpView, Value, WalkOrder};

gpuc_ir::pass! {
    /// Rewrite accesses through views as accesses to the buffers behind them.
    FoldMemrefAliasOps = "fold-memref-alias-ops" {}
}

impl Pass for FoldMemrefAliasOps {
    fn run(&mut self, ir: &mut Ir, op: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        // Views of views end at the buffer when the inner view is folded first; an access is
        // rewritten until its buffer is no view.
        for inner in ir.nested_ops(op, WalkOrder::PreOrder) {
            while fold(ir, inner).is_some() {}
        }
        Ok(())
    }
}

fn fold(ir: &mut Ir, op: Op) -> Option<()> {
    let access = ir.memory_access(op)?;
    // The affine ones are lowered by now; what maps compute is not rewritten here.
    let Subscripts::Values(indices) = access.subscripts else { return None };
    let at = access.buffer_operand;
    let definition = ir.defining_op(access.buffer)?;
    let field = ptr::FieldOp::cast(ir, definition);
    let viewed = field.map_or(Some(definition), |field| ir.defining_op(field.records(ir)))?;
    let view = memref::ReinterpretCastOp::cast(ir, viewed)?;
    let source = view.source(ir);
    let flat = ir.ctx.shape(ir.ty(source)).is_some_and(|shape| shape.len() == 1)
        && memref::has_identity_layout(&ir.ctx, ir.ty(source));
    if !flat {
        return None;
    }
    let [offsets, _, strides] = view.static_parts(ir);
    let (dynamic_offsets, dynamic_strides) = (view.offsets(ir).to_vec(), view.strides(ir).to_vec());
    let mut b = Builder::before(ir, op);
    let mut next = dynamic_strides.into_iter();
    let strides: Vec<Value> = strides
        .into_iter()
        .map(|stride| number(&mut b, stride, &mut next))
        .collect::<Option<_>>()?;
    let mut next = dynamic_offsets.into_iter();
    let mut sum = number(&mut b, *offsets.first()?, &mut next)?;
    if let Some(field) = field {
        let byte = field.byte(&b);
        let byte = arith::constant_index(&mut b, byte);
        sum = arith::AddIOp::new(&mut b, sum, byte).value(&mut b);
    }
    for (&index, &stride) in indices.iter().zip(&strides) {
        let part = arith::MulIOp::new(&mut b, index, stride).value(&mut b);
        sum = arith::AddIOp::new(&mut b, sum, part).value(&mut b);
    }
    // A member is a scalar at a byte, other elements have a number.
    let place = match field {
        Some(_) => {
            let element = b.ctx.element(b.ty(access.buffer))?;
            let space = b.ctx.memory_space(b.ty(source)).flatten();
            let scalar = b.ctx.memref_in(&[], element, None, space);
            vec![memref::ViewOp::new(&mut b, source, sum, &[]).result(scalar).value(&mut b)]
        }
        None => vec![source, sum],
    };
    let behind = ir.operands(op).skip(at + 1 + indices.len());
    let operands: Vec<Value> = ir.operands(op).take(at).chain(place).chain(behind).collect();
    ir.set_operands(op, &operands);
    Some(())
}

/// A number given as an attribute, or the next of the operands.
fn number(
    b: &mut Builder<'_>,
    given: i64,
    operands: &mut impl Iterator<Item = Value>,
) -> Option<Value> {
    if given == DYNAMIC { operands.next() } else { Some(arith::constant_index(b, given)) }
}

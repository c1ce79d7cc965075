//! Adding values that structured operations carry: results of branches, iteration arguments of
//! loops.

use gpuc_dialects::{affine, arith, scf};
use gpuc_ir::op::Traits;
use gpuc_ir::{Builder, Ir, Op, OpState, OpView, Type, Value};

/// How control runs through an operation with regions, as far as carried values are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Structure {
    /// Exactly one of the regions runs, once: a value leaves each region to a result.
    Branch,
    /// The one region runs any number of times, each time with the last one's values.
    Loop,
    /// `scf.while`: two regions in turn; values leave from the first.
    While,
}

/// The structure of an operation that can carry values.
pub fn structure(ir: &Ir, op: Op) -> Option<Structure> {
    if scf::IfOp::is(ir, op)
        || scf::IndexSwitchOp::is(ir, op)
        || affine::AffineIfOp::is(ir, op)
        || (scf::ExecuteRegionOp::is(ir, op) && ir.blocks(ir.region(op, 0)).len() == 1)
    {
        Some(Structure::Branch)
    } else if ir.is_sequential_loop(op) {
        Some(Structure::Loop)
    } else if scf::WhileOp::is(ir, op) {
        Some(Structure::While)
    } else {
        None
    }
}

/// A copy of `op` in its place that owns its regions, with operands and results appended. The old
/// results' uses move to the new ones; the old operation is gone. Returns the new operation.
///
/// Appended operands belong to the last operand group, as initial values of loops do.
pub fn append(ir: &mut Ir, op: Op, operands: &[Value], results: &[Type]) -> Op {
    let mut state = OpState::new(ir.op_name(op), ir.location(op));
    state.operands = ir.operands(op).chain(operands.iter().copied()).collect();
    state.results = ir.result_types(op).chain(results.iter().copied()).collect();
    for region in ir.regions(op).to_vec() {
        let moved = ir.create_region();
        ir.move_blocks(region, moved);
        state.regions.push(moved);
    }
    let attrs = ir.attrs(op);
    let new = ir.create_op(state);
    ir.set_attrs(new, attrs);
    if ir.has_trait(new, Traits::ATTR_SIZED_OPERANDS)
        && let Some(sizes) = ir.attr(new, "operandSegmentSizes").and_then(|a| ir.ctx.dense_array(a))
    {
        let mut sizes: Vec<i32> = sizes.iter().map(|&n| n as i32).collect();
        if let Some(last) = sizes.last_mut() {
            *last += operands.len() as i32;
        }
        let attr = ir.ctx.i32_array_attr(&sizes);
        ir.set_attr(new, "operandSegmentSizes", attr);
    }
    ir.insert_before(op, new);
    for i in 0..ir.results(op).len() {
        let (from, to) = (ir.result(op, i), ir.result(new, i));
        ir.replace_all_uses(from, to);
    }
    ir.erase_op(op);
    new
}

/// Gives a branch without `else` one that does nothing, so that values can leave it.
pub fn complete_branch(ir: &mut Ir, op: Op) {
    let affine = affine::AffineIfOp::is(ir, op);
    if !affine && !scf::IfOp::is(ir, op) {
        return;
    }
    let region = ir.region(op, 1);
    if ir.blocks(region).is_empty() {
        let location = ir.location(op);
        let block = ir.append_new_block(region, &[], location);
        let mut b = Builder::at_end(ir, block, location);
        if affine {
            affine::AffineYieldOp::new(&mut b, &[]).build(&mut b);
        } else {
            scf::YieldOp::new(&mut b, &[]).build(&mut b);
        }
    }
}

/// A value of the type for variables that are read before they are written: what it is does not
/// matter, C leaves it undefined. `None` for types without constants.
pub fn undefined(b: &mut Builder<'_>, ty: Type) -> Option<Value> {
    let attr = if b.ctx.is_float(ty) {
        b.ctx.float_attr(0.0, ty)
    } else if b.ctx.is_signless_int_or_index(ty) {
        b.ctx.int_attr(0, ty)
    } else {
        return None;
    };
    Some(arith::ConstantOp::new(b).attr(b, "value", attr).result(ty).value(b))
}

//! Buffers of which an iteration needs no more than a box: each becomes a small one.

use gpuc_dialects::memref;
use gpuc_ir::op::{AccessKind, Subscripts};
use gpuc_ir::{Block, Builder, Ir, Op, OpView, TypeKind, Value, WalkOrder};

use super::super::copy_nest::see;
use super::AffineLoopFusion;
use crate::analysis::access::{Access, access};
use crate::analysis::nest::touched::TouchedBox;

/// Whether nobody but affine accesses in a block sees a buffer, which is declared there.
pub(super) fn is_contained(ir: &Ir, buffer: Value, block: Block) -> bool {
    let Some(made) = ir.defining_op(buffer) else { return false };
    let is_made_here = ir.parent_block(made) == Some(block)
        && (memref::AllocOp::is(ir, made) || memref::AllocaOp::is(ir, made));
    is_made_here
        && ir.users(buffer).all(|user| {
            let element = ir.memory_access(user).filter(|found| found.stored() != Some(buffer));
            element.is_some_and(|found| matches!(found.kind, AccessKind::Read | AccessKind::Write))
        })
}

/// Gives `nest` a buffer of its own for what one execution of `body`, a block in it, touches of another; that one, if it was made.
pub(super) fn privatize(
    ir: &mut Ir,
    options: &AffineLoopFusion,
    buffer: Value,
    nest: Op,
    body: Block,
) -> Option<Value> {
    let all: Vec<Access> = ir
        .nested_ops(nest, WalkOrder::PreOrder)
        .into_iter()
        .filter_map(|op| access(ir, op))
        .filter(|found| found.root == buffer)
        .collect();
    let places: Option<Vec<Op>> =
        all.iter().map(|found| ir.ancestor_in_block(found.op, body)).collect();
    let ty = ir.ty(buffer);
    // An access that names its element by values cannot be told to look elsewhere.
    let by_map = |found: &Access| {
        let subscripts = ir.memory_access(found.op).map(|access| access.subscripts);
        found.buffer == buffer && matches!(subscripts, Some(Subscripts::Map(..)))
    };
    let plain = matches!(ir.ctx.type_kind(ty), TypeKind::MemRef { layout: None, .. });
    if !plain || !all.iter().all(by_map) {
        return None;
    }
    let (Some(places), Some(element)) = (places, ir.ctx.element(ty)) else { return None };
    let first = ir.ops(body).find(|op| places.contains(op));
    let accesses: Vec<&Access> = all.iter().collect();
    let found = first.and_then(|first| TouchedBox::of_own(ir, first, &accesses))?;
    let each = memref::element_bytes(&ir.ctx, ty).and_then(|each| i64::try_from(each).ok());
    let bytes = found.elements().zip(each).and_then(|(count, each)| count.checked_mul(each));
    let bytes = bytes?;
    let shape: Vec<i64> = found.sides.iter().map(|side| side.size).collect();
    let limit = options.fusion_local_buf_threshold.saturating_mul(1024);
    let space = match options.fusion_fast_mem_space {
        Some(fast) if bytes as u64 <= limit => {
            (fast != 0).then(|| ir.ctx.i64_attr(i64::from(fast)))
        }
        _ => ir.ctx.memory_space(ty).flatten(),
    };
    let own = ir.ctx.memref_in(&shape, element, None, space);
    // Where upstream puts them: ahead of everything beside the nest.
    let region = ir.parent_block(nest).and_then(|block| ir.block_region(block));
    let location = ir.location(nest);
    let mut b = match region.and_then(|region| ir.entry_block(region)) {
        Some(start) => Builder::at_start(ir, start, location),
        None => Builder::before(ir, nest),
    };
    let copy = memref::AllocOp::new(&mut b, &[], &[]).result(own).value(&mut b);
    for found_access in &all {
        see(ir, found_access.op, copy, &found);
    }
    Some(copy)
}

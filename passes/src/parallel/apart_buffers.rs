//! Buffers that a kernel reaches by one name only, as the host has tested in front of its launch.
//!
//! What lets loops run in parallel, or in another order, is asked of pointers before the region is reached
//! ([`crate::versions`]). Inside of the kernel the test is not seen any more, so what it has found stands at the arguments: as
//! [`gpuc_dialects::offload::STORAGE_EXCLUSIVE`], for passes that move loads, and for loads of what nothing writes.

use gpuc_dialects::{gpu, offload};
use gpuc_ir::op::{EffectKind, Traits};
use gpuc_ir::{Ir, Op, OpView, Value, WalkOrder};
use indexmap::IndexMap;
use rustc_hash::FxHashSet;

use crate::analysis::access::{Alias, Storage, alias, root};
use crate::versions::known_apart;

/// The buffers that `ops`, of the same region, touch and whose memory none of them touches by another name, or only to read it
/// where they only read the buffer too.
pub fn apart_buffers(ir: &Ir, ops: &[Op]) -> FxHashSet<Value> {
    let Some(touched) = touched(ir, ops) else { return FxHashSet::default() };
    let known = ops.first().map(|&op| known_apart(ir, op)).unwrap_or_default();
    let are_apart = |a: Value, b: Value| match alias(Storage::of(ir, a), Storage::of(ir, b)) {
        Alias::No => true,
        Alias::Mapped => known.contains(&(a, b)),
        Alias::May => false,
    };
    let is_alone = |&(&own, &is_written): &(&Value, &bool)| {
        touched.iter().all(|(&other, &writes)| {
            other == own || !(is_written || writes) || are_apart(own, other)
        })
    };
    touched.iter().filter(is_alone).map(|(&own, _)| own).collect()
}

/// The buffers that operations touch, and whether they write them; `None` where that is not known.
fn touched(ir: &Ir, ops: &[Op]) -> Option<IndexMap<Value, bool>> {
    let mut touched = IndexMap::new();
    for op in ops.iter().flat_map(|&op| ir.nested_ops(op, WalkOrder::PreOrder)) {
        // What stands in regions is asked for itself; barriers and fences touch nothing.
        let skipped = ir.has_trait(op, Traits::RECURSIVE_EFFECTS)
            || ir.has_trait(op, Traits::TERMINATOR)
            || gpu::BarrierOp::is(ir, op)
            || offload::FenceOp::is(ir, op)
            || offload::GridBarrierOp::is(ir, op);
        if skipped {
            continue;
        }
        for effect in ir.effects(op)? {
            match effect.kind {
                EffectKind::Allocate => {}
                kind => {
                    *touched.entry(root(ir, effect.on?)).or_insert(false) |=
                        kind != EffectKind::Read
                }
            }
        }
    }
    Some(touched)
}

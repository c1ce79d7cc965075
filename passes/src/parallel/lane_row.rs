//! Rows of a block's threads that are parts of a warp: their lanes combine and wait among themselves, so
//! rows may go different ways.

use gpuc_arch::WARP_SIZE;
use gpuc_dialects::offload::mapping::Axis;
use gpuc_dialects::{arith, gpu, nvvm};
use gpuc_ir::op::{EffectKind, Traits};
use gpuc_ir::{Builder, Ir, Op, OpView, Region, Value};
use indexmap::IndexSet;

use super::threads::Processors;
use crate::analysis::access::{Alias, Storage, alias, root};
use crate::lower::shuffle::{combine_segment, shuffle, sync_segment};

/// The threads of a row: as many consecutive lanes, a power of two that divides a warp.
#[derive(Clone, Copy, Debug)]
pub struct LaneRow {
    width: i64,
}

impl LaneRow {
    /// The row whose threads some axes do not tell apart, while they tell the rows of a block apart.
    pub fn of(processors: &Processors, around: &[Axis]) -> Option<LaneRow> {
        let width = processors.extents.extent(Axis::Thread(0))?;
        let divides = (2..=i64::from(WARP_SIZE)).contains(&width) && width & (width - 1) == 0;
        let rows = [Axis::Thread(1), Axis::Thread(2)];
        let rows_apart = rows
            .iter()
            .all(|axis| around.contains(axis) || processors.extents.extent(*axis) == Some(1));
        let is_row = !around.contains(&Axis::Thread(0)) && !around.contains(&Axis::Lane);
        (divides && rows_apart && is_row && processors.extents.are_apart(around))
            .then_some(LaneRow { width })
    }

    /// What the values of the row's lanes combine to, in every lane.
    pub fn combine(self, b: &mut Builder<'_>, value: Value, combiner: Region) -> Value {
        combine_segment(b, value, combiner, self.width)
    }

    /// The value of the row's first lane, in every lane.
    pub fn of_first(self, b: &mut Builder<'_>, value: Value) -> Value {
        let zero = arith::constant_index(b, 0);
        shuffle(b, "idx", value, zero, self.width)
    }

    /// Lets the lanes wait for each other.
    pub fn wait(self, b: &mut Builder<'_>) {
        sync_segment(b, self.width);
    }
}

/// The operations in front of `op`, last first, that nothing but `op` needs: one lane is enough for
/// them where it is for `op`.
pub fn needed_by(ir: &Ir, op: Op) -> Vec<Op> {
    let mut found = vec![op];
    let mut may_read = true;
    for before in std::iter::successors(ir.previous_op(op), |&at| ir.previous_op(at)) {
        let Some(effects) = ir.effects(before) else { break };
        let reads = effects.iter().any(|effect| effect.kind == EffectKind::Read);
        let changes = effects.iter().any(|effect| effect.kind != EffectKind::Read);
        let own = |&result: &Value| ir.users(result).all(|user| found.contains(&user));
        let used = ir.results(before).iter().any(|&result| !ir.is_unused(result));
        // All lanes take part in a shuffle.
        let plain = ir.regions(before).is_empty()
            && !gpu::ShuffleOp::is(ir, before)
            && !ir.has_trait(before, Traits::CONSTANT_LIKE);
        if plain && used && !changes && (may_read || !reads) && ir.results(before).iter().all(own) {
            found.push(before);
        } else {
            may_read &= !changes;
        }
    }
    found.remove(0);
    found
}

/// What an operation, and those inside, may change that others see; `None` where that is not known.
pub(super) fn written_by(ir: &Ir, op: Op) -> Option<IndexSet<Value>> {
    let effects = ir.effects(op)?;
    let writes = effects.iter().filter(|effect| effect.kind == EffectKind::Write);
    writes.map(|write| Some(root(ir, write.on?))).collect()
}

/// Whether an operation may touch, in a way asked for, one of some buffers.
pub(super) fn touches(
    ir: &Ir,
    op: Op,
    buffers: &IndexSet<Value>,
    how: fn(EffectKind) -> bool,
) -> bool {
    let Some(effects) = ir.effects(op) else { return true };
    effects.iter().filter(|effect| how(effect.kind)).any(|effect| {
        let Some(on) = effect.on.map(|on| root(ir, on)) else { return true };
        let storage = Storage::of(ir, on);
        let meets = |&own: &Value| own == on || alias(Storage::of(ir, own), storage) != Alias::No;
        buffers.iter().any(meets)
    })
}

fn synchronizes(ir: &Ir, op: Op) -> bool {
    gpu::BarrierOp::is(ir, op) || nvvm::SyncWarpOp::is(ir, op)
}

/// Whether lanes of a row may still want to read, when another comes to `op`, what that writes: in front
/// of it, or behind it in a loop round both, with nothing to wait for between.
pub fn overwrites(ir: &Ir, op: Op) -> bool {
    let Some(written) = written_by(ir, op) else { return true };
    let reads = |other: Op| touches(ir, other, &written, |kind| kind == EffectKind::Read);
    let mut at = op;
    loop {
        let before = std::iter::successors(ir.previous_op(at), |&op| ir.previous_op(op));
        for other in before {
            if synchronizes(ir, other) {
                return false;
            }
            if reads(other) {
                return true;
            }
        }
        let Some(owner) = ir.parent_op(at).filter(|&owner| !ir.has_trait(owner, Traits::SYMBOL))
        else {
            return false;
        };
        if ir.is_loop(owner) {
            let behind = std::iter::successors(ir.next_op(at), |&op| ir.next_op(op));
            if behind.into_iter().any(|other| !synchronizes(ir, other) && reads(other)) {
                return true;
            }
        }
        at = owner;
    }
}

/// Whether what stands behind `op` in its block may touch what that writes.
pub fn is_touched_behind(ir: &Ir, op: Op) -> bool {
    let Some(written) = written_by(ir, op) else { return true };
    std::iter::successors(ir.next_op(op), |&op| ir.next_op(op))
        .filter(|&other| !ir.has_trait(other, Traits::TERMINATOR))
        .any(|other| touches(ir, other, &written, |_| true))
}

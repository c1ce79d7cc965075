//! Cutting a region into kernels.
//!
//! Blocks of one kernel do not wait for each other, but in loops that [`super::persist_loops`] leaves. So a region is cut behind each loop over blocks
//! where something follows that must see all of it: each segment has at most one loop over blocks
//! directly in the region. Behind one that combines values, the block that finishes last goes on
//! with what needs no parallel loop.

use gpuc_dialects::memref;
use gpuc_dialects::offload::mapping::LoopMapping;
use gpuc_dialects::offload::{GridBarrierOp, RegionOp, ResidentGridOp};
use gpuc_ir::op::{EffectKind, Traits};
use gpuc_ir::{Ir, Op, OpView, Value, WalkOrder};

use crate::analysis::access::{Alias, Storage, alias, root};
use crate::analysis::slice::pure_slice;
use crate::versions::known_apart;

/// Operations of a region that become one kernel.
#[derive(Clone, Debug, Default)]
pub struct Segment {
    /// In order.
    pub ops: Vec<Op>,
    /// The loop over blocks among them, if there is one.
    pub gang_loop: Option<Op>,
}

impl Segment {
    /// Whether anything in it can be seen from outside the thread that does it.
    pub fn has_effects(&self, ir: &Ir) -> bool {
        self.ops.iter().any(|&op| has_effects(ir, op))
    }

    /// Whether others need a value that it reads, and that cannot be computed again.
    fn hands_on(&self, ir: &Ir, region: RegionOp) -> bool {
        let block = region.block(ir);
        let elsewhere = |user: Op| {
            ir.ancestor_in_block(user, block).is_some_and(|user| !self.ops.contains(&user))
        };
        self.ops.iter().flat_map(|&op| ir.results(op)).any(|&value| {
            ir.users(value).any(elsewhere) && pure_slice(ir, value, region.op()).is_none()
        })
    }

    /// Whether blocks share a loop further inside.
    pub fn has_inner_loop_over_blocks(&self, ir: &Ir) -> bool {
        let nested = self.ops.iter().flat_map(|&op| ir.nested_ops(op, WalkOrder::PreOrder));
        nested.into_iter().any(|op| is_over_blocks(ir, op))
    }

    /// The grid whose blocks wait for each other in it.
    pub fn resident_grid(&self, ir: &Ir) -> Option<ResidentGridOp> {
        let nested = self.ops.iter().flat_map(|&op| ir.nested_ops(op, WalkOrder::PreOrder));
        let mut barriers = nested.into_iter().filter_map(|op| GridBarrierOp::cast(ir, op));
        let word = barriers.next()?.word(ir);
        ir.defining_op(word).and_then(|op| ResidentGridOp::cast(ir, op))
    }

    /// Whether it does something that adds up when several gangs do it.
    pub fn has_atomics(&self, ir: &Ir) -> bool {
        self.ops
            .iter()
            .flat_map(|&op| ir.nested_ops(op, WalkOrder::PreOrder))
            .any(|op| memref::AtomicRMWOp::is(ir, op) || memref::GenericAtomicRMWOp::is(ir, op))
    }
}

/// Whether an operation changes anything but local variables.
pub(super) fn has_effects(ir: &Ir, op: Op) -> bool {
    !touched(ir, op, changes).is_empty()
}

/// Buffers that an operation touches in some ways, but for local ones; `None` stands for any.
fn touched(ir: &Ir, op: Op, wanted: fn(EffectKind) -> bool) -> Vec<Option<Value>> {
    let Some(effects) = ir.effects(op) else { return vec![None] };
    let buffers = effects.into_iter().filter(|effect| wanted(effect.kind)).map(|effect| effect.on);
    buffers.filter(|on| !on.is_some_and(|on| is_local(ir, on))).collect()
}

fn changes(kind: EffectKind) -> bool {
    matches!(kind, EffectKind::Write | EffectKind::Free)
}

/// Whether two operations of a region touch one buffer, or may, and one of them changes it.
pub(super) fn meet(ir: &Ir, first: Op, second: Op) -> bool {
    let any = |kind| kind != EffectKind::Allocate;
    overlap(ir, touched(ir, first, any), touched(ir, second, changes), second)
        || overlap(ir, touched(ir, first, changes), touched(ir, second, any), second)
}

/// Whether an operation reads memory that a parallel loop behind it changes, or may change: threads of the loop that come late
/// would read what others have written.
pub(super) fn reads_what_changes(ir: &Ir, op: Op, main: Op) -> bool {
    let read = touched(ir, op, |kind| kind == EffectKind::Read);
    !read.is_empty() && overlap(ir, read, touched(ir, main, changes), main)
}

/// Whether a buffer of one list may be one of the other, as far as is known at an operation.
fn overlap(ir: &Ir, these: Vec<Option<Value>>, those: Vec<Option<Value>>, at: Op) -> bool {
    let apart = known_apart(ir, at);
    let meets = |a: Value, b: Value| {
        let (a, b) = (root(ir, a), root(ir, b));
        a == b
            || match alias(Storage::of(ir, a), Storage::of(ir, b)) {
                Alias::No => false,
                Alias::Mapped => !apart.contains(&(a.min(b), a.max(b))),
                Alias::May => true,
            }
    };
    these.iter().any(|this| {
        those.iter().any(|that| match (this, that) {
            (Some(this), Some(that)) => meets(*this, *that),
            _ => true,
        })
    })
}

/// Whether a buffer is memory of the thread alone.
pub fn is_local(ir: &Ir, buffer: Value) -> bool {
    ir.defining_op(root(ir, buffer)).is_some_and(|op| memref::AllocaOp::is(ir, op))
}

/// Whether blocks share an operation, a parallel loop.
pub fn is_over_blocks(ir: &Ir, op: Op) -> bool {
    ir.has_trait(op, Traits::PARALLEL_LOOP)
        && LoopMapping::known(ir, op).is_some_and(|mapping| mapping.is_over_blocks())
}

/// Whether there is a parallel loop in an operation.
pub(super) fn has_parallel_loop(ir: &Ir, op: Op) -> bool {
    let nested = ir.nested_ops(op, WalkOrder::PreOrder);
    nested.into_iter().any(|inner| ir.has_trait(inner, Traits::PARALLEL_LOOP))
}

/// The segments of a region whose loops are mapped, in order; those that compute only what others
/// compute again for themselves are left out.
pub fn segments(ir: &Ir, region: RegionOp) -> Vec<Segment> {
    let mut segments = Vec::new();
    let mut open = Segment::default();
    for op in ir.ops(region.block(ir)) {
        if ir.has_trait(op, Traits::TERMINATOR) {
            continue;
        }
        if open.gang_loop.is_some() && has_parallel_loop(ir, op) {
            // What is only computed and read behind the last change is for what comes.
            let last =
                open.ops.iter().rposition(|&op| Some(op) == open.gang_loop || has_effects(ir, op));
            let rest = open.ops.split_off(last.map_or(0, |last| last + 1));
            segments.push(std::mem::replace(&mut open, Segment { ops: rest, gang_loop: None }));
        }
        let gang = is_over_blocks(ir, op);
        // What stands before a loop is done once: a gang that comes late would undo what others
        // have done in the loop.
        let cuts = |at: Op| has_effects(ir, at) || reads_what_changes(ir, at, op);
        if gang && let Some(last) = open.ops.iter().rposition(|&at| cuts(at)) {
            // What is only read behind the last change is read by the loop's kernel, but for what the loop changes.
            let rest = open.ops.split_off(last + 1);
            segments.push(std::mem::replace(&mut open, Segment { ops: rest, gang_loop: None }));
        }
        open.ops.push(op);
        if gang {
            open.gang_loop = Some(op);
            if ir.results(op).is_empty() {
                segments.push(std::mem::take(&mut open));
            }
        }
    }
    segments.push(open);
    segments.retain(|segment| {
        segment.gang_loop.is_some() || segment.has_effects(ir) || segment.hands_on(ir, region)
    });
    segments
}

//! `affine-loop-invariant-code-motion`: moves out of affine loops what does not vary in them, accesses to memory and
//! whole loops and conditionals too.
//!
//! Needs `affine.for`; inner loops come first. What has no effects and may run at any time moves like in
//! `loop-invariant-code-motion`. An affine load moves where nothing in the loop may write what it reads, an affine store
//! where nothing else in the loop may touch what it writes; a loop or conditional where that holds for all in it. These
//! move only if the loop is known to run: in front of one that does not they would do what the program did not. MLIR's
//! pass of the same name moves them in any case, and asks for the same buffer only where ours asks for the same memory.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::affine::{
    AffineForOp, AffineIfOp, AffineLoadOp, AffineParallelOp, AffineStoreOp, AffineVectorLoadOp,
    AffineVectorStoreOp,
};
use gpuc_ir::op::{EffectKind, Traits};
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Ir, Op, OpView, Value, WalkOrder};

use crate::analysis::access::{Alias, Storage, alias, root};
use crate::analysis::slice::{is_defined_inside, used_from_around};

gpuc_ir::pass! {
    /// Move what does not vary out of affine loops, accesses to memory too.
    AffineLoopInvariantCodeMotion = "affine-loop-invariant-code-motion" on "func.func" {}
}

impl Pass for AffineLoopInvariantCodeMotion {
    fn run(&mut self, ir: &mut Ir, func: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        for op in ir.nested_ops(func, WalkOrder::PostOrder) {
            if let Some(view) = AffineForOp::cast(ir, op) {
                hoist(ir, view);
            }
        }
        Ok(())
    }
}

/// What an operation in a loop does to memory.
struct Effect {
    op: Op,
    writes: bool,
    /// The memory; `None` for any.
    root: Option<Value>,
}

/// Moves what does not vary in a loop in front of it; the number of operations moved.
pub fn hoist(ir: &mut Ir, view: AffineForOp) -> usize {
    let op = view.op();
    let runs = view.constant_trip_count(ir).is_some_and(|trips| trips > 0);
    let effects = effects(ir, op);
    let mut moved = 0;
    for inner in ir.ops(view.body(ir)).collect::<Vec<_>>() {
        let varies = used_from_around(ir, inner).into_iter().any(|value| is_inside(ir, value, op));
        if varies || ir.has_trait(inner, Traits::TERMINATOR) {
            continue;
        }
        let is_pure = ir.is_effect_free(inner) && ir.is_speculatable(inner);
        if is_pure || (runs && may_move(ir, inner, &effects)) {
            ir.move_before(op, inner);
            moved += 1;
        }
    }
    moved
}

/// Whether a value comes into being in the loop, its own arguments included.
fn is_inside(ir: &Ir, value: Value, op: Op) -> bool {
    is_defined_inside(ir, value, op)
}

/// What the operations in a loop do to memory, each with the operation of the body that it stands in.
fn effects(ir: &Ir, op: Op) -> Vec<Effect> {
    let mut found = Vec::new();
    for inner in ir.nested_ops(op, WalkOrder::PreOrder).into_iter().skip(1) {
        let holds = ir.has_trait(inner, Traits::RECURSIVE_EFFECTS);
        if holds || ir.has_trait(inner, Traits::RETURN_LIKE) {
            continue;
        }
        match ir.effects(inner) {
            None => found.push(Effect { op: inner, writes: true, root: None }),
            Some(effects) => found.extend(effects.into_iter().map(|effect| Effect {
                op: inner,
                writes: effect.kind != EffectKind::Read,
                root: effect.on.map(|value| root(ir, value)),
            })),
        }
    }
    found
}

fn is_affine_access(ir: &Ir, op: Op) -> bool {
    AffineLoadOp::is(ir, op)
        || AffineStoreOp::is(ir, op)
        || AffineVectorLoadOp::is(ir, op)
        || AffineVectorStoreOp::is(ir, op)
}

/// Whether an operation with effects, or one that holds such, does the same once in front of the loop.
fn may_move(ir: &Ir, op: Op, effects: &[Effect]) -> bool {
    let holds = AffineForOp::is(ir, op) || AffineIfOp::is(ir, op) || AffineParallelOp::is(ir, op);
    let known = |inner: Op| {
        ir.has_trait(inner, Traits::RETURN_LIKE)
            || is_affine_access(ir, inner)
            || (ir.is_effect_free(inner) && ir.regions(inner).is_empty())
            || AffineForOp::is(ir, inner)
            || AffineIfOp::is(ir, inner)
            || AffineParallelOp::is(ir, inner)
    };
    if !(holds || is_affine_access(ir, op) || ir.is_effect_free(op)) {
        return false;
    }
    if !ir.nested_ops(op, WalkOrder::PreOrder).into_iter().all(known) {
        return false;
    }
    let own = effects.iter().filter(|effect| ir.is_inside(effect.op, op));
    // Others inside it count too: what it reads and writes itself may differ the next time.
    own.into_iter().all(|own| {
        effects.iter().all(|other| {
            other.op == own.op
                || (!own.writes && !other.writes)
                || !may_touch(ir, own.root, other.root)
        })
    })
}

fn may_touch(ir: &Ir, a: Option<Value>, b: Option<Value>) -> bool {
    let (Some(a), Some(b)) = (a, b) else { return true };
    a == b || alias(Storage::of(ir, a), Storage::of(ir, b)) != Alias::No
}

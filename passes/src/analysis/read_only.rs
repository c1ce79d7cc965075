//! Buffers that nothing writes as long as a kernel runs.

use gpuc_dialects::{gpu, offload};
use gpuc_ir::op::{EffectKind, Traits};
use gpuc_ir::{Ir, Op, OpView, Value, ValueDef, WalkOrder};
use rustc_hash::FxHashSet;

use super::access::{Alias, Storage, alias, root};

/// The arguments of a kernel that it reads and nobody writes while it runs: no write of the kernel
/// may reach them. Other kernels and the host do not write them either: a program that lets them
/// race is undefined.
#[derive(Clone, Debug, Default)]
pub struct ReadOnly {
    arguments: FxHashSet<Value>,
}

impl ReadOnly {
    /// Looks for them in a `gpu.func`.
    pub fn of(ir: &Ir, func: Op) -> ReadOnly {
        let Some(written) = written_roots(ir, func) else { return ReadOnly::default() };
        let apart = |argument: Value| {
            let own = Storage::of(ir, argument);
            written
                .iter()
                .all(|&other| other != argument && alias(own, Storage::of(ir, other)) == Alias::No)
        };
        let arguments = gpu::GPUFuncOp(func).arguments(ir).iter().copied();
        let buffers = arguments.filter(|&value| ir.ctx.is_memref(ir.ty(value)));
        ReadOnly { arguments: buffers.filter(|&value| apart(value)).collect() }
    }

    /// Whether a buffer is one of them.
    pub fn contains(&self, buffer: Value) -> bool {
        self.arguments.contains(&buffer)
    }
}

/// The roots of all that a kernel writes; `None` where it does something that may write anything.
/// Buffers of block and thread are their own.
fn written_roots(ir: &Ir, func: Op) -> Option<FxHashSet<Value>> {
    let mut written = FxHashSet::default();
    for op in ir.nested_ops(func, WalkOrder::PreOrder) {
        // What stands in regions is asked for itself. Barriers and fences order accesses and make
        // none.
        let skipped = ir.has_trait(op, Traits::RECURSIVE_EFFECTS)
            || ir.has_trait(op, Traits::TERMINATOR)
            || gpu::BarrierOp::is(ir, op)
            || offload::FenceOp::is(ir, op)
            || offload::GridBarrierOp::is(ir, op);
        if op == func || skipped {
            continue;
        }
        let effects = ir.effects(op)?;
        for effect in effects.iter().filter(|effect| effect.kind == EffectKind::Write) {
            let root = root(ir, effect.on?);
            match Storage::of(ir, root) {
                _ if gpu::GPUFuncOp(func).arguments(ir).contains(&root) => {
                    written.insert(root);
                }
                Storage::Local => {}
                _ if is_buffer_of_kernel(ir, func, root) => {}
                _ => return None,
            }
        }
    }
    Some(written)
}

/// Whether a value is an argument of a kernel's entry block: memory of the block or of the thread, as
/// it is no parameter.
fn is_buffer_of_kernel(ir: &Ir, func: Op, value: Value) -> bool {
    matches!(ir.value_def(value), ValueDef::Argument(block, _) if ir.block_op(block) == Some(func))
}

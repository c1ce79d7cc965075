//! What stands in one block, and what of it has to stay in front of what.

use gpuc_ir::op::EffectKind;
use gpuc_ir::{Block, Ir, Op, Value, WalkOrder};
use rustc_hash::FxHashSet;

use crate::analysis::access::{Alias, Storage, access, alias, root};
use crate::analysis::nest::carried::Apart;

/// Memory that an operation, with all inside of it, reads and writes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Touched {
    pub read: FxHashSet<Value>,
    pub written: FxHashSet<Value>,
    /// Whether something inside may touch any memory.
    pub unknown: bool,
}

impl Touched {
    pub(crate) fn of(ir: &Ir, op: Op) -> Touched {
        let mut touched = Touched::default();
        for inner in ir.nested_ops(op, WalkOrder::PreOrder) {
            if let Some(found) = access(ir, inner) {
                if found.kind != gpuc_ir::op::AccessKind::Write {
                    touched.read.insert(found.root);
                }
                if found.writes() {
                    touched.written.insert(found.root);
                }
                continue;
            }
            if ir.is_effect_free(inner) || is_only_what_is_inside(ir, inner) {
                continue;
            }
            let Some(effects) = ir.effects(inner) else {
                touched.unknown = true;
                continue;
            };
            for effect in effects {
                match (effect.kind, effect.on) {
                    (EffectKind::Allocate, _) => {}
                    (_, None) => touched.unknown = true,
                    (EffectKind::Read, Some(on)) => {
                        touched.read.insert(root(ir, on));
                    }
                    (_, Some(on)) => {
                        touched.written.insert(root(ir, on));
                    }
                }
            }
        }
        touched
    }

    fn touches_memory(&self) -> bool {
        self.unknown || !self.read.is_empty() || !self.written.is_empty()
    }
}

fn is_only_what_is_inside(ir: &Ir, op: Op) -> bool {
    use gpuc_ir::op::Traits;
    ir.has_trait(op, Traits::RECURSIVE_EFFECTS) || ir.has_trait(op, Traits::TERMINATOR)
}

/// The operations of a block with what they touch.
pub(super) struct Order {
    pub ops: Vec<(Op, Touched)>,
    apart: Apart,
}

impl Order {
    pub(super) fn of(ir: &Ir, block: Block, apart: Apart) -> Order {
        let ops = ir.ops(block).map(|op| (op, Touched::of(ir, op))).collect();
        Order { ops, apart }
    }

    pub(super) fn place(&self, op: Op) -> Option<usize> {
        self.ops.iter().position(|&(each, _)| each == op)
    }

    /// Whether two buffers may be one.
    pub(super) fn meet(&self, ir: &Ir, a: Value, b: Value) -> bool {
        a == b
            || match alias(Storage::of(ir, a), Storage::of(ir, b)) {
                Alias::No => false,
                Alias::Mapped => self.apart != Apart::Assumed,
                Alias::May => true,
            }
    }

    /// Whether the second operation has to stay behind the first one because of a buffer, or of any if none is named.
    pub(super) fn waits(&self, ir: &Ir, at: [usize; 2], buffer: Option<Value>) -> bool {
        let [(first, a), (second, b)] = at.map(|at| &self.ops[at]);
        if buffer.is_none() {
            let uses =
                |value| ir.users(value).any(|user| user == *second || ir.is_inside(user, *second));
            if ir.results(*first).iter().any(|&result| uses(result)) {
                return true;
            }
        }
        if (a.unknown && b.touches_memory()) || (b.unknown && a.touches_memory()) {
            return true;
        }
        let conflict = |one: &FxHashSet<Value>, other: &FxHashSet<Value>| {
            one.iter().any(|&x| {
                let named = buffer.is_none_or(|buffer| self.meet(ir, buffer, x));
                named && other.iter().any(|&y| self.meet(ir, x, y))
            })
        };
        conflict(&a.written, &b.read)
            || conflict(&a.read, &b.written)
            || conflict(&a.written, &b.written)
    }

    /// How many operations have to stay behind one because of a buffer.
    pub(super) fn followers(&self, ir: &Ir, op: usize, buffer: Value) -> usize {
        (op + 1..self.ops.len()).filter(|&at| self.waits(ir, [op, at], Some(buffer))).count()
    }

    /// How many operations have to stay in front of one because of a buffer.
    pub(super) fn leaders(&self, ir: &Ir, op: usize, buffer: Value) -> usize {
        (0..op).filter(|&at| self.waits(ir, [at, op], Some(buffer))).count()
    }

    /// The operation in whose place two become one, the first in program order being `first`: the second, or the first one
    /// between them that waits for the first; `None` where the second waits for that.
    pub(super) fn joint(&self, ir: &Ir, first: usize, second: usize) -> Option<usize> {
        let mut between = first + 1..second;
        let behind = between.clone().find(|&at| self.waits(ir, [first, at], None));
        let ahead = between.rfind(|&at| self.waits(ir, [at, second], None));
        match (behind, ahead) {
            (Some(behind), Some(ahead)) if behind <= ahead => None,
            (Some(behind), _) => Some(behind),
            (None, _) => Some(second),
        }
    }

    /// Whether a chain of operations, each of which waits for the one before, leads from one to another.
    pub(super) fn leads(&self, ir: &Ir, from: usize, to: usize) -> bool {
        let mut reached = vec![from];
        for at in from + 1..=to {
            if reached.iter().any(|&each| self.waits(ir, [each, at], None)) {
                reached.push(at);
            }
        }
        reached.contains(&to)
    }
}

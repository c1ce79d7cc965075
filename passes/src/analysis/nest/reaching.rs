//! What an access sees or leaves in memory, and where it is still there.
//!
//! [`Reaching::seen_before`] goes backwards from a read to the access whose value it must see, [`Reaching::overwritten`] forwards from a
//! write to the one that replaces its value unread. Both stay in straight code: a block, and the loops and conditions
//! that the later access is in. All iterations of loops round the earlier one are fixed, so that whether something
//! between may touch the same elements is a question of the nests between (see [`Pair`]).

use gpuc_dialects::{affine, scf};
use gpuc_ir::op::{EffectKind, Traits};
use gpuc_ir::{Ir, Op, OpView, Value, WalkOrder};

use super::super::access::{Access, AccessKind, Alias, Storage, access, alias, root};
use super::pair::Pair;
use super::shape::is_outside;

/// Questions to the solver for one [`Reaching`]; behind them everything may be touched.
const MOST_QUESTIONS: usize = 4096;

/// Answers questions about one function, with a bound on the effort for all of them.
#[derive(Debug, Default)]
pub struct Reaching {
    questions: usize,
}

/// What would come between two accesses.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Disturbance {
    /// Somebody who writes.
    Write,
    /// Somebody who reads.
    Read,
}

/// Whether two accesses are to the same elements, if they happen in the same iterations, and as the same type.
fn same_place(ir: &Ir, a: &Access, b: &Access) -> bool {
    let value = |access: &Access| ir.memory_access(access.op).map(|found| ir.ty(found.value));
    a.buffer == b.buffer
        && a.length == b.length
        && a.subscripts == b.subscripts
        && a.subscripts.iter().all(Option::is_some)
        && value(a) == value(b)
}

impl Reaching {
    /// The access, one of those that are `wanted`, that reads or writes the elements that `read` sees, such that nothing
    /// writes them between: whenever `read` happens, that access has happened before, and its value is still there.
    pub fn seen_before(&mut self, ir: &Ir, read: Op, wanted: &dyn Fn(Op) -> bool) -> Option<Op> {
        let sink = access(ir, read)?;
        let mut at = read;
        loop {
            let holder = at;
            while let Some(before) = ir.previous_op(at) {
                if let Some(found) = access(ir, before).filter(|_| wanted(before))
                    && same_place(ir, &found, &sink)
                {
                    // Where the read is never reached, nothing is gained.
                    let reached =
                        holder == read || self.depends(ir, [before, holder], &found, &sink);
                    return reached.then_some(before);
                }
                if self.may_write(ir, before, &sink, holder) {
                    return None;
                }
                at = before;
            }
            // What comes first in a region comes behind what stands in front of the operation that holds it, unless
            // other blocks lead there, or other iterations have written since.
            let around = ir.parent_op(at)?;
            let straight = ir.blocks(ir.parent_region(at)?).len() == 1;
            let isolated = ir.has_trait(around, Traits::ISOLATED_FROM_ABOVE)
                || ir.has_trait(around, Traits::AFFINE_SCOPE);
            if !straight || isolated {
                return None;
            }
            let once = scf::IfOp::is(ir, around) || affine::AffineIfOp::is(ir, around);
            let again = if ir.is_counted_loop(around) {
                self.may_write(ir, around, &sink, around)
            } else {
                !once && touches(ir, around, &sink, Disturbance::Write, &mut |_| true)
            };
            if again {
                return None;
            }
            at = around;
        }
    }

    /// The write behind `write` in its block to the same elements, such that nobody reads them between.
    pub fn overwritten(&mut self, ir: &Ir, write: Op, wanted: &dyn Fn(Op) -> bool) -> Option<Op> {
        let source = access(ir, write)?;
        let mut at = write;
        while let Some(behind) = ir.next_op(at) {
            if wanted(behind) && access(ir, behind).is_some_and(|a| same_place(ir, &a, &source)) {
                return Some(behind);
            }
            let mut may = |read: &Access| self.depends(ir, [write, behind], &source, read);
            if ir.has_trait(behind, Traits::TERMINATOR)
                || touches(ir, behind, &source, Disturbance::Read, &mut may)
            {
                return None;
            }
            at = behind;
        }
        None
    }

    /// Whether something in `op` writes elements that `sink`, in `holder`, sees afterwards.
    fn may_write(&mut self, ir: &Ir, op: Op, sink: &Access, holder: Op) -> bool {
        touches(ir, op, sink, Disturbance::Write, &mut |write| {
            self.depends(ir, [op, holder], write, sink)
        })
    }

    /// Whether `sink` may touch elements that `source` has touched before, both in one of two operations of one block, or
    /// in the same one.
    fn depends(&mut self, ir: &Ir, roots: [Op; 2], source: &Access, sink: &Access) -> bool {
        let comparable = source.memory() == sink.memory()
            && roots.iter().all(|&root| is_outside(ir, source.memory(), root))
            && source.subscripts.len() == sink.subscripts.len();
        if !comparable || self.questions >= MOST_QUESTIONS {
            return true;
        }
        self.questions += 1;
        // What stands in front of the sink in one iteration of a loop was asked for on the way up to the loop.
        let source_first = roots[0] != roots[1];
        let pair = Pair::new(ir, roots, source, sink);
        let question = pair.question(source, sink);
        let found = question.and_then(|question| question.forth(source_first));
        found.is_none_or(|found| !found.is_empty())
    }
}

/// Whether something in `op` may touch the memory of an access in a way that disturbs; what is an access itself is for
/// `may` to say where it is to the same root.
fn touches(
    ir: &Ir,
    op: Op,
    place: &Access,
    disturbance: Disturbance,
    may: &mut dyn FnMut(&Access) -> bool,
) -> bool {
    let same = |other: Value| {
        let storage = |root| Storage::of(ir, root);
        other == place.root || alias(storage(other), storage(place.root)) != Alias::No
    };
    ir.nested_ops(op, WalkOrder::PreOrder).into_iter().any(|inner| {
        if let Some(access) = access(ir, inner) {
            let disturbs = match disturbance {
                Disturbance::Write => access.writes(),
                Disturbance::Read => access.kind != AccessKind::Write,
            };
            return disturbs && same(access.root) && (access.root != place.root || may(&access));
        }
        let held = ir.has_trait(inner, Traits::RECURSIVE_EFFECTS);
        if held || ir.has_trait(inner, Traits::RETURN_LIKE) {
            return false;
        }
        ir.effects(inner).is_none_or(|effects| {
            effects.iter().any(|effect| {
                let disturbs = match effect.kind {
                    EffectKind::Allocate => false,
                    EffectKind::Free => true,
                    EffectKind::Write => disturbance == Disturbance::Write,
                    EffectKind::Read => disturbance == Disturbance::Read,
                };
                disturbs && effect.on.is_none_or(|value| same(root(ir, value)))
            })
        })
    })
}

//! Taking blocks out of the operations around them.

use gpuc_ir::rewrite::Rewriter;
use gpuc_ir::{Block, Ir, Op, Region, Value, ValueDef};

/// Moves the operations of a block before `anchor`, its arguments replaced by values, and erases
/// its terminator. Returns what the terminator handed over.
pub(crate) fn inline_before(
    rw: &mut Rewriter<'_>,
    block: Block,
    anchor: Op,
    arguments: &[Value],
) -> Vec<Value> {
    let parameters = rw.arguments(block).to_vec();
    for (&parameter, &argument) in parameters.iter().zip(arguments) {
        rw.replace_uses(parameter, argument);
    }
    let Some(end) = rw.last_op(block) else { return Vec::new() };
    while let Some(op) = rw.first_op(block).filter(|&op| op != end) {
        rw.move_before(anchor, op);
        rw.changed(op);
    }
    let handed = rw.operands(end).collect();
    rw.erase(end);
    handed
}

/// Whether a value is defined neither in `op` nor by it.
pub(crate) fn is_outside(ir: &Ir, value: Value, op: Op) -> bool {
    match ir.value_def(value) {
        ValueDef::Result(def, _) => !ir.is_inside(def, op),
        ValueDef::Argument(block, _) => {
            ir.block_op(block).is_none_or(|owner| !ir.is_inside(owner, op))
        }
    }
}

/// The entries of a list that are kept.
pub(super) fn kept<T: Copy>(entries: &[T], keep: &[bool]) -> Vec<T> {
    entries.iter().zip(keep).filter(|&(_, &keep)| keep).map(|(&entry, _)| entry).collect()
}

/// Moves the blocks of a region into a new one that belongs to no operation yet.
pub(super) fn take_region(rw: &mut Rewriter<'_>, region: Region) -> Region {
    let taken = rw.create_region();
    rw.move_blocks(region, taken);
    taken
}

/// Drops the arguments of a block that are not kept, behind the first `skipped` ones; nothing may
/// use them.
pub(super) fn drop_arguments(rw: &mut Rewriter<'_>, block: Block, skipped: usize, keep: &[bool]) {
    for (i, _) in keep.iter().enumerate().rev().filter(|&(_, &keep)| !keep) {
        rw.remove_argument(block, skipped + i);
    }
}

/// Gives the results of `new` to the users of those results of `old` that are kept. The others
/// must be unused. Attributes that are not about operands go along.
pub(super) fn replace_kept(rw: &mut Rewriter<'_>, old: Op, new: Op, keep: &[bool]) {
    let old_results = rw.results(old).to_vec();
    let new_results = rw.results(new).to_vec();
    for (from, to) in kept(&old_results, keep).into_iter().zip(new_results) {
        rw.replace_uses(from, to);
    }
    rw.erase(old);
}

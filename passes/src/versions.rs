//! Two versions of a compute region: one that assumes something, and one for where it does not hold.

use gpuc_dialects::offload::FALLBACK_ATTR;
use gpuc_dialects::scf;
use gpuc_ir::{Builder, Ir, Op, Value, ValueMap};

/// A copy of a region, detached: the version without the assumption.
pub fn copy_as_fallback(ir: &mut Ir, region: Op) -> Op {
    let copy = ir.clone_op(region, &mut ValueMap::new());
    let unit = ir.ctx.unit_attr();
    ir.set_attr(copy, FALLBACK_ATTR, unit);
    copy
}

/// Runs the region where `holds`, a value in front of it, says so, and its fallback elsewhere.
pub fn choose(ir: &mut Ir, holds: Value, region: Op, fallback: Op) {
    let mut b = Builder::before(ir, region);
    let branches = [0, 1].map(|_| b.region(&[], |b, _| _ = scf::YieldOp::new(b, &[]).build(b)));
    let [then, otherwise] = branches;
    let choice = scf::IfOp::new(&mut b, holds).region(then).region(otherwise).build(&mut b);
    ir.detach_op(region);
    for (i, version) in [region, fallback].into_iter().enumerate() {
        let end = ir.terminator(ir.body(choice, i)).expect("the branch ends with a yield");
        ir.insert_before(end, version);
    }
}

/// Whether an operation is in the version without an assumption, of which the user is told nothing:
/// what differs in the other one was said, with the condition for it.
pub fn in_fallback(ir: &Ir, op: Op) -> bool {
    [op].into_iter().chain(ir.ancestors(op)).any(|at| ir.attr(at, FALLBACK_ATTR).is_some())
}

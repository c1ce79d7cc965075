//! Two versions of a compute region: one that assumes something, and one for where it does not hold.

use gpuc_dialects::offload::{DisjointOp, FALLBACK_ATTR, REST_ATTR};
use gpuc_dialects::{arith, scf};
use gpuc_ir::{Builder, Ir, Op, OpView, Value, ValueMap};
use indexmap::IndexSet;

/// A copy of a region, detached: the version without the assumption.
pub fn copy_as_fallback(ir: &mut Ir, region: Op) -> Op {
    let copy = ir.clone_op(region, &mut ValueMap::new());
    let unit = ir.ctx.unit_attr();
    ir.set_attr(copy, FALLBACK_ATTR, unit);
    copy
}

/// A copy of a region, detached: what versions for some sizes leave, of which plans speak.
pub fn copy_as_rest(ir: &mut Ir, region: Op) -> Op {
    let copy = copy_as_fallback(ir, region);
    let unit = ir.ctx.unit_attr();
    ir.set_attr(copy, REST_ATTR, unit);
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

/// Runs the region where all pairs of buffers are apart, as far as that is not tested round it, and its
/// fallback elsewhere; without a pair to test, the fallback goes. Says whether there are two versions.
pub fn choose_disjoint(
    ir: &mut Ir,
    pairs: &IndexSet<(Value, Value)>,
    region: Op,
    fallback: Op,
) -> bool {
    let known = known_apart(ir, region);
    let mut b = Builder::before(ir, region);
    let mut all: Option<Value> = None;
    for &(first, second) in pairs.difference(&known) {
        let holds = DisjointOp::new(&mut b, first, second).value(&mut b);
        all = Some(match all {
            Some(so_far) => arith::AndIOp::new(&mut b, so_far, holds).value(&mut b),
            None => holds,
        });
    }
    match all {
        Some(holds) => choose(ir, holds, region, fallback),
        None => ir.erase_op(fallback),
    }
    all.is_some()
}

/// Pairs of buffers, each both ways round, that were tested to be apart before an operation is reached.
pub fn known_apart(ir: &Ir, op: Op) -> IndexSet<(Value, Value)> {
    let mut known = IndexSet::new();
    let mut at = op;
    while let (Some(region), Some(outer)) = (ir.parent_region(at), ir.parent_op(at)) {
        if let Some(choice) = scf::IfOp::cast(ir, outer).filter(|_| ir.region(outer, 0) == region) {
            let mut conditions = vec![choice.condition(ir)];
            while let Some(condition) = conditions.pop() {
                let Some(condition) = ir.defining_op(condition) else { continue };
                if arith::AndIOp::is(ir, condition) {
                    conditions.extend(ir.operands(condition));
                } else if DisjointOp::is(ir, condition) {
                    let pair = [0, 1].map(|i| ir.operand(condition, i));
                    known.extend([(pair[0], pair[1]), (pair[1], pair[0])]);
                }
            }
        }
        at = outer;
    }
    known
}

/// Whether an operation is in the version without an assumption, of which the user is told nothing:
/// what differs in the other one was said, with the condition for it.
pub fn in_fallback(ir: &Ir, op: Op) -> bool {
    [op].into_iter().chain(ir.ancestors(op)).any(|at| ir.attr(at, FALLBACK_ATTR).is_some())
}

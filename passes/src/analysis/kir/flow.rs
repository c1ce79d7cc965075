//! Which diKernel uses what another has computed: through values, and through memory.

use gpuc_ir::{Ir, Op, Value};
use rustc_hash::FxHashSet;

use super::Flow;
use super::build::Builder;
use crate::analysis::nest::dependence::DependenceKind;

/// Finds all flows.
pub(super) fn find(builder: &mut Builder<'_>) {
    let mut flows = std::mem::take(&mut builder.kir.flows);
    for (to, inputs) in builder.inputs.iter().enumerate() {
        let mut add = |from: usize| {
            if from != to {
                flows.push(Flow { from, to });
            }
        };
        backward(builder.ir, builder.root, inputs.iter().copied(), &mut |value| {
            if let Some(&from) = builder.of_value.get(&value) {
                add(from);
                return false;
            }
            let Some(op) = builder.ir.defining_op(value) else { return true };
            match builder.of_op.get(&op) {
                Some(&from) if from != to => {
                    add(from);
                    false
                }
                _ => {
                    from_memory(builder, op).for_each(&mut add);
                    true
                }
            }
        });
    }
    flows.sort_unstable();
    flows.dedup();
    builder.kir.flows = flows;
}

/// The diKernels whose stores a load may read.
fn from_memory<'a>(builder: &'a Builder<'_>, load: Op) -> impl Iterator<Item = usize> + 'a {
    let flows = builder
        .graph
        .edges
        .iter()
        .filter(move |edge| edge.kind == DependenceKind::Flow && edge.sink.op == load);
    flows.filter_map(|edge| builder.of_op.get(&edge.source.op).copied())
}

/// Visits the values inside `root` that values are computed from, themselves first; what `visit` refuses is not
/// looked behind.
pub(in crate::analysis) fn backward(
    ir: &Ir,
    root: Op,
    from: impl IntoIterator<Item = Value>,
    visit: &mut dyn FnMut(Value) -> bool,
) {
    let mut open: Vec<Value> = from.into_iter().collect();
    let mut seen = FxHashSet::default();
    while let Some(value) = open.pop() {
        if !seen.insert(value) || !visit(value) {
            continue;
        }
        let Some(op) = ir.defining_op(value).filter(|&op| op != root && ir.is_inside(op, root))
        else {
            continue;
        };
        open.extend(ir.operands(op));
        if !ir.regions(op).is_empty() {
            for inner in ir.nested_ops(op, gpuc_ir::WalkOrder::PreOrder) {
                open.extend(ir.operands(inner));
            }
        }
    }
}

//! Values that loops carry although nothing needs them.

use gpuc_ir::op::{EffectKind, RegionPoint};
use gpuc_ir::{Ir, Op, Value, ValueDef, WalkOrder};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::carry::{Structure, structure};

/// Lets every loop inside `root` hand on unchanged what it carries for nobody: a variable that each
/// iteration writes before it reads it, or that only computes its own next value. What computed
/// the values is then dead, and canonicalisation drops what is carried unchanged. Returns whether
/// anything changed.
pub fn release_dead_carried(ir: &mut Ir, root: Op) -> bool {
    let ops = ir.nested_ops(root, WalkOrder::PreOrder);
    let live = Liveness::of(ir, &ops);
    let mut changed = false;
    for &op in &ops {
        if structure(ir, op) != Some(Structure::Loop) {
            continue;
        }
        let body = ir.body(op, 0);
        let Some(terminator) = ir.last_op(body) else { continue };
        for index in 0..ir.results(op).len().min(ir.operand_count(terminator)) {
            // The first argument is the induction variable.
            let Some(&argument) = ir.arguments(body).get(index + 1) else { continue };
            let dead = !live.contains(argument) && !live.contains(ir.result(op, index));
            if dead && ir.operand(terminator, index) != argument {
                ir.set_operand(terminator, index, argument);
                changed = true;
            }
        }
    }
    changed
}

/// The values that effects and control flow depend on.
#[derive(Default)]
struct Liveness {
    live: FxHashSet<Value>,
    /// What each result and argument of a structured operation receives.
    sources: FxHashMap<Value, SmallVec<[Value; 2]>>,
}

impl Liveness {
    fn of(ir: &Ir, ops: &[Op]) -> Liveness {
        let mut this = Liveness::default();
        let mut work: Vec<Value> = Vec::new();
        for &op in ops {
            let around = ir.parent_op(op).filter(|&parent| structure(ir, parent).is_some());
            if structure(ir, op).is_some() {
                let handed = this.enter(ir, op, RegionPoint::Parent);
                for region in 0..ir.regions(op).len() {
                    this.enter(ir, op, RegionPoint::Region(region));
                }
                work.extend(ir.operands(op).take(ir.operand_count(op) - handed));
            } else if around.is_some() && ir.next_op(op).is_none() {
                // A terminator: what it hands on is as live as who receives it.
                let handed = around.map_or(0, |parent| handed_on(ir, parent, op));
                work.extend(ir.operands(op).take(ir.operand_count(op) - handed));
            } else if !is_removable(ir, op) {
                work.extend(ir.operands(op));
            }
        }
        while let Some(value) = work.pop() {
            if !this.live.insert(value) {
                continue;
            }
            if let Some(sources) = this.sources.get(&value) {
                work.extend(sources.iter().copied());
            } else if let ValueDef::Result(op, _) = ir.value_def(value) {
                work.extend(ir.operands(op));
            }
        }
        this
    }

    fn contains(&self, value: Value) -> bool {
        self.live.contains(&value)
    }

    /// Notes who receives what from a point; returns how many operands, the last ones, are handed
    /// on there.
    fn enter(&mut self, ir: &Ir, op: Op, from: RegionPoint) -> usize {
        let Some(flow) = ir.def(op).and_then(|def| def.hooks.region_branch) else { return 0 };
        let mut handed = 0;
        for edge in (flow.edges)(ir, op, from) {
            handed = handed.max(edge.values.len());
            for (&value, &receiver) in edge.values.iter().zip(&edge.receivers) {
                self.sources.entry(receiver).or_default().push(value);
            }
        }
        handed
    }
}

/// How many operands, the last ones, the terminator of a structured operation hands on.
fn handed_on(ir: &Ir, parent: Op, terminator: Op) -> usize {
    let Some(flow) = ir.def(parent).and_then(|def| def.hooks.region_branch) else { return 0 };
    let Some(region) =
        ir.regions(parent).iter().position(|&r| Some(r) == ir.parent_region(terminator))
    else {
        return 0;
    };
    let edges = (flow.edges)(ir, parent, RegionPoint::Region(region));
    edges.iter().map(|edge| edge.values.len()).max().unwrap_or(0).min(ir.operand_count(terminator))
}

/// Whether the operation may go if nobody needs its results. What is inside is asked for itself.
fn is_removable(ir: &Ir, op: Op) -> bool {
    ir.regions(op).is_empty()
        && ir.successors(op).is_empty()
        && ir
            .effects(op)
            .is_some_and(|effects| effects.iter().all(|effect| effect.kind == EffectKind::Read))
        && !ir.has_trait(op, gpuc_ir::op::Traits::TERMINATOR)
}

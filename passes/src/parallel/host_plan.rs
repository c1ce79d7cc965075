//! What of a compute region the host executes when its loops over grids are launches of their own.
//!
//! A sequential loop or conditional round parallel loops stays on the host; what its bounds, conditions and carried
//! values need is computed there if that can be, and read back from the device otherwise.

use gpuc_dialects::offload::mapping::LoopMapping;
use gpuc_dialects::offload::{RegionOp, is_host_type, runs_on_host};
use gpuc_dialects::{affine, memref, scf};
use gpuc_ir::op::{RegionEdge, RegionPoint, Traits};
use gpuc_ir::{Block, Ir, Op, OpView, Value, ValueDef, WalkOrder};
use indexmap::IndexSet;
use rustc_hash::{FxHashMap, FxHashSet};

use super::phases::{Step, phases};
use super::schedule::Asked;
use super::scratch::{can_move, is_storable};
use super::segments::has_parallel_loop;
use crate::analysis::loops::constant_trips;
use crate::analysis::slice::{pure_slice, used_from_around};

/// What stays on the host.
#[derive(Debug)]
pub struct HostPlan {
    /// The region.
    pub region: RegionOp,
    /// Loops and conditionals, outer ones first.
    pub kept: IndexSet<Op>,
    /// Loads of device memory that the host does.
    pub fetched: IndexSet<Op>,
    /// Operations that the host does although not all they use is known there: the rest is read back.
    pub needed: IndexSet<Op>,
    /// Values of the region that the host knows without the device.
    known: FxHashSet<Value>,
}

/// Whether an operation is a loop or conditional that the host can execute.
fn is_structured(ir: &Ir, op: Op) -> bool {
    scf::ForOp::is(ir, op)
        || affine::AffineForOp::is(ir, op)
        || scf::WhileOp::is(ir, op)
        || scf::IfOp::is(ir, op)
        || affine::AffineIfOp::is(ir, op)
}

/// Whether a parallel loop inside fills more than a block of `threads` threads, or may: only then a
/// launch of its own gains something.
pub(super) fn is_worth_launches(ir: &Ir, op: Op, threads: i64) -> bool {
    ir.nested_ops(op, WalkOrder::PreOrder).into_iter().any(|inner| {
        if !ir.has_trait(inner, Traits::PARALLEL_LOOP) {
            return false;
        }
        let over_blocks = match LoopMapping::known(ir, inner) {
            Some(mapping) => mapping.is_over_blocks(),
            None => {
                let asked = Asked::of(ir, inner).levels;
                asked.gang || !asked.in_block()
            }
        };
        let trips = constant_trips(ir, inner)
            .and_then(|trips| trips.into_iter().try_fold(1i64, i64::checked_mul));
        over_blocks && trips.is_none_or(|trips| trips > threads)
    })
}

/// The ways out of a point of an operation with regions.
pub fn edges(ir: &Ir, op: Op, from: RegionPoint) -> Vec<RegionEdge> {
    let branch = ir.def(op).and_then(|def| def.hooks.region_branch);
    branch.map_or_else(Vec::new, |branch| (branch.edges)(ir, op, from))
}

/// The points that control leaves from, and the operation that it leaves by: the operation itself, and the end of each
/// region.
pub fn sources(ir: &Ir, op: Op) -> Vec<(RegionPoint, Op)> {
    let mut all = vec![(RegionPoint::Parent, op)];
    for (i, &region) in ir.regions(op).iter().enumerate() {
        if let Some(end) = ir.entry_block(region).and_then(|block| ir.last_op(block)) {
            all.push((RegionPoint::Region(i), end));
        }
    }
    all
}

/// Whether an operation is a load that the host could do.
fn can_be_fetched(ir: &Ir, op: Op) -> bool {
    let Some(load) = memref::LoadOp::cast(ir, op) else { return false };
    let buffer = ir.ty(load.memref(ir));
    ir.ctx.shape(buffer).is_some_and(|shape| shape.len() <= 1)
        && memref::has_identity_layout(&ir.ctx, buffer)
        && is_host_type(ir, ir.ty(ir.result(op, 0)))
}

/// What executes a value's definition, the result or argument as which it comes into being.
fn owner(ir: &Ir, value: Value) -> Option<Op> {
    match ir.value_def(value) {
        ValueDef::Result(op, _) => Some(op),
        ValueDef::Argument(block, _) => ir.block_op(block),
    }
}

impl HostPlan {
    /// What the host is to execute of a region, if anything: the loops and conditionals that are `wanted`
    /// there. `None` where values cross between kernels that memory cannot keep.
    pub fn of(ir: &Ir, region: RegionOp, wanted: &dyn Fn(&Ir, Op) -> bool) -> Option<HostPlan> {
        let mut plan = HostPlan {
            region,
            kept: IndexSet::new(),
            fetched: IndexSet::new(),
            needed: IndexSet::new(),
            known: FxHashSet::default(),
        };
        plan.keep(ir, region.block(ir), wanted);
        let grids = ir.ops(region.block(ir)).filter(|&op| has_parallel_loop(ir, op)).count();
        if plan.kept.is_empty() && grids < 2 {
            return None;
        }
        // With every load that the host can do, what could it know?
        let loads: IndexSet<Op> = plan.host_ops(ir).filter(|&op| can_be_fetched(ir, op)).collect();
        plan.find_known(ir, &loads);
        plan.need_conditions(ir);
        let fetched = std::mem::take(&mut plan.fetched);
        plan.find_known(ir, &fetched);
        plan.fetched =
            fetched.into_iter().filter(|&op| plan.is_known(ir, ir.result(op, 0))).collect();
        plan.needed.clear();
        plan.need_conditions(ir);
        plan.is_feasible(ir).then_some(plan)
    }

    /// The blocks whose operations the host puts in order.
    pub fn host_blocks(&self, ir: &Ir) -> Vec<Block> {
        let inner = self.kept.iter().flat_map(|&op| ir.regions(op));
        let inner = inner.filter_map(|&region| ir.entry_block(region));
        std::iter::once(self.region.block(ir)).chain(inner).collect()
    }

    fn host_ops<'a>(&self, ir: &'a Ir) -> impl Iterator<Item = Op> + use<'a> {
        self.host_blocks(ir).into_iter().flat_map(|block| ir.ops(block))
    }

    /// The operation around or equal to `op` that the host puts in order.
    pub fn top(&self, ir: &Ir, op: Op) -> Option<Op> {
        let is_host = |at: Op| {
            let parent = ir.parent_op(at);
            parent == Some(self.region.op())
                || parent.is_some_and(|parent| self.kept.contains(&parent))
        };
        std::iter::once(op).chain(ir.ancestors(op)).find(|&at| is_host(at))
    }

    /// Whether the host knows a value without reading it back.
    pub fn is_known(&self, ir: &Ir, value: Value) -> bool {
        self.known.contains(&value) || !self.is_of_region(ir, value)
    }

    fn is_of_region(&self, ir: &Ir, value: Value) -> bool {
        owner(ir, value)
            .is_some_and(|owner| owner == self.region.op() || ir.is_inside(owner, self.region.op()))
    }

    /// Whether the host does an operation that is no loop or conditional of its own.
    pub fn is_on_host(&self, ir: &Ir, op: Op) -> bool {
        self.needed.contains(&op)
            || self.fetched.contains(&op)
            || ir.results(op).first().is_some_and(|&result| self.known.contains(&result))
    }

    fn keep(&mut self, ir: &Ir, block: Block, wanted: &dyn Fn(&Ir, Op) -> bool) {
        for op in ir.ops(block) {
            if is_structured(ir, op) && wanted(ir, op) {
                self.kept.insert(op);
                for &region in ir.regions(op) {
                    if let Some(block) = ir.entry_block(region) {
                        self.keep(ir, block, wanted);
                    }
                }
            }
        }
    }

    /// Finds out what the host knows if it does the loads `fetched`: the greatest set of values all
    /// of which follow from others of it.
    fn find_known(&mut self, ir: &Ir, fetched: &IndexSet<Op>) {
        // What receives a value from where, in loops and conditionals.
        let mut receivers: FxHashMap<Value, Vec<Value>> = FxHashMap::default();
        for &op in &self.kept {
            for (point, _) in sources(ir, op) {
                for edge in edges(ir, op, point) {
                    for (&value, &receiver) in edge.values.iter().zip(&edge.receivers) {
                        receivers.entry(receiver).or_default().push(value);
                    }
                }
            }
        }
        let mut order: Vec<Value> = Vec::new();
        for block in self.host_blocks(ir) {
            order.extend(ir.arguments(block));
            order.extend(ir.ops(block).flat_map(|op| ir.results(op)));
        }
        self.known = order
            .iter()
            .copied()
            .filter(|&value| match ir.value_def(value) {
                // An argument that receives nothing is a loop's variable.
                ValueDef::Argument(..) => true,
                ValueDef::Result(op, _) => {
                    self.kept.contains(&op) || fetched.contains(&op) || runs_on_host(ir, op)
                }
            })
            .collect();
        loop {
            let before = self.known.len();
            for &value in
                order.iter().filter(|value| self.known.contains(*value)).collect::<Vec<_>>()
            {
                let follows = match (receivers.get(&value), ir.value_def(value)) {
                    (Some(from), _) => from.iter().all(|&from| self.is_known(ir, from)),
                    (None, ValueDef::Argument(..)) => true,
                    (None, ValueDef::Result(op, _)) => {
                        used_from_around(ir, op).into_iter().all(|used| self.is_known(ir, used))
                    }
                };
                if !follows {
                    self.known.remove(&value);
                }
            }
            if self.known.len() == before {
                return;
            }
        }
    }

    /// The operands that a loop or conditional of the host looks at itself, each with the operation that it is an
    /// operand of: bounds and conditions, not what it hands on.
    pub fn steering(&self, ir: &Ir, op: Op) -> Vec<Value> {
        let mut all = Vec::new();
        for (point, end) in sources(ir, op) {
            let handed = edges(ir, op, point).first().map_or(0, |edge| edge.values.len());
            if point == RegionPoint::Parent || scf::ConditionOp::is(ir, end) {
                let own = ir.operand_count(end) - handed;
                all.extend(ir.operands(end).take(own));
            }
        }
        all
    }

    /// Marks what it takes to know all bounds and conditions.
    fn need_conditions(&mut self, ir: &Ir) {
        let mut seen = FxHashSet::default();
        for op in self.kept.clone() {
            for value in self.steering(ir, op) {
                self.need(ir, value, &mut seen);
            }
        }
    }

    fn need(&mut self, ir: &Ir, value: Value, seen: &mut FxHashSet<Value>) {
        if !self.is_of_region(ir, value) || !seen.insert(value) {
            return;
        }
        let known = self.known.contains(&value);
        match ir.value_def(value) {
            ValueDef::Result(op, _) if !self.kept.contains(&op) => {
                if memref::LoadOp::is(ir, op) {
                    if known {
                        self.fetched.insert(op);
                    } else {
                        return;
                    }
                } else if !runs_on_host(ir, op) {
                    return;
                } else if !known {
                    self.needed.insert(op);
                }
                for used in used_from_around(ir, op) {
                    self.need(ir, used, seen);
                }
            }
            // What a loop hands on to itself: known with all that it comes from, or read back.
            _ if known => {
                let around = owner(ir, value);
                for op in around.into_iter().filter(|op| self.kept.contains(op)).collect::<Vec<_>>()
                {
                    for (point, _) in sources(ir, op) {
                        for edge in edges(ir, op, point) {
                            for (&from, &receiver) in edge.values.iter().zip(&edge.receivers) {
                                if receiver == value {
                                    self.need(ir, from, seen);
                                }
                            }
                        }
                    }
                }
            }
            _ => {}
        }
    }

    /// What the device does in a block of the host, and where the host interrupts it.
    fn steps(&self, ir: &Ir, block: Block) -> Vec<Step> {
        let mut steps = Vec::new();
        for op in ir.ops(block).filter(|&op| !ir.has_trait(op, Traits::TERMINATOR)) {
            if self.kept.contains(&op) || self.fetched.contains(&op) {
                steps.push(Step::Cut);
            } else if !self.is_on_host(ir, op) {
                steps.push(Step::Device(op));
                // It may be read back at once.
                let is_read = |user| {
                    self.top(ir, user).is_some_and(|top| {
                        self.is_on_host(ir, top)
                            || self.kept.contains(&top)
                            || ir.has_trait(top, Traits::TERMINATOR)
                    })
                };
                if ir.results(op).iter().any(|&result| ir.users(result).any(is_read)) {
                    steps.push(Step::Cut);
                }
            }
        }
        steps
    }

    /// Whether memory can keep all that crosses from one kernel to another.
    fn is_feasible(&self, ir: &Ir) -> bool {
        let mut phase_of: FxHashMap<Op, usize> = FxHashMap::default();
        let mut number = 0;
        for block in self.host_blocks(ir) {
            for phase in phases(ir, self.steps(ir, block)) {
                number += 1;
                phase_of.extend(phase.into_iter().map(|op| (op, number)));
            }
        }
        for block in self.host_blocks(ir) {
            let carried = ir.arguments(block).iter().filter(|&&value| !self.is_known(ir, value));
            if carried.into_iter().any(|&value| !is_storable(ir, ir.ty(value))) {
                return false;
            }
            for op in ir.ops(block) {
                for &value in ir.results(op) {
                    if self.is_known(ir, value) {
                        continue;
                    }
                    let phase = |op: Op| phase_of.get(&op).copied();
                    let crosses =
                        ir.users(value).any(|user| self.top(ir, user).and_then(phase) != phase(op));
                    let keeps = if memref::AllocaOp::is(ir, op) {
                        can_move(ir, op)
                    } else {
                        is_storable(ir, ir.ty(value))
                            || pure_slice(ir, value, self.region.op()).is_some()
                    };
                    if crosses && !keeps {
                        return false;
                    }
                }
            }
        }
        true
    }
}

//! Taking a region apart: its loops and conditionals to the host, what is between them to regions of their own.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::offload::{FALLBACK_ATTR, FetchOp, HOST_LOOP_ATTR, RegionOp, YieldOp};
use gpuc_dialects::{arith, gpu, memref, scf};
use gpuc_ir::op::{RegionPoint, Traits};
use gpuc_ir::{Block, Builder, Ir, Op, OpView, Value, ValueDef, ValueMap};
use rustc_hash::{FxHashMap, FxHashSet};

use super::host_plan::{HostPlan, edges};
use super::phases::{Step, phases};
use super::scratch::{Slot, load_where_used, move_array, replace_where_used};
use crate::analysis::slice::{clone_slice, pure_slice};
use crate::versions::in_fallback;

/// Carries a plan out: leaves the loops and conditionals that it keeps in the host function, in front
/// of where the region was, with regions for what runs on the device between them.
///
/// # Errors
/// A local array that several kernels use in a way that memory of the device cannot serve.
pub fn split(ir: &mut Ir, plan: &HostPlan) -> Result<(), Diagnostic> {
    // Buffers are allocated in front of everything.
    let anchor = arith::constant_index(&mut Builder::before(ir, plan.region.op()), 1);
    let anchor = ir.defining_op(anchor).expect("a constant is a result");
    let mut split = Split {
        plan,
        anchor,
        buffers: Vec::new(),
        on_host: FxHashSet::default(),
        regions: Vec::new(),
    };
    for &op in &plan.kept {
        let unit = ir.ctx.unit_attr();
        if ir.is_loop(op) {
            ir.set_attr(op, HOST_LOOP_ATTR, unit);
            if in_fallback(ir, plan.region.op()) {
                ir.set_attr(op, FALLBACK_ATTR, unit);
            }
        }
    }
    let slots = split.carry_in_memory(ir);
    split.read_back(ir, &slots);
    for &load in &plan.fetched {
        split.fetch_instead(ir, load);
    }
    for block in plan.host_blocks(ir) {
        split.partition(ir, block);
    }
    split.keep_between_regions(ir)?;
    let mut b = Builder::before(ir, plan.region.op());
    for buffer in split.buffers {
        gpu::DeallocOp::new(&mut b, &[], buffer).build(&mut b);
    }
    ir.erase_op(plan.region.op());
    Ok(())
}

/// A region that is being taken apart.
pub(super) struct Split<'a> {
    /// What the host is to do.
    pub plan: &'a HostPlan,
    /// Buffers are allocated in front of it.
    pub anchor: Op,
    buffers: Vec<Value>,
    /// Operations made here that the host executes.
    on_host: FxHashSet<Op>,
    /// The regions made, in order.
    regions: Vec<RegionOp>,
}

impl Split<'_> {
    /// Memory for a value.
    pub fn slot(&mut self, ir: &mut Ir, like: Value) -> Slot {
        let ty = ir.ty(like);
        let slot =
            Slot::allocate(ir, self.anchor, ty).expect("the plan asks for what memory holds");
        self.buffers.push(slot.buffer);
        slot
    }

    /// Whether an operation of the host looks at values of the device itself.
    pub fn reads_back(&self, ir: &Ir, top: Op) -> bool {
        self.plan.kept.contains(&top)
            || self.plan.needed.contains(&top)
            || ir.has_trait(top, Traits::TERMINATOR)
    }

    /// Gives bounds, conditions and what they are computed from the values that the device has.
    fn read_back(&mut self, ir: &mut Ir, slots: &FxHashMap<Value, Slot>) {
        let mut users: Vec<Op> = Vec::new();
        for block in self.plan.host_blocks(ir) {
            users.extend(ir.ops(block).filter(|&op| self.reads_back(ir, op)));
        }
        let mut fetched: FxHashMap<Value, Value> = FxHashMap::default();
        for top in users {
            for used in self.read_by(ir, top) {
                let is_on_host =
                    ir.defining_op(used).is_some_and(|op| self.plan.needed.contains(&op));
                if self.plan.is_known(ir, used) || is_on_host || self.on_host_already(ir, used) {
                    continue;
                }
                let value = match fetched.get(&used) {
                    Some(&value) => value,
                    None => {
                        let value = self.fetch(ir, used, slots.get(&used).copied());
                        fetched.insert(used, value);
                        value
                    }
                };
                let kept = self.plan.kept.contains(&top);
                ir.replace_uses_if(used, value, |ir, slot| {
                    let user = ir.use_owner(slot);
                    user == top || !kept && ir.is_inside(user, top)
                });
            }
        }
    }

    fn on_host_already(&self, ir: &Ir, value: Value) -> bool {
        ir.defining_op(value)
            .is_some_and(|op| self.on_host.contains(&op) || !self.is_of_region(ir, op))
    }

    fn is_of_region(&self, ir: &Ir, op: Op) -> bool {
        ir.is_inside(op, self.plan.region.op())
    }

    /// What a loop, conditional or needed operation looks at itself.
    fn read_by(&self, ir: &Ir, top: Op) -> Vec<Value> {
        if self.plan.needed.contains(&top) {
            return crate::analysis::slice::used_from_around(ir, top);
        }
        match ir.has_trait(top, Traits::TERMINATOR) {
            true if scf::ConditionOp::is(ir, top) => vec![ir.operand(top, 0)],
            true => Vec::new(),
            false => {
                let handed = handed_on(ir, top, RegionPoint::Parent).len();
                ir.operands(top).take(ir.operand_count(top) - handed).collect()
            }
        }
    }

    /// The host's copy of a value, read as soon as the device has it.
    fn fetch(&mut self, ir: &mut Ir, value: Value, slot: Option<Slot>) -> Value {
        let slot = match slot {
            Some(slot) => slot,
            None => {
                let slot = self.slot(ir, value);
                let op = ir.defining_op(value).expect("arguments have slots");
                let next = ir.next_op(op).expect("a terminator has no results");
                slot.store(&mut Builder::before(ir, next), value);
                let fetched = slot.fetch(&mut Builder::before(ir, next));
                self.mark(ir, fetched);
                return fetched;
            }
        };
        let fetched = match ir.value_def(value) {
            ValueDef::Result(op, _) => slot.fetch(&mut Builder::after(ir, op)),
            ValueDef::Argument(block, _) => {
                let location =
                    ir.first_op(block).map_or(ir.location(self.anchor), |op| ir.location(op));
                slot.fetch(&mut Builder::at_start(ir, block, location))
            }
        };
        self.mark(ir, fetched);
        fetched
    }

    /// Notes that the host computes a value that it has read.
    fn mark(&mut self, ir: &Ir, fetched: Value) {
        let mut at = Some(fetched);
        while let Some(op) = at.and_then(|value| ir.defining_op(value)) {
            self.on_host.insert(op);
            at = match FetchOp::cast(ir, op) {
                Some(fetch) => fetch.indices(ir).first().copied(),
                None if ir.operand_count(op) > 0 => Some(ir.operand(op, 0)),
                None => None,
            };
        }
    }

    /// Lets the host do a load.
    fn fetch_instead(&mut self, ir: &mut Ir, load: Op) {
        let view = memref::LoadOp(load);
        let (buffer, indices) = (view.memref(ir), view.indices(ir));
        let mut b = Builder::before(ir, load);
        let fetch = FetchOp::new(&mut b, buffer, &indices).build(&mut b);
        self.on_host.insert(fetch);
        let value = ir.result(fetch, 0);
        ir.replace_op(load, &[value]);
    }

    /// Puts what the device does into regions, one for each phase. What stands in the plan's region goes in
    /// front of it.
    fn partition(&mut self, ir: &mut Ir, block: Block) {
        let mut ops: Vec<Op> = ir.ops(block).collect();
        ops.retain(|&op| !ir.has_trait(op, Traits::TERMINATOR));
        if block == self.plan.region.block(ir) {
            ops.iter().for_each(|&op| ir.move_before(self.plan.region.op(), op));
        }
        let is_cut = |ir: &Ir, op: Op| self.plan.kept.contains(&op) || FetchOp::is(ir, op);
        let on_host = |ir: &Ir, op: Op| self.on_host.contains(&op) || self.plan.is_on_host(ir, op);
        let steps = ops.iter().filter_map(|&op| match is_cut(ir, op) {
            true => Some(Step::Cut),
            false => (!on_host(ir, op)).then_some(Step::Device(op)),
        });
        for phase in phases(ir, steps.collect::<Vec<_>>()) {
            let (Some(&first), Some(&last)) = (phase.first(), phase.last()) else { continue };
            let region = new_region(ir, self.plan.region, first);
            let end = ir.last_op(region.block(ir)).expect("a region ends with a yield");
            let run = ops.iter().skip_while(|&&op| op != first);
            let run: Vec<Op> = run.take_while(|&&op| op != last).copied().chain([last]).collect();
            let phase: FxHashSet<Op> = phase.into_iter().collect();
            for op in run {
                match phase.contains(&op) {
                    true => ir.move_before(end, op),
                    // It uses nothing of the region.
                    false => ir.move_before(region.op(), op),
                }
            }
            self.regions.push(region);
        }
    }

    /// What one region computes and another one needs is computed again there, or kept in memory.
    fn keep_between_regions(&mut self, ir: &mut Ir) -> Result<(), Diagnostic> {
        for region in std::mem::take(&mut self.regions) {
            // From the end: what is computed again elsewhere may be all that uses what is in front of it.
            let mut ops: Vec<Op> = ir.ops(region.block(ir)).collect();
            ops.reverse();
            for op in ops {
                for value in ir.results(op).to_vec() {
                    let other = |ir: &Ir, user: Op| {
                        let top = std::iter::once(user).chain(ir.ancestors(user));
                        let top = top.take_while(|&at| !RegionOp::is(ir, at)).last()?;
                        (ir.parent_op(top) != Some(region.op())).then_some(top)
                    };
                    if !ir.users(value).any(|user| other(ir, user).is_some()) {
                        continue;
                    }
                    if memref::AllocaOp::is(ir, op) {
                        self.buffers.push(move_array(ir, self.anchor, op)?);
                        break;
                    }
                    match pure_slice(ir, value, region.op()) {
                        Some(slice) => replace_where_used(ir, value, other, |b| {
                            clone_slice(b, &slice, value, &mut ValueMap::new())
                        }),
                        None => {
                            let slot = self.slot(ir, value);
                            load_where_used(ir, value, slot, other);
                            slot.store(&mut Builder::after(ir, op), value);
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

/// What control hands on when it leaves a point, each value with all that may receive it.
pub(super) fn handed_on(ir: &Ir, op: Op, point: RegionPoint) -> Vec<(Value, Vec<Value>)> {
    let edges = edges(ir, op, point);
    let Some(first) = edges.first() else { return Vec::new() };
    let receivers =
        |i: usize| edges.iter().filter_map(|edge| edge.receivers.get(i).copied()).collect();
    first.values.iter().enumerate().map(|(i, &value)| (value, receivers(i))).collect()
}

/// An empty region like another one.
fn new_region(ir: &mut Ir, like: RegionOp, point: Op) -> RegionOp {
    let sizes = [like.num_gangs(ir), like.num_workers(ir), like.vector_length(ir)];
    let attrs = ir.attrs(like.op());
    let location = ir.location(like.op());
    let mut b = Builder::before(ir, point);
    b.location = location;
    let region = b.region(&[], |b, _| {
        YieldOp::new(b).build(b);
    });
    let new = RegionOp::new(&mut b, sizes[0], sizes[1], sizes[2]).region(region).build(&mut b);
    ir.set_attrs(new, attrs);
    RegionOp(new)
}

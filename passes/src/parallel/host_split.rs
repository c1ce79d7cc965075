//! Taking a region apart: its loops and conditionals to the host, what is between them to regions of their own.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::offload::{FALLBACK_ATTR, FetchOp, HOST_LOOP_ATTR, RegionOp, YieldOp};
use gpuc_dialects::{arith, gpu, memref, scf};
use gpuc_ir::op::{RegionPoint, Traits};
use gpuc_ir::{Block, Builder, Ir, Op, OpView, Value, ValueDef, ValueMap};
use rustc_hash::{FxHashMap, FxHashSet};

use super::host_plan::{HostPlan, edges, sources};
use super::phases::{Step, phases};
use super::scratch::{Slot, load_where_used, move_array};
use crate::analysis::slice::{clone_slice, pure_slice};
use crate::simplify::carry::undefined;
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
        if ir.def(op).is_some_and(|def| def.hooks.loop_regions.is_some()) {
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

struct Split<'a> {
    plan: &'a HostPlan,
    /// Buffers are allocated in front of it.
    anchor: Op,
    buffers: Vec<Value>,
    /// Operations made here that the host executes.
    on_host: FxHashSet<Op>,
    /// The regions made, in order.
    regions: Vec<RegionOp>,
}

impl Split<'_> {
    fn slot(&mut self, ir: &mut Ir, like: Value) -> Slot {
        let ty = ir.ty(like);
        let slot =
            Slot::allocate(ir, self.anchor, ty).expect("the plan asks for what memory holds");
        self.buffers.push(slot.buffer);
        slot
    }

    /// Keeps in memory what loops and conditionals of the host hand on without knowing it.
    fn carry_in_memory(&mut self, ir: &mut Ir) -> FxHashMap<Value, Slot> {
        let mut slots: FxHashMap<Value, Slot> = FxHashMap::default();
        for &op in &self.plan.kept {
            for (point, _) in sources(ir, op) {
                for (value, receivers) in handed_on(ir, op, point) {
                    if self.plan.is_known(ir, receivers[0])
                        || receivers.iter().all(|&receiver| ir.is_unused(receiver))
                    {
                        continue;
                    }
                    // What the first half of a `while` loop only passes on stays where it is.
                    let passed_on = scf::WhileOp::is(ir, op) && point == RegionPoint::Region(0);
                    let known = receivers.iter().find_map(|receiver| slots.get(receiver).copied());
                    let slot = known
                        .or_else(|| {
                            slots
                                .get(&value)
                                .copied()
                                .filter(|_| passed_on && is_argument_of(ir, value, op))
                        })
                        .unwrap_or_else(|| self.slot(ir, receivers[0]));
                    slots.extend(receivers.into_iter().map(|receiver| (receiver, slot)));
                }
            }
        }
        for &op in &self.plan.kept {
            for (point, end) in sources(ir, op) {
                self.store_handed(ir, op, point, end, &slots);
            }
        }
        for block in self.plan.host_blocks(ir) {
            let arguments = ir.arguments(block).to_vec();
            let results = ir.ops(block).filter(|op| self.plan.kept.contains(op));
            let results = results.flat_map(|op| ir.results(op).to_vec());
            for value in arguments.into_iter().chain(results).collect::<Vec<_>>() {
                if let Some(&slot) = slots.get(&value) {
                    load_where_used(ir, value, slot, |ir, user| {
                        self.plan.top(ir, user).filter(|&top| !self.reads_back(ir, top))
                    });
                }
            }
        }
        slots
    }

    /// Stores what is handed on from a point to where it is kept, and hands on nothing instead.
    fn store_handed(
        &self,
        ir: &mut Ir,
        op: Op,
        point: RegionPoint,
        end: Op,
        slots: &FxHashMap<Value, Slot>,
    ) {
        let handed = handed_on(ir, op, point);
        let first = ir.operand_count(end) - handed.len();
        let mut stores = Vec::new();
        for (i, (value, receivers)) in handed.into_iter().enumerate() {
            if self.plan.is_known(ir, receivers[0]) {
                continue;
            }
            if let Some(&slot) = slots.get(&receivers[0]) {
                // All are read before the first is overwritten.
                match slots.get(&value) {
                    Some(own) if own.buffer == slot.buffer => {}
                    Some(own) => {
                        let loaded = own.load(&mut Builder::before(ir, end));
                        stores.push((slot, loaded));
                    }
                    None => stores.push((slot, value)),
                }
            }
            let ty = ir.ty(value);
            let nothing = undefined(&mut Builder::before(ir, self.anchor), ty);
            ir.set_operand(end, first + i, nothing.expect("the plan asks for what memory holds"));
        }
        for (slot, value) in stores {
            let receives = |ir: &Ir, of: Value| {
                slots.get(&of).is_some_and(|own| own.buffer == slot.buffer) && !ir.is_unused(of)
            };
            let receivers: Vec<Value> =
                slots.keys().copied().filter(|&of| receives(ir, of)).collect();
            // As soon as it is there, where nobody looks at the last one any more: then the kernel that
            // computes it stores it.
            match self.is_last_look(ir, value, end, slot, &receivers) {
                Some(def) => slot.store(&mut Builder::after(ir, def), value),
                None => slot.store(&mut Builder::before(ir, end), value),
            }
        }
    }

    /// The operation that defines a value that is handed on by `end`, if nothing between the two reads what the
    /// slot held before.
    fn is_last_look(
        &self,
        ir: &mut Ir,
        value: Value,
        end: Op,
        slot: Slot,
        receivers: &[Value],
    ) -> Option<Op> {
        let block = ir.parent_block(end)?;
        let def = ir.defining_op(value).filter(|&def| ir.parent_block(def) == Some(block))?;
        if self.plan.kept.contains(&def) {
            return None;
        }
        let mut users: Vec<Op> = ir.users(slot.buffer).collect();
        users.extend(receivers.iter().flat_map(|&receiver| ir.users(receiver)));
        let tops: Vec<Op> =
            users.into_iter().filter_map(|user| ir.ancestor_in_block(user, block)).collect();
        ir.number_ops(block);
        let is_terminator = ir.has_trait(end, Traits::TERMINATOR);
        let looks_between = |top: Op| {
            let is_behind = ir.is_before_numbered(def, top);
            is_behind && (ir.is_before_numbered(top, end) || is_terminator && top == end)
        };
        (!tops.into_iter().any(looks_between)).then_some(def)
    }

    /// Whether an operation of the host looks at values of the device itself.
    fn reads_back(&self, ir: &Ir, top: Op) -> bool {
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
                        Some(slice) => compute_again(ir, value, &slice, other),
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

/// Computes a value again in front of each operation that `top` gives for a user of it.
fn compute_again(ir: &mut Ir, value: Value, slice: &[Op], top: impl Fn(&Ir, Op) -> Option<Op>) {
    let mut tops: Vec<Op> = Vec::new();
    for user in ir.users(value).collect::<Vec<_>>() {
        if let Some(top) = top(ir, user)
            && !tops.contains(&top)
        {
            tops.push(top);
        }
    }
    for at in tops {
        let again = clone_slice(&mut Builder::before(ir, at), slice, value, &mut ValueMap::new());
        ir.replace_uses_if(value, again, |ir, slot| top(ir, ir.use_owner(slot)) == Some(at));
    }
}

fn is_argument_of(ir: &Ir, value: Value, op: Op) -> bool {
    matches!(ir.value_def(value), ValueDef::Argument(block, _) if ir.block_op(block) == Some(op))
}

/// What control hands on when it leaves a point, each value with all that may receive it.
fn handed_on(ir: &Ir, op: Op, point: RegionPoint) -> Vec<(Value, Vec<Value>)> {
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

//! What loops and conditionals of the host hand on without knowing it: kept in memory of the device.

use gpuc_dialects::scf;
use gpuc_ir::op::{RegionPoint, Traits};
use gpuc_ir::{Builder, Ir, Op, OpView, Value, ValueDef};
use rustc_hash::FxHashMap;

use super::host_plan::sources;
use super::host_split::{Split, handed_on};
use super::scratch::{Slot, load_where_used};
use crate::simplify::carry::undefined;

impl Split<'_> {
    /// Keeps in memory what loops and conditionals of the host hand on without knowing it.
    pub fn carry_in_memory(&mut self, ir: &mut Ir) -> FxHashMap<Value, Slot> {
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
}

fn is_argument_of(ir: &Ir, value: Value, op: Op) -> bool {
    matches!(ir.value_def(value), ValueDef::Argument(block, _) if ir.block_op(block) == Some(op))
}

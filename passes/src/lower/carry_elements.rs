//! `carry-elements`: what a round of a loop stores, and the same or the next one loads again, is handed on in a register.
//!
//! Needs loops with a constant step whose accesses are told apart by their subscripts; leaves loads that a round may not reach, loops in
//! which anything else may write the element, and those with barriers or atomics on the same buffer. A recurrence along a row,
//! `p[i][j] = 1 / (a * p[i][j - 1] + b)`, waits for memory in each round otherwise, if only because a store to another array stands
//! between, of which the device's compiler does not know that it is another one. The first round's element is loaded in front of the
//! loop. Callahan, Carr and Kennedy, "Improving register allocation for subscripted variables", 1990.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::{arith, llvm, memref, scf};
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Block, Builder, Ir, Op, OpView, Type, Value, ValueMap};

use super::hoist_loads::guard;
use super::on_loops_of_kernels;
use crate::analysis::access::{Access, root};
use crate::analysis::gaps::{Earlier, are_apart, are_same};
use crate::analysis::nest::Nest;
use crate::analysis::slice::{clone_slice, is_defined_inside, slice_from_given};
use crate::simplify::carry;

gpuc_ir::pass! {
    /// Hand what a round of a loop stores to loads of the same and the next one in a register.
    CarryElements = "carry-elements" on "builtin.module" {}
}

impl Pass for CarryElements {
    fn run(&mut self, ir: &mut Ir, module: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        on_loops_of_kernels(ir, module, |ir, view| {
            // Rounds that are far apart hand nothing on.
            if may_hand_over(ir, view.body(ir)) && !llvm::Rounds::of(ir, view.op()).split {
                forward(ir, view);
                carry_elements(ir, view);
            }
        });
        Ok(())
    }
}

/// A load of what the round before has stored.
#[derive(Debug)]
struct Handed {
    load: Op,
    stored: Value,
    /// What the load's operands are computed by, from the loop's variable.
    slices: Vec<Vec<Op>>,
}

/// Replaces loads of what the same round has stored.
fn forward(ir: &mut Ir, view: scf::ForOp) {
    let body = view.body(ir);
    let Ok(nest) = Nest::of_known(ir, view.op()) else { return };
    let Ok(accesses) = nest.accesses(view.op()) else { return };
    for (number, read) in accesses.iter().enumerate() {
        if !memref::LoadOp::is(ir, read.op) || ir.parent_block(read.op) != Some(body) {
            continue;
        }
        let before = accesses[..number].iter().rev();
        let mut writes = before.filter(|access| access.writes());
        let last = writes.find(|write| !are_apart(ir, write, read, None));
        let stored = last
            .filter(|write| memref::StoreOp::is(ir, write.op) && are_same(ir, write, read, None))
            .filter(|write| ir.parent_block(write.op) == Some(body))
            .and_then(|write| ir.memory_access(write.op)?.stored())
            .filter(|&stored| ir.ty(stored) == ir.ty(ir.result(read.op, 0)));
        if let Some(stored) = stored {
            ir.replace_op(read.op, &[stored]);
        }
    }
}

/// Whether a buffer is stored to and loaded from in a body: without that, nobody has to ask where.
fn may_hand_over(ir: &Ir, body: Block) -> bool {
    let buffers = |name: &'static str| {
        let of_name = ir.ops(body).filter(move |&op| ir.name(op) == name);
        of_name.filter_map(|op| Some(root(ir, ir.memory_access(op)?.buffer)))
    };
    let stored: Vec<Value> = buffers(memref::StoreOp::NAME).collect();
    !stored.is_empty() && buffers(memref::LoadOp::NAME).any(|loaded| stored.contains(&loaded))
}

fn carry_elements(ir: &mut Ir, view: scf::ForOp) {
    let handed = handed(ir, view);
    if handed.is_empty() {
        return;
    }
    guard(ir, view);
    let (variable, body) = (view.induction_var(ir), view.body(ir));
    let location = ir.location(view.op());
    let mut b = Builder::before(ir, view.op());
    let mut map = ValueMap::new();
    map.insert(variable, view.lowerBound(&b));
    let mut inits = Vec::new();
    for Handed { load, slices, .. } in &handed {
        for (number, slice) in slices.iter().enumerate() {
            let operand = b.operand(*load, number);
            clone_slice(&mut b, slice, operand, &mut map);
        }
        let first = b.clone_op(*load, &mut map);
        b.insert(first);
        inits.push(b.result(first, 0));
    }
    let types: Vec<Type> = inits.iter().map(|&init| ir.ty(init)).collect();
    let new = scf::ForOp(carry::append(ir, view.op(), &inits, &types));
    let end = new.terminator(ir);
    // What is stored may be what another of the loads gives.
    for each in &handed {
        ir.push_operand(end, each.stored);
    }
    for (each, ty) in handed.iter().zip(types) {
        let carried = ir.add_argument(body, ty, location);
        ir.replace_op(each.load, &[carried]);
    }
}

/// The loads of every round that give what every round before has stored.
fn handed(ir: &Ir, view: scf::ForOp) -> Vec<Handed> {
    let (loop_op, variable, body) = (view.op(), view.induction_var(ir), view.body(ir));
    let Some(step) = arith::constant_index_value(ir, view.step(ir)) else { return Vec::new() };
    let Ok(nest) = Nest::of_known(ir, loop_op) else { return Vec::new() };
    let Ok(accesses) = nest.accesses(loop_op) else { return Vec::new() };
    let is_direct = |access: &&Access| ir.parent_block(access.op) == Some(body);
    let writes: Vec<&Access> = accesses.iter().filter(|access| access.writes()).collect();
    let rounds = [0, 1].map(|rounds| Earlier { loop_op, variable, by: rounds * step });
    let from_store = |read: &Access| {
        let hands_on = |write: &&&Access| {
            memref::StoreOp::is(ir, write.op)
                && is_direct(write)
                && are_same(ir, write, read, Some(rounds[1]))
                && are_apart(ir, write, read, Some(rounds[0]))
        };
        let store = writes.iter().find(hands_on)?;
        let keeps = |write: &&Access| {
            write.op == store.op
                || rounds.iter().all(|&earlier| are_apart(ir, write, read, Some(earlier)))
        };
        let stored = ir.memory_access(store.op).and_then(|access| access.stored())?;
        (writes.iter().all(keeps) && ir.ty(stored) == ir.ty(ir.result(read.op, 0)))
            .then_some(stored)
    };
    let given = |value: Value| value == variable || !is_defined_inside(ir, value, loop_op);
    let reads = accesses.iter().filter(|read| memref::LoadOp::is(ir, read.op) && is_direct(read));
    reads
        .filter_map(|read| {
            let stored = from_store(read)?;
            let slice = |operand| slice_from_given(ir, operand, loop_op, &given);
            let slices: Option<Vec<Vec<Op>>> = ir.operands(read.op).map(slice).collect();
            Some(Handed { load: read.op, stored, slices: slices? })
        })
        .collect()
}

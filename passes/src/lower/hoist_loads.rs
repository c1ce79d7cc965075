//! `hoist-loads`: what a loop of a kernel loads again in every round, and does not change, is loaded
//! once in front of it.
//!
//! Needs subscripts that do not vary to stand outside their loops (`loop-invariant-code-motion`);
//! leaves loads that a round may not reach, loops with barriers, atomics on the same buffer, or
//! anything else that may write what is loaded. Whether two buffers may share memory is asked of
//! [`crate::analysis::access`]. A loop that may run zero times, in which nothing would be loaded,
//! first gets a test round it: the one that its lowering makes anyway.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::{arith, memref, scf};
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Builder, Ir, Op, OpView, Value};

use super::on_loops_of_kernels;
use crate::analysis::access::{Access, Alias, Storage, alias};
use crate::analysis::nest::Nest;
use crate::analysis::slice::is_defined_inside;

gpuc_ir::pass! {
    /// Load what a loop of a kernel does not change once, in front of it.
    HoistLoads = "hoist-loads" on "builtin.module" {}
}

impl Pass for HoistLoads {
    fn run(&mut self, ir: &mut Ir, module: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        on_loops_of_kernels(ir, module, hoist);
        Ok(())
    }
}

fn hoist(ir: &mut Ir, view: scf::ForOp) {
    let loads = invariant_loads(ir, view);
    if loads.is_empty() {
        return;
    }
    guard(ir, view);
    for load in loads {
        ir.move_before(view.op(), load);
    }
}

/// The loads of every round that give the same in every round.
fn invariant_loads(ir: &Ir, view: scf::ForOp) -> Vec<Op> {
    let loop_op = view.op();
    let Ok(nest) = Nest::of_known(ir, loop_op) else { return Vec::new() };
    let Ok(accesses) = nest.accesses(loop_op) else { return Vec::new() };
    let written: Vec<&Access> = accesses.iter().filter(|access| access.writes()).collect();
    let may_change = |read: &Access| {
        let own = Storage::of(ir, read.root);
        written.iter().any(|write| {
            write.root == read.root || alias(own, Storage::of(ir, write.root)) != Alias::No
        })
    };
    let is_outside = |value: Value| !is_defined_inside(ir, value, loop_op);
    let reads = accesses.iter().filter(|access| {
        memref::LoadOp::is(ir, access.op)
            && ir.parent_block(access.op) == Some(view.body(ir))
            && ir.operands(access.op).all(is_outside)
    });
    reads.filter(|read| !may_change(read)).map(|read| read.op).collect()
}

/// Puts a loop into a branch that is taken where the loop runs at all, unless that is known.
pub(super) fn guard(ir: &mut Ir, view: scf::ForOp) {
    if view.constant_trip_count(ir).is_some_and(|trips| trips > 0) {
        return;
    }
    let op = view.op();
    let inits: Vec<Value> = view.initArgs(ir).to_vec();
    let types: Vec<_> = ir.result_types(op).collect();
    let slt = arith::CmpIPredicate::Slt.attr(&mut ir.ctx);
    let mut b = Builder::before(ir, op);
    let (lower, upper) = (view.lowerBound(&b), view.upperBound(&b));
    let runs = arith::CmpIOp::new(&mut b, lower, upper).attr(&mut b, "predicate", slt);
    let runs = runs.value(&mut b);
    let then = b.region(&[], |b, _| {
        scf::YieldOp::new(b, &inits).build(b);
    });
    let otherwise = b.region(&[], |b, _| {
        scf::YieldOp::new(b, &inits).build(b);
    });
    let branch = scf::IfOp::new(&mut b, runs).result_group(&types);
    let branch = branch.region(then).region(otherwise).build(&mut b);
    for number in 0..types.len() {
        let (from, to) = (ir.result(op, number), ir.result(branch, number));
        ir.replace_all_uses(from, to);
    }
    let end = ir.last_op(ir.body(branch, 0)).expect("it has just been made");
    ir.move_before(end, op);
    let results = ir.results(op).to_vec();
    ir.set_operands(end, &results);
}

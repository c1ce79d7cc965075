//! Unrolled loops whose directive says which rounds are done in one, and what becomes of the rest.
//!
//! `split`: those that are as far apart as there are groups, so that what a round of each reads lies far apart, and what the groups read
//! in a row. `guarded`: each asks whether there is one, and no loop follows. `whole`: the program says that none is left.

use gpuc_dialects::llvm::{self, Rounds};
use gpuc_dialects::{arith, scf};
use gpuc_ir::{Builder, Ir, OpView, Value, ValueMap};

use super::{as_type, counted, no_wrap_add, round};

/// Lets a loop do `factor` rounds in one.
pub(super) fn unroll(ir: &mut Ir, view: scf::ForOp, factor: usize, step: i64) {
    let mut form = Rounds::of(ir, view.op());
    // What passes before have made it carry is for rounds in their order.
    form.split &= view.initArgs(ir).is_empty();
    let mut b = Builder::before(ir, view.op());
    let ty = b.ty(view.lowerBound(&b));
    let (lower, trips) = counted(&mut b, view, step);
    let [zero, one] = [0, 1].map(|number| arith::constant_index(&mut b, number));
    let stride = arith::constant_index(&mut b, step);
    let count = arith::constant_index(&mut b, factor as i64);
    let groups = match form.guarded {
        true => arith::CeilDivUIOp::new(&mut b, trips, count).value(&mut b),
        false => arith::DivUIOp::new(&mut b, trips, count).value(&mut b),
    };
    let variable_at = |b: &mut Builder<'_>, number: Value| {
        let distance = arith::MulIOp::new(b, number, stride).value(b);
        let variable = no_wrap_add(b, lower, distance);
        as_type(b, variable, ty)
    };
    let inits: Vec<Value> = view.initArgs(&b).to_vec();
    let main = scf::ForOp::create(&mut b, (zero, groups, one), &inits, |b, group, carried| {
        let mut carried = carried.to_vec();
        for own in 0..factor {
            let own = arith::constant_index(b, own as i64);
            let (base, more) = match form.split {
                true => (arith::MulIOp::new(b, own, groups).value(b), group),
                false => (arith::MulIOp::new(b, group, count).value(b), own),
            };
            let number = no_wrap_add(b, base, more);
            let variable = variable_at(b, number);
            if !form.guarded {
                carried = round(b, view, variable, &carried, ValueMap::new());
                continue;
            }
            let ult = arith::CmpIPredicate::Ult.attr(&mut b.ctx);
            let is_there = arith::CmpIOp::new(b, number, trips).attr(b, "predicate", ult);
            let is_there = is_there.value(b);
            let types: Vec<_> = carried.iter().map(|&value| b.ty(value)).collect();
            let before = carried.clone();
            let does = |b: &mut Builder<'_>| round(b, view, variable, &before, ValueMap::new());
            let guard = scf::IfOp::create(b, is_there, &types, does, |_| before.clone());
            carried = b.results(guard.op()).to_vec();
        }
        carried
    });
    let annotation = llvm::no_unroll(&mut b.ctx);
    b.set_attr(main.op(), llvm::LOOP_ANNOTATION, annotation);
    let mut after = b.results(main.op()).to_vec();
    if !form.guarded && !form.whole {
        let done = arith::MulIOp::new(&mut b, groups, count).value(&mut b);
        let tail = scf::ForOp::create(&mut b, (done, trips, one), &after, |b, number, carried| {
            let variable = variable_at(b, number);
            round(b, view, variable, carried, ValueMap::new())
        });
        b.set_attr(tail.op(), llvm::LOOP_ANNOTATION, annotation);
        after = b.results(tail.op()).to_vec();
    }
    ir.replace_op(view.op(), &after);
}

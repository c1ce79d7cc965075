//! Flags: a value that iterations set to one and the same, if at all.
//!
//! `if (x[i] > 11) any = 1;` is no reduction as it stands; but whether an iteration set it is one, a maximum of zeros and ones,
//! and what it is set to is known ahead. So the loop carries that, and the value is chosen behind it.

use gpuc_dialects::arith::{CmpFPredicate, CmpIPredicate};
use gpuc_dialects::{affine, arith, scf};
use gpuc_ir::op::LoopCarried;
use gpuc_ir::{Builder, Ir, Op, Value};

use crate::analysis::slice::is_defined_inside;
use crate::raise::reduction::Reduction;

/// Choices in each other that are looked into.
const MOST_NESTED: u32 = 8;

/// A carried value that stays as it is or becomes another, always the same.
#[derive(Debug)]
pub struct Flag {
    carried: LoopCarried,
    /// Its number among the loop's carried values.
    index: usize,
    /// What it becomes.
    set: Value,
    /// Operands that are that.
    places: Vec<SetOperand>,
}

/// An operand that is what the flag is set to.
#[derive(Clone, Copy, Debug)]
struct SetOperand {
    op: Op,
    index: usize,
    /// What the loop round it carries.
    argument: Value,
}

impl Flag {
    /// What the loop `op` carries, if iterations do nothing with it but to set it.
    pub fn find(ir: &Ir, op: Op, carried: LoopCarried) -> Option<Flag> {
        let index = ir.results(op).iter().position(|&result| result == carried.result)?;
        let ty = ir.ty(carried.argument);
        let is_number = ir.ctx.is_float(ty) || ir.ctx.int_or_index_width(ty).is_some_and(|n| n > 1);
        let end = ir.last_op(ir.body(op, 0))?;
        let mut search = Leaves { ir, op, set: None, places: Vec::new() };
        let found = search.of_loop(carried.argument, end, index, MOST_NESTED).is_some();
        let set = search.set.filter(|_| found && is_number)?;
        Some(Flag { carried, index, set, places: search.places })
    }

    /// Lets the loop carry whether it was set.
    pub fn split(self, ir: &mut Ir, op: Op) {
        let LoopCarried { init, argument, result, .. } = self.carried;
        let ty = ir.ty(argument);
        let operand = ir.operand_count(op) - ir.results(op).len() + self.index;
        let mut b = Builder::before(ir, op);
        let [zero, one] = [0, 1].map(|n| match b.ctx.is_float(ty) {
            true => arith::constant_float(&mut b, f64::from(n), ty),
            false => arith::constant_int(&mut b, n.into(), ty),
        });
        ir.set_operand(op, operand, zero);
        for SetOperand { op, index, argument } in self.places {
            let marked = Reduction::Max.combine(&mut Builder::before(ir, op), argument, one, false);
            ir.set_operand(op, index, marked);
        }
        let mut b = Builder::after(ir, op);
        let is_set = match b.ctx.is_float(ty) {
            true => {
                let one = CmpFPredicate::One.attr(&mut b.ctx);
                arith::CmpFOp::new(&mut b, result, zero).attr(&mut b, "predicate", one)
            }
            .value(&mut b),
            false => {
                let ne = CmpIPredicate::Ne.attr(&mut b.ctx);
                arith::CmpIOp::new(&mut b, result, zero).attr(&mut b, "predicate", ne)
            }
            .value(&mut b),
        };
        let value = arith::SelectOp::new(&mut b, is_set, self.set, init).value(&mut b);
        let (test, choice) = (b.defining_op(is_set), b.defining_op(value));
        let is_own = |user: Op| Some(user) == test || Some(user) == choice;
        ir.replace_uses_if(result, value, |ir, user| !is_own(ir.use_owner(user)));
    }
}

/// What a carried value is chosen from.
struct Leaves<'a> {
    ir: &'a Ir,
    op: Op,
    set: Option<Value>,
    places: Vec<SetOperand>,
}

impl Leaves<'_> {
    /// What an iteration of a loop, whose end is given, hands on of what is carried.
    fn of_loop(&mut self, argument: Value, end: Op, index: usize, depth: u32) -> Option<()> {
        let kept = self.visit(argument, end, index, depth)?;
        (kept == self.ir.uses(argument).count()).then_some(())
    }

    /// An operand that is handed on, and nothing else; how often it is what is carried.
    fn visit(&mut self, argument: Value, user: Op, index: usize, depth: u32) -> Option<usize> {
        let ir = self.ir;
        let value = ir.operand(user, index);
        if value == argument {
            return Some(1);
        }
        if !is_defined_inside(ir, value, self.op) {
            if self.set.is_some_and(|set| set != value) {
                return None;
            }
            self.set = Some(value);
            self.places.push(SetOperand { op: user, index, argument });
            return Some(0);
        }
        let from = ir.defining_op(value).filter(|_| depth > 0 && ir.has_one_use(value))?;
        let number = ir.results(from).iter().position(|&result| result == value)?;
        match ir.name(from) {
            arith::SelectOp::NAME => {
                let chosen = [1, 2].map(|side| self.visit(argument, from, side, depth - 1));
                Some(chosen[0]? + chosen[1]?)
            }
            scf::IfOp::NAME | affine::AffineIfOp::NAME => {
                let mut kept = 0;
                for &region in ir.regions(from) {
                    let end = ir.last_op(ir.entry_block(region)?)?;
                    kept += self.visit(argument, end, number, depth - 1)?;
                }
                Some(kept)
            }
            _ if ir.is_counted_loop(from) => {
                let inner = *ir.loop_carried(from).get(number)?;
                let end = ir.last_op(ir.body(from, 0))?;
                self.of_loop(inner.argument, end, number, depth - 1)?;
                let init = ir.operand_count(from) - ir.results(from).len() + number;
                self.visit(argument, from, init, depth - 1)
            }
            _ => None,
        }
    }
}

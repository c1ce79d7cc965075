//! Branches between blocks, and assertions.

use gpuc_dialects::cf;
use gpuc_ir::Op;

use super::{Family, Handler, Step};
use crate::fiber::Flow;
use crate::interpreter::Interpreter;

pub(super) const OPS: Family = &[
    (cf::AssertOp::NAME, Handler::leaf(assert)),
    (cf::BranchOp::NAME, Handler::leaf(|m, op| jump(m, op, 0))),
    (cf::CondBranchOp::NAME, Handler::leaf(conditional)),
    (cf::SwitchOp::NAME, Handler::leaf(switch)),
];

/// Goes to a successor with the operands that are passed to it.
fn jump(m: &mut Interpreter<'_>, op: Op, successor: usize) -> Step {
    let ir = m.ir;
    let Some(&block) = ir.successors(op).get(successor) else {
        return Err(m.error(op, format!("has no successor #{successor}")));
    };
    let range = ir.def(op).and_then(|def| def.hooks.successor_operands);
    let range = range.map_or(0..0, |range| range(ir, op, successor));
    let arguments = m.get_all(range.map(|i| ir.operand(op, i)))?;
    Ok(Flow::Jump { block, arguments })
}

fn assert(m: &mut Interpreter<'_>, op: Op) -> Step {
    let view = cf::AssertOp(op);
    if m.condition(op, view.arg(m.ir))? {
        return Ok(Flow::Next);
    }
    let message = view.msg(m.ir).and_then(|msg| m.ir.ctx.string_value(msg)).unwrap_or_default();
    Err(m.error(op, format!("failed: {message}")))
}

fn conditional(m: &mut Interpreter<'_>, op: Op) -> Step {
    let taken = m.condition(op, cf::CondBranchOp(op).condition(m.ir))?;
    jump(m, op, usize::from(!taken))
}

fn switch(m: &mut Interpreter<'_>, op: Op) -> Step {
    let view = cf::SwitchOp(op);
    let flag = m.int(op, view.flag(m.ir))?;
    // Cases are kept as attributes keep integers: `true` is 1.
    let matches = |&case: &i64| crate::value::Int::new(case.into(), flag.width()) == flag;
    let case = view.case_numbers(m.ir).iter().position(matches);
    jump(m, op, case.map_or(0, |case| case + 1))
}

//! `scf-for-to-while`: counting loops as `scf.while`.
//!
//! Needs `scf.for` over `index`. The counter is the first carried value; the region in front tests it against the upper
//! bound, the region behind adds the step and is the body. Counters of other types stay, unless constants say that the
//! last sum does not wrap: of eight bits, 126 + 2 would be less than 127. After MLIR's pass of the same name.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::{arith, scf};
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Builder, InsertPoint, Ir, Op, OpView, Type, Value, WalkOrder};

use crate::steps::refusal::Refusal;

gpuc_ir::pass! {
    /// Write counting loops as `scf.while`.
    ScfForToWhile = "scf-for-to-while" {}
}

impl Pass for ScfForToWhile {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        for inner in ir.nested_ops(op, WalkOrder::PostOrder) {
            let Some(view) = scf::ForOp::cast(ir, inner) else { continue };
            if wraps(ir, view) {
                let rule = "the counter may wrap behind the last iteration";
                cx.report(Refusal::new("scf-for-to-while", inner, rule).remark(ir));
                continue;
            }
            convert(ir, view);
        }
        Ok(())
    }
}

/// Whether the sum behind the last iteration may not fit the counter's type.
fn wraps(ir: &Ir, view: scf::ForOp) -> bool {
    let Some(width) = ir.ctx.int_width(ir.ty(view.induction_var(ir))) else { return false };
    let number = |value: Value| arith::constant_int_value(ir, value);
    match (number(view.upperBound(ir)), number(view.step(ir))) {
        (Some(upper), Some(step)) if width < 127 => upper + step > 1i128 << (width - 1),
        _ => true,
    }
}

/// Replaces a loop by one that tests; the new loop.
pub fn convert(ir: &mut Ir, view: scf::ForOp) -> Op {
    let op = view.op();
    let (lower, upper, step) = (view.lowerBound(ir), view.upperBound(ir), view.step(ir));
    let mut inits = vec![lower];
    inits.extend(view.initArgs(ir));
    let types: Vec<Type> = inits.iter().map(|&init| ir.ty(init)).collect();
    let old = ir.arguments(view.body(ir)).to_vec();
    let end = view.terminator(ir);
    let yielded: Vec<Value> = ir.operands(end).collect();
    let mut b = Builder::before(ir, op);
    let before = b.region(&types, |b, values| {
        let slt = arith::CmpIPredicate::Slt.attr(&mut b.ctx);
        let below = arith::CmpIOp::new(b, values[0], upper).attr(b, "predicate", slt).value(b);
        scf::ConditionOp::new(b, below, values).build(b);
    });
    let after = b.region(&types, |_, _| {});
    let Some(block) = b.entry_block(after) else { return op };
    let new_values = b.arguments(block).to_vec();
    let next =
        b.at(InsertPoint::End(block), |b| arith::AddIOp::new(b, new_values[0], step).value(b));
    let body = view.body(&b);
    for inner in b.ops(body).collect::<Vec<_>>() {
        if inner != end {
            b.move_to_end(block, inner);
        }
    }
    for (&from, &to) in old.iter().zip(&new_values) {
        b.replace_all_uses(from, to);
    }
    // What is yielded may be an argument of the old body.
    let stands = |value: Value| {
        let place = old.iter().position(|&argument| argument == value);
        place.map_or(value, |place| new_values[place])
    };
    let yielded: Vec<Value> = yielded.into_iter().map(stands).collect();
    b.at(InsertPoint::End(block), |b| {
        let mut all = vec![next];
        all.extend(yielded);
        scf::YieldOp::new(b, &all).build(b);
    });
    let new = scf::WhileOp::new(&mut b, &inits)
        .result_group(&types)
        .region(before)
        .region(after)
        .build(&mut b);
    let results = ir.results(new)[1..].to_vec();
    ir.replace_op(op, &results);
    new
}

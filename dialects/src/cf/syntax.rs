//! The syntax of `cf.switch`.

use gpuc_ir::text::{OpParser, OpPrinter, ParseResult};
use gpuc_ir::{Op, OpState, Value};

use super::{SwitchOp, switch_operands};
use crate::arith::Number;
use crate::arith::fold::from_elements;

pub(super) fn parse_switch(p: &mut OpParser<'_, '_>, state: &mut OpState) -> ParseResult<()> {
    let flag = p.parse_operand()?;
    let ty = p.parse_colon_type()?;
    state.operands.push(p.resolve(flag, ty)?);
    p.expect(",")?;
    p.expect("[")?;
    p.keyword("default")?;
    p.expect(":")?;
    let (block, default_operands) = p.parse_successor_with_operands(&mut state.operands)?;
    state.successors.push(block);
    let (mut values, mut counts) = (Vec::new(), Vec::new());
    while p.eat(",") {
        values.push(Number::Int(p.integer()?.into()));
        p.expect(":")?;
        let (block, operands) = p.parse_successor_with_operands(&mut state.operands)?;
        state.successors.push(block);
        counts.push(operands as i32);
    }
    p.expect("]")?;
    p.parse_attr_dict(state)?;
    if !values.is_empty() {
        let cases = p.ir.ctx.vector(&[values.len() as i64], ty);
        let Some(cases) = from_elements(&mut p.ir.ctx, &values, cases) else {
            return p.error(flag.position(), "case values need an integer flag of at most 64 bits");
        };
        state.attrs.push((p.ir.ctx.ident("case_values"), cases));
    }
    let sizes = [1, default_operands as i32, counts.iter().sum()];
    let sizes = p.ir.ctx.i32_array_attr(&sizes);
    state.attrs.push((p.ir.ctx.ident("operandSegmentSizes"), sizes));
    let counts = p.ir.ctx.i32_array_attr(&counts);
    state.attrs.push((p.ir.ctx.ident("case_operand_segments"), counts));
    Ok(())
}

pub(super) fn print_switch(p: &mut OpPrinter<'_, '_>, op: Op) {
    let (ir, view) = (p.ir, SwitchOp(op));
    let operands_of = |successor: usize| -> Vec<Value> {
        switch_operands(ir, op, successor).map(|i| ir.operand(op, i)).collect()
    };
    let width = ir.ctx.int_or_index_width(ir.ty(view.flag(ir))).unwrap_or(64);
    p.write(" ");
    p.operand(view.flag(ir));
    p.write(" : ");
    p.ty(ir.ty(view.flag(ir)));
    p.write(", [");
    p.indent();
    p.newline();
    p.write("default: ");
    let successors = ir.successors(op);
    p.successor_with_operands(successors[0], &operands_of(0));
    for (i, case) in view.case_numbers(ir).into_iter().enumerate() {
        p.write(",");
        p.newline();
        // The upstream tool writes them as unsigned numbers; 64 bits of them it does not read back.
        p.number(if width < 64 { case & ((1 << width) - 1) } else { case });
        p.write(": ");
        if let Some(&block) = successors.get(i + 1) {
            p.successor_with_operands(block, &operands_of(i + 1));
        }
    }
    p.unindent();
    if successors.len() > 1 {
        p.newline();
    }
    p.write("]");
    p.attr_dict(op, &["case_values", "case_operand_segments"]);
}

//! `cf`: branches between blocks, and assertions.

use std::ops::Range;

use gpuc_ir::context::DialectDef;
use gpuc_ir::op::{AttrConstraint, AttrSyntax, Effect, EffectKind, attrs, operand_range, types};
use gpuc_ir::{AttrKind, Block, Builder, Ir, Op, OpView, Value, op};

mod patterns;
mod syntax;

use crate::arith::Number;
use crate::arith::fold::from_elements;
use attrs::{I32_ARRAY, STRING};
use types::{ANY, I1, SIGNLESS_INTEGER};

/// The dialect.
pub static DIALECT: DialectDef = DialectDef {
    name: "cf",
    summary: "Branches between blocks, and assertions.",
    ops: &[AssertOp::def, BranchOp::def, CondBranchOp::def, SwitchOp::def],
    materialize: None,
};

op! {
    /// Stops the program with a message unless the operand is true.
    AssertOp = "cf.assert" {
        operands { arg: One I1 }
        attrs { msg: Required STRING }
        format "$arg `,` $msg attr-dict"
        hooks {
            canonicalize: patterns::ASSERT,
            effects: Some(|_, _, effects| effects.push(Effect { kind: EffectKind::Write, on: None })),
        }
    }
}

op! {
    /// Goes to a block.
    BranchOp = "cf.br" {
        operands { destOperands: Variadic ANY }
        successors { dest: One }
        traits PURE, TERMINATOR
        format "$dest (`(` $destOperands^ `:` type($destOperands) `)`)? attr-dict"
        hooks {
            canonicalize: patterns::BRANCH,
            successor_operands: Some(|ir, op, _| 0..ir.operand_count(op)),
        }
    }
}

op! {
    /// Goes to the first block if the condition is true, else to the second.
    CondBranchOp = "cf.cond_br" {
        operands { condition: One I1, trueDestOperands: Variadic ANY, falseDestOperands: Variadic ANY }
        successors { trueDest: One, falseDest: One }
        traits PURE, TERMINATOR, ATTR_SIZED_OPERANDS
        format "$condition `,` $trueDest (`(` $trueDestOperands^ `:` type($trueDestOperands) `)`)? `,` $falseDest (`(` $falseDestOperands^ `:` type($falseDestOperands) `)`)? attr-dict"
        hooks {
            canonicalize: patterns::COND_BRANCH,
            successor_operands: Some(|ir, op, successor| operand_range(ir, op, CondBranchOp::def(), 1 + successor.min(1))),
        }
    }
}

op! {
    /// Goes to the block of the case that equals the flag, or to the default block.
    SwitchOp = "cf.switch" {
        operands { flag: One SIGNLESS_INTEGER, defaultOperands: Variadic ANY, caseOperands: Variadic ANY }
        attrs { case_values: Optional INTEGER_ELEMENTS, case_operand_segments: Required I32_ARRAY }
        successors { defaultDestination: One, caseDestinations: Variadic }
        traits PURE, TERMINATOR, ATTR_SIZED_OPERANDS
        hooks {
            verify: Some(verify_switch),
            canonicalize: patterns::SWITCH,
            parse: Some(syntax::parse_switch),
            print: Some(syntax::print_switch),
            successor_operands: Some(switch_operands),
        }
    }
}

static INTEGER_ELEMENTS: AttrConstraint = AttrConstraint {
    summary: "integer elements attribute",
    holds: |ctx, attr| {
        matches!(*ctx.attr_kind(attr), AttrKind::DenseElements { ty, .. }
            if ctx.element(ty).is_some_and(|element| ctx.is_signless_int_or_index(element)))
    },
    syntax: AttrSyntax::Full,
};

impl SwitchOp {
    /// Builds a switch over an integer of at most 64 bits, whose targets receive nothing.
    ///
    /// # Panics
    /// If the flag is none, or there are not as many targets as cases.
    pub fn create(
        b: &mut Builder<'_>,
        flag: Value,
        default: Block,
        cases: &[i64],
        targets: &[Block],
    ) -> Op {
        assert_eq!(cases.len(), targets.len(), "each case has a target");
        let ty = b.ty(flag);
        let numbers: Vec<Number> = cases.iter().map(|&case| Number::Int(case.into())).collect();
        let values = (!cases.is_empty()).then(|| {
            let ty = b.ctx.vector(&[cases.len() as i64], ty);
            from_elements(&mut b.ctx, &numbers, ty).expect("the flag is an integer")
        });
        let counts = b.ctx.i32_array_attr(&vec![0; cases.len()]);
        let build = SwitchOp::new(b, flag, &[], &[]).successor(default);
        let build = build.attr(b, "case_operand_segments", counts);
        let build = build.attr_option(b, "case_values", values);
        targets.iter().fold(build, |build, &target| build.successor(target)).build(b)
    }

    /// Values of the cases, in the order of their successors.
    pub fn case_numbers(self, ir: &Ir) -> Vec<i64> {
        let cases = ir.successors(self.0).len().saturating_sub(1);
        let Some(attr) = self.case_values(ir) else { return Vec::new() };
        match ir.ctx.attr_kind(attr) {
            AttrKind::DenseElements { values, .. } if values.len() == 1 => vec![values[0]; cases],
            AttrKind::DenseElements { values, .. } => values.to_vec(),
            _ => Vec::new(),
        }
    }
}

fn switch_operands(ir: &Ir, op: Op, successor: usize) -> Range<usize> {
    if successor == 0 {
        return operand_range(ir, op, SwitchOp::def(), 1);
    }
    let all = operand_range(ir, op, SwitchOp::def(), 2);
    let sizes = SwitchOp(op)
        .case_operand_segments(ir)
        .and_then(|attr| ir.ctx.dense_array(attr))
        .unwrap_or(&[]);
    let size = |case: usize| sizes.get(case).map_or(0, |&n| n.max(0) as usize);
    let start = (all.start + (0..successor - 1).map(size).sum::<usize>()).min(all.end);
    start..(start + size(successor - 1)).min(all.end)
}

fn verify_switch(ir: &Ir, op: Op) -> Result<(), String> {
    let view = SwitchOp(op);
    let cases = ir.successors(op).len().saturating_sub(1);
    let Some(attr) = view.case_values(ir) else {
        return match cases {
            0 => Ok(()),
            _ => Err(format!(
                "number of case values (0) should match number of case destinations ({cases})"
            )),
        };
    };
    let ty = ir.ctx.attr_type(attr);
    let flag = ir.ty(view.flag(ir));
    if let Some(element) = ty.and_then(|ty| ir.ctx.element(ty)).filter(|&element| element != flag) {
        return Err(format!(
            "'flag' type ('{}') should match case value type ('{}')",
            ir.ctx.type_text(flag),
            ir.ctx.type_text(element)
        ));
    }
    let count: i64 = ty.and_then(|ty| ir.ctx.shape(ty)).map_or(1, |shape| shape.iter().product());
    if count != cases as i64 {
        return Err(format!(
            "number of case values ({count}) should match number of case destinations ({cases})"
        ));
    }
    let segments = view.case_operand_segments(ir).and_then(|attr| ir.ctx.dense_array(attr));
    let segments = segments.unwrap_or(&[]);
    let operands = view.caseOperands(ir).len() as i64;
    if segments.len() != cases || segments.iter().sum::<i64>() != operands {
        return Err(format!(
            "'case_operand_segments' should say for {cases} cases how many of {operands} operands \
             each takes"
        ));
    }
    Ok(())
}

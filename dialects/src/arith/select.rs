//! Selection.

use gpuc_ir::op::Fold;
use gpuc_ir::op::types::{self, same};
use gpuc_ir::rewrite::{Pattern, Rewriter};
use gpuc_ir::text::{OpParser, OpPrinter, ParseResult};
use gpuc_ir::{Attr, Ir, Op, OpState, TypeKind, op};

use super::cast::ExtUIOp;
use super::compare::CmpIOp;
use super::constant::{constant, constant_value};
use super::flags::CmpIPredicate;
use crate::ub::is_poison;

use super::fold::{Width, defined_by, splat_int, uniform_int};
use super::integer::XOrIOp;
use types::{ANY, BOOL_LIKE};

op! {
    /// The one value or the other, of any type; with a vector of conditions, element by element.
    SelectOp = "arith.select" {
        operands { condition: One BOOL_LIKE, true_value: One ANY, false_value: One ANY }
        results { result: One ANY }
        traits PURE
        types {
            false_value = same(true_value) "all of {true_value, false_value, result} have same type",
            result = same(true_value) "all of {true_value, false_value, result} have same type",
        }
        hooks { parse: Some(parse_select), print: Some(print_select), verify: Some(verify_select), fold: Some(fold_select), canonicalize: SELECT }
    }
}

fn parse_select(p: &mut OpParser<'_, '_>, state: &mut OpState) -> ParseResult<()> {
    let condition = p.parse_operand()?;
    p.expect(",")?;
    let yes = p.parse_operand()?;
    p.expect(",")?;
    let no = p.parse_operand()?;
    p.parse_attr_dict(state)?;
    let mut ty = p.parse_colon_type()?;
    let mut condition_type = p.ir.ctx.i1();
    if p.eat(",") {
        condition_type = ty;
        ty = p.parse_type()?;
    }
    for (operand, ty) in [(condition, condition_type), (yes, ty), (no, ty)] {
        state.operands.push(p.resolve(operand, ty)?);
    }
    state.results.push(ty);
    Ok(())
}

fn print_select(p: &mut OpPrinter<'_, '_>, op: Op) {
    let ir = p.ir;
    p.write(" ");
    p.operands(ir.operands(op));
    p.attr_dict(op, &[]);
    p.write(" : ");
    let condition = ir.ty(ir.operand(op, 0));
    if ir.ctx.int_width(condition).is_none() {
        p.ty(condition);
        p.write(", ");
    }
    p.types(ir.result_types(op));
}

fn verify_select(ir: &Ir, op: Op) -> Result<(), String> {
    let condition = ir.ty(ir.operand(op, 0));
    let result = ir.ty(ir.result(op, 0));
    let scalar = ir.ctx.int_width(condition) == Some(1);
    let encoding = |ty| match ir.ctx.type_kind(ty) {
        TypeKind::Tensor { encoding, .. } => *encoding,
        _ => None,
    };
    if !scalar && encoding(condition) != encoding(result) {
        return Err("expected condition type to have the same shape as the result type".into());
    }
    if !scalar
        && (ir.ctx.element(result).is_none() || ir.ctx.shape(condition) != ir.ctx.shape(result))
    {
        return Err("failed to verify that condition is signless i1 or has matching shape".into());
    }
    Ok(())
}

fn fold_select(ir: &mut Ir, op: Op, c: &[Option<Attr>]) -> Fold {
    let view = SelectOp(op);
    let (condition, yes, no) = (view.condition(ir), view.true_value(ir), view.false_value(ir));
    if yes == no {
        return Fold::one(yes);
    }
    match uniform_int(&ir.ctx, c[0]) {
        Some(0) => return Fold::one(no),
        Some(_) => return Fold::one(yes),
        None => {}
    }
    // What may be anything may be the other one.
    for (constant, other) in [(c[1], no), (c[2], yes)] {
        if constant.is_some_and(|constant| is_poison(&ir.ctx, constant)) {
            return Fold::one(other);
        }
    }
    let truth = |ir: &Ir, constant| uniform_int(&ir.ctx, constant);
    if ir.ty(condition) == ir.ty(yes) && truth(ir, c[1]) == Some(1) && truth(ir, c[2]) == Some(0) {
        return Fold::one(condition);
    }
    if let Some(cmp) = defined_by::<CmpIOp>(ir, condition) {
        let (a, b) = (cmp.lhs(ir), cmp.rhs(ir));
        if (yes, no) == (a, b) || (yes, no) == (b, a) {
            match CmpIPredicate::of(ir, cmp.0) {
                Some(CmpIPredicate::Eq) => return Fold::one(no),
                Some(CmpIPredicate::Ne) => return Fold::one(yes),
                _ => {}
            }
        }
    }
    // An inner selection by the same condition is decided already.
    for (index, value) in [(1, yes), (2, no)] {
        if let Some(inner) = defined_by::<SelectOp>(ir, value)
            && inner.condition(ir) == condition
        {
            let taken = ir.operand(inner.0, index);
            ir.set_operand(op, index, taken);
            return Fold::InPlace;
        }
    }
    Fold::None
}

const SELECT: &[Pattern] = &[
    Pattern { name: "select-by-negation", apply: drop_negation },
    Pattern { name: "select-between-truths", apply: select_truth },
];

/// `select(not c, a, b)` to `select(c, b, a)`.
fn drop_negation(rw: &mut Rewriter<'_>, op: Op) -> bool {
    let view = SelectOp(op);
    let (yes, no) = (view.true_value(rw), view.false_value(rw));
    let Some(not) = defined_by::<XOrIOp>(rw, view.condition(rw)) else { return false };
    if uniform_int(&rw.ctx, constant_value(rw, not.rhs(rw))) != Some(1) {
        return false;
    }
    let condition = not.lhs(rw);
    rw.set_operands(op, &[condition, no, yes]);
    true
}

/// `select(c, 0, 1)` of bits to `not c`; `select(c, 1, 0)` of wider integers to `extui(c)`.
fn select_truth(rw: &mut Rewriter<'_>, op: Op) -> bool {
    let view = SelectOp(op);
    let (condition, yes, no) = (view.condition(rw), view.true_value(rw), view.false_value(rw));
    let truth = |ir: &Ir, value| uniform_int(&ir.ctx, constant_value(ir, value));
    let (yes_is, no_is) = (truth(rw, yes), truth(rw, no));
    let (from, to) = (rw.ty(condition), rw.ty(yes));
    let Some(width) = Width::of(&rw.ctx, to) else { return false };
    if width.bits() == 1 && from == to && (yes_is, no_is) == (Some(0), Some(1)) {
        let Some(one) = splat_int(&mut rw.ctx, 1, to) else { return false };
        let mut b = rw.before(op);
        let one = constant(&mut b, one);
        let value = XOrIOp::new(&mut b, condition, one).value(&mut b);
        rw.replace(op, &[value]);
        return true;
    }
    let bit = rw.ctx.element_or_self(from);
    let extensible = width.bits() > 1
        && rw.ctx.is_signless_int(rw.ctx.element_or_self(to))
        && rw.ctx.with_element(to, bit) == from;
    if extensible && (yes_is, no_is) == (Some(1), Some(0)) {
        let mut b = rw.before(op);
        let value = ExtUIOp::new(&mut b, condition).result(to).value(&mut b);
        rw.replace(op, &[value]);
        return true;
    }
    false
}

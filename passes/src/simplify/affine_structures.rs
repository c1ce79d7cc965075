//! `affine-simplify-structures`: affine maps and sets in their simplest form.
//!
//! Needs nothing. Every map and set of an attribute is simplified; a set without points becomes `1 == 0`.
//! Then `affine.for`, `affine.if` and `affine.apply` are folded and canonicalised, and nothing else.
//! After MLIR's pass of the same name.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::affine::{AffineApplyOp, AffineForOp, AffineIfOp, simplify_expr};
use gpuc_dialects::arith;
use gpuc_ir::affine::{AffineExprKind, BinaryOp};
use gpuc_ir::op::FoldResult;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::rewrite::{Folded, GreedyConfig, PatternSet, apply_greedily, try_fold};
use gpuc_ir::{
    AffineExpr, AffineMap, Attr, Builder, Context, IntegerSet, Ir, Op, OpView, Value, WalkOrder,
};
use gpuc_presburger::{Affine, BasicSet, Constraint, Space, Var};

gpuc_ir::pass! {
    /// Simplify affine maps and sets.
    AffineSimplifyStructures = "affine-simplify-structures" on "func.func" {}
}

/// Rounds of folding, at most.
const ROUNDS: usize = 8;

impl Pass for AffineSimplifyStructures {
    fn run(&mut self, ir: &mut Ir, func: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        for op in ir.nested_ops(func, WalkOrder::PreOrder) {
            simplify_attributes(ir, op);
        }
        let mut patterns = PatternSet::new();
        for def in [AffineApplyOp::def(), AffineForOp::def(), AffineIfOp::def()] {
            // Loops of one iteration or none are structure that upstream keeps.
            let kept = ["for-without-iterations", "for-with-one-iteration"];
            for &pattern in def.hooks.canonicalize.iter().filter(|each| !kept.contains(&each.name))
            {
                patterns.add(ir, def, pattern);
            }
        }
        for _ in 0..ROUNDS {
            let mut changed = false;
            for op in ir.nested_ops(func, WalkOrder::PostOrder) {
                changed |= !ir.is_erased(op) && is_simplified(ir, op) && fold(ir, op);
            }
            let config = GreedyConfig { fold: false, ..GreedyConfig::default() };
            changed |=
                apply_greedily(ir, func, &patterns, config).unwrap_or_else(|changed| changed);
            if !changed {
                break;
            }
        }
        Ok(())
    }
}

fn is_simplified(ir: &Ir, op: Op) -> bool {
    AffineApplyOp::is(ir, op) || AffineForOp::is(ir, op) || AffineIfOp::is(ir, op)
}

/// Folds one operation, or erases it where nothing uses it; whether that changed anything.
fn fold(ir: &mut Ir, op: Op) -> bool {
    if ir.is_trivially_dead(op) {
        ir.erase_op(op);
        return true;
    }
    match try_fold(ir, op) {
        Folded::None => false,
        Folded::InPlace => true,
        Folded::Results(found) => {
            let mut b = Builder::before(ir, op);
            let values: Vec<Value> = found
                .into_iter()
                .map(|result| match result {
                    FoldResult::Value(value) => value,
                    FoldResult::Attr(attr) => arith::constant(&mut b, attr),
                })
                .collect();
            ir.replace_op(op, &values);
            true
        }
    }
}

fn simplify_attributes(ir: &mut Ir, op: Op) {
    let attrs = ir.attrs(op);
    for (name, attr) in ir.ctx.dict_entries(attrs).to_vec() {
        let simplified = simplify(&mut ir.ctx, attr);
        if simplified != attr {
            let name = ir.ctx.str(name).to_owned();
            ir.set_attr(op, &name, simplified);
        }
    }
}

fn simplify(ctx: &mut Context, attr: Attr) -> Attr {
    if let Some(map) = ctx.map_value(attr) {
        let simplified = simplify_map(ctx, map);
        return ctx.map_attr(simplified);
    }
    if let Some(set) = ctx.set_value(attr) {
        let simplified = simplify_set(ctx, set);
        return ctx.set_attr(simplified);
    }
    attr
}

/// A map with each result in its normal form.
pub fn simplify_map(ctx: &mut Context, map: AffineMap) -> AffineMap {
    let data = ctx.map_data(map).clone();
    let results: Vec<AffineExpr> =
        data.results.iter().map(|&result| simplify_expr(ctx, result)).collect();
    ctx.map(data.dims, data.symbols, &results)
}

/// A set with each constraint in its normal form; `1 == 0` where no point fulfils them all.
pub fn simplify_set(ctx: &mut Context, set: IntegerSet) -> IntegerSet {
    let data = ctx.set_data(set).clone();
    let mut constraints: Vec<(AffineExpr, bool)> = Vec::new();
    for &(expr, equality) in &data.constraints {
        let mut expr = simplify_expr(ctx, expr);
        let divisor = ctx.largest_known_divisor(expr);
        if ctx.expr_constant(expr).is_none() && divisor > 1 {
            let divisor = ctx.constant_expr(divisor);
            let quotient = ctx.floordiv_expr(expr, divisor);
            expr = simplify_expr(ctx, quotient);
        }
        let always = match ctx.expr_constant(expr) {
            Some(number) => {
                if equality {
                    number == 0
                } else {
                    number >= 0
                }
            }
            None => false,
        };
        if !always && !constraints.contains(&(expr, equality)) {
            constraints.push((expr, equality));
        }
    }
    if constraints.is_empty() {
        let zero = ctx.constant_expr(0);
        constraints.push((zero, true));
    }
    if is_empty(ctx, data.dims, data.symbols, &constraints) {
        let one = ctx.constant_expr(1);
        return ctx.integer_set(data.dims, data.symbols, &[(one, true)]);
    }
    ctx.integer_set(data.dims, data.symbols, &constraints)
}

/// Whether constraints are known to have no solution. Those that divide are left out of the question.
fn is_empty(ctx: &Context, dims: u32, symbols: u32, constraints: &[(AffineExpr, bool)]) -> bool {
    let space = Space::anonymous(0, (dims + symbols) as usize);
    let all = constraints.iter().filter_map(|&(expr, equality)| {
        let form = linear(ctx, expr, dims)?;
        Some(if equality { Constraint::eq(form, 0) } else { Constraint::ge(form, 0) })
    });
    BasicSet::new(space, all).and_then(|set| set.is_empty()).unwrap_or(false)
}

/// An expression without divisions as a linear form: dimensions first, then symbols.
fn linear(ctx: &Context, expr: AffineExpr, dims: u32) -> Option<Affine> {
    Some(match *ctx.expr_kind(expr) {
        AffineExprKind::Constant(number) => Affine::from(number),
        AffineExprKind::Dim(index) => Affine::from(Var::Dim(index as usize)),
        AffineExprKind::Symbol(index) => Affine::from(Var::Dim((dims + index) as usize)),
        AffineExprKind::Binary(BinaryOp::Add, a, b) => {
            linear(ctx, a, dims)? + linear(ctx, b, dims)?
        }
        AffineExprKind::Binary(BinaryOp::Mul, a, b) => {
            linear(ctx, a, dims)? * ctx.expr_constant(b)?
        }
        AffineExprKind::Binary(..) => return None,
    })
}

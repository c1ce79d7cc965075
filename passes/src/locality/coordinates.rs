//! Subscripts and bounds of a nest, written again over new loops.

use gpuc_dialects::affine::{
    AffineApplyOp, AffineIfOp, AffineLoadOp, AffineMinOp, AffineValue, AffineVectorLoadOp,
};
use gpuc_dialects::{memref, vector};
use gpuc_ir::{AffineExpr, Builder, Op, Value, ValueMap};

use super::band::Bound;
use crate::analysis::polynomial::Polynomial;

/// Makes affine maps; every operand is a dimension.
#[derive(Debug, Default)]
pub struct Exprs {
    operands: Vec<Value>,
}

impl Exprs {
    /// The expression that a value is.
    pub fn value(&mut self, b: &mut Builder<'_>, value: Value) -> AffineExpr {
        let known = self.operands.iter().position(|&known| known == value);
        let position = known.unwrap_or_else(|| {
            self.operands.push(value);
            self.operands.len() - 1
        });
        b.ctx.dim_expr(position as u32)
    }

    /// A linear form, with other values in the place of some.
    pub fn form(&mut self, b: &mut Builder<'_>, form: &Polynomial, map: &ValueMap) -> AffineExpr {
        let mut sum = b.ctx.constant_expr(form.constant_term());
        for value in form.values() {
            let expr = self.value(b, map.get(value));
            let factor = b.ctx.constant_expr(form.coefficient(&[value]));
            let product = b.ctx.mul_expr(expr, factor);
            sum = b.ctx.add_expr(sum, product);
        }
        sum
    }

    /// A bound.
    pub fn bound(&mut self, b: &mut Builder<'_>, bound: &Bound) -> AffineExpr {
        self.bound_over(b, bound, &|exprs, b, operand| {
            let other = bound.at.iter().find(|(value, ..)| *value == operand);
            let Some((_, other, further)) = other else { return exprs.value(b, operand) };
            let other = exprs.bound(b, other);
            let further = b.ctx.constant_expr(*further);
            b.ctx.add_expr(other, further)
        })
    }

    /// A bound as it stands, with other values in the place of some.
    pub fn bound_at(&mut self, b: &mut Builder<'_>, bound: &Bound, map: &ValueMap) -> AffineExpr {
        self.bound_over(b, bound, &|exprs, b, operand| exprs.value(b, map.get(operand)))
    }

    fn bound_over(
        &mut self,
        b: &mut Builder<'_>,
        bound: &Bound,
        operand: &dyn Fn(&mut Exprs, &mut Builder<'_>, Value) -> AffineExpr,
    ) -> AffineExpr {
        let operands: Vec<AffineExpr> =
            bound.value.operands.iter().map(|&value| operand(self, b, value)).collect();
        let (dims, symbols) = operands.split_at(bound.value.dims(&b.ctx));
        b.ctx.replace_expr(bound.expr, dims, symbols)
    }

    /// The map of some results.
    pub fn finish(self, b: &mut Builder<'_>, results: &[AffineExpr]) -> AffineValue {
        let map = b.ctx.map(self.operands.len() as u32, 0, results);
        AffineValue { map, operands: self.operands }
    }
}

/// An affine function of some values, as a value.
pub fn apply(
    b: &mut Builder<'_>,
    values: &[Value],
    expr: impl FnOnce(&mut Builder<'_>, &[AffineExpr]) -> AffineExpr,
) -> Value {
    let dims: Vec<AffineExpr> = (0..values.len()).map(|i| b.ctx.dim_expr(i as u32)).collect();
    let expr = expr(b, &dims);
    let map = b.ctx.map(values.len() as u32, 0, &[expr]);
    AffineApplyOp::create(b, &AffineValue::new(map, values))
}

/// A variable that must stay at or below the last iteration of its loop: `upper - 1 - behind`.
#[derive(Clone, Debug)]
pub struct Edge {
    /// The variable of the nest.
    pub variable: Value,
    /// What it stays below.
    pub upper: Bound,
    /// Iterations behind it that are touched with it.
    pub behind: i64,
}

/// That `at` is below `upper`, as a constraint of an integer set.
pub fn below(b: &mut Builder<'_>, at: AffineExpr, upper: AffineExpr) -> (AffineExpr, bool) {
    let one = b.ctx.constant_expr(-1);
    let last = b.ctx.add_expr(upper, one);
    (b.ctx.sub_expr(last, at), false)
}

/// That variables, at their values in `map`, are iterations of their loops, as constraints of an integer set.
pub fn below_edges(
    b: &mut Builder<'_>,
    exprs: &mut Exprs,
    map: &ValueMap,
    edges: &[Edge],
) -> Vec<(AffineExpr, bool)> {
    let inside = |edge: &Edge| {
        let at = exprs.value(b, map.get(edge.variable));
        let upper = exprs.bound(b, &edge.upper);
        below(b, at, upper)
    };
    edges.iter().map(inside).collect()
}

/// Runs code where all constraints hold.
pub fn where_all(
    b: &mut Builder<'_>,
    exprs: Exprs,
    constraints: &[(AffineExpr, bool)],
    body: impl FnOnce(&mut Builder<'_>),
) {
    if constraints.is_empty() {
        return body(b);
    }
    let operands = exprs.finish(b, &[]).operands;
    let set = b.ctx.integer_set(operands.len() as u32, 0, constraints);
    AffineIfOp::create(b, set, &operands, body);
}

/// Runs one code where all constraints hold, and another one elsewhere.
pub fn where_all_else(
    b: &mut Builder<'_>,
    exprs: Exprs,
    constraints: &[(AffineExpr, bool)],
    then: impl FnOnce(&mut Builder<'_>),
    otherwise: impl FnOnce(&mut Builder<'_>),
) {
    if constraints.is_empty() {
        return then(b);
    }
    let operands = exprs.finish(b, &[]).operands;
    let set = b.ctx.integer_set(operands.len() as u32, 0, constraints);
    AffineIfOp::create_choice(b, set, &operands, then, otherwise);
}

/// Subscripts that are numbers.
pub fn constants(b: &mut Builder<'_>, at: &[i64]) -> AffineValue {
    let at: Vec<AffineExpr> = at.iter().map(|&n| b.ctx.constant_expr(n)).collect();
    AffineValue { map: b.ctx.map(0, 0, &at), operands: Vec::new() }
}

/// A subscript over new values, held at the last iteration of a loop where it goes beyond. `edges` are
/// the variables to be held; those not among them are known to stay inside.
pub fn held(b: &mut Builder<'_>, form: &Polynomial, map: &ValueMap, edges: &[Edge]) -> Value {
    let mut exprs = Exprs::default();
    let free = exprs.form(b, form, map);
    let edge = edges.iter().find(|edge| form.coefficient(&[edge.variable]) != 0);
    let Some(edge) = edge else {
        let value = exprs.finish(b, &[free]);
        return AffineApplyOp::create(b, &value);
    };
    // The same with the last iteration in place of the variable.
    let factor = form.coefficient(&[edge.variable]);
    let rest = form.plus(&Polynomial::term(&[edge.variable], factor), -1);
    let rest = exprs.form(b, &rest.unwrap_or_default(), map);
    let upper = exprs.bound(b, &edge.upper);
    let back = b.ctx.constant_expr(-1 - edge.behind);
    let last = b.ctx.add_expr(upper, back);
    let factor = b.ctx.constant_expr(factor);
    let last = b.ctx.mul_expr(last, factor);
    let last = b.ctx.add_expr(rest, last);
    let value = exprs.finish(b, &[free, last]);
    AffineMinOp::create(b, &value)
}

/// A load of the nest at other values of its variables, held at the edges; of so many elements from
/// there on where `width` says so.
pub fn load_held(
    b: &mut Builder<'_>,
    load: Op,
    subscripts: &[Polynomial],
    map: &ValueMap,
    edges: &[Edge],
    width: Option<i64>,
) -> Value {
    let buffer = map.get(b.operand(load, 0));
    let element = b.ty(b.result(load, 0));
    let vector = width.map(|width| b.ctx.vector(&[width], element));
    let touched =
        |form: &Polynomial| edges.iter().any(|edge| form.coefficient(&[edge.variable]) != 0);
    if subscripts.iter().any(touched) {
        let indices: Vec<Value> = subscripts.iter().map(|form| held(b, form, map, edges)).collect();
        return match vector {
            None => memref::LoadOp::new(b, buffer, &indices).value(b),
            Some(ty) => vector::LoadOp::new(b, buffer, &indices).result(ty).value(b),
        };
    }
    let mut exprs = Exprs::default();
    let results: Vec<AffineExpr> = subscripts.iter().map(|form| exprs.form(b, form, map)).collect();
    let at = exprs.finish(b, &results);
    match vector {
        None => AffineLoadOp::create(b, buffer, &at),
        Some(ty) => {
            let map = b.ctx.map_attr(at.map);
            AffineVectorLoadOp::new(b, buffer, &at.operands).attr(b, "map", map).result(ty).value(b)
        }
    }
}

//! Values of affine maps: `affine.apply`, `affine.min`, `affine.max`, `affine.delinearize_index`.

use gpuc_ir::affine::AffineExprKind;
use gpuc_ir::op;
use gpuc_ir::op::{Fold, attrs, types};
use gpuc_ir::rewrite::{Pattern, Rewriter};
use gpuc_ir::{AffineExpr, Attr, Builder, Ir, Op, Value};

use super::bound::AffineValue;
use super::compose::compose;
use super::syntax::MAP_WITH_OPERANDS;
use attrs::MAP;
use types::INDEX;

op! {
    /// The one result of an affine map at the operands: dimensions first, then symbols.
    AffineApplyOp = "affine.apply" {
        operands { mapOperands: Variadic INDEX }
        results { result: One INDEX }
        attrs { map: Required MAP }
        traits PURE
        format "custom<MapWithOperands>($map, $mapOperands) attr-dict"
        hooks {
            verify: Some(verify_apply),
            fold: Some(fold_apply),
            custom: &[MAP_WITH_OPERANDS],
        }
    }
}

op! {
    /// The least result of an affine map at the operands.
    AffineMinOp = "affine.min" {
        operands { operands: Variadic INDEX }
        results { result: One INDEX }
        attrs { map: Required MAP }
        traits PURE
        format "custom<MapWithOperands>($map, $operands) attr-dict"
        hooks {
            verify: Some(verify_extremum),
            fold: Some(|ir, op, _| fold_extremum(ir, op, Ord::min)),
            canonicalize: EXTREMUM,
            custom: &[MAP_WITH_OPERANDS],
        }
    }
}

op! {
    /// The greatest result of an affine map at the operands.
    AffineMaxOp = "affine.max" {
        operands { operands: Variadic INDEX }
        results { result: One INDEX }
        attrs { map: Required MAP }
        traits PURE
        format "custom<MapWithOperands>($map, $operands) attr-dict"
        hooks {
            verify: Some(verify_extremum),
            fold: Some(|ir, op, _| fold_extremum(ir, op, Ord::max)),
            canonicalize: EXTREMUM,
            custom: &[MAP_WITH_OPERANDS],
        }
    }
}

op! {
    /// The subscripts that a linear index stands for in a row-major array of the given extents.
    AffineDelinearizeIndexOp = "affine.delinearize_index" {
        operands { linear_index: One INDEX, basis: Variadic INDEX }
        results { multi_index: Variadic INDEX }
        traits PURE
        format "$linear_index `into` ` ` `(` $basis `)` attr-dict `:` type($multi_index)"
        hooks { verify: Some(verify_delinearize) }
    }
}

/// The map and operands of an operation with an attribute `map`; the last operands are the map's.
pub(super) fn map_and_operands(ir: &Ir, op: Op, first: usize) -> Option<AffineValue> {
    let map = ir.attr(op, "map").and_then(|attr| ir.ctx.map_value(attr))?;
    Some(AffineValue { map, operands: ir.operands(op).skip(first).collect() })
}

/// Gives an operation another map and other operands behind the first ones.
pub(super) fn set_map_and_operands(ir: &mut Ir, op: Op, first: usize, value: &AffineValue) {
    let operands: Vec<Value> =
        ir.operands(op).take(first).chain(value.operands.iter().copied()).collect();
    ir.set_operands(op, &operands);
    let map = ir.ctx.map_attr(value.map);
    ir.set_attr(op, "map", map);
}

/// Composes map and operands in place; says whether that changed anything.
pub(super) fn compose_in_place(ir: &mut Ir, op: Op, first: usize) -> bool {
    let Some(mut value) = map_and_operands(ir, op, first) else { return false };
    let changed = compose(ir, &mut value);
    if changed {
        set_map_and_operands(ir, op, first, &value);
    }
    changed
}

impl AffineApplyOp {
    /// Builds the value of one expression over operands.
    pub fn create(b: &mut Builder<'_>, value: &AffineValue) -> Value {
        let map = b.ctx.map_attr(value.map);
        AffineApplyOp::new(b, &value.operands).attr(b, "map", map).value(b)
    }

    /// The map and its operands.
    pub fn value(self, ir: &Ir) -> Option<AffineValue> {
        map_and_operands(ir, self.0, 0)
    }
}

impl AffineMinOp {
    /// Builds the least of the map's results.
    pub fn create(b: &mut Builder<'_>, value: &AffineValue) -> Value {
        let map = b.ctx.map_attr(value.map);
        AffineMinOp::new(b, &value.operands).attr(b, "map", map).value(b)
    }

    /// The map and its operands.
    pub fn value(self, ir: &Ir) -> Option<AffineValue> {
        map_and_operands(ir, self.0, 0)
    }
}

impl AffineMaxOp {
    /// Builds the greatest of the map's results.
    pub fn create(b: &mut Builder<'_>, value: &AffineValue) -> Value {
        let map = b.ctx.map_attr(value.map);
        AffineMaxOp::new(b, &value.operands).attr(b, "map", map).value(b)
    }

    /// The map and its operands.
    pub fn value(self, ir: &Ir) -> Option<AffineValue> {
        map_and_operands(ir, self.0, 0)
    }
}

/// Builds the value of a map's one result at the operands, simplified: an operand or a constant
/// where it is no more than that.
pub fn build_affine_value(b: &mut Builder<'_>, mut value: AffineValue) -> Value {
    compose(b, &mut value);
    if let [result] = *value.results(&b.ctx) {
        if let Some(constant) = b.ctx.expr_constant(result) {
            return crate::arith::constant_index(b, constant);
        }
        if let Some(operand) = plain_operand(b, &value, result) {
            return operand;
        }
    }
    AffineApplyOp::create(b, &value)
}

/// The operand that an expression is.
fn plain_operand(ir: &Ir, value: &AffineValue, expr: AffineExpr) -> Option<Value> {
    let position = match *ir.ctx.expr_kind(expr) {
        AffineExprKind::Dim(i) => i as usize,
        AffineExprKind::Symbol(i) => value.dims(&ir.ctx) + i as usize,
        _ => return None,
    };
    value.operands.get(position).copied()
}

const COUNTS: &str = "operand count and affine map dimension and symbol count must match";

fn verify_apply(ir: &Ir, op: Op) -> Result<(), String> {
    let Some(value) = map_and_operands(ir, op, 0) else { return Ok(()) };
    if !value.fits(ir) {
        return Err(COUNTS.into());
    }
    if value.results(&ir.ctx).len() != 1 {
        return Err("mapping must produce one value".into());
    }
    Ok(())
}

fn fold_apply(ir: &mut Ir, op: Op, _: &[Option<Attr>]) -> Fold {
    let changed = compose_in_place(ir, op, 0);
    let Some(value) = map_and_operands(ir, op, 0).filter(|value| value.fits(ir)) else {
        return Fold::None;
    };
    if let [result] = *value.results(&ir.ctx) {
        if let Some(constant) = ir.ctx.expr_constant(result) {
            return Fold::one(ir.ctx.index_attr(constant));
        }
        if let Some(operand) = plain_operand(ir, &value, result) {
            return Fold::one(operand);
        }
    }
    if changed { Fold::InPlace } else { Fold::None }
}

fn verify_extremum(ir: &Ir, op: Op) -> Result<(), String> {
    let Some(value) = map_and_operands(ir, op, 0) else { return Ok(()) };
    if !value.fits(ir) {
        return Err(COUNTS.into());
    }
    if value.results(&ir.ctx).is_empty() {
        return Err("affine map must have at least one result".into());
    }
    Ok(())
}

/// The extremum of constants is one constant; what stands twice counts once.
fn fold_extremum(ir: &mut Ir, op: Op, better: fn(i64, i64) -> i64) -> Fold {
    let mut changed = compose_in_place(ir, op, 0);
    let Some(mut value) = map_and_operands(ir, op, 0).filter(|value| value.fits(ir)) else {
        return Fold::None;
    };
    let results = value.results(&ir.ctx).to_vec();
    let simplified = extremum_of(ir, &results, better);
    if simplified != results {
        let data = ir.ctx.map_data(value.map);
        let (dims, symbols) = (data.dims, data.symbols);
        value.map = ir.ctx.map(dims, symbols, &simplified);
        compose(ir, &mut value);
        set_map_and_operands(ir, op, 0, &value);
        changed = true;
    }
    if let Some(constant) = value.constant_value(&ir.ctx) {
        return Fold::one(ir.ctx.index_attr(constant));
    }
    if changed { Fold::InPlace } else { Fold::None }
}

/// Results without repetitions, constants combined into the last one.
pub(super) fn extremum_of(
    ir: &mut Ir,
    results: &[AffineExpr],
    better: fn(i64, i64) -> i64,
) -> Vec<AffineExpr> {
    let mut kept: Vec<AffineExpr> = Vec::new();
    let mut constant: Option<(usize, i64)> = None;
    for &result in results {
        match (ir.ctx.expr_constant(result), &mut constant) {
            (Some(number), Some((_, best))) => *best = better(*best, number),
            (Some(number), None) => {
                constant = Some((kept.len(), number));
                kept.push(result);
            }
            (None, _) if !kept.contains(&result) => kept.push(result),
            (None, _) => {}
        }
    }
    if let Some((position, number)) = constant {
        kept[position] = ir.ctx.constant_expr(number);
    }
    kept
}

const EXTREMUM: &[Pattern] = &[Pattern { name: "extremum-of-one", apply: extremum_of_one }];

/// The extremum of one value is that value.
fn extremum_of_one(rw: &mut Rewriter<'_>, op: Op) -> bool {
    let value = map_and_operands(rw, op, 0).filter(|value| value.fits(rw));
    let Some(value) = value.filter(|value| value.results(&rw.ctx).len() == 1) else {
        return false;
    };
    let applied = AffineApplyOp::create(&mut rw.before(op), &value);
    rw.replace(op, &[applied]);
    true
}

fn verify_delinearize(ir: &Ir, op: Op) -> Result<(), String> {
    let view = AffineDelinearizeIndexOp(op);
    if view.basis(ir).is_empty() {
        return Err("basis should not be empty".into());
    }
    if view.multi_index(ir).len() != view.basis(ir).len() {
        return Err("should return an index for each basis element".into());
    }
    if view.basis(ir).is_empty() {
        return Err("basis should not be empty".into());
    }
    Ok(())
}

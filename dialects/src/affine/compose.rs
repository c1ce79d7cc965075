//! Composition and simplification of maps with their operands: values of `affine.apply` are
//! written into the maps that use them, constants become part of the map, operands stand once.

use gpuc_ir::affine::AffineExprKind;
use gpuc_ir::{AffineExpr, IntegerSet, Ir, OpView, Value};
use smallvec::{SmallVec, smallvec};

use super::apply::AffineApplyOp;
use super::bound::AffineValue;
use super::simplify::simplify_expr;
use super::validity::is_valid_symbol;
use crate::arith::constant_index_value;

/// Expressions over operands, of which the first `dims` are dimensions: what maps and sets have in
/// common.
#[derive(Clone, PartialEq, Eq)]
struct Applied {
    exprs: Vec<AffineExpr>,
    dims: Vec<Value>,
    symbols: Vec<Value>,
}

/// Composition stops at expressions larger than this: each step may double them.
const LARGEST: usize = 128;

fn size(ir: &Ir, exprs: &[AffineExpr]) -> usize {
    let mut count = 0;
    for &expr in exprs {
        ir.ctx.walk_expr(expr, &mut |_| count += 1);
    }
    count
}

fn position_in(list: &mut Vec<Value>, value: Value) -> u32 {
    let position = list.iter().position(|&known| known == value).unwrap_or_else(|| {
        list.push(value);
        list.len() - 1
    });
    position as u32
}

/// The map's one result over the operands of an `affine.apply`.
fn as_apply(ir: &Ir, value: Value) -> Option<(AffineExpr, usize, Vec<Value>)> {
    let apply = AffineApplyOp::cast(ir, ir.defining_op(value)?)?;
    let applied = apply.value(ir)?;
    let [result] = *applied.results(&ir.ctx) else { return None };
    applied.fits(ir).then(|| (result, applied.dims(&ir.ctx), applied.operands))
}

impl Applied {
    /// Replaces operands that are values of `affine.apply`, once.
    fn compose_once(&mut self, ir: &mut Ir) -> bool {
        let (mut dims, mut symbols) = (Vec::new(), Vec::new());
        let mut composed = false;
        let mut replacements = [Vec::new(), Vec::new()];
        for (kind, list) in [self.dims.clone(), self.symbols.clone()].into_iter().enumerate() {
            for value in list {
                let symbol = kind == 1;
                // What stands for a symbol must be made of symbols.
                let apply = as_apply(ir, value).filter(|(_, _, operands)| {
                    !symbol || operands.iter().all(|&operand| is_valid_symbol(ir, operand))
                });
                let expr = match apply {
                    Some((result, inner_dims, operands)) => {
                        composed = true;
                        let mut inner = [Vec::new(), Vec::new()];
                        for (i, &operand) in operands.iter().enumerate() {
                            let is_dim = i < inner_dims;
                            let expr = if is_dim && !symbol {
                                let position = position_in(&mut dims, operand);
                                ir.ctx.dim_expr(position)
                            } else {
                                let position = position_in(&mut symbols, operand);
                                ir.ctx.symbol_expr(position)
                            };
                            inner[usize::from(!is_dim)].push(expr);
                        }
                        ir.ctx.replace_expr(result, &inner[0], &inner[1])
                    }
                    None if symbol => {
                        let position = position_in(&mut symbols, value);
                        ir.ctx.symbol_expr(position)
                    }
                    None => {
                        let position = position_in(&mut dims, value);
                        ir.ctx.dim_expr(position)
                    }
                };
                replacements[kind].push(expr);
            }
        }
        if !composed {
            return false;
        }
        let exprs: Vec<_> = self
            .exprs
            .iter()
            .map(|&expr| ir.ctx.replace_expr(expr, &replacements[0], &replacements[1]))
            .collect();
        if size(ir, &exprs) > LARGEST {
            return false;
        }
        *self = Applied { exprs, dims, symbols };
        true
    }

    /// Writes constants into the expressions, makes symbols of dimensions that may be symbols, and
    /// drops operands that are repeated or not used.
    fn simplify(&mut self, ir: &mut Ir) {
        let used = self.used(ir);
        let (mut dims, mut symbols) = (Vec::new(), Vec::new());
        let mut replacements = [Vec::new(), Vec::new()];
        // Symbols first, so that they keep their places in front of dimensions that become symbols.
        for kind in [1, 0] {
            let list = if kind == 1 { &self.symbols } else { &self.dims };
            for (i, &value) in list.iter().enumerate() {
                let expr = if !used[kind][i] {
                    ir.ctx.constant_expr(0)
                } else if let Some(constant) = constant_index_value(ir, value) {
                    ir.ctx.constant_expr(constant)
                } else if kind == 1 || is_valid_symbol(ir, value) {
                    let position = position_in(&mut symbols, value);
                    ir.ctx.symbol_expr(position)
                } else {
                    let position = position_in(&mut dims, value);
                    ir.ctx.dim_expr(position)
                };
                replacements[kind].push(expr);
            }
        }
        for expr in &mut self.exprs {
            let replaced = ir.ctx.replace_expr(*expr, &replacements[0], &replacements[1]);
            *expr = simplify_expr(&mut ir.ctx, replaced);
        }
        (self.dims, self.symbols) = (dims, symbols);
    }

    /// Whether nothing is left to do, as far as that is seen with little effort: most of what is asked about has been composed
    /// before.
    fn is_settled(&self, ir: &mut Ir) -> bool {
        let is_plain = |value: Value| {
            !ir.defining_op(value).is_some_and(|op| AffineApplyOp::is(ir, op))
                && constant_index_value(ir, value).is_none()
        };
        let stand_once = |list: &[Value]| (1..list.len()).all(|i| !list[..i].contains(&list[i]));
        if !self.dims.iter().chain(&self.symbols).all(|&value| is_plain(value))
            || !stand_once(&self.dims)
            || !stand_once(&self.symbols)
            || self.dims.iter().any(|&value| is_valid_symbol(ir, value))
        {
            return false;
        }
        let used = self.used(ir);
        used.iter().flatten().all(|&used| used)
            && self.exprs.iter().all(|&expr| simplify_expr(&mut ir.ctx, expr) == expr)
    }

    /// Which dimensions and which symbols occur.
    fn used(&self, ir: &Ir) -> [SmallVec<[bool; 8]>; 2] {
        let mut used = [smallvec![false; self.dims.len()], smallvec![false; self.symbols.len()]];
        for &expr in &self.exprs {
            ir.ctx.walk_expr(expr, &mut |part| {
                let (kind, i) = match *ir.ctx.expr_kind(part) {
                    AffineExprKind::Dim(i) => (0, i),
                    AffineExprKind::Symbol(i) => (1, i),
                    _ => return,
                };
                if let Some(flag) = used[kind].get_mut(i as usize) {
                    *flag = true;
                }
            });
        }
        used
    }

    /// Says whether there was anything to do.
    fn compose_and_simplify(&mut self, ir: &mut Ir) -> bool {
        if self.is_settled(ir) {
            return false;
        }
        // Every step follows definitions upwards, so that it ends; in graph regions it need not.
        for _ in 0..64 {
            if !self.compose_once(ir) {
                break;
            }
        }
        // Simplified expressions may use fewer operands than the first pass saw.
        for _ in 0..3 {
            let before = self.clone();
            self.simplify(ir);
            if *self == before {
                break;
            }
        }
        true
    }
}

/// Composes with the `affine.apply`s behind the operands, and simplifies. Says whether anything
/// changed.
pub fn compose(ir: &mut Ir, value: &mut AffineValue) -> bool {
    if !value.fits(ir) {
        return false;
    }
    let dims = value.dims(&ir.ctx);
    let mut applied = Applied {
        exprs: value.results(&ir.ctx).to_vec(),
        dims: value.operands[..dims].to_vec(),
        symbols: value.operands[dims..].to_vec(),
    };
    if !applied.compose_and_simplify(ir) {
        return false;
    }
    let counts = (applied.dims.len() as u32, applied.symbols.len() as u32);
    let map = ir.ctx.map(counts.0, counts.1, &applied.exprs);
    let operands: Vec<Value> = applied.dims.into_iter().chain(applied.symbols).collect();
    let changed = map != value.map || operands != value.operands;
    *value = AffineValue { map, operands };
    changed
}

/// [`compose`] for a set.
pub fn compose_set(ir: &mut Ir, set: &mut IntegerSet, operands: &mut Vec<Value>) -> bool {
    let data = ir.ctx.set_data(*set).clone();
    if (data.dims + data.symbols) as usize != operands.len() {
        return false;
    }
    let dims = data.dims as usize;
    let mut applied = Applied {
        exprs: data.constraints.iter().map(|&(expr, _)| expr).collect(),
        dims: operands[..dims].to_vec(),
        symbols: operands[dims..].to_vec(),
    };
    if !applied.compose_and_simplify(ir) {
        return false;
    }
    let constraints: Vec<(AffineExpr, bool)> = applied
        .exprs
        .iter()
        .zip(&data.constraints)
        .map(|(&expr, &(_, equality))| (expr, equality))
        .collect();
    let counts = (applied.dims.len() as u32, applied.symbols.len() as u32);
    let new_set = ir.ctx.integer_set(counts.0, counts.1, &constraints);
    let new_operands: Vec<Value> = applied.dims.into_iter().chain(applied.symbols).collect();
    let changed = new_set != *set || new_operands != *operands;
    (*set, *operands) = (new_set, new_operands);
    changed
}

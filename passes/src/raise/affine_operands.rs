//! Polynomials as affine maps with operands.

use gpuc_dialects::affine::{AffineValue, affine_scope, is_valid_dim_in, is_valid_symbol_in};
use gpuc_dialects::arith;
use gpuc_ir::{Builder, InsertPoint, Ir, Op, Region, Value, ValueDef};
use rustc_hash::FxHashMap;

use crate::analysis::domain::is_unchanging;
use crate::analysis::polynomial::Polynomial;

/// Makes affine maps out of polynomials. Numbers of other integer types become index values where
/// they are defined, once in each affine scope.
#[derive(Debug, Default)]
pub struct AffineOperands {
    converted: FxHashMap<(Value, Region), Value>,
}

impl AffineOperands {
    /// The polynomials as results of one map that `op` can use; `None` if one of them is not affine
    /// in loop variables and in values that do not change in the scope.
    pub fn map(&mut self, ir: &mut Ir, op: Op, forms: &[Polynomial]) -> Option<AffineValue> {
        let scope = affine_scope(ir, op)?;
        if !Self::can_map(ir, op, forms) {
            return None;
        }
        let (mut dims, mut symbols) = (Vec::new(), Vec::new());
        let mut sums = Vec::new();
        for form in forms {
            let mut sum = ir.ctx.constant_expr(form.constant_term());
            for value in form.values() {
                let coefficient = form.coefficient(&[value]);
                let operand = self.index(ir, value, scope)?;
                let (list, symbol) = match is_valid_symbol_in(ir, operand, Some(scope)) {
                    true => (&mut symbols, true),
                    false => (&mut dims, false),
                };
                let position = position_in(list, operand);
                let expr = match symbol {
                    true => ir.ctx.symbol_expr(position),
                    false => ir.ctx.dim_expr(position),
                };
                let factor = ir.ctx.constant_expr(coefficient);
                let product = ir.ctx.mul_expr(expr, factor);
                sum = ir.ctx.add_expr(sum, product);
            }
            sums.push(sum);
        }
        let map = ir.ctx.map(dims.len() as u32, symbols.len() as u32, &sums);
        dims.append(&mut symbols);
        Some(AffineValue { map, operands: dims })
    }

    /// Whether there is such a map. Nothing is changed.
    pub fn can_map(ir: &Ir, op: Op, forms: &[Polynomial]) -> bool {
        let usable =
            |scope| forms.iter().all(|form| form.is_affine() && Self::is_usable(ir, form, scope));
        affine_scope(ir, op).is_some_and(usable)
    }

    /// Whether each value of a polynomial may be an operand in the scope, converted or not.
    fn is_usable(ir: &Ir, form: &Polynomial, scope: Region) -> bool {
        form.values().into_iter().all(|value| {
            let ty = ir.ty(value);
            if ir.ctx.is_index(ty) {
                is_valid_dim_in(ir, value, Some(scope))
            } else {
                ir.ctx.int_width(ty).is_some() && is_unchanging(ir, value, scope)
            }
        })
    }

    /// A value as an index that may be an operand in `scope`; `None` if it changes in the scope.
    pub fn index(&mut self, ir: &mut Ir, value: Value, scope: Region) -> Option<Value> {
        if ir.ctx.is_index(ir.ty(value)) {
            return is_valid_dim_in(ir, value, Some(scope)).then_some(value);
        }
        if let Some(&known) = self.converted.get(&(value, scope)) {
            return Some(known);
        }
        if !is_unchanging(ir, value, scope) {
            return None;
        }
        let entry = ir.entry_block(scope)?;
        let (point, location) = match ir.value_def(value) {
            ValueDef::Result(op, _) if ir.parent_region(op) == Some(scope) => {
                (InsertPoint::After(op), ir.location(op))
            }
            _ => (InsertPoint::Start(entry), ir.block_op(entry).map(|op| ir.location(op))?),
        };
        let index = ir.ctx.index();
        let mut b = Builder::new(ir, point, location);
        let converted = arith::IndexCastOp::new(&mut b, value).result(index).value(&mut b);
        self.converted.insert((value, scope), converted);
        Some(converted)
    }
}

fn position_in(list: &mut Vec<Value>, value: Value) -> u32 {
    let position = list.iter().position(|&known| known == value).unwrap_or_else(|| {
        list.push(value);
        list.len() - 1
    });
    position as u32
}

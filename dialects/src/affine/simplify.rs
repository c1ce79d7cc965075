//! A normal form of affine expressions: a sum of dimensions, symbols and what is not linear, each
//! once with a factor, and a constant; multiples of a divisor taken out of divisions by it.

use gpuc_ir::affine::{AffineExprKind, BinaryOp};
use gpuc_ir::{AffineExpr, Context};

/// `factor * term` summed, plus a constant.
#[derive(Default)]
struct Sum {
    terms: Vec<(AffineExpr, i64)>,
    constant: i64,
}

impl Sum {
    fn add(&mut self, term: AffineExpr, factor: i64) -> Option<()> {
        match self.terms.iter_mut().find(|known| known.0 == term) {
            Some(known) => known.1 = known.1.checked_add(factor)?,
            None => self.terms.push((term, factor)),
        }
        Some(())
    }

    /// Adds `expr * factor`; `None` where a number gets too large.
    fn add_expr(&mut self, ctx: &mut Context, expr: AffineExpr, factor: i64) -> Option<()> {
        match *ctx.expr_kind(expr) {
            AffineExprKind::Constant(value) => {
                self.constant = self.constant.checked_add(value.checked_mul(factor)?)?;
                Some(())
            }
            AffineExprKind::Dim(_) | AffineExprKind::Symbol(_) => self.add(expr, factor),
            AffineExprKind::Binary(BinaryOp::Add, a, b) => {
                self.add_expr(ctx, a, factor)?;
                self.add_expr(ctx, b, factor)
            }
            AffineExprKind::Binary(BinaryOp::Mul, a, b) => {
                if let Some(constant) = ctx.expr_constant(b) {
                    return self.add_expr(ctx, a, factor.checked_mul(constant)?);
                }
                let (a, b) = (simplify_expr(ctx, a), simplify_expr(ctx, b));
                let product = ctx.mul_expr(a, b);
                self.add_atom(ctx, product, expr, factor)
            }
            AffineExprKind::Binary(op, a, b) => {
                let divisor = ctx.expr_constant(b).filter(|&divisor| divisor > 0);
                match (op, divisor) {
                    (BinaryOp::FloorDiv, Some(divisor)) => {
                        self.add_quotient(ctx, a, divisor, factor)
                    }
                    (BinaryOp::Mod, Some(divisor)) => self.add_remainder(ctx, a, divisor, factor),
                    _ => {
                        let (a, b) = (simplify_expr(ctx, a), simplify_expr(ctx, b));
                        let result = ctx.binary_expr(op, a, b);
                        self.add_atom(ctx, result, expr, factor)
                    }
                }
            }
        }
    }

    /// Adds a simplified expression that may have become linear.
    fn add_atom(
        &mut self,
        ctx: &mut Context,
        simplified: AffineExpr,
        before: AffineExpr,
        factor: i64,
    ) -> Option<()> {
        let linear = match *ctx.expr_kind(simplified) {
            AffineExprKind::Binary(BinaryOp::Add, ..) => true,
            AffineExprKind::Binary(BinaryOp::Mul, _, b) => ctx.expr_constant(b).is_some(),
            AffineExprKind::Binary(..) => false,
            _ => true,
        };
        if linear && simplified != before {
            return self.add_expr(ctx, simplified, factor);
        }
        self.add(simplified, factor)
    }

    fn of(ctx: &mut Context, expr: AffineExpr) -> Option<Sum> {
        let mut sum = Sum::default();
        sum.add_expr(ctx, expr, 1)?;
        sum.terms.retain(|&(_, factor)| factor != 0);
        Some(sum)
    }

    /// Adds `numerator floordiv divisor`: what the divisor divides comes out.
    fn add_quotient(
        &mut self,
        ctx: &mut Context,
        numerator: AffineExpr,
        divisor: i64,
        factor: i64,
    ) -> Option<()> {
        let mut inner = Sum::of(ctx, numerator)?;
        for &(term, by) in inner.terms.iter().filter(|term| term.1 % divisor == 0) {
            self.add(term, factor.checked_mul(by / divisor)?)?;
        }
        inner.terms.retain(|&(_, by)| by % divisor != 0);
        let outside = inner.constant.div_euclid(divisor);
        self.constant = self.constant.checked_add(outside.checked_mul(factor)?)?;
        inner.constant = inner.constant.rem_euclid(divisor);
        if inner.terms.is_empty() {
            return Some(());
        }
        let common = inner.common_divisor(divisor);
        inner.divide(common);
        let numerator = inner.build(ctx);
        let divisor = ctx.constant_expr(divisor / common);
        let quotient =
            ctx.intern_expr(AffineExprKind::Binary(BinaryOp::FloorDiv, numerator, divisor));
        self.add(quotient, factor)
    }

    /// Adds `value mod divisor`: multiples of the divisor do not count.
    fn add_remainder(
        &mut self,
        ctx: &mut Context,
        value: AffineExpr,
        divisor: i64,
        factor: i64,
    ) -> Option<()> {
        let mut inner = Sum::of(ctx, value)?;
        inner.terms.retain(|&(_, by)| by % divisor != 0);
        inner.constant = inner.constant.rem_euclid(divisor);
        if inner.terms.is_empty() {
            self.constant = self.constant.checked_add(inner.constant.checked_mul(factor)?)?;
            return Some(());
        }
        let common = inner.common_divisor(divisor);
        let rest = inner.constant % common;
        inner.divide(common);
        // (g x + g q + r) mod (g c) = g ((x + q) mod c) + r, for 0 <= r < g.
        self.constant = self.constant.checked_add(rest.checked_mul(factor)?)?;
        let value = inner.build(ctx);
        let divisor = ctx.constant_expr(divisor / common);
        let remainder = ctx.mod_expr(value, divisor);
        let factor = factor.checked_mul(common)?;
        match *ctx.expr_kind(remainder) {
            AffineExprKind::Binary(BinaryOp::Mod, ..) => self.add(remainder, factor),
            _ => self.add_expr(ctx, remainder, factor),
        }
    }

    /// The greatest number that divides `divisor` and every factor.
    fn common_divisor(&self, divisor: i64) -> i64 {
        fn gcd(a: u64, b: u64) -> u64 {
            if b == 0 { a } else { gcd(b, a % b) }
        }
        let factors = self.terms.iter().map(|term| term.1.unsigned_abs());
        factors.fold(divisor.unsigned_abs(), gcd) as i64
    }

    /// Divides factors exactly, and the constant rounding down.
    fn divide(&mut self, by: i64) {
        for term in &mut self.terms {
            term.1 /= by;
        }
        self.constant = self.constant.div_euclid(by);
    }

    fn build(mut self, ctx: &mut Context) -> AffineExpr {
        self.terms.retain(|&(_, factor)| factor != 0);
        // Dimensions, symbols, then the rest in the order of appearance.
        self.terms.sort_by_key(|&(term, _)| match *ctx.expr_kind(term) {
            AffineExprKind::Dim(i) => (0, i),
            AffineExprKind::Symbol(i) => (1, i),
            _ => (2, 0),
        });
        let mut sum: Option<AffineExpr> = None;
        for &(term, factor) in &self.terms {
            let factor = ctx.constant_expr(factor);
            let scaled = ctx.mul_expr(term, factor);
            sum = Some(match sum {
                Some(sum) => ctx.add_expr(sum, scaled),
                None => scaled,
            });
        }
        let constant = ctx.constant_expr(self.constant);
        match sum {
            Some(sum) => ctx.add_expr(sum, constant),
            None => constant,
        }
    }
}

/// The normal form of an expression; the expression itself where numbers would get too large.
pub fn simplify_expr(ctx: &mut Context, expr: AffineExpr) -> AffineExpr {
    if let Some(known) = ctx.normal_expr(expr) {
        return known;
    }
    let simple = match Sum::of(ctx, expr) {
        Some(sum) => sum.build(ctx),
        None => expr,
    };
    ctx.note_normal_expr(expr, simple);
    simple
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Over `d0`, `d1` and `s0`.
    fn text(build: impl FnOnce(&mut Context, [AffineExpr; 3]) -> AffineExpr) -> String {
        let mut ctx = Context::new();
        let values = [ctx.dim_expr(0), ctx.dim_expr(1), ctx.symbol_expr(0)];
        let expr = build(&mut ctx, values);
        let simple = simplify_expr(&mut ctx, expr);
        for point in [[0, 0, 0], [3, 5, 7], [-3, 11, -6], [100, -7, 1], [-8, -9, -10]] {
            assert_eq!(
                ctx.eval_expr(expr, &point[..2], &point[2..]),
                ctx.eval_expr(simple, &point[..2], &point[2..]),
                "{} and {} at {point:?}",
                ctx.expr_text(expr),
                ctx.expr_text(simple),
            );
        }
        ctx.expr_text(simple)
    }

    #[test]
    fn sums_have_a_normal_form() {
        let scaled_sum = text(|ctx, [i, j, n]| {
            let (one, two) = (ctx.constant_expr(1), ctx.constant_expr(2));
            let sum = ctx.add_expr(i, one);
            let scaled = ctx.mul_expr(sum, two);
            let with_n = ctx.add_expr(n, scaled);
            ctx.add_expr(with_n, j)
        });
        assert_eq!(scaled_sum, "d0 * 2 + d1 + s0 + 2");
        let cancelled = text(|ctx, [i, j, _]| {
            let sum = ctx.add_expr(i, j);
            ctx.sub_expr(sum, i)
        });
        assert_eq!(cancelled, "d1");
    }

    #[test]
    fn multiples_leave_divisions() {
        let division = |op| {
            move |ctx: &mut Context, [i, j, n]: [AffineExpr; 3]| {
                let (four, six, eight) =
                    (ctx.constant_expr(4), ctx.constant_expr(6), ctx.constant_expr(8));
                let i = ctx.mul_expr(i, eight);
                let j = ctx.mul_expr(j, six);
                let sum = ctx.add_expr(i, j);
                let n = ctx.mul_expr(n, four);
                let sum = ctx.add_expr(sum, n);
                let five = ctx.constant_expr(5);
                let sum = ctx.add_expr(sum, five);
                ctx.binary_expr(op, sum, four)
            }
        };
        assert_eq!(text(division(BinaryOp::FloorDiv)), "d0 * 2 + s0 + (d1 * 3) floordiv 2 + 1");
        assert_eq!(text(division(BinaryOp::Mod)), "((d1 * 3) mod 2) * 2 + 1");
    }
}

//! Affine expressions.

use crate::context::Context;

cranelift_entity::entity_impl!(AffineExpr, "expr");

/// An interned affine expression; a key into the [`Context`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AffineExpr(pub(crate) u32);

/// Operators of affine expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `a + b`.
    Add,
    /// `a * b`; one side is symbolic or constant in a pure affine expression.
    Mul,
    /// `a mod b`, of the sign of `b`; `b > 0`.
    Mod,
    /// `a floordiv b`.
    FloorDiv,
    /// `a ceildiv b`.
    CeilDiv,
}

/// What an [`AffineExpr`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AffineExprKind {
    /// `d0`.
    Dim(u32),
    /// `s0`.
    Symbol(u32),
    /// An integer.
    Constant(i64),
    /// Two expressions combined.
    Binary(BinaryOp, AffineExpr, AffineExpr),
}

use AffineExprKind::{Binary, Constant};

/// Constructors; each simplifies.
impl Context {
    /// `d{position}`.
    pub fn dim_expr(&mut self, position: u32) -> AffineExpr {
        self.intern_expr(AffineExprKind::Dim(position))
    }

    /// `s{position}`.
    pub fn symbol_expr(&mut self, position: u32) -> AffineExpr {
        self.intern_expr(AffineExprKind::Symbol(position))
    }

    /// An integer.
    pub fn constant_expr(&mut self, value: i64) -> AffineExpr {
        self.intern_expr(Constant(value))
    }

    /// `op` applied, simplified.
    pub fn binary_expr(&mut self, op: BinaryOp, a: AffineExpr, b: AffineExpr) -> AffineExpr {
        match op {
            BinaryOp::Add => self.add_expr(a, b),
            BinaryOp::Mul => self.mul_expr(a, b),
            BinaryOp::Mod => self.mod_expr(a, b),
            BinaryOp::FloorDiv => self.floordiv_expr(a, b),
            BinaryOp::CeilDiv => self.ceildiv_expr(a, b),
        }
    }

    /// The value of a constant expression.
    pub fn expr_constant(&self, expr: AffineExpr) -> Option<i64> {
        match *self.expr_kind(expr) {
            Constant(value) => Some(value),
            _ => None,
        }
    }

    /// `a + b`. Constants are folded and moved right; `c1*e + c2*e` is collected; `e - (e floordiv
    /// c) * c` becomes `e mod c`.
    pub fn add_expr(&mut self, a: AffineExpr, b: AffineExpr) -> AffineExpr {
        if let (Some(x), Some(y)) = (self.expr_constant(a), self.expr_constant(b))
            && let Some(sum) = x.checked_add(y)
        {
            return self.constant_expr(sum);
        }
        // Constants and symbols go right, so that `x + c` has one form.
        let left_is_simpler =
            self.expr_constant(a).is_some() || (self.is_symbolic(a) && !self.is_symbolic(b));
        if left_is_simpler && self.expr_constant(b).is_none() {
            return self.add_expr(b, a);
        }
        if let Some(y) = self.expr_constant(b) {
            if y == 0 {
                return a;
            }
            if let Binary(BinaryOp::Add, x, c) = *self.expr_kind(a)
                && let Some(c) = self.expr_constant(c)
                && let Some(sum) = c.checked_add(y)
            {
                let sum = self.constant_expr(sum);
                return self.add_expr(x, sum);
            }
        }
        let (x, cx) = self.split_factor(a);
        let (y, cy) = self.split_factor(b);
        if x == y
            && let Some(sum) = cx.checked_add(cy)
        {
            let sum = self.constant_expr(sum);
            return self.mul_expr(x, sum);
        }
        // (x + c) + y = (x + y) + c
        if let Binary(BinaryOp::Add, x, c) = *self.expr_kind(a)
            && self.expr_constant(c).is_some()
        {
            let sum = self.add_expr(x, b);
            return self.add_expr(sum, c);
        }
        // x + (y + c) = (x + y) + c
        if let Binary(BinaryOp::Add, y, c) = *self.expr_kind(b)
            && self.expr_constant(c).is_some()
        {
            let sum = self.add_expr(a, y);
            return self.add_expr(sum, c);
        }
        if let Some(folded) = self.as_remainder(a, b) {
            return folded;
        }
        self.intern_expr(Binary(BinaryOp::Add, a, b))
    }

    /// `e + (e floordiv c) * -c` is `e mod c`.
    fn as_remainder(&mut self, a: AffineExpr, b: AffineExpr) -> Option<AffineExpr> {
        let Binary(BinaryOp::Mul, quotient, factor) = *self.expr_kind(b) else { return None };
        let factor = self.expr_constant(factor)?;
        let Binary(BinaryOp::FloorDiv, numerator, divisor) = *self.expr_kind(quotient) else {
            return None;
        };
        let c = self.expr_constant(divisor)?;
        (numerator == a && c > 0 && factor == c.checked_neg()?).then(|| self.mod_expr(a, divisor))
    }

    /// `e` and `c` such that the expression is `e * c`.
    fn split_factor(&self, expr: AffineExpr) -> (AffineExpr, i64) {
        if let Binary(BinaryOp::Mul, e, c) = *self.expr_kind(expr)
            && let Some(c) = self.expr_constant(c)
        {
            return (e, c);
        }
        (expr, 1)
    }

    /// `a - b`.
    pub fn sub_expr(&mut self, a: AffineExpr, b: AffineExpr) -> AffineExpr {
        let minus_one = self.constant_expr(-1);
        let negated = self.mul_expr(b, minus_one);
        self.add_expr(a, negated)
    }

    /// `a * b`. Constants are folded, moved right and distributed into one factor.
    pub fn mul_expr(&mut self, a: AffineExpr, b: AffineExpr) -> AffineExpr {
        match (self.expr_constant(a), self.expr_constant(b)) {
            (Some(x), Some(y)) => {
                if let Some(product) = x.checked_mul(y) {
                    return self.constant_expr(product);
                }
            }
            (Some(_), None) => return self.mul_expr(b, a),
            (None, None) if self.is_symbolic(a) && !self.is_symbolic(b) => {
                return self.mul_expr(b, a);
            }
            (_, Some(1)) => return a,
            (_, Some(0)) => return b,
            (None, Some(y)) => {
                if let Binary(BinaryOp::Mul, x, c) = *self.expr_kind(a)
                    && let Some(c) = self.expr_constant(c)
                    && let Some(product) = c.checked_mul(y)
                {
                    let product = self.constant_expr(product);
                    return self.mul_expr(x, product);
                }
            }
            (None, None) => {}
        }
        self.intern_expr(Binary(BinaryOp::Mul, a, b))
    }

    /// `a mod b`.
    pub fn mod_expr(&mut self, a: AffineExpr, b: AffineExpr) -> AffineExpr {
        if let Some(c) = self.expr_constant(b).filter(|&c| c > 0) {
            if let Some(x) = self.expr_constant(a) {
                return self.constant_expr(x.rem_euclid(c));
            }
            if self.largest_known_divisor(a) % c == 0 {
                return self.constant_expr(0);
            }
            // A multiple of c does not change the remainder.
            if let Binary(BinaryOp::Add, x, y) = *self.expr_kind(a) {
                if self.largest_known_divisor(x) % c == 0 {
                    return self.mod_expr(y, b);
                }
                if self.largest_known_divisor(y) % c == 0 {
                    return self.mod_expr(x, b);
                }
            }
            if let Binary(BinaryOp::Mod, x, m) = *self.expr_kind(a)
                && let Some(m) = self.expr_constant(m)
                && m > 0
                && m % c == 0
            {
                return self.mod_expr(x, b);
            }
        }
        self.intern_expr(Binary(BinaryOp::Mod, a, b))
    }

    /// `a floordiv b`.
    pub fn floordiv_expr(&mut self, a: AffineExpr, b: AffineExpr) -> AffineExpr {
        if let Some(c) = self.expr_constant(b).filter(|&c| c > 0) {
            if c == 1 {
                return a;
            }
            if let Some(x) = self.expr_constant(a) {
                return self.constant_expr(x.div_euclid(c));
            }
            if let Some(exact) = self.exact_quotient(a, c) {
                return exact;
            }
            // (x * k*c + y) floordiv c = x * k + (y floordiv c)
            if let Binary(BinaryOp::Add, x, y) = *self.expr_kind(a) {
                for (multiple, rest) in [(x, y), (y, x)] {
                    if let Some(exact) = self.exact_quotient(multiple, c) {
                        let rest = self.floordiv_expr(rest, b);
                        return self.add_expr(exact, rest);
                    }
                }
            }
        }
        self.intern_expr(Binary(BinaryOp::FloorDiv, a, b))
    }

    /// `a ceildiv b`.
    pub fn ceildiv_expr(&mut self, a: AffineExpr, b: AffineExpr) -> AffineExpr {
        if let Some(c) = self.expr_constant(b).filter(|&c| c > 0) {
            if c == 1 {
                return a;
            }
            if let Some(x) = self.expr_constant(a) {
                let (quotient, remainder) = (x.div_euclid(c), x.rem_euclid(c));
                return self.constant_expr(quotient + i64::from(remainder != 0));
            }
            if let Some(exact) = self.exact_quotient(a, c) {
                return exact;
            }
        }
        self.intern_expr(Binary(BinaryOp::CeilDiv, a, b))
    }

    /// `expr / c` where `expr` is `e * k` with `c` dividing `k`, or a constant multiple.
    fn exact_quotient(&mut self, expr: AffineExpr, c: i64) -> Option<AffineExpr> {
        match *self.expr_kind(expr) {
            Constant(x) if x % c == 0 => Some(self.constant_expr(x / c)),
            Binary(BinaryOp::Mul, e, k) => {
                let k = self.expr_constant(k).filter(|k| k % c == 0)?;
                let k = self.constant_expr(k / c);
                Some(self.mul_expr(e, k))
            }
            _ => None,
        }
    }
}

/// Queries.
impl Context {
    /// Whether the expression holds no dimension.
    pub fn is_symbolic(&self, expr: AffineExpr) -> bool {
        match *self.expr_kind(expr) {
            AffineExprKind::Dim(_) => false,
            AffineExprKind::Symbol(_) | Constant(_) => true,
            Binary(_, a, b) => self.is_symbolic(a) && self.is_symbolic(b),
        }
    }

    /// Whether every product has a symbolic factor and every divisor is symbolic: what maps and
    /// sets demand of their expressions.
    pub fn is_pure_affine(&self, expr: AffineExpr) -> bool {
        match *self.expr_kind(expr) {
            Binary(op, a, b) => {
                self.is_pure_affine(a)
                    && self.is_pure_affine(b)
                    && match op {
                        BinaryOp::Add => true,
                        BinaryOp::Mul => {
                            self.expr_constant(a).is_some() || self.expr_constant(b).is_some()
                        }
                        _ => self.expr_constant(b).is_some(),
                    }
            }
            _ => true,
        }
    }

    /// The largest integer known to divide every value of the expression; `i64::MAX`'s stand-in for
    /// zero is 0's own magnitude, taken as "any", so that `0 mod c` folds.
    pub fn largest_known_divisor(&self, expr: AffineExpr) -> i64 {
        fn gcd(a: i64, b: i64) -> i64 {
            if b == 0 { a } else { gcd(b, a % b) }
        }
        match *self.expr_kind(expr) {
            Constant(value) => value.checked_abs().unwrap_or(1),
            Binary(BinaryOp::Mul, a, b) => self
                .largest_known_divisor(a)
                .checked_mul(self.largest_known_divisor(b))
                .unwrap_or(1),
            Binary(BinaryOp::Add | BinaryOp::Mod, a, b) => {
                gcd(self.largest_known_divisor(a), self.largest_known_divisor(b))
            }
            _ => 1,
        }
    }

    /// What [`note_normal_expr`](Self::note_normal_expr) said of an expression.
    pub fn normal_expr(&self, expr: AffineExpr) -> Option<AffineExpr> {
        self.normal_exprs.get(&expr).copied()
    }

    /// Keeps the normal form of an expression, which takes longer to compute than to look up and is asked for again whenever an
    /// operation with that expression is visited.
    pub fn note_normal_expr(&mut self, expr: AffineExpr, normal: AffineExpr) {
        self.normal_exprs.insert(expr, normal);
    }

    /// Calls `visit` on every sub-expression, operands first.
    pub fn walk_expr(&self, expr: AffineExpr, visit: &mut impl FnMut(AffineExpr)) {
        if let Binary(_, a, b) = *self.expr_kind(expr) {
            self.walk_expr(a, visit);
            self.walk_expr(b, visit);
        }
        visit(expr);
    }

    /// Value at the given dimensions and symbols; `None` on division by zero or less, overflow, or
    /// a missing operand.
    pub fn eval_expr(&self, expr: AffineExpr, dims: &[i64], symbols: &[i64]) -> Option<i64> {
        match *self.expr_kind(expr) {
            AffineExprKind::Dim(i) => dims.get(i as usize).copied(),
            AffineExprKind::Symbol(i) => symbols.get(i as usize).copied(),
            Constant(value) => Some(value),
            Binary(op, a, b) => {
                let a = self.eval_expr(a, dims, symbols)?;
                let b = self.eval_expr(b, dims, symbols)?;
                match op {
                    BinaryOp::Add => a.checked_add(b),
                    BinaryOp::Mul => a.checked_mul(b),
                    _ if b <= 0 => None,
                    BinaryOp::Mod => Some(a.rem_euclid(b)),
                    BinaryOp::FloorDiv => Some(a.div_euclid(b)),
                    BinaryOp::CeilDiv => Some(a.div_euclid(b) + i64::from(a.rem_euclid(b) != 0)),
                }
            }
        }
    }

    /// The expression with dimensions and symbols replaced (those beyond the slices stay), rebuilt
    /// and simplified.
    pub fn replace_expr(
        &mut self,
        expr: AffineExpr,
        dims: &[AffineExpr],
        symbols: &[AffineExpr],
    ) -> AffineExpr {
        match *self.expr_kind(expr) {
            AffineExprKind::Dim(i) => dims.get(i as usize).copied().unwrap_or(expr),
            AffineExprKind::Symbol(i) => symbols.get(i as usize).copied().unwrap_or(expr),
            Constant(_) => expr,
            Binary(op, a, b) => {
                let a = self.replace_expr(a, dims, symbols);
                let b = self.replace_expr(b, dims, symbols);
                self.binary_expr(op, a, b)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_have_one_form() {
        let mut ctx = Context::new();
        let (i, j) = (ctx.dim_expr(0), ctx.dim_expr(1));
        let (one, two, four) = (ctx.constant_expr(1), ctx.constant_expr(2), ctx.constant_expr(4));
        let a = ctx.add_expr(one, i);
        let b = ctx.add_expr(i, one);
        assert_eq!(a, b);
        let twice = ctx.add_expr(i, i);
        assert_eq!(twice, ctx.mul_expr(two, i));
        let ij = ctx.add_expr(i, j);
        let sum = ctx.add_expr(a, j);
        assert_eq!(sum, ctx.add_expr(ij, one));
        let zero = ctx.sub_expr(i, i);
        assert_eq!(ctx.expr_constant(zero), Some(0));
        // 4i + j floordiv 4, and its remainder
        let scaled = ctx.mul_expr(i, four);
        let e = ctx.add_expr(scaled, j);
        let quotient = ctx.floordiv_expr(e, four);
        let jq = ctx.floordiv_expr(j, four);
        assert_eq!(quotient, ctx.add_expr(i, jq));
        assert_eq!(ctx.mod_expr(e, four), ctx.mod_expr(j, four));
    }

    #[test]
    fn simplification_keeps_values() {
        let mut ctx = Context::new();
        let (i, j, c) = (ctx.dim_expr(0), ctx.symbol_expr(0), ctx.constant_expr(3));
        let minus = ctx.constant_expr(-3);
        let q = ctx.floordiv_expr(i, c);
        let back = ctx.mul_expr(q, minus);
        let rem = ctx.add_expr(i, back);
        let m = ctx.mod_expr(i, c);
        assert_eq!(rem, m);
        let up = ctx.ceildiv_expr(i, c);
        let sum = ctx.add_expr(up, j);
        for x in -7..7 {
            assert_eq!(ctx.eval_expr(m, &[x], &[]), Some(x.rem_euclid(3)));
            assert_eq!(ctx.eval_expr(sum, &[x], &[5]), Some((x + 2).div_euclid(3) + 5));
        }
    }
}

//! Sums of values and of quotients rounded down: subscripts and bounds as tiling makes them.
//!
//! `a[i floordiv 32][i mod 32]` has the subscripts `⌊i/32⌋` and `i - 32·⌊i/32⌋`.

use gpuc_dialects::{affine, arith};
use gpuc_ir::affine::{AffineExprKind, BinaryOp};
use gpuc_ir::{AffineExpr, Ir, Op, OpView, Value};

use super::polynomial::Polynomial;
use super::range::range;
use super::subscript::polynomial;

/// A polynomial and multiples of quotients.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QuasiAffine {
    plain: Polynomial,
    /// In ascending order, none twice, none times 0.
    divisions: Vec<Division>,
}

/// `coefficient · ⌊numerator / divisor⌋`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Division {
    /// What is divided.
    pub numerator: QuasiAffine,
    /// By what; positive.
    pub divisor: i64,
    /// How often it counts; not 0.
    pub coefficient: i64,
}

/// How many definitions or quotients deep the search goes.
const DEPTH: u32 = 8;

impl From<Polynomial> for QuasiAffine {
    fn from(plain: Polynomial) -> Self {
        QuasiAffine { plain, divisions: Vec::new() }
    }
}

impl QuasiAffine {
    /// An integer value: its polynomial, in which quotients and remainders are looked behind.
    pub fn of_value(ir: &Ir, value: Value) -> QuasiAffine {
        of_value(ir, value, DEPTH)
    }

    /// An affine expression over operands, of which the first `dims` are its dimensions; `None` where
    /// it has no closed form.
    pub fn of_expr(
        ir: &Ir,
        expr: AffineExpr,
        dims: usize,
        operands: &[Value],
    ) -> Option<QuasiAffine> {
        of_expr(ir, expr, dims, operands, DEPTH)
    }

    /// What is not divided.
    pub fn plain(&self) -> &Polynomial {
        &self.plain
    }

    /// The quotients.
    pub fn divisions(&self) -> &[Division] {
        &self.divisions
    }

    /// It all, if there are no quotients.
    pub fn as_polynomial(&self) -> Option<&Polynomial> {
        self.divisions.is_empty().then_some(&self.plain)
    }

    /// The summand without values.
    pub fn constant_term(&self) -> i64 {
        self.plain.constant_term()
    }

    /// The values that occur, those in numerators too, in ascending order.
    pub fn values(&self) -> Vec<Value> {
        let mut values = self.plain.values();
        values.extend(self.divisions.iter().flat_map(|division| division.numerator.values()));
        values.sort_unstable();
        values.dedup();
        values
    }

    /// `self + scale * other`; `None` where a coefficient leaves 64 bits.
    pub fn plus(&self, other: &QuasiAffine, scale: i64) -> Option<QuasiAffine> {
        let mut sum = QuasiAffine {
            plain: self.plain.plus(&other.plain, scale)?,
            divisions: self.divisions.clone(),
        };
        for division in &other.divisions {
            let scaled = division.coefficient.checked_mul(scale)?;
            let same = |known: &&mut Division| {
                known.divisor == division.divisor && known.numerator == division.numerator
            };
            match sum.divisions.iter_mut().find(same) {
                Some(known) => known.coefficient = known.coefficient.checked_add(scaled)?,
                None => sum.divisions.push(Division { coefficient: scaled, ..division.clone() }),
            }
        }
        sum.divisions.retain(|division| division.coefficient != 0);
        sum.divisions.sort_unstable();
        Some(sum)
    }

    fn plus_constant(&self, constant: i64) -> Option<QuasiAffine> {
        self.plus(&Polynomial::constant(constant).into(), 1)
    }

    fn times(&self, other: &QuasiAffine) -> Option<QuasiAffine> {
        match (self.as_polynomial(), other.as_polynomial()) {
            (Some(a), Some(b)) => Some(a.times(b)?.into()),
            (Some(factor), None) => QuasiAffine::default().plus(other, factor.as_constant()?),
            (None, Some(factor)) => QuasiAffine::default().plus(self, factor.as_constant()?),
            (None, None) => None,
        }
    }

    /// `⌊self / divisor⌋`; `None` for divisors that are not positive.
    fn floor_div(self, divisor: i64) -> Option<QuasiAffine> {
        if divisor <= 0 {
            return None;
        }
        let constant = self.as_polynomial().and_then(Polynomial::as_constant);
        if let Some(constant) = constant {
            return Some(Polynomial::constant(constant.div_euclid(divisor)).into());
        }
        let division = Division { numerator: self, divisor, coefficient: 1 };
        Some(QuasiAffine { plain: Polynomial::default(), divisions: vec![division] })
    }

    /// What is left of `self`, divided by `divisor`, rounded down.
    fn modulo(self, divisor: i64) -> Option<QuasiAffine> {
        let quotient = self.clone().floor_div(divisor)?;
        self.plus(&quotient, divisor.checked_neg()?)
    }
}

fn of_expr(
    ir: &Ir,
    expr: AffineExpr,
    dims: usize,
    operands: &[Value],
    depth: u32,
) -> Option<QuasiAffine> {
    let operand = |index: usize| Some(of_value(ir, *operands.get(index)?, depth));
    match *ir.ctx.expr_kind(expr) {
        AffineExprKind::Constant(number) => Some(Polynomial::constant(number).into()),
        AffineExprKind::Dim(index) => operand(index as usize),
        AffineExprKind::Symbol(index) => operand(dims + index as usize),
        AffineExprKind::Binary(op, a, b) => {
            let a = of_expr(ir, a, dims, operands, depth)?;
            let b = of_expr(ir, b, dims, operands, depth)?;
            let divisor = || b.as_polynomial()?.as_constant();
            match op {
                BinaryOp::Add => a.plus(&b, 1),
                BinaryOp::Mul => a.times(&b),
                BinaryOp::FloorDiv => a.floor_div(divisor()?),
                BinaryOp::CeilDiv => {
                    let divisor = divisor()?;
                    a.plus_constant(divisor.checked_sub(1)?)?.floor_div(divisor)
                }
                BinaryOp::Mod => a.modulo(divisor()?),
            }
        }
    }
}

fn of_value(ir: &Ir, value: Value, depth: u32) -> QuasiAffine {
    let form = polynomial(ir, value);
    let mut sum = QuasiAffine::default();
    for (monomial, coefficient) in form.terms() {
        let divided = match monomial[..] {
            [factor] if depth > 0 => {
                ir.defining_op(factor).and_then(|op| of_division(ir, op, depth - 1))
            }
            _ => None,
        };
        let term = divided.unwrap_or_else(|| Polynomial::term(monomial, 1).into());
        match sum.plus(&term, coefficient) {
            Some(longer) => sum = longer,
            None => return form.clone().into(),
        }
    }
    sum
}

/// The result of an operation that divides by a constant.
fn of_division(ir: &Ir, op: Op, depth: u32) -> Option<QuasiAffine> {
    if let Some(apply) = affine::AffineApplyOp::cast(ir, op) {
        let value = apply.value(ir)?;
        let [result] = *value.results(&ir.ctx) else { return None };
        return of_expr(ir, result, value.dims(&ir.ctx), &value.operands, depth);
    }
    let by = || arith::constant_index_value(ir, ir.operand(op, 1));
    let operand = || of_value(ir, ir.operand(op, 0), depth);
    // Rounded towards zero, which is down for these; as unsigned, they are the same numbers.
    let not_negative = || range(ir, ir.operand(op, 0)).min >= 0;
    match ir.name(op) {
        arith::FloorDivSIOp::NAME => operand().floor_div(by()?),
        arith::CeilDivSIOp::NAME => {
            let divisor = by()?;
            operand().plus_constant(divisor.checked_sub(1)?)?.floor_div(divisor)
        }
        arith::DivSIOp::NAME | arith::DivUIOp::NAME if not_negative() => operand().floor_div(by()?),
        arith::RemSIOp::NAME | arith::RemUIOp::NAME if not_negative() => operand().modulo(by()?),
        arith::ShRSIOp::NAME => {
            let shift = by().filter(|shift| (0..62).contains(shift))?;
            operand().floor_div(1 << shift)
        }
        // The low bits are the remainder, of negative numbers too.
        arith::AndIOp::NAME => {
            let mask = by().filter(|&mask| mask >= 0)?;
            let divisor = mask.checked_add(1).filter(|n| n.count_ones() == 1)?;
            operand().modulo(divisor)
        }
        _ => None,
    }
}

//! Division by constants, without dividing.
//!
//! ptxas makes a sequence of twelve (32 bits) to seventy instructions (64 bits) of a division whatever
//! the divisor is. By a power of two it is a shift, by another constant the high half of a product:
//! Granlund and Montgomery, "Division by Invariant Integers using Multiplication", PLDI 1994; the
//! names are those of its figures 4.2, 5.2 and 6.2.

use gpuc_dialects::ptx::kinds::{Comparison, Part, PtxType};
use gpuc_dialects::ptx::{AddOp, AndOp, NegOp, ShrOp, SubOp};
use gpuc_ir::Value;

use crate::emit::Emitter;

/// A multiplier for the quotients by a divisor `d`: `floor(n * m / 2^(bits + sh_post))` is `n / d`.
struct Multiplier {
    /// The multiplier, of up to `bits + 1` bits.
    m: u128,
    /// How far the high half of the product is shifted on.
    sh_post: u32,
}

impl Multiplier {
    /// Figure 6.2, for `n` below `2^precision` in words of `bits`, `0 < d <= 2^(bits - 1)`.
    fn new(d: u64, precision: u32, bits: u32) -> Self {
        let mut sh_post = if d == 1 { 0 } else { (d - 1).ilog2() + 1 };
        let numerator = 1u128 << (bits + sh_post);
        let d = u128::from(d);
        let mut low = numerator / d;
        let mut m = (numerator + (1u128 << (bits + sh_post - precision))) / d;
        while low / 2 < m / 2 && sh_post > 0 {
            (low, m, sh_post) = (low / 2, m / 2, sh_post - 1);
        }
        Multiplier { m, sh_post }
    }
}

/// The words that a division is done in.
#[derive(Clone, Copy)]
struct Words {
    bits: u32,
    signed: PtxType,
    unsigned: PtxType,
    untyped: PtxType,
}

const NARROW: Words =
    Words { bits: 32, signed: PtxType::S32, unsigned: PtxType::U32, untyped: PtxType::B32 };
const WIDE: Words =
    Words { bits: 64, signed: PtxType::S64, unsigned: PtxType::U64, untyped: PtxType::B64 };

/// The quotient of a register of 32 or 64 bits by a constant other than 0, rounded towards zero.
pub(super) fn quotient(e: &mut Emitter<'_>, n: Value, divisor: i64, signed: bool) -> Value {
    let words = words(e, n);
    if signed {
        return words.signed_quotient(e, n, divisor);
    }
    words.unsigned_quotient(e, n, words.unsigned_divisor(divisor))
}

/// What [`quotient`] leaves of `n`.
pub(super) fn remainder(e: &mut Emitter<'_>, n: Value, divisor: i64, signed: bool) -> Value {
    let words = words(e, n);
    let d = words.unsigned_divisor(divisor);
    if !signed && d.is_power_of_two() {
        let ty = e.ir.ty(n);
        let mask = e.int(i128::from(d - 1), ty);
        return e.typed::<AndOp>(words.untyped, &[n, mask], ty);
    }
    let quotient = quotient(e, n, divisor, signed);
    let ty = e.ir.ty(n);
    let divisor = e.int(divisor.into(), ty);
    let product = e.mul(quotient, divisor);
    e.typed::<SubOp>(words.signed, &[n, product], ty)
}

/// The quotient rounded down of a number with a sign by a power of two: the shift itself.
pub(super) fn floor_shift(e: &mut Emitter<'_>, n: Value, divisor: i64) -> Option<Value> {
    let words = words(e, n);
    let shift = (divisor > 0 && divisor & (divisor - 1) == 0).then(|| divisor.trailing_zeros())?;
    Some(words.shift_right(e, words.signed, n, shift))
}

fn words(e: &Emitter<'_>, n: Value) -> Words {
    if e.is_wide(n) { WIDE } else { NARROW }
}

impl Words {
    fn unsigned_divisor(self, divisor: i64) -> u64 {
        if self.bits == 64 { divisor as u64 } else { u64::from(divisor as u32) }
    }

    /// Figure 4.2.
    fn unsigned_quotient(self, e: &mut Emitter<'_>, n: Value, d: u64) -> Value {
        let ty = e.ir.ty(n);
        if d.is_power_of_two() {
            return self.shift_right(e, self.unsigned, n, d.trailing_zeros());
        }
        if d > 1 << (self.bits - 1) {
            // The quotient is 0 or 1.
            let divisor = e.int(i128::from(d as i64), ty);
            let reached = e.compare(Comparison::Ge, self.unsigned, n, divisor);
            let (one, zero) = (e.int(1, ty), e.int(0, ty));
            return e.select(reached, one, zero);
        }
        let mut multiplier = Multiplier::new(d, self.bits, self.bits);
        let mut dividend = n;
        if multiplier.m >> self.bits != 0 && d.is_multiple_of(2) {
            let even = d.trailing_zeros();
            multiplier = Multiplier::new(d >> even, self.bits - even, self.bits);
            dividend = self.shift_right(e, self.unsigned, n, even);
        }
        let high = self.high_product(e, self.unsigned, dividend, multiplier.m);
        if multiplier.m >> self.bits == 0 {
            return self.shift_right(e, self.unsigned, high, multiplier.sh_post);
        }
        // The multiplier has a bit more than a word: n is added halved, so that no carry is lost.
        let rest = e.typed::<SubOp>(self.signed, &[n, high], ty);
        let half = self.shift_right(e, self.unsigned, rest, 1);
        let sum = e.typed::<AddOp>(self.signed, &[high, half], ty);
        self.shift_right(e, self.unsigned, sum, multiplier.sh_post - 1)
    }

    /// Figure 5.2.
    fn signed_quotient(self, e: &mut Emitter<'_>, n: Value, divisor: i64) -> Value {
        let ty = e.ir.ty(n);
        let d = divisor.unsigned_abs();
        let quotient = if d == 1 {
            n
        } else if d.is_power_of_two() {
            // 2^shift - 1 is added to negative numbers, so that the shift rounds towards zero.
            let shift = d.trailing_zeros();
            let sign = self.shift_right(e, self.signed, n, shift - 1);
            let correction = self.shift_right(e, self.unsigned, sign, self.bits - shift);
            let sum = e.typed::<AddOp>(self.signed, &[n, correction], ty);
            self.shift_right(e, self.signed, sum, shift)
        } else {
            let multiplier = Multiplier::new(d, self.bits - 1, self.bits);
            let mut high = self.high_product(e, self.signed, n, multiplier.m);
            if multiplier.m >> (self.bits - 1) != 0 {
                high = e.typed::<AddOp>(self.signed, &[n, high], ty);
            }
            let down = self.shift_right(e, self.signed, high, multiplier.sh_post);
            let sign = self.shift_right(e, self.signed, n, self.bits - 1);
            e.typed::<SubOp>(self.signed, &[down, sign], ty)
        };
        if divisor < 0 { e.typed::<NegOp>(self.signed, &[quotient], ty) } else { quotient }
    }

    /// The high word of the product with the low word of `m`.
    fn high_product(self, e: &mut Emitter<'_>, kind: PtxType, n: Value, m: u128) -> Value {
        let ty = e.ir.ty(n);
        let word = if self.bits == 64 { m as i64 } else { i64::from(m as i32) };
        let factor = e.int(word.into(), ty);
        e.product(kind, Part::Hi, &[n, factor], ty)
    }

    fn shift_right(self, e: &mut Emitter<'_>, kind: PtxType, n: Value, amount: u32) -> Value {
        if amount == 0 {
            return n;
        }
        let ty = e.ir.ty(n);
        let amount = e.i32(amount.into());
        e.typed::<ShrOp>(kind, &[n, amount], ty)
    }
}

//! Operations on integers of a width, and what they compute.
//!
//! Numbers are kept sign-extended; `index` has 64 bits.

use gpuc_dialects::arith;

/// Operations on two integers of one width: those of `arith`, and two products of double width that
/// the device computes as fast as single ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names are those of the operations of arith")]
pub enum Binary {
    Add,
    Sub,
    Mul,
    Shl,
    ShrU,
    ShrS,
    And,
    Or,
    Xor,
    DivU,
    DivS,
    RemU,
    RemS,
    CeilDivU,
    CeilDivS,
    FloorDivS,
    MinS,
    MaxS,
    MinU,
    MaxU,
    /// Signed factors of width n, product of width 2n.
    WideS,
    /// Unsigned factors of width n, product of width 2n.
    WideU,
}

/// Changes of width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cast {
    /// To more bits, copies of the sign.
    Sext,
    /// To more bits, zeros.
    Zext,
    /// The low bits.
    Trunc,
}

/// The operation on integers that an operation of `arith` is.
pub fn binary(name: &str) -> Option<Binary> {
    Some(match name {
        arith::AddIOp::NAME => Binary::Add,
        arith::SubIOp::NAME => Binary::Sub,
        arith::MulIOp::NAME => Binary::Mul,
        arith::ShLIOp::NAME => Binary::Shl,
        arith::ShRUIOp::NAME => Binary::ShrU,
        arith::ShRSIOp::NAME => Binary::ShrS,
        arith::AndIOp::NAME => Binary::And,
        arith::OrIOp::NAME => Binary::Or,
        arith::XOrIOp::NAME => Binary::Xor,
        arith::DivUIOp::NAME => Binary::DivU,
        arith::DivSIOp::NAME => Binary::DivS,
        arith::RemUIOp::NAME => Binary::RemU,
        arith::RemSIOp::NAME => Binary::RemS,
        arith::CeilDivUIOp::NAME => Binary::CeilDivU,
        arith::CeilDivSIOp::NAME => Binary::CeilDivS,
        arith::FloorDivSIOp::NAME => Binary::FloorDivS,
        arith::MinSIOp::NAME => Binary::MinS,
        arith::MaxSIOp::NAME => Binary::MaxS,
        arith::MinUIOp::NAME => Binary::MinU,
        arith::MaxUIOp::NAME => Binary::MaxU,
        _ => return None,
    })
}

/// The low bits of a number, sign-extended.
pub fn wrap(value: i128, width: u32) -> i64 {
    let shift = 128 - width.clamp(1, 64);
    (value << shift >> shift) as i64
}

/// A number of so many bits read without sign.
pub fn unsigned(value: i64, width: u32) -> i128 {
    i128::from(value) & ((1i128 << width.min(64)) - 1)
}

impl Binary {
    /// Width of the result for operands of a width.
    pub fn result_width(self, width: u32) -> u32 {
        if matches!(self, Binary::WideS | Binary::WideU) { 2 * width } else { width }
    }

    /// The result for operands of a width, both sign-extended; `None` where it is not defined.
    pub fn apply(self, a: i64, b: i64, width: u32) -> Option<i64> {
        let (x, y) = (i128::from(a), i128::from(b));
        let (u, v) = (unsigned(a, width), unsigned(b, width));
        let least = -(1i128 << (width - 1));
        let divides = y != 0 && !(x == least && y == -1);
        let shifts = v < i128::from(width);
        let result = match self {
            Binary::Add => x + y,
            Binary::Sub => x - y,
            Binary::Mul | Binary::WideS => x * y,
            // Of two 64-bit numbers without sign the product may not fit; it wraps all the same.
            Binary::WideU => u.wrapping_mul(v),
            Binary::Shl if shifts => x << v,
            Binary::ShrU if shifts => u >> v,
            Binary::ShrS if shifts => x >> v,
            Binary::And => x & y,
            Binary::Or => x | y,
            Binary::Xor => x ^ y,
            Binary::DivU if v != 0 => u / v,
            Binary::RemU if v != 0 => u % v,
            Binary::CeilDivU if v != 0 => (u + v - 1) / v,
            Binary::DivS if divides => x / y,
            Binary::RemS if divides => x % y,
            Binary::FloorDivS if divides => floor(x, y),
            Binary::CeilDivS if divides => -floor(-x, y),
            Binary::MinS => x.min(y),
            Binary::MaxS => x.max(y),
            Binary::MinU => u.min(v),
            Binary::MaxU => u.max(v),
            _ => return None,
        };
        Some(wrap(result, self.result_width(width)))
    }

    /// Whether the operands may change places.
    pub fn commutes(self) -> bool {
        use Binary::*;
        matches!(self, Add | Mul | And | Or | Xor | MinS | MaxS | MinU | MaxU | WideS | WideU)
    }
}

/// Quotient rounded down; the divisor is not 0.
pub fn floor(a: i128, b: i128) -> i128 {
    let quotient = a / b;
    if a % b != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient }
}

impl Cast {
    /// The result for an operand of a width.
    pub fn apply(self, a: i64, from: u32, to: u32) -> i64 {
        match self {
            Cast::Sext | Cast::Trunc => wrap(a.into(), to),
            Cast::Zext => wrap(unsigned(a, from), to),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What an operation on numbers of 8 bits gives.
    fn expected(name: &str, a: i8, b: i8) -> Option<i8> {
        let (u, v) = (a as u8, b as u8);
        let (x, y) = (i32::from(a), i32::from(b));
        let down = || (b != 0).then(|| (f64::from(x) / f64::from(y)).floor() as i32);
        let fits = |value: i32| i8::try_from(value).ok();
        let shift = u32::from(v);
        Some(match name {
            "arith.addi" => a.wrapping_add(b),
            "arith.subi" => a.wrapping_sub(b),
            "arith.muli" => a.wrapping_mul(b),
            "arith.andi" => a & b,
            "arith.ori" => a | b,
            "arith.xori" => a ^ b,
            "arith.shli" => a.checked_shl(shift)?,
            "arith.shrsi" => a.checked_shr(shift)?,
            "arith.shrui" => u.checked_shr(shift)? as i8,
            "arith.divsi" => a.checked_div(b)?,
            "arith.remsi" => a.checked_rem(b)?,
            "arith.divui" => u.checked_div(v)? as i8,
            "arith.remui" => u.checked_rem(v)? as i8,
            "arith.floordivsi" => fits(down()?)?,
            "arith.ceildivsi" => fits(down()? + i32::from(x % y != 0))?,
            "arith.ceildivui" => (v != 0).then(|| u.div_ceil(v))? as i8,
            "arith.minsi" => a.min(b),
            "arith.maxsi" => a.max(b),
            "arith.minui" => u.min(v) as i8,
            "arith.maxui" => u.max(v) as i8,
            _ => unreachable!("{name}"),
        })
    }

    const NAMES: [&str; 20] = [
        arith::AddIOp::NAME,
        arith::SubIOp::NAME,
        arith::MulIOp::NAME,
        arith::ShLIOp::NAME,
        arith::ShRUIOp::NAME,
        arith::ShRSIOp::NAME,
        arith::AndIOp::NAME,
        arith::OrIOp::NAME,
        arith::XOrIOp::NAME,
        arith::DivUIOp::NAME,
        arith::DivSIOp::NAME,
        arith::RemUIOp::NAME,
        arith::RemSIOp::NAME,
        arith::CeilDivUIOp::NAME,
        arith::CeilDivSIOp::NAME,
        arith::FloorDivSIOp::NAME,
        arith::MinSIOp::NAME,
        arith::MaxSIOp::NAME,
        arith::MinUIOp::NAME,
        arith::MaxUIOp::NAME,
    ];

    #[test]
    fn all_numbers_of_8_bits() {
        for name in NAMES {
            let op = binary(name).unwrap();
            let mut commutes = true;
            for a in i8::MIN..=i8::MAX {
                for b in i8::MIN..=i8::MAX {
                    let apply = |a: i8, b: i8| op.apply(a.into(), b.into(), 8);
                    assert_eq!(apply(a, b), expected(name, a, b).map(i64::from), "{name} {a} {b}");
                    commutes &= apply(a, b) == apply(b, a);
                }
            }
            assert_eq!(op.commutes(), commutes, "{name}");
        }
        assert_eq!(binary("arith.addf"), None);
    }
}

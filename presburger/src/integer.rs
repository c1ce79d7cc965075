//! Checked integer arithmetic on rows of coefficients.
//!
//! Rows hold 64-bit integers; products are formed in 128 bits, divided by their common factor, and only then have to
//! fit again. `i64::MIN` is never stored, so that negation and absolute value are total.

use smallvec::SmallVec;

use crate::error::{Error, Result};

/// Coefficients of the variables, then the constant.
pub(crate) type Row = SmallVec<[i64; 12]>;

/// The value as 64 bits, `i64::MIN` excluded.
pub(crate) fn narrow(value: i128) -> Result<i64> {
    match i64::try_from(value) {
        Ok(value) if value != i64::MIN => Ok(value),
        _ => Err(Error::Overflow),
    }
}

/// The greatest common divisor; `gcd(0, a) = a`.
pub(crate) fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

fn gcd_wide(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The greatest common divisor of some coefficients; 0 when all are 0.
pub(crate) fn content(coefficients: &[i64]) -> i64 {
    let mut divisor = 0;
    for &coefficient in coefficients {
        divisor = gcd(divisor, coefficient.unsigned_abs());
        if divisor == 1 {
            break;
        }
    }
    // Rows never hold `i64::MIN`, so the divisor fits.
    i64::try_from(divisor).unwrap_or(1)
}

/// `⌊a / b⌋` for `b > 0`.
pub(crate) fn floor_div(a: i128, b: i128) -> i128 {
    a.div_euclid(b)
}

/// `⌈a / b⌉` for `b > 0`.
pub(crate) fn ceil_div(a: i128, b: i128) -> i128 {
    -((-a).div_euclid(b))
}

/// How a combined row may be scaled down.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Relation {
    /// `row = 0`: divide by the factor common to coefficients and constant.
    Equal,
    /// `row >= 0`: divide by the factor common to the coefficients and round the constant down.
    AtLeast,
}

/// `a * left + b * right - slack`, scaled down as `relation` allows.
pub(crate) fn combine(
    a: i64,
    left: &[i64],
    b: i64,
    right: &[i64],
    slack: i128,
    relation: Relation,
) -> Result<Row> {
    debug_assert_eq!(left.len(), right.len());
    let mut wide: SmallVec<[i128; 12]> = SmallVec::with_capacity(left.len());
    let mut magnitude = 0_u128;
    // Two products of 63-bit magnitudes and their sum stay below 2^127.
    for (&l, &r) in left.iter().zip(right) {
        let value = i128::from(a) * i128::from(l) + i128::from(b) * i128::from(r);
        magnitude |= value.unsigned_abs();
        wide.push(value);
    }
    let Some(last) = wide.last_mut() else { return Ok(Row::new()) };
    *last = last.checked_sub(slack).ok_or(Error::Overflow)?;
    magnitude |= last.unsigned_abs();

    let scaled = match relation {
        Relation::Equal => wide.len(),
        Relation::AtLeast => wide.len() - 1,
    };
    let mut divisor = 0_u128;
    for value in &wide[..scaled] {
        let value = value.unsigned_abs();
        divisor = match (u64::try_from(magnitude), u64::try_from(divisor)) {
            (Ok(_), Ok(small)) => u128::from(gcd(small, u64::try_from(value).unwrap_or(1))),
            _ => gcd_wide(divisor, value),
        };
        if divisor == 1 {
            break;
        }
    }
    if divisor > 1 {
        let divisor = i128::try_from(divisor).map_err(|_| Error::Overflow)?;
        for value in &mut wide {
            *value = floor_div(*value, divisor);
        }
    }
    wide.into_iter().map(narrow).collect()
}

/// The value of a row at a point given for the leading variables; the rest of the variables count as 0.
pub(crate) fn evaluate(row: &[i64], point: &[i64]) -> Result<i128> {
    let (Some(&constant), variables) = (row.last(), &row[..row.len().saturating_sub(1)]) else {
        return Ok(0);
    };
    variables.iter().zip(point).try_fold(i128::from(constant), |sum, (&c, &x)| {
        sum.checked_add(i128::from(c) * i128::from(x)).ok_or(Error::Overflow)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divisions_round_towards_their_side() {
        for a in -9_i128..=9 {
            for b in 1_i128..=4 {
                let floor = floor_div(a, b);
                assert!(floor * b <= a && a < (floor + 1) * b, "floor {a}/{b}");
                let ceil = ceil_div(a, b);
                assert!((ceil - 1) * b < a && a <= ceil * b, "ceil {a}/{b}");
            }
        }
    }

    #[test]
    fn inequalities_are_tightened_and_equalities_only_scaled() {
        let tight = combine(2, &[1, 2, 1], 2, &[1, 0, 0], 0, Relation::AtLeast).unwrap();
        assert_eq!(
            tight.as_slice(),
            &[1, 1, 0],
            "4x + 4y + 2 >= 0 is x + y + 0 >= 0 over the integers"
        );
        let kept = combine(2, &[1, 2, 1], 2, &[1, 0, 0], 0, Relation::Equal).unwrap();
        assert_eq!(kept.as_slice(), &[2, 2, 1]);
    }

    #[test]
    fn overflow_is_an_error_and_never_wraps() {
        let big = i64::MAX;
        assert_eq!(
            combine(big, &[big, 1, 0], 1, &[0, 1, 0], 0, Relation::AtLeast),
            Err(Error::Overflow)
        );
        // A common factor may bring the products back into range.
        let same = combine(big, &[1, 1, 0], big, &[1, 0, 0], 0, Relation::AtLeast).unwrap();
        assert_eq!(same.as_slice(), &[2, 1, 0]);
        assert_eq!(narrow(i128::from(i64::MIN)), Err(Error::Overflow));
    }
}

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
pub fn gcd(mut a: u64, mut b: u64) -> u64 {
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

/// Replaces a row by `a * row + b * other - slack`, scaled down as `relation` allows.
pub(crate) fn combine(
    row: &mut [i64],
    a: i64,
    b: i64,
    other: &[i64],
    slack: i128,
    relation: Relation,
) -> Result<()> {
    debug_assert_eq!(row.len(), other.len());
    let Some(last) = row.len().checked_sub(1) else { return Ok(()) };
    let scaled = if relation == Relation::Equal { row.len() } else { last };
    let magnitude = row.iter().zip(other).fold(a.unsigned_abs() | b.unsigned_abs(), |m, (r, o)| {
        m | r.unsigned_abs() | o.unsigned_abs()
    });
    // Products below 2^60, so that two of them and the slack cannot leave 64 bits.
    match i64::try_from(slack) {
        Ok(slack) if magnitude < 1 << 30 && slack < 1 << 60 => {
            row.iter_mut().zip(other).for_each(|(r, o)| *r = a * *r + b * *o);
            row[last] -= slack;
            let divisor = content(&row[..scaled]);
            if divisor > 1 {
                row.iter_mut().for_each(|c| *c = c.div_euclid(divisor));
            }
            Ok(())
        }
        _ => combine_wide(row, a, b, other, slack, scaled),
    }
}

fn combine_wide(
    row: &mut [i64],
    a: i64,
    b: i64,
    other: &[i64],
    slack: i128,
    scaled: usize,
) -> Result<()> {
    // Two products of 63-bit magnitudes and their sum stay below 2^127.
    let mut wide: SmallVec<[i128; 12]> = row
        .iter()
        .zip(other)
        .map(|(&l, &r)| i128::from(a) * i128::from(l) + i128::from(b) * i128::from(r))
        .collect();
    let Some(last) = wide.last_mut() else { return Ok(()) };
    *last = last.checked_sub(slack).ok_or(Error::Overflow)?;
    let divisor = wide[..scaled].iter().fold(0, |g, c| gcd_wide(g, c.unsigned_abs()));
    if divisor > 1 {
        let divisor = i128::try_from(divisor).map_err(|_| Error::Overflow)?;
        wide.iter_mut().for_each(|value| *value = floor_div(*value, divisor));
    }
    for (to, value) in row.iter_mut().zip(wide) {
        *to = narrow(value)?;
    }
    Ok(())
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

    fn combined(a: i64, left: &[i64], b: i64, right: &[i64], relation: Relation) -> Result<Row> {
        let mut row = Row::from_slice(left);
        combine(&mut row, a, b, right, 0, relation)?;
        Ok(row)
    }

    #[test]
    fn inequalities_are_tightened_and_equalities_only_scaled() {
        let tight = combined(2, &[1, 2, 1], 2, &[1, 0, 0], Relation::AtLeast).unwrap();
        assert_eq!(
            tight.as_slice(),
            &[1, 1, 0],
            "4x + 4y + 2 >= 0 is x + y + 0 >= 0 over the integers"
        );
        let kept = combined(2, &[1, 2, 1], 2, &[1, 0, 0], Relation::Equal).unwrap();
        assert_eq!(kept.as_slice(), &[2, 2, 1]);
    }

    #[test]
    fn narrow_and_wide_rows_combine_alike() {
        for (a, b, slack) in [(1, 1, 0), (3, 2, 5), (-4, 6, 1), (12, -18, 0)] {
            for relation in [Relation::Equal, Relation::AtLeast] {
                let (left, right) = ([6, -4, 0, 7], [2, 9, 30, -11]);
                let (mut quick, mut slow) = (left, left);
                combine(&mut quick, a, b, &right, slack, relation).unwrap();
                let scaled = if relation == Relation::Equal { 4 } else { 3 };
                combine_wide(&mut slow, a, b, &right, slack, scaled).unwrap();
                assert_eq!(quick, slow, "{a} {b} {slack}");
            }
        }
    }

    #[test]
    fn overflow_is_an_error_and_never_wraps() {
        let big = i64::MAX;
        assert_eq!(
            combined(big, &[big, 1, 0], 1, &[0, 1, 0], Relation::AtLeast),
            Err(Error::Overflow)
        );
        // A common factor may bring the products back into range.
        let same = combined(big, &[1, 1, 0], big, &[1, 0, 0], Relation::AtLeast).unwrap();
        assert_eq!(same.as_slice(), &[2, 1, 0]);
        assert_eq!(narrow(i128::from(i64::MIN)), Err(Error::Overflow));
    }
}

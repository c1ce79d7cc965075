//! Integer arithmetic of every width, on edge values.

use super::run::{bytes_of, check_binary, check_unary, run_binary};
use super::support::{kernel, ptx};

/// A number of a type, sign-extended.
fn signed(ty: &str, bits: u64) -> i64 {
    let shift = if ty == "i1" { 63 } else { 64 - 8 * bytes_of(ty) as u32 };
    (bits << shift) as i64 >> shift
}

/// A number of a type, zero-extended.
fn unsigned(ty: &str, bits: u64) -> u64 {
    let shift = if ty == "i1" { 63 } else { 64 - 8 * bytes_of(ty) as u32 };
    bits << shift >> shift
}

fn width(ty: &str) -> u64 {
    if ty == "i1" { 1 } else { 8 * bytes_of(ty) as u64 }
}

const TYPES: [&str; 6] = ["i1", "i8", "i16", "i32", "i64", "index"];

type Meaning = fn(&str, u64, u64) -> Option<u64>;
type Relation = fn(&str, u64, u64) -> bool;

#[test]
fn arithmetic() {
    let cases: &[(&str, Meaning)] = &[
        ("addi", |_, x, y| Some(x.wrapping_add(y))),
        ("subi", |_, x, y| Some(x.wrapping_sub(y))),
        ("muli", |_, x, y| Some(x.wrapping_mul(y))),
        ("andi", |_, x, y| Some(x & y)),
        ("ori", |_, x, y| Some(x | y)),
        ("xori", |_, x, y| Some(x ^ y)),
        ("shli", |t, x, y| (y < width(t)).then(|| x << y)),
        ("shrui", |t, x, y| (y < width(t)).then(|| unsigned(t, x) >> y)),
        ("shrsi", |t, x, y| (y < width(t)).then(|| (signed(t, x) >> y) as u64)),
        ("maxsi", |t, x, y| Some(signed(t, x).max(signed(t, y)) as u64)),
        ("minsi", |t, x, y| Some(signed(t, x).min(signed(t, y)) as u64)),
        ("maxui", |t, x, y| Some(unsigned(t, x).max(unsigned(t, y)))),
        ("minui", |t, x, y| Some(unsigned(t, x).min(unsigned(t, y)))),
    ];
    for ty in TYPES {
        for (name, meaning) in cases {
            let body = format!("%r = arith.{name} %x, %y : {ty}");
            check_binary(ty, ty, &body, |x, y| meaning(ty, x, y));
        }
    }
}

#[test]
fn division() {
    let cases: &[(&str, Meaning)] = &[
        ("divui", |t, x, y| unsigned(t, x).checked_div(unsigned(t, y))),
        ("remui", |t, x, y| unsigned(t, x).checked_rem(unsigned(t, y))),
        ("divsi", |t, x, y| quotient(t, x, y).map(|q| q as u64)),
        ("remsi", |t, x, y| {
            quotient(t, x, y).map(|_| signed(t, x).wrapping_rem(signed(t, y)) as u64)
        }),
        ("ceildivui", |t, x, y| (y != 0).then(|| unsigned(t, x).div_ceil(unsigned(t, y)))),
        ("floordivsi", |t, x, y| {
            quotient(t, x, y).map(|q| {
                let (x, y) = (i128::from(signed(t, x)), i128::from(signed(t, y)));
                (q - i64::from(x % y != 0 && (x < 0) != (y < 0))) as u64
            })
        }),
        ("ceildivsi", |t, x, y| {
            quotient(t, x, y).map(|q| {
                let (x, y) = (i128::from(signed(t, x)), i128::from(signed(t, y)));
                (q + i64::from(x % y != 0 && (x < 0) == (y < 0))) as u64
            })
        }),
    ];
    for ty in ["i8", "i16", "i32", "i64", "index"] {
        for (name, meaning) in cases {
            let body = format!("%r = arith.{name} %x, %y : {ty}");
            check_binary(ty, ty, &body, |x, y| meaning(ty, x, y));
        }
    }
}

/// The quotient, where it is defined: no division by zero, no overflow.
fn quotient(ty: &str, x: u64, y: u64) -> Option<i64> {
    let (x, y) = (signed(ty, x), signed(ty, y));
    let least = i64::MIN >> (64 - width(ty));
    (y != 0 && !(x == least && y == -1)).then(|| x / y)
}

#[test]
fn division_of_extended_numbers_is_narrow() {
    let body = "%a = arith.index_castui %x : i32 to index\n\
                %b = arith.index_castui %y : i32 to index\n\
                %q = arith.divsi %a, %b : index\n\
                %r = arith.index_cast %q : index to i64";
    check_binary("i32", "i64", body, |x, y| x.checked_div(y));
    let body = "%a = arith.index_cast %x : i32 to index\n\
                %b = arith.constant 7 : index\n\
                %q = arith.remsi %a, %b : index\n\
                %r = arith.index_cast %q : index to i64";
    check_unary("i32", "i64", body, |x| Some((i64::from(x as i32) % 7) as u64));
}

/// Divisors about the powers of two, multipliers of one bit more than a word (7), even ones of those
/// (14), and quotients of 0 and 1 alone.
const DIVISORS: [i64; 24] = [
    1,
    2,
    3,
    5,
    6,
    7,
    8,
    10,
    14,
    25,
    28,
    64,
    100,
    125,
    641,
    1000,
    4096,
    65535,
    1 << 20,
    (1 << 31) - 1,
    1 << 31,
    (1 << 32) - 1,
    i64::MAX,
    i64::MIN,
];

/// Of numbers, and of their sums with multiples of the divisor, where quotients step.
#[test]
fn division_by_constants() {
    let rounding: [(&str, bool, Meaning); 7] = [
        ("divui", true, |t, x, y| unsigned(t, x).checked_div(unsigned(t, y))),
        ("remui", true, |t, x, y| unsigned(t, x).checked_rem(unsigned(t, y))),
        ("ceildivui", true, |t, x, y| Some(unsigned(t, x).div_ceil(unsigned(t, y)))),
        ("divsi", true, |t, x, y| quotient(t, x, y).map(|q| q as u64)),
        ("remsi", true, |t, x, y| {
            quotient(t, x, y).map(|_| signed(t, x).wrapping_rem(signed(t, y)) as u64)
        }),
        ("floordivsi", false, |t, x, y| Some(signed(t, x).div_euclid(signed(t, y)) as u64)),
        ("ceildivsi", false, |t, x, y| {
            let (x, y) = (i128::from(signed(t, x)), i128::from(signed(t, y)));
            Some(-(-x).div_euclid(y) as u64)
        }),
    ];
    for ty in ["i8", "i32", "i64", "index"] {
        let range = i64::MIN >> (64 - width(ty))..=i64::MAX >> (64 - width(ty));
        let divisors = DIVISORS.into_iter().flat_map(|d| [d, d.wrapping_neg()]);
        for divisor in divisors.filter(|d| range.contains(d)) {
            for (name, negative, meaning) in rounding {
                if divisor < 0 && !negative {
                    continue;
                }
                let body = format!(
                    "%d = arith.constant {divisor} : {ty}\n\
                     %m = arith.muli %y, %d : {ty}\n\
                     %n = arith.addi %m, %x : {ty}\n\
                     %r = arith.{name} %n, %d : {ty}"
                );
                run_binary(ty, ty, &body, |x, y| {
                    meaning(ty, y.wrapping_mul(divisor as u64).wrapping_add(x), divisor as u64)
                });
            }
        }
    }
}

/// ptxas calls a function for each of these, whatever the divisor.
#[test]
fn nothing_divides_by_a_constant() {
    for name in ["divui", "remui", "divsi", "remsi", "floordivsi", "ceildivsi", "ceildivui"] {
        for (ty, divisor) in [("i32", 8), ("i32", 7), ("i64", 8), ("i64", 7), ("i64", -100)] {
            let body = format!(
                "%d = arith.constant {divisor} : {ty}\n%r = arith.{name} %x, %d : {ty}\n\
                 memref.store %r, %m[] : memref<{ty}>"
            );
            let text = ptx(&kernel(&format!("%x: {ty}, %m: memref<{ty}>"), &body), "sm_75");
            assert!(
                !text.contains("div.") && !text.contains("rem."),
                "{name} by {divisor}:\n{text}"
            );
        }
    }
}

#[test]
fn comparisons() {
    let cases: &[(&str, Relation)] = &[
        ("eq", |t, x, y| unsigned(t, x) == unsigned(t, y)),
        ("ne", |t, x, y| unsigned(t, x) != unsigned(t, y)),
        ("slt", |t, x, y| signed(t, x) < signed(t, y)),
        ("sle", |t, x, y| signed(t, x) <= signed(t, y)),
        ("sgt", |t, x, y| signed(t, x) > signed(t, y)),
        ("sge", |t, x, y| signed(t, x) >= signed(t, y)),
        ("ult", |t, x, y| unsigned(t, x) < unsigned(t, y)),
        ("ule", |t, x, y| unsigned(t, x) <= unsigned(t, y)),
        ("ugt", |t, x, y| unsigned(t, x) > unsigned(t, y)),
        ("uge", |t, x, y| unsigned(t, x) >= unsigned(t, y)),
    ];
    for ty in TYPES {
        for (name, holds) in cases {
            let body = format!("%r = arith.cmpi {name}, %x, %y : {ty}");
            check_binary(ty, "i1", &body, |x, y| Some(holds(ty, x, y).into()));
        }
    }
}

#[test]
fn select_and_bits() {
    for ty in TYPES {
        let body =
            format!("%c = arith.cmpi ult, %x, %y : {ty}\n%r = arith.select %c, %y, %x : {ty}");
        check_binary(ty, ty, &body, |x, y| Some(x.max(y)));
    }
    for ty in ["i8", "i16", "i32", "i64"] {
        let bits = width(ty);
        let body = |name: &str| format!("%r = math.{name} %x : {ty}");
        check_unary(ty, ty, &body("ctpop"), |x| Some(x.count_ones().into()));
        check_unary(ty, ty, &body("ctlz"), |x| Some(u64::from(x.leading_zeros()) + bits - 64));
        check_unary(ty, ty, &body("cttz"), |x| Some(u64::from(x.trailing_zeros()).min(bits)));
        check_unary(ty, ty, &body("absi"), |x| Some(signed(ty, x).wrapping_abs() as u64));
    }
}

#[test]
fn extended_products_and_sums() {
    for (ty, half) in [("i32", 32), ("i64", 64)] {
        let high = |name: &str| format!("%l, %r = arith.{name} %x, %y : {ty}");
        check_binary(ty, ty, &high("mului_extended"), |x, y| {
            Some(((u128::from(x) * u128::from(y)) >> half) as u64)
        });
        check_binary(ty, ty, &high("mulsi_extended"), |x, y| {
            Some(((i128::from(signed(ty, x)) * i128::from(signed(ty, y))) >> half) as u64)
        });
        let carry = format!("%s, %r = arith.addui_extended %x, %y : {ty}, i1");
        check_binary(ty, "i1", &carry, |x, y| {
            Some(((u128::from(x) + u128::from(y)) >> half) as u64)
        });
    }
}

//! Floating-point arithmetic on edge values, bit for bit.

use std::cmp::Ordering;

use super::run::{check_binary, check_unary};
use super::support::{compile_with, kernel, options, ptx};
use gpuc_backend_ptx::{Contraction, Options};

fn f32(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

fn f64(bits: u64) -> f64 {
    f64::from_bits(bits)
}

/// Checks an operation in both precisions.
macro_rules! both {
    ($body:expr, |$x:ident, $y:ident| $result:expr) => {
        check_binary("f32", "f32", &$body.replace("T", "f32"), |x, y| {
            let ($x, $y) = (f32(x), f32(y));
            Some(u64::from(($result).to_bits()))
        });
        check_binary("f64", "f64", &$body.replace("T", "f64"), |x, y| {
            let ($x, $y) = (f64(x), f64(y));
            Some(($result).to_bits())
        });
    };
}

#[test]
fn arithmetic() {
    both!("%r = arith.addf %x, %y : T", |x, y| x + y);
    both!("%r = arith.subf %x, %y : T", |x, y| x - y);
    both!("%r = arith.mulf %x, %y : T", |x, y| x * y);
    both!("%r = arith.divf %x, %y : T", |x, y| x / y);
    both!("%r = math.fma %x, %y, %x : T", |x, y| x.mul_add(y, x));
    both!("%r = math.copysign %x, %y : T", |x, y| x.copysign(y));
}

#[test]
fn extrema() {
    both!("%r = arith.maxnumf %x, %y : T", |x, y| if x == y {
        if x.is_sign_positive() { x } else { y }
    } else {
        x.max(y)
    });
    both!("%r = arith.minnumf %x, %y : T", |x, y| if x == y {
        if x.is_sign_negative() { x } else { y }
    } else {
        x.min(y)
    });
    both!("%r = arith.maximumf %x, %y : T", |x, y| if x.is_nan() || y.is_nan() {
        x + y
    } else if x == y {
        if x.is_sign_positive() { x } else { y }
    } else {
        x.max(y)
    });
    both!("%r = arith.minimumf %x, %y : T", |x, y| if x.is_nan() || y.is_nan() {
        x + y
    } else if x == y {
        if x.is_sign_negative() { x } else { y }
    } else {
        x.min(y)
    });
}

#[test]
fn functions_of_one_number() {
    both!("%r = arith.negf %x : T", |x, _y| -x);
    both!("%r = math.absf %x : T", |x, _y| x.abs());
    both!("%r = math.sqrt %x : T", |x, _y| x.sqrt());
    both!("%r = math.floor %x : T", |x, _y| x.floor());
    both!("%r = math.ceil %x : T", |x, _y| x.ceil());
    both!("%r = math.trunc %x : T", |x, _y| x.trunc());
    both!("%r = math.roundeven %x : T", |x, _y| x.round_ties_even());
    both!("%r = math.round %x : T", |x, _y| x.round());
    both!("%r = math.rsqrt %x : T", |x, _y| 1.0 / x.sqrt());
}

#[test]
fn comparisons() {
    // Each holds for some of: equal, greater, less, unordered.
    let predicates = [
        ("false", ""),
        ("oeq", "="),
        ("ogt", ">"),
        ("oge", "=>"),
        ("olt", "<"),
        ("ole", "=<"),
        ("one", "<>"),
        ("ord", "=<>"),
        ("ueq", "=?"),
        ("ugt", ">?"),
        ("uge", "=>?"),
        ("ult", "<?"),
        ("ule", "=<?"),
        ("une", "<>?"),
        ("uno", "?"),
        ("true", "=<>?"),
    ];
    for ty in ["f32", "f64"] {
        let value = |bits| if ty == "f32" { f64::from(f32(bits)) } else { f64(bits) };
        for (name, holds) in predicates {
            let body = format!("%r = arith.cmpf {name}, %x, %y : {ty}");
            check_binary(ty, "i1", &body, |x, y| {
                let relation = match value(x).partial_cmp(&value(y)) {
                    Some(Ordering::Equal) => '=',
                    Some(Ordering::Greater) => '>',
                    Some(Ordering::Less) => '<',
                    None => '?',
                };
                Some(holds.contains(relation).into())
            });
        }
    }
}

#[test]
fn products_fuse_where_both_allow_it() {
    let source = |product: &str, sum: &str, rest: &str| {
        kernel(
            "%a: f32, %b: f32, %c: f32, %o: memref<f32>",
            &format!(
                "%p = arith.mulf %a, %b {product} : f32\n{rest}\n%r = {sum} : f32\n\
                 memref.store %r, %o[] : memref<f32>"
            ),
        )
    };
    let flag = "fastmath<contract>";
    let cases = [
        (flag, "arith.addf %p, %c fastmath<contract>", "", true),
        (flag, "arith.addf %c, %p fastmath<contract>", "", true),
        (flag, "arith.subf %p, %c fastmath<contract>", "", true),
        (flag, "arith.subf %c, %p fastmath<contract>", "", true),
        (flag, "arith.addf %p, %p fastmath<contract>", "", false),
        (flag, "arith.addf %p, %c", "", false),
        ("", "arith.addf %p, %c fastmath<contract>", "", false),
        (
            flag,
            "arith.addf %p, %c fastmath<contract>",
            "memref.store %p, %o[] : memref<f32>",
            false,
        ),
    ];
    for (product, sum, rest, fuses) in cases {
        let text = ptx(&source(product, sum, rest), "sm_80");
        assert_eq!(text.contains("fma.rn.f32"), fuses, "{sum}\n{text}");
        assert_eq!(text.contains("mul.rn.f32"), !fuses, "{sum}\n{text}");
    }
    let plain = source("", "arith.addf %p, %c", "");
    let always = Options { contraction: Contraction::Always, ..options("sm_80") };
    assert!(compile_with(&plain, &always).is_ok_and(|made| made.text.contains("fma.rn.f32")));
    let never = Options { contraction: Contraction::Never, ..options("sm_80") };
    let flagged = source(flag, "arith.addf %p, %c fastmath<contract>", "");
    assert!(compile_with(&flagged, &never).is_ok_and(|made| !made.text.contains("fma")));
}

#[test]
fn fused_signs() {
    let body = |sum: &str| {
        format!(
            "%p = arith.mulf %x, %y fastmath<contract> : f64\n%r = {sum} fastmath<contract> : f64"
        )
    };
    check_binary("f64", "f64", &body("arith.subf %p, %x"), |x, y| {
        Some(f64(x).mul_add(f64(y), -f64(x)).to_bits())
    });
    check_binary("f64", "f64", &body("arith.subf %x, %p"), |x, y| {
        Some((-f64(x)).mul_add(f64(y), f64(x)).to_bits())
    });
}

#[test]
fn approximations_are_asked_for() {
    let text = ptx(
        &kernel(
            "%a: f32, %o: memref<f32>",
            "%r = math.exp2 %a fastmath<afn> : f32\nmemref.store %r, %o[] : memref<f32>",
        ),
        "sm_80",
    );
    assert!(text.contains("ex2.approx.f32"), "{text}");
    check_unary("f32", "f32", "%r = math.sqrt %x fastmath<none> : f32", |x| {
        Some(f32(x).sqrt().to_bits().into())
    });
}

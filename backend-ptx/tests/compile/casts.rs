//! Conversions on edge values.

use super::run::{bytes_of, canonical, check_unary};

const INTEGERS: [&str; 5] = ["i1", "i8", "i16", "i32", "i64"];

fn width(ty: &str) -> u32 {
    if ty == "i1" { 1 } else { 8 * bytes_of(ty) as u32 }
}

fn signed(ty: &str, bits: u64) -> i64 {
    (bits << (64 - width(ty))) as i64 >> (64 - width(ty))
}

#[test]
fn between_integers() {
    for from in INTEGERS {
        for to in INTEGERS {
            let body = |name: &str| format!("%r = arith.{name} %x : {from} to {to}");
            if width(to) > width(from) {
                check_unary(from, to, &body("extui"), Some);
                check_unary(from, to, &body("extsi"), |x| Some(signed(from, x) as u64));
            } else if width(to) < width(from) {
                check_unary(from, to, &body("trunci"), Some);
            }
        }
        let there_and_back = |name: &str| {
            format!(
                "%w = arith.{name} %x : {from} to index\n%r = arith.index_cast %w : index to i64"
            )
        };
        check_unary(from, "i64", &there_and_back("index_cast"), |x| Some(signed(from, x) as u64));
        check_unary(from, "i64", &there_and_back("index_castui"), Some);
    }
}

#[test]
fn from_integers_to_floats() {
    for from in INTEGERS {
        let body = |name: &str, to: &str| format!("%r = arith.{name} %x : {from} to {to}");
        check_unary(from, "f32", &body("sitofp", "f32"), |x| {
            Some((signed(from, x) as f32).to_bits().into())
        });
        check_unary(from, "f32", &body("uitofp", "f32"), |x| Some((x as f32).to_bits().into()));
        check_unary(from, "f64", &body("sitofp", "f64"), |x| {
            Some((signed(from, x) as f64).to_bits())
        });
        check_unary(from, "f64", &body("uitofp", "f64"), |x| Some((x as f64).to_bits()));
    }
}

#[test]
fn from_floats_to_integers() {
    for (from, to) in
        ["f32", "f64"].iter().flat_map(|f| INTEGERS[1..].iter().map(move |t| (*f, *t)))
    {
        let value = |bits: u64| match from {
            "f32" => f64::from(f32::from_bits(bits as u32)),
            _ => f64::from_bits(bits),
        };
        let body = |name: &str| format!("%r = arith.{name} %x : {from} to {to}");
        // Values out of range are undefined in C.
        let range = 2f64.powi(width(to) as i32 - 1);
        check_unary(from, to, &body("fptosi"), |x| {
            let x = value(x);
            (x.trunc() >= -range && x.trunc() < range).then_some(x as i64 as u64)
        });
        check_unary(from, to, &body("fptoui"), |x| {
            let x = value(x);
            (x.trunc() >= 0.0 && x.trunc() < 2.0 * range).then_some(x as u64)
        });
    }
}

#[test]
fn between_floats_and_bits() {
    check_unary("f32", "f64", "%r = arith.extf %x : f32 to f64", |x| {
        Some(f64::from(f32::from_bits(x as u32)).to_bits())
    });
    check_unary("f64", "f32", "%r = arith.truncf %x : f64 to f32", |x| {
        Some((f64::from_bits(x) as f32).to_bits().into())
    });
    for (float, integer) in [("f32", "i32"), ("f64", "i64")] {
        let body = format!(
            "%b = arith.bitcast %x : {float} to {integer}\n\
             %o = arith.constant 1 : {integer}\n\
             %s = arith.addi %b, %o : {integer}\n\
             %r = arith.bitcast %s : {integer} to {float}"
        );
        check_unary(float, float, &body, |x| Some(canonical(integer, x + 1)));
    }
}

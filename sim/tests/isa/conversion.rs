//! Conversions of floating-point numbers to integers: rounding, range and NaN by width.

use crate::harness::{Inputs, check, random};

/// What an exact number becomes in an integer type: rounded, then the nearest in range. Finite
/// doubles below 2^100 are exact in `i128` after scaling.
fn rounded(value: f64, mode: &str) -> i128 {
    // A number without a fraction, or one whose fraction fits the 60 bits below the point.
    if value.abs() >= 2f64.powi(60) {
        return value as i128;
    }
    let scaled = (value * 2f64.powi(60)) as i128;
    let (floor, rest) = (scaled >> 60, scaled & ((1 << 60) - 1));
    let half = 1i128 << 59;
    floor
        + match mode {
            "rmi" => 0,
            "rpi" => i128::from(rest != 0),
            "rzi" => i128::from(rest != 0 && value < 0.0),
            _ => i128::from(rest > half || (rest == half && floor & 1 != 0)),
        }
}

fn values() -> Vec<f64> {
    let mut out = vec![
        0.0,
        -0.0,
        0.5,
        -0.5,
        1.5,
        2.5,
        -2.5,
        0.99,
        -0.99,
        127.5,
        128.0,
        -128.5,
        255.5,
        256.0,
        32767.5,
        65535.5,
        -32769.0,
        2147483647.0,
        2147483648.0,
        4294967295.0,
        4294967296.0,
        -2147483649.0,
        9.3e18,
        -9.3e18,
        1.9e19,
        1e30,
        -1e30,
        f64::INFINITY,
        f64::NEG_INFINITY,
    ];
    out.extend(random(64, 3).iter().map(|&n| (n as i64 as f64) / 2f64.powi((n % 64) as i32)));
    out.into_iter().map(|v| f64::from(v as f32)).collect()
}

#[test]
fn every_float_to_every_integer() {
    for (from, file) in [("f32", "a"), ("f64", "d")] {
        for to in ["u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"] {
            let width: u32 = to[1..].parse().unwrap();
            let signed = to.starts_with('s');
            let (low, high) = if signed {
                (-(1i128 << (width - 1)), (1 << (width - 1)) - 1)
            } else {
                (0, (1 << width) - 1)
            };
            for mode in ["rni", "rzi", "rmi", "rpi"] {
                let (out, result) = match width {
                    64 => ("%od", "od"),
                    _ => ("%o", "o"),
                };
                // Narrow results are compared in the bits of their type.
                let target =
                    if width < 32 { format!("cvt.u32.{to} %o, %o;") } else { String::new() };
                let keep = if width < 32 { u64::from(u32::MAX) } else { u64::MAX >> (64 - width) };
                let code = format!("cvt.{mode}.{to}.{from} {out}, %{file}0; {target}");
                let bits = |v: f64| {
                    if from == "f32" { u64::from((v as f32).to_bits()) } else { v.to_bits() }
                };
                let numbers = values();
                let inputs: Vec<Inputs> = numbers.iter().map(|&v| [bits(v), 0, 0, 0]).collect();
                check(&code, result, &inputs, |[cell, ..]| {
                    let value = if from == "f32" {
                        f64::from(f32::from_bits(cell as u32))
                    } else {
                        f64::from_bits(cell)
                    };
                    rounded(value, mode).clamp(low, high) as u64 & keep
                });
                let indefinite = from == "f64" || width == 64;
                let nan = if indefinite { 1i128 << (width - 1) } else { 0 };
                // A narrow signed result is sign-extended.
                let nan = if signed && width < 32 && indefinite { -nan } else { nan };
                for bits in [bits(f64::NAN), bits(-f64::NAN)] {
                    check(&code, result, &[[bits, 0, 0, 0]], |_| nan as u64 & keep);
                }
            }
        }
    }
}

#[test]
fn half_precision_nan() {
    check("cvt.rzi.s32.f16 %o, %h0;", "o", &[[0x7e00, 0, 0, 0]], |_| 0);
    check("cvt.rzi.s64.f16 %od, %h0;", "od", &[[0x7e00, 0, 0, 0]], |_| 1 << 63);
    check("cvt.rzi.u64.f16 %od, %h0;", "od", &[[0x7e00, 0, 0, 0]], |_| 1 << 63);
}

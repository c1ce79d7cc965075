//! `min` and `max` of floating-point numbers: three operands, absolute values, signs, NaN.

use crate::harness::{Inputs, check};

fn values() -> Vec<f32> {
    vec![
        0.0,
        -0.0,
        1.0,
        -1.0,
        1.5,
        -2.5,
        1e-40,
        -1e-40,
        f32::MAX,
        f32::MIN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
    ]
}

fn inputs() -> Vec<Inputs> {
    let bits = |v: f32| u64::from(v.to_bits());
    let values = values();
    let mut out = Vec::new();
    for (i, &a) in values.iter().enumerate() {
        for &b in &values {
            for (j, &c) in values.iter().enumerate() {
                out.push([bits(a), bits(b), bits(c), bits(values[(i + j) % values.len()])]);
            }
        }
    }
    out
}

/// By sorting keys: integers that order floats with -0 below 0.
fn extreme(max: bool, nan: bool, operands: &[f32]) -> u32 {
    if nan && operands.iter().any(|v| v.is_nan()) {
        return 0x7fff_ffff;
    }
    let key = |v: f32| {
        let bits = v.to_bits() as i32;
        if bits < 0 { i32::MIN - bits - 1 } else { bits }
    };
    let numbers = operands.iter().copied().filter(|v| !v.is_nan());
    let found = if max { numbers.max_by_key(|&v| key(v)) } else { numbers.min_by_key(|&v| key(v)) };
    found.map_or(0x7fff_ffff, f32::to_bits)
}

#[test]
fn three_operands() {
    for (op, max) in [("min", false), ("max", true)] {
        for ftz in ["", ".ftz"] {
            for (nan, keeps) in [("", false), (".NaN", true)] {
                for abs in ["", ".abs"] {
                    let code = format!("{op}{ftz}{nan}{abs}.f32 %o, %a0, %a1, %a2;");
                    check(&code, "o", &inputs(), |[a, b, c, _]| {
                        let operands = [a, b, c].map(|bits| {
                            let value = f32::from_bits(bits as u32);
                            let value = if !ftz.is_empty() && value.is_subnormal() {
                                0f32.copysign(value)
                            } else {
                                value
                            };
                            if abs.is_empty() { value } else { value.abs() }
                        });
                        u64::from(extreme(max, keeps, &operands))
                    });
                }
            }
        }
    }
}

#[test]
fn the_sign_of_the_product() {
    for (op, max) in [("min", false), ("max", true)] {
        let code = format!("{op}.xorsign.abs.f32 %o, %a0, %a1;");
        check(&code, "o", &inputs(), |[a, b, ..]| {
            let (a, b) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
            let magnitude = extreme(max, false, &[a.abs(), b.abs()]);
            let negative = a.is_sign_negative() != b.is_sign_negative();
            if magnitude == 0x7fff_ffff || !negative {
                u64::from(magnitude)
            } else {
                u64::from(magnitude | 1 << 31)
            }
        });
    }
    // One half is 1 and -2, the other -3 and -4.
    check("min.xorsign.abs.f16x2 %o, %a0, %a1;", "o", &[[0xc200_3c00, 0xc400_c000, 0, 0]], |_| {
        0x4200_bc00
    });
}

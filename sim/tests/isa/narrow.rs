//! The formats of matrix elements: every value of fp8, and roundings at the middle between neighbours.

use crate::harness::{Inputs, check, random};

/// The values of the encodings 0 to the largest finite one, by counting up in the format.
fn ladder(fraction_bits: i32, bias: i32, largest: u8) -> Vec<f64> {
    (0..=largest)
        .map(|code| {
            let (exponent, fraction) =
                (i32::from(code) >> fraction_bits, i32::from(code) & ((1 << fraction_bits) - 1));
            let scale = 2f64.powi(exponent.max(1) - bias - fraction_bits);
            f64::from(fraction + if exponent > 0 { 1 << fraction_bits } else { 0 }) * scale
        })
        .collect()
}

/// The nearest rung, ties to the even code, saturated.
fn nearest(ladder: &[f64], value: f64) -> u8 {
    if value.is_nan() {
        return 0x7f;
    }
    let sign = if value.is_sign_negative() { 0x80 } else { 0 };
    let magnitude = value.abs();
    let above = ladder.partition_point(|&rung| rung < magnitude);
    if above == ladder.len() {
        return sign | (ladder.len() - 1) as u8;
    }
    if above == 0 {
        return sign;
    }
    let (low, high) = (magnitude - ladder[above - 1], ladder[above] - magnitude);
    let up = high < low || high == low && above % 2 == 0;
    sign | (above - usize::from(!up)) as u8
}

fn formats() -> [(&'static str, Vec<f64>); 2] {
    [("e4m3x2", ladder(3, 7, 0x7e)), ("e5m2x2", ladder(2, 15, 0x7b))]
}

#[test]
fn single_precision_to_fp8() {
    for (ty, ladder) in formats() {
        let mut values: Vec<f32> =
            vec![0.0, -0.0, f32::NAN, f32::INFINITY, -f32::INFINITY, 1e30, -1e-30];
        for pair in ladder.windows(2) {
            let middle = ((pair[0] + pair[1]) / 2.0) as f32;
            values.extend([pair[0] as f32, middle, -middle]);
            values.extend([
                f32::from_bits(middle.to_bits() + 1),
                f32::from_bits(middle.to_bits() - 1),
            ]);
        }
        let inputs: Vec<Inputs> = values
            .iter()
            .zip(values.iter().rev())
            .map(|(&a, &b)| [u64::from(a.to_bits()), u64::from(b.to_bits()), 0, 0])
            .collect();
        for relu in ["", ".relu"] {
            let code = format!("cvt.rn.satfinite{relu}.{ty}.f32 %oh, %a0, %a1;");
            check(&code, "oh", &inputs, |[a, b, ..]| {
                let [high, low] = [a, b].map(|bits| {
                    let value = f64::from(f32::from_bits(bits as u32));
                    let value = if !relu.is_empty() && value <= 0.0 { 0.0 } else { value };
                    u64::from(nearest(&ladder, value))
                });
                high << 8 | low
            });
        }
    }
}

#[test]
fn fp8_to_half_precision_and_back() {
    for (ty, ladder) in formats() {
        let finite = ladder.len() as u64 - 1;
        let inputs: Vec<Inputs> = (0..=0xffffu64)
            .step_by(37)
            .filter(|bits| bits & 0x7f <= finite && bits >> 8 & 0x7f <= finite)
            .map(|bits| [bits, 0, 0, 0])
            .collect();
        check(
            &format!("cvt.rn.f16x2.{ty} %u0, %h0; cvt.rn.satfinite.{ty}.f16x2 %oh, %u0;"),
            "oh",
            &inputs,
            |[bits, ..]| bits,
        );
        // One value each way, as single precision sees it.
        let code =
            format!("cvt.rn.f16x2.{ty} %u0, %h0; mov.b32 {{%h1, %h2}}, %u0; cvt.f32.f16 %o, %h1;");
        check(&code, "o", &inputs, |[bits, ..]| {
            let magnitude = ladder[(bits & 0x7f) as usize] as f32;
            u64::from((if bits & 0x80 != 0 { -magnitude } else { magnitude }).to_bits())
        });
    }
}

#[test]
fn tf32_keeps_ten_bits() {
    let mut inputs: Vec<Inputs> =
        random(200, 5).iter().map(|&n| [n & 0xffff_ffff, 0, 0, 0]).collect();
    inputs.extend(
        [0x3f80_1000u64, 0x3f80_3000, 0xbf80_1000, 0x3f80_0fff, 0, 0x8000_0000]
            .map(|n| [n, 0, 0, 0]),
    );
    inputs.retain(|i| i[0] as u32 & 0x7f80_0000 != 0x7f80_0000 && i[0] & 0x7fff_ffff < 0x7f7f_0000);
    for mode in ["rna", "rn", "rz"] {
        check(&format!("cvt.{mode}.tf32.f32 %o, %a0;"), "o", &inputs, |[bits, ..]| {
            let (kept, rest) = (bits & !0x1fff, bits & 0x1fff);
            let up = match mode {
                "rna" => rest >= 0x1000,
                "rn" => rest > 0x1000 || rest == 0x1000 && kept & 0x2000 != 0,
                _ => false,
            };
            kept + if up { 0x2000 } else { 0 }
        });
    }
    let large =
        [[u64::from(f32::MAX.to_bits()), 0, 0, 0], [u64::from(f32::INFINITY.to_bits()), 0, 0, 0]];
    check("cvt.rna.satfinite.tf32.f32 %o, %a0;", "o", &large, |_| 0x7f7f_e000);
}

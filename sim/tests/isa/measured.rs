//! What an H100 80GB HBM3 with driver 580 answers where the manual leaves it open, or where we had read it
//! otherwise: NaN, results at the edge of the normal numbers, bit fields beyond the register. Each line is
//! an element of `benches/gpu/instructions.py`, which compares every instruction with a GPU.

use crate::harness::{Inputs, answers, random};

/// Code, the register of the result, inputs, and what the GPU answered.
type Line = (&'static str, &'static str, &'static [u64], u64);

/// Bits of single precision: those between the values at the edge and the smallest normal number.
const LEAST: u64 = 0x0080_0000;

const LINES: &[Line] = &[
    // Fields of 64 bits see all of their start and their length; those of 32 bits eight bits of each.
    ("bfe.u64 %od, %d0, %a1, %a2;", "od", &[1 << 63, 0x2e, 0x8000_0000], 0x2_0000),
    ("bfe.u64 %od, %d0, %a1, %a2;", "od", &[7, 0x80ff_7f01, 0xffff_fff8], 0),
    ("bfe.u64 %od, %d0, %a1, %a2;", "od", &[0x40, 0x100, 0xffff_ffe0], 0),
    (
        "bfe.s64 %od, %d0, %a1, %a2;",
        "od",
        &[0xaaaa_aaaa_aaaa_aaaa, 2, 0x100],
        0xeaaa_aaaa_aaaa_aaaa,
    ),
    ("bfe.s64 %od, %d0, %a1, %a2;", "od", &[0xffff_ffff_ffff_8001, 0x8000_0000, 24], u64::MAX),
    ("bfe.u32 %o, %a0, %a1, %a2;", "o", &[0xff, 0x104, 0x204], 0xf),
    ("bfi.b64 %od, %d0, %d1, %a2, %a3;", "od", &[0x1f, 0, 0x8000_0000, 0x37], 0),
    ("bfi.b64 %od, %d0, %d1, %a2, %a3;", "od", &[0x40, 1, 5, 0xffff_ff00], 0x801),
    // The NaN of double precision is that of an operand: the second, else the third, else the first.
    (
        "add.f64 %od, %d0, %d1;",
        "od",
        &[0x7ff0_0000_0000_0001, 0x7fff_ffff_ffff_ffff],
        0x7fff_ffff_ffff_ffff,
    ),
    (
        "mul.rz.f64 %od, %d0, %d1;",
        "od",
        &[0x7ff8_0000_0000_0005, 0xfff8_0000_0000_0000],
        0xfff8_0000_0000_0000,
    ),
    (
        "sub.rz.f64 %od, %d0, %d1;",
        "od",
        &[0x4070_0000_0000_0000, 0x7ff0_0000_0000_0001],
        0x7ff8_0000_0000_0001,
    ),
    (
        "fma.rn.f64 %od, %d0, %d1, %d2;",
        "od",
        &[0x7fff_ffff_ffff_ffff, 0xc0df_ffc0_0000_0000, 0xfff0_0000_0000_0001],
        0xfff8_0000_0000_0001,
    ),
    (
        "fma.rp.f64 %od, %d0, %d1, %d2;",
        "od",
        &[0xfff0_0000_0000_0001, 0x7ff8_0000_0000_0000, 0x3fd5_5555_5555_5555],
        0x7ff8_0000_0000_0000,
    ),
    ("abs.f64 %od, %d0;", "od", &[0xfff0_0000_0000_0001], 0xfff8_0000_0000_0001),
    ("neg.f64 %od, %d0;", "od", &[0x7ff8_0000_0000_0005], 0x7ff8_0000_0000_0005),
    // Of the other formats there is one.
    ("abs.f32 %o, %a0;", "o", &[0xff80_0001], 0x7fff_ffff),
    ("neg.f32 %o, %a0;", "o", &[0x7fff_ffff], 0x7fff_ffff),
    ("neg.ftz.f32 %o, %a0;", "o", &[0x7fc0_0005], 0x7fff_ffff),
    ("abs.f16 %oh, %h0;", "oh", &[0x7c01], 0x7fff),
    ("neg.bf16 %oh, %h0;", "oh", &[0xffff], 0x7fff),
    ("neg.f16x2 %o, %a0;", "o", &[0xfc01_0200], 0x7fff_8200),
    // What is flushed is decided before rounding.
    ("mul.ftz.f32 %o, %a0, %a1;", "o", &[LEAST, 0xbf7f_ffff], 0x8000_0000),
    ("mul.f32 %o, %a0, %a1;", "o", &[LEAST, 0xbf7f_ffff], 0x8080_0000),
    ("div.rm.ftz.f32 %o, %a0, %a1;", "o", &[LEAST, 0xbf80_0001], 0x8000_0000),
    ("mul.ftz.f16 %oh, %h0, %h1;", "oh", &[0x3bff, 0x400], 0),
    ("mul.ftz.f16x2 %o, %a0, %a1;", "o", &[0x7e05_8400, 0x8400_bbff], 0x7fff_0000),
    ("fma.rn.ftz.f16x2 %o, %a0, %a1, %a2;", "o", &[0x0400_3bff, 0x3bff_4248, 0x83ff_ba00], 0x40c7),
    ("testp.normal.f32 %p0, %a0;", "p", &[0x8000_0000], 1),
    ("testp.normal.f64 %p0, %d0;", "p", &[0], 1),
    ("testp.normal.f32 %p0, %a0;", "p", &[1], 0),
    ("mov.b32 %u0, %a2; slct.ftz.u32.f32 %o, %a0, %a1, %u0;", "o", &[7, 2, 0x807f_ffff], 7),
    ("slct.u32.f32 %o, %a0, %a1, %a2;", "o", &[7, 2, 0x807f_ffff], 2),
    ("slct.ftz.u64.f32 %od, %d0, %d1, %a2;", "od", &[7, 2, LEAST | 1 << 31], 2),
    // Approximations of double precision see and make the upper words.
    ("rcp.approx.ftz.f64 %od, %d0;", "od", &[0x3ff0_0000_0000_0001], 0x3ff0_0000_0000_0000),
    ("rcp.approx.ftz.f64 %od, %d0;", "od", &[0x7fef_ffff_ffff_ffff], 0),
    ("rcp.approx.ftz.f64 %od, %d0;", "od", &[0xfff8_0000_0000_0005], 0x7fff_ffff_0000_0000),
    ("rsqrt.approx.ftz.f64 %od, %d0;", "od", &[0x4000_0000_0000_0000], 0x3fe6_a09e_0000_0000),
    ("rsqrt.approx.ftz.f64 %od, %d0;", "od", &[0x7ff0_0000_0000_0001], 0),
    ("rsqrt.approx.ftz.f64 %od, %d0;", "od", &[0xbf00_0000_0000_0000], 0x7fff_ffff_0000_0000),
    // Conversions of NaN, and what `.ftz` leaves to half precision.
    ("cvt.rn.f32.f64 %o, %d0;", "o", &[0xfff0_0000_0000_0001], 0xffc0_0000),
    ("cvt.rz.f32.f64 %o, %d0;", "o", &[0xffff_ffff_ffff_ffff], 0xffff_ffff),
    ("cvt.rn.f16.f64 %oh, %d0;", "oh", &[0x7ff0_0000_0000_0001], 0x7e00),
    ("cvt.rn.bf16.f64 %oh, %d0;", "oh", &[0xfff8_0000_0000_0005], 0xffc0),
    ("cvt.f16.f16 %oh, %h0;", "oh", &[0xfc01], 0x7fff),
    ("cvt.f32.bf16 %o, %h0;", "o", &[0xff81], 0xff81_0000),
    ("cvt.f64.f16 %od, %h0;", "od", &[0x7d6d], 0x7ffd_b400_0000_0000),
    ("cvt.f64.f32 %od, %a0;", "od", &[0xff80_0001], 0xfff8_0000_2000_0000),
    ("cvt.ftz.f64.f32 %od, %a0;", "od", &[0xffc0_0005], 0x7fff_ffff_e000_0000),
    ("cvt.rni.f64.f64 %od, %d0;", "od", &[0x7ff0_0000_0000_0001], 0x7ff8_0000_0000_0001),
    ("cvt.rp.ftz.f16.f32 %oh, %a0;", "oh", &[1], 1),
    ("cvt.rm.ftz.f16.f32 %oh, %a0;", "oh", &[0x8000_0001], 0x8001),
    ("cvt.rna.tf32.f32 %o, %a0;", "o", &[0xffed_30f4], 0xffed_2000),
    ("cvt.rn.tf32.f32 %o, %a0;", "o", &[0xffc0_0005], 0x7fff_e000),
    // The cache adds otherwise than the multiprocessor; `%e0` is a place in memory.
    (
        "add.u64 %e0, %out, 0; st.global.u32 [%e0], %a0; red.global.add.f32 [%e0], %a1; ld.global.u32 %o, [%e0];",
        "o",
        &[0x0080_0001, 0x8000],
        0x0080_0001,
    ),
    (
        "add.u64 %e0, %out, 0; st.global.u32 [%e0], %a0; red.global.add.f32 [%e0], %a1; ld.global.u32 %o, [%e0];",
        "o",
        &[1, 0x8000_0000],
        0,
    ),
    (
        "add.u64 %e0, %out, 0; st.global.u64 [%e0], %d0; red.global.add.f64 [%e0], %d1; ld.global.u64 %od, [%e0];",
        "od",
        &[0x4070_0000_0000_0000, 0x7ff0_0000_0000_0001],
        0x7ff0_0000_0000_0001,
    ),
    // What is below zero is large to a second operation without sign.
    (
        "vadd.u32.u32.s32.min %o, %a0.b1, %a1.h1, %a2;",
        "o",
        &[0x20, 0xffff_ffff, 0xffff_ffdf],
        0xffff_ffdf,
    ),
    ("vshl.u32.u32.u32.clamp %o, %a0, %a1;", "o", &[0x8000_0000, 0x41], 0),
];

#[test]
fn as_on_an_h100() {
    for &(code, result, input, want) in LINES {
        let mut inputs = Inputs::default();
        inputs[..input.len()].copy_from_slice(input);
        let got = answers(code, result, &[inputs])[0];
        assert_eq!(got, want, "{code}\non {input:x?}: got {got:#x}");
    }
}

/// A multiply-add that is flushed is zero where its exact value is below the normal numbers.
#[test]
fn flushed_multiply_adds() {
    let mut inputs: Vec<Inputs> = Vec::new();
    for bits in random(400, 11).chunks(2) {
        // Products near 2^-126, with small addends and large ones that cancel.
        let a = 0x3f00_0000 | bits[0] & 0x00ff_ffff;
        let b = 0x0080_0000 + (bits[0] >> 40 & 0x01ff_ffff);
        let c = bits[1] & 0x8000_0000
            | [0, 0x0080_0000, 0x0080_0001, 0x0100_0000][(bits[1] & 3) as usize];
        inputs.push([a, b, c, 0]);
    }
    let exact = answers("fma.rz.f32 %o, %a0, %a1, %a2;", "o", &inputs);
    let flushed = answers("fma.rn.ftz.f32 %o, %a0, %a1, %a2;", "o", &inputs);
    let nearest = answers("fma.rn.f32 %o, %a0, %a1, %a2;", "o", &inputs);
    for (((input, exact), flushed), nearest) in inputs.iter().zip(exact).zip(flushed).zip(nearest) {
        // Cut off instead of rounded, a number below the least normal one stays below it.
        let below = exact & 0x7fff_ffff < LEAST;
        let want = if below { nearest & 0x8000_0000 } else { nearest };
        assert_eq!(flushed, want, "{input:x?}");
    }
}

#[test]
fn conversions_that_drop_what_is_negative() {
    let cases = [(0xbf80_0000, 0), (0x3fc0_0000, 0x3e00), (0x8000_0000, 0), (0x7f80_0001, 0x7fff)];
    for (input, want) in cases {
        let got = answers("cvt.rn.relu.f16.f32 %oh, %a0;", "oh", &[[input, 0, 0, 0]])[0];
        assert_eq!(got, want, "{input:#x}");
    }
    let got = answers("cvt.rz.relu.bf16.f32 %oh, %a0;", "oh", &[[0x3f81_ffff, 0, 0, 0]])[0];
    assert_eq!(got, 0x3f81);
}

#[test]
fn saturated_products_of_24_bits() {
    let high = 0x7f_ffff;
    let code = "mad24.hi.sat.s32 %o, %a0, %a1, %a2;";
    let want = |a: i64, b: i64, c: i64| {
        (((a * b) >> 16) + c).clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as u32
    };
    for (a, b, c) in
        [(high, high, 5i64), (high, high, 0x7fff_0000), (-high, high, -0x7fff_0000), (3, 5, 7)]
    {
        let input = [a as u64, b as u64, c as u64, 0];
        assert_eq!(answers(code, "o", &[input])[0], u64::from(want(a, b, c)), "{a} {b} {c}");
    }
}

#[test]
fn a_tile_is_transposed_among_the_lanes() {
    // Lane l has the elements (l / 4, 2 (l % 4)) and the one beside it; an element is 8 row + column.
    let inputs: Vec<Inputs> = (0..32u64)
        .map(|lane| {
            let first = 8 * (lane / 4) + 2 * (lane % 4);
            [first | (first + 1) << 16, 0, 0, 0]
        })
        .collect();
    let got = answers("movmatrix.sync.aligned.m8n8.trans.b16 %o, %a0;", "o", &inputs);
    for (lane, got) in got.into_iter().enumerate() {
        let (row, column) = (lane as u64 / 4, 2 * (lane as u64 % 4));
        assert_eq!(got, (8 * column + row) | (8 * (column + 1) + row) << 16, "lane {lane}");
    }
}

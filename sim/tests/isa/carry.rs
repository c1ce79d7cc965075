//! Chains with the carry flag, in every mixture of additions, subtractions and multiply-adds.
//!
//! The flag after a subtraction is the carry of a + !b + 1 (ptxas folds constants so); the answers
//! here come from 128-bit integers.

use crate::harness::{Inputs, cells, check};

/// One step of a chain: the sum that the instruction forms, and the bits of a word.
fn step(op: &str, width: u32, [a, b, c]: [u64; 3], carry: u128) -> u128 {
    let mask = (1u128 << width) - 1;
    let [a, b, c] = [a, b, c].map(|v| u128::from(v) & mask);
    match op {
        "add" => a + b + carry,
        "sub" => a + (!b & mask) + carry,
        "mad.lo" => ((a * b) & mask) + c + carry,
        "mad.hi" => ((a * b) >> width) + c + carry,
        _ => unreachable!("{op}"),
    }
}

fn first(op: &str) -> u128 {
    u128::from(op == "sub")
}

/// The instruction of a chain with a type: `sub`, width 32, at the chain's start is `sub.cc.u32`.
fn mnemonic(op: &str, starts: bool, writes: bool, width: u32) -> String {
    let (stem, half) =
        op.split_once('.').map_or((op, String::new()), |(s, h)| (s, format!(".{h}")));
    let c = if starts { "" } else { "c" };
    let cc = if writes { ".cc" } else { "" };
    format!("{stem}{c}{half}{cc}.u{width}")
}

#[test]
fn every_pair_and_the_flag_itself() {
    let ops = ["add", "sub", "mad.lo", "mad.hi"];
    for width in [32, 64] {
        let (file, result) = if width == 32 { ("%a", "o") } else { ("%d", "od") };
        let out = if width == 32 { "%o" } else { "%od" };
        let scratch = if width == 32 { "%u0" } else { "%e0" };
        let mask = (1u128 << width) - 1;
        for one in ops {
            for two in ops {
                let third = |op: &str, r: u32| {
                    if op.starts_with("mad") { format!(", {file}{r}") } else { String::new() }
                };
                // The second result and the flag after it: flag in the top bit by one more addc.
                let code = format!(
                    "{} {scratch}, {file}0, {file}1{}; {} {out}, {file}2, {file}3{}; \
                     {} {scratch}, 0, 0; shl.b{width} {scratch}, {scratch}, {}; \
                     xor.b{width} {out}, {out}, {scratch};",
                    mnemonic(one, true, true, width),
                    third(one, 2),
                    mnemonic(two, false, true, width),
                    third(two, 1),
                    mnemonic("add", false, false, width),
                    width - 1,
                );
                check(&code, result, &cells(), |[a, b, c, d]: Inputs| {
                    let low = step(one, width, [a, b, c], first(one));
                    let high = step(two, width, [c, d, b], low >> width);
                    ((high & mask) ^ ((high >> width) << (width - 1))) as u64
                });
            }
        }
    }
}

#[test]
fn what_the_assembler_folds() {
    check("sub.cc.u32 %u0, 5, 3; addc.u32 %o, 0, 0;", "o", &[[0; 4]], |_| 1);
    check("sub.cc.u32 %u0, 3, 5; addc.u32 %o, 0, 0;", "o", &[[0; 4]], |_| 0);
    check("add.cc.u32 %u0, 5, 3; subc.u32 %o, 0, 0;", "o", &[[0; 4]], |_| 0xffff_ffff);
}

#[test]
fn a_difference_of_128_bits() {
    let code = "mov.b64 {%u0, %u1}, %d0; mov.b64 {%u2, %u3}, %d1; \
                mov.b64 {%u4, %u5}, %d2; mov.b64 {%u6, %u7}, %d3; \
                sub.cc.u32 %u0, %u0, %u4; subc.cc.u32 %u1, %u1, %u5; \
                subc.cc.u32 %u2, %u2, %u6; subc.u32 %u3, %u3, %u7; mov.b64 %od, {%u2, %u3};";
    check(code, "od", &cells(), |[a, b, c, d]| {
        let wide = |low: u64, high: u64| u128::from(high) << 64 | u128::from(low);
        (wide(a, b).wrapping_sub(wide(c, d)) >> 64) as u64
    });
}

//! Video instructions against the manual's pseudocode (PTX ISA §9.7.18, §9.7.19) in 128-bit integers.

use crate::harness::{Inputs, cells, check};

/// A part of a word, extended: `w`, `b0` to `b3`, `h0`, `h1`.
fn part(value: u64, selector: &str, signed: bool) -> i128 {
    let (shift, bits) = place(selector);
    let field = i128::from(value as u32) >> shift & ((1 << bits) - 1);
    if signed && field >> (bits - 1) & 1 == 1 { field - (1 << bits) } else { field }
}

fn place(selector: &str) -> (u32, u32) {
    match selector.split_at(1) {
        ("b", n) => (8 * n.parse::<u32>().unwrap(), 8),
        ("h", n) => (16 * n.parse::<u32>().unwrap(), 16),
        _ => (0, 32),
    }
}

fn clamp(value: i128, bits: u32, signed: bool) -> i128 {
    if signed {
        value.max(-(1 << (bits - 1))).min((1 << (bits - 1)) - 1)
    } else {
        value.max(0).min((1 << bits) - 1)
    }
}

fn merge(value: i128, selector: &str, c: u64) -> u64 {
    let (shift, bits) = place(selector);
    let mask = ((1i128 << bits) - 1) << shift;
    ((value << shift & mask) | (i128::from(c as u32) & !mask)) as u64 & 0xffff_ffff
}

fn arithmetic(op: &str, a: i128, b: i128) -> i128 {
    match op {
        "add" => a + b,
        "sub" => a - b,
        "absdiff" => (a - b).abs(),
        "min" => a.min(b),
        "max" => a.max(b),
        "avrg" if a + b >= 0 => (a + b + 1).div_euclid(2),
        "avrg" => (a + b).div_euclid(2),
        "eq" => (a == b).into(),
        "ne" => (a != b).into(),
        "lt" => (a < b).into(),
        "le" => (a <= b).into(),
        "gt" => (a > b).into(),
        "ge" => (a >= b).into(),
        other => unreachable!("{other}"),
    }
}

fn suffix(selector: &str) -> String {
    if selector == "w" { String::new() } else { format!(".{selector}") }
}

const TYPES: [(&str, bool); 2] = [("u32", false), ("s32", true)];

#[test]
fn scalar_arithmetic_of_every_type_and_part() {
    let selections = [("w", "w"), ("b0", "h1"), ("h0", "b3"), ("b2", "w"), ("w", "b1")];
    let mut turn = 0;
    for op in ["add", "sub", "absdiff", "min", "max"] {
        for (d, d_signed) in TYPES {
            for (a, a_signed) in TYPES {
                for (b, b_signed) in TYPES {
                    for sat in ["", ".sat"] {
                        for second in ["", ".add", ".min", ".max", "b1", "h1"] {
                            turn += 1;
                            let (ap, bp) = selections[turn % selections.len()];
                            let merged = second.len() == 2;
                            let code = format!(
                                "v{op}.{d}.{a}.{b}{sat}{} %o{}, %a0{}, %a1{}{};",
                                if merged { "" } else { second },
                                if merged { suffix(second) } else { String::new() },
                                suffix(ap),
                                suffix(bp),
                                if second.is_empty() { "" } else { ", %a2" }
                            );
                            check(&code, "o", &cells(), |[x, y, z, _]: Inputs| {
                                let mut value =
                                    arithmetic(op, part(x, ap, a_signed), part(y, bp, b_signed));
                                if !sat.is_empty() {
                                    let bits = if merged { place(second).1 } else { 32 };
                                    value = clamp(value, bits, d_signed);
                                }
                                let c = part(z, "w", d_signed);
                                // Unsigned, what is below zero is above everything else.
                                if matches!(second, ".min" | ".max") && !d_signed && value < 0 {
                                    value += 1 << 64;
                                }
                                match second {
                                    "" => value as u64 & 0xffff_ffff,
                                    ".add" => (value + c) as u64 & 0xffff_ffff,
                                    ".min" => value.min(c) as u64 & 0xffff_ffff,
                                    ".max" => value.max(c) as u64 & 0xffff_ffff,
                                    part => merge(value, part, z),
                                }
                            });
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn scalar_shifts_and_comparisons() {
    for (d, d_signed) in TYPES {
        for (a, a_signed) in TYPES {
            for mode in ["clamp", "wrap"] {
                for left in [true, false] {
                    for sat in ["", ".sat"] {
                        let name = if left { "vshl" } else { "vshr" };
                        let code = format!("{name}.{d}.{a}.u32{sat}.{mode} %o, %a0.h0, %a1.b0;");
                        check(&code, "o", &cells(), |[x, y, ..]| {
                            let by = part(y, "b0", false);
                            let by = if mode == "clamp" { by.min(32) } else { by & 31 };
                            let value = part(x, "h0", a_signed);
                            let value = if left { value << by } else { value >> by };
                            let value =
                                if sat.is_empty() { value } else { clamp(value, 32, d_signed) };
                            value as u64 & 0xffff_ffff
                        });
                    }
                }
            }
        }
    }
    for (a, a_signed) in TYPES {
        for (b, b_signed) in TYPES {
            for cmp in ["eq", "ne", "lt", "le", "gt", "ge"] {
                for (ap, bp) in [("w", "w"), ("b3", "h0")] {
                    let code = format!(
                        "vset.{a}.{b}.{cmp} %o, %a0{}, %a1{}; vset.{a}.{b}.{cmp}.add %o, %a0{}, %a1{}, %o;",
                        suffix(ap),
                        suffix(bp),
                        suffix(ap),
                        suffix(bp)
                    );
                    check(&code, "o", &cells(), |[x, y, ..]| {
                        2 * arithmetic(cmp, part(x, ap, a_signed), part(y, bp, b_signed)) as u64
                    });
                }
            }
        }
    }
}

#[test]
fn multiply_add_with_scale_and_negation() {
    for (a, a_signed) in TYPES {
        for (b, b_signed) in TYPES {
            for (signs, po) in [
                (["", "", ""], ""),
                (["-", "", ""], ""),
                (["", "", "-"], ""),
                (["", "", ""], ".po"),
            ] {
                for sat in ["", ".sat"] {
                    for (scale, shift) in [("", 0), (".shr7", 7), (".shr15", 15)] {
                        let signed = a_signed || b_signed || signs.contains(&"-");
                        // The destination's type is that of the result.
                        let d = if signed { "s32" } else { "u32" };
                        let [na, nb, nc] = signs;
                        let code = format!(
                            "vmad.{d}.{a}.{b}{po}{sat}{scale} %o, {na}%a0.h1, {nb}%a1.b0, {nc}%a2;"
                        );
                        check(&code, "o", &cells(), |[x, y, z, _]| {
                            let product = part(x, "h1", a_signed) * part(y, "b0", b_signed);
                            let product = if na == "-" { -product } else { product };
                            let c = part(z, "w", signed);
                            let c = if nc == "-" { -c } else { c };
                            let value = (product + c + i128::from(!po.is_empty())) >> shift;
                            let value =
                                if sat.is_empty() { value } else { clamp(value, 32, signed) };
                            value as u64 & 0xffff_ffff
                        });
                    }
                }
            }
        }
    }
}

/// A SIMD instruction by the manual: `selectors` are digits, the last one for the lowest lane.
fn simd(
    op: &str,
    [d_signed, a_signed, b_signed]: [bool; 3],
    (sat, add): (bool, bool),
    (mask, a_select, b_select): (&str, &str, &str),
    [x, y, z, _]: Inputs,
) -> u64 {
    let lanes = a_select.len();
    let bits = 32 / lanes as u32;
    let letter = if lanes == 2 { "h" } else { "b" };
    let pick = |select: &str, lane: usize, signed: bool| {
        let n = usize::from(select.as_bytes()[lanes - 1 - lane] - b'0');
        part(if n < lanes { x } else { y }, &format!("{letter}{}", n % lanes), signed)
    };
    let mut out = z & 0xffff_ffff;
    for lane in 0..lanes {
        if !mask.contains(&lane.to_string()) {
            continue;
        }
        let mut value =
            arithmetic(op, pick(a_select, lane, a_signed), pick(b_select, lane, b_signed));
        if sat {
            value = clamp(value, bits, d_signed);
        }
        out = if add {
            (i128::from(out) + value) as u64 & 0xffff_ffff
        } else {
            merge(value, &format!("{letter}{lane}"), out)
        };
    }
    out
}

#[test]
fn two_and_four_lanes() {
    for lanes in [2usize, 4] {
        let letter = if lanes == 2 { "h" } else { "b" };
        let selections = if lanes == 2 {
            [("10", "10", "32"), ("1", "31", "02"), ("0", "22", "13")]
        } else {
            [("3210", "3210", "7654"), ("20", "7140", "0156"), ("3", "5555", "3214")]
        };
        for op in
            ["add", "sub", "avrg", "absdiff", "min", "max", "eq", "ne", "lt", "le", "gt", "ge"]
        {
            for (a, a_signed) in TYPES {
                for (b, b_signed) in TYPES {
                    for (n, (mask, a_select, b_select)) in selections.into_iter().enumerate() {
                        for (sat, add) in [(false, false), (true, false), (false, true)] {
                            let compares = op.len() == 2;
                            if sat && compares {
                                continue;
                            }
                            let (d, d_signed) =
                                if compares { TYPES[0] } else { TYPES[usize::from(a_signed)] };
                            let name = if compares {
                                format!("vset{lanes}.{a}.{b}.{op}")
                            } else {
                                format!("v{op}{lanes}.{d}.{a}.{b}")
                            };
                            let pick = |select: &str| {
                                if n == 0 { String::new() } else { format!(".{letter}{select}") }
                            };
                            let code = format!(
                                "{name}{}{} %o{}, %a0{}, %a1{}, %a2;",
                                if sat { ".sat" } else { "" },
                                if add { ".add" } else { "" },
                                pick(mask),
                                pick(a_select),
                                pick(b_select)
                            );
                            let signed = [d_signed, a_signed, b_signed];
                            check(&code, "o", &cells(), |inputs| {
                                simd(op, signed, (sat, add), (mask, a_select, b_select), inputs)
                            });
                        }
                    }
                }
            }
        }
    }
}

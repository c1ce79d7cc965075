//! Two integers in a register, saturating packs, `lop3` with a predicate, `min` and `max` with `.relu`.

use crate::harness::{cells, check};

fn halves(value: u64) -> [i64; 2] {
    [(value as u16 as i16).into(), ((value >> 16) as u16 as i16).into()]
}

fn joined([low, high]: [i64; 2]) -> u64 {
    (low as u16 as u64) | (high as u16 as u64) << 16
}

#[test]
fn pairs_of_16_bits() {
    for (ty, signed) in [("s16x2", true), ("u16x2", false)] {
        let read = |value: u64| halves(value).map(|h| if signed { h } else { h & 0xffff });
        for (op, relu) in
            [("add", ""), ("min", ""), ("max", ""), ("min", ".relu"), ("max", ".relu")]
        {
            if !signed && !relu.is_empty() {
                continue;
            }
            check(&format!("{op}{relu}.{ty} %o, %a0, %a1;"), "o", &cells(), |[a, b, ..]| {
                let (a, b) = (read(a), read(b));
                joined([0, 1].map(|i| {
                    let value = match op {
                        "add" => a[i] + b[i],
                        "min" => a[i].min(b[i]),
                        _ => a[i].max(b[i]),
                    };
                    if relu.is_empty() { value } else { value.max(0) }
                }))
            });
        }
    }
    for op in ["min", "max"] {
        check(&format!("{op}.relu.s32 %o, %a0, %a1;"), "o", &cells(), |[a, b, ..]| {
            let (a, b) = (a as i32, b as i32);
            (if op == "min" { a.min(b) } else { a.max(b) }).max(0) as u64
        });
    }
}

#[test]
fn packs_saturate() {
    let read = |value: u64| i64::from(value as i32);
    for (to, bits, signed) in [
        ("u16", 16, false),
        ("s16", 16, true),
        ("u8", 8, false),
        ("s8", 8, true),
        ("u4", 4, false),
        ("s4", 4, true),
        ("u2", 2, false),
        ("s2", 2, true),
    ] {
        let code = if bits == 16 {
            format!("cvt.pack.sat.{to}.s32 %o, %a0, %a1;")
        } else {
            format!("cvt.pack.sat.{to}.s32.b32 %o, %a0, %a1, %a2;")
        };
        check(&code, "o", &cells(), |[a, b, c, _]| {
            let (low, high) = if signed {
                (-(1i64 << (bits - 1)), (1i64 << (bits - 1)) - 1)
            } else {
                (0, (1i64 << bits) - 1)
            };
            let field = |value: u64| read(value).clamp(low, high) as u64 & ((1 << bits) - 1);
            let rest = if bits == 16 { 0 } else { c << (2 * bits) };
            (rest | field(a) << bits | field(b)) & 0xffff_ffff
        });
    }
}

#[test]
fn lop3_says_whether_a_bit_is_set() {
    for (combine, and) in [("and", true), ("or", false)] {
        for table in [0u8, 0x80, 0xe8, 0x96, 0xca, 0xff] {
            let code = format!(
                "setp.ne.u32 %p1, %a3, 0; lop3.{combine}.b32 %u0|%p0, %a0, %a1, %a2, {table}, %p1; \
                 lop3.{combine}.b32 %u1|%p2, %a0, %a1, %a2, {table}, !%p1; selp.u32 %o, 1, 0, %p0; \
                 selp.u32 %u1, 2, 0, %p2; add.u32 %o, %o, %u1; shl.b32 %u0, %u0, 2; xor.b32 %o, %o, %u0;"
            );
            check(&code, "o", &cells(), |[a, b, c, q]| {
                let d = (0..32).fold(0u32, |d, bit| {
                    let index = (a >> bit & 1) << 2 | (b >> bit & 1) << 1 | (c >> bit & 1);
                    d | u32::from(table >> index & 1) << bit
                });
                let q = q as u32 != 0;
                let p = |q: bool| if and { d != 0 && q } else { d != 0 || q };
                u64::from((u32::from(p(q)) + 2 * u32::from(p(!q))) ^ d << 2)
            });
        }
    }
}

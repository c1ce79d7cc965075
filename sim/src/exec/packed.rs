//! Two integers in a register, saturating packs, and what else works on parts of words.

use crate::program::{Inst, Op, PackedInt, PackedOp};

use super::integer::lop3;
use super::lanes::{LANES, Registers, map2, map3, store};

pub(super) fn execute(registers: &mut Registers, inst: &Inst, mask: u32) {
    match inst.op {
        Op::PackedInt(packed) => {
            map2(registers, inst, mask, |a: u32, b: u32| halves(a, b, |a, b| half(packed, a, b)));
        }
        Op::IntRelu { max } => {
            map2(
                registers,
                inst,
                mask,
                |a: i32, b: i32| {
                    if max { a.max(b).max(0) } else { a.min(b).max(0) }
                },
            )
        }
        Op::PackSaturated { bits: 16, signed } => map2(registers, inst, mask, |a: u32, b: u32| {
            saturated(a, 16, signed) << 16 | saturated(b, 16, signed)
        }),
        // Narrower pairs push the third operand up.
        Op::PackSaturated { bits, signed } => {
            let bits = u32::from(bits);
            map3(registers, inst, mask, |a: u32, b: u32, c: u32| {
                let pair = saturated(a, bits, signed) << bits | saturated(b, bits, signed);
                pair | c << (2 * bits)
            });
        }
        Op::Lop3Bool { or } => {
            let table = inst.imm as u8;
            let [a, b, c] = [0, 1, 2].map(|n| *registers.narrow(inst.src[n]));
            let out: [u32; LANES] = std::array::from_fn(|l| lop3(table, a[l], b[l], c[l]));
            let set = (0..LANES).fold(0, |set, l| set | u32::from(out[l] != 0) << l);
            let other = registers.predicate(inst.src[3]);
            store(registers, inst.dst, mask, &out);
            registers.set_predicate(inst.dst2, mask, if or { set | other } else { set & other });
        }
        _ => {}
    }
}

fn halves(a: u32, b: u32, f: impl Fn(u16, u16) -> u16) -> u32 {
    u32::from(f((a >> 16) as u16, (b >> 16) as u16)) << 16 | u32::from(f(a as u16, b as u16))
}

fn half(packed: PackedInt, a: u16, b: u16) -> u16 {
    let PackedInt { op, signed, relu } = packed;
    let value = match (op, signed) {
        (PackedOp::Min, true) => (a as i16).min(b as i16) as u16,
        (PackedOp::Max, true) => (a as i16).max(b as i16) as u16,
        (PackedOp::Min, false) => a.min(b),
        (PackedOp::Max, false) => a.max(b),
        (PackedOp::Add, _) => a.wrapping_add(b),
    };
    if relu && (value as i16) < 0 { 0 } else { value }
}

/// A signed 32-bit integer as the nearest one of a narrower type, in its low bits.
fn saturated(value: u32, bits: u32, signed: bool) -> u32 {
    let value = i64::from(value as i32);
    let (low, high) =
        if signed { (-(1i64 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) };
    value.clamp(low, high) as u32 & ((1 << bits) - 1)
}

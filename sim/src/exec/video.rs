//! Video instructions (PTX ISA §9.7.18 and §9.7.19).

use crate::program::{Cmp, Inst, Op, Part, Second, Video, VideoMad, VideoOp, VideoSimd};

use super::lanes::{Registers, map3};

pub(super) fn execute(registers: &mut Registers, inst: &Inst, mask: u32) {
    match inst.op {
        Op::Video(video) => {
            map3(registers, inst, mask, |a: u32, b: u32, c: u32| scalar(video, a, b, c));
        }
        Op::VideoMad(mad) => {
            map3(registers, inst, mask, |a: u32, b: u32, c: u32| multiply_add(mad, a, b, c));
        }
        Op::VideoSimd(video) => {
            map3(registers, inst, mask, |a: u32, b: u32, c: u32| simd(video, a, b, c));
        }
        _ => {}
    }
}

/// A part of a register, extended after its sign.
fn extract(value: u32, part: Part, signed: bool) -> i128 {
    let (bits, start) = part.place();
    let field = i128::from(value >> start) & ((1 << bits) - 1);
    if signed && field >> (bits - 1) != 0 { field - (1 << bits) } else { field }
}

fn clamp(value: i128, bits: u32, signed: bool) -> i128 {
    if signed {
        value.clamp(-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    } else {
        value.clamp(0, (1 << bits) - 1)
    }
}

fn insert(value: i128, part: Part, into: u32) -> u32 {
    let (bits, start) = part.place();
    let mask = (((1u64 << bits) - 1) << start) as u32;
    ((value as u64) << start) as u32 & mask | into & !mask
}

fn compute(op: VideoOp, a: i128, b: i128) -> i128 {
    let holds = |cmp| match cmp {
        Cmp::Eq => a == b,
        Cmp::Ne => a != b,
        Cmp::Lt => a < b,
        Cmp::Le => a <= b,
        Cmp::Gt => a > b,
        _ => a >= b,
    };
    // A shift by more than the register leaves what a shift by its width does.
    let amount = |wrap: bool| if wrap { b & 31 } else { b.clamp(0, 32) };
    match op {
        VideoOp::Add => a + b,
        VideoOp::Sub => a - b,
        VideoOp::AbsDiff => (a - b).abs(),
        VideoOp::Average if a + b >= 0 => (a + b + 1) >> 1,
        VideoOp::Average => (a + b) >> 1,
        VideoOp::Min => a.min(b),
        VideoOp::Max => a.max(b),
        // 33 bits shifted by 32 need 65.
        VideoOp::Shl { wrap } => a << amount(wrap),
        VideoOp::Shr { wrap } => a >> amount(wrap),
        VideoOp::Set(cmp) => i128::from(holds(cmp)),
    }
}

fn scalar(video: Video, a: u32, b: u32, c: u32) -> u32 {
    let Video { op, signed, sat, parts, second } = video;
    let mut value = compute(op, extract(a, parts[0], signed[1]), extract(b, parts[1], signed[2]));
    if sat {
        let bits = if let Second::Merge(part) = second { part.place().0 } else { 32 };
        value = clamp(value, bits, signed[0]);
    }
    let third = extract(c, Part::Word, signed[0]);
    // Unsigned, what is below zero is above everything else (measured on an H100 80GB HBM3, driver 580).
    if matches!(second, Second::Min | Second::Max) && !signed[0] {
        value &= i128::from(u64::MAX);
    }
    match second {
        Second::None => value as u32,
        Second::Add => (value + third) as u32,
        Second::Min => value.min(third) as u32,
        Second::Max => value.max(third) as u32,
        Second::Merge(part) => insert(value, part, c),
    }
}

fn multiply_add(mad: VideoMad, a: u32, b: u32, c: u32) -> u32 {
    let VideoMad { signed, parts, negate_product, negate_addend, plus_one, sat, shift } = mad;
    let product = extract(a, parts[0], signed[0]) * extract(b, parts[1], signed[1]);
    let signed = signed[0] || signed[1] || negate_product || negate_addend;
    let addend = extract(c, Part::Word, signed);
    let sum = if negate_product { -product } else { product }
        + if negate_addend { -addend } else { addend }
        + i128::from(plus_one);
    let value = sum >> shift;
    let (low, high) = if signed {
        (i128::from(i32::MIN), i128::from(i32::MAX))
    } else {
        (0, i128::from(u32::MAX))
    };
    (if sat { value.clamp(low, high) } else { value }) as u32
}

fn simd(video: VideoSimd, a: u32, b: u32, c: u32) -> u32 {
    let VideoSimd { op, lanes, signed, sat, mask, select, accumulate } = video;
    let part = |n: u8| if lanes == 2 { Part::Half(n) } else { Part::Byte(n) };
    let bits = 32 / u32::from(lanes);
    let pick = |n: u8, operand: usize| {
        let index = (select[operand] >> (3 * n) & 7) as u8;
        let (source, index) = if index < lanes { (a, index) } else { (b, index - lanes) };
        extract(source, part(index), signed[operand + 1])
    };
    let mut out = c;
    for n in (0..lanes).filter(|n| mask >> n & 1 != 0) {
        let mut value = compute(op, pick(n, 0), pick(n, 1));
        if sat {
            value = clamp(value, bits, signed[0]);
        }
        out = if accumulate { out.wrapping_add(value as u32) } else { insert(value, part(n), out) };
    }
    out
}

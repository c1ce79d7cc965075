//! `min` and `max` of floating-point numbers with three operands, of absolute values, with the signs'
//! product, and over a warp.

use crate::program::{Extremum, FloatType, Inst, Op};

use super::lanes::{LANES, Registers, store};
use super::soft_float::Format;

pub(super) fn execute(registers: &mut Registers, inst: &Inst, mask: u32) {
    let Op::Extremum(extremum) = inst.op else { return };
    let rows = [0, 1, 2].map(|n| {
        let n = if n < usize::from(extremum.count) { n } else { 0 };
        *registers.narrow(inst.src[n])
    });
    let (bits, elements) = match extremum.ty {
        FloatType::F16 | FloatType::Bf16 => (16, 1),
        FloatType::F16x2 | FloatType::Bf16x2 => (16, 2),
        _ => (32, 1),
    };
    let keep = u32::MAX >> (32 - bits);
    let out: [u32; LANES] = std::array::from_fn(|lane| {
        (0..elements).fold(0, |out, element| {
            let operands = rows.map(|row| u64::from(row[lane] >> (element * bits) & keep));
            let result = of(extremum, &operands[..extremum.count.into()]);
            out | result << (element * bits)
        })
    });
    store(registers, inst.dst, mask, &out);
}

/// `redux.sync` of single precision: the extremum over the lanes of `mask`.
pub(super) fn over_lanes(extremum: Extremum, values: &[u32; LANES], mask: u32) -> u32 {
    let lanes = (0..LANES).filter(|lane| mask >> lane & 1 != 0);
    let operands: Vec<u64> = lanes.map(|lane| u64::from(values[lane])).collect();
    of(extremum, &operands)
}

/// The extremum of encodings. NaN counts as missing unless it is to be kept; of zeros the one with the
/// sign that makes it smaller or greater.
fn of(extremum: Extremum, operands: &[u64]) -> u32 {
    let Extremum { max, ftz, nan, abs, xorsign, ty, .. } = extremum;
    let format = Format::of(ty);
    let value = |bits: u64| {
        let value = format.decode(bits);
        let value = if ftz { format.flush(value) } else { value };
        if abs { value.abs() } else { value }
    };
    let sign =
        operands.iter().fold(false, |sign, &bits| sign ^ format.decode(bits).is_sign_negative());
    let mut best = f64::NAN;
    for &bits in operands {
        let value = value(bits);
        if value.is_nan() {
            if nan {
                best = value;
                break;
            }
            continue;
        }
        let better = if max {
            value > best || value == best && best.is_sign_negative()
        } else {
            value < best || value == best && value.is_sign_negative()
        };
        if best.is_nan() || better {
            best = value;
        }
    }
    if xorsign && sign && !best.is_nan() {
        best = -best;
    }
    format.encode(best) as u32
}

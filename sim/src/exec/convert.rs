//! Conversions between types.

use crate::isa::Type;
use crate::program::{Convert, FloatType, Inst, Op, Rounding};

use super::lanes::{Cell, LANES, Registers, map1, store};
use super::soft_float::{Exact, F32, Format};

#[inline(always)]
pub(super) fn execute(registers: &mut Registers, inst: &Inst, mask: u32) {
    let Op::Convert(convert) = inst.op else {
        pack(registers, inst, mask);
        return;
    };
    if !convert.from.is_float() && !convert.to.is_float() && !convert.sat {
        match convert.wide {
            [false, false] => resize::<u32, u32>(registers, inst, mask, convert),
            [false, true] => resize::<u32, u64>(registers, inst, mask, convert),
            [true, false] => resize::<u64, u32>(registers, inst, mask, convert),
            [true, true] => resize::<u64, u64>(registers, inst, mask, convert),
        }
        return;
    }
    let plain = !convert.sat && !convert.ftz && !convert.relu;
    let [from_wide, to_wide] = convert.wide;
    let exact_width =
        from_wide == (convert.from.bits() == 64) && to_wide == (convert.to.bits() == 64);
    let nearest = convert.rounding == Rounding::NearestEven && !convert.integral;
    let to_zero = convert.rounding == Rounding::Zero && convert.integral;
    match (convert.from, convert.to) {
        (Type::S32, Type::F32) if plain && nearest => {
            map1(registers, inst, mask, |a: i32| a as f32)
        }
        (Type::U32, Type::F32) if plain && nearest => {
            map1(registers, inst, mask, |a: u32| a as f32)
        }
        (Type::S32, Type::F64) if plain && exact_width => {
            map1(registers, inst, mask, |a: i32| f64::from(a))
        }
        (Type::U32, Type::F64) if plain && exact_width => {
            map1(registers, inst, mask, |a: u32| f64::from(a))
        }
        (Type::S64, Type::F32) if plain && nearest => {
            map1(registers, inst, mask, |a: i64| a as f32)
        }
        (Type::U64, Type::F32) if plain && nearest => {
            map1(registers, inst, mask, |a: u64| a as f32)
        }
        (Type::S64, Type::F64) if plain && nearest => {
            map1(registers, inst, mask, |a: i64| a as f64)
        }
        (Type::U64, Type::F64) if plain && nearest => {
            map1(registers, inst, mask, |a: u64| a as f64)
        }
        (Type::F32, Type::F64) if plain && exact_width => {
            map1(registers, inst, mask, |a: f32| f64::from(a))
        }
        (Type::F64, Type::F32) if plain && nearest && exact_width => {
            map1(registers, inst, mask, |a: f64| match a.is_nan() {
                true => shortened(a.to_bits(), F32) as u32,
                false => (a as f32).to_bits(),
            });
        }
        (Type::F32, Type::S32) if plain && to_zero && exact_width => {
            map1(registers, inst, mask, |a: f32| a as i32)
        }
        (Type::F32, Type::U32) if plain && to_zero && exact_width => {
            map1(registers, inst, mask, |a: f32| a as u32)
        }
        (Type::F64, Type::S32) if plain && to_zero && exact_width => {
            map1(registers, inst, mask, |a: f64| if a.is_nan() { i32::MIN } else { a as i32 })
        }
        (Type::F64, Type::S64) if plain && to_zero => {
            map1(registers, inst, mask, |a: f64| if a.is_nan() { i64::MIN } else { a as i64 })
        }
        _ => by_lane(registers, inst, mask, convert),
    }
}

/// Integer to integer: the low bits, extended after the sign of the narrower type.
#[inline(always)]
fn resize<A: Cell, R: Cell + FromLow>(
    registers: &mut Registers,
    inst: &Inst,
    mask: u32,
    convert: Convert,
) {
    let (from_mask, from_sign) = extension(convert.from);
    let (to_mask, to_sign) = extension(convert.to);
    let a = A::row(registers, inst.src[0]);
    let mut out = [R::default(); LANES];
    for lane in 0..LANES {
        // Flipping the sign bit and taking it away extends it.
        let value = (a[lane].low() & from_mask ^ from_sign).wrapping_sub(from_sign);
        out[lane] = R::from_low((value & to_mask ^ to_sign).wrapping_sub(to_sign));
    }
    store(registers, inst.dst, mask, &out);
}

/// A cell made of the low bits of a value.
trait FromLow {
    fn from_low(value: u64) -> Self;
}

impl FromLow for u32 {
    #[inline(always)]
    fn from_low(value: u64) -> u32 {
        value as u32
    }
}

impl FromLow for u64 {
    #[inline(always)]
    fn from_low(value: u64) -> u64 {
        value
    }
}

/// Mask of a type's bits, and its sign bit if it is signed.
fn extension(ty: Type) -> (u64, u64) {
    let mask = u64::MAX >> (64 - ty.bits().min(64));
    (mask, if ty.is_signed() { mask ^ mask >> 1 } else { 0 })
}

fn format(ty: Type) -> Format {
    Format::of(FloatType::of(ty))
}

fn by_lane(registers: &mut Registers, inst: &Inst, mask: u32, convert: Convert) {
    let [from_wide, to_wide] = convert.wide;
    let mut out = [0u64; LANES];
    for (lane, out) in out.iter_mut().enumerate() {
        if mask & (1 << lane) == 0 {
            continue;
        }
        let cell = if from_wide {
            registers.wide(inst.src[0])[lane]
        } else {
            u64::from(registers.narrow(inst.src[0])[lane])
        };
        *out = converted(convert, cell);
    }
    if to_wide {
        store(registers, inst.dst, mask, &out);
    } else {
        store(registers, inst.dst, mask, &out.map(|value| value as u32));
    }
}

/// The value of an integral rounding.
fn integral(value: f64, rounding: Rounding) -> f64 {
    match rounding {
        Rounding::NearestEven => value.round_ties_even(),
        Rounding::NearestAway => value.round(),
        Rounding::Zero => value.trunc(),
        Rounding::Down => value.floor(),
        Rounding::Up => value.ceil(),
    }
}

/// A NaN of double precision in a narrower format: quiet, with its sign and the top of its fraction.
fn shortened(bits: u64, to: Format) -> u64 {
    let (width, fraction) = to.widths();
    let sign = bits >> 63 << (width - 1);
    let exponent = (1u64 << (width - 1)) - (1 << fraction);
    let top = bits << 12 >> (64 - fraction);
    sign | exponent | 1 << (fraction - 1) | top
}

/// What conversions of a NaN make of it (measured on an H100 80GB HBM3, driver 580): those from double
/// precision and those to it keep sign and fraction, that of `.bf16` to `.f32` is a shift, the others give
/// the canonical NaN.
fn converted_nan(convert: Convert, bits: u64) -> u64 {
    let Convert { from, to, ftz, .. } = convert;
    match (from, to) {
        (Type::F64, Type::F64) => bits | 1 << 51,
        (Type::F64, _) => shortened(bits, format(to)),
        // Flushing is done by the unit of single precision, whose NaN is canonical.
        (_, Type::F64) if ftz => f64::from(f32::from_bits(0x7fff_ffff)).to_bits(),
        (_, Type::F64) => {
            let (width, fraction) = format(from).widths();
            let sign = bits >> (width - 1) << 63;
            sign | 0x7ff8 << 48 | bits << (64 - fraction) >> 12
        }
        (Type::Bf16, Type::F32) if !ftz => bits << 16,
        (_, to) => format(to).encode(f64::NAN),
    }
}

/// One conversion, register bits to register bits.
fn converted(convert: Convert, cell: u64) -> u64 {
    let Convert { from, to, rounding, integral: to_integer, ftz, sat, relu, .. } = convert;
    if from.is_float() {
        let from_format = format(from);
        let cell = cell & (u64::MAX >> (64 - from.bits()));
        let mut value = from_format.decode(cell);
        // To half precision the device flushes nothing (measured as above).
        if ftz && from_format == F32 && to != Type::F16 {
            value = from_format.flush(value);
        }
        if !to.is_float() {
            return int_bits(to, float_to_int(integral(value, rounding), from, to));
        }
        let to_format = format(to);
        if value.is_nan() && !sat {
            return converted_nan(convert, cell);
        }
        if to_integer {
            value = integral(value, rounding);
        }
        let rounding = if to_integer { Rounding::NearestEven } else { rounding };
        let mut value = Exact::of(value).round(to_format, rounding);
        if ftz && to_format == F32 {
            value = to_format.flush(value);
        }
        if sat {
            value = if value > 0.0 { value.min(1.0) } else { 0.0 };
        }
        if relu && value <= 0.0 {
            value = 0.0;
        }
        return to_format.encode(value);
    }
    let value = {
        let (mask, sign) = extension(from);
        let extended = ((cell & mask) ^ sign).wrapping_sub(sign);
        if from.is_signed() { i128::from(extended as i64) } else { i128::from(extended) }
    };
    if to.is_float() {
        let to_format = format(to);
        let mut value = Exact::of_int(value).round(to_format, rounding);
        if sat {
            value = if value > 0.0 { value.min(1.0) } else { 0.0 };
        }
        return to_format.encode(value);
    }
    let value = if sat {
        let (low, high) = int_range(to);
        value.clamp(low, high)
    } else {
        value
    };
    int_bits(to, value)
}

fn int_range(ty: Type) -> (i128, i128) {
    let bits = ty.bits();
    if ty.is_signed() { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}

/// Values out of range become the nearest one in range. NaN becomes zero, but from double precision
/// or to 64 bits the "indefinite" value: the top bit alone (PTX ISA 9.0 §9.7.9.21).
fn float_to_int(value: f64, from: Type, to: Type) -> i128 {
    if value.is_nan() && (from == Type::F64 || to.bits() == 64) {
        return 1 << (to.bits() - 1);
    }
    let (low, high) = int_range(to);
    (value as i128).clamp(low, high)
}

/// Register bits of an integer, extended after its type's sign to the widest register.
fn int_bits(ty: Type, value: i128) -> u64 {
    let (mask, sign) = extension(ty);
    (value as u64 & mask ^ sign).wrapping_sub(sign)
}

/// Two floats into the halves of a register, the first one on top.
fn pack(registers: &mut Registers, inst: &Inst, mask: u32) {
    let Op::ConvertPack { ty, rounding, relu } = inst.op else { return };
    let to = Format::of(ty);
    let half = |cell: u32| {
        let mut value = Exact::of(F32.decode(u64::from(cell))).round(to, rounding);
        if relu && value <= 0.0 {
            value = 0.0;
        }
        to.encode(value) as u32
    };
    let (high, low) = (*registers.narrow(inst.src[0]), *registers.narrow(inst.src[1]));
    let mut out = [0u32; LANES];
    for (lane, out) in out.iter_mut().enumerate() {
        *out = half(high[lane]) << 16 | half(low[lane]);
    }
    store(registers, inst.dst, mask, &out);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(from: Type, to: Type, rounding: Rounding, cell: u64, sat: bool, want: u64) {
        let integral = from.is_float() && !to.is_float();
        let convert = Convert {
            from,
            to,
            rounding,
            integral,
            ftz: false,
            sat,
            relu: false,
            wide: [true, true],
        };
        assert_eq!(converted(convert, cell), want, "{from} to {to} of {cell:#x}");
    }

    #[test]
    fn conversions() {
        use Rounding::*;
        let f32 = |v: f32| u64::from(v.to_bits());
        check(Type::F32, Type::S8, Zero, f32(-200.5), false, -128i64 as u64);
        check(Type::F32, Type::U8, NearestEven, f32(2.5), false, 2);
        check(Type::F32, Type::U32, Zero, f32(f32::NAN), false, 0);
        check(Type::F64, Type::U64, Zero, 1e30f64.to_bits(), false, u64::MAX);
        check(Type::S32, Type::U8, Zero, -1i64 as u64, true, 0);
        check(Type::S32, Type::S8, Zero, 300, true, 127);
        check(Type::S64, Type::F32, Zero, i64::MAX as u64, false, f32(9.223_371_5e18));
        check(
            Type::S64,
            Type::F64,
            Up,
            (1 << 53) + 1,
            false,
            ((1u64 << 53) as f64 + 2.0).to_bits(),
        );
        check(Type::F64, Type::F32, Down, 0.1f64.to_bits(), false, f32(0.1).wrapping_sub(1));
        check(Type::F32, Type::F16, NearestEven, f32(1.0), false, 0x3c00);
        check(Type::F16, Type::F32, NearestEven, 0x0001, false, f32(5.960_464_5e-8));
        check(Type::F32, Type::Bf16, NearestEven, f32(1.0), false, 0x3f80);
        check(Type::F32, Type::F32, NearestEven, f32(7.0), true, f32(1.0));
    }
}

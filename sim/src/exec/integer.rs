//! Integer arithmetic, logic, shifts and bit fields.

use crate::program::{
    BitOp, CarryOp, Inst, IntBinary, IntTernary, IntType, IntUnary, Op, PRED_CARRY, PermuteMode,
};

use super::lanes::{LANES, Lane, Registers, map1, map2, map3, store};

/// Arithmetic that integer lanes of every width share. Nothing here traps or overflows.
trait Int: Lane + Ord {
    const BITS: u32;
    const ZERO: Self;
    /// The value in 128 bits, extended after its sign.
    fn extend(self) -> i128;
    /// The low bits of a value.
    fn truncate(value: i128) -> Self;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    /// The upper half of the product.
    fn mul_high(self, other: Self) -> Self;
    /// All ones on division by zero, as the hardware gives.
    fn quotient(self, other: Self) -> Self;
    /// As the quotient.
    fn remainder(self, other: Self) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    fn invert(self) -> Self;
    fn negate(self) -> Self;
    fn reverse(self) -> Self;
    /// Shifts by more than the width give zero, or the sign.
    fn shift_left(self, by: u32) -> Self;
    fn shift_right(self, by: u32) -> Self;
    fn ones(self) -> u32;
    fn leading_zeros(self) -> u32;
    /// The bit number of the most significant bit that is not a copy of the sign.
    fn leading_bit(self) -> u32;
}

macro_rules! int {
    ($type:ty, $double:ty, $signed:expr) => {
        impl Int for $type {
            const BITS: u32 = <$type>::BITS;
            const ZERO: Self = 0;

            #[inline(always)]
            fn extend(self) -> i128 {
                self as i128
            }

            #[inline(always)]
            fn truncate(value: i128) -> Self {
                value as $type
            }

            #[inline(always)]
            fn add(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }

            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }

            #[inline(always)]
            fn mul_high(self, other: Self) -> Self {
                ((self as $double * other as $double) >> Self::BITS) as $type
            }

            #[inline(always)]
            fn quotient(self, other: Self) -> Self {
                if other == 0 { !0 } else { self.wrapping_div(other) }
            }

            #[inline(always)]
            fn remainder(self, other: Self) -> Self {
                if other == 0 { !0 } else { self.wrapping_rem(other) }
            }

            #[inline(always)]
            fn and(self, other: Self) -> Self {
                self & other
            }

            #[inline(always)]
            fn or(self, other: Self) -> Self {
                self | other
            }

            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                self ^ other
            }

            #[inline(always)]
            fn invert(self) -> Self {
                !self
            }

            #[inline(always)]
            fn negate(self) -> Self {
                self.wrapping_neg()
            }

            #[inline(always)]
            fn reverse(self) -> Self {
                self.reverse_bits()
            }

            #[inline(always)]
            fn shift_left(self, by: u32) -> Self {
                if by >= Self::BITS { 0 } else { self << (by & (Self::BITS - 1)) }
            }

            #[inline(always)]
            fn shift_right(self, by: u32) -> Self {
                let by = by.min(Self::BITS);
                // The shift by one less, then by one, gives the whole width its meaning.
                if by == 0 { self } else { (self >> (by - 1)) >> 1 }
            }

            #[inline(always)]
            fn ones(self) -> u32 {
                self.count_ones()
            }

            #[inline(always)]
            fn leading_zeros(self) -> u32 {
                <$type>::leading_zeros(self)
            }

            #[inline(always)]
            fn leading_bit(self) -> u32 {
                let value = if $signed && self < Self::ZERO { !self } else { self };
                (Self::BITS - 1).wrapping_sub(<$type>::leading_zeros(value))
            }
        }
    };
}

int!(u16, u32, false);
int!(i16, i32, true);
int!(u32, u64, false);
int!(i32, i64, true);
int!(u64, u128, false);
int!(i64, i128, true);

/// Runs `$body` with `$lane` as the Rust type of a lane.
macro_rules! with_int {
    ($ty:expr, $lane:ident => $body:expr) => {
        match $ty {
            IntType::U16 => {
                type $lane = u16;
                $body
            }
            IntType::S16 => {
                type $lane = i16;
                $body
            }
            IntType::U32 => {
                type $lane = u32;
                $body
            }
            IntType::S32 => {
                type $lane = i32;
                $body
            }
            IntType::U64 => {
                type $lane = u64;
                $body
            }
            IntType::S64 => {
                type $lane = i64;
                $body
            }
        }
    };
}
pub(super) use with_int;

#[inline(always)]
pub(super) fn execute(registers: &mut Registers, inst: &Inst, mask: u32) {
    match inst.op {
        Op::IntBinary(op, ty) => with_int!(ty, T => binary::<T>(registers, inst, mask, op)),
        Op::IntTernary(op, ty) => with_int!(ty, T => ternary::<T>(registers, inst, mask, op)),
        Op::IntUnary(op, ty) => with_int!(ty, T => unary::<T>(registers, inst, mask, op)),
        Op::MulWide(ty) => match ty {
            IntType::U16 => {
                map2(registers, inst, mask, |a: u16, b: u16| u32::from(a) * u32::from(b))
            }
            IntType::S16 => {
                map2(registers, inst, mask, |a: i16, b: i16| i32::from(a) * i32::from(b))
            }
            IntType::S32 => {
                map2(registers, inst, mask, |a: i32, b: i32| i64::from(a) * i64::from(b))
            }
            _ => map2(registers, inst, mask, |a: u32, b: u32| u64::from(a) * u64::from(b)),
        },
        Op::MadWide(ty) => match ty {
            IntType::U16 => map3(registers, inst, mask, |a: u16, b: u16, c: u32| {
                (u32::from(a) * u32::from(b)).wrapping_add(c)
            }),
            IntType::S16 => map3(registers, inst, mask, |a: i16, b: i16, c: i32| {
                (i32::from(a) * i32::from(b)).wrapping_add(c)
            }),
            IntType::S32 => map3(registers, inst, mask, |a: i32, b: i32, c: i64| {
                (i64::from(a) * i64::from(b)).wrapping_add(c)
            }),
            _ => map3(registers, inst, mask, |a: u32, b: u32, c: u64| {
                (u64::from(a) * u64::from(b)).wrapping_add(c)
            }),
        },
        Op::Shift { left, ty } => {
            if left {
                with_int!(ty, T => map2(registers, inst, mask, |a: T, by: u32| a.shift_left(by)));
            } else {
                with_int!(ty, T => map2(registers, inst, mask, |a: T, by: u32| a.shift_right(by)));
            }
        }
        Op::Funnel { left, wrap } => map3(registers, inst, mask, |a: u32, b: u32, c: u32| {
            let by = if wrap { c & 31 } else { c.min(32) };
            let both = u64::from(b) << 32 | u64::from(a);
            if left { ((both << by) >> 32) as u32 } else { (both >> by) as u32 }
        }),
        _ => bits(registers, inst, mask),
    }
}

/// What vector instructions do not help much.
fn bits(registers: &mut Registers, inst: &Inst, mask: u32) {
    match inst.op {
        Op::Carry(op, reads, writes, ty) => {
            with_int!(ty, T => carry::<T>(registers, inst, mask, op, reads, writes))
        }
        Op::BitCount(op, ty) => with_int!(ty, T => map1(registers, inst, mask, |a: T| match op {
            BitOp::Popc => a.ones(),
            BitOp::Clz => Int::leading_zeros(a),
            BitOp::Bfind => a.leading_bit(),
            BitOp::BfindShift => match a.leading_bit() {
                u32::MAX => u32::MAX,
                bit => T::BITS - 1 - bit,
            },
        })),
        Op::Fns => {
            let mut out = [0u32; LANES];
            for (lane, out) in out.iter_mut().enumerate() {
                let [a, base, offset] = [0, 1, 2].map(|i| registers.narrow(inst.src[i])[lane]);
                *out = find_nth_set(a, base, offset as i32);
            }
            store(registers, inst.dst, mask, &out);
        }
        Op::Bfe(ty) => {
            with_int!(ty, T => map3(registers, inst, mask, |a: T, start: u32, length: u32| {
                extract(a, field::<T>(start), field::<T>(length))
            }))
        }
        Op::Bfi(ty) => with_int!(ty, T => {
            let mut out = [Default::default(); LANES];
            for (lane, out) in out.iter_mut().enumerate() {
                let read = |row| T::get(<<T as Lane>::Cell as super::lanes::Cell>::row(registers, row)[lane]);
                let (start, length) = (registers.narrow(inst.src[2])[lane], registers.narrow(inst.src[3])[lane]);
                *out = insert(read(inst.src[0]), read(inst.src[1]), field::<T>(start), field::<T>(length)).put();
            }
            store(registers, inst.dst, mask, &out);
        }),
        Op::Bmsk { wrap } => map2(registers, inst, mask, |start: u32, length: u32| {
            let (start, length) =
                if wrap { (start & 31, length & 31) } else { (start.min(32), length.min(32)) };
            ((1u64 << length).wrapping_sub(1) << start) as u32
        }),
        Op::Szext { wrap, ty } => map2(registers, inst, mask, |a: u32, n: u32| {
            let n = if wrap { n & 31 } else { n.min(32) };
            match (n, ty) {
                (0, _) => 0,
                (_, IntType::S32) => ((a << (32 - n)) as i32 >> (32 - n)) as u32,
                _ => (u64::from(a) & ((1u64 << n) - 1)) as u32,
            }
        }),
        Op::Dp4a { signed } => map3(registers, inst, mask, |a: u32, b: u32, c: u32| {
            let byte = |word: u32, i: u32, signed: bool| {
                let byte = (word >> (8 * i)) as u8;
                if signed { i32::from(byte as i8) } else { i32::from(byte) }
            };
            (0..4).fold(c, |sum, i| {
                sum.wrapping_add((byte(a, i, signed[0]) * byte(b, i, signed[1])) as u32)
            })
        }),
        Op::Dp2a { high, signed } => map3(registers, inst, mask, |a: u32, b: u32, c: u32| {
            let b = if high { b >> 16 } else { b };
            (0..2).fold(c, |sum, i| {
                let (half, byte) = ((a >> (16 * i)) as u16, (b >> (8 * i)) as u8);
                let half = if signed[0] { i32::from(half as i16) } else { i32::from(half) };
                let byte = if signed[1] { i32::from(byte as i8) } else { i32::from(byte) };
                sum.wrapping_add(half.wrapping_mul(byte) as u32)
            })
        }),
        Op::Lop3 => {
            let table = inst.imm as u8;
            map3(registers, inst, mask, |a: u32, b: u32, c: u32| lop3(table, a, b, c));
        }
        Op::Prmt(mode) => {
            map3(registers, inst, mask, |a: u32, b: u32, c: u32| permute(mode, a, b, c))
        }
        _ => {}
    }
}

/// Any function of three bits, by its table.
#[inline(always)]
pub(super) fn lop3(table: u8, a: u32, b: u32, c: u32) -> u32 {
    (0..8).filter(|&i| table >> i & 1 != 0).fold(0, |out, i| {
        let pick = |bit: u8, value: u32| if i >> bit & 1 != 0 { value } else { !value };
        out | pick(2, a) & pick(1, b) & pick(0, c)
    })
}

#[inline(always)]
fn unary<T: Int>(registers: &mut Registers, inst: &Inst, mask: u32, op: IntUnary) {
    match op {
        IntUnary::Abs => {
            map1(registers, inst, mask, |a: T| if a < T::ZERO { a.negate() } else { a })
        }
        IntUnary::Neg => map1(registers, inst, mask, |a: T| a.negate()),
        IntUnary::Not => map1(registers, inst, mask, |a: T| a.invert()),
        IntUnary::Cnot => {
            map1(registers, inst, mask, |a: T| if a == T::ZERO { T::truncate(1) } else { T::ZERO });
        }
        IntUnary::Brev => map1(registers, inst, mask, |a: T| a.reverse()),
    }
}

/// Bits 0 to 23 of a factor, extended after its sign.
fn low24<T: Int>(value: T) -> i128 {
    let bits = value.extend() & 0xff_ffff;
    if T::truncate(-1) < T::ZERO && bits & 0x80_0000 != 0 { bits - 0x100_0000 } else { bits }
}

fn clamp32(value: i128) -> i128 {
    value.clamp(i128::from(i32::MIN), i128::from(i32::MAX))
}

#[inline(always)]
fn binary<T: Int>(registers: &mut Registers, inst: &Inst, mask: u32, op: IntBinary) {
    match op {
        IntBinary::Add => map2(registers, inst, mask, |a: T, b: T| a.add(b)),
        IntBinary::Sub => map2(registers, inst, mask, |a: T, b: T| a.sub(b)),
        IntBinary::MulLo => map2(registers, inst, mask, |a: T, b: T| a.mul(b)),
        IntBinary::MulHi => map2(registers, inst, mask, |a: T, b: T| a.mul_high(b)),
        IntBinary::Min => map2(registers, inst, mask, |a: T, b: T| if b < a { b } else { a }),
        IntBinary::Max => map2(registers, inst, mask, |a: T, b: T| if b > a { b } else { a }),
        IntBinary::And => map2(registers, inst, mask, |a: T, b: T| a.and(b)),
        IntBinary::Or => map2(registers, inst, mask, |a: T, b: T| a.or(b)),
        IntBinary::Xor => map2(registers, inst, mask, |a: T, b: T| a.xor(b)),
        IntBinary::Div => map2(registers, inst, mask, |a: T, b: T| a.quotient(b)),
        IntBinary::Rem => map2(registers, inst, mask, |a: T, b: T| a.remainder(b)),
        IntBinary::AddSat => map2(registers, inst, mask, |a: i32, b: i32| a.saturating_add(b)),
        IntBinary::SubSat => map2(registers, inst, mask, |a: i32, b: i32| a.saturating_sub(b)),
        IntBinary::Mul24Lo => {
            map2(registers, inst, mask, |a: T, b: T| T::truncate(low24(a) * low24(b)))
        }
        IntBinary::Mul24Hi => {
            map2(registers, inst, mask, |a: T, b: T| T::truncate((low24(a) * low24(b)) >> 16))
        }
    }
}

#[inline(always)]
fn ternary<T: Int>(registers: &mut Registers, inst: &Inst, mask: u32, op: IntTernary) {
    match op {
        IntTernary::MadLo => map3(registers, inst, mask, |a: T, b: T, c: T| a.mul(b).add(c)),
        IntTernary::MadHi => map3(registers, inst, mask, |a: T, b: T, c: T| a.mul_high(b).add(c)),
        IntTernary::MadHiSat => map3(registers, inst, mask, |a: T, b: T, c: T| {
            T::truncate(clamp32(a.mul_high(b).extend() + c.extend()))
        }),
        IntTernary::Mad24Lo => {
            map3(registers, inst, mask, |a: T, b: T, c: T| T::truncate(low24(a) * low24(b)).add(c))
        }
        IntTernary::Mad24HiSat => map3(registers, inst, mask, |a: T, b: T, c: T| {
            T::truncate(clamp32(((low24(a) * low24(b)) >> 16) + c.extend()))
        }),
        IntTernary::Mad24Hi => map3(registers, inst, mask, |a: T, b: T, c: T| {
            T::truncate((low24(a) * low24(b)) >> 16).add(c)
        }),
        IntTernary::Sad => map3(registers, inst, mask, |a: T, b: T, c: T| {
            c.add(if a < b { b.sub(a) } else { a.sub(b) })
        }),
    }
}

/// Addition, subtraction and multiply-add with the carry flag in and out. The flag after a
/// subtraction is the carry of `a + !b + 1`, as the hardware computes it: set where nothing is
/// borrowed, so that additions and subtractions may be mixed in one chain.
fn carry<T: Int>(
    registers: &mut Registers,
    inst: &Inst,
    mask: u32,
    op: CarryOp,
    reads: bool,
    writes: bool,
) {
    let flags = registers.predicates[PRED_CARRY as usize];
    let row = |row| <T::Cell as super::lanes::Cell>::row(registers, row);
    let mut out = [Default::default(); LANES];
    let mut carries = 0;
    let unsigned = |value: T| value.extend() & ((1i128 << T::BITS) - 1);
    for (lane, out) in out.iter_mut().enumerate() {
        let carry_in = match (reads, op) {
            (true, _) => i128::from(flags >> lane & 1),
            (false, CarryOp::Sub) => 1,
            (false, _) => 0,
        };
        let [a, b] = [0, 1].map(|i| T::get(row(inst.src[i])[lane]));
        let sum = match op {
            CarryOp::Add => unsigned(a) + unsigned(b) + carry_in,
            CarryOp::Sub => unsigned(a) + unsigned(b.invert()) + carry_in,
            CarryOp::MadLo | CarryOp::MadHi => {
                let c = T::get(row(inst.src[2])[lane]);
                let product = if op == CarryOp::MadLo { a.mul(b) } else { a.mul_high(b) };
                unsigned(product) + unsigned(c) + carry_in
            }
        };
        carries |= u32::from(sum >> T::BITS != 0) << lane;
        *out = T::truncate(sum).put();
    }
    store(registers, inst.dst, mask, &out);
    if writes {
        registers.set_predicate(PRED_CARRY, mask, carries);
    }
}

/// A start or a length of a bit field: eight bits of it count. With fields of 64 bits, which are a sequence of
/// instructions, all do (measured on an H100 80GB HBM3, driver 580).
fn field<T: Int>(number: u32) -> u32 {
    if T::BITS == 64 { number } else { number & 0xff }
}

/// `bfe`: `length` bits from `start`, extended with the sign bit of the field.
fn extract<T: Int>(value: T, start: u32, length: u32) -> T {
    if length == 0 {
        return T::ZERO;
    }
    let signed = T::truncate(-1) < T::ZERO;
    let top = T::BITS - 1;
    let bits = value.extend();
    let sign = signed && bits >> start.saturating_add(length - 1).min(top) & 1 != 0;
    // Beyond the register there are copies of the sign, or zeros.
    let shifted = if start > top {
        i128::from(if signed && bits < 0 { -1 } else { 0 })
    } else {
        bits >> start
    };
    if length > top {
        return T::truncate(shifted);
    }
    let field = shifted & ((1i128 << length) - 1);
    T::truncate(if sign { field | -1i128 << length } else { field })
}

/// `bfi`: the low `length` bits of `a` over `b` from bit `start` on.
fn insert<T: Int>(a: T, b: T, start: u32, length: u32) -> T {
    if start >= T::BITS {
        return b;
    }
    let field = if length >= T::BITS { -1i128 } else { (1i128 << length) - 1 };
    let mask = field << start;
    T::truncate(b.extend() & !mask | (a.extend() << start) & mask)
}

/// `fns`: the position of the n-th set bit from `base` on, upwards or downwards.
fn find_nth_set(value: u32, base: u32, offset: i32) -> u32 {
    const NONE: u32 = u32::MAX;
    if base > 31 {
        return NONE;
    }
    if offset == 0 {
        return if value >> base & 1 != 0 { base } else { NONE };
    }
    let step = offset.signum();
    let (mut at, mut left) = (base as i32, offset.unsigned_abs());
    while (0..32).contains(&at) {
        left -= value >> at & 1;
        if left == 0 {
            return at as u32;
        }
        at += step;
    }
    NONE
}

/// `prmt`: four bytes picked from eight.
fn permute(mode: PermuteMode, a: u32, b: u32, c: u32) -> u32 {
    let bytes = u64::from(b) << 32 | u64::from(a);
    let select = |i: u32| -> (u32, bool) {
        let n = c & 3;
        match mode {
            PermuteMode::Index => (c >> (4 * i) & 7, c >> (4 * i) & 8 != 0),
            PermuteMode::F4e => (n + i, false),
            PermuteMode::B4e => ((n + 8 - i) & 7, false),
            PermuteMode::Rc8 => (n, false),
            PermuteMode::Ecl => (i.max(n), false),
            PermuteMode::Ecr => (i.min(n), false),
            PermuteMode::Rc16 => (2 * (c & 1) + (i & 1), false),
        }
    };
    (0..4).fold(0, |out, i| {
        let (index, sign) = select(i);
        let byte = (bytes >> (8 * index)) as u8;
        let byte = if sign { ((byte as i8) >> 7) as u8 } else { byte };
        out | u32::from(byte) << (8 * i)
    })
}

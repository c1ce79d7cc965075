//! The functions of instructions, compiled for several instruction sets of the host.
//!
//! The families of operations are always inlined. Here each becomes a function of one instruction
//! set, in which the loops over 32 lanes become vector instructions of that set. For frequent
//! operations there is a function of their own: the same body, in which the operation is a constant.

use crate::host_memory;
use crate::program::{
    AccessShape, Cmp, Combine, Compare, FloatBinary, FloatMode, FloatType, Inst, IntBinary,
    IntTernary, IntType, MemorySpace, Op,
};

use super::lanes::{LANES, Registers};
use super::memory::View;
use super::plan::{Handler, Step, StepKind};
use super::{
    access, compare, convert, extremum, float, integer, memory, moves, narrow, packed, video,
};

/// What a function does, before it is compiled for an instruction set.
pub(super) trait Body {
    fn run(registers: &mut Registers, view: &mut View<'_>, step: &Step, mask: u32) -> bool;
}

/// Bytes that are copied as one: 32 bits of each lane.
pub(super) const LINE: usize = 4 * LANES;

/// An instruction set of the host.
pub(super) trait HostSimd {
    /// Whether frequent operations get functions of their own: where they gain little it is not
    /// worth the code.
    const SPECIALISED: bool;

    fn handler<B: Body>() -> Handler;

    /// Copies [`LINE`] bytes that may be raced for (see [`crate::host_memory`]).
    ///
    /// # Safety
    /// So many bytes are valid at both ends, which do not overlap, and the host has these instructions.
    unsafe fn copy_line(from: *const u8, to: *mut u8);
}

macro_rules! host_simd {
    ($name:ident, $doc:literal, $specialised:literal, $copy:expr $(, $features:meta)?) => {
        #[doc = $doc]
        pub(super) struct $name;

        impl HostSimd for $name {
            const SPECIALISED: bool = $specialised;

            fn handler<B: Body>() -> Handler {
                $(#[$features])?
                unsafe fn run<B: Body>(
                    registers: &mut Registers,
                    view: &mut View<'_>,
                    step: &Step,
                    mask: u32,
                ) -> bool {
                    B::run(registers, view, step, mask)
                }
                run::<B>
            }

            #[inline(always)]
            unsafe fn copy_line(from: *const u8, to: *mut u8) {
                // SAFETY: the caller's.
                unsafe { $copy(from, to) }
            }
        }
    };
}

host_simd!(Portable, "What every host has.", false, |from, to| host_memory::copy(from, to, LINE));
#[cfg(target_arch = "x86_64")]
host_simd!(
    Avx2,
    "256-bit vectors and fused multiply-add.",
    true,
    copy_line_avx,
    target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")
);
#[cfg(target_arch = "x86_64")]
host_simd!(
    Avx512,
    "512-bit vectors and lane masks.",
    true,
    copy_line_avx512,
    target_feature(
        enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512cd,avx512dq,avx512vl"
    )
);

/// [`HostSimd::copy_line`] by vectors of 256 bits.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx")]
unsafe fn copy_line_avx(from: *const u8, to: *mut u8) {
    // SAFETY: the caller's.
    unsafe {
        std::arch::asm!(
            "vmovdqu {a}, ymmword ptr [{from}]",
            "vmovdqu {b}, ymmword ptr [{from} + 32]",
            "vmovdqu {c}, ymmword ptr [{from} + 64]",
            "vmovdqu {d}, ymmword ptr [{from} + 96]",
            "vmovdqu ymmword ptr [{to}], {a}",
            "vmovdqu ymmword ptr [{to} + 32], {b}",
            "vmovdqu ymmword ptr [{to} + 64], {c}",
            "vmovdqu ymmword ptr [{to} + 96], {d}",
            from = in(reg) from,
            to = in(reg) to,
            a = out(ymm_reg) _,
            b = out(ymm_reg) _,
            c = out(ymm_reg) _,
            d = out(ymm_reg) _,
            options(nostack, preserves_flags)
        );
    }
}

/// [`HostSimd::copy_line`] by vectors of 512 bits.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn copy_line_avx512(from: *const u8, to: *mut u8) {
    // SAFETY: the caller's.
    unsafe {
        std::arch::asm!(
            "vmovdqu64 {a}, zmmword ptr [{from}]",
            "vmovdqu64 {b}, zmmword ptr [{from} + 64]",
            "vmovdqu64 zmmword ptr [{to}], {a}",
            "vmovdqu64 zmmword ptr [{to} + 64], {b}",
            from = in(reg) from,
            to = in(reg) to,
            a = out(zmm_reg) _,
            b = out(zmm_reg) _,
            options(nostack, preserves_flags)
        );
    }
}

/// Chooses the function of an instruction.
type Selector = fn(&Inst) -> (StepKind, Handler);

/// The best functions for this host.
pub(super) fn selector() -> Selector {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::is_x86_feature_detected as has;
        let avx2 = has!("avx2")
            && has!("fma")
            && has!("bmi1")
            && has!("bmi2")
            && has!("lzcnt")
            && has!("popcnt");
        let avx512 = has!("avx512f")
            && has!("avx512bw")
            && has!("avx512cd")
            && has!("avx512dq")
            && has!("avx512vl");
        if avx2 && avx512 {
            return select::<Avx512>;
        }
        if avx2 {
            return select::<Avx2>;
        }
    }
    select::<Portable>
}

/// A function for every host.
pub(super) fn plain<B: Body>() -> Handler {
    Portable::handler::<B>()
}

/// Families as bodies.
macro_rules! families {
    ($($name:ident = $execute:path;)*) => {
        $(struct $name;

        impl Body for $name {
            #[inline(always)]
            fn run(registers: &mut Registers, _: &mut View<'_>, step: &Step, mask: u32) -> bool {
                $execute(registers, &step.inst, mask);
                true
            }
        })*
    };
}
families! {
    Integer = integer::execute;
    Float = float::execute;
    Comparison = compare::execute;
    Conversion = convert::execute;
    Packed = packed::execute;
    Video = video::execute;
    Extremum = extremum::execute;
    Narrow = narrow::execute;
}

struct Moves;

impl Body for Moves {
    #[inline(always)]
    fn run(registers: &mut Registers, view: &mut View<'_>, step: &Step, mask: u32) -> bool {
        // Clocks are read by the executor itself, which knows the time.
        moves::execute(registers, &step.inst, mask, view.code, 0);
        true
    }
}

/// Loads and stores of any shape.
struct AnyAccess;

impl Body for AnyAccess {
    #[inline(always)]
    fn run(registers: &mut Registers, view: &mut View<'_>, step: &Step, mask: u32) -> bool {
        memory::run(registers, view, step, mask).is_some()
    }
}

/// What no function does: the executor has its own way.
struct Unreached;

impl Body for Unreached {
    #[inline(always)]
    fn run(_: &mut Registers, _: &mut View<'_>, _: &Step, _: u32) -> bool {
        true
    }
}

/// If `$op` is one of the constants, returns the family's function for that constant alone.
macro_rules! specialised {
    ($simd:ident, $inst:ident, $family:path: $($op:expr),* $(,)?) => {
        $(if $inst.op == $op {
            struct Special;
            impl Body for Special {
                #[inline(always)]
                fn run(
                    registers: &mut Registers,
                    _: &mut View<'_>,
                    step: &Step,
                    mask: u32,
                ) -> bool {
                    $family(registers, &Inst { op: $op, ..step.inst }, mask);
                    true
                }
            }
            return (StepKind::Register, $simd::handler::<Special>());
        })*
    };
}

/// Arithmetic of one unsigned type, where the sign makes no difference.
macro_rules! arithmetic {
    ($simd:ident, $inst:ident, $($ty:ident),*) => {
        $(specialised!($simd, $inst, integer::execute:
            Op::IntBinary(IntBinary::Add, IntType::$ty),
            Op::IntBinary(IntBinary::Sub, IntType::$ty),
            Op::IntBinary(IntBinary::MulLo, IntType::$ty),
            Op::IntBinary(IntBinary::And, IntType::$ty),
            Op::IntBinary(IntBinary::Or, IntType::$ty),
            Op::IntBinary(IntBinary::Xor, IntType::$ty),
            Op::IntTernary(IntTernary::MadLo, IntType::$ty),
            Op::Shift { left: true, ty: IntType::$ty },
            Op::Shift { left: false, ty: IntType::$ty },
        );
        specialised!($simd, $inst, compare::execute:
            Op::Setp(Compare::Int(Cmp::Eq, IntType::$ty), Combine::None),
            Op::Setp(Compare::Int(Cmp::Ne, IntType::$ty), Combine::None),
        );)*
    };
}

/// Comparisons of order.
macro_rules! orders {
    ($simd:ident, $inst:ident, $($ty:ident),*) => {
        $(specialised!($simd, $inst, compare::execute:
            Op::Setp(Compare::Int(Cmp::Lt, IntType::$ty), Combine::None),
            Op::Setp(Compare::Int(Cmp::Le, IntType::$ty), Combine::None),
            Op::Setp(Compare::Int(Cmp::Gt, IntType::$ty), Combine::None),
            Op::Setp(Compare::Int(Cmp::Ge, IntType::$ty), Combine::None),
        );)*
    };
}

/// The unsigned form of an operation whose result has the same bits for signed operands, so that one
/// function serves both.
pub(super) fn without_sign(op: Op) -> Op {
    let unsigned = |ty| match ty {
        IntType::S16 => IntType::U16,
        IntType::S32 => IntType::U32,
        IntType::S64 => IntType::U64,
        unsigned => unsigned,
    };
    use IntBinary::{Add, And, MulLo, Or, Sub, Xor};
    match op {
        Op::IntBinary(op @ (Add | Sub | MulLo | And | Or | Xor), ty) => {
            Op::IntBinary(op, unsigned(ty))
        }
        Op::IntTernary(IntTernary::MadLo, ty) => Op::IntTernary(IntTernary::MadLo, unsigned(ty)),
        Op::Shift { left: true, ty } => Op::Shift { left: true, ty: unsigned(ty) },
        Op::Setp(Compare::Int(cmp @ (Cmp::Eq | Cmp::Ne), ty), combine) => {
            Op::Setp(Compare::Int(cmp, unsigned(ty)), combine)
        }
        other => other,
    }
}

fn select<S: HostSimd>(inst: &Inst) -> (StepKind, Handler) {
    if S::SPECIALISED {
        specialised!(S, inst, float::execute:
            Op::Fma(FloatType::F32, FloatMode::PLAIN),
            Op::Fma(FloatType::F64, FloatMode::PLAIN),
            Op::FloatBinary(FloatBinary::Add, FloatType::F32, FloatMode::PLAIN),
            Op::FloatBinary(FloatBinary::Sub, FloatType::F32, FloatMode::PLAIN),
            Op::FloatBinary(FloatBinary::Mul, FloatType::F32, FloatMode::PLAIN),
            Op::FloatBinary(FloatBinary::Add, FloatType::F64, FloatMode::PLAIN),
            Op::FloatBinary(FloatBinary::Mul, FloatType::F64, FloatMode::PLAIN),
        );
        arithmetic!(S, inst, U32, U64);
        orders!(S, inst, S32, U32, S64, U64);
        specialised!(S, inst, integer::execute:
            Op::MulWide(IntType::S32),
            Op::MulWide(IntType::U32),
            Op::MadWide(IntType::S32),
            Op::MadWide(IntType::U32),
        );
        specialised!(S, inst, compare::execute: Op::Selp { wide: false });
    }
    match inst.op {
        Op::Move32 => (StepKind::Register, S::handler::<access::Move<u32>>()),
        Op::Move64 => (StepKind::Register, S::handler::<access::Move<u64>>()),
        Op::IntUnary(..)
        | Op::IntBinary(..)
        | Op::IntTernary(..)
        | Op::MulWide(_)
        | Op::MadWide(_)
        | Op::Carry(..)
        | Op::Shift { .. }
        | Op::Funnel { .. }
        | Op::BitCount(..)
        | Op::Fns
        | Op::Bfe(_)
        | Op::Bfi(_)
        | Op::Bmsk { .. }
        | Op::Szext { .. }
        | Op::Dp4a { .. }
        | Op::Dp2a { .. }
        | Op::Lop3
        | Op::Prmt(_) => (StepKind::Register, S::handler::<Integer>()),
        Op::FloatUnary(..) | Op::FloatBinary(..) | Op::Fma(..) | Op::Testp(..) => {
            (StepKind::Register, S::handler::<Float>())
        }
        Op::Setp(..) | Op::Set { .. } | Op::Selp { .. } | Op::Slct { .. } => {
            (StepKind::Register, S::handler::<Comparison>())
        }
        Op::PackedInt(_) | Op::IntRelu { .. } | Op::PackSaturated { .. } | Op::Lop3Bool { .. } => {
            (StepKind::Register, S::handler::<Packed>())
        }
        Op::Video(_) | Op::VideoMad(_) | Op::VideoSimd(_) => {
            (StepKind::Register, S::handler::<Video>())
        }
        Op::Extremum(_) => (StepKind::Register, S::handler::<Extremum>()),
        Op::ConvertNarrow(_) => (StepKind::Register, S::handler::<Narrow>()),
        Op::Convert(_) | Op::ConvertPack { .. } => (StepKind::Register, S::handler::<Conversion>()),
        Op::MovePred
        | Op::PredNot
        | Op::PredBinary(_)
        | Op::AddImmediate
        | Op::Pack { .. }
        | Op::Unpack { .. }
        | Op::IsSpace(_) => (StepKind::Register, S::handler::<Moves>()),
        Op::Load(shape, _) => (StepKind::Access, load::<S>(shape)),
        Op::Store(shape, _) => (StepKind::Access, store::<S>(shape)),
        _ => (StepKind::Control, S::handler::<Unreached>()),
    }
}

/// Shapes with a function of their own: the body, by width and number of elements.
macro_rules! shapes {
    ($simd:ident, $shape:ident, $body:ident) => {
        match ($shape.bytes, $shape.count, $shape.wide, $shape.narrow_address) {
            _ if !$simd::SPECIALISED => $simd::handler::<AnyAccess>(),
            _ if $shape.space == MemorySpace::Local || $shape.signed && $shape.bytes < 4 => {
                $simd::handler::<AnyAccess>()
            }
            (4, 1, false, false) => $simd::handler::<access::$body<$simd, u32, u64, 1>>(),
            (4, 2, false, false) => $simd::handler::<access::$body<$simd, u32, u64, 2>>(),
            (4, 4, false, false) => $simd::handler::<access::$body<$simd, u32, u64, 4>>(),
            (8, 1, true, false) => $simd::handler::<access::$body<$simd, u64, u64, 1>>(),
            (8, 2, true, false) => $simd::handler::<access::$body<$simd, u64, u64, 2>>(),
            (4, 1, false, true) => $simd::handler::<access::$body<$simd, u32, u32, 1>>(),
            (4, 2, false, true) => $simd::handler::<access::$body<$simd, u32, u32, 2>>(),
            (4, 4, false, true) => $simd::handler::<access::$body<$simd, u32, u32, 4>>(),
            (8, 1, true, true) => $simd::handler::<access::$body<$simd, u64, u32, 1>>(),
            (8, 2, true, true) => $simd::handler::<access::$body<$simd, u64, u32, 2>>(),
            _ => $simd::handler::<AnyAccess>(),
        }
    };
}

fn load<S: HostSimd>(shape: AccessShape) -> Handler {
    shapes!(S, shape, Load)
}

fn store<S: HostSimd>(shape: AccessShape) -> Handler {
    shapes!(S, shape, Store)
}

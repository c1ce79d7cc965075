//! Atomic operations, lane after lane in lane order.

use std::cell::Cell;
use std::sync::atomic::{AtomicU16, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::fault::AccessKind;
use crate::host_memory::Element;
use crate::program::{AtomicOp, AtomicType, FloatType, Inst, MemorySpace, Op, Rounding};

use super::float;
use super::lanes::{LANES, Registers, store};
use super::memory::{View, Violation};
use super::soft_float::{Exact, Format};

/// Keeps 128-bit atomics apart from one another: the host has none in every case.
static WIDE: Mutex<()> = Mutex::new(());

/// Exchanges, or compares and swaps, 128 bits.
pub(super) fn execute_wide(
    view: &View<'_>,
    registers: &mut Registers,
    inst: &Inst,
    mask: u32,
) -> Result<(), Violation> {
    let Op::AtomicWide { space, narrow_address, compare } = inst.op else { return Ok(()) };
    let read = |registers: &Registers, row: u32, lane: usize| {
        u128::from(registers.wide(row)[lane]) | u128::from(registers.wide(row + 2)[lane]) << 64
    };
    let mut old = [[0u64; LANES]; 2];
    for lane in (0..LANES).filter(|lane| mask >> lane & 1 != 0) {
        let address = registers.address(inst.src[0], inst.imm, narrow_address, lane);
        let pointer = view.cell(lane, space, address, 16, AccessKind::Atomic)?.cast::<u64>();
        let _guard = WIDE.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: `cell` has checked 16 bytes and their alignment.
        let [low, high] = [0, 1].map(|half| unsafe { u64::load(pointer.add(half)) });
        let seen = u128::from(low) | u128::from(high) << 64;
        let b = read(registers, inst.src[1], lane);
        let new = match compare {
            true if seen == b => Some(read(registers, inst.src[2], lane)),
            true => None,
            false => Some(b),
        };
        if let Some(new) = new {
            // SAFETY: as above.
            unsafe {
                u64::store(pointer, new as u64);
                u64::store(pointer.add(1), (new >> 64) as u64);
            }
        }
        (old[0][lane], old[1][lane]) = (seen as u64, (seen >> 64) as u64);
    }
    store(registers, inst.dst, mask, &old[0]);
    store(registers, inst.dst + 2, mask, &old[1]);
    Ok(())
}

/// Runs an atomic or reduction; the addresses are returned for the counters.
pub(super) fn execute(
    view: &mut View<'_>,
    registers: &mut Registers,
    inst: &Inst,
    mask: u32,
    site: usize,
) -> Result<(MemorySpace, [u64; LANES], u64), Violation> {
    let Op::Atomic { op, ty, space, narrow_address, result, .. } = inst.op else {
        return Ok((MemorySpace::Global, [0; LANES], 4));
    };
    let bytes = u64::from(ty.bytes());
    let located = view.locate(
        registers,
        inst.src[0],
        inst.imm,
        narrow_address,
        mask,
        space,
        bytes,
        site,
        AccessKind::Atomic,
    )?;
    let wide = bytes == 8;
    let unit = Unit::of(located.space);
    let read =
        |row: u32, lane: usize| match (op == AtomicOp::CompareSwap || row == inst.src[1], wide) {
            (false, _) => 0,
            (_, true) => registers.wide(row)[lane],
            (_, false) => u64::from(registers.narrow(row)[lane]),
        };
    let mut old = [0u64; LANES];
    for lane in (0..LANES).filter(|&lane| mask & (1 << lane) != 0) {
        let pointer = located.pointers.lane(lane, bytes as usize);
        let (b, c) = (read(inst.src[1], lane), read(inst.src[2], lane));
        let changes = Cell::new(false);
        let update = |value: u64| {
            let new = updated(op, ty, unit, value, b, c);
            changes.set(new != value);
            new
        };
        // SAFETY: `locate` has checked that the bytes are inside an allocation and aligned, and
        // allocations are aligned to more than 8 bytes on the host.
        old[lane] = unsafe {
            match bytes {
                2 => {
                    let cell = AtomicU16::from_ptr(pointer.cast());
                    let mut seen = cell.load(Ordering::Relaxed);
                    loop {
                        let new = update(u64::from(seen)) as u16;
                        match cell.compare_exchange_weak(
                            seen,
                            new,
                            Ordering::AcqRel,
                            Ordering::Relaxed,
                        ) {
                            Ok(value) => break u64::from(value),
                            Err(value) => seen = value,
                        }
                    }
                }
                4 => {
                    let cell = AtomicU32::from_ptr(pointer.cast());
                    if op == AtomicOp::Add && matches!(ty, AtomicType::U32 | AtomicType::S32) {
                        changes.set(b as u32 != 0);
                        u64::from(cell.fetch_add(b as u32, Ordering::AcqRel))
                    } else {
                        let mut seen = cell.load(Ordering::Relaxed);
                        loop {
                            let new = update(u64::from(seen)) as u32;
                            match cell.compare_exchange_weak(
                                seen,
                                new,
                                Ordering::AcqRel,
                                Ordering::Relaxed,
                            ) {
                                Ok(value) => break u64::from(value),
                                Err(value) => seen = value,
                            }
                        }
                    }
                }
                _ => {
                    let cell = AtomicU64::from_ptr(pointer.cast());
                    let mut seen = cell.load(Ordering::Relaxed);
                    loop {
                        let new = update(seen);
                        match cell.compare_exchange_weak(
                            seen,
                            new,
                            Ordering::AcqRel,
                            Ordering::Relaxed,
                        ) {
                            Ok(value) => break value,
                            Err(value) => seen = value,
                        }
                    }
                }
            }
        };
        view.changes += u64::from(changes.get());
    }
    if result {
        if wide {
            store(registers, inst.dst, mask, &old);
        } else {
            store(registers, inst.dst, mask, &old.map(|value| value as u32));
        }
    }
    Ok((located.space, located.addresses, bytes))
}

/// Combines what is in a cell of memory with a value.
///
/// # Safety
/// The pointer is to as many bytes as the type has, and aligned.
pub(super) unsafe fn combine(
    pointer: *mut u8,
    op: AtomicOp,
    ty: AtomicType,
    unit: Unit,
    value: u64,
) {
    let new = |seen: u64| updated(op, ty, unit, seen, value, 0);
    macro_rules! update {
        ($atomic:ty, $cell:ty) => {{
            // SAFETY: the caller's.
            let cell = unsafe { <$atomic>::from_ptr(pointer.cast()) };
            let new = |seen: $cell| Some(new(u64::from(seen)) as $cell);
            let _ = cell.fetch_update(Ordering::AcqRel, Ordering::Relaxed, new);
        }};
    }
    match ty.bytes() {
        2 => update!(AtomicU16, u16),
        4 => update!(AtomicU32, u32),
        _ => update!(AtomicU64, u64),
    }
}

/// What adds. The two differ in sums of single and double precision (PTX ISA, "atom": on global memory
/// `.f32` is flushed; the rest measured on an H100 80GB HBM3, driver 580).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// The second-level cache: single precision is flushed; of NaN in double precision the addend stays,
    /// or else what was in memory, as it is.
    Cache,
    /// A loop round the multiprocessor's adder.
    Multiprocessor,
}

impl Unit {
    pub(super) fn of(space: MemorySpace) -> Unit {
        match space {
            MemorySpace::Shared => Unit::Multiprocessor,
            _ => Unit::Cache,
        }
    }

    fn add32(self, a: u32, b: u32) -> u32 {
        let ftz = self == Unit::Cache;
        let [a, b] = [a, b].map(|bits| float::flush32(f32::from_bits(bits), ftz));
        float::canonical(float::flush32(a + b, ftz))
    }

    fn add64(self, a: u64, b: u64) -> u64 {
        let [old, addend] = [a, b].map(f64::from_bits);
        match self {
            Unit::Cache if addend.is_nan() => b,
            Unit::Cache if old.is_nan() => a,
            _ => float::handed_on(old + addend, [old, addend]),
        }
    }
}

/// The value after the operation.
fn updated(op: AtomicOp, ty: AtomicType, unit: Unit, value: u64, b: u64, c: u64) -> u64 {
    match op {
        AtomicOp::Exchange => b,
        AtomicOp::CompareSwap => {
            if value == b {
                c
            } else {
                value
            }
        }
        AtomicOp::And => value & b,
        AtomicOp::Or => value | b,
        AtomicOp::Xor => value ^ b,
        AtomicOp::Inc => {
            if value >= b {
                0
            } else {
                value + 1
            }
        }
        AtomicOp::Dec => {
            if value == 0 || value > b {
                b
            } else {
                value - 1
            }
        }
        AtomicOp::Add => match ty {
            AtomicType::F32 => unit.add32(value as u32, b as u32).into(),
            AtomicType::F64 => unit.add64(value, b),
            AtomicType::Half(half) => halves(half, value, b),
            _ => value.wrapping_add(b),
        },
        AtomicOp::Min | AtomicOp::Max => {
            let less = match ty {
                AtomicType::S32 => (value as i32) < b as i32,
                AtomicType::S64 => (value as i64) < b as i64,
                _ => value < b,
            };
            if less == (op == AtomicOp::Min) { value } else { b }
        }
    }
}

/// Sums of one or two halves.
fn halves(ty: FloatType, a: u64, b: u64) -> u64 {
    let format = Format::of(ty);
    let half = |shift: u32| {
        let sum = Exact::fma(
            format.decode(a >> shift & 0xffff),
            1.0,
            Some(format.decode(b >> shift & 0xffff)),
            false,
        );
        format.encode(sum.round(format, Rounding::NearestEven)) << shift
    };
    match ty {
        FloatType::F16x2 | FloatType::Bf16x2 => half(0) | half(16),
        _ => half(0),
    }
}

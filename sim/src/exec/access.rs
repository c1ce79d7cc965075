//! Loads and stores of the frequent shapes.
//!
//! Whole warps mostly access consecutive elements or one and the same. Which of the two it may be
//! is seen from the first two lanes, before any list of addresses is made; one pass over the address
//! register then says whether it is so, and the bounds of the whole access are those of its first
//! and last element. Other patterns are checked by the greatest offset. Whatever does not lie in one
//! allocation, is not aligned or is out of bounds goes the general way ([`super::memory`]), which
//! finds out lane by lane.
//!
//! The shared memory of a block is one worker's, and may be gathered; global memory may be raced for
//! (see [`crate::host_memory`]).

use std::marker::PhantomData;

use crate::host_memory::Element;
use crate::program::{AccessShape, MemorySpace, NO_ROW, Op};

use super::host_simd::{Body, HostSimd, LINE};
use super::lanes::{Cell, LANES, Registers, store};
use super::memory::{self, MemoryRange, Seen, View, Whole, generic};
use super::plan::Step;

/// A register move.
pub(super) struct Move<C>(PhantomData<C>);

impl<C: Cell> Body for Move<C> {
    #[inline(always)]
    fn run(registers: &mut Registers, _: &mut View<'_>, step: &Step, mask: u32) -> bool {
        let values = *C::row(registers, step.inst.src[0]);
        store(registers, step.inst.dst, mask, &values);
        true
    }
}

/// A load of `COUNT` elements into registers of the same width, by addresses of type `A`.
pub(super) struct Load<S, E, A, const COUNT: usize>(PhantomData<(S, E, A)>);

/// A store of `COUNT` elements.
pub(super) struct Store<S, E, A, const COUNT: usize>(PhantomData<(S, E, A)>);

/// What addresses are computed in.
pub(super) trait Address: Cell {
    fn offset(self, by: i64) -> Self;
    fn minus(self, other: Self) -> Self;
    fn of(value: u64) -> Self;
    fn greater(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
}

macro_rules! address {
    ($type:ty) => {
        impl Address for $type {
            #[inline(always)]
            fn offset(self, by: i64) -> $type {
                self.wrapping_add(by as $type)
            }

            #[inline(always)]
            fn minus(self, other: $type) -> $type {
                self.wrapping_sub(other)
            }

            #[inline(always)]
            fn of(value: u64) -> $type {
                value as $type
            }

            #[inline(always)]
            fn greater(self, other: $type) -> $type {
                self.max(other)
            }

            #[inline(always)]
            fn or(self, other: $type) -> $type {
                self | other
            }
        }
    };
}
address!(u32);
address!(u64);

/// Where a whole access goes.
enum Shape {
    /// Lane after lane, without gaps.
    Consecutive(*mut u8),
    /// All lanes the same.
    Uniform(*mut u8),
    /// The first byte of the allocation; offsets differ. Whether it is the block's alone.
    Scattered(*mut u8, bool),
}

/// Checks the access of a warp as a whole: `None` where it takes the general way. `offsets` are
/// written for scattered accesses only; lanes that are not active get those of one that is.
#[inline(always)]
fn locate<A: Address>(
    registers: &Registers,
    view: &mut View<'_>,
    step: &Step,
    mask: u32,
    shape: AccessShape,
    writes: bool,
    width: u64,
    offsets: &mut [A; LANES],
) -> Option<Shape> {
    let row = A::row(registers, step.inst.src[0]);
    let lead = row[mask.trailing_zeros() as usize & 31].offset(step.inst.imm);
    let (space, base) = match shape.space {
        MemorySpace::Generic => generic(lead.low()),
        space => (space, 0),
    };
    let region = match space {
        MemorySpace::Shared => view.shared,
        MemorySpace::Param if writes => return None,
        MemorySpace::Param => view.params,
        MemorySpace::Local => return None,
        MemorySpace::Global | MemorySpace::Generic => {
            view.global_region(step.at as usize, lead.low())
        }
    };
    let MemoryRange { base: first, size, pointer } = region;
    let start = A::of(first.wrapping_add(base));
    // The last offset at which an element fits.
    let last = size.checked_sub(width)?;
    let from = row[0].offset(step.inst.imm).minus(start);
    let aligned = |offset: A| (offset.low().wrapping_add(first)) & (width - 1) == 0;
    if mask == u32::MAX {
        let whole = |stride| {
            let first = from.low().wrapping_add(first);
            Seen::Whole(Whole { space, first, stride })
        };
        let stride = row[1].minus(row[0]);
        let mut differs = A::of(0);
        if stride.low() == width {
            for (lane, &address) in row.iter().enumerate() {
                differs = differs.or(address.minus(row[0]).minus(A::of(lane as u64 * width)));
            }
            let reach = (LANES as u64 - 1) * width;
            if differs.low() == 0 {
                let inside = from.low() <= last && last - from.low() >= reach;
                if view.listens {
                    view.seen = whole(width);
                }
                return (inside && aligned(from))
                    .then(|| Shape::Consecutive(pointer.wrapping_add(from.low() as usize)));
            }
        } else if stride.low() == 0 {
            for &address in row {
                differs = differs.or(address.minus(row[0]));
            }
            if differs.low() == 0 {
                if view.listens {
                    view.seen = whole(0);
                }
                return (from.low() <= last && aligned(from))
                    .then(|| Shape::Uniform(pointer.wrapping_add(from.low() as usize)));
            }
        }
    }
    let mut greatest = A::of(0);
    let mut bits = A::of(0);
    let move_by = A::of(0).offset(step.inst.imm).minus(start);
    let lead = lead.minus(start);
    for lane in 0..LANES {
        let offset = row[lane].offset(move_by.low() as i64);
        let offset = if mask & (1 << lane) != 0 { offset } else { lead };
        greatest = greatest.greater(offset);
        bits = bits.or(offset);
        offsets[lane] = offset;
    }
    // Allocations start at multiples of every width, so offsets are aligned as addresses are.
    (greatest.low() <= last && bits.low() & (width - 1) == 0 && first & (width - 1) == 0)
        .then_some(Shape::Scattered(pointer, space != MemorySpace::Global))
}

/// The registers of an access.
#[inline(always)]
fn rows<const COUNT: usize>(view: &View<'_>, step: &Step) -> [u32; COUNT] {
    if COUNT == 1 {
        return [step.inst.dst; COUNT];
    }
    let (Op::Load(_, list) | Op::Store(_, list)) = step.inst.op else { return [NO_ROW; COUNT] };
    std::array::from_fn(|i| view.code.lists[list.start as usize + i])
}

/// Copies the elements of all lanes, `COUNT` each.
///
/// # Safety
/// As many bytes are valid at both ends, which do not overlap, and the host has the instructions of `S`.
#[inline(always)]
unsafe fn copy_lines<S: HostSimd, E, const COUNT: usize>(from: *const u8, to: *mut u8) {
    for at in (0..size_of::<[[E; LANES]; COUNT]>()).step_by(LINE) {
        // SAFETY: the caller's; a line is no more than is left.
        unsafe { S::copy_line(from.add(at), to.add(at)) };
    }
}

impl<S: HostSimd, E: Cell + Element, A: Address, const COUNT: usize> Body for Load<S, E, A, COUNT> {
    #[inline(always)]
    fn run(registers: &mut Registers, view: &mut View<'_>, step: &Step, mask: u32) -> bool {
        let Op::Load(shape, _) = step.inst.op else { return true };
        let width = (size_of::<E>() * COUNT) as u64;
        let mut offsets = [A::of(0); LANES];
        let Some(found) = locate(registers, view, step, mask, shape, false, width, &mut offsets)
        else {
            return memory::run(registers, view, step, mask).is_some();
        };
        if COUNT == 1
            && step.inst.dst != NO_ROW
            && let Shape::Consecutive(pointer) = found
        {
            let row = E::row_mut(registers, step.inst.dst).as_mut_ptr();
            // SAFETY: as below, and the plan chose `S` for this host.
            unsafe { copy_lines::<S, E, COUNT>(pointer, row.cast()) };
            return true;
        }
        let mut block = [[E::default(); LANES]; COUNT];
        if let Shape::Consecutive(pointer) = found {
            // SAFETY: as above.
            unsafe { copy_lines::<S, E, COUNT>(pointer, block.as_mut_ptr().cast()) };
        }
        for (i, row) in rows::<COUNT>(view, step).into_iter().enumerate() {
            if row == NO_ROW {
                continue;
            }
            let mut values = [E::default(); LANES];
            // SAFETY: `locate` has checked every lane's bytes, those of lanes that are not active
            // being another's. Alignment follows from that of the address and of the region.
            unsafe {
                match found {
                    Shape::Consecutive(_) => {
                        for (lane, value) in values.iter_mut().enumerate() {
                            let at = lane * COUNT + i;
                            *value = block[at / LANES][at % LANES];
                        }
                    }
                    Shape::Uniform(pointer) => {
                        values = [E::load(pointer.cast::<E>().add(i)); LANES];
                    }
                    Shape::Scattered(pointer, true) => {
                        for (value, offset) in values.iter_mut().zip(&offsets) {
                            *value = pointer.add(offset.low() as usize).cast::<E>().add(i).read();
                        }
                    }
                    Shape::Scattered(pointer, false) => {
                        for (value, offset) in values.iter_mut().zip(&offsets) {
                            *value = E::load(pointer.add(offset.low() as usize).cast::<E>().add(i));
                        }
                    }
                }
            }
            store(registers, row, mask, &values);
        }
        true
    }
}

impl<S: HostSimd, E: Cell + Element, A: Address, const COUNT: usize> Body
    for Store<S, E, A, COUNT>
{
    #[inline(always)]
    fn run(registers: &mut Registers, view: &mut View<'_>, step: &Step, mask: u32) -> bool {
        let Op::Store(shape, _) = step.inst.op else { return true };
        let width = (size_of::<E>() * COUNT) as u64;
        let mut offsets = [A::of(0); LANES];
        let Some(found) = locate(registers, view, step, mask, shape, true, width, &mut offsets)
        else {
            return memory::run(registers, view, step, mask).is_some();
        };
        view.changes += 1;
        let rows = rows::<COUNT>(view, step);
        if let Shape::Consecutive(pointer) = found {
            if COUNT == 1 {
                let row = E::row(registers, rows[0]).as_ptr();
                // SAFETY: as for loads.
                unsafe { copy_lines::<S, E, COUNT>(row.cast(), pointer) };
                return true;
            }
            let mut block = [[E::default(); LANES]; COUNT];
            for (i, &row) in rows.iter().enumerate() {
                for (lane, &value) in E::row(registers, row).iter().enumerate() {
                    let at = lane * COUNT + i;
                    block[at / LANES][at % LANES] = value;
                }
            }
            // SAFETY: as for loads.
            unsafe { copy_lines::<S, E, COUNT>(block.as_ptr().cast(), pointer) };
            return true;
        }
        for (i, row) in rows.into_iter().enumerate() {
            let values = E::row(registers, row);
            // SAFETY: as for loads; only active lanes write.
            unsafe {
                match found {
                    Shape::Consecutive(_) => {}
                    // Of lanes with one address the last one wins.
                    Shape::Uniform(pointer) => {
                        E::store(pointer.cast::<E>().add(i), values[LANES - 1]);
                    }
                    Shape::Scattered(pointer, _) => {
                        let mut left = mask;
                        while left != 0 {
                            let lane = left.trailing_zeros() as usize;
                            left &= left - 1;
                            let offset = offsets[lane].low() as usize;
                            E::store(pointer.add(offset).cast::<E>().add(i), values[lane]);
                        }
                    }
                }
            }
        }
        true
    }
}

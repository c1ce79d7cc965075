//! Registers of a warp, and operations lane by lane over whole rows.
//!
//! The loops here are written to become vector instructions: they go from local copies of rows to a local
//! row, so that nothing can alias and a destination that is also a source does not matter. The copies are
//! vector registers in the end. Results are then stored under the lane mask.

use crate::program::Inst;

/// Lanes of a warp.
pub(crate) const LANES: usize = gpuc_arch::WARP_SIZE as usize;

/// One 32-bit register of all lanes.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Row(pub(crate) [u32; LANES]);

impl Row {
    pub(crate) const ZERO: Row = Row([0; LANES]);
}

/// The registers of one warp.
#[derive(Debug, Default)]
pub(crate) struct Registers {
    pub(crate) rows: Vec<Row>,
    pub(crate) predicates: Vec<u32>,
}

impl Registers {
    #[inline(always)]
    pub(crate) fn narrow(&self, row: u32) -> &[u32; LANES] {
        &self.rows[row as usize].0
    }

    #[inline(always)]
    pub(crate) fn narrow_mut(&mut self, row: u32) -> &mut [u32; LANES] {
        &mut self.rows[row as usize].0
    }

    /// Two rows as one of 64-bit lanes.
    #[inline(always)]
    pub(crate) fn wide(&self, row: u32) -> &[u64; LANES] {
        let rows = &self.rows[row as usize..row as usize + 2];
        // SAFETY: two adjacent rows are 256 bytes without padding, aligned to 64, and any bits are
        // a `u64`.
        unsafe { &*rows.as_ptr().cast() }
    }

    #[inline(always)]
    pub(crate) fn wide_mut(&mut self, row: u32) -> &mut [u64; LANES] {
        let rows = &mut self.rows[row as usize..row as usize + 2];
        // SAFETY: as in `wide`; the borrow is unique.
        unsafe { &mut *rows.as_mut_ptr().cast() }
    }

    /// The address that one lane has in a row, with an offset.
    pub(crate) fn address(&self, row: u32, offset: i64, narrow: bool, lane: usize) -> u64 {
        if narrow {
            u64::from(self.narrow(row)[lane].wrapping_add(offset as u32))
        } else {
            self.wide(row)[lane].wrapping_add(offset as u64)
        }
    }

    /// Lanes in which a predicate source holds.
    #[inline(always)]
    pub(crate) fn predicate(&self, source: u32) -> u32 {
        let value = self.predicates[(source >> 1) as usize];
        if source & 1 == 0 { value } else { !value }
    }

    /// Writes a predicate in the lanes of `mask`.
    #[inline(always)]
    pub(crate) fn set_predicate(&mut self, number: u32, mask: u32, value: u32) {
        let predicate = &mut self.predicates[number as usize];
        *predicate = *predicate & !mask | value & mask;
    }
}

/// What a register holds in one lane.
pub(crate) trait Cell: Copy + Default {
    fn row(registers: &Registers, row: u32) -> &[Self; LANES];
    fn row_mut(registers: &mut Registers, row: u32) -> &mut [Self; LANES];
    fn low(self) -> u64;
}

impl Cell for u32 {
    #[inline(always)]
    fn row(registers: &Registers, row: u32) -> &[u32; LANES] {
        registers.narrow(row)
    }

    #[inline(always)]
    fn row_mut(registers: &mut Registers, row: u32) -> &mut [u32; LANES] {
        registers.narrow_mut(row)
    }

    #[inline(always)]
    fn low(self) -> u64 {
        u64::from(self)
    }
}

impl Cell for u64 {
    #[inline(always)]
    fn row(registers: &Registers, row: u32) -> &[u64; LANES] {
        registers.wide(row)
    }

    #[inline(always)]
    fn row_mut(registers: &mut Registers, row: u32) -> &mut [u64; LANES] {
        registers.wide_mut(row)
    }

    #[inline(always)]
    fn low(self) -> u64 {
        self
    }
}

/// A type that a lane is read and written as.
pub(crate) trait Lane: Copy {
    type Cell: Cell;
    fn get(cell: Self::Cell) -> Self;
    fn put(self) -> Self::Cell;
}

macro_rules! lane {
    ($type:ty, $cell:ty, $get:expr, $put:expr) => {
        impl Lane for $type {
            type Cell = $cell;

            #[inline(always)]
            fn get(cell: $cell) -> $type {
                ($get)(cell)
            }

            #[inline(always)]
            fn put(self) -> $cell {
                ($put)(self)
            }
        }
    };
}

lane!(u32, u32, |c| c, |v| v);
lane!(i32, u32, |c| c as i32, |v| v as u32);
lane!(u64, u64, |c| c, |v| v);
lane!(i64, u64, |c| c as i64, |v| v as u64);
lane!(u16, u32, |c| c as u16, u32::from);
// Narrow registers keep their upper half clear.
lane!(i16, u32, |c| c as u16 as i16, |v| u32::from(v as u16));
lane!(f32, u32, f32::from_bits, f32::to_bits);
lane!(f64, u64, f64::from_bits, f64::to_bits);

/// Writes a row in the lanes of `mask`.
#[inline(always)]
pub(crate) fn store<C: Cell>(registers: &mut Registers, row: u32, mask: u32, values: &[C; LANES]) {
    let target = C::row_mut(registers, row);
    if mask == u32::MAX {
        *target = *values;
    } else {
        let before = *target;
        let mut after = *values;
        for lane in 0..LANES {
            after[lane] = if mask >> lane & 1 != 0 { after[lane] } else { before[lane] };
        }
        *target = after;
    }
}

#[inline(always)]
pub(crate) fn map1<A: Lane, R: Lane>(
    registers: &mut Registers,
    inst: &Inst,
    mask: u32,
    f: impl Fn(A) -> R,
) {
    let mut out = [R::Cell::default(); LANES];
    let a = *A::Cell::row(registers, inst.src[0]);
    for lane in 0..LANES {
        out[lane] = f(A::get(a[lane])).put();
    }
    store(registers, inst.dst, mask, &out);
}

#[inline(always)]
pub(crate) fn map2<A: Lane, B: Lane, R: Lane>(
    registers: &mut Registers,
    inst: &Inst,
    mask: u32,
    f: impl Fn(A, B) -> R,
) {
    let mut out = [R::Cell::default(); LANES];
    let a = *A::Cell::row(registers, inst.src[0]);
    let b = *B::Cell::row(registers, inst.src[1]);
    for lane in 0..LANES {
        out[lane] = f(A::get(a[lane]), B::get(b[lane])).put();
    }
    store(registers, inst.dst, mask, &out);
}

#[inline(always)]
pub(crate) fn map3<A: Lane, B: Lane, C: Lane, R: Lane>(
    registers: &mut Registers,
    inst: &Inst,
    mask: u32,
    f: impl Fn(A, B, C) -> R,
) {
    let mut out = [R::Cell::default(); LANES];
    let a = *A::Cell::row(registers, inst.src[0]);
    let b = *B::Cell::row(registers, inst.src[1]);
    let c = *C::Cell::row(registers, inst.src[2]);
    for lane in 0..LANES {
        out[lane] = f(A::get(a[lane]), B::get(b[lane]), C::get(c[lane])).put();
    }
    store(registers, inst.dst, mask, &out);
}

/// The lanes in which a comparison of the first two sources holds.
#[inline(always)]
pub(crate) fn test2<A: Lane>(registers: &Registers, inst: &Inst, f: impl Fn(A, A) -> bool) -> u32 {
    let a = *A::Cell::row(registers, inst.src[0]);
    let b = *A::Cell::row(registers, inst.src[1]);
    let mut out = 0;
    for lane in 0..LANES {
        out |= u32::from(f(A::get(a[lane]), A::get(b[lane]))) << lane;
    }
    out
}

//! Loads, stores and copies.
//!
//! One access of a warp is checked as a whole: all lanes against the allocation that the same
//! instruction met last. Consecutive and equal addresses, by far the most frequent, are then one
//! copy or one broadcast. Only when the check fails is every lane looked at.
//!
//! Device memory is host memory that several worker threads use at once, as racy as the program
//! that runs: plain accesses are those of [`crate::host_memory`], atomics the host's atomics.

use std::cell::RefCell;

use crate::fault::AccessKind;
use crate::host_memory::Element;
use crate::program::{AccessShape, Code, Inst, List, MemorySpace, NO_ROW, Op, window};

use super::cluster::rank_of;
use super::lanes::{LANES, Registers, store};
use super::plan::Step;

/// A stretch of device memory and the host memory behind it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemoryRange {
    pub(crate) base: u64,
    pub(crate) size: u64,
    pub(crate) pointer: *mut u8,
}

// SAFETY: the pointer is to memory that outlives the launch; see the module's documentation on
// simultaneous use.
unsafe impl Send for MemoryRange {}
// SAFETY: as above.
unsafe impl Sync for MemoryRange {}

impl MemoryRange {
    pub(crate) const EMPTY: MemoryRange =
        MemoryRange { base: 0, size: 0, pointer: std::ptr::null_mut() };

    #[inline(always)]
    fn contains(&self, address: u64) -> bool {
        address.wrapping_sub(self.base) < self.size
    }
}

/// The allocations that a launch sees, by address.
#[derive(Debug, Default)]
pub(crate) struct MemoryRanges(pub(crate) Vec<MemoryRange>);

impl MemoryRanges {
    pub(crate) fn find(&self, address: u64) -> Option<MemoryRange> {
        let after = self.0.partition_point(|region| region.base <= address);
        let region = self.0.get(after.checked_sub(1)?)?;
        region.contains(address).then_some(*region)
    }
}

/// An access that may not be made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Violation {
    pub(crate) lane: usize,
    /// Address in its own space.
    pub(crate) address: u64,
    pub(crate) space: MemorySpace,
    pub(crate) bytes: u32,
    pub(crate) access: AccessKind,
    pub(crate) misaligned: bool,
}

/// The memory that the running warp sees.
#[derive(Debug)]
pub(crate) struct View<'e> {
    pub(crate) global: &'e MemoryRanges,
    pub(crate) shared: MemoryRange,
    /// Local memory of the warp's first thread; that of the others follows.
    pub(crate) local: MemoryRange,
    pub(crate) params: MemoryRange,
    /// For each instruction the allocation it met last.
    pub(crate) recent: Vec<MemoryRange>,
    pub(crate) code: &'e Code,
    /// The space and the addresses of the last load or store: for probes.
    pub(crate) located: (MemorySpace, [u64; LANES]),
    /// What the last load or store has said, if a probe listens.
    pub(crate) seen: Seen,
    /// Why the last access was not made.
    pub(crate) violation: Option<Violation>,
    /// How often memory was changed: stores, and atomics that changed something.
    pub(crate) changes: u64,
    /// Whether a probe wants to know of accesses that are made lane by lane, and which there were.
    pub(crate) listens: bool,
    pub(crate) touched: RefCell<Vec<Touch>>,
    /// The running block's rank in its cluster; the shared memory and the linear indices of the
    /// cluster's blocks, by rank.
    pub(crate) rank: usize,
    pub(crate) cluster: Vec<MemoryRange>,
    pub(crate) blocks: Vec<u64>,
}

/// What a load or store says of where it went.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Seen {
    /// Nothing: its addresses are those in the registers, and in one space.
    Nothing,
    /// The whole warp went to consecutive elements, or to one.
    Whole(Whole),
    /// [`View::located`] has it.
    Listed,
}

/// An access of all lanes in one space, each `stride` bytes behind the one before it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Whole {
    pub(crate) space: MemorySpace,
    /// The first lane's address.
    pub(crate) first: u64,
    /// The bytes of a lane, or 0.
    pub(crate) stride: u64,
}

/// One lane's access.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch {
    pub(crate) lane: usize,
    pub(crate) space: MemorySpace,
    pub(crate) address: u64,
    pub(crate) bytes: u32,
    pub(crate) access: AccessKind,
}

/// Where the lanes' accesses go.
pub(super) struct Located {
    /// The space after generic addresses are resolved, of the first active lane.
    pub(super) space: MemorySpace,
    /// Addresses in that space; lanes that are not active have the first active lane's.
    pub(super) addresses: [u64; LANES],
    pub(super) pointers: Pointers,
}

/// Host pointers of the lanes.
#[expect(clippy::large_enum_variant, reason = "lives on the stack of one access")]
pub(super) enum Pointers {
    /// Lane after lane, without gaps.
    Consecutive(*mut u8),
    /// All the same.
    Uniform(*mut u8),
    /// Any; lanes that are not active have a valid pointer that must not be written through.
    Scattered([*mut u8; LANES]),
}

impl View<'_> {
    /// Why a load or store was refused.
    pub(super) fn take_violation(&mut self) -> Violation {
        self.violation.take().unwrap_or(Violation {
            lane: 0,
            address: 0,
            space: MemorySpace::Global,
            bytes: 0,
            access: AccessKind::Read,
            misaligned: false,
        })
    }

    /// The allocation with an address: mostly the one that the same instruction met last.
    #[inline(always)]
    pub(super) fn global_region(&mut self, site: usize, address: u64) -> MemoryRange {
        let recent = self.recent[site];
        if recent.contains(address) {
            return recent;
        }
        let found = self.global.find(address).unwrap_or(MemoryRange::EMPTY);
        self.recent[site] = found;
        found
    }

    /// Base and size of a space as seen from one lane, for messages and checks.
    fn region(&self, space: MemorySpace, lane: usize, address: u64) -> Option<MemoryRange> {
        match space {
            MemorySpace::Shared => match rank_of(address) {
                None => Some(self.shared),
                Some(rank) => self.cluster.get(rank).copied(),
            },
            MemorySpace::Param => Some(self.params),
            MemorySpace::Local => {
                let offset = lane * self.local.size as usize;
                // The local memory of all lanes is one block of host memory.
                Some(MemoryRange { pointer: self.local.pointer.wrapping_add(offset), ..self.local })
            }
            MemorySpace::Global | MemorySpace::Generic => self.global.find(address),
        }
    }

    /// One byte at a generic address, as a lane sees it.
    pub(super) fn byte(&self, lane: usize, address: u64) -> Option<u8> {
        let pointer = self.cell(lane, MemorySpace::Generic, address, 1, AccessKind::Read).ok()?;
        // SAFETY: `cell` has checked the byte.
        Some(unsafe { u8::load(pointer) })
    }

    /// The host's place of one lane's access of `bytes`, checked.
    pub(super) fn cell(
        &self,
        lane: usize,
        space: MemorySpace,
        address: u64,
        bytes: u32,
        access: AccessKind,
    ) -> Result<*mut u8, Violation> {
        let pointer = self.stretch(lane, space, address, bytes, access)?;
        if address & u64::from(bytes - 1) == 0 {
            return Ok(pointer);
        }
        Err(Violation { lane, address, space, bytes, access, misaligned: true })
    }

    /// As [`View::cell`], for any number of bytes at any address.
    pub(super) fn stretch(
        &self,
        lane: usize,
        space: MemorySpace,
        address: u64,
        bytes: u32,
        access: AccessKind,
    ) -> Result<*mut u8, Violation> {
        let (space, base) =
            if space == MemorySpace::Generic { generic(address) } else { (space, 0) };
        let address = address.wrapping_sub(base);
        let region = self.region(space, lane, address).unwrap_or(MemoryRange::EMPTY);
        let offset = address.wrapping_sub(region.base);
        if offset < region.size && region.size - offset >= u64::from(bytes) {
            if self.listens {
                self.touched.borrow_mut().push(Touch { lane, space, address, bytes, access });
            }
            return Ok(region.pointer.wrapping_add(offset as usize));
        }
        Err(Violation { lane, address, space, bytes, access, misaligned: false })
    }

    /// Lists the addresses of an access that will be made, as if all lanes were in one space: where they
    /// are not, the general function corrects it.
    pub(super) fn list(&mut self, registers: &Registers, inst: &Inst, mask: u32) {
        let (Op::Load(access, _) | Op::Store(access, _)) = inst.op else { return };
        let addresses = &mut self.located.1;
        if access.narrow_address {
            for (out, &address) in addresses.iter_mut().zip(registers.narrow(inst.src[0])) {
                *out = u64::from(address.wrapping_add(inst.imm as u32));
            }
        } else {
            for (out, &address) in addresses.iter_mut().zip(registers.wide(inst.src[0])) {
                *out = address.wrapping_add(inst.imm as u64);
            }
        }
        let lead = addresses[mask.trailing_zeros() as usize & 31];
        let (space, base) = match access.space {
            MemorySpace::Generic => generic(lead),
            space => (space, 0),
        };
        for (lane, out) in addresses.iter_mut().enumerate() {
            *out = if mask >> lane & 1 != 0 { *out } else { lead }.wrapping_sub(base);
        }
        self.located.0 = space;
    }

    /// Checks the accesses of the active lanes, `bytes` each at `src[operand] + offset`.
    #[inline(always)]
    pub(super) fn locate(
        &mut self,
        registers: &Registers,
        row: u32,
        offset: i64,
        narrow: bool,
        mask: u32,
        space: MemorySpace,
        bytes: u64,
        site: usize,
        access: AccessKind,
    ) -> Result<Located, Violation> {
        let mut addresses = [0u64; LANES];
        if narrow {
            let row = registers.narrow(row);
            for lane in 0..LANES {
                addresses[lane] = u64::from(row[lane].wrapping_add(offset as u32));
            }
        } else {
            let row = registers.wide(row);
            for lane in 0..LANES {
                addresses[lane] = row[lane].wrapping_add(offset as u64);
            }
        }
        let lead = addresses[mask.trailing_zeros() as usize & 31];
        if mask != u32::MAX {
            for (lane, address) in addresses.iter_mut().enumerate() {
                *address = if mask & (1 << lane) != 0 { *address } else { lead };
            }
        }
        let declared = space;
        let mut space = space;
        let mut base = 0;
        if space == MemorySpace::Generic {
            (space, base) = generic(lead);
        }
        let region = match space {
            MemorySpace::Global | MemorySpace::Generic => self.global_region(site, lead),
            MemorySpace::Shared => self.shared,
            MemorySpace::Param => self.params,
            MemorySpace::Local => self.local,
        };
        let start = region.base.wrapping_add(base);
        // Regions are shorter than 2^63, so an offset or a rest that is "negative" is out of bounds.
        let limit = region.size.wrapping_sub(bytes);
        let mut outside = limit;
        let mut unaligned = 0;
        let mut scattered = 0;
        let mut differing = 0;
        let first = addresses[0];
        for (lane, &address) in addresses.iter().enumerate() {
            let offset = address.wrapping_sub(start);
            outside |= offset | limit.wrapping_sub(offset);
            unaligned |= address;
            scattered |= address ^ first.wrapping_add(lane as u64 * bytes);
            differing |= address ^ first;
        }
        if (outside as i64) < 0 || unaligned & (bytes - 1) != 0 {
            return self.locate_slowly(addresses, mask, declared, bytes, access);
        }
        let pointer =
            |lane: usize| region.pointer.wrapping_add(addresses[lane].wrapping_sub(start) as usize);
        let stride = if space == MemorySpace::Local { region.size as usize } else { 0 };
        let pointers = if stride == 0 && scattered == 0 && mask == u32::MAX {
            Pointers::Consecutive(pointer(0))
        } else if stride == 0 && differing == 0 {
            Pointers::Uniform(pointer(0))
        } else {
            let mut pointers = [std::ptr::null_mut(); LANES];
            for (lane, out) in pointers.iter_mut().enumerate() {
                *out = pointer(lane).wrapping_add(lane * stride);
            }
            Pointers::Scattered(pointers)
        };
        if base != 0 {
            addresses.iter_mut().for_each(|address| *address = address.wrapping_sub(base));
        }
        Ok(Located { space, addresses, pointers })
    }

    /// Lane by lane: lanes may lie in different allocations or spaces; or one is at fault.
    #[cold]
    fn locate_slowly(
        &self,
        mut addresses: [u64; LANES],
        mask: u32,
        declared: MemorySpace,
        bytes: u64,
        access: AccessKind,
    ) -> Result<Located, Violation> {
        let mut pointers = [std::ptr::null_mut(); LANES];
        let lead_lane = mask.trailing_zeros() as usize & 31;
        let resolve = |address| {
            if declared == MemorySpace::Generic { generic(address) } else { (declared, 0) }
        };
        let (lead_space, _) = resolve(addresses[lead_lane]);
        for lane in 0..LANES {
            let (space, base) = resolve(addresses[lane]);
            let address = addresses[lane].wrapping_sub(base);
            addresses[lane] = address;
            let region = self.region(space, lane, address).unwrap_or(MemoryRange::EMPTY);
            let offset = address.wrapping_sub(region.base);
            let inside = offset < region.size && region.size - offset >= bytes;
            let misaligned = address & (bytes - 1) != 0;
            if !inside || misaligned {
                if mask & (1 << lane) == 0 {
                    continue;
                }
                let bytes = bytes as u32;
                return Err(Violation {
                    lane,
                    address,
                    space,
                    bytes,
                    access,
                    misaligned: inside && misaligned,
                });
            }
            pointers[lane] = region.pointer.wrapping_add(offset as usize);
        }
        // Lanes that are not active borrow the first active lane's pointer.
        let lead = pointers[lead_lane];
        for (lane, pointer) in pointers.iter_mut().enumerate() {
            if mask & (1 << lane) == 0 || pointer.is_null() {
                *pointer = lead;
            }
        }
        Ok(Located { space: lead_space, addresses, pointers: Pointers::Scattered(pointers) })
    }
}

/// The space of a generic address, and where its window starts.
#[inline(always)]
pub(super) fn generic(address: u64) -> (MemorySpace, u64) {
    match address {
        a if a < window::SHARED => (MemorySpace::Global, 0),
        a if a < window::LOCAL => (MemorySpace::Shared, window::SHARED),
        a if a < window::PARAM => (MemorySpace::Local, window::LOCAL),
        _ => (MemorySpace::Param, window::PARAM),
    }
}

/// How an element of memory goes into a register.
trait Extend: Element {
    fn zero_extend(self) -> u64;
    fn sign_extend(self) -> u64;
    fn truncate(value: u64) -> Self;
}

macro_rules! element {
    ($type:ty, $signed:ty) => {
        impl Extend for $type {
            #[inline(always)]
            fn zero_extend(self) -> u64 {
                self as u64
            }

            #[inline(always)]
            fn sign_extend(self) -> u64 {
                self as $signed as i64 as u64
            }

            #[inline(always)]
            fn truncate(value: u64) -> Self {
                value as $type
            }
        }
    };
}
element!(u8, i8);
element!(u16, i16);
element!(u32, i32);
element!(u64, i64);

/// Reads one element of every lane; `skip` bytes from the lane's address.
#[inline(always)]
fn gather<E: Extend>(pointers: &Pointers, skip: usize, step: usize) -> [E; LANES] {
    let mut out = [E::default(); LANES];
    // SAFETY: `locate` has checked every lane's access, and pointers of lanes that are not active
    // are those of one that is. Alignment follows from that of the address and of the region.
    unsafe {
        match pointers {
            Pointers::Consecutive(pointer) => {
                for (lane, out) in out.iter_mut().enumerate() {
                    *out = E::load(pointer.add(lane * step + skip).cast());
                }
            }
            Pointers::Uniform(pointer) => out = [E::load(pointer.add(skip).cast()); LANES],
            Pointers::Scattered(pointers) => {
                for (lane, out) in out.iter_mut().enumerate() {
                    *out = E::load(pointers[lane].add(skip).cast());
                }
            }
        }
    }
    out
}

/// Writes one element of every active lane; of lanes with one address the last one wins.
#[inline(always)]
fn scatter<E: Extend>(
    pointers: &Pointers,
    skip: usize,
    step: usize,
    mask: u32,
    values: &[E; LANES],
) {
    // SAFETY: as in `gather`; only active lanes write.
    unsafe {
        match pointers {
            Pointers::Consecutive(pointer) => {
                for (lane, value) in values.iter().enumerate() {
                    E::store(pointer.add(lane * step + skip).cast(), *value);
                }
            }
            Pointers::Uniform(pointer) => {
                let last = 31 - mask.leading_zeros() as usize;
                E::store(pointer.add(skip).cast(), values[last & 31]);
            }
            Pointers::Scattered(pointers) => {
                let mut left = mask;
                while left != 0 {
                    let lane = left.trailing_zeros() as usize;
                    left &= left - 1;
                    E::store(pointers[lane].add(skip).cast(), values[lane]);
                }
            }
        }
    }
}

#[inline(always)]
fn load_elements<E: Extend>(
    registers: &mut Registers,
    rows: &[u32],
    mask: u32,
    pointers: &Pointers,
    access: AccessShape,
) {
    let bytes = size_of::<E>();
    let step = bytes * access.count as usize;
    for (i, &row) in rows.iter().enumerate() {
        if row == NO_ROW {
            continue;
        }
        let values = gather::<E>(pointers, i * bytes, step);
        match (access.wide, access.signed) {
            (false, false) => store(registers, row, mask, &values.map(|v| v.zero_extend() as u32)),
            (false, true) => store(registers, row, mask, &values.map(|v| v.sign_extend() as u32)),
            (true, false) => store(registers, row, mask, &values.map(Extend::zero_extend)),
            (true, true) => store(registers, row, mask, &values.map(Extend::sign_extend)),
        }
    }
}

#[inline(always)]
fn store_elements<E: Extend>(
    registers: &Registers,
    rows: &[u32],
    mask: u32,
    pointers: &Pointers,
    access: AccessShape,
) {
    let bytes = size_of::<E>();
    let step = bytes * access.count as usize;
    for (i, &row) in rows.iter().enumerate() {
        let values: [E; LANES] = if access.wide {
            registers.wide(row).map(E::truncate)
        } else {
            registers.narrow(row).map(|value| E::truncate(u64::from(value)))
        };
        scatter(pointers, i * bytes, step, mask, &values);
    }
}

/// Runs a load or store of any shape; the space and the addresses are left in [`View::located`].
/// `None` if it is refused: [`View::violation`] says why.
#[inline(always)]
pub(super) fn run(
    registers: &mut Registers,
    view: &mut View<'_>,
    step: &Step,
    mask: u32,
) -> Option<()> {
    let (inst, site) = (&step.inst, step.at as usize);
    let done = match inst.op {
        Op::Load(access, list) => load(view, registers, inst, access, list, mask, site),
        Op::Store(access, list) => save(view, registers, inst, access, list, mask, site),
        _ => Ok(()),
    };
    done.map_err(|violation| view.violation = Some(violation)).ok()
}

#[inline(always)]
fn load(
    view: &mut View<'_>,
    registers: &mut Registers,
    inst: &Inst,
    access: AccessShape,
    list: List,
    mask: u32,
    site: usize,
) -> Result<(), Violation> {
    let bytes = u64::from(access.width());
    let located = view.locate(
        registers,
        inst.src[0],
        inst.imm,
        access.narrow_address,
        mask,
        access.space,
        bytes,
        site,
        AccessKind::Read,
    )?;
    let rows = &view.code.lists[list.start as usize..][..list.count as usize];
    match access.bytes {
        1 => load_elements::<u8>(registers, rows, mask, &located.pointers, access),
        2 => load_elements::<u16>(registers, rows, mask, &located.pointers, access),
        4 => load_elements::<u32>(registers, rows, mask, &located.pointers, access),
        _ => load_elements::<u64>(registers, rows, mask, &located.pointers, access),
    }
    view.located = (located.space, located.addresses);
    view.seen = Seen::Listed;
    Ok(())
}

#[inline(always)]
fn save(
    view: &mut View<'_>,
    registers: &Registers,
    inst: &Inst,
    access: AccessShape,
    list: List,
    mask: u32,
    site: usize,
) -> Result<(), Violation> {
    let bytes = u64::from(access.width());
    let located = view.locate(
        registers,
        inst.src[0],
        inst.imm,
        access.narrow_address,
        mask,
        access.space,
        bytes,
        site,
        AccessKind::Write,
    )?;
    if located.space == MemorySpace::Param {
        let lane = mask.trailing_zeros() as usize & 31;
        return Err(Violation {
            lane,
            address: located.addresses[lane],
            space: MemorySpace::Param,
            bytes: bytes as u32,
            access: AccessKind::Write,
            misaligned: false,
        });
    }
    let rows = &view.code.lists[list.start as usize..][..list.count as usize];
    match access.bytes {
        1 => store_elements::<u8>(registers, rows, mask, &located.pointers, access),
        2 => store_elements::<u16>(registers, rows, mask, &located.pointers, access),
        4 => store_elements::<u32>(registers, rows, mask, &located.pointers, access),
        _ => store_elements::<u64>(registers, rows, mask, &located.pointers, access),
    }
    view.changes += 1;
    view.located = (located.space, located.addresses);
    view.seen = Seen::Listed;
    Ok(())
}

impl Pointers {
    /// The pointer of one lane, `step` bytes being one access.
    pub(super) fn lane(&self, lane: usize, step: usize) -> *mut u8 {
        match self {
            Pointers::Consecutive(pointer) => pointer.wrapping_add(lane * step),
            Pointers::Uniform(pointer) => *pointer,
            Pointers::Scattered(pointers) => pointers[lane],
        }
    }
}

/// Copies at most 16 bytes, by words where they are some.
///
/// # Safety
/// As of [`crate::host_memory::copy`].
unsafe fn copy_few(from: *const u8, to: *mut u8, bytes: usize) {
    // SAFETY: the caller's; the words are aligned.
    unsafe {
        if (from as usize | to as usize | bytes).is_multiple_of(4) {
            for at in (0..bytes).step_by(4) {
                u32::store(to.add(at).cast(), u32::load(from.add(at).cast()));
            }
        } else {
            for at in 0..bytes {
                u8::store(to.add(at), u8::load(from.add(at)));
            }
        }
    }
}

/// `cp.async`: copies `bytes` of every lane from global to shared memory, zeros beyond the source
/// size. Returns the bytes, the addresses at both ends, and the lanes that read.
pub(super) fn copy_async(
    view: &mut View<'_>,
    registers: &Registers,
    inst: &Inst,
    mask: u32,
    site: usize,
) -> Result<(u32, [u64; LANES], [u64; LANES], u32), Violation> {
    let Op::CopyAsync { bytes, narrow_address: narrow, sized } = inst.op else {
        return Ok((0, [0; LANES], [0; LANES], 0));
    };
    let size = u64::from(bytes);
    let to = view.locate(
        registers,
        inst.src[0],
        inst.imm,
        narrow,
        mask,
        MemorySpace::Shared,
        size,
        site,
        AccessKind::Write,
    )?;
    // Lanes that copy nothing need no valid source.
    let mut reading = mask;
    if sized {
        let sizes = registers.narrow(inst.src[2]);
        for (lane, &size) in sizes.iter().enumerate() {
            if size == 0 {
                reading &= !(1 << lane);
            }
        }
    }
    let from = if reading == 0 {
        None
    } else {
        Some(view.locate(
            registers,
            inst.src[1],
            0,
            false,
            reading,
            MemorySpace::Global,
            size,
            site,
            AccessKind::Read,
        )?)
    };
    for lane in (0..LANES).filter(|&lane| mask & (1 << lane) != 0) {
        let mut buffer = [0u32; 4];
        let buffer = buffer.as_mut_ptr().cast::<u8>();
        if let Some(from) = &from
            && reading & (1 << lane) != 0
        {
            let wanted = if sized {
                registers.narrow(inst.src[2])[lane].min(size as u32)
            } else {
                size as u32
            };
            let source = from.pointers.lane(lane, size as usize);
            // SAFETY: `locate` has checked `size` bytes at both ends; the buffer holds 16, the most.
            unsafe { copy_few(source, buffer, wanted as usize) };
        }
        let target = to.pointers.lane(lane, size as usize);
        // SAFETY: as above.
        unsafe { copy_few(buffer, target, size as usize) };
    }
    view.changes += 1;
    let sources = from.map_or([0; LANES], |from| from.addresses);
    Ok((bytes.into(), to.addresses, sources, reading))
}

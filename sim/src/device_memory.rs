//! The memory of a simulated device: allocations with labels, and the host memory behind them.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::exec::{MemoryRange, MemoryRanges};
use crate::fault::{NearestAllocation, SimError};
use crate::host_memory;

/// The first device address. High enough that a small integer is never one.
const FIRST_ADDRESS: u64 = 0x10_0000_0000;
/// From the first address of one device to that of the next: an address of one is none of another.
const BETWEEN_DEVICES: u64 = 1 << 40;
/// Allocations start at multiples of this.
const ALIGNMENT: u64 = 512;
/// Unused addresses between allocations, so that small overruns hit nothing.
const GAP: u64 = 4096;
/// Freed allocations that are remembered for messages.
const REMEMBERED: usize = 256;

/// Host memory of one allocation, zero at first.
#[derive(Debug)]
struct Storage {
    pointer: *mut u8,
    layout: Layout,
}

// SAFETY: the memory is owned, and its bytes are reached by `host_memory` alone, which may race.
unsafe impl Send for Storage {}
// SAFETY: as above.
unsafe impl Sync for Storage {}

impl Storage {
    /// `None` if the host has not so much memory.
    fn new(bytes: u64) -> Option<Storage> {
        let layout =
            Layout::from_size_align(usize::try_from(bytes).ok()?.max(1), ALIGNMENT as usize)
                .ok()?;
        // SAFETY: the size is not zero.
        let pointer = unsafe { alloc_zeroed(layout) };
        (!pointer.is_null()).then_some(Storage { pointer, layout })
    }
}

impl Drop for Storage {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with this layout.
        unsafe { dealloc(self.pointer, self.layout) };
    }
}

#[derive(Clone, Debug)]
struct Allocation {
    size: u64,
    label: Arc<str>,
    storage: Arc<Storage>,
}

#[derive(Debug)]
struct Table {
    live: BTreeMap<u64, Allocation>,
    /// Base, size and label of freed allocations, oldest first.
    freed: Vec<(u64, u64, Arc<str>)>,
    next: u64,
    used: u64,
}

/// The allocations of a device.
#[derive(Debug)]
pub(crate) struct DeviceMemory {
    table: RwLock<Table>,
    total: u64,
    /// The first address that it has given out, or will.
    first: u64,
    /// Whether kernels see the memory of the host's process at its own addresses.
    sees_host: AtomicBool,
}

/// The allocations that existed at one time, kept alive.
#[derive(Debug)]
pub(crate) struct Snapshot {
    pub(crate) regions: MemoryRanges,
    _storages: Vec<Arc<Storage>>,
}

impl DeviceMemory {
    /// The memory of the device of that number.
    pub(crate) fn new(total: u64, number: u32) -> DeviceMemory {
        let first = FIRST_ADDRESS + u64::from(number) * BETWEEN_DEVICES;
        let table = Table { live: BTreeMap::new(), freed: Vec::new(), next: first, used: 0 };
        DeviceMemory { table: RwLock::new(table), total, first, sees_host: AtomicBool::new(false) }
    }

    // A panic elsewhere leaves the table whole: every change to it is one insertion or removal.
    fn reading(&self) -> RwLockReadGuard<'_, Table> {
        self.table.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn writing(&self) -> RwLockWriteGuard<'_, Table> {
        self.table.write().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn alloc(&self, bytes: u64, label: &str) -> Result<u64, SimError> {
        let mut table = self.writing();
        let out_of_memory = SimError::OutOfMemory {
            requested: bytes,
            label: label.into(),
            used: table.used,
            total: self.total,
        };
        if bytes > self.total - table.used {
            return Err(out_of_memory);
        }
        let Some(storage) = Storage::new(bytes) else { return Err(out_of_memory) };
        let base = table.next;
        table.next = (base + bytes + GAP).next_multiple_of(ALIGNMENT);
        table.used += bytes;
        let allocation =
            Allocation { size: bytes, label: label.into(), storage: Arc::new(storage) };
        table.live.insert(base, allocation);
        Ok(base)
    }

    /// Whether an address is one of memory that it has given out, or that lies between: freed memory too.
    pub(crate) fn has_given(&self, address: u64) -> bool {
        (self.first..self.reading().next).contains(&address)
    }

    pub(crate) fn free(&self, ptr: u64) -> Result<(), SimError> {
        let mut table = self.writing();
        let allocation = table.live.remove(&ptr).ok_or(SimError::NotAllocated { ptr })?;
        table.used -= allocation.size;
        if table.freed.len() == REMEMBERED {
            table.freed.remove(0);
        }
        table.freed.push((ptr, allocation.size, allocation.label));
        Ok(())
    }

    /// Runs `f` with the host pointer of `bytes` bytes at `ptr`.
    fn with<R>(&self, ptr: u64, bytes: u64, f: impl FnOnce(*mut u8) -> R) -> Result<R, SimError> {
        let error = SimError::OutOfBounds { ptr, bytes };
        if let Some(region) = host_memory(self.sees_host()).find(ptr)
            && region.size - (ptr - region.base) >= bytes
        {
            return Ok(f(ptr as *mut u8));
        }
        let table = self.reading();
        let Some((&base, allocation)) = table.live.range(..=ptr).next_back() else {
            // No bytes are nowhere out of bounds.
            return if bytes == 0 { Ok(f(std::ptr::null_mut())) } else { Err(error) };
        };
        let offset = ptr - base;
        if bytes != 0 && (offset > allocation.size || allocation.size - offset < bytes) {
            return Err(error);
        }
        Ok(f(allocation.storage.pointer.wrapping_add(offset as usize)))
    }

    pub(crate) fn read(&self, ptr: u64, into: &mut [u8]) -> Result<(), SimError> {
        self.with(ptr, into.len() as u64, |source| {
            if !into.is_empty() {
                // SAFETY: `with` has checked the bytes; `into` is not device memory.
                unsafe { host_memory::copy(source, into.as_mut_ptr(), into.len()) };
            }
        })
    }

    pub(crate) fn write(&self, ptr: u64, from: &[u8]) -> Result<(), SimError> {
        self.with(ptr, from.len() as u64, |target| {
            if !from.is_empty() {
                // SAFETY: as in `read`.
                unsafe { host_memory::copy(from.as_ptr(), target, from.len()) };
            }
        })
    }

    pub(crate) fn fill(&self, ptr: u64, byte: u8, bytes: u64) -> Result<(), SimError> {
        self.with(ptr, bytes, |target| {
            if bytes != 0 {
                // SAFETY: `with` has checked the bytes.
                unsafe { host_memory::fill(target, byte, bytes as usize) };
            }
        })
    }

    pub(crate) fn copy(&self, from: u64, to: u64, bytes: u64) -> Result<(), SimError> {
        let source = self.with(from, bytes, |pointer| pointer)?;
        self.with(to, bytes, |target| {
            if bytes != 0 {
                // SAFETY: both ends are checked, and may overlap. The table's lock is held, so
                // that the source cannot have been freed since: freeing needs it alone, and a free
                // between the two checks is the caller's own race on one pointer.
                unsafe { host_memory::copy_within(source, target, bytes as usize) };
            }
        })
    }

    /// From now on kernels see the host's memory, as those of a GPU with pageable memory access do (CUDA C++
    /// Programming Guide §19.1). Whether that can be had.
    pub(crate) fn see_host(&self) -> bool {
        let can = !host_memory(true).0.is_empty();
        self.sees_host.store(can, Ordering::Relaxed);
        can
    }

    fn sees_host(&self) -> bool {
        self.sees_host.load(Ordering::Relaxed)
    }

    pub(crate) fn snapshot(&self) -> Snapshot {
        let table = self.reading();
        let region = |(&base, allocation): (&u64, &Allocation)| MemoryRange {
            base,
            size: allocation.size,
            pointer: allocation.storage.pointer,
        };
        let mut regions = host_memory(self.sees_host());
        regions.0.extend(table.live.iter().map(region));
        regions.0.sort_unstable_by_key(|region| region.base);
        Snapshot {
            regions,
            _storages: table.live.values().map(|allocation| allocation.storage.clone()).collect(),
        }
    }

    /// The allocation that an address most likely was meant for: a freed one that held it, or the
    /// nearest living one.
    pub(crate) fn nearest(&self, address: u64) -> Option<NearestAllocation> {
        let table = self.reading();
        let describe = |base: u64, size: u64, label: &Arc<str>, freed: bool| NearestAllocation {
            label: label.clone(),
            size,
            offset: address.wrapping_sub(base) as i64,
            freed,
        };
        let held =
            table.freed.iter().rev().find(|&&(base, size, _)| address.wrapping_sub(base) < size);
        if let Some((base, size, label)) = held {
            return Some(describe(*base, *size, label, true));
        }
        let before = table.live.range(..=address).next_back();
        let after = table.live.range(address..).next();
        let distance_before =
            before.map_or(u64::MAX, |(base, a)| (address - base).saturating_sub(a.size));
        let distance_after = after.map_or(u64::MAX, |(base, _)| base - address);
        let nearest = if distance_before <= distance_after { before } else { after };
        nearest.map(|(&base, a)| describe(base, a.size, &a.label, false))
    }

    /// Base, size and label of every allocation, by address.
    pub(crate) fn live(&self) -> Vec<(u64, u64, Arc<str>)> {
        let table = self.reading();
        table.live.iter().map(|(&base, a)| (base, a.size, a.label.clone())).collect()
    }

    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    pub(crate) fn used(&self) -> u64 {
        self.reading().used
    }
}

/// The memory of this process that may be read and written, by address; none where it is not `wanted`, or where
/// the system does not tell (`proc(5)`, `/proc/pid/maps`).
fn host_memory(wanted: bool) -> MemoryRanges {
    if !wanted {
        return MemoryRanges::default();
    }
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let region = |line: &str| {
        let (range, rest) = line.split_once(' ')?;
        let (from, to) = range.split_once('-')?;
        let number = |text| u64::from_str_radix(text, 16).ok();
        let (from, to) = (number(from)?, number(to)?);
        rest.starts_with("rw").then_some(MemoryRange {
            base: from,
            size: to - from,
            pointer: from as *mut u8,
        })
    };
    MemoryRanges(maps.lines().filter_map(region).collect())
}

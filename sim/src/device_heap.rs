//! The heap of `malloc` and `free` on the device: one allocation, shared by all launches.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use crate::device_memory::DeviceMemory;
use crate::fault::SimError;

/// Bytes of the heap where nobody asks for others: CUDA's default `cudaLimitMallocHeapSize`.
pub(crate) const HEAP_BYTES: u64 = 8 << 20;
/// Blocks start at multiples of this.
const ALIGN: u64 = 16;

/// Blocks of the heap, by address.
#[derive(Debug)]
struct Blocks {
    base: u64,
    free: BTreeMap<u64, u64>,
    /// Bytes asked for; a block has them rounded up to `ALIGN`.
    used: BTreeMap<u64, u64>,
    /// What was freed and has not been given out since, with the bytes that were asked for.
    freed: BTreeMap<u64, u64>,
}

/// What lies at an address of the heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HeapBlock {
    pub(crate) base: u64,
    /// Bytes asked for.
    pub(crate) bytes: u64,
    pub(crate) freed: bool,
}

/// A block was given out or freed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HeapChange {
    pub(crate) base: u64,
    /// Bytes that it takes.
    pub(crate) bytes: u64,
    pub(crate) freed: bool,
}

/// Bytes that a block takes for those asked for; far too many stay so.
pub(crate) fn taken(bytes: u64) -> u64 {
    bytes.max(1).checked_next_multiple_of(ALIGN).unwrap_or(u64::MAX)
}

/// The heap, made when a kernel first needs it.
#[derive(Debug)]
pub(crate) struct DeviceHeap {
    bytes: u64,
    blocks: Mutex<Option<Blocks>>,
}

impl DeviceHeap {
    /// A heap of so many bytes.
    pub(crate) fn new(bytes: u64) -> DeviceHeap {
        DeviceHeap { bytes, blocks: Mutex::default() }
    }

    /// Makes the heap if there is none; its addresses if it was made now.
    pub(crate) fn prepare(&self, memory: &DeviceMemory) -> Result<Option<Range<u64>>, SimError> {
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        if blocks.is_some() {
            return Ok(None);
        }
        let base = memory.alloc(self.bytes, "heap of malloc")?;
        let free = BTreeMap::from([(base, self.bytes)]);
        *blocks = Some(Blocks { base, free, used: BTreeMap::new(), freed: BTreeMap::new() });
        Ok(Some(base..base + self.bytes))
    }

    /// Whether the heap is the allocation at this address.
    pub(crate) fn is_at(&self, base: u64) -> bool {
        self.range().start == base
    }

    /// The addresses of the heap; none before it is made.
    pub(crate) fn range(&self) -> Range<u64> {
        let blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        blocks.as_ref().map_or(0..0, |blocks| blocks.base..blocks.base + self.bytes)
    }

    /// The block, in use or freed, that starts last at or before an address; `None` where there is
    /// none.
    pub(crate) fn block_at(&self, address: u64) -> Option<HeapBlock> {
        let blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        let blocks = blocks.as_ref()?;
        let last = |map: &BTreeMap<u64, u64>, freed| {
            let (&base, &bytes) = map.range(..=address).next_back()?;
            Some(HeapBlock { base, bytes, freed })
        };
        [last(&blocks.used, false), last(&blocks.freed, true)]
            .into_iter()
            .flatten()
            .max_by_key(|block| block.base)
    }

    /// The address of a new block: the first stretch that is large enough; 0 where there is none.
    pub(crate) fn allocate(&self, bytes: u64) -> u64 {
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(blocks) = blocks.as_mut() else { return 0 };
        let taken = taken(bytes);
        let Some((&at, &size)) = blocks.free.iter().find(|&(_, &size)| size >= taken) else {
            return 0;
        };
        blocks.free.remove(&at);
        if size > taken {
            blocks.free.insert(at + taken, size - taken);
        }
        // What was freed and reaches into the new block is forgotten.
        while let Some((&before, &length)) = blocks.freed.range(..at + taken).next_back()
            && before + self::taken(length) > at
        {
            blocks.freed.remove(&before);
        }
        blocks.used.insert(at, bytes);
        at
    }

    /// Frees a block; the bytes that were asked for, or `None` if the address is not the start of one.
    pub(crate) fn free(&self, address: u64) -> Option<u64> {
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        let blocks = blocks.as_mut()?;
        let bytes = blocks.used.remove(&address)?;
        blocks.freed.insert(address, bytes);
        let mut size = taken(bytes);
        let mut start = address;
        if let Some(after) = blocks.free.remove(&(address + size)) {
            size += after;
        }
        if let Some((&before, &length)) = blocks.free.range(..address).next_back()
            && before + length == address
        {
            blocks.free.remove(&before);
            (start, size) = (before, size + length);
        }
        blocks.free.insert(start, size);
        Some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_do_not_overlap_and_come_back() {
        let memory = DeviceMemory::new(1 << 30, 0);
        let heap = DeviceHeap::new(HEAP_BYTES);
        assert_eq!(heap.allocate(8), 0, "no heap yet");
        heap.prepare(&memory).unwrap();
        heap.prepare(&memory).unwrap();
        let sizes = [1, 16, 17, 1000, 0, HEAP_BYTES / 2];
        let mut blocks: Vec<(u64, u64)> = sizes.map(|size| (heap.allocate(size), size)).to_vec();
        blocks.sort_unstable();
        for pair in blocks.windows(2) {
            assert!(pair[0].0 != 0 && pair[0].0 + pair[0].1.max(1) <= pair[1].0, "{blocks:x?}");
        }
        assert_eq!(heap.allocate(HEAP_BYTES / 2), 0, "too much");
        assert_eq!(heap.free(blocks[0].0 + 1), None, "not a start");
        for &(at, bytes) in blocks.iter().step_by(2).chain(blocks.iter().skip(1).step_by(2)) {
            assert_eq!(heap.free(at), Some(bytes));
            assert_eq!(heap.free(at), None, "twice");
        }
        assert_eq!(heap.allocate(HEAP_BYTES), blocks[0].0, "one stretch again");
        assert_eq!(heap.allocate(u64::MAX), 0);
    }

    #[test]
    fn addresses_have_the_block_that_starts_before_them() {
        let memory = DeviceMemory::new(1 << 30, 0);
        let heap = DeviceHeap::new(HEAP_BYTES);
        assert_eq!((heap.range(), heap.block_at(0)), (0..0, None));
        heap.prepare(&memory).unwrap();
        let first = heap.range().start;
        assert_eq!(heap.block_at(first), None);
        let (a, b) = (heap.allocate(20), heap.allocate(4));
        let block = |base, bytes, freed| Some(HeapBlock { base, bytes, freed });
        assert_eq!((a, heap.block_at(a + 31)), (first, block(a, 20, false)));
        assert_eq!(heap.block_at(b), block(b, 4, false));
        heap.free(a);
        assert_eq!(heap.block_at(a + 19), block(a, 20, true));
        let c = heap.allocate(17);
        assert_eq!((c, heap.block_at(a + 19)), (a, block(a, 17, false)));
        heap.free(c);
        heap.free(b);
        let all = heap.allocate(100);
        assert_eq!((all, heap.block_at(b)), (a, block(a, 100, false)));
    }
}

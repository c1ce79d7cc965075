//! The heap of `malloc` and `free` on the device: one allocation, shared by all launches.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::device_memory::DeviceMemory;
use crate::fault::SimError;

/// Bytes of the heap: CUDA's default `cudaLimitMallocHeapSize`.
const HEAP_BYTES: u64 = 8 << 20;
/// Blocks start at multiples of this.
const ALIGN: u64 = 16;

/// Blocks of the heap, by address.
#[derive(Debug)]
struct Blocks {
    free: BTreeMap<u64, u64>,
    used: BTreeMap<u64, u64>,
}

/// The heap, made when a kernel first needs it.
#[derive(Debug, Default)]
pub(crate) struct DeviceHeap {
    blocks: Mutex<Option<Blocks>>,
}

impl DeviceHeap {
    /// Makes the heap if there is none.
    pub(crate) fn prepare(&self, memory: &DeviceMemory) -> Result<(), SimError> {
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        if blocks.is_none() {
            let base = memory.alloc(HEAP_BYTES, "heap of malloc")?;
            let free = BTreeMap::from([(base, HEAP_BYTES)]);
            *blocks = Some(Blocks { free, used: BTreeMap::new() });
        }
        Ok(())
    }

    /// Whether the heap is the allocation at this address.
    pub(crate) fn is_at(&self, base: u64) -> bool {
        let blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        let first = |blocks: &Blocks| {
            let [free, used] = [&blocks.free, &blocks.used].map(|map| map.keys().next().copied());
            free.into_iter().chain(used).min()
        };
        blocks.as_ref().and_then(first) == Some(base)
    }

    /// The address of a new block: the first stretch that is large enough; 0 where there is none.
    pub(crate) fn allocate(&self, bytes: u64) -> u64 {
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(blocks) = blocks.as_mut() else { return 0 };
        let Some(bytes) = bytes.max(1).checked_next_multiple_of(ALIGN) else { return 0 };
        let Some((&at, &size)) = blocks.free.iter().find(|&(_, &size)| size >= bytes) else {
            return 0;
        };
        blocks.free.remove(&at);
        if size > bytes {
            blocks.free.insert(at + bytes, size - bytes);
        }
        blocks.used.insert(at, bytes);
        at
    }

    /// Frees a block; false if the address is not the start of one.
    pub(crate) fn free(&self, address: u64) -> bool {
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(blocks) = blocks.as_mut() else { return false };
        let Some(mut size) = blocks.used.remove(&address) else { return false };
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
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_do_not_overlap_and_come_back() {
        let memory = DeviceMemory::new(1 << 30, 0);
        let heap = DeviceHeap::default();
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
        assert!(!heap.free(blocks[0].0 + 1), "not a start");
        for &(at, _) in blocks.iter().step_by(2).chain(blocks.iter().skip(1).step_by(2)) {
            assert!(heap.free(at));
            assert!(!heap.free(at), "twice");
        }
        assert_eq!(heap.allocate(HEAP_BYTES), blocks[0].0, "one stretch again");
        assert_eq!(heap.allocate(u64::MAX), 0);
    }
}

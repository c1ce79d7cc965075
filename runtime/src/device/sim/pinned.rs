//! Memory of the host that the device reaches by itself.
//!
//! The simulator reaches all memory of the host. What is pinned differs in when a copy to the device reads it: a GPU
//! has read pageable memory when the call returns, and pinned memory not before the queue comes to the copy.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::collections::BTreeMap;
use std::ptr::NonNull;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::device::DeviceError;

/// Alignment of what is given out: a page, as the driver has it.
const PAGE: usize = 4096;

/// The pinned memory of a device: sizes by address.
#[derive(Debug, Default)]
pub(super) struct Pinned(Mutex<BTreeMap<usize, Layout>>);

impl Pinned {
    // A poisoned lock still guards a whole table: it only gains or loses an entry.
    fn table(&self) -> MutexGuard<'_, BTreeMap<usize, Layout>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Zeroed memory.
    pub(super) fn alloc(&self, bytes: u64) -> Result<NonNull<u8>, DeviceError> {
        let out_of_memory = || DeviceError::OutOfMemory { bytes, free: None };
        let size = usize::try_from(bytes.max(1)).map_err(|_| out_of_memory())?;
        let layout = Layout::from_size_align(size, PAGE).map_err(|_| out_of_memory())?;
        // SAFETY: the size is not 0.
        let pointer = NonNull::new(unsafe { alloc_zeroed(layout) }).ok_or_else(out_of_memory)?;
        self.table().insert(pointer.addr().get(), layout);
        Ok(pointer)
    }

    /// Frees what `alloc` has given.
    ///
    /// # Safety
    /// Nobody uses the memory any more.
    pub(super) unsafe fn free(&self, pointer: NonNull<u8>) -> Result<(), DeviceError> {
        let layout = self.table().remove(&pointer.addr().get()).ok_or_else(|| {
            DeviceError::Invalid(format!("{pointer:p} is not the start of pinned memory"))
        })?;
        // SAFETY: allocated with this layout, taken out of the table and so freed once; nobody uses it.
        unsafe { dealloc(pointer.as_ptr(), layout) };
        Ok(())
    }

    /// Whether an address is in pinned memory.
    pub(super) fn holds(&self, address: *const u8) -> bool {
        let table = self.table();
        let below = table.range(..=address.addr()).next_back();
        below.is_some_and(|(start, layout)| address.addr() - start < layout.size())
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        for (address, layout) in std::mem::take(&mut *self.table()) {
            // SAFETY: allocated with this layout and not freed; the device it belongs to ends.
            unsafe { dealloc(std::ptr::with_exposed_provenance_mut(address), layout) };
        }
    }
}

//! The allocator between the runtime and the device.
//!
//! A driver's allocation costs some hundred microseconds and may wait for the device, so what is
//! freed on a GPU is kept for the next request that it fits: a pool. The simulator allocates cheaply
//! and checks bounds and lifetimes of every allocation, which reuse would blur: there each request
//! goes to the device, unless `GPUC_POOL` asks for the pool.

use std::collections::{BTreeMap, HashMap};

use crate::device::{Device, DeviceError, DeviceKind, DevicePtr, Queue};

/// Sizes are rounded up to this, so that nearly equal requests share memory.
const GRANULE: u64 = 256;

/// What is kept serves requests that leave so much of them unused at most: one in this of the request.
const SPARE: u64 = 8;

/// The bytes that an atomic operation takes, at least.
const WORD: u64 = 4;

/// A word in device memory by which the blocks of a kernel know of each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counter {
    /// Which block is the last: zero between kernels.
    Tickets,
    /// Where all blocks wait for each other: all but the top bit zero between barriers.
    Grid,
}

impl Counter {
    /// What reports call it.
    fn label(self) -> &'static str {
        match self {
            Counter::Tickets => "tickets of reductions",
            Counter::Grid => "barrier of grids",
        }
    }
}

/// What has been asked of an allocator, in bytes as it gives them out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Requests.
    pub requests: u64,
    /// Of them, those that what had been kept was enough for.
    pub reused: u64,
    /// In use now.
    pub used: u64,
    /// The most that was in use at one time.
    pub most_used: u64,
    /// What is kept.
    pub kept: u64,
    /// The most that the device has given for both at one time.
    pub most_held: u64,
}

impl Usage {
    fn takes(&mut self, size: u64) {
        self.requests += 1;
        self.used += size;
        self.most_used = self.most_used.max(self.used);
        self.most_held = self.most_held.max(self.used + self.kept);
    }
}

/// The device memory that the runtime itself has allocated.
#[derive(Debug)]
pub struct Memory {
    recycles: bool,
    usage: Usage,
    sizes: HashMap<DevicePtr, u64>,
    kept: BTreeMap<u64, Vec<DevicePtr>>,
    /// Given back while something in the queue may still use it.
    pending: Vec<(Queue, DevicePtr)>,
    /// The counters of each queue that has had one.
    counters: Vec<(Queue, Counter, DevicePtr)>,
}

impl Memory {
    /// The allocator for a device of this kind, with a pool or without where that is said.
    pub fn new(kind: DeviceKind, pool: Option<bool>) -> Self {
        Memory {
            recycles: pool.unwrap_or(kind == DeviceKind::Cuda),
            usage: Usage::default(),
            sizes: HashMap::new(),
            kept: BTreeMap::new(),
            pending: Vec::new(),
            counters: Vec::new(),
        }
    }

    /// Allocates `bytes`; when memory is short, what was kept is given back first.
    pub fn allocate(
        &mut self,
        device: &dyn Device,
        bytes: u64,
        label: &str,
    ) -> Result<DevicePtr, DeviceError> {
        let size = match self.recycles {
            true => bytes.max(1).checked_next_multiple_of(GRANULE).unwrap_or(bytes),
            // Atomic operations on a part of a word take all of it.
            false => bytes.max(1).checked_next_multiple_of(WORD).unwrap_or(bytes),
        };
        if let Some((ptr, size)) = self.take_kept(size) {
            self.usage.reused += 1;
            self.usage.kept -= size;
            self.usage.takes(size);
            self.sizes.insert(ptr, size);
            return Ok(ptr);
        }
        let ptr = match device.alloc(size, label) {
            Err(DeviceError::OutOfMemory { .. })
                if !self.kept.is_empty() || !self.pending.is_empty() =>
            {
                self.trim(device)?;
                device.alloc(size, label)?
            }
            other => other?,
        };
        self.usage.takes(size);
        self.sizes.insert(ptr, size);
        Ok(ptr)
    }

    /// What is kept of that size, or of one that wastes little of it, with its own.
    fn take_kept(&mut self, size: u64) -> Option<(DevicePtr, u64)> {
        let most = size.saturating_add(size / SPARE);
        let (&own, list) = self.kept.range_mut(size..=most).next()?;
        let ptr = list.pop();
        if list.is_empty() {
            self.kept.remove(&own);
        }
        ptr.map(|ptr| (ptr, own))
    }

    /// What has been asked of it.
    pub fn usage(&self) -> Usage {
        self.usage
    }

    /// Whether an address is one of memory that it has allocated.
    pub fn holds(&self, address: u64) -> bool {
        self.sizes.iter().any(|(&first, &size)| address.wrapping_sub(first) < size)
    }

    /// Takes back what [`Memory::allocate`] returned. An address that it did not return is
    /// refused by the device.
    pub fn release(&mut self, device: &dyn Device, ptr: DevicePtr) -> Result<(), DeviceError> {
        let size = self.sizes.remove(&ptr);
        self.usage.used -= size.unwrap_or(0);
        match size {
            Some(size) if self.recycles => {
                self.usage.kept += size;
                self.kept.entry(size).or_default().push(ptr);
                Ok(())
            }
            _ => device.free(ptr),
        }
    }

    /// Takes back what something that is still in `queue` uses.
    pub fn release_behind(
        &mut self,
        device: &dyn Device,
        ptr: DevicePtr,
        queue: Queue,
    ) -> Result<(), DeviceError> {
        if queue == Queue::SYNC {
            return self.release(device, ptr);
        }
        self.pending.push((queue, ptr));
        Ok(())
    }

    /// A queue is done, and with it the use of what was given back behind it.
    pub fn settle(&mut self, device: &dyn Device, queue: Queue) -> Result<(), DeviceError> {
        let (done, pending): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.pending).into_iter().partition(|&(used, _)| used == queue);
        self.pending = pending;
        done.into_iter().try_for_each(|(_, ptr)| self.release(device, ptr))
    }

    /// A queue's counter: a word that was zero at first and that every kernel leaves as the next wants it, so that
    /// the order of the queue is enough to share it.
    pub fn counter(
        &mut self,
        device: &dyn Device,
        queue: Queue,
        which: Counter,
    ) -> Result<DevicePtr, DeviceError> {
        let known = self.counters.iter().find(|&&(of, what, _)| (of, what) == (queue, which));
        if let Some(&(.., counter)) = known {
            return Ok(counter);
        }
        let counter = self.allocate(device, WORD, which.label())?;
        device.fill(counter, 0, WORD, queue)?;
        self.counters.push((queue, which, counter));
        Ok(counter)
    }

    /// Forgets the counters of a queue in which a kernel has failed, and may have left them anyhow.
    pub fn drop_counters(&mut self, device: &dyn Device, queue: Queue) -> Result<(), DeviceError> {
        let (gone, counters): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.counters).into_iter().partition(|&(of, ..)| of == queue);
        self.counters = counters;
        gone.into_iter().try_for_each(|(.., counter)| self.release(device, counter))
    }

    /// Gives the counters back, when all queues are done.
    pub fn release_counters(&mut self, device: &dyn Device) -> Result<(), DeviceError> {
        let counters = std::mem::take(&mut self.counters);
        counters.into_iter().try_for_each(|(.., counter)| self.release(device, counter))
    }

    /// Whether `ptr` is an allocation of this allocator that is in use.
    pub fn owns(&self, ptr: DevicePtr) -> bool {
        self.sizes.contains_key(&ptr) && !self.pending.iter().any(|&(_, pending)| pending == ptr)
    }

    /// Gives back to the device what was kept for reuse, and waits for what is still in use.
    pub fn trim(&mut self, device: &dyn Device) -> Result<(), DeviceError> {
        while let Some(&(queue, _)) = self.pending.first() {
            device.synchronize(queue)?;
            self.settle(device, queue)?;
        }
        self.usage.kept = 0;
        for ptr in std::mem::take(&mut self.kept).into_values().flatten() {
            device.free(ptr)?;
        }
        Ok(())
    }
}

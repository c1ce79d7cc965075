//! Reads of memory that nobody wrote: device memory since its allocation, shared memory since the
//! start of the block, local memory since the start of the thread.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashMap;

use super::finding::{Finding, FindingKind};
use super::{Context, space_name};
use crate::exec::{AccessEvent, Probe};
use crate::fault::AccessKind;
use crate::program::MemorySpace;

/// One bit a byte.
#[derive(Clone, Debug, Default)]
struct Bits(Vec<u64>);

impl Bits {
    fn new(bytes: u64) -> Bits {
        Bits(vec![0; bytes.div_ceil(64) as usize])
    }

    fn set(&mut self, from: u64, bytes: u64) {
        let mut at = from;
        let end = from.saturating_add(bytes).min(self.0.len() as u64 * 64);
        while at < end {
            let count = (64 - at % 64).min(end - at);
            self.0[(at / 64) as usize] |= (u64::MAX >> (64 - count)) << (at % 64);
            at += count;
        }
    }

    /// Whether all of the bytes were written.
    fn all(&self, from: u64, bytes: u64) -> bool {
        let mut at = from;
        let end = from.saturating_add(bytes).min(self.0.len() as u64 * 64);
        while at < end {
            let count = (64 - at % 64).min(end - at);
            let mask = (u64::MAX >> (64 - count)) << (at % 64);
            if self.0[(at / 64) as usize] & mask != mask {
                return false;
            }
            at += count;
        }
        true
    }

    fn get(&self, at: u64) -> bool {
        self.0.get((at / 64) as usize).is_none_or(|word| word >> (at % 64) & 1 != 0)
    }

    /// Whether every word of the bytes (or all of them, if they are fewer) has a byte that was
    /// written. Padding inside a word is copied by everyone.
    fn written(&self, from: u64, bytes: u64) -> bool {
        let word = bytes.clamp(1, 4);
        self.all(from, bytes)
            || (0..bytes / word).all(|i| (0..word).any(|byte| self.get(from + i * word + byte)))
    }
}

/// Which bytes of device memory were written, by the host or by kernels.
#[derive(Debug, Default)]
pub(crate) struct InitializedBytes(BTreeMap<u64, (u64, Bits)>);

impl InitializedBytes {
    pub(crate) fn allocate(&mut self, base: u64, bytes: u64) {
        self.0.insert(base, (bytes, Bits::new(bytes)));
    }

    /// A block of the device's heap, which may have been part of others.
    fn allocate_anew(&mut self, base: u64, bytes: u64) {
        let inside: Vec<u64> = self.0.range(base..base + bytes).map(|(&base, _)| base).collect();
        inside.iter().for_each(|base| self.free(*base));
        self.allocate(base, bytes);
    }

    pub(crate) fn free(&mut self, base: u64) {
        self.0.remove(&base);
    }

    fn of(&mut self, address: u64) -> Option<(u64, &mut Bits)> {
        let (&base, (size, bits)) = self.0.range_mut(..=address).next_back()?;
        (address - base < *size).then_some((address - base, bits))
    }

    /// As [`InitializedBytes::of`], where so many bytes lie in one allocation.
    fn within(&mut self, address: u64, bytes: u64) -> Option<(u64, &mut Bits)> {
        let (&base, (size, bits)) = self.0.range_mut(..=address).next_back()?;
        let offset = address - base;
        (offset < *size && *size - offset >= bytes).then_some((offset, bits))
    }

    /// The host wrote these bytes.
    pub(crate) fn write(&mut self, address: u64, bytes: u64) {
        if let Some((offset, bits)) = self.of(address) {
            bits.set(offset, bytes);
        }
    }

    /// The host copied these bytes on the device: what was not written stays so.
    pub(crate) fn copy(&mut self, from: u64, to: u64, bytes: u64) {
        let Some((source, bits)) = self.of(from) else { return };
        let written: Vec<bool> = (0..bytes).map(|i| bits.get(source + i)).collect();
        let Some((target, bits)) = self.of(to) else { return };
        for (i, _) in written.iter().enumerate().filter(|(_, written)| **written) {
            bits.set(target + i as u64, 1);
        }
    }
}

/// The memory of one block.
#[derive(Default)]
struct Own {
    shared: Bits,
    /// By thread.
    local: Vec<Bits>,
}

pub(super) struct Initcheck<'l> {
    context: Context<'l>,
    device: &'l Mutex<InitializedBytes>,
    blocks: FxHashMap<u64, Own>,
}

impl<'l> Initcheck<'l> {
    pub(super) fn new(context: Context<'l>, device: &'l Mutex<InitializedBytes>) -> Initcheck<'l> {
        Initcheck { context, device, blocks: FxHashMap::default() }
    }
}

impl Probe for Initcheck<'_> {
    fn block_start(&mut self, block: u64) {
        let local = Bits::new(self.context.code.local_bytes);
        let own = Own {
            shared: Bits::new(self.context.shared_bytes),
            local: vec![local; self.context.threads() as usize],
        };
        self.blocks.insert(block, own);
    }

    fn block_end(&mut self, block: u64) {
        self.blocks.remove(&block);
    }

    fn heap_block(&mut self, address: u64, bytes: u64) {
        let mut device = self.device.lock().unwrap_or_else(PoisonError::into_inner);
        device.allocate_anew(address, bytes);
    }

    fn access(&mut self, event: &AccessEvent<'_>) {
        let bytes = u64::from(event.bytes);
        let mut device = self.device.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(own) = self.blocks.get_mut(&event.at.block) else { return };
        // Lanes side by side, or all at one place: their bytes are looked at together.
        if let Some(span) = event.span()
            && !event.leaves_block()
            && event.kind != AccessKind::Atomic
        {
            let first = event.addresses[0];
            let found = match event.space {
                MemorySpace::Shared => Some((first, &mut own.shared)),
                MemorySpace::Global | MemorySpace::Generic => device.within(first, span),
                MemorySpace::Local | MemorySpace::Param => None,
            };
            if let Some((at, bits)) = found {
                if event.kind == AccessKind::Write {
                    bits.set(at, span);
                    return;
                }
                if bits.all(at, span) {
                    return;
                }
            }
        }
        let mut unwritten = None;
        // Reads first, then writes: an update reads what another lane of it wrote.
        for lane in event.lanes() {
            let (home, address) = event.home(lane);
            let Some(own) = self.blocks.get_mut(&home) else { continue };
            let (at, bits) = match event.space {
                MemorySpace::Shared => (address, &mut own.shared),
                MemorySpace::Local => {
                    let thread = event.at.warp * gpuc_arch::WARP_SIZE + lane;
                    let Some(bits) = own.local.get_mut(thread as usize) else { continue };
                    (address, bits)
                }
                MemorySpace::Param => return,
                MemorySpace::Global | MemorySpace::Generic => match device.of(address) {
                    Some(found) => found,
                    None => continue,
                },
            };
            if event.kind != AccessKind::Write && !bits.written(at, bytes) {
                unwritten.get_or_insert(lane);
            }
            if event.kind != AccessKind::Read {
                bits.set(at, bytes);
            }
        }
        drop(device);
        let Some(lane) = unwritten else { return };
        let address = event.home(lane).1;
        self.context.report(FindingKind::UninitializedRead, (event.at.site, 0), || Finding {
            kind: FindingKind::UninitializedRead,
            kernel: self.context.kernel.into(),
            space: space_name(event.space),
            address,
            bytes: event.bytes,
            variable: self.context.variable(event.space, address, event.bytes),
            side: Some(self.context.side(event.kind.name(), event.at, lane)),
            other: None,
            detail: String::new(),
            count: 1,
        });
    }
}

//! Bounds down to the variable. What lies outside every allocation, is misaligned or was freed stops
//! the kernel by itself; here are the accesses that hit the memory of a neighbour, and those outside
//! the blocks of the device's heap, which is one allocation.

use std::ops::Range;

use super::finding::{Finding, FindingKind};
use super::{Context, provenance, space_name};
use crate::exec::{AccessEvent, Probe};
use crate::program::MemorySpace;

/// The bounds that an access has to keep.
#[derive(Clone, Copy)]
struct Bounds {
    offset: u64,
    size: u64,
    address: u32,
}

pub(super) struct Memcheck<'l> {
    context: Context<'l>,
    /// For each instruction the variable that its address came from.
    bounds: Vec<Option<Bounds>>,
    /// The addresses of the device's heap.
    heap: Range<u64>,
}

impl<'l> Memcheck<'l> {
    pub(super) fn new(context: Context<'l>) -> Memcheck<'l> {
        let of = |index: Option<u32>| {
            let address = &context.code.addresses[index? as usize];
            Some(Bounds { offset: address.variable, size: address.size, address: index? })
        };
        let bounds = provenance::of_accesses(context.code).into_iter().map(of).collect();
        Memcheck { context, bounds, heap: context.heap.range() }
    }

    /// Accesses of the heap must lie in a block that is in use.
    fn in_heap(&self, event: &AccessEvent<'_>) {
        let bytes = u64::from(event.bytes);
        for lane in event.lanes() {
            let at = event.addresses[lane as usize];
            if !self.heap.contains(&at) {
                continue;
            }
            let near = self.context.heap.block_at(at);
            let kind = match near {
                Some(block) if block.bytes.checked_sub(bytes) >= Some(at - block.base) => {
                    if !block.freed {
                        continue;
                    }
                    FindingKind::UseAfterFree
                }
                _ => FindingKind::OutOfBounds,
            };
            let variable = near.map(|block| {
                let offset = (at - block.base) as i64;
                let element = offset / i64::from(event.bytes.max(1));
                super::Variable {
                    name: "block of malloc".into(),
                    size: block.bytes,
                    offset,
                    element,
                }
            });
            self.context.report(kind, (event.at.site, 1), || Finding {
                kind,
                kernel: self.context.kernel.into(),
                space: space_name(event.space),
                address: at,
                bytes: event.bytes,
                variable: variable.or_else(|| self.context.variable(event.space, at, event.bytes)),
                side: Some(self.context.side(event.kind.name(), event.at, lane)),
                other: None,
                detail: String::new(),
                count: 1,
            });
        }
    }
}

impl Probe for Memcheck<'_> {
    fn access(&mut self, event: &AccessEvent<'_>) {
        let site = event.at.site;
        if !self.heap.is_empty() && event.space == MemorySpace::Global {
            self.in_heap(event);
        }
        let Some(bounds) = self.bounds[site as usize] else { return };
        let address = &self.context.code.addresses[bounds.address as usize];
        if address.space != event.space || bounds.size < u64::from(event.bytes) {
            return;
        }
        let last = bounds.size - u64::from(event.bytes);
        for lane in event.lanes() {
            let at = event.addresses[lane as usize];
            if at.wrapping_sub(bounds.offset) <= last {
                continue;
            }
            let offset = at.wrapping_sub(bounds.offset) as i64;
            self.context.report(FindingKind::OutOfBounds, (site, 0), || Finding {
                kind: FindingKind::OutOfBounds,
                kernel: self.context.kernel.into(),
                space: space_name(event.space),
                address: at,
                bytes: event.bytes,
                variable: Some(super::Variable {
                    name: address.name.clone(),
                    size: bounds.size,
                    offset,
                    element: offset.div_euclid(i64::from(event.bytes.max(1))),
                }),
                side: Some(self.context.side(event.kind.name(), event.at, lane)),
                other: None,
                detail: match self.context.variable(event.space, at, event.bytes) {
                    Some(hit) => format!("it hits `{}`", hit.name),
                    None => String::new(),
                },
                count: 1,
            });
        }
    }
}

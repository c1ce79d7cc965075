//! Accesses: registers, memory of the block, and requests to the caches.

use gpuc_arch::{OpClass, WARP_SIZE};
use gpuc_dialects::{memref, nvvm};
use gpuc_ir::op::{AccessKind, MemoryAccess};
use gpuc_ir::{Op, Value};

use super::super::buffer::Memory;
use super::super::index::Index;
use super::super::request::Request;
use super::super::traffic::{Kind, Site};
use super::{MOST_STORED, Walk};

impl Walk<'_> {
    pub(super) fn root(&self, buffer: Value) -> Value {
        crate::analysis::access::root(self.ir(), buffer)
    }

    pub(super) fn memory(&self, buffer: Value) -> Memory {
        Memory::of(self.ir(), self.root(buffer))
    }

    pub(super) fn bytes(&self, access: &MemoryAccess) -> i64 {
        let ir = self.ir();
        let element = ir.ctx.element_or_self(ir.ty(access.value));
        let elements: i64 = access.extents.iter().product::<i64>().max(1);
        memref::scalar_bytes(&ir.ctx, element).unwrap_or(4) as i64 * elements
    }

    pub(super) fn access(&mut self, op: Op, access: &MemoryAccess) {
        let ir = self.ir();
        let root = self.root(access.buffer);
        let memory = Memory::of(ir, root);
        if memory == Memory::Private {
            let subscripts = self.subscripts(access);
            let key = subscripts.iter().map(|at| at.as_ref().map_or(0, Index::typical)).collect();
            let key = (root, key);
            match access.kind {
                AccessKind::Read => {
                    let then = self.own.get(&key).copied().unwrap_or(0.0);
                    self.own.insert(key, then);
                    self.ready.insert(access.value, then);
                }
                _ => {
                    let then = self.when(access.value);
                    self.own.insert(key, then);
                }
            }
            return;
        }
        let address = self.address(access);
        if access.kind == AccessKind::Read {
            let kept = self.stored.iter().rev().find(|(of, at, _)| {
                let apart = address.as_ref().map(|address| at.minus(address));
                *of == root && apart.is_some_and(|apart| apart.is_uniform() && apart.typical() == 0)
            });
            let then = kept.map(|(.., then)| *then);
            let then = then.unwrap_or_else(|| self.load(op, access, address));
            self.ready.insert(access.value, then);
            return;
        }
        if ir.attr(op, nvvm::ASYNC).is_some() {
            let then = self.when(access.value);
            return self.clock.in_background(then);
        }
        let then = self.operands_ready(op);
        let is_shared = memory == Memory::Shared;
        if let Some(address) = address.clone().filter(|_| access.kind == AccessKind::Write) {
            if self.stored.len() == MOST_STORED {
                self.stored.remove(0);
            }
            self.stored.push((root, address, self.when(access.value)));
        }
        let class = match (access.kind == AccessKind::Write, is_shared) {
            (true, true) => OpClass::StoreShared,
            (true, false) => OpClass::StoreGlobal,
            (false, true) => OpClass::AtomicShared,
            (false, false) => OpClass::AtomicGlobal,
        };
        let end = self.clock.issue(class, 1.0, then, self.part);
        self.request(op, access, root, address);
        ir.results(op).iter().for_each(|&result| {
            self.ready.insert(result, end);
        });
    }

    /// Issues a load from an address, where that is known; when its result is there.
    pub(super) fn load(&mut self, op: Op, access: &MemoryAccess, address: Option<Index>) -> f64 {
        let root = self.root(access.buffer);
        let is_shared = Memory::of(self.ir(), root) == Memory::Shared;
        let then = self.operands_ready(op);
        let passes = self.request(op, access, root, address);
        let latency = match is_shared {
            true => f64::from(self.subject.arch.latency.shared),
            false => match self.subject.found.get(&op) {
                Some(found) => found.latency,
                None => f64::from(self.subject.arch.chip.latency.l2),
            },
        };
        let class = if is_shared { OpClass::LoadShared } else { OpClass::LoadGlobal };
        let latency = latency + (passes - 1.0).max(0.0);
        self.clock.issue_taking(class, 1.0, then, self.part, latency)
    }

    /// Notes a request of the warps; clocks of the load/store unit for one.
    pub(super) fn request(
        &mut self,
        op: Op,
        access: &MemoryAccess,
        root: Value,
        addresses: Option<Index>,
    ) -> f64 {
        let arch = self.subject.arch;
        let is_shared = Memory::of(self.ir(), root) == Memory::Shared;
        let bytes = self.bytes(access);
        let weight = self.clock.weight;
        let (mut clocks, mut sectors, mut warps) = (0.0, 0.0, 0.0);
        let is_load = access.kind == AccessKind::Read;
        for (number, warp) in self.active.chunks(WARP_SIZE as usize).enumerate() {
            let first = number * WARP_SIZE as usize;
            let threads = warp.iter().enumerate().filter(|(_, active)| **active);
            let threads = threads.map(|(lane, _)| first + lane);
            let Some(addresses) = &addresses else {
                // One sector, and one line, of each.
                let lanes = threads.count() as f64;
                if lanes > 0.0 {
                    (clocks, sectors, warps) = (clocks + lanes / 4.0, sectors + lanes, warps + 1.0);
                }
                continue;
            };
            let lanes: Vec<i64> = threads.map(|thread| addresses.of(thread)).collect();
            if lanes.is_empty() {
                continue;
            }
            let request = Request { lanes: &lanes, bytes };
            warps += 1.0;
            match is_shared {
                true => clocks += request.passes(arch, true),
                false => {
                    clocks += request.global_clocks(arch, is_load);
                    sectors += request.sectors();
                }
            }
        }
        let all = self.active.len().div_ceil(WARP_SIZE as usize) as f64;
        self.clock.demand().lsu_clocks += weight * self.share * clocks / all;
        let (clocks, sectors) = (clocks / f64::max(warps, 1.0), sectors / f64::max(warps, 1.0));
        if is_shared {
            return clocks;
        }
        let times = weight * self.part;
        if let Some(found) = self.subject.found.get(&op) {
            let demand = self.clock.demand();
            demand.l2_bytes += times * found.l2_bytes;
            demand.dram_bytes += times * found.dram_bytes;
        }
        let kind = match access.kind {
            AccessKind::Read => Kind::Load,
            AccessKind::Write => Kind::Store,
            _ => Kind::Atomic,
        };
        let next = Site {
            op,
            root,
            kind,
            bytes,
            addresses,
            active: self.active.clone(),
            times,
            sectors,
            loops: self.around.clone(),
        };
        match self.sites.get_mut(&op) {
            Some(known) => *known = Site { times: known.times + times, ..next },
            None => {
                self.sites.insert(op, next);
            }
        }
        clocks
    }
}

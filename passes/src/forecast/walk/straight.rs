//! Straight code: loads first, several iterations at a time, and what is left in order.

use gpuc_ir::op::{AccessKind, MemoryAccess};
use gpuc_ir::{Op, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::buffer::Memory;
use super::super::class;
use super::super::index::{Index, LoopId};
use super::{MOST_COPIES, MOST_STORED, MOST_WORDS, Walk};

impl Walk<'_> {
    /// Straight code once.
    pub(super) fn straight(&mut self, ops: &[Op], handed: &[(Value, Value)]) {
        if !ops.is_empty() {
            self.copied(ops, 1, &|_, _| {}, handed);
        }
    }

    /// Iterations of a body that are looked at together.
    pub(super) fn copies(&self, ops: &[Op]) -> i64 {
        let ir = self.ir();
        let loads = ops.iter().filter_map(|&op| {
            let access = ir.memory_access(op).filter(|access| access.kind == AccessKind::Read)?;
            (self.memory(access.buffer) != Memory::Private)
                .then(|| i64::from(class::words(ir, ir.ty(access.value))))
        });
        (MOST_WORDS / loads.sum::<i64>().max(1)).clamp(1, MOST_COPIES)
    }

    /// Pointers of a body that go on with a loop.
    pub(super) fn pointers_moving_with(&self, id: LoopId, ops: &[Op]) -> f64 {
        let mut seen: Vec<(Value, &[(LoopId, f64)])> = Vec::new();
        for site in ops.iter().filter_map(|op| self.sites.get(op)) {
            let slopes = site.addresses.as_ref().map_or(&[][..], |index| index.slopes());
            let moves = slopes.iter().any(|(of, _)| *of == id);
            if moves && !seen.contains(&(site.root, slopes)) {
                seen.push((site.root, slopes));
            }
        }
        seen.len() as f64
    }

    /// Straight code, several copies at a time: all numbers, then loads, then the rest.
    pub(super) fn copied(
        &mut self,
        ops: &[Op],
        copies: i64,
        bind: &dyn Fn(&mut Self, i64),
        handed: &[(Value, Value)],
    ) {
        let mut early: Vec<Vec<(Value, f64)>> = Vec::new();
        let mut is_early: FxHashSet<Op> = FxHashSet::default();
        for copy in 0..copies {
            bind(self, copy);
            ops.iter().for_each(|&op| self.evaluate(op));
            early.push(self.loads_first(ops, &mut is_early));
        }
        for (copy, loaded) in early.into_iter().enumerate() {
            if copies > 1 {
                bind(self, copy as i64);
                ops.iter().for_each(|&op| self.evaluate(op));
            }
            self.ready.extend(loaded);
            for &op in ops.iter().filter(|op| !is_early.contains(op)) {
                self.issue(op);
            }
            self.hand_on(handed);
        }
        self.most_words = self.most_words.max(self.living(ops));
    }

    pub(super) fn hand_on(&mut self, handed: &[(Value, Value)]) {
        let next: Vec<f64> = handed.iter().map(|(_, yielded)| self.when(*yielded)).collect();
        for ((argument, _), then) in handed.iter().zip(next) {
            self.ready.insert(*argument, then);
        }
    }

    /// Whether a load takes what another iteration of this code stores.
    pub(super) fn is_late(
        &self,
        access: &MemoryAccess,
        address: &Index,
        stores: &[(Value, Index)],
    ) -> bool {
        let root = self.root(access.buffer);
        stores.iter().any(|(of, stored)| {
            let apart = stored.minus(address);
            *of == root
                && apart.typical() != 0
                && self.around.last().is_some_and(|inner| {
                    let slope = stored.slopes().iter().find(|(id, _)| id == inner);
                    let steps = slope.map_or(0.0, |(_, by)| apart.typical() as f64 / by);
                    (1.0..=4.0).contains(&steps) && steps.fract() == 0.0
                })
        })
    }

    /// Issues the loads that wait for nothing of this code.
    pub(super) fn loads_first(
        &mut self,
        ops: &[Op],
        is_early: &mut FxHashSet<Op>,
    ) -> Vec<(Value, f64)> {
        let ir = self.ir();
        let mut stored: FxHashSet<Value> = FxHashSet::default();
        let stores: Vec<(Value, Index)> = ops
            .iter()
            .filter_map(|&op| {
                ir.memory_access(op).filter(|access| access.kind == AccessKind::Write)
            })
            .filter(|access| self.memory(access.buffer) == Memory::Global)
            .filter_map(|access| Some((self.root(access.buffer), self.address(&access)?)))
            .take(MOST_STORED)
            .collect();
        let mut loaded = Vec::new();
        // The last load from memory of the block, which the next one may be part of.
        let mut last: Option<(Value, Index, i64)> = None;
        for &op in ops {
            let Some(access) = ir.memory_access(op) else { continue };
            let root = self.root(access.buffer);
            if access.kind != AccessKind::Read {
                stored.insert(root);
                continue;
            }
            let memory = Memory::of(ir, root);
            if memory == Memory::Private || stored.contains(&root) {
                continue;
            }
            let Some(address) = self.address(&access) else { continue };
            if self.is_late(&access, &address, &stores) {
                continue;
            }
            is_early.insert(op);
            let bytes = self.bytes(&access);
            if memory == Memory::Shared
                && let Some((before, at, so_far)) = &mut last
                && *before == root
                && *so_far + bytes <= 16
                && follows(at, &address, *so_far)
            {
                *so_far += bytes;
                let then = loaded.last().map_or(0.0, |(_, then)| *then);
                loaded.push((access.value, then));
                continue;
            }
            last = Some((root, address.clone(), bytes));
            let then = self.load(op, &access, Some(address));
            loaded.push((access.value, then));
        }
        loaded
    }

    /// Issues an operation of straight code that is no load in front of it.
    pub(super) fn issue(&mut self, op: Op) {
        let ir = self.ir();
        if let Some(access) = ir.memory_access(op) {
            return self.access(op, &access);
        }
        let results = ir.results(op);
        let then = self.operands_ready(op);
        let is_number = results.iter().any(|value| self.numbers.contains_key(value));
        if is_number || class::is_free(ir, op) {
            results.iter().for_each(|&result| {
                self.ready.insert(result, then);
            });
            return;
        }
        let end = if let Some(product) = class::fused(ir, op) {
            let then = ir.operands(product).fold(then, |last, value| last.max(self.when(value)));
            self.clock.issue(class::fma(ir, op), 1.0, then, self.part)
        } else if results.first().is_some_and(|&result| {
            ir.has_one_use(result)
                && ir.users(result).any(|user| class::fused(ir, user) == Some(op))
        }) {
            then
        } else {
            class::of(ir, op)
                .into_iter()
                .fold(then, |then, (class, count)| self.clock.issue(class, count, then, self.part))
        };
        results.iter().for_each(|&result| {
            self.ready.insert(result, end);
        });
    }

    /// Registers of the values of straight code that live at a time, at most; what stays in registers anyway is counted there.
    pub(super) fn living(&self, ops: &[Op]) -> u32 {
        let ir = self.ir();
        let mut last: FxHashMap<Value, usize> = FxHashMap::default();
        for (at, &op) in ops.iter().enumerate() {
            ir.operands(op).for_each(|value| {
                last.insert(value, at);
            });
        }
        let is_data = |value: Value| {
            let of_own = ir.defining_op(value).and_then(|op| ir.memory_access(op));
            let is_own = of_own.is_some_and(|access| self.memory(access.buffer) == Memory::Private);
            !is_own && !ir.ctx.is_memref(ir.ty(value)) && !self.numbers.contains_key(&value)
        };
        let mut ends: Vec<u32> = vec![0; ops.len() + 1];
        let (mut now, mut most) = (0, 0);
        for (at, &op) in ops.iter().enumerate() {
            let is_name = class::is_free(ir, op);
            for &result in ir.results(op).iter().filter(|&&value| !is_name && is_data(value)) {
                if let Some(&end) = last.get(&result) {
                    let words = class::words(ir, ir.ty(result));
                    now += words;
                    ends[end] += words;
                }
            }
            most = most.max(now);
            now -= ends[at].min(now);
        }
        most
    }
}

/// Whether an address lies so many bytes behind another one in all threads, and both may be one access.
fn follows(first: &Index, next: &Index, bytes: i64) -> bool {
    let apart = next.minus(first);
    let aligned = first.zip(first, [0.0; 2], |a, _| a.rem_euclid(16));
    apart.is_uniform() && apart.typical() == bytes && aligned.is_uniform() && aligned.typical() == 0
}

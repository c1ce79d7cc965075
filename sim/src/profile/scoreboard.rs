//! The time of a warp by itself: its instructions in order, each issued when its operands are there.

use gpuc_arch::{Arch, OpClass};

use crate::program::{Code, MemorySpace, Op};

use super::registers::{PREDICATE, Register, Uses, uses};
use super::schedule::{Order, Schedule, Source, Timing};

/// What the scoreboard knows of a kernel.
pub(super) struct Scoreboard<'c> {
    code: &'c Code,
    uses: Vec<Uses>,
    timings: Vec<Timing>,
    schedule: Schedule,
    /// Clocks until a store to shared memory is there.
    shared: f64,
}

impl<'c> Scoreboard<'c> {
    /// `memory` has for each memory operation the clocks from its issue to the use of its result, the
    /// mean over what its accesses found in the caches, and 0 for other instructions; `follows` says
    /// which loads are part of another one.
    pub(super) fn new(
        arch: &Arch,
        code: &'c Code,
        classes: &[Option<OpClass>],
        memory: &[f64],
        follows: &[bool],
    ) -> Scoreboard<'c> {
        let uses: Vec<Uses> = code.insts.iter().map(|inst| uses(code, inst)).collect();
        let timing = |at: usize| {
            let order = match code.insts[at].op {
                Op::Barrier { .. } | Op::ClusterWait { .. } => Order::Barrier,
                Op::Store(access, _) if access.space == MemorySpace::Shared => Order::Store,
                Op::Atomic { space: MemorySpace::Shared, .. } => Order::Store,
                _ => Order::None,
            };
            let Some(class) = classes[at] else {
                return Timing { issue: 0.0, latency: 0.0, order };
            };
            let cost = arch.cost(class);
            let latency = if memory[at] > 0.0 { memory[at] } else { f64::from(cost.latency) };
            let issue = if follows[at] { 0.0 } else { f64::from(cost.instructions) };
            Timing { issue, latency, order }
        };
        let timings: Vec<Timing> = (0..code.insts.len()).map(timing).collect();
        let schedule = Schedule::new(code, &uses, &timings);
        Scoreboard { code, uses, timings, schedule, shared: f64::from(arch.latency.shared) }
    }

    /// The place of a register: rows first, predicates behind them.
    fn index(&self, register: Register) -> usize {
        match register & PREDICATE {
            0 => register as usize,
            _ => self.code.rows as usize + 1 + (register & !PREDICATE) as usize,
        }
    }

    /// Issues the instructions of a warp, one after another, in the order in which an assembler puts
    /// them. `tell` learns for each the clocks from the issue of the one before to its own end of
    /// issue, operands waited for.
    pub(super) fn run(&self, trace: &[u32], mut tell: impl FnMut(usize, f64)) {
        let count = self.code.rows as usize + self.code.predicates as usize + 2;
        let mut ready = vec![0.0f64; count];
        let mut now = 0.0f64;
        let mut starts: Vec<f64> = Vec::new();
        // When the stores to shared memory are there.
        let mut stored = 0.0f64;
        let mut rest = trace;
        while let Some(&site) = rest.first() {
            let Some(block) = self.schedule.block(rest) else {
                let reads = &self.uses[site as usize].reads;
                let operands = reads.iter().fold(0.0f64, |at, &r| at.max(ready[self.index(r)]));
                let (start, end) = self.issue(site, now, operands, &mut stored);
                for &register in &self.uses[site as usize].writes {
                    ready[self.index(register)] = start + self.timings[site as usize].latency;
                }
                tell(site as usize, end - now);
                now = end;
                rest = &rest[1..];
                continue;
            };
            starts.clear();
            for (site, sources) in &block.slots {
                let operands = sources.iter().fold(0.0f64, |at, source| match *source {
                    Source::Slot(slot) => {
                        let from = block.slots[slot].0 as usize;
                        at.max(starts[slot] + self.timings[from].latency)
                    }
                    Source::Register(register) => at.max(ready[self.index(register)]),
                });
                let (start, end) = self.issue(*site, now, operands, &mut stored);
                starts.push(start);
                tell(*site as usize, end - now);
                now = end;
            }
            for &(register, slot) in &block.results {
                let from = block.slots[slot].0 as usize;
                ready[self.index(register)] = starts[slot] + self.timings[from].latency;
            }
            rest = &rest[block.length..];
        }
    }

    /// When an instruction starts, and when the next one may.
    fn issue(&self, site: u32, now: f64, operands: f64, stored: &mut f64) -> (f64, f64) {
        let Timing { issue, order, .. } = self.timings[site as usize];
        let operands = match order {
            Order::Barrier => operands.max(*stored),
            Order::Store | Order::None => operands,
        };
        if order == Order::Store {
            *stored = now.max(operands) + self.shared;
        }
        // What takes no instruction has its result with its operands.
        if issue > 0.0 {
            let start = now.max(operands);
            (start, start + issue)
        } else {
            (operands, now)
        }
    }
}

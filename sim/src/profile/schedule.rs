//! The order in which an assembler would put the instructions of a basic block.
//!
//! PTX loads a value where it is used; an assembler moves loads up, so that what is independent runs
//! meanwhile. A list scheduler does the same here: of the instructions whose operands are there, the
//! one with the longest way to the end of the block goes first. Memory operations keep the order
//! that they need, and nothing passes a barrier or a branch.

use std::collections::HashMap;

use crate::program::{Code, MemorySpace, Op};

use super::registers::{Register, Uses};
use super::unroll::{Unrolled, unrolled};

/// Where an instruction in a block gets an operand.
#[derive(Clone, Copy, Debug)]
pub(super) enum Source {
    /// From the instruction in so manieth place of the block's order.
    Slot(usize),
    /// From before the block.
    Register(Register),
}

/// A block in the order of an assembler. Registers of the block have been renamed: what reads one
/// names the instruction that wrote it.
#[derive(Debug)]
pub(super) struct Block {
    /// Instructions of the trace that it covers.
    pub(super) length: usize,
    pub(super) slots: Vec<(u32, Vec<Source>)>,
    /// What registers hold at its end.
    pub(super) results: Vec<(Register, usize)>,
}

/// The blocks of a kernel.
pub(super) struct Schedule {
    /// For each instruction that starts a block, the block; of an unrolled loop as many iterations as
    /// are scheduled together come first.
    starts: HashMap<u32, Vec<Block>>,
}

/// An instruction as the scheduler sees it.
#[derive(Clone, Copy)]
pub(super) struct Timing {
    /// Clocks of issue; 0 for what takes no instruction.
    pub(super) issue: f64,
    /// Clocks from issue to the use of the result.
    pub(super) latency: f64,
    /// What it has to do with a barrier.
    pub(super) order: Order,
}

/// How an instruction stands to barriers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    None,
    /// A store to shared memory: what is behind a barrier sees it.
    Store,
    /// A barrier, which waits for the stores.
    Barrier,
}

/// Instructions of several iterations that are scheduled together at most.
const TOGETHER: usize = 512;

impl Schedule {
    pub(super) fn new(code: &Code, uses: &[Uses], timings: &[Timing]) -> Schedule {
        let mut starts: HashMap<u32, Vec<Block>> = HashMap::new();
        let mut first = 0;
        let targets = targets(code);
        for at in 0..code.insts.len() {
            let ends = ends_block(&code.insts[at].op);
            if ends || targets[at + 1] {
                let sites: Vec<usize> = (first..at + 1).collect();
                starts.entry(first as u32).or_default().push(order(code, uses, timings, &sites));
                first = at + 1;
            }
        }
        for Unrolled { body, trips, .. } in unrolled(code) {
            let copies = (TOGETHER / body.len()).min(trips as usize);
            if copies > 1 {
                let sites: Vec<usize> = (0..copies).flat_map(|_| body.clone()).collect();
                let block = order(code, uses, timings, &sites);
                starts.entry(body.start as u32).or_default().insert(0, block);
            }
        }
        Schedule { starts }
    }

    /// The block that starts at the start of a trace, if all of it is what comes next.
    pub(super) fn block(&self, trace: &[u32]) -> Option<&Block> {
        self.starts.get(trace.first()?)?.iter().find(|block| {
            let Some(whole) = trace.get(..block.length) else { return false };
            let last = whole[block.length - 1];
            // Blocks are left at their end alone, so that the last one tells of all.
            whole.len() == 1 || last == block.last() && whole[0] + 1 == whole[1]
        })
    }
}

impl Block {
    /// The last instruction of the trace that it covers.
    fn last(&self) -> u32 {
        self.slots.iter().map(|&(site, _)| site).max().unwrap_or(0)
    }
}

/// Whether control may come to an instruction from elsewhere than the one before it.
fn targets(code: &Code) -> Vec<bool> {
    let mut out = vec![false; code.insts.len() + 1];
    for inst in &code.insts {
        match inst.op {
            Op::Branch { target, .. } => out[target as usize] = true,
            Op::BranchTable { .. } => {
                code.tables[inst.imm as usize].iter().for_each(|&to| out[to as usize] = true);
            }
            _ => {}
        }
    }
    code.functions.iter().for_each(|function| out[function.entry as usize] = true);
    out
}

fn ends_block(op: &Op) -> bool {
    matches!(
        op,
        Op::Branch { .. }
            | Op::BranchTable { .. }
            | Op::Barrier { .. }
            | Op::ClusterArrive { .. }
            | Op::ClusterWait { .. }
            | Op::Join
            | Op::Exit
            | Op::Return
            | Op::Call { .. }
            | Op::CallIndirect { .. }
            | Op::Trap
            | Op::WarpSync
            | Op::Fence
            | Op::System(_)
    )
}

/// What an instruction does to memory: the space, and whether it writes.
fn memory(op: &Op) -> Option<(MemorySpace, bool)> {
    match *op {
        Op::Load(access, _) if access.strong => Some((access.space, true)),
        Op::Load(access, _) if access.space == MemorySpace::Param => None,
        Op::Load(access, _) => Some((access.space, false)),
        Op::Store(access, _) => Some((access.space, true)),
        Op::Atomic { space, .. } | Op::AtomicWide { space, .. } => Some((space, true)),
        Op::CopyAsync { .. } | Op::CopyBulk { .. } => Some((MemorySpace::Shared, true)),
        Op::LoadTiles(..) | Op::LoadMatrix(..) => Some((MemorySpace::Shared, false)),
        Op::StoreTiles(..) | Op::StoreMatrix(..) => Some((MemorySpace::Shared, true)),
        Op::MemoryBarrier(_) => Some((MemorySpace::Generic, true)),
        _ => None,
    }
}

/// Global and shared memory do not overlap; generic addresses may be either.
fn may_overlap(a: MemorySpace, b: MemorySpace) -> bool {
    a == b || a == MemorySpace::Generic || b == MemorySpace::Generic
}

/// Schedules instructions; `sites` has them in the order of the program, several times where several
/// iterations of a loop are taken together.
fn order(code: &Code, uses: &[Uses], timings: &[Timing], sites: &[usize]) -> Block {
    let count = sites.len();
    // Who has to wait for whom, and how long.
    let mut after: Vec<Vec<(usize, f64)>> = vec![Vec::new(); count];
    let mut waits = vec![0u32; count];
    let mut depend = |on: usize, who: usize, clocks: f64| {
        after[on].push((who, clocks));
        waits[who] += 1;
    };
    let mut writer: HashMap<Register, usize> = HashMap::new();
    let mut sources: Vec<Vec<Result<usize, Register>>> = Vec::with_capacity(count);
    let mut accesses: Vec<(usize, MemorySpace, bool)> = Vec::new();
    for (who, &at) in sites.iter().enumerate() {
        let mut own = Vec::with_capacity(uses[at].reads.len());
        for register in &uses[at].reads {
            match writer.get(register) {
                Some(&on) => {
                    depend(on, who, timings[sites[on]].latency);
                    own.push(Ok(on));
                }
                None => own.push(Err(*register)),
            }
        }
        sources.push(own);
        for register in &uses[at].writes {
            writer.insert(*register, who);
        }
        if let Some((space, writes)) = memory(&code.insts[at].op) {
            for &(on, other, wrote) in &accesses {
                if (writes || wrote) && may_overlap(space, other) {
                    depend(on, who, 0.0);
                }
            }
            if writes {
                accesses.retain(|&(_, other, _)| !may_overlap(space, other));
            }
            accesses.push((who, space, writes));
        }
    }
    // What ends the block stays behind everything.
    if ends_block(&code.insts[sites[count - 1]].op) {
        for on in 0..count - 1 {
            depend(on, count - 1, 0.0);
        }
    }
    let mut way = vec![0.0f64; count];
    for at in (0..count).rev() {
        let own = timings[sites[at]].issue;
        way[at] = after[at].iter().fold(own, |most, &(who, clocks)| most.max(clocks + way[who]));
    }
    let mut ready: Vec<(usize, f64)> =
        (0..count).filter(|&at| waits[at] == 0).map(|at| (at, 0.0)).collect();
    let mut from = vec![0.0f64; count];
    let mut place = vec![0usize; count];
    let mut now = 0.0;
    let mut slots = Vec::with_capacity(count);
    while !ready.is_empty() {
        let early = |x: &(usize, f64)| f64::max(x.1, now);
        let better = |a: &(usize, f64), b: &(usize, f64)| {
            early(b).total_cmp(&early(a)).then(way[a.0].total_cmp(&way[b.0])).then(b.0.cmp(&a.0))
        };
        let best = (0..ready.len()).max_by(|&a, &b| better(&ready[a], &ready[b])).unwrap_or(0);
        let (at, when) = ready.swap_remove(best);
        let start = f64::max(now, when);
        now = start + timings[sites[at]].issue;
        place[at] = slots.len();
        let own = sources[at].iter().map(|source| match *source {
            Ok(on) => Source::Slot(place[on]),
            Err(register) => Source::Register(register),
        });
        slots.push((sites[at] as u32, own.collect()));
        for &(who, clocks) in &after[at] {
            from[who] = from[who].max(start + clocks);
            waits[who] -= 1;
            if waits[who] == 0 {
                ready.push((who, from[who]));
            }
        }
    }
    let mut results: Vec<(Register, usize)> =
        writer.into_iter().map(|(register, who)| (register, place[who])).collect();
    results.sort_unstable();
    Block { length: count, slots, results }
}

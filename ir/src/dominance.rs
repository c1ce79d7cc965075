//! Dominators of the blocks of a region, and of every region inside an operation.

use rustc_hash::FxHashMap;

use crate::graph::{Block, Ir, Op, Region, WalkOrder};
use crate::pass::Analysis;

/// Immediate dominators of the reachable blocks of one region (Cooper, Harvey and Kennedy, "A
/// simple, fast dominance algorithm", 2001).
#[derive(Clone, Debug)]
pub struct Dominators {
    /// Reachable blocks in reverse post-order.
    order: Vec<Block>,
    number: FxHashMap<Block, usize>,
    /// Immediate dominator of each block of `order`, by number; the entry is its own.
    immediate: Vec<usize>,
}

impl Dominators {
    /// Dominators of a region.
    pub fn of(ir: &Ir, region: Region) -> Self {
        let order = reverse_post_order(ir, region);
        let number: FxHashMap<Block, usize> =
            order.iter().enumerate().map(|(i, &block)| (block, i)).collect();
        let mut predecessors = vec![Vec::new(); order.len()];
        for (i, &block) in order.iter().enumerate() {
            for successor in ir.block_successors(block) {
                if let Some(&s) = number.get(successor) {
                    predecessors[s].push(i);
                }
            }
        }
        const UNKNOWN: usize = usize::MAX;
        let mut immediate = vec![UNKNOWN; order.len()];
        if let Some(entry) = immediate.first_mut() {
            *entry = 0;
        }
        let mut changed = true;
        while changed {
            changed = false;
            for block in 1..order.len() {
                let known =
                    predecessors[block].iter().copied().filter(|&p| immediate[p] != UNKNOWN);
                let common = known.reduce(|mut a, mut b| {
                    while a != b {
                        while a > b {
                            a = immediate[a];
                        }
                        while b > a {
                            b = immediate[b];
                        }
                    }
                    a
                });
                if let Some(common) = common
                    && immediate[block] != common
                {
                    immediate[block] = common;
                    changed = true;
                }
            }
        }
        Dominators { order, number, immediate }
    }

    /// Reachable blocks in reverse post-order, entry first.
    pub fn reachable(&self) -> &[Block] {
        &self.order
    }

    /// Whether the block can be reached from the entry.
    pub fn is_reachable(&self, block: Block) -> bool {
        self.number.contains_key(&block)
    }

    /// Immediate dominator of a reachable block other than the entry.
    pub fn immediate(&self, block: Block) -> Option<Block> {
        let &number = self.number.get(&block)?;
        (number != 0).then(|| self.order[self.immediate[number]])
    }

    /// Whether every way to `b` goes through `a`; every block dominates an unreachable one.
    pub fn dominates(&self, a: Block, b: Block) -> bool {
        let Some(&target) = self.number.get(&b) else { return true };
        let Some(&a) = self.number.get(&a) else { return false };
        let mut b = target;
        while b > a {
            b = self.immediate[b];
        }
        a == b
    }
}

/// Dominators of every region inside an operation that has several blocks, its own regions
/// included. What changes no block and no terminator preserves it.
#[derive(Clone, Debug)]
pub struct DominanceInfo {
    regions: FxHashMap<Region, Dominators>,
}

impl DominanceInfo {
    /// Dominators of a region; `None` where it has a single block or none.
    pub fn of(&self, region: Region) -> Option<&Dominators> {
        self.regions.get(&region)
    }
}

impl Analysis for DominanceInfo {
    fn compute(ir: &Ir, op: Op) -> Self {
        let mut regions = FxHashMap::default();
        ir.walk(op, WalkOrder::PreOrder, &mut |inner| {
            for &region in ir.regions(inner) {
                if ir.blocks(region).len() > 1 {
                    regions.insert(region, Dominators::of(ir, region));
                }
            }
        });
        DominanceInfo { regions }
    }
}

fn reverse_post_order(ir: &Ir, region: Region) -> Vec<Block> {
    let Some(entry) = ir.entry_block(region) else { return Vec::new() };
    let mut seen: rustc_hash::FxHashSet<Block> = [entry].into_iter().collect();
    let mut order = Vec::new();
    // An explicit stack: control flow graphs may be thousands of blocks deep.
    let mut stack = vec![(entry, 0)];
    while let Some((block, next)) = stack.pop() {
        match ir.block_successors(block).get(next) {
            Some(&successor) => {
                stack.push((block, next + 1));
                if seen.insert(successor) {
                    stack.push((successor, 0));
                }
            }
            None => order.push(block),
        }
    }
    order.reverse();
    order
}

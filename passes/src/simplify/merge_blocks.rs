//! Blocks that do the same become one: the part of region simplification that is asked for as `aggressive`.
//!
//! After MLIR's `RegionUtils.cpp`: blocks are alike where their operations are, in order, but for operands from outside,
//! which become arguments of the block that stays.

use gpuc_dialects::cf;
use gpuc_ir::{Block, Ir, Op, OpView, Region, Value, ValueDef};

/// Merges blocks of a region that do the same. Returns whether there were any.
pub(super) fn merge_identical_blocks(ir: &mut Ir, region: Region) -> bool {
    let mut clusters: Vec<Cluster> = Vec::new();
    for &block in ir.blocks(region).iter().skip(1) {
        if !may_merge(ir, block) {
            continue;
        }
        if !clusters.iter_mut().any(|cluster| cluster.take(ir, block)) {
            clusters.push(Cluster { leader: block, others: Vec::new(), differing: Vec::new() });
        }
    }
    let mut changed = false;
    for cluster in clusters {
        changed |= cluster.merge(ir, region);
    }
    changed
}

/// Whether a block holds no regions, and its arguments are used inside only.
fn may_merge(ir: &Ir, block: Block) -> bool {
    ir.ops(block).all(|op| ir.regions(op).is_empty())
        && ir.arguments(block).iter().all(|&argument| used_inside(ir, argument, block))
}

fn used_inside(ir: &Ir, value: Value, block: Block) -> bool {
    ir.users(value).all(|user| ir.parent_block(user) == Some(block))
}

/// Blocks that do the same.
struct Cluster {
    leader: Block,
    others: Vec<Block>,
    /// Operands that differ, by the numbers of operation and operand.
    differing: Vec<(usize, usize)>,
}

impl Cluster {
    /// Takes a block in if it does what the others do.
    fn take(&mut self, ir: &Ir, block: Block) -> bool {
        let types = |block: Block| {
            ir.arguments(block).iter().map(|&argument| ir.ty(argument)).collect::<Vec<_>>()
        };
        let (mine, others): (Vec<Op>, Vec<Op>) =
            (ir.ops(self.leader).collect(), ir.ops(block).collect());
        if types(self.leader) != types(block) || mine.len() != others.len() {
            return false;
        }
        let mut differing = Vec::new();
        for (number, (&a, &b)) in mine.iter().zip(&others).enumerate() {
            let alike = ir.op_name(a) == ir.op_name(b)
                && ir.attrs(a) == ir.attrs(b)
                && ir.operand_count(a) == ir.operand_count(b)
                && ir.result_types(a).eq(ir.result_types(b))
                && ir.successors(a) == ir.successors(b)
                && ir.results(a).iter().all(|&result| used_inside(ir, result, self.leader))
                && ir.results(b).iter().all(|&result| used_inside(ir, result, block));
            if !alike {
                return false;
            }
            for (position, (x, y)) in ir.operands(a).zip(ir.operands(b)).enumerate() {
                if x == y {
                    continue;
                }
                if ir.ty(x) != ir.ty(y) {
                    return false;
                }
                match (place_in(ir, x, self.leader), place_in(ir, y, block)) {
                    (Some(here), Some(there)) if here == there => {}
                    (None, None) if comes_in(ir, x, self.leader) && comes_in(ir, y, block) => {
                        differing.push((number, position));
                    }
                    _ => return false,
                }
            }
        }
        for place in differing {
            if !self.differing.contains(&place) {
                self.differing.push(place);
            }
        }
        self.others.push(block);
        true
    }

    /// Sends all that goes to the other blocks to the first one.
    fn merge(mut self, ir: &mut Ir, region: Region) -> bool {
        if self.others.is_empty() {
            return false;
        }
        let blocks: Vec<Block> =
            std::iter::once(self.leader).chain(self.others.iter().copied()).collect();
        let edges: Vec<Vec<(Op, usize)>> =
            blocks.iter().map(|&block| edges_to(ir, region, block)).collect();
        self.differing.sort_unstable();
        if !self.differing.is_empty() {
            let passes_values = |&(branch, _): &(Op, usize)| {
                cf::BranchOp::is(ir, branch) || cf::CondBranchOp::is(ir, branch)
            };
            if !edges.iter().flatten().all(passes_values) {
                return false;
            }
            // What each block has where they differ, then the leader's arguments in these places.
            let values: Vec<Vec<Value>> = blocks
                .iter()
                .map(|&block| {
                    let ops: Vec<Op> = ir.ops(block).collect();
                    self.differing.iter().map(|&(op, at)| ir.operand(ops[op], at)).collect()
                })
                .collect();
            let ops: Vec<Op> = ir.ops(self.leader).collect();
            for (&(op, at), &value) in self.differing.iter().zip(&values[0]) {
                let (ty, location) = (ir.ty(value), ir.location(ops[op]));
                let argument = ir.add_argument(self.leader, ty, location);
                ir.set_operand(ops[op], at, argument);
            }
            for (edges, values) in edges.iter().zip(&values) {
                for &(branch, successor) in edges {
                    append_operands(ir, branch, successor, values);
                }
            }
        }
        for (&block, edges) in blocks.iter().zip(&edges).skip(1) {
            for &(branch, successor) in edges {
                ir.set_successor(branch, successor, self.leader);
            }
            ir.erase_block(block);
        }
        true
    }
}

/// Where in its block a value is made, if it is made in `block`.
fn place_in(ir: &Ir, value: Value, block: Block) -> Option<(Option<usize>, usize)> {
    match ir.value_def(value) {
        ValueDef::Argument(owner, index) => (owner == block).then_some((None, index as usize)),
        ValueDef::Result(op, index) => {
            let number = ir.ops(block).position(|each| each == op)?;
            Some((Some(number), index as usize))
        }
    }
}

/// Whether a value from outside can be handed to `block`: none that the branch to it makes.
fn comes_in(ir: &Ir, value: Value, block: Block) -> bool {
    ir.defining_op(value).is_none_or(|op| !ir.successors(op).contains(&block))
}

/// The ways to a block: terminators and the number of their successor.
fn edges_to(ir: &Ir, region: Region, block: Block) -> Vec<(Op, usize)> {
    let mut found = Vec::new();
    for terminator in ir.blocks(region).iter().filter_map(|&from| ir.last_op(from)) {
        for (i, &successor) in ir.successors(terminator).iter().enumerate() {
            if successor == block {
                found.push((terminator, i));
            }
        }
    }
    found
}

/// Hands more values to a successor of a branch.
fn append_operands(ir: &mut Ir, branch: Op, successor: usize, values: &[Value]) {
    let Some(forwarded) = ir.def(branch).and_then(|def| def.hooks.successor_operands) else {
        return;
    };
    let end = forwarded(ir, branch, successor).end;
    let mut operands: Vec<Value> = ir.operands(branch).collect();
    operands.splice(end..end, values.iter().copied());
    ir.set_operands(branch, &operands);
    super::regions::resize_segment(ir, branch, successor, values.len() as i32);
}

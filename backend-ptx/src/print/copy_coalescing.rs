//! Which values share a register.
//!
//! A block argument and a value that a branch hands to it get one register where they are never
//! needed at the same time; the move between them then falls away. Values interfere where one is
//! live at the definition of the other (Budimlić et al., "Fast copy coalescing and live-range
//! identification", PLDI 2002). Back edges are tried first: what is saved there is saved in every
//! round of a loop.

use gpuc_ir::{Block, Ir, Op, Value, ValueDef};
use rustc_hash::{FxHashMap, FxHashSet};

use super::registers::{Class, immediate};

/// Larger classes are left alone: every pair of members is compared.
const MAX_CLASS: usize = 64;

/// Position of a definition or use: number of the block, then of the operation in it, from 1;
/// arguments are at 0.
type Position = (usize, usize);

/// The classes of values that share a register.
pub(super) struct Classes<'a> {
    ir: &'a Ir,
    positions: FxHashMap<Op, Position>,
    blocks: FxHashMap<Block, usize>,
    /// Candidates needed on entry to each block, arguments not among them.
    live_in: Vec<FxHashSet<Value>>,
    /// Candidates needed behind each block.
    live_out: Vec<FxHashSet<Value>>,
    /// The class of each value that is not alone.
    class_of: FxHashMap<Value, usize>,
    classes: Vec<Vec<Value>>,
}

impl<'a> Classes<'a> {
    /// Finds the classes of a function.
    pub fn of(ir: &'a Ir, order: &[Block]) -> Classes<'a> {
        let mut classes = Classes {
            ir,
            positions: FxHashMap::default(),
            blocks: order.iter().enumerate().map(|(n, &block)| (block, n)).collect(),
            live_in: vec![FxHashSet::default(); order.len()],
            live_out: vec![FxHashSet::default(); order.len()],
            class_of: FxHashMap::default(),
            classes: Vec::new(),
        };
        for (number, &block) in order.iter().enumerate() {
            for (at, op) in ir.ops(block).enumerate() {
                classes.positions.insert(op, (number, at + 1));
            }
        }
        let candidates = candidates(ir, order, &classes.blocks);
        if candidates.is_empty() {
            return classes;
        }
        classes.find_liveness(order, &candidates);
        for (argument, value) in candidates {
            classes.join(argument, value);
        }
        classes
    }

    /// The value whose register `value` shares: the first of its class.
    pub fn representative(&self, value: Value) -> Value {
        self.class_of.get(&value).map_or(value, |&class| self.classes[class][0])
    }

    /// Finds where the candidates for classes are needed.
    fn find_liveness(&mut self, order: &[Block], candidates: &[(Value, Value)]) {
        let mut predecessors: Vec<Vec<usize>> = vec![Vec::new(); order.len()];
        for (number, &block) in order.iter().enumerate() {
            for successor in self.ir.block_successors(block) {
                if let Some(&successor) = self.blocks.get(successor) {
                    predecessors[successor].push(number);
                }
            }
        }
        let both = candidates.iter().flat_map(|&(argument, value)| [argument, value]);
        for value in both.collect::<FxHashSet<Value>>() {
            self.spread(value, &predecessors);
        }
    }

    /// Marks the blocks between the definition of a value and its uses.
    fn spread(&mut self, value: Value, predecessors: &[Vec<usize>]) {
        let Some((home, _)) = self.definition(value) else { return };
        let mut work: Vec<usize> = self
            .ir
            .users(value)
            .filter_map(|user| self.positions.get(&user))
            .map(|&(block, _)| block)
            .filter(|&block| block != home)
            .collect();
        while let Some(block) = work.pop() {
            if !self.live_in[block].insert(value) {
                continue;
            }
            for &from in &predecessors[block] {
                self.live_out[from].insert(value);
                if from != home {
                    work.push(from);
                }
            }
        }
    }

    fn definition(&self, value: Value) -> Option<Position> {
        match self.ir.value_def(value) {
            ValueDef::Argument(block, _) => self.blocks.get(&block).map(|&number| (number, 0)),
            ValueDef::Result(op, _) => self.positions.get(&op).copied(),
        }
    }

    /// Whether `value` is still needed behind the definition of `other`.
    fn is_live_at(&self, value: Value, other: Value) -> bool {
        let (Some(own), Some(at)) = (self.definition(value), self.definition(other)) else {
            return true;
        };
        let there = self.live_in[at.0].contains(&value) || (own.0 == at.0 && own.1 <= at.1);
        there
            && (self.live_out[at.0].contains(&value)
                || self
                    .ir
                    .users(value)
                    .filter_map(|user| self.positions.get(&user))
                    .any(|&(block, position)| block == at.0 && position > at.1))
    }

    fn interfere(&self, a: Value, b: Value) -> bool {
        // Defined at one moment, they need two registers.
        self.definition(a) == self.definition(b) || self.is_live_at(a, b) || self.is_live_at(b, a)
    }

    fn members(&self, value: Value) -> Vec<Value> {
        self.class_of.get(&value).map_or_else(|| vec![value], |&class| self.classes[class].clone())
    }

    fn join(&mut self, a: Value, b: Value) {
        if self.representative(a) == self.representative(b) {
            return;
        }
        let (left, right) = (self.members(a), self.members(b));
        if left.len() + right.len() > MAX_CLASS
            || left.iter().any(|&a| right.iter().any(|&b| self.interfere(a, b)))
        {
            return;
        }
        let class = self.classes.len();
        let all: Vec<Value> = left.into_iter().chain(right).collect();
        for &member in &all {
            self.class_of.insert(member, class);
        }
        self.classes.push(all);
    }
}

/// Arguments with the values handed to them that are in registers of the same kind, those on back
/// edges first.
fn candidates(ir: &Ir, order: &[Block], numbers: &FxHashMap<Block, usize>) -> Vec<(Value, Value)> {
    let (mut back, mut forward) = (Vec::new(), Vec::new());
    for (number, &block) in order.iter().enumerate() {
        let Some(op) = ir.last_op(block) else { continue };
        let Some(hook) = ir.def(op).and_then(|def| def.hooks.successor_operands) else { continue };
        for (index, &target) in ir.successors(op).iter().enumerate() {
            let is_back = numbers.get(&target).is_some_and(|&target| target <= number);
            for (&argument, operand) in ir.arguments(target).iter().zip(hook(ir, op, index)) {
                let value = ir.operand(op, operand);
                let alike = Class::of(ir, ir.ty(value)) == Class::of(ir, ir.ty(argument));
                if alike && value != argument && immediate(ir, value).is_none() {
                    let list = if is_back { &mut back } else { &mut forward };
                    list.push((argument, value));
                }
            }
        }
    }
    back.extend(forward);
    back
}

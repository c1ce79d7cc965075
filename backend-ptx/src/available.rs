//! The instructions that have been made on every way to a block: those of the blocks that dominate it.
//!
//! Instructions come block by block, most often down the tree of dominators; what the blocks of one way down have made is
//! looked up in one step, and what a block has made is put aside when selection goes on elsewhere.

use gpuc_ir::{Block, Dict, Op, OpName, Type, Value};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// What makes two instructions without effects the same: name, operands, attributes and types of results.
pub(crate) type Key = (OpName, SmallVec<[Value; 4]>, Dict, SmallVec<[Type; 2]>);

/// See the [module](self).
#[derive(Debug, Default)]
pub(crate) struct Available {
    /// The block that immediately dominates each block but the first.
    dominator: FxHashMap<Block, Block>,
    /// Numbers of the keys that have been asked for.
    numbers: FxHashMap<Key, usize>,
    /// Of each number, the instruction that a block of `way` made.
    in_sight: Vec<Option<Op>>,
    /// What each block has made.
    made: FxHashMap<Block, Vec<(usize, Op)>>,
    /// The blocks that dominate one, that one last.
    way: Vec<Block>,
    /// Where each block of `way` stands in it.
    place: FxHashMap<Block, usize>,
}

impl Available {
    /// Says that `block`, where nothing has been asked for yet, can only be reached through `dominator`.
    pub(crate) fn set_dominator(&mut self, block: Block, dominator: Block) {
        self.dominator.insert(block, dominator);
    }

    /// The instruction that is the same as `op` and seen from `block`; else `op`, which that block has made now.
    pub(crate) fn find_or_add(&mut self, block: Block, key: Key, op: Op) -> Op {
        if self.way.last() != Some(&block) {
            self.go_to(block);
        }
        let next = self.numbers.len();
        let number = *self.numbers.entry(key).or_insert(next);
        if number == self.in_sight.len() {
            self.in_sight.push(None);
        }
        if let Some(known) = self.in_sight[number] {
            return known;
        }
        self.in_sight[number] = Some(op);
        self.made.entry(block).or_default().push((number, op));
        op
    }

    /// Makes `block` the end of the way.
    fn go_to(&mut self, block: Block) {
        let up = std::iter::successors(Some(block), |at| self.dominator.get(at).copied());
        let new: Vec<Block> = up.take_while(|at| !self.place.contains_key(at)).collect();
        let top = new.last().copied().map_or(Some(block), |top| self.dominator.get(&top).copied());
        let kept = top.and_then(|top| self.place.get(&top)).map_or(0, |&place| place + 1);
        for left in self.way.split_off(kept) {
            self.place.remove(&left);
            for &(number, op) in self.made.get(&left).into_iter().flatten() {
                if self.in_sight[number] == Some(op) {
                    self.in_sight[number] = None;
                }
            }
        }
        for &entered in new.iter().rev() {
            self.place.insert(entered, self.way.len());
            self.way.push(entered);
            for &(number, op) in self.made.get(&entered).into_iter().flatten() {
                self.in_sight[number].get_or_insert(op);
            }
        }
    }
}

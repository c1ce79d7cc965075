//! Blocks and regions.

use super::{Block, BlockData, Ir, Op, Region, RegionData, Value, ValueData, ValueDef};
use crate::location::Location;
use crate::op::Traits;
use crate::types::Type;

impl Ir {
    /// Creates a region that no operation owns yet.
    pub fn create_region(&mut self) -> Region {
        self.regions.push(RegionData::default())
    }

    /// Creates a block with arguments of the given types, in no region yet.
    pub fn create_block(&mut self, arguments: &[Type], location: Location) -> Block {
        let block = self.blocks.push(BlockData { order_valid: true, ..BlockData::default() });
        for &ty in arguments {
            self.add_argument(block, ty, location);
        }
        block
    }

    /// Creates a block at the end of a region.
    pub fn append_new_block(
        &mut self,
        region: Region,
        arguments: &[Type],
        location: Location,
    ) -> Block {
        let block = self.create_block(arguments, location);
        self.append_block(region, block);
        block
    }

    /// Puts a detached block at the end of a region.
    pub fn append_block(&mut self, region: Region, block: Block) {
        let at = self.regions[region].blocks.len();
        self.insert_block(region, at, block);
    }

    /// Puts a detached block at position `at` of a region.
    pub fn insert_block(&mut self, region: Region, at: usize, block: Block) {
        debug_assert!(self.blocks[block].parent.is_none(), "block is in a region already");
        self.blocks[block].parent = region.into();
        self.regions[region].blocks.insert(at, block);
        self.edited();
    }

    /// Takes a block out of its region.
    pub fn detach_block(&mut self, block: Block) {
        if let Some(region) = self.blocks[block].parent.take() {
            self.regions[region].blocks.retain(|&b| b != block);
            self.edited();
        }
    }

    /// Erases a block and its operations; none of their results may be used elsewhere.
    pub fn erase_block(&mut self, block: Block) {
        while let Some(op) = self.blocks[block].last.expand() {
            // Within the block uses may go forwards only through other blocks of a dead cycle.
            for result in self.results(op).to_vec() {
                for slot in self.uses(result).collect::<Vec<_>>() {
                    self.unlink_use(slot);
                }
            }
            self.erase_op(op);
        }
        self.detach_block(block);
    }

    /// Blocks of a region, entry first.
    #[inline]
    pub fn blocks(&self, region: Region) -> &[Block] {
        &self.regions[region].blocks
    }

    /// First block of a region.
    pub fn entry_block(&self, region: Region) -> Option<Block> {
        self.regions[region].blocks.first().copied()
    }

    /// First block of an operation's region `index`: the body of a loop or function.
    ///
    /// # Panics
    /// If there is no such region or it is empty.
    pub fn body(&self, op: Op, index: usize) -> Block {
        self.entry_block(self.region(op, index)).expect("the region has a block")
    }

    /// The region a block is in.
    #[inline]
    pub fn block_region(&self, block: Block) -> Option<Region> {
        self.blocks[block].parent.expand()
    }

    /// The operation that owns a region.
    #[inline]
    pub fn region_op(&self, region: Region) -> Option<Op> {
        self.regions[region].parent.expand()
    }

    /// The operation whose region a block is in.
    #[inline]
    pub fn block_op(&self, block: Block) -> Option<Op> {
        self.region_op(self.block_region(block)?)
    }

    /// Arguments of a block.
    #[inline]
    pub fn arguments(&self, block: Block) -> &[Value] {
        self.blocks[block].arguments.as_slice(&self.value_lists)
    }

    /// Locations of the arguments of a block.
    pub fn argument_locations(&self, block: Block) -> &[Location] {
        &self.blocks[block].argument_locations
    }

    /// Says where a value comes from: the block's argument, or the operation that it is a result of.
    pub fn set_value_location(&mut self, value: Value, location: Location) {
        self.edited();
        match self.value_def(value) {
            ValueDef::Argument(block, index) => {
                self.blocks[block].argument_locations[index as usize] = location;
            }
            ValueDef::Result(op, _) => self.ops[op].location = location,
        }
    }

    /// Where a value comes from.
    pub fn value_location(&self, value: Value) -> Location {
        match self.value_def(value) {
            ValueDef::Argument(block, index) => {
                self.blocks[block].argument_locations[index as usize]
            }
            ValueDef::Result(op, _) => self.ops[op].location,
        }
    }

    /// Appends an argument to a block.
    pub fn add_argument(&mut self, block: Block, ty: Type, location: Location) -> Value {
        let index = self.arguments(block).len() as u32;
        self.edited();
        let def = ValueDef::Argument(block, index);
        let value = self.values.push(ValueData { ty, def, first_use: None.into() });
        self.blocks[block].arguments.push(value, &mut self.value_lists);
        self.blocks[block].argument_locations.push(location);
        value
    }

    /// Adds an argument in front of the one of that number, or behind the last.
    pub fn insert_argument(
        &mut self,
        block: Block,
        index: usize,
        ty: Type,
        location: Location,
    ) -> Value {
        let value = self.add_argument(block, ty, location);
        let locations = &mut self.blocks[block].argument_locations;
        locations[index..].rotate_right(1);
        self.blocks[block].arguments.as_mut_slice(&mut self.value_lists)[index..].rotate_right(1);
        for i in index..self.arguments(block).len() {
            let value = self.arguments(block)[i];
            self.values[value].def = ValueDef::Argument(block, i as u32);
        }
        value
    }

    /// Removes argument `index` of a block; it must be unused.
    pub fn remove_argument(&mut self, block: Block, index: usize) {
        debug_assert!(self.is_unused(self.arguments(block)[index]), "argument is still used");
        self.blocks[block].arguments.remove(index, &mut self.value_lists);
        self.edited();
        self.blocks[block].argument_locations.remove(index);
        for i in index..self.arguments(block).len() {
            let value = self.arguments(block)[i];
            self.values[value].def = ValueDef::Argument(block, i as u32);
        }
    }

    /// First operation of a block.
    #[inline]
    pub fn first_op(&self, block: Block) -> Option<Op> {
        self.blocks[block].first.expand()
    }

    /// Last operation of a block.
    pub fn last_op(&self, block: Block) -> Option<Op> {
        self.blocks[block].last.expand()
    }

    /// The terminator of a block, if its last operation is one.
    pub fn terminator(&self, block: Block) -> Option<Op> {
        self.last_op(block).filter(|&op| self.has_trait(op, Traits::TERMINATOR))
    }

    /// Operations of a block, in order. To edit while walking, collect first.
    #[inline]
    pub fn ops(&self, block: Block) -> impl Iterator<Item = Op> + '_ {
        std::iter::successors(self.first_op(block), |&op| self.next_op(op))
    }

    /// Moves every operation of `from` to the end of `to`, in order.
    pub fn splice_ops(&mut self, from: Block, to: Block) {
        while let Some(op) = self.first_op(from) {
            self.move_to_end(to, op);
        }
    }

    /// Splits a block before `op`: `op` and what follows move to a new block placed right behind.
    pub fn split_block(&mut self, op: Op, location: Location) -> Block {
        let block = self.parent_block(op).expect("the operation is in a block");
        let rest = self.create_block(&[], location);
        if let Some(region) = self.block_region(block) {
            let at = self.blocks(region).iter().position(|&b| b == block).map_or(0, |i| i + 1);
            self.insert_block(region, at, rest);
        }
        let mut next = Some(op);
        while let Some(op) = next {
            next = self.next_op(op);
            self.move_to_end(rest, op);
        }
        rest
    }

    /// Moves all blocks of `from` to the end of `to`.
    pub fn move_blocks(&mut self, from: Region, to: Region) {
        for block in std::mem::take(&mut self.regions[from].blocks) {
            self.blocks[block].parent = None.into();
            self.append_block(to, block);
        }
    }

    /// How many ways lead to a block: the successors of operations that it is, whether or not they can be reached.
    pub fn ways_to(&self, block: Block) -> usize {
        self.blocks[block].ways as usize
    }

    /// Blocks that a block's terminator may branch to.
    pub fn block_successors(&self, block: Block) -> &[Block] {
        match self.last_op(block) {
            Some(op) => self.successors(op),
            None => &[],
        }
    }
}

//! Copying operations with their regions.

use rustc_hash::FxHashMap;

use super::{Block, Ir, Op, OpState, Region, Value};

/// Which value and block of the copy stands for which of the original.
#[derive(Clone, Debug, Default)]
pub struct ValueMap {
    values: FxHashMap<Value, Value>,
    blocks: FxHashMap<Block, Block>,
}

impl ValueMap {
    /// Nothing mapped.
    pub fn new() -> Self {
        Self::default()
    }

    /// Uses of `from` become uses of `to` in copies made with this map.
    pub fn insert(&mut self, from: Value, to: Value) {
        self.values.insert(from, to);
    }

    /// What stands for `value`; `value` itself where nothing was mapped.
    pub fn get(&self, value: Value) -> Value {
        self.values.get(&value).copied().unwrap_or(value)
    }

    /// What stands for `block`; `block` itself where nothing was mapped.
    pub fn block(&self, block: Block) -> Block {
        self.blocks.get(&block).copied().unwrap_or(block)
    }
}

impl Ir {
    /// Copies an operation and its regions; the copy is detached. Operands are looked up in `map`,
    /// results and block arguments are added to it.
    pub fn clone_op(&mut self, op: Op, map: &mut ValueMap) -> Op {
        let mut state = OpState::new(self.op_name(op), self.location(op));
        state.operands = self.operands(op).map(|value| map.get(value)).collect();
        state.results = self.result_types(op).collect();
        state.successors = self.successors(op).iter().map(|&block| map.block(block)).collect();
        for region in self.regions(op).to_vec() {
            let copy = self.create_region();
            self.clone_region_into(region, copy, map);
            state.regions.push(copy);
        }
        let attrs = self.attrs(op);
        let copy = self.create_op(state);
        self.set_attrs(copy, attrs);
        for (from, to) in self.results(op).to_vec().into_iter().zip(self.results(copy).to_vec()) {
            map.insert(from, to);
        }
        copy
    }

    /// Copies the blocks of `from` to the end of `to`.
    pub fn clone_region_into(&mut self, from: Region, to: Region, map: &mut ValueMap) {
        let blocks = self.blocks(from).to_vec();
        // Blocks and arguments first: branches may go forwards.
        for &block in &blocks {
            let copy = self.create_block(&[], crate::Location::UNKNOWN);
            let arguments: Vec<_> = self
                .arguments(block)
                .iter()
                .copied()
                .zip(self.argument_locations(block).iter().copied())
                .collect();
            for (argument, location) in arguments {
                let copied = self.add_argument(copy, self.ty(argument), location);
                map.insert(argument, copied);
            }
            map.blocks.insert(block, copy);
            self.append_block(to, copy);
        }
        let mut copies = Vec::new();
        for &block in &blocks {
            for op in self.ops(block).collect::<Vec<_>>() {
                let copy = self.clone_op(op, map);
                self.append_op(map.block(block), copy);
                copies.push(copy);
            }
        }
        // A use may stand before its definition in the order of blocks.
        if blocks.len() > 1 {
            for copy in copies {
                for slot in self.operand_slots(copy) {
                    let value = map.get(self.use_value(slot));
                    self.set_use(slot, value);
                }
            }
        }
    }
}

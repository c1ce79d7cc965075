//! Operations: creation, attributes, results, erasure, position in their block.

use cranelift_entity::EntityList;

use super::{Block, Ir, Op, OpData, OpState, Region, UseData, Value, ValueData, ValueDef};
use crate::attrs::{Attr, Dict};
use crate::context::Ident;
use crate::types::Type;

impl Ir {
    /// Creates an operation that is in no block yet.
    pub fn create_op(&mut self, state: OpState) -> Op {
        let attrs = self.ctx.dict(state.attrs);
        let op = self.ops.push(OpData {
            name: state.name,
            location: state.location,
            attrs,
            operands: self.uses.len() as u32,
            operand_count: state.operands.len() as u32,
            results: EntityList::new(),
            regions: EntityList::from_slice(&state.regions, &mut self.region_lists),
            successors: EntityList::from_slice(&state.successors, &mut self.block_lists),
            parent: None.into(),
            previous: None.into(),
            next: None.into(),
            order: 0,
            erased: false,
        });
        for &value in &state.operands {
            let slot = self.uses.push(UseData {
                value: None.into(),
                owner: op,
                previous: None.into(),
                next: None.into(),
            });
            self.link_use(slot, value);
        }
        for (index, &ty) in state.results.iter().enumerate() {
            let value = self.values.push(ValueData {
                ty,
                def: ValueDef::Result(op, index as u32),
                first_use: None.into(),
            });
            self.ops[op].results.push(value, &mut self.value_lists);
        }
        for &block in &state.successors {
            self.blocks[block].ways += 1;
        }
        for &region in &state.regions {
            debug_assert!(self.regions[region].parent.is_none(), "region owned twice");
            self.regions[region].parent = op.into();
        }
        self.edited();
        op
    }

    /// Results of an operation.
    #[inline]
    pub fn results(&self, op: Op) -> &[Value] {
        self.ops[op].results.as_slice(&self.value_lists)
    }

    /// Result `index`.
    ///
    /// # Panics
    /// If there is no such result.
    #[inline]
    pub fn result(&self, op: Op, index: usize) -> Value {
        self.results(op)[index]
    }

    /// Types of the results.
    #[inline]
    pub fn result_types(&self, op: Op) -> impl ExactSizeIterator<Item = Type> + '_ {
        self.results(op).iter().map(|&value| self.ty(value))
    }

    /// Regions of an operation.
    #[inline]
    pub fn regions(&self, op: Op) -> &[Region] {
        self.ops[op].regions.as_slice(&self.region_lists)
    }

    /// Region `index`.
    ///
    /// # Panics
    /// If there is no such region.
    #[inline]
    pub fn region(&self, op: Op, index: usize) -> Region {
        self.regions(op)[index]
    }

    /// Successor blocks of a terminator.
    #[inline]
    pub fn successors(&self, op: Op) -> &[Block] {
        self.ops[op].successors.as_slice(&self.block_lists)
    }

    /// Sends a terminator's successor `index` to another block; what it hands over stays.
    pub fn set_successor(&mut self, op: Op, index: usize, block: Block) {
        let successor = &mut self.ops[op].successors.as_mut_slice(&mut self.block_lists)[index];
        self.blocks[*successor].ways -= 1;
        *successor = block;
        self.blocks[block].ways += 1;
        self.edited();
    }

    /// Attributes of an operation, inherent and discardable.
    #[inline]
    pub fn attrs(&self, op: Op) -> Dict {
        self.ops[op].attrs
    }

    /// Replaces all attributes.
    pub fn set_attrs(&mut self, op: Op, attrs: Dict) {
        if self.ops[op].attrs != attrs {
            self.ops[op].attrs = attrs;
            self.edited();
        }
    }

    /// Attribute `name` of an operation.
    #[inline]
    pub fn attr(&self, op: Op, name: &str) -> Option<Attr> {
        self.ctx.dict_get_str(self.ops[op].attrs, name)
    }

    /// Attribute `name` of an operation, by identifier.
    #[inline]
    pub fn attr_ident(&self, op: Op, name: Ident) -> Option<Attr> {
        self.ctx.dict_get(self.ops[op].attrs, name)
    }

    /// Sets an attribute.
    pub fn set_attr(&mut self, op: Op, name: &str, attr: Attr) {
        let name = self.ctx.ident(name);
        let attrs = self.ctx.dict_with(self.ops[op].attrs, name, attr);
        self.set_attrs(op, attrs);
    }

    /// Removes an attribute, if it is there.
    pub fn remove_attr(&mut self, op: Op, name: &str) {
        if let Some(name) = self.ctx.find_ident(name) {
            let attrs = self.ctx.dict_without(self.ops[op].attrs, name);
            self.set_attrs(op, attrs);
        }
    }

    /// The block an operation is in.
    #[inline]
    pub fn parent_block(&self, op: Op) -> Option<Block> {
        self.ops[op].parent.expand()
    }

    /// The region an operation is in.
    #[inline]
    pub fn parent_region(&self, op: Op) -> Option<Region> {
        self.block_region(self.parent_block(op)?)
    }

    /// The operation whose region an operation is in.
    #[inline]
    pub fn parent_op(&self, op: Op) -> Option<Op> {
        self.region_op(self.parent_region(op)?)
    }

    /// `op`'s parent, its parent, and so on.
    pub fn ancestors(&self, op: Op) -> impl Iterator<Item = Op> + '_ {
        std::iter::successors(self.parent_op(op), |&op| self.parent_op(op))
    }

    /// Whether `op` is `ancestor` or stands in one of its regions, however deep.
    pub fn is_inside(&self, op: Op, ancestor: Op) -> bool {
        op == ancestor || self.ancestors(op).any(|a| a == ancestor)
    }

    /// The operation that stands in `block` and is `op` or holds it.
    pub fn ancestor_in_block(&self, op: Op, block: Block) -> Option<Op> {
        std::iter::once(op).chain(self.ancestors(op)).find(|&a| self.parent_block(a) == Some(block))
    }

    /// The next operation in the block.
    #[inline]
    pub fn next_op(&self, op: Op) -> Option<Op> {
        self.ops[op].next.expand()
    }

    /// The operation before in the block.
    #[inline]
    pub fn previous_op(&self, op: Op) -> Option<Op> {
        self.ops[op].previous.expand()
    }

    /// Whether the operation has been erased.
    #[inline]
    pub fn is_erased(&self, op: Op) -> bool {
        self.ops[op].erased
    }

    /// Whether `a` stands before `b` in the same block. Amortised O(1).
    pub fn is_before(&mut self, a: Op, b: Op) -> bool {
        if let Some(block) = self.parent_block(a) {
            self.number_ops(block);
        }
        self.is_before_numbered(a, b)
    }

    /// [`Ir::is_before`] for a block whose operations are numbered ([`Ir::number_ops`]).
    pub fn is_before_numbered(&self, a: Op, b: Op) -> bool {
        debug_assert_eq!(self.ops[a].parent, self.ops[b].parent);
        self.ops[a].order < self.ops[b].order
    }

    /// Makes the positions of a block's operations exact, if they are not.
    pub fn number_ops(&mut self, block: Block) {
        if self.blocks[block].order_valid {
            return;
        }
        let mut next = self.blocks[block].first;
        let mut order = 0;
        while let Some(op) = next.expand() {
            self.ops[op].order = order;
            order += 1;
            next = self.ops[op].next;
        }
        self.blocks[block].order_valid = true;
    }

    /// Puts a detached operation at the end of a block.
    pub fn append_op(&mut self, block: Block, op: Op) {
        debug_assert!(self.ops[op].parent.is_none(), "operation is in a block already");
        self.edited();
        let last = self.blocks[block].last;
        self.ops[op].parent = block.into();
        self.ops[op].previous = last;
        self.ops[op].next = None.into();
        match last.expand() {
            Some(last) => {
                self.ops[last].next = op.into();
                self.ops[op].order = self.ops[last].order.saturating_add(1);
            }
            None => {
                self.blocks[block].first = op.into();
                self.blocks[block].order_valid = true;
                self.ops[op].order = 0;
            }
        }
        self.blocks[block].last = op.into();
    }

    /// Puts a detached operation before another.
    pub fn insert_before(&mut self, anchor: Op, op: Op) {
        debug_assert!(self.ops[op].parent.is_none(), "operation is in a block already");
        let block = self.parent_block(anchor).expect("the anchor is in a block");
        let previous = self.ops[anchor].previous;
        self.edited();
        self.ops[op].parent = block.into();
        self.ops[op].previous = previous;
        self.ops[op].next = anchor.into();
        self.ops[anchor].previous = op.into();
        match previous.expand() {
            Some(previous) => self.ops[previous].next = op.into(),
            None => self.blocks[block].first = op.into(),
        }
        self.blocks[block].order_valid = false;
    }

    /// Puts a detached operation behind another.
    pub fn insert_after(&mut self, anchor: Op, op: Op) {
        match self.next_op(anchor) {
            Some(next) => self.insert_before(next, op),
            None => {
                let block = self.parent_block(anchor).expect("the anchor is in a block");
                self.append_op(block, op);
            }
        }
    }

    /// Takes an operation out of its block without erasing it.
    pub fn detach_op(&mut self, op: Op) {
        let Some(block) = self.parent_block(op) else { return };
        self.edited();
        let (previous, next) = (self.ops[op].previous, self.ops[op].next);
        match previous.expand() {
            Some(previous) => self.ops[previous].next = next,
            None => self.blocks[block].first = next,
        }
        match next.expand() {
            Some(next) => self.ops[next].previous = previous,
            None => self.blocks[block].last = previous,
        }
        let data = &mut self.ops[op];
        data.parent = None.into();
        data.previous = None.into();
        data.next = None.into();
    }

    /// Moves an operation before another, across blocks if need be.
    pub fn move_before(&mut self, anchor: Op, op: Op) {
        if anchor != op {
            self.detach_op(op);
            self.insert_before(anchor, op);
        }
    }

    /// Moves an operation to the end of a block.
    pub fn move_to_end(&mut self, block: Block, op: Op) {
        self.detach_op(op);
        self.append_op(block, op);
    }

    /// Erases an operation and everything in its regions. Its results must have no uses left,
    /// except from within itself.
    pub fn erase_op(&mut self, op: Op) {
        self.drop_references(op);
        debug_assert!(
            self.results(op).iter().all(|&value| self.is_unused(value)),
            "{} is erased but still used",
            self.name(op)
        );
        self.detach_op(op);
        self.mark_erased(op);
        self.edited();
    }

    /// Unlinks every operand and successor of `op` and of the operations inside, so that they can go in any order.
    fn drop_references(&mut self, op: Op) {
        for slot in self.operand_slots(op) {
            self.unlink_use(slot);
        }
        self.ops[op].operand_count = 0;
        for &block in self.ops[op].successors.as_slice(&self.block_lists) {
            self.blocks[block].ways -= 1;
        }
        self.ops[op].successors.clear(&mut self.block_lists);
        for region in self.regions(op).to_vec() {
            for block in self.regions[region].blocks.clone() {
                let mut next = self.blocks[block].first;
                while let Some(inner) = next.expand() {
                    next = self.ops[inner].next;
                    self.drop_references(inner);
                }
            }
        }
    }

    fn mark_erased(&mut self, op: Op) {
        self.ops[op].erased = true;
        for region in self.regions(op).to_vec() {
            for block in self.regions[region].blocks.clone() {
                let mut next = self.blocks[block].first;
                while let Some(inner) = next.expand() {
                    next = self.ops[inner].next;
                    self.mark_erased(inner);
                }
            }
        }
    }

    /// Replaces the results of `op` by `values` and erases it.
    pub fn replace_op(&mut self, op: Op, values: &[Value]) {
        let results = self.results(op).to_vec();
        assert_eq!(results.len(), values.len(), "one value for each result of {}", self.name(op));
        for (&from, &to) in results.iter().zip(values) {
            self.replace_all_uses(from, to);
        }
        self.erase_op(op);
    }
}

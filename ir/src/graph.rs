//! The graph: operations, blocks, regions and values, and every edit of them.
//!
//! All entities of one [`Ir`] live in flat tables and are named by 32-bit keys. Operands are slots
//! in one table; each slot is a node of its value's use list, so replacing or dropping a use is
//! O(1) and use lists need no allocation. Erased slots and operations are reused or left behind;
//! keys of erased operations must not be used again.

use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntityList, ListPool, PrimaryMap};
use smallvec::SmallVec;

use crate::attrs::{Attr, Dict};
use crate::context::{Context, Ident, OpName};
use crate::location::Location;
use crate::op::{OpDef, Traits};
use crate::types::Type;

mod blocks;
mod clone;
mod operands;
mod ops;
mod walk;

pub use clone::ValueMap;
pub use walk::WalkOrder;

macro_rules! entities {
    ($($(#[$doc:meta])* $name:ident, $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);
        cranelift_entity::entity_impl!($name, $prefix);
    )*};
}

entities! {
    /// An operation.
    Op, "op";
    /// A block: arguments and a list of operations.
    Block, "block";
    /// A region: a list of blocks, owned by an operation.
    Region, "region";
    /// A value: a result of an operation or an argument of a block.
    Value, "v";
    /// An operand slot: one use of a value by an operation.
    Use, "use";
}

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValueDef {
    /// Result number `.1` of an operation.
    Result(Op, u32),
    /// Argument number `.1` of a block.
    Argument(Block, u32),
}

#[derive(Clone, Debug)]
pub(crate) struct OpData {
    pub name: OpName,
    pub location: Location,
    pub attrs: Dict,
    /// First operand slot; `operand_count` slots follow each other.
    pub operands: u32,
    pub operand_count: u32,
    pub results: EntityList<Value>,
    pub regions: EntityList<Region>,
    pub successors: EntityList<Block>,
    pub parent: PackedOption<Block>,
    pub previous: PackedOption<Op>,
    pub next: PackedOption<Op>,
    /// Position within the block, increasing; exact only while the block's order is valid.
    pub order: u32,
    pub erased: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct UseData {
    pub value: PackedOption<Value>,
    pub owner: Op,
    pub previous: PackedOption<Use>,
    pub next: PackedOption<Use>,
}

#[derive(Clone, Debug)]
pub(crate) struct ValueData {
    pub ty: Type,
    pub def: ValueDef,
    pub first_use: PackedOption<Use>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct BlockData {
    pub arguments: EntityList<Value>,
    pub argument_locations: Vec<Location>,
    pub parent: PackedOption<Region>,
    pub first: PackedOption<Op>,
    pub last: PackedOption<Op>,
    pub order_valid: bool,
    /// How many times operations name the block as successor.
    pub ways: u32,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct RegionData {
    pub blocks: Vec<Block>,
    pub parent: PackedOption<Op>,
}

/// Everything an operation is created from. See [`crate::OpBuild`] for the convenient way.
#[derive(Clone, Debug)]
pub struct OpState {
    /// Name.
    pub name: OpName,
    /// Location.
    pub location: Location,
    /// Operands, those passed to successors included, last.
    pub operands: SmallVec<[Value; 4]>,
    /// Types of the results.
    pub results: SmallVec<[Type; 2]>,
    /// Attributes.
    pub attrs: SmallVec<[(Ident, Attr); 2]>,
    /// Regions, made with [`Ir::create_region`] and not yet owned.
    pub regions: SmallVec<[Region; 1]>,
    /// Successor blocks.
    pub successors: SmallVec<[Block; 2]>,
}

impl OpState {
    /// An operation with nothing but a name.
    pub fn new(name: OpName, location: Location) -> Self {
        OpState {
            name,
            location,
            operands: SmallVec::new(),
            results: SmallVec::new(),
            attrs: SmallVec::new(),
            regions: SmallVec::new(),
            successors: SmallVec::new(),
        }
    }
}

/// A graph of operations and the [`Context`] they are made in. See the [module](self).
#[derive(Clone, Debug, Default)]
pub struct Ir {
    /// Interned types, attributes, names, locations.
    pub ctx: Context,
    ops: PrimaryMap<Op, OpData>,
    blocks: PrimaryMap<Block, BlockData>,
    regions: PrimaryMap<Region, RegionData>,
    values: PrimaryMap<Value, ValueData>,
    uses: PrimaryMap<Use, UseData>,
    value_lists: ListPool<Value>,
    region_lists: ListPool<Region>,
    block_lists: ListPool<Block>,
    /// How often anything was edited.
    edits: u64,
}

impl Ir {
    /// An empty graph in an empty context.
    pub fn new() -> Self {
        Self::default()
    }

    /// A number that grows with each edit: where it is the same, nothing has changed.
    pub fn edits(&self) -> u64 {
        self.edits
    }

    #[inline]
    fn edited(&mut self) {
        self.edits += 1;
    }

    /// Name of an operation.
    #[inline]
    pub fn name(&self, op: Op) -> &str {
        self.ctx.op_name_str(self.ops[op].name)
    }

    /// Interned name of an operation.
    #[inline]
    pub fn op_name(&self, op: Op) -> OpName {
        self.ops[op].name
    }

    /// Definition of an operation, if its name is registered.
    #[inline]
    pub fn def(&self, op: Op) -> Option<&'static OpDef> {
        self.ctx.op_def(self.ops[op].name)
    }

    /// Whether the operation is registered and has all the given traits.
    #[inline]
    pub fn has_trait(&self, op: Op, traits: Traits) -> bool {
        self.def(op).is_some_and(|def| def.traits.contains(traits))
    }

    /// Location of an operation.
    #[inline]
    pub fn location(&self, op: Op) -> Location {
        self.ops[op].location
    }

    /// Sets the location of an operation.
    pub fn set_location(&mut self, op: Op, location: Location) {
        if self.ops[op].location != location {
            self.ops[op].location = location;
            self.edited();
        }
    }

    /// Type of a value.
    #[inline]
    pub fn ty(&self, value: Value) -> Type {
        self.values[value].ty
    }

    /// Changes the type of a value in place; the caller answers for its users.
    pub fn set_type(&mut self, value: Value, ty: Type) {
        self.values[value].ty = ty;
        self.edited();
    }

    /// Where a value comes from.
    #[inline]
    pub fn value_def(&self, value: Value) -> ValueDef {
        self.values[value].def
    }

    /// The operation that a value is a result of.
    #[inline]
    pub fn defining_op(&self, value: Value) -> Option<Op> {
        match self.values[value].def {
            ValueDef::Result(op, _) => Some(op),
            ValueDef::Argument(..) => None,
        }
    }

    /// The block in which a value is defined; `None` for results of detached operations.
    #[inline]
    pub fn value_block(&self, value: Value) -> Option<Block> {
        match self.values[value].def {
            ValueDef::Result(op, _) => self.parent_block(op),
            ValueDef::Argument(block, _) => Some(block),
        }
    }

    /// One more than the largest key of an operation so far; for side tables.
    pub fn op_capacity(&self) -> usize {
        self.ops.len()
    }

    /// One more than the largest key of a value so far; for side tables.
    pub fn value_capacity(&self) -> usize {
        self.values.len()
    }
}

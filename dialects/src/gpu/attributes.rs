//! Attributes and types of the dialect: dimensions, address spaces, kinds of reductions and
//! shuffles, the mapping of loops, tokens.

use gpuc_ir::op::{AttrConstraint, AttrSyntax, EnumSpec, EnumStorage, TypeConstraint};
use gpuc_ir::{Attr, Context, Type, TypeKind};

/// `#gpu<dim ...>`: the three dimensions of grids and blocks.
pub static DIMENSIONS: EnumSpec = EnumSpec {
    dialect: "gpu",
    mnemonic: "dim",
    cases: &[("x", 0), ("y", 1), ("z", 2)],
    bits: false,
    storage: EnumStorage::Spaced,
};

/// `#gpu<all_reduce_op ...>`: how values of threads are combined.
pub static ALL_REDUCE_OPERATIONS: EnumSpec = EnumSpec {
    dialect: "gpu",
    mnemonic: "all_reduce_op",
    cases: &[
        ("add", 0),
        ("mul", 1),
        ("minui", 2),
        ("minsi", 3),
        ("minnumf", 4),
        ("maxui", 5),
        ("maxsi", 6),
        ("maxnumf", 7),
        ("and", 8),
        ("or", 9),
        ("xor", 10),
        ("minimumf", 11),
        ("maximumf", 12),
    ],
    bits: false,
    storage: EnumStorage::Spaced,
};

/// `#gpu<shuffle_mode ...>`: which lane a shuffle reads from.
pub static SHUFFLE_MODES: EnumSpec = EnumSpec {
    dialect: "gpu",
    mnemonic: "shuffle_mode",
    cases: &[("xor", 0), ("up", 1), ("down", 2), ("idx", 3)],
    bits: false,
    storage: EnumStorage::Spaced,
};

/// `#gpu.address_space<...>`: global memory, memory of a block, memory of a thread.
pub static ADDRESS_SPACES: EnumSpec = EnumSpec {
    dialect: "gpu",
    mnemonic: "address_space",
    cases: &[("global", 1), ("workgroup", 2), ("private", 3)],
    bits: false,
    storage: EnumStorage::Angled,
};

pub(super) static DIMENSION: AttrConstraint = AttrConstraint {
    summary: "a dimension, either 'x', 'y', or 'z'",
    holds: |ctx, attr| DIMENSIONS.number(ctx, attr).is_some(),
    syntax: AttrSyntax::Enum(&DIMENSIONS),
};

pub(super) static ALL_REDUCE_OPERATION: AttrConstraint = AttrConstraint {
    summary: "built-in reduction operations supported by gpu.allreduce.",
    holds: |ctx, attr| ALL_REDUCE_OPERATIONS.number(ctx, attr).is_some(),
    syntax: AttrSyntax::Enum(&ALL_REDUCE_OPERATIONS),
};

pub(super) static SHUFFLE_MODE: AttrConstraint = AttrConstraint {
    summary: "Indexing modes supported by gpu.shuffle.",
    holds: |ctx, attr| SHUFFLE_MODES.number(ctx, attr).is_some(),
    syntax: AttrSyntax::Enum(&SHUFFLE_MODES),
};

/// `!gpu.async.token`, by which operations on the device are ordered.
pub(super) static ASYNC_TOKEN: TypeConstraint = TypeConstraint {
    summary: "async token type",
    holds: |ctx, ty| is_async_token(ctx, ty),
    build: Some(async_token),
};

/// `!gpu.async.token`.
pub fn async_token(ctx: &mut Context) -> Type {
    let (dialect, text) = (ctx.ident("gpu"), ctx.ident("async.token"));
    ctx.intern_type(TypeKind::Dialect { dialect, text })
}

/// Whether a type is `!gpu.async.token`.
pub fn is_async_token(ctx: &Context, ty: Type) -> bool {
    matches!(*ctx.type_kind(ty), TypeKind::Dialect { dialect, text }
        if ctx.str(dialect) == "gpu" && ctx.str(text) == "async.token")
}

/// Where a buffer lives on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AddressSpace {
    /// Memory of the device, seen by all threads.
    Global,
    /// Memory of a block ("shared").
    Workgroup,
    /// Memory of a thread ("local").
    Private,
}

impl AddressSpace {
    /// `#gpu.address_space<...>`.
    pub fn attr(self, ctx: &mut Context) -> Attr {
        ADDRESS_SPACES.attr(ctx, self as i64 + 1)
    }

    /// The space that an attribute names; also the numbers 1 (global), 3 (workgroup) and 5
    /// (private) that the device code generators of MLIR use.
    pub fn from_attr(ctx: &Context, attr: Attr) -> Option<AddressSpace> {
        if let Some(number) = ctx.int_value(attr) {
            return match number {
                0 | 1 => Some(AddressSpace::Global),
                3 => Some(AddressSpace::Workgroup),
                5 => Some(AddressSpace::Private),
                _ => None,
            };
        }
        match ADDRESS_SPACES.number(ctx, attr)? {
            1 => Some(AddressSpace::Global),
            2 => Some(AddressSpace::Workgroup),
            _ => Some(AddressSpace::Private),
        }
    }

    /// The space of a memref type; buffers without one are global.
    pub fn of_memref(ctx: &Context, ty: Type) -> Option<AddressSpace> {
        match ctx.memory_space(ty)? {
            None => Some(AddressSpace::Global),
            Some(attr) => AddressSpace::from_attr(ctx, attr),
        }
    }
}

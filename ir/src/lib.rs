//! The SSA IR of gpuc, in MLIR's manner.
//!
//! An [`Ir`] owns a graph of operations ([`Op`]) that sit in [`Block`]s, which sit in [`Region`]s,
//! which belong to operations. Every operation uses and defines [`Value`]s. Types, attributes,
//! affine expressions and identifiers are interned in the [`Context`] inside the `Ir`; they are
//! `Copy` keys, and equality is a word compare.
//!
//! What an operation *is* stands in one [`OpDef`], written with the [`op!`] macro in a dialect's
//! module: operands, attributes, results, regions, traits, assembly format and hooks. Accessors,
//! builder, structural verification, parsing and printing follow from it.
//!
//! | module | holds |
//! |---|---|
//! | [`context`] | interning of [`types`], [`attrs`], [`affine`] expressions, names and [`location`]s |
//! | [`graph`] | operations, blocks, regions, values, their uses, and all edits of them |
//! | [`op`](mod@op) | definitions of operations: constraints, traits, interfaces, the `op!` macro |
//! | [`build`] | creating operations at an insertion point |
//! | [`text`] | MLIR's textual form, read and written |
//! | [`verify`] | structural verification, and that uses see definitions |
//! | [`dominance`] | dominators of blocks, and the analysis of all regions |
//! | [`symbols`] | symbol tables: lookup and uses |
//! | [`rewrite`] | folding and greedy pattern rewriting |
//! | [`pass`](mod@pass) | passes, pipelines and their textual form, analyses, instrumentation |

pub mod affine;
pub mod attrs;
pub mod build;
pub mod context;
pub mod dominance;
pub mod graph;
pub mod location;
pub mod op;
pub mod pass;
pub mod rewrite;
pub mod symbols;
pub mod text;
pub mod types;
pub mod verify;

pub use affine::{AffineExpr, AffineMap, IntegerSet};
pub use attrs::{Attr, AttrKind, Dict};
pub use build::{Builder, InsertPoint, OpBuild};
pub use context::{Context, Ident, OpName};
pub use graph::{Block, Ir, Op, OpState, Region, Use, Value, ValueDef, ValueMap, WalkOrder};
pub use location::{Location, LocationKind};
pub use op::{OpDef, OpView};
pub use types::{DYNAMIC, FloatKind, Signedness, Type, TypeKind};

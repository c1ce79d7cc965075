//! Definitions of operations.
//!
//! An [`OpDef`] is the one place where an operation is described; the [`op!`](crate::op!) macro
//! writes one together with its accessors and builder. Everything generic (parser, printer,
//! verifier, CSE, LICM, inliner, dead-code elimination) reads it.

use std::fmt;

use crate::graph::{Ir, Op};

mod attr_constraint;
mod counted;
mod define;
mod effects;
mod hooks;
mod memory;
mod segments;
mod traits;
mod type_constraint;

pub use attr_constraint::{
    AttrConstraint, AttrSpec, AttrSyntax, EnumSpec, EnumStorage, Presence, attrs, settle_attrs,
};
pub use counted::{CountedLoopInterface, LoopBound, LoopCarried, LoopDimension, LoopStep};
pub use effects::{Effect, EffectKind, Effects};
pub use hooks::{
    ArgumentNameFn, CallInterface, CustomDirective, Fold, FoldFn, FoldResult, FunctionInterface,
    InferInput, InferResults, MaterializeConstant, OpHooks, RegionBranch, RegionEdge, RegionPoint,
    RegionsFn, ResultNameFn, SuccessorOperandsFn, VerifyFn, VerifySymbolsFn,
};
pub use memory::{
    AccessInterface, AccessKind, AccessedValue, MemoryAccess, SubscriptForm, Subscripts,
    VOLATILE_ATTR,
};
pub use segments::{
    Values, operand_group, operand_range, result_group, result_range, set_operand_group,
};
pub use traits::Traits;
pub use type_constraint::{Arity, TypeConstraint, TypeRule, ValueSpec, types};

/// What an operation is. See the [module](self).
pub struct OpDef {
    /// Full name (`arith.addi`).
    pub name: &'static str,
    /// What it does, from the doc comment of its declaration.
    pub docs: &'static str,
    /// Operands, in order.
    pub operands: &'static [ValueSpec],
    /// Results, in order.
    pub results: &'static [ValueSpec],
    /// Inherent attributes.
    pub attrs: &'static [AttrSpec],
    /// Regions, in order.
    pub regions: &'static [RegionSpec],
    /// Successors, in order.
    pub successors: &'static [SuccessorSpec],
    /// Traits.
    pub traits: Traits,
    /// Operations one of which must be the direct parent; empty for any.
    pub parents: &'static [&'static str],
    /// How types of operands and results follow from each other.
    pub type_rules: &'static [TypeRule],
    /// Assembly format in MLIR's ODS notation; empty for the generic form, unless
    /// [`OpHooks::parse`] and [`OpHooks::print`] are there.
    pub format: &'static str,
    /// Behaviour that cannot be declared.
    pub hooks: OpHooks,
    /// The format as the text reader and writer use it, compiled at first use.
    pub compiled_format: crate::text::FormatCache,
}

impl OpDef {
    /// Namespace of the name.
    pub fn dialect(&self) -> &'static str {
        self.name.split_once('.').map_or("", |(dialect, _)| dialect)
    }

    /// Whether `name` is an inherent attribute, the segment sizes included.
    pub fn is_inherent(&self, name: &str) -> bool {
        self.attrs.iter().any(|spec| spec.name == name)
            || (name == "operandSegmentSizes" && self.traits.contains(Traits::ATTR_SIZED_OPERANDS))
            || (name == "resultSegmentSizes" && self.traits.contains(Traits::ATTR_SIZED_RESULTS))
    }
}

impl fmt::Debug for OpDef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OpDef").field(&self.name).finish()
    }
}

/// A region of an operation.
#[derive(Clone, Copy, Debug)]
pub struct RegionSpec {
    /// Name in the format.
    pub name: &'static str,
    /// What it must look like.
    pub kind: RegionKind,
}

/// What a region must look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegionKind {
    /// Any number of blocks.
    Any,
    /// Exactly one block.
    SizedOne,
    /// At least one block.
    MinOne,
    /// No block or one.
    MaxOne,
    /// All remaining regions of the operation, any number of blocks each.
    Variadic,
}

/// A successor of an operation.
#[derive(Clone, Copy, Debug)]
pub struct SuccessorSpec {
    /// Name in the format.
    pub name: &'static str,
    /// One, or all the rest.
    pub arity: Arity,
}

/// A typed view of an operation, made by [`op!`](crate::op!).
pub trait OpView: Copy {
    /// The operation's definition.
    fn def() -> &'static OpDef;

    /// The view of `op` if it is one.
    fn cast(ir: &Ir, op: Op) -> Option<Self>;

    /// The operation behind the view.
    fn op(self) -> Op;

    /// Whether `op` is one.
    fn is(ir: &Ir, op: Op) -> bool {
        Self::cast(ir, op).is_some()
    }
}

//! Behaviour of operations that cannot be declared, and the interfaces generic passes use.

use std::ops::Range;

use smallvec::SmallVec;

use super::{AccessInterface, CountedLoopInterface, Effects};
use crate::attrs::{Attr, Dict};
use crate::build::Builder;
use crate::graph::{Ir, Op, OpState, Region, Value};
use crate::rewrite::Pattern;
use crate::symbols::SymbolTableCollection;
use crate::text::{OpParser, OpPrinter, ParseResult};
use crate::types::Type;

/// A result that folding found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoldResult {
    /// A constant.
    Attr(Attr),
    /// A value that exists.
    Value(Value),
}

impl From<Attr> for FoldResult {
    fn from(attr: Attr) -> Self {
        FoldResult::Attr(attr)
    }
}

impl From<Value> for FoldResult {
    fn from(value: Value) -> Self {
        FoldResult::Value(value)
    }
}

/// What folding did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fold {
    /// Nothing.
    None,
    /// The operation was changed in place (operands or attributes only).
    InPlace,
    /// The operation is worth one constant or value for each result; the caller replaces it.
    Results(SmallVec<[FoldResult; 1]>),
}

impl Fold {
    /// One result.
    pub fn one(result: impl Into<FoldResult>) -> Fold {
        Fold::Results(SmallVec::from_slice(&[result.into()]))
    }
}

/// Folds an operation; the slice holds the constant of each operand that has one. May change
/// operands and attributes of the operation, nothing else, and creates no operation.
pub type FoldFn = fn(&mut Ir, Op, &[Option<Attr>]) -> Fold;

/// Creates an operation that holds a constant of the type, if the dialect has one for it.
pub type MaterializeConstant = fn(&mut Builder<'_>, Attr, Type) -> Option<Op>;

/// What result types are inferred from.
#[derive(Clone, Copy, Debug)]
pub struct InferInput<'a> {
    /// Operand types.
    pub operands: &'a [Type],
    /// Attributes.
    pub attrs: Dict,
    /// Regions, parsed or built already.
    pub regions: &'a [Region],
}

/// Infers result types.
pub type InferResults = fn(&mut Ir, InferInput<'_>) -> Result<SmallVec<[Type; 2]>, String>;

/// A `custom<Name>(...)` directive of a format. The arguments are the parameters' texts.
#[derive(Clone, Copy)]
pub struct CustomDirective {
    /// Name in the format.
    pub name: &'static str,
    /// Reads it.
    pub parse: fn(&mut OpParser<'_, '_>, &mut OpState) -> ParseResult<()>,
    /// Writes it.
    pub print: fn(&mut OpPrinter<'_, '_>, Op),
}

/// Where control is, relative to an operation with regions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegionPoint {
    /// The operation itself: on entry as a source, on exit as a target.
    Parent,
    /// Its region of that number.
    Region(usize),
}

/// One way that control may take between an operation and its regions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegionEdge {
    /// Where control goes.
    pub to: RegionPoint,
    /// The values handed over: operands of the operation (from [`RegionPoint::Parent`]) or of the
    /// region's terminator.
    pub values: SmallVec<[Value; 2]>,
    /// What receives them: arguments of the region's entry block, or results of the operation.
    pub receivers: SmallVec<[Value; 2]>,
}

/// Control flow between an operation and its regions.
#[derive(Clone, Copy)]
pub struct RegionBranch {
    /// The ways out of a point.
    pub edges: fn(&Ir, Op, RegionPoint) -> Vec<RegionEdge>,
}

/// A call.
#[derive(Clone, Copy)]
pub struct CallInterface {
    /// The symbol called; `None` for indirect calls.
    pub callee: fn(&Ir, Op) -> Option<Attr>,
    /// Indices of the operands that are arguments.
    pub arguments: fn(&Ir, Op) -> Range<usize>,
}

/// A function: a symbol with a `function_type` and a body in region 0 (empty for declarations).
#[derive(Clone, Copy)]
pub struct FunctionInterface {
    /// Name of the attribute that holds the function type.
    pub type_attr: &'static str,
}

/// Checks an operation; the message goes behind `'name' op `.
pub type VerifyFn = fn(&Ir, Op) -> Result<(), String>;

/// Checks uses of symbols; see [`OpHooks::verify_symbols`].
pub type VerifySymbolsFn = fn(&Ir, &mut SymbolTableCollection, Op) -> Result<(), String>;

/// Suggests the name of a result, by its number.
pub type ResultNameFn = fn(&Ir, Op, usize) -> Option<String>;

/// Suggests the name of an argument, by the numbers of region and argument.
pub type ArgumentNameFn = fn(&Ir, Op, usize, usize) -> Option<String>;

/// Gives some of an operation's regions.
pub type RegionsFn = fn(&Ir, Op) -> SmallVec<[Region; 1]>;

/// Gives the indices of the operands that a successor's arguments receive.
pub type SuccessorOperandsFn = fn(&Ir, Op, usize) -> Range<usize>;

/// Hooks; every one may be absent.
#[derive(Clone, Copy)]
pub struct OpHooks {
    /// Checks what the declaration cannot say; the message goes behind `'name' op `.
    pub verify: Option<VerifyFn>,
    /// Like `verify`, but run after the operations in the regions have been verified.
    pub verify_regions: Option<VerifyFn>,
    /// Checks symbol uses, which are looked up with [`SymbolTableCollection::lookup_symbol`].
    pub verify_symbols: Option<VerifySymbolsFn>,
    /// Folds.
    pub fold: Option<FoldFn>,
    /// Canonicalisation patterns rooted at this operation.
    pub canonicalize: &'static [Pattern],
    /// Result types where rules and traits do not give them.
    pub infer_results: Option<InferResults>,
    /// Reads the whole custom syntax, behind the name.
    pub parse: Option<fn(&mut OpParser<'_, '_>, &mut OpState) -> ParseResult<()>>,
    /// Writes the whole custom syntax, behind the name.
    pub print: Option<fn(&mut OpPrinter<'_, '_>, Op)>,
    /// Irregular parts of the format.
    pub custom: &'static [CustomDirective],
    /// Memory effects; with [`super::Traits::PURE`] none.
    pub effects: Option<fn(&Ir, Op, &mut Effects)>,
    /// Whether this operation, as it stands, may be speculated although not pure in general.
    pub speculatable: Option<fn(&Ir, Op) -> bool>,
    /// Suggested name of result `index` in print (`c0`, `cst`).
    pub result_name: Option<ResultNameFn>,
    /// Suggested name of argument `index` of region `region`'s entry block in print.
    pub argument_name: Option<ArgumentNameFn>,
    /// Regions that are executed repeatedly: code that does not vary in them may move out.
    pub loop_regions: Option<RegionsFn>,
    /// Element accesses: which operand is the buffer, which are the subscripts.
    pub access: Option<AccessInterface>,
    /// Counted loops: variables, bounds and steps.
    pub counted_loop: Option<CountedLoopInterface>,
    /// For terminators with successors: the operands that become arguments of successor `index`.
    pub successor_operands: Option<SuccessorOperandsFn>,
    /// Control flow into, between and out of the regions.
    pub region_branch: Option<RegionBranch>,
    /// Calls.
    pub call: Option<CallInterface>,
    /// Functions.
    pub function: Option<FunctionInterface>,
    /// Creates the terminator that the text may leave out.
    pub implicit_terminator: Option<fn(&mut Builder<'_>) -> Op>,
    /// The dialect whose operations may stand without prefix directly in the regions (`return` in
    /// `func.func`).
    pub default_dialect: Option<&'static str>,
}

impl OpHooks {
    /// No hooks.
    pub const NONE: OpHooks = OpHooks {
        verify: None,
        verify_regions: None,
        verify_symbols: None,
        fold: None,
        canonicalize: &[],
        infer_results: None,
        parse: None,
        print: None,
        custom: &[],
        effects: None,
        speculatable: None,
        result_name: None,
        argument_name: None,
        loop_regions: None,
        access: None,
        counted_loop: None,
        successor_operands: None,
        region_branch: None,
        call: None,
        function: None,
        implicit_terminator: None,
        default_dialect: None,
    };
}

//! Lowering of the typed tree to the source level of the IR.
//!
//! Each compute construct becomes a `func.func` around one `offload.region`, whose arguments are the
//! variables that the construct uses. [`ConstructInfo`] says how the host program provides them;
//! [`crate::host`] writes that program. Functions that regions call become private functions where
//! all they take and give are scalars; all others are expanded where they are called, because a
//! pointer means one buffer of the IR there.
//!
//! | file | lowers |
//! |---|---|
//! | [`mod@unit`] | directives of a unit, in order |
//! | [`capture`], [`clause_items`], [`uses`], [`enclosing`], [`storage`] | the rules on data to arguments |
//! | [`role`], [`flow`], [`update`] | what scalars are to loops: private, reductions, or lost |
//! | [`doubts`] | scalars that a clause is missing for |
//! | [`region`], [`redundant`] | compute constructs, what all their gangs execute |
//! | [`directive`], [`atomic`], [`scatter`] | `loop`, `atomic`, updates that iterations may share |
//! | [`private`] | copies of variables, arrays and sections that each has of its own |
//! | [`array_reduction`] | reductions on more than a scalar variable |
//! | [`statement`], [`jump`], [`switch`] | statements and what leaves them early |
//! | [`counted`], [`looping`] | loops that count, all others |
//! | [`expression`], [`arithmetic`], [`complex`], [`condition`], [`convert`] | values |
//! | [`place`], [`access`], [`record`], [`bit_field`], [`extent`] | objects, pointers, structures, bit-fields, variable lengths |
//! | [`address`] | pointers of which only the address is known |
//! | [`call`], [`function`], [`separate`], [`math`], [`library`], [`output`] | calls |
//! | [`reached`] | variables of the file in functions that stay calls |
//! | [`wishes`] | what directives ask of the plan of a construct |
//! | [`routine`] | what directives say of functions |
//! | [`depth`] | how deep all that may be nested |

mod access;
mod address;
mod allocation;
mod arithmetic;
pub(crate) mod array_reduction;
mod atomic;
mod bit_field;
mod call;
mod capture;
mod chunk;
mod clause_items;
mod complex;
mod condition;
mod convert;
pub(crate) mod counted;
mod crossings;
mod depth;
mod directive;
mod doubts;
mod enclosing;
mod expression;
mod extent;
mod flow;
mod function;
mod initializer;
mod jump;
mod library;
mod location;
mod looping;
mod lowerer;
mod math;
mod memory;
mod memory_pieces;
mod output;
mod place;
mod private;
mod reached;
mod record;
mod redundant;
mod region;
pub(crate) mod role;
mod routine;
mod rows;
mod scalar;
mod scatter;
mod separate;
mod statement;
pub(crate) mod storage;
mod switch;
mod unit;
pub(crate) mod update;
pub(crate) mod uses;
pub(crate) mod walk;
mod wishes;

#[cfg(test)]
mod tests;

use gpuc_diagnostics::Diagnostic;
use gpuc_ir::Op;

use crate::directive::VarRef;
use crate::directive::action::{Action, Condition, Order};
use crate::directive::construct::Wish;
pub use crate::directive::{DataFlags, MappingKind};
use crate::source::Span;
use crate::tree::{DeclId, DirectiveId, TranslationUnit};
use crate::types::Type;

pub use function::lower_functions;
pub(crate) use scalar::flatten;
pub use unit::lower_unit;

/// How to lower.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The only compute construct to be lowered; all where none is named.
    pub only: Option<DirectiveId>,
    /// Whether nests that the compiler found run on the device whatever their size.
    pub always: bool,
    /// Whether a construct that cannot be compiled for the device is left to the host, with a warning.
    pub unsupported_on_host: bool,
    /// Whether a multiplication and an addition of one expression may fuse (C11 §6.5 ¶8), as GCC
    /// has it by default.
    pub contract: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { only: None, always: false, contract: true, unsupported_on_host: false }
    }
}

/// A lowered unit.
#[derive(Debug)]
pub struct Lowered {
    /// The module with a function for each compute construct.
    pub module: Op,
    /// Every construct that the host program must be rewritten for, in the order of the text.
    pub constructs: Vec<ConstructInfo>,
    /// Whether nests that the compiler found run on the device whatever their size.
    pub always: bool,
    /// Whether the module has functions that device code of other files may call.
    pub provides: bool,
    /// Variables of the program that the module's functions find by an address in a variable of their own.
    pub reached: Vec<Reached>,
    /// Remarks and warnings.
    pub remarks: Vec<Diagnostic>,
}

/// A variable of the program that functions of the device find by its address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reached {
    /// The variable of the module that the address stands in.
    pub symbol: String,
    /// The variable of the program.
    pub variable: DeclId,
}

/// A directive of the host program, and what takes its place.
#[derive(Clone, Debug)]
pub struct ConstructInfo {
    /// Where the statement behind the directive ends; for those without one, the directive.
    pub end: u32,
    /// The directive.
    pub directive: DirectiveId,
    /// The directive in words.
    pub words: &'static str,
    /// What it does.
    pub action: Action,
    /// When it does so.
    pub order: Order,
    /// The C function it stands in.
    pub function: String,
    /// File and line of the directive.
    pub file: String,
    /// Line of the directive.
    pub line: u32,
    /// What its data clauses map, and what is mapped implicitly, in order.
    pub data: Vec<DataItem>,
    /// On which condition.
    pub condition: Condition,
    /// The clauses that say what tasks of the host it waits for.
    pub host_waits: Vec<Span>,
    /// The function of the module, for compute constructs.
    pub compute: Option<Compute>,
    /// What directives in a compute construct ask of its plan, by the names that plans have for loops.
    pub steps: Vec<Wish>,
    /// Variables of the program of which a compute construct, or a loop in it, has copies that it changes: where the
    /// host runs it, they are to be as they were.
    pub own: Vec<VarRef>,
}

/// The call that takes the place of a compute construct.
#[derive(Clone, Debug)]
pub struct Compute {
    /// Name of the function in the module.
    pub symbol: String,
    /// Its arguments.
    pub arguments: Vec<Argument>,
    /// Of a nest that the compiler found: variables that something else may reach, and whose values the host
    /// reads before it starts the nest.
    pub fixed: Vec<String>,
    /// Of `kernels`: scalars that it only reads by their names, and is handed the values of, though pointers may reach
    /// them; with their types.
    pub by_value: Vec<(String, Type)>,
}

/// How the host provides an argument of a construct's function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// The value of a C expression.
    Value(String),
    /// The device address that corresponds to element 0 of the data item of that number.
    Data(usize),
}

/// Something mapped by a construct.
#[derive(Clone, Debug)]
pub struct DataItem {
    /// As messages call it.
    pub name: String,
    /// How it is mapped.
    pub kind: MappingKind,
    /// What else is said of it.
    pub flags: DataFlags,
    /// Line of the clause; 0 for implicit mappings.
    pub line: u32,
    /// What is mapped.
    pub extent: Extent,
    /// The array, structure or pointer that no clause names, where it is one.
    pub unnamed: Option<DeclId>,
    /// The type of its elements, arrays in it taken apart.
    pub element: Option<Type>,
}

/// The type of the elements of an object, or of what a pointer points to.
pub(crate) fn element_of(unit: &TranslationUnit, ty: Type) -> Type {
    flatten(unit, unit.types.pointee(ty).unwrap_or(ty)).0
}

impl DataItem {
    /// An item that no clause of the construct names.
    /// `ty` is the type of the variable, or of what it points to.
    pub(crate) fn implicit(
        unit: &TranslationUnit,
        name: &str,
        kind: MappingKind,
        extent: Extent,
        ty: Type,
    ) -> DataItem {
        let (name, flags) = (name.to_owned(), DataFlags::default());
        let element = Some(element_of(unit, ty));
        DataItem { name, kind, flags, line: 0, extent, unnamed: None, element }
    }
}

/// Which memory a [`DataItem`] is about.
#[derive(Clone, Debug)]
pub enum Extent {
    /// A variable, member or section of a data clause.
    Clause(VarRef),
    /// A section of pointers, and a section of what each of them points to.
    Rows(VarRef),
    /// The whole object that a C expression designates.
    Object(String),
    /// What a pointer expression points to, so many elements as a C expression says.
    Elements(String, String),
    /// What a C pointer expression points to, of unknown length.
    Pointer(String),
    /// What is mapped by data item `item` of construct `construct`, which encloses this one.
    Enclosed {
        /// A pointer to the variable, or the variable where it is a pointer.
        pointer: String,
        /// The variable where it is none.
        object: Option<String>,
        /// How the variable is mapped where the condition of that construct does not hold.
        unmapped: MappingKind,
        /// Number of the construct in [`Lowered::constructs`].
        construct: usize,
        /// Number of the item in its [`ConstructInfo::data`].
        item: usize,
    },
}

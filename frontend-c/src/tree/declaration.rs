//! Declared entities.

use gpuc_diagnostics::Diagnostic;

use super::{ExprId, StmtId};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::types::{ArraySize, BitField, Type};

/// A declared entity: all its declarations of one scope or linkage together.
#[derive(Clone, Debug)]
pub struct Decl {
    /// Its name; parameters may have none.
    pub name: Option<Symbol>,
    /// Its type; the composite of its declarations.
    pub ty: Type,
    /// What it is.
    pub kind: DeclKind,
    /// Where its name stands in the first declaration (in the definition, once there is one).
    pub span: Span,
    /// Alignment asked for by `_Alignas` or `aligned`, in bytes.
    pub align: Option<u64>,
    /// The assembler name by an asm label, as written.
    pub asm_label: Option<Symbol>,
}

/// What a name stands for.
#[derive(Clone, Debug)]
pub enum DeclKind {
    /// An object that is not a parameter.
    Variable(Variable),
    /// A parameter.
    Parameter {
        /// Its number.
        number: u32,
        /// How long it is declared to be, where it is declared as an array; it is a pointer.
        length: Option<ArraySize>,
    },
    /// A function.
    Function(Function),
    /// A type.
    Typedef,
    /// An enumeration constant and its value.
    EnumConstant(i128),
    /// A label of a function. Its statement is known once it is placed.
    Label(Option<StmtId>),
}

/// How long an object lives and who else sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// While its block runs.
    Automatic,
    /// As long as the program.
    Static,
    /// As long as its thread.
    Thread,
}

/// Which other declarations of the name mean the same entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linkage {
    /// None: an entity of its block.
    None,
    /// Those of this unit.
    Internal,
    /// Those of the whole program.
    External,
}

/// An object.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its lifetime.
    pub storage: Storage,
    /// Its linkage.
    pub linkage: Linkage,
    /// Whether this unit only declares it (`extern` without an initialiser).
    pub declared_only: bool,
    /// Its initial value.
    pub init: Option<Initializer>,
    /// Whether C23's `constexpr` makes it a constant.
    pub constexpr: bool,
}

/// A function.
#[derive(Clone, Debug, Default)]
pub struct Function {
    /// The parameters of the definition, else of the latest declaration.
    pub parameters: Vec<super::DeclId>,
    /// The compound statement of the definition.
    pub body: Option<StmtId>,
    /// Whether only this unit can call it by name.
    pub is_static: bool,
    /// Whether it was declared `inline`.
    pub is_inline: bool,
    /// Whether it never returns.
    pub noreturn: bool,
    /// Whether it is one of the compiler's own (`__builtin_…`) or was called without a declaration.
    pub implicit: bool,
    /// Why a body without directives could not be read: it is the host's, unless a region calls it.
    pub unreadable: Option<Box<(Span, Diagnostic)>>,
    /// Its labels.
    pub labels: Vec<super::DeclId>,
}

/// An initial value.
#[derive(Clone, Debug)]
pub enum Initializer {
    /// One expression, converted to the object's type.
    Value(ExprId),
    /// A braced list or a string: everything is zero but these elements. Where two overlap, the
    /// later one counts.
    List(Vec<InitElement>),
}

/// One element of a braced initialiser, by its place in the object.
#[derive(Clone, Debug)]
pub struct InitElement {
    /// Offset in bytes from the start of the object.
    pub offset: u64,
    /// The type of the element.
    pub ty: Type,
    /// The bits, if the element is a bit-field.
    pub bits: Option<BitField>,
    /// The value, converted to the type; an array of characters by a string literal.
    pub value: ExprId,
    /// GNU's `[a ... b] = value`: how many further copies follow, each how many bytes on.
    pub repeat: Option<(u64, u64)>,
}

//! Expressions.

use super::{DeclId, ExprId, Initializer, StmtId};
use crate::lex::StringLiteral;
use crate::source::Span;
use crate::types::{RecordId, Type};

/// A typed expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its type; a value's is never qualified.
    pub ty: Type,
    /// Whether it designates an object.
    pub category: ValueCategory,
    /// Its text.
    pub span: Span,
    /// Height of the tree below.
    pub height: u32,
    /// The same, but for what chains: the left sides of binary operators and commas and the last
    /// choices of `?:` count for nothing. Kept small enough to walk the rest by recursion.
    pub nesting: u16,
}

/// What an expression yields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueCategory {
    /// A value.
    Value,
    /// An object (an lvalue).
    Object,
    /// A bit-field of an object: an lvalue without an address.
    BitField,
    /// A function.
    Function,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// Something that was refused.
    Error,
    /// An integer or character constant, `sizeof`, `_Alignof`, `offsetof` and the like, folded.
    Int(i128),
    /// A floating constant; beyond double's precision its text is in its span.
    Float(f64),
    /// An imaginary constant (GNU): the imaginary part.
    Imaginary(f64),
    /// A string literal (an array object); also `__func__`.
    String(Box<StringLiteral>),
    /// A variable, parameter, function or enumeration constant.
    Name(DeclId),
    /// `( … )`.
    Paren(ExprId),
    /// A prefix operator.
    Unary(UnaryOp, ExprId),
    /// `++` or `--`.
    IncDec(IncDec, ExprId),
    /// A binary operator; both sides are converted to their common type where there is one.
    Binary(BinaryOp, ExprId, ExprId),
    /// `target = value`.
    Assign {
        /// An object.
        target: ExprId,
        /// Converted to the target's type.
        value: ExprId,
    },
    /// `target op= value`: the target's value is converted to `computed`, the operator applied, and
    /// its result converted back.
    CompoundAssign {
        /// The operator.
        op: BinaryOp,
        /// An object.
        target: ExprId,
        /// Converted to the operator's type.
        value: ExprId,
        /// The type in which the operator computes.
        computed: Type,
    },
    /// `condition ? then : otherwise`; GNU's `a ?: b` has no `then` and yields the condition's value
    /// converted to the type of the whole.
    Conditional {
        /// A scalar.
        condition: ExprId,
        /// Where it is not zero.
        then: Option<ExprId>,
        /// Where it is.
        otherwise: ExprId,
    },
    /// `left, right`.
    Comma(ExprId, ExprId),
    /// A call; arguments are converted to the parameters' types or promoted.
    Call {
        /// A pointer to a function.
        callee: ExprId,
        /// The arguments.
        arguments: Box<[ExprId]>,
    },
    /// `base.member`, the base an object or a value; `p->m` is the member of `*p`.
    Member {
        /// The record.
        base: ExprId,
        /// The member.
        access: MemberAccess,
    },
    /// `base[index]`, the base a pointer (converted from an array where it is one).
    Index {
        /// A pointer; swapped where the source writes `i[p]`.
        base: ExprId,
        /// An integer.
        index: ExprId,
    },
    /// A conversion.
    Cast {
        /// What it does.
        kind: CastKind,
        /// What is converted.
        operand: ExprId,
        /// Whether the language adds it, not the program.
        implicit: bool,
    },
    /// `(type){ … }`.
    CompoundLiteral(Box<Initializer>),
    /// `sizeof` of something whose size is known only at run time.
    SizeofVariable(Type),
    /// GNU's `({ … })`; its value is [`block_value`](super::TranslationUnit::block_value).
    StatementExpr(StmtId),
    /// GNU's `&&label`.
    LabelAddress(DeclId),
    /// `va_arg(list, type)`.
    VaArg(ExprId),
    /// `__builtin_complex(real, imaginary)`.
    Complex(ExprId, ExprId),
    /// `offsetof` with a run-time subscript: the sum of a constant and scaled subscripts.
    OffsetofVariable {
        /// The constant part.
        constant: u64,
        /// Subscripts with the size of what they step over.
        terms: Box<[(ExprId, u64)]>,
    },
}

/// The member that a `.` or `->` selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemberAccess {
    /// The record that has it.
    pub record: RecordId,
    /// Its number among the record's fields. A member of an anonymous member is reached by one
    /// access for each.
    pub field: u32,
}

/// Prefix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `~`; the conjugate of a complex value (GNU).
    Complement,
    /// `!`, yielding `int`.
    Not,
    /// `&`
    AddressOf,
    /// `*`
    Deref,
    /// `__real__`
    Real,
    /// `__imag__`
    Imag,
}

/// `++` and `--`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum IncDec {
    PreIncrement,
    PreDecrement,
    PostIncrement,
    PostDecrement,
}

/// Binary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is the C operator of its name")]
pub enum BinaryOp {
    Mul,
    Div,
    Rem,
    /// Also pointer + integer, the pointer on the left.
    Add,
    /// Also pointer − integer, and pointer − pointer yielding `long`.
    Sub,
    Shl,
    Shr,
    Less,
    Greater,
    LessEq,
    GreaterEq,
    Equal,
    NotEqual,
    And,
    Xor,
    Or,
    LogicalAnd,
    LogicalOr,
}

impl BinaryOp {
    /// As C writes it.
    pub fn spelling(self) -> &'static str {
        use BinaryOp::*;
        match self {
            Mul => "*",
            Div => "/",
            Rem => "%",
            Add => "+",
            Sub => "-",
            Shl => "<<",
            Shr => ">>",
            Less => "<",
            Greater => ">",
            LessEq => "<=",
            GreaterEq => ">=",
            Equal => "==",
            NotEqual => "!=",
            And => "&",
            Xor => "^",
            Or => "|",
            LogicalAnd => "&&",
            LogicalOr => "||",
        }
    }

    /// Whether it compares, yielding `int`.
    pub fn is_comparison(self) -> bool {
        use BinaryOp::*;
        matches!(self, Less | Greater | LessEq | GreaterEq | Equal | NotEqual)
    }
}

impl UnaryOp {
    /// As C writes it.
    pub fn spelling(self) -> &'static str {
        match self {
            UnaryOp::Plus => "+",
            UnaryOp::Minus => "-",
            UnaryOp::Complement => "~",
            UnaryOp::Not => "!",
            UnaryOp::AddressOf => "&",
            UnaryOp::Deref => "*",
            UnaryOp::Real => "__real__",
            UnaryOp::Imag => "__imag__",
        }
    }
}

/// What a conversion does; the types are the operand's and the cast's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CastKind {
    /// Reads the value of an object.
    Load,
    /// An array to a pointer to its first element.
    ArrayToPointer,
    /// A function to a pointer to it.
    FunctionToPointer,
    /// Between integer types: truncates, extends by the operand's sign, or keeps the bits.
    Integer,
    /// An integer to a floating type.
    IntegerToFloating,
    /// A floating type to an integer type, towards zero.
    FloatingToInteger,
    /// Between floating types.
    Floating,
    /// A scalar to `_Bool`: not equal to zero.
    ToBool,
    /// A pointer to an integer.
    PointerToInteger,
    /// An integer to a pointer.
    IntegerToPointer,
    /// Between pointers.
    Pointer,
    /// A null pointer constant to a pointer.
    NullToPointer,
    /// A real value to a complex one with imaginary part zero, after conversion to the part type.
    RealToComplex,
    /// The real part of a complex value, then converted.
    ComplexToReal,
    /// Between complex types, part by part.
    Complex,
    /// Bits kept: between GNU vectors or a vector and a scalar of the same size.
    Bits,
    /// GNU: a value to a union that has a member of its type.
    ToUnion,
    /// The value is dropped.
    ToVoid,
    /// Same representation: only qualifiers or equal types of different names.
    Same,
}

impl ExprKind {
    /// Calls `visit` on each operand, in the order of the source; initialisers included, statements
    /// not.
    pub fn for_each_operand(&self, mut visit: impl FnMut(ExprId)) {
        match self {
            ExprKind::Error
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Imaginary(_)
            | ExprKind::String(_)
            | ExprKind::Name(_)
            | ExprKind::SizeofVariable(_)
            | ExprKind::StatementExpr(_)
            | ExprKind::LabelAddress(_) => {}
            ExprKind::Paren(e)
            | ExprKind::Unary(_, e)
            | ExprKind::IncDec(_, e)
            | ExprKind::VaArg(e)
            | ExprKind::Member { base: e, .. }
            | ExprKind::Cast { operand: e, .. } => visit(*e),
            ExprKind::Binary(_, a, b)
            | ExprKind::Comma(a, b)
            | ExprKind::Complex(a, b)
            | ExprKind::Assign { target: a, value: b }
            | ExprKind::CompoundAssign { target: a, value: b, .. }
            | ExprKind::Index { base: a, index: b } => {
                visit(*a);
                visit(*b);
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                visit(*condition);
                then.iter().for_each(|&e| visit(e));
                visit(*otherwise);
            }
            ExprKind::Call { callee, arguments } => {
                visit(*callee);
                arguments.iter().for_each(|&e| visit(e));
            }
            ExprKind::CompoundLiteral(init) => match &**init {
                Initializer::Value(e) => visit(*e),
                Initializer::List(elements) => elements.iter().for_each(|e| visit(e.value)),
            },
            ExprKind::OffsetofVariable { terms, .. } => terms.iter().for_each(|&(e, _)| visit(e)),
        }
    }
}

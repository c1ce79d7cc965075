//! The syntax tree. Names borrow from the text, operands from the arena of their function.

use crate::isa::Type;

use super::Span;

/// A name and where it stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Name<'a> {
    pub(crate) text: &'a str,
    pub(crate) span: Span,
}

/// A whole text, without what stands in the bodies of its functions.
#[derive(Debug, Default)]
pub(crate) struct Tree<'a> {
    /// Source files of `.loc` by their number.
    pub(crate) files: Vec<(u32, &'a str)>,
    pub(crate) target: Option<Name<'a>>,
    pub(crate) variables: Vec<Variable<'a>>,
    pub(crate) functions: Vec<Function<'a>>,
    /// `.global` and `.const` variables that functions declare.
    pub(crate) inner: Vec<Variable<'a>>,
    /// `.alias new, old`.
    pub(crate) aliases: Vec<(Name<'a>, Name<'a>)>,
}

/// State spaces of declared variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    /// A parameter that is a register of the function.
    Register,
    Global,
    Const,
    Shared,
    Local,
    Param,
}

/// Who sees a name besides the text that has it, and whose definition counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) enum Linkage {
    /// The text alone.
    #[default]
    Local,
    Visible,
    /// Gives way to a visible definition.
    Weak,
    /// One of several equal declarations, any of which may be the definition.
    Common,
    /// Declared here, defined elsewhere, or by the launch (dynamic shared memory).
    Extern,
}

/// A variable: a `.global`, `.const`, `.shared`, `.local` or `.param` declaration.
#[derive(Clone, Debug)]
pub(crate) struct Variable<'a> {
    pub(crate) name: Name<'a>,
    pub(crate) space: Space,
    pub(crate) align: u64,
    /// Bytes of the variable; 0 for an array without a size.
    pub(crate) size: u64,
    /// Bytes of one element.
    pub(crate) element: Type,
    pub(crate) linkage: Linkage,
    pub(crate) initial: Vec<Initial<'a>>,
}

/// One element of an initialiser, in order; missing ones are zero.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Initial<'a> {
    Int(u64),
    F32(u32),
    F64(u64),
    /// The address of a variable plus an offset; `generic` in the generic space. Of a masked
    /// address (`0xFF00(sym)`) only the bits of `mask` are stored, shifted down.
    Address {
        symbol: Name<'a>,
        offset: i64,
        mask: u64,
    },
}

/// An entry or a device function.
#[derive(Debug)]
pub(crate) struct Function<'a> {
    pub(crate) name: Name<'a>,
    pub(crate) is_entry: bool,
    pub(crate) linkage: Linkage,
    pub(crate) returns: Vec<Variable<'a>>,
    pub(crate) params: Vec<Variable<'a>>,
    pub(crate) required_block: Option<[u32; 3]>,
    pub(crate) max_block: Option<[u32; 3]>,
    /// Blocks of a cluster (`.reqnctapercluster`).
    pub(crate) required_cluster: Option<[u32; 3]>,
    /// Launches count clusters, not blocks (`.blocksareclusters`).
    pub(crate) grid_of_clusters: bool,
    /// `None` for a declaration.
    pub(crate) body: Option<Body>,
}

/// Where the body of a function begins in its text, behind the `{`. Its statements are read again
/// when they are asked for: of a large text few functions are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Body {
    pub(crate) start: u32,
}

/// What stands in a body.
#[derive(Debug)]
pub(crate) enum Statement<'a> {
    Label(Name<'a>),
    /// `.reg .b32 %r<5>, x;`: names, with a count where they are numbered.
    Registers {
        ty: Type,
        names: Vec<(Name<'a>, Option<u32>)>,
    },
    Variable(Variable<'a>),
    Instruction(Instruction<'a>),
    Block(Vec<Statement<'a>>),
    Location(Location),
    /// `name: .branchtargets a, b;`
    BranchTargets {
        name: Name<'a>,
        targets: Vec<Name<'a>>,
    },
    /// `name: .callprototype (returns) _ (params);`
    Prototype {
        name: Name<'a>,
        returns: Vec<Variable<'a>>,
        params: Vec<Variable<'a>>,
    },
    /// `name: .calltargets f, g;`
    CallTargets {
        name: Name<'a>,
        targets: Vec<Name<'a>>,
    },
}

/// A `.loc`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Location {
    pub(crate) file: u32,
    pub(crate) line: u32,
    pub(crate) column: u32,
}

/// An instruction as written.
#[derive(Debug)]
pub(crate) struct Instruction<'a> {
    /// Predicate and whether it is negated.
    pub(crate) guard: Option<(Name<'a>, bool)>,
    pub(crate) opcode: Name<'a>,
    pub(crate) modifiers: &'a [Name<'a>],
    pub(crate) operands: &'a [Operand<'a>],
    pub(crate) span: Span,
}

/// An operand and where it stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operand<'a> {
    pub(crate) kind: OperandKind<'a>,
    pub(crate) span: Span,
}

/// What an operand is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum OperandKind<'a> {
    /// A register, special register, label, variable or function.
    Name(&'a str),
    /// `!p`.
    Not(&'a str),
    /// `-a`, of the few instructions that negate an operand.
    Negative(&'a Operand<'a>),
    /// `%tid.x`.
    Member(&'a str, &'a str),
    Int(u64),
    F32(u32),
    F64(u64),
    /// `symbol+4`.
    Offset(&'a str, i64),
    /// `[base+offset]`; no base for an absolute address.
    Address(Option<&'a str>, i64),
    /// `[texture, {a, b}]`: what stands in brackets behind a base.
    Image(&'a str, &'a [Operand<'a>]),
    /// `{a, b}`.
    Vector(&'a [Operand<'a>]),
    /// `p|q`.
    Pair(&'a [Operand<'a>; 2]),
    /// `(a, b)` of a call.
    Group(&'a [Operand<'a>]),
    /// `_`.
    Sink,
}

//! Statements.

use super::{DeclId, DirectiveId, ExprId, StmtId};
use crate::source::Span;

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// All of its text, the final `;` or `}` included. A directive's starts at its `#`.
    pub span: Span,
}

/// What a statement is.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// `;`, or what was refused.
    Empty,
    /// An expression.
    Expr(ExprId),
    /// A declaration with its declarators.
    Declaration(Vec<DeclId>),
    /// `{ … }`.
    Compound(Vec<StmtId>),
    /// `if`.
    If {
        /// A scalar.
        condition: ExprId,
        /// Where it is not zero.
        then: StmtId,
        /// Where it is.
        otherwise: Option<StmtId>,
    },
    /// `while`.
    While {
        /// A scalar.
        condition: ExprId,
        /// The body.
        body: StmtId,
    },
    /// `do … while`.
    DoWhile {
        /// The body.
        body: StmtId,
        /// A scalar.
        condition: ExprId,
    },
    /// `for`.
    For {
        /// An expression or a declaration.
        init: Option<StmtId>,
        /// A scalar.
        condition: Option<ExprId>,
        /// After each round.
        step: Option<ExprId>,
        /// The body.
        body: StmtId,
    },
    /// `switch`; its cases stand anywhere within the body.
    Switch {
        /// The value, promoted.
        value: ExprId,
        /// The body.
        body: StmtId,
        /// The `case` and `default` statements of this switch, in order.
        cases: Vec<StmtId>,
    },
    /// `case low:`, or GNU's `case low ... high:`.
    Case {
        /// The value, converted to the switch's type.
        low: i128,
        /// The last value; `low` unless a range.
        high: i128,
        /// What is labelled.
        body: StmtId,
    },
    /// `default:`.
    Default(StmtId),
    /// `name:`.
    Label {
        /// The label.
        label: DeclId,
        /// What is labelled.
        body: StmtId,
    },
    /// `goto name;`.
    Goto(DeclId),
    /// GNU's `goto *address;`.
    GotoComputed(ExprId),
    /// `break;`.
    Break,
    /// `continue;`.
    Continue,
    /// `return`, its value converted to the function's result type.
    Return(Option<ExprId>),
    /// `asm`; its text is in its span.
    Asm,
    /// A directive, with the statement it applies to.
    Directive {
        /// The directive.
        directive: DirectiveId,
        /// The statement it applies to; stand-alone directives have none.
        body: Option<StmtId>,
    },
}

//! The typed tree of a translation unit.
//!
//! Nodes live in arenas and refer to each other by index. Every expression has its type and its
//! conversions are nodes of their own ([`ExprKind::Cast`]), so that a consumer never has to know
//! C's conversion rules. Names are resolved to declarations.

mod declaration;
mod dump;
mod expression;
mod same;
mod statement;

use gpuc_diagnostics::Place;
use la_arena::{Arena, Idx};

pub use declaration::{
    Decl, DeclKind, Function, InitElement, Initializer, Linkage, Storage, Variable,
};
pub use dump::dump;
pub use expression::{
    BinaryOp, CastKind, Expr, ExprKind, IncDec, MemberAccess, UnaryOp, ValueCategory,
};
pub use statement::{Stmt, StmtKind};

use crate::dialect::Dialect;
use crate::directive::Directive;
use crate::pragma::Pragma;
use crate::source::{Source, Span};
use crate::symbol::{Interner, Symbol};
use crate::types::{Type, Types};

/// An expression of a unit.
pub type ExprId = Idx<Expr>;
/// A statement of a unit.
pub type StmtId = Idx<Stmt>;
/// A declared entity of a unit.
pub type DeclId = Idx<Decl>;
/// A directive of a unit.
pub type DirectiveId = Idx<Directive>;

/// A whole translation unit.
#[derive(Debug)]
pub struct TranslationUnit {
    /// Its expressions.
    pub exprs: Arena<Expr>,
    /// Its statements.
    pub stmts: Arena<Stmt>,
    /// Its declared entities; redeclarations of one entity are one.
    pub decls: Arena<Decl>,
    /// Its directives.
    pub directives: Arena<Directive>,
    /// Its types.
    pub types: Types,
    /// Its spellings.
    pub symbols: Interner,
    /// What stands at file scope, in order.
    pub items: Vec<Item>,
    /// All pragmas of the text, of every family, in order.
    pub pragmas: Vec<Pragma>,
    /// The text and its lines.
    pub source: Source,
    /// The language it is written in.
    pub dialect: Dialect,
    /// Whether it requires memory that host and device share.
    pub shares_memory: bool,
    /// What the host program has in the place of directives that belong to device code, by where these begin.
    pub instead: Vec<(u32, String)>,
}

/// Something at file scope.
#[derive(Clone, Debug)]
pub struct Item {
    /// What it is.
    pub kind: ItemKind,
    /// All of its text, the final `;` or `}` included.
    pub span: Span,
}

/// What stands at file scope.
#[derive(Clone, Debug)]
pub enum ItemKind {
    /// A declaration with its declarators; none where only a tag is declared.
    Declaration(Vec<DeclId>),
    /// The definition of a function.
    Function(DeclId),
    /// A directive outside of functions.
    Directive(DirectiveId),
    /// `asm(...)`, `_Static_assert(...)` or a stray `;`.
    Other,
}

impl TranslationUnit {
    /// Whether a pragma that is no directive of ours stands there.
    pub fn is_pragma_of_others(&self, line: Span) -> bool {
        let mut all = self.pragmas.iter().filter(|pragma| pragma.line == line);
        all.any(|pragma| pragma.family == crate::pragma::Family::Other)
    }

    /// The user's place of `span`.
    pub fn place(&self, span: Span) -> Place {
        self.source.place(span)
    }

    /// The spelling of `symbol`.
    pub fn text(&self, symbol: Symbol) -> &str {
        self.symbols.text_of(symbol)
    }

    /// The name of a declared entity; empty for unnamed parameters.
    pub fn name(&self, decl: DeclId) -> &str {
        self.decls[decl].name.map_or("", |name| self.text(name))
    }

    /// The type of `expr`.
    pub fn type_of(&self, expr: ExprId) -> Type {
        self.exprs[expr].ty
    }

    /// `ty` as C writes it.
    pub fn display(&self, ty: Type) -> String {
        self.types.display(ty, &self.symbols)
    }

    /// The functions defined in this unit, in order.
    pub fn functions(&self) -> impl Iterator<Item = DeclId> {
        self.items.iter().filter_map(|item| match item.kind {
            ItemKind::Function(decl) => Some(decl),
            _ => None,
        })
    }

    /// The definition of the function `decl`, if this unit has it.
    pub fn function(&self, decl: DeclId) -> Option<&Function> {
        match &self.decls[decl].kind {
            DeclKind::Function(function) => Some(function),
            _ => None,
        }
    }

    /// `expr` without the parentheses and the conversions around it that keep its value's place:
    /// what the programmer wrote.
    pub fn peel(&self, mut expr: ExprId) -> ExprId {
        while let ExprKind::Cast { operand, implicit: true, .. } | ExprKind::Paren(operand) =
            self.exprs[expr].kind
        {
            expr = operand;
        }
        expr
    }

    /// `expr` without parentheses and conversions around it, those that the programmer wrote among them.
    pub fn without_casts(&self, mut expr: ExprId) -> ExprId {
        while let ExprKind::Cast { operand, .. } | ExprKind::Paren(operand) = self.exprs[expr].kind
        {
            expr = operand;
        }
        expr
    }

    /// The value of the compound statement of a `({ … })`: that of its last statement, labels aside.
    pub fn block_value(&self, body: StmtId) -> Option<ExprId> {
        let StmtKind::Compound(stmts) = &self.stmts[body].kind else { return None };
        let mut last = *stmts.last()?;
        loop {
            match self.stmts[last].kind {
                StmtKind::Label { body, .. } => last = body,
                StmtKind::Expr(value) => return Some(value),
                _ => return None,
            }
        }
    }

    /// The entity that `expr` names, parentheses and implicit conversions aside.
    pub fn named(&self, expr: ExprId) -> Option<DeclId> {
        match self.exprs[self.peel(expr)].kind {
            ExprKind::Name(decl) => Some(decl),
            _ => None,
        }
    }

    /// The variable that a `for` loop counts by.
    pub(crate) fn counted_by(&self, stmt: StmtId) -> Option<DeclId> {
        let StmtKind::For { init, step, .. } = &self.stmts[stmt].kind else { return None };
        if let Some(init) = init
            && let StmtKind::Declaration(decls) = &self.stmts[*init].kind
        {
            return decls.first().copied();
        }
        let mut expr = (*step)?;
        loop {
            match &self.exprs[expr].kind {
                ExprKind::IncDec(_, operand) => return self.named(*operand),
                ExprKind::Assign { target, .. } | ExprKind::CompoundAssign { target, .. } => {
                    return self.named(*target);
                }
                ExprKind::Paren(inner) => expr = *inner,
                ExprKind::Cast { operand, .. } => expr = *operand,
                _ => return None,
            }
        }
    }
}

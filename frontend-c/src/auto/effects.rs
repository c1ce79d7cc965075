//! What memory statements of the host look at and change.
//!
//! A nest may have left newer values of an array on the device. In front of a statement of the host stands a call for what
//! the statement may touch: variables by their names where it names them, all of memory where it goes through
//! a pointer or calls what is not known. Numbers of a function whose address nobody takes are no memory.

use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::lower::walk::{self, Below, Node};
use crate::tree::{
    CastKind, DeclId, DeclKind, ExprId, ExprKind, Linkage, StmtId, StmtKind, Storage,
    TranslationUnit, UnaryOp,
};
use crate::types::Qualifiers;

/// What is done with memory; each includes those before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Touch {
    /// Nothing.
    #[default]
    None,
    /// It is read.
    Read,
    /// It is written to.
    Write,
}

/// What something does with memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effect {
    /// With any of it.
    pub all: Touch,
    /// With named variables.
    pub named: IndexMap<DeclId, Touch>,
}

impl Effect {
    /// What nothing is known of.
    pub const fn is_unknown(&self) -> bool {
        matches!(self.all, Touch::Write)
    }

    fn any(&mut self, touch: Touch) {
        self.all = self.all.max(touch);
    }

    fn name(&mut self, decl: DeclId, touch: Touch) {
        let known = self.named.entry(decl).or_default();
        *known = (*known).max(touch);
    }

    /// Whether it does nothing with memory.
    pub fn is_nothing(&self) -> bool {
        self.all == Touch::None && self.named.is_empty()
    }
}

/// Functions of C's library that do nothing but compute from numbers.
const PURE: &[&str] = &[
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cbrt",
    "ceil",
    "copysign",
    "cos",
    "cosh",
    "erf",
    "erfc",
    "exp",
    "exp2",
    "expm1",
    "fabs",
    "fdim",
    "floor",
    "fma",
    "fmax",
    "fmin",
    "fmod",
    "hypot",
    "ilogb",
    "ldexp",
    "lgamma",
    "log",
    "log10",
    "log1p",
    "log2",
    "logb",
    "lrint",
    "lround",
    "llrint",
    "llround",
    "nearbyint",
    "nextafter",
    "pow",
    "remainder",
    "rint",
    "round",
    "scalbn",
    "scalbln",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
    "tgamma",
    "trunc",
    "abs",
    "labs",
    "llabs",
    "isnan",
    "isinf",
    "isfinite",
    "signbit",
    "finite",
];

/// Functions of C's library that touch no memory of the program.
const APART: &[&str] = &[
    "malloc",
    "calloc",
    "rand",
    "srand",
    "clock",
    "putchar",
    "omp_get_wtime",
    "drand48",
    "srand48",
];

/// Functions of C's library that read at most what their arguments point to.
const READERS: &[&str] = &[
    "puts", "fputs", "atoi", "atol", "atoll", "atof", "strlen", "strcmp", "strncmp", "memcmp",
    "fflush", "fputc", "putc",
];

/// Functions that print what a format says, with the number of the format's argument.
const PRINTERS: &[(&str, usize)] = &[("printf", 0), ("fprintf", 1)];

/// The name without what makes it a builtin or a function of another floating type.
fn base_name(name: &str) -> &str {
    let base = name.strip_prefix("__builtin_").unwrap_or(name);
    match base.strip_suffix(['f', 'l']) {
        Some(shorter) if PURE.contains(&shorter) && !PURE.contains(&base) => shorter,
        _ => base,
    }
}

/// Whether a function that the unit does not define computes from numbers alone.
pub fn is_pure(unit: &TranslationUnit, decl: DeclId) -> bool {
    let name = unit.name(decl);
    PURE.contains(&base_name(name))
        || matches!(
            name,
            "__builtin_expect"
                | "__builtin_huge_val"
                | "__builtin_inf"
                | "__builtin_huge_valf"
                | "__builtin_inff"
                | "__builtin_isgreater"
                | "__builtin_isless"
                | "__builtin_popcount"
                | "__builtin_clz"
                | "__builtin_ctz"
                | "__builtin_constant_p"
        )
}

/// Whether a function that the unit does not define does nothing with memory but with what it is given, and keeps none of that.
pub(super) fn is_harmless(unit: &TranslationUnit, decl: DeclId) -> bool {
    let base = base_name(unit.name(decl));
    is_pure(unit, decl)
        || APART.contains(&base)
        || READERS.contains(&base)
        || PRINTERS.iter().any(|(known, _)| *known == base)
        || matches!(
            base,
            "memset" | "memcpy" | "memmove" | "free" | "gettimeofday" | "clock_gettime" | "exit"
        )
}

/// Tells what statements do.
pub struct Effects<'a> {
    unit: &'a TranslationUnit,
    /// Variables whose address is taken somewhere.
    addressed: FxHashSet<DeclId>,
    /// Functions that know of nests: what they do, they ask for themselves, but nothing may be left on the
    /// device when they are called.
    pub aware: FxHashSet<DeclId>,
    known: FxHashMap<DeclId, Effect>,
    open: Vec<DeclId>,
}

impl<'a> Effects<'a> {
    /// Looks at a whole unit.
    pub fn new(unit: &'a TranslationUnit) -> Effects<'a> {
        Effects {
            unit,
            addressed: addressed(unit),
            aware: FxHashSet::default(),
            known: FxHashMap::default(),
            open: Vec::new(),
        }
    }

    /// Whether more than its name may reach a variable.
    pub fn is_addressed(&self, decl: DeclId) -> bool {
        self.addressed.contains(&decl)
    }

    /// What a statement does.
    pub fn of_stmt(&mut self, stmt: StmtId) -> Effect {
        self.of(Node::Stmt(stmt), None)
    }

    /// What an expression does.
    pub fn of_expr(&mut self, expr: ExprId) -> Effect {
        self.of(Node::Expr(expr), None)
    }

    /// What a statement does beside the call `except`, whose arguments count.
    pub fn beside(&mut self, stmt: StmtId, except: ExprId) -> Effect {
        self.of(Node::Stmt(stmt), Some(except))
    }

    fn of(&mut self, node: Node, except: Option<ExprId>) -> Effect {
        let unit = self.unit;
        let mut effect = Effect::default();
        let mut own = FxHashSet::default();
        let mut visit = |node: Node| {
            match node {
                Node::Expr(expr) if Some(expr) == except => {}
                Node::Expr(expr) => self.expr(expr, &mut effect),
                Node::Stmt(stmt) => match unit.stmts[stmt].kind {
                    // What a directive does is the runtime's to order.
                    StmtKind::Asm | StmtKind::Directive { .. } => effect.any(Touch::Write),
                    _ => {}
                },
                Node::Declare(decl) => {
                    if is_automatic(unit, decl) {
                        own.insert(decl);
                    }
                }
                Node::Leave(_) => {}
            }
            Below::Enter
        };
        match node {
            Node::Expr(expr) => walk::expr(unit, expr, &mut visit),
            Node::Stmt(stmt) => walk::stmt(unit, stmt, &mut visit),
            _ => {}
        }
        // What comes into being with it cannot be on the device.
        effect.named.retain(|decl, _| !own.contains(decl));
        effect
    }

    fn expr(&mut self, expr: ExprId, effect: &mut Effect) {
        let unit = self.unit;
        match &unit.exprs[expr].kind {
            ExprKind::Cast { kind: CastKind::Load, operand, .. } => {
                self.touch(*operand, Touch::Read, effect);
            }
            ExprKind::Assign { target, .. }
            | ExprKind::CompoundAssign { target, .. }
            | ExprKind::IncDec(_, target) => self.touch(*target, Touch::Write, effect),
            ExprKind::VaArg(_) => effect.any(Touch::Write),
            ExprKind::Call { callee, arguments } => self.call(*callee, arguments, effect),
            _ => {}
        }
    }

    /// An access to an object.
    fn touch(&mut self, lvalue: ExprId, touch: Touch, effect: &mut Effect) {
        let unit = self.unit;
        let mut at = lvalue;
        loop {
            let qualifiers = unit.exprs[at].ty.qualifiers();
            if qualifiers.contains(Qualifiers::VOLATILE) || qualifiers.contains(Qualifiers::ATOMIC)
            {
                return effect.any(Touch::Write);
            }
            at = match &unit.exprs[at].kind {
                ExprKind::Paren(inner) | ExprKind::Member { base: inner, .. } => *inner,
                ExprKind::Index { base: pointer, .. }
                | ExprKind::Unary(UnaryOp::Deref, pointer) => {
                    let mut pointer = *pointer;
                    while let ExprKind::Paren(inner) = unit.exprs[pointer].kind {
                        pointer = inner;
                    }
                    match unit.exprs[pointer].kind {
                        ExprKind::Cast { kind: CastKind::ArrayToPointer, operand, .. } => operand,
                        _ => return effect.any(touch),
                    }
                }
                ExprKind::Unary(UnaryOp::Real | UnaryOp::Imag, inner) => *inner,
                ExprKind::Name(decl) => {
                    if self.is_memory(*decl) {
                        effect.name(*decl, touch);
                    }
                    return;
                }
                ExprKind::String(_) => return,
                // A value of a structure that something computes.
                ExprKind::Call { .. } | ExprKind::Assign { .. } => return,
                _ => return effect.any(touch),
            };
        }
    }

    fn is_memory(&self, decl: DeclId) -> bool {
        let unit = self.unit;
        let ty = unit.decls[decl].ty;
        let is_number = unit.types.as_array(ty).is_none() && unit.types.as_record(ty).is_none();
        !(is_number && is_automatic(unit, decl) && !self.addressed.contains(&decl))
    }

    fn call(&mut self, callee: ExprId, arguments: &[ExprId], effect: &mut Effect) {
        let unit = self.unit;
        let Some((decl, body)) = walk::callee(unit, callee) else {
            return effect.any(Touch::Write);
        };
        if let Some(body) = body {
            let of_callee = self.of_function(decl, body);
            effect.any(of_callee.all);
            for (decl, touch) in of_callee.named {
                let ty = unit.decls[decl].ty;
                let is_number =
                    unit.types.as_array(ty).is_none() && unit.types.as_record(ty).is_none();
                if is_file_scope(unit, decl) {
                    effect.name(decl, touch);
                } else if !is_number || self.addressed.contains(&decl) {
                    effect.any(touch);
                }
                // A number of the function's own, in which there is no nest, is in nobody else's reach.
            }
            return;
        }
        let name = unit.name(decl);
        let base = base_name(name);
        if is_pure(unit, decl) || APART.contains(&base) {
            return;
        }
        if READERS.contains(&base) {
            return arguments
                .iter()
                .for_each(|&argument| self.pointer(argument, Touch::Read, effect));
        }
        if let Some(&(_, format)) = PRINTERS.iter().find(|(known, _)| *known == base) {
            return effect.any(self.format(arguments.get(format).copied()));
        }
        if matches!(base, "gettimeofday" | "clock_gettime" | "time") {
            for &argument in arguments {
                self.pointer(argument, Touch::Write, effect);
            }
            return;
        }
        if let ("memset" | "memcpy" | "memmove", &[to, from, _]) = (base, arguments) {
            self.pointer(to, Touch::Write, effect);
            return self.pointer(from, Touch::Read, effect);
        }
        effect.any(Touch::Write);
    }

    /// What a printer does with its arguments.
    fn format(&self, format: Option<ExprId>) -> Touch {
        let Some(format) = format else { return Touch::Write };
        let at = self.unit.without_casts(format);
        let ExprKind::String(literal) = &self.unit.exprs[at].kind else { return Touch::Write };
        let mut text = literal.units.iter().filter_map(|&unit| char::from_u32(unit));
        let mut touch = Touch::None;
        while let Some(c) = text.next() {
            if c != '%' {
                continue;
            }
            let conversion =
                text.find(|c| c.is_ascii_alphabetic() && !"hlLqjzt".contains(*c) || *c == '%');
            touch = touch.max(match conversion {
                Some('s' | 'm') => Touch::Read,
                Some(
                    'd' | 'i' | 'o' | 'u' | 'x' | 'X' | 'e' | 'E' | 'f' | 'F' | 'g' | 'G' | 'a'
                    | 'A' | 'c' | 'p' | '%',
                ) => Touch::None,
                _ => Touch::Write,
            });
        }
        touch
    }

    /// Whether functions that are called in a part of the program touch a variable by its name.
    pub(crate) fn is_touched_by_calls(&mut self, node: Node, decl: DeclId) -> bool {
        let unit = self.unit;
        let mut called = Vec::new();
        let mut visit = |node: Node| {
            if let Some((function, Some(body))) = walk::called(unit, node) {
                called.push((function, body));
            }
            Below::Enter
        };
        match node {
            Node::Expr(expr) => walk::expr(unit, expr, &mut visit),
            Node::Stmt(stmt) => walk::stmt(unit, stmt, &mut visit),
            _ => {}
        }
        let mut of = |(function, body)| self.of_function(function, body);
        called.into_iter().any(|call| of(call).named.contains_key(&decl))
    }

    /// Something is done where a pointer points.
    fn pointer(&mut self, argument: ExprId, touch: Touch, effect: &mut Effect) {
        let unit = self.unit;
        let mut at = argument;
        loop {
            match unit.exprs[at].kind {
                ExprKind::Paren(inner)
                | ExprKind::Cast {
                    kind: CastKind::Pointer | CastKind::Same | CastKind::NullToPointer,
                    operand: inner,
                    ..
                } => at = inner,
                ExprKind::Unary(UnaryOp::AddressOf, operand)
                | ExprKind::Cast { kind: CastKind::ArrayToPointer, operand, .. } => {
                    return self.touch(operand, touch, effect);
                }
                ExprKind::Int(_) => return,
                _ if unit.types.is_pointer(unit.exprs[at].ty) => return effect.any(touch),
                _ => return,
            }
        }
    }

    /// What a function of the unit does.
    fn of_function(&mut self, decl: DeclId, body: StmtId) -> Effect {
        let unknown = Effect { all: Touch::Write, ..Effect::default() };
        let readable = self.unit.function(decl).is_some_and(|f| f.unreadable.is_none());
        if self.aware.contains(&decl) || self.open.contains(&decl) || !readable {
            return unknown;
        }
        if let Some(known) = self.known.get(&decl) {
            return known.clone();
        }
        self.open.push(decl);
        let effect = self.of_stmt(body);
        self.open.pop();
        // Within a circle of calls the outer ones are unknown, and so are the inner ones then.
        self.known.insert(decl, effect.clone());
        effect
    }
}

/// The variables of which some expression of the unit takes the address.
pub fn addressed(unit: &TranslationUnit) -> FxHashSet<DeclId> {
    let taken = unit.exprs.iter().filter_map(|(_, expr)| match expr.kind {
        ExprKind::Unary(UnaryOp::AddressOf, operand) => object(unit, operand),
        _ => None,
    });
    taken.collect()
}

/// The variable that an lvalue is, or is a part of.
fn object(unit: &TranslationUnit, expr: ExprId) -> Option<DeclId> {
    match unit.exprs[expr].kind {
        ExprKind::Name(decl) => Some(decl),
        ExprKind::Paren(e)
        | ExprKind::Index { base: e, .. }
        | ExprKind::Member { base: e, .. }
        | ExprKind::Cast { kind: CastKind::ArrayToPointer, operand: e, .. } => object(unit, e),
        _ => None,
    }
}

pub(super) fn is_automatic(unit: &TranslationUnit, decl: DeclId) -> bool {
    match &unit.decls[decl].kind {
        DeclKind::Variable(variable) => variable.storage == Storage::Automatic,
        DeclKind::Parameter { .. } => true,
        _ => false,
    }
}

fn is_file_scope(unit: &TranslationUnit, decl: DeclId) -> bool {
    matches!(&unit.decls[decl].kind, DeclKind::Variable(variable) if variable.linkage != Linkage::None)
}

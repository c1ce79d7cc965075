//! Which loops may be tried as nests for the device.

use gpuc_diagnostics::Diagnostic;

use rustc_hash::FxHashSet;

use super::effects::{addressed, is_pure};
use crate::directive::action::Action;
use crate::directive::{Directive, Kind};
use crate::lower::walk::{self, Below, Node};
use crate::pragma::Family;
use crate::source::Span;
use crate::tree::{
    CastKind, DeclId, DeclKind, DirectiveId, ExprId, ExprKind, ItemKind, StmtId, StmtKind, Storage,
    TranslationUnit, UnaryOp, ValueCategory,
};
use crate::types::{ArraySize, Qualifiers};

/// Why something is left to the host.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// What is in the way.
    pub span: Span,
    /// In words.
    pub why: String,
}

impl Refusal {
    fn new(span: Span, why: impl Into<String>) -> Refusal {
        Refusal { span, why: why.into() }
    }

    /// The remark on a statement that is left to the host for this reason.
    pub fn remark(&self, unit: &TranslationUnit, stmt: StmtId) -> Diagnostic {
        let text = format!("This nest is left to the host: {}", self.why);
        let (at, there) = (unit.place(unit.stmts[stmt].span), unit.place(self.span));
        let remark = Diagnostic::missed(text);
        match at.line == there.line && at.file == there.file {
            true => remark.at(at),
            false => remark.help(format!("at {there}")).at(at),
        }
    }
}

/// The functions of a unit whose loops may be tried, with their bodies, in order; of the others, why not.
pub fn functions(unit: &TranslationUnit) -> Vec<(DeclId, Result<StmtId, Refusal>)> {
    let mut found = Vec::new();
    let addressed = addressed(unit);
    for item in &unit.items {
        let ItemKind::Function(decl) = item.kind else { continue };
        let Some(function) = unit.function(decl) else { continue };
        let Some(body) = function.body.filter(|_| function.unreadable.is_none()) else { continue };
        found.push((decl, eligible(unit, decl, item.span, body, &addressed).map(|()| body)));
    }
    found
}

/// Words behind `#pragma` that speak to the host compiler about the statement behind them.
const HOST_PRAGMAS: &[&str] = &["GCC", "clang", "STDC", "ivdep", "unroll", "simd", "vector"];

/// Whether statements may be put between those of a function.
fn eligible(
    unit: &TranslationUnit,
    decl: DeclId,
    whole: Span,
    body: StmtId,
    addressed: &FxHashSet<DeclId>,
) -> Result<(), Refusal> {
    for pragma in &unit.pragmas {
        let inside = whole.start <= pragma.line.start && pragma.line.end <= whole.end;
        let line = String::from_utf8_lossy(unit.source.slice(pragma.line)).into_owned();
        let word = line.trim_start_matches('#').trim_start();
        let word = word.strip_prefix("pragma").unwrap_or(word).split_whitespace().next();
        let speaks = match pragma.family {
            _ if pragma.ours => false,
            Family::Pack => false,
            Family::Other => word.is_some_and(|word| HOST_PRAGMAS.contains(&word)),
            _ => true,
        };
        if inside && speaks {
            let why = "its function has pragmas that speak to the host compiler";
            return Err(Refusal::new(pragma.line, why));
        }
    }
    let mut refusal = None;
    let mut refuse = |span: Span, why: &str| {
        refusal.get_or_insert_with(|| Refusal::new(span, why));
    };
    let (mut jumps, mut lives) = (None, None);
    walk::stmt(unit, body, &mut |node| {
        match node {
            Node::Stmt(stmt) => {
                let span = unit.stmts[stmt].span;
                match &unit.stmts[stmt].kind {
                    StmtKind::Asm => refuse(span, "its function has assembler code"),
                    StmtKind::GotoComputed(_) => refuse(span, "its function has computed jumps"),
                    StmtKind::Goto(_) => jumps = Some(span),
                    StmtKind::Switch { body, .. } => {
                        if let StmtKind::Compound(list) = &unit.stmts[*body].kind
                            && list.iter().any(|&inner| {
                                matches!(unit.stmts[inner].kind, StmtKind::Declaration(_))
                            })
                        {
                            refuse(span, "its function has declarations between cases");
                        }
                    }
                    StmtKind::For { init: Some(init), .. } => {
                        if let StmtKind::Declaration(decls) = &unit.stmts[*init].kind
                            && decls
                                .iter()
                                .any(|&decl| has_memory(unit, decl) || addressed.contains(&decl))
                        {
                            refuse(
                                span,
                                "its function declares more than numbers in a loop's head",
                            );
                        }
                    }
                    StmtKind::Directive { directive, .. }
                        if unit.directives[*directive].kind == Kind::Host(Action::Scope) =>
                    {
                        refuse(span, "its function has a `declare` directive");
                    }
                    _ => {}
                }
            }
            Node::Declare(decl) if has_memory(unit, decl) || addressed.contains(&decl) => {
                lives = Some(unit.decls[decl].span)
            }
            Node::Declare(decl) if unit.decls[decl].asm_label.is_some() => {
                refuse(unit.decls[decl].span, "its function has variables in named registers");
            }
            Node::Expr(expr) => {
                let span = unit.exprs[expr].span;
                match &unit.exprs[expr].kind {
                    ExprKind::CompoundLiteral(_) => {
                        refuse(span, "its function has compound literals");
                    }
                    ExprKind::StatementExpr(_) => {
                        refuse(span, "its function has statements within expressions");
                    }
                    ExprKind::LabelAddress(_) => refuse(span, "its function has computed jumps"),
                    ExprKind::Call { callee, .. } => {
                        let name = unit.named(*callee).map_or("", |decl| unit.name(decl));
                        let base = name.trim_start_matches('_').trim_start_matches("builtin_");
                        if ["setjmp", "sigsetjmp", "vfork", "alloca"].contains(&base) {
                            refuse(span, "its function calls what comes back twice, or `alloca`");
                        }
                    }
                    _ => {}
                }
            }
            _ => {}
        }
        Below::Enter
    });
    if let (Some(span), Some(_)) = (jumps, lives) {
        refuse(span, "its function jumps past declarations of arrays");
    }
    if unit.function(decl).is_some_and(|function| function.labels.len() > 64) {
        refuse(whole, "its function has too many labels");
    }
    refusal.map_or(Ok(()), Err)
}

/// Whether a variable of a function is memory that a nest could leave on the device: an array, a structure,
/// or a number whose address may be known.
pub fn has_memory(unit: &TranslationUnit, decl: DeclId) -> bool {
    let DeclKind::Variable(variable) = &unit.decls[decl].kind else { return false };
    let ty = unit.decls[decl].ty;
    variable.storage == Storage::Automatic
        && (unit.types.as_array(ty).is_some() || unit.types.as_record(ty).is_some())
}

/// Whether a statement is a loop that is tried as a whole, before those in it.
pub fn try_first(unit: &TranslationUnit, stmt: StmtId) -> bool {
    match unit.stmts[stmt].kind {
        StmtKind::For { .. } => true,
        StmtKind::While { body, .. } | StmtKind::DoWhile { body, .. } => {
            let mut found = false;
            walk::stmt(unit, body, &mut |node| {
                if let Node::Stmt(inner) = node {
                    found |= matches!(unit.stmts[inner].kind, StmtKind::For { .. });
                }
                Below::Enter
            });
            found
        }
        _ => false,
    }
}

/// Whether a loop may be tried: the rest is for the compiler to find out.
///
/// # Errors
/// What it has that only the host can do.
pub fn check(unit: &TranslationUnit, stmt: StmtId) -> Result<(), Refusal> {
    let mut functions = Vec::new();
    match unit.stmts[stmt].kind {
        // One that the program asks for has its directive already, and loops in it may have theirs.
        StmtKind::Directive { directive, body: Some(body) } if unit.directives[directive].asked => {
            check_in(unit, body, true, true, &mut functions)
        }
        _ => check_in(unit, stmt, true, false, &mut functions),
    }
}

fn check_in(
    unit: &TranslationUnit,
    stmt: StmtId,
    outermost: bool,
    asked: bool,
    functions: &mut Vec<DeclId>,
) -> Result<(), Refusal> {
    let mut refusal: Option<Refusal> = None;
    let mut called = Vec::new();
    let mut switches: Vec<StmtId> = Vec::new();
    walk::stmt(unit, stmt, &mut |node| {
        let mut refuse = |span: Span, why: String| {
            refusal.get_or_insert_with(|| Refusal::new(span, why));
        };
        match node {
            Node::Stmt(inner) => {
                let span = unit.stmts[inner].span;
                match &unit.stmts[inner].kind {
                    StmtKind::Return(_) if outermost => {
                        refuse(span, "it returns from within".to_owned());
                    }
                    StmtKind::Goto(_) | StmtKind::Label { .. } | StmtKind::GotoComputed(_) => {
                        refuse(span, "it has jumps or labels".to_owned());
                    }
                    StmtKind::Asm => refuse(span, "it has assembler code".to_owned()),
                    StmtKind::Directive { directive, .. }
                        if !unit.directives[*directive].found
                            && (!asked || unit.directives[*directive].kind != Kind::Loop) =>
                    {
                        refuse(span, "it has directives of its own".to_owned());
                    }
                    StmtKind::Switch { .. } => switches.push(inner),
                    StmtKind::Case { .. } | StmtKind::Default(_) if switches.is_empty() => {
                        refuse(span, "a `switch` round it jumps into it".to_owned());
                    }
                    _ => {}
                }
            }
            Node::Leave(inner) => switches.retain(|&at| at != inner),
            Node::Declare(decl) => {
                if let DeclKind::Variable(variable) = &unit.decls[decl].kind
                    && variable.storage != Storage::Automatic
                {
                    let name = unit.name(decl);
                    refuse(unit.decls[decl].span, format!("`{name}` in it keeps its value"));
                }
            }
            Node::Expr(expr) => {
                let node = &unit.exprs[expr];
                let qualifiers = node.ty.qualifiers();
                if node.category != ValueCategory::Value
                    && (qualifiers.contains(Qualifiers::VOLATILE)
                        || qualifiers.contains(Qualifiers::ATOMIC))
                {
                    refuse(node.span, "it uses what is volatile or atomic".to_owned());
                }
                match &node.kind {
                    ExprKind::Name(decl) => {
                        if let DeclKind::Variable(variable) = &unit.decls[*decl].kind {
                            let name = unit.name(*decl);
                            let array = unit.types.as_array(unit.decls[*decl].ty);
                            if variable.storage == Storage::Thread {
                                refuse(node.span, format!("`{name}` is one of each thread"));
                            } else if matches!(
                                array,
                                Some((_, ArraySize::Unknown | ArraySize::Star))
                            ) {
                                refuse(node.span, format!("the size of `{name}` is not known"));
                            }
                        }
                    }
                    ExprKind::Cast { kind: CastKind::Load, operand, .. }
                        if !asked
                            && unit.types.is_pointer(node.ty)
                            && is_in_memory(unit, *operand) =>
                    {
                        let why = "it follows a pointer that stands in memory, to what is not known before it starts";
                        refuse(node.span, why.to_owned());
                    }
                    ExprKind::VaArg(_) => refuse(node.span, "it reads open arguments".to_owned()),
                    ExprKind::Call { callee, .. } => match walk::callee(unit, *callee) {
                        Some((decl, Some(body))) => called.push((decl, body)),
                        Some((decl, None)) if is_pure(unit, decl) => {}
                        Some((decl, None)) => {
                            let name = unit.name(decl);
                            refuse(
                                node.span,
                                format!("it calls `{name}`, of which nothing is known"),
                            );
                        }
                        None => refuse(node.span, "it calls through a pointer".to_owned()),
                    },
                    _ => {}
                }
            }
        }
        if refusal.is_some() { Below::Skip } else { Below::Enter }
    });
    if let Some(refusal) = refusal {
        return Err(refusal);
    }
    for (decl, body) in called {
        if !functions.contains(&decl) {
            functions.push(decl);
            check_in(unit, body, false, asked, functions)?;
        }
    }
    Ok(())
}

/// Whether an object is an element of an array or what a pointer points to, or a part of such; and no variable, nor a member
/// of one.
fn is_in_memory(unit: &TranslationUnit, object: ExprId) -> bool {
    match unit.exprs[object].kind {
        ExprKind::Paren(inner) => is_in_memory(unit, inner),
        ExprKind::Member { base, .. } => is_in_memory(unit, base),
        ExprKind::Index { .. } | ExprKind::Unary(UnaryOp::Deref, _) => true,
        _ => false,
    }
}

/// The statements in a statement, for where it is not tried as a whole or cannot be offloaded so. Nothing in
/// directives of the program is tried.
pub fn statements_inside(unit: &TranslationUnit, stmt: StmtId) -> Vec<StmtId> {
    match &unit.stmts[stmt].kind {
        StmtKind::Compound(list) => list.clone(),
        StmtKind::If { then, otherwise, .. } => std::iter::once(*then).chain(*otherwise).collect(),
        StmtKind::While { body, .. }
        | StmtKind::DoWhile { body, .. }
        | StmtKind::For { body, .. }
        | StmtKind::Switch { body, .. }
        | StmtKind::Case { body, .. }
        | StmtKind::Default(body)
        | StmtKind::Label { body, .. } => vec![*body],
        _ => Vec::new(),
    }
}

/// Puts a directive of ours at a statement, as if the program had `kernels` there.
pub fn insert(unit: &mut TranslationUnit, stmt: StmtId) -> DirectiveId {
    let original = unit.stmts[stmt].clone();
    let start = original.span.start;
    let span = Span::new(start, start);
    let directive = unit.directives.alloc(Directive::at_nest(span));
    let body = unit.stmts.alloc(original);
    unit.stmts[stmt].kind = StmtKind::Directive { directive, body: Some(body) };
    directive
}

/// Takes it away again.
pub fn remove(unit: &mut TranslationUnit, stmt: StmtId) {
    if let StmtKind::Directive { body: Some(body), .. } = unit.stmts[stmt].kind {
        unit.stmts[stmt].kind = unit.stmts[body].kind.clone();
    }
}

//! What directives say of functions that device code calls.

use rustc_hash::FxHashMap;

use super::walk::{self, Below, Node};
use crate::directive::{Kind, Number};
use crate::symbol::Symbol;
use crate::tree::{DeclId, DeclKind, ExprKind, ItemKind, StmtId, StmtKind, TranslationUnit};

/// What is said of one function.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Routine {
    /// The name that device code calls in its place.
    pub bind: Option<Symbol>,
    /// Whether its loops are to be divided among processors of its caller.
    pub divides: bool,
}

/// What is said of the functions of a unit.
#[derive(Clone, Debug, Default)]
pub(super) struct Routines {
    by_function: FxHashMap<DeclId, Routine>,
}

impl Routines {
    /// Those of a unit: directives that name their function, and those in front of one.
    pub(super) fn of(unit: &TranslationUnit) -> Routines {
        let mut routines = Routines::default();
        let mut pending: Vec<(Option<Symbol>, bool)> = Vec::new();
        for item in &unit.items {
            let declared = match &item.kind {
                ItemKind::Directive(id) => {
                    if let Kind::Routine { function, bind, divides } = unit.directives[*id].kind {
                        match function {
                            Some(decl) => routines.add(decl, bind, divides),
                            None => pending.push((bind, divides)),
                        }
                    }
                    continue;
                }
                ItemKind::Function(decl) => Some(*decl),
                ItemKind::Declaration(decls) => decls.first().copied(),
                ItemKind::Other => None,
            };
            for (bind, divides) in pending.drain(..) {
                if let Some(decl) = declared
                    && matches!(unit.decls[decl].kind, DeclKind::Function(_))
                {
                    routines.add(decl, bind, divides);
                }
            }
        }
        routines
    }

    fn add(&mut self, decl: DeclId, bind: Option<Symbol>, divides: bool) {
        let routine = self.by_function.entry(decl).or_default();
        routine.divides |= divides;
        routine.bind = bind.or(routine.bind);
    }

    /// What is said of a function.
    pub(super) fn get(&self, decl: DeclId) -> Option<Routine> {
        self.by_function.get(&decl).copied()
    }
}

/// The function of the unit that a name, or a string with one, means.
pub(super) fn function_named(unit: &TranslationUnit, name: Symbol) -> Option<DeclId> {
    let name = unit.text(name).trim_matches('"');
    unit.decls.iter().find_map(|(id, decl)| {
        (matches!(decl.kind, DeclKind::Function(_)) && unit.name(id) == name).then_some(id)
    })
}

/// Whether a function's body has loops that are divided among processors of its caller's, or asks for their numbers.
pub(super) fn shares_loops(unit: &TranslationUnit, body: StmtId) -> bool {
    let (loops, numbers) = shares(unit, body);
    loops || numbers
}

/// Whether a function's body asks for the numbers of processors.
pub(super) fn asks_numbers(unit: &TranslationUnit, body: StmtId) -> bool {
    shares(unit, body).1
}

/// Whether it has such loops, and whether it asks for numbers.
fn shares(unit: &TranslationUnit, body: StmtId) -> (bool, bool) {
    let (mut loops, mut numbers) = (false, false);
    walk::through_calls(unit, [body], &mut |node| {
        if let Node::Stmt(stmt) = node
            && let StmtKind::Directive { directive, .. } = unit.stmts[stmt].kind
        {
            loops |= unit.directives[directive].kind == Kind::Loop;
        }
        if let Node::Expr(expr) = node
            && let ExprKind::Call { callee, .. } = unit.exprs[expr].kind
            && let Some(decl) = unit.named(callee)
        {
            // The caller has the numbers of processors.
            let asked = Number::asked_by(unit.name(decl));
            numbers |= !matches!(asked, None | Some(Number::Constant(_)));
        }
        Below::Enter
    });
    (loops, numbers)
}

//! Variables of which every access goes by their name.

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::effects::{addressed, is_automatic, is_harmless};
use crate::lower::walk::{self, Below, Node};
use crate::tree::{
    BinaryOp, CastKind, DeclId, DeclKind, ExprId, ExprKind, Initializer, ItemKind, Linkage,
    StmtKind, Storage, TranslationUnit, UnaryOp, Variable,
};
use crate::types::Qualifiers;

/// Who has a variable's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// The function, and those that it calls with it.
    Own,
    /// Callers or other functions, too.
    Others,
}

/// What a part of a program does apart from accesses by name.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// The variables that it names.
    pub named: FxHashSet<DeclId>,
    /// Those that begin there, or get other memory.
    pub begun: FxHashSet<DeclId>,
    /// It calls functions of other files that may do anything.
    pub unknown_calls: bool,
    /// Functions that it calls have directives.
    pub directives: bool,
}

/// What the whole unit does with names.
pub struct Names {
    /// Variables whose address some other name may have.
    shared: FxHashSet<DeclId>,
    /// How often variables are given a value, their initial one included.
    assigned: FxHashMap<DeclId, usize>,
    /// Pointers that get memory of their own.
    allocated: FxHashSet<DeclId>,
    /// Variables that begin anew in each round of a loop.
    in_loops: FxHashSet<DeclId>,
    reach: FxHashMap<DeclId, Reach>,
}

impl Names {
    /// Looks at a whole unit.
    pub fn of(unit: &TranslationUnit) -> Names {
        let mut names = Names {
            shared: addressed(unit),
            assigned: FxHashMap::default(),
            allocated: FxHashSet::default(),
            in_loops: in_loops(unit),
            reach: FxHashMap::default(),
        };
        // Where a pointer's value is only used to reach memory.
        let mut plain: FxHashSet<ExprId> = FxHashSet::default();
        let mut given: Vec<(DeclId, DeclId)> = Vec::new();
        let exprs = in_functions(unit);
        for &expr in &exprs {
            match &unit.exprs[expr].kind {
                ExprKind::Index { base, .. } => plain.extend(value_of(unit, *base)),
                ExprKind::Unary(UnaryOp::Deref | UnaryOp::Not, operand) => {
                    plain.extend(value_of(unit, *operand));
                }
                ExprKind::Binary(BinaryOp::Equal | BinaryOp::NotEqual, left, right) => {
                    plain.extend(value_of(unit, *left).into_iter().chain(value_of(unit, *right)));
                }
                ExprKind::Call { callee, arguments } => {
                    let Some((function, body)) = walk::callee(unit, *callee) else { continue };
                    let parameters = unit.function(function).map(|function| &function.parameters);
                    for (number, &argument) in arguments.iter().enumerate() {
                        let Some(value) = value_of(unit, argument) else { continue };
                        let parameter = parameters.and_then(|list| list.get(number));
                        if body.is_none() && is_harmless(unit, function) {
                            plain.insert(value);
                        } else if let (Some(_), Some(&parameter)) = (body, parameter)
                            && let Some(decl) = loaded(unit, value)
                        {
                            plain.insert(value);
                            given.push((decl, parameter));
                        }
                    }
                }
                ExprKind::Assign { target, value, .. } => names.assign(unit, *target, Some(*value)),
                ExprKind::CompoundAssign { target, .. } | ExprKind::IncDec(_, target) => {
                    names.assign(unit, *target, None);
                }
                _ => {}
            }
        }
        for id in exprs {
            if let Some(decl) = loaded(unit, id)
                && !plain.contains(&id)
            {
                names.shared.insert(decl);
            }
        }
        for (decl, entity) in unit.decls.iter() {
            if let DeclKind::Variable(variable) = &entity.kind
                && let Some(Initializer::Value(value)) = variable.init
            {
                *names.assigned.entry(decl).or_default() += 1;
                if allocates(unit, value) {
                    names.allocated.insert(decl);
                }
            }
        }
        let mut changed = true;
        while changed {
            changed = false;
            for &(argument, parameter) in &given {
                let moves = names.assigned.contains_key(&parameter);
                if (moves || names.shared.contains(&parameter)) && names.shared.insert(argument) {
                    changed = true;
                }
            }
        }
        for (decl, _) in unit.decls.iter() {
            if let Some(reach) = names.find_reach(unit, decl) {
                names.reach.insert(decl, reach);
            }
        }
        names
    }

    fn assign(&mut self, unit: &TranslationUnit, target: ExprId, value: Option<ExprId>) {
        if let Some(decl) = unit.named(target) {
            *self.assigned.entry(decl).or_default() += 1;
            if value.is_some_and(|value| allocates(unit, value)) {
                self.allocated.insert(decl);
            }
        }
    }

    fn find_reach(&self, unit: &TranslationUnit, decl: DeclId) -> Option<Reach> {
        let ty = unit.decls[decl].ty;
        if self.shared.contains(&decl) || ty.qualifiers().contains(Qualifiers::VOLATILE) {
            return None;
        }
        let assigned = self.assigned.get(&decl).copied().unwrap_or_default();
        match &unit.decls[decl].kind {
            DeclKind::Parameter { .. } => {
                let alone = ty.qualifiers().contains(Qualifiers::RESTRICT) && assigned == 0;
                alone.then_some(Reach::Others)
            }
            DeclKind::Variable(variable) if unit.types.as_array(ty).is_some() => {
                Some(match variable.storage {
                    Storage::Automatic => Reach::Own,
                    _ => Reach::Others,
                })
            }
            DeclKind::Variable(variable) => {
                let local = variable.storage == Storage::Automatic;
                let alone = local && assigned == 1 && self.allocated.contains(&decl);
                alone.then_some(Reach::Own)
            }
            _ => None,
        }
    }

    /// Who has a variable's memory; `None` where other names may reach it.
    pub fn reach(&self, decl: DeclId) -> Option<Reach> {
        self.reach.get(&decl).copied()
    }

    /// Whether an expression has the same value in the whole function.
    pub fn is_constant(&self, unit: &TranslationUnit, expr: ExprId) -> bool {
        let mut constant = true;
        walk::expr(unit, expr, &mut |node| {
            if let Node::Expr(expr) = node {
                constant &= match unit.exprs[expr].kind {
                    ExprKind::Int(_) | ExprKind::Paren(_) => true,
                    ExprKind::Cast { kind, .. } => {
                        matches!(kind, CastKind::Load | CastKind::Integer | CastKind::Same)
                    }
                    ExprKind::Binary(op, ..) => {
                        matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div)
                    }
                    ExprKind::Name(decl) => {
                        let changes = self.assigned.get(&decl).copied().unwrap_or_default();
                        let begins = matches!(&unit.decls[decl].kind,
                            DeclKind::Variable(variable) if variable.init.is_some());
                        unit.types.as_int(unit.decls[decl].ty).is_some()
                            && is_automatic(unit, decl)
                            && !self.shared.contains(&decl)
                            && !self.in_loops.contains(&decl)
                            && changes == usize::from(begins)
                    }
                    _ => false,
                };
            }
            Below::Enter
        });
        constant
    }

    /// What parts of a program do apart from accesses by name.
    pub fn look(&self, unit: &TranslationUnit, parts: &[Node]) -> Seen {
        let mut seen = Seen::default();
        let mut bodies = Vec::new();
        let mut visit = |node: Node| {
            match node {
                Node::Declare(declared) => {
                    seen.begun.insert(declared);
                }
                Node::Expr(expr) => match &unit.exprs[expr].kind {
                    ExprKind::Name(name) => {
                        seen.named.insert(*name);
                    }
                    ExprKind::Assign { target, .. } => seen.begun.extend(unit.named(*target)),
                    ExprKind::Call { callee, .. } => match walk::callee(unit, *callee) {
                        Some((_, Some(body))) => bodies.push(body),
                        Some((function, None)) => {
                            seen.unknown_calls |= !is_harmless(unit, function);
                        }
                        None => seen.unknown_calls = true,
                    },
                    _ => {}
                },
                _ => {}
            }
            Below::Enter
        };
        for &part in parts {
            match part {
                Node::Expr(expr) => walk::expr(unit, expr, &mut visit),
                Node::Stmt(stmt) => walk::stmt(unit, stmt, &mut visit),
                _ => {}
            }
        }
        walk::through_calls(unit, bodies, &mut |node| {
            match node {
                Node::Stmt(stmt) => {
                    seen.directives |= matches!(unit.stmts[stmt].kind, StmtKind::Directive { .. });
                }
                Node::Expr(expr) => {
                    if let ExprKind::Call { callee, .. } = unit.exprs[expr].kind {
                        seen.unknown_calls |= match walk::callee(unit, callee) {
                            Some((_, Some(_))) => false,
                            Some((function, None)) => !is_harmless(unit, function),
                            None => true,
                        };
                    }
                }
                _ => {}
            }
            Below::Enter
        });
        seen
    }
}

/// The variables that are declared in loops.
fn in_loops(unit: &TranslationUnit) -> FxHashSet<DeclId> {
    let mut found = FxHashSet::default();
    for (_, stmt) in unit.stmts.iter() {
        if let StmtKind::For { body, .. }
        | StmtKind::While { body, .. }
        | StmtKind::DoWhile { body, .. } = stmt.kind
        {
            walk::stmt(unit, body, &mut |node| {
                if let Node::Declare(decl) = node {
                    found.insert(decl);
                }
                Below::Enter
            });
        }
    }
    found
}

/// All that is evaluated in functions; what clauses say of data names it without being evaluated.
fn in_functions(unit: &TranslationUnit) -> Vec<ExprId> {
    let mut found = Vec::new();
    let mut visit = |node: Node| {
        if let Node::Expr(expr) = node {
            found.push(expr);
        }
        Below::Enter
    };
    for item in &unit.items {
        if let ItemKind::Function(decl) = item.kind
            && let Some(body) = unit.function(decl).and_then(|function| function.body)
        {
            walk::stmt(unit, body, &mut visit);
        }
    }
    // Initial values at file scope are addresses, if anything.
    for (_, entity) in unit.decls.iter() {
        if let DeclKind::Variable(Variable { init: Some(init), linkage, .. }) = &entity.kind
            && *linkage != Linkage::None
        {
            match init {
                Initializer::Value(value) => walk::expr(unit, *value, &mut visit),
                Initializer::List(elements) => {
                    elements.iter().for_each(|element| walk::expr(unit, element.value, &mut visit))
                }
            }
        }
    }
    found
}

/// The variable whose value, or whose first element's address, or that of one of its rows, an expression is.
fn loaded(unit: &TranslationUnit, expr: ExprId) -> Option<DeclId> {
    let decl = match unit.exprs[expr].kind {
        ExprKind::Cast { kind: CastKind::Load, operand, .. } => unit.named(operand)?,
        ExprKind::Cast { kind: CastKind::ArrayToPointer, operand, .. } => root(unit, operand)?,
        _ => return None,
    };
    let ty = unit.decls[decl].ty;
    (unit.types.is_pointer(ty) || unit.types.as_array(ty).is_some()).then_some(decl)
}

/// The variable through which an object is reached.
fn root(unit: &TranslationUnit, mut expr: ExprId) -> Option<DeclId> {
    loop {
        expr = match unit.exprs[expr].kind {
            ExprKind::Name(decl) => return Some(decl),
            ExprKind::Paren(inner)
            | ExprKind::Cast { operand: inner, .. }
            | ExprKind::Index { base: inner, .. }
            | ExprKind::Member { base: inner, .. }
            | ExprKind::Unary(UnaryOp::Deref, inner) => inner,
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, left, right) => {
                match unit.types.is_pointer(unit.exprs[left].ty) {
                    true => left,
                    false => right,
                }
            }
            _ => return None,
        };
    }
}

/// Where an address is some variable's with numbers added: the value of that variable.
fn value_of(unit: &TranslationUnit, mut expr: ExprId) -> Option<ExprId> {
    loop {
        if loaded(unit, expr).is_some() {
            return Some(expr);
        }
        expr = match unit.exprs[expr].kind {
            ExprKind::Paren(inner)
            | ExprKind::Cast { kind: CastKind::Pointer | CastKind::Same, operand: inner, .. } => {
                inner
            }
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, left, right) => {
                match unit.types.is_pointer(unit.exprs[left].ty) {
                    true => left,
                    false => right,
                }
            }
            _ => return None,
        };
    }
}

/// Whether an expression is memory that nobody else has.
fn allocates(unit: &TranslationUnit, mut expr: ExprId) -> bool {
    loop {
        expr = match &unit.exprs[expr].kind {
            ExprKind::Paren(inner) | ExprKind::Cast { operand: inner, .. } => *inner,
            ExprKind::Call { callee, .. } => {
                let Some(decl) = unit.named(*callee) else { return false };
                let name = unit.name(decl);
                let name = name.strip_prefix("__builtin_").unwrap_or(name);
                return matches!(name, "malloc" | "calloc" | "aligned_alloc");
            }
            _ => return false,
        };
    }
}

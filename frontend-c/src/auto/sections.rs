//! Which parts of a variable a statement of the host looks at and changes, so that the rest of it stays where it is.
//!
//! A part is as many elements as follow one another in memory: those of one subscript that is a number or a variable that the
//! statement leaves alone, or of a loop over numbers. What is written for sure, all of it, and not read before, need not come
//! from the device. Where an access has another form the whole variable counts.

use rustc_hash::FxHashSet;

use super::effects::is_automatic;
use crate::lower::counted;
use crate::lower::walk::{self, Below, Node};
use crate::tree::{
    BinaryOp, CastKind, DeclId, DeclKind, ExprId, ExprKind, Initializer, StmtId, StmtKind,
    TranslationUnit, UnaryOp,
};
use crate::types::ArraySize;

/// What is done with a part; the numbers are the runtime's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PartTouch {
    /// It is read.
    Reads = 0,
    /// Some of it may be written, or read.
    Writes = 1,
    /// All of it is written.
    Overwrites = 2,
}

/// A part of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The address of its first byte, as C.
    pub first: String,
    /// How many bytes it has, as C.
    pub bytes: String,
    /// What is done with it.
    pub touch: PartTouch,
}

/// More parts of one variable are not told apart.
const MOST_PARTS: usize = 8;

/// The parts of a variable that a statement or an expression touches by its name, in the order in which they are to be asked for;
/// `None` where something else than parts is touched. `addressed` are variables that pointers may reach.
pub(crate) fn parts(
    unit: &TranslationUnit,
    addressed: &FxHashSet<DeclId>,
    node: Node,
    decl: DeclId,
) -> Option<Vec<Part>> {
    let mut look = Look {
        unit,
        addressed,
        decl,
        changed: FxHashSet::default(),
        loops: Vec::new(),
        certain: true,
        named: 0,
        found: Some(Vec::new()),
    };
    let mut all_named = 0;
    let mut jumps = false;
    visit(unit, node, &mut |inner| {
        match inner {
            Node::Declare(declared) => {
                look.changed.insert(declared);
            }
            Node::Stmt(stmt) => {
                let is_node = matches!(node, Node::Stmt(outer) if outer == stmt);
                jumps |= match unit.stmts[stmt].kind {
                    StmtKind::Return(_) => !is_node,
                    StmtKind::Break
                    | StmtKind::Continue
                    | StmtKind::Goto(_)
                    | StmtKind::Label { .. }
                    | StmtKind::Case { .. }
                    | StmtKind::Default(_) => true,
                    _ => false,
                };
            }
            Node::Expr(expr) => match unit.exprs[expr].kind {
                ExprKind::Name(name) => all_named += usize::from(name == decl),
                ExprKind::Assign { target, .. }
                | ExprKind::CompoundAssign { target, .. }
                | ExprKind::IncDec(_, target) => {
                    if let Some(name) = unit.named(target) {
                        look.changed.insert(name);
                    }
                }
                _ => {}
            },
            Node::Leave(_) => {}
        }
        Below::Enter
    });
    look.certain = !jumps;
    match node {
        Node::Stmt(stmt) => look.stmt(stmt),
        Node::Expr(expr) => look.full(expr),
        _ => return None,
    }
    let mut found = look.found.filter(|_| look.named == all_named)?;
    found.sort_by_key(|part| part.touch);
    found.dedup();
    (found.len() <= MOST_PARTS).then_some(found)
}

fn visit(unit: &TranslationUnit, node: Node, visit: &mut dyn FnMut(Node) -> Below) {
    match node {
        Node::Stmt(stmt) => walk::stmt(unit, stmt, visit),
        Node::Expr(expr) => walk::expr(unit, expr, visit),
        _ => {}
    }
}

/// A loop over numbers that is carried out to its end.
#[derive(Clone, Copy, Debug)]
struct Counted {
    variable: DeclId,
    lower: i128,
    /// One past the last one.
    upper: i128,
}

struct Look<'a> {
    unit: &'a TranslationUnit,
    addressed: &'a FxHashSet<DeclId>,
    decl: DeclId,
    /// What gets another value on the way, or is declared there.
    changed: FxHashSet<DeclId>,
    loops: Vec<Counted>,
    /// Whether what stands here is carried out for sure.
    certain: bool,
    /// How often the variable's name has been understood.
    named: usize,
    found: Option<Vec<Part>>,
}

impl Look<'_> {
    fn stmt(&mut self, stmt: StmtId) {
        let unit = self.unit;
        match &unit.stmts[stmt].kind {
            StmtKind::Expr(expr) | StmtKind::Return(Some(expr)) => self.full(*expr),
            StmtKind::Compound(list) => list.iter().for_each(|&inner| self.stmt(inner)),
            StmtKind::Declaration(decls) => {
                for &decl in decls {
                    if let DeclKind::Variable(variable) = &unit.decls[decl].kind
                        && let Some(Initializer::Value(value)) = variable.init
                    {
                        self.full(value);
                    }
                }
            }
            StmtKind::If { condition, then, otherwise } => {
                self.full(*condition);
                self.loosely(|look| {
                    look.stmt(*then);
                    otherwise.iter().for_each(|&inner| look.stmt(inner));
                });
            }
            StmtKind::For { body, condition, step, init } => match self.counted(stmt) {
                Some(counted) => {
                    self.loops.push(counted);
                    self.stmt(*body);
                    self.loops.pop();
                }
                None => self.loosely(|look| {
                    init.iter().for_each(|&init| look.stmt(init));
                    condition.iter().chain(step).for_each(|&expr| look.full(expr));
                    look.stmt(*body);
                }),
            },
            StmtKind::While { condition, body } | StmtKind::DoWhile { body, condition } => {
                self.loosely(|look| {
                    look.full(*condition);
                    look.stmt(*body);
                });
            }
            // Names in anything else are not understood.
            _ => {}
        }
    }

    fn loosely(&mut self, action: impl FnOnce(&mut Self)) {
        let certain = std::mem::replace(&mut self.certain, false);
        action(self);
        self.certain = certain;
    }

    /// What a loop counts over, if that is numbers that subscripts may be, and nothing else changes its variable.
    fn counted(&self, stmt: StmtId) -> Option<Counted> {
        let (variable, numbers) = counted::numbers(self.unit, stmt)?;
        let fits = !numbers.is_empty() && numbers.start >= 0 && numbers.end <= i128::from(i32::MAX);
        let own = is_automatic(self.unit, variable) && !self.addressed.contains(&variable);
        (fits && own).then_some(Counted { variable, lower: numbers.start, upper: numbers.end })
    }

    /// A whole expression.
    fn full(&mut self, expr: ExprId) {
        let unit = self.unit;
        let mut conditional = false;
        walk::expr(unit, expr, &mut |node| {
            conditional |= match node {
                Node::Expr(inner) => matches!(
                    unit.exprs[inner].kind,
                    ExprKind::Conditional { .. }
                        | ExprKind::StatementExpr(_)
                        | ExprKind::Binary(BinaryOp::LogicalAnd | BinaryOp::LogicalOr, ..)
                ),
                _ => false,
            };
            Below::Enter
        });
        let certain = self.certain && !conditional;
        let top = unit.peel(expr);
        let mut accesses: Vec<(ExprId, PartTouch)> = Vec::new();
        let mut fills = Vec::new();
        walk::expr(unit, expr, &mut |node| {
            let Node::Expr(inner) = node else { return Below::Enter };
            let written = |must: bool| if must { PartTouch::Overwrites } else { PartTouch::Writes };
            match &unit.exprs[inner].kind {
                ExprKind::Cast { kind: CastKind::Load, operand, .. } => {
                    accesses.push((*operand, PartTouch::Reads));
                }
                ExprKind::Assign { target, .. } => {
                    accesses.push((*target, written(inner == top && certain)));
                }
                ExprKind::CompoundAssign { target, .. } | ExprKind::IncDec(_, target) => {
                    accesses.push((*target, PartTouch::Writes));
                }
                ExprKind::Call { callee, arguments } if inner == top => {
                    fills.extend(self.filled(*callee, arguments, certain));
                }
                _ => {}
            }
            Below::Enter
        });
        for (lvalue, touch) in accesses {
            self.access(lvalue, touch, certain);
        }
        for touch in fills {
            self.named += 1;
            let name = unit.name(self.decl).to_owned();
            self.add(format!("&({name})"), format!("sizeof({name})"), touch);
        }
    }

    /// What a call that moves or sets memory does with the variable, for each argument that is it.
    fn filled(&self, callee: ExprId, arguments: &[ExprId], certain: bool) -> Vec<PartTouch> {
        let unit = self.unit;
        let Some((decl, None)) = walk::callee(unit, callee) else { return Vec::new() };
        let called = unit.name(decl);
        let called = called.strip_prefix("__builtin_").unwrap_or(called);
        let &[to, from, bytes] = arguments else { return Vec::new() };
        let is_it = |argument: ExprId| {
            let mut at = argument;
            loop {
                match unit.exprs[at].kind {
                    ExprKind::Paren(inner)
                    | ExprKind::Cast {
                        kind: CastKind::Pointer | CastKind::Same,
                        operand: inner,
                        ..
                    } => {
                        at = inner;
                    }
                    ExprKind::Cast { kind: CastKind::ArrayToPointer, operand, .. }
                    | ExprKind::Unary(UnaryOp::AddressOf, operand) => {
                        return unit.named(operand) == Some(self.decl);
                    }
                    _ => return false,
                }
            }
        };
        let size = unit.types.size_of(unit.decls[self.decl].ty).map(i128::from);
        let whole = certain && size.is_some() && unit.constant_int(bytes) == size;
        let mut found = Vec::new();
        let moves = matches!(called, "memcpy" | "memmove");
        if moves && is_it(from) {
            found.push(PartTouch::Reads);
        }
        if (moves || called == "memset") && is_it(to) {
            found.push(if whole { PartTouch::Overwrites } else { PartTouch::Writes });
        }
        found
    }

    fn add(&mut self, first: String, bytes: String, touch: PartTouch) {
        if let Some(found) = &mut self.found {
            found.push(Part { first, bytes, touch });
        }
    }

    /// An access to an object.
    fn access(&mut self, lvalue: ExprId, touch: PartTouch, certain: bool) {
        let unit = self.unit;
        let mut subscripts = Vec::new();
        let (mut at, mut exact) = (lvalue, true);
        loop {
            at = match unit.exprs[at].kind {
                ExprKind::Paren(inner) => inner,
                // Of a member as of what it is a part of.
                ExprKind::Member { base: inner, .. }
                | ExprKind::Unary(UnaryOp::Real | UnaryOp::Imag, inner) => {
                    exact = false;
                    subscripts.clear();
                    inner
                }
                ExprKind::Index { base, index } => {
                    let mut pointer = base;
                    while let ExprKind::Paren(inner) = unit.exprs[pointer].kind {
                        pointer = inner;
                    }
                    match unit.exprs[pointer].kind {
                        ExprKind::Cast { kind: CastKind::ArrayToPointer, operand, .. } => {
                            subscripts.push(index);
                            operand
                        }
                        _ => return,
                    }
                }
                ExprKind::Name(name) if name == self.decl => break,
                _ => return,
            };
        }
        self.named += 1;
        subscripts.reverse();
        let loosely = touch.min(PartTouch::Writes);
        let mut prefix = unit.name(self.decl).to_owned();
        let mut ty = unit.decls[self.decl].ty;
        for (number, &subscript) in subscripts.iter().enumerate() {
            let Some((element, ArraySize::Constant(extent))) = unit.types.as_array(ty) else {
                self.found = None;
                return;
            };
            let extent = i128::from(extent);
            let text = match unit.constant_int(subscript) {
                Some(value) if (0..extent).contains(&value) => Some(value.to_string()),
                None if certain => self.stable(subscript),
                _ => None,
            };
            if let Some(text) = text {
                prefix += &format!("[{text}]");
                ty = element;
                continue;
            }
            let Some((variable, lower, upper)) =
                self.range(subscript).filter(|&(_, lower, upper)| lower >= 0 && upper <= extent)
            else {
                return self.add(format!("&({prefix})"), format!("sizeof({prefix})"), loosely);
            };
            let all = self.are_whole(element, &subscripts[number + 1..], variable);
            let touch = if exact && certain && all { touch } else { loosely };
            let (first, count) = (format!("&({prefix}[{lower}])"), upper - lower);
            return self.add(first, format!("{count}ul * sizeof({prefix}[0])"), touch);
        }
        let touch = if exact && certain { touch } else { loosely };
        self.add(format!("&({prefix})"), format!("sizeof({prefix})"), touch);
    }

    /// Whether subscripts run through all elements, each by a loop of its own.
    fn are_whole(&self, mut ty: crate::types::Type, subscripts: &[ExprId], outer: DeclId) -> bool {
        let mut seen = vec![outer];
        for &subscript in subscripts {
            let Some((element, ArraySize::Constant(extent))) = self.unit.types.as_array(ty) else {
                return false;
            };
            match self.range(subscript) {
                Some((variable, 0, upper))
                    if upper == i128::from(extent) && !seen.contains(&variable) =>
                {
                    seen.push(variable);
                }
                _ => return false,
            }
            ty = element;
        }
        true
    }

    /// A subscript that is the variable of a loop round it, with a number added: from where to before where.
    fn range(&self, subscript: ExprId) -> Option<(DeclId, i128, i128)> {
        let unit = self.unit;
        let mut at = subscript;
        loop {
            match unit.exprs[at].kind {
                ExprKind::Paren(inner)
                | ExprKind::Cast {
                    kind: CastKind::Load | CastKind::Integer | CastKind::Same,
                    operand: inner,
                    implicit: true,
                } => at = inner,
                ExprKind::Name(decl) => {
                    let of = self.loops.iter().find(|counted| counted.variable == decl)?;
                    return Some((decl, of.lower, of.upper));
                }
                ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), left, right) => {
                    let (sum, number) = match (unit.constant_int(left), unit.constant_int(right)) {
                        (None, Some(number)) if op == BinaryOp::Add => (left, number),
                        (None, Some(number)) => (left, -number),
                        (Some(number), None) if op == BinaryOp::Add => (right, number),
                        _ => return None,
                    };
                    let (decl, lower, upper) = self.range(sum)?;
                    return Some((decl, lower + number, upper + number));
                }
                _ => return None,
            }
        }
    }

    /// The text of a subscript that has the same value in front of the statement as in it, and does nothing else.
    fn stable(&self, subscript: ExprId) -> Option<String> {
        let unit = self.unit;
        let mut stays = true;
        walk::expr(unit, subscript, &mut |node| {
            stays &= match node {
                Node::Expr(expr) => match unit.exprs[expr].kind {
                    ExprKind::Int(_) | ExprKind::Paren(_) => true,
                    ExprKind::Cast {
                        kind: CastKind::Load | CastKind::Integer | CastKind::Same,
                        ..
                    } => true,
                    ExprKind::Binary(op, ..) => {
                        matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul)
                    }
                    ExprKind::Name(decl) => {
                        unit.types.as_int(unit.decls[decl].ty).is_some()
                            && is_automatic(unit, decl)
                            && !self.addressed.contains(&decl)
                            && !self.changed.contains(&decl)
                    }
                    _ => false,
                },
                _ => false,
            };
            Below::Enter
        });
        let text =
            String::from_utf8_lossy(unit.source.slice(unit.exprs[subscript].span)).into_owned();
        (stays && !text.contains(['\n', '#'])).then_some(text)
    }
}

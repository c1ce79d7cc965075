//! Atomic statements, in whichever family's words (OpenACC 3.3 §2.12): what is read, what is changed
//! and how, and which value is kept.

use gpuc_diagnostics::Diagnostic;

use super::Family;
use crate::source::Span;
use crate::tree::{BinaryOp, ExprId, ExprKind, IncDec, StmtId, StmtKind, TranslationUnit};
use crate::types::Type;

/// What a directive says of the statement behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtomicForm {
    /// The value of an object.
    Read,
    /// A new value for it.
    Write,
    /// A new value that comes from the old one.
    Update,
    /// One of these changes, and the value before or behind it.
    Capture,
    /// A new value where a comparison with the old one holds (OpenMP 5.2 §15.8.4).
    Compare,
    /// The same, and the value before or behind it.
    CompareCapture,
}

/// An atomic statement.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Atomic {
    /// `into = source`.
    Read { source: ExprId, into: ExprId },
    /// A change, and where the value goes that it is to leave.
    Change { change: Change, capture: Option<Capture> },
    /// A comparison that changes an object, and variables that say how it went.
    Compared {
        /// The change.
        compare: AtomicCompare,
        /// What becomes 1 where the comparison held, else 0.
        held: Option<ExprId>,
        /// Where the value goes that the object had, if it did not hold.
        otherwise: Option<ExprId>,
    },
}

/// How an object is changed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Change {
    /// `target = value`.
    Assign { target: ExprId, value: ExprId },
    /// `target = target op value`.
    Update(AtomicUpdate),
    /// `if (target relation other) target = value`.
    Compare(AtomicCompare),
}

/// `if (target relation other) target = value`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AtomicCompare {
    /// What is changed.
    pub target: ExprId,
    /// `<`, `>` or `==`.
    pub relation: BinaryOp,
    /// What it is compared with.
    pub other: ExprId,
    /// Whether that stands on the left.
    pub swapped: bool,
    /// What it becomes.
    pub value: ExprId,
    /// The type in which they are compared.
    pub compared: Type,
}

/// Where a value of the object goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Capture {
    /// What is assigned to.
    pub into: ExprId,
    /// Whether it is the value behind the change, rather than the one before.
    pub new: bool,
}

/// `target = target op value`, computed in type `computed`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AtomicUpdate {
    /// What is updated.
    pub target: ExprId,
    /// The operator.
    pub op: BinaryOp,
    /// The other operand; 1 where it is none.
    pub value: Option<ExprId>,
    /// The type of the operation.
    pub computed: Type,
    /// Whether it is `value op target`.
    pub swapped: bool,
}

impl Change {
    /// The object.
    pub(crate) fn target(&self) -> ExprId {
        match self {
            Change::Assign { target, .. } => *target,
            Change::Update(update) => update.target,
            Change::Compare(compare) => compare.target,
        }
    }

    fn values(&self) -> Vec<ExprId> {
        match self {
            Change::Assign { value, .. } => vec![*value],
            Change::Update(update) => update.value.into_iter().collect(),
            Change::Compare(compare) => vec![compare.other, compare.value],
        }
    }
}

impl Atomic {
    /// Takes a statement apart; a refusal with its place where it has none of the form's shapes.
    pub(crate) fn of(
        unit: &TranslationUnit,
        form: AtomicForm,
        family: Family,
        body: StmtId,
    ) -> Result<Atomic, (Span, Diagnostic)> {
        let refusal = || (unit.stmts[body].span, refusal(form));
        if let AtomicForm::Compare | AtomicForm::CompareCapture = form {
            let change = compared_statements(unit, form, body).ok_or_else(refusal)?;
            change.check(unit, family)?;
            return Ok(change);
        }
        let statements = expressions(unit, body).ok_or_else(refusal)?;
        let atomic = match (form, statements.as_slice()) {
            (AtomicForm::Read, &[read]) => {
                let read = assignment(unit, read);
                read.map(|(into, source)| Atomic::Read { source: unit.peel(source), into })
            }
            (AtomicForm::Write, &[write]) => assignment(unit, write).map(|(target, value)| {
                Atomic::Change { change: Change::Assign { target, value }, capture: None }
            }),
            (AtomicForm::Update, &[update]) => AtomicUpdate::of(unit, update)
                .map(|update| Atomic::Change { change: Change::Update(update), capture: None }),
            (AtomicForm::Capture, &[both]) => captured_value(unit, both),
            (AtomicForm::Capture, &[first, second]) => captured_pair(unit, first, second),
            _ => None,
        };
        let atomic = atomic.ok_or_else(refusal)?;
        atomic.check(unit, family)?;
        Ok(atomic)
    }

    /// The rest of a statement must not look at the object: only the access itself is atomic.
    fn check(&self, unit: &TranslationUnit, family: Family) -> Result<(), (Span, Diagnostic)> {
        let is_object = |expr: ExprId| {
            matches!(
                unit.exprs[unit.peel(expr)].kind,
                ExprKind::Name(_)
                    | ExprKind::Index { .. }
                    | ExprKind::Member { .. }
                    | ExprKind::Unary(..)
            )
        };
        let (object, others) = match self {
            Atomic::Read { source, into } => {
                if !is_object(*source) {
                    return Err((unit.exprs[*source].span, refusal(AtomicForm::Read)));
                }
                (*source, vec![*into])
            }
            Atomic::Change { change, capture } => {
                let into = capture.map(|capture| capture.into);
                (change.target(), change.values().into_iter().chain(into).collect())
            }
            Atomic::Compared { compare, held, otherwise } => {
                let into = held.iter().chain(otherwise).copied();
                (compare.target, [compare.other, compare.value].into_iter().chain(into).collect())
            }
        };
        match others.into_iter().find_map(|expr| mention(unit, expr, object)) {
            Some(again) => Err((
                unit.exprs[again].span,
                Diagnostic::error(format!(
                    "the object of an atomic statement stands in it once more ({})",
                    family.atomic_rule()
                ))
                .label("this access would not be atomic")
                .help("compute the other operand before, in a variable of its own"),
            )),
            None => Ok(()),
        }
    }
}

/// The first operand within `expr`, or itself, that is the same as `object`.
fn mention(unit: &TranslationUnit, expr: ExprId, object: ExprId) -> Option<ExprId> {
    let mut pending = vec![expr];
    while let Some(expr) = pending.pop() {
        if unit.same_expression(expr, object) {
            return Some(expr);
        }
        unit.exprs[expr].kind.for_each_operand(|operand| pending.push(operand));
    }
    None
}

/// The expression statements that a statement is made of.
fn expressions(unit: &TranslationUnit, body: StmtId) -> Option<Vec<ExprId>> {
    match &unit.stmts[body].kind {
        StmtKind::Compound(list) => match list.as_slice() {
            [single] => expressions(unit, *single),
            list => list.iter().map(|&stmt| expression(unit, stmt)).collect(),
        },
        _ => Some(vec![expression(unit, body)?]),
    }
}

fn expression(unit: &TranslationUnit, stmt: StmtId) -> Option<ExprId> {
    match unit.stmts[stmt].kind {
        StmtKind::Expr(expr) => Some(unit.peel(expr)),
        _ => None,
    }
}

/// Target and value of `target = value`.
fn assignment(unit: &TranslationUnit, expr: ExprId) -> Option<(ExprId, ExprId)> {
    match unit.exprs[unit.peel(expr)].kind {
        ExprKind::Assign { target, value } => Some((target, value)),
        _ => None,
    }
}

/// `v = x++`, `v = x op= value`, `v = x = x op value`, and the like.
fn captured_value(unit: &TranslationUnit, expr: ExprId) -> Option<Atomic> {
    let (into, value) = assignment(unit, expr)?;
    let update = AtomicUpdate::of(unit, value)?;
    let post = matches!(
        unit.exprs[unit.peel(value)].kind,
        ExprKind::IncDec(IncDec::PostIncrement | IncDec::PostDecrement, _)
    );
    let capture = Some(Capture { into, new: !post });
    Some(Atomic::Change { change: Change::Update(update), capture })
}

/// `{ v = x; change of x }` or `{ update of x; v = x; }`.
fn captured_pair(unit: &TranslationUnit, first: ExprId, second: ExprId) -> Option<Atomic> {
    let change = |expr: ExprId| match AtomicUpdate::of(unit, expr) {
        Some(update) => Some(Change::Update(update)),
        None => assignment(unit, expr).map(|(target, value)| Change::Assign { target, value }),
    };
    if let Some((into, source)) = assignment(unit, first)
        && let Some(change) = change(second)
        && unit.same_expression(change.target(), source)
    {
        return Some(Atomic::Change { change, capture: Some(Capture { into, new: false }) });
    }
    let update = AtomicUpdate::of(unit, first)?;
    let (into, source) = assignment(unit, second)?;
    unit.same_expression(update.target, source).then_some(Atomic::Change {
        change: Change::Update(update),
        capture: Some(Capture { into, new: true }),
    })
}

/// A statement that compares and changes, alone or beside one that keeps the value.
fn compared_statements(unit: &TranslationUnit, form: AtomicForm, body: StmtId) -> Option<Atomic> {
    let list = match &unit.stmts[body].kind {
        StmtKind::Compound(list) => list.as_slice(),
        _ => &[body][..],
    };
    let capture = |stmt: StmtId| assignment(unit, expression(unit, stmt)?);
    match (form, list) {
        (AtomicForm::Compare, &[only]) => {
            Some(Atomic::Change { change: AtomicCompare::of(unit, only)?, capture: None })
        }
        (AtomicForm::CompareCapture, &[only]) => {
            let (compare, otherwise) = otherwise_kept(unit, only)?;
            Some(Atomic::Compared { compare, held: None, otherwise: Some(otherwise?) })
        }
        (AtomicForm::CompareCapture, &[first, second])
            if matches!(unit.stmts[second].kind, StmtKind::If { .. })
                && is_equality(unit, first) =>
        {
            let (held, relation) = capture(first)?;
            let StmtKind::If { condition, then, otherwise } = unit.stmts[second].kind else {
                return None;
            };
            unit.same_expression(unit.peel(condition), held).then_some(())?;
            let compare = AtomicCompare::of_parts(unit, relation, then)?;
            let otherwise = match otherwise {
                Some(otherwise) => Some(kept_by(unit, otherwise, compare.target)?),
                None => None,
            };
            Some(Atomic::Compared { compare, held: Some(held), otherwise })
        }
        (AtomicForm::CompareCapture, &[first, second]) => {
            let (change, keep, new) = match AtomicCompare::of(unit, first) {
                Some(change) => (change, second, true),
                None => (AtomicCompare::of(unit, second)?, first, false),
            };
            let (into, source) = capture(keep)?;
            let capture = Some(Capture { into, new });
            unit.same_expression(change.target(), source)
                .then_some(Atomic::Change { change, capture })
        }
        _ => None,
    }
}

/// Whether a statement is `r = x == e;`.
fn is_equality(unit: &TranslationUnit, stmt: StmtId) -> bool {
    let value = expression(unit, stmt).and_then(|expr| assignment(unit, expr));
    value.is_some_and(|(_, value)| {
        matches!(unit.exprs[unit.peel(value)].kind, ExprKind::Binary(BinaryOp::Equal, ..))
    })
}

/// What `v = x;` assigns the object to.
fn kept_by(unit: &TranslationUnit, stmt: StmtId, target: ExprId) -> Option<ExprId> {
    let [only] = expressions(unit, stmt)?[..] else { return None };
    let (into, source) = assignment(unit, only)?;
    unit.same_expression(unit.peel(source), target).then_some(into)
}

/// `if (x == e) x = d; else v = x;`.
fn otherwise_kept(unit: &TranslationUnit, stmt: StmtId) -> Option<(AtomicCompare, Option<ExprId>)> {
    let StmtKind::If { condition, then, otherwise: Some(otherwise) } = unit.stmts[stmt].kind else {
        return None;
    };
    let compare = AtomicCompare::of_parts(unit, condition, then)?;
    Some((compare, kept_by(unit, otherwise, compare.target)))
}

impl AtomicCompare {
    /// `if (condition) then`.
    fn of_parts(unit: &TranslationUnit, condition: ExprId, then: StmtId) -> Option<AtomicCompare> {
        let [only] = expressions(unit, then)?[..] else { return None };
        let (target, value) = assignment(unit, only)?;
        AtomicCompare::made(unit, condition, target, value)
    }

    /// Takes a statement apart: `if (x < e) x = e;`, `if (x == e) x = d;`, `x = x < e ? e : x;`.
    fn of(unit: &TranslationUnit, stmt: StmtId) -> Option<Change> {
        let (condition, target, value) = match &unit.stmts[stmt].kind {
            StmtKind::If { condition, then, otherwise: None } => {
                let [only] = expressions(unit, *then)?[..] else { return None };
                let (target, value) = assignment(unit, only)?;
                (*condition, target, value)
            }
            StmtKind::Compound(list) => match list.as_slice() {
                [only] => return AtomicCompare::of(unit, *only),
                _ => return None,
            },
            _ => {
                let (target, value) = assignment(unit, expression(unit, stmt)?)?;
                let ExprKind::Conditional { condition, then: Some(then), otherwise } =
                    unit.exprs[unit.peel(value)].kind
                else {
                    return None;
                };
                unit.same_expression(unit.peel(otherwise), target).then_some(())?;
                (condition, target, then)
            }
        };
        AtomicCompare::made(unit, condition, target, value).map(Change::Compare)
    }

    /// `target = value` where a condition on the target holds.
    fn made(
        unit: &TranslationUnit,
        condition: ExprId,
        target: ExprId,
        value: ExprId,
    ) -> Option<AtomicCompare> {
        let ExprKind::Binary(relation, a, b) = unit.exprs[unit.peel(condition)].kind else {
            return None;
        };
        let is_target = |expr: ExprId| unit.same_expression(unit.peel(expr), target);
        let (other, swapped) = match (is_target(a), is_target(b)) {
            (true, _) => (b, false),
            (_, true) => (a, true),
            _ => return None,
        };
        let fits = match relation {
            BinaryOp::Equal => true,
            BinaryOp::Less | BinaryOp::Greater => {
                unit.same_expression(unit.peel(other), unit.peel(value))
            }
            _ => false,
        };
        let compared = unit.exprs[a].ty.unqualified();
        fits.then_some(AtomicCompare { target, relation, other, swapped, value, compared })
    }
}

impl AtomicUpdate {
    /// Takes an expression apart; `None` where it is no update.
    pub(crate) fn of(unit: &TranslationUnit, expr: ExprId) -> Option<AtomicUpdate> {
        match unit.exprs[unit.peel(expr)].kind {
            ExprKind::IncDec(op, target) => {
                let up = matches!(op, IncDec::PreIncrement | IncDec::PostIncrement);
                Some(AtomicUpdate {
                    target,
                    op: if up { BinaryOp::Add } else { BinaryOp::Sub },
                    value: None,
                    computed: unit.exprs[target].ty.unqualified(),
                    swapped: false,
                })
            }
            ExprKind::CompoundAssign { op, target, value, computed } => {
                Some(AtomicUpdate { target, op, value: Some(value), computed, swapped: false })
            }
            ExprKind::Assign { target, value } => {
                // The conversion back to the target's type is implied.
                let value = unit.peel(value);
                let ExprKind::Binary(op, a, b) = unit.exprs[value].kind else { return None };
                if !is_atomic_operator(op) {
                    return None;
                }
                let computed = unit.exprs[value].ty;
                let (value, swapped) = if unit.same_expression(a, target) {
                    (b, false)
                } else if unit.same_expression(b, target) {
                    (a, true)
                } else {
                    return None;
                };
                Some(AtomicUpdate { target, op, value: Some(value), computed, swapped })
            }
            _ => None,
        }
    }
}

/// The binary operators of an update.
fn is_atomic_operator(op: BinaryOp) -> bool {
    use BinaryOp::{Add, And, Div, Mul, Or, Shl, Shr, Sub, Xor};
    matches!(op, Add | Mul | Sub | Div | And | Xor | Or | Shl | Shr)
}

/// Why a statement that has none of the shapes of its form is refused.
fn refusal(form: AtomicForm) -> Diagnostic {
    let (name, what, help) = match form {
        AtomicForm::Read => ("read", "a read of one scalar", "its form is `v = x`"),
        AtomicForm::Write => ("write", "an assignment to one scalar", "its form is `x = value`"),
        AtomicForm::Update => (
            "update",
            "an update of one scalar",
            "its forms are `x++`, `x op= value`, `x = x op value` and `x = value op x`, with `op` one \
             of `+ * - / & ^ | << >>`",
        ),
        AtomicForm::Compare => (
            "compare",
            "a comparison that changes one scalar",
            "its forms are `if (x < e) x = e;`, `if (x == e) x = d;` or `x = x < e ? e : x;`",
        ),
        AtomicForm::CompareCapture => (
            "compare capture",
            "a comparison that changes one scalar whose value is kept",
            "its forms are `{ v = x; if (x == e) x = d; }`, `{ if (x == e) x = d; v = x; }`, \
             `if (x == e) x = d; else v = x;` and `{ r = x == e; if (r) x = d; }`, with `else v = x;` or without",
        ),
        AtomicForm::Capture => (
            "capture",
            "an update of one scalar whose value is kept",
            "its forms are `v = x++`, `v = x op= value`, `v = x = x op value`, `{ v = x; update }`, \
             `{ update; v = x; }` and `{ v = x; x = value; }`",
        ),
    };
    Diagnostic::error(format!("`atomic {name}` must be followed by {what}")).help(help)
}

//! Loops that count: `for` loops whose variable goes from one bound to another by a fixed step.

use std::ops::Range;

use gpuc_dialects::offload::{FITS_ATTR, FITS_UNSIGNED_ATTR};
use gpuc_dialects::{arith, scf};
use gpuc_ir::Value;

use super::lowerer::{Binding, Jumps, Lowerer, Lowering};
use super::scalar::Scalar;
use super::uses::mutated_by;
use super::walk::{self, Below, Node};
use crate::source::Span;
use crate::tree::{
    BinaryOp, CastKind, DeclId, DeclKind, ExprId, ExprKind, IncDec, Initializer, StmtId, StmtKind,
    TranslationUnit,
};
use crate::types::{Qualifiers, Type};

/// A loop that counts.
#[derive(Clone, Debug)]
pub(super) struct Counted {
    /// The variable.
    pub variable: DeclId,
    /// Its type.
    pub scalar: Scalar,
    /// Its first value.
    pub first: ExprId,
    /// `variable relation bound` goes on.
    pub relation: BinaryOp,
    /// What it is compared with.
    pub bound: ExprId,
    /// The type in which they are compared.
    pub compared: Scalar,
    /// The size of the step; 1 where it is none.
    pub step: Option<ExprId>,
    /// Whether it counts down.
    pub down: bool,
    /// Whether the loop declares the variable.
    pub declares: bool,
    /// The body.
    pub body: StmtId,
}

/// The run-time bounds of a counted loop, as `index` values.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// First value of the loop's own variable.
    pub lower: Value,
    /// One past its last.
    pub upper: Value,
    /// Its step.
    pub step: Value,
    /// Where the C variable counts down: its first value and its step.
    pub down: Option<(Value, Value)>,
}

/// Why a loop does not count, and where.
type Reason = (Span, String);

/// The variable of a loop by ones over numbers that the text has, at least as wide as an `int`, and what it counts over, from the
/// least on, whichever way it goes.
pub(crate) fn numbers(unit: &TranslationUnit, id: StmtId) -> Option<(DeclId, Range<i128>)> {
    let counted = Reader { unit }.counted(id).ok()?;
    let Scalar::Int { bits: 32.., signed } = counted.scalar else { return None };
    // Down to 0 without a sign never ends.
    if counted.step.is_some() || (counted.down && !signed) {
        return None;
    }
    let (first, bound) = (unit.constant_int(counted.first)?, unit.constant_int(counted.bound)?);
    let range = match counted.relation {
        BinaryOp::Less => first..bound,
        BinaryOp::LessEq => first..bound + 1,
        BinaryOp::Greater => bound + 1..first + 1,
        BinaryOp::GreaterEq => bound..first + 1,
        _ => return None,
    };
    Some((counted.variable, range))
}

/// Reads loops of a unit.
struct Reader<'a> {
    unit: &'a TranslationUnit,
}

impl Reader<'_> {
    /// Takes a `for` statement apart.
    fn counted(&self, id: StmtId) -> Result<Counted, Reason> {
        let unit = self.unit;
        let span = unit.stmts[id].span;
        let reason = |span: Span, text: &str| (span, text.to_owned());
        let StmtKind::For { init, condition, step, body } = unit.stmts[id].kind else {
            return Err(reason(span, "this is no `for` loop"));
        };
        let head = Span::new(span.start, unit.stmts[body].span.start);
        let (variable, first, declares) =
            init.and_then(|init| self.start(init)).ok_or_else(|| {
                reason(head, "the loop does not start with one assignment to its variable")
            })?;
        let ty = unit.decls[variable].ty;
        let scalar = Scalar::of(unit, ty)
            .filter(|scalar| matches!(scalar, Scalar::Int { .. }))
            .ok_or_else(|| reason(head, "the loop variable is not an integer"))?;
        let condition = condition.ok_or_else(|| reason(head, "the loop has no condition"))?;
        let at = self.unit.exprs[condition].span;
        let (relation, bound, compared) = self.relation(condition, variable).ok_or_else(|| {
            reason(at, "the condition does not compare the loop variable with a bound")
        })?;
        let step = step.ok_or_else(|| reason(head, "the loop has no step"))?;
        let at = self.unit.exprs[step].span;
        let (step, down) = self
            .step(step, variable)
            .ok_or_else(|| reason(at, "the step does not add to the loop variable"))?;
        let away = Some("the step leads away from the bound");
        let wrong = match relation {
            BinaryOp::Less | BinaryOp::LessEq => away.filter(|_| down),
            BinaryOp::Greater | BinaryOp::GreaterEq => away.filter(|_| !down),
            _ => self.misses_bound([first, bound], step, down, [scalar, compared]),
        };
        if let Some(text) = wrong {
            return Err(reason(at, text));
        }
        let starts_negative = || unit.constant_int(first).is_none_or(|value| value < 0);
        if compared.is_unsigned() && !scalar.is_unsigned() && starts_negative() {
            let text =
                "a signed loop variable is compared with an unsigned bound, and may be negative";
            return Err(reason(self.unit.exprs[condition].span, text));
        }
        if mutated_by(unit, body).contains(&variable) {
            return Err(reason(head, "the loop variable is changed in the body"));
        }
        let counted = Counted {
            variable,
            scalar,
            first,
            relation,
            bound,
            compared,
            step,
            down,
            declares,
            body,
        };
        if self.comes_around(&counted) == Some(true) {
            let text = "the variable passes the end of its type, and comes around";
            return Err(reason(at, text));
        }
        Ok(counted)
    }

    /// Whether the variable leaves its type behind its last round, for what such a type means: C has a meaning for that
    /// where it is unsigned, or narrower than `int`. `None` where that depends on the bound.
    fn comes_around(&self, counted: &Counted) -> Option<bool> {
        let Scalar::Int { bits, signed } = counted.scalar else { return Some(false) };
        let unit = self.unit;
        let size = counted.step.map_or(Some(1), |step| unit.constant_int(step)).map(i128::abs);
        // By ones it meets every bound, or the loop has no end.
        if signed && bits >= 32 || size == Some(1) || counted.relation == BinaryOp::NotEqual {
            return Some(false);
        }
        let (least, most) = match signed {
            true => (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1),
            false => (0, (1_i128 << bits) - 1),
        };
        let (size, bound) = (size?, unit.constant_int(counted.bound)?);
        let equal = matches!(counted.relation, BinaryOp::LessEq | BinaryOp::GreaterEq);
        // Counting down is counting up on the other side of 0.
        let (sign, end) = if counted.down { (-1, -least) } else { (1, most) };
        let last = sign * bound - i128::from(!equal);
        Some(match unit.constant_int(counted.first).map(|first| sign * first) {
            Some(first) if first > last => false,
            Some(first) => first + ((last - first) / size + 1) * size > end,
            None => last + size > end,
        })
    }

    /// Why a loop that ends at `!=` may not meet its bound.
    fn misses_bound(
        &self,
        [first, bound]: [ExprId; 2],
        step: Option<ExprId>,
        down: bool,
        [scalar, compared]: [Scalar; 2],
    ) -> Option<&'static str> {
        let constant = |expr: ExprId| self.unit.constant_int(expr);
        let size = step.map_or(Some(1), constant).map(i128::abs);
        if let (Some(from), Some(to), Some(size @ 1..)) = (constant(first), constant(bound), size) {
            let distance = if down { from - to } else { to - from };
            return (distance < 0 || distance % size != 0)
                .then_some("the variable passes the bound by, where `!=` does not stop it");
        }
        if step.is_some() {
            return Some("the step may pass the bound by, where `!=` does not stop it");
        }
        // A variable that starts beyond the bound comes around to it where its type has a meaning for that: an unsigned
        // one, or one narrower than the `int` in which it is counted. None is beyond where an unsigned one starts at 0.
        let is_narrow = matches!(scalar, Scalar::Int { bits: ..32, .. });
        let wraps = compared.is_unsigned() || is_narrow;
        let counts_from_zero = scalar.is_unsigned() || !is_narrow;
        let from_zero = !down && counts_from_zero && constant(first) == Some(0);
        (wraps && !from_zero)
            .then_some("the variable may start beyond the bound, and come around to it")
    }

    /// `i = first` or `T i = first`.
    fn start(&self, init: StmtId) -> Option<(DeclId, ExprId, bool)> {
        match &self.unit.stmts[init].kind {
            StmtKind::Expr(expr) => match self.unit.exprs[*expr].kind {
                ExprKind::Assign { target, value } => {
                    Some((self.unit.named(target)?, value, false))
                }
                _ => None,
            },
            StmtKind::Declaration(decls) => {
                let [decl] = decls[..] else { return None };
                match &self.unit.decls[decl].kind {
                    DeclKind::Variable(variable) => match variable.init {
                        Some(Initializer::Value(value)) => Some((decl, value, true)),
                        _ => None,
                    },
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Whether `expr` is the value of `variable`, widened at most.
    fn is_variable(&self, expr: ExprId, variable: DeclId) -> bool {
        let unit = self.unit;
        match unit.exprs[expr].kind {
            ExprKind::Paren(inner) => self.is_variable(inner, variable),
            ExprKind::Cast { kind: CastKind::Load, operand, .. } => {
                matches!(unit.exprs[operand].kind, ExprKind::Name(decl) if decl == variable)
            }
            ExprKind::Cast { kind: CastKind::Integer | CastKind::Same, operand, .. } => {
                let size = |e: ExprId| unit.types.size_of(unit.exprs[e].ty);
                size(expr) >= size(operand) && self.is_variable(operand, variable)
            }
            _ => false,
        }
    }

    /// The condition as `variable relation bound`, and the type in which they are compared.
    fn relation(&self, condition: ExprId, variable: DeclId) -> Option<(BinaryOp, ExprId, Scalar)> {
        use BinaryOp::{Greater, GreaterEq, Less, LessEq, NotEqual};
        match self.unit.exprs[condition].kind {
            ExprKind::Paren(inner) => self.relation(inner, variable),
            ExprKind::Binary(op @ (Less | LessEq | Greater | GreaterEq | NotEqual), a, b) => {
                let compared = Scalar::of(self.unit, self.unit.exprs[a].ty)
                    .filter(|scalar| matches!(scalar, Scalar::Int { .. }))?;
                if self.is_variable(a, variable) {
                    return Some((op, b, compared));
                }
                let swapped = match op {
                    Less => Greater,
                    LessEq => GreaterEq,
                    Greater => Less,
                    GreaterEq => LessEq,
                    other => other,
                };
                self.is_variable(b, variable).then_some((swapped, a, compared))
            }
            _ => None,
        }
    }

    /// The size of the step, and whether it goes down.
    fn step(&self, step: ExprId, variable: DeclId) -> Option<(Option<ExprId>, bool)> {
        let unit = self.unit;
        let is_target = |target: ExprId| unit.named(target) == Some(variable);
        let (size, mut down) = match unit.exprs[step].kind {
            ExprKind::Paren(inner) => return self.step(inner, variable),
            ExprKind::IncDec(op, target) if is_target(target) => {
                let down = matches!(op, IncDec::PreDecrement | IncDec::PostDecrement);
                return Some((None, down));
            }
            ExprKind::CompoundAssign { op: BinaryOp::Add, target, value, .. }
                if is_target(target) =>
            {
                (value, false)
            }
            ExprKind::CompoundAssign { op: BinaryOp::Sub, target, value, .. }
                if is_target(target) =>
            {
                (value, true)
            }
            ExprKind::Assign { target, value } if is_target(target) => {
                match unit.exprs[unit.peel(value)].kind {
                    ExprKind::Binary(BinaryOp::Add, a, b) if self.is_variable(a, variable) => {
                        (b, false)
                    }
                    ExprKind::Binary(BinaryOp::Add, a, b) if self.is_variable(b, variable) => {
                        (a, false)
                    }
                    ExprKind::Binary(BinaryOp::Sub, a, b) if self.is_variable(a, variable) => {
                        (b, true)
                    }
                    _ => return None,
                }
            }
            _ => return None,
        };
        if !unit.types.is_integer(self.unit.exprs[size].ty) {
            return None;
        }
        match unit.constant_int(size) {
            Some(0) => None,
            Some(1) => Some((None, down)),
            Some(value) => {
                // `i += -1`: the size is negated where it is lowered.
                down ^= value < 0;
                Some((Some(size), down))
            }
            None => Some((Some(size), down)),
        }
    }
}

impl Lowerer<'_> {
    /// Takes a `for` statement apart.
    pub(super) fn counted(&self, id: StmtId) -> Result<Counted, Reason> {
        Reader { unit: self.unit }.counted(id)
    }

    /// Whether a variable narrower than `int` may pass the end of its type, because the bound or the step is not known:
    /// who asked for a parallel loop has promised that it does not.
    pub(super) fn may_come_around(&self, counted: &Counted) -> bool {
        let is_narrow = matches!(counted.scalar, Scalar::Int { bits: ..32, .. });
        is_narrow && Reader { unit: self.unit }.comes_around(counted).is_none()
    }

    /// Whether bound and step have the same value in every round.
    pub(super) fn bounds_stay(&self, counted: &Counted, body: StmtId) -> bool {
        let mutated = mutated_by(self.unit, body);
        let stays = |expr: ExprId| {
            self.stays(expr, body, &|decl| {
                !mutated.contains(&decl) && !self.addressed.contains(&decl)
            })
        };
        stays(counted.bound) && counted.step.is_none_or(stays)
    }

    fn stays(&self, expr: ExprId, body: StmtId, unchanged: &dyn Fn(DeclId) -> bool) -> bool {
        let unit = self.unit;
        match &unit.exprs[expr].kind {
            ExprKind::Int(_) | ExprKind::Float(_) => true,
            ExprKind::Name(decl) => unchanged(*decl),
            ExprKind::Unary(op, e) if *op != crate::tree::UnaryOp::Deref => {
                self.stays(*e, body, unchanged)
            }
            ExprKind::Paren(e) => self.stays(*e, body, unchanged),
            ExprKind::Cast { kind: CastKind::Load, operand, .. }
                if !matches!(unit.exprs[*operand].kind, ExprKind::Name(_)) =>
            {
                self.stays(*operand, body, unchanged) && self.is_not_stored_to(*operand, body)
            }
            ExprKind::Cast { operand, .. } => self.stays(*operand, body, unchanged),
            ExprKind::Binary(_, a, b) | ExprKind::Index { base: a, index: b } => {
                self.stays(*a, body, unchanged) && self.stays(*b, body, unchanged)
            }
            ExprKind::Member { base, .. } => self.stays(*base, body, unchanged),
            ExprKind::Unary(_, e) => self.stays(*e, body, unchanged),
            ExprKind::Conditional { condition, then: Some(then), otherwise } => {
                [*condition, *then, *otherwise].into_iter().all(|e| self.stays(e, body, unchanged))
            }
            _ => false,
        }
    }

    /// The variable whose array or pointee an lvalue lies in.
    fn memory_root(&self, expr: ExprId) -> Option<DeclId> {
        match self.unit.exprs[expr].kind {
            ExprKind::Name(decl) => Some(decl),
            ExprKind::Paren(e)
            | ExprKind::Cast { operand: e, .. }
            | ExprKind::Index { base: e, .. }
            | ExprKind::Member { base: e, .. }
            | ExprKind::Unary(_, e)
            | ExprKind::Binary(_, e, _) => self.memory_root(e),
            _ => None,
        }
    }

    /// Whether nothing in `body` can store to the object that an lvalue designates: it stores to
    /// another array or by another `restrict` pointer, or by another type (C11 §6.5 ¶7). An ordinary
    /// pointer may lead to either.
    fn is_not_stored_to(&self, read: ExprId, body: StmtId) -> bool {
        let unit = self.unit;
        let from = self.memory_root(read);
        let size = Scalar::of(unit, self.ty(read));
        let exclusive = |decl: DeclId| {
            let ty = unit.decls[decl].ty;
            unit.types.as_array(ty).is_some() || ty.qualifiers().contains(Qualifiers::RESTRICT)
        };
        let is_char = |ty: Type| unit.types.size_of(ty) == Some(1);
        let mut safe = true;
        walk::stmt(unit, body, &mut |node| {
            let Node::Expr(expr) = node else { return Below::Enter };
            match unit.exprs[expr].kind {
                ExprKind::Assign { target, .. }
                | ExprKind::CompoundAssign { target, .. }
                | ExprKind::IncDec(_, target)
                    if !matches!(unit.exprs[target].kind, ExprKind::Name(_)) =>
                {
                    let to = self.memory_root(target);
                    let apart = from != to
                        && from.zip(to).is_some_and(|(a, b)| exclusive(a) && exclusive(b));
                    let other_type = size.is_some()
                        && Scalar::of(unit, self.ty(target))
                            .is_some_and(|other| Some(other) != size)
                        && !is_char(self.ty(target))
                        && !is_char(self.ty(read));
                    safe &= apart || other_type;
                }
                ExprKind::Call { callee, ref arguments } => {
                    let ours = walk::callee(unit, callee).is_some_and(|(_, body)| body.is_some());
                    safe &= !ours || !arguments.iter().any(|&argument| self.is_pointer(argument));
                }
                _ => {}
            }
            Below::Enter
        });
        safe
    }

    /// Evaluates the bounds.
    pub(super) fn bounds(&mut self, counted: &Counted) -> Lowering<Bounds> {
        let first = match self.unit.constant_int(counted.first).and_then(|v| i64::try_from(v).ok())
        {
            Some(first) => self.index(first),
            None => {
                let from = self.scalar(self.ty(counted.first), self.span(counted.first))?;
                let value = self.rvalue(counted.first)?;
                let value = self.convert(value, from, counted.scalar);
                self.as_index(value, counted.scalar)
            }
        };
        let mut bound = self.subscript(counted.bound)?;
        let step = match counted.step {
            None => self.index(1),
            Some(step) => match self.unit.constant_int(step).and_then(|v| i64::try_from(v).ok()) {
                Some(step) => self.index(step.saturating_abs()),
                None => {
                    // A loop with another step would not end; one that does not run may have any.
                    let step = self.subscript(step)?;
                    let one = self.index(1);
                    let op = arith::MaxSIOp::new(&mut self.b, step, one);
                    self.value(op)
                }
            },
        };
        let offset = match counted.relation {
            BinaryOp::LessEq => 1,
            BinaryOp::GreaterEq => -1,
            _ => 0,
        };
        if offset != 0 {
            let offset = self.index(offset);
            bound = self.add_index(bound, offset);
        }
        if !counted.down {
            return Ok(Bounds { lower: first, upper: bound, step, down: None });
        }
        let distance = {
            let negated = self.negate_index(bound);
            self.add_index(first, negated)
        };
        let upper = self.rounds(distance, step);
        let (zero, one) = (self.index(0), self.index(1));
        Ok(Bounds { lower: zero, upper, step: one, down: Some((first, step)) })
    }

    /// How many steps cover a distance.
    pub(super) fn rounds(&mut self, distance: Value, step: Value) -> Value {
        let zero = self.index(0);
        let op = arith::MaxSIOp::new(&mut self.b, distance, zero);
        let distance = self.value(op);
        if arith::constant_index_value(&self.b, step) == Some(1) {
            return distance;
        }
        let op = arith::CeilDivSIOp::new(&mut self.b, distance, step);
        self.value(op)
    }

    /// The C variable in the round of an induction variable.
    pub(super) fn induction_value(
        &mut self,
        bounds: Bounds,
        induction: Value,
        counted: &Counted,
    ) -> Value {
        let scalar = counted.scalar;
        let value = match bounds.down {
            None => induction,
            Some((first, step)) => {
                let back = self.multiply_index(induction, step);
                let back = self.negate_index(back);
                self.add_index(first, back)
            }
        };
        let value = self.index_as(value, scalar);
        // Between the first value and the bound, though no interval of these may say so: a variable that passes
        // its type's greatest value has no meaning, or the loop no end, which C11 §6.8.5 ¶6 excludes.
        let from_constant =
            bounds.down.is_none() && arith::constant_index_value(&self.b, bounds.lower).is_some();
        let fits = match (scalar, counted.compared) {
            (Scalar::Int { bits, signed: true }, Scalar::Int { bits: wide, signed }) => {
                let all = wide > bits || wide == bits && !signed;
                (bits >= 32 && all || !from_constant).then_some(FITS_ATTR)
            }
            (Scalar::Int { bits: 32, signed: false }, Scalar::Int { bits: 33.., .. })
                if bounds.down.is_none() =>
            {
                Some(FITS_UNSIGNED_ATTR)
            }
            _ => None,
        };
        if let (Some(fits), Some(cast)) = (fits, self.b.defining_op(value)) {
            let unit = self.b.ctx.unit_attr();
            self.b.set_attr(cast, fits, unit);
        }
        value
    }

    /// A counted loop without a directive: `scf.for`.
    pub(super) fn counted_loop(&mut self, counted: &Counted) -> Lowering<()> {
        let location = self.b.location;
        let bounds = self.bounds(counted)?;
        self.b.location = location;
        let exits = self.exits(counted.body);
        let outer = self.bindings.get(&counted.variable).cloned();
        let index = self.b.ctx.index();
        self.jumps.push(Jumps::default());
        let (region, done) = self.region(&[index], |l, arguments| {
            l.name_variable(arguments[0], counted.variable, l.span(counted.first));
            let value = l.induction_value(bounds, arguments[0], counted);
            l.bindings.insert(counted.variable, Binding::Value(value));
            let done = l.round(counted.body, exits);
            l.b.location = location;
            l.yields(&[]);
            done
        });
        self.jumps.pop();
        self.b.location = location;
        let op = scf::ForOp::new(&mut self.b, bounds.lower, bounds.upper, bounds.step, &[])
            .region(region);
        self.build(op);
        if let Some(outer) = outer {
            self.bindings.insert(counted.variable, outer);
        }
        done?;
        if !counted.declares {
            let last = self.last_value(bounds);
            let value = self.index_as(last, counted.scalar);
            if let Some(&Binding::Slot { memref, .. }) = self.bindings.get(&counted.variable) {
                self.write_slot(memref, value);
            }
        }
        Ok(())
    }

    /// What the C variable holds behind the loop.
    fn last_value(&mut self, bounds: Bounds) -> Value {
        if let Some((first, step)) = bounds.down {
            let covered = self.multiply_index(bounds.upper, step);
            let covered = self.negate_index(covered);
            return self.add_index(first, covered);
        }
        if arith::constant_index_value(&self.b, bounds.step) == Some(1) {
            let op = arith::MaxSIOp::new(&mut self.b, bounds.lower, bounds.upper);
            return self.value(op);
        }
        let negated = self.negate_index(bounds.lower);
        let distance = self.add_index(bounds.upper, negated);
        let rounds = self.rounds(distance, bounds.step);
        let covered = self.multiply_index(rounds, bounds.step);
        self.add_index(bounds.lower, covered)
    }
}

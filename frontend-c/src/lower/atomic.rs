//! Atomic statements: one `memref.atomic_rmw`, or a `memref.generic_atomic_rmw` where the operation
//! has no kind of its own.

use gpuc_dialects::arith;
use gpuc_dialects::memref::{self, ATOMIC_RMW_KINDS};
use gpuc_ir::Value;
use gpuc_ir::op::VOLATILE_ATTR;
use smallvec::SmallVec;

use super::lowerer::{Lowerer, Lowering};
use super::place::Pointer;
use super::scalar::Scalar;
use crate::directive::atomic::{Atomic, AtomicCompare, AtomicForm, AtomicUpdate, Capture, Change};
use crate::source::Span;
use crate::tree::{BinaryOp, ExprId, StmtId};

/// The object of an atomic statement.
struct Cell {
    buffer: Value,
    position: SmallVec<[Value; 2]>,
    scalar: Scalar,
    span: Span,
}

/// A change with its operand.
#[derive(Clone, Copy)]
enum Step {
    /// The value itself.
    Assign(Value),
    /// `value` where a comparison with `operand`, in type `wide`, holds.
    Compare { compare: AtomicCompare, operand: Value, value: Value, wide: Scalar },
    /// The operation, in type `wide`.
    Update { update: AtomicUpdate, operand: Value, wide: Scalar },
}

impl Lowerer<'_> {
    /// The statement behind an atomic directive.
    pub(super) fn atomic(&mut self, form: AtomicForm, body: StmtId) -> Lowering<()> {
        let span = self.unit.stmts[body].span;
        match Atomic::of(self.unit, form, self.family, body) {
            Ok(Atomic::Read { source, into }) => {
                let cell = self.cell(source, span)?;
                let value = self.generic_atomic(&cell, |_, old| Ok(old))?;
                self.captured(&cell, value, into)
            }
            Ok(Atomic::Change { change, capture }) => self.atomic_change(change, capture, span),
            Ok(Atomic::Compared { compare, held, otherwise }) => {
                self.atomic_compared(compare, held, otherwise, span)
            }
            Err((span, diagnostic)) => self.refuse(span, diagnostic),
        }
    }

    fn cell(&mut self, target: ExprId, span: Span) -> Lowering<Cell> {
        let scalar = self.scalar(self.ty(target), self.span(target))?;
        let pointer = self.object(target)?;
        self.locate(span);
        let (buffer, position) = self.element(&pointer, scalar, span)?;
        Ok(Cell { buffer, position, scalar, span })
    }

    fn atomic_change(
        &mut self,
        change: Change,
        capture: Option<Capture>,
        span: Span,
    ) -> Lowering<()> {
        let step = self.change_step(change, span)?;
        let cell = self.cell(change.target(), span)?;
        let old = self.apply(&cell, step)?;
        let Some(Capture { into, new }) = capture else { return Ok(()) };
        // What the object was, and what was done to it, say what it has become.
        let value = if new { self.stepped(&cell, step, old)? } else { old };
        self.captured(&cell, value, into)
    }

    /// A comparison that changes an object, and variables that say how it went.
    fn atomic_compared(
        &mut self,
        compare: AtomicCompare,
        held: Option<ExprId>,
        otherwise: Option<ExprId>,
        span: Span,
    ) -> Lowering<()> {
        let step = self.change_step(Change::Compare(compare), span)?;
        let cell = self.cell(compare.target, span)?;
        let old = self.apply(&cell, step)?;
        let holds = self.step_holds(&cell, step, old);
        if let Some(into) = held {
            let to = self.scalar(self.ty(into), self.span(into))?;
            let value = self.convert(holds, Scalar::Bool, to);
            self.assign(into, value, to)?;
        }
        let Some(into) = otherwise else { return Ok(()) };
        let fails = self.invert(holds);
        self.branch(fails, |l| l.captured(&cell, old, into))
    }

    /// Whether the comparison of a change holds for a value of the object.
    fn step_holds(&mut self, cell: &Cell, step: Step, old: Value) -> Value {
        let Step::Compare { compare, operand, wide, .. } = step else {
            return arith::constant_bool(&mut self.b, true);
        };
        let known = self.convert(old, cell.scalar, wide);
        let (a, b) = if compare.swapped { (operand, known) } else { (known, operand) };
        self.comparison(compare.relation, wide, a, b)
    }

    /// A change, with its operand computed.
    fn change_step(&mut self, change: Change, span: Span) -> Lowering<Step> {
        match change {
            Change::Assign { target, value } => {
                let from = self.scalar(self.ty(value), self.span(value))?;
                let to = self.scalar(self.ty(target), self.span(target))?;
                let operand = self.rvalue(value)?;
                Ok(Step::Assign(self.convert(operand, from, to)))
            }
            Change::Compare(compare) => {
                let wide = self.scalar(compare.compared, span)?;
                let to = self.scalar(self.ty(compare.target), self.span(compare.target))?;
                let from = self.scalar(self.ty(compare.other), self.span(compare.other))?;
                let operand = self.rvalue(compare.other)?;
                let operand = self.convert(operand, from, wide);
                let from = self.scalar(self.ty(compare.value), self.span(compare.value))?;
                let value = self.rvalue(compare.value)?;
                let value = self.convert(value, from, to);
                Ok(Step::Compare { compare, operand, value, wide })
            }
            Change::Update(update) => {
                let wide = self.scalar(update.computed, span)?;
                let operand = match update.value {
                    Some(value) => {
                        let from = self.scalar(self.ty(value), self.span(value))?;
                        let operand = self.rvalue(value)?;
                        self.convert(operand, from, wide)
                    }
                    None => self.one(wide),
                };
                Ok(Step::Update { update, operand, wide })
            }
        }
    }

    /// Changes the object; its value before, as the IR computes with it.
    fn apply(&mut self, cell: &Cell, step: Step) -> Lowering<Value> {
        let scalar = cell.scalar;
        let (kind, operand) = match step {
            Step::Assign(value) => (Some("assign"), value),
            Step::Compare { value, .. } => (None, value),
            Step::Update { update, operand, wide } => {
                self.update_kind(&update, operand, wide, scalar)
            }
        };
        let Some(kind) = kind else {
            return self.generic_atomic(cell, |l, old| l.stepped(cell, step, old));
        };
        let operand = self.stored(operand, scalar);
        let number = ATOMIC_RMW_KINDS.parse(kind).unwrap_or_default();
        let kind = ATOMIC_RMW_KINDS.attr(&mut self.b.ctx, number);
        let op = memref::AtomicRMWOp::new(&mut self.b, operand, cell.buffer, &cell.position);
        let op = op.attr(&mut self.b, "kind", kind);
        let old = self.value(op);
        Ok(self.loaded(old, scalar))
    }

    /// The kind of `memref.atomic_rmw` that an update is, with the operand that it then has.
    fn update_kind(
        &mut self,
        update: &AtomicUpdate,
        operand: Value,
        wide: Scalar,
        scalar: Scalar,
    ) -> (Option<&'static str>, Value) {
        // The low bits of a sum or product are those of the narrow operands.
        let direct =
            wide == scalar || !scalar.is_float() && !wide.is_float() && scalar != Scalar::Bool;
        if !direct || scalar == Scalar::Bool {
            return (None, operand);
        }
        let negated = update.op == BinaryOp::Sub && !update.swapped;
        let op = if negated { BinaryOp::Add } else { update.op };
        let kind = match (op, scalar.is_float()) {
            (BinaryOp::Add, true) => "addf",
            (BinaryOp::Add, false) => "addi",
            (BinaryOp::Mul, true) => "mulf",
            (BinaryOp::Mul, false) => "muli",
            (BinaryOp::And, false) => "andi",
            (BinaryOp::Or, false) => "ori",
            _ => return (None, operand),
        };
        let operand = if negated { self.negate(operand, wide) } else { operand };
        (Some(kind), self.convert(operand, wide, scalar))
    }

    /// What a change makes of the object's value.
    fn stepped(&mut self, cell: &Cell, step: Step, old: Value) -> Lowering<Value> {
        let (update, operand, wide) = match step {
            Step::Assign(value) => return Ok(value),
            Step::Compare { value, .. } => {
                let holds = self.step_holds(cell, step, old);
                let op = arith::SelectOp::new(&mut self.b, holds, value, old);
                return Ok(self.value(op));
            }
            Step::Update { update, operand, wide } => (update, operand, wide),
        };
        let old = self.convert(old, cell.scalar, wide);
        let (a, b) = if update.swapped { (operand, old) } else { (old, operand) };
        let new = self.arithmetic(update.op, wide, a, b, cell.span)?;
        Ok(self.convert(new, wide, cell.scalar))
    }

    /// A load that no pass merges, moves or leaves out, and that sees what others store: an atomic one, which for a GPU is
    /// what `volatile` is (PTX ISA 8.5 §8.4).
    pub(super) fn atomic_load(
        &mut self,
        pointer: &Pointer,
        scalar: Scalar,
        span: Span,
    ) -> Lowering<Value> {
        let (buffer, position) = self.element(pointer, scalar, span)?;
        let memory = scalar.memory(&mut self.b.ctx);
        let (region, done) = self.region(&[memory], |l, arguments| {
            let op = memref::AtomicYieldOp::new(&mut l.b, arguments[0]);
            l.build(op);
            Ok(())
        });
        let unit = self.b.ctx.unit_attr();
        let op = memref::GenericAtomicRMWOp::new(&mut self.b, buffer, &position)
            .result(memory)
            .region(region)
            .attr(&mut self.b, VOLATILE_ATTR, unit);
        let value = self.value(op);
        done?;
        Ok(self.loaded(value, scalar))
    }

    /// The store that goes with [`atomic_load`](Self::atomic_load), of a value as memory holds it.
    pub(super) fn atomic_store(&mut self, value: Value, buffer: Value, position: &[Value]) {
        let number = ATOMIC_RMW_KINDS.parse("assign").unwrap_or_default();
        let kind = ATOMIC_RMW_KINDS.attr(&mut self.b.ctx, number);
        let op = memref::AtomicRMWOp::new(&mut self.b, value, buffer, position);
        let unit = self.b.ctx.unit_attr();
        let op = op.attr(&mut self.b, "kind", kind).attr(&mut self.b, VOLATILE_ATTR, unit);
        self.build(op);
    }

    /// Replaces the object's value by what `change` makes of it; its value before.
    fn generic_atomic(
        &mut self,
        cell: &Cell,
        change: impl FnOnce(&mut Self, Value) -> Lowering<Value>,
    ) -> Lowering<Value> {
        let memory = cell.scalar.memory(&mut self.b.ctx);
        let (region, done) = self.region(&[memory], |l, arguments| {
            let old = l.loaded(arguments[0], cell.scalar);
            let new = change(l, old)?;
            let new = l.stored(new, cell.scalar);
            let op = memref::AtomicYieldOp::new(&mut l.b, new);
            l.build(op);
            Ok(())
        });
        let op = memref::GenericAtomicRMWOp::new(&mut self.b, cell.buffer, &cell.position)
            .result(memory)
            .region(region);
        let old = self.value(op);
        done?;
        Ok(self.loaded(old, cell.scalar))
    }

    /// Assigns a value of the object to a variable, which need not be of its type.
    fn captured(&mut self, cell: &Cell, value: Value, into: ExprId) -> Lowering<()> {
        let to = self.scalar(self.ty(into), self.span(into))?;
        let value = self.convert(value, cell.scalar, to);
        self.assign(into, value, to)
    }

    fn one(&mut self, scalar: Scalar) -> Value {
        let ty = scalar.register(&mut self.b.ctx);
        if scalar.is_float() {
            arith::constant_float(&mut self.b, 1.0, ty)
        } else {
            arith::constant_int(&mut self.b, 1, ty)
        }
    }
}

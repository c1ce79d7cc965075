//! Reductions on arrays, sections, elements and members: each element is a reduction variable of its
//! own.
//!
//! An iteration has a private array in the place of the variable. It starts with what changes nothing,
//! and is combined into the elements when the iteration ends; they are written back behind the loop.
//! Where there are too many elements for that, and an iteration does no more than combine values into them, it does so
//! by atomic updates of the variable itself.

use gpuc_diagnostics::{Diagnostic, codes};
use gpuc_dialects::arith;
use gpuc_dialects::memref;
use gpuc_ir::Value;

use super::lowerer::{Binding, Lowerer, Lowering};
use super::place::{Form, Lvalue, Pointer};
use super::scalar::{Scalar, flatten};
use super::walk::{self, Below, Node};
use crate::directive::atomic::AtomicUpdate;
use crate::directive::{Directive, ReductionOp, VarRef};
use crate::source::Span;
use crate::tree::{BinaryOp, DeclId, ExprId, ExprKind, StmtId, StmtKind, TranslationUnit};
use crate::types::{ArraySize, Type};

/// A loop combines no more elements than this: each costs every iteration an operation.
const MOST_ELEMENTS: u64 = 64;

/// What stands for a variable inside of the loop.
#[derive(Clone, Copy, Debug)]
enum Named {
    /// An array, or what a pointer points to, by the variable's name.
    Variable(DeclId),
    /// An element or member, by the expression that designates it.
    Object(ExprId),
}

/// A variable whose elements a loop reduces.
#[derive(Clone, Debug)]
pub(super) struct ArrayReduction {
    named: Named,
    var: VarRef,
    op: ReductionOp,
    scalar: Scalar,
    /// The first element of the variable that takes part, and how many do.
    first: u64,
    count: u64,
    /// The variable outside of the loop: a position for each element.
    outside: Vec<Pointer>,
    /// The elements' reduction variables.
    slots: Vec<Value>,
    /// The private array, while the loop's body is lowered.
    private: Option<Pointer>,
}

impl ArrayReduction {
    /// The variable.
    pub(super) fn variable(&self) -> DeclId {
        self.var.decl
    }

    /// The elements as reduction variables of the loop.
    pub(super) fn variables(
        &self,
    ) -> impl Iterator<Item = (DeclId, ReductionOp, Value, Scalar)> + '_ {
        self.slots.iter().map(|&slot| (self.var.decl, self.op, slot, self.scalar))
    }
}

/// Whether a clause's variable is one that this module is about.
pub(super) fn is_array_reduction(unit: &TranslationUnit, var: &VarRef) -> bool {
    !var.is_whole_variable(unit) || Scalar::of(unit, var.ty).is_none()
}

/// The variable that an element or member belongs to.
pub(super) fn root(unit: &TranslationUnit, expr: ExprId) -> Option<DeclId> {
    match unit.exprs[unit.peel(expr)].kind {
        ExprKind::Name(decl) => Some(decl),
        ExprKind::Index { base, .. } | ExprKind::Member { base, .. } | ExprKind::Unary(_, base) => {
            root(unit, base)
        }
        _ => None,
    }
}

/// How often an expression names a variable.
pub(crate) fn mentions(unit: &TranslationUnit, expr: ExprId, decl: DeclId) -> usize {
    let mut found = 0;
    walk::expr(unit, expr, &mut |node| {
        if let Node::Expr(expr) = node {
            found +=
                usize::from(matches!(unit.exprs[expr].kind, ExprKind::Name(name) if name == decl));
        }
        Below::Enter
    });
    found
}

/// Whether all that a statement does with an array is to combine values into its elements by an operator.
fn only_combines(unit: &TranslationUnit, body: StmtId, decl: DeclId, op: ReductionOp) -> bool {
    let (mut in_updates, mut all) = (0, 0);
    walk::stmt(unit, body, &mut |node| {
        match node {
            Node::Stmt(stmt) => {
                if let StmtKind::Expr(expr) = unit.stmts[stmt].kind
                    && let Some(update) = AtomicUpdate::of(unit, expr)
                    && root(unit, update.target) == Some(decl)
                    && Scalar::of(unit, unit.exprs[update.target].ty).is_some()
                    && combines(&update) == Some(op)
                    && update.value.is_none_or(|value| mentions(unit, value, decl) == 0)
                {
                    in_updates += mentions(unit, expr, decl);
                }
            }
            Node::Expr(expr) => {
                let is_it = matches!(unit.exprs[expr].kind, ExprKind::Name(name) if name == decl);
                all += usize::from(is_it);
            }
            _ => {}
        }
        Below::Enter
    });
    in_updates > 0 && in_updates == all
}

/// The reduction that an update is a step of.
fn combines(update: &AtomicUpdate) -> Option<ReductionOp> {
    Some(match update.op {
        BinaryOp::Add => ReductionOp::Add,
        BinaryOp::Sub if !update.swapped => ReductionOp::Add,
        BinaryOp::Mul => ReductionOp::Mul,
        BinaryOp::And => ReductionOp::And,
        BinaryOp::Or => ReductionOp::Or,
        BinaryOp::Xor => ReductionOp::Xor,
        _ => return None,
    })
}

/// Whether a statement assigns to a variable or to an element or member of it.
fn assigns_into(unit: &TranslationUnit, body: StmtId, decl: DeclId) -> bool {
    assignment_into(unit, body, decl).is_some()
}

/// The target of the first assignment in a statement to a variable or to an element or member of it.
pub(super) fn assignment_into(
    unit: &TranslationUnit,
    body: StmtId,
    decl: DeclId,
) -> Option<ExprId> {
    let mut found = None;
    walk::stmt(unit, body, &mut |node| {
        if let Node::Expr(expr) = node
            && let ExprKind::Assign { target, .. }
            | ExprKind::CompoundAssign { target, .. }
            | ExprKind::IncDec(_, target) = unit.exprs[expr].kind
            && root(unit, target) == Some(decl)
        {
            found.get_or_insert(target);
        }
        Below::Enter
    });
    found
}

/// The reductions on scalar variables, in order.
pub(super) fn scalar_reductions<'d>(
    unit: &'d TranslationUnit,
    directive: &'d Directive,
) -> impl Iterator<Item = (ReductionOp, &'d VarRef)> {
    directive.reductions().filter(|(_, var)| !is_array_reduction(unit, var))
}

impl Lowerer<'_> {
    /// The array reductions of a loop: those of its clauses, and those of loops around that it takes
    /// part in. Reads the elements.
    pub(super) fn array_reductions(
        &mut self,
        directive: &Directive,
        body: StmtId,
        independent: bool,
    ) -> Lowering<Vec<ArrayReduction>> {
        let unit = self.unit;
        let mut wanted: Vec<(ReductionOp, VarRef)> = directive
            .reductions()
            .filter(|(_, var)| is_array_reduction(unit, var) && assigns_into(unit, body, var.decl))
            .map(|(op, var)| (op, var.clone()))
            .collect();
        if independent {
            for around in &self.reduced_arrays {
                let known = wanted.iter().any(|(_, var)| var.decl == around.var.decl);
                if !known && assigns_into(unit, body, around.var.decl) {
                    wanted.push((around.op, around.var.clone()));
                }
            }
        }
        let mut reductions = Vec::new();
        for (op, var) in wanted {
            let is_large = self.too_many(&var);
            let known = self.updated_arrays.contains(&var.decl);
            if is_large
                && (known
                    || only_combines(unit, body, var.decl, op) && self.is_of_the_program(var.decl))
            {
                if !known {
                    self.updated_arrays.push(var.decl);
                }
                continue;
            }
            reductions.push(self.array_reduction(op, var)?);
        }
        Ok(reductions)
    }

    fn array_reduction(&mut self, op: ReductionOp, var: VarRef) -> Lowering<ArrayReduction> {
        let (element, first, count) = self.reduced_elements(&var)?;
        let scalar = self.scalar(element, var.span)?;
        self.check_operator(op, scalar, var.span)?;
        let named = match (var.sections.as_slice(), self.unit.named(var.base)) {
            ([] | [_], Some(decl)) if !var.sections.iter().any(|s| s.is_index) => {
                Named::Variable(decl)
            }
            _ => Named::Object(var.first),
        };
        let mut outside = Vec::new();
        let mut slots = Vec::new();
        for i in 0..count {
            let pointer = self.reduced_element(&var, named, first + i)?;
            let value = self.load(&pointer, scalar, var.span)?;
            let memory = scalar.memory(&mut self.b.ctx);
            let slot = self.alloca(memory);
            let value = self.stored(value, scalar);
            self.write_slot(slot, value);
            outside.push(pointer);
            slots.push(slot);
        }
        Ok(ArrayReduction { named, var, op, scalar, first, count, outside, slots, private: None })
    }

    /// Whether a clause is about more elements of an array than each iteration can have of its own.
    fn too_many(&self, var: &VarRef) -> bool {
        let unit = self.unit;
        let is_array = |ty| unit.types.as_array(ty).is_some() || unit.types.is_pointer(ty);
        if unit.named(var.base) != Some(var.decl)
            || !is_array(unit.decls[var.decl].ty)
            || !var.sections.is_empty() && var.sections.iter().all(|section| section.is_index)
        {
            return false;
        }
        let constant = |expr: ExprId| unit.constant_int(expr);
        let end = match var.sections.as_slice() {
            [] => match unit.types.as_array(var.ty) {
                Some((element, ArraySize::Constant(count)))
                    if unit.types.as_array(element).is_none() =>
                {
                    Some(i128::from(count))
                }
                _ => None,
            },
            [section] if unit.types.as_array(var.ty).is_none() => {
                let first = section.lower.map_or(Some(0), constant);
                let length = section.length.and_then(constant);
                first.zip(length).and_then(|(first, length)| first.checked_add(length))
            }
            _ => None,
        };
        end.is_none_or(|end| end > i128::from(MOST_ELEMENTS))
    }

    /// The type of the elements of a variable in a clause, the first one and their number.
    fn reduced_elements(&self, var: &VarRef) -> Lowering<(Type, u64, u64)> {
        let unit = self.unit;
        let constant = |expr: Option<ExprId>| match expr {
            Some(expr) => unit.constant_int(expr).and_then(|value| u64::try_from(value).ok()),
            None => Some(0),
        };
        let (element, first, count) = match var.sections.as_slice() {
            [] => match unit.types.as_array(var.ty) {
                Some((element, ArraySize::Constant(count))) => (element, Some(0), Some(count)),
                Some((element, _)) => (element, Some(0), None),
                // Both parts of a sum are sums.
                None => match unit.types.as_complex(var.ty) {
                    Some(part) => (part, Some(0), Some(2)),
                    None => (var.ty, Some(0), Some(1)),
                },
            },
            // One element, wherever it is.
            sections if sections.iter().all(|section| section.is_index) => {
                (var.ty, Some(0), Some(1))
            }
            [section] => (var.ty, constant(section.lower), constant(section.length)),
            _ => (var.ty, None, None),
        };
        if Scalar::of(unit, flatten(unit, element).0).is_some()
            && Scalar::of(unit, element).is_none()
        {
            return self.refuse(
                var.span,
                Diagnostic::error(
                    "a reduction on several dimensions is not supported by this version of gpuc",
                )
                .code(codes::NOT_SUPPORTED)
                .help("write the clause for one row, or use `atomic update`"),
            );
        }
        match (first, count) {
            (Some(first), Some(count)) if first + count <= MOST_ELEMENTS => Ok((element, first, count)),
            _ => self.refuse(
                var.span,
                Diagnostic::error(format!(
                    "a reduction on more than {MOST_ELEMENTS} elements, or on a number of them that is not constant, is not supported by this version of gpuc"
                ))
                .code(codes::NOT_SUPPORTED)
                .help("use `atomic update` on the elements"),
            ),
        }
    }

    /// The operators that a type has.
    fn check_operator(&self, op: ReductionOp, scalar: Scalar, span: Span) -> Lowering<()> {
        use ReductionOp::{And, Or, Xor};
        if scalar.is_float() && matches!(op, And | Or | Xor) {
            let message = format!("`{}` has no meaning for floating types", op.spelling());
            return self.error(span, format!("{message} ({})", self.family.reduction_rule()));
        }
        Ok(())
    }

    fn reduced_element(&mut self, var: &VarRef, named: Named, at: u64) -> Lowering<Pointer> {
        let Named::Variable(decl) = named else { return self.object(var.first) };
        let unit = self.unit;
        if let Some(part) = unit.types.as_complex(unit.decls[decl].ty) {
            let scalar = self.scalar(part, var.span)?;
            let object = self.object(var.base)?;
            return Ok(self.part_of(&object, scalar, at == 1));
        }
        let start = match unit.types.as_array(unit.decls[decl].ty) {
            Some((element, _)) => {
                let object = self.object(var.base)?;
                let start = self.decay(object, unit.decls[decl].ty, var.span)?;
                (start, element)
            }
            None => {
                let to = unit.types.pointee(unit.decls[decl].ty).unwrap_or(Type::ERROR);
                let pointer = match self.place(var.base)? {
                    Lvalue::Pointer(pointer) => pointer,
                    Lvalue::PointerVariable(decl) => self.read_pointer(decl, var.span)?,
                    _ => return self.untraced(var.span),
                };
                (pointer, to)
            }
        };
        let count = self.index(at as i64);
        self.advance(&start.0, start.1, count, var.span)
    }

    /// At the start of an iteration: private arrays in the place of the variables.
    pub(super) fn enter_array_reductions(
        &mut self,
        reductions: &mut [ArrayReduction],
    ) -> Lowering<()> {
        for reduction in reductions {
            let scalar = reduction.scalar;
            let element = scalar.memory(&mut self.b.ctx);
            let extent = (reduction.first + reduction.count).max(1);
            let ty = self.b.ctx.memref(&[extent as i64], element);
            let op = memref::AllocaOp::new(&mut self.b, &[], &[]).result(ty);
            let memref = self.value(op);
            let form = Form::Elements { element, size: scalar.size(), inner: Vec::new() };
            let buffer = self.buffer(memref, form, None);
            let pointer = self.start_of(buffer, 0);
            let neutral = self.neutral(reduction.op, scalar);
            for i in 0..reduction.count {
                let at = self.private_element(&pointer, reduction.first + i);
                self.store(neutral, &at, scalar, reduction.var.span)?;
            }
            match reduction.named {
                Named::Variable(decl) => {
                    let ty = self.unit.decls[decl].ty;
                    let is_array =
                        self.unit.types.as_array(ty).is_some() || self.is_complex_type(ty);
                    let binding = match is_array {
                        true => Binding::Object(pointer.clone()),
                        false => Binding::Pointer(pointer.clone()),
                    };
                    self.bindings.insert(decl, binding);
                }
                Named::Object(expr) => {
                    let path = VarRef { base: expr, ..reduction.var.clone() };
                    self.paths.insert(0, (path, Some(Binding::Object(pointer.clone()))));
                }
            }
            reduction.private = Some(pointer);
        }
        Ok(())
    }

    fn private_element(&mut self, start: &Pointer, at: u64) -> Pointer {
        let position = [self.index(at as i64)].into_iter().collect();
        Pointer::new(start.buffer, position)
    }

    /// At the end of an iteration: combines what it has into the elements.
    pub(super) fn leave_array_reductions(&mut self, reductions: &[ArrayReduction]) -> Lowering<()> {
        for reduction in reductions {
            let Some(private) = &reduction.private else { continue };
            if matches!(reduction.named, Named::Object(_)) {
                self.paths.remove(0);
            }
            let scalar = reduction.scalar;
            for (i, &slot) in reduction.slots.iter().enumerate() {
                let at = self.private_element(private, reduction.first + i as u64);
                let mine = self.load(&at, scalar, reduction.var.span)?;
                let all = self.read_slot(slot);
                let all = self.loaded(all, scalar);
                let all = self.combined(reduction.op, scalar, all, mine);
                let all = self.stored(all, scalar);
                self.write_slot(slot, all);
            }
        }
        Ok(())
    }

    /// Behind the loop: the elements get what their reduction variables hold.
    pub(super) fn finish_array_reductions(
        &mut self,
        reductions: &[ArrayReduction],
    ) -> Lowering<()> {
        for reduction in reductions {
            for (pointer, &slot) in reduction.outside.iter().zip(&reduction.slots) {
                let value = self.read_slot(slot);
                let value = self.loaded(value, reduction.scalar);
                self.store(value, pointer, reduction.scalar, reduction.var.span)?;
            }
        }
        Ok(())
    }

    /// The value that changes nothing.
    fn neutral(&mut self, op: ReductionOp, scalar: Scalar) -> Value {
        use ReductionOp::{Add, And, LogicalAnd, LogicalOr, Max, Min, Mul, Or, Xor};
        let ty = scalar.register(&mut self.b.ctx);
        if scalar.is_float() {
            let value = match op {
                Mul | LogicalAnd => 1.0,
                Max => f64::NEG_INFINITY,
                Min => f64::INFINITY,
                _ => 0.0,
            };
            return arith::constant_float(&mut self.b, value, ty);
        }
        let bits = self.b.ctx.int_width(ty).unwrap_or(32);
        let (least, most) = match scalar.is_unsigned() {
            true => (0, (1i128 << bits) - 1),
            false => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
        };
        let value = match op {
            Add | Or | Xor | LogicalOr => 0,
            Mul | LogicalAnd => 1,
            And => -1,
            Max => least,
            Min => most,
        };
        arith::constant_int(&mut self.b, value, ty)
    }

    /// `a op b`.
    fn combined(&mut self, op: ReductionOp, scalar: Scalar, a: Value, b: Value) -> Value {
        use ReductionOp::{Add, And, LogicalAnd, LogicalOr, Max, Min, Mul, Or, Xor};
        let op = match (op, scalar) {
            (Add | Max, Scalar::Bool) => Or,
            (Mul | Min, Scalar::Bool) => And,
            (op, _) => op,
        };
        let builder = &mut self.b;
        let (float, unsigned) = (scalar.is_float(), scalar.is_unsigned());
        let op = match op {
            Add if float => arith::AddFOp::new(builder, a, b),
            Mul if float => arith::MulFOp::new(builder, a, b),
            Max if float => arith::MaxNumFOp::new(builder, a, b),
            Min if float => arith::MinNumFOp::new(builder, a, b),
            Add => arith::AddIOp::new(builder, a, b),
            Mul => arith::MulIOp::new(builder, a, b),
            Max if unsigned => arith::MaxUIOp::new(builder, a, b),
            Max => arith::MaxSIOp::new(builder, a, b),
            Min if unsigned => arith::MinUIOp::new(builder, a, b),
            Min => arith::MinSIOp::new(builder, a, b),
            And => arith::AndIOp::new(builder, a, b),
            Or => arith::OrIOp::new(builder, a, b),
            Xor => arith::XOrIOp::new(builder, a, b),
            LogicalAnd | LogicalOr => {
                let (a, b) = (self.is_true(a, scalar), self.is_true(b, scalar));
                let builder = &mut self.b;
                let both = match op {
                    LogicalAnd => arith::AndIOp::new(builder, a, b),
                    _ => arith::OrIOp::new(builder, a, b),
                };
                let both = self.value(both);
                return self.convert(both, Scalar::Bool, scalar);
            }
        };
        self.value(op)
    }
}

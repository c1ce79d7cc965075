//! `unflatten-loops`: a loop that takes its variable apart into row and column becomes two.
//!
//! `for (p = 0; p < n * m; p++)` with `i = p / m` and `j = p % m` runs over rows and columns in their order; so do two loops, with
//! `i` and `j` as their variables, which analyses understand. That is strip-mining, which no dependence forbids. The last
//! row, where `m` does not divide the number of iterations, is a loop of its own behind. Done where subscripts of what
//! the loop writes need the quotient or the remainder; `m < 1`, of which C says little, keeps the loop as it was
//! (see [`versions`]). Runs where loops count in `index`, ahead of `widen-subscripts` and `raise-affine`.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::offload::{
    FITS_ATTR, FITS_UNSIGNED_ATTR, RegionOp, SCHEDULE_ATTR, SECTION_TEST_ATTR,
};
use gpuc_dialects::{arith, scf};
use gpuc_ir::op::{AccessKind, Subscripts};
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Builder, InsertPoint, Ir, Op, OpView, Type, Value, ValueMap, WalkOrder};
use rustc_hash::FxHashSet;

use super::raise_affine::copy_marks;
use crate::analysis::access::root;
use crate::analysis::loops::candidates;
use crate::analysis::polynomial::Polynomial;
use crate::analysis::range::{Range, range};
use crate::analysis::slice::{build_polynomial, compute_outside, is_defined_inside, pure_slice};
use crate::analysis::subscript::polynomial;
use crate::versions::{self, Unassuming, in_fallback};

gpuc_ir::pass! {
    /// Make two loops of one that takes its variable apart.
    UnflattenLoops = "unflatten-loops" on "func.func" {}
}

impl Pass for UnflattenLoops {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        for inner in ir.nested_ops(op, WalkOrder::PreOrder) {
            let Some(region) = RegionOp::cast(ir, inner).filter(|_| !in_fallback(ir, inner)) else {
                continue;
            };
            let mut waiting = candidates(ir, region);
            waiting.extend(told_parallel(ir, region));
            while let Some(candidate) = waiting.pop() {
                let found = Rows::find(ir, candidate);
                let Some(rows) = found.filter(|rows| rows.is_needed(ir)) else { continue };
                if rows.require_columns(ir, inner).is_some() {
                    let remark = Diagnostic::remark("Loop over rows and columns made two loops");
                    cx.report(remark.at_option(ir.ctx.place(ir.location(candidate))));
                    // Rows may be rows of planes.
                    waiting.push(rows.split(ir));
                }
            }
        }
        Ok(())
    }
}

/// The loops of a region that a directive lets run at once.
fn told_parallel(ir: &Ir, region: RegionOp) -> Vec<Op> {
    let mut nested = ir.nested_ops(region.op(), WalkOrder::PreOrder);
    nested.retain(|&op| scf::ParallelOp::is(ir, op));
    nested
}

/// The variable of a sequential loop, or the first one of a parallel one, and its bounds and step.
fn counted(ir: &Ir, op: Op) -> Option<(Value, [Value; 3])> {
    if let Some(view) = scf::ForOp::cast(ir, op) {
        let bounds = [view.lowerBound(ir), view.upperBound(ir), view.step(ir)];
        return Some((view.induction_var(ir), bounds));
    }
    let view = scf::ParallelOp::cast(ir, op)?;
    let [lower, upper, step] = [view.lowerBound(ir), view.upperBound(ir), view.step(ir)];
    let first = [*lower.first()?, *upper.first()?, *step.first()?];
    Some((*view.induction_vars(ir).first()?, first))
}

/// A loop that takes its variable apart.
struct Rows {
    op: Op,
    variable: Value,
    upper: Value,
    /// Columns of a row, as the loop divides by it.
    columns: Value,
    signed: bool,
    /// Quotients and remainders of the variable, each with what it is divided by.
    parts: Vec<(Op, Value)>,
}

impl Rows {
    /// The quotients and remainders in a loop from 0 by steps of 1.
    fn find(ir: &Ir, op: Op) -> Option<Rows> {
        let constant = |value| arith::constant_index_value(ir, value);
        let (variable, [lower, upper, step]) = counted(ir, op)?;
        let counts = constant(lower) == Some(0) && constant(step) == Some(1);
        if !counts || !ir.ctx.is_index(ir.ty(variable)) {
            return None;
        }
        let mut parts: Vec<(Op, Value)> = Vec::new();
        let mut signs = FxHashSet::default();
        for part in ir.nested_ops(op, WalkOrder::PreOrder) {
            let Some(signed) = division(ir, part) else { continue };
            let by = ir.operand(part, 1);
            let stays = !is_defined_inside(ir, by, op);
            if stays && is_number(ir, ir.operand(part, 0), variable, signed) {
                parts.push((part, by));
                signs.insert(signed);
            }
        }
        let signed = signs.iter().copied().next().filter(|_| signs.len() == 1)?;
        // The shortest rows: those that the others are made of.
        let remainder = parts.iter().find(|&&(op, by)| {
            is_remainder(ir, op) && parts.iter().all(|&(_, other)| times(ir, other, by).is_some())
        });
        let &(_, columns) = remainder.or(parts.first())?;
        Some(Rows { op, variable, upper, columns, signed, parts })
    }

    /// Whether the loop has something to gain: of a sequential one subscripts of what it writes need a quotient or a remainder, of a parallel
    /// one those of loops inside, as of products, and there is no shorter row behind the others.
    fn is_needed(&self, ir: &Ir) -> bool {
        let results: FxHashSet<Value> =
            self.parts.iter().map(|&(op, _)| ir.result(op, 0)).collect();
        let mut inside = ir.nested_ops(self.op, WalkOrder::PreOrder);
        if scf::ParallelOp::is(ir, self.op) {
            if self.whole_rows(ir).is_none() {
                return false;
            }
            let is_looped = |&op: &Op| {
                ir.ancestors(op)
                    .take_while(|&outer| outer != self.op)
                    .any(|outer| ir.is_counted_loop(outer))
            };
            inside.retain(|op| ir.memory_access(*op).is_some() && is_looped(op));
            let mut accesses = inside.iter().filter_map(|&op| ir.memory_access(op));
            return accesses.any(|access| is_made_of_parts(ir, &access.subscripts, &results));
        }
        let accesses: Vec<_> = inside.iter().filter_map(|&op| ir.memory_access(op)).collect();
        let written: FxHashSet<Value> = accesses
            .iter()
            .filter(|access| access.kind != AccessKind::Read)
            .map(|access| root(ir, access.buffer))
            .collect();
        let mut writes =
            accesses.iter().filter(|access| written.contains(&root(ir, access.buffer)));
        writes.any(|access| is_made_of_parts(ir, &access.subscripts, &results))
    }

    /// How many rows there are, where each has all its columns.
    fn whole_rows(&self, ir: &Ir) -> Option<Polynomial> {
        polynomial(ir, self.upper).exact_quotient(&polynomial(ir, self.columns))
    }

    /// Lets the region run only with a column at least; `None` where that cannot be tested in front of it.
    fn require_columns(&self, ir: &mut Ir, region: Op) -> Option<()> {
        let known = range(ir, self.columns);
        if known.min >= 1 {
            return Some(());
        }
        pure_slice(ir, self.columns, versions::point(ir, region))?;
        let kept = Unassuming::keep(ir, region);
        let point = versions::point(ir, region);
        let mut b = Builder::before(ir, point);
        let columns = compute_outside(&mut b, self.columns, point, &mut ValueMap::new())?;
        let columns = as_index(&mut b, columns, self.signed);
        let one = arith::constant_index(&mut b, 1);
        let sge = arith::CmpIPredicate::Sge.attr(&mut b.ctx);
        let some = arith::CmpIOp::new(&mut b, columns, one).attr(&mut b, "predicate", sge);
        let mut holds = some.value(&mut b);
        // Without an iteration, rows need no columns.
        if let Some(upper) = compute_outside(&mut b, self.upper, point, &mut ValueMap::new()) {
            let sge = arith::CmpIPredicate::Sge.attr(&mut b.ctx);
            let zero = arith::constant_index(&mut b, 0);
            let none = arith::CmpIOp::new(&mut b, zero, upper).attr(&mut b, "predicate", sge);
            let none = none.value(&mut b);
            holds = arith::OrIOp::new(&mut b, holds, none).value(&mut b);
        }
        if let Some(test) = b.defining_op(holds) {
            let unit = b.ctx.unit_attr();
            b.set_attr(test, SECTION_TEST_ATTR, unit);
        }
        kept.require(ir, holds, region);
        Some(())
    }

    /// Makes the loops; the outer one.
    fn split(&self, ir: &mut Ir) -> Op {
        let (op, variable) = (self.op, self.variable);
        self.mark_casts(ir, variable);
        let body = ir.body(op, 0);
        let location = ir.location(op);
        let mut b = Builder::before(ir, op);
        let columns = as_index(&mut b, self.columns, self.signed);
        let (zero, one) = (arith::constant_index(&mut b, 0), arith::constant_index(&mut b, 1));
        // Two numbers for the body, which the copies of it get in place of what is computed here.
        let mut b = Builder::new(ir, InsertPoint::Start(body), location);
        let row = arith::DivSIOp::new(&mut b, variable, columns).value(&mut b);
        let column = arith::RemSIOp::new(&mut b, variable, columns).value(&mut b);
        for &(part, by) in &self.parts {
            let ty = ir.ty(ir.result(part, 0));
            let Some(factor) = times(ir, by, self.columns) else { continue };
            let mut b = Builder::before(ir, op);
            let planes = build(&mut b, &factor);
            let mut b = Builder::before(ir, part);
            let number = match (factor.as_constant(), is_remainder(&b, part)) {
                (Some(1), false) => row,
                (Some(1), true) => column,
                (_, is_remainder) => {
                    if is_remainder {
                        let own = arith::RemSIOp::new(&mut b, row, planes).value(&mut b);
                        let start = arith::MulIOp::new(&mut b, own, columns).value(&mut b);
                        arith::AddIOp::new(&mut b, start, column).value(&mut b)
                    } else {
                        arith::DivSIOp::new(&mut b, row, planes).value(&mut b)
                    }
                }
            };
            let number = narrowed(&mut b, number, ty, self.signed);
            ir.replace_op(part, &[number]);
        }
        let whole = self.whole_rows(ir);
        let mut b = Builder::before(ir, op);
        let (rows, rest) = match whole {
            Some(form) => (build(&mut b, &form), None),
            None => {
                let count = arith::MaxSIOp::new(&mut b, self.upper, zero).value(&mut b);
                let divisor = arith::MaxSIOp::new(&mut b, columns, one).value(&mut b);
                let rows = arith::DivSIOp::new(&mut b, count, divisor).value(&mut b);
                let rest = arith::RemSIOp::new(&mut b, count, divisor).value(&mut b);
                (rows, Some(rest))
            }
        };
        let Some(view) = scf::ForOp::cast(&b, op) else {
            return self.split_parallel(&mut b, [row, column], [rows, columns]);
        };
        let made = Made { view, row, column, columns };
        let inits = view.initArgs(&b).to_vec();
        let outer = scf::ForOp::create(&mut b, (zero, rows, one), &inits, |b, i, carried| {
            made.row_of(b, i, (zero, columns, one), carried)
        });
        let mut results = b.results(outer.op()).to_vec();
        if let Some(rest) = rest {
            results = made.row_of(&mut b, rows, (zero, rest, one), &results);
        }
        copy_marks(ir, op, outer.op());
        ir.replace_op(op, &results);
        outer.op()
    }

    /// The parallel loop with another dimension behind its first one.
    fn split_parallel(
        &self,
        b: &mut Builder<'_>,
        numbers: [Value; 2],
        [rows, columns]: [Value; 2],
    ) -> Op {
        let view = scf::ParallelOp(self.op);
        let old = view.body(b);
        let bounds = [view.lowerBound(b), view.upperBound(b), view.step(b)];
        let mut bounds = bounds.map(|values| values.to_vec());
        let (zero, one) = (arith::constant_index(b, 0), arith::constant_index(b, 1));
        bounds[0].insert(1, zero);
        bounds[1][0] = rows;
        bounds[1].insert(1, columns);
        bounds[2].insert(1, one);
        let inits = view.initVals(b).to_vec();
        let types = vec![b.ctx.index(); bounds[0].len()];
        let variables = view.induction_vars(b).to_vec();
        let region = b.region(&types, |b, new| {
            let start = arith::MulIOp::new(b, new[0], columns).value(b);
            let number = arith::AddIOp::new(b, start, new[1]).value(b);
            for (value, &made) in numbers.into_iter().zip(new) {
                if let Some(op) = b.defining_op(value) {
                    b.replace_op(op, &[made]);
                }
            }
            b.replace_all_uses(variables[0], number);
            for (&variable, &new) in variables[1..].iter().zip(&new[2..]) {
                b.replace_all_uses(variable, new);
            }
            for inner in b.ops(old).collect::<Vec<_>>() {
                b.detach_op(inner);
                b.insert(inner);
            }
        });
        let results: Vec<Type> = b.results(self.op).iter().map(|&result| b.ty(result)).collect();
        let new = scf::ParallelOp::new(b, &bounds[0], &bounds[1], &bounds[2], &inits)
            .result_group(&results)
            .region(region)
            .build(b);
        copy_marks(b, self.op, new);
        let results = b.results(new).to_vec();
        b.replace_op(self.op, &results);
        new
    }

    /// Notes at casts of the variable that they keep it: of what it will be, that is not seen.
    fn mark_casts(&self, ir: &mut Ir, variable: Value) {
        for user in ir.users(variable).collect::<Vec<_>>() {
            let is_cut = arith::IndexCastOp::is(ir, user) || arith::TruncIOp::is(ir, user);
            if is_cut {
                let fits = if polynomial(ir, ir.result(user, 0)).as_value() == Some(variable) {
                    Some(FITS_ATTR)
                } else {
                    range(ir, variable).is_within(Range::unsigned(32)).then_some(FITS_UNSIGNED_ATTR)
                };
                if let Some(fits) = fits {
                    let unit = ir.ctx.unit_attr();
                    ir.set_attr(user, fits, unit);
                }
            }
        }
    }
}

/// What the new loops are made from.
struct Made {
    view: scf::ForOp,
    /// The row in the old body.
    row: Value,
    /// The column there.
    column: Value,
    columns: Value,
}

impl Made {
    /// The loop over a row; what it carries behind it.
    fn row_of(
        &self,
        b: &mut Builder<'_>,
        row: Value,
        bounds: (Value, Value, Value),
        carried: &[Value],
    ) -> Vec<Value> {
        let body = self.view.body(b);
        let end = self.view.terminator(b);
        let arguments = b.arguments(body).to_vec();
        let inner = scf::ForOp::create(b, bounds, carried, |b, column, carried| {
            let start = arith::MulIOp::new(b, row, self.columns).value(b);
            let number = arith::AddIOp::new(b, start, column).value(b);
            let mut map = ValueMap::new();
            map.insert(arguments[0], number);
            for (&old, &new) in arguments[1..].iter().zip(carried) {
                map.insert(old, new);
            }
            map.insert(self.row, row);
            map.insert(self.column, column);
            let own = [self.row, self.column].map(|value| b.defining_op(value));
            for op in b.ops(body).collect::<Vec<_>>() {
                if op != end && !own.contains(&Some(op)) {
                    let copy = b.clone_op(op, &mut map);
                    b.insert(copy);
                }
            }
            b.operands(end).map(|value| map.get(value)).collect()
        });
        copy_marks(b, self.view.op(), inner.op());
        // What a clause divides the loop among divides its rows.
        b.remove_attr(inner.op(), SCHEDULE_ATTR);
        b.results(inner.op()).to_vec()
    }
}

/// Whether an operation divides, and with a sign.
fn division(ir: &Ir, op: Op) -> Option<bool> {
    match ir.name(op) {
        arith::DivSIOp::NAME | arith::RemSIOp::NAME => Some(true),
        arith::DivUIOp::NAME | arith::RemUIOp::NAME => Some(false),
        _ => None,
    }
}

fn is_remainder(ir: &Ir, op: Op) -> bool {
    arith::RemSIOp::is(ir, op) || arith::RemUIOp::is(ir, op)
}

/// Whether a value is the loop's variable, perhaps in another type.
fn is_number(ir: &Ir, value: Value, variable: Value, signed: bool) -> bool {
    if value == variable || polynomial(ir, value).as_value() == Some(variable) {
        return true;
    }
    let Some(cut) = ir.defining_op(value).filter(|_| !signed) else { return false };
    let is_cut = arith::IndexCastOp::is(ir, cut) || arith::TruncIOp::is(ir, cut);
    let fits = || {
        ir.attr(cut, FITS_UNSIGNED_ATTR).is_some()
            || range(ir, variable).is_within(Range::unsigned(32))
    };
    is_cut && ir.operand(cut, 0) == variable && fits()
}

/// What `columns` is multiplied by to give `number`.
fn times(ir: &Ir, number: Value, columns: Value) -> Option<Polynomial> {
    if number == columns {
        return Some(Polynomial::constant(1));
    }
    polynomial(ir, number).exact_quotient(&polynomial(ir, columns))
}

/// Whether subscripts are computed from one of the values.
fn is_made_of_parts(ir: &Ir, subscripts: &Subscripts, parts: &FxHashSet<Value>) -> bool {
    let Subscripts::Values(values) = subscripts else { return false };
    values.iter().any(|&subscript| {
        let values = polynomial(ir, subscript).values();
        values.into_iter().any(|value| is_made_of(ir, value, parts, 8))
    })
}

/// Whether a value is computed from one of others.
fn is_made_of(ir: &Ir, value: Value, parts: &FxHashSet<Value>, depth: u32) -> bool {
    parts.contains(&value)
        || depth > 0
            && ir.defining_op(value).is_some_and(|op| {
                ir.is_effect_free(op)
                    && ir.operands(op).any(|operand| is_made_of(ir, operand, parts, depth - 1))
            })
}

/// A form's value, from values that are there.
fn build(b: &mut Builder<'_>, form: &Polynomial) -> Value {
    build_polynomial(b, form, |_, _| Some(Vec::new()), &mut ValueMap::new())
        .expect("nothing is computed again")
}

fn as_index(b: &mut Builder<'_>, value: Value, signed: bool) -> Value {
    let index = b.ctx.index();
    match (b.ctx.is_index(b.ty(value)), signed) {
        (true, _) => value,
        (false, true) => arith::IndexCastOp::new(b, value).result(index).value(b),
        (false, false) => arith::IndexCastUIOp::new(b, value).result(index).value(b),
    }
}

/// A number below the loop's bound in the type that it had.
fn narrowed(b: &mut Builder<'_>, number: Value, ty: Type, signed: bool) -> Value {
    if b.ctx.is_index(ty) {
        return number;
    }
    let cast = arith::IndexCastOp::new(b, number).result(ty).value(b);
    let attr = if signed { FITS_ATTR } else { FITS_UNSIGNED_ATTR };
    let unit = b.ctx.unit_attr();
    if let Some(op) = b.defining_op(cast) {
        b.set_attr(op, attr, unit);
    }
    cast
}

//! Nests in which each element of a result gathers terms from rows and columns of others.
//!
//! `C[i][j] = f(sum over k of g(A[i][k], B[k][j]))` and everything of its kind: products of matrices,
//! transposed, batched, symmetric, of any element type and any term. What matters is who depends on
//! which loop: a value that does not depend on the column is the same for all columns, so that a block of
//! rows and columns needs it once. This is reuse in Andión's sense (2015, Algorithms 2 and 3), seen for
//! both of a block's dimensions at once.

use std::fmt;

use gpuc_dialects::affine::{AffineForOp, AffineIfOp, AffineLoadOp, AffineValue};
use gpuc_dialects::memref;
use gpuc_ir::op::{Subscripts, Traits};
use gpuc_ir::{AffineExpr, DYNAMIC, Ir, Op, OpView, Type, Value, WalkOrder};
use rustc_hash::FxHashMap;

use super::band::{Band, Bound, Dimension};
use super::stage::WIDE_BYTES;
use super::sum::{End, Sum};
use super::tile_plan::TilePlan;
use crate::analysis::access::{Access, access, mapped_rows, root};
use crate::analysis::polynomial::Polynomial;
use crate::analysis::slice::is_defined_inside;
use crate::analysis::subscript::of_affine_over;
use crate::versions::apart_from;

/// Which of the loops a value depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Uses {
    /// On the dimension of rows.
    pub row: bool,
    /// On that of columns.
    pub column: bool,
    /// On the loop that sums.
    pub depth: bool,
}

impl Uses {
    fn or(self, other: Uses) -> Uses {
        Uses {
            row: self.row || other.row,
            column: self.column || other.column,
            depth: self.depth || other.depth,
        }
    }
}

/// A load that several threads of a block repeat.
#[derive(Clone, Debug)]
pub struct Staged {
    /// The load.
    pub op: Op,
    /// The number of the sum that it is a term's of.
    pub sum: usize,
    /// What it depends on: on the depth, and on rows or columns.
    pub uses: Uses,
    /// Subscripts, linear in what the load names as operands.
    pub subscripts: Vec<Polynomial>,
    /// Whether neighbours along the depth are neighbours in memory.
    pub contiguous_depth: bool,
    /// Type of an element.
    pub element: Type,
    /// Bytes of an element: 4 or 8.
    pub bytes: i64,
}

/// Why a nest is none of this kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsuitable {
    /// It has fewer than two dimensions, results, bounds that are more than one value, or such that
    /// depend on other dimensions in another way than triangles do.
    Loop,
    /// Something else than loops that sum stands in it, or such whose bounds change in another way than with a
    /// triangle of rows or columns.
    Sum,
    /// The sum's body holds more than loads and calculation, or numbers that are not 4 or 8 bytes long.
    Term,
    /// A subscript is not one of rows, columns, depth and values that do not change.
    Subscript,
    /// Nothing is the same for several rows, or for several columns.
    NoReuse,
    /// What is loaded in the sum may be written by the nest.
    Overwritten,
}

impl fmt::Display for Unsuitable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unsuitable::Loop => {
                "it is not a nest of two parallel loops or more, with simple bounds and no results"
            }
            Unsuitable::Sum => {
                "it does not consist of loops that sum, with bounds that do not change or are those of a triangle"
            }
            Unsuitable::Term => {
                "its terms are more than loads and calculation on numbers of 4 or 8 bytes"
            }
            Unsuitable::Subscript => {
                "a subscript is not one of rows, columns, terms and values that do not change"
            }
            Unsuitable::NoReuse => "nothing is the same for several rows, or for several columns",
            Unsuitable::Overwritten => "what is loaded in the sum may be written by the nest",
        })
    }
}

/// A parallel nest round sums, one after another, whose terms are shared along rows and columns.
#[derive(Clone, Debug)]
pub struct Contraction {
    /// The parallel loop, the outermost one of several.
    pub nest: Op,
    /// A condition on values that do not change in the nest under which all of its body stands.
    pub condition: Option<AffineIfOp>,
    /// A condition under which all of its body stands that says no more than that a result has terms: elsewhere nothing is read or
    /// written.
    pub present: Option<AffineIfOp>,
    /// Its dimensions.
    pub dims: Vec<Dimension>,
    /// Which of them numbers rows, and which columns: neighbours in memory.
    pub row: usize,
    /// Number of the dimension of columns.
    pub column: usize,
    /// The loops that sum, in order.
    pub sums: Vec<Sum>,
    /// What stands in front of the last of them, beside the others.
    pub prologue: Vec<Op>,
    /// What stands behind them.
    pub epilogue: Vec<Op>,
    /// Loads whose elements go through memory of the block.
    pub staged: Vec<Staged>,
    /// What each value in the sums' bodies depends on.
    pub uses: FxHashMap<Value, Uses>,
    /// Pairs of mapped buffers that must be apart, and have not been asked about.
    pub apart: Vec<(Value, Value)>,
}

impl Contraction {
    /// The nest as a contraction.
    ///
    /// # Errors
    /// Why it is none.
    pub fn of(ir: &Ir, nest: Op) -> Result<Contraction, Unsuitable> {
        let Band { dims, innermost, between } = Band::of(ir, nest).ok_or(Unsuitable::Loop)?;
        let (condition, body) = body(ir, nest, innermost);
        let present = alone(ir, body);
        let body = present.map_or(body, |present| present.then_block(ir));
        let ops: Vec<Op> =
            ir.ops(body).filter(|&op| !ir.has_trait(op, Traits::TERMINATOR)).collect();
        let is_sum = |op: &Op| AffineForOp::is(ir, *op);
        let last = ops.iter().rposition(is_sum).ok_or(Unsuitable::Sum)?;
        let has_loop = |&op: &Op| {
            ir.nested_ops(op, WalkOrder::PreOrder).iter().any(|&inner| ir.is_loop(inner))
        };
        let (loops, before): (Vec<Op>, Vec<Op>) = ops[..=last].iter().partition(|op| is_sum(op));
        let prologue = between.into_iter().chain(before).collect::<Vec<_>>();
        let epilogue = ops[last + 1..].to_vec();
        if prologue.iter().chain(&epilogue).any(has_loop) {
            return Err(Unsuitable::Sum);
        }
        check_prologue(ir, &prologue)?;
        let loops: Vec<AffineForOp> = loops.into_iter().map(AffineForOp).collect();
        let terms: Vec<Op> = loops.iter().flat_map(|&sum| ops_of(ir, sum)).collect();
        let (column, row) =
            columns_and_rows(ir, &dims, &terms, &epilogue).ok_or(Unsuitable::NoReuse)?;
        let sides = [row, column].map(|dim| dims[dim].variable);
        let sums = loops.into_iter().map(|sum| Sum::of(ir, nest, sum, sides));
        let sums = sums.collect::<Result<Vec<_>, _>>()?;
        let mut found = Contraction {
            nest,
            condition,
            present,
            dims,
            row,
            column,
            sums,
            prologue,
            epilogue,
            staged: Vec::new(),
            uses: FxHashMap::default(),
            apart: Vec::new(),
        };
        let variables = found.variables(ir, 0);
        let loads = found.prologue.iter().filter(|&&op| AffineLoadOp::is(ir, op));
        for &load in loads {
            // Of a rectangle, each is at one of its results.
            let fits = |forms: &Vec<Polynomial>| match found.is_rectangle() {
                true => can_be_held(forms, &variables),
                false => is_box(forms, &variables),
            };
            subscripts(ir, load).filter(fits).ok_or(Unsuitable::Subscript)?;
        }
        if present.is_some_and(|present| !found.is_presence(ir, present)) {
            return Err(Unsuitable::Sum);
        }
        found.classify(ir)?;
        found.check_writes(ir)?;
        found.check_slant()?;
        Ok(found)
    }

    /// Whether bounds depend on another dimension at most so that of rows and columns each is all there.
    fn check_slant(&self) -> Result<(), Unsuitable> {
        let sides = [self.row, self.column];
        let mut slanted = self.dims.iter().enumerate().filter_map(|(dim, dimension)| {
            dimension.slanted.as_ref().map(|slanted| [dim, slanted.on])
        });
        if slanted.any(|pair| pair.iter().any(|dim| !sides.contains(dim))) {
            return Err(Unsuitable::Loop);
        }
        Ok(())
    }

    /// Bytes of the registers that one result takes in the sum that wants most: its own, and those of sums in front of it
    /// that somebody asks for from then on.
    pub fn bytes_of_sums(&self, ir: &Ir) -> i64 {
        let bytes = |sum: &Sum| -> i64 {
            let of_type = |&ty: &Type| memref::scalar_bytes(&ir.ctx, ty).unwrap_or(8) as i64;
            sum.types.iter().map(of_type).sum()
        };
        let wanted = self.sums.iter().enumerate().map(|(at, sum)| {
            let kept = self.sums[..at].iter().filter(|before| self.is_kept(ir, before, at));
            bytes(sum) + kept.map(bytes).sum::<i64>()
        });
        wanted.max().unwrap_or(8)
    }

    /// Whether what a sum comes to is used in the sum of that number or behind it. One that goes on from there has it.
    fn is_kept(&self, ir: &Ir, sum: &Sum, during: usize) -> bool {
        let is_later = |user: Op| {
            let within = self.sums.iter().position(|other| ir.is_inside(user, other.op.op()));
            within.is_none_or(|at| at > during || at == during && user != self.sums[at].op.op())
        };
        ir.results(sum.op.op()).iter().any(|&total| ir.users(total).any(is_later))
    }

    /// Tiles that the sum has that has most.
    pub fn most_tiles(&self) -> usize {
        let of = |sum| self.staged.iter().filter(|load| load.sum == sum).count();
        (0..self.sums.len()).map(of).max().unwrap_or(0)
    }

    /// A bound of a sum where there are most terms.
    pub fn at_widest(&self, sum: &Sum, bound: &Bound) -> Bound {
        let mut bound = bound.clone();
        for (dim, end) in [self.row, self.column].into_iter().zip(sum.range.widest) {
            let dim = &self.dims[dim];
            match end {
                End::Any => {}
                End::First => bound.at.push((dim.variable, dim.lower.clone(), 0)),
                End::Last => bound.at.push((dim.variable, dim.upper.clone(), -1)),
            }
        }
        bound
    }

    /// Whether a condition holds wherever the only sum has terms.
    fn is_presence(&self, ir: &Ir, condition: AffineIfOp) -> bool {
        let ([sum], Some(set)) = (&self.sums[..], condition.condition(ir)) else { return false };
        let forms = |bounds: &[Bound]| -> Option<Vec<Polynomial>> {
            bounds.iter().map(|bound| linear(ir, bound.expr, &bound.value)).collect()
        };
        let (Some(lower), Some(upper)) = (forms(&sum.range.lower), forms(&sum.range.upper)) else {
            return false;
        };
        let set = ir.ctx.set_data(set);
        let operands: Vec<Value> = ir.operands(condition.op()).collect();
        let one = Polynomial::constant(-1);
        set.constraints.iter().all(|&(expr, is_equal)| {
            let form = linear_over(ir, expr, set.dims as usize, &operands);
            let more = |first: &Polynomial, end: &Polynomial| end.plus(first, -1)?.plus(&one, 1);
            let is_more = |end| lower.iter().any(|first| more(first, end) == form);
            !is_equal && form.is_some() && upper.iter().any(is_more)
        })
    }

    /// Whether all results of the rectangle of rows and columns are there.
    pub fn has_all_results(&self) -> bool {
        self.is_rectangle() && self.present.is_none()
    }

    /// Whether runs of the terms of a sum begin at multiples of their length.
    pub fn begins_anywhere(&self, ir: &Ir, sum: usize) -> bool {
        let sides = [self.row, self.column].map(|dim| self.dims[dim].variable);
        self.sums[sum].range.begins_anywhere(ir, sides)
    }

    /// Whether rows and columns are a rectangle.
    pub fn is_rectangle(&self) -> bool {
        self.dims.iter().all(|dim| dim.slanted.is_none())
    }

    /// Whether each result is one sum, of the same terms.
    pub fn has_same_terms(&self) -> bool {
        self.sums.len() == 1 && self.sums[0].range.is_fixed()
    }

    /// Whether results have terms of their own.
    pub fn is_slanted(&self) -> bool {
        self.sums.iter().any(|sum| sum.range.widest != [End::Any; 2])
    }

    /// The variable of rows, of columns and of a sum.
    pub fn variables(&self, ir: &Ir, sum: usize) -> [Value; 3] {
        let [row, column] = [self.row, self.column].map(|dim| self.dims[dim].variable);
        [row, column, self.sums[sum].op.induction_var(ir)]
    }

    /// Operations of a term of a sum, in order.
    pub fn terms(&self, ir: &Ir, sum: usize) -> Vec<Op> {
        ops_of(ir, self.sums[sum].op)
    }

    /// Finds out what each value depends on, and which loads are shared.
    fn classify(&mut self, ir: &Ir) -> Result<(), Unsuitable> {
        let [row, column, _] = self.variables(ir, 0);
        self.uses.insert(row, Uses { row: true, ..Uses::default() });
        self.uses.insert(column, Uses { column: true, ..Uses::default() });
        // What stands in front of a sum and is used in it is made again by each thread for each of its
        // results.
        let of_results = Uses { row: true, column: true, depth: false };
        let before = self.prologue.iter().copied().chain(self.sums.iter().map(|sum| sum.op.op()));
        for op in before {
            self.uses.extend(ir.results(op).iter().map(|&result| (result, of_results)));
        }
        (0..self.sums.len()).try_for_each(|sum| self.classify_sum(ir, sum))
    }

    /// The same, of what is in one of the sums.
    fn classify_sum(&mut self, ir: &Ir, sum: usize) -> Result<(), Unsuitable> {
        let variables = self.variables(ir, sum);
        let Sum { op: each, range, .. } = &self.sums[sum];
        let is_fixed = range.is_fixed();
        if !is_fixed && !self.is_rectangle() {
            return Err(Unsuitable::Sum);
        }
        self.uses.insert(variables[2], Uses { depth: true, ..Uses::default() });
        for &carried in each.carried(ir) {
            self.uses.insert(carried, Uses { row: true, column: true, depth: true });
        }
        for op in self.terms(ir, sum) {
            let of = |value: Value| self.uses.get(&value).copied().unwrap_or_default();
            let own = ir.operands(op).map(of).fold(Uses::default(), Uses::or);
            let load = AffineLoadOp::cast(ir, op);
            if load.is_none() && !(ir.is_speculatable(op) && ir.regions(op).is_empty()) {
                return Err(Unsuitable::Term);
            }
            self.uses.extend(ir.results(op).iter().map(|&result| (result, own)));
            if load.is_none() {
                continue;
            }
            let subscripts = subscripts(ir, op).filter(|forms| is_box(forms, &variables));
            let subscripts = subscripts.ok_or(Unsuitable::Subscript)?;
            if own.row && own.column && !self.is_rectangle() {
                return Err(Unsuitable::Subscript);
            }
            if own.depth && !(own.row && own.column) {
                let staged = self.stage(ir, op, sum, own, subscripts);
                self.staged.push(staged.ok_or(Unsuitable::Term)?);
            } else if !is_fixed {
                // A result without this term does not ask for it.
                return Err(Unsuitable::Subscript);
            }
        }
        // A result that is not there asks for nothing, and terms are made ahead of who asks whether it is.
        let terms = self.terms(ir, sum);
        let used: Vec<Value> = terms.iter().flat_map(|&op| ir.operands(op)).collect();
        let needed = self.needed(ir, &self.prologue, &used);
        if self.present.is_some() && needed.iter().any(|&op| AffineLoadOp::is(ir, op)) {
            return Err(Unsuitable::Subscript);
        }
        let own = || self.staged.iter().filter(|load| load.sum == sum);
        let is_shared = own().any(|load| load.uses.row) && own().any(|load| load.uses.column);
        if is_shared { Ok(()) } else { Err(Unsuitable::NoReuse) }
    }

    fn stage(
        &self,
        ir: &Ir,
        op: Op,
        sum: usize,
        uses: Uses,
        subscripts: Vec<Polynomial>,
    ) -> Option<Staged> {
        let element = ir.ty(ir.result(op, 0));
        let bytes = number_bytes(ir, element)?;
        let [.., depth] = self.variables(ir, sum);
        let contiguous_depth =
            subscripts.last().is_some_and(|last| last.coefficient(&[depth]) == 1);
        Some(Staged { op, sum, uses, subscripts, contiguous_depth, element, bytes })
    }

    /// Whether what the sum loads stays as it is while the nest runs: of what the nest writes, only
    /// pointers that the host compares could make it the same memory.
    fn check_writes(&mut self, ir: &Ir) -> Result<(), Unsuitable> {
        let roots: Vec<Value> =
            self.staged.iter().map(|load| root(ir, ir.operand(load.op, 0))).collect();
        self.apart =
            apart_from(ir, self.nest, &roots, Access::writes).ok_or(Unsuitable::Overwritten)?;
        Ok(())
    }
}

impl Contraction {
    /// Operations of a list that some values need, in order.
    pub fn needed(&self, ir: &Ir, ops: &[Op], values: &[Value]) -> Vec<Op> {
        let mut wanted: Vec<Value> = values.to_vec();
        let mut needed = Vec::new();
        for &op in ops.iter().rev() {
            if ir.results(op).iter().any(|result| wanted.contains(result)) {
                wanted.extend(ir.operands(op));
                needed.push(op);
            }
        }
        needed.reverse();
        needed
    }

    /// How many rows (side 0) or columns (side 1) of a thread follow each other in the block: as many as
    /// a wide access has elements.
    pub fn run_length(&self, plan: &TilePlan, side: usize) -> i64 {
        let bytes = self.staged.iter().map(|load| load.bytes).max().unwrap_or(4);
        (WIDE_BYTES / bytes).min(plan.thread[side])
    }

    /// Blocks without a part behind the edge that a grid of a plan has at most, by what arrays have room for; `None` where a dimension
    /// may be of any length.
    pub fn most_blocks(&self, ir: &Ir, plan: &TilePlan) -> Option<i64> {
        let sides = self.sides(plan);
        let mut all = 1i64;
        for (dim, side) in self.dims.iter().zip(sides) {
            all = all.saturating_mul(self.most_trips(ir, dim)? / side);
        }
        Some(all)
    }

    /// Iterations of a dimension that have an element of their own in an array that it counts the rows or columns of.
    fn most_trips(&self, ir: &Ir, dim: &Dimension) -> Option<i64> {
        if let Some(known) = dim.trips(ir) {
            return Some(known);
        }
        let staged = self.staged.iter().map(|load| load.op);
        let all = staged.chain(self.prologue.iter().chain(&self.epilogue).copied());
        let most = all.filter_map(|op| {
            let forms = subscripts(ir, op)?;
            let counts = |form: &Polynomial| {
                form.coefficient(&[dim.variable]) == 1 && form.values() == [dim.variable]
            };
            let buffer = ir.memory_access(op)?.buffer;
            let counted = forms.iter().enumerate().filter(|(_, form)| counts(form));
            counted.filter_map(|(k, _)| room(ir, buffer, k)).min()
        });
        most.min()
    }

    /// Iterations of each dimension that a block of a plan has.
    pub fn sides(&self, plan: &TilePlan) -> Vec<i64> {
        let mut sides = vec![1; self.dims.len()];
        sides[self.row] = plan.block[0];
        sides[self.column] = plan.block[1];
        sides
    }
}

/// A condition that all of a block stands under.
fn alone(ir: &Ir, block: gpuc_ir::Block) -> Option<AffineIfOp> {
    let mut ops = ir.ops(block);
    let first = ops.next().and_then(|op| AffineIfOp::cast(ir, op))?;
    let ends = ops.next().is_none_or(|op| ir.has_trait(op, Traits::TERMINATOR));
    let plain = first.else_block(ir).is_none() && ir.results(first.op()).is_empty();
    (ends && plain).then_some(first)
}

/// The block of the body, and a condition that all of it stands under.
pub(super) fn body(ir: &Ir, nest: Op, innermost: Op) -> (Option<AffineIfOp>, gpuc_ir::Block) {
    let block = ir.body(innermost, 0);
    let outside = |operand: Value| !is_defined_inside(ir, operand, nest);
    let invariant = |condition: &AffineIfOp| ir.operands(condition.op()).all(outside);
    match alone(ir, block).filter(invariant) {
        Some(condition) => (Some(condition), condition.then_block(ir)),
        None => (None, block),
    }
}

/// Operations of the body of a loop.
fn ops_of(ir: &Ir, sum: AffineForOp) -> Vec<Op> {
    let body = sum.body(ir);
    ir.ops(body).filter(|&op| !ir.has_trait(op, Traits::TERMINATOR)).collect()
}

/// What stands in front of the sum can be done by another thread, at a place moved to the edge.
fn check_prologue(ir: &Ir, prologue: &[Op]) -> Result<(), Unsuitable> {
    let plain = |&op: &Op| {
        ir.regions(op).is_empty() && (ir.is_speculatable(op) || AffineLoadOp::is(ir, op))
    };
    if prologue.iter().all(plain) { Ok(()) } else { Err(Unsuitable::Term) }
}

/// The dimensions of columns and of rows: neighbouring columns are neighbours in memory where
/// results are stored, and some load of a term depends on the depth and not on the other.
fn columns_and_rows(
    ir: &Ir,
    dims: &[Dimension],
    terms: &[Op],
    epilogue: &[Op],
) -> Option<(usize, usize)> {
    let position = |value: Value| dims.iter().position(|dim| dim.variable == value);
    let stored = epilogue.iter().flat_map(|&op| ir.nested_ops(op, WalkOrder::PreOrder));
    let last = stored.filter_map(|op| access(ir, op)).filter(|access| access.writes());
    let contiguous = last
        .filter_map(|access| access.subscripts.last().cloned().flatten())
        .find_map(|subscript| {
            let plain = subscript.plain().clone();
            (0..dims.len()).rev().find(|&dim| plain.coefficient(&[dims[dim].variable]).abs() == 1)
        });
    let column = contiguous.unwrap_or(dims.len() - 1);
    // Rows: what most loads depend on that do not depend on columns.
    let mut counts = vec![0; dims.len()];
    for &op in terms.iter().filter(|&&op| AffineLoadOp::is(ir, op)) {
        let used: Vec<usize> = ir.operands(op).skip(1).filter_map(position).collect();
        if !used.contains(&column) {
            used.iter().for_each(|&dim| counts[dim] += 1);
        }
    }
    let row = (0..dims.len()).filter(|&dim| dim != column).max_by_key(|&dim| (counts[dim], dim))?;
    (counts[row] > 0).then_some((column, row))
}

/// The subscripts of an affine access as linear forms of the operands themselves.
pub fn subscripts(ir: &Ir, op: Op) -> Option<Vec<Polynomial>> {
    let Subscripts::Map(map, operands) = ir.memory_access(op)?.subscripts else { return None };
    let value = AffineValue::new(map, &operands);
    value.results(&ir.ctx).iter().map(|&expr| linear(ir, expr, &value)).collect()
}

/// Whether there is at most one of the variables in each subscript, each variable in at most one, going
/// up: then all elements between those of the variables' first and last iterations are the nest's to read.
pub(super) fn is_box(forms: &[Polynomial], variables: &[Value]) -> bool {
    let once = variables.iter().all(|&variable| {
        forms.iter().filter(|form| form.coefficient(&[variable]) != 0).count() <= 1
    });
    once && can_be_held(forms, variables)
}

/// Whether there is at most one of the variables in each subscript, going up: then an element at the variables' last
/// iterations can stand for those beyond.
fn can_be_held(forms: &[Polynomial], variables: &[Value]) -> bool {
    forms.iter().all(|form| {
        let used = variables.iter().map(|&variable| form.coefficient(&[variable]));
        let used: Vec<i64> = used.filter(|&coefficient| coefficient != 0).collect();
        used.len() <= 1 && used.iter().all(|&coefficient| coefficient > 0)
    })
}

/// An expression as a linear form of the operands themselves; `None` for anything else.
pub(super) fn linear(ir: &Ir, expr: AffineExpr, value: &AffineValue) -> Option<Polynomial> {
    linear_over(ir, expr, value.dims(&ir.ctx), &value.operands)
}

/// The same, of operands of which the first `dims` are dimensions.
pub(super) fn linear_over(
    ir: &Ir,
    expr: AffineExpr,
    dims: usize,
    operands: &[Value],
) -> Option<Polynomial> {
    of_affine_over(ir, expr, dims, operands, &Polynomial::value).filter(Polynomial::is_affine)
}

/// Bytes of a number that goes through registers and memory of the block: 4 or 8.
pub(super) fn number_bytes(ir: &Ir, ty: Type) -> Option<i64> {
    let bytes = memref::scalar_bytes(&ir.ctx, ty)?;
    let plain = ir.ctx.is_float(ty) || ir.ctx.int_width(ty).is_some();
    matches!((plain, bytes), (true, 4 | 8)).then_some(bytes as i64)
}

/// Elements of an array along a dimension, as far as its type or the program's data clause says.
fn room(ir: &Ir, buffer: Value, dimension: usize) -> Option<i64> {
    let extent = *ir.ctx.shape(ir.ty(buffer))?.get(dimension)?;
    match extent != DYNAMIC {
        true => Some(extent),
        false if dimension == 0 => mapped_rows(ir, buffer),
        false => None,
    }
}

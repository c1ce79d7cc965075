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
    /// What it depends on: on the depth, and on rows or columns.
    pub uses: Uses,
    /// Subscripts, linear in what the load names as operands.
    pub subscripts: Vec<Polynomial>,
    /// Whether neighbours along the depth are neighbours in memory.
    pub contiguous_depth: bool,
    /// Bytes of an element: 4 or 8.
    pub bytes: i64,
}

/// Why a nest is none of this kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsuitable {
    /// It has fewer than two dimensions, results, bounds that are more than one value, or such that
    /// depend on other dimensions in another way than triangles do.
    Loop,
    /// Something else than one loop that sums stands in it, or that has bounds that change.
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
            Unsuitable::Sum => "it is not one loop that sums, with bounds that do not change",
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

/// A parallel nest round a sum whose terms are shared along rows and columns.
#[derive(Clone, Debug)]
pub struct Contraction {
    /// The parallel loop, the outermost one of several.
    pub nest: Op,
    /// A condition on values that do not change in the nest under which all of its body stands.
    pub condition: Option<AffineIfOp>,
    /// Its dimensions.
    pub dims: Vec<Dimension>,
    /// Which of them numbers rows, and which columns: neighbours in memory.
    pub row: usize,
    /// Number of the dimension of columns.
    pub column: usize,
    /// The loop that sums.
    pub sum: AffineForOp,
    /// What stands in front of it.
    pub prologue: Vec<Op>,
    /// What stands behind it.
    pub epilogue: Vec<Op>,
    /// Loads whose elements go through memory of the block.
    pub staged: Vec<Staged>,
    /// What each value in the sum's body depends on.
    pub uses: FxHashMap<Value, Uses>,
    /// Types of the sums.
    pub sums: Vec<Type>,
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
        let ops: Vec<Op> =
            ir.ops(body).filter(|&op| !ir.has_trait(op, Traits::TERMINATOR)).collect();
        let mut loops = ops.iter().enumerate().filter(|&(_, &op)| AffineForOp::is(ir, op));
        let (at, &sum_op) = loops.next().ok_or(Unsuitable::Sum)?;
        let has_loop = |&op: &Op| {
            ir.nested_ops(op, WalkOrder::PreOrder).iter().any(|&inner| ir.is_loop(inner))
        };
        let prologue = between.into_iter().chain(ops[..at].iter().copied()).collect::<Vec<_>>();
        let epilogue = ops[at + 1..].to_vec();
        if prologue.iter().chain(&epilogue).any(has_loop) || loops.next().is_some() {
            return Err(Unsuitable::Sum);
        }
        let sum = AffineForOp(sum_op);
        check_sum(ir, nest, sum)?;
        check_prologue(ir, &prologue)?;
        let terms: Vec<Op> =
            ir.ops(sum.body(ir)).filter(|&op| !ir.has_trait(op, Traits::TERMINATOR)).collect();
        let (column, row) =
            columns_and_rows(ir, &dims, &terms, &epilogue).ok_or(Unsuitable::NoReuse)?;
        let sums: Vec<Type> = ir.result_types(sum_op).collect();
        let mut found = Contraction {
            nest,
            condition,
            dims,
            row,
            column,
            sum,
            prologue,
            epilogue,
            staged: Vec::new(),
            uses: FxHashMap::default(),
            sums,
            apart: Vec::new(),
        };
        let variables = found.variables(ir);
        let loads = found.prologue.iter().filter(|&&op| AffineLoadOp::is(ir, op));
        for &load in loads {
            subscripts(ir, load)
                .filter(|forms| is_box(forms, &variables))
                .ok_or(Unsuitable::Subscript)?;
        }
        found.classify(ir, &terms)?;
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

    /// Bytes of the registers that one result of each sum takes.
    pub fn bytes_of_sums(&self, ir: &Ir) -> i64 {
        let bytes = |&ty| memref::scalar_bytes(&ir.ctx, ty).unwrap_or(8) as i64;
        self.sums.iter().map(bytes).sum()
    }

    /// Whether rows and columns are a rectangle.
    pub fn is_rectangle(&self) -> bool {
        self.dims.iter().all(|dim| dim.slanted.is_none())
    }

    /// The variable of rows, of columns and of the sum.
    pub fn variables(&self, ir: &Ir) -> [Value; 3] {
        let [row, column] = [self.row, self.column].map(|dim| self.dims[dim].variable);
        [row, column, self.sum.induction_var(ir)]
    }

    /// Operations of a term, in order.
    pub fn terms(&self, ir: &Ir) -> Vec<Op> {
        let body = self.sum.body(ir);
        ir.ops(body).filter(|&op| !ir.has_trait(op, Traits::TERMINATOR)).collect()
    }

    /// Finds out what each value depends on, and which loads are shared.
    fn classify(&mut self, ir: &Ir, terms: &[Op]) -> Result<(), Unsuitable> {
        let variables = self.variables(ir);
        let mut uses: FxHashMap<Value, Uses> = FxHashMap::default();
        uses.insert(variables[0], Uses { row: true, ..Uses::default() });
        uses.insert(variables[1], Uses { column: true, ..Uses::default() });
        uses.insert(variables[2], Uses { depth: true, ..Uses::default() });
        for &sum in self.sum.carried(ir) {
            uses.insert(sum, Uses { row: true, column: true, depth: true });
        }
        // What stands in front of the sum and is used in it is made again by each thread for each of its
        // results.
        for &op in &self.prologue {
            for &result in ir.results(op) {
                uses.insert(result, Uses { row: true, column: true, depth: false });
            }
        }
        for &op in terms {
            let of = |value: Value| uses.get(&value).copied().unwrap_or_default();
            let own = ir.operands(op).map(of).fold(Uses::default(), Uses::or);
            let load = AffineLoadOp::cast(ir, op);
            if load.is_none() && !(ir.is_speculatable(op) && ir.regions(op).is_empty()) {
                return Err(Unsuitable::Term);
            }
            for &result in ir.results(op) {
                uses.insert(result, own);
            }
            if load.is_none() {
                continue;
            }
            let subscripts = subscripts(ir, op).filter(|forms| is_box(forms, &variables));
            let subscripts = subscripts.ok_or(Unsuitable::Subscript)?;
            if own.row && own.column && !self.is_rectangle() {
                return Err(Unsuitable::Subscript);
            }
            if own.depth && !(own.row && own.column) {
                self.staged.push(self.stage(ir, op, own, subscripts).ok_or(Unsuitable::Term)?);
            }
        }
        let along_rows = self.staged.iter().any(|load| load.uses.row);
        let along_columns = self.staged.iter().any(|load| load.uses.column);
        self.uses = uses;
        if along_rows && along_columns { Ok(()) } else { Err(Unsuitable::NoReuse) }
    }

    fn stage(&self, ir: &Ir, op: Op, uses: Uses, subscripts: Vec<Polynomial>) -> Option<Staged> {
        let bytes = number_bytes(ir, ir.ty(ir.result(op, 0)))?;
        let depth = self.sum.induction_var(ir);
        let contiguous_depth =
            subscripts.last().is_some_and(|last| last.coefficient(&[depth]) == 1);
        Some(Staged { op, uses, subscripts, contiguous_depth, bytes })
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

    /// A bound of the sum.
    pub fn sum_bound(&self, ir: &Ir, upper: bool) -> Bound {
        let value = if upper { self.sum.upper_bound(ir) } else { self.sum.lower_bound(ir) };
        Bound::new(value.results(&ir.ctx)[0], &value)
    }
}

/// The block of the body, and a condition that all of it stands under.
pub(super) fn body(ir: &Ir, nest: Op, innermost: Op) -> (Option<AffineIfOp>, gpuc_ir::Block) {
    let block = ir.body(innermost, 0);
    let mut ops = ir.ops(block);
    let first = ops.next().and_then(|op| AffineIfOp::cast(ir, op));
    let rest = ops.next();
    let ends = rest.is_none_or(|op| ir.has_trait(op, Traits::TERMINATOR));
    let invariant = |condition: &AffineIfOp| {
        let outside = |operand: Value| !is_defined_inside(ir, operand, nest);
        condition.else_block(ir).is_none()
            && ir.results(condition.op()).is_empty()
            && ir.operands(condition.op()).all(outside)
    };
    match first.filter(|condition| ends && invariant(condition)) {
        Some(condition) => (Some(condition), condition.then_block(ir)),
        None => (None, block),
    }
}

/// The sum is over a range that is the same everywhere, in steps of 1, and carries numbers.
fn check_sum(ir: &Ir, nest: Op, sum: AffineForOp) -> Result<(), Unsuitable> {
    let (lower, upper) = (sum.lower_bound(ir), sum.upper_bound(ir));
    let outside = |value: &Value| !is_defined_inside(ir, *value, nest);
    let fits = sum.step_value(ir) == 1
        && lower.results(&ir.ctx).len() == 1
        && upper.results(&ir.ctx).len() == 1
        && lower.operands.iter().chain(&upper.operands).all(outside)
        && !ir.results(sum.op()).is_empty();
    if !fits {
        return Err(Unsuitable::Sum);
    }
    let numbers = ir.result_types(sum.op()).all(|ty| number_bytes(ir, ty).is_some());
    if numbers { Ok(()) } else { Err(Unsuitable::Term) }
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
    let alone = forms.iter().all(|form| {
        let used = variables.iter().map(|&variable| form.coefficient(&[variable]));
        let used: Vec<i64> = used.filter(|&coefficient| coefficient != 0).collect();
        used.len() <= 1 && used.iter().all(|&coefficient| coefficient > 0)
    });
    once && alone
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
fn number_bytes(ir: &Ir, ty: Type) -> Option<i64> {
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

//! `stage-transposes`: arrays that a nest touches by columns go through memory of the block.
//!
//! Needs parallel loops of two dimensions or more, no bounds of which depend on each other, with loads or stores
//! of the body whose rows lie along the loop that neighbouring threads execute ([`super::transposition`]). Leaves
//! blocks of a square of iterations: all threads load the squares of arrays that are read so, neighbours along their rows;
//! behind a barrier each executes its iterations with memory of the block in their place, and what they store so
//! is kept there as well, and stored behind another barrier. Rows are an element longer than they need to be, so
//! that neither way has a bank conflict (Li et al. 2016, §3.3.1, padding). Where the host finds that a side
//! is shorter than the square, the nest stays as it was.

use gpuc_arch::Arch;
use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::affine::{AffineLoadOp, AffineStoreOp, AffineValue};
use gpuc_dialects::arith;
use gpuc_dialects::gpu;
use gpuc_dialects::memref;
use gpuc_dialects::offload::RegionOp;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Builder, Ir, Op, OpView, Value, ValueMap, WalkOrder};

use super::blocks::{block_memory, open_edges, over_blocks, rows_of_threads, whole_sides};
use super::coordinates::{Edge, Exprs, apply, below_edges, load_held, where_all, where_all_else};
use super::emit::over_threads;
use super::tile_contractions::open_nest;
use super::transposition::{Transposed, Transposition};
use super::wide::{are_apart, at_least, trip_counts};
use crate::plan::step::{SIDE, SIDES};
use crate::plan::{Given, is_planned, names, record, step};
use crate::steps::refusal::Refusal;
use crate::target::target;
use crate::versions::{self, in_fallback};

gpuc_ir::pass! {
    /// Move arrays that a nest touches by columns through memory of the block.
    StageTransposes = "stage-transposes" on "func.func" {
        /// The device, whose table gives the memory of a block.
        arch: String = Arch::default_target().name.to_owned(),
        /// Iterations of each dimension in a square: 8, 16, 32 or 64.
        side: i64 = SIDE,
        /// Iterations that both dimensions must have at least for the nest to be changed; without, a square's.
        least: Option<i64> = None,
    }
}

/// Threads of a block, at most: of a square of 32 by 32 each executes the iterations of every eighth row.
const MOST_THREADS: i64 = 256;

/// Elements between the ends of rows.
const PADDING: i64 = 1;

impl Pass for StageTransposes {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let arch = target(&self.arch)?;
        let given = Given::of(ir, op)?;
        let steps = given.as_ref().map(Given::of_kind::<step::Stage>);
        if !SIDES.contains(&self.side) {
            let error = Diagnostic::error(format!("no squares have a side of {}", self.side));
            return Err(error.help("sides of stage-transposes are 8, 16, 32 and 64"));
        }
        for inner in ir.nested_ops(op, WalkOrder::PreOrder) {
            let Some(region) = RegionOp::cast(ir, inner) else { continue };
            let planned = is_planned(ir, inner);
            if in_fallback(ir, inner) && !(planned && steps.is_some()) {
                continue;
            }
            let Some(nest) = open_nest(ir, region) else { continue };
            let Some(found) = Transposition::of(ir, nest) else { continue };
            let loops = [found.row, found.column].map(|dim| {
                let variable = found.dims[dim].variable;
                names::of_variable(ir, variable).unwrap_or("?").to_owned()
            });
            let own = || {
                let (side, least) = (self.side, self.least.unwrap_or(self.side));
                step::Stage { loops: loops.clone(), side, least }
            };
            let step = match steps.as_ref().filter(|_| planned) {
                None => own(),
                Some(steps) => match steps.iter().find(|(step, _)| step.loops == loops) {
                    Some((step, placed)) if !SIDES.contains(&step.side) => {
                        let rule = "squares have 8, 16, 32 or 64 iterations each way";
                        let refusal = Refusal::new("stage-transposes", nest, rule);
                        return Err(placed.refused(ir, &refusal));
                    }
                    Some((step, _)) => step.clone(),
                    None => continue,
                },
            };
            if fits(ir, &found, step.side, arch)
                && self.make_version(ir, region, &found, &step, cx).is_some()
                && planned
            {
                record(ir, op, step);
            }
        }
        let mut left = steps.iter().flatten().filter(|(_, placed)| !placed.is_taken(ir, op));
        if let Some((step, placed)) = left.next() {
            let at = placed.find(ir, op, &step.loops[0])?;
            placed.find(ir, op, &step.loops[1])?;
            let rule = "no array is touched by columns in the nest of these two loops, row first, or its \
                        squares do not fit memory of the block";
            return Err(placed.refused(ir, &Refusal::new("stage-transposes", at, rule)));
        }
        Ok(())
    }
}

/// Whether squares of such sides fit memory of the block.
pub(super) fn fits(ir: &Ir, found: &Transposition, side: i64, arch: &Arch) -> bool {
    let bytes = |each: &Transposed| {
        let element = memref::scalar_bytes(&ir.ctx, each.element).unwrap_or(8);
        side as u64 * (side + PADDING) as u64 * element
    };
    // Two blocks a multiprocessor at least.
    found.transposed.iter().map(bytes).sum::<u64>() * 2 <= u64::from(arch.limits.shared_per_block)
}

impl StageTransposes {
    /// Puts the version with squares in front of the region as it is.
    fn make_version(
        &self,
        ir: &mut Ir,
        region: RegionOp,
        found: &Transposition,
        step: &step::Stage,
        cx: &mut PassContext<'_>,
    ) -> Option<()> {
        let (side, least) = (step.side, step.least);
        let mut b = Builder::before(&mut *ir, region.op());
        let holds = self.holds(&mut b, region, found, least)?;
        let fallback = versions::copy_as_rest(ir, region.op());
        let staged = emit(&mut Builder::before(ir, found.nest), found, side);
        ir.erase_op(found.nest);
        let mut arrays: Vec<&str> = found.transposed.iter().map(|each| &*each.array).collect();
        arrays.dedup();
        let text = format!(
            "{side}x{side} elements of {} at a time go through shared memory, where both loops run {} times or more",
            arrays.join(", "),
            least,
        );
        cx.report(Diagnostic::remark(text).at_option(ir.ctx.place(ir.location(staged))));
        versions::choose(ir, holds, region.op(), fallback);
        Some(())
    }

    /// What the host has to find for the squares to be right, and worth it.
    fn holds(
        &self,
        b: &mut Builder<'_>,
        region: RegionOp,
        found: &Transposition,
        least: i64,
    ) -> Option<Value> {
        let mut map = ValueMap::new();
        let trips = trip_counts(b, region.op(), &found.dims, &mut map)?;
        let mut conditions = are_apart(b, region.op(), &found.apart, &mut map)?;
        for dim in [found.row, found.column] {
            conditions.push(at_least(b, trips[dim], least));
        }
        let both = |b: &mut Builder<'_>, x, y| arith::AndIOp::new(b, x, y).value(b);
        conditions.into_iter().reduce(|x, y| both(b, x, y))
    }
}

/// What code inside the block's loop knows.
#[derive(Clone)]
struct Square<'a> {
    nest: &'a Transposition,
    /// Iterations each way.
    side: i64,
    /// The nest's variables at the block's first iteration.
    corner: ValueMap,
    /// Dimensions of which the square may go beyond the last iteration.
    edges: Vec<Edge>,
    /// A buffer for each transposed access.
    buffers: Vec<Value>,
}

/// Builds the nest in squares of such a side at the builder's point.
fn emit(b: &mut Builder<'_>, nest: &Transposition, side: i64) -> Op {
    let each = vec![1; nest.dims.len()];
    over_blocks(b, &nest.dims, [nest.row, nest.column], [side; 2], &each, |b, corner| {
        let edges = open_edges(b, &nest.dims, [nest.row, nest.column], [side; 2]);
        let buffers = nest.transposed.iter();
        let buffers =
            buffers.map(|each| block_memory(b, &[side, side + PADDING], each.element)).collect();
        Square { nest, side, corner, edges, buffers }.emit(b);
    })
}

impl Square<'_> {
    /// The block's code: without a question to any thread where the whole square is iterations of the nest.
    fn emit(&self, b: &mut Builder<'_>) {
        if self.edges.is_empty() {
            return self.phases(b);
        }
        let mut exprs = Exprs::default();
        let sides = self.edges.iter().map(|edge| (edge, self.side));
        let room = whole_sides(b, &mut exprs, &self.corner, sides);
        let whole = Square { edges: Vec::new(), ..self.clone() };
        where_all_else(b, exprs, &room, |b| whole.phases(b), |b| self.phases(b));
    }

    fn phases(&self, b: &mut Builder<'_>) {
        let accesses = || self.nest.transposed.iter().zip(&self.buffers);
        if accesses().any(|(each, _)| !each.stores) {
            self.threads(b, |b, [slow, fast]| {
                // Threads are neighbours along rows of the array.
                let map = self.at(b, fast, slow);
                for (load, &buffer) in accesses().filter(|(each, _)| !each.stores) {
                    let (op, forms) = (load.op, &load.subscripts);
                    let value = load_held(b, op, forms, &map, &self.edges, None);
                    let at = pair(b, slow, fast);
                    AffineStoreOp::create(b, value, buffer, &at);
                }
            });
            gpu::BarrierOp::new(b, &[]).build(b);
        }
        self.threads(b, |b, [row, column]| {
            let map = self.at(b, row, column);
            self.where_inside(b, &map.clone(), |b| self.iteration(b, map, row, column));
        });
        if accesses().any(|(each, _)| each.stores) {
            gpu::BarrierOp::new(b, &[]).build(b);
            self.threads(b, |b, [slow, fast]| {
                let map = self.at(b, fast, slow);
                self.where_inside(b, &map, |b| {
                    for (store, &buffer) in accesses().filter(|(each, _)| each.stores) {
                        let at = pair(b, fast, slow);
                        let value = AffineLoadOp::create(b, buffer, &at);
                        let mut exprs = Exprs::default();
                        let forms = store.subscripts.iter();
                        let results: Vec<_> = forms.map(|form| exprs.form(b, form, &map)).collect();
                        let at = exprs.finish(b, &results);
                        let to = map.get(b.operand(store.op, 1));
                        AffineStoreOp::create(b, value, to, &at);
                    }
                });
            });
        }
    }

    /// An iteration, with memory of the block for what is transposed: loaded squares by columns, stored ones by rows.
    fn iteration(&self, b: &mut Builder<'_>, mut map: ValueMap, row: Value, column: Value) {
        for &op in &self.nest.body {
            let staged = self.nest.transposed.iter().position(|each| each.op == op);
            let Some(index) = staged else {
                let copy = b.clone_op(op, &mut map);
                b.insert(copy);
                continue;
            };
            let buffer = self.buffers[index];
            if self.nest.transposed[index].stores {
                let value = map.get(b.operand(op, 0));
                let at = pair(b, row, column);
                AffineStoreOp::create(b, value, buffer, &at);
            } else {
                let at = pair(b, column, row);
                let value = AffineLoadOp::create(b, buffer, &at);
                let result = b.result(op, 0);
                map.insert(result, value);
            }
        }
    }

    /// The nest's variables so many rows and columns from the corner.
    fn at(&self, b: &mut Builder<'_>, row: Value, column: Value) -> ValueMap {
        let mut map = self.corner.clone();
        for (variable, further) in self.nest.variables().into_iter().zip([row, column]) {
            let corner = self.corner.get(variable);
            let at = apply(b, &[corner, further], |b, dims| b.ctx.add_expr(dims[0], dims[1]));
            map.insert(variable, at);
        }
        map
    }

    /// Runs code where there is such an iteration.
    fn where_inside(
        &self,
        b: &mut Builder<'_>,
        map: &ValueMap,
        body: impl FnOnce(&mut Builder<'_>),
    ) {
        let mut exprs = Exprs::default();
        let room = below_edges(b, &mut exprs, map, &self.edges);
        where_all(b, exprs, &room, body);
    }

    /// Code for each place of the square: threads one beside the other along the second number, a few rows of them in turns
    /// along the first.
    fn threads(&self, b: &mut Builder<'_>, body: impl Fn(&mut Builder<'_>, [Value; 2])) {
        let rows = self.side.min(MOST_THREADS / self.side);
        let mapping = rows_of_threads([rows, self.side]);
        over_threads(b, &[rows, self.side], mapping, |b, numbers| {
            for turn in 0..self.side / rows {
                let slow = apply(b, &[numbers[0]], |b, dims| {
                    let further = b.ctx.constant_expr(turn * rows);
                    b.ctx.add_expr(dims[0], further)
                });
                body(b, [slow, numbers[1]]);
            }
        });
    }
}

fn pair(b: &mut Builder<'_>, first: Value, second: Value) -> AffineValue {
    AffineValue::new(b.ctx.identity_map(2), &[first, second])
}

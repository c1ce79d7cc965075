//! `stage-stencils`: arrays that neighbouring iterations read together go through memory of the block.
//!
//! Needs parallel loops of two dimensions or more, no bounds of which depend on each other, with loads that
//! differ by offsets of rows and columns ([`super::stencil`]). Leaves blocks of rows and columns: all threads copy what the block
//! reads of an array, rim and all, neighbours along its rows; behind a barrier each executes its iterations, a few rows one
//! below the other, with memory of the block in the array's place (Andión et al. 2015, §5.2; Li et al. 2016, §3.1).
//!
//! A block at the edge of the grid, or one of which not every iteration executes the loads, reads the arrays as
//! the nest did: what it would copy beside what is read may not be memory of the program. Where the host finds
//! fewer blocks than keep the device busy, the whole nest stays as it was.

use gpuc_arch::Arch;
use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::affine::{AffineForOp, AffineLoadOp, AffineStoreOp, AffineValue};
use gpuc_dialects::offload::RegionOp;
use gpuc_dialects::offload::mapping::MAPPING_ATTR;
use gpuc_dialects::{gpu, llvm};
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{AffineExpr, Builder, Ir, Op, OpView, Value, ValueMap, WalkOrder};

use super::blocks::{
    block_memory, numbered_threads, open_edges, over_blocks, rows_of_threads, whole_sides,
};
use super::coordinates::{Edge, Exprs, apply, below_edges, where_all, where_all_else};
use super::emit::over_threads;
use super::stencil::{Group, Rectangle, Stencil};
use super::stencil_plan::StencilPlan;
use super::tile_contractions::open_nest;
use super::wide::enough_and_apart;
use crate::analysis::polynomial::Polynomial;
use crate::plan::text::Placed;
use crate::plan::{Given, is_planned, record, step};
use crate::steps::refusal::Refusal;
use crate::target::target;
use crate::versions::{self, in_fallback};

gpuc_ir::pass! {
    /// Move arrays that neighbouring iterations read together through memory of the block.
    StageStencils = "stage-stencils" on "func.func" {
        /// The device, whose table gives the number of multiprocessors and their memory.
        arch: String = Arch::default_target().name.to_owned(),
        /// Rows and columns of a block, and rows of a thread, instead of those for the device.
        tile_sizes: Vec<i64> = Vec::new(),
        /// Blocks that a grid must have, instead of as many as keep the device busy.
        least_blocks: Option<i64> = None,
    }
}

impl Pass for StageStencils {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let arch = target(&self.arch)?;
        let sizes = self.given(arch)?;
        let given = Given::of(ir, op)?;
        let steps = given.as_ref().map(Given::of_kind::<step::Share>);
        for inner in ir.nested_ops(op, WalkOrder::PreOrder) {
            let Some(region) = RegionOp::cast(ir, inner) else { continue };
            let planned = is_planned(ir, inner);
            if in_fallback(ir, inner) && !(planned && steps.is_some()) {
                continue;
            }
            let nest = open_nest(ir, region).filter(|&nest| ir.attr(nest, MAPPING_ATTR).is_none());
            let Some(stencil) = nest.and_then(|nest| Stencil::of(ir, nest)) else { continue };
            let Some((plan, step)) = (match steps.as_ref().filter(|_| planned) {
                Some(steps) => planned_blocks(ir, &stencil, steps, arch)?,
                None => self.choose(ir, &stencil, sizes, arch),
            }) else {
                continue;
            };
            let made = make_version(ir, region, &stencil, &plan, step.blocks, cx).is_some();
            if made && planned {
                record(ir, op, step);
            }
        }
        let mut left = steps.iter().flatten().filter(|(_, placed)| !placed.is_taken(ir, op));
        if let Some((step, placed)) = left.next() {
            let at = placed.find(ir, op, &step.loops[0].0)?;
            placed.find(ir, op, &step.loops[1].0)?;
            let rule = "the nest of these two loops, rows first, does not read neighbours of such arrays together, or \
                        writes to them";
            return Err(placed.refused(ir, &Refusal::new("stage-stencils", at, rule)));
        }
        Ok(())
    }
}

/// The blocks that a step of the plan says for a nest, and the step.
fn planned_blocks(
    ir: &Ir,
    stencil: &Stencil,
    steps: &[(step::Share, &Placed)],
    arch: &Arch,
) -> Result<Option<(StencilPlan, step::Share)>, Diagnostic> {
    for (step, placed) in steps {
        let plan = StencilPlan::given(ir, stencil, step);
        let own = plan.step(step.blocks);
        let all = step.arrays.iter().all(|array| own.arrays.contains(array));
        if own.loops == step.loops && all {
            plan.check(ir, stencil, arch).map_err(|refusal| placed.refused(ir, &refusal))?;
            return Ok(Some((plan, step.clone())));
        }
    }
    Ok(None)
}

impl StageStencils {
    /// The sizes that the options give.
    fn given(&self, arch: &Arch) -> Result<Option<[i64; 3]>, Diagnostic> {
        let sizes = match self.tile_sizes[..] {
            [] => return Ok(None),
            [rows, columns, each] => [rows, columns, each],
            _ => {
                let text = "tile-sizes are three: rows and columns of a block, rows of a thread";
                return Err(Diagnostic::error(text));
            }
        };
        let [rows, columns, each] = sizes;
        let most = i64::from(arch.limits.max_threads_per_block);
        let fits = sizes.iter().all(|size| (1..=most).contains(size))
            && rows % each == 0
            && rows / each * columns <= most;
        match fits {
            true => Ok(Some(sizes)),
            false => Err(Diagnostic::error(format!(
                "tile-sizes are from 1, rows a multiple of those of a thread, and at most {most} threads"
            ))),
        }
    }

    /// The blocks of a nest without a plan, and the step that says them.
    fn choose(
        &self,
        ir: &Ir,
        stencil: &Stencil,
        sizes: Option<[i64; 3]>,
        arch: &Arch,
    ) -> Option<(StencilPlan, step::Share)> {
        let plan = match sizes {
            Some([rows, columns, each]) => {
                let plan = StencilPlan::of(ir, stencil, [rows, columns], each);
                let fits = plan.bytes(ir, stencil) <= i64::from(arch.limits.shared_per_block);
                Some(plan).filter(|plan| !plan.shared.is_empty() && fits)
            }
            None => StencilPlan::choose(ir, stencil, arch),
        };
        // The code runs on later devices too, with more multiprocessors.
        let later = Arch::all().iter().filter(|other| other.number >= arch.number);
        let sms = later.map(|other| other.chip.sm_count).max().unwrap_or(arch.chip.sm_count);
        let (plan, least) = (plan?, self.least_blocks.unwrap_or(i64::from(sms.div_ceil(2))));
        let step = plan.step(least);
        Some((plan, step))
    }
}

/// Puts the version in blocks in front of the region as it is, for grids of so many blocks.
fn make_version(
    ir: &mut Ir,
    region: RegionOp,
    stencil: &Stencil,
    plan: &StencilPlan,
    least: i64,
    cx: &mut PassContext<'_>,
) -> Option<()> {
    let mut b = Builder::before(&mut *ir, region.op());
    let mut sides = vec![1; stencil.dims.len()];
    sides[stencil.row] = plan.block[0];
    sides[stencil.column] = plan.block[1];
    let parts = (&stencil.dims[..], &sides[..]);
    let holds = enough_and_apart(&mut b, region.op(), parts, least, &stencil.apart)?;
    let rest = versions::copy_as_rest(ir, region.op());
    let staged = apply_plan(&mut Builder::before(ir, stencil.nest), stencil, plan);
    ir.erase_op(stencil.nest);
    let text =
        format!("Reads of neighbours go through shared memory from {least} blocks on: {plan}");
    cx.report(Diagnostic::remark(text).at_option(ir.ctx.place(ir.location(staged))));
    versions::choose(ir, holds, region.op(), rest);
    Some(())
}

/// Builds the nest in blocks at the builder's point.
fn apply_plan(b: &mut Builder<'_>, stencil: &Stencil, plan: &StencilPlan) -> Op {
    let blocked = [stencil.row, stencil.column];
    let each = vec![1; stencil.dims.len()];
    over_blocks(b, &stencil.dims, blocked, plan.block, &each, |b, corner| {
        let edges = open_edges(b, &stencil.dims, blocked, plan.block);
        let tiles = plan.shared.iter().map(|tile| {
            let group = &stencil.groups[tile.group];
            (group, block_memory(b, &group.shape(plan.block), group.element))
        });
        let tiles = tiles.collect();
        Block { stencil, plan, corner, edges, tiles }.emit(b);
    })
}

/// What code inside the block's loop knows.
struct Block<'a> {
    stencil: &'a Stencil,
    plan: &'a StencilPlan,
    /// The nest's variables at the block's first iteration.
    corner: ValueMap,
    /// Dimensions of which the block may go beyond the last iteration.
    edges: Vec<Edge>,
    /// Groups that are staged, and where.
    tiles: Vec<(&'a Group, Value)>,
}

impl Block<'_> {
    fn emit(&self, b: &mut Builder<'_>) {
        let mut exprs = Exprs::default();
        let [row, _] = self.stencil.variables();
        let side = |edge: &Edge| self.plan.block[usize::from(edge.variable != row)];
        let sides = self.edges.iter().map(|edge| (edge, side(edge)));
        let mut room = whole_sides(b, &mut exprs, &self.corner, sides);
        for (form, ranges) in self.tiles.iter().flat_map(|(group, _)| &group.conditions) {
            let least = self.least(b, &mut exprs, form, ranges);
            if !room.contains(&(least, false)) {
                room.push((least, false));
            }
        }
        where_all_else(b, exprs, &room, |b| self.staged(b), |b| self.direct(b));
    }

    /// The least that a form is in the block.
    fn least(
        &self,
        b: &mut Builder<'_>,
        exprs: &mut Exprs,
        form: &Polynomial,
        ranges: &[(Value, super::stencil::Span)],
    ) -> AffineExpr {
        let mut rest = Polynomial::constant(form.constant_term());
        let mut further = 0;
        let own = self.stencil.variables();
        for value in form.values() {
            let factor = form.coefficient(&[value]);
            if let Some((_, range)) = ranges.iter().find(|(inner, _)| *inner == value) {
                further += (factor * range.first).min(factor * range.last);
                continue;
            }
            if let Some(side) = own.iter().position(|&variable| variable == value) {
                further += (factor * (self.plan.block[side] - 1)).min(0);
            }
            let term = Polynomial::term(&[value], factor);
            rest = rest.plus(&term, 1).unwrap_or_default();
        }
        let rest = exprs.form(b, &rest, &self.corner);
        let further = b.ctx.constant_expr(further);
        b.ctx.add_expr(rest, further)
    }

    /// All iterations, with memory of the block.
    fn staged(&self, b: &mut Builder<'_>) {
        let threads = self.plan.threads();
        let count = threads.iter().product();
        over_threads(b, &[count], numbered_threads(threads), |b, numbers| {
            for (group, buffer) in &self.tiles {
                let rectangles = group.rectangles(self.plan.block).into_iter();
                for part in rectangles.flat_map(|each| each.split(self.plan.block[1])) {
                    self.copy(b, group, *buffer, part, numbers[0], count);
                }
            }
        });
        gpu::BarrierOp::new(b, &[]).build(b);
        over_threads(b, &threads, rows_of_threads(threads), |b, numbers| {
            let rows = (0..self.plan.rows_each).map(|turn| {
                let row = apply(b, &[numbers[0]], |b, dims| {
                    let each = b.ctx.constant_expr(self.plan.rows_each);
                    let turn = b.ctx.constant_expr(turn);
                    let first = b.ctx.mul_expr(dims[0], each);
                    b.ctx.add_expr(first, turn)
                });
                [row, numbers[1]]
            });
            let places: Vec<[Value; 2]> = rows.collect();
            self.iterations(b, &places);
        });
    }

    /// The iterations that there are, with the arrays as they are.
    fn direct(&self, b: &mut Builder<'_>) {
        let threads = self.plan.threads();
        over_threads(b, &threads, rows_of_threads(threads), |b, numbers| {
            let [lower, upper] =
                [0, self.plan.rows_each].map(|end| AffineValue::constant(&mut b.ctx, end));
            let rows = AffineForOp::create(b, &lower, &upper, 1, &[], |b, turn, _| {
                let row = apply(b, &[numbers[0], turn], |b, dims| {
                    let each = b.ctx.constant_expr(self.plan.rows_each);
                    let first = b.ctx.mul_expr(dims[0], each);
                    b.ctx.add_expr(first, dims[1])
                });
                let mut map = self.at(b, [row, numbers[1]]);
                let mut exprs = Exprs::default();
                let room = below_edges(b, &mut exprs, &map, &self.edges);
                where_all(b, exprs, &room, |b| {
                    for &op in &self.stencil.body {
                        let copy = b.clone_op(op, &mut map);
                        b.insert(copy);
                    }
                });
                vec![]
            });
            let annotation = llvm::no_unroll(&mut b.ctx);
            b.set_attr(rows.op(), llvm::LOOP_ANNOTATION, annotation);
        });
    }

    /// Copies a rectangle of a tile: thread number `thread` of `threads` does its part.
    fn copy(
        &self,
        b: &mut Builder<'_>,
        group: &Group,
        buffer: Value,
        rectangle: Rectangle,
        thread: Value,
        threads: i64,
    ) {
        let area = rectangle.area();
        for first in (0..area).step_by(threads as usize) {
            let number = apply(b, &[thread], |b, dims| {
                let first = b.ctx.constant_expr(first);
                b.ctx.add_expr(dims[0], first)
            });
            let mut room = Vec::new();
            let mut exprs = Exprs::default();
            if first + threads > area {
                let number = exprs.value(b, number);
                let last = b.ctx.constant_expr(area - 1);
                room.push((b.ctx.sub_expr(last, number), false));
            }
            where_all(b, exprs, &room, |b| self.copy_one(b, group, buffer, rectangle, number));
        }
    }

    /// Copies the element of a rectangle with such a number.
    fn copy_one(
        &self,
        b: &mut Builder<'_>,
        group: &Group,
        buffer: Value,
        rectangle: Rectangle,
        number: Value,
    ) {
        let length = rectangle.columns.length();
        let row = apply(b, &[number], |b, dims| {
            let length = b.ctx.constant_expr(length);
            let first = b.ctx.constant_expr(rectangle.rows.first);
            let row = b.ctx.floordiv_expr(dims[0], length);
            b.ctx.add_expr(row, first)
        });
        let column = apply(b, &[number], |b, dims| {
            let length = b.ctx.constant_expr(length);
            let first = b.ctx.constant_expr(rectangle.columns.first);
            let column = b.ctx.mod_expr(dims[0], length);
            b.ctx.add_expr(column, first)
        });
        let mut map = self.corner.clone();
        for (side, (variable, place)) in
            self.stencil.variables().into_iter().zip([row, column]).enumerate()
        {
            let at = apply(b, &[self.corner.get(variable), place], |b, dims| {
                let reach = b.ctx.constant_expr(group.reach(side).first);
                let at = b.ctx.add_expr(dims[0], dims[1]);
                b.ctx.add_expr(at, reach)
            });
            map.insert(variable, at);
        }
        let mut exprs = Exprs::default();
        let forms = group.origin.iter();
        let results: Vec<_> = forms.map(|form| exprs.form(b, form, &map)).collect();
        let at = exprs.finish(b, &results);
        let value = AffineLoadOp::create(b, group.buffer, &at);
        let at = AffineValue::new(b.ctx.identity_map(2), &[row, column]);
        AffineStoreOp::create(b, value, buffer, &at);
    }

    /// Iterations, with memory of the block for what is staged. They are independent, so that each operation is made
    /// for all of them before the next one: what several read is read once.
    fn iterations(&self, b: &mut Builder<'_>, places: &[[Value; 2]]) {
        let mut maps: Vec<ValueMap> = places.iter().map(|&place| self.at(b, place)).collect();
        for &op in &self.stencil.body {
            for map in &mut maps {
                let copy = b.clone_op(op, map);
                b.insert(copy);
            }
        }
        for (&place, map) in places.iter().zip(&maps) {
            self.read_tiles(b, place, map);
        }
    }

    /// Lets the loads of an iteration's copy, its values in `map`, read memory of the block.
    fn read_tiles(&self, b: &mut Builder<'_>, place: [Value; 2], map: &ValueMap) {
        for (group, buffer) in &self.tiles {
            for reference in &group.references {
                let copied = map.get(b.result(reference.op, 0));
                let Some(load) = b.defining_op(copied) else { continue };
                // Where the iteration is in the block, in place of where it is in the nest.
                let mut local = map.clone();
                let mut forms = Vec::new();
                for (side, variable) in self.stencil.variables().into_iter().enumerate() {
                    local.insert(variable, place[side]);
                    let subscript = group.at[side];
                    let (whole, origin) =
                        (&reference.subscripts[subscript], &group.origin[subscript]);
                    let first = Polynomial::constant(group.reach(side).first);
                    let form = whole.plus(origin, -1).and_then(|form| form.plus(&first, -1));
                    let form = form.and_then(|form| form.plus(&Polynomial::value(variable), 1));
                    forms.push(form.unwrap_or_default());
                }
                let mut b = Builder::before(b, load);
                let mut exprs = Exprs::default();
                let results: Vec<_> =
                    forms.iter().map(|form| exprs.form(&mut b, form, &local)).collect();
                let at = exprs.finish(&mut b, &results);
                let value = AffineLoadOp::create(&mut b, *buffer, &at);
                b.replace_op(load, &[value]);
            }
        }
    }

    /// The nest's variables so many rows and columns from the corner.
    fn at(&self, b: &mut Builder<'_>, place: [Value; 2]) -> ValueMap {
        let mut map = self.corner.clone();
        for (variable, further) in self.stencil.variables().into_iter().zip(place) {
            let corner = self.corner.get(variable);
            let at = apply(b, &[corner, further], |b, dims| b.ctx.add_expr(dims[0], dims[1]));
            map.insert(variable, at);
        }
        map
    }
}

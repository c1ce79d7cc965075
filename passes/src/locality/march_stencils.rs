//! `march-stencils`: stencils in space are walked plane by plane, what is read along the way in registers.
//!
//! Needs parallel loops of three dimensions or more, no bounds of which depend on each other, with loads of an array
//! at several planes of an outer dimension ([`super::marching`]). Leaves blocks of rows and columns that walk over
//! a run of planes: each thread keeps what it reads at its own row and column in registers, which move on by one with
//! each plane; what it reads beside is in memory of the block, in which every thread puts its own and all together the
//! rim (Micikevicius, GPGPU-2 2009; Andión et al. 2015, §5.1, variants hmpp2 and hmpp3 of CONV3D). Each element of a
//! block's planes is loaded once from memory of the device.
//!
//! A plane more is kept than what is read, so that one barrier a plane is enough. Blocks at the end of rows or
//! columns begin earlier, and leave out what the one in front of them does: they copy no more than the nest touches.
//! Where the host finds too few blocks, the whole nest stays as it was.

use gpuc_arch::Arch;
use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::affine::{AffineApplyOp, AffineForOp, AffineLoadOp, AffineStoreOp, AffineValue};
use gpuc_dialects::gpu::{self};
use gpuc_dialects::offload::RegionOp;
use gpuc_dialects::offload::mapping::MAPPING_ATTR;
use gpuc_dialects::{arith, llvm, memref};
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{AffineExpr, Builder, Ir, Op, OpView, Value, ValueMap, WalkOrder};

use super::blocks::{
    block_memory, open_edges, over_blocks, rows_of_threads, thread_memory, whole_sides,
};
use super::coordinates::{Edge, Exprs, apply, constants, where_all, where_all_else};
use super::emit::over_threads;
use super::march_plan::{BLOCKS_EACH, MarchPlan};
use super::marching::{Field, Marching, rim};
use super::stencil::{Group, Rectangle, Stencil};
use super::tile_contractions::open_nest;
use super::wide::enough_and_apart;
use crate::plan::text::Placed;
use crate::plan::{Given, is_planned, record, step};
use crate::steps::refusal::Refusal;
use crate::target::target;
use crate::versions::{self, in_fallback};

gpuc_ir::pass! {
    /// Walk over stencils plane by plane, with what is read along the way in registers.
    MarchStencils = "march-stencils" on "func.func" {
        /// The device, whose table gives the number of multiprocessors and their memory.
        arch: String = Arch::default_target().name.to_owned(),
        /// Planes, rows and columns of a block, and rows of a thread, instead of those for the device.
        tile_sizes: Vec<i64> = Vec::new(),
        /// Blocks that a grid must have, instead of as many as keep the device busy.
        least_blocks: Option<i64> = None,
    }
}

impl Pass for MarchStencils {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let arch = target(&self.arch)?;
        let sizes = self.given(arch)?;
        let given = Given::of(ir, op)?;
        let steps = given.as_ref().map(Given::of_kind::<step::March>);
        for inner in ir.nested_ops(op, WalkOrder::PreOrder) {
            let Some(region) = RegionOp::cast(ir, inner) else { continue };
            let planned = is_planned(ir, inner);
            if in_fallback(ir, inner) && !(planned && steps.is_some()) {
                continue;
            }
            // A version for the largest sizes, and others of what that leaves.
            let mut region = Some(region);
            for version in 0.. {
                let Some(left) = region else { break };
                let nest =
                    open_nest(ir, left).filter(|&nest| ir.attr(nest, MAPPING_ATTR).is_none());
                let Some(stencil) = nest.and_then(|nest| Stencil::of(ir, nest)) else { break };
                let found = match steps.as_ref().filter(|_| planned) {
                    Some(steps) => planned_walk(ir, &stencil, steps, version, arch)?,
                    None => self.choose(ir, &stencil, sizes, arch).into_iter().nth(version),
                };
                let Some((plan, step)) = found else { break };
                region = make_version(ir, left, &stencil, &plan, step.blocks, cx);
                if region.is_some() && planned {
                    record(ir, op, step);
                }
            }
        }
        let mut left = steps.iter().flatten().filter(|(_, placed)| !placed.is_taken(ir, op));
        if let Some((step, placed)) = left.next() {
            let at = placed.find(ir, op, &step.loops[0].0)?;
            for (name, _) in &step.loops[1..] {
                placed.find(ir, op, name)?;
            }
            let rule = "the nest of these three loops, planes first, columns last, does not read several planes of an array, \
                        or writes to it";
            return Err(placed.refused(ir, &Refusal::new("march-stencils", at, rule)));
        }
        Ok(())
    }
}

/// What the plan says for a version of a nest, and the step.
fn planned_walk(
    ir: &Ir,
    stencil: &Stencil,
    steps: &[(step::March, &Placed)],
    version: usize,
    arch: &Arch,
) -> Result<Option<(MarchPlan, step::March)>, Diagnostic> {
    let mut own = steps.iter().filter_map(|(step, placed)| {
        MarchPlan::given(ir, stencil, step).map(|plan| (plan, step, placed))
    });
    let Some((plan, step, placed)) = own.nth(version) else { return Ok(None) };
    plan.check(ir, stencil, arch).map_err(|refusal| placed.refused(ir, &refusal))?;
    Ok(Some((plan, step.clone())))
}

impl MarchStencils {
    /// The sizes that the options give.
    fn given(&self, arch: &Arch) -> Result<Option<[i64; 4]>, Diagnostic> {
        let sizes = match self.tile_sizes[..] {
            [] => return Ok(None),
            [planes, rows, columns, each] => [planes, rows, columns, each],
            _ => {
                let text =
                    "tile-sizes are four: planes, rows and columns of a block, rows of a thread";
                return Err(Diagnostic::error(text));
            }
        };
        let [planes, rows, columns, each] = sizes;
        let most = i64::from(arch.limits.max_threads_per_block);
        let fits = sizes[1..].iter().all(|size| (1..=most).contains(size))
            && (1..=i64::from(i32::MAX)).contains(&planes)
            && rows % each == 0
            && rows / each * columns <= most;
        match fits {
            true => Ok(Some(sizes)),
            false => Err(Diagnostic::error(format!(
                "tile-sizes are from 1, rows a multiple of those of a thread, and at most {most} threads"
            ))),
        }
    }

    /// The walks over a nest without a plan, the one for the largest sizes first, and the steps that say them.
    fn choose(
        &self,
        ir: &Ir,
        stencil: &Stencil,
        sizes: Option<[i64; 4]>,
        arch: &Arch,
    ) -> Vec<(MarchPlan, step::March)> {
        let plans = match sizes {
            Some([planes, rows, columns, each]) => {
                let march = Marching::choose(ir, stencil, [rows, columns]);
                let plan = march.map(|march| MarchPlan {
                    march,
                    planes,
                    block: [rows, columns],
                    rows_each: each,
                });
                let fits = plan.filter(|plan| plan.check(ir, stencil, arch).is_ok());
                fits.into_iter().map(|plan| (plan, BLOCKS_EACH)).collect()
            }
            None => MarchPlan::choose(ir, stencil, arch),
        };
        // The code runs on later devices too, with more multiprocessors.
        let later = Arch::all().iter().filter(|other| other.number >= arch.number);
        let sms = later.map(|other| other.chip.sm_count).max().unwrap_or(arch.chip.sm_count);
        let with_step = |(plan, each): (MarchPlan, i64)| {
            let least = self.least_blocks.unwrap_or(i64::from(sms) * each);
            let step = plan.step(ir, stencil, least);
            (plan, step)
        };
        plans.into_iter().map(with_step).collect()
    }
}

/// Puts the version in planes in front of the region as it is, for grids of so many blocks; what is left is returned.
fn make_version(
    ir: &mut Ir,
    region: RegionOp,
    stencil: &Stencil,
    plan: &MarchPlan,
    least: i64,
    cx: &mut PassContext<'_>,
) -> Option<RegionOp> {
    let mut b = Builder::before(&mut *ir, region.op());
    let [planes, row, column] = plan.march.dims;
    let mut sides = vec![1; stencil.dims.len()];
    (sides[planes], sides[row], sides[column]) = (plan.planes, plan.block[0], plan.block[1]);
    // A block that begins earlier must have room for that: at least one is whole.
    let holds = enough_and_apart(
        &mut b,
        region.op(),
        (&stencil.dims, &sides),
        least.max(1),
        &plan.march.apart,
    )?;
    // What is left may still get several results a thread, as a nest that nothing was decided about.
    let rest = ir.clone_op(region.op(), &mut ValueMap::new());
    let made = emit(&mut Builder::before(ir, stencil.nest), stencil, plan);
    ir.erase_op(stencil.nest);
    let text = format!(
        "Walks over {} planes of {} a block from {least} blocks on: {}",
        plan.planes,
        plan.name(ir, stencil, 0),
        plan.words(ir, stencil),
    );
    cx.report(Diagnostic::remark(text).at_option(ir.ctx.place(ir.location(made))));
    versions::choose(ir, holds, region.op(), rest);
    RegionOp::cast(ir, rest)
}

/// Builds the nest in blocks at the builder's point.
fn emit(b: &mut Builder<'_>, stencil: &Stencil, plan: &MarchPlan) -> Op {
    let [planes, row, column] = plan.march.dims;
    let blocked = [row, column];
    let sides = (0..stencil.dims.len()).map(|dim| if dim == planes { plan.planes } else { 1 });
    let sides: Vec<i64> = sides.collect();
    over_blocks(b, &stencil.dims, blocked, plan.block, &sides, |b, corner| {
        let fields = plan.march.fields.iter().map(|field| Held::new(b, plan, field)).collect();
        let block = Block { stencil, plan, fields };
        let edges = open_edges(b, &stencil.dims, blocked, plan.block);
        block.emit(b, &corner, &edges);
    })
}

/// A field with where its elements are held.
struct Held<'a> {
    field: &'a Field,
    plane: Group,
    /// What of a plane is copied by all threads together.
    rim: Vec<Rectangle>,
    /// Planes in memory of the block.
    tile: Option<Value>,
}

impl<'a> Held<'a> {
    fn new(b: &mut Builder<'_>, plan: &MarchPlan, field: &'a Field) -> Held<'a> {
        let plane = field.plane();
        let tile = field.shared().map(|_| {
            let [rows, columns] = plane.shape(plan.block);
            block_memory(b, &[field.slots(), rows, columns], field.element)
        });
        let rim = if tile.is_some() { rim(&plane, plan.block) } else { Vec::new() };
        Held { field, plane, rim, tile }
    }
}

impl Held<'_> {
    /// Elements of the rim that a thread copies, at most.
    fn turns(&self, plan: &MarchPlan) -> i64 {
        let threads: i64 = plan.threads().iter().product();
        let total: i64 = self.rim.iter().map(|part| part.area()).sum();
        (total + threads - 1) / threads
    }
}

/// Where a block is, by the nest's variables, and which of its rows and columns are its own to execute.
struct Corner {
    map: ValueMap,
    /// Rows (side 0) and columns (side 1) that the block in front does, as far as there may be any.
    done: [Option<Value>; 2],
}

/// What code inside the block's loop knows.
struct Block<'a> {
    stencil: &'a Stencil,
    plan: &'a MarchPlan,
    fields: Vec<Held<'a>>,
}

impl Block<'_> {
    /// The nest's variables of planes, rows and columns.
    fn variables(&self) -> [Value; 3] {
        self.plan.march.dims.map(|dim| self.stencil.dims[dim].variable)
    }

    fn emit(&self, b: &mut Builder<'_>, corner: &ValueMap, edges: &[Edge]) {
        let whole = Corner { map: corner.clone(), done: [None; 2] };
        if edges.is_empty() {
            return self.walk(b, &whole);
        }
        let [_, row, _] = self.variables();
        let side = |edge: &Edge| usize::from(edge.variable != row);
        let mut exprs = Exprs::default();
        let sides = edges.iter().map(|edge| (edge, self.plan.block[side(edge)]));
        let room = whole_sides(b, &mut exprs, corner, sides);
        let at_edge = |b: &mut Builder<'_>| self.earlier(b, whole_of(corner), edges, &side);
        where_all_else(b, exprs, &room, |b| self.walk(b, &whole), at_edge);
    }

    /// Walks with the block moved back from each edge that it would reach beyond.
    fn earlier(
        &self,
        b: &mut Builder<'_>,
        mut at: Corner,
        edges: &[Edge],
        side: &dyn Fn(&Edge) -> usize,
    ) {
        let Some((edge, rest)) = edges.split_first() else { return self.walk(b, &at) };
        let number = side(edge);
        let length = self.plan.block[number];
        // By so many iterations: a loop of one round, whose variable affine forms may name.
        let mut exprs = Exprs::default();
        let corner = exprs.value(b, at.map.get(edge.variable));
        let upper = exprs.bound(b, &edge.upper);
        let beyond = b.ctx.sub_expr(corner, upper);
        let whole = b.ctx.constant_expr(length);
        let beyond = b.ctx.add_expr(beyond, whole);
        let none = b.ctx.constant_expr(0);
        let least = exprs.finish(b, &[none, beyond]);
        let most = AffineValue::constant(&mut b.ctx, length);
        AffineForOp::create(b, &least, &most, length, &[], |b, back, _| {
            let first = apply(b, &[at.map.get(edge.variable), back], |b, dims| {
                b.ctx.sub_expr(dims[0], dims[1])
            });
            at.map.insert(edge.variable, first);
            at.done[number] = Some(back);
            self.earlier(b, at, rest, side);
            Vec::new()
        });
    }

    /// Walks over the block's planes. All of it is one loop over threads, which wait for each other once a plane.
    fn walk(&self, b: &mut Builder<'_>, corner: &Corner) {
        let threads = self.plan.threads();
        over_threads(b, &threads, rows_of_threads(threads), |b, numbers| {
            let thread = [numbers[0], numbers[1]];
            let number = apply(b, numbers, |b, dims| {
                let columns = b.ctx.constant_expr(threads[1]);
                let rows = b.ctx.mul_expr(dims[0], columns);
                b.ctx.add_expr(rows, dims[1])
            });
            let windows: Vec<Value> = self.fields.iter().map(|held| self.window(b, held)).collect();
            let places: Vec<Value> =
                self.fields.iter().map(|held| self.places(b, held, number)).collect();
            for ((held, &window), &places) in self.fields.iter().zip(&windows).zip(&places) {
                self.begin(b, held, window, corner, thread);
                let Some(planes) = held.field.shared() else { continue };
                for plane in planes.first..planes.last {
                    let slot = arith::constant_index(b, plane - planes.first);
                    self.copy_rim(b, (held, places), corner, number, (None, plane), slot);
                }
            }
            let [planes, ..] = self.plan.march.dims;
            let mut exprs = Exprs::default();
            let end = exprs.bound(b, &self.stencil.dims[planes].upper);
            let first = exprs.value(b, corner.map.get(self.variables()[0]));
            let left = b.ctx.sub_expr(end, first);
            let most = b.ctx.constant_expr(self.plan.planes);
            let upper = exprs.finish(b, &[left, most]);
            let zero = AffineValue::constant(&mut b.ctx, 0);
            let walk = AffineForOp::create(b, &zero, &upper, 1, &[], |b, plane, _| {
                for ((held, &window), &places) in self.fields.iter().zip(&windows).zip(&places) {
                    self.advance(b, held, window, corner, thread, plane);
                    let Some(planes) = held.field.shared() else { continue };
                    let slot = self.slot(b, held, plane, planes.last);
                    let at = (Some(plane), planes.last);
                    self.copy_rim(b, (held, places), corner, number, at, slot);
                }
                gpu::BarrierOp::new(b, numbers).build(b);
                self.plane(b, &windows, corner, thread, plane);
                Vec::new()
            });
            let annotation = llvm::no_unroll(&mut b.ctx);
            b.set_attr(walk.op(), llvm::LOOP_ANNOTATION, annotation);
        });
    }

    /// Elements of a thread, by its rows and by planes: registers.
    fn window(&self, b: &mut Builder<'_>, held: &Held<'_>) -> Value {
        let shape = [self.plan.rows_each, held.field.window().length()];
        thread_memory(b, &shape, held.field.element)
    }

    /// The row in the block of a thread's `turn`-th.
    fn row(&self, b: &mut Builder<'_>, thread: Value, turn: i64) -> Value {
        apply(b, &[thread], |b, dims| {
            let each = b.ctx.constant_expr(self.plan.rows_each);
            let turn = b.ctx.constant_expr(turn);
            let first = b.ctx.mul_expr(dims[0], each);
            b.ctx.add_expr(first, turn)
        })
    }

    /// Which part of memory of the block has a plane, counted from the one that the walk is at: planes take them in turn.
    fn slot(&self, b: &mut Builder<'_>, held: &Held<'_>, plane: Value, further: i64) -> Value {
        let first = held.field.shared().map_or(0, |planes| planes.first);
        apply(b, &[plane], |b, dims| {
            let further = b.ctx.constant_expr(further - first);
            let slots = b.ctx.constant_expr(held.field.slots());
            let sum = b.ctx.add_expr(dims[0], further);
            b.ctx.mod_expr(sum, slots)
        })
    }

    /// The nest's variables a plane, a row and a column from the block's first ones.
    fn at(
        &self,
        b: &mut Builder<'_>,
        corner: &Corner,
        plane: (Option<Value>, i64),
        [row, column]: [Value; 2],
    ) -> ValueMap {
        let mut map = corner.map.clone();
        let [planes, rows, columns] = self.variables();
        for (variable, further) in [(rows, row), (columns, column)] {
            let first = corner.map.get(variable);
            let at = apply(b, &[first, further], |b, dims| b.ctx.add_expr(dims[0], dims[1]));
            map.insert(variable, at);
        }
        let values: Vec<Value> =
            [Some(corner.map.get(planes)), plane.0].into_iter().flatten().collect();
        let at = apply(b, &values, |b, dims| {
            let further = b.ctx.constant_expr(plane.1);
            dims.iter().fold(further, |sum, &dim| b.ctx.add_expr(sum, dim))
        });
        map.insert(planes, at);
        map
    }

    /// Loads an element of a field from its array.
    fn load(&self, b: &mut Builder<'_>, field: &Field, map: &ValueMap) -> Value {
        let mut exprs = Exprs::default();
        let forms = field.origin.iter();
        let results: Vec<_> = forms.map(|form| exprs.form(b, form, map)).collect();
        let at = exprs.finish(b, &results);
        AffineLoadOp::create(b, field.buffer, &at)
    }

    /// Where a row and column in the block are in the tile, at a slot and an offset.
    fn tile_at(
        &self,
        b: &mut Builder<'_>,
        held: &Held<'_>,
        slot: Value,
        place: [Value; 2],
        offset: [i64; 2],
    ) -> AffineValue {
        let mut exprs = Exprs::default();
        let mut results: Vec<AffineExpr> = vec![exprs.value(b, slot)];
        for side in 0..2 {
            let at = exprs.value(b, place[side]);
            let further = offset[side] - held.plane.reach(side).first;
            let further = b.ctx.constant_expr(further);
            results.push(b.ctx.add_expr(at, further));
        }
        exprs.finish(b, &results)
    }

    /// A thread's elements of the planes in front of the first one, one place further in the window than they are
    /// then; and those of which neighbours are read, for them.
    fn begin(
        &self,
        b: &mut Builder<'_>,
        held: &Held<'_>,
        window: Value,
        corner: &Corner,
        thread: [Value; 2],
    ) {
        let planes = held.field.window();
        for turn in 0..self.plan.rows_each {
            let row = self.row(b, thread[0], turn);
            for plane in planes.first..planes.last {
                let map = self.at(b, corner, (None, plane), [row, thread[1]]);
                let value = self.load(b, held.field, &map);
                let at = constants(b, &[turn, plane - planes.first + 1]);
                AffineStoreOp::create(b, value, window, &at);
                let Some((shared, tile)) = held.field.shared().zip(held.tile) else { continue };
                if (shared.first..shared.last).contains(&plane) {
                    let slot = arith::constant_index(b, plane - shared.first);
                    let at = self.tile_at(b, held, slot, [row, thread[1]], [0, 0]);
                    AffineStoreOp::create(b, value, tile, &at);
                }
            }
        }
    }

    /// Moves a thread's window on by a plane.
    fn advance(
        &self,
        b: &mut Builder<'_>,
        held: &Held<'_>,
        window: Value,
        corner: &Corner,
        thread: [Value; 2],
        plane: Value,
    ) {
        let planes = held.field.window();
        let rows: Vec<Value> =
            (0..self.plan.rows_each).map(|turn| self.row(b, thread[0], turn)).collect();
        for (turn, &row) in (0..).zip(&rows) {
            for place in 0..planes.length() - 1 {
                let from = constants(b, &[turn, place + 1]);
                let value = AffineLoadOp::create(b, window, &from);
                let to = constants(b, &[turn, place]);
                AffineStoreOp::create(b, value, window, &to);
            }
            let map = self.at(b, corner, (Some(plane), planes.last), [row, thread[1]]);
            let value = self.load(b, held.field, &map);
            let to = constants(b, &[turn, planes.length() - 1]);
            AffineStoreOp::create(b, value, window, &to);
        }
        // What is loaded is waited for behind all loads.
        let Some((shared, tile)) = held.field.shared().zip(held.tile) else { return };
        let slot = self.slot(b, held, plane, shared.last);
        for (turn, &row) in (0..).zip(&rows) {
            let from = constants(b, &[turn, shared.last - planes.first]);
            let value = AffineLoadOp::create(b, window, &from);
            let at = self.tile_at(b, held, slot, [row, thread[1]], [0, 0]);
            AffineStoreOp::create(b, value, tile, &at);
        }
    }

    /// Where thread number `thread` finds its elements of the rim of a plane, row and column from the block's corner: the
    /// same for all planes.
    fn places(&self, b: &mut Builder<'_>, held: &Held<'_>, thread: Value) -> Value {
        let threads: i64 = self.plan.threads().iter().product();
        let index = b.ctx.index();
        let ty = b.ctx.memref(&[held.turns(self.plan), 2], index);
        let places = memref::AllocaOp::new(b, &[], &[]).result(ty).value(b);
        let none = arith::constant_index(b, 0);
        for turn in 0..held.turns(self.plan) {
            for side in 0..2 {
                let at = constants(b, &[turn, side]);
                AffineStoreOp::create(b, none, places, &at);
            }
            let (first, mut end) = (turn * threads, 0);
            for &part in &held.rim {
                let from = end;
                end += part.area();
                if end <= first || from >= first + threads {
                    continue;
                }
                // Of the elements from `first` on, one a thread, those that are in this part.
                let mut room = Vec::new();
                let mut exprs = Exprs::default();
                let number = exprs.value(b, thread);
                if from > first {
                    let least = b.ctx.constant_expr(first - from);
                    room.push((b.ctx.add_expr(number, least), false));
                }
                if end < first + threads {
                    let last = b.ctx.constant_expr(end - first - 1);
                    room.push((b.ctx.sub_expr(last, number), false));
                }
                where_all(b, exprs, &room, |b| {
                    let place = self.place(b, held, part, first - from, thread);
                    for (side, place) in (0..).zip(place) {
                        let at = constants(b, &[turn, side]);
                        AffineStoreOp::create(b, place, places, &at);
                    }
                });
            }
        }
        places
    }

    /// Row and column of the element of a rectangle that is so many further than a number.
    fn place(
        &self,
        b: &mut Builder<'_>,
        held: &Held<'_>,
        part: Rectangle,
        further: i64,
        number: Value,
    ) -> [Value; 2] {
        let length = part.columns.length();
        [0, 1].map(|side| {
            // The tile begins at the rim.
            let first = [part.rows, part.columns][side].first + held.plane.reach(side).first;
            // Whole rows stand outside of the division, so that it is one of a number of a thread.
            let (rows, rest) = (further.div_euclid(length), further.rem_euclid(length));
            apply(b, &[number], |b, dims| {
                let first = b.ctx.constant_expr(if side == 0 { first + rows } else { first });
                let rest = b.ctx.constant_expr(rest);
                let number = b.ctx.add_expr(dims[0], rest);
                let length = b.ctx.constant_expr(length);
                let at = match side {
                    0 => b.ctx.floordiv_expr(number, length),
                    _ => b.ctx.mod_expr(number, length),
                };
                b.ctx.add_expr(at, first)
            })
        })
    }

    /// Copies the rim of a plane: thread number `thread` does its part, which is at `places`.
    fn copy_rim(
        &self,
        b: &mut Builder<'_>,
        (held, places): (&Held<'_>, Value),
        corner: &Corner,
        thread: Value,
        plane: (Option<Value>, i64),
        slot: Value,
    ) {
        let Some(tile) = held.tile else { return };
        let threads: i64 = self.plan.threads().iter().product();
        let total: i64 = held.rim.iter().map(|part| part.area()).sum();
        let none = arith::constant_index(b, 0);
        let map = self.at(b, corner, plane, [none, none]);
        let field = held.field;
        let forms = field.origin.iter().map(|form| {
            let mut exprs = Exprs::default();
            let at = exprs.form(b, form, &map);
            let at = exprs.finish(b, &[at]);
            AffineApplyOp::create(b, &at)
        });
        let corner: Vec<Value> = forms.collect();
        for turn in 0..held.turns(self.plan) {
            let mut room = Vec::new();
            let mut exprs = Exprs::default();
            let left = total - turn * threads;
            if left < threads {
                let number = exprs.value(b, thread);
                let last = b.ctx.constant_expr(left - 1);
                room.push((b.ctx.sub_expr(last, number), false));
            }
            where_all(b, exprs, &room, |b| {
                let (mut from, mut to) = (corner.clone(), vec![slot]);
                for side in 0..2 {
                    let at = constants(b, &[turn, side as i64]);
                    let place = AffineLoadOp::create(b, places, &at);
                    let at = &mut from[field.at[side + 1]];
                    *at = arith::AddIOp::new(b, *at, place).value(b);
                    let first = arith::constant_index(b, -held.plane.reach(side).first);
                    to.push(arith::AddIOp::new(b, place, first).value(b));
                }
                let value = memref::LoadOp::new(b, field.buffer, &from).value(b);
                memref::StoreOp::new(b, value, tile, &to).build(b);
            });
        }
    }

    /// A thread's iterations of a plane. They are independent, so that each operation is made for all of them before
    /// the next one, where all are there: what several read is read once.
    fn plane(
        &self,
        b: &mut Builder<'_>,
        windows: &[Value],
        corner: &Corner,
        thread: [Value; 2],
        plane: Value,
    ) {
        let rows: Vec<Value> =
            (0..self.plan.rows_each).map(|turn| self.row(b, thread[0], turn)).collect();
        if corner.done == [None; 2] {
            let mut maps: Vec<ValueMap> = Vec::new();
            for &row in &rows {
                maps.push(self.at(b, corner, (Some(plane), 0), [row, thread[1]]));
            }
            for &op in &self.stencil.body {
                for (turn, map) in maps.iter_mut().enumerate() {
                    self.op(b, op, map, windows, (thread[1], turn, &rows), plane);
                }
            }
            return;
        }
        for (turn, &row) in rows.iter().enumerate() {
            let mut exprs = Exprs::default();
            let mut room = Vec::new();
            for (done, place) in corner.done.into_iter().zip([row, thread[1]]) {
                let Some(done) = done else { continue };
                let (place, done) = (exprs.value(b, place), exprs.value(b, done));
                room.push((b.ctx.sub_expr(place, done), false));
            }
            where_all(b, exprs, &room, |b| {
                let mut map = self.at(b, corner, (Some(plane), 0), [row, thread[1]]);
                for &op in &self.stencil.body {
                    self.op(b, op, &mut map, windows, (thread[1], turn, &rows), plane);
                }
            });
        }
    }

    /// One operation of an iteration: loads of fields read the thread's registers or memory of the block.
    fn op(
        &self,
        b: &mut Builder<'_>,
        op: Op,
        map: &mut ValueMap,
        windows: &[Value],
        (thread, turn, rows): (Value, usize, &[Value]),
        plane: Value,
    ) {
        let found = self.fields.iter().zip(windows).find_map(|(held, &window)| {
            let load = held.field.loads.iter().find(|load| load.op == op)?;
            Some((held, window, load.offset))
        });
        let Some((held, window, [planes, row, column])) = found else {
            let copy = b.clone_op(op, map);
            b.insert(copy);
            return;
        };
        // A row of the same thread is in its registers, too.
        let near = turn as i64 + row;
        let value = match held.field.shared().zip(held.tile) {
            Some((_, tile)) if column != 0 || !(0..rows.len() as i64).contains(&near) => {
                let slot = self.slot(b, held, plane, planes);
                let at = self.tile_at(b, held, slot, [rows[turn], thread], [row, column]);
                AffineLoadOp::create(b, tile, &at)
            }
            _ => {
                let at = constants(b, &[near, planes - held.field.window().first]);
                AffineLoadOp::create(b, window, &at)
            }
        };
        map.insert(b.result(op, 0), value);
    }
}

fn whole_of(corner: &ValueMap) -> Corner {
    Corner { map: corner.clone(), done: [None; 2] }
}

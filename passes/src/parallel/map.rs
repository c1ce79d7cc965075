//! `map`: decides who executes the iterations of each parallel loop of a compute region.
//!
//! Leaves on every `affine.parallel` and `scf.parallel` the attribute `mapping`
//! ([`gpuc_dialects::offload::mapping`]), which everything behind carries out; a loop that has one, written by
//! hand or by an earlier pass, keeps it. What the program says is done as it says. Where it is
//! silent, the outermost independent loop of a nest goes over blocks, the innermost over the threads
//! of a row, and a loop without independent loops around or inside over both: consecutive threads
//! take consecutive iterations of the innermost independent loop. A loop of several dimensions goes
//! over as many of the grid's, so that no iteration's number is divided. The shape of a block comes
//! from the trip counts and the device ([`super::block_shape`]): threads that have a long loop of their own come in
//! narrow blocks, so that few of them still reach many multiprocessors.

use gpuc_arch::Arch;
use gpuc_diagnostics::{Diagnostic, codes};
use gpuc_dialects::offload::mapping::{
    Axis, DimMap, Distribution, LoopMapping, MAPPING_ATTR, Size,
};
use gpuc_dialects::offload::{Construct, RegionOp, SCHEDULE_ATTR, verify_mapping};
use gpuc_ir::op::{EffectKind, Traits};
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Ir, Op, OpView, WalkOrder};
use indexmap::IndexMap;

use super::block_shape::{
    BlockShape, grid_row_length, long_row_length, longest_row, moves_little, row_length, tile_shape,
};
use super::lane_row::{touches, written_by};
use super::mapping_remarks;
use super::schedule::{Asked, Has, Levels, check_nesting, region_sizes};
use super::segments::{has_effects, is_local};
use super::verify_mapping::check_sizes;
use crate::analysis::loops::{constant_trips, known_trips, may_have};
use crate::plan::text::Placed;
use crate::plan::{Given, Step, is_planned, names, record, step};
use crate::steps::refusal::Refusal;
use crate::target::target;
use crate::versions::in_fallback;

/// Rounds of a loop of a thread from which on starting its block costs little beside it.
const LONG_LOOP: i64 = 64;

gpuc_ir::pass! {
    /// Decide which processors execute the iterations of parallel loops.
    Map = "map" on "func.func" {
        /// The device, whose table gives the shape of blocks.
        arch: String = Arch::default_target().name.to_owned(),
    }
}

impl Pass for Map {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let arch = target(&self.arch)?;
        let given = Given::of(ir, op)?;
        for inner in ir.nested_ops(op, WalkOrder::PreOrder) {
            let Some(region) = RegionOp::cast(ir, inner) else { continue };
            let planned = is_planned(ir, inner);
            let mut followed = None;
            if let Some(given) = given.as_ref().filter(|_| planned) {
                followed = follow(ir, op, region, given)?;
            }
            let mut mapper = Mapper { region, arch, loops: IndexMap::new() };
            let mapped = mapper.choose(ir)?;
            if let Some(placed) = followed {
                check_sizes(ir, region).map_err(|why| placed.refused_as(&why))?;
            } else {
                check_sizes(ir, region)?;
            }
            for (op_of, mapping) in mapped.into_iter().filter(|_| planned && given.is_none()) {
                record(ir, op, step(ir, op_of, &mapping));
            }
            if !in_fallback(ir, inner) {
                mapping_remarks::report(ir, region, cx);
            }
        }
        Ok(())
    }
}

/// A mapping as a step of a plan.
fn step(ir: &Ir, op: Op, mapping: &LoopMapping) -> step::Map {
    let mut names = names::of_loop(ir, op).into_iter();
    let dims = mapping.0.iter().map(|dim| (names.by_ref().take(dim.dims).collect(), dim.clone()));
    step::Map { dims: dims.collect() }
}

/// Maps the loops of a region as a plan says; one of its steps.
fn follow<'a>(
    ir: &mut Ir,
    func: Op,
    region: RegionOp,
    given: &'a Given,
) -> Result<Option<&'a Placed>, Diagnostic> {
    let steps = given.of_kind::<step::Map>();
    for (step, placed) in &steps {
        for name in step.dims.iter().flat_map(|(names, _)| names) {
            placed.find(ir, func, name)?;
        }
    }
    let mut last = None;
    for op in ir.nested_ops(region.op(), WalkOrder::PreOrder) {
        if !ir.has_trait(op, Traits::PARALLEL_LOOP) || ir.attr(op, MAPPING_ATTR).is_some() {
            continue;
        }
        let own = names::of_loop(ir, op);
        let is_own = |step: &step::Map| step.dims.iter().flat_map(|(names, _)| names).eq(&own);
        let Some((step, placed)) = steps.iter().find(|(step, _)| is_own(step)) else {
            let text =
                format!("the plan does not say who executes the iterations of {}", own.join(", "));
            let error = Diagnostic::error(text).code(codes::PLAN_STEP).at(given.place.clone());
            return Err(error.help(format!("add a step such as `{}`", example(&own))));
        };
        let mapping = LoopMapping(step.dims.iter().map(|(_, dim)| dim.clone()).collect());
        let attr = mapping.attr(&mut ir.ctx);
        ir.set_attr(op, MAPPING_ATTR, attr);
        ir.remove_attr(op, SCHEDULE_ATTR);
        verify_mapping(ir, op, own.len())
            .map_err(|rule| placed.refused(ir, &Refusal::new("map", op, rule)))?;
        record(ir, func, step.clone());
        last = Some(*placed);
    }
    Ok(last)
}

/// A step that maps loops, for who has left it out.
fn example(names: &[String]) -> Step {
    let dims = names.iter().rev().zip([0, 1, 2].map(Axis::Block)).map(|(name, axis)| {
        let mut axes = vec![(axis, Size::Free)];
        if axis == Axis::Block(0) {
            axes.push((Axis::Thread(0), Size::Constant(256)));
        }
        (vec![name.clone()], DimMap { axes, how: Distribution::Exact, dims: 1 })
    });
    let mut dims: Vec<_> = dims.collect();
    dims.reverse();
    step::Map { dims }.into()
}

/// A parallel loop whose mapping is being chosen.
#[derive(Clone, Copy, Debug)]
struct Loop {
    levels: Levels,
    asked: Asked,
    /// It stands directly in the region.
    top: bool,
    /// It came with a mapping.
    given: bool,
}

struct Mapper<'a> {
    region: RegionOp,
    arch: &'a Arch,
    loops: IndexMap<Op, Loop>,
}

impl Mapper<'_> {
    /// Maps all loops of the region; those that came without a mapping, each with its own.
    fn choose(&mut self, ir: &mut Ir) -> Result<Vec<(Op, LoopMapping)>, Diagnostic> {
        let kernels = self.region.kind(ir) == Construct::Kernels;
        for op in ir.ops(self.region.block(ir)) {
            self.assign(ir, op, Levels::SEQUENTIAL, kernels, [true; 2])?;
        }
        self.complete(ir);
        let chosen: Vec<(Op, LoopMapping)> = self
            .loops
            .iter()
            .filter_map(|(&op, known)| match known.given {
                true => Some((op, one_thread_an_iteration(ir, op)?)),
                false => Some((op, self.mapping(ir, op, *known))),
            })
            .collect();
        for (op, mapping) in &chosen {
            let attr = mapping.attr(&mut ir.ctx);
            ir.set_attr(*op, MAPPING_ATTR, attr);
            ir.remove_attr(*op, SCHEDULE_ATTR);
        }
        let open = |(op, _): &(Op, LoopMapping)| !self.loops[op].given;
        Ok(chosen.into_iter().filter(open).collect())
    }

    /// Assigns levels to `op`, if it is a parallel loop, and to those inside. `outer` are the
    /// levels in use around it; `top` tells that it stands directly in the region, `free` that nothing but
    /// loops over gangs, and parallel ones on no level, is around it, so that no serial loop orders its runs.
    fn assign(
        &mut self,
        ir: &Ir,
        op: Op,
        outer: Levels,
        kernels: bool,
        [top, free]: [bool; 2],
    ) -> Result<(), Diagnostic> {
        let mut around = outer;
        let is_parallel = ir.has_trait(op, Traits::PARALLEL_LOOP);
        if is_parallel {
            let given = LoopMapping::known(ir, op);
            let asked = Asked::of(ir, op);
            let levels = match &given {
                Some(mapping) => Levels::of_mapping(mapping),
                None => self.levels(ir, op, asked.levels, outer, kernels && !free),
            };
            if given.is_none() {
                let asks = |has: Has| {
                    ir.ancestors(op).find_map(|around| {
                        let known = self.loops.get(&around).filter(|known| has(known.levels))?;
                        Some((around, known.given || has(known.asked.levels)))
                    })
                };
                check_nesting(ir, op, outer, levels, &asks)?;
            }
            self.loops.insert(op, Loop { levels, asked, top, given: given.is_some() });
            around = outer.with(levels);
        }
        // A parallel loop on no level is run by every gang, and orders nothing.
        let inner_free = free && is_parallel && (around.gang || around == Levels::SEQUENTIAL);
        for &region in ir.regions(op) {
            for &block in ir.blocks(region) {
                for inner in ir.ops(block) {
                    self.assign(ir, inner, around, kernels, [false, inner_free])?;
                }
            }
        }
        Ok(())
    }

    /// Levels of a loop: what it asks for, else what is left.
    fn levels(&self, ir: &Ir, op: Op, asked: Levels, outer: Levels, ordered: bool) -> Levels {
        let inner = has_parallel_inside(ir, op);
        let mut levels = asked;
        if levels == Levels::SEQUENTIAL {
            if outer == Levels::SEQUENTIAL {
                levels.gang = !leaves_gangs_to_inner(ir, op);
                levels.vector = !inner;
            } else if !outer.vector {
                levels.vector = !inner;
            }
        } else if levels == (Levels { gang: true, ..Levels::SEQUENTIAL }) && !inner {
            // Nothing inside would use the gang's other threads.
            levels.vector = true;
        }
        if ordered {
            // A serial loop around it orders its runs; one gang can do that.
            levels.gang = false;
            // Rows may have a loop inside for their lanes, and a loop inside may ask for all threads.
            levels.vector |=
                !(outer.in_block() || levels.worker && inner || asked_inside(ir, op).in_block());
        }
        levels
    }

    /// Whether blocks have one row of threads.
    fn one_worker(&self, ir: &Ir) -> bool {
        let own = |known: &Loop| match known.asked.sizes[1] {
            Some(size) => size != Size::Constant(1),
            None => false,
        };
        let given = region_sizes(ir, self.region)[1];
        // Workers that only the region names help with vector loops.
        let used =
            given.is_some() || self.loops.values().any(|known| known.levels.worker && !known.given);
        !used
            || (given.is_none_or(|size| size == Size::Constant(1)) && !self.loops.values().any(own))
    }

    /// Makes every loop that threads of a block share one that they share without remainder, so that
    /// wherever threads wait for each other, all of them do, and no value is counted by two.
    ///
    /// A vector loop outside worker loops goes over all rows too, and so does a worker loop without
    /// vector loops. Of a worker loop round vector loops the rows go different ways; that is kept
    /// where they never have to wait for each other, else the block takes the worker loop's
    /// iterations one by one and all its threads share the vector loops.
    fn complete(&mut self, ir: &Ir) {
        let one_worker = self.one_worker(ir);
        for index in 0..self.loops.len() {
            let (&op, &known) = self.loops.get_index(index).expect("the index is in range");
            if known.given {
                continue;
            }
            let mut levels = known.levels;
            if one_worker {
                levels.worker = false;
            } else if levels.worker && !levels.vector {
                let inner: Vec<Op> = ir
                    .nested_ops(op, WalkOrder::PreOrder)
                    .into_iter()
                    .filter(|inner| *inner != op)
                    .filter(|inner| self.loops.get(inner).is_some_and(|l| l.levels.vector))
                    .collect();
                if inner.is_empty() {
                    levels.vector = true;
                } else if !rows_are_apart(ir, op, &inner) {
                    levels.worker = false;
                }
            } else if levels.vector && !levels.worker {
                levels.worker = !ir
                    .ancestors(op)
                    .any(|outer| self.loops.get(&outer).is_some_and(|l| l.levels.worker));
            }
            self.loops[index].levels = levels;
        }
    }

    /// Threads in a row of the block, for a loop that says nothing itself.
    fn lanes(&self, ir: &Ir, op: Op) -> Size {
        let given = region_sizes(ir, self.region)[2];
        let own = self.loops.values().filter_map(|known| known.asked.sizes[2]).fold(None, larger);
        given.or(own).unwrap_or_else(|| {
            if self.is_of_long_threads(ir, op) {
                let trips = constant_trips(ir, op).and_then(|trips| trips.first().copied());
                return Size::Constant(long_row_length(self.arch, trips));
            }
            // All loops of the region in the same rows: of the longest of them.
            let loops = self.loops.iter().filter(|(_, known)| known.levels.vector && !known.given);
            let trips: Option<Vec<Vec<i64>>> =
                loops.clone().map(|(&op, _)| constant_trips(ir, op)).collect();
            let most = |count: fn(&[i64]) -> i64| {
                trips
                    .as_ref()
                    .map(|trips| trips.iter().map(|trips| count(trips)).max().unwrap_or(0))
            };
            let longest = most(|trips| trips.last().copied().unwrap_or(0));
            let all = most(|trips| trips.iter().fold(1, |all, &n| all.saturating_mul(n)));
            // A block does no more than a row's iterations where those are the grid's, too.
            let of_grid = self.one_worker(ir) && loops.clone().all(|(_, known)| known.levels.gang);
            let length = match of_grid {
                true => {
                    let little = loops.clone().all(|(&op, _)| moves_little(ir, op));
                    grid_row_length(self.arch, longest, all, little)
                }
                false => row_length(self.arch, longest),
            };
            let rows = if self.one_worker(ir) { Size::Constant(1) } else { self.rows(ir) };
            let rows = match rows {
                Size::Constant(rows) => Some(rows),
                _ => None,
            };
            Size::Constant(length.min(longest_row(self.arch, rows)))
        })
    }

    /// Whether the iterations of a loop are each a thread that runs long, and its blocks are of nothing else.
    fn is_of_long_threads(&self, ir: &Ir, op: Op) -> bool {
        let alone = self.loops.len() == 1 || self.region.kind(ir) == Construct::Kernels;
        alone
            && self.loops[&op].top
            && self.one_worker(ir)
            && self.loops[&op].levels == Levels { gang: true, worker: false, vector: true }
            && ir.arguments(ir.body(op, 0)).len() == 1
            && ir.results(op).is_empty()
            && !has_parallel_inside(ir, op)
            && has_long_loop(ir, op)
    }

    /// Rows of threads, for a loop that says nothing itself.
    fn rows(&self, ir: &Ir) -> Size {
        let given = region_sizes(ir, self.region)[1];
        let own = self.loops.values().filter_map(|known| known.asked.sizes[1]).fold(None, larger);
        given.or(own).unwrap_or(Size::Constant(1))
    }

    /// The mapping of a loop on its levels.
    fn mapping(&self, ir: &Ir, op: Op, known: Loop) -> LoopMapping {
        let Loop { levels, asked, top, .. } = known;
        let dims = ir.arguments(ir.body(op, 0)).len();
        let mut threads = Vec::new();
        if levels.worker {
            threads.push((Axis::Thread(1), asked.sizes[1].unwrap_or_else(|| self.rows(ir))));
        }
        if levels.vector {
            threads.push((Axis::Thread(0), asked.sizes[2].unwrap_or_else(|| self.lanes(ir, op))));
        }
        let strided = |axes: &[(Axis, Size)]| {
            LoopMapping(vec![DimMap {
                axes: axes.to_vec(),
                how: if axes.is_empty() { Distribution::Exact } else { Distribution::Strided },
                dims,
            }])
        };
        if !levels.gang {
            return match in_row(ir, op, &threads) {
                Some(exact) => exact,
                None => strided(&threads),
            };
        }
        let gangs = asked.sizes[0].or(region_sizes(ir, self.region)[0]);
        if let Some(gangs) = gangs {
            let axes: Vec<_> = std::iter::once((Axis::Block(0), gangs)).chain(threads).collect();
            return strided(&axes);
        }
        let ordered = !top || !ir.results(op).is_empty();
        let how = if ordered { Distribution::Strided } else { Distribution::Exact };
        let shape = match self.may_be_tiled(ir, op, known) {
            true => tile_shape(self.arch, &known_trips(ir, op), moves_little(ir, op)),
            false => BlockShape::default(),
        };
        let mut maps = Vec::new();
        for dim in (0..dims).rev() {
            let axis = dims - 1 - dim;
            let mut axes = vec![(Axis::Block(axis.min(2) as u8), Size::Free)];
            match (axis, shape) {
                (0 | 1, BlockShape { rows: Some([x, y]) }) => {
                    axes.push((Axis::Thread(axis as u8), Size::Constant([x, y][axis])));
                }
                (0, BlockShape { rows: None }) => axes.extend(&threads),
                _ => {}
            }
            // What no axis is left for is counted with the last.
            if axis == 2 && dims > 3 {
                let dims = dims - 2;
                maps.push(DimMap { axes, how: Distribution::Strided, dims });
                break;
            }
            maps.push(DimMap { axes, how, dims: 1 });
        }
        maps.reverse();
        LoopMapping(maps)
    }

    /// Whether a loop's block may be a rectangle of its iterations: the program leaves its shape open,
    /// and no other loop needs threads in rows.
    fn may_be_tiled(&self, ir: &Ir, op: Op, known: Loop) -> bool {
        known.top
            && known.levels == Levels { gang: true, worker: false, vector: true }
            && ir.arguments(ir.body(op, 0)).len() > 1
            && ir.results(op).is_empty()
            && region_sizes(ir, self.region)[2].is_none()
            && known.asked.sizes[2].is_none()
            && !has_parallel_inside(ir, op)
    }
}

/// Whether the gangs are for loops inside that ask for them: then every gang runs this loop, at a time of its own. So
/// it must do nothing else that is seen outside of a thread, and read nothing that the loops inside may have changed; of
/// several such loops none touches what another one writes.
fn leaves_gangs_to_inner(ir: &Ir, op: Op) -> bool {
    if !asked_inside(ir, op).gang || !ir.results(op).is_empty() {
        return false;
    }
    let Some(mut written) = written_by(ir, op) else { return false };
    written.retain(|&buffer| !is_local(ir, buffer));
    let reads_written = |inner: Op| touches(ir, inner, &written, |kind| kind == EffectKind::Read);
    let mut found: Vec<Op> = Vec::new();
    let mut open = vec![op];
    while let Some(around) = open.pop() {
        for inner in ir.ops(ir.body(around, 0)) {
            let is_parallel = ir.has_trait(inner, Traits::PARALLEL_LOOP);
            if is_parallel && Asked::of(ir, inner).levels.gang {
                found.push(inner);
            } else if is_parallel && asked_inside(ir, inner).gang {
                open.push(inner);
            } else if !ir.has_trait(inner, Traits::TERMINATOR)
                && (has_effects(ir, inner) || reads_written(inner))
            {
                return false;
            }
        }
    }
    let disturbs = |one: Op, other: Op| {
        written_by(ir, one).is_none_or(|written| touches(ir, other, &written, |_| true))
    };
    let apart = |&one: &Op| found.iter().all(|&other| other == one || !disturbs(one, other));
    !found.is_empty() && found.iter().all(apart)
}

/// The mapping of a loop that came with one, where it gives each iteration a thread without saying how
/// many: as many as there are iterations.
fn one_thread_an_iteration(ir: &Ir, op: Op) -> Option<LoopMapping> {
    let mut mapping = LoopMapping::known(ir, op)?;
    let trips = constant_trips(ir, op)?;
    let mut changed = false;
    for (dim, trips) in mapping.0.iter_mut().zip(trips) {
        if let [(Axis::Thread(_), size @ Size::Launch)] = &mut dim.axes[..]
            && dim.how == Distribution::Exact
            && dim.dims == 1
        {
            *size = Size::Constant(trips.max(1));
            changed = true;
        }
    }
    changed.then_some(mapping)
}

/// The larger of two sizes; one that is known at run time only is as good as any.
fn larger(so_far: Option<Size>, size: Size) -> Option<Size> {
    Some(match (so_far, size) {
        (Some(Size::Constant(a)), Size::Constant(b)) => Size::Constant(a.max(b)),
        (None, size) => size,
        _ => Size::Launch,
    })
}

/// A loop of one dimension with no more iterations than threads: one each.
fn in_row(ir: &Ir, op: Op, threads: &[(Axis, Size)]) -> Option<LoopMapping> {
    let exact = DimMap::over(threads, Distribution::Exact);
    let [trips] = constant_trips(ir, op)?[..] else { return None };
    (trips <= exact.threads()? && !threads.is_empty()).then(|| LoopMapping(vec![exact]))
}

/// Whether the rows that share a worker loop never wait for each other inside: all it does that
/// can be seen is done by one vector loop directly in it.
fn rows_are_apart(ir: &Ir, op: Op, inner: &[Op]) -> bool {
    let body = ir.body(op, 0);
    let [vector] = *inner else { return false };
    let quiet = |other: Op| {
        ir.effects(other)
            .is_some_and(|effects| effects.iter().all(|effect| effect.kind == EffectKind::Read))
    };
    ir.parent_block(vector) == Some(body)
        && ir.results(op).is_empty()
        && ir.results(vector).is_empty()
        && ir
            .ops(body)
            .all(|other| other == vector || ir.has_trait(other, Traits::TERMINATOR) || quiet(other))
}

/// Whether an iteration has a loop of many rounds, as far as is known.
fn has_long_loop(ir: &Ir, op: Op) -> bool {
    let is_long =
        |inner: &Op| *inner != op && ir.is_loop(*inner) && may_have(ir, *inner, LONG_LOOP);
    ir.nested_ops(op, WalkOrder::PreOrder).iter().any(is_long)
}

fn has_parallel_inside(ir: &Ir, op: Op) -> bool {
    parallel_inside(ir, op).next().is_some()
}

/// The levels that some parallel loop inside of an operation asks for.
fn asked_inside(ir: &Ir, op: Op) -> Levels {
    let asked = parallel_inside(ir, op).map(|inner| Asked::of(ir, inner).levels);
    asked.fold(Levels::SEQUENTIAL, Levels::with)
}

/// The parallel loops inside of an operation.
fn parallel_inside(ir: &Ir, op: Op) -> impl Iterator<Item = Op> + '_ {
    let nested = ir.nested_ops(op, WalkOrder::PreOrder).into_iter();
    nested.filter(move |&inner| inner != op && ir.has_trait(inner, Traits::PARALLEL_LOOP))
}

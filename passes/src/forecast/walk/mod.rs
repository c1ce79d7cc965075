//! A block's way through a kernel: one in the middle of the grid, or four where blocks have not all as much to do, all of its threads
//! at once as far as they compute addresses.
//!
//! Of a loop the first iteration is looked at and one in the middle, which stands for the others. Straight code begins with its
//! loads, as an assembler puts it, and iterations of an innermost loop are looked at several at a time, as loops are unrolled.

mod accesses;
mod mapped;
mod numbers;
mod straight;

use std::cell::Cell;

use gpuc_arch::{Arch, OpClass, WARP_SIZE};
use gpuc_dialects::affine::AffineIfOp;
use gpuc_dialects::offload::GridBarrierOp;
use gpuc_dialects::offload::mapping::LoopMapping;
use gpuc_dialects::{gpu, nvvm, scf};
use gpuc_ir::op::{LoopBound, Traits};
use gpuc_ir::{Block, Ir, Op, OpView, Value, WalkOrder};
use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};

use super::class;
use super::clock::Clock;
use super::index::{Index, LoopId};
use super::traffic::{Found, Site, Trips};

/// Iterations of a loop of which nothing is known.
const UNKNOWN_TRIPS: i64 = 16;
/// Iterations that are looked at together, as `loop-unroll` has them. Eight for the shortest bodies come no closer to the simulator.
const MOST_COPIES: i64 = 4;
/// Words that those may load.
const MOST_WORDS: i64 = 64;

/// Loops of which the first iteration is looked at by itself, one in another.
const MOST_DEPTH: usize = 6;
/// Numbers that one of the host's is made of, one behind the other.
const MOST_STEPS: usize = 64;

/// Stores that are remembered: what is loaded right behind one stays in a register.
const MOST_STORED: usize = 16;

/// What a kernel's threads are and know.
pub struct Subject<'a> {
    pub ir: &'a Ir,
    pub arch: &'a Arch,
    pub kernel: Op,
    /// Threads of a block in each direction.
    pub extents: [i64; 3],
    /// Of each access from the last time, where it finds what it asks for.
    pub found: &'a FxHashMap<Op, Found>,
    /// Whether blocks have not all as much to do, as a walk through the one in the middle has found.
    pub is_uneven: bool,
}

/// Says of an iteration what the variables are.
type Bind<'b, 'a> = &'b dyn Fn(&mut Walk<'a>, i64);

/// An element of an array: where the array comes from, and its subscripts.
type Place = (Value, Vec<i64>);

/// The way.
pub struct Walk<'a> {
    subject: &'a Subject<'a>,
    pub clock: Clock<'a>,
    numbers: FxHashMap<Value, Index>,
    ready: FxHashMap<Value, f64>,
    /// When an element of a thread's own array is there.
    own: FxHashMap<Place, f64>,
    /// Numbers in a thread's own arrays, by their places.
    kept: FxHashMap<Place, Index>,
    pub loops: Vec<Trips>,
    ids: FxHashMap<(Op, usize), LoopId>,
    /// Numbers that are being looked for, one for the other.
    steps: usize,
    /// Those of the host that have been looked for.
    sought: FxHashSet<Value>,
    /// Its numbers with fractions; `None` where they hang on something else than sizes.
    floats: FxHashMap<Value, Option<f64>>,
    /// What was stored last, where, and when it is there.
    stored: Vec<(Value, Index, f64)>,
    /// Parameters of which nothing is known.
    assumed: Vec<Value>,
    /// The sequential loops around.
    around: Vec<LoopId>,
    active: Vec<bool>,
    /// Warps with an active thread, of all of the grid.
    part: f64,
    /// Blocks that have iterations of the loop around, of all.
    share: f64,
    /// Blocks of a grid whose blocks wait for each other: one a multiprocessor.
    resident: Option<i64>,
    /// Which of the blocks that stand for all this one is, where there are several.
    sample: Option<usize>,
    /// Whether what a block has to do hangs on where it is in the grid: a loop's rounds, or a condition on two of its coordinates,
    /// which is no end of an array.
    is_uneven: Cell<bool>,
    pub sites: IndexMap<Op, Site>,
    pub blocks: [f64; 3],
    /// Barriers of the grid that a block comes to.
    pub grid_barriers: f64,
    /// Registers of the values that live at a time, at most.
    most_words: u32,
    /// Whether a number had to be guessed.
    pub guessed: bool,
}

impl<'a> Walk<'a> {
    pub fn new(subject: &'a Subject<'a>) -> Walk<'a> {
        let threads = subject.extents.iter().product::<i64>().max(1) as usize;
        let mut walk = Walk {
            subject,
            clock: Clock::new(subject.arch),
            numbers: FxHashMap::default(),
            ready: FxHashMap::default(),
            own: FxHashMap::default(),
            kept: FxHashMap::default(),
            loops: Vec::new(),
            ids: FxHashMap::default(),
            steps: 0,
            sought: FxHashSet::default(),
            floats: FxHashMap::default(),
            stored: Vec::new(),
            assumed: Vec::new(),
            around: Vec::new(),
            active: vec![true; threads],
            part: 1.0,
            share: 1.0,
            resident: None,
            sample: None,
            is_uneven: Cell::new(false),
            sites: IndexMap::new(),
            blocks: [1.0; 3],
            grid_barriers: 0.0,
            most_words: 0,
            guessed: false,
        };
        let nested = subject.ir.nested_ops(subject.kernel, WalkOrder::PreOrder);
        if nested.into_iter().any(|op| GridBarrierOp::is(subject.ir, op)) {
            walk.resident = Some(subject.arch.chip.sm_count.into());
            walk.blocks[0] = f64::from(subject.arch.chip.sm_count);
        }
        for axis in 0..3 {
            walk.loops.push(Trips { trips: 1.0, axis: Some(axis) });
        }
        walk
    }

    fn ir(&self) -> &'a Ir {
        self.subject.ir
    }

    /// Whether blocks have not all as much to do.
    pub fn is_uneven(&self) -> bool {
        self.is_uneven.get()
    }

    /// Notes that what a block has to do hangs on a number, if that hangs on so many of the block's coordinates at least.
    fn note_uneven(&self, number: &Index, least: usize) {
        let axes = number.slopes().iter().filter(|(id, _)| self.loops[id.0].axis.is_some());
        if axes.count() >= least {
            self.is_uneven.set(true);
        }
    }

    /// Registers of 32 bits that a thread wants: what it lives with, and what numbers its place.
    pub fn registers(&self) -> u32 {
        let ir = self.ir();
        let own: u32 = self
            .own
            .keys()
            .map(|(root, _)| class::words(ir, ir.ctx.element_or_self(ir.ty(*root))))
            .sum();
        let mut pointers: Vec<(Value, &[(LoopId, f64)])> = Vec::new();
        for site in self.sites.values() {
            let slopes = site.addresses.as_ref().map_or(&[][..], |index| index.slopes());
            if !pointers.contains(&(site.root, slopes)) {
                pointers.push((site.root, slopes));
            }
        }
        16 + own + self.most_words + 2 * pointers.len() as u32
    }

    /// Says what a parameter is, or may be.
    pub fn set(&mut self, value: Value, number: i64, is_assumed: bool) {
        if is_assumed {
            self.assumed.push(value);
        }
        self.numbers.insert(value, Index::constant(number));
    }

    fn when(&self, value: Value) -> f64 {
        self.ready.get(&value).copied().unwrap_or(0.0)
    }

    fn operands_ready(&self, op: Op) -> f64 {
        self.ir().operands(op).fold(0.0f64, |last, value| last.max(self.when(value)))
    }

    /// Goes through the blocks of a region.
    pub fn region(&mut self, region: gpuc_ir::Region) {
        for &block in self.ir().blocks(region) {
            self.block(block);
        }
    }

    fn block(&mut self, block: Block) {
        let ir = self.ir();
        let mut straight: Vec<Op> = Vec::new();
        for op in ir.ops(block) {
            if self.is_straight(op) {
                straight.push(op);
                continue;
            }
            self.straight(&std::mem::take(&mut straight), &[]);
            self.structured(op);
        }
        self.straight(&straight, &[]);
    }

    fn is_straight(&self, op: Op) -> bool {
        let ir = self.ir();
        ir.regions(op).is_empty()
            && !gpu::BarrierOp::is(ir, op)
            && !GridBarrierOp::is(ir, op)
            && !nvvm::CpAsyncCommitGroupOp::is(ir, op)
            && !nvvm::CpAsyncWaitGroupOp::is(ir, op)
    }

    fn structured(&mut self, op: Op) {
        let ir = self.ir();
        if gpu::BarrierOp::is(ir, op) {
            self.stored.clear();
            return self.clock.barrier(op);
        }
        if GridBarrierOp::is(ir, op) {
            self.grid_barriers += self.clock.weight;
            return self.clock.barrier(op);
        }
        if nvvm::CpAsyncCommitGroupOp::is(ir, op) {
            return self.clock.commit();
        }
        if let Some(wait) = nvvm::CpAsyncWaitGroupOp::cast(ir, op) {
            let groups = wait.n(ir).and_then(|attr| ir.ctx.int_value(attr)).unwrap_or(0);
            return self.clock.wait_for_groups(groups as usize);
        }
        if ir.has_trait(op, Traits::PARALLEL_LOOP) {
            let mapping = LoopMapping::known(ir, op).unwrap_or_default();
            return self.mapped(op, &mapping);
        }
        if ir.is_sequential_loop(op) {
            return self.sequential(op);
        }
        if ir.is_loop(op) {
            return self.unknown_loop(op);
        }
        let condition = self.condition(op);
        let regions: Vec<_> = ir.regions(op).to_vec();
        if AffineIfOp::is(ir, op) || scf::IfOp::is(ir, op) {
            let then = self.operands_ready(op);
            self.clock.issue(OpClass::IntCompare32, 1.0, then, self.part);
            self.clock.issue(OpClass::Branch, 1.0, then, self.part);
            let all = self.active.clone();
            for (number, region) in regions.into_iter().enumerate() {
                let taken = |thread: usize| match &condition {
                    Some(holds) => (holds.of(thread) != 0) == (number == 0),
                    None => true,
                };
                let own = all.iter().enumerate().map(|(t, active)| *active && taken(t)).collect();
                self.in_threads(own, |walk| walk.region(region));
            }
        } else {
            regions.into_iter().for_each(|region| self.region(region));
        }
        let end = ir.regions(op).iter().flat_map(|&region| ir.blocks(region).last().copied());
        let ends: Vec<Op> = end.filter_map(|block| ir.last_op(block)).collect();
        for (at, &result) in ir.results(op).iter().enumerate() {
            let then = ends.iter().filter(|&&end| at < ir.operand_count(end));
            let then = then.map(|&end| self.when(ir.operand(end, at))).fold(0.0, f64::max);
            self.ready.insert(result, then);
        }
    }

    /// Does something in some threads only; nothing where there is none.
    fn in_threads(&mut self, active: Vec<bool>, run: impl FnOnce(&mut Self)) {
        let warps = active.chunks(WARP_SIZE as usize);
        let (count, all) = (warps.clone().filter(|warp| warp.contains(&true)).count(), warps.len());
        let old = (std::mem::replace(&mut self.active, active), self.part);
        self.part = self.share * count as f64 / all.max(1) as f64;
        if count > 0 {
            run(self);
        }
        (self.active, self.part) = old;
    }

    fn id(&mut self, op: Op, dim: usize, trips: i64) -> LoopId {
        let next = LoopId(self.loops.len());
        let id = *self.ids.entry((op, dim)).or_insert(next);
        let of = Trips { trips: trips.max(1) as f64, axis: None };
        match self.loops.get_mut(id.0) {
            Some(known) => *known = of,
            None => self.loops.push(of),
        }
        id
    }

    fn sequential(&mut self, op: Op) {
        let ir = self.ir();
        let dims = ir.loop_dimensions(op);
        let carried = ir.loop_carried(op);
        for value in &carried {
            let then = self.when(value.init);
            self.ready.insert(value.argument, then);
            self.numbers.remove(&value.argument);
        }
        let body = ir.regions(op).first().and_then(|&region| ir.entry_block(region));
        if let (Some(dim), Some(body)) = (dims.first(), body) {
            let (lower, step, trips) = self.dimension(dim);
            let id = self.id(op, 0, trips);
            let variable = dim.variable;
            let bind = move |walk: &mut Self, iteration: i64| {
                let here = lower
                    .plus(&Index::constant(iteration.wrapping_mul(step)))
                    .growing(id, step as f64);
                walk.numbers.insert(variable, here);
            };
            let pairs: Vec<(Value, Value)> =
                carried.iter().map(|value| (value.argument, value.yielded)).collect();
            self.around.push(id);
            self.repeated(id, trips, body, (Some(variable), &bind), &pairs);
            self.around.pop();
        }
        for value in &carried {
            let then = self.when(value.argument);
            self.ready.insert(value.result, then);
        }
    }

    fn unknown_loop(&mut self, op: Op) {
        let ir = self.ir();
        self.guessed = true;
        let id = self.id(op, 0, UNKNOWN_TRIPS);
        self.around.push(id);
        for (_, weight) in self.samples(UNKNOWN_TRIPS, 1) {
            self.weighted(weight, |walk| {
                ir.regions(op).iter().for_each(|&region| walk.region(region));
            });
        }
        self.around.pop();
    }

    /// A body again and again: the first time, and one in the middle for all others. `varying` is the variable that counts, `handed`
    /// are arguments of the body with what it hands on as them.
    fn repeated(
        &mut self,
        id: LoopId,
        trips: i64,
        body: Block,
        (varying, bind): (Option<Value>, Bind<'_, 'a>),
        handed: &[(Value, Value)],
    ) {
        let ir = self.ir();
        let ops: Vec<Op> = ir.ops(body).collect();
        let is_straight = ops.iter().all(|&op| self.is_straight(op));
        let copies = if is_straight { self.copies(&ops).min(trips.max(1)) } else { 1 };
        let samples = match is_bound(ir, &ops, varying) {
            true => self.samples_of_change(trips),
            false => self.samples(trips, copies),
        };
        for (first, weight) in samples {
            self.weighted(weight, |walk| {
                if is_straight {
                    let bind = |walk: &mut Self, copy: i64| bind(walk, first + copy);
                    walk.copied(&ops, copies, &bind, handed);
                } else {
                    bind(walk, first);
                    walk.block(body);
                    walk.hand_on(handed);
                }
                let moving = walk.pointers_moving_with(id, &ops);
                walk.clock.issue(OpClass::IntAdd64, moving, 0.0, walk.part);
                for class in [OpClass::IntAdd32, OpClass::IntCompare32, OpClass::Branch] {
                    walk.clock.issue(class, 1.0, 0.0, walk.part);
                }
            });
        }
    }

    /// Does something that stands for so many times as much.
    fn weighted(&mut self, weight: f64, run: impl FnOnce(&mut Self)) {
        let before = self.clock.weight;
        self.clock.weight *= weight;
        run(self);
        self.clock.weight = before;
    }

    /// The same where iterations have more or less to do one after the other: the first again, the last, and the one in the middle, with the
    /// weights by which a sum of squares is exact (Simpson's rule).
    fn samples_of_change(&self, trips: i64) -> Vec<(i64, f64)> {
        if trips < 6 || self.around.len() > MOST_DEPTH {
            return self.samples(trips, 1);
        }
        let sixth = trips as f64 / 6.0;
        vec![(0, 1.0), (1, sixth - 1.0), (trips - 1, sixth), (trips / 2, 4.0 * sixth)]
    }

    /// The iterations that are looked at, each with how many groups it stands for; deep inside, the one in the middle alone.
    fn samples(&self, trips: i64, copies: i64) -> Vec<(i64, f64)> {
        if trips <= 0 {
            return Vec::new();
        }
        let groups = trips as f64 / copies as f64;
        let middle = trips / copies / 2 * copies;
        if groups <= 1.0 {
            vec![(0, 1.0)]
        } else if self.around.len() > MOST_DEPTH {
            vec![(middle, groups)]
        } else {
            vec![(0, 1.0), (middle, groups - 1.0)]
        }
    }
}

/// Whether a variable is in the bounds of loops in some operations.
fn is_bound(ir: &Ir, ops: &[Op], variable: Option<Value>) -> bool {
    let bounded = |op: Op| {
        ir.loop_dimensions(op).iter().any(|dim| {
            [&dim.lower, &dim.upper].into_iter().any(|bound| match bound {
                LoopBound::Value(value) => Some(*value) == variable,
                LoopBound::Map { operands, .. } => {
                    operands.iter().any(|&value| Some(value) == variable)
                }
            })
        })
    };
    let mut nested = ops.iter().filter(|&&op| !ir.regions(op).is_empty()).flat_map(|&op| {
        let inner = ir.nested_ops(op, WalkOrder::PreOrder);
        std::iter::once(op).chain(inner)
    });
    variable.is_some() && nested.any(bounded)
}

//! Which loop runs on which level of parallelism: the decision, apart from carrying it out.
//!
//! A gang is a block of threads, a worker a row of the block (`threadIdx.y`), a vector lane a thread
//! of the row (`threadIdx.x`). What the program says is done as it says; where it is silent:
//! the outermost independent loop of a nest goes over gangs, the innermost over vector lanes, and a
//! loop without independent loops around or inside over both. So consecutive threads take
//! consecutive iterations of the innermost independent loop.

use gpuc_arch::MAX_THREADS_PER_BLOCK;
use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::offload::{RegionOp, SCHEDULE_ATTR};
use gpuc_dialects::scf;
use gpuc_ir::op::{EffectKind, Traits};
use gpuc_ir::{Ir, Location, Op, OpView, Value, WalkOrder};
use rustc_hash::FxHashMap;

/// A set of levels of parallelism.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Levels {
    /// Blocks.
    pub gang: bool,
    /// Rows of threads.
    pub worker: bool,
    /// Threads of a row.
    pub vector: bool,
}

impl Levels {
    /// No level: iterations one after the other in each thread.
    pub const SEQUENTIAL: Levels = Levels { gang: false, worker: false, vector: false };

    /// Whether iterations go to several threads of a block.
    pub fn in_block(self) -> bool {
        self.worker || self.vector
    }

    /// Both sets.
    pub fn with(self, other: Levels) -> Levels {
        Levels {
            gang: self.gang || other.gang,
            worker: self.worker || other.worker,
            vector: self.vector || other.vector,
        }
    }

    /// As a directive writes them.
    pub fn clauses(self) -> String {
        let names = [(self.gang, "gang"), (self.worker, "worker"), (self.vector, "vector")];
        let words: Vec<_> = names.iter().filter(|(is, _)| *is).map(|(_, name)| *name).collect();
        if words.is_empty() { "seq".to_owned() } else { words.join(" ") }
    }

    /// The hardware indices that iterations go over, for messages.
    pub fn indices(self) -> String {
        let names =
            [(self.gang, "blockIdx.x"), (self.worker, "threadIdx.y"), (self.vector, "threadIdx.x")];
        let words: Vec<_> = names.iter().filter(|(is, _)| *is).map(|(_, name)| *name).collect();
        words.join(" ")
    }
}

/// Threads of a block in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Known.
    Constant(i64),
    /// A value of the host function, of integer or index type.
    Value(Value),
}

/// Threads in a block's row where the program does not say.
pub const DEFAULT_VECTOR_LENGTH: i64 = 128;

/// The mapping of one compute region.
#[derive(Clone, Debug)]
pub struct Mapping {
    levels: FxHashMap<Op, Levels>,
    /// Threads in a row.
    pub vector_length: Extent,
    /// Rows of threads.
    pub workers: Extent,
    /// Whether the grid may have rows: its size is the compiler's choice.
    rows: bool,
}

impl Mapping {
    /// Levels of a parallel loop of the region.
    pub fn levels(&self, op: Op) -> Levels {
        self.levels.get(&op).copied().unwrap_or_default()
    }

    /// Whether the iterations of a loop over gangs that ends its kernel go over rows and columns of the
    /// grid: the last dimension over columns, those before over rows. So no iteration's number has to
    /// be divided into its dimensions.
    pub fn uses_rows(&self, ir: &Ir, op: Op) -> bool {
        self.rows && self.levels(op).gang && scf::ParallelOp(op).step(ir).len() > 1
    }

    /// Whether a block has one row of threads.
    pub fn one_worker(&self) -> bool {
        self.workers == Extent::Constant(1)
    }

    /// Whether a block has one thread.
    pub fn one_thread(&self) -> bool {
        self.one_worker() && self.vector_length == Extent::Constant(1)
    }

    /// The mapping of a kernel of only some of the region's operations: without the threads that none
    /// of its loops uses.
    pub fn of_kernel(&self, ir: &Ir, ops: &[Op]) -> Mapping {
        let nested = ops.iter().flat_map(|&op| ir.nested_ops(op, WalkOrder::PreOrder));
        let used = nested.fold(Levels::SEQUENTIAL, |used, op| used.with(self.levels(op)));
        let mut own = self.clone();
        if !used.vector {
            own.vector_length = Extent::Constant(1);
        }
        if !used.worker {
            own.workers = Extent::Constant(1);
        }
        own
    }

    /// Says that `copy` is a copy of the loop `op`.
    pub fn copied(&mut self, op: Op, copy: Op) {
        if let Some(&levels) = self.levels.get(&op) {
            self.levels.insert(copy, levels);
        }
    }

    /// Chooses levels for every parallel loop in a region.
    pub fn choose(ir: &Ir, region: RegionOp) -> Result<Mapping, Diagnostic> {
        let mut mapping = Mapping {
            levels: FxHashMap::default(),
            vector_length: Extent::Constant(1),
            workers: Extent::Constant(1),
            rows: region.num_gangs(ir).is_none(),
        };
        let single_gang = region.kind(ir) == gpuc_dialects::offload::Construct::Kernels;
        for op in ir.ops(region.block(ir)) {
            mapping.assign(ir, op, Levels::SEQUENTIAL, single_gang, true)?;
        }
        let used = mapping.levels.values().fold(Levels::SEQUENTIAL, |a, &b| a.with(b));
        if used.vector {
            mapping.vector_length = match region.vector_length(ir) {
                Some(value) => extent(ir, value),
                None => Extent::Constant(
                    mapping.loop_size(ir, "offload.vector_length").unwrap_or(DEFAULT_VECTOR_LENGTH),
                ),
            };
        }
        if used.worker {
            let given = region.num_workers(ir).map(|value| extent(ir, value));
            let own = mapping.loop_size(ir, "offload.num_workers").map(Extent::Constant);
            mapping.workers = given.or(own).unwrap_or(Extent::Constant(1));
        }
        mapping.check_sizes(ir, region)?;
        if !mapping.one_worker() {
            mapping.complete(ir, region);
        }
        Ok(mapping)
    }

    /// Makes every loop that threads of a block share one that they share without remainder, so that
    /// wherever threads wait for each other, all of them do, and no value is counted by two.
    ///
    /// A vector loop outside worker loops goes over all rows too, and so does a worker loop without
    /// vector loops. Of a worker loop round vector loops the rows go different ways; that is kept
    /// where they never have to wait for each other, else the block takes the worker loop's
    /// iterations one by one and all its threads share the vector loops.
    fn complete(&mut self, ir: &Ir, region: RegionOp) {
        for op in ir.nested_ops(region.op(), WalkOrder::PreOrder) {
            let mut levels = self.levels(op);
            if levels.worker && !levels.vector {
                let inner: Vec<Op> = ir
                    .nested_ops(op, WalkOrder::PreOrder)
                    .into_iter()
                    .filter(|&inner| inner != op && self.levels(inner).vector)
                    .collect();
                if inner.is_empty() {
                    levels.vector = true;
                } else if !self.rows_are_apart(ir, op, &inner) {
                    levels.worker = false;
                }
            } else if levels.vector && !levels.worker {
                levels.worker = !ir.ancestors(op).any(|outer| self.levels(outer).worker);
            } else {
                continue;
            }
            self.levels.insert(op, levels);
        }
    }

    /// Whether the rows that share a worker loop never wait for each other inside: all it does that
    /// can be seen is done by one vector loop directly in it.
    fn rows_are_apart(&self, ir: &Ir, op: Op, inner: &[Op]) -> bool {
        let body = ir.body(op, 0);
        let [vector] = *inner else { return false };
        let quiet = |other: Op| {
            ir.effects(other)
                .is_some_and(|effects| effects.iter().all(|effect| effect.kind == EffectKind::Read))
        };
        ir.parent_block(vector) == Some(body)
            && ir.results(op).is_empty()
            && ir.results(vector).is_empty()
            && ir.ops(body).all(|other| {
                other == vector || ir.has_trait(other, Traits::TERMINATOR) || quiet(other)
            })
    }

    /// A size given at a loop, the largest where several are.
    fn loop_size(&self, ir: &Ir, name: &str) -> Option<i64> {
        let sizes = self.levels.keys().filter_map(|&op| ir.ctx.i64_value(ir.attr(op, name)?));
        sizes.max()
    }

    /// Where the number stands that makes a gang too large or empty; the construct, where that
    /// cannot be told.
    fn size_location(&self, ir: &Ir, region: RegionOp, [x, y]: [i64; 2]) -> Location {
        let guilty = if x < 1 || x > y { region.vector_length(ir) } else { region.num_workers(ir) };
        // One constant stands for all of a value, wherever they are written.
        let constant = guilty.filter(|_| x != y).and_then(|value| ir.defining_op(value));
        ir.location(constant.unwrap_or(region.op()))
    }

    fn check_sizes(&self, ir: &Ir, region: RegionOp) -> Result<(), Diagnostic> {
        let (Extent::Constant(x), Extent::Constant(y)) = (self.vector_length, self.workers) else {
            return Ok(());
        };
        let threads = x.saturating_mul(y);
        if x < 1 || y < 1 || threads > MAX_THREADS_PER_BLOCK.into() {
            return Err(Diagnostic::error(format!(
                "{y} workers of vector length {x} are {threads} threads; a gang has 1 to \
                 {MAX_THREADS_PER_BLOCK}",
            ))
            .at_option(ir.ctx.place(self.size_location(ir, region, [x, y])))
            .help("ask for fewer, or leave the numbers out to have them chosen"));
        }
        Ok(())
    }

    /// Assigns levels to `op`, if it is a parallel loop, and to those inside. `outer` are the
    /// levels in use around it; `top` tells that it stands directly in the region.
    fn assign(
        &mut self,
        ir: &Ir,
        op: Op,
        outer: Levels,
        kernels: bool,
        top: bool,
    ) -> Result<(), Diagnostic> {
        let mut around = outer;
        if scf::ParallelOp::is(ir, op) {
            let mut levels = asked(ir, op);
            let inner = has_parallel_inside(ir, op);
            if levels == Levels::SEQUENTIAL {
                levels = automatic(outer, inner);
            } else if levels == (Levels { gang: true, ..Levels::SEQUENTIAL }) && !inner {
                // Nothing inside would use the gang's other threads.
                levels.vector = true;
            }
            if kernels && !top {
                // A serial loop around it orders its runs; one gang can do that.
                levels.gang = false;
                levels.vector |= !outer.in_block();
            }
            self.check_nesting(ir, op, outer, levels)?;
            self.levels.insert(op, levels);
            around = outer.with(levels);
        }
        for &region in ir.regions(op) {
            for &block in ir.blocks(region) {
                for inner in ir.ops(block) {
                    let top = top && scf::ParallelOp::is(ir, op);
                    self.assign(ir, inner, around, kernels, top && around.gang)?;
                }
            }
        }
        Ok(())
    }

    fn check_nesting(&self, ir: &Ir, op: Op, outer: Levels, own: Levels) -> Result<(), Diagnostic> {
        let clash = [
            (own.gang && outer.gang, "gang", "gang"),
            (own.gang && outer.worker, "gang", "worker"),
            (own.gang && outer.vector, "gang", "vector"),
            (own.worker && outer.worker, "worker", "worker"),
            (own.worker && outer.vector, "worker", "vector"),
            (own.vector && outer.vector, "vector", "vector"),
        ];
        match clash.into_iter().find(|&(is, _, _)| is) {
            None => Ok(()),
            Some((_, inner, around)) => Err(Diagnostic::error(format!(
                "a {inner} loop cannot stand inside a {around} loop"
            ))
            .at_option(ir.ctx.place(ir.location(op)))
            .help("levels go from gang over worker to vector, from the outside in")),
        }
    }
}

fn extent(ir: &Ir, value: Value) -> Extent {
    match gpuc_dialects::arith::constant_int_value(ir, value).and_then(|v| i64::try_from(v).ok()) {
        Some(constant) => Extent::Constant(constant),
        None => Extent::Value(value),
    }
}

/// Levels that the program asks for.
fn asked(ir: &Ir, op: Op) -> Levels {
    let names = ir.attr(op, SCHEDULE_ATTR).and_then(|attr| ir.ctx.array_value(attr)).unwrap_or(&[]);
    let has = |name| names.iter().any(|&attr| ir.ctx.string_value(attr) == Some(name));
    Levels { gang: has("gang"), worker: has("worker"), vector: has("vector") }
}

fn automatic(outer: Levels, inner: bool) -> Levels {
    let mut levels = Levels::SEQUENTIAL;
    if outer == Levels::SEQUENTIAL {
        levels.gang = true;
        levels.vector = !inner;
    } else if !outer.vector {
        levels.vector = !inner;
    }
    levels
}

fn has_parallel_inside(ir: &Ir, op: Op) -> bool {
    ir.nested_ops(op, WalkOrder::PreOrder)
        .into_iter()
        .any(|inner| inner != op && scf::ParallelOp::is(ir, inner))
}

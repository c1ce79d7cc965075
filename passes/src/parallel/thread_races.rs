//! Races of threads on the memory of a block, by execution.
//!
//! A loop over threads is walked as one block executes it, all its iterations side by side: sequential
//! loops in it are turned and conditions answered for each iteration, and each access to the block's memory is
//! held against what other threads have touched since the last barrier. Exact, with a witness, and bounded,
//! because blocks are.
//!
//! A condition that is the same for all threads and not known splits what follows into worlds
//! ([`World`]): what stands under it happens in one of them, and so does a barrier there. What is under a
//! condition that is not known and may differ between threads, or depends on numbers that are not known and do not
//! cancel, is not certain, and passes; a loop that is not known to run holds nobody up.

use std::rc::Rc;

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::gpu::{AddressSpace, BarrierOp};
use gpuc_dialects::{affine, scf};
use gpuc_ir::op::Traits;
use gpuc_ir::{Block, IntegerSet, Ir, Op, OpView, Value, WalkOrder};
use indexmap::IndexSet;
use rustc_hash::{FxHashMap, FxHashSet};

use super::block_memory::{BlockMemory, Touch, World, with};
use super::lanes::{Foreign, Form, Lanes, Test, start};
use super::verify_barriers::is_over_threads;
use crate::analysis::access::{Access, AccessKind, access, name};
use crate::analysis::loops::{CountedLoop, dimensions, nest};
use crate::analysis::quasi_affine::QuasiAffine;
use crate::analysis::slice::{is_defined_inside, used_from_around};
use crate::analysis::uniform::Uniformity;

/// Accesses and operations that are executed, at most, of all iterations together.
const MOST_STEPS: usize = 1 << 19;

/// Rounds of a sequential loop that are executed; of more, the last one follows.
const MOST_ROUNDS: i128 = 64;

/// Iterations of the loops round one over threads that are looked at one by one.
const MOST_AROUND: usize = 64;

/// Why a walk ends early.
enum Stop {
    /// Two threads race.
    Race(Box<Diagnostic>),
    /// There is too much to execute.
    TooMuch,
}

type Step = Result<(), Stop>;

/// A condition that is the same for all threads, and not known.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Condition {
    Value(Value),
    Set(IntegerSet, Vec<Value>),
    /// One of its own each time that it is asked.
    Once(usize),
}

/// An access to the block's memory.
struct Site {
    access: Access,
    number: usize,
    /// What it is an element of, and its subscripts; `None` where they are not known.
    element: Option<(usize, Vec<Form>)>,
}

/// A sequential loop whose first value is known.
struct Counted {
    lower: Vec<Form>,
    /// `None` where the end is not known.
    upper: Option<Vec<Form>>,
    step: i64,
}

struct Walk<'a> {
    ir: &'a Ir,
    /// The loop over threads.
    op: Op,
    uniformity: &'a mut Uniformity,
    /// Buffers of the block that are written.
    written: FxHashSet<Value>,
    lanes: Lanes,
    memory: BlockMemory,
    /// What stands at an operation is the same each time; it is made when it is first come to.
    sites: FxHashMap<Op, Rc<Site>>,
    by_number: Vec<Rc<Site>>,
    loops: FxHashMap<Op, Option<Rc<Counted>>>,
    tests: FxHashMap<Op, Rc<Test>>,
    conditions: IndexSet<Condition>,
    /// Buffers with the products that their subscripts share.
    buffers: IndexSet<(Value, Vec<Foreign>)>,
    steps: usize,
}

/// Two threads that are certain to race in a loop over threads of a function.
pub fn find_race(ir: &Ir, op: Op, function: Op, uniformity: &mut Uniformity) -> Option<Diagnostic> {
    // Most loops write no memory of the block, and need no walk.
    let nested = ir.nested_ops(op, WalkOrder::PreOrder);
    let written: FxHashSet<Value> = nested
        .iter()
        .filter(|&&inner| ir.memory_access(inner).is_some_and(|it| it.kind != AccessKind::Read))
        .filter_map(|&inner| access(ir, inner))
        .filter(|access| is_of_block(ir, access))
        .map(|access| access.buffer)
        .collect();
    if written.is_empty() {
        return None;
    }
    let around = around(ir, op, function, &written);
    let mut numbers = vec![0; around.len()];
    let mut walk = Walk {
        ir,
        op,
        uniformity,
        written,
        lanes: Lanes::default(),
        memory: BlockMemory::default(),
        sites: FxHashMap::default(),
        by_number: Vec::new(),
        loops: FxHashMap::default(),
        tests: FxHashMap::default(),
        conditions: IndexSet::new(),
        buffers: IndexSet::new(),
        steps: 0,
    };
    loop {
        let mut lanes = Lanes::default();
        for (outer, &number) in around.iter().zip(&numbers) {
            lanes.push(outer.variable, vec![outer.first + outer.step * number]);
        }
        walk.lanes = lanes.with_loop(ir, op)?;
        walk.memory.clear();
        let active: Vec<usize> = (0..walk.lanes.len()).collect();
        match walk.block(ir.body(op, 0), &active, &World::new()) {
            Err(Stop::Race(race)) => return Some(*race),
            Err(Stop::TooMuch) => return None,
            Ok(()) => {}
        }
        // The next iteration of the loops around.
        let turned = around.iter().zip(&mut numbers).rev().find_map(|(outer, number)| {
            *number += 1;
            if *number < outer.trips {
                return Some(());
            }
            *number = 0;
            None
        });
        turned?;
    }
}

/// Whether an access is to memory of the block.
fn is_of_block(ir: &Ir, access: &Access) -> bool {
    AddressSpace::of_memref(&ir.ctx, ir.ty(access.root)) == Some(AddressSpace::Workgroup)
}

/// A loop round the one over threads.
struct Around {
    variable: Value,
    first: i64,
    step: i64,
    trips: i64,
}

/// The loops round one over threads whose variables decide which elements of buffers of the block it touches, or whether, as
/// far as they are known and few.
fn around(ir: &Ir, op: Op, function: Op, written: &FxHashSet<Value>) -> Vec<Around> {
    let nested = ir.nested_ops(op, WalkOrder::PreOrder);
    let controls = |&inner: &Op| {
        ir.is_sequential_loop(inner)
            || scf::IfOp::is(ir, inner)
            || affine::AffineIfOp::is(ir, inner)
    };
    let used: FxHashSet<Value> = match nested.iter().any(controls) {
        true => used_from_around(ir, op).into_iter().collect(),
        false => {
            let accesses = nested.iter().filter_map(|&inner| access(ir, inner));
            let of_block = accesses.filter(|access| written.contains(&access.buffer));
            let subscripts = of_block.flat_map(|access| access.subscripts).flatten();
            subscripts.flat_map(|form| form.values()).collect()
        }
    };
    let mut all = Vec::new();
    let mut count = 1i64;
    for counted in nest(ir, op, function).into_iter().rev() {
        let known = counted.constant_trips().zip(start(&counted));
        let Some((trips, (first, step))) = known.filter(|_| counted.op != op) else { continue };
        // A loop that never runs has nothing inside.
        let most = count.saturating_mul(trips.max(1));
        if used.contains(&counted.variable) && most <= MOST_AROUND as i64 {
            count = most;
            all.push(Around { variable: counted.variable, first, step, trips });
        }
    }
    all
}

impl Walk<'_> {
    fn block(&mut self, block: Block, active: &[usize], world: &World) -> Step {
        for op in self.ir.ops(block) {
            self.op(op, active, world)?;
        }
        Ok(())
    }

    fn op(&mut self, op: Op, active: &[usize], world: &World) -> Step {
        let ir = self.ir;
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return Err(Stop::TooMuch);
        }
        if BarrierOp::is(ir, op) {
            self.memory.wait(world);
            return Ok(());
        }
        if ir.is_sequential_loop(op) {
            return self.sequential(op, active, world);
        }
        if scf::IfOp::is(ir, op) || affine::AffineIfOp::is(ir, op) {
            return self.condition(op, active, world);
        }
        if ir.has_trait(op, Traits::PARALLEL_LOOP) {
            return self.parallel(op, active, world);
        }
        if ir.regions(op).is_empty() {
            return self.access(op, active, world);
        }
        // What happens there is not followed.
        if holds_barrier(ir, op) {
            self.memory.clear();
        }
        Ok(())
    }

    fn access(&mut self, op: Op, active: &[usize], world: &World) -> Step {
        let Some(site) = self.site(op) else { return Ok(()) };
        let Some((buffer, forms)) = &site.element else { return Ok(()) };
        self.steps += active.len().saturating_mul(site.access.length.max(1) as usize);
        if self.steps > MOST_STEPS {
            return Err(Stop::TooMuch);
        }
        for &lane in active {
            let thread = self.lanes.thread(lane);
            for further in 0..site.access.length.max(1) {
                let mut element: smallvec::SmallVec<[i128; 2]> =
                    forms.iter().map(|form| form.worth(&self.lanes, lane)).collect();
                if let Some(last) = element.last_mut() {
                    *last += i128::from(further);
                }
                let touch = Touch { site: site.number, thread, world: world.clone() };
                let known = &self.by_number;
                let may_race = |earlier: usize| may_race(&known[earlier], &site);
                let meets = self.memory.touch((*buffer, element.clone()), touch, may_race);
                if let Some(earlier) = meets {
                    let race = self.race(&earlier, (&site, thread), &element);
                    return Err(Stop::Race(Box::new(race)));
                }
            }
        }
        Ok(())
    }

    /// An access to a buffer of the block that is written.
    fn site(&mut self, op: Op) -> Option<Rc<Site>> {
        if let Some(site) = self.sites.get(&op) {
            return Some(site.clone());
        }
        let access = access(self.ir, op)?;
        if !self.written.contains(&access.buffer) {
            return None;
        }
        let element = self.element(&access);
        let site = Rc::new(Site { access, number: self.by_number.len(), element });
        self.by_number.push(site.clone());
        self.sites.insert(op, site.clone());
        Some(site)
    }

    fn element(&mut self, access: &Access) -> Option<(usize, Vec<Form>)> {
        let (mut forms, mut shared) = (Vec::new(), Vec::new());
        for subscript in &access.subscripts {
            let (form, foreign) = Form::of(subscript.as_ref()?, &self.lanes)?;
            // What a thread has computed is its own.
            let mut values = foreign.iter().flat_map(|(monomial, _)| monomial);
            if values.any(|&value| is_defined_inside(self.ir, value, self.op)) {
                return None;
            }
            forms.push(form);
            shared.push(foreign);
        }
        Some((self.buffers.insert_full((access.buffer, shared)).0, forms))
    }

    fn sequential(&mut self, op: Op, active: &[usize], world: &World) -> Step {
        let ir = self.ir;
        let [dim] = &dimensions(ir, op)[..] else {
            self.memory.clear();
            return Ok(());
        };
        let body = ir.body(op, 0);
        let counted = match self.loops.get(&op) {
            Some(counted) => counted.clone(),
            None => {
                let counted = self.counted(dim).map(Rc::new);
                self.loops.insert(op, counted.clone());
                counted
            }
        };
        let lower = match &counted {
            Some(counted) => self.extreme(&counted.lower, true),
            None => Vec::new(),
        };
        let known = counted.as_deref().and_then(|c| Some((c.step, c.upper.as_ref()?)));
        let Some((step, upper)) = known else {
            return self.unknown(dim, counted.as_deref().map(|c| (c.step, lower)), active, world);
        };
        let upper = self.extreme(upper, false);
        let trips: Vec<i128> = (lower.iter().zip(&upper))
            .map(|(lower, upper)| {
                ((upper - lower).max(0) + i128::from(step) - 1) / i128::from(step)
            })
            .collect();
        let most = active.iter().map(|&lane| trips[lane]).max().unwrap_or(0);
        self.lanes.push(dim.variable, Vec::new());
        for round in rounds(most) {
            if round == most - 1 && most > MOST_ROUNDS {
                // What is between was not followed.
                self.memory.clear();
            }
            let Some(values) = values(&lower, step, round) else { return Err(Stop::TooMuch) };
            self.lanes.set(values);
            let active: Vec<usize> =
                active.iter().copied().filter(|&lane| round < trips[lane]).collect();
            self.block(body, &active, world)?;
        }
        self.lanes.pop();
        Ok(())
    }
    /// A loop of which it is not known how often it runs: it may run once, and turn once. It is the same for
    /// all threads, or nothing is known.
    fn unknown(
        &mut self,
        dim: &CountedLoop,
        start: Option<(i64, Vec<i128>)>,
        active: &[usize],
        world: &World,
    ) -> Step {
        if self.varies(dim.op) {
            return Ok(());
        }
        let mut world = world.clone();
        for round in 0..dim.trips_range(self.ir).max.min(2) {
            let once = self.condition_once();
            let Some(further) = with(&world, once, true) else { break };
            world = further;
            if let Some((step, lower)) = &start {
                let Some(values) = values(lower, *step, round) else { break };
                self.lanes.push(dim.variable, values);
            }
            self.block(self.ir.body(dim.op, 0), active, &world)?;
            if start.is_some() {
                self.lanes.pop();
            }
        }
        Ok(())
    }

    /// What of a loop's bounds is a function of what is enumerated; `None` where its start is not.
    fn counted(&self, dim: &CountedLoop) -> Option<Counted> {
        let closed = |plain: &[_], divided: &[QuasiAffine]| -> Option<Vec<Form>> {
            let plain = plain.iter().cloned().map(QuasiAffine::from);
            let all = plain.chain(divided.iter().cloned());
            all.map(|form| Form::closed(&form, &self.lanes)).collect()
        };
        let lower = closed(&dim.lower, &dim.divided_lower).filter(|_| dim.known)?;
        let upper = closed(&dim.upper, &dim.divided_upper);
        Some(Counted { lower, upper, step: dim.step? })
    }

    /// The greatest of forms in each iteration, or the least.
    fn extreme(&self, forms: &[Form], greatest: bool) -> Vec<i128> {
        let each = (0..self.lanes.len()).map(|lane| {
            let worth = forms.iter().map(|form| form.worth(&self.lanes, lane));
            let extreme = if greatest { worth.max() } else { worth.min() };
            extreme.unwrap_or_default()
        });
        each.collect()
    }

    fn condition(&mut self, op: Op, active: &[usize], world: &World) -> Step {
        let ir = self.ir;
        let test = match self.tests.get(&op) {
            Some(test) => test.clone(),
            None => {
                let test = Rc::new(match affine::AffineIfOp::cast(ir, op) {
                    Some(view) => Test::of_affine_if(ir, view, &self.lanes),
                    None => Test::of_value(ir, ir.operand(op, 0), &self.lanes),
                });
                self.tests.insert(op, test.clone());
                test
            }
        };
        let mut sides = [Vec::new(), Vec::new()];
        for &lane in active {
            match test.holds(&self.lanes, lane) {
                Some(holds) => sides[usize::from(!holds)].push(lane),
                None => return self.unknown_condition(op, active, world),
            }
        }
        for (side, &region) in sides.iter().zip(ir.regions(op)) {
            for &block in ir.blocks(region).iter().filter(|_| !side.is_empty()) {
                self.block(block, side, world)?;
            }
        }
        Ok(())
    }

    fn unknown_condition(&mut self, op: Op, active: &[usize], world: &World) -> Step {
        let ir = self.ir;
        if self.varies(op) {
            return Ok(());
        }
        let operands: Vec<Value> = ir.operands(op).collect();
        let changes = operands.iter().any(|&value| self.changes(value));
        let set = affine::AffineIfOp::cast(ir, op).and_then(|view| view.condition(ir));
        let condition = match (changes, set) {
            (true, _) => self.condition_once(),
            (_, Some(set)) => self.conditions.insert_full(Condition::Set(set, operands)).0,
            (_, None) => self.conditions.insert_full(Condition::Value(operands[0])).0,
        };
        for (holds, &region) in [true, false].into_iter().zip(ir.regions(op)) {
            let Some(world) = with(world, condition, holds) else { continue };
            for &block in ir.blocks(region) {
                self.block(block, active, &world)?;
            }
        }
        Ok(())
    }

    /// Whether a value is computed in a loop inside, and may be another one in its next round.
    fn changes(&self, value: Value) -> bool {
        let ir = self.ir;
        let Some(owner) = ir.value_block(value).and_then(|block| ir.block_op(block)) else {
            return false;
        };
        let mut around = std::iter::once(owner).chain(ir.ancestors(owner));
        let mut inside = around.by_ref().take_while(|&op| op != self.op);
        let is_branch = |op: Op| scf::IfOp::is(ir, op) || affine::AffineIfOp::is(ir, op);
        is_defined_inside(ir, value, self.op) && inside.any(|op| !is_branch(op))
    }

    /// A condition that nothing else depends on.
    fn condition_once(&mut self) -> usize {
        self.conditions.insert_full(Condition::Once(self.conditions.len())).0
    }

    /// Whether what an operation is told may differ between threads.
    fn varies(&mut self, op: Op) -> bool {
        self.ir.operands(op).any(|value| self.uniformity.varies(self.ir, value))
    }

    /// A parallel loop inside. What is between it and the code around, `distribute` separates.
    fn parallel(&mut self, op: Op, active: &[usize], world: &World) -> Step {
        let ir = self.ir;
        self.memory.clear();
        // Iterations that one thread executes come to a barrier one after the other.
        let is_alike = is_over_threads(ir, op) || !holds_barrier(ir, op);
        let is_walked = is_alike && active.len() == self.lanes.len();
        if let Some(inner) = self.lanes.with_loop(ir, op).filter(|_| is_walked) {
            let all: Vec<usize> = (0..inner.len()).collect();
            let outer = std::mem::replace(&mut self.lanes, inner);
            self.block(ir.body(op, 0), &all, world)?;
            self.lanes = outer;
        }
        self.memory.clear();
        Ok(())
    }

    fn race(&self, earlier: &Touch, (site, thread): (&Site, i64), element: &[i128]) -> Diagnostic {
        let ir = self.ir;
        let other = &self.by_number[earlier.site];
        let place = |site: &Site| ir.ctx.place(ir.location(site.access.op));
        let what = |site: &Site| if site.access.writes() { "writes" } else { "reads" };
        let numbers = |thread: i64| {
            let numbers = self.lanes.numbers(thread);
            numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
        };
        let subscripts: String = element.iter().map(|subscript| format!("[{subscript}]")).collect();
        let buffer = name(ir, site.access.root);
        let error = Diagnostic::error(format!(
            "threads race: thread ({}) {} element {subscripts} of {buffer}, thread ({}) {} it, and no barrier is between them",
            numbers(earlier.thread),
            what(other),
            numbers(thread),
            what(site),
        ))
        .at_option(place(site))
        .help("put a `gpu.barrier` between the two, or give each thread an element of its own");
        match place(other).filter(|_| other.number != site.number) {
            Some(earlier) => error.related(earlier, "the other access"),
            None => error,
        }
    }
}

fn holds_barrier(ir: &Ir, op: Op) -> bool {
    ir.nested_ops(op, WalkOrder::PreOrder).iter().any(|&inner| BarrierOp::is(ir, inner))
}

/// Whether two accesses could race if they met.
fn may_race(a: &Site, b: &Site) -> bool {
    let writes = a.access.writes() || b.access.writes();
    let atomic = a.access.kind.is_atomic() && b.access.kind.is_atomic();
    writes && !atomic
}

/// The rounds of a loop that are executed.
fn rounds(trips: i128) -> impl Iterator<Item = i128> {
    (0..trips.min(MOST_ROUNDS)).chain((trips > MOST_ROUNDS).then_some(trips - 1))
}

/// What a loop's variable is worth in a round; `None` beyond 64 bits.
fn values(lower: &[i128], step: i64, round: i128) -> Option<Vec<i64>> {
    let values = lower
        .iter()
        .map(|lower| i64::try_from(lower.checked_add(i128::from(step).checked_mul(round)?)?).ok());
    values.collect()
}

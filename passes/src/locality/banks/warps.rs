//! What the warps of a block ask of its memory, thread by thread.

use gpuc_arch::WARP_SIZE;
use gpuc_dialects::affine::{AffineLoadOp, AffineStoreOp};
use gpuc_dialects::memref;
use gpuc_dialects::offload::mapping::{Axis, DimMap, Distribution, LoopMapping, Size};
use gpuc_ir::op::{AccessKind, Traits};
use gpuc_ir::{Block, Ir, Op, OpView, Value, ValueDef, WalkOrder};

use crate::analysis::access::subscripts;
use crate::analysis::loops::{CountedLoop, dimensions};
use crate::analysis::polynomial::Polynomial;
use crate::analysis::quasi_affine::QuasiAffine;
use crate::analysis::range::of_subscripts;

/// What variables that all threads of a warp agree on are taken to be, one after the other: where an exclusive or is in the
/// way, it is not the same which.
const SAMPLES: [i64; 3] = [0, 1, 5];
/// Rounds of a loop of which nothing is known.
const UNKNOWN_TRIPS: i64 = 16;
/// Definitions that are looked behind, one in the other.
const DEPTH: u32 = 8;

/// The threads of the blocks that have an array.
pub struct Warps<'a> {
    ir: &'a Ir,
    func: Op,
    /// Threads of a block in each direction.
    extents: [i64; 3],
}

/// An access, as the threads of a warp make it.
#[derive(Clone, Debug)]
pub struct Request {
    /// The block that it stands in.
    pub block: Block,
    /// Whether it reads.
    pub is_load: bool,
    /// Bytes of what it reads or writes.
    pub bytes: u64,
    /// How often a thread makes it, about.
    pub weight: i64,
    /// For each sample, for each thread that takes part, its subscripts.
    pub subscripts: Vec<Vec<Vec<i64>>>,
}

/// Whether accesses of an array stay in its rows: a subscript beyond the end of one is an element of the next one, which lies
/// somewhere else in another layout.
pub fn stay_in_rows(ir: &Ir, array: Value, users: &[Op]) -> bool {
    let shape = ir.ctx.shape(ir.ty(array)).unwrap_or(&[]);
    let stays = |&op: &Op| {
        let ranges = ir.memory_access(op).and_then(|access| of_subscripts(ir, &access));
        ranges.is_some_and(|ranges| {
            let mut inner = shape.iter().zip(&ranges).skip(1);
            inner.all(|(&extent, range)| range.min >= 0 && range.max < i128::from(extent))
        })
    };
    users.iter().all(stays)
}

/// The accesses to an array; `None` where it is used in another way than element by element.
pub fn accesses(ir: &Ir, array: Value) -> Option<Vec<Op>> {
    let simple = |&op: &Op| {
        let is_known = AffineLoadOp::is(ir, op)
            || AffineStoreOp::is(ir, op)
            || memref::LoadOp::is(ir, op)
            || memref::StoreOp::is(ir, op);
        let stores_it = AffineStoreOp::is(ir, op) || memref::StoreOp::is(ir, op);
        is_known && !(stores_it && ir.operand(op, 0) == array)
    };
    let users: Vec<Op> = ir.users(array).collect();
    users.iter().all(simple).then_some(users)
}

/// The outermost mapped loop round an array, or the function where there is none.
pub fn scope(ir: &Ir, func: Op, array: Op) -> Op {
    let around = ir.ancestors(array).take_while(|&op| op != func);
    around.filter(|&op| LoopMapping::known(ir, op).is_some()).last().unwrap_or(func)
}

/// Threads of the blocks that execute an operation, in each direction; `None` where that is not known.
pub fn threads(ir: &Ir, scope: Op) -> Option<[i64; 3]> {
    let mut extents = [1; 3];
    for op in ir.nested_ops(scope, WalkOrder::PreOrder) {
        for (axis, size) in LoopMapping::known(ir, op).iter().flat_map(LoopMapping::axes) {
            match (axis, size) {
                (Axis::Thread(d), Size::Constant(n)) => {
                    let own = &mut extents[usize::from(d).min(2)];
                    *own = n.max(*own);
                }
                (Axis::Block(_), _) => {}
                _ => return None,
            }
        }
    }
    Some(extents)
}

impl<'a> Warps<'a> {
    /// Those of the blocks that have `array`, an operation in `func`; `None` where the number of their threads is not known.
    pub fn of(ir: &'a Ir, func: Op, array: Op) -> Option<Warps<'a>> {
        Some(Warps { ir, func, extents: threads(ir, scope(ir, func, array))? })
    }

    /// What an access asks for; `None` where that is not known.
    pub fn request(&self, op: Op) -> Option<Request> {
        let access = self.ir.memory_access(op)?;
        self.request_at(op, &subscripts(self.ir, &access.subscripts))
    }

    /// The same of an access of which it is known where it is.
    pub fn request_at(&self, op: Op, forms: &[Option<QuasiAffine>]) -> Option<Request> {
        let access = self.ir.memory_access(op)?;
        let around: Vec<Op> =
            self.ir.ancestors(op).take_while(|&outer| outer != self.func).collect();
        let lanes = self.extents.iter().product::<i64>().clamp(1, WARP_SIZE.into());
        let mut all = Vec::new();
        for sample in SAMPLES {
            let mut threads = Vec::new();
            for lane in 0..lanes {
                let thread = Thread { warps: self, lane, sample };
                if !around.iter().all(|&outer| thread.takes_part(outer)) {
                    continue;
                }
                let at = forms.iter().map(|form| thread.value(form.as_ref()?, DEPTH));
                threads.push(at.collect::<Option<Vec<i64>>>()?);
            }
            all.push(threads);
        }
        let rounds = around.iter().map(|&outer| self.rounds(outer));
        Some(Request {
            block: self.ir.parent_block(op)?,
            is_load: access.kind == AccessKind::Read,
            bytes: memref::element_bytes(&self.ir.ctx, self.ir.ty(access.buffer))?,
            weight: rounds.fold(1, i64::saturating_mul),
            subscripts: all,
        })
    }

    /// How often a thread goes through a loop: all of its rounds, or its turns where threads share them.
    fn rounds(&self, op: Op) -> i64 {
        let dims = dimensions(self.ir, op);
        let trips = |dims: &[CountedLoop]| {
            let each = dims.iter().map(|dim| dim.constant_trips().unwrap_or(UNKNOWN_TRIPS));
            each.fold(1, i64::saturating_mul)
        };
        let Some(mapping) = LoopMapping::known(self.ir, op) else { return trips(&dims) };
        let mut at = 0;
        let turns = mapping.0.iter().map(|map| {
            let own = trips(dims.get(at..at + map.dims).unwrap_or(&[]));
            at += map.dims;
            let thread = Thread { warps: self, lane: 0, sample: 0 };
            let (_, threads) = thread.number(map);
            // What blocks share counts alike for all accesses.
            if map.is_over_blocks() { 1 } else { own.saturating_add(threads - 1) / threads }
        });
        turns.fold(1, i64::saturating_mul)
    }

    fn is_over_threads(&self, op: Op) -> bool {
        LoopMapping::known(self.ir, op).is_some_and(|mapping| mapping.is_over_threads())
    }
}

/// A thread of the first warp.
struct Thread<'a> {
    warps: &'a Warps<'a>,
    lane: i64,
    /// What all threads agree on.
    sample: i64,
}

impl Thread<'_> {
    /// The number of the thread among those that share a dimension, and how many these are.
    fn number(&self, map: &DimMap) -> (i64, i64) {
        let [x, y, z] = self.warps.extents;
        let (mut number, mut count) = (0, 1);
        for &(axis, _) in &map.axes {
            let (own, size) = match axis {
                Axis::Thread(0) => (self.lane % x, x),
                Axis::Thread(1) => (self.lane / x % y, y),
                Axis::Thread(_) => (self.lane / (x * y) % z, z),
                // Blocks are alike.
                _ => continue,
            };
            number = number * size + own;
            count *= size;
        }
        (number, count)
    }

    /// The first iteration of a dimension that the thread executes: its number from 0.
    fn first(&self, map: &DimMap, total: Option<i64>) -> Option<i64> {
        let (number, count) = self.number(map);
        match map.how {
            Distribution::Blocked if count > 1 => {
                number.checked_mul(total?.checked_add(count - 1)? / count)
            }
            _ => Some(number),
        }
    }

    /// Whether it has an iteration of a loop.
    fn takes_part(&self, op: Op) -> bool {
        let ir = self.warps.ir;
        let Some(mapping) = LoopMapping::known(ir, op).filter(LoopMapping::is_over_threads) else {
            return true;
        };
        let dims = dimensions(ir, op);
        let mut at = 0;
        mapping.0.iter().all(|map| {
            let total = total(dims.get(at..at + map.dims).unwrap_or(&[]));
            at += map.dims;
            let first = self.first(map, total);
            map.is_over_blocks() || !matches!((first, total), (Some(n), Some(m)) if n >= m)
        })
    }

    /// A number that it computes.
    fn value(&self, form: &QuasiAffine, depth: u32) -> Option<i64> {
        let mut sum = self.polynomial(form.plain(), depth)?;
        for division in form.divisions() {
            let quotient = self.value(&division.numerator, depth)?.div_euclid(division.divisor);
            sum = sum.checked_add(quotient.checked_mul(division.coefficient)?)?;
        }
        Some(sum)
    }

    fn polynomial(&self, form: &Polynomial, depth: u32) -> Option<i64> {
        let mut sum = 0_i64;
        for (monomial, factor) in form.terms() {
            let mut product = factor;
            for &value in monomial {
                product = product.checked_mul(self.of(value, depth)?)?;
            }
            sum = sum.checked_add(product)?;
        }
        Some(sum)
    }

    fn of(&self, value: Value, depth: u32) -> Option<i64> {
        let (ir, func) = (self.warps.ir, self.warps.func);
        let depth = depth.checked_sub(1)?;
        let owner = ir.value_block(value).and_then(|block| ir.block_op(block))?;
        let around = [owner].into_iter().chain(ir.ancestors(owner));
        let mut around = around.take_while(|&outer| outer != func);
        if !around.any(|outer| self.warps.is_over_threads(outer)) {
            return Some(self.sample);
        }
        let ValueDef::Argument(..) = ir.value_def(value) else { return None };
        let dims = dimensions(ir, owner);
        let index = dims.iter().position(|dim| dim.variable == value)?;
        let dim = &dims[index];
        let step = dim.step?;
        let [lower] = &dim.lower[..] else { return None };
        let start = self.polynomial(lower, depth).filter(|_| dim.divided_lower.is_empty())?;
        let number = match LoopMapping::known(ir, owner) {
            Some(mapping) => self.dealt(&mapping, &dims, index)?,
            None if ir.has_trait(owner, Traits::PARALLEL_LOOP) => return None,
            None => dim.constant_trips().map_or(self.sample, |trips| self.sample.min(trips - 1)),
        };
        start.checked_add(number.checked_mul(step)?)
    }

    /// The number of the thread's first iteration in one of a loop's dimensions.
    fn dealt(&self, mapping: &LoopMapping, dims: &[CountedLoop], index: usize) -> Option<i64> {
        let mut at = 0;
        for map in &mapping.0 {
            let own = dims.get(at..at + map.dims)?;
            if index < at + map.dims {
                let mut number = self.first(map, total(own))?;
                for dim in own[index - at + 1..].iter() {
                    number /= dim.constant_trips()?.max(1);
                }
                if index > at {
                    number %= own[index - at].constant_trips()?.max(1);
                }
                return Some(number);
            }
            at += map.dims;
        }
        None
    }
}

/// Iterations of dimensions that are counted as one.
fn total(dims: &[CountedLoop]) -> Option<i64> {
    let trips = dims.iter().map(CountedLoop::constant_trips);
    trips.into_iter().try_fold(1_i64, |all, each| all.checked_mul(each?))
}

//! Races of threads on the memory of a block, by enumeration.
//!
//! Which accesses can happen without a barrier between them follows from the structure: each piece of
//! the code of a loop over threads is walked once, for the accesses ahead of its first barrier and
//! those behind its last. What follows something meets them, and the turn of a sequential loop is its
//! body following itself. Of each such pair, the elements that every thread touches are listed and
//! compared: exact, with a witness, and bounded, because blocks are. What is under a condition, or
//! depends on numbers that are not known and do not cancel, is not certain, and passes.

use std::rc::Rc;

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::gpu::{AddressSpace, BarrierOp};
use gpuc_dialects::offload::mapping::{Distribution, LoopMapping};
use gpuc_dialects::{affine, scf};
use gpuc_ir::{Block, Ir, Op, OpView, Value, WalkOrder};
use indexmap::IndexSet;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::touched::{Form, Span, Touched};
use super::verify_barriers::is_over_threads;
use crate::analysis::access::{Access, AccessKind, access, name};
use crate::analysis::loops::{CountedLoop, dimensions};
use crate::analysis::polynomial::{Monomial, Polynomial};
use crate::analysis::quasi_affine::QuasiAffine;
use crate::analysis::slice::is_defined_inside;

/// Elements that are listed for one access, at most.
const MOST_ELEMENTS: usize = 1 << 18;

/// An access of a thread, and what is round it.
#[derive(Clone, Debug)]
struct Site {
    access: Access,
    /// The sequential loops round it, inside the loop over threads, outermost first.
    loops: Vec<CountedLoop>,
    is_conditional: bool,
}

/// Two accesses without a barrier between them, and the loop whose turn is between them.
type Pair = (usize, usize, Option<Op>);

struct Walk<'a> {
    ir: &'a Ir,
    /// The loop over threads.
    op: Op,
    sites: Vec<Site>,
    pairs: IndexSet<Pair>,
}

/// The accesses of a piece of code that meet those of what stands before and behind it.
#[derive(Debug, Default)]
struct Exposed {
    /// Those that can come before any barrier.
    first: IndexSet<usize>,
    /// Those that can come after all barriers.
    last: IndexSet<usize>,
    /// Whether every way through has a barrier.
    has_barrier: bool,
}

/// Two threads that are certain to race in a loop over threads.
pub fn find_race(ir: &Ir, op: Op) -> Option<Diagnostic> {
    // Most loops touch no memory of the block, and need no walk.
    let nested = ir.nested_ops(op, WalkOrder::PreOrder);
    let shares = |&inner: &Op| access(ir, inner).is_some_and(|access| is_of_block(ir, &access));
    nested.iter().find(|inner| shares(inner))?;
    let threads = thread_dimensions(ir, op)?;
    let mut walk = Walk { ir, op, sites: Vec::new(), pairs: IndexSet::new() };
    walk.block(ir.body(op, 0), &mut Vec::new(), false);
    let mut listed = FxHashMap::default();
    walk.pairs.iter().find_map(|&pair| walk.clash(&threads, pair, &mut listed))
}

/// Whether an access is to memory of the block.
fn is_of_block(ir: &Ir, access: &Access) -> bool {
    AddressSpace::of_memref(&ir.ctx, ir.ty(access.root)) == Some(AddressSpace::Workgroup)
}

/// A dimension of the loop over threads, as one block executes it.
#[derive(Clone, Debug)]
struct ThreadDimension {
    counted: CountedLoop,
    /// Iterations of one block.
    trips: i64,
    /// Iterations so far apart are one thread's; 0 where the dimension tells no threads apart.
    threads: i64,
}

/// The dimensions of a loop over threads; `None` where it is not known which iterations are whose.
fn thread_dimensions(ir: &Ir, op: Op) -> Option<Vec<ThreadDimension>> {
    let mapping = LoopMapping::known(ir, op)?;
    let mut all = Vec::new();
    let mut maps = mapping.0.iter();
    for counted in dimensions(ir, op) {
        let map = maps.next().filter(|map| map.dims == 1)?;
        let trips = counted.constant_trips()?;
        let in_block = map.axes.iter().any(|(axis, _)| axis.is_in_block());
        let threads = if in_block { map.threads()? } else { 0 };
        // Blocks have memory of their own; the first is as good as any.
        let trips = match (map.is_over_blocks(), map.how) {
            (true, _) => trips.min(threads.max(1)),
            (false, Distribution::Blocked) => return None,
            (false, _) => trips,
        };
        all.push(ThreadDimension { counted, trips, threads });
    }
    Some(all)
}

impl Walk<'_> {
    fn block(
        &mut self,
        block: Block,
        loops: &mut Vec<CountedLoop>,
        is_conditional: bool,
    ) -> Exposed {
        let mut so_far = Exposed::default();
        for op in self.ir.ops(block) {
            let next = self.op(op, loops, is_conditional);
            self.meet(&so_far.last, &next.first, None);
            if !so_far.has_barrier {
                so_far.first.extend(next.first);
            }
            if next.has_barrier {
                so_far.last = next.last;
            } else {
                so_far.last.extend(next.last);
            }
            so_far.has_barrier |= next.has_barrier;
        }
        so_far
    }

    fn op(&mut self, op: Op, loops: &mut Vec<CountedLoop>, is_conditional: bool) -> Exposed {
        let ir = self.ir;
        if BarrierOp::is(ir, op) {
            return Exposed { has_barrier: true, ..Exposed::default() };
        }
        if let Some(access) = access(ir, op) {
            return match is_of_block(ir, &access) {
                true => self.touch(access, loops, is_conditional),
                false => Exposed::default(),
            };
        }
        if ir.is_sequential_loop(op) {
            let dims = dimensions(ir, op);
            let runs = dims.iter().all(|dim| dim.constant_trips().is_some_and(|trips| trips > 0));
            let depth = loops.len();
            loops.extend(dims);
            let mut body = self.block(ir.body(op, 0), loops, is_conditional);
            loops.truncate(depth);
            self.meet(&body.last, &body.first, Some(op));
            // A loop that may not run at all holds nobody up.
            body.has_barrier &= runs;
            return body;
        }
        let is_conditional =
            is_conditional || scf::IfOp::is(ir, op) || affine::AffineIfOp::is(ir, op);
        let mut all = Exposed::default();
        for &region in ir.regions(op) {
            for &inner in ir.blocks(region) {
                let one = self.block(inner, loops, is_conditional);
                all.first.extend(one.first);
                all.last.extend(one.last);
                // Every thread has its iteration of a loop over threads, and its barrier.
                all.has_barrier |= one.has_barrier && is_over_threads(ir, op);
            }
        }
        all
    }

    fn touch(&mut self, access: Access, loops: &[CountedLoop], is_conditional: bool) -> Exposed {
        let index = self.sites.len();
        self.sites.push(Site { access, loops: loops.to_vec(), is_conditional });
        // Threads do the same at the same time.
        self.pairs.insert((index, index, None));
        let alone = IndexSet::from([index]);
        Exposed { first: alone.clone(), last: alone, has_barrier: false }
    }

    /// Notes that there is no barrier between the ones and the others. Pairs that cannot race for
    /// what they are, or where, are not noted.
    fn meet(&mut self, before: &IndexSet<usize>, behind: &IndexSet<usize>, turn: Option<Op>) {
        for &first in before {
            for &second in behind {
                if may_race(&self.sites[first], &self.sites[second]) {
                    self.pairs.insert((first, second, turn));
                }
            }
        }
    }

    /// Whether two threads are certain to meet.
    fn clash(
        &self,
        threads: &[ThreadDimension],
        (first, second, turn): Pair,
        listed: &mut FxHashMap<(usize, Option<Op>), Option<Rc<Touched>>>,
    ) -> Option<Diagnostic> {
        let (a, b) = (&self.sites[first], &self.sites[second]);
        if !may_race(a, b) || !self.agree(threads, a, b) {
            return None;
        }
        let mut of = |site: usize, turn: Option<Op>| {
            // Only the loops round a site tell its elements apart.
            let turn = turn.filter(|&turn| self.sites[site].loops.iter().any(|l| l.op == turn));
            let list = || self.elements(threads, &self.sites[site], turn).map(Rc::new);
            listed.entry((site, turn)).or_insert_with(list).clone()
        };
        let (of_first, of_second) = (of(first, None)?, of(second, turn)?);
        let (element, one, other) = of_first.meets(&of_second)?;
        let one = numbers(threads, one);
        let other = numbers(threads, other);
        let ir = self.ir;
        let place = |site: &Site| ir.ctx.place(ir.location(site.access.op));
        let what = |site: &Site| if site.access.writes() { "writes" } else { "reads" };
        let list = |numbers: &[i64]| {
            numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
        };
        let subscripts: String = element.iter().map(|subscript| format!("[{subscript}]")).collect();
        let buffer = name(ir, a.access.root);
        let mut error = Diagnostic::error(format!(
            "threads race: thread ({}) {} element {subscripts} of {buffer}, thread ({}) {} it, and no barrier is between them",
            list(&one),
            what(a),
            list(&other),
            what(b),
        ))
        .at_option(place(b))
        .help("put a `gpu.barrier` between the two, or give each thread an element of its own");
        if let Some(earlier) = place(a).filter(|_| first != second) {
            error = error.related(earlier, "the other access");
        }
        Some(error)
    }

    /// Whether what is not enumerated is the same in both accesses, for all threads, and so cancels.
    fn agree(&self, threads: &[ThreadDimension], a: &Site, b: &Site) -> bool {
        let own = |site: &Site| -> Vec<Value> {
            let threads = threads.iter().map(|dim| dim.counted.variable);
            threads.chain(site.loops.iter().map(|counted| counted.variable)).collect()
        };
        let (own_a, own_b) = (own(a), own(b));
        a.access.subscripts.len() == b.access.subscripts.len()
            && a.access.subscripts.iter().zip(&b.access.subscripts).all(|(a, b)| {
                let (Some(a), Some(b)) = (a, b) else { return false };
                let divides_own = |form: &QuasiAffine, own: &[Value]| {
                    let divisions = form.divisions().iter();
                    divisions.flat_map(|d| d.numerator.values()).all(|value| own.contains(&value))
                };
                let shared = foreign(a.plain(), &own_a);
                let mut values = shared.iter().flat_map(|(monomial, _)| monomial);
                // What a thread has computed is its own.
                let is_own = values.any(|&value| is_defined_inside(self.ir, value, self.op));
                !is_own
                    && shared == foreign(b.plain(), &own_b)
                    && divides_own(a, &own_a)
                    && divides_own(b, &own_b)
            })
    }

    /// The elements that each thread touches, in the first round of the loops that hold barriers or
    /// in the second of the one that turns; `None` where they are not known, or too many.
    fn elements(
        &self,
        threads: &[ThreadDimension],
        site: &Site,
        turn: Option<Op>,
    ) -> Option<Touched> {
        let mut spans: Vec<Span> = Vec::new();
        for ThreadDimension { counted, trips, .. } in threads {
            spans.push(Span::of(counted, *trips)?);
        }
        for counted in &site.loops {
            let trips = counted.constant_trips()?;
            let holds_barrier = self
                .ir
                .nested_ops(counted.op, WalkOrder::PreOrder)
                .into_iter()
                .any(|inner| BarrierOp::is(self.ir, inner));
            let whole = Span::of(counted, trips)?;
            spans.push(match (holds_barrier, turn == Some(counted.op)) {
                (_, true) if trips < 2 => return None,
                (_, true) => Span { first: whole.first + whole.step, trips: 1, ..whole },
                (true, false) => Span { trips: trips.min(1), ..whole },
                (false, false) => whole,
            });
        }
        let count = spans.iter().try_fold(1usize, |product, span| {
            product.checked_mul(usize::try_from(span.trips).ok()?).filter(|&n| n <= MOST_ELEMENTS)
        })?;
        let subscripts: Option<SmallVec<[Form; 2]>> = site
            .access
            .subscripts
            .iter()
            .map(|form| Some(Form::of(form.as_ref()?, &spans)))
            .collect();
        let subscripts = subscripts?;
        let mut rounds = vec![0i64; spans.len()];
        let mut values: Vec<i64> = spans.iter().map(|span| span.first).collect();
        let mut touched = Touched::default();
        for _ in 0..count {
            let element = subscripts.iter().map(|form| form.worth(&values)).collect();
            touched.insert(element, number(threads, &rounds));
            for (i, span) in spans.iter().enumerate().rev() {
                rounds[i] += 1;
                values[i] += span.step;
                if rounds[i] < span.trips {
                    break;
                }
                (rounds[i], values[i]) = (0, span.first);
            }
        }
        Some(touched)
    }
}

/// Whether two accesses could race if they met.
fn may_race(a: &Site, b: &Site) -> bool {
    let writes = a.access.writes() || b.access.writes();
    let atomic = a.access.kind == AccessKind::Atomic && b.access.kind == AccessKind::Atomic;
    let certain = !a.is_conditional && !b.is_conditional;
    writes && !atomic && certain && a.access.buffer == b.access.buffer
}

/// The thread that executes a round of the loops over threads, all dimensions counted as one.
fn number(threads: &[ThreadDimension], rounds: &[i64]) -> i64 {
    let telling = threads.iter().zip(rounds).filter(|(dim, _)| dim.threads > 0);
    telling.fold(0, |number, (dim, round)| number * dim.threads + round % dim.threads)
}

/// The numbers of a thread in each dimension.
fn numbers(threads: &[ThreadDimension], mut number: i64) -> Vec<i64> {
    let telling = threads.iter().rev().filter(|dim| dim.threads > 0);
    let mut all: Vec<i64> = telling
        .map(|dim| {
            let own = number % dim.threads;
            number /= dim.threads;
            own
        })
        .collect();
    all.reverse();
    all
}

/// The products with a value that is not enumerated, which must cancel.
fn foreign(form: &Polynomial, own: &[Value]) -> Vec<(Monomial, i64)> {
    form.terms()
        .filter(|(monomial, _)| !monomial.is_empty())
        .filter(|(monomial, _)| !matches!(monomial[..], [one] if own.contains(&one)))
        .map(|(monomial, coefficient)| (monomial.clone(), coefficient))
        .collect()
}

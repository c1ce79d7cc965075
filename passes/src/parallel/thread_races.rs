//! Races of threads on the memory of a block, by enumeration.
//!
//! Which accesses can happen without a barrier between them follows from the structure: the code of a
//! loop over threads is walked with the accesses since the last barrier, sequential loops twice, so
//! that their turn is seen. Of each such pair, the elements that every thread touches are listed and
//! compared: exact, with a witness, and bounded, because blocks are. What is under a condition, or
//! depends on numbers that are not known and do not cancel, is not certain, and passes.

use std::cell::RefCell;
use std::rc::Rc;

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::gpu::{AddressSpace, BarrierOp};
use gpuc_dialects::offload::mapping::{Distribution, LoopMapping};
use gpuc_dialects::{affine, scf};
use gpuc_ir::{Block, Ir, Op, OpView, Value, WalkOrder};
use indexmap::IndexSet;
use rustc_hash::FxHashMap;

use crate::analysis::access::{Access, AccessKind, access, name};
use crate::analysis::loops::{CountedLoop, dimensions};
use crate::analysis::polynomial::{Monomial, Polynomial};
use crate::analysis::quasi_affine::QuasiAffine;

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
    sites: Vec<Site>,
    by_op: FxHashMap<Op, usize>,
    pairs: IndexSet<Pair>,
    /// Accesses since the last barrier, with the loop whose turn came since.
    open: Vec<(usize, Option<Op>)>,
    /// What sites touch, as far as it was asked for.
    elements: RefCell<FxHashMap<(usize, Option<Op>), Option<Rc<Elements>>>>,
}

/// Two threads that are certain to race in a loop over threads.
pub fn find_race(ir: &Ir, op: Op) -> Option<Diagnostic> {
    // Most loops touch no memory of the block, and need no walk.
    let nested = ir.nested_ops(op, WalkOrder::PreOrder);
    let shares = |&inner: &Op| access(ir, inner).is_some_and(|access| is_of_block(ir, &access));
    nested.iter().find(|inner| shares(inner))?;
    let mut walk = Walk {
        ir,
        sites: Vec::new(),
        by_op: FxHashMap::default(),
        pairs: IndexSet::new(),
        open: Vec::new(),
        elements: RefCell::default(),
    };
    walk.block(ir.body(op, 0), &mut Vec::new(), false);
    let threads = thread_dimensions(ir, op)?;
    let pairs = std::mem::take(&mut walk.pairs);
    pairs.into_iter().find_map(|pair| walk.clash(&threads, pair))
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
    fn block(&mut self, block: Block, loops: &mut Vec<CountedLoop>, is_conditional: bool) {
        let ir = self.ir;
        for op in ir.ops(block) {
            if BarrierOp::is(ir, op) {
                self.open.clear();
            } else if let Some(access) = access(ir, op) {
                if is_of_block(ir, &access) {
                    self.touch(access, loops, is_conditional);
                }
            } else if ir.is_sequential_loop(op) {
                let dims = dimensions(ir, op);
                let depth = loops.len();
                loops.extend(dims);
                let before = self.open.clone();
                self.block(ir.body(op, 0), loops, is_conditional);
                for (_, turn) in &mut self.open {
                    turn.get_or_insert(op);
                }
                self.block(ir.body(op, 0), loops, is_conditional);
                loops.truncate(depth);
                // The loop may not run at all.
                for known in before {
                    if !self.open.contains(&known) {
                        self.open.push(known);
                    }
                }
                for (_, turn) in &mut self.open {
                    if *turn == Some(op) {
                        *turn = None;
                    }
                }
            } else {
                let conditional =
                    is_conditional || scf::IfOp::is(ir, op) || affine::AffineIfOp::is(ir, op);
                let before = self.open.clone();
                let mut after = Vec::new();
                for &region in ir.regions(op) {
                    for &inner in ir.blocks(region) {
                        self.open.clone_from(&before);
                        self.block(inner, loops, conditional);
                        after.append(&mut self.open);
                    }
                }
                self.open = before;
                for known in after {
                    if !self.open.contains(&known) {
                        self.open.push(known);
                    }
                }
            }
        }
    }

    fn touch(&mut self, access: Access, loops: &[CountedLoop], is_conditional: bool) {
        let op = access.op;
        let index = *self.by_op.entry(op).or_insert_with(|| {
            self.sites.push(Site { access, loops: loops.to_vec(), is_conditional });
            self.sites.len() - 1
        });
        for &(earlier, turn) in &self.open {
            self.pairs.insert((earlier, index, turn));
        }
        // Threads do the same at the same time.
        self.pairs.insert((index, index, None));
        if !self.open.contains(&(index, None)) {
            self.open.push((index, None));
        }
    }

    /// Whether two threads are certain to meet.
    fn clash(
        &self,
        threads: &[ThreadDimension],
        (first, second, turn): Pair,
    ) -> Option<Diagnostic> {
        let (a, b) = (&self.sites[first], &self.sites[second]);
        let writes = a.access.writes() || b.access.writes();
        let atomic = a.access.kind == AccessKind::Atomic && b.access.kind == AccessKind::Atomic;
        let comparable =
            a.access.buffer == b.access.buffer && !a.is_conditional && !b.is_conditional;
        if !writes || atomic || !comparable || !self.agree(threads, a, b) {
            return None;
        }
        let of_first = self.elements(threads, first, None)?;
        let of_second = self.elements(threads, second, turn)?;
        let mut touched: FxHashMap<&[i128], &[i64]> = FxHashMap::default();
        touched.reserve(of_first.count);
        for (thread, element) in of_first.iter() {
            touched.entry(element).or_insert(thread);
        }
        let (element, one, other) = of_second.iter().find_map(|(thread, element)| {
            let &one = touched.get(element)?;
            (one != thread).then_some((element, one, thread))
        })?;
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
            list(one),
            what(a),
            list(other),
            what(b),
        ))
        .at_option(place(b))
        .help("put a `gpu.barrier` between the two, or give each thread an element of its own");
        if let Some(earlier) = place(a).filter(|_| first != second) {
            error = error.related(earlier, "the other access");
        }
        Some(error)
    }

    /// Whether what is not enumerated is the same in both accesses, and so cancels.
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
                foreign(a.plain(), &own_a) == foreign(b.plain(), &own_b)
                    && divides_own(a, &own_a)
                    && divides_own(b, &own_b)
            })
    }

    /// The elements that each thread touches, in the first round of the loops that hold barriers or
    /// in the second of the one that turns; `None` where they are not known, or too many.
    fn elements(
        &self,
        threads: &[ThreadDimension],
        site: usize,
        turn: Option<Op>,
    ) -> Option<Rc<Elements>> {
        let turn = turn.filter(|&turn| self.sites[site].loops.iter().any(|each| each.op == turn));
        let mut known = self.elements.borrow_mut();
        let listed = known
            .entry((site, turn))
            .or_insert_with(|| self.list(threads, &self.sites[site], turn).map(Rc::new));
        listed.clone()
    }

    fn list(&self, threads: &[ThreadDimension], site: &Site, turn: Option<Op>) -> Option<Elements> {
        let mut spans: Vec<Span> = Vec::new();
        for ThreadDimension { counted, trips, .. } in threads {
            let (lower, step) = (counted.lower.first()?.as_constant()?, counted.step?);
            spans.push(Span { variable: counted.variable, lower, step, trips: *trips });
        }
        for counted in &site.loops {
            let (lower, step) = (counted.lower.first()?.as_constant()?, counted.step?);
            let trips = counted.constant_trips()?;
            let holds_barrier = self
                .ir
                .nested_ops(counted.op, WalkOrder::PreOrder)
                .into_iter()
                .any(|inner| BarrierOp::is(self.ir, inner));
            let variable = counted.variable;
            spans.push(match (holds_barrier, turn == Some(counted.op)) {
                (_, true) if trips < 2 => return None,
                (_, true) => Span { variable, lower: lower + step, step, trips: 1 },
                (true, false) => Span { variable, lower, step, trips: trips.min(1) },
                (false, false) => Span { variable, lower, step, trips },
            });
        }
        let count = spans.iter().try_fold(1usize, |product, span| {
            product.checked_mul(usize::try_from(span.trips).ok()?).filter(|&n| n <= MOST_ELEMENTS)
        })?;
        let subscripts = site.access.subscripts.iter();
        let forms: Vec<Worth> = subscripts
            .map(|form| Some(Worth::of(form.as_ref()?, &spans)))
            .collect::<Option<_>>()?;
        let own: Vec<usize> = (0..threads.len()).filter(|&dim| threads[dim].threads > 0).collect();
        let mut found = Elements {
            count,
            rank: forms.len(),
            places: Vec::with_capacity(count * forms.len()),
            dims: own.len(),
            threads: Vec::with_capacity(count * own.len()),
        };
        let mut rounds: Vec<i64> = vec![0; spans.len()];
        let mut values: Vec<i64> = spans.iter().map(|span| span.lower).collect();
        for _ in 0..count {
            found.places.extend(forms.iter().map(|form| form.at(&values)));
            found.threads.extend(own.iter().map(|&dim| rounds[dim] % threads[dim].threads));
            // The last one counts fastest.
            for ((round, value), span) in rounds.iter_mut().zip(&mut values).zip(&spans).rev() {
                *round = if *round + 1 < span.trips { *round + 1 } else { 0 };
                *value = span.lower.wrapping_add(span.step.wrapping_mul(*round));
                if *round > 0 {
                    break;
                }
            }
        }
        Some(found)
    }
}

/// What a variable counts through.
#[derive(Clone, Copy)]
struct Span {
    variable: Value,
    lower: i64,
    step: i64,
    trips: i64,
}

/// Elements with the thread that touches each.
struct Elements {
    count: usize,
    /// Subscripts of an element.
    rank: usize,
    places: Vec<i128>,
    /// Numbers of a thread.
    dims: usize,
    threads: Vec<i64>,
}

impl Elements {
    fn iter(&self) -> impl Iterator<Item = (&[i64], &[i128])> {
        (0..self.count).map(|i| {
            let thread = &self.threads[i * self.dims..(i + 1) * self.dims];
            (thread, &self.places[i * self.rank..(i + 1) * self.rank])
        })
    }
}

/// The products with a value that is not enumerated, which must cancel.
fn foreign(form: &Polynomial, own: &[Value]) -> Vec<(Monomial, i64)> {
    form.terms()
        .filter(|(monomial, _)| !monomial.is_empty())
        .filter(|(monomial, _)| !matches!(monomial[..], [one] if own.contains(&one)))
        .map(|(monomial, coefficient)| (monomial.clone(), coefficient))
        .collect()
}

/// What a subscript comes to, without the products that cancel, over spans by their number.
struct Worth {
    constant: i64,
    terms: Vec<(usize, i64)>,
    /// What is divided, by what, and how often it counts.
    divisions: Vec<(Worth, i64, i64)>,
}

impl Worth {
    fn of(form: &QuasiAffine, spans: &[Span]) -> Worth {
        let number = |value: Value| spans.iter().position(|span| span.variable == value);
        let term = |(monomial, coefficient): (&Monomial, i64)| match monomial[..] {
            [variable] => Some((number(variable)?, coefficient)),
            _ => None,
        };
        let divisions = form.divisions().iter().map(|division| {
            (Worth::of(&division.numerator, spans), division.divisor, division.coefficient)
        });
        Worth {
            constant: form.constant_term(),
            terms: form.plain().terms().filter_map(term).collect(),
            divisions: divisions.collect(),
        }
    }

    fn at(&self, values: &[i64]) -> i128 {
        let plain = self.terms.iter().fold(i128::from(self.constant), |sum, &(span, factor)| {
            sum + i128::from(factor) * i128::from(values[span])
        });
        self.divisions.iter().fold(plain, |sum, (numerator, divisor, coefficient)| {
            let quotient = numerator.at(values).div_euclid(i128::from(*divisor));
            sum + i128::from(*coefficient) * quotient
        })
    }
}

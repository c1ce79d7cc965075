//! The dependence graph of a nest: what has to stay in order when its iterations are reordered.
//!
//! [`Nest::graph`] answers "for these loops round a statement: which dependences are there, how far
//! apart, in which directions" for all pairs of accesses inside one loop, different names for one
//! memory included. Where the solver gives up, or subscripts have no closed form, an edge says
//! nothing about distances: every direction that the order of the program allows is one of its.

use std::rc::Rc;

use gpuc_ir::{Ir, Op, Value};
use gpuc_presburger::dependence::{self as presburger, Carrier, Direction, Distance};
use indexmap::IndexSet;

use super::super::access::{Access, AccessKind, Alias, Storage, access, alias, is_own};
use super::super::loops::nest;
use super::carried::{Apart, conflict};
use super::dependence::DependenceKind;
use super::pair::{Pair, Question};
use super::{Nest, Own, comparable};
use crate::raise::reduction::Reduction;

/// Pairs of accesses asked about for one graph; who has more is told that they depend on each other.
const MOST_PAIRS: usize = 512;

/// Pairs of accesses of one graph: with more it would be larger than the program by far.
const MOST_EDGES: usize = 1 << 13;

/// Loops of which every combination of directions is listed: there are three to that power.
const MOST_LOOPS: usize = 7;

/// The dependences among the accesses inside a loop, or inside several that stand in a row, those
/// between reads left out.
#[derive(Clone, Debug)]
pub struct DependenceGraph {
    /// The loops asked about, one after the other in one block: all iterations of loops round them
    /// are fixed.
    pub roots: Vec<Op>,
    /// In order of the accesses.
    pub edges: Vec<Edge>,
    /// Pairs of mapped variables that were taken to be apart.
    pub assumed_apart: Vec<(Value, Value)>,
}

/// A dependence from an access to one that comes after it. The edges between two accesses are told
/// apart by what carries them.
#[derive(Clone, Debug)]
pub struct Edge {
    /// The access that comes first.
    pub source: Rc<Access>,
    /// The access that comes after it.
    pub sink: Rc<Access>,
    /// What they do.
    pub kind: DependenceKind,
    /// The variables of the loops that both are in, outermost first, from the loop asked about on.
    pub loops: Vec<Value>,
    /// What is known of it; `None` where it is assumed: any loop may carry it, at any distance.
    pub known: Option<presburger::Dependence>,
    /// Every combination of directions that may occur, one for each loop: each of them has `<` in
    /// front of the first `>`.
    pub vectors: Vec<Vec<Direction>>,
}

impl Edge {
    /// How far source and sink are apart in the loop of that variable; `None` where it is not known.
    pub fn distance(&self, variable: Value) -> Option<Distance> {
        let index = self.loops.iter().position(|&each| each == variable)?;
        self.known.as_ref()?.distance(index).ok()
    }

    /// Iterations of source and sink that depend on each other, numbers of the loops' variables from the
    /// outermost in; `None` where the dependence is assumed, or the solver finds none.
    pub fn example(&self) -> Option<(Vec<i64>, Vec<i64>)> {
        let relation = self.known.as_ref()?.relation();
        let inputs = relation.space().inputs();
        let point = relation.pieces().iter().find_map(|piece| piece.sample().ok().flatten())?;
        Some((point.dims[..inputs].to_vec(), point.dims[inputs..].to_vec()))
    }

    /// The place of the loop of that variable among those that both ends are in.
    fn level_of(&self, variable: Value) -> Option<usize> {
        self.loops.iter().position(|&each| each == variable)
    }

    /// Whether the loop of that variable may carry it.
    pub fn is_carried_by(&self, variable: Value) -> bool {
        let Some(level) = self.level_of(variable) else { return false };
        self.vectors.iter().any(|vector| {
            vector[..level].iter().all(|&d| d == Direction::Equal)
                && vector[level] == Direction::Less
        })
    }
}

/// An update `a[e] = a[e] + x` of an element that the iterations of a loop have in common, and that
/// they do not look at otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accumulation {
    /// Reads the element.
    pub load: Op,
    /// Combines: the first operation that the loaded value goes into.
    pub combine: Op,
    /// Writes the element.
    pub store: Op,
    /// By which operator.
    pub kind: Reduction,
    /// Whether integers are compared as unsigned.
    pub unsigned: bool,
}

impl DependenceGraph {
    /// The dependences with an end in `statement`, an operation inside the loop.
    pub fn around<'a>(&'a self, ir: &'a Ir, statement: Op) -> impl Iterator<Item = &'a Edge> {
        let inside = move |op: Op| op == statement || ir.is_inside(op, statement);
        self.edges.iter().filter(move |edge| inside(edge.source.op) || inside(edge.sink.op))
    }

    /// The dependences that the loop of that variable may carry.
    pub fn carried_by(&self, variable: Value) -> impl Iterator<Item = &Edge> {
        self.edges.iter().filter(move |edge| edge.is_carried_by(variable))
    }

    /// The one accumulation that is all that the loop of `variable` carries; `None` where it carries
    /// something else, or nothing.
    pub fn accumulation(&self, ir: &Ir, variable: Value) -> Option<Accumulation> {
        let mut ends = IndexSet::new();
        for edge in self.carried_by(variable) {
            ends.extend([edge.source.op, edge.sink.op]);
        }
        let stores = |op| ir.memory_access(op).is_some_and(|access| access.stored().is_some());
        let store = ends.iter().copied().find(|&op| stores(op))?;
        let found = accumulation(ir, store)?;
        ends.iter().all(|&op| op == found.load || op == found.store).then_some(found)
    }
}

/// The accumulation that a store ends: its value is what the element held, combined with others by one
/// operator, and the sums on the way are used for nothing else.
pub(crate) fn accumulation(ir: &Ir, store: Op) -> Option<Accumulation> {
    let written = access(ir, store)?;
    let start = |part: Value| {
        let load = ir.defining_op(part).filter(|_| ir.has_one_use(part))?;
        let read = access(ir, load)?;
        let same = read.kind == AccessKind::Read
            && read.buffer == written.buffer
            && read.length == written.length
            && read.subscripts == written.subscripts
            && read.subscripts.iter().all(Option::is_some);
        same.then_some(load)
    };
    let stored = ir.memory_access(store)?.stored()?;
    let own = |value: Value| ir.has_one_use(value);
    let (load, combine, kind, unsigned) = Reduction::chain(ir, stored, own, start)?;
    Some(Accumulation { load, combine, store, kind, unsigned })
}

impl Nest {
    /// What has to stay in order inside counted loops, one or several that follow each other in one
    /// block. Buffers that are declared inside a loop are an iteration's own. Whether mapped variables
    /// are taken to be apart is for the caller to say.
    ///
    /// # Errors
    /// An operation in the loops whose effects are not known, or an access with more others than are compared, or with
    /// others in so many loops that nobody lists the directions.
    pub fn graph(&self, ir: &Ir, roots: &[Op], apart: Apart) -> Result<Rc<DependenceGraph>, Op> {
        self.graphs.ask((roots.to_vec(), apart), || self.find_graph(ir, roots, apart))
    }

    fn find_graph(&self, ir: &Ir, roots: &[Op], apart: Apart) -> Result<DependenceGraph, Op> {
        let mut accesses = Vec::new();
        for &root in roots {
            accesses
                .extend(self.accesses(root)?.iter().map(|access| Placed::new(ir, root, access)));
        }
        let mut assumed = IndexSet::new();
        let mut edges = Vec::new();
        let mut pairs = 0;
        for (i, first) in accesses.iter().enumerate() {
            for second in &accesses[i..] {
                let (a, b) = (&first.access, &second.access);
                if !conflict(a.kind, b.kind) {
                    continue;
                }
                if a.root != b.root {
                    match alias(Storage::of(ir, a.root), Storage::of(ir, b.root)) {
                        Alias::No => continue,
                        Alias::Mapped if apart == Apart::Assumed => {
                            assumed.insert((a.root.min(b.root), a.root.max(b.root)));
                            continue;
                        }
                        Alias::Mapped | Alias::May => {}
                    }
                }
                pairs += 1;
                if pairs > MOST_EDGES {
                    return Err(a.op);
                }
                let decidable = pairs <= MOST_PAIRS;
                between(ir, first, second, decidable, &mut edges).ok_or(a.op)?;
            }
        }
        let assumed_apart = assumed.into_iter().collect();
        Ok(DependenceGraph { roots: roots.to_vec(), edges, assumed_apart })
    }
}

/// An access, and the loops round it.
struct Placed {
    /// The loop asked about that it is in.
    root: Op,
    /// Shared by all its edges, which are as many as there are accesses squared.
    access: Rc<Access>,
    /// The variables of the loops round it, from `root` on.
    variables: Vec<Value>,
}

impl Placed {
    fn new(ir: &Ir, root: Op, access: &Access) -> Placed {
        let variables = nest(ir, access.op, root).iter().map(|dim| dim.variable).collect();
        Placed { root, access: Rc::new(access.clone()), variables }
    }

    /// The loops that two accesses are in, outermost first.
    fn common(&self, other: &Placed) -> Vec<Value> {
        let both = self.variables.iter().zip(&other.variables);
        both.take_while(|(a, b)| a == b).map(|(&variable, _)| variable).collect()
    }
}

/// The dependences between two accesses in both directions, `first` being in front of `second` in the program, or those of
/// one to itself; `None` where they have too many directions.
fn between(
    ir: &Ir,
    first: &Placed,
    second: &Placed,
    decidable: bool,
    edges: &mut Vec<Edge>,
) -> Option<()> {
    let (a, b) = (&first.access, &second.access);
    let question = match decidable
        && comparable(ir, first.root, a, b, Own::Compared)
        && comparable(ir, second.root, a, b, Own::Compared)
    {
        true => Pair::new(ir, [first.root, second.root], a, b).question(a, b),
        false => None,
    };
    let forth = question.as_ref().and_then(|question| question.forth(a.op != b.op));
    directed(ir, first, second, a.op != b.op, forth, edges)?;
    if first.root == second.root && a.op != b.op {
        let back = question.as_ref().and_then(Question::back);
        directed(ir, second, first, false, back, edges)?;
    }
    Some(())
}

/// Notes the dependences from one access to another, as far as they are known; `None` where they have too many directions.
fn directed(
    ir: &Ir,
    from: &Placed,
    to: &Placed,
    source_first: bool,
    known: Option<Vec<presburger::Dependence>>,
    edges: &mut Vec<Edge>,
) -> Option<()> {
    let (source, sink) = (&from.access, &to.access);
    let loops = from.common(to);
    // Loops round the declaration of a buffer have one each iteration.
    let shared = if source.root == sink.root { own_loops(ir, source, &loops) } else { 0 };
    let same = |vector: &Vec<Direction>| vector[..shared].iter().all(|&d| d == Direction::Equal);
    let mut add = |known: Option<presburger::Dependence>, vectors: Vec<Vec<Direction>>| {
        let vectors: Vec<_> = vectors.into_iter().filter(same).collect();
        if !vectors.is_empty() {
            edges.push(Edge {
                source: Rc::clone(source),
                sink: Rc::clone(sink),
                kind: DependenceKind::between(source, sink),
                loops: loops.clone(),
                known,
                vectors,
            });
        }
    };
    let Some(known) = known else {
        add(None, in_order(loops.len(), source_first)?);
        return Some(());
    };
    for each in known {
        let vectors = match each.direction_vectors() {
            Ok(vectors) => vectors,
            Err(_) => {
                let mut all = in_order(loops.len(), source_first)?;
                all.retain(|vector| level(vector) == each.level());
                all
            }
        };
        add(Some(each), vectors);
    }
    Some(())
}

/// How many of the loops are round the declaration of the buffer that an access is to.
fn own_loops(ir: &Ir, access: &Access, loops: &[Value]) -> usize {
    let holds = |&variable: &Value| {
        let owner = ir.value_block(variable).and_then(|block| ir.block_op(block));
        owner.is_some_and(|owner| is_own(ir, access.root, owner))
    };
    loops.iter().take_while(|variable| holds(variable)).count()
}

/// What carries a dependence of these directions.
fn level(vector: &[Direction]) -> Carrier {
    let carrier = vector.iter().position(|&direction| direction != Direction::Equal);
    carrier.map_or(Carrier::Independent, Carrier::Loop)
}

/// Every combination of directions in so many loops that leads forwards in the order of the program; `None` of more
/// than [`MOST_LOOPS`].
fn in_order(loops: usize, source_first: bool) -> Option<Vec<Vec<Direction>>> {
    if loops > MOST_LOOPS {
        return None;
    }
    let mut all = vec![Vec::new()];
    for _ in 0..loops {
        let longer = |vector: &Vec<Direction>| {
            let forwards = level(vector) != Carrier::Independent;
            let each = [Direction::Less, Direction::Equal, Direction::Greater];
            let vector = vector.clone();
            each.into_iter()
                .filter(move |&direction| forwards || direction != Direction::Greater)
                .map(move |direction| [&vector[..], &[direction]].concat())
        };
        all = all.iter().flat_map(longer).collect();
    }
    all.retain(|vector| source_first || level(vector) != Carrier::Independent);
    Some(all)
}

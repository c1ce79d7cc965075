//! `affine-snapshot`: reads of what an array held before a nest go to a copy of it.
//!
//! Needs loops of a compute region that are held up only because an element must not be overwritten before it was read: `a[i] =
//! a[i + 1]`, or a product in place, `B[i][j] += A[k][i] * B[k][j]` with `k > i`. What is read there was there in front of the nest.
//! Copied in front, into memory of the device that the host allocates, nobody has to wait for the reads. Done only where the
//! nest then has a better order ([`crate::parallel::nest_plan`]), and where the copies are worth it: where one thread would
//! execute all, or launch after launch, or where elements are read more often than they are copied. A value that the nest hands on forbids it.
//! Known as node splitting, of Kuck, Kuhn, Padua, Leasure and Wolfe, "Dependence graphs and compiler optimizations", 1981.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::affine::AffineLoadOp;
use gpuc_dialects::offload::RegionOp;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Builder, InsertPoint, Ir, Op, OpView, Value};
use indexmap::IndexSet;

use super::device_array::{
    BoxCopies, allocate, behind, element_of, has_known_extents, place_within, redirect,
};
use super::refusal::{Refusal, Witness};
use super::statements::Statements;
use super::{Found, change_regions, free_loops, refuse_untaken};
use crate::analysis::access::{Access, name};
use crate::analysis::nest::Nest;
use crate::analysis::nest::carried::Apart;
use crate::analysis::nest::coverage::{ElementBox, written_box};
use crate::analysis::nest::dependence::DependenceKind;
use crate::analysis::nest::graph::DependenceGraph;
use crate::analysis::polynomial::Polynomial;
use crate::parallel::nest_plan::{self, Worth};
use crate::plan::{Given, names, record, step};
use crate::raise::affine_operands::AffineOperands;

gpuc_ir::pass! {
    /// Let reads of what was there before a nest go to a copy.
    AffineSnapshot = "affine-snapshot" on "func.func" {
        /// Whether to say why other loops stay as they are.
        explain: bool = false,
    }
}

const STEP: &str = "affine-snapshot";
/// Why what is mapped can be.
const ASKED: &str = "it was asked whether reads and copies are affine";

/// An array of which a nest reads what was there before.
struct Snapshot {
    /// The outermost loop of the nest.
    nest: Op,
    /// The reads.
    reads: Vec<Access>,
    /// The elements that each of them reads.
    boxes: Vec<ElementBox>,
    /// A box round all of these.
    sides: ElementBox,
}

impl Pass for AffineSnapshot {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let nest = cx.analysis::<Nest>(ir, op);
        let given = Given::of(ir, op)?;
        let steps = given.as_ref().map(Given::of_kind::<step::Snapshot>);
        let find = |ir: &Ir, region: RegionOp, cx: &mut PassContext<'_>| {
            let asked = |snapshot: &Snapshot| {
                let own = snapshot.step(ir);
                steps.as_ref().is_none_or(|steps| steps.iter().any(|(step, _)| *step == own))
            };
            Ok(self.in_region(ir, &nest, region, &asked, cx))
        };
        change_regions(ir, op, cx, find, |ir, region, each, cx| {
            let array = name(ir, each.reads[0].root);
            let text =
                format!("Array {array} copied, for what reads it as it was before this loop");
            cx.report(Diagnostic::remark(text).at_option(ir.ctx.place(ir.location(each.nest))));
            let step = each.step(ir);
            record(ir, op, step);
            carry_out(ir, region, &each);
            names::renew(ir, op);
        })?;
        refuse_untaken(ir, op, STEP, steps.as_ref(), |step| {
            let array = &step.array;
            let rule =
                format!("no order of the nest is better where {array} is read as it was before it");
            (&step.nest, rule)
        })
    }
}

impl AffineSnapshot {
    /// What is to be copied in a region, and what is assumed to be apart for it.
    fn in_region(
        &self,
        ir: &Ir,
        nest: &Nest,
        region: RegionOp,
        asked: &dyn Fn(&Snapshot) -> bool,
        cx: &mut PassContext<'_>,
    ) -> Found<Snapshot> {
        let free = free_loops(ir, region);
        let (mut found, mut apart) = (Vec::new(), IndexSet::new());
        let mut done: IndexSet<Op> = IndexSet::new();
        for &root in &free {
            if ir.ancestors(root).any(|outer| done.contains(&outer)) || !may_overwrite(nest, root) {
                continue;
            }
            // Iterations outside have the copy in common.
            let mut around = ir.ancestors(root).take_while(|&outer| outer != region.op());
            if !around.all(|outer| free.contains(&outer) && nest.waits(ir, outer) == Some(true)) {
                continue;
            }
            let Ok(graph) = nest.graph(ir, &[root], Apart::Assumed) else { continue };
            match of_nest(ir, &graph, &free, region, asked) {
                Ok(snapshots) if !snapshots.is_empty() => {
                    apart.extend(graph.assumed_apart.iter().copied());
                    found.extend(snapshots);
                    done.insert(root);
                }
                Ok(_) => {}
                Err(refusal) if self.explain => cx.report(refusal.remark(ir)),
                Err(_) => {}
            }
        }
        (found, apart)
    }
}

/// Whether a loop reads and writes an array, as far as its name says: without that, nobody has to ask for dependences.
fn may_overwrite(nest: &Nest, root: Op) -> bool {
    let Ok(accesses) = nest.accesses(root) else { return false };
    let written = |array: Value| accesses.iter().any(|other| other.root == array && other.writes());
    accesses.iter().any(|access| !access.writes() && written(access.root))
}

/// The arrays of a nest of which copies give it a better order; none where nothing is held up by such reads alone.
///
/// # Errors
/// What keeps an array from being copied that would.
fn of_nest(
    ir: &Ir,
    graph: &DependenceGraph,
    free: &IndexSet<Op>,
    region: RegionOp,
    asked: &dyn Fn(&Snapshot) -> bool,
) -> Result<Vec<Snapshot>, Refusal> {
    let root = graph.roots[0];
    let is_anti = |kind: DependenceKind| kind == DependenceKind::Anti;
    // What something in the nest has written before is no value of before the nest.
    let fed: IndexSet<Op> =
        graph.edges.iter().filter(|edge| !is_anti(edge.kind)).map(|edge| edge.sink.op).collect();
    let mut reads: Vec<Access> = Vec::new();
    for edge in graph.edges.iter().filter(|edge| is_anti(edge.kind)) {
        let read = &edge.source;
        // Within an iteration a read comes before the write anyway.
        let is_carried = edge.loops.iter().any(|&variable| edge.is_carried_by(variable));
        let known = reads.iter().any(|known| known.op == read.op);
        if is_carried && !known && !fed.contains(&read.op) && AffineLoadOp::is(ir, read.op) {
            reads.push((**read).clone());
        }
    }
    let arrays: IndexSet<Value> = reads.iter().map(|read| read.root).collect();
    if arrays.is_empty() {
        return Ok(Vec::new());
    }
    let Some(before) = worth(ir, graph, free) else { return Ok(Vec::new()) };
    let without = |reads: &[Access]| {
        let mut rest = graph.clone();
        rest.edges.retain(|edge| {
            !is_anti(edge.kind) || !reads.iter().any(|read| read.op == edge.source.op)
        });
        rest
    };
    let pays = |reads: &[Access]| {
        before.is_bound_by_launches() || reads.iter().any(|read| is_read_often(ir, root, read))
    };
    let all = worth(ir, &without(&reads), free).filter(|all| all.is_better_than(&before));
    let Some(all) = all.filter(|_| pays(&reads)) else { return Ok(Vec::new()) };
    let mut snapshots = Vec::new();
    for array in arrays {
        let (of_array, others): (Vec<Access>, Vec<Access>) =
            reads.iter().cloned().partition(|read| read.root == array);
        // One that the others do without is left.
        let is_as_good = |worth: Worth| !all.is_better_than(&worth);
        if pays(&others) && worth(ir, &without(&others), free).is_some_and(is_as_good) {
            continue;
        }
        snapshots.push(Snapshot::of(ir, graph, region, of_array)?);
    }
    snapshots.retain(asked);
    Ok(snapshots)
}

/// What the best order of a nest is worth.
fn worth(ir: &Ir, graph: &DependenceGraph, free: &IndexSet<Op>) -> Option<Worth> {
    let statements = Statements::of(ir, STEP, graph, &|op| free.contains(&op)).ok()?;
    nest_plan::worth(ir, &statements, graph)
}

/// Whether an element is read more than once: more loops are round the read than its array has dimensions.
fn is_read_often(ir: &Ir, root: Op, read: &Access) -> bool {
    let around = ir.ancestors(read.op).take_while(|&op| op != root);
    around.filter(|&op| ir.is_counted_loop(op)).count() + 1 > read.subscripts.len()
}

impl Snapshot {
    /// What the reads of one array need.
    ///
    /// # Errors
    /// Why they cannot have it.
    fn of(
        ir: &Ir,
        graph: &DependenceGraph,
        region: RegionOp,
        reads: Vec<Access>,
    ) -> Result<Snapshot, Refusal> {
        let nest = graph.roots[0];
        let (array, first) = (name(ir, reads[0].root), reads[0].op);
        let refuse = |rule: String| {
            let edge = graph.edges.iter().find(|edge| edge.source.op == first);
            let witness = edge.map(|edge| Witness::new(edge, None));
            Refusal { witness, ..Refusal::new(STEP, nest, rule) }
        };
        let plain = |read: &Access| {
            let mut forms = read.subscripts.iter().flatten();
            read.buffer == reads[0].buffer
                && read.length == 1
                && read.subscripts.len() == reads[0].subscripts.len()
                && forms.all(|form| form.as_polynomial().is_some())
        };
        let boxes: Option<Vec<ElementBox>> = match reads.iter().all(plain) {
            true => reads.iter().map(|read| written_box(ir, nest, read, 0)).collect(),
            false => None,
        };
        let found = boxes.and_then(|boxes| Some((hull(&boxes)?, boxes)));
        let Some((sides, boxes)) = found else {
            return Err(refuse(format!("what it reads of {array} is no box of elements")));
        };
        if !has_known_extents(ir, region.op(), &sides) {
            return Err(refuse(format!(
                "the host cannot tell how many elements the copy of {array} has"
            )));
        }
        let found = Snapshot { nest, reads, boxes, sides };
        match found.has_maps(ir) {
            true => Ok(found),
            false => Err(refuse(format!("subscripts of {array} are products of variables"))),
        }
    }

    /// As a step of a plan.
    fn step(&self, ir: &Ir) -> step::Snapshot {
        step::Snapshot { array: name(ir, self.reads[0].root), nest: names::of(ir, self.nest) }
    }

    /// Whether reads can be redirected, and boxes copied: all that both take is affine there.
    fn has_maps(&self, ir: &Ir) -> bool {
        let ends = self.boxes.iter().flatten().flat_map(|side| [side.0.clone(), behind(side)]);
        let first = self.sides.iter().map(|side| side.0.clone());
        AffineOperands::can_map(ir, self.nest, &ends.chain(first).collect::<Vec<_>>())
            && self.reads.iter().all(|read| {
                let place = place_within(read, &self.sides);
                place.is_some_and(|place| AffineOperands::can_map(ir, read.op, &place))
            })
    }
}

/// A box round some boxes, whose sides differ by numbers.
fn hull(boxes: &[ElementBox]) -> Option<ElementBox> {
    let (first, others) = boxes.split_first()?;
    let mut all = first.clone();
    for other in others {
        for (known, new) in all.iter_mut().zip(other) {
            let further = |known: &Polynomial, new: &Polynomial| {
                new.plus(known, -1).and_then(|distance| distance.as_constant())
            };
            if further(&known.0, &new.0)? < 0 {
                known.0 = new.0.clone();
            }
            if further(&known.1, &new.1)? > 0 {
                known.1 = new.1.clone();
            }
        }
    }
    Some(all)
}

/// Carries it out.
fn carry_out(ir: &mut Ir, region: RegionOp, snapshot: &Snapshot) {
    let Snapshot { nest, reads, boxes, sides } = snapshot;
    let (buffer, array) = (reads[0].buffer, name(ir, reads[0].root));
    // What is allocated is seen in front of the outermost loop.
    let outermost = ir.ancestor_in_block(*nest, region.block(ir)).unwrap_or(*nest);
    let element = element_of(ir, buffer);
    let view = allocate(ir, region.op(), outermost, element, &array, sides);
    let mut operands = AffineOperands::default();
    for read in reads {
        let place = place_within(read, sides);
        let map = place.and_then(|place| operands.map(ir, read.op, &place)).expect(ASKED);
        redirect(ir, read.op, view, &map);
    }
    let mut copies = BoxCopies::of(*nest);
    let distinct: IndexSet<&ElementBox> = boxes.iter().collect();
    for elements in distinct {
        let location = ir.location(*nest);
        let mut b = Builder::new(ir, InsertPoint::Before(*nest), location);
        let from = copies.loops(&mut b, elements);
        let within = from.iter().zip(sides);
        let to: Vec<Polynomial> =
            within.filter_map(|(at, (first, _))| at.plus(first, -1)).collect();
        copies.element(&mut b, [(buffer, &from), (view, &to)]);
    }
}

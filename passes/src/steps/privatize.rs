//! `affine-privatize`: an array that every iteration overwrites gets an element for each of them.
//!
//! Needs a loop of a compute region that could run in parallel but for arrays which each of its
//! iterations writes before it reads them. The array gets dimensions for that loop, and for those
//! directly in it that it is in the way of as well, in memory of the device that the host allocates in front of the
//! region; behind the nest the last iteration's elements are copied back. Done only where the nest has an
//! array with all these dimensions itself, so that no more memory is needed than the program has. A value
//! that goes from one iteration to another forbids it. After Li, "Array privatization for parallel
//! execution of loops", 1992.

use std::rc::Rc;

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::affine::{AffineForOp, AffineLoadOp, AffineStoreOp};
use gpuc_dialects::offload::RegionOp;
use gpuc_ir::op::Traits;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Builder, InsertPoint, Ir, Op, OpView, Value};
use indexmap::{IndexMap, IndexSet};

use super::device_array::{
    BoxCopies, allocate, behind, element_of, has_known_extents, place_within, redirect,
};
use super::refusal::{Refusal, Witness};
use super::{Found, change_regions, is_inside_parallel};
use crate::analysis::access::{Access, name};
use crate::analysis::loops::{CountedLoop, are_rectangular, candidates, dimensions};
use crate::analysis::nest::Nest;
use crate::analysis::nest::carried::Apart;
use crate::analysis::nest::coverage::{ElementBox, covers, includes, written_box};
use crate::analysis::nest::graph::DependenceGraph;
use crate::analysis::polynomial::Polynomial;
use crate::plan::{Given, names, record, step};
use crate::raise::affine_operands::AffineOperands;

gpuc_ir::pass! {
    /// Give each iteration its own copy of arrays that it overwrites.
    AffinePrivatize = "affine-privatize" on "func.func" {
        /// Whether to say why other arrays that hold loops up are not privatized.
        explain: bool = false,
    }
}

const STEP: &str = "affine-privatize";
/// Why what is mapped can be ([`Private::has_maps`]).
const ASKED: &str = "it was asked whether accesses and copies are affine";

/// An array that iterations of some loops get copies of.
struct Private {
    buffer: Value,
    accesses: Vec<Access>,
    /// The loops, each directly in the one before.
    loops: Vec<CountedLoop>,
    /// The elements that each iteration writes.
    elements: ElementBox,
}

impl Pass for AffinePrivatize {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let nest = cx.analysis::<Nest>(ir, op);
        let given = Given::of(ir, op)?;
        let find = |ir: &Ir, region: RegionOp, cx: &mut PassContext<'_>| {
            let (mut found, apart) = self.in_region(ir, &nest, region, cx);
            if let Some(given) = &given {
                keep_given(ir, op, &nest, given, &mut found)?;
            }
            Ok((found, apart))
        };
        change_regions(ir, op, cx, find, |ir, region, each, cx| {
            let place = ir.ctx.place(ir.location(each.loops[0].op));
            let text = format!("Array {} privatized", name(ir, each.accesses[0].root));
            cx.report(Diagnostic::remark(text).at_option(place));
            record(ir, op, each.step(ir));
            expand(ir, region, &each);
            names::renew(ir, op);
        })
    }
}

impl AffinePrivatize {
    /// What is to be privatized in a region, and what is assumed to be apart for it.
    fn in_region(
        &self,
        ir: &Ir,
        nest: &Nest,
        region: RegionOp,
        cx: &mut PassContext<'_>,
    ) -> Found<Private> {
        let (mut found, mut apart) = (Vec::new(), IndexSet::new());
        let free = candidates(ir, region);
        let (mut outermost, mut done): (Option<Rc<DependenceGraph>>, Vec<Op>) = (None, Vec::new());
        for &op in &free {
            if done.iter().any(|&outer| ir.is_inside(op, outer))
                || is_inside_parallel(ir, region, op)
            {
                continue;
            }
            let Some(view) = AffineForOp::cast(ir, op) else { continue };
            if nest.waits(ir, op) == Some(false) {
                done.push(op);
                continue;
            }
            match may_overwrite(nest, op, view.induction_var(ir)) {
                Ok(true) => {}
                Err(root) if self.explain => {
                    let refusal = read_first(ir, nest, view, root);
                    refusal.into_iter().for_each(|refusal| cx.report(refusal.remark(ir)));
                    continue;
                }
                _ => continue,
            }
            if !outermost.as_ref().is_some_and(|graph| ir.is_inside(op, graph.roots[0])) {
                outermost = nest.graph(ir, &[op], Apart::Assumed).ok();
            }
            let Some(graph) = &outermost else { continue };
            if graph.carried_by(view.induction_var(ir)).next().is_none() {
                done.push(op);
                continue;
            }
            let privates = of_loop(ir, nest, graph, view);
            let privates = privates.and_then(|privates| {
                privates.iter().try_for_each(|each| each.check(ir, region, op))?;
                Ok(privates)
            });
            match privates {
                Ok(privates) if !privates.is_empty() => {
                    apart.extend(graph.assumed_apart.iter().copied());
                    found.extend(privates);
                    done.push(op);
                }
                Ok(_) => {}
                Err(refusal) if self.explain => cx.report(refusal.remark(ir)),
                Err(_) => {}
            }
        }
        (found, apart)
    }
}

/// Keeps the arrays that a plan names.
fn keep_given(
    ir: &Ir,
    func: Op,
    nest: &Nest,
    given: &Given,
    found: &mut Vec<Private>,
) -> Result<(), Diagnostic> {
    let steps = given.of_kind::<step::Privatize>();
    for (step, placed) in &steps {
        if found.iter().any(|each| each.step(ir) == *step) {
            continue;
        }
        let [first, ..] = &step.over[..] else { continue };
        let at = placed.find(ir, func, first)?;
        let why = || {
            let graph = nest.graph(ir, &[at], Apart::Assumed).ok()?;
            of_loop(ir, nest, &graph, AffineForOp::cast(ir, at)?).err()
        };
        let rule =
            format!("no copies of {} for each iteration would make the loop parallel", step.array);
        let refusal = why().unwrap_or_else(|| Refusal::new(STEP, at, rule));
        return Err(placed.refused(ir, &refusal));
    }
    found.retain(|each| steps.iter().any(|(step, _)| each.step(ir) == *step));
    Ok(())
}

/// The arrays that keep a loop from being parallel, if copies of all of them would make it so; none
/// where something else does.
///
/// # Errors
/// An array that every iteration writes, but that hands a value from one to another.
fn of_loop(
    ir: &Ir,
    nest: &Nest,
    graph: &DependenceGraph,
    view: AffineForOp,
) -> Result<Vec<Private>, Refusal> {
    let op = view.op();
    let Ok(accesses) = nest.accesses(op) else { return Ok(Vec::new()) };
    let roots = |variable: Value| -> IndexSet<Value> {
        graph.carried_by(variable).map(|edge| edge.source.root).collect()
    };
    let own = roots(view.induction_var(ir));
    let mut loops = vec![op];
    // Loops directly in it that the same arrays are in the way of.
    while let Some(inner) = only_loop(ir, loops[loops.len() - 1]) {
        let inner_roots = roots(inner.induction_var(ir));
        if inner_roots.is_empty() || !inner_roots.is_subset(&own) {
            break;
        }
        loops.push(inner.op());
    }
    let dims: Vec<CountedLoop> = loops.iter().flat_map(|&each| dimensions(ir, each)).collect();
    let mut privates = Vec::new();
    for &root in &own {
        let of_root: Vec<Access> =
            accesses.iter().filter(|access| access.root == root).cloned().collect();
        // As many loops as leave room: an array of the program has a dimension for each.
        let rank = of_root[0].subscripts.len();
        let room = |depth: usize| {
            accesses.iter().any(|access| {
                let values = access.subscripts.iter().flatten().flat_map(|form| form.values());
                let values: Vec<Value> = values.collect();
                !own.contains(&access.root)
                    && access.subscripts.len() >= depth + rank
                    && dims[..depth].iter().all(|dim| values.contains(&dim.variable))
            })
        };
        let Some(depth) = (1..=dims.len()).rev().find(|&depth| room(depth)) else {
            return Ok(Vec::new());
        };
        if depth < dims.len() {
            return Ok(Vec::new());
        }
        match overwritten(ir, op, &of_root, &dims) {
            Some(elements) => privates.push(Private {
                buffer: of_root[0].buffer,
                accesses: of_root,
                loops: dims.clone(),
                elements,
            }),
            None => {
                let rule = format!(
                    "{} is not overwritten by every iteration before it is read",
                    name(ir, root)
                );
                let mut refusal = Refusal::new(STEP, op, rule);
                let edge = graph.edges.iter().find(|edge| edge.source.root == root);
                refusal.witness = edge.map(|edge| Witness::new(edge, None));
                return Err(refusal);
            }
        }
    }
    Ok(privates)
}

/// Whether the loop writes arrays of which each iteration touches the same elements, as far as subscripts
/// show, and touches all of them by a write first: without that, nobody has to ask for dependences.
///
/// # Errors
/// An array of which the first access is a read.
fn may_overwrite(nest: &Nest, op: Op, variable: Value) -> Result<bool, Value> {
    let Ok(accesses) = nest.accesses(op) else { return Ok(false) };
    // Of each array: whether the first access writes, whether any does, whether a subscript varies.
    let mut roots: IndexMap<Value, (bool, bool, bool)> = IndexMap::new();
    for access in accesses {
        let mentions = access.subscripts.iter().flatten().any(|f| f.values().contains(&variable));
        let known = roots.entry(access.root).or_insert((access.writes(), false, false));
        known.1 |= access.writes();
        known.2 |= mentions;
    }
    let mut same =
        roots.iter().filter(|&(_, &(_, written, mentions))| written && !mentions).peekable();
    if same.peek().is_none() {
        return Ok(false);
    }
    match same.find(|&(_, &(first, ..))| !first) {
        Some((&root, _)) => Err(root),
        None => Ok(true),
    }
}

/// Why an array whose first access in a loop is a read gets no copies: the dependence that the loop carries.
fn read_first(ir: &Ir, nest: &Nest, view: AffineForOp, root: Value) -> Option<Refusal> {
    let graph = nest.graph(ir, &[view.op()], Apart::Assumed).ok()?;
    let edge = graph.carried_by(view.induction_var(ir)).find(|edge| edge.source.root == root)?;
    let rule = format!("{} is read by an iteration before it is overwritten", name(ir, root));
    let witness = Some(Witness::new(edge, None));
    Some(Refusal { witness, ..Refusal::new(STEP, view.op(), rule) })
}

/// The loop that is all there is in the body of another.
fn only_loop(ir: &Ir, op: Op) -> Option<AffineForOp> {
    let inner = ir.first_op(ir.body(op, 0))?;
    let next = ir.next_op(inner)?;
    let alone = ir.has_trait(next, Traits::TERMINATOR) && ir.results(inner).is_empty();
    AffineForOp::cast(ir, inner).filter(|_| alone)
}

/// The elements that every iteration of some loops writes before it reads them; `None` where it reads
/// others, or writes different ones, or a bound is not simple enough.
fn overwritten(ir: &Ir, op: Op, accesses: &[Access], loops: &[CountedLoop]) -> Option<ElementBox> {
    let first = &accesses[0];
    let plain = |access: &Access| {
        access.buffer == first.buffer
            && access.length == 1
            && (AffineLoadOp::is(ir, access.op) || AffineStoreOp::is(ir, access.op))
            && access
                .subscripts
                .iter()
                .all(|form| form.as_ref().is_some_and(|form| form.as_polynomial().is_some()))
    };
    if !are_rectangular(loops) || !accesses.iter().all(plain) {
        return None;
    }
    let certain = |access: &&Access| {
        let mut around = ir.ancestors(access.op).take_while(|&at| at != op);
        access.writes() && around.all(|at| ir.is_counted_loop(at))
    };
    let written = |read: &Access| {
        let before = accesses.iter().take_while(|access| access.op != read.op);
        before.filter(certain).any(|write| covers(ir, op, write, read))
    };
    if !accesses.iter().filter(|access| !access.writes()).all(written) {
        return None;
    }
    accesses.iter().filter(certain).find_map(|write| {
        let others = || accesses.iter().filter(|access| access.writes());
        let all = others().all(|other| includes(ir, op, write, other, loops.len()));
        written_box(ir, op, write, loops.len()).filter(|_| all)
    })
}

impl Private {
    /// As a step of a plan.
    fn step(&self, ir: &Ir) -> step::Privatize {
        let over = self.loops.iter().filter_map(|dim| names::of_variable(ir, dim.variable));
        step::Privatize {
            array: name(ir, self.accesses[0].root),
            over: over.map(str::to_owned).collect(),
        }
    }

    /// First and last of each dimension of the copies: iterations, then elements.
    fn sides(&self) -> ElementBox {
        let iterations = self.loops.iter().filter_map(CountedLoop::iterations);
        iterations.chain(self.elements.iter().cloned()).collect()
    }

    /// Refuses copies whose size the host cannot tell, and those that accesses cannot be redirected to.
    fn check(&self, ir: &Ir, region: RegionOp, root: Op) -> Result<(), Refusal> {
        let name = name(ir, self.buffer);
        let why = if !self.has_known_extents(ir, region) {
            format!("the host cannot tell how many elements the copies of {name} have")
        } else if !self.has_maps(ir, root) {
            format!("subscripts of {name} are products of variables, or no sums at all")
        } else {
            return Ok(());
        };
        Err(Refusal::new(STEP, root, why))
    }

    /// Whether the host can tell how large the copies are.
    fn has_known_extents(&self, ir: &Ir, region: RegionOp) -> bool {
        has_known_extents(ir, region.op(), &self.sides())
    }

    /// Whether accesses can be redirected, and the last iteration's elements copied back behind the loop `root`: all that both
    /// take is affine there. (Rows that the program writes out as products of variables may not be.)
    fn has_maps(&self, ir: &Ir, root: Op) -> bool {
        let ends = self.elements.iter().flat_map(|side| [side.0.clone(), behind(side)]);
        AffineOperands::can_map(ir, root, &ends.chain(self.trips()).collect::<Vec<_>>())
            && self.accesses.iter().all(|access| {
                let place = self.place_of(access);
                place.is_some_and(|place| AffineOperands::can_map(ir, access.op, &place))
            })
    }

    /// Iterations of each loop, less one.
    fn trips(&self) -> Vec<Polynomial> {
        let iterations = self.sides().into_iter().take(self.loops.len());
        iterations.map(|(first, last)| last.plus(&first, -1).unwrap_or_default()).collect()
    }

    /// Where an access goes in the copies.
    fn place_of(&self, access: &Access) -> Option<Vec<Polynomial>> {
        let own = self
            .loops
            .iter()
            .map(|dim| Polynomial::value(dim.variable).plus(&dim.iterations()?.0, -1));
        let mut place: Vec<Polynomial> = own.collect::<Option<_>>()?;
        place.extend(place_within(access, &self.elements)?);
        Some(place)
    }
}

/// Carries it out.
fn expand(ir: &mut Ir, region: RegionOp, private: &Private) {
    let root = private.loops[0].op;
    let sides = private.sides();
    let variable = name(ir, private.accesses[0].root);
    let element = element_of(ir, private.buffer);
    let view = allocate(ir, region.op(), root, element, &variable, &sides);
    let mut operands = AffineOperands::default();
    for access in &private.accesses {
        let place = private.place_of(access);
        let map = place.and_then(|place| operands.map(ir, access.op, &place)).expect(ASKED);
        redirect(ir, access.op, view, &map);
    }
    copy_back(ir, root, private, view);
}

/// Copies what the last iteration has written to where the program looks for it, if there is one.
fn copy_back(ir: &mut Ir, root: Op, private: &Private, view: Value) {
    let mut copies = BoxCopies::of(root);
    let trips = private.trips();
    let point = copies.under(ir, InsertPoint::After(root), &trips);
    let location = ir.location(root);
    let mut b = Builder::new(ir, point, location);
    let to = copies.loops(&mut b, &private.elements);
    // The last iteration, counted from the first, and elements from the first.
    let within = to.iter().zip(&private.elements);
    let within = within.filter_map(|(at, (first, _))| at.plus(first, -1));
    let from: Vec<Polynomial> = trips.into_iter().chain(within).collect();
    copies.element(&mut b, [(view, &from), (private.buffer, &to)]);
}

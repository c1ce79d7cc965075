//! `affine-expand`: a value that one part of an iteration hands to another gets an element of memory for each iteration.
//!
//! Needs a loop of a compute region whose iterations wait for each other, of which a part does not: one with a loop in it,
//! such as a sum that a recurrence adds to its last value. What the two parts have in common is a value; as an element
//! of an array it lets both be loops of their own ([`distribute`](super::distribute)), and the one with the work is
//! parallel. The array lies in memory of the device that the host allocates in front of the region. What can be computed again
//! is left, as are parts that are a circle of dependences, and loops inside of a parallel one, which has threads enough.
//! After Feautrier, "Array expansion", 1988.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::affine::{AffineForOp, AffineLoadOp, AffineStoreOp};
use gpuc_dialects::offload::RegionOp;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Builder, Ir, Op, OpView, Type, Value, WalkOrder};
use gpuc_presburger::dependence::Direction;
use indexmap::IndexSet;

use super::device_array::{allocate, has_known_extents};
use super::distribute::strong_components;
use super::refusal::Refusal;
use super::statements::{Statement, Statements};
use super::{Found, change_regions, free_loops, is_inside_parallel, outermost, refuse_untaken};
use crate::analysis::loops::{CountedLoop, dimensions};
use crate::analysis::nest::Nest;
use crate::analysis::nest::carried::Apart;
use crate::analysis::nest::coverage::ElementBox;
use crate::analysis::nest::graph::{DependenceGraph, Edge};
use crate::analysis::polynomial::Polynomial;
use crate::plan::{Given, names, record, step};
use crate::raise::affine_operands::AffineOperands;

gpuc_ir::pass! {
    /// Give values between parts of an iteration an element for each.
    AffineExpand = "affine-expand" on "func.func" {
        /// Whether to say why other loops stay as they are.
        explain: bool = false,
    }
}

const STEP: &str = "affine-expand";
/// Why what is mapped can be ([`of_statement`]).
const ASKED: &str = "it was asked whether bounds are affine";

/// A loop whose iterations are to have their own values.
struct Expansion {
    looped: CountedLoop,
    /// First and last iteration.
    sides: ElementBox,
    /// Where an iteration's element stands.
    place: Polynomial,
    /// The values.
    values: IndexSet<Value>,
    /// With each the operations of the body that get it from memory.
    readers: Vec<(Value, Op)>,
}

impl Pass for AffineExpand {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let given = Given::of(ir, op)?;
        let steps = given.as_ref().map(Given::of_kind::<step::Expand>);
        let nest = cx.analysis::<Nest>(ir, op);
        let find = |ir: &Ir, region: RegionOp, cx: &mut PassContext<'_>| {
            let (mut found, apart) = self.in_region(ir, &nest, region, cx);
            if let Some(steps) = &steps {
                found.retain(|each| {
                    let name = names::of(ir, each.looped.op);
                    steps.iter().any(|(step, _)| step.name == name)
                });
            }
            Ok((found, apart))
        };
        change_regions(ir, op, cx, find, |ir, region, each, cx| {
            let at = each.looped.op;
            let what = if each.values.len() == 1 { "A value is" } else { "Values are" };
            let text = format!(
                "{what} kept for each iteration, so that what needs them can be a loop of its own"
            );
            cx.report(Diagnostic::remark(text).at_option(ir.ctx.place(ir.location(at))));
            let name = names::of(ir, at);
            record(ir, op, step::Expand { name });
            carry_out(ir, region, &each);
        })?;
        refuse_untaken(ir, op, STEP, steps.as_ref(), |step| {
            let rule = "no part of its iterations could run by itself if values were kept";
            (&step.name, rule.to_owned())
        })
    }
}

impl AffineExpand {
    /// What is to be expanded in a region, and what is assumed to be apart for it.
    fn in_region(
        &self,
        ir: &Ir,
        nest: &Nest,
        region: RegionOp,
        cx: &mut PassContext<'_>,
    ) -> Found<Expansion> {
        let free = free_loops(ir, region);
        let (mut found, mut apart) = (Vec::new(), IndexSet::new());
        for root in outermost(ir, &free) {
            if is_inside_parallel(ir, region, root) {
                continue;
            }
            // A loop without one inside of it has nothing to do apart from its values.
            let inside = ir.nested_ops(root, WalkOrder::PreOrder);
            if inside.iter().filter(|&&op| ir.is_counted_loop(op)).count() < 2 {
                continue;
            }
            let Ok(graph) = nest.graph(ir, &[root], Apart::Assumed) else { continue };
            let movable = |op: Op| free.contains(&op);
            let Ok(statements) = Statements::of(ir, STEP, &graph, &movable) else { continue };
            for statement in &statements.list {
                match of_statement(ir, &graph, statement, region.op()) {
                    Ok(Some(expansion)) => {
                        apart.extend(graph.assumed_apart.iter().copied());
                        found.push(expansion);
                    }
                    Ok(None) => {}
                    Err(refusal) if self.explain => cx.report(refusal.remark(ir)),
                    Err(_) => {}
                }
            }
        }
        (found, apart)
    }
}

/// What a statement's parts hand to each other, where one could run by itself and has a loop in it; nothing where there is no
/// such part.
///
/// # Errors
/// What keeps the values from being kept.
fn of_statement(
    ir: &Ir,
    graph: &DependenceGraph,
    statement: &Statement,
    region: Op,
) -> Result<Option<Expansion>, Refusal> {
    let ops = &statement.ops;
    let Some((&inner, outer)) = statement.loops.split_last() else { return Ok(None) };
    if ops.len() < 2 || !ops.iter().any(|&op| ir.is_counted_loop(op)) {
        return Ok(None);
    }
    let variable = |op: Op| AffineForOp::cast(ir, op).map(|view| view.induction_var(ir));
    let waits = |op: Op| variable(op).is_some_and(|at| graph.carried_by(at).next().is_some());
    let Some(own) = variable(inner) else { return Ok(None) };
    if !waits(inner) || !outer.iter().all(|&op| waits(op)) {
        return Ok(None);
    }
    let sides = sides(ir, graph, ops, own);
    if !sides.contains(&Side::Apart) || !sides.contains(&Side::InOrder) {
        return Ok(None);
    }
    let (mut values, mut readers) = (IndexSet::new(), Vec::new());
    for (part, &op) in ops.iter().enumerate() {
        for &value in ir.results(op) {
            let others: IndexSet<usize> =
                ir.users(value).filter_map(|user| part_of(ir, ops, user)).collect();
            for other in others.into_iter().filter(|&other| sides[other] != sides[part]) {
                values.insert(value);
                readers.push((value, ops[other]));
            }
        }
    }
    if values.is_empty() {
        return Ok(None);
    }
    let refuse = |rule: &str| Err(Refusal::new(STEP, inner, rule));
    if values.iter().any(|&value| !is_element(ir, ir.ty(value))) {
        return refuse("a value between its parts is of a type that memory does not hold");
    }
    let [looped] = &dimensions(ir, inner)[..] else { return Ok(None) };
    let Some(side) = looped.iterations() else {
        return refuse("its bounds have no closed form");
    };
    let place = Polynomial::value(looped.variable).plus(&side.0, -1);
    let sides = vec![side];
    if !has_known_extents(ir, region, &sides) {
        return refuse("the host cannot tell in front of the construct how many iterations it has");
    }
    match place.filter(|place| AffineOperands::can_map(ir, ops[0], std::slice::from_ref(place))) {
        Some(place) => {
            Ok(Some(Expansion { looped: looped.clone(), sides, place, values, readers }))
        }
        None => refuse("its bounds are products of variables"),
    }
}

/// To which loop a part of an iteration is to belong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    /// One whose iterations wait for each other.
    InOrder,
    /// One whose iterations do not.
    Apart,
}

/// The number of the part that holds an operation.
fn part_of(ir: &Ir, ops: &[Op], op: Op) -> Option<usize> {
    ops.iter().position(|&part| part == op || ir.is_inside(op, part))
}

/// On which side parts of the iterations of the loop of `variable` are. What hangs on a part that waits goes with it, unless there
/// is a loop in it; what makes ready what a loop needs goes with the loop.
fn sides(ir: &Ir, graph: &DependenceGraph, ops: &[Op], variable: Value) -> Vec<Side> {
    // An edge counts where all loops outside of this one are in the same iteration.
    let counts = |edge: &&Edge| {
        let Some(level) = edge.loops.iter().position(|&each| each == variable) else {
            return false;
        };
        let fixed =
            |vector: &Vec<Direction>| vector[..level].iter().all(|&d| d == Direction::Equal);
        edge.vectors.iter().any(fixed)
    };
    let mut pairs: Vec<(usize, usize, bool)> = Vec::new();
    for edge in graph.edges.iter().filter(counts) {
        let ends = [edge.source.op, edge.sink.op].map(|op| part_of(ir, ops, op));
        if let [Some(from), Some(to)] = ends {
            pairs.push((from, to, edge.is_carried_by(variable)));
        }
    }
    for (part, &op) in ops.iter().enumerate() {
        let users = ir.results(op).iter().flat_map(|&value| ir.users(value).collect::<Vec<_>>());
        pairs.extend(users.filter_map(|user| Some((part, part_of(ir, ops, user)?, false))));
    }
    let edges: Vec<(usize, usize)> = pairs.iter().map(|&(from, to, _)| (from, to)).collect();
    let mut sides = vec![Side::InOrder; ops.len()];
    for circle in strong_components(ops.len(), &edges) {
        let inside = |part: usize| circle.contains(&part);
        let waits = pairs.iter().any(|&(from, to, carried)| carried && inside(from) && inside(to));
        let behind = |side: Side| {
            pairs.iter().any(|&(from, to, _)| inside(to) && !inside(from) && sides[from] == side)
        };
        let has_loop = circle.iter().any(|&part| ir.is_counted_loop(ops[part]));
        let apart = has_loop || behind(Side::Apart) && !behind(Side::InOrder);
        if !waits && apart {
            circle.iter().for_each(|&part| sides[part] = Side::Apart);
        }
    }
    sides
}

/// Whether memory holds elements of a type.
fn is_element(ir: &Ir, ty: Type) -> bool {
    ir.ctx.is_float(ty) || ir.ctx.int_width(ty).is_some_and(|width| width >= 8)
}

/// Carries it out.
fn carry_out(ir: &mut Ir, region: RegionOp, expansion: &Expansion) {
    let looped = &expansion.looped;
    let place = std::slice::from_ref(&expansion.place);
    // The outermost loop of the nest: what is allocated is seen in front of it.
    let block = region.block(ir);
    let root = ir.ancestor_in_block(looped.op, block).unwrap_or(looped.op);
    let mut operands = AffineOperands::default();
    let called = match names::of_variable(ir, looped.variable) {
        Some(name) => format!("value kept for {name}"),
        None => "value kept".to_owned(),
    };
    for &value in &expansion.values {
        let element = ir.ty(value);
        let array = allocate(ir, region.op(), root, element, &called, &expansion.sides);
        let made = ir.defining_op(value).expect("it is a result of a part");
        let at = operands.map(ir, made, place).expect(ASKED);
        AffineStoreOp::create(&mut Builder::after(ir, made), value, array, &at);
        for &(_, reader) in expansion.readers.iter().filter(|&&(read, _)| read == value) {
            let at = operands.map(ir, reader, place).expect(ASKED);
            let kept = AffineLoadOp::create(&mut Builder::before(ir, reader), array, &at);
            ir.replace_uses_if(value, kept, |ir, slot| {
                let user = ir.use_owner(slot);
                user == reader || ir.is_inside(user, reader)
            });
        }
    }
}

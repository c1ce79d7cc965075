//! `affine-loop-distribute`: a loop becomes one for each group of statements that depend on each other.
//!
//! Needs `affine.for` loops; loops in them are distributed with them. Statements that depend on each
//! other in a circle stay together (the strongly connected components of the dependence graph), the
//! groups are put in an order that keeps the other dependences. After Allen and Kennedy, "Optimizing
//! Compilers for Modern Architectures", 2001, §5.7.

use gpuc_diagnostics::Diagnostic;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Ir, Op};

use super::legality::{Legal, Order};
use super::rebuild::rebuild;
use super::refusal::{Refusal, Witness};
use super::schedule::{Row, Schedule};
use super::statements::Statements;
use super::{apart, free, on_outermost_loops};
use crate::analysis::nest::Nest;
use crate::analysis::nest::carried::Apart;
use crate::analysis::nest::graph::DependenceGraph;

gpuc_ir::pass! {
    /// Distribute loops over groups of statements that do not depend on each other in a circle.
    AffineLoopDistribute = "affine-loop-distribute" on "func.func" {
        /// Whether variables that are mapped to the device are taken not to overlap.
        assume_apart: bool = false,
    }
}

impl Pass for AffineLoopDistribute {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let apart = apart(self.assume_apart);
        on_outermost_loops(ir, op, cx, |ir, nest, root| distribute(ir, nest, root, apart));
        Ok(())
    }
}

/// Distributes a loop as far as dependences allow it; the loops that take its place.
///
/// # Errors
/// All its statements depend on each other in a circle.
pub fn distribute(ir: &mut Ir, nest: &Nest, root: Op, apart: Apart) -> Result<Vec<Op>, Refusal> {
    const STEP: &str = "affine-loop-distribute";
    let graph = super::graph(ir, nest, STEP, &[root], apart)?;
    let statements = Statements::of(ir, STEP, &graph, &|op| free(ir, op))?;
    let orders: Vec<Order<'_>> =
        graph.edges.iter().filter_map(|edge| Order::of(ir, &statements, edge)).collect();
    let all: Vec<usize> = (0..statements.list.len()).collect();
    let groups = components(&all, &orders.iter().collect::<Vec<_>>());
    if groups.len() < 2 {
        return Err(one_group(ir, STEP, root, &statements, &graph));
    }
    let mut numbers = vec![0; all.len()];
    for (number, group) in (0..).zip(&groups) {
        group.iter().for_each(|&statement| numbers[statement] = number);
    }
    let rows = vec![Row::of_constants(&numbers)];
    let legal = Legal::prove(ir, STEP, &statements, &graph, Schedule(rows))?;
    rebuild(ir, STEP, legal)
}

/// Why the statements of a loop are one group: a dependence back to an earlier one.
pub(super) fn one_group(
    ir: &Ir,
    step: &'static str,
    root: Op,
    statements: &Statements,
    graph: &DependenceGraph,
) -> Refusal {
    let mut refusal = Refusal::new(step, root, "its statements depend on each other in a circle");
    if statements.list.len() < 2 {
        refusal.rule = "it has one statement only".to_owned();
    }
    let back = graph.edges.iter().find(|edge| {
        Order::of(ir, statements, edge).is_some_and(|order| order.ends[0] > order.ends[1])
    });
    refusal.witness = back.map(|edge| Witness::new(edge, None));
    refusal
}

/// The strongly connected components of some statements by dependences among them, each in order of
/// the program, in an order that keeps all dependences and else that of the program.
pub(crate) fn components(statements: &[usize], orders: &[&Order<'_>]) -> Vec<Vec<usize>> {
    let position = |statement: usize| statements.iter().position(|&each| each == statement);
    let edge = |order: &&&Order<'_>| {
        let [from, to] = order.ends.map(position);
        Some((from?, to?)).filter(|_| !order.is_empty())
    };
    let edges: Vec<(usize, usize)> = orders.iter().filter_map(|order| edge(&order)).collect();
    let groups = strong_components(statements.len(), &edges);
    groups.into_iter().map(|group| group.into_iter().map(|i| statements[i]).collect()).collect()
}

/// The strongly connected components of so many nodes, each in order, in an order that keeps all edges and else that of
/// the nodes.
pub(crate) fn strong_components(count: usize, edges: &[(usize, usize)]) -> Vec<Vec<usize>> {
    // Transitive closure: nests have few statements.
    let mut reaches = vec![vec![false; count]; count];
    for &(from, to) in edges {
        reaches[from][to] = true;
    }
    for middle in 0..count {
        let onwards = reaches[middle].clone();
        for from in reaches.iter_mut().filter(|from| from[middle]) {
            from.iter_mut().zip(&onwards).for_each(|(known, &more)| *known |= more);
        }
    }
    let mut left: Vec<usize> = (0..count).collect();
    let mut groups = Vec::new();
    while let Some(&first) = left.iter().find(|&&each| {
        // Nothing that is left has to come before it, but what it is in a circle with.
        left.iter().all(|&other| !reaches[other][each] || reaches[each][other])
    }) {
        let own = |each: usize| each == first || (reaches[first][each] && reaches[each][first]);
        groups.push(left.iter().copied().filter(|&each| own(each)).collect());
        left.retain(|&each| !own(each));
    }
    groups
}

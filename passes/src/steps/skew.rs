//! `affine-loop-skew`: the inner of two loops begins later in each iteration of the outer one.
//!
//! Needs two `affine.for` loops that stand directly in each other. The inner loop counts
//! `j + factor * i` in place of `j`, which no dependence forbids; with `wavefront` that sum becomes
//! the outer loop, and iterations of one sum may be independent of each other. A dependence that leads to
//! a smaller sum forbids the wavefront. After Wolfe, "Loop skewing: the wavefront method revisited",
//! 1986.

use gpuc_diagnostics::Diagnostic;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Ir, Op};
use gpuc_presburger::Affine;

use super::legality::Legal;
use super::rebuild::rebuild;
use super::refusal::Refusal;
use super::schedule::{Row, Schedule};
use super::statements::Statements;
use super::{apart, free, on_outermost_loops};
use crate::analysis::nest::Nest;
use crate::analysis::nest::carried::Apart;

gpuc_ir::pass! {
    /// Skew the inner of two perfectly nested loops.
    AffineLoopSkew = "affine-loop-skew" on "func.func" {
        /// Whether variables that are mapped to the device are taken not to overlap.
        assume_apart: bool = false,
        /// By how much the inner loop begins later, from one iteration of the outer one to the next.
        factor: i64 = 1,
        /// Whether the skewed loop becomes the outer one.
        wavefront: bool = false,
    }
}

impl Pass for AffineLoopSkew {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let (factor, wavefront) = (self.factor, self.wavefront);
        let apart = apart(self.assume_apart);
        on_outermost_loops(ir, op, cx, |ir, nest, root| {
            skew(ir, nest, root, (factor, wavefront), apart)
        });
        Ok(())
    }
}

/// Skews the loop in `root`, and exchanges both if it is to be a wavefront; the new outermost loops.
///
/// # Errors
/// There are no two loops that stand directly in each other, or a dependence forbids the wavefront.
pub fn skew(
    ir: &mut Ir,
    nest: &Nest,
    root: Op,
    (factor, wavefront): (i64, bool),
    apart: Apart,
) -> Result<Vec<Op>, Refusal> {
    const STEP: &str = "affine-loop-skew";
    let graph = super::graph(ir, nest, STEP, &[root], apart)?;
    let statements = Statements::of(ir, STEP, &graph, &|op| free(ir, op))?;
    let inner = |index: usize| statements.list[index].loops.get(1);
    if statements.list.is_empty()
        || (0..statements.list.len()).any(|i| inner(i).is_none() || inner(i) != inner(0))
    {
        return Err(Refusal::new(STEP, root, "no loop stands directly in it"));
    }
    let schedule = schedule(statements.list.len(), factor, wavefront);
    let legal = Legal::prove(ir, STEP, &statements, &graph, schedule)?;
    rebuild(ir, STEP, legal)
}

/// Rows by which so many statements of two loops are skewed.
pub(super) fn schedule(count: usize, factor: i64, wavefront: bool) -> Schedule {
    let sum = Row(vec![Affine::dim(1) + Affine::dim(0) * factor; count]);
    Schedule(match wavefront {
        true => vec![sum],
        false => vec![Row::of_loops(&vec![0; count]), sum],
    })
}

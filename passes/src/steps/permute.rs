//! `affine-loop-permute`: another order of the loops of a perfect nest.
//!
//! Needs `affine.for` loops that stand directly in each other, of which only the innermost holds
//! statements, and that carry no values. Bounds may depend on outer variables: triangles become the
//! other triangles. A dependence whose vector would begin with `>` in the new order forbids it. After
//! Allen and Kennedy, "Optimizing Compilers for Modern Architectures", 2001, §5.2.

use gpuc_diagnostics::Diagnostic;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Ir, Op};

use super::legality::Legal;
use super::planned::permuted;
use super::rebuild::rebuild;
use super::refusal::Refusal;
use super::statements::Statements;
use super::{apart, free, on_outermost_loops};
use crate::analysis::nest::Nest;
use crate::analysis::nest::carried::Apart;

gpuc_ir::pass! {
    /// Permute the loops of perfect nests, where dependences allow it.
    AffineLoopPermute = "affine-loop-permute" on "func.func" {
        /// Whether variables that are mapped to the device are taken not to overlap.
        assume_apart: bool = false,
        /// The loops in their new order, 0 being the outermost.
        order: String = "1-0".to_owned(),
    }
}

impl Pass for AffineLoopPermute {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let order: Option<Vec<usize>> = self.order.split('-').map(|n| n.parse().ok()).collect();
        let mut sorted = order.clone().unwrap_or_default();
        sorted.sort_unstable();
        let Some(order) = order.filter(|_| sorted.iter().copied().eq(0..sorted.len())) else {
            return Err(Diagnostic::error(format!("'{}' is no order of loops", self.order))
                .help("write each loop once, the outermost being 0: order=1-0"));
        };
        let apart = apart(self.assume_apart);
        on_outermost_loops(ir, op, cx, |ir, nest, root| permute(ir, nest, root, &order, apart));
        Ok(())
    }
}

/// Puts the loops of the perfect nest that `root` begins into another order; the new outermost loops.
///
/// # Errors
/// The nest is no perfect one of so many loops, or a dependence forbids the order.
pub fn permute(
    ir: &mut Ir,
    nest: &Nest,
    root: Op,
    order: &[usize],
    apart: Apart,
) -> Result<Vec<Op>, Refusal> {
    const STEP: &str = "affine-loop-permute";
    let graph = super::graph(ir, nest, STEP, &[root], apart)?;
    let statements = Statements::of(ir, STEP, &graph, &|op| free(ir, op))?;
    let outer = |index: usize| statements.list[index].loops.get(..order.len());
    if statements.list.is_empty()
        || (0..statements.list.len()).any(|i| outer(i).is_none() || outer(i) != outer(0))
    {
        let rule = format!("it is not {} loops that stand directly in each other", order.len());
        return Err(Refusal::new(STEP, root, rule).way_round("distribute the outer loop first"));
    }
    let legal = Legal::prove(ir, STEP, &statements, &graph, permuted(&statements, order))?;
    rebuild(ir, STEP, legal)
}

//! `canonicalize`: folding, canonical patterns of every dialect, dead code.
//!
//! Needs nothing; leaves each operation in its canonical form, or, where the limit of rewrites is
//! reached, nearer to it. After MLIR's pass of the same name.

use gpuc_diagnostics::Diagnostic;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::rewrite::{GreedyConfig, PatternSet, apply_greedily};
use gpuc_ir::{Ir, Op};

use super::regions::simplify_regions;

gpuc_ir::pass! {
    /// Fold and canonicalize operations of every dialect, erase what is dead.
    Canonicalize = "canonicalize" {
        /// Rounds of rewriting and region simplification, at most.
        max_iterations: u32 = 10,
        /// Whether to erase unreachable blocks and unused block arguments.
        region_simplify: bool = true,
    }
}

impl Pass for Canonicalize {
    fn run(&mut self, ir: &mut Ir, op: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let patterns = PatternSet::canonicalization(ir);
        for _ in 0..self.max_iterations {
            // A result that is not final is still right; upstream goes on silently too.
            let rewritten = apply_greedily(ir, op, &patterns, GreedyConfig::default());
            let simplified = self.region_simplify && simplify_regions(ir, op);
            if !simplified || rewritten.is_err() {
                break;
            }
        }
        Ok(())
    }
}

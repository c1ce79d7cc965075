//! `simplify-index`: cheaper integer arithmetic by equality saturation.
//!
//! Needs nothing; works on operations of `arith` on `index` and integers of 8 to 64 bits, a
//! function at a time. Builds an e-graph of their terms (Willsey et al., "egg: fast and extensible
//! equality saturation", POPL 2021), grows it by the rules of [`super::algebra::rules`], and takes
//! the cheapest terms by the device's costs, each weighted by the loops it varies in. Leaves the
//! function as it is where nothing is cheaper than what is there. Values never change: arithmetic
//! wraps as before, and promises that it does not are dropped where it is rebuilt.
//!
//! Bounded by the number of operations in a graph, of terms and of rounds, never by time: the same
//! input gives the same output.

use std::time::Duration;

use egg::Runner;
use gpuc_arch::Arch;
use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::{gpu, ptr};
use gpuc_ir::dominance::DominanceInfo;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Ir, Op, OpView, WalkOrder};
use rustc_hash::FxHashSet;

use super::algebra::extract::Extractor;
use super::algebra::price::Prices;
use super::algebra::rebuild::{Rebuilder, Visibility};
use super::algebra::rules::rewrites;
use super::algebra::terms::{Terms, is_term};

gpuc_ir::pass! {
    /// Make integer and index arithmetic cheaper by equality saturation.
    SimplifyIndex = "simplify-index" {
        /// The device whose costs count (sm_90).
        arch: String = Arch::default_target().name.to_owned(),
        /// Whether to leave host functions as they are: what is computed once a launch is not worth a graph.
        kernels_only: bool = false,
        /// Operations in one graph, at most; larger functions are taken in pieces.
        operations: usize = 256,
        /// Terms in one graph, at most.
        nodes: usize = 6000,
        /// Rounds of rewriting, at most.
        iterations: usize = 8,
    }
}

impl Pass for SimplifyIndex {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let arch = Arch::by_name(&self.arch).ok_or_else(|| {
            Diagnostic::error(format!("simplify-index knows no device '{}'", self.arch))
        })?;
        let rules = rewrites();
        let dominance = cx.analysis::<DominanceInfo>(ir, op);
        let visibility = Visibility { dominance: &dominance };
        let mut changed = false;
        for function in ir.nested_ops(op, WalkOrder::PreOrder) {
            if ir.def(function).is_none_or(|def| def.hooks.function.is_none()) {
                continue;
            }
            if self.kernels_only && !gpu::is_in_kernel(ir, function) {
                continue;
            }
            let ops: Vec<Op> = ir
                .nested_ops(function, WalkOrder::PreOrder)
                .into_iter()
                .filter(|&op| is_term(ir, op))
                .collect();
            let addresses = only_for_addresses(ir, &ops);
            let ops: Vec<Op> = ops.into_iter().filter(|op| !addresses.contains(op)).collect();
            for piece in ops.chunks(self.operations.max(1)) {
                changed |= self.simplify(ir, piece, &rules, Prices::of(arch), &visibility);
            }
        }
        // Blocks and their terminators stay as they are.
        cx.preserve::<DominanceInfo>();
        if !changed {
            cx.preserve_all();
        }
        Ok(())
    }
}

/// The operations whose results go into nothing but addresses. `lower-accesses` has given those
/// their form: factors of a row, say, are kept together so that the assembler can fold them into
/// each sum.
fn only_for_addresses(ir: &Ir, ops: &[Op]) -> FxHashSet<Op> {
    let mut found = FxHashSet::default();
    for &op in ops.iter().rev() {
        let mut users = ir.results(op).iter().flat_map(|&result| ir.users(result)).peekable();
        let is_used = users.peek().is_some();
        if is_used && users.all(|user| ptr::PtrAddOp::is(ir, user) || found.contains(&user)) {
            found.insert(op);
        }
    }
    found
}

impl SimplifyIndex {
    fn simplify(
        &self,
        ir: &mut Ir,
        ops: &[Op],
        rules: &[egg::Rewrite<super::algebra::node::Node, super::algebra::facts::Known>],
        prices: Prices,
        visibility: &Visibility<'_>,
    ) -> bool {
        // An earlier piece may have left some dead, and erased them.
        let ops: Vec<Op> = ops.iter().copied().filter(|&op| !ir.is_erased(op)).collect();
        let mut terms = Terms::of(ir, &ops);
        if terms.ops.is_empty() {
            return false;
        }
        let before = terms.price(ir, prices);
        let runner = Runner::<_, _, ()>::new(terms.graph.analysis.clone())
            .with_egraph(std::mem::take(&mut terms.graph))
            .with_iter_limit(self.iterations)
            .with_node_limit(self.nodes)
            .with_time_limit(Duration::MAX)
            .run(rules);
        terms.graph = runner.egraph;
        let roots = terms.roots(ir);
        let extractor =
            Extractor { graph: &terms.graph, prices, depths: &terms.depths, roots: &roots };
        let (choice, after) = extractor.choose();
        after < before && Rebuilder::new(&terms, &choice, visibility).run(ir)
    }
}

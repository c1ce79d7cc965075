//! Passes that try one thing each, by the names that mlir-opt's have: `test-constant-fold` folds without patterns,
//! `test-pass-failure` fails, `test-interface-pass` says on which functions it runs,
//! `test-stats-pass` counts.

use gpuc_diagnostics::Diagnostic;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::rewrite::fold_each;
use gpuc_ir::{Ir, Op, WalkOrder};

gpuc_ir::pass! {
    /// Fold each operation once, and make one of equal constants.
    TestConstantFold = "test-constant-fold" {}
}

impl Pass for TestConstantFold {
    fn run(&mut self, ir: &mut Ir, op: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        fold_each(ir, op);
        Ok(())
    }
}

gpuc_ir::pass! {
    /// Fail, to see what comes of it.
    TestPassFailure = "test-pass-failure" titled "TestFailurePass" {}
}

impl Pass for TestPassFailure {
    fn run(&mut self, _: &mut Ir, _: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        Err(Diagnostic::error("test-pass-failure: the pass fails, as it should"))
    }
}

gpuc_ir::pass! {
    /// Say on which function the pass runs.
    TestInterfacePass = "test-interface-pass" on "func.func" {}
}

impl Pass for TestInterfacePass {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let place = ir.ctx.place(ir.location(op));
        cx.report(Diagnostic::remark("Executing interface pass on operation").at_option(place));
        Ok(())
    }
}

gpuc_ir::pass! {
    /// Count operations, twice.
    TestStatsPass = "test-stats-pass" titled "TestStatisticPass" {}
    counts {
        "num-ops": "Number of operations counted",
        "num-ops2": "Number of operations counted one more time",
    }
}

impl Pass for TestStatsPass {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let count = ir.nested_ops(op, WalkOrder::PreOrder).len();
        cx.count("num-ops", count);
        cx.count("num-ops2", count);
        cx.preserve_all();
        Ok(())
    }
}

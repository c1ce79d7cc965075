//! `scf-to-cf`: structured control flow becomes branches between blocks.
//!
//! Works in functions of every kind. Counting loops test at their end, behind a test whether they
//! run at all: one branch an iteration.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::{arith, cf, llvm, scf};
use gpuc_ir::op::Traits;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Block, Builder, Ir, Op, OpView, Region, Value, WalkOrder};

gpuc_ir::pass! {
    /// Turn structured control flow into branches.
    ScfToCf = "scf-to-cf" {
        /// Whether to leave host functions as they are: they are printed as C.
        kernels_only: bool = false,
    }
}

impl Pass for ScfToCf {
    fn run(&mut self, ir: &mut Ir, op: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        // Outer operations first: inner ones then stand in a region that may have many blocks.
        for inner in ir.nested_ops(op, WalkOrder::PreOrder) {
            if ir.is_erased(inner)
                || (self.kernels_only && !gpuc_dialects::gpu::is_in_device_code(ir, inner))
            {
                continue;
            }
            if !parent_takes_blocks(ir, inner) {
                continue;
            }
            if let Some(view) = scf::ForOp::cast(ir, inner) {
                lower_for(ir, view);
            } else if let Some(view) = scf::IfOp::cast(ir, inner) {
                lower_if(ir, view);
            } else if let Some(view) = scf::WhileOp::cast(ir, inner) {
                lower_while(ir, view);
            } else if let Some(view) = scf::IndexSwitchOp::cast(ir, inner) {
                lower_switch(ir, view);
            } else if let Some(view) = scf::ExecuteRegionOp::cast(ir, inner) {
                lower_execute_region(ir, view);
            }
        }
        Ok(())
    }
}

pub(super) fn parent_takes_blocks(ir: &Ir, op: Op) -> bool {
    ir.parent_op(op).is_some_and(|parent| !ir.has_trait(parent, Traits::SINGLE_BLOCK))
}

/// Splits the block behind `op`; the new block has an argument for each result of `op`, which takes
/// the result's place.
fn split_behind(ir: &mut Ir, op: Op) -> Block {
    let location = ir.location(op);
    let next = ir.next_op(op).expect("a structured operation is not the last of its block");
    let exit = ir.split_block(next, location);
    for result in ir.results(op).to_vec() {
        let argument = ir.add_argument(exit, ir.ty(result), location);
        ir.replace_all_uses(result, argument);
    }
    exit
}

/// Moves the blocks of a region to before `exit` and gives the first.
pub(super) fn splice(ir: &mut Ir, region: Region, exit: Block) -> Block {
    let target = ir.block_region(exit).expect("the exit is in a region");
    let blocks = ir.blocks(region).to_vec();
    for &block in &blocks {
        ir.detach_block(block);
        let at = ir.blocks(target).iter().position(|&b| b == exit).unwrap_or(0);
        ir.insert_block(target, at, block);
    }
    blocks[0]
}

/// Replaces the terminators of the yielding kind in a region by branches to `exit`.
pub(super) fn branch_out(ir: &mut Ir, region: Region, exit: Block) {
    for block in ir.blocks(region).to_vec() {
        let Some(end) = ir.last_op(block) else { continue };
        if scf::YieldOp::is(ir, end) {
            let values: Vec<Value> = ir.operands(end).collect();
            branch(ir, end, exit, &values);
        }
    }
}

/// Replaces a terminator by a branch.
pub(super) fn branch(ir: &mut Ir, end: Op, to: Block, values: &[Value]) {
    let mut b = Builder::before(ir, end);
    cf::BranchOp::new(&mut b, values).successor(to).build(&mut b);
    ir.erase_op(end);
}

pub(super) fn conditional(
    b: &mut Builder<'_>,
    condition: Value,
    (then, then_values): (Block, &[Value]),
    (other, other_values): (Block, &[Value]),
) -> Op {
    cf::CondBranchOp::new(b, condition, then_values, other_values)
        .successor(then)
        .successor(other)
        .build(b)
}

fn lower_for(ir: &mut Ir, view: scf::ForOp) {
    let op = view.op();
    let (lower, upper, step) = (view.lowerBound(ir), view.upperBound(ir), view.step(ir));
    let inits: Vec<Value> = view.initArgs(ir).to_vec();
    let annotation = ir.attr(op, llvm::LOOP_ANNOTATION);
    let location = ir.location(op);
    let region = ir.region(op, 0);
    let exit = split_behind(ir, op);
    let from = ir.parent_block(op).expect("the loop is in a block");
    let body = splice(ir, region, exit);

    let mut enter: Vec<Value> = vec![lower];
    enter.extend(&inits);
    let slt = arith::CmpIPredicate::Slt.attr(&mut ir.ctx);
    let mut b = Builder::before(ir, op);
    let runs =
        arith::CmpIOp::new(&mut b, lower, upper).attr(&mut b, "predicate", slt).value(&mut b);
    conditional(&mut b, runs, (body, &enter), (exit, &inits));
    debug_assert_eq!(ir.parent_block(op), Some(from));
    ir.erase_op(op);

    let end = ir.last_op(body).expect("the body ends with a yield");
    let yielded: Vec<Value> = ir.operands(end).collect();
    let iv = ir.arguments(body)[0];
    let mut b = Builder::before(ir, end);
    b.location = location;
    let next = arith::AddIOp::new(&mut b, iv, step).value(&mut b);
    let again =
        arith::CmpIOp::new(&mut b, next, upper).attr(&mut b, "predicate", slt).value(&mut b);
    let mut back: Vec<Value> = vec![next];
    back.extend(&yielded);
    let branch = conditional(&mut b, again, (body, &back), (exit, &yielded));
    if let Some(annotation) = annotation {
        ir.set_attr(branch, llvm::LOOP_ANNOTATION, annotation);
    }
    ir.erase_op(end);
}

fn lower_if(ir: &mut Ir, view: scf::IfOp) {
    let op = view.op();
    let condition = view.condition(ir);
    let (then_region, else_region) = (ir.region(op, 0), ir.region(op, 1));
    let exit = split_behind(ir, op);
    branch_out(ir, then_region, exit);
    branch_out(ir, else_region, exit);
    let then = splice(ir, then_region, exit);
    let other =
        if ir.blocks(else_region).is_empty() { exit } else { splice(ir, else_region, exit) };
    let mut b = Builder::before(ir, op);
    conditional(&mut b, condition, (then, &[]), (other, &[]));
    ir.erase_op(op);
}

fn lower_while(ir: &mut Ir, view: scf::WhileOp) {
    let op = view.op();
    let inits: Vec<Value> = view.inits(ir).to_vec();
    let (before_region, after_region) = (ir.region(op, 0), ir.region(op, 1));
    let exit = split_behind(ir, op);
    let before = splice(ir, before_region, exit);
    let after_blocks = ir.blocks(after_region).to_vec();
    branch_out(ir, after_region, before);
    let after = if after_blocks.is_empty() { exit } else { splice(ir, after_region, exit) };
    // The condition ends the block that `before` has become the start of.
    if let Some(end) = ir.last_op(before)
        && let Some(condition) = scf::ConditionOp::cast(ir, end)
    {
        let (flag, values) = (condition.condition(ir), condition.args(ir));
        let mut b = Builder::before(ir, end);
        conditional(&mut b, flag, (after, &values), (exit, &values));
        ir.erase_op(end);
    }
    let mut b = Builder::before(ir, op);
    cf::BranchOp::new(&mut b, &inits).successor(before).build(&mut b);
    ir.erase_op(op);
}

/// A chain of comparisons.
fn lower_switch(ir: &mut Ir, view: scf::IndexSwitchOp) {
    let op = view.op();
    let argument = view.arg(ir);
    let cases: Vec<i64> = view
        .cases(ir)
        .and_then(|attr| ir.ctx.dense_array(attr))
        .map(<[i64]>::to_vec)
        .unwrap_or_default();
    let location = ir.location(op);
    let regions = ir.regions(op).to_vec();
    let exit = split_behind(ir, op);
    let mut entries = Vec::new();
    for &region in &regions {
        branch_out(ir, region, exit);
        entries.push(splice(ir, region, exit));
    }
    let target = ir.block_region(exit).expect("the exit is in a region");
    let eq = arith::CmpIPredicate::Eq.attr(&mut ir.ctx);
    let mut b = Builder::before(ir, op);
    for (&case, &entry) in cases.iter().zip(&entries[1..]) {
        let value = arith::constant_index(&mut b, case);
        let hit =
            arith::CmpIOp::new(&mut b, argument, value).attr(&mut b, "predicate", eq).value(&mut b);
        let next = b.create_block(&[], location);
        let at = b.blocks(target).iter().position(|&block| block == entries[0]).unwrap_or(0);
        b.insert_block(target, at, next);
        conditional(&mut b, hit, (entry, &[]), (next, &[]));
        b.set_point(gpuc_ir::InsertPoint::End(next));
    }
    cf::BranchOp::new(&mut b, &[]).successor(entries[0]).build(&mut b);
    ir.erase_op(op);
}

pub(super) fn lower_execute_region(ir: &mut Ir, view: scf::ExecuteRegionOp) {
    let op = view.op();
    let region = ir.region(op, 0);
    let exit = split_behind(ir, op);
    branch_out(ir, region, exit);
    let entry = splice(ir, region, exit);
    let mut b = Builder::before(ir, op);
    cf::BranchOp::new(&mut b, &[]).successor(entry).build(&mut b);
    ir.erase_op(op);
}

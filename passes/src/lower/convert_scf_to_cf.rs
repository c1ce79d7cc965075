//! `convert-scf-to-cf`: structured control flow becomes branches, in the form that MLIR's pass of the same
//! name gives it.
//!
//! Needs nothing. A loop tests in a block of its own, in front of its body; parallel loops are loops in each
//! other. [`scf_to_cf`](super::scf_to_cf), which the compiler runs, tests behind the body instead. Where
//! upstream casts the value of an `scf.index_switch` to 32 bits, so that 2³² + 2 goes to case 2, ours
//! takes all 64.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::{arith, cf, llvm, scf};
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Block, Builder, Ir, Op, OpView, Value, ValueMap, WalkOrder};

use super::scf_to_cf::{
    branch, branch_out, conditional, lower_execute_region, parent_takes_blocks, splice,
};

gpuc_ir::pass! {
    /// Turn structured control flow into branches, as upstream does.
    ConvertScfToCf = "convert-scf-to-cf" {}
}

impl Pass for ConvertScfToCf {
    fn run(&mut self, ir: &mut Ir, op: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        // Outer operations first: inner ones then stand in a region that may have many blocks.
        for inner in ir.nested_ops(op, WalkOrder::PreOrder) {
            if ir.is_erased(inner) || !parent_takes_blocks(ir, inner) {
                continue;
            }
            if let Some(view) = scf::ForOp::cast(ir, inner) {
                lower_for(ir, view);
            } else if let Some(view) = scf::ParallelOp::cast(ir, inner) {
                lower_parallel(ir, view);
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

/// Splits the block behind `op`; the new block.
fn split(ir: &mut Ir, op: Op) -> Block {
    let location = ir.location(op);
    let next = ir.next_op(op).expect("a structured operation is not the last of its block");
    ir.split_block(next, location)
}

/// Lets users of the results of `op` use other values.
fn replace_results(ir: &mut Ir, op: Op, values: &[Value]) {
    for (result, &value) in ir.results(op).to_vec().into_iter().zip(values) {
        ir.replace_all_uses(result, value);
    }
}

/// Behind the block of `op`, in front of `exit`: a block that receives the results of `op` and goes on to
/// `exit`; `exit` itself where there are none.
fn receiver(ir: &mut Ir, op: Op, exit: Block) -> Block {
    let types: Vec<_> = ir.result_types(op).collect();
    if types.is_empty() {
        return exit;
    }
    let location = ir.location(op);
    let block = ir.create_block(&types, location);
    let region = ir.block_region(exit).expect("the exit is in a region");
    let at = ir.blocks(region).iter().position(|&each| each == exit).unwrap_or(0);
    ir.insert_block(region, at, block);
    let arguments = ir.arguments(block).to_vec();
    replace_results(ir, op, &arguments);
    let mut b = Builder::at_end(ir, block, location);
    cf::BranchOp::new(&mut b, &[]).successor(exit).build(&mut b);
    block
}

fn lower_for(ir: &mut Ir, view: scf::ForOp) {
    let op = view.op();
    let (lower, upper, step) = (view.lowerBound(ir), view.upperBound(ir), view.step(ir));
    let inits: Vec<Value> = view.initArgs(ir).to_vec();
    let annotation = ir.attr(op, llvm::LOOP_ANNOTATION);
    let location = ir.location(op);
    let region = ir.region(op, 0);
    let exit = split(ir, op);
    // The block with the arguments keeps them, and the test; the operations go to one behind it.
    let test = splice(ir, region, exit);
    let Some(first) = ir.first_op(test) else { return };
    let body = ir.split_block(first, location);
    let arguments = ir.arguments(test).to_vec();

    let Some(end) = ir.last_op(body) else { return };
    let yielded: Vec<Value> = ir.operands(end).collect();
    let mut b = Builder::before(ir, end);
    b.location = location;
    let mut back = vec![arith::AddIOp::new(&mut b, arguments[0], step).value(&mut b)];
    back.extend(yielded);
    branch(ir, end, test, &back);

    let slt = arith::CmpIPredicate::Slt.attr(&mut ir.ctx);
    let mut b = Builder::at_end(ir, test, location);
    let runs = arith::CmpIOp::new(&mut b, arguments[0], upper)
        .attr(&mut b, "predicate", slt)
        .value(&mut b);
    let end = conditional(&mut b, runs, (body, &[]), (exit, &[]));
    if let Some(annotation) = annotation {
        ir.set_attr(end, llvm::LOOP_ANNOTATION, annotation);
    }
    replace_results(ir, op, &arguments[1..]);
    let mut enter = vec![lower];
    enter.extend(inits);
    branch(ir, op, test, &enter);
}

/// Writes a parallel loop as loops in each other, which carry what it combines.
fn lower_parallel(ir: &mut Ir, view: scf::ParallelOp) {
    let op = view.op();
    let (lower, upper, step) =
        (view.lowerBound(ir).to_vec(), view.upperBound(ir).to_vec(), view.step(ir).to_vec());
    let body = view.body(ir);
    let variables = ir.arguments(body).to_vec();
    let mut carried: Vec<Value> = view.initVals(ir).to_vec();
    let types: Vec<_> = carried.iter().map(|&init| ir.ty(init)).collect();
    let location = ir.location(op);
    // One empty loop in the other, each yielding what the one inside leaves.
    let mut loops: Vec<Op> = Vec::new();
    for dimension in 0..variables.len() {
        let mut b = match loops.last() {
            Some(&outer) => {
                let inside = ir.body(outer, 0);
                Builder::at_end(ir, inside, location)
            }
            None => Builder::before(ir, op),
        };
        let mut arguments = vec![b.ctx.index()];
        arguments.extend(&types);
        let region = b.region(&arguments, |_, _| {});
        let made =
            scf::ForOp::new(&mut b, lower[dimension], upper[dimension], step[dimension], &carried)
                .result_group(&types)
                .region(region)
                .build(&mut b);
        if let Some(&outer) = loops.last() {
            let inside = ir.body(outer, 0);
            let results = ir.results(made).to_vec();
            let mut b = Builder::at_end(ir, inside, location);
            scf::YieldOp::new(&mut b, &results).build(&mut b);
        }
        let inside = ir.body(made, 0);
        let arguments = ir.arguments(inside).to_vec();
        ir.replace_all_uses(variables[dimension], arguments[0]);
        carried = arguments[1..].to_vec();
        loops.push(made);
    }
    let Some((&outermost, &innermost)) = loops.first().zip(loops.last()) else { return };
    let inside = ir.body(innermost, 0);
    let reduce = view.reduce_op(ir).op();
    for inner in ir.ops(body).collect::<Vec<_>>() {
        if inner != reduce {
            ir.move_to_end(inside, inner);
        }
    }
    let contributed: Vec<Value> = ir.operands(reduce).collect();
    let mut left = Vec::new();
    for (index, region) in ir.regions(reduce).to_vec().into_iter().enumerate() {
        let Some(combiner) = ir.entry_block(region) else { continue };
        let mut map = ValueMap::new();
        for (&argument, value) in
            ir.arguments(combiner).iter().zip([carried[index], contributed[index]])
        {
            map.insert(argument, value);
        }
        let ops: Vec<Op> = ir.ops(combiner).collect();
        let mut b = Builder::at_end(ir, inside, location);
        for inner in ops {
            if scf::ReduceReturnOp::is(&b, inner) {
                left.push(map.get(b.operand(inner, 0)));
            } else {
                let copy = b.clone_op(inner, &mut map);
                b.insert(copy);
            }
        }
    }
    let mut b = Builder::at_end(ir, inside, location);
    scf::YieldOp::new(&mut b, &left).build(&mut b);
    let results = ir.results(outermost).to_vec();
    ir.replace_op(op, &results);
    for made in loops {
        lower_for(ir, scf::ForOp(made));
    }
}

fn lower_if(ir: &mut Ir, view: scf::IfOp) {
    let op = view.op();
    let condition = view.condition(ir);
    let (then_region, else_region) = (ir.region(op, 0), ir.region(op, 1));
    let exit = split(ir, op);
    let exit = receiver(ir, op, exit);
    branch_out(ir, then_region, exit);
    branch_out(ir, else_region, exit);
    let then = splice(ir, then_region, exit);
    let other = match ir.blocks(else_region).is_empty() {
        true => exit,
        false => splice(ir, else_region, exit),
    };
    let mut b = Builder::before(ir, op);
    conditional(&mut b, condition, (then, &[]), (other, &[]));
    ir.erase_op(op);
}

fn lower_while(ir: &mut Ir, view: scf::WhileOp) {
    let op = view.op();
    let inits: Vec<Value> = view.inits(ir).to_vec();
    let (before_region, after_region) = (ir.region(op, 0), ir.region(op, 1));
    let hands_on = ir.entry_block(after_region).is_some_and(|block| {
        let end = ir.first_op(block).filter(|&end| scf::YieldOp::is(ir, end));
        end.is_some_and(|end| ir.operands(end).eq(ir.arguments(block).iter().copied()))
    });
    let exit = split(ir, op);
    let before = splice(ir, before_region, exit);
    // A body that only hands on what it was given needs no block.
    let after = match hands_on {
        true => before,
        false => {
            branch_out(ir, after_region, before);
            splice(ir, after_region, exit)
        }
    };
    if let Some(end) = ir.last_op(before)
        && let Some(condition) = scf::ConditionOp::cast(ir, end)
    {
        let (flag, values) = (condition.condition(ir), condition.args(ir));
        let mut b = Builder::before(ir, end);
        conditional(&mut b, flag, (after, &values), (exit, &[]));
        replace_results(ir, op, &values);
        ir.erase_op(end);
    }
    branch(ir, op, before, &inits);
}

fn lower_switch(ir: &mut Ir, view: scf::IndexSwitchOp) {
    let op = view.op();
    let argument = view.arg(ir);
    let cases: Vec<i64> = view
        .cases(ir)
        .and_then(|attr| ir.ctx.dense_array(attr))
        .map(<[i64]>::to_vec)
        .unwrap_or_default();
    let regions = ir.regions(op).to_vec();
    let exit = split(ir, op);
    let location = ir.location(op);
    for result in ir.results(op).to_vec() {
        let argument = ir.add_argument(exit, ir.ty(result), location);
        ir.replace_all_uses(result, argument);
    }
    let entry = |ir: &mut Ir, region| {
        branch_out(ir, region, exit);
        splice(ir, region, exit)
    };
    let targets: Vec<Block> = regions[1..].iter().map(|&region| entry(ir, region)).collect();
    let default = entry(ir, regions[0]);
    let mut b = Builder::before(ir, op);
    let i64 = b.ctx.i64();
    let flag = arith::IndexCastOp::new(&mut b, argument).result(i64).value(&mut b);
    cf::SwitchOp::create(&mut b, flag, default, &cases, &targets);
    ir.erase_op(op);
}

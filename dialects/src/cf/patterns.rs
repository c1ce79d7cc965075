//! Canonicalisation of branches.

use gpuc_ir::rewrite::{Pattern, Rewriter};
use gpuc_ir::{Block, Ir, Op, OpView, Value};

use super::{AssertOp, BranchOp, CondBranchOp, SwitchOp};
use crate::arith::fold::from_elements;
use crate::arith::{Number, SelectOp, constant_bool, constant_int_value};
use crate::llvm::LOOP_ANNOTATION;

pub(super) const ASSERT: &[Pattern] = &[Pattern { name: "assert-truth", apply: drop_assertion }];

pub(super) const BRANCH: &[Pattern] = &[
    Pattern { name: "branch-to-own-block", apply: merge_successor },
    Pattern { name: "branch-through", apply: skip_passed },
];

pub(super) const COND_BRANCH: &[Pattern] = &[
    Pattern { name: "cond-branch-known", apply: take_known_branch },
    Pattern { name: "cond-branch-through", apply: skip_passed },
    Pattern { name: "cond-branch-same-block", apply: join_branches },
    Pattern { name: "cond-branch-known-behind", apply: propagate_condition },
];

pub(super) const SWITCH: &[Pattern] = &[
    Pattern { name: "switch-known", apply: take_known_case },
    Pattern { name: "switch-through", apply: skip_passed },
    Pattern { name: "switch-default-cases", apply: drop_default_cases },
];

fn drop_assertion(rw: &mut Rewriter<'_>, op: Op) -> bool {
    let known = constant_int_value(rw, AssertOp(op).arg(rw)).is_some_and(|value| value != 0);
    if known {
        rw.erase(op);
    }
    known
}

fn is_entry(ir: &Ir, block: Block) -> bool {
    ir.block_region(block).is_none_or(|region| ir.entry_block(region) == Some(block))
}

/// The values a terminator hands to successor `index`.
fn handed(ir: &Ir, op: Op, index: usize) -> Vec<Value> {
    let operands = ir.def(op).and_then(|def| def.hooks.successor_operands);
    operands.map_or(0..0, |operands| operands(ir, op, index)).map(|i| ir.operand(op, i)).collect()
}

fn branch_instead(rw: &mut Rewriter<'_>, op: Op, index: usize) {
    let (block, values) = (rw.successors(op)[index], handed(rw, op, index));
    let mut b = rw.before(op);
    BranchOp::new(&mut b, &values).successor(block).build(&mut b);
    rw.erase(op);
}

/// A block that only this branch leads to is part of this block.
fn merge_successor(rw: &mut Rewriter<'_>, op: Op) -> bool {
    let dest = rw.successors(op)[0];
    let Some(block) = rw.parent_block(op) else { return false };
    if dest == block || is_entry(rw, dest) || rw.ways_to(dest) != 1 {
        return false;
    }
    let values = handed(rw, op, 0);
    let arguments = rw.arguments(dest).to_vec();
    for (&argument, &value) in arguments.iter().zip(&values) {
        rw.replace_uses(argument, value);
    }
    rw.erase(op);
    rw.splice_ops(dest, block);
    rw.erase_block(dest);
    if let Some(end) = rw.last_op(block) {
        rw.changed(end);
    }
    true
}

/// Where a block does nothing but branch on, its target and what that is handed, given what the
/// block itself is handed.
fn beyond(ir: &Ir, block: Block, values: &[Value]) -> Option<(Block, Vec<Value>)> {
    let only = ir.first_op(block).filter(|&op| ir.next_op(op).is_none() && BranchOp::is(ir, op))?;
    let dest = ir.successors(only)[0];
    let arguments = ir.arguments(block);
    // The block's own arguments must not be needed elsewhere.
    let local = arguments.iter().all(|&argument| ir.users(argument).all(|user| user == only));
    if dest == block || !local || arguments.len() != values.len() {
        return None;
    }
    let passed = ir.operands(only).map(|value| {
        arguments.iter().position(|&argument| argument == value).map_or(value, |i| values[i])
    });
    Some((dest, passed.collect()))
}

/// The end of the way through blocks that only branch on; `None` if there is no such block, or no
/// end.
fn destination(ir: &Ir, block: Block, values: &[Value]) -> Option<(Block, Vec<Value>)> {
    let mut passed = vec![block];
    let mut at = beyond(ir, block, values)?;
    loop {
        if passed.contains(&at.0) {
            return None;
        }
        passed.push(at.0);
        match beyond(ir, at.0, &at.1) {
            Some(next) => at = next,
            None => return Some(at),
        }
    }
}

/// Branches past blocks that only branch on.
fn skip_passed(rw: &mut Rewriter<'_>, op: Op) -> bool {
    let mut changed = false;
    let mut targets = Vec::new();
    for (i, block) in rw.successors(op).to_vec().into_iter().enumerate() {
        let values = handed(rw, op, i);
        let end = destination(rw, block, &values);
        changed |= end.is_some();
        targets.push(end.unwrap_or((block, values)));
    }
    if !changed {
        return false;
    }
    let annotation = rw.attr(op, LOOP_ANNOTATION);
    let mut b = rw.before(op);
    let build = if let Some(cond) = CondBranchOp::cast(&b, op) {
        let condition = cond.condition(&b);
        CondBranchOp::new(&mut b, condition, &targets[0].1, &targets[1].1)
    } else if let Some(switch) = SwitchOp::cast(&b, op) {
        let (flag, values) = (switch.flag(&b), switch.case_values(&b));
        let counts: Vec<i32> = targets[1..].iter().map(|target| target.1.len() as i32).collect();
        let rest: Vec<_> = targets[1..].iter().flat_map(|target| target.1.clone()).collect();
        let counts = b.ctx.i32_array_attr(&counts);
        let build = SwitchOp::new(&mut b, flag, &targets[0].1, &rest);
        let build = build.attr(&mut b, "case_operand_segments", counts);
        build.attr_option(&mut b, "case_values", values)
    } else {
        BranchOp::new(&mut b, &targets[0].1)
    };
    // What is asked of the loop that a branch closes is asked of it still.
    let build = build.attr_option(&mut b, LOOP_ANNOTATION, annotation);
    targets.iter().fold(build, |build, target| build.successor(target.0)).build(&mut b);
    rw.erase(op);
    true
}

fn take_known_branch(rw: &mut Rewriter<'_>, op: Op) -> bool {
    let Some(condition) = constant_int_value(rw, CondBranchOp(op).condition(rw)) else {
        return false;
    };
    branch_instead(rw, op, usize::from(condition == 0));
    true
}

/// Both ways to one block are one way, with selected values.
fn join_branches(rw: &mut Rewriter<'_>, op: Op) -> bool {
    let &[block, other] = rw.successors(op) else { return false };
    if block != other {
        return false;
    }
    let condition = CondBranchOp(op).condition(rw);
    let (yes, no) = (handed(rw, op, 0), handed(rw, op, 1));
    // Selecting costs more than branching where others come to the block too.
    if yes != no && rw.ways_to(block) != 2 {
        return false;
    }
    let mut b = rw.before(op);
    let mut values = Vec::with_capacity(yes.len());
    for (yes, no) in yes.into_iter().zip(no) {
        values.push(if yes == no {
            yes
        } else {
            SelectOp::new(&mut b, condition, yes, no).value(&mut b)
        });
    }
    BranchOp::new(&mut b, &values).successor(block).build(&mut b);
    rw.erase(op);
    true
}

/// In a block that only one way leads to, the condition of that way is known.
fn propagate_condition(rw: &mut Rewriter<'_>, op: Op) -> bool {
    let condition = CondBranchOp(op).condition(rw);
    let blocks = rw.successors(op).to_vec();
    let mut changed = false;
    for (block, value) in blocks.into_iter().zip([true, false]) {
        if is_entry(rw, block) || rw.ways_to(block) != 1 {
            continue;
        }
        let inside: Vec<_> = rw
            .uses(condition)
            .filter(|&slot| rw.ancestor_in_block(rw.use_owner(slot), block).is_some())
            .collect();
        if inside.is_empty() {
            continue;
        }
        let known = constant_bool(&mut rw.before(op), value);
        for slot in inside {
            let (owner, index) = (rw.use_owner(slot), rw.use_index(slot));
            rw.set_operand(owner, index, known);
        }
        changed = true;
    }
    changed
}

fn take_known_case(rw: &mut Rewriter<'_>, op: Op) -> bool {
    let view = SwitchOp(op);
    let cases = view.case_numbers(rw);
    let flag = constant_int_value(rw, view.flag(rw));
    let taken = match flag {
        Some(flag) => cases.iter().position(|&case| i128::from(case) == flag).map_or(0, |i| i + 1),
        None if cases.is_empty() => 0,
        None => return false,
    };
    branch_instead(rw, op, taken);
    true
}

/// Cases that do what the default does need not be told apart.
fn drop_default_cases(rw: &mut Rewriter<'_>, op: Op) -> bool {
    let view = SwitchOp(op);
    let successors = rw.successors(op).to_vec();
    let default = (successors[0], handed(rw, op, 0));
    let (mut cases, mut targets) = (Vec::new(), Vec::new());
    for (i, case) in view.case_numbers(rw).into_iter().enumerate() {
        let Some(&block) = successors.get(i + 1) else { return false };
        let target = (block, handed(rw, op, i + 1));
        if target != default {
            cases.push(Number::Int(case.into()));
            targets.push(target);
        }
    }
    if targets.len() + 1 == successors.len() {
        return false;
    }
    let flag = view.flag(rw);
    let ty = rw.ty(flag);
    let values = match cases.len() {
        0 => None,
        count => {
            let ty = rw.ctx.vector(&[count as i64], ty);
            from_elements(&mut rw.ctx, &cases, ty)
        }
    };
    let counts: Vec<i32> = targets.iter().map(|target| target.1.len() as i32).collect();
    let counts = rw.ctx.i32_array_attr(&counts);
    let rest: Vec<_> = targets.iter().flat_map(|target| target.1.clone()).collect();
    let mut b = rw.before(op);
    let build = SwitchOp::new(&mut b, flag, &default.1, &rest).successor(default.0);
    let build = build.attr(&mut b, "case_operand_segments", counts);
    let build = build.attr_option(&mut b, "case_values", values);
    targets.iter().fold(build, |build, target| build.successor(target.0)).build(&mut b);
    rw.erase(op);
    true
}

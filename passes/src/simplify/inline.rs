//! `inline`: replaces calls by the bodies of what they call.
//!
//! Works on every call and function through their interfaces. A call is inlined where the callee is
//! defined in the same module and is not being inlined already (recursion stays a call). A callee
//! of one block goes anywhere; one of several blocks only where the call's region may have several.
//! Callees come before callers, so that each body is final when it is copied. After MLIR's pass of
//! the same name, which decides likewise but through a call graph's strongly connected components.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::cf;
use gpuc_ir::op::Traits;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Ir, LocationKind, Op, Region, Value, ValueMap, WalkOrder};
use rustc_hash::FxHashSet;

gpuc_ir::pass! {
    /// Inline calls.
    Inline = "inline" {}
}

impl Pass for Inline {
    fn run(&mut self, ir: &mut Ir, op: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let mut done = FxHashSet::default();
        for function in callees_first(ir, op) {
            for call in ir.nested_ops(function, WalkOrder::PostOrder) {
                if let Some(callee) = callee(ir, call)
                    && (done.contains(&callee) || !ir.is_inside(callee, op))
                {
                    inline_call(ir, call, callee);
                }
            }
            // Calls of functions on a cycle with this one find it not done yet, and stay.
            done.insert(function);
        }
        Ok(())
    }
}

fn is_function(ir: &Ir, op: Op) -> bool {
    ir.def(op).is_some_and(|def| def.hooks.function.is_some())
}

/// The functions inside `root`, each behind those it calls as far as recursion allows.
fn callees_first(ir: &Ir, root: Op) -> Vec<Op> {
    let mut order = Vec::new();
    let mut seen = FxHashSet::default();
    for function in ir.nested_ops(root, WalkOrder::PreOrder) {
        // An explicit stack: chains of calls may be thousands of functions long.
        let mut stack = vec![(function, false)];
        while let Some((function, done)) = stack.pop() {
            if done {
                order.push(function);
            } else if is_function(ir, function) && seen.insert(function) {
                stack.push((function, true));
                let calls = ir.nested_ops(function, WalkOrder::PostOrder);
                let callees = calls.into_iter().filter_map(|call| callee(ir, call));
                let inside = callees.filter(|&callee| ir.is_inside(callee, root));
                stack.extend(inside.map(|callee| (callee, false)));
            }
        }
    }
    order
}

/// The function that a call calls, if it is here with its body.
fn callee(ir: &Ir, call: Op) -> Option<Op> {
    let interface = ir.def(call)?.hooks.call?;
    let symbol = (interface.callee)(ir, call)?;
    let callee = ir.lookup_symbol(call, symbol)?;
    let body = *ir.regions(callee).first()?;
    (is_function(ir, callee) && !ir.blocks(body).is_empty()).then_some(callee)
}

/// Replaces `call` by the body of `callee`. Returns whether it could.
pub fn inline_call(ir: &mut Ir, call: Op, callee: Op) -> bool {
    let Some(interface) = ir.def(call).and_then(|def| def.hooks.call) else { return false };
    let body = ir.region(callee, 0);
    if ir.attr(call, "no_inline").is_some() || ir.attr(callee, "no_inline").is_some() {
        return false;
    }
    // Ways out other than returning do not fit the call.
    let returns = ir.blocks(body).iter().all(|&block| {
        ir.last_op(block).is_some_and(|last| {
            let returning = ir.has_trait(last, Traits::RETURN_LIKE)
                && ir.operand_count(last) == ir.results(call).len();
            returning || !ir.successors(last).is_empty()
        })
    });
    let barred = ir
        .nested_ops(callee, WalkOrder::PreOrder)
        .into_iter()
        .any(|op| ir.has_trait(op, Traits::NOT_INLINABLE));
    let several = ir.blocks(body).len() > 1;
    let fits = !several || parent_takes_blocks(ir, call);
    let Some(entry) = ir.entry_block(body) else { return false };
    let arguments: Vec<Value> =
        (interface.arguments)(ir, call).map(|index| ir.operand(call, index)).collect();
    if barred || !returns || !fits || arguments.len() != ir.arguments(entry).len() {
        return false;
    }
    let mut map = ValueMap::new();
    for (&parameter, &argument) in ir.arguments(entry).to_vec().iter().zip(&arguments) {
        map.insert(parameter, argument);
    }
    if several {
        inline_blocks(ir, call, body, map)
    } else {
        inline_block(ir, call, body, map)
    }
    true
}

/// Whether the region of `call` may have several blocks.
fn parent_takes_blocks(ir: &Ir, call: Op) -> bool {
    ir.parent_op(call).is_some_and(|parent| !ir.has_trait(parent, Traits::SINGLE_BLOCK))
}

fn inline_block(ir: &mut Ir, call: Op, body: Region, mut map: ValueMap) {
    let entry = ir.blocks(body)[0];
    let ops: Vec<Op> = ir.ops(entry).collect();
    let Some((&last, inner)) = ops.split_last() else { return };
    for &op in inner {
        let copy = ir.clone_op(op, &mut map);
        ir.insert_before(call, copy);
        locate(ir, copy, call);
    }
    let results: Vec<Value> = ir.operands(last).map(|value| map.get(value)).collect();
    ir.replace_op(call, &results);
}

/// Splits the call's block: what follows the call becomes a block whose arguments are the call's
/// results, and every return of the copy branches there.
fn inline_blocks(ir: &mut Ir, call: Op, body: Region, mut map: ValueMap) {
    let block = ir.parent_block(call).expect("a call is in a block");
    let region = ir.block_region(block).expect("a block is in a region");
    let location = ir.location(call);
    let rest = ir.split_block(call, location);
    for (i, result) in ir.results(call).to_vec().into_iter().enumerate() {
        let argument = ir.add_argument(rest, ir.ty(result), location);
        debug_assert_eq!(ir.arguments(rest)[i], argument);
        ir.replace_all_uses(result, argument);
    }
    let copied = ir.create_region();
    let entry_arguments: Vec<Value> = {
        let entry = ir.blocks(body)[0];
        ir.arguments(entry).iter().map(|&value| map.get(value)).collect()
    };
    ir.clone_region_into(body, copied, &mut map);
    let copies = ir.blocks(copied).to_vec();
    for &copy in &copies {
        for op in ir.ops(copy).collect::<Vec<_>>() {
            locate(ir, op, call);
        }
        let Some(last) = ir.last_op(copy) else { continue };
        if ir.has_trait(last, Traits::RETURN_LIKE) {
            let values: Vec<Value> = ir.operands(last).collect();
            ir.erase_op(last);
            let mut b = gpuc_ir::Builder::at_end(ir, copy, location);
            cf::BranchOp::new(&mut b, &values).successor(rest).build(&mut b);
        }
    }
    let first = ir.blocks(region).iter().position(|&b| b == rest).unwrap_or(0);
    for (i, &copy) in copies.iter().enumerate() {
        ir.detach_block(copy);
        ir.insert_block(region, first + i, copy);
    }
    ir.erase_op(call);
    let mut b = gpuc_ir::Builder::at_end(ir, block, location);
    cf::BranchOp::new(&mut b, &entry_arguments).successor(copies[0]).build(&mut b);
}

/// Gives `op` and what is inside a location that tells callee and call.
fn locate(ir: &mut Ir, op: Op, call: Op) {
    let caller = ir.location(call);
    for inner in ir.nested_ops(op, WalkOrder::PreOrder) {
        let callee = ir.location(inner);
        let location = ir.ctx.add_location(LocationKind::CallSite { callee, caller });
        ir.set_location(inner, location);
    }
}

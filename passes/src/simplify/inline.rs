//! `inline`: replaces calls by the bodies of what they call.
//!
//! Works on every call and function through their interfaces. A call is inlined where the callee is
//! defined in the same module and is not being inlined already (recursion stays a call). A callee
//! of one block goes anywhere; one of several blocks only where the call's region may have several.
//! Callees come before callers, so that each body is final when it is copied; functions that call each
//! other come in order of the text, and one that calls itself is inlined nowhere. After MLIR's pass of the
//! same name; private functions that are not referred to any more are erased. Of its `default-pipeline` only
//! `canonicalize`, which is the default, and nothing can be asked for.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::cf;
use gpuc_ir::op::Traits;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Ir, LocationKind, Op, Region, Value, ValueMap, WalkOrder};
use rustc_hash::{FxHashMap, FxHashSet};

use super::canonicalize::Canonicalize;
use super::symbol_dce::erase_unused;

gpuc_ir::pass! {
    /// Inline calls.
    Inline = "inline" {
        /// What every function is put through first: `canonicalize`, or nothing.
        default_pipeline: String = "canonicalize".to_owned(),
        /// Operations of the callee for 100 of the caller, at most; the greatest number is no limit.
        inlining_threshold: u32 = u32::MAX,
        /// Rounds, at most; one is enough, since callees come first.
        max_iterations: u32 = 4,
        /// Pipelines for kinds of functions; there are none but the default.
        op_pipelines: Vec<String> = Vec::new(),
    }
}

impl Pass for Inline {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        // An empty text may stand in quotes.
        let canonicalizes = match self.default_pipeline.trim_matches(['\'', '"']) {
            "" => false,
            "canonicalize" => true,
            other => {
                return Err(Diagnostic::error(format!(
                    "inline: '{other}' cannot be run on functions that are inlined; \
                     'canonicalize' and nothing can"
                )));
            }
        };
        if let Some(pipeline) = self.op_pipelines.first() {
            return Err(Diagnostic::error(format!(
                "inline: '{pipeline}' cannot be run on one kind of function"
            )));
        }
        if self.max_iterations == 0 {
            return Ok(());
        }
        // First of all: calls may come of it.
        if canonicalizes {
            for function in ir.nested_ops(op, WalkOrder::PreOrder) {
                if is_function(ir, function) {
                    Canonicalize::default().run(ir, function, cx)?;
                }
            }
        }
        let mut done = FxHashSet::default();
        let (functions, recursive) = callees_first(ir, op);
        for function in functions {
            for call in ir.nested_ops(function, WalkOrder::PostOrder) {
                if let Some(callee) = callee(ir, call)
                    && (done.contains(&callee) || !ir.is_inside(callee, op))
                    && !recursive.contains(&callee)
                    && self.is_small(ir, callee, function)
                {
                    inline_call(ir, call, callee);
                }
            }
            // Calls of functions on a cycle with this one find it not done yet, and stay.
            done.insert(function);
        }
        // As upstream: private functions that nothing refers to any more go, called or not.
        while erase_unused(ir, op, is_function) {}
        Ok(())
    }
}

impl Inline {
    /// Whether a callee is small enough beside its caller.
    fn is_small(&self, ir: &Ir, callee: Op, caller: Op) -> bool {
        let count = |op: Op| -> u64 {
            let blocks = ir.regions(op).first().map_or(&[][..], |&region| ir.blocks(region));
            blocks.iter().map(|&block| ir.ops(block).count() as u64).sum()
        };
        let of_caller = count(caller);
        self.inlining_threshold == u32::MAX
            || of_caller == 0
            || count(callee) * 100 / of_caller <= u64::from(self.inlining_threshold)
    }
}

fn is_function(ir: &Ir, op: Op) -> bool {
    ir.def(op).is_some_and(|def| def.hooks.function.is_some())
}

/// The functions inside `root`, each behind those it calls; those that call each other in order of the text.
/// And those that call themselves.
fn callees_first(ir: &Ir, root: Op) -> (Vec<Op>, FxHashSet<Op>) {
    let functions: Vec<Op> = ir
        .nested_ops(root, WalkOrder::PreOrder)
        .into_iter()
        .filter(|&op| is_function(ir, op))
        .collect();
    let number: FxHashMap<Op, usize> =
        functions.iter().enumerate().map(|(i, &function)| (function, i)).collect();
    let callees: Vec<Vec<usize>> = functions
        .iter()
        .map(|&function| {
            let calls = ir.nested_ops(function, WalkOrder::PostOrder).into_iter();
            calls.filter_map(|call| number.get(&callee(ir, call)?).copied()).collect()
        })
        .collect();
    // Tarjan's components come out callees first.
    let mut search = Components { callees: &callees, ..Components::default() };
    search.index = vec![None; functions.len()];
    search.low = vec![0; functions.len()];
    search.is_open = vec![false; functions.len()];
    for function in 0..functions.len() {
        search.visit(function);
    }
    let order = search.order.iter().map(|&function| functions[function]).collect();
    let own = |&function: &usize| callees[function].contains(&function);
    let recursive = (0..functions.len()).filter(own).map(|function| functions[function]).collect();
    (order, recursive)
}

/// Strongly connected components of a call graph (Tarjan 1972), with a stack of its own: chains of calls may be
/// thousands of functions long.
#[derive(Default)]
struct Components<'a> {
    callees: &'a [Vec<usize>],
    index: Vec<Option<usize>>,
    low: Vec<usize>,
    open: Vec<usize>,
    is_open: Vec<bool>,
    next: usize,
    order: Vec<usize>,
}

impl Components<'_> {
    fn enter(&mut self, function: usize) {
        self.index[function] = Some(self.next);
        self.low[function] = self.next;
        self.next += 1;
        self.open.push(function);
        self.is_open[function] = true;
    }

    fn visit(&mut self, root: usize) {
        if self.index[root].is_some() {
            return;
        }
        self.enter(root);
        let mut stack = vec![(root, 0)];
        while let Some(&(function, at)) = stack.last() {
            if let Some(&callee) = self.callees[function].get(at) {
                if let Some(top) = stack.last_mut() {
                    top.1 += 1;
                }
                match self.index[callee] {
                    None => {
                        self.enter(callee);
                        stack.push((callee, 0));
                    }
                    Some(index) if self.is_open[callee] => {
                        self.low[function] = self.low[function].min(index);
                    }
                    Some(_) => {}
                }
                continue;
            }
            stack.pop();
            if let Some(&(caller, _)) = stack.last() {
                self.low[caller] = self.low[caller].min(self.low[function]);
            }
            if Some(self.low[function]) == self.index[function] {
                let first = self.open.iter().rposition(|&open| open == function).unwrap_or(0);
                let mut component = self.open.split_off(first);
                for &done in &component {
                    self.is_open[done] = false;
                }
                component.sort_unstable();
                self.order.extend(component);
            }
        }
    }
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

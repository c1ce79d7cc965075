//! `buffer-results-to-out-params`: functions write buffers that they return into buffers that callers give them.
//!
//! Needs results with the identity layout; callers need their shapes, so that they can allocate them. A function copies into
//! the buffer in front of its end; with `hoist-static-allocs` what it allocates itself, of a known shape, is the buffer from
//! the start. After MLIR's pass of the same name.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::{func, memref};
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Attr, AttrKind, Builder, DYNAMIC, Ir, Op, OpView, Type, Value, WalkOrder};

use super::signature::{dictionaries, set_dictionaries};

gpuc_ir::pass! {
    /// Give buffers back through arguments in place of results.
    BufferResultsToOutParams = "buffer-results-to-out-params" {
        /// Whether the arguments get the attribute `bufferize.result`.
        add_result_attr: bool = false,
        /// Whether buffers of known shape that a function allocates are the caller's from the start.
        hoist_static_allocs: bool = false,
    }
}

impl Pass for BufferResultsToOutParams {
    fn run(&mut self, ir: &mut Ir, op: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let nested = ir.nested_ops(op, WalkOrder::PreOrder);
        for &inner in &nested {
            if let Some(function) = func::FuncOp::cast(ir, inner) {
                self.change_function(ir, function)?;
            }
        }
        for call in nested {
            if !ir.is_erased(call) && func::CallOp::is(ir, call) {
                change_call(ir, call)?;
            }
        }
        Ok(())
    }
}

fn refusal(ir: &Ir, op: Op, message: &str) -> Diagnostic {
    Diagnostic::error(message).at_option(ir.ctx.place(ir.location(op)))
}

impl BufferResultsToOutParams {
    fn change_function(&self, ir: &mut Ir, function: func::FuncOp) -> Result<(), Diagnostic> {
        let op = function.op();
        let (inputs, results) = function.signature(ir);
        let (mut inputs, results) = (inputs.to_vec(), results.to_vec());
        let buffers: Vec<Type> =
            results.iter().copied().filter(|&ty| ir.ctx.is_memref(ty)).collect();
        if buffers.is_empty() {
            return Ok(());
        }
        if !buffers.iter().all(|&ty| memref::has_identity_layout(&ir.ctx, ty)) {
            let message = "cannot create out param for result with unsupported layout";
            return Err(refusal(ir, op, message));
        }
        let mut arguments = {
            let attrs = function.arg_attrs(ir);
            dictionaries(ir, attrs, inputs.len())
        };
        let of_results = {
            let attrs = function.res_attrs(ir);
            dictionaries(ir, attrs, results.len())
        };
        let mut kept = Vec::new();
        for (&ty, dict) in results.iter().zip(of_results) {
            if ir.ctx.is_memref(ty) {
                arguments.push(self.marked(ir, dict));
            } else {
                kept.push(dict);
            }
        }
        set_dictionaries(ir, op, "arg_attrs", &arguments);
        set_dictionaries(ir, op, "res_attrs", &kept);
        inputs.extend(&buffers);
        let others: Vec<Type> =
            results.iter().copied().filter(|&ty| !ir.ctx.is_memref(ty)).collect();
        let ty = ir.ctx.function(&inputs, &others);
        let ty = ir.ctx.type_attr(ty);
        ir.set_attr(op, "function_type", ty);
        let Some(entry) = ir.entry_block(function.body(ir)) else { return Ok(()) };
        let location = ir.location(op);
        let given: Vec<Value> =
            buffers.iter().map(|&ty| ir.add_argument(entry, ty, location)).collect();
        let mut taken = vec![false; given.len()];
        for inner in ir.nested_ops(op, WalkOrder::PreOrder) {
            if func::ReturnOp::is(ir, inner) {
                self.change_return(ir, inner, &given, &mut taken);
            }
        }
        Ok(())
    }

    fn marked(&self, ir: &mut Ir, dict: Attr) -> Attr {
        let &AttrKind::Dict(entries) = ir.ctx.attr_kind(dict) else { return dict };
        if !self.add_result_attr {
            return dict;
        }
        let (name, unit) = (ir.ctx.ident("bufferize.result"), ir.ctx.unit_attr());
        let entries = ir.ctx.dict_with(entries, name, unit);
        ir.ctx.intern_attr(AttrKind::Dict(entries))
    }

    /// Writes what is returned into the buffers that were given; `taken` says of which of these an allocation has become one.
    fn change_return(&self, ir: &mut Ir, op: Op, given: &[Value], taken: &mut [bool]) {
        let is_buffer = |ir: &Ir, value: Value| ir.ctx.is_memref(ir.ty(value));
        let positions: Vec<usize> = (0..ir.operand_count(op))
            .filter(|&position| is_buffer(ir, ir.operand(op, position)))
            .collect();
        for (place, position) in positions.into_iter().enumerate() {
            let (buffer, to) = (ir.operand(op, position), given[place]);
            // What is returned twice, or another time, is more than one buffer.
            let once = || {
                let of_returns =
                    ir.uses(buffer).filter(|&each| func::ReturnOp::is(ir, ir.use_owner(each)));
                of_returns.count() == 1
            };
            let is_static = ir.ctx.shape(ir.ty(buffer)).is_some_and(|s| !s.contains(&DYNAMIC));
            let allocation = ir.defining_op(buffer).filter(|&def| {
                let own = memref::AllocOp::is(ir, def) && is_static && !taken[place];
                self.hoist_static_allocs && own && once()
            });
            match allocation {
                Some(allocation) => {
                    ir.replace_op(allocation, &[to]);
                    taken[place] = true;
                }
                None => {
                    let mut b = Builder::before(ir, op);
                    memref::CopyOp::new(&mut b, buffer, to).build(&mut b);
                }
            }
        }
        let others: Vec<Value> = ir.operands(op).filter(|&value| !is_buffer(ir, value)).collect();
        ir.set_operands(op, &others);
    }
}

/// Allocates the buffers that a call would have given back, and hands them over.
fn change_call(ir: &mut Ir, call: Op) -> Result<(), Diagnostic> {
    let results = ir.results(call).to_vec();
    let is_buffer = |ir: &Ir, &value: &Value| ir.ctx.is_memref(ir.ty(value));
    let (buffers, others): (Vec<Value>, Vec<Value>) =
        results.into_iter().partition(|value| is_buffer(ir, value));
    if buffers.is_empty() {
        return Ok(());
    }
    let mut operands: Vec<Value> = ir.operands(call).collect();
    let mut given = Vec::new();
    for &buffer in &buffers {
        let ty = ir.ty(buffer);
        if ir.ctx.shape(ty).is_none_or(|shape| shape.contains(&DYNAMIC)) {
            let message = "cannot create out param for dynamically shaped result";
            return Err(refusal(ir, call, message));
        }
        let mut b = Builder::before(ir, call);
        given.push(memref::AllocOp::new(&mut b, &[], &[]).result(ty).value(&mut b));
    }
    operands.extend(&given);
    let types: Vec<Type> = others.iter().map(|&value| ir.ty(value)).collect();
    let callee = ir.attr(call, "callee");
    let mut b = Builder::before(ir, call);
    let new = func::CallOp::new(&mut b, &operands)
        .attr_option(&mut b, "callee", callee)
        .result_group(&types)
        .build(&mut b);
    let of_new = ir.results(new).to_vec();
    for (old, new) in buffers.into_iter().chain(others).zip(given.into_iter().chain(of_new)) {
        ir.replace_all_uses(old, new);
    }
    ir.erase_op(call);
    Ok(())
}

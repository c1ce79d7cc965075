//! Functions, and the external ones that print.

use gpuc_dialects::{func, gpu};
use gpuc_ir::{Block, Ir, Op, OpView, Type};

use super::{Family, Handler, Step, leave, print};
use crate::fiber::Flow;
use crate::interpreter::Interpreter;
use crate::value::RtValue;

pub(super) const OPS: Family = &[
    (func::CallOp::NAME, Handler::leaf(call)),
    (func::CallIndirectOp::NAME, Handler::leaf(call_indirect)),
    (func::ReturnOp::NAME, Handler::leaf(leave)),
    (gpu::ReturnOp::NAME, Handler::leaf(leave)),
];

/// The entry block of a function, if it is one and has a body.
pub(crate) fn body(ir: &Ir, op: Op) -> Option<Block> {
    let region = if let Some(function) = func::FuncOp::cast(ir, op) {
        function.body(ir)
    } else {
        gpu::GPUFuncOp::cast(ir, op)?.body(ir)
    };
    ir.entry_block(region)
}

/// Types of a function's arguments and results.
pub(crate) fn signature(ir: &Ir, op: Op) -> (&[Type], &[Type]) {
    if let Some(function) = func::FuncOp::cast(ir, op) {
        function.signature(ir)
    } else {
        gpu::GPUFuncOp::cast(ir, op).map_or((&[], &[]), |function| function.signature(ir))
    }
}

fn call(m: &mut Interpreter<'_>, op: Op) -> Step {
    let callee = func::CallOp(op).callee(m.ir);
    let Some(function) = callee.and_then(|callee| m.symbol(op, callee)) else {
        return Err(m.error(op, "calls a function that is not there"));
    };
    let arguments = m.get_all(m.ir.operands(op))?;
    call_function(m, op, function, arguments)
}

fn call_indirect(m: &mut Interpreter<'_>, op: Op) -> Step {
    let function = match m.operand(op, 0)? {
        RtValue::Function(function) => *function,
        other => return Err(m.wrong_value(op, other, "a function")),
    };
    let arguments = m.get_all(m.ir.operands(op).skip(1))?;
    call_function(m, op, function, arguments)
}

fn call_function(m: &mut Interpreter<'_>, op: Op, function: Op, arguments: Vec<RtValue>) -> Step {
    if let Some(block) = body(m.ir, function) {
        return Ok(Flow::Call { block, arguments });
    }
    let name = m.ir.symbol_name(function).unwrap_or_default();
    let (types, _) = signature(m.ir, function);
    match print::external(m, op, name, types, &arguments)? {
        true => m.set_results(op, Vec::new()),
        false => Err(m.error(op, format!("calls @{name}, which has no body"))),
    }
}

//! Functions that device code calls, and calls of them (PTX ISA §7.1): the head of one, and the parameters
//! that go around a call.

use std::fmt::Write;

use gpuc_dialects::ptx::{CallOp, DeviceFuncOp, RetOp};
use gpuc_ir::{Attr, Ir, Op, OpView};

use super::function::FunctionPrinter;
use super::registers::Class;

/// The parameter that a function leaves its result in.
const RESULT: &str = "func_retval0";

/// Writes the head of a function, which is also its declaration.
pub(super) fn prototype(ir: &Ir, function: DeviceFuncOp, text: &mut String) {
    let string = |attr: Option<Attr>| attr.and_then(|attr| ir.ctx.string_value(attr));
    let strings = |attr: Option<Attr>| -> Vec<&str> {
        let attrs = attr.and_then(|attr| ir.ctx.array_value(attr)).unwrap_or_default();
        attrs.iter().filter_map(|&attr| ir.ctx.string_value(attr)).collect()
    };
    if let Some(linkage) = string(function.linkage(ir)) {
        let _ = write!(text, ".{linkage} ");
    }
    text.push_str(".func ");
    if let Some(ty) = string(function.result_type(ir)) {
        let _ = write!(text, "(.param .{ty} {RESULT}) ");
    }
    let _ = write!(text, "{}(", ir.symbol_name(function.op()).unwrap_or_default());
    let (names, types) = (strings(function.param_names(ir)), strings(function.param_types(ir)));
    for (index, (name, ty)) in names.iter().zip(&types).enumerate() {
        let comma = if index == 0 { "" } else { ", " };
        let _ = write!(text, "{comma}.param .{ty} {name}");
    }
    text.push(')');
}

impl FunctionPrinter<'_> {
    /// The lines of a call, or of a return with a value; `None` for all other instructions.
    pub fn call(&self, op: Op) -> Option<String> {
        let ir = self.ir;
        let class = |value| Class::of(ir, ir.ty(value)).declared();
        let name = |value| self.registers.operand(ir, value);
        let mut text = String::new();
        if let Some(ret) = RetOp::cast(ir, op) {
            let &value = ret.values(ir).first()?;
            let _ = writeln!(text, "    st.param.{} [{RESULT}], {};", class(value), name(value));
            text.push_str("    ret;\n");
            return Some(text);
        }
        let call = CallOp::cast(ir, op)?;
        let callee = call.callee(ir).and_then(|attr| ir.ctx.symbol_root(attr))?;
        text.push_str("    {\n");
        let mut passed = Vec::new();
        for (index, value) in ir.operands(op).enumerate() {
            let _ = writeln!(text, "    .param .{} param{index};", class(value));
            let _ =
                writeln!(text, "    st.param.{} [param{index}], {};", class(value), name(value));
            passed.push(format!("param{index}"));
        }
        let result = ir.results(op).first().copied();
        let mut left = "";
        if let Some(result) = result {
            let _ = writeln!(text, "    .param .{} retval0;", class(result));
            left = "(retval0), ";
        }
        let list = match passed.is_empty() {
            true => String::new(),
            false => format!(", ({})", passed.join(", ")),
        };
        let _ = writeln!(text, "    call.uni {left}{}{list};", ir.ctx.str(callee));
        if let Some(result) = result {
            let _ = writeln!(text, "    ld.param.{} {}, [retval0];", class(result), name(result));
        }
        text.push_str("    }\n");
        Some(text)
    }
}

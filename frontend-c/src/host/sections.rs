//! Sections that the host computes before the data of a construct are mapped.

use std::fmt::Write;

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::func::FuncOp;
use gpuc_dialects::offload::{
    MAP_ATTR, SECTIONS_ATTR, USE_ATTR, USE_OVERWRITES, USE_READS, WORK_ATTR,
};
use gpuc_ir::{AttrKind, Ir, OpView};

use super::function::{c_name, print_results, values};
use super::section::Memory;
use super::{Functions, prologue};
use crate::lower::{Argument, Compute, Lowered, MappingKind};

/// A section that was found: which of a construct's data it is of, and what is done with it.
#[derive(Clone, Copy, Debug)]
pub(super) struct FoundSection {
    /// The number of the data item.
    pub item: usize,
    /// Its number among the sections that are computed.
    number: usize,
    /// Whether the construct writes there.
    pub written: bool,
}

impl FoundSection {
    /// The memory behind a pointer, as C expressions; the section was computed by [`call`].
    pub(super) fn memory(self, construct: usize, pointer: &str) -> Memory {
        let value = |which: usize| format!("__gpuc_f{construct}[{}]", 2 * self.number + which);
        let first = format!("(char *)({pointer}) + {}", value(0));
        Memory::of_bytes(format!("({pointer})"), first, value(1))
    }
}

/// The sections that were found for a construct, in the order in which they are computed.
pub(super) fn found(
    ir: &Ir,
    lowered: &Lowered,
    functions: &Functions<'_>,
    compute: &Compute,
) -> Vec<FoundSection> {
    let Some(function) = functions.named(&compute.symbol) else { return Vec::new() };
    let op = function.op();
    if ir.attr(op, SECTIONS_ATTR).is_none() {
        return Vec::new();
    }
    let data = lowered
        .constructs
        .iter()
        .filter(|info| info.compute.as_ref().is_some_and(|known| known.symbol == compute.symbol))
        .flat_map(|info| &info.data);
    let open: Vec<bool> = data.map(|item| item.kind == MappingKind::ImplicitSection).collect();
    let mut sections = Vec::new();
    for (argument, actual) in compute.arguments.iter().enumerate() {
        let Argument::Data(item) = *actual else { continue };
        let written = match argument_attr(ir, function, argument, MAP_ATTR) {
            Some("copy") => true,
            Some("copyin") => false,
            _ => continue,
        };
        if open.get(item) == Some(&true) {
            sections.push(FoundSection { item, number: sections.len(), written });
        }
    }
    sections
}

/// What is known of the use of an argument's memory, by attributes of its function.
fn argument_attr<'a>(ir: &'a Ir, function: FuncOp, argument: usize, name: &str) -> Option<&'a str> {
    let all = ir.attr(function.op(), "arg_attrs").and_then(|attr| ir.ctx.array_value(attr))?;
    match *ir.ctx.attr_kind(*all.get(argument)?) {
        AttrKind::Dict(entries) => {
            ir.ctx.dict_get_str(entries, name).and_then(|attr| ir.ctx.string_value(attr))
        }
        _ => None,
    }
}

/// What a nest that the compiler found does with a data item, where that is less than to read and write some of it: the kind of
/// data that it is then.
pub(super) fn use_of(
    ir: &Ir,
    functions: &Functions<'_>,
    compute: &Compute,
    item: usize,
) -> Option<MappingKind> {
    let function = functions.named(&compute.symbol)?;
    let mut uses = compute.arguments.iter().enumerate().filter_map(|(argument, actual)| {
        let is_meant = matches!(actual, Argument::Data(number) if *number == item);
        is_meant.then(|| argument_attr(ir, function, argument, USE_ATTR))
    });
    match (uses.next()??, uses.next()) {
        (USE_READS, None) => Some(MappingKind::ImplicitCopyIn),
        (USE_OVERWRITES, None) => Some(MappingKind::CopyOut),
        _ => None,
    }
}

/// Declares the numbers of a construct's sections, and has them computed.
pub(super) fn call(compute: &Compute, construct: usize, count: usize) -> String {
    let mut arguments = String::new();
    for argument in &compute.arguments {
        if let Argument::Value(value) = argument {
            let _ = write!(arguments, "{value}, ");
        }
    }
    let name = c_name(&format!("{}_sections", compute.symbol));
    format!("long __gpuc_f{construct}[{}]; {name}({arguments}__gpuc_f{construct}); ", 2 * count)
}

/// Has the work of a nest that the compiler found counted.
pub(super) fn count(compute: &Compute, construct: usize) -> String {
    let mut arguments = String::new();
    for argument in &compute.arguments {
        if let Argument::Value(value) = argument {
            let _ = write!(arguments, "{value}, ");
        }
    }
    let name = c_name(&format!("{}_work", compute.symbol));
    format!("long __gpuc_k{construct}[3]; {name}({arguments}__gpuc_k{construct}); ")
}

/// The functions that compute the sections of a construct's function, and its work.
fn computing(ir: &Ir, functions: &Functions<'_>, function: FuncOp) -> impl Iterator<Item = FuncOp> {
    [SECTIONS_ATTR, WORK_ATTR].into_iter().filter_map(move |attribute| {
        let AttrKind::Symbol { root, .. } = ir.ctx.attr_kind(ir.attr(function.op(), attribute)?)
        else {
            return None;
        };
        functions.named(ir.ctx.str(*root))
    })
}

/// The declarations of the functions that compute numbers for a construct.
pub(super) fn declarations(ir: &Ir, functions: &Functions<'_>, function: FuncOp) -> String {
    let declaration = |computing: FuncOp| {
        let (mut types, _) = values(ir, computing, &[]);
        types.push("long *".to_owned());
        let name = c_name(ir.symbol_name(computing.op()).unwrap_or_default());
        let types = types.join(", ");
        format!("static void {name}({types}) {};\n", prologue::LAUNCH)
    };
    computing(ir, functions, function).map(declaration).collect()
}

/// The functions that compute numbers for a construct.
#[allow(clippy::result_large_err, reason = "made once a compilation")]
pub(super) fn print(
    ir: &Ir,
    functions: &Functions<'_>,
    function: FuncOp,
) -> Result<String, Diagnostic> {
    computing(ir, functions, function).map(|computing| print_results(ir, computing)).collect()
}

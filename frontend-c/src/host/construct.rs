//! The text that takes the place of a directive.

use std::fmt::Write;

use gpuc_ir::Ir;

use super::section::{self, Memory};
use super::sections::{self, FoundSection};
use super::{Edit, literal};
use crate::directive::openacc::DirectiveKind;
use crate::lower::{Argument, DataItem, DataKind, Extent, Lowered};
use crate::tree::TranslationUnit;

/// `enum __gpuc_data_kind` of the runtime.
fn kind_number(kind: DataKind) -> u32 {
    match kind {
        DataKind::Copy => 1,
        DataKind::CopyIn | DataKind::ImplicitCopyIn => 2,
        DataKind::CopyOut => 3,
        DataKind::Create => 4,
        DataKind::Present => 5,
        DataKind::Delete => 6,
        DataKind::DevicePtr => 7,
        DataKind::UpdateHost => 8,
        DataKind::UpdateDevice => 9,
        DataKind::ImplicitCopy => 11,
        // Where it is not known which section.
        DataKind::ImplicitPresent | DataKind::ImplicitSection => 12,
    }
}

/// The kind of a data item, as a C expression.
fn kind(lowered: &Lowered, item: &DataItem, section: Option<FoundSection>) -> String {
    let kind = kind_number(match section {
        Some(FoundSection { written: true, .. }) => DataKind::ImplicitCopy,
        Some(FoundSection { written: false, .. }) => DataKind::ImplicitCopyIn,
        None => item.kind,
    });
    match item.extent {
        Extent::Enclosed { construct, unmapped, .. }
            if lowered.constructs[construct].condition.is_some()
                && kind_number(unmapped) != kind =>
        {
            format!("__gpuc_c{construct} ? {kind}u : {}u", kind_number(unmapped))
        }
        _ => format!("{kind}u"),
    }
}

/// The memory of a data item, as C expressions.
fn memory(unit: &TranslationUnit, lowered: &Lowered, item: &DataItem, site: &str) -> Memory {
    match &item.extent {
        Extent::Clause(var) => section::of_clause(unit, var, site),
        Extent::Object(object) => Memory {
            base: format!("&({object})"),
            first: format!("&({object})"),
            bytes: format!("sizeof({object})"),
        },
        Extent::Elements(pointer, count) => Memory {
            base: format!("({pointer})"),
            first: format!("({pointer})"),
            bytes: format!("__gpuc_count({count}) * sizeof(({pointer})[0])"),
        },
        // At least the first byte must be there.
        Extent::Pointer(pointer) => Memory {
            base: format!("({pointer})"),
            first: format!("({pointer})"),
            bytes: "1UL".to_owned(),
        },
        // The section may start elsewhere, and may be empty.
        Extent::Enclosed { pointer, object, construct, item, .. } => {
            let mut offset = format!("__gpuc_o{construct}[{item}]");
            let mut bytes = format!("(__gpuc_d{construct}[{item}].bytes != 0UL)");
            if lowered.constructs[*construct].condition.is_some() {
                let whole =
                    object.as_ref().map_or_else(|| "1UL".to_owned(), |o| format!("sizeof({o})"));
                offset = format!("(__gpuc_c{construct} ? {offset} : 0L)");
                bytes = format!("(__gpuc_c{construct} ? {bytes} : {whole})");
            }
            Memory {
                base: format!("({pointer})"),
                first: format!("(char *)({pointer}) + {offset}"),
                bytes,
            }
        }
    }
}

/// `struct __gpuc_data d[] = {...}`, with the distance of each section from element 0.
fn data_array(unit: &TranslationUnit, lowered: &Lowered, ir: &Ir, number: usize) -> String {
    let info = &lowered.constructs[number];
    let sections = info.compute.as_ref().map(|compute| sections::found(ir, lowered, compute));
    let sections = sections.unwrap_or_default();
    let mut rows = String::new();
    let mut offsets = String::new();
    for (position, item) in info.data.iter().enumerate() {
        let section = sections.iter().find(|section| section.item == position).copied();
        let memory = match (&item.extent, section) {
            (Extent::Pointer(pointer), Some(section)) => section.memory(number, pointer),
            _ => memory(unit, lowered, item, &format!("__gpuc_s{number}")),
        };
        let _ = write!(
            rows,
            "{{{}, (void *)({}), (unsigned long)({}), {}, {}u, (void *)0}}, ",
            literal(&item.name),
            memory.first,
            memory.bytes,
            kind(lowered, item, section),
            item.line
        );
        let _ = write!(offsets, "(long)((char *)({}) - (char *)({})), ", memory.first, memory.base);
    }
    let computed = match &info.compute {
        Some(compute) if !sections.is_empty() => sections::call(compute, number, sections.len()),
        _ => String::new(),
    };
    format!(
        "{computed}struct __gpuc_data __gpuc_d{number}[] = {{{rows}}}; const long __gpuc_o{number}[] = {{{offsets}}}; (void)__gpuc_o{number}; "
    )
}

/// Text of ours in the place of `at` in the program. As text of a system header, it is not what the
/// host compiler warns of; what follows it belongs to the line of `resume` again.
fn generated(unit: &TranslationUnit, at: usize, resume: usize, text: &str) -> String {
    let marker = |offset: usize, is_system: bool| {
        let (file, line) = unit.source.line(offset as u32);
        let flag = if is_system { " 3" } else { "" };
        format!("\n# {line} {}{flag}\n", literal(&file))
    };
    let system = unit.source.is_system(resume as u32);
    format!("{}{text}{}", marker(at, true), marker(resume, system))
}

/// Adds the changes for a construct.
pub(super) fn edit(
    unit: &TranslationUnit,
    lowered: &Lowered,
    ir: &Ir,
    number: usize,
    edits: &mut Vec<Edit>,
) {
    let info = &lowered.constructs[number];
    let line = unit.directives[info.directive].span.range();
    let count = info.data.len();
    let (site, data) = (format!("__gpuc_s{number}"), format!("__gpuc_d{number}"));
    let mut text = format!(
        "{{ static const struct __gpuc_site {site} = {{{}, {}, {}u, {}}}; ",
        literal(&info.file),
        literal(&info.function),
        info.line,
        literal(info.kind.spelling())
    );
    let condition = info.condition.map_or_else(
        || "1".to_owned(),
        |condition| format!("({}) != 0", section::text(unit, condition)),
    );
    let arrays = if count == 0 { String::new() } else { data_array(unit, lowered, ir, number) };
    let call = |function: &str| match count {
        0 => String::new(),
        _ => format!("{function}(&{site}, {data}, {count}u); "),
    };
    let mut behind = String::from(" }");
    match (&info.compute, info.kind) {
        (Some(compute), _) => {
            let _ =
                write!(text, "if (__gpuc_region_begin(&__gpuc_image_0, &{site}, {condition})) {{ ");
            text += &arrays;
            let items = match count {
                0 => "(struct __gpuc_data *)0, (const long *)0, 0u".to_owned(),
                _ => format!("{data}, __gpuc_o{number}, {count}u"),
            };
            let mut arguments = format!("&{site}, {items}");
            for argument in &compute.arguments {
                if let Argument::Value(value) = argument {
                    let _ = write!(arguments, ", {value}");
                }
            }
            let function = super::function::c_name(&compute.symbol);
            let _ = write!(text, "{function}({arguments}); }} else {{ ");
            behind = String::from(" } }");
        }
        (None, DirectiveKind::Data) => {
            // The condition is looked at once: the end must match the beginning.
            let _ = write!(text, "const int __gpuc_c{number} = {condition}; {arrays}");
            if count > 0 {
                let guard = format!("if (__gpuc_c{number}) ");
                text += &format!("{guard}{}", call("__gpuc_data_begin"));
                behind = format!(" {guard}{}}}", call("__gpuc_data_end"));
            } else {
                let _ = write!(text, "(void)__gpuc_c{number}; (void)&{site}; ");
            }
        }
        (None, kind) => {
            let function = match kind {
                DirectiveKind::EnterData => "__gpuc_data_enter",
                DirectiveKind::ExitData => "__gpuc_data_exit",
                _ => "__gpuc_data_update",
            };
            let _ = write!(text, "if ({condition}) {{ {arrays}{}}}", call(function));
        }
    }
    let end = unit.stmts[info.stmt].span.end as usize;
    if info.compute.is_none() && info.kind != DirectiveKind::Data {
        text += &behind;
        behind.clear();
    }
    let text = generated(unit, line.start, line.end, &text);
    let order = lowered.constructs.len() + 1;
    edits.push(Edit { start: line.start, length: line.len(), order, text });
    if !behind.is_empty() {
        // Later constructs are further inside, and end first.
        let order = lowered.constructs.len() - number;
        let text = generated(unit, end, end, &behind);
        edits.push(Edit { start: end, length: 0, order, text });
    }
}

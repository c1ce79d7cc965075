//! Codelets: functions whose body is a region, in calls that are sent to the device.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::offload::Construct;

use super::labels::{Codelet, Transfer};
use super::line::{FAMILY, Io, Line, Property, Text};
use crate::directive::action::Condition;
use crate::directive::construct::ComputeRegion;
use crate::directive::data::Mapping;
use crate::directive::{self, DataFlags, Kind, MappingKind, Section, VarRef, Written};
use crate::parse::{Parsed, Parser};
use crate::source::Span;
use crate::tree::{DeclId, DeclKind, StmtId, StmtKind};
use crate::types::{ArraySize, Qualifiers, Type};

/// The first number of the queues of codelets: programs of several families have small ones for themselves.
const FIRST_QUEUE: i128 = 7000;

/// Targets of which this compiler makes device code: OpenCL's is a GPU as well.
const DEVICES: [&str; 4] = ["CUDA", "OPENCL", "OpenCL", "cuda"];

/// Whether device code is made for one of the targets; for a GPU where none is named.
pub(super) fn is_for_device(targets: &[String]) -> bool {
    targets.is_empty() || targets.iter().any(|target| DEVICES.contains(&target.as_str()))
}

impl Parser {
    /// `codelet`: what it says of the function behind it.
    pub(super) fn codelet_directive(&mut self, line: Line) {
        let Some(label) = line.label.clone() else {
            self.checker.error(line.name, "a codelet has a label: `#pragma hmpp label codelet`");
            return;
        };
        let known = self.labels.codelet(line.group.as_deref(), &label);
        let group = line.group.as_deref();
        let of_group = self.labels.groups.iter().find(|known| Some(known.name.as_str()) == group);
        let on_device = match (line.targets.is_empty(), of_group) {
            (true, Some(group)) => group.on_device,
            _ => is_for_device(&line.targets),
        };
        if !on_device {
            let diagnostic = Diagnostic::warning(format!(
                "the codelet `{label}` is for {}, so its calls stay with the host",
                line.targets.join(" and ")
            ));
            self.checker.report(line.name, diagnostic.help("write `target=CUDA`"));
        }
        if known.is_some_and(|number| self.labels.codelets[number].is_region) {
            self.checker.error(line.name, format!("there is a region labelled `{label}` already"));
            return;
        }
        let number = match known {
            // Its prototype may have said so already.
            Some(number) => {
                let function = self.labels.codelets[number].function;
                let is_defined = function.is_some_and(|function| {
                    matches!(&self.checker.unit.decls[function].kind, DeclKind::Function(f) if f.body.is_some())
                });
                if is_defined {
                    let message = format!("there is a codelet labelled `{label}` already");
                    self.checker.error(line.name, message);
                    return;
                }
                self.labels.codelets[number].line = line;
                number
            }
            None => {
                let number = self.labels.codelets.len();
                self.labels.codelets.push(Codelet {
                    label,
                    group: line.group.clone(),
                    function: None,
                    line,
                    queue: FIRST_QUEUE + number as i128,
                    on_device,
                    is_region: false,
                });
                number
            }
        };
        self.labels.next = Some(number);
    }

    /// The region that a label stands for, which has a queue as codelets have.
    pub(super) fn region_labelled(&mut self, line: &Line) -> Option<usize> {
        let label = line.label.clone()?;
        if let Some(known) = self.labels.codelet(line.group.as_deref(), &label) {
            return Some(known);
        }
        let number = self.labels.codelets.len();
        self.labels.codelets.push(Codelet {
            label,
            group: line.group.clone(),
            function: None,
            line: line.clone(),
            queue: FIRST_QUEUE + number as i128,
            on_device: is_for_device(&line.targets),
            is_region: true,
        });
        Some(number)
    }

    /// Whether the function that is defined is a codelet.
    pub(crate) fn begins_codelet(&self, decl: DeclId) -> bool {
        self.labels.next.is_some() || self.codelet_of(decl).is_some()
    }

    /// The codelet that a function was declared to be.
    fn codelet_of(&self, decl: DeclId) -> Option<usize> {
        self.labels.codelets.iter().position(|codelet| codelet.function == Some(decl))
    }

    /// The body of a function in the scope that is open; of a codelet, a region.
    pub(crate) fn codelet_body(&mut self, decl: DeclId) -> Parsed<StmtId> {
        let body = self.function_or_region(decl);
        self.hmppcg_ends();
        body
    }

    fn function_or_region(&mut self, decl: DeclId) -> Parsed<StmtId> {
        let Some(number) = self.labels.next.take().or_else(|| self.codelet_of(decl)) else {
            return self.compound_in_scope();
        };
        self.labels.codelets[number].function = Some(decl);
        if !self.labels.codelets[number].on_device {
            return self.compound_in_scope();
        }
        self.check_codelet(number, decl);
        let mapped = self.codelet_arguments(number, decl)?;
        self.device_depth += 1;
        let body = self.compound_in_scope();
        self.device_depth -= 1;
        let body = body?;
        Ok(self.region_of_calls(number, mapped, body))
    }

    /// A codelet gives nothing back, and has a fixed number of arguments.
    fn check_codelet(&mut self, number: usize, decl: DeclId) {
        let unit = &self.checker.unit;
        let line = &self.labels.codelets[number].line;
        let (name, label) = (line.name, self.labels.codelets[number].label.clone());
        let Some(ty) = unit.types.as_function(unit.decls[decl].ty) else { return };
        let what = match () {
            () if !unit.types.is_void(ty.result) => "gives a value back",
            () if ty.variadic => "takes any number of arguments",
            () => return,
        };
        let message = format!("the function of codelet `{label}` {what}, which no codelet does");
        let place = unit.place(unit.decls[decl].span);
        let diagnostic = Diagnostic::error(message).related(place, "the function");
        self.checker.report(name, diagnostic);
    }

    /// The clauses that a codelet's arguments are.
    fn codelet_arguments(&mut self, number: usize, decl: DeclId) -> Parsed<Vec<Mapping>> {
        let DeclKind::Function(function) = &self.checker.unit.decls[decl].kind else {
            return Ok(Vec::new());
        };
        let parameters = function.parameters.clone();
        let line = self.labels.codelets[number].line.clone();
        let label = self.labels.codelets[number].label.clone();
        self.check_arguments(&line, &label, &parameters);
        let mut mapped = Vec::new();
        for (index, &parameter) in parameters.iter().enumerate() {
            let Some(name) = self.checker.unit.decls[parameter].name else { continue };
            let text = self.checker.unit.text(name).to_owned();
            let span = self.checker.unit.decls[parameter].span;
            let ty = self.checker.unit.decls[parameter].ty;
            let base = self.checker.name(name, span);
            let mut var =
                VarRef { decl: parameter, base, sections: Vec::new(), first: base, ty, span };
            let Some(to) = self.checker.unit.types.pointee(ty) else {
                if self.checker.unit.types.as_record(ty).is_some() {
                    let flags = DataFlags::default();
                    mapped.push(Mapping { kind: MappingKind::FirstPrivate, flags, var });
                }
                continue;
            };
            // Arguments of a codelet do not overlap.
            let restrict = ty.with(Qualifiers::RESTRICT);
            self.checker.unit.decls[parameter].ty = restrict;
            let is_its = |item: &super::line::ArgumentItem| item.is(&label, index, &text);
            let io = line.last(is_its, |property| match property {
                Property::Io(io) => Some(*io),
                _ => None,
            });
            let kind = match io {
                Some(Io::In) => MappingKind::CopyIn,
                Some(Io::Out) => MappingKind::CopyOut,
                Some(Io::InOut) => MappingKind::Copy,
                None if is_constant(self, to) => MappingKind::CopyIn,
                None => MappingKind::Copy,
            };
            let transfer = line.last(is_its, |property| match property {
                Property::Transfer(transfer) => Some(*transfer),
                _ => None,
            });
            let first = transfer.or(line.transfer) == Some(Transfer::AtFirstCall);
            let size = line.last(is_its, |property| match property {
                Property::Size(sizes) => Some(sizes.clone()),
                _ => None,
            });
            let is_declared = matches!(
                self.checker.unit.decls[parameter].kind,
                DeclKind::Parameter {
                    length: Some(ArraySize::Constant(_) | ArraySize::Variable(_)),
                    ..
                }
            );
            let mut whole = false;
            match size {
                _ if is_declared => {}
                Some(size) => self.give_length(&mut var, &size)?,
                None => whole = true,
            }
            let flags = DataFlags {
                always: true,
                first,
                kept: first,
                whole,
                argument: Some(index as u32),
                ..DataFlags::default()
            };
            mapped.push(Mapping { kind, flags, var });
        }
        Ok(mapped)
    }

    /// The section of a pointer that a product of sizes says.
    pub(super) fn give_length(&mut self, var: &mut VarRef, sizes: &[Text]) -> Parsed<()> {
        let product: Vec<String> = sizes.iter().map(|size| format!("({})", size.text)).collect();
        let at = sizes.first().map_or(var.span, |size| size.span);
        let length = self.own_text(&product.join(" * "), at, Parser::integer)?;
        let zero = self.checker.int(0, Type::INT, at);
        var.first = self.checker.index(var.base, zero, at);
        var.ty = self.checker.ty(var.first);
        let (lower, stride) = (None, None);
        let length = Some(length);
        var.sections.push(Section { lower, length, stride, is_index: false, span: at });
        Ok(())
    }

    /// Names in `args[...]` that are no parameter.
    pub(super) fn check_arguments(&mut self, line: &Line, label: &str, parameters: &[DeclId]) {
        let unit = &self.checker.unit;
        let names: Vec<&str> = parameters.iter().map(|&parameter| unit.name(parameter)).collect();
        let items = line.arguments.iter().flat_map(|(list, _)| list);
        let found = items.clone().find(|item| {
            let is_its = item.codelet.as_deref().is_none_or(|codelet| codelet == label);
            is_its
                && match &item.which {
                    super::line::Which::Name(name) => !names.contains(&name.as_str()),
                    super::line::Which::Numbers(low, high) => {
                        low > high || *high >= names.len() as i128
                    }
                    super::line::Which::All => false,
                }
        });
        let Some(item) = found else { return };
        let (message, near) = match &item.which {
            super::line::Which::Name(name) => (
                format!("the codelet `{label}` has no argument `{name}`"),
                gpuc_diagnostics::did_you_mean(name, names.iter().copied()).map(str::to_owned),
            ),
            _ => (
                format!("the codelet `{label}` has {} arguments, numbered from 0", names.len()),
                None,
            ),
        };
        let mut diagnostic = Diagnostic::error(message);
        if let Some(near) = near {
            diagnostic = diagnostic.meant(near);
        }
        self.checker.report(item.span, diagnostic);
    }

    /// The body of a codelet as a region.
    fn region_of_calls(&mut self, number: usize, data: Vec<Mapping>, body: StmtId) -> StmtId {
        let outer = self.checker.unit.stmts[body].span;
        let inside = Span::new(outer.start + 1, outer.end.saturating_sub(1).max(outer.start + 1));
        let begins = Span::new(inside.start, inside.start);
        let codelet = &self.labels.codelets[number];
        let kind = Kind::Compute(ComputeRegion { construct: Construct::Kernels });
        let condition = Condition { sent: true, ..Condition::default() };
        let written = super::Directive { text: codelet.line.text.clone() };
        let directive = directive::Directive {
            span: begins,
            data,
            condition,
            ..directive::Directive::new(FAMILY, "codelet", codelet.line.name, kind)
        }
        .written(Written::OpenHmpp(written));
        let directive = self.checker.unit.directives.alloc(directive);
        let region = self.checker.unit.stmts.alloc(crate::tree::Stmt {
            kind: StmtKind::Directive { directive, body: Some(body) },
            span: inside,
        });
        self.checker
            .unit
            .stmts
            .alloc(crate::tree::Stmt { kind: StmtKind::Compound(vec![region]), span: outer })
    }
}

/// Whether what a pointer points to may not be changed.
fn is_constant(parser: &Parser, to: Type) -> bool {
    parser.checker.unit.types.innermost(to).qualifiers().contains(Qualifiers::CONST)
}

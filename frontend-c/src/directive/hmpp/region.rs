//! `region`: a block that is a codelet and its call in one.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::offload::Construct;

use super::codelet::is_for_device;
use super::labels::Transfer;
use super::line::{FAMILY, Io, Line, Property, Which};
use crate::directive::construct::ComputeRegion;
use crate::directive::data::Mapping;
use crate::directive::{self, DataFlags, Kind, MappingKind, VarRef, Written};
use crate::lex::{Punct, TokenKind};
use crate::parse::{Failed, Parsed, Parser};
use crate::source::Span;
use crate::tree::{StmtId, StmtKind};

impl Parser {
    /// `region` with its block.
    pub(super) fn hmpp_region(&mut self, line: Line, start: Span) -> Parsed<StmtId> {
        if self.at(Punct::RBrace) || self.peek() == TokenKind::Eof {
            self.checker.error(line.name, "no statement follows this `region`");
            return Err(Failed);
        }
        let data = self.region_data(&line);
        let condition = self.hmpp_condition(&line);
        let private = self.region_private(&line);
        self.device_depth += 1;
        let body = self.statement();
        self.device_depth -= 1;
        let body = body?;
        let (Ok(data), Ok(condition), Ok(private)) = (data, condition, private) else {
            return Ok(body);
        };
        if !is_for_device(&line.targets) {
            return Ok(body);
        }
        let own = self.region_labelled(&line);
        if line.asynchronous && own.is_none() {
            let diagnostic = Diagnostic::error("an asynchronous `region` has a label").help(
                "write `#pragma hmpp label region, asynchronous`, and `#pragma hmpp label synchronize` where it is waited for",
            );
            self.checker.report(line.name, diagnostic);
            return Ok(body);
        }
        let codelets: Vec<usize> = own.into_iter().collect();
        let order = self.order_of(&codelets, line.asynchronous, line.name);
        let kind = Kind::Compute(ComputeRegion { construct: Construct::Kernels });
        let mut directive = directive::Directive {
            span: line.span,
            data,
            condition,
            order,
            private,
            ..directive::Directive::new(FAMILY, "region", line.name, kind)
        };
        let written = super::Directive { text: line.text };
        directive.written = Written::OpenHmpp(written);
        directive.values.extend(condition.when);
        let directive = self.checker.unit.directives.alloc(directive);
        Ok(self.stmt(StmtKind::Directive { directive, body: Some(body) }, start))
    }

    fn region_private(&mut self, line: &Line) -> Parsed<Vec<VarRef>> {
        let mut all = Vec::new();
        for text in &line.private {
            all.extend(self.own_text(&text.text.clone(), text.span, Parser::var_list)?);
        }
        Ok(all)
    }

    /// The variables of `args[...]`.
    fn region_data(&mut self, line: &Line) -> Parsed<Vec<Mapping>> {
        let mut data: Vec<Mapping> = Vec::new();
        for (list, _) in &line.arguments {
            for item in list {
                let Which::Name(name) = &item.which else {
                    return Err(self.hmpp_refused("arguments of a `region` by number", item.span));
                };
                let vars = self.own_text(&name.clone(), item.span, Parser::var_list)?;
                let Some(mut var) = vars.into_iter().next() else { continue };
                if data.iter().any(|mapping| mapping.var.decl == var.decl) {
                    continue;
                }
                let is_its = |other: &super::line::ArgumentItem| other.which == item.which;
                let io = line.last(is_its, |property| match property {
                    Property::Io(io) => Some(*io),
                    _ => None,
                });
                let transfer = line.last(is_its, |property| match property {
                    Property::Transfer(transfer) => Some(*transfer),
                    Property::NoUpdate(true) => Some(Transfer::Manual),
                    _ => None,
                });
                let size = line.last(is_its, |property| match property {
                    Property::Size(sizes) => Some(sizes.clone()),
                    _ => None,
                });
                let types = &self.checker.unit.types;
                let is_value = types.as_array(var.ty).is_none() && !types.is_pointer(var.ty);
                if is_value && io != Some(Io::Out) && io != Some(Io::InOut) {
                    continue;
                }
                if let (Some(size), true) = (size, types.is_pointer(var.ty)) {
                    self.give_length(&mut var, &size)?;
                }
                let kind = match (transfer.or(line.transfer), io) {
                    (Some(Transfer::Manual), _) => MappingKind::Present,
                    (Some(Transfer::AtFirstCall), _) => {
                        let what = "`transfer=atfirstcall` of a `region`";
                        return Err(self.hmpp_refused(what, item.span));
                    }
                    (_, Some(Io::In)) => MappingKind::CopyIn,
                    (_, Some(Io::Out)) => MappingKind::CopyOut,
                    (_, Some(Io::InOut) | None) => MappingKind::Copy,
                };
                let always = kind != MappingKind::Present;
                let flags = DataFlags { always, ..DataFlags::default() };
                data.push(Mapping { kind, flags, var });
            }
        }
        Ok(data)
    }
}

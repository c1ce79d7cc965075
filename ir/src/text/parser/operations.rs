//! Operations: results, names, generic and custom syntax.

use gpuc_diagnostics::{Diagnostic, did_you_mean};
use smallvec::SmallVec;

use super::{Current, Delimiter, OpParser, Position};
use crate::context::OpName;
use crate::graph::{Block, Op, OpState};
use crate::location::Location;
use crate::op::{Traits, settle_attrs};
use crate::text::ParseResult;
use crate::text::lexer::TokenKind;

/// `%name:2` in front of an operation.
struct ResultName<'s> {
    name: &'s str,
    count: u32,
    at: Position,
}

impl<'s> OpParser<'_, 's> {
    /// Reads an operation, with its results, into a block.
    pub(super) fn parse_operation(&mut self, block: Block) -> ParseResult<Op> {
        let saved = self.current;
        let names = self.parse_result_names()?;
        let start = self.here();
        self.current = Current {
            def: None,
            start,
            location: self.location_at(start),
            results: names.iter().map(|name| name.count).sum(),
        };
        let mut state = match self.token.kind {
            TokenKind::Bare => self.parse_custom()?,
            TokenKind::String => self.parse_generic()?,
            _ => return self.expected("operation name in quotes"),
        };
        if let Some(location) = self.parse_optional_location()? {
            state.location = location;
        }
        if let Some(def) = self.current.def {
            settle_attrs(&mut self.ir.ctx, def, &mut state.attrs);
        }
        let op = self.ir.create_op(state);
        self.ir.append_op(block, op);
        self.name_results(op, &names)?;
        self.current = saved;
        Ok(op)
    }

    fn parse_result_names(&mut self) -> ParseResult<SmallVec<[ResultName<'s>; 1]>> {
        let mut names = SmallVec::new();
        if self.token.kind != TokenKind::Percent {
            return Ok(names);
        }
        loop {
            let (at, name) = (self.here(), self.token_text());
            if self.token.kind != TokenKind::Percent {
                return self.expected("valid ssa identifier");
            }
            self.advance();
            let mut count = 1;
            if self.eat(":") {
                let count_at = self.here();
                count = match self.optional_integer()?.map(u32::try_from) {
                    Some(Ok(count)) if count > 0 => count,
                    Some(_) => {
                        return self
                            .error(count_at, "expected named operation to have at least 1 result");
                    }
                    None => return self.expected("integer number of results"),
                };
            }
            names.push(ResultName { name, count, at });
            if !self.eat(",") {
                break;
            }
        }
        self.expect_in("=", " after SSA name")?;
        Ok(names)
    }

    fn name_results(&mut self, op: Op, names: &[ResultName<'s>]) -> ParseResult<()> {
        let bound: u32 = names.iter().map(|name| name.count).sum();
        let results = self.ir.results(op);
        let count = results.len() as u32;
        if names.is_empty() {
            return Ok(());
        }
        if count == 0 {
            return self.error(names[0].at, "cannot name an operation with no results");
        }
        if bound != count {
            let message =
                format!("operation defines {count} results but was provided {bound} to bind");
            return self.error(names[0].at, message);
        }
        let mut next = 0;
        for name in names {
            let first = self.ir.result(op, next);
            self.define(name.name, name.at, first, name.count)?;
            next += name.count as usize;
        }
        Ok(())
    }

    /// Full name of the operation that a bare name means.
    fn custom_name(&mut self, text: &'s str) -> OpName {
        if text.contains('.') {
            if let Some(&name) = self.op_names.get(text) {
                return name;
            }
            let name = self.ir.ctx.op_name(text);
            self.op_names.insert(text, name);
            return name;
        }
        let dialect = self.default_dialects.last().copied().unwrap_or("builtin");
        let dialect = if dialect.is_empty() { "builtin" } else { dialect };
        self.ir.ctx.op_name(&format!("{dialect}.{text}"))
    }

    fn parse_custom(&mut self) -> ParseResult<OpState> {
        let (at, text) = (self.here(), self.token_text());
        let mut name = self.custom_name(text);
        if self.ir.ctx.op_def(name).is_none() && !text.contains('.') {
            // `module` is meant everywhere.
            name = self.ir.ctx.op_name(&format!("builtin.{text}"));
        }
        let Some(def) = self.ir.ctx.op_def(name) else {
            return self.unknown_custom_op(at, text);
        };
        self.advance();
        self.current.def = Some(def);
        let mut state = OpState::new(name, self.current.location);
        if let Some(parse) = def.hooks.parse {
            parse(self, &mut state)?;
        } else if def.format.is_empty() {
            return self.error(at, format!("'{}' op has no custom assembly form", def.name));
        } else {
            crate::text::format::read(self, def, &mut state)?;
        }
        Ok(state)
    }

    fn unknown_custom_op<T>(&mut self, at: Position, text: &str) -> ParseResult<T> {
        let place = self.place(at);
        let mut diagnostic = Diagnostic::error(format!("custom op '{text}' is unknown")).at(place);
        let default = self.default_dialects.last().copied().unwrap_or("");
        let full = match (text.contains('.'), default) {
            (true, _) | (false, "") => text.to_owned(),
            (false, default) => format!("{default}.{text}"),
        };
        if full != text {
            diagnostic.message.push_str(&format!(" (tried '{full}' as well)"));
        }
        if let Some(near) = did_you_mean(&full, self.ir.ctx.registered_op_names()) {
            diagnostic = diagnostic.help(format!("did you mean '{near}'?"));
        } else if let Some((dialect, _)) = full.split_once('.')
            && self.ir.ctx.dialect(dialect).is_none()
        {
            let known: Vec<_> = self.ir.ctx.dialects().iter().map(|dialect| dialect.name).collect();
            diagnostic = diagnostic.help(format!(
                "dialect '{dialect}' is not registered; there are: {}",
                known.join(", ")
            ));
        }
        self.report(diagnostic)
    }

    /// Refuses an operation that is not registered, unless those are allowed.
    fn check_registered(&mut self, at: Position, name: &str) -> ParseResult<()> {
        let dialect = name.split_once('.').map_or("", |(dialect, _)| dialect);
        let is_known = self.ir.ctx.dialect(dialect).is_some();
        if self.ir.ctx.is_open(dialect) || self.ir.ctx.accepts_unknown(dialect) && !is_known {
            return Ok(());
        }
        let place = self.place(at);
        let message = if is_known {
            format!(
                "unregistered operation '{name}' found in dialect ('{dialect}') that does not allow \
                 unknown operations"
            )
        } else {
            format!(
                "operation '{name}' is of an unregistered dialect; such are accepted with \
                 --allow-unregistered-dialect"
            )
        };
        let mut diagnostic = Diagnostic::error(message).at(place);
        if let Some(near) = did_you_mean(name, self.ir.ctx.registered_op_names()) {
            diagnostic = diagnostic.help(format!("did you mean '{near}'?"));
        }
        self.report(diagnostic)
    }

    /// `"name"(operands)[successors] <{properties}> ({regions}) {attributes} : type`.
    fn parse_generic(&mut self) -> ParseResult<OpState> {
        let at = self.here();
        let text = self.string()?;
        if text.is_empty() {
            return self.error(at, "empty operation name is invalid");
        }
        let name = self.ir.ctx.op_name(&text);
        let def = self.ir.ctx.op_def(name);
        if def.is_none() {
            self.check_registered(at, &text)?;
        }
        self.current.def = def;
        let mut state = OpState::new(name, self.current.location);
        let operands = self.parse_operand_list(Delimiter::Paren)?;
        if self.at("[") {
            if def.is_some_and(|def| !def.traits.contains(Traits::TERMINATOR)) {
                return self.error(self.here(), "successors in non-terminator");
            }
            self.delimited_list(Delimiter::Square, |p| {
                state.successors.push(p.parse_successor()?);
                Ok(())
            })?;
        }
        if self.at("<") {
            self.expect("<")?;
            if !self.at("{") {
                return self.expected("'{' of properties");
            }
            self.parse_attr_dict(&mut state)?;
            self.expect(">")?;
        }
        if self.at("(") {
            state.regions = self.parse_generic_regions()?;
        }
        self.parse_attr_dict(&mut state)?;
        self.expect_in(":", " followed by operation type")?;
        let types_at = self.here();
        if !self.at("(") {
            return self.error(types_at, "expected function type");
        }
        let inputs = self.parse_paren_type_list()?;
        let results = self.parse_arrow_type_list()?;
        state.results.extend(results);
        if operands.len() != inputs.len() {
            let message =
                format!("expected {} operand types but had {}", operands.len(), inputs.len());
            return self.error(types_at, message);
        }
        self.resolve_all(&operands, &inputs, types_at, &mut state.operands)?;
        Ok(state)
    }

    /// Sets the location of the operation being read; parse hooks rarely need it.
    pub fn set_location(&mut self, location: Location) {
        self.current.location = location;
    }

    /// Adds `operandSegmentSizes` to an operation whose operand groups have these sizes.
    pub fn set_operand_segments(&mut self, state: &mut OpState, sizes: &[i32]) {
        let attr = self.ir.ctx.i32_array_attr(sizes);
        state.attrs.push((self.ir.ctx.ident("operandSegmentSizes"), attr));
    }

    /// Adds `resultSegmentSizes` to an operation whose result groups have these sizes.
    pub fn set_result_segments(&mut self, state: &mut OpState, sizes: &[i32]) {
        let attr = self.ir.ctx.i32_array_attr(sizes);
        state.attrs.push((self.ir.ctx.ident("resultSegmentSizes"), attr));
    }
}

//! Regions and blocks.

use gpuc_diagnostics::Diagnostic;
use smallvec::SmallVec;

use super::{Argument, OpParser, Position};
use crate::build::Builder;
use crate::graph::{Block, Region};
use crate::location::Location;
use crate::op::Traits;
use crate::text::ParseResult;
use crate::text::lexer::TokenKind;

impl<'s> OpParser<'_, 's> {
    /// Reads `{ ... }`. The entry block gets `arguments`, which must have types; if there are any,
    /// the text must not label that block. A terminator that the operation lets the text leave out
    /// is added.
    pub fn parse_region(&mut self, arguments: &[Argument]) -> ParseResult<Region> {
        let region = self.parse_region_as_written(arguments)?;
        self.add_implicit_terminator(region);
        Ok(region)
    }

    /// Reads a region if `{` is next; otherwise makes an empty one.
    pub fn parse_optional_region(&mut self, arguments: &[Argument]) -> ParseResult<Option<Region>> {
        if self.at("{") { self.parse_region(arguments).map(Some) } else { Ok(None) }
    }

    /// Adds the terminator of the operation being read to a region of at most one block, where it
    /// is missing; an empty region gets a block for it.
    pub fn add_implicit_terminator(&mut self, region: Region) {
        let Some(make) = self.current.def.and_then(|def| def.hooks.implicit_terminator) else {
            return;
        };
        let location = self.current.location;
        let block = match *self.ir.blocks(region) {
            [] => self.ir.append_new_block(region, &[], location),
            [block] => block,
            _ => return,
        };
        if self.ir.terminator(block).is_none() {
            make(&mut Builder::at_end(self.ir, block, location));
        }
    }

    /// [`OpParser::parse_region`] without adding a terminator.
    pub fn parse_region_as_written(&mut self, arguments: &[Argument]) -> ParseResult<Region> {
        self.expect_in("{", " to begin a region")?;
        let region = self.ir.create_region();
        let saved = self.current;
        let saved_frame = std::mem::take(&mut self.frame);
        let isolated =
            saved.def.is_some_and(|def| def.traits.contains(Traits::ISOLATED_FROM_ABOVE));
        // Of an operation that is not registered nothing is known: names mean in it what they mean around it.
        let around = self.default_dialects.last().copied().unwrap_or("");
        let own = saved.def.map_or(around, |def| def.hooks.default_dialect.unwrap_or(""));
        self.default_dialects.push(own);
        if isolated {
            self.enter_isolated();
        }
        let mark = self.scope_mark();
        self.enter_blocks();
        self.nested(|p| p.parse_region_body(region, arguments))?;
        self.leave_blocks()?;
        if isolated {
            self.leave_isolated()?;
        } else {
            self.forget_since(mark);
        }
        self.default_dialects.pop();
        self.current = saved;
        self.frame = saved_frame;
        Ok(region)
    }

    fn parse_region_body(&mut self, region: Region, arguments: &[Argument]) -> ParseResult<()> {
        if arguments.is_empty() && self.eat("}") {
            return Ok(());
        }
        let labelled = self.token.kind == TokenKind::Caret;
        if labelled && !arguments.is_empty() {
            let message = "invalid block name in region with named arguments";
            return self.error(self.here(), message);
        }
        if !labelled {
            let location = self.location_at(self.here());
            let entry = self.ir.append_new_block(region, &[], location);
            for argument in arguments {
                let at = argument.name.position();
                let Some(ty) = argument.ty else {
                    return self.error(at, "expected type of argument");
                };
                let name = self.operand_text(argument.name);
                if let Some(before) = self.place_of_name(name) {
                    let message = format!("region entry argument '{name}' is already in use");
                    let error = Diagnostic::error(message).at(self.place(at));
                    return self.report(error.related(before, "previously referenced here"));
                }
                self.add_block_argument(
                    entry,
                    at,
                    self.operand_text(argument.name),
                    ty,
                    argument.location,
                )?;
            }
            self.parse_block_body(entry)?;
        }
        while !self.eat("}") {
            if self.token.kind != TokenKind::Caret {
                return self.expected("'}'");
            }
            self.parse_block(region)?;
        }
        Ok(())
    }

    fn add_block_argument(
        &mut self,
        block: Block,
        at: Position,
        name: &'s str,
        ty: crate::Type,
        location: Option<Location>,
    ) -> ParseResult<()> {
        let location = match location {
            Some(location) => location,
            None => self.location_at(at),
        };
        let value = self.ir.add_argument(block, ty, location);
        self.define(name, at, value, 1)
    }

    /// Reads `^name(%a: i32, ...):` and the operations behind it.
    fn parse_block(&mut self, region: Region) -> ParseResult<()> {
        let (at, name) = (self.here(), self.token_text());
        self.advance();
        let block = self.define_block(name, at, None)?;
        self.ir.append_block(region, block);
        if self.eat("(") && !self.eat(")") {
            self.comma_separated(|p| {
                let argument = p.parse_operand()?;
                p.expect_in(":", " and type for SSA operand")?;
                let ty = p.parse_type()?;
                let location = p.parse_optional_location()?;
                let text = p.operand_text(argument);
                p.add_block_argument(block, argument.position(), text, ty, location)
            })?;
            self.expect(")")?;
        }
        self.expect_in(":", " after block name")?;
        self.parse_block_body(block)
    }

    fn parse_block_body(&mut self, block: Block) -> ParseResult<()> {
        while self.token.kind != TokenKind::Caret && !self.at("}") {
            self.parse_operation(block)?;
        }
        Ok(())
    }

    /// Reads `({...}, {...})` of the generic form.
    pub(super) fn parse_generic_regions(&mut self) -> ParseResult<SmallVec<[Region; 1]>> {
        let mut regions = SmallVec::new();
        self.expect("(")?;
        self.comma_separated(|p| {
            regions.push(p.parse_region_as_written(&[])?);
            Ok(())
        })?;
        self.expect_in(")", " to end region list")?;
        Ok(regions)
    }
}

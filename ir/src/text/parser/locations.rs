//! Locations: `loc("file":1:2)`, `loc(#alias)`, names, call sites, fused ones.

use super::OpParser;
use crate::attrs::AttrKind;
use crate::location::{Location, LocationKind};
use crate::text::ParseResult;
use crate::text::lexer::TokenKind;

impl OpParser<'_, '_> {
    /// Reads `loc(...)` if it is next.
    pub fn parse_optional_location(&mut self) -> ParseResult<Option<Location>> {
        if !self.at("loc") {
            return Ok(None);
        }
        self.advance();
        self.expect_in("(", " in location")?;
        let location = self.parse_location_instance()?;
        self.expect_in(")", " in location")?;
        Ok(Some(location))
    }

    pub(super) fn parse_location_instance(&mut self) -> ParseResult<Location> {
        self.nested(|p| match p.token.kind {
            TokenKind::Hash => p.parse_location_alias(),
            TokenKind::String => p.parse_named_location(),
            TokenKind::Bare => match p.token_text() {
                "unknown" => {
                    p.advance();
                    Ok(Location::UNKNOWN)
                }
                "callsite" => p.parse_call_site(),
                "fused" => p.parse_fused_location(),
                _ => p.expected("location instance"),
            },
            _ => p.expected("location instance"),
        })
    }

    /// `#name`, perhaps defined only at the end of the file.
    fn parse_location_alias(&mut self) -> ParseResult<Location> {
        let (at, name) = (self.here(), &self.token_text()[1..]);
        self.advance();
        match self.attr_aliases.get(name).map(|&attr| self.ir.ctx.attr_kind(attr)) {
            Some(&AttrKind::Location(location)) => Ok(location),
            Some(_) => {
                let found = self.ir.ctx.attr_text(self.attr_aliases[name]);
                self.error(at, format!("expected location, but found '{found}'"))
            }
            None if name.contains('.') => {
                let text = "expected location, but found dialect attribute";
                self.error(at, format!("{text}: '#{name}'"))
            }
            None => {
                let ctx = &mut self.ir.ctx;
                let pending = self
                    .pending_locations
                    .entry(name)
                    .or_insert_with(|| (ctx.add_location(LocationKind::Unknown), at));
                Ok(pending.0)
            }
        }
    }

    /// `"file":1:2`, `"file":1:2 to 3:4`, `"file":1:2 to :4` or `"name"` or `"name"(child)`.
    fn parse_named_location(&mut self) -> ParseResult<Location> {
        let text = self.string()?;
        let name = self.ir.ctx.ident(&text);
        if self.eat(":") {
            let line =
                self.parse_line_or_column("expected integer line number in FileLineColLoc")?;
            self.expect(":")?;
            let column =
                self.parse_line_or_column("expected integer column number in FileLineColLoc")?;
            if !self.eat("to") {
                return Ok(self.ir.ctx.file_location(name, line, column));
            }
            let end_line = if self.eat(":") {
                line
            } else {
                let message = "expected integer line number or `:` in FileLineColRange";
                let end_line = self.parse_line_or_column(message)?;
                self.expect(":")?;
                end_line
            };
            let end_column =
                self.parse_line_or_column("expected integer column number in FileLineColRange")?;
            return Ok(self.ir.ctx.range_location(name, (line, column), (end_line, end_column)));
        }
        let child = if self.eat("(") {
            let child = self.parse_location_instance()?;
            self.expect_in(")", " after child location of NameLoc")?;
            child
        } else {
            Location::UNKNOWN
        };
        Ok(self.ir.ctx.add_location(LocationKind::Name { name, child }))
    }

    fn parse_line_or_column(&mut self, message: &str) -> ParseResult<u32> {
        let at = self.here();
        match self.optional_integer()?.map(u32::try_from) {
            Some(Ok(number)) => Ok(number),
            _ => self.error(at, message),
        }
    }

    fn parse_call_site(&mut self) -> ParseResult<Location> {
        self.advance();
        self.expect_in("(", " in callsite location")?;
        let callee = self.parse_location_instance()?;
        self.expect_in("at", " in callsite location")?;
        let caller = self.parse_location_instance()?;
        self.expect_in(")", " in callsite location")?;
        Ok(self.ir.ctx.add_location(LocationKind::CallSite { callee, caller }))
    }

    fn parse_fused_location(&mut self) -> ParseResult<Location> {
        self.advance();
        let metadata = if self.eat("<") {
            let metadata = self.parse_attr()?;
            self.expect_in(">", " after fused location metadata")?;
            Some(metadata)
        } else {
            None
        };
        let mut parts = Vec::new();
        self.delimited_list_in(super::Delimiter::Square, " in fused location", |p| {
            parts.push(p.parse_location_instance()?);
            Ok(())
        })?;
        let parts = parts.into();
        Ok(self.ir.ctx.add_location(LocationKind::Fused { parts, metadata }))
    }
}

//! Whole texts: top-level operations, aliases, resources.

use gpuc_diagnostics::{Diagnostic, Place};

use super::{OpParser, Position};
use crate::attrs::{Attr, AttrKind};
use crate::context::ExternalResource;
use crate::graph::{Block, Op, OpState};
use crate::location::Location;
use crate::text::lexer::TokenKind;
use crate::text::{ParseError, ParseResult};
use crate::types::Type;

impl<'s> OpParser<'_, 's> {
    /// Reads everything; one `builtin.module` is returned as it is, anything else inside a new
    /// one.
    pub(in crate::text) fn parse_top(&mut self, length: usize) -> ParseResult<Op> {
        if length > self.lexer.text.len() {
            return self.error(Position(0), "text of 4 GiB or more");
        }
        let location = self.location_at(Position(0));
        let region = self.ir.create_region();
        let block = self.ir.append_new_block(region, &[], location);
        self.enter_blocks();
        loop {
            match self.token.kind {
                TokenKind::Eof => break,
                TokenKind::Hash => self.parse_attr_alias()?,
                TokenKind::Exclaim => self.parse_type_alias()?,
                TokenKind::Punctuation if self.at("{-#") => self.parse_metadata()?,
                TokenKind::Bare | TokenKind::String | TokenKind::Percent => {
                    self.parse_operation(block)?;
                }
                _ => return self.expected("operation name in quotes"),
            }
        }
        self.leave_blocks()?;
        self.leave_isolated()?;
        self.finish_locations()?;
        if !self.implicit_module {
            let count = self.ir.ops(block).count();
            return match self.ir.first_op(block).filter(|_| count == 1) {
                Some(op) => {
                    self.ir.detach_op(op);
                    Ok(op)
                }
                None => {
                    // Upstream says it of the whole text: of the line in front of its first one, which for a part of
                    // a split file is the rest of the line with the marker.
                    let line = self.place(Position(0)).line.saturating_sub(2);
                    let text = "source must contain a single top-level operation";
                    let error = Diagnostic::error(format!("{text}, found: {count}"));
                    self.report(error.at(Place::new(self.file.clone(), line, 0, 0)))
                }
            };
        }
        Ok(self.top_op(block, region, location))
    }

    fn top_op(&mut self, block: Block, region: crate::Region, location: Location) -> Op {
        if let Some(op) = self.ir.first_op(block)
            && self.ir.next_op(op).is_none()
            && self.ir.name(op) == "builtin.module"
        {
            self.ir.detach_op(op);
            return op;
        }
        let name = self.ir.ctx.op_name("builtin.module");
        let mut state = OpState::new(name, location);
        state.regions.push(region);
        self.ir.create_op(state)
    }

    /// Reads a single type that is the whole text.
    pub(in crate::text) fn parse_lone_type(&mut self) -> ParseResult<Type> {
        let ty = self.parse_type()?;
        self.expect_end()?;
        Ok(ty)
    }

    /// Reads a single attribute that is the whole text.
    pub(in crate::text) fn parse_lone_attr(&mut self) -> ParseResult<Attr> {
        let attr = self.parse_attr()?;
        self.expect_end()?;
        Ok(attr)
    }

    fn expect_end(&mut self) -> ParseResult<()> {
        if self.token.kind == TokenKind::Eof { Ok(()) } else { self.expected("end of text") }
    }

    /// `#name = attribute`.
    fn parse_attr_alias(&mut self) -> ParseResult<()> {
        let (at, name) = (self.here(), &self.token_text()[1..]);
        self.advance();
        if name.contains('.') {
            return self
                .error(at, "attribute names with a '.' are reserved for dialect-defined names");
        }
        if self.attr_aliases.contains_key(name) {
            return self.error(at, format!("redefinition of attribute alias id '{name}'"));
        }
        self.expect_in("=", " in attribute alias definition")?;
        let attr = self.parse_attr()?;
        if let Some(&(pending, used)) = self.pending_locations.get(name) {
            let &AttrKind::Location(location) = self.ir.ctx.attr_kind(attr) else {
                let found = self.ir.ctx.attr_text(attr);
                return self.error(used, format!("expected location, but found '{found}'"));
            };
            let kind = self.ir.ctx.location_kind(location).clone();
            self.ir.ctx.set_location_kind(pending, kind);
            self.pending_locations.remove(name);
            let attr = self.ir.ctx.intern_attr(AttrKind::Location(pending));
            self.attr_aliases.insert(name, attr);
        } else {
            self.attr_aliases.insert(name, attr);
        }
        Ok(())
    }

    /// `!name = type`.
    fn parse_type_alias(&mut self) -> ParseResult<()> {
        let (at, name) = (self.here(), &self.token_text()[1..]);
        self.advance();
        if name.contains('.') {
            return self.error(at, "type names with a '.' are reserved for dialect-defined names");
        }
        if self.type_aliases.contains_key(name) {
            return self.error(at, format!("redefinition of type alias id '{name}'"));
        }
        self.expect_in("=", " in type alias definition")?;
        let ty = self.parse_type()?;
        self.type_aliases.insert(name, ty);
        Ok(())
    }

    /// `{-# ... #-}`: the bytes of dense resources, and what other tools left, are kept in the context for who asks.
    fn parse_metadata(&mut self) -> ParseResult<()> {
        self.advance();
        while !self.at("#-}") {
            let at = self.here();
            if self.token.kind != TokenKind::Bare {
                return self.error(at, "expected identifier key in file metadata dictionary");
            }
            let key = self.token_text();
            self.advance();
            self.expect(":")?;
            match key {
                "dialect_resources" => self.resource_group(true)?,
                "external_resources" => self.resource_group(false)?,
                _ => {
                    let text = format!("unknown key '{key}' in file metadata dictionary");
                    return self.error(at, text);
                }
            }
            if !self.eat(",") {
                break;
            }
        }
        if !self.at("#-}") {
            return self.error(self.here(), "expected '#-}' at end of file metadata");
        }
        self.advance();
        Ok(())
    }

    /// `{name: {key: value, ...}, ...}`: resources of dialects, or of others.
    fn resource_group(&mut self, of_dialects: bool) -> ParseResult<()> {
        self.resource_entries(|p, at, name| {
            let is_known = p.ir.ctx.dialect(name).is_some() || p.ir.ctx.accepts_unknown(name);
            if of_dialects && !is_known {
                return p.error(at, format!("dialect '{name}' is unknown"));
            }
            p.resource_entries(|p, at, key| {
                if !of_dialects {
                    let quoted = p.token.kind == TokenKind::String;
                    let value = p.resource_value()?;
                    let (group, key) = (name.to_owned(), key.to_owned());
                    p.ir.ctx.add_external_resource(ExternalResource { group, key, value, quoted });
                    return Ok(());
                }
                if name != "builtin" {
                    let text = format!("unknown 'resource' key '{key}' for dialect '{name}'");
                    return p.error(at, text);
                }
                let text = p.token_text();
                let digits = text.strip_prefix("\"0x").and_then(|rest| rest.strip_suffix('"'));
                let is_blob = |digits: &str| {
                    digits.len().is_multiple_of(2) && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
                };
                let Some(digits) = digits.filter(|digits| is_blob(digits)) else {
                    return p.error(p.here(), format!("expected hex string blob for key '{key}'"));
                };
                if digits.len() < 8 {
                    let text = format!(
                        "expected hex string blob for key '{key}' to encode alignment in first 4 bytes"
                    );
                    return p.error(p.here(), text);
                }
                p.ir.ctx.add_blob(key, digits.to_ascii_uppercase());
                p.advance();
                Ok(())
            })
        })
    }

    /// A number, a string or a truth value.
    fn resource_value(&mut self) -> ParseResult<String> {
        if self.token.kind == TokenKind::String {
            return self.string();
        }
        let text = self.token_text();
        if self.token.kind != TokenKind::Integer && !matches!(text, "true" | "false") {
            return self.expected("value of a resource entry");
        }
        self.advance();
        Ok(text.to_owned())
    }

    /// `{key: ..., ...}`; `entry` reads what stands behind the colon.
    fn resource_entries(
        &mut self,
        mut entry: impl FnMut(&mut Self, Position, &str) -> ParseResult<()>,
    ) -> ParseResult<()> {
        self.expect("{")?;
        while !self.at("}") {
            let at = self.here();
            let text = self.token_text();
            let key = match self.token.kind {
                TokenKind::Bare => text,
                TokenKind::String => text.trim_matches('"'),
                _ => return self.error(at, "expected identifier key for 'resource' entry"),
            };
            self.advance();
            self.expect(":")?;
            entry(self, at, key)?;
            if !self.eat(",") {
                break;
            }
        }
        self.expect("}")
    }

    /// Locations that were named but never defined are errors.
    fn finish_locations(&mut self) -> ParseResult<()> {
        let mut missing: Vec<_> =
            self.pending_locations.iter().map(|(&name, &(_, at))| (at, name)).collect();
        missing.sort();
        for &(at, name) in &missing {
            let _: ParseResult<()> =
                self.error(at, format!("operation location alias was never defined: #{name}"));
        }
        if missing.is_empty() { Ok(()) } else { Err(ParseError) }
    }
}

//! Functions, parameters, variables and their initialisers.

use bumpalo::Bump;
use gpuc_diagnostics::did_you_mean;

use crate::isa::Type;

use super::lexer::TokenKind;
use super::parser::{MAX_DEPTH, Parser, Refused};
use super::{Function, Initial, Linkage, Name, Space, Span, Variable};

/// No variable is larger: sizes stay far from overflow.
const MAX_VARIABLE_BYTES: u64 = 1 << 40;

impl<'a> Parser<'a, '_> {
    /// A function; of its body only where it is, and the places of variables of the module in it.
    pub(super) fn function(
        &mut self,
        linkage: Linkage,
        arena: &Bump,
        inner: &mut Vec<u32>,
    ) -> Result<Function<'a>, Refused> {
        let is_entry = self.next().kind == TokenKind::Dot("entry");
        let returns = if !is_entry && self.at_sign('(') { self.parameters()? } else { Vec::new() };
        let name = self.word("a function name")?;
        let params = if self.at_sign('(') { self.parameters()? } else { Vec::new() };
        let mut function = Function {
            name,
            is_entry,
            linkage,
            returns,
            params,
            required_block: None,
            max_block: None,
            required_cluster: None,
            grid_of_clusters: false,
            body: None,
        };
        while let TokenKind::Dot(directive) = self.peek().kind {
            let span = self.next().span;
            match directive {
                "maxntid" => function.max_block = Some(self.extents()?),
                "reqntid" => function.required_block = Some(self.extents()?),
                "noreturn" | "explicitcluster" => {}
                "blocksareclusters" => function.grid_of_clusters = true,
                "minnctapersm" | "maxnctapersm" | "maxnreg" | "maxclusterrank" => {
                    self.integer("a number")?;
                }
                "reqnctapercluster" => function.required_cluster = Some(self.extents()?),
                "pragma" => {
                    self.next();
                    self.expect(';')?;
                }
                other => {
                    return Err(
                        self.error_at(span, format!("unknown function directive `.{other}`"))
                    );
                }
            }
        }
        if !self.eat(';') {
            if !self.at_sign('{') {
                return Err(self.refuse("expected `;` or the body of the function"));
            }
            function.body = Some(self.body(arena, inner)?);
        }
        Ok(function)
    }

    /// `x`, `x, y` or `x, y, z`, with ones for what is missing.
    pub(super) fn extents(&mut self) -> Result<[u32; 3], Refused> {
        let mut extents = [1; 3];
        for (i, extent) in extents.iter_mut().enumerate() {
            if i > 0 && !self.eat(',') {
                break;
            }
            *extent = self.small("a number of threads")?;
        }
        Ok(extents)
    }

    pub(super) fn parameters(&mut self) -> Result<Vec<Variable<'a>>, Refused> {
        self.expect('(')?;
        let mut params = Vec::new();
        while !self.at_sign(')') {
            let space = match self.peek().kind {
                TokenKind::Dot("param") => Space::Param,
                TokenKind::Dot("reg") => Space::Register,
                _ => return Err(self.refuse("expected `.param` or `.reg`")),
            };
            self.skip(1);
            params.push(self.declarator_with_type(space, Linkage::Local)?);
            if !self.eat(',') {
                break;
            }
        }
        self.expect(')')?;
        Ok(params)
    }

    /// Alignment and type, then one name; for parameters.
    pub(super) fn declarator_with_type(
        &mut self,
        space: Space,
        linkage: Linkage,
    ) -> Result<Variable<'a>, Refused> {
        let (ty, vector, align) = self.variable_type()?;
        self.declarator(space, ty, vector, align, linkage)
    }

    /// `.align 8 .v2 .f32`, with attributes that mean nothing here.
    pub(super) fn variable_type(&mut self) -> Result<(Type, u64, Option<u64>), Refused> {
        let mut align = None;
        let mut vector = 1;
        let mut ty = None;
        while let TokenKind::Dot(word) = self.peek().kind {
            let span = self.next().span;
            match word {
                "align" => {
                    let value = self.integer("an alignment")?;
                    if !value.is_power_of_two() || value > 1 << 16 {
                        return Err(self.error_at(span, format!("{value} is not an alignment")));
                    }
                    align = Some(value);
                }
                // Their value is the handle of what is bound to them.
                "texref" | "surfref" | "samplerref" => ty = Some(Type::B64),
                "ptr" | "global" | "const" | "shared" | "local" | "param" => {}
                "v2" => vector = 2,
                "v4" => vector = 4,
                "v8" => vector = 8,
                "attribute" => {
                    self.expect('(')?;
                    while !matches!(self.next().kind, TokenKind::Sign(')') | TokenKind::End) {}
                }
                name => match Type::by_name(name) {
                    Some(found) if found != Type::Pred && found.is_storable() => ty = Some(found),
                    _ => return Err(self.unknown_type(name, span)),
                },
            }
        }
        match ty {
            Some(ty) => Ok((ty, vector, align)),
            None => Err(self.refuse("expected a type")),
        }
    }

    pub(super) fn unknown_type(&self, name: &str, span: Span) -> Refused {
        let mut error =
            self.error_at(span, format!("`.{name}` is not a type that is supported here"));
        if let Some(near) = did_you_mean(name, Type::names()) {
            error.help.push(format!("did you mean `.{near}`?"));
        }
        error
    }

    pub(super) fn declarator(
        &mut self,
        space: Space,
        element: Type,
        vector: u64,
        align: Option<u64>,
        linkage: Linkage,
    ) -> Result<Variable<'a>, Refused> {
        let name = self.word("a variable name")?;
        let mut size = element.bytes() * vector;
        while self.eat('[') {
            let span = self.peek().span;
            let extent = if self.at_sign(']') { 0 } else { self.constant()? };
            self.expect(']')?;
            size = size
                .checked_mul(extent)
                .filter(|&size| size <= MAX_VARIABLE_BYTES)
                .ok_or_else(|| self.error_at(span, "variable is too large"))?;
        }
        let mut variable = Variable {
            name,
            space,
            align: align.unwrap_or(element.bytes() * vector),
            size,
            element,
            linkage,
            initial: Vec::new(),
        };
        if self.at_sign('=') {
            if !matches!(space, Space::Global | Space::Const) {
                return Err(self.refuse("only `.global` and `.const` variables have initialisers"));
            }
            self.skip(1);
            self.initialiser(&mut variable.initial, 0)?;
            let given = variable.initial.len() as u64 * element.bytes();
            // The first extent of an array may be left to the initialiser.
            if variable.size == 0 {
                variable.size = given;
            } else if given > variable.size {
                return Err(self
                    .error_at(name.span, format!("too many initial values for `{}`", name.text)));
            }
        }
        Ok(variable)
    }

    pub(super) fn initialiser(
        &mut self,
        out: &mut Vec<Initial<'a>>,
        depth: u32,
    ) -> Result<(), Refused> {
        if depth > MAX_DEPTH {
            return Err(self.refuse("initialiser nested too deeply"));
        }
        if self.eat('{') {
            while !self.at_sign('}') {
                self.initialiser(out, depth + 1)?;
                if !self.eat(',') {
                    break;
                }
            }
            return self.expect('}');
        }
        let value = match self.peek().kind {
            TokenKind::F32(bits) => {
                self.skip(1);
                Initial::F32(bits)
            }
            TokenKind::F64(bits, _) => {
                self.skip(1);
                Initial::F64(bits)
            }
            TokenKind::Sign('-') if matches!(self.second().kind, TokenKind::F64(..)) => {
                self.skip(1);
                let TokenKind::F64(bits, _) = self.next().kind else { return Ok(()) };
                Initial::F64(bits ^ (1 << 63))
            }
            TokenKind::Int(mask) if self.second().kind == TokenKind::Sign('(') => {
                self.skip(2);
                let symbol = self.word("a variable")?;
                let offset = self.offset()?;
                self.expect(')')?;
                Initial::Address { symbol, offset, mask }
            }
            TokenKind::Word("generic") if self.second().kind == TokenKind::Sign('(') => {
                self.skip(2);
                let symbol = self.word("a variable")?;
                let inner = self.offset()?;
                self.expect(')')?;
                let offset = inner.wrapping_add(self.offset()?);
                Initial::Address { symbol, offset, mask: u64::MAX }
            }
            TokenKind::Word(text) => {
                let symbol = Name { text, span: self.next().span };
                Initial::Address { symbol, offset: self.offset()?, mask: u64::MAX }
            }
            _ => Initial::Int(self.constant()?),
        };
        out.push(value);
        Ok(())
    }

    /// `+4`, `-4`, `+-4` or nothing.
    pub(super) fn offset(&mut self) -> Result<i64, Refused> {
        if self.eat('+') || self.at_sign('-') { Ok(self.constant()? as i64) } else { Ok(0) }
    }

    /// One declaration, which may name several variables, up to and with its `;`.
    pub(super) fn variables(
        &mut self,
        linkage: Linkage,
        out: &mut Vec<Variable<'a>>,
    ) -> Result<(), Refused> {
        let space = match self.next().kind {
            TokenKind::Dot("global") => Space::Global,
            TokenKind::Dot("const") => Space::Const,
            TokenKind::Dot("shared") => Space::Shared,
            TokenKind::Dot("local") => Space::Local,
            _ => Space::Param,
        };
        let (ty, vector, align) = self.variable_type()?;
        loop {
            out.push(self.declarator(space, ty, vector, align, linkage)?);
            if !self.eat(',') {
                return self.expect(';');
            }
        }
    }
}

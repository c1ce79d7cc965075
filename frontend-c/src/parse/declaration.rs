//! Declarations and function definitions (C11 §6.7 and §6.9).

use gpuc_diagnostics::Diagnostic;

use super::declarator::{Declarator, Derivation};
use super::specifiers::Specifiers;
use super::{Failed, FunctionContext, Parsed, Parser};
use crate::lex::{Keyword, Punct, TokenKind};
use crate::source::Span;
use crate::tree::{DeclId, DeclKind, Initializer, Item, ItemKind, StmtId};
use crate::types::{Declaration, InitSyntax, StorageClass, Type};

impl Parser {
    /// Something at file scope.
    pub(super) fn external_declaration(&mut self) -> Parsed<()> {
        let start = self.span();
        while self.eat_keyword(Keyword::Extension) {}
        let kind = match self.peek() {
            TokenKind::Punct(Punct::Semicolon) => {
                self.advance();
                ItemKind::Other
            }
            TokenKind::Pragma(number) => self.file_scope_pragma(number)?,
            _ => match self.keyword() {
                Some(Keyword::StaticAssert | Keyword::StaticAssertName) => {
                    self.static_assert()?;
                    ItemKind::Other
                }
                Some(Keyword::Asm) => {
                    self.asm()?;
                    ItemKind::Other
                }
                _ => self.declaration_or_function()?,
            },
        };
        let span = self.span_from(start);
        self.checker.unit.items.push(Item { kind, span });
        self.hmpp_behind_item(span);
        Ok(())
    }

    /// Specifiers, or the `int` that `main() { … }` of old leaves out.
    fn external_specifiers(&mut self) -> Parsed<Specifiers> {
        let implicit = matches!(self.peek(), TokenKind::Ident(_))
            && self.keyword().is_none()
            && !self.starts_type(self.peek())
            && self.peek_ahead(1) == TokenKind::Punct(Punct::LParen);
        if !implicit {
            return self.specifiers_of_declaration();
        }
        Ok(Specifiers::implicit_int(self.span()))
    }

    /// Specifiers; a name in their place is a type that is not declared.
    fn specifiers_of_declaration(&mut self) -> Parsed<Specifiers> {
        if let TokenKind::Ident(name) = self.peek()
            && self.keyword().is_none()
            && !self.starts_type(self.peek())
            && matches!(self.peek_ahead(1), TokenKind::Ident(_) | TokenKind::Punct(Punct::Star))
        {
            let span = self.advance().span;
            self.unknown_type(name, span);
            return Err(Failed);
        }
        self.specifiers()
    }

    /// Reports that `name` is used as a type and is none.
    pub(super) fn unknown_type(&mut self, name: crate::symbol::Symbol, span: Span) {
        let text = self.checker.unit.text(name);
        let mut diagnostic = Diagnostic::error(format!("`{text}` is not a type"));
        let types =
            ["int", "float", "double", "char", "long", "short", "unsigned", "void", "struct"];
        let near = gpuc_diagnostics::did_you_mean(text, types).map(str::to_owned);
        let near =
            near.or_else(|| self.checker.nearest(name, |d| matches!(d.kind, DeclKind::Typedef)));
        if let Some(near) = near {
            diagnostic = diagnostic.meant(near);
        }
        self.checker.report(span, diagnostic);
    }

    fn declaration_or_function(&mut self) -> Parsed<ItemKind> {
        let specifiers = self.external_specifiers()?;
        if self.eat(Punct::Semicolon) {
            return Ok(ItemKind::Declaration(Vec::new()));
        }
        let declarator = self.declarator()?;
        if let Some(Derivation::Function { names, .. }) = declarator.parameters() {
            let old_style = !names.is_empty() && self.starts_declaration();
            if self.at(Punct::LBrace) || old_style {
                return Ok(ItemKind::Function(self.function_definition(&specifiers, declarator)?));
            }
        }
        Ok(ItemKind::Declaration(self.init_declarators(&specifiers, declarator)?))
    }

    /// A declaration within a function.
    pub(super) fn block_declaration(&mut self) -> Parsed<Vec<DeclId>> {
        let specifiers = self.specifiers_of_declaration()?;
        if self.eat(Punct::Semicolon) {
            return Ok(Vec::new());
        }
        let declarator = self.declarator()?;
        if declarator.parameters().is_some() && self.at(Punct::LBrace) {
            let span = declarator.span;
            self.checker.unsupported(span, "functions within functions are not supported");
            self.skip_group();
            return Ok(Vec::new());
        }
        self.init_declarators(&specifiers, declarator)
    }

    fn init_declarators(
        &mut self,
        specifiers: &Specifiers,
        first: Declarator,
    ) -> Parsed<Vec<DeclId>> {
        let mut decls = vec![self.init_declarator(specifiers, &first)?];
        while self.eat(Punct::Comma) {
            let declarator = self.declarator()?;
            decls.push(self.init_declarator(specifiers, &declarator)?);
        }
        self.expect(Punct::Semicolon, "after the declaration")?;
        Ok(decls)
    }

    /// What specifiers and declarator together declare.
    fn declaration(
        &mut self,
        specifiers: &Specifiers,
        declarator: &Declarator,
        ty: Type,
    ) -> Option<Declaration> {
        let (name, span) = declarator.name?;
        let parameters = match declarator.parameters() {
            Some(Derivation::Function { parameters, .. }) => parameters.clone(),
            _ => Vec::new(),
        };
        Some(Declaration {
            name,
            ty,
            span,
            class: specifiers.class,
            thread: specifiers.thread,
            inline: specifiers.inline,
            noreturn: specifiers.noreturn || declarator.attributes.noreturn,
            constexpr: specifiers.constexpr,
            align: specifiers.attributes.align.max(declarator.attributes.align),
            asm_label: declarator.asm_label,
            parameters,
            defines: self.at(Punct::Eq),
        })
    }

    fn init_declarator(
        &mut self,
        specifiers: &Specifiers,
        declarator: &Declarator,
    ) -> Parsed<DeclId> {
        // C23's `auto name = value`; before it, `auto` was a storage class with an implicit `int`.
        let deduces = specifiers.class != StorageClass::Auto
            || declarator.derivations.is_empty() && self.at(Punct::Eq);
        if specifiers.deduced && deduces {
            return self.deduced_declarator(specifiers, declarator);
        }
        let ty = self.declared_type(specifiers, declarator);
        let Some(declaration) = self.declaration(specifiers, declarator, ty) else {
            return Err(self.unexpected("a name to declare"));
        };
        let span = declaration.span;
        let local = self.checker.scopes.depth() > 1;
        let is_object =
            declaration.class != StorageClass::Typedef && !self.checker.unit.types.is_function(ty);
        let decl = self.checker.declare(declaration);
        if self.eat(Punct::Eq) {
            let syntax = self.initializer()?;
            self.set_initializer(decl, ty, &syntax);
        }
        let complete_now = is_object && local && specifiers.class != StorageClass::Extern;
        if complete_now {
            let ty = self.checker.unit.decls[decl].ty;
            let name = self.checker.unit.name(decl).to_owned();
            if !self.checker.require_complete(ty, span, &format!("`{name}`")) {
                self.checker.unit.decls[decl].ty = Type::ERROR;
            }
        }
        Ok(decl)
    }

    fn set_initializer(&mut self, decl: DeclId, ty: Type, syntax: &InitSyntax) {
        let (init, ty) = self.checker.initialize(ty, syntax);
        let decl = &mut self.checker.unit.decls[decl];
        if let DeclKind::Variable(variable) = &mut decl.kind {
            variable.init = Some(init);
            variable.declared_only = false;
            decl.ty = ty;
        }
    }

    /// `auto name = value;` and `__auto_type`.
    fn deduced_declarator(
        &mut self,
        specifiers: &Specifiers,
        declarator: &Declarator,
    ) -> Parsed<DeclId> {
        let Some(mut declaration) = self.declaration(specifiers, declarator, Type::ERROR) else {
            return Err(self.unexpected("a name to declare"));
        };
        self.expect(Punct::Eq, "after a name whose type is deduced")?;
        let expr = self.assignment_expression()?;
        let value = self.checker.rvalue(expr);
        let qualifiers = specifiers.ty.qualifiers();
        let ty = self.checker.ty(value).unqualified();
        declaration.ty = self.checker.unit.types.qualify(ty, qualifiers);
        declaration.class = if declaration.class == StorageClass::Auto {
            StorageClass::None
        } else {
            declaration.class
        };
        let decl = self.checker.declare(declaration);
        if let DeclKind::Variable(variable) = &mut self.checker.unit.decls[decl].kind {
            variable.init = Some(Initializer::Value(value));
        }
        Ok(decl)
    }

    fn function_definition(
        &mut self,
        specifiers: &Specifiers,
        declarator: Declarator,
    ) -> Parsed<DeclId> {
        let ty = self.declared_type(specifiers, &declarator);
        let Some(mut declaration) = self.declaration(specifiers, &declarator, ty) else {
            return Err(self.unexpected("the name of the function"));
        };
        declaration.defines = true;
        let span = declaration.span;
        let parameters = declaration.parameters.clone();
        let decl = self.checker.declare(declaration);
        let defined = match &mut self.checker.unit.decls[decl].kind {
            DeclKind::Function(function) => {
                function.parameters.clone_from(&parameters);
                function.body.is_some()
            }
            _ => false,
        };
        // Clang's omp.h has the variants of `omp begin declare variant`, of which its compiler takes one.
        if defined && !self.checker.unit.source.is_system(span.start) {
            let name = self.checker.unit.name(decl).to_owned();
            self.checker.error(span, format!("the function `{name}` is defined twice"));
        }
        let result = match self.checker.unit.types.as_function(ty) {
            Some(function) => function.result,
            None => Type::ERROR,
        };
        if !self.checker.unit.types.is_void(result) {
            self.checker.require_complete(result, span, "the result of this function");
        }
        self.function = Some(FunctionContext {
            decl,
            result,
            labels: Default::default(),
            label_order: Vec::new(),
            switches: Vec::new(),
            loops: 0,
        });
        let names = match declarator.parameters() {
            Some(Derivation::Function { names, .. }) => names.clone(),
            _ => Vec::new(),
        };
        self.checker.scopes.enter();
        // What a function without directives has that is not supported is the host's, and refused
        // once a region calls it. Of a system header, that is everything that cannot be read.
        let system = self.checker.unit.source.is_system(span.start);
        let start = self.at;
        let aside = system || !self.body_has_directives() && !self.begins_codelet(decl);
        if aside {
            self.checker.begin_aside(system);
        }
        let body = self.function_body(decl, &parameters, &names);
        self.checker.scopes.leave();
        let context = self.function.take();
        if aside && let Some(error) = self.checker.end_aside() {
            self.skip_body(start);
            if let DeclKind::Function(function) = &mut self.checker.unit.decls[decl].kind {
                function.unreadable = Some(Box::new(error));
            }
            return Ok(decl);
        }
        let body = body?;
        let labels = context.map_or_else(Vec::new, |context| self.finish_labels(context));
        if let DeclKind::Function(function) = &mut self.checker.unit.decls[decl].kind {
            function.body = Some(body);
            function.labels = labels;
        }
        Ok(decl)
    }

    /// Whether a directive stands in the body of the function whose declarator ends here.
    fn body_has_directives(&mut self) -> bool {
        let (start, end) = (self.at, self.end);
        self.skip_body(start);
        let body = &self.tokens[start..self.at];
        let found = body.iter().any(|token| matches!(token.kind, TokenKind::Pragma(_)));
        (self.at, self.end) = (start, end);
        found
    }

    /// Passes the body of the function whose declarator ended before token `start`.
    fn skip_body(&mut self, start: usize) {
        self.at = start;
        while !self.at(Punct::LBrace) && self.peek() != TokenKind::Eof {
            self.advance();
        }
        self.skip_group();
    }

    fn function_body(
        &mut self,
        decl: DeclId,
        parameters: &[DeclId],
        names: &[(crate::symbol::Symbol, Span)],
    ) -> Parsed<StmtId> {
        for &parameter in parameters {
            let Some(name) = self.checker.unit.decls[parameter].name else { continue };
            let span = self.checker.unit.decls[parameter].span;
            if self.checker.scopes.find_innermost(name).is_some() {
                let text = self.checker.unit.text(name).to_owned();
                self.checker.error(span, format!("two parameters are named `{text}`"));
            }
            self.checker.scopes.bind(name, crate::types::Entity::Decl(parameter));
            let ty = self.checker.unit.decls[parameter].ty;
            let what = format!("`{}`", self.checker.unit.text(name));
            self.checker.require_complete(ty, span, &what);
        }
        if !names.is_empty() {
            let parameters = self.old_style_parameters(names)?;
            if let DeclKind::Function(function) = &mut self.checker.unit.decls[decl].kind {
                function.parameters = parameters;
            }
        }
        self.codelet_body(decl)
    }

    /// The declarations between `f(a, b)` and its body.
    fn old_style_parameters(
        &mut self,
        names: &[(crate::symbol::Symbol, Span)],
    ) -> Parsed<Vec<DeclId>> {
        let mut declared = Vec::new();
        while self.starts_declaration() {
            let specifiers = self.specifiers()?;
            loop {
                let declarator = self.declarator()?;
                let ty = self.declared_type(&specifiers, &declarator);
                let name = declarator.name.map(|(name, _)| name);
                let number = names.iter().position(|&(n, _)| Some(n) == name);
                if number.is_none() {
                    let span = declarator.span;
                    self.checker.error(span, "this is not one of the function's parameters");
                }
                let parameter = self.parameter(&declarator, ty, number.unwrap_or(0) as u32);
                declared.push((number, parameter));
                if !self.eat(Punct::Comma) {
                    break;
                }
            }
            self.expect(Punct::Semicolon, "after the declaration")?;
        }
        let mut parameters = Vec::new();
        for (number, &(name, span)) in names.iter().enumerate() {
            let found = declared.iter().find(|(n, _)| *n == Some(number)).map(|&(_, p)| p);
            parameters.push(found.unwrap_or_else(|| {
                let declarator =
                    Declarator { name: Some((name, span)), span, ..Declarator::default() };
                self.parameter(&declarator, Type::INT, number as u32)
            }));
        }
        Ok(parameters)
    }

    /// The labels of a function that has been read; each must stand somewhere.
    fn finish_labels(&mut self, context: FunctionContext) -> Vec<DeclId> {
        let mut labels = Vec::new();
        for name in context.label_order {
            let Some(&(decl, span)) = context.labels.get(&name) else { continue };
            if matches!(self.checker.unit.decls[decl].kind, DeclKind::Label(None)) {
                let text = self.checker.unit.text(name).to_owned();
                self.checker
                    .error(span, format!("the label `{text}` does not stand in this function"));
            }
            labels.push(decl);
        }
        labels
    }

    /// `_Static_assert(condition, "message");`
    pub(super) fn static_assert(&mut self) -> Parsed<()> {
        let start = self.advance().span;
        self.expect(Punct::LParen, "after `_Static_assert`")?;
        let condition = self.conditional_expression()?;
        let value = self.checker.require_constant(condition, "the condition of `_Static_assert`");
        let mut message = String::new();
        if self.eat(Punct::Comma) {
            let literals = self.string_literals();
            let Some(literal) = literals else {
                return Err(self.unexpected("the message of `_Static_assert`"));
            };
            message = literal.units.iter().filter_map(|&u| char::from_u32(u)).collect();
        }
        self.expect(Punct::RParen, "after `_Static_assert`")?;
        self.expect(Punct::Semicolon, "after `_Static_assert(…)`")?;
        if value == Some(0) {
            let colon = if message.is_empty() { "" } else { ": " };
            let span = self.span_from(start);
            self.checker.error(span, format!("a static assertion does not hold{colon}{message}"));
        }
        Ok(())
    }

    /// `asm …(…);`, the host compiler's.
    pub(super) fn asm(&mut self) -> Parsed<()> {
        self.advance();
        while matches!(self.keyword(), Some(Keyword::Volatile | Keyword::Goto | Keyword::Inline)) {
            self.advance();
        }
        if !self.at(Punct::LParen) {
            return Err(self.unexpected("`(` after `asm`"));
        }
        self.skip_group();
        self.expect(Punct::Semicolon, "after `asm(…)`")?;
        Ok(())
    }
}

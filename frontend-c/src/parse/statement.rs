//! Statements (C11 §6.8).

use super::{Failed, Parsed, Parser, SwitchContext};
use crate::lex::{Keyword, Punct, TokenKind};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{Decl, DeclId, DeclKind, Stmt, StmtId, StmtKind};
use crate::types::Type;

/// A label in front of a statement.
enum Label {
    /// `case low ... high:`.
    Case(i128, i128),
    /// `default:`.
    Default,
    /// `name:`.
    Name(DeclId),
}

impl Parser {
    pub(crate) fn stmt(&mut self, kind: StmtKind, start: Span) -> StmtId {
        let span = self.span_from(start);
        self.checker.unit.stmts.alloc(Stmt { kind, span })
    }

    /// `{ … }` with a scope of its own.
    pub(super) fn compound(&mut self) -> Parsed<StmtId> {
        self.checker.scopes.enter();
        let result = self.compound_in_scope();
        self.checker.scopes.leave();
        result
    }

    /// `{ … }` in the scope that is open.
    pub(crate) fn compound_in_scope(&mut self) -> Parsed<StmtId> {
        let start = self.expect(Punct::LBrace, "")?;
        let mut stmts = Vec::new();
        while !self.at(Punct::RBrace) {
            if self.peek() == TokenKind::Eof || self.checker.gave_up() {
                let place = self.checker.unit.place(start);
                let end = self.span();
                let diagnostic = gpuc_diagnostics::Diagnostic::error("a `}` is missing at the end");
                if !self.checker.gave_up() {
                    self.checker.report(end, diagnostic.related(place, "this `{` is not closed"));
                }
                return Err(Failed);
            }
            let before = self.at;
            match self.block_item() {
                Ok(stmt) => stmts.push(stmt),
                Err(Failed) => {
                    self.recover();
                    if self.at == before {
                        self.advance();
                    }
                }
            }
        }
        self.advance();
        Ok(self.stmt(StmtKind::Compound(stmts), start))
    }

    /// A declaration or a statement.
    fn block_item(&mut self) -> Parsed<StmtId> {
        let start = self.span();
        while self.eat_keyword(Keyword::Extension) {}
        match self.keyword() {
            Some(Keyword::StaticAssert | Keyword::StaticAssertName) => {
                self.static_assert()?;
                return Ok(self.stmt(StmtKind::Empty, start));
            }
            Some(Keyword::LabelDecl) => {
                while !self.at(Punct::Semicolon) && self.peek() != TokenKind::Eof {
                    self.advance();
                }
                self.expect(Punct::Semicolon, "after the labels")?;
                return Ok(self.stmt(StmtKind::Empty, start));
            }
            _ => {}
        }
        if self.declares()? {
            let decls = self.block_declaration()?;
            return Ok(self.stmt(StmtKind::Declaration(decls), start));
        }
        self.statement()
    }

    /// Whether a declaration stands here, C23's attributes in front of it (`[[maybe_unused]] int x;`) or none. They stand in
    /// front of statements too, so that they are read past; the declaration reads them again.
    fn declares(&mut self) -> Parsed<bool> {
        let (at, end) = (self.at, self.end);
        if self.at_standard_attribute() {
            self.attributes()?;
        }
        let declares = self.starts_declaration() || self.names_unknown_type();
        (self.at, self.end) = (at, end);
        Ok(declares)
    }

    /// Whether a name that is not declared stands where a type would: `real x;`.
    fn names_unknown_type(&self) -> bool {
        match (self.peek(), self.peek_ahead(1)) {
            (TokenKind::Ident(name), TokenKind::Ident(_)) => {
                self.keyword().is_none() && self.checker.scopes.find(name).is_none()
            }
            _ => false,
        }
    }

    /// A statement.
    pub(crate) fn statement(&mut self) -> Parsed<StmtId> {
        self.nested(Parser::statement_here)
    }

    fn statement_here(&mut self) -> Parsed<StmtId> {
        let start = self.span();
        if self.at_standard_attribute() {
            self.attributes()?;
        }
        match self.peek() {
            TokenKind::Pragma(number) => return self.directive_statement(number),
            TokenKind::Punct(Punct::LBrace) => return self.compound(),
            TokenKind::Punct(Punct::Semicolon) => {
                self.advance();
                return Ok(self.stmt(StmtKind::Empty, start));
            }
            TokenKind::Ident(_) if self.at_label() => {
                return self.labelled_statement();
            }
            _ => {}
        }
        match self.keyword() {
            Some(Keyword::If) => self.if_statement(),
            Some(Keyword::While) => self.while_statement(),
            Some(Keyword::Do) => self.do_statement(),
            Some(Keyword::For) => {
                let asked = self.begins_hmppcg_loop();
                let body = self.for_statement()?;
                Ok(self.hmppcg_loop(asked, body))
            }
            Some(Keyword::Switch) => self.switch_statement(),
            Some(Keyword::Case | Keyword::Default) => self.labelled_statement(),
            Some(Keyword::Goto) => self.goto_statement(),
            Some(Keyword::Return) => self.return_statement(),
            Some(Keyword::Break) => {
                let span = self.advance().span;
                let inside = |f: &super::FunctionContext| f.loops > 0 || !f.switches.is_empty();
                if !self.function.as_ref().is_some_and(inside) {
                    self.checker.error(span, "`break` stands in neither a loop nor a `switch`");
                }
                self.expect(Punct::Semicolon, "after `break`")?;
                Ok(self.stmt(StmtKind::Break, start))
            }
            Some(Keyword::Continue) => {
                let span = self.advance().span;
                if self.function.as_ref().is_none_or(|f| f.loops == 0) {
                    self.checker.error(span, "`continue` does not stand in a loop");
                }
                self.expect(Punct::Semicolon, "after `continue`")?;
                Ok(self.stmt(StmtKind::Continue, start))
            }
            Some(Keyword::Asm) => {
                self.asm()?;
                Ok(self.stmt(StmtKind::Asm, start))
            }
            Some(Keyword::Else) => Err(self.unexpected("a statement (this `else` has no `if`)")),
            // Where a declaration is no statement (`if (x) int y;`) the words say so.
            _ if self.starts_declaration() && self.keyword() != Some(Keyword::Attribute) => {
                Err(self.unexpected("a statement; a declaration needs a block around it"))
            }
            Some(Keyword::Attribute) => {
                self.attributes()?;
                self.statement()
            }
            _ => {
                let expr = self.expression()?;
                let expr = self.checker.rvalue(expr);
                self.expect(Punct::Semicolon, "after the expression")?;
                Ok(self.stmt(StmtKind::Expr(expr), start))
            }
        }
    }

    fn parenthesised(&mut self, after: &str) -> Parsed<crate::tree::ExprId> {
        self.expect(Punct::LParen, &format!("after `{after}`"))?;
        let expr = self.expression()?;
        self.expect(Punct::RParen, &format!("after the condition of `{after}`"))?;
        Ok(expr)
    }

    /// `if`, with the `else if` that follow it.
    fn if_statement(&mut self) -> Parsed<StmtId> {
        let mut choices = Vec::new();
        let mut last = loop {
            let start = self.advance().span;
            let condition = self.parenthesised("if")?;
            let condition = self.checker.condition(condition);
            let then = self.statement()?;
            choices.push((start, condition, then));
            if !self.eat_keyword(Keyword::Else) {
                break None;
            }
            if self.keyword() != Some(Keyword::If) {
                break Some(self.statement()?);
            }
        };
        while let Some((start, condition, then)) = choices.pop() {
            last = Some(self.stmt(StmtKind::If { condition, then, otherwise: last }, start));
        }
        last.ok_or(Failed)
    }

    /// The body of a loop.
    fn loop_body(&mut self) -> Parsed<StmtId> {
        if let Some(function) = &mut self.function {
            function.loops += 1;
        }
        let body = self.statement();
        if let Some(function) = &mut self.function {
            function.loops -= 1;
        }
        body
    }

    fn while_statement(&mut self) -> Parsed<StmtId> {
        let start = self.advance().span;
        let condition = self.parenthesised("while")?;
        let condition = self.checker.condition(condition);
        let body = self.loop_body()?;
        Ok(self.stmt(StmtKind::While { condition, body }, start))
    }

    fn do_statement(&mut self) -> Parsed<StmtId> {
        let start = self.advance().span;
        let body = self.loop_body()?;
        if !self.eat_keyword(Keyword::While) {
            return Err(self.unexpected("`while` after the body of `do`"));
        }
        let condition = self.parenthesised("while")?;
        let condition = self.checker.condition(condition);
        self.expect(Punct::Semicolon, "after `do … while (…)`")?;
        Ok(self.stmt(StmtKind::DoWhile { body, condition }, start))
    }

    fn for_statement(&mut self) -> Parsed<StmtId> {
        self.checker.scopes.enter();
        let result = self.for_in_scope();
        self.checker.scopes.leave();
        result
    }

    fn for_in_scope(&mut self) -> Parsed<StmtId> {
        let start = self.advance().span;
        self.expect(Punct::LParen, "after `for`")?;
        let first = self.span();
        while self.eat_keyword(Keyword::Extension) {}
        let init = if self.eat(Punct::Semicolon) {
            None
        } else if self.declares()? {
            let decls = self.block_declaration()?;
            Some(self.stmt(StmtKind::Declaration(decls), first))
        } else {
            let expr = self.expression()?;
            let expr = self.checker.rvalue(expr);
            self.expect(Punct::Semicolon, "after the start of `for`")?;
            Some(self.stmt(StmtKind::Expr(expr), first))
        };
        let mut condition = None;
        if !self.at(Punct::Semicolon) {
            let expr = self.expression()?;
            condition = Some(self.checker.condition(expr));
        }
        self.expect(Punct::Semicolon, "after the condition of `for`")?;
        let mut step = None;
        if !self.at(Punct::RParen) {
            let expr = self.expression()?;
            step = Some(self.checker.rvalue(expr));
        }
        self.expect(Punct::RParen, "after the step of `for`")?;
        let body = self.loop_body()?;
        Ok(self.stmt(StmtKind::For { init, condition, step, body }, start))
    }

    fn switch_statement(&mut self) -> Parsed<StmtId> {
        let start = self.advance().span;
        let value = self.parenthesised("switch")?;
        let mut value = self.checker.promote(value);
        let mut ty = self.checker.ty(value);
        if !ty.is_error() && !self.checker.unit.types.is_integer(ty) {
            let (span, shown) = (self.checker.span(value), self.checker.show(ty));
            value = self.checker.refuse(span, format!("`switch` needs an integer, not `{shown}`"));
            ty = Type::ERROR;
        }
        let context =
            SwitchContext { ty, cases: Vec::new(), taken: Default::default(), default: false };
        let Some(function) = &mut self.function else {
            return Err(self.unexpected("`switch` within a function"));
        };
        function.switches.push(context);
        let body = self.statement();
        let context = self.function.as_mut().and_then(|f| f.switches.pop());
        let cases = context.map_or_else(Vec::new, |c| c.cases);
        Ok(self.stmt(StmtKind::Switch { value, body: body?, cases }, start))
    }

    /// What follows a label: a statement, a declaration (C23), or nothing at the end of a block.
    fn labelled_body(&mut self) -> Parsed<StmtId> {
        let start = self.span();
        if self.at(Punct::RBrace) {
            return Ok(self.stmt(StmtKind::Empty, Span::new(start.start, start.start)));
        }
        if self.at_attribute() {
            self.attributes()?;
            if self.eat(Punct::Semicolon) {
                return Ok(self.stmt(StmtKind::Empty, start));
            }
        }
        self.nested(Parser::block_item)
    }

    /// A statement with the labels in front of it, of which there may be many.
    fn labelled_statement(&mut self) -> Parsed<StmtId> {
        let mut labels = Vec::new();
        loop {
            let start = self.span();
            labels.push((
                start,
                match (self.keyword(), self.peek()) {
                    (Some(Keyword::Case), _) => self.case_label()?,
                    (Some(Keyword::Default), _) => self.default_label()?,
                    (None, TokenKind::Ident(name)) => {
                        self.advance();
                        self.advance();
                        Label::Name(self.label(name, start)?)
                    }
                    _ => return Err(self.unexpected("a label")),
                },
            ));
            if !self.at_label() {
                break;
            }
        }
        let mut stmt = self.labelled_body()?;
        let mut cases = Vec::new();
        for (start, label) in labels.into_iter().rev() {
            let body = stmt;
            stmt = match label {
                Label::Case(low, high) => self.stmt(StmtKind::Case { low, high, body }, start),
                Label::Default => self.stmt(StmtKind::Default(body), start),
                Label::Name(label) => {
                    let stmt = self.stmt(StmtKind::Label { label, body }, start);
                    self.define_label(label, stmt, start);
                    stmt
                }
            };
            if !matches!(label, Label::Name(_)) {
                cases.push(stmt);
            }
        }
        cases.reverse();
        self.add_cases(cases);
        Ok(stmt)
    }

    /// Whether a label stands here.
    fn at_label(&self) -> bool {
        match self.keyword() {
            Some(keyword) => matches!(keyword, Keyword::Case | Keyword::Default),
            None => {
                matches!(self.peek(), TokenKind::Ident(_))
                    && self.peek_ahead(1) == TokenKind::Punct(Punct::Colon)
            }
        }
    }

    fn case_label(&mut self) -> Parsed<Label> {
        let start = self.advance().span;
        let first = self.conditional_expression()?;
        let low = self.checker.require_constant(first, "the value of `case`");
        let mut high = low;
        if self.eat(Punct::Ellipsis) {
            let last = self.conditional_expression()?;
            high = self.checker.require_constant(last, "the value of `case`");
        }
        let span = self.span_from(start);
        self.expect(Punct::Colon, "after the value of `case`")?;
        let switch = self.function.as_ref().and_then(|f| f.switches.last());
        let Some(switch) = switch else {
            self.checker.error(span, "`case` does not stand in a `switch`");
            return Err(Failed);
        };
        let wrap = |value| match self.checker.unit.types.as_int(switch.ty) {
            Some(kind) => kind.wrap(value),
            None => value,
        };
        let known = low.zip(high).map(|(low, high)| (wrap(low), wrap(high)));
        if let Some((low, high)) = known {
            let switch = self.function.as_mut().and_then(|f| f.switches.last_mut());
            let clash = switch.is_some_and(|switch| {
                // Those before do not overlap, so the last that starts in time decides.
                let before = switch.taken.range(..=high).next_back();
                let clash = before.is_some_and(|(_, &end)| low <= end);
                if !clash {
                    switch.taken.insert(low, high);
                }
                clash
            });
            if clash {
                self.checker.error(span, "this value has a `case` already");
            }
        }
        let (low, high) = known.unwrap_or((0, 0));
        Ok(Label::Case(low, high))
    }

    fn default_label(&mut self) -> Parsed<Label> {
        let start = self.advance().span;
        self.expect(Punct::Colon, "after `default`")?;
        match self.function.as_mut().and_then(|f| f.switches.last_mut()) {
            None => self.checker.error(start, "`default` does not stand in a `switch`"),
            Some(switch) => {
                if std::mem::replace(&mut switch.default, true) {
                    self.checker.error(start, "this `switch` has a `default` already");
                }
            }
        }
        Ok(Label::Default)
    }

    /// Adds the cases in front of one statement, which is finished: those inside of it come first.
    fn add_cases(&mut self, cases: Vec<StmtId>) {
        let Some(switch) = self.function.as_mut().and_then(|f| f.switches.last_mut()) else {
            return;
        };
        let stmts = &self.checker.unit.stmts;
        let Some(&first) = cases.first() else { return };
        let start = stmts[first].span.start;
        let at = switch.cases.partition_point(|&case| stmts[case].span.start < start);
        switch.cases.splice(at..at, cases);
    }

    /// The label `name` of this function, declared when it is first named.
    pub(super) fn label(&mut self, name: Symbol, span: Span) -> Parsed<DeclId> {
        let Some(function) = &mut self.function else {
            self.checker.error(span, "a label needs a function around it");
            return Err(Failed);
        };
        if let Some(&(decl, _)) = function.labels.get(&name) {
            return Ok(decl);
        }
        let kind = DeclKind::Label(None);
        let decl =
            Decl { name: Some(name), ty: Type::VOID, kind, span, align: None, asm_label: None };
        let decl = self.checker.unit.decls.alloc(decl);
        function.labels.insert(name, (decl, span));
        function.label_order.push(name);
        Ok(decl)
    }

    fn define_label(&mut self, label: DeclId, stmt: StmtId, start: Span) {
        let decl = &mut self.checker.unit.decls[label];
        decl.span = start;
        if let DeclKind::Label(Some(_)) =
            std::mem::replace(&mut decl.kind, DeclKind::Label(Some(stmt)))
        {
            let text = self.checker.unit.name(label).to_owned();
            self.checker.error(start, format!("the label `{text}` stands twice in this function"));
        }
    }

    fn goto_statement(&mut self) -> Parsed<StmtId> {
        let start = self.advance().span;
        let kind = if self.eat(Punct::Star) {
            let expr = self.expression()?;
            StmtKind::GotoComputed(self.checker.rvalue(expr))
        } else {
            let (name, span) = self.expect_name("a label after `goto`")?;
            StmtKind::Goto(self.label(name, span)?)
        };
        self.expect(Punct::Semicolon, "after `goto`")?;
        Ok(self.stmt(kind, start))
    }

    fn return_statement(&mut self) -> Parsed<StmtId> {
        let start = self.advance().span;
        let result = self.function.as_ref().map_or(Type::ERROR, |f| f.result);
        let mut value = None;
        if !self.at(Punct::Semicolon) {
            let expr = self.expression()?;
            // GNU returns a void expression from a void function, and drops any other with a warning.
            value = Some(if self.checker.unit.types.is_void(result) {
                let value = self.checker.rvalue(expr);
                let span = self.checker.span(value);
                self.checker.cast_node(value, crate::tree::CastKind::ToVoid, Type::VOID, true, span)
            } else {
                self.checker.convert_assigned(expr, result, "a result")
            });
        }
        self.expect(Punct::Semicolon, "after `return`")?;
        Ok(self.stmt(StmtKind::Return(value), start))
    }
}

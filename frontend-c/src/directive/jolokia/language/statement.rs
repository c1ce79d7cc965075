//! Functions and their statements.

use std::ops::Range;

use gpuc_diagnostics::Diagnostic;
use rustc_hash::FxHashMap;

use super::Edit;
use super::access::{Element, IMPLICIT};
use super::reader::Reader;
use super::types::{Parameter, Scalar, Variable};
use crate::lex::{Keyword, Lexed, Punct, TokenKind};
use crate::source::Span;
use crate::symbol::Symbol;

/// Factor and offset of a row or a column, where they are known.
pub(super) type Affine = Option<(i64, i64)>;

/// A function with parameters of the language.
#[derive(Clone, Debug)]
pub(super) struct Function {
    pub parameters: Vec<Parameter>,
    pub is_defined: bool,
}

/// A text that is being rewritten.
pub(super) struct Translator<'a> {
    pub reader: Reader<'a>,
    pub functions: FxHashMap<Symbol, Function>,
    /// What names stand for, from the file inwards.
    pub scopes: Vec<FxHashMap<Symbol, Variable>>,
    /// The variables of the loops around, and whether their iterations are independent.
    pub iterators: Vec<(Symbol, bool)>,
    /// What the name of an array stands for.
    pub element: Element,
    /// Whether the statement has a loop for `aview`.
    pub in_view: bool,
    /// Which elements operators reach, where that is asked for.
    pub reach: Option<Vec<(Option<Affine>, Affine, Span)>>,
    edits: Vec<Edit>,
    errors: Vec<Diagnostic>,
}

impl<'a> Translator<'a> {
    pub fn new(text: &'a [u8], lexed: &'a Lexed) -> Self {
        Translator {
            reader: Reader::new(text, lexed),
            functions: FxHashMap::default(),
            scopes: vec![FxHashMap::default()],
            iterators: Vec::new(),
            element: Element::Whole,
            in_view: false,
            reach: None,
            edits: Vec::new(),
            errors: Vec::new(),
        }
    }

    /// What is to be changed, and what is wrong.
    pub fn finish(self) -> (Vec<Edit>, Vec<Diagnostic>) {
        (self.edits, self.errors)
    }

    /// Goes through the file.
    pub fn unit(&mut self) {
        for (name, open) in self.declared_functions() {
            let body = self.body_of(open);
            let function = Function {
                parameters: self.parameters(open, body.clone()),
                is_defined: body.is_some(),
            };
            let known = self.functions.get(&name).is_some_and(|known| known.is_defined);
            if !known {
                self.functions.insert(name, function);
            }
        }
        let mut at = 0;
        while at < self.reader.len() {
            at = self.item(at);
        }
    }

    /// The functions of the file whose parameters are of the language, with where these begin.
    fn declared_functions(&self) -> Vec<(Symbol, usize)> {
        let r = &self.reader;
        let mut found = Vec::new();
        let mut at = 0;
        while at < r.len() {
            if let Some(name) = r.ident(at)
                && self.type_at(at).is_none()
                && r.is(at + 1, Punct::LParen)
                && self.has_parameters(at + 1)
            {
                found.push((name, at + 1));
            }
            at = r.over(at);
        }
        found
    }

    /// The tokens of a function's body, whose parameters begin at `open`.
    fn body_of(&self, open: usize) -> Option<Range<usize>> {
        let body = self.reader.close(open) + 1;
        self.reader.is(body, Punct::LBrace).then(|| body..self.reader.over(body))
    }

    /// Something at the level of the file: the token behind.
    fn item(&mut self, at: usize) -> usize {
        if let Some(ty) = self.type_at(at)
            && self.reader.ident(at + 1).is_some()
        {
            let is_function =
                self.reader.is(at + 2, Punct::LParen) && self.body_of(at + 2).is_some();
            if !is_function {
                return self.variables(at, at, ty);
            }
            if ty.is_array {
                self.error(at, "a function cannot give an array of JolokiaC++");
            }
            self.replace(&(at..at + 1), ty.element.to_owned());
            return at + 1;
        }
        let Some(name) = self.reader.ident(at).filter(|_| self.reader.is(at + 1, Punct::LParen))
        else {
            return self.reader.over(at);
        };
        let open = at + 1;
        let function = self.functions.get(&name).cloned().filter(|_| self.has_parameters(open));
        if let Some(function) = &function {
            let bare = at == 0
                || self.reader.is(at - 1, Punct::RBrace)
                || self.reader.is(at - 1, Punct::Semicolon)
                || matches!(self.reader.kind(at - 1), TokenKind::Pragma(_));
            if bare {
                // As Listing 6.1 has it.
                self.insert(self.reader.span(at).start, "void ");
            }
            self.rewrite_parameters(open, function);
        }
        if let Some(body) = self.body_of(open) {
            self.scopes.push(FxHashMap::default());
            if let Some(function) = &function {
                self.enter_parameters(function);
            }
            for argument in self.reader.arguments(open) {
                if let Some(name) = self.reader.ident(argument.end - 1)
                    && self.scopes.last().is_some_and(|scope| !scope.contains_key(&name))
                {
                    self.declare(name, Variable::Plain);
                }
            }
            self.block(body.start + 1, body.end - 1);
            self.scopes.pop();
            return body.end;
        }
        self.reader.over(open)
    }

    fn block(&mut self, start: usize, end: usize) {
        let mut at = start;
        while at < end {
            at = match self.whole(at, end) {
                Some(next) => next,
                None => self.statement(at, end),
            };
        }
    }

    /// The statement there: the token behind.
    fn statement(&mut self, at: usize, end: usize) -> usize {
        if at >= end {
            return end;
        }
        match self.reader.kind(at) {
            TokenKind::Pragma(_) => {
                let independent = self.reader.is_independent(at);
                if independent && self.reader.is_keyword(at + 1, Keyword::For) {
                    return self.loop_(at + 1, end, true);
                }
                self.one(at + 1, end)
            }
            TokenKind::Punct(Punct::LBrace) => {
                let close = self.reader.close(at);
                self.scopes.push(FxHashMap::default());
                self.block(at + 1, close);
                self.scopes.pop();
                close + 1
            }
            TokenKind::Punct(Punct::Semicolon) => at + 1,
            TokenKind::Keyword(Keyword::For) => self.loop_(at, end, false),
            TokenKind::Keyword(Keyword::If | Keyword::While | Keyword::Switch) => {
                self.headed(at, end)
            }
            TokenKind::Ident(_)
                if self.reader.word(at) == "_if" && self.reader.is(at + 1, Punct::LParen) =>
            {
                self.replace(&(at..at + 1), "if".to_owned());
                self.headed(at, end)
            }
            TokenKind::Keyword(Keyword::Do) => {
                let behind = self.one(at + 1, end);
                self.expression(behind, end)
            }
            TokenKind::Keyword(Keyword::Case | Keyword::Default) => {
                self.reader.find(at..end, Punct::Colon).map_or(end, |colon| colon + 1)
            }
            TokenKind::Ident(_) if self.reader.is(at + 1, Punct::Colon) => at + 2,
            _ => self.expression(at, end),
        }
    }

    /// A statement that stands for itself, behind a head or a directive.
    fn one(&mut self, at: usize, end: usize) -> usize {
        // One statement about whole arrays, and no more.
        let stop = match self.reader.ident(at) {
            Some(_) if self.reader.word(at) != "_if" => {
                self.reader.find(at..end, Punct::Semicolon).map_or(end, |semicolon| semicolon + 1)
            }
            _ => return self.statement(at, end),
        };
        self.whole(at, stop).unwrap_or_else(|| self.statement(at, end))
    }

    /// `if (…) statement else statement` and its kind.
    fn headed(&mut self, at: usize, end: usize) -> usize {
        let close = self.reader.over(at + 1);
        self.rewrite(at + 1..close);
        let behind = self.one(close, end);
        match self.reader.is_keyword(behind, Keyword::Else) && behind < end {
            true => self.one(behind + 1, end),
            false => behind,
        }
    }

    /// A loop with `for`, whose iterations may be independent.
    fn loop_(&mut self, at: usize, end: usize, at_once: bool) -> usize {
        let head = at + 1..self.reader.over(at + 1);
        self.scopes.push(FxHashMap::default());
        self.declare_plain(head.start + 1, head.end - 1);
        self.rewrite(head.clone());
        let first =
            self.reader.find(head.start + 1..head.end - 1, Punct::Semicolon).unwrap_or(head.end);
        let variable = (head.start + 1..first)
            .find(|&at| self.reader.is(at + 1, Punct::Eq))
            .and_then(|at| self.reader.ident(at));
        let known = variable.is_some();
        if let Some(variable) = variable {
            self.iterators.push((variable, at_once));
        }
        let own = if at_once { self.set_within(head.end, end) } else { Vec::new() };
        if !own.is_empty() {
            let text = format!("{{ {}", self.own_scalars(&own));
            self.insert(self.reader.span(head.end).start, &text);
            self.scopes.push(FxHashMap::default());
            let depth = self.iterators.iter().filter(|(_, at_once)| *at_once).count();
            for &name in &own {
                if let Some(Variable::Scalar(scalar)) = self.variable(name).cloned() {
                    self.declare(name, Variable::Scalar(Scalar { depth, ..scalar }));
                }
            }
        }
        let behind = self.one(head.end, end);
        if !own.is_empty() {
            self.insert(self.reader.span(behind - 1).end, " }");
            self.scopes.pop();
        }
        if known {
            self.iterators.pop();
        }
        self.scopes.pop();
        self.spend(&own);
        behind
    }

    /// The scalars declared outside all loops with independent iterations that the loop's body sets, where it is no such
    /// loop itself: they are its iterations' own.
    fn set_within(&self, body: usize, end: usize) -> Vec<Symbol> {
        let range = body..self.behind(body, end);
        let mut names: Vec<Symbol> = Vec::new();
        for at in range.clone() {
            if let Some(name) = self.reader.ident(at)
                && self.reader.is_changed(at)
                && !names.contains(&name)
                && matches!(self.variable(name), Some(Variable::Scalar(scalar)) if scalar.depth == 0)
            {
                names.push(name);
            }
        }
        let mut inner = body;
        while self.reader.is(inner, Punct::LBrace) {
            inner += 1;
        }
        let nested = self.reader.is_independent(inner) && {
            let close = self.behind(inner + 1, end);
            (close..range.end).all(|at| self.reader.is(at, Punct::RBrace))
        };
        if nested { Vec::new() } else { names }
    }

    /// Where the statement there ends, without a look at what it says.
    fn behind(&self, at: usize, end: usize) -> usize {
        let r = &self.reader;
        match r.kind(at) {
            _ if at >= end => end,
            TokenKind::Pragma(_) => self.behind(at + 1, end),
            TokenKind::Punct(Punct::LBrace) => r.over(at),
            TokenKind::Keyword(Keyword::For | Keyword::While | Keyword::Switch) => {
                self.behind(r.over(at + 1), end)
            }
            TokenKind::Keyword(Keyword::If) => self.behind_branches(at, end),
            TokenKind::Ident(_) if r.word(at) == "_if" => self.behind_branches(at, end),
            TokenKind::Keyword(Keyword::Do) => {
                let body = self.behind(at + 1, end);
                r.find(body..end, Punct::Semicolon).map_or(end, |semicolon| semicolon + 1)
            }
            _ => r.find(at..end, Punct::Semicolon).map_or(end, |semicolon| semicolon + 1),
        }
    }

    fn behind_branches(&self, at: usize, end: usize) -> usize {
        let then = self.behind(self.reader.over(at + 1), end);
        match then < end && self.reader.is_keyword(then, Keyword::Else) {
            true => self.behind(then + 1, end),
            false => then,
        }
    }

    /// A declaration, or an expression: the token behind its `;`.
    fn expression(&mut self, at: usize, end: usize) -> usize {
        let semicolon =
            self.reader.find(at..end, Punct::Semicolon).unwrap_or(end.saturating_sub(1));
        let range = at..semicolon + 1;
        if self.reader.word(at) == "modify_array"
            && self.reader.is(at + 1, Punct::LParen)
            && self.array_at(at + 2).is_some()
        {
            return self.modify(at);
        }
        let typed = range.clone().take_while(|&at| {
            matches!(self.reader.kind(at), TokenKind::Ident(_) | TokenKind::Keyword(_))
        });
        if let Some((at, ty)) = typed.into_iter().find_map(|at| Some((at, self.type_at(at)?))) {
            return self.variables(range.start, at, ty);
        }
        self.declare_plain(at, semicolon);
        let assigned = self.array_at(at).filter(|_| self.reader.assigns(at + 1));
        if let Some(array) = assigned {
            let name = self.reader.name(array.name);
            let diagnostic = Diagnostic::error(format!(
                "`{name}` as a whole is set in a loop whose iterations are independent"
            ))
            .help(format!("an element is `{name}(i)`; whole arrays are set outside of such loops"));
            self.report(at, diagnostic);
            return range.end;
        }
        if self.has_view(&range) {
            self.view_statement(range.clone());
        } else {
            self.rewrite(range.clone());
        }
        range.end
    }

    /// A statement with `aview`, in the loop that this brings: arrays without a subscript go along (Listings 4.7, 4.9).
    fn view_statement(&mut self, range: Range<usize>) {
        if self.iterators.is_empty() {
            self.error(range.start, "`aview` stands in a loop, whose variable it names");
            return;
        }
        self.in_view = true;
        self.element = Element::Number(IMPLICIT);
        let rounds = self.rounds(&range).unwrap_or_default();
        let text = self.rendered(range.clone());
        self.element = Element::Whole;
        self.in_view = false;
        let text =
            format!("for (long {IMPLICIT} = 0; {IMPLICIT} < ({rounds}); {IMPLICIT}++) {text}");
        self.replace(&range, text);
    }

    /// Names that a declaration of C's gives to something else.
    fn declare_plain(&mut self, start: usize, end: usize) {
        let r = &self.reader;
        let begins = match r.kind(start) {
            TokenKind::Keyword(keyword) => !matches!(
                keyword,
                Keyword::Return
                    | Keyword::Goto
                    | Keyword::Break
                    | Keyword::Continue
                    | Keyword::Sizeof
            ),
            TokenKind::Ident(_) => {
                r.ident(start + 1).is_some()
                    || r.is(start + 1, Punct::Star) && self.variable_at(start).is_none()
            }
            _ => false,
        };
        if !begins {
            return;
        }
        let mut names = Vec::new();
        for part in r.split(start..end) {
            let stop = part
                .clone()
                .find(|&at| r.is(at, Punct::Eq) || r.is(at, Punct::LBracket))
                .unwrap_or(part.end);
            if let Some(name) = (part.start..stop).rev().find_map(|at| r.ident(at)) {
                names.push(name);
            }
        }
        for name in names {
            self.declare(name, Variable::Plain);
        }
    }

    fn variable_at(&self, at: usize) -> Option<&Variable> {
        self.variable(self.reader.ident(at)?)
    }

    /// What a name stands for.
    pub(super) fn variable(&self, name: Symbol) -> Option<&Variable> {
        self.scopes.iter().rev().find_map(|scope| scope.get(&name))
    }

    pub(super) fn declare(&mut self, name: Symbol, variable: Variable) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name, variable);
        }
    }

    pub(super) fn set_dimensions(&mut self, name: Symbol, dimensions: Option<usize>) {
        let found = self.scopes.iter_mut().rev().find_map(|scope| scope.get_mut(&name));
        if let Some(Variable::Array(array)) = found {
            array.dimensions = dimensions;
        }
    }

    /// Declarations of scalars that an iteration has for its own.
    pub(super) fn own_scalars(&self, names: &[Symbol]) -> String {
        let mut text = String::new();
        for &name in names {
            if let Some(Variable::Scalar(scalar)) = self.variable(name) {
                let (name, begins) = (self.reader.name(name), &scalar.begins);
                match begins == name {
                    // A parameter: its own value.
                    true => text.push_str(&format!(
                        "{0} __jolokia_{name} = {name}, {name} = __jolokia_{name}; ",
                        scalar.element
                    )),
                    false => text.push_str(&format!("{} {name} = {begins}; ", scalar.element)),
                }
            }
        }
        text
    }

    /// Marks scalars that iterations had for their own.
    pub(super) fn spend(&mut self, names: &[Symbol]) {
        for &name in names {
            let found = self.scopes.iter_mut().rev().find_map(|scope| scope.get_mut(&name));
            if let Some(Variable::Scalar(scalar)) = found {
                scalar.spent = true;
            }
        }
    }

    /// Rewrites tokens where they stand.
    fn rewrite(&mut self, range: Range<usize>) {
        let text = self.rendered(range.clone());
        if text != self.reader.written(&range) {
            self.replace(&range, text);
        }
    }

    pub(super) fn replace(&mut self, range: &Range<usize>, text: String) {
        let span = self.reader.span_of(range);
        self.edits.push(Edit { start: span.start as usize, end: span.end as usize, text });
    }

    fn insert(&mut self, at: u32, text: &str) {
        self.edits.push(Edit { start: at as usize, end: at as usize, text: text.to_owned() });
    }

    pub(super) fn error(&mut self, at: usize, message: impl Into<String>) {
        self.report(at, Diagnostic::error(message.into()));
    }

    pub(super) fn report(&mut self, at: usize, diagnostic: Diagnostic) {
        self.report_span(self.reader.span(at), diagnostic);
    }

    pub(super) fn report_span(&mut self, span: Span, diagnostic: Diagnostic) {
        let place = self.reader.lexed.source.place(span);
        self.errors.push(diagnostic.at(place));
    }
}

//! Variables, parameters, and calls of functions that have them.
//!
//! An array of the name `A` is a pointer `A`, its lengths `__A_length0` to `__A_length2` and the number of its dimensions
//! `__A_dimension`. Parameters and arguments of one are these five.

use std::ops::Range;

use gpuc_diagnostics::Diagnostic;

use super::statement::{Function, Translator};
use super::types::{Array, MOST, Parameter, ParameterKind, Scalar, Type, Variable, type_of};
use crate::lex::{Keyword, Punct, TokenKind};
use crate::symbol::Symbol;

/// Behind the lengths of arrays, which no function must look at.
const UNUSED: &str = "__attribute__((__unused__))";

/// A parameter as it is written.
struct Written {
    ty: Option<Type>,
    reference: Option<usize>,
    name: Option<Symbol>,
    constant: bool,
}

impl Translator<'_> {
    /// The type that is named there.
    pub(super) fn type_at(&self, at: usize) -> Option<Type> {
        type_of(self.reader.word(at))
    }

    /// Whether parameters between brackets are of the language.
    pub(super) fn has_parameters(&self, open: usize) -> bool {
        self.reader.arguments(open).iter().any(|range| {
            let written = self.written_parameter(range);
            written.ty.is_some() || written.reference.is_some()
        })
    }

    fn written_parameter(&self, range: &Range<usize>) -> Written {
        let r = &self.reader;
        let constant = range.clone().any(|at| r.is_keyword(at, Keyword::Const));
        let ty = range.clone().find_map(|at| self.type_at(at));
        let typed = |at: usize| {
            at > range.start
                && matches!(r.kind(at - 1), TokenKind::Ident(_) | TokenKind::Keyword(_))
        };
        // `&` between a type and a name, or behind a type alone.
        let reference = range.clone().find(|&at| {
            r.is(at, Punct::Amp) && typed(at) && (r.ident(at + 1).is_some() || at + 1 == range.end)
        });
        let last = range.end.saturating_sub(1);
        let name = r.ident(last).filter(|_| self.type_at(last).is_none() && range.len() > 1);
        Written { ty, reference, name, constant }
    }

    /// What a function's parameters are; its body says which of them it changes.
    pub(super) fn parameters(&self, open: usize, body: Option<Range<usize>>) -> Vec<Parameter> {
        let r = &self.reader;
        let mut all = Vec::new();
        for range in r.arguments(open) {
            let written = self.written_parameter(&range);
            let uses = |wanted: Symbol| {
                body.clone().into_iter().flatten().filter(move |&at| r.ident(at) == Some(wanted))
            };
            let kind = match (written.ty, written.reference) {
                (Some(ty), _) if ty.is_array => {
                    let counts = written.name.into_iter().flat_map(uses).filter_map(|at| {
                        if r.is(at + 1, Punct::LParen) {
                            return Some(r.arguments(at + 1).len());
                        }
                        let operator = if at >= 2 { r.word(at - 2) } else { "" };
                        let arguments = r.arguments(at - 1);
                        match operator {
                            "shift" | "stride" => Some(arguments.len().saturating_sub(1)),
                            // A view along columns alone goes through as many rows as the array has.
                            "aview" => {
                                let by_rows = self.goes_along_a_row(&r.statement_around(at));
                                (self.is_column(&arguments) && !by_rows).then_some(2)
                            }
                            _ => None,
                        }
                    });
                    let element = ty.element;
                    ParameterKind::Array {
                        element,
                        subscripts: counts.max().filter(|&count| count > 1),
                    }
                }
                (_, Some(_))
                    if !written.constant
                        && written.name.into_iter().flat_map(uses).any(|at| r.is_changed(at)) =>
                {
                    ParameterKind::Pointer
                }
                (Some(ty), _) => ParameterKind::Scalar(ty.element),
                (None, Some(_)) => ParameterKind::Scalar(""),
                (None, None) => ParameterKind::Value,
            };
            all.push(Parameter { name: written.name, kind });
        }
        all
    }

    /// Rewrites the parameters of a function.
    pub(super) fn rewrite_parameters(&mut self, open: usize, function: &Function) {
        let ranges = self.reader.arguments(open);
        for (range, parameter) in ranges.into_iter().zip(&function.parameters) {
            let written = self.written_parameter(&range);
            let name = written.name.map_or("", |name| self.reader.name(name)).to_owned();
            let constant = if written.constant { "const " } else { "" };
            let text = match (parameter.kind, written.ty) {
                (ParameterKind::Array { element, .. }, _) if name.is_empty() => {
                    format!("{constant}{element} *, int, long, long, long")
                }
                (ParameterKind::Array { element, .. }, _) => format!(
                    "{constant}{element} *{name}, int __{name}_dimension {UNUSED}, long __{name}_length0 {UNUSED}, \
                     long __{name}_length1 {UNUSED}, long __{name}_length2 {UNUSED}"
                ),
                (ParameterKind::Pointer, Some(ty)) => format!("{} *{name}", ty.element),
                (ParameterKind::Scalar(_), Some(ty)) => format!("{constant}{} {name}", ty.element),
                (kind, None) => {
                    if let Some(amp) = written.reference {
                        let mark = if kind == ParameterKind::Pointer { "*" } else { "" };
                        self.replace(&(amp..amp + 1), mark.to_owned());
                    }
                    continue;
                }
                _ => continue,
            };
            self.replace(&range, text);
        }
    }

    /// Makes a function's parameters known in its body.
    pub(super) fn enter_parameters(&mut self, function: &Function) {
        for parameter in &function.parameters {
            let Some(name) = parameter.name else { continue };
            let variable = match parameter.kind {
                ParameterKind::Array { element, .. } => {
                    Variable::Array(Array { name, element, dimensions: None })
                }
                ParameterKind::Pointer => Variable::Reference,
                ParameterKind::Scalar(element) if !element.is_empty() => {
                    let begins = self.reader.name(name).to_owned();
                    Variable::Scalar(Scalar { element, begins, depth: 0, spent: false })
                }
                _ => Variable::Plain,
            };
            self.declare(name, variable);
        }
    }

    /// A call of a function with parameters of the language.
    pub(super) fn call(&mut self, at: usize, function: &Function) -> String {
        let name = self.reader.word(at).to_owned();
        let arguments = self.reader.arguments(at + 1);
        if !function.is_defined {
            let diagnostic = Diagnostic::error(format!("`{name}` is not defined in this file"))
                .help(
                    "a function with parameters of JolokiaC++ is defined in the file that calls it",
                );
            self.report(at, diagnostic);
        }
        if arguments.len() != function.parameters.len() {
            let (has, wants) = (arguments.len(), function.parameters.len());
            self.error(
                at,
                format!("`{name}` is called with {has} arguments and has {wants} parameters"),
            );
            return "0".to_owned();
        }
        let mut texts = Vec::new();
        for (range, parameter) in arguments.into_iter().zip(&function.parameters) {
            let text = match parameter.kind {
                ParameterKind::Array { element, subscripts } => {
                    self.array_argument(&range, element, subscripts)
                }
                ParameterKind::Pointer => format!("&({})", self.rendered(range)),
                _ => self.rendered(range),
            };
            texts.push(text);
        }
        format!("{name}({})", texts.join(", "))
    }

    fn array_argument(
        &mut self,
        range: &Range<usize>,
        element: &str,
        subscripts: Option<usize>,
    ) -> String {
        let named = if range.len() == 1 { self.array_at(range.start) } else { None };
        let Some(array) = named else {
            let written = self.reader.written(range).to_owned();
            self.error(
                range.start,
                format!("`{written}` is no array of JolokiaC++, as the parameter is"),
            );
            return "0".to_owned();
        };
        let name = self.reader.name(array.name).to_owned();
        if array.element != element {
            let message = format!(
                "`{name}` has elements of `{}`, the parameter of `{element}`",
                array.element
            );
            self.error(range.start, message);
        }
        if let (Some(has), Some(wants)) = (array.dimensions, subscripts)
            && has != wants
        {
            let message = format!("`{name}` has {has} dimensions; the function subscribes {wants}");
            self.error(range.start, message);
        }
        format!("{name}, __{name}_dimension, __{name}_length0, __{name}_length1, __{name}_length2")
    }

    /// A declaration of variables of the language, which begins at `start`; its type stands at `at`. The token behind.
    pub(super) fn variables(&mut self, start: usize, at: usize, ty: Type) -> usize {
        let end = self
            .reader
            .find(at..self.reader.len(), Punct::Semicolon)
            .unwrap_or(self.reader.len() - 1);
        let mut text = String::new();
        for range in self.reader.split(at + 1..end) {
            let declared = match ty.is_array {
                true => self.array(range, ty),
                false => self.scalar(range, ty),
            };
            text.push_str(&declared);
        }
        if at > start && ty.is_array {
            self.error(start, "an array of JolokiaC++ is a variable of its block or of the file, without other words");
        }
        let words = self.reader.written(&(start..at)).to_owned();
        let words = if words.is_empty() || ty.is_array { String::new() } else { words + " " };
        self.replace(&(start..end + 1), format!("{words}{text}"));
        end + 1
    }

    /// `A(N, M)`; or `A = B`, another name for the same elements, and `A = &B(i, j)`, for those from one on.
    fn array(&mut self, range: Range<usize>, ty: Type) -> String {
        let Some(name) = self.reader.ident(range.start) else {
            self.error(range.start, "a name of an array is expected");
            return String::new();
        };
        let text = self.reader.name(name).to_owned();
        let element = ty.element;
        if self.reader.is(range.start + 1, Punct::Eq) {
            // `= B`, or `= &B(i, j)`: from that element on.
            let inner = usize::from(self.reader.is(range.start + 2, Punct::Amp));
            let at = range.start + 2 + inner;
            let whole =
                if inner == 0 { range.len() == 3 } else { self.reader.over(at + 1) == range.end };
            let of = if whole { self.array_at(at) } else { None };
            let Some(of) = of.filter(|of| of.element == element) else {
                let message =
                    format!("`{text}` can be another name for an array of `{element}` only");
                self.error(range.start + 2, message);
                return String::new();
            };
            let from = self.reader.name(of.name).to_owned();
            let first = self.rendered(range.start + 2..range.end);
            self.declare(name, Variable::Array(Array { name, element, dimensions: of.dimensions }));
            return format!(
                "int __{text}_dimension {UNUSED} = __{from}_dimension; long __{text}_length0 {UNUSED} = __{from}_length0, \
                 __{text}_length1 {UNUSED} = __{from}_length1, __{text}_length2 {UNUSED} = __{from}_length2; \
                 {element} *{text} = {first}; "
            );
        }
        let lengths = match self.reader.is(range.start + 1, Punct::LParen) {
            true => self.reader.arguments(range.start + 1),
            false => Vec::new(),
        };
        if lengths.is_empty()
            || lengths.len() > MOST
            || self.reader.over(range.start + 1) != range.end
        {
            let diagnostic = Diagnostic::error(format!("`{text}` has no lengths")).help(format!(
                "write one for each dimension, three at most: `{}Array {text}(rows, columns)`",
                ty.name
            ));
            self.report(range.start, diagnostic);
            return String::new();
        }
        let dimensions = lengths.len();
        let length: Vec<String> = lengths.into_iter().map(|range| self.rendered(range)).collect();
        let of = |number: usize| length.get(number).map_or("1", String::as_str);
        self.declare(name, Variable::Array(Array { name, element, dimensions: Some(dimensions) }));
        if self.scopes.len() == 1 {
            return format!(
                "enum {{ __{text}_dimension = {dimensions}, __{text}_length0 = ({}), __{text}_length1 = ({}), __{text}_length2 = ({}) }}; \
                 {element} {text}[(({}) * ({}) * ({})) + 0]; ",
                of(0),
                of(1),
                of(2),
                of(0),
                of(1),
                of(2)
            );
        }
        format!(
            "int __{text}_dimension {UNUSED} = {dimensions}; long __{text}_length0 {UNUSED} = ({}), __{text}_length1 {UNUSED} = ({}), \
             __{text}_length2 {UNUSED} = ({}); {element} *{text} __attribute__((__cleanup__(__jolokia_release))) = \
             __jolokia_array(sizeof({element}), __{text}_length0, __{text}_length1, __{text}_length2); ",
            of(0),
            of(1),
            of(2)
        )
    }

    /// `S`, `S = 1` or `S(1)`.
    fn scalar(&mut self, range: Range<usize>, ty: Type) -> String {
        let Some(name) = self.reader.ident(range.start) else {
            self.error(range.start, "a name of a scalar is expected");
            return String::new();
        };
        let value = match self.reader.is(range.start + 1, Punct::Eq) {
            true => range.start + 2..range.end,
            false if self.reader.is(range.start + 1, Punct::LParen) => {
                range.start + 2..self.reader.close(range.start + 1)
            }
            false => range.end..range.end,
        };
        let begins = if value.is_empty() { "0".to_owned() } else { self.rendered(value) };
        let element = ty.element;
        let depth = self.iterators.iter().filter(|(_, at_once)| *at_once).count();
        let text = format!("{element} {} = {begins}; ", self.reader.name(name));
        self.declare(name, Variable::Scalar(Scalar { element, begins, depth, spent: false }));
        text
    }

    /// `modify_array(A) { dim = 2; length(0) = N; length(1) = M; }`: another view of the same elements. The token behind.
    pub(super) fn modify(&mut self, at: usize) -> usize {
        let close = self.reader.close(at + 1);
        let open = close + 1;
        let Some(array) = self
            .array_at(at + 2)
            .filter(|_| close == at + 3 && self.reader.is(open, Punct::LBrace))
        else {
            let diagnostic = Diagnostic::error("`modify_array` says what becomes of an array")
                .help(
                    "write `modify_array(A) { dim = 2; length(0) = rows; length(1) = columns; }`",
                );
            self.report(at, diagnostic);
            return self.reader.over(open);
        };
        let name = self.reader.name(array.name).to_owned();
        let end = self.reader.close(open);
        let mut text = String::from("{ ");
        let mut inner = open + 1;
        while inner < end {
            let stop = self.reader.find(inner..end, Punct::Semicolon).unwrap_or(end);
            let word = self.reader.word(inner).to_owned();
            let equals = self.reader.find(inner..stop, Punct::Eq).unwrap_or(stop);
            let number =
                self.reader.constant(&(inner + 2..equals.saturating_sub(1).max(inner + 2)));
            let attribute = match (word.as_str(), number) {
                ("dim" | "dimension", _) => format!("__{name}_dimension"),
                ("length", Some(number @ 0..=2)) => format!("__{name}_length{number}"),
                _ => {
                    let diagnostic = Diagnostic::error(format!("`modify_array` cannot set `{word}`"))
                        .help("it sets `dim` and `length(0)` to `length(2)`; elements stay in the order of rows");
                    self.report(inner, diagnostic);
                    return end + 1;
                }
            };
            let value = self.rendered(equals + 1..stop);
            text.push_str(&format!("{attribute} = ({value}); "));
            inner = stop + 1;
        }
        text.push('}');
        self.replace(&(at..end + 1), text);
        self.set_dimensions(array.name, None);
        end + 1
    }
}

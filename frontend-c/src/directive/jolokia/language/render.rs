//! Expressions: what stands for the names of the language in them.

use std::ops::Range;

use gpuc_diagnostics::Diagnostic;

use super::access::Element;
use super::statement::Translator;
use super::types::{Variable, is_math};
use crate::lex::Punct;

impl Translator<'_> {
    /// The C of tokens.
    pub(super) fn rendered(&mut self, range: Range<usize>) -> String {
        if range.is_empty() {
            return String::new();
        }
        let span = self.reader.span_of(&range);
        let mut out = String::new();
        let mut from = span.start;
        let mut at = range.start;
        while at < range.end {
            let Some((next, text)) = self.changed(at) else {
                at += 1;
                continue;
            };
            out.push_str(self.reader.between(from, self.reader.span(at).start));
            out.push_str(&text);
            from = self.reader.span(next - 1).end;
            at = next;
        }
        out.push_str(self.reader.between(from, span.end.max(from)));
        out
    }

    /// What stands for the tokens there, if they are of the language: the token behind, and the text.
    fn changed(&mut self, at: usize) -> Option<(usize, String)> {
        let name = self.reader.ident(at)?;
        if at > 0 && (self.reader.is(at - 1, Punct::Dot) || self.reader.is(at - 1, Punct::Arrow)) {
            return None;
        }
        let behind = self.reader.over(at + 1);
        let is_called = self.reader.is(at + 1, Punct::LParen);
        if self.is_operator(at) {
            return Some((behind, self.operator(at)));
        }
        let word = self.reader.name(name).to_owned();
        match self.variable(name).cloned() {
            Some(Variable::Array(array)) => {
                if is_called {
                    return Some((behind, self.subscripts(at, &array)));
                }
                if self.reader.is(at + 1, Punct::Dot) {
                    return Some(self.attribute(at, &word));
                }
                if self.reader.is(at + 1, Punct::LBracket) {
                    return None;
                }
                match self.element {
                    Element::Whole => None,
                    Element::Number(index) => Some((at + 1, format!("{word}[{index}]"))),
                    Element::Grid(row, column) => {
                        Some((at + 1, format!("{word}[{row} * __{word}_length1 + {column}]")))
                    }
                }
            }
            Some(Variable::Scalar(scalar)) => {
                let plainly_set = self.reader.is(at + 1, Punct::Eq);
                if scalar.spent && !plainly_set && matches!(self.element, Element::Whole) {
                    let diagnostic = Diagnostic::error(format!(
                        "`{word}` has no value here: each iteration had one of its own"
                    ))
                    .help(format!(
                        "what iterations combine is a variable of C's: `{} {word}`",
                        scalar.element
                    ));
                    self.report(at, diagnostic);
                }
                self.value_of(at, &word)
            }
            Some(Variable::Reference) => {
                let (next, _) = self.value_of(at, &word).unwrap_or((at + 1, String::new()));
                Some((next, format!("(*{word})")))
            }
            Some(Variable::Plain) => None,
            None if is_called => {
                if let Some(function) = self.functions.get(&name).cloned() {
                    return Some((behind, self.call(at, &function)));
                }
                if matches!(self.element, Element::Whole) {
                    return None;
                }
                if is_math(&word) {
                    // The one of C++, which is of the type of what it is given.
                    return (word == "abs").then(|| (at + 1, "__builtin_fabs".to_owned()));
                }
                // Another function sees the array itself.
                let before = std::mem::replace(&mut self.element, Element::Whole);
                let arguments = self.rendered(at + 1..behind);
                self.element = before;
                Some((behind, format!("{word}{arguments}")))
            }
            None => None,
        }
    }

    /// `S.get_data()`.
    fn value_of(&self, at: usize, word: &str) -> Option<(usize, String)> {
        let r = &self.reader;
        let asks =
            r.is(at + 1, Punct::Dot) && r.word(at + 2) == "get_data" && r.is(at + 3, Punct::LParen);
        asks.then(|| (r.over(at + 3), word.to_owned()))
    }
}

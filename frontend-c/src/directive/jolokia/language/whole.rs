//! Statements about whole arrays: `A = B + C`, `B = shift(A, -1) + shift(A, 1)`, `_if (d > 0) { … }`.
//!
//! Those that follow one another are one loop, whose iterations are independent; scalars of the language that they set
//! are each iteration's own (Patel 2014, §3.1.1 and Listing 6.1).

use std::ops::Range;

use gpuc_diagnostics::Diagnostic;

use super::access::{Element, total};
use super::statement::Translator;
use super::types::Variable;
use crate::lex::{Keyword, Punct};
use crate::symbol::Symbol;

/// The variables of the loops.
const NUMBER: &str = "__jolokia_e";
const ROW: &str = "__jolokia_r";
const COLUMN: &str = "__jolokia_c";

/// What a statement is about.
#[derive(Default)]
struct About {
    /// The arrays that it sets.
    sets: Vec<Symbol>,
    /// The scalars that it sets.
    scalars: Vec<Symbol>,
    /// How many dimensions its operators are about; 0 without any.
    operators: usize,
}

impl Translator<'_> {
    /// Rewrites the statements about whole arrays from there on, up to `end`: the token behind them.
    pub(super) fn whole(&mut self, start: usize, end: usize) -> Option<usize> {
        if self.iterators.iter().any(|&(_, at_once)| at_once) {
            return None;
        }
        let mut all = About::default();
        let mut at = start;
        let mut parts: Vec<Range<usize>> = Vec::new();
        while at < end {
            let mut about = About { scalars: all.scalars.clone(), ..About::default() };
            let Some(next) = self.about(at, &mut about) else { break };
            // What is read at other elements than those being set stays apart.
            if (about.operators > 0 || all.operators > 0) && !parts.is_empty() {
                break;
            }
            all.scalars = about.scalars;
            all.sets.append(&mut about.sets);
            all.operators = all.operators.max(about.operators);
            parts.push(at..next);
            at = next;
        }
        let range = start..parts.last()?.end;
        let Some(&array) = all.sets.first() else {
            let diagnostic = Diagnostic::error(
                "these statements set scalars of each element, and no array",
            )
            .help(
                "a whole-array expression ends in an assignment to an array (Patel 2014, §3.1.2)",
            );
            self.report(start, diagnostic);
            return Some(range.end);
        };
        self.loops_over(array, &all, range.clone(), &parts);
        Some(range.end)
    }

    /// What the statement there is about, and where it ends; `None` for one that is not about whole arrays.
    fn about(&self, at: usize, about: &mut About) -> Option<usize> {
        let r = &self.reader;
        if r.is(at, Punct::LBrace) {
            let close = r.close(at);
            let mut inner = at + 1;
            while inner < close {
                inner = self.about(inner, about)?;
            }
            return (at + 1 < close).then_some(close + 1);
        }
        if r.word(at) == "_if" && r.is(at + 1, Punct::LParen) {
            let mut next = self.about(r.over(at + 1), about)?;
            if r.is_keyword(next, Keyword::Else) {
                next = self.about(next + 1, about)?;
            }
            return Some(next);
        }
        let name = r.ident(at)?;
        if !r.assigns(at + 1) {
            return None;
        }
        let end = r.find(at..r.len(), Punct::Semicolon)?;
        let value = at + 2..end;
        match self.variable(name)? {
            Variable::Array(_) => about.sets.push(name),
            Variable::Scalar(scalar) if scalar.depth == 0 => {
                let of_elements = value.clone().any(|at| {
                    self.is_operator(at)
                        || self.is_bare_array(at)
                        || r.ident(at).is_some_and(|name| about.scalars.contains(&name))
                });
                if !of_elements {
                    return None;
                }
                if !about.scalars.contains(&name) {
                    about.scalars.push(name);
                }
            }
            _ => return None,
        }
        for at in value {
            if self.is_operator(at) {
                let amounts = r.arguments(at + 1).len() - 1;
                let dimensions = if r.word(at) == "aview" { 2 } else { amounts };
                about.operators = about.operators.max(dimensions);
            }
        }
        Some(end + 1)
    }

    /// Whether an array stands there without anything that says which of its elements.
    pub(super) fn is_bare_array(&self, at: usize) -> bool {
        let r = &self.reader;
        let qualified =
            [Punct::LParen, Punct::LBracket, Punct::Dot].iter().any(|&punct| r.is(at + 1, punct));
        let member = at > 0 && (r.is(at - 1, Punct::Dot) || r.is(at - 1, Punct::Arrow));
        !qualified && !member && self.array_at(at).is_some()
    }

    /// The loops of statements about whole arrays, the first of which sets `array`.
    fn loops_over(
        &mut self,
        array: Symbol,
        about: &About,
        range: Range<usize>,
        parts: &[Range<usize>],
    ) {
        let name = self.reader.name(array).to_owned();
        self.element = match about.operators {
            0 | 1 => Element::Number(NUMBER),
            _ => Element::Grid(ROW, COLUMN),
        };
        self.reach = Some(Vec::new());
        let body: Vec<String> =
            parts.iter().map(|part| self.element_statement(part.clone(), about)).collect();
        let reach = self.reach.take().unwrap_or_default();
        self.element = Element::Whole;
        let mut bounds = [(0, 0), (0, 0)];
        for (row, column, span) in reach {
            for (bound, index) in bounds.iter_mut().zip([row, Some(column)]) {
                let Some(index) = index else { continue };
                let Some((factor, offset)) = index.filter(|&(factor, _)| factor > 0) else {
                    let diagnostic = Diagnostic::error(
                        "shifts and strides of whole arrays are constants, and strides positive",
                    )
                    .help("write loops with `_for` where they are not");
                    self.report_span(span, diagnostic);
                    return;
                };
                let first = (-offset).max(0);
                bound.0 = bound.0.max(first / factor + i64::from(first % factor != 0));
                if factor == 1 {
                    bound.1 = bound.1.max(offset);
                }
            }
        }
        let head = |variable: &str, length: &str, (first, less): (i64, i64)| {
            let length = if less == 0 { length.to_owned() } else { format!("{length} - {less}") };
            format!("for (long {variable} = {first}; {variable} < {length}; {variable}++)")
        };
        let mut text = String::new();
        if about.operators > 1 {
            let line = self.independent(&range);
            let outer = head(ROW, &format!("__{name}_length0"), bounds[0]);
            text.push_str(&format!("{{ {line}{outer} "));
            let inner = head(COLUMN, &format!("__{name}_length1"), bounds[1]);
            text.push_str(&format!("{line}{inner} {{ "));
        } else {
            let length = match about.operators {
                0 => total(&name),
                _ => format!("__{name}_length0"),
            };
            let line = self.independent(&range);
            text.push_str(&format!("{{ {line}{} {{ ", head(NUMBER, &length, bounds[1])));
        }
        text.push_str(&self.own_scalars(&about.scalars));
        text.push_str(&body.join(" "));
        text.push_str(" } }");
        self.replace(&range, text);
        self.spend(&about.scalars);
    }

    /// A statement for one element.
    fn element_statement(&mut self, range: Range<usize>, about: &About) -> String {
        let first = range.start;
        let r = &self.reader;
        if r.is(first, Punct::LBrace) {
            let close = r.close(first);
            let mut inner = String::from("{ ");
            let mut at = first + 1;
            while at < close {
                let end = self
                    .about(at, &mut About { scalars: about.scalars.clone(), ..About::default() });
                let end = end.unwrap_or(close);
                inner.push_str(&self.element_statement(at..end, about));
                inner.push(' ');
                at = end;
            }
            return inner + "}";
        }
        if r.word(first) == "_if" {
            let condition = first + 1..r.over(first + 1);
            let fresh = || About { scalars: about.scalars.clone(), ..About::default() };
            let then = condition.end;
            let behind = self.about(then, &mut fresh()).unwrap_or(range.end);
            let mut text = format!("if {} ", self.rendered(condition));
            text.push_str(&self.element_statement(then..behind, about));
            if behind < range.end {
                text.push_str(" else ");
                text.push_str(&self.element_statement(behind + 1..range.end, about));
            }
            return text;
        }
        if let Some(array) = self.array_at(first) {
            let same =
                |at: &usize| self.is_operator(*at) && self.innermost(*at) == Some(array.name);
            if let Some(at) = range.clone().find(same) {
                let name = self.reader.name(array.name);
                let diagnostic = Diagnostic::error(format!(
                    "`{name}` is set where other elements of it are read"
                ))
                .help("set another array, and assign it to this one behind");
                self.report(at, diagnostic);
            }
        }
        self.rendered(range)
    }

    /// The array that operators are about.
    fn innermost(&self, at: usize) -> Option<Symbol> {
        match self.is_operator(at) {
            true => self.innermost(at + 2),
            false => self.array_at(at).map(|array| array.name),
        }
    }

    /// The directive of a loop that stands for statements, on a line of its own.
    fn independent(&self, range: &Range<usize>) -> String {
        let (file, line) = self.reader.lexed.source.line(self.reader.span(range.start).start);
        format!(
            "\n#pragma jolokia {}\n# {line} \"{}\"\n",
            super::super::LOOP,
            super::escaped(&file)
        )
    }
}

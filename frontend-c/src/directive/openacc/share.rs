//! `#pragma acc share(…)`: what of some arrays a block of threads works on, which is no part of OpenACC (Li et al. 2016,
//! fig. 1). It stands in front of a compute construct or a `loop`, and asks something of the plan of that nest.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::offload::share::{self, ArraySpec};

use crate::directive::construct::{LoopName, Step, Wish};
use crate::directive::loops::named;
use crate::directive::{Family, Kind};
use crate::lex::{Punct, TokenKind};
use crate::parse::{Failed, Parsed, Parser};
use crate::pragma::spelling;
use crate::source::Span;
use crate::tree::{DirectiveId, StmtId, StmtKind, TranslationUnit};

/// The pragma's word.
pub(crate) const SHARE: &str = "share";

impl Parser {
    /// Whether a pragma is a `share`.
    pub(crate) fn is_share(&self, number: u32) -> bool {
        let unit = &self.checker.unit;
        let text = unit.source.slice(unit.pragmas[number as usize].body).trim_ascii_start();
        let word = text.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_');
        word.copied().eq(SHARE.bytes())
    }

    /// The pragma, with the statement behind it, whose directive has what it asks for.
    pub(crate) fn share_statement(&mut self, number: u32) -> Parsed<StmtId> {
        let start = self.span();
        self.advance();
        let read = self.share_list(number);
        if self.at(Punct::RBrace) || self.peek() == TokenKind::Eof {
            self.checker.error(start, format!("no statement follows this `{SHARE}`"));
            return Err(Failed);
        }
        let body = self.statement()?;
        let Ok((arrays, span)) = read else { return Ok(body) };
        match nest_of(&self.checker.unit, body) {
            Some((directive, nest)) => {
                let steps = &mut self.checker.unit.directives[directive].steps;
                let before = steps.iter_mut().find_map(|wish| match &mut wish.step {
                    Step::Share { arrays, .. } => Some(arrays),
                    _ => None,
                });
                match before {
                    // Several in front of one nest say one list; the last one is read first.
                    Some(known) => drop(known.splice(0..0, arrays)),
                    None => steps.push(Wish { step: Step::Share { nest, arrays }, span }),
                }
            }
            None => {
                let message = format!(
                    "`{SHARE}` stands in front of a compute construct or a `loop` directive with a nest of counted loops"
                );
                let diagnostic = Diagnostic::error(message)
                    .help("of a construct with several nests, each has its own, in front of its `#pragma acc loop`");
                self.checker.report(span, diagnostic);
            }
        }
        Ok(body)
    }

    /// The list of arrays, each with its place, and the place of it all.
    fn share_list(&mut self, number: u32) -> Parsed<(Vec<(ArraySpec, Span)>, Span)> {
        let body = self.checker.unit.pragmas[number as usize].body;
        let written = self.checker.unit.source.slice(body);
        // The text of the list, and where in the source its parts stand.
        let mut text = String::new();
        let mut parts: Vec<(usize, Span)> = Vec::new();
        if written.is_ascii() {
            for token in self.pragma_tokens(number) {
                if token.kind == TokenKind::EndOfPragma {
                    continue;
                }
                parts.push((text.len(), token.span));
                text += &spelling(&token, &self.checker.unit.symbols);
                text.push(' ');
            }
        } else {
            // `×` is a sign of the grammar, and none of C's.
            text = String::from_utf8_lossy(written).into_owned();
            let starts = text.char_indices().map(|(at, sign)| {
                let at = at as u32 + body.start;
                (at, Span::new(at, at + sign.len_utf8() as u32))
            });
            parts = starts.map(|(at, span)| ((at - body.start) as usize, span)).collect();
        }
        let place = |from: usize, to: usize| {
            let at = |offset: usize| parts.iter().rfind(|(start, _)| *start <= offset);
            let last = parts.iter().rfind(|(start, _)| *start < to);
            match (at(from), last) {
                (Some((_, first)), Some((_, last))) => {
                    Span::new(first.start, last.end.max(first.end))
                }
                _ => body,
            }
        };
        let whole = place(text.len() - text.trim_start().len(), text.trim_end().len());
        let list = text.trim_start().strip_prefix(SHARE).unwrap_or_default().trim_start();
        let Some(list) = list.strip_prefix('(').and_then(|rest| rest.trim_end().strip_suffix(')'))
        else {
            self.checker
                .error(whole, format!("`{SHARE}` takes a list of arrays: `{SHARE}(A[TB_Y][*])`"));
            return Err(Failed);
        };
        let begin = text.find('(').map_or(0, |at| at + 1);
        match share::parse_placed(list) {
            Ok(specs) => {
                let placed = |(spec, range): (ArraySpec, std::ops::Range<usize>)| {
                    (spec, place(begin + range.start, begin + range.end))
                };
                Ok((specs.into_iter().map(placed).collect(), whole))
            }
            Err(wrong) => {
                let at = place(begin + wrong.at, begin + wrong.at + 1);
                self.checker.error(at, format!("expected {}", wrong.expected));
                Err(Failed)
            }
        }
    }
}

/// The directive that a `share` belongs to, and the outermost loop behind it.
fn nest_of(unit: &TranslationUnit, stmt: StmtId) -> Option<(DirectiveId, LoopName)> {
    let StmtKind::Directive { directive, body: Some(body) } = unit.stmts[stmt].kind else {
        return None;
    };
    let own = &unit.directives[directive];
    let is_ours =
        own.family == Family::OpenAcc && matches!(own.kind, Kind::Compute(_) | Kind::Loop);
    let mut at = is_ours.then_some(body)?;
    loop {
        match &unit.stmts[at].kind {
            StmtKind::Directive { body: Some(body), .. } => at = *body,
            StmtKind::Compound(inner) => match inner.as_slice() {
                [only] => at = *only,
                _ => return None,
            },
            StmtKind::For { .. } => {
                let variable = unit.counted_by(at)?;
                return Some((directive, named(unit, at, unit.name(variable))));
            }
            _ => return None,
        }
    }
}

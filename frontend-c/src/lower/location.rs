//! Locations of operations: the ranges of the user's text that they come from.

use std::ops::Range;
use std::sync::Arc;

use gpuc_ir::{Ident, Location, LocationKind, Value};

use super::lowerer::Lowerer;
use crate::source::Span;
use crate::tree::{DeclId, StmtId, StmtKind};

/// A preprocessed line longer than this many bytes comes out of macros, where the user's columns would have to be
/// searched for each operation.
const LONGEST_SEARCHED: u32 = 2000;

/// How many places of one line are searched, which a macro of pragmas may fill with thousands.
const MOST_SEARCHED: u32 = 32;

/// What was found for the operation before, which mostly stands on the same line.
#[derive(Debug, Default)]
pub(super) struct Located {
    file: Option<(Arc<str>, Ident)>,
    /// A line of the preprocessed text, and whether the user wrote it so.
    line: Option<(Range<u32>, bool)>,
    span: Option<(Span, Location)>,
    /// The line in which columns were searched last, and how often.
    searched: (u32, u32),
}

impl Lowerer<'_> {
    /// Makes `span` the location of operations to come; what it was before.
    pub(super) fn locate(&mut self, span: Span) -> Location {
        let mut location = match self.located.span {
            Some((known, location)) if known == span => location,
            _ => self.range(span),
        };
        self.located.span = Some((span, location));
        for frame in self.frames.iter().rev() {
            if frame.call != Location::UNKNOWN {
                let kind = LocationKind::CallSite { callee: location, caller: frame.call };
                location = self.b.ctx.add_location(kind);
                break;
            }
        }
        std::mem::replace(&mut self.b.location, location)
    }

    /// Runs `body`, whose operations come from `span`; those behind come from what they came from before.
    pub(super) fn at_span<R>(&mut self, span: Span, body: impl FnOnce(&mut Self) -> R) -> R {
        let outside = self.locate(span);
        let result = body(self);
        self.b.location = outside;
        result
    }

    /// The text that a reader takes for a statement: of one with a body, what stands before the body.
    pub(super) fn header(&self, stmt: StmtId) -> Span {
        let unit = self.unit;
        let span = unit.stmts[stmt].span;
        let body = match unit.stmts[stmt].kind {
            StmtKind::For { body, .. }
            | StmtKind::While { body, .. }
            | StmtKind::Switch { body, .. } => body,
            StmtKind::If { then, .. } => then,
            _ => return span,
        };
        let header = Span::new(span.start, unit.stmts[body].span.start.max(span.start));
        let text = unit.source.slice(header).trim_ascii_end();
        Span::new(span.start, span.start + text.len() as u32)
    }

    fn range(&mut self, span: Span) -> Location {
        let source = &self.unit.source;
        let (file, line) = source.line(span.start);
        let ident = match &self.located.file {
            Some((known, ident)) if Arc::ptr_eq(known, &file) => *ident,
            _ => {
                let ident = self.b.ctx.ident(&file);
                self.located.file = Some((file, ident));
                ident
            }
        };
        let (shown, same) = match &self.located.line {
            Some((shown, same)) if shown.contains(&span.start) => (shown.clone(), *same),
            _ => source.written_line(span.start),
        };
        self.located.line = Some((shown.clone(), same));
        let column = span.start.saturating_sub(shown.start) + 1;
        if self.located.searched.0 != line {
            self.located.searched = (line, 0);
        }
        let few = self.located.searched.1 < MOST_SEARCHED;
        if !same && few && shown.len() as u32 <= LONGEST_SEARCHED {
            self.located.searched.1 += 1;
            let place = source.place(span);
            let (start, length) = ((place.line, place.column), place.length);
            let end = (place.line, place.column + length.max(1));
            return match place.column {
                0 => self.b.ctx.file_location(ident, place.line, 0),
                _ => self.b.ctx.range_location(ident, start, end),
            };
        }
        let start = (line, column);
        let end = if span.end <= shown.end {
            Some((line, column + span.end.saturating_sub(span.start)))
        } else {
            let last = span.end - 1;
            let (last_line, same) = source.written_line(last);
            same.then(|| (source.line(last).1, last - last_line.start + 2))
                .filter(|&end| end > start)
        };
        self.b.ctx.range_location(ident, start, end.unwrap_or(start))
    }

    /// Names the variable of a loop as the program does, at the place of the loop's first value.
    pub(super) fn name_variable(&mut self, variable: Value, decl: DeclId, at: Span) {
        let child = self.at_span(at, |l| l.b.location);
        let name = self.b.ctx.ident(self.unit.name(decl));
        let location = self.b.ctx.add_location(LocationKind::Name { name, child });
        self.b.set_value_location(variable, location);
    }
}

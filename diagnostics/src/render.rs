//! The terminal form of a diagnostic.

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use crate::{Diagnostic, Place, Severity};

/// Source texts by file name, for quoting. Files that are not held are read from disk when needed.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    texts: HashMap<Arc<str>, Arc<str>>,
}

impl Sources {
    /// No texts: every quoted line is read from disk.
    pub fn new() -> Self {
        Self::default()
    }

    /// Holds `text` as the contents of `file` (standard input, a generated text).
    pub fn insert(&mut self, file: impl Into<Arc<str>>, text: impl Into<Arc<str>>) {
        self.texts.insert(file.into(), text.into());
    }

    /// Line `line` (from 1) of `file`, without its newline; `None` where it cannot be had.
    pub fn line(&self, file: &str, line: u32) -> Option<String> {
        let index = (line as usize).checked_sub(1)?;
        let nth = |text: &str| text.lines().nth(index).map(str::to_owned);
        match self.texts.get(file) {
            Some(text) => nth(text),
            None => nth(&String::from_utf8_lossy(&std::fs::read(file).ok()?)),
        }
    }
}

fn level(severity: Severity) -> Level<'static> {
    match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Remark => Level::INFO.with_name("remark"),
        Severity::Note => Level::NOTE,
    }
}

/// Byte range of `place` within its own line of text, on character boundaries.
fn range(place: &Place, text: &str) -> std::ops::Range<usize> {
    let snap = |mut at: usize| {
        at = at.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    if place.column == 0 {
        let start = text.len() - text.trim_start().len();
        return start..text.trim_end().len().max(start);
    }
    let start = snap(place.column as usize - 1);
    start..snap(start + place.length.max(1) as usize).max(start)
}

pub(crate) fn render(diagnostic: &Diagnostic, sources: &Sources, color: bool) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    // The texts must outlive the report that borrows them.
    let primary = diagnostic.place.as_ref().map(|p| (p, sources.line(&p.file, p.line)));
    let related: Vec<_> =
        diagnostic.related.iter().map(|(p, m)| (p, m, sources.line(&p.file, p.line))).collect();

    let mut title = level(diagnostic.severity).primary_title(&diagnostic.message);
    if let Some(code) = diagnostic.code {
        title = title.id(code);
    }
    let mut group = Group::with_title(title);
    if let Some((place, text)) = &primary {
        group = match text {
            Some(text) => group.element(
                Snippet::source(text.as_str())
                    .line_start(place.line as usize)
                    .path(&*place.file)
                    .annotation(
                        AnnotationKind::Primary
                            .span(range(place, text))
                            .label((!diagnostic.label.is_empty()).then_some(&*diagnostic.label)),
                    ),
            ),
            None => group.element(origin(place)),
        };
    }
    for help in &diagnostic.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    let mut report = vec![group];
    for (place, message, text) in &related {
        let group = Group::with_title(Level::NOTE.secondary_title(message.as_str()));
        report.push(match text {
            Some(text) => group.element(
                Snippet::source(text.as_str())
                    .line_start(place.line as usize)
                    .path(&*place.file)
                    .annotation(AnnotationKind::Primary.span(range(place, text))),
            ),
            None => group.element(origin(place)),
        });
    }
    included_from(diagnostic) + &renderer.render(&report)
}

/// The way to the file of a diagnostic, as GCC says it.
fn included_from(diagnostic: &Diagnostic) -> String {
    let mut text = String::new();
    for (number, (file, line)) in diagnostic.included_from.iter().enumerate() {
        text += if number == 0 { "In file included from " } else { ",\n                 from " };
        let _ = write!(text, "{file}:{line}");
    }
    if !text.is_empty() {
        text += ":\n";
    }
    text
}

fn origin(place: &Place) -> Origin<'_> {
    let origin = Origin::path(&*place.file).line(place.line as usize);
    if place.column == 0 { origin } else { origin.char_column(place.column as usize) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_the_line_with_a_caret() {
        let mut sources = Sources::new();
        sources.insert("a.c", "int x;\n#pragma acc paralel\n");
        let text = Diagnostic::error("unknown directive `paralel`")
            .at(Place::new("a.c", 2, 13, 7))
            .label("not an OpenACC directive")
            .help("did you mean `parallel`?")
            .render(&sources, false);
        assert!(text.contains("error: unknown directive `paralel`"), "{text}");
        assert!(text.contains("2 | #pragma acc paralel"), "{text}");
        assert!(text.contains("^^^^^^^ not an OpenACC directive"), "{text}");
        assert!(text.contains("help: did you mean `parallel`?"), "{text}");
    }

    #[test]
    fn the_way_to_a_header_is_said() {
        let mut diagnostic = Diagnostic::error("no").at(Place::new("y.h", 2, 0, 0));
        diagnostic.included_from = vec![("x.h".into(), 3), ("y.c".into(), 1)];
        let text = diagnostic.render(&Sources::new(), false);
        let way = "In file included from x.h:3,\n                 from y.c:1:\nerror: no\n";
        assert!(text.starts_with(way), "{text}");
    }

    #[test]
    fn places_beyond_the_text_do_not_panic() {
        let mut sources = Sources::new();
        sources.insert("a.c", "ü\n");
        for (line, column, length) in [(1, 2, 9), (9, 1, 1), (1, 0, 0), (0, 0, 0), (1, 99, 1)] {
            Diagnostic::error("x")
                .at(Place::new("a.c", line, column, length))
                .render(&sources, false);
        }
    }
}

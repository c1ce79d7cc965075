//! Diagnostics as mlir-opt prints them: `file:line:column: error: message`, the line, a caret; what belongs to it and
//! what to do about it as notes.

use std::fmt::Write;

use gpuc_diagnostics::{Diagnostic, Place, Severity, Sources};

/// The text of a diagnostic.
pub fn render(diagnostic: &Diagnostic, sources: &Sources) -> String {
    let mut text = String::new();
    let message = match diagnostic.code {
        Some(code) => format!("{} [{code}]", diagnostic.message),
        None => diagnostic.message.clone(),
    };
    line(&mut text, diagnostic.severity, diagnostic.place.as_ref(), &message, Some(sources));
    // The line is shown again only where a note is about another place.
    let mut shown = diagnostic.place.as_ref();
    for (place, message) in &diagnostic.related {
        let sources = if shown == Some(place) { None } else { Some(sources) };
        line(&mut text, Severity::Note, Some(place), message, sources);
        shown = Some(place);
    }
    let notes = Some(&diagnostic.label).filter(|label| !label.is_empty());
    for help in notes.into_iter().chain(&diagnostic.help) {
        line(&mut text, Severity::Note, None, help, None);
    }
    text
}

fn line(
    text: &mut String,
    severity: Severity,
    place: Option<&Place>,
    message: &str,
    sources: Option<&Sources>,
) {
    let Some(place) = place else {
        let _ = writeln!(text, "{severity}: {message}");
        return;
    };
    // Columns that are not known are 0, as upstream writes them.
    let (file, row, column) = (&place.file, place.line, place.column);
    let _ = writeln!(text, "{file}:{row}:{column}: {severity}: {message}");
    let source = sources.and_then(|sources| sources.line(&place.file, place.line));
    let Some(source) = source else { return };
    let before = source.chars().take((place.column as usize).saturating_sub(1));
    // A tab in front of the caret is as wide as the one above it.
    let indent: String = before.map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
    let missing = (place.column as usize).saturating_sub(1 + indent.chars().count());
    let _ = writeln!(text, "{source}\n{indent}{:missing$}^", "");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_is_upstreams() {
        let mut sources = Sources::new();
        sources.insert("a.mlir", "one\n\ttwo three\n");
        let error = Diagnostic::error("wrong")
            .at(Place::new("a.mlir", 2, 6, 5))
            .related(Place::new("a.mlir", 1, 1, 1), "before")
            .related(Place::new("a.mlir", 1, 1, 1), "there again")
            .help("do better");
        assert_eq!(
            render(&error, &sources),
            "a.mlir:2:6: error: wrong\n\ttwo three\n\t    ^\n\
             a.mlir:1:1: note: before\none\n^\n\
             a.mlir:1:1: note: there again\nnote: do better\n"
        );
        // Behind the end of a line, where something is missing.
        let missing = Diagnostic::error("missing").at(Place::new("a.mlir", 1, 6, 1));
        assert_eq!(render(&missing, &sources), "a.mlir:1:6: error: missing\none\n     ^\n");
        assert_eq!(render(&Diagnostic::warning("odd"), &sources), "warning: odd\n");
    }
}

//! The compiler's own messages as diagnostics.

use gpuc_diagnostics::{Diagnostic, Place, Severity};

/// Reads `file:line:column: severity: message` lines; other lines (quoted sources, carets, include
/// chains) belong to the message before them and are dropped.
pub(super) fn parse(text: &str) -> Vec<Diagnostic> {
    text.lines().filter_map(message).collect()
}

fn message(line: &str) -> Option<Diagnostic> {
    let kinds = [
        (": fatal error: ", Severity::Error),
        (": error: ", Severity::Error),
        (": warning: ", Severity::Warning),
    ];
    let (place, message, severity) = kinds.iter().find_map(|&(mark, severity)| {
        line.split_once(mark).map(|(place, message)| (place, message, severity))
    })?;
    let diagnostic = Diagnostic::new(severity, message);
    let mut parts = place.rsplitn(3, ':');
    let (last, middle, first) = (parts.next(), parts.next(), parts.next());
    let number = |part: Option<&str>| part.and_then(|p| p.parse::<u32>().ok());
    Some(match (number(last), number(middle), first) {
        (Some(column), Some(line), Some(file)) => diagnostic.at(Place::new(file, line, column, 0)),
        (Some(line), None, _) => {
            let file = place.rsplit_once(':').map_or(place, |(file, _)| file);
            diagnostic.at(Place::new(file, line, 0, 0))
        }
        _ => diagnostic,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_with_and_without_places() {
        let text = "In file included from a.c:1:\na.h:3:2: error: #error no\n    3 | #error no\n\
                    cc: fatal error: no input files\nb.c:7: warning: odd\n";
        let shown: Vec<_> = parse(text).iter().map(ToString::to_string).collect();
        assert_eq!(
            shown,
            ["a.h:3:2: error: #error no", "error: no input files", "b.c:7: warning: odd"]
        );
    }
}

//! The compiler's own messages as diagnostics.

use gpuc_diagnostics::{Diagnostic, Place, Severity};

/// Reads `file:line:column: severity: message` lines, with notes as part of the message before them. Of other
/// lines, quoted sources, carets and include chains are dropped; what a linker says in front of the error without
/// a place in which it ends is that error's explanation.
pub(super) fn parse(text: &str) -> Vec<Diagnostic> {
    let mut messages: Vec<Diagnostic> = Vec::new();
    let mut loose = Vec::new();
    for line in text.lines() {
        match (message(line), messages.last_mut()) {
            (Some(note), Some(last)) if note.severity == Severity::Note => match note.place {
                Some(place) => last.related.push((place, note.message)),
                None => last.help.push(note.message),
            },
            (Some(mut message), _) => {
                if message.place.is_none() {
                    message.help.append(&mut loose);
                }
                loose.clear();
                messages.push(message);
            }
            (None, _) if !is_quotation(line) => loose.push(line.to_owned()),
            (None, _) => {}
        }
    }
    messages
}

/// Whether a line is of a message with a place: `   12 | int x;`, a caret, where a file is included.
fn is_quotation(line: &str) -> bool {
    line.starts_with(' ') || line.starts_with("In file included from") || line.ends_with(':')
}

fn message(line: &str) -> Option<Diagnostic> {
    let kinds = [
        (": fatal error: ", Severity::Error),
        (": error: ", Severity::Error),
        (": warning: ", Severity::Warning),
        (": note: ", Severity::Note),
    ];
    let (place, message, severity) = kinds.iter().find_map(|&(mark, severity)| {
        line.split_once(mark).map(|(place, message)| (place, message, severity))
    })?;
    let diagnostic = Diagnostic { by_host: true, ..Diagnostic::new(severity, message) };
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

    #[test]
    fn notes_and_what_a_linker_says() {
        let text = "a.c:1:2: warning: odd\n    1 | x\na.c:3:4: note: declared here\n\
                    /usr/bin/ld: b.o: in function `main':\nb.c:(.text+0x5): undefined reference to `f'\n\
                    collect2: error: ld returned 1 exit status\n";
        let found = parse(text);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].related[0].1, "declared here");
        assert_eq!(found[1].help, ["b.c:(.text+0x5): undefined reference to `f'"]);
    }
}

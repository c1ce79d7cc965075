//! The compiler's own messages as diagnostics.

use std::sync::Arc;

use gpuc_diagnostics::{Diagnostic, Place, Severity};

/// Reads `file:line:column: severity: message` lines, with notes as part of the message before them. Of other
/// lines, quoted sources and carets are dropped; what a linker says in front of the error without
/// a place in which it ends is that error's explanation.
pub(super) fn parse(text: &str) -> Vec<Diagnostic> {
    let mut messages: Vec<Diagnostic> = Vec::new();
    let mut loose = Vec::new();
    let mut included: Vec<(Arc<str>, u32)> = Vec::new();
    for line in text.lines() {
        if let Some((file, number, is_first)) = included_from(line) {
            if is_first {
                included.clear();
            }
            included.push((file.into(), number));
            continue;
        }
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
                // What follows in the same file is said without the way to it.
                let is_there = |last: &Diagnostic| {
                    last.place.as_ref().map(|place| &place.file)
                        == message.place.as_ref().map(|place| &place.file)
                };
                message.included_from = match messages.last() {
                    Some(last) if included.is_empty() && is_there(last) => {
                        last.included_from.clone()
                    }
                    _ => std::mem::take(&mut included),
                };
                messages.push(message);
            }
            (None, _) if !is_quotation(line) => loose.push(line.to_owned()),
            (None, _) => {}
        }
    }
    messages
}

/// File and line of `In file included from FILE:LINE,` and of `from FILE:LINE:` behind it, and whether it is the first.
fn included_from(line: &str) -> Option<(&str, u32, bool)> {
    let rest = line.strip_suffix([',', ':'])?;
    let first = rest.strip_prefix("In file included from ");
    let place = first.or_else(|| rest.strip_prefix(' ')?.trim_start().strip_prefix("from "))?;
    let (file, number) = place.rsplit_once(':')?;
    let number = number.parse().ok()?;
    // Some versions have the column, too.
    Some(match file.rsplit_once(':').map(|(file, line)| (file, line.parse())) {
        Some((file, Ok(line))) => (file, line, first.is_some()),
        _ => (file, number, first.is_some()),
    })
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
    fn the_way_to_a_header() {
        let text = "In file included from b.h:2,\n                 from a.c:7:\nc.h:3:2: error: no\n    3 | x\n\
                    c.h:4:2: warning: odd\nIn file included from a.c:8:3:\nd.h:1:1: error: so\na.c:9:1: error: last\n";
        let shown: Vec<String> = parse(text)
            .iter()
            .map(|message| {
                let way = message.included_from.iter();
                way.map(|(file, line)| format!("{file}:{line}")).collect::<Vec<_>>().join(" ")
            })
            .collect();
        assert_eq!(shown, ["b.h:2 a.c:7", "b.h:2 a.c:7", "a.c:8", ""]);
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

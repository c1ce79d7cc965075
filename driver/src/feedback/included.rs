//! `In file included from`: the way to the header in which something is wrong.
//!
//! Texts have no trace of it where headers are kept and pruned, and hardly any message is about a header. So it is looked for where
//! there is one, in a text of the source with all of its markers.

use std::sync::Arc;

use gpuc_diagnostics::{Diagnostic, Severity};
use gpuc_frontend_c::preprocess::marker;

/// Lines of a file that stand in a text at once, and from where the file is included, innermost first.
#[derive(Debug)]
struct Stretch {
    file: Arc<str>,
    first: u32,
    last: u32,
    way: Vec<(Arc<str>, u32)>,
}

/// Notes the ways to headers in diagnostics of the source `name`, by its text with all markers. Of a header that is included by several
/// ways it is not known which one is meant.
pub fn note<'d>(
    diagnostics: impl Iterator<Item = &'d mut Diagnostic>,
    name: &str,
    text: impl FnOnce() -> Option<Arc<[u8]>>,
) {
    let in_header = |diagnostic: &Diagnostic| {
        diagnostic.place.as_ref().is_some_and(|place| *place.file != *name)
            && diagnostic.included_from.is_empty()
            && !diagnostic.by_host
            && matches!(diagnostic.severity, Severity::Error | Severity::Warning)
    };
    let mut found = diagnostics.filter(|diagnostic| in_header(diagnostic)).peekable();
    if found.peek().is_none() {
        return;
    }
    let Some(text) = text() else { return };
    let stretches = stretches(&text);
    for diagnostic in found {
        let Some(place) = &diagnostic.place else { continue };
        let mut ways = stretches.iter().filter(|stretch| {
            stretch.file == place.file && (stretch.first..=stretch.last).contains(&place.line)
        });
        if let Some(first) = ways.next()
            && ways.all(|other| other.way == first.way)
        {
            diagnostic.included_from.clone_from(&first.way);
        }
    }
}

fn stretches(text: &[u8]) -> Vec<Stretch> {
    let mut found: Vec<Stretch> = Vec::new();
    let mut way: Vec<(Arc<str>, u32)> = Vec::new();
    for line in text.split(|&byte| byte == b'\n') {
        let read = line.strip_prefix(b"# ").and_then(marker::parse);
        let Some((number, file, flags)) = read else {
            if let Some(last) = found.last_mut() {
                last.last += 1;
            }
            continue;
        };
        if flags.contains(&b'1') {
            // The marker stands where the line of the `#include` would.
            way.extend(found.last().map(|last| (last.file.clone(), last.last + 1)));
        } else if flags.contains(&b'2') {
            way.pop();
        }
        let way = way.iter().rev().cloned().collect();
        found.push(Stretch {
            file: marker::name(file).into(),
            first: number,
            last: number.saturating_sub(1),
            way,
        });
    }
    // Ahead of the source's first line stands what the compiler reads ahead.
    found.retain(|stretch| stretch.first > 0);
    found
}

#[cfg(test)]
mod tests {
    use gpuc_diagnostics::Place;

    use super::*;

    #[test]
    fn ways_are_those_of_the_markers() {
        let text = "# 0 \"a.c\"\n# 0 \"<built-in>\"\n#define X\n# 1 \"/p.h\" 1 3 4\n# 0 \"<command-line>\" 2\n# 1 \"a.c\"\n\
                    int a;\n# 1 \"b.h\" 1\nint b;\n\n# 1 \"c \\\"d.h\" 1\nint c;\n# 4 \"b.h\" 2\nint d;\n\
                    # 3 \"a.c\" 2\n\n# 1 \"e.h\" 1\nint e;\n# 5 \"a.c\" 2\n\n\n# 1 \"e.h\" 1\nint e;\n# 8 \"a.c\" 2\n";
        let shown = |file: &str, line: u32| {
            let place = Place::new(file, line, 1, 1);
            let mut diagnostics = [Diagnostic::error("no").at(place)];
            note(diagnostics.iter_mut(), "a.c", || Some(text.as_bytes().into()));
            let way = diagnostics[0].included_from.iter();
            way.map(|(file, line)| format!("{file}:{line}")).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(shown("b.h", 1), "a.c:2");
        assert_eq!(shown("c \"d.h", 1), "b.h:3 a.c:2");
        assert_eq!(shown("b.h", 4), "a.c:2");
        for (file, line) in [("a.c", 1), ("b.h", 9), ("e.h", 1), ("x.h", 1)] {
            assert_eq!(shown(file, line), "", "{file}:{line}");
        }
    }
}

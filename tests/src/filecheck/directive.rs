//! The directives of a check file.

use std::sync::Arc;

use gpuc_diagnostics::{Diagnostic, Place};

use super::{Options, Pattern};

/// What a directive asks of its match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Somewhere after the previous match.
    Plain,
    /// On the line after the previous match.
    Next,
    /// On the line of the previous match.
    Same,
    /// The line after the previous match is empty.
    Empty,
    /// Nowhere between the neighbouring matches.
    Not,
    /// After the previous match, in any order with its neighbours of this kind.
    Dag,
    /// Parts the output into sections that are matched one by one.
    Label,
    /// So many times, one after the other.
    Count(u32),
}

/// The words after a prefix and a dash.
pub const SUFFIXES: [&str; 7] = ["NEXT", "SAME", "EMPTY", "NOT", "DAG", "LABEL", "COUNT"];

impl Kind {
    /// The kind that follows a prefix: the empty string, or a dash and one of [`SUFFIXES`].
    pub fn from_suffix(suffix: &str) -> Option<Kind> {
        Some(match suffix {
            "" => Kind::Plain,
            "-NEXT" => Kind::Next,
            "-SAME" => Kind::Same,
            "-EMPTY" => Kind::Empty,
            "-NOT" => Kind::Not,
            "-DAG" => Kind::Dag,
            "-LABEL" => Kind::Label,
            _ => {
                let count = suffix.strip_prefix("-COUNT-")?.parse().ok()?;
                if count == 0 {
                    return None;
                }
                Kind::Count(count)
            }
        })
    }
}

/// One directive.
#[derive(Clone, Debug)]
pub struct Directive {
    /// What it asks.
    pub kind: Kind,
    /// Its name as written, `CHECK-NEXT`.
    pub name: String,
    /// Where its pattern stands.
    pub place: Place,
    /// What it looks for.
    pub pattern: Pattern,
}

/// A file's directives for one set of prefixes.
#[derive(Clone, Debug)]
pub struct CheckFile {
    /// In the order of the file.
    pub directives: Vec<Directive>,
}

impl CheckFile {
    /// Reads the directives of `text`, the contents of `file`.
    ///
    /// # Errors
    /// A diagnostic on the first malformed directive, or where there is none at all.
    pub fn parse(file: &str, text: &str, options: &Options) -> Result<Self, Box<Diagnostic>> {
        let name: Arc<str> = file.into();
        let mut directives = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let Some(found) = locate(line, &options.prefixes) else { continue };
            let number = index + 1;
            let raw = &line[found.colon + 1..];
            let pattern = if options.strict_whitespace {
                raw.strip_prefix(' ').unwrap_or(raw)
            } else {
                raw.trim()
            };
            let column = line.len() - raw.len() + raw.find(pattern).unwrap_or(0) + 1;
            let place = |offset: usize, length: usize| {
                Place::new(name.clone(), number as u32, (column + offset) as u32, length as u32)
            };
            let written = &line[found.start..found.colon];
            if pattern.is_empty() != (found.kind == Kind::Empty) {
                let what = if pattern.is_empty() { "wants a" } else { "takes no" };
                let place = Place::new(name, number as u32, found.start as u32 + 1, 0);
                return Err(refusal(format!("{written}: {what} pattern"), place));
            }
            let parsed = Pattern::parse(pattern, number, options.strict_whitespace)
                .map_err(|(at, sentence)| refusal(sentence, place(at, 2)))?;
            if found.kind == Kind::Label
                && (parsed.definitions().next().is_some() || parsed.uses().next().is_some())
            {
                return Err(refusal("a label cannot hold variables", place(0, pattern.len())));
            }
            directives.push(Directive {
                kind: found.kind,
                name: written.to_owned(),
                place: place(0, pattern.len()),
                pattern: parsed,
            });
        }
        if directives.is_empty() {
            let prefixes = options.prefixes.join(", ");
            let sentence = format!("{file} has no directive `{prefixes}:`");
            return Err(Box::new(Diagnostic::error(sentence)));
        }
        if let Some(first) = directives.iter().find(|d| d.kind != Kind::Not)
            && matches!(first.kind, Kind::Next | Kind::Same | Kind::Empty)
        {
            let sentence = format!("{} has no match before it", first.name);
            return Err(refusal(sentence, first.place.clone()));
        }
        Ok(CheckFile { directives })
    }
}

fn refusal(sentence: impl Into<String>, place: Place) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(sentence).at(place))
}

struct Located {
    kind: Kind,
    start: usize,
    colon: usize,
}

/// The first directive of a line. The word must stand alone, so that `MYCHECK:` is not `CHECK:`.
fn locate(line: &str, prefixes: &[String]) -> Option<Located> {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let mut found: Option<Located> = None;
    for prefix in prefixes {
        for (start, _) in line.match_indices(prefix.as_str()) {
            if line[..start].ends_with(word) {
                continue;
            }
            let after = &line[start + prefix.len()..];
            let Some(colon) = after.find(':') else { break };
            let Some(kind) = Kind::from_suffix(&after[..colon]) else { continue };
            if found.as_ref().is_none_or(|f| start < f.start) {
                found = Some(Located { kind, start, colon: start + prefix.len() + colon });
            }
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_are_found() {
        let text = "// CHECK-LABEL: func @f\n// MYCHECK: no\n  x // CHECK-COUNT-3:  a  b \n\
                    // CHECKS: no\n// CHECK-EMPTY:\n";
        let file = CheckFile::parse("f", text, &Options::default()).unwrap();
        let found: Vec<_> =
            file.directives.iter().map(|d| (d.kind, d.place.line, d.place.column)).collect();
        assert_eq!(found, [(Kind::Label, 1, 17), (Kind::Count(3), 3, 24), (Kind::Empty, 5, 16)]);
    }

    #[test]
    fn malformed_directives_are_refused() {
        for (text, sentence) in [
            ("", "has no directive"),
            ("CHECK:", "wants a pattern"),
            ("CHECK: a\nCHECK-EMPTY: b", "takes no pattern"),
            ("CHECK: {{(}}", "f:1:8: error: bad regular expression"),
            ("CHECK-LABEL: [[A:x]]", "cannot hold variables"),
            ("CHECK-NEXT: a", "has no match before it"),
        ] {
            let error = CheckFile::parse("f", text, &Options::default()).unwrap_err().to_string();
            assert!(error.contains(sentence), "{text:?}: {error}");
        }
    }
}

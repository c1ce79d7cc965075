//! Test inputs: several texts in one file, divided by `// -----`, and the diagnostics they expect.
//!
//! An expectation is a comment `// expected-error@+1 {{text}}`: the line it is about (`@+N`, `@-N`,
//! `@N`, `@above`, `@below`, `@unknown`; the same line if nothing is said) gets a diagnostic of that
//! severity that holds the text. A count (`2`) stands behind the place. In `expected-error-re {{text}}` what stands
//! in braces within the text, `{{[0-9]+}}`, is a regular expression.

use gpuc_diagnostics::{Diagnostic, Place, Severity};
use regex_lite::Regex;

/// The line that divides texts.
const DIVIDER: &str = "// -----";

/// A text of a divided file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk<'t> {
    /// The text.
    pub text: &'t str,
    /// Line of the file that it begins with, from 1.
    pub first_line: u32,
}

/// Divides a file at lines that begin with `// -----`.
pub fn split_input(text: &str) -> Vec<Chunk<'_>> {
    let mut chunks = Vec::new();
    let (mut start, mut first_line, mut at) = (0, 1, 0);
    for (line, content) in (1..).zip(text.split_inclusive('\n')) {
        if content.starts_with(DIVIDER) {
            chunks.push(Chunk { text: &text[start..at], first_line });
            start = at + content.len();
            first_line = line + 1;
        }
        at += content.len();
    }
    chunks.push(Chunk { text: &text[start..], first_line });
    chunks
}

/// Where an expected diagnostic must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    Known(u32),
    /// A diagnostic without a place.
    Unknown,
}

struct Expectation<'t> {
    severity: Severity,
    line: Line,
    /// As the comment has it.
    text: &'t str,
    /// What it means where it is no plain text.
    regex: Option<Regex>,
    /// Where the comment stands.
    place: Place,
}

/// Compares diagnostics with what the comments of a text expect. Returns what does not agree: an
/// error for each expectation that nothing met, and for each error or warning that nothing
/// expected. Related places count as notes.
pub fn check_expected(chunk: Chunk<'_>, file: &str, diagnostics: &[Diagnostic]) -> Vec<Diagnostic> {
    let mut failures = Vec::new();
    let mut waiting = expectations(chunk, file, &mut failures);
    for diagnostic in diagnostics {
        let line = diagnostic.place.as_ref().map_or(Line::Unknown, |place| Line::Known(place.line));
        let met = meet(&mut waiting, diagnostic.severity, line, &diagnostic.message);
        if !met && matches!(diagnostic.severity, Severity::Error | Severity::Warning) {
            let message = format!("unexpected {}: {}", diagnostic.severity, diagnostic.message);
            failures.push(Diagnostic::error(message).at_option(diagnostic.place.clone()));
        }
        for (place, message) in &diagnostic.related {
            meet(&mut waiting, Severity::Note, Line::Known(place.line), message);
        }
    }
    for missing in waiting {
        let message =
            format!("expected {} \"{}\" was not produced", missing.severity, missing.text);
        failures.push(Diagnostic::error(message).at(missing.place));
    }
    failures
}

/// Removes the expectation that a diagnostic meets; says whether there was one.
fn meet(waiting: &mut Vec<Expectation<'_>>, severity: Severity, line: Line, message: &str) -> bool {
    let found = waiting.iter().position(|expected| {
        let says = match &expected.regex {
            Some(regex) => regex.is_match(message),
            None => message.contains(expected.text),
        };
        expected.severity == severity && expected.line == line && says
    });
    found.map(|i| waiting.remove(i)).is_some()
}

fn expectations<'t>(
    chunk: Chunk<'t>,
    file: &str,
    failures: &mut Vec<Diagnostic>,
) -> Vec<Expectation<'t>> {
    let mut found = Vec::new();
    // `@above` and `@below` skip lines that only hold expectations.
    let mut below: Vec<usize> = Vec::new();
    let mut last_code = chunk.first_line.saturating_sub(1);
    for (line, content) in (chunk.first_line..).zip(chunk.text.lines()) {
        let comment = content.find("//").map(|i| (i, &content[i..]));
        let starts = comment.filter(|(_, comment)| comment.contains("expected-"));
        let only_comment = starts.is_some_and(|(i, _)| content[..i].trim().is_empty());
        if !only_comment {
            for i in below.drain(..) {
                let expected: &mut Expectation<'_> = &mut found[i];
                expected.line = Line::Known(line);
            }
        }
        let Some((column, comment)) = starts else {
            last_code = line;
            continue;
        };
        let place = |offset: usize| Place::new(file, line, (column + offset) as u32 + 1, 1);
        for (offset, _) in comment.match_indices("expected-") {
            match parse_one(&comment[offset..], line, last_code) {
                Ok((severity, target, count, text, regex)) => {
                    for _ in 0..count {
                        if target == Target::Below {
                            below.push(found.len());
                        }
                        let line = match target {
                            Target::Line(line) => line,
                            Target::Below => Line::Known(line + 1),
                        };
                        let (place, regex) = (place(offset), regex.clone());
                        found.push(Expectation { severity, line, text, regex, place });
                    }
                }
                Err(message) => failures.push(Diagnostic::error(message).at(place(offset))),
            }
        }
        if !only_comment {
            last_code = line;
        }
    }
    found
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    Line(Line),
    /// The next line that is not only an expectation.
    Below,
}

/// The expression for a text with expressions in braces: what stands outside is meant as it is.
fn regex(text: &str) -> Result<Regex, String> {
    let mut expression = String::new();
    let mut rest = text;
    while let Some((plain, behind)) = rest.split_once("{{") {
        let Some((inner, behind)) = behind.split_once("}}") else {
            return Err("found start of regex with no end '}}'".to_owned());
        };
        expression += &format!("{}(?:{inner})", regex_lite::escape(plain));
        rest = behind;
    }
    expression += &regex_lite::escape(rest);
    Regex::new(&expression).map_err(|error| {
        let error = error.to_string();
        // In upstream's words.
        let unbalanced = error.contains("open group without") || error.contains("unopened group");
        format!("invalid regex: {}", if unbalanced { "parentheses not balanced" } else { &error })
    })
}

/// Reads `expected-error@+1 2 {{text}}`.
fn parse_one(
    text: &str,
    line: u32,
    last_code: u32,
) -> Result<(Severity, Target, u32, &str, Option<Regex>), String> {
    let rest = &text["expected-".len()..];
    let word =
        rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_alphabetic() || c == '-').len();
    let (kind, is_regex) = match rest[..word].strip_suffix("-re") {
        Some(kind) => (kind, true),
        None => (&rest[..word], false),
    };
    let severity = match kind {
        "error" => Severity::Error,
        "warning" => Severity::Warning,
        "remark" => Severity::Remark,
        "note" => Severity::Note,
        _ => return Err(format!("unknown expectation 'expected-{}'", &rest[..word])),
    };
    // Blanks may stand ahead of the line, as upstream's tests have them.
    let mut rest = match rest[word..].trim_start() {
        at if at.starts_with('@') => at,
        _ => &rest[word..],
    };
    let mut target = Target::Line(Line::Known(line));
    if let Some(at) = rest.strip_prefix('@') {
        let end = at.find(|c: char| c.is_whitespace() || c == '{').unwrap_or(at.len());
        let number =
            |text: &str| text.parse::<u32>().map_err(|_| format!("invalid line '@{text}'"));
        target = match &at[..end] {
            "above" => Target::Line(Line::Known(last_code)),
            "below" => Target::Below,
            "unknown" => Target::Line(Line::Unknown),
            place => Target::Line(Line::Known(match place.split_at_checked(1) {
                Some(("+", offset)) => line.saturating_add(number(offset)?),
                Some(("-", offset)) => line.saturating_sub(number(offset)?),
                _ => number(place)?,
            })),
        };
        rest = &at[end..];
    }
    let rest = rest.trim_start();
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let count = if digits == 0 { 1 } else { rest[..digits].parse().unwrap_or(1) };
    let body = rest[digits..].trim_start().strip_prefix("{{");
    // With expressions inside, the text ends where the last braces do.
    let end = |body: &str| if is_regex { body.rfind("}}") } else { body.find("}}") };
    match body.and_then(|body| Some(&body[..end(body)?])) {
        Some(text) => {
            let regex = is_regex.then(|| regex(text)).transpose()?;
            Ok((severity, target, count, text, regex))
        }
        None => Err("expected '{{text}}' behind an expectation".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_at_dividers() {
        let chunks = split_input("a\n// -----\nb\nc\n// ----- x\n");
        let seen: Vec<_> = chunks.iter().map(|c| (c.text, c.first_line)).collect();
        assert_eq!(seen, [("a\n", 1), ("b\nc\n", 3), ("", 6)]);
    }

    fn failures(text: &str, diagnostics: &[Diagnostic]) -> Vec<String> {
        let chunk = Chunk { text, first_line: 1 };
        check_expected(chunk, "f", diagnostics).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn expectations_name_lines() {
        let at = |line| Diagnostic::error("bad thing").at(Place::new("f", line, 1, 1));
        let none: [String; 0] = [];
        assert_eq!(failures("// expected-error@+1 {{bad}}\nx\n", &[at(2)]), none);
        assert_eq!(failures("x // expected-error {{bad thing}}\n", &[at(1)]), none);
        assert_eq!(failures("x\n// expected-error@-1 2 {{bad}}\n", &[at(1), at(1)]), none);
        let two = "// expected-error@below {{bad}}\n// expected-error@below {{thing}}\nx\n";
        assert_eq!(failures(two, &[at(3), at(3)]), none);
        assert_eq!(failures("x\n// expected-error@above {{bad}}\n", &[at(1)]), none);
        let placeless = [Diagnostic::error("lost")];
        assert_eq!(failures("// expected-error@unknown {{lost}}\n", &placeless), none);
        assert_eq!(
            failures(
                "// expected-error {{other}}\n// expected-eror {{x}}\n// expected-note x",
                &[at(1)]
            ),
            [
                "f:2:4: error: unknown expectation 'expected-eror'",
                "f:3:4: error: expected '{{text}}' behind an expectation",
                "f:1:1: error: unexpected error: bad thing",
                "f:1:4: error: expected error \"other\" was not produced",
            ]
        );
    }

    #[test]
    fn expectations_may_be_expressions() {
        let error = |text: &str| [Diagnostic::error(text).at(Place::new("f", 1, 1, 1))];
        let text = "x // expected-error-re {{has (a) {{[0-9]+}} and {{x|y}}.}}\n";
        assert_eq!(failures(text, &error("it has (a) 12 and y.")), [""; 0]);
        assert_eq!(failures(text, &error("it has (a) b and y.")).len(), 2);
        assert_eq!(failures(text, &error("it has a 12 and y.")).len(), 2);
        // Without `-re` braces are as others, and end the text.
        assert_eq!(failures("x // expected-error {{a {{b}}\n", &error("a {{b")), [""; 0]);
        assert_eq!(failures("\n// expected-error-re @-1 {{a{{.*}}b}}", &error("a to b")), [""; 0]);
        let wrong =
            failures("x // expected-note-re {{a {{(}}}}\ny // expected-note-re {{a {{b}}\n", &[]);
        assert!(wrong[0].starts_with("f:1:6: error: invalid regex: "), "{wrong:?}");
        assert_eq!(wrong[1], "f:2:6: error: found start of regex with no end '}}'");
    }

    #[test]
    fn related_places_are_notes() {
        let place = |line| Place::new("f", line, 1, 1);
        let error = Diagnostic::error("twice").at(place(2)).related(place(1), "first here");
        let text = "a // expected-note {{first}}\nb // expected-error {{twice}}\n";
        assert_eq!(failures(text, &[error]), [""; 0]);
    }
}

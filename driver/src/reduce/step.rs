//! The steps: each gives the text again, as small as it can make it.

use std::ops::Range;

use gpuc_diagnostics::Diagnostic;

use super::interest::Interest;
use super::list::without;

type Step = fn(String, &mut Interest) -> Result<String, Diagnostic>;

/// The steps with their names, the ones that take away most first.
pub(super) const ALL: &[(&str, Step)] = &[
    ("lines", lines),
    ("brackets", brackets),
    ("values", values),
    ("words", words),
    ("numbers", numbers),
];

/// Leaves out lines.
fn lines(text: String, interest: &mut Interest) -> Result<String, Diagnostic> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let largest = lines.len() / 2;
    Ok(without(lines, largest.max(1), |rest| interest.shows(&rest.concat()))?.concat())
}

/// Where each bracket opens and closes, the largest first; strings and comments have none.
fn pairs(text: &str) -> Vec<Range<usize>> {
    let mut open: Vec<(u8, usize)> = Vec::new();
    let mut pairs = Vec::new();
    for token in tokens(text) {
        let byte = text.as_bytes()[token.start];
        match byte {
            b'(' | b'[' | b'{' => open.push((byte, token.start)),
            b')' | b']' | b'}' => {
                let opener = if byte == b')' { b'(' } else { byte - 2 };
                if open.last().is_some_and(|&(known, _)| known == opener)
                    && let Some((_, start)) = open.pop()
                {
                    pairs.push(start..token.end);
                }
            }
            _ => {}
        }
    }
    pairs.sort_by_key(|pair| (std::cmp::Reverse(pair.len()), pair.start));
    pairs
}

/// Leaves out what stands in brackets, with them and with the line that they begin on; or the brackets alone, or the
/// line with them around what is in them.
fn brackets(mut text: String, interest: &mut Interest) -> Result<String, Diagnostic> {
    let mut next = 0;
    loop {
        let pairs = pairs(&text);
        let Some(pair) = pairs.get(next).cloned() else { return Ok(text) };
        let (start, end) = (pair.start, pair.end);
        let line = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let inner = &text[start + 1..end - 1];
        let (before, behind) = (&text[..start], &text[end..]);
        let candidates = [
            format!("{}{behind}", &text[..line]),
            format!("{}{inner}{behind}", &text[..line]),
            format!("{before}{behind}"),
            format!("{before}{}{}{behind}", &text[start..=start], &text[end - 1..end]),
            format!("{before}{inner}{behind}"),
        ];
        let mut found = None;
        for candidate in candidates {
            if candidate.len() < text.len() && interest.shows(&candidate)? {
                found = Some(candidate);
                break;
            }
        }
        match found {
            // The pairs are others now; those that are larger have been tried.
            Some(smaller) => text = smaller,
            None => next += 1,
        }
    }
}

/// Puts an operand of an operation or instruction in the place of its result, and leaves it out with its regions:
/// `%2 = op %0, %1` of IR, `op %2, %0, %1;` of PTX.
fn values(mut text: String, interest: &mut Interest) -> Result<String, Diagnostic> {
    let mut line = text.lines().count();
    while line > 0 {
        line -= 1;
        let Some(start) = line_start(&text, line) else { continue };
        let statement = &text[start..statement_end(&text, start)];
        let mut names = tokens(statement).map(|t| &statement[t]).filter(|t| t.starts_with('%'));
        let Some(result) = names.next() else { continue };
        let mut operands: Vec<&str> = Vec::new();
        for name in names {
            if name != result && !operands.contains(&name) {
                operands.push(name);
            }
        }
        let (before, behind) = (&text[..start], &text[start + statement.len()..]);
        let mut found = None;
        for operand in operands {
            let candidate = format!("{before}{}", replaced(behind, result, operand));
            if candidate.len() < text.len() && interest.shows(&candidate)? {
                found = Some(candidate);
                break;
            }
        }
        text = found.unwrap_or(text);
    }
    Ok(text)
}

/// Where a line (from 0) starts.
fn line_start(text: &str, line: usize) -> Option<usize> {
    let newlines = text.match_indices('\n').map(|(at, _)| at + 1);
    std::iter::once(0).chain(newlines).nth(line)
}

/// Where what starts on a line ends: with the line, or where all its brackets are closed, if it begins with a result.
fn statement_end(text: &str, start: usize) -> usize {
    let rest = &text[start..];
    let line = start + rest.find('\n').map_or(rest.len(), |newline| newline + 1);
    if !rest.trim_start().starts_with('%') {
        return line;
    }
    let mut depth = 0_usize;
    let mut last = start;
    for token in tokens(rest) {
        let (from, to) = (start + token.start, start + token.end);
        if depth == 0 && text[last..from].contains('\n') && last > start {
            return last + text[last..].find('\n').map_or(0, |newline| newline + 1);
        }
        match text.as_bytes()[from] {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        last = to;
    }
    // What is never closed ends with its line.
    if depth == 0 { text.len() } else { line }
}

/// A text with one name in the place of another.
fn replaced(text: &str, name: &str, by: &str) -> String {
    let mut new = String::new();
    let mut at = 0;
    for token in tokens(text).filter(|token| &text[token.clone()] == name) {
        new += &text[at..token.start];
        new += by;
        at = token.end;
    }
    new + &text[at..]
}

/// Leaves out words and signs, with the blanks ahead of them.
fn words(text: String, interest: &mut Interest) -> Result<String, Diagnostic> {
    let mut pieces: Vec<&str> = Vec::new();
    let mut at = 0;
    for token in tokens(&text) {
        pieces.push(&text[at..token.end]);
        at = token.end;
    }
    pieces.push(&text[at..]);
    // More at once has been tried as lines and brackets.
    Ok(without(pieces, 8, |rest| interest.shows(&rest.concat()))?.concat())
}

/// Makes numbers 0 or 1.
fn numbers(mut text: String, interest: &mut Interest) -> Result<String, Diagnostic> {
    let mut next = 0;
    loop {
        let is_number = |token: &Range<usize>| {
            text.as_bytes()[token.start].is_ascii_digit()
                && !["0", "1"].contains(&&text[token.clone()])
        };
        let Some(number) = tokens(&text).filter(is_number).nth(next) else { return Ok(text) };
        let mut found = None;
        for small in ["0", "1"] {
            let candidate = format!("{}{small}{}", &text[..number.start], &text[number.end..]);
            if interest.shows(&candidate)? {
                found = Some(candidate);
                break;
            }
        }
        match found {
            Some(smaller) => text = smaller,
            None => next += 1,
        }
    }
}

/// Words, numbers, strings and signs, in all three languages; comments and blanks are none.
fn tokens(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = &text[at..];
            let start = at;
            let first = rest.chars().next()?;
            let is_part = |c: char| c.is_alphanumeric() || "_.$".contains(c);
            let length = |end: Option<usize>| end.unwrap_or(rest.len());
            if first.is_whitespace() {
                at += first.len_utf8();
                continue;
            }
            if rest.starts_with("//") {
                at += length(rest.find('\n'));
                continue;
            }
            if rest.starts_with("/*") {
                at += length(rest.find("*/").map(|end| end + 2));
                continue;
            }
            at += match first {
                '"' | '\'' => {
                    let mut escaped = false;
                    let end = rest.char_indices().skip(1).find(|&(_, c)| {
                        let ends = (c == first && !escaped) || c == '\n';
                        escaped = c == '\\' && !escaped;
                        ends
                    });
                    length(end.map(|(end, c)| end + usize::from(c == first)))
                }
                '%' | '@' | '^' | '#' | '!' => {
                    1 + rest[1..].find(|c| !is_part(c)).unwrap_or(rest.len() - 1)
                }
                c if is_part(c) => length(rest.find(|c| !is_part(c))),
                c => c.len_utf8(),
            };
            return Some(start..at);
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_those_of_all_languages() {
        let text = "%a = f.g \"x \\\" {\" // %b\n/* { */ 1.5e3, 'c' @p ü+";
        let all: Vec<&str> = tokens(text).map(|token| &text[token]).collect();
        assert_eq!(all, ["%a", "=", "f.g", "\"x \\\" {\"", "1.5e3", ",", "'c'", "@p", "ü", "+"]);
        assert_eq!(tokens("\"open\nx").count(), 2);
        assert_eq!(tokens("/* open").count(), 0);
    }

    #[test]
    fn brackets_pair_up() {
        let text = "a(b[c]{d}) } \"(\"";
        let found: Vec<&str> = pairs(text).into_iter().map(|pair| &text[pair]).collect();
        assert_eq!(found, ["(b[c]{d})", "[c]", "{d}"]);
        let text = "%1 = a %2 {\n b\n} else {\n} // x\n%3 = c\n";
        assert_eq!(&text[statement_end(text, 0)..], "%3 = c\n");
        assert_eq!(statement_end(text, text.len() - 7), text.len());
        assert_eq!(statement_end("%1 {\n%2", 0), 5);
        assert_eq!(statement_end("f(%1\n)", 0), 5);
        assert_eq!(replaced("%1 = %10 %1", "%1", "%a"), "%a = %10 %a");
    }
}

//! The pattern of one directive: literal text, regular expressions and variables.

use std::collections::BTreeMap;

use fancy_regex::Regex;

/// A piece of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    /// Text that stands for itself.
    Text(String),
    /// `{{regex}}`.
    Regex(String),
    /// `[[NAME:regex]]`, and `[[#NAME:]]` with the regular expression of a decimal number.
    Define { name: String, regex: String },
    /// `[[NAME]]`.
    Use(String),
    /// `[[#NAME+offset]]`.
    Number { name: String, offset: i64 },
}

const DECIMAL: &str = "-?[0-9]+";

/// What a directive looks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    parts: Vec<Part>,
}

/// Values of captures by name; those of numbers have a leading `#`.
pub type Bindings = BTreeMap<String, String>;

impl Pattern {
    /// Reads the text after a directive's colon, which stands on line `line` of its file.
    ///
    /// # Errors
    /// The byte offset into `text` and a sentence.
    pub fn parse(
        text: &str,
        line: usize,
        strict_whitespace: bool,
    ) -> Result<Self, (usize, String)> {
        let mut parts = Vec::new();
        let mut literal = String::new();
        let mut at = 0;
        while at < text.len() {
            let rest = &text[at..];
            let special = if let Some(inner) = rest.strip_prefix("{{") {
                let end = end_of_regex(inner).ok_or((at, "`{{` is not closed".to_owned()))?;
                let regex = &inner[..end];
                Regex::new(regex).map_err(|e| (at, format!("bad regular expression: {e}")))?;
                Some((Part::Regex(regex.to_owned()), end + 4))
            } else if let Some(inner) = rest.strip_prefix("[[") {
                let end = end_of_variable(inner).ok_or((at, "`[[` is not closed".to_owned()))?;
                Some((variable(&inner[..end], line).map_err(|e| (at, e))?, end + 4))
            } else {
                None
            };
            match special {
                Some((part, length)) => {
                    push_text(&mut parts, &mut literal, strict_whitespace);
                    parts.push(part);
                    at += length;
                }
                None => {
                    let character = rest.chars().next().unwrap_or_default();
                    literal.push(character);
                    at += character.len_utf8();
                }
            }
        }
        push_text(&mut parts, &mut literal, strict_whitespace);
        Ok(Pattern { parts })
    }

    /// The names that the pattern captures; those of numbers have a leading `#`.
    pub fn definitions(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Define { name, .. } => Some(name.as_str()),
            _ => None,
        })
    }

    /// The names that the pattern uses; those of numbers have a leading `#`.
    pub fn uses(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Use(name) | Part::Number { name, .. } => Some(name.as_str()),
            _ => None,
        })
    }

    /// The regular expression that the pattern means under `bindings`.
    ///
    /// # Errors
    /// A sentence, where a variable has no value or the expression does not compile.
    pub fn regex(&self, bindings: &Bindings, full_lines: bool) -> Result<Regex, String> {
        let mut source = String::from("(?m)");
        if full_lines {
            source.push_str("^[ \\t]*");
        }
        let mut here: Vec<&str> = Vec::new();
        for part in &self.parts {
            match part {
                Part::Text(text) => source.push_str(&fancy_regex::escape(text)),
                Part::Regex(regex) => source.push_str(&format!("(?:{regex})")),
                Part::Define { name, regex } => {
                    // A name captured twice in one pattern counts once more; the last one holds.
                    source.push_str(&format!("(?P<v{}>{regex})", here.len()));
                    here.push(name);
                }
                Part::Use(name) => match here.iter().rposition(|n| n == name) {
                    Some(index) => source.push_str(&format!("(?P=v{index})")),
                    None => {
                        let value = bindings
                            .get(name)
                            .ok_or_else(|| format!("variable `{name}` has no value here"))?;
                        source.push_str(&fancy_regex::escape(value));
                    }
                },
                Part::Number { name, offset } => {
                    let value = bindings
                        .get(name)
                        .ok_or_else(|| format!("number `{name}` has no value here"))?;
                    let sum = value.parse::<i64>().ok().and_then(|v| v.checked_add(*offset));
                    let sum = sum.ok_or_else(|| format!("number `{name}` is too large"))?;
                    source.push_str(&format!("{sum}(?![0-9])"));
                }
            }
        }
        if full_lines {
            source.push_str("[ \\t]*$");
        }
        Regex::new(&source).map_err(|e| format!("the pattern is no regular expression: {e}"))
    }

    /// The first match in `text` at or after `from`; its captures go into `bindings`.
    ///
    /// # Errors
    /// As [`Pattern::regex`].
    pub fn find(
        &self,
        text: &str,
        from: usize,
        bindings: &mut Bindings,
        full_lines: bool,
    ) -> Result<Option<(usize, usize)>, String> {
        let regex = self.regex(bindings, full_lines)?;
        let found = regex.captures_from_pos(text, from).map_err(|e| e.to_string())?;
        let Some(captures) = found else { return Ok(None) };
        for (index, name) in self.definitions().enumerate() {
            if let Some(value) = captures.name(&format!("v{index}")) {
                bindings.insert(name.to_owned(), value.as_str().to_owned());
            }
        }
        Ok(captures.get(0).map(|whole| (whole.start(), whole.end())))
    }
}

/// Collapses runs of blanks, as the output's are, so that layout does not matter.
pub fn collapse_blanks(text: &str) -> String {
    let mut collapsed = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            ' ' | '\t' if collapsed.ends_with(' ') => {}
            ' ' | '\t' => collapsed.push(' '),
            other => collapsed.push(other),
        }
    }
    collapsed
}

fn push_text(parts: &mut Vec<Part>, literal: &mut String, strict: bool) {
    if !literal.is_empty() {
        let text = std::mem::take(literal);
        parts.push(Part::Text(if strict { text } else { collapse_blanks(&text) }));
    }
}

/// Offset of the closing `}}`; further braces belong to the expression (`{{a{2}}}`).
fn end_of_regex(inner: &str) -> Option<usize> {
    let mut end = inner.find("}}")?;
    while inner[end + 2..].starts_with('}') {
        end += 1;
    }
    Some(end)
}

/// Offset of the closing `]]`, beyond the brackets of the expression within.
fn end_of_variable(inner: &str) -> Option<usize> {
    let mut depth = 0usize;
    let mut bytes = inner.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\\' => {
                bytes.next();
            }
            b'[' => depth += 1,
            b']' if depth > 0 => depth -= 1,
            b']' if inner[at..].starts_with("]]") => return Some(at),
            _ => {}
        }
    }
    None
}

fn is_name(name: &str) -> bool {
    let name = name.strip_prefix('$').unwrap_or(name);
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn variable(inner: &str, line: usize) -> Result<Part, String> {
    if let Some(number) = inner.strip_prefix('#') {
        return numeric(number.trim(), line);
    }
    if inner.starts_with('@') {
        return numeric(inner, line);
    }
    match inner.split_once(':') {
        Some((name, regex)) if is_name(name) => {
            Regex::new(regex).map_err(|e| format!("bad regular expression: {e}"))?;
            Ok(Part::Define { name: name.to_owned(), regex: regex.to_owned() })
        }
        None if is_name(inner) => Ok(Part::Use(inner.to_owned())),
        _ => Err(format!("`{inner}` is neither NAME nor NAME:regex")),
    }
}

fn numeric(inner: &str, line: usize) -> Result<Part, String> {
    if inner.is_empty() {
        return Ok(Part::Regex(DECIMAL.to_owned()));
    }
    if let Some(name) = inner.strip_suffix(':').map(str::trim).filter(|name| is_name(name)) {
        return Ok(Part::Define { name: format!("#{name}"), regex: DECIMAL.to_owned() });
    }
    let split = inner.find(['+', '-']).unwrap_or(inner.len());
    let (name, offset) = inner.split_at(split);
    let (name, offset) = (name.trim(), offset.replace(' ', ""));
    let offset = if offset.is_empty() { Ok(0) } else { offset.parse::<i64>() };
    match offset {
        Ok(offset) if name == "@LINE" => {
            Ok(Part::Regex(format!("{}(?![0-9])", (line as i64).saturating_add(offset))))
        }
        Ok(offset) if is_name(name) => Ok(Part::Number { name: format!("#{name}"), offset }),
        _ => Err(format!("`[[#{inner}]]`: only NAME:, NAME, NAME+n, NAME-n and @LINE are known")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(pattern: &str, text: &str, bindings: &mut Bindings) -> Option<(usize, usize)> {
        Pattern::parse(pattern, 7, false).unwrap().find(text, 0, bindings, false).unwrap()
    }

    #[test]
    fn patterns_match() {
        for (pattern, text, expected) in [
            ("a.b", "axb a.b", Some("a.b")),
            ("a   b", "a b", Some("a b")),
            ("x{{[0-9]+}}y", "xy x12y", Some("x12y")),
            ("{{a{2}}}b", "ab aab", Some("aab")),
            ("[[A:%[a-z]+]] = [[A]]", "%x = %y, %z = %z", Some("%z = %z")),
            ("[[#]]:", "a: 12:", Some("12:")),
            ("line [[#@LINE+1]]", "line 80 line 8", Some("line 8")),
            ("line [[@LINE]]", "line 7", Some("line 7")),
            ("{{^}}b", "ab\nb", Some("b")),
            ("absent", "present", None),
        ] {
            let found = find(pattern, text, &mut Bindings::new());
            assert_eq!(found.map(|(start, end)| &text[start..end]), expected, "{pattern}");
        }
    }

    #[test]
    fn captures_carry_over() {
        let mut bindings = Bindings::new();
        find("[[R:%r[0-9]+]] then [[#N:]]", "%r4 then 41", &mut bindings);
        assert_eq!(find("[[R]]+[[#N+1]]", "%r4+43 %r4+42", &mut bindings), Some((7, 13)));
        let pattern = Pattern::parse("[[OTHER]]", 1, false).unwrap();
        assert!(pattern.find("x", 0, &mut bindings, false).unwrap_err().contains("`OTHER`"));
    }

    #[test]
    fn bad_patterns_are_refused() {
        for (pattern, sentence) in [
            ("a {{b", "not closed"),
            ("a [[b", "not closed"),
            ("{{(}}", "bad regular expression"),
            ("[[A:(]]", "bad regular expression"),
            ("[[1]]", "neither NAME"),
            ("[[#%X,A:]]", "only NAME:"),
        ] {
            let (_, error) = Pattern::parse(pattern, 1, false).unwrap_err();
            assert!(error.contains(sentence), "{pattern}: {error}");
        }
    }
}

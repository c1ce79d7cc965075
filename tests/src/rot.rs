//! Signs that a test file no longer tests anything: a misspelt directive, a prefix that no
//! command reads, a capture that nothing uses.

use std::collections::BTreeSet;

use gpuc_diagnostics::{Diagnostic, Place, did_you_mean};

use crate::filecheck::{CheckFile, Kind, Options, SUFFIXES};

/// Directives of the file itself.
const OWN: [&str; 2] = ["RUN", "REQUIRES"];
/// What `--verify-diagnostics` reads.
const EXPECTED: [&str; 4] =
    ["expected-error", "expected-warning", "expected-remark", "expected-note"];

/// Looks through `text`, the contents of `file`, whose commands check it with `checks`.
pub fn find(file: &str, text: &str, checks: &[Options]) -> Vec<Diagnostic> {
    let mut prefixes: BTreeSet<&str> = OWN.into();
    prefixes.extend(checks.iter().flat_map(|check| &check.prefixes).map(String::as_str));
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let Some(comment) = line.find("//").map(|at| &line[at + 2..]) else { continue };
        let start = line.len() - comment.len();
        for (at, word) in words(comment) {
            let colon = comment[at + word.len()..].starts_with(':');
            let first = comment[..at].trim().is_empty();
            if let Some(sentence) = suspicion(word, colon, first, &prefixes) {
                let column = (start + at + 1) as u32;
                let place = Place::new(file, index as u32 + 1, column, word.len() as u32);
                found.push(Diagnostic::error(sentence).at(place));
                // What follows on the line is text of this directive.
                break;
            }
            if colon && prefixes.contains(base(word)) {
                break;
            }
        }
    }
    found.extend(unused_captures(file, text, checks));
    found
}

/// The words of letters, digits, `-` and `_` with their offsets.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let part = |c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_');
    text.split(part)
        .filter(|word| !word.is_empty())
        .map(move |word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
}

/// The prefix of a directive's name: what stands before a known suffix.
fn base(word: &str) -> &str {
    for suffix in SUFFIXES {
        if let Some(at) = word.rfind(&format!("-{suffix}"))
            && Kind::from_suffix(&word[at..]).is_some()
        {
            return &word[..at];
        }
    }
    word
}

fn suspicion(word: &str, colon: bool, first: bool, known: &BTreeSet<&str>) -> Option<String> {
    if let Some(rest) = word.strip_prefix("expected-") {
        // With `-re` what stands in braces is a regular expression.
        let is_known = EXPECTED.contains(&word.strip_suffix("-re").unwrap_or(word));
        return (!is_known && first).then(|| {
            let near = did_you_mean(word, EXPECTED).unwrap_or("expected-error");
            format!("`expected-{rest}` is not a directive; did you mean `{near}`?")
        });
    }
    // `CHECK-NXET:` begins with a known prefix, `CHEKC:` is near one.
    let near_suffix = known.iter().find_map(|prefix| {
        let suffix = word.strip_prefix(prefix)?.strip_prefix('-')?;
        Some((*prefix, suffix))
    });
    let upper = |c: char| !c.is_ascii_lowercase();
    if near_suffix.is_none() && !(word.starts_with(char::is_alphabetic) && word.chars().all(upper))
    {
        return None;
    }
    let base = base(word);
    if known.contains(base) {
        // `CHECK-NEXT foo`: the colon was forgotten. A bare prefix may be a word of prose.
        return (!colon && first && base != word)
            .then(|| format!("`{word}` without a colon is not a directive"));
    }
    if !colon {
        return None;
    }
    if base != word {
        return Some(format!("`{word}:` has a prefix that no RUN line names"));
    }
    if let Some((prefix, suffix)) = near_suffix {
        let near = did_you_mean(suffix, SUFFIXES)
            .map_or(String::new(), |near| format!("; did you mean `{prefix}-{near}:`?"));
        return Some(format!("`{word}:` is not a directive{near}"));
    }
    let near = did_you_mean(word, known.iter().copied())?;
    Some(format!("`{word}:` is not a directive; did you mean `{near}:`?"))
}

fn unused_captures(file: &str, text: &str, checks: &[Options]) -> Vec<Diagnostic> {
    let mut defined = Vec::new();
    let mut used = BTreeSet::new();
    for check in checks {
        // A file that cannot be read fails its own check.
        let Ok(parsed) = CheckFile::parse(file, text, check) else { continue };
        for directive in parsed.directives {
            used.extend(directive.pattern.uses().map(str::to_owned));
            let names = directive.pattern.definitions().map(str::to_owned);
            defined.extend(names.map(|name| (name, directive.place.clone())));
        }
    }
    defined.retain(|(name, _)| !used.contains(name));
    defined.dedup();
    defined
        .into_iter()
        .map(|(name, place)| {
            Diagnostic::error(format!("capture `{name}` is used nowhere"))
                .at(place)
                .help("write {{regex}} where the text does not matter")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rot(text: &str) -> Vec<String> {
        let other = Options { prefixes: vec!["PTX".to_owned()], ..Options::default() };
        find("f", text, &[Options::default(), other]).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn sound_files_pass() {
        for text in [
            "// RUN: gpuc %s | FileCheck %s\n// CHECK: a\n// PTX-NEXT: b\n// REQUIRES: ptxas",
            "// NOTE: prose\n// TODO: prose\n// a CHECK in prose\n// GPU: prose",
            "// CHECK: [[A:x]]\n// CHECK-SAME: [[A]]",
            "// CHECK: NXET: text of the pattern",
            "// expected-error@+1 {{a}}",
            "CHEKC: not in a comment",
        ] {
            assert_eq!(rot(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn rot_is_found() {
        for (text, sentence) in [
            ("// CHEKC: a", "did you mean `CHECK:`"),
            (
                "x // CHECK-NXET: a",
                "f:1:6: error: `CHECK-NXET:` is not a directive; did you mean `CHECK-NEXT:`",
            ),
            ("// CHECK-COUNT-x: a", "is not a directive"),
            ("// CHECK-NEXT a", "without a colon"),
            ("// OTHER-NEXT: a", "a prefix that no RUN line names"),
            ("// REQUIERS: ptxas", "did you mean `REQUIRES:`"),
            ("// RNU: gpuc", "did you mean `RUN:`"),
            ("// PTXX: a", "did you mean `PTX:`"),
            ("// CHECK: [[A:x]]", "capture `A` is used nowhere"),
            ("// CHECK: [[#N:]]", "capture `#N` is used nowhere"),
            ("// expected-eror {{a}}", "did you mean `expected-error`"),
        ] {
            let found = rot(text).join("\n");
            assert!(found.contains(sentence), "{text}: {found}");
        }
    }
}

//! PTX: what the simulator's reader says of it, and what its table of instructions knows.

use std::ops::Range;

use gpuc_diagnostics::Diagnostic;
use lsp_types::{CompletionItem, CompletionItemKind};

use super::documents::Target;
use super::text::Text;

/// What came of a file.
pub(super) struct Analysis {
    /// Errors of the reader, and what keeps a kernel from running on the simulator.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a file.
pub(super) fn analyse(name: &str, text: &Text) -> Analysis {
    let diagnostics = match gpuc_sim::Module::parse(text.as_str(), name) {
        Ok(module) => module.refusals().into_iter().cloned().collect(),
        Err(errors) => errors,
    };
    Analysis { diagnostics }
}

/// Whether names consist of it.
fn is_part(c: char) -> bool {
    c.is_alphanumeric() || "_$%".contains(c)
}

/// The mnemonic of a line's instruction, behind its label and its predicate.
fn mnemonic(line: &str) -> Option<Range<usize>> {
    let mut at = line.len() - line.trim_start().len();
    loop {
        let rest = &line[at..];
        let blank = rest.len() - rest.trim_start().len();
        at += blank;
        let rest = &line[at..];
        let end = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
        if rest[end..].starts_with(':') {
            at += end + 1;
        } else if rest.starts_with('@') {
            at += rest.find(char::is_whitespace)?;
        } else if rest.starts_with('{') {
            at += 1;
        } else {
            return (end > 0).then_some(at..at + end);
        }
    }
}

/// An instruction: what it does. A name: the line that it comes from.
pub(super) fn hover(text: &Text, offset: usize) -> Option<(String, Range<usize>)> {
    let line = text.line_of(offset);
    let start = text.line_range(line).start;
    let dotted = text.around(offset, |c| is_part(c) || c == '.');
    let here = mnemonic(text.line(line)).map(|range| range.start + start..range.end + start);
    if let Some(range) = here.filter(|range| range.start == dotted.start)
        && let Some(shown) = gpuc_sim::instruction_markdown(&text.as_str()[range])
    {
        return Some((shown, dotted));
    }
    let Target::Here(defined) = definition(text, offset)? else { return None };
    let line = text.line(text.line_of(defined.start)).trim();
    Some((format!("```ptx\n{line}\n```"), text.around(offset, is_part)))
}

/// Where a label, register, parameter, variable or function is declared.
pub(super) fn definition(text: &Text, offset: usize) -> Option<Target> {
    let range = text.around(offset, is_part);
    let word = &text.as_str()[range];
    if word.is_empty() {
        return None;
    }
    let here = text.line_of(offset);
    // What the function's own lines declare comes before what others and the file do.
    let function = function(text, here);
    let inside = function.clone().find_map(|line| declared(text, line, word));
    let outside = || {
        let others = (0..text.lines()).filter(|line| !function.contains(line));
        let of_file = |line: &usize| text.line(*line).trim_start().starts_with('.');
        others.filter(of_file).find_map(|line| declared(text, line, word))
    };
    inside.or_else(outside).map(Target::Here)
}

/// The lines of the function or kernel around a line, its head included; none outside of all.
fn function(text: &Text, line: usize) -> Range<usize> {
    let is_head = |line: &usize| {
        let mut words = text.line(*line).split_whitespace();
        words.by_ref().take(3).any(|word| word == ".entry" || word == ".func")
    };
    let Some(first) = (0..=line).rev().find(is_head) else { return 0..0 };
    let mut depth = 0_usize;
    let mut opened = false;
    for at in first..text.lines() {
        for c in text.line(at).split("//").next().unwrap_or_default().chars() {
            match c {
                '{' => (depth, opened) = (depth + 1, true),
                '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        if opened && depth == 0 {
            return if at < line { 0..0 } else { first..at + 1 };
        }
    }
    first..text.lines()
}

/// Where a line declares a name.
fn declared(text: &Text, line: usize, name: &str) -> Option<Range<usize>> {
    let content = text.line(line).split("//").next().unwrap_or_default();
    let start = text.line_range(line).start;
    let places = content.match_indices(name).filter(|&(at, _)| {
        let ends = |rest: &str| !rest.starts_with(is_part);
        !content[..at].ends_with(is_part) && ends(&content[at + name.len()..])
    });
    let is_label =
        |&(at, _): &(usize, &str)| content[at + name.len()..].trim_start().starts_with(':');
    let found = |(at, _): (usize, &str)| start + at..start + at + name.len();
    let declares = DECLARING.iter().any(|word| content.contains(word))
        && mnemonic(content).is_none_or(|range| content[..range.start].contains('.'));
    if declares {
        if let Some(place) = places.clone().next() {
            return Some(found(place));
        }
        return in_row(content, name).map(|range| start + range.start..start + range.end);
    }
    places
        .filter(|place| content.trim_start().starts_with(name) || is_label(place))
        .find(is_label)
        .map(found)
}

/// Directives that declare names.
const DECLARING: &[&str] =
    &[".reg", ".param", ".shared", ".global", ".local", ".const", ".entry", ".func", ".tex"];

/// `%r<10>` declares `%r0` to `%r9`.
fn in_row(content: &str, name: &str) -> Option<Range<usize>> {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let number: u64 = name[stem.len()..].parse().ok()?;
    let row = format!("{stem}<");
    let at = content
        .match_indices(&row)
        .map(|(at, _)| at)
        .find(|&at| !content[..at].ends_with(is_part))?;
    let count: u64 = content[at + row.len()..].split('>').next()?.trim().parse().ok()?;
    (number < count).then_some(at..at + stem.len())
}

/// The instructions that a begun name may become.
pub(super) fn complete(text: &Text, offset: usize) -> Vec<CompletionItem> {
    let begun = text.around(offset, is_part);
    let line = text.line_range(text.line_of(offset));
    let is_first = mnemonic(text.line(text.line_of(offset)))
        .is_some_and(|range| line.start + range.start == begun.start);
    let begun = &text.as_str()[begun.start..offset];
    let item = |name: &str| CompletionItem {
        label: name.to_owned(),
        kind: Some(CompletionItemKind::KEYWORD),
        ..CompletionItem::default()
    };
    gpuc_sim::mnemonics().filter(|name| is_first && name.starts_with(begun)).map(item).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lsp::text::Columns;

    const TEXT: &str = "\
.version 8.0
.target sm_80
.global .u32 counter;
.visible .entry f(.param .u64 a)
{
  .reg .pred %p<2>;
  .reg .b32 %r<4>, %rd;
  ld.param.u64 %rd, [a];
LOOP: @%p1 bra LOOP;
  add.s32 %r3, %r0, 1; // %r2 counter
  @!%p1 bra.uni END;
END:
  ret;
}
.visible .entry g(.param .u64 a) {
  .reg .b32 %r<2>;
  st.global.u32 [counter], %r1;
END:
  bra END;
}
";

    fn leads(word: &str, count: usize) -> Option<(usize, usize)> {
        let text = Text::new(TEXT.to_owned(), Columns::Utf8);
        let (at, _) = TEXT.match_indices(word).nth(count)?;
        let Target::Here(range) = definition(&text, at + 1)? else { return None };
        let line = text.line_of(range.start);
        Some((line + 1, range.start - text.line_range(line).start + 1))
    }

    #[test]
    fn names_lead_to_their_declarations() {
        assert_eq!(leads("LOOP;", 0), Some((9, 1)));
        assert_eq!(leads("END;", 0), Some((12, 1)));
        assert_eq!(leads("END;", 1), Some((18, 1)));
        assert_eq!(leads("%r3", 0), Some((7, 13)));
        assert_eq!(leads("%r1", 0), Some((16, 13)));
        assert_eq!(leads("%rd, [", 0), Some((7, 20)));
        assert_eq!(leads("%p1", 0), Some((6, 14)));
        assert_eq!(leads("counter]", 0), Some((3, 14)));
        assert_eq!(leads("a];", 0).unwrap().0, 4);
        assert_eq!(leads("1;", 0), None);
    }

    #[test]
    fn instructions_are_explained() {
        let text = Text::new(TEXT.to_owned(), Columns::Utf8);
        let at = |word: &str, more| {
            hover(&text, TEXT.find(word).unwrap() + more).map(|(shown, _)| shown)
        };
        let add = at("add.s32", 5).unwrap();
        assert!(add.starts_with("**add**: Adds.\n") && add.contains("{.sat}"), "{add}");
        assert!(at("bra LOOP", 1).unwrap().starts_with("**bra**"));
        assert!(at("bra.uni", 5).unwrap().starts_with("**bra**"));
        assert_eq!(at("%r3", 1).as_deref(), Some("```ptx\n.reg .b32 %r<4>, %rd;\n```"));
        assert_eq!(complete(&text, TEXT.find("add.s32").unwrap() + 2)[0].label, "add");
    }
}

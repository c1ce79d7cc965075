//! IR in MLIR's text.

use std::collections::BTreeMap;
use std::ops::Range;

use gpuc_diagnostics::Diagnostic;
use gpuc_ir::text::parse_module_at;
use gpuc_ir::text::split::split_input;
use gpuc_ir::verify::verify;
use gpuc_ir::{Ir, OpDef};
use lsp_types::{CompletionItem, CompletionItemKind, Documentation, MarkupContent, MarkupKind};

use super::documents::Target;
use super::text::Text;

/// What came of a file.
pub(super) struct Analysis {
    /// Errors of the reader and the verifier.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads and verifies a file, each of the texts that `// -----` divides it into.
pub(super) fn analyse(name: &str, text: &Text) -> Analysis {
    let mut diagnostics = Vec::new();
    for chunk in split_input(text.as_str()) {
        let mut ir = Ir::new();
        gpuc_dialects::register_all(&mut ir.ctx);
        let errors = match parse_module_at(&mut ir, chunk.text, name, chunk.first_line) {
            Ok(module) => verify(&mut ir, module).err(),
            Err(errors) => Some(errors),
        };
        diagnostics.extend(errors.into_iter().flatten());
    }
    Analysis { diagnostics }
}

/// Whether names of operations, values and symbols consist of it.
fn is_part(c: char) -> bool {
    c.is_alphanumeric() || "_.$-%@^!#".contains(c)
}

/// The name at an offset, without the number of a result (`%0#1`).
fn name(text: &Text, offset: usize) -> Range<usize> {
    let range = text.around(offset, is_part);
    let word = &text.as_str()[range.clone()];
    let sigil = word.rfind(['%', '@', '^', '!']).unwrap_or(0);
    let start = range.start + sigil;
    let rest = &text.as_str()[start..range.end];
    let end = rest.char_indices().skip(1).find(|&(_, c)| c == '#').map_or(rest.len(), |(at, _)| at);
    start..start + end
}

/// The declaration of an operation, `arith.addi` or one that is written without its dialect (`return`).
fn operation(name: &str) -> Option<&'static OpDef> {
    let prefixes: &[&str] = if name.contains('.') { &[""] } else { &["builtin.", "func."] };
    let mut all = gpuc_dialects::ALL.iter().flat_map(|dialect| dialect.ops).map(|def| def());
    all.find(|def| prefixes.iter().any(|prefix| def.name == format!("{prefix}{name}")))
}

/// An operation's declaration in Markdown.
fn shown(def: &OpDef) -> String {
    let values = |values: &[gpuc_ir::op::ValueSpec]| {
        let each = values.iter().map(|v| format!("`{}`: {}", v.name, v.constraint.summary));
        each.collect::<Vec<_>>().join(", ")
    };
    let mut text = format!("**{}**\n\n{}\n", def.name, def.docs.trim());
    for (what, list) in [("operands", values(def.operands)), ("results", values(def.results))] {
        if !list.is_empty() {
            text += &format!("\n- {what}: {list}");
        }
    }
    let attributes: Vec<_> = def.attrs.iter().map(|attr| format!("`{}`", attr.name)).collect();
    if !attributes.is_empty() {
        text += &format!("\n- attributes: {}", attributes.join(", "));
    }
    text
}

/// An operation: its declaration. A value, block or symbol: the line that it comes from.
pub(super) fn hover(text: &Text, offset: usize) -> Option<(String, Range<usize>)> {
    let range = name(text, offset);
    let word = &text.as_str()[range.clone()];
    if let Some(def) = operation(word.trim_matches(['"', '.'])) {
        return Some((shown(def), range));
    }
    let Target::Here(defined) = definition(text, offset)? else { return None };
    let line = text.line(text.line_of(defined.start)).trim();
    Some((format!("```mlir\n{line}\n```"), range))
}

/// Where a value, block, symbol or alias is made.
pub(super) fn definition(text: &Text, offset: usize) -> Option<Target> {
    let range = name(text, offset);
    let word = &text.as_str()[range.clone()];
    let found = match word.chars().next()? {
        '%' => value(text.as_str(), word, range.start),
        '^' => block(text, word, offset),
        '@' => symbol(text, word),
        '#' | '!' => alias(text, word),
        _ => None,
    }?;
    Some(Target::Here(found..found + word.len()))
}

/// What is read of a text: a name of a value, or what begins and ends scopes.
enum Token<'a> {
    Value(&'a str),
    Open,
    Close,
    Line,
    Equals,
}

/// The tokens that matter for scopes, with their offsets; comments and strings have none.
fn tokens(text: &str) -> impl Iterator<Item = (usize, Token<'_>)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while let Some(c) = text[at..].chars().next() {
            let start = at;
            at += c.len_utf8();
            match c {
                '{' => return Some((start, Token::Open)),
                '}' => return Some((start, Token::Close)),
                '\n' => return Some((start, Token::Line)),
                '=' => return Some((start, Token::Equals)),
                '/' if text[at..].starts_with('/') => {
                    at += text[at..].find('\n').unwrap_or(text.len() - at);
                }
                '"' => {
                    let mut escaped = false;
                    let end = text[at..].find(|c: char| {
                        let ends = (c == '"' && !escaped) || c == '\n';
                        escaped = c == '\\' && !escaped;
                        ends
                    });
                    at += end.map_or(text.len() - at, |end| end + 1);
                }
                '%' => {
                    let rest = &text[at..];
                    let is_part = |c: char| c.is_alphanumeric() || "_.$-".contains(c);
                    at += rest.find(|c| !is_part(c)).unwrap_or(rest.len());
                    return Some((start, Token::Value(&text[start..at])));
                }
                _ => {}
            }
        }
        None
    })
}

/// Where the value is made that a name at an offset means. A name is made where it stands for the first time in its
/// scope. What an operation's line names ahead of its `{` and not ahead of its `=` (arguments of a function, a
/// loop's variable) is made in the scope that the `{` opens.
fn value(text: &str, name: &str, used: usize) -> Option<usize> {
    let mut scopes: Vec<BTreeMap<&str, usize>> = vec![BTreeMap::new()];
    let mut new: Vec<(&str, usize)> = Vec::new();
    let mut has_results = false;
    for (at, token) in tokens(text) {
        if at > used {
            break;
        }
        match token {
            Token::Value(value) => {
                if !scopes.iter().any(|scope| scope.contains_key(value)) {
                    scopes.last_mut()?.insert(value, at);
                    new.push((value, at));
                }
            }
            // The first one of a statement parts its results from the rest.
            Token::Equals if !has_results => {
                let line = &text[text[..at].rfind('\n').map_or(0, |newline| newline + 1)..at];
                has_results = true;
                if line.trim_start().starts_with('%') {
                    new.clear();
                }
            }
            Token::Equals => {}
            Token::Line => {
                new.clear();
                has_results = false;
            }
            Token::Open => {
                let mut scope = BTreeMap::new();
                for (value, at) in new.drain(..) {
                    scopes.last_mut()?.remove(value);
                    scope.insert(value, at);
                }
                scopes.push(scope);
            }
            Token::Close => {
                if scopes.len() > 1 {
                    scopes.pop();
                }
                new.clear();
            }
        }
    }
    scopes.iter().rev().find_map(|scope| scope.get(name).copied())
}

/// The block of that name that is nearest to a use.
fn block(text: &Text, name: &str, used: usize) -> Option<usize> {
    let lines = (0..text.lines()).filter_map(|line| {
        let content = text.line(line).trim_start();
        let rest = content.strip_prefix(name)?;
        rest.starts_with([':', '(']).then(|| text.line_range(line).end - content.len())
    });
    lines.min_by_key(|at| at.abs_diff(used))
}

/// The operation that defines a symbol.
fn symbol(text: &Text, name: &str) -> Option<usize> {
    (0..text.lines()).find_map(|line| {
        let content = text.line(line);
        let mut words = content.split_whitespace();
        let first = words.next()?.trim_matches('"');
        let def = operation(first)?;
        if !def.traits.contains(gpuc_ir::op::Traits::SYMBOL) {
            return None;
        }
        let at = content.find('@')?;
        let rest = content[at..].strip_prefix(name)?;
        let ends = !rest.starts_with(|c: char| c.is_alphanumeric() || "_.$-".contains(c));
        ends.then(|| text.line_range(line).start + at)
    })
}

/// The line that defines an alias.
fn alias(text: &Text, name: &str) -> Option<usize> {
    let mut lines = (0..text.lines()).filter(|&line| {
        let rest = text.line(line).strip_prefix(name);
        rest.is_some_and(|rest| rest.trim_start().starts_with('='))
    });
    lines.next().map(|line| text.line_range(line).start)
}

/// The operations that a begun name may become.
pub(super) fn complete(text: &Text, offset: usize) -> Vec<CompletionItem> {
    let begun = text.around(offset, |c| c.is_alphanumeric() || c == '_' || c == '.');
    let begun = &text.as_str()[begun.start..offset];
    let all = gpuc_dialects::ALL.iter().flat_map(|dialect| dialect.ops).map(|def| def());
    let item = |def: &'static OpDef| CompletionItem {
        label: def.name.to_owned(),
        kind: Some(CompletionItemKind::FUNCTION),
        detail: def.docs.trim().lines().next().map(str::to_owned),
        documentation: Some(Documentation::MarkupContent(MarkupContent {
            kind: MarkupKind::Markdown,
            value: shown(def),
        })),
        ..CompletionItem::default()
    };
    all.filter(|def| !begun.is_empty() && def.name.starts_with(begun)).map(item).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lsp::text::Columns;

    const TEXT: &str = "\
#map = affine_map<(d0) -> (d0)>
func.func @f(%a: index, %b: memref<?xf32>) -> index {
  %0 = scf.for %i = %a to %a step %a iter_args(%s = %a) -> (index) {
    %1 = arith.addi %s, %i : index // %zzz
    scf.yield %1 : index
  }
  cf.br ^end(%0 : index)
^end(%r: index):
  return %r : index
}
func.func @g(%a: index) {
  %1 = affine.apply #map(%a)
  %0 = func.call @f(%1) : (index) -> index
  return
}
";

    /// Line and column, from 1, of what the `count`th `word` leads to.
    fn leads(word: &str, count: usize) -> Option<(usize, usize)> {
        let text = Text::new(TEXT.to_owned(), Columns::Utf8);
        let (at, _) = TEXT.match_indices(word).nth(count)?;
        let Target::Here(range) = definition(&text, at + 1)? else { return None };
        let line = text.line_of(range.start);
        Some((line + 1, range.start - text.line_range(line).start + 1))
    }

    #[test]
    fn names_lead_to_where_they_are_made() {
        assert_eq!(leads("%a", 2), Some((2, 14)));
        assert_eq!(leads("%i", 1), Some((3, 16)));
        assert_eq!(leads("%s", 1), Some((3, 48)));
        assert_eq!(leads("%1", 1), Some((4, 5)));
        assert_eq!(leads("%0", 1), Some((3, 3)));
        assert_eq!(leads("%r", 1), Some((8, 6)));
        assert_eq!(leads("%1", 3), Some((12, 3)));
        assert_eq!(leads("#map", 1), Some((1, 1)));
        assert_eq!(leads("@f", 1), Some((2, 11)));
        assert_eq!(leads("^end", 0), Some((8, 1)));
        // The second function's argument is its own.
        let last = TEXT.match_indices("%a").count() - 1;
        assert_eq!(leads("%a", last), Some((11, 14)));
    }

    #[test]
    fn operations_are_explained() {
        let text = Text::new(TEXT.to_owned(), Columns::Utf8);
        let at = |word: &str| hover(&text, TEXT.find(word).unwrap() + 1).map(|(shown, _)| shown);
        assert!(at("arith.addi").unwrap().starts_with("**arith.addi**\n"));
        assert!(at("return").unwrap().starts_with("**func.return**"));
        assert_eq!(at("%zzz"), None);
        assert_eq!(at("%r : index").as_deref(), Some("```mlir\n^end(%r: index):\n```"));
        let completed = complete(&text, TEXT.find("addi").unwrap() + 3);
        assert!(completed.iter().all(|item| item.label.starts_with("arith.add")));
        assert!(completed.iter().any(|item| item.label == "arith.addf"));
    }
}

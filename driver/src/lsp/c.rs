//! C: what the compiler says of a file as it is typed, and what it made of it.

use std::ffi::OsString;
use std::ops::Range;
use std::path::Path;

use gpuc_diagnostics::{Diagnostic, Severity};
use gpuc_frontend_c::directive::suggestion::{self, Suggestion};
use gpuc_frontend_c::tree::{Decl, DeclId, DeclKind, TranslationUnit};
use lsp_types::{CompletionItem, CompletionItemKind};

use super::documents::{Hint, Target};
use super::files;
use super::text::{Text, is_word};
use crate::cc::Arguments;
use crate::compile;

/// What came of a file.
pub(super) struct Analysis {
    /// Errors, warnings and remarks.
    pub diagnostics: Vec<Diagnostic>,
    /// The remarks on the file's own lines, by line from 0.
    remarks: Vec<(usize, String)>,
    /// The plans: the line of the construct, from 0, and the text.
    plans: Vec<(usize, String)>,
    tree: Option<TranslationUnit>,
    /// The file as the compiler names it.
    name: String,
}

/// Compiles what the editor has of a file, as its build system does; `flags` where none is known.
pub(super) fn analyse(path: &Path, text: &str, flags: &[String]) -> Analysis {
    let command = files::command(path);
    let mut words: Vec<OsString> = match &command {
        Some(command) => command.arguments.clone(),
        None => flags.iter().map(OsString::from).collect(),
    };
    // Without a file: what the editor has of it need not be on disk.
    words.push("-fsyntax-only".into());
    // What the arguments name they name from there; without, from the file's own folder.
    let folder = command.map(|command| command.folder);
    if let Some(folder) = folder.as_deref().or(path.parent()) {
        // Where there is no such folder, nothing in it is found, which is said.
        let _ = std::env::set_current_dir(folder);
    }
    let name = path.to_string_lossy().into_owned();
    let empty = |diagnostics| Analysis {
        diagnostics,
        remarks: Vec::new(),
        plans: Vec::new(),
        tree: None,
        name: name.clone(),
    };
    let mut arguments = match Arguments::parse(&words) {
        Ok(arguments) => arguments,
        Err(error) => return empty(vec![error]),
    };
    // Nothing is written but answers.
    arguments.dependency_flags.clear();
    let examined = compile::examine(path, text.as_bytes(), &arguments);
    let mut analysis = empty(examined.diagnostics);
    for remark in analysis.diagnostics.iter().filter(|d| d.severity == Severity::Remark) {
        let Some(place) = remark.place.as_ref().filter(|place| *place.file == *name) else {
            continue;
        };
        let said = [&[remark.message.clone()][..], &remark.help].concat().join(": ");
        let said = ((place.line as usize).saturating_sub(1), said);
        if !analysis.remarks.contains(&said) {
            analysis.remarks.push(said);
        }
    }
    analysis.remarks.sort_by_key(|&(line, _)| line);
    analysis.plans = plans(&examined.plans);
    analysis.tree = examined.tree;
    analysis
}

/// The plans of a text of `--emit=plan`, by the line of their construct.
fn plans(text: &str) -> Vec<(usize, String)> {
    let mut plans: Vec<(usize, String)> = Vec::new();
    for line in text.lines() {
        let key = line.strip_prefix("kernel ").and_then(|rest| rest.split(' ').next());
        let number = key.and_then(|key| key.rsplit_once(':')?.1.parse::<usize>().ok());
        match (number, plans.last_mut()) {
            (Some(number), _) => plans.push((number.saturating_sub(1), format!("{line}\n"))),
            (None, Some((_, plan))) if !line.is_empty() => *plan += &format!("{line}\n"),
            _ => {}
        }
    }
    plans
}

/// The lines of the pragma that a line is of.
fn pragma(text: &Text, line: usize) -> Option<Range<usize>> {
    let continues = |line: usize| text.line(line).ends_with('\\');
    let mut first = line;
    while first > 0 && continues(first - 1) {
        first -= 1;
    }
    let directive = text.line(first).trim_start().strip_prefix('#')?.trim_start();
    directive.strip_prefix("pragma")?;
    let mut last = first;
    while continues(last) && last + 1 < text.lines() {
        last += 1;
    }
    Some(first..last + 1)
}

/// Where the statement ends that begins at an offset: behind its `;`, or the `}` of its first block.
fn statement_end(text: &str, start: usize) -> usize {
    let mut depth = 0_usize;
    let bytes = text.as_bytes();
    let mut at = start;
    while at < bytes.len() {
        match bytes[at] {
            b'/' if bytes[at..].starts_with(b"//") => {
                at += text[at..].find('\n').unwrap_or(text.len() - at);
                continue;
            }
            b'/' if bytes[at..].starts_with(b"/*") => {
                at += text[at..].find("*/").map_or(text.len() - at, |end| end + 2);
                continue;
            }
            quote @ (b'"' | b'\'') => {
                at += 1;
                while at < bytes.len() && bytes[at] != quote && bytes[at] != b'\n' {
                    at += 1 + usize::from(bytes[at] == b'\\');
                }
            }
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            b'}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at;
                }
            }
            b';' if depth == 0 => return at,
            _ => {}
        }
        at += 1;
    }
    text.len()
}

/// A pragma or loop: what became of it. A name: what it is.
pub(super) fn hover(
    analysis: &Analysis,
    text: &Text,
    offset: usize,
) -> Option<(String, Range<usize>)> {
    let line = text.line_of(offset);
    if let Some(pragma) = pragma(text, line) {
        return Some((of_pragma(analysis, text, offset, &pragma), text.line_range(line)));
    }
    let said = of_lines(analysis, text, line..line + 1, false);
    let mut words = text.line(line).split(|c| !is_word(c));
    if !said.is_empty() && words.any(|word| ["for", "while", "do"].contains(&word)) {
        return Some((said, text.line_range(line)));
    }
    let (tree, decl) = (analysis.tree.as_ref()?, declaration(analysis, text, offset)?);
    let word = text.around(offset, is_word);
    let ty = tree.display(tree.decls[decl].ty);
    let shown = match &tree.decls[decl].kind {
        DeclKind::EnumConstant(value) => format!("{} = {value}", tree.name(decl)),
        DeclKind::Typedef => format!("typedef {ty} {}", tree.name(decl)),
        _ => format!("{} : {ty}", tree.name(decl)),
    };
    Some((format!("```c\n{shown}\n```"), word))
}

fn of_pragma(analysis: &Analysis, text: &Text, offset: usize, pragma: &Range<usize>) -> String {
    let mut shown = String::new();
    let head = text.line(pragma.start).trim_start().trim_start_matches('#').trim_start();
    let family = head.split_whitespace().nth(1).unwrap_or_default();
    let word = text.word(offset);
    if let Some(definition) = suggestion::definition(family, word) {
        shown += &format!("`{word}`: {definition}\n\n");
    }
    let behind = text.line_range(pragma.end - 1).end;
    let last = text.line_of(statement_end(text.as_str(), behind));
    let is_mine = |line: &usize| pragma.contains(line) || (pragma.end..=last).contains(line);
    shown += &of_lines(analysis, text, pragma.start..last + 1, true);
    for (_, plan) in analysis.plans.iter().filter(|(line, _)| is_mine(line)) {
        shown += &format!("\n```\n{plan}```\n");
    }
    if shown.is_empty() {
        shown += "There is nothing to say of it.";
    }
    shown
}

/// The remarks on lines, as a list; with `numbers`, of which line each is.
fn of_lines(analysis: &Analysis, text: &Text, lines: Range<usize>, numbers: bool) -> String {
    let mut shown = String::new();
    let mut last = None;
    for (line, said) in analysis.remarks.iter().filter(|(line, _)| lines.contains(line)) {
        if numbers && last != Some(*line) {
            shown +=
                &format!("\n**{}** `{}`\n\n", line + 1, text.line(*line).trim().replace('`', "'"));
            last = Some(*line);
        }
        shown += &format!("- {said}\n");
    }
    shown
}

/// The declaration that the name at an offset means.
fn declaration(analysis: &Analysis, text: &Text, offset: usize) -> Option<DeclId> {
    let tree = analysis.tree.as_ref()?;
    let range = text.around(offset, is_word);
    let word = &text.as_str()[range.clone()];
    if word.is_empty() {
        return None;
    }
    let line = text.line_of(offset) as u32 + 1;
    let column = (range.start - text.line_range(line as usize - 1).start) as u32 + 1;
    let is_here = |span: gpuc_frontend_c::source::Span| {
        let (file, at) = tree.source.line(span.start);
        at == line && *file == *analysis.name && tree.place(span).column == column
    };
    let uses = tree.exprs.iter().filter_map(|(id, expr)| {
        let decl = tree.named(id).filter(|&decl| tree.name(decl) == word)?;
        is_here(expr.span).then_some(decl)
    });
    let named = || tree.decls.iter().filter(|&(decl, _)| tree.name(decl) == word);
    let declared = named().find(|(_, decl)| is_here(decl.span)).map(|(decl, _)| decl);
    // What is no expression: a type's name, a variable of a clause.
    let written_before = |(_, decl): &(DeclId, &Decl)| {
        let (file, at) = tree.source.line(decl.span.start);
        *file != *analysis.name || at <= line
    };
    uses.into_iter()
        .next()
        .or(declared)
        .or_else(|| named().filter(written_before).last().map(|(decl, _)| decl))
}

/// Where the name at an offset is declared.
pub(super) fn definition(analysis: &Analysis, text: &Text, offset: usize) -> Option<Target> {
    if let Some(target) = included(analysis, text, offset) {
        return Some(target);
    }
    let (tree, decl) = (analysis.tree.as_ref()?, declaration(analysis, text, offset)?);
    let place = tree.place(tree.decls[decl].span);
    // What the compiler itself declares stands nowhere.
    (!place.file.starts_with('<')).then_some(Target::Elsewhere(place))
}

/// The file of an `#include` line.
fn included(analysis: &Analysis, text: &Text, offset: usize) -> Option<Target> {
    let line = text.line(text.line_of(offset));
    let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?;
    let name = rest.trim().trim_matches(['"', '<', '>']);
    let tree = analysis.tree.as_ref()?;
    let files = tree.items.iter().map(|item| tree.source.line(item.span.start).0);
    let mut files =
        files.filter(|file| **file != *analysis.name && Path::new(&**file).ends_with(name));
    Some(Target::Elsewhere(gpuc_diagnostics::Place::new(files.next()?, 1, 1, 1)))
}

/// In a pragma: what may stand next.
pub(super) fn complete(text: &Text, offset: usize) -> Vec<CompletionItem> {
    let line = text.line_of(offset);
    let Some(lines) = pragma(text, line) else { return Vec::new() };
    let before = &text.as_str()[text.line_range(lines.start).start..offset];
    let Some((_, before)) = before.split_once("pragma") else { return Vec::new() };
    let begun = before
        .rfind(|c: char| !is_word(c))
        .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
    let before = before[..begun].replace("\\\n", " ").replace("\\\r\n", " ");
    if before.matches('(').count() > before.matches(')').count() {
        return names(text, offset);
    }
    let item = |suggestion: Suggestion| CompletionItem {
        label: suggestion.words,
        kind: Some(match suggestion.is_clause {
            true => CompletionItemKind::PROPERTY,
            false => CompletionItemKind::KEYWORD,
        }),
        detail: Some(suggestion.definition),
        ..CompletionItem::default()
    };
    suggestion::suggestions(&before).into_iter().map(item).collect()
}

/// In a clause's parentheses: the names of the file, which are what the clause can be about.
fn names(text: &Text, offset: usize) -> Vec<CompletionItem> {
    let is_pragma = |line: &usize| pragma(text, *line).is_some();
    let nearest = text.line_of(offset);
    let mut names = std::collections::BTreeSet::new();
    for line in (0..text.lines()).filter(|line| !is_pragma(line) && line.abs_diff(nearest) < 200) {
        let words = text.line(line).split(|c| !is_word(c));
        names
            .extend(words.filter(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '_')));
    }
    let item = |name: &str| CompletionItem {
        label: name.to_owned(),
        kind: Some(CompletionItemKind::VARIABLE),
        ..CompletionItem::default()
    };
    names.into_iter().filter(|name| !KEYWORDS.contains(name)).map(item).collect()
}

/// Words that are no names.
const KEYWORDS: &[&str] = &[
    "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum",
    "extern", "float", "for", "goto", "if", "include", "inline", "int", "long", "register",
    "restrict", "return", "short", "signed", "sizeof", "static", "struct", "switch", "typedef",
    "union", "unsigned", "void", "volatile", "while",
];

/// What each loop became, and what is moved without a clause.
pub(super) fn hints(analysis: &Analysis, text: &Text) -> Vec<Hint> {
    let mut hints: Vec<Hint> = Vec::new();
    for (line, said) in &analysis.remarks {
        let Some(label) = label(said) else { continue };
        match hints.last_mut().filter(|hint| hint.line == *line) {
            Some(hint) => {
                hint.label += &format!("; {label}");
                hint.more += &format!("\n{said}");
            }
            None => hints.push(Hint { line: *line, label, more: said.clone() }),
        }
    }
    hints.retain(|hint| hint.line < text.lines());
    hints
}

/// A remark in few words; `None` where it is nothing that became of a line.
fn label(said: &str) -> Option<String> {
    let mapping =
        said.strip_prefix("#pragma acc loop ").or(said.strip_prefix("Loop divided among "));
    if let Some(mapping) = mapping {
        let mapping = mapping.trim_end_matches("*/").trim_end();
        return Some(mapping.replacen("/*", "→", 1).replace("  ", " "));
    }
    if let Some(moved) = said.strip_prefix("Generating implicit ") {
        return Some(format!("implicit {moved}"));
    }
    let short = said.strip_prefix("Loop ")?;
    Some(short.split(": ").next().unwrap_or(short).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lsp::text::Columns;

    #[test]
    fn statements_end_where_c_ends_them() {
        for (text, end) in [
            (" for (;;) { a; } b;", " for (;;) { a; }"),
            (" x = f(\";\", ';'); y;", " x = f(\";\", ';');"),
            (" /* ; */ // ;\n z;", " /* ; */ // ;\n z;"),
            (" never", " never"),
        ] {
            assert_eq!(&text[..(statement_end(text, 0) + 1).min(text.len())], end);
        }
    }

    #[test]
    fn pragmas_have_their_lines() {
        let text = Text::new("#pragma acc \\\n loop\nfor\n# pragma omp for".into(), Columns::Utf8);
        assert_eq!(pragma(&text, 1), Some(0..2));
        assert_eq!(pragma(&text, 2), None);
        assert_eq!(pragma(&text, 3), Some(3..4));
    }

    #[test]
    fn labels_are_short() {
        let label = |said| label(said).unwrap_or_default();
        assert_eq!(label("#pragma acc loop gang /* blockIdx.x */"), "gang → blockIdx.x");
        assert_eq!(label("Generating implicit copy(a[0:n])"), "implicit copy(a[0:n])");
        assert_eq!(label("Loop not parallelized: why"), "not parallelized");
        assert_eq!(label("Generating GPU code"), "");
    }

    #[test]
    fn plans_are_parted_by_their_construct() {
        let text = "gpuc plan 1\nkernel f:11 nest 0\n  map i\n\nkernel g:2 nest 1\n  map j\n";
        let plans = plans(text);
        assert_eq!(plans.len(), 2);
        assert_eq!(plans[0], (10, "kernel f:11 nest 0\n  map i\n".to_owned()));
        assert_eq!(plans[1].0, 1);
    }
}

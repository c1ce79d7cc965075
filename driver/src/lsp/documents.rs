//! The open documents: what the editor has of them, and what came of compiling them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use gpuc_diagnostics::{Diagnostic, Place, Severity};
use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, CompletionItem, DiagnosticRelatedInformation,
    DiagnosticSeverity, Hover, HoverContents, InlayHint, InlayHintLabel, InlayHintTooltip,
    Location, MarkupContent, MarkupKind, NumberOrString, Position, PublishDiagnosticsParams,
    TextEdit, Uri, WorkspaceEdit,
};

use super::text::{Columns, Text};
use super::{c, files, mlir, ptx};
use crate::feedback::document;

/// What stands behind a line of the editor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hint {
    /// The line, from 0.
    pub line: usize,
    /// What is shown.
    pub label: String,
    /// What is shown of it when it is pointed at.
    pub more: String,
}

/// A place that a name leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// In the document itself.
    Here(std::ops::Range<usize>),
    /// Somewhere else.
    Elsewhere(Place),
}

/// What came of compiling a document.
enum Analysis {
    C(Box<c::Analysis>),
    Mlir(mlir::Analysis),
    Ptx(ptx::Analysis),
}

impl Analysis {
    fn diagnostics(&self) -> &[Diagnostic] {
        match self {
            Analysis::C(analysis) => &analysis.diagnostics,
            Analysis::Mlir(analysis) => &analysis.diagnostics,
            Analysis::Ptx(analysis) => &analysis.diagnostics,
        }
    }
}

/// In what a document is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Language {
    C,
    Mlir,
    Ptx,
}

impl Language {
    fn of(path: &Path) -> Language {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("mlir") => Language::Mlir,
            Some("ptx") => Language::Ptx,
            _ => Language::C,
        }
    }
}

struct Document {
    path: PathBuf,
    version: i32,
    text: Text,
    /// `None` where the text has changed since.
    analysis: Option<Analysis>,
    /// Whether the editor has not been told yet.
    unpublished: bool,
}

/// See the [module](self).
pub(super) struct Documents {
    columns: Columns,
    flags: Vec<String>,
    open: BTreeMap<String, Document>,
}

impl Documents {
    /// None yet; `flags` are for C files that no `compile_commands.json` has.
    pub(super) fn new(columns: Columns, flags: Vec<String>) -> Documents {
        Documents { columns, flags, open: BTreeMap::new() }
    }

    /// Takes a document's text.
    pub(super) fn open(&mut self, uri: Uri, version: i32, text: String) {
        let path = files::path(&uri);
        let text = Text::new(text, self.columns);
        let document = Document { path, version, text, analysis: None, unpublished: true };
        self.open.insert(uri.as_str().to_owned(), document);
    }

    /// A document that is no more open.
    pub(super) fn close(&mut self, uri: &Uri) {
        self.open.remove(uri.as_str());
    }

    /// Files that documents include may be others now.
    pub(super) fn disk_changed(&mut self) {
        for document in self.open.values_mut() {
            (document.analysis, document.unpublished) = (None, true);
        }
    }

    /// A document of which there is news.
    pub(super) fn next_changed(&self) -> Option<Uri> {
        let (uri, _) = self.open.iter().find(|(_, document)| document.unpublished)?;
        uri.parse().ok()
    }

    /// The document, compiled as it is now.
    fn compiled(&mut self, uri: &Uri) -> Option<(&Document, &Analysis)> {
        let document = self.open.get_mut(uri.as_str())?;
        if document.analysis.is_none() {
            let name = document.path.to_string_lossy();
            document.analysis = Some(match Language::of(&document.path) {
                Language::C => {
                    let text = document.text.as_str();
                    Analysis::C(Box::new(c::analyse(&document.path, text, &self.flags)))
                }
                Language::Mlir => Analysis::Mlir(mlir::analyse(&name, &document.text)),
                Language::Ptx => Analysis::Ptx(ptx::analyse(&name, &document.text)),
            });
        }
        let document = &*document;
        document.analysis.as_ref().map(|analysis| (document, analysis))
    }

    /// What there is to say of a document; nothing of one that is closed.
    pub(super) fn diagnostics(&mut self, uri: &Uri) -> PublishDiagnosticsParams {
        let mut diagnostics = Vec::new();
        let mut version = None;
        if let Some((document, analysis)) = self.compiled(uri) {
            let all = analysis.diagnostics();
            let shown = all.iter().filter(|&each| !is_warned_of(each, all));
            diagnostics = shown.filter_map(|d| convert(d, document, uri)).collect();
            version = Some(document.version);
        }
        if let Some(document) = self.open.get_mut(uri.as_str()) {
            document.unpublished = false;
        }
        PublishDiagnosticsParams { uri: uri.clone(), diagnostics, version }
    }

    /// What can be done about what there is to say of a range: names that were misspelt are replaced.
    pub(super) fn actions(
        &mut self,
        uri: &Uri,
        range: lsp_types::Range,
    ) -> Vec<CodeActionOrCommand> {
        let Some((document, analysis)) = self.compiled(uri) else { return Vec::new() };
        let text = &document.text;
        let action = |diagnostic: &Diagnostic| {
            let place = diagnostic.place.as_ref()?;
            if Path::new(&*place.file) != document.path {
                return None;
            }
            let line = (place.line as usize).checked_sub(1).filter(|&line| line < text.lines())?;
            let (_, new) = diagnostic.fix(text.line(line))?;
            let marked = text.range(text.marked(place));
            if marked.end < range.start || range.end < marked.start {
                return None;
            }
            let edits = vec![TextEdit { range: marked, new_text: new.to_owned() }];
            Some(CodeActionOrCommand::CodeAction(CodeAction {
                title: format!("Replace by `{new}`"),
                kind: Some(CodeActionKind::QUICKFIX),
                diagnostics: convert(diagnostic, document, uri).map(|shown| vec![shown]),
                edit: Some(WorkspaceEdit::new([(uri.clone(), edits)].into())),
                is_preferred: Some(true),
                ..CodeAction::default()
            }))
        };
        analysis.diagnostics().iter().filter_map(action).collect()
    }

    /// What is shown of what stands at a position.
    pub(super) fn hover(&mut self, uri: &Uri, position: Position) -> Option<Hover> {
        let (document, analysis) = self.compiled(uri)?;
        let (text, offset) = (&document.text, document.text.offset(position));
        let (shown, range) = match analysis {
            Analysis::C(analysis) => c::hover(analysis, text, offset)?,
            Analysis::Mlir(_) => mlir::hover(text, offset)?,
            Analysis::Ptx(_) => ptx::hover(text, offset)?,
        };
        let contents = MarkupContent { kind: MarkupKind::Markdown, value: shown };
        Some(Hover { contents: HoverContents::Markup(contents), range: Some(text.range(range)) })
    }

    /// What may stand at a position.
    pub(super) fn complete(&mut self, uri: &Uri, position: Position) -> Vec<CompletionItem> {
        // While one types there is no use in compiling first: the tables and the last names will do.
        let Some(document) = self.open.get(uri.as_str()) else { return Vec::new() };
        let (text, offset) = (&document.text, document.text.offset(position));
        match Language::of(&document.path) {
            Language::C => c::complete(text, offset),
            Language::Mlir => mlir::complete(text, offset),
            Language::Ptx => ptx::complete(text, offset),
        }
    }

    /// Where the name at a position comes from.
    pub(super) fn definition(&mut self, uri: &Uri, position: Position) -> Option<Location> {
        let (document, analysis) = self.compiled(uri)?;
        let (text, offset) = (&document.text, document.text.offset(position));
        let target = match analysis {
            Analysis::C(analysis) => c::definition(analysis, text, offset)?,
            Analysis::Mlir(_) => mlir::definition(text, offset)?,
            Analysis::Ptx(_) => ptx::definition(text, offset)?,
        };
        match target {
            Target::Here(range) => Some(Location::new(uri.clone(), text.range(range))),
            Target::Elsewhere(place) => location(&place, document, uri),
        }
    }

    /// What stands behind the lines of a range.
    pub(super) fn hints(&mut self, uri: &Uri, range: lsp_types::Range) -> Vec<InlayHint> {
        let Some((document, analysis)) = self.compiled(uri) else { return Vec::new() };
        let hints = match analysis {
            Analysis::C(analysis) => c::hints(analysis, &document.text),
            Analysis::Mlir(_) | Analysis::Ptx(_) => Vec::new(),
        };
        let wanted = range.start.line as usize..=range.end.line as usize;
        let shown = hints.into_iter().filter(|hint| wanted.contains(&hint.line));
        let hint = |hint: Hint| InlayHint {
            position: document.text.position(document.text.line_range(hint.line).end),
            label: InlayHintLabel::String(hint.label),
            kind: None,
            text_edits: None,
            tooltip: Some(InlayHintTooltip::String(hint.more)),
            padding_left: Some(true),
            padding_right: None,
            data: None,
        };
        shown.map(hint).collect()
    }
}

/// Whether a remark says what a warning says as well.
fn is_warned_of(remark: &Diagnostic, all: &[Diagnostic]) -> bool {
    let line = |diagnostic: &Diagnostic| diagnostic.place.as_ref().map(|place| place.line);
    let same = |other: &Diagnostic| {
        other.severity == Severity::Warning
            && other.code == remark.code
            && line(other) == line(remark)
    };
    remark.severity == Severity::Remark && remark.code.is_some() && all.iter().any(same)
}

/// A place as the editor has it.
fn location(place: &Place, document: &Document, uri: &Uri) -> Option<Location> {
    if Path::new(&*place.file) == document.path {
        return Some(Location::new(uri.clone(), document.text.range(document.text.marked(place))));
    }
    let path = std::path::absolute(&*place.file).ok()?;
    let text = Text::new(std::fs::read_to_string(&path).ok()?, document.text.columns());
    Some(Location::new(files::uri(&path)?, text.range(text.marked(place))))
}

/// A diagnostic as the editor shows it. Remarks are shown where they have a code, which those have that tell of
/// something not done; the others are for hovering and for hints.
fn convert(
    diagnostic: &Diagnostic,
    document: &Document,
    uri: &Uri,
) -> Option<lsp_types::Diagnostic> {
    let severity = match diagnostic.severity {
        Severity::Error => DiagnosticSeverity::ERROR,
        Severity::Warning => DiagnosticSeverity::WARNING,
        Severity::Remark if diagnostic.code.is_some() => DiagnosticSeverity::INFORMATION,
        Severity::Remark | Severity::Note => return None,
    };
    let text = &document.text;
    let mut message = diagnostic.message.clone();
    if !diagnostic.label.is_empty() {
        message += &format!("\n{}", diagnostic.label);
    }
    for help in &diagnostic.help {
        message += &format!("\nhelp: {help}");
    }
    let here = |place: &&Place| Path::new(&*place.file) == document.path;
    let marked = match (diagnostic.place.as_ref().filter(here), &diagnostic.place) {
        (Some(place), _) => text.marked(place),
        (None, None) => text.line_range(0),
        (None, Some(place)) => {
            // In a header: said at the line that includes it.
            message = format!("{place}: {message}");
            let name = Path::new(&*place.file).file_name().unwrap_or_default().to_string_lossy();
            let includes = |&line: &usize| {
                let line = text.line(line).trim_start();
                line.starts_with('#') && line.contains("include") && line.contains(&*name)
            };
            text.line_range((0..text.lines()).find(includes).unwrap_or(0))
        }
    };
    let related = document::related(diagnostic).into_iter().filter_map(|(place, message)| {
        let location = location(&place, document, uri)?;
        Some(DiagnosticRelatedInformation { location, message })
    });
    let related: Vec<_> = related.collect();
    Some(lsp_types::Diagnostic {
        range: text.range(marked),
        severity: Some(severity),
        code: diagnostic.code.map(|code| NumberOrString::String(code.to_owned())),
        source: Some("gpuc".to_owned()),
        message,
        related_information: (!related.is_empty()).then_some(related),
        ..lsp_types::Diagnostic::default()
    })
}

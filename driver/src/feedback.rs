//! Printing diagnostics and `-Minfo`.

use std::io::IsTerminal;
use std::ops::RangeInclusive;
use std::sync::Arc;

use gpuc_diagnostics::{Diagnostic, Place, Severity, Sources, codes};
use gpuc_frontend_c::pragma::Family;
use gpuc_frontend_c::tree::{ItemKind, TranslationUnit};

/// Which remarks the user wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RemarkOptions {
    /// `-Minfo`: decisions taken and not taken.
    pub info: bool,
    /// `-w`: no warnings.
    pub no_warnings: bool,
}

/// Prints diagnostics to standard error, errors and warnings in rustc's form.
pub fn print(diagnostics: &[Diagnostic], sources: &Sources, options: RemarkOptions) {
    let color = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    for diagnostic in diagnostics {
        let wanted = match diagnostic.severity {
            Severity::Error => true,
            Severity::Warning => !options.no_warnings,
            // `-Minfo` prints remarks in a layout of its own.
            Severity::Remark => false,
            Severity::Note => options.info,
        };
        if wanted {
            eprintln!("{}\n", diagnostic.render(sources, color));
        }
    }
}

/// Warnings of directives that mean a device in families that gpuc does not offload: what they stand
/// at runs on the host, and not silently.
pub fn not_offloaded(unit: &TranslationUnit) -> Vec<Diagnostic> {
    let mut warnings = Vec::new();
    for pragma in &unit.pragmas {
        let body = String::from_utf8_lossy(unit.source.slice(pragma.body));
        let family = match pragma.family {
            Family::OpenMp if body.split_whitespace().next() == Some("target") => "OpenMP",
            Family::Hmpp | Family::HmppCg => "OpenHMPP",
            _ => continue,
        };
        warnings.push(
            Diagnostic::warning(format!(
                "directives of {family} are not offloaded by this version of gpuc"
            ))
            .code(codes::OTHER_FAMILY)
            .at(unit.place(pragma.line))
            .label("this stays with the host compiler")
            .help("write it as OpenACC: `#pragma acc parallel loop`"),
        );
    }
    warnings
}

/// Prints one error and gives the exit status of a failed compilation.
pub fn fail(diagnostic: &Diagnostic) -> u8 {
    print(std::slice::from_ref(diagnostic), &Sources::new(), RemarkOptions::default());
    1
}

/// Where the C functions of a unit stand, to tell which one a remark is on.
#[derive(Clone, Debug)]
pub struct Functions {
    /// The file of the unit itself.
    file: Arc<str>,
    /// Lines of one file without a gap, and the function that they belong to.
    stretches: Vec<(Arc<str>, RangeInclusive<u32>, String)>,
}

impl Functions {
    /// Those that a unit defines, in its file and in those it includes.
    pub fn of(unit: &TranslationUnit) -> Functions {
        let text = unit.source.text();
        let mut stretches: Vec<(Arc<str>, RangeInclusive<u32>, String)> = Vec::new();
        for item in &unit.items {
            let ItemKind::Function(function) = item.kind else { continue };
            let first = stretches.len();
            let newlines = item.span.range().filter(|&at| text[at] == b'\n');
            for at in std::iter::once(item.span.start).chain(newlines.map(|at| at as u32 + 1)) {
                let (file, line) = unit.source.line(at.min(item.span.end));
                let last = stretches[first..].last_mut();
                match last.filter(|(known, lines, _)| *known == file && *lines.end() <= line) {
                    // Lines that the preprocessor left out belong to it as well.
                    Some((_, lines, _)) => *lines = *lines.start()..=line,
                    None => stretches.push((file, line..=line, unit.name(function).to_owned())),
                }
            }
        }
        Functions { file: unit.source.line(0).0, stretches }
    }

    /// The function whose text holds a place, with the file where that is not the unit's own.
    pub fn around(&self, place: Option<&Place>) -> String {
        let Some(place) = place else { return "file".to_owned() };
        let holds = |stretch: &&(Arc<str>, RangeInclusive<u32>, String)| {
            stretch.0 == place.file && stretch.1.contains(&place.line)
        };
        let name = self.stretches.iter().find(holds).map_or("file", |(_, _, name)| name);
        if place.file == self.file { name.to_owned() } else { format!("{name} ({})", place.file) }
    }
}

/// The remarks as `-Minfo` prints them: by what `function_of` says, in order of the first remark on
/// each, then by line, then in order of the passes.
pub fn info(remarks: &[Diagnostic], function_of: impl Fn(&Diagnostic) -> String) -> String {
    let mut groups: Vec<(String, Vec<&Diagnostic>)> = Vec::new();
    for remark in remarks.iter().filter(|d| d.severity == Severity::Remark) {
        let function = function_of(remark);
        match groups.iter_mut().find(|(name, _)| *name == function) {
            Some((_, list)) => list.push(remark),
            None => groups.push((function, vec![remark])),
        }
    }
    let mut text = String::new();
    for (function, mut list) in groups {
        text += &format!("{function}:\n");
        list.sort_by_key(|remark| remark.place.as_ref().map_or(0, |place| place.line));
        let mut last = None;
        for remark in list {
            let line = remark.place.as_ref().map(|place| place.line);
            let head = match line {
                Some(line) if Some(line) != last => format!("{line:>7}, "),
                _ => " ".repeat(9),
            };
            let code = remark.code.map(|code| format!(" [{code}]")).unwrap_or_default();
            text += &format!("{head}{}{code}\n", remark.message);
            for help in &remark.help {
                text += &format!("{}  {help}\n", " ".repeat(9));
            }
            last = line;
        }
    }
    text
}

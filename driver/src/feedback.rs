//! Printing diagnostics and `-Minfo`.

use std::io::IsTerminal;

use gpuc_diagnostics::{Diagnostic, Severity, Sources};
use gpuc_frontend_c::pragma::Family;
use gpuc_frontend_c::tree::TranslationUnit;

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

/// The remarks as `-Minfo` prints them: by function, then line, then in order of the passes. The
/// function is the text before the first `: ` of the code-free message where passes give one.
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
            text += &format!("{head}{}\n", remark.message);
            for help in &remark.help {
                text += &format!("{}  {help}\n", " ".repeat(9));
            }
            last = line;
        }
    }
    text
}

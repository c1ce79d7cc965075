//! Printing diagnostics and `-Minfo`.
//!
//! | module | holds |
//! |---|---|
//! | [`data`] | remarks on what directives move and reduce |
//! | [`document`] | all messages as one document, json or sarif |
//! | [`doubts`] | warnings of what is right and probably not what was meant |
//! | [`included`] | the way to the header in which something is wrong |
//! | [`info`] | the layout of `-Minfo`: function, line, remark |
//! | [`wanted`] | which messages the user wants |

use std::io::IsTerminal;

use gpuc_diagnostics::{Diagnostic, Sources, codes};
use gpuc_frontend_c::Families;
use gpuc_frontend_c::pragma::Family;
use gpuc_frontend_c::tree::TranslationUnit;

pub mod data;
pub mod document;
pub mod doubts;
pub mod included;
pub mod info;
pub mod wanted;

pub use wanted::RemarkOptions;

/// Prints diagnostics to standard error, errors and warnings in rustc's form, or keeps them for the one
/// document that [`document`] writes. The number of those that are errors.
pub fn print(diagnostics: &[Diagnostic], sources: &Sources, options: RemarkOptions) -> usize {
    let terminal = || std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let color = options.color.unwrap_or_else(terminal);
    let mut errors = 0;
    for diagnostic in diagnostics.iter().filter_map(|diagnostic| options.judge(diagnostic)) {
        errors += usize::from(diagnostic.is_error());
        if !document::keep(&diagnostic) {
            eprintln!("{}\n", diagnostic.render(sources, color));
            if options.fixits {
                eprint!("{}", document::fixit(&diagnostic, sources));
            }
        }
    }
    errors
}

/// Warnings of directives that mean a device in families that gpuc does not offload: what they stand
/// at runs on the host, and not silently.
pub fn not_offloaded(unit: &TranslationUnit, families: Families) -> Vec<Diagnostic> {
    let mut warnings = Vec::new();
    let mut said = false;
    for pragma in &unit.pragmas {
        let body = String::from_utf8_lossy(unit.source.slice(pragma.body));
        let family = match pragma.family {
            Family::OpenMp
                if !families.openmp && body.split_whitespace().next() == Some("target") =>
            {
                "OpenMP"
            }
            // Once is enough: a program has them by the dozen.
            Family::Hmpp | Family::HmppCg if !families.hmpp && !said => {
                said = true;
                "OpenHMPP"
            }
            Family::Jolokia if !families.jolokia && !said => {
                said = true;
                "JolokiaC++"
            }
            _ => continue,
        };
        let (message, help) = match pragma.family {
            Family::OpenMp => (
                "directives of OpenMP are not offloaded without -fopenmp".to_owned(),
                "compile with `-fopenmp`",
            ),
            Family::Jolokia => (
                format!("directives of {family} are not offloaded without -fjolokia"),
                "compile with `-fjolokia`",
            ),
            _ => (
                format!("directives of {family} are not offloaded without -fhmpp"),
                "compile with `-fhmpp`",
            ),
        };
        warnings.push(
            Diagnostic::warning(message)
                .code(codes::OTHER_FAMILY)
                .at(unit.place(pragma.line))
                .label("this stays with the host compiler")
                .help(help),
        );
    }
    warnings
}

/// Prints one error and gives the exit status of a failed compilation.
pub fn fail(diagnostic: &Diagnostic) -> u8 {
    print(std::slice::from_ref(diagnostic), &Sources::new(), RemarkOptions::default());
    1
}

//! Which messages the user wants, and how bad each is to be taken: `-Minfo`, `-w`, `-Werror`, and `-W…` by the
//! name of a code.

use std::borrow::Cow;

use gpuc_diagnostics::codes::{self, Explanation};
use gpuc_diagnostics::{Diagnostic, Severity};

/// What the command line says of one code; later words replace earlier ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Asked {
    /// `-WNAME`, `-Wno-NAME`.
    shown: Option<bool>,
    /// `-Werror=NAME`, `-Wno-error=NAME`.
    error: Option<bool>,
}

/// Which remarks and warnings the user wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RemarkOptions {
    /// `-Minfo`: decisions taken and not taken.
    pub info: bool,
    /// `-Mneginfo`: those not taken.
    pub missed: bool,
    /// `-Minfo=plan`: the plan of each construct.
    pub plan: bool,
    /// `-Minfo`, `-Minfo=all`, `-Minfo=forecast`: what kernels are expected to take.
    pub forecast: bool,
    /// `-w`: no warnings.
    pub no_warnings: bool,
    /// `-Werror`: every warning is an error.
    pub all_errors: bool,
    /// `-fdiagnostics-color`; where nothing is said, a terminal has colours.
    pub color: Option<bool>,
    /// `-fdiagnostics-parseable-fixits`: what may be replaced, in a form for programs.
    pub fixits: bool,
    codes: [Asked; codes::ALL.len()],
}

impl Default for RemarkOptions {
    fn default() -> Self {
        RemarkOptions {
            info: false,
            missed: false,
            forecast: false,
            plan: false,
            no_warnings: false,
            all_errors: false,
            color: None,
            fixits: false,
            codes: [Asked::default(); codes::ALL.len()],
        }
    }
}

/// The codes that a word behind `-W`, `-Wno-` and `-Werror=` names: one, or those of plans.
fn named(word: &str) -> Vec<usize> {
    let of_plans = [codes::PLAN_TEXT, codes::PLAN_KEY, codes::PLAN_STEP];
    match word {
        "plan" => of_plans.into_iter().filter_map(codes::index_of).collect(),
        word => codes::index_of(word).into_iter().collect(),
    }
}

impl RemarkOptions {
    /// Takes `-W…` where it is about codes of gpuc. Whether it was; `-Werror` is the host compiler's as well.
    pub fn take(&mut self, option: &str) -> bool {
        match option {
            "-Werror" => self.all_errors = true,
            "-Wno-error" => self.all_errors = false,
            _ => {}
        }
        let Some(word) = option.strip_prefix("-W") else { return false };
        let (word, shown, error) = if let Some(word) = word.strip_prefix("error=") {
            (word, Some(true), Some(true))
        } else if let Some(word) = word.strip_prefix("no-error=") {
            (word, None, Some(false))
        } else if let Some(word) = word.strip_prefix("no-") {
            (word, Some(false), None)
        } else {
            (word, Some(true), None)
        };
        let codes = named(word);
        for &code in &codes {
            let asked = &mut self.codes[code];
            *asked = Asked { shown: shown.or(asked.shown), error: error.or(asked.error) };
        }
        !codes.is_empty()
    }

    fn asked(&self, code: Option<&str>) -> Asked {
        code.and_then(codes::index_of).map(|code| self.codes[code]).unwrap_or_default()
    }

    /// Whether the command line says that a code is no error.
    pub fn is_no_error(&self, code: &str) -> bool {
        self.asked(Some(code)).error == Some(false)
    }

    /// A diagnostic as it is to be printed; `None` where it is not. Remarks have a layout of their own, so of them
    /// only those are left that the command line makes warnings.
    pub fn judge<'a>(&self, diagnostic: &'a Diagnostic) -> Option<Cow<'a, Diagnostic>> {
        let Asked { shown, error } = self.asked(diagnostic.code);
        match diagnostic.severity {
            Severity::Error => return Some(Cow::Borrowed(diagnostic)),
            Severity::Warning if shown == Some(false) || self.no_warnings => return None,
            Severity::Remark if shown != Some(true) || self.no_warnings => return None,
            Severity::Note => return self.info.then_some(Cow::Borrowed(diagnostic)),
            Severity::Warning | Severity::Remark => {}
        }
        let severity = match error.unwrap_or(self.all_errors && !diagnostic.by_host) {
            true => Severity::Error,
            false => Severity::Warning,
        };
        if severity == diagnostic.severity {
            return Some(Cow::Borrowed(diagnostic));
        }
        Some(Cow::Owned(Diagnostic { severity, ..diagnostic.clone() }))
    }

    /// Whether a remark is to be printed as such.
    pub fn wants_remark(&self, remark: &Diagnostic) -> bool {
        let asked = self.info || self.missed && remark.missed;
        asked && self.asked(remark.code).shown != Some(false)
    }

    /// Whether any remark is.
    pub fn wants_remarks(&self) -> bool {
        self.info || self.missed
    }
}

/// What `--explain` prints of a code.
pub fn explained(explanation: &Explanation) -> String {
    let Explanation { code, title, text, .. } = explanation;
    let name = explanation.name();
    format!(
        "{code}: {title}\n\n{text}\n\nOptions, where it is a warning or a remark: -W{name}, -Wno-{name}, \
         -Werror={name}, -Wno-error={name}.\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(options: &[&str], diagnostic: &Diagnostic) -> Option<Severity> {
        let mut wanted = RemarkOptions::default();
        for option in options {
            wanted.take(option);
        }
        wanted.judge(diagnostic).map(|judged| judged.severity)
    }

    #[test]
    fn the_last_word_on_a_code_counts() {
        let warning = Diagnostic::warning("w").code(codes::NOT_INDEPENDENT);
        let remark = Diagnostic::remark("r").code(codes::LOOP_CARRIED);
        let error = Diagnostic::error("e").code(codes::LOST_SCALAR);
        let (none, some) = (None, Some);
        for (options, of_warning, of_remark) in [
            (&[][..], some(Severity::Warning), none),
            (&["-Wno-not-independent", "-Wloop-carried"], none, some(Severity::Warning)),
            (&["-Wno-not-independent", "-Wnot-independent"], some(Severity::Warning), none),
            (&["-Werror"], some(Severity::Error), none),
            (&["-Werror", "-Wno-error=not-independent"], some(Severity::Warning), none),
            (&["-Werror", "-Wno-error"], some(Severity::Warning), none),
            (&["-Werror=loop-carried"], some(Severity::Warning), some(Severity::Error)),
            (&["-Werror=GPUC0011", "-Wno-GPUC0010"], some(Severity::Error), none),
        ] {
            assert_eq!(judged(options, &warning), of_warning, "{options:?}");
            assert_eq!(judged(options, &remark), of_remark, "{options:?}");
            assert_eq!(judged(options, &error), some(Severity::Error), "{options:?}");
        }
        let of_gcc = Diagnostic { by_host: true, ..Diagnostic::warning("#warning hello [-Wcpp]") };
        assert_eq!(judged(&["-Werror"], &of_gcc), some(Severity::Warning));
        let mut wanted = RemarkOptions::default();
        assert!(!wanted.take("-Werror") && !wanted.take("-Wall") && wanted.take("-Wno-error=plan"));
        assert!(wanted.is_no_error(codes::PLAN_KEY) && !wanted.is_no_error(codes::TUNING));
    }
}

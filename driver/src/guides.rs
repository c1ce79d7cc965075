//! What a compilation follows besides its source: a file of plans (`--plan`) and a record of tuning
//! (`--tuning`).
//!
//! Both are put at the module, where `begin-plan` reads them. What of them is refused ends the compilation;
//! with `-Wno-error=plan`, and always for a record, it is said as a warning, and the compilation begins
//! again without it.

use gpuc_diagnostics::{Diagnostic, Severity, codes};
use gpuc_dialects::offload::{PLAN_FILE_ATTR, TUNING_ATTR};
use gpuc_ir::{Ir, Op};

use crate::cc::Arguments;

/// The variable that names a record of tuning where no option does.
pub const TUNING_VARIABLE: &str = "GPUC_TUNING";

/// A file with its text.
#[derive(Clone, Debug)]
pub struct Guide {
    /// Its name.
    pub name: String,
    /// What it says.
    pub text: String,
}

/// The files.
#[derive(Clone, Debug, Default)]
pub struct Guides {
    /// Plans to follow.
    pub plan: Option<Guide>,
    /// The record of tuning.
    pub tuning: Option<Guide>,
    /// Plans that a search has found, for other constructs than those.
    pub found: Option<Guide>,
    /// What the search has to say.
    pub remarks: Vec<Diagnostic>,
}

impl Guides {
    /// Reads the files that a command line and the environment name.
    ///
    /// # Errors
    /// One cannot be read.
    pub fn read(arguments: &Arguments) -> Result<Guides, Diagnostic> {
        let read = |name: &str, option: &str| match std::fs::read(name) {
            Ok(bytes) => {
                let text = String::from_utf8_lossy(&bytes).into_owned();
                Ok(Guide { name: name.to_owned(), text })
            }
            Err(error) => {
                let error = Diagnostic::error(format!("cannot read `{name}`: {error}"));
                Err(error.help(format!("it is named by `{option}`")))
            }
        };
        let plan = arguments.plan.as_deref().map(|name| read(name, "--plan")).transpose()?;
        let tuning = match &arguments.tuning {
            _ if arguments.without_tuning => None,
            Some(name) => Some(read(name, "--tuning")?),
            None => match std::env::var(TUNING_VARIABLE) {
                Ok(name) if !name.is_empty() => Some(read(&name, TUNING_VARIABLE)?),
                _ => None,
            },
        };
        Ok(Guides { plan, tuning, ..Guides::default() })
    }

    /// Puts them at a module.
    pub fn put(&self, ir: &mut Ir, module: Op) {
        let plans = [&self.plan, &self.found];
        for (guides, attr) in [(&plans[..], PLAN_FILE_ATTR), (&[&self.tuning][..], TUNING_ATTR)] {
            let guides = guides.iter().filter_map(|guide| guide.as_ref());
            let texts = guides.flat_map(|guide| [&guide.name, &guide.text]);
            let texts: Vec<_> = texts.map(|text| ir.ctx.string_attr(text)).collect();
            if !texts.is_empty() {
                let texts = ir.ctx.array_attr(&texts);
                ir.set_attr(module, attr, texts);
            }
        }
    }

    /// Leaves out what an error is about, if it is about them and compiling without it was asked for; the
    /// warning that is left.
    pub fn leave_out(&mut self, error: &Diagnostic, arguments: &Arguments) -> Option<Diagnostic> {
        let of_plans = [codes::PLAN_TEXT, codes::PLAN_KEY, codes::PLAN_STEP];
        let place =
            error.place.as_ref().filter(|_| error.code.is_some_and(|c| of_plans.contains(&c)))?;
        let is_of = |guide: &Option<Guide>| guide.as_ref().is_some_and(|g| *g.name == *place.file);
        let line = place.line.checked_sub(1)? as usize;
        if is_of(&self.tuning) {
            let tuning = self.tuning.as_mut()?;
            tuning.text = without(&tuning.text, line..line + 1)?;
            let warning = warning(error, "the construct is compiled as without the record");
            return Some(Diagnostic { code: Some(codes::TUNING), ..warning });
        }
        let is_no_error = error.code.is_some_and(|code| arguments.remarks.is_no_error(code));
        if !is_no_error || !is_of(&self.plan) {
            return None;
        }
        let plan = self.plan.as_mut()?;
        let lines: Vec<&str> = plan.text.lines().collect();
        let begins = |line: &&str| line.split_whitespace().next() == Some("kernel");
        let first = lines.iter().take(line + 1).rposition(begins);
        match first {
            Some(first) => {
                let next = lines.iter().skip(first + 1).position(begins);
                let end = next.map_or(lines.len(), |next| first + 1 + next);
                plan.text = without(&plan.text, first..end)?;
            }
            None => self.plan = None,
        }
        Some(warning(error, "the construct is compiled without the plan"))
    }
}

fn warning(error: &Diagnostic, help: &str) -> Diagnostic {
    Diagnostic { severity: Severity::Warning, ..error.clone() }.help(help)
}

/// A text with some lines empty, so that the others keep their numbers; `None` where they are already.
fn without(text: &str, lines: std::ops::Range<usize>) -> Option<String> {
    let kept = |(number, line): (usize, &str)| match lines.contains(&number) {
        true => "\n".to_owned(),
        false => format!("{line}\n"),
    };
    let new: String = text.lines().enumerate().map(kept).collect();
    (new != text).then_some(new)
}

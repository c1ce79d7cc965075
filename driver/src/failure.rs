//! What there is to say of a compilation that stopped.

use std::path::Path;

use gpuc_diagnostics::{Diagnostic, Sources};

use crate::cc::Arguments;
use crate::{feedback, text};

/// Errors that are printed; who has more fixes the first ones first.
const MOST_ERRORS: usize = 20;

/// A compilation that stopped, with everything there is to say.
#[derive(Clone, Debug, Default)]
pub struct Failure {
    /// All there is to say.
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl From<Vec<Diagnostic>> for Failure {
    fn from(diagnostics: Vec<Diagnostic>) -> Self {
        Failure { diagnostics }
    }
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Failure { diagnostics: vec![diagnostic] }
    }
}

impl Failure {
    /// With the ways to the headers in which something is wrong.
    pub(crate) fn with_ways(mut self, source: &Path, arguments: &Arguments) -> Failure {
        let name = source.to_string_lossy();
        let text = || text::with_markers(source, arguments);
        feedback::included::note(self.diagnostics.iter_mut(), &name, text);
        self
    }

    /// Prints the diagnostics; gives the exit status.
    pub fn report(&self, arguments: &Arguments) -> i32 {
        let errors = self.diagnostics.iter().filter(|d| d.is_error()).count();
        let mut seen = 0;
        let shown = self.diagnostics.iter().take_while(|diagnostic| {
            seen += usize::from(diagnostic.is_error());
            seen <= MOST_ERRORS
        });
        let shown = &self.diagnostics[..shown.count()];
        feedback::print(shown, &Sources::new(), arguments.remarks);
        if errors > MOST_ERRORS {
            eprintln!("gpuc: {errors} errors, of which the first {MOST_ERRORS} are shown");
        } else if errors > 1 {
            eprintln!("gpuc: {errors} errors");
        }
        1
    }
}

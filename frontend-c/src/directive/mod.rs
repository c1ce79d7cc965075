//! Directives, by family.

pub mod action;
pub(crate) mod atomic;
pub mod openacc;

use crate::source::Span;
use crate::tree::TranslationUnit;

/// A directive of any family.
#[derive(Clone, Debug)]
pub struct Directive {
    /// What it says.
    pub construct: Construct,
    /// The whole pragma line, from its `#`.
    pub span: Span,
    /// Whether the compiler has put it there, at a nest that the program has no directive for; the span is
    /// empty then.
    pub found: bool,
}

/// What a directive says, by family.
#[derive(Clone, Debug)]
pub enum Construct {
    /// OpenACC.
    OpenAcc(openacc::Directive),
}

impl Directive {
    /// The directive for a dump: its words and clauses.
    pub fn display(&self, unit: &TranslationUnit) -> String {
        match &self.construct {
            Construct::OpenAcc(directive) => format!("acc {}", directive.display(unit)),
        }
    }
}

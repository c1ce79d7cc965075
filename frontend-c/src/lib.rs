//! C and its directives: preprocessing, reader, types, lowering to IR, rewriting of the host program.
//!
//! From a file to the program of the host in five steps:
//!
//! 1. [`preprocess::run`] preprocesses the file as the system compiler does, or has it do so, and leaves the macro
//!    definitions in the text;
//! 2. [`lex::lex`] makes tokens, the list of pragmas and the table that maps every byte of the text
//!    back to the user's line and column;
//! 3. the parser ([`read`]) reads declarations, statements, expressions and directives, and calls
//!    the checker ([`types`]) for each, because C cannot be parsed without knowing its types;
//! 4. the result is a [`tree::TranslationUnit`]: typed, names resolved, every conversion explicit;
//! 5. [`lower`] turns the statements of compute constructs into IR, and [`host`] writes the program
//!    that runs on the host around them.
//!
//! Errors are located [`Diagnostic`]s; the parser recovers at `;` and `}` and reports several.

pub mod auto;
pub mod dialect;
pub mod directive;
pub mod host;
pub mod lex;
pub mod lower;
mod parse;
pub mod pragma;
pub mod preprocess;
pub mod source;
pub mod symbol;
pub mod tree;
pub mod types;

use gpuc_diagnostics::Diagnostic;

use preprocess::Preprocessed;
use tree::TranslationUnit;

/// Which directive families the user enabled. Pragmas of the others stay the host compiler's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Families {
    /// OpenACC.
    pub openacc: bool,
    /// OpenMP.
    pub openmp: bool,
    /// OpenHMPP.
    pub hmpp: bool,
    /// JolokiaC++.
    pub jolokia: bool,
}

impl Families {
    /// Whether pragmas of `family` are read.
    pub fn enables(self, family: pragma::Family) -> bool {
        match family {
            pragma::Family::OpenAcc => self.openacc,
            pragma::Family::OpenMp => self.openmp,
            pragma::Family::Hmpp | pragma::Family::HmppCg => self.hmpp,
            pragma::Family::Jolokia => self.jolokia,
            _ => false,
        }
    }
}

/// Reads a preprocessed text. The unit is there even where there are errors; what was refused is
/// left out of it or of type [`types::Type::ERROR`].
pub fn read(text: &Preprocessed, families: Families) -> (TranslationUnit, Vec<Diagnostic>) {
    let lexed = lex::lex(text.text.clone(), &text.file, families);
    if let Some(buffer) = &text.buffer {
        lexed.source.set_content(&text.file, buffer);
    }
    let unit = TranslationUnit {
        shares_memory: false,
        instead: Vec::new(),
        exprs: Default::default(),
        stmts: Default::default(),
        decls: Default::default(),
        directives: Default::default(),
        types: types::Types::new(&text.dialect),
        symbols: lexed.symbols,
        items: Vec::new(),
        pragmas: lexed.pragmas,
        source: lexed.source,
        dialect: text.dialect.clone(),
    };
    let (unit, found) = parse::Parser::new(lexed.tokens, unit, lexed.macros).run();
    let mut diagnostics = lexed.diagnostics;
    diagnostics.extend(found);
    (unit, diagnostics)
}

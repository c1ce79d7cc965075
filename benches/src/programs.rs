//! C programs to compile.

use std::path::{Path, PathBuf};

use gpuc_driver::cc::Arguments;
use gpuc_driver::compile::{self, Level};
use gpuc_frontend_c::preprocess::{self, Preprocessed};

/// The root of the repository.
pub fn root() -> &'static Path {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    crate_folder.parent().unwrap_or(crate_folder)
}

/// An example, by name.
pub fn example(name: &str) -> PathBuf {
    root().join("examples").join(name).with_extension("c")
}

/// A program that has been preprocessed, and how it is compiled.
#[derive(Clone, Debug)]
pub struct Program {
    arguments: Arguments,
    text: Preprocessed,
}

impl Program {
    /// Reads and preprocesses a program.
    ///
    /// # Panics
    /// Where that fails; there is nothing to measure then.
    pub fn read(path: &Path) -> Program {
        let arguments = Arguments::parse(&[path.into()]);
        let arguments = arguments.unwrap_or_else(|error| panic!("{}", error.message));
        let text = preprocess::run(&preprocess::Options::new(path));
        let text = text.unwrap_or_else(|errors| panic!("{}: {errors:?}", path.display()));
        Program { arguments, text }
    }

    /// Bytes of the preprocessed text.
    pub fn bytes(&self) -> u64 {
        self.text.text.len() as u64
    }

    /// Compiles it to PTX.
    ///
    /// # Panics
    /// Where that fails.
    pub fn ptx(&self) -> String {
        compile::emit_text(self.text.clone(), &self.arguments, Level::Ptx)
            .unwrap_or_else(|failure| panic!("{failure:?}"))
    }
}

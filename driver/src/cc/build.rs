//! `-c`, and compile and link: the user's own command, carried out by the host compiler, with each
//! source that has directives replaced by what became of it.
//!
//! Everything else the command means stays as it is: where objects go, and coverage notes, split
//! debug information, stack usage and saved temporaries beside them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use gpuc_diagnostics::{Diagnostic, Sources, codes};
use gpuc_frontend_c::preprocess::OPENACC_VERSION;

use super::arguments::{Item, OtherInput, Steps, is_c};
use super::{Arguments, Mode, saved, scan, standard_input};
use crate::compile::{self, Emitted};
use crate::feedback;
use crate::temporary::Folder;
use crate::toolchain::runtime::{header_flags, headers};
use crate::toolchain::{HostCompiler, RuntimeLibrary};

/// Compiles every source, then has the host compiler do the rest. Gives the exit status.
///
/// # Errors
/// A temporary file cannot be written, the host compiler cannot be started, or the program cannot be
/// linked with the runtime library.
pub fn build(arguments: &Arguments) -> Result<i32, Diagnostic> {
    let folder = Folder::new()?;
    let from_input = standard_input::as_file(arguments, &folder)?;
    let arguments = from_input.as_ref().unwrap_or(arguments);
    let mut sources = Vec::new();
    for source in &arguments.sources {
        match compile_source(arguments, source, &folder.join(sources.len().to_string()))? {
            Ok(compiled) => sources.push(compiled),
            Err(status) => return Ok(status),
        }
    }
    if warn_of_cpp(arguments) > 0 {
        return Ok(1);
    }
    let mut command = Command::new(arguments, &sources);
    for item in &arguments.items {
        command.push(item);
    }
    let mut words = command.words;
    if arguments.families.openacc && defines_openacc(arguments, &sources) {
        words.extend(["-U_OPENACC".into(), format!("-D_OPENACC={OPENACC_VERSION}").into()]);
    }
    if arguments.families.jolokia && any_untouched(&sources) {
        words.extend(header_flags(headers()));
    }
    let mut options: Vec<&str> = sources.iter().flat_map(Source::options).copied().collect();
    options.dedup();
    for source in &sources {
        if let Source::Untouched { dependencies } = source {
            words.extend(dependencies.iter().cloned());
        }
    }
    words.extend(options.into_iter().map(OsString::from));
    let offloads = sources.iter().any(|source| matches!(source, Source::Rewritten { .. }));
    if arguments.mode == Mode::Link {
        if command.language.is_some() {
            words.extend(["-x".into(), "none".into()]);
        }
        let last = runtime(arguments, offloads, &folder)?;
        // A shared library that the command names, libgomp say, would have the routines of ours that it has too.
        let shared = last.iter().find(|word| word.as_encoded_bytes().ends_with(b".so")).cloned();
        if let Some(library) = shared
            && (offloads || arguments.others().any(calls_runtime))
        {
            let first =
                ["-Wl,--push-state,--no-as-needed".into(), library, "-Wl,--pop-state".into()];
            words.splice(0..0, first);
        }
        words.extend(last);
    }
    if let Some(output) = &arguments.output {
        words.extend(["-o".into(), output.into()]);
    }
    HostCompiler::from_environment().run(&words)
}

/// Whether the host compiler is told of `_OPENACC`: sources without directives may ask for it as well
/// as those with some, for which our own preprocessing has answered. C++ in the same command, which
/// has no OpenACC, must not see it.
fn defines_openacc(arguments: &Arguments, sources: &[Source]) -> bool {
    any_untouched(sources) && !arguments.others().any(|input| !input.is_linked())
}

/// What the host compiler gets for a source.
enum Source {
    /// The source: there is nothing to offload. The host compiler may have to write what it depends on.
    Untouched { dependencies: Vec<OsString> },
    /// A preprocessed file in its place, and options for it.
    Rewritten { path: PathBuf, options: &'static [&'static str] },
}

/// Whether the host compiler preprocesses a source itself.
fn any_untouched(sources: &[Source]) -> bool {
    sources.iter().any(|source| matches!(source, Source::Untouched { .. }))
}

impl Source {
    fn options(&self) -> &'static [&'static str] {
        match self {
            Source::Untouched { .. } => &[],
            Source::Rewritten { options, .. } => options,
        }
    }
}

/// Compiles a source; what becomes of it goes into `folder`. The inner error is an exit status, when
/// everything has been said.
fn compile_source(
    arguments: &Arguments,
    source: &Path,
    folder: &Path,
) -> Result<Result<Source, i32>, Diagnostic> {
    match compile::compile(source, arguments) {
        Err(failure) => Ok(Err(failure.report(arguments))),
        Ok(Emitted::Untouched { dependencies }) => Ok(Ok(Source::Untouched { dependencies })),
        Ok(Emitted::HostC { text, options }) => {
            // By its name the host compiler names objects and what goes beside them.
            let name = Path::new(source.file_name().unwrap_or_default()).with_extension("i");
            let path = folder.join(name);
            std::fs::create_dir(folder)
                .and_then(|()| std::fs::write(&path, &text))
                .map_err(super::io_error(format!("cannot write `{}`", path.display())))?;
            if let Some(path) = saved::place(arguments, source) {
                std::fs::write(&path, text)
                    .map_err(super::io_error(format!("cannot write `{}`", path.display())))?;
            }
            Ok(Ok(Source::Rewritten { path, options }))
        }
    }
}

/// The command of the host compiler in the making.
struct Command<'a> {
    words: Vec<OsString>,
    /// What the last `-x` said of the files behind it.
    language: Option<OsString>,
    /// What became of the sources that are still to come.
    sources: std::slice::Iter<'a, Source>,
    /// Whether the preprocessor has something to do. Clang warns of options that nobody uses.
    preprocesses: bool,
}

impl<'a> Command<'a> {
    fn new(arguments: &Arguments, sources: &'a [Source]) -> Command<'a> {
        let preprocesses =
            any_untouched(sources) || arguments.others().any(|input| !input.is_linked());
        Command { words: Vec::new(), language: None, sources: sources.iter(), preprocesses }
    }

    fn push(&mut self, item: &Item) {
        match item {
            Item::Flag(_, Steps::Dependencies) => {}
            Item::Flag(_, Steps::PreprocessAndCompile) if !self.preprocesses => {}
            Item::Flag(word, _) => self.words.push(word.clone()),
            Item::Input(input) => self.file(&input.file, input.language.as_ref()),
            Item::Source(input) => match self.sources.next() {
                Some(Source::Rewritten { path, .. }) => self.file(path.as_os_str(), None),
                _ if is_c(Path::new(&input.file)) => self.file(&input.file, None),
                _ => self.file(&input.file, input.language.as_ref()),
            },
        }
    }

    /// A file in a language; `None` is that of its name.
    fn file(&mut self, file: &std::ffi::OsStr, language: Option<&OsString>) {
        if self.language.as_ref() != language {
            let name = language.map_or("none".into(), Clone::clone);
            self.words.extend(["-x".into(), name]);
            self.language = language.cloned();
        }
        self.words.push(file.to_owned());
    }
}

/// C++ is the host compiler's, directives and all; that is said where there are any. The number of errors.
fn warn_of_cpp(arguments: &Arguments) -> usize {
    const EXTENSIONS: [&str; 6] = ["C", "cc", "cp", "cpp", "cxx", "c++"];
    let warnings: Vec<Diagnostic> = arguments
        .others()
        .filter(|input| match &input.language {
            Some(language) => language == "c++",
            None => Path::new(&input.file)
                .extension()
                .is_some_and(|e| EXTENSIONS.iter().any(|known| e == *known)),
        })
        .filter(|input| scan::may_hold_directives(Path::new(&input.file), arguments))
        .map(|input| {
            let file = Path::new(&input.file).display();
            Diagnostic::warning(format!("`{file}` is C++: nothing in it is offloaded"))
                .code(codes::NOT_C)
                .help("gpuc compiles directives in C; move the loops to a C file")
        })
        .collect();
    feedback::print(&warnings, &Sources::new(), arguments.remarks)
}

/// What the link command ends with, so that calls of the runtime library are found.
fn runtime(
    arguments: &Arguments,
    offloads: bool,
    folder: &Path,
) -> Result<Vec<OsString>, Diagnostic> {
    if let Some(flag) = &arguments.static_link {
        if offloads || arguments.others().any(calls_runtime) {
            return Err(refuse_static(flag));
        }
        return Ok(Vec::new());
    }
    if arguments.relocatable_output() {
        return Ok(Vec::new());
    }
    let host = HostCompiler::from_environment();
    // Ahead of libgomp, which the host compiler adds: with -fopenmp both have the acc_* routines.
    RuntimeLibrary::find(folder)?.link_words(arguments.linkage, &host)
}

fn refuse_static(flag: &str) -> Diagnostic {
    Diagnostic::error(format!(
        "`{flag}` cannot link a program that offloads: it loads the driver of the GPU when it runs"
    ))
    .code(codes::STATIC_RUNTIME)
    .help(
        "leave it out: gpuc's runtime library is linked statically in any case, `-static-libgcc` is \
         possible, and `-Wl,-Bstatic -lNAME -Wl,-Bdynamic` for single libraries",
    )
}

/// Whether an object or archive calls the runtime library.
fn calls_runtime(input: &OtherInput) -> bool {
    let text = std::fs::read(&input.file).unwrap_or_default();
    text.windows(RUNTIME_PREFIX.len()).any(|window| window == RUNTIME_PREFIX)
}

/// What the names of the runtime library's functions begin with.
const RUNTIME_PREFIX: &[u8] = b"__gpuc_";

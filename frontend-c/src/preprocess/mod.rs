//! Preprocessing: as the system's C compiler does it, and by it wherever it has something to say ([`direct`]).

mod direct;
pub mod marker;
mod messages;

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

use gpuc_cache::Cache;
use gpuc_diagnostics::{Diagnostic, codes};

use crate::Families;
use crate::dialect::Dialect;

/// The value of `_OPENACC` for OpenACC 3.3.
pub const OPENACC_VERSION: &str = "202211";

/// How to preprocess.
#[derive(Clone, Debug)]
pub struct Options {
    /// The command of the C compiler: a program and arguments that stand in front of all others.
    pub cc: Vec<OsString>,
    /// The file to read.
    pub file: PathBuf,
    /// Further arguments: `-I`, `-D`, `-std=`, `-O2` and the like.
    pub args: Vec<OsString>,
    /// Options by which what the file depends on is written (`-MD`, `-MF` and their kin).
    pub dependencies: Vec<OsString>,
    /// The enabled directive families; their macros are defined, those of the others are not.
    pub families: Families,
    /// What an editor has of the file, to be read instead of what is on disk.
    pub buffer: Option<Arc<[u8]>>,
    /// Where answers of compilers are kept, by which most files need no process.
    pub answers: Option<Cache>,
    /// Where is kept what headers come to.
    pub headers: Option<Cache>,
    /// Declarations of the system's headers that nothing needs may be left out.
    pub only_needed: bool,
}

impl Options {
    /// `cc` on `file`, with OpenACC enabled.
    pub fn new(file: impl Into<PathBuf>) -> Self {
        Options {
            cc: vec!["cc".into()],
            file: file.into(),
            args: Vec::new(),
            dependencies: Vec::new(),
            families: Families { openacc: true, ..Families::default() },
            buffer: None,
            answers: None,
            headers: None,
            only_needed: false,
        }
    }
}

/// A preprocessed text.
#[derive(Clone, Debug)]
pub struct Preprocessed {
    /// The text, with line markers and macro definitions.
    pub text: Arc<[u8]>,
    /// The name of the file it was made of.
    pub file: Arc<str>,
    /// What the compiler warned of.
    pub warnings: Vec<Diagnostic>,
    /// The language it is written in.
    pub dialect: Dialect,
    /// What the file it was made of says, where that is not what is on disk.
    pub buffer: Option<Arc<[u8]>>,
    /// Whether the file is in another language than C, so that the host compiler cannot read it.
    pub translated: bool,
}

impl Preprocessed {
    /// A text that needs no preprocessing.
    pub fn from_text(text: impl AsRef<[u8]>, file: &str) -> Self {
        Preprocessed {
            text: text.as_ref().into(),
            file: file.into(),
            warnings: Vec::new(),
            dialect: Dialect::default(),
            buffer: None,
            translated: false,
        }
    }
}

/// Why a file cannot be a source: it is missing, or a folder. Pipes and devices can.
pub fn missing_file(file: &Path) -> Option<Diagnostic> {
    let error = match std::fs::metadata(file) {
        Ok(metadata) if metadata.is_dir() => "it is a directory".to_owned(),
        Ok(_) => return None,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            "there is no such file".to_owned()
        }
        Err(error) => error.to_string(),
    };
    let error = Diagnostic::error(format!("cannot read `{}`: {error}", file.display()));
    Some(error.code(codes::MISSING_FILE))
}

/// The messages of a C compiler or linker, from what it has printed.
pub fn messages(text: &str) -> Vec<Diagnostic> {
    messages::parse(text)
}

/// Preprocesses a file.
///
/// # Errors
/// A missing file, a compiler that cannot be started, or the errors that the compiler reported
/// (`#error`, a missing header), each at its place.
pub fn run(options: &Options) -> Result<Preprocessed, Vec<Diagnostic>> {
    if let Some(missing) = missing_file(&options.file).filter(|_| options.buffer.is_none()) {
        return Err(vec![missing]);
    }
    let (text, warnings) = match already_done(options) {
        Some(text) => (text, Vec::new()),
        None => match direct::preprocess(options) {
            Some(text) => (text, Vec::new()),
            None => by_the_compiler(options)?,
        },
    };
    let file = options.file.to_string_lossy();
    let dialect = Dialect::new(&options.args, &text);
    let mut text: Arc<[u8]> = text.into();
    let mut translated = false;
    if options.families.jolokia
        && let Some(in_c) = crate::directive::jolokia::language::translate(&text, &file)?
    {
        text = in_c.into();
        translated = true;
    }
    if options.families.openmp
        && let Some(apart) = crate::directive::openmp::variants::named_apart(&text, &file)?
    {
        text = apart.into();
        translated = true;
    }
    Ok(Preprocessed {
        text,
        file: file.as_ref().into(),
        warnings,
        dialect,
        buffer: options.buffer.clone(),
        translated,
    })
}

/// The text of a file that has been preprocessed (`.i`): no name in it is a macro any more. `None` of another one, and of one that
/// cannot be read, of which the compiler says why.
fn already_done(options: &Options) -> Option<Vec<u8>> {
    let is_done = options.file.extension().is_some_and(|extension| extension == "i");
    let from_disk = || std::fs::read(&options.file).ok();
    is_done.then(|| options.buffer.as_ref().map(|buffer| buffer.to_vec()).or_else(from_disk))?
}

/// The compiler's command without the file.
fn command(options: &Options) -> Command {
    let mut words = options.cc.iter();
    let mut command =
        Command::new(words.next().map_or(std::ffi::OsStr::new(""), |program| program));
    command.args(words);
    // With these two GCC expands macros in the pragmas it knows; what the program sees of the
    // families is set after them. OpenMP is the host compiler's, where it is told to have it.
    command.args(["-E", "-fopenacc", "-fopenmp", "-dD"]).args(&options.args);
    if !has_openmp(&options.args) {
        command.args(["-fopenmp", "-U_OPENMP"]);
    }
    command.args(["-fopenacc", "-U_OPENACC"]);
    if options.families.openacc {
        command.arg(format!("-D_OPENACC={OPENACC_VERSION}"));
    }
    command.args(["-x", "c"]).env("LC_ALL", "C");
    command
}

/// The text that the compiler makes of a file, and what it warns of.
fn by_the_compiler(options: &Options) -> Result<(Vec<u8>, Vec<Diagnostic>), Vec<Diagnostic>> {
    let shown =
        || options.cc.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ");
    if options.cc.is_empty() {
        return Err(vec![
            Diagnostic::error("no C compiler is named").code(codes::MISSING_COMPILER),
        ]);
    }
    let mut command = command(options);
    command.args(&options.dependencies);
    let output = match &options.buffer {
        None => command.arg(&options.file).output(),
        Some(buffer) => output_of_buffer(&mut command, &options.file, buffer),
    };
    let output = output.map_err(|error| {
        let cc = shown();
        let cause = if error.kind() == std::io::ErrorKind::NotFound {
            "there is no such command".to_owned()
        } else {
            error.to_string()
        };
        vec![
            Diagnostic::error(format!("cannot run the C compiler `{cc}`: {cause}"))
                .code(codes::MISSING_COMPILER)
                .help("gpuc uses the system's C compiler to preprocess and for the host program"),
        ]
    })?;
    let mut messages = messages::parse(&String::from_utf8_lossy(&output.stderr));
    if !output.status.success() {
        if !messages.iter().any(Diagnostic::is_error) {
            let (cc, file) = (shown(), options.file.display());
            messages.push(Diagnostic::error(format!(
                "`{cc} -E` of `{file}` failed ({})",
                output.status
            )));
        }
        return Err(messages);
    }
    Ok((output.stdout, messages))
}

/// Runs the preprocessor on a text in place of a file, which keeps its name and finds the headers beside it.
fn output_of_buffer(
    command: &mut Command,
    file: &Path,
    buffer: &Arc<[u8]>,
) -> std::io::Result<Output> {
    if let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        command.arg("-iquote").arg(folder);
    }
    command.arg("-").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let name = file.to_string_lossy().replace('\\', "\\\\").replace('"', "\\\"");
    let mut text = format!("#line 1 \"{name}\"\n").into_bytes();
    text.extend_from_slice(buffer);
    let mut input = child.stdin.take();
    // Beside the reading: either side may have to wait for the other.
    let writer = std::thread::spawn(move || {
        // A compiler that ends early says why.
        input.as_mut().map(|input| input.write_all(&text))
    });
    let output = child.wait_with_output();
    drop(writer.join());
    output
}

/// Whether the host compiler is told to compile OpenMP: the last word on it counts.
fn has_openmp(arguments: &[OsString]) -> bool {
    let on = |argument: &OsString| match argument.to_str()? {
        "-fno-openmp" => Some(false),
        "-fopenmp" => Some(true),
        clang => clang.starts_with("-fopenmp=").then_some(true),
    };
    arguments.iter().rev().find_map(on).unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What an editor has comes before what is on disk, under the file's name and beside its headers.
    #[test]
    fn a_buffer_is_read_in_place_of_its_file() {
        let folder = std::env::temp_dir().join(format!("gpuc-buffer-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("beside.h"), "int beside;\n").unwrap();
        let mut options = Options::new(folder.join("a \"b\".c"));
        options.buffer = Some(Arc::from(&b"#include \"beside.h\"\nint = 1;\n"[..]));
        let (unit, errors) = crate::read(&run(&options).unwrap(), options.families);
        assert!(unit.decls.iter().any(|(decl, _)| unit.name(decl) == "beside"));
        let place = errors[0].place.as_ref().unwrap();
        assert_eq!((&*place.file, place.line), (&*options.file.to_string_lossy(), 2));
        assert_eq!(place.column, 5);
        options.buffer = Some(Arc::from(&b"\n#error no\n"[..]));
        let error = run(&options).unwrap_err();
        assert_eq!(error[0].place.as_ref().unwrap().line, 2);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn missing_file_and_missing_compiler_are_told_apart() {
        let error = run(&Options::new("no/such/file.c")).unwrap_err();
        assert_eq!(error[0].message, "cannot read `no/such/file.c`: there is no such file");
        let this = concat!(env!("CARGO_MANIFEST_DIR"), "/src/preprocess/mod.rs");
        let error =
            run(&Options { cc: vec!["no-such-cc".into()], ..Options::new(this) }).unwrap_err();
        assert_eq!(
            error[0].message,
            "cannot run the C compiler `no-such-cc`: there is no such command"
        );
    }

    #[test]
    fn only_the_enabled_family_is_defined() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("t.c");
        std::fs::write(&file, "int a = _OPENACC;\n#ifdef _OPENMP\nint b;\n#endif\n").unwrap();
        let text = run(&Options::new(&file)).unwrap().text;
        let text = String::from_utf8_lossy(&text).into_owned();
        assert!(text.contains("int a = 202211;"), "{text}");
        assert!(!text.contains("int b"), "{text}");
        for (args, has) in [
            (&["-fopenmp"][..], true),
            (&["-fopenmp", "-fno-openmp"], false),
            (&["-fno-openmp", "-fopenmp"], true),
            (&["-fopenmp-simd"], false),
        ] {
            let args: Vec<OsString> = args.iter().map(OsString::from).collect();
            let text = run(&Options { args, ..Options::new(&file) }).unwrap().text;
            assert_eq!(String::from_utf8_lossy(&text).contains("int b"), has);
        }
    }

    #[test]
    fn the_compilers_errors_are_located() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("t.c");
        std::fs::write(&file, "\n#include \"nothing.h\"\n").unwrap();
        let errors = run(&Options::new(&file)).unwrap_err();
        let place = errors[0].place.clone().unwrap();
        assert_eq!((place.line, place.column), (2, 10));
        assert!(errors[0].message.contains("nothing.h"), "{:?}", errors[0]);
    }
}

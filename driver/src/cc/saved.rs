//! `-save-temps`: the preprocessed text beside the object, where GCC puts it. The host compiler, which gets that text, leaves
//! the rest there.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::{Arguments, Mode};

/// Where the text of a source is left, if it is to be.
pub fn place(arguments: &Arguments, source: &Path) -> Option<PathBuf> {
    let option = |flag: &OsString| Some(flag.to_str()?.strip_prefix("-save-temps")?.to_owned());
    let form = arguments.compile_flags.iter().rev().find_map(option)?;
    let stem = source.file_stem()?;
    let output = arguments.output.as_deref();
    let name = match (arguments.mode, output) {
        (Mode::Compile, None) => PathBuf::from(stem),
        (Mode::Compile, Some(output)) => output.with_extension(""),
        (_, output) => beside_program(arguments, output.unwrap_or(Path::new("a")), stem),
    };
    let name = match &*form {
        "=cwd" => PathBuf::from(name.file_name()?),
        _ => name,
    };
    let mut name = name.into_os_string();
    name.push(".i");
    Some(name.into())
}

/// What is left of a source that a program is made of at once has the program's name ahead of its own, unless that is the same.
fn beside_program(arguments: &Arguments, program: &Path, stem: &OsStr) -> PathBuf {
    if arguments.sources.len() == 1 && program.file_name() == Some(stem) {
        return program.to_owned();
    }
    let mut name = program.as_os_str().to_owned();
    name.push("-");
    name.push(stem);
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_where_gcc_leaves_them() {
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/sgemm.c");
        for (line, expected) in [
            ("-c", None),
            ("-save-temps -c", Some("sgemm.i")),
            ("-save-temps -c -o o/q.x.o", Some("o/q.x.i")),
            ("-save-temps=cwd -c -o o/q", Some("q.i")),
            ("-save-temps=cwd -save-temps=obj -S -o o/q.s", Some("o/q.i")),
            ("-save-temps", Some("a-sgemm.i")),
            ("-save-temps -o o/prog.so", Some("o/prog.so-sgemm.i")),
            ("-save-temps=cwd -o o/prog", Some("prog-sgemm.i")),
            ("-save-temps -o o/sgemm", Some("o/sgemm.i")),
        ] {
            let words: Vec<OsString> =
                line.split_whitespace().chain([source]).map(OsString::from).collect();
            let place = place(&Arguments::parse(&words).unwrap(), Path::new(source));
            assert_eq!(place.as_deref(), expected.map(Path::new), "{line}");
        }
    }
}

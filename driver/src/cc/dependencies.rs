//! Dependency files for make: `-MD` and what belongs to it.
//!
//! Preprocessing writes them, ours or the compiler's, and knows the prerequisites. It does not know the output of the
//! whole command, by which GCC names the file and its target; that is said to it here.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use gpuc_diagnostics::Diagnostic;

use super::{Arguments, Mode};
use crate::output::write_to_standard_output;
use crate::temporary::Folder;

/// What preprocessing is told to write the dependency file of `source`.
pub fn flags(arguments: &Arguments, source: &Path) -> Vec<OsString> {
    let given = &arguments.dependency_flags;
    let builds = matches!(arguments.mode, Mode::Compile | Mode::Link);
    // What is preprocessed already depends on nothing that is known.
    if given.is_empty() || !builds || source.extension().is_some_and(|e| e == "i") {
        return Vec::new();
    }
    let mut flags = given.clone();
    let starts = |option: &str| given.iter().any(|flag| flag.to_string_lossy().starts_with(option));
    if !given.iter().any(|flag| flag == "-MD" || flag == "-MMD") {
        // `-Wp,-MD,FILE` names its file, and options without `-MD` are the preprocessor's to refuse.
        return flags;
    }
    if !starts("-MF") {
        flags.extend(["-MF".into(), file(arguments, source).into()]);
    }
    if !starts("-MT") && !starts("-MQ") {
        let name = || PathBuf::from(source.file_name().unwrap_or_default());
        let target = arguments.output.clone().unwrap_or_else(|| name().with_extension("o"));
        flags.extend(["-MQ".into(), target.into()]);
    }
    flags
}

/// The file where `-MF` names none: beside the output, or in the current folder. GCC puts the
/// name of the executable, which is `a` by default, before that of the source where they differ.
fn file(arguments: &Arguments, source: &Path) -> PathBuf {
    if let Some(output) = &arguments.output {
        return output.with_extension("d");
    }
    let stem = source.file_stem().unwrap_or_default();
    let links = arguments.mode == Mode::Link && stem != "a";
    let mut name = OsString::from(if links { "a-" } else { "" });
    name.push(stem);
    name.push(".d");
    PathBuf::from(name)
}

/// Whether dependencies go to standard output.
pub fn to_standard_output(flags: &[OsString]) -> bool {
    flags.iter().any(|flag| flag == "-MF-")
        || flags.windows(2).any(|pair| pair[0] == "-MF" && pair[1] == "-")
}

/// `-MF -`: standard output is where the preprocessed text goes, so the dependencies take the way
/// over a file.
#[derive(Debug)]
pub struct StandardOutput(Option<Folder>);

/// Its name there.
const FILE: &str = "dependencies";

impl StandardOutput {
    /// Takes `-MF -` out of the flags.
    pub fn redirect(flags: &mut [OsString]) -> Result<StandardOutput, Diagnostic> {
        if !to_standard_output(flags) {
            return Ok(StandardOutput(None));
        }
        let attached = flags.iter().position(|flag| flag == "-MF-");
        let apart = flags.windows(2).position(|pair| pair[0] == "-MF" && pair[1] == "-");
        let folder = Folder::new()?;
        let file = folder.join(FILE);
        if let Some(i) = attached {
            flags[i] = "-MF".into();
            flags[i].push(&file);
        }
        if let Some(i) = apart {
            flags[i + 1] = file.into();
        }
        Ok(StandardOutput(Some(folder)))
    }

    /// Prints what the preprocessor wrote.
    pub fn print(self) -> Result<(), Diagnostic> {
        let Some(folder) = self.0 else { return Ok(()) };
        std::fs::read(folder.join(FILE))
            .and_then(|text| write_to_standard_output(&text))
            .map_err(|error| Diagnostic::error(format!("cannot write dependencies: {error}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/sgemm.c");

    fn shown(line: &str) -> String {
        let words: Vec<OsString> =
            line.split_whitespace().chain([SOURCE]).map(OsString::from).collect();
        let flags = flags(&Arguments::parse(&words).unwrap(), Path::new(SOURCE));
        flags.iter().map(|flag| flag.to_string_lossy()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn files_and_targets_are_named_as_gcc_names_them() {
        for (line, expected) in [
            ("-c", ""),
            ("-c -MD", "-MD -MF sgemm.d -MQ sgemm.o"),
            ("-c -MMD -o dir/bar.x.o", "-MMD -MF dir/bar.x.d -MQ dir/bar.x.o"),
            ("-MMD -o dir/prog", "-MMD -MF dir/prog.d -MQ dir/prog"),
            ("-MMD", "-MMD -MF a-sgemm.d -MQ sgemm.o"),
            ("-c -MD -MP -MT t -MF f", "-MD -MP -MT t -MF f"),
            ("-c -MD -MQt", "-MD -MQt -MF sgemm.d"),
            ("-c -Wp,-MMD,f", "-Wp,-MMD,f"),
            ("-c -MF f", "-MF f"),
            ("--emit=ptx -MD", ""),
        ] {
            assert_eq!(shown(line), expected, "{line}");
        }
    }

    #[test]
    fn standard_output_is_kept_free() {
        let mut flags: Vec<OsString> = ["-MD", "-MF", "-", "-MT", "-"].map(Into::into).to_vec();
        assert!(StandardOutput::redirect(&mut flags).unwrap().0.is_some());
        assert!(flags[2] != "-" && flags[4] == "-", "{flags:?}");
        assert!(StandardOutput::redirect(&mut flags).unwrap().0.is_none());
    }
}

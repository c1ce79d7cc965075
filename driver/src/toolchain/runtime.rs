//! The runtime library: where it is, and how a program links it.
//!
//! An installation has it in `lib/gpuc` beside the `bin` of the compiler. Where the compiler stands
//! alone (`cargo install`), it writes the one that it carries into the user's cache, once, under a
//! name made of its contents.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use gpuc_diagnostics::{Diagnostic, codes};
use gpuc_runtime_archive as carried;

use super::HostCompiler;
use crate::output::write_atomically;

/// The folder with the runtime library, where it is not the compiler's own.
pub const VARIABLE: &str = "GPUC_RUNTIME_DIR";

/// File name of the static library.
pub const STATIC: &str = "libgpuc_runtime.a";
/// File name of the shared library.
pub const SHARED: &str = "libgpuc_runtime.so";

/// The folder of headers beside the library.
const INCLUDE: &str = "include";
/// File name of the header of OpenACC's routines.
const OPENACC_H: &str = "openacc.h";

/// Its header for tools.
const ACC_PROF_H: &str = "acc_prof.h";

/// The header that gives arrays and operators of JolokiaC++ in plain C.
const JOLOKIA_H: &str = "jolokia.h";

/// What the library needs of the system. Programs that do not use it are not to need these either.
const SYSTEM_LIBRARIES: [&str; 5] =
    ["-Wl,--push-state,--as-needed", "-lpthread", "-ldl", "-lm", "-Wl,--pop-state"];

/// How programs link the runtime library.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Linkage {
    /// It becomes part of the program, as far as that uses it.
    #[default]
    Static,
    /// `-shared-gpuc`: it is loaded when the program starts, one for all of its parts.
    Shared,
}

/// A folder with the runtime library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuntimeLibrary {
    /// The folder.
    pub folder: PathBuf,
}

impl RuntimeLibrary {
    /// Finds the library: where `GPUC_RUNTIME_DIR` says, beside the compiler, or in the cache, into
    /// which it is written where it is not there yet; `temporary` serves where there is no cache.
    ///
    /// # Errors
    /// `GPUC_RUNTIME_DIR` names a folder without it, or it cannot be written anywhere.
    pub fn find(temporary: &Path) -> Result<RuntimeLibrary, Diagnostic> {
        if let Some(folder) = std::env::var_os(VARIABLE).filter(|folder| !folder.is_empty()) {
            let folder = PathBuf::from(folder);
            if folder.join(STATIC).is_file() {
                return Ok(RuntimeLibrary { folder });
            }
            let folder = folder.display();
            return Err(Diagnostic::error(format!(
                "{VARIABLE}=`{folder}` is no folder with {STATIC}"
            ))
            .code(codes::MISSING_COMPILER)
            .help("unset it: gpuc carries a runtime library of its own"));
        }
        if let Some(folder) = beside_compiler() {
            return Ok(RuntimeLibrary { folder });
        }
        let places = cache().into_iter().chain([temporary.to_owned()]);
        let mut error = None;
        for folder in places {
            match unpack(&folder) {
                Ok(()) => return Ok(RuntimeLibrary { folder }),
                Err(why) => error = Some((folder, why)),
            }
        }
        let why = error.map_or(String::new(), |(f, why)| format!(" to {}: {why}", f.display()));
        Err(Diagnostic::error(format!("cannot write the runtime library{why}"))
            .code(codes::MISSING_COMPILER)
            .help("it goes to `gpuc` in XDG_CACHE_HOME or ~/.cache, else to TMPDIR"))
    }

    /// The static library.
    pub fn archive(&self) -> PathBuf {
        self.folder.join(STATIC)
    }

    /// The shared library, made of the static one where it is not there yet.
    ///
    /// # Errors
    /// The host compiler cannot link it, or the folder cannot be written to.
    pub fn shared(&self, host: &HostCompiler) -> Result<PathBuf, Diagnostic> {
        let library = self.folder.join(SHARED);
        if library.is_file() {
            return Ok(library);
        }
        let failed = |why: String| {
            let library = library.display();
            Diagnostic::error(format!("cannot make `{library}`: {why}"))
                .code(codes::MISSING_COMPILER)
        };
        // Under a name of its own first: who links at the same time must not see half of it.
        let part = tempfile::Builder::new()
            .prefix(".gpuc-")
            .tempfile_in(&self.folder)
            .map_err(|error| failed(error.to_string()))?;
        let mut command = host.command();
        command.args(["-shared", "-Wl,-soname,libgpuc_runtime.so", "-Wl,--whole-archive"]);
        command.arg(self.archive()).arg("-Wl,--no-whole-archive").args(SYSTEM_LIBRARIES);
        let output = command.arg("-o").arg(part.path()).output();
        let output = output.map_err(|error| failed(error.to_string()))?;
        if !output.status.success() {
            return Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
        }
        part.persist(&library).map_err(|error| failed(error.to_string()))?;
        Ok(library)
    }

    /// What the link command ends with.
    ///
    /// # Errors
    /// Those of [`RuntimeLibrary::shared`].
    pub fn link_words(
        &self,
        linkage: Linkage,
        host: &HostCompiler,
    ) -> Result<Vec<OsString>, Diagnostic> {
        let mut words = Vec::new();
        match linkage {
            // A library's members are linked only where something calls them.
            Linkage::Static => words.push(self.archive().into()),
            Linkage::Shared => {
                let library = self.shared(host)?;
                let mut rpath = OsString::from("-Wl,-rpath,");
                rpath.push(&self.folder);
                words.extend([rpath, "-Wl,--push-state,--as-needed".into(), library.into()]);
                words.push("-Wl,--pop-state".into());
            }
        }
        words.extend(SYSTEM_LIBRARIES.map(OsString::from));
        Ok(words)
    }
}

/// The folder with `openacc.h`, by a path that stays: dependency files name it. Written into the cache
/// where it is not there yet. Without one, programs see the host compiler's own.
pub fn headers() -> Option<PathBuf> {
    if let Some(folder) = installation().map(|folder| folder.join(INCLUDE))
        && folder.join(OPENACC_H).is_file()
    {
        return Some(folder);
    }
    let folder = cache()?;
    unpack_header(&folder).ok()?;
    Some(folder.join(INCLUDE))
}

/// Writes the headers that the compiler carries into `include` of a folder, unless they are there.
fn unpack_header(folder: &Path) -> std::io::Result<()> {
    let folder = folder.join(INCLUDE);
    let headers = [
        (OPENACC_H, carried::OPENACC_H),
        (ACC_PROF_H, carried::ACC_PROF_H),
        (JOLOKIA_H, carried::JOLOKIA_H),
    ];
    for (name, text) in headers {
        let header = folder.join(name);
        if std::fs::read(&header).is_ok_and(|known| known == text.as_bytes()) {
            continue;
        }
        std::fs::create_dir_all(&folder)?;
        write_atomically(&header, text.as_bytes())?;
    }
    Ok(())
}

/// The flags by which the host compiler's preprocessor finds the headers of `folder`.
pub fn header_flags(folder: Option<PathBuf>) -> Vec<OsString> {
    folder.map_or(Vec::new(), |folder| vec!["-isystem".into(), folder.into()])
}

/// `lib/gpuc` of the installation that the compiler is part of.
fn installation() -> Option<PathBuf> {
    let compiler = std::env::current_exe().and_then(|path| path.canonicalize()).ok()?;
    Some(compiler.parent()?.parent()?.join("lib/gpuc"))
}

/// [`installation`] where it has the library.
fn beside_compiler() -> Option<PathBuf> {
    installation().filter(|folder| folder.join(STATIC).is_file())
}

/// The user's cache (XDG Base Directory Specification), in it a folder for this very library.
pub fn cache() -> Option<PathBuf> {
    // Relative paths are invalid there, and would litter the current folder.
    let absolute =
        |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let caches =
        absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")))?;
    Some(caches.join("gpuc").join(carried::FINGERPRINT))
}

/// Writes the library that the compiler carries into a folder, unless it is there, and its header, so that
/// the folder can be moved beside a compiler.
fn unpack(folder: &Path) -> std::io::Result<()> {
    unpack_header(folder)?;
    let library = folder.join(STATIC);
    // Files there are whole ([`write_atomically`]); what a disk lost shows in the length.
    if library.metadata().is_ok_and(|found| found.len() == carried::archive_bytes()) {
        return Ok(());
    }
    std::fs::create_dir_all(folder)?;
    write_atomically(&library, &carried::archive()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_written_once_and_again_where_it_is_damaged() {
        let folder = tempfile::tempdir().unwrap();
        let cache = folder.path().join("deep/in/it");
        let library = cache.join(STATIC);
        let written = || library.metadata().unwrap().modified().unwrap();
        unpack(&cache).unwrap();
        let first = written();
        assert_eq!(std::fs::read(&library).unwrap(), carried::archive().unwrap());
        unpack(&cache).unwrap();
        assert_eq!(written(), first);
        std::fs::write(&library, b"half").unwrap();
        unpack(&cache).unwrap();
        assert_eq!(std::fs::read(&library).unwrap(), carried::archive().unwrap());
    }

    #[test]
    fn a_file_in_the_way_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("file"), b"").unwrap();
        assert!(unpack(&folder.path().join("file/cache")).is_err());
    }
}

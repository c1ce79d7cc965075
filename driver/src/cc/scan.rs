//! Whether a source may hold anything for gpuc, found without the preprocessor.
//!
//! Most files of most programs have no directive, and the run of `cc -E` that would show it costs as much as
//! compiling a small one. So the text of the source, and of the headers that it names as far as they are the
//! user's own, is searched for `pragma`s first. What is found may stand in a comment or be left out by a condition:
//! then the preprocessor decides, as it does wherever the search cannot know what will be read, because
//! an `#include` names a macro, say. Headers of the system's compiler have no directives.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::Arguments;
use crate::toolchain::HostCompiler;

/// Variables by which the host compiler finds further headers.
const SEARCHED: [&str; 4] = ["CPATH", "C_INCLUDE_PATH", "OBJC_INCLUDE_PATH", "GCC_EXEC_PREFIX"];

/// Headers that are not of the compiler's own package, where it looks without being told.
const LOCAL: &str = "/usr/local/include";

/// Pragmas that mean nothing to gpuc, by their first word.
const OTHERS: [&[u8]; 14] = [
    b"once",
    b"pack",
    b"GCC",
    b"clang",
    b"STDC",
    b"weak",
    b"push_macro",
    b"pop_macro",
    b"message",
    b"ident",
    b"region",
    b"endregion",
    b"redefine_extname",
    b"scalar_storage_order",
];

/// Whether the source may hold a directive. `false` is certain.
pub fn may_hold_directives(source: &Path, arguments: &Arguments) -> bool {
    let told = SEARCHED.iter().any(|name| std::env::var_os(name).is_some());
    let compiler = HostCompiler::from_environment();
    let flagged = compiler.words().iter().skip(1).any(|word| starts_with(word, "-"));
    if told || flagged {
        return true;
    }
    let Some(folders) = Folders::of(arguments) else { return true };
    let mut search = Search { folders, seen: HashSet::new() };
    search.file(source).is_none_or(|found| found)
}

fn starts_with(word: &OsStr, prefix: &str) -> bool {
    word.as_encoded_bytes().starts_with(prefix.as_bytes())
}

/// Where headers are looked for.
#[derive(Debug, Default)]
struct Folders {
    /// Those in quotes only, behind the folder of the file that names them.
    quoted: Vec<PathBuf>,
    /// All.
    all: Vec<PathBuf>,
}

impl Folders {
    /// The folders that options name; `None` where an option may bring more text than the search sees.
    fn of(arguments: &Arguments) -> Option<Folders> {
        let mut folders = Folders::default();
        let mut words = arguments.preprocess_flags.iter();
        while let Some(word) = words.next() {
            let text = word.to_str()?;
            let known = ["-iquote", "-isystem", "-idirafter", "-I"];
            let Some(option) = known.into_iter().find(|option| text.starts_with(option)) else {
                let harmless = [
                    "-D", "-U", "-std=", "-O", "-f", "-m", "-W", "-g", "-pthread", "-ansi", "-w",
                    "-pipe",
                ];
                let fine = harmless.iter().any(|prefix| text.starts_with(prefix));
                if !fine || text.contains("ragma") || text.starts_with("-Wp,") {
                    return None;
                }
                // The definition may be a word of its own.
                if (text == "-D" || text == "-U") && words.next()?.to_str()?.contains("ragma") {
                    return None;
                }
                continue;
            };
            let folder = match &text[option.len()..] {
                "" => PathBuf::from(words.next()?),
                attached => PathBuf::from(attached),
            };
            match option {
                "-iquote" => folders.quoted.push(folder),
                _ => folders.all.push(folder),
            }
        }
        folders.all.push(LOCAL.into());
        Some(folders)
    }
}

struct Search {
    folders: Folders,
    seen: HashSet<PathBuf>,
}

impl Search {
    /// Whether a file, or a header that it names, may hold a directive; `None` where that is not known.
    fn file(&mut self, path: &Path) -> Option<bool> {
        if !self.seen.insert(path.to_owned()) {
            return Some(false);
        }
        let text = std::fs::read(path).ok()?;
        // Characters may be written as three.
        if holds(&text, b"??/") || holds(&text, b"??=") {
            return None;
        }
        let joined = match holds(&text, b"\\\n") || holds(&text, b"\\\r\n") {
            true => join_lines(&text),
            false => text,
        };
        if holds(&joined, b"_Pragma") {
            return None;
        }
        for line in joined.split(|&byte| byte == b'\n') {
            let Some(at) = line.iter().position(|&byte| byte == b'#' || byte == b'%') else {
                continue;
            };
            if find(line, b"pragma")
                .is_some_and(|pragma| pragma > at && !is_other(&line[pragma + 6..]))
            {
                return Some(true);
            }
            // `#include`, `#include_next`, `#import` and `#embed`, wherever a line has their words.
            for word in [&b"include"[..], b"import", b"embed"] {
                let Some(found) = find(&line[at..], word) else { continue };
                let before = &line[at..at + found];
                let only_sign = before.iter().all(|byte| b"#%: \t".contains(byte));
                if !only_sign {
                    // In a comment, a string or a macro's text.
                    if before.iter().any(|byte| !byte.is_ascii()) {
                        return None;
                    }
                    continue;
                }
                if self.header(path, &line[at + found + word.len()..])? {
                    return Some(true);
                }
            }
        }
        Some(false)
    }

    /// Whether the header that a line names may hold a directive; `None` where it is not known which that is.
    fn header(&mut self, from: &Path, rest: &[u8]) -> Option<bool> {
        let text = std::str::from_utf8(rest).ok()?;
        let text = text.strip_prefix("_next").unwrap_or(text).trim_start();
        let (quoted, name) = match text.strip_prefix('"') {
            Some(rest) => (true, rest.split_once('"')?.0),
            None => (false, text.strip_prefix('<')?.split_once('>')?.0),
        };
        let own = quoted.then(|| from.parent().map(Path::to_owned)).flatten();
        let quotes = if quoted { &self.folders.quoted[..] } else { &[] };
        let folders = own.iter().chain(quotes).chain(&self.folders.all);
        let found: Vec<PathBuf> =
            folders.map(|folder| folder.join(name)).filter(|path| path.is_file()).collect();
        // What is in quotes is the user's, wherever it is.
        if quoted && found.is_empty() {
            return None;
        }
        // `#include_next` goes on behind the first: all of them are looked at.
        for path in found {
            if self.file(&path)? {
                return Some(true);
            }
        }
        Some(false)
    }
}

/// Whether the words behind `pragma` are of a kind that means nothing to gpuc.
fn is_other(rest: &[u8]) -> bool {
    let trimmed = rest.trim_ascii_start();
    let word: &[u8] =
        trimmed.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_').next().unwrap_or(b"");
    let openmp =
        word == b"omp" && find(trimmed, b"target").is_none() && find(trimmed, b"pragma").is_none();
    let known = OTHERS.contains(&word) && find(trimmed, b"pragma").is_none();
    openmp || known
}

fn join_lines(text: &[u8]) -> Vec<u8> {
    let mut joined = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        match &text[at..] {
            [b'\\', b'\n', ..] => at += 2,
            [b'\\', b'\r', b'\n', ..] => at += 3,
            [byte, ..] => {
                joined.push(*byte);
                at += 1;
            }
            [] => {}
        }
    }
    joined
}

fn holds(text: &[u8], part: &[u8]) -> bool {
    find(text, part).is_some()
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    let (&first, _) = part.split_first()?;
    let mut from = 0;
    while let Some(at) = text[from..].iter().position(|&byte| byte == first) {
        if text[from + at..].starts_with(part) {
            return Some(from + at);
        }
        from += at + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;

    fn found(files: &[(&str, &str)], options: &[&str]) -> bool {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let source = folder.path().join("main.c");
        let mut words: Vec<OsString> = vec!["-c".into(), source.clone().into()];
        for option in options {
            words.push(option.replace("DIR", folder.path().to_str().unwrap()).into());
        }
        let arguments = Arguments::parse(&words).unwrap();
        may_hold_directives(&source, &arguments)
    }

    #[test]
    fn what_has_no_directive_is_known_without_the_preprocessor() {
        let main = |text: &str| found(&[("main.c", text)], &[]);
        assert!(!main("#include <stdio.h>\nint main(void) { return 0; }\n"));
        assert!(!main("#pragma once\n # pragma omp parallel for\n%:pragma GCC poison x\n"));
        assert!(!main("/* no pragma acc here */ int pragma;\n"));
        assert!(main("#pragma acc parallel loop\n"));
        assert!(main("  #  pragma   acc data\n"));
        assert!(main("#prag\\\nma acc data\n"));
        assert!(main("#pragma /* */ acc data\n"));
        assert!(main("%:pragma acc data\n"));
        assert!(main("/* */ #pragma acc data\n"));
        assert!(main("#pragma omp target\n"));
        assert!(main("#pragma hmpp x codelet\n"));
        assert!(main("#define P _Pragma(\"acc data\")\n"));
        assert!(main("_Pra\\\ngma(\"acc data\") int x;\n"));
        assert!(main("??=pragma acc data\n"));
        assert!(main("#include HEADER\n"));
        assert!(main("#include \"nowhere.h\"\n"));
        assert!(main("#pragma once // #pragma acc data\n"));
    }

    #[test]
    fn headers_of_the_user_are_looked_at() {
        let acc = "#pragma acc routine\n";
        assert!(found(&[("main.c", "#include \"a.h\"\n"), ("a.h", acc)], &[]));
        assert!(found(
            &[("main.c", "#include \"a.h\"\n"), ("a.h", "#include \"b/c.h\"\n"), ("b/c.h", acc)],
            &[]
        ));
        assert!(found(&[("main.c", "#include <a.h>\n"), ("i/a.h", acc)], &["-IDIR/i"]));
        assert!(found(&[("main.c", "#include <a.h>\n"), ("i/a.h", acc)], &["-isystem", "DIR/i"]));
        assert!(found(&[("main.c", "#include \"a.h\"\n"), ("i/a.h", acc)], &["-iquote", "DIR/i"]));
        assert!(!found(&[("main.c", "#include <a.h>\n"), ("i/a.h", acc)], &["-iquote", "DIR/i"]));
        assert!(!found(
            &[("main.c", "#include \"a.h\"\n"), ("a.h", "#include \"a.h\"\nint x;\n")],
            &[]
        ));
        // Text from elsewhere.
        assert!(found(&[("main.c", "int x;\n"), ("a.h", acc)], &["-include", "DIR/a.h"]));
        assert!(found(&[("main.c", "int x;\n")], &["-DP=_Pragma(\"acc data\")"]));
    }
}

//! Files of dependencies for make, as GCC writes them (`libcpp/mkdeps.cc`).

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::rc::Rc;

/// What is wanted of a file of dependencies.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    file: PathBuf,
    /// Headers of the system are named, too.
    with_system: bool,
    /// Each header is a target of its own, so that one that is gone is no error (`-MP`).
    phony: bool,
    /// Each as it is to be written; none for the name of the source.
    targets: Vec<Vec<u8>>,
}

/// The path of a file that was read, and whether it is of the system's.
pub(super) type Included = (Rc<str>, bool);

/// Columns of a line.
const COLUMNS: usize = 72;

impl Wanted {
    /// What options ask for; `None` where the compiler has something to say of them.
    pub fn of(flags: &[OsString]) -> Option<Wanted> {
        let (mut file, mut with_system, mut phony) = (None, None, false);
        let mut by_preprocessor = None;
        // Those that are written as they are come first.
        let (mut targets, mut plain): (Vec<Vec<u8>>, usize) = (Vec::new(), 0);
        let mut words = flags.iter().map(|word| word.as_bytes());
        while let Some(word) = words.next() {
            let mut value = |option: &str| match &word[option.len()..] {
                b"" => words.next(),
                attached => Some(attached),
            };
            match word {
                b"-MD" | b"-MMD" if with_system.is_none() => with_system = Some(word == b"-MD"),
                b"-MP" => phony = true,
                [b'-', b'M', b'F', ..] => file = Some(value("-MF")?),
                [b'-', b'M', b'T', ..] => {
                    let mut target = without_dots(value("-MT")?).to_vec();
                    if let Some(first) = targets.get_mut(plain) {
                        std::mem::swap(first, &mut target);
                    }
                    targets.push(target);
                    plain += 1;
                }
                [b'-', b'M', b'Q', ..] => targets.push(escaped(without_dots(value("-MQ")?))?),
                _ => {
                    // As automake and the kernel's makefiles write it.
                    let rest = word.strip_prefix(b"-Wp,").filter(|_| with_system.is_none())?;
                    let mut parts = rest.split(|&byte| byte == b',');
                    let (kind, name) = (parts.next()?, parts.next()?);
                    if parts.next().is_some() || !matches!(kind, b"-MD" | b"-MMD") {
                        return None;
                    }
                    with_system = Some(kind == b"-MD");
                    by_preprocessor = Some(name);
                }
            }
        }
        let file = match (file, by_preprocessor) {
            (Some(_), Some(_)) => return None,
            (file, by_preprocessor) => file.or(by_preprocessor),
        };
        let file = file.filter(|name| !name.is_empty() && *name != b"-")?;
        let file = PathBuf::from(std::ffi::OsStr::from_bytes(file));
        Some(Wanted { file, with_system: with_system?, phony, targets })
    }

    /// Writes the file for a source and what it includes, in order. `None` where that is the compiler's to do.
    pub fn write(&self, files: &[Included]) -> Option<()> {
        std::fs::write(&self.file, self.text(files)?).ok()
    }

    fn text(&self, files: &[Included]) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        let mut column = 0;
        let targets = match &*self.targets {
            [] => vec![default_target(&files.first()?.0)?],
            given => given.to_vec(),
        };
        targets.iter().for_each(|name| put(name, &mut column, &mut out));
        out.push(b':');
        column += 1;
        let files = files.iter().filter(|(_, is_system)| self.with_system || !is_system);
        let names = files.map(|(path, _)| escaped(without_dots(path.as_bytes())));
        let names = names.collect::<Option<Vec<_>>>()?;
        names.iter().for_each(|name| put(name, &mut column, &mut out));
        out.push(b'\n');
        for name in names.iter().skip(1).filter(|_| self.phony) {
            out.extend_from_slice(name);
            out.extend_from_slice(b":\n");
        }
        Some(out)
    }
}

/// Writes a name into a line, or into the next.
fn put(name: &[u8], column: &mut usize, out: &mut Vec<u8>) {
    if *column > 0 {
        if *column + name.len() > COLUMNS {
            out.extend_from_slice(b" \\\n");
            *column = 0;
        }
        out.push(b' ');
        *column += 1;
    }
    out.extend_from_slice(name);
    *column += name.len();
}

/// The object of a source's name.
fn default_target(source: &str) -> Option<Vec<u8>> {
    let name = source.rsplit('/').next().unwrap_or(source);
    let stem = name.rfind('.').map_or(name, |end| &name[..end]);
    escaped(without_dots(format!("{stem}.o").as_bytes()))
}

/// A path without `./` at its start.
fn without_dots(mut path: &[u8]) -> &[u8] {
    while let Some(rest) = path.strip_prefix(b"./") {
        let slashes = rest.iter().take_while(|&&byte| byte == b'/').count();
        path = &rest[slashes..];
    }
    path
}

/// A name as make reads it. What stands for a colon depends on the version of the compiler.
fn escaped(name: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(name.len());
    let mut backslashes = 0;
    for &byte in name {
        match byte {
            // Only ahead of a blank do backslashes mean something.
            b' ' | b'\t' => out.extend(std::iter::repeat_n(b'\\', backslashes + 1)),
            b'$' => out.push(b'$'),
            b'#' => out.push(b'\\'),
            b':' | b'\n' => return None,
            _ => {}
        }
        backslashes = if byte == b'\\' { backslashes + 1 } else { 0 };
        out.push(byte);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(line: &str) -> Option<Wanted> {
        Wanted::of(&line.split_whitespace().map(OsString::from).collect::<Vec<_>>())
    }

    fn written(line: &str, files: &[&str]) -> Option<String> {
        let files: Vec<_> = files
            .iter()
            .map(|file| match file.strip_prefix('<') {
                Some(file) => (file.into(), true),
                None => ((*file).into(), false),
            })
            .collect();
        wanted(line)?.text(&files).map(|text| String::from_utf8(text).unwrap())
    }

    #[test]
    fn what_is_written() {
        let files = &["./x/a.b.c", "<h.h", ".//./i j.h", "k\\ $#.h"];
        for (line, expected) in [
            ("-MD -MF d", "a.b.o: x/a.b.c h.h i\\ j.h k\\\\\\ $$\\#.h\n"),
            ("-MMD -MF d", "a.b.o: x/a.b.c i\\ j.h k\\\\\\ $$\\#.h\n"),
            ("-Wp,-MMD,d", "a.b.o: x/a.b.c i\\ j.h k\\\\\\ $$\\#.h\n"),
            (
                "-MMD -MP -MFd -MQ a$ -MT b$ -MQc# -MT d",
                "b$ d c\\# a$$: x/a.b.c i\\ j.h k\\\\\\ $$\\#.h\ni\\ j.h:\nk\\\\\\ $$\\#.h:\n",
            ),
        ] {
            assert_eq!(written(line, files).as_deref(), Some(expected), "{line}");
        }
        let long = "n".repeat(40);
        assert_eq!(
            written(&format!("-MD -MF d -MQ {long}"), &["a.c", &"m".repeat(25), &long]).unwrap(),
            format!("{long}: a.c {}\\\n {long}\n", "m".repeat(25) + " "),
        );
    }

    #[test]
    fn what_the_compiler_has_something_to_say_of() {
        for line in [
            "-MD",
            "-MF d",
            "-MD -MG -MF d",
            "-MD -MMD -MF d",
            "-MD -MF",
            "-MD -MF -",
            "-MD -MF d -MQ a:b",
            "-Wp,-MD",
            "-Wp,-MD,a,-MP",
            "-Wp,-MD,d -MD -MF e",
            "-Wp,-MD,d -MF e",
            "-Wp,-MP",
        ] {
            assert_eq!(wanted(line), None, "{line}");
        }
        assert_eq!(written("-MD -MF d", &["a:b.c"]), None);
    }
}

//! Response files: `@FILE` stands for the arguments that FILE holds, by GCC's rules.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use gpuc_diagnostics::Diagnostic;

/// Files read for one command line, at most; as many as GCC reads. One that names itself ends here.
const MOST_FILES: usize = 2000;

/// The arguments with every response file expanded, in place. What stands behind `--` is for the
/// program and stays. A file that cannot be read is an argument like any other.
pub(super) fn expand(arguments: &[OsString]) -> Result<Vec<OsString>, Diagnostic> {
    let mut rest: VecDeque<OsString> = arguments.iter().cloned().collect();
    let mut expanded = Vec::with_capacity(arguments.len());
    let mut files = 0;
    while let Some(argument) = rest.pop_front() {
        if argument == "--" {
            expanded.push(argument);
            expanded.extend(rest);
            break;
        }
        let Some(path) = argument.as_bytes().strip_prefix(b"@") else {
            expanded.push(argument);
            continue;
        };
        let path = std::path::Path::new(std::ffi::OsStr::from_bytes(path));
        if path.is_dir() {
            return Err(Diagnostic::error(format!(
                "the response file `{}` is a directory",
                path.display()
            )));
        }
        let Ok(text) = std::fs::read(path) else {
            expanded.push(argument);
            continue;
        };
        files += 1;
        if files > MOST_FILES {
            return Err(Diagnostic::error(format!(
                "too many response files: `{}` is number {files}",
                path.display()
            ))
            .help("a response file that names itself never ends"));
        }
        for word in words(&text).into_iter().rev() {
            rest.push_front(OsString::from_vec(word));
        }
    }
    Ok(expanded)
}

/// The words of a text such as a response file. Blanks and newlines part them, either kind of quote keeps them
/// together, and a backslash takes the next byte as it is, within quotes as well.
pub fn words(text: &[u8]) -> Vec<Vec<u8>> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quote = None;
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        if quote.is_none() && (byte.is_ascii_whitespace() || byte == 0x0b) {
            words.extend(word.take());
            continue;
        }
        let word = word.get_or_insert_default();
        match byte {
            b'\\' => word.extend(bytes.next()),
            b'\'' | b'"' if quote.is_none() => quote = Some(byte),
            _ if quote == Some(byte) => quote = None,
            _ => word.push(byte),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_parted_as_gcc_parts_them() {
        for (text, expected) in [
            ("", &[][..]),
            (" \n\t ", &[]),
            ("a.c -o\nout\n", &["a.c", "-o", "out"]),
            ("-DX='a b' \"c d\"e", &["-DX=a b", "c de"]),
            (r#"-DS=\"s\" a\ b '\'' "\"""#, &["-DS=\"s\"", "a b", "'", "\""]),
            ("'' \"\"", &["", ""]),
            ("'open", &["open"]),
            ("'it is \"so\"'", &["it is \"so\""]),
            ("end\\", &["end"]),
        ] {
            let found: Vec<String> = words(text.as_bytes())
                .into_iter()
                .map(|word| String::from_utf8(word).unwrap())
                .collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn files_nest_to_a_bound_and_stop_at_two_dashes() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| {
            let mut word = OsString::from("@");
            word.push(folder.path().join(name));
            word
        };
        let text = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        text("inner", "b 'c d'");
        text("outer", &format!("a {} e", at("inner").to_string_lossy()));
        text("itself", &at("itself").to_string_lossy());
        let expanded = expand(&["run".into(), at("outer"), "--".into(), at("inner")]).unwrap();
        let last = at("inner");
        let expected: Vec<OsString> =
            ["run", "a", "b", "c d", "e", "--"].iter().map(Into::into).chain([last]).collect();
        assert_eq!(expanded, expected);
        assert_eq!(expand(&[at("none")]).unwrap(), [at("none")]);
        assert!(expand(&[at("itself")]).unwrap_err().message.contains("too many response files"));
        assert!(expand(&[at("")]).unwrap_err().message.contains("is a directory"));
    }
}

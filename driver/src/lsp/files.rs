//! Files as the editor names them, and how a build system compiles them.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use lsp_types::Uri;
use serde_json::Value;

use crate::cc::arguments::words;

/// The file of a URI; one that is no file's (`untitled:`) is a name without a folder.
pub(super) fn path(uri: &Uri) -> PathBuf {
    let text = uri.as_str();
    // `file://host/path`; the host is ours.
    let path = match text.strip_prefix("file://") {
        Some(rest) => &rest[rest.find('/').unwrap_or(0)..],
        None => text.split_once(':').map_or(text, |(_, rest)| rest),
    };
    let mut bytes = Vec::new();
    let mut rest = path.as_bytes();
    while let Some((&byte, behind)) = rest.split_first() {
        let digits = behind.get(..2).and_then(|d| std::str::from_utf8(d).ok());
        let code = digits.filter(|_| byte == b'%').and_then(|d| u8::from_str_radix(d, 16).ok());
        bytes.push(code.unwrap_or(byte));
        rest = if code.is_some() { &behind[2..] } else { behind };
    }
    OsString::from_vec(bytes).into()
}

/// The URI of an absolute path.
pub(super) fn uri(path: &Path) -> Option<Uri> {
    let mut text = "file://".to_owned();
    for &byte in path.as_os_str().as_bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            text.push(char::from(byte));
        } else {
            text += &format!("%{byte:02X}");
        }
    }
    text.parse().ok()
}

/// How a build system compiles a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Command {
    /// Where.
    pub folder: PathBuf,
    /// The arguments, without the compiler, the file and what it makes.
    pub arguments: Vec<OsString>,
}

/// What `compile_commands.json` of the nearest folder above a file, or of `build` in it, has of the file.
pub(super) fn command(file: &Path) -> Option<Command> {
    let databases = file.ancestors().skip(1).flat_map(|folder| {
        ["compile_commands.json", "build/compile_commands.json"].map(|name| folder.join(name))
    });
    let text = databases.into_iter().find_map(|name| std::fs::read_to_string(name).ok())?;
    let entries: Value = serde_json::from_str(&text).ok()?;
    entries.as_array()?.iter().find_map(|entry| {
        let folder = PathBuf::from(entry["directory"].as_str()?);
        let named = entry["file"].as_str()?;
        let is_same = folder.join(named) == file
            || folder.join(named).canonicalize().is_ok_and(|path| path == file);
        let all: Vec<OsString> = match (&entry["arguments"], &entry["command"]) {
            (Value::Array(list), _) => {
                list.iter().filter_map(Value::as_str).map(OsString::from).collect()
            }
            (_, Value::String(line)) => {
                words(line.as_bytes()).into_iter().map(OsString::from_vec).collect()
            }
            _ => return None,
        };
        is_same.then(|| Command { folder, arguments: without_files(&all, named) })
    })
}

/// The arguments without the compiler, the file and its output.
fn without_files(all: &[OsString], file: &str) -> Vec<OsString> {
    let mut kept = Vec::new();
    let mut rest = all.iter().skip(1);
    while let Some(word) = rest.next() {
        if word == "-o" {
            rest.next();
        } else if word != "-c" && word != file {
            kept.push(word.clone());
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_uris_are_each_others() {
        for name in ["/a/b.c", "/a b/ü%/c#?.c"] {
            assert_eq!(path(&uri(Path::new(name)).unwrap()), Path::new(name));
        }
        assert_eq!(path(&"file://host/a%20b.c".parse().unwrap()), Path::new("/a b.c"));
        assert_eq!(path(&"untitled:Untitled-1".parse().unwrap()), Path::new("Untitled-1"));
    }

    #[test]
    fn a_build_systems_command_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("build")).unwrap();
        let text = serde_json::json!([
            { "directory": root, "file": "a.c", "command": "cc -DX='a b' -c a.c -o a.o" },
            { "directory": root.join("build"), "file": "../b.c",
              "arguments": ["cc", "-fopenmp", "-o", "b.o", "-c", "../b.c"] },
        ]);
        std::fs::write(root.join("build/compile_commands.json"), text.to_string()).unwrap();
        std::fs::write(root.join("b.c"), "").unwrap();
        let of = |name: &str| command(&root.join(name)).map(|command| command.arguments);
        assert_eq!(of("a.c"), Some(vec!["-DX=a b".into()]));
        assert_eq!(of("b.c"), Some(vec!["-fopenmp".into()]));
        assert_eq!(of("c.c"), None);
    }
}

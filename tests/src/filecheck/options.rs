//! The command line of a check.

use gpuc_diagnostics::did_you_mean;

const FLAGS: [&str; 6] = [
    "--check-prefix",
    "--check-prefixes",
    "--implicit-check-not",
    "--strict-whitespace",
    "--match-full-lines",
    "--allow-empty",
];

/// How a file's directives are read and applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The prefixes whose directives count; `CHECK` where none is given.
    pub prefixes: Vec<String>,
    /// Patterns that must not stand anywhere between matches.
    pub implicit_nots: Vec<String>,
    /// Blanks match literally.
    pub strict_whitespace: bool,
    /// A pattern matches a whole line, blanks at its ends aside.
    pub match_full_lines: bool,
    /// Empty output is not an error by itself.
    pub allow_empty: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            prefixes: vec!["CHECK".to_owned()],
            implicit_nots: Vec::new(),
            strict_whitespace: false,
            match_full_lines: false,
            allow_empty: false,
        }
    }
}

impl Options {
    /// Reads the arguments after `FileCheck`: options, and the one file that holds the directives.
    ///
    /// # Errors
    /// A sentence on an unknown option, a malformed prefix, or a number of files other than one.
    pub fn parse(arguments: &[String]) -> Result<(Options, String), String> {
        let mut options = Options { prefixes: Vec::new(), ..Options::default() };
        let mut files = Vec::new();
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            if !argument.starts_with('-') {
                files.push(argument.clone());
                continue;
            }
            let long = format!("--{}", argument.trim_start_matches('-'));
            let (flag, inline) = match long.split_once('=') {
                Some((flag, value)) => (flag, Some(value.to_owned())),
                None => (long.as_str(), None),
            };
            let mut value = || {
                inline
                    .clone()
                    .or_else(|| rest.next().cloned())
                    .ok_or_else(|| format!("FileCheck: {flag} wants a value"))
            };
            match flag {
                "--check-prefix" | "--check-prefixes" => {
                    options.prefixes.extend(value()?.split(',').map(str::to_owned));
                }
                "--implicit-check-not" => options.implicit_nots.push(value()?),
                "--strict-whitespace" => options.strict_whitespace = true,
                "--match-full-lines" => options.match_full_lines = true,
                "--allow-empty" => options.allow_empty = true,
                _ => {
                    let hint = did_you_mean(flag, FLAGS)
                        .map_or(String::new(), |near| format!("; did you mean `{near}`?"));
                    return Err(format!("FileCheck: unknown option `{argument}`{hint}"));
                }
            }
        }
        if options.prefixes.is_empty() {
            options.prefixes.push("CHECK".to_owned());
        }
        for prefix in &options.prefixes {
            let word = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
            if !prefix.starts_with(|c: char| c.is_ascii_alphabetic()) || !prefix.chars().all(word) {
                return Err(format!("FileCheck: `{prefix}` cannot be a prefix"));
            }
        }
        match files.as_slice() {
            [file] => Ok((options, file.clone())),
            _ => Err("FileCheck: exactly one file with directives is wanted".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<(Options, String), String> {
        Options::parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn arguments_are_read() {
        let (options, file) = parse("f.mlir -check-prefixes=A,B --check-prefix C").unwrap();
        assert_eq!((options.prefixes.join(" "), file.as_str()), ("A B C".to_owned(), "f.mlir"));
        assert_eq!(parse("f").unwrap().0, Options::default());
        for (line, sentence) in [
            ("", "exactly one file"),
            ("a b", "exactly one file"),
            ("f --check-prefix", "wants a value"),
            ("f --chekc-prefix=A", "did you mean `--check-prefix`"),
            ("f --check-prefix=1A", "cannot be a prefix"),
        ] {
            let error = parse(line).unwrap_err();
            assert!(error.contains(sentence), "{line}: {error}");
        }
    }
}

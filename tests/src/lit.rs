//! Test files with their own commands:
//!
//! ```text
//! // RUN: gpuc-opt --canonicalize %s | FileCheck %s
//! // RUN: not gpuc %t.missing.c 2>&1 | FileCheck %s --check-prefix=MISSING
//! // RUN: gpuc --emit=ptx %s -o - | golden ptx
//! // REQUIRES: mlir-opt
//! ```
//!
//! Commands run in the root of the repository. `%s` is the test file as seen from there, `%S` its
//! folder, `%t` a name in a temporary folder (`%t.o`). Programs are `gpuc`, `gpuc-opt`, `cc`,
//! `mlir-opt`, `ptxas`, and what a test has put at a `%t`. Five commands are built in:
//!
//! - `FileCheck FILE` checks its input by the directives of FILE ([`crate::filecheck`]),
//! - `golden [NAME]` compares it with the file next to the test, `TEST.expected` or
//!   `TEST.NAME.expected`, and with `GPUC_BLESS=1` writes that file instead,
//! - `not COMMAND` wants COMMAND refused: a status that is neither 0 nor a crash,
//! - `env NAME=VALUE... COMMAND` runs COMMAND with these variables (`not env ...`, in that order),
//! - `cat FILE...` gives files as they are.
//!
//! A test fails when a command of a pipe fails, and also when it tests nothing: no command, no
//! check, a misspelt directive, an unused capture ([`crate::rot`]).

use std::path::{Path, PathBuf};
use std::process::Command;

use gpuc_diagnostics::{Diagnostic, Sources};

use crate::command::{self, Errors, Stage};
use crate::execution::{self, End};
use crate::filecheck::{self, CheckFile, OUTPUT, Options};
use crate::tools::Tools;
use crate::{corpus, diff, rot};

/// Set to 1, it writes expected output instead of comparing it.
pub const BLESS: &str = "GPUC_BLESS";

/// The extensions of test files.
pub const EXTENSIONS: [&str; 3] = ["mlir", "c", "ptx"];

/// A test file.
#[derive(Clone, Debug)]
pub struct TestFile {
    /// From the root of the repository, with `/`.
    pub path: String,
    text: String,
    /// The command lines, continuations joined.
    runs: Vec<String>,
    /// The tools it requires.
    pub requires: Vec<String>,
}

impl TestFile {
    /// Reads the file at `path` from the root of the repository.
    ///
    /// # Errors
    /// A sentence where it cannot be read as text, or its directives are malformed.
    pub fn read(path: &Path) -> Result<TestFile, String> {
        let text = std::fs::read_to_string(corpus::root().join(path))
            .map_err(|e| format!("{}: {e}", path.display()))?;
        Self::parse(&path.to_string_lossy(), text)
    }

    fn parse(path: &str, text: String) -> Result<TestFile, String> {
        let mut runs: Vec<String> = Vec::new();
        let mut requires = Vec::new();
        let mut continues = false;
        for line in text.lines() {
            let Some(comment) = line.find("//").map(|at| line[at + 2..].trim()) else { continue };
            if let Some(run) = comment.strip_prefix("RUN:") {
                let run = run.trim();
                let (part, more) = match run.strip_suffix('\\') {
                    Some(part) => (part.trim_end(), true),
                    None => (run, false),
                };
                match runs.last_mut().filter(|_| continues) {
                    Some(last) => {
                        last.push(' ');
                        last.push_str(part);
                    }
                    None => runs.push(part.to_owned()),
                }
                continues = more;
            } else if let Some(names) = comment.strip_prefix("REQUIRES:") {
                requires.extend(names.split(',').map(|name| name.trim().to_owned()));
            }
        }
        if continues {
            return Err(format!("{path}: the last RUN line ends in `\\`"));
        }
        if let Some(unknown) = requires.iter().find(|name| !Tools::is_outside(name)) {
            return Err(format!("{path}: REQUIRES: `{unknown}` is not a tool that may be missing"));
        }
        Ok(TestFile { path: path.to_owned(), text, runs, requires })
    }

    /// The tools it requires that are not there.
    pub fn missing(&self, tools: &Tools) -> Vec<&str> {
        self.requires.iter().map(String::as_str).filter(|n| tools.outside(n).is_none()).collect()
    }

    /// Runs the test.
    ///
    /// # Errors
    /// What to show: the command that failed, why, and the output it was judged by.
    pub fn run(&self, tools: &Tools) -> Result<(), String> {
        let temporary = tempfile::tempdir().map_err(|e| format!("no temporary folder: {e}"))?;
        let runner = Runner { test: self, tools, temporary: temporary.path() };
        let pipes = runner.pipes()?;
        runner.sound(&pipes)?;
        for (line, stages) in self.runs.iter().zip(&pipes) {
            runner.pipe(stages).map_err(|why| format!("RUN: {line}\n{why}"))?;
        }
        Ok(())
    }
}

struct Runner<'a> {
    test: &'a TestFile,
    tools: &'a Tools,
    temporary: &'a Path,
}

impl Runner<'_> {
    fn pipes(&self) -> Result<Vec<Vec<Stage>>, String> {
        let parse = |line: &String| {
            command::parse(line, |word| self.substitute(word))
                .map_err(|why| format!("RUN: {line}\n{why}"))
        };
        self.test.runs.iter().map(parse).collect()
    }

    fn temporary_name(&self) -> String {
        let stem = Path::new(&self.test.path).file_stem().unwrap_or_default().to_string_lossy();
        self.temporary.join(&*stem).to_string_lossy().into_owned()
    }

    fn substitute(&self, word: &str) -> Result<String, String> {
        let mut text = String::new();
        let mut rest = word;
        while let Some(at) = rest.find('%') {
            text.push_str(&rest[..at]);
            let folder = || self.test.path.rsplit_once('/').map_or(".", |(folder, _)| folder);
            match rest[at + 1..].chars().next() {
                Some('s') => text.push_str(&self.test.path),
                Some('S') => text.push_str(folder()),
                Some('t') => text.push_str(&self.temporary_name()),
                Some('%') => text.push('%'),
                other => {
                    let other = other.map_or(String::new(), String::from);
                    return Err(format!("`%{other}` is not known: only %s, %S, %t and %%"));
                }
            }
            rest = &rest[at + 2..];
        }
        text.push_str(rest);
        Ok(text)
    }

    /// Refuses a test that tests nothing.
    fn sound(&self, pipes: &[Vec<Stage>]) -> Result<(), String> {
        if pipes.is_empty() {
            return Err("the file has no RUN line".to_owned());
        }
        let mut checks = Vec::new();
        let mut golden = Vec::new();
        let mut verified = false;
        for stage in pipes.iter().flatten() {
            match stage.words[0].as_str() {
                "FileCheck" => {
                    let (options, file) = Options::parse(&stage.words[1..])?;
                    if file == self.test.path {
                        checks.push(options);
                    }
                    verified = true;
                }
                "golden" => golden.push(self.golden_file(&stage.words)?),
                _ => verified |= stage.words.iter().any(|w| w == "--verify-diagnostics"),
            }
        }
        if !verified && golden.is_empty() {
            return Err("no RUN line checks anything: pipe the output into FileCheck or golden, \
                        or use --verify-diagnostics"
                .to_owned());
        }
        golden.sort();
        if let Some(twice) = golden.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(format!("two RUN lines compare with {}", twice[0].display()));
        }
        let rotten = rot::find(&self.test.path, &self.test.text, &checks);
        if rotten.is_empty() {
            return Ok(());
        }
        let sources = self.sources("");
        Err(rotten.iter().map(|d| format!("{}\n", d.render(&sources, false))).collect())
    }

    fn sources(&self, output: &str) -> Sources {
        let mut sources = Sources::new();
        sources.insert(self.test.path.as_str(), self.test.text.as_str());
        sources.insert(OUTPUT, output);
        sources
    }

    fn pipe(&self, stages: &[Stage]) -> Result<(), String> {
        let mut flowing = Vec::new();
        for stage in stages {
            let input = match &stage.input {
                Some(file) => read(file)?,
                None => std::mem::take(&mut flowing),
            };
            let output = self.stage(stage, input)?;
            match &stage.output {
                Some(file) => std::fs::write(corpus::root().join(file), output)
                    .map_err(|e| format!("{file}: {e}"))?,
                None => flowing = output,
            }
        }
        Ok(())
    }

    fn stage(&self, stage: &Stage, input: Vec<u8>) -> Result<Vec<u8>, String> {
        let words = &stage.words;
        match words[0].as_str() {
            "FileCheck" => self.check(&words[1..], &input).map(|()| Vec::new()),
            "golden" => self.golden(words, &input).map(|()| Vec::new()),
            "cat" => words[1..]
                .iter()
                .map(|file| read(file))
                .collect::<Result<Vec<_>, _>>()
                .map(|files| files.concat()),
            "not" => self.program(&words[1..], stage, input, true),
            _ => self.program(words, stage, input, false),
        }
    }

    fn program(
        &self,
        words: &[String],
        stage: &Stage,
        input: Vec<u8>,
        refused: bool,
    ) -> Result<Vec<u8>, String> {
        let (variables, words) = variables(words);
        let name = words.first().ok_or("`not` and `env` want a command")?;
        let program = if Path::new(name).starts_with(self.temporary) {
            PathBuf::from(name)
        } else {
            self.tools.resolve(name)?
        };
        let mut command = Command::new(program);
        command.args(&words[1..]).current_dir(corpus::root());
        // Messages in one language and letters, temporary files out of others' way.
        command.env("LC_ALL", "C").env("TMPDIR", self.temporary).envs(variables);
        let outcome = execution::run(&mut command, input, stage.errors == Errors::Merged)?;
        let sentence = match (outcome.end(), refused) {
            (End::Success, false) | (End::Refused(_), true) => None,
            (End::Success, true) => Some("succeeded, but is meant to fail".to_owned()),
            (End::Refused(code), false) => Some(format!("failed with status {code}")),
            (End::Crashed(how), _) => Some(how),
        };
        if let Some(sentence) = sentence {
            return Err(format!(
                "`{}` {sentence}; it printed\n{}",
                words.join(" "),
                outcome.tail()
            ));
        }
        if let Errors::File(file) = &stage.errors {
            std::fs::write(corpus::root().join(file), &outcome.errors)
                .map_err(|e| format!("{file}: {e}"))?;
        }
        Ok(outcome.output)
    }

    fn check(&self, arguments: &[String], input: &[u8]) -> Result<(), String> {
        let (options, file) = Options::parse(arguments)?;
        let output = String::from_utf8_lossy(input);
        let render =
            |diagnostic: &Diagnostic, output: &str| diagnostic.render(&self.sources(output), false);
        let text = String::from_utf8_lossy(&read(&file)?).into_owned();
        let parsed = CheckFile::parse(&file, &text, &options)
            .map_err(|diagnostic| render(&diagnostic, ""))?;
        filecheck::check(&parsed, &output, &options)
            .map_err(|failure| render(&failure.diagnostic, &failure.output))
    }

    fn golden_file(&self, words: &[String]) -> Result<PathBuf, String> {
        let path = &self.test.path;
        match &words[1..] {
            [] => Ok(PathBuf::from(format!("{path}.expected"))),
            [name] if name.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c)) => {
                Ok(PathBuf::from(format!("{path}.{name}.expected")))
            }
            _ => Err("golden takes at most one name".to_owned()),
        }
    }

    fn golden(&self, words: &[String], input: &[u8]) -> Result<(), String> {
        let file = self.golden_file(words)?;
        let actual = String::from_utf8_lossy(input).replace(&self.temporary_name(), "%t");
        let path = corpus::root().join(&file);
        if std::env::var_os(BLESS).is_some_and(|v| v == "1") {
            return std::fs::write(&path, actual).map_err(|e| format!("{}: {e}", file.display()));
        }
        let expected = std::fs::read_to_string(&path)
            .map_err(|e| format!("{}: {e}; `cargo xtask bless` writes it", file.display()))?;
        let difference = diff::lines(&expected, &actual);
        if difference.is_empty() {
            return Ok(());
        }
        Err(format!(
            "the output differs from {} (`cargo xtask bless` takes it over):\n{difference}",
            file.display()
        ))
    }
}

/// The variables of `env NAME=VALUE... COMMAND`, and the command.
fn variables(words: &[String]) -> (Vec<(&str, &str)>, &[String]) {
    match words.split_first() {
        Some((first, rest)) if first == "env" => {
            let settings: Vec<_> = rest.iter().map_while(|word| word.split_once('=')).collect();
            let command = &rest[settings.len()..];
            (settings, command)
        }
        _ => (Vec::new(), words),
    }
}

fn read(file: &str) -> Result<Vec<u8>, String> {
    std::fs::read(corpus::root().join(file)).map_err(|e| format!("{file}: {e}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(text: &str) -> Result<(), String> {
        let test = TestFile::parse("tests/src/lib.rs", text.to_owned())?;
        test.run(&Tools::find())
    }

    #[test]
    fn commands_and_checks_work_together() {
        let test = TestFile::read(Path::new("tests/lit/engine/commands.c")).unwrap();
        assert_eq!(test.run(&Tools::find()), Ok(()));
    }

    #[test]
    fn failures_say_why() {
        for (text, sentence) in [
            ("", "no RUN line"),
            ("// RUN: cat %s", "checks anything"),
            ("// RUN: cat %s | golden", "lib.rs.expected"),
            ("// RUN: rm %s | golden", "`rm` is not a command"),
            ("// RUN: cat %q | golden", "`%q` is not known"),
            ("// RUN: not cc --version | golden", "succeeded, but is meant to fail"),
            ("// RUN: cc %t.missing.c | golden", "failed with status 1"),
            ("// RUN: not env A=b | golden", "want a command"),
            ("// RUN: env PATH=none cc --version | golden", "cannot run `cc`"),
            ("// RUN: cat a | golden\n// RUN: cat b | golden", "two RUN lines compare"),
            ("// RUN: cat %s \\", "ends in `\\`"),
            ("// RUN: cat %s | FileCheck %s\n// CHEKC: a", "did you mean `CHECK:`"),
            ("// REQUIRES: rm", "not a tool that may be missing"),
        ] {
            let error = run(text).unwrap_err();
            assert!(error.contains(sentence), "{text}: {error}");
        }
    }

    #[test]
    fn continued_lines_are_joined() {
        let test = TestFile::parse("f", "// RUN: a \\\n// RUN:   b\n// RUN: c".to_owned()).unwrap();
        assert_eq!(test.runs, ["a b", "c"]);
    }
}

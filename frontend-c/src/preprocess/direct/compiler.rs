//! What a compiler alone knows of preprocessing, asked once for each set of options and kept beside the user's other
//! caches: the macros that it begins with, where it looks for headers, and which attributes it has.
//!
//! An answer is good as long as the two programs it comes from, the compiler's driver and its `cc1`, are the files that
//! they were, and no folder has appeared where there was none. A command that is not the driver itself, a wrapper,
//! say, is not asked: what it runs may change without it.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::io::Write as _;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use gpuc_cache::{Cache, Key};

use super::super::{Options, command};
use super::token::{Origin, computed};
use super::{Answer, Leave};

/// A folder of headers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Folder {
    pub path: String,
    /// Whose its files are.
    pub origin: Origin,
}

/// Whose files are, by their name in what is kept.
const ORIGINS: [(&str, Origin); 3] =
    [("user", Origin::User), ("told", Origin::Told), ("system", Origin::System)];

/// What a compiler has answered.
#[derive(Debug, Default)]
pub(super) struct Compiler {
    /// The text ahead of a source's first line, in which [`NAME`] stands for its name.
    ahead: Vec<u8>,
    /// Those for names in quotes only come first.
    pub folders: Vec<Folder>,
    /// How many these are.
    pub quoted: usize,
    /// The standard is C's own, without GNU's extensions.
    pub is_strict: bool,
    /// Folders that are not there.
    absent: Vec<String>,
    /// The files of the compiler, with [`stamp`].
    programs: Vec<(String, String)>,
    /// Macros that it computes.
    computed: Vec<String>,
    /// By the question and the name it is about.
    answers: BTreeMap<(String, String), i64>,
    /// How to ask for more.
    question: Question,
    /// Where this is kept, and under what.
    kept: Option<(Cache, Key)>,
    is_new: bool,
}

/// The command that answers.
#[derive(Debug, Default)]
struct Question {
    words: Vec<OsString>,
}

/// The name of a source that is standard input.
const NAME: &[u8] = b"\"<stdin>\"";

/// Variables that change what the compiler reads.
const SEARCHED: [&str; 6] = [
    "CPATH",
    "C_INCLUDE_PATH",
    "GCC_EXEC_PREFIX",
    "COMPILER_PATH",
    "DEPENDENCIES_OUTPUT",
    "SUNPRO_DEPENDENCIES",
];

/// Options that leave preprocessing as it is, or change only what the compiler answers.
const KNOWN: [&str; 8] = ["-D", "-U", "-O", "-f", "-m", "-W", "-g", "-std="];

/// Those of them that do not: other texts, other characters, and warnings of what is silent otherwise.
const REFUSED: [&str; 24] = [
    "-fdirectives-only",
    "-fpreprocessed",
    "-finput-charset",
    "-fexec-charset",
    "-fwide-exec-charset",
    "-fmacro-prefix-map",
    "-ffile-prefix-map",
    "-fdebug-cpp",
    "-fplugin",
    "-ftrack-macro-expansion",
    "-fworking-directory",
    "-fextended-identifiers",
    "-fcanonical-system-headers",
    "-ftabstop",
    "-Wp,",
    "-Wundef",
    "-Wunused-macros",
    "-Wtraditional",
    "-Wdate-time",
    "-Wsystem-headers",
    "-Wc90-c99-compat",
    "-Wc99-c11-compat",
    "-Wpedantic",
    "-Wbidi",
];

impl Compiler {
    /// What the compiler of `options` has answered, or does now; `None` where it has to preprocess itself.
    pub fn of(options: &Options) -> Option<Compiler> {
        if SEARCHED.iter().any(|name| std::env::var_os(name).is_some()) {
            return None;
        }
        let folders = told_folders(&options.args)?;
        let [program] = &options.cc[..] else { return None };
        let driver = find_program(program)?;
        let mut words = vec![driver.clone().into_os_string()];
        words.extend(command(options).get_args().map(OsStr::to_owned));
        let mut parts: Vec<Vec<u8>> = Vec::new();
        for word in &words {
            parts.push(word.to_str()?.into());
        }
        let relative = folders.iter().any(|folder| !folder.path.starts_with('/'));
        let has_debug = options.args.iter().any(|word| word.as_encoded_bytes().starts_with(b"-g"));
        if relative || has_debug {
            let folder = std::env::current_dir().ok()?;
            parts.extend([b"in".into(), folder.to_str()?.into()]);
        }
        if parts.iter().any(|part| part.contains(&b'\n')) {
            return None;
        }
        let key = Key::of(parts.iter().map(Vec::as_slice));
        let kept = options.answers.clone().map(|cache| (cache, key));
        let question = Question { words };
        let known = kept.as_ref().and_then(|(cache, key)| Compiler::read(&cache.get(*key)?));
        let mut compiler = match known {
            Some(compiler) => compiler,
            None => Compiler::ask(&question, &driver, &folders)?,
        };
        let standard =
            options.args.iter().rev().find_map(|word| word.to_str()?.strip_prefix("-std="));
        compiler.is_strict = standard.is_some_and(|name| !name.starts_with("gnu"));
        (compiler.question, compiler.kept) = (question, kept);
        Some(compiler)
    }

    /// The text ahead of the first line of a source.
    pub fn ahead(&self, name: &str) -> Vec<u8> {
        let name = super::printer::quoted_name(name);
        let mut out = Vec::with_capacity(self.ahead.len() + 256);
        let mut rest = &self.ahead[..];
        while let Some(at) = rest.windows(NAME.len()).position(|window| window == NAME) {
            out.extend_from_slice(&rest[..at]);
            out.extend_from_slice(&name);
            rest = &rest[at + NAME.len()..];
        }
        out.extend_from_slice(rest);
        out
    }

    /// Whether it has a macro that it computes.
    pub fn has(&self, name: &[u8]) -> bool {
        self.computed.iter().any(|known| known.as_bytes() == name)
    }

    /// `question(name)`, as `#if` has it. What is not known is asked together with all that `text` asks in this way:
    /// a system has one header with most of it.
    pub fn answer(&mut self, question: &[u8], name: &[u8], text: &[u8]) -> Answer<i64> {
        let word = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).map_err(|_| Leave);
        let asked = (word(question)?, word(name)?);
        if !self.answers.contains_key(&asked) {
            let mut questions = questions_of(text);
            if !questions.contains(&asked) {
                questions.push(asked.clone());
            }
            questions.retain(|(kind, _)| self.has(kind.as_bytes()));
            questions.retain(|question| !self.answers.contains_key(question));
            let answers = self.question.ask_all(&questions).ok_or(Leave)?;
            self.answers.extend(answers);
            self.is_new = true;
        }
        self.answers.get(&asked).copied().ok_or(Leave)
    }

    fn ask(question: &Question, driver: &Path, told: &[Folder]) -> Option<Compiler> {
        const BEHIND: &str = "gpuc_behind";
        let mut text = format!("{BEHIND}\n");
        for name in computed() {
            let _ = write!(text, "#ifdef {name}\n\"{name}\"\n#endif\n");
        }
        let (output, messages) = question.ask(&["-v"], &text)?;
        // A wrapper runs another driver.
        let collect = messages.lines().find_map(|line| line.strip_prefix("COLLECT_GCC="))?;
        if find_program(OsStr::new(collect))? != driver {
            return None;
        }
        let cc1 = messages
            .lines()
            .find_map(|line| line.strip_prefix(' ')?.split_once(" -E ").map(|(path, _)| path))
            .filter(|path| path.ends_with("/cc1"))?;
        let marker = b"# 1 \"<stdin>\"\n";
        let end = output.windows(marker.len()).rposition(|window| window == marker)?;
        let mut compiler = Compiler {
            ahead: compact(&output[..end + marker.len()]),
            programs: vec![
                (driver.to_str()?.to_owned(), stamp(driver)?),
                (cc1.to_owned(), stamp(Path::new(cc1))?),
            ],
            is_new: true,
            ..Compiler::default()
        };
        let behind = String::from_utf8_lossy(&output[end..]).into_owned();
        compiler.computed = computed()
            .filter(|name| behind.contains(&format!("\"{name}\"")))
            .map(str::to_owned)
            .collect();
        let mut in_list = false;
        for line in messages.lines() {
            if line.starts_with("#include ") {
                in_list = true;
                if line.starts_with("#include <") {
                    compiler.quoted = compiler.folders.len();
                }
            } else if line.starts_with("End of search list") {
                in_list = false;
            } else if let Some(path) = line.strip_prefix(' ').filter(|_| in_list) {
                let known = told.iter().find(|folder| folder.path == path);
                let origin = known.map_or(Origin::System, |folder| folder.origin);
                compiler.folders.push(Folder { path: path.to_owned(), origin });
            } else if let Some(path) = line.strip_prefix("ignoring nonexistent directory \"") {
                compiler.absent.push(path.trim_end_matches('"').to_owned());
            }
        }
        Some(compiler)
    }

    /// What is kept, if it is still good.
    fn read(bytes: &[u8]) -> Option<Compiler> {
        let end = bytes.windows(2).position(|window| window == b"\n\n")?;
        let lines = std::str::from_utf8(&bytes[..end]).ok()?.lines();
        let mut compiler = Compiler { ahead: bytes[end + 2..].to_vec(), ..Compiler::default() };
        for line in lines {
            let (kind, rest) = line.split_once(' ')?;
            match kind {
                "program" => {
                    let (stamp, path) = rest.split_once(' ')?;
                    compiler.programs.push((path.to_owned(), stamp.to_owned()));
                }
                "absent" => compiler.absent.push(rest.to_owned()),
                "computed" => compiler.computed.push(rest.to_owned()),
                "quoted" => compiler.quoted = rest.parse().ok()?,
                "folder" => {
                    let (name, path) = rest.split_once(' ')?;
                    let origin = ORIGINS.iter().find(|(known, _)| *known == name)?.1;
                    compiler.folders.push(Folder { path: path.to_owned(), origin });
                }
                "answer" => {
                    let mut words = rest.splitn(3, ' ');
                    let (value, question, name) = (words.next()?, words.next()?, words.next()?);
                    let asked = (question.to_owned(), name.to_owned());
                    compiler.answers.insert(asked, value.parse().ok()?);
                }
                _ => return None,
            }
        }
        let same = compiler.programs.len() == 2
            && compiler
                .programs
                .iter()
                .all(|(path, known)| stamp(Path::new(path)).is_some_and(|stamp| stamp == *known));
        let appeared = compiler.absent.iter().any(|path| Path::new(path).exists());
        (same && !appeared).then_some(compiler)
    }

    /// Words that are others where anything that headers depend on is: the command, the files of the compiler, the folders.
    pub fn identity(&self) -> String {
        let Compiler { question, programs, folders, quoted, computed, .. } = self;
        format!("{:?} {programs:?} {folders:?} {quoted} {computed:?}", question.words)
    }

    /// The text ahead of any source, in which a name that is none stands for its own.
    pub fn ahead_of_all(&self) -> &[u8] {
        &self.ahead
    }

    /// Keeps what is new. Where it cannot be kept it is asked for again.
    pub fn keep(&self) {
        let Some((cache, key)) = self.kept.as_ref().filter(|_| self.is_new) else { return };
        let mut text = String::new();
        for (path, stamp) in &self.programs {
            let _ = writeln!(text, "program {stamp} {path}");
        }
        for path in &self.absent {
            let _ = writeln!(text, "absent {path}");
        }
        for name in &self.computed {
            let _ = writeln!(text, "computed {name}");
        }
        let _ = writeln!(text, "quoted {}", self.quoted);
        for Folder { path, origin } in &self.folders {
            let known = ORIGINS.iter().find(|(_, known)| known == origin);
            let name = known.map_or("user", |found| found.0);
            let _ = writeln!(text, "folder {name} {path}");
        }
        for ((question, name), value) in &self.answers {
            let _ = writeln!(text, "answer {value} {question} {name}");
        }
        text.push('\n');
        let mut bytes = text.into_bytes();
        bytes.extend_from_slice(&self.ahead);
        let _ = cache.put(*key, &bytes);
    }
}

impl Question {
    /// What the compiler makes of a text, and what it says.
    fn ask(&self, flags: &[&str], text: &str) -> Option<(Vec<u8>, String)> {
        let (program, first) = self.words.split_first()?;
        let mut child = Command::new(program)
            .args(first)
            .args(flags)
            .arg("-")
            .env("LC_ALL", "C")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .ok()?;
        // Less than a pipe holds: the compiler need not read before it is read from.
        child.stdin.take()?.write_all(text.as_bytes()).ok()?;
        let output = child.wait_with_output().ok()?;
        let messages = String::from_utf8(output.stderr).ok()?;
        output.status.success().then_some((output.stdout, messages))
    }

    fn ask_all(&self, questions: &[(String, String)]) -> Option<BTreeMap<(String, String), i64>> {
        // Bit for bit: a standard's attribute has the standard's date.
        let mut text = String::new();
        for (number, (question, name)) in questions.iter().enumerate() {
            for bit in 0..DATE_BITS {
                let _ =
                    write!(text, "#if {question}({name})>>{bit}&1\n\"{number} {bit}\"\n#endif\n");
            }
        }
        // More than a pipe holds might wait for each other.
        if text.len() > 60_000 {
            return None;
        }
        let (output, _) = self.ask(&["-P"], &text)?;
        let mut answers: BTreeMap<_, i64> =
            questions.iter().map(|question| (question.clone(), 0)).collect();
        for line in String::from_utf8_lossy(&output).lines() {
            let Some(line) = line.strip_prefix('"').and_then(|line| line.strip_suffix('"')) else {
                continue;
            };
            let (number, bit) = line.split_once(' ')?;
            let question = questions.get(number.parse::<usize>().ok()?)?;
            *answers.get_mut(question)? |= 1 << bit.parse::<u32>().ok()?;
        }
        Some(answers)
    }
}

/// How many bits a date like 202311 has.
const DATE_BITS: u32 = 20;

/// The folders that options name; `None` where an option may change what is preprocessed here.
fn told_folders(options: &[OsString]) -> Option<Vec<Folder>> {
    let mut folders = Vec::new();
    let mut words = options.iter();
    while let Some(word) = words.next() {
        let word = word.to_str()?;
        let known = [
            ("-iquote", Origin::User),
            ("-isystem", Origin::Told),
            ("-idirafter", Origin::Told),
            ("-I", Origin::User),
        ];
        if let Some((option, origin)) =
            known.into_iter().find(|(option, _)| word.starts_with(option))
        {
            let path = match &word[option.len()..] {
                "" => words.next()?.to_str()?,
                attached => attached,
            };
            if path == "-" || path.starts_with('=') || path.contains('\n') {
                return None;
            }
            folders.push(Folder { path: path.to_owned(), origin });
            continue;
        }
        // A warning that is to be an error is turned on by that.
        let as_warning = word.strip_prefix("-Werror=").map(|name| format!("-W{name}"));
        let shown = as_warning.as_deref().unwrap_or(word);
        let is_fine = matches!(word, "-pthread" | "-w" | "-pipe")
            || (KNOWN.iter().any(|known| word.starts_with(known))
                && !REFUSED.iter().any(|refused| shown.starts_with(refused)));
        let old = ["-std=c89", "-std=c90", "-std=iso", "-std=gnu89", "-std=gnu90"];
        if !is_fine || old.iter().any(|standard| word.starts_with(standard)) {
            return None;
        }
        if word == "-D" || word == "-U" {
            words.next()?;
        }
    }
    Some(folders)
}

/// The file that a command runs.
fn find_program(name: &OsStr) -> Option<PathBuf> {
    let found = if name.as_encoded_bytes().contains(&b'/') {
        PathBuf::from(name)
    } else {
        let path = std::env::var_os("PATH")?;
        std::env::split_paths(&path).map(|folder| folder.join(name)).find(|path| path.is_file())?
    };
    found.canonicalize().ok()
}

/// By what a file is known to be the same.
fn stamp(path: &Path) -> Option<String> {
    let metadata = std::fs::metadata(path).ok()?;
    let (seconds, rest) = (metadata.mtime(), metadata.mtime_nsec());
    Some(format!("{}-{}-{seconds}.{rest:09}", metadata.ino(), metadata.len()))
}

/// The text ahead of a source without what it says again and again: one marker for each stretch of a file.
fn compact(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut last: &[u8] = b"";
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        if line.starts_with(b"# ") {
            if line == last && line.starts_with(b"# 0 ") {
                continue;
            }
            last = line;
        }
        if line != b"\n" {
            out.extend_from_slice(line);
        }
    }
    out
}

/// What a text asks of attributes and builtins, by the words of its macros for that: those that end so.
fn questions_of(text: &[u8]) -> Vec<(String, String)> {
    let mut questions = Vec::new();
    for (word, question) in [("_attribute", "__has_attribute"), ("_builtin", "__has_builtin")] {
        let word = word.as_bytes();
        for at in 0..text.len().saturating_sub(word.len()) {
            if !text[at..].starts_with(word) {
                continue;
            }
            let rest = text[at + word.len()..].trim_ascii_start();
            let Some(rest) = rest.strip_prefix(b"(") else { continue };
            let rest = rest.trim_ascii_start();
            let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
            let length = rest.iter().position(|byte| !is_word(byte)).unwrap_or(0);
            let name = String::from_utf8_lossy(&rest[..length]).into_owned();
            if length > 0 && rest[length..].trim_ascii_start().starts_with(b")") {
                questions.push((question.to_owned(), name));
            }
        }
    }
    questions.sort();
    questions.dedup();
    questions
}

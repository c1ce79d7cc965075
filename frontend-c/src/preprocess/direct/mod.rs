//! Preprocessing without a process of the compiler's: its start alone costs more than all the rest of a small file.
//!
//! The text is the one that GCC writes, byte for byte from the source's first line on: `tests` compares them. What the
//! compiler alone knows, its own macros, the folders of headers and which attributes it has, it is asked once
//! ([`compiler`]). Whatever it would say something about (a warning, an error), and whatever is seldom enough not to be
//! here, is left to it: every function ends in [`Leave`] then, and `cc -E` does it all.
//!
//! | module | holds |
//! |---|---|
//! | [`compiler`] | what the compiler has answered, and where that is kept |
//! | [`token`], [`lexer`] | preprocessing tokens, and how they come from bytes |
//! | [`macros`] | definitions and expansion |
//! | [`condition`] | the expressions of `#if` |
//! | [`printer`] | the text that comes out |
//! | [`search`] | headers: where they are, and that they are read |
//! | [`files`] | the bytes of files, and which are the same |
//! | [`dependencies`] | what `-MD` writes |
//! | [`headers`] | what the headers at the head of a source come to, kept and without what nothing needs |

mod compiler;
mod condition;
mod dependencies;
mod files;
mod headers;
mod lexer;
mod macros;
mod printer;
mod search;
#[cfg(test)]
mod tests;
mod token;

use std::path::Path;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Options;
use compiler::Compiler;
use dependencies::{Included, Wanted};
use files::{FileId, Files, Start, read};
use headers::Headers;
use lexer::{Lexer, Text};
use macros::{Context, Macro};
use printer::Printer;
use token::{
    ACC, BLANK, CLOSE, DEFINED, FIRST, HASH, Kind, OPEN, Origin, Spelling, Spellings, Token,
};

/// The compiler has to do it.
#[derive(Debug)]
struct Leave;

type Answer<T> = Result<T, Leave>;

/// The number of a text that is no file.
const NO_FILE: FileId = FileId::MAX;

/// Headers in headers; the compiler has its own limit, and an error.
const DEEPEST: usize = 150;

/// Directives in whose clauses GCC expands macros (`c-family/c-pragma.cc`); in others nobody does.
const EXPANDED: [&[u8]; 14] = [
    b"atomic",
    b"cache",
    b"data",
    b"declare",
    b"enter",
    b"exit",
    b"host_data",
    b"kernels",
    b"loop",
    b"parallel",
    b"routine",
    b"serial",
    b"update",
    b"wait",
];

/// Other pragmas that GCC leaves as they are.
const UNTOUCHED: [&[u8]; 8] =
    [b"pack", b"weak", b"STDC", b"hmpp", b"hmppcg", b"ident", b"clang", b"jolokia"];

/// Pragmas of GCC's that are not the preprocessor's.
const OF_GCC: [&[u8]; 7] = [
    b"visibility",
    b"diagnostic",
    b"optimize",
    b"target",
    b"push_options",
    b"pop_options",
    b"ivdep",
];

/// The preprocessed text of a file, whose dependencies are written on the way; `None` where the compiler has to do it.
pub(super) fn preprocess(options: &Options) -> Option<Vec<u8>> {
    let wanted = match &*options.dependencies {
        [] => None,
        flags => Some(Wanted::of(flags)?),
    };
    let mut compiler = Compiler::of(options)?;
    let result = Preprocessor::new(&mut compiler, options.file.to_str()?)
        .and_then(|preprocessor| preprocessor.run(options));
    compiler.keep();
    let (text, files) = result.ok()?;
    if let Some(wanted) = wanted {
        wanted.write(&files)?;
    }
    Some(text)
}

/// A file that is being read.
#[derive(Debug)]
struct File {
    name: Rc<str>,
    id: FileId,
    lexer: Lexer,
    found_in: FoundIn,
    conditions: Vec<Condition>,
    guard: Guard,
}

/// Where a file was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FoundIn {
    /// By a path from the root, or it is the source.
    Named,
    /// Beside the file that includes it.
    Beside,
    /// In a folder of the list.
    Folder(usize),
}

/// An `#if` and what belongs to it.
#[derive(Debug)]
struct Condition {
    /// One of its groups has been read.
    is_done: bool,
    /// Its group is not read.
    skips: bool,
    /// All around it is not.
    is_skipped: bool,
    has_else: bool,
    guards: bool,
}

/// Whether all of a file stands in an `#ifndef`, so that it need not be read again.
#[derive(Debug, PartialEq)]
enum Guard {
    /// Nothing has been read.
    Open,
    /// Within it.
    Inside(Spelling),
    /// Behind it.
    Behind(Spelling),
    /// There is none.
    None,
}

#[derive(Debug)]
struct Preprocessor<'a> {
    compiler: &'a mut Compiler,
    spellings: Spellings,
    /// By spelling.
    macros: Vec<Option<Rc<Macro>>>,
    printer: Printer,
    files: Vec<File>,
    texts: FxHashMap<Rc<str>, Option<Rc<Text>>>,
    /// Whether there are folders of a name in those of the list.
    inner_folders: FxHashMap<Box<str>, FxHashMap<usize, bool>>,
    found: Files,
    once: FxHashSet<Rc<str>>,
    /// Headers that the compiler reads ahead of the source, and whether each is of the system's.
    read_ahead: Vec<(String, bool)>,
    contexts: Vec<Context>,
    /// A token that was looked at.
    ahead: Option<Token>,
    ahead_in_condition: Option<Token>,
    /// Where the outermost macro that is being expanded stands in the file.
    invocation: (u32, u32),
    counter: u32,
    /// The source's name has been asked for.
    names_source: bool,
    in_directive: bool,
    in_condition: bool,
    in_pragma: bool,
    looks_for_arguments: bool,
    reads_arguments: bool,
    /// Macros are not expanded.
    unexpanding: u32,
    /// A strict standard, by `-std=`.
    is_strict: bool,
    /// The end of a header that the source includes is one of what is read.
    stops_behind_header: bool,
    /// Headers that have been read in another compilation.
    headers: Option<Rc<Headers>>,
    /// How many spellings have the macros that they are in these headers.
    resolved: usize,
    /// Something went wrong that can be said later only.
    is_broken: bool,
    /// The files that were read, and those that were not there.
    reads: Vec<headers::Read>,
    absent: Vec<String>,
}

impl<'a> Preprocessor<'a> {
    fn new(compiler: &'a mut Compiler, name: &str) -> Answer<Preprocessor<'a>> {
        let ahead = compiler.ahead(name);
        let mut preprocessor = Preprocessor {
            printer: Printer::new(&ahead, name),
            is_strict: compiler.is_strict,
            compiler,
            spellings: Spellings::new(),
            macros: Vec::new(),
            files: Vec::new(),
            texts: FxHashMap::default(),
            inner_folders: FxHashMap::default(),
            found: Files::default(),
            once: FxHashSet::default(),
            read_ahead: Vec::new(),
            contexts: Vec::new(),
            ahead: None,
            ahead_in_condition: None,
            invocation: (0, 0),
            counter: 0,
            names_source: false,
            in_directive: false,
            in_condition: false,
            in_pragma: false,
            looks_for_arguments: false,
            reads_arguments: false,
            unexpanding: 0,
            stops_behind_header: false,
            headers: None,
            resolved: 0,
            is_broken: false,
            reads: Vec::new(),
            absent: Vec::new(),
        };
        preprocessor.define_ahead(&ahead)?;
        Ok(preprocessor)
    }

    /// Takes the definitions that the compiler begins with.
    fn define_ahead(&mut self, ahead: &[u8]) -> Answer<()> {
        let text = Rc::new(Text { bytes: ahead.to_vec(), joints: Vec::new() });
        self.open("".into(), NO_FILE, Lexer::new(text, Origin::User), FoundIn::Named);
        while self.lexer().skip_to_directive()? {
            self.in_directive = true;
            let word = self.directive_token()?;
            match self.spellings.text(word.spelling) {
                b"define" => {
                    let (name, new) = self.read_definition()?;
                    self.define(name, new)?;
                }
                b"undef" => {
                    let name = self.directive_token()?;
                    self.undefine(name.spelling);
                }
                _ => {
                    let file = self.directive_token()?;
                    let name = self.spellings.text(file.spelling).to_vec();
                    let flag = self.directive_token()?;
                    let system = self.directive_token()?;
                    let is_system = system.kind == Kind::Number
                        || flag.kind == Kind::Number && self.spellings.text(flag.spelling) == b"3";
                    if flag.kind == Kind::Number && self.spellings.text(flag.spelling) == b"1" {
                        let name = String::from_utf8_lossy(&name);
                        self.read_ahead.push((name.trim_matches('"').to_owned(), is_system));
                    }
                    self.lexer().origin = match &*name {
                        b"\"<built-in>\"" => Origin::BuiltIn,
                        _ if is_system => Origin::System,
                        _ => Origin::User,
                    };
                }
            }
            self.in_directive = false;
            self.lexer().finish_line()?;
        }
        self.files.clear();
        Ok(())
    }

    /// The text, and the files that it was made of, in order.
    fn run(mut self, options: &Options) -> Answer<(Vec<u8>, Vec<Included>)> {
        let bytes = match &options.buffer {
            Some(buffer) => buffer.to_vec(),
            None => read(&options.file).ok_or(Leave)?.0,
        };
        let text = Rc::new(Text::new(bytes, Origin::User)?);
        let name = options.file.to_str().ok_or(Leave)?;
        let source = self.found.add(name.into(), FoundIn::Named);
        self.found.found.insert((Start::Named, name.into()), source);
        self.open(name.into(), source, Lexer::new(text, Origin::User), FoundIn::Named);
        let own = self.printer.out.len();
        let headers = match options.only_needed {
            true => self.leading_headers(options)?,
            false => None,
        };
        loop {
            let token = self.expanded()?;
            if token.kind == Kind::End {
                break;
            }
            self.printer.token(&token, &self.spellings);
        }
        self.printer.finish();
        if self.is_broken {
            return Err(Leave);
        }
        let mut out = self.printer.out;
        if let Some(headers) = headers {
            let own = out.split_off(own);
            headers.needed(&own, &mut out);
            out.extend_from_slice(&own);
        }
        let ahead =
            self.read_ahead.iter().map(|(name, is_system)| (name.as_str().into(), *is_system));
        let mut files = vec![(name.into(), false)];
        files.extend(ahead);
        let Files { known, included, .. } = self.found;
        let included = included.into_iter().filter(|&(file, _)| file != source);
        files.extend(
            included.map(|(file, is_system)| (known[file as usize].path.clone(), is_system)),
        );
        Ok((out, files))
    }

    fn open(&mut self, name: Rc<str>, id: FileId, lexer: Lexer, found_in: FoundIn) {
        let conditions = Vec::new();
        let mut lexer = lexer;
        lexer.has_raw = !self.is_strict;
        self.files.push(File { name, id, lexer, found_in, conditions, guard: Guard::Open });
    }

    fn file(&mut self) -> &mut File {
        let last = self.files.len() - 1;
        &mut self.files[last]
    }

    fn lexer(&mut self) -> &mut Lexer {
        &mut self.file().lexer
    }

    /// The next token of a directive's line, as it stands there.
    fn directive_token(&mut self) -> Answer<Token> {
        let Preprocessor { files, spellings, .. } = self;
        files.last_mut().ok_or(Leave)?.lexer.token(spellings, true)
    }

    /// The next token of the files; directives are carried out on the way.
    fn lex(&mut self) -> Answer<Token> {
        if self.in_directive || self.in_pragma {
            return match self.ahead.take() {
                Some(token) => Ok(token),
                None => self.directive_token(),
            };
        }
        loop {
            let mut token = match self.ahead.take() {
                Some(token) => token,
                None => {
                    let Preprocessor { files, spellings, .. } = self;
                    files.last_mut().ok_or(Leave)?.lexer.token(spellings, false)?
                }
            };
            if token.kind == Kind::End {
                if self.files.len() == 1 {
                    if !self.file().conditions.is_empty() {
                        return Err(Leave);
                    }
                    return Ok(token);
                }
                // Arguments may follow in the file that includes this one.
                if self.looks_for_arguments || self.reads_arguments {
                    return Err(Leave);
                }
                self.close()?;
                if self.stops_behind_header && self.files.len() == 1 {
                    return Ok(token);
                }
                continue;
            }
            if token.has(FIRST) {
                if token.is(HASH) && !self.looks_for_arguments {
                    if self.reads_arguments {
                        return Err(Leave);
                    }
                    self.directive(token.line)?;
                    continue;
                }
                if self.reads_arguments {
                    token.flags |= BLANK;
                } else if !self.looks_for_arguments {
                    self.printer.go_to_token(&token);
                }
            }
            let file = self.file();
            if file.guard == Guard::Open || matches!(file.guard, Guard::Behind(_)) {
                file.guard = Guard::None;
            }
            return Ok(token);
        }
    }

    /// Goes back to the file that includes the one that ends.
    fn close(&mut self) -> Answer<()> {
        let Some(file) = self.files.pop() else { return Err(Leave) };
        if !file.conditions.is_empty() {
            return Err(Leave);
        }
        if let (Guard::Behind(name), Some(known)) =
            (file.guard, self.found.known.get_mut(file.id as usize))
        {
            known.guard = Some(name);
        }
        let File { name, lexer, .. } = self.files.last().ok_or(Leave)?;
        self.printer.set_file(name, lexer.origin);
        self.printer.mark(lexer.line, " 2");
        Ok(())
    }

    /// A directive whose `#`, on `line`, is read, and those of the groups that are skipped by it.
    fn directive(&mut self, line: u32) -> Answer<()> {
        let mut line = line;
        loop {
            self.in_directive = true;
            let done = self.one_directive(line);
            self.in_directive = false;
            done?;
            if !self.file().conditions.last().is_some_and(|condition| condition.skips) {
                return Ok(());
            }
            if !self.lexer().skip_to_directive()? {
                return Err(Leave);
            }
            line = self.lexer().line;
        }
    }

    fn one_directive(&mut self, line: u32) -> Answer<()> {
        let word = self.directive_token()?;
        let skips = self.file().conditions.last().is_some_and(|condition| condition.skips);
        if word.kind == Kind::End {
            self.breaks_guard();
            return self.lexer().finish_line();
        }
        let is_user = self.file().lexer.origin == Origin::User;
        let name = self.spellings.text(word.spelling).to_vec();
        match &*name {
            b"if" | b"ifdef" | b"ifndef" => {
                let mut condition = Condition {
                    is_done: false,
                    skips,
                    is_skipped: skips,
                    has_else: false,
                    guards: false,
                };
                if !skips {
                    let guard = self.guard_of(&name)?;
                    let truth = match &*name {
                        b"if" => self.condition()?,
                        _ => {
                            let name_token = self.directive_token()?;
                            let end = self.directive_token()?;
                            if name_token.kind != Kind::Name || end.kind != Kind::End {
                                return Err(Leave);
                            }
                            self.is_defined(name_token.spelling) == (&*name == b"ifdef")
                        }
                    };
                    match guard.filter(|_| self.file().guard == Guard::Open) {
                        Some(guard) => {
                            condition.guards = true;
                            self.file().guard = Guard::Inside(guard);
                        }
                        None => self.breaks_guard(),
                    }
                    condition.is_done = truth;
                    condition.skips = !truth;
                }
                self.file().conditions.push(condition);
            }
            b"elif" | b"else" => {
                let is_else = &*name == b"else";
                let condition = self.file().conditions.last_mut().ok_or(Leave)?;
                if condition.has_else {
                    return Err(Leave);
                }
                condition.has_else = is_else;
                let (guards, open) =
                    (condition.guards, !condition.is_skipped && !condition.is_done);
                let skipped = condition.is_skipped;
                if guards {
                    self.file().guard = Guard::None;
                }
                let truth = open && (is_else || self.condition()?);
                if is_else && !skipped && is_user && self.directive_token()?.kind != Kind::End {
                    return Err(Leave);
                }
                let condition = self.file().conditions.last_mut().ok_or(Leave)?;
                condition.skips = !truth;
                condition.is_done |= truth;
            }
            b"endif" => {
                let condition = self.file().conditions.pop().ok_or(Leave)?;
                if !condition.is_skipped && is_user && self.directive_token()?.kind != Kind::End {
                    return Err(Leave);
                }
                let file = self.file();
                if let (true, &Guard::Inside(name)) = (condition.guards, &file.guard) {
                    file.guard = Guard::Behind(name);
                }
            }
            // Of dialects before C23 it is GCC's to say whether it knows them.
            b"elifdef" | b"elifndef" => return Err(Leave),
            _ if skips => {}
            _ => {
                self.breaks_guard();
                return self.plain_directive(&name, line);
            }
        }
        self.lexer().finish_line()
    }

    /// A file with anything ahead of its condition or behind it has to be read each time.
    fn breaks_guard(&mut self) {
        let file = self.file();
        if file.guard == Guard::Open || matches!(file.guard, Guard::Behind(_)) {
            file.guard = Guard::None;
        }
    }

    /// The macro of `#ifndef NAME` and `#if !defined NAME`, whose line is read again.
    fn guard_of(&mut self, word: &[u8]) -> Answer<Option<Spelling>> {
        if word == b"ifdef" || self.file().guard != Guard::Open {
            return Ok(None);
        }
        let start = self.lexer().position();
        let mut tokens = Vec::new();
        loop {
            let token = self.directive_token()?;
            if token.kind == Kind::End || tokens.len() > 5 {
                break;
            }
            tokens.push(token);
        }
        self.lexer().go_back(start);
        let rest = match &*tokens {
            [not, defined, rest @ ..]
                if word == b"if"
                    && self.spellings.text(not.spelling) == b"!"
                    && defined.spelling == DEFINED =>
            {
                rest
            }
            rest if word == b"ifndef" => rest,
            _ => return Ok(None),
        };
        Ok(match rest {
            [name] => Some(name.spelling),
            [open, name, close] if open.is(OPEN) && close.is(CLOSE) => Some(name.spelling),
            _ => None,
        })
    }

    /// What is no condition.
    fn plain_directive(&mut self, word: &[u8], line: u32) -> Answer<()> {
        match word {
            b"define" => {
                let (name, new) = self.read_definition()?;
                self.printer.directive(line, b"#define ");
                self.print_definition(name, &new);
                self.printer.end_directive();
                self.define(name, new)?;
                self.lexer().finish_line()
            }
            b"undef" => {
                let name = self.directive_token()?;
                if name.kind != Kind::Name
                    || token::COMPUTED.contains(&name.spelling)
                    || self.directive_token()?.kind != Kind::End
                {
                    return Err(Leave);
                }
                self.printer.directive(line, b"#undef ");
                let text = self.spellings.text(name.spelling);
                self.printer.out.extend_from_slice(text);
                self.printer.end_directive();
                self.undefine(name.spelling);
                self.lexer().finish_line()
            }
            b"include" | b"include_next" => {
                let (name, angled) = self.header_name()?;
                if self.directive_token()?.kind != Kind::End {
                    return Err(Leave);
                }
                let next = word == b"include_next";
                let found = self.find(&name, angled, next)?.ok_or(Leave)?;
                self.lexer().finish_line()?;
                self.include(found, line)
            }
            b"pragma" => self.pragma(line),
            _ => Err(Leave),
        }
    }

    fn pragma(&mut self, line: u32) -> Answer<()> {
        let start = self.lexer().position();
        let first = self.directive_token()?;
        let second = self.directive_token()?;
        let is_macro = self.definition(second.spelling).is_some() || self.definition(ACC).is_some();
        let word = self.spellings.text(first.spelling);
        let name = self.spellings.text(second.spelling);
        match word {
            b"once" if second.kind == Kind::End && self.files.len() > 1 => {
                let name = self.file().name.clone();
                // Another path to the same file has to be seen as one.
                let real = std::fs::canonicalize(&*name).map_err(|_| Leave)?;
                if real.is_symlink() || real.file_name() != Path::new(&*name).file_name() {
                    return Err(Leave);
                }
                self.once.insert(name);
                self.printer.go_to_token(&first);
                self.lexer().finish_line()
            }
            // A macro may be one of the words.
            b"acc" if is_macro => Err(Leave),
            b"acc" if EXPANDED.contains(&name) => self.clauses(first, second),
            b"acc" => self.untouched(line, start),
            b"GCC" if OF_GCC.contains(&name) => self.untouched(line, start),
            _ if UNTOUCHED.contains(&word) => self.untouched(line, start),
            _ => Err(Leave),
        }
    }

    /// A pragma as it stands there.
    fn untouched(&mut self, line: u32, start: lexer::Position) -> Answer<()> {
        self.lexer().go_back(start);
        self.printer.directive(line, b"#pragma ");
        let mut token = self.directive_token()?;
        while token.kind != Kind::End {
            self.printer.out.extend_from_slice(self.spellings.text(token.spelling));
            token = self.directive_token()?;
            if token.has(BLANK) {
                self.printer.out.push(b' ');
            }
        }
        self.printer.end_directive();
        self.lexer().finish_line()
    }

    /// A pragma with its clauses expanded.
    fn clauses(&mut self, family: Token, name: Token) -> Answer<()> {
        self.in_directive = false;
        self.in_pragma = true;
        let mut words = self.spellings.text(family.spelling).to_vec();
        words.push(b' ');
        words.extend_from_slice(self.spellings.text(name.spelling));
        let spelling = self.spellings.number(&words);
        let pragma = Token { kind: Kind::Pragma, spelling, ..family };
        self.printer.go_to_token(&pragma);
        self.printer.token(&pragma, &self.spellings);
        loop {
            let token = self.expanded()?;
            if token.kind == Kind::End {
                // Where the next line begins.
                self.printer.end_pragma(token.line + 1);
                break;
            }
            self.printer.token(&token, &self.spellings);
        }
        self.in_pragma = false;
        self.lexer().finish_line()
    }
}

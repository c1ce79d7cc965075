//! The text of headers in pieces: the declarations and definitions of macros of which each can be left out where nothing
//! needs what it declares.
//!
//! What a piece declares is told by its tokens alone, and only of plain forms. A piece of any other form, and each one of
//! a user's file, always stays. Identifiers of members and parameters count as mentioned: what that keeps too much is
//! seldom much.

use rustc_hash::FxHashMap;

use super::super::lexer::scan;
use super::super::token::Kind;
use super::super::{Answer, Leave};
use super::names::NamesBuilder;
use crate::preprocess::marker;

/// A declaration, the definition of a macro, or a pragma.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// Its text.
    pub start: u32,
    pub end: u32,
    /// Where it stands: a file by its number in [`Pieces::files`], and a line.
    pub file: u32,
    pub line: u32,
    /// Where its names are in [`Pieces::ids`]: those it declares, and behind them those it mentions.
    pub first: u32,
    pub mentioned: u32,
    /// A line that starts with `#`.
    pub is_directive: bool,
    /// It stays whatever is needed.
    pub stays: bool,
}

/// A file of headers, as it stands in line markers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MarkedFile {
    /// With quotes, as markers have it.
    pub name: Vec<u8>,
    /// What stands behind it of the language of the markers: ` 3` for a header that is not warned of.
    pub flags: Vec<u8>,
}

/// What a macro is behind the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MacroText {
    pub name: u32,
    /// What stands behind `#define `; nothing for one that is not defined any more.
    pub start: u32,
    pub end: u32,
    pub file: u32,
}

/// All pieces of a text.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    pub pieces: Vec<Piece>,
    pub files: Vec<MarkedFile>,
    pub ids: Vec<u32>,
    pub macros: Vec<MacroText>,
}

/// Words of C, which nobody declares.
const WORDS: [&[u8]; 47] = [
    b"void",
    b"char",
    b"short",
    b"int",
    b"long",
    b"float",
    b"double",
    b"signed",
    b"unsigned",
    b"_Bool",
    b"_Complex",
    b"const",
    b"volatile",
    b"restrict",
    b"__restrict",
    b"__restrict__",
    b"__const",
    b"__volatile__",
    b"__signed__",
    b"struct",
    b"union",
    b"enum",
    b"typedef",
    b"extern",
    b"static",
    b"inline",
    b"__inline",
    b"__inline__",
    b"register",
    b"_Noreturn",
    b"sizeof",
    b"return",
    b"if",
    b"else",
    b"while",
    b"for",
    b"do",
    b"__extension__",
    b"__int128",
    b"_Float32",
    b"_Float64",
    b"_Float128",
    b"_Float32x",
    b"_Float64x",
    b"__attribute__",
    b"asm",
    b"__asm__",
];

/// Words of attributes by which a declaration does more than declare.
const ACTING: [&[u8]; 20] = [
    b"alias",
    b"__alias__",
    b"ifunc",
    b"__ifunc__",
    b"weakref",
    b"__weakref__",
    b"constructor",
    b"__constructor__",
    b"destructor",
    b"__destructor__",
    b"used",
    b"__used__",
    b"retain",
    b"__retain__",
    b"section",
    b"__section__",
    b"symver",
    b"__symver__",
    b"copy",
    b"__copy__",
];

/// Pragmas that concern no single declaration.
const OF_ALL: [&[u8]; 4] = [b"GCC", b"pack", b"STDC", b"ident"];

/// A token of a piece, with what groups it stands in.
#[derive(Clone, Copy, Debug)]
struct Word<'t> {
    kind: Kind,
    text: &'t [u8],
}

/// What a piece is made of, without attributes and what stands in brackets.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Part<'t> {
    Name(&'t [u8]),
    Mark(u8),
    /// In round brackets; where the first token behind the opening one is.
    Round(usize),
    Square,
    Braces(usize),
}

impl Pieces {
    /// Those of the text of headers. It is left alone where it does not consist of whole declarations.
    pub fn of(text: &[u8], names: &mut NamesBuilder) -> Answer<Pieces> {
        let mut reader = Reader {
            text,
            names,
            out: Pieces::default(),
            known: FxHashMap::default(),
            macros: FxHashMap::default(),
            file: 0,
            line: 1,
            sticks: false,
        };
        reader.file_number(b"\"\"", b"");
        reader.read()?;
        let Reader { mut out, macros, .. } = reader;
        out.macros = macros.into_values().collect();
        out.macros.sort_by_key(|of| of.name);
        Ok(out)
    }
}

struct Reader<'t, 'n> {
    text: &'t [u8],
    names: &'n mut NamesBuilder,
    out: Pieces,
    known: FxHashMap<(Vec<u8>, Vec<u8>), u32>,
    macros: FxHashMap<u32, MacroText>,
    file: u32,
    line: u32,
    /// A pragma stands ahead that belongs to what comes.
    sticks: bool,
}

/// A declaration that is being read.
#[derive(Default)]
struct Open<'t> {
    start: usize,
    file: u32,
    line: u32,
    words: Vec<Word<'t>>,
    parts: Vec<Part<'t>>,
    /// Brackets that are open.
    depth: usize,
    /// Macros that are defined between its tokens.
    macros: Vec<(&'t [u8], &'t [u8])>,
    /// It has to stay.
    stays: bool,
    /// The group that is open belongs to an attribute.
    in_attribute: bool,
    /// The group that is open is a function's body.
    in_body: bool,
}

impl<'t> Reader<'t, '_> {
    fn file_number(&mut self, name: &[u8], flags: &[u8]) -> u32 {
        let files = &mut self.out.files;
        *self.known.entry((name.to_vec(), flags.to_vec())).or_insert_with(|| {
            files.push(MarkedFile { name: name.to_vec(), flags: flags.to_vec() });
            files.len() as u32 - 1
        })
    }

    fn read(&mut self) -> Answer<()> {
        let text = self.text;
        let mut open: Option<Open<'t>> = None;
        let (mut at, mut is_fresh) = (0, true);
        while let Some(&byte) = text.get(at) {
            match byte {
                b'\n' => {
                    self.line += 1;
                    is_fresh = true;
                    at += 1;
                }
                b' ' | b'\t' | 0x0b | 0x0c => at += 1,
                b'#' if is_fresh => {
                    let length = text[at..].iter().position(|&byte| byte == b'\n').ok_or(Leave)?;
                    self.directive(at, &text[at..at + length], open.as_mut())?;
                    at += length + 1;
                }
                _ => {
                    is_fresh = false;
                    let (kind, length) = scan(&text[at..])?;
                    // With the blanks ahead of it: columns count.
                    let ahead = text[..at].iter().rev().take_while(|&&byte| byte == b' ').count();
                    let is_first = at == ahead || text[at - ahead - 1] == b'\n';
                    let open_now = open.get_or_insert_with(|| Open {
                        start: if is_first { at - ahead } else { at },
                        file: self.file,
                        line: self.line,
                        stays: self.sticks,
                        ..Open::default()
                    });
                    let is_whole = open_now.take(Word { kind, text: &text[at..at + length] })?;
                    at += length;
                    if is_whole && let Some(whole) = open.take() {
                        self.sticks = false;
                        self.declaration(whole, at);
                    }
                }
            }
        }
        if open.is_some() || self.sticks { Err(Leave) } else { Ok(()) }
    }

    /// A line that starts with `#`, and the line behind it.
    fn directive(&mut self, at: usize, line: &'t [u8], open: Option<&mut Open<'t>>) -> Answer<()> {
        let end = (at + line.len() + 1) as u32;
        if let Some(rest) = line.strip_prefix(b"# ") {
            let (number, name, flags) = marker::parse(rest).ok_or(Leave)?;
            // What is entered or left within a declaration.
            if open.is_some() && flags.iter().any(|flag| matches!(flag, b'1' | b'2')) {
                return Err(Leave);
            }
            let flags = match flags.iter().position(|&flag| flag == b'3') {
                Some(first) => [b" ", &flags[first..]].concat(),
                None => Vec::new(),
            };
            self.file = self.file_number(name, &flags);
            self.line = number;
            if let Some(open) = open {
                open.stays |= open.file != self.file;
            }
            return Ok(());
        }
        let piece = Piece {
            start: at as u32,
            end,
            file: self.file,
            line: self.line,
            first: self.out.ids.len() as u32,
            mentioned: 0,
            is_directive: true,
            stays: false,
        };
        self.line += 1;
        if let Some(rest) = line.strip_prefix(b"#pragma ") {
            let word = rest.split(|byte| !is_part(*byte)).next().unwrap_or_default();
            match open {
                // What warnings are about is a part of the body.
                Some(open) if open.in_body && word == b"GCC" => return Ok(()),
                Some(_) => return Err(Leave),
                None => {}
            }
            self.sticks |= !OF_ALL.contains(&word);
            let mentioned = self.out.ids.len() as u32;
            self.mention(rest);
            self.out.pieces.push(Piece { mentioned, stays: true, ..piece });
            return Ok(());
        }
        let is_defined = line.starts_with(b"#define ");
        let rest = line.strip_prefix(b"#define ").or_else(|| line.strip_prefix(b"#undef "));
        let rest = rest.ok_or(Leave)?;
        let length = rest.iter().position(|&byte| !is_part(byte)).unwrap_or(rest.len());
        let (name, body) = rest.split_at(length);
        let id = self.names.number(name);
        let start = (at + line.len() - rest.len()) as u32;
        let span = if is_defined { (start, end - 1) } else { (0, 0) };
        self.macros.insert(id, MacroText { name: id, start: span.0, end: span.1, file: self.file });
        match open {
            Some(open) => open.macros.push((name, body)),
            None => {
                self.out.ids.push(id);
                let mentioned = self.out.ids.len() as u32;
                self.mention(body);
                let stays = self.out.files[self.file as usize].flags.is_empty();
                self.out.pieces.push(Piece { mentioned, stays, ..piece });
            }
        }
        Ok(())
    }

    /// Adds the names of a text.
    fn mention(&mut self, text: &[u8]) {
        for name in super::names::of_text(text) {
            let id = self.names.number(name);
            self.out.ids.push(id);
        }
    }

    fn declaration(&mut self, open: Open<'t>, end: usize) {
        let declared = open.declared();
        let first = self.out.ids.len() as u32;
        let is_user = self.out.files[open.file as usize].flags.is_empty();
        let stays = open.stays || is_user || declared.is_none();
        for name in declared.unwrap_or_default() {
            let id = self.names.number(name);
            self.out.ids.push(id);
        }
        for (name, _) in &open.macros {
            let id = self.names.number(name);
            self.out.ids.push(id);
        }
        let mentioned = self.out.ids.len() as u32;
        for word in &open.words {
            if word.kind == Kind::Name && !WORDS.contains(&word.text) {
                let id = self.names.number(word.text);
                self.out.ids.push(id);
            }
        }
        for (_, body) in &open.macros {
            self.mention(body);
        }
        let Open { start, file, line, .. } = open;
        self.out.pieces.push(Piece {
            start: start as u32,
            end: end as u32,
            file,
            line,
            first,
            mentioned,
            is_directive: false,
            stays,
        });
    }
}

impl<'t> Open<'t> {
    /// Takes the next token. Whether the piece is whole with it.
    fn take(&mut self, word: Word<'t>) -> Answer<bool> {
        let at = self.words.len();
        self.words.push(word);
        if word.kind == Kind::Mark {
            match word.text {
                b"(" | b"[" | b"{" => {
                    if self.depth == 0 {
                        self.open_group(word.text[0], at);
                    }
                    self.depth += 1;
                    return Ok(false);
                }
                b")" | b"]" | b"}" => {
                    self.depth = self.depth.checked_sub(1).ok_or(Leave)?;
                    return Ok(self.depth == 0 && std::mem::take(&mut self.in_body));
                }
                b";" if self.depth == 0 => return Ok(true),
                _ => {}
            }
        }
        if self.depth > 0 {
            return Ok(false);
        }
        match (word.kind, word.text) {
            (_, b"__extension__") => {}
            (
                Kind::Name,
                b"__attribute__" | b"__attribute" | b"__asm__" | b"__asm" | b"asm" | b"_Alignas",
            ) => self.in_attribute = true,
            (Kind::Name, name) => self.parts.push(Part::Name(name)),
            (_, text) => self.parts.push(Part::Mark(text[0])),
        }
        Ok(false)
    }

    fn open_group(&mut self, bracket: u8, at: usize) {
        match bracket {
            b'(' if std::mem::take(&mut self.in_attribute) => {}
            b'(' => self.parts.push(Part::Round(at + 1)),
            b'[' => self.parts.push(Part::Square),
            _ => {
                self.in_body = matches!(self.parts.last(), Some(Part::Round(_)));
                self.parts.push(Part::Braces(at + 1));
            }
        }
    }

    /// The names that it declares; `None` where it is of no form that is known, or does more.
    fn declared(&self) -> Option<Vec<&'t [u8]>> {
        if self.words.iter().any(|word| ACTING.contains(&word.text)) {
            return None;
        }
        let mut names = self.tags();
        names.extend(self.deallocators());
        let has = |words: &[&[u8]]| {
            self.parts.iter().any(|part| matches!(part, Part::Name(name) if words.contains(name)))
        };
        let is_type = |part: &Part<'_>| matches!(part, Part::Name(_));
        let has_mark =
            |mark: u8| self.parts.iter().any(|part| matches!(part, Part::Mark(m) if *m == mark));
        if has_mark(b'=') || has_mark(b',') || has_mark(b':') {
            return None;
        }
        let own = |name: &'t [u8]| Some(name).filter(|name| !WORDS.contains(name));
        match &self.parts[..] {
            [rest @ .., Part::Name(name), Part::Round(_), Part::Braces(_)] => {
                let leaves_nothing = has(&[b"static"])
                    || self
                        .words
                        .iter()
                        .any(|word| matches!(word.text, b"__gnu_inline__" | b"gnu_inline"));
                let is_inline = has(&[b"inline", b"__inline", b"__inline__"]);
                if !is_inline || !leaves_nothing || !rest.iter().any(is_type) {
                    return None;
                }
                names.push(own(name)?);
            }
            [rest @ .., last] if self.parts.iter().any(|part| matches!(part, Part::Braces(_))) => {
                // A structure, a union or an enumeration, and what is of its type.
                let braces = self.parts.iter().position(|part| matches!(part, Part::Braces(_)))?;
                let ahead = &self.parts[..braces];
                let is_tagged = |part: Option<&Part<'_>>| {
                    matches!(part, Some(Part::Name(b"struct" | b"union" | b"enum")))
                };
                if !is_tagged(ahead.last()) && !is_tagged(ahead.iter().rev().nth(1)) {
                    return None;
                }
                let behind = &self.parts[braces + 1..];
                let is_plain = |part: &Part<'_>| {
                    matches!(part, Part::Name(_) | Part::Square | Part::Mark(b'*'))
                };
                if !behind.iter().all(is_plain) || (rest.is_empty() && last != &behind[0]) {
                    return None;
                }
                // A variable of the type needs a word that says that it is none of this file.
                if !behind.is_empty() && !has(&[b"typedef", b"extern"]) {
                    return None;
                }
                names.extend(behind.iter().filter_map(|part| match part {
                    Part::Name(name) => own(name),
                    _ => None,
                }));
                names.extend(self.enumerators());
            }
            [rest @ .., Part::Round(first), Part::Round(_)] => {
                let words = [*first, *first + 1, *first + 2].map(|at| self.words.get(at));
                let [Some(star), Some(name), Some(close)] = words else { return None };
                if star.text != b"*" || close.text != b")" || !rest.iter().any(is_type) {
                    return None;
                }
                if !has(&[b"typedef", b"extern"]) {
                    return None;
                }
                names.push(own(name.text).filter(|_| name.kind == Kind::Name)?);
            }
            [rest @ .., Part::Name(name), Part::Round(_)] => {
                if !rest.iter().any(is_type) {
                    return None;
                }
                names.push(own(name)?);
            }
            [Part::Name(b"struct" | b"union"), Part::Name(_)] => {}
            parts => {
                let end = parts.iter().rposition(|part| *part != Part::Square)?;
                let Part::Name(name) = parts[end] else { return None };
                if !has(&[b"typedef", b"extern"]) || end < 2 {
                    return None;
                }
                names.push(own(name)?);
            }
        }
        if names.is_empty() { None } else { Some(names) }
    }

    /// The functions that an attribute says to free what this one allocates: whoever uses one of them wants to know.
    fn deallocators(&self) -> Vec<&'t [u8]> {
        let named = self.words.windows(3).filter_map(|words| {
            let is_malloc = matches!(words[0].text, b"malloc" | b"__malloc__");
            let is_named = words[1].text == b"(" && words[2].kind == Kind::Name;
            (is_malloc && is_named).then_some(words[2].text)
        });
        // A function of that name has a type there.
        named.filter(|name| !WORDS.contains(name) && *name != b"size_t").collect()
    }

    /// The names behind `struct`, `union` and `enum`, wherever they stand.
    fn tags(&self) -> Vec<&'t [u8]> {
        let mut tags = Vec::new();
        let mut words = self.words.iter().peekable();
        while let Some(word) = words.next() {
            if !matches!(word.text, b"struct" | b"union" | b"enum") {
                continue;
            }
            // An attribute may stand between.
            let mut depth = 0;
            for next in words.by_ref() {
                match next.text {
                    b"__attribute__" | b"__attribute" if depth == 0 => {}
                    b"(" => depth += 1,
                    b")" => depth -= 1,
                    _ if depth > 0 => {}
                    name => {
                        if next.kind == Kind::Name {
                            tags.push(name);
                        }
                        break;
                    }
                }
            }
        }
        tags
    }

    /// The constants of enumerations, wherever they stand.
    fn enumerators(&self) -> Vec<&'t [u8]> {
        let mut found = Vec::new();
        let mut groups: Vec<bool> = Vec::new();
        let mut is_enum = false;
        for (at, word) in self.words.iter().enumerate() {
            match word.text {
                b"enum" => is_enum = true,
                b"{" => groups.push(std::mem::take(&mut is_enum)),
                b"(" | b"[" => groups.push(false),
                b")" | b"]" | b"}" => drop(groups.pop()),
                b";" => is_enum = false,
                _ => {}
            }
            let follows = at > 0 && matches!(self.words[at - 1].text, b"{" | b",");
            if word.kind == Kind::Name && follows && groups.last() == Some(&true) {
                found.push(word.text);
            }
        }
        found
    }
}

pub(super) fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$'
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a header's text declares, piece by piece; `!` for one that stays.
    fn declared(text: &str) -> String {
        let text = format!("# 1 \"h.h\" 3\n{text}\n");
        let mut names = NamesBuilder::default();
        let pieces = Pieces::of(text.as_bytes(), &mut names).unwrap();
        let shown = pieces.pieces.iter().map(|piece| {
            let ids = &pieces.ids[piece.first as usize..piece.mentioned as usize];
            let ids = ids.iter().map(|&id| String::from_utf8_lossy(names.text(id)).into_owned());
            match piece.stays {
                true => "!".to_owned(),
                false => ids.collect::<Vec<_>>().join(" "),
            }
        });
        shown.collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn what_pieces_declare() {
        for (text, expected) in [
            ("int f(int a);", "f"),
            (
                "extern int f (const char *__restrict a, ...) __attribute__ ((__nothrow__)) __asm__ (\"\" \"g\");",
                "f",
            ),
            ("extern void *f (unsigned long) __attribute__ ((alias (\"g\")));", "!"),
            (
                "extern s *f (void) __attribute__ ((__malloc__)) __attribute__ ((__malloc__ (g, 1)));",
                "g f",
            ),
            ("extern void *malloc (size_t n); extern int v;", "malloc; v"),
            ("extern int (*f (int)) (void);", "!"),
            ("extern __attribute__ ((x (1))) int f (struct s *p);", "s f"),
            (
                "typedef unsigned long size_t; typedef struct s t; typedef int a[3];",
                "size_t; s t; a",
            ),
            ("typedef int (*compare) (const void *, const void *);", "compare"),
            ("typedef int a, b;", "!"),
            ("struct s; struct s { int x; union u *y; }; union { int x; } v;", "s; s u; !"),
            ("struct __attribute__ ((packed)) s { int x; };", "s"),
            ("typedef struct { int x[4]; enum e { A, B = (1, 2), C } c; } t;", "e t A B C"),
            ("enum { A = 1,\n#define A A\n B };", "A B A"),
            ("extern struct s *v; extern int a[]; int x; int y = 1;", "s v; a; !; !"),
            (
                "static __inline int f (int x) { if (x) { return x; } return 0; } int g(void);",
                "f; g",
            ),
            ("extern __inline __attribute__ ((__gnu_inline__)) int f (void) { return 0; }", "f"),
            ("extern inline int f (void) { return 0; } int g (void) { }", "!; !"),
            ("_Static_assert (1, \"x\"); __asm__ (\"x\");", "!; !"),
            (
                "static inline int f (void) {\n#pragma GCC diagnostic push\nreturn 0; } int g(void);",
                "f; g",
            ),
            ("#define A B\n#undef C\nint f(void);", "A; C; f"),
            ("#pragma GCC visibility push(default)\nint f(void);", "!; f"),
            ("#pragma acc routine seq\nint f(void);\nint g(void);", "!; !; g"),
            ("int f(\n# 2 \"other.h\"\nint x);", "!"),
            ("__extension__ typedef long long q;", "q"),
            ("__extension__ extern __typeof__ (x) y;", "y"),
        ] {
            assert_eq!(declared(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_not_whole_is_left_alone() {
        for text in
            ["int f(", "int }", "int x", "#pragma acc routine\n", "int f(\n# 1 \"i.h\" 1 3\nint);"]
        {
            let text = format!("# 1 \"h.h\" 3\n{text}\n");
            assert!(Pieces::of(text.as_bytes(), &mut NamesBuilder::default()).is_err(), "{text}");
        }
    }
}

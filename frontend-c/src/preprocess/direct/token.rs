//! Preprocessing tokens, and their spellings as numbers.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

/// A spelling, as a number.
pub(super) type Spelling = u32;

/// What kind of token it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Name,
    Number,
    /// A character constant.
    Character,
    String,
    /// An operator or a mark, by its spelling.
    Mark,
    /// Any other byte.
    Other,
    /// Parameter of the macro in whose replacement it stands.
    Parameter(u16),
    /// Nothing: between its neighbours stands what makes two tokens of them. It has the blank of the token that it
    /// stands for, if it stands for one.
    Padding(Option<bool>),
    /// Where a line that is a directive's, an argument that is expanded, or the file ends.
    End,
    /// The first words of a directive that is printed as one: `acc` and its name.
    Pragma,
}

/// A blank stands in front of it.
pub(super) const BLANK: u8 = 1;
/// It is the first of its line.
pub(super) const FIRST: u8 = 2;
/// It is the name of a macro that is not expanded any more.
pub(super) const PLAIN: u8 = 4;
/// `##` stands behind it.
pub(super) const PASTE: u8 = 8;
/// `#` stands in front of it.
pub(super) const QUOTE: u8 = 16;

/// A token, and where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub kind: Kind,
    pub flags: u8,
    pub origin: Origin,
    pub spelling: Spelling,
    pub line: u32,
    /// In bytes, from 1.
    pub column: u32,
}

/// Whose text a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Origin {
    User,
    /// A header of a folder that `-isystem` or its kin name: it may be changed as those of a user are.
    Told,
    /// A header of the system.
    System,
    /// The compiler itself.
    BuiltIn,
}

impl Origin {
    /// How the line markers of its text end.
    pub fn flags(self) -> &'static str {
        match self {
            Origin::User | Origin::BuiltIn => "",
            Origin::Told | Origin::System => " 3 4",
        }
    }

    /// Whether nothing is warned of there.
    pub fn is_system(self) -> bool {
        matches!(self, Origin::Told | Origin::System)
    }
}

impl Token {
    pub fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    pub fn is(&self, mark: Spelling) -> bool {
        self.kind == Kind::Mark && self.spelling == mark
    }

    /// Padding that stands for `source`.
    pub fn padding(source: Option<&Token>) -> Token {
        Token {
            kind: Kind::Padding(source.map(|token| token.has(BLANK))),
            flags: 0,
            origin: Origin::BuiltIn,
            spelling: 0,
            line: 0,
            column: 0,
        }
    }

    pub fn end(line: u32) -> Token {
        Token { kind: Kind::End, line, ..Token::padding(None) }
    }
}

/// All spellings.
#[derive(Debug)]
pub(super) struct Spellings {
    texts: IndexSet<Box<[u8]>, FxBuildHasher>,
    /// Of one byte.
    short: [Option<Spelling>; 256],
}

macro_rules! known {
    ($($name:ident = $text:literal),* $(,)?) => {
        known!(@ 0u32; $($name)*);
        const KNOWN: &[&[u8]] = &[$($text),*];
    };
    (@ $at:expr; $name:ident $($rest:ident)*) => {
        #[allow(dead_code, reason = "some are named for their place among the others")]
        pub(super) const $name: Spelling = $at;
        known!(@ $at + 1; $($rest)*);
    };
    (@ $at:expr;) => {};
}

known! {
    HASH = b"#", HASHES = b"##", OPEN = b"(", CLOSE = b")", COMMA = b",", DOTS = b"...", DEFINED = b"defined",
    VA_ARGS = b"__VA_ARGS__", VA_OPT = b"__VA_OPT__", PRAGMA = b"_Pragma", ACC = b"acc",
    LINE = b"__LINE__", FILE = b"__FILE__", BASE_FILE = b"__BASE_FILE__", COUNTER = b"__COUNTER__",
    INCLUDE_LEVEL = b"__INCLUDE_LEVEL__", DATE = b"__DATE__", TIME = b"__TIME__", TIMESTAMP = b"__TIMESTAMP__",
    HAS_ATTRIBUTE = b"__has_attribute", HAS_CPP_ATTRIBUTE = b"__has_cpp_attribute", HAS_BUILTIN = b"__has_builtin",
    HAS_INCLUDE = b"__has_include", HAS_INCLUDE_NEXT = b"__has_include_next",
}

/// Macros that are computed where they stand.
pub(super) const COMPUTED: std::ops::RangeInclusive<Spelling> = LINE..=HAS_INCLUDE_NEXT;

/// Their names.
pub(super) fn computed() -> impl Iterator<Item = &'static str> {
    KNOWN[LINE as usize..=HAS_INCLUDE_NEXT as usize]
        .iter()
        .filter_map(|name| std::str::from_utf8(name).ok())
}

impl Spellings {
    pub fn new() -> Spellings {
        let mut spellings = Spellings {
            texts: IndexSet::with_capacity_and_hasher(1 << 13, FxBuildHasher),
            short: [None; 256],
        };
        for text in KNOWN {
            spellings.number(text);
        }
        spellings
    }

    pub fn number(&mut self, text: &[u8]) -> Spelling {
        if let &[byte] = text {
            if let Some(known) = self.short[usize::from(byte)] {
                return known;
            }
            let number = self.texts.insert_full(text.into()).0 as Spelling;
            self.short[usize::from(byte)] = Some(number);
            return number;
        }
        let known = self.texts.get_index_of(text);
        known.unwrap_or_else(|| self.texts.insert_full(text.into()).0) as Spelling
    }

    pub fn len(&self) -> usize {
        self.texts.len()
    }

    pub fn text(&self, spelling: Spelling) -> &[u8] {
        &self.texts[spelling as usize]
    }
}

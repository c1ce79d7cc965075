//! What a token is.

use crate::source::Span;
use crate::symbol::{Interner, Symbol};

/// One token with its place in the preprocessed text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it stands. A token that a macro put into a pragma stands where the macro was named.
    pub span: Span,
}

/// What a token is. Literals hold their spelling, decoded when they are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A name.
    Ident(Symbol),
    /// A reserved word.
    Keyword(Keyword),
    /// A preprocessing number.
    Number(Symbol),
    /// A character constant, with its prefix and quotes.
    Char(Symbol),
    /// A string literal, with its prefix and quotes.
    String(Symbol),
    /// A mark.
    Punct(Punct),
    /// A pragma of an enabled family, by its number in the unit.
    Pragma(u32),
    /// A byte that starts no token.
    Unknown(u8),
    /// The end of a pragma's line.
    EndOfPragma,
    /// The end of the text.
    Eof,
}

macro_rules! keywords {
    ($($name:ident: $($spelling:literal),+;)*) => {
        /// Reserved words; alternative spellings (`__inline__`) are one keyword.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "each is named by its spelling")]
        pub enum Keyword { $($name),* }

        impl Keyword {
            /// The usual spelling.
            pub fn spelling(self) -> &'static str {
                match self { $(Keyword::$name => [$($spelling),+][0]),* }
            }
        }

        const KEYWORDS: &[(&str, Keyword)] = &[$($(($spelling, Keyword::$name)),+),*];
    };
}

keywords! {
    Alignas: "_Alignas";
    Alignof: "_Alignof", "__alignof__", "__alignof";
    Asm: "asm", "__asm__", "__asm";
    Atomic: "_Atomic";
    Attribute: "__attribute__", "__attribute";
    Auto: "auto";
    AutoType: "__auto_type";
    BitInt: "_BitInt";
    Bool: "_Bool";
    Break: "break";
    BuiltinChooseExpr: "__builtin_choose_expr";
    BuiltinComplex: "__builtin_complex";
    BuiltinOffsetof: "__builtin_offsetof";
    BuiltinTypesCompatible: "__builtin_types_compatible_p";
    BuiltinVaArg: "__builtin_va_arg";
    Case: "case";
    Char: "char";
    Complex: "_Complex", "__complex__", "__complex";
    Const: "const", "__const", "__const__";
    Continue: "continue";
    Decimal: "_Decimal32", "_Decimal64", "_Decimal128";
    Default: "default";
    Do: "do";
    Double: "double";
    Else: "else";
    Enum: "enum";
    Extension: "__extension__";
    Extern: "extern";
    Float: "float";
    Float16: "_Float16";
    Bfloat16: "__bf16";
    Float128: "_Float128", "__float128";
    For: "for";
    Generic: "_Generic";
    Goto: "goto";
    If: "if";
    Imag: "__imag__", "__imag";
    Inline: "inline", "__inline__", "__inline";
    Int: "int";
    Int128: "__int128", "__int128_t";
    LabelDecl: "__label__";
    Long: "long";
    Noreturn: "_Noreturn";
    Real: "__real__", "__real";
    Register: "register";
    Restrict: "restrict", "__restrict", "__restrict__";
    Return: "return";
    Short: "short";
    Signed: "signed", "__signed__", "__signed";
    Sizeof: "sizeof";
    Static: "static";
    StaticAssert: "_Static_assert";
    Struct: "struct";
    Switch: "switch";
    ThreadLocal: "_Thread_local", "__thread";
    Typedef: "typedef";
    Typeof: "typeof", "__typeof__", "__typeof";
    TypeofUnqual: "typeof_unqual", "__typeof_unqual__";
    Uint128: "__uint128_t";
    Union: "union";
    Unsigned: "unsigned";
    Void: "void";
    Volatile: "volatile", "__volatile__", "__volatile";
    While: "while";
    BoolName: "bool";
    AlignasName: "alignas";
    AlignofName: "alignof";
    Constexpr: "constexpr";
    False: "false";
    Float32: "_Float32";
    Float32x: "_Float32x";
    Float64: "_Float64";
    Float64x: "_Float64x";
    Nullptr: "nullptr";
    StaticAssertName: "static_assert";
    ThreadLocalName: "thread_local";
    True: "true";
}

/// Number of the words that are always reserved. Those behind are C23's, which earlier programs may
/// use as names, and types that glibc declares itself where a compiler lacks them: they lex as
/// identifiers and mean their keyword while no declaration takes the name.
fn reserved() -> usize {
    KEYWORDS.iter().position(|&(_, k)| k == Keyword::BoolName).unwrap_or(KEYWORDS.len())
}

/// Sees to it that the keywords' symbols are their positions in the table, and returns the number
/// of the reserved ones.
pub(crate) fn intern_keywords(symbols: &mut Interner) -> u32 {
    if symbols.is_empty() {
        for (spelling, _) in KEYWORDS {
            symbols.intern(spelling);
        }
    }
    reserved() as u32
}

/// The keyword of a symbol, reserved or not.
pub(crate) fn keyword_of(symbol: Symbol) -> Option<Keyword> {
    KEYWORDS.get(symbol.index()).map(|&(_, keyword)| keyword)
}

/// The C23 words that are keywords only while no declaration takes their name.
pub(crate) fn contextual_keywords() -> impl Iterator<Item = (Symbol, Keyword)> {
    KEYWORDS.iter().enumerate().skip(reserved()).map(|(i, &(_, k))| (Symbol(i as u32), k))
}

macro_rules! puncts {
    ($($name:ident $spelling:literal;)*) => {
        /// Operators and punctuation.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "each is named by its spelling")]
        pub enum Punct { $($name),* }

        impl Punct {
            /// The usual spelling.
            pub fn spelling(self) -> &'static str {
                match self { $(Punct::$name => $spelling),* }
            }
        }
    };
}

puncts! {
    LParen "("; RParen ")"; LBracket "["; RBracket "]"; LBrace "{"; RBrace "}";
    Dot "."; Arrow "->"; PlusPlus "++"; MinusMinus "--"; Amp "&"; Star "*"; Plus "+"; Minus "-";
    Tilde "~"; Bang "!"; Slash "/"; Percent "%"; Shl "<<"; Shr ">>"; Less "<"; Greater ">";
    LessEq "<="; GreaterEq ">="; EqEq "=="; BangEq "!="; Caret "^"; Pipe "|"; AmpAmp "&&";
    PipePipe "||"; Question "?"; Colon ":"; Semicolon ";"; Ellipsis "..."; Eq "=";
    StarEq "*="; SlashEq "/="; PercentEq "%="; PlusEq "+="; MinusEq "-="; ShlEq "<<="; ShrEq ">>=";
    AmpEq "&="; CaretEq "^="; PipeEq "|="; Comma ","; Hash "#"; HashHash "##";
}

impl Punct {
    /// The longest mark at the start of `text`, with its length.
    pub(crate) fn lex(text: &[u8]) -> Option<(Punct, usize)> {
        use Punct::*;
        let b = |i: usize| text.get(i).copied().unwrap_or(0);
        Some(match (b(0), b(1), b(2)) {
            (b'(', ..) => (LParen, 1),
            (b')', ..) => (RParen, 1),
            (b'[', ..) => (LBracket, 1),
            (b']', ..) => (RBracket, 1),
            (b'{', ..) => (LBrace, 1),
            (b'}', ..) => (RBrace, 1),
            (b'.', b'.', b'.') => (Ellipsis, 3),
            (b'.', ..) => (Dot, 1),
            (b'-', b'>', _) => (Arrow, 2),
            (b'-', b'-', _) => (MinusMinus, 2),
            (b'-', b'=', _) => (MinusEq, 2),
            (b'-', ..) => (Minus, 1),
            (b'+', b'+', _) => (PlusPlus, 2),
            (b'+', b'=', _) => (PlusEq, 2),
            (b'+', ..) => (Plus, 1),
            (b'&', b'&', _) => (AmpAmp, 2),
            (b'&', b'=', _) => (AmpEq, 2),
            (b'&', ..) => (Amp, 1),
            (b'*', b'=', _) => (StarEq, 2),
            (b'*', ..) => (Star, 1),
            (b'~', ..) => (Tilde, 1),
            (b'!', b'=', _) => (BangEq, 2),
            (b'!', ..) => (Bang, 1),
            (b'/', b'=', _) => (SlashEq, 2),
            (b'/', ..) => (Slash, 1),
            (b'%', b'=', _) => (PercentEq, 2),
            (b'%', b'>', _) => (RBrace, 2),
            (b'%', ..) => (Percent, 1),
            (b'<', b'<', b'=') => (ShlEq, 3),
            (b'<', b'<', _) => (Shl, 2),
            (b'<', b'=', _) => (LessEq, 2),
            (b'<', b':', _) => (LBracket, 2),
            (b'<', b'%', _) => (LBrace, 2),
            (b'<', ..) => (Less, 1),
            (b'>', b'>', b'=') => (ShrEq, 3),
            (b'>', b'>', _) => (Shr, 2),
            (b'>', b'=', _) => (GreaterEq, 2),
            (b'>', ..) => (Greater, 1),
            (b'=', b'=', _) => (EqEq, 2),
            (b'=', ..) => (Eq, 1),
            (b'^', b'=', _) => (CaretEq, 2),
            (b'^', ..) => (Caret, 1),
            (b'|', b'|', _) => (PipePipe, 2),
            (b'|', b'=', _) => (PipeEq, 2),
            (b'|', ..) => (Pipe, 1),
            (b'?', ..) => (Question, 1),
            (b':', b'>', _) => (RBracket, 2),
            (b':', ..) => (Colon, 1),
            (b';', ..) => (Semicolon, 1),
            (b',', ..) => (Comma, 1),
            (b'#', b'#', _) => (HashHash, 2),
            (b'#', ..) => (Hash, 1),
            _ => return None,
        })
    }
}

impl TokenKind {
    /// The token as it is named in a message.
    pub fn describe(self, symbols: &Interner) -> String {
        match self {
            TokenKind::Ident(s) | TokenKind::Number(s) | TokenKind::Char(s) => {
                format!("`{}`", symbols.text_of(s))
            }
            TokenKind::String(_) => "a string literal".to_owned(),
            TokenKind::Keyword(k) => format!("`{}`", k.spelling()),
            TokenKind::Punct(p) => format!("`{}`", p.spelling()),
            TokenKind::Pragma(_) => "a `#pragma`".to_owned(),
            TokenKind::Unknown(byte) if byte.is_ascii_graphic() => format!("`{}`", byte as char),
            TokenKind::Unknown(byte) => format!("the byte 0x{byte:02x}"),
            TokenKind::EndOfPragma => "the end of the directive".to_owned(),
            TokenKind::Eof => "the end of the file".to_owned(),
        }
    }
}

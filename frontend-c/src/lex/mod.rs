//! From preprocessed text to tokens, pragmas and macro definitions.

mod literal;
mod scanner;
mod token;

use std::fmt::Write;
use std::sync::Arc;

use gpuc_diagnostics::Diagnostic;

pub use literal::{CharacterType, IntegerSuffix, Literal, StringLiteral};
pub(crate) use literal::{decode_character, decode_number, decode_strings, with_escapes};
pub use scanner::Scanner;
pub(crate) use token::contextual_keywords;
pub use token::{Keyword, Punct, Token, TokenKind};

use crate::Families;
use crate::pragma::{Family, MacroTable, Pragma};
use crate::preprocess::marker;
use crate::source::{Source, Span};
use crate::symbol::{Interner, Symbol};

/// What the lexer makes of a preprocessed text.
#[derive(Debug)]
pub struct Lexed {
    /// All tokens, with [`TokenKind::Eof`] last.
    pub tokens: Vec<Token>,
    /// All pragmas, of every family, in the order of the text.
    pub pragmas: Vec<Pragma>,
    /// The spellings.
    pub symbols: Interner,
    /// The line table.
    pub source: Source,
    /// The macros that `-dD` left in the text.
    pub macros: MacroTable,
    /// Unfinished literals and the like.
    pub diagnostics: Vec<Diagnostic>,
}

/// Lexes all of `text`, which the preprocessor made of `name`. Pragmas of the enabled `families`
/// become tokens; the others are only listed.
pub fn lex(text: Arc<[u8]>, name: &str, families: Families) -> Lexed {
    let mut symbols = Interner::default();
    let mut tokens = Vec::with_capacity(text.len() / 5 + 16);
    let mut lexer = Lines {
        source: Source::new(text.clone(), name),
        pragmas: Vec::new(),
        macros: MacroTable::default(),
        diagnostics: Vec::new(),
    };
    let mut scanner = Scanner::new(&text, 0, &mut symbols);
    loop {
        if scanner.skip_blanks() && scanner.peek_byte() == b'#' {
            let line = scanner.take_line();
            if let Some(pragma) = lexer.line(&text, line)
                && let found = &mut lexer.pragmas[pragma]
                && families.enables(found.family)
            {
                // Of OpenMP, much is the host compiler's: the parser sees what.
                found.ours = found.family != Family::OpenMp;
                tokens.push(Token { kind: TokenKind::Pragma(pragma as u32), span: line });
            }
            continue;
        }
        let token = scanner.token();
        tokens.push(token);
        if token.kind == TokenKind::Eof {
            break;
        }
    }
    for (span, message) in std::mem::take(&mut scanner.problems) {
        lexer.diagnostics.push(Diagnostic::error(message).at(lexer.source.place(span)));
    }
    let Lines { source, pragmas, macros, diagnostics } = lexer;
    Lexed { tokens, pragmas, symbols, source, macros, diagnostics }
}

/// The tokens of a text of ours, which all stand at `span`.
pub(crate) fn scan(text: &str, span: Span, symbols: &mut Interner) -> Vec<Token> {
    let mut scanner = Scanner::new(text.as_bytes(), 0, symbols);
    let mut tokens = Vec::new();
    loop {
        let token = scanner.token();
        tokens.push(Token { span, ..token });
        if token.kind == TokenKind::Eof {
            return tokens;
        }
    }
}

/// What is collected from the lines that start with `#`.
struct Lines {
    source: Source,
    pragmas: Vec<Pragma>,
    macros: MacroTable,
    diagnostics: Vec<Diagnostic>,
}

impl Lines {
    /// Takes one `#` line; returns the number of the pragma if it is one.
    fn line(&mut self, text: &[u8], line: Span) -> Option<usize> {
        let body = &text[line.range()];
        let word_start = 1 + blanks(&body[1..]);
        let rest = &body[word_start..];
        let length = rest.iter().take_while(|b| b.is_ascii_alphanumeric()).count();
        let (word, rest) = rest.split_at(length);
        let after = Span::new(line.start + (word_start + length) as u32, line.end);
        match word {
            b"pragma" => {
                self.pragmas.push(Pragma::new(text, line, after));
                return Some(self.pragmas.len() - 1);
            }
            b"define" => self.macros.record(after, true),
            b"undef" => self.macros.record(after, false),
            b"line" => {
                let number = rest.trim_ascii_start();
                let digits = number.iter().take_while(|b| b.is_ascii_digit()).count();
                self.marker(text, line, &number[..digits], &number[digits..]);
            }
            _ if !word.is_empty() && word.iter().all(u8::is_ascii_digit) => {
                self.marker(text, line, word, rest);
            }
            _ => {}
        }
        None
    }

    /// `# number "file" flags`.
    fn marker(&mut self, text: &[u8], line: Span, number: &[u8], rest: &[u8]) {
        let Some(number) = std::str::from_utf8(number).ok().and_then(|n| n.parse::<u32>().ok())
        else {
            return;
        };
        let next = (line.end as usize + 1).min(text.len());
        let start = rest.iter().position(|&byte| byte == b'"').unwrap_or(rest.len());
        let (name, flags) = marker::quoted(&rest[start..]).unwrap_or_default();
        let (name, system) = (marker::name(name), flags.contains(&b'3'));
        if name.is_empty() {
            let file = self.source.current_file();
            self.source.mark(next, &file, number, system);
        } else {
            self.source.mark(next, &name, number, system);
        }
    }
}

fn blanks(text: &[u8]) -> usize {
    text.iter().take_while(|&&b| b == b' ' || b == b'\t').count()
}

/// The tokens of the user's own files as text, one a line: file, line and column in the preprocessed
/// text, kind, spelling (`--emit=tokens`).
pub fn dump(lexed: &Lexed) -> String {
    let mut out = String::new();
    for token in &lexed.tokens {
        let kind = match token.kind {
            TokenKind::Ident(_) => "identifier",
            TokenKind::Keyword(_) => "keyword",
            TokenKind::Number(_) => "number",
            TokenKind::Char(_) => "character",
            TokenKind::String(_) => "string",
            TokenKind::Punct(_) => "punctuator",
            TokenKind::Pragma(_) => "pragma",
            TokenKind::Unknown(_) => "unknown",
            TokenKind::EndOfPragma | TokenKind::Eof => "end",
        };
        if lexed.source.is_system(token.span.start) {
            continue;
        }
        let text = String::from_utf8_lossy(lexed.source.slice(token.span));
        let (file, line) = lexed.source.line(token.span.start);
        let column = lexed.source.preprocessed_column(token.span.start);
        let _ = writeln!(out, "{file}:{line}:{column}: {kind} {text}");
    }
    out
}

/// Whether `symbol` spells an identifier (and not a literal).
pub(crate) fn is_identifier(symbols: &Interner, symbol: Symbol) -> bool {
    symbols
        .text_of(symbol)
        .bytes()
        .next()
        .is_some_and(|b| b.is_ascii_alphabetic() || b == b'_' || b == b'$' || b >= 0x80)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> String {
        let lexed =
            lex(text.as_bytes().into(), "t.c", Families { openacc: true, ..Families::default() });
        let words: Vec<_> = lexed
            .tokens
            .iter()
            .map(|t| match t.kind {
                TokenKind::Pragma(n) => format!("pragma{n}"),
                TokenKind::String(s) => lexed.symbols.text_of(s).to_owned(),
                kind => kind.describe(&lexed.symbols).trim_matches('`').to_owned(),
            })
            .collect();
        words.join(" ")
    }

    #[test]
    fn tokens() {
        let eof = "the end of the file";
        for (text, expected) in [
            ("a+++b", "a ++ + b"),
            ("x>>=1;y...z", "x >>= 1 ; y ... z"),
            (".5e+3f 1'000 0x1p-3 1..2", ".5e+3f 1'000 0x1p-3 1..2"),
            ("'\\'' \"a\\\"b\" L\"x\" u8\"y\"", "'\\'' \"a\\\"b\" L\"x\" u8\"y\""),
            ("a<:1:> <% %>", "a [ 1 ] { }"),
            ("x/* c */y // z\nw", "x y w"),
            ("__inline__ __restrict", "inline restrict"),
            ("a\n  #pragma acc loop\n#pragma omp x\n b", "a pragma0 b"),
            ("a # b", "a # b"),
            ("@", "@"),
            ("R\"(a\\b\"c\n#d??/)\" x", "\"a\\\\b\\\"c\\n#d??/\" x"),
            ("LR\"x()y\")x\" u8R\"--()--\"R", "L\")y\\\"\" u8\"\" R"),
            ("S\"(\" R (1)", "S \"(\" R ( 1 )"),
        ] {
            assert_eq!(kinds(text), format!("{expected} {eof}"), "{text}");
        }
    }

    #[test]
    fn markers_tell_file_and_line() {
        let text = "# 1 \"a.c\"\n# 1 \"/usr/include/x.h\" 1 3 4\nint a;\n# 7 \"a.c\" 2\n\nint b;\n";
        let lexed =
            lex(text.as_bytes().into(), "t.c", Families { openacc: true, ..Families::default() });
        let at = |i: usize| {
            let start = lexed.tokens[i].span.start;
            (lexed.source.place(lexed.tokens[i].span).to_string(), lexed.source.is_system(start))
        };
        assert_eq!(at(1), ("/usr/include/x.h:1:5".to_owned(), true));
        assert_eq!(at(4), ("a.c:8:5".to_owned(), false));
    }

    #[test]
    fn unfinished_literals_are_errors() {
        let lexed = lex((&b"char *s = \"ab;\nint 'x"[..]).into(), "t.c", Families::default());
        let messages: Vec<_> = lexed.diagnostics.iter().map(ToString::to_string).collect();
        assert_eq!(
            messages,
            [
                "t.c:1:11: error: this string literal has no closing `\"`",
                "t.c:2:5: error: this character constant has no closing `'`"
            ]
        );
        for text in
            ["R\"x(a)y\"", "R\"x", "R\" (a)\"", "R\"01234567890123456(a)01234567890123456\""]
        {
            let lexed = lex(text.as_bytes().into(), "t.c", Families::default());
            assert_eq!(
                lexed.diagnostics[0].message,
                "this raw string literal is not closed, by its mark and a quote"
            );
        }
    }
}

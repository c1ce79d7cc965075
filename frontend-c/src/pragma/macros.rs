//! The macros that `cc -E -dD` leaves in the text, and their expansion inside pragmas that the
//! preprocessor left alone because it does not know them.

use rustc_hash::FxHashMap;

use crate::lex::{Punct, Scanner, Token, TokenKind, is_identifier};
use crate::source::Span;
use crate::symbol::{Interner, Symbol};

/// More expansions than any directive needs; what needs more is a macro bomb.
const MOST_EXPANSIONS: usize = 10_000;

/// All `#define` and `#undef` lines, parsed only when a pragma needs one.
#[derive(Clone, Debug, Default)]
pub struct MacroTable {
    /// What follows the word `define` or `undef`, and whether it is a definition.
    lines: Vec<(Span, bool)>,
    /// By name: the lines that change it, in order.
    by_name: Option<FxHashMap<Symbol, Vec<usize>>>,
}

#[derive(Clone, Debug)]
struct Macro {
    parameters: Option<Vec<Symbol>>,
    variadic: bool,
    body: Vec<Token>,
}

/// A token under expansion with the macros that may not expand it again, a linked list.
#[derive(Clone, Copy)]
struct Pending {
    token: Token,
    hidden: usize,
}

const NOTHING_HIDDEN: usize = usize::MAX;

/// The word at the start of a `define` line's rest.
fn name_of(text: &[u8]) -> &[u8] {
    let text = text.trim_ascii_start();
    let length = text
        .iter()
        .take_while(|b| b.is_ascii_alphanumeric() || **b == b'_' || **b == b'$' || **b >= 0x80)
        .count();
    &text[..length]
}

pub(crate) fn spelling(token: &Token, symbols: &Interner) -> String {
    match token.kind {
        TokenKind::Ident(s) | TokenKind::Number(s) | TokenKind::Char(s) | TokenKind::String(s) => {
            symbols.text_of(s).to_owned()
        }
        TokenKind::Keyword(k) => k.spelling().to_owned(),
        TokenKind::Punct(p) => p.spelling().to_owned(),
        TokenKind::Unknown(byte) => (byte as char).to_string(),
        TokenKind::Pragma(_) | TokenKind::EndOfPragma | TokenKind::Eof => String::new(),
    }
}

fn scan(text: &[u8], symbols: &mut Interner) -> Vec<Token> {
    let mut scanner = Scanner::new(text, 0, symbols);
    let mut tokens = Vec::new();
    loop {
        let token = scanner.token();
        if token.kind == TokenKind::Eof {
            return tokens;
        }
        tokens.push(token);
    }
}

impl MacroTable {
    /// Notes a `#define` or `#undef` line by what follows the word.
    pub(crate) fn record(&mut self, rest: Span, defines: bool) {
        self.lines.push((rest, defines));
        self.by_name = None;
    }

    fn index(&mut self, text: &[u8], symbols: &mut Interner) {
        if self.by_name.is_some() {
            return;
        }
        let mut map: FxHashMap<Symbol, Vec<usize>> = FxHashMap::default();
        for (index, (span, _)) in self.lines.iter().enumerate() {
            if let Ok(name) = std::str::from_utf8(name_of(&text[span.range()])) {
                map.entry(symbols.intern(name)).or_default().push(index);
            }
        }
        self.by_name = Some(map);
    }

    /// Whether `name` is a macro at `offset`.
    pub fn is_defined(
        &mut self,
        name: &str,
        offset: u32,
        text: &[u8],
        symbols: &mut Interner,
    ) -> bool {
        let name = symbols.intern(name);
        self.line_of(name, offset, text, symbols).is_some()
    }

    /// The line that defines `name` at `offset`.
    fn line_of(
        &mut self,
        name: Symbol,
        offset: u32,
        text: &[u8],
        symbols: &mut Interner,
    ) -> Option<Span> {
        self.index(text, symbols);
        let changes = self.by_name.as_ref()?.get(&name)?;
        let last = changes.iter().rev().find(|&&i| self.lines[i].0.start < offset)?;
        let (span, defines) = self.lines[*last];
        defines.then_some(span)
    }

    fn definition(
        &mut self,
        name: Symbol,
        offset: u32,
        text: &[u8],
        symbols: &mut Interner,
    ) -> Option<Macro> {
        let span = self.line_of(name, offset, text, symbols)?;
        let rest = text[span.range()].trim_ascii_start();
        let rest = &rest[name_of(rest).len()..];
        let function_like = rest.first() == Some(&b'(');
        let mut tokens = scan(rest, symbols);
        if !function_like {
            return Some(Macro { parameters: None, variadic: false, body: tokens });
        }
        let close = tokens.iter().position(|t| t.kind == TokenKind::Punct(Punct::RParen))?;
        let body = tokens.split_off(close + 1);
        let mut parameters = Vec::new();
        let mut variadic = false;
        for token in &tokens {
            match token.kind {
                TokenKind::Ident(symbol) => parameters.push(symbol),
                TokenKind::Punct(Punct::Ellipsis) => {
                    variadic = true;
                    // GNU's `args...` names the rest; otherwise it is __VA_ARGS__.
                    let named = tokens.iter().rev().nth(2);
                    if !matches!(named.map(|t| t.kind), Some(TokenKind::Ident(_))) {
                        parameters.push(symbols.intern("__VA_ARGS__"));
                    }
                }
                _ => {}
            }
        }
        Some(Macro { parameters: Some(parameters), variadic, body })
    }

    /// Expands the macros in `tokens`, a pragma's at `offset`. Tokens out of a macro get the span
    /// of the name that brought them.
    ///
    /// # Errors
    /// A sentence, with the place, when the expansion does not end in reasonable time or a macro is
    /// called with the wrong number of arguments.
    pub(crate) fn expand(
        &mut self,
        tokens: &[Token],
        offset: u32,
        text: &[u8],
        symbols: &mut Interner,
    ) -> Result<Vec<Token>, (Span, String)> {
        let mut run =
            Expansion { table: self, offset, text, symbols, hidden: Vec::new(), steps: 0 };
        let input = tokens.iter().map(|&token| Pending { token, hidden: NOTHING_HIDDEN }).collect();
        Ok(run.expand(input)?.into_iter().map(|p| p.token).collect())
    }
}

struct Expansion<'a> {
    table: &'a mut MacroTable,
    offset: u32,
    text: &'a [u8],
    symbols: &'a mut Interner,
    /// Linked lists of hidden names.
    hidden: Vec<(Symbol, usize)>,
    steps: usize,
}

impl Expansion<'_> {
    fn is_hidden(&self, name: Symbol, mut list: usize) -> bool {
        while let Some(&(hidden, next)) = self.hidden.get(list) {
            if hidden == name {
                return true;
            }
            list = next;
        }
        false
    }

    fn expand(&mut self, mut input: Vec<Pending>) -> Result<Vec<Pending>, (Span, String)> {
        input.reverse();
        let mut output = Vec::with_capacity(input.len());
        while let Some(pending) = input.pop() {
            let TokenKind::Ident(name) = pending.token.kind else {
                output.push(pending);
                continue;
            };
            if self.is_hidden(name, pending.hidden) {
                output.push(pending);
                continue;
            }
            let Some(definition) =
                self.table.definition(name, self.offset, self.text, self.symbols)
            else {
                output.push(pending);
                continue;
            };
            let mut arguments = Vec::new();
            if let Some(parameters) = &definition.parameters {
                if input.last().map(|p| p.token.kind) != Some(TokenKind::Punct(Punct::LParen)) {
                    output.push(pending);
                    continue;
                }
                arguments = self.arguments(&mut input, &definition, parameters.len(), &pending)?;
            }
            self.steps += 1;
            if self.steps > MOST_EXPANSIONS || output.len() + input.len() > MOST_EXPANSIONS {
                let message = "the macros in this directive expand without a reasonable end";
                return Err((pending.token.span, message.to_owned()));
            }
            self.hidden.push((name, pending.hidden));
            let hidden = self.hidden.len() - 1;
            let mut body = self.substitute(&definition, &arguments)?;
            for result in &mut body {
                result.token.span = pending.token.span;
                // What came in by an argument keeps what hid there, as GCC has it.
                if result.hidden == NOTHING_HIDDEN {
                    result.hidden = hidden;
                }
            }
            input.extend(body.into_iter().rev());
        }
        Ok(output)
    }

    /// Takes the parenthesised arguments of a call from the end of `input`.
    fn arguments(
        &mut self,
        input: &mut Vec<Pending>,
        definition: &Macro,
        count: usize,
        name: &Pending,
    ) -> Result<Vec<Vec<Pending>>, (Span, String)> {
        let mut arguments: Vec<Vec<Pending>> = vec![Vec::new()];
        let mut depth = 0;
        while let Some(pending) = input.pop() {
            let rest = definition.variadic && arguments.len() == count;
            match pending.token.kind {
                TokenKind::Punct(Punct::LParen) => {
                    depth += 1;
                    if depth == 1 {
                        continue;
                    }
                }
                TokenKind::Punct(Punct::RParen) => {
                    depth -= 1;
                    if depth == 0 {
                        if count == 0 && arguments.len() == 1 && arguments[0].is_empty() {
                            arguments.clear();
                        }
                        if definition.variadic && arguments.len() + 1 == count {
                            arguments.push(Vec::new());
                        }
                        if arguments.len() != count {
                            let message = format!(
                                "this macro takes {count} arguments, not {}",
                                arguments.len()
                            );
                            return Err((name.token.span, message));
                        }
                        return Ok(arguments);
                    }
                }
                TokenKind::Punct(Punct::Comma) if depth == 1 && !rest => {
                    arguments.push(Vec::new());
                    continue;
                }
                _ => {}
            }
            if let Some(argument) = arguments.last_mut() {
                argument.push(pending);
            }
        }
        Err((name.token.span, "the call of this macro has no closing `)`".to_owned()))
    }

    /// The body with the arguments put in, `#` and `##` carried out.
    fn substitute(
        &mut self,
        definition: &Macro,
        arguments: &[Vec<Pending>],
    ) -> Result<Vec<Pending>, (Span, String)> {
        let none = Vec::new();
        let parameters = definition.parameters.as_ref().unwrap_or(&none);
        let argument_of = |token: &Token| match token.kind {
            TokenKind::Ident(s) => parameters.iter().position(|&p| p == s).map(|i| &arguments[i]),
            _ => None,
        };
        let paste = TokenKind::Punct(Punct::HashHash);
        let mut out: Vec<Pending> = Vec::new();
        let mut body = definition.body.iter().peekable();
        let mut pasting = false;
        while let Some(token) = body.next() {
            if token.kind == paste {
                pasting = true;
                continue;
            }
            let mut piece: Vec<Pending> = Vec::new();
            let stringize = token.kind == TokenKind::Punct(Punct::Hash);
            if stringize && let Some(argument) = body.peek().and_then(|next| argument_of(next)) {
                body.next();
                piece.push(self.stringize(argument, token));
            } else if let Some(argument) = argument_of(token) {
                let raw = pasting || body.peek().is_some_and(|next| next.kind == paste);
                piece.extend(if raw { argument.clone() } else { self.expand(argument.clone())? });
            } else {
                piece.push(Pending { token: *token, hidden: NOTHING_HIDDEN });
            }
            if std::mem::take(&mut pasting)
                && !piece.is_empty()
                && let Some(left) = out.pop()
            {
                let joined =
                    spelling(&left.token, self.symbols) + &spelling(&piece[0].token, self.symbols);
                let tokens = scan(joined.as_bytes(), self.symbols);
                out.extend(tokens.iter().map(|&token| Pending { token, hidden: left.hidden }));
                piece.remove(0);
            }
            out.extend(piece);
        }
        Ok(out)
    }

    fn stringize(&mut self, argument: &[Pending], at: &Token) -> Pending {
        let mut text = String::from("\"");
        for (index, pending) in argument.iter().enumerate() {
            if index > 0 && argument[index - 1].token.span.end < pending.token.span.start {
                text.push(' ');
            }
            let word = spelling(&pending.token, self.symbols);
            let quoted = matches!(pending.token.kind, TokenKind::String(_) | TokenKind::Char(_));
            for c in word.chars() {
                if quoted && matches!(c, '"' | '\\') {
                    text.push('\\');
                }
                text.push(c);
            }
        }
        text.push('"');
        let symbol = self.symbols.intern(&text);
        debug_assert!(!is_identifier(self.symbols, symbol));
        let token = Token { kind: TokenKind::String(symbol), span: at.span };
        Pending { token, hidden: NOTHING_HIDDEN }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expand(defines: &[&str], pragma: &str) -> String {
        let mut symbols = Interner::default();
        let mut table = MacroTable::default();
        let mut text = String::new();
        for define in defines {
            let start = text.len() as u32;
            text.push_str(define);
            table.record(Span::new(start, text.len() as u32), true);
        }
        let tokens = scan(pragma.as_bytes(), &mut symbols);
        match table.expand(&tokens, text.len() as u32, text.as_bytes(), &mut symbols) {
            Ok(tokens) => {
                let words: Vec<_> = tokens.iter().map(|t| spelling(t, &symbols)).collect();
                words.join(" ")
            }
            Err((_, message)) => format!("error: {message}"),
        }
    }

    #[test]
    fn expansion() {
        for (defines, pragma, expected) in [
            (&["N 5"][..], "copy(a[0:N])", "copy ( a [ 0 : 5 ] )"),
            (&["N M", "M (N+1)"], "N", "( N + 1 )"),
            (&["F(x,y) x+y", "N 3"], "F(N,(1,2)) F", "3 + ( 1 , 2 ) F"),
            (&["F(x) x##1", "a1 7"], "F(a)", "7"),
            (&["S(x) #x"], "S(a  + \"b\")", "\"a + \\\"b\\\"\""),
            (&["V(a,...) f(a,__VA_ARGS__)"], "V(1,2,3)", "f ( 1 , 2 , 3 )"),
            (&["G(x) [x]", "F G"], "F(2)", "[ 2 ]"),
            (&["F(x) x"], "F(1,2)", "error: this macro takes 1 arguments, not 2"),
            (&["F(x) x"], "F(1", "error: the call of this macro has no closing `)`"),
            (
                &[
                    "A B B B B B B B B",
                    "B C C C C C C C C",
                    "C D D D D D D D D",
                    "D E E E E E E E E",
                    "E F F F F F F",
                ],
                "A",
                "error: the macros in this directive expand without a reasonable end",
            ),
        ] {
            assert_eq!(expand(defines, pragma), expected, "{pragma}");
        }
    }
}

//! `begin declare variant` (OpenMP 5.2 §7.5.5): functions between it and `end declare variant` are variants of those of their
//! names. Each gets a name of its own, and a `declare variant` with a declaration of the function that it is one of, ahead of
//! anything that reads the text: neither this compiler's checker nor host compilers, of which not all know the directive, see
//! two functions of one name.

use std::sync::Arc;

use gpuc_diagnostics::Diagnostic;

use super::parser::refusal;
use crate::Families;
use crate::lex::{Lexed, Punct, Token, TokenKind, lex};
use crate::source::Span;

/// A `begin declare variant`, with what it says behind these words.
struct Begin {
    span: Span,
    selector: String,
}

/// A change of the text: `text` in the place of a stretch.
struct Edit {
    span: Span,
    text: String,
}

/// The text of `file` with names for variants; `None` where it has none.
///
/// # Errors
/// One directive within another, and one without the other, each at its place.
pub(crate) fn named_apart(
    text: &Arc<[u8]>,
    file: &str,
) -> Result<Option<Vec<u8>>, Vec<Diagnostic>> {
    let begins = |line: &[u8]| {
        let line = line.trim_ascii_start();
        line.starts_with(b"#") && words(line).windows(2).any(|pair| pair == ["begin", "declare"])
    };
    if !text.split(|&byte| byte == b'\n').any(begins) {
        return Ok(None);
    }
    let families = Families { openmp: true, ..Families::default() };
    let lexed = lex(text.clone(), file, families);
    let edits = edits(text, &lexed)?;
    Ok((!edits.is_empty()).then(|| edited(text, edits)))
}

/// The words of a line.
fn words(line: &[u8]) -> Vec<&str> {
    let text = std::str::from_utf8(line).unwrap_or_default();
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect()
}

fn edits(text: &[u8], lexed: &Lexed) -> Result<Vec<Edit>, Vec<Diagnostic>> {
    let mut edits = Vec::new();
    let mut errors = Vec::new();
    let mut open: Option<Begin> = None;
    // How many stand within it, which are refused.
    let mut inner = 0;
    let mut count = 0;
    // Where the item begins that the token belongs to.
    let mut first = 0;
    let mut at = 0;
    while let Some(token) = lexed.tokens.get(at) {
        match token.kind {
            TokenKind::Pragma(number) => {
                let pragma = lexed.pragmas[number as usize];
                let body = &text[pragma.body.range()];
                let span = pragma.line;
                let error = |diagnostic: Diagnostic| diagnostic.at(lexed.source.place(span));
                match words(body).as_slice() {
                    ["begin", "declare", "variant", ..] if open.is_some() => {
                        errors
                            .push(error(refusal("begin declare variant in another one", "7.5.5")));
                        inner += 1;
                    }
                    ["begin", "declare", "variant", ..] => {
                        let body = String::from_utf8_lossy(body).into_owned();
                        let selector = body.split_once("variant").map_or("", |(_, rest)| rest);
                        let selector = selector.replace("\\\n", " ").trim().to_owned();
                        open = Some(Begin { span, selector });
                        edits.push(blank(text, span));
                    }
                    ["end", "declare", "variant", ..] if inner > 0 => inner -= 1,
                    ["end", "declare", "variant", ..] => {
                        if open.take().is_none() {
                            let message = "no `begin declare variant` is open here";
                            errors.push(error(Diagnostic::error(message)));
                        }
                        edits.push(blank(text, span));
                    }
                    _ => {}
                }
                at += 1;
                first = at;
            }
            TokenKind::Punct(Punct::Semicolon) => {
                at += 1;
                first = at;
            }
            TokenKind::Punct(Punct::LBrace) => {
                let end = closing(&lexed.tokens, at);
                // What stands in brackets behind a name is a function's parameters; behind them, its body.
                if let Some(name) = function_name(&lexed.tokens[first..at])
                    && let Some(begin) = &open
                {
                    let name = lexed.tokens[first + name].span;
                    let variant = variant_name(text, name, count);
                    count += 1;
                    edits.push(Edit { span: name, text: variant.clone() });
                    let declarator = lexed.tokens[first].span.to(lexed.tokens[at - 1].span);
                    edits.push(declaration(text, lexed, begin, &variant, declarator, end));
                    at = end + 1;
                    first = at;
                    continue;
                }
                at = end + 1;
                // The braces of a structure belong to what is declared behind them.
                if function_name(&lexed.tokens[first..at.min(lexed.tokens.len())]).is_some() {
                    first = at;
                }
            }
            TokenKind::Punct(Punct::LParen | Punct::LBracket) => {
                at = closing(&lexed.tokens, at) + 1;
            }
            _ => at += 1,
        }
    }
    if let Some(begin) = open {
        let diagnostic = Diagnostic::error("this `begin declare variant` is not ended").help(
            "write `#pragma omp end declare variant` behind the variants (OpenMP 5.2 §7.5.5)",
        );
        errors.push(diagnostic.at(lexed.source.place(begin.span)));
    }
    if errors.is_empty() { Ok(edits) } else { Err(errors) }
}

/// The token that closes the bracket there.
fn closing(tokens: &[Token], at: usize) -> usize {
    let mut depth = 0;
    for (number, token) in tokens.iter().enumerate().skip(at) {
        match token.kind {
            TokenKind::Punct(Punct::LParen | Punct::LBracket | Punct::LBrace) => depth += 1,
            TokenKind::Punct(Punct::RParen | Punct::RBracket | Punct::RBrace) => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return number;
        }
    }
    tokens.len() - 1
}

/// Which of the tokens of a declarator is the name of the function that it declares: the first one in front of brackets
/// outside of all others.
fn function_name(tokens: &[Token]) -> Option<usize> {
    let mut at = 0;
    while at + 1 < tokens.len() {
        if matches!(tokens[at].kind, TokenKind::Ident(_))
            && tokens[at + 1].kind == TokenKind::Punct(Punct::LParen)
        {
            return Some(at);
        }
        at = match tokens[at].kind {
            TokenKind::Punct(Punct::LParen | Punct::LBracket | Punct::LBrace) => {
                closing(tokens, at) + 1
            }
            _ => at + 1,
        };
    }
    None
}

fn variant_name(text: &[u8], name: Span, number: usize) -> String {
    format!("{}__variant_{number}", String::from_utf8_lossy(&text[name.range()]))
}

/// A line without what it says.
fn blank(text: &[u8], span: Span) -> Edit {
    let lines = text[span.range()].iter().filter(|&&byte| byte == b'\n').count();
    Edit { span, text: "\n".repeat(lines) }
}

/// Behind the body of a variant, which ends with that token: what it is a variant of.
fn declaration(
    text: &[u8],
    lexed: &Lexed,
    begin: &Begin,
    variant: &str,
    declarator: Span,
    end: usize,
) -> Edit {
    let end = lexed.tokens[end].span.end;
    let (file, line) = lexed.source.line(begin.span.start);
    let file = file.replace('\\', "\\\\").replace('"', "\\\"");
    let (_, back) = lexed.source.line(end);
    // On one line: what is wrong with it is said where the directive stands.
    let declarator = String::from_utf8_lossy(&text[declarator.range()]);
    let declarator = declarator.lines().filter(|line| !line.starts_with('#')).collect::<Vec<_>>();
    let declarator = declarator.join(" ");
    let column = lexed.source.preprocessed_column(end) as usize;
    let text = format!(
        "\n# {line} \"{file}\"\n#pragma omp declare variant({variant}) {}\n# {line} \"{file}\"\n{declarator};\n# {back} \"{file}\"\n{}",
        begin.selector,
        " ".repeat(column.saturating_sub(1))
    );
    Edit { span: Span::new(end, end), text }
}

fn edited(text: &[u8], mut edits: Vec<Edit>) -> Vec<u8> {
    edits.sort_by_key(|edit| edit.span.start);
    let mut out = Vec::with_capacity(text.len() + 1024);
    let mut at = 0;
    for edit in edits {
        let range = edit.span.range();
        out.extend_from_slice(&text[at..range.start]);
        out.extend_from_slice(edit.text.as_bytes());
        at = range.end;
    }
    out.extend_from_slice(&text[at..]);
    out
}

//! Macros and their expansion, with the padding by which GCC keeps tokens apart that were apart (its `cppinternals`
//! describes it): lines come out as GCC prints them, blank for blank.

use std::rc::Rc;

use super::lexer::scan;
use super::token::{
    BASE_FILE, BLANK, CLOSE, COMMA, COMPUTED, COUNTER, DOTS, FILE, FIRST, HAS_ATTRIBUTE,
    HAS_INCLUDE_NEXT, HASH, HASHES, INCLUDE_LEVEL, Kind, LINE, OPEN, PASTE, PLAIN, QUOTE, Spelling,
    Token, VA_ARGS, VA_OPT,
};
use super::{Answer, Leave, Preprocessor};

/// A macro of the program or one that the compiler defines.
#[derive(Debug)]
pub(super) struct Macro {
    /// The names of parameters; `None` for a macro that takes none.
    pub parameters: Option<Vec<Spelling>>,
    /// Whether the last parameter takes all further arguments.
    pub variadic: bool,
    pub body: Rc<[Token]>,
}

impl Macro {
    fn is_same(&self, other: &Macro) -> bool {
        let like = |(a, b): (&Token, &Token)| {
            (a.kind, a.flags & !FIRST, a.spelling) == (b.kind, b.flags & !FIRST, b.spelling)
        };
        self.parameters == other.parameters
            && self.variadic == other.variadic
            && self.body.len() == other.body.len()
            && self.body.iter().zip(&*other.body).all(like)
    }
}

/// Tokens that come before what the file has next.
#[derive(Debug)]
pub(super) struct Context {
    tokens: Tokens,
    at: usize,
    /// The macro that is not expanded among them.
    of: Option<Spelling>,
}

/// Those of a macro's body, or made for this place.
#[derive(Debug)]
enum Tokens {
    Shared(Rc<[Token]>),
    Owned(Vec<Token>),
}

impl Tokens {
    fn get(&self, at: usize) -> Option<&Token> {
        match self {
            Tokens::Shared(tokens) => tokens.get(at),
            Tokens::Owned(tokens) => tokens.get(at),
        }
    }
}

/// An argument of an invocation.
#[derive(Debug, Default)]
struct Argument {
    tokens: Vec<Token>,
    expanded: Option<Vec<Token>>,
    /// A variable argument that is not there at all.
    is_missing: bool,
}

impl Preprocessor<'_> {
    /// Reads a definition, behind `#define`. Gives the name.
    pub(super) fn read_definition(&mut self) -> Answer<(Spelling, Macro)> {
        let name = self.directive_token()?;
        if name.kind != Kind::Name
            || COMPUTED.contains(&name.spelling)
            || [super::token::DEFINED, VA_ARGS, VA_OPT].contains(&name.spelling)
        {
            return Err(Leave);
        }
        let mut token = self.directive_token()?;
        let mut parameters = None;
        let mut variadic = false;
        if token.is(OPEN) && !token.has(BLANK) {
            let mut names = Vec::new();
            loop {
                token = self.directive_token()?;
                if names.is_empty() && token.is(CLOSE) {
                    break;
                }
                if token.is(DOTS) {
                    names.push(VA_ARGS);
                    variadic = true;
                    token = self.directive_token()?;
                } else if token.kind == Kind::Name && !names.contains(&token.spelling) {
                    names.push(token.spelling);
                    token = self.directive_token()?;
                    if token.is(DOTS) {
                        variadic = true;
                        token = self.directive_token()?;
                    }
                } else {
                    return Err(Leave);
                }
                if token.is(CLOSE) {
                    break;
                }
                if !token.is(COMMA) || variadic {
                    return Err(Leave);
                }
            }
            parameters = Some(names);
            token = self.directive_token()?;
        } else if token.kind != Kind::End && !token.has(BLANK) {
            return Err(Leave);
        }
        let body = self.read_body(token, parameters.as_deref())?;
        Ok((name.spelling, Macro { parameters, variadic, body: body.into() }))
    }

    fn read_body(&mut self, first: Token, parameters: Option<&[Spelling]>) -> Answer<Vec<Token>> {
        let mut body: Vec<Token> = Vec::new();
        let mut token = first;
        // What `#` and `##` make of the next.
        let (mut quotes, mut quote_blank) = (false, 0);
        while token.kind != Kind::End {
            token.flags &= BLANK;
            if body.is_empty() && !quotes {
                token.flags = 0;
            }
            if token.spelling == VA_OPT {
                return Err(Leave);
            }
            if token.is(HASHES) {
                let last =
                    body.last_mut().filter(|last| !quotes && !last.has(PASTE)).ok_or(Leave)?;
                last.flags |= PASTE;
            } else if token.is(HASH) && parameters.is_some() {
                if quotes {
                    return Err(Leave);
                }
                (quotes, quote_blank) = (true, token.flags & BLANK);
            } else {
                if token.kind == Kind::Name {
                    let parameter =
                        |names: &[Spelling]| names.iter().position(|&n| n == token.spelling);
                    match parameters.and_then(parameter) {
                        Some(index) => token.kind = Kind::Parameter(index as u16),
                        None if token.spelling == VA_ARGS => return Err(Leave),
                        None => {}
                    }
                }
                if quotes {
                    if !matches!(token.kind, Kind::Parameter(_)) {
                        return Err(Leave);
                    }
                    token.flags = quote_blank | QUOTE;
                    quotes = false;
                }
                body.push(token);
            }
            token = self.directive_token()?;
        }
        if quotes || body.last().is_some_and(|last| last.has(PASTE)) {
            return Err(Leave);
        }
        Ok(body)
    }

    /// Defines a macro; a second definition that is another one is warned of.
    pub(super) fn define(&mut self, name: Spelling, new: Macro) -> Answer<()> {
        if self.definition(name).is_some_and(|old| !old.is_same(&new)) {
            return Err(Leave);
        }
        let index = name as usize;
        if self.macros.len() <= index {
            self.macros.resize_with(index + 1, || None);
        }
        self.macros[index] = Some(Rc::new(new));
        Ok(())
    }

    pub(super) fn undefine(&mut self, name: Spelling) {
        self.resolve();
        if let Some(place) = self.macros.get_mut(name as usize) {
            *place = None;
        }
    }

    pub(super) fn definition(&mut self, name: Spelling) -> Option<&Rc<Macro>> {
        if self.resolved <= name as usize {
            self.resolve();
        }
        self.macros.get(name as usize)?.as_ref()
    }

    /// The text of a definition as `-dD` leaves it.
    pub(super) fn print_definition(&mut self, name: Spelling, of: &Macro) {
        let Preprocessor { spellings, printer, .. } = self;
        let out = &mut printer.out;
        out.extend_from_slice(spellings.text(name));
        if let Some(parameters) = &of.parameters {
            out.push(b'(');
            for (index, &parameter) in parameters.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                if parameter != VA_ARGS {
                    out.extend_from_slice(spellings.text(parameter));
                }
                if of.variadic && index + 1 == parameters.len() {
                    out.extend_from_slice(b"...");
                }
            }
            out.push(b')');
        }
        out.push(b' ');
        for token in &*of.body {
            if token.has(BLANK) {
                out.push(b' ');
            }
            if token.has(QUOTE) {
                out.push(b'#');
            }
            out.extend_from_slice(spellings.text(token.spelling));
            if token.has(PASTE) {
                out.extend_from_slice(b" ##");
            }
        }
    }

    pub(super) fn push(&mut self, tokens: Vec<Token>, of: Option<Spelling>) {
        self.contexts.push(Context { tokens: Tokens::Owned(tokens), at: 0, of });
    }

    /// The next token of a text in which macros are expanded. Its line and column are those of what the file has in
    /// its place.
    pub(super) fn expanded(&mut self) -> Answer<Token> {
        loop {
            let mut token = match self.contexts.last_mut() {
                None => self.lex()?,
                Some(context) => match context.tokens.get(context.at) {
                    Some(&token) => {
                        context.at += 1;
                        let token =
                            Token { line: self.invocation.0, column: self.invocation.1, ..token };
                        if token.has(PASTE) {
                            let pasted = self.paste(token)?;
                            self.push(vec![pasted], None);
                            if self.in_directive {
                                continue;
                            }
                            return Ok(Token::padding(Some(&token)));
                        }
                        token
                    }
                    None => {
                        self.contexts.pop();
                        if self.in_directive || self.in_pragma {
                            continue;
                        }
                        return Ok(Token::padding(None));
                    }
                },
            };
            if matches!(token.kind, Kind::Padding(_)) && self.in_pragma {
                continue;
            }
            if token.kind != Kind::Name || token.has(PLAIN) {
                return Ok(token);
            }
            if COMPUTED.contains(&token.spelling) {
                // Those that ask are the condition's.
                if self.in_condition && (HAS_ATTRIBUTE..=HAS_INCLUDE_NEXT).contains(&token.spelling)
                {
                    return Ok(token);
                }
                if self.unexpanding > 0 {
                    return Ok(token);
                }
                if self.contexts.is_empty() {
                    self.invocation = (token.line, token.column);
                }
                let computed = self.computed(&token)?;
                self.push(vec![computed], None);
            } else {
                let Some(of) = self.definition(token.spelling).cloned() else {
                    if token.spelling == super::token::PRAGMA {
                        return Err(Leave);
                    }
                    return Ok(token);
                };
                if self.contexts.iter().any(|context| context.of == Some(token.spelling)) {
                    token.flags |= PLAIN;
                    return Ok(token);
                }
                if self.unexpanding > 0 {
                    return Ok(token);
                }
                if self.contexts.is_empty() {
                    self.invocation = (token.line, token.column);
                }
                if !self.enter(token.spelling, &of)? {
                    return Ok(token);
                }
            }
            if self.in_directive {
                continue;
            }
            return Ok(Token::padding(Some(&token)));
        }
    }

    /// Makes the next token what it is again.
    fn back_up(&mut self, token: Token) {
        match self.contexts.last_mut() {
            Some(context) => context.at -= 1,
            None => self.ahead = Some(token),
        }
    }

    /// Has the expansion of a macro come next; `false` for one that takes arguments and has none here.
    fn enter(&mut self, name: Spelling, of: &Rc<Macro>) -> Answer<bool> {
        let Some(parameters) = &of.parameters else {
            self.contexts.push(Context {
                tokens: Tokens::Shared(of.body.clone()),
                at: 0,
                of: Some(name),
            });
            return Ok(true);
        };
        self.unexpanding += 1;
        let arguments = self.arguments(parameters.len(), of.variadic);
        self.unexpanding -= 1;
        let Some(arguments) = arguments? else { return Ok(false) };
        let tokens = self.replaced(of, arguments)?;
        self.push(tokens, Some(name));
        Ok(true)
    }

    fn arguments(&mut self, count: usize, variadic: bool) -> Answer<Option<Vec<Argument>>> {
        let mut padding: Option<Token> = None;
        let token = loop {
            self.looks_for_arguments = true;
            let token = self.expanded();
            self.looks_for_arguments = false;
            let token = token?;
            let Kind::Padding(source) = token.kind else { break token };
            let replaces = match padding.map(|padding| padding.kind) {
                None | Some(Kind::Padding(None)) => true,
                Some(Kind::Padding(Some(blank))) => !blank && source.is_none(),
                Some(_) => false,
            };
            if replaces {
                padding = Some(token);
            }
        };
        if !token.is(OPEN) {
            // The end of a directive's line and of the file is there again by itself.
            if token.kind != Kind::End || !self.contexts.is_empty() {
                self.back_up(token);
                if let Some(padding) = padding {
                    self.push(vec![padding], None);
                }
            }
            return Ok(None);
        }
        let mut arguments = vec![Argument::default()];
        let mut depth = 0;
        loop {
            self.reads_arguments = true;
            let token = self.expanded();
            self.reads_arguments = false;
            let token = token?;
            let found = arguments.len();
            let Some(argument) = arguments.last_mut() else { return Err(Leave) };
            if matches!(token.kind, Kind::Padding(_)) && argument.tokens.is_empty() {
                continue;
            }
            // In an argument it is the number of its own line, not of the macro's name.
            let is_on_another_line = token.spelling == LINE && token.line != self.invocation.0;
            if token.kind == Kind::End || is_on_another_line {
                return Err(Leave);
            }
            if token.is(OPEN) {
                depth += 1;
            } else if token.is(CLOSE) {
                if depth == 0 {
                    break;
                }
                depth -= 1;
            } else if token.is(COMMA) && depth == 0 && !(variadic && found == count) {
                arguments.push(Argument::default());
                continue;
            }
            argument.tokens.push(token);
        }
        for argument in &mut arguments {
            let is_padding = |token: &Token| matches!(token.kind, Kind::Padding(_));
            let kept = argument.tokens.iter().rposition(|token| !is_padding(token));
            argument.tokens.truncate(kept.map_or(0, |last| last + 1));
        }
        if count == 0 && arguments.len() == 1 && arguments[0].tokens.is_empty() {
            arguments.clear();
        }
        let alone = arguments.len() == 1 && count == 1 && arguments[0].tokens.is_empty();
        if variadic && alone {
            // What becomes of the comma ahead of it depends on the standard.
            arguments[0].is_missing = !self.is_strict;
        }
        if variadic && arguments.len() + 1 == count {
            arguments.push(Argument { is_missing: true, ..Argument::default() });
        }
        if arguments.len() == count { Ok(Some(arguments)) } else { Err(Leave) }
    }

    /// The replacement of an invocation.
    fn replaced(&mut self, of: &Macro, mut arguments: Vec<Argument>) -> Answer<Vec<Token>> {
        let count = arguments.len();
        let handed: usize = arguments.iter().map(|argument| argument.tokens.len()).sum();
        let mut out: Vec<Token> = Vec::with_capacity(3 * of.body.len() + handed);
        for (index, source) in of.body.iter().enumerate() {
            let Kind::Parameter(number) = source.kind else {
                out.push(*source);
                continue;
            };
            let is_last = usize::from(number) + 1 == count;
            let argument = arguments.get_mut(usize::from(number)).ok_or(Leave)?;
            let pasted = index > 0 && of.body[index - 1].has(PASTE);
            // The token whose mark `PASTE` changes.
            let mut changed = None;
            let quoted;
            let tokens: &[Token] = if source.has(QUOTE) {
                quoted = [self.quoted(&argument.tokens, source)?];
                &quoted
            } else if source.has(PASTE) {
                &argument.tokens
            } else if pasted {
                if let Some(last) = out.last() {
                    if last.is(COMMA) && of.variadic && is_last {
                        if argument.is_missing {
                            out.pop();
                        } else {
                            changed = Some(out.len() - 1);
                        }
                    } else if argument.tokens.is_empty() {
                        changed = Some(out.len() - 1);
                    }
                }
                &argument.tokens
            } else if argument.tokens.iter().all(|token| self.stays(token)) {
                &argument.tokens
            } else {
                if argument.expanded.is_none() {
                    argument.expanded = Some(self.expand(argument.tokens.clone())?);
                }
                argument.expanded.as_deref().unwrap_or_default()
            };
            if !self.in_directive && index > 0 && !pasted {
                out.push(Token::padding(Some(source)));
            }
            if !tokens.is_empty() {
                out.extend_from_slice(tokens);
                if source.has(PASTE) {
                    changed = Some(out.len() - 1);
                }
            }
            if !self.in_directive && !source.has(PASTE) {
                out.push(Token::padding(None));
            }
            if let Some(at) = changed.filter(|&at| at < out.len()) {
                if source.has(PASTE) {
                    out[at].flags |= PASTE;
                } else {
                    out[at].flags &= !PASTE;
                }
            }
        }
        Ok(out)
    }

    /// Whether a token is none that expansion changes.
    fn stays(&mut self, token: &Token) -> bool {
        token.kind != Kind::Name
            || token.has(PLAIN)
            || !(COMPUTED.contains(&token.spelling)
                || token.spelling == super::token::PRAGMA
                || self.definition(token.spelling).is_some())
    }

    /// All of an argument, expanded by itself.
    fn expand(&mut self, mut tokens: Vec<Token>) -> Answer<Vec<Token>> {
        let unexpanding = std::mem::take(&mut self.unexpanding);
        let invocation = self.invocation;
        tokens.push(Token::end(0));
        self.push(tokens, None);
        let mut out = Vec::new();
        loop {
            let token = self.expanded()?;
            if token.kind == Kind::End {
                break;
            }
            out.push(token);
        }
        self.contexts.pop();
        self.unexpanding = unexpanding;
        self.invocation = invocation;
        Ok(out)
    }

    /// `#argument`.
    fn quoted(&mut self, tokens: &[Token], parameter: &Token) -> Answer<Token> {
        let mut text = vec![b'"'];
        let mut source: Option<bool> = None;
        for token in tokens {
            if let Kind::Padding(of) = token.kind {
                if source.is_none_or(|blank| !blank && of.is_none()) {
                    source = of;
                }
                continue;
            }
            if text.len() > 1 && source.unwrap_or(token.has(BLANK)) {
                text.push(b' ');
            }
            source = None;
            let spelling = self.spellings.text(token.spelling);
            match token.kind {
                Kind::String | Kind::Character => {
                    for &byte in spelling {
                        if byte == b'"' || byte == b'\\' {
                            text.push(b'\\');
                        }
                        if byte == b'\n' || byte >= 0x80 {
                            return Err(Leave);
                        }
                        text.push(byte);
                    }
                }
                Kind::Other => return Err(Leave),
                _ => text.extend_from_slice(spelling),
            }
        }
        text.push(b'"');
        let spelling = self.spellings.number(&text);
        Ok(Token { kind: Kind::String, flags: 0, spelling, ..*parameter })
    }

    /// A token and all that are pasted to it.
    fn paste(&mut self, first: Token) -> Answer<Token> {
        let mut left = first;
        loop {
            let context = self.contexts.last_mut().ok_or(Leave)?;
            let right = *context.tokens.get(context.at).ok_or(Leave)?;
            context.at += 1;
            match right.kind {
                Kind::Padding(None) => {}
                Kind::Padding(Some(_)) | Kind::End => return Err(Leave),
                _ => {
                    let mut text = self.spellings.text(left.spelling).to_vec();
                    text.extend_from_slice(self.spellings.text(right.spelling));
                    if text.starts_with(b"//") || text.starts_with(b"/*") {
                        return Err(Leave);
                    }
                    let (kind, length) = scan(&text)?;
                    if length != text.len() || kind == Kind::Other {
                        return Err(Leave);
                    }
                    let spelling = self.spellings.number(&text);
                    left = Token { kind, flags: left.flags & BLANK, spelling, ..left };
                }
            }
            if !right.has(PASTE) {
                break;
            }
        }
        left.flags &= !PASTE;
        Ok(left)
    }

    /// What a macro of the compiler's is here.
    fn computed(&mut self, name: &Token) -> Answer<Token> {
        let (kind, text) = match name.spelling {
            LINE => (Kind::Number, self.invocation.0.to_string().into_bytes()),
            COUNTER => {
                self.counter += 1;
                (Kind::Number, (self.counter - 1).to_string().into_bytes())
            }
            INCLUDE_LEVEL => (Kind::Number, (self.files.len() - 1).to_string().into_bytes()),
            FILE => {
                (Kind::String, super::printer::quoted_name(&self.files.last().ok_or(Leave)?.name))
            }
            BASE_FILE => {
                self.names_source = true;
                (Kind::String, super::printer::quoted_name(&self.files[0].name))
            }
            // `DATE`, `TIME` and `TIMESTAMP`, and questions outside of conditions.
            _ => return Err(Leave),
        };
        let spelling = self.spellings.number(&text);
        Ok(Token { kind, flags: 0, spelling, ..*name })
    }

    /// Whether a name is one of a macro.
    pub(super) fn is_defined(&mut self, name: Spelling) -> bool {
        if COMPUTED.contains(&name) {
            return self.compiler.has(self.spellings.text(name));
        }
        self.definition(name).is_some()
    }
}

//! The expressions of `#if` (C17, 6.10.1).

use super::token::{
    CLOSE, DEFINED, HAS_ATTRIBUTE, HAS_BUILTIN, HAS_CPP_ATTRIBUTE, HAS_INCLUDE, HAS_INCLUDE_NEXT,
    Kind, OPEN, Token,
};
use super::{Answer, Leave, Preprocessor};

/// A number of the widest type.
#[derive(Clone, Copy, Debug)]
struct Number {
    bits: u64,
    unsigned: bool,
}

impl Number {
    fn signed(value: i64) -> Number {
        Number { bits: value as u64, unsigned: false }
    }

    fn truth(value: bool) -> Number {
        Number::signed(value.into())
    }

    fn is_true(self) -> bool {
        self.bits != 0
    }
}

impl Preprocessor<'_> {
    /// The truth of the expression on the rest of a directive's line.
    pub(super) fn condition(&mut self) -> Answer<bool> {
        self.ahead_in_condition = None;
        self.in_condition = true;
        let value = self.choice(true);
        let end = self.peek();
        self.in_condition = false;
        if end?.kind == Kind::End { Ok(value?.is_true()) } else { Err(Leave) }
    }

    fn peek(&mut self) -> Answer<Token> {
        if let Some(token) = self.ahead_in_condition {
            return Ok(token);
        }
        let token = self.operand()?;
        self.ahead_in_condition = Some(token);
        Ok(token)
    }

    fn take(&mut self) -> Answer<Token> {
        let token = self.peek()?;
        self.ahead_in_condition = None;
        Ok(token)
    }

    /// The next token, in which macros are expanded and the operators on names carried out.
    fn operand(&mut self) -> Answer<Token> {
        let token = loop {
            let token = self.expanded()?;
            if !matches!(token.kind, Kind::Padding(_)) {
                break token;
            }
        };
        if token.kind != Kind::Name {
            return Ok(token);
        }
        let truth = match token.spelling {
            DEFINED => {
                // Out of a macro it is warned of.
                if !self.contexts.is_empty() {
                    return Err(Leave);
                }
                let mut name = self.directive_token()?;
                let in_brackets = name.is(OPEN);
                if in_brackets {
                    name = self.directive_token()?;
                }
                if name.kind != Kind::Name {
                    return Err(Leave);
                }
                if in_brackets && !self.directive_token()?.is(CLOSE) {
                    return Err(Leave);
                }
                i64::from(self.is_defined(name.spelling))
            }
            HAS_INCLUDE | HAS_INCLUDE_NEXT => {
                if !self.contexts.is_empty() {
                    return Err(Leave);
                }
                if !self.directive_token()?.is(OPEN) {
                    return Err(Leave);
                }
                let found = self.has_include(token.spelling == HAS_INCLUDE_NEXT)?;
                if !self.directive_token()?.is(CLOSE) {
                    return Err(Leave);
                }
                found.into()
            }
            HAS_ATTRIBUTE | HAS_CPP_ATTRIBUTE | HAS_BUILTIN => {
                self.unexpanding += 1;
                let words = (|| {
                    if !self.unpadded()?.is(OPEN) {
                        return Err(Leave);
                    }
                    let name = self.unpadded()?;
                    if name.kind != Kind::Name || !self.unpadded()?.is(CLOSE) {
                        return Err(Leave);
                    }
                    Ok(name)
                })();
                self.unexpanding -= 1;
                let question = self.spellings.text(token.spelling).to_vec();
                let name = self.spellings.text(words?.spelling).to_vec();
                let text = self.files.last().ok_or(Leave)?.lexer.text().clone();
                self.compiler.answer(&question, &name, &text.bytes)?
            }
            _ => 0,
        };
        let spelling = self.spellings.number(truth.to_string().as_bytes());
        Ok(Token { kind: Kind::Number, spelling, flags: 0, ..token })
    }

    fn unpadded(&mut self) -> Answer<Token> {
        loop {
            let token = self.expanded()?;
            if !matches!(token.kind, Kind::Padding(_)) {
                return Ok(token);
            }
        }
    }

    fn choice(&mut self, counts: bool) -> Answer<Number> {
        let condition = self.binary(0, counts)?;
        if !self.is_next("?")? {
            return Ok(condition);
        }
        self.take()?;
        let first = self.choice(counts && condition.is_true())?;
        if !self.is_next(":")? {
            return Err(Leave);
        }
        self.take()?;
        let second = self.choice(counts && !condition.is_true())?;
        let unsigned = first.unsigned || second.unsigned;
        let bits = if condition.is_true() { first.bits } else { second.bits };
        Ok(Number { bits, unsigned })
    }

    fn is_next(&mut self, mark: &str) -> Answer<bool> {
        let token = self.peek()?;
        Ok(token.kind == Kind::Mark && self.spellings.text(token.spelling) == mark.as_bytes())
    }

    /// Operators of at least a level. What does not count is read only: it may divide by nothing.
    fn binary(&mut self, level: usize, counts: bool) -> Answer<Number> {
        const LEVELS: [&[&str]; 10] = [
            &["||"],
            &["&&"],
            &["|"],
            &["^"],
            &["&"],
            &["==", "!="],
            &["<", ">", "<=", ">="],
            &["<<", ">>"],
            &["+", "-"],
            &["*", "/", "%"],
        ];
        let Some(operators) = LEVELS.get(level) else { return self.unary(counts) };
        let mut left = self.binary(level + 1, counts)?;
        loop {
            let token = self.peek()?;
            if token.kind != Kind::Mark {
                return Ok(left);
            }
            let text = self.spellings.text(token.spelling);
            let Some(&operator) = operators.iter().find(|o| o.as_bytes() == text) else {
                return Ok(left);
            };
            self.take()?;
            let counts = counts
                && match operator {
                    "||" => !left.is_true(),
                    "&&" => left.is_true(),
                    _ => true,
                };
            let right = self.binary(level + 1, counts)?;
            left = binary(operator, left, right, counts)?;
        }
    }

    fn unary(&mut self, counts: bool) -> Answer<Number> {
        let token = self.take()?;
        let text = self.spellings.text(token.spelling).to_vec();
        match (token.kind, &*text) {
            (Kind::Mark, b"!") => Ok(Number::truth(!self.unary(counts)?.is_true())),
            (Kind::Mark, b"~") => {
                let of = self.unary(counts)?;
                Ok(Number { bits: !of.bits, ..of })
            }
            (Kind::Mark, b"-") => {
                let of = self.unary(counts)?;
                // It overflows, which is warned of.
                if !of.unsigned && of.bits == 1 << 63 {
                    return Err(Leave);
                }
                Ok(Number { bits: of.bits.wrapping_neg(), ..of })
            }
            (Kind::Mark, b"+") => self.unary(counts),
            (Kind::Mark, b"(") => {
                let value = self.choice(counts)?;
                if self.take()?.is(CLOSE) { Ok(value) } else { Err(Leave) }
            }
            (Kind::Number, text) => integer(text),
            (Kind::Character, [b'\'', byte, b'\'']) if byte.is_ascii() && *byte != b'\\' => {
                Ok(Number::signed(i64::from(*byte)))
            }
            _ => Err(Leave),
        }
    }
}

fn integer(text: &[u8]) -> Answer<Number> {
    let text = std::str::from_utf8(text).map_err(|_| Leave)?;
    let digits_end = |hex: bool| {
        let is_digit = move |c: char| if hex { c.is_ascii_hexdigit() } else { c.is_ascii_digit() };
        move |text: &str| text.find(|c| !is_digit(c)).unwrap_or(text.len())
    };
    let (radix, digits, suffix) =
        if let Some(rest) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
            let end = digits_end(true)(rest);
            (16, &rest[..end], &rest[end..])
        } else {
            let end = digits_end(false)(text);
            (if text.starts_with('0') { 8 } else { 10 }, &text[..end], &text[end..])
        };
    let suffix = suffix.to_ascii_lowercase();
    let unsigned = match &*suffix {
        "" | "l" | "ll" => false,
        "u" | "ul" | "ull" | "lu" | "llu" => true,
        _ => return Err(Leave),
    };
    let bits = u64::from_str_radix(digits, radix).map_err(|_| Leave)?;
    if bits >> 63 != 0 && !unsigned && radix == 10 {
        return Err(Leave);
    }
    Ok(Number { bits, unsigned: unsigned || bits >> 63 != 0 })
}

fn binary(operator: &str, left: Number, right: Number, counts: bool) -> Answer<Number> {
    let unsigned = left.unsigned || right.unsigned;
    let (a, b) = (left.bits, right.bits);
    let (x, y) = (a as i64, b as i64);
    // A change of sign in a comparison is warned of, as what overflows is.
    let mixed =
        left.unsigned != right.unsigned && (!left.unsigned && x < 0 || !right.unsigned && y < 0);
    let shifts = matches!(operator, "<<" | ">>");
    let logical = matches!(operator, "||" | "&&");
    if counts && mixed && !shifts && !logical {
        return Err(Leave);
    }
    let number = |bits: u64| Ok(Number { bits, unsigned });
    let exact = |signed: Option<i64>, bits: u64| match signed {
        _ if unsigned || !counts => number(bits),
        Some(value) => number(value as u64),
        None => Err(Leave),
    };
    let compared = |less: bool| Ok(Number::truth(less));
    match operator {
        "||" => Ok(Number::truth(left.is_true() || right.is_true())),
        "&&" => Ok(Number::truth(left.is_true() && right.is_true())),
        "|" => number(a | b),
        "^" => number(a ^ b),
        "&" => number(a & b),
        "==" => compared(a == b),
        "!=" => compared(a != b),
        "<" => compared(if unsigned { a < b } else { x < y }),
        ">" => compared(if unsigned { a > b } else { x > y }),
        "<=" => compared(if unsigned { a <= b } else { x <= y }),
        ">=" => compared(if unsigned { a >= b } else { x >= y }),
        "<<" | ">>" => {
            if !counts {
                return Ok(left);
            }
            if b > 63 {
                return Err(Leave);
            }
            let bits = match (operator, left.unsigned) {
                ("<<", _) => a << b,
                (_, true) => a >> b,
                (_, false) => (x >> b) as u64,
            };
            Ok(Number { bits, ..left })
        }
        "+" => exact(x.checked_add(y), a.wrapping_add(b)),
        "-" => exact(x.checked_sub(y), a.wrapping_sub(b)),
        "*" => exact(x.checked_mul(y), a.wrapping_mul(b)),
        "/" | "%" if b == 0 => {
            if counts {
                Err(Leave)
            } else {
                number(0)
            }
        }
        "/" if unsigned => number(a / b),
        "%" if unsigned => number(a % b),
        "/" => exact(x.checked_div(y), 0),
        _ => exact(x.checked_rem(y), 0),
    }
}

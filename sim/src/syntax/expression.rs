//! Constant expressions: C's operators on 64-bit integers.

use super::lexer::TokenKind;
use super::parser::{Parser, Refused};

/// Parentheses and unary operators nest no deeper than this.
const MAX_DEPTH: u32 = 64;

impl Parser<'_, '_> {
    /// A constant integer expression.
    pub(super) fn constant(&mut self) -> Result<u64, Refused> {
        self.binary(0, 0)
    }

    /// Operators that bind at least as tightly as `level`; C's levels, loosest first.
    fn binary(&mut self, level: usize, depth: u32) -> Result<u64, Refused> {
        const LEVELS: [&[&str]; 8] = [
            &["|"],
            &["^"],
            &["&"],
            &["==", "!="],
            &["<=", ">=", "<", ">"],
            &["<<", ">>"],
            &["+", "-"],
            &["*", "/", "%"],
        ];
        let Some(signs) = LEVELS.get(level) else { return self.unary(depth) };
        let mut left = self.binary(level + 1, depth)?;
        'next: loop {
            for sign in *signs {
                // `<` must not take the first half of `<<`.
                let doubled = matches!(*sign, "<" | ">") && self.at_signs(&sign.repeat(2));
                if self.at_signs(sign) && !doubled {
                    self.skip(sign.len());
                    let right = self.binary(level + 1, depth)?;
                    left = self.apply(sign, left, right)?;
                    continue 'next;
                }
            }
            return Ok(left);
        }
    }

    fn apply(&self, sign: &str, left: u64, right: u64) -> Result<u64, Refused> {
        let zero = || self.refuse("division by zero in a constant expression");
        Ok(match sign {
            "|" => left | right,
            "^" => left ^ right,
            "&" => left & right,
            "==" => u64::from(left == right),
            "!=" => u64::from(left != right),
            "<=" => u64::from((left as i64) <= right as i64),
            ">=" => u64::from((left as i64) >= right as i64),
            "<" => u64::from((left as i64) < right as i64),
            ">" => u64::from((left as i64) > right as i64),
            "<<" => left.checked_shl(right as u32).unwrap_or(0),
            ">>" => left.checked_shr(right as u32).unwrap_or(0),
            "+" => left.wrapping_add(right),
            "-" => left.wrapping_sub(right),
            "*" => left.wrapping_mul(right),
            "/" if right == 0 => return Err(zero()),
            "/" => (left as i64).wrapping_div(right as i64) as u64,
            _ if right == 0 => return Err(zero()),
            _ => (left as i64).wrapping_rem(right as i64) as u64,
        })
    }

    fn unary(&mut self, depth: u32) -> Result<u64, Refused> {
        if depth > MAX_DEPTH {
            return Err(self.refuse("constant expression nested too deeply"));
        }
        match self.peek().kind {
            TokenKind::Int(value) => {
                self.skip(1);
                Ok(value)
            }
            TokenKind::Word("WARP_SZ") => {
                self.skip(1);
                Ok(gpuc_arch::WARP_SIZE.into())
            }
            TokenKind::Sign('-') => {
                self.skip(1);
                Ok(self.unary(depth + 1)?.wrapping_neg())
            }
            TokenKind::Sign('+') => {
                self.skip(1);
                self.unary(depth + 1)
            }
            TokenKind::Sign('~') => {
                self.skip(1);
                Ok(!self.unary(depth + 1)?)
            }
            TokenKind::Sign('!') => {
                self.skip(1);
                Ok(u64::from(self.unary(depth + 1)? == 0))
            }
            TokenKind::Sign('(') => {
                self.skip(1);
                // A cast changes nothing in 64-bit arithmetic.
                if let TokenKind::Dot("s64" | "u64") = self.peek().kind {
                    self.skip(1);
                    self.expect(')')?;
                    return self.unary(depth + 1);
                }
                let value = self.binary(0, depth + 1)?;
                self.expect(')')?;
                Ok(value)
            }
            _ => Err(self.refuse("expected a constant")),
        }
    }
}
